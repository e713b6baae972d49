/* The names that options, sweep files and expressions may use. Local; no PETSc is called. */
#pragma once

#include "cases/store/driver.h"

/* The option of that name; SB_OPT_COUNT after E101 with what may have been meant. */
sb_option_id sb_option_named(const char *name, sb_location where, sb_diagnostics *diagnostics);
/* For each of `count` names the number of the one before that is the same, (size_t)-1 where none is, or it is NULL. */
size_t *sb_find_repeated(const char *const *names, size_t count, sb_arena *arena);
