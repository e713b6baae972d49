/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suggestions for misspelt names. Local. */
#pragma once

#include <stddef.h>

/* Returns the nearest of `count` names by edit distance, NULL if none is near enough. */
const char *sb_nearest_name(const char *name, const char *const *names, size_t count);
