/* The animations of a sweep: which case each shows, and that the case stores its frames. Local. */
#pragma once

#include "harness/sweep/plan.h"

/* For a case in the making, whose options are `row`'s only row: counts[i]++ for each animation that shows it, and its
 * `save` becomes every:K for about as many frames as that animation has, unless the sweep says what is saved, or
 * `as_told` (the command line does). False and a diagnostic when the sweep has it store no frames (E106), or a `where`
 * cannot be evaluated (E102). */
bool sb_animations_prepare(const sb_sweep *sweep, const sb_rows *row, sb_planned_case *c, bool as_told, size_t *counts,
                           sb_diagnostics *diagnostics);
/* Of a whole plan, nothing narrowed or overridden: E106 for each animation that does not show exactly one case. */
bool sb_animations_check(const sb_sweep *sweep, const size_t *counts, sb_diagnostics *diagnostics);
