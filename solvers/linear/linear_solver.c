/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front of the linear solvers: owns a backend's state, times its phases, and decides from the recomputed residual
 * what a claimed solution is worth.
 *
 *     direct:     |b - A x|_inf <= 1e-13 (|A|_inf |x|_inf + |b|_inf)
 *     iterative:  |b - A x|_2   <= 10 linear_tolerance |b|_2       (10: the residual a Krylov method carries drifts)
 *     truncated:  |b - A x|_2   <= |b - A x_0|_2                   (linear_tolerance 0), or one of the next two
 *
 * If A is symmetric positive definite, a truncated x is also accepted if x.A x/2 - b.x is no larger than that of x_0.
 * Conjugate gradients, and Jacobi with omega < 2/lambda_max, lower it while the residual may rise. (For an indefinite A
 * it has no minimum, and falls as x diverges.) And x is accepted if it meets the bound of a direct one: a solution that
 * starts from a solution can only change its rounding.
 *
 * A direct solution must also have |b - A x|_2 <= 1e-3 |b|_2: the first bound is met by solutions so large, 1e13
 * |b|/|A| and more, that none of their digits is right. */
#include "solvers/linear/linear_solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/traffic.h"
#include "solvers/linear/columns.h"
#include "solvers/linear/residual.h"

#define DIRECT_SCALED_MAX    1e-13
#define DIRECT_RELATIVE_MAX  1e-3
#define ITERATIVE_SLACK      10.0
#define TRUNCATED_GROWTH_MAX (1.0 + 1e-12)

typedef enum { EVENT_ANALYZE, EVENT_FACTOR, EVENT_SOLVE, EVENT_COUNT } event_kind;

struct sb_linear_solver {
  MPI_Comm                 comm;
  const sb_linear_backend *backend;
  void                    *state;
  int                      columns;
  sb_profile              *profile;
  sb_goal                  goal;
  double                   memory_limit_bytes; /* 0: none */
  double                   work_limit;         /* flops of a factorisation; 0: none */
  PetscLogEvent            events[EVENT_COUNT];
  Mat                      A, product;
  Vec                      work;
  sb_columns               one_column;
  sb_matrix_facts          matrix;
  bool                     definite; /* the matrix is known to be symmetric and positive definite */
  sb_outcome               factored;
  sb_factor_facts          facts;
  sb_linear_totals         totals;
};

/* Events are found by name, registered by the first solver of a process. */
static PetscErrorCode find_events(PetscLogEvent events[EVENT_COUNT])
{
  static const char *const names[EVENT_COUNT] = {"SBLinAnalyze", "SBLinFactor", "SBLinSolve"};
  PetscClassId             id = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId(names[EVENT_ANALYZE], &events[EVENT_ANALYZE]));
  if (events[EVENT_ANALYZE] < 0) {
    PetscCall(PetscClassIdRegister("Linear solver", &id));
    for (int i = 0; i < EVENT_COUNT; ++i) PetscCall(PetscLogEventRegister(names[i], id, &events[i]));
  }
  for (int i = 0; i < EVENT_COUNT; ++i) PetscCall(PetscLogEventGetId(names[i], &events[i]));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_backend(MPI_Comm comm, const sb_options *options, const sb_linear_backend **backend)
{
  const char *name = SB_TEXT(options, linear);
  PetscMPIInt ranks;
  char        list[256] = "";

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  *backend = sb_linear_backend_of(options);
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    PetscCall(PetscStrlcat(list, " ", sizeof list));
    PetscCall(PetscStrlcat(list, sb_linear_backend_at(i)->name, sizeof list));
  }
  PetscCheck(*backend, comm, PETSC_ERR_USER, "there is no linear backend '%s'; there are:%s", name, list);
  PetscCheck(!(*backend)->missing, comm, PETSC_ERR_USER, "linear backend '%s' is not in this build: %s", name,
             (*backend)->missing);
  PetscCheck(ranks == 1 || !((*backend)->traits & SB_SERIAL_ONLY), comm, PETSC_ERR_USER,
             "linear backend '%s' runs on one rank only, not on %d", name, ranks);
  PetscFunctionReturn(0);
}

static PetscErrorCode configure(sb_linear_solver *s, const sb_options *options, const char *prefix)
{
  PetscFunctionBeginUser;
  s->goal.relative_tolerance = SB_REAL(options, linear_tolerance);
  s->goal.iterations_max = (PetscInt)SB_INTEGER(options, linear_max_iterations);
  s->memory_limit_bytes = SB_HAS(options, memory_limit) ? SB_REAL(options, memory_limit) : 0;
  if (s->backend->configure) PetscCall(s->backend->configure(s->state, s->comm, options, prefix, s->columns));
  if (s->backend->adjust_goal) s->backend->adjust_goal(s->state, &s->goal);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_linear_solver_create(MPI_Comm comm, const sb_options *options, const char *prefix, int columns,
                                       sb_profile *profile, sb_linear_solver **solver)
{
  const sb_linear_backend *backend;

  PetscFunctionBeginUser;
  *solver = NULL;
  PetscCheck(columns == 1 || columns == 3, comm, PETSC_ERR_ARG_OUTOFRANGE, "columns are 1 or 3, not %d", columns);
  PetscCall(find_backend(comm, options, &backend));
  sb_linear_solver *s = calloc(1, sizeof *s);
  PetscCheck(s, comm, PETSC_ERR_MEM, "no memory for a linear solver");
  s->comm = comm;
  s->backend = backend;
  s->columns = columns;
  s->profile = profile;
  s->factored = SB_SKIPPED;
  s->totals.all_accepted = true;
  *solver = s; /* from here on destroy cleans up, also after an error */
  s->state = calloc(1, backend->state_bytes);
  PetscCheck(s->state, comm, PETSC_ERR_MEM, "no memory for linear backend '%s'", backend->name);
  PetscCall(find_events(s->events));
  PetscCall(configure(s, options, prefix));
  if (!(backend->traits & SB_COUNTED)) sb_profile_leave_uncounted(profile, backend->name);
  PetscFunctionReturn(0);
}

static PetscErrorCode forget_matrix(sb_linear_solver *s)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&s->product));
  PetscCall(MatDestroy(&s->A));
  PetscCall(VecDestroy(&s->work));
  PetscCall(sb_columns_destroy(&s->one_column));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_linear_solver_destroy(sb_linear_solver **solver)
{
  sb_linear_solver *s = *solver;

  PetscFunctionBeginUser;
  if (!s) PetscFunctionReturn(0);
  if (s->state) PetscCall(s->backend->destroy(s->state));
  PetscCall(forget_matrix(s));
  free(s->state);
  free(s);
  *solver = NULL;
  PetscFunctionReturn(0);
}

static PetscErrorCode take_matrix(sb_linear_solver *s, Mat A)
{
  PetscInt rows, columns;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(A, &rows, &columns));
  PetscCheck(rows == columns, s->comm, PETSC_ERR_ARG_SIZ, "a linear system needs a square matrix, not %d by %d",
             (int)rows, (int)columns);
  PetscCall(PetscObjectReference((PetscObject)A));
  PetscCall(forget_matrix(s));
  s->A = A;
  PetscCall(sb_product_create(A, s->columns, &s->product));
  PetscCall(MatCreateVecs(s->product, NULL, &s->work));
  if (s->columns > 1 && !s->backend->solve_columns) PetscCall(sb_columns_create(A, &s->one_column));
  PetscFunctionReturn(0);
}

static PetscErrorCode analyze(sb_linear_solver *s, bool definite)
{
  PetscFunctionBeginUser;
  s->facts = (sb_factor_facts){0};
  if (!s->backend->analyze) PetscFunctionReturn(0);
  const double started = sb_profile_start(s->profile);
  PetscCall(PetscLogEventBegin(s->events[EVENT_ANALYZE], 0, 0, 0, 0));
  PetscCall(s->backend->analyze(s->state, s->A, definite));
  PetscCall(PetscLogEventEnd(s->events[EVENT_ANALYZE], 0, 0, 0, 0));
  sb_profile_stop(s->profile, SB_PHASE_ANALYZE, started);
  PetscFunctionReturn(0);
}

/* *dear: over a limit, of work if there is one. That of memory is of resident memory, which holds the matrix already.
 */
static PetscErrorCode check_limits(sb_linear_solver *s, bool *dear)
{
  sb_factor_forecast price = {0};
  PetscLogDouble     resident;

  PetscFunctionBeginUser;
  *dear = false;
  if (s->memory_limit_bytes + s->work_limit == 0 || !s->backend->predict) PetscFunctionReturn(0);
  PetscCall(s->backend->predict(s->state, &price));
  PetscCall(PetscMemoryGetCurrentUsage(&resident));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &resident, 1, MPI_DOUBLE, MPI_SUM, s->comm));
  const bool fits = s->memory_limit_bytes == 0 || price.bytes + resident <= s->memory_limit_bytes;
  *dear = s->work_limit > 0 && (price.flops > s->work_limit || !fits);
  PetscCheck(fits || *dear, s->comm, SB_ERR_OVER_MEMORY_LIMIT,
             "memory: the factorisation is predicted to need %.4g MB in addition to the %.4g MB in use, over the limit "
             "of %.4g MB; it was not started",
             price.bytes / 1e6, resident / 1e6, s->memory_limit_bytes / 1e6);
  PetscFunctionReturn(0);
}

void sb_linear_solver_limit_work(sb_linear_solver *solver, double flops) { solver->work_limit = flops; }

/* Logs the flops of a factor, of all ranks, in place of those that PETSc has logged since `before`: it logs none for
 * libraries of others, and for MUMPS (3.18) those of two factorisations per solve. */
static PetscErrorCode log_instead(const sb_linear_solver *s, PetscLogDouble before, double flops)
{
  PetscLogDouble now;
  PetscMPIInt    rank;

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(s->comm, &rank));
  PetscCall(PetscGetFlops(&now));
  if (s->profile) s->profile->check_flops += now - before;
  if (rank == 0) PetscCall(PetscLogFlops(flops));
  PetscFunctionReturn(0);
}

/* The work in between is the harness's: neither its time nor its flops and messages count for the method. */
typedef struct {
  double         seconds;
  PetscLogDouble flops;
  sb_traffic     traffic;
} check;

static PetscErrorCode begin_check(const sb_linear_solver *s, check *c)
{
  PetscFunctionBeginUser;
  c->seconds = sb_profile_start_check(s->profile);
  PetscCall(PetscGetFlops(&c->flops));
  c->traffic = sb_traffic_so_far();
  PetscFunctionReturn(0);
}

static PetscErrorCode end_check(sb_linear_solver *s, const check *c)
{
  PetscLogDouble flops;

  PetscFunctionBeginUser;
  PetscCall(PetscGetFlops(&flops));
  if (s->profile) s->profile->check_flops += flops - c->flops;
  if (s->profile) sb_profile_add_check_traffic(s->profile, c->traffic, sb_traffic_so_far());
  sb_profile_stop_check(s->profile, c->seconds);
  PetscFunctionReturn(0);
}

/* A solve by a direct backend passes over L and its transpose once (of lu, over L and U), 2 flops per entry. A plug-in
 * has no facts: it counts for itself. */
static PetscErrorCode count_factorization(sb_linear_solver *s, PetscLogDouble before)
{
  const unsigned traits = s->backend->traits;
  const bool     own = traits & SB_DIRECT && !s->backend->digest;

  PetscFunctionBeginUser;
  if (own) s->facts.flops_solve = (traits & SB_UNSYMMETRIC ? 2 : 4) * s->facts.nonzeros_factor;
  if (own || s->facts.flops_solve > 0) PetscCall(log_instead(s, before, s->facts.flops_factor));
  if (!(traits & SB_COUNTED)) s->facts.uncounted = s->backend->name;
  if (s->facts.uncounted) sb_profile_leave_uncounted(s->profile, s->facts.uncounted);
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(sb_linear_solver *s)
{
  PetscLogDouble before;

  PetscFunctionBeginUser;
  s->totals.factorizations++;
  s->facts.reason = s->facts.uncounted = NULL;
  s->facts.flops_solve = 0;
  if (!s->backend->factor) PetscFunctionReturn(0);
  PetscCall(PetscGetFlops(&before));
  const double started = sb_profile_start(s->profile);
  PetscCall(PetscLogEventBegin(s->events[EVENT_FACTOR], 0, 0, 0, 0));
  PetscCall(s->backend->factor(s->state, s->A, &s->factored, &s->facts));
  PetscCall(PetscLogEventEnd(s->events[EVENT_FACTOR], 0, 0, 0, 0));
  sb_profile_stop(s->profile, SB_PHASE_FACTOR, started);
  sb_profile_count(s->profile, SB_OPERATION_FACTORIZATION, 1);
  PetscCall(count_factorization(s, before));
  PetscFunctionReturn(0);
}

/* The outcome that an inspection of the matrix implies before a backend tries. */
static sb_outcome outcome_of_inspection(const sb_linear_solver *s)
{
  if (!s->matrix.finite) return SB_NOT_FINITE;
  if (s->matrix.empty_row && (s->backend->traits & SB_DIRECT)) return SB_SINGULAR;
  return SB_SOLVED;
}

PetscErrorCode sb_linear_solver_set_matrix(sb_linear_solver *solver, Mat A, sb_matrix_change change, bool definite,
                                           sb_outcome *outcome)
{
  sb_linear_solver *s = solver;
  check             inspection;
  bool              dear = false;

  PetscFunctionBeginUser;
  const bool alone = change == SB_PATTERN_ALONE && !(s->backend->traits & SB_DIRECT);
  const bool new_pattern = change != SB_NEW_VALUES || A != s->A; /* backends keep products of the Mat they analysed */
  if (new_pattern) PetscCall(take_matrix(s, A));
  PetscCall(begin_check(s, &inspection));
  PetscCall(sb_matrix_inspect(A, &s->matrix));
  PetscCall(end_check(s, &inspection));
  if (new_pattern) PetscCall(analyze(s, definite));
  if (new_pattern) PetscCall(check_limits(s, &dear));
  s->definite = definite;
  s->factored = dear ? SB_SKIPPED : outcome_of_inspection(s);
  if (sb_outcome_accepted(s->factored) && !alone) PetscCall(factor(s));
  *outcome = s->factored;
  PetscFunctionReturn(0);
}

static PetscErrorCode call_backend(sb_linear_solver *s, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  const sb_linear_backend *backend = s->backend;
  PetscLogDouble           before;

  PetscFunctionBeginUser;
  PetscCall(PetscGetFlops(&before));
  const double started = sb_profile_start(s->profile);
  PetscCall(PetscLogEventBegin(s->events[EVENT_SOLVE], 0, 0, 0, 0));
  if (!goal->guess && !(backend->traits & SB_DIRECT)) PetscCall(VecSet(x, 0.0));
  if (s->columns == 1)
    PetscCall(backend->solve(s->state, b, x, goal, report));
  else if (backend->solve_columns)
    PetscCall(backend->solve_columns(s->state, b, x, goal, report));
  else
    PetscCall(sb_columns_solve(&s->one_column, &(sb_column_solver){backend->solve, s->state}, b, x, goal, report));
  PetscCall(PetscLogEventEnd(s->events[EVENT_SOLVE], 0, 0, 0, 0));
  sb_profile_stop(s->profile, SB_PHASE_SOLVE, started);
  sb_profile_count(s->profile, SB_OPERATION_SOLVE, s->columns);
  if (s->facts.flops_solve > 0) PetscCall(log_instead(s, before, s->facts.flops_solve * s->columns));
  PetscFunctionReturn(0);
}

static bool is_rounding(const sb_residual *residual)
{
  return residual->finite && residual->scaled <= DIRECT_SCALED_MAX && residual->relative <= DIRECT_RELATIVE_MAX;
}

/* If the tolerance is below rounding, a Krylov method continues along directions that are noise, and blames the matrix
 * for the result. Its iterate by then is the solution. */
static void overrule(const sb_linear_solver *s, const sb_residual *residual, sb_solve_report *report)
{
  if (report->outcome == SB_FAILED || !is_rounding(residual)) return;
  const bool fixed = s->goal.relative_tolerance == 0.0;
  if (!fixed && residual->relative <= s->goal.relative_tolerance) return; /* then the reason is another one */
  report->outcome = fixed ? SB_TRUNCATED : SB_STALLED;
  report->reason = fixed ? "the residual is only rounding error" : "the tolerance is below the rounding error";
}

/* x and its measures; if a number of iterations is requested, also its energy x.A x/2 - b.x. */
typedef struct {
  sb_residual residual;
  double      energy;
} state_of_solution;

static PetscErrorCode look_at(sb_linear_solver *s, Vec b, Vec x, double magnitude, state_of_solution *seen)
{
  double image = 0, work = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_residual_measure(s->product, (sb_residual_scale){s->matrix.norm_inf, magnitude}, b, x, s->work,
                                &seen->residual));
  if (s->goal.relative_tolerance == 0.0 && !(s->backend->traits & SB_DIRECT)) {
    PetscCall(VecDot(x, s->work, &image));
    PetscCall(VecDot(x, b, &work));
  }
  seen->energy = image / 2 - work;
  PetscFunctionReturn(0);
}

static void judge(const sb_linear_solver *s, const state_of_solution *before, const state_of_solution *after,
                  sb_solve_report *report)
{
  const sb_residual *residual = &after->residual;

  const bool direct = s->backend->traits & SB_DIRECT;
  report->residual = residual->scaled;
  report->relative = residual->relative;
  if (!direct && !sb_outcome_accepted(report->outcome)) overrule(s, residual, report);
  if (!sb_outcome_accepted(report->outcome)) return;
  report->outcome = SB_SOLVED;
  if (!residual->finite) {
    report->outcome = SB_NOT_FINITE;
    report->reason = "claimed, but the solution is not finite";
  } else if (direct && !(residual->scaled <= DIRECT_SCALED_MAX)) {
    report->outcome = SB_STALLED;
    report->reason = "claimed, but the recomputed residual is above 1e-13 of |A| |x| + |b|";
  } else if (direct && !(residual->relative <= DIRECT_RELATIVE_MAX)) {
    report->outcome = SB_SINGULAR;
    report->reason = "claimed, but the residual is as large as for a singular matrix";
  } else if (!direct && s->goal.relative_tolerance == 0.0) {
    const bool held = is_rounding(residual) || (s->definite && after->energy <= before->energy) ||
                      residual->relative <= TRUNCATED_GROWTH_MAX * before->residual.relative;
    report->outcome = held ? SB_TRUNCATED : SB_DIVERGED;
    if (!held) report->reason = "the residual grew";
  } else if (!direct && !(residual->relative <= ITERATIVE_SLACK * s->goal.relative_tolerance)) {
    report->outcome = SB_STALLED;
    report->reason = "claimed, but the recomputed residual is above 10 times the tolerance";
  } else if (!direct && !(residual->relative < 1.0)) {
    report->outcome = SB_STALLED;
    report->reason = "claimed, but the solution is not better than zero";
  }
}

static void count(sb_linear_totals *totals, const sb_solve_report *report)
{
  totals->solves++;
  totals->iterations += report->iterations;
  totals->residual_worst = fmax(totals->residual_worst, report->residual);
  totals->relative_worst = fmax(totals->relative_worst, report->relative);
  totals->all_accepted = totals->all_accepted && sb_outcome_accepted(report->outcome);
}

/* The answer without a solve: x = 0, with residual b. */
static PetscErrorCode answer_zero(Vec x, sb_outcome outcome, const char *reason, double residual,
                                  sb_solve_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(VecSet(x, 0.0));
  *report = (sb_solve_report){.outcome = outcome, .residual = residual, .relative = residual, .reason = reason};
  PetscFunctionReturn(0);
}

static const char *factor_reason(const sb_linear_solver *s)
{
  if (s->facts.reason) return s->facts.reason;
  switch (s->factored) {
  case SB_NOT_FINITE:
    return "the matrix has an entry that is not finite";
  case SB_NOT_SPD:
    return "the matrix is not positive definite";
  case SB_SINGULAR:
    return "the matrix is singular";
  case SB_SKIPPED:
    return "no matrix was given";
  default:
    return "the factorisation failed";
  }
}

/* Answers a right-hand side that is zero (x = 0) or not finite; *answered is true then. */
static PetscErrorCode answer_by_rhs(Vec x, double magnitude, bool finite, bool *answered, sb_solve_report *report)
{
  PetscFunctionBeginUser;
  *answered = !finite || magnitude == 0.0;
  if (!finite)
    PetscCall(answer_zero(x, SB_NOT_FINITE, "the right-hand side has an entry that is not finite", 1.0, report));
  else if (magnitude == 0.0)
    PetscCall(answer_zero(x, SB_SOLVED, "the right-hand side is zero", 0.0, report));
  PetscFunctionReturn(0);
}

/* A direct method accepts any b: b is checked afterwards, in one bracket with x, as a bracket costs two readings of the
 * clock in every timed step. */
static PetscErrorCode solve_directly(sb_linear_solver *s, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  state_of_solution before = {.residual.relative = 1.0}, after = {0};
  double            magnitude;
  bool              finite, answered;
  check             look;

  PetscFunctionBeginUser;
  PetscCall(call_backend(s, b, x, goal, report));
  PetscCall(begin_check(s, &look));
  PetscCall(sb_magnitude(b, &magnitude, &finite));
  PetscCall(answer_by_rhs(x, magnitude, finite, &answered, report));
  if (!answered) PetscCall(look_at(s, b, x, magnitude, &after));
  PetscCall(end_check(s, &look));
  if (!answered) judge(s, &before, &after, report);
  PetscFunctionReturn(0);
}

static PetscErrorCode solve_iteratively(sb_linear_solver *s, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  state_of_solution before = {.residual.relative = 1.0}, after; /* of x = 0 */
  double            magnitude;
  bool              finite, answered;
  check             look;

  PetscFunctionBeginUser;
  PetscCall(begin_check(s, &look));
  PetscCall(sb_magnitude(b, &magnitude, &finite));
  PetscCall(answer_by_rhs(x, magnitude, finite, &answered, report));
  if (!answered && goal->guess && goal->relative_tolerance == 0.0) PetscCall(look_at(s, b, x, magnitude, &before));
  PetscCall(end_check(s, &look));
  if (answered) PetscFunctionReturn(0);
  PetscCall(call_backend(s, b, x, goal, report));
  PetscCall(begin_check(s, &look));
  PetscCall(look_at(s, b, x, magnitude, &after));
  PetscCall(end_check(s, &look));
  judge(s, &before, &after, report);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_linear_solver_solve(sb_linear_solver *solver, Vec b, Vec x, bool guess, sb_solve_report *report)
{
  sb_linear_solver *s = solver;
  sb_goal           goal = s->goal;

  PetscFunctionBeginUser;
  goal.guess = guess;
  *report = (sb_solve_report){.outcome = SB_FAILED, .reason = "the backend gave no reason"};
  if (!sb_outcome_accepted(s->factored))
    PetscCall(answer_zero(x, s->factored, factor_reason(s), 1.0, report));
  else if (s->backend->traits & SB_DIRECT)
    PetscCall(solve_directly(s, b, x, &goal, report));
  else
    PetscCall(solve_iteratively(s, b, x, &goal, report));
  count(&s->totals, report);
  PetscFunctionReturn(0);
}

sb_relaxation sb_linear_solver_relaxation(const sb_linear_solver *solver)
{
  sb_relaxation relaxation = solver->backend->relaxation(solver->state);
  relaxation.iterations = solver->goal.iterations_max;
  return relaxation;
}

const sb_factor_facts *sb_linear_solver_facts(const sb_linear_solver *solver)
{
  static const sb_factor_facts none;
  return solver ? &solver->facts : &none;
}

const sb_linear_totals *sb_linear_solver_totals(const sb_linear_solver *solver)
{
  static const sb_linear_totals none = {.all_accepted = true};
  return solver ? &solver->totals : &none;
}
