/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The distance of two parts of a surface, a vertex and a triangle or two edges, and whether they meet in a motion.
 *
 * Both kinds have four vertices and one form: the shortest connection is delta = sum w_i x_i with the weights of the
 * closest points. These are (1, -a, -b, -c) for a vertex and a triangle, a + b + c = 1, and (1 - s, s, -(1 - t), -t)
 * for two edges. |delta| is the distance, n = delta/|delta| points from the second part to the first, and sum w_i v_i
 * is their relative velocity. As the closest points are stationary, grad_i |delta|^2 = 2 w_i delta. Arrays x and p are
 * read only. Local. */
#pragma once

#include <stdbool.h>

typedef enum { SB_VERTEX_TRIANGLE, SB_EDGE_EDGE } sb_pair_kind;

typedef struct {
  sb_pair_kind kind;
  int          vertex[4]; /* the vertex and the corners; or the ends of one edge and those of the other */
} sb_pair;

/* Squared distance, m^2, of the parts with vertices x[0 … 3], and the weights of the closest points. Robust for
 * triangles without area, edges without length and parallel edges (Ericson, Real-Time Collision Detection, 2005,
 * sections 5.1.5 and 5.1.9). NaN positions give NaN. */
double sb_pair_distance2(sb_pair_kind kind, double x[4][3], double weight[4]);

/* Additive conservative advancement (Li, Kaufman, Jiang: Codimensional Incremental Potential Contact, 2021). Returns a
 * fraction of the straight motion x + t p, t in [0, 1], up to which the parts stay farther apart than `least` metres,
 * rounding included; 1: the whole motion is free. The result is 0 if they are not farther apart than `least` at the
 * start. If the motion brings them so near, the fraction stops where between half of `slack` and `slack` of their
 * initial distance beyond `least` is left; 0 < slack < 1 (0.1 is usual). Parts within rounding of `least` are free only
 * to separate or slide. Motions with a NaN have the result 0. */
double sb_pair_advance(sb_pair_kind kind, double x[4][3], double p[4][3], double least, double slack);

/* True if two triangles with finite places have a common point. Touching counts, and so do distances within rounding of
 * touching. */
bool sb_triangles_meet(double a[3][3], double b[3][3]);
