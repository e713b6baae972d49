/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Storing and continuing a march; see march.h. */
#include "drivers/march.h"

#include "drivers/minimizer_counts.h"
#include "model/system/external.h"

PetscErrorCode sb_march_keep_vector(sb_checkpoint *checkpoint, const char *name, Vec vector)
{
  PetscInt count;
  double  *array;

  PetscFunctionBeginUser;
  PetscCall(VecGetLocalSize(vector, &count));
  PetscCall(VecGetArray(vector, &array));
  sb_checkpoint_bytes(checkpoint, name, (size_t)count * sizeof *array, array);
  PetscCall(VecRestoreArray(vector, &array));
  PetscFunctionReturn(0);
}

static PetscErrorCode keep_memories(sb_march *m, sb_checkpoint *c)
{
  const size_t count = sb_integrator_memories(m->integrator);
  Vec         *memory = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(count + 1, &memory));
  for (size_t i = 0; i < count; ++i) {
    PetscCall(sb_system_create_full(m->setup->system, &memory[i]));
    if (!sb_checkpoint_reads(c)) PetscCall(sb_integrator_save(m->integrator, i, memory[i]));
    PetscCall(sb_march_keep_vector(c, sb_integrator_memory_name(m->integrator, i), memory[i]));
  }
  if (sb_checkpoint_reads(c)) PetscCall(sb_integrator_recall(m->integrator, m->step, m->setup->x, m->setup->v, memory));
  for (size_t i = 0; i < count; ++i) PetscCall(VecDestroy(&memory[i]));
  PetscCall(PetscFree(memory));
  PetscFunctionReturn(0);
}

/* Passes the rest of the system's state besides positions and velocities. */
static void keep_system(const sb_system *system, sb_checkpoint *c)
{
  if (system->contact) {
    sb_contact_measures measures = sb_contact_measured(system->contact);
    SB_CHECKPOINT(c, measures);
    sb_contact_restore(system->contact, &measures);
  }
  if (system->fluid)
    sb_checkpoint_bytes(c, "pressures", system->fluid->particles.count * sizeof *system->fluid->last,
                        system->fluid->last);
}

static PetscErrorCode keep_all(sb_march *m, sb_checkpoint *c)
{
  PetscFunctionBeginUser;
  SB_CHECKPOINT(c, m->step);
  SB_CHECKPOINT(c, m->partial);
  sb_checkpoint_bytes(c, "flops", sizeof(double), sb_integrator_flops(m->integrator));
  PetscCall(sb_march_keep_vector(c, "x", m->setup->x));
  PetscCall(sb_march_keep_vector(c, "v", m->setup->v));
  keep_system(m->setup->system, c);
  SB_CHECKPOINT(c, m->setup->balance.scale);
  SB_CHECKPOINT(c, m->setup->balance.so_far);
  PetscCall(keep_memories(m, c));
  PetscCall(sb_recorder_keep(m->recorder, c, m->setup->x));
  PetscCall(m->keep(m->driver, c));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_march_begin(sb_march *m, sb_setup *setup, sb_integrator *integrator, sb_recorder *recorder,
                              bool *continued)
{
  sb_checkpoint *stored = sb_recorder_continued(recorder);

  PetscFunctionBeginUser;
  m->setup = setup;
  m->integrator = integrator;
  m->recorder = recorder;
  *continued = stored != NULL;
  if (!stored) PetscFunctionReturn(0);
  PetscCall(keep_all(m, stored));
  PetscCall(sb_recorder_continue(m->recorder));
  PetscFunctionReturn(0);
}

static bool look(void *march, int64_t step)
{
  const sb_march *m = march;
  sb_recorder_progress(m->recorder, step);
  return sb_recorder_is_asked_to_stop(m->recorder, step);
}

void sb_march_watch(sb_march *m, int64_t total)
{
  sb_recorder_progress_begin(m->recorder, "step", m->step, total);
  sb_integrator_set_watch(m->integrator, (sb_step_watch){look, m});
}

bool sb_march_is_within(const sb_march *march) { return march->partial.steps_done > 0; }

static PetscErrorCode leave(sb_march *m)
{
  sb_checkpoint *c = sb_checkpoint_create();

  PetscFunctionBeginUser;
  PetscCall(keep_all(m, c));
  PetscCall(sb_recorder_leave(m->recorder, c, m->step));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_march_advance(sb_march *m, int64_t first_step, int64_t steps, sb_advance_report *report)
{
  const int64_t done = m->partial.steps_done;

  PetscFunctionBeginUser;
  /* A process makes at least one step, so that one that is always stopped comes to its end too. */
  if (m->moved && sb_recorder_is_asked_to_stop(m->recorder, m->step)) PetscCall(leave(m));
  PetscCall(sb_integrator_advance(m->integrator, first_step + done, steps - done, m->setup->x, m->setup->v, report));
  sb_minimizer_counts_add(report, &m->partial); /* the report of an advance in two parts */
  m->step = first_step + report->steps_done;
  m->moved = true;
  m->partial = (sb_advance_report){0};
  if (report->status != SB_CASE_INTERRUPTED) PetscFunctionReturn(0);
  m->partial = *report;
  PetscCall(leave(m));
  PetscFunctionReturn(0);
}
