/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces besides elastic springs, gravity and drag, which integrators treat themselves: acceleration field, spring
 * dampers, air, penalty contact; and the prescribed places of pinned vertices.
 *
 * On local arrays [owned (+ ghosts)][3]; t is the time of the positions. Not collective. A caller may skip each
 * function if the query before it is false. */
#pragma once

#include "model/system/system.h"

/* True if sb_system_add_external has an effect: there is a field, or penalty contact that is not implicit. */
bool sb_system_has_external(const sb_system *system);
/* force[owned] += m a_w(x, t) + penalty(x, t) on free vertices. */
PetscErrorCode sb_system_add_external(const sb_system *system, double t_seconds, const double *position, double *force);

/* True if there are forces that depend on velocity other than drag: dampers, air, those of a fluid. */
bool sb_system_is_damped(const sb_system *system);
/* force += -(k_d + beta k) ((v_i - v_j).u) u of every spring, the resistance of air, and the forces of a fluid, whose
 * pairs are updated to these places. Arrays position and velocity have ghosts. Entries of force [owned + ghosts] after
 * the owned ones are undefined. */
PetscErrorCode sb_system_add_damping(const sb_system *system, double beta, const double *position,
                                     const double *velocity, double *force);

/* True if pinned vertices move. */
bool sb_system_moves_pins(const sb_system *system);
/* position of owned pinned vertices = path(t); others are unchanged. Does nothing if they do not move. */
void sb_system_place_pins(const sb_system *system, double t_seconds, double *position);
/* velocity of owned pinned vertices at time t of steps of h: 0, or on a path the mean of the step that ends then,
 * (path(t) - path(t - h))/h, and at t = 0 of the first step. Vertices held by penalties move by themselves: theirs is
 * set at t = 0 only. */
void sb_system_set_pin_velocities(const sb_system *system, double t_seconds, double h_seconds, double *velocity);

/* For a program that changes a run (library/), between two steps and with a new integrator after it; on one rank.
 * take_pin_places: the places of pinned vertices, which do not move, are those in x (full) from here on. set_push: free
 * vertices have an acceleration [owned][3] m/s^2 (borrowed) besides that of the field; NULL: no acceleration. */
PetscErrorCode sb_system_take_pin_places(sb_system *system, Vec x);
PetscErrorCode sb_system_set_push(sb_system *system, const double *acceleration);

/* Contact's measures over all ranks, zeros without contact. Collective. */
PetscErrorCode sb_system_contact_measures(const sb_system *system, sb_contact_measures *measures);
