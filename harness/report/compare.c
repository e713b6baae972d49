/* B held against A; see compare.h.
 *
 * Cases without a counterpart of the same key are told apart by the options that vary in either side; where `method`
 * names sets of options, the name stands for the options it sets.
 *
 * A time counts as changed when the interval of its ratio does not contain 1 and the ratio is beyond the noise floor,
 * and as a regression when all of the interval lies beyond 1 + threshold: among hundreds of cases some have an interval
 * that misses 1 by chance, few one that misses it by the threshold. The mean over all cases is judged in the same way,
 * so that many small losses, none of them certain, are seen too. A time that was taken while the machine was not quiet
 * decides nothing: two runs of one program differ so much then that it would be another program's fault. */
#include "harness/report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/nearest_name.h"
#include "base/random.h"
#include "harness/common/exit_status.h"
#include "harness/report/report_text.h"
#include "harness/store/case_file.h"

/* ---- the two sides ---- */

sb_value sb_compared_value(const sb_comparison *c, int side, size_t row, const char *name)
{
  return sb_report_value(c->side[side].results, row, name);
}

const char *sb_compared_word(const sb_comparison *c, int side, size_t row, const char *name)
{
  const sb_value value = sb_rows_get_named(c->side[side].results->rows, row, name);
  return value.kind == SB_WORD ? value.word : "";
}

const char *sb_compared_options(const sb_comparison *c, int side, size_t row)
{
  const char *text = "";
  for (size_t i = 0; i < c->identity_count; ++i) {
    const sb_value value = sb_compared_value(c, side, row, c->identities[i]);
    if (value.kind != SB_BLANK)
      text = sb_arena_format(c->session->arena, "%s%s%s=%s", text, *text ? ", " : "", c->identities[i],
                             sb_value_text(c->session->arena, value));
  }
  return text;
}

static const json_t *event_of(const sb_comparison *c, int side, size_t row)
{
  return json_object_get(c->side[side].results->journal.cases, c->side[side].results->plan->cases[row].key);
}

static bool open_side(sb_comparison *c, int s, const char *path)
{
  static const char *const names[] = {"build", "machine", "host"};
  sb_compare_side         *side = &c->side[s];
  const char             **words[] = {&side->builds, &side->machines, &side->hosts};
  side->path = path;
  side->results = sb_results_open(path, c->session);
  if (!side->results) return false;
  for (int i = 0; i < 3; ++i) {
    const size_t count = i < 2 ? side->results->plan->count : json_array_size(side->results->journal.runs);
    json_t      *seen = json_object();
    *words[i] = "";
    for (size_t e = 0; e < count; ++e) {
      const json_t *event = i < 2 ? event_of(c, s, e) : json_array_get(side->results->journal.runs, e);
      const char   *word = json_string_value(json_object_get(event, names[i]));
      if (!word || json_object_get(seen, word)) continue;
      *words[i] = sb_arena_format(c->session->arena, "%s%s%s", *words[i], **words[i] ? "; " : "", word);
      json_object_set_new(seen, word, json_true());
    }
    json_decref(seen);
  }
  return true;
}

/* ---- which case of A is which of B ---- */

typedef enum { NEITHER, OF_METHOD, AXIS } role;

/* Tells what an option is to a sweep: an axis, set by a method, or neither. */
static role role_of(const sb_sweep *sweep, const char *name)
{
  for (size_t b = 0; b < sweep->block_count; ++b)
    for (size_t i = 0; i < sweep->blocks[b].count; ++i) {
      const sb_option_id id = sweep->blocks[b].axes[i].id;
      if (strcmp(id == SB_OPT_COUNT ? "method" : sb_option_at(id)->name, name) == 0) return AXIS;
    }
  for (size_t m = 0; m < sweep->method_count; ++m)
    for (size_t i = 0; i < sweep->methods[m].count; ++i)
      if (strcmp(sb_option_at(sweep->methods[m].ids[i])->name, name) == 0) return OF_METHOD;
  return NEITHER;
}

/* An option that varies on either side tells cases apart, unless the name of a method stands for it on both. */
static bool tells_apart(const sb_comparison *c, const char *name)
{
  bool varies = false, methods = true, axis = false, of_method = false;
  for (size_t i = 0; i < c->identity_count; ++i)
    if (strcmp(c->identities[i], name) == 0) return false; /* it does already */
  for (int s = 0; s < 2; ++s) {
    const sb_results *results = c->side[s].results;
    const role        is = role_of(results->sweep, name);
    for (size_t row = 1; row < sb_rows_count(results->rows) && !varies; ++row)
      varies = !sb_value_same(sb_compared_value(c, s, 0, name), sb_compared_value(c, s, row, name));
    methods = methods && sb_rows_column_find(results->rows, "method") != (size_t)-1;
    axis = axis || is == AXIS;
    of_method = of_method || is == OF_METHOD;
  }
  return varies && (!methods || axis || !of_method);
}

static void find_identities(sb_comparison *c)
{
  for (int s = 0; s < 2; ++s)
    for (size_t i = 0; i < sb_rows_column_count(c->side[s].results->rows); ++i) {
      const sb_rows_column *column = sb_rows_column_at(c->side[s].results->rows, i);
      if (!column->is_option || !tells_apart(c, column->name)) continue;
      c->identities = sb_arena_grow(c->session->arena, (void *)c->identities, c->identity_count, sizeof *c->identities);
      c->identities[c->identity_count++] = column->name;
    }
}

/* name -> row of those that `taken` has not; rows that share a name are none of them told apart: -1. */
static json_t *index_rows(const sb_comparison *c, int side, const bool *taken, bool by_key)
{
  json_t *index = json_object();
  for (size_t row = 0; row < sb_rows_count(c->side[side].results->rows); ++row) {
    if (taken[row]) continue;
    const char *name = by_key ? sb_compared_word(c, side, row, "key") : sb_compared_options(c, side, row);
    json_object_set_new(index, name, json_integer(json_object_get(index, name) ? -1 : (json_int_t)row));
  }
  return index;
}

static void pair_up(sb_comparison *c, bool *taken[2], bool by_key)
{
  json_t     *of_a = index_rows(c, 0, taken[0], by_key), *of_b = index_rows(c, 1, taken[1], by_key), *row = NULL;
  const char *name = NULL;
  json_object_foreach(of_a, name, row)
  {
    const json_t    *found = json_object_get(of_b, name);
    const json_int_t a = json_integer_value(row), b = found ? json_integer_value(found) : -1;
    if (a < 0 || b < 0) continue;
    taken[0][a] = taken[1][b] = true;
    c->pairs = sb_arena_grow(c->session->arena, c->pairs, c->count, sizeof *c->pairs);
    c->pairs[c->count++] =
        (sb_case_pair){.row = {(size_t)a, (size_t)b}, .by_key = by_key, .equal_until = -1, .differs_at = -1};
    c->by_key += by_key;
  }
  json_decref(of_a);
  json_decref(of_b);
}

static bool match(sb_comparison *c)
{
  sb_arena   *arena = c->session->arena;
  bool       *taken[2];
  const char *options = "";
  for (int s = 0; s < 2; ++s) taken[s] = sb_arena_take(arena, sb_rows_count(c->side[s].results->rows), sizeof(bool));
  find_identities(c);
  pair_up(c, taken, true);
  pair_up(c, taken, false);
  for (size_t i = 0; i < c->count; ++i)
    for (int id = 0; id < SB_OPT_COUNT; ++id) { /* the first pair in which an option differs shows it */
      const char *name = sb_option_at((sb_option_id)id)->name;
      const char *a = sb_options_text(c->side[0].results->plan->cases[c->pairs[i].row[0]].options, (sb_option_id)id);
      const char *b = sb_options_text(c->side[1].results->plan->cases[c->pairs[i].row[1]].options, (sb_option_id)id);
      if (strcmp(a, b) != 0 && !json_object_get(c->settings, name))
        json_object_set_new(c->settings, name, json_pack("[s, s]", a, b));
    }
  for (int s = 0; s < 2; ++s) {
    const size_t rows = sb_rows_count(c->side[s].results->rows);
    c->only[s] = sb_arena_take(arena, rows, sizeof *c->only[s]);
    for (size_t row = 0; row < rows; ++row)
      if (!taken[s][row]) c->only[s][c->only_count[s]++] = row;
  }
  if (c->count > 0) return true;
  for (size_t i = 0; i < c->identity_count; ++i)
    options = sb_arena_format(arena, "%s%s%s", options, i ? ", " : "", c->identities[i]);
  return sb_error_at(c->session->diagnostics, (sb_location){c->side[0].path, 0, 0}, "E106",
                     "no case of it is one of %s, by key or by the options that vary (%s); there is nothing to compare",
                     c->side[1].path, options);
}

/* ---- time and bits, of case files ---- */

/* Of one side; nothing where there is no file, or a damaged one. */
typedef struct {
  sb_case_times times;
  size_t        steps; /* timed ones that count */
  double       *seconds;
  int32_t      *repetition;
  size_t        frames;
  int64_t      *step; /* [frames] */
  char (*digest)[33]; /* [frames] of the states */
} evidence;

static bool read_frames(sb_arena *arena, const char *path, evidence *e, char error[256])
{
  size_t      steps = 0, digests = 0;
  const hid_t file = sb_case_file_open(path, error);
  bool        ok = file >= 0;
  if (ok && sb_h5_exists(file, "observables/all")) {
    const hid_t text = sb_h5_text_type(sizeof *e->digest, H5T_CSET_ASCII);
    e->step = sb_h5_read_array(arena, file, "observables/all/state_digest/step", H5T_NATIVE_INT64, 0, &steps);
    e->digest = sb_h5_read_array(arena, file, "observables/all/state_digest/value", text, 0, &digests);
    ok = sb_h5_close(text) && e->step && e->digest && steps == digests;
  }
  e->frames = ok ? steps : 0;
  return sb_case_file_close(file, ok, error);
}

static evidence read_evidence(sb_comparison *c, int s, const sb_case_pair *pair, sb_arena *arena)
{
  sb_compare_side *side = &c->side[s];
  const size_t     row = pair->row[s];
  const char      *key = side->results->plan->cases[row].key;
  char             error[256] = "";
  evidence         e = {0};
  if (!side->results->checksums[row]) return e;
  char      *path = sb_results_case_path(side->results, key);
  const bool good = sb_results_row_is_whole(side->results, row, error) &&
                    sb_case_file_times(arena, path, key, &e.times, error) &&
                    (pair->bits != SB_BITS_DIFFER || read_frames(arena, path, &e, error));
  free(path);
  e.seconds = sb_arena_take(arena, e.times.sample_count, sizeof *e.seconds);
  e.repetition = sb_arena_take(arena, e.times.sample_count, sizeof *e.repetition);
  for (size_t i = 0; good && i < e.times.sample_count; ++i) {
    const sb_sample_record *sample = &e.times.samples[i];
    if (strcmp(sample->phase, "step") != 0 || !sb_repetition_counts(&e.times, sample->repetition)) continue;
    e.seconds[e.steps] = sample->seconds;
    e.repetition[e.steps++] = sample->repetition;
  }
  if (good) return e;
  side->damaged++;
  sb_error_at(c->session->diagnostics, (sb_location){0}, "E100", "%s", error);
  return (evidence){0};
}

static void judge_time(sb_comparison *c, sb_case_pair *pair, const evidence file[2], sb_ratio_sum *sum)
{
  const sb_timings a = {file[0].steps, file[0].seconds, file[0].repetition};
  const sb_timings b = {file[1].steps, file[1].seconds, file[1].repetition};
  const uint64_t   number = strtoull(sb_compared_word(c, 0, pair->row[0], "key"), NULL, 16);
  double           deviations[SB_RESAMPLES];
  const sb_ratio   time = sb_ratio_of_medians(&a, &b, sb_random_bits(c->request.seed, number), deviations);
  pair->time = time;
  sb_ratio_add(sum, &time, deviations);
  if (!time.bounded) return;
  /* Two equal runs may differ by the larger spread of both. One that is not known is no number. */
  const double floor = fmax(0, fmax(c->side[0].results->floor.spread, c->side[1].results->floor.spread));
  const bool   noise = (time.low <= 1 && time.high >= 1) || fabs(log(time.ratio)) <= log1p(floor);
  c->floor = floor;
  pair->change = noise ? SB_TIME_SAME : time.ratio > 1 ? SB_TIME_SLOWER : SB_TIME_FASTER;
  const bool beyond = pair->change == SB_TIME_SLOWER && time.low > 1 + c->request.threshold;
  if (beyond && !pair->noisy) pair->worse |= SB_WORSE_TIME;
  pair->undecided = beyond && pair->noisy;
  c->one_repetition = c->one_repetition || time.repetitions[0] == 1 || time.repetitions[1] == 1;
}

/* The first step recorded by both whose states differ, and the last before it whose states are the same. */
static void compare_frames(sb_case_pair *pair, const evidence file[2])
{
  size_t j = 0;
  for (size_t i = 0; i < file[0].frames && pair->differs_at < 0; ++i) {
    while (j < file[1].frames && file[1].step[j] < file[0].step[i]) ++j;
    if (j == file[1].frames) break;
    if (file[1].step[j] != file[0].step[i]) continue;
    pair->has_frames = true;
    if (strcmp(file[0].digest[i], file[1].digest[j]) == 0)
      pair->equal_until = file[0].step[i];
    else
      pair->differs_at = file[0].step[i];
  }
}

/* ---- ends, digests and columns, of rows ---- */

/* Orders ends from good to bad. What was asked for and is not there is no better than a failure. */
static int badness(const char *name)
{
  sb_status status = SB_OK;
  if (!sb_status_from_name(name, &status) || !sb_status_is_result(status)) return 3;
  return status == SB_OK ? 0 : status == SB_CASE_SKIPPED ? 1 : 2;
}

static void judge_end(const sb_comparison *c, sb_case_pair *pair)
{
  const char    *a = sb_compared_word(c, 0, pair->row[0], "status");
  const char    *b = sb_compared_word(c, 1, pair->row[1], "status");
  const sb_value kept_a = sb_compared_value(c, 0, pair->row[0], "accuracy_ok");
  const sb_value kept_b = sb_compared_value(c, 1, pair->row[1], "accuracy_ok");
  pair->status_changed = strcmp(a, b) != 0;
  if (badness(b) > badness(a)) pair->worse |= SB_WORSE_STATUS;
  pair->accuracy_changed = kept_a.kind == SB_TRUTH && kept_b.kind == SB_TRUTH && kept_a.truth != kept_b.truth;
  if (pair->accuracy_changed && !kept_b.truth) pair->worse |= SB_WORSE_ACCURACY;
}

static bool same_said(const sb_comparison *c, const sb_case_pair *pair, const char *name)
{
  const char *a = json_string_value(json_object_get(event_of(c, 0, pair->row[0]), name));
  const char *b = json_string_value(json_object_get(event_of(c, 1, pair->row[1]), name));
  return a && b && strcmp(a, b) == 0;
}

static void judge_bits(const sb_comparison *c, sb_case_pair *pair)
{
  const char *a = sb_compared_word(c, 0, pair->row[0], "digest"), *b = sb_compared_word(c, 1, pair->row[1], "digest");
  if (!*a || !*b) return;
  pair->bits = strcmp(a, b) == 0 ? SB_BITS_EQUAL : SB_BITS_DIFFER;
  const bool promised = pair->by_key && same_said(c, pair, "build") && same_said(c, pair, "machine");
  if (pair->bits == SB_BITS_DIFFER && (promised || c->request.bitwise)) pair->worse |= SB_WORSE_BITS;
}

static double difference(sb_value a, sb_value b)
{
  if (sb_value_same(a, b) || (a.kind == SB_NUMBER && isnan(a.number) && isnan(b.number))) return 0;
  if (a.kind != SB_NUMBER || b.kind != SB_NUMBER) return INFINITY;
  const double distance = fabs(b.number - a.number);
  return isfinite(distance) ? distance / fmax(fabs(a.number), fabs(b.number)) : INFINITY;
}

/* The column that differs most of those that were asked for, or of all that are results. One that only one side has
 * says nothing of its case. */
static void judge_columns(const sb_comparison *c, sb_case_pair *pair)
{
  static const char *const others[] = {"key", "status", "reason", "accuracy_ok", "digest", "command"};
  const sb_rows           *a = c->side[0].results->rows, *b = c->side[1].results->rows;
  for (size_t i = 0; i < sb_rows_column_count(a); ++i) {
    const sb_rows_column *column = sb_rows_column_at(a, i);
    const size_t          other = sb_rows_column_find(b, column->name);
    bool                  wanted = c->request.column_count == 0;
    for (size_t k = 0; k < c->request.column_count; ++k)
      wanted = wanted || strcmp(column->name, c->request.columns[k]) == 0;
    for (size_t k = 0; k < sizeof others / sizeof *others; ++k) wanted = wanted && strcmp(column->name, others[k]) != 0;
    if (!wanted || column->is_option || column->is_timing || other == (size_t)-1) continue;
    const double found = difference(sb_rows_get(a, pair->row[0], i), sb_rows_get(b, pair->row[1], other));
    if (!(found > pair->difference)) continue;
    pair->difference = found;
    pair->column = column->name;
  }
}

/* ---- all of it ---- */

static void judge(sb_comparison *c, sb_case_pair *pair, sb_ratio_sum *sum)
{
  sb_arena *scratch = sb_arena_create();
  pair->noisy = *sb_compared_word(c, 0, pair->row[0], "noisy") || *sb_compared_word(c, 1, pair->row[1], "noisy");
  judge_end(c, pair);
  judge_bits(c, pair);
  judge_columns(c, pair);
  const evidence file[2] = {read_evidence(c, 0, pair, scratch), read_evidence(c, 1, pair, scratch)};
  if (pair->bits == SB_BITS_DIFFER) compare_frames(pair, file);
  judge_time(c, pair, file, sum);
  sb_arena_destroy(&scratch);
  c->faster += pair->change == SB_TIME_FASTER;
  c->slower += pair->change == SB_TIME_SLOWER;
  c->same += pair->change == SB_TIME_SAME;
  c->bits_equal += pair->bits == SB_BITS_EQUAL;
  c->bits_differ += pair->bits == SB_BITS_DIFFER;
  c->status_changed += pair->status_changed;
  c->accuracy_changed += pair->accuracy_changed;
  c->worse += pair->worse != 0;
  c->noisy += pair->time.known && pair->noisy;
  c->undecided += pair->undecided;
}

static int place(const sb_case_pair *pair)
{
  if (pair->worse & ~(unsigned)SB_WORSE_TIME) return 0;
  if (pair->worse) return 1;
  if (pair->change == SB_TIME_SLOWER) return 2;
  if (pair->status_changed || pair->accuracy_changed || pair->bits == SB_BITS_DIFFER || pair->column) return 3;
  return pair->change == SB_TIME_FASTER ? 4 : 5;
}

static int compare_pairs(const void *a, const void *b)
{
  const sb_case_pair *x = a, *y = b;
  const double        ratio[2] = {x->time.known ? x->time.ratio : 1, y->time.known ? y->time.ratio : 1};
  if (place(x) != place(y)) return place(x) - place(y);
  if (ratio[0] != ratio[1]) return ratio[0] > ratio[1] ? -1 : 1;
  return (x->row[0] > y->row[0]) - (x->row[0] < y->row[0]);
}

static bool columns_exist(const sb_comparison *c)
{
  const sb_rows *rows = c->side[0].results->rows;
  const size_t   known = sb_rows_column_count(rows);
  const char   **names = sb_arena_take(c->session->arena, known, sizeof *names);
  bool           good = true;
  for (size_t k = 0; k < known; ++k) names[k] = sb_rows_column_at(rows, k)->name;
  for (size_t i = 0; i < c->request.column_count; ++i) {
    const char *name = c->request.columns[i];
    if (sb_rows_column_find(rows, name) != (size_t)-1) continue;
    const char *near = sb_nearest_name(name, names, known);
    good = sb_error_at(c->session->diagnostics, (sb_location){c->side[0].path, 0, 0}, "E101",
                       "it has no column '%s'%s%s%s", name, near ? "; did you mean '" : "", near ? near : "",
                       near ? "'?" : "");
  }
  return good;
}

static void end_json(void *json) { json_decref(json); }

sb_comparison *sb_compare(const sb_session *session, const char *const paths[2], const sb_compare_request *request)
{
  sb_comparison *c = sb_arena_take(session->arena, 1, sizeof *c);
  sb_ratio_sum   sum = {0};
  *c = (sb_comparison){.session = session, .request = *request, .settings = json_object()};
  sb_arena_defer(session->arena, end_json, c->settings);
  if (!open_side(c, 0, paths[0]) || !open_side(c, 1, paths[1]) || !columns_exist(c) || !match(c)) return NULL;
  for (size_t i = 0; i < c->count; ++i) judge(c, &c->pairs[i], &sum);
  c->mean = sb_ratio_mean(&sum);
  const bool beyond = c->mean.bounded && c->mean.low > 1 + request->threshold && c->mean.ratio > 1 + c->floor;
  c->mean_is_worse = beyond && c->noisy == 0;
  c->mean_is_undecided = beyond && c->noisy > 0;
  c->other_machine =
      *c->side[0].machines && *c->side[1].machines && strcmp(c->side[0].machines, c->side[1].machines) != 0;
  qsort(c->pairs, c->count, sizeof *c->pairs, compare_pairs);
  return c;
}

int sb_comparison_status(const sb_comparison *c)
{
  if (c->worse > 0 || c->mean_is_worse) return SB_EXIT_CONTRADICTION;
  return c->side[0].damaged + c->side[1].damaged > 0 ? SB_EXIT_USAGE : SB_EXIT_OK;
}
