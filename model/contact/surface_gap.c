/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The gap of a surface; see sb_pair_finder_gap. The nearest triangle is searched from the root of the hierarchy down,
 * the nearer half first, without nodes farther than the nearest triangle found. */
#include <math.h>
#include <stdlib.h>

#include "base/order_statistics.h"
#include "model/contact/triangle_tree.h"
#include "model/maths/proximity.h"
#include "model/maths/vector3.h"

/* Neighbours by edges, and the vertices within two rings of one: those marked with its number + 1. */
typedef struct {
  int *start, *beside; /* [vertices + 1] into [2 edges] */
  int *mark;           /* [vertices] */
} rings;

static bool open_rings(rings *r, const sb_surface *surface)
{
  r->start = calloc(surface->vertices + 2, sizeof *r->start);
  r->beside = malloc((2 * surface->edges + 1) * sizeof *r->beside);
  r->mark = calloc(surface->vertices + 1, sizeof *r->mark);
  if (!r->start || !r->beside || !r->mark) return false;
  for (size_t i = 0; i < 2 * surface->edges; ++i) ++r->start[surface->edge[i] + 2];
  for (size_t v = 0; v < surface->vertices; ++v) r->start[v + 2] += r->start[v + 1];
  for (size_t i = 0; i < 2 * surface->edges; ++i) r->beside[r->start[surface->edge[i] + 1]++] = surface->edge[i ^ 1];
  return true;
}

static void close_rings(rings *r)
{
  free(r->start);
  free(r->beside);
  free(r->mark);
}

static void mark_rings(rings *r, int v)
{
  r->mark[v] = v + 1;
  for (int i = r->start[v]; i < r->start[v + 1]; ++i) {
    const int next = r->beside[i];
    r->mark[next] = v + 1;
    for (int k = r->start[next]; k < r->start[next + 1]; ++k) r->mark[r->beside[k]] = v + 1;
  }
}

typedef struct {
  const sb_triangle_tree *tree;
  const double           *position;
  const rings            *rings;
  int                     vertex;
  double                  least2; /* m^2, to the nearest triangle so far */
} search;

static double box_distance2(const sb_box *box, const double p[3])
{
  double sum = 0;
  for (int c = 0; c < 3; ++c) {
    const double beyond = fmax(fmax(box->low[c] - p[c], p[c] - box->high[c]), 0);
    sum += beyond * beyond;
  }
  return sum;
}

static void look_at_triangle(search *s, int t)
{
  const int *corner = s->tree->corner[t];
  double     x[4][3], weight[4];
  for (int c = 0; c < 3; ++c)
    if (s->rings->mark[corner[c]] == s->vertex + 1) return;
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) x[i][c] = s->position[3 * (size_t)(i == 0 ? s->vertex : corner[i - 1]) + (size_t)c];
  s->least2 = fmin(s->least2, sb_pair_distance2(SB_VERTEX_TRIANGLE, x, weight));
}

static void look_below(search *s, int n)
{
  const double       *p = s->position + 3 * (size_t)s->vertex;
  const sb_tree_node *at = &s->tree->node[n];
  if (!at->second) {
    const sb_tree_leaf *leaf = sb_tree_leaf_of(s->tree, n);
    for (int t = leaf[0].triangle; t < leaf[1].triangle; ++t)
      if (box_distance2(&s->tree->triangle_box[t], p) < s->least2) look_at_triangle(s, t);
    return;
  }
  const int    halves[2] = {n + 1, at->second};
  const double distance2[2] = {box_distance2(&s->tree->node_box[n + 1], p),
                               box_distance2(&s->tree->node_box[at->second], p)};
  const int    nearer = distance2[1] < distance2[0];
  if (distance2[nearer] < s->least2) look_below(s, halves[nearer]);
  if (distance2[!nearer] < s->least2) look_below(s, halves[!nearer]);
}

/* Lists the distances of the vertices with such a triangle, in the order of leaves. Returns their number. */
static size_t list_distances(const sb_triangle_tree *tree, const double *position, rings *r, double *distance)
{
  size_t count = 0;
  for (int i = 0; tree->nodes > 0 && i < tree->leaf[tree->leaves].vertex; ++i) {
    search s = {tree, position, r, tree->vertex[i], INFINITY};
    mark_rings(r, s.vertex);
    look_below(&s, 0);
    if (isfinite(s.least2)) distance[count++] = sqrt(s.least2);
  }
  return count;
}

bool sb_triangle_tree_gap(sb_triangle_tree *tree, const double *position, sb_gap *gap)
{
  rings  r = {0};
  double sum = 0, *distance = malloc((tree->surface->vertices + 1) * sizeof *distance);
  *gap = (sb_gap){0};
  sb_triangle_tree_place(tree, position, position, 0);
  sb_triangle_tree_raise(tree);
  const bool good = open_rings(&r, tree->surface) && distance;
  if (good) gap->vertices = list_distances(tree, position, &r, distance);
  for (size_t i = 0; i < gap->vertices; ++i) sum += distance[i];
  if (gap->vertices > 0) {
    sb_sort(distance, gap->vertices);
    gap->least = distance[0];
    gap->mean = sum / (double)gap->vertices;
    gap->median = sb_quantile(distance, gap->vertices, 0.5);
  }
  close_rings(&r);
  free(distance);
  return good;
}
