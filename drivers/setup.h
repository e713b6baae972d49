/* What every driver starts from: the scene of a case, distributed, with its state and a profile. Collective. */
#pragma once

#include "cases/store/driver.h"
#include "model/mesh/surface_mesh.h"
#include "solvers/integrate/integrator.h"

typedef struct {
  sb_system  *system;
  Vec         x, v;    /* full: the state at time 0 */
  sb_surface *surface; /* the scene's triangles, the same on every rank; NULL: it has none */
  sb_profile  profile;
} sb_setup;

/* Builds the scene, hands its static part to the recorder (NULL: to nobody), and sets the state. A scene that cannot be
 * built is PETSC_ERR_USER with its message. `setup` stays where it is: the system borrows its profile. */
PetscErrorCode sb_setup_create(const sb_case *c, sb_recorder *recorder, sb_setup *setup);
/* Going on from a file (option restart): the setup's state becomes the file's last one, the integrator remembers what
 * it kept, and *step is the step it stands at. Without the option *step is 0 and nothing is changed. A file that lacks
 * a memory of the integrator, or is of another net, is PETSC_ERR_USER. */
PetscErrorCode sb_setup_restart(const sb_case *c, sb_setup *setup, sb_integrator *integrator, int64_t *step);
/* What is measured of contact is of this run, and begins with the state at time t, that it starts from. */
PetscErrorCode sb_setup_observe_start(const sb_setup *setup, double t_seconds);
/* Hands to the recorder what the integrator keeps besides the state, after the last frame of a run that may go on. */
PetscErrorCode sb_setup_record_restart(const sb_setup *setup, const sb_integrator *integrator, sb_recorder *recorder);
/* Tells who waits how far the integrator is: `unit`s from `first` to `total`. For drivers that take no times. */
void sb_setup_show_progress(sb_recorder *recorder, sb_integrator *integrator, const char *unit, int64_t first,
                            int64_t total);
/* Column accuracy_ok: false when `met` is false, true when a gradient tolerance was set and met. Where none was set
 * nobody has asked how exact the steps are, and it stays blank. */
PetscErrorCode sb_setup_accuracy(const sb_case *c, sb_recorder *recorder, bool met);
/* Records the status and the reason of an integrator that stopped before its last step, and that the run broke off.
 * Does nothing after a report of status ok. */
PetscErrorCode sb_setup_broke_off(sb_recorder *recorder, const sb_advance_report *report);
/* Status not_converged where any of the steps met no tolerance although one was set. */
PetscErrorCode sb_setup_unconverged(sb_recorder *recorder, int64_t unconverged, int64_t steps);
/* Floating-point operations so far, as PETSc counts them, less those of checks; of all ranks. */
PetscErrorCode sb_setup_flops(const sb_setup *setup, double *flops);
/* Column projected_mean, where hessian=adaptive or blended decides how often a Hessian is projected. */
PetscErrorCode sb_setup_projected(const sb_case *c, sb_recorder *recorder, double mean);
/* The last state within bounds of a run that left them: from `start`, the state after first_step, a new integrator in
 * the place of the old takes *steps steps. A method that keeps more than (x, v) starts afresh; should that leave the
 * bounds too, *steps becomes 0 and the state that of the start. */
typedef struct {
  Vec     x, v; /* full */
  int64_t first_step;
} sb_start_state;
PetscErrorCode sb_setup_replay(const sb_case *c, sb_setup *setup, const sb_start_state *start, int64_t *steps,
                               sb_integrator **integrator);
/* Stores frames for drivers whose measured pass stores none, as storing would disturb the measurement. If `save` is
 * every:K, note_start copies the setup's state. store_frames integrates from that copy, or from the state of option
 * restart, with a new integrator and stores the frames before last_step. It then restores the setup's state and clears
 * `start`. The caller stores the last frame itself, with the number that end_frame returns. If `save` is not every:K,
 * both do nothing. */
PetscErrorCode sb_setup_note_start(const sb_setup *setup, const sb_recorder *recorder, sb_start_state *start);
PetscErrorCode sb_setup_store_frames(const sb_case *c, sb_setup *setup, sb_recorder *recorder, sb_start_state *start,
                                     int64_t last_step);
/* The number of the last frame of a run from first_step to last_step; it is larger than that of the first. Local. */
int64_t sb_setup_end_frame(const sb_case *c, int64_t first_step, int64_t last_step);
/* Whether a driver can do with a pose; false with a diagnostic, which becomes PETSC_ERR_USER. Local. */
typedef bool (*sb_pose_judge)(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics);
PetscErrorCode sb_setup_create_if(const sb_case *c, sb_pose_judge judge, sb_recorder *recorder, sb_setup *setup);
PetscErrorCode sb_setup_destroy(sb_setup *setup);
