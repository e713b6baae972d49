/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `pressure`: how long does it take to solve the pressure system of a state, and how good is the answer?
 *
 * From the state of the scene the system of one step is solved, from q = 0. b is the excess density after the step
 * under gravity only, or its part from velocities. A solve is repeated once per step of the case, for its time. The
 * first one is watched, not timed. Its curve has, by iteration, the residual of the complementarity problem
 * (solvers/bounded/bounded.h) and the mean excess of density. If the fluid should be at rest, the sum of gravity and
 * pressures shows the physical quality of the answer. */
#include <math.h>
#include <string.h>

#include "drivers/fluid.h"
#include "model/particles/pressure.h"
#include "solvers/bounded/bounded_method.h"
#include "solvers/linear/spectrum.h"

enum { TARGETS = 6, POWER_ITERATIONS = 400 };
static const char *const target_names[TARGETS] = {"iterations_to_1e1", "iterations_to_1e2", "iterations_to_1e3",
                                                  "iterations_to_1e4", "iterations_to_1e5", "iterations_to_1e6"};

static const sb_column columns[] = {
    {"rows", "", "rows of the matrix: free particles", .valid_if_diverged = true},
    {"nnz", "", "entries of the matrix; blank: it is not assembled", .valid_if_diverged = true},
    {"assemble_s", "s", "median time to assemble the matrix", .timing = true},
    {"solve_s", "s", "median time of a solve from 0", .timing = true},
    {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"iterations", "", "iterations of a solve", .timing = false},
    {"linear_iterations", "", "linear iterations inside them", .timing = false},
    {"residual", "", "|min(d q, A q - b)| over |max(b, 0)|; without bounds |A q - b| over |b|", .timing = false},
    {"density_excess", "", "remaining mean excess of density, over the density at rest", .timing = false},
    {"density_excess_start", "", "the same before the solve", .valid_if_diverged = true},
    {"iterations_to_1e1", "", "iterations to a residual of 1e-1; blank: not reached", .timing = false},
    {"iterations_to_1e2", "", "the same, 1e-2", .timing = false},
    {"iterations_to_1e3", "", "the same, 1e-3", .timing = false},
    {"iterations_to_1e4", "", "the same, 1e-4", .timing = false},
    {"iterations_to_1e5", "", "the same, 1e-5", .timing = false},
    {"iterations_to_1e6", "", "the same, 1e-6", .timing = false},
    {"iterations_to_density", "", "iterations to a mean excess of density of 1e-4 of that at rest; blank: not reached",
     .timing = false},
    {"negative_share", "", "share of particles with a negative pressure", .timing = false},
    {"unbalanced", "", "root mean square of gravity and pressures together, over gravity; blank: no gravity",
     .timing = false},
    {"lambda_max", "", "largest eigenvalue of the matrix over its diagonal, by the power method",
     .valid_if_diverged = true},
    {"omega_limit", "", "2/lambda_max: factor above which damped Jacobi without bounds diverges",
     .valid_if_diverged = true},
    {"condition", "",
     "ratio of the ends of that spectrum, estimated by conjugate gradients; blank: indefinite or not assembled",
     .valid_if_diverged = true},
};

typedef struct {
  const sb_case     *c;
  sb_recorder       *recorder;
  sb_setup           setup;
  sb_fluid          *fluid; /* the system's */
  sb_pressure_system system;
  sb_bounded        *solver;
  Mat                A;
  Vec                b, q;
  sb_bounded_goal    goal;
  sb_bounded_report  report;
  size_t             count, room; /* of the curve */
  double            *residual, *excess;
} run;

/* b of the state, with gravity as the only force. */
static PetscErrorCode set_right_hand_side(run *r)
{
  const sb_particles *p = &r->fluid->particles;
  const double       *x, *v, h = r->c->time.h_seconds;
  double             *b, *predicted, mean = 0;
  const bool          keeps_density = SB_IS(r->c->options, pressure_target, "constant_density");

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(r->setup.system, r->setup.x, &x));
  PetscCheck(sb_fluid_update(r->fluid, x), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(sb_system_end_read(r->setup.system, r->setup.x, &x));
  PetscCall(PetscCalloc1(3 * p->count, &predicted));
  PetscCall(sb_system_begin_read(r->setup.system, r->setup.v, &v));
  for (size_t i = 0; i < 3 * p->free; ++i) predicted[i] = v[i] + h * r->setup.system->gravity[i % 3];
  PetscCall(sb_system_end_read(r->setup.system, r->setup.v, &v));
  PetscCall(VecGetArrayWrite(r->b, &b));
  sb_pressure_rate(p, &r->fluid->pairs, predicted, b);
  for (size_t i = 0; i < p->free; ++i) {
    b[i] = h * b[i] + (keeps_density ? r->fluid->density[i] - p->density : 0);
    mean += b[i] / (double)p->free;
  }
  for (size_t i = 0; i < p->free && sb_scene_is_closed(r->c->options); ++i) b[i] -= mean;
  PetscCall(VecRestoreArrayWrite(r->b, &b));
  PetscCall(PetscFree(predicted));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_matrix(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&r->A));
  if (SB_IS(r->c->options, pressure_matrix, "assembled"))
    PetscCall(sb_pressure_matrix(&r->system, &r->A));
  else
    PetscCall(sb_pressure_operator(&r->system, &r->A));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(run *r)
{
  const sb_options *options = r->c->options;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(r->c, NULL, 0, r->recorder, &r->setup));
  r->fluid = r->setup.system->fluid;
  r->goal = (sb_bounded_goal){SB_REAL(options, pressure_tolerance),
                              SB_REAL(options, density_tolerance) * r->fluid->particles.density, 0};
  r->system = (sb_pressure_system){&r->fluid->particles, &r->fluid->pairs, sb_laplacian_of(options),
                                   r->c->time.h_seconds, SB_REAL(options, pressure_shift)};
  PetscCall(sb_bounded_create(options, &r->setup.profile, &r->solver));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)r->fluid->particles.free, &r->b));
  PetscCall(VecDuplicate(r->b, &r->q));
  PetscCall(set_right_hand_side(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode keep(void *context, PetscInt iteration, double residual, double excess, const double *q)
{
  run *r = context;

  PetscFunctionBeginUser;
  (void)iteration;
  (void)q;
  if (r->count == r->room) {
    r->room = 2 * r->room + 64;
    PetscCall(PetscRealloc(r->room * sizeof *r->residual, &r->residual));
    PetscCall(PetscRealloc(r->room * sizeof *r->excess, &r->excess));
  }
  r->residual[r->count] = residual;
  r->excess[r->count++] = excess / r->fluid->particles.density;
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(VecSet(r->q, 0));
  PetscCall(sb_bounded_solve(r->solver, r->A, r->b, &r->goal, r->q, &r->report));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_samples(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(make_matrix(r));
  sb_bounded_set_watch(r->solver, (sb_bounded_watch){keep, r});
  PetscCall(solve(r));
  sb_bounded_set_watch(r->solver, (sb_bounded_watch){NULL, NULL});
  PetscCall(sb_recorder_watch_begin(r->recorder));
  sb_recorder_progress_begin(r->recorder, "solve", 0, r->c->time.steps);
  for (int64_t step = 0; step < r->c->time.steps; ++step) {
    const double started = sb_clock_seconds();
    PetscCall(make_matrix(r));
    const double made = sb_clock_seconds();
    PetscCall(solve(r));
    PetscCall(sb_recorder_sample(r->recorder, "solve", step, sb_clock_seconds() - made));
    PetscCall(sb_recorder_sample(r->recorder, "assemble", step, made - started));
    PetscCall(sb_recorder_watch(r->recorder, step));
    sb_recorder_progress(r->recorder, step + 1);
  }
  PetscCall(sb_recorder_watch_end(r->recorder, "solve"));
  PetscFunctionReturn(0);
}

/* The first iteration after which values stay within the target; a later one may leave it again. */
static PetscErrorCode record_first(const run *r, const char *name, const double *values, double target)
{
  PetscFunctionBeginUser;
  for (size_t k = 0; k < r->count; ++k) {
    if (!(values[k] <= target)) continue;
    PetscCall(sb_recorder_real(r->recorder, name, (double)k));
    break;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode record_curve(const run *r)
{
  double *iterations;

  PetscFunctionBeginUser;
  if (r->count == 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(r->count, &iterations));
  for (size_t k = 0; k < r->count; ++k) iterations[k] = (double)k;
  const sb_curve_name names[] = {
      {"solve", "iteration", "", false}, {"solve", "residual", "", false}, {"solve", "density_excess", "", false}};
  PetscCall(sb_recorder_curve(r->recorder, &names[0], r->count, iterations));
  PetscCall(sb_recorder_curve(r->recorder, &names[1], r->count, r->residual));
  PetscCall(sb_recorder_curve(r->recorder, &names[2], r->count, r->excess));
  PetscCall(PetscFree(iterations));
  for (int t = 0; t < TARGETS; ++t) PetscCall(record_first(r, target_names[t], r->residual, pow(10, -1 - t)));
  PetscCall(record_first(r, "iterations_to_density", r->excess, 1e-4));
  PetscCall(sb_recorder_real(r->recorder, "density_excess_start", r->excess[0]));
  PetscFunctionReturn(0);
}

/* |g + a_p| and the share of negative pressures. */
static PetscErrorCode record_physics(const run *r)
{
  const sb_particles *p = &r->fluid->particles;
  const double       *q, *g = r->setup.system->gravity, size2 = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
  double             *a, sum = 0;
  size_t              negative = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(3 * p->free, &a));
  PetscCall(VecGetArrayRead(r->q, &q));
  sb_pressure_acceleration(&r->system, q, a);
  for (size_t i = 0; i < p->free; ++i) {
    negative += q[i] < 0;
    for (size_t c = 0; c < 3; ++c) sum += (a[3 * i + c] + g[c]) * (a[3 * i + c] + g[c]);
  }
  PetscCall(VecRestoreArrayRead(r->q, &q));
  PetscCall(PetscFree(a));
  PetscCall(sb_recorder_real(r->recorder, "negative_share", (double)negative / (double)p->free));
  if (size2 > 0) PetscCall(sb_recorder_real(r->recorder, "unbalanced", sqrt(sum / (double)p->free / size2)));
  PetscFunctionReturn(0);
}

/* Vectors for the spectrum of D^-1 A, D the diagonal. */
typedef struct {
  Vec inverse;
} scaling;

static PetscErrorCode apply(void *context, Vec residual, Vec scaled)
{
  return VecPointwiseMult(scaled, residual, ((scaling *)context)->inverse);
}

/* Rayleigh's quotient q.A q/q.D q of the power method for D^-1 A. */
static PetscErrorCode find_largest(const run *r, Vec inverse, double *lambda)
{
  Vec         x, y;
  PetscRandom random;
  PetscReal   xay = 0, xdx = 1;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(r->b, &x));
  PetscCall(VecDuplicate(r->b, &y));
  PetscCall(PetscRandomCreate(PETSC_COMM_SELF, &random));
  PetscCall(VecSetRandom(x, random));
  PetscCall(PetscRandomDestroy(&random));
  for (int k = 0; k < POWER_ITERATIONS; ++k) {
    PetscCall(VecNormalize(x, NULL));
    PetscCall(MatMult(r->A, x, y));
    PetscCall(VecDot(x, y, &xay));
    Vec weighted = NULL;
    PetscCall(VecDuplicate(x, &weighted));
    PetscCall(VecPointwiseDivide(weighted, x, inverse));
    PetscCall(VecDot(x, weighted, &xdx));
    PetscCall(VecDestroy(&weighted));
    PetscCall(VecPointwiseMult(x, y, inverse));
  }
  *lambda = xay / xdx;
  PetscCall(VecDestroy(&x));
  PetscCall(VecDestroy(&y));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_spectrum(run *r)
{
  scaling          s;
  sb_spectrum      spectrum = {.apply = apply, .context = &s};
  sb_spectrum_ends ends;
  double           lambda = 0;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(r->b, &s.inverse));
  PetscCall(MatGetDiagonal(r->A, s.inverse));
  PetscCall(VecReciprocal(s.inverse));
  PetscCall(find_largest(r, s.inverse, &lambda));
  PetscCall(SB_RECORD(r->recorder, {"lambda_max", lambda}, {"omega_limit", 2 / lambda}));
  PetscCall(sb_spectrum_create(r->A, true, &spectrum));
  PetscCall(sb_spectrum_measure(&spectrum, r->A, &ends));
  if (ends.definite && ends.low > 0) PetscCall(sb_recorder_real(r->recorder, "condition", lambda / ends.low));
  PetscCall(sb_spectrum_destroy(&spectrum));
  PetscCall(VecDestroy(&s.inverse));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_counts(run *r)
{
  sb_median median;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_real(r->recorder, "rows", (double)r->fluid->particles.free));
  if (SB_IS(r->c->options, pressure_matrix, "assembled")) {
    MatInfo info;
    PetscCall(MatGetInfo(r->A, MAT_LOCAL, &info));
    PetscCall(sb_recorder_real(r->recorder, "nnz", info.nz_used));
  }
  PetscCall(sb_recorder_interval(r->recorder, "assemble", &median));
  PetscCall(sb_recorder_real(r->recorder, "assemble_s", median.value));
  PetscCall(sb_recorder_interval(r->recorder, "solve", &median));
  PetscCall(SB_RECORD(r->recorder, {"solve_s", median.value}, {"iterations", (double)r->report.iterations}));
  if (r->report.linear_iterations > 0)
    PetscCall(sb_recorder_real(r->recorder, "linear_iterations", (double)r->report.linear_iterations));
  PetscCall(sb_recorder_real(r->recorder, "residual", r->report.residual));
  PetscCall(sb_recorder_real(r->recorder, "density_excess", r->report.excess / r->fluid->particles.density));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_pressure(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder};

  PetscFunctionBeginUser;
  PetscCall(create(&r));
  PetscCall(take_samples(&r));
  PetscCall(record_counts(&r));
  PetscCall(record_curve(&r));
  PetscCall(record_physics(&r));
  PetscCall(record_spectrum(&r));
  const bool diverged = r.report.outcome == SB_DIVERGED || r.report.outcome == SB_NOT_FINITE;
  if (r.report.outcome != SB_SOLVED)
    PetscCall(sb_recorder_status(recorder, diverged ? SB_CASE_DIVERGED : sb_status_of_outcome(r.report.outcome),
                                 "the pressure solve ended as %s after %d iterations, at a residual of %.2g: %s",
                                 sb_outcome_name(r.report.outcome), (int)r.report.iterations, r.report.residual,
                                 r.report.reason));
  PetscCall(sb_recorder_accuracy(recorder, r.report.outcome == SB_SOLVED));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, true}));
  PetscCall(sb_bounded_destroy(&r.solver));
  PetscCall(MatDestroy(&r.A));
  PetscCall(VecDestroy(&r.b));
  PetscCall(VecDestroy(&r.q));
  PetscCall(PetscFree(r.residual));
  PetscCall(PetscFree(r.excess));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_pressure = {
    .name = "pressure",
    .summary = "iterations, time and accuracy of a solve of the pressure system of a scene of particles",
    .uses = SB_PRESSURE_USES,
    SB_COLUMNS(columns),
    .still = true,
    .particles = true,
    .run = run_pressure,
};
