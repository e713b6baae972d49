/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Hessian of springs without a matrix: along a direction, times a vector, its blocks, a bound. See system.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "model/system/system.h"

static PetscErrorCode take_directions(const sb_system *system)
{
  PetscFunctionBeginUser;
  sb_bands *bands = sb_system_bands(system);
  PetscCheck(!bands || sb_bands_take_directions(bands), PETSC_COMM_SELF, PETSC_ERR_MEM, "no memory for directions");
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
  const sb_tangents at = sb_system_tangents(system, negative, position);
  *curvature = at.bands ? system->band_kernels->curvature(at.bands, negative, position, p)
                        : sb_kernel_curvature(at.list, negative, position, p);
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
  *curvature = sb_kernel_laplacian_curvature(&system->springs, sb_system_bounds_of_springs(system), p);
  PetscCall(sb_system_end_read(system, direction, &p));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, curvature, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_kept_hessian_create(const sb_system *system, sb_kept_hessian **kept)
{
  const sb_bands *bands = sb_system_bands(system);
  PetscFunctionBeginUser;
  PetscCall(take_directions(system));
  const size_t springs =
      bands ? (size_t)SB_BAND_BLOCK * (size_t)bands->tile_start[bands->tiles] : (size_t)system->springs.count;
  PetscCall(PetscNew(kept));
  (*kept)->spring = sb_allocate_lines((4 * springs + 8) * sizeof(double));
  PetscCheck((*kept)->spring, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(PetscMalloc1((size_t)system->owned, &(*kept)->diagonal));
  if (system->law && system->law->bounds.softens) PetscCall(PetscMalloc1(springs + 1, &(*kept)->minus));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_kept_hessian_destroy(sb_kept_hessian **kept)
{
  PetscFunctionBeginUser;
  if (!*kept) PetscFunctionReturn(0);
  free((*kept)->spring);
  PetscCall(PetscFree((*kept)->diagonal));
  PetscCall(PetscFree((*kept)->minus));
  PetscCall(PetscFree(*kept));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_keep_hessian(const sb_system *system, double negative, double mass_scale, Vec x,
                                      sb_kept_hessian *kept)
{
  const double *position;
  PetscFunctionBeginUser;
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, x, &position));
  const sb_tangents at = sb_system_tangents(system, negative, position);
  if (at.bands)
    system->band_kernels->hessian_coefficients(at.bands, negative, position, kept->spring);
  else
    sb_kernel_hessian_coefficients(at.list, negative, position, kept->spring, kept->minus);
  PetscCall(sb_system_end_read(system, x, &position));
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool held = system->pinned[i] && system->pin_method == SB_PINS_PENALTY;
    kept->diagonal[i] = mass_scale * system->mass[i] + (held ? system->pin_weight : 0);
  }
  sb_profile_stop(system->profile, SB_PHASE_ASSEMBLY, started);
  PetscFunctionReturn(0);
}

/* product = D p + H p; returns p.product */
static double sum_product(const sb_system *system, const sb_kept_hessian *kept, const double *p, double *product)
{
  double          curvature = 0;
  const sb_bands *bands = sb_system_bands(system);
  if (bands) return system->band_kernels->hessian_product(bands, kept->spring, kept->diagonal, p, product);
  memset(system->sum, 0, 3 * (size_t)(system->owned + system->ghosts) * sizeof *system->sum);
  sb_kernel_add_hessian_product(&system->springs, kept->spring, kept->minus, p, system->sum);
  for (long i = 0; i < 3 * (long)system->owned; ++i) {
    product[i] = system->sum[i] + kept->diagonal[i / 3] * p[i];
    curvature += p[i] * product[i];
  }
  return curvature;
}

PetscErrorCode sb_kept_hessian_advance(const sb_system *system, const sb_kept_hessian *kept, sb_cg_turn turn,
                                       const sb_cg_vectors *cg, double *curvature)
{
  const double *p;
  double       *product;
  PetscFunctionBeginUser;
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(cg->scaled, &turn.scaled));
  PetscCall(VecGetArray(cg->out, &turn.out));
  PetscCall(VecGetArray(cg->direction, &turn.direction));
  const sb_bands *bands = sb_system_bands(system);
  if (bands)
    system->band_kernels->turn(bands, &turn);
  else
    sb_kernel_turn(3 * (long)system->owned, &turn);
  PetscCall(VecRestoreArray(cg->direction, &turn.direction));
  PetscCall(VecRestoreArray(cg->out, &turn.out));
  PetscCall(VecRestoreArrayRead(cg->scaled, &turn.scaled));
  PetscCall(sb_system_begin_read(system, cg->direction, &p));
  PetscCall(VecGetArrayWrite(cg->product, &product));
  *curvature = sum_product(system, kept, p, product);
  for (PetscInt n = 0; n < system->pinned_owned && system->pin_method != SB_PINS_PENALTY; ++n)
    for (int c = 0; c < 3; ++c) product[3 * system->pin_vertex[n] + c] = 0;
  PetscCall(VecRestoreArrayWrite(cg->product, &product));
  PetscCall(sb_system_end_read(system, cg->direction, &p));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

/* Spring by spring, for nets without bands. */
static PetscErrorCode sum_blocks(const sb_system *system, const sb_springs *springs, double negative,
                                 const double *position, PetscInt stride, double *block)
{
  double *sum;
  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1(6 * (size_t)(system->owned + system->ghosts), &sum));
  sb_kernel_add_hessian_blocks(springs, negative, position, sum);
  for (PetscInt i = 0; i < system->owned; ++i)
    for (PetscInt e = 0; e < 6; ++e) block[e * stride + i] = sum[6 * i + e];
  PetscCall(PetscFree(sum));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_hessian_blocks(const sb_system *system, double negative, double mass_scale, Vec x,
                                        PetscInt stride, double *block)
{
  static const int diagonal[] = {0, 3, 5};
  const double    *position;
  PetscFunctionBeginUser;
  PetscCall(take_directions(system));
  const double started = sb_profile_start(system->profile);
  PetscCall(sb_system_begin_read(system, x, &position));
  const sb_tangents at = sb_system_tangents(system, negative, position);
  if (at.bands)
    system->band_kernels->hessian_blocks(at.bands, negative, position, stride, block);
  else
    PetscCall(sum_blocks(system, at.list, negative, position, stride, block));
  PetscCall(sb_system_end_read(system, x, &position));
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool   held = system->pinned[i] && system->pin_method == SB_PINS_PENALTY;
    const double weight = mass_scale * system->mass[i] + (held ? system->pin_weight : 0);
    for (int c = 0; c < 3; ++c) block[diagonal[c] * stride + i] += weight;
  }
  sb_profile_stop(system->profile, SB_PHASE_ASSEMBLY, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_bound_hessian(const sb_system *system, double mass_scale, double *most)
{
  const sb_springs *springs = &system->springs;
  const double     *bound = sb_system_bounds_of_springs(system);
  double           *row;
  PetscFunctionBeginUser;
  PetscCall(PetscCalloc1((size_t)(system->owned + system->ghosts), &row));
  for (int s = 0; s < springs->count; ++s) {
    row[springs->first[s]] += 2 * bound[s];
    row[springs->second[s]] += 2 * bound[s];
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
