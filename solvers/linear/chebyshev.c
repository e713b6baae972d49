/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend chebyshev: the Chebyshev semi-iteration on M^-1 A, with M the diagonal of A or its 3x3 diagonal blocks, or
 * one symmetric sweep of over-relaxation from zero (coloured.h; one rank). For a spectrum in [a, b], with theta = (b +
 * a)/2 and delta = (b - a)/2, the residual polynomial is T_k((theta - t)/delta)/T_k(theta/delta) (Saad 2003,
 * section 12.3):
 *
 *     d_0 = M^-1 r/theta,   d_k = rho_k rho_{k-1} d_{k-1} + (2 rho_k/delta) M^-1 r,   x+ = x + d,
 *     rho_0 = delta/theta,  rho_k = 1/(2 theta/delta - rho_{k-1})
 *
 * It needs no dot products. Below 1 in (0, b], the polynomial converges there whatever a is; above b it grows without
 * bound. auto takes the ends from spectrum.h, b with a margin. Nothing converges if A is not positive definite. */
#include <math.h>

#include "solvers/linear/coloured.h"
#include "solvers/linear/stationary.h"

typedef struct {
  sb_stationary loop; /* the diagonal unless M is a pass of over-relaxation; the spectrum if an end is estimated */
  double        low_given, high_given; /* of the spectrum; 0: estimated */
  double        theta, delta, rho;
  bool          sweeps; /* M is a sweep */
  sb_sweeps     sweep;
  sb_coloured   coloured; /* with sweeps */
  Vec           step, z;  /* d and M^-1 r, of b's shape */
} chebyshev_state;

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k);

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  chebyshev_state *s = state;
  PetscMPIInt      ranks;

  PetscFunctionBeginUser;
  (void)prefix;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  s->loop =
      (sb_stationary){.columns = columns,
                      .advance = advance,
                      .diverging = "the residual grew 10000 times: the spectrum of M^-1 A is not below chebyshev_high"};
  s->sweeps = SB_IS(options, chebyshev_over, "sor");
  s->low_given = SB_IS(options, chebyshev_low, "auto") ? 0 : SB_REAL(options, chebyshev_low);
  s->high_given = SB_IS(options, chebyshev_high, "auto") ? 0 : SB_REAL(options, chebyshev_high);
  s->sweep = (sb_sweeps){SB_IS(options, sor_omega, "auto") ? 1 : SB_REAL(options, sor_omega), true, 1};
  PetscCheck(ranks == 1 || !s->sweeps, comm, PETSC_ERR_USER,
             "chebyshev_over=sor runs on one rank only, not on %d: its passes would exchange values after each colour; "
             "use chebyshev_over=jacobi",
             ranks);
  PetscCheck(s->high_given == 0 || s->low_given < s->high_given, comm, PETSC_ERR_USER,
             "chebyshev_low %g is not below chebyshev_high %g", s->low_given, s->high_given);
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  chebyshev_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&s->step));
  PetscCall(VecDestroy(&s->z));
  PetscCall(sb_stationary_destroy(&s->loop));
  PetscCall(sb_coloured_destroy(&s->coloured));
  PetscFunctionReturn(0);
}

/* z = M^-1 r. */
static PetscErrorCode precondition(chebyshev_state *s, int columns, Vec r, Vec z)
{
  PetscFunctionBeginUser;
  if (s->sweeps) {
    PetscCall(VecSet(z, 0.0));
    PetscCall(sb_coloured_sweep(&s->coloured, &s->sweep, columns, r, z));
  } else {
    PetscCall(sb_block_diagonal_apply(&s->loop.diagonal, columns, r, z));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode apply_inverse(void *context, Vec r, Vec z)
{
  PetscFunctionBeginUser;
  PetscCall(precondition(context, 1, r, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  chebyshev_state *s = state;
  int              block;

  PetscFunctionBeginUser;
  (void)definite;
  PetscCall(destroy(s));
  PetscCall(sb_vertex_rows(A, s->loop.columns, &block));
  PetscCall(sb_stationary_create(A, &s->loop));
  PetscCall(VecDuplicate(s->loop.residual, &s->step));
  PetscCall(VecDuplicate(s->loop.residual, &s->z));
  if (s->sweeps)
    PetscCall(sb_coloured_create(A, block, &s->coloured));
  else
    PetscCall(sb_block_diagonal_create(A, block, &s->loop.diagonal));
  s->loop.spectrum = (sb_spectrum){.apply = apply_inverse, .context = s};
  if (s->low_given == 0 || s->high_given == 0) PetscCall(sb_spectrum_create(A, true, &s->loop.spectrum));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  chebyshev_state *s = state;
  sb_spectrum_ends ends = {s->low_given, s->high_given, true};
  bool             singular;

  PetscFunctionBeginUser;
  if (s->sweeps)
    PetscCall(sb_coloured_factor(&s->coloured, A, &singular));
  else
    PetscCall(sb_block_diagonal_factor(&s->loop.diagonal, A, &singular));
  sb_judge_diagonal(singular, outcome, facts);
  if (singular) PetscFunctionReturn(0);
  if (s->loop.spectrum.ksp) PetscCall(sb_spectrum_measure(&s->loop.spectrum, A, &ends));
  if (s->low_given > 0) ends.low = s->low_given;
  if (s->high_given > 0) ends.high = s->high_given;
  s->theta = (ends.high + ends.low) / 2;
  s->delta = (ends.high - ends.low) / 2;
  sb_judge_spectrum(ends.definite, "the matrix is not positive definite", s->delta > 0 && isfinite(s->theta),
                    "the ends of the spectrum of M^-1 A are not an interval; give chebyshev_low below chebyshev_high",
                    outcome, facts);
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k)
{
  chebyshev_state *s = state;

  PetscFunctionBeginUser;
  (void)b;
  PetscCall(precondition(s, s->loop.columns, r, s->z));
  if (k == 0) {
    s->rho = s->delta / s->theta;
    PetscCall(VecSet(s->step, 0.0));
    PetscCall(VecAXPY(s->step, 1 / s->theta, s->z));
  } else {
    const double rho = 1 / (2 * s->theta / s->delta - s->rho);
    PetscCall(VecAXPBY(s->step, 2 * rho / s->delta, rho * s->rho, s->z));
    s->rho = rho;
  }
  PetscCall(VecAXPY(x, 1.0, s->step));
  PetscFunctionReturn(0);
}

static sb_relaxation relaxation(const void *state)
{
  const chebyshev_state *s = state;
  return (sb_relaxation){.theta = s->theta, .delta = s->delta};
}

const sb_linear_backend sb_linear_chebyshev = {
    .name = "chebyshev",
    .spelled = "Chebyshev",
    .summary = "Chebyshev semi-iteration over Jacobi or over symmetric passes of over-relaxation",
    .uses = "chebyshev_over chebyshev_low chebyshev_high sor_omega linear_tolerance linear_max_iterations",
    .traits = SB_NEEDS_SPD | SB_COUNTED | SB_RELAXES,
    .state_bytes = sizeof(chebyshev_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = sb_stationary_solve,
    .solve_columns = sb_stationary_solve,
    .relaxation = relaxation,
    .destroy = destroy,
};
