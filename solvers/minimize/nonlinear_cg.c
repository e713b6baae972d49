/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonlinear conjugate gradients preconditioned by the matrix of projective dynamics, or with metric=block_jacobi by the
 * diagonal of the Hessian as Shen, Cai, Li et al. (2024) do; steps to the minimum along each direction. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_nonlinear_cg = {
    .name = "nonlinear_cg",
    .summary = "preconditioned nonlinear conjugate gradients",
    SB_DESCENT(laplacian, ncg, along, ""),
};
