/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method that factors one Hessian per step: L-BFGS over the projected Hessian of the first iterate, with
 * backtracking. Liu, Bouaziz, Kavan (2017) do the same over the matrix of projective dynamics. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_frozen_newton = {
    .name = "frozen_newton",
    .summary = "one Hessian factored per step, and L-BFGS over it",
    SB_DESCENT(frozen, lbfgs, armijo, ""),
};
