/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incremental potential of implicit Euler on distributed vectors; equations in potential.h, from docs/model.md
 * section 3. Springs, contact and held pins are in the model; this file adds inertia. Pinned vertices that are not
 * unknowns are not in sums; those that are have y = their place. */

#include <float.h>
#include <math.h>

#include "model/system/external.h"
#include "model/system/flops.h"
#include "solvers/minimize/on_device.h"

#define ROUNDINGS 64 /* units in the last place; measured: 8 to 20 */

static void add_square(double sums[2], double term)
{
  sums[0] += term;
  sums[1] += term * term;
}

/* The sum and the 2-norm of k (of the tangents that were taken last, or of springs at rest if that is more), m/h^2 and
 * the stiffness that holds pins, by which rounding of positions is amplified in g. */
static PetscErrorCode sum_coefficients(const sb_potential *potential, double *sum, double *norm)
{
  const sb_system *system = potential->system;
  const double     inertia = 1 / (potential->h_seconds * potential->h_seconds);
  const double    *given = sb_system_bounds_of_springs(system);
  const double    *known = system->law ? system->law->tangent.stiffness : given;
  double           sums[2] = {0, 0};

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < system->springs.count; ++s)
    if (system->springs.counted[s]) add_square(sums, fmax(given[s], known[s]));
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool held = system->pinned[i] && system->pin_method == SB_PINS_PENALTY;
    add_square(sums, inertia * system->mass[i] + (held ? system->pin_weight : 0));
  }
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, system->comm));
  *sum = sums[0];
  *norm = sqrt(sums[1]);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_create(sb_system *system, double h_seconds, sb_potential **potential)
{
  PetscFunctionBeginUser;
  PetscCheck(h_seconds > 0, system->comm, PETSC_ERR_ARG_OUTOFRANGE, "the time step must be positive; got %g",
             h_seconds);
  PetscCall(PetscNew(potential));
  (*potential)->system = system;
  (*potential)->h_seconds = h_seconds;
  (*potential)->beta = system->damping_in_step;
  PetscCall(sb_system_create_full(system, &(*potential)->y));
  PetscCall(sb_system_create_full(system, &(*potential)->coast));
  PetscCall(sb_system_create_full(system, &(*potential)->work));
  if (system->contact && (sb_contact_filters(system->contact) || sb_contact_rubs(system->contact)))
    PetscCall(sb_system_create_full(system, &(*potential)->filtered));
  PetscCall(sum_coefficients(*potential, &(*potential)->coefficient_sum, &(*potential)->coefficient_norm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_destroy(sb_potential **potential)
{
  PetscFunctionBeginUser;
  if (!*potential) PetscFunctionReturn(0);
  PetscCall(VecDestroy(&(*potential)->y));
  PetscCall(VecDestroy(&(*potential)->coast));
  PetscCall(VecDestroy(&(*potential)->work));
  PetscCall(VecDestroy(&(*potential)->filtered));
  PetscCall(PetscFree(*potential));
  PetscFunctionReturn(0);
}

/* (z - y)^T M (z - y) over this rank's unknown vertices */
static double inertia(const sb_system *system, const double *restrict z, const double *restrict y)
{
  double sum = 0;
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const double   dx = z[3 * i] - y[3 * i], dy = z[3 * i + 1] - y[3 * i + 1], dz = z[3 * i + 2] - y[3 * i + 2];
    sum += system->mass[i] * (dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

/* p.z over this rank's unknown vertices */
static PetscErrorCode work_of_load(const sb_potential *potential, Vec z, double *work)
{
  const sb_system *system = potential->system;
  const double    *position, *force;

  PetscFunctionBeginUser;
  *work = 0;
  PetscCall(VecGetArrayRead(z, &position));
  PetscCall(VecGetArrayRead(potential->load, &force));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) *work += force[c] * position[c];
  }
  PetscCall(VecRestoreArrayRead(potential->load, &force));
  PetscCall(VecRestoreArrayRead(z, &position));
  PetscFunctionReturn(0);
}

/* unknowns += alpha p */
static PetscErrorCode add_load(const sb_potential *potential, double alpha, Vec unknowns)
{
  const sb_system *system = potential->system;
  const double    *force;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(potential->load, &force));
  PetscCall(VecGetArray(unknowns, &out));
  for (PetscInt f = 0; f < system->owned_unknown; ++f)
    for (PetscInt c = 0; c < 3; ++c) out[3 * f + c] += alpha * force[3 * system->unknown_vertex[f] + c];
  PetscCall(VecRestoreArray(unknowns, &out));
  PetscCall(VecRestoreArrayRead(potential->load, &force));
  PetscFunctionReturn(0);
}

/* True if penalty contact is part of g, instead of lagged in y. */
static bool touches(const sb_system *system) { return system->contact && sb_contact_is_implicit(system->contact); }

static PetscErrorCode barrier_energy(const sb_potential *potential, const double *position, double *energy)
{
  sb_barrier *barrier = potential->system->barrier;

  PetscFunctionBeginUser;
  *energy = 0;
  PetscCheck(!barrier || sb_barrier_energy(barrier, position, energy), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscFunctionReturn(0);
}

static PetscErrorCode value_here(const sb_potential *potential, Vec z, double *value)
{
  const sb_system *system = potential->system;
  const double    *position, *y;
  double           sum, elastic, barrier, work = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_system_elastic_energy(system, z, &elastic));
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(z, &position));
  PetscCall(VecGetArrayRead(potential->y, &y));
  sum = inertia(system, position, y) / (2 * potential->h_seconds * potential->h_seconds);
  if (touches(system))
    sum += sb_contact_energy(system->contact, potential->end_seconds,
                             &(sb_contact_points){(size_t)system->owned, system->pinned, NULL, position});
  PetscCall(barrier_energy(potential, position, &barrier));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  PetscCall(VecRestoreArrayRead(z, &position));
  if (potential->load) PetscCall(work_of_load(potential, z, &work));
  sum += barrier - work;
  PetscCall(sb_system_add_hold_energy(system, potential->y, z, &sum));
  if (system->ranks > 1) PetscCall(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  *value = sum + elastic;
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

/* True if z and the potential are on one device, with all its terms. */
static bool is_elsewhere(const sb_potential *potential, Vec z)
{
  return !potential->load && sb_vec_device(z) && sb_vec_device(z) == sb_vec_device(potential->y);
}

PetscErrorCode sb_potential_value(const sb_potential *potential, Vec z, double *value)
{
  PetscFunctionBeginUser;
  PetscCall((is_elsewhere(potential, z) ? sb_on_device_value : value_here)(potential, z, value));
  PetscCall(sb_log_pass(potential->system, SB_OPERATION_ENERGY, SB_FLOPS_ENERGY));
  PetscFunctionReturn(0);
}

/* gradient = M (z - y)/h^2 - force on this rank's unknown vertices */
static void combine_gradient(const sb_system *system, double h, const double *restrict z, const double *restrict y,
                             const double *restrict force, double *restrict gradient)
{
  const double scale = 1 / (h * h);
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const double   w = scale * system->mass[i];
    for (PetscInt c = 0; c < 3; ++c) gradient[3 * f + c] = w * (z[3 * i + c] - y[3 * i + c]) - force[3 * i + c];
  }
}

/* force += that of contact at (z, t + h) */
static PetscErrorCode add_contact(const sb_potential *potential, const double *position, Vec force)
{
  const sb_system *system = potential->system;
  double          *sum;

  PetscFunctionBeginUser;
  if (!touches(system) && !system->barrier) PetscFunctionReturn(0);
  PetscCall(VecGetArray(force, &sum));
  if (touches(system))
    sb_contact_add_forces(system->contact, potential->end_seconds,
                          &(sb_contact_points){(size_t)system->owned, system->pinned, NULL, position}, sum);
  PetscCheck(!system->barrier || sb_barrier_add_forces(system->barrier, position, sum), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "out of memory");
  PetscCall(VecRestoreArray(force, &sum));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_forces(const sb_potential *potential, Vec x, Vec force)
{
  const double *position;

  PetscFunctionBeginUser;
  PetscCall(sb_system_elastic_forces(potential->system, x, force));
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(add_contact(potential, position, force));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

static PetscErrorCode gradient_here(const sb_potential *potential, Vec z, Vec gradient)
{
  const sb_system *system = potential->system;
  const double    *position, *y, *force;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(sb_system_elastic_forces(system, z, potential->work));
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(z, &position));
  PetscCall(VecGetArrayRead(potential->y, &y));
  PetscCall(add_contact(potential, position, potential->work));
  PetscCall(VecGetArrayRead(potential->work, &force));
  PetscCall(VecGetArrayWrite(gradient, &out));
  combine_gradient(system, potential->h_seconds, position, y, force, out);
  PetscCall(VecRestoreArrayWrite(gradient, &out));
  PetscCall(VecRestoreArrayRead(potential->work, &force));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  PetscCall(VecRestoreArrayRead(z, &position));
  if (potential->load) PetscCall(add_load(potential, -1, gradient));
  PetscCall(sb_system_hold_gradient(system, potential->h_seconds, potential->y, z, gradient));
  sb_profile_stop(system->profile, SB_PHASE_RIGHT_HAND_SIDE, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_gradient(const sb_potential *potential, Vec z, Vec gradient)
{
  PetscFunctionBeginUser;
  const bool elsewhere = is_elsewhere(potential, z) && sb_vec_device(gradient);
  PetscCall((elsewhere ? sb_on_device_gradient : gradient_here)(potential, z, gradient));
  PetscCall(sb_log_pass(potential->system, SB_OPERATION_GRADIENT, SB_FLOPS_GRADIENT));
  PetscFunctionReturn(0);
}

/* Positions are off by d, some units of their size; the terms of a gradient, k (x_i - x_j) and m/h^2 (z - y), by k d
 * and m/h^2 d; those of the objective, which are squares, by k d^2. */
PetscErrorCode sb_potential_rounding(const sb_potential *potential, Vec z, double *gradient, double *objective)
{
  PetscReal reach;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(z, NORM_INFINITY, &reach));
  const double off = ROUNDINGS * DBL_EPSILON * reach;
  double       sum = potential->coefficient_sum, coefficients = potential->coefficient_norm;
  if (potential->system->law) PetscCall(sum_coefficients(potential, &sum, &coefficients));
  if (gradient) *gradient = off * coefficients;
  if (objective) *objective = off * off * sum;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_external_norm(const sb_potential *potential, double *norm)
{
  const sb_system *system = potential->system;
  const double    *y, *coast, square = potential->h_seconds * potential->h_seconds;
  double           sum = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(potential->y, &y));
  PetscCall(VecGetArrayRead(potential->coast, &coast));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) sum += pow(system->mass[i] * (y[c] - coast[c]) / square, 2);
  }
  PetscCall(VecRestoreArrayRead(potential->coast, &coast));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  *norm = sqrt(sum);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_hessian(const sb_potential *potential, double negative, Vec z, Mat matrix)
{
  return sb_potential_shifted_hessian(potential, negative, 0, z, matrix);
}

PetscErrorCode sb_potential_shifted_hessian(const sb_potential *potential, double negative, double shift, Vec z,
                                            Mat matrix)
{
  sb_system   *system = potential->system;
  const double weight = 1 / (potential->h_seconds * potential->h_seconds) + shift;

  PetscFunctionBeginUser;
  if (touches(system))
    PetscCall(sb_system_assemble_contact_hessian(system, negative, weight, potential->end_seconds, z, matrix));
  else
    PetscCall(sb_system_assemble_hessian(system, negative, weight, z, matrix));
  PetscCall(sb_log_pass(system, SB_OPERATION_ASSEMBLY, SB_FLOPS_ASSEMBLY));
  PetscFunctionReturn(0);
}

/* out = M y */
static void weigh(PetscInt count, const double *restrict mass, const double *restrict y, double *restrict out)
{
  for (PetscInt i = 0; i < count; ++i)
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) out[c] = mass[i] * y[c];
}

PetscErrorCode sb_potential_constant_right_hand_side(const sb_potential *potential, Vec z, Vec constant)
{
  const sb_system *system = potential->system;
  const double     started = sb_profile_start(system->profile);
  const double    *y;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(potential->y, &y));
  PetscCall(VecGetArrayWrite(constant, &out));
  for (const sb_unknown_run *r = system->run; r < system->run + system->runs; ++r)
    weigh(r->count, system->mass + r->vertex, y + 3 * r->vertex, out + 3 * r->unknown);
  PetscCall(VecRestoreArrayWrite(constant, &out));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  if (potential->load) PetscCall(add_load(potential, potential->h_seconds * potential->h_seconds, constant));
  PetscCall(sb_system_add_pinned_coupling(system, potential->h_seconds, z, constant));
  PetscCall(sb_system_hold_right_hand_side(system, potential->h_seconds, potential->y, constant));
  sb_profile_stop(system->profile, SB_PHASE_RIGHT_HAND_SIDE, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_local_right_hand_side(const sb_potential *potential, Vec constant, Vec z, Vec rhs)
{
  const sb_system *system = potential->system;
  const double     h2 = potential->h_seconds * potential->h_seconds;

  PetscFunctionBeginUser;
  PetscCall(sb_system_local_step(system, h2, z, constant, rhs));
  PetscCall(sb_log_pass(system, SB_OPERATION_PASS, SB_FLOPS_LOCAL));
  if (!sb_system_is_symmetric(system)) {
    const double started = sb_profile_start(system->profile);
    PetscCall(sb_system_hold_right_hand_side(system, 0, potential->y, rhs));
    sb_profile_stop(system->profile, SB_PHASE_RIGHT_HAND_SIDE, started);
  }
  PetscFunctionReturn(0);
}
