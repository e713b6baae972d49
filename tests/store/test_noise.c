/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of noisy repetitions: marks, medians over the quiet ones, intervals, rows. Figures are fed in. */
#include "fixture.h"

#include <math.h>
#include <stdio.h>

static const sb_column columns[] = {
    {"step_s", "s", "median", .timing = true}, {"low_s", "s", "", .timing = true}, {"high_s", "s", "", .timing = true},
    {"noisy", "", "why", .timing = true},      {"work", "", "", .timing = false},
};

/* Three steps of about so many seconds. */
static PetscErrorCode run_timed(const sb_case *c, sb_recorder *recorder)
{
  static const double seconds[] = {1, 5, 3, 2, 2.02, 2.04, 2.06, 2.08};
  const double        own = seconds[c->repetition];
  const bool          noisy = c->repetition == 1 || c->warm_up == 99; /* the second, or all */
  PetscMPIInt         rank, ranks;
  double              medians[3];
  sb_median           median;
  PetscCallMPI(MPI_Comm_rank(c->comm, &rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &ranks));
  /* One rank that waits holds up the others. */
  const sb_noise_figures seen = {.window_seconds = 1, .waited_seconds = noisy && rank == ranks - 1 ? 0.5 : 0.001};
  for (int step = 0; step < 3; ++step) PetscCall(sb_recorder_sample(recorder, "step", step, own + 0.001 * (step - 1)));
  PetscCall(sb_recorder_judge(recorder, "step", &seen));
  PetscCall(sb_recorder_interval(recorder, "step", &median));
  PetscCall(sb_recorder_medians(recorder, "step", 3, medians));
  PetscCall(sb_recorder_real(recorder, "step_s", median.value));
  PetscCall(sb_recorder_real(recorder, "low_s", median.low));
  PetscCall(sb_recorder_real(recorder, "high_s", median.high));
  PetscCall(sb_recorder_real(recorder, "work", 7));
  if (c->repetition == 7) assert_true(fabs(medians[1] - 2.04) < 1e-12); /* of 1, 3, 2, 2.02 … 2.08 */
  if (c->repetition == 0) assert_true(fabs(medians[0] - 0.999) < 1e-12 && fabs(medians[2] - 1.001) < 1e-12);
  return 0;
}

static const sb_driver timed = {.name = "timed",
                                .summary = "times",
                                .columns = columns,
                                .column_count = sizeof columns / sizeof *columns,
                                .run = run_timed};

/* One repetition, stored over what the one before left; its row on rank 0. */
static json_t *repeat(int repetition, bool all_noisy)
{
  fixture f;
  char    path[64], before[64], name[32];
  fixture_create(&f, NULL);
  snprintf(name, sizeof name, "noise%d", repetition - 1);
  fixture_path(name, before);
  snprintf(name, sizeof name, "noise%d", repetition);
  f.c.repetition = repetition;
  f.c.warm_up = all_noisy ? 99 : 0;
  SUCCEED(fixture_record(&f, &timed, fixture_path(name, path), repetition > 0 ? before : NULL));
  SUCCEED(timed.run(&f.c, f.recorder));
  json_t *row = fixture_finish(&f);
  fixture_destroy(&f);
  MPI_Barrier(PETSC_COMM_WORLD);
  return row;
}

static double number_of(const json_t *row, const char *group, const char *name)
{
  const json_t *value = json_object_get(json_object_get(row, group), name);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

/* 1, then 5 (noisy), then 3: the medians are of 1; 1; 1 and 3. If all were noisy all count, and the row has a mark. */
static void medians_are_over_the_quiet_repetitions(void)
{
#define WAITED "waited 50 % for its core"
  static const struct {
    double      median, seconds;
    const char *column, *said;
    int         quiet;
  } expected[2][3] = {{{1, 1, "(none)", "", 1}, {1, 5, "(none)", WAITED, 1}, {2, 3, "(none)", "", 2}},
                      {{1, 1, WAITED, WAITED, 0},
                       {3, 5, "all of 2 times: " WAITED, WAITED, 0},
                       {3, 3, "all of 3 times: " WAITED, WAITED, 0}}};
  char digest[SB_DIGEST_LENGTH + 1] = "";
  for (int all_noisy = 0; all_noisy < 2; ++all_noisy)
    for (int r = 0; r < 3; ++r) {
      json_auto_t *row = repeat(r, all_noisy);
      if (fixture_rank() != 0) continue;
      /* Verdicts are times: they do not reach the digest. */
      if (*digest) assert_string_equal(fixture_text(row, NULL, "digest"), digest);
      snprintf(digest, sizeof digest, "%s", fixture_text(row, NULL, "digest"));
      const double median = number_of(row, "columns", "step_s"), seconds = number_of(row, "timing", "seconds");
      if (!(fabs(median - expected[all_noisy][r].median) < 1e-12)) fail_msg("median %g of repetition %d", median, r);
      assert_string_equal(fixture_text(row, "columns", "noisy"), expected[all_noisy][r].column);
      assert_string_equal(fixture_text(row, "timing", "noisy"), expected[all_noisy][r].said);
      assert_true(fabs(seconds - expected[all_noisy][r].seconds) < 1e-12);
      assert_true(number_of(row, "timing", "attempts") == r + 1);
      assert_true(number_of(row, "timing", "quiet") == expected[all_noisy][r].quiet);
    }
}

static void a_repetition_counts_unless_another_was_quiet(void)
{
  sb_noise_record     records[2] = {{.repetition = 0, .broken = 1}, {.repetition = 1}};
  const sb_case_times times = {.noise_count = 2, .noise = records};
  assert_true(sb_repetition_is_noisy(&times, 0) && !sb_repetition_is_noisy(&times, 1));
  assert_false(sb_repetition_is_noisy(&times, 2)); /* nothing is known against it */
  assert_true(!sb_repetition_counts(&times, 0) && sb_repetition_counts(&times, 1));
  records[1].broken = 1;
  assert_true(sb_repetition_counts(&times, 0) && sb_repetition_counts(&times, 1));
}

/* Every repetition stays in the file, with its verdict. */
static void all_samples_are_kept_and_marked(void)
{
  fixture                                 f;
  char                                    path[64], error[256] = "";
  sb_case_times                           times;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  for (int r = 0; r < 3; ++r) json_decref(repeat(r, false));
  fixture_create(&f, NULL);
  if (fixture_rank() == 0) {
    assert_true(sb_case_file_times(arena, fixture_path("noise2", path), f.key, &times, error));
    assert_int_equal(times.sample_count, 9);
    assert_int_equal(times.noise_count, 3);
    for (int r = 0; r < 3; ++r) {
      assert_int_equal(times.noise[r].repetition, r);
      assert_int_equal(sb_repetition_is_noisy(&times, r), r == 1);
      assert_int_equal(sb_repetition_counts(&times, r), r != 1);
      assert_true(fabs(times.noise[r].waited - (r == 1 ? 0.5 : 0.001)) < 1e-12);
    }
  }
  fixture_destroy(&f);
}

/* Seven quiet repetitions 1, 3, 2, 2.02 … 2.08: the interval is of their medians, x(1) to x(7). */
static void six_quiet_repetitions_give_the_interval(void)
{
  for (int r = 0; r < 8; ++r) {
    json_auto_t *row = repeat(r, false);
    if (row && r < 6) assert_true(isnan(number_of(row, "timing", "half_width")));
    if (row && r == 7) {
      assert_true(number_of(row, "columns", "low_s") == 1 && number_of(row, "columns", "high_s") == 3);
      assert_true(fabs(number_of(row, "timing", "half_width") - 1.04 / 2.04) < 1e-12);
    }
  }
}

static int run_group(void)
{
  return RUN_TESTS(medians_are_over_the_quiet_repetitions, a_repetition_counts_unless_another_was_quiet,
                   all_samples_are_kept_and_marked, six_quiet_repetitions_give_the_interval);
}

int main(int argc, char **argv) { return fixture_main(argc, argv, run_group); }
