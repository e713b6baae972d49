/* What drivers of particles have in common; see fluid.h. */
#include "experiments/fluid.h"

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
