/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A time integrator as a plug-in: the kick-drift-kick leapfrog, which uses the acceleration of a step's end again in
 * the next one.
 *
 *     cc -shared -fPIC -I base examples/own_leapfrog.c -o own_leapfrog.so -lm
 *     springbench --plugin ./own_leapfrog.so conform integrator=own_leapfrog */
#include <math.h>
#include <stdlib.h>

#include "springbench_plugin.h"

static void *create(const char *options, const sb_plugin_stepper *q, char *error, size_t error_size)
{
  (void)options, (void)q, (void)error, (void)error_size;
  return malloc(1); /* all data are in the memory */
}

static void destroy(void *integrator) { free(integrator); }

static sb_plugin_outcome step(void *integrator, const sb_plugin_stepper *q, int64_t number, int fresh, double *x,
                              double *v)
{
  const double h = q->h, t = (double)number * h;
  double      *a = q->memory[0];
  const size_t count = 3 * (size_t)q->vertices;
  (void)integrator;
  if (fresh && q->acceleration(q->context, t, x, v, a)) return SB_PLUGIN_FAILED;
  for (size_t k = 0; k < count; ++k) v[k] += 0.5 * h * a[k];
  for (size_t k = 0; k < count; ++k) x[k] += h * v[k];
  if (q->acceleration(q->context, t + h, x, v, a)) return SB_PLUGIN_FAILED;
  for (size_t k = 0; k < count; ++k) v[k] += 0.5 * h * a[k];
  return SB_PLUGIN_SOLVED;
}

static double growth(double z)
{
  (void)z;
  return 1;
}

static const sb_plugin_integrator method = {
    .size = sizeof method,
    .name = "own_leapfrog",
    .summary = "leapfrog of kicks and drifts",
    .traits = SB_PLUGIN_SYMPLECTIC,
    .order = 2,
    .order_braked = 1, /* the last a knows the v of the middle */
    .stability_limit = 2,
    .memory = {"acceleration"},
    .growth = growth,
    .create = create,
    .destroy = destroy,
    .step = step,
};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_integrator(registry->context, &method);
}
