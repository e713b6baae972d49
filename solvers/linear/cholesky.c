/* Backend cholesky: sparse direct P A P^T = L L^T. Symbolic analysis once per pattern, numeric factorisation per
 * matrix, solves per right-hand side; "not positive definite" is an outcome. CHOLMOD on one rank, MUMPS on several. */
#include "solvers/linear/cholesky_cholmod.h"
#include "solvers/linear/mumps.h"

typedef struct {
  bool       serial;
  sb_cholmod cholmod; /* one rank */
  sb_mumps   mumps;   /* several */
} cholesky_state;

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  cholesky_state *s = state;
  PetscMPIInt     ranks;

  PetscFunctionBeginUser;
  (void)options;
  (void)prefix;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  s->serial = ranks == 1;
  s->mumps.kind = MAT_FACTOR_CHOLESKY;
  if (s->serial) PetscCall(sb_cholmod_configure(&s->cholmod, columns));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  cholesky_state *s = state;
  (void)definite; /* both detect what is not, at no cost */
  return s->serial ? sb_cholmod_analyze(&s->cholmod, A) : sb_mumps_analyze(&s->mumps, A);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  cholesky_state *s = state;
  return s->serial ? sb_cholmod_factorize(&s->cholmod, A, outcome, facts)
                   : sb_mumps_factorize(&s->mumps, A, outcome, facts);
}

static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_report *report)
{
  cholesky_state *s = state;
  (void)goal;
  return s->serial ? sb_cholmod_solve(&s->cholmod, b, x, report) : sb_mumps_solve(&s->mumps, b, x, report);
}

static PetscErrorCode solve_columns(void *state, Vec b, Vec x, const sb_goal *goal, sb_report *report)
{
  cholesky_state *s = state;
  return s->serial ? sb_cholmod_solve_columns(&s->cholmod, b, x, report)
                   : sb_mumps_solve_columns(&s->mumps, b, x, goal, report);
}

static PetscErrorCode destroy(void *state)
{
  cholesky_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_cholmod_destroy(&s->cholmod));
  PetscCall(sb_mumps_destroy(&s->mumps));
  PetscFunctionReturn(0);
}

const sb_linear_backend sb_linear_cholesky = {
    .name = "cholesky",
    .summary = "sparse direct: CHOLMOD on one rank, MUMPS on several",
    .traits = SB_DIRECT | SB_NEEDS_SPD | SB_DETECTS_INDEFINITE,
    .state_bytes = sizeof(cholesky_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .solve_columns = solve_columns,
    .destroy = destroy,
};
