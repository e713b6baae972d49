/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projection onto an intersection of half-spaces, in three dimensions. Local.
 *
 * The nearest point to a given v is v + sum_k push_k n_k with push_k >= 0, and push_k = 0 if that point is inside
 * half-space k. It is the velocity of a body that may not move into several surfaces at once. Removing the inward part
 * at one surface after the other does not suffice at an acute angle: each pass leaves cos^2 of the angle. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { SB_HALF_SPACES_MAX = 8 };

typedef struct {
  double n[3];  /* a unit vector */
  double least; /* the half-space is n.v >= least */
  double push;  /* the distance by which the projections have moved v along n */
} sb_half_space;

/* Moves v to the nearest point and adds to the pushes. False, with v and pushes unchanged, if the intersection is empty
 * or v is not finite. count is at most SB_HALF_SPACES_MAX. */
bool sb_half_spaces_project(size_t count, sb_half_space *space, double v[3]);
