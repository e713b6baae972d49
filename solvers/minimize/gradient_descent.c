/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steepest descent, to the minimum along the gradient in each step (Cauchy 1847). With metric=laplacian and step=unit
 * it is projective dynamics. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_gradient_descent = {
    .name = "gradient_descent",
    .summary = "steepest descent by the metric",
    SB_DESCENT(identity, none, along, ""),
};
