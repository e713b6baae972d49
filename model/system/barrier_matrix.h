/* The matrix of a potential with a barrier: that of a system, and the barrier's Hessian, whose pattern changes with the
 * places of the layers. One rank. */
#pragma once

#include "model/system/system.h"

typedef struct sb_barrier_matrix sb_barrier_matrix;

/* The system has a barrier, and is borrowed. */
PetscErrorCode sb_barrier_matrix_create(sb_system *system, sb_barrier_matrix **matrix);
PetscErrorCode sb_barrier_matrix_destroy(sb_barrier_matrix **matrix);
/* A step begins: it makes room for its own pairs, whatever those of earlier steps were, so that a run that goes on from
 * a stored state eliminates in the same order as one that never stopped, and gives the same bits. */
PetscErrorCode sb_barrier_matrix_begin_step(sb_barrier_matrix *matrix);
/* *sum = base + the barrier's Hessian at x, positive semi-definite (barrier_pair.h), base being one of the system's
 * block matrices. *sum is the barrier matrix's own, good until the next call; *is_new: it is another Mat than before,
 * with another pattern. */
PetscErrorCode sb_barrier_matrix_add(sb_barrier_matrix *matrix, Vec x, Mat base, Mat *sum, bool *is_new);
