/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front's rules: when the loop ends and what the report then says, what a monitor sees and whom its time is
 * charged. */
#include "tests/minimize/world.h"

#include <math.h>
#include <string.h>

#define SHEET "scene=cloth;grid=3;stiffness=200;h=0.02;initial_velocity=[1,0,-3];minimizer=local_global"

/* At rest but for gravity. */
#define AUTOMATIC "initial_velocity=[0,0,0];max_iterations=20;gradient_tolerance=auto;"

enum { SEEN = 64 };

typedef struct {
  const world *w;
  PetscInt     k[SEEN], count, stop_at;
  double       gradient[SEEN];
} witness;

static PetscErrorCode watch(void *context, PetscInt k, Vec z, bool *stop)
{
  witness *s = context;
  assert_in_range(s->count, 0, SEEN - 1);
  s->gradient[s->count] = world_gradient_norm(s->w, z);
  s->k[s->count++] = k;
  *stop = k == s->stop_at;
  return 0;
}

static void minimize_watched(world *w, witness *s, PetscInt stop_at, sb_minimize_report *report)
{
  *s = (witness){.w = w, .stop_at = stop_at};
  OK(sb_minimizer_set_monitor(w->minimizer, watch, s));
  world_minimize(w, report);
  assert_int_equal(s->count, report->iterations + 1);
  for (PetscInt i = 0; i < s->count; ++i) assert_int_equal(s->k[i], i);
}

enum { NO, YES, ANY };

static const struct {
  const char *pairs;
  int         least, most; /* iterations */
  int         converged, has_gradient;
  const char *reason;  /* a part of it, or NULL */
  PetscInt    stop_at; /* the monitor ends the loop there; 0 with the reason "monitor" alone */
} rows[] = {
    {"max_iterations=3", 3, 3, YES, .has_gradient = NO},
    /* A monitor ends the loop, before the first iteration and later. */
    {"max_iterations=9", 0, 0, ANY, ANY, "monitor", 0},
    {"max_iterations=9", 2, 2, ANY, ANY, "monitor", 2},
    {"max_iterations=9", 4, 4, ANY, ANY, "monitor", 4},
    /* A tolerance that is not met. */
    {"max_iterations=2;step_tolerance=1e-12", 2, 2, NO, ANY, .reason = "max_iterations"},
    {"max_iterations=2;gradient_tolerance=1e-9", 2, 2, NO, ANY, .reason = "max_iterations"},
    /* auto: newton stops by its gradient against the external force, also at rest where no gradient is to begin with; a
     * start in the minimum needs no iteration; local_global, and a step_tolerance, leave it off. */
    {AUTOMATIC "minimizer=newton;start=previous", 1, 12, YES,
     .has_gradient = YES}, /* at rest: |grad g| is that of gravity */
    {AUTOMATIC "minimizer=newton;start=inertial;pins=none", 0, 0, YES, .has_gradient = YES},
    {AUTOMATIC "minimizer=newton;start=inertial;pins=none;gravity=[0,0,0]", 0, 0, YES, .has_gradient = YES},
    {AUTOMATIC "minimizer=newton;start=inertial;initial_velocity=[4,0,-9]", 2, 12, YES, .has_gradient = YES},
    {AUTOMATIC "minimizer=newton;step_tolerance=1e-3", 1, 20, YES, .has_gradient = NO},
    {AUTOMATIC "minimizer=local_global", 20, 20, YES, .has_gradient = NO},
};

static void test_ends(void)
{
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    world              w;
    witness            s;
    sb_minimize_report report;
    double             force;
    const bool         stopped = rows[i].reason && strcmp(rows[i].reason, "monitor") == 0;
    print_message("  %s\n", rows[i].pairs);
    world_open(&w, PETSC_COMM_WORLD, SHEET ";%s", rows[i].pairs);
    minimize_watched(&w, &s, stopped ? rows[i].stop_at : -1, &report);
    assert_in_range(report.iterations, rows[i].least, rows[i].most);
    if (rows[i].converged != ANY) assert_int_equal(report.converged, rows[i].converged);
    if (rows[i].has_gradient != ANY) assert_int_equal(isfinite(report.gradient_norm), rows[i].has_gradient);
    if (rows[i].reason) assert_non_null(strstr(report.reason, rows[i].reason));
    if (!stopped && rows[i].least > 0) assert_true(sb_outcome_accepted(report.linear_outcome));
    if (i == 0) assert_at_most(report.residual, 1e-10);
    if (i == 0) assert_at_most(1e-300, report.residual);
    OK(sb_potential_external_norm(w.potential, &force));
    if (strcmp(rows[i].pairs, AUTOMATIC "minimizer=newton;start=previous") == 0) {
      assert_at_most(fabs(force - 9.8 / 16 * sqrt(14)), 1e-12); /* 1 kg on 16 vertices, two pinned */
      assert_at_most(report.gradient_norm, 1e-6 * force);
    }
    world_close(&w);
  }
}

static void test_gradient_tolerance(void)
{
  world              w;
  witness            s;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD, SHEET ";max_iterations=60;gradient_tolerance=1e-3");
  minimize_watched(&w, &s, -1, &report);
  assert_true(report.converged);
  assert_non_null(strstr(report.reason, "gradient_tolerance"));
  assert_at_most(report.gradient_norm, 1e-3);
  assert_at_most(fabs(report.gradient_norm - s.gradient[report.iterations]), 1e-12);
  /* The loop makes as many iterations as it needs. */
  assert_true(report.iterations > 1);
  assert_at_most(1e-3, s.gradient[report.iterations - 1]);
  /* A state that is good already is left alone. */
  OK(sb_minimizer_set_monitor(w.minimizer, NULL, NULL));
  OK(sb_minimizer_continue(w.minimizer, w.potential, w.z, &report));
  assert_int_equal(report.iterations, 0);
  assert_true(report.converged);
  world_close(&w);
}

static double move_of_iteration(PetscInt k)
{
  world              before, after;
  sb_minimize_report report;
  world_open(&before, PETSC_COMM_WORLD, SHEET ";max_iterations=%d", (int)k - 1);
  world_open(&after, PETSC_COMM_WORLD, SHEET ";max_iterations=%d", (int)k);
  world_minimize(&before, &report);
  world_minimize(&after, &report);
  const double move = world_distance(&before, before.z, &after, after.z);
  world_close(&before);
  world_close(&after);
  return move;
}

static void test_step_tolerance(void)
{
  world              w;
  witness            s;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD, SHEET ";max_iterations=60;step_tolerance=1e-4");
  minimize_watched(&w, &s, -1, &report);
  assert_true(report.converged);
  assert_non_null(strstr(report.reason, "step_tolerance"));
  assert_true(report.iterations > 2);
  assert_at_most(move_of_iteration(report.iterations), 1e-4);
  assert_at_most(1e-4, move_of_iteration(report.iterations - 1));
  world_close(&w);
}

/* A solve that is refused ends the loop, says so, and leaves z at the last good iterate. */
static void test_refused_solve(void)
{
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    world              w;
    sb_minimize_report report;
    if (!world_runs(sb_minimizer_method_at(m))) continue;
    world_open(&w, PETSC_COMM_WORLD,
               "scene=cloth;grid=4;stiffness=1e5;h=0.1;linear=jacobi;linear_max_iterations=2;"
               "start=previous;initial_velocity=[1,0,0];minimizer=%s",
               sb_minimizer_method_at(m)->name);
    if (!sb_minimizer_linear(w.minimizer)) {
      world_close(&w);
      continue;
    }
    world_minimize(&w, &report);
    assert_false(sb_outcome_accepted(report.linear_outcome));
    assert_false(report.converged);
    assert_int_equal(report.iterations, 0);
    assert_true(report.linear_iterations > 0);
    assert_at_most(world_distance(&w, w.z, &w, w.x), 0);
    world_close(&w);
  }
}

/* The method's phases count what the method did, monitor or not. */
static void test_monitor_is_not_charged_to_the_method(void)
{
  sb_profile profile[2] = {0};
  for (int watched = 0; watched < 2; ++watched) {
    world              w;
    witness            s = {.stop_at = -1};
    sb_minimize_report report;
    world_open_bare(&w, PETSC_COMM_WORLD, SHEET ";max_iterations=5");
    w.system->profile = &profile[watched];
    OK(sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer));
    s.w = &w;
    if (watched) OK(sb_minimizer_set_monitor(w.minimizer, watch, &s));
    world_minimize(&w, &report);
    world_close(&w);
  }
  for (int phase = 0; phase < SB_PHASE_COUNT; ++phase) {
    const long more = phase == SB_PHASE_CHECK ? 6 : 0;
    assert_int_equal(profile[1].calls[phase], profile[0].calls[phase] + more);
  }
  assert_int_equal(profile[0].calls[SB_PHASE_LOCAL], 5);
  assert_int_equal(profile[0].calls[SB_PHASE_SOLVE], 5);
  assert_int_equal(profile[0].calls[SB_PHASE_FACTOR], 1);
}

/* Newton analyses its pattern once, in prepare, and factors there once and then in every iteration; with a gradient
 * tolerance the gradient of the stopping rule is the gradient of the iteration. */
static void test_newton_does_nothing_twice(void)
{
  world              w;
  sb_profile         profile = {0};
  sb_minimize_report report;
  world_open_bare(&w, PETSC_COMM_WORLD, SHEET ";minimizer=newton;max_iterations=2;gradient_tolerance=1e-30");
  w.system->profile = &profile;
  OK(sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer));
  for (int step = 0; step < 3; ++step) world_step(&w, &report);
  assert_int_equal(profile.calls[SB_PHASE_ANALYZE], 1);
  assert_int_equal(profile.calls[SB_PHASE_FACTOR], 1 + 3 * 2);
  assert_int_equal(profile.calls[SB_PHASE_SOLVE], 3 * 2);
  /* A gradient for each of three iterates a step. */
  assert_int_equal(profile.calls[SB_PHASE_RIGHT_HAND_SIDE], 3 * 3);
  world_close(&w);
}

/* The cost of a tolerance that the front finds for a step is the front's, not the method's: one more check per step. */
static void test_automatic_tolerance_is_not_charged_to_the_method(void)
{
  static const char *const tolerances[] = {"auto", "1e-30"};
  sb_profile               profile[2] = {0};
  for (int given = 0; given < 2; ++given) {
    world              w;
    sb_minimize_report report;
    world_open_bare(&w, PETSC_COMM_WORLD, SHEET ";minimizer=newton;max_iterations=1;gradient_tolerance=%s",
                    tolerances[given]);
    w.system->profile = &profile[given];
    OK(sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer));
    for (int step = 0; step < 3; ++step) world_step(&w, &report);
    world_close(&w);
  }
  for (int phase = 0; phase < SB_PHASE_COUNT; ++phase)
    assert_int_equal(profile[0].calls[phase], profile[1].calls[phase] + (phase == SB_PHASE_CHECK ? 3 : 0));
}

static void test_start_is_the_one_asked_for(void)
{
  static const char *const names[] = {"inertial", "coast", "previous"};
  for (int start = 0; start < 3; ++start) {
    world              w;
    witness            s;
    sb_minimize_report report;
    world_open(&w, PETSC_COMM_WORLD, SHEET ";start=%s", names[start]);
    minimize_watched(&w, &s, 0, &report);
    Vec first = start == 0 ? w.potential->y : start == 1 ? w.potential->coast : w.x;
    assert_at_most(world_distance(&w, w.z, &w, first), 0);
    world_close(&w);
  }
}

PETSC_TEST_MAIN(test_ends, test_gradient_tolerance, test_step_tolerance, test_refused_solve,
                test_monitor_is_not_charged_to_the_method, test_newton_does_nothing_twice,
                test_automatic_tolerance_is_not_charged_to_the_method, test_start_is_the_one_asked_for)
