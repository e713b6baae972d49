/* The loop of backends with iterations x+ = x + a correction from the residual, and its stopping rule: shared by
 * jacobi, sor and chebyshev. Columns iterate together until each is within tolerance, as if each were solved alone. */
#pragma once

#include "solvers/linear/linear_backend.h"

typedef struct {
  int columns;
  Mat product;  /* A, or A (x) I_3 for three columns */
  Vec residual; /* b's shape */
} sb_stationary;

/* One iteration of a backend. */
typedef struct {
  /* Changes x, which has the residual r = b - A x after k iterations. */
  PetscErrorCode (*advance)(void *state, Vec b, Vec r, Vec x, PetscInt k);
  void       *state;
  const char *diverging; /* the reason given if the residual grows 10000 times or is not finite */
} sb_stationary_step;

/* Collective. Destroy accepts a zeroed struct. */
PetscErrorCode sb_stationary_create(Mat A, int columns, sb_stationary *loop);
PetscErrorCode sb_stationary_destroy(sb_stationary *loop);
/* As `solve` of a backend: residuals relative to |b|_2, column by column. Allocates nothing. Collective. */
PetscErrorCode sb_stationary_solve(sb_stationary *loop, const sb_stationary_step *iteration, Vec b, Vec x,
                                   const sb_goal *goal, sb_solve_report *report);
