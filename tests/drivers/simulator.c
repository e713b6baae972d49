/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Symplectic Euler by examples/simulators/springbench_simulator.h in C99, with a word of simulator_options that scales
 * gravity; for tests/drivers/simulators.py. */
#include "springbench_simulator.h"

#include <math.h>

static void step(void *engine)
{
  const sb_net *net = engine;
  double        gravity[3];
  const double  scale = sb_net_own_number(net, "scale", 1);
  sb_net_vector(net->options, "gravity", gravity);
  for (long i = 0; i < net->vertices; ++i)
    for (int d = 0; d < 3 && !net->pinned[i]; ++d) net->velocity[3 * i + d] += net->h * scale * gravity[d];
  for (long s = 0; s < net->springs; ++s) {
    const int     a = net->ends[2 * s], b = net->ends[2 * s + 1];
    const double *x = &net->position[3 * (long)a], *y = &net->position[3 * (long)b];
    const double  length = sqrt(pow(x[0] - y[0], 2) + pow(x[1] - y[1], 2) + pow(x[2] - y[2], 2));
    for (int d = 0; d < 3; ++d) {
      const double impulse = net->h * net->stiffness[s] * (1 - net->rest_length[s] / length) * (y[d] - x[d]);
      if (!net->pinned[a]) net->velocity[3 * (long)a + d] += impulse / net->mass[a];
      if (!net->pinned[b]) net->velocity[3 * (long)b + d] -= impulse / net->mass[b];
    }
  }
  for (long i = 0; i < 3 * net->vertices; ++i) net->position[i] += net->h * net->velocity[i];
}

static void read_state(void *engine, double *x, double *v)
{
  const sb_net *net = engine;
  memcpy(x, net->position, 24 * (size_t)net->vertices);
  memcpy(v, net->velocity, 24 * (size_t)net->vertices);
}

int main(void)
{
  sb_net net = sb_net_read("scale other");
  sb_net_run(&net, step, read_state, &net);
  return 0;
}
