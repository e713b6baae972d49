/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Quasi-Newton methods for real-time simulation (Liu, Bouaziz, Kavan 2017): L-BFGS that starts from the matrix of
 * projective dynamics, with backtracking. Without any pairs its step is that of local-global. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_lbfgs = {
    .name = "lbfgs",
    .summary = "L-BFGS that starts from the matrix of projective dynamics",
    SB_DESCENT(laplacian, lbfgs, armijo, ""),
};
