/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The linearly implicit Euler step of Baraff and Witkin (1998), (M - h^2 df/dx) dv = h (f + h df/dx v): one iteration
 * of Newton's method from the places before the step. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_linearly_implicit = {
    .name = "linearly_implicit",
    .summary = "one iteration of Newton's method from the state before the step (Baraff and Witkin 1998)",
    SB_DESCENT(hessian, none, unit, " max_iterations=1 start=previous hessian=exact gradient_tolerance=0"),
};
