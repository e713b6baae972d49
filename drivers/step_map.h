/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which integrator is it? A net that moves in one mode, by any linear method of two levels, obeys
 *
 *   q(n + 1) = trace q(n) - determinant q(n - 1) + constant,
 *
 * q the displacement along the mode in frame n. Both numbers are fitted to the frames and compared with those of s = 1
 * to 64 substeps of known methods, at the frequency that the converged motion shows. Collective. */
#pragma once

#include <petscvec.h>

#include "cases/store/recorder.h"

typedef struct {
  Vec     start, direction, moved; /* frame 0; its first displacement, of the converged motion if any; work */
  double  square;                  /* |direction|^2; 0: nothing has moved yet */
  double *own, *truth;             /* [count] displacement along the direction, over its length */
  size_t  count, capacity;
} sb_step_map;

/* The columns that sb_step_map_record fills. */
#define SB_STEP_MAP_COLUMNS                                                                                            \
  {"step_trace", "",                                                                                                   \
   "trace of the map from frame to frame of a net that moves in one mode, fitted to the frames; blank: the frames do " \
   "not follow such a map",                                                                                            \
   .timing = false},                                                                                                   \
      {"step_determinant", "", "its determinant: 1 keeps the amplitude", .timing = false},                             \
      {"fit_error", "", "root mean square misfit of the fit, over the range of the motion", .timing = false},          \
      {"amplitude_kept", "", "determinant^(frames/2): amplitude of the mode at the end over that at the start",        \
       .timing = false},                                                                                               \
      {"found_method", "",                                                                                             \
       "the method whose map is nearest (velocity Verlet and leapfrogs are symplectic_euler here); blank: the next "   \
       "is "                                                                                                           \
       "less than ten times as far",                                                                                   \
       .kind = SB_COLUMN_WORD},                                                                                        \
      {"found_substeps", "", "steps of that method in a step h", .timing = false},                                     \
      {"found_distance", "", "larger difference of trace and determinant from those of that method", .timing = false}, \
  {                                                                                                                    \
    "next_distance", "", "that of the nearest other method or number of substeps", .timing = false                     \
  }

/* Adds the next frame. truth: the converged motion, NULL if there is none. */
PetscErrorCode sb_step_map_frame(sb_step_map *map, Vec x, Vec truth);
/* Fills the columns, as far as frames (at least eight) allow; steps_per_frame: steps h of a frame. */
PetscErrorCode sb_step_map_record(const sb_step_map *map, int64_t steps_per_frame, sb_recorder *recorder);
PetscErrorCode sb_step_map_clear(sb_step_map *map);
