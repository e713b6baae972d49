/* Claims judged against the rows.
 *
 * A claim is not tested when its cases are absent, have not run or died without a result (a blank of theirs would pass
 * for "never", and be left out of a slope), when it needs the whole sweep or trustworthy times and only a quick part
 * ran, or when its expression finds no answer in what there is. One that asks for `status` is about such ends too. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/claim_cases.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"

static const char *const verdict_words[] = {[SB_REPRODUCED] = "reproduced",
                                            [SB_NOT_REPRODUCED] = "NOT REPRODUCED",
                                            [SB_CONTRADICTED] = "contradicted",
                                            [SB_CONTRADICTION_GONE] = "NO LONGER CONTRADICTED",
                                            [SB_NOT_TESTED] = "not tested"};
static const char *const kind_words[] = {
    [SB_CLAIM_EXACT] = "exact", [SB_CLAIM_SHAPE] = "shape", [SB_CLAIM_TIME] = "time"};

__attribute__((format(printf, 3, 4))) static void decide(sb_verdict *verdict, sb_verdict_kind kind, const char *format,
                                                         ...)
{
  va_list arguments;
  va_start(arguments, format);
  verdict->kind = kind;
  vsnprintf(verdict->detail, sizeof verdict->detail, format, arguments);
  va_end(arguments);
}

/* Has no outcome of its own: never started, or stopped from outside. */
static bool is_pending(sb_value status)
{
  sb_status number = SB_OK;
  if (status.kind != SB_WORD || !sb_status_from_name(status.word, &number)) return true;
  return number == SB_CASE_INTERRUPTED;
}

typedef struct {
  size_t all, pending, failed;
} case_counts;

static bool is_failure(sb_value status)
{
  sb_status number = SB_OK;
  return status.kind == SB_WORD && sb_status_from_name(status.word, &number) && !sb_status_is_result(number);
}

static case_counts count_cases(const sb_results *results, const bool *selected)
{
  case_counts counts = {0};
  for (size_t i = 0; i < sb_rows_count(results->rows); ++i) {
    if (!selected[i]) continue;
    const sb_value status = sb_rows_get_named(results->rows, i, "status");
    counts.all++;
    if (is_pending(status))
      counts.pending++;
    else if (is_failure(status))
      counts.failed++;
  }
  return counts;
}

static void look_for_status(void *context, const char *name)
{
  bool *found = context;
  *found = *found || strcmp(name, "status") == 0;
}

static bool asks_for_status(const sb_expression *test)
{
  bool found = false;
  sb_expression_names(test, look_for_status, &found);
  return found;
}

/* Whether there is anything to judge; else the verdict says why not. */
static bool is_testable(const sb_results *results, const sb_claim *claim, const bool *selected, sb_verdict *verdict)
{
  const case_counts cases = count_cases(results, selected);
  if (cases.all == 0 && claim->where)
    decide(verdict, SB_NOT_TESTED, "no case with %.300s", sb_expression_text(claim->where));
  else if (cases.all == 0)
    decide(verdict, SB_NOT_TESTED, "there are no cases");
  else if (cases.pending > 0)
    decide(verdict, SB_NOT_TESTED, "%zu of its %zu cases have not run", cases.pending, cases.all);
  else if (cases.failed > 0 && !asks_for_status(claim->test))
    decide(verdict, SB_NOT_TESTED, "%zu of its %zu cases ended without a result (timeout, oom, crashed or error)",
           cases.failed, cases.all);
  else if (results->quick && claim->full_only)
    decide(verdict, SB_NOT_TESTED, "needs the whole sweep, not --quick");
  else if (results->quick && claim->kind == SB_CLAIM_TIME)
    decide(verdict, SB_NOT_TESTED, "times are not judged with --quick");
  else
    return true;
  return false;
}

static void judge_selected(const sb_results *results, const sb_claim *claim, const bool *selected, sb_verdict *verdict)
{
  sb_scope scope = sb_report_scope(results);
  bool     holds = false;
  char     error[SB_ERROR_SIZE] = "";
  scope.selected = selected;
  if (!is_testable(results, claim, selected, verdict)) return;
  sb_diagnostics *why = sb_diagnostics_create();
  const bool      judged = sb_expression_claim(claim->test, &scope, &holds, &verdict->grounds, why);
  const char     *shown = verdict->grounds.shown;
  sb_diagnostics_reason(why, error, sizeof error);
  sb_diagnostics_destroy(&why);
  if (!judged)
    decide(verdict, SB_NOT_TESTED, "%s", error);
  else if (!claim->contradicted)
    decide(verdict, holds ? SB_REPRODUCED : SB_NOT_REPRODUCED, "%s", shown);
  else if (holds)
    decide(verdict, SB_CONTRADICTION_GONE, "%s; expected otherwise: %.600s", shown, claim->contradicted);
  else
    decide(verdict, SB_CONTRADICTED, "%s; %.600s", shown, claim->contradicted);
}

/* A verdict on times stands, but says what they are worth. */
static void mention_noise(const sb_results *results, const sb_claim *claim, const bool *selected, sb_verdict *verdict)
{
  size_t cases = 0, noisy = 0;
  if (claim->kind != SB_CLAIM_TIME || verdict->kind == SB_NOT_TESTED) return;
  for (size_t i = 0; i < sb_rows_count(results->rows); ++i) {
    if (!selected[i]) continue;
    ++cases;
    noisy += sb_rows_get_named(results->rows, i, "noisy").kind == SB_WORD;
  }
  const size_t length = strlen(verdict->detail);
  if (noisy > 0)
    snprintf(verdict->detail + length, sizeof verdict->detail - length, "%snoisy: %zu of its %zu cases",
             length > 0 ? "; " : "", noisy, cases);
}

/* A published finding is about the sweep as it stands: cases of -p do not answer it. A claim of the sweep's own is
 * judged on them too, and `difference` is told beside its values. */
static bool is_comparable(const sb_results *results, const sb_plan *plan, const sb_claim *claim, bool *selected,
                          sb_verdict *verdict, char difference[SB_DIFFERENCE_SIZE])
{
  const size_t rows = sb_rows_count(results->rows);
  bool        *own = sb_allocate(rows, sizeof *own);
  memcpy(own, selected, rows * sizeof *own);
  const bool none = sb_claim_own_cases(results, plan, claim, own, difference) == 0 && *difference;
  if (claim->finding) memcpy(selected, own, rows * sizeof *own);
  free(own);
  if (none && claim->finding) decide(verdict, SB_NOT_TESTED, "not comparable: %s", difference);
  if (claim->finding) difference[0] = '\0';
  return !none || !claim->finding;
}

static void mention_difference(const char *difference, sb_verdict *verdict)
{
  const size_t length = strlen(verdict->detail);
  if (*difference && verdict->kind != SB_NOT_TESTED)
    snprintf(verdict->detail + length, sizeof verdict->detail - length, "%swith %s", length > 0 ? "; " : "",
             difference);
}

static void judge(const sb_results *results, const sb_plan *own, const sb_claim *claim, sb_verdict *verdict)
{
  char  error[SB_ERROR_SIZE] = "";
  bool *selected = sb_report_select(results, claim->where, error);
  char  difference[SB_DIFFERENCE_SIZE] = "";
  if (!selected)
    decide(verdict, SB_NOT_TESTED, "%s", error);
  else if (is_comparable(results, own, claim, selected, verdict, difference)) {
    judge_selected(results, claim, selected, verdict);
    mention_difference(difference, verdict);
    mention_noise(results, claim, selected, verdict);
  }
}

sb_verdict *sb_claims_judge(const sb_results *results)
{
  const sb_sweep *sweep = results->sweep;
  sb_verdict     *verdicts = sb_allocate(sweep->claim_count, sizeof *verdicts);
  sb_plan        *own = sweep->claim_count > 0 ? sb_claim_own_plan(results) : NULL;
  for (size_t i = 0; i < sweep->claim_count; ++i) judge(results, own, &sweep->claims[i], &verdicts[i]);
  return verdicts;
}

const char *sb_verdict_word(sb_verdict_kind kind) { return verdict_words[kind]; }

const char *sb_claim_kind_word(sb_claim_kind kind) { return kind_words[kind]; }

bool sb_claim_fails(const sb_claim *claim, sb_verdict_kind kind, bool count_time)
{
  if (claim->kind == SB_CLAIM_TIME && !count_time) return false;
  return kind == SB_NOT_REPRODUCED || kind == SB_CONTRADICTION_GONE;
}

static void print_verdict(FILE *stream, const sb_claim *claim, const sb_verdict *verdict, size_t width)
{
  fprintf(stream, "%-*s  %s [%s%s%s]", (int)width, verdict_words[verdict->kind], claim->claim,
          claim->finding ? claim->finding : "", claim->finding ? ", " : "", kind_words[claim->kind]);
  fprintf(stream, "%s%s\n", verdict->detail[0] ? ": " : "", verdict->detail);
}

static void print_summary(FILE *stream, const sb_sweep *sweep, const size_t counts[SB_NOT_TESTED + 1])
{
  const char *separator = " ";
  fprintf(stream, "%s: %zu claim%s:", sweep->name, sweep->claim_count, sweep->claim_count == 1 ? "" : "s");
  for (size_t kind = 0; kind <= SB_NOT_TESTED; ++kind) {
    if (counts[kind] == 0) continue;
    fprintf(stream, "%s%zu %s", separator, counts[kind], verdict_words[kind]);
    separator = ", ";
  }
  fputc('\n', stream);
}

static size_t widest(const sb_verdict *verdicts, size_t count)
{
  size_t width = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t length = strlen(verdict_words[verdicts[i].kind]);
    if (length > width) width = length;
  }
  return width;
}

size_t sb_verify(const sb_results *results, FILE *stream, bool count_time)
{
  const sb_sweep *sweep = results->sweep;
  size_t          counts[SB_NOT_TESTED + 1] = {0}, failed = 0;
  sb_verdict     *verdicts = sb_claims_judge(results);
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    counts[verdicts[i].kind]++;
    failed += sb_claim_fails(&sweep->claims[i], verdicts[i].kind, count_time);
    print_verdict(stream, &sweep->claims[i], &verdicts[i], widest(verdicts, sweep->claim_count));
  }
  if (sweep->claim_count == 0)
    fprintf(stream, "%s: no claims\n", sweep->name);
  else
    print_summary(stream, sweep, counts);
  free(verdicts);
  return failed;
}
