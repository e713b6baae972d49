/* The net's contact with itself as a barrier: the sum of barrier_pair.h over all vertices with triangles and edges with
 * edges that are nearer than dhat and have no vertex in common, and how far the net may move without a pair meeting.
 *
 * Positions are [vertices][3] of the whole net. Near pairs are kept from one call to the next while positions stay the
 * same. Functions that answer bool: false when memory is out. Local. */
#pragma once

#include "model/contact/barrier_pair.h"
#include "model/mesh/surface_mesh.h"

typedef struct sb_barrier sb_barrier;

/* `surface` is borrowed; `initial` gives the lengths of edges at rest. NULL when memory is out. */
sb_barrier *sb_barrier_create(const sb_surface *surface, sb_barrier_law law, const double *initial);
void        sb_barrier_destroy(sb_barrier **barrier);

/* Pairs of triangles that cut each other, which a barrier does not mend (pair_finder.h); -1 when memory is out. */
int64_t sb_barrier_cuts(sb_barrier *barrier, const double *position);
/* *energy in J; INFINITY where parts touch. */
bool sb_barrier_energy(sb_barrier *barrier, const double *position, double *energy);
/* force -= grad of that energy, [vertices][3] N. */
bool sb_barrier_add_forces(sb_barrier *barrier, const double *position, double *force);
/* The fraction of the straight motion from `from` to `to`, in [0, 1], that leaves every pair half of `kept` of its
 * distance at least, 0 < kept < 1; below 1 only where the whole does not, and then with at most `kept` of it left. */
bool sb_barrier_advance(sb_barrier *barrier, const double *from, const double *to, double kept, double *fraction);

/* The pairs nearer than dhat, and of one of them the dyads of its Hessian (barrier_pair.h). The list is the barrier's
 * until its next call. */
typedef struct {
  sb_pair     pair;
  sb_nearness near;
} sb_near_pair;
bool sb_barrier_find(sb_barrier *barrier, const double *position, size_t *count, const sb_near_pair **near);
int  sb_barrier_dyads(const sb_barrier *barrier, const sb_near_pair *near, const double *position,
                      double dyad[SB_BARRIER_DYADS][4][3]);
