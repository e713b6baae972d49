/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hierarchy of boxes over the triangles of a surface; see triangle_tree.h. */
#include "model/contact/triangle_tree.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Triangles by vertex, and marks by which walks distinguish triangles of their part and visited ones. */
typedef struct {
  const sb_surface *surface;
  int              *start, *around; /* [vertices + 1] into [3 triangles] */
  int              *mark, *walk;    /* [triangles] */
  int               marks;
} bisection;

static bool open_bisection(bisection *b, const sb_surface *surface)
{
  *b = (bisection){.surface = surface};
  b->start = calloc(surface->vertices + 2, sizeof *b->start);
  b->around = malloc((3 * surface->triangles + 1) * sizeof *b->around);
  b->mark = calloc(surface->triangles + 1, sizeof *b->mark);
  b->walk = malloc((surface->triangles + 1) * sizeof *b->walk);
  if (!b->start || !b->around || !b->mark || !b->walk) return false;
  for (size_t i = 0; i < 3 * surface->triangles; ++i) ++b->start[surface->triangle[i] + 2];
  for (size_t v = 0; v < surface->vertices; ++v) b->start[v + 2] += b->start[v + 1];
  for (size_t i = 0; i < 3 * surface->triangles; ++i) b->around[b->start[surface->triangle[i] + 1]++] = (int)(i / 3);
  return true;
}

static void close_bisection(bisection *b)
{
  free(b->start);
  free(b->around);
  free(b->mark);
  free(b->walk);
}

/* Breadth first over the triangles of the part, which are marked `from`, starting at the first. Visited triangles are
 * marked `to`, and listed in `walk` in this order. */
static void walk_through(bisection *b, int count, const int *part, int first, int from, int to)
{
  int reached = 0, next = 0;
  b->walk[reached++] = first;
  b->mark[first] = to;
  for (int seen = 0; seen < count; ++seen) {
    while (seen == reached) { /* the next piece */
      const int t = part[next++];
      if (b->mark[t] == from) b->walk[reached++] = t, b->mark[t] = to;
    }
    const int *corner = b->surface->triangle + 3 * (size_t)b->walk[seen];
    for (int c = 0; c < 3; ++c)
      for (int i = b->start[corner[c]]; i < b->start[corner[c] + 1]; ++i) {
        const int t = b->around[i];
        if (b->mark[t] == from) b->walk[reached++] = t, b->mark[t] = to;
      }
  }
}

/* Orders the triangles of a part along its longest extent. */
static void order_part(bisection *b, int count, int *part)
{
  const int mark = b->marks += 3;
  for (int i = 0; i < count; ++i) b->mark[part[i]] = mark;
  walk_through(b, count, part, part[0], mark, mark + 1);
  walk_through(b, count, part, b->walk[count - 1], mark + 1, mark + 2);
  memcpy(part, b->walk, (size_t)count * sizeof *part);
}

/* Appends the nodes of a part, whose first triangle is `first` of all. */
static void divide(sb_triangle_tree *tree, bisection *b, int count, int first)
{
  const int self = tree->nodes++;
  tree->node[self] = (sb_tree_node){.triangles = count};
  if (count <= SB_TREE_LEAF) {
    tree->node[self].leaf = tree->leaves;
    tree->leaf[tree->leaves++].triangle = first;
    return;
  }
  const int half = (count / 2 + SB_TREE_LEAF - 1) / SB_TREE_LEAF * SB_TREE_LEAF;
  order_part(b, count, tree->triangle + first);
  divide(tree, b, half, first);
  tree->node[self].second = tree->nodes;
  divide(tree, b, count - half, first + half);
}

static int compare_edges(const void *left, const void *right)
{
  const int *a = left, *b = right;
  return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static int number_of_edge(const sb_surface *surface, int p, int q)
{
  const int  key[2] = {p < q ? p : q, p < q ? q : p};
  const int *found = bsearch(key, surface->edge, surface->edges, sizeof key, compare_edges);
  return (int)((found - surface->edge) / 2);
}

/* Gives each leaf the corners and sides of its triangles that no leaf has yet. */
static bool own_parts(sb_triangle_tree *tree)
{
  const sb_surface *surface = tree->surface;
  bool             *has_vertex = calloc(surface->vertices + 1, 1), *has_edge = calloc(surface->edges + 1, 1);
  int               vertices = 0, edges = 0;
  for (int l = 0; has_vertex && has_edge && l < tree->leaves; ++l) {
    tree->leaf[l].vertex = vertices;
    tree->leaf[l].edge = edges;
    for (int t = tree->leaf[l].triangle; t < tree->leaf[l + 1].triangle; ++t)
      for (int c = 0; c < 3; ++c) {
        const int *corner = surface->triangle + 3 * (size_t)tree->triangle[t], v = corner[c];
        const int  e = number_of_edge(surface, v, corner[(c + 1) % 3]);
        tree->corner[t][c] = v;
        if (!has_vertex[v]) tree->vertex[vertices++] = v;
        if (!has_edge[e]) memcpy(tree->edge[edges++], surface->edge + 2 * (size_t)e, sizeof *tree->edge);
        has_vertex[v] = has_edge[e] = true;
      }
  }
  const bool good = has_vertex && has_edge;
  tree->leaf[tree->leaves].vertex = vertices;
  tree->leaf[tree->leaves].edge = edges;
  free(has_vertex);
  free(has_edge);
  return good;
}

static bool allocate(sb_triangle_tree *tree)
{
  const size_t triangles = tree->surface->triangles + 1, vertices = tree->surface->vertices + 1,
               edges = tree->surface->edges + 1;
  tree->node = calloc(2 * triangles, sizeof *tree->node);
  tree->leaf = calloc(triangles + 1, sizeof *tree->leaf);
  tree->triangle = malloc(triangles * sizeof *tree->triangle);
  tree->corner = malloc(triangles * sizeof *tree->corner);
  tree->vertex = malloc(vertices * sizeof *tree->vertex);
  tree->edge = malloc(edges * sizeof *tree->edge);
  tree->node_box = malloc(2 * triangles * sizeof *tree->node_box);
  tree->place = malloc(vertices * sizeof *tree->place);
  tree->vertex_box = malloc(vertices * sizeof *tree->vertex_box);
  tree->edge_box = malloc(edges * sizeof *tree->edge_box);
  tree->triangle_box = malloc(triangles * sizeof *tree->triangle_box);
  return tree->node && tree->leaf && tree->triangle && tree->corner && tree->vertex && tree->edge && tree->node_box &&
         tree->place && tree->vertex_box && tree->edge_box && tree->triangle_box;
}

static bool build(sb_triangle_tree *tree)
{
  const int triangles = (int)tree->surface->triangles;
  bisection b;
  bool      good = open_bisection(&b, tree->surface);
  for (int t = 0; t < triangles; ++t) tree->triangle[t] = t;
  if (good && triangles > 0) divide(tree, &b, triangles, 0);
  close_bisection(&b);
  tree->leaf[tree->leaves].triangle = triangles;
  return good && own_parts(tree);
}

bool sb_triangle_tree_open(sb_triangle_tree *tree, const sb_surface *surface)
{
  *tree = (sb_triangle_tree){.surface = surface};
  return allocate(tree) && build(tree);
}

void sb_triangle_tree_close(sb_triangle_tree *tree)
{
  void *const arrays[] = {tree->node,       tree->leaf,     tree->vertex,      tree->triangle,
                          tree->edge,       tree->corner,   tree->node_box,    tree->place,
                          tree->vertex_box, tree->edge_box, tree->triangle_box};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
}

static const sb_box nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

static inline sb_box around(const sb_box *a, const sb_box *b)
{
  sb_box both;
  for (int c = 0; c < 3; ++c) {
    both.low[c] = smaller(a->low[c], b->low[c]);
    both.high[c] = larger(a->high[c], b->high[c]);
  }
  return both;
}

/* A part with an empty vertex box is empty, too. */
static inline sb_box around_all(const sb_triangle_tree *tree, int count, const int *vertex)
{
  sb_box all = tree->place[vertex[0]];
  for (int i = 1; i < count; ++i) {
    if (tree->place[vertex[i]].low[0] > tree->place[vertex[i]].high[0]) return nowhere;
    all = around(&all, &tree->place[vertex[i]]);
  }
  return tree->place[vertex[0]].low[0] > tree->place[vertex[0]].high[0] ? nowhere : all;
}

/* The way of a vertex, widened by half the radius and by the rounding of box edges. */
static sb_box way_of(const double *from, const double *to, double half)
{
  sb_box way;
  for (int c = 0; c < 3; ++c) {
    const double low = smaller(from[c], to[c]), high = larger(from[c], to[c]);
    if (!isfinite(from[c]) || !isfinite(to[c])) return nowhere;
    way.low[c] = low - half - 4 * DBL_EPSILON * fabs(low);
    way.high[c] = high + half + 4 * DBL_EPSILON * fabs(high);
  }
  return way;
}

void sb_triangle_tree_place(sb_triangle_tree *tree, const double *from, const double *to, double radius)
{
  const sb_tree_leaf *end = &tree->leaf[tree->leaves];
  const double        half = 0.5 * radius * (1 + 4 * DBL_EPSILON);
  for (size_t v = 0; v < tree->surface->vertices; ++v) tree->place[v] = way_of(from + 3 * v, to + 3 * v, half);
  for (int v = 0; v < end->vertex; ++v) tree->vertex_box[v] = tree->place[tree->vertex[v]];
  for (int e = 0; e < end->edge; ++e) tree->edge_box[e] = around_all(tree, 2, tree->edge[e]);
  for (int t = 0; t < end->triangle; ++t) tree->triangle_box[t] = around_all(tree, 3, tree->corner[t]);
}

void sb_triangle_tree_raise(sb_triangle_tree *tree)
{
  for (int n = tree->nodes - 1; n >= 0; --n) {
    const sb_tree_node *at = &tree->node[n];
    sb_box              all = nowhere;
    if (at->second)
      all = around(&tree->node_box[n + 1], &tree->node_box[at->second]);
    else
      for (int t = tree->leaf[at->leaf].triangle; t < tree->leaf[at->leaf + 1].triangle; ++t)
        for (int c = 0; c < 3; ++c) all = around(&all, &tree->place[tree->corner[t][c]]);
    tree->node_box[n] = all;
  }
}

typedef struct {
  const sb_triangle_tree *tree;
  sb_on_leaves           *on;
  void                   *context;
} meetings;

/* Every two leaves below a and b, two different parts of the hierarchy, whose boxes meet. */
static void descend(const meetings *m, int a, int b)
{
  if (!sb_boxes_meet(&m->tree->node_box[a], &m->tree->node_box[b])) return;
  const sb_tree_node *first = &m->tree->node[a], *second = &m->tree->node[b];
  if (!first->second && !second->second) {
    m->on(m->context, a, b);
  } else if (first->second && first->triangles >= second->triangles) {
    descend(m, a + 1, b);
    descend(m, first->second, b);
  } else {
    descend(m, a, b + 1);
    descend(m, a, second->second);
  }
}

/* Every two leaves below a whose boxes meet, and every leaf with itself. */
static void descend_within(const meetings *m, int a)
{
  const int second = m->tree->node[a].second;
  if (!second) {
    m->on(m->context, a, a);
    return;
  }
  descend_within(m, a + 1);
  descend_within(m, second);
  descend(m, a + 1, second);
}

void sb_triangle_tree_meetings(const sb_triangle_tree *tree, sb_on_leaves *on, void *context)
{
  const meetings m = {tree, on, context};
  if (tree->nodes > 0) descend_within(&m, 0);
}
