/* The loop of backends that iterate x+ = x + a correction made of the residual, and when it ends: shared by jacobi, sor
 * and chebyshev. Columns go on together until each is within tolerance by itself, as if each were solved alone. */
#pragma once

#include "solvers/linear/linear_backend.h"

typedef struct {
  int columns;
  Mat product;  /* A, or A (x) I_3 for three columns */
  Vec residual; /* b's shape */
} sb_stationary;

/* One iteration of a backend. */
typedef struct {
  /* Changes x, of which r = b - A x is the residual and k iterations went before. */
  PetscErrorCode (*advance)(void *state, Vec b, Vec r, Vec x, PetscInt k);
  void       *state;
  const char *diverging; /* what is wrong when the residual grows 10000 times, or is no number */
} sb_stationary_step;

/* Collective. Destroy accepts what is zeroed. */
PetscErrorCode sb_stationary_create(Mat A, int columns, sb_stationary *loop);
PetscErrorCode sb_stationary_destroy(sb_stationary *loop);
/* As `solve` of a backend: residuals by |b|_2, column by column. Allocates nothing. Collective. */
PetscErrorCode sb_stationary_solve(sb_stationary *loop, const sb_stationary_step *iteration, Vec b, Vec x,
                                   const sb_goal *goal, sb_solve_report *report);
