/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A simulation as a case file; and the library's version and lists. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "cases/run/run_case.h"
#include "cases/store/build_facts.h"
#include "drivers/drivers.h"
#include "library/simulation.h"

const char   *sb_sim_warnings(const sb_sim *sim) { return sim && sim->warnings ? sim->warnings : ""; }
const sb_net *sb_sim_net(const sb_sim *sim) { return sim && !sim->failed ? &sim->net : NULL; }
const char   *sb_sim_version(void) { return SB_BUILD_VERSION; }

sb_options *sb_sim_options_of_run(const sb_sim *sim)
{
  sb_options  *o = sb_options_copy(sim->options);
  sb_time_grid time;
  char         text[32];
  if (!o) return NULL;
  sb_options_unset(o, SB_ID(restart));
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    if (sb_option_at(id)->traits & SB_STATES_TIME) sb_options_unset(o, id);
  sb_options_set(o, SB_ID(h), sb_format_real(sim->c.time.h_seconds, text), SB_FROM_USER, (sb_location){0}, NULL);
  sb_options_set(o, SB_ID(steps), sb_format_real((double)PetscMax(sim->step, 1), text), SB_FROM_USER, (sb_location){0},
                 NULL);
  if (sim->frames) sb_options_set(o, SB_ID(save), "every:1", SB_FROM_USER, (sb_location){0}, NULL);
  (void)sb_resolve_time(o, false, &time, NULL);
  return o;
}

typedef struct {
  const char *path;
} save;

/* The states that sb_sim_record noted, and the present one, which may be among them. */
static PetscErrorCode record_frames(sb_sim *sim, sb_recorder *recorder)
{
  const double   h = sim->c.time.h_seconds;
  const size_t   bytes = 3 * sim->pose.vertices * sizeof(double);
  sb_frame_stamp stamp = {0, 0, 0, false};
  Vec            state[2];

  PetscFunctionBeginUser;
  for (int k = 0; k < 2; ++k) PetscCall(sb_system_create_full(sim->setup->system, &state[k]));
  for (const sb_sim_frame *f = sim->frames; f && f->step < sim->step; f = f->next, ++stamp.frame) {
    for (int k = 0; k < 2; ++k) {
      double *array;
      PetscCall(VecGetArray(state[k], &array));
      memcpy(array, k == 0 ? f->position : f->velocity, bytes);
      PetscCall(VecRestoreArray(state[k], &array));
    }
    stamp.step = f->step;
    stamp.time_seconds = (double)f->step * h;
    PetscCall(sb_recorder_frame(recorder, sim->setup->system, &stamp, state[0], state[1]));
  }
  for (int k = 0; k < 2; ++k) PetscCall(VecDestroy(&state[k]));
  stamp = (sb_frame_stamp){stamp.frame, sim->step, (double)sim->step * h, true};
  PetscCall(sb_recorder_frame(recorder, sim->setup->system, &stamp, sim->setup->x, sim->setup->v));
  PetscFunctionReturn(0);
}

/* The caller's arrays and the pins of now, which no option has. */
static sb_saved_net net_of(const sb_sim *sim)
{
  const sb_net *g = &sim->given;
  return (sb_saved_net){
      sim->pose.vertices,     sim->pose.springs,        sim->pose.triangles,
      (double *)g->position,  (double *)g->velocity,    (double *)g->mass,
      (double *)g->stiffness, (double *)g->rest_length, (int32_t *)g->ends,
      (int32_t *)g->triangle, (uint8_t *)g->pinned,     sim->own_pins ? (uint8_t *)sim->pose.pinned : NULL};
}

static PetscErrorCode record(sb_sim *sim, const sb_driver *driver, const sb_case *c, const sb_case_target *target,
                             sb_recorder **recorder)
{
  const sb_saved_net net = net_of(sim);

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_create(c, driver, target, recorder));
  if (*sim->warnings) PetscCall(sb_recorder_warnings(*recorder, sim->warnings));
  PetscCall(sb_recorder_scene(*recorder, &sim->pose));
  PetscCall(sb_recorder_net(*recorder, &net));
  PetscCall(record_frames(sim, *recorder));
  PetscCall(sb_setup_record_restart(sim->setup, sim->integrator, *recorder));
  PetscCall(sb_recorder_real(*recorder, "steps_done", (double)sim->step));
  PetscCall(sb_recorder_real(*recorder, "end_time", (double)sim->step * sim->c.time.h_seconds));
  PetscCall(sb_recorder_finish(*recorder));
  PetscFunctionReturn(0);
}

static PetscErrorCode store(sb_sim *sim, void *context)
{
  const save      *s = context;
  sb_case          c = sim->c;
  sb_recorder     *recorder = NULL;
  sb_options      *options = sb_sim_options_of_run(sim);
  SB_OWNED char   *command = options ? sb_case_command(options) : NULL;
  const sb_driver *driver = sb_driver_find(sb_options_vocabulary(sim->options), SB_TEXT(sim->options, driver));
  sb_case_target   target = {.path = s->path,
                             .command = command,
                             .plugins = sb_case_plugins(sim->options, sim->arena),
                             .key = "0000000000000000"};

  PetscFunctionBeginUser;
  PetscCheck(options, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  c.options = options;
  const PetscErrorCode code = record(sim, driver, &c, &target, &recorder);
  (void)sb_recorder_destroy(&recorder);
  sb_options_destroy(&options);
  PetscFunctionReturn(code);
}

/* HDF5 cannot give up a file that it could not write: the end of the process would crash. So the space is reserved, and
 * freed, before. False, with errno, if there is not enough. */
static bool has_room(const sb_sim *sim, const char *file)
{
  const sb_net *net = &sim->net;
  size_t        bytes = (256 << 10) + 220 * net->vertices + 100 * net->springs + 32 * net->triangles;
  for (const sb_sim_frame *f = sim->frames; f; f = f->next) bytes += 1024 + 48 * net->vertices + 8 * net->springs;
  SB_OWNED char *name = sb_format("%s.%ld.room", file, (long)getpid());
  const int      room = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (room < 0) return false;
  const int cause = posix_fallocate(room, 0, (off_t)bytes);
  close(room);
  unlink(name);
  errno = cause;
  return cause == 0;
}

sb_sim_status sb_sim_save(sb_sim *sim, const char *file)
{
  SB_AS_GUEST;
  if (!sim || sim->failed) return SB_SIM_FAILED;
  if (!file || !*file) return sb_sim_refuse(sim, "springbench: error: sb_sim_save needs the name of a file");
  if (sb_sim_is_stopped(sim)) return SB_SIM_REFUSED;
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_case_check_output(&(sb_case_target){.path = file}, (sb_location){"sb_sim_save", 0, 0}, diagnostics);
  const bool good = sb_diagnostics_errors(diagnostics) == 0;
  if (!good) sb_sim_refuse_all(sim, diagnostics);
  sb_diagnostics_destroy(&diagnostics);
  if (!good) return SB_SIM_REFUSED;
  if (!has_room(sim, file))
    return sb_sim_refuse(sim, "springbench: error: cannot write '%s': %s", file, strerror(errno));
  return sb_sim_perform(sim, store, &(save){file});
}
