/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend cholesky: sparse direct P A P^T = L L^T. Symbolic analysis once per pattern, numeric factorisation per
 * matrix, solves per right-hand side; "not positive definite" is an outcome. CHOLMOD on one rank, MUMPS on several. */
#include "solvers/linear/cholesky_cholmod.h"

typedef struct {
  sb_direct  direct; /* first: the state is one */
  sb_cholmod cholmod;
} cholesky_state;

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  cholesky_state *s = state;
  (void)options, (void)prefix;
  return sb_direct_configure(&s->direct, comm, MAT_FACTOR_CHOLESKY, &sb_cholmod_half, &s->cholmod, columns);
}

const sb_linear_backend sb_linear_cholesky = {
    .name = "cholesky",
    .spelled = "Cholesky",
    .summary = "sparse direct: CHOLMOD on one rank, simplicial if it solves for three columns; MUMPS on several",
    .traits = SB_DIRECT | SB_NEEDS_SPD | SB_DETECTS_INDEFINITE | SB_COUNTED,
    .state_bytes = sizeof(cholesky_state),
    .configure = configure,
    .analyze = sb_direct_analyze,
    .predict = sb_direct_predict,
    .factor = sb_direct_factor,
    .solve = sb_direct_solve,
    .solve_columns = sb_direct_solve_columns,
    .destroy = sb_direct_destroy,
};
