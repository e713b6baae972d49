/* SPDX-License-Identifier: GPL-3.0-or-later */
/* petsc_ts with other texts than none: twins of springbench's own methods, methods with a history, adaptors, failures.
 */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SHEET                                                                                                          \
  "scene=cloth grid=4 perturbation=0.02 drag=0.05 pin_path=expression:z=0.3*sin(20*t) "                                \
  "contact=penalty contact_stiffness=200 collider=sphere:centre=[0,0,-0.3],radius=0.32 "

static void open_text(sb_trial *trial, double h, const char *text, const char *more)
{
  char pairs[600];
  snprintf(pairs, sizeof pairs, "integrator=petsc_ts %s", more);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, NULL, NULL);
  sb_must(sb_integrator_destroy(&trial->integrator)); /* a text has spaces, which separate pairs */
  sb_options_set(trial->options, SB_ID(petsc_ts), text, SB_FROM_USER, (sb_location){0}, NULL);
  sb_must(sb_integrator_create(trial->system, trial->options, h, &trial->integrator));
}

static double distance(const sb_trial *a, const sb_trial *b)
{
  double most = 0;
  for (size_t k = 0; k < 3 * a->vertices; ++k)
    most =
        fmax(most, fmax(fabs(a->position[k] - b->position[k]), a->h_seconds * fabs(a->velocity[k] - b->velocity[k])));
  return most;
}

/* A sheet on moving pins that a sphere pushes, with drag: every force but dampers, and the matrices of all of them. */
static void twins_step_alike(void)
{
  static const struct {
    const char *text, *twin, *contact;
  } pairs[] = {
      {"-ts_type euler", "explicit_euler", "contact=penalty"},
      {"-ts_type rk -ts_rk_type 4", "rk4", "contact=penalty"},
      {"-ts_type rk -ts_rk_type 4", "rk4", "contact=combined friction=0.4"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i) {
    char     more[600];
    sb_trial ours, theirs;
    snprintf(more, sizeof more, "integrator=%s %s spring_damping=0.01 %s", pairs[i].twin, SHEET, pairs[i].contact);
    sb_trial_open(&ours, PETSC_COMM_WORLD, 0.002, more, NULL, NULL);
    open_text(&theirs, 0.002, pairs[i].text, strchr(more, ' '));
    sb_trial_advance(&ours, 20);
    sb_trial_advance(&theirs, 20);
    assert_int_equal(theirs.report.status, SB_OK);
    sb_near(pairs[i].text, "distance from its twin", distance(&ours, &theirs), 0, 1e-13);
    sb_trial_close(&ours);
    sb_trial_close(&theirs);
  }
}

/* A vertex in a plane, pushed out of it by a stiff penalty (q = k_c h^2/m = 1), loses mu times the speed that it gains
 * outwards, whichever the stages are. */
static void friction_counts_the_impulse(void)
{
  static const char *const texts[] = {"",
                                      "-ts_type euler",
                                      "-ts_type beuler",
                                      "-ts_type cn",
                                      "-ts_type theta -ts_theta_theta 0.7",
                                      "-ts_type rk -ts_rk_type 2a",
                                      "-ts_type rk -ts_rk_type 3bs",
                                      "-ts_type rk -ts_rk_type 5dp"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    sb_trial trial;
    open_text(&trial, 0.01, texts[i],
              "scene=cloth grid=1 pins=none total_mass=4 gravity=[0,0,0] initial_velocity=[3,0,0] contact=combined "
              "contact_stiffness=10000 friction=0.1 collider=plane:point=[0,0,0.01],normal=[0,0,1]");
    sb_trial_advance(&trial, 1);
    assert_int_equal(trial.report.status, SB_OK);
    for (size_t k = 0; k < 4; ++k) {
      sb_holds(texts[i], "it is pushed", trial.velocity[3 * k + 2] > 0.1);
      sb_near(texts[i], "3 - v_x over v_z", (3 - trial.velocity[3 * k]) / trial.velocity[3 * k + 2], 0.1, 1e-10);
    }
    sb_trial_close(&trial);
  }
}

/* If gravity is the only external force, both methods take all forces at the end of the step. */
static void implicit_twin(void)
{
  sb_trial ours, theirs;
  sb_trial_open(&ours, PETSC_COMM_WORLD, 0.01,
                "scene=cloth grid=4 perturbation=0.02 integrator=implicit_euler minimizer=newton hessian=exact "
                "gradient_tolerance=1e-13 max_iterations=40",
                NULL, NULL);
  open_text(&theirs, 0.01, "-ts_type beuler", "scene=cloth grid=4 perturbation=0.02");
  sb_trial_advance(&ours, 20);
  sb_trial_advance(&theirs, 20);
  sb_near("beuler", "distance from implicit Euler", distance(&ours, &theirs), 0, 1e-11);
  sb_trial_close(&ours);
  sb_trial_close(&theirs);
}

/* Newton's matrix is the derivative of what it is to be: full steps converge quadratically, so that six are enough. */
static void matrices_are_derivatives(void)
{
  static const char *const texts[] = {"-snes_max_it 6", "-ts_type alpha2 -snes_max_it 6",
                                      "-ts_type bdf -snes_max_it 6"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    sb_trial trial;
    open_text(&trial, 0.02, texts[i], SHEET);
    sb_trial_advance(&trial, 10);
    if (trial.report.status != SB_OK) fail_msg("%s: %s", texts[i], trial.report.reason);
    sb_trial_close(&trial);
  }
}

/* Order 2 with all forces, which a matrix that is wrong would not show but a residual would. On several ranks the first
 * method stands for all: their messages take most of the time. */
static void second_order(void)
{
  static const char *const texts[] = {"-ts_type alpha2", "-ts_type bdf", "-ts_type cn"};
  static const char        scene[] = "scene=cloth grid=4 perturbation=0.02 drag=0.5 spring_damping=0.02 stiffness=10";
  sb_trial                 truth;
  sb_trial_open(&truth, PETSC_COMM_WORLD, 0.2 / 500,
                "integrator=rk4 scene=cloth grid=4 perturbation=0.02 drag=0.5 spring_damping=0.02 stiffness=10", NULL,
                NULL);
  sb_trial_advance(&truth, 500);
  for (size_t i = 0; i < (truth.system->ranks > 1 ? 1 : sizeof texts / sizeof *texts); ++i) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      const int steps = 50 << k;
      sb_trial  trial;
      open_text(&trial, 0.2 / steps, texts[i], scene);
      sb_trial_advance(&trial, steps);
      assert_int_equal(trial.report.status, SB_OK);
      off[k] = 0;
      for (size_t c = 0; c < 3 * trial.vertices; ++c)
        off[k] = fmax(off[k], fabs(trial.position[c] - truth.position[c]));
      sb_trial_close(&trial);
    }
    sb_near(texts[i], "order", log2(off[0] / off[1]), 2, 0.15);
  }
  sb_trial_close(&truth);
}

/* A history lasts from call to call; another state ends it. */
static void history_is_kept(void)
{
  static const char *const texts[] = {"-ts_type bdf", "-ts_type alpha2 -ts_alpha_radius 0.5",
                                      "-ts_type alpha -ts_alpha_radius 0.5"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    static const char scene[] = "scene=cloth grid=4 perturbation=0.02";
    sb_trial          whole, parts, afresh;
    open_text(&whole, 0.01, texts[i], scene);
    open_text(&parts, 0.01, texts[i], scene);
    open_text(&afresh, 0.01, texts[i], scene);
    sb_trial_advance(&whole, 12);
    for (int n = 0; n < 12; ++n) sb_trial_advance(&parts, 1);
    sb_near(texts[i], "one call and twelve", distance(&whole, &parts), 0, whole.system->ranks > 1 ? 1e-13 : 0);
    for (int n = 0; n < 12; ++n) {
      sb_trial_advance(&afresh, 1);
      afresh.velocity[3 * 20] = nextafter(afresh.velocity[3 * 20], 9);
      sb_trial_write(&afresh);
    }
    sb_holds(texts[i], "a state that somebody changed is a new start", distance(&whole, &afresh) > 1e-9);
    sb_trial_close(&whole);
    sb_trial_close(&parts);
    sb_trial_close(&afresh);
  }
}

/* With an adaptor, a step that is far too long for Runge-Kutta's method is made of several. */
static void adaptors_divide_steps(void)
{
  static const char scene[] = "scene=cloth grid=4 perturbation=0.02 stiffness=500";
  sb_trial          fixed, adapted;
  open_text(&fixed, 0.1, "-ts_type rk", scene);
  open_text(&adapted, 0.1, "-ts_type rk -ts_adapt_type basic -ts_rtol 1e-7 -ts_atol 1e-7", scene);
  sb_trial_advance(&fixed, 30);
  sb_trial_advance(&adapted, 5);
  assert_int_equal(fixed.report.status, SB_CASE_DIVERGED);
  assert_int_equal(adapted.report.status, SB_OK);
  sb_trial_close(&fixed);
  sb_trial_close(&adapted);
}

/* A failure is a result: it names its step and leaves the state from before the step. */
static void failures_are_results(void)
{
  static const struct {
    const char *text, *reason;
  } rows[] = {
      {"-snes_max_it 1", "step 1 (t = 0.1 s): TS: its nonlinear solver did not converge"},
      {"-ksp_type cg -ksp_max_it 1 -pc_type none", "step 1 (t = 0.1 s): TS: its linear solver failed"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    double   before[75], speed[75];
    sb_trial trial;
    open_text(&trial, 0.1, rows[i].text, "scene=cloth grid=4 perturbation=0.02 stiffness=500");
    for (size_t k = 0; k < 75; ++k) trial.velocity[k] = k < 3 || (12 <= k && k < 15) ? 0 : 0.01 * (double)k; /* pins */
    sb_trial_write(&trial);
    memcpy(before, trial.position, sizeof before);
    memcpy(speed, trial.velocity, sizeof speed);
    sb_trial_advance(&trial, 3);
    assert_int_equal(trial.report.status, SB_CASE_NOT_CONVERGED);
    assert_int_equal(trial.report.steps_done, 0);
    assert_string_equal(trial.report.reason, rows[i].reason);
    assert_memory_equal(trial.position, before, sizeof before);
    assert_memory_equal(trial.velocity, speed, sizeof speed);
    sb_trial_close(&trial);
  }
}

/* Another method than the default: nothing is claimed of it. */
static void claims_are_the_defaults(void)
{
  sb_trial trial;
  open_text(&trial, 0.1, "-ts_type rk", "scene=cloth grid=4");
  assert_null(sb_integrator_known(trial.options));
  sb_options_set(trial.options, SB_ID(petsc_ts), "", SB_FROM_USER, (sb_location){0}, NULL);
  assert_non_null(sb_integrator_known(trial.options));
  sb_trial_close(&trial);
}

PETSC_TEST_MAIN(twins_step_alike, friction_counts_the_impulse, implicit_twin, matrices_are_derivatives, second_order,
                history_is_kept, adaptors_divide_steps, failures_are_results, claims_are_the_defaults)
