/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Common parts of drivers of particles; see fluid.h. */
#include "drivers/fluid.h"

#include <math.h>

sb_fluid_scales sb_fluid_scales_of(const sb_options *options)
{
  const double *g = SB_VECTOR(options, gravity);
  return (sb_fluid_scales){SB_REAL(options, width), SB_REAL(options, depth),
                           sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2])};
}

sb_density_error sb_fluid_density_error(const sb_fluid *fluid)
{
  const size_t     n = fluid->particles.free;
  sb_density_error error = {0, -INFINITY, 0};
  for (size_t i = 0; i < n; ++i) {
    const double off = fluid->density[i] / fluid->particles.density - 1;
    error.mean += off / (double)n;
    error.excess += fmax(0, off) / (double)n;
    error.most = fmax(error.most, off);
  }
  return error;
}

/* The tank, from its walls: their first rows of particles are half a spacing outside the faces that fluid rests on. */
static void find_tank(const sb_particles *p, const double *position, double low[3], double high[3])
{
  const double deep = p->spacing * ceil(p->support / p->spacing - 1e-9) - 0.5 * p->spacing; /* of the last row */
  for (int c = 0; c < 3; ++c) {
    low[c] = INFINITY;
    high[c] = -INFINITY;
  }
  for (size_t i = p->free; i < p->count; ++i)
    for (size_t c = 0; c < 3; ++c) {
      low[c] = fmin(low[c], position[3 * i + c]);
      high[c] = fmax(high[c], position[3 * i + c]);
    }
  for (int c = 0; c < 3; ++c) {
    const bool walls = p->count > p->free && c < p->dimensions && !(p->period[c] > 0);
    low[c] = walls ? low[c] + deep - 0.5 * p->spacing : -INFINITY;
    high[c] = walls && c != 1 ? high[c] - deep + 0.5 * p->spacing : INFINITY;
  }
}

size_t sb_fluid_lost(const sb_fluid *fluid, const double *position)
{
  const sb_particles *p = &fluid->particles;
  double              low[3], high[3];
  size_t              lost = 0;
  find_tank(p, position, low, high);
  for (size_t i = 0; i < p->free; ++i) {
    bool out = false;
    for (size_t c = 0; c < 3; ++c) out = out || !(position[3 * i + c] >= low[c] && position[3 * i + c] <= high[c]);
    lost += out;
  }
  return lost;
}
