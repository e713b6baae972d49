/* The arithmetic of backend `panel` on plain arrays, compiled for several instruction sets. Local; the kernels
 * allocate nothing. */
#pragma once

#include <stdbool.h>

#include "base/instruction_set.h"
#include "solvers/linear/panel_plan.h"

/* What the numbers of a factorisation stand in; lines of SB_PANEL_WIDTH and the work space start at 64 bytes. Scratch
 * of parts stands one behind the other; what is above all of them borrows that of part 0, and has the last of `head`.
 */
typedef struct {
  double *value;           /* L by panels, and SB_PANEL_WIDTH zeros behind it: lines are read whole */
  double *pivot, *inverse; /* [rows] D and its inverse */
  double *gathered;        /* [parts][plan.tallest][SB_PANEL_WIDTH] scratch: the panel at hand */
  double *above;           /* [parts][plan.above_lines][SB_PANEL_WIDTH] what a part takes from the panels above; NULL
                            * for one part */
  double *work;            /* [rows + (parts - 1) plan.above][1 or 4] scratch of solves: copies of rows above behind */
  int    *local;           /* [parts][rows] scratch: where a row stands in the panel at hand */
  int    *head;            /* [parts + 1][panels] scratch: lists of panels that have a row in the panel at hand, */
  int    *next, *at;       /* [panels] by `next`, and where that row is */
} sb_panel_factor_arrays;

/* `numbers` comes zeroed; destroy takes what create left unfinished, too. */
PetscErrorCode sb_panel_numbers_create(const sb_panel_plan *plan, sb_panel_factor_arrays *numbers);
PetscErrorCode sb_panel_numbers_destroy(sb_panel_factor_arrays *numbers);

/* x = A^-1 b has two halves, y = L^-1 P b and x = P^T L^-T D^-1 y; a function does that of one part, after those below
 * it on the way down, before them on the way up. b and x are [rows] or [rows][3], and may be the same. */
typedef void (*sb_panel_descend)(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part,
                                 const double *b);
typedef void (*sb_panel_ascend)(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part, double *x);

typedef struct {
  sb_panel_descend descend;
  sb_panel_ascend  ascend;
} sb_panel_solve;

typedef struct {
  /* P A P^T = L D L^T of the values `a` that the plan's entries count in, those of one part. False when a pivot is not
   * positive, and then it ends there. */
  bool (*factorize)(const sb_panel_plan *plan, const double *a, int part, sb_panel_factor_arrays *numbers);
  sb_panel_solve one, three; /* with one right-hand side, with three */
} sb_panel_kernels;

/* All parts, on plan->parts threads or as many as there are. False when the matrix is not positive definite. */
bool sb_panel_factorize(const sb_panel_kernels *kernels, const sb_panel_plan *plan, const double *a,
                        sb_panel_factor_arrays *numbers);
/* x = A^-1 b, [rows] or [rows][3] as the plan says and `solve` does. b and x may be the same. */
void sb_panel_solve_by(sb_panel_solve solve, const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers,
                       const double *b, double *x);

/* By instruction set; they differ in rounding. */
SB_DECLARE_TABLES(sb_panel_kernels, sb_panel);
