/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every claim of every sweep, judged on parts of made-up results: whatever a part decides, the whole decides alike.
 *
 * The results of a sweep's whole plan are made up, in ways that let claims hold and fail: constants, powers of an axis,
 * numbers of all sizes, blanks, and cases that diverge or do not converge. Parts of them lack cases, as a filter, a
 * shard or a merge of one of two leaves them, or have cases that have not run, died, were skipped, or were timed
 * seldom. So what a part does not know is filled in at random, and its verdict must stand. */
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/describe/names.h"
#include "drivers/drivers.h"
#include "harness/results/claims.h"
#include "tests/cmocka_all.h"
#include "tests/sample.h"

/* Of sweeps of more than ROWS_FULL cases there are fewer wholes, but WHOLES_MIN: their claims are no other kind. */
enum { WHOLES = 24, WHOLES_MIN = 3, ROWS_FULL = 30, PARTS = SB_SAMPLES ? 4 : 8, REPETITIONS = 5 };

/* ---- chance: splitmix64, the same every time ---- */

static uint64_t seed;

static uint64_t draw(void)
{
  uint64_t z = (seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static size_t one_of(size_t count) { return (size_t)(draw() % count); }

static bool with_chance(double p) { return (double)(draw() >> 11) * 0x1p-53 < p; }

static double of_any_size(void)
{
  return (with_chance(0.1) ? -1 : 1) * pow(10, -12 + 16 * (double)(draw() >> 11) * 0x1p-53);
}

/* ---- made-up results ---- */

typedef struct {
  sb_session  session;
  sb_sweep   *sweep;
  sb_plan    *plan;
  sb_results *whole;
} subject;

static sb_value number(double value) { return (sb_value){.kind = SB_NUMBER, .number = value}; }

static sb_value word(const char *value) { return (sb_value){.kind = SB_WORD, .word = value}; }

static sb_results *results_of(const subject *s, const sb_plan *plan, sb_arena *arena)
{
  sb_results *results = sb_arena_take(arena, 1, sizeof *results);
  *results = (sb_results){.session = s->session, .directory = "made-up", .sweep = s->sweep, .plan = plan};
  results->session.arena = arena;
  results->published_dir = sb_arena_adopt(arena, sb_data_directory("results/published"));
  results->rows = sb_rows_create(arena);
  results->repetitions = sb_arena_take(arena, plan->count, sizeof *results->repetitions);
  results->kept = sb_arena_take(arena, 1, sizeof *results->kept);
  results->kept->planned = true;
  results->kept->plan = s->plan;
  const sb_driver *driver = sb_driver_find(s->session.vocabulary, s->sweep->driver);
  for (size_t i = 0; i < SB_COMMON_COUNT; ++i) {
    const sb_common_column *common = &sb_common_columns[i];
    sb_rows_add_column(results->rows, common->name, common->unit, false, *common->unit);
  }
  for (size_t a = 0; a < plan->axis_count; ++a) sb_rows_add_column(results->rows, plan->axes[a], "", true, false);
  for (size_t i = 0; i < driver->column_count; ++i)
    sb_rows_add_column(results->rows, driver->columns[i].name, driver->columns[i].unit, false,
                       driver->columns[i].timing);
  return results;
}

static void set(sb_results *results, size_t row, const char *column, sb_value value)
{
  sb_rows_set(results->rows, row, sb_rows_column_find(results->rows, column), value);
}

/* The value of a random axis of numbers, 1 where it is none. */
static double along(const sb_plan *plan, size_t row, size_t axis)
{
  const sb_value value = sb_case_value(&plan->cases[row], plan->axes[axis]);
  return value.kind == SB_NUMBER && value.number > 0 ? value.number : 1;
}

/* All statuses ok, or failures at random, or on one side of a value of some axis. */
static void make_statuses(const subject *s, sb_results *results)
{
  static const sb_status failures[] = {SB_CASE_DIVERGED, SB_CASE_NOT_CONVERGED, SB_CASE_NOT_SPD};
  const size_t           manner = one_of(4), axis = one_of(s->plan->axis_count), pivot = one_of(s->plan->count);
  const double           bound = along(s->plan, pivot, axis);
  for (size_t row = 0; row < s->plan->count; ++row) {
    const bool      below = along(s->plan, row, axis) < bound;
    const bool      fails = manner == 1 ? with_chance(0.2) : manner == 2 ? below : manner == 3 && !below;
    const sb_status how = fails ? failures[manner == 1 ? one_of(3) : 0] : SB_OK;
    set(results, row, "status", word(sb_status_name(how)));
  }
}

/* A constant, a power of an axis, numbers of all sizes, or a mixture; with blanks or without. */
static void make_column(const subject *s, sb_results *results, const sb_column *column)
{
  static const double powers[] = {-5, -2, -1, -0.5, 0.5, 1, 2, 4};
  const double        factor = of_any_size(), power = with_chance(0.3) ? 0 : powers[one_of(8)];
  const size_t        axis = one_of(s->plan->axis_count);
  const double        strange = with_chance(0.5) ? 0 : with_chance(0.5) ? 0.1 : 1, gaps = with_chance(0.7) ? 0 : 0.2;
  for (size_t row = 0; row < s->plan->count; ++row) {
    const bool   ok = strcmp(sb_rows_get_named(results->rows, row, "status").word, sb_status_name(SB_OK)) == 0;
    const double smooth = factor * pow(along(s->plan, row, axis), power);
    sb_value     value = number(with_chance(strange) ? of_any_size() : smooth);
    if (column->kind == SB_COLUMN_WORD) value = word(with_chance(0.5) ? "one" : "other");
    if (column->kind == SB_COLUMN_TRUTH) value = (sb_value){.kind = SB_TRUTH, .truth = with_chance(0.5)};
    if (!with_chance(ok ? gaps : 0.5)) set(results, row, column->name, value);
  }
}

static sb_results *make_up(const subject *s, sb_arena *arena)
{
  const sb_driver *driver = sb_driver_find(s->session.vocabulary, s->sweep->driver);
  sb_results      *results = results_of(s, s->plan, arena);
  const bool       seldom = with_chance(0.2);
  for (size_t row = 0; row < s->plan->count; ++row) {
    sb_rows_add_row(results->rows);
    for (size_t a = 0; a < s->plan->axis_count; ++a)
      set(results, row, s->plan->axes[a], sb_case_value(&s->plan->cases[row], s->plan->axes[a]));
    set(results, row, "key", word(s->plan->cases[row].key));
    results->repetitions[row] = seldom && with_chance(0.1) ? 1 : REPETITIONS;
  }
  make_statuses(s, results);
  for (size_t i = 0; i < driver->column_count; ++i) make_column(s, results, &driver->columns[i]);
  return results;
}

/* ---- parts ---- */

/* Which cases a part has: some at random, every other one, or those of one value of an axis. */
static bool *choose(const sb_plan *plan, sb_arena *arena)
{
  bool        *kept = sb_arena_take(arena, plan->count, sizeof *kept);
  const size_t manner = one_of(4), axis = one_of(plan->axis_count), pivot = one_of(plan->count);
  const double share = with_chance(0.5) ? 0.9 : with_chance(0.5) ? 0.5 : 0.1;
  for (size_t row = 0; row < plan->count; ++row)
    kept[row] = manner == 0   ? with_chance(share)
                : manner == 1 ? row % 2 == pivot % 2
                : manner == 2 ? along(plan, row, axis) == along(plan, pivot, axis)
                              : true;
  kept[pivot] = true;
  return kept;
}

/* What became of a case of which nothing is known. */
static void lose(sb_results *part, size_t row)
{
  static const sb_status ways[] = {SB_CASE_TIMEOUT, SB_CASE_OOM,     SB_CASE_CRASHED,
                                   SB_CASE_ERROR,   SB_CASE_SKIPPED, SB_CASE_INTERRUPTED};
  const size_t           way = one_of(7);
  for (size_t c = 0; c < sb_rows_column_count(part->rows); ++c)
    if (!sb_rows_column_at(part->rows, c)->is_option) sb_rows_set(part->rows, row, c, (sb_value){.kind = SB_BLANK});
  if (way < 6) set(part, row, "status", word(sb_status_name(ways[way])));
}

static sb_results *take_part(const subject *s, sb_arena *arena)
{
  const bool  *kept = choose(s->plan, arena);
  sb_plan     *plan = sb_plan_part(s->plan, kept, arena);
  sb_results  *part = results_of(s, plan, arena);
  const double lost = with_chance(0.5) ? 0 : 0.3, seldom = with_chance(0.8) ? 0 : 0.3;
  for (size_t from = 0, row = 0; from < s->plan->count; ++from) {
    if (!kept[from]) continue;
    sb_rows_add_row(part->rows);
    for (size_t c = 0; c < sb_rows_column_count(part->rows); ++c)
      sb_rows_set(part->rows, row, c, sb_rows_get(s->whole->rows, from, c));
    part->repetitions[row] = with_chance(seldom) ? 1 : s->whole->repetitions[from];
    if (with_chance(lost)) lose(part, row);
    row++;
  }
  return part;
}

/* ---- the test ---- */

typedef struct {
  size_t tried, of[SB_VERDICT_KINDS];
} count;

static void compare(const subject *s, const sb_results *part, count *parts)
{
  const sb_verdict *whole = sb_results_verdicts(s->whole), *verdicts = sb_results_verdicts(part);
  for (size_t i = 0; i < s->sweep->claim_count; ++i) {
    parts->tried++;
    parts->of[verdicts[i].kind]++;
    if (verdicts[i].kind == SB_NOT_TESTED || verdicts[i].kind == whole[i].kind) continue;
    fail_msg("%s: %s: a part says %s (%s), the whole %s (%s)", s->sweep->name, s->sweep->claims[i].claim,
             sb_verdict_word(verdicts[i].kind), verdicts[i].told, sb_verdict_word(whole[i].kind), whole[i].told);
  }
}

static void try_sweep(const char *path, count *wholes, count *parts)
{
  subject s = {.session = sb_session_begin(sb_full_vocabulary())};
  s.sweep = sb_sweep_read(path, &s.session);
  s.plan = s.sweep ? sb_plan_create(s.sweep, NULL, &s.session) : NULL;
  if (!s.plan) fail_msg("%s: %s", path, sb_diagnostics_message(s.session.diagnostics, 0));
  const size_t many = WHOLES * ROWS_FULL / (s.plan->count + 1), fewest = many < WHOLES_MIN ? WHOLES_MIN : many;
  for (size_t w = 0; w < (fewest < WHOLES ? fewest : WHOLES); ++w) {
    sb_arena *arena = sb_arena_create();
    s.whole = make_up(&s, arena);
    for (size_t i = 0; i < s.sweep->claim_count; ++i) wholes->of[sb_results_verdicts(s.whole)[i].kind]++;
    for (int p = 0; p < PARTS; ++p) compare(&s, take_part(&s, arena), parts);
    sb_arena_destroy(&arena);
  }
  assert_true(sb_session_end(&s.session, stderr));
}

static void a_part_decides_what_the_whole_decides(void)
{
  char  *folder = sb_data_directory("experiments");
  count  wholes = {0}, parts = {0};
  glob_t found;
  assert_int_equal(chdir(folder), 0); /* whatever signs stand in the way to it */
  assert_int_equal(glob("*/*.yaml", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) try_sweep(found.gl_pathv[i], &wholes, &parts);
  for (int kind = 0; kind < SB_VERDICT_KINDS; ++kind)
    print_message("%-24s %6zu wholes, %6zu parts\n", sb_verdict_word((sb_verdict_kind)kind), wholes.of[kind],
                  parts.of[kind]);
  assert_true(wholes.of[SB_REPRODUCED] > 100 && parts.of[SB_REPRODUCED] > 100 && parts.of[SB_NOT_REPRODUCED] > 100);
  globfree(&found);
  free(folder);
}

TEST_MAIN(a_part_decides_what_the_whole_decides)
