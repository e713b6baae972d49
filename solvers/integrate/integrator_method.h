/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time integrators, for authors: one file <name>.c with one const table `sb_integrator_<name>`, one line in
 * integrators.def. The conformance suite measures its claims. */
#pragma once

#include "solvers/device/steps.h"
#include "solvers/integrate/integrator.h"

enum {
  SB_SYMPLECTIC = 1,     /* shadow energy conserved on the linear oscillator */
  SB_TIME_SYMMETRIC = 2, /* integrating back returns to the start */
  SB_MINIMIZES = 4,      /* has a minimiser */
  SB_CONSERVES_ANGULAR_MOMENTUM = 8,
  SB_PROJECTS_LENGTHS = 16, /* projects springs to their rest lengths one after the other: the stiffness has no effect,
                             * the order of springs has; no order of convergence is claimed */
  SB_SERIAL_ONLY_INTEGRATOR = 32, /* refuses more than one rank */
  SB_DISSIPATES = 64, /* if the potential is convex and contains all forces, a converged step never raises the energy */
  SB_SOLVES = 128,    /* solves equations in a step without a minimiser: a state that is not finite ends the step
                       * unsolved */
  SB_MOVES_PARTICLES = 256, /* for fluids only, not for nets */
  SB_UNCOUNTED_STEPS = 512, /* PETSc's log lacks operations of it, besides those of its minimiser */
  SB_ENDS_AT_MINIMUM = 1024 /* a step ends at the minimum of one potential: the barrier can be part of it, contact's
                             * filter and a lagged penalty part of y. Others with a minimiser make stages (stages.h) */
};

enum { SB_MEMORIES_MAX = 2 };

typedef struct {
  sb_system        *system;
  const sb_options *options;
  double            h_seconds;
  double            beta;            /* s: forces -beta k (dv.u) u; damping_in_step of methods without minimisations */
  double            velocity_factor; /* velocity_factor, or exp(-damping_rate h) */
  double            radius;          /* m: a vertex farther than this from the centre of mass has left the bounds */
  sb_step_watch     watch;
} sb_integrator_setup;

typedef struct sb_integrator_method {
  SB_ENTRY_HEAD;
  const char *digest; /* of the plug-in that it is from; NULL: none */
  unsigned    claims; /* of that plug-in */
  unsigned    traits;
  int         order_position, order_velocity; /* of convergence in h; 0: not claimed */
  int         order_braked;    /* of both if forces depend on velocities (drag, dampers, air); 0: the same */
  double      stability_limit; /* largest stable h*omega undamped; 0: none; INFINITY: always stable;
                                * NAN: not claimed */
  /* Growth of the amplitude per step on the oscillator x'' = -omega^2 x - c x': the spectral radius of the step in (x,
   * h v), with z = h omega, d = h c and the velocity factor f. NULL if lengths are projected. */
  double (*growth)(double z, double d, double f);
  double (*growth_undamped)(double z); /* the same of a plug-in, which claims it without damping only; NULL: none */
  /* Angle in (0, pi) by which a step turns the phase of that oscillator undamped; the frequency is phase(z)/h. NULL:
   * the leapfrog's 2 asin(z/2); unused if lengths are projected. */
  double (*phase)(double z);
  bool (*is_another)(const sb_options *options); /* optional: true if these options change the method so that none of
                                                  * this holds */
  /* Optional: why friction cannot count the penalty force of contact=combined with these options; NULL: it can. */
  const char *(*refuses_friction)(const sb_options *options);
  sb_device_method device; /* its steps on a device (on_device.h); 0: no device has them */
  size_t           state_bytes;
  PetscErrorCode (*prepare)(void *state, const sb_integrator_setup *setup); /* once; allocates */
  /* As sb_integrator_advance; the report comes zeroed with status SB_OK. */
  PetscErrorCode (*advance)(void *state, int64_t first_step, int64_t steps, Vec x, Vec v, sb_advance_report *report);
  sb_minimizer *(*minimizer)(void *state); /* optional */
  /* As sb_integrator_find_end; NULL: unknown. */
  PetscErrorCode (*find_end)(void *state, const sb_options *options, double flops_max, sb_point *kind);
  /* Data that it needs besides x and v to continue: their names, NULL after the last, and the array of the i-th, 3 per
   * owned vertex. Then resume is called, after the arrays are filled: (x, v) is the state after `step`. */
  const char *memory_name[SB_MEMORIES_MAX];
  double *(*memory)(void *state, size_t i);
  PetscErrorCode (*resume)(void *state, int64_t step, Vec x, Vec v);
  PetscErrorCode (*destroy)(void *state);
} sb_integrator_method;

/* For methods with a minimiser: the report gets the counts of one solve. */
void sb_report_add_solve(sb_advance_report *report, const sb_minimize_report *solve);
/* The run ends, as a linear solve of the step to step*h was refused. */
void sb_report_refused_solve(sb_advance_report *report, int64_t step, double h_seconds,
                             const sb_minimize_report *solve);

SB_DECLARE_LIST(sb_integrator_method, sb_integrators)
/* The integrator that the options choose, of the program or of a plug-in; NULL: none has the name. */
const sb_integrator_method *sb_integrator_method_of(const sb_options *options);
