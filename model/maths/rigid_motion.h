/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions of some points of a net as one rigid body. Local.
 *
 * Places and ways are [points][3]; `member` selects `count` of them. A way is a displacement over a step. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* The rigid part of the members' ways: mean + turn x (x - centre). It has their momentum and angular momentum, and the
 * least energy of all ways with these. Points that move so never come nearer to each other on the straight way: |r + s
 * turn x r|^2 = |r|^2 + s^2 |turn x r|^2. */
typedef struct {
  double centre[3], mean[3], turn[3];
} sb_body_way;
sb_body_way sb_body_way_of(size_t count, const int *member, const double *mass, const double *place, const double *way);
void        sb_body_way_at(const sb_body_way *body, const double place[3], double way[3]);

/* The rotation about a centre, and the shift, that take the members' places to the ends of their ways. False if no
 * motion does so within `tolerance` metres, or if an axis passes through all members. The search covers rotations up to
 * about a radian. */
typedef struct {
  double centre[3], mean[3], turn[3][3];
} sb_body_turn;
bool sb_body_turn_of(size_t count, const int *member, const double *place, const double *way, double tolerance,
                     sb_body_turn *body);
void sb_body_turn_at(const sb_body_turn *body, const double place[3], double way[3]);
