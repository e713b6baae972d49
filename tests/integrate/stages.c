/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Methods whose steps are made of stages: order, growth, decay of stiff modes and invariants, with minimisers of each
 * kind. */
#include "tests/integrate/trial.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[] = {"bdf2", "sdirk2", "implicit_midpoint"};
static const char *const minimizers[] = {"newton", "local_global", "lbfgs", "vertex_block_descent"};
enum { METHODS = 3, MINIMIZERS = 4 };

/* ---- one mode, x'' = -omega^2 x with omega = 2 ---- */

/* The eigenvalue of a step with the largest |.|, for mu = i z, as the method's textbook has it. */
static double complex eigenvalue(const char *method, double z)
{
  const double complex mu = I * z;
  const double         g = 1 - sqrt(0.5);
  if (strcmp(method, "bdf2") == 0) return (2 + csqrt(1 + 2 * mu)) / (3 - 2 * mu);
  if (strcmp(method, "sdirk2") == 0) return (1 + (1 - 2 * g) * mu) / ((1 - g * mu) * (1 - g * mu));
  return (1 + mu / 2) / (1 - mu / 2);
}

/* Displacements of the oscillator; z/2 long steps. */
static void run_oscillator(const char *pairs, double z, int count, double *u)
{
  sb_trial trial;
  sb_trial_open(&trial, PETSC_COMM_WORLD, z / 2, pairs, NULL, NULL);
  for (int n = 0; n < count; ++n) {
    sb_trial_advance(&trial, 1);
    assert_int_equal(trial.report.status, SB_OK);
    u[n] = trial.position[3] - 1;
  }
  sb_trial_close(&trial);
}

/* The growth and the angle of a step, by table, by formula and by a run: if a pair of eigenvalues remains, u'' = 2 a u'
 * - b u for three displacements in turn. */
static void growth_is_that_of_the_formula(void)
{
  enum { FIRST = 36 };
  for (int m = 0; m < METHODS; ++m)
    for (double z = 0.2; z < 1.5; z += 0.3) {
      const sb_integrator_method *method = sb_integrator_method_find(methods[m]);
      const double complex        want = eigenvalue(methods[m], z);
      char                        pairs[256];
      double                      u[FIRST + 4];
      snprintf(pairs, sizeof pairs,
               "scene=oscillator amplitude=0.4 integrator=%s minimizer=newton max_iterations=3 "
               "gradient_tolerance=0",
               methods[m]);
      run_oscillator(pairs, z, FIRST + 4, u);
      const double *w = &u[FIRST], square = (w[2] * w[2] - w[1] * w[3]) / (w[1] * w[1] - w[0] * w[2]);
      const double  half = (w[3] + square * w[1]) / w[2] / 2;
      sb_near(methods[m], "growth by table", method->growth(z, 0, 1), cabs(want), 1e-13);
      sb_near(methods[m], "growth in a run", sqrt(square), cabs(want), 1e-9);
      sb_near(methods[m], "phase by table", method->phase(z), carg(want), 1e-13);
      sb_near(methods[m], "phase in a run", acos(half / sqrt(square)), carg(want), 1e-8);
    }
}

/* A mode with h omega = 1000: L-stable methods end it at once, the midpoint rule keeps it. */
static void stiff_modes_decay(void)
{
  for (int m = 0; m < METHODS; ++m) {
    const bool keeps = strcmp(methods[m], "implicit_midpoint") == 0;
    char       pairs[256];
    double     u[12], largest = 0;
    snprintf(pairs, sizeof pairs,
             "scene=oscillator amplitude=0.01 integrator=%s minimizer=newton max_iterations=3 "
             "gradient_tolerance=0 start=previous",
             methods[m]);
    run_oscillator(pairs, 1000, 12, u);
    for (int n = 8; n < 12; ++n) largest = fmax(largest, fabs(u[n]));
    sb_holds(methods[m], keeps ? "it keeps a stiff mode" : "a stiff mode decays",
             keeps ? largest > 0.009 : largest < 1e-8);
  }
}

/* ---- nets ---- */

#define SHEET  "scene=cloth grid=3 springs=triangulated stiffness=50 gravity=[0,0,-9.8] perturbation=0.005 "
#define SOLVED "max_iterations=20000 gradient_tolerance=1e-8 "

/* Places of a sheet after 0.2 s. */
static void end_of_sheet(const char *integrator, const char *more, int steps, double x[48])
{
  char     pairs[400];
  sb_trial trial;
  snprintf(pairs, sizeof pairs, SHEET "integrator=%s %s", integrator, more);
  sb_trial_open(&trial, PETSC_COMM_WORLD, 0.2 / steps, pairs, NULL, NULL);
  sb_trial_advance(&trial, steps);
  assert_int_equal(trial.report.status, SB_OK);
  assert_int_equal(trial.report.unconverged, 0);
  memcpy(x, trial.position, 48 * sizeof *x);
  sb_trial_close(&trial);
}

static double distance(const double *a, const double *b)
{
  double sum = 0;
  for (int k = 0; k < 48; ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sqrt(sum);
}

/* Against rk4 with small steps; with drag, dampers and air the order is 1. */
static void orders_on_a_sheet(void)
{
  static const char *const brakes[] = {"", "drag=0.1", "spring_damping=0.4", "air_resistance=1"};
  for (size_t b = 0; b < 4; ++b) {
    double reference[48], coarse[48], fine[48];
    end_of_sheet("rk4", brakes[b], 3200, reference);
    for (int m = 0; m < METHODS; ++m)
      for (int i = 0; i < (b == 0 ? MINIMIZERS : 1); ++i) {
        char more[200];
        snprintf(more, sizeof more, SOLVED "minimizer=%s %s", minimizers[i], brakes[b]);
        end_of_sheet(methods[m], more, 200, coarse);
        end_of_sheet(methods[m], more, 400, fine);
        const double order = log2(distance(coarse, reference) / distance(fine, reference));
        print_message("%s with %s %s: %.3f\n", methods[m], minimizers[i], brakes[b], order);
        sb_near(methods[m], more, order, b == 0 ? 2 : 1, 0.12);
      }
  }
}

/* PETSc's implicit midpoint rule, which solves for slopes by its own Newton's method, makes the same steps. */
static void midpoint_is_that_of_petsc(void)
{
  double ours[48], theirs[48];
  end_of_sheet("implicit_midpoint", "max_iterations=50 gradient_tolerance=1e-10", 20, ours);
  end_of_sheet("petsc_ts", "", 20, theirs);
  sb_near("implicit_midpoint", "distance to petsc_ts", distance(ours, theirs), 0, 1e-10);
}

/* The midpoint rule keeps quadratic invariants: on a chain, whose springs stay in line, the energy. */
static void midpoint_keeps_quadratic_energy(void)
{
  for (int i = 0; i < 2; ++i) {
    char        pairs[400];
    sb_trial    trial;
    sb_energies before, after;
    snprintf(pairs, sizeof pairs,
             "scene=chain nodes=6 initial_mode=2 amplitude=0.1 ends=fixed_fixed max_iterations=5 "
             "gradient_tolerance=0 integrator=%s minimizer=newton",
             i == 0 ? "implicit_midpoint" : "sdirk2");
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.7, pairs, NULL, NULL);
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &before));
    sb_trial_advance(&trial, 1000);
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &after));
    if (i == 0)
      sb_near("implicit_midpoint", "energy", after.total / before.total, 1, 1e-11);
    else
      sb_holds("sdirk2", "it loses energy", after.total < 0.9 * before.total);
    sb_trial_close(&trial);
  }
}

/* A step counts once, however many of its solves missed their tolerance; one whose solve was refused ends the run with
 * the state that it began with. */
static void missed_and_refused_solves(void)
{
  for (int m = 0; m < METHODS; ++m) {
    char     pairs[400];
    sb_trial trial;
    snprintf(pairs, sizeof pairs, SHEET "integrator=%s minimizer=newton max_iterations=1 step_tolerance=1e-14",
             methods[m]);
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.01, pairs, NULL, NULL);
    sb_trial_advance(&trial, 4);
    assert_int_equal(trial.report.steps_done, 4);
    assert_int_equal(trial.report.unconverged, 4);
    sb_trial_close(&trial);
    snprintf(pairs, sizeof pairs, SHEET "integrator=%s minimizer=newton linear=petsc linear_max_iterations=2",
             methods[m]);
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.1, pairs, NULL, NULL);
    sb_trial_advance(&trial, 4);
    assert_int_equal(trial.report.status, SB_CASE_NOT_CONVERGED);
    assert_int_equal(trial.report.steps_done, 0);
    assert_memory_equal(trial.position, trial.pose.position, 3 * trial.vertices * sizeof(double));
    assert_memory_equal(trial.velocity, trial.pose.velocity, 3 * trial.vertices * sizeof(double));
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(growth_is_that_of_the_formula, stiff_modes_decay, orders_on_a_sheet, midpoint_is_that_of_petsc,
                midpoint_keeps_quadratic_energy, missed_and_refused_solves)
