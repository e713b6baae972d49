/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The balance of energy: a dissipative method must not create energy. Collective.
 *
 * In the model, springs, gravity and penalty contact conserve the sum of their energy and the kinetic energy; drag,
 * dampers, friction and inelastic contact reduce it: no frame has more than an earlier one. Implicit Euler reduces it
 * further in every step in which the potential is convex (V27 of docs/verification.md). The potential has a saddle
 * where springs snap through. If a step is too long for the snap, it then ends with additional energy even though it
 * found its minimum. */
#pragma once

#include "cases/store/driver.h"
#include "model/system/system.h"

typedef struct {
  bool   checked; /* the integrator dissipates, and nothing else does work */
  double least;   /* J: of the frames so far, including the energy of contact in the potential */
  double largest; /* J: kinetic and elastic energy together, of the frames so far */
} sb_balance;

/* True if no other forces do work: no field, no air, no pins or colliders on a path, no lagged contact, and no pins
 * held by springs. */
bool sb_balance_is_closed(const sb_case *c, const sb_system *system);
/* Starts the balance; a continued run counts from its start. Runs without a tolerance for steps are not checked.
 * Neither are those with a field, air, pins or colliders on a path, or lagged contact: forces that are known only at
 * the start of a step may add energy. Pins held by springs exclude the check too, as their energy is not in frames. */
void sb_balance_open(const sb_case *c, const sb_system *system, sb_balance *balance);
/* *excess: J that the frame at x, at time t, has more than an earlier one; 0 up to 1 % of `largest`, and while nothing
 * is strained. */
PetscErrorCode sb_balance_frame(sb_balance *balance, const sb_system *system, double t_seconds, Vec x,
                                const sb_energies *energies, double *excess);
