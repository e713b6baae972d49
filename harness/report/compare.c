/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison of B with A; see compare.h.
 *
 * Cases without a counterpart of the same key are matched by the options that vary in either side. If `method` names
 * sets of options, the name means the options it sets.
 *
 * A time counts as changed if the interval of its ratio does not contain 1 and the ratio is beyond the noise floor. It
 * counts as a regression if the whole interval is beyond 1 + threshold: among hundreds of cases some intervals miss 1
 * by chance, few miss it by the threshold. The mean over all cases is judged in the same way, so that many small losses
 * are detected even if none is certain. A time from a noisy machine does not count: two runs of one program may differ
 * so much. Nor does a time of a case that did not end ok on some side, unless both ended alike and did the same work: a
 * case that misses its goal is fast at something else. */
#include "harness/report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest_name.h"
#include "base/option_ids.h"
#include "base/random.h"
#include "base/words.h"
#include "cases/common/exit_status.h"
#include "cases/common/json_text.h"
#include "cases/store/case_file.h"
#include "cases/store/case_row.h"
#include "harness/report/ratio.h"
#include "harness/report/report_text.h"
#include "harness/report/table.h"
#include "harness/results/results.h"
#include "harness/results/timing_notes.h"

enum { ONLY_SHOWN = 10 };

/* Which results the cases of a side come from; of several "; " between them, "" when not known. */
enum { BUILD, MACHINE, HOST, ORIGINS };
static const char *const origin_names[ORIGINS] = {"build", "machine", "host"};

typedef struct {
  sb_results *results;
  const char *origins[ORIGINS];
  size_t      rows, damaged; /* damaged: requested case files that did not match their checksum */
  bool       *paired;        /* [rows] */
} one_side;

/* These are the things that a pair of cases can be. Those from WORSE_TIME on make it a regression. */
enum {
  BY_KEY,
  SLOWER,
  FASTER,
  SAME,
  BITS_EQUAL,
  BITS_DIFFER,
  STATUS_CHANGED,
  ACCURACY_CHANGED,
  WORSE,
  NOISY,          /* timed while the machine was not quiet, on either side */
  UNDECIDED,      /* slower as a regression is, but noisy: that decides nothing */
  UNFAIR,         /* timed, but on some side it did not end ok, and the two did not do the same work */
  WORSE_TIME,     /* slower by more than the threshold, by all of its interval, on quiet machines */
  WORSE_STATUS,   /* ended worse, or not at all */
  WORSE_ACCURACY, /* met its tolerances and does not */
  WORSE_BITS,     /* same key, build and machine, other digest; or any other digest with --bitwise */
  FACTS
};
static const char *const fact_names[FACTS] = {"by_key",     "slower",      "faster",         "same",
                                              "bits_equal", "bits_differ", "status_changed", "accuracy_changed",
                                              "worse",      "noisy",       "not_decided",    "not_compared",
                                              "time",       "status",      "accuracy",       "bits"};

/* A case in A and in B. */
typedef struct {
  size_t      row[2];
  bool        fact[FACTS];
  sb_ratio    time;
  int64_t     equal_until; /* the last step recorded by both whose state is the same bit for bit; -1: none */
  int64_t     differs_at;  /* the first whose state is not; -1: none */
  const char *column;      /* that differs most, not counting timings; NULL: none differs */
  double      difference;  /* of it: |b − a|/max(|a|, |b|); INFINITY if one of them is not a number */
} case_pair;

typedef struct {
  sb_arena                 *arena; /* the session's, in which all of it lives */
  sb_diagnostics           *diagnostics;
  const sb_compare_request *request;
  one_side                  side[2];
  double                    floor; /* the noise floor of the pairs that were timed, as part of their times; 0: none */
  sb_names                  identities; /* options that distinguish cases: those that vary */
  json_t                   *settings;   /* options whose values differ between paired cases: name -> [of A, of B] */
  size_t                    count;
  case_pair                *pairs;           /* regressions first, then the largest changes */
  size_t                    count_of[FACTS]; /* pairs of each fact */
  sb_ratio                  mean;            /* geometric, over the pairs timed on both sides */
  bool                      markdown, mean_is_worse, mean_is_undecided, other_machine, one_repetition;
} comparison;

/* ---- the two sides ---- */

/* An option or a column of a case, also an option that does not vary; as a word, "" if it is not one. */
static sb_value value_of(const comparison *c, int s, size_t row, const char *name)
{
  return sb_report_value(c->side[s].results, row, name);
}

static const char *word_of(const comparison *c, int s, size_t row, const char *name)
{
  return sb_report_word(c->side[s].results, row, name);
}

static const json_t *event_of(const comparison *c, int s, size_t row)
{
  return json_object_get(c->side[s].results->journal.cases, c->side[s].results->plan->cases[row].key);
}

/* The options that distinguish a case from others: "grid=8, integrator=verlet"; "" if nothing varies. */
static const char *options_of(const comparison *c, int s, size_t row)
{
  const char *text = "";
  for (size_t i = 0; i < c->identities.count; ++i) {
    const char    *name = c->identities.names[i];
    const sb_value value = value_of(c, s, row, name);
    if (value.kind != SB_BLANK)
      text = sb_arena_join(c->arena, text, ", ", "%s=%s", name, sb_value_text(c->arena, value));
  }
  return text;
}

static const char *name_of(const comparison *c, int s, size_t row)
{
  const char *options = options_of(c, s, row);
  return *options ? options : word_of(c, s, row, "key");
}

static bool open_side(comparison *c, int s, const sb_session *session)
{
  one_side *side = &c->side[s];
  side->results = sb_results_open(c->request->paths[s], session);
  if (!side->results) return false;
  side->rows = sb_rows_count(side->results->rows);
  side->paired = sb_arena_take(c->arena, side->rows, sizeof *side->paired);
  for (int i = 0; i < ORIGINS; ++i) {
    const json_t *runs = side->results->journal.runs;
    const size_t  count = i == HOST ? json_array_size(runs) : side->results->plan->count;
    sb_names      words = {0};
    for (size_t e = 0; e < count; ++e) {
      const json_t *event = i == HOST ? json_array_get(runs, e) : event_of(c, s, e);
      const char   *word = json_string_value(json_object_get(event, origin_names[i]));
      if (word) sb_names_add(c->arena, &words, word);
    }
    side->origins[i] = sb_names_join(c->arena, &words, "; ", words.count);
  }
  return true;
}

static bool columns_exist(const comparison *c)
{
  const sb_rows *rows = c->side[0].results->rows;
  const size_t   known = sb_rows_column_count(rows);
  const char   **names = sb_arena_take(c->arena, known, sizeof *names);
  bool           good = true;
  for (size_t k = 0; k < known; ++k) names[k] = sb_rows_column_at(rows, k)->name;
  for (size_t i = 0; i < c->request->column_count; ++i) {
    const char *name = c->request->columns[i];
    if (sb_rows_column_find(rows, name) != (size_t)-1) continue;
    const char *near = sb_nearest_name(name, names, known);
    good = sb_error_at(c->diagnostics, (sb_location){c->request->paths[0], 0, 0}, "E101", "it has no column '%s'%s%s%s",
                       name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
  }
  return good;
}

/* ---- which case of A is which of B ---- */

/* An option that varies on either side distinguishes cases, unless the name of a method implies it on both sides. */
static bool tells_apart(const comparison *c, const char *name)
{
  bool varies = false, methods = true, by_axis = false, by_method = false;
  for (int s = 0; s < 2; ++s) {
    const sb_results *results = c->side[s].results;
    varies = varies || sb_report_varies(results, name);
    methods = methods && sb_rows_column_find(results->rows, "method") != (size_t)-1;
    by_axis = by_axis || sb_report_is_set(results->sweep, SB_SET_BY_AXIS, name);
    by_method = by_method || sb_report_is_set(results->sweep, SB_SET_BY_METHOD, name);
  }
  return varies && (!methods || by_axis || !by_method);
}

/* Pairs rows of the same name. Rows that share a name on one side are not paired. */
static void pair_up(comparison *c, bool by_key)
{
  json_t     *rows[2] = {json_object(), json_object()}, *row = NULL; /* name -> row, -1: several */
  const char *name = NULL;
  for (int s = 0; s < 2; ++s)
    for (size_t i = 0; i < c->side[s].rows; ++i) {
      if (c->side[s].paired[i]) continue;
      name = by_key ? word_of(c, s, i, "key") : options_of(c, s, i);
      json_object_set_new(rows[s], name, json_integer(json_object_get(rows[s], name) ? -1 : (json_int_t)i));
    }
  json_object_foreach(rows[0], name, row)
  {
    const json_t    *found = json_object_get(rows[1], name);
    const json_int_t a = json_integer_value(row), b = found ? json_integer_value(found) : -1;
    if (a < 0 || b < 0) continue;
    c->side[0].paired[a] = c->side[1].paired[b] = true;
    *SB_NEW_ITEM(c->arena, c->pairs, c->count) =
        (case_pair){.row = {(size_t)a, (size_t)b}, .fact[BY_KEY] = by_key, .equal_until = -1, .differs_at = -1};
  }
  json_decref(rows[0]);
  json_decref(rows[1]);
}

/* If a file has one name and two contents, the setting differs; the message shows both digests. The digest of a mesh is
 * followed by that of its side file, and a plug-in's options by those of their files: the first that differs is shown.
 */
static void note_inputs(comparison *c, const case_pair *pair)
{
  const sb_planned_case *of[2];
  for (int s = 0; s < 2; ++s) of[s] = &c->side[s].results->plan->cases[pair->row[s]];
  for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k) {
    const sb_option_id id = sb_input_options[k];
    const char        *name = sb_option_at(id)->name, *path = sb_options_text(of[0]->options, id);
    const char        *a = of[0]->inputs[k], *b = of[1]->inputs[k];
    if (!a || !b || strcmp(a, b) == 0 || json_object_get(c->settings, name)) continue;
    size_t start = 0;
    for (size_t i = 0; a[i] && a[i] == b[i]; ++i)
      if (a[i] == '+' || a[i] == '@') start = i + 1;
    json_object_set_new(c->settings, name,
                        json_pack("[o, o]", json_sprintf("%s (digest %.12s…)", path, a + start),
                                  json_sprintf("%s (digest %.12s…)", path, b + start)));
  }
}

static bool match(comparison *c)
{
  for (int s = 0; s < 2; ++s)
    for (size_t i = 0; i < sb_rows_column_count(c->side[s].results->rows); ++i) {
      const sb_rows_column *column = sb_rows_column_at(c->side[s].results->rows, i);
      if (column->is_option && tells_apart(c, column->name)) sb_names_add(c->arena, &c->identities, column->name);
    }
  pair_up(c, true);
  pair_up(c, false);
  for (size_t i = 0; i < c->count; ++i)
    for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) { /* the first pair in which an option differs shows how */
      const char *name = sb_option_at(id)->name, *text[2];
      for (int s = 0; s < 2; ++s)
        text[s] = sb_options_text(c->side[s].results->plan->cases[c->pairs[i].row[s]].options, id);
      if (strcmp(text[0], text[1]) != 0 && !json_object_get(c->settings, name))
        json_object_set_new(c->settings, name, json_pack("[s, s]", text[0], text[1]));
    }
  for (size_t i = 0; i < c->count; ++i) note_inputs(c, &c->pairs[i]);
  return c->count > 0 ||
         sb_error_at(c->diagnostics, (sb_location){c->request->paths[0], 0, 0}, "E106",
                     "no case of it is in %s, by key or by the options that vary (%s); nothing can be compared",
                     c->request->paths[1], sb_names_join(c->arena, &c->identities, ", ", c->identities.count));
}

/* ---- time and bits, of case files ---- */

/* The samples of one side; empty if there is no file, or a damaged one. */
typedef struct {
  sb_timings steps; /* those that count */
  size_t     frames;
  int64_t   *step;    /* [frames] */
  char (*digest)[33]; /* [frames] of the states */
} evidence;

static bool read_frames(sb_arena *arena, const char *path, evidence *e, char error[256])
{
  size_t      steps = 0, digests = 0;
  const hid_t file = sb_case_file_open(path, error);
  bool        ok = file >= 0;
  if (ok && sb_h5_exists(file, "observables")) {
    const char *group = sb_arena_format(arena, "%s/state_digest", sb_case_file_observed(file));
    const hid_t text = sb_h5_type('t', sizeof *e->digest);
    e->step = sb_h5_read_array(arena, file, sb_arena_format(arena, "%s/step", group), H5T_NATIVE_INT64, 0, &steps);
    e->digest = sb_h5_read_array(arena, file, sb_arena_format(arena, "%s/value", group), text, 0, &digests);
    ok = sb_h5_close(text) && e->step && e->digest && steps == digests;
  }
  e->frames = ok ? steps : 0;
  return sb_case_file_close(file, ok, error);
}

static evidence read_evidence(comparison *c, int s, const case_pair *pair, sb_arena *arena)
{
  const sb_results *results = c->side[s].results;
  const char       *key = results->plan->cases[pair->row[s]].key, *path = NULL;
  char              error[256] = "";
  evidence          e = {0};
  sb_case_times     times = {0};
  if (!results->checksums[pair->row[s]]) return e;
  const bool good = sb_results_case_file(results, pair->row[s], arena, &path, error) &&
                    sb_case_file_times(arena, path, key, &times, error) &&
                    (!pair->fact[BITS_DIFFER] || read_frames(arena, path, &e, error));
  if (!good) {
    c->side[s].damaged++;
    sb_error_at(c->diagnostics, (sb_location){0}, "E100", "%s", error);
    return (evidence){0};
  }
  for (size_t i = 0; i < times.sample_count; ++i) {
    const sb_sample_record *sample = &times.samples[i];
    if (strcmp(sample->phase, "step") != 0 || !sb_repetition_counts(&times, sample->repetition)) continue;
    *SB_NEW_ITEM(arena, e.steps.each, e.steps.count) = (sb_timing){sample->seconds, sample->repetition};
  }
  return e;
}

/* True if the times of a pair are of the same work: both met their goals, or failed alike, in the same steps, or in the
 * same numbers of steps and iterations. */
static bool is_fair(const comparison *c, const case_pair *pair)
{
  static const char *const counts[] = {"steps_done", "minimizer_iterations_mean", "linear_iterations_mean"};
  if (pair->fact[STATUS_CHANGED]) return false;
  bool same = value_of(c, 0, pair->row[0], counts[0]).kind == SB_NUMBER;
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    same = same && sb_value_same(value_of(c, 0, pair->row[0], counts[i]), value_of(c, 1, pair->row[1], counts[i]));
  return same || pair->fact[BITS_EQUAL] || strcmp(word_of(c, 0, pair->row[0], "status"), sb_status_name(SB_OK)) == 0;
}

static void judge_time(comparison *c, case_pair *pair, const evidence file[2], sb_ratio_sum *sum)
{
  const uint64_t number = strtoull(word_of(c, 0, pair->row[0], "key"), NULL, 16);
  const uint64_t seed = sb_random_bits(c->request->seed, number);
  double         deviations[SB_RESAMPLES];
  const sb_ratio time = pair->time = sb_ratio_of_medians(&file[0].steps, &file[1].steps, seed, deviations);
  pair->fact[UNFAIR] = time.known && !is_fair(c, pair);
  if (!pair->fact[UNFAIR]) sb_ratio_add(sum, &time, deviations);
  if (!time.bounded || pair->fact[UNFAIR]) return;
  /* Two equal runs may differ by the larger spread of both. An unknown spread is NAN, which fmax ignores. */
  c->floor = fmax(0, fmax(c->side[0].results->floor.spread, c->side[1].results->floor.spread));
  pair->fact[SAME] = (time.low <= 1 && time.high >= 1) || fabs(log(time.ratio)) <= log1p(c->floor);
  pair->fact[SLOWER] = !pair->fact[SAME] && time.ratio > 1;
  pair->fact[FASTER] = !pair->fact[SAME] && time.ratio <= 1;
  const bool beyond = pair->fact[SLOWER] && time.low > 1 + c->request->threshold;
  pair->fact[WORSE_TIME] = beyond && !pair->fact[NOISY];
  pair->fact[UNDECIDED] = beyond && pair->fact[NOISY];
  c->one_repetition = c->one_repetition || time.repetitions[0] == 1 || time.repetitions[1] == 1;
}

/* The first step recorded by both whose states differ, and the last before it whose states are the same. */
static void compare_frames(case_pair *pair, const evidence file[2])
{
  size_t j = 0;
  for (size_t i = 0; i < file[0].frames && pair->differs_at < 0; ++i) {
    while (j < file[1].frames && file[1].step[j] < file[0].step[i]) ++j;
    if (j == file[1].frames) break;
    if (file[1].step[j] != file[0].step[i]) continue;
    if (strcmp(file[0].digest[i], file[1].digest[j]) == 0)
      pair->equal_until = file[0].step[i];
    else
      pair->differs_at = file[0].step[i];
  }
}

/* ---- ends, digests and columns, of rows ---- */

/* Orders ends; a requested value that is missing is not better than a failure. */
static int badness_of(const char *status)
{
  sb_status end = SB_OK;
  if (!sb_status_from_name(status, &end) || !sb_status_is_result(end)) return 3;
  return end == SB_OK ? 0 : end == SB_CASE_SKIPPED ? 1 : 2;
}

static void judge_end(const comparison *c, case_pair *pair)
{
  const json_t *event[2];
  const char   *status[2], *digest[2];
  sb_value      kept[2];
  for (int s = 0; s < 2; ++s) {
    event[s] = event_of(c, s, pair->row[s]);
    status[s] = word_of(c, s, pair->row[s], "status");
    digest[s] = word_of(c, s, pair->row[s], "digest");
    kept[s] = value_of(c, s, pair->row[s], "accuracy_ok");
    pair->fact[NOISY] = pair->fact[NOISY] || *word_of(c, s, pair->row[s], "noisy");
  }
  pair->fact[STATUS_CHANGED] = strcmp(status[0], status[1]) != 0;
  pair->fact[WORSE_STATUS] = badness_of(status[1]) > badness_of(status[0]);
  pair->fact[ACCURACY_CHANGED] = kept[0].kind == SB_TRUTH && kept[1].kind == SB_TRUTH && kept[0].truth != kept[1].truth;
  pair->fact[WORSE_ACCURACY] = pair->fact[ACCURACY_CHANGED] && !kept[1].truth;
  if (!*digest[0] || !*digest[1]) return;
  pair->fact[BITS_EQUAL] = strcmp(digest[0], digest[1]) == 0;
  pair->fact[BITS_DIFFER] = !pair->fact[BITS_EQUAL];
  const bool promised = pair->fact[BY_KEY] &&
                        json_equal(json_object_get(event[0], "build"), json_object_get(event[1], "build")) &&
                        json_equal(json_object_get(event[0], "machine"), json_object_get(event[1], "machine"));
  pair->fact[WORSE_BITS] = pair->fact[BITS_DIFFER] && (promised || c->request->bitwise);
}

/* True if a column is one of the requested ones, or of all results. */
static bool is_compared(const sb_compare_request *request, const sb_rows_column *column)
{
  bool wanted = request->column_count == 0;
  for (size_t k = 0; k < request->column_count && !wanted; ++k) wanted = strcmp(column->name, request->columns[k]) == 0;
  return wanted && !column->is_option && !column->is_timing &&
         !sb_common_column_find(column->name); /* those have facts of their own */
}

/* The column that differs most among the requested ones, or among all results. A column that only one side has does not
 * count. */
static void judge_columns(const comparison *c, case_pair *pair)
{
  const sb_rows *rows[2] = {c->side[0].results->rows, c->side[1].results->rows};
  for (size_t i = 0; i < sb_rows_column_count(rows[0]); ++i) {
    const sb_rows_column *column = sb_rows_column_at(rows[0], i);
    const size_t          other = sb_rows_column_find(rows[1], column->name);
    if (!is_compared(c->request, column) || other == (size_t)-1) continue;
    const sb_value a = sb_rows_get(rows[0], pair->row[0], i), b = sb_rows_get(rows[1], pair->row[1], other);
    const bool     numbers = a.kind == SB_NUMBER && b.kind == SB_NUMBER;
    const double   distance = numbers ? fabs(b.number - a.number) : INFINITY;
    const double   found = isfinite(distance) ? distance / fmax(fabs(a.number), fabs(b.number)) : INFINITY;
    if (sb_value_same(a, b) || !(found > pair->difference)) continue;
    pair->difference = found;
    pair->column = column->name;
  }
}

static void judge(comparison *c, case_pair *pair, sb_ratio_sum *sum)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *scratch = sb_arena_create();
  judge_end(c, pair);
  judge_columns(c, pair);
  const evidence file[2] = {read_evidence(c, 0, pair, scratch), read_evidence(c, 1, pair, scratch)};
  if (pair->fact[BITS_DIFFER]) compare_frames(pair, file);
  judge_time(c, pair, file, sum);
  pair->fact[NOISY] = pair->fact[NOISY] && pair->time.known;
  for (int i = WORSE_TIME; i < FACTS; ++i) pair->fact[WORSE] = pair->fact[WORSE] || pair->fact[i];
  for (int i = 0; i < FACTS; ++i) c->count_of[i] += pair->fact[i];
}

/* The place of a pair in the list; LAST: nothing changed. */
enum { LAST = 5 };
static int place(const case_pair *pair)
{
  const bool *fact = pair->fact;
  if (fact[WORSE_STATUS] || fact[WORSE_ACCURACY] || fact[WORSE_BITS]) return 0;
  if (fact[WORSE_TIME]) return 1;
  if (fact[SLOWER]) return 2;
  if (fact[STATUS_CHANGED] || fact[ACCURACY_CHANGED] || fact[BITS_DIFFER] || pair->column) return 3;
  return fact[FASTER] ? 4 : LAST;
}

static int compare_pairs(const void *a, const void *b)
{
  const case_pair *x = a, *y = b;
  const double     ratio[2] = {x->time.known ? x->time.ratio : 1, y->time.known ? y->time.ratio : 1};
  if (place(x) != place(y)) return place(x) - place(y);
  if (ratio[0] != ratio[1]) return ratio[0] > ratio[1] ? -1 : 1;
  return (x->row[0] > y->row[0]) - (x->row[0] < y->row[0]);
}

/* ---- words ---- */

static const char *change_text(const case_pair *pair)
{
  if (pair->fact[SLOWER] || pair->fact[FASTER]) return pair->fact[SLOWER] ? "slower" : "faster";
  if (pair->fact[UNFAIR])
    return pair->fact[STATUS_CHANGED] ? "not compared: ended otherwise" : "not compared: different work";
  return pair->fact[SAME] ? "same within noise" : pair->time.known ? "too few samples to decide" : "";
}

/* A text of a user's as the form has it. */
static const char *shown(const comparison *c, const char *text)
{
  sb_arena_writer writer;
  (c->markdown ? sb_text_put_markdown : sb_text_put_plain)(sb_arena_write(&writer, c->arena), text);
  return sb_arena_text(&writer);
}

static const char *bits_text(const comparison *c, const case_pair *pair)
{
  const long long until = (long long)pair->equal_until, at = (long long)pair->differs_at;
  if (!pair->fact[BITS_DIFFER]) return pair->fact[BITS_EQUAL] ? "bitwise equal" : "";
  if (until <= 0 && at < 0) return "differs (no step after the start is recorded in both)";
  if (until > 0 && at < 0)
    return sb_arena_format(c->arena, "states bitwise equal until step %lld, the last of both", until);
  if (until > 0) return sb_arena_format(c->arena, "bitwise equal until step %lld", until);
  if (until == 0 || at == 0) return "differs from the start";
  return sb_arena_format(c->arena, "differs at step %lld, the first recorded", at);
}

static const char *seconds_text(const comparison *c, double seconds)
{
  static const char *const units[] = {"s", "ms", "µs", "ns"};
  char                     text[SB_NUMBER_TEXT];
  double                   unit = 1;
  size_t                   u = 0;
  if (!(seconds > 0)) return "";
  for (; u + 1 < sizeof units / sizeof *units && seconds < unit; unit /= 1000) ++u;
  return sb_arena_format(c->arena, "%s %s", sb_text_rounded(seconds / unit, SB_DIGITS, text), units[u]);
}

/* "name: before → after (+3 %)". Values that differ in later digits only are shown by all of them. */
static const char *difference_text(const comparison *c, const case_pair *pair, const char *name)
{
  sb_value    value[2];
  const char *exact[2], *text[2];
  for (int s = 0; s < 2; ++s) {
    value[s] = value_of(c, s, pair->row[s], name);
    text[s] = exact[s] = sb_value_text(c->arena, value[s]);
    if (value[s].kind == SB_NUMBER) text[s] = sb_arena_format(c->arena, "%.6g", value[s].number);
  }
  if (strcmp(text[0], text[1]) == 0 && !sb_value_same(value[0], value[1])) memcpy(text, exact, sizeof text);
  const bool  differ = strcmp(text[0], text[1]) != 0;
  const char *words = sb_arena_format(c->arena, differ ? "%s: %s → %s" : "%s = %s", name, *text[0] ? text[0] : "-",
                                      *text[1] ? text[1] : "-");
  if (!differ || value[0].kind != SB_NUMBER || value[1].kind != SB_NUMBER || value[0].number == 0) return words;
  return sb_arena_format(c->arena, "%s (%+.3g %%)", words, 100 * (value[1].number / value[0].number - 1));
}

/* All changes other than those of times. */
static const char *notes_text(const comparison *c, const case_pair *pair)
{
  const sb_compare_request *asked = c->request;
  const char               *a = word_of(c, 0, pair->row[0], "status"), *b = word_of(c, 1, pair->row[1], "status");
  const char               *text = "";
  if (pair->fact[STATUS_CHANGED])
    text = sb_markdown_format(c->arena, "status: %-s → %-s{ (%-s)}", *a ? a : "not run", *b ? b : "not run",
                              word_of(c, 1, pair->row[1], "reason"));
  if (pair->fact[ACCURACY_CHANGED])
    text = sb_arena_join(c->arena, text, "; ", "tolerances %s",
                         pair->fact[WORSE_ACCURACY] ? "met before, not now" : "not met before, met now");
  if (pair->fact[WORSE_BITS])
    text = sb_arena_join(c->arena, text, "; ", "%s",
                         asked->bitwise ? "bits differ" : "same build and machine, but other bits: not reproducible");
  for (size_t i = 0; i < asked->column_count; ++i)
    text = sb_arena_join(c->arena, text, "; ", "%s", difference_text(c, pair, asked->columns[i]));
  if (!pair->column || asked->column_count > 0) return text;
  return sb_arena_join(c->arena, text, "; ", "%s", difference_text(c, pair, pair->column));
}

/* ---- for people ---- */

/* Writes which results are compared, and everything that limits the trust in a number. */
static void print_head(const comparison *c, FILE *stream)
{
  static const char *const leads[ORIGINS] = {"; build ", "; ", "; host "};
  const char              *mark = c->markdown ? "- " : "", *name = NULL, *all = "";
  const size_t             damaged = c->side[0].damaged + c->side[1].damaged, others = c->count - c->count_of[BY_KEY];
  json_t                  *values = NULL;
  for (int s = 0; s < 2; ++s) {
    const sb_results *results = c->side[s].results;
    fprintf(stream, "%s%c  %s (%s%s)", mark, 'A' + s, shown(c, c->request->paths[s]), shown(c, results->sweep->name),
            results->quick ? ", quick" : "");
    for (int i = 0; i < ORIGINS; ++i)
      if (*c->side[s].origins[i]) fprintf(stream, "%s%s", leads[i], shown(c, c->side[s].origins[i]));
    fputc('\n', stream);
  }
  json_object_foreach(c->settings, name, values)
  {
    const char *a = json_string_value(json_array_get(values, 0)), *b = json_string_value(json_array_get(values, 1));
    all = sb_arena_join(c->arena, all, "; ", "%s: %s → %s", name, *a ? a : "unset", *b ? b : "unset");
  }
  if (*all) fprintf(stream, "%snot the same setting: %s\n", mark, shown(c, all));
  if (others > 0)
    fprintf(stream, "%s%zu of %zu cases have other keys in A and B and are paired by the options that vary\n", mark,
            others, c->count);
  if (c->other_machine)
    fprintf(stream, "%swarning: the times are from different machines: their ratio is not that of the code\n", mark);
  for (int s = 0; s < 2; ++s) {
    const char *several = sb_timing_notes_of(c->side[s].results, NULL, false, c->arena).origins;
    if (several) fprintf(stream, "%swarning: of %c %s\n", mark, 'A' + s, shown(c, several));
  }
  if (c->one_repetition)
    fprintf(stream,
            "%snote: some case has only one valid repetition (it was run once, or quiet once): its interval does not "
            "include the spread between runs (run -r 5, or more)\n",
            mark);
  if (c->count_of[NOISY] > 0)
    fprintf(stream, "%swarning: %s; slower times of such cases do not count; --rerun noisy times them again\n", mark,
            sb_noise_note(c->arena, NULL, c->count_of[NOISY], c->count, false));
  if (damaged > 0)
    fprintf(stream, "%swarning: %zu case files do not match their checksums and were not read\n", mark, damaged);
  fputc('\n', stream);
}

static void print_summary(const comparison *c, FILE *stream)
{
  const size_t *count_of = c->count_of;
  const double  percent = 100 * c->request->threshold;
  fprintf(stream, "%s compared", sb_counted(c->arena, c->count, "case"));
  if (c->mean.known)
    fprintf(stream, ": %zu slower, %zu faster, %zu same within noise", count_of[SLOWER], count_of[FASTER],
            count_of[SAME]);
  if (c->mean.known && c->floor > 0)
    fprintf(stream, c->floor < 1 ? " (noise floor up to %.2g %%)" : " (noise floor up to %.0f %%)", 100 * c->floor);
  if (count_of[UNFAIR] > 0)
    fprintf(stream, "; %zu not compared: they did not end ok and did different work", count_of[UNFAIR]);
  fprintf(stream, "; bitwise equal %zu, different %zu; status changed in %zu, accuracy in %zu\n", count_of[BITS_EQUAL],
          count_of[BITS_DIFFER], count_of[STATUS_CHANGED], count_of[ACCURACY_CHANGED]);
  if (c->mean.known) {
    fprintf(stream, "time B/A, geometric mean of %zu: %.3f", c->mean.used[0], c->mean.ratio);
    if (c->mean.bounded) fprintf(stream, " (95 %% interval %.3f … %.3f)", c->mean.low, c->mean.high);
    fputc('\n', stream);
  }
  if (count_of[WORSE] > 0)
    fprintf(stream, "worse: %s, first in the list\n", sb_counted(c->arena, count_of[WORSE], "case"));
  if (c->mean_is_worse) fprintf(stream, "worse: all together slower by more than %.3g %%\n", percent);
  if (count_of[UNDECIDED] > 0)
    fprintf(stream, "not decided: noisy: %s slower by over %.3g %%\n",
            sb_counted(c->arena, count_of[UNDECIDED], "case"), percent);
  if (c->mean_is_undecided) fprintf(stream, "not decided: noisy: all together slower by more than %.3g %%\n", percent);
  if (count_of[WORSE] + count_of[UNDECIDED] == 0 && !c->mean_is_worse && !c->mean_is_undecided)
    fprintf(stream, "no regression (threshold %.3g %%)\n", percent);
}

static void put_time(const comparison *c, const case_pair *pair, sb_table *t)
{
  const sb_ratio *time = &pair->time;
  sb_table_put(t, time->known ? sb_arena_format(t->arena, "%.3f", time->ratio) : "");
  sb_table_put(t, time->bounded ? sb_arena_format(t->arena, "%.3f … %.3f", time->low, time->high) : "");
  sb_table_put(t, seconds_text(c, time->median[0]));
  sb_table_put(t, seconds_text(c, time->median[1]));
  if (pair->fact[WORSE_TIME])
    sb_table_put(t, sb_arena_format(t->arena, "SLOWER by over %.3g %%", 100 * c->request->threshold));
  else
    sb_table_put(t, pair->fact[UNDECIDED] ? "slower, not decided: noisy" : change_text(pair));
}

/* The cases that only one side has. */
static void put_only(const comparison *c, int s, FILE *stream)
{
  const size_t only = c->side[s].rows - c->count;
  if (only == 0) return;
  fprintf(stream, "only in %c (%zu):", 'A' + s, only);
  for (size_t row = 0, told = 0; row < c->side[s].rows && told < ONLY_SHOWN; ++row)
    if (!c->side[s].paired[row]) fprintf(stream, "%s %s", told++ > 0 ? ";" : "", shown(c, name_of(c, s, row)));
  if (only > ONLY_SHOWN) fprintf(stream, "; and %zu more", only - ONLY_SHOWN);
  fputc('\n', stream);
}

/* A line per case; the columns of time only if something was timed. */
static void print_text(const comparison *c, FILE *stream)
{
  static const char *const heads[] = {"B/A", "95 % interval", "A", "B", "time", "bits", "case", "what else"};
  sb_table                *t = sb_table_create(c->arena);
  for (size_t i = c->mean.known ? 0 : 5; i < sizeof heads / sizeof *heads; ++i)
    sb_table_add_column(t, heads[i], "", i < 4);
  for (size_t i = 0; i < c->count; ++i) {
    const case_pair *pair = &c->pairs[i];
    if (c->request->changed && place(pair) == LAST) continue;
    sb_table_add_row(t);
    if (c->mean.known) put_time(c, pair, t);
    sb_table_put(t, bits_text(c, pair));
    sb_table_put(t, name_of(c, 0, pair->row[0]));
    sb_table_put(t, notes_text(c, pair));
  }
  print_head(c, stream);
  if (t->row_count > 0) sb_table_print(t, c->markdown ? SB_TABLE_MARKDOWN : SB_TABLE_TEXT, stream);
  if (t->row_count > 0 && !c->markdown) fputc('\n', stream);
  if (t->row_count < c->count) fprintf(stream, "nothing changed in %zu cases\n", c->count - t->row_count);
  for (int s = 0; s < 2; ++s) put_only(c, s, stream);
  print_summary(c, stream);
}

/* True if B is worse than A; the exit status follows from it. */
static bool is_worse(const comparison *c) { return c->count_of[WORSE] > 0 || c->mean_is_worse; }

/* ---- for programs, all of it in JSON ---- */

static json_t *json_of_both(const comparison *c, const case_pair *pair, const char *name)
{
  return json_pack("[o, o]", sb_json_of_value(value_of(c, 0, pair->row[0], name)),
                   sb_json_of_value(value_of(c, 1, pair->row[1], name)));
}

static json_t *json_of_options(const comparison *c, int s, size_t row)
{
  json_t *object = json_object();
  for (size_t i = 0; i < c->identities.count; ++i)
    json_object_set_new(object, c->identities.names[i], sb_json_of_value(value_of(c, s, row, c->identities.names[i])));
  return object;
}

static json_t *json_of_step(int64_t step) { return step < 0 ? json_null() : json_integer(step); }

static json_t *json_of_ratio(const sb_ratio *ratio)
{
  return json_pack("{s:o, s:o, s:o}", "ratio", sb_json_of_number(ratio->ratio), "low", sb_json_of_number(ratio->low),
                   "high", sb_json_of_number(ratio->high));
}

static json_t *json_of_time(const case_pair *pair)
{
  const sb_ratio *t = &pair->time;
  json_t         *time = json_of_ratio(t);
  json_object_update_new(time,
                         json_pack("{s:[o, o], s:[I, I], s:[I, I], s:s}", "seconds", sb_json_of_number(t->median[0]),
                                   sb_json_of_number(t->median[1]), "samples", (json_int_t)t->used[0],
                                   (json_int_t)t->used[1], "runs", (json_int_t)t->repetitions[0],
                                   (json_int_t)t->repetitions[1], "change", change_text(pair)));
  return time;
}

static json_t *json_of_bits(const comparison *c, const case_pair *pair)
{
  const char *digest = pair->fact[BITS_EQUAL] ? "equal" : pair->fact[BITS_DIFFER] ? "differ" : "unknown";
  return json_pack("{s:s, s:s, s:o, s:o}", "digest", digest, "text", bits_text(c, pair), "equal_until",
                   json_of_step(pair->equal_until), "differs_at", json_of_step(pair->differs_at));
}

static json_t *json_of_pair(const comparison *c, const case_pair *pair)
{
  const sb_compare_request *asked = c->request;
  json_t *worse = json_array(), *differs = NULL, *columns = asked->column_count > 0 ? json_object() : NULL;
  for (int i = WORSE_TIME; i < FACTS; ++i)
    if (pair->fact[i]) json_array_append_new(worse, json_string(fact_names[i]));
  if (pair->column)
    differs = json_pack("{s:s, s:o, s:o}", "column", pair->column, "relative", sb_json_of_number(pair->difference),
                        "values", json_of_both(c, pair, pair->column));
  for (size_t i = 0; i < asked->column_count; ++i)
    json_object_set_new(columns, asked->columns[i], json_of_both(c, pair, asked->columns[i]));
  return json_pack("{s:o*, s:o, s:o, s:o, s:o*, s:o*, s:o, s:o*, s:o*}", "key", json_of_both(c, pair, "key"), "options",
                   json_of_options(c, 0, pair->row[0]), "time", json_of_time(pair), "bits", json_of_bits(c, pair),
                   "status", json_of_both(c, pair, "status"), "accuracy_ok", json_of_both(c, pair, "accuracy_ok"),
                   "worse", worse, "largest_difference", differs, "columns", columns);
}

static json_t *json_of_summary(const comparison *c)
{
  json_t *summary = json_pack("{s:I}", "compared", (json_int_t)c->count);
  for (int i = 0; i < WORSE_TIME; ++i)
    json_object_set_new(summary, fact_names[i], json_integer((json_int_t)c->count_of[i]));
  json_object_update_new(summary,
                         json_pack("{s:o, s:o, s:o, s:b, s:b}", "geometric_mean", json_of_ratio(&c->mean), "threshold",
                                   sb_json_of_number(c->request->threshold), "noise_floor", sb_json_of_number(c->floor),
                                   "different_machines", c->other_machine, "regression", is_worse(c)));
  return summary;
}

static void print_json(const comparison *c, FILE *stream)
{
  json_t *cases = json_array(), *all = json_object();
  for (int s = 0; s < 2; ++s) {
    const one_side *side = &c->side[s];
    json_t         *only = json_array();
    for (size_t row = 0; row < side->rows; ++row)
      if (!side->paired[row]) json_array_append_new(only, json_of_options(c, s, row));
    json_object_set_new(all, s == 0 ? "A" : "B",
                        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:o}", "path", c->request->paths[s], "sweep",
                                  side->results->sweep->name, "build", side->origins[BUILD], "machine",
                                  side->origins[MACHINE], "host", side->origins[HOST], "damaged",
                                  (json_int_t)side->damaged, "only_here", only));
  }
  for (size_t i = 0; i < c->count; ++i) json_array_append_new(cases, json_of_pair(c, &c->pairs[i]));
  json_object_update_new(
      all, json_pack("{s:O, s:o, s:o}", "settings", c->settings, "summary", json_of_summary(c), "cases", cases));
  json_dumpf(all, stream, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  fputc('\n', stream);
  json_decref(all);
}

/* ---- all of it ---- */

int sb_compare(const sb_session *session, const sb_compare_request *request, FILE *stream)
{
  json_auto_t *settings = json_object();
  comparison  *c = sb_arena_take(session->arena, 1, sizeof *c);
  sb_ratio_sum sum = {0};
  *c = (comparison){session->arena, session->diagnostics, request, .settings = settings,
                    .markdown = request->form == SB_COMPARE_MARKDOWN};
  if (!open_side(c, 0, session) || !open_side(c, 1, session) || !columns_exist(c) || !match(c)) return SB_EXIT_USAGE;
  for (size_t i = 0; i < c->count; ++i) judge(c, &c->pairs[i], &sum);
  qsort(c->pairs, c->count, sizeof *c->pairs, compare_pairs);
  c->mean = sb_ratio_mean(&sum);
  const char *machines[2] = {c->side[0].origins[MACHINE], c->side[1].origins[MACHINE]};
  const bool  beyond = c->mean.bounded && c->mean.low > 1 + request->threshold && c->mean.ratio > 1 + c->floor;
  c->mean_is_worse = beyond && c->count_of[NOISY] == 0;
  c->mean_is_undecided = beyond && c->count_of[NOISY] > 0;
  c->other_machine = *machines[0] && *machines[1] && strcmp(machines[0], machines[1]) != 0;
  if (request->form == SB_COMPARE_JSON)
    print_json(c, stream);
  else
    print_text(c, stream);
  if (is_worse(c)) return SB_EXIT_CONTRADICTION;
  return c->side[0].damaged + c->side[1].damaged > 0 ? SB_EXIT_USAGE : SB_EXIT_OK;
}
