/* Backend lu: sparse direct P A Q = L U for matrices that need not be symmetric, such as those with replaced rows.
 * Symbolic analysis once per pattern, numeric factorisation per matrix, solves per right-hand side; it does not ask
 * whether a matrix is definite. UMFPACK on one rank, MUMPS on several. */
#include "solvers/linear/lu_umfpack.h"
#include "solvers/linear/mumps.h"

typedef struct {
  bool       serial;
  sb_umfpack umfpack; /* one rank */
  sb_mumps   mumps;   /* several */
} lu_state;

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  lu_state   *s = state;
  PetscMPIInt ranks;

  PetscFunctionBeginUser;
  (void)options;
  (void)prefix;
  (void)columns;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  s->serial = ranks == 1;
  s->mumps.kind = MAT_FACTOR_LU;
  if (s->serial) PetscCall(sb_umfpack_configure(&s->umfpack));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  lu_state *s = state;
  (void)definite;
  return s->serial ? sb_umfpack_analyze(&s->umfpack, A) : sb_mumps_analyze(&s->mumps, A);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  lu_state *s = state;
  return s->serial ? sb_umfpack_factorize(&s->umfpack, A, outcome, facts)
                   : sb_mumps_factorize(&s->mumps, A, outcome, facts);
}

static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_report *report)
{
  lu_state *s = state;
  (void)goal;
  return s->serial ? sb_umfpack_solve(&s->umfpack, b, x, report) : sb_mumps_solve(&s->mumps, b, x, report);
}

static PetscErrorCode solve_columns(void *state, Vec b, Vec x, const sb_goal *goal, sb_report *report)
{
  lu_state *s = state;
  return s->serial ? sb_umfpack_solve_columns(&s->umfpack, b, x, report)
                   : sb_mumps_solve_columns(&s->mumps, b, x, goal, report);
}

static PetscErrorCode destroy(void *state)
{
  lu_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_umfpack_destroy(&s->umfpack));
  PetscCall(sb_mumps_destroy(&s->mumps));
  PetscFunctionReturn(0);
}

const sb_linear_backend sb_linear_lu = {
    .name = "lu",
    .summary = "sparse direct, symmetric or not: UMFPACK on one rank, MUMPS on several",
    .traits = SB_DIRECT | SB_UNSYMMETRIC,
    .state_bytes = sizeof(lu_state),
    .configure = configure,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .solve_columns = solve_columns,
    .destroy = destroy,
};
