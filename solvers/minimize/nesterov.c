/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nesterov's acceleration of projective dynamics. */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_nesterov = {
    .name = "nesterov",
    .summary = "projective dynamics accelerated by Nesterov's momentum",
    SB_DESCENT(laplacian, nesterov, unit, ""),
};
