/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend panel: sparse direct P A P^T = L D L^T for factors whose supernodes are narrow, as those of cloth are. A
 * library that uses BLAS spends its time on calls. Here the order of elimination is CHOLMOD's, and the arithmetic is
 * ours, on panels of at most eight columns (panel_plan.h, panel_kernels.h). MUMPS on several ranks.
 *
 * A is not positive definite if a pivot is not positive: by Sylvester's law D has the signs of A's eigenvalues. It
 * counts as singular if a pivot is the rounding of its row's diagonal entry, d_jj < 8 eps a_jj. */
#include <float.h>

#include "solvers/linear/direct.h"
#include "solvers/linear/panel_kernels.h"

/* Work for threads: about ten times the cost of their meeting (docs/performance.md). */
#define OPERATIONS_LEAST 1.0e6 /* of a factorisation */
#define ENTRIES_LEAST    4.0e4 /* of L, in a solve */

typedef struct {
  const sb_panel_kernels *kernels;
  int                     columns, threads;
  sb_panel_plan           plan;
  sb_panel_factor_arrays  numbers;
} panel_half;

static const sb_panel_kernels *const tables[] = SB_TABLES(sb_panel);

typedef struct {
  sb_direct  direct; /* first: the state is one */
  panel_half half;
} panel_state;

static PetscErrorCode configure_half(void *half, int columns)
{
  panel_half *h = half;
  h->columns = columns;
  h->kernels = tables[sb_instruction_set_best()];
  return 0;
}

static PetscErrorCode release(panel_half *h)
{
  PetscFunctionBeginUser;
  PetscCall(sb_panel_numbers_destroy(&h->numbers));
  PetscCall(sb_panel_plan_destroy(&h->plan));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(void *half, Mat A)
{
  panel_half  *h = half;
  const double least = h->columns == 1 ? OPERATIONS_LEAST : ENTRIES_LEAST;
  sb_csr       csr;

  PetscFunctionBeginUser;
  PetscCall(release(h));
  PetscCall(sb_csr_open(A, &csr));
  const PetscErrorCode planned = sb_panel_plan_create(&csr, h->columns, h->threads, least, &h->plan);
  PetscCall(sb_csr_close(A, &csr));
  PetscCall(planned);
  PetscFunctionReturn(0);
}

static sb_factor_forecast predict(const void *half)
{
  const panel_half *h = half;
  return (sb_factor_forecast){sizeof(double) * (double)h->plan.value_start[h->plan.panels], h->plan.flops};
}

static bool has_lost_pivot(const panel_half *h, const sb_csr *csr)
{
  for (int i = 0; i < h->plan.rows; ++i) {
    const PetscInt at = h->plan.diagonal[h->plan.order[i]];
    const double   pivot = h->numbers.pivot[i];
    if (at < 0 || !(pivot >= SB_PIVOT_RATIO_MIN * csr->value[at]) || pivot < DBL_MIN) return true;
  }
  return false;
}

static PetscErrorCode factorize(void *half, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  panel_half *h = half;
  sb_csr      csr;

  PetscFunctionBeginUser;
  if (!h->numbers.value) PetscCall(sb_panel_numbers_create(&h->plan, &h->numbers));
  PetscCall(sb_csr_open(A, &csr));
  *outcome = SB_SOLVED;
  if (!sb_panel_factorize(h->kernels, &h->plan, csr.value, &h->numbers)) {
    *outcome = SB_NOT_SPD;
    facts->reason = "a pivot of the factorisation is not positive";
  } else if (has_lost_pivot(h, &csr)) {
    *outcome = SB_SINGULAR;
    facts->reason = "a pivot of the factorisation is only rounding error of its row";
  }
  PetscCall(sb_csr_close(A, &csr));
  facts->nonzeros_factor = h->plan.nonzeros;
  facts->flops_factor = h->plan.flops;
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_by(const panel_half *h, sb_panel_solve halves, Vec b, Vec x, sb_solve_report *report)
{
  const PetscScalar *rhs;
  PetscScalar       *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &rhs));
  PetscCall(VecGetArrayWrite(x, &solution));
  sb_panel_solve_by(halves, &h->plan, &h->numbers, rhs, solution);
  PetscCall(VecRestoreArrayWrite(x, &solution));
  PetscCall(VecRestoreArrayRead(b, &rhs));
  report->outcome = SB_SOLVED;
  report->reason = "solved by a factorisation";
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(void *half, Vec b, Vec x, sb_solve_report *report)
{
  const panel_half *h = half;
  return solve_by(h, h->kernels->one, b, x, report);
}

static PetscErrorCode solve_columns(void *half, Vec b, Vec x, sb_solve_report *report)
{
  const panel_half *h = half;
  return solve_by(h, h->kernels->three, b, x, report);
}

static PetscErrorCode destroy(void *half) { return release(half); }

static const sb_direct_half serial = {
    .configure = configure_half,
    .analyze = analyze,
    .predict = predict,
    .factorize = factorize,
    .solve = solve,
    .solve_columns = solve_columns,
    .destroy = destroy,
};

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  panel_state *s = state;
  (void)prefix;
  s->half.threads = (int)SB_INTEGER(options, threads);
  return sb_direct_configure(&s->direct, comm, MAT_FACTOR_CHOLESKY, &serial, &s->half, columns);
}

const sb_linear_backend sb_linear_panel = {
    .name = "panel",
    .summary = "sparse direct, for narrow supernodes: our own L D L^T on one rank, MUMPS on several",
    .traits = SB_DIRECT | SB_NEEDS_SPD | SB_DETECTS_INDEFINITE | SB_COUNTED,
    .state_bytes = sizeof(panel_state),
    .configure = configure,
    .analyze = sb_direct_analyze,
    .predict = sb_direct_predict,
    .factor = sb_direct_factor,
    .solve = sb_direct_solve,
    .solve_columns = sb_direct_solve_columns,
    .destroy = sb_direct_destroy,
};
