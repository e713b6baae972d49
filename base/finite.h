/* Does this build tell numbers from NaN and infinity? Local. */
#pragma once

#include <stdbool.h>

/* False in a build whose compiler was told that there are none (-ffast-math, -ffinite-math-only): isfinite is then
 * constant and no run would ever be seen to diverge. */
bool sb_tells_finite(void);
