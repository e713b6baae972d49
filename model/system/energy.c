/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums over a system: energies, momenta, forces, and whether its motion is still bounded. docs/model.md section 9. */
#include "model/system/system.h"

#include <math.h>
#include <string.h>

sb_tangents sb_system_tangents(const sb_system *system, double negative, const double *position)
{
  if (!system->law) return (sb_tangents){&system->springs, system->bands};
  sb_law_take_tangents(system->law, negative, position);
  return (sb_tangents){&system->law->tangent, system->law->bands};
}

sb_tangents sb_system_pulls(const sb_system *system, const double *position)
{
  if (!system->law) return (sb_tangents){&system->springs, system->bands};
  sb_law_take_pulls(system->law, position);
  return (sb_tangents){&system->law->tangent, system->law->bands};
}

PetscErrorCode sb_system_begin_step(const sb_system *system, double damping, Vec x)
{
  const double *position;
  PetscFunctionBeginUser;
  if (!system->law) PetscFunctionReturn(0);
  sb_law_set_damping(system->law, damping);
  PetscCall(sb_system_begin_read(system, x, &position));
  sb_law_begin_step(system->law, position);
  PetscCall(sb_system_end_read(system, x, &position));
  PetscFunctionReturn(0);
}

/* This rank's share. */
static double elastic_energy(const sb_system *system, bool damped, const double *position)
{
  if (system->law) return sb_law_energy(system->law, damped, position);
  return system->bands ? system->band_kernels->energy(system->bands, position)
                       : sb_kernel_elastic_energy(&system->springs, position);
}

static PetscErrorCode check_law(const sb_system *system)
{
  const char *failed = system->law ? sb_law_failure(system->law) : NULL;
  PetscFunctionBeginUser;
  PetscCheck(!failed, PETSC_COMM_SELF, PETSC_ERR_LIB, "law '%s': %s", system->law->method->name, failed);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_elastic_energy(const sb_system *system, Vec x, double *energy)
{
  const double *position;
  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, x, &position));
  *energy = elastic_energy(system, true, position);
  PetscCall(check_law(system));
  PetscCall(sb_system_end_read(system, x, &position));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, energy, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscFunctionReturn(0);
}

typedef void (*kernel)(const sb_springs *springs, const double *restrict position, double *restrict sum);

/* system->sum = the sums of a kernel of pairs, added to zero; those of ghosts are parts of sums. */
static void sum_pairs(const sb_system *system, const sb_springs *springs, kernel add, const double *position)
{
  memset(system->sum, 0, 3 * (size_t)(system->owned + system->ghosts) * sizeof *system->sum);
  add(springs, position, system->sum);
}

void sb_system_array_forces(const sb_system *system, const double *position, double *force)
{
  const sb_tangents at = sb_system_tangents(system, SB_HESSIAN_EXACT, position);
  if (at.bands) {
    system->band_kernels->forces(at.bands, position, force);
  } else {
    sum_pairs(system, at.list, sb_kernel_add_elastic_forces, position);
    memcpy(force, system->sum, 3 * (size_t)system->owned * sizeof *force);
  }
}

static void local_step(const sb_system *system, const double *position, double scale, const double *restrict constant,
                       double *restrict rhs)
{
  const sb_tangents at = sb_system_pulls(system, position);
  if (at.bands) {
    system->band_kernels->local_step(at.bands, position, scale, constant, rhs);
    return;
  }
  sum_pairs(system, at.list, sb_kernel_add_local_step, position);
  for (PetscInt n = 0; n < system->owned_unknown; ++n)
    for (PetscInt c = 0; c < 3; ++c)
      rhs[3 * n + c] = constant[3 * n + c] + scale * system->sum[3 * system->unknown_vertex[n] + c];
}

PetscErrorCode sb_system_forces_at(const sb_system *system, Vec x, double *force)
{
  const double *position;
  sb_arrival    ghosts;
  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_exchange(system, x, &ghosts, &position));
  sb_system_array_forces(system, position, force);
  PetscCall(check_law(system));
  PetscCall(sb_system_end_exchange(system, x, &ghosts, &position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_elastic_forces(const sb_system *system, Vec x, Vec force)
{
  double *sum;
  PetscFunctionBeginUser;
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayWrite(force, &sum));
  PetscCall(sb_system_forces_at(system, x, sum));
  PetscCall(VecRestoreArrayWrite(force, &sum));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_local_step(const sb_system *system, double scale, Vec x, Vec constant, Vec rhs)
{
  const double *position, *base;
  double       *out;
  sb_arrival    ghosts;
  PetscFunctionBeginUser;
  PetscCheck(!system->bands || sb_bands_take_pulls(system->bands), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_exchange(system, x, &ghosts, &position));
  PetscCall(VecGetArrayRead(constant, &base));
  PetscCall(VecGetArrayWrite(rhs, &out));
  local_step(system, position, scale, base, out);
  PetscCall(VecRestoreArrayWrite(rhs, &out));
  PetscCall(VecRestoreArrayRead(constant, &base));
  PetscCall(sb_system_end_exchange(system, x, &ghosts, &position));
  sb_profile_stop(system->profile, SB_PHASE_LOCAL, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_add_pinned_coupling(const sb_system *system, double h_seconds, Vec x, Vec rhs)
{
  const double *position;
  PetscScalar  *value;
  PetscFunctionBeginUser;
  if (system->pin_method != SB_PINS_REDUCE) PetscFunctionReturn(0);
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(VecGetArray(rhs, &value));
  for (PetscInt n = 0; n < system->coupled; ++n) {
    const PetscInt s = system->coupled_spring[n];
    const PetscInt a = system->springs.first[s], b = system->springs.second[s];
    const PetscInt pinned = system->pinned[a] ? a : b, row = system->unknown_id[a + b - pinned] - system->first_unknown;
    const double   weight = h_seconds * h_seconds * sb_system_bounds_of_springs(system)[s];
    for (PetscInt c = 0; c < 3; ++c) value[3 * row + c] += weight * position[3 * pinned + c]; /* h^2 k x_pinned */
  }
  PetscCall(VecRestoreArray(rhs, &value));
  PetscCall(sb_system_end_read(system, x, &position));
  PetscFunctionReturn(0);
}

static PetscErrorCode center_of(const sb_system *system, const double *position, double center[3])
{
  PetscFunctionBeginUser;
  for (int c = 0; c < 3; ++c) center[c] = 0.0;
  for (PetscInt i = 0; i < system->owned; ++i)
    for (PetscInt c = 0; c < 3; ++c) center[c] += system->mass[i] * position[3 * i + c];
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, center, 3, MPI_DOUBLE, MPI_SUM, system->comm));
  for (int c = 0; c < 3; ++c) center[c] /= system->mass_total;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_center(const sb_system *system, Vec x, double center[3])
{
  const PetscScalar *position;
  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(center_of(system, position, center));
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscFunctionReturn(0);
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* This rank's share: kinetic 1/2 m v^2, gravity -m g.x, momentum m v, angular momentum x × m v. */
static void sum_vertices(const sb_system *system, const double *position, const double *velocity, sb_energies *energies)
{
  const PetscInt count = system->fluid ? (PetscInt)system->fluid->particles.free : system->owned;
  for (PetscInt i = 0; i < count; ++i) {
    const double *x = position + 3 * i, *v = velocity + 3 * i, m = system->mass[i];
    energies->kinetic += 0.5 * m * dot(v, v);
    energies->gravity -= m * dot(system->gravity, x);
    for (int c = 0; c < 3; ++c) {
      const int d = (c + 1) % 3, e = (c + 2) % 3;
      energies->momentum[c] += m * v[c];
      energies->angular_momentum[c] += m * (x[d] * v[e] - x[e] * v[d]);
    }
  }
}

/* Every sum in one message, the largest strain in a second. */
static PetscErrorCode reduce(const sb_system *system, sb_energies *e)
{
  double sums[9] = {e->kinetic, e->elastic, e->gravity};
  PetscFunctionBeginUser;
  if (system->ranks == 1) PetscFunctionReturn(0);
  for (int c = 0; c < 3; ++c) {
    sums[3 + c] = e->momentum[c];
    sums[6 + c] = e->angular_momentum[c];
  }
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 9, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &e->strain_max, 1, MPI_DOUBLE, MPI_MAX, system->comm));
  e->kinetic = sums[0];
  e->elastic = sums[1];
  e->gravity = sums[2];
  for (int c = 0; c < 3; ++c) {
    e->momentum[c] = sums[3 + c];
    e->angular_momentum[c] = sums[6 + c];
  }
  PetscFunctionReturn(0);
}

/* The last step left the densities of its start, so they are updated. */
static PetscErrorCode compression_energy(const sb_system *system, const double *position, double *energy)
{
  PetscFunctionBeginUser;
  *energy = 0;
  if (!system->fluid || !(system->fluid->sound_speed > 0)) PetscFunctionReturn(0);
  PetscCheck(sb_fluid_update(system->fluid, position), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  *energy = sb_fluid_compression_energy(system->fluid);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_energies(const sb_system *system, Vec x, Vec v, sb_energies *energies)
{
  const double      *position;
  const PetscScalar *velocity;
  double             compression;
  PetscFunctionBeginUser;
  *energies = (sb_energies){0};
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(VecGetArrayRead(v, &velocity));
  sum_vertices(system, position, velocity, energies);
  PetscCall(compression_energy(system, position, &compression));
  energies->elastic = elastic_energy(system, false, position) + compression;
  PetscCall(check_law(system));
  energies->strain_max = sb_kernel_strain_max(&system->springs, position);
  PetscCall(VecRestoreArrayRead(v, &velocity));
  PetscCall(sb_system_end_read(system, x, &position));
  PetscCall(reduce(system, energies));
  energies->total = energies->kinetic + energies->elastic + energies->gravity;
  PetscFunctionReturn(0);
}

/* True when every coordinate of this rank is within `limit` of the centre's; false for NaN. */
static bool all_near(const sb_system *system, const double *restrict position, const double center[3], double limit)
{
  enum { LANES = 6 }; /* two vertices: a whole number of vectors of any width */
  const PetscInt count = 3 * system->owned, whole = count - count % LANES;
  double         near[LANES] = {1, 1, 1, 1, 1, 1}, middle[LANES];
  for (int l = 0; l < LANES; ++l) middle[l] = center[l % 3];
  for (PetscInt i = 0; i < whole; i += LANES)
    for (int l = 0; l < LANES; ++l) near[l] = fabs(position[i + l] - middle[l]) <= limit ? near[l] : 0.0;
  for (PetscInt i = whole; i < count; ++i) near[i % 3] = fabs(position[i] - center[i % 3]) <= limit ? near[i % 3] : 0.0;
  return near[0] * near[1] * near[2] * near[3] * near[4] * near[5] > 0.0;
}

static bool all_within(const sb_system *system, const double *position, const double center[3], double radius)
{
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double *x = position + 3 * i;
    const double  d[3] = {x[0] - center[0], x[1] - center[1], x[2] - center[2]};
    if (!(dot(d, d) <= radius * radius)) return false;
  }
  return true;
}

/* True if it is true on all ranks. */
static PetscErrorCode everywhere(const sb_system *system, bool *flag)
{
  int all = *flag;
  PetscFunctionBeginUser;
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT, MPI_MIN, system->comm));
  *flag = all != 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode test_exactly(const sb_system *system, const double *position, double radius, double center[3],
                                   bool *bounded)
{
  PetscFunctionBeginUser;
  PetscCall(center_of(system, position, center));
  *bounded = all_within(system, position, center, radius);
  PetscCall(everywhere(system, bounded));
  PetscFunctionReturn(0);
}

/* When all vertices lie in a cube of half-width radius/4, so does their centre of mass, and no vertex is farther from
 * it than the cube's diagonal, 2 sqrt(3) radius/4 < radius: enough, wherever the cube's centre is. */
PetscErrorCode sb_system_array_is_bounded(const sb_system *system, const double *position, double radius,
                                          double center[3], bool *bounded)
{
  PetscFunctionBeginUser;
  *bounded = all_near(system, position, center, SB_NEAR * radius);
  PetscCall(everywhere(system, bounded));
  if (!*bounded) PetscCall(test_exactly(system, position, radius, center, bounded));
  PetscFunctionReturn(0);
}
