/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Matrices ordered by colours, and passes over them; see coloured.h. */
#include "solvers/linear/coloured.h"

#include "solvers/linear/block_diagonal.h"
#include "solvers/linear/coloured_kernels.h"
#include "solvers/linear/colouring.h"

enum { WIDTH = 4 }; /* doubles a vertex in b and x: three and one that fills a vector register */

static const sb_coloured_kernels *kernels(void)
{
  static const sb_coloured_kernels *const tables[] = SB_TABLES(sb_coloured);
  return tables[sb_instruction_set_best()];
}

/* The vertices other than v that the rows of v name, each once, into neighbour; how many. seen [vertices] holds 1 + the
 * last vertex that named each. */
static PetscInt list_neighbours(const sb_csr *csr, int block, PetscInt v, PetscInt *seen, PetscInt *neighbour)
{
  PetscInt count = 0;
  for (PetscInt k = csr->start[block * v]; k < csr->start[block * (v + 1)]; ++k) {
    const PetscInt other = csr->column[k] / block;
    if (other == v || seen[other] == v + 1) continue;
    seen[other] = v + 1;
    neighbour[count++] = other;
  }
  return count;
}

/* Colours of the graph in which v and w are neighbours where either names the other: named [start[vertices]] by v. */
static PetscErrorCode colour_both_ways(PetscInt vertices, const PetscInt *start, const PetscInt *named,
                                       PetscInt *colour, PetscInt *count)
{
  PetscInt *from, *both;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc2(vertices + 2, &from, 2 * (size_t)start[vertices], &both));
  for (PetscInt v = 0; v < vertices; ++v)
    for (PetscInt k = start[v]; k < start[v + 1]; ++k) {
      from[v + 2]++;
      from[named[k] + 2]++;
    }
  for (PetscInt v = 0; v < vertices; ++v) from[v + 2] += from[v + 1];
  for (PetscInt v = 0; v < vertices; ++v) /* from[v + 1] moves from the start of v to its end */
    for (PetscInt k = start[v]; k < start[v + 1]; ++k) {
      both[from[v + 1]++] = named[k];
      both[from[named[k] + 1]++] = v;
    }
  PetscCall(sb_colour_largest_first(&(sb_graph){vertices, from, both}, colour, count));
  PetscCall(PetscFree2(from, both));
  PetscFunctionReturn(0);
}

/* c->order: by colour, then by number; place: its inverse. */
static PetscErrorCode order_by_colour(sb_coloured *c, const PetscInt *colour, PetscInt *place)
{
  PetscInt *next;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(c->colours + 1, &next));
  for (PetscInt v = 0; v < c->vertices; ++v) next[colour[v] + 1]++;
  for (PetscInt i = 0; i < c->colours; ++i) next[i + 1] += next[i];
  for (PetscInt v = 0; v < c->vertices; ++v) {
    place[v] = next[colour[v]]++;
    c->order[place[v]] = v;
  }
  PetscCall(PetscFree(next));
  PetscFunctionReturn(0);
}

/* Assigns a position to each entry of the matrix; [vertices] is the total. The diagonal blocks come after all others.
 */
static void assign_slots(sb_coloured *c, const sb_csr *csr, const PetscInt *place, PetscInt *at)
{
  const PetscInt block = c->block;
  for (PetscInt i = 0; i < c->vertices; ++i) {
    const PetscInt v = c->order[i];
    for (PetscInt e = c->start[i]; e < c->start[i + 1]; ++e) at[c->column[e]] = e;
    at[i] = c->start[c->vertices] + i;
    for (PetscInt row = block * v; row < block * (v + 1); ++row)
      for (PetscInt k = csr->start[row]; k < csr->start[row + 1]; ++k) {
        const PetscInt column = csr->column[k];
        c->slot[k] = (at[place[column / block]] * block + column % block) * block + row - block * v;
      }
  }
}

static PetscErrorCode order_rows(sb_coloured *c, const sb_csr *csr)
{
  const PetscInt vertices = c->vertices, entries = csr->start[csr->rows];
  PetscInt      *start, *named, *seen, *colour, *place;

  PetscFunctionBeginUser;
  PetscCall(PetscCalloc5(vertices + 1, &start, entries, &named, vertices, &seen, vertices, &colour, vertices, &place));
  for (PetscInt v = 0; v < vertices; ++v)
    start[v + 1] = start[v] + list_neighbours(csr, c->block, v, seen, named + start[v]);
  PetscCall(colour_both_ways(vertices, start, named, colour, &c->colours));
  PetscCall(PetscMalloc4(vertices, &c->order, vertices + 1, &c->start, start[vertices], &c->column, entries, &c->slot));
  PetscCall(order_by_colour(c, colour, place));
  c->start[0] = 0;
  for (PetscInt i = 0; i < vertices; ++i) {
    const PetscInt v = c->order[i];
    c->start[i + 1] = c->start[i];
    for (PetscInt k = start[v]; k < start[v + 1]; ++k) c->column[c->start[i + 1]++] = place[named[k]];
  }
  assign_slots(c, csr, place, seen);
  PetscCall(PetscFree5(start, named, seen, colour, place));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_coloured_create(Mat A, int block, sb_coloured *coloured)
{
  sb_coloured *c = coloured;
  sb_csr       csr;

  PetscFunctionBeginUser;
  c->block = block;
  PetscCall(sb_csr_open(A, &csr));
  PetscCheck(csr.rows % block == 0, PETSC_COMM_SELF, PETSC_ERR_ARG_SIZ, "%d rows are not a multiple of 3",
             (int)csr.rows);
  c->vertices = csr.rows / block;
  PetscCall(order_rows(c, &csr));
  PetscCall(sb_csr_close(A, &csr));
  const size_t blocks = (size_t)c->start[c->vertices] + (size_t)c->vertices;
  PetscCall(PetscCalloc3(blocks * (size_t)(block * block) + 1, &c->value, (size_t)c->vertices * WIDTH, &c->b,
                         (size_t)c->vertices * WIDTH, &c->x));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_coloured_destroy(sb_coloured *coloured)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree4(coloured->order, coloured->start, coloured->column, coloured->slot));
  PetscCall(PetscFree3(coloured->value, coloured->b, coloured->x));
  PetscFunctionReturn(0);
}

/* The inverses of diagonals, after the other values. */
static double *inverses(const sb_coloured *c) { return c->value + (long)c->start[c->vertices] * c->block * c->block; }

PetscErrorCode sb_coloured_factor(sb_coloured *coloured, Mat A, bool *singular)
{
  const sb_coloured *c = coloured;
  const long         size = (long)c->block * c->block;
  sb_csr             csr;

  PetscFunctionBeginUser;
  for (long i = 0; i < size * (c->start[c->vertices] + c->vertices); ++i) c->value[i] = 0.0; /* blocks may have holes */
  PetscCall(sb_csr_open(A, &csr));
  for (PetscInt k = 0; k < csr.start[csr.rows]; ++k) c->value[c->slot[k]] = csr.value[k];
  PetscCall(sb_csr_close(A, &csr));
  *singular = false;
  for (PetscInt i = 0; i < c->vertices; ++i)
    if (!sb_block_invert(c->block, inverses(c) + size * i)) *singular = true;
  PetscFunctionReturn(0);
}

/* Values of a vertex go into the first lanes of its place; the others stay 0. */
static void gather(const sb_coloured *c, int width, const double *from, double *to)
{
  for (PetscInt i = 0; i < c->vertices; ++i)
    for (int j = 0; j < WIDTH; ++j) to[WIDTH * (long)i + j] = j < width ? from[width * (long)c->order[i] + j] : 0.0;
}

/* Flops for one column: every block times a vector, including the diagonal's inverse, and the relaxation of each row.
 */
static double pass_flops(const sb_coloured *c)
{
  const double blocks = (double)c->start[c->vertices] + (double)c->vertices;
  return 2 * blocks * c->block * c->block + 3.0 * c->vertices * c->block;
}

PetscErrorCode sb_coloured_sweep(sb_coloured *coloured, const sb_sweeps *sweeps, int columns, Vec b, Vec x)
{
  sb_coloured           *c = coloured;
  const int              width = c->block * columns;
  sb_coloured_sweep_of  *sweep = c->block == 1 ? kernels()->scalars : kernels()->blocks;
  const sb_coloured_rows rows = {c->vertices, c->start, c->column, c->value, inverses(c)};
  const double          *rhs;
  double                *solution;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(b, &rhs));
  gather(c, width, rhs, c->b);
  PetscCall(VecRestoreArrayRead(b, &rhs));
  PetscCall(VecGetArray(x, &solution));
  gather(c, width, solution, c->x);
  for (PetscInt k = 0; k < sweeps->count; ++k) {
    sweep(&rows, sweeps->omega, false, c->b, c->x);
    if (sweeps->symmetric) sweep(&rows, sweeps->omega, true, c->b, c->x);
  }
  for (PetscInt i = 0; i < c->vertices; ++i)
    for (int j = 0; j < width; ++j) solution[width * (long)c->order[i] + j] = c->x[WIDTH * (long)i + j];
  PetscCall(VecRestoreArray(x, &solution));
  PetscCall(PetscLogFlops((sweeps->symmetric ? 2.0 : 1.0) * (double)sweeps->count * columns * pass_flops(c)));
  PetscFunctionReturn(0);
}
