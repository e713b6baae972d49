/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distribution of panels over threads; see panel_parts.h.
 *
 * Columns of a factor depend only on those below them in the elimination tree, so that subtrees are independent (Liu
 * 1990, The role of elimination trees in sparse factorization, section 5). The order of elimination is a postorder:
 * panels of a subtree follow each other. The cut starts at the roots. The root of the heaviest subtree joins the part
 * above, and its children replace it (Geist, Ng 1989, Task scheduling for parallel sparse Cholesky factorization). Each
 * time, the subtrees are distributed, the heaviest first, to the part with the least work. The best of these cuts is
 * kept: the one with the least sum of its heaviest part and the part above, which is the work of one thread. */
#include "solvers/linear/panel_parts.h"

#include <stdlib.h>

/* Largest fraction of one thread's work at which a second thread pays. */
#define GAIN_LEAST 0.8

typedef struct {
  int    root, part;
  double work;
} subtree;

typedef struct {
  const sb_panel_plan *plan;
  int                 *child, *sibling; /* [panels] the last child of a panel, and the child before it; -1: none */
  int                 *leaf;            /* [panels] the first panel of its subtree */
  double              *work, *own;      /* [panels] of its subtree, and its own */
  subtree             *cut, *best;      /* [cuts], [bests] */
  int                  cuts, bests;
  double               above, load_least; /* work above the cut; of the best cut, with its heaviest part */
} forest;

static PetscErrorCode forest_create(const sb_panel_plan *plan, bool factorized, forest *f)
{
  const int panels = plan->panels;

  PetscFunctionBeginUser;
  *f = (forest){.plan = plan};
  PetscCall(PetscMalloc5(panels, &f->child, panels, &f->sibling, panels, &f->leaf, panels, &f->work, panels, &f->own));
  PetscCall(PetscMalloc2(panels, &f->cut, panels, &f->best));
  for (int p = 0; p < panels; ++p) {
    f->child[p] = f->sibling[p] = -1;
    f->leaf[p] = p;
    f->own[p] = 0;
    for (int j = 0; j < plan->shape[p].width; ++j) {
      const double column = plan->shape[p].width - j + plan->shape[p].below;
      f->own[p] += factorized ? column * column : column;
    }
    f->work[p] = f->own[p];
  }
  for (int p = 0; p < panels; ++p) {
    if (plan->shape[p].below == 0) {
      f->cut[f->cuts++] = (subtree){.root = p, .work = f->work[p]};
      f->load_least += f->work[p];
      continue;
    }
    const int parent = plan->panel_of[plan->row[plan->row_start[p]]];
    f->work[parent] += f->work[p];
    f->leaf[parent] = PetscMin(f->leaf[parent], f->leaf[p]);
    f->sibling[p] = f->child[parent];
    f->child[parent] = p;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode forest_destroy(forest *f)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree5(f->child, f->sibling, f->leaf, f->work, f->own));
  PetscCall(PetscFree2(f->cut, f->best));
  PetscFunctionReturn(0);
}

/* Heaviest first; of equal ones the first in the matrix. */
static int by_work(const void *a, const void *b)
{
  const subtree *s = a, *t = b;
  if (s->work != t->work) return s->work < t->work ? 1 : -1;
  return (s->root > t->root) - (s->root < t->root);
}

static int by_root(const void *a, const void *b)
{
  const subtree *s = a, *t = b;
  return (s->root > t->root) - (s->root < t->root);
}

/* Distributes the cut, and keeps it if it is the best so far. */
static void deal(forest *f, int threads, double *load)
{
  double heaviest = 0;
  for (int t = 0; t < threads; ++t) load[t] = 0;
  qsort(f->cut, (size_t)f->cuts, sizeof *f->cut, by_work);
  for (int s = 0; s < f->cuts; ++s) {
    int least = 0;
    for (int t = 1; t < threads; ++t)
      if (load[t] < load[least]) least = t;
    f->cut[s].part = least;
    load[least] += f->cut[s].work;
    heaviest = PetscMax(heaviest, load[least]);
  }
  if (f->above + heaviest >= f->load_least) return;
  f->load_least = f->above + heaviest;
  f->bests = f->cuts;
  for (int s = 0; s < f->cuts; ++s) f->best[s] = f->cut[s];
}

/* The root of the heaviest subtree, the first one, joins the part above. False: the subtree is only its root, or the
 * part above is too large. */
static bool lower_cut(forest *f)
{
  const int root = f->cut[0].root;
  f->above += f->own[root];
  if (f->child[root] < 0 || f->above >= f->load_least) return false;
  f->cut[0] = f->cut[--f->cuts];
  for (int child = f->child[root]; child >= 0; child = f->sibling[child])
    f->cut[f->cuts++] = (subtree){.root = child, .work = f->work[child]};
  return true;
}

/* Gives panels first … end - 1 to a part; adjacent ranges become one. */
static void append_range(sb_panel_plan *plan, int part, int first, int end)
{
  int *count = plan->range_start + part + 1;
  if (first == end) return;
  if (*count > plan->range_start[part] && plan->range[*count - 1].end == first)
    plan->range[*count - 1].end = end;
  else
    plan->range[(*count)++] = (sb_panel_range){.first = first, .end = end};
}

static void fill_ranges(sb_panel_plan *plan, const forest *f)
{
  if (plan->parts == 1) {
    append_range(plan, 0, 0, plan->panels);
    plan->range_start[2] = plan->range_start[1];
    return;
  }
  for (int part = 0; part <= plan->parts; ++part) {
    int behind = 0; /* the last subtree, whosever it is */
    plan->range_start[part + 1] = plan->range_start[part];
    for (int s = 0; s < f->bests; ++s) {
      const int first = f->leaf[f->best[s].root], end = f->best[s].root + 1;
      if (part == plan->parts) append_range(plan, part, behind, first);
      if (part == f->best[s].part) append_range(plan, part, first, end);
      behind = end;
    }
    if (part == plan->parts) append_range(plan, part, behind, plan->panels);
  }
}

static PetscErrorCode fill_above(sb_panel_plan *plan)
{
  const sb_panel_range *const from = plan->range + plan->range_start[plan->parts];
  const sb_panel_range *const to = plan->range + plan->range_start[plan->parts + 1];

  PetscFunctionBeginUser;
  for (const sb_panel_range *r = from; r < to; ++r) {
    plan->above += plan->first[r->end] - plan->first[r->first];
    for (int p = r->first; p < r->end; ++p) plan->above_lines += plan->shape[p].width + plan->shape[p].below;
  }
  PetscCall(PetscMalloc1(plan->above, &plan->above_row));
  int at = 0;
  for (const sb_panel_range *r = from; r < to; ++r)
    for (int row = plan->first[r->first]; row < plan->first[r->end]; ++row) plan->above_row[at++] = row;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_panel_plan_parts(sb_panel_plan *plan, bool factorized_each_time, int threads, double work_least)
{
  forest  f;
  double *load, all;

  PetscFunctionBeginUser;
  PetscCall(forest_create(plan, factorized_each_time, &f));
  PetscCall(PetscMalloc1(threads, &load));
  all = f.load_least;
  if (threads > 1 && all >= work_least) {
    do deal(&f, threads, load);
    while (lower_cut(&f));
  }
  plan->parts = f.load_least <= GAIN_LEAST * all && f.bests > 1 ? threads : 1;
  qsort(f.best, (size_t)f.bests, sizeof *f.best, by_root);
  PetscCall(PetscMalloc1(2 * (size_t)f.bests + 1, &plan->range));
  PetscCall(PetscCalloc1(plan->parts + 2, &plan->range_start));
  fill_ranges(plan, &f);
  PetscCall(fill_above(plan));
  PetscCall(PetscFree(load));
  PetscCall(forest_destroy(&f));
  PetscFunctionReturn(0);
}
