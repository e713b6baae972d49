/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Summary of the frames of a run: energies and their drift, time to rest, extent of the motion. Collective. */
#pragma once

#include "cases/store/checkpoint.h"
#include "cases/store/recorder.h"
#include "model/system/system.h"

typedef struct {
  sb_arena *arena; /* of the arrays */
  size_t    count;
  double   *seconds, *total, *kinetic, *gravity; /* [count] of every frame; s, then J */
  double    strain_max, coordinate_max;
  double    strain_final, strain_first, momentum_final, center[3]; /* of the last frame */
} sb_motion_summary;

/* The columns that sb_motion_summary_record fills: for the tables of drivers. */
#define SB_MOTION_SUMMARY_COLUMNS                                                                                      \
  {"energy_start", "J", "total energy of the first frame", .timing = false, .valid_if_diverged = true},                \
      {"energy_final", "J", "total energy of the last frame", .timing = false},                                        \
      {"energy_max", "J", "largest total energy of a frame", .timing = false},                                         \
      {"energy_error_max", "J",                                                                                        \
       "largest |total energy - that of the first frame| of a frame; blank: the model itself changes it, by drag, "    \
       "dampers, contact, moving pins or a field",                                                                     \
       .timing = false},                                                                                               \
      {"energy_drift", "J/s", "slope of the straight line fitted to the total energy over time", .timing = false},     \
      {"kinetic_max", "J", "largest kinetic energy of a frame", .timing = false},                                      \
      {"kinetic_final", "J", "kinetic energy of the last frame", .timing = false},                                     \
      {"settle_time", "s",                                                                                             \
       "time after which the kinetic energy stayed below 1e-4 of its largest; blank: not before the end",              \
       .timing = false},                                                                                               \
      {"hang_time", "s",                                                                                               \
       "time after which the gravitational energy was within 1 % of its range from its last value; blank: "            \
       "not for the last half of the run",                                                                             \
       .timing = false},                                                                                               \
      {"falls", "", "number of falls of the gravitational energy by more than 1 % of its range", .timing = false},     \
      {"fall_time", "s", "time at which the first fall was within 1 % of that range from its lowest",                  \
       .timing = false},                                                                                               \
      {"strain_max", "", "largest |length/rest length - 1| of a frame", .timing = false},                              \
      {"strain_final", "", "largest |length/rest length - 1| of the last frame", .timing = false},                     \
      {"strain_first", "", "length/rest length - 1 of the first spring in the last frame", .timing = false},           \
      {"coordinate_max", "m", "largest |x|, |y| or |z| of a vertex in a frame", .timing = false},                      \
      {"momentum_final", "kg m/s", "norm of the momentum of the last frame", .timing = false},                         \
      {"center_x", "m", "final x of the centre of mass", .timing = false},                                             \
      {"center_y", "m", "final y of the centre of mass", .timing = false},                                             \
  {                                                                                                                    \
    "center_z", "m", "final z of the centre of mass", .timing = false                                                  \
  }

/* Adds a frame at positions x, with the recorder's energies; a frame that is given twice counts once. */
PetscErrorCode sb_motion_summary_frame(sb_motion_summary *tally, double seconds, const sb_energies *energies, Vec x);
/* Computes the measures of the last frame, at its positions. */
PetscErrorCode sb_motion_summary_end(sb_motion_summary *tally, const sb_system *system, Vec x);
/* Passes the frames so far through a checkpoint. */
PetscErrorCode sb_motion_summary_keep(sb_motion_summary *tally, sb_checkpoint *checkpoint);
/* conserved: the model keeps the total energy (energy_balance.h). */
PetscErrorCode sb_motion_summary_record(const sb_motion_summary *tally, bool conserved, sb_recorder *recorder);
