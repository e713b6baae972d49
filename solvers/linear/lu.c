/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend lu: sparse direct P A Q = L U for matrices that need not be symmetric, such as those with replaced rows.
 * Symbolic analysis once per pattern, numeric factorisation per matrix, solves per right-hand side; it does not test
 * whether a matrix is definite. UMFPACK on one rank, MUMPS on several. */
#include "solvers/linear/lu_umfpack.h"

typedef struct {
  sb_direct  direct; /* first: the state is one */
  sb_umfpack umfpack;
} lu_state;

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  lu_state *s = state;
  (void)options, (void)prefix;
  return sb_direct_configure(&s->direct, comm, MAT_FACTOR_LU, &sb_umfpack_half, &s->umfpack, columns);
}

const sb_linear_backend sb_linear_lu = {
    .name = "lu",
    .spelled = "LU",
    .summary = "sparse direct, symmetric or not: UMFPACK on one rank, MUMPS on several",
    .traits = SB_DIRECT | SB_UNSYMMETRIC | SB_COUNTED,
    .state_bytes = sizeof(lu_state),
    .configure = configure,
    .analyze = sb_direct_analyze,
    .predict = sb_direct_predict,
    .factor = sb_direct_factor,
    .solve = sb_direct_solve,
    .solve_columns = sb_direct_solve_columns,
    .destroy = sb_direct_destroy,
};
