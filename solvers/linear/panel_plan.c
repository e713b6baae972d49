/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of backend `panel`; see panel_plan.h. The order of elimination and the supernodes are CHOLMOD's (Chen,
 * Davis, Hager, Rajamanickam 2008): minimum degree, nested dissection where CHOLMOD's rule finds that worth a try,
 * postordered. Supernodes are joined to others while that adds few zeros, and cut into panels of equal width. */
#include "solvers/linear/panel_parts.h"

#include <cholmod.h>
#include <limits.h>
#include <stdbool.h>

_Static_assert(sizeof(PetscInt) == sizeof(int) && INT_MAX == PETSC_MAX_INT, "CHOLMOD's int borrows arrays of PetscInt");

enum { BLOCK = 3 };

/* CHOLMOD joins supernodes of up to this many columns if their share of zeros is at most this. Its own choice (4, 16,
 * 48; 0.8, 0.1, 0.05) is for products of matrices by a library. Lines as short as these justify fewer zeros: half of
 * CHOLMOD's, at which a solve of grids takes the least time (docs/performance.md). */
static const size_t joined_columns[3] = {2, 4, 8};
static const double joined_zeros[3] = {0.3, 0.1, 0.05};

/* The graph of a matrix, or of its blocks; the arrays are the matrix's own or not. */
typedef struct {
  PetscInt        rows;
  const PetscInt *start, *column;
  PetscInt       *own_start, *own_column; /* to be freed */
  int             block;
} graph;

/* True if every entry is part of a dense block of 3x3. */
static bool has_blocks(const sb_csr *A)
{
  if (A->rows == 0 || A->rows % BLOCK != 0) return false;
  for (PetscInt row = 0; row < A->rows; ++row) {
    const PetscInt  first = row - row % BLOCK, length = A->start[row + 1] - A->start[row];
    const PetscInt *columns = A->column + A->start[row], *of_first = A->column + A->start[first];
    if (length % BLOCK != 0 || length != A->start[first + 1] - A->start[first]) return false;
    for (PetscInt k = 0; k < length; ++k)
      if (columns[k] != of_first[k] || columns[k] % BLOCK != k % BLOCK) return false;
  }
  return true;
}

static PetscErrorCode graph_create(const sb_csr *A, graph *g)
{
  PetscFunctionBeginUser;
  *g = (graph){.rows = A->rows, .start = A->start, .column = A->column, .block = 1};
  if (!has_blocks(A)) PetscFunctionReturn(0);
  g->block = BLOCK;
  g->rows = A->rows / BLOCK;
  PetscCall(PetscMalloc2(g->rows + 1, &g->own_start, A->start[A->rows] / (BLOCK * BLOCK), &g->own_column));
  PetscInt at = 0;
  for (PetscInt row = 0; row < g->rows; ++row) {
    g->own_start[row] = at;
    for (PetscInt k = A->start[BLOCK * row]; k < A->start[BLOCK * row + 1]; k += BLOCK)
      g->own_column[at++] = A->column[k] / BLOCK;
  }
  g->own_start[g->rows] = at;
  g->start = g->own_start;
  g->column = g->own_column;
  PetscFunctionReturn(0);
}

static PetscErrorCode graph_destroy(graph *g) { return PetscFree2(g->own_start, g->own_column); }

static PetscErrorCode check_analysis(const cholmod_common *common, const cholmod_factor *L, PetscInt rows)
{
  PetscFunctionBeginUser;
  PetscCheck(common->status != CHOLMOD_OUT_OF_MEMORY, PETSC_COMM_SELF, PETSC_ERR_MEM,
             "CHOLMOD ran out of memory with a graph of %d rows", (int)rows);
  PetscCheck(common->status != CHOLMOD_TOO_LARGE, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "the factor of a graph of %d rows has more than 2^31 - 1 entries, too many for CHOLMOD's analysis; an "
             "iterative linear=petsc needs no factor [E215]",
             (int)rows);
  PetscCheck(L && L->is_super, PETSC_COMM_SELF, PETSC_ERR_LIB,
             "CHOLMOD cannot analyse a graph of %d rows: it reports error %d", (int)rows, common->status);
  PetscFunctionReturn(0);
}

/* *L is the caller's to free, also after an error. */
static PetscErrorCode find_supernodes(const graph *g, cholmod_common *common, cholmod_factor **L)
{
  const size_t   rows = (size_t)g->rows;
  cholmod_sparse pattern = {.nrow = rows,
                            .ncol = rows,
                            .nzmax = (size_t)g->start[g->rows],
                            .p = (void *)g->start,
                            .i = (void *)g->column,
                            .stype = -1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_PATTERN,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};

  PetscFunctionBeginUser;
  common->print = 0;
  common->supernodal = CHOLMOD_SUPERNODAL;
  for (int k = 0; k < 3; ++k) {
    common->nrelax[k] = joined_columns[k];
    common->zrelax[k] = joined_zeros[k];
  }
  *L = cholmod_analyze(&pattern, common);
  PetscCall(check_analysis(common, *L, g->rows));
  PetscFunctionReturn(0);
}

static int parts_of(int width) { return (width + SB_PANEL_WIDTH - 1) / SB_PANEL_WIDTH; }

static PetscErrorCode allocate_panels(sb_panel_plan *plan, const cholmod_factor *L, int block)
{
  const int *super = L->super, *start = L->pi;
  int64_t    list = 0;

  PetscFunctionBeginUser;
  for (size_t s = 0; s < L->nsuper; ++s) {
    plan->panels += parts_of(block * (super[s + 1] - super[s]));
    list += (int64_t)block * (start[s + 1] - start[s]);
  }
  PetscCall(PetscMalloc1(plan->rows, &plan->order));
  PetscCall(PetscMalloc1(plan->rows, &plan->panel_of));
  PetscCall(PetscMalloc1(plan->panels + 1, &plan->first));
  PetscCall(PetscMalloc1(plan->panels, &plan->shape));
  PetscCall(PetscMalloc1(plan->panels, &plan->row_start));
  PetscCall(PetscMalloc1(plan->panels + 1, &plan->value_start));
  PetscCall(PetscMalloc1(plan->panels + 1, &plan->entry_start));
  PetscCall(PetscMalloc1(list, &plan->row));
  PetscFunctionReturn(0);
}

/* The panel of `width` columns from `first` on, whose list of rows below begins at `row_start`. */
static void append_panel(sb_panel_plan *plan, int p, int first, int width, int64_t row_start, int below)
{
  plan->first[p] = first;
  plan->shape[p] = (sb_panel_shape){width, below};
  plan->row_start[p] = row_start;
  plan->value_start[p + 1] = plan->value_start[p] + (int64_t)width * (width + below);
  plan->tallest = PetscMax(plan->tallest, width + below);
  for (int j = 0; j < width; ++j) {
    const double column = width - j + below;
    plan->panel_of[first + j] = p;
    plan->nonzeros += column;
    plan->flops += column * column;
  }
}

static void cut_supernodes(sb_panel_plan *plan, const cholmod_factor *L, int block)
{
  const int *super = L->super, *start = L->pi, *rows = L->s, *order = L->Perm;
  int        p = 0;
  int64_t    at = 0;
  for (int i = 0; i < plan->rows; ++i) plan->order[i] = block * order[i / block] + i % block;
  plan->value_start[0] = 0;
  for (size_t s = 0; s < L->nsuper; ++s) {
    const int tall = block * (start[s + 1] - start[s]), width = block * (super[s + 1] - super[s]);
    for (int i = 0; i < tall; ++i) {
      plan->row[at + i] = block * rows[start[s] + i / block] + i % block;
    }
    for (int left = parts_of(width), from = 0; left > 0; --left, ++p) {
      const int part = (width - from + left - 1) / left;
      append_panel(plan, p, block * super[s] + from, part, at + from + part, tall - from - part);
      from += part;
    }
    at += tall;
  }
  plan->first[plan->panels] = plan->rows;
}

/* The position of a row above all parts in the work space of a part: part 0 has the rows themselves, the others have
 * copies after them. */
static int place_in_work(const sb_panel_plan *plan, const int *above_place, int part, int row)
{
  const bool own = part == 0 || part == plan->parts || above_place[row] < 0;
  return own ? row : plan->rows + (part - 1) * plan->above + above_place[row];
}

static void place_rows(sb_panel_plan *plan, int numbers, const int *above_place)
{
  const int columns = numbers == SB_PANEL_ONE ? 1 : 3;
  int64_t   at = 0;
  for (int part = 0; part <= plan->parts; ++part)
    for (int r = plan->range_start[part]; r < plan->range_start[part + 1]; ++r) {
      plan->range[r].places = at;
      for (int p = plan->range[r].first; p < plan->range[r].end; ++p) {
        const int *row = plan->row + plan->row_start[p];
        for (int j = plan->first[p]; j < plan->first[p + 1]; ++j) plan->places[at++] = columns * plan->order[j];
        for (int i = 0; i < plan->shape[p].below; ++i)
          plan->places[at++] = numbers * place_in_work(plan, above_place, part, row[i]);
      }
      plan->range[r].places_end = at;
    }
}

/* Panels of one supernode share a list of rows, but solves read one list from end to end. */
static PetscErrorCode plan_solves(sb_panel_plan *plan, int numbers)
{
  int64_t places = plan->rows;
  int    *above_place;

  PetscFunctionBeginUser;
  for (int p = 0; p < plan->panels; ++p) places += plan->shape[p].below;
  PetscCall(PetscMalloc1(places, &plan->places));
  PetscCall(PetscMalloc1(plan->rows, &above_place));
  for (int i = 0; i < plan->rows; ++i) above_place[i] = -1;
  for (int i = 0; i < plan->above; ++i) above_place[plan->above_row[i]] = i;
  place_rows(plan, numbers, above_place);
  PetscCall(PetscFree(above_place));
  PetscFunctionReturn(0);
}

/* Entries of the lower half of P A P^T by panels; `entry` NULL: only counts them. `local`: scratch, the position of
 * each row in the current panel. */
static void place_entries(sb_panel_plan *plan, const sb_csr *A, const int *place_in_order, int *local)
{
  int64_t at = 0;
  for (int p = 0; p < plan->panels; ++p) {
    const int  first = plan->first[p], width = plan->first[p + 1] - first;
    const int *row = plan->row + plan->row_start[p];
    plan->entry_start[p] = at;
    for (int j = 0; j < width; ++j) local[first + j] = j;
    for (int i = 0; i < plan->shape[p].below; ++i) local[row[i]] = width + i;
    for (int column = first; column < first + width; ++column) {
      const int old = plan->order[column];
      for (int k = A->start[old]; k < A->start[old + 1]; ++k) {
        const int lower = place_in_order[A->column[k]];
        if (lower < column) continue;
        if (plan->entry) {
          plan->entry[at] = k;
          plan->place[at] = SB_PANEL_WIDTH * local[lower] + column - first;
        }
        ++at;
      }
    }
  }
  plan->entry_start[plan->panels] = at;
}

static PetscErrorCode plan_entries(sb_panel_plan *plan, const sb_csr *A)
{
  int *place_in_order, *local;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(plan->rows, &place_in_order, plan->rows, &local));
  for (int i = 0; i < plan->rows; ++i) place_in_order[plan->order[i]] = i;
  place_entries(plan, A, place_in_order, local);
  PetscCall(PetscMalloc1(plan->entry_start[plan->panels], &plan->place));
  PetscCall(PetscMalloc1(plan->entry_start[plan->panels], &plan->entry));
  place_entries(plan, A, place_in_order, local);
  PetscCall(PetscFree2(place_in_order, local));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_diagonal(sb_panel_plan *plan, const sb_csr *A)
{
  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(plan->rows, &plan->diagonal));
  for (PetscInt row = 0; row < A->rows; ++row) {
    plan->diagonal[row] = -1;
    for (PetscInt k = A->start[row]; k < A->start[row + 1]; ++k)
      if (A->column[k] == row) plan->diagonal[row] = k;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode plan_panels(const graph *g, cholmod_common *common, cholmod_factor **L, sb_panel_plan *plan)
{
  PetscFunctionBeginUser;
  PetscCall(find_supernodes(g, common, L));
  PetscCall(allocate_panels(plan, *L, g->block));
  cut_supernodes(plan, *L, g->block);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_panel_plan_create(const sb_csr *A, int columns, int threads, double work_least, sb_panel_plan *plan)
{
  cholmod_common  common;
  cholmod_factor *L = NULL;
  graph           g;

  PetscFunctionBeginUser;
  plan->rows = A->rows;
  PetscCheck(cholmod_start(&common), PETSC_COMM_SELF, PETSC_ERR_LIB, "CHOLMOD does not start");
  PetscCall(graph_create(A, &g));
  const PetscErrorCode planned = plan_panels(&g, &common, &L, plan);
  PetscCall(graph_destroy(&g));
  cholmod_free_factor(&L, &common);
  cholmod_finish(&common);
  PetscCall(planned);
  PetscCall(sb_panel_plan_parts(plan, columns == 1, threads, work_least));
  PetscCall(plan_solves(plan, columns == 1 ? SB_PANEL_ONE : SB_PANEL_THREE));
  PetscCall(plan_entries(plan, A));
  PetscCall(find_diagonal(plan, A));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_panel_plan_destroy(sb_panel_plan *plan)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(plan->order));
  PetscCall(PetscFree(plan->panel_of));
  PetscCall(PetscFree(plan->first));
  PetscCall(PetscFree(plan->shape));
  PetscCall(PetscFree(plan->row_start));
  PetscCall(PetscFree(plan->value_start));
  PetscCall(PetscFree(plan->entry_start));
  PetscCall(PetscFree(plan->row));
  PetscCall(PetscFree(plan->places));
  PetscCall(PetscFree(plan->range));
  PetscCall(PetscFree(plan->range_start));
  PetscCall(PetscFree(plan->above_row));
  PetscCall(PetscFree(plan->entry));
  PetscCall(PetscFree(plan->place));
  PetscCall(PetscFree(plan->diagonal));
  *plan = (sb_panel_plan){0};
  PetscFunctionReturn(0);
}
