/* Which options are columns of a plan's results, inside the harness. Local. */
#pragma once

#include "harness/sweep/plan_expand.h"

/* Fills plan->axes: the sweep's axes in its order, overrides, what methods set, what the sweep's expressions and tables
 * name, and whatever else varies. Constants among them cost a column and keep expressions and tables working when an
 * axis is narrowed to one value. */
void sb_plan_name_columns(const sb_sweep *sweep, const sb_overrides *overrides, sb_plan *plan);
/* Adds a name unless it is there, no option, or an option that is only stored. */
void sb_plan_add_column(sb_plan *plan, const char *name);
