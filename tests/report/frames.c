/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Data of figures over time: the observables of case files, made by hand, become lines of a table. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cases/store/hdf5_tools.h"
#include "harness/report/figure_cases.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

/* A case file with nothing but observables: `frames` of them, the energy (i + 1)/8 in frame i, momentum (i, 0, 7). */
static void write_case_file(const world *w, const char *key, size_t frames, const char *energy)
{
  double time[4], total[4], momentum[12], step[4];
  char  *path = sb_format("%s/cases/%s.h5", w->directory, key);
  hid_t  file = sb_h5_file(path, H5F_ACC_TRUNC);
  hid_t  digest = sb_h5_group(file, "observables/state_digest");
  for (size_t i = 0; i < frames; ++i) {
    step[i] = 10.0 * (double)i;
    time[i] = 0.5 * (double)i;
    total[i] = ((double)i + 1) / 8;
    momentum[3 * i] = (double)i;
    momentum[3 * i + 1] = 0;
    momentum[3 * i + 2] = 7;
  }
  sb_h5_write(digest, "step", &(sb_h5_layout){H5T_NATIVE_DOUBLE, {frames}, "", 0}, step);
  sb_h5_write(digest, "time", &(sb_h5_layout){H5T_NATIVE_DOUBLE, {frames}, "s", 0}, time);
  hid_t series = sb_h5_group(file, "observables"), a = sb_h5_group(series, energy), b = sb_h5_group(series, "momentum");
  sb_h5_write(a, "value", &(sb_h5_layout){H5T_NATIVE_DOUBLE, {frames}, "J", 0}, total);
  sb_h5_write(b, "value", &(sb_h5_layout){H5T_NATIVE_DOUBLE, {frames, 3}, "kg m s-1", 0}, momentum);
  assert_true(sb_h5_good() && sb_h5_close(a) && sb_h5_close(b) && sb_h5_close(series) && sb_h5_close(digest) &&
              sb_h5_close(file));
  free(path);
}

enum { CASES = 3 };
static world          *w;
static sb_plan         plan;
static sb_planned_case cases[CASES];

/* Two cases with files that hold different observables, and one that failed before it had any. */
static int begin(void **state)
{
  (void)state;
  w = world_create("figures: [{id: f, script: spring_anisotropy.gp, data: frames, where: substeps < 100},\n"
                   "{id: k, kind: curves, x: time, y: energy_total, so_far: true, data: frames, series: substeps},\n"
                   "{id: m, kind: curves, x: time, y: energy_total, data: frames, series: [substeps, status, "
                   "load_direction, key]}]\n");
  sb_arena *arena = w->results.session.arena;
  plan = (sb_plan){.count = CASES, .cases = cases};
  w->results.plan = &plan;
  w->results.checksums = sb_arena_take(arena, CASES, sizeof(char *));
  assert_int_equal(mkdir(sb_arena_format(arena, "%s/cases", w->directory), 0777), 0);
  for (size_t i = 0; i < CASES; ++i) {
    world_row(w, "status", word(i == 2 ? "crashed" : "ok"), "substeps", number((double)(8 << i)), NULL);
    snprintf(cases[i].key, sizeof cases[i].key, "%016zx", i + 1);
    cases[i].options = sb_options_create(NULL);
    if (i == 2) continue;
    write_case_file(w, cases[i].key, 2 - i, i == 0 ? "energy_total" : "strain_max");
    w->results.checksums[i] = sb_arena_take(arena, SB_SHA256_HEX + 1, 1);
    assert_true(
        sb_sha256_file(sb_arena_format(arena, "%s/cases/%s.h5", w->directory, cases[i].key), w->results.checksums[i]));
  }
  return 0;
}

static int end(void **state)
{
  (void)state;
  for (size_t i = 0; i < CASES; ++i) sb_options_destroy(&cases[i].options);
  w->results.plan = NULL;
  w->results.checksums = NULL;
  world_destroy(&w);
  return 0;
}

static void frames_as_data(void)
{
  static const char *const none[] = {NULL};
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, none), SB_FIGURE_DRAWN);
  char *data = world_read(w, "figures/f.dat");
  assert_string_equal(
      data,
      "key\tstatus\tscene\tsubsteps\tdrag\tsprings\tload_direction\tstep\ttime\tenergy_total\tmomentum_x\tmomentum_y\t"
      "momentum_z\tstrain_max\tlast\n"
      "0000000000000001\tok\t?\t8\t0\t?\t[0,1,0]\t0\t0\t0.125\t0\t0\t7\t?\t0\n"
      "0000000000000001\tok\t?\t8\t0\t?\t[0,1,0]\t10\t0.5\t0.25\t1\t0\t7\t?\t1\n"
      "\n\n0000000000000002\tok\t?\t16\t0\t?\t[0,1,0]\t0\t0\t?\t0\t0\t7\t0.125\t1\n"
      "\n\n0000000000000003\tcrashed\t?\t32\t0\t?\t[0,1,0]\t?\t?\t?\t?\t?\t?\t?\t1\n");
}

/* A kind draws the same frames: a block a series, where a case without frames is named. */
static void frames_as_curves(void)
{
  static const char *const svg[] = {"svg", NULL};
  assert_int_equal(sb_figure_write(&w->results, &w->results.sweep->figures[1], svg), SB_FIGURE_DRAWN);
  char *data = world_read(w, "figures/k.dat"), *drawn = world_read(w, "figures/k.svg");
  assert_string_equal(data, "# index 0: k: 8; x, y\n0\t0.125\n0.5\t0.25\n");
  assert_non_null(strstr(drawn, "no curve: 16; 32"));
}

/* The names of what has no curve take as many lines as they need. */
static void absent_curves_stay_on_the_page(void)
{
  static const char *const svg[] = {"svg", NULL};
  assert_int_equal(sb_figure_write(&w->results, &w->results.sweep->figures[2], svg), SB_FIGURE_DRAWN);
  const char *drawn = world_read(w, "figures/m.svg");
  assert_non_null(strstr(drawn, ">no curve: 16, ok, [0,1,0], 0000000000000002; 32, crashed, [0,1,0],<"));
  assert_non_null(strstr(drawn, ">0000000000000003<"));
}

/* A file that is not what was published is no data. */
static void damaged_files_are_refused(void)
{
  size_t count = 0;
  char  *checksum = w->results.checksums[1];
  checksum[0] = checksum[0] == 'a' ? 'b' : 'a';
  assert_null(sb_figure_cases(&w->results, w->results.sweep->figures, w->results.session.arena, &count));
  assert_non_null(strstr(sb_diagnostics_message(w->results.session.diagnostics, 0), "damaged"));
}

int main(void)
{
  return RUN_TESTS_WITHIN(begin, end, frames_as_data, frames_as_curves, absent_curves_stay_on_the_page,
                          damaged_files_are_refused);
}
