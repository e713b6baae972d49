/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The balance of energy of a run: a net has the energy that it began with, and no more, if nothing gives it any.
 * Collective.
 *
 * The energy is that of motion, springs, gravity, penalty contact and the barrier. Drag, dampers, friction and
 * inelastic contact only take it. Energy above the least amount so far came from the method. Two verdicts follow.
 *
 * Energy from nothing, for integrators that claim to dissipate: no frame has more than an earlier one. Implicit Euler
 * reduces the energy in every step in which the potential is convex (V27 of docs/verification.md). The potential has a
 * saddle where springs snap through. If a step is too long for the snap, it then ends with additional energy even
 * though it found its minimum.
 *
 * A burst, for all integrators: the method gave more than SB_BURST times the scale of the net. The scale is the energy
 * at the start, plus that of springs twice as long as at rest, plus that of a fall by the diagonal of the initial
 * bounding box. The run may stay within its bounds: far stretched, springs are nearly linear, and the step is stable
 * again (docs/model.md section 9). Runs with fields, air, pins or colliders on a path, and fluids, are not judged: a
 * force that changes and returns between two looks gives energy that no look can know. */
#pragma once

#include "cases/store/driver.h"
#include "model/system/system.h"

#define SB_BURST 100

typedef struct {
  bool   dissipates; /* the integrator, and nothing gives energy */
  bool   unknown;    /* something may give energy: no look is taken */
  double scale;      /* J */
  struct {
    double least;         /* J, of the looks */
    double largest;       /* J: kinetic and elastic energy together, of the looks */
    double burst_seconds; /* time of the first look after the burst, */
    double burst_energy;  /* and the energy from nothing, J; 0: no burst */
  } so_far;
  double excess; /* J: the last look's energy above `least`, if the integrator dissipates; 0 up to 1 % of `largest`, and
                  * while nothing is strained */
} sb_balance;

/* True if no other forces do work: no field, no air, no pins or colliders on a path, no lagged contact, and no pins
 * held by springs. */
bool sb_balance_is_closed(const sb_case *c, const sb_system *system);
/* True if the model also keeps the sum of kinetic, elastic and gravitational energy: nothing damps, and there is no
 * contact, whose energy is not in it. */
bool sb_balance_is_conserved(const sb_case *c, const sb_system *system);
/* Starts the balance at (x, v) and time t; a continued run counts from its start. Energy from nothing is looked for if
 * the steps have a tolerance and the balance is closed. Forces that are known only at the start of a step may add
 * energy, and frames lack the energy of springs that hold pins. */
PetscErrorCode sb_balance_open(const sb_case *c, const sb_system *system, double t_seconds, Vec x, Vec v,
                               sb_balance *balance);
/* Looks at (x, v) at time t; energies: of this state, NULL: they are not known yet. */
PetscErrorCode sb_balance_look(sb_balance *balance, const sb_system *system, double t_seconds, Vec x, Vec v,
                               const sb_energies *energies);
/* For a run that made all its steps: true if the net burst; `reason` says when and by how much. */
bool sb_balance_burst(const sb_balance *balance, size_t size, char *reason);
