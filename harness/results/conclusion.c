/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills a sweep's answer with numbers and judges it by the claims; see conclusion.h.
 *
 * Numbers are evaluated as claims are: over the rows of the whole sweep (full_rows.h), of which a number uses those
 * that its `where` selects and that have a result. Absent cases do not enter a number. They make it provisional. A
 * value that a failed case did not produce is unknown, and so is a number that needs it, unless the number names
 * `status`. */
#include "harness/results/conclusion.h"

#include <math.h>
#include <string.h>

#include "cases/common/text.h"
#include "harness/results/claims.h"
#include "harness/results/full_rows.h"

static const double WHOLE_MAX = 1e15; /* from there on, all numbers are whole */

typedef struct {
  const sb_results   *results;
  sb_arena           *arena;
  const sb_full_rows *wholes[2]; /* by request: failed; NULL: not needed yet, or unknown */
  const sb_full_rows *whole;     /* of the current number */
  bool                lacks;     /* it lacks cases */
  const char         *uncounted; /* the part of a case that it needs whose operations are not counted */
  bool                open;      /* some number lacks cases, or cannot be computed */
  const char         *blanks;
} filling;

static const sb_full_rows *whole_of(filling *f, bool failed)
{
  sb_full_rows *whole = f->wholes[failed] ? NULL : sb_arena_take(f->arena, 1, sizeof *whole);
  if (whole && sb_full_rows_read(f->results, (sb_full_rows_request){.failed = failed}, f->arena, whole))
    f->wholes[failed] = whole;
  return f->wholes[failed];
}

static void look_for_status(void *context, const char *name)
{
  bool *found = context;
  *found = *found || strcmp(name, "status") == 0;
}

static bool read_curve(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve,
                       sb_arena *arena, sb_diagnostics *diagnostics)
{
  const filling *f = of;
  const sb_scope scope = sb_results_scope(f->results, arena);
  return scope.curve(scope.of, f->whole->cases[row].row, x, y, curve, arena, diagnostics);
}

static void note_reading(void *reader, size_t row, unsigned what)
{
  filling *f = reader;
  if (what & SB_READ_UNCOUNTED) f->uncounted = sb_row_uncounted(f->whole->rows, row);
}

/* Narrows the rows to those that a number uses, in place, and counts them. */
static size_t use_rows(filling *f, sb_perhaps *taken)
{
  size_t used = 0;
  for (size_t i = 0; i < sb_rows_count(f->whole->rows); ++i) {
    const bool here = f->whole->cases[i].kind <= SB_HAS_TOO_FEW_REPETITIONS;
    f->lacks = f->lacks || (taken[i] != SB_NO && !here);
    if (!here) taken[i] = SB_NO;
    used += taken[i] != SB_NO;
  }
  return used;
}

/* The text of a number, or NULL and the reason why it cannot be computed. */
static const char *number_text(filling *f, const sb_answer_piece *piece, sb_diagnostics *why, const char **reason)
{
  char     text[SB_NUMBER_TEXT];
  bool     failed = false;
  sb_value value = {.kind = SB_BLANK};
  sb_expression_names(piece->value, look_for_status, &failed);
  if (piece->where) sb_expression_names(piece->where, look_for_status, &failed);
  *reason = "the cases of the sweep are unknown";
  if (!(f->whole = whole_of(f, failed))) return NULL;
  sb_scope    scope = {.rows = f->whole->rows,
                       .published_dir = f->results->published_dir,
                       .arena = f->arena,
                       .of = f,
                       .curve = read_curve,
                       .reads = note_reading,
                       .reader = f};
  sb_perhaps *taken = sb_expression_taken(piece->where, &scope, why);
  if (!taken) return NULL;
  const bool none = use_rows(f, taken) == 0;
  f->uncounted = NULL;
  *reason = f->lacks ? "not all of its cases are here" : "no case has such a value";
  if (none) return NULL;
  scope.taken = taken;
  if (!sb_expression_of_one(piece->value, &scope, &value, why) || value.kind == SB_BLANK) return NULL;
  *reason = f->uncounted ? sb_arena_format(f->arena, "the operations of %s are not counted", f->uncounted)
                         : "it needs a value of a case that did not end with status ok";
  if (value.kind == SB_UNKNOWN) return NULL;
  if (value.kind != SB_NUMBER) return sb_value_text(f->arena, value);
  if (piece->format) return sb_arena_format(f->arena, piece->format, value.number);
  const bool whole = fabs(value.number) < WHOLE_MAX && value.number == floor(value.number);
  return sb_arena_copy(f->arena,
                       whole ? sb_text_exact(value.number, text) : sb_text_rounded(value.number, SB_DIGITS, text));
}

/* Adds a reason for a blank, once. */
static void add_reason(filling *f, const char *reason)
{
  if (!strstr(f->blanks, reason))
    f->blanks = sb_arena_format(f->arena, "%s%s%s", f->blanks, *f->blanks ? "; " : "", reason);
  f->open = true;
}

static const char *fill(filling *f)
{
  const sb_sweep *sweep = f->results->sweep;
  const char     *sentence = "";
  for (size_t i = 0; i < sweep->answer_count; ++i) {
    const sb_answer_piece *piece = &sweep->answer[i];
    sb_diagnostics        *why = sb_diagnostics_create();
    const char            *reason = "";
    char                   fault[SB_ERROR_SIZE] = "";
    f->lacks = false;
    const char *number = piece->value ? number_text(f, piece, why, &reason) : "";
    sb_diagnostics_reason(why, fault, sizeof fault);
    sb_diagnostics_destroy(&why);
    if (!number) add_reason(f, *fault && !f->lacks ? fault : reason);
    f->open = f->open || f->lacks;
    sentence = sb_arena_format(f->arena, "%s%s%s", sentence, piece->text, number ? number : "[?]");
  }
  return sentence;
}

/* The number of cases of the sweep, and of those that have a result. */
static size_t count_cases(filling *f, size_t *here)
{
  const sb_full_rows *whole = whole_of(f, false);
  const size_t        all = whole ? sb_rows_count(whole->rows) : 0;
  *here = 0;
  for (size_t i = 0; i < all; ++i) *here += whole->cases[i].kind <= SB_HAS_TOO_FEW_REPETITIONS;
  return all;
}

static void judge(filling *f, sb_conclusion *conclusion)
{
  const sb_sweep   *sweep = f->results->sweep;
  const sb_verdict *verdicts = sb_results_verdicts(f->results);
  size_t            marked = 0, claims = 0, failing = 0, untested = 0, unknown = 0, here = 0;
  for (size_t i = 0; i < sweep->claim_count; ++i) marked += sweep->claims[i].answers;
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    if (marked > 0 && !sweep->claims[i].answers) continue;
    claims++;
    failing += sb_claim_fails(&sweep->claims[i], &verdicts[i], true);
    untested += verdicts[i].kind == SB_NOT_TESTED;
    unknown += verdicts[i].kind == SB_NOT_TESTED && !verdicts[i].so_far;
  }
  const size_t all = count_cases(f, &here);
  if (failing > 0) {
    conclusion->kind = SB_CONCLUSION_REFUTED;
    conclusion->lead = sb_arena_format(f->arena, "Refuted here: %zu of %zu claim%s %s not hold", failing, claims,
                                       claims == 1 ? "" : "s", failing == 1 ? "does" : "do");
  } else if (unknown == claims) {
    conclusion->kind = SB_CONCLUSION_EXPECTED;
    conclusion->lead = sb_arena_format(f->arena, "Expected, untested with %zu of %zu cases", here, all);
  } else if (untested > 0 || f->open) {
    conclusion->kind = SB_CONCLUSION_SO_FAR;
    if (here < all)
      conclusion->lead = sb_arena_format(f->arena, "So far, from %zu of %zu cases", here, all);
    else if (untested > 0)
      conclusion->lead = sb_arena_format(f->arena, "So far: %zu of %zu claim%s %s not tested", untested, claims,
                                         claims == 1 ? "" : "s", untested == 1 ? "is" : "are");
    else
      conclusion->lead = "So far: a number is unknown";
  } else {
    conclusion->kind = SB_CONCLUSION_HOLDS;
    conclusion->lead = "Answer";
  }
}

const sb_conclusion *sb_results_conclusion(const sb_results *results)
{
  if (results->kept->conclusion) return results->kept->conclusion;
  sb_arena      *arena = results->session.arena;
  sb_conclusion *conclusion = sb_arena_take(arena, 1, sizeof *conclusion);
  filling        f = {.results = results, .arena = arena, .blanks = ""};
  *conclusion = (sb_conclusion){.sentence = "", .lead = "", .blanks = ""};
  if (results->sweep->answer_count > 0) {
    conclusion->sentence = fill(&f);
    conclusion->blanks = f.blanks;
    judge(&f, conclusion);
  }
  return results->kept->conclusion = conclusion;
}
