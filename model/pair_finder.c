/* Pairs of parts of a surface by a hierarchy of boxes over its triangles; see pair_finder.h.
 *
 * The hierarchy is made once, from what joins what and not from places: the triangles are halved again and again along
 * walks from one far end to the other, which keeps neighbours together however the surface is bent. Its boxes are made
 * anew for each call, from the leaves up. A leaf has LEAF triangles and, of their corners and sides, those that no
 * earlier leaf has (Curtis, Tamstorf, Manocha: Fast collision detection for deformable models using representative
 * triangles, 2008); so each vertex and each edge is in one leaf, and each pair of parts meets once. */
#include "model/pair_finder.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF = 8 };

typedef struct {
  double low[3], high[3];
} box;

/* In the order of a walk: a node, then all of its first half, then all of its second half from `second` on. */
typedef struct {
  int second; /* 0: a leaf */
  int leaf;
  int triangles; /* below it */
} node;

/* Where the parts of a leaf begin among those of all; those of the next leaf are behind them. */
typedef struct {
  int vertex, edge, triangle;
} leaf;

struct sb_pair_finder {
  const sb_surface *surface;
  int               nodes, leaves;
  node             *node;                             /* [nodes] */
  leaf             *leaf;                             /* [leaves + 1] */
  int              *vertex, *edge, *triangle;         /* numbers, in the order of leaves; vertices of triangles only */
  int (*ends)[2], (*corners)[3];                      /* theirs */
  box          *node_box, *place;                     /* [nodes], [vertices] of the surface by number */
  box          *vertex_box, *edge_box, *triangle_box; /* in the order of leaves */
  size_t        count, capacity;
  sb_pair      *pair;
  bool          full;     /* memory is out */
  const double *position; /* while cuts are counted */
};

/* --- the hierarchy --- */

/* Triangles by vertex, and marks by which walks tell what belongs to their part and what they have seen. */
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

/* Breadth first over those of the part, which are marked `from`, starting at the first; what it meets is marked `to`,
 * and in this order in walk. */
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

/* Orders a part from one far end to the other. */
static void order_part(bisection *b, int count, int *part)
{
  const int mark = b->marks += 3;
  for (int i = 0; i < count; ++i) b->mark[part[i]] = mark;
  walk_through(b, count, part, part[0], mark, mark + 1);
  walk_through(b, count, part, b->walk[count - 1], mark + 1, mark + 2);
  memcpy(part, b->walk, (size_t)count * sizeof *part);
}

/* Appends the nodes of a part, whose first triangle is `first` of all. */
static void divide(sb_pair_finder *f, bisection *b, int count, int first)
{
  const int self = f->nodes++;
  f->node[self] = (node){.triangles = count};
  if (count <= LEAF) {
    f->node[self].leaf = f->leaves;
    f->leaf[f->leaves++].triangle = first;
    return;
  }
  const int half = (count / 2 + LEAF - 1) / LEAF * LEAF;
  order_part(b, count, f->triangle + first);
  divide(f, b, half, first);
  f->node[self].second = f->nodes;
  divide(f, b, count - half, first + half);
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
static bool own_parts(sb_pair_finder *f)
{
  const sb_surface *surface = f->surface;
  bool             *has_vertex = calloc(surface->vertices + 1, 1), *has_edge = calloc(surface->edges + 1, 1);
  int               vertices = 0, edges = 0;
  for (int l = 0; has_vertex && has_edge && l < f->leaves; ++l) {
    f->leaf[l].vertex = vertices;
    f->leaf[l].edge = edges;
    for (int t = f->leaf[l].triangle; t < f->leaf[l + 1].triangle; ++t)
      for (int c = 0; c < 3; ++c) {
        const int *corner = surface->triangle + 3 * (size_t)f->triangle[t], v = corner[c];
        const int  e = number_of_edge(surface, v, corner[(c + 1) % 3]);
        f->corners[t][c] = v;
        if (!has_vertex[v]) f->vertex[vertices++] = v;
        if (!has_edge[e]) memcpy(f->ends[edges++], surface->edge + 2 * (size_t)e, sizeof *f->ends);
        has_vertex[v] = has_edge[e] = true;
      }
  }
  const bool good = has_vertex && has_edge;
  f->leaf[f->leaves].vertex = vertices;
  f->leaf[f->leaves].edge = edges;
  free(has_vertex);
  free(has_edge);
  return good;
}

static bool allocate(sb_pair_finder *f)
{
  const size_t triangles = f->surface->triangles + 1, vertices = f->surface->vertices + 1,
               edges = f->surface->edges + 1;
  f->node = calloc(2 * triangles, sizeof *f->node);
  f->leaf = calloc(triangles + 1, sizeof *f->leaf);
  f->triangle = malloc(triangles * sizeof *f->triangle);
  f->corners = malloc(triangles * sizeof *f->corners);
  f->vertex = malloc(vertices * sizeof *f->vertex);
  f->ends = malloc(edges * sizeof *f->ends);
  f->node_box = malloc(2 * triangles * sizeof *f->node_box);
  f->place = malloc(vertices * sizeof *f->place);
  f->vertex_box = malloc(vertices * sizeof *f->vertex_box);
  f->edge_box = malloc(edges * sizeof *f->edge_box);
  f->triangle_box = malloc(triangles * sizeof *f->triangle_box);
  return f->node && f->leaf && f->triangle && f->corners && f->vertex && f->ends && f->node_box && f->place &&
         f->vertex_box && f->edge_box && f->triangle_box;
}

static bool build(sb_pair_finder *f)
{
  const int triangles = (int)f->surface->triangles;
  bisection b;
  bool      good = open_bisection(&b, f->surface);
  for (int t = 0; t < triangles; ++t) f->triangle[t] = t;
  if (good && triangles > 0) divide(f, &b, triangles, 0);
  close_bisection(&b);
  f->leaf[f->leaves].triangle = triangles;
  return good && own_parts(f);
}

sb_pair_finder *sb_pair_finder_create(const sb_surface *surface)
{
  sb_pair_finder *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->surface = surface;
  if (!allocate(f) || !build(f)) sb_pair_finder_destroy(&f);
  return f;
}

void sb_pair_finder_destroy(sb_pair_finder **finder)
{
  sb_pair_finder *f = *finder;
  if (!f) return;
  free(f->node);
  free(f->leaf);
  free(f->triangle);
  free(f->corners);
  free(f->vertex);
  free(f->ends);
  free(f->node_box);
  free(f->place);
  free(f->vertex_box);
  free(f->edge_box);
  free(f->triangle_box);
  free(f->pair);
  free(f);
  *finder = NULL;
}

/* --- boxes --- */

static const box nowhere = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline double smaller(double a, double b) { return a < b ? a : b; }
static inline double larger(double a, double b) { return a > b ? a : b; }

static inline bool meet(const box *a, const box *b)
{
  return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) &
         (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static inline box around(const box *a, const box *b)
{
  box both;
  for (int c = 0; c < 3; ++c) {
    both.low[c] = smaller(a->low[c], b->low[c]);
    both.high[c] = larger(a->high[c], b->high[c]);
  }
  return both;
}

/* What has a vertex nowhere is nowhere, too. */
static inline box around_all(const sb_pair_finder *f, int count, const int *vertex)
{
  box all = f->place[vertex[0]];
  for (int i = 1; i < count; ++i) {
    if (f->place[vertex[i]].low[0] > f->place[vertex[i]].high[0]) return nowhere;
    all = around(&all, &f->place[vertex[i]]);
  }
  return f->place[vertex[0]].low[0] > f->place[vertex[0]].high[0] ? nowhere : all;
}

/* A vertex's way, widened by half the radius and by what rounding does to the edges of boxes. */
static box way_of(const double *from, const double *to, double half)
{
  box way;
  for (int c = 0; c < 3; ++c) {
    const double low = smaller(from[c], to[c]), high = larger(from[c], to[c]);
    if (!isfinite(from[c]) || !isfinite(to[c])) return nowhere;
    way.low[c] = low - half - 4 * DBL_EPSILON * fabs(low);
    way.high[c] = high + half + 4 * DBL_EPSILON * fabs(high);
  }
  return way;
}

static void refit(sb_pair_finder *f, const double *from, const double *to, double radius)
{
  const leaf  *end = &f->leaf[f->leaves];
  const double half = 0.5 * radius * (1 + 4 * DBL_EPSILON);
  for (size_t v = 0; v < f->surface->vertices; ++v) f->place[v] = way_of(from + 3 * v, to + 3 * v, half);
  for (int v = 0; v < end->vertex; ++v) f->vertex_box[v] = f->place[f->vertex[v]];
  for (int e = 0; e < end->edge; ++e) f->edge_box[e] = around_all(f, 2, f->ends[e]);
  for (int t = 0; t < end->triangle; ++t) f->triangle_box[t] = around_all(f, 3, f->corners[t]);
  for (int n = f->nodes - 1; n >= 0; --n) {
    const node *at = &f->node[n];
    box         all = nowhere;
    if (at->second)
      all = around(&f->node_box[n + 1], &f->node_box[at->second]);
    else
      for (int t = f->leaf[at->leaf].triangle; t < f->leaf[at->leaf + 1].triangle; ++t)
        for (int c = 0; c < 3; ++c) all = around(&all, &f->place[f->corners[t][c]]);
    f->node_box[n] = all;
  }
}

/* --- pairs --- */

static void add_pair(sb_pair_finder *f, sb_pair pair)
{
  if (f->count == f->capacity) {
    const size_t capacity = f->capacity ? 2 * f->capacity : 1024;
    sb_pair     *more = realloc(f->pair, capacity * sizeof *more);
    f->full = f->full || !more;
    if (!more) return;
    f->pair = more;
    f->capacity = capacity;
  }
  f->pair[f->count++] = pair;
}

static inline bool has_vertex(const int corners[3], int v)
{
  return (corners[0] == v) | (corners[1] == v) | (corners[2] == v);
}

static inline bool have_common(const int a[2], const int b[2])
{
  return (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
}

/* Those of the boxes first to end - 1 that meet one box; how many. */
static int select_meeting(const box *all, int first, int end, const box *one, int *selected)
{
  int count = 0;
  for (int i = first; i < end; ++i) {
    selected[count] = i;
    count += meet(&all[i], one);
  }
  return count;
}

/* The vertices of one leaf against the triangles of another (or its own). */
static void pair_vertices(sb_pair_finder *f, const leaf *a, const box *a_box, const leaf *b, const box *b_box)
{
  int       vertices[3 * LEAF], triangles[LEAF];
  const int vertex_count = select_meeting(f->vertex_box, a[0].vertex, a[1].vertex, b_box, vertices);
  if (vertex_count == 0) return;
  const int triangle_count = select_meeting(f->triangle_box, b[0].triangle, b[1].triangle, a_box, triangles);
  for (int i = 0; i < vertex_count; ++i)
    for (int k = 0; k < triangle_count; ++k) {
      const int *corners = f->corners[triangles[k]], v = f->vertex[vertices[i]];
      if (meet(&f->vertex_box[vertices[i]], &f->triangle_box[triangles[k]]) && !has_vertex(corners, v))
        add_pair(f, (sb_pair){SB_VERTEX_TRIANGLE, {v, corners[0], corners[1], corners[2]}});
    }
}

/* The edges of one leaf against those of another; of its own those behind. */
static void pair_edges(sb_pair_finder *f, const leaf *a, const box *a_box, const leaf *b, const box *b_box)
{
  int       first[3 * LEAF], second[3 * LEAF];
  const int first_count = select_meeting(f->edge_box, a[0].edge, a[1].edge, b_box, first);
  if (first_count == 0) return;
  const int second_count = select_meeting(f->edge_box, b[0].edge, b[1].edge, a_box, second);
  for (int i = 0; i < first_count; ++i)
    for (int k = a == b ? i + 1 : 0; k < second_count; ++k) {
      const int *p = f->ends[first[i]], *q = f->ends[second[k]];
      if (meet(&f->edge_box[first[i]], &f->edge_box[second[k]]) && !have_common(p, q))
        add_pair(f, (sb_pair){SB_EDGE_EDGE, {p[0], p[1], q[0], q[1]}});
    }
}

static void pair_leaves(sb_pair_finder *f, int a, int b)
{
  const leaf *first = &f->leaf[f->node[a].leaf], *second = &f->leaf[f->node[b].leaf];
  pair_vertices(f, first, &f->node_box[a], second, &f->node_box[b]);
  if (a != b) pair_vertices(f, second, &f->node_box[b], first, &f->node_box[a]);
  pair_edges(f, first, &f->node_box[a], second, &f->node_box[b]);
}

typedef void on_leaves(sb_pair_finder *, int, int);

/* Every two leaves below a and b, two different parts of the hierarchy, whose boxes meet. */
static void descend(sb_pair_finder *f, int a, int b, on_leaves *on)
{
  if (!meet(&f->node_box[a], &f->node_box[b])) return;
  const node *first = &f->node[a], *second = &f->node[b];
  if (!first->second && !second->second) {
    on(f, a, b);
  } else if (first->second && first->triangles >= second->triangles) {
    descend(f, a + 1, b, on);
    descend(f, first->second, b, on);
  } else {
    descend(f, a, b + 1, on);
    descend(f, a, second->second, on);
  }
}

/* Every two leaves below a whose boxes meet, and every leaf with itself. */
static void descend_within(sb_pair_finder *f, int a, on_leaves *on)
{
  const int second = f->node[a].second;
  if (!second) {
    on(f, a, a);
    return;
  }
  descend_within(f, a + 1, on);
  descend_within(f, second, on);
  descend(f, a + 1, second, on);
}

bool sb_pair_finder_find(sb_pair_finder *finder, const double *from, const double *to, double radius, size_t *count,
                         const sb_pair **pair)
{
  finder->count = 0;
  finder->full = false;
  refit(finder, from, to, radius);
  if (finder->nodes > 0) descend_within(finder, 0, pair_leaves);
  *count = finder->count;
  *pair = finder->pair;
  return !finder->full;
}

/* --- cuts --- */

static bool share_corner(const int a[3], const int b[3])
{
  return has_vertex(a, b[0]) || has_vertex(a, b[1]) || has_vertex(a, b[2]);
}

static bool cut(const sb_pair_finder *f, int s, int t)
{
  double a[3][3], b[3][3];
  for (int corner = 0; corner < 3; ++corner) {
    memcpy(a[corner], f->position + 3 * (size_t)f->corners[s][corner], sizeof a[corner]);
    memcpy(b[corner], f->position + 3 * (size_t)f->corners[t][corner], sizeof b[corner]);
  }
  return sb_triangles_meet(a, b);
}

static void count_cuts(sb_pair_finder *f, int a, int b)
{
  const leaf *first = &f->leaf[f->node[a].leaf], *second = &f->leaf[f->node[b].leaf];
  for (int s = first[0].triangle; s < first[1].triangle; ++s)
    for (int t = a == b ? s + 1 : second[0].triangle; t < second[1].triangle; ++t)
      if (meet(&f->triangle_box[s], &f->triangle_box[t]) && !share_corner(f->corners[s], f->corners[t]))
        f->count += cut(f, s, t);
}

int64_t sb_pair_finder_intersections(sb_pair_finder *finder, const double *position)
{
  finder->count = 0;
  finder->position = position;
  refit(finder, position, position, 0);
  if (finder->nodes > 0) descend_within(finder, 0, count_cuts);
  return (int64_t)finder->count;
}
