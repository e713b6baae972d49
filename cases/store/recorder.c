/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See recorder.h and case_writer.h. Rank 0 receives every frame (vertices are split into contiguous blocks, so the
 * order is the natural one), digests it, and stores those that `save` requests: frames 0, K, 2K, … for every:K, and the
 * last one for every:K and final. Samples are kept in memory too, those of earlier repetitions first. Statistics are
 * over all samples that count: those of quiet repetitions if there are any, else all. */
#include "cases/store/recorder.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/words.h"
#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/common/json_text.h"
#include "cases/common/machine.h"
#include "cases/common/processes.h"
#include "cases/common/progress_line.h"
#include "cases/common/text.h"
#include "cases/store/case_writer.h"
#include "cases/store/origin.h"
#include "model/system/external.h"
#include "model/system/segments.h"

struct sb_recorder {
  MPI_Comm      comm;
  PetscMPIInt   rank;
  sb_arena     *arena; /* data of the recorder */
  double        started_seconds;
  sb_case_row   row;
  bool          memory_ended; /* the memory of the row is known */
  sb_provenance provenance;
  sb_digest    *digest; /* of use on rank 0 */

  bool            keep_any, has_scene, pending; /* pending: the last frame is not stored yet */
  int64_t         keep_every;                   /* frames; 0: only the last */
  int64_t         last_frame;
  sb_frame_record last;
  size_t          size;               /* numbers of all vertices, on rank 0; 0 elsewhere */
  double         *x, *v;              /* [size] of the last frame, if any is stored */
  double         *pressure, *density; /* of particles, else NULL */

  sb_case_times  times; /* so far; on rank 0 those of earlier repetitions first */
  sb_noise_watch watch;
  size_t         calibrations;                   /* of the watch, that have become samples */
  double         calibration_given_s;            /* of the loop on a quiet machine, as measured by others; 0: unknown */
  double         calibration_own_s;              /* the first decile of these repetitions; 0: none yet */
  char           headline[SB_SAMPLE_PHASE_SIZE]; /* the samples that are the case's time; "" before the end */

  sb_case_writer *writer; /* NULL if nothing is stored */
  struct {
    sb_tell     tell;
    const char *unit; /* "step"; NULL before begin */
    int64_t     first, total;
    double      began_seconds, told_seconds;
    bool        shown; /* a line is on the terminal */
  } progress;

  const char            *checkpoint; /* its path; NULL: the case cannot be stopped on its way */
  sb_checkpoint_identity identity;
  sb_checkpoint         *continued; /* read until the driver has its state again; NULL: from the start */
  int64_t                stop_step; /* 0: none */
  bool                   asked;     /* to stop */
  double                 looked_seconds;
};

/* No function below keeps PETSc's stack, which only its signal handler uses: PetscCall reports the path. */

static const char calibration[] = "calibration";
/* Clocks change so much from case to case; a neighbour throughout a case makes the loop 1.3 to 1.6 times as long. */
static const double clock_between_cases = 1.05;

/* An error with the writer's message unless the values are stored. */
static PetscErrorCode insist_stored(const sb_recorder *r)
{
  const char *error = sb_case_writer_error(r->writer);
  PetscCheck(!error, PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE, "%s", error);
  return 0;
}

static PetscErrorCode check_name(const char *name)
{
  PetscCheck(sb_text_is_safe_name(name), PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG,
             "'%s' cannot be the name of a file or a figure (1 to 64 of [A-Za-z0-9._+-])", name);
  return 0;
}

/* ---- The row ---- */

PetscErrorCode sb_recorder_status(sb_recorder *recorder, sb_status status, const char *format, ...)
{
  va_list arguments;
  if (recorder->row.status != SB_OK || status == SB_OK) return 0;
  recorder->row.status = status;
  if (!format) return 0;
  va_start(arguments, format);
  char *reason = sb_arena_format_list(recorder->arena, format, arguments);
  va_end(arguments);
  for (char *c = reason; *c; ++c)
    if (iscntrl((unsigned char)*c)) *c = ' ';
  recorder->row.reason = reason;
  return 0;
}

PetscErrorCode sb_recorder_broke_off(sb_recorder *recorder)
{
  recorder->row.broke_off = true;
  return 0;
}

PetscErrorCode sb_recorder_accuracy(sb_recorder *recorder, bool met)
{
  sb_value *accuracy = &recorder->row.accuracy;
  *accuracy = (sb_value){.kind = SB_TRUTH, .truth = (accuracy->kind == SB_BLANK || accuracy->truth) && met};
  return 0;
}

void sb_recorder_end_memory(sb_recorder *r)
{
  if (!r->memory_ended) r->row.max_rss_bytes = fmax(r->row.max_rss_bytes, sb_process_peak_bytes(getpid()));
  r->memory_ended = true;
}

static PetscErrorCode set_column(sb_recorder *r, const char *name, sb_value value)
{
  const sb_driver *driver = r->row.driver;
  size_t           i = 0;
  while (i < driver->column_count && strcmp(driver->columns[i].name, name) != 0) ++i;
  PetscCheck(i < driver->column_count, PETSC_COMM_SELF, PETSC_ERR_ARG_WRONG, "driver %s has no column '%s'",
             driver->name, name);
  const bool unknown = driver->columns[i].timing && r->provenance.continued > 0; /* of several processes */
  r->row.values[i] = unknown ? (sb_value){.kind = SB_BLANK} : value;
  return 0;
}

PetscErrorCode sb_recorder_real(sb_recorder *recorder, const char *name, double value)
{
  return set_column(recorder, name, (sb_value){.kind = isfinite(value) ? SB_NUMBER : SB_BLANK, .number = value});
}

PetscErrorCode sb_recorder_reals(sb_recorder *recorder, size_t count, const sb_real_column *columns)
{
  PetscFunctionBeginUser;
  for (size_t i = 0; i < count; ++i) PetscCall(sb_recorder_real(recorder, columns[i].name, columns[i].value));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_recorder_word(sb_recorder *recorder, const char *name, const char *word)
{
  const sb_value value = {.kind = word ? SB_WORD : SB_BLANK, .word = sb_arena_copy(recorder->arena, word)};
  return set_column(recorder, name, value);
}

static void digest_value(sb_digest *digest, const sb_value *value)
{
  sb_digest_integer(digest, value->kind);
  if (value->kind == SB_NUMBER) sb_digest_reals(digest, 1, &value->number);
  if (value->kind == SB_WORD) sb_digest_text(digest, value->word);
  if (value->kind == SB_TRUTH) sb_digest_integer(digest, value->truth);
}

/* ---- The trajectory: scene, frames, steps ---- */

/* An array of the net on rank 0: digested in pieces, and whole only if there is a file. */
typedef struct {
  sb_digest *digest;
  size_t     size; /* of an item */
  char      *next; /* the place of the next piece; NULL: none */
} array_intake;

static void take_items(void *context, size_t count, const void *items)
{
  array_intake *in = context;
  const size_t  bytes = count * in->size;
  sb_digest_bytes(in->digest, bytes, items);
  if (!in->next) return;
  if (bytes > 0) memcpy(in->next, items, bytes);
  in->next += bytes;
}

/* items: of this rank's slab; `own` of them are passed, `all` are those of the net. */
static PetscErrorCode record_array(sb_recorder *r, const sb_pose *pose, sb_scene_array array, sb_range own, size_t all,
                                   size_t size, const void *items)
{
  if (!pose->slab.team) {
    if (r->rank == 0) sb_digest_bytes(r->digest, all * size, items);
    sb_case_writer_scene_array(r->writer, array, items);
    return insist_stored(r);
  }
  SB_OWNED char *whole = r->writer ? sb_allocate(all, size) : NULL;
  array_intake   in = {r->digest, size, whole};
  const char    *first = items;
  PetscCall(sb_segments_pass(r->comm, own.count, size, first ? first + own.first * size : NULL, take_items, &in));
  sb_case_writer_scene_array(r->writer, array, whole);
  return insist_stored(r);
}

/* The same for numbers of vertices, `width` an item, which become those of the net. */
static PetscErrorCode record_numbers(sb_recorder *r, const sb_pose *pose, sb_scene_array array, sb_range own,
                                     size_t all, size_t width, const int32_t *numbers)
{
  const size_t size = width * sizeof *numbers, from = own.first * width, count = own.count * width;
  if (!pose->slab.team) return record_array(r, pose, array, own, all, size, numbers);
  SB_OWNED int32_t *in_net = sb_allocate(count, sizeof *in_net);
  for (size_t i = 0; i < count; ++i) in_net[i] = numbers[from + i] + (int32_t)pose->slab.first_vertex;
  return record_array(r, pose, array, (sb_range){0, own.count}, all, size, in_net);
}

PetscErrorCode sb_recorder_scene(sb_recorder *recorder, const sb_pose *pose)
{
  sb_recorder  *r = recorder;
  const sb_slab s = sb_pose_slab(pose);
  PetscCheck(!r->has_scene, PETSC_COMM_SELF, PETSC_ERR_ORDER, "the scene is recorded twice");
  r->has_scene = true;
  sb_digest_integer(r->digest, (int64_t)s.vertices);
  sb_digest_integer(r->digest, (int64_t)s.springs);
  sb_digest_integer(r->digest, (int64_t)s.triangles);
  sb_case_writer_scene(r->writer, &s, pose->pinned);
  PetscCall(record_array(r, pose, SB_SCENE_MASSES, s.own_vertices, s.vertices, sizeof *pose->mass, pose->mass));
  PetscCall(
      record_array(r, pose, SB_SCENE_STIFFNESSES, s.own_springs, s.springs, sizeof *pose->stiffness, pose->stiffness));
  PetscCall(record_array(r, pose, SB_SCENE_REST_LENGTHS, s.own_springs, s.springs, sizeof *pose->rest_length,
                         pose->rest_length));
  PetscCall(record_numbers(r, pose, SB_SCENE_ENDS, s.own_springs, s.springs, 2, pose->ends));
  PetscCall(record_array(r, pose, SB_SCENE_KINDS, s.own_springs, s.springs, sizeof *pose->kind, pose->kind));
  PetscCall(record_numbers(r, pose, SB_SCENE_TRIANGLES, s.own_triangles, s.triangles, 3, pose->triangle));
  return insist_stored(r);
}

PetscErrorCode sb_recorder_warnings(sb_recorder *recorder, const char *warnings)
{
  recorder->provenance.warnings = sb_arena_copy(recorder->arena, warnings);
  return 0;
}

/* A Vec that rank 0 receives piece by piece: digested, tested, and copied if it may be stored. */
typedef struct {
  sb_digest *digest;
  double    *kept; /* the place of the next piece; NULL: none */
  bool       finite;
  double     last[3]; /* of the last vertex */
} intake;

static bool all_finite(size_t count, const double *values)
{
  for (size_t i = 0; i < count; ++i)
    if (!isfinite(values[i])) return false;
  return true;
}

static void take_piece(void *context, size_t vertices, const void *items)
{
  intake       *in = context;
  const double *values = items;
  const size_t  count = 3 * vertices;
  sb_digest_reals(in->digest, count, values);
  in->finite = in->finite && all_finite(count, values);
  if (count > 0) memcpy(in->last, values + count - 3, sizeof in->last);
  if (count > 0 && in->kept) memcpy(in->kept, values, count * sizeof *values);
  if (in->kept) in->kept += count;
}

static PetscErrorCode take_vec(const sb_recorder *r, Vec distributed, intake *in)
{
  const double *owned;
  PetscInt      size;
  in->finite = true;
  PetscCall(VecGetLocalSize(distributed, &size));
  PetscCall(VecGetArrayRead(distributed, &owned));
  PetscCall(sb_segments_pass(r->comm, (size_t)size / 3, 3 * sizeof *owned, owned, take_piece, in));
  PetscCall(VecRestoreArrayRead(distributed, &owned));
  return 0;
}

static void make_room_for_pressures(sb_recorder *r, size_t count)
{
  if (r->pressure) return;
  r->pressure = sb_arena_take(r->arena, count, sizeof *r->pressure);
  r->density = sb_arena_take(r->arena, count, sizeof *r->density);
}

/* Copies the last step's pressures, and the densities for which they were computed. A fluid is entirely on one rank. */
static void copy_pressures(sb_recorder *r, const sb_fluid *fluid)
{
  const size_t count = fluid->particles.count;
  make_room_for_pressures(r, count);
  for (size_t i = 0; i < count; ++i) {
    r->pressure[i] = fluid->last[i][1];
    r->density[i] = fluid->last[i][2];
  }
}

/* For the states of a net, on rank 0. */
static void make_room(sb_recorder *r, size_t vertices)
{
  if (r->rank != 0 || r->size > 0) return;
  r->size = 3 * vertices;
  if (r->keep_any) r->x = sb_arena_take(r->arena, r->size, sizeof *r->x);
  if (r->keep_any) r->v = sb_arena_take(r->arena, r->size, sizeof *r->v);
}

/* Digests the state, and tests whether it is finite, on all ranks alike. */
static PetscErrorCode take_state(sb_recorder *r, long long frame, sb_frame_record *record, Vec x, Vec v)
{
  SB_ENDED_BY(sb_digest_destroy) sb_digest *state = sb_digest_create();
  intake          place = {.digest = state, .kept = r->x}, speed = {.digest = state, .kept = r->v};
  const long long step = record->step;
  int             finite;
  PetscCall(take_vec(r, x, &place));
  PetscCall(take_vec(r, v, &speed));
  finite = place.finite && speed.finite &&
           (!r->pressure || (all_finite(r->size / 3, r->pressure) && all_finite(r->size / 3, r->density)));
  PetscCallMPI(MPI_Bcast(&finite, 1, MPI_INT, 0, r->comm));
  PetscCheck(finite, r->comm, PETSC_ERR_FP, "frame %lld (step %lld) is not finite: it cannot be recorded", frame, step);
  memcpy(record->last_position, place.last, sizeof place.last);
  memcpy(record->last_velocity, speed.last, sizeof speed.last);
  sb_digest_hex(state, record->digest);
  return 0;
}

/* Takes a new frame in: digested, checked, its observables stored. */
static PetscErrorCode take_frame(sb_recorder *r, const sb_system *system, const sb_frame_stamp *stamp, bool beside,
                                 Vec x, Vec v)
{
  sb_frame_record     record = {.step = stamp->step, .time_seconds = stamp->time_seconds};
  sb_contact_measures measures;
  const long long     frame = stamp->frame, step = stamp->step;
  PetscCheck(r->has_scene && frame > r->last_frame, r->comm, PETSC_ERR_ORDER,
             "frame %lld comes before the scene or after frame %lld", frame, (long long)r->last_frame);
  make_room(r, (size_t)system->vertices);
  if (system->fluid) copy_pressures(r, system->fluid);
  PetscCall(take_state(r, frame, &record, x, v));
  PetscCall(sb_system_energies(system, x, v, &record.energies));
  PetscCheck(isfinite(record.energies.total), r->comm, PETSC_ERR_FP,
             "the energy of frame %lld (step %lld) is not finite: it cannot be recorded", frame, step);
  record.contact = system->contact != NULL;
  if (record.contact) {
    PetscCall(sb_system_contact_measures(system, &measures));
    record.penetration_max = measures.penetration_max;
  }
  if (!beside) {
    sb_digest_integer(r->digest, record.step);
    sb_digest_reals(r->digest, 1, &record.time_seconds);
    sb_digest_text(r->digest, record.digest);
  }
  if (!beside && r->pressure) {
    sb_digest_reals(r->digest, r->size / 3, r->pressure);
    sb_digest_reals(r->digest, r->size / 3, r->density);
  }
  r->last_frame = frame;
  r->last = record;
  r->pending = r->keep_any;
  sb_case_writer_frame(r->writer, &record);
  return insist_stored(r);
}

/* Stores the last frame's state if it is still only in memory. */
static PetscErrorCode store_pending(sb_recorder *r)
{
  if (r->pending) sb_case_writer_state(r->writer, &r->last, &(sb_state_record){r->x, r->v, r->pressure, r->density});
  r->pending = false;
  return insist_stored(r);
}

bool sb_recorder_keeps_frames(const sb_recorder *recorder) { return recorder->keep_every > 0; }

static PetscErrorCode put_frame(sb_recorder *r, const sb_system *system, const sb_frame_stamp *stamp, bool beside,
                                Vec x, Vec v)
{
  if (stamp->frame != r->last_frame) PetscCall(take_frame(r, system, stamp, beside, x, v));
  if (stamp->last || (r->keep_every > 0 && stamp->frame % r->keep_every == 0)) PetscCall(store_pending(r));
  return 0;
}

PetscErrorCode sb_recorder_frame(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp, Vec x,
                                 Vec v)
{
  return put_frame(recorder, system, stamp, false, x, v);
}

PetscErrorCode sb_recorder_frame_beside(sb_recorder *recorder, const sb_system *system, const sb_frame_stamp *stamp,
                                        Vec x, Vec v)
{
  return put_frame(recorder, system, stamp, true, x, v);
}

const sb_energies *sb_recorder_energies(const sb_recorder *recorder) { return &recorder->last.energies; }

PetscErrorCode sb_recorder_memory(sb_recorder *recorder, const char *name, Vec memory)
{
  PetscCall(check_name(name));
  PetscCheck(recorder->last_frame >= 0, recorder->comm, PETSC_ERR_ORDER, "memory '%s' is recorded before any frame",
             name);
  SB_OWNED double *values = recorder->keep_any ? sb_allocate(recorder->size, sizeof *values) : NULL;
  sb_digest_text(recorder->digest, name);
  PetscCall(take_vec(recorder, memory, &(intake){.digest = recorder->digest, .kept = values}));
  if (recorder->keep_any) sb_case_writer_memory(recorder->writer, name, recorder->last.step, values);
  return insist_stored(recorder);
}

PetscErrorCode sb_recorder_net(sb_recorder *recorder, const sb_saved_net *net)
{
  sb_case_writer_net(recorder->writer, net);
  return insist_stored(recorder);
}

PetscErrorCode sb_recorder_step(sb_recorder *recorder, int64_t step, long minimizer_iterations, long linear_iterations,
                                double residual, const char *outcome)
{
  sb_step_record record = {step, minimizer_iterations, linear_iterations, residual, ""};
  PetscCheck(strlen(outcome) < sizeof record.outcome, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "outcome '%s' is too long",
             outcome);
  snprintf(record.outcome, sizeof record.outcome, "%s", outcome);
  sb_digest_bytes(recorder->digest, sizeof record, &record);
  sb_case_writer_step(recorder->writer, &record);
  return insist_stored(recorder);
}

/* ---- Curves and samples ---- */

PetscErrorCode sb_recorder_curve(sb_recorder *recorder, const sb_curve_name *curve, size_t count, const double *values)
{
  PetscCall(check_name(curve->run));
  PetscCall(check_name(curve->name));
  if (!curve->timing) {
    sb_digest_text(recorder->digest, curve->run);
    sb_digest_text(recorder->digest, curve->name);
    sb_digest_text(recorder->digest, curve->unit);
    sb_digest_integer(recorder->digest, (int64_t)count);
    sb_digest_reals(recorder->digest, count, values);
  }
  sb_case_writer_curve(recorder->writer, curve, count, values);
  return insist_stored(recorder);
}

static PetscErrorCode add_sample(sb_recorder *r, const sb_sample_record *sample)
{
  *SB_NEW_ITEM(r->arena, r->times.samples, r->times.sample_count) = *sample;
  sb_case_writer_sample(r->writer, sample);
  return insist_stored(r);
}

PetscErrorCode sb_recorder_sample(sb_recorder *recorder, const char *phase, int64_t step, double seconds)
{
  sb_sample_record sample = {.repetition = (int32_t)recorder->provenance.repetition, .step = step, .seconds = seconds};
  PetscCall(check_name(phase));
  PetscCheck(strlen(phase) < sizeof sample.phase, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "phase '%s' is too long", phase);
  snprintf(sample.phase, sizeof sample.phase, "%s", phase);
  return add_sample(recorder, &sample);
}

/* Takes over the samples and verdicts of an earlier repetition's file. */
static PetscErrorCode join_samples(sb_recorder *r, const char *path)
{
  sb_case_times earlier = {0};
  char          error[256] = "it cannot be read";
  int           good = 1;
  if (r->rank == 0) good = sb_case_file_times(r->arena, path, r->row.key, &earlier, error);
  PetscCallMPI(MPI_Bcast(&good, 1, MPI_INT, 0, r->comm));
  PetscCheck(good, r->comm, PETSC_ERR_USER, "samples of '%s': %s", path, error);
  for (size_t i = 0; i < earlier.sample_count; ++i) PetscCall(add_sample(r, &earlier.samples[i]));
  for (size_t i = 0; i < earlier.noise_count; ++i)
    *SB_NEW_ITEM(r->arena, r->times.noise, r->times.noise_count) = earlier.noise[i];
  return 0;
}

/* The samples of a phase that count (malloc'ed). */
static sb_sample_record *counted(const sb_recorder *r, const char *phase, size_t *count)
{
  const sb_case_times *t = &r->times;
  sb_sample_record    *found = sb_allocate(t->sample_count, sizeof *found);
  *count = 0;
  for (size_t i = 0; i < t->sample_count; ++i)
    if (strcmp(t->samples[i].phase, phase) == 0 && sb_repetition_counts(t, t->samples[i].repetition))
      found[(*count)++] = t->samples[i];
  return found;
}

/* Every rank gets those of rank 0. */
static PetscErrorCode share(const sb_recorder *r, size_t count, double *values)
{
  PetscMPIInt message;
  PetscCall(PetscMPIIntCast((PetscInt)count, &message));
  PetscCallMPI(MPI_Bcast(values, message, MPI_DOUBLE, 0, r->comm));
  return 0;
}

PetscErrorCode sb_recorder_samples(sb_recorder *recorder, const char *phase, size_t *count, const double **seconds)
{
  SB_OWNED sb_sample_record *found = counted(recorder, phase, count);
  unsigned long long         shared = *count;
  PetscCallMPI(MPI_Bcast(&shared, 1, MPI_UNSIGNED_LONG_LONG, 0, recorder->comm));
  double *lent = sb_arena_take(recorder->arena, shared, sizeof *lent);
  for (size_t i = 0; recorder->rank == 0 && i < shared; ++i) lent[i] = found[i].seconds;
  *count = (size_t)shared;
  *seconds = lent;
  return share(recorder, *count, lent);
}

static int compare_steps(const void *a, const void *b)
{
  const sb_sample_record *x = a, *y = b;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  return (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

PetscErrorCode sb_recorder_medians(sb_recorder *recorder, const char *phase, size_t count, double *medians)
{
  size_t                     found = 0, first = 0;
  SB_OWNED sb_sample_record *samples = counted(recorder, phase, &found);
  SB_OWNED double           *seconds = sb_allocate(found, sizeof *seconds);
  qsort(samples, found, sizeof *samples, compare_steps);
  for (size_t i = 0; i < found; ++i) seconds[i] = samples[i].seconds;
  for (size_t k = 0; k < count; ++k) {
    while (first < found && samples[first].step < (int64_t)k) ++first;
    size_t end = first;
    while (end < found && samples[end].step == (int64_t)k) ++end;
    medians[k] = sb_quantile(seconds + first, end - first, 0.5);
    first = end;
  }
  return share(recorder, count, medians);
}

static double median_of_repetition(const sb_recorder *r, const char *phase, int32_t repetition)
{
  size_t           count = 0;
  SB_OWNED double *seconds = sb_allocate(r->times.sample_count, sizeof *seconds);
  for (size_t i = 0; i < r->times.sample_count; ++i) {
    const sb_sample_record *s = &r->times.samples[i];
    if (s->repetition == repetition && strcmp(s->phase, phase) == 0) seconds[count++] = s->seconds;
  }
  sb_sort(seconds, count);
  return sb_quantile(seconds, count, 0.5);
}

/* The median and interval of the medians of the repetitions that count. */
static sb_median interval_of_repetitions(const sb_recorder *r, const char *phase)
{
  size_t           count = 0;
  SB_OWNED double *medians = sb_allocate(r->times.noise_count, sizeof *medians);
  for (size_t i = 0; i < r->times.noise_count; ++i) {
    const int32_t repetition = r->times.noise[i].repetition;
    if (!sb_repetition_counts(&r->times, repetition)) continue;
    medians[count] = median_of_repetition(r, phase, repetition);
    count += medians[count] > 0;
  }
  sb_sort(medians, count);
  return sb_median_interval(medians, count);
}

PetscErrorCode sb_recorder_interval(sb_recorder *recorder, const char *phase, sb_median *median)
{
  const double *samples = NULL;
  size_t        count = 0;
  PetscCall(sb_recorder_samples(recorder, phase, &count, &samples));
  SB_OWNED double *sorted = sb_allocate(count, sizeof *sorted);
  if (count > 0) memcpy(sorted, samples, count * sizeof *sorted);
  sb_sort(sorted, count);
  *median = sb_median_interval(sorted, count);
  const sb_median over_runs = interval_of_repetitions(recorder, phase);
  if (!isnan(over_runs.low)) {
    median->low = over_runs.low;
    median->high = over_runs.high;
  }
  PetscCallMPI(MPI_Bcast(median, 3, MPI_DOUBLE, 0, recorder->comm));
  return 0;
}

/* ---- The noise of the machine: calibrations as samples of phase "calibration", a verdict a repetition ---- */

/* The new calibrations become samples. */
static PetscErrorCode store_calibrations(sb_recorder *r, int64_t step)
{
  for (; r->calibrations < r->watch.count; ++r->calibrations)
    PetscCall(sb_recorder_sample(r, calibration, step, r->watch.seconds[r->calibrations]));
  return 0;
}

PetscErrorCode sb_recorder_watch_begin(sb_recorder *recorder)
{
  sb_noise_watch_begin(&recorder->watch, recorder->arena);
  recorder->calibrations = 0;
  return store_calibrations(recorder, 0);
}

PetscErrorCode sb_recorder_watch(sb_recorder *recorder, int64_t step)
{
  return sb_noise_watch_between(&recorder->watch) ? store_calibrations(recorder, step) : 0;
}

PetscErrorCode sb_recorder_judge(sb_recorder *r, const char *phase, const sb_noise_figures *seen)
{
  sb_noise_figures f = *seen;
  double           worst[4] = {f.calibration_median_s / f.calibration_fast_s, (double)f.switches, (double)f.steal_ticks,
                               f.waited_seconds};
  char             words[SB_NOISE_WORDS + 32] = "";
  snprintf(r->headline, sizeof r->headline, "%s", phase);
  /* The worst of all ranks: one that waits holds up the others. */
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, worst, 4, MPI_DOUBLE, MPI_MAX, r->comm));
  f.calibration_median_s = worst[0] * f.calibration_fast_s;
  f.switches = (int64_t)worst[1];
  f.steal_ticks = (int64_t)worst[2];
  f.waited_seconds = worst[3];
  if (r->rank != 0) return 0;
  sb_noise_record record = {.repetition = (int32_t)r->provenance.repetition,
                            .calibrations = f.calibrations,
                            .switches = f.switches,
                            .window_s = f.window_seconds,
                            .calibration_median_s = f.calibration_median_s,
                            .calibration_fast_s = f.calibration_fast_s,
                            .steal = sb_noise_steal(&f),
                            .waited = isfinite(f.waited_seconds) ? f.waited_seconds / f.window_seconds : -1};
  record.broken = (int32_t)sb_noise_judge(&f, record.noisy);
  *SB_NEW_ITEM(r->arena, r->times.noise, r->times.noise_count) = record;
  if (sb_quiet_repetitions(&r->times) > 0) return 0;
  /* For the column: why the last repetition was noisy, if none was quiet. */
  if (r->times.noise_count > 1) snprintf(words, sizeof words, "all of %zu times: ", r->times.noise_count);
  strcat(words, record.noisy);
  return sb_recorder_word(r, "noisy", words);
}

PetscErrorCode sb_recorder_watch_end(sb_recorder *recorder, const char *phase)
{
  sb_noise_figures     figures;
  const sb_case_times *t = &recorder->times;
  size_t               count = 0;
  SB_OWNED double *earlier = sb_allocate(t->sample_count, sizeof *earlier); /* calibrations of the repetitions before */
  for (size_t i = 0; i < t->sample_count; ++i)
    if (strcmp(t->samples[i].phase, calibration) == 0 && t->samples[i].repetition != recorder->provenance.repetition)
      earlier[count++] = t->samples[i].seconds;
  sb_noise_watch_end(&recorder->watch, count, earlier, &figures);
  recorder->calibration_own_s = figures.calibration_fast_s;
  if (recorder->calibration_given_s > 0)
    figures.calibration_fast_s = fmin(figures.calibration_fast_s, recorder->calibration_given_s * clock_between_cases);
  PetscCall(store_calibrations(recorder, -1));
  return sb_recorder_judge(recorder, phase, &figures);
}

/* ---- Progress messages ---- */

void sb_recorder_progress_begin(sb_recorder *r, const char *unit, int64_t first, int64_t total)
{
  r->progress.unit = unit;
  r->progress.first = first;
  r->progress.total = total;
  r->progress.began_seconds = sb_clock_seconds();
  if (!r->progress.shown) r->progress.told_seconds = r->progress.began_seconds;
}

/* At most twice a second on a terminal; otherwise a line per minute. */
void sb_recorder_progress(sb_recorder *r, int64_t done)
{
  static const double pause[] = {[SB_TELL_BAR] = 0.5, [SB_TELL_LINES] = 60};
  const int64_t       first = r->progress.first, total = r->progress.total;
  const sb_tell       tell = r->progress.tell;
  if (tell == SB_TELL_NOTHING || !r->progress.unit || done <= first) return;
  const double now = sb_clock_seconds();
  if (now - r->progress.told_seconds < pause[tell]) return;
  SB_OWNED char *line = NULL;
  size_t         length = 0;
  FILE          *stream = sb_text_stream(&line, &length);
  const double   rate = (double)(done - first) / (now - r->progress.began_seconds);
  fprintf(stream, "%s %lld", r->progress.unit, (long long)done);
  if (total > 0) fprintf(stream, " of %lld (%.0f %%)", (long long)total, 100 * (double)done / (double)total);
  fprintf(stream, ", %.3g %ss/s", rate, r->progress.unit);
  if (total > 0) sb_progress_put_left(stream, (double)(total - done) / rate);
  fclose(stream);
  r->progress.told_seconds = now;
  r->progress.shown = tell == SB_TELL_BAR;
  if (r->progress.shown)
    sb_progress_show(line);
  else
    fprintf(stderr, "springbench: %s\n", line);
}

void sb_recorder_progress_end(sb_recorder *r)
{
  if (r->progress.shown) sb_progress_clear();
  r->progress.shown = false;
  r->progress.unit = NULL;
}

/* ---- A stop on the way ---- */

void sb_recorder_identify(const sb_recorder *r, const char *key, const char *command, sb_checkpoint_identity *identity)
{
  const char *build = r->provenance.build ? r->provenance.build : sb_build_name("/proc/self/exe", r->arena);
  *identity = (sb_checkpoint_identity){
      {key, command, build, sb_libraries_text(r->arena), sb_machine_line(r->arena, "/proc/cpuinfo", "model name")}};
}

/* The state to continue from, if there is one of this very case. */
static void look_for_checkpoint(sb_recorder *r, const sb_case_target *target)
{
  sb_arena *arena = r->arena;
  char      digest[SB_DIGEST_LENGTH + 1], why[256];
  if (!target->checkpoint) return;
  sb_digest_of_text(target->command, digest);
  r->checkpoint = sb_arena_copy(arena, target->checkpoint);
  r->stop_step = target->stop_step;
  sb_recorder_identify(r, r->row.key, sb_arena_copy(arena, digest), &r->identity);
  r->continued = sb_checkpoint_load(r->checkpoint, &r->identity, sb_case_part(arena, target->path), why);
  if (*why)
    fprintf(stderr, "springbench: the case starts again: the state in '%s' is not used: %s\n", r->checkpoint, why);
}

bool sb_recorder_is_asked_to_stop(sb_recorder *r, int64_t step)
{
  static const double pause_seconds = 1e-3; /* a reading takes 0.1 us */
  sigset_t            waiting;
  if (!r->checkpoint || r->asked) return r->asked;
  if (r->stop_step > 0) r->asked = step >= r->stop_step;
  const double now = sb_clock_seconds();
  if (now - r->looked_seconds < pause_seconds) return r->asked;
  r->looked_seconds = now;
  r->asked = r->asked || (sigpending(&waiting) == 0 && sigismember(&waiting, SIGUSR1) == 1);
  return r->asked;
}

sb_checkpoint *sb_recorder_continued(const sb_recorder *recorder) { return recorder->continued; }

static void keep_value(sb_recorder *r, sb_checkpoint *c, sb_value *value)
{
  SB_CHECKPOINT(c, value->kind);
  if (value->kind == SB_NUMBER) SB_CHECKPOINT(c, value->number);
  if (value->kind == SB_TRUTH) SB_CHECKPOINT(c, value->truth);
  if (value->kind == SB_WORD) sb_checkpoint_text(c, "word", r->arena, &value->word);
}

static void keep_row(sb_recorder *r, sb_checkpoint *c)
{
  sb_case_row *row = &r->row;
  const char  *start = r->provenance.start_utc;
  SB_CHECKPOINT(c, row->status);
  SB_CHECKPOINT(c, row->broke_off);
  SB_CHECKPOINT(c, row->max_rss_bytes);
  sb_checkpoint_text(c, "reason", r->arena, &row->reason);
  keep_value(r, c, &row->accuracy);
  for (size_t i = 0; i < row->driver->column_count; ++i) keep_value(r, c, &row->values[i]);
  SB_CHECKPOINT(c, r->provenance.continued);
  sb_checkpoint_text(c, "start", r->arena, &start);
  snprintf(r->provenance.start_utc, sizeof r->provenance.start_utc, "%s", start);
}

static void keep_digest(sb_recorder *r, sb_checkpoint *c)
{
  size_t size;
  sb_digest_save(r->digest, &size, NULL);
  SB_OWNED char *bytes = sb_allocate(size, 1);
  sb_digest_save(r->digest, &size, bytes);
  sb_checkpoint_bytes(c, "digest", size, bytes);
  if (sb_checkpoint_good(c)) sb_digest_restore(r->digest, bytes);
}

PetscErrorCode sb_recorder_keep(sb_recorder *r, sb_checkpoint *c, Vec x)
{
  bool     has_pressures = r->pressure != NULL;
  PetscInt size;
  PetscCall(VecGetSize(x, &size));
  make_room(r, (size_t)size / 3);
  keep_row(r, c);
  keep_digest(r, c);
  SB_CHECKPOINT(c, r->pending);
  SB_CHECKPOINT(c, r->last_frame);
  SB_CHECKPOINT(c, r->last);
  if (r->keep_any) sb_checkpoint_bytes(c, "last x", r->size * sizeof *r->x, r->x);
  if (r->keep_any) sb_checkpoint_bytes(c, "last v", r->size * sizeof *r->v, r->v);
  SB_CHECKPOINT(c, has_pressures);
  if (has_pressures) {
    make_room_for_pressures(r, r->size / 3);
    sb_checkpoint_bytes(c, "last pressure", r->size / 3 * sizeof *r->pressure, r->pressure);
    sb_checkpoint_bytes(c, "last density", r->size / 3 * sizeof *r->density, r->density);
  }
  sb_case_writer_keep(r->writer, c);
  return insist_stored(r);
}

PetscErrorCode sb_recorder_continue(sb_recorder *r)
{
  PetscCheck(sb_checkpoint_good(r->continued), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "the state in '%s' is not that of this case; remove the file", r->checkpoint);
  sb_checkpoint_destroy(&r->continued);
  r->provenance.continued++;
  return 0;
}

PetscErrorCode sb_recorder_leave(sb_recorder *r, const sb_checkpoint *c, int64_t step)
{
  sb_recorder_progress_end(r);
  const char *part = sb_case_writer_rest(r->writer);
  PetscCall(insist_stored(r));
  PetscCheck(sb_checkpoint_store(c, r->checkpoint, &r->identity, part), PETSC_COMM_SELF, PETSC_ERR_FILE_WRITE,
             "cannot write '%s': %s", r->checkpoint, strerror(errno));
  fprintf(stderr, "springbench: stopped after step %lld; the same case continues from there\n", (long long)step);
  sb_case_writer_destroy(&r->writer);
  fflush(NULL);
  _exit(SB_EXIT_INTERRUPTED);
}

/* ---- The life of a recorder ---- */

PetscErrorCode sb_recorder_create(const sb_case *c, const sb_driver *driver, const sb_case_target *target,
                                  sb_recorder **recorder)
{
  sb_arena    *arena = sb_arena_create();
  sb_recorder *r = sb_arena_take(arena, 1, sizeof *r);
  PetscMPIInt  ranks;
  *recorder = r;
  r->arena = arena;
  r->comm = c->comm;
  PetscCallMPI(MPI_Comm_rank(c->comm, &r->rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &ranks));
  r->calibration_given_s = c->calibration_seconds;
  r->row = (sb_case_row){.key = sb_arena_copy(arena, target->key),
                         .reason = "",
                         .driver = driver,
                         .values = sb_arena_take(arena, driver->column_count, sizeof *r->row.values)};
  r->progress.tell = r->rank == 0 ? c->tell : SB_TELL_NOTHING;
  r->started_seconds = sb_clock_seconds();
  r->last_frame = -1;
  r->digest = sb_digest_create();
  r->provenance = (sb_provenance){
      .ranks = ranks,
      .threads = SB_INTEGER(c->options, threads),
      .warm_up = c->warm_up,
      .repetition = c->repetition,
      .plugins = sb_arena_copy(arena, target->plugins ? target->plugins : ""),
      .build = target->build || !target->path || r->rank != 0 ? target->build : sb_build_name("/proc/self/exe", arena),
      .petsc_options = sb_arena_copy(arena, SB_TEXT(c->options, petsc))};
  sb_now(r->provenance.start_utc);
  const char *save = SB_TEXT(c->options, save); /* none, final, every:K */
  r->keep_any = strcmp(save, "none") != 0;
  if (strncmp(save, "every:", 6) == 0)
    PetscCheck(sb_parse_integer(save + 6, &r->keep_every) && r->keep_every > 0, r->comm, PETSC_ERR_ARG_OUTOFRANGE,
               "save=%s", save);
  look_for_checkpoint(r, target);
  if (r->rank == 0 && target->path)
    r->writer = sb_case_writer_create(arena, target, c->options, r->keep_every == 1, r->continued != NULL);
  PetscCall(insist_stored(r));
  if (target->samples_from) PetscCall(join_samples(r, target->samples_from));
  return 0;
}

/* The names of the hosts of all ranks, each once, in the order of ranks. Collective. */
static PetscErrorCode gather_hosts(sb_recorder *r)
{
  enum { NAME = 64 };
  const int64_t ranks = r->provenance.ranks;
  char          own[NAME] = "";
  sb_names      hosts = {0};
  char         *all = sb_arena_take(r->arena, r->rank == 0 ? (size_t)ranks : 0, NAME);
  sb_host_name(own);
  PetscCallMPI(MPI_Gather(own, NAME, MPI_CHAR, all, NAME, MPI_CHAR, 0, r->comm));
  for (int i = 0; r->rank == 0 && i < ranks; ++i) sb_names_add(r->arena, &hosts, all + i * NAME);
  r->provenance.hosts = sb_names_join(r->arena, &hosts, "+", hosts.count);
  return 0;
}

PetscErrorCode sb_recorder_finish(sb_recorder *r)
{
  sb_recorder_progress_end(r);
  sb_case_row *row = &r->row;
  PetscCall(store_pending(r));
  row->wall_seconds = r->provenance.continued > 0 ? NAN : sb_clock_seconds() - r->started_seconds;
  sb_recorder_end_memory(r);
  const double bytes = row->max_rss_bytes;
  PetscCallMPI(MPI_Allreduce(&bytes, &row->max_rss_bytes, 1, MPI_DOUBLE, MPI_SUM, r->comm));
  row->broke_off = row->broke_off || !sb_status_goes_on(row->status);
  sb_digest_text(r->digest, sb_status_name(row->status));
  sb_digest_text(r->digest, row->reason);
  digest_value(r->digest, &row->accuracy);
  for (size_t i = 0; i < row->driver->column_count; ++i) {
    if (row->driver->columns[i].timing || row->driver->columns[i].remark) continue;
    sb_digest_text(r->digest, row->driver->columns[i].name);
    digest_value(r->digest, &row->values[i]);
  }
  sb_digest_hex(r->digest, row->digest);
  PetscCall(gather_hosts(r));
  sb_case_writer_finish(r->writer, &r->times, row, &r->provenance);
  return insist_stored(r);
}

sb_status sb_recorder_status_now(const sb_recorder *recorder) { return recorder->row.status; }

/* Numbers of a row are reals with 17 digits, which read back to the same bits. */
static json_t *json_of(const sb_value *value)
{
  return value->kind == SB_NUMBER  ? sb_json_of_real(value->number)
         : value->kind == SB_WORD  ? json_string(value->word)
         : value->kind == SB_TRUTH ? json_boolean(value->truth)
                                   : json_null();
}

char *sb_recorder_row_json(const sb_recorder *r)
{
  const sb_case_row *row = &r->row;
  if (r->rank != 0) return NULL;
  json_t *columns = json_object();
  for (size_t i = 0; i < row->driver->column_count; ++i)
    json_object_set_new(columns, row->driver->columns[i].name, json_of(&row->values[i]));
  json_auto_t *all = json_object();
  bool         whole = true;
  for (size_t i = 0; i < SB_COMMON_COUNT; ++i) {
    const sb_value value = sb_case_row_common(row, &sb_common_columns[i]);
    if (!sb_common_columns[i].planned)
      whole = json_object_set_new(all, sb_common_columns[i].name, json_of(&value)) == 0 && whole;
  }
  whole = json_object_set_new(all, "host", json_string(r->provenance.hosts)) == 0 && whole;
  whole = json_object_set_new(all, "columns", columns) == 0 && whole;
  if (r->provenance.continued > 0) json_object_set_new(all, "continued", json_integer(r->provenance.continued));
  if (r->headline[0] != '\0' && r->times.noise_count > 0) {
    /* The times of this and earlier repetitions, and how well they are known. */
    const sb_median over_runs = interval_of_repetitions(r, r->headline);
    const double    seconds = median_of_repetition(r, r->headline, (int32_t)r->provenance.repetition);
    const double    own = r->calibration_own_s > 0 ? r->calibration_own_s : NAN;
    json_object_set_new(all, "timing",
                        json_pack("{s:I, s:I, s:o, s:o, s:o, s:s}", "attempts", (json_int_t)r->times.noise_count,
                                  "quiet", (json_int_t)sb_quiet_repetitions(&r->times), "seconds",
                                  sb_json_of_real(seconds), "half_width",
                                  sb_json_of_real(sb_median_half_width(&over_runs)), "calibration_s",
                                  sb_json_of_real(own), "noisy", r->times.noise[r->times.noise_count - 1].noisy));
  }
  return whole ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(17)) : NULL;
}

PetscErrorCode sb_recorder_destroy(sb_recorder **recorder)
{
  sb_recorder *r = *recorder;
  if (!r) return 0;
  *recorder = NULL;
  sb_case_writer_destroy(&r->writer);
  sb_checkpoint_destroy(&r->continued);
  sb_digest_destroy(&r->digest);
  sb_arena_destroy(&(sb_arena *){r->arena}); /* the recorder itself lies in it */
  return 0;
}
