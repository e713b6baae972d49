/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The proximal-point iteration; see equilibrium.h.
 *
 * h starts at a value for which a step is easy, ten times sqrt(m/k), and grows while steps succeed. A step that does
 * not lower its potential, or whose linear solve is refused, is undone and h falls. If f depends on x (fields, contact
 * known at the start of a step), a step with a larger residual is undone, too. Inertia never falls below 1e-12 k, which
 * still carries directions without stiffness through a Cholesky factorisation. */
#include "solvers/minimize/equilibrium.h"

#include <math.h>

#include "model/system/external.h"

#define H_GROWTH   1e5  /* of h, in all */
#define H_SHRINK   1e-6 /* of h, in all */
#define GROWTH_MAX 10.0
#define ROUNDING   1e-13
#define TOLERANCE  1e-9
#define INNER_PART 0.1  /* of the tolerance, that a step is solved to at least */
#define INNER_DROP 1e-2 /* of the residual, that a step is solved to at most */
enum { STEPS_MAX = 500, STEPS_MAX_LAGGED = 2000, STALLED_MAX = 5 };

typedef struct {
  sb_system             *system;
  const sb_options      *options;
  Vec                    load, x; /* borrowed */
  Vec                    z, at_rest, force, constant;
  Vec                    move, middle; /* if the constant forces depend on x */
  sb_potential          *potential;
  sb_minimizer          *minimizer;
  double                 h, h_first, growth;
  bool                   lagged; /* the constant forces depend on x */
  bool                   idle;   /* the last step lowered its potential only by rounding */
  int                    stalled;
  sb_equilibrium_report *report;
} search;

/* All forces that are not elastic, on free vertices: gravity, load, field, contact that is not inside the potential. */
static PetscErrorCode constant_forces(const sb_system *system, Vec load, Vec x, Vec constant)
{
  const double *position, *extra = NULL;
  double       *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArrayWrite(constant, &out));
  if (load) PetscCall(VecGetArrayRead(load, &extra));
  for (PetscInt i = 0; i < system->owned; ++i)
    for (PetscInt c = 0; c < 3; ++c)
      out[3 * i + c] = system->pinned[i] ? 0 : system->mass[i] * system->gravity[c] + (extra ? extra[3 * i + c] : 0);
  PetscCall(sb_system_add_external(system, 0, position, out));
  if (load) PetscCall(VecRestoreArrayRead(load, &extra));
  PetscCall(VecRestoreArrayWrite(constant, &out));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

static PetscErrorCode add_implicit_contact(const sb_system *system, Vec x, Vec force)
{
  const double *position;
  double       *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArray(force, &out));
  sb_contact_add_forces(system->contact, 0, &(sb_contact_points){(size_t)system->owned, system->pinned, NULL, position},
                        out);
  PetscCall(VecRestoreArray(force, &out));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

static PetscErrorCode sum_forces(const sb_system *system, Vec load, Vec x, Vec constant, Vec force)
{
  const sb_contact *contact = system->contact;

  PetscFunctionBeginUser;
  PetscCall(constant_forces(system, load, x, constant));
  PetscCall(sb_system_elastic_forces(system, x, force));
  PetscCall(VecAXPY(force, 1, constant));
  if (contact && sb_contact_pushes(contact) && sb_contact_is_implicit(contact))
    PetscCall(add_implicit_contact(system, x, force));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_equilibrium_forces(const sb_system *system, Vec load, Vec x, Vec force)
{
  Vec constant = NULL;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(force, &constant));
  PetscCall(sum_forces(system, load, x, constant, force));
  PetscCall(VecDestroy(&constant));
  PetscFunctionReturn(0);
}

/* Leaves the constant forces at x in s->constant. */
static PetscErrorCode residual(search *s, Vec x, double *norm)
{
  const double *force;
  double        sum = 0;

  PetscFunctionBeginUser;
  PetscCall(sum_forces(s->system, s->load, x, s->constant, s->force));
  PetscCall(VecGetArrayRead(s->force, &force));
  for (PetscInt i = 0; i < s->system->owned; ++i)
    for (PetscInt c = 3 * i; c < 3 * i + 3 && !s->system->pinned[i]; ++c) sum += force[c] * force[c];
  PetscCall(VecRestoreArrayRead(s->force, &force));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, s->system->comm));
  *norm = sqrt(sum);
  PetscFunctionReturn(0);
}

/* The sum of the magnitudes of the constant forces over all vertices. */
static PetscErrorCode choose_tolerance(search *s)
{
  const double *force;
  double        sum = 0;

  PetscFunctionBeginUser;
  s->report->tolerance = SB_IS(s->options, gradient_tolerance, "auto") ? 0 : SB_REAL(s->options, gradient_tolerance);
  if (s->report->tolerance > 0) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(s->constant, &force));
  for (PetscInt i = 0; i < s->system->owned; ++i)
    sum +=
        sqrt(force[3 * i] * force[3 * i] + force[3 * i + 1] * force[3 * i + 1] + force[3 * i + 2] * force[3 * i + 2]);
  PetscCall(VecRestoreArrayRead(s->constant, &force));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, s->system->comm));
  s->report->tolerance = sum > 0 ? TOLERANCE * sum : TOLERANCE;
  PetscFunctionReturn(0);
}

static PetscErrorCode choose_first_h(search *s)
{
  const sb_springs *springs = &s->system->springs;
  double            stiffest = 0;

  PetscFunctionBeginUser;
  for (int i = 0; i < springs->count; ++i) stiffest = fmax(stiffest, springs->stiffness[i]);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &stiffest, 1, MPI_DOUBLE, MPI_MAX, s->system->comm));
  const double mass = s->system->mass_total / (double)s->system->vertices;
  s->growth = GROWTH_MAX;
  s->h_first = s->h = stiffest > 0 ? 10 * sqrt(mass / stiffest) : 1;
  PetscFunctionReturn(0);
}

/* The case's minimiser for the present h, as exact as the present residual makes worth while. */
static PetscErrorCode make_minimizer(search *s)
{
  sb_options  *stage = sb_options_copy(s->options);
  char         text[32];
  const double inner = fmax(INNER_PART * s->report->tolerance, INNER_DROP * s->report->gradient_norm);

  PetscFunctionBeginUser;
  PetscCheck(stage, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  sb_options_set(stage, SB_ID(damping_in_step), "0", SB_FROM_SCENE, (sb_location){0}, NULL); /* nothing moves */
  sb_options_set(stage, SB_ID(gradient_tolerance), sb_format_real(inner, text), SB_FROM_SCENE, (sb_location){0}, NULL);
  PetscCall(sb_minimizer_destroy(&s->minimizer));
  PetscCall(sb_potential_destroy(&s->potential));
  PetscCall(sb_potential_create(s->system, s->h, &s->potential));
  s->potential->beta = 0;
  const PetscErrorCode failed = sb_minimizer_create(s->system, stage, s->h, "statics_", &s->minimizer);
  sb_options_destroy(&stage);
  PetscCall(failed);
  PetscFunctionReturn(0);
}

static void account(search *s, const sb_minimize_report *inner)
{
  s->report->steps++;
  s->report->iterations += inner->iterations;
  s->report->linear_iterations += inner->linear_iterations;
  s->report->linear_outcome = inner->linear_outcome;
  s->report->package = sb_linear_solver_facts(sb_minimizer_linear(s->minimizer))->package;
  s->report->residual = fmax(s->report->residual, inner->residual);
}

/* The potential of a step that ends at t = 0, with pins and colliders as at that time, and y = x on free vertices:
 * inertia pulls to the present places, and all forces are in the load. */
static PetscErrorCode center_potential(search *s)
{
  const double *position;
  double       *y;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_set_state(s->potential, -s->h, s->x, s->at_rest));
  PetscCall(VecGetArrayRead(s->x, &position));
  PetscCall(VecGetArray(s->potential->y, &y));
  for (PetscInt i = 0; i < s->system->owned; ++i)
    for (PetscInt c = 3 * i; c < 3 * i + 3 && !s->system->pinned[i]; ++c) y[c] = position[c];
  PetscCall(VecRestoreArray(s->potential->y, &y));
  PetscCall(VecRestoreArrayRead(s->x, &position));
  PetscFunctionReturn(0);
}

/* The work of the constant forces from x to z, by Simpson's rule, less s->constant.(z - x), which are those at x. */
static PetscErrorCode lagged_work(search *s, double *joules)
{
  double start, middle, end;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(s->move, -1, s->x, s->z));
  PetscCall(VecWAXPY(s->middle, 0.5, s->move, s->x));
  PetscCall(VecDot(s->constant, s->move, &start));
  PetscCall(constant_forces(s->system, s->load, s->middle, s->force));
  PetscCall(VecDot(s->force, s->move, &middle));
  PetscCall(constant_forces(s->system, s->load, s->z, s->force));
  PetscCall(VecDot(s->force, s->move, &end));
  *joules = (4 * middle + end - 5 * start) / 6;
  PetscFunctionReturn(0);
}

/* One step into z, and whether it may be kept. */
static PetscErrorCode try_step(search *s, sb_minimize_report *inner, bool *good)
{
  double before, after = NAN, more = 0;

  PetscFunctionBeginUser;
  PetscCall(center_potential(s));
  PetscCall(constant_forces(s->system, s->load, s->x, s->constant));
  s->potential->load = s->constant;
  PetscCall(VecCopy(s->x, s->z));
  PetscCall(sb_potential_value(s->potential, s->z, &before));
  PetscCall(sb_minimizer_continue(s->minimizer, s->potential, s->z, inner));
  account(s, inner);
  *good = sb_outcome_accepted(inner->linear_outcome);
  if (!*good) PetscFunctionReturn(0);
  PetscCall(sb_potential_value(s->potential, s->z, &after));
  if (s->lagged) PetscCall(lagged_work(s, &more));
  *good = after - more <= before + ROUNDING * fabs(before);
  s->idle = before - after + more <= ROUNDING * fabs(before);
  PetscFunctionReturn(0);
}

/* Keeps z if it is no worse, by the residual where energies cannot decide. */
static PetscErrorCode judge_step(search *s, bool *good)
{
  const double before = s->report->gradient_norm;
  double       after;

  PetscFunctionBeginUser;
  PetscCall(residual(s, s->z, &after));
  *good = isfinite(after) && !(s->lagged && s->idle && after > before);
  if (!*good) PetscFunctionReturn(0);
  PetscCall(VecCopy(s->z, s->x));
  s->report->gradient_norm = after;
  PetscFunctionReturn(0);
}

/* The next h; *done with a reason if no other is worth trying. */
static PetscErrorCode adapt(search *s, const sb_minimize_report *inner, bool good, double before, bool *done)
{
  const double h = s->h;

  PetscFunctionBeginUser;
  if (good && inner->converged) {
    s->h *= s->growth;
    s->growth = fmin(GROWTH_MAX, 1.2 * s->growth);
  } else if (!good) {
    s->h /= 4;
    s->growth = fmax(1.3, sqrt(s->growth));
  }
  s->h = fmin(s->h, H_GROWTH * s->h_first);
  const bool falls = s->lagged || s->report->gradient_norm <= 0.5 * before;
  s->stalled = good && s->idle && !falls ? s->stalled + 1 : 0;
  if (s->stalled >= STALLED_MAX) {
    s->report->reason = "the residual no longer falls: its rounding, or a mechanism";
    *done = true;
  } else if (s->h < H_SHRINK * s->h_first) {
    s->report->reason = s->lagged ? "no step lowers the energy (is the field unbounded?)" : "no step lowers the energy";
    *done = true;
  } else if (s->h != h || inner->converged) {
    PetscCall(make_minimizer(s));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(search *s, sb_equilibrium_monitor monitor, void *context)
{
  const long most = s->lagged ? STEPS_MAX_LAGGED : STEPS_MAX;
  long       unfinished = 0;
  bool       done, good = false;

  PetscFunctionBeginUser;
  done = s->report->converged = s->report->gradient_norm < s->report->tolerance;
  PetscCall(make_minimizer(s));
  while (!done && s->report->steps < most) {
    sb_minimize_report inner;
    const double       before = s->report->gradient_norm;
    PetscCall(try_step(s, &inner, &good));
    unfinished += !inner.converged;
    if (good) PetscCall(judge_step(s, &good));
    if (monitor) PetscCall(monitor(context, s->report));
    s->report->converged = s->report->gradient_norm < s->report->tolerance;
    done = s->report->converged;
    if (!done) PetscCall(adapt(s, &inner, good, before, &done));
  }
  if (s->report->converged)
    s->report->reason = "gradient_tolerance met";
  else if (!done && unfinished > most / 2)
    s->report->reason = "too many steps, most of them stopped by max_iterations";
  PetscFunctionReturn(0);
}

static PetscErrorCode open(search *s)
{
  PetscFunctionBeginUser;
  PetscCall(sb_system_create_full(s->system, &s->z));
  PetscCall(sb_system_create_full(s->system, &s->at_rest));
  PetscCall(sb_system_create_full(s->system, &s->force));
  PetscCall(sb_system_create_full(s->system, &s->constant));
  PetscCall(sb_system_create_full(s->system, &s->move));
  PetscCall(sb_system_create_full(s->system, &s->middle));
  PetscFunctionReturn(0);
}

static PetscErrorCode close(search *s)
{
  PetscFunctionBeginUser;
  PetscCall(sb_minimizer_destroy(&s->minimizer));
  PetscCall(sb_potential_destroy(&s->potential));
  PetscCall(VecDestroy(&s->z));
  PetscCall(VecDestroy(&s->at_rest));
  PetscCall(VecDestroy(&s->force));
  PetscCall(VecDestroy(&s->constant));
  PetscCall(VecDestroy(&s->move));
  PetscCall(VecDestroy(&s->middle));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_equilibrium_find(sb_system *system, const sb_options *options, const sb_equilibrium_request *request,
                                   Vec x, sb_equilibrium_report *report)
{
  const sb_equilibrium_request asked = request ? *request : (sb_equilibrium_request){0};
  search                       s = {.system = system, .options = options, .load = asked.load, .x = x, .report = report};

  PetscFunctionBeginUser;
  *report = (sb_equilibrium_report){.linear_outcome = SB_SOLVED, .reason = "too many steps"};
  s.lagged = sb_system_has_external(system);
  PetscCall(open(&s));
  PetscCall(residual(&s, x, &report->gradient_norm));
  PetscCall(choose_tolerance(&s));
  PetscCall(choose_first_h(&s));
  PetscCall(iterate(&s, asked.monitor, asked.context));
  PetscCall(close(&s));
  PetscFunctionReturn(0);
}
