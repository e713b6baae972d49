/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pinned vertices that are unknowns of linear systems (docs/model.md section 5), b their prescribed places:
 *
 *     row_replace       rows of the identity, so that A z = r has z = b there; columns stay, A is not symmetric
 *     constraint_force  the force -f is added to all others f, and acceleration stays zero; with its derivative
 *                       -df/dx nothing is left of their rows but inertia,  m/h^2 (z - b) = 0
 *     penalty           springs of stiffness w and length 0:  1/2 w |x - b|^2,  + w (x - b),  + w on the diagonal
 *
 * matrix.c has their effect on matrices. */
#include "model/system/external.h"

bool sb_system_is_symmetric(const sb_system *system)
{
  return system->pin_method == SB_PINS_REDUCE || system->pin_method == SB_PINS_PENALTY;
}

PetscErrorCode sb_system_place_held(const sb_system *system, double t_seconds, double *position)
{
  PetscFunctionBeginUser;
  if (sb_system_moves_pins(system)) {
    sb_system_place_pins(system, t_seconds, position);
  } else if (system->pin_method != SB_PINS_REDUCE) {
    for (PetscInt p = 0; p < system->pinned_owned; ++p)
      for (PetscInt c = 0; c < 3; ++c) position[3 * system->pin_vertex[p] + c] = system->pin_rest[3 * p + c];
  }
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_add_hold_energy(const sb_system *system, Vec place, Vec x, double *energy)
{
  const double *position, *target;
  PetscFunctionBeginUser;
  if (system->pin_method != SB_PINS_PENALTY) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArrayRead(place, &target));
  for (PetscInt p = 0; p < system->pinned_owned; ++p)
    for (PetscInt c = 3 * system->pin_vertex[p], end = c + 3; c < end; ++c)
      *energy += 0.5 * system->pin_weight * (position[c] - target[c]) * (position[c] - target[c]);
  PetscCall(VecRestoreArrayRead(place, &target));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

/* First entry of pin p among this rank's unknowns. */
static PetscInt unknown_of(const sb_system *system, PetscInt p)
{
  return 3 * (system->unknown_id[system->pin_vertex[p]] - system->first_unknown);
}

PetscErrorCode sb_system_hold_gradient(const sb_system *system, double h_seconds, Vec place, Vec x, Vec gradient)
{
  const bool    kept = system->pin_method == SB_PINS_PENALTY; /* are springs and inertia there already? */
  const bool    forced = system->pin_method == SB_PINS_CONSTRAINT_FORCE;
  const double *position, *target;
  double       *out;
  PetscFunctionBeginUser;
  if (system->pin_method == SB_PINS_REDUCE) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArrayRead(place, &target));
  PetscCall(VecGetArray(gradient, &out));
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const PetscInt full = 3 * system->pin_vertex[p], own = unknown_of(system, p);
    const double   inertia = system->mass[system->pin_vertex[p]] / (h_seconds * h_seconds);
    const double   weight = kept ? system->pin_weight : forced ? inertia : 0;
    for (PetscInt c = 0; c < 3; ++c)
      out[own + c] = (kept ? out[own + c] : 0) + weight * (position[full + c] - target[full + c]);
  }
  PetscCall(VecRestoreArray(gradient, &out));
  PetscCall(VecRestoreArrayRead(place, &target));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_hold_right_hand_side(const sb_system *system, double h_seconds, Vec place, Vec rhs)
{
  const bool    kept = system->pin_method == SB_PINS_PENALTY, forced = system->pin_method == SB_PINS_CONSTRAINT_FORCE;
  const double *target;
  double       *out;
  PetscFunctionBeginUser;
  if (system->pin_method == SB_PINS_REDUCE) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(place, &target));
  PetscCall(VecGetArray(rhs, &out));
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const PetscInt full = 3 * system->pin_vertex[p], own = unknown_of(system, p);
    const double   alone = forced ? system->mass[system->pin_vertex[p]] : 1;
    const double   weight = kept ? h_seconds * h_seconds * system->pin_weight : alone;
    for (PetscInt c = 0; c < 3; ++c) out[own + c] = (kept ? out[own + c] : 0) + weight * target[full + c];
  }
  PetscCall(VecRestoreArray(rhs, &out));
  PetscCall(VecRestoreArrayRead(place, &target));
  PetscFunctionReturn(0);
}
