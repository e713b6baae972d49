/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend sor: passes of successive over-relaxation in the order of colours (coloured.h), on the scalar matrix for up
 * to three columns at once, on a matrix with blocks of 3 rows vertex by vertex. An iteration is one pass, with
 * sor_symmetric one forward and one backward.
 *
 * For a symmetric A with a positive definite diagonal it converges if and only if A is positive definite, for any omega
 * in (0, 2) (Ostrowski 1954, Reich 1949). With two colours A is consistently ordered, and with rho_J the spectral
 * radius of I - D^-1 A the fastest omega is
 *
 *     2/(1 + sqrt(1 - rho_J^2)),   of spectral radius omega - 1, that of omega = 1 being rho_J^2     (Young 1954)
 *
 * auto uses it with 1 - lambda_min(D^-1 A) of spectrum.h for rho_J, which is an estimate for more colours. Ritz values
 * are inside the spectrum, so it is below the fastest if modes are slower than 16 iterations show. With sor_symmetric
 * auto is 1, the fastest with two colours (tests/linear/sor.c), and also for matrices that may be unsymmetric. */
#include <math.h>

#include "solvers/linear/coloured.h"
#include "solvers/linear/stationary.h"

typedef struct {
  sb_stationary loop; /* diagonal and spectrum, only for automatic omega */
  sb_sweeps     sweeps;
  bool          automatic; /* omega is computed for every matrix */
  sb_coloured   coloured;
} sor_state;

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k);

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  (void)comm, (void)prefix;
  s->sweeps.symmetric = SB_FLAG(options, sor_symmetric);
  s->automatic = SB_IS(options, sor_omega, "auto") && !s->sweeps.symmetric;
  s->sweeps.omega = SB_IS(options, sor_omega, "auto") ? 1 : SB_REAL(options, sor_omega);
  s->loop = (sb_stationary){.columns = columns,
                            .advance = advance,
                            .diverging = "the residual grew 10000 times: the matrix is not positive definite"};
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_stationary_destroy(&s->loop));
  PetscCall(sb_coloured_destroy(&s->coloured));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  sor_state *s = state;
  PetscBool  known, symmetric;
  int        block;

  PetscFunctionBeginUser;
  PetscCall(destroy(s));
  PetscCall(sb_vertex_rows(A, s->loop.columns, &block));
  PetscCall(sb_stationary_create(A, &s->loop));
  PetscCall(sb_coloured_create(A, block, &s->coloured));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  if (!s->automatic || !(definite || (known && symmetric))) PetscFunctionReturn(0);
  PetscCall(sb_block_diagonal_create(A, block, &s->loop.diagonal));
  PetscCall(sb_stationary_create_spectrum(A, true, &s->loop));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  sor_state       *s = state;
  bool             singular;
  sb_spectrum_ends ends;

  PetscFunctionBeginUser;
  PetscCall(sb_coloured_factor(&s->coloured, A, &singular));
  sb_judge_diagonal(singular, outcome, facts);
  if (singular || !s->loop.spectrum.ksp) PetscFunctionReturn(0);
  PetscCall(sb_block_diagonal_factor(&s->loop.diagonal, A, &singular));
  PetscCall(sb_spectrum_measure(&s->loop.spectrum, A, &ends));
  const double radius = fmin(fmax(1 - ends.low, 0), 1);
  s->sweeps.omega = 2 / (1 + sqrt(1 - radius * radius));
  sb_judge_spectrum(ends.definite,
                    "the matrix is not positive definite, and sor_omega=auto is not defined for others; give a number",
                    s->sweeps.omega < 2, "the spectrum of D^-1 A could not be estimated", outcome, facts);
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  (void)r, (void)k;
  s->sweeps.count = 1;
  PetscCall(sb_coloured_sweep(&s->coloured, &s->sweeps, s->loop.columns, b, x));
  PetscFunctionReturn(0);
}

/* A sweep needs no residual, so a fixed number of them is run without. */
static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  if (goal->relative_tolerance > 0) {
    PetscCall(sb_stationary_solve(state, b, x, goal, report));
    PetscFunctionReturn(0);
  }
  s->sweeps.count = goal->iterations_max;
  PetscCall(sb_coloured_sweep(&s->coloured, &s->sweeps, s->loop.columns, b, x));
  *report = (sb_solve_report){
      .outcome = SB_TRUNCATED, .iterations = goal->iterations_max, .reason = "ran exactly the requested iterations"};
  PetscFunctionReturn(0);
}

const sb_linear_backend sb_linear_sor = {
    .name = "sor",
    .spelled = "SOR",
    .summary = "Gauss-Seidel and successive over-relaxation by colours, by coordinate or by vertex",
    .uses = "sor_omega sor_symmetric linear_tolerance linear_max_iterations",
    .traits = SB_SERIAL_ONLY | SB_UNSYMMETRIC | SB_COUNTED,
    .state_bytes = sizeof(sor_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .solve_columns = solve,
    .destroy = destroy,
};
