/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P = the 3x3 blocks on the diagonal of H, with springs under compression without their negative part, computed at
 * every iterate:
 *
 *     P_i = m_i/h^2 I + sum_s k_s (u u^T + max(0, 1 - l/r) (I - u u^T))
 *
 * with contact's k_c n n^T where that is in g. H is not dominated by its diagonal: whole steps may rise. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "model/system/flops.h"
#include "solvers/minimize/block_kernels.h"
#include "solvers/minimize/descent.h"
#include "solvers/minimize/on_device.h"

typedef struct {
  sb_system *system;
  sb_blocks  inverse; /* 0 at vertices that are not unknowns */
} block_jacobi;

static const sb_block_kernels *const tables[] = SB_TABLES(sb_block);

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  block_jacobi    *b = state;
  const sb_system *system = setup->system;
  const long       stride = (system->owned + 7) / 8 * 8 + 8; /* odd multiples of a line, mostly */
  const size_t     sums = 8 * ((size_t)system->owned / SB_BLOCK_CHUNK + 1);

  PetscFunctionBeginUser;
  b->system = setup->system;
  b->inverse = (sb_blocks){.vertices = system->owned, .threads = system->threads, .stride = stride};
  b->inverse.entry = sb_allocate_lines((6 * (size_t)stride + sums) * sizeof(double));
  PetscCheck(b->inverse.entry, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  memset(b->inverse.entry, 0, 6 * (size_t)stride * sizeof(double));
  b->inverse.chunk_sum = b->inverse.entry + 6 * stride;
  *outcome = SB_SOLVED;
  PetscFunctionReturn(0);
}

static PetscErrorCode refresh(void *state, const sb_potential *potential, Vec z)
{
  block_jacobi    *b = state;
  const sb_system *system = b->system;

  PetscFunctionBeginUser;
  if (sb_vec_device(z)) PetscFunctionReturn(0); /* its blocks are solved in the pass that computes them */
  PetscCall(
      sb_potential_hessian_blocks(potential, SB_HESSIAN_PROJECTED, z, (PetscInt)b->inverse.stride, b->inverse.entry));
  tables[sb_instruction_set_best()]->invert(&b->inverse);
  for (PetscInt i = 0; i < b->inverse.stride; ++i)
    for (PetscInt e = 0; (i >= system->owned || system->unknown_id[i] < 0) && e < 6; ++e)
      b->inverse.entry[e * b->inverse.stride + i] = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode correct(void *state, double alpha, const sb_cg_vectors *cg, sb_iteration *iteration,
                              double *square)
{
  block_jacobi    *b = state;
  const sb_system *system = b->system;
  const double    *product;
  double          *residual, *scaled;

  PetscFunctionBeginUser;
  (void)iteration;
  PetscCall(VecGetArrayRead(cg->product, &product));
  PetscCall(VecGetArray(cg->residual, &residual));
  PetscCall(VecGetArrayWrite(cg->scaled, &scaled));
  *square = tables[sb_instruction_set_best()]->correct(&b->inverse, alpha, product, residual, scaled);
  PetscCall(VecRestoreArrayWrite(cg->scaled, &scaled));
  PetscCall(VecRestoreArray(cg->residual, &residual));
  PetscCall(VecRestoreArrayRead(cg->product, &product));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, square, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscCall(PetscLogFlops(27.0 * system->owned)); /* 6 for the residual, 15 for the block, 6 for the sum */
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  block_jacobi *b = state;
  const double *from;
  double       *to;

  PetscFunctionBeginUser;
  (void)iteration;
  if (sb_vec_device(z)) {
    PetscCall(sb_on_device_solve_blocks(z, in, out));
    PetscCall(sb_log_pass(potential->system, SB_OPERATION_ASSEMBLY, SB_FLOPS_BLOCKS));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(in, &from));
  PetscCall(VecGetArrayWrite(out, &to));
  for (PetscInt n = 0; n < b->system->owned_unknown; ++n) {
    const double *entry = b->inverse.entry + b->system->unknown_vertex[n], *v = from + 3 * n;
    double        m[6];
    for (int e = 0; e < 6; ++e) m[e] = entry[e * b->inverse.stride];
    to[3 * n] = m[0] * v[0] + m[1] * v[1] + m[2] * v[2];
    to[3 * n + 1] = m[1] * v[0] + m[3] * v[1] + m[4] * v[2];
    to[3 * n + 2] = m[2] * v[0] + m[4] * v[1] + m[5] * v[2];
  }
  PetscCall(VecRestoreArrayWrite(out, &to));
  PetscCall(VecRestoreArrayRead(in, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  PetscFunctionBeginUser;
  free(((block_jacobi *)state)->inverse.entry);
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_block_jacobi = {.name = "block_jacobi",
                                          .summary = "the diagonal blocks of the Hessian at every iterate",
                                          .uses = "contact_implicit",
                                          .traits = SB_IMPLICIT_CONTACT | SB_ON_DEVICE,
                                          .state_bytes = sizeof(block_jacobi),
                                          .prepare = prepare,
                                          .refresh = refresh,
                                          .apply = apply,
                                          .correct = correct,
                                          .destroy = destroy};
