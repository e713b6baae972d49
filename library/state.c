/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a simulation: read, replaced, measured. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "library/simulation.h"
#include "model/system/external.h"

typedef struct {
  double       *position, *velocity;         /* to be filled, or NULL */
  const double *new_position, *new_velocity; /* to be taken, or NULL */
} state;

static PetscErrorCode copy_out(sb_sim *sim, void *context)
{
  const state  *s = context;
  const Vec     from[2] = {sim->setup->x, sim->setup->v};
  double *const to[2] = {s->position, s->velocity};

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; ++k) {
    const double *array;
    if (!to[k]) continue;
    PetscCall(VecGetArrayRead(from[k], &array));
    memcpy(to[k], array, 3 * sim->pose.vertices * sizeof *array);
    PetscCall(VecRestoreArrayRead(from[k], &array));
  }
  PetscFunctionReturn(0);
}

sb_sim_status sb_sim_get(sb_sim *sim, double *position, double *velocity)
{
  SB_AS_GUEST;
  return sb_sim_perform(sim, copy_out, &(state){.position = position, .velocity = velocity});
}

bool sb_sim_is_stopped(sb_sim *sim)
{
  if (sim->stopped) sb_sim_refuse(sim, "springbench: error: the last steps ended early; call sb_sim_set before this");
  return sim->stopped;
}

/* Pinned vertices and the walls of a fluid stay. */
static PetscErrorCode take_in(sb_sim *sim, Vec to, const double *values)
{
  double *array;

  PetscFunctionBeginUser;
  if (!values) PetscFunctionReturn(0);
  PetscCall(VecGetArray(to, &array));
  for (size_t i = 0; i < sim->pose.vertices; ++i)
    if (!sim->pose.pinned[i]) memcpy(array + 3 * i, values + 3 * i, 3 * sizeof *array);
  PetscCall(VecRestoreArray(to, &array));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_sim_begin_again(sb_sim *sim, void *context)
{
  PetscFunctionBeginUser;
  (void)context;
  PetscCall(sb_integrator_destroy(&sim->integrator));
  PetscCall(sb_integrator_create(sim->setup->system, sim->options, sim->c.time.h_seconds, &sim->integrator));
  PetscCall(sb_setup_observe_start(sim->setup, (double)sim->step * sim->c.time.h_seconds));
  PetscCall(sb_setup_open_balance(&sim->c, sim->setup, (double)sim->step * sim->c.time.h_seconds));
  sim->stopped = false;
  PetscFunctionReturn(0);
}

static PetscErrorCode replace(sb_sim *sim, void *context)
{
  const state *s = context;

  PetscFunctionBeginUser;
  PetscCall(take_in(sim, sim->setup->x, s->new_position));
  PetscCall(take_in(sim, sim->setup->v, s->new_velocity));
  PetscCall(sb_sim_begin_again(sim, NULL));
  PetscFunctionReturn(0);
}

/* The first vertex with a value that is not finite; `vertices` if there is none. */
static size_t first_not_finite(const double *values, size_t vertices)
{
  size_t i = 0;
  while (values && i < 3 * vertices && isfinite(values[i])) ++i;
  return values ? i / 3 : vertices;
}

sb_sim_status sb_sim_set(sb_sim *sim, const double *position, const double *velocity)
{
  SB_AS_GUEST;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  const size_t vertices = sim->pose.vertices;
  const size_t bad[2] = {first_not_finite(position, vertices), first_not_finite(velocity, vertices)};
  for (int k = 0; k < 2; ++k)
    if (bad[k] < vertices)
      return sb_sim_refuse(sim, "springbench: error: sb_sim_set: the %s of vertex %zu is not finite",
                           k == 0 ? "position" : "velocity", bad[k]);
  return sb_sim_perform(sim, replace, &(state){.new_position = position, .new_velocity = velocity});
}

/* ---- measures ---- */

#define MEASURES(M)                                                                                                    \
  M(time, "s")                                                                                                         \
  M(step, "")                                                                                                          \
  M(h, "s")                                                                                                            \
  M(energy_kinetic, "J")                                                                                               \
  M(energy_elastic, "J")                                                                                               \
  M(energy_gravity, "J")                                                                                               \
  M(energy_total, "J")                                                                                                 \
  M(momentum_x, "kg m/s")                                                                                              \
  M(momentum_y, "kg m/s")                                                                                              \
  M(momentum_z, "kg m/s")                                                                                              \
  M(angular_momentum_x, "kg m^2/s")                                                                                    \
  M(angular_momentum_y, "kg m^2/s")                                                                                    \
  M(angular_momentum_z, "kg m^2/s")                                                                                    \
  M(strain_max, "")                                                                                                    \
  M(penetration_max, "m")

enum {
#define NUMBER(name, unit) MEASURE_##name,
  MEASURES(NUMBER)
#undef NUMBER
      MEASURE_COUNT
};

static const struct {
  const char *name, *unit;
} measures[MEASURE_COUNT] = {
#define ROW(name, unit) {#name, unit},
    MEASURES(ROW)
#undef ROW
};

const char *sb_sim_measure_name(size_t i) { return i < MEASURE_COUNT ? measures[i].name : NULL; }
const char *sb_sim_measure_unit(size_t i) { return i < MEASURE_COUNT ? measures[i].unit : NULL; }

/* context: [MEASURE_COUNT]; NAN where the simulation does not have a measure. */
static PetscErrorCode take_measures(sb_sim *sim, void *context)
{
  double             *value = context;
  sb_energies         e;
  sb_contact_measures contact = {.penetration_max = NAN};

  PetscFunctionBeginUser;
  PetscCall(sb_system_energies(sim->setup->system, sim->setup->x, sim->setup->v, &e));
  if (sim->setup->system->contact) PetscCall(sb_system_contact_measures(sim->setup->system, &contact));
  value[MEASURE_time] = (double)sim->step * sim->c.time.h_seconds;
  value[MEASURE_step] = (double)sim->step;
  value[MEASURE_h] = sim->c.time.h_seconds;
  value[MEASURE_energy_kinetic] = e.kinetic;
  value[MEASURE_energy_elastic] = e.elastic;
  value[MEASURE_energy_gravity] = e.gravity;
  value[MEASURE_energy_total] = e.total;
  for (int axis = 0; axis < 3; ++axis) {
    value[MEASURE_momentum_x + axis] = e.momentum[axis];
    value[MEASURE_angular_momentum_x + axis] = e.angular_momentum[axis];
  }
  value[MEASURE_strain_max] = sim->setup->system->fluid ? NAN : e.strain_max;
  value[MEASURE_penetration_max] = contact.penetration_max;
  PetscFunctionReturn(0);
}

sb_sim_status sb_sim_measure(sb_sim *sim, const char *name, double *value)
{
  SB_AS_GUEST;
  double all[MEASURE_COUNT] = {0};
  size_t i = 0;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  while (name && i < MEASURE_COUNT && strcmp(measures[i].name, name) != 0) ++i;
  if (!name || !value || i == MEASURE_COUNT)
    return sb_sim_refuse(sim, "springbench: error: sb_sim_measure: %s%s", name ? name : "NULL",
                         value ? " is not a measure; sb_sim_measure_name lists them"
                               : ": there is no place for its value");
  const sb_sim_status status = sb_sim_perform(sim, take_measures, all);
  if (status != SB_SIM_OK) return status;
  if (isnan(all[i]) && (i == MEASURE_strain_max || i == MEASURE_penetration_max))
    return sb_sim_refuse(sim, "springbench: error: sb_sim_measure: this simulation does not have %s", name);
  *value = all[i];
  return SB_SIM_OK;
}

/* ---- frames ---- */

sb_sim_status sb_sim_record(sb_sim *sim)
{
  SB_AS_GUEST;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  if (sb_sim_is_stopped(sim)) return SB_SIM_REFUSED;
  const size_t  count = 3 * sim->pose.vertices;
  const bool    again = sim->last_frame && sim->last_frame->step == sim->step;
  sb_sim_frame *f = again ? sim->last_frame : malloc(sizeof *f + 2 * count * sizeof(double));
  if (!f) return sb_sim_refuse(sim, "springbench: error: sb_sim_record: no memory is left for a state");
  if (!again) *f = (sb_sim_frame){NULL, sim->step, (double *)(f + 1), (double *)(f + 1) + count};
  const sb_sim_status status = sb_sim_get(sim, f->position, f->velocity);
  if (status != SB_SIM_OK && !again) free(f);
  if (status != SB_SIM_OK || again) return status;
  if (sim->last_frame)
    sim->last_frame->next = f;
  else
    sim->frames = f;
  sim->last_frame = f;
  return SB_SIM_OK;
}
