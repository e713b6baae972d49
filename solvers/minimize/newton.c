/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's method: the metric is the Hessian. Whole steps, unless a case has step=armijo. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_newton = {
    .name = "newton",
    .spelled = "Newton",
    .summary = "Newton's method: the Hessian of every iterate, whole steps or backtracking",
    SB_DESCENT_ANY_STEP(hessian, none, unit, ""),
};
