/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front of the bounded solvers: finds the method, scales the goal, measures every answer; see bounded.h. */
#include <math.h>
#include <string.h>

#include "model/system/check.h"
#include "solvers/bounded/bounded_method.h"

#define SB_ENTRY(name) extern const sb_bounded_method sb_bounded_##name;
#include "solvers/bounded/bounded.def"
#undef SB_ENTRY

static const sb_entry *const entries[] = {
#define SB_ENTRY(name) &sb_bounded_##name.entry,
#include "solvers/bounded/bounded.def"
#undef SB_ENTRY
};

static void describe(const sb_entry *entry, sb_description *d)
{
  const unsigned traits = ((const sb_bounded_method *)(const void *)entry)->traits;
  sb_describe_claim(d, traits & SB_BOUNDED_IGNORES, "has no bounds: pressures may be negative");
  sb_describe_claim(d, traits & SB_BOUNDED_APPROXIMATE, "does not converge to a solution of the system");
  sb_describe_claim(d, !(traits & SB_BOUNDED_UNCOUNTED), "its operations are counted with pressure_matrix=assembled");
  sb_describe_claim(d, traits & SB_BOUNDED_UNCOUNTED, "its operations are not counted");
  sb_describe_claim(d, traits & SB_BOUNDED_ROWS, "needs the matrix: not for pressure_matrix=free");
}

const sb_list sb_bounded_methods = {
    .family = "bounded",
    .title = "Pressure solvers: quadratic programmes with bounds",
    .about = "Named by option `pressure_solver`. Pressures are not negative: they solve min q.A q/2 - b.q over q >= 0.",
    SB_LIST_ENTRIES(entries),
    .describe = describe,
};

struct sb_bounded {
  const sb_bounded_method *method;
  const sb_options        *options;
  sb_profile              *profile;
  sb_bounded_watch         watch;
};

PetscErrorCode sb_bounded_create(const sb_options *options, sb_profile *profile, sb_bounded **solver)
{
  const sb_bounded_method *method = sb_bounded_method_find(SB_TEXT(options, pressure_solver));

  PetscFunctionBeginUser;
  *solver = NULL;
  PetscCheck(method, PETSC_COMM_SELF, PETSC_ERR_USER, "no pressure solver is called '%s'",
             SB_TEXT(options, pressure_solver));
  PetscCall(sb_check_creation(PETSC_COMM_SELF, options, sb_bounded_check));
  PetscCall(PetscNew(solver));
  if (method->traits & SB_BOUNDED_UNCOUNTED) sb_profile_leave_uncounted(profile, method->name);
  if (SB_IS(options, pressure_matrix, "free")) sb_profile_leave_uncounted(profile, "pressure_matrix=free");
  **solver = (sb_bounded){.method = method, .options = options, .profile = profile};
  PetscFunctionReturn(0);
}

PetscErrorCode sb_bounded_destroy(sb_bounded **solver)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(*solver));
  PetscFunctionReturn(0);
}

void sb_bounded_set_watch(sb_bounded *solver, sb_bounded_watch watch) { solver->watch = watch; }

bool sb_bounded_clamps(const sb_bounded *solver) { return !(solver->method->traits & SB_BOUNDED_IGNORES); }

/* Measures r = A q - b. */
static PetscErrorCode measure(const sb_bounded_problem *problem, double *residual, double *excess)
{
  const double *q, *r, *d;
  double        square = 0, sum = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(problem->q, &q));
  PetscCall(VecGetArrayRead(problem->r, &r));
  PetscCall(VecGetArrayRead(problem->diagonal, &d));
  for (PetscInt i = 0; i < problem->rows; ++i) {
    const double off = problem->clamps && d[i] * q[i] < r[i] ? d[i] * q[i] : r[i];
    square += off * off;
    sum += r[i] < 0 ? -r[i] : 0;
  }
  PetscCall(VecRestoreArrayRead(problem->diagonal, &d));
  PetscCall(VecRestoreArrayRead(problem->r, &r));
  PetscCall(VecRestoreArrayRead(problem->q, &q));
  *residual = problem->scale > 0 ? sqrt(square) / problem->scale : sqrt(square);
  *excess = problem->rows > 0 ? sum / problem->rows : 0;
  PetscFunctionReturn(0);
}

static bool within(const sb_bounded_problem *problem, double residual, double excess)
{
  const sb_bounded_goal *goal = &problem->goal;
  return residual <= goal->relative || (goal->excess > 0 && excess <= goal->excess) ||
         residual * problem->scale <= goal->rounding * sqrt((double)problem->rows);
}

static PetscErrorCode look(const sb_bounded_problem *problem, double *residual, double *excess)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(problem->A, problem->q, problem->r));
  PetscCall(VecAXPY(problem->r, -1, problem->b));
  PetscCall(measure(problem, residual, excess));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_bounded_look(const sb_bounded_problem *problem, PetscInt iteration, bool *done)
{
  double residual, excess;

  PetscFunctionBeginUser;
  PetscCall(look(problem, &residual, &excess));
  if (problem->watch.call) {
    const double *q;
    PetscCall(VecGetArrayRead(problem->q, &q));
    PetscCall(problem->watch.call(problem->watch.context, iteration, residual, excess, q));
    PetscCall(VecRestoreArrayRead(problem->q, &q));
  }
  *done = within(problem, residual, excess) || !isfinite(residual) || residual > 1e30;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_bounded_iterate(const sb_bounded_problem *problem, sb_bounded_update update, double omega,
                                  sb_bounded_report *report)
{
  bool done = false;

  PetscFunctionBeginUser;
  for (report->iterations = 0;; ++report->iterations) {
    const double *r, *d;
    double       *q;
    PetscCall(sb_bounded_look(problem, report->iterations, &done));
    if (done || report->iterations == problem->iterations_max) break;
    PetscCall(VecGetArray(problem->q, &q));
    PetscCall(VecGetArrayRead(problem->r, &r));
    PetscCall(VecGetArrayRead(problem->diagonal, &d));
    for (PetscInt i = 0; i < problem->rows; ++i)
      if (d[i] > 0) q[i] = update(q[i], r[i], d[i], omega);
    PetscCall(VecRestoreArrayRead(problem->diagonal, &d));
    PetscCall(VecRestoreArrayRead(problem->r, &r));
    PetscCall(VecRestoreArray(problem->q, &q));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode find_scale(sb_bounded_problem *problem)
{
  const double *b;
  double        square = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(problem->b, &b));
  for (PetscInt i = 0; i < problem->rows; ++i)
    if (!problem->clamps || !(b[i] <= 0)) square += b[i] * b[i];
  PetscCall(VecRestoreArrayRead(problem->b, &b));
  problem->scale = sqrt(square);
  PetscFunctionReturn(0);
}

/* Particles without neighbours have rows of zeros, and no pressure. */
static PetscErrorCode make_feasible(const sb_bounded_problem *problem)
{
  double       *q;
  const double *d;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(problem->q, &q));
  PetscCall(VecGetArrayRead(problem->diagonal, &d));
  for (PetscInt i = 0; i < problem->rows; ++i)
    if (!(d[i] > 0) || (problem->clamps && q[i] < 0)) q[i] = 0;
  PetscCall(VecRestoreArrayRead(problem->diagonal, &d));
  PetscCall(VecRestoreArray(problem->q, &q));
  PetscFunctionReturn(0);
}

/* Judges the answer, independently of the method's claim. */
static PetscErrorCode judge(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(look(problem, &report->residual, &report->excess));
  if (!isfinite(report->residual)) {
    report->outcome = SB_NOT_FINITE;
    report->reason = "the iteration overflowed";
  } else if (within(problem, report->residual, report->excess)) {
    report->outcome = SB_SOLVED;
    report->reason = "within its tolerance";
  } else if (report->residual > 1e4) {
    report->outcome = SB_DIVERGED;
    report->reason = "the residual is 10000 times the right-hand side";
  } else if (report->outcome == SB_SOLVED) {
    report->outcome = SB_STALLED;
    report->reason = "its tolerance was not met";
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_bounded_solve(sb_bounded *solver, Mat A, Vec b, const sb_bounded_goal *goal, Vec q,
                                sb_bounded_report *report)
{
  sb_bounded_problem problem = {.options = solver->options,
                                .profile = solver->profile,
                                .A = A,
                                .b = b,
                                .q = q,
                                .iterations_max = (PetscInt)SB_INTEGER(solver->options, pressure_max_iterations),
                                .omega = SB_REAL(solver->options, pressure_omega),
                                .goal = *goal,
                                .clamps = sb_bounded_clamps(solver),
                                .watch = solver->watch};

  PetscFunctionBeginUser;
  *report = (sb_bounded_report){.outcome = SB_SOLVED, .reason = "within its tolerance"};
  PetscCall(VecGetLocalSize(b, &problem.rows));
  PetscCall(find_scale(&problem));
  PetscCall(VecDuplicate(b, &problem.diagonal));
  PetscCall(VecDuplicate(b, &problem.r));
  PetscCall(MatGetDiagonal(A, problem.diagonal));
  PetscCall(make_feasible(&problem));
  if (problem.scale == 0) PetscCall(VecSet(q, 0)); /* nothing is too much: that is the solution */
  if (problem.scale > 0 && isfinite(problem.scale)) PetscCall(solver->method->solve(&problem, report));
  PetscCall(make_feasible(&problem));
  PetscCall(judge(&problem, report));
  PetscCall(VecDestroy(&problem.diagonal));
  PetscCall(VecDestroy(&problem.r));
  PetscFunctionReturn(0);
}

bool sb_bounded_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  const sb_bounded_method *method = sb_bounded_method_find(SB_TEXT(options, pressure_solver));
  if (!method || !sb_options_read(options, SB_ID(pressure_solver))) return true;
  if (method->traits & SB_BOUNDED_ROWS && SB_IS(options, pressure_matrix, "free"))
    return sb_error_at(diagnostics, sb_options_location(options, SB_ID(pressure_matrix)), "E106",
                       "pressure_matrix=free has no rows, which pressure solver '%s' needs; choices: projected_jacobi, "
                       "dfsph, tao with blmvm, unbounded with a linear solver that only multiplies",
                       method->name);
  if (strcmp(method->name, "tao") == 0 && SB_IS(options, pressure_matrix, "free") &&
      !SB_IS(options, pressure_tao, "blmvm"))
    return sb_error_at(diagnostics, sb_options_location(options, SB_ID(pressure_matrix)), "E106",
                       "pressure_matrix=free has no rows, which %s needs for its matrix; choose pressure_tao=blmvm",
                       SB_TEXT(options, pressure_tao));
  return true;
}
