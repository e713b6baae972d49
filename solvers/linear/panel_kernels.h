/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of backend `panel` on plain arrays, compiled for several instruction sets. Local; the kernels
 * allocate nothing. */
#pragma once

#include <stdbool.h>

#include "base/instruction_set.h"
#include "solvers/linear/panel_plan.h"

/* Arrays of a factorisation; rows of SB_PANEL_WIDTH values and the work space are aligned to 64 bytes. Each thread has
 * its own slice of the scratch arrays. The panels above all parts use slice 0, but the last slice of `head`. */
typedef struct {
  double *value;           /* L by panels, followed by SB_PANEL_WIDTH zeros, as full rows are read */
  double *pivot, *inverse; /* [rows] D and its inverse */
  double *gathered;        /* [parts][plan.tallest][SB_PANEL_WIDTH] scratch: the current panel */
  double *above;           /* [parts][plan.above_lines][SB_PANEL_WIDTH] a part's updates of the panels above; NULL for
                            * one part */
  double *work;            /* [rows + (parts - 1) plan.above][1 or 4] scratch of solves; copies of the rows above are at
                            * the end */
  int *local;              /* [parts][rows] scratch: position of a row in the current panel */
  int *head;               /* [parts + 1][panels] scratch: lists of panels that have a row in the current panel, */
  int *next, *at;          /* [panels] linked by `next`, and the position of that row */
} sb_panel_factor_arrays;

/* `numbers` is zeroed before create; destroy also accepts the result of a failed create. */
PetscErrorCode sb_panel_numbers_create(const sb_panel_plan *plan, sb_panel_factor_arrays *numbers);
PetscErrorCode sb_panel_numbers_destroy(sb_panel_factor_arrays *numbers);

/* x = A^-1 b has two halves, y = L^-1 P b and x = P^T L^-T D^-1 y. These functions do one part: after the parts below
 * it in the first half, before them in the second. b and x are [rows] or [rows][3], and may be the same. */
typedef void (*sb_panel_descend)(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part,
                                 const double *b);
typedef void (*sb_panel_ascend)(const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers, int part, double *x);

typedef struct {
  sb_panel_descend descend;
  sb_panel_ascend  ascend;
} sb_panel_solve;

typedef struct {
  /* P A P^T = L D L^T for the values `a`, indexed by the plan's entries, of one part. Stops with false at a pivot that
   * is not positive. */
  bool (*factorize)(const sb_panel_plan *plan, const double *a, int part, sb_panel_factor_arrays *numbers);
  sb_panel_solve one, three; /* with one right-hand side, with three */
} sb_panel_kernels;

/* Factorises all parts, on up to plan->parts threads. False if the matrix is not positive definite. */
bool sb_panel_factorize(const sb_panel_kernels *kernels, const sb_panel_plan *plan, const double *a,
                        sb_panel_factor_arrays *numbers);
/* x = A^-1 b, [rows] or [rows][3] according to the plan and `solve`. b and x may be the same. */
void sb_panel_solve_by(sb_panel_solve solve, const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers,
                       const double *b, double *x);

/* By instruction set; they differ in rounding. */
SB_DECLARE_TABLES(sb_panel_kernels, sb_panel);
