/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Implicit Euler: its minimisers agree where they must, energy does not rise where it is convex, and what its solvers
 * refuse or leave unfinished is reported. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static void open_pairs(sb_trial *trial, double h, const char *pairs, sb_adjust adjust)
{
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, adjust, NULL);
}

/* V10: in one dimension the local step is exact, so that one iteration of local_global is implicit Euler:
 * u+ = (u + h v)/(1 + z^2). So is one of newton. */
static void one_iteration_in_one_dimension(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=oscillator amplitude=0.25 initial_velocity=[0.5,0,0]");
    const double     h = 0.25, zz = 4 * h * h, want = (0.25 + h * 0.5) / (1 + zz);
    char             pairs[512];
    sb_trial         trial;
    if (!(variant.method->traits & SB_ENDS_AT_MINIMUM)) continue;
    snprintf(pairs, sizeof pairs, "%s max_iterations=1", variant.pairs);
    open_pairs(&trial, h, pairs, NULL);
    sb_trial_advance(&trial, 1);
    assert_int_equal(trial.report.minimizer_iterations, 1);
    sb_near(variant.label, "u", trial.position[3] - 1, want, 1e-13);
    sb_near(variant.label, "v", trial.velocity[3], (want - 0.25) / h, 1e-13);
    sb_trial_close(&trial);
  }
}

/* Every spring half as long at rest as it is; with the rim pinned none is ever compressed, and E is convex there. */
static void pretension(sb_pose *pose, const double *unused)
{
  (void)unused;
  for (size_t s = 0; s < pose->springs; ++s) pose->rest_length[s] /= 2;
}

/* V27: E_{n+1} + |v+ - v|_M^2/2 <= E_n, total energies, as long as no spring is compressed. */
static void energy_inequality(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "scene=cloth grid=3 pins=[0:4,7,8,11:15] perturbation=0.05 stiffness=10 gravity=[0,0,-2]");
    char        pairs[512];
    sb_energies before, after;
    sb_trial    trial;
    if (!(variant.method->traits & SB_DISSIPATES)) continue;
    snprintf(pairs, sizeof pairs, "%s max_iterations=500 gradient_tolerance=1e-11", variant.pairs);
    open_pairs(&trial, 0.02, pairs, pretension);
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &before));
    const double slack = 1e-12 * fabs(before.total);
    for (int64_t n = 0; n < sb_variant_steps(&variant, 30); ++n) {
      double     old[48], jump = 0;
      sb_extreme shortest;
      memcpy(old, trial.velocity, sizeof old);
      sb_trial_advance(&trial, 1);
      assert_int_equal(trial.report.unconverged, 0);
      for (size_t k = 0; k < 48; ++k) jump += 0.5 * trial.pose.mass[k / 3] * pow(trial.velocity[k] - old[k], 2);
      sb_must(sb_system_energies(trial.system, trial.x, trial.v, &after));
      sb_holds(variant.label, "energy and half the square of the jump do not rise",
               after.total + jump <= before.total + slack);
      assert_true(jump > 0);
      sb_must(sb_system_shortest_spring(trial.system, trial.x, &shortest));
      assert_true(shortest.ratio > 1);
      before = after;
    }
    sb_trial_close(&trial);
  }
}

/* V27 where the energy is a saddle: across a compressed spring. For any energy a step of implicit Euler obeys
 *
 *     E_{n+1} - E_n + |v+ - v|_M^2/2 = -D,   D = V(x) - V(x+) - grad V(x+).(x - x+),
 *
 * which is not negative where V is convex; on -kappa u^2/2 it is -kappa (u+ - u)^2/2, and the energy may rise. */
static void energy_on_a_saddle(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "scene=oscillator amplitude=-0.4 initial_velocity=[0,0.5,0] gradient_tolerance=1e-12");
    char     pairs[512];
    double   risen = 0;
    sb_trial trial;
    if (!(variant.method->traits & SB_ENDS_AT_MINIMUM)) continue;
    snprintf(pairs, sizeof pairs, "%s max_iterations=1000 hessian=exact", variant.pairs);
    open_pairs(&trial, 0.05, pairs, NULL);
    for (int n = 0; n < 10; ++n) {
      const double x[2] = {trial.position[3], trial.position[4]}, v[2] = {trial.velocity[3], trial.velocity[4]};
      sb_trial_advance(&trial, 1);
      assert_int_equal(trial.report.unconverged, 0);
      const double *z = &trial.position[3], *w = &trial.velocity[3];
      const double  r = hypot(x[0], x[1]), q = hypot(z[0], z[1]), pull = 4 * (q - 1) / q; /* k = 4, l = m = 1 */
      const double  before = 2 * (r - 1) * (r - 1), after = 2 * (q - 1) * (q - 1);
      const double  bregman = before - after - pull * (z[0] * (x[0] - z[0]) + z[1] * (x[1] - z[1]));
      const double  kinetic = 0.5 * (w[0] * w[0] + w[1] * w[1] - v[0] * v[0] - v[1] * v[1]);
      const double  jump = 0.5 * (pow(w[0] - v[0], 2) + pow(w[1] - v[1], 2));
      sb_near(variant.label, "the balance of energy", after - before + kinetic + jump, -bregman, 1e-11);
      risen = fmax(risen, -bregman);
    }
    sb_holds(variant.label, "somewhere the inequality of convex energies fails", risen > 1e-5);
    sb_trial_close(&trial);
  }
}

static void state_is_that_of_the_start(const sb_trial *trial)
{
  const size_t bytes = 3 * trial->vertices * sizeof(double);
  assert_int_equal(trial->report.steps_done, 0);
  assert_memory_equal(trial->position, trial->pose.position, bytes);
  assert_memory_equal(trial->velocity, trial->pose.velocity, bytes);
  assert_memory_equal(trial->report.reason, "step 1 (t = ", 12);
}

/* A spring at half its length: M/h^2 + H is positive definite exactly for h^2 k/m < 1, h < 0.5 (V37). */
static void not_spd_ends_the_run(void)
{
  static const char *const pairs = "scene=oscillator amplitude=-0.5 integrator=implicit_euler minimizer=newton "
                                   "hessian=exact start=previous max_iterations=1";
  sb_trial                 trial;
  open_pairs(&trial, 0.501, pairs, NULL);
  sb_trial_advance(&trial, 5);
  assert_int_equal(trial.report.status, SB_CASE_NOT_SPD);
  assert_int_equal(trial.report.linear_outcome, SB_NOT_SPD);
  state_is_that_of_the_start(&trial);
  sb_trial_close(&trial);
  open_pairs(&trial, 0.499, pairs, NULL);
  sb_trial_advance(&trial, 1);
  assert_int_equal(trial.report.status, SB_OK);
  assert_int_equal(trial.report.steps_done, 1);
  sb_trial_close(&trial);
}

/* Two iterations of CG are not enough for 1e-10: the linear solve is refused. */
static void refused_solve_ends_the_run(void)
{
  sb_trial trial;
  open_pairs(&trial, 0.1,
             "scene=cloth grid=4 integrator=implicit_euler minimizer=newton linear=petsc linear_max_iterations=2",
             NULL);
  sb_trial_advance(&trial, 5);
  assert_int_equal(trial.report.status, SB_CASE_NOT_CONVERGED);
  assert_false(sb_outcome_accepted(trial.report.linear_outcome));
  state_is_that_of_the_start(&trial);
  sb_trial_close(&trial);
}

/* One iteration of newton meets no tolerance of 1e-14 m: counted, used, and the run goes on. */
static void unconverged_steps_are_counted(void)
{
  sb_trial trial;
  open_pairs(&trial, 0.01,
             "scene=cloth grid=3 integrator=implicit_euler minimizer=newton max_iterations=1 step_tolerance=1e-14",
             NULL);
  sb_trial_advance(&trial, 4);
  assert_int_equal(trial.report.status, SB_OK);
  assert_int_equal(trial.report.steps_done, 4);
  assert_int_equal(trial.report.unconverged, 4);
  assert_int_equal(trial.report.minimizer_iterations, 4);
  sb_trial_close(&trial);
}

/* Pinned vertices are at path(t), and their v is (x+ - x)/h whatever damps the others. */
static void pins_follow_their_path(void)
{
  const double h = 0.05;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=3 stiffness=50 velocity_factor=0.5 "
                                                "pin_path=oscillation:amplitude=[0.1,0,0.3],frequency=1");
    sb_trial         trial;
    if (!sb_variant_is(&variant, "implicit_euler")) continue;
    open_pairs(&trial, h, variant.pairs, NULL);
    for (int n = 1; n <= 3; ++n) {
      const double before = sin(2 * M_PI * h * (n - 1)), now = sin(2 * M_PI * h * n);
      sb_trial_advance(&trial, 1);
      for (size_t p = 0; p <= 3; p += 3) {
        sb_near(variant.label, "x", trial.position[3 * p], trial.pose.position[3 * p] + 0.1 * now, 1e-14);
        sb_near(variant.label, "z", trial.position[3 * p + 2], trial.pose.position[3 * p + 2] + 0.3 * now, 1e-14);
        sb_near(variant.label, "v_z", trial.velocity[3 * p + 2], 0.3 * (now - before) / h, 1e-12);
      }
    }
    sb_trial_close(&trial);
  }
}

/* Pins that carry a fold over rough ground come to their places although the layers of the fold leave them less room
 * than a step needs. */
static void pins_pass_the_barrier(void)
{
  sb_trial    trial;
  PetscMPIInt ranks;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  if (ranks > 1) skip(); /* the barrier is serial */
  open_pairs(&trial, 0.02,
             "scene=cloth grid=14 stiffness=100 pins=first_edge damping_rate=1 collider=plane:point=[0,0,0] "
             "contact=combined contact_stiffness=1000 friction=0.8 self_contact=barrier thickness=0.03571428571428571 "
             "integrator=implicit_euler minimizer=newton linear=cholesky max_iterations=1000 "
             "pin_path=expression:y=t<2?1-cos(1.5707963267948966*t):2,z=t<2?sin(1.5707963267948966*t)+0.04*t:0.08",
             NULL);
  sb_trial_advance(&trial, 103);
  assert_string_equal(trial.report.reason, "");
  assert_int_equal(trial.report.status, SB_OK);
  sb_trial_close(&trial);
}

PETSC_TEST_MAIN(one_iteration_in_one_dimension, energy_inequality, energy_on_a_saddle, not_spd_ends_the_run,
                refused_solve_ends_the_run, unconverged_steps_are_counted, pins_follow_their_path,
                pins_pass_the_barrier)
