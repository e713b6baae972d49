/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Hessian of the incremental potential without a matrix; see potential.h. Contact's part is blocks on the diagonal,
 * k_c n n^T for every vertex that is inside a collider. */
#include <math.h>

#include "solvers/minimize/on_device.h"

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

/* sum += this rank's share of the part of inertia and contact in p^T H p. */
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

static PetscErrorCode curvature_here(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
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
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_curvature(const sb_potential *potential, sb_curvature kind, Vec z, Vec direction,
                                      double *curvature)
{
  PetscFunctionBeginUser;
  const bool elsewhere = sb_vec_device(z) && sb_vec_device(direction);
  PetscCall((elsewhere ? sb_on_device_curvature : curvature_here)(potential, kind, z, direction, curvature));
  PetscCall(sb_log_pass(potential->system, SB_OPERATION_CURVATURE,
                        kind == SB_CURVATURE_PROJECTED ? SB_FLOPS_CURVATURE : SB_FLOPS_LAPLACIAN));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_keep_hessian(const sb_potential *potential, double negative, Vec z, sb_kept_hessian *kept,
                                         double **contact)
{
  const sb_system *system = potential->system;
  const double     mass_scale = 1 / (potential->h_seconds * potential->h_seconds);
  const sb_flops   flops = SB_FLOPS_COEFFICIENTS;

  PetscFunctionBeginUser;
  PetscCall(sb_system_keep_hessian(system, negative, mass_scale, z, kept));
  PetscCall(PetscFree(*contact));
  PetscCall(find_contact(potential, negative, z, contact));
  PetscCall(PetscLogFlops(flops.spring * system->springs.count + flops.vertex * (double)system->owned));
  PetscFunctionReturn(0);
}

/* Adds contact's part to the product and to this rank's share of p.product. */
static PetscErrorCode add_contact(const sb_system *system, const double *contact, const sb_cg_vectors *cg, double *sum)
{
  const double *p;
  double       *product;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(cg->direction, &p));
  PetscCall(VecGetArray(cg->product, &product));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    double         push[3];
    multiply(contact + 6 * i, p + 3 * i, push);
    for (PetscInt c = 0; c < 3; ++c) {
      product[3 * i + c] += push[c];
      *sum += p[3 * i + c] * push[c];
    }
  }
  PetscCall(VecRestoreArray(cg->product, &product));
  PetscCall(VecRestoreArrayRead(cg->direction, &p));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_advance(const sb_potential *potential, const sb_kept_hessian *kept, const double *contact,
                                    sb_cg_turn turn, const sb_cg_vectors *cg, double *curvature)
{
  const sb_system *system = potential->system;

  PetscFunctionBeginUser;
  PetscCall(sb_kept_hessian_advance(system, kept, turn, cg, curvature));
  if (contact) PetscCall(add_contact(system, contact, cg, curvature));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, curvature, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscCall(sb_log_pass(system, SB_OPERATION_PRODUCT, SB_FLOPS_PRODUCT));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_diagonal_blocks(const sb_potential *potential, double negative, Vec z, double *block)
{
  const sb_system *system = potential->system;
  double          *contact;

  PetscFunctionBeginUser;
  PetscCall(find_contact(potential, negative, z, &contact));
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double weight = weight_of(potential, i);
    for (int e = 0; e < 6; ++e)
      block[6 * i + e] = (e == 0 || e == 3 || e == 5 ? weight : 0) + (contact ? contact[6 * i + e] : 0);
  }
  PetscCall(PetscFree(contact));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_hessian_blocks(const sb_potential *potential, double negative, Vec z, PetscInt stride,
                                           double *block)
{
  const double mass_scale = 1 / (potential->h_seconds * potential->h_seconds);
  double      *contact;

  PetscFunctionBeginUser;
  PetscCall(sb_system_hessian_blocks(potential->system, negative, mass_scale, z, stride, block));
  PetscCall(find_contact(potential, negative, z, &contact));
  for (PetscInt i = 0; contact && i < potential->system->owned; ++i)
    for (PetscInt e = 0; e < 6; ++e) block[e * stride + i] += contact[6 * i + e];
  PetscCall(PetscFree(contact));
  PetscCall(sb_log_pass(potential->system, SB_OPERATION_ASSEMBLY, SB_FLOPS_BLOCKS));
  PetscFunctionReturn(0);
}
