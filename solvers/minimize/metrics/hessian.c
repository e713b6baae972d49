/* P = H(z) = M/h^2 + sum H_s(z), Newton's metric.
 *
 * Exact, projected spring by spring to be positive semi-definite, with its negative eigenvalues turned to their
 * absolute values (Chen, Liu, Kaufman, Jacobson et al. 2024), or chosen by whether the backend finds the matrix
 * positive definite: adaptive takes the projected one where the exact one is not, blended the mean (1 - b) exact + b
 * projected, spring by spring, with about the least b that makes it so, since the projected one alone overrates the
 * curvature of buckled springs and creeps (measured: docs/decisions.md). A barrier's own Hessian, added to the matrix
 * whatever that is of springs, is positive semi-definite (model/barrier_pair.h). */
#include "solvers/minimize/descent.h"

#include "model/barrier_matrix.h"
#include "solvers/linear/linear_backend.h"

/* Smallest part of the projected Hessian that is tried; below it, none. */
#define BLEND_MIN 0.03

typedef struct {
  sb_system         *system;
  sb_linear_solver  *linear;
  Mat                matrix;
  sb_barrier_matrix *barrier;           /* NULL: none */
  double             negative;          /* what negative eigenvalues of springs are multiplied by at first */
  bool               adaptive, blended; /* blended is adaptive in its own way */
  double             blend;             /* b of the last iteration */
} hessian;

/* Adaptive relies on being told. */
static PetscErrorCode check_backend(const sb_minimizer_setup *setup)
{
  const char              *name = SB_TEXT(setup->options, linear);
  const sb_linear_backend *backend = sb_linear_backend_find(name);

  PetscFunctionBeginUser;
  PetscCheck(backend && backend->traits & SB_DETECTS_INDEFINITE, setup->system->comm, PETSC_ERR_USER,
             "hessian=%s needs a linear backend that detects indefinite matrices, and linear=%s does not; "
             "use linear=cholesky, or hessian=projected",
             SB_TEXT(setup->options, hessian), name);
  PetscFunctionReturn(0);
}

/* Without a barrier the pattern is analysed, and room for factors made, before the first step: with every vertex in one
 * place each spring counts k I/3, which is a positive definite matrix of the final pattern. */
static PetscErrorCode analyze(hessian *n, double h_seconds, sb_outcome *outcome)
{
  const bool   definite = n->negative <= 0 && sb_system_is_symmetric(n->system);
  const double weight = 1 / (h_seconds * h_seconds);
  Vec          one_place;

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_block_matrix(n->system, &n->matrix));
  if (n->barrier) PetscFunctionReturn(0);
  PetscCall(sb_system_create_full(n->system, &one_place));
  PetscCall(sb_system_assemble_hessian(n->system, SB_HESSIAN_PROJECTED, weight, one_place, n->matrix));
  PetscCall(VecDestroy(&one_place));
  PetscCall(sb_linear_solver_set_matrix(n->linear, n->matrix, SB_PATTERN_ALONE, definite, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  hessian          *n = state;
  const sb_options *options = setup->options;

  PetscFunctionBeginUser;
  n->system = setup->system;
  n->linear = setup->linear;
  n->blended = SB_IS(options, hessian, "blended");
  n->adaptive = n->blended || SB_IS(options, hessian, "adaptive");
  n->negative = SB_IS(options, hessian, "projected")  ? SB_HESSIAN_PROJECTED
                : SB_IS(options, hessian, "absolute") ? SB_HESSIAN_ABSOLUTE
                                                      : SB_HESSIAN_EXACT;
  if (n->adaptive) PetscCall(check_backend(setup));
  if (n->system->barrier) PetscCall(sb_barrier_matrix_create(n->system, &n->barrier));
  PetscCall(analyze(n, setup->h_seconds, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  hessian *n = state;

  PetscFunctionBeginUser;
  (void)potential;
  (void)z;
  n->blend = 0;
  if (n->barrier) PetscCall(sb_barrier_matrix_begin_step(n->barrier));
  PetscFunctionReturn(0);
}

/* out = (M/h^2 + sum H_s)^-1 in. Where adaptive will try again, a matrix that is not positive definite is no solve that
 * failed. */
static PetscErrorCode solve(hessian *n, const sb_potential *potential, double negative, Vec z, Vec in, Vec out,
                            sb_report *report)
{
  const bool definite = negative <= 0 && sb_system_is_symmetric(n->system);
  bool       is_new = false;
  Mat        matrix = n->matrix;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_hessian(potential, negative, z, n->matrix));
  if (n->barrier) PetscCall(sb_barrier_matrix_add(n->barrier, z, n->matrix, &matrix, &is_new));
  PetscCall(sb_linear_solver_set_matrix(n->linear, matrix, is_new ? SB_NEW_PATTERN : SB_NEW_VALUES, definite,
                                        &report->outcome));
  if (n->adaptive && negative > 0 && report->outcome == SB_NOT_SPD) PetscFunctionReturn(0);
  PetscCall(sb_linear_solver_solve(n->linear, in, out, false, report));
  PetscFunctionReturn(0);
}

/* Blended starts from half of what it needed before. */
static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  hessian *n = state;

  PetscFunctionBeginUser;
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
