/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of a run, from h and duration or steps, or from substeps, frames and frame_seconds. Local; no PETSc. */
#pragma once

#include "base/options.h"

typedef struct {
  double h_seconds;        /* time step; the time of step s is s h_seconds, never accumulated. With h_over_limit it is
                            * that number until the driver knows the limit */
  int64_t steps;           /* in the whole run */
  int64_t steps_per_frame; /* 1 if no frames are given */
  int64_t frames;          /* steps / steps_per_frame */
} sb_time_grid;

/* Resolves the time options of a set that has the scene's defaults. `any_step`: the last step may end after the
 * duration, and h may be given over its limit. A pair from the user replaces the scene's; a single member keeps its
 * partner. Errors (E104): members of both kinds from the user, or one in seconds together with h_over_limit; steps
 * together with a duration; more than 1e9 steps; without any_step, a duration that is not a whole number of steps
 * within 1e-9. On success the unused kind is unset in `options`, so that equal runs have equal option sets. steps from
 * the user become the duration that they stand for. */
bool sb_resolve_time(sb_options *options, bool any_step, sb_time_grid *grid, sb_diagnostics *diagnostics);
