/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared code of the explicit integrators: forces on raw arrays, kicks, drifts, and the begin and end of an advance.
 *
 * A method is a sequence of
 *
 *     kick:    v = factor (v + dt a(x, v)), a = (f(x, t) + dampers(x, v) - c v)/m + g on free vertices, 0 on pinned
 *     filter:  contact acts on v, at (x, t)
 *     drift:   x = x + h v
 *     resolve: contact of surfaces acts on the whole step, on x and v = v + (change of x)/h
 *
 * between sb_explicit_begin, which takes the arrays of the Vecs once, and sb_explicit_end. f is elastic forces, field
 * and penalty contact at the position of the last sb_explicit_forces. Dampers are taken at the x and v of the last
 * sb_explicit_damp, drag at the v before the kick. On one rank a step makes no PETSc call; with several, ghosts are
 * updated where they are needed and the bounds test reduces.
 *
 * Moving pinned vertices are at path(t) and have v = (path(t + h) - x)/h during the step from t, which dampers use.
 * This depends only on time, so that a run continues from a saved state without further data. */
#pragma once

#include "solvers/integrate/bounds.h"
#include "solvers/integrate/fused.h"

/* Filled by sb_explicit_prepare and sb_explicit_begin; methods read it and change position and velocity. */
typedef struct {
  const sb_system *system;
  double           h_seconds, factor, drag, beta;                   /* beta: the setup's */
  bool             external, damped, moves_pins, filters, resolves; /* has the function of that name an effect? */
  sb_profile      *profile; /* NULL: no profile, or steps too short to be timed in parts */
  PetscInt         count;   /* coordinates of owned vertices, 3 owned */
  /* arrays of single steps; NULL if all steps are fused */
  double   *inverse_mass; /* [count] 1/kg, 0 on pinned vertices */
  double   *gravity;      /* [count] m/s^2, 0 on pinned vertices */
  double   *force;        /* [3 (owned + ghosts)] N, of positions; undefined at ghosts */
  double   *total;        /* the same plus dampers: `force` itself if the net has none */
  double   *pin_place;    /* [count] with moving pins: path(t + h), of pinned vertices only */
  double   *pin_velocity; /* [pinned_owned][3] with moving pins */
  double   *start;        /* [3][count] with surfaces: x and v before the step, then the unresolved x */
  sb_fused *fused;        /* NULL: steps are not fused into one pass */
  sb_bounds bounds;
  /* while an advance runs */
  Vec     x, v;
  double *position, *velocity; /* [3 (owned + ghosts)] */
  bool    resumed;             /* the call continues from exactly the state at the end of the last one */
  /* between calls: the state at the end of the last one */
  bool    remembers;                     /* false: the following are not used */
  double *left_position, *left_velocity; /* [count] */
  int64_t left_step;                     /* -1: none */
} sb_explicit;

/* `remembers`: the method keeps data between calls (a force, a previous position), so that begin must test whether its
 * state is the one at the last end. Allocates. Collective. */
PetscErrorCode sb_explicit_prepare(sb_explicit *e, const sb_integrator_setup *setup, bool remembers);
/* The same for a method whose steps are fused into one pass each if the net allows it. One whose steps end with
 * velocities remembers. One whose steps end with positions does without the arrays of single steps then. */
PetscErrorCode sb_explicit_prepare_fused(sb_explicit *e, const sb_integrator_setup *setup, sb_fused_method method);
PetscErrorCode sb_explicit_destroy(sb_explicit *e);

/* Makes steps of a method whose steps end with positions, from *step to `end` or to the first that is out of bounds;
 * makes none if the net does not allow it. */
PetscErrorCode sb_explicit_take_fused(sb_explicit *e, sb_fused_method method, int64_t *step, int64_t end,
                                      sb_advance_report *report);
/* Takes passes of a method whose steps end with velocities. They go from the positions after *step, below `end`, to
 * those of the last step or of one that is out of bounds. `previous` and `acceleration` are NULL unless the method has
 * them. *step is then the number of finished steps. */
PetscErrorCode sb_explicit_pass_fused(sb_explicit *e, sb_fused_method method, int64_t *step, int64_t end,
                                      double *previous, double *acceleration, sb_advance_report *report);

/* begin takes the arrays of x and v, sets the velocity of fixed pinned vertices to 0, and sets `resumed`. Every begin
 * needs its end, which returns the arrays and remembers the state after step `step`. Collective. */
PetscErrorCode sb_explicit_begin(sb_explicit *e, int64_t step, Vec x, Vec v);
PetscErrorCode sb_explicit_end(sb_explicit *e, int64_t step);
/* Makes (x, v) the remembered state after `step`, as an end does, once the method has its memories back. Local. */
PetscErrorCode sb_explicit_resume(sb_explicit *e, int64_t step, Vec x, Vec v);

/* force = total = f(position, t). Collective. */
PetscErrorCode sb_explicit_forces(sb_explicit *e, double t_seconds);
/* The inline functions below return at once if there is nothing to do, so that a step of a plain net makes no call. */
PetscErrorCode sb_explicit_add_dampers(sb_explicit *e);
void           sb_explicit_touch(sb_explicit *e, double t_seconds, const sb_contact_push *push, const double *position,
                                 double *velocity);
void           sb_explicit_keep_start(sb_explicit *e);
PetscErrorCode sb_explicit_find_free_end(sb_explicit *e, int64_t step, sb_advance_report *report);
void           sb_explicit_aim_moving_pins(sb_explicit *e, int64_t step);
void           sb_explicit_hold_moving_pins(sb_explicit *e, double *velocity);
void           sb_explicit_place_moving_pins(sb_explicit *e);

/* total = force + dampers(position, velocity). Collective. */
static inline PetscErrorCode sb_explicit_damp(sb_explicit *e) { return e->damped ? sb_explicit_add_dampers(e) : 0; }
/* Local: contact's filter on `velocity` (any array [count]) at `position` and time t. `push` is the penalty force that
 * acted on it (contact.h); its time includes the velocity factor. */
static inline void sb_explicit_filter(sb_explicit *e, double t_seconds, const sb_contact_push *push,
                                      const double *position, double *velocity)
{
  if (e->filters) sb_explicit_touch(e, t_seconds, push, position, velocity);
}

/* Local, once at the start of the step from `step`: stores the start, and computes velocity and end of moving pins.
 * hold then sets their velocity again, place their end. */
static inline void sb_explicit_begin_step(sb_explicit *e, int64_t step)
{
  if (e->resolves) sb_explicit_keep_start(e);
  if (e->moves_pins) sb_explicit_aim_moving_pins(e, step);
}

static inline void sb_explicit_hold_pins(sb_explicit *e)
{
  if (e->moves_pins) sb_explicit_hold_moving_pins(e, e->velocity);
}

static inline void sb_explicit_place_pins(sb_explicit *e)
{
  if (e->moves_pins) sb_explicit_place_moving_pins(e);
}

/* Contact of surfaces, with the position at the end of the step from `step`. If there is no free way, the report gets
 * SB_CASE_CONTACT_UNRESOLVED and the state is that before the step, which has then ended. */
static inline PetscErrorCode sb_explicit_resolve(sb_explicit *e, int64_t step, sb_advance_report *report)
{
  return e->resolves ? sb_explicit_find_free_end(e, step, report) : 0;
}

/* Local: velocity = factor (velocity + dt a). */
void sb_explicit_kick(sb_explicit *e, double dt_seconds, double factor);
/* Local: position += h velocity; pinned vertices move to their computed end. */
void sb_explicit_drift(sb_explicit *e);

/* Destroys the state of a method that is only an sb_explicit. */
PetscErrorCode sb_explicit_destroy_state(void *state);
