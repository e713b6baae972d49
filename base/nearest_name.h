/* Suggestions for misspelt names. Local. */
#pragma once

#include <stddef.h>

/* The nearest of `count` names by edit distance, NULL when none is near enough to be meant. */
const char *sb_nearest_name(const char *name, const char *const *names, size_t count);
