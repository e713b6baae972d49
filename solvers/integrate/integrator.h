/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time integrators, for callers.
 *
 * One call advances many steps, so that a rope's substep is not dominated by the call. A run stops at the end of the
 * step in which it leaves its bounds: a coordinate is not finite, or a vertex is farther from the centre of mass than
 * blowup_ratio diagonals of the initial bounding box. The report then has that result. It also stops if velocities are
 * not finite at the end of a call. Collective on the system's communicator. */
#pragma once

#include "solvers/device/device.h"
#include "solvers/minimize/minimizer.h"
#include "solvers/minimize/stationary.h"

typedef struct sb_integrator sb_integrator;

/* Filled by advance; counters are those of this call. */
typedef struct {
  sb_status status;    /* SB_OK, SB_CASE_DIVERGED, SB_CASE_NOT_SPD, SB_CASE_NOT_CONVERGED (a solve was refused),
                      SB_CASE_CONTACT_UNRESOLVED, SB_CASE_INTERRUPTED (by the watch) */
  int64_t steps_done;  /* finished steps, including the one that left the bounds */
  int64_t unconverged; /* steps in which a solve missed its tolerance; the run continues */
  int64_t inaccurate;  /* those, and steps that met a step_tolerance but not the gradient_tolerance given with it */
  long    minimizer_iterations, linear_iterations;
  double  residual; /* worst relative residual of the linear solves, or of the pressure solves with a tolerance on it; 0
                     * if there were none */
  sb_traffic traffic;        /* of this rank, without that of checks and of libraries that do not count theirs */
  long       projected;      /* adaptive Hessians that were projected */
  sb_outcome linear_outcome; /* of the last linear solve */
  char       reason[256];    /* for the user: step, time, vertex, spring; empty if ok */
} sb_advance_report;

/* Called with the number of the last step: after each step, or when a fraction of a millisecond has passed since the
 * last call. It must change nothing; timed runs have none. True: the call is to end after this step; its status is then
 * SB_CASE_INTERRUPTED, unless it was the last step. Local. */
typedef struct {
  bool (*call)(void *context, int64_t step); /* NULL: no watch; once true, it remains true */
  void *context;
} sb_step_watch;

PetscErrorCode sb_integrator_create(sb_system *system, const sb_options *options, double h_seconds,
                                    sb_integrator **integrator);
PetscErrorCode sb_integrator_destroy(sb_integrator **integrator);
void           sb_integrator_set_watch(sb_integrator *integrator, sb_step_watch watch);
/* Advances (x, v) in place from first_step*h to (first_step + steps)*h, or stops early with the reason in the report.
 * If a run diverges, x and v are the state that left the bounds. Bounds are tested after every step. */
PetscErrorCode sb_integrator_advance(sb_integrator *integrator, int64_t first_step, int64_t steps, Vec x, Vec v,
                                     sb_advance_report *report);
/* The device that makes its steps; NULL: it has none. */
const sb_device *sb_integrator_device(const sb_integrator *integrator);
/* For the bandwidth of that device: copies the state there, `copies` times, and waits for the end. Bytes that were read
 * and written, and those of a step; both are 0 if the method is implicit or has no device. */
PetscErrorCode sb_integrator_device_copy(const sb_integrator *integrator, int copies, double *copied, double *of_step);
/* For continuing a saved run with the same bits. Some methods need more than x and v (a previous position, an
 * acceleration): named memories, each as large as x. They are saved after an advance and recalled before the next. */
size_t         sb_integrator_memories(const sb_integrator *integrator);
const char    *sb_integrator_memory_name(const sb_integrator *integrator, size_t i);
PetscErrorCode sb_integrator_save(const sb_integrator *integrator, size_t i, Vec memory);
/* (x, v) is the state after step `step`; memory has every memory of the method. */
PetscErrorCode sb_integrator_recall(sb_integrator *integrator, int64_t step, Vec x, Vec v, const Vec *memory);

/* E106 for combinations that cannot work: features that an integrator cannot treat, options from the user that belong
 * to another integrator, several ranks for a serial one. */
bool sb_integrator_check(const sb_options *options, sb_diagnostics *diagnostics);
/* As above, for an integrator that is created from these options, even if a case with them does not read `integrator`.
 */
bool sb_integrator_check_chosen(const sb_options *options, sb_diagnostics *diagnostics);

/* Why a run with these options cannot be continued from its state and the memories of its methods with the same bits;
 * NULL: it can. */
const char *sb_integrator_forgets(const sb_options *options);

/* The method whose orders, limit, growth and phase hold for these options; NULL if an option changes the method so that
 * nothing is known. */
const struct sb_integrator_method *sb_integrator_known(const sb_options *options);

/* The factor on free velocities at the end of a step: velocity_factor, or exp(-damping_rate h). */
double sb_integrator_velocity_factor(const sb_integrator *integrator);

/* NULL for explicit integrators. */
sb_minimizer *sb_integrator_minimizer(sb_integrator *integrator);
/* Floating-point operations of its steps, as PETSc counts them on this rank. A caller that continues a run sets them.
 */
double *sb_integrator_flops(sb_integrator *integrator);
/* *kind of the point of its potential at which the last step ended. SB_POINT_UNKNOWN: that step did not meet a
 * gradient_tolerance, the matrix does not show it, or the answer would cost more operations than all steps so far. */
PetscErrorCode sb_integrator_find_end(sb_integrator *integrator, const sb_options *options, sb_point *kind);
/* The package of its linear solver (sb_factor_facts), NULL: none. */
const char *sb_integrator_package(sb_integrator *integrator);
