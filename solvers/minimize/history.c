/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of vectors; see history.h. */
#include "solvers/minimize/history.h"

PetscErrorCode sb_history_create(sb_history *history, Vec like, PetscInt window)
{
  PetscFunctionBeginUser;
  history->window = window;
  if (window == 0) PetscFunctionReturn(0);
  PetscCall(VecDuplicateVecs(like, window, &history->first));
  PetscCall(VecDuplicateVecs(like, window, &history->second));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_history_destroy(sb_history *history)
{
  PetscFunctionBeginUser;
  if (history->first) PetscCall(VecDestroyVecs(history->window, &history->first));
  if (history->second) PetscCall(VecDestroyVecs(history->window, &history->second));
  PetscFunctionReturn(0);
}

void sb_history_push(sb_history *history, Vec *first, Vec *second)
{
  *first = *second = NULL;
  if (history->window == 0) return;
  history->newest = history->count == 0 ? 0 : (history->newest + 1) % history->window;
  history->count = PetscMin(history->count + 1, history->window);
  *first = history->first[history->newest];
  *second = history->second[history->newest];
}

void sb_history_drop(sb_history *history)
{
  history->newest = (history->newest + history->window - 1) % history->window;
  history->count--;
}

PetscInt sb_history_at(const sb_history *history, PetscInt age)
{
  return (history->newest + history->window - age) % history->window;
}
