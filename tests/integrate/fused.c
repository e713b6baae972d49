/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fused steps are those of explicit.h over the kernels of pairs, bit for bit: on every instruction set, by one thread
 * and several, for every method that has them, with nets of every length modulo the vector width, pins, springs without
 * a length, states that are no numbers, and runs that leave their bounds. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/integrate/explicit.h"

static const char *const methods[] = {"explicit_euler", "symplectic_euler", "velocity_verlet", "stoermer_verlet"};
enum { METHODS = sizeof methods / sizeof *methods, CALLS = 4 };
static const int64_t calls[CALLS] = {1, 2, 37, 60};

/* A way to make fused steps, with at most this many threads. */
typedef struct {
  sb_instruction_set set;
  int                threads;
} manner;

/* A method's state on a system of its own. */
typedef struct {
  sb_trial                    trial;
  const sb_integrator_method *method;
  sb_integrator_setup         setup;
  sb_explicit                *state;
  sb_advance_report           report;
} runner;

typedef struct {
  const char *pairs;
  double      h, factor, radius; /* of how many diagonals */
  sb_adjust   adjust;
} problem;

/* how = NULL: with neither bands nor fused steps. */
static void open_runner(runner *r, const problem *p, const char *method, const manner *how)
{
  char pairs[300];
  snprintf(pairs, sizeof pairs, "integrator=%s %s", method, p->pairs);
  *r = (runner){.method = sb_integrator_method_find(method)};
  sb_trial_open(&r->trial, PETSC_COMM_SELF, p->h, pairs, p->adjust, NULL);
  sb_system *system = r->trial.system;
  if (how) {
    sb_must(sb_system_set_threads(system, how->threads));
  } else {
    assert_non_null(system->bands);
    sb_bands_destroy(&system->bands);
    sb_must(PetscMalloc1(3 * (size_t)system->owned, &system->sum));
  }
  r->setup = (sb_integrator_setup){.system = system,
                                   .options = r->trial.options,
                                   .h_seconds = p->h,
                                   .velocity_factor = p->factor,
                                   .radius = p->radius * system->diagonal};
  r->state = calloc(1, r->method->state_bytes);
  assert_non_null(r->state);
  sb_must(r->method->prepare(r->state, &r->setup));
  assert_true((r->state->fused != NULL) == (how != NULL));
  if (how) sb_fused_choose(r->state->fused, how->set);
}

static void close_runner(runner *r)
{
  sb_must(r->method->destroy(r->state));
  free(r->state);
  sb_trial_close(&r->trial);
}

static void advance(runner *r, int64_t steps)
{
  r->report = (sb_advance_report){.status = SB_OK};
  sb_must(r->method->advance(r->state, r->trial.step, steps, r->trial.x, r->trial.v, &r->report));
  r->trial.step += r->report.steps_done;
  sb_trial_read(&r->trial);
}

/* A NaN is a NaN, whatever its sign. */
static bool same_bits(size_t count, const double *a, const double *b)
{
  for (size_t i = 0; i < count; ++i)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

static void compare(const char *label, const runner *got, const runner *want)
{
  const size_t count = 3 * want->trial.vertices, bytes = sizeof got->state->bounds.center;
  sb_holds(label, "as many steps", got->report.steps_done == want->report.steps_done);
  sb_holds(label, "the same status", got->report.status == want->report.status);
  sb_holds(label, got->report.reason, strcmp(got->report.reason, want->report.reason) == 0);
  sb_holds(label, "positions", same_bits(count, got->trial.position, want->trial.position));
  sb_holds(label, "velocities", same_bits(count, got->trial.velocity, want->trial.velocity));
  sb_holds(label, "the centre", memcmp(got->state->bounds.center, want->state->bounds.center, bytes) == 0);
  for (size_t i = 0; i < SB_MEMORIES_MAX && want->method->memory_name[i]; ++i)
    sb_holds(label, want->method->memory_name[i],
             same_bits(count, want->method->memory(got->state, i), want->method->memory(want->state, i)));
}

/* Several calls in a row, the last of which may end early. Returns the steps done. */
static int64_t run_one(const problem *p, const char *method, const manner *how, sb_status expected)
{
  runner want, got;
  char   label[200];
  snprintf(label, sizeof label, "%s, %s, %s, %d threads", p->pairs, method, sb_instruction_set_name(how->set),
           how->threads);
  open_runner(&want, p, method, NULL);
  open_runner(&got, p, method, how);
  for (int c = 0; c < CALLS && want.report.status == SB_OK; ++c) {
    advance(&want, calls[c]);
    advance(&got, calls[c]);
    compare(label, &got, &want);
  }
  const int64_t steps = got.trial.step;
  sb_holds(label, "the status expected", got.report.status == expected);
  close_runner(&want);
  close_runner(&got);
  return steps;
}

static int64_t run_ways(const problem *p, const char *method, sb_status expected)
{
  int64_t steps = 0;
  for (int set = 0; set <= (int)sb_instruction_set_best(); ++set)
    steps = run_one(p, method, &(manner){(sb_instruction_set)set, 1}, expected);
  return steps;
}

/* By one thread and by several, which need more vertices to be as many. Returns the steps, the same of all. */
static int64_t run_shared(const problem *p, const char *method, sb_status expected)
{
  static const int threads[] = {2, 3, 5};
  const int64_t    steps = run_ways(p, method, expected);
  for (int t = 0; t < 3; ++t)
    assert_int_equal(run_one(p, method, &(manner){sb_instruction_set_best(), threads[t]}, expected), steps);
  assert_int_equal(run_one(p, method, &(manner){SB_PORTABLE, 2}, expected), steps);
  return steps;
}

static void every_length(void)
{
  for (int nodes = 2; nodes <= 2 * SB_BAND_BLOCK + 3; ++nodes) {
    char    pairs[100];
    problem rope = {.pairs = pairs, .h = 1e-3, .factor = 1, .radius = 100};
    snprintf(pairs, sizeof pairs, "scene=rope nodes=%d drag=0", nodes);
    for (int m = 0; m < METHODS; ++m) run_ways(&rope, methods[m], SB_OK);
  }
}

static void every_net(void)
{
  static const problem problems[] = {
      {"scene=chain nodes=9 ends=fixed_free initial_mode=2 amplitude=0.2", 0.01, 0.999, 100, NULL},
      {"scene=cloth grid=3 springs=triangulated pins=first_edge", 1e-3, 1, 100, NULL},
      {"scene=cloth grid=6 springs=crossed drag=0.02", 1e-3, 1, 100, NULL},
      {"scene=cloth grid=7 springs=alternating+bending", 1e-3, 0.99, 100, NULL},
      {"scene=cloth grid=8 springs=crossed+bending pins=corners4", 1e-3, 0.999, 100, NULL},
      {"scene=cloth grid=13 springs=crossed+bending drag=0.1", 1e-4, 0.999, 100, NULL},
      {"scene=cloth grid=40 springs=triangulated+bending", 1e-4, 1, 100, NULL},
      {"scene=cloth grid=5 pins=none", 1e-2, 1, 1.5, NULL}, /* falls: the centre is found anew */
  };
  for (size_t i = 0; i < sizeof problems / sizeof *problems; ++i)
    for (int m = 0; m < METHODS; ++m) run_ways(&problems[i], methods[m], SB_OK);
}

static void fold(sb_pose *pose, const double *number)
{
  (void)number;
  for (int c = 0; c < 3; ++c) pose->position[3 * 5 + c] = pose->position[3 * 6 + c];
}

static void lose_position(sb_pose *pose, const double *number)
{
  (void)number;
  pose->position[3 * 7 + 1] = NAN;
}

static void lose_velocity(sb_pose *pose, const double *number)
{
  (void)number;
  pose->velocity[3 * 7 + 2] = INFINITY;
}

static void odd_states(void)
{
  const char *const sheet = "scene=cloth grid=5 springs=crossed+bending";
  for (int m = 0; m < METHODS; ++m) {
    run_ways(&(problem){sheet, 1e-4, 1, 100, fold}, methods[m], SB_OK);
    assert_int_equal(run_ways(&(problem){sheet, 1e-4, 1, 100, lose_position}, methods[m], SB_CASE_DIVERGED), 1);
    assert_int_equal(run_ways(&(problem){sheet, 1e-4, 1, 100, lose_velocity}, methods[m], SB_CASE_DIVERGED), 1);
  }
}

/* A step that is too long; the bounds are left in the middle of a call, by finite positions or at once. */
static void diverging_runs(void)
{
  for (int m = 0; m < METHODS; ++m) {
    const problem sheet = {"scene=cloth grid=10 springs=crossed", 0.02, 1, 3, NULL};
    const problem rope = {"scene=rope nodes=13 stiffness=1e5", 0.02, 1, 1e3, NULL};
    assert_in_range(run_ways(&sheet, methods[m], SB_CASE_DIVERGED), 4, 99);
    assert_in_range(run_ways(&rope, methods[m], SB_CASE_DIVERGED), 4, 99);
  }
}

/* Nets with more forces than springs, gravity and drag have no fused steps. */
static void others_go_the_long_way(void)
{
  static const char *const pairs[] = {"spring_damping=0.1", "wind=uniform:acceleration=[1,0,0]",
                                      "contact=cancel_velocity collider=plane:", "pin_path=linear:velocity=[0,0,0.1]"};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    char      text[200];
    sb_fused *fused = NULL;
    sb_trial  trial;
    snprintf(text, sizeof text, "scene=cloth grid=4 %s", pairs[i]);
    sb_trial_open(&trial, PETSC_COMM_SELF, 1e-3, text, NULL, NULL);
    sb_must(sb_fused_create(&(sb_integrator_setup){.system = trial.system, .h_seconds = 1e-3},
                            SB_FUSED_SYMPLECTIC_EULER, &fused));
    sb_holds(text, "not fused", fused == NULL);
    sb_trial_close(&trial);
  }
}

static void fold_meeting(sb_pose *pose, const double *number)
{
  (void)number;
  for (int c = 0; c < 3; ++c) pose->position[3 * 127 + c] = pose->position[3 * 128 + c];
}

static void lose_meeting(sb_pose *pose, const double *number)
{
  (void)number;
  pose->position[3 * 129 + 1] = NAN;
}

/* Nets of several tiles, with every length modulo the vector width; what is odd is where parts meet, and the vertex
 * that leaves its bounds is of one part. */
static void shared_nets(void)
{
  const problem fold = {"scene=cloth grid=26 springs=crossed+bending", 1e-4, 1, 100, fold_meeting};
  const problem lose = {"scene=cloth grid=26 springs=crossed+bending", 1e-4, 1, 100, lose_meeting};
  const problem burst = {"scene=cloth grid=20 springs=crossed", 0.02, 1, 3, NULL};
  const problem drop = {"scene=cloth grid=25 pins=none", 1e-2, 1, 1.5, NULL};
  for (int m = 0; m < METHODS; ++m) {
    for (int nodes = 641; nodes <= 641 + SB_BAND_BLOCK; ++nodes) {
      char    pairs[100];
      problem rope = {.pairs = pairs, .h = 1e-4, .factor = 0.999, .radius = 100};
      snprintf(pairs, sizeof pairs, "scene=rope nodes=%d drag=0.1", nodes);
      run_shared(&rope, methods[m], SB_OK);
    }
    run_shared(&fold, methods[m], SB_OK);
    run_shared(&drop, methods[m], SB_OK);
    assert_int_equal(run_shared(&lose, methods[m], SB_CASE_DIVERGED), 1);
    assert_in_range(run_shared(&burst, methods[m], SB_CASE_DIVERGED), 4, 99);
  }
}

static bool note(void *context, int64_t step)
{
  int64_t *seen = context;
  assert_true(step > *seen);
  *seen = step;
  return false;
}

/* A watch that is far from every step sees the last one, and the state is that of a run without it. */
static void watched_runs(void)
{
  for (int m = 0; m < METHODS; ++m) {
    const problem p = {"scene=rope nodes=5", 1e-3, 1, 100, NULL};
    int64_t       seen = 0;
    runner        watched, alone;
    open_runner(&watched, &p, methods[m], &(manner){SB_PORTABLE, 1});
    open_runner(&alone, &p, methods[m], &(manner){SB_PORTABLE, 1});
    watched.setup.watch = (sb_step_watch){note, &seen};
    advance(&watched, 60000);
    advance(&alone, 60000);
    compare(methods[m], &watched, &alone);
    assert_int_equal(seen, 60000);
    close_runner(&watched);
    close_runner(&alone);
  }
}

PETSC_TEST_MAIN(every_length, every_net, odd_states, diverging_runs, watched_runs, others_go_the_long_way, shared_nets)
