/* Claims judged; see claims.h.
 *
 * A claim is not tested when its cases are absent, have not run or died without a result (a blank of theirs would pass
 * for "never", and be left out of a slope), when it needs all of its cases and some are not here, when its times were
 * taken less often than the sweep asks for, when the times it reads are of several builds or machines or of a case that
 * did not end ok, or when its expression finds no answer in what there is. One that asks for `status` is about cases
 * without a result too. */
#include "harness/results/claims.h"

#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "harness/common/text.h"
#include "harness/results/times.h"

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
  sb_rows          *planned; /* [own->count] their options; NULL where all of them are present */
  const sb_claim   *claim;
  bool             *selected; /* [rows] the cases that the claim is about */
  bool             *timed;    /* [rows] those whose times it has read */
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

/* An option that only one of them has says nothing, and one that is not of the key tells no cases apart. */
static bool is_alike(const sb_options *a, const sb_options *b, sb_option_id id, bool timed)
{
  const bool tells =
      !(sb_option_at(id)->traits & SB_NOT_IN_KEY) && (timed || (id != SB_OPT_ranks && id != SB_OPT_threads));
  return !tells || !sb_options_has(a, id) || !sb_options_has(b, id) ||
         strcmp(sb_options_text(a, id), sb_options_text(b, id)) == 0;
}

static bool is_same(const sb_options *a, const sb_options *b, bool timed)
{
  for (int id = 0; id < SB_OPT_COUNT; ++id)
    if (!is_alike(a, b, (sb_option_id)id, timed)) return false;
  return true;
}

/* Finds which of the sweep's cases each one here is, and what is known of those before they run, to see which of them
 * that are not here a claim would be about. */
static void compare_with_sweep(judging *j)
{
  const sb_rows *rows = j->results->rows;
  const sb_plan *stored = j->results->plan, *own = NULL;
  bool           complete = true;
  if (stored && stored->count > 0 && stored->count == sb_rows_count(rows)) own = sb_results_made_plan(j->results);
  j->own = own;
  if (!own) return;
  json_t *numbers = json_object();
  j->twin = sb_arena_take(j->arena, stored->count, sizeof *j->twin);
  j->present = sb_arena_take(j->arena, own->count, sizeof *j->present);
  for (size_t k = 0; k < own->count; ++k) json_object_set_new(numbers, own->cases[k].key, json_integer((json_int_t)k));
  for (size_t i = 0; i < stored->count; ++i) {
    const json_t *same = json_object_get(numbers, stored->cases[i].key);
    j->twin[i] = same ? (long)json_integer_value(same) : NONE;
    for (size_t k = 0; k < own->count && j->twin[i] == NONE; ++k)
      if (is_same(stored->cases[i].options, own->cases[k].options, false)) j->twin[i] = (long)k;
    if (j->twin[i] != NONE) j->present[j->twin[i]] = true;
  }
  json_decref(numbers);
  for (size_t k = 0; k < own->count; ++k) complete = complete && j->present[k];
  if (complete) return;
  j->planned = sb_rows_create(j->arena);
  for (size_t i = 0; i < own->count; ++i) sb_rows_add_row(j->planned);
  for (size_t a = 0; a < own->axis_count; ++a) {
    const size_t column = sb_rows_add_column(j->planned, own->axes[a], "", true, false);
    for (size_t i = 0; i < own->count; ++i)
      sb_rows_set(j->planned, i, column, sb_case_value(&own->cases[i], own->axes[a]));
  }
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c) {
    const char *name = sb_rows_column_at(rows, c)->name;
    if (sb_rows_column_find(j->planned, name) == (size_t)-1)
      sb_rows_add_unknown(j->planned, name, SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH);
  }
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
  const char     *separator = "";
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, j->arena);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const char *own = NULL;
    bool        found = !sb_options_has(given, id) || sb_options_origin(given, id) != SB_FROM_USER;
    for (size_t k = 0; k < j->own->count && !found; ++k) {
      const sb_options *options = j->own->cases[k].options;
      found = is_alike(given, options, id, j->claim->kind == SB_CLAIM_TIME);
      if (!own && !found) own = sb_options_text(options, id);
    }
    if (found) continue;
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
  const bool     timed = j->claim->kind == SB_CLAIM_TIME;
  const char    *difference = NULL;
  size_t         kept = 0;
  for (size_t i = 0; j->own && i < stored->count; ++i) {
    if (!j->selected[i]) continue;
    const long twin = j->twin[i];
    if (twin != NONE && (!timed || is_same(stored->cases[i].options, j->own->cases[twin].options, true))) {
      kept++;
      continue;
    }
    if (!difference) difference = difference_of(j, stored->cases[i].options);
    if (j->claim->finding) j->selected[i] = false;
  }
  if (!j->claim->finding) j->with = difference;
  if (difference && j->claim->finding && kept == 0) return not_tested(j, "not comparable: %s", difference);
  return true;
}

/* ---- the verdict ---- */

static void look_for_status(void *context, const char *name)
{
  bool *found = context;
  *found = *found || strcmp(name, "status") == 0;
}

static bool is_testable(const judging *j)
{
  const sb_claim   *claim = j->claim;
  const sb_results *results = j->results;
  const sb_tally    tally = sb_tally_of(results->rows, j->selected);
  const size_t      absent = count_absent(j);
  bool              asks_for_status = false;
  size_t            seldom = 0; /* timed less often than the sweep asks for */
  sb_expression_names(claim->test, look_for_status, &asks_for_status);
  j->verdict->cases = tally.cases;
  j->verdict->finished = tally.cases - tally.pending - tally.failed;
  j->verdict->absent = absent;
  j->verdict->noisy = tally.noisy;
  for (size_t row = 0; claim->kind == SB_CLAIM_TIME && results->repetitions && row < results->plan->count; ++row) {
    const sb_value status = sb_rows_get_named(results->rows, row, "status");
    const int      times = results->repetitions[row];
    const bool     ok = status.kind == SB_WORD && strcmp(status.word, sb_status_name(SB_OK)) == 0;
    seldom += j->selected[row] && ok && times > 0 && times < results->sweep->repetitions;
  }
  if (tally.cases == 0 && claim->where) return not_tested(j, "no case with %s", sb_expression_text(claim->where));
  if (tally.cases == 0) return not_tested(j, "there are no cases");
  if (tally.pending > 0) return not_tested(j, "%zu of its %zu cases have not run", tally.pending, tally.cases);
  if (tally.failed > 0 && !asks_for_status)
    return not_tested(j, "%zu of its %zu cases ended without a result (timeout, oom, crashed or error)", tally.failed,
                      tally.cases);
  if (claim->full_only && absent > 0)
    return not_tested(j, "needs all of its %zu cases, of which %zu %s not here", tally.cases + absent, absent,
                      absent == 1 ? "is" : "are");
  if (claim->full_only && !j->own && results->quick) return not_tested(j, "needs the whole sweep, not --quick");
  if (seldom > 0)
    return not_tested(j, "%zu of its %zu cases were timed fewer than the %d times that the sweep asks for", seldom,
                      tally.cases, results->sweep->repetitions);
  return true;
}

static void note_time(void *timed, size_t row, bool time)
{
  if (time) ((bool *)timed)[row] = true;
}

/* Times of two builds say nothing of each other; and who misses what was asked for is quick at something else, unless
 * the claim is about how cases end. */
static bool has_fair_times(const judging *j)
{
  const sb_times times = sb_times_of(j->results, j->timed);
  bool           asks_for_status = false;
  sb_expression_names(j->claim->test, look_for_status, &asks_for_status);
  if (times.origins > 1)
    return not_tested(j, "its times are not of one build and machine: %s",
                      sb_times_origins(j->results, j->timed, j->arena));
  if (times.failed > 0 && !asks_for_status)
    return not_tested(j, "%zu of the %zu cases whose times it compares did not end ok", times.failed, times.cases);
  return true;
}

/* A verdict on times stands, but says what they are worth. */
static const char *tell(const judging *j)
{
  const sb_verdict *verdict = j->verdict;
  const bool        tested = verdict->kind != SB_NOT_TESTED;
  const sb_times    times = sb_times_of(j->results, j->timed);
  const char       *noise = tested ? sb_noise_note(j->arena, &j->results->floor, times.noisy, times.cases) : NULL;
  const char *const parts[][2] = {
      {"", verdict->grounds},
      {verdict->kind == SB_CONTRADICTION_GONE ? "expected otherwise: " : "", verdict->reason},
      {"with ", tested && j->with ? j->with : ""},
      {"", noise ? noise : ""},
  };
  const char *told = "";
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (*parts[i][1]) told = sb_arena_format(j->arena, "%s%s%s%s", told, *told ? "; " : "", parts[i][0], parts[i][1]);
  return told;
}

static void judge(judging *j)
{
  sb_diagnostics *why = sb_diagnostics_create();
  sb_verdict     *verdict = j->verdict;
  sb_grounds      grounds = {.shown = ""};
  sb_scope        scope = sb_results_scope(j->results, j->arena);
  bool            holds = false;
  *verdict = (sb_verdict){.grounds = "", .reason = ""};
  j->with = NULL;
  scope.selected = j->selected = sb_expression_select(j->claim->where, &scope, why);
  scope.reader = j->timed = sb_arena_take(j->arena, sb_rows_count(j->results->rows), sizeof *j->timed);
  scope.reads = note_time;
  const bool testable = j->selected && keep_own_cases(j) && is_testable(j);
  const bool judged = testable && sb_expression_claim(j->claim->test, &scope, &holds, &grounds, why);
  if (judged && has_fair_times(j)) {
    verdict->grounds = sb_arena_copy(j->arena, grounds.shown);
    verdict->margin = grounds.margin;
    verdict->kind = holds ? SB_REPRODUCED : SB_NOT_REPRODUCED;
    if (j->claim->contradicted) {
      verdict->kind = holds ? SB_CONTRADICTION_GONE : SB_CONTRADICTED;
      verdict->reason = j->claim->contradicted;
    }
  } else if ((testable && !judged) || !j->selected) { /* an expression has no answer */
    char reason[SB_ERROR_SIZE] = "";
    sb_diagnostics_reason(why, reason, sizeof reason);
    (void)not_tested(j, "%s", reason);
  }
  verdict->told = tell(j);
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
