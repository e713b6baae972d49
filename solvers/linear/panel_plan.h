/* What a pattern alone decides about backend `panel`: the order of elimination, the columns of the factor in panels,
 * and which entry of the matrix goes where.
 *
 * P A P^T = L D L^T with a unit diagonal of L. A panel is a run of at most SB_PANEL_WIDTH columns that have the same
 * rows below them, some of these zero. Its values are a square block, of which the strict lower triangle counts, and
 * below it one line for each row, so that a line is one vector of the machine at the most.
 *
 * For several threads the panels are dealt out in parts: subtrees of the elimination tree, which need nothing of each
 * other, and what is above all of them, which waits for them (panel_parts.h). Results depend on the number of parts,
 * but not on how many threads there are in truth, nor on which is first. */
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
  int64_t places, places_end; /* where theirs stand in the plan's places */
} sb_panel_range;

typedef struct {
  int             rows;        /* of the matrix */
  int             panels;      /* how many */
  int            *order;       /* [rows] the matrix's row that is eliminated as the i-th */
  int            *first;       /* [panels + 1] a panel's first column; width p = first[p + 1] - first[p] */
  int64_t        *row_start;   /* [panels] where they stand in `row`: panels of one supernode share a list */
  int            *row;         /* ascending in a panel */
  sb_panel_shape *shape;       /* [panels] */
  int            *places;      /* by ranges and their panels, for solves: where their columns stand in b and x, then
                                * where their rows below stand in the work space */
  int             parts;       /* for so many threads; the part with this number is what is above all others */
  sb_panel_range *range;       /* [range_start[parts + 1]] those of part 0, of part 1, …, ascending in each */
  int            *range_start; /* [parts + 2] */
  int             above;       /* rows above all parts */
  int            *above_row;   /* [above] ascending */
  int             above_lines; /* of the panels of these, gathered */
  int64_t        *value_start; /* [panels + 1] where its values stand: width^2, then [below][width] */
  int            *panel_of;    /* [rows] */
  int64_t        *entry_start; /* [panels + 1] into the next two: entries of the lower half of P A P^T in its columns */
  int            *entry;       /* which value of the matrix */
  int            *place;       /* where in the panel as it is gathered, [width + below][SB_PANEL_WIDTH] */
  PetscInt       *diagonal;    /* [rows] by the matrix's rows: which value is its diagonal entry, -1: none */
  int             tallest;     /* most rows of a panel, those of its square block included */
  double          nonzeros, flops; /* of L, zeros that panels carry included, and of its factorisation */
} sb_panel_plan;

/* Numbers of a row in the work space of solves with one right-hand side, and with three. */
enum { SB_PANEL_ONE = 1, SB_PANEL_THREE = 4 };

/* Plans for a symmetric pattern whose rows and columns are there in full, and for solves with one right-hand side (each
 * after a factorisation) or with three (many after one); on so many threads, or on one, where there is less than
 * `work_least` to be done or more would not pay. Work is operations of a factorisation, or entries of L. Where it
 * consists of dense 3x3 blocks (the matrix of Newton's method), the order is found on the graph of blocks. Sizes beyond
 * CHOLMOD's integers are PETSC_ERR_ARG_OUTOFRANGE. `plan` comes zeroed; destroy takes what create left unfinished, too.
 */
PetscErrorCode sb_panel_plan_create(const sb_csr *A, int columns, int threads, double work_least, sb_panel_plan *plan);
PetscErrorCode sb_panel_plan_destroy(sb_panel_plan *plan);
