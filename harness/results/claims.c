/* Claims judged; see claims.h.
 *
 * A claim is not tested when its cases are absent, have not run or died without a result (a blank of theirs would pass
 * for "never", and be left out of a slope), when it needs all of its cases and some are not here, when its times were
 * taken less often than the sweep asks for, or when its expression finds no answer in what there is. One that asks for
 * `status` is about cases without a result too. */
#include "harness/results/claims.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "harness/common/text.h"
#include "harness/results/tally.h"

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

enum { NONE = -1 };

/* One claim on its way to a verdict. */
typedef struct {
  const sb_results *results;
  sb_arena         *arena;
  const sb_plan    *own;     /* the cases that the sweep file makes; NULL where that cannot be told */
  long             *twin;    /* [rows] which of them each case here is; NONE */
  bool             *present; /* [own->count] some case here is that one */
  const sb_rows    *planned; /* [own->count] their options; NULL where all of them are present */
  const sb_claim   *claim;
  bool             *selected; /* [rows] the cases that the claim is about */
  const char       *with;     /* how cases that the sweep does not make differ from its own; NULL: there are none */
  sb_verdict       *verdict;
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

/* ---- the cases of the sweep itself ----
 *
 * A key changes when a later version knows an option more, of which both cases have the default: then cases are
 * compared by their options. How many ranks and threads a case ran on makes a difference to claims on times alone. */

/* An option that only one of them has says nothing. */
static bool is_alike(const sb_options *a, const sb_options *b, sb_option_id id)
{
  return !sb_options_has(a, id) || !sb_options_has(b, id) ||
         strcmp(sb_options_text(a, id), sb_options_text(b, id)) == 0;
}

static bool tells_apart(sb_option_id id, bool timed)
{
  return !(sb_option_at(id)->traits & SB_NOT_IN_KEY) && (timed || (id != SB_OPT_ranks && id != SB_OPT_threads));
}

static bool is_same(const sb_options *a, const sb_options *b, bool timed)
{
  for (int id = 0; id < SB_OPT_COUNT; ++id)
    if (tells_apart((sb_option_id)id, timed) && !is_alike(a, b, (sb_option_id)id)) return false;
  return true;
}

static void find_twins(judging *j)
{
  const sb_plan *stored = j->results->plan;
  json_t        *numbers = json_object();
  j->twin = sb_arena_take(j->arena, stored->count, sizeof *j->twin);
  j->present = sb_arena_take(j->arena, j->own->count, sizeof *j->present);
  for (size_t k = 0; k < j->own->count; ++k)
    json_object_set_new(numbers, j->own->cases[k].key, json_integer((json_int_t)k));
  for (size_t i = 0; i < stored->count; ++i) {
    const json_t *same = json_object_get(numbers, stored->cases[i].key);
    j->twin[i] = same ? (long)json_integer_value(same) : NONE;
    for (size_t k = 0; k < j->own->count && j->twin[i] == NONE; ++k)
      if (is_same(stored->cases[i].options, j->own->cases[k].options, false)) j->twin[i] = (long)k;
    if (j->twin[i] != NONE) j->present[j->twin[i]] = true;
  }
  json_decref(numbers);
}

/* The sweep's cases before they run, to see which of those that are not here a claim would be about: options are known,
 * results are not. */
static const sb_rows *planned_rows(const judging *j)
{
  const unsigned any = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH;
  const sb_plan *plan = j->own;
  sb_rows       *rows = sb_rows_create(j->arena);
  for (size_t a = 0; a < plan->axis_count; ++a) sb_rows_add_column(rows, plan->axes[a], "", true, false);
  for (size_t c = 0; c < sb_rows_column_count(j->results->rows); ++c) {
    const char *name = sb_rows_column_at(j->results->rows, c)->name;
    if (sb_rows_column_find(rows, name) == (size_t)-1) sb_rows_add_unknown(rows, name, any);
  }
  for (size_t i = 0; i < plan->count; ++i) {
    sb_rows_add_row(rows);
    for (size_t a = 0; a < plan->axis_count; ++a)
      sb_rows_set(rows, i, a, sb_case_value(&plan->cases[i], plan->axes[a]));
  }
  return rows;
}

static void compare_with_sweep(judging *j)
{
  const sb_plan *stored = j->results->plan;
  if (!stored || stored->count == 0 || stored->count != sb_rows_count(j->results->rows)) return;
  j->own = sb_results_made_plan(j->results);
  if (!j->own) return;
  find_twins(j);
  for (size_t k = 0; k < j->own->count && !j->planned; ++k)
    if (!j->present[k]) j->planned = planned_rows(j);
}

/* Counts the cases of the sweep that the claim is about, or may be about, and that are not here. */
static size_t count_absent(const judging *j)
{
  const sb_expression *where = j->claim->where;
  const sb_scope       scope = {.rows = j->planned, .published_dir = j->results->published_dir, .arena = j->arena};
  size_t               absent = 0;
  for (size_t k = 0; j->planned && k < j->own->count; ++k) {
    sb_value about = {.kind = SB_UNKNOWN};
    if (j->present[k] || j->own->cases[k].skipped) continue;
    if (where && !sb_expression_value(where, &scope, k, &about, NULL)) about.kind = SB_UNKNOWN;
    absent += about.kind == SB_UNKNOWN || (about.kind == SB_TRUTH && about.truth);
  }
  return absent;
}

/* Names the options of which the sweep has no such value: "substeps=5000 in place of 64". Time that a scene derives
 * from another option is told by what was given. */
static const char *difference_of(const judging *j, const sb_options *given)
{
  const bool      timed = j->claim->kind == SB_CLAIM_TIME;
  const char     *separator = "";
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, j->arena);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const char *own = NULL;
    bool        found = !tells_apart(id, timed) || !sb_options_has(given, id);
    for (size_t k = 0; k < j->own->count && !found; ++k) {
      const sb_options *options = j->own->cases[k].options;
      found = is_alike(given, options, id);
      if (!own && !found) own = sb_options_text(options, id);
    }
    if (found || sb_options_origin(given, id) != SB_FROM_USER) continue;
    fprintf(stream, "%s%s=%.40s in place of %.40s", separator, sb_option_at(id)->name, sb_options_text(given, id), own);
    separator = ", ";
  }
  if (!*separator) fputs("values in another combination than the sweep's", stream);
  return sb_arena_text(&writer);
}

/* A published finding is about the sweep as it stands: cases of -p do not answer it. A claim of the sweep's own is
 * judged on them too, and the difference is told beside its values. */
static bool keep_own_cases(judging *j)
{
  const sb_plan *stored = j->results->plan;
  const char    *difference = NULL;
  size_t         own = 0;
  for (size_t i = 0; j->own && i < stored->count; ++i) {
    if (!j->selected[i]) continue;
    const long twin = j->twin[i];
    if (twin != NONE &&
        (j->claim->kind != SB_CLAIM_TIME || is_same(stored->cases[i].options, j->own->cases[twin].options, true))) {
      own++;
      continue;
    }
    if (!difference) difference = difference_of(j, stored->cases[i].options);
    if (j->claim->finding) j->selected[i] = false;
  }
  if (difference && !j->claim->finding) j->with = difference;
  if (difference && j->claim->finding && own == 0) return not_tested(j, "not comparable: %s", difference);
  return true;
}

/* ---- the verdict ---- */

/* The expression cannot be evaluated. */
static void has_no_answer(const judging *j, const sb_diagnostics *diagnostics)
{
  char reason[SB_ERROR_SIZE] = "";
  sb_diagnostics_reason(diagnostics, reason, sizeof reason);
  (void)not_tested(j, "%s", reason);
}

static void evaluate(const judging *j, sb_diagnostics *why)
{
  bool       holds = false;
  sb_grounds grounds = {.shown = ""};
  sb_scope   scope = sb_results_scope(j->results, j->arena);
  scope.selected = j->selected;
  if (!sb_expression_claim(j->claim->test, &scope, &holds, &grounds, why)) {
    has_no_answer(j, why);
    return;
  }
  j->verdict->grounds = sb_arena_copy(j->arena, grounds.shown);
  j->verdict->margin = grounds.margin;
  if (j->claim->contradicted) {
    j->verdict->kind = holds ? SB_CONTRADICTION_GONE : SB_CONTRADICTED;
    j->verdict->reason = j->claim->contradicted;
  } else
    j->verdict->kind = holds ? SB_REPRODUCED : SB_NOT_REPRODUCED;
}

/* Counts, for a claim on times, the cases that were timed less often than the sweep asks for. */
static size_t count_timed_seldom(const judging *j)
{
  size_t seldom = 0;
  if (j->claim->kind != SB_CLAIM_TIME || !j->results->repetitions) return 0;
  for (size_t row = 0; row < j->results->plan->count; ++row) {
    const sb_value status = sb_rows_get_named(j->results->rows, row, "status");
    const int      times = j->results->repetitions[row];
    if (!j->selected[row] || status.kind != SB_WORD || strcmp(status.word, sb_status_name(SB_OK)) != 0) continue;
    seldom += times > 0 && times < j->results->sweep->repetitions;
  }
  return seldom;
}

static void look_for_status(void *context, const char *name)
{
  bool *found = context;
  *found = *found || strcmp(name, "status") == 0;
}

static bool is_testable(const judging *j)
{
  const sb_claim *claim = j->claim;
  const sb_tally  tally = sb_tally_of(j->results->rows, j->selected);
  const size_t    absent = count_absent(j), seldom = count_timed_seldom(j);
  bool            asks_for_status = false;
  sb_expression_names(claim->test, look_for_status, &asks_for_status);
  j->verdict->cases = tally.cases;
  j->verdict->finished = tally.cases - tally.pending - tally.failed;
  j->verdict->absent = absent;
  j->verdict->noisy = tally.noisy;
  if (tally.cases == 0 && claim->where) return not_tested(j, "no case with %s", sb_expression_text(claim->where));
  if (tally.cases == 0) return not_tested(j, "there are no cases");
  if (tally.pending > 0) return not_tested(j, "%zu of its %zu cases have not run", tally.pending, tally.cases);
  if (tally.failed > 0 && !asks_for_status)
    return not_tested(j, "%zu of its %zu cases ended without a result (timeout, oom, crashed or error)", tally.failed,
                      tally.cases);
  if (claim->full_only && absent > 0)
    return not_tested(j, "needs all of its %zu cases, of which %zu %s not here", tally.cases + absent, absent,
                      absent == 1 ? "is" : "are");
  if (claim->full_only && !j->own && j->results->quick) return not_tested(j, "needs the whole sweep, not --quick");
  if (seldom > 0)
    return not_tested(j, "%zu of its %zu cases were timed fewer than the %d times that the sweep asks for", seldom,
                      tally.cases, j->results->sweep->repetitions);
  return true;
}

/* A verdict on times stands, but says what they are worth. */
static const char *tell(const judging *j)
{
  const sb_verdict *verdict = j->verdict;
  const bool        tested = verdict->kind != SB_NOT_TESTED;
  const char       *noise =
      tested && j->claim->kind == SB_CLAIM_TIME ? sb_noise_note(j->arena, verdict->noisy, verdict->cases) : NULL;
  const char *const parts[][2] = {
      {"", verdict->grounds},
      {verdict->kind == SB_CONTRADICTION_GONE ? "expected otherwise: " : "", verdict->reason},
      {"with ", tested && j->with ? j->with : ""},
      {"", noise ? noise : ""},
  };
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, j->arena);
  const char     *separator = "";
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    if (!*parts[i][1]) continue;
    fprintf(stream, "%s%s%s", separator, parts[i][0], parts[i][1]);
    separator = "; ";
  }
  return sb_arena_text(&writer);
}

static void judge(judging *j)
{
  sb_diagnostics *why = sb_diagnostics_create();
  const sb_scope  scope = sb_results_scope(j->results, j->arena);
  *j->verdict = (sb_verdict){.grounds = "", .reason = ""};
  j->with = NULL;
  j->selected = sb_expression_select(j->claim->where, &scope, why);
  if (!j->selected)
    has_no_answer(j, why);
  else if (keep_own_cases(j) && is_testable(j))
    evaluate(j, why);
  j->verdict->told = tell(j);
  sb_diagnostics_destroy(&why);
}

const sb_verdict *sb_results_verdicts(const sb_results *results)
{
  const sb_sweep *sweep = results->sweep;
  if (results->kept->verdicts) return results->kept->verdicts;
  judging     j = {.results = results, .arena = results->session.arena};
  sb_verdict *verdicts = sb_arena_take(j.arena, sweep->claim_count, sizeof *verdicts);
  if (sweep->claim_count > 0) compare_with_sweep(&j);
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
