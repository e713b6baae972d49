/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: augmented vertex block descent (Giles, Diaz, Yuksel 2025) of springs of finite stiffness. The stiffness in
 * use of a spring begins at `start`, grows by beta |r - l| per iteration up to the material's, and is multiplied by
 * gamma between steps: a memory of earlier steps. The numbers without options are those of the authors' program
 * avbd-demo2d (858ceb5). They have units (N/m^2, N/m): the same net in other units of mass moves differently.
 *
 *     cc -O3 -shared -fPIC own_avbd.c $(pkg-config --cflags springbench) -lm -o own_avbd.so
 *     springbench --plugin ./own_avbd.so case … minimizer=my_avbd plugin_options='beta=10 gamma=0.99 start=1'
 */
#include <math.h>
#include <springbench_plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  double  beta, gamma, start;
  double *k, flops; /* [springs] in use, N/m */
} avbd;

static void *create(const char *options, int32_t unknowns, char *error, size_t size)
{
  avbd *s = calloc(1, sizeof *s);
  (void)unknowns;
  if (!s) return NULL;
  *s = (avbd){.beta = 1e5, .gamma = 0.99, .start = 1};
  if (!*options || sscanf(options, "beta=%lf gamma=%lf start=%lf", &s->beta, &s->gamma, &s->start) == 3) return s;
  strncpy(error, "the options of my_avbd are 'beta=B gamma=G start=K'", size - 1);
  return free(s), NULL;
}

static void destroy(void *minimizer)
{
  free(((avbd *)minimizer)->k);
  free(minimizer);
}

static double flops(const void *minimizer) { return ((const avbd *)minimizer)->flops; }

static sb_plugin_outcome begin(void *minimizer, const sb_plugin_problem *p, const double *z)
{
  avbd                *s = minimizer;
  const sb_plugin_net *net = p->net;
  (void)z;
  if (!s->k) s->k = calloc((size_t)net->springs + 1, sizeof *s->k);
  if (!s->k) return SB_PLUGIN_FAILED;
  for (int32_t t = 0; t < net->springs; ++t)
    s->k[t] = fmin(net->stiffness[t], p->step == 0 ? s->start : fmax(s->start, s->gamma * s->k[t]));
  return SB_PLUGIN_SOLVED;
}

/* r - l of a spring; *u: its direction, from z_j to z_i. 0 without a direction. */
static double stretch(const double *a, const double *b, double l, double u[3], double *r)
{
  for (int c = 0; c < 3; ++c) u[c] = a[c] - b[c];
  *r = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
  for (int c = 0; c < 3 && *r > 0; ++c) u[c] /= *r;
  return *r > 0 ? *r - l : 0;
}

/* x -= B^-1 g by Cholesky's method, for B = (xx xy xz yy yz zz), which is positive definite. */
static void subtract_solution(const double b[6], const double g[3], double x[3])
{
  const double a = sqrt(b[0]), d = b[1] / a, e = b[2] / a, c = sqrt(b[3] - d * d), f = (b[4] - d * e) / c;
  const double l = sqrt(b[5] - e * e - f * f), p = g[0] / a, q = (g[1] - d * p) / c, r = (g[2] - e * p - f * q) / l;
  const double z = r / l, y = (q - f * z) / c;
  x[0] -= (p - d * y - e * z) / a, x[1] -= y, x[2] -= z;
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  avbd                *s = minimizer;
  const sb_plugin_net *net = p->net;
  double               u[3], r;
  for (int32_t n = 0; n < net->vertex_visits; ++n) {
    const int32_t i = net->visit_vertex[n];
    const double  weight = net->mass[i] / (p->h * p->h);
    double        gradient[3], block[6] = {weight, 0, 0, weight, 0, weight};
    for (int c = 0; c < 3; ++c) gradient[c] = weight * (z[3 * i + c] - p->place[3 * i + c]);
    for (int32_t e = net->start[i]; e < net->start[i + 1]; ++e) {
      const double k = s->k[net->spring[e]];
      const double f = k * stretch(z + 3 * i, z + 3 * net->other[e], net->rest_length[net->spring[e]], u, &r);
      if (r == 0) continue;
      for (int a = 0, at = 0; a < 3; ++a) {
        gradient[a] += f * u[a];
        /* for |f| (I - u u^T)/r its columns' lengths on the diagonal */
        for (int b = a; b < 3; ++b, ++at)
          block[at] += k * u[a] * u[b] + (a == b ? fabs(f) / r * sqrt(fmax(0, 1 - u[a] * u[a])) : 0);
      }
    }
    subtract_solution(block, gradient, z + 3 * i);
  }
  for (int32_t t = 0; t < net->springs; ++t) {
    const double C = stretch(z + 3 * net->first[t], z + 3 * net->second[t], net->rest_length[t], u, &r);
    s->k[t] = fmin(net->stiffness[t], s->k[t] + s->beta * fabs(C));
  }
  s->flops += 60.0 * net->start[net->vertices];
  return SB_PLUGIN_SOLVED;
}

static const sb_plugin_minimizer my_avbd = {.size = sizeof my_avbd,
                                            .name = "my_avbd",
                                            .summary = "augmented vertex block descent, a plug-in",
                                            .traits = SB_PLUGIN_SEES_NET | SB_PLUGIN_REMEMBERS,
                                            .create = create,
                                            .destroy = destroy,
                                            .begin = begin,
                                            .iterate = iterate,
                                            .flops = flops};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_minimizer(registry->context, &my_avbd);
}
