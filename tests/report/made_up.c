/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See made_up.h. */
#include "tests/report/made_up.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "cases/common/durable.h"
#include "cases/describe/names.h"
#include "cases/store/case_row.h"
#include "drivers/drivers.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

/* ---- chance: splitmix64, the same every time ---- */

static uint64_t seed;

void made_up_seed(uint64_t value) { seed = value; }

static uint64_t draw(void)
{
  uint64_t z = (seed += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/* Chance of a name's own: what is drawn for another column does not change it. */
static void seed_of(uint64_t common, const char *name)
{
  for (seed = common; *name; ++name) seed = (seed ^ (unsigned char)*name) * 0x100000001b3u; /* FNV-1a */
}

static size_t one_of(size_t count) { return (size_t)(draw() % count); }

static bool with_chance(double p) { return (double)(draw() >> 11) * 0x1p-53 < p; }

static double of_any_size(void)
{
  return (with_chance(0.1) ? -1 : 1) * pow(10, -12 + 16 * (double)(draw() >> 11) * 0x1p-53);
}

/* ---- made-up results ---- */

enum { REPETITIONS = 5 };

static sb_results *rows_of(const made_up *s, const sb_plan *plan, sb_arena *arena)
{
  sb_results *results = sb_arena_take(arena, 1, sizeof *results);
  *results = (sb_results){.session = s->session, .directory = "made-up", .sweep = s->sweep, .plan = plan};
  results->session.arena = arena;
  results->published_dir = sb_arena_adopt(arena, sb_data_directory("results/published"));
  results->rows = sb_rows_create(arena);
  results->repetitions = sb_arena_take(arena, plan->count, sizeof *results->repetitions);
  results->kept = sb_arena_take(arena, 1, sizeof *results->kept);
  results->kept->plan = s->plan;
  const sb_driver *driver = sb_driver_find(s->session.vocabulary, s->sweep->driver);
  for (size_t i = 0; i < SB_COMMON_COUNT; ++i) {
    const sb_common_column *common = &sb_common_columns[i];
    sb_rows_add_column(results->rows, common->name, common->unit, false, common->timing);
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

static double along(const sb_plan *plan, size_t row, size_t axis)
{
  const sb_value value = sb_case_value(&plan->cases[row], plan->axes[axis]);
  return value.kind == SB_NUMBER && value.number > 0 ? value.number : 1;
}

/* All statuses ok, or failures at random, or on one side of a value of some axis. */
static void make_statuses(const made_up *s, sb_results *results)
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
static void make_column(const made_up *s, sb_results *results, const sb_column *column)
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

/* Only cases with a device have one; every other one is a GPU. */
static void settle_devices(const made_up *s, sb_results *results)
{
  if (sb_rows_column_find(results->rows, "device_used") == (size_t)-1) return;
  for (size_t row = 0; row < s->plan->count; ++row) {
    const bool none = SB_IS(s->plan->cases[row].options, device, "none");
    if (none) set(results, row, "device_used", blank());
    set(results, row, "device_gpu", none ? blank() : number((double)(row % 2)));
  }
}

/* Most cases are of one build on one host, some of others; or all are of one, or nothing is known of them. */
void made_up_origins(const made_up *s, sb_results *results, sb_arena *arena)
{
  static const sb_case_origin origins[] = {{"build A", "machine A", "host A"},
                                           {"build A", "machine A", "host B"},
                                           {"build B", "machine A", "host A"},
                                           {"build A", "machine B", "host C"}};
  const double                others = with_chance(0.5) ? 0 : with_chance(0.5) ? 0.2 : 0.7;
  if (with_chance(0.3)) return;
  sb_case_origin *each = sb_arena_take(arena, s->plan->count, sizeof *each);
  for (size_t row = 0; row < s->plan->count; ++row) each[row] = origins[with_chance(others) ? 1 + one_of(3) : 0];
  results->origins = each;
}

/* No time is noisy, or some are, or all. */
static void make_noise(const made_up *s, sb_results *results)
{
  const double share = with_chance(0.5) ? 0 : with_chance(0.8) ? 0.2 : 1;
  for (size_t row = 0; row < s->plan->count; ++row)
    set(results, row, "noisy", with_chance(share) ? word("waited 9 % for its core") : blank());
}

sb_results *made_up_whole(const made_up *s, sb_arena *arena)
{
  const sb_driver *driver = sb_driver_find(s->session.vocabulary, s->sweep->driver);
  sb_results      *results = rows_of(s, s->plan, arena);
  const bool       seldom = with_chance(0.2);
  for (size_t row = 0; row < s->plan->count; ++row) {
    sb_rows_add_row(results->rows);
    for (size_t a = 0; a < s->plan->axis_count; ++a)
      set(results, row, s->plan->axes[a], sb_case_value(&s->plan->cases[row], s->plan->axes[a]));
    set(results, row, "key", word(s->plan->cases[row].key));
    results->repetitions[row] = seldom && with_chance(0.1) ? 1 : REPETITIONS;
  }
  make_statuses(s, results);
  const uint64_t common = draw();
  for (size_t i = 0; i < driver->column_count; ++i) {
    seed_of(common, driver->columns[i].name);
    make_column(s, results, &driver->columns[i]);
  }
  seed_of(common, "");
  settle_devices(s, results);
  if (sb_rows_column_find(results->rows, "noisy") != (size_t)-1) make_noise(s, results);
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

/* Gives a case without known results the end that it came to. */
static void lose(sb_results *part, size_t row)
{
  static const sb_status ways[] = {SB_CASE_TIMEOUT, SB_CASE_OOM,     SB_CASE_CRASHED,
                                   SB_CASE_ERROR,   SB_CASE_SKIPPED, SB_CASE_INTERRUPTED};
  const size_t           way = one_of(7);
  for (size_t c = 0; c < sb_rows_column_count(part->rows); ++c)
    if (!sb_rows_column_at(part->rows, c)->is_option && strcmp(sb_rows_column_at(part->rows, c)->name, "key") != 0)
      sb_rows_set(part->rows, row, c, (sb_value){.kind = SB_BLANK});
  if (way < 6) set(part, row, "status", word(sb_status_name(ways[way])));
}

sb_results *made_up_part(const made_up *s, const sb_results *whole, sb_arena *arena)
{
  const bool     *kept = choose(s->plan, arena);
  sb_plan        *plan = sb_plan_part(s->plan, kept, arena);
  sb_results     *part = rows_of(s, plan, arena);
  const double    lost = with_chance(0.5) ? 0 : 0.3, seldom = with_chance(0.8) ? 0 : 0.3;
  sb_case_origin *origins = sb_arena_take(arena, plan->count, sizeof *origins);
  if (whole->origins) part->origins = origins;
  for (size_t from = 0, row = 0; from < s->plan->count; ++from) {
    if (!kept[from]) continue;
    sb_rows_add_row(part->rows);
    for (size_t c = 0; c < sb_rows_column_count(part->rows); ++c)
      sb_rows_set(part->rows, row, c, sb_rows_get(whole->rows, from, c));
    if (whole->origins) origins[row] = whole->origins[from];
    part->repetitions[row] = with_chance(seldom) ? 1 : whole->repetitions[from];
    if (with_chance(lost)) lose(part, row);
    row++;
  }
  return part;
}

/* Cases find their files beside the sweep. */
static void enter_inputs(const char *path)
{
  SB_OWNED char *folder = sb_format("%.*s", (int)(strrchr(path, '/') - path), path);
  SB_OWNED char *inputs = realpath(folder, NULL);
  setenv(SB_INPUTS_VARIABLE, inputs, 1);
}

void made_up_begin(made_up *s, const char *path, size_t most)
{
  const sb_selection quick = {.quick = true};
  *s = (made_up){.session = sb_session_begin(sb_full_vocabulary())};
  enter_inputs(path);
  s->sweep = sb_sweep_read(path, &s->session);
  s->plan = s->sweep ? sb_plan_create(s->sweep, NULL, &s->session) : NULL;
  if (s->plan && s->plan->count > most && !s->sweep->quick.none)
    s->plan = sb_plan_create(s->sweep, &quick, &s->session);
  if (!s->plan) fail_msg("%s: %s", path, sb_diagnostics_message(s->session.diagnostics, 0));
}
