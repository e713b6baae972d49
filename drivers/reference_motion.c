/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading and storing motions of the reference; see reference_motion.h. A motion is a checkpoint without a case. */
#include "drivers/reference_motion.h"

#include <stdlib.h>

#include "base/allocate.h"
#include "cases/describe/case_options.h"
#include "drivers/march.h"

struct sb_reference_motion {
  sb_arena              *arena;
  const char            *path;
  sb_checkpoint         *checkpoint; /* NULL: nothing is shared */
  sb_checkpoint_identity identity;
};

PetscErrorCode sb_reference_motion_create(const sb_case *c, const char *meaning, const sb_recorder *recorder,
                                          sb_reference_motion **motion)
{
  sb_arena            *arena = sb_arena_create();
  sb_reference_motion *m = sb_arena_take(arena, 1, sizeof *m);
  char                 key[SB_DIGEST_LENGTH + 1], why[256];

  PetscFunctionBeginUser;
  *motion = m;
  m->arena = arena;
  if (!c->shared || SB_INTEGER(c->options, ranks) > 1) PetscFunctionReturn(0);
  sb_digest_of_text(meaning, key);
  m->path = sb_arena_format(arena, "%s/%s.motion", c->shared, key);
  sb_recorder_identify(recorder, sb_arena_copy(arena, key), sb_arena_copy(arena, meaning), &m->identity);
  m->checkpoint = sb_checkpoint_load(m->path, &m->identity, NULL, why);
  if (!m->checkpoint) m->checkpoint = sb_checkpoint_create();
  PetscFunctionReturn(0);
}

bool sb_reference_motion_is_known(const sb_reference_motion *motion)
{
  return motion->checkpoint && sb_checkpoint_reads(motion->checkpoint);
}

PetscErrorCode sb_reference_motion_pass_vector(sb_reference_motion *motion, const char *name, Vec vector)
{
  sb_checkpoint *c = motion->checkpoint;

  PetscFunctionBeginUser;
  if (!c) PetscFunctionReturn(0);
  PetscCall(sb_march_keep_vector(c, name, vector));
  PetscCheck(sb_checkpoint_good(c), PETSC_COMM_SELF, PETSC_ERR_FILE_UNEXPECTED,
             "'%s' is not the reference motion of this case; remove the file", motion->path);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_motion_pass(sb_reference_motion *motion, Vec minimum, sb_reference_report *report)
{
  sb_checkpoint *c = motion->checkpoint;

  PetscFunctionBeginUser;
  if (!c) PetscFunctionReturn(0);
  SB_CHECKPOINT(c, report->gradient_norm);
  SB_CHECKPOINT(c, report->allowed);
  SB_CHECKPOINT(c, report->objective);
  SB_CHECKPOINT(c, report->objective_noise);
  SB_CHECKPOINT(c, report->outcome);
  SB_CHECKPOINT(c, report->saddles);
  SB_CHECKPOINT(c, report->at_saddle);
  PetscCall(sb_reference_motion_pass_vector(motion, "minimum", minimum));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_motion_destroy(sb_reference_motion **motion, bool whole)
{
  PetscFunctionBeginUser;
  if (!*motion) PetscFunctionReturn(0);
  sb_checkpoint *c = (*motion)->checkpoint;
  if (c && whole && !sb_checkpoint_reads(c)) (void)sb_checkpoint_store(c, (*motion)->path, &(*motion)->identity, NULL);
  sb_checkpoint_destroy(&c);
  sb_arena *arena = (*motion)->arena;
  sb_arena_destroy(&arena);
  *motion = NULL;
  PetscFunctionReturn(0);
}
