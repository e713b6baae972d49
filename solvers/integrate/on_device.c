/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Explicit integrators on a device; see on_device.h.
 *
 * Positions and velocities come from the device at the end of a call. They go there only if the state is not the one
 * at the last end. Steps are queued in batches of about a millisecond. The device tests whether positions are near the
 * centre; if a step's are not, the batch ends with it, and the exact test is made here. */
#include "solvers/integrate/on_device.h"

#include <string.h>

#include "model/system/flops.h"
#include "solvers/integrate/explicit.h"

enum { BATCH_FIRST = 8 };
static const double batch_s = 1e-3;

typedef struct {
  sb_explicit explicit; /* first: the state is one */
  sb_device_method method;
  sb_device       *device;
  sb_device_steps *steps;
  double          *memory[SB_MEMORIES_MAX]; /* [count] previous position, acceleration */
  bool             holds;                   /* the device has the state of the last end, with its memories */
  bool             fetched;                 /* the memories are here, too */
  int64_t          batch;
} on_device;

bool sb_integrator_has_device(const sb_options *options) { return !SB_IS(options, device, "none"); }

const sb_device *sb_integrator_on_device_opened(const void *state) { return ((const on_device *)state)->device; }

static PetscErrorCode create_steps(on_device *s, const sb_integrator_setup *setup)
{
  const sb_system *system = setup->system;
  const bool       projects = s->method == SB_DEVICE_POSITION_VERLET;
  sb_device_net    net = {.vertices = (int)system->owned,
                          .springs = system->springs.count,
                          .first = system->springs.first,
                          .second = system->springs.second,
                          .stiffness = system->springs.stiffness,
                          .rest_length = system->springs.rest_length,
                          .h_seconds = setup->h_seconds,
                          .factor = setup->velocity_factor,
                          .drag = system->drag,
                          .damping = system->spring_damping,
                          .passes = projects ? (int)SB_INTEGER(setup->options, passes) : 0,
                          .kept = projects ? 1 - SB_REAL(setup->options, verlet_damping) : 0};
  double          *inverse_mass;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(system->owned + 1, &inverse_mass));
  for (PetscInt i = 0; i < system->owned; ++i) inverse_mass[i] = s->explicit.inverse_mass[3 * i];
  net.inverse_mass = inverse_mass;
  memcpy(net.gravity, system->gravity, sizeof net.gravity);
  s->steps = sb_device_steps_create(s->device, s->method, &net);
  PetscCall(PetscFree(inverse_mass));
  PetscCheck(s->steps, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory: %s",
             sb_device_error(s->device) ? sb_device_error(s->device) : "the net of a device");
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  on_device *s = state;
  char       why[SB_DEVICE_WHY];

  PetscFunctionBeginUser;
  s->method = sb_integrator_method_of(setup->options)->device;
  s->batch = BATCH_FIRST;
  PetscCall(sb_explicit_prepare(&s->explicit, setup, true));
  s->device =
      sb_device_open_for_steps(SB_TEXT(setup->options, device), SB_IS(setup->options, precision, "single"), why);
  PetscCheck(s->device, PETSC_COMM_SELF, PETSC_ERR_USER, "device=%s: %s", SB_TEXT(setup->options, device), why);
  sb_device_set_threads(s->device, (int)SB_INTEGER(setup->options, threads));
  if (s->method >= SB_DEVICE_STOERMER_VERLET)
    PetscCall(PetscCalloc2(s->explicit.count, &s->memory[0], s->explicit.count, &s->memory[1]));
  PetscCall(create_steps(s, setup));
  PetscFunctionReturn(0);
}

static PetscErrorCode check(const on_device *s)
{
  PetscFunctionBeginUser;
  PetscCheck(!sb_device_error(s->device), PETSC_COMM_SELF, PETSC_ERR_LIB, "%s", sb_device_error(s->device));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_integrator_on_device_copy(const void *state, int copies, double *copied, double *of_step)
{
  const on_device *s = state;

  PetscFunctionBeginUser;
  *of_step = sb_device_steps_bytes(s->steps);
  *copied = 0;
  for (int i = 0; i < copies; ++i) *copied += sb_device_steps_copy(s->steps);
  sb_device_finish(s->device);
  PetscCall(check(s));
  PetscFunctionReturn(0);
}

static double *acceleration_of(const on_device *s)
{
  return s->method == SB_DEVICE_STOERMER_VERLET ? s->memory[1] : NULL;
}

static PetscErrorCode put_state(on_device *s)
{
  const sb_explicit *e = &s->explicit;

  PetscFunctionBeginUser;
  if (s->holds && e->resumed) PetscFunctionReturn(0);
  sb_device_steps_put(s->steps, e->position, e->velocity);
  if (e->resumed) sb_device_steps_put_memories(s->steps, s->memory[0], acceleration_of(s));
  sb_device_steps_start(s->steps, e->resumed);
  PetscCall(check(s));
  PetscFunctionReturn(0);
}

/* Batches up to a step that must be tested here, or to `end`. */
static PetscErrorCode run_to_look(on_device *s, int64_t *step, int64_t end, sb_advance_report *report)
{
  sb_explicit         *e = &s->explicit;
  const sb_step_watch *watch = e->bounds.watch;
  bool                 near = true;

  PetscFunctionBeginUser;
  while (near && *step < end) {
    const double  started = sb_clock_seconds();
    const int64_t count = PetscMin(end - *step, s->batch);
    const int done = sb_device_steps_batch(s->steps, (int)count, e->bounds.center, SB_NEAR * e->bounds.radius, &near);
    const double took = sb_clock_seconds() - started;
    PetscCall(check(s));
    if (done == s->batch && took < batch_s) s->batch = PetscMin(2 * s->batch, SB_BATCH_MAX);
    if (took > 4 * batch_s) s->batch = PetscMax(s->batch / 2, 1);
    *step += done;
    report->steps_done += done;
    if (near && *step < end && watch->call && watch->call(watch->context, *step)) {
      report->status = SB_CASE_INTERRUPTED;
      PetscFunctionReturn(0);
    }
  }
  sb_device_steps_get_position(s->steps, e->position);
  PetscCall(check(s));
  report->steps_done--;
  PetscCall(sb_bounds_finish_step(&e->bounds, *step, e->position, report));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  on_device   *s = state;
  sb_explicit *e = &s->explicit;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_begin(e, step, x, v));
  const double started = sb_profile_start(e->profile);
  const bool   starts = !e->resumed && s->method >= SB_DEVICE_VELOCITY_VERLET;
  PetscCall(put_state(s));
  while (step < first_step + steps && report->status == SB_OK)
    PetscCall(run_to_look(s, &step, first_step + steps, report));
  sb_device_steps_end(s->steps);
  sb_device_steps_get(s->steps, e->position, e->velocity);
  PetscCall(check(s));
  s->holds = true;
  s->fetched = false;
  if (s->method != SB_DEVICE_POSITION_VERLET)
    PetscCall(sb_log_passes(e->system, SB_OPERATION_GRADIENT, SB_FLOPS_GRADIENT, step - first_step + starts));
  sb_profile_stop(e->profile, SB_PHASE_FORCES, started);
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

static double *memory(void *state, size_t i)
{
  on_device *s = state;
  if (s->holds && !s->fetched) sb_device_steps_get_memories(s->steps, s->memory[0], acceleration_of(s));
  s->fetched = true;
  return s->memory[i];
}

static PetscErrorCode resume(void *state, int64_t step, Vec x, Vec v)
{
  on_device *s = state;

  PetscFunctionBeginUser;
  PetscCall(sb_explicit_resume(&s->explicit, step, x, v));
  s->holds = false;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  on_device *s = state;

  PetscFunctionBeginUser;
  sb_device_steps_destroy(&s->steps);
  sb_device_close(&s->device);
  PetscCall(PetscFree2(s->memory[0], s->memory[1]));
  PetscCall(sb_explicit_destroy(&s->explicit));
  PetscFunctionReturn(0);
}

const sb_integrator_method sb_integrator_on_device = {
    .state_bytes = sizeof(on_device),
    .prepare = prepare,
    .advance = advance,
    .memory = memory,
    .resume = resume,
    .destroy = destroy,
};
