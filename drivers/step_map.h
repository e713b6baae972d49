/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which integrator is it? If the converged motion is that of one mode, x'' = -square x - rate x' along one direction,
 * frames of any linear method of two levels obey
 *
 *   q(n + 1) = trace q(n) - determinant q(n - 1) + constant,
 *
 * q the displacement along the mode in frame n. Both numbers are fitted to the frames, with their standard errors, and
 * compared with those of known methods (known_methods.h). Square and rate are those of the net's accelerations in the
 * converged motion: stiffness and damping as stated are the hypothesis. Collective. */
#pragma once

#include <petscvec.h>

#include "cases/store/recorder.h"
#include "drivers/known_methods.h"

typedef struct {
  Vec x, v, a; /* a: acceleration, of the converged motion */
} sb_step_state;

/* Values of a frame along the direction, over its length. */
typedef struct {
  double own, own_velocity;
  double truth, truth_velocity, truth_acceleration;
} sb_step_sample;

typedef struct {
  Vec             start, direction, moved; /* frame 0; first displacement of the converged motion; work */
  double          square;                  /* |direction|^2; 0: nothing has moved yet */
  sb_step_sample *samples;                 /* [count] */
  size_t          count, capacity, still;  /* still: frames at the start without a direction, which have no rates */
  double          own_stray, truth_stray;  /* largest displacement across the direction, over its length */
  double          rounding;                /* of coordinates, over that length */
  bool            has_truth;
} sb_step_map;

/* The columns that sb_step_map_record fills. */
#define SB_STEP_MAP_COLUMNS                                                                                            \
  {"step_trace", "",                                                                                                   \
   "trace of the map from frame to frame of a net that moves in one mode, fitted to the frames; blank: the converged " \
   "motion has more than one mode, or the frames do not follow such a map",                                            \
   .timing = false},                                                                                                   \
      {"step_determinant", "", "its determinant: 1 keeps the amplitude", .timing = false},                             \
      {"fit_error", "", "root mean square misfit of the fit, over the range of the motion", .timing = false},          \
      {"amplitude_kept", "",                                                                                           \
       "determinant^(frames/2): amplitude of the mode at the end over that at the start; blank also if the frames do " \
       "not show it to 10 %",                                                                                          \
       .timing = false},                                                                                               \
      {"found_method", "",                                                                                             \
       "the method with this map at the stated stiffness and damping; blank: none has it within found_tolerance, or "  \
       "another one may have it. Without damping, velocity Verlet and leapfrogs are symplectic_euler, and Newmark's "  \
       "method with gamma = 2 theta - 1/2, beta = theta^2 is theta",                                                   \
       .kind = SB_COLUMN_WORD},                                                                                        \
      {"found_parameter", "", "theta, gamma of newmark, rho of generalized_alpha or alpha of hht_alpha",               \
       .timing = false},                                                                                               \
      {"found_substeps", "", "steps of that method in a step h", .timing = false},                                     \
      {"found_distance", "", "larger difference of trace and determinant from those of the nearest known method",      \
       .timing = false},                                                                                               \
      {"found_tolerance", "", "that of a run of the method itself: six standard errors, and rounding",                 \
       .timing = false},                                                                                               \
      {"next_distance", "", "that of the nearest other method, parameter or number of substeps", .timing = false},     \
      {"found_stiffness", "N/m", "option stiffness of a net whose exact motion has this map; blank: none has it",      \
       .timing = false},                                                                                               \
      {"found_damping", "1/s", "decay of the amplitude A exp(-t found_damping) in that exact motion",                  \
       .timing = false},                                                                                               \
  {                                                                                                                    \
    "velocity_delay", "s",                                                                                             \
        "time by which the simulator's velocities are behind its positions in the mode: h/2 for leapfrogs that leave " \
        "velocities of half steps, and for symplectic Euler",                                                          \
        .timing = false                                                                                                \
  }

/* Adds the next frame. truth: the converged motion, NULL if there is none. */
PetscErrorCode sb_step_map_frame(sb_step_map *map, const sb_step_state *own, const sb_step_state *truth);

typedef struct {
  double  frame_seconds, stiffness; /* NAN: the net has no such option */
  int64_t steps_per_frame;          /* steps h of a frame */
  bool    has_velocities;           /* those of the simulator */
} sb_step_facts;

/* NAN: blank; name and number of substeps of `nearest` count only if it is sure. */
typedef struct {
  double          trace, determinant, fit_error, amplitude_kept, stiffness, damping, velocity_delay;
  sb_known_method nearest;
} sb_step_finding;

/* At least eight frames are needed. Local. */
void sb_step_map_judge(const sb_step_map *map, const sb_step_facts *facts, sb_step_finding *found);
/* Fills the columns. */
PetscErrorCode sb_step_map_record(const sb_step_map *map, const sb_step_facts *facts, sb_recorder *recorder);
PetscErrorCode sb_step_map_clear(sb_step_map *map);
