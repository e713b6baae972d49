/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An independent judge of the end of a run: it tests all pairs of triangles, one after the other, without code of the
 * program that it judges. Pairs that rounding leaves in doubt are not counted. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Pairs of triangles [triangles][3] without a common corner of which a side of the one goes through the other, at
 * positions [vertices][3]. */
int64_t sb_test_intersections(size_t triangles, const int *triangle, const double *position);
/* How often a side of one goes through another that has neither of its ends; neighbours with one common corner count,
 * too. */
int64_t sb_test_pierced(size_t triangles, const int *triangle, const double *position);
