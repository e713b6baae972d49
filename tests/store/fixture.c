/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers with known numbers, and cases of them; see fixture.h. */
#include "fixture.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/all_lists.h"

static const sb_column columns[] = {
    {"distance", "m", "a number of the case", .timing = false},
    {"verdict", "", "a word of the case", .timing = false},
    {"unknown", "J", "never set", .timing = false},
    {"step_median_s", "s", "a timing", .timing = true},
};

double walk_position(double start, int64_t frame, int64_t vertex, int axis)
{
  return start + 0.125 * (double)frame + 1e-3 * sin((double)(frame * 100 + vertex * 3 + axis));
}

double walk_velocity(int64_t frame, int64_t vertex, int axis) { return cos((double)(frame * 100 + vertex * 3 + axis)); }

typedef struct {
  sb_pose    pose;
  sb_system *system;
  Vec        x, v;
} world;

static PetscErrorCode create_world(const sb_case *c, sb_recorder *recorder, world *w)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  *w = (world){0};
  PetscCheck(sb_scene_build(c->options, &w->pose, diagnostics), c->comm, PETSC_ERR_USER, "no scene");
  sb_diagnostics_destroy(&diagnostics);
  PetscCall(sb_system_create(c->comm, &w->pose, c->options, &w->system));
  PetscCall(sb_system_create_full(w->system, &w->x));
  PetscCall(sb_system_create_full(w->system, &w->v));
  PetscCall(sb_recorder_scene(recorder, &w->pose));
  return 0;
}

static PetscErrorCode destroy_world(world *w)
{
  PetscCall(VecDestroy(&w->x));
  PetscCall(VecDestroy(&w->v));
  PetscCall(sb_system_destroy(&w->system));
  sb_pose_clear(&w->pose);
  return 0;
}

static PetscErrorCode place(world *w, int64_t frame, double sense)
{
  double *x, *v;
  PetscCall(VecGetArray(w->x, &x));
  PetscCall(VecGetArray(w->v, &v));
  for (PetscInt i = 0; i < w->system->owned; ++i) {
    const int64_t vertex = w->system->first_vertex + i;
    for (int axis = 0; axis < 3; ++axis) {
      x[3 * i + axis] = walk_position(w->pose.position[3 * vertex + axis], frame, vertex, axis);
      v[3 * i + axis] = sense * walk_velocity(frame, vertex, axis);
    }
  }
  PetscCall(VecRestoreArray(w->x, &x));
  PetscCall(VecRestoreArray(w->v, &v));
  return 0;
}

static PetscErrorCode record(sb_recorder *recorder, const world *w, int64_t frame, double seconds, bool last)
{
  const sb_frame_stamp stamp = {frame, 10 * frame, seconds, last};
  return sb_recorder_frame(recorder, w->system, &stamp, w->x, w->v);
}

static PetscErrorCode walk(const sb_case *c, sb_recorder *recorder, double sense, bool mark_last)
{
  const int64_t frames = c->time.frames;
  world         w;
  PetscCall(create_world(c, recorder, &w));
  for (int64_t frame = 0; frame <= frames; ++frame) {
    PetscCall(place(&w, frame, sense));
    PetscCall(record(recorder, &w, frame, 10 * (double)frame * c->time.h_seconds, mark_last && frame == frames));
    if (frame > 0) PetscCall(sb_recorder_step(recorder, frame, frame + 1, 7 * frame, 1e-3 / (double)frame, "solved"));
  }
  PetscCall(destroy_world(&w));
  return 0;
}

static PetscErrorCode record_curves(sb_recorder *recorder)
{
  static const double iteration[3] = {0, 1, 2}, objective[3] = {4, NAN, 1}, seconds[3] = {0, 0.25, 0.5};
  static const struct {
    sb_curve_name name;
    size_t        count;
    const double *values;
  } curves[] = {{{"frame_1", "iteration", "", .timing = false}, 3, iteration},
                {{"frame_1", "objective", "J", .timing = false}, 3, objective},
                {{"frame_1", "seconds", "s", .timing = true}, 3, seconds},
                {{"mean", "iteration", "", .timing = false}, 2, iteration},
                {{"clock", "seconds", "\xc2\xb5s", .timing = true}, 3, seconds}};
  for (size_t i = 0; i < sizeof curves / sizeof *curves; ++i)
    PetscCall(sb_recorder_curve(recorder, &curves[i].name, curves[i].count, curves[i].values));
  return 0;
}

static PetscErrorCode run_walk(const sb_case *c, sb_recorder *recorder)
{
  size_t        count;
  const double *seconds;
  PetscCall(walk(c, recorder, 1, true));
  PetscCall(record_curves(recorder));
  for (int step = 0; step < 3; ++step)
    PetscCall(sb_recorder_sample(recorder, step == 2 ? "setup" : "step", step, 0.5 + step + 10 * c->repetition));
  PetscCall(sb_recorder_samples(recorder, "step", &count, &seconds));
  PetscCall(sb_recorder_real(recorder, "step_median_s", seconds[count / 2]));
  PetscCall(sb_recorder_real(recorder, "distance", 1.0 / 3));
  PetscCall(sb_recorder_word(recorder, "verdict", "h\xc3\xa4lt"));
  PetscCall(sb_recorder_real(recorder, "unknown", INFINITY));
  PetscCall(sb_recorder_accuracy(recorder, true));
  return 0;
}

/* Positions alone, and the same with the velocities turned round: for digests. */
static PetscErrorCode run_forwards(const sb_case *c, sb_recorder *recorder) { return walk(c, recorder, 1, true); }
static PetscErrorCode run_backwards(const sb_case *c, sb_recorder *recorder) { return walk(c, recorder, -1, true); }

static PetscErrorCode run_diverging(const sb_case *c, sb_recorder *recorder)
{
  PetscCall(walk(c, recorder, 1, false));
  PetscCall(sb_recorder_status(recorder, SB_CASE_DIVERGED, "vertex %d left at step %d", 3, 12));
  PetscCall(sb_recorder_status(recorder, SB_CASE_ERROR, "a later word"));
  return 0;
}

static PetscErrorCode run_nameless(const sb_case *c, sb_recorder *recorder)
{
  (void)recorder;
  SETERRQ(c->comm, PETSC_ERR_USER, "this option is of no use");
}

static PetscErrorCode run_failing(const sb_case *c, sb_recorder *recorder)
{
  (void)c;
  return sb_recorder_status(recorder, SB_CASE_ERROR, "it failed");
}

static PetscErrorCode run_broken(const sb_case *c, sb_recorder *recorder)
{
  (void)recorder;
  SETERRQ(c->comm, PETSC_ERR_PLIB, "a bug of ours");
}

static PetscErrorCode run_aborting(const sb_case *c, sb_recorder *recorder)
{
  (void)c;
  (void)recorder;
  raise(SIGQUIT); /* one that PETSc would catch and sanitizers do not */
  return 0;
}

static PetscErrorCode run_not_finite(const sb_case *c, sb_recorder *recorder)
{
  world w;
  PetscCall(create_world(c, recorder, &w));
  PetscCall(place(&w, 0, 1));
  PetscCall(record(recorder, &w, 0, 0, false));
  PetscCall(place(&w, 1, 1));
  if (w.system->first_vertex + w.system->owned == w.system->vertices && w.system->owned > 0) {
    double *v;
    PetscCall(VecGetArray(w.v, &v));
    v[3 * w.system->owned - 1] = NAN;
    PetscCall(VecRestoreArray(w.v, &v));
  }
  const PetscErrorCode refused = record(recorder, &w, 1, 1, true);
  PetscCall(destroy_world(&w));
  return refused;
}

/* Whatever a recorder can store, a little of each. */
static PetscErrorCode run_everything(const sb_case *c, sb_recorder *recorder)
{
  static const sb_noise_figures quiet = {.window_seconds = 1, .waited_seconds = 0.001};
  size_t                        count;
  const double                 *seconds;
  world                         w;
  PetscCall(sb_recorder_warnings(recorder, "a warning"));
  PetscCall(create_world(c, recorder, &w));
  for (int64_t frame = 0; frame <= 2; ++frame) {
    PetscCall(place(&w, frame, 1));
    PetscCall(record(recorder, &w, frame, (double)frame, frame == 2));
    PetscCall(sb_recorder_step(recorder, frame, 1, 2, 1e-3, "solved"));
  }
  PetscCall(sb_recorder_memory(recorder, "before", w.x));
  PetscCall(destroy_world(&w));
  PetscCall(record_curves(recorder));
  PetscCall(sb_recorder_sample(recorder, "step", 0, 0.5 + c->repetition));
  PetscCall(sb_recorder_samples(recorder, "step", &count, &seconds));
  PetscCheck(count == (size_t)c->repetition + 1, c->comm, PETSC_ERR_PLIB, "%zu samples", count);
  PetscCall(sb_recorder_judge(recorder, "step", &quiet));
  PetscCall(sb_recorder_word(recorder, "verdict", "whole"));
  PetscCall(sb_recorder_accuracy(recorder, true));
  return 0;
}

#define DRIVER(title, function)                                                                                        \
  {                                                                                                                    \
    .name = title, .summary = "a walk", .columns = columns, .column_count = sizeof columns / sizeof *columns,          \
    .run = function                                                                                                    \
  }
static const sb_driver walks[] = {DRIVER("trajectory", run_walk),       DRIVER("diverging", run_diverging),
                                  DRIVER("nameless", run_nameless),     DRIVER("failing", run_failing),
                                  DRIVER("broken", run_broken),         DRIVER("aborting", run_aborting),
                                  DRIVER("not_finite", run_not_finite), DRIVER("forwards", run_forwards),
                                  DRIVER("backwards", run_backwards),   DRIVER("everything", run_everything)};
enum { WALKS = sizeof walks / sizeof *walks };

const sb_vocabulary *walk_vocabulary(void)
{
  static const sb_entry *entries[WALKS];
  static const sb_list   drivers = {.family = "drivers", .entries = entries, .count = WALKS};
  for (size_t i = 0; i < WALKS; ++i) entries[i] = &walks[i].entry;
  return vocabulary_with(&drivers);
}

const sb_driver *walk_driver(const char *name)
{
  const sb_driver *driver = sb_driver_find(walk_vocabulary(), name);
  assert_non_null(driver);
  return driver;
}

void fixture_create(fixture *f, const char *const *pairs)
{
  char ranks[32];
  int  size;
  MPI_Comm_size(PETSC_COMM_WORLD, &size);
  snprintf(ranks, sizeof ranks, "ranks=%d", size);
  const char *const common[] = {"scene=cloth", "grid=2", "stiffness=10", "h=0.5", "duration=3.5", ranks, NULL};
  sb_diagnostics   *diagnostics = sb_diagnostics_create();
  *f = (fixture){.options = sb_options_create(NULL)};
  const char *const *const lists[] = {common, pairs};
  for (size_t i = 0; i < 2; ++i)
    for (const char *const *pair = lists[i]; pair && *pair; ++pair)
      sb_options_set_pair(f->options, *pair, SB_FROM_USER, (sb_location){0}, diagnostics);
  sb_case_resolve(f->options, &f->c.time, diagnostics);
  sb_diagnostics_print(diagnostics, stderr);
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  sb_diagnostics_destroy(&diagnostics);
  f->c.comm = PETSC_COMM_WORLD;
  f->c.options = f->options;
  sb_case_key(f->options, NULL, f->key);
  f->command = sb_case_command(f->options);
}

void fixture_destroy(fixture *f)
{
  SUCCEED(sb_recorder_destroy(&f->recorder));
  sb_options_destroy(&f->options);
  free(f->command);
}

PetscErrorCode fixture_record(fixture *f, const sb_driver *driver, const char *path, const char *samples_from)
{
  const sb_case_target target = {.path = path,
                                 .side_car = true,
                                 .samples_from = samples_from,
                                 .command = f->command,
                                 .key = f->key,
                                 .build = "a build"};
  return sb_recorder_create(&f->c, driver, &target, &f->recorder);
}

json_t *fixture_finish(fixture *f)
{
  SUCCEED(sb_recorder_finish(f->recorder));
  char   *text = sb_recorder_row_json(f->recorder);
  json_t *row = text ? json_loads(text, 0, NULL) : NULL;
  free(text);
  return row;
}

json_t *fixture_store(const fixture_order *o)
{
  const sb_driver *driver = walk_driver(o->driver ? o->driver : "trajectory");
  char             path[64], from[64], save[32];
  fixture          f;
  snprintf(save, sizeof save, "save=%s", o->save ? o->save : "");
  fixture_create(&f, o->save ? (const char *const[]){save, NULL} : o->pairs);
  f.c.repetition = o->repetition;
  SUCCEED(fixture_record(&f, driver, o->name ? fixture_path(o->name, path) : NULL,
                         o->samples_from ? fixture_path(o->samples_from, from) : NULL));
  SUCCEED(driver->run(&f.c, f.recorder));
  json_t *row = fixture_finish(&f);
  fixture_destroy(&f);
  MPI_Barrier(PETSC_COMM_WORLD);
  return row;
}

const char *fixture_text(const json_t *row, const char *group, const char *name)
{
  const char *text = json_string_value(json_object_get(group ? json_object_get(row, group) : row, name));
  return text ? text : "(none)";
}

bool fixture_print_run(void *stream, const char *run, const sb_stored_columns *c)
{
  fprintf(stream, "%s:", run);
  for (size_t i = 0; i < c->columns; ++i) {
    fprintf(stream, " %s (%s)", c->names[i], c->units[i]);
    for (size_t k = 0; k < c->count; ++k) fprintf(stream, " %.17g", c->values[i][k]);
  }
  fputc('\n', stream);
  return true;
}

hid_t fixture_open(const char *name)
{
  char        path[64], error[256];
  const hid_t file = sb_case_file_open(fixture_path(name, path), error);
  assert_true(file >= 0);
  return file;
}

void fixture_close(hid_t file)
{
  char error[256] = "";
  assert_true(sb_case_file_close(file, true, error));
}

static PetscErrorCode keep_quiet(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                 PetscErrorType type, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file, (void)type, (void)message, (void)context;
  return code;
}

void fixture_hush(void) { SUCCEED(PetscPushErrorHandler(keep_quiet, NULL)); }

int fixture_rank(void)
{
  int rank = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  return rank;
}

const char *fixture_path(const char *name, char buffer[64])
{
  int ranks = 1;
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  snprintf(buffer, 64, "%d_%s.h5", ranks, name);
  return buffer;
}

int fixture_main(int argc, char **argv, int (*run_group)(void))
{
  if (PetscInitialize(&argc, &argv, NULL, NULL) != 0) return 1;
  int failures = run_group();
  MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_MAX, PETSC_COMM_WORLD);
  return PetscFinalize() != 0 || failures > 0;
}
