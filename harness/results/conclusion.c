/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills texts with numbers and judges a sweep's answer by its claims; see conclusion.h.
 *
 * Numbers are evaluated as claims are: over the rows of the whole sweep (full_rows.h), of which a number uses those
 * that its `where` selects and that have a result. Absent cases do not enter a number. They make it provisional, and so
 * do times that no claim would be tested on. A value that a failed case did not produce is unknown, and so is a number
 * that needs it, unless the number names `status`. */
#include "harness/results/conclusion.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/text.h"
#include "harness/results/claims.h"
#include "harness/results/judged.h"
#include "harness/results/timing_notes.h"

static const double WHOLE_MAX = 1e15; /* from there on, all numbers are whole */
enum { NOISE = 12, MOST_DIGITS = 17 };

typedef struct {
  const sb_results    *results;
  sb_arena            *arena;
  sb_full_rows_request request;     /* of the current number */
  sb_judged            rows;        /* likewise */
  bool                 lacks;       /* it lacks cases */
  bool                 shown_alone; /* it is of a title or note */
  bool                 open;        /* some number lacks cases, or cannot be computed */
  const char          *blanks;
  bool                *doubtful; /* [rows of the results] those of which a number has read times that do not count */
  size_t               seldom;   /* number of these that were timed too few times */
  bool noisy, mixed, lacks_gpu;  /* all times of a number are noisy, or of several builds or machines, or of no GPU */
} filling;

/* Narrows the rows to those that a number uses, in place, and counts them. */
static size_t use_rows(filling *f)
{
  sb_perhaps *taken = f->rows.taken;
  size_t      used = 0;
  for (size_t i = 0; i < sb_rows_count(f->rows.whole->rows); ++i) {
    const bool here = f->rows.whole->cases[i].kind <= SB_HAS_TOO_FEW_REPETITIONS;
    f->lacks = f->lacks || (taken[i] != SB_NO && !here);
    if (!here) taken[i] = SB_NO;
    used += taken[i] != SB_NO;
  }
  return used;
}

/* A number of the sentence with some digits; whole ones have all of theirs. A number that is not whole has no zeros
 * alone behind the point: 0.99995, not 1.00. */
static const char *text_of(const filling *f, const sb_text_piece *piece, sb_value value, int digits)
{
  const double number = value.number;
  char         text[SB_NUMBER_TEXT];
  if (value.kind != SB_NUMBER) return sb_value_text(f->arena, value);
  if (piece->format) return sb_arena_format(f->arena, piece->format, number);
  if (fabs(number) >= WHOLE_MAX || number == floor(number)) return sb_arena_copy(f->arena, sb_text_exact(number, text));
  for (int more = digits; more <= NOISE; ++more) { /* beyond it a number is whole but for rounding */
    const char *point = strchr(sb_text_rounded(number, more, text), '.');
    if (!point || point[1 + strspn(point + 1, "0")] != '\0') return sb_arena_copy(f->arena, text);
  }
  return sb_arena_copy(f->arena, sb_text_rounded(number, digits, text));
}

/* The number of piece i of a text: three digits, or as many as distinguish its number from the others that have no
 * format. */
static const char *told_apart(const filling *f, const sb_template *template, const sb_value *values, size_t i)
{
  const sb_text_piece *pieces = template->pieces;
  int                  digits = SB_DIGITS;
  if (!pieces[i].value) return "";
  if (values[i].kind == SB_BLANK) return "[?]";
  for (size_t k = 0; k < template->count && values[i].kind == SB_NUMBER; ++k)
    while (digits < MOST_DIGITS && values[k].kind == SB_NUMBER && values[k].number != values[i].number &&
           !pieces[k].format && !pieces[i].format &&
           strcmp(text_of(f, &pieces[k], values[k], digits), text_of(f, &pieces[i], values[i], digits)) == 0)
      ++digits;
  return text_of(f, &pieces[i], values[i], digits);
}

/* The value of a number. False and the reason if it cannot be computed. */
static bool evaluate(filling *f, const sb_text_piece *piece, sb_value *value, sb_diagnostics *why, const char **reason)
{
  *reason = "the cases of the sweep are unknown";
  f->rows = sb_judged_begin(f->results, f->request, piece->where, why);
  if (!f->rows.taken) return false;
  const bool     none = use_rows(f) == 0;
  const sb_scope scope = sb_judged_scope(&f->rows);
  *reason = f->lacks ? "not all of its cases are here" : "no case has such a value";
  *value = (sb_value){.kind = SB_NUMBER};
  if (none) return sb_expression_counts(piece->value);
  if (!sb_expression_of_one(piece->value, &scope, value, why) || value->kind == SB_BLANK) return false;
  const size_t row = sb_evidence_first(&f->rows.evidence, SB_IS_UNCOUNTED);
  *reason = row != (size_t)-1 ? sb_arena_format(f->arena, "the operations of %s are not counted",
                                                sb_row_uncounted(f->rows.whole->rows, row))
                              : "it needs a value of a case that did not end with status ok";
  return value->kind != SB_UNKNOWN;
}

/* Notes the times that the current number has read if a claim on them would not be tested. False if it would be. */
static bool note_times(filling *f)
{
  const sb_full_rows *strict =
      sb_full_rows_of(f->results, (sb_full_rows_request){.timed = true, .failed = f->request.failed});
  const size_t rows = sb_rows_count(f->results->rows);
  const bool  *taken = sb_judged_timed(&f->rows);
  size_t       seldom = 0;
  for (size_t i = 0; i < sb_rows_count(f->rows.whole->rows); ++i) {
    if (!(f->rows.evidence.what[i] & SB_READ_KNOWN_TIME)) continue;
    seldom += strict->cases[i].kind == SB_HAS_TOO_FEW_REPETITIONS;
    f->seldom += strict->cases[i].kind == SB_HAS_TOO_FEW_REPETITIONS && !f->doubtful[f->rows.whole->cases[i].row];
  }
  const sb_times        times = sb_times_of(f->results, taken);
  const bool            noisy = times.cases > 0 && times.noisy == times.cases;
  const sb_timing_notes notes = sb_timing_notes_of(f->results, taken, true, f->arena);
  const bool            bad = seldom > 0 || noisy || notes.origins || notes.device;
  for (size_t row = 0; row < rows && bad; ++row) f->doubtful[row] = f->doubtful[row] || taken[row];
  f->noisy = f->noisy || noisy;
  f->mixed = f->mixed || notes.origins;
  f->lacks_gpu = f->lacks_gpu || notes.device;
  return bad;
}

/* "2 of 4 cases timed fewer than the 3 times that the sweep requests; 4 cases run by several builds": why times do not
 * count; "": they do. */
static const char *explain_times(const filling *f)
{
  const sb_times        times = sb_times_of(f->results, f->doubtful);
  const sb_timing_notes notes = sb_timing_notes_of(f->results, f->doubtful, true, f->arena);
  const char *few = sb_arena_format(f->arena, "%zu of %zu cases timed fewer than the %d times that the sweep requests",
                                    f->seldom, times.cases, f->results->sweep->repetitions);
  const char *const reasons[] = {f->seldom > 0 ? few : NULL, f->noisy ? notes.noise : NULL,
                                 f->mixed ? notes.origins : NULL, f->lacks_gpu ? notes.device : NULL};
  const char *all = "";
  for (size_t i = 0; i < sizeof reasons / sizeof *reasons; ++i)
    if (reasons[i]) all = sb_arena_join(f->arena, all, "; ", "%s", reasons[i]);
  return all;
}

/* The value of a number; or the reason why it cannot be computed or shown, with SB_BLANK. */
static sb_value number_of(filling *f, const sb_text_piece *piece, sb_diagnostics *why, const char **reason)
{
  sb_value value = {.kind = SB_BLANK};
  f->request = (sb_full_rows_request){.failed = sb_asks_for_status(piece->value, piece->where)};
  bool       good = evaluate(f, piece, &value, why, reason);
  const bool reads_times = sb_evidence_has(&f->rows.evidence, SB_READ_TIME);
  if (good && reads_times) {
    f->request.timed = f->request.once = true;
    good = evaluate(f, piece, &value, why, reason);
  }
  if (good && reads_times && note_times(f)) good = !f->shown_alone; /* no sign beside it could say so */
  return good ? value : (sb_value){.kind = SB_BLANK};
}

const char *sb_end_of_sentence(const char *text)
{
  const char *end = strstr(text, ". ");
  while (end && (islower((unsigned char)end[2]) || isdigit((unsigned char)end[2]))) end = strstr(end + 2, ". ");
  return end ? end + 2 : NULL;
}

/* The sentences of an answer of which every number has a value. */
static const char *known_sentences(const filling *f, const sb_template *template, const sb_value *values)
{
  const char *known = "", *sentence = "";
  bool        blank = false;
  for (size_t i = 0; i < template->count; ++i) {
    const sb_text_piece *piece = &template->pieces[i];
    const char          *rest = piece->text;
    for (const char *end; (end = sb_end_of_sentence(rest)); rest = end) {
      if (!blank) known = sb_arena_format(f->arena, "%s%s%.*s", known, sentence, (int)(end - rest), rest);
      blank = false;
      sentence = "";
    }
    blank = blank || (piece->value && values[i].kind == SB_BLANK);
    sentence = sb_arena_format(f->arena, "%s%s%s", sentence, rest, told_apart(f, template, values, i));
  }
  known = sb_arena_format(f->arena, "%s%s", known, blank ? "" : sentence);
  const size_t length = strlen(known);
  return length > 0 && known[length - 1] == ' ' ? sb_arena_copy_span(f->arena, known, length - 1) : known;
}

/* A text of the sweep with its numbers; of an answer the known sentences. */
static const char *fill(filling *f, const char *text)
{
  const sb_sweep    *sweep = f->results->sweep;
  const sb_template *found = NULL;
  const char        *sentence = "";
  for (size_t i = 0; i < sweep->template_count && !found; ++i)
    if (sweep->templates[i].text == text) found = &sweep->templates[i];
  if (!found) return text;
  sb_value *values = sb_arena_take(f->arena, found->count, sizeof *values);
  for (size_t i = 0; i < found->count; ++i) {
    const sb_text_piece                                *piece = &found->pieces[i];
    SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *why = sb_diagnostics_create();
    const char                                         *reason = "";
    char                                                fault[SB_ERROR_SIZE] = "";
    f->lacks = false;
    if (piece->value) values[i] = number_of(f, piece, why, &reason);
    sb_diagnostics_reason(why, fault, sizeof fault);
    const bool blank = piece->value && values[i].kind == SB_BLANK;
    if (*fault && !f->lacks) reason = fault;
    if (blank && !strstr(f->blanks, reason)) f->blanks = sb_arena_join(f->arena, f->blanks, "; ", "%s", reason);
    f->open = f->open || f->lacks || blank;
  }
  if (!f->shown_alone) return known_sentences(f, found, values);
  for (size_t i = 0; i < found->count; ++i)
    sentence = sb_arena_format(f->arena, "%s%s%s", sentence, found->pieces[i].text, told_apart(f, found, values, i));
  return sentence;
}

static filling begin(const sb_results *results)
{
  sb_arena *arena = results->session.arena;
  bool     *doubtful = sb_arena_take(arena, sb_rows_count(results->rows), sizeof *doubtful);
  return (filling){.results = results, .arena = arena, .blanks = "", .doubtful = doubtful};
}

const char *sb_results_text(const sb_results *results, const char *text)
{
  filling f = begin(results);
  f.shown_alone = true;
  return fill(&f, text);
}

/* The number of cases of the sweep, as on the whole page, and of those that have a result or were skipped. `few`: fewer
 * than half of those that can run have a result. */
static size_t count_cases(filling *f, size_t *here, bool *few)
{
  const sb_full_rows *whole = sb_full_rows_of(f->results, (sb_full_rows_request){0});
  const size_t rows = whole ? sb_rows_count(whole->rows) : 0, all = whole && whole->plan ? whole->plan->count : rows;
  size_t       kinds[SB_STANDINGS] = {0};
  for (size_t i = 0; i < rows; ++i) kinds[whole->cases[i].kind]++;
  const size_t done = kinds[SB_IS_HERE] + kinds[SB_HAS_TOO_FEW_REPETITIONS];
  *here = done + sb_case_counts_of(f->results->rows, NULL).of[SB_CASE_SKIPPED];
  *few = 2 * done < rows - kinds[SB_WAS_SKIPPED];
  if (*here > all) *here = all;
  return all;
}

/* Why an answer whose claims do not fail is not final; NULL: it is. */
static const char *why_so_far(const filling *f, size_t untested, size_t claims)
{
  if (untested > 0)
    return sb_arena_format(f->arena, "%zu of %s %s not tested", untested, sb_counted(f->arena, claims, "claim"),
                           sb_by_count(untested, "is", "are"));
  if (f->open) return "a number is unknown";
  return f->seldom > 0   ? "its times are to be repeated"
         : f->noisy      ? "its times are noisy"
         : f->mixed      ? "its times are of several builds or machines"
         : f->lacks_gpu ? "its times are not of a GPU"
                         : NULL;
}

static void judge(filling *f, sb_conclusion *conclusion)
{
  const sb_sweep   *sweep = f->results->sweep;
  const sb_verdict *verdicts = sb_results_verdicts(f->results);
  const char       *reason = NULL;
  size_t            marked = 0, claims = 0, failing = 0, untested = 0, unknown = 0, here = 0;
  bool              few = false;
  for (size_t i = 0; i < sweep->claim_count; ++i) marked += sweep->claims[i].answers;
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    if (marked > 0 && !sweep->claims[i].answers) continue;
    claims++;
    failing += sb_claim_fails(&sweep->claims[i], &verdicts[i], true);
    untested += verdicts[i].kind == SB_NOT_TESTED;
    unknown += verdicts[i].kind == SB_NOT_TESTED && !verdicts[i].so_far;
  }
  const size_t all = count_cases(f, &here, &few);
  if (failing > 0) {
    conclusion->kind = SB_CONCLUSION_REFUTED;
    const char *cases = few ? sb_arena_format(f->arena, ", by %zu of %zu cases", here, all) : "";
    conclusion->lead = sb_arena_format(f->arena, "Refuted here%s: %zu of %s %s not hold", cases, failing,
                                       sb_counted(f->arena, claims, "claim"), sb_by_count(failing, "does", "do"));
  } else if (!*conclusion->sentence) {
    conclusion->kind = SB_CONCLUSION_EXPECTED;
    conclusion->lead = sb_arena_format(f->arena, "No answer yet, from %zu of %zu cases", here, all);
  } else if (few) {
    conclusion->kind = SB_CONCLUSION_EXPECTED;
    conclusion->lead = sb_arena_format(f->arena, "Expected, from %zu of %zu cases", here, all);
  } else if (unknown == claims) {
    conclusion->kind = SB_CONCLUSION_EXPECTED;
    conclusion->lead = here < all ? sb_arena_format(f->arena, "Expected, untested with %zu of %zu cases", here, all)
                                  : "Expected: its claims are not tested yet";
  } else if ((reason = why_so_far(f, untested, claims))) {
    conclusion->kind = SB_CONCLUSION_SO_FAR;
    conclusion->lead = here < all ? sb_arena_format(f->arena, "So far, from %zu of %zu cases", here, all)
                                  : sb_arena_format(f->arena, "So far: %s", reason);
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
  filling        f = begin(results);
  *conclusion = (sb_conclusion){.sentence = "", .lead = "", .blanks = "", .times = ""};
  const sb_case_counts counts = sb_case_counts_of(results->rows, NULL);
  const size_t skipped = counts.of[SB_CASE_SKIPPED];
  if (skipped > 0 && skipped == sb_rows_count(results->rows)) {
    conclusion->kind = SB_CONCLUSION_NOT_RUN;
    conclusion->lead = "Not run";
    conclusion->sentence = sb_value_text(arena, sb_rows_get_named(results->rows, 0, "reason"));
  } else if (results->sweep->answer) {
    conclusion->sentence = fill(&f, results->sweep->answer);
    conclusion->blanks = f.blanks;
    conclusion->times = explain_times(&f);
    judge(&f, conclusion);
  }
  return results->kept->conclusion = conclusion;
}
