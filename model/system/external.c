/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces besides springs, gravity and drag; pins that move. See external.h. */
#include "model/system/external.h"

bool sb_system_has_external(const sb_system *system)
{
  const sb_contact *contact = system->contact;
  return system->field || (contact && sb_contact_pushes(contact) && !sb_contact_is_implicit(contact));
}

/* force += m a_w. One call evaluates the field at all vertices; pinned ones have no force. */
static void add_field(const sb_system *system, double t_seconds, const double *position, double *force)
{
  double *a = system->scratch;
  sb_field_evaluate(system->field, t_seconds, (size_t)system->owned, position, a);
  for (PetscInt i = 0; i < system->owned; ++i) {
    if (system->pinned[i]) continue;
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) force[c] += system->mass[i] * a[c];
  }
}

PetscErrorCode sb_system_add_external(const sb_system *system, double t_seconds, const double *position, double *force)
{
  sb_contact *contact = system->contact;
  PetscFunctionBeginUser;
  if (system->field) add_field(system, t_seconds, position, force);
  if (contact && sb_contact_pushes(contact) && !sb_contact_is_implicit(contact))
    sb_contact_add_forces(contact, t_seconds,
                          &(sb_contact_points){(size_t)system->owned, system->pinned, NULL, position}, force);
  PetscFunctionReturn(0);
}

bool sb_system_is_damped(const sb_system *system) { return system->spring_damping > 0 || system->air || system->fluid; }

PetscErrorCode sb_system_add_damping(const sb_system *system, double beta, const double *position,
                                     const double *velocity, double *force)
{
  PetscFunctionBeginUser;
  if (system->spring_damping > 0 || beta > 0)
    sb_kernel_add_damping(&system->springs, system->spring_damping, beta, position, velocity, force);
  if (system->air) sb_air_add_forces(system->air, position, velocity, force);
  if (system->fluid) {
    PetscCheck(sb_fluid_update(system->fluid, position), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
    sb_fluid_add_forces(system->fluid, velocity, force);
  }
  PetscFunctionReturn(0);
}

bool sb_system_moves_pins(const sb_system *system) { return system->pin_path != NULL; }

void sb_system_place_pins(const sb_system *system, double t_seconds, double *position)
{
  const size_t count = (size_t)system->pinned_owned;
  double      *place = system->scratch;
  if (!system->pin_path || count == 0) return;
  sb_path_place(system->pin_path, t_seconds, count, system->pin_rest, place);
  for (size_t p = 0; p < count; ++p)
    for (int c = 0; c < 3; ++c) position[3 * system->pin_vertex[p] + c] = place[3 * p + (size_t)c];
}

void sb_system_set_pin_velocities(const sb_system *system, double t_seconds, double h_seconds, double *velocity)
{
  const double  end = t_seconds > 0 ? t_seconds : h_seconds;
  const double *before = system->pin_path ? system->scratch : NULL;
  if (system->pin_method == SB_PINS_PENALTY && t_seconds > 0) return;
  sb_system_place_pins(system, end, velocity);
  if (before)
    sb_path_place(system->pin_path, end - h_seconds, (size_t)system->pinned_owned, system->pin_rest, system->scratch);
  for (PetscInt p = 0; p < system->pinned_owned; ++p)
    for (PetscInt c = 0, k = 3 * system->pin_vertex[p]; c < 3; ++c)
      velocity[k + c] = before ? (velocity[k + c] - before[3 * p + c]) / h_seconds : 0;
}

PetscErrorCode sb_system_take_pin_places(sb_system *system, Vec x)
{
  const double *position;
  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  for (PetscInt p = 0; p < system->pinned_owned; ++p)
    for (PetscInt c = 0; c < 3; ++c) system->pin_rest[3 * p + c] = position[3 * system->pin_vertex[p] + c];
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_set_push(sb_system *system, const double *acceleration)
{
  PetscFunctionBeginUser;
  PetscCheck(sb_field_set_push(&system->field, acceleration), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  if (system->field && !system->scratch) PetscCall(PetscMalloc1(3 * (size_t)system->owned, &system->scratch));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_contact_measures(const sb_system *system, sb_contact_measures *measures)
{
  int64_t counts[2];
  PetscFunctionBeginUser;
  *measures = system->contact ? sb_contact_measured(system->contact) : (sb_contact_measures){0};
  counts[0] = measures->vertices_inside;
  counts[1] = measures->self_pairs;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INT64_T, MPI_SUM, system->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &measures->penetration_max, 1, MPI_DOUBLE, MPI_MAX, system->comm));
  measures->vertices_inside = counts[0];
  measures->self_pairs = counts[1];
  PetscFunctionReturn(0);
}
