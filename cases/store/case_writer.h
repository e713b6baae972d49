/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes one case file; results/README.md has its schema. The first part is the life of a recorder, for the `case`
 * command. The second part is the writer that the recorder uses: HDF5 only, on the one rank that stores. */
#pragma once

#include "cases/common/digest.h"
#include "cases/common/value.h"
#include "cases/store/case_file.h"
#include "cases/store/case_row.h"
#include "cases/store/checkpoint.h"
#include "cases/store/driver.h"

typedef struct {
  const char *path;         /* path of the file; NULL: nothing is stored, the row is still made */
  bool        side_car;     /* with its side-car (side_car.h) */
  const char *samples_from; /* an earlier repetition's file whose samples join this one's; NULL: none */
  const char *command;      /* the line that repeats the case */
  const char *key;
  const char *checkpoint; /* (checkpoint.h) the case continues from it, and stores it when stopped; NULL: none */
  int64_t     stop_step;  /* the step after which it is stopped; 0: none */
  const char *plugins;    /* for provenance; NULL: none */
  const char *build;      /* the name of this build; NULL: it is determined from the program's file */
} sb_case_target;

/* Collective. Storage errors, here and in all calls on the recorder, are PETSC_ERR_FILE_WRITE on rank 0, with a message
 * that names path and cause; then destroy the recorder and leave by _exit. Destroy it after PETSC_ERR_USER too. */
PetscErrorCode sb_recorder_create(const sb_case *c, const sb_driver *driver, const sb_case_target *target,
                                  sb_recorder **recorder);
/* Judges the figures as sb_recorder_watch_end does: the worst of all ranks, verdict, column. Collective. */
PetscErrorCode sb_recorder_judge(sb_recorder *recorder, const char *phase, const sb_noise_figures *seen);
/* Writes provenance and attributes, closes, checks for failures, syncs, renames. Collective. */
PetscErrorCode sb_recorder_finish(sb_recorder *recorder);
PetscErrorCode sb_recorder_destroy(sb_recorder **recorder);
sb_status      sb_recorder_status_now(const sb_recorder *recorder);
/* The row as one line of JSON (malloc'ed; rank 0, else NULL): the stored common columns (case_row.h), "host",
 * "columns": {name: number|string|null}, with "timing": {"attempts", "quiet", "seconds", "half_width", "calibration_s",
 * "noisy"} where times were taken. After finish. */
char *sb_recorder_row_json(const sb_recorder *recorder);

/* ---- The writer. Local ----
 * A file is written aside (PATH.<pid>.part) and renamed when it is complete and synced; PATH never has anything else.
 * After a storage error (sb_case_writer_error) nothing more is written, only destroy may follow, and the process must
 * leave by _exit: HDF5's exit handler does not survive a failed close. A NULL writer writes nothing. */
typedef struct sb_case_writer sb_case_writer;

/* One recorded frame without its state. */
typedef struct {
  int64_t     step;
  double      time_seconds;
  sb_energies energies;
  double      last_position[3], last_velocity[3]; /* m, m/s: of the last vertex */
  bool        contact;                            /* false: there is no contact */
  double      penetration_max;                    /* m, over the run so far */
  char        digest[SB_DIGEST_LENGTH + 1];
} sb_frame_record;

/* One entry of /steps. */
enum { SB_STEP_OUTCOME_SIZE = 16 };
typedef struct {
  int64_t step, minimizer_iterations, linear_iterations;
  double  residual;
  char    outcome[SB_STEP_OUTCOME_SIZE];
} sb_step_record;

/* The origin of a result, stored under /provenance. It may differ between equal runs. */
typedef struct {
  int64_t     ranks, threads, warm_up, repetition;
  int64_t     continued;     /* times that the case was stopped and continued; its times are unknown unless 0 */
  const char *petsc_options; /* of the option `petsc`; borrowed */
  const char *plugins;       /* borrowed; NULL: none */
  const char *build, *hosts; /* name of this build; host names of all ranks, each once, joined by '+' */
  char        start_utc[32]; /* as sb_now writes it */
  const char *warnings;      /* of the scene, a line each; borrowed; NULL: none */
} sb_provenance;

/* The name of a file while it is written, in the arena. */
const char *sb_case_part(sb_arena *arena, const char *path);
/* Begins a file. `every_frame`: all recorded frames are stored, so observables share their steps and times.
 * `continued`: the file sb_case_part exists; sb_case_writer_keep must follow the scene. The writer is in the arena. */
sb_case_writer *sb_case_writer_create(sb_arena *arena, const sb_case_target *target, const sb_options *options,
                                      bool every_frame, bool continued);
/* After a failure "cannot write 'PATH': CAUSE" in the arena, else NULL. */
const char *sb_case_writer_error(const sb_case_writer *writer);

/* The part of a file that does not change. scene: counts, and `pinned` for particles, whose walls are.
 * Then each array of the net, whole, with vertices numbered as in the net. */
typedef enum {
  SB_SCENE_MASSES,
  SB_SCENE_STIFFNESSES,
  SB_SCENE_REST_LENGTHS,
  SB_SCENE_ENDS,
  SB_SCENE_KINDS,
  SB_SCENE_TRIANGLES
} sb_scene_array;
void sb_case_writer_scene(sb_case_writer *writer, const sb_slab *counts, const bool *pinned);
void sb_case_writer_scene_array(sb_case_writer *writer, sb_scene_array array, const void *values);
void sb_case_writer_frame(sb_case_writer *writer, const sb_frame_record *frame);
/* The state of a frame that is stored. */
typedef struct {
  const double *x, *v;              /* [vertices][3] m, m/s */
  const double *pressure, *density; /* [vertices] of particles, N/m^(d - 1) and kg/m^d; NULL for a net */
} sb_state_record;
void sb_case_writer_state(sb_case_writer *writer, const sb_frame_record *frame, const sb_state_record *state);
/* A memory of the integrator after that step: [vertices][3], /restart/<name>. */
void sb_case_writer_memory(sb_case_writer *writer, const char *name, int64_t step, const double *values);
void sb_case_writer_net(sb_case_writer *writer, const sb_saved_net *net);
void sb_case_writer_step(sb_case_writer *writer, const sb_step_record *step);
void sb_case_writer_curve(sb_case_writer *writer, const sb_curve_name *curve, size_t count, const double *values);
void sb_case_writer_sample(sb_case_writer *writer, const sb_sample_record *sample);
/* timing/noise, one row per repetition; row, provenance and views; close, sync, rename. */
void sb_case_writer_finish(sb_case_writer *writer, const sb_case_times *times, const sb_case_row *row,
                           const sb_provenance *provenance);
/* Passes the data that are not in the file yet through a checkpoint. */
void sb_case_writer_keep(sb_case_writer *writer, sb_checkpoint *checkpoint);
/* Closes the file as far as it was written, for a case that is stopped. Returns its path. Only destroy may follow. */
const char *sb_case_writer_rest(sb_case_writer *writer);
/* Removes an unfinished file. */
void sb_case_writer_destroy(sb_case_writer **writer);

/* The author of a result: the variable SPRINGBENCH_AUTHOR, else the real name of the account (the first field of its
 * GECOS), else its login name, else "unknown". In the arena; in provenance.c. */
const char *sb_author_name(sb_arena *arena);
/* The versions of the libraries on which bits depend, in the arena; in provenance.c. */
const char *sb_libraries_text(sb_arena *arena);
/* Writes a new group /provenance, with now as the end. PETSc must be initialised. In provenance.c. */
void sb_provenance_write(hid_t file, const sb_provenance *provenance);
