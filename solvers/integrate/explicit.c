/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces, kicks and drifts on the local arrays of a system; see explicit.h.
 *
 * Inverse masses and gravity are stored per coordinate with zeros on pinned vertices, so the loops over coordinates
 * have neither branches nor strides. In a Vec's array the ghosts follow the owned values; only dampers need ghost
 * velocities. */
#include "solvers/integrate/explicit.h"

#include <stdio.h>
#include <string.h>

#include "model/system/external.h"
#include "model/system/flops.h"

/* Two readings of the clock cost as much as 20 springs: less than 1 % of this many. */
enum { SPRINGS_TIMED = 2000 };
/* Fused steps between two calls of a watch: this many springs, a fraction of a millisecond. */
enum { SPRINGS_PER_LOOK = 100000 };

static void fill_coefficients(sb_explicit *e)
{
  const sb_system *s = e->system;
  for (PetscInt k = 0; k < e->count; ++k) {
    const bool pinned = s->pinned[k / 3];
    e->inverse_mass[k] = pinned ? 0 : 1 / s->mass[k / 3];
    e->gravity[k] = pinned ? 0 : s->gravity[k % 3];
  }
}

/* Data that only some systems need; the others leave the pointers NULL. */
static PetscErrorCode prepare_extras(sb_explicit *e, size_t local)
{
  const sb_system *s = e->system;

  PetscFunctionBeginUser;
  e->external = sb_system_has_external(s);
  e->damped = sb_system_is_damped(s) || e->beta > 0;
  e->moves_pins = sb_system_moves_pins(s);
  e->filters = s->contact && sb_contact_filters(s->contact);
  e->total = e->force;
  if (e->damped) PetscCall(PetscMalloc1(local, &e->total));
  e->resolves = s->contact && sb_contact_resolves(s->contact);
  if (e->resolves) PetscCall(PetscMalloc1(3 * (size_t)e->count, &e->start));
  if (e->moves_pins) PetscCall(PetscMalloc2(e->count, &e->pin_place, 3 * (size_t)s->pinned_owned, &e->pin_velocity));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_arrays(sb_explicit *e)
{
  const size_t local = 3 * (size_t)(e->system->owned + e->system->ghosts);

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc3(e->count, &e->inverse_mass, e->count, &e->gravity, local, &e->force));
  fill_coefficients(e);
  PetscCall(prepare_extras(e, local));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(sb_explicit *e, const sb_integrator_setup *setup, bool remembers)
{
  const sb_system *s = setup->system;

  PetscFunctionBeginUser;
  *e = (sb_explicit){.system = s,
                     .h_seconds = setup->h_seconds,
                     .factor = setup->velocity_factor,
                     .drag = s->drag,
                     .beta = setup->beta,
                     .count = 3 * s->owned,
                     .remembers = remembers,
                     .left_step = -1};
  sb_bounds_prepare(&e->bounds, setup);
  if (remembers) PetscCall(PetscMalloc2(e->count, &e->left_position, e->count, &e->left_velocity));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_prepare(sb_explicit *e, const sb_integrator_setup *setup, bool remembers)
{
  PetscFunctionBeginUser;
  PetscCall(prepare(e, setup, remembers));
  PetscCall(take_arrays(e));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_prepare_fused(sb_explicit *e, const sb_integrator_setup *setup, sb_fused_method method)
{
  const bool remembers = method == SB_FUSED_VELOCITY_VERLET || method == SB_FUSED_STOERMER_VERLET;

  PetscFunctionBeginUser;
  PetscCall(prepare(e, setup, remembers));
  PetscCall(sb_fused_create(setup, method, &e->fused));
  if (remembers || !e->fused) PetscCall(take_arrays(e));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_destroy(sb_explicit *e)
{
  PetscFunctionBeginUser;
  PetscCall(sb_fused_destroy(&e->fused));
  if (e->damped) PetscCall(PetscFree(e->total));
  PetscCall(PetscFree(e->start));
  PetscCall(PetscFree2(e->pin_place, e->pin_velocity));
  PetscCall(PetscFree3(e->inverse_mass, e->gravity, e->force));
  PetscCall(PetscFree2(e->left_position, e->left_velocity));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_destroy_state(void *state) { return sb_explicit_destroy(state); }

/* Bits are compared, not numbers: only then does continuing give the result of one longer call. */
static PetscErrorCode is_resumed(const sb_explicit *e, int64_t step, bool *resumed)
{
  const size_t bytes = (size_t)e->count * sizeof(double);

  PetscFunctionBeginUser;
  *resumed = e->left_step == step; /* the same on all ranks */
  if (!*resumed) PetscFunctionReturn(0);
  *resumed = memcmp(e->position, e->left_position, bytes) == 0 && memcmp(e->velocity, e->left_velocity, bytes) == 0;
  if (e->system->ranks > 1) {
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, resumed, 1, MPI_C_BOOL, MPI_LAND, e->system->comm));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_begin(sb_explicit *e, int64_t step, Vec x, Vec v)
{
  PetscFunctionBeginUser;
  e->x = x;
  e->v = v;
  e->profile = e->system->springs_global < SPRINGS_TIMED && !e->system->fluid ? NULL : e->system->profile;
  PetscCall(VecGetArray(x, &e->position));
  PetscCall(VecGetArray(v, &e->velocity));
  for (PetscInt p = 0; p < e->system->pinned_owned && !e->moves_pins; ++p)
    memset(&e->velocity[3 * e->system->pin_vertex[p]], 0, 3 * sizeof(double));
  PetscCall(is_resumed(e, step, &e->resumed));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_end(sb_explicit *e, int64_t step)
{
  const size_t bytes = (size_t)e->count * sizeof(double);

  PetscFunctionBeginUser;
  if (e->remembers) {
    memcpy(e->left_position, e->position, bytes);
    memcpy(e->left_velocity, e->velocity, bytes);
    e->left_step = step;
  }
  PetscCall(VecRestoreArray(e->v, &e->velocity));
  PetscCall(VecRestoreArray(e->x, &e->position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_resume(sb_explicit *e, int64_t step, Vec x, Vec v)
{
  const size_t  bytes = (size_t)e->count * sizeof(double);
  const double *position, *velocity;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArrayRead(v, &velocity));
  memcpy(e->left_position, position, bytes);
  memcpy(e->left_velocity, velocity, bytes);
  e->left_step = step;
  PetscCall(VecRestoreArrayRead(v, &velocity));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

/* A run of fused steps: the method's names of its arrays. */
typedef struct {
  sb_fused_method method;
  double         *speed;    /* [count] velocity, or acceleration, which goes with a previous position */
  double         *previous; /* [count] or NULL */
} fused_run;

static void take_all(const sb_explicit *e, const fused_run *r)
{
  const sb_fused_net     *net = &e->fused->net;
  const sb_fused_kernels *kernels = e->fused->kernels;
  kernels->take(net, e->position, net->bands->position);
  kernels->take(net, r->speed, net->velocity);
  if (r->previous) kernels->take(net, r->previous, net->previous);
}

static void give_all(const sb_explicit *e, const fused_run *r)
{
  const sb_fused_net     *net = &e->fused->net;
  const sb_fused_kernels *kernels = e->fused->kernels;
  kernels->give(net, net->bands->position, e->position);
  kernels->give(net, net->velocity, r->speed);
  if (r->previous) kernels->give(net, net->previous, r->previous);
}

/* As `advance` of the kernels, on several ranks: passes from the state in the method's arrays, which all ranks then
 * compare. If one saw its vertices leave the centre before the last pass, the passes up to there are made again. They
 * are fewer after that, so that a net that leaves in every step is not run twice. */
static PetscErrorCode advance_together(const sb_explicit *e, const fused_run *r, int64_t steps, int64_t *done,
                                       bool *near)
{
  sb_fused *fused = e->fused;
  int64_t   left;

  PetscFunctionBeginUser;
  steps = PetscMin(steps, fused->unchecked);
  PetscCall(sb_fused_pass(fused, r->method, steps, &left));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &left, 1, MPI_INT64_T, MPI_MIN, e->system->comm));
  *near = left == steps;
  *done = *near ? steps : left + 1;
  fused->unchecked = *near ? PetscMin(2 * fused->unchecked, SB_UNCHECKED_MAX) : 1;
  if (*done == steps) PetscFunctionReturn(0);
  take_all(e, r);
  PetscCall(sb_fused_pass(fused, r->method, *done, &left));
  PetscFunctionReturn(0);
}

/* Makes passes until a watch wants to see a step, or the net may have left its bounds, which is then tested. */
static PetscErrorCode run_to_look(sb_explicit *e, const fused_run *r, int64_t steps, int64_t *done, bool *bounded)
{
  sb_fused_net *net = &e->fused->net;
  const int64_t look = e->bounds.watch->call ? 1 + SPRINGS_PER_LOOK / (int64_t)e->system->springs_global : steps;
  bool          near;

  PetscFunctionBeginUser;
  memcpy(net->center, e->bounds.center, sizeof net->center);
  net->limit = SB_NEAR * e->bounds.radius;
  if (e->system->ranks > 1)
    PetscCall(advance_together(e, r, PetscMin(look, steps), done, &near));
  else
    *done = e->fused->kernels->advance(net, r->method, PetscMin(look, steps), &near);
  *bounded = near;
  if (near) PetscFunctionReturn(0);
  e->fused->kernels->give(net, net->bands->position, e->position);
  PetscCall(sb_system_array_is_bounded(e->system, e->position, e->bounds.radius, e->bounds.center, bounded));
  PetscFunctionReturn(0);
}

/* `done` of `steps` passes, all but the last within bounds. */
static PetscErrorCode run(sb_explicit *e, const fused_run *r, int64_t step, int64_t steps, int64_t *done, bool *bounded)
{
  const sb_step_watch *watch = e->bounds.watch;
  const double         started = sb_profile_start(e->profile);

  PetscFunctionBeginUser;
  take_all(e, r);
  *done = 0;
  for (int64_t more = 0; *done < steps && *bounded; *done += more) {
    if (*done > 0 && watch->call && watch->call(watch->context, step + *done)) break;
    if (*done > 0 && e->system->ranks > 1) give_all(e, r);
    PetscCall(run_to_look(e, r, steps - *done, &more, bounded));
  }
  give_all(e, r);
  PetscCall(sb_log_passes(e->system, SB_OPERATION_GRADIENT, SB_FLOPS_GRADIENT, *done));
  sb_profile_stop(e->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_take_fused(sb_explicit *e, sb_fused_method method, int64_t *step, int64_t end,
                                      sb_advance_report *report)
{
  const sb_step_watch *watch = e->bounds.watch;
  bool                 bounded = true;
  int64_t              done;

  PetscFunctionBeginUser;
  if (!e->fused || *step == end) PetscFunctionReturn(0);
  PetscCall(run(e, &(fused_run){method, e->velocity, NULL}, *step, end - *step, &done, &bounded));
  *step += done;
  report->steps_done += bounded ? done : done - 1;
  if (!bounded)
    PetscCall(sb_bounds_finish_step(&e->bounds, *step, e->position, report));
  else if (watch->call && watch->call(watch->context, *step))
    report->status = SB_CASE_INTERRUPTED;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_pass_fused(sb_explicit *e, sb_fused_method method, int64_t *step, int64_t end,
                                      double *previous, double *acceleration, sb_advance_report *report)
{
  bool    bounded;
  int64_t done;

  PetscFunctionBeginUser;
  if (!e->fused || *step + 1 == end) PetscFunctionReturn(0);
  PetscCall(sb_system_array_is_bounded(e->system, e->position, e->bounds.radius, e->bounds.center, &bounded));
  const fused_run r = {method, acceleration ? acceleration : e->velocity, previous};
  PetscCall(run(e, &r, *step, end - *step - 1, &done, &bounded));
  *step += done;
  report->steps_done += done;
  PetscFunctionReturn(0);
}

static PetscErrorCode update_ghosts(Vec full, double **array)
{
  PetscFunctionBeginUser;
  PetscCall(VecRestoreArray(full, array));
  PetscCall(VecGhostUpdateBegin(full, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGhostUpdateEnd(full, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGetArray(full, array));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_forces(sb_explicit *e, double t_seconds)
{
  const sb_system *s = e->system;
  const double     started = sb_profile_start(e->profile);

  PetscFunctionBeginUser;
  if (s->ranks > 1) {
    PetscCall(VecRestoreArray(e->x, &e->position));
    PetscCall(sb_system_forces_at(s, e->x, e->force));
    PetscCall(VecGetArray(e->x, &e->position));
  } else {
    sb_system_array_forces(s, e->position, e->force);
  }
  if (e->external) PetscCall(sb_system_add_external(s, t_seconds, e->position, e->force));
  PetscCall(sb_log_pass(s, SB_OPERATION_GRADIENT, SB_FLOPS_GRADIENT));
  sb_profile_stop(e->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_explicit_add_dampers(sb_explicit *e)
{
  const sb_system *s = e->system;
  const double     started = sb_profile_start(e->profile);

  PetscFunctionBeginUser;
  if (s->ranks > 1) PetscCall(update_ghosts(e->v, &e->velocity));
  memcpy(e->total, e->force, 3 * (size_t)(s->owned + s->ghosts) * sizeof(double));
  PetscCall(sb_system_add_damping(s, e->beta, e->position, e->velocity, e->total));
  sb_profile_stop(e->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

void sb_explicit_kick(sb_explicit *e, double dt_seconds, double factor)
{
  const double *restrict force = e->total, *restrict inverse_mass = e->inverse_mass, *restrict gravity = e->gravity;
  double *restrict velocity = e->velocity;
  const double   drag = e->drag;
  const PetscInt count = e->count;
  for (PetscInt k = 0; k < count; ++k) {
    const double v = velocity[k];
    velocity[k] = factor * (v + dt_seconds * (inverse_mass[k] * (force[k] - drag * v) + gravity[k]));
  }
  sb_explicit_hold_pins(e);
}

void sb_explicit_drift(sb_explicit *e)
{
  const double *restrict velocity = e->velocity;
  double *restrict position = e->position;
  const double   h = e->h_seconds;
  const PetscInt count = e->count;
  for (PetscInt k = 0; k < count; ++k) position[k] += h * velocity[k];
  sb_explicit_place_pins(e);
}

void sb_explicit_touch(sb_explicit *e, double t_seconds, const sb_contact_push *push, const double *position,
                       double *velocity)
{
  const sb_system *s = e->system;
  const double     started = sb_profile_start(e->profile);
  sb_contact_filter(s->contact, t_seconds, e->h_seconds, push,
                    &(sb_contact_points){(size_t)s->owned, s->pinned, s->mass, position}, velocity);
  sb_profile_stop(e->profile, SB_PHASE_CONTACT, started);
}

void sb_explicit_keep_start(sb_explicit *e)
{
  memcpy(e->start, e->position, (size_t)e->count * sizeof *e->start);
  memcpy(e->start + e->count, e->velocity, (size_t)e->count * sizeof *e->start);
}

static void refuse_step(sb_explicit *e, int64_t step, const char *why, sb_advance_report *report)
{
  memcpy(e->position, e->start, (size_t)e->count * sizeof *e->start);
  memcpy(e->velocity, e->start + e->count, (size_t)e->count * sizeof *e->start);
  report->status = SB_CASE_CONTACT_UNRESOLVED;
  snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): %s", (long long)(step + 1),
           (double)(step + 1) * e->h_seconds, why);
}

/* The test of bounds handles a step out of bounds: vertices so far apart may meet anything. */
PetscErrorCode sb_explicit_find_free_end(sb_explicit *e, int64_t step, sb_advance_report *report)
{
  const sb_system        *s = e->system;
  const double            started = sb_profile_start(e->profile);
  const sb_contact_points start = {(size_t)s->owned, s->pinned, s->mass, e->start};
  double                 *wanted = e->start + 2 * e->count, center[3];
  char                    why[200];
  bool                    bounded;

  PetscFunctionBeginUser;
  memcpy(center, e->bounds.center, sizeof center);
  PetscCall(sb_system_array_is_bounded(s, e->position, e->bounds.radius, center, &bounded));
  if (!bounded) PetscFunctionReturn(0);
  memcpy(wanted, e->position, (size_t)e->count * sizeof *wanted);
  const sb_contact_verdict verdict =
      sb_contact_resolve(s->contact, (double)step * e->h_seconds, e->h_seconds, &start, e->position, why, sizeof why);
  PetscCheck(verdict != SB_STEP_WITHOUT_MEMORY, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  if (verdict == SB_STEP_REFUSED) refuse_step(e, step, why, report);
  for (PetscInt k = 0; k < e->count && verdict == SB_STEP_FREE; ++k)
    e->velocity[k] += (e->position[k] - wanted[k]) / e->h_seconds;
  sb_profile_stop(e->profile, SB_PHASE_CONTACT, started);
  PetscFunctionReturn(0);
}

void sb_explicit_aim_moving_pins(sb_explicit *e, int64_t step)
{
  const sb_system *s = e->system;
  sb_system_place_pins(s, (double)(step + 1) * e->h_seconds, e->pin_place);
  for (PetscInt p = 0; p < s->pinned_owned; ++p) {
    for (PetscInt c = 0; c < 3; ++c) {
      const PetscInt k = 3 * s->pin_vertex[p] + c;
      e->pin_velocity[3 * p + c] = (e->pin_place[k] - e->position[k]) / e->h_seconds;
    }
  }
  sb_explicit_hold_pins(e);
}

void sb_explicit_hold_moving_pins(sb_explicit *e, double *velocity)
{
  const sb_system *s = e->system;
  for (PetscInt p = 0; p < s->pinned_owned; ++p) {
    memcpy(&velocity[3 * s->pin_vertex[p]], &e->pin_velocity[3 * p], 3 * sizeof(double));
  }
}

void sb_explicit_place_moving_pins(sb_explicit *e)
{
  const sb_system *s = e->system;
  for (PetscInt p = 0; p < s->pinned_owned; ++p) {
    const PetscInt k = 3 * s->pin_vertex[p];
    memcpy(&e->position[k], &e->pin_place[k], 3 * sizeof(double));
  }
}
