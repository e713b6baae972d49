/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No accelerator: p = P^-1 G. */
#include "solvers/minimize/descent.h"

const sb_accelerator sb_accelerator_none = {.name = "none", .summary = "the direction of the metric"};
