/* SPDX-License-Identifier: GPL-3.0-or-later */
/* position_verlet: the formula of docs/model.md written out a second time, the rope's rest lengths, stability at any
 * step, and one rank only. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With several, only the refusal is tested. */
static bool several_ranks(void)
{
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  return ranks > 1;
}

/* One pass over the springs of the pose. */
static void sweep(const sb_pose *pose, double *x)
{
  for (size_t s = 0; s < pose->springs; ++s) {
    const int32_t i = pose->ends[2 * s], j = pose->ends[2 * s + 1];
    double       *a = &x[3 * i], *b = &x[3 * j];
    const double  r = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]), excess = r - pose->rest_length[s];
    const double  halves = pose->pinned[i] || pose->pinned[j] ? 1 : 0.5;
    for (int c = 0; c < 3; ++c) {
      const double correction = halves * excess * (a[c] - b[c]) / r;
      if (!pose->pinned[i]) a[c] -= correction;
      if (!pose->pinned[j]) b[c] += correction;
    }
  }
}

/* A cloth with gravity and a field, two passes, damped, from noise and a velocity. */
static void formula_of_the_model(void)
{
  enum { COUNT = 48 };
  const double h = 0.02, d = 0.05;
  double       x[COUNT], previous[COUNT], v[COUNT] = {0};
  sb_trial     trial;
  if (several_ranks()) return;
  sb_trial_open(&trial, PETSC_COMM_WORLD, h,
                "scene=cloth grid=3 integrator=position_verlet passes=2 verlet_damping=0.05 perturbation=0.05 "
                "initial_velocity=[0.5,0,1] gravity=[1,0,-9] wind=centrifugal:rate=3",
                NULL, NULL);
  assert_int_equal(3 * trial.vertices, COUNT);
  memcpy(x, trial.position, sizeof x);
  for (int k = 0; k < COUNT; ++k) previous[k] = x[k] - h * trial.velocity[k];
  for (int n = 0; n < 40; ++n) {
    double p[COUNT];
    for (int pass = 0; pass < 2; ++pass) sweep(&trial.pose, x);
    memcpy(p, x, sizeof p);
    for (int k = 0; k < COUNT; ++k) {
      const double gravity[3] = {1, 0, -9}, field = k % 3 < 2 ? 3 * p[k] : 0;
      if (trial.pose.pinned[k / 3]) continue;
      x[k] = p[k] + (1 - d) * (p[k] - previous[k]) + h * h * (gravity[k % 3] + field);
      v[k] = (x[k] - p[k]) / h;
    }
    memcpy(previous, p, sizeof p);
    sb_trial_advance(&trial, 1);
    for (int k = 0; k < COUNT; ++k) {
      sb_near("position_verlet", "x", trial.position[k], x[k], 1e-12);
      sb_near("position_verlet", "h v", h * trial.velocity[k], h * v[k], 1e-12);
    }
  }
  sb_trial_close(&trial);
}

/* Advances until no coordinate moves by 1e-9 m in a step, by less where h^2 is small beside it. */
static void come_to_rest(sb_trial *trial, int64_t most)
{
  double      *old = calloc(3 * trial->vertices, sizeof *old), moved = INFINITY;
  const double still = 1e-9 * trial->h_seconds;
  assert_non_null(old);
  while (!(moved < still) && trial->step < most) {
    sb_trial_advance(trial, 200);
    memcpy(old, trial->position, 3 * trial->vertices * sizeof *old);
    sb_trial_advance(trial, 1);
    assert_int_equal(trial->report.status, SB_OK);
    moved = 0;
    for (size_t k = 0; k < 3 * trial->vertices; ++k) moved = fmax(moved, fabs(trial->position[k] - old[k]));
  }
  sb_holds("position_verlet", "the rope comes to rest", moved < still);
  free(old);
}

/* If a step moves nothing, a pass lifts every node by G = h^2 |g|. With E_i the excess of segment i when its turn
 * comes: E_14/2 = G at the last node, E_{i-1}/2 - E_i/2 = G at node i > 1, E_0 - E_1/2 = G at node 1, whose upper
 * neighbour is the pin; so E_i = 2 (15 - i) G, and E_0 = 15 G. When its turn comes the upper end has been lifted by the
 * segment above, so that in x+ the excess is 15 G of the top segment (15 nodes hang below it) and (14 - i) G of the
 * others. */
static void rope_at_rest(int substeps, const char *gravity, int64_t most)
{
  const double h = 1.0 / substeps, rest = 400.0 / 15;
  char         pairs[192];
  sb_trial     trial;
  snprintf(pairs, sizeof pairs, "scene=rope integrator=position_verlet verlet_damping=0.005 gravity=%s", gravity);
  sb_trial_open(&trial, PETSC_COMM_SELF, h, pairs, NULL, NULL);
  assert_int_equal(trial.vertices, 16);
  come_to_rest(&trial, most);
  for (int i = 0; i < 15; ++i) {
    const double *a = &trial.position[3 * i], *b = a + 3, want = i == 0 ? 15 : 14 - i;
    const double  length = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    sb_near("position_verlet", "elongation", (length - rest) / (h * h), want, 1e-6 * 15);
  }
  sb_trial_close(&trial);
}

/* Dropped from the horizontal at large steps; hung along gravity, where the pendulum's slow swing does not have to die,
 * at small ones. */
static void rest_lengths(void)
{
  if (several_ranks()) return;
  rope_at_rest(1, "[0,-1,0]", 100000);
  rope_at_rest(4, "[0,-1,0]", 400000);
  rope_at_rest(16, "[-1,0,0]", 100000);
  rope_at_rest(64, "[-1,0,0]", 200000);
  rope_at_rest(256, "[-1,0,0]", 200000);
  rope_at_rest(1024, "[-1,0,0]", 200000);
}

/* The published rope, undamped, at every number of substeps: it swings for 60 s and stays within its bounds, and no
 * farther from its pin than its stretched length. */
static void never_diverges(void)
{
  static const int substeps[] = {1, 16, 64, 256, 1024};
  if (several_ranks()) return;
  for (size_t i = 0; i < sizeof substeps / sizeof *substeps; ++i) {
    sb_trial trial;
    sb_trial_open(&trial, PETSC_COMM_SELF, 1.0 / substeps[i], "scene=rope integrator=position_verlet", NULL, NULL);
    for (int frame = 0; frame < 60; ++frame) {
      sb_trial_advance(&trial, substeps[i]);
      assert_int_equal(trial.report.status, SB_OK);
      for (size_t k = 0; k < trial.vertices; ++k) {
        const double *x = &trial.position[3 * k];
        assert_true(hypot(hypot(x[0], x[1] - 200), x[2]) < 4 * 400);
      }
    }
    sb_trial_close(&trial);
  }
}

static void refused_on_several_ranks(void)
{
  sb_trial       trial;
  sb_integrator *refused = NULL;
  PetscErrorCode code;
  sb_trial_open(&trial, PETSC_COMM_WORLD, 0.1, "scene=rope", NULL, NULL);
  assert_true(sb_options_set_pair(trial.options, "integrator=position_verlet", SB_FROM_USER, (sb_location){0}, NULL));
  sb_must(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  code = sb_integrator_create(trial.system, trial.options, 0.1, &refused);
  sb_must(PetscPopErrorHandler());
  assert_int_equal(code, trial.system->ranks > 1 ? PETSC_ERR_USER : 0);
  sb_must(sb_integrator_destroy(&refused));
  sb_trial_close(&trial);
}

PETSC_TEST_MAIN(formula_of_the_model, rest_lengths, never_diverges, refused_on_several_ranks)
