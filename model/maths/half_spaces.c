/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projection onto half-spaces; see half_spaces.h.
 *
 * At most three half-spaces need a push; the solution lies on their boundaries. All choices of at most three are tried,
 * smaller ones first. The solution is the choice whose pushes are not negative and whose point is in all half-spaces;
 * its point is unique (Karush, Kuhn, Tucker). */
#include "model/maths/half_spaces.h"

#include <math.h>
#include <string.h>

#include "model/maths/vector3.h"

enum { ACTIVE_MAX = 3 };

static const double pivot_min = 1e-14; /* squared sine of an angle; normals at a smaller one count as parallel */
static const double slack = 1e-12;     /* rounding error of a bound, relative to the largest number involved */

/* Solves G x = b by Cholesky, with b in x at first, G [3][3]; false if G is not positive definite. */
static bool solve(size_t size, double g[ACTIVE_MAX][ACTIVE_MAX], double x[ACTIVE_MAX])
{
  for (size_t j = 0; j < size; ++j) {
    for (size_t k = 0; k < j; ++k) g[j][j] -= g[j][k] * g[j][k];
    if (!(g[j][j] > pivot_min)) return false;
    g[j][j] = sqrt(g[j][j]);
    for (size_t i = j + 1; i < size; ++i) {
      for (size_t k = 0; k < j; ++k) g[i][j] -= g[i][k] * g[j][k];
      g[i][j] /= g[j][j];
    }
  }
  for (size_t i = 0; i < size; ++i) {
    for (size_t k = 0; k < i; ++k) x[i] -= g[i][k] * x[k];
    x[i] /= g[i][i];
  }
  for (size_t i = size; i-- > 0;) {
    for (size_t k = i + 1; k < size; ++k) x[i] -= g[k][i] * x[k];
    x[i] /= g[i][i];
  }
  return true;
}

static bool holds_all(size_t count, const sb_half_space *space, double scale, const double v[3])
{
  for (size_t k = 0; k < count; ++k)
    if (!(sb_dot(space[k].n, v) - space[k].least >= -slack * (scale + fabs(space[k].least)))) return false;
  return true;
}

/* Computes the point on the boundaries of the half-spaces in `active`; true if it is the solution. */
static bool try_active(size_t count, sb_half_space *space, size_t size, const size_t active[ACTIVE_MAX], double v[3])
{
  double g[ACTIVE_MAX][ACTIVE_MAX], push[ACTIVE_MAX], end[3], scale = sqrt(sb_dot(v, v));
  memcpy(end, v, sizeof end);
  for (size_t i = 0; i < size; ++i) {
    const sb_half_space *s = &space[active[i]];
    push[i] = s->least - sb_dot(s->n, v);
    for (size_t k = 0; k <= i; ++k) g[i][k] = sb_dot(s->n, space[active[k]].n);
  }
  if (!solve(size, g, push)) return false;
  for (size_t i = 0; i < size; ++i) {
    if (!(push[i] >= 0.0)) return false;
    sb_along(end, push[i], space[active[i]].n, end);
    scale += push[i];
  }
  if (!holds_all(count, space, scale, end)) return false;
  for (size_t i = 0; i < size; ++i) space[active[i]].push += push[i];
  memcpy(v, end, sizeof end);
  return true;
}

bool sb_half_spaces_project(size_t count, sb_half_space *space, double v[3])
{
  for (size_t size = 0; size <= ACTIVE_MAX && size <= count; ++size)
    for (unsigned chosen = 0; chosen < 1u << count; ++chosen) {
      size_t active[ACTIVE_MAX] = {0}, found = 0;
      for (size_t k = 0; k < count; ++k) {
        if (!(chosen >> k & 1)) continue;
        if (found < ACTIVE_MAX) active[found] = k;
        ++found;
      }
      if (found == size && try_active(count, space, size, active, v)) return true;
    }
  return false;
}
