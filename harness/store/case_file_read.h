/* Reading case files, beside what case_file.h offers. Local, no PETSc calls. False, or NULL, and a message in
 * error[256] when the file cannot be read. A file's checksum is to be checked before it comes here: HDF5 itself trusts
 * what it reads. */
#pragma once

#include "harness/store/case_file.h"
#include "harness/store/case_file_write.h"
#include "harness/store/hdf5_read.h"

/* Opens for reading with `error` watched; close with sb_case_file_close, which says whether all went well (`good`: what
 * the caller made of it) and has a message in `error` when not. */
hid_t sb_case_file_open(const char *path, char error[256]);
bool  sb_case_file_close(hid_t file, bool good, char error[256]);

/* /timing/samples and /timing/noise of a file whose case has this key; none when there are none. */
typedef struct {
  size_t            sample_count;
  sb_sample_record *samples; /* [sample_count] of all repetitions */
  size_t            noise_count;
  sb_noise_record  *noise; /* [noise_count] one a repetition; none from before the machine was watched */
} sb_case_times;
bool sb_case_file_times(const char *path, const char *key, sb_case_times *times, char error[256]);
void sb_case_times_clear(sb_case_times *times);
/* Whether a repetition was flagged, and whether its samples count: where all were flagged, all do. */
bool sb_repetition_is_noisy(const sb_case_times *times, int32_t repetition);
bool sb_repetition_counts(const sb_case_times *times, int32_t repetition);
/* Its samples, or its verdicts, alone (malloc'ed). */
bool sb_case_file_noise(const char *path, const char *key, size_t *count, sb_noise_record **records, char error[256]);
bool sb_case_file_samples(const char *path, const char *key, size_t *count, sb_sample_record **samples,
                          char error[256]);
/* The row, /parameters, /provenance, and /inputs (empty when it read no other file) as JSON objects. */
json_t *sb_case_file_row(hid_t file);
json_t *sb_case_file_parameters(hid_t file);
json_t *sb_case_file_provenance(hid_t file);
json_t *sb_case_file_inputs(hid_t file);
/* Observables of every recorded frame: "step", "time", "energy_kinetic", …, "momentum_x", …; digests are no column. No
 * columns when no frame was recorded. */
bool sb_case_file_observables(hid_t file, sb_columns *columns);
