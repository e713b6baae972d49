/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinds of stationary points, and the way out of saddles; see stationary.h. */
#include "solvers/minimize/stationary.h"

#include <math.h>

#include "base/option_ids.h"
#include "base/random.h"
#include "solvers/linear/linear_solver.h"

#define ROUNDING     1e-12 /* of the largest stiffness: rounding error of a curvature */
#define SHIFT_FIRST  1e-4  /* of the mean m/h^2 */
#define SUM_ROUNDING 1e-13 /* relative rounding error of the sums in g */
#define NEARER       0.1   /* distance after a step over that before, where Newton converges */
#define FALL_FIRST   10    /* decrease of g by the first step from a saddle, in rounding errors of g */

enum { INVERSE_ITERATIONS = 50, DOUBLINGS_MAX = 60 };

/* ---- minimum or saddle ---- */

const char *sb_point_name(sb_point kind)
{
  static const char *const names[] = {NULL, "minimum", "flat", "saddle"};
  return names[kind];
}

PetscErrorCode sb_point_tolerance(const sb_system *system, Vec x, double force, double *tolerance)
{
  const sb_springs *springs = &system->springs;
  double            extreme[2] = {0, 0}; /* largest stiffness, largest 1/rest length */
  PetscReal         reach;

  PetscFunctionBeginUser;
  for (int i = 0; i < springs->count; ++i) {
    extreme[0] = fmax(extreme[0], springs->stiffness[i]);
    if (springs->rest_length[i] > 0) extreme[1] = fmax(extreme[1], 1 / springs->rest_length[i]);
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, extreme, 2, MPI_DOUBLE, MPI_MAX, system->comm));
  PetscCall(VecNorm(x, NORM_INFINITY, &reach));
  *tolerance = ROUNDING * extreme[0] + (force + extreme[0] * PETSC_MACHINE_EPSILON * reach) * extreme[1];
  PetscFunctionReturn(0);
}

typedef struct {
  sb_system          *system;
  sb_hessian_of_point hessian;
  sb_linear_solver   *solver;
  Mat                 matrix;
  bool                known; /* no factorisation failed */
} look;

/* *definite: H + t M/m is positive definite. */
static PetscErrorCode is_definite(look *l, sb_matrix_change change, double t, bool *definite)
{
  const double mean_mass = l->system->mass_total / (double)l->system->vertices;
  sb_outcome   outcome;

  PetscFunctionBeginUser;
  PetscCall(l->hessian.assemble(l->hessian.context, t / mean_mass, l->matrix));
  PetscCall(sb_linear_solver_set_matrix(l->solver, l->matrix, change, false, &outcome));
  *definite = sb_outcome_accepted(outcome);
  l->known = l->known && (*definite || outcome == SB_NOT_SPD);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_point_find(sb_system *system, const sb_options *options, sb_hessian_of_point hessian,
                             double tolerance, double flops_max, sb_point *kind)
{
  sb_options *direct = sb_options_with(options, (const char *const[]){"linear=cholesky", NULL});
  look        l = {.system = system, .hessian = hessian, .known = true};
  bool        above = false, within = false;

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_block_matrix(system, &l.matrix));
  PetscCall(sb_linear_solver_create(system->comm, direct, "stability_", 1, NULL, &l.solver));
  sb_linear_solver_limit_work(l.solver, flops_max);
  PetscCall(is_definite(&l, SB_NEW_PATTERN, -tolerance, &above));
  if (!above && l.known) PetscCall(is_definite(&l, SB_NEW_VALUES, tolerance, &within));
  *kind = !l.known ? SB_POINT_UNKNOWN : above ? SB_POINT_MINIMUM : within ? SB_POINT_FLAT : SB_POINT_SADDLE;
  PetscCall(sb_linear_solver_destroy(&l.solver));
  PetscCall(MatDestroy(&l.matrix));
  sb_options_destroy(&direct);
  PetscFunctionReturn(0);
}

typedef struct {
  const sb_potential *potential;
  Vec                 z;
} point;

static PetscErrorCode assemble(const void *context, double shift, Mat matrix)
{
  const point *p = context;
  return sb_potential_shifted_hessian(p->potential, 1, shift, p->z, matrix);
}

PetscErrorCode sb_point_of_potential(const sb_potential *potential, const sb_options *options, Vec z, double force,
                                     double flops_max, sb_point *kind)
{
  const point at = {potential, z};
  double      tolerance;

  PetscFunctionBeginUser;
  *kind = SB_POINT_UNKNOWN;
  if (flops_max <= 0 || potential->system->barrier || !sb_system_is_symmetric(potential->system))
    PetscFunctionReturn(0);
  PetscCall(sb_point_tolerance(potential->system, z, force, &tolerance));
  PetscCall(
      sb_point_find(potential->system, options, (sb_hessian_of_point){assemble, &at}, tolerance, flops_max / 2, kind));
  PetscFunctionReturn(0);
}

/* ---- the way out ---- */

struct sb_saddle_exit {
  sb_linear_solver *linear; /* of H */
  Mat               hessian;
  bool              analyzed;
  double            inertia;          /* N/m: mean m/h^2 over vertices */
  Vec               direction, image; /* unknowns: v for about the smallest eigenvalue, and scratch */
  Vec               trial;            /* full: scratch */
};

PetscErrorCode sb_saddle_exit_create(sb_system *system, const sb_options *options, double h_seconds, const char *prefix,
                                     sb_saddle_exit **way)
{
  sb_saddle_exit *made;
  PetscInt        unknowns;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(&made));
  *way = made;
  PetscCall(sb_linear_solver_create(system->comm, options, prefix, 1, NULL, &made->linear));
  PetscCall(sb_system_create_block_matrix(system, &made->hessian));
  PetscCall(sb_system_create_unknowns(system, &made->direction));
  PetscCall(VecDuplicate(made->direction, &made->image));
  PetscCall(sb_system_create_full(system, &made->trial));
  PetscCall(VecGetSize(made->direction, &unknowns));
  made->inertia = system->mass_total / (fmax(1, (double)unknowns / 3) * h_seconds * h_seconds);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_saddle_exit_destroy(sb_saddle_exit **way)
{
  sb_saddle_exit *old = *way;

  PetscFunctionBeginUser;
  if (!old) PetscFunctionReturn(0);
  PetscCall(sb_linear_solver_destroy(&old->linear));
  PetscCall(MatDestroy(&old->hessian));
  PetscCall(VecDestroy(&old->direction));
  PetscCall(VecDestroy(&old->image));
  PetscCall(VecDestroy(&old->trial));
  PetscCall(PetscFree(*way));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(sb_saddle_exit *way, sb_outcome *outcome)
{
  const sb_matrix_change change = way->analyzed ? SB_NEW_VALUES : SB_NEW_PATTERN;

  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_set_matrix(way->linear, way->hessian, change, false, outcome));
  way->analyzed = true;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_saddle_exit_factor(sb_saddle_exit *way, const sb_potential *potential, Vec z, sb_outcome *outcome)
{
  PetscFunctionBeginUser;
  PetscCall(sb_potential_hessian(potential, 1, z, way->hessian));
  PetscCall(factor(way, outcome));
  PetscFunctionReturn(0);
}

/* v = about the eigenvector of the smallest eigenvalue of an H that is not positive definite, |v|_2 = 1, and *curvature
 * = v^T H v. The shift s doubles until H + s I is positive definite. Then s is less than twice the absolute value of
 * that eigenvalue, and each inverse iteration halves the components of v along eigenvectors of eigenvalues >= 0. The
 * start is random, because a symmetric one has no component in directions that break the symmetry. */
static PetscErrorCode find_descent(sb_saddle_exit *way, double *curvature, sb_outcome *outcome)
{
  double    shift = 0, next = SHIFT_FIRST * way->inertia, *value;
  PetscInt  first, end;
  PetscReal product;

  PetscFunctionBeginUser;
  for (*outcome = SB_NOT_SPD; *outcome == SB_NOT_SPD; next *= 2) {
    PetscCall(MatShift(way->hessian, next - shift));
    shift = next;
    PetscCall(factor(way, outcome));
  }
  PetscCall(VecGetOwnershipRange(way->direction, &first, &end));
  PetscCall(VecGetArrayWrite(way->direction, &value));
  for (PetscInt i = first; i < end; ++i) value[i - first] = 2 * sb_random_unit(1, (uint64_t)i) - 1;
  PetscCall(VecRestoreArrayWrite(way->direction, &value));
  for (int k = 0; k < INVERSE_ITERATIONS && sb_outcome_accepted(*outcome); ++k) {
    sb_solve_report report;
    PetscCall(sb_linear_solver_solve(way->linear, way->direction, way->image, false, &report));
    *outcome = report.outcome;
    PetscCall(VecCopy(way->image, way->direction));
    PetscCall(VecNormalize(way->direction, NULL));
  }
  PetscCall(MatMult(way->hessian, way->direction, way->image));
  PetscCall(VecDot(way->direction, way->image, &product));
  *curvature = product - shift;
  PetscFunctionReturn(0);
}

/* g along v from z: *length is the last of `first`, 2 `first`, 4 `first`, ... before g rises, and *lowest is g there.
 * If g rises at once they are 0 and g(z). */
static PetscErrorCode search_along(sb_saddle_exit *way, const sb_potential *potential, Vec z, double first,
                                   double *length, double *lowest)
{
  double value, next = first;

  PetscFunctionBeginUser;
  *length = 0;
  PetscCall(sb_potential_value(potential, z, lowest));
  for (int k = 0; k < DOUBLINGS_MAX; ++k, next *= 2) {
    PetscCall(VecCopy(z, way->trial));
    PetscCall(sb_system_add_unknowns(potential->system, next, way->direction, way->trial));
    PetscCall(sb_potential_value(potential, way->trial, &value));
    if (!(value < *lowest)) break;
    *lowest = value;
    *length = next;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_point_noise(const sb_potential *potential, Vec z, double value, double *noise)
{
  PetscFunctionBeginUser;
  PetscCall(sb_potential_rounding(potential, z, NULL, noise));
  *noise += SUM_ROUNDING * fabs(value);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_saddle_exit_take(sb_saddle_exit *way, const sb_potential *potential, Vec z, bool *left,
                                   sb_outcome *outcome)
{
  double curvature = 0, noise, value, length[2], lowest[2];

  PetscFunctionBeginUser;
  *left = false;
  PetscCall(sb_saddle_exit_factor(way, potential, z, outcome));
  if (*outcome != SB_NOT_SPD) PetscFunctionReturn(0);
  PetscCall(find_descent(way, &curvature, outcome));
  if (!sb_outcome_accepted(*outcome) || !(curvature < 0)) PetscFunctionReturn(0);
  PetscCall(sb_potential_value(potential, z, &value));
  PetscCall(sb_point_noise(potential, z, value, &noise));
  const double first = sqrt(2 * FALL_FIRST * noise / -curvature);
  for (int side = 0; side < 2; ++side)
    PetscCall(search_along(way, potential, z, side == 0 ? first : -first, &length[side], &lowest[side]));
  const int side = lowest[1] < lowest[0] - noise;
  *left = lowest[side] < value - noise;
  if (*left) PetscCall(sb_system_add_unknowns(potential->system, length[side], way->direction, z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_saddle_exit_leads_to(sb_saddle_exit *way, const sb_system *system, Vec z, Vec gradient, Vec end,
                                       bool *leads)
{
  sb_solve_report report;
  PetscReal       before, after;

  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_solve(way->linear, gradient, way->image, false, &report));
  PetscCall(VecWAXPY(way->trial, -1, end, z));
  PetscCall(VecNorm(way->trial, NORM_INFINITY, &before));
  PetscCall(sb_system_add_unknowns(system, -1, way->image, way->trial));
  PetscCall(VecNorm(way->trial, NORM_INFINITY, &after));
  *leads = sb_outcome_accepted(report.outcome) && after <= NEARER * before;
  PetscFunctionReturn(0);
}
