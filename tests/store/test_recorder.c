/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of a run with known numbers: its file, its digest, its refusals. The files that remain are for
 * read_case_file.py. */
#include "fixture.h"

#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"

/* Steps of the stored states; -1 ends the list. */
static void assert_steps(const char *name, const char *dataset, const double *expected)
{
  sb_stored_columns columns = {.arena = sb_arena_create()};
  size_t            count = 0;
  const hid_t       file = fixture_open(name);
  while (expected[count] >= 0) ++count;
  if (count == 0)
    assert_false(sb_h5_exists(file, "particles/all/position"));
  else {
    assert_true(sb_h5_read_columns(file, dataset, "step", &columns));
    assert_int_equal(columns.count, count);
    assert_memory_equal(columns.values[0], expected, count * sizeof *expected);
  }
  sb_arena_destroy(&columns.arena);
  fixture_close(file);
}

/* The driver of the last run, which diverges, cannot know that a frame is the last. */
static void saves_what_is_asked(void)
{
  static const struct {
    const char *driver, *save, *name;
    double      steps[9];
  } cases[] = {
      {"trajectory", "none", "none", {-1}},
      {"trajectory", "final", "final", {70, -1}},
      {"trajectory", "every:1", "every1", {0, 10, 20, 30, 40, 50, 60, 70, -1}},
      {"trajectory", "every:3", "every3", {0, 30, 60, 70, -1}},
      {"diverging", "final", "diverging", {70, -1}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    json_decref(
        fixture_store(&(fixture_order){.driver = cases[i].driver, .save = cases[i].save, .name = cases[i].name}));
    if (fixture_rank() != 0) continue;
    assert_steps(cases[i].name, "particles/all/position/step", cases[i].steps);
    if (cases[i].steps[0] >= 0) assert_steps(cases[i].name, "observables/momentum/step", cases[2].steps);
  }
}

static double start_of(int64_t vertex, int axis)
{
  return axis == 2 ? 0 : (double)(axis == 0 ? vertex % 3 : vertex / 3) - 1;
}

static void stores_the_bits_that_were_given(void)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_stored_columns                       x = {.arena = arena}, v = {.arena = arena}, start = {.arena = arena};
  json_decref(fixture_store(&(fixture_order){.save = "every:1", .name = "bits"}));
  if (fixture_rank() != 0) return;
  const hid_t file = fixture_open("bits");
  assert_true(sb_h5_read_columns(file, "frames/0/position", "x", &start));
  assert_true(sb_h5_read_columns(file, "frames/5/position", "x", &x));
  assert_true(sb_h5_read_columns(file, "frames/5/velocity", "v", &v));
  assert_int_equal(x.count, 9);
  for (int i = 0; i < 27; ++i) {
    const int vertex = i / 3, axis = i % 3;
    assert_true(x.values[axis][vertex] == walk_position(start_of(vertex, axis), 5, vertex, axis));
    assert_true(start.values[axis][vertex] == walk_position(start_of(vertex, axis), 0, vertex, axis));
    assert_true(v.values[axis][vertex] == walk_velocity(5, vertex, axis));
  }
  fixture_close(file);
}

/* XXH3-128 of all positions, then all velocities, whoever holds them. */
static void state_digest_is_of_all_positions_and_velocities(void)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena   *arena = sb_arena_create();
  SB_ENDED_BY(sb_digest_destroy) sb_digest *digest = sb_digest_create();
  double                                    x[27], v[27];
  char                                      hex[SB_DIGEST_LENGTH + 1];
  size_t                                    rows = 0;
  json_decref(fixture_store(&(fixture_order){.save = "none", .name = "digest"}));
  if (fixture_rank() != 0) return;
  for (int i = 0; i < 27; ++i) {
    x[i] = walk_position(start_of(i / 3, i % 3), 7, i / 3, i % 3);
    v[i] = walk_velocity(7, i / 3, i % 3);
  }
  sb_digest_reals(digest, 27, x);
  sb_digest_reals(digest, 27, v);
  sb_digest_hex(digest, hex);
  const hid_t file = fixture_open("digest"), text = sb_h5_type('t', SB_DIGEST_LENGTH);
  const char *stored = sb_h5_read_array(arena, file, "observables/state_digest/value", text, 0, &rows);
  assert_non_null(stored);
  assert_int_equal(rows, 8);
  assert_memory_equal(stored + 7 * (size_t)SB_DIGEST_LENGTH, hex, SB_DIGEST_LENGTH);
  assert_true(sb_h5_close(text));
  fixture_close(file);
}

/* The digest of a run without a file, on rank 0. */
static void take_digest(const char *driver, const char *const *pairs, char digest[33])
{
  json_t *row = fixture_store(&(fixture_order){.driver = driver, .pairs = pairs});
  snprintf(digest, 33, "%s", fixture_text(row, NULL, "digest"));
  json_decref(row);
}

static void digest_is_of_the_run_not_of_what_is_saved(void)
{
  char none[33], every[33], other[33], later[33], forwards[33], backwards[33];
  take_digest("trajectory", (const char *const[]){"save=none", NULL}, none);
  take_digest("trajectory", (const char *const[]){"save=every:1", NULL}, every);
  take_digest("trajectory", (const char *const[]){"save=none", "stiffness=10.000000000000002", NULL}, other);
  take_digest("trajectory", (const char *const[]){"save=none", "h=0.25", "duration=1.75", NULL}, later);
  take_digest("forwards", (const char *const[]){"save=none", NULL}, forwards);
  take_digest("backwards", (const char *const[]){"save=none", NULL}, backwards);
  if (fixture_rank() != 0) return;
  assert_int_equal(strlen(none), SB_DIGEST_LENGTH);
  assert_string_equal(none, every);
  assert_string_not_equal(none, other);
  assert_string_not_equal(none, later);
  assert_string_not_equal(forwards, backwards);
}

/* A case that records nothing by itself. */
static void begin(fixture *f)
{
  fixture_create(f, NULL);
  SUCCEED(fixture_record(f, walk_driver("trajectory"), NULL, NULL));
}

enum { TIMINGS = 13, WAYS = 16 /* to record something; none is the first */ };

static PetscErrorCode record_one(sb_recorder *r, int way)
{
  static const double        one = 1, two = 2;
  static const sb_curve_name curve = {"a", "b", "", false}, clock = {"a", "b", "", true};
  if (way == 1) return sb_recorder_status(r, SB_CASE_NOT_SPD, NULL);
  if (way == 2) return sb_recorder_status(r, SB_CASE_NOT_SPD, "because");
  if (way == 3) return sb_recorder_accuracy(r, true);
  if (way == 4) return sb_recorder_accuracy(r, false);
  if (way == 5) return sb_recorder_real(r, "distance", 1);
  if (way == 6) return sb_recorder_real(r, "distance", 2);
  if (way == 7) return sb_recorder_word(r, "verdict", "1");
  if (way == 8) return sb_recorder_word(r, "verdict", "2");
  if (way == 9) return sb_recorder_curve(r, &curve, 1, &one);
  if (way == 10) return sb_recorder_curve(r, &curve, 1, &two);
  if (way == 11) return sb_recorder_step(r, 1, 1, 1, 1, "solved");
  if (way == 12) return sb_recorder_step(r, 1, 1, 1, 1, "stalled");
  if (way == 13) return sb_recorder_real(r, "step_median_s", 1);
  if (way == 14) return sb_recorder_sample(r, "step", 1, 1);
  return way == 15 ? sb_recorder_curve(r, &clock, 1, &one) : 0;
}

/* Each way of recording something reaches the digest with its value, except timings. */
static void digest_sees_everything_but_timings(void)
{
  char digests[WAYS][33] = {{0}};
  for (int way = 0; way < WAYS; ++way) {
    fixture f;
    begin(&f);
    SUCCEED(record_one(f.recorder, way));
    json_t *row = fixture_finish(&f);
    snprintf(digests[way], sizeof *digests, "%s", fixture_text(row, NULL, "digest"));
    json_decref(row);
    fixture_destroy(&f);
    if (fixture_rank() != 0) continue;
    for (int before = 0; before < way && way < TIMINGS; ++before)
      assert_string_not_equal(digests[way], digests[before]);
    if (way >= TIMINGS) assert_string_equal(digests[way], digests[0]);
  }
}

/* On every rank, though only the last has the NaN; and nothing stays in the directory. */
static void refuses_a_state_that_is_not_finite(void)
{
  char             path[64], part[96];
  fixture          f;
  const sb_driver *driver = walk_driver("not_finite");
  fixture_create(&f, NULL);
  SUCCEED(fixture_record(&f, driver, fixture_path("refused", path), NULL));
  fixture_hush();
  assert_int_equal(driver->run(&f.c, f.recorder), PETSC_ERR_FP);
  SUCCEED(PetscPopErrorHandler());
  fixture_destroy(&f);
  if (fixture_rank() != 0) return;
  snprintf(part, sizeof part, "%s.%ld.part", path, (long)getpid());
  assert_int_not_equal(access(path, F_OK), 0);
  assert_int_not_equal(access(part, F_OK), 0);
}

static void refuses_misuse(void)
{
  static const double values[2] = {1, 2};
  fixture             f;
  begin(&f);
  fixture_hush();
  assert_int_not_equal(sb_recorder_real(f.recorder, "no_such_column", 1), 0);
  assert_int_not_equal(sb_recorder_curve(f.recorder, &(sb_curve_name){"a/b", "x", "", false}, 2, values), 0);
  assert_int_not_equal(sb_recorder_curve(f.recorder, &(sb_curve_name){"a", "", "", false}, 2, values), 0);
  assert_int_not_equal(sb_recorder_sample(f.recorder, "a_phase_with_far_too_long_a_name", 0, 1), 0);
  assert_int_not_equal(sb_recorder_step(f.recorder, 0, 0, 0, 0, "an_outcome_too_long"), 0);
  assert_int_not_equal(sb_recorder_frame(f.recorder, NULL, &(sb_frame_stamp){0, 0, 0, false}, NULL, NULL), 0);
  SUCCEED(PetscPopErrorHandler());
  fixture_destroy(&f);
}

static void row_comes_back_from_the_file(void)
{
  json_auto_t *said = fixture_store(&(fixture_order){.save = "none", .name = "row"});
  if (fixture_rank() != 0) {
    assert_null(said);
    return;
  }
  const hid_t  file = fixture_open("row");
  json_auto_t *read = sb_case_file_row(file);
  json_t      *columns = json_object_get(said, "columns");
  fixture_close(file);
  assert_non_null(said);
  char host[64];
  assert_string_equal(fixture_text(said, NULL, "host"),
                      sb_host_name(host)); /* not stored in the row: it is no result */
  json_object_del(said, "host");
  assert_true(json_equal(said, read));
  assert_null(json_object_get(said, "command")); /* known from the plan */
  assert_string_equal(fixture_text(said, NULL, "status"), "ok");
  assert_true(json_is_true(json_object_get(said, "accuracy_ok")));
  assert_true(json_real_value(json_object_get(columns, "distance")) == 1.0 / 3);
  assert_string_equal(fixture_text(said, "columns", "verdict"), "h\xc3\xa4lt");
  assert_true(json_is_null(json_object_get(columns, "unknown")));
  assert_int_equal(json_object_size(columns), 4);
  assert_true(json_number_value(json_object_get(said, "max_rss_bytes")) > 1e6);
}

static void first_status_stays(void)
{
  json_auto_t *row = fixture_store(&(fixture_order){.driver = "diverging", .save = "none", .name = "status"});
  if (!row) return;
  assert_string_equal(fixture_text(row, NULL, "status"), "diverged");
  assert_string_equal(fixture_text(row, NULL, "reason"), "vertex 3 left at step 12");
  assert_true(json_is_null(json_object_get(row, "accuracy_ok")));
}

/* A run that cannot go on broke off, whether its driver says so or not. */
static void ends_that_break_off(void)
{
  static const struct {
    sb_status status;
    bool      broke_off;
  } ends[] = {{SB_OK, false},
              {SB_CASE_NOT_CONVERGED, false},
              {SB_CASE_DIVERGED, true},
              {SB_CASE_NOT_SPD, true},
              {SB_CASE_CONTACT_UNRESOLVED, true}};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    fixture f;
    begin(&f);
    SUCCEED(sb_recorder_status(f.recorder, ends[i].status, NULL));
    json_auto_t *row = fixture_finish(&f);
    if (row) assert_true(json_is_true(json_object_get(row, "broke_off")) == ends[i].broke_off);
    fixture_destroy(&f);
  }
}

static void false_accuracy_stays(void)
{
  fixture f;
  begin(&f);
  for (int i = 0; i < 3; ++i) SUCCEED(sb_recorder_accuracy(f.recorder, i != 1));
  json_auto_t *row = fixture_finish(&f);
  if (row) assert_true(json_is_false(json_object_get(row, "accuracy_ok")));
  fixture_destroy(&f);
}

/* Every rank gets the samples of all repetitions, in order. */
static void samples_join(void)
{
  static const double expected[] = {0.5, 1.5, 10.5, 11.5};
  char                path[64];
  const double       *seconds;
  size_t              count;
  fixture             f;
  json_decref(fixture_store(&(fixture_order){.save = "none", .name = "first"}));
  json_decref(
      fixture_store(&(fixture_order){.save = "none", .name = "second", .samples_from = "first", .repetition = 1}));
  fixture_create(&f, (const char *const[]){"save=none", NULL});
  SUCCEED(fixture_record(&f, walk_driver("trajectory"), NULL, fixture_path("second", path)));
  SUCCEED(sb_recorder_samples(f.recorder, "step", &count, &seconds));
  assert_int_equal(count, 4);
  assert_memory_equal(seconds, expected, sizeof expected);
  SUCCEED(sb_recorder_samples(f.recorder, "nothing", &count, &seconds));
  assert_int_equal(count, 0);
  fixture_destroy(&f);
}

static void samples_of_another_case_are_refused(void)
{
  char    path[64];
  fixture f;
  json_decref(fixture_store(&(fixture_order){.save = "none", .name = "first"}));
  fixture_create(&f, (const char *const[]){"stiffness=11", NULL});
  fixture_hush();
  assert_int_equal(fixture_record(&f, walk_driver("trajectory"), NULL, fixture_path("first", path)), PETSC_ERR_USER);
  SUCCEED(PetscPopErrorHandler());
  fixture_destroy(&f);
}

/* For read_case_file.py: two equal runs, apart in time and repetition. */
static void leave_twins(void)
{
  json_decref(fixture_store(&(fixture_order){.save = "every:2", .name = "twin_a"}));
  json_decref(fixture_store(&(fixture_order){.save = "every:2", .name = "twin_b", .repetition = 1}));
}

static int run_group(void)
{
  return RUN_TESTS(saves_what_is_asked, stores_the_bits_that_were_given,
                   state_digest_is_of_all_positions_and_velocities, digest_is_of_the_run_not_of_what_is_saved,
                   digest_sees_everything_but_timings, refuses_a_state_that_is_not_finite, refuses_misuse,
                   row_comes_back_from_the_file, first_status_stays, ends_that_break_off, false_accuracy_stays,
                   samples_join, samples_of_another_case_are_refused, leave_twins);
}

int main(int argc, char **argv) { return fixture_main(argc, argv, run_group); }
