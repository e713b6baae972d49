/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integrators of plug-ins (base/springbench_plugin.h) as methods. Their steps are like those of stages.c, with the same
 * ends; a method without stages has no minimiser. */
#include "solvers/integrate/plugin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "base/arena.h"
#include "base/input_file.h"
#include "solvers/integrate/stages.h"
#include "solvers/linear/plugin.h"

typedef struct {
  sb_integrator_method        method;
  const sb_plugin_integrator *own;
} plugin_method;

typedef struct {
  sb_stages                   stages; /* first */
  const sb_plugin_integrator *own;
  void                       *integrator;
  sb_plugin_stepper           stepper;
  PetscErrorCode              failed; /* in a function of the stepper */
} plugin_state;

/* Position and velocity of the step stand aside for the caller's, which are only read. */
static PetscErrorCode find_acceleration(sb_stages *s, double t, const double *x, const double *v, double *a)
{
  sb_explicit  *e = &s->explicit;
  double *const position = e->position, *const velocity = e->velocity;

  PetscFunctionBeginUser;
  e->position = (double *)x;
  e->velocity = (double *)v;
  PetscCall(sb_explicit_forces(e, t));
  PetscCall(sb_explicit_damp(e));
  e->position = position;
  e->velocity = velocity;
  for (PetscInt k = 0; k < e->count; ++k) a[k] = e->inverse_mass[k] * (e->total[k] - e->drag * v[k]) + e->gravity[k];
  PetscFunctionReturn(0);
}

static int acceleration(void *context, double t, const double *x, const double *v, double *a)
{
  plugin_state *s = context;
  if (!s->failed) s->failed = find_acceleration(&s->stages, t, x, v, a);
  return s->failed != 0;
}

static int stage(void *context, double t, const double *y, const double *w, double *z)
{
  plugin_state *s = context;
  if (!s->failed) s->failed = sb_stages_solve(&s->stages, t, y, w, z);
  return s->failed != 0 || s->stages.refused;
}

static PetscErrorCode prepare(void *state, const sb_integrator_setup *setup)
{
  plugin_state        *s = state;
  const plugin_method *method = (const void *)sb_integrator_method_of(setup->options);
  const int            memories = !method->own->memory[0] ? 0 : method->own->memory[1] ? 2 : 1;
  char                 error[256] = "";

  PetscFunctionBeginUser;
  s->own = method->own;
  PetscCall(sb_stages_prepare(&s->stages, setup, s->own->stage_part, memories));
  s->stepper = (sb_plugin_stepper){.size = sizeof s->stepper,
                                   .vertices = (int32_t)setup->system->owned,
                                   .h = setup->h_seconds,
                                   .velocity_factor = setup->velocity_factor,
                                   .mass = setup->system->mass,
                                   .pinned = (const unsigned char *)setup->system->pinned,
                                   .memory = {s->stages.memory[0], s->stages.memory[1]},
                                   .context = s,
                                   .acceleration = acceleration,
                                   .stage = s->own->stage_part > 0 ? stage : NULL};
  SB_OWNED char *text = sb_input_resolve(SB_TEXT(setup->options, plugin_options));
  s->integrator = s->own->create_of ? s->own->create_of(s->own->data, text, &s->stepper, error, sizeof error)
                                    : s->own->create(text, &s->stepper, error, sizeof error);
  error[sizeof error - 1] = '\0';
  PetscCheck(s->integrator, setup->system->comm, PETSC_ERR_USER, "integrator=%s plugin_options='%s': %s",
             method->method.name, SB_TEXT(setup->options, plugin_options), error);
  PetscFunctionReturn(0);
}

/* Fixed pins have neither velocity nor acceleration: one that moved is an error of the plug-in. Springs that hold pins
 * let them move in a stage. */
static PetscErrorCode check_pins(const plugin_state *s, const double *x)
{
  const sb_explicit *e = &s->stages.explicit;
  const sb_system   *system = e->system;

  PetscFunctionBeginUser;
  if (system->pin_method == SB_PINS_PENALTY) PetscFunctionReturn(0);
  for (PetscInt p = 0; p < system->pinned_owned && !e->moves_pins; ++p)
    for (PetscInt k = 3 * system->pin_vertex[p], end = k + 3; k < end; ++k)
      PetscCheck(x[k] == s->stages.start[0][k], PETSC_COMM_SELF, PETSC_ERR_LIB,
                 "the plug-in's integrator moved the pinned vertex %d", (int)system->pin_vertex[p]);
  PetscFunctionReturn(0);
}

static PetscErrorCode take_step(sb_stages *stages, double t_seconds, double *x, double *v)
{
  plugin_state      *s = (plugin_state *)stages;
  sb_advance_report *report = stages->report;

  PetscFunctionBeginUser;
  const sb_plugin_outcome outcome = s->own->step(s->integrator, &s->stepper, stages->step, stages->fresh, x, v);
  PetscCall(s->failed);
  PetscCall(sb_plugin_called(s->integrator, outcome, s->own->failure, NULL, NULL));
  if (stages->refused) PetscFunctionReturn(0);
  if (outcome != SB_PLUGIN_SOLVED) {
    stages->refused = true;
    report->status = sb_status_of_outcome(sb_plugin_outcome_of(outcome));
    snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): the plug-in's integrator reported: %s",
             (long long)stages->step + 1, t_seconds + stages->explicit.h_seconds,
             sb_outcome_name(sb_plugin_outcome_of(outcome)));
    PetscFunctionReturn(0);
  }
  PetscCall(check_pins(s, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report)
{
  return sb_stages_advance(state, take_step, first_step, steps, x, v, report);
}

static PetscErrorCode destroy(void *state)
{
  plugin_state *s = state;

  PetscFunctionBeginUser;
  if (s->integrator) s->own->destroy(s->integrator);
  PetscCall(sb_stages_destroy(state));
  PetscFunctionReturn(0);
}

const sb_entry *sb_plugin_integrator_method(const sb_plugin_integrator *own, const char *digest, sb_arena *arena)
{
  plugin_method *made = sb_arena_take(arena, 1, sizeof *made);
  const bool     stages = own->traits & SB_PLUGIN_STAGES, remembers = own->memory[0] != NULL;
  made->own = own;
  made->method = (sb_integrator_method){
      .name = own->name,
      .summary = own->summary,
      .uses = stages ? "plugin_options minimizer max_iterations step_tolerance gradient_tolerance start pin_method "
                       "pin_weight"
                     : "plugin_options",
      .digest = digest,
      .claims = own->traits,
      .traits = SB_SERIAL_ONLY_INTEGRATOR | (stages ? SB_MINIMIZES : 0) |
                (own->traits & SB_PLUGIN_SYMPLECTIC ? SB_SYMPLECTIC : 0),
      .order_position = own->order,
      .order_velocity = own->order,
      .order_braked = own->order_braked,
      .stability_limit = own->stability_limit,
      .growth_undamped = own->growth,
      .refuses_friction = sb_stages_refuse_friction,
      .state_bytes = sizeof(plugin_state),
      .prepare = prepare,
      .advance = advance,
      .minimizer = stages ? sb_stages_minimizer : NULL,
      .memory_name = {own->memory[0], own->memory[0] ? own->memory[1] : NULL},
      .memory = sb_stages_memory,
      .resume = remembers ? sb_stages_resume : NULL,
      .destroy = destroy};
  return &made->method.entry;
}
