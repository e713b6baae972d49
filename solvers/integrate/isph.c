/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Incompressible SPH: velocities are predicted, and pressures correct them (Cummins, Rudman 1999; Ihmsen et al. 2014).
 *
 *     v* = contact((v + h (forces/m + g)) * factor)     forces: viscosity, fields, penalty contact
 *     A q = b, or with bounds q >= 0                    b = rho - rho_0 + h D v*  (constant_density), or h D v*
 *     v+ = contact(v* - h M^-1 D^T q)
 *     x+ = x + h v+ + shift
 *
 * with the pairs of the start of the step throughout; see model/particles/pressure.h. In a box that is periodic each
 * way, the mean of b is taken out: on a lattice no q reaches it, and elsewhere only large ones. The fluid keeps q, p
 * and rho of every particle as of the last solve, which is a memory of the method: solves start from
 * pressure_start times that q.
 *
 * With a Courant number C a step is split into equal substeps, as few as possible such that no particle moves farther
 * than C spacings in one. The speed for this is the largest at the start of the step plus that which gravity adds. The
 * end of the step does not move. In a box that is periodic each way speeds are relative to the mean velocity. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/particles/pressure.h"
#include "solvers/bounded/bounded.h"
#include "solvers/integrate/explicit.h"

/* Excess of density, over that at rest, that sums over neighbours have by themselves: a fluid that falls freely has no
 * other, and no step is to be spent on it. */
#define ROUNDING 1e-13
/* A fluid that needs more substeps has burst, which the bounds on its places detect. */
#define SUBSTEPS_MAX 1000

typedef struct {
  sb_explicit        step;
  sb_fluid          *fluid;
  sb_bounded        *solver;
  sb_pressure_system system;
  Vec                q, b;
  double            *acceleration, *shift; /* [count] m/s^2, m */
  bool               keeps_density, closed, assembled;
  double             start_fraction;    /* of the last q, with which a solve starts */
  double             shifting;          /* strength */
  double             courant;           /* 0: steps are whole */
  double             h_seconds, factor; /* of a whole step */
  sb_bounded_goal    goal;
} isph;

static PetscErrorCode read_options(isph *s, const sb_options *options)
{
  const sb_particles *particles = &s->fluid->particles;

  PetscFunctionBeginUser;
  s->keeps_density = SB_IS(options, pressure_target, "constant_density");
  s->assembled = SB_IS(options, pressure_matrix, "assembled");
  s->start_fraction = SB_REAL(options, pressure_start);
  s->shifting = SB_REAL(options, shifting);
  s->courant = SB_HAS(options, courant) ? SB_REAL(options, courant) : 0;
  s->h_seconds = s->step.h_seconds;
  s->factor = s->step.factor;
  s->goal = (sb_bounded_goal){SB_REAL(options, pressure_tolerance),
                              SB_REAL(options, density_tolerance) * particles->density, ROUNDING * particles->density};
  s->system = (sb_pressure_system){particles, &s->fluid->pairs, sb_laplacian_of(options), s->step.h_seconds,
                                   SB_REAL(options, pressure_shift)};
  s->closed = true;
  for (int c = 0; c < particles->dimensions; ++c) s->closed = s->closed && particles->period[c] > 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  isph *s = state;

  PetscFunctionBeginUser;
  PetscCheck(setup->system->fluid, setup->system->comm, PETSC_ERR_USER,
             "integrator 'isph' moves particles of a fluid, and the scene has none");
  PetscCall(sb_explicit_prepare(&s->step, setup, false));
  s->fluid = setup->system->fluid;
  PetscCall(read_options(s, setup->options));
  PetscCall(sb_bounded_create(setup->options, setup->system->profile, &s->solver));
  PetscCall(VecCreateSeq(PETSC_COMM_SELF, (PetscInt)s->fluid->particles.free, &s->q));
  PetscCall(VecDuplicate(s->q, &s->b));
  PetscCall(PetscCalloc2(s->step.count, &s->acceleration, s->step.count, &s->shift));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  isph *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_bounded_destroy(&s->solver));
  PetscCall(VecDestroy(&s->q));
  PetscCall(VecDestroy(&s->b));
  PetscCall(PetscFree2(s->acceleration, s->shift));
  PetscCall(sb_explicit_destroy(&s->step));
  PetscFunctionReturn(0);
}

/* b, and the start of q. */
static PetscErrorCode set_problem(isph *s)
{
  const sb_fluid *fluid = s->fluid;
  const size_t    n = fluid->particles.free;
  double         *b, *q, mean = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(s->b, &b));
  PetscCall(VecGetArrayWrite(s->q, &q));
  sb_pressure_rate(&fluid->particles, &fluid->pairs, s->step.velocity, b);
  for (size_t i = 0; i < n; ++i) {
    b[i] = s->step.h_seconds * b[i] + (s->keeps_density ? fluid->density[i] - fluid->particles.density : 0);
    q[i] = s->start_fraction * fluid->last[i][0];
    mean += b[i] / (double)n;
  }
  for (size_t i = 0; i < n && s->closed; ++i) b[i] -= mean;
  PetscCall(VecRestoreArrayWrite(s->q, &q));
  PetscCall(VecRestoreArrayWrite(s->b, &b));
  PetscFunctionReturn(0);
}

/* The fluid keeps q, p and rho of the solve. */
static void store_pressure(const sb_fluid *fluid, const double *q)
{
  for (size_t i = 0; i < fluid->particles.free; ++i) {
    fluid->last[i][0] = q[i];
    fluid->last[i][1] = q[i] * fluid->density[i] * fluid->density[i] / fluid->particles.mass[i];
    fluid->last[i][2] = fluid->density[i];
  }
}

/* v = v* - h M^-1 D^T q. */
static void apply_pressure(isph *s, const double *q)
{
  sb_pressure_acceleration(&s->system, q, s->acceleration);
  for (size_t i = 0; i < 3 * s->fluid->particles.free; ++i)
    s->step.velocity[i] += s->step.h_seconds * s->acceleration[i];
}

/* Records a solve that ended without its tolerance: the run continues, unless there is no answer. */
static void account(const isph *s, int64_t step, const sb_bounded_report *solved, sb_advance_report *report)
{
  const bool met = solved->outcome == SB_SOLVED;
  report->minimizer_iterations += solved->iterations;
  report->linear_iterations += solved->linear_iterations;
  /* A solve that ended by its density tolerance or at rounding had no tolerance on the residual, which is 1 at q = 0.
   */
  if (!met || solved->residual <= s->goal.relative) report->residual = fmax(report->residual, solved->residual);
  report->linear_outcome = solved->outcome;
  report->unconverged += !met;
  report->inaccurate += !met;
  if (solved->outcome != SB_NOT_FINITE && solved->outcome != SB_NOT_SPD && solved->outcome != SB_SINGULAR &&
      solved->outcome != SB_FAILED && solved->outcome != SB_DIVERGED)
    return;
  report->status = solved->outcome == SB_NOT_FINITE ? SB_CASE_DIVERGED : sb_status_of_outcome(solved->outcome);
  snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): the pressure solve ended as %s: %s",
           (long long)step + 1, (double)(step + 1) * s->h_seconds, sb_outcome_name(solved->outcome), solved->reason);
}

static PetscErrorCode project(isph *s, int64_t step, sb_advance_report *report)
{
  const double      started = sb_profile_start(s->step.profile); /* of the matrix; solvers report their own */
  sb_bounded_report solved;
  const double     *q;
  Mat               A = NULL;

  PetscFunctionBeginUser;
  PetscCall(s->assembled ? sb_pressure_matrix(&s->system, &A) : sb_pressure_operator(&s->system, &A));
  sb_profile_stop(s->step.profile, SB_PHASE_ASSEMBLY, started);
  PetscCall(set_problem(s));
  PetscCall(sb_bounded_solve(s->solver, A, s->b, &s->goal, s->q, &solved));
  PetscCall(MatDestroy(&A));
  account(s, step, &solved, report);
  if (report->status != SB_OK) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(s->q, &q));
  store_pressure(s->fluid, q);
  apply_pressure(s, q);
  PetscCall(VecRestoreArrayRead(s->q, &q));
  PetscFunctionReturn(0);
}

/* The largest speed. In a box that is periodic each way it is relative to the mean velocity, so that a flow is the same
 * in a moving frame. */
static double fastest(const isph *s)
{
  const sb_particles *p = &s->fluid->particles;
  double              mean[3] = {0, 0, 0}, square = 0;
  if (s->closed) sb_particles_mean_velocity(p, s->step.velocity, mean);
  for (size_t i = 0; i < p->free; ++i) {
    const double *v = s->step.velocity + 3 * i, u[3] = {v[0] - mean[0], v[1] - mean[1], v[2] - mean[2]};
    square = fmax(square, u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  }
  return sqrt(square);
}

/* Shifts particles from dense to sparse places at a rate of s |v|max H/2, |v| as above. So smaller steps do not shift
 * more in the same time (as Xu, Stansby, Laurence: J. Comput. Phys. 228, 2009; Skillen et al. 2013 use each particle's
 * own speed). Velocities, and with them momentum, are kept. A correction by their gradient, as in Lind et al., changed
 * the energy of taylor_green by a thousandth. */
static PetscErrorCode shift(isph *s)
{
  const double reach = 0.5 * s->fluid->particles.support * s->step.h_seconds * fastest(s);

  PetscFunctionBeginUser;
  PetscCheck(sb_fluid_update(s->fluid, s->step.position), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  sb_fluid_shift(s->fluid, s->shifting * reach, s->shift);
  for (size_t i = 0; i < 3 * s->fluid->particles.free; ++i) s->step.position[i] += s->shift[i];
  PetscFunctionReturn(0);
}

/* The number of substeps of a step. Gravity does not count in a box that is periodic each way: it moves the fluid as a
 * whole. */
static int count_substeps(const isph *s)
{
  const double *g = s->step.system->gravity;
  if (!(s->courant > 0)) return 1;
  const double fall = s->closed ? 0 : s->h_seconds * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  const double speed = fastest(s) + fall;
  return (int)fmin(SUBSTEPS_MAX, fmax(1, ceil(speed * s->h_seconds / (s->courant * s->fluid->particles.spacing))));
}

static PetscErrorCode take_substep(isph *s, int64_t step, double t, sb_advance_report *report)
{
  sb_explicit *e = &s->step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_forces(e, t));
  PetscCall(sb_explicit_damp(e));
  sb_explicit_kick(e, e->h_seconds, e->factor);
  sb_explicit_filter(e, t, &(sb_contact_push){e->factor * e->h_seconds, t, e->position}, e->position, e->velocity);
  PetscCall(project(s, step, report));
  if (report->status != SB_OK) PetscFunctionReturn(0);
  sb_explicit_filter(e, t, NULL, e->position, e->velocity);
  sb_explicit_drift(e);
  if (s->shifting > 0) PetscCall(shift(s));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_step(isph *s, int64_t *step, sb_advance_report *report)
{
  sb_explicit  *e = &s->step;
  const int     substeps = count_substeps(s);
  const int64_t unconverged = report->unconverged, inaccurate = report->inaccurate;

  PetscFunctionBeginUser;
  sb_explicit_begin_step(e, *step);
  e->h_seconds = s->system.h_seconds = s->h_seconds / substeps;
  e->factor = substeps == 1 ? s->factor : pow(s->factor, 1.0 / substeps);
  for (int substep = 0; substep < substeps && report->status == SB_OK; ++substep)
    PetscCall(take_substep(s, *step, ((double)*step + (double)substep / substeps) * s->h_seconds, report));
  e->h_seconds = s->h_seconds;
  report->unconverged = PetscMin(report->unconverged, unconverged + 1); /* the report counts steps, not substeps */
  report->inaccurate = PetscMin(report->inaccurate, inaccurate + 1);
  if (report->status != SB_OK) PetscFunctionReturn(0);
  PetscCall(sb_bounds_finish_step(&e->bounds, ++*step, e->position, report));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  isph   *s = state;
  int64_t step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(&s->step, step, x, v));
  while (step < first_step + steps && report->status == SB_OK) PetscCall(take_step(s, &step, report));
  PetscCall(sb_explicit_end(&s->step, step));
  PetscFunctionReturn(0);
}

static double *memory(void *state, size_t i)
{
  (void)i;
  return *((isph *)state)->fluid->last;
}

const sb_integrator_method sb_integrator_isph = {
    .name = "isph",
    .summary = "incompressible SPH: velocities are predicted, then corrected by pressures from a solver",
    .uses = "pressure_solver pressure_target laplacian pressure_matrix pressure_tolerance density_tolerance "
            "pressure_max_iterations pressure_shift pressure_start shifting courant",
    .traits = SB_MOVES_PARTICLES | SB_SERIAL_ONLY_INTEGRATOR | SB_UNCOUNTED_STEPS,
    .stability_limit = NAN,
    .state_bytes = sizeof(isph),
    .prepare = prepare,
    .advance = advance,
    .memory_name = {"pressure"},
    .memory = memory,
    .destroy = destroy,
};
