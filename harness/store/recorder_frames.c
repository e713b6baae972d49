/* The trajectory as the recorder sees it: scene, frames, steps. Rank 0 gathers every frame (vertices are split into
 * contiguous blocks, so the order is the natural one), digests it, and keeps those that `save` asks for: frames
 * 0, K, 2K, … of every:K, and the last one of every:K and final. */
#include "harness/store/recorder_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "model/external.h"

static void digest_pose(sb_digest *digest, const sb_pose *pose)
{
  sb_digest_integer(digest, (int64_t)pose->vertices);
  sb_digest_integer(digest, (int64_t)pose->springs);
  sb_digest_integer(digest, (int64_t)pose->triangles);
  sb_digest_reals(digest, pose->vertices, pose->mass);
  sb_digest_reals(digest, pose->springs, pose->stiffness);
  sb_digest_reals(digest, pose->springs, pose->rest_length);
  sb_digest_bytes(digest, pose->springs * 2 * sizeof *pose->ends, pose->ends);
  sb_digest_bytes(digest, pose->springs, pose->kind);
  sb_digest_bytes(digest, pose->triangles * 3 * sizeof *pose->triangle, pose->triangle);
}

PetscErrorCode sb_recorder_scene(sb_recorder *recorder, const sb_pose *pose)
{
  PetscFunctionBeginUser;
  PetscCheck(!recorder->has_scene, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the scene is recorded twice");
  recorder->has_scene = true;
  digest_pose(recorder->digest, pose);
  if (recorder->writer && !sb_case_writer_scene(recorder->writer, pose)) PetscCall(sb_recorder_storage_error(recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_warnings(sb_recorder *recorder, const char *warnings)
{
  PetscFunctionBeginUser;
  free(recorder->warnings);
  recorder->warnings = sb_copy_text(warnings);
  recorder->provenance.warnings = recorder->warnings;
  PetscFunctionReturn(0);
}

static PetscErrorCode gather(sb_recorder *r, Vec distributed, Vec gathered)
{
  PetscFunctionBeginUser;
  PetscCall(VecScatterBegin(r->gather, distributed, gathered, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecScatterEnd(r->gather, distributed, gathered, INSERT_VALUES, SCATTER_FORWARD));
  PetscFunctionReturn(0);
}

static PetscErrorCode gather_state(sb_recorder *r, Vec x, Vec v)
{
  PetscFunctionBeginUser;
  if (!r->gather) {
    PetscCall(VecScatterCreateToZero(x, &r->gather, &r->x_gathered));
    PetscCall(VecDuplicate(r->x_gathered, &r->v_gathered));
  }
  PetscCall(gather(r, x, r->x_gathered));
  PetscCall(gather(r, v, r->v_gathered));
  PetscFunctionReturn(0);
}

static bool all_finite(PetscInt count, const double *values)
{
  for (PetscInt i = 0; i < count; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

/* Digests the gathered state; *finite is false, on every rank, when it is no state to be recorded. */
static PetscErrorCode digest_state(sb_recorder *r, sb_frame_record *frame, bool *finite)
{
  PetscInt      count;
  const double *x, *v;
  int           good = 1;
  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(r->x_gathered, &count));
  PetscCall(VecGetArrayRead(r->x_gathered, &x));
  PetscCall(VecGetArrayRead(r->v_gathered, &v));
  if (r->rank == 0) {
    sb_digest *state = sb_digest_create();
    sb_digest_reals(state, (size_t)count, x);
    sb_digest_reals(state, (size_t)count, v);
    sb_digest_hex(state, frame->digest);
    sb_digest_destroy(&state);
    good = all_finite(count, x) && all_finite(count, v);
  }
  PetscCall(VecRestoreArrayRead(r->x_gathered, &x));
  PetscCall(VecRestoreArrayRead(r->v_gathered, &v));
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, r->comm));
  *finite = good != 0;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_store_pending(sb_recorder *recorder)
{
  const double *x, *v;
  PetscFunctionBeginUser;
  if (!recorder->pending || !recorder->keep_any) PetscFunctionReturn(0);
  recorder->pending = false;
  if (!recorder->writer) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(recorder->x_gathered, &x));
  PetscCall(VecGetArrayRead(recorder->v_gathered, &v));
  const bool stored = sb_case_writer_state(recorder->writer, recorder->last.step, recorder->last.time_seconds, x, v);
  PetscCall(VecRestoreArrayRead(recorder->x_gathered, &x));
  PetscCall(VecRestoreArrayRead(recorder->v_gathered, &v));
  if (!stored) PetscCall(sb_recorder_storage_error(recorder));
  PetscFunctionReturn(0);
}

/* Takes a new frame in: gathered, checked, digested, its observables stored. */
static PetscErrorCode take_frame(sb_recorder *r, const sb_system *system, int64_t frame, sb_frame_record *record, Vec x,
                                 Vec v)
{
  sb_contact_measures measures;
  bool                finite;
  PetscFunctionBeginUser;
  PetscCheck(r->has_scene && frame > r->last_frame, r->comm, PETSC_ERR_ORDER,
             "frame %lld comes before the scene or after frame %lld", (long long)frame, (long long)r->last_frame);
  PetscCall(gather_state(r, x, v));
  PetscCall(digest_state(r, record, &finite));
  PetscCheck(finite, r->comm, PETSC_ERR_FP, "frame %lld (step %lld) is not finite: it cannot be recorded",
             (long long)frame, (long long)record->step);
  PetscCall(sb_system_energies(system, x, v, &record->energies));
  PetscCheck(isfinite(record->energies.total), r->comm, PETSC_ERR_FP,
             "the energy of frame %lld (step %lld) is not finite: it cannot be recorded", (long long)frame,
             (long long)record->step);
  record->contact = system->contact != NULL;
  if (record->contact) {
    PetscCall(sb_system_contact_measures(system, &measures));
    record->penetration_max = measures.penetration_max;
  }
  sb_digest_integer(r->digest, record->step);
  sb_digest_reals(r->digest, 1, &record->time_seconds);
  sb_digest_text(r->digest, record->digest);
  r->last_frame = frame;
  r->last = *record;
  r->pending = true;
  if (r->writer && !sb_case_writer_frame(r->writer, record)) PetscCall(sb_recorder_storage_error(r));
  PetscFunctionReturn(0);
}

const sb_energies *sb_recorder_energies(const sb_recorder *recorder) { return &recorder->last.energies; }

PetscErrorCode sb_recorder_frame(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp, Vec x,
                                 Vec v)
{
  const int64_t   frame = stamp->frame;
  sb_frame_record record = {.step = stamp->step, .time_seconds = stamp->time_seconds};
  PetscFunctionBeginUser;
  if (frame != recorder->last_frame) PetscCall(take_frame(recorder, system, frame, &record, x, v));
  if (stamp->last || (recorder->keep_every > 0 && frame % recorder->keep_every == 0))
    PetscCall(sb_recorder_store_pending(recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_memory(sb_recorder *recorder, const char *name, Vec memory)
{
  PetscInt      count;
  const double *values;
  Vec           gathered;
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_check_name(name));
  PetscCheck(recorder->last_frame >= 0, recorder->comm, PETSC_ERR_ORDER, "memory '%s' comes before any frame", name);
  PetscCall(VecDuplicate(recorder->x_gathered, &gathered));
  PetscCall(gather(recorder, memory, gathered));
  PetscCall(VecGetLocalSize(gathered, &count));
  PetscCall(VecGetArrayRead(gathered, &values));
  sb_digest_text(recorder->digest, name);
  sb_digest_reals(recorder->digest, (size_t)count, values);
  bool stored = true;
  if (recorder->writer && recorder->keep_any)
    stored = sb_case_writer_memory(recorder->writer, name, recorder->last.step, values);
  PetscCall(VecRestoreArrayRead(gathered, &values));
  PetscCall(VecDestroy(&gathered));
  if (!stored) PetscCall(sb_recorder_storage_error(recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_step(sb_recorder *recorder, int64_t step, long minimizer_iterations, long linear_iterations,
                                double residual, const char *outcome)
{
  sb_step_record record = {.step = step,
                           .minimizer_iterations = minimizer_iterations,
                           .linear_iterations = linear_iterations,
                           .residual = residual};
  PetscFunctionBeginUser;
  PetscCheck(strlen(outcome) < sizeof record.outcome, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "outcome '%s' is too long",
             outcome);
  snprintf(record.outcome, sizeof record.outcome, "%s", outcome);
  sb_digest_bytes(recorder->digest, sizeof record, &record);
  if (recorder->writer && !sb_case_writer_step(recorder->writer, &record))
    PetscCall(sb_recorder_storage_error(recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_destroy_frames(sb_recorder *recorder)
{
  PetscFunctionBeginUser;
  PetscCall(VecScatterDestroy(&recorder->gather));
  PetscCall(VecDestroy(&recorder->x_gathered));
  PetscCall(VecDestroy(&recorder->v_gathered));
  PetscFunctionReturn(0);
}
