/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Hessian of springs without a matrix: along a direction, times a vector, its blocks, a bound. See system.h. */
#include <math.h>
#include <string.h>

#include "model/system/system.h"

static PetscErrorCode take_directions(const sb_system *system)
{
  PetscFunctionBeginUser;
  PetscCheck(!system->bands || sb_bands_take_directions(system->bands), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "no memory for directions");
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_curvature(const sb_system *system, double negative, Vec x, Vec direction, double *curvature)
{
  const double *position, *p;
  PetscFunctionBeginUser;
  PetscCall(take_directions(system));
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(sb_system_begin_read(system, direction, &p));
  *curvature = system->bands ? system->band_kernels->curvature(system->bands, negative, position, p)
                             : sb_kernel_curvature(&system->springs, negative, position, p);
  PetscCall(sb_system_end_read(system, direction, &p));
  PetscCall(sb_system_end_read(system, x, &position));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, curvature, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_laplacian_curvature(const sb_system *system, Vec direction, double *curvature)
{
  const double *p;
  PetscFunctionBeginUser;
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, direction, &p));
  *curvature = sb_kernel_laplacian_curvature(&system->springs, p);
  PetscCall(sb_system_end_read(system, direction, &p));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, curvature, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_hessian_product(const sb_system *system, double negative, Vec x, Vec direction, Vec product)
{
  const double *position, *p;
  double       *owned;
  PetscFunctionBeginUser;
  PetscCall(take_directions(system));
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(sb_system_begin_read(system, direction, &p));
  PetscCall(VecGetArrayWrite(product, &owned));
  if (system->bands) {
    system->band_kernels->hessian_product(system->bands, negative, position, p, owned);
  } else {
    memset(system->sum, 0, 3 * (size_t)(system->owned + system->ghosts) * sizeof *system->sum);
    sb_kernel_add_hessian_product(&system->springs, negative, position, p, system->sum);
    memcpy(owned, system->sum, 3 * (size_t)system->owned * sizeof *owned);
  }
  PetscCall(VecRestoreArrayWrite(product, &owned));
  PetscCall(sb_system_end_read(system, direction, &p));
  PetscCall(sb_system_end_read(system, x, &position));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_hessian_blocks(const sb_system *system, double negative, double mass_scale, Vec x,
                                        double *block)
{
  static const int diagonal[] = {0, 3, 5};
  const double    *position;
  PetscFunctionBeginUser;
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, x, &position));
  memset(block, 0, 6 * (size_t)(system->owned + system->ghosts) * sizeof *block);
  sb_kernel_add_hessian_blocks(&system->springs, negative, position, block);
  PetscCall(sb_system_end_read(system, x, &position));
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool   held = system->pinned[i] && system->pin_method == SB_PINS_PENALTY;
    const double weight = mass_scale * system->mass[i] + (held ? system->pin_weight : 0);
    for (int c = 0; c < 3; ++c) block[6 * i + diagonal[c]] += weight;
  }
  sb_profile_stop(system->profile, SB_PHASE_ASSEMBLY, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_bound_hessian(const sb_system *system, double mass_scale, double *most)
{
  const sb_springs *springs = &system->springs;
  double           *row;
  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1((size_t)(system->owned + system->ghosts), &row));
  for (int s = 0; s < springs->count; ++s) {
    row[springs->first[s]] += 2 * springs->stiffness[s];
    row[springs->second[s]] += 2 * springs->stiffness[s];
  }
  *most = 0;
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const bool     held = system->pinned[i] && system->pin_method == SB_PINS_PENALTY;
    *most = fmax(*most, row[i] + mass_scale * system->mass[i] + (held ? system->pin_weight : 0));
  }
  PetscCall(PetscFree(row));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, most, 1, MPI_DOUBLE, MPI_MAX, system->comm));
  PetscFunctionReturn(0);
}
