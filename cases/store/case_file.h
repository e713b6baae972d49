/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading case files; results/README.md has their schema. Local, no PETSc calls. False, or NULL, with a message in
 * error[256] if the file cannot be read. Check a file's checksum before: HDF5 itself trusts its input. */
#pragma once

#include "cases/common/digest.h"
#include "cases/store/hdf5_tools.h"
#include "cases/store/noise.h"

/* One entry of /timing/samples, with the same layout in memory and file. */
enum { SB_SAMPLE_PHASE_SIZE = 24 };
typedef struct {
  int32_t repetition;
  char    phase[SB_SAMPLE_PHASE_SIZE];
  int64_t step;
  double  seconds;
} sb_sample_record;

/* One row of /timing/noise: the figures of one timed repetition. */
typedef struct {
  int32_t repetition, broken; /* broken: rules of noise.h; 0: quiet */
  int64_t calibrations, switches;
  double  window_s, calibration_median_s, calibration_fast_s;
  double  steal, waited; /* shares of the window; -1: unknown */
  char    noisy[SB_NOISE_WORDS];
} sb_noise_record;

/* Types of these records, for writing and reading; the caller closes them. Negative if HDF5 failed. */
hid_t sb_sample_type(void);
hid_t sb_noise_type(void);

/* close: false, with a message in `error`, if an HDF5 call since open, or the caller (`good`), failed. */
hid_t sb_case_file_open(const char *path, char error[256]);
bool  sb_case_file_close(hid_t file, bool good, char error[256]);
/* True if the file was written by a case. */
bool sb_case_file_is_one(const char *path);

/* The row. Other facts are attributes of /parameters, /provenance, and, if the case read other files, /inputs. */
json_t *sb_case_file_row(hid_t file);
/* An attribute of /parameters as the option table writes its value. In the arena or the value. */
const char *sb_stored_option_text(sb_arena *arena, const json_t *value);
/* The datasets of the file as an array of {"path": "observables/energy_total/value", "extents": [T, …]}, without
 * steps and times beside values, and without views of the same values for other programs (VTKHDF, frames). */
json_t *sb_case_file_datasets(hid_t file);
/* The group of the observables: /observables, or /observables/all in earlier versions. */
const char *sb_case_file_observed(hid_t file);
/* Observables of every recorded frame: "step", "time", "energy_kinetic", …, "momentum_x", …; digests are not columns.
 * There are no columns if no frame was recorded. */
bool sb_case_file_observables(hid_t file, sb_stored_columns *columns);

/* The curves of a file. Calls visit once per run with its columns, which are in the arena. */
bool sb_case_file_curves(const char *path, sb_arena                                                            *arena,
                         bool (*visit)(void *context, const char *run, const sb_stored_columns *columns), void *context,
                         char error[256]);

/* timing/samples and /timing/noise of a file whose case has this key, in the arena; empty if the file has none. */
typedef struct {
  size_t            sample_count;
  sb_sample_record *samples; /* [sample_count] of all repetitions */
  size_t            noise_count;
  sb_noise_record  *noise; /* [noise_count] one per repetition; absent in files from before the machine was watched */
} sb_case_times;
bool sb_case_file_times(sb_arena *arena, const char *path, const char *key, sb_case_times *times, char error[256]);
/* is_noisy: the repetition was flagged. counts: its samples are used; if all were flagged, all are. */
bool sb_repetition_is_noisy(const sb_case_times *times, int32_t repetition);
bool sb_repetition_counts(const sb_case_times *times, int32_t repetition);
/* The number of repetitions that were watched and not flagged. */
size_t sb_quiet_repetitions(const sb_case_times *times);

/* The end of a run, from which it can be continued: the last stored state, its step, and the integrator's memories.
 * Reading checks a published file's checksum, shape and finiteness; restart.h checks that it is from this run. */
typedef struct {
  int64_t  step;
  size_t   vertices, memories;
  double  *position, *velocity; /* [vertices][3] m, m/s */
  char   **names;               /* [memories] */
  double **memory;              /* [memories][vertices][3] */
} sb_saved_state;

/* The state is in the arena. False and a message in error[256]; `state` is then empty. */
bool sb_saved_state_read(sb_arena *arena, const char *path, sb_saved_state *state, char error[256]);
/* Only the step. */
bool sb_saved_step(const char *path, int64_t *step, char error[256]);
/* The memory called `name`, NULL if there is none. */
const double *sb_saved_memory(const sb_saved_state *state, const char *name);
/* XXH3-128, in hexadecimal, of step, state, memories, and of pins that are `held` (below). */
bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256]);

/* The arrays from which a program made its net by the library, under /net; springs and triangles are those of
 * /connectivity. `held`: pins that the program set, freed or moved after the start, of a scene too. NULL: not given. */
typedef struct sb_saved_net {
  size_t   vertices, springs, triangles;
  double  *position, *velocity, *mass, *stiffness, *rest_length;
  int32_t *ends, *triangle;
  uint8_t *pinned, *held;
} sb_saved_net;

/* Shapes are checked, values are not. The arrays are in the arena. */
bool sb_saved_net_read(sb_arena *arena, const char *path, sb_saved_net *net, char error[256]);
void sb_saved_net_write(hid_t file, const sb_saved_net *net);
/* True if pins are `held`: options do not have them. */
bool sb_saved_net_is_held(const char *path);
