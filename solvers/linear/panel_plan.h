/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of backend `panel` that depend only on the pattern: the elimination order, the columns of the factor in
 * panels, and the position of each matrix entry.
 *
 * P A P^T = L D L^T with a unit diagonal of L. A panel is a run of at most SB_PANEL_WIDTH columns with the same rows
 * below them, padded by zeros. Its values are a square block, of which only the strict lower triangle is used, followed
 * by one line per row below, so that a line is at most one vector register.
 *
 * For several threads the panels are split into parts: independent subtrees of the elimination tree, and the panels
 * above all of them, which wait for them (panel_parts.h). Results depend on the number of parts, but not on the actual
 * number of threads or their order. */
#pragma once

#include <stdint.h>

#include <petscmat.h>

#include "solvers/linear/csr.h"

enum { SB_PANEL_WIDTH = 8 };

typedef struct {
  int width, below; /* columns, and rows below its square block */
} sb_panel_shape;

/* Panels first … end - 1. */
typedef struct {
  int     first, end;
  int64_t places, places_end; /* the range of theirs in the plan's places */
} sb_panel_range;

typedef struct {
  int             rows;        /* of the matrix */
  int             panels;      /* how many */
  int            *order;       /* [rows] the row of the matrix that is eliminated i-th */
  int            *first;       /* [panels + 1] a panel's first column; width p = first[p + 1] - first[p] */
  int64_t        *row_start;   /* [panels] start of its rows in `row`: panels of one supernode share a list */
  int            *row;         /* ascending in a panel */
  sb_panel_shape *shape;       /* [panels] */
  int            *places;      /* by ranges and their panels, for solves: positions of their columns in b and x, then of
                                * their rows below in the work space */
  int             parts;       /* one per thread; index `parts` is the part above all others */
  sb_panel_range *range;       /* [range_start[parts + 1]] those of part 0, of part 1, …, ascending in each */
  int            *range_start; /* [parts + 2] */
  int             above;       /* rows above all parts */
  int            *above_row;   /* [above] ascending */
  int             above_lines; /* total over their panels, gathered */
  int64_t        *value_start; /* [panels + 1] start of its values: width^2, then [below][width] */
  int            *panel_of;    /* [rows] */
  int64_t        *entry_start; /* [panels + 1] into the next two: entries of the lower half of P A P^T in its columns */
  int            *entry;       /* index of the value in the matrix */
  int            *place;       /* position in the gathered panel, [width + below][SB_PANEL_WIDTH] */
  PetscInt       *diagonal;    /* [rows] by the matrix's rows: index of its diagonal value, -1: none */
  int             tallest;     /* most rows of a panel, including its square block */
  double          nonzeros, flops; /* of L, including padding zeros, and of its factorisation */
} sb_panel_plan;

/* Values per row in the work space of solves with one right-hand side, and with three. */
enum { SB_PANEL_ONE = 1, SB_PANEL_THREE = 4 };

/* Plans for a symmetric pattern, given in full, and for solves with one right-hand side (each after a factorisation) or
 * three (many after one). It uses `threads` threads, or one if the work is below `work_least` or more threads would not
 * pay; work is operations of a factorisation, or entries of L. If the pattern consists of dense 3x3 blocks (the matrix
 * of Newton's method), the order is computed on the graph of blocks. Sizes beyond CHOLMOD's integers are
 * PETSC_ERR_ARG_OUTOFRANGE. `plan` is zeroed before create; destroy also accepts the result of a failed create. */
PetscErrorCode sb_panel_plan_create(const sb_csr *A, int columns, int threads, double work_least, sb_panel_plan *plan);
PetscErrorCode sb_panel_plan_destroy(sb_panel_plan *plan);
