/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which known method moves one mode as these frames do? Local.
 *
 * A mode x'' = -square x - rate x' in equal frames, and any linear method that a frame has whole steps of, obey
 *
 *   x(n + 1) - 2 x(n) + x(n - 1) = -pull x(n) - loss (x(n) - x(n - 1)).
 *
 * A method is named only if its two numbers are within the tolerances of the measured ones, and no other method's are.
 * The tolerances must also be so small that a method which differs from it in the next power of h omega would show. The
 * mode is the hypothesis: no method is tried with another one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef struct {
  double square, rate; /* omega^2 in rad^2/s^2; 1/s: the amplitude falls as exp(-rate t/2) */
} sb_mode;

typedef struct {
  double pull, loss; /* trace = 2 - pull - loss, determinant = 1 - loss */
} sb_mode_map;

/* A motion: its mode and its map, with their tolerances. */
typedef struct {
  sb_mode     mode, mode_tolerance;
  sb_mode_map map, map_tolerance; /* from frame to frame */
  double      frame_seconds;
  int64_t     steps_per_frame;
} sb_mode_sight;

typedef struct {
  const char *name;                               /* the nearest, over its tolerance */
  double      parameter;                          /* NAN: it has none */
  int         substeps;                           /* of a step */
  bool        is_sure;                            /* it may be named */
  double      distance, tolerance, next_distance; /* of trace and determinant, the larger; next: of the nearest other */
} sb_known_method;

sb_known_method sb_known_method_find(const sb_mode_sight *sight);
/* The mode whose exact motion has this map. Frames do not tell frequencies apart that differ by a multiple of theirs:
 * it is the one next to `near`. False if no exact motion has this map. */
bool sb_mode_of_map(sb_mode_map map, double frame_seconds, sb_mode near, sb_mode *mode);
/* Seconds by which values are late that are a x(n) + b (x(n) - x(n - 1)) for the velocity of the mode in frame n, if
 * frames follow its exact motion. NAN if it does not oscillate. */
double sb_mode_delay(sb_mode mode, double frame_seconds, double a, double b);
