/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: vertex block descent with the damping that public code began with, to compare with damping_in_step. A
 * vertex is damped by its own block of the Hessian, -(beta/h) H_ii (z_i - x_i), against its place x_i at the start of
 * the step: in the world, not against its neighbours. A net that only falls is braked, too (A. H. Chen, Implementing
 * VBD Damping Properly, 2026). cc -O3 -shared -fPIC own_damping.c $(pkg-config --cflags springbench) -lm -o
 * own_damping.so springbench --plugin ./own_damping.so run own_damping.yaml */
#include <math.h>
#include <springbench_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double beta, flops; /* s */
} damped;

static void *create(const char *options, int32_t unknowns, char *error, size_t size)
{
  damped *s = calloc(1, sizeof *s);
  (void)unknowns;
  if (s) s->beta = 1e-3;
  if (!s || !*options || (sscanf(options, "beta=%lf", &s->beta) == 1 && s->beta >= 0)) return s;
  strncpy(error, "the option of my_damping is 'beta=SECONDS'", size - 1);
  return free(s), NULL;
}

static double flops(const void *minimizer) { return ((const damped *)minimizer)->flops; }

/* Adds the springs of vertex i: to its gradient k (1 - l/r) d, to its block k (u u^T + max(0, 1 - l/r)(I - u u^T)). */
static void add_springs(const sb_plugin_net *net, const double *z, int32_t i, double gradient[3], double block[3][3])
{
  for (int32_t e = net->start[i]; e < net->start[i + 1]; ++e) {
    const double *a = z + 3 * i, *b = z + 3 * net->other[e];
    const double  k = net->stiffness[net->spring[e]], l = net->rest_length[net->spring[e]];
    const double  d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]}, r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (r == 0) continue; /* no direction */
    const double across = fmax(0, 1 - l / r);
    for (int p = 0; p < 3; ++p) {
      gradient[p] += k * (1 - l / r) * d[p];
      for (int q = 0; q < 3; ++q) block[p][q] += k * ((1 - across) * d[p] * d[q] / (r * r) + (p == q ? across : 0));
    }
  }
}

/* x -= B^-1 g of a positive definite B, by elimination. */
static void subtract_solution(double B[3][3], double g[3], double x[3])
{
  for (int p = 0; p < 3; ++p)
    for (int q = p + 1; q < 3; ++q) {
      const double factor = B[q][p] / B[p][p];
      for (int c = p; c < 3; ++c) B[q][c] -= factor * B[p][c];
      g[q] -= factor * g[p];
    }
  for (int p = 2; p >= 0; --p) {
    for (int c = p + 1; c < 3; ++c) g[p] -= B[p][c] * g[c];
    g[p] /= B[p][p];
    x[p] -= g[p];
  }
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  damped              *s = minimizer;
  const sb_plugin_net *net = p->net;
  for (int32_t n = 0; n < net->vertex_visits; ++n) {
    const int32_t i = net->visit_vertex[n];
    const double  weight = net->mass[i] / (p->h * p->h);
    double        gradient[3] = {0}, block[3][3] = {{0}}, step[3][3];
    add_springs(net, z, i, gradient, block);
    for (int a = 0; a < 3; ++a) {
      gradient[a] += weight * (z[3 * i + a] - p->place[3 * i + a]);
      for (int b = 0; b < 3; ++b) {
        gradient[a] += s->beta / p->h * block[a][b] * (z[3 * i + b] - p->from[3 * i + b]);
        step[a][b] = (1 + s->beta / p->h) * block[a][b] + (a == b ? weight : 0);
      }
    }
    subtract_solution(step, gradient, z + 3 * i);
  }
  s->flops += 80.0 * net->start[net->vertices];
  return SB_PLUGIN_SOLVED;
}

static const sb_plugin_minimizer my_damping = {.size = sizeof my_damping,
                                               .name = "my_damping",
                                               .summary = "vertex block descent with damping against the world",
                                               .traits = SB_PLUGIN_SEES_NET | SB_PLUGIN_OTHER_LIMIT,
                                               .create = create,
                                               .destroy = free,
                                               .iterate = iterate,
                                               .flops = flops};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_minimizer(registry->context, &my_damping);
}
