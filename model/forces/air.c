/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See air.h. With N = (x_1 - x_0) x (x_2 - x_0), which is 2 A n, F = 1/4 rho_c |w.N| (w.N) N/(N.N). */
#include "model/forces/air.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct sb_air {
  double   resistance; /* rho_c, kg/m^3 */
  double   velocity[3];
  size_t   triangles;
  int32_t *triangle;
};

bool sb_air_create(const sb_options *options, size_t triangles, const int32_t *triangle, sb_air **air)
{
  *air = NULL;
  if (!(SB_REAL(options, air_resistance) > 0.0) || triangles == 0) return true;
  sb_air *made = calloc(1, sizeof *made);
  if (!made) return false;
  *made = (sb_air){.resistance = SB_REAL(options, air_resistance), .triangles = triangles};
  memcpy(made->velocity, SB_VECTOR(options, air_velocity), sizeof made->velocity);
  made->triangle = malloc(3 * triangles * sizeof *made->triangle);
  *air = made;
  if (!made->triangle) {
    sb_air_destroy(air);
    return false;
  }
  memcpy(made->triangle, triangle, 3 * triangles * sizeof *made->triangle);
  return true;
}

void sb_air_destroy(sb_air **air)
{
  if (!*air) return;
  free((*air)->triangle);
  free(*air);
  *air = NULL;
}

/* The push on each corner along N. */
static double push(const sb_air *air, const double *x[3], const double *v[3], double N[3])
{
  double e[3], d[3], along = 0.0;
  for (int c = 0; c < 3; ++c) {
    e[c] = x[1][c] - x[0][c];
    d[c] = x[2][c] - x[0][c];
  }
  N[0] = e[1] * d[2] - e[2] * d[1];
  N[1] = e[2] * d[0] - e[0] * d[2];
  N[2] = e[0] * d[1] - e[1] * d[0];
  for (int c = 0; c < 3; ++c) along += (air->velocity[c] - (v[0][c] + v[1][c] + v[2][c]) / 3.0) * N[c];
  const double square = N[0] * N[0] + N[1] * N[1] + N[2] * N[2];
  return square > 0.0 ? air->resistance * fabs(along) * along / (12.0 * square) : 0.0;
}

void sb_air_add_forces(const sb_air *air, const double *position, const double *velocity, double *force)
{
  for (size_t t = 0; t < air->triangles; ++t) {
    const int32_t *corner = air->triangle + 3 * t;
    const double  *x[3], *v[3];
    double         N[3];
    for (int k = 0; k < 3; ++k) {
      x[k] = position + 3 * (size_t)corner[k];
      v[k] = velocity + 3 * (size_t)corner[k];
    }
    const double factor = push(air, x, v, N);
    for (int k = 0; k < 3; ++k)
      for (int c = 0; c < 3; ++c) force[3 * (size_t)corner[k] + (size_t)c] += factor * N[c];
  }
}
