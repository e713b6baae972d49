/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Hessian of the incremental potential without a matrix; see potential.h. Contact's part is blocks on the diagonal,
 * k_c n n^T for every vertex that is inside a collider. */
#include <math.h>

#include "solvers/minimize/potential.h"

#include "model/system/flops.h"

/* y = A x with A = (xx xy xz yy yz zz) */
static inline void multiply(const double *restrict a, const double *restrict x, double y[3])
{
  y[0] = a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
  y[1] = a[1] * x[0] + a[3] * x[1] + a[4] * x[2];
  y[2] = a[2] * x[0] + a[4] * x[1] + a[5] * x[2];
}

/* M/h^2 p, + pin_weight p where penalties hold. */
static double weight_of(const sb_potential *potential, PetscInt vertex)
{
  const sb_system *system = potential->system;
  const bool       held = system->pinned[vertex] && system->pin_method == SB_PINS_PENALTY;
  return system->mass[vertex] / (potential->h_seconds * potential->h_seconds) + (held ? system->pin_weight : 0);
}

/* Contact's blocks at z, [owned][6]; NULL if contact is not part of g. The caller frees it. */
static PetscErrorCode find_contact(const sb_potential *potential, double negative, Vec z, double **block)
{
  const sb_system *system = potential->system;
  const double    *position;

  PetscFunctionBeginUser;
  *block = NULL;
  if (!system->contact || !sb_contact_is_implicit(system->contact)) PetscFunctionReturn(0);
  PetscCall(PetscCalloc1(6 * (size_t)system->owned, block));
  PetscCall(VecGetArrayRead(z, &position));
  sb_contact_add_hessian(system->contact, potential->end_seconds, negative,
                         &(sb_contact_points){(size_t)system->owned, system->pinned, NULL, position}, *block);
  PetscCall(VecRestoreArrayRead(z, &position));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_renew_contact_bound(const sb_potential *potential, Vec z, double *bound, bool *changed)
{
  const sb_system *system = potential->system;
  double          *block;

  PetscFunctionBeginUser;
  *changed = false;
  PetscCall(find_contact(potential, SB_HESSIAN_PROJECTED, z, &block));
  for (PetscInt i = 0; i < system->owned; ++i) { /* the trace of k_c n n^T, one for each collider */
    const double now = block ? block[6 * i] + block[6 * i + 3] + block[6 * i + 5] : 0;
    if (fabs(now - bound[i]) <= 1e-9 * now) continue; /* |n|^2 is 1 to rounding */
    *changed = true;
    bound[i] = now;
  }
  PetscCall(PetscFree(block));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, changed, 1, MPI_C_BOOL, MPI_LOR, system->comm));
  PetscFunctionReturn(0);
}

/* sum += this rank's share of what inertia and contact add to p^T H p. */
static void add_diagonal(const sb_potential *potential, const double *contact, const double *p, double *sum)
{
  const sb_system *system = potential->system;
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const double  *own = p + 3 * i;
    *sum += weight_of(potential, i) * (own[0] * own[0] + own[1] * own[1] + own[2] * own[2]);
    if (!contact) continue;
    double push[3];
    multiply(contact + 6 * i, own, push);
    *sum += own[0] * push[0] + own[1] * push[1] + own[2] * push[2];
  }
}

PetscErrorCode sb_potential_curvature(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
                                      double *curvature)
{
  const sb_system *system = potential->system;
  const double    *p;
  double          *contact, sum = 0;

  PetscFunctionBeginUser;
  if (kind == SB_CURVATURE_PROJECTED)
    PetscCall(sb_system_curvature(system, SB_HESSIAN_PROJECTED, z, direction, curvature));
  else
    PetscCall(sb_system_laplacian_curvature(system, direction, curvature));
  PetscCall(find_contact(potential, SB_HESSIAN_PROJECTED, z, &contact));
  PetscCall(VecGetArrayRead(direction, &p));
  add_diagonal(potential, contact, p, &sum);
  PetscCall(VecRestoreArrayRead(direction, &p));
  PetscCall(PetscFree(contact));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  *curvature += sum;
  PetscCall(sb_log_pass(system, SB_OPERATION_CURVATURE,
                        kind == SB_CURVATURE_PROJECTED ? SB_FLOPS_CURVATURE : SB_FLOPS_LAPLACIAN));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_hessian_product(const sb_potential *potential, double negative, Vec z, Vec direction,
                                            Vec product)
{
  const sb_system *system = potential->system;
  const double    *p, *elastic;
  double          *out, *contact;

  PetscFunctionBeginUser;
  PetscCall(sb_system_hessian_product(system, negative, z, direction, potential->work));
  PetscCall(find_contact(potential, negative, z, &contact));
  PetscCall(VecGetArrayRead(direction, &p));
  PetscCall(VecGetArrayRead(potential->work, &elastic));
  PetscCall(VecGetArrayWrite(product, &out));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const bool     replaced = system->pinned[i] && system->pin_method != SB_PINS_PENALTY;
    const double   weight = weight_of(potential, i);
    double         push[3] = {0, 0, 0};
    if (contact) multiply(contact + 6 * i, p + 3 * i, push);
    for (PetscInt c = 0; c < 3; ++c)
      out[3 * f + c] = replaced ? 0 : elastic[3 * i + c] + weight * p[3 * i + c] + push[c];
  }
  PetscCall(VecRestoreArrayWrite(product, &out));
  PetscCall(VecRestoreArrayRead(potential->work, &elastic));
  PetscCall(VecRestoreArrayRead(direction, &p));
  PetscCall(PetscFree(contact));
  PetscCall(sb_log_pass(system, SB_OPERATION_PRODUCT, SB_FLOPS_PRODUCT));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_hessian_blocks(const sb_potential *potential, double negative, Vec z, double *block)
{
  const double mass_scale = 1 / (potential->h_seconds * potential->h_seconds);
  double      *contact;

  PetscFunctionBeginUser;
  PetscCall(sb_system_hessian_blocks(potential->system, negative, mass_scale, z, block));
  PetscCall(find_contact(potential, negative, z, &contact));
  for (PetscInt e = 0; contact && e < 6 * potential->system->owned; ++e) block[e] += contact[e];
  PetscCall(PetscFree(contact));
  PetscCall(sb_log_pass(potential->system, SB_OPERATION_ASSEMBLY, SB_FLOPS_BLOCKS));
  PetscFunctionReturn(0);
}
