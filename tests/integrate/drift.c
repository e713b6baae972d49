/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V26: over 1e5 steps of a nonlinear sheet, symplectic methods keep the energy but for an oscillation of order z^p,
 * z = h omega_max; the line through E(t) has no slope. */
#include "tests/integrate/trial.h"
#include "tests/sample.h"

#include <math.h>
#include <stdlib.h>

enum { STEPS = 100000, EVERY = 10 };

/* A sheet without gravity, pulled out of shape: number[0] is how far. */
static void deform(sb_pose *pose, const double *number)
{
  for (size_t i = 0; i < pose->vertices; ++i) {
    double *x = &pose->position[3 * i];
    if (pose->pinned[i]) continue;
    x[2] += number[0] * (1 - x[1]) * (1 + 0.5 * x[0]);
    x[1] -= 0.5 * number[0] * (1 - x[1]);
  }
}

/* sqrt(lambda_max(M^-1 L)), which no stretch exceeds, by the power method. */
static double largest_frequency(const sb_pose *pose)
{
  double *u = calloc(pose->vertices, sizeof *u), *w = calloc(pose->vertices, sizeof *w), lambda = 0;
  assert_true(u && w);
  for (size_t i = 0; i < pose->vertices; ++i) u[i] = pose->pinned[i] ? 0 : sin(1.0 + 3.7 * (double)i);
  for (int n = 0; n < 2000; ++n) {
    double norm = 0;
    for (size_t i = 0; i < pose->vertices; ++i) w[i] = 0;
    for (size_t s = 0; s < pose->springs; ++s) {
      const int    a = pose->ends[2 * s], b = pose->ends[2 * s + 1];
      const double pull = pose->stiffness[s] * (u[a] - u[b]);
      w[a] += pull;
      w[b] -= pull;
    }
    for (size_t i = 0; i < pose->vertices; ++i) w[i] = pose->pinned[i] ? 0 : w[i] / pose->mass[i];
    for (size_t i = 0; i < pose->vertices; ++i) norm = fmax(norm, fabs(w[i]));
    for (size_t i = 0; i < pose->vertices; ++i) u[i] = w[i] / norm;
    lambda = norm;
  }
  free(u);
  free(w);
  return sqrt(lambda);
}

typedef struct {
  double start, departure, trend; /* E(0), max |E - E(0)|, slope of the regression times the duration */
} energy_history;

static double energy_of(const sb_trial *trial)
{
  sb_energies energies;
  sb_must(sb_system_energies(trial->system, trial->x, trial->v, &energies));
  return energies.total;
}

static energy_history follow(const char *pairs, double z, double frequency)
{
  const int      samples = STEPS / EVERY;
  double         moment = 0, square = 0;
  energy_history history = {0};
  sb_trial       trial;
  sb_trial_open(&trial, PETSC_COMM_WORLD, z / frequency, pairs, deform, (double[]){0.3});
  history.start = energy_of(&trial);
  for (int n = 0; n < samples; ++n) {
    sb_trial_advance(&trial, EVERY);
    assert_int_equal(trial.report.status, SB_OK);
    const double energy = energy_of(&trial) - history.start, t = (n + 0.5) / samples - 0.5;
    history.departure = fmax(history.departure, fabs(energy));
    moment += t * energy;
    square += t * t;
  }
  history.trend = moment / square;
  sb_trial_close(&trial);
  return history;
}

static void energy_does_not_drift(void)
{
#define SHEET "scene=cloth grid=4 springs=crossed stiffness=100 gravity=[0,0,0] pins=corners2 "
  size_t symplectic = 0;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, SHEET);
    sb_trial         probe;
    if (!(variant.method->traits & SB_SYMPLECTIC) || !sb_makes_trial(symplectic++, 2)) continue;
    sb_trial_open(&probe, PETSC_COMM_WORLD, 1e-3, variant.pairs, NULL, NULL);
    const double frequency = largest_frequency(&probe.pose);
    sb_trial_close(&probe);
    const energy_history coarse = follow(variant.pairs, 0.2, frequency), fine = follow(variant.pairs, 0.1, frequency);
    const int            order = sb_variant_is(&variant, "symplectic_euler") ? 1 : 2;
    print_message("%s: E0 %g, departure %.3g %.3g, trend %.3g %.3g\n", variant.label, coarse.start, coarse.departure,
                  fine.departure, coarse.trend, fine.trend);
    sb_near(variant.label, "trend of the energy", coarse.trend / coarse.start, 0, 1e-4);
    sb_near(variant.label, "trend at half the step", fine.trend / fine.start, 0, 1e-4);
    sb_near(variant.label, "order of the departure", log2(coarse.departure / fine.departure), order, 0.35);
    sb_holds(variant.label, "the departure is within z^p", coarse.departure <= pow(0.2, order) * coarse.start);
  }
  assert_true(symplectic > 3);
}

PETSC_TEST_MAIN(energy_does_not_drift)
