/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The true motion of a case, by rk4 (order 4) with small steps. Collective. */
#pragma once

#include "drivers/setup.h"

/* rk4 with steps of h instead of the case's integrator; everything else as in the case. */
PetscErrorCode sb_rk4_reference_create(const sb_setup *setup, const sb_case *c, double h_seconds,
                                       sb_integrator **integrator);
/* Steps of rk4 in a frame that no spring, however stretched, is too fast for: h omega <= 1/8, at least 16. A power of
 * two. */
PetscErrorCode sb_rk4_reference_steps(const sb_setup *setup, double frame_seconds, int64_t *steps);
/* True if small steps of rk4 converge to the case's motion. They do not if a step multiplies velocities, nor with a
 * barrier or contact inside steps. False with diagnostics. A judge of drivers. Local. */
bool sb_rk4_reference_check(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics);
/* Accelerations of the same model, including drag, dampers and damping_rate: `integrator` is for sb_acceleration_at
 * only, which computes those of the state at time step h_seconds. */
PetscErrorCode sb_acceleration_create(const sb_setup *setup, const sb_case *c, double h_seconds,
                                      sb_integrator **integrator);
PetscErrorCode sb_acceleration_at(sb_integrator *integrator, int64_t step, double h_seconds, const sb_start_state *at,
                                  Vec acceleration);
/* The largest |a - b| of a component. */
PetscErrorCode sb_rk4_reference_distance(Vec a, Vec b, double *largest);
/* The error of rk4's motion, by its distance from that of steps twice as long: order 4, but 1 with contact, which makes
 * velocities or forces jump. Local. */
double sb_rk4_reference_error(const sb_setup *setup, double distance);
