/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of vectors of three components. Local. */
#pragma once

#include <math.h>

static inline double sb_dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static inline void sb_subtract(const double a[3], const double b[3], double difference[3])
{
  for (int c = 0; c < 3; ++c) difference[c] = a[c] - b[c];
}

static inline void sb_cross(const double a[3], const double b[3], double product[3])
{
  product[0] = a[1] * b[2] - a[2] * b[1];
  product[1] = a[2] * b[0] - a[0] * b[2];
  product[2] = a[0] * b[1] - a[1] * b[0];
}

/* p + s q. */
static inline void sb_along(const double p[3], double s, const double q[3], double sum[3])
{
  for (int c = 0; c < 3; ++c) sum[c] = p[c] + s * q[c];
}

/* x += B^-1 f with B = (xx xy xz yy yz zz); nothing if B is singular. */
static inline void sb_add_solution(const double b[6], const double f[3], double x[3])
{
  const double A = b[3] * b[5] - b[4] * b[4], B = b[2] * b[4] - b[1] * b[5], C = b[1] * b[4] - b[2] * b[3];
  const double determinant = b[0] * A + b[1] * B + b[2] * C;
  const double D = b[0] * b[5] - b[2] * b[2], E = b[1] * b[2] - b[0] * b[4], F = b[0] * b[3] - b[1] * b[1];
  const double size = fabs(b[0] * A) + fabs(b[1] * B) + fabs(b[2] * C);
  if (!(fabs(determinant) > 1e-14 * size)) return;
  x[0] += (A * f[0] + B * f[1] + C * f[2]) / determinant;
  x[1] += (B * f[0] + D * f[1] + E * f[2]) / determinant;
  x[2] += (C * f[0] + E * f[1] + F * f[2]) / determinant;
}
