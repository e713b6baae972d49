/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The starting point of every driver: the scene of a case, distributed, with its state and a profile. Collective. */
#pragma once

#include "drivers/energy_balance.h"
#include "model/mesh/surface_mesh.h"
#include "solvers/integrate/integrator.h"

typedef struct {
  sb_system  *system;
  Vec         x, v;    /* full: the state at time 0 */
  sb_surface *surface; /* if it is needed: the scene's triangles on rank 0, empty on other ranks; else NULL */
  sb_profile  profile;
  sb_balance  balance; /* of drivers that look at it */
} sb_setup;

/* Tests whether a driver can run a pose, which may be a slab; false with a diagnostic, which becomes PETSC_ERR_USER.
 * Local. */
typedef bool (*sb_pose_judge)(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics);
/* Needs of a driver, which cost memory: a judge that gets the whole net, which every rank then builds; `surface`. */
enum { SB_SETUP_WHOLE = 1, SB_SETUP_SURFACE = 2 };
/* Builds the scene, lets `judge` (may be NULL) test it, passes its static part to the recorder (may be NULL), and sets
 * the state. A scene that cannot be built is PETSC_ERR_USER with its message. `setup` must not move in memory: the
 * system borrows its profile. */
PetscErrorCode sb_setup_create(const sb_case *c, sb_pose_judge judge, unsigned needs, sb_recorder *recorder,
                               sb_setup *setup);
/* The same from a pose, which may be freed then. */
PetscErrorCode sb_setup_from_pose(const sb_case *c, const sb_pose *pose, sb_setup *setup);
/* Continues from a file (option restart): sets the state to the file's last one and the integrator's memories to the
 * file's; *step is the step of that state. Without the option *step is 0 and nothing is changed. A file that lacks a
 * memory of the integrator, or is from another net, is PETSC_ERR_USER. */
PetscErrorCode sb_setup_restart(const sb_case *c, sb_setup *setup, sb_integrator *integrator, int64_t *step);
/* Clears the contact measures of earlier runs and starts them from the state at time t. */
PetscErrorCode sb_setup_observe_start(const sb_setup *setup, double t_seconds);
/* Passes the integrator's memories to the recorder, after the last frame of a run that may be continued. */
PetscErrorCode sb_setup_record_restart(const sb_setup *setup, const sb_integrator *integrator, sb_recorder *recorder);
/* Shows the integrator's progress: `unit`s from `first` to `total`. For drivers that measure no times. */
void sb_setup_show_progress(sb_recorder *recorder, sb_integrator *integrator, const char *unit, int64_t first,
                            int64_t total);
/* Column accuracy_ok: false if `met` is false, true if a gradient tolerance was set and met. Blank if none was set, as
 * the required accuracy is then unknown. */
PetscErrorCode sb_setup_accuracy(const sb_case *c, sb_recorder *recorder, bool met);
/* Column ended, for drivers whose steps an integrator makes. */
#define SB_ENDED_COLUMN                                                                                                \
  {                                                                                                                    \
    "ended", "",                                                                                                       \
        "kind of the point in which the last step ended: minimum, flat, or saddle (outcomes.md); blank: unknown",      \
        .kind = SB_COLUMN_WORD, .remark = true                                                                         \
  }
/* After all other results, times and work: column ended, and column accuracy_ok false if the last step ended in a
 * saddle. */
PetscErrorCode sb_setup_judge_end(const sb_case *c, sb_integrator *integrator, sb_recorder *recorder);
/* The same from a kind that is known; `met`: by a step that met its tolerance. */
PetscErrorCode sb_setup_record_end(sb_recorder *recorder, sb_point kind, bool met);
/* Records the status and the reason of an integrator that stopped before its last step, and that the run broke off.
 * Does nothing after a report of status ok. */
PetscErrorCode sb_setup_broke_off(sb_recorder *recorder, const sb_advance_report *report);
/* The energy at the setup's state at time t: the start of the balance, or a look. */
PetscErrorCode sb_setup_open_balance(const sb_case *c, sb_setup *setup, double t_seconds);
PetscErrorCode sb_setup_look(sb_setup *setup, double t_seconds, const sb_energies *energies);
/* After a run that made all its steps: a net that burst diverged, and its results count as those of a run that broke
 * off. */
PetscErrorCode sb_setup_judge_burst(const sb_setup *setup, sb_recorder *recorder);
/* The same for drivers with a column blowup_time. */
PetscErrorCode sb_setup_date_burst(const sb_setup *setup, sb_recorder *recorder);
/* Column linear_used, from the package of a linear solver (sb_factor_facts); NULL: it stays blank. */
#define SB_LINEAR_USED_COLUMN                                                                                          \
  {                                                                                                                    \
    "linear_used", "",                                                                                                 \
        "library that solved the linear systems, if linear does not name it: MUMPS for cholesky, lu and panel on "     \
        "several ranks, or one behind PETSc, such as hypre; else blank",                                               \
        .kind = SB_COLUMN_WORD                                                                                         \
  }
/* Column not_counted, for drivers with columns of operations; NULL: it stays blank. */
#define SB_NOT_COUNTED_COLUMN                                                                                          \
  {                                                                                                                    \
    "not_counted", "",                                                                                                 \
        "method or library whose operations are not counted, so that work is unknown; blank: all are counted",         \
        .kind = SB_COLUMN_WORD, .valid_if_diverged = true, .remark = true                                              \
  }
/* Columns of cases that run on a device; blank without one. They are not part of the digest, which is that of
 * device=none.
 */
#define SB_DEVICE_COLUMNS                                                                                              \
  {"device_used", "",                                                                                                  \
   "device, driver, version of OpenCL, precision, and threads that the driver started; blank: none", .timing = true,   \
   .kind = SB_COLUMN_WORD},                                                                                            \
      {"device_gpu", "", "1 if that device is a GPU, else 0", .timing = true},                                         \
      {"kernels_s", "s", "mean per step: kernels, by the device's clock", .timing = true},                             \
      {"to_device_s", "s", "all copies to the device together, also of the net", .timing = true},                      \
      {"from_device_s", "s", "all copies from the device together", .timing = true},                                   \
      {"launches", "", "launches of kernels per step", .timing = true},                                                \
  {                                                                                                                    \
    "device_bytes", "B", "memory of the device that the method has", .timing = true                                    \
  }
/* device: NULL without one. */
PetscErrorCode sb_setup_device(const sb_device *device, int64_t steps, sb_recorder *recorder);
/* Sets status not_converged if any of the steps missed its tolerance. */
PetscErrorCode sb_setup_unconverged(sb_recorder *recorder, int64_t unconverged, int64_t steps);
/* Floating-point operations so far, as PETSc counts them, without those of checks; summed over ranks. */
PetscErrorCode sb_setup_flops(const sb_setup *setup, double *flops);
/* Column projected_mean, if hessian is adaptive or blended, which project as needed. */
PetscErrorCode sb_setup_projected(const sb_case *c, sb_recorder *recorder, double mean);
typedef struct {
  Vec     x, v; /* full */
  int64_t first_step;
} sb_start_state;
/* Copies the setup's state; makes vectors for it if there are none. */
PetscErrorCode sb_setup_keep_state(const sb_setup *setup, sb_start_state *state);
/* Makes it the setup's state again. */
PetscErrorCode sb_setup_put_back(sb_setup *setup, const sb_start_state *state);
PetscErrorCode sb_start_state_destroy(sb_start_state *state);
/* Replays a run that left its bounds up to its last state within them: from `start`, the state after first_step, with a
 * new integrator that replaces the old one, for *steps steps. A method with memories starts without them; if that
 * leaves the bounds too, *steps becomes 0 and the state that of the start. */
PetscErrorCode sb_setup_replay(const sb_case *c, sb_setup *setup, const sb_start_state *start, int64_t *steps,
                               sb_integrator **integrator);
/* Stores frames for drivers whose measured pass stores none, as storing would disturb the measurement. If `save` is
 * every:K, note_start copies the setup's state. store_frames integrates from that copy, or from the state of option
 * restart, with a new integrator and stores the frames before last_step. It then restores the setup's state and clears
 * `start`. The caller records the last frame itself (record_last). If `save` is not every:K, both do nothing. */
PetscErrorCode sb_setup_note_start(const sb_setup *setup, const sb_recorder *recorder, sb_start_state *start);
PetscErrorCode sb_setup_store_frames(const sb_case *c, sb_setup *setup, sb_recorder *recorder, sb_start_state *start,
                                     int64_t last_step);
/* Records the setup's state as a frame. */
PetscErrorCode sb_setup_record_frame(const sb_setup *setup, sb_recorder *recorder, sb_frame_stamp stamp);
/* The same as the last frame of a run from first_step to last_step, whose number is larger than that of the first. */
PetscErrorCode sb_setup_record_last(const sb_case *c, const sb_setup *setup, sb_recorder *recorder, int64_t first_step,
                                    int64_t last_step);
/* The matrix of a minimiser at the setup's state: of 3x3 blocks M/h^2 + the projected Hessian, else M + h^2 L. */
PetscErrorCode sb_setup_minimizer_matrix(const sb_setup *setup, double h_seconds, bool blocks, Mat *matrix);
PetscErrorCode sb_setup_destroy(sb_setup *setup);
