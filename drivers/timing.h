/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common parts of drivers that time steps: the columns of driver `timing`, computed from samples. */
#pragma once

#include "drivers/minimizer_counts.h"
#include "drivers/setup.h"

#define SB_TIMING_COLUMNS                                                                                              \
  {"step_median_s", "s", "median time of a step", .timing = true},                                                     \
      {"step_min_s", "s", "shortest step", .timing = true}, {"step_q1_s", "s", "lower quartile", .timing = true},      \
      {"step_q3_s", "s", "upper quartile", .timing = true},                                                            \
      {"step_p95_s", "s", "95th percentile of the times of steps", .timing = true},                                    \
      {"realtime_factor", "",                                                                                          \
       "simulated seconds per second of the timed steps; from 1 on, the motion keeps up with a clock",                 \
       .timing = true},                                                                                                \
      {"step_low_s", "s", "lower end of the median's 95 % interval", .timing = true},                                  \
      {"step_high_s", "s", "upper end of the median's 95 % interval", .timing = true},                                 \
      {"samples", "", "timed steps or batches in these statistics", .timing = true},                                   \
      {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,              \
       .kind = SB_COLUMN_WORD},                                                                                        \
      {"setup_s", "s", "median time to create the integrator, including its only factorisation", .timing = true},      \
      {"forces_s", "s",                                                                                                \
       "median per step: forces and gradients; explicit methods have it from 2000 springs on, including the "          \
       "update if both are one pass",                                                                                  \
       .timing = true},                                                                                                \
      {"contact_s", "s",                                                                                               \
       "median per step: filters of contact; explicit methods have it from 2000 springs on; blank: none",              \
       .timing = true},                                                                                                \
      {"local_s", "s", "median per step: local step of projective dynamics", .timing = true},                          \
      {"rhs_s", "s", "median per step: right-hand sides", .timing = true},                                             \
      {"assembly_s", "s", "median per step: assembly of the Hessian", .timing = true},                                 \
      {"analyze_s", "s", "setup and steps together: symbolic analysis", .timing = true},                               \
      {"factor_s", "s", "median per step: numeric factorisation or preconditioner", .timing = true},                   \
      {"solve_s", "s", "median per step: solves", .timing = true},                                                     \
      {"check_s", "s",                                                                                                 \
       "median per step: the harness's residuals and inspections of matrices, which are subtracted from the "          \
       "times of steps; blank: none",                                                                                  \
       .timing = true},                                                                                                \
      {"front_s", "s",                                                                                                 \
       "time that the harness adds to a step by clock, barriers and the integrators' front: median time of "           \
       "an empty step with as many empty checks, over the steps of a batch",                                           \
       .timing = true},                                                                                                \
      {"nnz_factor", "", "entries of the Cholesky factor", .timing = false},                                           \
      {"flops_factor", "", "operations of one factorisation", .operations = true}, SB_NOT_COUNTED_COLUMN,              \
      SB_MINIMIZER_COUNT_COLUMNS, {"vertices", "", "vertices", .valid_if_diverged = true},                             \
      {"spring_count", "", "springs", .valid_if_diverged = true},                                                      \
  {                                                                                                                    \
    "steps_done", "", "steps finished", .valid_if_diverged = true                                                      \
  }

/* Fills columns from the samples "step" (of h_seconds each), "setup" and those of phases; columns without samples stay
 * blank. Collective. */
PetscErrorCode sb_timing_record_times(sb_recorder *recorder, double h_seconds);
/* The number of steps of an explicit method that are timed together, so that the clock's cost is negligible. Local. */
int64_t sb_timing_batch(const sb_system *system);
/* Driver `timing` itself. Collective. */
PetscErrorCode sb_timing_run(const sb_case *c, sb_recorder *recorder);
