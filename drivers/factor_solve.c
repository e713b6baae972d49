/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `factor_solve`: how long does a linear backend need to analyse, factor and solve the matrix of a minimiser?
 *
 * The matrix is that of the case's minimiser at the start. For local_global it is M + h^2 L, scalar, with one and with
 * three right-hand sides; for newton M/h^2 + the projected Hessian, of 3x3 blocks, with one. Once per step of the case,
 * the pattern is set as a new one, then the values as new ones of the same pattern, and both kinds of right-hand side
 * are solved. Times are those of the front of the linear solvers, by phases, without its checks. A factorisation counts
 * if its pattern is known; columns are medians. */
#include <math.h>

#include "drivers/setup.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/linear_solver.h"
#include "solvers/minimize/minimizer_method.h"

enum {
  SOLVES = 5
}; /* a sample: a solve is short compared with the steps before it, which leave other data in the cache */

static const sb_column columns[] = {
    {"analyze_s", "s", "median time of the symbolic analysis; blank: it is part of a first factorisation",
     .timing = true},
    {"factor_s", "s", "median time of a factorisation with a known pattern", .timing = true},
    {"solve_s", "s", "median time of a solve with one right-hand side", .timing = true},
    {"solve_columns_s", "s", "median time of a solve with three right-hand sides; blank: the matrix has blocks",
     .timing = true},
    {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"rows", "", "rows of the matrix", .timing = false},
    {"nnz_factor", "", "entries of the factor, as the backend counts them", .timing = false},
    {"flops_factor", "", "operations of one factorisation, as the backend counts them", .operations = true},
    {"residual_worst", "", "largest relative residual of a solve", .timing = false},
    SB_LINEAR_USED_COLUMN,
    SB_NOT_COUNTED_COLUMN,
};

/* A solver with its vectors, and where its samples go. */
typedef struct {
  sb_linear_solver *solver;
  Vec               rhs, solution;
  const char       *sample;
} bench;

typedef struct {
  const sb_case *c;
  sb_recorder   *recorder;
  sb_setup       setup;
  Mat            matrix;
  bench          one, three; /* three: no solver where the matrix has blocks */
  bool           failed;
} run;

static PetscErrorCode fail(run *r, sb_outcome outcome, const char *reason)
{
  r->failed = true;
  return sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED, "the linear backend ended as %s: %s",
                            sb_outcome_name(outcome), reason);
}

/* One right-hand side is of places where the matrix has blocks, else of their x. */
static PetscErrorCode create_one(run *r, Vec places)
{
  bench *one = &r->one;

  PetscFunctionBeginUser;
  one->sample = "solve";
  PetscCall(sb_linear_solver_create(r->c->comm, r->c->options, "one_", 1, &r->setup.profile, &one->solver));
  PetscCall(MatCreateVecs(r->matrix, &one->solution, &one->rhs));
  if (sb_minimizer_columns(r->c->options) == 3) {
    PetscCall(VecStrideGather(places, 0, one->rhs, INSERT_VALUES));
  } else {
    PetscCall(VecCopy(places, one->rhs));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode create_three(run *r, Vec places)
{
  bench *three = &r->three;

  PetscFunctionBeginUser;
  if (sb_minimizer_columns(r->c->options) != 3) PetscFunctionReturn(0);
  three->sample = "solve_columns";
  PetscCall(sb_linear_solver_create(r->c->comm, r->c->options, "three_", 3, &r->setup.profile, &three->solver));
  PetscCall(VecDuplicate(places, &three->rhs));
  PetscCall(VecDuplicate(places, &three->solution));
  PetscCall(VecCopy(places, three->rhs));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_benches(run *r)
{
  Vec places = NULL;

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_unknowns(r->setup.system, &places));
  PetscCall(sb_system_restrict(r->setup.system, r->setup.x, places));
  PetscCall(create_one(r, places));
  PetscCall(create_three(r, places));
  PetscCall(VecDestroy(&places));
  PetscFunctionReturn(0);
}

/* Hands the matrix over as changed: PETSc does nothing for one that it has seen. */
static PetscErrorCode hand_over(const run *r, const bench *b, sb_matrix_change change, sb_outcome *outcome)
{
  PetscFunctionBeginUser;
  PetscCall(MatAssemblyBegin(r->matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(MatAssemblyEnd(r->matrix, MAT_FINAL_ASSEMBLY));
  PetscCall(
      sb_linear_solver_set_matrix(b->solver, r->matrix, change, sb_system_is_symmetric(r->setup.system), outcome));
  PetscFunctionReturn(0);
}

/* Records the time of a phase since `before` as a sample. */
static PetscErrorCode record(run *r, const char *sample, int64_t step, sb_phase phase, double before)
{
  return sb_recorder_sample(r->recorder, sample, step, r->setup.profile.seconds[phase] - before);
}

static PetscErrorCode prepare(run *r, const bench *b, int64_t step)
{
  const double *seconds = r->setup.profile.seconds, analyzed = seconds[SB_PHASE_ANALYZE];
  sb_outcome    outcome;

  PetscFunctionBeginUser;
  PetscCall(hand_over(r, b, SB_NEW_PATTERN, &outcome));
  PetscCall(record(r, "analyze", step, SB_PHASE_ANALYZE, analyzed));
  const double factored = seconds[SB_PHASE_FACTOR];
  PetscCall(hand_over(r, b, SB_NEW_VALUES, &outcome));
  PetscCall(record(r, "factor", step, SB_PHASE_FACTOR, factored));
  if (!sb_outcome_accepted(outcome)) PetscCall(fail(r, outcome, "the backend cannot factor the matrix"));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(run *r, const bench *b, int64_t step)
{
  sb_solve_report report;

  PetscFunctionBeginUser;
  for (int i = 0; i < SOLVES && !r->failed; ++i) {
    const double before = r->setup.profile.seconds[SB_PHASE_SOLVE];
    PetscCall(sb_linear_solver_solve(b->solver, b->rhs, b->solution, false, &report));
    PetscCall(record(r, b->sample, step, SB_PHASE_SOLVE, before));
    if (!sb_outcome_accepted(report.outcome)) PetscCall(fail(r, report.outcome, report.reason));
  }
  PetscFunctionReturn(0);
}

/* The first pass touches new memory, and does not count. */
static PetscErrorCode take_samples(run *r)
{
  const bench *benches[] = {&r->one, &r->three};
  sb_outcome   outcome;

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; ++i)
    if (benches[i]->solver) PetscCall(hand_over(r, benches[i], SB_NEW_PATTERN, &outcome));
  PetscCall(sb_recorder_watch_begin(r->recorder));
  sb_recorder_progress_begin(r->recorder, "sample", 0, r->c->time.steps);
  for (int64_t step = 0; step < r->c->time.steps && !r->failed; ++step) {
    for (int i = 0; i < 2 && !r->failed; ++i) {
      if (!benches[i]->solver) continue;
      PetscCall(prepare(r, benches[i], step));
      if (!r->failed) PetscCall(solve(r, benches[i], step));
    }
    PetscCall(sb_recorder_watch(r->recorder, step));
    sb_recorder_progress(r->recorder, step + 1);
  }
  PetscCall(sb_recorder_watch_end(r->recorder, "factor"));
  PetscFunctionReturn(0);
}

/* The analysis is the first: of PETSc's methods it is done by their first factorisation, which does not count. */
static PetscErrorCode record_medians(run *r)
{
  static const char *const samples[][2] = {
      {"analyze_s", "analyze"}, {"factor_s", "factor"}, {"solve_s", "solve"}, {"solve_columns_s", "solve_columns"}};
  sb_median median;

  PetscFunctionBeginUser;
  const bool analyzes = sb_linear_backend_of(r->c->options)->traits & SB_DIRECT;
  for (size_t i = analyzes ? 0 : 1; i < sizeof samples / sizeof *samples; ++i) {
    PetscCall(sb_recorder_interval(r->recorder, samples[i][1], &median));
    PetscCall(sb_recorder_real(r->recorder, samples[i][0], median.value));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode record_facts(run *r)
{
  const bench           *main = r->three.solver ? &r->three : &r->one;
  const sb_factor_facts *facts = sb_linear_solver_facts(main->solver);
  PetscInt               rows;

  PetscFunctionBeginUser;
  PetscCall(MatGetSize(r->matrix, &rows, NULL));
  PetscCall(sb_recorder_real(r->recorder, "rows", (double)rows));
  PetscCall(sb_recorder_word(r->recorder, "linear_used", facts->package));
  PetscCall(sb_recorder_word(r->recorder, "not_counted", facts->uncounted));
  if (facts->nonzeros_factor > 0) {
    PetscCall(SB_RECORD(r->recorder, {"nnz_factor", facts->nonzeros_factor}, {"flops_factor", facts->flops_factor}));
  }
  PetscCall(sb_recorder_real(r->recorder, "residual_worst",
                             fmax(sb_linear_solver_totals(r->one.solver)->relative_worst,
                                  sb_linear_solver_totals(main->solver)->relative_worst)));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(run *r)
{
  bench *const benches[] = {&r->one, &r->three};

  PetscFunctionBeginUser;
  for (int i = 0; i < 2; ++i) {
    PetscCall(sb_linear_solver_destroy(&benches[i]->solver));
    PetscCall(VecDestroy(&benches[i]->rhs));
    PetscCall(VecDestroy(&benches[i]->solution));
  }
  PetscCall(MatDestroy(&r->matrix));
  PetscCall(sb_setup_destroy(&r->setup));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_factor_solve(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder};

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, NULL, 0, recorder, &r.setup));
  PetscCall(sb_setup_minimizer_matrix(&r.setup, c->time.h_seconds, sb_minimizer_columns(c->options) != 3, &r.matrix));
  PetscCall(create_benches(&r));
  PetscCall(take_samples(&r));
  PetscCall(record_medians(&r));
  PetscCall(record_facts(&r));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, true}));
  PetscCall(destroy(&r));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_factor_solve = {
    .name = "factor_solve",
    .summary = "seconds of analysis, factorisation and solves of a minimiser's matrix",
    .uses = "minimizer",
    SB_COLUMNS(columns),
    .still = true,
    .run = run_factor_solve,
};
