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

#include "solvers/linear/block_diagonal.h"
#include "solvers/linear/coloured.h"
#include "solvers/linear/spectrum.h"
#include "solvers/linear/stationary.h"

typedef struct {
  sb_sweeps         sweeps;
  bool              automatic; /* omega is found anew for every matrix */
  int               columns;
  sb_coloured       coloured;
  sb_block_diagonal diagonal; /* these two for automatic alone */
  sb_spectrum       spectrum; /* of D^-1 A */
  sb_stationary     loop;
} sor_state;

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  (void)comm, (void)prefix;
  s->sweeps.symmetric = SB_FLAG(options, sor_symmetric);
  s->automatic = SB_IS(options, sor_omega, "auto") && !s->sweeps.symmetric;
  s->sweeps.omega = SB_IS(options, sor_omega, "auto") ? 1 : SB_REAL(options, sor_omega);
  s->columns = columns;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_stationary_destroy(&s->loop));
  PetscCall(sb_spectrum_destroy(&s->spectrum));
  PetscCall(sb_block_diagonal_destroy(&s->diagonal));
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
  PetscCall(sb_vertex_rows(A, s->columns, &block));
  PetscCall(sb_stationary_create(A, s->columns, &s->loop));
  PetscCall(sb_coloured_create(A, block, &s->coloured));
  PetscCall(MatIsSymmetricKnown(A, &known, &symmetric));
  if (!s->automatic || !(definite || (known && symmetric))) PetscFunctionReturn(0);
  PetscCall(sb_block_diagonal_create(A, block, &s->diagonal));
  s->spectrum = (sb_spectrum){.apply = sb_block_diagonal_precondition, .context = &s->diagonal};
  PetscCall(sb_spectrum_create(A, true, &s->spectrum));
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  sor_state       *s = state;
  bool             singular;
  sb_spectrum_ends ends;

  PetscFunctionBeginUser;
  PetscCall(sb_coloured_factor(&s->coloured, A, &singular));
  *outcome = singular ? SB_SINGULAR : SB_SOLVED;
  if (singular) facts->reason = "a diagonal block is singular";
  if (singular || !s->spectrum.ksp) PetscFunctionReturn(0);
  PetscCall(sb_block_diagonal_factor(&s->diagonal, A, &singular));
  PetscCall(sb_spectrum_measure(&s->spectrum, A, &ends));
  const double radius = fmin(fmax(1 - ends.low, 0), 1);
  s->sweeps.omega = 2 / (1 + sqrt(1 - radius * radius));
  if (!ends.definite) {
    *outcome = SB_NOT_SPD;
    facts->reason = "the matrix is not positive definite, and sor_omega=auto is not defined for others; give a number";
  } else if (!(s->sweeps.omega < 2)) {
    *outcome = SB_FAILED;
    facts->reason = "the spectrum of D^-1 A could not be estimated";
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, Vec b, Vec r, Vec x, PetscInt k)
{
  sor_state *s = state;

  PetscFunctionBeginUser;
  (void)r, (void)k;
  s->sweeps.count = 1;
  PetscCall(sb_coloured_sweep(&s->coloured, &s->sweeps, s->columns, b, x));
  PetscFunctionReturn(0);
}

/* A sweep needs no residual, so a fixed number of them is run without. */
static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  sor_state               *s = state;
  const sb_stationary_step iteration = {advance, s,
                                        "the residual grew 10000 times: the matrix is not positive definite"};

  PetscFunctionBeginUser;
  if (goal->relative_tolerance > 0) {
    PetscCall(sb_stationary_solve(&s->loop, &iteration, b, x, goal, report));
    PetscFunctionReturn(0);
  }
  s->sweeps.count = goal->iterations_max;
  PetscCall(sb_coloured_sweep(&s->coloured, &s->sweeps, s->columns, b, x));
  *report = (sb_solve_report){
      .outcome = SB_TRUNCATED, .iterations = goal->iterations_max, .reason = "ran exactly the requested iterations"};
  PetscFunctionReturn(0);
}

const sb_linear_backend sb_linear_sor = {
    .name = "sor",
    .summary = "Gauss-Seidel and successive over-relaxation by colours, by coordinate or by vertex",
    .uses = "sor_omega sor_symmetric linear_tolerance linear_max_iterations",
    .traits = SB_SERIAL_ONLY | SB_UNSYMMETRIC,
    .state_bytes = sizeof(sor_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .solve_columns = solve,
    .destroy = destroy,
};
