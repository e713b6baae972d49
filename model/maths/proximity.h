/* Two parts of a surface that may touch: a vertex and a triangle, or two edges. How near they are, and when they meet.
 *
 * Both kinds have four vertices and one form: the shortest connection is delta = sum w_i x_i with weights of the
 * closest points, (1, -a, -b, -c) of a vertex and a triangle, a + b + c = 1, and (1 - s, s, -(1 - t), -t) of two edges.
 * Then |delta| is the distance, n = delta/|delta| points from the second part to the first, sum w_i v_i is their
 * relative velocity, and, the closest points being closest, grad_i |delta|^2 = 2 w_i delta. Arrays x and p are read
 * only. Local. */
#pragma once

#include <stdbool.h>

typedef enum { SB_VERTEX_TRIANGLE, SB_EDGE_EDGE } sb_pair_kind;

typedef struct {
  sb_pair_kind kind;
  int          vertex[4]; /* the vertex and the corners; or the ends of the one edge and those of the other */
} sb_pair;

/* Squared distance, m^2, of the parts whose vertices stand at x[0 … 3], and the weights of the closest points; robust
 * where a triangle or an edge has no area or length, or edges are parallel (Ericson, Real-Time Collision Detection,
 * 2005, sections 5.1.5 and 5.1.9). NaN positions give NaN. */
double sb_pair_distance2(sb_pair_kind kind, double x[4][3], double weight[4]);

/* Additive conservative advancement (Li, Kaufman, Jiang: Codimensional Incremental Potential Contact, 2021): a fraction
 * of the straight motion x + t p, t in [0, 1], that surely does not bring the parts as near as `least` metres: they are
 * farther apart than that at every t up to it, what rounding does included. 1: the whole motion is free. Beforehand the
 * parts are farther apart than `least`, else 0 is the answer. Where the parts would come so near, the fraction stops
 * where `slack` of what they were farther apart than that is left, or up to half of it less; 0 < slack < 1 (0.1 is
 * usual). Parts that are so near that rounding decides are free only to part or slide. Motions with a NaN are not
 * free: 0. */
double sb_pair_advance(sb_pair_kind kind, double x[4][3], double p[4][3], double least, double slack);

/* Have two triangles, of finite places, a point in common? One that touches counts; what rounding cannot tell from
 * touching does, too. */
bool sb_triangles_meet(double a[3][3], double b[3][3]);
