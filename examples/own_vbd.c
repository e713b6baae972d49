/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: vertex block descent (Chen, Liu, Yang, Yuksel 2024), with the bits of minimizer=vertex_block_descent, also
 * with colliders in g. cc -O3 -shared -fPIC own_vbd.c $(pkg-config --cflags springbench) -lm -o own_vbd.so */
#include <math.h>
#include <springbench_plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double flops;
} vbd;

static void *create(const char *options, int32_t unknowns, char *error, size_t size)
{
  (void)unknowns;
  if (*options) strncpy(error, "my_vbd has no options", size - 1);
  return *options ? NULL : calloc(1, sizeof(vbd));
}

static double flops(const void *minimizer) { return ((const vbd *)minimizer)->flops; }

/* x -= B^-1 g with B = (xx xy xz yy yz zz); nothing if B is singular. */
static void subtract_solution(const double b[6], const double g[3], double x[3])
{
  const double A = b[3] * b[5] - b[4] * b[4], B = b[2] * b[4] - b[1] * b[5], C = b[1] * b[4] - b[2] * b[3];
  const double D = b[0] * b[5] - b[2] * b[2], E = b[1] * b[2] - b[0] * b[4], F = b[0] * b[3] - b[1] * b[1];
  const double determinant = b[0] * A + b[1] * B + b[2] * C;
  if (!(fabs(determinant) > 1e-14 * (fabs(b[0] * A) + fabs(b[1] * B) + fabs(b[2] * C)))) return;
  x[0] -= (A * g[0] + B * g[1] + C * g[2]) / determinant;
  x[1] -= (B * g[0] + D * g[1] + E * g[2]) / determinant;
  x[2] -= (C * g[0] + E * g[1] + F * g[2]) / determinant;
}

/* Adds the springs of vertex i: to its gradient k (1 - l/r) d, to its block k (u u^T + c (I - u u^T)), where c = 1 -
 * l/r, or 0 for a spring that is shorter than at rest. */
static void add_springs(const sb_plugin_net *net, const double *z, int32_t i, double gradient[3], double block[6])
{
  for (int32_t e = net->start[i]; e < net->start[i + 1]; ++e) {
    const double *a = z + 3 * i, *b = z + 3 * net->other[e];
    const double  k = net->stiffness[net->spring[e]], l = net->rest_length[net->spring[e]];
    const double  d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double  square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], part = square == 0 ? 0 : 1 - l / sqrt(square);
    const double  c = part < 0 ? 0 : part; /* a spring without length has no direction: on average a third of k */
    const double  across = square > 0 ? k * c : l == 0 ? k : k / 3, along = square > 0 ? k * (1 - c) / square : 0;
    for (int p = 0, at = 0; p < 3; ++p) {
      gradient[p] += k * part * d[p];
      for (int q = p; q < 3; ++q, ++at) block[at] += along * d[p] * d[q] + (p == q ? across : 0);
    }
  }
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  const sb_plugin_net *net = p->net;
  for (int32_t n = 0; n < net->vertex_visits; ++n) {
    const int32_t i = net->visit_vertex[n];
    const double  weight = net->mass[i] / (p->h * p->h);
    double        gradient[3], block[6] = {weight, 0, 0, weight, 0, weight};
    for (int c = 0; c < 3; ++c) gradient[c] = weight * (z[3 * i + c] - p->place[3 * i + c]);
    add_springs(net, z, i, gradient, block);
    if (p->contact(p->context, i, z + 3 * i, 1, gradient, block) != 0) return SB_PLUGIN_FAILED;
    subtract_solution(block, gradient, z + 3 * i);
  }
  ((vbd *)minimizer)->flops += 58.0 * net->start[net->vertices];
  return SB_PLUGIN_SOLVED;
}

static const sb_plugin_minimizer my_vbd = {.size = sizeof my_vbd,
                                           .name = "my_vbd",
                                           .summary = "vertex block descent, a plug-in",
                                           .traits = SB_PLUGIN_SEES_NET | SB_PLUGIN_CONTACT_IN_G,
                                           .create = create,
                                           .destroy = free,
                                           .iterate = iterate,
                                           .flops = flops};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_minimizer(registry->context, &my_vbd);
}
