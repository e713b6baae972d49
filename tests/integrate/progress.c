/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of advance: one long or many short ones, on one rank or several, what the report and the profile say, and which
 * options are refused. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double h_seconds = 0.0005; /* explicit Euler, too, keeps within its bounds for 1000 steps */

#define SCENE "scene=cloth grid=4 total_mass=1 stiffness=20 perturbation=0.02 drag=0.01 "

static void open_scene(sb_trial *trial, MPI_Comm comm, const sb_variant *variant, const char *more)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "%s %s", variant->pairs, more);
  sb_trial_open(trial, comm, h_seconds, pairs, NULL, NULL);
}

static bool same_bits(const sb_trial *a, const sb_trial *b)
{
  const size_t bytes = 3 * a->vertices * sizeof(double);
  return memcmp(a->position, b->position, bytes) == 0 && memcmp(a->velocity, b->velocity, bytes) == 0;
}

/* To the bit; but solvers that sum in the order in which messages arrive (MUMPS on several ranks) repeat themselves to
 * rounding only: seen once in 59 identical runs on 4 busy ranks, 2e-16. */
static void same_state(const sb_variant *variant, const char *what, const sb_trial *a, const sb_trial *b)
{
  if (sb_variant_solves(variant) && a->system->ranks > 1) {
    for (size_t k = 0; k < 3 * a->vertices; ++k) sb_near(variant->label, what, b->position[k], a->position[k], 1e-14);
  } else {
    sb_holds(variant->label, what, same_bits(a, b));
  }
}

/* 1000 = 500 + 500 = 1 + 999, to the bit; reading the state between does not disturb. */
static void short_calls_make_a_long_one(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE "velocity_factor=0.999");
    const int64_t    steps = variant.method->traits & SB_MINIMIZES ? 4 : sb_variant_steps(&variant, 1000);
    sb_trial         whole, halves, first;
    open_scene(&whole, PETSC_COMM_WORLD, &variant, "");
    open_scene(&halves, PETSC_COMM_WORLD, &variant, "");
    open_scene(&first, PETSC_COMM_WORLD, &variant, "");
    sb_trial_advance(&whole, steps);
    sb_trial_advance(&halves, steps / 2);
    sb_trial_advance(&halves, steps / 2);
    sb_trial_advance(&first, 1);
    sb_trial_advance(&first, 0);
    sb_trial_advance(&first, steps - 1);
    assert_int_equal(whole.step, steps);
    assert_int_equal(halves.step, steps);
    assert_int_equal(halves.report.steps_done, steps / 2);
    same_state(&variant, "two halves are the whole", &whole, &halves);
    same_state(&variant, "one step and the rest are the whole", &whole, &first);
    sb_trial_close(&whole);
    sb_trial_close(&halves);
    sb_trial_close(&first);
  }
}

/* V48: going on from a saved (x, v) in a new integrator. Those that keep nothing else repeat the bits; a two-position
 * recurrence has to find its second position again. */
static void restart_from_a_saved_state(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE "drag=0 velocity_factor=0.9");
    const bool       recurrence = variant.method->memory_name[0] != NULL;
    sb_trial         whole, restarted;
    open_scene(&whole, PETSC_COMM_WORLD, &variant, "");
    open_scene(&restarted, PETSC_COMM_WORLD, &variant, "");
    const int64_t steps = sb_variant_steps(&variant, 20);
    sb_trial_advance(&whole, steps);
    memcpy(restarted.position, whole.position, 3 * whole.vertices * sizeof(double));
    memcpy(restarted.velocity, whole.velocity, 3 * whole.vertices * sizeof(double));
    sb_trial_write(&restarted);
    restarted.step = steps;
    sb_trial_advance(&whole, steps);
    sb_trial_advance(&restarted, steps);
    if (!recurrence) same_state(&variant, "a restart repeats the whole", &whole, &restarted);
    for (size_t k = 0; k < 3 * whole.vertices; ++k) {
      sb_near(variant.label, "x after a restart", restarted.position[k], whole.position[k],
              sb_variant_is(&variant, "bdf2") ? 1e-6 : 1e-12); /* whose first step differs by h^3 */
    }
    sb_trial_close(&whole);
    sb_trial_close(&restarted);
  }
}

/* A state changed between two calls is taken as it is, not as it was left. */
static void changed_state_is_a_new_start(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE);
    sb_trial         used, fresh;
    open_scene(&used, PETSC_COMM_WORLD, &variant, "");
    open_scene(&fresh, PETSC_COMM_WORLD, &variant, "");
    sb_trial_advance(&used, 2);
    used.position[3 * used.vertices - 1] += 0.125;
    sb_trial_write(&used);
    memcpy(fresh.position, used.position, 3 * used.vertices * sizeof(double));
    memcpy(fresh.velocity, used.velocity, 3 * used.vertices * sizeof(double));
    sb_trial_write(&fresh);
    fresh.step = 2;
    sb_trial_advance(&used, 2);
    sb_trial_advance(&fresh, 2);
    same_state(&variant, "a changed state starts anew", &used, &fresh);
    sb_trial_close(&used);
    sb_trial_close(&fresh);
  }
}

/* V47: explicit integrators sum forces in one order on any number of ranks. */
static void ranks_agree(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE);
    const bool explicit = !sb_variant_solves(&variant);
    sb_trial one, all;
    open_scene(&one, PETSC_COMM_SELF, &variant, "");
    open_scene(&all, PETSC_COMM_WORLD, &variant, "");
    sb_trial_advance(&one, explicit ? 20 : 1);
    sb_trial_advance(&all, explicit ? 20 : 1);
    if (explicit) sb_holds(variant.label, "ranks agree to the bit", same_bits(&one, &all));
    for (size_t k = 0; k < 3 * one.vertices; ++k) {
      sb_near(variant.label, "x on several ranks", all.position[k], one.position[k], 1e-12);
      sb_near(variant.label, "h v on several ranks", h_seconds * all.velocity[k], h_seconds * one.velocity[k], 1e-12);
    }
    sb_trial_close(&one);
    sb_trial_close(&all);
  }
}

/* V47: as many ranks, the same bits, run after run. (MUMPS, which cholesky is on several ranks, adds in the order in
 * which messages come: hence conjugate gradients.) */
static void runs_repeat_themselves(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE);
    const char      *more = variant.method->traits & SB_MINIMIZES ? "linear=petsc" : "";
    sb_trial         first, again;
    open_scene(&first, PETSC_COMM_WORLD, &variant, more);
    sb_trial_advance(&first, 2);
    for (int run = 0; run < 3; ++run) {
      open_scene(&again, PETSC_COMM_WORLD, &variant, more);
      sb_trial_advance(&again, 2);
      sb_holds(variant.label, "runs repeat themselves to the bit", same_bits(&first, &again));
      sb_trial_close(&again);
    }
    sb_trial_close(&first);
  }
}

/* The damping rate is the factor exp(-rate h); velocity_factor and damping_rate together are refused. */
static void damping_options(void)
{
  const sb_variant variant = sb_variant_at(0, SCENE);
  char             factor[64];
  sb_trial         rate, other;
  sb_integrator   *refused = NULL;
  snprintf(factor, sizeof factor, "velocity_factor=%.17g", exp(-3 * h_seconds));
  open_scene(&rate, PETSC_COMM_WORLD, &variant, "damping_rate=3");
  open_scene(&other, PETSC_COMM_WORLD, &variant, factor);
  sb_trial_advance(&rate, 10);
  sb_trial_advance(&other, 10);
  assert_true(same_bits(&rate, &other));
  assert_true(sb_options_set_pair(rate.options, "velocity_factor=1", SB_FROM_USER, (sb_location){0}, NULL));
  sb_must(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  assert_int_equal(sb_integrator_create(rate.system, rate.options, 0.1, &refused), PETSC_ERR_USER);
  sb_must(PetscPopErrorHandler());
  sb_must(sb_integrator_destroy(&refused));
  sb_trial_close(&rate);
  sb_trial_close(&other);
}

/* A value of the user replaces the scene's, in either order. */
static void user_overrides_scene(void)
{
  const sb_variant variant = sb_variant_at(0, SCENE "velocity_factor=0.5");
  sb_trial         user, scene;
  open_scene(&user, PETSC_COMM_WORLD, &variant, "");
  open_scene(&scene, PETSC_COMM_WORLD, &variant, "");
  assert_true(sb_options_set_pair(scene.options, "damping_rate=3", SB_FROM_SCENE, (sb_location){0}, NULL));
  sb_must(sb_integrator_destroy(&scene.integrator));
  sb_must(sb_integrator_create(scene.system, scene.options, scene.h_seconds, &scene.integrator));
  sb_trial_advance(&user, 10);
  sb_trial_advance(&scene, 10);
  assert_true(same_bits(&user, &scene));
  sb_trial_close(&user);
  sb_trial_close(&scene);
}

/* Forces and contact of an explicit step are timed apart where a reading of the clock is nothing beside them, and
 * together they are less than the step (implicit ones leave the phases to the minimiser). */
static void phases_of_explicit_steps(void)
{
  PetscMPIInt ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  if (ranks > 1) return;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(
        i, "scene=cloth grid=30 self_contact=vertices thickness=0.01 contact=cancel_velocity collider=plane:");
    sb_profile profile = {0};
    sb_trial   trial;
    if (variant.method->traits & SB_MINIMIZES) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 1e-4, variant.pairs, NULL, NULL);
    trial.system->profile = &profile;
    const double started = sb_clock_seconds();
    sb_trial_advance(&trial, 3);
    const double seconds = sb_clock_seconds() - started;
    sb_holds(variant.label, "forces timed", profile.calls[SB_PHASE_FORCES] >= 3);
    sb_holds(variant.label, "contact timed", profile.calls[SB_PHASE_CONTACT] >= 3);
    sb_holds(variant.label, "parts of the step",
             profile.seconds[SB_PHASE_FORCES] > 0 && profile.seconds[SB_PHASE_CONTACT] > 0 &&
                 profile.seconds[SB_PHASE_FORCES] + profile.seconds[SB_PHASE_CONTACT] < seconds);
    trial.system->profile = NULL;
    sb_trial_close(&trial);
  }
}

/* A step too short to be timed by parts is left alone, and -log_view knows the event. */
static void profile_and_log(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SCENE);
    const bool explicit = !sb_variant_solves(&variant);
    sb_profile    profile = {0};
    PetscLogEvent event = -1;
    sb_trial      trial;
    open_scene(&trial, PETSC_COMM_WORLD, &variant, "");
    trial.system->profile = &profile;
    sb_trial_advance(&trial, 1);
    if (explicit) {
      for (int phase = 0; phase < SB_PHASE_COUNT; ++phase) assert_int_equal(profile.calls[phase], 0);
    }
    sb_must(PetscLogEventGetId("SBAdvance", &event));
    assert_true(event >= 0);
    trial.system->profile = NULL;
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(short_calls_make_a_long_one, restart_from_a_saved_state, changed_state_is_a_new_start, ranks_agree,
                phases_of_explicit_steps, runs_repeat_themselves, damping_options, user_overrides_scene,
                profile_and_log)
