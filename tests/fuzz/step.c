/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of implicit Euler of a small scene by every minimiser with every backend. A step that ends ok is finite. If
 * every iteration's tolerance was met, the gradient of the incremental potential, computed again here, is below its
 * tolerance. In a region where the potential is strongly convex with modulus mu, two such ends are no farther apart
 * than the sum of their gradients over mu. A step that does not end ok gives the reason. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/integrate/integrator.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/minimize/minimizer_method.h"
#include "tests/fuzz/scene.h"

enum { VERTICES_MAX = 32, ROOM = 3 * VERTICES_MAX, ENDS_MAX = 16, ROUNDINGS = 4096 };

typedef struct {
  double      place[ROOM];
  long double gradient; /* 2-norm, formed here */
} end;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  fuzz_start_petsc();
  return 0;
}

/* The norm of a gradient, and the part of it that may be rounding. */
typedef struct {
  long double norm, rounding;
} slope;

/* grad g(z) = M (z - y)/h^2 + grad E(z) over free vertices, y = x + h v + h^2 gravity. */
static slope slope_at(const fuzz_scene *scene, const double *z)
{
  static long double force[ROOM], scale[VERTICES_MAX];
  const sb_pose     *pose = &scene->pose;
  const long double  h = scene->h_seconds;
  const double      *gravity = SB_VECTOR(scene->options, gravity);
  slope              sum = {0};
  fuzz_elastic_forces(pose, z, force, scale);
  for (size_t i = 0; i < pose->vertices; ++i) {
    const long double inertia = pose->mass[i] / (h * h);
    for (size_t c = 0, k = 3 * i; c < 3 && !pose->pinned[i]; ++c, ++k) {
      const long double y = pose->position[k] + h * pose->velocity[k] + h * h * gravity[c];
      const long double part = inertia * (z[k] - y) - force[k];
      const long double size = inertia * (fabsl(z[k]) + fabsl(y)) + scale[i];
      sum.norm += part * part;
      sum.rounding += size * size;
    }
  }
  return (slope){sqrtl(sum.norm), ROUNDINGS * DBL_EPSILON * sqrtl(sum.rounding)};
}

static double spring_length(const sb_pose *pose, size_t s, const double *z)
{
  const double *a = z + 3 * pose->ends[2 * s], *b = z + 3 * pose->ends[2 * s + 1];
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* A bound from below on the potential's curvature within `radius` of z: min m/h^2, less what compressed springs take,
 * of which H_s >= -k (l/r - 1) on each of two vertices, and r >= length - 2 radius. -INFINITY where a spring may
 * vanish. */
static double modulus(const fuzz_scene *scene, const double *z, double radius)
{
  const sb_pose *pose = &scene->pose;
  double         least = INFINITY, taken[VERTICES_MAX] = {0};
  for (size_t s = 0; s < pose->springs; ++s) {
    const double shortest = spring_length(pose, s, z) - 2 * radius;
    if (!(shortest > 0)) return -INFINITY;
    const double loss = 2 * pose->stiffness[s] * fmax(pose->rest_length[s] / shortest - 1, 0);
    taken[pose->ends[2 * s]] += loss;
    taken[pose->ends[2 * s + 1]] += loss;
  }
  for (size_t i = 0; i < pose->vertices; ++i)
    if (!pose->pinned[i]) least = fmin(least, pose->mass[i] / (scene->h_seconds * scene->h_seconds) - taken[i]);
  return least;
}

static void compare(const fuzz_scene *scene, const end *a, const end *b)
{
  const size_t count = 3 * scene->pose.vertices;
  double       square = 0;
  for (size_t k = 0; k < count; ++k) square += (a->place[k] - b->place[k]) * (a->place[k] - b->place[k]);
  const double distance = sqrt(square), mu = modulus(scene, a->place, distance);
  if (mu > 0) fuzz_require(distance * mu <= 1.01L * (a->gradient + b->gradient), "backends and minimisers agree");
}

/* True when the step ended with every tolerance met. */
static bool check_end(const fuzz_scene *scene, const sb_advance_report *report, Vec x, double tolerance, end *done)
{
  const double *z;
  if (report->status != SB_OK) {
    fuzz_require(*report->reason, "what does not end ok says why");
    return false;
  }
  FUZZ_MUST(VecGetArrayRead(x, &z));
  memcpy(done->place, z, 3 * scene->pose.vertices * sizeof *z);
  FUZZ_MUST(VecRestoreArrayRead(x, &z));
  for (size_t k = 0; k < 3 * scene->pose.vertices; ++k) fuzz_require(isfinite(done->place[k]), "ok is finite");
  fuzz_require(sb_outcome_accepted(report->linear_outcome), "ok has solved");
  if (report->unconverged > 0) return false;
  const slope at = slope_at(scene, done->place);
  fuzz_require(at.norm <= tolerance + at.rounding, "what converged has the gradient that was asked for");
  done->gradient = at.norm + at.rounding;
  return true;
}

static bool run(fuzz_scene *scene, double tolerance, end *done)
{
  sb_diagnostics   *silent = sb_diagnostics_create();
  sb_integrator    *integrator = NULL;
  sb_advance_report report;
  Vec               x, v;
  bool              met = false;
  const bool possible = sb_integrator_check(scene->options, silent) && sb_minimizer_check(scene->options, silent);
  sb_diagnostics_destroy(&silent);
  if (!possible) return false;
  FUZZ_MUST(sb_system_create_full(scene->system, &x));
  FUZZ_MUST(sb_system_create_full(scene->system, &v));
  FUZZ_MUST(sb_system_set_state(scene->system, &scene->pose, x, v));
  if (sb_integrator_create(scene->system, scene->options, scene->h_seconds, &integrator) == 0) {
    FUZZ_MUST(sb_integrator_advance(integrator, 0, 1, x, v, &report));
    met = check_end(scene, &report, x, tolerance, done);
  }
  FUZZ_MUST(sb_integrator_destroy(&integrator));
  FUZZ_MUST(VecDestroy(&x));
  FUZZ_MUST(VecDestroy(&v));
  return met;
}

/* A part of the largest force in sight. */
static double take_settings(fuzz_bytes *bytes, fuzz_scene *scene)
{
  static const char *const hessians[] = {"projected", "exact", "adaptive", "blended"};
  static const char *const petsc[] = {"", "-ksp_type cg -pc_type jacobi", "-ksp_type minres -pc_type none",
                                      "-ksp_type cg -pc_type icc"};
  char                     text[32];
  const slope              start = slope_at(scene, scene->pose.position);
  const double             tolerance = fmax(1e-7 * (double)start.norm, 2 * (double)start.rounding) + 1e-12;
  snprintf(text, sizeof text, "%.17g", fmin(tolerance, 1e12));
  fuzz_scene_set(scene, SB_ID(gradient_tolerance), text);
  fuzz_scene_set(scene, SB_ID(max_iterations), "20");
  fuzz_scene_set(scene, SB_ID(linear_max_iterations), fuzz_byte(bytes) % 8 ? "100" : "1000");
  fuzz_scene_set(scene, SB_ID(hessian), hessians[fuzz_pick(bytes, 4)]);
  fuzz_scene_set(scene, SB_ID(step), fuzz_byte(bytes) % 2 ? "armijo" : "unit");
  fuzz_scene_set(scene, SB_ID(petsc), petsc[fuzz_pick(bytes, 4)]);
  return fmin(tolerance, 1e12);
}

static void run_all(fuzz_scene *scene, double tolerance)
{
  static end ends[ENDS_MAX];
  size_t     count = 0;
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    fuzz_scene_set(scene, SB_ID(minimizer), sb_minimizer_method_at(m)->name);
    for (size_t b = 0; b < sb_linear_backend_count() && count < ENDS_MAX; ++b) {
      if (sb_linear_backend_at(b)->missing) continue;
      fuzz_scene_set(scene, SB_ID(linear), sb_linear_backend_at(b)->name);
      if (!run(scene, tolerance, &ends[count])) continue;
      for (size_t i = 0; i < count; ++i) compare(scene, &ends[i], &ends[count]);
      ++count;
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static fuzz_scene scene;
  fuzz_bytes        bytes = {data, data + size};
  if (fuzz_scene_take(&bytes, VERTICES_MAX, true, &scene)) run_all(&scene, take_settings(&bytes, &scene));
  fuzz_scene_clear(&scene);
  return 0;
}
