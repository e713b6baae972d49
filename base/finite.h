/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests whether this build distinguishes numbers from NaN and infinity. Local. */
#pragma once

#include <stdbool.h>

/* False if compiler options exclude them (-ffast-math, -ffinite-math-only): isfinite is then constant and no run would
 * ever count as diverged. */
bool sb_tells_finite(void);
