/* Curves and timing samples. Samples are kept in memory too, those of earlier repetitions before this one's, because
 * statistics are taken over all of them. */
#include "harness/store/recorder_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/store/case_file_read.h"

PetscErrorCode sb_recorder_curve(sb_recorder *recorder, const sb_curve_name *curve, size_t count, const double *values)
{
  const sb_curve_record record = {curve->run, curve->name, curve->unit, curve->timing, count, values};
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_check_name(curve->run));
  PetscCall(sb_recorder_check_name(curve->name));
  if (!curve->timing) {
    sb_digest_text(recorder->digest, curve->run);
    sb_digest_text(recorder->digest, curve->name);
    sb_digest_text(recorder->digest, curve->unit);
    sb_digest_integer(recorder->digest, (int64_t)count);
    sb_digest_reals(recorder->digest, count, values);
  }
  if (recorder->writer && !sb_case_writer_curve(recorder->writer, &record))
    PetscCall(sb_recorder_storage_error(recorder));
  PetscFunctionReturn(0);
}

static void keep_sample(sb_recorder *r, const sb_sample_record *sample)
{
  r->samples = sb_grow(r->samples, r->sample_count, sizeof *r->samples);
  r->samples[r->sample_count++] = *sample;
}

static PetscErrorCode add_sample(sb_recorder *r, const sb_sample_record *sample)
{
  PetscFunctionBeginUser;
  keep_sample(r, sample);
  if (r->writer && !sb_case_writer_sample(r->writer, sample)) PetscCall(sb_recorder_storage_error(r));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_sample(sb_recorder *recorder, const char *phase, int64_t step, double seconds)
{
  sb_sample_record sample = {.repetition = (int32_t)recorder->provenance.repetition, .step = step, .seconds = seconds};
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_check_name(phase));
  PetscCheck(strlen(phase) < sizeof sample.phase, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "phase '%s' is too long", phase);
  snprintf(sample.phase, sizeof sample.phase, "%s", phase);
  PetscCall(add_sample(recorder, &sample));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_join_samples(sb_recorder *recorder, const char *path)
{
  sb_case_times earlier = {0};
  char          error[256] = "it cannot be read";
  int           good = 1;
  PetscFunctionBeginUser;
  if (recorder->rank == 0) good = sb_case_file_times(path, recorder->key, &earlier, error);
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, recorder->comm));
  PetscCheck(good, recorder->comm, PETSC_ERR_USER, "samples of '%s': %s", path, error);
  for (size_t i = 0; i < earlier.sample_count; ++i) PetscCall(add_sample(recorder, &earlier.samples[i]));
  for (size_t i = 0; i < earlier.noise_count; ++i) sb_recorder_add_verdict(recorder, &earlier.noise[i]);
  sb_case_times_clear(&earlier);
  PetscFunctionReturn(0);
}

static size_t collect_phase(sb_recorder *r, const char *phase)
{
  size_t count = 0;
  free(r->phase_seconds);
  r->phase_seconds = sb_allocate(r->sample_count + 1, sizeof *r->phase_seconds);
  for (size_t i = 0; i < r->sample_count; ++i)
    if (strcmp(r->samples[i].phase, phase) == 0 && sb_recorder_counts(r, r->samples[i].repetition))
      r->phase_seconds[count++] = r->samples[i].seconds;
  return count;
}

PetscErrorCode sb_recorder_samples(sb_recorder *recorder, const char *phase, size_t *count, const double **seconds)
{
  unsigned long long shared = 0;
  PetscMPIInt        message;
  PetscFunctionBeginUser;
  if (recorder->rank == 0) shared = collect_phase(recorder, phase);
  PetscCallMPI(MPI_Bcast(&shared, 1, MPI_UNSIGNED_LONG_LONG, 0, recorder->comm));
  if (recorder->rank != 0) {
    free(recorder->phase_seconds);
    recorder->phase_seconds = sb_allocate(shared + 1, sizeof *recorder->phase_seconds);
  }
  PetscCall(PetscMPIIntCast((PetscInt)shared, &message));
  PetscCallMPI(MPI_Bcast(recorder->phase_seconds, message, MPI_DOUBLE, 0, recorder->comm));
  *count = (size_t)shared;
  *seconds = recorder->phase_seconds;
  PetscFunctionReturn(0);
}
