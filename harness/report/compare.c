/* B held against A; see compare.h.
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

#include "base/allocate.h"
#include "base/nearest_name.h"
#include "base/random.h"
#include "harness/common/exit_status.h"
#include "harness/report/report_text.h"

/* ---- time ---- */

static double number_of(const sb_compare_side *side, size_t row, const char *name)
{
  const sb_value value = sb_rows_get_named(side->rows, row, name);
  return value.kind == SB_NUMBER ? value.number : NAN;
}

static sb_ratio ratio_of_rows(const sb_comparison *c, const sb_case_pair *pair)
{
  double median[2], low[2], high[2], count[2];
  for (int s = 0; s < 2; ++s) {
    median[s] = number_of(&c->side[s], pair->row[s], "step_median_s");
    low[s] = number_of(&c->side[s], pair->row[s], "step_q1_s");
    high[s] = number_of(&c->side[s], pair->row[s], "step_q3_s");
    count[s] = number_of(&c->side[s], pair->row[s], "samples");
  }
  return sb_ratio_from_quartiles(median, low, high, count);
}

/* What two equal runs may differ by: the larger of both. */
static double floor_of(sb_comparison *c, const sb_case_pair *pair)
{
  double floor = 0;
  for (int s = 0; s < 2; ++s) {
    const sb_compare_side *side = &c->side[s];
    const double stored = side->results ? side->results->floor.spread : number_of(side, pair->row[s], "noise_floor");
    if (stored > floor) floor = stored;
  }
  if (floor > c->floor) c->floor = floor;
  return floor;
}

static void judge_time(sb_comparison *c, sb_case_pair *pair, const sb_compare_file file[2], sb_ratio_sum *sum)
{
  const sb_timings a = {file[0].sample_count, file[0].seconds, file[0].repetition};
  const sb_timings b = {file[1].sample_count, file[1].seconds, file[1].repetition};
  const uint64_t   number = strtoull(sb_compare_word(&c->side[0], pair->row[0], "key"), NULL, 16);
  double          *deviations = sb_allocate(SB_RESAMPLES, sizeof *deviations);
  sb_ratio        *time = &pair->time;
  *time = sb_ratio_of_medians(&a, &b, sb_random_bits(c->request.seed, number), deviations);
  if (!time->known) *time = ratio_of_rows(c, pair);
  if (time->bounded) {
    const bool noise = (time->low <= 1 && time->high >= 1) || fabs(log(time->ratio)) <= log1p(floor_of(c, pair));
    pair->change = noise ? SB_TIME_SAME : time->ratio > 1 ? SB_TIME_SLOWER : SB_TIME_FASTER;
    const bool beyond = pair->change == SB_TIME_SLOWER && time->low > 1 + c->request.threshold;
    if (beyond && !pair->noisy) pair->worse |= SB_WORSE_TIME;
    pair->undecided = beyond && pair->noisy;
    c->one_repetition = c->one_repetition || time->repetitions[0] == 1 || time->repetitions[1] == 1;
  }
  sb_ratio_add(sum, time, deviations);
  free(deviations);
}

/* ---- bits ---- */

/* The first step recorded by both whose states differ, and the last before it whose states are the same. */
static void compare_frames(sb_case_pair *pair, const sb_compare_file file[2])
{
  size_t j = 0;
  for (size_t i = 0; i < file[0].frame_count && pair->differs_at < 0; ++i) {
    while (j < file[1].frame_count && file[1].step[j] < file[0].step[i]) ++j;
    if (j == file[1].frame_count) break;
    if (file[1].step[j] != file[0].step[i]) continue;
    pair->has_frames = true;
    if (strcmp(file[0].digest[i], file[1].digest[j]) == 0)
      pair->equal_until = file[0].step[i];
    else
      pair->differs_at = file[0].step[i];
  }
}

static bool same_said(const sb_comparison *c, const sb_case_pair *pair, const char *what)
{
  const char *a = sb_compare_said(&c->side[0], pair->row[0], what);
  return *a && strcmp(a, sb_compare_said(&c->side[1], pair->row[1], what)) == 0;
}

static void judge_bits(const sb_comparison *c, sb_case_pair *pair, const char *const digest[2])
{
  if (!*digest[0] || !*digest[1]) return;
  pair->bits = strcmp(digest[0], digest[1]) == 0 ? SB_BITS_EQUAL : SB_BITS_DIFFER;
  const bool promised = pair->by_key && same_said(c, pair, "build") && same_said(c, pair, "machine");
  if (pair->bits == SB_BITS_DIFFER && (promised || c->request.bitwise)) pair->worse |= SB_WORSE_BITS;
}

/* ---- status, accuracy, columns ---- */

/* How bad an end is. What was asked for and is not there is no better than a failure. */
static int badness(const char *name)
{
  sb_status status = SB_OK;
  if (!sb_status_from_name(name, &status) || !sb_status_is_result(status)) return 3;
  return status == SB_OK ? 0 : status == SB_CASE_SKIPPED ? 1 : 2;
}

static void judge_end(const sb_comparison *c, sb_case_pair *pair)
{
  const char    *a = sb_compare_word(&c->side[0], pair->row[0], "status");
  const char    *b = sb_compare_word(&c->side[1], pair->row[1], "status");
  const sb_value kept_a = sb_rows_get_named(c->side[0].rows, pair->row[0], "accuracy_ok");
  const sb_value kept_b = sb_rows_get_named(c->side[1].rows, pair->row[1], "accuracy_ok");
  pair->status_changed = strcmp(a, b) != 0;
  if (badness(b) > badness(a)) pair->worse |= SB_WORSE_STATUS;
  pair->accuracy_changed = kept_a.kind == SB_TRUTH && kept_b.kind == SB_TRUTH && kept_a.truth != kept_b.truth;
  if (pair->accuracy_changed && !kept_b.truth) pair->worse |= SB_WORSE_ACCURACY;
}

static double difference(sb_value a, sb_value b)
{
  if (a.kind != SB_NUMBER || b.kind != SB_NUMBER) return sb_report_same(a, b) ? 0 : INFINITY;
  const double scale = fmax(fabs(a.number), fabs(b.number)), distance = fabs(b.number - a.number);
  if (a.number == b.number || (isnan(a.number) && isnan(b.number))) return 0;
  return isfinite(distance) ? distance / scale : INFINITY;
}

static bool is_compared(const sb_comparison *c, const sb_rows_column *column)
{
  static const char *const others[] = {"key", "status", "reason", "accuracy_ok", "digest", "command"};
  if (column->is_option || column->is_timing) return false;
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i)
    if (strcmp(column->name, others[i]) == 0) return false;
  bool wanted = c->request.column_count == 0;
  for (size_t i = 0; i < c->request.column_count; ++i)
    wanted = wanted || strcmp(column->name, c->request.columns[i]) == 0;
  return wanted;
}

/* A column that only one side has says nothing of its case. */
static void judge_columns(const sb_comparison *c, sb_case_pair *pair)
{
  for (size_t i = 0; i < sb_rows_column_count(c->side[0].rows); ++i) {
    const sb_rows_column *column = sb_rows_column_at(c->side[0].rows, i);
    if (!is_compared(c, column) || sb_rows_column_find(c->side[1].rows, column->name) == (size_t)-1) continue;
    const double found = difference(sb_rows_get(c->side[0].rows, pair->row[0], i),
                                    sb_rows_get_named(c->side[1].rows, pair->row[1], column->name));
    if (!(found > pair->difference)) continue;
    pair->difference = found;
    pair->column = column->name;
  }
}

/* ---- all of it ---- */

static void judge(sb_comparison *c, sb_case_pair *pair, sb_ratio_sum *sum)
{
  sb_compare_file   file[2] = {0};
  const char *const digest[2] = {sb_compare_word(&c->side[0], pair->row[0], "digest"),
                                 sb_compare_word(&c->side[1], pair->row[1], "digest")};
  pair->noisy =
      *sb_compare_word(&c->side[0], pair->row[0], "noisy") || *sb_compare_word(&c->side[1], pair->row[1], "noisy");
  judge_end(c, pair);
  judge_bits(c, pair, digest);
  judge_columns(c, pair);
  for (int s = 0; s < 2; ++s) sb_compare_file_read(&c->side[s], pair->row[s], pair->bits == SB_BITS_DIFFER, &file[s]);
  if (pair->bits == SB_BITS_DIFFER) compare_frames(pair, file);
  judge_time(c, pair, file, sum);
  for (int s = 0; s < 2; ++s) sb_compare_file_clear(&file[s]);
}

static void count(sb_comparison *c, const sb_case_pair *pair)
{
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
  for (size_t i = 0; i < c->request.column_count; ++i) {
    const char  *name = c->request.columns[i];
    const char **names = sb_allocate(sb_rows_column_count(c->side[0].rows) + 1, sizeof *names);
    size_t       known = 0;
    for (; known < sb_rows_column_count(c->side[0].rows); ++known)
      names[known] = sb_rows_column_at(c->side[0].rows, known)->name;
    const bool  there = sb_rows_column_find(c->side[0].rows, name) != (size_t)-1;
    const char *near = there ? NULL : sb_nearest_name(name, names, known);
    free((void *)names);
    if (there) continue;
    fprintf(stderr, "springbench: error: %s has no column '%s'%s%s%s [E101]\n", c->side[0].path, name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return false;
  }
  return true;
}

static bool any_in_common(const sb_comparison *c)
{
  if (c->count > 0) return true;
  fprintf(stderr, "springbench: error: no case of %s is one of %s, by key or by the options that vary (",
          c->side[0].path, c->side[1].path);
  for (size_t i = 0; i < c->identity_count; ++i) fprintf(stderr, "%s%s", i ? ", " : "", c->identities[i]);
  fputs("); there is nothing to compare\n", stderr);
  return false;
}

sb_comparison *sb_compare(const char *const paths[2], const sb_compare_request *request,
                          const sb_vocabulary *vocabulary, const sb_driver_list *drivers, int *status)
{
  sb_comparison *c = sb_allocate(1, sizeof *c);
  sb_ratio_sum   sum = {0};
  c->request = *request;
  *status = SB_EXIT_USAGE;
  bool good = sb_compare_side_open(paths[0], vocabulary, drivers, &c->side[0]) &&
              sb_compare_side_open(paths[1], vocabulary, drivers, &c->side[1]) && columns_exist(c);
  if (good) sb_compare_match(c);
  if (!good || !any_in_common(c)) {
    sb_comparison_destroy(&c);
    return NULL;
  }
  for (size_t i = 0; i < c->count; ++i) judge(c, &c->pairs[i], &sum);
  for (size_t i = 0; i < c->count; ++i) count(c, &c->pairs[i]);
  c->mean = sb_ratio_mean(&sum);
  const bool beyond = c->mean.bounded && c->mean.low > 1 + request->threshold && c->mean.ratio > 1 + c->floor;
  c->mean_is_worse = beyond && c->noisy == 0;
  c->mean_is_undecided = beyond && c->noisy > 0;
  c->other_machine =
      *c->side[0].machines && *c->side[1].machines && strcmp(c->side[0].machines, c->side[1].machines) != 0;
  qsort(c->pairs, c->count, sizeof *c->pairs, compare_pairs);
  *status = sb_comparison_status(c);
  return c;
}

int sb_comparison_status(const sb_comparison *c)
{
  if (c->worse > 0 || c->mean_is_worse) return SB_EXIT_CONTRADICTION;
  return c->side[0].damaged + c->side[1].damaged > 0 ? SB_EXIT_USAGE : SB_EXIT_OK;
}

void sb_comparison_destroy(sb_comparison **comparison)
{
  sb_comparison *c = *comparison;
  if (!c) return;
  for (int s = 0; s < 2; ++s) {
    sb_compare_side_clear(&c->side[s]);
    free(c->only[s]);
  }
  json_decref(c->settings);
  free((void *)c->identities);
  free(c->pairs);
  free(c);
  *comparison = NULL;
}
