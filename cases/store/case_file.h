/* Reading case files, whose schema results/README.md has. Local, no PETSc calls. False, or NULL, and a message in
 * error[256] when the file cannot be read. A file's checksum is to be checked before it comes here: HDF5 itself trusts
 * what it reads. */
#pragma once

#include "cases/common/digest.h"
#include "cases/store/hdf5_tools.h"
#include "cases/store/noise.h"

/* One entry of /timing/samples, as it lies in memory and file. */
enum { SB_SAMPLE_PHASE_SIZE = 24 };
typedef struct {
  int32_t repetition;
  char    phase[SB_SAMPLE_PHASE_SIZE];
  int64_t step;
  double  seconds;
} sb_sample_record;

/* One row of /timing/noise: what was seen while a repetition was timed. */
typedef struct {
  int32_t repetition, broken; /* broken: rules of noise.h; 0: quiet */
  int64_t calibrations, switches;
  double  window_s, calibration_median_s, calibration_fast_s;
  double  steal, waited; /* shares of the window; -1: not known */
  char    noisy[SB_NOISE_WORDS];
} sb_noise_record;

/* Types of these records, for writing and reading; the caller closes them. Negative when HDF5 failed. */
hid_t sb_sample_type(void);
hid_t sb_noise_type(void);

/* Opens for reading with `error` watched; close with sb_case_file_close, which says whether all went well (`good`: what
 * the caller made of it) and has a message in `error` when not. */
hid_t sb_case_file_open(const char *path, char error[256]);
bool  sb_case_file_close(hid_t file, bool good, char error[256]);
/* True when the file is one that a case has written. */
bool sb_case_file_is_one(const char *path);

/* The row as a JSON object. What else is said of a case are the attributes of /parameters, /provenance, and /inputs,
 * which is not there when it read no other file. */
json_t *sb_case_file_row(hid_t file);
/* The group of the observables: /observables, or /observables/all as earlier versions have it. */
const char *sb_case_file_observed(hid_t file);
/* Observables of every recorded frame: "step", "time", "energy_kinetic", …, "momentum_x", …; digests are no column. No
 * columns when no frame was recorded. */
bool sb_case_file_observables(hid_t file, sb_stored_columns *columns);

/* The curves of a file. Calls visit once a run with its columns, which last as long as the call. */
bool sb_case_file_curves(const char *path,
                         bool (*visit)(void *context, const char *run, const sb_stored_columns *columns), void *context,
                         char error[256]);

/* /timing/samples and /timing/noise of a file whose case has this key, in the arena; none when there are none. */
typedef struct {
  size_t            sample_count;
  sb_sample_record *samples; /* [sample_count] of all repetitions */
  size_t            noise_count;
  sb_noise_record  *noise; /* [noise_count] one a repetition; none from before the machine was watched */
} sb_case_times;
bool sb_case_file_times(sb_arena *arena, const char *path, const char *key, sb_case_times *times, char error[256]);
/* True when the repetition was flagged, and when its samples count: where all were flagged, all do. */
bool sb_repetition_is_noisy(const sb_case_times *times, int32_t repetition);
bool sb_repetition_counts(const sb_case_times *times, int32_t repetition);

/* A case file keeps its end, so that the run can go on: the last stored state, its step, and the integrator's memories.
 * The checksum of a published file, the shape and the finiteness are checked; that it is of this run restart.h says. */
typedef struct {
  int64_t  step;
  size_t   vertices, memories;
  double  *position, *velocity; /* [vertices][3] m, m/s */
  char   **names;               /* [memories] */
  double **memory;              /* [memories][vertices][3] */
} sb_saved_state;

/* The state lies in the arena. False and a message in error[256]; `state` is then empty. */
bool sb_saved_state_read(sb_arena *arena, const char *path, sb_saved_state *state, char error[256]);
/* The step alone. */
bool sb_saved_step(const char *path, int64_t *step, char error[256]);
/* The memory called `name`, NULL when there is none. */
const double *sb_saved_memory(const sb_saved_state *state, const char *name);
/* The digest that identifies a state, whoever ran it and when: hexadecimal XXH3-128 of step, state and memories. */
bool sb_saved_state_digest(const char *path, char hex[SB_DIGEST_LENGTH + 1], char error[256]);
