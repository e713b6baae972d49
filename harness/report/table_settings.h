/* What a table says of the settings of its cases: on which axes its rows stand, and what all of them share. Inside the
 * report room only. Local; no PETSc. */
#pragma once

#include "base/arena.h"
#include "harness/results/results.h"

/* Names of the row axes, outermost first, and behind them that of a pivot's columns, which *count does not count.
 * `widened`: the sweep file's own do not tell all cases apart, because a command line gave several values
 * (-p stiffness=50,200) to what the sweep file gives one; such options stand before them. */
const char **sb_table_axes(sb_arena *arena, const sb_results *results, const sb_table_spec *spec, bool widened,
                           size_t *count);
/* The settings that all of `rows` [count] share and that no axis and no column overrules, so that the caption can say
 * them once: "scene = rope, nodes = 16". What the sweep sets comes first, then what decides the numbers though nobody
 * gave it: a default. `axes`: those of above, of which the first `axis_count` are the table's. */
const char *sb_table_constants(sb_arena *arena, const sb_results *results, const sb_table_spec *spec,
                               const size_t *rows, size_t count);
