/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Equilibria by solvers/minimize/equilibrium.h against closed forms: the continuum's catenary (V18), the hanging string
 * of finite stiffness (V16 by this route), the static limit by three routes (V19), and symmetry. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/minimize/equilibrium.h"

#define SOLVER " hessian=blended step=armijo max_iterations=300"

/* Finds the equilibrium from the trial's state, and reads it. */
static sb_equilibrium_report settle(sb_trial *trial)
{
  sb_equilibrium_report report;
  sb_must(sb_equilibrium_find(trial->system, trial->options, NULL, trial->x, &report));
  if (!report.converged) fail_msg("%s: %g N left", report.reason, report.gradient_norm);
  sb_trial_read(trial);
  return report;
}

/* a of y = a cosh(x/a) for a chain of length number[1] over a span of number[0]: 2a sinh(span/2a) = length. */
static double catenary_parameter(double span, double length)
{
  double low = 1e-2 * span, high = 1e3 * span;
  for (int i = 0; i < 200; ++i) {
    const double a = 0.5 * (low + high);
    if (2 * a * sinh(span / (2 * a)) > length)
      low = a;
    else
      high = a;
  }
  return 0.5 * (low + high);
}

/* number: springs N, span, length, stiffness times rest length. Masses length/N on every vertex, vertices on the
 * continuum's catenary, first and last pinned. */
static void make_chain(sb_pose *pose, const double *number)
{
  const int    springs = (int)number[0];
  const double span = number[1], length = number[2], a = catenary_parameter(span, length);
  assert_true(sb_pose_allocate(pose, (size_t)springs + 1));
  for (int i = 0; i <= springs; ++i) {
    const double arc = length * (i / (double)springs - 0.5), x = a * asinh(arc / a);
    pose->position[3 * i] = x;
    pose->position[3 * i + 1] = a * cosh(x / a);
    pose->mass[i] = length / springs;
  }
  for (int i = 0; i < springs; ++i) {
    assert_true(sb_pose_add_spring(pose, i, i + 1, number[3] * springs / length, SB_STRUCTURAL));
    pose->rest_length[i] = length / springs;
  }
  pose->pinned[0] = pose->pinned[springs] = true;
}

/* Sag of N links whose stretch under unit tension is 1/stiffness. */
static double sag_of(int springs, double span, double length, double stiffness)
{
  sb_trial trial;
  sb_trial_open(&trial, PETSC_COMM_WORLD, 1, "integrator=symplectic_euler gravity=[0,-1,0]" SOLVER, make_chain,
                (double[]){springs, span, length, stiffness});
  settle(&trial);
  const double sag = trial.position[1] - trial.position[3 * (springs / 2) + 1];
  sb_trial_close(&trial);
  return sag;
}

/* Relative; to k = infinity by extrapolation in 1/k, which leaves stretches squared: 1e-8. */
static double sag_error(int springs, double span, double length)
{
  const double a = catenary_parameter(span, length), exact = a * (cosh(span / (2 * a)) - 1), k = 1e4;
  return fabs((2 * sag_of(springs, span, length, 2 * k) - sag_of(springs, span, length, k)) / exact - 1);
}

/* V18: the sag of N links approaches the continuum's as 1/N^2. */
static void sag_approaches_the_continuum(void)
{
  double coarse = sag_error(10, 1, 1.5);
  for (int springs = 20; springs <= 160; springs *= 2) {
    const double fine = sag_error(springs, 1, 1.5);
    print_message("N = %d: sag error %.4g, ratio %.4f\n", springs, fine, coarse / fine);
    sb_near("catenary", "order of the sag", log2(coarse / fine), 2, 0.05);
    coarse = fine;
  }
  sb_holds("catenary", "the sag is right at N = 160", coarse <= 3e-5);
}

/* A string below its pin: link i carries what hangs below it, l_i = L + (masses below) g/k. */
static void string_hangs_by_its_springs(void)
{
  static const char *const methods[] = {"hessian=blended step=armijo", "hessian=projected", "hessian=exact step=armijo",
                                        "minimizer=local_global max_iterations=2000"};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m) {
    char     pairs[200];
    sb_trial trial;
    snprintf(pairs, sizeof pairs, "scene=rope nodes=16 pins=first gradient_tolerance=1e-10 %s", methods[m]);
    sb_trial_open(&trial, PETSC_COMM_WORLD, 1, pairs, NULL, NULL);
    settle(&trial);
    for (int i = 0; i < 15; ++i) {
      const double *upper = &trial.position[3 * i], *lower = upper + 3;
      sb_near(methods[m], "length", upper[1] - lower[1], 400.0 / 15 + (15 - i) / 100.0, 1e-11 * 400 / 15);
    }
    sb_trial_close(&trial);
  }
}

/* Steps of an integrator until nothing moves. */
static void rest(sb_trial *trial, double speed)
{
  for (int round = 0; round < 4000; ++round) {
    double fastest = 0;
    sb_trial_advance(trial, 50);
    assert_int_equal(trial->report.status, SB_OK);
    for (size_t i = 0; i < 3 * trial->vertices; ++i) fastest = fmax(fastest, fabs(trial->velocity[i]));
    if (fastest < speed) return;
  }
  fail_msg("it does not come to rest");
}

static double distance(const sb_trial *a, const sb_trial *b)
{
  double worst = 0;
  for (size_t i = 0; i < 3 * a->vertices; ++i) {
    const double apart = fabs(a->position[i] - b->position[i]);
    if (!(apart <= worst)) worst = apart;
  }
  return worst;
}

/* V19: Newton's equilibrium, where large implicit steps come to rest, and where damped velocity Verlet does. */
static void three_routes_lead_to_one_place(void)
{
#define SHEET "scene=cloth grid=4 springs=crossed stiffness=100 pins=corners4 perturbation=1e-3 "
  sb_trial newton, implicit, verlet;
  sb_trial_open(&newton, PETSC_COMM_WORLD, 1, SHEET "gradient_tolerance=1e-12" SOLVER, NULL, NULL);
  sb_trial_open(&implicit, PETSC_COMM_WORLD, 10,
                SHEET "integrator=implicit_euler gradient_tolerance=1e-11 start=previous" SOLVER, NULL, NULL);
  sb_trial_open(&verlet, PETSC_COMM_WORLD, 0.005, SHEET "integrator=velocity_verlet damping_rate=3", NULL, NULL);
  settle(&newton);
  rest(&implicit, 1e-12);
  rest(&verlet, 1e-11);
  sb_near("implicit Euler", "distance to Newton's equilibrium", distance(&implicit, &newton), 0, 1e-8);
  sb_near("velocity Verlet", "distance to Newton's equilibrium", distance(&verlet, &newton), 0, 1e-8);
  sb_trial_close(&newton);
  sb_trial_close(&implicit);
  sb_trial_close(&verlet);
}

/* A mirror-symmetric sheet under a symmetric load hangs symmetrically: x -> -x takes vertex (i, j) to (N - i, j). */
static void symmetric_nets_hang_symmetrically(void)
{
  enum { N = 6 };
  sb_trial trial;
  sb_trial_open(&trial, PETSC_COMM_WORLD, 1, "scene=cloth grid=6 springs=crossed pins=corners2 stiffness=100" SOLVER,
                NULL, NULL);
  settle(&trial);
  for (int j = 0; j <= N; ++j) {
    for (int i = 0; i <= N; ++i) {
      const double *here = &trial.position[3 * (j * (N + 1) + i)], *there = &trial.position[3 * (j * (N + 1) + N - i)];
      sb_near("sheet", "x", here[0], -there[0], 1e-8);
      sb_near("sheet", "y", here[1], there[1], 1e-8);
      sb_near("sheet", "z", here[2], there[2], 1e-8);
    }
  }
  sb_trial_close(&trial);
}

PETSC_TEST_MAIN(sag_approaches_the_continuum, string_hangs_by_its_springs, three_routes_lead_to_one_place,
                symmetric_nets_hang_symmetrically)
