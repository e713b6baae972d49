/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hierarchy of boxes over the triangles of a surface, with the boxes of vertices, edges and triangles below it. For
 * pair_finder.c and surface_gap.c only. Local.
 *
 * The hierarchy is made once, from the topology and not from places: triangles are halved repeatedly along walks along
 * their longest extent, which keeps neighbours together even if the surface is bent. The boxes are computed for each
 * query, from the leaves up. A leaf has up to SB_TREE_LEAF triangles, and those of their corners and sides that no
 * earlier leaf has (Curtis, Tamstorf, Manocha: Fast collision detection for deformable models using representative
 * triangles, 2008). So each vertex and each edge is in one leaf, and two parts meet below only one pair of leaves. */
#pragma once

#include "model/contact/pair_finder.h"

enum { SB_TREE_LEAF = 8 };

typedef struct {
  double low[3], high[3]; /* empty: low above high */
} sb_box;

/* A node is followed by its first half, then by its second half from `second` on. */
typedef struct {
  int second; /* 0: a leaf */
  int leaf;
  int triangles; /* below it */
} sb_tree_node;

/* Indices of the first parts of a leaf among those of all leaves; the next leaf's begin where these end. */
typedef struct {
  int vertex, edge, triangle;
} sb_tree_leaf;

typedef struct {
  const sb_surface *surface; /* borrowed */
  int               nodes, leaves;
  sb_tree_node     *node;                       /* [nodes] */
  sb_tree_leaf     *leaf;                       /* [leaves + 1] */
  int              *vertex, *triangle;          /* numbers, in the order of leaves; only vertices of triangles */
  int (*edge)[2], (*corner)[3];                 /* likewise: ends and corners */
  sb_box *node_box, *place;                     /* [nodes], [vertices] of the surface by number */
  sb_box *vertex_box, *edge_box, *triangle_box; /* in the order of leaves */
} sb_triangle_tree;

/* False if memory is out; close it in either case. */
bool sb_triangle_tree_open(sb_triangle_tree *tree, const sb_surface *surface);
void sb_triangle_tree_close(sb_triangle_tree *tree);
/* Computes the boxes of parts over the straight motion from `from` to `to` [vertices][3], each widened by half the
 * radius and by the effect of rounding. A part with a vertex without a finite place has an empty box. */
void sb_triangle_tree_place(sb_triangle_tree *tree, const double *from, const double *to, double radius);
/* Computes the boxes of nodes from those of the parts. */
void sb_triangle_tree_raise(sb_triangle_tree *tree);
/* Calls `on` for every leaf with itself and for every two leaves whose boxes meet, with their nodes, in the order of
 * the hierarchy. */
typedef void sb_on_leaves(void *context, int a, int b);
void         sb_triangle_tree_meetings(const sb_triangle_tree *tree, sb_on_leaves *on, void *context);

/* As sb_pair_finder_gap. */
bool sb_triangle_tree_gap(sb_triangle_tree *tree, const double *position, sb_gap *gap);

static inline bool sb_boxes_meet(const sb_box *a, const sb_box *b)
{
  return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) & (b->low[1] <= a->high[1]) &
         (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static inline const sb_tree_leaf *sb_tree_leaf_of(const sb_triangle_tree *tree, int node)
{
  return &tree->leaf[tree->node[node].leaf];
}

static inline bool sb_is_corner(const int corner[3], int v)
{
  return (corner[0] == v) | (corner[1] == v) | (corner[2] == v);
}
