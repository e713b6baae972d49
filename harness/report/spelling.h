/* How what people read writes the names that a sweep gives its axes and their values. The names themselves stay in CSV,
 * in sweep files and in claims. Local; no PETSc. */
#pragma once

#include "base/arena.h"
#include "harness/sweep/sweep.h"

/* The words that the sweep gives (`words:`), else the name with blanks for underscores and people's names in capitals:
 * "initial_mode" -> "initial mode". Borrowed from the sweep or in the arena. */
const char *sb_spelled_axis(sb_arena *arena, const sb_sweep *sweep, const char *axis);
/* Of a value as text: the words given for "AXIS=VALUE" or for a method's name, else of a name such as "explicit_euler"
 * -> "explicit Euler"; numbers and other texts stay as they are. */
const char *sb_spelled_value(sb_arena *arena, const sb_sweep *sweep, const char *axis, const char *value);
