/* The last few pairs of vectors that a method has seen, the newest in the place of the oldest. Collective. */
#pragma once

#include <petscvec.h>

enum { SB_WINDOW_MAX = 50 };

typedef struct {
  Vec     *first, *second; /* [window] */
  PetscInt window, count, newest;
} sb_history;

/* Room for `window` pairs of vectors like `like`; none yet. */
PetscErrorCode sb_history_create(sb_history *history, Vec like, PetscInt window);
PetscErrorCode sb_history_destroy(sb_history *history);
/* A place for a new pair, which the caller fills: (*first, *second). Of what is there the oldest goes. With a window of
 * 0 both are NULL. */
void sb_history_push(sb_history *history, Vec *first, Vec *second);
/* Takes the newest pair back. */
void sb_history_drop(sb_history *history);
/* The place of the pair of age 0 (the newest) to count - 1. */
PetscInt sb_history_at(const sb_history *history, PetscInt age);
