/* The balance of energy: a method that dissipates may not make energy. Collective.
 *
 * In the model springs, gravity and penalty contact keep their energy and that of motion, and drag, dampers, friction
 * and inelastic contact take from it: no frame has more than an earlier one. Implicit Euler takes more of it in every
 * step where the potential is convex (V27 of docs/verification.md). Where springs snap through it is a saddle; a step
 * that is too long for the snap, though it found its minimum, then ends with energy out of nothing. */
#pragma once

#include "cases/store/driver.h"
#include "model/system/system.h"

typedef struct {
  bool   checked; /* the integrator dissipates, and nothing outside of these energies does work */
  double least;   /* J: of the frames so far, with what contact in the potential stores */
  double largest; /* J: kinetic and elastic energy together, of the frames so far */
} sb_balance;

/* True if nothing outside of these energies does work: no field, no air, no pins or colliders on a path, no lagged
 * contact, and no pins held by springs. */
bool sb_balance_is_closed(const sb_case *c, const sb_system *system);
/* Not checked are runs whose steps have no tolerance to meet, runs in a field or in air, with pins or colliders on a
 * path, and with contact that is lagged, since forces known at the start of a step only may well put energy in; nor
 * those with pins held by springs, whose energy no frame has. A run that goes on counts from where it goes on. */
void sb_balance_open(const sb_case *c, const sb_system *system, sb_balance *balance);
/* *excess: J that a frame at x, at time t, has more than an earlier one; 0 up to 1 % of what was largest, and while
 * nothing is strained. */
PetscErrorCode sb_balance_frame(sb_balance *balance, const sb_system *system, double t_seconds, Vec x,
                                const sb_energies *energies, double *excess);
