/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vecs of a system: made, filled from a pose, read with their ghosts, copied between all and free vertices. */
#include "model/system/system.h"

#include <string.h>

PetscErrorCode sb_system_create_full(const sb_system *system, Vec *full)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(system->full_template, full));
  PetscCall(VecZeroEntries(*full));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_create_unknowns(const sb_system *system, Vec *unknowns)
{
  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(system->unknown_template, unknowns));
  PetscCall(VecZeroEntries(*unknowns));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_ghosts(const sb_system *system, Vec full)
{
  PetscFunctionBeginUser;
  if (system->ranks == 1) PetscFunctionReturn(0);
  PetscCall(VecGhostUpdateBegin(full, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(VecGhostUpdateEnd(full, INSERT_VALUES, SCATTER_FORWARD));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_set_state(const sb_system *system, const sb_pose *pose, Vec x, Vec v)
{
  const size_t from = 3 * ((size_t)system->first_vertex - pose->slab.first_vertex), count = 3 * (size_t)system->owned;
  PetscScalar *position, *velocity;
  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(x, &position));
  PetscCall(VecGetArrayWrite(v, &velocity));
  PetscCall(PetscArraycpy(position, pose->position + from, count));
  PetscCall(PetscArraycpy(velocity, pose->velocity + from, count));
  PetscCall(VecRestoreArrayWrite(x, &position));
  PetscCall(VecRestoreArrayWrite(v, &velocity));
  PetscCall(update_ghosts(system, x));
  PetscCall(update_ghosts(system, v));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_array(const sb_system *system, Vec full, const double **array)
{
  Vec local = full;
  PetscFunctionBeginUser;
  if (system->ranks > 1) PetscCall(VecGhostGetLocalForm(full, &local));
  PetscCall(VecGetArrayRead(local, array));
  if (system->ranks > 1) PetscCall(VecGhostRestoreLocalForm(full, &local)); /* `full` keeps it until the end */
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_begin_read(const sb_system *system, Vec full, const double **array)
{
  PetscFunctionBeginUser;
  PetscCall(update_ghosts(system, full));
  PetscCall(take_array(system, full, array));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_end_read(const sb_system *system, Vec full, const double **array)
{
  Vec local = full;
  PetscFunctionBeginUser;
  if (system->ranks > 1) PetscCall(VecGhostGetLocalForm(full, &local));
  PetscCall(VecRestoreArrayRead(local, array));
  if (system->ranks > 1) PetscCall(VecGhostRestoreLocalForm(full, &local));
  PetscFunctionReturn(0);
}

static void await(void *context)
{
  sb_arrival *ghosts = context;
  if (ghosts->full) ghosts->failure = VecGhostUpdateEnd(ghosts->full, INSERT_VALUES, SCATTER_FORWARD);
  ghosts->full = NULL;
}

PetscErrorCode sb_system_begin_exchange(const sb_system *system, Vec full, sb_arrival *ghosts, const double **array)
{
  PetscFunctionBeginUser;
  *ghosts = (sb_arrival){0};
  if (system->ranks == 1 || !system->bands || system->law) { /* tangents need the ghosts at once */
    PetscCall(sb_system_begin_read(system, full, array));
    PetscFunctionReturn(0);
  }
  ghosts->full = full;
  PetscCall(VecGhostUpdateBegin(full, INSERT_VALUES, SCATTER_FORWARD));
  PetscCall(take_array(system, full, array));
  system->bands->arrive = await;
  system->bands->context = ghosts;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_end_exchange(const sb_system *system, Vec full, sb_arrival *ghosts, const double **array)
{
  PetscFunctionBeginUser;
  await(ghosts); /* if no spring needed them */
  if (system->bands) system->bands->arrive = NULL;
  PetscCall(ghosts->failure);
  PetscCall(sb_system_end_read(system, full, array));
  PetscFunctionReturn(0);
}

static PetscErrorCode move(const sb_system *system, sb_move move, double alpha, Vec from, Vec to, bool *moved)
{
  PetscFunctionBeginUser;
  *moved = false;
  if (system->move_unknowns) PetscCall(system->move_unknowns(system, move, alpha, from, to, moved));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_restrict(const sb_system *system, Vec full, Vec unknowns)
{
  const PetscScalar *from;
  PetscScalar       *to;
  bool               moved;
  PetscFunctionBeginUser;
  PetscCall(move(system, SB_MOVE_TAKE, 0, full, unknowns, &moved));
  if (moved) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(full, &from));
  PetscCall(VecGetArrayWrite(unknowns, &to));
  for (const sb_unknown_run *r = system->run; r < system->run + system->runs; ++r)
    memcpy(to + 3 * r->unknown, from + 3 * r->vertex, 3 * (size_t)r->count * sizeof *to);
  PetscCall(VecRestoreArrayWrite(unknowns, &to));
  PetscCall(VecRestoreArrayRead(full, &from));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_add_unknowns(const sb_system *system, double alpha, Vec unknowns, Vec full)
{
  const PetscScalar *from;
  PetscScalar       *to;
  bool               moved;
  PetscFunctionBeginUser;
  PetscCall(move(system, SB_MOVE_ADD, alpha, unknowns, full, &moved));
  if (moved) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(unknowns, &from));
  PetscCall(VecGetArray(full, &to));
  for (const sb_unknown_run *r = system->run; r < system->run + system->runs; ++r)
    for (PetscInt k = 0; k < 3 * r->count; ++k) to[3 * r->vertex + k] += alpha * from[3 * r->unknown + k];
  PetscCall(VecRestoreArray(full, &to));
  PetscCall(VecRestoreArrayRead(unknowns, &from));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_set_unknowns(const sb_system *system, Vec unknowns, Vec full)
{
  const PetscScalar *from;
  PetscScalar       *to;
  bool               moved;
  PetscFunctionBeginUser;
  PetscCall(move(system, SB_MOVE_SET, 0, unknowns, full, &moved));
  if (moved) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(unknowns, &from));
  PetscCall(VecGetArray(full, &to));
  for (const sb_unknown_run *r = system->run; r < system->run + system->runs; ++r)
    memcpy(to + 3 * r->vertex, from + 3 * r->unknown, 3 * (size_t)r->count * sizeof *to);
  PetscCall(VecRestoreArray(full, &to));
  PetscCall(VecRestoreArrayRead(unknowns, &from));
  PetscFunctionReturn(0);
}
