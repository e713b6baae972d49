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
/* force += -k_d ((v_i - v_j).u) u of every damper, the resistance of air, and the forces of a fluid, whose pairs are
 * updated to these places. Arrays position and velocity have ghosts. Entries of force [owned + ghosts] behind the owned
 * ones are undefined. */
PetscErrorCode sb_system_add_damping(const sb_system *system, const double *position, const double *velocity,
                                     double *force);

/* True if pinned vertices move. */
bool sb_system_moves_pins(const sb_system *system);
/* position of owned pinned vertices = path(t); others are unchanged. Does nothing if they do not move. */
void sb_system_place_pins(const sb_system *system, double t_seconds, double *position);

/* Contact's measures over all ranks, zeros without contact. Collective. */
PetscErrorCode sb_system_contact_measures(const sb_system *system, sb_contact_measures *measures);
