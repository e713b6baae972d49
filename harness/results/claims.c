/* Evaluates claims; see claims.h.
 *
 * A claim is about the whole sweep; full_rows.h has what is known of it. It is true, false or undecided by Kleene's
 * logic: it holds, or fails, if no unknown value could change that. If absent cases may decide it, the claim is not
 * tested. If all cases are present and the claim needs a value that a failed case never produced, the claim does not
 * hold. */
#include "harness/results/claims.h"

#include <stdarg.h>
#include <string.h>

#include "cases/common/text.h"
#include "harness/results/full_rows.h"
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

/* One claim on its way to a verdict. */
typedef struct {
  const sb_results   *results;
  sb_arena           *arena;
  const sb_full_rows *wholes[2][2][2]; /* by request: timed, foreign, failed; NULL: not needed yet */
  const sb_claim     *claim;
  const sb_full_rows *whole;
  sb_perhaps         *taken;               /* [rows of the whole] the cases that the claim is about, or may be about */
  size_t              kinds[SB_STANDINGS]; /* how they stand */
  const char         *with;    /* how cases that the sweep does not make differ from its own; NULL: there are none */
  const char         *instead; /* the same, of those that a published finding is not about */
  bool               *timed;   /* [rows of the results] those whose times it has read, and knows */
  bool               *asked;   /* [rows of the whole] those of which it has asked what is not known */
  const bool         *used;    /* [rows of the whole] those whose values it used; NULL: none */
  sb_timing_notes     times;   /* notes on the times that it has read */
  bool               *noisy;   /* [rows of the whole] those whose times count as unknown; NULL: none */
  sb_verdict         *verdict;
} judging;

__attribute__((format(printf, 2, 3))) static bool not_tested(const judging *j, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  j->verdict->kind = SB_NOT_TESTED;
  j->verdict->reason = sb_arena_format_list(j->arena, format, arguments);
  va_end(arguments);
  return false;
}

/* ---- the cases that it is about ---- */

static void look_for_status(void *context, const char *name)
{
  bool *found = context;
  *found = *found || strcmp(name, "status") == 0;
}

static const sb_full_rows *whole_of(judging *j, bool foreign)
{
  sb_full_rows_request request = {.timed = j->claim->kind == SB_CLAIM_TIME, .foreign = foreign};
  sb_expression_names(j->claim->test, look_for_status, &request.failed);
  if (j->claim->where) sb_expression_names(j->claim->where, look_for_status, &request.failed);
  const sb_full_rows **kept = &j->wholes[request.timed][foreign][request.failed];
  sb_full_rows        *whole = *kept ? NULL : sb_arena_take(j->arena, 1, sizeof *whole);
  if (whole && sb_full_rows_read(j->results, request, j->arena, whole)) *kept = whole;
  return *kept;
}

/* Reads the curve of a case from the results. The curve is unknown if the results of the case are, or, for a curve over
 * time, if its times are. */
static bool read_curve(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve,
                       sb_arena *arena, sb_diagnostics *diagnostics)
{
  const judging *j = of;
  const sb_scope scope = sb_results_scope(j->results, arena);
  const bool     read = scope.curve(scope.of, j->whole->cases[row].row, x, y, curve, arena, diagnostics);
  const bool     timely = j->whole->cases[row].timely && !(j->noisy && j->noisy[row]);
  curve->unknown = !j->whole->cases[row].complete || (curve->timed && !timely);
  return read;
}

static void note_reading(void *reader, size_t row, unsigned what)
{
  judging           *j = reader;
  const sb_full_row *c = &j->whole->cases[row];
  if (what & SB_READ_UNKNOWN) j->asked[row] = true;
  if (what == SB_READ_TIME && c->kind <= SB_HAS_TOO_FEW_REPETITIONS) j->timed[c->row] = true;
}

static sb_scope scope_of(judging *j)
{
  return (sb_scope){.rows = j->whole->rows,
                    .taken = j->taken,
                    .times_unknown = j->noisy,
                    .published_dir = j->results->published_dir,
                    .arena = j->arena,
                    .of = j,
                    .curve = read_curve,
                    .reads = note_reading,
                    .reader = j};
}

/* Finds why it is undecided whether the claim is about a case. For a case that it is not about nothing was evaluated,
 * as false and unknown is false. */
static void ask_again(judging *j, sb_diagnostics *why)
{
  const sb_scope scope = scope_of(j);
  memset(j->asked, 0, sb_rows_count(j->whole->rows) * sizeof *j->asked);
  j->taken = sb_expression_taken(j->claim->where, &scope, why);
}

/* Finds the cases that the claim is about, among its own or, with those of -p, of another kind of claim. */
static bool select_cases(judging *j, bool foreign)
{
  sb_diagnostics *why = sb_diagnostics_create();
  char            reason[SB_ERROR_SIZE] = "";
  j->taken = NULL;
  j->with = NULL;
  if (!(j->whole = whole_of(j, foreign)))
    snprintf(reason, sizeof reason, "the cases of the sweep are unknown; springbench check %.160s/sweep.yaml shows why",
             j->results->directory);
  const sb_scope scope = j->whole ? scope_of(j) : (sb_scope){0};
  if (j->whole) j->asked = sb_arena_take(j->arena, sb_rows_count(j->whole->rows), sizeof *j->asked);
  j->timed = sb_arena_take(j->arena, sb_rows_count(j->results->rows), sizeof *j->timed);
  if (j->whole) j->taken = sb_expression_taken(j->claim->where, &scope, why);
  if (j->whole && !j->taken) sb_diagnostics_reason(why, reason, sizeof reason);
  if (j->taken) ask_again(j, why);
  sb_diagnostics_destroy(&why);
  for (size_t i = 0; j->taken && !j->with && i < sb_rows_count(j->whole->rows); ++i)
    if (j->taken[i] != SB_NO && j->whole->cases[i].foreign)
      j->with = sb_full_rows_difference(j->whole, &j->whole->cases[i], j->claim->kind == SB_CLAIM_TIME, j->arena);
  return j->taken || not_tested(j, "%s", reason);
}

static void count_cases(judging *j)
{
  sb_verdict *verdict = j->verdict;
  memset(j->kinds, 0, sizeof j->kinds);
  for (size_t i = 0; i < sb_rows_count(j->whole->rows); ++i) {
    const sb_full_row *c = &j->whole->cases[i];
    if (j->taken[i] == SB_NO) continue;
    verdict->cases++;
    j->kinds[c->kind]++;
  }
  verdict->finished = j->kinds[SB_IS_HERE] + j->kinds[SB_HAS_TOO_FEW_REPETITIONS];
}

/* A published finding is about the sweep as it stands: cases of -p do not answer it. A claim of the sweep's own is
 * judged on them too, and the difference is told beside its values. */
static bool find_cases(judging *j)
{
  const bool answers = j->claim->finding != NULL;
  if (!select_cases(j, !answers)) return false;
  count_cases(j);
  j->instead = NULL;
  if (answers && j->kinds[SB_IS_ABSENT] > 0) { /* in whose place others may be here */
    if (!select_cases(j, true)) return false;
    j->instead = j->with;
    if (!select_cases(j, false)) return false;
  }
  if (j->instead && j->verdict->finished == 0) return not_tested(j, "not comparable: %s", j->instead);
  if (j->verdict->cases > 0) return true;
  return j->claim->where ? not_tested(j, "no case with %s", sb_expression_text(j->claim->where))
                         : not_tested(j, "there are no cases");
}

/* ---- the verdict ---- */

/* "5 are not here, 1 has not run": what is not known of the cases that the claim is about; "" for nothing. */
static const char *tell_missing(const judging *j)
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
    if (j->kinds[kind] == 0) continue;
    told = sb_arena_format(j->arena, "%s%s%zu %s", told, *told ? ", " : "", j->kinds[kind],
                           said[kind][j->kinds[kind] != 1]);
    if (kind == SB_HAS_TOO_FEW_REPETITIONS)
      told = sb_arena_format(j->arena, "%s fewer than the %d times that the sweep requests", told,
                             j->results->sweep->repetitions);
  }
  return told;
}

/* Says why a claim is undecided. It is not tested if cases are missing, or if its test has no answer (not `answered`).
 * If all cases are here it does not hold, as cases that failed, or values that are not finite, cannot decide it later
 * either. A claim that is expected to fail is not tested then: its values did not refute it. */
static void explain_undecided(const judging *j, bool answered, const char *shown, const sb_diagnostics *why)
{
  const char *missing = tell_missing(j);
  size_t      failed = 0, others = 0;
  char        reason[SB_ERROR_SIZE] = "";
  sb_diagnostics_reason(why, reason, sizeof reason);
  for (size_t i = 0; answered && i < sb_rows_count(j->whole->rows); ++i) {
    failed += j->asked[i] && j->whole->cases[i].kind == SB_IS_HERE && !j->whole->cases[i].ok;
    others += j->asked[i] && j->whole->cases[i].kind != SB_IS_HERE;
  }
  if (answered && j->verdict->cases > 1 && j->kinds[SB_IS_ABSENT] == j->verdict->cases) {
    (void)not_tested(j, "none of its %zu cases is here", j->verdict->cases);
  } else if (answered && *missing) {
    (void)not_tested(j, "undecided: of its %zu case%s %s%s%s", j->verdict->cases, j->verdict->cases == 1 ? "" : "s",
                     missing, j->instead ? "; not comparable: " : "", j->instead ? j->instead : "");
  } else if (others > 0) {
    (void)not_tested(j, "undecided: %zu case%s that it compares with %s no result here", others, others == 1 ? "" : "s",
                     others == 1 ? "has" : "have");
  } else if (failed == 0 && *reason) {
    (void)not_tested(j, "%s", reason);
  } else if (failed == 0) {
    j->verdict->kind = j->claim->contradicted ? SB_NOT_TESTED : SB_NOT_REPRODUCED;
    j->verdict->grounds = sb_arena_copy(j->arena, shown);
    j->verdict->reason = "undecided: a decisive value is not finite (a quotient by 0, or the logarithm of 0)";
  } else {
    j->verdict->kind = j->claim->contradicted ? SB_NOT_TESTED : SB_NOT_REPRODUCED;
    j->verdict->reason = sb_arena_format(j->arena,
                                         "undecided: %zu case%s did not end with status ok; write a condition on "
                                         "status to include %s",
                                         failed, failed == 1 ? "" : "s", failed == 1 ? "it" : "them");
  }
}

/* "2 of 7 cases (1 diverged)": the number of cases whose values it used, the number that it is about, and the statuses
 * of the former other than ok. */
static const char *tell_basis(const judging *j)
{
  const sb_verdict *v = j->verdict;
  const char       *separator = " (";
  size_t            of[SB_STATUS_COUNT] = {0}, used = 0;
  sb_arena_writer   writer;
  FILE             *stream = sb_arena_write(&writer, j->arena);
  for (size_t i = 0; j->used && i < sb_rows_count(j->whole->rows); ++i) {
    sb_status      status = SB_OK;
    const sb_value value = sb_rows_get_named(j->whole->rows, i, "status");
    if (!j->used[i] || j->taken[i] == SB_NO || j->whole->cases[i].kind > SB_HAS_TOO_FEW_REPETITIONS) continue;
    used++;
    if (value.kind == SB_WORD && sb_status_from_name(value.word, &status)) of[status]++;
  }
  fprintf(stream, "%zu of %zu case%s", used, v->cases, v->cases == 1 ? "" : "s");
  if (j->results->quick) fprintf(stream, "%squick", separator);
  if (j->results->quick) separator = ", ";
  for (int status = SB_OK + 1; status < SB_STATUS_COUNT; ++status) {
    if (of[status] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, of[status], sb_status_name((sb_status)status));
    separator = ", ";
  }
  fputs(*separator == ',' ? ")" : "", stream);
  return sb_arena_text(&writer);
}

/* Writes a verdict in one line: its values, the cases that refute it, the quality of its times, and the number of cases
 * that it rests on.
 */
static const char *tell(const judging *j)
{
  const sb_verdict *verdict = j->verdict;
  const bool        tested = verdict->kind != SB_NOT_TESTED;
  const char       *noise = tested ? j->times.noise : NULL;
  const char *const parts[][2] = {
      {"", verdict->grounds},
      {"", verdict->refuted},
      {verdict->kind == SB_CONTRADICTION_GONE ? "expected otherwise: " : "", verdict->reason},
      {"with ", tested && j->with ? j->with : ""},
      {"", noise ? noise : ""},
      {"rests on ", tested ? verdict->basis : ""},
  };
  const char *told = "";
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (*parts[i][1]) told = sb_arena_format(j->arena, "%s%s%s%s", told, *told ? "; " : "", parts[i][0], parts[i][1]);
  return told;
}

/* Evaluates the test; false if it has no answer. */
static bool evaluate(judging *j, sb_perhaps *truth, sb_grounds *grounds, sb_diagnostics *why)
{
  const sb_scope scope = scope_of(j);
  const bool     answered = sb_expression_claim(j->claim->test, &scope, truth, grounds, why);
  j->used = grounds->used;
  return answered;
}

/* Evaluates the test again with unknown times of the cases that were timed while the machine was noisy, if all its
 * times are such, or if it failed: noise does not refute a claim, but a quiet case, or another value, may. */
static bool evaluate_without_noise(judging *j, sb_perhaps *truth, sb_grounds *grounds, sb_diagnostics *why)
{
  const sb_times   times = sb_times_of(j->results, j->timed);
  const sb_grounds before = *grounds;
  if (times.noisy == 0 || (times.noisy < times.cases && *truth != SB_NO)) return true;
  j->noisy = sb_arena_take(j->arena, sb_rows_count(j->whole->rows), sizeof *j->noisy);
  for (size_t i = 0; i < sb_rows_count(j->whole->rows); ++i) {
    const sb_full_row *c = &j->whole->cases[i];
    j->noisy[i] = c->kind <= SB_HAS_TOO_FEW_REPETITIONS && sb_row_noisy(j->results->rows, c->row);
  }
  ask_again(j, why);
  if (!evaluate(j, truth, grounds, why)) return false;
  if (times.noisy < times.cases) memcpy(grounds->shown, before.shown, sizeof grounds->shown); /* all its values */
  return true;
}

/* Of a claim that noisy times leave undecided. Names at most three of the cases whose times would decide, if it has
 * quiet ones besides. */
static void explain_noise(judging *j)
{
  const size_t   rows = sb_rows_count(j->whole->rows);
  const sb_times times = sb_times_of(j->results, j->timed);
  size_t         count = 0, shown = 0, *among = sb_arena_take(j->arena, rows, sizeof *among);
  const char    *names = "";
  for (size_t i = 0; i < rows; ++i)
    if (j->taken[i] != SB_NO) among[count++] = i;
  for (size_t i = 0; i < rows && shown <= NOISY_MAX; ++i) {
    if (!j->asked[i] || !j->noisy[i]) continue;
    const char *name = shown == NOISY_MAX ? "…" : sb_rows_name(j->whole->rows, i, among, count, j->arena);
    names = sb_arena_format(j->arena, "%s%s%s", names, shown++ > 0 ? ", " : "", name);
  }
  if (times.noisy == times.cases)
    (void)not_tested(j, "its times decide nothing: %s", j->times.noise);
  else
    (void)not_tested(j, "undecided without the times of noisy cases (%s): %s; %s", names, j->times.noise,
                     j->times.again);
}

static void decide(judging *j)
{
  sb_diagnostics *why = sb_diagnostics_create();
  sb_verdict     *verdict = j->verdict;
  sb_perhaps      truth = SB_PERHAPS;
  sb_grounds      grounds = {.shown = ""};
  bool            answered = evaluate(j, &truth, &grounds, why);
  j->times = sb_timing_notes_of(j->results, j->timed, false, j->arena);
  if (answered && truth != SB_PERHAPS) answered = evaluate_without_noise(j, &truth, &grounds, why);
  const bool holds = truth == SB_YES;
  if (answered && j->noisy && truth == SB_PERHAPS) {
    explain_noise(j);
  } else if (!answered || truth == SB_PERHAPS) {
    explain_undecided(j, answered, grounds.shown, why);
  } else if (j->times.origins) { /* such times say nothing of each other */
    (void)not_tested(j, "its times are from several builds or machines: %s", j->times.origins);
  } else {
    verdict->grounds = sb_arena_copy(j->arena, grounds.shown);
    verdict->refuted = grounds.refuted;
    verdict->margin = grounds.margin;
    verdict->kind = holds ? SB_REPRODUCED : SB_NOT_REPRODUCED;
    if (j->claim->contradicted) {
      verdict->kind = holds ? SB_CONTRADICTION_GONE : SB_CONTRADICTED;
      verdict->reason = j->claim->contradicted;
    }
  }
  sb_diagnostics_destroy(&why);
}

static void judge(judging *j)
{
  sb_verdict *verdict = j->verdict;
  *verdict = (sb_verdict){.grounds = "", .refuted = "", .reason = "", .basis = ""};
  j->used = NULL;
  j->noisy = NULL;
  if (find_cases(j)) decide(j);
  verdict->basis = tell_basis(j);
  verdict->told = tell(j);
}

const sb_verdict *sb_results_verdicts(const sb_results *results)
{
  const sb_sweep *sweep = results->sweep;
  if (results->kept->verdicts) return results->kept->verdicts;
  judging     j = {.results = results, .arena = results->session.arena};
  sb_verdict *verdicts = sb_arena_take(j.arena, sweep->claim_count, sizeof *verdicts);
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    j.claim = &sweep->claims[i];
    j.verdict = &verdicts[i];
    judge(&j);
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

void sb_verdicts_count(const sb_results *results, size_t counts[SB_VERDICT_KINDS])
{
  const sb_verdict *verdicts = sb_results_verdicts(results);
  memset(counts, 0, SB_VERDICT_KINDS * sizeof *counts);
  for (size_t i = 0; i < results->sweep->claim_count; ++i) counts[verdicts[i].kind]++;
}

void sb_claims_summarize(const sb_results *results, FILE *stream)
{
  size_t       counts[SB_VERDICT_KINDS];
  const size_t claims = results->sweep->claim_count;
  const char  *separator = ": ";
  sb_verdicts_count(results, counts);
  if (claims > 0) fprintf(stream, "%zu", claims);
  fprintf(stream, "%s claim%s", claims > 0 ? "" : "no", claims == 1 ? "" : "s");
  for (int kind = 0; kind < SB_VERDICT_KINDS; ++kind) {
    if (counts[kind] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, counts[kind], words[kind].word);
    separator = ", ";
  }
}

void sb_claim_write(const sb_claim *claim, const sb_verdict *verdict, FILE *stream)
{
  fprintf(stream, "%s [%s%s%s]", claim->claim, claim->finding ? claim->finding : "", claim->finding ? ", " : "",
          sb_claim_kind_word(claim->kind));
  if (*verdict->told) fprintf(stream, ": %s", verdict->told);
}
