/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Floating-point operations of passes over springs and vertices, as PETSc counts them: an addition, a product, a
 * division and a square root are one each. Counted by hand in the scalar kernels (model/forces/kernels.c). The code
 * that makes a pass logs it here. PETSc logs vectors, matrices and Krylov methods, and the common code of linear
 * solvers logs direct solves, so that PetscGetFlops and -log_view cover all work of an iteration. */
#pragma once

#include "model/system/system.h"

typedef struct {
  double spring, vertex;
} sb_flops;

#define SB_FLOPS_ENERGY       ((sb_flops){14, 12}) /* k/2 (l - r)^2; m/(2 h^2) |z - y|^2 */
#define SB_FLOPS_GRADIENT     ((sb_flops){21, 9})  /* k (1 - r/l) d at both ends */
#define SB_FLOPS_LOCAL        ((sb_flops){21, 0})  /* h^2 k r d/l at both ends */
#define SB_FLOPS_CURVATURE    ((sb_flops){31, 8})  /* d.p and |p|^2 with their coefficients */
#define SB_FLOPS_LAPLACIAN    ((sb_flops){10, 8})  /* k |p_i - p_j|^2 */
#define SB_FLOPS_COEFFICIENTS ((sb_flops){19, 1})  /* a, and d times a root */
#define SB_FLOPS_PRODUCT      ((sb_flops){23, 24}) /* a p + (w.p) w at both ends; out, p, the diagonal and p.product */
#define SB_FLOPS_BLOCKS       ((sb_flops){39, 3})  /* c I + e d d^T, six entries, at both ends */
#define SB_FLOPS_ASSEMBLY     ((sb_flops){60, 3})  /* the same into four blocks of nine */
#define SB_FLOPS_VERTICES     ((sb_flops){84, 62}) /* vertex block descent: force and block at both ends; a 3x3 solve */
#define SB_FLOPS_CONSTRAINTS  ((sb_flops){37, 0})  /* XPBD: a multiplier, and both ends moved */
#define SB_FLOPS_PROJECTION   ((sb_flops){34, 3})  /* ADMM: v, u and their pull at both ends */

/* Logs passes over this rank's springs and vertices. */
static inline PetscErrorCode sb_log_passes(const sb_system *system, sb_operation operation, sb_flops flops, long passes)
{
  sb_profile_count(system->profile, operation, passes);
  return PetscLogFlops((double)passes * (flops.spring * system->springs.count + flops.vertex * (double)system->owned));
}
static inline PetscErrorCode sb_log_pass(const sb_system *system, sb_operation operation, sb_flops flops)
{
  return sb_log_passes(system, operation, flops, 1);
}
