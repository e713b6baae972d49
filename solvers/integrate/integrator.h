/* Time integrators, for callers.
 *
 * One call advances many steps, so that a rope's substep costs its physics and not a call. A run that leaves its bounds
 * (a coordinate not finite, or a vertex farther from the centre of mass than blowup_ratio diagonals of the initial
 * bounding box) stops at the end of that step: a result, in the report. So does one whose velocities are not finite at
 * the end of a call. Collective on the system's communicator. */
#pragma once

#include "solvers/minimize/minimizer.h"

typedef struct sb_integrator sb_integrator;

/* Filled by advance; counters are of this call alone. */
typedef struct {
  sb_status status;    /* SB_OK, SB_CASE_DIVERGED, SB_CASE_NOT_SPD, SB_CASE_NOT_CONVERGED (a solve was refused),
                      SB_CASE_CONTACT_UNRESOLVED */
  int64_t steps_done;  /* finished steps, including the one that left the bounds */
  int64_t unconverged; /* steps in which a solve met no tolerance although one was set; the run goes on */
  int64_t inaccurate;  /* those, and steps that met a step_tolerance but not the gradient_tolerance given with it */
  long    minimizer_iterations, linear_iterations;
  double  residual; /* worst relative residual of the linear solves, or of the pressure solves that have a tolerance on
                       it; 0 if there were none */
  long       projected;      /* adaptive Hessians projected */
  sb_outcome linear_outcome; /* of the last linear solve */
  char       reason[256];    /* for people: step, time, vertex, spring; empty when ok */
} sb_advance_report;

/* Called after steps, with the number of the last one: after each, or a fraction of a millisecond after the call
 * before. It touches nothing, and what is timed has none. Local. */
typedef struct {
  void (*call)(void *context, int64_t step); /* NULL: nobody watches */
  void *context;
} sb_step_watch;

PetscErrorCode sb_integrator_create(sb_system *system, const sb_options *options, double h_seconds,
                                    sb_integrator **integrator);
PetscErrorCode sb_integrator_destroy(sb_integrator **integrator);
void           sb_integrator_set_watch(sb_integrator *integrator, sb_step_watch watch);
/* Takes (x, v) at time first_step*h to (first_step + steps)*h, in place, or stops early as the report says. When a run
 * diverges, x and v hold the state that left the bounds. Bounds are tested after every step. */
PetscErrorCode sb_integrator_advance(sb_integrator *integrator, int64_t first_step, int64_t steps, Vec x, Vec v,
                                     sb_advance_report *report);
/* Going on where a saved run stopped, to the bit. Some methods keep more than x and v (a position before, an
 * acceleration): named memories, each as large as x. Saved after an advance, they are handed back before the next. */
size_t         sb_integrator_memories(const sb_integrator *integrator);
const char    *sb_integrator_memory_name(const sb_integrator *integrator, size_t i);
PetscErrorCode sb_integrator_save(const sb_integrator *integrator, size_t i, Vec memory);
/* (x, v) is the state after step `step`; memory[i] of each memory of the method. */
PetscErrorCode sb_integrator_recall(sb_integrator *integrator, int64_t step, Vec x, Vec v, const Vec *memory);

/* E106 for combinations that cannot work: what an integrator cannot treat, options of another integrator given by the
 * user, one that runs on one rank on several. */
bool sb_integrator_check(const sb_options *options, sb_diagnostics *diagnostics);
/* As above, for an integrator that is created from these options, even if a case with them does not read `integrator`.
 */
bool sb_integrator_check_chosen(const sb_options *options, sb_diagnostics *diagnostics);

/* The method whose orders, limit, growth and phase are those of these options; NULL where nothing is known of them, for
 * an option makes it another. */
const struct sb_integrator_method *sb_integrator_known(const sb_options *options);

/* What free velocities are multiplied by at the end of a step: velocity_factor, or exp(-damping_rate h). */
double sb_integrator_velocity_factor(const sb_integrator *integrator);

/* NULL for explicit integrators. */
sb_minimizer *sb_integrator_minimizer(sb_integrator *integrator);
