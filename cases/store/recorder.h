/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The recorder receives the results of a driver: status, columns, frames, curves, samples. It writes them into one HDF5
 * case file (schema in results/README.md) and one row. Collective on the recorder's communicator unless stated
 * otherwise; rank 0 writes.
 *
 * A digest (XXH3-128) covers everything recorded that is not timing, stored or not: equal runs have equal digests. */
#pragma once

#include "base/order_statistics.h"
#include "base/outcome.h"
#include "model/system/system.h"

struct sb_checkpoint_identity;
struct sb_saved_net;

typedef struct sb_recorder sb_recorder;

/* Sets the status of the case. The first call that is not SB_OK is kept. `format` may be NULL. */
PetscErrorCode sb_recorder_status(sb_recorder *recorder, sb_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The run broke off before its last step, so its values cover only a part. A run that was not refused, and missed a
 * tolerance, did not break off. Statuses of which sb_status_goes_on is false imply it. */
PetscErrorCode sb_recorder_broke_off(sb_recorder *recorder);
/* Records whether every linear solve and every step met its tolerance; a later false is kept. Blank if never called. */
PetscErrorCode sb_recorder_accuracy(sb_recorder *recorder, bool met);
/* Memory that is taken after this belongs to checks of the harness and is not in column max_rss_bytes. */
void sb_recorder_end_memory(sb_recorder *recorder);

/* A column of the row; `name` must be one of the driver's columns. A value that is not finite, or a word that is NULL,
 * becomes blank. */
PetscErrorCode sb_recorder_real(sb_recorder *recorder, const char *name, double value);
PetscErrorCode sb_recorder_word(sb_recorder *recorder, const char *name, const char *word);
/* Several columns of numbers: SB_RECORD(recorder, {"kinetic_max", joules}, {"settle_time", seconds}). */
typedef struct {
  const char *name;
  double      value;
} sb_real_column;
PetscErrorCode sb_recorder_reals(sb_recorder *recorder, size_t count, const sb_real_column *columns);
#define SB_RECORD(recorder, ...)                                                                                       \
  sb_recorder_reals((recorder), sizeof((const sb_real_column[]){__VA_ARGS__}) / sizeof(sb_real_column),                \
                    (const sb_real_column[]){__VA_ARGS__})

/* The static part of the file: masses, springs, triangles. Once, before the first frame. The ranks have the same pose,
 * or the slabs of one; the digest and the file are the same. */
PetscErrorCode sb_recorder_scene(sb_recorder *recorder, const sb_pose *pose);
/* The warnings about the scene, a line each; stored with the results. */
PetscErrorCode sb_recorder_warnings(sb_recorder *recorder, const char *warnings);
typedef struct {
  int64_t frame, step; /* frame counts from 0, the start, and increases */
  double  time_seconds;
  bool    last; /* the final one, which `save=final` stores (without a mark, the last before finish) */
} sb_frame_stamp;

/* True if `save` is every:K. */
bool sb_recorder_keeps_frames(const sb_recorder *recorder);

/* One frame of the trajectory. If it is the latest frame again, it is only marked: x and v are not read. Computes
 * energies, extends the digest, stores according to `save`. Refuses a state that is not finite (PETSC_ERR_FP). */
PetscErrorCode sb_recorder_frame(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp, Vec x,
                                 Vec v);
/* As above, for frames from a separate pass after the measured one, made because `save` requests frames. They do not
 * enter the digest, which does not depend on what is stored. */
PetscErrorCode sb_recorder_frame_beside(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp,
                                        Vec x, Vec v);
/* The energies of the latest frame. Borrowed. */
const sb_energies *sb_recorder_energies(const sb_recorder *recorder);
/* Stores a memory of the integrator, for a run that continues from there. After the last frame. */
PetscErrorCode sb_recorder_memory(sb_recorder *recorder, const char *name, Vec memory);
/* The net of a program (case_file.h), from which its run is continued; not part of the digest, which has its values. */
PetscErrorCode sb_recorder_net(sb_recorder *recorder, const struct sb_saved_net *net);
/* One entry of /steps, per step or per frame. */
PetscErrorCode sb_recorder_step(sb_recorder *recorder, int64_t step, long minimizer_iterations, long linear_iterations,
                                double residual, const char *outcome);

/* A curve: column `name` (unit) of the run `run` ("mean", "frame_10", …). Stored as /convergence/<run>/<name>, or
 * /timing/convergence/<run>/<name> if `timing`. */
typedef struct {
  const char *run, *name, *unit;
  bool        timing;
} sb_curve_name;

/* `count` values, as many as every column of the run has. NaN is allowed. */
PetscErrorCode sb_recorder_curve(sb_recorder *recorder, const sb_curve_name *curve, size_t count, const double *values);

/* A raw timing sample: seconds of `phase` ("step", "setup", "factor", …) in step `step`. */
PetscErrorCode sb_recorder_sample(sb_recorder *recorder, const char *phase, int64_t step, double seconds);
/* All samples of a phase so far, including those of earlier repetitions; if some repetitions were quiet (below), only
 * theirs. Rank 0's clock; borrowed until the next call on the recorder. Collective: every rank gets the same. */
PetscErrorCode sb_recorder_samples(sb_recorder *recorder, const char *phase, size_t *count, const double **seconds);
/* The median of these samples at each step 0 … count - 1 (NAN if there is none). Collective. */
PetscErrorCode sb_recorder_medians(sb_recorder *recorder, const char *phase, size_t count, double *medians);
/* Their median and its 95 % interval. It is over the medians of the repetitions if six or more count, as samples of one
 * run are not independent; else over the samples. Collective. */
PetscErrorCode sb_recorder_interval(sb_recorder *recorder, const char *phase, sb_median *median);

/* Watches the machine while times are taken (noise.h). Call begin before the first timed region, watch between each
 * two, and end before statistics are requested. end judges this repetition and fills the column `noisy`, which the
 * driver must have, if no repetition so far was quiet. `phase`: the samples that are the case's time. */
PetscErrorCode sb_recorder_watch_begin(sb_recorder *recorder);
PetscErrorCode sb_recorder_watch(sb_recorder *recorder, int64_t step);
PetscErrorCode sb_recorder_watch_end(sb_recorder *recorder, const char *phase);

/* The facts that decide whether stored state is that of `key` and `command`, of this program and machine. Borrowed. */
void sb_recorder_identify(const sb_recorder *recorder, const char *key, const char *command,
                          struct sb_checkpoint_identity *identity);

/* A stop on the way, for drivers that march through steps (drivers/march.h). True if the case is to store its state
 * after this step and leave: SIGUSR1 is pending, or option --stop-after requests it. False if the case cannot. Local.
 */
bool sb_recorder_is_asked_to_stop(sb_recorder *recorder, int64_t step);
/* The state to continue from; NULL: the case starts. */
struct sb_checkpoint *sb_recorder_continued(const sb_recorder *recorder);
/* Passes what was recorded so far through a checkpoint, in both directions; x is a state of the vertices. After that,
 * for a state that was read, continue; for one that is stored, leave, which ends the process unless storing fails. */
PetscErrorCode sb_recorder_keep(sb_recorder *recorder, struct sb_checkpoint *checkpoint, Vec x);
PetscErrorCode sb_recorder_continue(sb_recorder *recorder);
PetscErrorCode sb_recorder_leave(sb_recorder *recorder, const struct sb_checkpoint *checkpoint, int64_t step);

/* For progress messages: counts `unit`s ("step") from `first` to `total` (0: unknown), of which `done` are done. Not
 * inside timed regions. Local; nothing is recorded. */
void sb_recorder_progress_begin(sb_recorder *recorder, const char *unit, int64_t first, int64_t total);
void sb_recorder_progress(sb_recorder *recorder, int64_t done);
/* Removes the progress line before other output. */
void sb_recorder_progress_end(sb_recorder *recorder);
