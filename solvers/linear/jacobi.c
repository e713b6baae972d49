/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend jacobi: x+ = x + omega D^-1 (b - A x), with D the diagonal of A (point) or its 3x3 diagonal blocks (vertex).
 *
 * Converges if and only if the spectral radius of I - omega D^-1 A is below 1. For a positive definite A that means
 * omega < 2/lambda_max(D^-1 A). lambda_max is below 2 for the scalar matrix of local-global, and for Newton's by
 * vertices with a projected Hessian. It is at most 6 for that by points, so that omega = 1 may diverge. The fastest
 * omega is 2/(lambda_min + lambda_max); auto takes both ends from spectrum.h. If D is positive definite and A is not,
 * the iteration converges for no omega. Divergence (a residual 1e4 times the first, or not finite) ends a solve with
 * that reason. */
#include <math.h>

#include "solvers/linear/stationary.h"

typedef struct {
  sb_stationary loop; /* the spectrum, only for automatic omega */
  double        omega;
  bool          automatic; /* omega is computed for every matrix */
  int           block;
} jacobi_state;

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k);

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  jacobi_state *s = state;

  PetscFunctionBeginUser;
  (void)prefix;
  s->automatic = SB_IS(options, jacobi_omega, "auto");
  s->omega = SB_REAL(options, jacobi_omega);
  s->loop =
      (sb_stationary){.columns = columns,
                      .advance = advance,
                      .diverging = "the residual grew 10000 times: the spectral radius of I - omega D^-1 A exceeds 1"};
  s->block = (int)SB_INTEGER(options, jacobi_block);
  PetscCheck(s->block == 1 || s->block == SB_VERTEX, comm, PETSC_ERR_USER,
             "jacobi_block is 1 (point) or 3 (vertex), not %d", s->block);
  if (columns > 1) s->block = 1; /* a scalar matrix has one row a vertex */
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  jacobi_state *s = state;
  PetscBool     known, symmetric;

  PetscFunctionBeginUser;
  (void)definite;
  PetscCall(sb_stationary_create(A, &s->loop));
  PetscCall(sb_block_diagonal_create(A, s->block, &s->loop.diagonal));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  if (s->automatic) PetscCall(sb_stationary_create_spectrum(A, known && symmetric, &s->loop));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  jacobi_state    *s = state;
  bool             singular;
  sb_spectrum_ends ends;

  PetscFunctionBeginUser;
  PetscCall(sb_block_diagonal_factor(&s->loop.diagonal, A, &singular));
  sb_judge_diagonal(singular, outcome, facts);
  if (singular || !s->automatic) PetscFunctionReturn(0);
  PetscCall(sb_spectrum_measure(&s->loop.spectrum, A, &ends));
  s->omega = 2 / (ends.low + ends.high);
  sb_judge_spectrum(
      ends.definite,
      "the matrix is not positive definite, and jacobi_omega=auto is not defined for others; give a number",
      s->omega > 0 && isfinite(s->omega), "the spectrum of D^-1 A could not be estimated", outcome, facts);
  PetscFunctionReturn(0);
}

/* x += omega D^-1 r. */
static void relax(const jacobi_state *s, const double *restrict r, double *restrict x)
{
  const PetscInt width = s->loop.columns, rows = s->loop.diagonal.rows; /* entries a row */
  const double  *inverse = s->loop.diagonal.inverse;
  if (s->block == 1) {
    for (PetscInt i = 0; i < rows; ++i) {
      const double step = s->omega * inverse[i];
      for (PetscInt j = 0; j < width; ++j) x[width * i + j] += step * r[width * i + j];
    }
    return;
  }
  for (PetscInt i = 0; i < rows; ++i) {
    const double *row = inverse + SB_VERTEX * i, *part = r + i - i % SB_VERTEX;
    x[i] += s->omega * (row[0] * part[0] + row[1] * part[1] + row[2] * part[2]);
  }
}

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k)
{
  const PetscScalar *residual;
  PetscScalar       *value;

  PetscFunctionBeginUser;
  (void)b, (void)k;
  PetscCall(VecGetArrayRead(r, &residual));
  PetscCall(VecGetArray(x, &value));
  relax(state, residual, value);
  PetscCall(VecRestoreArray(x, &value));
  PetscCall(VecRestoreArrayRead(r, &residual));
  PetscFunctionReturn(0);
}

static sb_relaxation relaxation(const void *state)
{
  return (sb_relaxation){.omega = ((const jacobi_state *)state)->omega};
}

const sb_linear_backend sb_linear_jacobi = {
    .name = "jacobi",
    .spelled = "Jacobi",
    .summary = "damped Jacobi iteration, by coordinate or by vertex",
    .uses = "jacobi_omega jacobi_block linear_tolerance linear_max_iterations",
    .traits = SB_UNSYMMETRIC | SB_COUNTED | SB_RELAXES,
    .state_bytes = sizeof(jacobi_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = sb_stationary_solve,
    .solve_columns = sb_stationary_solve,
    .relaxation = relaxation,
    .destroy = sb_stationary_destroy,
};
