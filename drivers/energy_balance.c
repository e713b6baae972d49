/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detects an energy gain in a run that cannot gain energy; see energy_balance.h. */
#include "drivers/energy_balance.h"

#include <math.h>

#include "model/system/external.h"
#include "solvers/integrate/integrator_method.h"

/* Fraction of the largest kinetic and elastic energy. A step may err on a saddle, by a multiple of h^2: V27 allows it.
 */
#define TOLERATED 0.01
/* Springs that are strained by less hold energies of rounding. */
#define UNSTRAINED 1e-9

bool sb_balance_is_closed(const sb_case *c, const sb_system *system)
{
  const bool lagged = system->contact && sb_contact_pushes(system->contact) && !sb_contact_is_implicit(system->contact);
  size_t     paths;
  sb_options_composites(c->options, SB_ID(collider_path), &paths);
  const bool driven = system->field || system->air || sb_system_moves_pins(system) || paths > 0;
  return !lagged && !driven && system->pin_method != SB_PINS_PENALTY;
}

void sb_balance_open(const sb_case *c, const sb_system *system, sb_balance *balance)
{
  const sb_integrator_method *method = sb_integrator_method_find(SB_TEXT(c->options, integrator));
  const bool converges = sb_minimizer_tests_step(c->options) || sb_minimizer_tests_gradient(c->options);
  const bool claims = method->traits & SB_DISSIPATES && converges;
  *balance = (sb_balance){.checked = claims && sb_balance_is_closed(c, system), .least = INFINITY};
}

/* The energy of penalty contact within the potential, and of the barrier. */
static PetscErrorCode contact_energy(const sb_system *system, double t_seconds, Vec x, double *energy)
{
  const bool    pushes = system->contact && sb_contact_is_implicit(system->contact);
  const double *position;
  double        barrier = 0;

  PetscFunctionBeginUser;
  *energy = 0;
  if (!pushes && !system->barrier) PetscFunctionReturn(0);
  PetscCall(VecGetArrayRead(x, &position));
  if (pushes)
    *energy = sb_contact_energy(system->contact, t_seconds,
                                &(sb_contact_points){(size_t)system->owned, system->pinned, NULL, position});
  PetscCheck(!system->barrier || sb_barrier_energy(system->barrier, position, &barrier), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "out of memory");
  PetscCall(VecRestoreArrayRead(x, &position));
  *energy += barrier;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_balance_frame(sb_balance *balance, const sb_system *system, double t_seconds, Vec x,
                                const sb_energies *energies, double *excess)
{
  double stored;

  PetscFunctionBeginUser;
  *excess = 0;
  if (!balance->checked) PetscFunctionReturn(0);
  PetscCall(contact_energy(system, t_seconds, x, &stored));
  balance->least = fmin(balance->least, energies->total + stored);
  balance->largest = fmax(balance->largest, energies->kinetic + energies->elastic);
  const double risen = energies->total + stored - balance->least;
  if (energies->strain_max > UNSTRAINED && risen > TOLERATED * balance->largest) *excess = risen;
  PetscFunctionReturn(0);
}
