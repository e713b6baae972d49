/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inexact Newton by conjugate gradients that are cut short, without a matrix (Dembo, Steihaug 1983). Its Hessian is the
 * exact one, which the conjugate gradients leave at a direction of negative curvature. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_newton_cg = {
    .name = "newton_cg",
    .summary = "inexact Newton: truncated conjugate gradients on products with the Hessian, and backtracking",
    SB_DESCENT(truncated_cg, none, armijo, " cg_hessian=exact"),
};
