/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a system and its state from the options of a case; see setup.h. */
#include "drivers/setup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "cases/store/case_file.h"
#include "model/system/external.h"
#include "model/system/segments.h"
#include "solvers/minimize/minimizer_method.h"

static PetscErrorCode create_state(const sb_case *c, const sb_pose *pose, sb_setup *setup)
{
  double *velocity;

  PetscFunctionBeginUser;
  setup->system->profile = &setup->profile;
  PetscCall(sb_system_create_full(setup->system, &setup->x));
  PetscCall(sb_system_create_full(setup->system, &setup->v));
  PetscCall(sb_system_set_state(setup->system, pose, setup->x, setup->v));
  if (!sb_system_moves_pins(setup->system) || !(c->time.h_seconds > 0)) PetscFunctionReturn(0);
  PetscCall(VecGetArray(setup->v, &velocity));
  sb_system_set_pin_velocities(setup->system, 0, c->time.h_seconds, velocity);
  PetscCall(VecRestoreArray(setup->v, &velocity));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_from_pose(const sb_case *c, const sb_pose *pose, sb_setup *setup)
{
  PetscFunctionBeginUser;
  *setup = (sb_setup){0};
  PetscCall(sb_system_create(c->comm, pose, c->options, &setup->system));
  PetscCall(create_state(c, pose, setup));
  PetscFunctionReturn(0);
}

/* Passes warnings about the scene to the user's log and to the result. */
static PetscErrorCode pass_warnings(MPI_Comm comm, const sb_diagnostics *diagnostics, sb_recorder *recorder)
{
  char       *text = NULL;
  size_t      length = 0;
  PetscMPIInt rank;

  PetscFunctionBeginUser;
  if (sb_diagnostics_warnings(diagnostics) == 0) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  if (rank == 0) sb_diagnostics_print(diagnostics, stderr);
  FILE *stream = recorder ? open_memstream(&text, &length) : NULL;
  if (!stream) PetscFunctionReturn(0);
  sb_diagnostics_print(diagnostics, stream);
  fclose(stream);
  const PetscErrorCode failure = sb_recorder_warnings(recorder, text);
  free(text);
  PetscFunctionReturn(failure);
}

static void sum_over_ranks(void *comm, int count, double *values)
{
  (void)MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, *(MPI_Comm *)comm);
}

static void largest_over_ranks(void *comm, int count, double *values)
{
  (void)MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, *(MPI_Comm *)comm);
}

/* The triangles of the whole net so far, on rank 0. */
typedef struct {
  int32_t *next;
} triangle_intake;

static void take_triangles(void *context, size_t count, const void *items)
{
  triangle_intake *in = context;
  if (count > 0) memcpy(in->next, items, 3 * count * sizeof *in->next);
  in->next += 3 * count;
}

static PetscErrorCode make_surface(size_t vertices, size_t triangles, const int32_t *triangle, sb_setup *setup)
{
  PetscFunctionBeginUser;
  setup->surface = sb_surface_create(vertices, triangles, triangle);
  PetscCheck(setup->surface, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

/* Rank 0 gets the triangles, and the others an empty surface. */
static PetscErrorCode keep_surface(MPI_Comm comm, const sb_pose *pose, sb_setup *setup)
{
  const sb_slab   slab = sb_pose_slab(pose);
  const size_t    count = slab.team ? pose->triangles : 0;
  int32_t        *whole = NULL, *own = NULL;
  triangle_intake in;
  PetscFunctionBeginUser;
  if (slab.triangles == 0) PetscFunctionReturn(0);
  if (setup->system->rank == 0 && !slab.team) {
    PetscCall(make_surface(slab.vertices, slab.triangles, pose->triangle, setup));
    PetscFunctionReturn(0);
  }
  if (slab.team) {
    if (setup->system->rank == 0) PetscCall(PetscMalloc1(3 * slab.triangles, &whole));
    PetscCall(PetscMalloc1(3 * count, &own));
    for (size_t i = 0; i < 3 * count; ++i) own[i] = pose->triangle[i] + (int32_t)slab.first_vertex;
    in.next = whole;
    PetscCall(sb_segments_pass(comm, count, 3 * sizeof *own, own, take_triangles, &in));
  }
  PetscCall(make_surface(whole ? slab.vertices : 0, whole ? slab.triangles : 0, whole, setup));
  PetscCall(PetscFree(own));
  PetscCall(PetscFree(whole));
  PetscFunctionReturn(0);
}

/* A rank may be the only one that found the fault; all report that of the first. */
static PetscErrorCode refuse(MPI_Comm comm, const sb_diagnostics *diagnostics)
{
  const char *message = sb_diagnostics_first_error(diagnostics);
  char        text[1024] = "the scene cannot be built";
  PetscMPIInt rank, ranks;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(comm, &rank));
  PetscCallMPI(MPI_Comm_size(comm, &ranks));
  if (message) snprintf(text, sizeof text, "%s", message);
  int first = message ? rank : ranks - 1;
  if (ranks > 1) {
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm));
    PetscCallMPI(MPI_Bcast(text, sizeof text, MPI_CHAR, first, comm));
  }
  PetscFunctionReturn(PetscError(PETSC_COMM_SELF, __LINE__, PETSC_FUNCTION_NAME, __FILE__, PETSC_ERR_USER,
                                 PETSC_ERROR_INITIAL, "%s", text));
}

/* The file that the case continues from, if a program set its pins; NULL: no such file, or several ranks, where those
 * are refused. malloc'ed. */
static char *held_file(const sb_options *options)
{
  if (!*SB_TEXT(options, restart) || SB_INTEGER(options, ranks) > 1) return NULL;
  char *path = sb_input_path(SB_TEXT(options, restart));
  if (sb_saved_net_is_held(path)) return path;
  free(path);
  return NULL;
}

/* Pins that a program set, freed or moved replace those of the options, and of the result. On one rank. */
static PetscErrorCode hold(const sb_case *c, sb_pose *pose, sb_recorder *recorder)
{
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  SB_OWNED char                          *path = held_file(c->options);
  sb_saved_net                            net = {0};
  char                                    error[256] = "the pins are those of another net";

  PetscFunctionBeginUser;
  if (!path) PetscFunctionReturn(0);
  PetscCheck(sb_saved_net_read(arena, path, &net, error) && net.held && net.vertices == pose->vertices, c->comm,
             PETSC_ERR_USER, "cannot continue from '%s': %s", SB_TEXT(c->options, restart), error);
  for (size_t i = 0; i < net.vertices; ++i) pose->pinned[i] = net.held[i] != 0;
  net = (sb_saved_net){.vertices = net.vertices, .held = net.held};
  if (recorder) PetscCall(sb_recorder_net(recorder, &net));
  PetscFunctionReturn(0);
}

/* *built is the same on all ranks. */
static PetscErrorCode build(const sb_case *c, sb_pose_judge judge, unsigned needs, sb_team *team, sb_pose *pose,
                            sb_diagnostics *diagnostics, bool *built)
{
  PetscMPIInt rank, ranks;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_rank(c->comm, &rank));
  PetscCallMPI(MPI_Comm_size(c->comm, &ranks));
  team->rank = (size_t)rank;
  team->ranks = (size_t)ranks;
  *built = sb_scene_build_slab(c->options, needs & SB_SETUP_WHOLE ? NULL : team, pose, diagnostics) &&
           (!judge || judge(c, pose, diagnostics));
  if (ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, built, 1, MPI_C_BOOL, MPI_LAND, c->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_create(const sb_case *c, sb_pose_judge judge, unsigned needs, sb_recorder *recorder,
                               sb_setup *setup)
{
  MPI_Comm        comm = c->comm;
  sb_team         team = {.context = &comm, .sum = sum_over_ranks, .largest = largest_over_ranks};
  sb_pose         pose = {0};
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  PetscErrorCode  failure = 0;
  bool            built;

  PetscFunctionBeginUser;
  *setup = (sb_setup){0};
  PetscCheck(diagnostics, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  sb_map_large_arrays(true);
  PetscCall(build(c, judge, needs, &team, &pose, diagnostics, &built));
  failure = built ? pass_warnings(comm, diagnostics, recorder) : refuse(comm, diagnostics);
  if (!failure) failure = hold(c, &pose, recorder);
  if (!failure && recorder) failure = sb_recorder_scene(recorder, &pose);
  sb_map_large_arrays(false);
  if (!failure) failure = sb_system_take(comm, &pose, c->options, &setup->system);
  if (!failure) failure = create_state(c, &pose, setup);
  if (!failure && needs & SB_SETUP_SURFACE) failure = keep_surface(comm, &pose, setup);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  PetscFunctionReturn(failure);
}

/* Only rank 0 has `values`. */
static PetscErrorCode spread(const double *values, Vec full)
{
  VecScatter scatter;
  Vec        gathered;
  PetscInt   count;
  double    *array;

  PetscFunctionBeginUser;
  PetscCall(VecScatterCreateToZero(full, &scatter, &gathered));
  PetscCall(VecGetLocalSize(gathered, &count));
  PetscCall(VecGetArrayWrite(gathered, &array));
  if (count > 0) memcpy(array, values, (size_t)count * sizeof *array);
  PetscCall(VecRestoreArrayWrite(gathered, &array));
  PetscCall(VecScatterBegin(scatter, gathered, full, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterEnd(scatter, gathered, full, INSERT_VALUES, SCATTER_REVERSE));
  PetscCall(VecScatterDestroy(&scatter));
  PetscCall(VecDestroy(&gathered));
  PetscFunctionReturn(0);
}

static PetscErrorCode recall(const sb_saved_state *saved, sb_setup *setup, sb_integrator *integrator)
{
  const size_t count = sb_integrator_memories(integrator);
  Vec         *memory = NULL;

  PetscFunctionBeginUser;
  PetscCall(spread(saved->position, setup->x));
  PetscCall(spread(saved->velocity, setup->v));
  PetscCall(PetscCalloc1(count + 1, &memory));
  for (size_t i = 0; i < count; ++i) {
    PetscCall(sb_system_create_full(setup->system, &memory[i]));
    PetscCall(spread(sb_saved_memory(saved, sb_integrator_memory_name(integrator, i)), memory[i]));
  }
  PetscCall(sb_integrator_recall(integrator, saved->step, setup->x, setup->v, memory));
  for (size_t i = 0; i < count; ++i) PetscCall(VecDestroy(&memory[i]));
  PetscCall(PetscFree(memory));
  PetscFunctionReturn(0);
}

/* Writes into error[256] why the state cannot be used; it stays "" if it can. */
static void judge(const sb_saved_state *saved, const sb_setup *setup, const sb_integrator *integrator, char error[256])
{
  if (saved->vertices != (size_t)setup->system->vertices)
    snprintf(error, 256, "it has %zu vertices, this case has %lld", saved->vertices,
             (long long)setup->system->vertices);
  for (size_t i = 0; i < sb_integrator_memories(integrator) && !*error; ++i) {
    const char *name = sb_integrator_memory_name(integrator, i);
    if (!sb_saved_memory(saved, name))
      snprintf(error, 256, "it lacks '%s', which the integrator needs besides positions and velocities", name);
  }
}

PetscErrorCode sb_setup_restart(const sb_case *c, sb_setup *setup, sb_integrator *integrator, int64_t *step)
{
  const char    *path = SB_TEXT(c->options, restart);
  sb_saved_state saved = {0};
  sb_arena      *arena = NULL;
  char           error[256] = "";
  long long      first = 0;

  PetscFunctionBeginUser;
  *step = 0;
  if (!*path) PetscFunctionReturn(0);
  if (setup->system->rank == 0) {
    char *found = sb_input_path(path);
    arena = sb_arena_create();
    if (sb_saved_state_read(arena, found, &saved, error)) judge(&saved, setup, integrator, error);
    free(found);
  }
  PetscCallMPI(MPI_Bcast(error, sizeof error, MPI_CHAR, 0, c->comm));
  if (*error) sb_arena_destroy(&arena);
  PetscCheck(!*error, c->comm, PETSC_ERR_USER, "cannot continue from '%s': %s", path, error);
  first = saved.step;
  PetscCallMPI(MPI_Bcast(&first, 1, MPI_LONG_LONG, 0, c->comm));
  *step = saved.step = first;
  PetscCall(recall(&saved, setup, integrator));
  sb_arena_destroy(&arena);
  SB_OWNED char *held = held_file(c->options);
  if (held) PetscCall(sb_system_take_pin_places(setup->system, setup->x));
  PetscFunctionReturn(0);
}

static bool tell_step(void *recorder, int64_t step)
{
  sb_recorder_progress(recorder, step);
  return false;
}

void sb_setup_show_progress(sb_recorder *recorder, sb_integrator *integrator, const char *unit, int64_t first,
                            int64_t total)
{
  sb_recorder_progress_begin(recorder, unit, first, total);
  sb_integrator_set_watch(integrator, (sb_step_watch){tell_step, recorder});
}

PetscErrorCode sb_setup_observe_start(const sb_setup *setup, double t_seconds)
{
  const sb_system *system = setup->system;
  const double    *position;

  PetscFunctionBeginUser;
  if (!system->contact) PetscFunctionReturn(0);
  sb_contact_reset(system->contact);
  PetscCall(sb_system_begin_read(system, setup->x, &position));
  sb_contact_observe(system->contact, t_seconds, (size_t)system->owned, position);
  PetscCall(sb_system_end_read(system, setup->x, &position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_record_restart(const sb_setup *setup, const sb_integrator *integrator, sb_recorder *recorder)
{
  Vec memory = NULL;

  PetscFunctionBeginUser;
  if (sb_integrator_memories(integrator) == 0) PetscFunctionReturn(0);
  PetscCall(sb_system_create_full(setup->system, &memory));
  for (size_t i = 0; i < sb_integrator_memories(integrator); ++i) {
    PetscCall(sb_integrator_save(integrator, i, memory));
    PetscCall(sb_recorder_memory(recorder, sb_integrator_memory_name(integrator, i), memory));
  }
  PetscCall(VecDestroy(&memory));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_accuracy(const sb_case *c, sb_recorder *recorder, bool met)
{
  PetscFunctionBeginUser;
  if (!met || sb_minimizer_tests_gradient(c->options)) PetscCall(sb_recorder_accuracy(recorder, met));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_record_end(sb_recorder *recorder, sb_point kind, bool met)
{
  PetscFunctionBeginUser;
  PetscCall(sb_recorder_word(recorder, "ended", sb_point_name(kind)));
  if (met && kind == SB_POINT_SADDLE) PetscCall(sb_recorder_accuracy(recorder, false));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_judge_end(const sb_case *c, sb_integrator *integrator, sb_recorder *recorder)
{
  sb_point kind;

  PetscFunctionBeginUser;
  sb_recorder_end_memory(recorder);
  PetscCall(sb_integrator_find_end(integrator, c->options, &kind));
  PetscCall(sb_setup_record_end(recorder, kind, true));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_broke_off(sb_recorder *recorder, const sb_advance_report *report)
{
  PetscFunctionBeginUser;
  if (report->status == SB_OK) PetscFunctionReturn(0);
  PetscCall(sb_recorder_status(recorder, report->status, "%s", report->reason));
  PetscCall(sb_recorder_broke_off(recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_unconverged(sb_recorder *recorder, int64_t unconverged, int64_t steps)
{
  PetscFunctionBeginUser;
  if (unconverged > 0)
    PetscCall(sb_recorder_status(recorder, SB_CASE_NOT_CONVERGED, "%lld of %lld steps missed the tolerance",
                                 (long long)unconverged, (long long)steps));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_open_balance(const sb_case *c, sb_setup *setup, double t_seconds)
{
  return sb_balance_open(c, setup->system, t_seconds, setup->x, setup->v, &setup->balance);
}

PetscErrorCode sb_setup_look(sb_setup *setup, double t_seconds, const sb_energies *energies)
{
  return sb_balance_look(&setup->balance, setup->system, t_seconds, setup->x, setup->v, energies);
}

PetscErrorCode sb_setup_judge_burst(const sb_setup *setup, sb_recorder *recorder)
{
  char reason[256];

  PetscFunctionBeginUser;
  if (!sb_balance_burst(&setup->balance, sizeof reason, reason)) PetscFunctionReturn(0);
  PetscCall(sb_recorder_status(recorder, SB_CASE_DIVERGED, "%s", reason));
  PetscCall(sb_recorder_broke_off(recorder));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_date_burst(const sb_setup *setup, sb_recorder *recorder)
{
  PetscFunctionBeginUser;
  PetscCall(sb_setup_judge_burst(setup, recorder));
  if (setup->balance.so_far.burst_energy > 0)
    PetscCall(sb_recorder_real(recorder, "blowup_time", setup->balance.so_far.burst_seconds));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_projected(const sb_case *c, sb_recorder *recorder, double mean)
{
  PetscFunctionBeginUser;
  if (sb_options_read(c->options, SB_ID(hessian)) && sb_minimizer_traits(c->options) & SB_ASKS_BACKEND)
    PetscCall(sb_recorder_real(recorder, "projected_mean", mean));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_keep_state(const sb_setup *setup, sb_start_state *state)
{
  PetscFunctionBeginUser;
  if (!state->x) PetscCall(VecDuplicate(setup->x, &state->x));
  if (!state->v) PetscCall(VecDuplicate(setup->v, &state->v));
  PetscCall(VecCopy(setup->x, state->x));
  PetscCall(VecCopy(setup->v, state->v));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_put_back(sb_setup *setup, const sb_start_state *state)
{
  PetscFunctionBeginUser;
  PetscCall(VecCopy(state->x, setup->x));
  PetscCall(VecCopy(state->v, setup->v));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_start_state_destroy(sb_start_state *state)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&state->x));
  PetscCall(VecDestroy(&state->v));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_replay(const sb_case *c, sb_setup *setup, const sb_start_state *start, int64_t *steps,
                               sb_integrator **integrator)
{
  sb_advance_report report;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_put_back(setup, start));
  PetscCall(sb_integrator_destroy(integrator));
  PetscCall(sb_integrator_create(setup->system, c->options, c->time.h_seconds, integrator));
  if (*steps == 0) PetscFunctionReturn(0);
  PetscCall(sb_integrator_advance(*integrator, start->first_step, *steps, setup->x, setup->v, &report));
  if (report.status == SB_OK) PetscFunctionReturn(0);
  PetscCall(sb_setup_put_back(setup, start));
  *steps = 0;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_note_start(const sb_setup *setup, const sb_recorder *recorder, sb_start_state *start)
{
  PetscFunctionBeginUser;
  *start = (sb_start_state){0};
  if (sb_recorder_keeps_frames(recorder)) PetscCall(sb_setup_keep_state(setup, start));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_record_frame(const sb_setup *setup, sb_recorder *recorder, sb_frame_stamp stamp)
{
  return sb_recorder_frame(recorder, setup->system, &stamp, setup->x, setup->v);
}

PetscErrorCode sb_setup_record_last(const sb_case *c, const sb_setup *setup, sb_recorder *recorder, int64_t first_step,
                                    int64_t last_step)
{
  const int64_t per_frame = c->time.steps_per_frame;
  const int64_t frame = PetscMax(first_step / per_frame + 1, (last_step + per_frame - 1) / per_frame);
  const double  seconds = (double)last_step * c->time.h_seconds;
  return sb_setup_record_frame(setup, recorder, (sb_frame_stamp){frame, last_step, seconds, true});
}

/* Integrates from the setup's state, at one step, to the last frame before another step. */
static PetscErrorCode march_frames(const sb_case *c, const sb_setup *setup, sb_recorder *recorder,
                                   sb_integrator *integrator, int64_t step, int64_t last_step)
{
  const int64_t     per_frame = c->time.steps_per_frame;
  int64_t           frame = step / per_frame;
  sb_advance_report report = {.status = SB_OK};

  PetscFunctionBeginUser;
  sb_recorder_progress_begin(recorder, "stored step", step, last_step);
  while (step < last_step && report.status == SB_OK) {
    PetscCall(sb_recorder_frame_beside(recorder, setup->system,
                                       &(sb_frame_stamp){frame, step, (double)step * c->time.h_seconds, false},
                                       setup->x, setup->v));
    sb_recorder_progress(recorder, step);
    const int64_t next = ++frame * per_frame;
    if (next >= last_step) break;
    PetscCall(sb_integrator_advance(integrator, step, next - step, setup->x, setup->v, &report));
    step = next;
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_store_frames(const sb_case *c, sb_setup *setup, sb_recorder *recorder, sb_start_state *start,
                                     int64_t last_step)
{
  sb_integrator *integrator = NULL;
  int64_t        step = 0;

  PetscFunctionBeginUser;
  if (!start->x) PetscFunctionReturn(0);
  PetscCall(VecSwap(setup->x, start->x));
  PetscCall(VecSwap(setup->v, start->v));
  PetscCall(sb_integrator_create(setup->system, c->options, c->time.h_seconds, &integrator));
  PetscCall(sb_setup_restart(c, setup, integrator, &step));
  PetscCall(sb_setup_observe_start(setup, (double)step * c->time.h_seconds));
  PetscCall(march_frames(c, setup, recorder, integrator, step, last_step));
  PetscCall(sb_integrator_destroy(&integrator));
  PetscCall(VecSwap(setup->x, start->x));
  PetscCall(VecSwap(setup->v, start->v));
  PetscCall(sb_start_state_destroy(start));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_minimizer_matrix(const sb_setup *setup, double h_seconds, bool blocks, Mat *matrix)
{
  const double mass_scale = 1 / (h_seconds * h_seconds);

  PetscFunctionBeginUser;
  if (blocks) {
    PetscCall(sb_system_create_block_matrix(setup->system, matrix));
    PetscCall(sb_system_assemble_hessian(setup->system, SB_HESSIAN_PROJECTED, mass_scale, setup->x, *matrix));
  } else {
    PetscCall(sb_system_create_scalar_matrix(setup->system, h_seconds, matrix));
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_destroy(sb_setup *setup)
{
  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&setup->x));
  PetscCall(VecDestroy(&setup->v));
  sb_surface_destroy(&setup->surface);
  PetscCall(sb_system_destroy(&setup->system));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_flops(const sb_setup *setup, double *flops)
{
  PetscLogDouble all;

  PetscFunctionBeginUser;
  PetscCall(PetscGetFlops(&all));
  *flops = all - setup->profile.check_flops;
  if (setup->system->ranks > 1)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, flops, 1, MPI_DOUBLE, MPI_SUM, setup->system->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_setup_device(const sb_device *device, int64_t steps, sb_recorder *recorder)
{
  char used[500];

  PetscFunctionBeginUser;
  if (!device || steps == 0) PetscFunctionReturn(0);
  const sb_device_facts    *f = sb_device_about(device);
  const sb_device_measures *m = sb_device_measured(device);
  int                       length = snprintf(used, sizeof used, "%s", f->name);
  if (*f->driver)
    length += snprintf(used + length, sizeof used - (size_t)length, ", driver %s, %s, %s double precision%s", f->driver,
                       f->version, f->doubles ? "has" : "without",
                       f->rounds ? "" : ", roots and divisions of floats not rounded correctly");
  if (f->threads > 0)
    snprintf(used + length, sizeof used - (size_t)length, ", %u thread%s", f->threads, f->threads > 1 ? "s" : "");
  PetscCall(sb_recorder_word(recorder, "device_used", used));
  PetscCall(SB_RECORD(recorder, {"device_gpu", f->gpu}, {"kernels_s", m->kernels_s / (double)steps},
                      {"to_device_s", m->to_device_s}, {"from_device_s", m->from_device_s},
                      {"launches", (double)m->launches / (double)steps}, {"device_bytes", (double)m->bytes}));
  PetscFunctionReturn(0);
}
