/* How tables, which people read, write the names that a sweep gives its axes and their values. The names themselves
 * stay in CSV, in sweep files and in claims. Local; no PETSc. */
#pragma once

#include "harness/sweep/sweep.h"

/* The words that the sweep gives (`words:`), else the name with blanks for underscores and people's names in capitals:
 * "initial_mode" -> "initial mode". malloc'ed. */
char *sb_words_of_axis(const sb_sweep *sweep, const char *axis);
/* Of a value as text: the words given for "AXIS=VALUE" or for a method's name, else of a name such as "explicit_euler"
 * -> "explicit Euler"; numbers and other texts stay as they are. malloc'ed. */
char *sb_words_of_value(const sb_sweep *sweep, const char *axis, const char *value);
