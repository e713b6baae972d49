/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of linear backends; see conform.h. */
#include <math.h>
#include <string.h>

#include "solvers/conform/conform.h"
#include "solvers/conform/systems.h"
#include "solvers/linear/linear_backend.h"

#define CHECK(holds, ...) PetscCheck(holds, PETSC_COMM_WORLD, PETSC_ERR_PLIB, __VA_ARGS__)

/* Well-conditioned and diagonally strong enough for every backend: also for plain Jacobi. */
static const sb_sheet_system easy = {.cells = 6, .ratio = 1.0, .stretch = 1.2};
static const sb_sheet_system other = {.cells = 6, .ratio = 0.5, .stretch = 1.1};
static const sb_sheet_system larger = {.cells = 9, .ratio = 1.0, .stretch = 1.2};
static const sb_sheet_system softer = {.cells = 9, .ratio = 0.3, .stretch = 1.2};

static bool is_direct(const sb_options *options) { return sb_linear_backend_of(options)->traits & SB_DIRECT; }

static PetscErrorCode create_solver(const sb_options *options, int columns, sb_linear_solver **solver)
{
  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_create(PETSC_COMM_WORLD, options, "conform_", columns, NULL, solver));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_problem(const sb_sheet_system *sheet, int columns, sb_linear_problem *p)
{
  Mat A;

  PetscFunctionBeginUser;
  PetscCall(sb_sheet_matrix(sheet, columns == 1 ? 3 : 1, &A));
  PetscCall(sb_linear_problem_create(A, columns, p));
  PetscFunctionReturn(0);
}

static PetscErrorCode set(sb_linear_solver *solver, Mat A, sb_matrix_change change)
{
  sb_outcome outcome;

  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_set_matrix(solver, A, change, true, &outcome));
  CHECK(outcome == SB_SOLVED, "a symmetric positive definite matrix ended %s", sb_outcome_name(outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(sb_linear_solver *solver, sb_linear_problem *p, bool guess, sb_solve_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_solve(solver, p->b, p->x, guess, report));
  CHECK(report->reason, "a solve gave no reason");
  PetscFunctionReturn(0);
}

/* The report and the solution are right. */
static PetscErrorCode check_solved(const sb_options *options, const sb_solve_report *report, sb_linear_problem *p)
{
  const bool direct = is_direct(options);
  double     error;

  PetscFunctionBeginUser;
  CHECK(report->outcome == SB_SOLVED, "the solve ended %s: %s", sb_outcome_name(report->outcome), report->reason);
  CHECK(report->residual <= (direct ? 1e-13 : 1e-9), "the scaled residual is %.3e", report->residual);
  CHECK(report->relative <= 1e-9, "the relative residual is %.3e", report->relative);
  PetscCall(sb_distance(p->x, p->exact, &error));
  CHECK(error <= (direct ? 1e-12 : 1e-8), "the relative error of x is %.3e", error);
  CHECK(direct ? report->iterations == 0 : report->iterations > 0, "%s made %d iterations",
        direct ? "a direct solver" : "an iterative solver", (int)report->iterations);
  PetscFunctionReturn(0);
}

static PetscErrorCode solves_blocks(const sb_options *options)
{
  sb_linear_problem p;
  sb_linear_solver *solver;
  sb_solve_report   report;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(create_solver(options, 1, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(check_solved(options, &report, &p));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

/* Solves each column by its own solver; *longest: the most iterations. */
static PetscErrorCode solve_singly(const sb_options *options, sb_linear_problem *p, PetscInt *longest)
{
  sb_linear_solver *single;
  sb_solve_report   report;
  Vec               b, x, alone;
  double            error;

  PetscFunctionBeginUser;
  PetscCall(create_solver(options, 1, &single));
  PetscCall(MatCreateVecs(p->A, &x, &b));
  PetscCall(VecDuplicate(x, &alone));
  PetscCall(set(single, p->A, SB_NEW_PATTERN));
  *longest = 0;
  for (PetscInt column = 0; column < 3; ++column) {
    PetscCall(VecStrideGather(p->b, column, b, INSERT_VALUES));
    PetscCall(VecStrideGather(p->x, column, x, INSERT_VALUES));
    PetscCall(sb_linear_solver_solve(single, b, alone, false, &report));
    PetscCall(sb_distance(x, alone, &error));
    CHECK(error <= (is_direct(options) ? 1e-14 : 1e-8), "column %d differs by %.3e from its solution by itself",
          (int)column, error);
    *longest = PetscMax(*longest, report.iterations);
  }
  PetscCall(VecDestroy(&b));
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&alone));
  PetscCall(sb_linear_solver_destroy(&single));
  PetscFunctionReturn(0);
}

/* Columns of 1, 1e-6 and 1e6: one within the tolerance of all is not within its own. */
static PetscErrorCode solves_columns(const sb_options *options)
{
  static const double sizes[] = {1, 1e-6, 1e6};
  sb_linear_problem   p;
  sb_linear_solver   *solver;
  sb_solve_report     report;
  PetscInt            longest;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 3, &p));
  for (PetscInt column = 0; column < 3; ++column) {
    PetscCall(VecStrideScale(p.exact, column, sizes[column]));
    PetscCall(VecStrideScale(p.b, column, sizes[column]));
  }
  PetscCall(create_solver(options, 3, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(check_solved(options, &report, &p));
  PetscCall(solve_singly(options, &p, &longest));
  CHECK(report.iterations == longest, "three columns needed %d iterations, the slowest of them by itself %d",
        (int)report.iterations, (int)longest);
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

static double planar(PetscInt index) { return index % 3 == 2 ? 0.0 : sb_waves(index); }

static PetscErrorCode keeps_columns_of_zeros(const sb_options *options)
{
  sb_linear_problem p;
  sb_linear_solver *solver;
  sb_solve_report   report;
  PetscReal         zeros, others;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 3, &p));
  PetscCall(create_solver(options, 3, &solver));
  PetscCall(sb_fill(p.b, planar));
  PetscCall(sb_fill(p.x, sb_waves));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  CHECK(report.outcome == SB_SOLVED, "the solve ended %s", sb_outcome_name(report.outcome));
  CHECK(!strstr(report.reason, "zero"), "the reason covers only the column of zeros: %s", report.reason);
  PetscCall(VecStrideNorm(p.x, 2, NORM_INFINITY, &zeros));
  PetscCall(VecStrideNorm(p.x, 1, NORM_INFINITY, &others));
  CHECK(zeros == 0.0, "a column with a right-hand side of zeros has a solution of size %.3e", zeros);
  CHECK(others > 0.1, "the columns next to one of zeros have solutions of size %.3e", others);
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

static PetscErrorCode takes_values(const sb_options *options, int columns)
{
  sb_linear_problem p, q;
  sb_linear_solver *solver;
  sb_solve_report   report;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, columns, &p));
  PetscCall(create_problem(&other, columns, &q));
  PetscCall(create_solver(options, columns, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(MatCopy(q.A, p.A, SAME_NONZERO_PATTERN));
  PetscCall(set(solver, p.A, SB_NEW_VALUES));
  PetscCall(VecCopy(q.b, p.b));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(check_solved(options, &report, &p));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscCall(sb_linear_problem_free(&q));
  PetscFunctionReturn(0);
}

static PetscErrorCode takes_new_values(const sb_options *options)
{
  PetscFunctionBeginUser;
  PetscCall(takes_values(options, 1));
  PetscCall(takes_values(options, 3));
  PetscFunctionReturn(0);
}

/* One solver, then a matrix of another size and pattern; and another Mat handed over as new values only. */
static PetscErrorCode takes_new_patterns(const sb_options *options)
{
  sb_linear_problem p, q, r;
  sb_linear_solver *solver;
  sb_solve_report   report;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(create_problem(&larger, 1, &q));
  PetscCall(create_problem(&softer, 1, &r));
  PetscCall(create_solver(options, 1, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(set(solver, q.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &q, false, &report));
  PetscCall(check_solved(options, &report, &q));
  PetscCall(set(solver, r.A, SB_NEW_VALUES));
  PetscCall(sb_linear_problem_free(&q));
  PetscCall(solve(solver, &r, false, &report));
  PetscCall(check_solved(options, &report, &r));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscCall(sb_linear_problem_free(&r));
  PetscFunctionReturn(0);
}

static PetscErrorCode solves_zeros(const sb_options *options)
{
  sb_linear_problem p;
  sb_linear_solver *solver;
  sb_solve_report   report;
  PetscReal         size;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(create_solver(options, 1, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(VecSet(p.b, 0.0));
  PetscCall(sb_fill(p.x, sb_waves));
  PetscCall(solve(solver, &p, true, &report));
  CHECK(report.outcome == SB_SOLVED, "the solve ended %s", sb_outcome_name(report.outcome));
  PetscCall(VecNorm(p.x, NORM_INFINITY, &size));
  CHECK(size == 0.0, "the solution is of size %.3e", size);
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

/* The solution as guess costs no iteration; a plug-in may need one to compute the residual. Without `guess` the
 * contents of x do not matter: to the bit, except for direct backends on several ranks, where MUMPS adds in the order
 * in which messages arrive. */
static PetscErrorCode uses_guesses(const sb_options *options)
{
  sb_linear_problem p;
  sb_linear_solver *solver;
  sb_solve_report   report;
  Vec               first;
  PetscMPIInt       ranks;
  double            error;
  const PetscInt    most = sb_linear_backend_of(options)->digest && !is_direct(options) ? 1 : 0;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(create_solver(options, 1, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(VecDuplicate(p.x, &first));
  PetscCall(VecCopy(p.x, first));
  PetscCall(VecSet(p.x, 1e3));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(sb_distance(p.x, first, &error));
  CHECK(error <= (ranks > 1 && is_direct(options) ? 1e-13 : 0.0), "x before a solve without a guess changes x by %.3e",
        error);
  PetscCall(VecCopy(p.exact, p.x));
  PetscCall(solve(solver, &p, true, &report));
  CHECK(report.outcome == SB_SOLVED && report.iterations <= most,
        "a solve from the solution ended %s after %d iterations", sb_outcome_name(report.outcome),
        (int)report.iterations);
  PetscCall(VecDestroy(&first));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

/* Symmetric, far from singular, with three negative eigenvalues, each on its own rank if there are several. */
static double indefinite(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  if (i != j) return i / 8 == j / 8 ? -0.25 : 0.0;
  return i % 8 == 3 && i > 20 ? -1.0 : 1.0;
}

static PetscErrorCode detects_indefinite(const sb_options *options)
{
  const bool        detects = sb_linear_backend_of(options)->traits & SB_DETECTS_INDEFINITE;
  sb_linear_problem p;
  sb_linear_solver *solver;
  sb_solve_report   report;
  sb_outcome        outcome;
  Mat               A;
  double            error;

  PetscFunctionBeginUser;
  PetscCall(sb_banded_matrix(48, 1, 1, indefinite, NULL, &A));
  PetscCall(sb_linear_problem_create(A, 1, &p));
  PetscCall(create_solver(options, 1, &solver));
  PetscCall(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_PATTERN, false, &outcome));
  PetscCall(solve(solver, &p, false, &report));
  CHECK(!detects || (outcome == SB_NOT_SPD && report.outcome == SB_NOT_SPD),
        "an indefinite matrix ended %s, and the solve %s", sb_outcome_name(outcome), sb_outcome_name(report.outcome));
  if (sb_outcome_accepted(report.outcome)) {
    PetscCall(sb_distance(p.x, p.exact, &error));
    CHECK(error <= 1e-8, "the relative error of an accepted x is %.3e", error);
  }
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

/* A refused matrix has no effect on the next one: a good one of the same pattern is solved. */
static PetscErrorCode recover(const sb_options *options, int columns)
{
  const bool        detects = sb_linear_backend_of(options)->traits & SB_DETECTS_INDEFINITE;
  sb_linear_problem p;
  sb_linear_solver *solver;
  sb_solve_report   report;
  sb_outcome        outcome;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, columns, &p));
  PetscCall(create_solver(options, columns, &solver));
  PetscCall(MatShift(p.A, -2.0)); /* I - 2 I + ...: indefinite, diagonal still positive */
  PetscCall(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_PATTERN, false, &outcome));
  CHECK(!detects || outcome == SB_NOT_SPD, "an indefinite matrix ended %s", sb_outcome_name(outcome));
  PetscCall(MatShift(p.A, 2.0));
  PetscCall(set(solver, p.A, SB_NEW_VALUES));
  PetscCall(solve(solver, &p, false, &report));
  PetscCall(check_solved(options, &report, &p));
  PetscCall(MatShift(p.A, -2.0));
  PetscCall(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_VALUES, false, &outcome));
  CHECK(!detects || outcome == SB_NOT_SPD, "indefinite values ended %s", sb_outcome_name(outcome));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

static PetscErrorCode recovers(const sb_options *options)
{
  PetscFunctionBeginUser;
  PetscCall(recover(options, 1));
  PetscCall(recover(options, 3));
  PetscFunctionReturn(0);
}

/* The books: totals, phases and facts. */
static PetscErrorCode keeps_books(const sb_options *options)
{
  const sb_linear_backend *backend = sb_linear_backend_of(options);
  sb_linear_problem        p;
  sb_profile               profile = {0};
  sb_linear_solver        *solver;
  sb_solve_report          report;
  long                     iterations = 0;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(sb_linear_solver_create(PETSC_COMM_WORLD, options, "books_", 1, &profile, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(set(solver, p.A, SB_NEW_VALUES));
  for (int k = 0; k < 3; ++k) {
    PetscCall(solve(solver, &p, false, &report));
    iterations += report.iterations;
  }
  const sb_linear_totals *t = sb_linear_solver_totals(solver);
  CHECK(t->solves == 3 && t->factorizations == 2 && t->iterations == iterations,
        "totals count %ld solves, %ld factorisations, %ld iterations", t->solves, t->factorizations, t->iterations);
  CHECK(t->all_accepted && t->relative_worst > 0.0 && t->relative_worst <= 1e-9, "the largest residual is %.3e",
        t->relative_worst);
  CHECK(profile.calls[SB_PHASE_SOLVE] == 3 && profile.calls[SB_PHASE_ANALYZE] == (backend->analyze ? 1 : 0) &&
            profile.calls[SB_PHASE_FACTOR] == (backend->factor ? 2 : 0) && profile.calls[SB_PHASE_CHECK] > 0 &&
            profile.seconds[SB_PHASE_CHECK] > 0.0,
        "the phases are not those of the calls");
  const sb_factor_facts *facts = sb_linear_solver_facts(solver);
  const double           rows = 3.0 * (double)sb_sheet_free(&easy);
  CHECK(!is_direct(options) || backend->digest || (facts->nonzeros_factor > rows && facts->flops_factor > rows),
        "a direct solver has a factor of %g entries", facts->nonzeros_factor);
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

/* Flops that PETSc's log has of a set-up and `solves` equal solves, those of checks left out. */
static PetscErrorCode count_flops(const sb_options *options, int solves, double *flops, double *least, bool *counted)
{
  sb_linear_problem p;
  sb_profile        profile = {0};
  sb_linear_solver *solver;
  sb_solve_report   report;
  PetscLogDouble    before, after;
  MatInfo           info;
  long              iterations = 0;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(MatGetInfo(p.A, MAT_GLOBAL_SUM, &info));
  PetscCall(PetscGetFlops(&before));
  PetscCall(sb_linear_solver_create(PETSC_COMM_WORLD, options, "flops_", 1, &profile, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  for (int k = 0; k < solves; ++k) {
    PetscCall(solve(solver, &p, false, &report));
    iterations += report.iterations;
  }
  PetscCall(PetscGetFlops(&after));
  *flops = after - before - profile.check_flops;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flops, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD));
  *least = info.nz_used * (double)PetscMax(iterations, solves);
  *counted = !profile.uncounted;
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  PetscFunctionReturn(0);
}

/* A solve, and each of its iterations, has at least one operation for every entry of A. As PETSc's conjugate gradients
 * and their preconditioners show, 1000 are far too many, and equal solves have equal operations. */
static PetscErrorCode counts_operations(const sb_options *options)
{
  double flops[3], least[3];
  bool   counted;

  PetscFunctionBeginUser;
  for (int k = 0; k < 3; ++k) PetscCall(count_flops(options, k + 1, &flops[k], &least[k], &counted));
  for (int k = 0; k < 3 && counted; ++k)
    CHECK(flops[k] >= least[k] && flops[k] <= 1000 * least[k],
          "%g operations were counted of %d solves; of every entry in every iteration one are %g", flops[k], k + 1,
          least[k]);
  const double second = flops[1] - flops[0], third = flops[2] - flops[1];
  CHECK(!counted || fabs(third - second) <= 1e-6 * second, "equal solves have %g and %g operations", second, third);
  PetscFunctionReturn(0);
}

static PetscErrorCode makes_iterations(const sb_options *options)
{
  static const char *const pairs[] = {"linear_tolerance=0", "linear_max_iterations=3", NULL};
  sb_options              *fixed = sb_options_with(options, pairs);
  sb_linear_problem        p;
  sb_linear_solver        *solver;
  sb_solve_report          report;

  PetscFunctionBeginUser;
  PetscCall(create_problem(&easy, 1, &p));
  PetscCall(create_solver(fixed, 1, &solver));
  PetscCall(set(solver, p.A, SB_NEW_PATTERN));
  PetscCall(solve(solver, &p, false, &report));
  CHECK(is_direct(options) || (report.outcome == SB_TRUNCATED && report.iterations == 3),
        "asked for 3 iterations at relative_tolerance 0 it made %d and ended %s", (int)report.iterations,
        sb_outcome_name(report.outcome));
  PetscCall(sb_linear_solver_destroy(&solver));
  PetscCall(sb_linear_problem_free(&p));
  sb_options_destroy(&fixed);
  PetscFunctionReturn(0);
}

static const sb_conform_check checks[] = {
    {"solves a system of three rows per vertex", solves_blocks},
    {"solves three columns like each by itself", solves_columns},
    {"solves columns of zeros by zeros", keeps_columns_of_zeros},
    {"takes new values", takes_new_values},
    {"takes new patterns", takes_new_patterns},
    {"solves a right-hand side of zeros", solves_zeros},
    {"uses x as a guess only if it is one", uses_guesses},
    {"detects indefinite matrices if it claims to", detects_indefinite},
    {"recovers from a refused matrix", recovers},
    {"makes the requested number of iterations without a tolerance", makes_iterations},
    {"counts its solves, iterations and residuals", keeps_books},
    {"counts its operations if it claims to", counts_operations},
};

const sb_conform_check *sb_conform_linear_at(size_t i)
{
  return i < sizeof checks / sizeof *checks ? checks + i : NULL;
}
