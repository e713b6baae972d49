/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of minimisers, on a sheet of 25 vertices; see conform.h. */
#include <math.h>
#include <stdlib.h>

#include "model/system/flops.h"
#include "solvers/conform/conform.h"
#include "solvers/minimize/minimizer_method.h"

#define CHECK(holds, ...) PetscCheck(holds, PETSC_COMM_WORLD, PETSC_ERR_PLIB, __VA_ARGS__)

enum { ENOUGH = 4000 };

/* Mild enough for every method. */
#define SHEET                                                                                                          \
  "integrator=implicit_euler", "scene=cloth", "grid=4", "stiffness=100", "h=0.01", "perturbation=0.05",                \
      "initial_velocity=[0.5,0,-2]", "start=previous", "step_tolerance=0", "linear_tolerance=1e-12"

typedef struct {
  sb_options   *options;
  sb_pose       pose;
  sb_system    *system;
  sb_profile    profile;
  sb_potential *potential;
  sb_minimizer *minimizer;
  Vec           x, v, z, gradient;
  double        value[ENOUGH + 1], norm[ENOUGH + 1]; /* of g and of its gradient at each iterate */
  PetscInt      count;
} world;

static PetscErrorCode record(void *context, PetscInt k, Vec z, bool *stop)
{
  world *w = context;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_value(w->potential, z, &w->value[k]));
  PetscCall(sb_potential_gradient(w->potential, z, w->gradient));
  PetscCall(VecNorm(w->gradient, NORM_2, &w->norm[k]));
  w->count = k + 1;
  *stop = !(w->norm[k] > 1e-10 * w->norm[0]);
  PetscFunctionReturn(0);
}

static PetscErrorCode create_minimizer(world *w)
{
  PetscFunctionBeginUser;
  PetscCall(sb_minimizer_create(w->system, w->options, SB_REAL(w->options, h), "conform_", &w->minimizer));
  PetscCall(sb_minimizer_set_monitor(w->minimizer, record, w));
  PetscFunctionReturn(0);
}

/* `pairs` are those of the sheet; the minimiser and its own options are the caller's. */
static PetscErrorCode open_world(const sb_options *options, const char *const *pairs, world **opened)
{
  world          *w = calloc(1, sizeof *w);
  sb_diagnostics *diagnostics = sb_diagnostics_create();

  PetscFunctionBeginUser;
  PetscCheck(w, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  bool built = true;
  w->options = sb_options_copy(options);
  for (; *pairs; ++pairs) /* a scene's defaults replace all but a user's values */
    built = sb_options_set_pair(w->options, *pairs, SB_FROM_USER, (sb_location){0}, diagnostics) && built;
  built =
      built && sb_scene_apply_defaults(w->options, diagnostics) && sb_scene_build(w->options, &w->pose, diagnostics);
  sb_diagnostics_destroy(&diagnostics);
  CHECK(built, "the sheet cannot be built");
  sb_minimizer_resolve(w->options);
  PetscCall(sb_system_create(PETSC_COMM_WORLD, &w->pose, w->options, &w->system));
  w->system->profile = &w->profile;
  PetscCall(sb_system_create_full(w->system, &w->x));
  PetscCall(sb_system_create_full(w->system, &w->v));
  PetscCall(sb_system_create_full(w->system, &w->z));
  PetscCall(sb_system_create_unknowns(w->system, &w->gradient));
  PetscCall(sb_system_set_state(w->system, &w->pose, w->x, w->v));
  PetscCall(sb_potential_create(w->system, SB_REAL(w->options, h), &w->potential));
  PetscCall(create_minimizer(w));
  *opened = w;
  PetscFunctionReturn(0);
}

static PetscErrorCode close_world(world *w)
{
  PetscFunctionBeginUser;
  PetscCall(sb_minimizer_destroy(&w->minimizer));
  PetscCall(sb_potential_destroy(&w->potential));
  PetscCall(VecDestroy(&w->x));
  PetscCall(VecDestroy(&w->v));
  PetscCall(VecDestroy(&w->z));
  PetscCall(VecDestroy(&w->gradient));
  PetscCall(sb_system_destroy(&w->system));
  sb_pose_clear(&w->pose);
  sb_options_destroy(&w->options);
  free(w);
  PetscFunctionReturn(0);
}

/* The step of this number from the state; x and v are unchanged. */
static PetscErrorCode minimize_step(world *w, int64_t step)
{
  sb_minimize_report report;

  PetscFunctionBeginUser;
  w->count = 0;
  w->potential->step = step;
  PetscCall(sb_potential_set_state(w->potential, (double)step * SB_REAL(w->options, h), w->x, w->v));
  PetscCall(sb_minimizer_run(w->minimizer, w->potential, w->z, &report));
  CHECK(sb_outcome_accepted(report.linear_outcome), "an iteration ended %s", sb_outcome_name(report.linear_outcome));
  for (PetscInt k = 0; k < w->count; ++k)
    CHECK(isfinite(w->value[k]), "the potential is not finite after %d iterations", (int)k);
  PetscFunctionReturn(0);
}

static PetscErrorCode minimize(world *w)
{
  PetscFunctionBeginUser;
  PetscCall(minimize_step(w, 0));
  PetscFunctionReturn(0);
}

/* The state at the end of the step that z has. */
static PetscErrorCode move_on(world *w)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(w->v, -1, w->x, w->z));
  PetscCall(VecScale(w->v, 1 / SB_REAL(w->options, h)));
  PetscCall(VecCopy(w->z, w->x));
  PetscFunctionReturn(0);
}

/* True for a method that is defined by its few iterations. */
static bool stops_itself(const world *w)
{
  return sb_options_has(w->options, SB_ID(max_iterations)) && SB_INTEGER(w->options, max_iterations) < 4;
}

static PetscErrorCode comes_down(const sb_options *options)
{
  world *w;

  PetscFunctionBeginUser;
  PetscCall(open_world(options, (const char *const[]){SHEET, "max_iterations=12", NULL}, &w));
  const bool descends = sb_minimizer_method_traits(sb_minimizer_method_of(options)) & SB_DESCENDS;
  for (int step = 0; step < 2; ++step) {
    PetscCall(minimize_step(w, step));
    const PetscInt last = w->count - 1;
    CHECK(w->value[last] != w->value[0], "the potential is %g J before and after: it changes nothing", w->value[0]);
    CHECK(w->value[last] < w->value[0], "the potential rose from %g to %g J", w->value[0], w->value[last]);
    for (PetscInt k = 1; k <= last && descends; ++k)
      CHECK(w->value[k] <= w->value[k - 1] + 1e-14 * fabs(w->value[0]), "the potential rose in iteration %d by %.3g J",
            (int)k, w->value[k] - w->value[k - 1]);
    PetscCall(move_on(w));
  }
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

/* The potential of the sheet is strictly convex for these data: there is one minimum. At another limit the gradient
 * settles at another value. */
static PetscErrorCode finds_the_minimum(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  world                     *w;

  PetscFunctionBeginUser;
  PetscCall(open_world(options, (const char *const[]){SHEET, "max_iterations=4000", NULL}, &w));
  PetscCall(minimize(w));
  const bool     elsewhere = sb_minimizer_method_traits(method) & SB_OTHER_LIMIT;
  const PetscInt last = w->count - 1, before = last > 0 ? last - 1 : 0;
  const double   left = w->norm[last] / w->norm[0], change = fabs(w->norm[last] - w->norm[before]) / w->norm[0];
  CHECK(elsewhere || stops_itself(w) || left <= 1e-6, "after %d iterations the gradient is %.2g of the first one",
        (int)last, left);
  CHECK(!elsewhere || left > 1e-6, "it claims another limit and finds the minimum");
  CHECK(!elsewhere || change <= 1e-9, "after %d iterations the gradient still changes, by %.2g of the first one",
        (int)last, change);
  CHECK(!method->digest || sb_minimizer_method_columns(method) == 0 ||
            sb_linear_solver_totals(sb_minimizer_linear(w->minimizer))->solves > 0,
        "it claims to solve linear systems and does not");
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

/* The sheet falls on a ball. */
static PetscErrorCode finds_it_with_colliders(const sb_options *options)
{
  const unsigned traits = sb_minimizer_method_traits(sb_minimizer_method_of(options));
  world         *w;

  PetscFunctionBeginUser;
  if (!(traits & SB_IMPLICIT_CONTACT) || traits & SB_OTHER_LIMIT) PetscFunctionReturn(0);
  PetscCall(
      open_world(options,
                 (const char *const[]){SHEET, "max_iterations=4000", "contact=penalty", "contact_implicit=true",
                                       "contact_stiffness=400", "collider=sphere:centre=[0,0,-0.5],radius=0.7", NULL},
                 &w));
  PetscCall(minimize(w));
  const double left = w->norm[w->count - 1] / w->norm[0];
  CHECK(stops_itself(w) || left <= 1e-6, "after %d iterations the gradient is %.2g of the first one", (int)w->count - 1,
        left);
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

/* The observed order of the last three gradients above rounding. */
static PetscErrorCode is_quadratic(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  world                     *w;

  PetscFunctionBeginUser;
  if (!(sb_minimizer_method_traits(method) & SB_QUADRATIC)) PetscFunctionReturn(0);
  PetscCall(open_world(options,
                       (const char *const[]){"scene=curtain", "grid=4", "stiffness=60", "h=0.02", "perturbation=0.03",
                                             "initial_velocity=[0,0,-6]", "hessian=exact", "start=inertial",
                                             "step_tolerance=0", "linear_tolerance=1e-12", "max_iterations=9", NULL},
                       &w));
  if (stops_itself(w)) PetscFunctionReturn(close_world(w));
  PetscCall(minimize(w));
  PetscInt last = w->count - 1;
  while (last > 0 && !(w->norm[last] > 1e-12 * w->norm[0])) --last;
  CHECK(last >= 2, "fewer than three gradients are above rounding");
  const double order = log(w->norm[last] / w->norm[last - 1]) / log(w->norm[last - 1] / w->norm[last - 2]);
  CHECK(order >= 1.8, "its order of convergence is %.2f", order);
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

/* A second run has the same bits, and pinned vertices are where they were. */
static PetscErrorCode repeats_itself(const sb_options *options)
{
  world    *w;
  Vec       first;
  PetscBool equal;

  PetscFunctionBeginUser;
  PetscCall(open_world(options, (const char *const[]){SHEET, "max_iterations=12", NULL}, &w));
  PetscCall(VecDuplicate(w->z, &first));
  PetscCall(minimize(w));
  PetscCall(VecCopy(w->z, first));
  PetscCall(minimize(w));
  PetscCall(VecEqual(w->z, first, &equal));
  CHECK(equal || w->system->ranks > 1, "the same step has different bits the second time");
  const double *z, *x;
  PetscCall(VecGetArrayRead(w->z, &z));
  PetscCall(VecGetArrayRead(w->x, &x));
  PetscInt moved = 0;
  for (PetscInt i = 0; i < 3 * w->system->owned; ++i) moved += w->system->pinned[i / 3] && z[i] != x[i];
  PetscCall(VecRestoreArrayRead(w->x, &x));
  PetscCall(VecRestoreArrayRead(w->z, &z));
  CHECK(moved == 0, "it moved pinned vertices");
  PetscCall(VecDestroy(&first));
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

/* A second step has the bits that another object gives it, and step 0 those that it had, unless data of earlier steps
 * are used; even then step 0 has. */
static PetscErrorCode forgets(const sb_options *options)
{
  const bool remembers = sb_minimizer_method_traits(sb_minimizer_method_of(options)) & SB_REMEMBERS;
  world     *w;
  Vec        first, second;
  PetscBool  equal;

  PetscFunctionBeginUser;
  PetscCall(open_world(options, (const char *const[]){SHEET, "max_iterations=12", NULL}, &w));
  PetscCall(VecDuplicate(w->z, &first));
  PetscCall(VecDuplicate(w->z, &second));
  PetscCall(minimize(w));
  PetscCall(VecCopy(w->z, first));
  PetscCall(move_on(w));
  PetscCall(minimize_step(w, 1));
  PetscCall(VecCopy(w->z, second));
  PetscCall(sb_system_set_state(w->system, &w->pose, w->x, w->v));
  PetscCall(minimize(w));
  PetscCall(VecEqual(w->z, first, &equal));
  CHECK(equal || w->system->ranks > 1, "step 0 has different bits after another step: begin does not forget");
  PetscCall(sb_minimizer_destroy(&w->minimizer));
  PetscCall(create_minimizer(w));
  PetscCall(move_on(w));
  PetscCall(minimize_step(w, 1));
  PetscCall(VecEqual(w->z, second, &equal));
  CHECK(equal || remembers || w->system->ranks > 1,
        "a step by another object has different bits: it uses data of earlier steps");
  PetscCall(VecDestroy(&first));
  PetscCall(VecDestroy(&second));
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

/* Flops of the passes that a profile has counted, on this rank. */
static double flops_of_passes(const world *w)
{
  const sb_flops of[SB_OPERATION_COUNT] = {[SB_OPERATION_ENERGY] = SB_FLOPS_ENERGY,
                                           [SB_OPERATION_GRADIENT] = SB_FLOPS_GRADIENT,
                                           [SB_OPERATION_ASSEMBLY] = SB_FLOPS_BLOCKS};
  double         flops = 0;
  for (int o = 0; o < SB_OPERATION_COUNT; ++o)
    flops += (double)w->profile.operations[o] * of[o].spring * w->system->springs.count;
  return flops;
}

/* Besides evaluations of the potential an iteration has at least one operation for every coordinate. Methods of
 * springbench evaluate in separate passes. */
static PetscErrorCode counts_operations(const sb_options *options)
{
  const sb_minimizer_method *method = sb_minimizer_method_of(options);
  PetscLogDouble             before, after;
  world                     *w;

  PetscFunctionBeginUser;
  PetscCall(open_world(options, (const char *const[]){SHEET, "max_iterations=12", NULL}, &w));
  PetscCall(PetscGetFlops(&before));
  PetscCall(minimize(w));
  PetscCall(PetscGetFlops(&after));
  const double own = after - before - w->profile.check_flops - (method->digest ? flops_of_passes(w) : 0);
  const double least = method->digest ? 3.0 * (double)(w->count - 1) * (double)w->system->owned_unknown : 1;
  CHECK(w->profile.uncounted || own >= least, "%g operations of its own were counted; one per coordinate are %g", own,
        least);
  PetscCall(close_world(w));
  PetscFunctionReturn(0);
}

static const sb_conform_check checks[] = {
    {"lowers the potential, in every iteration if it claims to", comes_down},
    {"finds the minimum, or settles elsewhere if it claims to", finds_the_minimum},
    {"finds the minimum with colliders in g if it claims to", finds_it_with_colliders},
    {"converges quadratically if it claims to", is_quadratic},
    {"gives the same bits again and does not move pinned vertices", repeats_itself},
    {"uses data of earlier steps only if it claims to, and none in step 0", forgets},
    {"counts its operations if it claims to", counts_operations},
};

const sb_conform_check *sb_conform_minimizer_at(size_t i)
{
  return i < sizeof checks / sizeof *checks ? checks + i : NULL;
}
