/* The point of an intersection of half-spaces that is nearest to a given one, in three dimensions. Local.
 *
 * With v the given point it is v + sum_k push_k n_k, push_k >= 0, and push_k = 0 where n_k.v > least_k: what a body
 * does that may not move into several surfaces at once. Where surfaces meet at an acute angle, taking the inward part
 * away on one after the other does not get there: each pass leaves cos^2 of the angle of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SB_HALF_SPACES_MAX = 8 };

typedef struct {
  double n[3];  /* a unit vector */
  double least; /* the half-space is n.v >= least */
  double push;  /* what the projections have moved v along n */
} sb_half_space;

/* Moves v there and adds to the pushes. False, with v and pushes as they were, where there is no such point or v is not
 * finite. At most SB_HALF_SPACES_MAX. */
bool sb_half_spaces_project(size_t count, sb_half_space *space, double v[3]);
