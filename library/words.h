/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of a line of options. Local; no PETSc. */
#pragma once

#include "base/arena.h"

/* Splits a line at blanks, as a shell does: single or double quotes keep blanks together and are left out. Returns the
 * words, NULL after the last; NULL if a quote is not closed. In the arena. */
const char *const *sb_split_words(const char *line, sb_arena *arena);
