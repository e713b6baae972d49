/* Time integrators, for implementers: one file <name>.c with one const table `sb_integrator_<name>`, one line in
 * integrators.def. Its claims are measured by the conformance suite. */
#pragma once

#include "solvers/integrate/integrator.h"

enum {
  SB_SYMPLECTIC = 1,     /* shadow energy conserved on the linear oscillator */
  SB_TIME_SYMMETRIC = 2, /* running back returns to the start */
  SB_IMPLICIT = 4,       /* owns a minimiser */
  SB_CONSERVES_ANGULAR_MOMENTUM = 8,
  SB_PROJECTS_LENGTHS = 16, /* springs keep their lengths one after the other: stiffness plays no part, the springs'
                               order does, no order of convergence is claimed */
  SB_SERIAL_ONLY_INTEGRATOR = 32, /* refuses more than one rank */
  SB_DISSIPATES = 64, /* where the potential is convex a converged step never raises the energy; forces in it alone */
  SB_SOLVES = 128,    /* solves equations in a step without a minimiser: what is not finite ends it unsolved */
  SB_MOVES_PARTICLES = 256 /* of a fluid, and no nets */
};

enum { SB_MEMORIES_MAX = 2 };

typedef struct {
  sb_system        *system;
  const sb_options *options;
  double            h_seconds;
  double            velocity_factor; /* velocity_factor, or exp(-damping_rate h) */
  double            radius;          /* m: a vertex farther than this from the centre of mass has left the bounds */
  sb_step_watch     watch;
} sb_integrator_setup;

typedef struct sb_integrator_method {
  SB_ENTRY_HEAD;
  unsigned traits;
  int      order_position, order_velocity; /* of convergence in h; 0: none is claimed */
  int      order_braked;    /* of both if forces depend on velocities (drag, dampers, air); 0: as without them */
  double   stability_limit; /* largest stable h*omega undamped; 0: none; INFINITY: always stable */
  /* Growth of the amplitude a step on the oscillator x'' = -omega^2 x - c x': the spectral radius of the step in
   * (x, h v), with z = h omega, d = h c and the velocity factor f. NULL where lengths are projected. */
  double (*growth)(double z, double d, double f);
  /* Angle by which a step turns the phase of that oscillator undamped, in (0, pi): it is seen at the frequency
   * phase(z)/h. NULL: the leapfrog's 2 asin(z/2); without meaning where lengths are projected. */
  double (*phase)(double z);
  bool (*is_another)(const sb_options *options); /* optional: do they make it a method of which all that is not said? */
  size_t state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_integrator_setup *setup); /* once; allocates */
  /* As sb_integrator_advance; the report comes zeroed with status SB_OK. */
  PetscErrorCode (*advance)(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report);
  sb_minimizer *(*minimizer)(void *state); /* optional */
  /* What it keeps besides x and v, and needs to go on: names, NULL behind the last; the i-th's array, 3 per owned
   * vertex; and the notice, once the arrays are filled, that (x, v) is the state after `step` they belong to. */
  const char *memory_name[SB_MEMORIES_MAX];
  double *(*memory)(void *state, size_t i);
  PetscErrorCode (*resume)(void *state, int64_t step, Vec x, Vec v);
  PetscErrorCode (*destroy)(void *state);
} sb_integrator_method;

SB_DECLARE_LIST(sb_integrator_method, sb_integrators)
