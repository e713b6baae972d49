/* What the explicit integrators share: forces on raw arrays, kicks, drifts, and the frame around a call of advance.
 *
 * A method is written as a sequence of
 *
 *     kick:    v = factor (v + dt a(x, v)),  a = (f(x, t) + dampers(x, v) - c v)/m + g on free vertices, 0 on pinned
 *     filter:  contact acts on v, at (x, t)
 *     drift:   x = x + h v
 *     resolve: contact of surfaces acts on the step from where it began, x and v = v + (change of x)/h
 *
 * between sb_explicit_begin, which takes the arrays of the Vecs once, and sb_explicit_end. f is elastic forces, field
 * and penalty contact at the position of the last sb_explicit_forces; dampers are taken at the x and v of the last
 * sb_explicit_damp, drag at the v that the kick starts from. On one rank a step makes no PETSc call; with several,
 * ghosts are updated where they are needed and the bounds test reduces.
 *
 * Pinned vertices that move are at path(t) and have, during the step from t, v = (path(t + h) - x)/h, which is what
 * dampers see: a function of time alone, so that going on from a saved state needs no more. */
#pragma once

#include "solvers/integrate/bounds.h"
#include "solvers/integrate/fused.h"

/* Filled by sb_explicit_prepare and sb_explicit_begin; methods read it and work on position and velocity. */
typedef struct {
  const sb_system *system;
  double           h_seconds, factor, drag;
  bool             external, damped, moves_pins, filters, resolves; /* is there anything to do in the function of that
                                                                       name? */
  sb_profile *profile;      /* NULL: nobody asks, or a step is too short to be timed in parts */
  PetscInt    count;        /* coordinates of owned vertices, 3 owned */
  double     *inverse_mass; /* [count] 1/kg, 0 on pinned vertices */
  double     *gravity;      /* [count] m/s^2, 0 on pinned vertices */
  double     *force;        /* [3 (owned + ghosts)] N, of positions; ghosts hold parts of sums, of no use */
  double     *total;        /* the same and dampers: `force` itself where there are none */
  double     *pin_place;    /* [count] with moving pins: path(t + h), of pinned vertices only */
  double     *pin_velocity; /* [pinned_owned][3] with moving pins */
  double     *start;        /* [3][count] with surfaces: x and v before the step, x behind it unresolved */
  sb_fused   *fused;        /* NULL: steps are not taken in one pass */
  sb_bounds   bounds;
  /* while an advance runs */
  Vec     x, v;
  double *position, *velocity; /* [3 (owned + ghosts)] */
  bool    resumed;             /* the call goes on from the very state that the last one left */
  /* between calls: what the last one left */
  bool    remembers;                     /* else none of the following is used */
  double *left_position, *left_velocity; /* [count] */
  int64_t left_step;                     /* -1: nothing to go on from */
} sb_explicit;

/* `remembers`: the method keeps something from call to call (a force, a previous position), so that begin must tell
 * whether the state it is given is the one it left. Allocates. Collective. */
PetscErrorCode sb_explicit_prepare(sb_explicit *e, const sb_integrator_setup *setup, bool remembers);
PetscErrorCode sb_explicit_destroy(sb_explicit *e);

/* From here on steps are taken in one pass each where the net allows it. Allocates. */
PetscErrorCode sb_explicit_fuse(sb_explicit *e, const sb_integrator_setup *setup);
/* Steps of a method that ends them with their positions, from *step to `end` or to the first that leads out of bounds;
 * none where the net does not allow it. */
PetscErrorCode sb_explicit_take_fused(sb_explicit *e, sb_fused_method method, int64_t *step, int64_t end,
                                      sb_advance_report *report);
/* Passes of a method that ends a step with its velocities, from the positions behind *step and before `end` to those of
 * the last step or of one that is out of bounds; with the previous positions and the acceleration where it has them,
 * else NULL. *step is then the number of steps that have ended. */
PetscErrorCode sb_explicit_pass_fused(sb_explicit *e, sb_fused_method method, int64_t *step, int64_t end,
                                      double *previous, double *acceleration, sb_advance_report *report);

/* Takes the arrays of x and v, stops pinned vertices that stand, and sets `resumed`. Every begin has its end, which
 * gives the arrays back and remembers the state after step `step`. Collective. */
PetscErrorCode sb_explicit_begin(sb_explicit *e, int64_t step, Vec x, Vec v);
PetscErrorCode sb_explicit_end(sb_explicit *e, int64_t step);
/* Makes (x, v) the state that was left after `step`, as an end does; the method has its memories back. Local. */
PetscErrorCode sb_explicit_resume(sb_explicit *e, int64_t step, Vec x, Vec v);

/* force = total = f(position, t). Collective. */
PetscErrorCode sb_explicit_forces(sb_explicit *e, double t_seconds);
/* What follows acts only where there is something to act on: the test stands here, in the loop of the step, and the
 * work behind it. */
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
/* Local: contact's filter on `velocity`, any array [count], at `position` and time t. `push`: the penalty force that
 * acted on it, as in contact.h; the velocity factor counts in its time. */
static inline void sb_explicit_filter(sb_explicit *e, double t_seconds, const sb_contact_push *push,
                                      const double *position, double *velocity)
{
  if (e->filters) sb_explicit_touch(e, t_seconds, push, position, velocity);
}

/* Local, once at the start of the step from `step`: keeps where it began, and fixes velocity and end of moving pins. Of
 * these, hold gives them that velocity again, place that end. */
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

/* Contact of surfaces, with the position at the end of the step from `step`. Where it finds no way the report gets
 * SB_CASE_CONTACT_UNRESOLVED and the state is that before the step, which has then ended. */
static inline PetscErrorCode sb_explicit_resolve(sb_explicit *e, int64_t step, sb_advance_report *report)
{
  return e->resolves ? sb_explicit_find_free_end(e, step, report) : 0;
}

/* Local: velocity = factor (velocity + dt a). */
void sb_explicit_kick(sb_explicit *e, double dt_seconds, double factor);
/* Local: position += h velocity, pinned vertices to where they were aimed. */
void sb_explicit_drift(sb_explicit *e);

/* Destroys the state of a method that consists of an sb_explicit alone. */
PetscErrorCode sb_explicit_destroy_state(void *state);
