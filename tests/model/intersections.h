/* An independent judge of what a run left behind: all pairs of triangles, one after the other, without boxes and
 * without anything of the program that is judged. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Pairs of triangles [triangles][3] without a common corner of which a side of the one goes through the other, at
 * positions [vertices][3]; those whose volumes rounding leaves in doubt are not counted. */
int64_t sb_test_intersections(size_t triangles, const int *triangle, const double *position);
