/* The writing half of the case file: HDF5 only, on the one rank that stores. results/README.md has the schema. Local.
 *
 * A file is written aside (PATH.<pid>.part) and renamed when it is complete and synced; nothing else is ever left under
 * PATH. Every function returns false after a storage error, whose one line sb_case_writer_error has. After that only
 * discard may follow, and the process must leave by _exit: HDF5's exit handler does not survive a failed close. */
#pragma once

#include <hdf5.h>

#include "harness/store/case_row.h"
#include "harness/store/noise.h"
#include "harness/store/provenance.h"
#include "model/system.h"

typedef struct sb_case_writer sb_case_writer;

/* What a file says before anything is recorded. */
typedef struct {
  const sb_options *options;
  const char       *command;     /* repeats the case */
  bool              every_frame; /* all recorded frames are stored, so observables share their steps and times */
} sb_case_head;

/* One recorded frame without its state. */
typedef struct {
  int64_t     step;
  double      time_seconds;
  sb_energies energies;
  bool        contact;         /* whether there is any: */
  double      penetration_max; /* m, over the run so far */
  char        digest[SB_DIGEST_LENGTH + 1];
} sb_frame_record;

/* One entry of /steps and one of /timing/samples, as they lie in memory and file. */
enum { SB_STEP_OUTCOME_SIZE = 16, SB_SAMPLE_PHASE_SIZE = 24 };
typedef struct {
  int64_t step, minimizer_iterations, linear_iterations;
  double  residual;
  char    outcome[SB_STEP_OUTCOME_SIZE];
} sb_step_record;
typedef struct {
  int32_t repetition;
  char    phase[SB_SAMPLE_PHASE_SIZE];
  int64_t step;
  double  seconds;
} sb_sample_record;

/* One row of /timing/noise: what was seen while a repetition was timed. */
typedef struct {
  int32_t repetition, broken; /* rules of harness/noise.h; 0: quiet */
  int64_t calibrations, switches;
  double  window_s, calibration_median_s, calibration_fast_s;
  double  steal, waited; /* shares of the window; -1: not known */
  double  halves;        /* later half's median over the earlier's; 0: they cannot be compared */
  char    noisy[SB_NOISE_WORDS];
} sb_noise_record;

/* A column of a run: /convergence/<run>/<name>, below /timing when it is a timing. */
typedef struct {
  const char   *run, *name, *unit;
  bool          timing;
  size_t        count;
  const double *values;
} sb_curve_record;

/* A file that cannot be created shows in sb_case_writer_good. */
sb_case_writer *sb_case_writer_create(const char *path, const sb_case_head *head);
bool            sb_case_writer_good(const sb_case_writer *writer);
const char     *sb_case_writer_error(sb_case_writer *writer); /* "cannot write 'PATH': CAUSE", after a failure */

bool sb_case_writer_scene(sb_case_writer *writer, const sb_pose *pose);
bool sb_case_writer_frame(sb_case_writer *writer, const sb_frame_record *frame);
/* The state of a frame that is kept: x and v [vertices][3]. */
bool sb_case_writer_state(sb_case_writer *writer, int64_t step, double time_seconds, const double *x, const double *v);
/* What an integrator keeps besides, after the state of that step, the last one: [vertices][3], /restart/<name>. */
bool sb_case_writer_memory(sb_case_writer *writer, const char *name, int64_t step, const double *values);
bool sb_case_writer_step(sb_case_writer *writer, const sb_step_record *step);
bool sb_case_writer_curve(sb_case_writer *writer, const sb_curve_record *curve);
bool sb_case_writer_sample(sb_case_writer *writer, const sb_sample_record *sample);
/* /timing/noise: one row a repetition. */
bool sb_case_writer_noise(sb_case_writer *writer, size_t count, const sb_noise_record *records);
/* Row, provenance and views; close, sync, rename. */
bool sb_case_writer_finish(sb_case_writer *writer, const sb_case_row *row, const sb_provenance *provenance);
/* Frees. A file that was not finished is removed. */
void sb_case_writer_destroy(sb_case_writer **writer);

/* Types of sb_sample_record and sb_noise_record, for writing and reading; the caller closes them. Negative when HDF5
 * failed. */
hid_t sb_sample_type(void);
hid_t sb_noise_type(void);

/* /h5md, /parameters; /result, /timing/result; in case_file_attributes.c. */
bool sb_case_write_head(hid_t file, const sb_case_head *head);
bool sb_case_write_row(hid_t file, const sb_case_row *row);
