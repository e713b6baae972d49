/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chebyshev acceleration of projective dynamics (Wang 2015). */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_chebyshev = {
    .name = "chebyshev",
    .spelled = "Chebyshev",
    .summary = "projective dynamics accelerated by Chebyshev semi-iteration",
    SB_DESCENT(laplacian, chebyshev, unit, ""),
};
