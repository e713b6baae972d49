/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A time integrator as a plug-in: SDIRK2 (Alexander 1977), whose two stages the minimiser of the case solves.
 *
 *     cc -shared -fPIC -I base examples/own_sdirk2.c -o own_sdirk2.so -lm
 *     springbench --plugin ./own_sdirk2.so conform integrator=own_sdirk2 minimizer=local_global */
#include <complex.h>
#include <math.h>
#include <stdlib.h>

#include "springbench_plugin.h"

#define GAMMA 0.29289321881345247560 /* 1 - sqrt(1/2) */

/* Three arrays: z, y, w. */
static void *create(const char *options, const sb_plugin_stepper *q, char *error, size_t error_size)
{
  (void)options, (void)error, (void)error_size;
  return calloc(9 * (size_t)q->vertices, sizeof(double));
}

static void destroy(void *integrator) { free(integrator); }

static sb_plugin_outcome step(void *integrator, const sb_plugin_stepper *q, int64_t number, int fresh, double *x,
                              double *v)
{
  const size_t count = 3 * (size_t)q->vertices;
  const double part = GAMMA * q->h, rest = q->h - part, t = (double)number * q->h;
  double      *z = integrator, *y = z + count, *w = y + count;
  (void)fresh;
  if (q->stage(q->context, t, x, v, z)) return SB_PLUGIN_FAILED;
  for (size_t k = 0; k < count; ++k) {
    const double slope = (z[k] - x[k]) / part, a = (slope - v[k]) / part;
    y[k] = x[k] + rest * slope;
    w[k] = v[k] + rest * a;
  }
  if (q->stage(q->context, t + rest, y, w, z)) return SB_PLUGIN_FAILED;
  for (size_t k = 0; k < count; ++k) {
    v[k] = (z[k] - y[k]) / part;
    x[k] = z[k];
  }
  return SB_PLUGIN_SOLVED;
}

static double growth(double z)
{
  const double complex mu = I * z, below = 1 - GAMMA * mu;
  return cabs((1 + (1 - 2 * GAMMA) * mu) / (below * below));
}

static const sb_plugin_integrator method = {
    .size = sizeof method,
    .name = "own_sdirk2",
    .summary = "two stages of implicit Euler (Alexander 1977)",
    .order = 2,
    .order_braked = 1,
    .stability_limit = INFINITY,
    .stage_part = GAMMA,
    .growth = growth,
    .create = create,
    .destroy = destroy,
    .step = step,
};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_integrator(registry->context, &method);
}
