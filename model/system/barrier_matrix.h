/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The matrix of a potential with a barrier: the system's matrix plus the barrier's Hessian, whose pattern changes with
 * the near pairs. One rank. */
#pragma once

#include "model/system/system.h"

typedef struct sb_barrier_matrix sb_barrier_matrix;

/* The system has a barrier and is borrowed. */
PetscErrorCode sb_barrier_matrix_create(sb_system *system, sb_barrier_matrix **matrix);
PetscErrorCode sb_barrier_matrix_destroy(sb_barrier_matrix **matrix);
/* Begins a step with room for its own pairs only, not those of earlier steps. So a run continued from a stored state
 * eliminates in the same order as an uninterrupted one and has the same bits. */
PetscErrorCode sb_barrier_matrix_begin_step(sb_barrier_matrix *matrix);
/* *sum = base + the barrier's Hessian at x, positive semi-definite (barrier_pair.h); base is one of the system's block
 * matrices. The barrier matrix owns *sum, which is valid until the next call. *is_new: it is another Mat than before,
 * with another pattern. */
PetscErrorCode sb_barrier_matrix_add(sb_barrier_matrix *matrix, Vec x, Mat base, Mat *sum, bool *is_new);
