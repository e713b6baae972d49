/* The arithmetic of backend `panel` on plain arrays, compiled for several instruction sets. Local; the kernels
 * allocate nothing. */
#pragma once

#include "base/instruction_set.h"
#include "solvers/linear/panel_plan.h"

/* What the numbers of a factorisation stand in; lines of SB_PANEL_WIDTH and the work space start at 64 bytes. */
typedef struct {
  double *value;            /* L by panels, and SB_PANEL_WIDTH zeros behind it: lines are read whole */
  double *pivot, *inverse;  /* [rows] D and its inverse */
  double *gathered;         /* [plan.tallest][SB_PANEL_WIDTH] scratch: the panel at hand */
  double *work;             /* [rows][4] scratch of solves */
  int    *local;            /* [rows] scratch: where a row stands in the panel at hand */
  int    *head, *next, *at; /* [panels] scratch: which panels have a row in the panel at hand, and where it is */
} sb_panel_numbers;

/* `numbers` comes zeroed; destroy takes what create left unfinished, too. */
PetscErrorCode sb_panel_numbers_create(const sb_panel_plan *plan, sb_panel_numbers *numbers);
PetscErrorCode sb_panel_numbers_destroy(sb_panel_numbers *numbers);

typedef struct {
  /* P A P^T = L D L^T of the values `a` that the plan's entries count in; returns how many pivots, from the first on,
   * are positive: fewer than rows when the matrix is not positive definite, and then ends there. */
  int (*factorize)(const sb_panel_plan *plan, const double *a, sb_panel_numbers *numbers);
  /* x = A^-1 b, [rows] and [rows][3]. b and x may be the same. */
  void (*solve)(const sb_panel_plan *plan, const sb_panel_numbers *numbers, const double *b, double *x);
  void (*solve_columns)(const sb_panel_plan *plan, const sb_panel_numbers *numbers, const double *b, double *x);
} sb_panel_kernels;

/* By instruction set; they differ in rounding. */
SB_DECLARE_TABLES(sb_panel_kernels, sb_panel);
