/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Anderson acceleration of projective dynamics, kept from rising (Peng, Deng, Zhang, Geng, Qin, Liu 2018). */
#include "solvers/minimize/descent.h"

const sb_minimizer_method sb_minimizer_anderson = {
    .name = "anderson",
    .summary = "projective dynamics with Anderson acceleration that never raises the potential",
    SB_DESCENT(laplacian, anderson, guard, ""),
};
