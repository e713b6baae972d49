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
  double    *block; /* [owned + ghosts][6]: upper triangles, of owned vertices inverted */
  sb_blocks  apart; /* the inverted blocks, of 0 at vertices that are not unknowns; made when `correct` needs them */
  bool       stale;
} block_jacobi;

static const sb_block_kernels *const tables[] = SB_TABLES(sb_block);

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  block_jacobi *b = state;

  PetscFunctionBeginUser;
  b->system = setup->system;
  PetscCall(PetscMalloc1(6 * (size_t)(b->system->owned + b->system->ghosts), &b->block));
  *outcome = SB_SOLVED;
  PetscFunctionReturn(0);
}

/* The inverse of a symmetric positive definite matrix (xx xy xz yy yz zz), in its place. */
static void invert(double *restrict m)
{
  const double a = m[0], b = m[1], c = m[2], d = m[3], e = m[4], f = m[5];
  const double A = d * f - e * e, B = c * e - b * f, C = b * e - c * d;
  const double scale = 1 / (a * A + b * B + c * C);
  m[0] = scale * A;
  m[1] = scale * B;
  m[2] = scale * C;
  m[3] = scale * (a * f - c * c);
  m[4] = scale * (b * c - a * e);
  m[5] = scale * (a * d - b * b);
}

static PetscErrorCode refresh(void *state, const sb_potential *potential, Vec z)
{
  block_jacobi *b = state;

  PetscFunctionBeginUser;
  if (sb_vec_device(z)) PetscFunctionReturn(0); /* its blocks are solved in the pass that computes them */
  PetscCall(sb_potential_hessian_blocks(potential, SB_HESSIAN_PROJECTED, z, b->block));
  for (PetscInt i = 0; i < b->system->owned; ++i) invert(b->block + 6 * i);
  b->stale = true;
  PetscFunctionReturn(0);
}

static PetscErrorCode take_apart(block_jacobi *b)
{
  const sb_system *system = b->system;
  const long       stride = (system->owned + 7) / 8 * 8 + 8; /* odd multiples of a line, mostly */

  PetscFunctionBeginUser;
  if (!b->apart.entry) {
    const size_t sums = 8 * ((size_t)system->owned / SB_BLOCK_CHUNK + 1);
    b->apart = (sb_blocks){.vertices = system->owned, .threads = system->threads, .stride = stride};
    b->apart.entry = sb_allocate_lines((6 * (size_t)stride + sums) * sizeof(double));
    PetscCheck(b->apart.entry, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
    memset(b->apart.entry, 0, 6 * (size_t)stride * sizeof(double));
    b->apart.chunk_sum = b->apart.entry + 6 * stride;
  }
  for (PetscInt n = 0; n < system->owned_unknown; ++n)
    for (int e = 0; e < 6; ++e)
      b->apart.entry[e * stride + system->unknown_vertex[n]] = b->block[6 * system->unknown_vertex[n] + e];
  b->stale = false;
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
  if (b->stale) PetscCall(take_apart(b));
  PetscCall(VecGetArrayRead(cg->product, &product));
  PetscCall(VecGetArray(cg->residual, &residual));
  PetscCall(VecGetArrayWrite(cg->scaled, &scaled));
  *square = tables[sb_instruction_set_best()]->correct(&b->apart, alpha, product, residual, scaled);
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
    const double *m = b->block + 6 * b->system->unknown_vertex[n], x = from[3 * n], y = from[3 * n + 1],
                 w = from[3 * n + 2];
    to[3 * n] = m[0] * x + m[1] * y + m[2] * w;
    to[3 * n + 1] = m[1] * x + m[3] * y + m[4] * w;
    to[3 * n + 2] = m[2] * x + m[4] * y + m[5] * w;
  }
  PetscCall(VecRestoreArrayWrite(out, &to));
  PetscCall(VecRestoreArrayRead(in, &from));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(((block_jacobi *)state)->block));
  free(((block_jacobi *)state)->apart.entry);
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
