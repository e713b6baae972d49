/* What the parts of the recorder share; for recorder*.c. */
#pragma once

#include "harness/store/case_file.h"
#include "harness/store/case_file_write.h"
#include "harness/store/noise_watch.h"

struct sb_recorder {
  MPI_Comm         comm;
  PetscMPIInt      rank;
  const sb_driver *driver;
  char            *key, *command, *petsc_options, *warnings;
  double           started_seconds, wall_seconds, max_rss_bytes;
  sb_provenance    provenance;

  sb_status  status;
  char      *reason;
  sb_value   accuracy;
  sb_value  *values;                           /* [driver->column_count], words owned */
  sb_digest *digest;                           /* rank 0 */
  char       digest_hex[SB_DIGEST_LENGTH + 1]; /* once finished */

  bool       keep_any, has_scene, pending; /* pending: the last frame is not stored yet */
  int64_t    keep_every;                   /* frames; 0: only the last */
  int64_t    last_frame;
  VecScatter gather;
  Vec        x_gathered, v_gathered; /* all vertices on rank 0, of the last frame; empty elsewhere */

  sb_frame_record last;

  sb_sample_record *samples; /* all so far, on rank 0 those of earlier repetitions first */
  size_t            sample_count, sample_capacity;
  double           *phase_seconds; /* what sb_recorder_samples lent out */

  sb_noise_watch   watch;
  sb_noise_record *attempts; /* what was judged: repetitions before this one first; on rank 0 */
  size_t           attempt_count;
  sb_timed_step   *timed; /* of this repetition */
  size_t           timed_count;
  double           calibration_given_s;            /* what the loop takes when quiet, as others saw it; 0: not known */
  double           calibration_own_s;              /* the first decile of these repetitions; 0: none yet */
  char             headline[SB_SAMPLE_PHASE_SIZE]; /* the samples that stand for the case's time; "" before the end */

  sb_case_writer *writer; /* NULL where nothing is stored */
};

/* PETSC_ERR_FILE_WRITE with the writer's message. */
PetscErrorCode sb_recorder_storage_error(sb_recorder *recorder);
/* Stores the last frame if it is still only in memory. */
PetscErrorCode sb_recorder_store_pending(sb_recorder *recorder);
PetscErrorCode sb_recorder_destroy_frames(sb_recorder *recorder);
/* Takes over the samples of an earlier repetition's file. Collective. */
PetscErrorCode sb_recorder_join_samples(sb_recorder *recorder, const char *path);
/* What the times of this and earlier repetitions come to, for the row; on rank 0. */
sb_case_timing sb_recorder_timing(const sb_recorder *recorder);
/* What sb_recorder_watch_end does with what was seen: halves, the worst of all ranks, verdict, column. Collective. */
PetscErrorCode sb_recorder_judge(sb_recorder *recorder, const char *phase, const sb_noise_figures *seen);
void           sb_recorder_add_verdict(sb_recorder *recorder, const sb_noise_record *record);
void           sb_recorder_destroy_noise(sb_recorder *recorder);
/* Whether the samples of a repetition count; on rank 0. */
bool sb_recorder_counts(const sb_recorder *recorder, int32_t repetition);
/* Names that reach files: [A-Za-z0-9._+-]{1,64}. */
PetscErrorCode sb_recorder_check_name(const char *name);
