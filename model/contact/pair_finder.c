/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of parts of a surface that may touch, and triangles that intersect; see pair_finder.h. Both are searched below
 * pairs of leaves of the hierarchy of boxes. */
#include "model/contact/pair_finder.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/contact/triangle_tree.h"
#include "model/maths/vector3.h"

/* Width of the skin over the lengths of edges. */
static const double skin_share = 0.25;

/* Numbers of parts in the order of leaves: a vertex and a triangle, or two edges. */
typedef struct {
  sb_pair_kind kind;
  int          first, second;
} candidate;

/* The position of a surface: the mean of the centres of its boxes, and the largest |coordinate|. */
typedef struct {
  double middle[3], reach;
} whereabouts;

struct sb_pair_finder {
  sb_triangle_tree tree;
  size_t           candidates, room;
  candidate       *candidate;
  bool             sought, full; /* ever; memory was out */
  sb_box          *covered;      /* [vertices] the boxes that the candidates were sought with */
  whereabouts      then;         /* when they were sought */
  size_t           pairs;        /* room for */
  sb_pair         *pair;
  const double    *position; /* set while cuts are counted */
  int64_t          cuts;     /* so far */
};

sb_pair_finder *sb_pair_finder_create(const sb_surface *surface)
{
  sb_pair_finder *finder = calloc(1, sizeof *finder);
  if (!finder) return NULL;
  finder->covered = malloc((surface->vertices + 1) * sizeof *finder->covered);
  if (!sb_triangle_tree_open(&finder->tree, surface) || !finder->covered) sb_pair_finder_destroy(&finder);
  return finder;
}

void sb_pair_finder_destroy(sb_pair_finder **finder)
{
  if (!*finder) return;
  sb_triangle_tree_close(&(*finder)->tree);
  free((*finder)->candidate);
  free((*finder)->covered);
  free((*finder)->pair);
  free(*finder);
  *finder = NULL;
}

static void add_candidate(sb_pair_finder *f, candidate new)
{
  if (f->candidates == f->room) {
    const size_t room = f->room ? 2 * f->room : 1024;
    candidate   *more = realloc(f->candidate, room * sizeof *more);
    f->full = f->full || !more;
    if (!more) return;
    f->candidate = more;
    f->room = room;
  }
  f->candidate[f->candidates++] = new;
}

static inline bool have_common(const int a[2], const int b[2])
{
  return (a[0] == b[0]) | (a[0] == b[1]) | (a[1] == b[0]) | (a[1] == b[1]);
}

/* Lists those of the boxes first to end - 1 that meet one box; returns their number. */
static int select_meeting(const sb_box *all, int first, int end, const sb_box *one, int *selected)
{
  int count = 0;
  for (int i = first; i < end; ++i) {
    selected[count] = i;
    count += sb_boxes_meet(&all[i], one);
  }
  return count;
}

/* The vertices of one leaf against the triangles of another (or its own). */
static void pair_vertices(sb_pair_finder *f, const sb_tree_leaf *a, const sb_box *a_box, const sb_tree_leaf *b,
                          const sb_box *b_box)
{
  int       vertices[3 * SB_TREE_LEAF], triangles[SB_TREE_LEAF];
  const int vertex_count = select_meeting(f->tree.vertex_box, a[0].vertex, a[1].vertex, b_box, vertices);
  if (vertex_count == 0) return;
  const int triangle_count = select_meeting(f->tree.triangle_box, b[0].triangle, b[1].triangle, a_box, triangles);
  for (int i = 0; i < vertex_count; ++i)
    for (int k = 0; k < triangle_count; ++k)
      if (sb_boxes_meet(&f->tree.vertex_box[vertices[i]], &f->tree.triangle_box[triangles[k]]) &&
          !sb_is_corner(f->tree.corner[triangles[k]], f->tree.vertex[vertices[i]]))
        add_candidate(f, (candidate){SB_VERTEX_TRIANGLE, vertices[i], triangles[k]});
}

/* The edges of one leaf against those of another; within one leaf, only later edges. */
static void pair_edges(sb_pair_finder *f, const sb_tree_leaf *a, const sb_box *a_box, const sb_tree_leaf *b,
                       const sb_box *b_box)
{
  int       first[3 * SB_TREE_LEAF], second[3 * SB_TREE_LEAF];
  const int first_count = select_meeting(f->tree.edge_box, a[0].edge, a[1].edge, b_box, first);
  if (first_count == 0) return;
  const int second_count = select_meeting(f->tree.edge_box, b[0].edge, b[1].edge, a_box, second);
  for (int i = 0; i < first_count; ++i)
    for (int k = a == b ? i + 1 : 0; k < second_count; ++k)
      if (sb_boxes_meet(&f->tree.edge_box[first[i]], &f->tree.edge_box[second[k]]) &&
          !have_common(f->tree.edge[first[i]], f->tree.edge[second[k]]))
        add_candidate(f, (candidate){SB_EDGE_EDGE, first[i], second[k]});
}

static void pair_leaves(void *finder, int a, int b)
{
  sb_pair_finder     *f = finder;
  const sb_tree_leaf *first = sb_tree_leaf_of(&f->tree, a), *second = sb_tree_leaf_of(&f->tree, b);
  pair_vertices(f, first, &f->tree.node_box[a], second, &f->tree.node_box[b]);
  if (a != b) pair_vertices(f, second, &f->tree.node_box[b], first, &f->tree.node_box[a]);
  pair_edges(f, first, &f->tree.node_box[a], second, &f->tree.node_box[b]);
}

static bool is_somewhere(const sb_box *box) { return box->low[0] <= box->high[0]; }

static whereabouts look(const sb_triangle_tree *tree)
{
  whereabouts here = {{0, 0, 0}, 0};
  size_t      count = 0;
  for (size_t v = 0; v < tree->surface->vertices; ++v) {
    const sb_box *box = &tree->place[v];
    if (!is_somewhere(box)) continue;
    ++count;
    for (int c = 0; c < 3; ++c) {
      here.middle[c] += 0.5 * (box->low[c] + box->high[c]);
      here.reach = fmax(here.reach, fmax(-box->low[c], box->high[c]));
    }
  }
  for (int c = 0; c < 3; ++c) here.middle[c] /= (double)(count > 0 ? count : 1);
  return here;
}

/* True if every box, moved back, is within the one with which the candidates were found. A box that is and was empty
 * is. */
static bool are_covered(const sb_pair_finder *f, const whereabouts *now)
{
  const double rounding = 16 * DBL_EPSILON * (now->reach + f->then.reach);
  double       moved[3], room = INFINITY; /* the smallest remaining room */
  for (int c = 0; c < 3; ++c) {
    moved[c] = now->middle[c] - f->then.middle[c];
    if (!isfinite(moved[c])) return false;
  }
  for (size_t v = 0; v < f->tree.surface->vertices; ++v)
    for (int c = 0; c < 3; ++c) {
      const double below = f->tree.place[v].low[c] - moved[c] - f->covered[v].low[c];
      const double above = f->covered[v].high[c] - f->tree.place[v].high[c] + moved[c];
      room = below < room ? below : room;
      room = above < room ? above : room;
    }
  return room > rounding;
}

/* A share of the mean length of those edges that have one. */
static double skin_of(const sb_surface *surface, const double *position)
{
  double sum = 0;
  for (size_t e = 0; e < surface->edges; ++e) {
    double along[3];
    sb_subtract(position + 3 * (size_t)surface->edge[2 * e], position + 3 * (size_t)surface->edge[2 * e + 1], along);
    const double length = sqrt(sb_dot(along, along));
    if (isfinite(length)) sum += length;
  }
  return surface->edges > 0 ? skin_share * sum / (double)surface->edges : 0;
}

/* Computes the boxes of the parts, and new candidates if the old ones do not cover the motion. */
static void seek(sb_pair_finder *f, const double *from, const double *to, double radius)
{
  sb_triangle_tree *tree = &f->tree;
  sb_triangle_tree_place(tree, from, to, radius);
  const whereabouts now = look(tree);
  if (f->sought && !f->full && are_covered(f, &now)) return;
  sb_triangle_tree_place(tree, from, to, radius + skin_of(tree->surface, from));
  sb_triangle_tree_raise(tree);
  memcpy(f->covered, tree->place, tree->surface->vertices * sizeof *f->covered);
  f->then = now;
  f->sought = true;
  f->full = false;
  f->candidates = 0;
  sb_triangle_tree_meetings(tree, pair_leaves, f);
  sb_triangle_tree_place(tree, from, to, radius);
}

static sb_pair pair_of(const sb_triangle_tree *tree, const candidate *c)
{
  if (c->kind == SB_VERTEX_TRIANGLE) {
    const int *corner = tree->corner[c->second];
    return (sb_pair){c->kind, {tree->vertex[c->first], corner[0], corner[1], corner[2]}};
  }
  const int *p = tree->edge[c->first], *q = tree->edge[c->second];
  return (sb_pair){c->kind, {p[0], p[1], q[0], q[1]}};
}

/* The candidates whose boxes meet in this motion. */
static size_t select_pairs(sb_pair_finder *f)
{
  const sb_triangle_tree *tree = &f->tree;
  size_t                  count = 0;
  for (size_t i = 0; i < f->candidates; ++i) {
    const candidate *c = &f->candidate[i];
    const bool       meet = c->kind == SB_VERTEX_TRIANGLE
                                ? sb_boxes_meet(&tree->vertex_box[c->first], &tree->triangle_box[c->second])
                                : sb_boxes_meet(&tree->edge_box[c->first], &tree->edge_box[c->second]);
    if (meet) f->pair[count++] = pair_of(tree, c);
  }
  return count;
}

bool sb_pair_finder_find(sb_pair_finder *finder, const double *from, const double *to, double radius, size_t *count,
                         const sb_pair **pair)
{
  seek(finder, from, to, radius);
  if (!finder->full && finder->candidates > finder->pairs) {
    free(finder->pair);
    finder->pairs = finder->room;
    finder->pair = malloc(finder->pairs * sizeof *finder->pair);
    if (!finder->pair) finder->pairs = 0;
  }
  const bool good = !finder->full && finder->candidates <= finder->pairs;
  *count = good ? select_pairs(finder) : 0;
  *pair = finder->pair;
  return good;
}

static bool share_corner(const int a[3], const int b[3])
{
  return sb_is_corner(a, b[0]) || sb_is_corner(a, b[1]) || sb_is_corner(a, b[2]);
}

static bool cut(const sb_pair_finder *f, int s, int t)
{
  double a[3][3], b[3][3];
  for (int corner = 0; corner < 3; ++corner) {
    memcpy(a[corner], f->position + 3 * (size_t)f->tree.corner[s][corner], sizeof a[corner]);
    memcpy(b[corner], f->position + 3 * (size_t)f->tree.corner[t][corner], sizeof b[corner]);
  }
  return sb_triangles_meet(a, b);
}

static void count_cuts(void *finder, int a, int b)
{
  sb_pair_finder     *f = finder;
  const sb_tree_leaf *first = sb_tree_leaf_of(&f->tree, a), *second = sb_tree_leaf_of(&f->tree, b);
  for (int s = first[0].triangle; s < first[1].triangle; ++s)
    for (int t = a == b ? s + 1 : second[0].triangle; t < second[1].triangle; ++t)
      if (sb_boxes_meet(&f->tree.triangle_box[s], &f->tree.triangle_box[t]) &&
          !share_corner(f->tree.corner[s], f->tree.corner[t]))
        f->cuts += cut(f, s, t);
}

int64_t sb_pair_finder_intersections(sb_pair_finder *finder, const double *position)
{
  finder->cuts = 0;
  finder->position = position;
  sb_triangle_tree_place(&finder->tree, position, position, 0);
  sb_triangle_tree_raise(&finder->tree);
  sb_triangle_tree_meetings(&finder->tree, count_cuts, finder);
  return finder->cuts;
}

bool sb_pair_finder_gap(sb_pair_finder *finder, const double *position, sb_gap *gap)
{
  return sb_triangle_tree_gap(&finder->tree, position, gap);
}
