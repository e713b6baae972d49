/* What the explicit integrators share: forces on raw arrays, kicks, drifts, and the frame around a call of advance.
 *
 * A method is written as a sequence of
 *
 *     kick:  v = factor (v + dt a(x, v)),  a = (f(x) - c v)/m + g on free vertices, 0 on pinned ones
 *     drift: x = x + h v
 *
 * between sb_explicit_begin, which takes the arrays of the Vecs once, and sb_explicit_end. f is the elastic force at
 * the position of the last sb_explicit_forces; drag is taken at the v that the kick starts from. On one rank a step
 * makes no PETSc call; with several, sb_explicit_forces updates the ghosts and the bounds test reduces. */
#pragma once

#include "solvers/integrate/bounds.h"

/* Filled by sb_explicit_prepare and sb_explicit_begin; methods read it and work on position and velocity. */
typedef struct {
  const sb_system *system;
  double           h_seconds, factor, drag;
  PetscInt         count;        /* coordinates of owned vertices, 3 owned */
  double          *inverse_mass; /* [count] 1/kg, 0 on pinned vertices */
  double          *gravity;      /* [count] m/s^2, 0 on pinned vertices */
  double          *force;        /* [3 (owned + ghosts)] N, elastic; ghosts hold parts of sums, of no use */
  sb_bounds        bounds;
  /* while an advance runs */
  Vec     x, v;
  double *position, *velocity; /* [3 (owned + ghosts)], [count] */
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

/* Takes the arrays of x and v, stops pinned vertices, and sets `resumed`. Every begin has its end, which gives the
 * arrays back and remembers the state after step `step`. Collective. */
PetscErrorCode sb_explicit_begin(sb_explicit *e, int64_t step, Vec x, Vec v);
PetscErrorCode sb_explicit_end(sb_explicit *e, int64_t step);

/* force = -grad E(position). Collective. */
PetscErrorCode sb_explicit_forces(sb_explicit *e);
/* Local: velocity = factor (velocity + dt a); position += h velocity. */
void sb_explicit_kick(sb_explicit *e, double dt_seconds, double factor);
void sb_explicit_drift(sb_explicit *e);

/* Destroys the state of a method that consists of an sb_explicit alone. */
PetscErrorCode sb_explicit_destroy_state(void *state);
