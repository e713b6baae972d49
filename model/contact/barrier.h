/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The net's contact with itself as a barrier: the sum of barrier_pair.h over all vertex-triangle and edge-edge pairs
 * that are nearer than dhat and share no vertex; and how far the net may move before a pair meets.
 *
 * Positions are [vertices][3] of the whole net. Near pairs are kept between calls while positions do not change.
 * Functions that return bool return false if memory is out. Local. */
#pragma once

#include "model/contact/barrier_pair.h"
#include "model/mesh/surface_mesh.h"

typedef struct sb_barrier sb_barrier;

/* `surface` is borrowed; `initial` gives the rest lengths of edges. NULL if memory is out. */
sb_barrier *sb_barrier_create(const sb_surface *surface, sb_barrier_law law, const double *initial);
void        sb_barrier_destroy(sb_barrier **barrier);

/* Returns the number of pairs of triangles that intersect, which a barrier cannot undo (pair_finder.h); -1 if memory is
 * out. */
int64_t sb_barrier_cuts(sb_barrier *barrier, const double *position);
/* *energy in J; INFINITY if parts touch. */
bool sb_barrier_energy(sb_barrier *barrier, const double *position, double *energy);
/* force -= grad of that energy, [vertices][3] N. */
bool sb_barrier_add_forces(sb_barrier *barrier, const double *position, double *force);
/* *fraction, in [0, 1], of the straight motion from `from` to `to` that leaves every pair at least half of `kept` of
 * its distance, 0 < kept < 1. It is below 1 only if the whole motion does not; then some pair keeps at most `kept`. */
bool sb_barrier_advance(sb_barrier *barrier, const double *from, const double *to, double kept, double *fraction);

/* The pairs nearer than dhat, and the dyads of the Hessian of one of them (barrier_pair.h). The barrier owns the list;
 * it is valid until the next call. */
typedef struct {
  sb_pair     pair;
  sb_nearness near;
} sb_near_pair;
bool sb_barrier_find(sb_barrier *barrier, const double *position, size_t *count, const sb_near_pair **near);
int  sb_barrier_dyads(const sb_barrier *barrier, const sb_near_pair *near, const double *position,
                      double dyad[SB_BARRIER_DYADS][4][3]);
