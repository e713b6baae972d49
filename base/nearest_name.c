/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Suggestions for misspelt names; see nearest_name.h. */
#include "base/nearest_name.h"

#include <stdbool.h>
#include <string.h>

enum { NEAREST_LENGTH_MAX = 64 };

static size_t least(size_t a, size_t b, size_t c)
{
  const size_t ab = a < b ? a : b;
  return ab < c ? ab : c;
}

/* Edit distance with transpositions of neighbours (optimal string alignment), for names of at most 64 characters. One
 * of `most` or more may be given too small, but not below `most`. */
static size_t edit_distance(const char *a, const char *b, size_t most)
{
  const size_t na = strlen(a), nb = strlen(b);
  if (na > NEAREST_LENGTH_MAX || nb > NEAREST_LENGTH_MAX) return NEAREST_LENGTH_MAX;
  size_t rows[3][NEAREST_LENGTH_MAX + 1];
  for (size_t j = 0; j <= nb; ++j) rows[0][j] = j;
  for (size_t i = 1; i <= na; ++i) {
    size_t *now = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
    size_t  smallest = i;
    now[0] = i;
    for (size_t j = 1; j <= nb; ++j) {
      now[j] = least(above[j] + 1, now[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped && two_above[j - 2] + 1 < now[j]) now[j] = two_above[j - 2] + 1;
      if (now[j] < smallest) smallest = now[j];
    }
    if (smallest > most) return smallest; /* a transposition may save one of the rows to come */
  }
  return rows[na % 3][nb];
}

const char *sb_nearest_name(const char *name, const char *const *names, size_t count)
{
  const size_t limit = strlen(name) < 4 ? 1 : strlen(name) / 3 + 1;
  const char  *best = NULL;
  size_t       best_distance = limit + 1;
  for (size_t i = 0; i < count; ++i) {
    /* No distance is smaller than that of the lengths: hardly any name is left to be measured. */
    const size_t given = strlen(name), length = strlen(names[i]);
    if ((given > length ? given - length : length - given) >= best_distance) continue;
    const size_t distance = edit_distance(name, names[i], best_distance);
    if (distance < best_distance) {
      best_distance = distance;
      best = names[i];
    }
  }
  return best;
}
