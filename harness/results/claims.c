/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Evaluates claims; see claims.h.
 *
 * A claim is about the whole sweep; full_rows.h has what is known of it. It is true, false or undecided by Kleene's
 * logic: it holds, or fails, if no unknown value could change that. If absent cases may decide it, the claim is not
 * tested. If all cases are present and the claim needs a value that a failed case never produced, the claim does not
 * hold. */
#include "harness/results/claims.h"

#include <stdarg.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/text.h"
#include "harness/results/judged.h"
#include "harness/results/timing_notes.h"

enum { NOISY_MAX = 3 }; /* cases that are named */

static const struct {
  const char *word, *sign;
} words[SB_VERDICT_KINDS] = {[SB_REPRODUCED] = {"reproduced", "✓"},
                             [SB_REPRODUCED_IN_PART] = {"reproduced in part", "◐"},
                             [SB_NOT_REPRODUCED] = {"NOT REPRODUCED", "✗"},
                             [SB_CONTRADICTED] = {"contradicted", "≠"},
                             [SB_CONTRADICTED_IN_PART] = {"contradicted in part", "≠"},
                             [SB_CONTRADICTION_GONE] = {"NO LONGER CONTRADICTED", "!"},
                             [SB_NOT_COMPARABLE] = {"not comparable", "–"},
                             [SB_NOT_TESTED] = {"not tested", "–"}};

const char *sb_verdict_word(sb_verdict_kind kind) { return words[kind].word; }

const char *sb_verdict_sign(sb_verdict_kind kind) { return words[kind].sign; }

const char *sb_claim_kind_word(sb_claim_kind kind)
{
  static const char *const kinds[] = {[SB_CLAIM_EXACT] = "exact", [SB_CLAIM_SHAPE] = "shape", [SB_CLAIM_TIME] = "time"};
  return kinds[kind];
}

/* The evaluation of one claim, from its cases to its verdict. */
typedef struct {
  const sb_results    *results;
  sb_arena            *arena;
  const sb_claim      *claim;
  sb_full_rows_request request;                    /* timed: the claim has read a time, or is of kind time */
  sb_judged            rows;                       /* of the whole sweep */
  size_t               cases, kinds[SB_STANDINGS]; /* how many these are, and how they stand */
  const bool          *used;                       /* [rows of the whole] those whose values it used; NULL: none */
  sb_timing_notes      times;                      /* notes on the times that it has read */
  sb_verdict          *verdict;
} evaluation;

__attribute__((format(printf, 2, 3))) static bool not_tested(const evaluation *e, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  e->verdict->kind = SB_NOT_TESTED;
  e->verdict->reason = sb_arena_format_list(e->arena, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- the cases that it is about ---- */

/* Finds the cases that the claim is about. False if they are unknown. */
static bool select_cases(evaluation *e)
{
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *why = sb_diagnostics_create();
  char                                                reason[SB_ERROR_SIZE] = "";
  e->rows = sb_judged_begin(e->results, e->request, e->claim->where, why);
  if (!e->rows.whole)
    return not_tested(e, "the cases of the sweep are unknown; springbench check %.160s/sweep.yaml shows why",
                      e->results->directory);
  if (e->rows.taken) return true;
  sb_diagnostics_reason(why, reason, sizeof reason);
  return not_tested(e, "%s", reason);
}

/* The same, and counts them. False if there are none. */
static bool find_cases(evaluation *e)
{
  if (!select_cases(e)) return false;
  e->cases = 0;
  memset(e->kinds, 0, sizeof e->kinds);
  for (size_t i = 0; i < sb_rows_count(e->rows.whole->rows); ++i) {
    if (e->rows.taken[i] == SB_NO) continue;
    e->cases++;
    e->kinds[e->rows.whole->cases[i].kind]++;
  }
  if (e->cases > 0) return true;
  return e->claim->where ? not_tested(e, "no case with %s", sb_expression_text(e->claim->where))
                         : not_tested(e, "there are no cases");
}

/* ---- the verdict ---- */

/* "5 are not here, 1 has not run": what is not known of the cases that the claim is about; "" for nothing. */
static const char *explain_missing(const evaluation *e)
{
  static const char *const said[SB_STANDINGS][2] = {
      [SB_HAS_TOO_FEW_REPETITIONS] = {"was timed", "were timed"},
      [SB_IS_ABSENT] = {"is not here", "are not here"},
      [SB_HAS_NOT_RUN] = {"has not run", "have not run"},
      [SB_ENDED_WITHOUT_RESULT] = {"ended without a result (timeout, oom, crashed or error)",
                                   "ended without a result (timeout, oom, crashed or error)"},
      [SB_WAS_SKIPPED] = {"was skipped", "were skipped"}};
  const char *told = "";
  for (int kind = SB_HAS_TOO_FEW_REPETITIONS; kind < SB_STANDINGS; ++kind) {
    if (e->kinds[kind] == 0) continue;
    told = sb_arena_join(e->arena, told, ", ", "%zu %s", e->kinds[kind], said[kind][e->kinds[kind] != 1]);
    if (kind == SB_HAS_TOO_FEW_REPETITIONS)
      told = sb_arena_format(e->arena, "%s fewer than the %d times that the sweep requests", told,
                             e->results->sweep->repetitions);
  }
  return told;
}

/* Evaluates the test; false if it has no answer. */
static bool evaluate_test(evaluation *e, sb_perhaps *truth, sb_grounds *grounds, sb_diagnostics *why)
{
  const sb_scope scope = sb_judged_scope(&e->rows);
  const bool     answered = sb_expression_claim(e->claim->test, &scope, truth, grounds, why);
  e->used = grounds->used;
  return answered;
}

/* True if the claim holds for its cases that are here, and the others only have not run yet. The verdict is then still
 * open. Times may come from fewer repetitions, but not from a noisy machine, nor from several builds or machines,
 * nor from a device that is not a GPU. *here: the number of these cases. */
static bool holds_so_far(const evaluation *e, size_t *here)
{
  sb_verdict verdict = {0};
  sb_perhaps truth = SB_PERHAPS;
  sb_grounds grounds = {.shown = ""};
  evaluation part = *e;
  part.request.once = true;
  part.verdict = &verdict;
  *here = 0;
  if (e->kinds[SB_ENDED_WITHOUT_RESULT] + e->kinds[SB_WAS_SKIPPED] > 0 || !select_cases(&part)) return false;
  for (size_t i = 0; i < sb_rows_count(part.rows.whole->rows); ++i) {
    if (part.rows.whole->cases[i].kind != SB_IS_HERE) part.rows.taken[i] = SB_NO;
    *here += part.rows.taken[i] == SB_YES;
  }
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *why = sb_diagnostics_create();
  if (*here == 0 || !evaluate_test(&part, &truth, &grounds, why) || truth != SB_YES) return false;
  const sb_timing_notes notes = sb_timing_notes_of(e->results, sb_judged_timed(&part.rows), true, e->arena);
  return !notes.noise && !notes.device && !notes.origins;
}

/* A claim is not tested by times that cannot be compared, whatever they say. False if all are of one build and machine,
 * and of a GPU if they are of a device. */
static bool times_are_unfit(const evaluation *e)
{
  if (e->times.origins)
    (void)not_tested(e, "its times are from several builds or machines: %s", e->times.origins);
  else if (e->times.device)
    (void)not_tested(e, "its times do not count: %s", e->times.device);
  return e->times.origins || e->times.device;
}

/* Says why a claim is undecided: by the cases and functions that leave it so, and by no others that it reads. It is not
 * tested if cases are missing, or if its test has no answer (not `answered`). If all cases are here it does not hold,
 * as cases that failed, or values that are not finite, cannot decide it later either. A claim that is expected to fail
 * is not tested then: its values did not refute it. */
static void explain_undecided(const evaluation *e, bool answered, const char *shown, const sb_diagnostics *why)
{
  const char *missing = explain_missing(e), *cases = sb_counted(e->arena, e->cases, "case"), *uncounted;
  size_t      failed = 0, others = 0, here = 0, unknown = 0;
  char        reason[SB_ERROR_SIZE] = "";
  sb_diagnostics_reason(why, reason, sizeof reason);
  (void)sb_evidence_rows(&e->rows.evidence, SB_IS_UNCOUNTED, e->arena, &unknown);
  for (size_t i = 0; answered && i < sb_rows_count(e->rows.whole->rows); ++i) {
    const sb_full_row *c = &e->rows.whole->cases[i];
    const unsigned     what = e->rows.evidence.what[i];
    failed += what & SB_LEAVES_OPEN && c->kind == SB_IS_HERE && !c->ok;
    others += what & (SB_LEAVES_OPEN | SB_READ_BESIDE) && c->kind != SB_IS_HERE;
  }
  if (answered && e->cases > 1 && e->kinds[SB_IS_ABSENT] == e->cases) {
    (void)not_tested(e, "none of its %zu cases is here", e->cases);
  } else if (answered && *missing && holds_so_far(e, &here)) {
    e->verdict->so_far = true;
    (void)not_tested(e, "holds so far, in %zu of its %s; %s", here, cases, missing);
  } else if (answered && *missing) {
    (void)not_tested(e, "undecided: of its %s %s", cases, missing);
  } else if (others > 0) {
    (void)not_tested(e, "undecided: %s that it compares with %s no result here", sb_counted(e->arena, others, "case"),
                     sb_by_count(others, "has", "have"));
  } else if (unknown > 0 && (uncounted = sb_row_uncounted(e->rows.whole->rows,
                                                          sb_evidence_first(&e->rows.evidence, SB_IS_UNCOUNTED)))) {
    (void)not_tested(e, "the operations of %s are not counted: the work of %s is unknown", uncounted,
                     sb_counted(e->arena, unknown, "case"));
  } else if (failed == 0 && *reason) {
    (void)not_tested(e, "%s", reason);
  } else if (!times_are_unfit(e)) {
    e->verdict->kind = e->claim->contradicted ? SB_NOT_TESTED : SB_NOT_REPRODUCED;
    e->verdict->grounds = failed > 0 ? "" : sb_arena_copy(e->arena, shown);
    e->verdict->reason = "undecided: a decisive value is not finite (a quotient by 0, or the logarithm of 0)";
    if (failed > 0)
      e->verdict->reason = sb_arena_format(
          e->arena, "undecided: %s did not end with status ok; write a condition on status to include %s%s%s",
          sb_counted(e->arena, failed, "case"), sb_by_count(failed, "it", "them"), *reason ? "; " : "", reason);
  }
}

/* "2 of 7 cases (1 diverged)": the number of cases whose values it used, the number that it is about, and the statuses
 * of the former other than ok. */
static const char *explain_basis(const evaluation *e)
{
  const size_t    rows = e->used ? sb_rows_count(e->rows.whole->rows) : 0;
  const char     *separator = " (";
  bool           *counted = sb_arena_take(e->arena, rows, sizeof *counted);
  sb_case_counts  tally = {0};
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, e->arena);
  for (size_t i = 0; i < rows; ++i)
    counted[i] = e->used[i] && e->rows.taken[i] != SB_NO && e->rows.whole->cases[i].kind <= SB_HAS_TOO_FEW_REPETITIONS;
  if (rows > 0) tally = sb_case_counts_of(e->rows.whole->rows, counted);
  fprintf(stream, "%zu of %s", tally.cases, sb_counted(e->arena, e->cases, "case"));
  if (e->results->quick) fprintf(stream, "%squick", separator);
  if (e->results->quick) separator = ", ";
  for (int status = SB_OK + 1; status < SB_STATUS_COUNT; ++status) {
    if (tally.of[status] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, tally.of[status], sb_status_name((sb_status)status));
    separator = ", ";
  }
  fputs(*separator == ',' ? ")" : "", stream);
  return sb_arena_text(&writer);
}

/* Writes a verdict in one line: its values, the cases that refute it, the quality of its times, and the number of cases
 * that decide it. */
static const char *explain(const evaluation *e)
{
  const sb_verdict *verdict = e->verdict;
  const bool        tested = verdict->kind != SB_NOT_TESTED;
  const bool        holds = verdict->kind == SB_REPRODUCED || verdict->kind == SB_CONTRADICTION_GONE;
  const char       *noise = tested ? e->times.noise : NULL;
  const char *const parts[][2] = {
      {"", verdict->grounds},
      {"", verdict->refuted},
      {verdict->kind == SB_CONTRADICTION_GONE ? "expected otherwise: " : "", verdict->reason},
      {"", noise ? noise : ""},
      {holds ? "rests on " : "judged on ", tested ? verdict->basis : ""},
  };
  const char *told = "";
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (*parts[i][1]) told = sb_arena_join(e->arena, told, "; ", "%s%s", parts[i][0], parts[i][1]);
  return told;
}

/* Evaluates the test again, with the times of noisy cases unknown, if all its times are noisy or if it failed. Noise
 * does not refute a claim, but a quiet case or another value may. */
static bool evaluate_without_noise(evaluation *e, sb_perhaps *truth, sb_grounds *grounds, sb_diagnostics *why)
{
  const sb_times   times = sb_times_of(e->results, sb_judged_timed(&e->rows));
  const sb_grounds before = *grounds;
  if (times.noisy == 0 || (times.noisy < times.cases && *truth != SB_NO)) return true;
  bool *noisy = sb_arena_take(e->arena, sb_rows_count(e->rows.whole->rows), sizeof *noisy);
  e->rows.noisy = noisy;
  for (size_t i = 0; i < sb_rows_count(e->rows.whole->rows); ++i) {
    const sb_full_row *c = &e->rows.whole->cases[i];
    noisy[i] = c->kind <= SB_HAS_TOO_FEW_REPETITIONS && sb_row_noisy(e->results->rows, c->row);
  }
  const sb_scope scope = sb_judged_scope(&e->rows);
  e->rows.taken = sb_expression_taken(e->claim->where, &scope, &e->rows.open, why);
  if (!evaluate_test(e, truth, grounds, why)) return false;
  if (times.noisy < times.cases) grounds->shown = before.shown; /* all its values */
  return true;
}

/* Explains a claim that noisy times leave undecided. Names at most three of the cases whose times would decide, if it
 * has quiet ones, too. */
static void explain_noise(evaluation *e)
{
  const size_t   rows = sb_rows_count(e->rows.whole->rows);
  const sb_times times = sb_times_of(e->results, sb_judged_timed(&e->rows));
  size_t         count = 0, shown = 0, *among = sb_arena_take(e->arena, rows, sizeof *among);
  const char    *names = "";
  for (size_t i = 0; i < rows; ++i)
    if (e->rows.taken[i] != SB_NO) among[count++] = i;
  for (size_t i = 0; i < rows && shown <= NOISY_MAX; ++i) {
    if (!(e->rows.evidence.what[i] & SB_LEAVES_OPEN) || !e->rows.noisy[i]) continue;
    const char *name = shown == NOISY_MAX ? "…" : sb_rows_name(e->rows.whole->rows, i, among, count, e->arena);
    names = sb_arena_join(e->arena, names, ", ", "%s", name);
    shown++;
  }
  if (times.noisy == times.cases)
    (void)not_tested(e, "its times do not count: %s", e->times.noise);
  else
    (void)not_tested(e, "undecided without the times of noisy cases (%s): %s; %s", names, e->times.noise,
                     e->times.again);
}

static void decide(evaluation *e)
{
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *why = sb_diagnostics_create();
  sb_verdict                                         *verdict = e->verdict;
  sb_perhaps                                          truth = SB_PERHAPS;
  sb_grounds                                          grounds = {.shown = ""};
  bool                                                answered = evaluate_test(e, &truth, &grounds, why);
  e->times = sb_timing_notes_of(e->results, sb_judged_timed(&e->rows), false, e->arena);
  if (answered && truth != SB_PERHAPS) answered = evaluate_without_noise(e, &truth, &grounds, why);
  const bool holds = truth == SB_YES;
  if (answered && e->rows.noisy && truth == SB_PERHAPS) {
    explain_noise(e);
  } else if (!answered || truth == SB_PERHAPS) {
    explain_undecided(e, answered, grounds.shown, why);
  } else if (!times_are_unfit(e)) {
    verdict->grounds = sb_arena_copy(e->arena, grounds.shown);
    verdict->refuted = grounds.refuted;
    verdict->margin = grounds.margin;
    verdict->kind = holds ? SB_REPRODUCED : SB_NOT_REPRODUCED;
    if (e->claim->contradicted) {
      verdict->kind = holds ? SB_CONTRADICTION_GONE : SB_CONTRADICTED;
      verdict->reason = e->claim->contradicted;
    }
  }
}

/* A claim of any kind is on times once its test, its `where` or a partner reads one. */
static void evaluate_claim(evaluation *e, bool on_times)
{
  sb_verdict *verdict = e->verdict;
  *verdict = (sb_verdict){.grounds = "", .refuted = "", .reason = "", .basis = ""};
  e->cases = 0;
  e->used = NULL;
  e->rows = (sb_judged){0};
  e->request = (sb_full_rows_request){.timed = on_times, .failed = sb_asks_for_status(e->claim->test, e->claim->where)};
  if (find_cases(e)) decide(e);
  verdict->basis = explain_basis(e);
  verdict->told = explain(e);
  if (sb_evidence_has(&e->rows.evidence, SB_READ_TIME) && !on_times) evaluate_claim(e, true);
}

const sb_verdict *sb_results_verdicts(const sb_results *results)
{
  const sb_sweep *sweep = results->sweep;
  if (results->kept->verdicts) return results->kept->verdicts;
  evaluation  e = {.results = results, .arena = results->session.arena};
  sb_verdict *verdicts = sb_arena_take(e.arena, sweep->claim_count, sizeof *verdicts);
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    e.claim = &sweep->claims[i];
    e.verdict = &verdicts[i];
    evaluate_claim(&e, e.claim->kind == SB_CLAIM_TIME);
  }
  return results->kept->verdicts = verdicts;
}

bool sb_claim_fails(const sb_claim *claim, const sb_verdict *verdict, bool count_time)
{
  if (claim->kind == SB_CLAIM_TIME && !count_time) return false;
  return verdict->kind == SB_NOT_REPRODUCED || verdict->kind == SB_CONTRADICTION_GONE;
}

size_t sb_claims_failing(const sb_results *results, bool count_time)
{
  const sb_verdict *verdicts = sb_results_verdicts(results);
  size_t            failing = 0;
  for (size_t i = 0; i < results->sweep->claim_count; ++i)
    failing += sb_claim_fails(&results->sweep->claims[i], &verdicts[i], count_time);
  return failing;
}

size_t sb_verdicts_count(const sb_results *results, size_t counts[SB_VERDICT_KINDS])
{
  const sb_verdict *verdicts = sb_results_verdicts(results);
  size_t            so_far = 0;
  memset(counts, 0, SB_VERDICT_KINDS * sizeof *counts);
  for (size_t i = 0; i < results->sweep->claim_count; ++i) {
    counts[verdicts[i].kind]++;
    so_far += verdicts[i].so_far;
  }
  return so_far;
}

void sb_claims_summarize(const sb_results *results, FILE *stream)
{
  size_t       counts[SB_VERDICT_KINDS];
  const size_t claims = results->sweep->claim_count;
  const char  *separator = ": ";
  const size_t so_far = sb_verdicts_count(results, counts);
  fputs(claims > 0 ? sb_counted(results->session.arena, claims, "claim") : "no claims", stream);
  for (int kind = 0; kind < SB_VERDICT_KINDS; ++kind) {
    if (counts[kind] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, counts[kind], words[kind].word);
    separator = ", ";
  }
  if (so_far > 0) fprintf(stream, " (%zu %s so far)", so_far, sb_by_count(so_far, "holds", "hold"));
}

void sb_claim_write(const sb_claim *claim, const char *finding, const sb_verdict *verdict, FILE *stream)
{
  fprintf(stream, "%s [%s%s%s]", claim->claim, finding ? finding : "", finding ? ", " : "",
          sb_claim_kind_word(claim->kind));
  if (*verdict->told) fprintf(stream, ": %s", verdict->told);
}
