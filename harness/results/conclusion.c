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
enum { NOISE = 12, MOST_DIGITS = 17 };

typedef struct {
  const sb_results   *results;
  sb_arena           *arena;
  const sb_full_rows *wholes[2]; /* by request: failed; NULL: not needed yet, or unknown */
  const sb_full_rows *whole;     /* of the current number */
  bool                lacks;     /* it lacks cases */
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

/* A number of the sentence with some digits; whole ones have all of theirs. A number that is not whole has no zeros
 * alone behind the point: 0.99995, not 1.00. */
static const char *rounded(sb_arena *arena, double number, int digits)
{
  const bool whole = fabs(number) >= WHOLE_MAX || number == floor(number);
  char       text[SB_NUMBER_TEXT];
  if (whole) return sb_arena_copy(arena, sb_text_exact(number, text));
  for (int more = digits; more <= NOISE; ++more) { /* beyond it a number is whole but for rounding */
    const char *point = strchr(sb_text_rounded(number, more, text), '.');
    if (!point || point[1 + strspn(point + 1, "0")] != '\0') return sb_arena_copy(arena, text);
  }
  return sb_arena_copy(arena, sb_text_rounded(number, digits, text));
}

static const char *text_of(const filling *f, const sb_answer_piece *piece, sb_value value, int digits)
{
  if (value.kind != SB_NUMBER) return sb_value_text(f->arena, value);
  return piece->format ? sb_arena_format(f->arena, piece->format, value.number)
                       : rounded(f->arena, value.number, digits);
}

/* Piece i of the answer: three digits, or as many as distinguish its number from the others that have no format. */
static const char *told_apart(const filling *f, const sb_value *values, size_t i)
{
  const sb_answer_piece *pieces = f->results->sweep->answer;
  int                    digits = SB_DIGITS;
  for (size_t k = 0; k < f->results->sweep->answer_count && values[i].kind == SB_NUMBER; ++k)
    while (digits < MOST_DIGITS && values[k].kind == SB_NUMBER && values[k].number != values[i].number &&
           !pieces[k].format && !pieces[i].format &&
           strcmp(text_of(f, &pieces[k], values[k], digits), text_of(f, &pieces[i], values[i], digits)) == 0)
      ++digits;
  return text_of(f, &pieces[i], values[i], digits);
}

/* The value of a number; or the reason why it cannot be computed, with SB_BLANK. */
static sb_value number_of(filling *f, const sb_answer_piece *piece, sb_diagnostics *why, const char **reason)
{
  static const sb_value none = {.kind = SB_BLANK};
  bool                  failed = false;
  sb_value              value = {.kind = SB_BLANK};
  sb_expression_names(piece->value, look_for_status, &failed);
  if (piece->where) sb_expression_names(piece->where, look_for_status, &failed);
  *reason = "the cases of the sweep are unknown";
  if (!(f->whole = whole_of(f, failed))) return none;
  sb_scope    scope = {.rows = f->whole->rows,
                       .published_dir = f->results->published_dir,
                       .arena = f->arena,
                       .of = f,
                       .curve = read_curve};
  sb_perhaps *taken = sb_expression_taken(piece->where, &scope, why);
  if (!taken) return none;
  const bool empty = use_rows(f, taken) == 0;
  *reason = f->lacks ? "not all of its cases are here" : "no case has such a value";
  if (empty) return none;
  scope.taken = taken;
  if (!sb_expression_of_one(piece->value, &scope, &value, why)) return none;
  if (value.kind != SB_UNKNOWN) return value;
  *reason = "it needs a value of a case that did not end with status ok";
  return none;
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
  sb_value       *values = sb_arena_take(f->arena, sweep->answer_count, sizeof *values);
  for (size_t i = 0; i < sweep->answer_count; ++i) {
    const sb_answer_piece *piece = &sweep->answer[i];
    sb_diagnostics        *why = sb_diagnostics_create();
    const char            *reason = "";
    char                   fault[SB_ERROR_SIZE] = "";
    f->lacks = false;
    if (piece->value) values[i] = number_of(f, piece, why, &reason);
    sb_diagnostics_reason(why, fault, sizeof fault);
    sb_diagnostics_destroy(&why);
    if (piece->value && values[i].kind == SB_BLANK) add_reason(f, *fault && !f->lacks ? fault : reason);
    f->open = f->open || f->lacks;
  }
  for (size_t i = 0; i < sweep->answer_count; ++i)
    sentence = sb_arena_format(f->arena, "%s%s%s", sentence, sweep->answer[i].text,
                               !sweep->answer[i].value      ? ""
                               : values[i].kind == SB_BLANK ? "[?]"
                                                            : told_apart(f, values, i));
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
