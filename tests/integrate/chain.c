/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chain of n free masses: every mode by itself, and the limit of the fastest.
 *
 * Fixed ends, k = m = 1: mode j has shape sin(pi i j/(n + 1)) and w_j = 2 sin(j pi/(2(n + 1))). Motion stays on the
 * line and no spring goes through length 0, so forces are linear and modes do not mix. Vertices stand in the order of
 * the line; which of them are pinned is read off the pose. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES = 7 };

static const double amplitude = 0.4; /* m; springs stay longer than 0.2 m */

static double frequency(int j) { return 2 * sin(j * M_PI / (2 * (NODES + 1))); }

/* Coefficient of mode j in the displacements of the free masses, in the order of the line. */
static double coefficient(const sb_trial *trial, const double *rest, const double *values, int j)
{
  double sum = 0;
  int    place = 0;
  for (size_t i = 0; i < trial->vertices; ++i) {
    if (trial->pose.pinned[i]) continue;
    ++place;
    sum += (values[3 * i] - (rest ? rest[3 * i] : 0)) * sin(M_PI * place * j / (NODES + 1));
  }
  return sum * 2 / (NODES + 1);
}

/* A chain at rest, whose pose is the reference of displacements, moved into mode j. */
static void open_mode(sb_trial *trial, double h, const sb_variant *variant, int j, double rest[3 * (NODES + 2)])
{
  char pairs[512];
  int  place = 0;
  snprintf(pairs, sizeof pairs, "%s scene=chain nodes=%d ends=fixed_fixed initial_mode=1 amplitude=0", variant->pairs,
           NODES);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, NULL, NULL);
  assert_int_equal(trial->vertices, NODES + 2);
  memcpy(rest, trial->position, 3 * (NODES + 2) * sizeof *rest);
  for (size_t i = 0; i < trial->vertices; ++i) {
    if (trial->pose.pinned[i]) continue;
    trial->position[3 * i] += amplitude * sin(M_PI * ++place * j / (NODES + 1));
  }
  sb_trial_write(trial);
}

/* q_j(n)/q_j(0) from rest: cos n theta, theta = 2 asin(z/2); symplectic Euler's is shifted by half a step. */
static double expected_phase(const sb_variant *variant, double z, int n)
{
  const double theta = 2 * asin(z / 2), shift = sb_variant_is(variant, "symplectic_euler") ? 0.5 : 0;
  return cos((n + shift) * theta) / cos(shift * theta);
}

/* V12, for what is stable below 2: the mode keeps its phase, the others stay empty. */
static void modes_stay_pure(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    if (variant.method->stability_limit != 2) continue;
    for (int j = 1; j <= NODES; ++j) {
      const double h = 0.3;
      const int    n = 5000;
      double       rest[3 * (NODES + 2)];
      sb_trial     trial;
      open_mode(&trial, h, &variant, j, rest);
      sb_trial_advance(&trial, n);
      for (int other = 1; other <= NODES; ++other) {
        const double q = coefficient(&trial, rest, trial.position, other) / amplitude;
        if (other == j)
          sb_near(variant.label, "q_j", q, expected_phase(&variant, h * frequency(j), n), 1e-10);
        else
          sb_near(variant.label, "leak into another mode", q, 0, 1e-12);
      }
      sb_trial_close(&trial);
    }
  }
}

/* V14: the norm of (q_j, q_j'/w_j) shrinks by (1 + h^2 w_j^2)^(-1/2) a step, for every j. */
static void implicit_euler_damps_each_mode(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    /* local_global solves the linear problem in one iteration as long as no spring turns round */
    const sb_variant variant = sb_variant_at(i, "");
    if (!sb_variant_is(&variant, "implicit_euler")) continue;
    for (int j = 1; j <= NODES; ++j) {
      const double h = 0.5, w = frequency(j);
      const int    n = 20;
      double       rest[3 * (NODES + 2)];
      sb_trial     trial;
      open_mode(&trial, h, &variant, j, rest);
      sb_trial_advance(&trial, n);
      const double q = coefficient(&trial, rest, trial.position, j) / amplitude;
      const double p = coefficient(&trial, NULL, trial.velocity, j) / (amplitude * w);
      sb_near(variant.label, "amplitude", hypot(q, p) * pow(1 + h * h * w * w, 0.5 * n), 1, 1e-11);
      sb_trial_close(&trial);
    }
  }
}

/* V13: 1 % either side of 2/w_n, from noise of 1e-6 (20 % above where growth is slow; see claims.c). */
static void fastest_mode_sets_the_limit(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "scene=chain nodes=7 ends=fixed_fixed initial_mode=1 amplitude=0 perturbation=1e-6");
    const double limit = variant.method->stability_limit / frequency(NODES);
    const double above = variant.method->traits & SB_SYMPLECTIC ? 1.01 : 1.2;
    sb_trial     trial;
    if (limit == 0 || isinf(limit)) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.99 * limit, variant.pairs, NULL, NULL);
    sb_trial_advance(&trial, 10000);
    assert_int_equal(trial.report.status, SB_OK);
    assert_int_equal(trial.report.steps_done, 10000);
    sb_trial_close(&trial);
    sb_trial_open(&trial, PETSC_COMM_WORLD, above * limit, variant.pairs, NULL, NULL);
    sb_trial_advance(&trial, 10000);
    assert_int_equal(trial.report.status, SB_CASE_DIVERGED);
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(modes_stay_pure, implicit_euler_damps_each_mode, fastest_mode_sets_the_limit)
