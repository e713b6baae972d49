/* A segment goes through a triangle when its ends lie on different sides of the plane, and its line passes the three
 * sides the same way round: signs of volumes of tetrahedra, in long double. */
#include "tests/model/intersections.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* Six times the volume of a, b, c, d; 0 where its sign is in doubt. */
static long double volume(const double *a, const double *b, const double *c, const double *d)
{
  long double m[3][3], size = 0;
  for (int k = 0; k < 3; ++k) {
    m[0][k] = (long double)b[k] - a[k];
    m[1][k] = (long double)c[k] - a[k];
    m[2][k] = (long double)d[k] - a[k];
    for (int row = 0; row < 3; ++row) size = fmaxl(size, fabsl(m[row][k]));
  }
  const long double six = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) +
                          m[0][1] * (m[1][2] * m[2][0] - m[1][0] * m[2][2]) +
                          m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
  return fabsl(six) > 32 * LDBL_EPSILON * size * size * size ? six : 0;
}

static bool goes_through(const double *p, const double *q, const double *a, const double *b, const double *c)
{
  if (!(volume(a, b, c, p) * volume(a, b, c, q) < 0)) return false;
  const long double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
  return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

static bool cuts(const int *s, const int *t, const double *x)
{
  for (int side = 0; side < 3; ++side)
    if (goes_through(x + 3 * s[side], x + 3 * s[(side + 1) % 3], x + 3 * t[0], x + 3 * t[1], x + 3 * t[2])) return true;
  return false;
}

/* No axis of space has room between them: only to save time. */
static bool may_cut(const int *s, const int *t, const double *x)
{
  for (int k = 0; k < 3; ++k) {
    const double *y = x + k;
    const double  s_low = fmin(y[3 * s[0]], fmin(y[3 * s[1]], y[3 * s[2]]));
    const double  t_low = fmin(y[3 * t[0]], fmin(y[3 * t[1]], y[3 * t[2]]));
    const double  s_high = fmax(y[3 * s[0]], fmax(y[3 * s[1]], y[3 * s[2]]));
    const double  t_high = fmax(y[3 * t[0]], fmax(y[3 * t[1]], y[3 * t[2]]));
    if (s_high < t_low || t_high < s_low) return false;
  }
  return true;
}

int64_t sb_test_intersections(size_t triangles, const int *triangle, const double *position)
{
  int64_t count = 0;
  for (size_t i = 0; i < triangles; ++i)
    for (size_t j = i + 1; j < triangles; ++j) {
      const int *s = triangle + 3 * i, *t = triangle + 3 * j;
      bool       apart = true;
      for (int k = 0; k < 9; ++k) apart = apart && s[k / 3] != t[k % 3];
      count += apart && may_cut(s, t, position) && (cuts(s, t, position) || cuts(t, s, position));
    }
  return count;
}
