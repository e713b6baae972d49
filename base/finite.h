/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether this build tells numbers from NaN and infinity. Local. */
#pragma once

#include <stdbool.h>

/* False if the compiler was told that there are none (-ffast-math, -ffinite-math-only): isfinite is then constant and
 * no run would ever count as diverged. */
bool sb_tells_finite(void);
