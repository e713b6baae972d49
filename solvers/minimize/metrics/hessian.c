/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P = H(z) = M/h^2 + sum H_s(z), Newton's metric.
 *
 * It is exact; projected spring by spring to be positive semi-definite; or has absolute eigenvalues (Chen, Liu,
 * Kaufman, Jacobson et al. 2024). Other choices depend on whether the backend finds the matrix positive definite. With
 * adaptive, the projected one is used if the exact one is not. With blended, P is the mean (1 - b) exact + b projected,
 * spring by spring, with about the least b that makes it so. The projected one overestimates the curvature of buckled
 * springs and is slow (measured: docs/decisions/reference_minimiser.md). With progressive, springs are projected only
 * at vertices with the largest gradient, with a threshold that halves until the matrix is positive definite, and
 * doubles after every step (progressively projected Newton, Computer Graphics Forum 2026). A barrier's Hessian, which
 * is added in any case, is positive semi-definite (model/contact/barrier_pair.h). */
#include <math.h>
#include <string.h>

#include "solvers/minimize/descent.h"

#include "model/system/barrier_matrix.h"
#include "solvers/linear/linear_backend.h"

/* Smallest part of the projected Hessian that is tried; below it the exact one is used. */
#define BLEND_MIN 0.03
/* Smallest threshold of progressive, of the largest |G_i|: below it, everything is projected. */
#define THRESHOLD_MIN 1e-6

typedef struct {
  sb_system         *system;
  sb_linear_solver  *linear;
  Mat                matrix;
  sb_barrier_matrix *barrier;           /* NULL: none */
  double             negative;          /* initial factor on negative eigenvalues of springs */
  bool               adaptive, blended; /* blended is adaptive in its own way */
  double             blend;             /* b of the last iteration */
  bool               progressive;
  double             threshold; /* N, of progressive: |G_i|_inf from which springs at vertex i are projected */
  Vec                pull;      /* full: G */
  bool              *projected; /* [springs] */
} hessian;

/* Adaptive relies on the backend's report of indefinite matrices. */
static PetscErrorCode check_backend(const sb_minimizer_setup *setup, const char *kind)
{
  const sb_linear_backend *backend = sb_linear_backend_of(setup->options);

  PetscFunctionBeginUser;
  PetscCheck(backend && backend->traits & SB_DETECTS_INDEFINITE, setup->system->comm, PETSC_ERR_USER,
             "hessian=%s needs a linear backend that detects indefinite matrices, and linear=%s does not; "
             "use linear=cholesky, or hessian=projected",
             kind, SB_TEXT(setup->options, linear));
  PetscFunctionReturn(0);
}

/* With all vertices in one place each spring contributes k I/3, which is a positive definite matrix of the final
 * pattern. A barrier changes the pattern. */
PetscErrorCode sb_hessian_matrix_create(const sb_minimizer_setup *setup, bool definite, Mat *matrix,
                                        sb_outcome *outcome)
{
  const double weight = 1 / (setup->h_seconds * setup->h_seconds);
  Vec          one_place;

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_block_matrix(setup->system, matrix));
  if (setup->system->barrier) PetscFunctionReturn(0);
  PetscCall(sb_system_create_full(setup->system, &one_place));
  PetscCall(sb_system_assemble_hessian(setup->system, SB_HESSIAN_PROJECTED, weight, one_place, *matrix));
  PetscCall(VecDestroy(&one_place));
  PetscCall(sb_linear_solver_set_matrix(setup->linear, *matrix, SB_PATTERN_ALONE, definite, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  hessian    *n = state;
  const char *kind = sb_hessian_of(setup->options);

  PetscFunctionBeginUser;
  n->system = setup->system;
  n->linear = setup->linear;
  n->blended = strcmp(kind, "blended") == 0;
  n->progressive = strcmp(kind, "progressive") == 0;
  n->adaptive = n->blended || n->progressive || strcmp(kind, "adaptive") == 0;
  n->negative = strcmp(kind, "projected") == 0  ? SB_HESSIAN_PROJECTED
                : strcmp(kind, "absolute") == 0 ? SB_HESSIAN_ABSOLUTE
                                                : SB_HESSIAN_EXACT;
  if (n->adaptive) PetscCall(check_backend(setup, kind));
  if (n->progressive) PetscCall(sb_system_create_full(n->system, &n->pull));
  if (n->progressive) PetscCall(PetscCalloc1(n->system->springs.count + 1, &n->projected));
  if (n->system->barrier) PetscCall(sb_barrier_matrix_create(n->system, &n->barrier));
  PetscCall(
      sb_hessian_matrix_create(setup, n->negative <= 0 && sb_system_is_symmetric(n->system), &n->matrix, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  hessian *n = state;

  PetscFunctionBeginUser;
  (void)potential;
  (void)z;
  n->blend = 0;
  n->threshold = INFINITY;
  if (n->barrier) PetscCall(sb_barrier_matrix_begin_step(n->barrier));
  PetscFunctionReturn(0);
}

/* Projects the springs at vertices that pull as much as the threshold, or all if it is 0. */
static PetscErrorCode project_where_it_pulls(hessian *n, Vec z, Vec gradient)
{
  const sb_springs *springs = &n->system->springs;
  const double     *pull;

  PetscFunctionBeginUser;
  PetscCall(sb_system_set_unknowns(n->system, gradient, n->pull));
  PetscCall(sb_system_begin_read(n->system, n->pull, &pull));
  for (PetscInt s = 0; s < springs->count; ++s) {
    double most = 0;
    for (int c = 0; c < 3; ++c)
      most = fmax(most, fmax(fabs(pull[3 * springs->first[s] + c]), fabs(pull[3 * springs->second[s] + c])));
    n->projected[s] = most >= n->threshold;
  }
  PetscCall(sb_system_end_read(n->system, n->pull, &pull));
  PetscCall(sb_system_project_springs(n->system, n->projected, z, n->matrix));
  PetscFunctionReturn(0);
}

/* out = (M/h^2 + sum H_s)^-1 in. If adaptive will try again, a matrix that is not positive definite is not a failed
 * solve. */
static PetscErrorCode solve(hessian *n, const sb_potential *potential, double negative, Vec z, Vec in, Vec out,
                            sb_solve_report *report)
{
  const bool definite = negative <= 0 && sb_system_is_symmetric(n->system);
  bool       is_new = false;
  Mat        matrix = n->matrix;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_hessian(potential, negative, z, n->matrix));
  if (n->progressive && isfinite(n->threshold)) PetscCall(project_where_it_pulls(n, z, in));
  if (n->barrier) PetscCall(sb_barrier_matrix_add(n->barrier, z, n->matrix, &matrix, &is_new));
  PetscCall(sb_linear_solver_set_matrix(n->linear, matrix, is_new ? SB_NEW_PATTERN : SB_NEW_VALUES, definite,
                                        &report->outcome));
  if (n->adaptive && negative > 0 && report->outcome == SB_NOT_SPD) PetscFunctionReturn(0);
  PetscCall(sb_linear_solver_solve(n->linear, in, out, false, report));
  PetscFunctionReturn(0);
}

/* With the threshold below all gradients the matrix is the projected one, which is positive definite. */
static PetscErrorCode apply_progressively(hessian *n, const sb_potential *potential, Vec z, Vec in, Vec out,
                                          sb_iteration *iteration)
{
  PetscReal largest;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(in, NORM_INFINITY, &largest));
  PetscCall(solve(n, potential, n->negative, z, in, out, &iteration->linear));
  while (n->threshold > 0 && iteration->linear.outcome == SB_NOT_SPD) {
    n->threshold = PetscMin(n->threshold / 2, largest);
    if (n->threshold < THRESHOLD_MIN * largest) n->threshold = 0;
    PetscCall(solve(n, potential, n->negative, z, in, out, &iteration->linear));
  }
  iteration->projected = n->threshold <= largest;
  n->threshold = n->threshold == 0 ? THRESHOLD_MIN * largest : 2 * n->threshold;
  PetscFunctionReturn(0);
}

/* Blended starts from half of the previous part. */
static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  hessian *n = state;

  PetscFunctionBeginUser;
  if (n->progressive) {
    PetscCall(apply_progressively(n, potential, z, in, out, iteration));
    PetscFunctionReturn(0);
  }
  n->blend = n->blend / 2 < BLEND_MIN ? 0 : n->blend / 2;
  PetscCall(solve(n, potential, n->blended ? 1 - n->blend : n->negative, z, in, out, &iteration->linear));
  while (n->adaptive && n->blend < 1 && iteration->linear.outcome == SB_NOT_SPD) {
    n->blend = n->blended ? PetscMin(1, PetscMax(2 * n->blend, BLEND_MIN)) : 1;
    PetscCall(solve(n, potential, 1 - n->blend, z, in, out, &iteration->linear));
  }
  iteration->projected = n->adaptive && n->blend > 0;
  if (!n->blended) n->blend = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  hessian *n = state;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&n->pull));
  PetscCall(PetscFree(n->projected));
  PetscCall(MatDestroy(&n->matrix));
  PetscCall(sb_barrier_matrix_destroy(&n->barrier));
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_hessian = {.name = "hessian",
                                     .summary = "the Hessian at every iterate: exact, or made positive definite",
                                     .uses = "linear hessian contact_implicit",
                                     .traits = SB_QUADRATIC | SB_IMPLICIT_CONTACT | SB_BARRIER,
                                     .columns = 1,
                                     .state_bytes = sizeof(hessian),
                                     .prepare = prepare,
                                     .begin = begin,
                                     .apply = apply,
                                     .destroy = destroy};
