/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last few pairs of vectors of a method; the newest replaces the oldest. Collective. */
#pragma once

#include <petscvec.h>

enum { SB_WINDOW_MAX = 50 };

typedef struct {
  Vec     *first, *second; /* [window] */
  PetscInt window, count, newest;
} sb_history;

/* Allocates `window` pairs of vectors like `like`; empty. */
PetscErrorCode sb_history_create(sb_history *history, Vec like, PetscInt window);
PetscErrorCode sb_history_destroy(sb_history *history);
/* Returns room for a new pair (*first, *second), which the caller fills; a full history loses its oldest. With a window
 * of 0 both are NULL. */
void sb_history_push(sb_history *history, Vec *first, Vec *second);
/* Removes the newest pair. */
void sb_history_drop(sb_history *history);
/* The index of the pair of age 0 (the newest) to count - 1. */
PetscInt sb_history_at(const sb_history *history, PetscInt age);
