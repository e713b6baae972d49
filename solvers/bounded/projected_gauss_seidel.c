/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projected Gauss-Seidel with over-relaxation, row by row q_i = max(0, q_i - omega r_i/A_ii) (Cryer: SIAM J. Control 9,
 * 1971). It converges for every positive definite A and 0 < omega < 2. Passes go up and down in turn.
 *
 * A pass computes residuals r_i at different moments. They are close to those at its end, and free. Only if they are
 * within the goal is the true residual computed, which takes as long as a pass. */
#include <math.h>

#include "solvers/bounded/bounded_method.h"

typedef struct {
  PetscInt        rows;
  const PetscInt *start, *column;
  const double   *value, *b, *diagonal;
  double         *q;
  double          square, excess; /* sums of min(d q, r)^2 and max(0, -r) as they were met */
} sweep;

static void relax(sweep *s, PetscInt i, double omega)
{
  const double d = s->diagonal[i];
  double       r = -s->b[i];
  if (d > 0) {
    for (PetscInt k = s->start[i]; k < s->start[i + 1]; ++k) r += s->value[k] * s->q[s->column[k]];
    const double off = fmin(d * s->q[i], r);
    s->square += off * off;
    s->q[i] = fmax(0, s->q[i] - omega * r / d);
  }
  s->excess += fmax(0, -r);
}

/* One pass up or down; *near: the residual seen on the way is within the goal. */
static PetscErrorCode pass(const sb_bounded_problem *problem, double omega, bool up, bool *near)
{
  sweep     s = {.square = 0};
  PetscBool good;
  double   *value;

  PetscFunctionBeginUser;
  PetscCall(MatGetRowIJ(problem->A, 0, PETSC_FALSE, PETSC_FALSE, &s.rows, &s.start, &s.column, &good));
  PetscCall(MatSeqAIJGetArray(problem->A, &value));
  PetscCall(VecGetArrayRead(problem->b, &s.b));
  PetscCall(VecGetArrayRead(problem->diagonal, &s.diagonal));
  PetscCall(VecGetArray(problem->q, &s.q));
  s.value = value;
  for (PetscInt i = 0; i < s.rows; ++i) relax(&s, up ? i : s.rows - 1 - i, omega);
  const double most = fmax(problem->goal.relative * problem->scale, problem->goal.rounding * sqrt((double)s.rows));
  *near = !(sqrt(s.square) > most) || (problem->goal.excess > 0 && !(s.excess > problem->goal.excess * s.rows));
  PetscCall(VecRestoreArray(problem->q, &s.q));
  PetscCall(VecRestoreArrayRead(problem->diagonal, &s.diagonal));
  PetscCall(VecRestoreArrayRead(problem->b, &s.b));
  PetscCall(MatSeqAIJRestoreArray(problem->A, &value));
  PetscCall(MatRestoreRowIJ(problem->A, 0, PETSC_FALSE, PETSC_FALSE, &s.rows, &s.start, &s.column, &good));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  const double omega = isnan(problem->omega) ? 1.5 : problem->omega;
  bool         near = true, done = false;

  PetscFunctionBeginUser;
  for (report->iterations = 0;; ++report->iterations) {
    if (near || problem->watch.call) PetscCall(sb_bounded_look(problem, report->iterations, &done));
    if ((near && done) || report->iterations == problem->iterations_max) break;
    PetscCall(pass(problem, omega, report->iterations % 2 == 0, &near));
  }
  PetscFunctionReturn(0);
}

const sb_bounded_method sb_bounded_projected_gauss_seidel = {
    .name = "projected_gauss_seidel",
    .summary = "projected Gauss-Seidel with over-relaxation, with passes up and down",
    .uses = "pressure_omega",
    .traits = SB_BOUNDED_ROWS | SB_BOUNDED_UNCOUNTED,
    .solve = solve,
};
