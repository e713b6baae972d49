/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes of a run: its numbers, its pins, and forces on its vertices. A change of numbers or pins makes a second
 * simulation, which takes over the state. If it refuses, the first one is as before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "library/simulation.h"
#include "model/system/external.h"

/* ---- forces ---- */

static PetscErrorCode push(sb_sim *sim, void *context)
{
  const bool began = context != NULL;

  PetscFunctionBeginUser;
  PetscCall(sb_system_set_push(sim->setup->system, sim->pushed));
  if (began) PetscCall(sb_sim_begin_again(sim, NULL));
  PetscFunctionReturn(0);
}

sb_sim_status sb_sim_set_forces(sb_sim *sim, const double *force)
{
  SB_AS_GUEST;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  if (sb_sim_is_stopped(sim)) return SB_SIM_REFUSED;
  const size_t count = 3 * sim->pose.vertices;
  bool         changes = (force != NULL) != (sim->pushed != NULL);
  for (size_t i = 0; force && i < count; ++i)
    if (!isfinite(force[i]))
      return sb_sim_refuse(sim, "springbench: error: sb_sim_set_forces: the force on vertex %zu is not finite", i / 3);
  if (force && !SB_IS(sim->options, device, "none"))
    return sb_sim_refuse(sim, "springbench: error: sb_sim_set_forces: devices do not support it; use device=none");
  if (force && sim->setup->system && sim->setup->system->fluid)
    return sb_sim_refuse(sim, "springbench: error: sb_sim_set_forces: fluids do not support it");
  double *pushed = force ? malloc(count * sizeof *pushed) : NULL, *before = sim->pushed;
  if (force && !pushed) return sb_sim_refuse(sim, "springbench: error: sb_sim_set_forces: no memory is left");
  for (size_t i = 0; force && i < count; ++i) pushed[i] = force[i] / sim->pose.mass[i / 3];
  sim->pushed = pushed;
  const sb_sim_status status = sb_sim_perform(sim, push, changes ? &changes : NULL);
  free(before);
  return status;
}

/* ---- a second simulation takes over ---- */

static PetscErrorCode take_over(sb_sim *sim, void *context)
{
  const sb_sim *before = context;
  sb_system    *system = sim->setup->system;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(before->setup->x, sim->setup->x));
  PetscCall(VecCopy(before->setup->v, sim->setup->v));
  if (sim->own_pins) {
    double *velocity;
    PetscCall(sb_system_take_pin_places(system, sim->setup->x));
    PetscCall(VecGetArray(sim->setup->v, &velocity));
    for (PetscInt p = 0; p < system->pinned_owned; ++p)
      for (PetscInt c = 0; c < 3; ++c) velocity[3 * system->pin_vertex[p] + c] = 0;
    PetscCall(VecRestoreArray(sim->setup->v, &velocity));
  }
  PetscCall(sb_system_set_push(system, sim->pushed));
  PetscCall(sb_sim_begin_again(sim, NULL));
  PetscFunctionReturn(0);
}

static bool is_same_net(const sb_net *a, const sb_net *b)
{
  return a->vertices == b->vertices && a->springs == b->springs && a->triangles == b->triangles &&
         (a->springs == 0 || memcmp(a->ends, b->ends, 2 * a->springs * sizeof *a->ends) == 0) &&
         (a->triangles == 0 || memcmp(a->triangle, b->triangle, 3 * a->triangles * sizeof *a->triangle) == 0);
}

/* NULL: it may take over; else the reason why not, for sb_sim_refuse. */
static const char *refusal(const sb_sim *sim, const sb_sim *made)
{
  const double steps = (double)sim->step * sim->c.time.h_seconds / made->c.time.h_seconds;
  if (sb_sim_error(made)) return sb_sim_error(made);
  if (!is_same_net(&sim->net, &made->net))
    return "options: error: they change vertices, springs or triangles; make another simulation";
  if (made->own_pins && sb_system_moves_pins(made->setup->system))
    return "springbench: error: pin_path moves the pins, so that they cannot be set by vertex";
  if (made->own_pins && made->setup->system->pin_method == SB_PINS_PENALTY)
    return "springbench: error: pin_method=penalty holds pins near their places, so that they cannot be set by vertex";
  if (made->pushed && !SB_IS(made->options, device, "none"))
    return "springbench: error: devices do not support forces of sb_sim_set_forces; use device=none";
  return steps < 1e15 ? NULL : "options: error: h is too short for the time that has passed";
}

/* The same forces on other masses, m/s^2. */
static double *push_of(const sb_sim *sim, const sb_sim *made)
{
  const size_t count = 3 * PetscMin(sim->pose.vertices, made->pose.vertices);
  double      *pushed = sb_allocate(3 * made->pose.vertices, sizeof *pushed);
  for (size_t i = 0; i < count; ++i) pushed[i] = sim->pushed[i] * (sim->pose.mass[i / 3] / made->pose.mass[i / 3]);
  return pushed;
}

/* Takes over `made`, or frees it. */
static sb_sim_status replace(sb_sim *sim, sb_sim *made)
{
  if (!made) return sb_sim_refuse(sim, "springbench: error: no memory is left for the change");
  double *pushed = sim->pushed && !sb_sim_error(made) ? push_of(sim, made) : NULL;
  made->pushed = pushed;
  const char *why = refusal(sim, made);
  if (!why) made->step = llround((double)sim->step * sim->c.time.h_seconds / made->c.time.h_seconds);
  if (!why && sb_sim_perform(made, take_over, sim) != SB_SIM_OK) why = sb_sim_error(made);
  made->pushed = NULL;
  if (why) {
    free(pushed);
    sb_sim_refuse(sim, "%s", why);
    sb_sim_free(made);
    return SB_SIM_REFUSED;
  }
  const sb_sim before = *sim, after = *made;
  *sim = after;
  sim->pushed = pushed;
  sim->next = before.next;
  sim->before = before.before;
  *made = before;
  made->next = after.next;
  made->before = after.before;
  made->frames = made->last_frame = NULL;
  sim->frames = before.frames;
  sim->last_frame = before.last_frame;
  sb_sim_free(made);
  return SB_SIM_OK;
}

sb_sim_status sb_sim_configure(sb_sim *sim, const char *options)
{
  SB_AS_GUEST;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  const char *ended = sb_host_ended();
  if (ended) return sb_sim_refuse(sim, "springbench: error: %s", ended);
  if (sb_sim_is_stopped(sim)) return SB_SIM_REFUSED;
  const sb_sim_source source = {.line = options,
                                .like = sim,
                                .vocabulary = sb_options_vocabulary(sim->options),
                                .net = sim->given.position ? &sim->given : NULL,
                                .pinned = sim->own_pins ? (const uint8_t *)sim->pose.pinned : NULL};
  const sb_sim_status status = replace(sim, sb_sim_make(&source));
  if (status == SB_SIM_OK) sb_sim_forget_frames(sim);
  return status;
}

/* ---- pins ---- */

/* Refuses a vertex that is not one; SB_SIM_OK otherwise. */
static sb_sim_status check_vertices(sb_sim *sim, const char *function, size_t count, const int32_t *vertex)
{
  const char *ended = sb_host_ended();
  if (ended) return sb_sim_refuse(sim, "springbench: error: %s", ended);
  if (sb_sim_is_stopped(sim)) return SB_SIM_REFUSED;
  if (count > 0 && !vertex) return sb_sim_refuse(sim, "springbench: error: %s: the vertices are NULL", function);
  for (size_t i = 0; i < count; ++i)
    if (vertex[i] < 0 || (size_t)vertex[i] >= sim->pose.vertices)
      return sb_sim_refuse(sim, "springbench: error: %s: vertex %d; vertices go from 0 to %zu", function,
                           (int)vertex[i], sim->pose.vertices - 1);
  if (sim->setup->system->fluid) return sb_sim_refuse(sim, "springbench: error: %s: fluids have no pins", function);
  return SB_SIM_OK;
}

static sb_sim_status set_pins(sb_sim *sim, const char *function, size_t count, const int32_t *vertex, bool pinned)
{
  if (!sim || sim->failed) return SB_SIM_FAILED;
  sb_sim_status status = check_vertices(sim, function, count, vertex);
  if (status != SB_SIM_OK) return status;
  const size_t vertices = sim->pose.vertices;
  uint8_t     *pins = malloc(vertices);
  size_t       held = 0;
  if (!pins) return sb_sim_refuse(sim, "springbench: error: %s: no memory is left", function);
  memcpy(pins, sim->pose.pinned, vertices);
  for (size_t i = 0; i < count; ++i) pins[vertex[i]] = pinned;
  for (size_t i = 0; i < vertices; ++i) held += pins[i];
  const sb_sim_source source = {.line = "",
                                .like = sim,
                                .net = sim->given.position ? &sim->given : NULL,
                                .pinned = pins,
                                .vocabulary = sb_options_vocabulary(sim->options)};
  status = held == vertices ? sb_sim_refuse(sim, "springbench: error: %s: no vertex would be free", function)
                            : replace(sim, sb_sim_make(&source));
  free(pins);
  return status;
}

sb_sim_status sb_sim_pin(sb_sim *sim, size_t count, const int32_t *vertex)
{
  SB_AS_GUEST;
  return set_pins(sim, "sb_sim_pin", count, vertex, true);
}

sb_sim_status sb_sim_unpin(sb_sim *sim, size_t count, const int32_t *vertex)
{
  SB_AS_GUEST;
  return set_pins(sim, "sb_sim_unpin", count, vertex, false);
}

typedef struct {
  size_t         count;
  const int32_t *vertex;
  const double  *position;
} places;

static PetscErrorCode move(sb_sim *sim, void *context)
{
  const places *to = context;
  double       *array;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(sim->setup->x, &array));
  for (size_t i = 0; i < to->count; ++i)
    memcpy(array + 3 * (size_t)to->vertex[i], to->position + 3 * i, 3 * sizeof *array);
  PetscCall(VecRestoreArray(sim->setup->x, &array));
  PetscCall(sb_system_take_pin_places(sim->setup->system, sim->setup->x));
  PetscCall(sb_sim_begin_again(sim, NULL));
  sim->own_pins = true;
  PetscFunctionReturn(0);
}

sb_sim_status sb_sim_move(sb_sim *sim, size_t count, const int32_t *vertex, const double *position)
{
  SB_AS_GUEST;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  const sb_sim_status status = check_vertices(sim, "sb_sim_move", count, vertex);
  if (status != SB_SIM_OK) return status;
  if (count > 0 && !position) return sb_sim_refuse(sim, "springbench: error: sb_sim_move: the positions are NULL");
  for (size_t i = 0; i < count; ++i) {
    const double *x = position + 3 * i;
    if (!sim->pose.pinned[vertex[i]])
      return sb_sim_refuse(sim, "springbench: error: sb_sim_move: vertex %d is not pinned; call sb_sim_pin before",
                           (int)vertex[i]);
    if (!isfinite(x[0]) || !isfinite(x[1]) || !isfinite(x[2]))
      return sb_sim_refuse(sim, "springbench: error: sb_sim_move: the place of vertex %d is not finite",
                           (int)vertex[i]);
  }
  if (sb_system_moves_pins(sim->setup->system) || sim->setup->system->pin_method == SB_PINS_PENALTY)
    return sb_sim_refuse(
        sim, "springbench: error: sb_sim_move: pin_path or pin_method=penalty determines the places of pins");
  return sb_sim_perform(sim, move, &(places){count, vertex, position});
}
