/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds energy that a method made; see energy_balance.h. */
#include "drivers/energy_balance.h"

#include <math.h>
#include <stdio.h>

#include "model/system/external.h"
#include "solvers/integrate/integrator_method.h"

/* Fraction of the largest kinetic and elastic energy. A step may err on a saddle, by a multiple of h^2: V27 allows it.
 */
#define TOLERATED 0.01
/* Springs that are strained by less hold energies of rounding. */
#define UNSTRAINED 1e-9
/* Fraction of the largest kinetic and elastic energy that is no burst. A method of order 1 errs by it in a fall. */
#define ERROR_OF_ORDER_1 0.1

static bool lags(const sb_system *system)
{
  return system->contact && sb_contact_pushes(system->contact) && !sb_contact_is_implicit(system->contact);
}

static bool moves_colliders(const sb_case *c)
{
  size_t paths;
  sb_options_composites(c->options, SB_ID(collider_path), &paths);
  return paths > 0;
}

static bool works(const sb_system *system) { return system->field || system->air || sb_system_moves_pins(system); }

bool sb_balance_is_closed(const sb_case *c, const sb_system *system)
{
  return !lags(system) && !works(system) && !moves_colliders(c) && system->pin_method != SB_PINS_PENALTY;
}

bool sb_balance_is_conserved(const sb_case *c, const sb_system *system)
{
  bool damps = false;
  for (sb_option_id id = 0; id < sb_option_count; ++id)
    damps = damps || (sb_option_at(id)->traits & SB_DAMPS && sb_options_read(c->options, id) &&
                      sb_options_differ(c->options, id));
  return sb_balance_is_closed(c, system) && !damps && !system->fluid && !system->contact && !system->barrier;
}

/* ---- energies ---- */

static PetscErrorCode sum(const sb_system *system, double *value)
{
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, value, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscFunctionReturn(0);
}

/* The energy of penalty contact and of the barrier. */
static PetscErrorCode contact_energy(const sb_system *system, double t_seconds, Vec x, double *energy)
{
  const bool    pushes = system->contact && sb_contact_pushes(system->contact);
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
  PetscCall(sum(system, energy));
  PetscFunctionReturn(0);
}

/* J: 1/2 k l^2 of every spring of rest length l, and M g times the diagonal. */
static PetscErrorCode find_scale(const sb_system *system, const sb_energies *start, double *scale)
{
  const sb_springs *springs = &system->springs;
  const double     *g = system->gravity;

  PetscFunctionBeginUser;
  *scale = 0;
  for (int s = 0; s < springs->count; ++s)
    if (springs->counted[s]) *scale += 0.5 * springs->stiffness[s] * springs->rest_length[s] * springs->rest_length[s];
  PetscCall(sum(system, scale));
  *scale += start->kinetic + start->elastic + system->mass_total * hypot(hypot(g[0], g[1]), g[2]) * system->diagonal;
  PetscFunctionReturn(0);
}

/* ---- looks ---- */

PetscErrorCode sb_balance_open(const sb_case *c, const sb_system *system, double t_seconds, Vec x, Vec v,
                               sb_balance *balance)
{
  const sb_integrator_method *method = sb_integrator_method_of(c->options);
  const bool  converges = sb_minimizer_tests_step(c->options) || sb_minimizer_tests_gradient(c->options);
  const bool  claims = method && method->traits & SB_DISSIPATES && converges;
  sb_energies energies;

  PetscFunctionBeginUser;
  *balance = (sb_balance){0};
  balance->unknown = system->fluid || works(system) || moves_colliders(c);
  balance->dissipates = claims && sb_balance_is_closed(c, system) && !system->fluid;
  balance->so_far.least = INFINITY;
  if (balance->unknown) PetscFunctionReturn(0);
  PetscCall(sb_system_energies(system, x, v, &energies));
  PetscCall(find_scale(system, &energies, &balance->scale));
  PetscCall(sb_balance_look(balance, system, t_seconds, x, v, &energies));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_balance_look(sb_balance *balance, const sb_system *system, double t_seconds, Vec x, Vec v,
                               const sb_energies *energies)
{
  sb_energies here;
  double      stored;

  PetscFunctionBeginUser;
  if (balance->unknown) PetscFunctionReturn(0);
  if (!energies) PetscCall(sb_system_energies(system, x, v, &here));
  if (energies) here = *energies;
  PetscCall(contact_energy(system, t_seconds, x, &stored));
  const double now = here.total + stored;
  balance->so_far.least = fmin(balance->so_far.least, now);
  balance->so_far.largest = fmax(balance->so_far.largest, here.kinetic + here.elastic);
  const double risen = now - balance->so_far.least;
  const bool   counts = here.strain_max > UNSTRAINED && risen > TOLERATED * balance->so_far.largest;
  balance->excess = balance->dissipates && counts ? risen : 0;
  if (balance->so_far.burst_energy > 0) PetscFunctionReturn(0);
  if (!(risen > SB_BURST * balance->scale + ERROR_OF_ORDER_1 * balance->so_far.largest)) PetscFunctionReturn(0);
  balance->so_far.burst_seconds = t_seconds;
  balance->so_far.burst_energy = risen;
  PetscFunctionReturn(0);
}

bool sb_balance_burst(const sb_balance *balance, size_t size, char *reason)
{
  const bool burst = balance->so_far.burst_energy > 0;
  if (burst)
    snprintf(reason, size,
             "burst: at t = %.6g s the net had %.3g J more than it began with and was given; the energy that a net may "
             "gain by errors of steps is %.3g J; h is too long for this motion",
             balance->so_far.burst_seconds, balance->so_far.burst_energy, SB_BURST * balance->scale);
  return burst;
}
