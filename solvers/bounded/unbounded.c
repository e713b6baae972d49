/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A q = b by a linear backend, without bounds: the pressures of a fluid that could be pulled. */
#include "solvers/bounded/bounded_method.h"
#include "solvers/linear/linear_solver.h"

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  sb_linear_solver *linear = NULL;
  sb_solve_report   solved;
  bool              done;

  PetscFunctionBeginUser;
  PetscCall(sb_bounded_look(problem, 0, &done));
  if (done) PetscFunctionReturn(0);
  PetscCall(sb_linear_solver_create(PETSC_COMM_SELF, problem->options, "pressure_", 1, problem->profile, &linear));
  PetscCall(sb_linear_solver_set_matrix(linear, problem->A, SB_NEW_PATTERN, true, &report->outcome));
  if (sb_outcome_accepted(report->outcome)) {
    PetscCall(sb_linear_solver_solve(linear, problem->b, problem->q, true, &solved));
    report->outcome = solved.outcome;
    report->linear_iterations = solved.iterations;
    report->iterations = 1;
  }
  if (!sb_outcome_accepted(report->outcome)) report->reason = "the linear solver failed";
  PetscCall(sb_linear_solver_destroy(&linear));
  PetscCall(sb_bounded_look(problem, report->iterations, &done));
  PetscFunctionReturn(0);
}

const sb_bounded_method sb_bounded_unbounded = {
    .name = "unbounded",
    .summary = "a linear solver, without bounds: negative pressures are kept",
    .uses = "linear",
    .traits = SB_BOUNDED_IGNORES,
    .solve = solve,
};
