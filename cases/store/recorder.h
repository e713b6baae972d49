/* A driver tells the harness: status, columns, frames, curves, samples. That goes into one HDF5 case file
 * (results/README.md has the schema) and one row. Collective on the recorder's communicator unless said; rank 0 writes.
 *
 * A digest (XXH3-128) runs over everything recorded that is not timing, stored or not: equal runs, equal digests. */
#pragma once

#include "base/order_statistics.h"
#include "base/outcome.h"
#include "model/system/system.h"

typedef struct sb_recorder sb_recorder;

/* How the case ended. The first call that is not SB_OK stays. `format` may be NULL. */
PetscErrorCode sb_recorder_status(sb_recorder *recorder, sb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The run broke off before its last step, so its values cover only a part. A run that was not refused, and missed a
 * tolerance, did not break off. Statuses of which sb_status_goes_on is false imply it. */
PetscErrorCode sb_recorder_broke_off(sb_recorder *recorder);
/* Says whether every linear solve and every step met its tolerance; a later false stays. Blank if never called. */
PetscErrorCode sb_recorder_accuracy(sb_recorder *recorder, bool met);

/* A column of the row; `name` must be one of the driver's columns. A value that is not finite is left blank. */
PetscErrorCode sb_recorder_real(sb_recorder *recorder, const char *name, double value);
PetscErrorCode sb_recorder_word(sb_recorder *recorder, const char *name, const char *word);

/* The static part of the file: masses, springs, triangles. Once, before the first frame. The same pose on all ranks. */
PetscErrorCode sb_recorder_scene(sb_recorder *recorder, const sb_pose *pose);
/* The warnings that the scene gave, a line each; stored beside the results. */
PetscErrorCode sb_recorder_warnings(sb_recorder *recorder, const char *warnings);
typedef struct {
  int64_t frame, step; /* frame counts from 0, the start, and grows */
  double  time_seconds;
  bool    last; /* the final one, which `save=final` keeps (without a mark, the last before finish) */
} sb_frame_stamp;

/* True where `save` is every:K. */
bool sb_recorder_keeps_frames(const sb_recorder *recorder);

/* One frame of the trajectory. Naming the latest frame again only marks it: x and v are not read. Computes energies,
 * gathers, extends the digest, stores what `save` says. A state that is not finite is refused (PETSC_ERR_FP). */
PetscErrorCode sb_recorder_frame(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp, Vec x,
                                 Vec v);
/* As above, for frames from a pass beside the measured one, made because `save` requests frames. They do not enter the
 * digest, which does not depend on what is stored. */
PetscErrorCode sb_recorder_frame_beside(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp,
                                        Vec x, Vec v);
/* The energies of the latest frame. Borrowed. */
const sb_energies *sb_recorder_energies(const sb_recorder *recorder);
/* Stores what the integrator keeps besides x and v, for a run that goes on from there. After the last frame. */
PetscErrorCode sb_recorder_memory(sb_recorder *recorder, const char *name, Vec memory);
/* One entry a step (or a frame) of /steps. */
PetscErrorCode sb_recorder_step(sb_recorder *recorder, int64_t step, long minimizer_iterations, long linear_iterations,
                                double residual, const char *outcome);

/* A curve: column `name` (unit) of the run `run` ("mean", "frame_10", …). Stored as /convergence/<run>/<name>, or
 * /timing/convergence/<run>/<name> when `timing`. */
typedef struct {
  const char *run, *name, *unit;
  bool        timing;
} sb_curve_name;

/* `count` values, as many as every column of the run has. NaN is allowed. */
PetscErrorCode sb_recorder_curve(sb_recorder *recorder, const sb_curve_name *curve, size_t count, const double *values);

/* A raw timing sample: seconds of `phase` ("step", "setup", "factor", …) in step `step`. */
PetscErrorCode sb_recorder_sample(sb_recorder *recorder, const char *phase, int64_t step, double seconds);
/* All samples of a phase so far, those of earlier repetitions included; where some repetitions were quiet (below), of
 * those alone. Rank 0's clock; borrowed until the next call on the recorder. Collective: every rank gets the same. */
PetscErrorCode sb_recorder_samples(sb_recorder *recorder, const char *phase, size_t *count, const double **seconds);
/* Of the same samples, the median at each step 0 … count - 1 (NAN where there is none). Collective. */
PetscErrorCode sb_recorder_medians(sb_recorder *recorder, const char *phase, size_t count, double *medians);
/* Their median and its 95 % interval: over the medians of the repetitions where six or more count, for samples of one
 * run are not independent; else over the samples. Collective. */
PetscErrorCode sb_recorder_interval(sb_recorder *recorder, const char *phase, sb_median *median);

/* Watching the machine while times are taken (noise.h). Begin before the first timed region, a call between
 * each two, and the end before statistics are asked for: it judges this repetition and fills the column `noisy`, which
 * the driver must have, when no repetition so far was quiet. `phase`: the samples that stand for the case's time. */
PetscErrorCode sb_recorder_watch_begin(sb_recorder *recorder);
PetscErrorCode sb_recorder_watch(sb_recorder *recorder, int64_t step);
PetscErrorCode sb_recorder_watch_end(sb_recorder *recorder, const char *phase);

/* For who waits: from here on `unit`s ("step") are counted from `first` to `total` (0: not known), and so many are
 * done. Not inside what is timed. Local; nothing is recorded. */
void sb_recorder_progress_begin(sb_recorder *recorder, const char *unit, int64_t first, int64_t total);
void sb_recorder_progress(sb_recorder *recorder, int64_t done);
/* Takes the line away that tells it, before something else is said. */
void sb_recorder_progress_end(sb_recorder *recorder);
