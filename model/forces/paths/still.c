/* SPDX-License-Identifier: GPL-3.0-or-later */
/* No motion: a place in a list of paths. */
#include <string.h>

#include "model/forces/path.h"

static void place(void *state, const sb_composite *value, double t_seconds, size_t count, const double *rest,
                  double *place)
{
  (void)state, (void)value, (void)t_seconds;
  memcpy(place, rest, 3 * count * sizeof *place);
}

const sb_path_kind sb_path_still = {
    .form = {.name = "still", .summary = "no motion"},
    .place = place,
};
