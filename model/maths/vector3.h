/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic of vectors of three components. Local. */
#pragma once

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
