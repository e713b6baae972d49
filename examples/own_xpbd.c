/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: extended position-based dynamics (Macklin et al. 2016) over the springs of the net, with the
 * bits of minimizer=xpbd. docs/plugins.md has it line by line.
 * cc -O2 -shared -fPIC own_xpbd.c $(pkg-config --cflags springbench) -lm -o own_xpbd.so */
#include <math.h>
#include <springbench_plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int     begun;
  double *multiplier, flops; /* [springs] */
} xpbd;

static void *create(const char *options, int32_t unknowns, char *error, size_t size)
{
  (void)unknowns;
  if (*options) strncpy(error, "my_xpbd has no options", size - 1);
  return *options ? NULL : calloc(1, sizeof(xpbd));
}

static void destroy(void *minimizer)
{
  free(((xpbd *)minimizer)->multiplier);
  free(minimizer);
}

static double flops(const void *minimizer) { return ((const xpbd *)minimizer)->flops; }

static sb_plugin_outcome begin(void *minimizer, const sb_plugin_problem *problem, const double *z)
{
  xpbd *s = minimizer;
  (void)z;
  free(s->multiplier);
  s->multiplier = calloc((size_t)problem->net->springs + 1, sizeof *s->multiplier);
  s->begun = 0;
  return s->multiplier ? SB_PLUGIN_SOLVED : SB_PLUGIN_FAILED;
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  xpbd                *s = minimizer;
  const sb_plugin_net *net = p->net;
  const double         scale = 1 / (p->h * p->h);
  if (!s->begun) memcpy(z, p->place, 3 * (size_t)net->vertices * sizeof *z); /* another start has another limit */
  s->begun = 1;
  for (int32_t n = 0; n < net->spring_visits; ++n) {
    const int32_t t = net->visit_spring[n], i = net->first[t], j = net->second[t];
    const double  wi = net->pinned[i] ? 0 : 1 / net->mass[i], wj = net->pinned[j] ? 0 : 1 / net->mass[j];
    const double  d[3] = {z[3 * i] - z[3 * j], z[3 * i + 1] - z[3 * j + 1], z[3 * i + 2] - z[3 * j + 2]};
    const double  r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]), compliance = scale / net->stiffness[t];
    if (net->stiffness[t] == 0 || r == 0) continue;
    const double change = -(r - net->rest_length[t] + compliance * s->multiplier[t]) / (wi + wj + compliance);
    s->multiplier[t] += change;
    for (int c = 0; c < 3; ++c) {
      const double push = change / r * d[c];
      z[3 * i + c] += wi * push;
      z[3 * j + c] -= wj * push;
    }
  }
  s->flops += 32.0 * net->spring_visits;
  return SB_PLUGIN_SOLVED;
}

static const sb_plugin_minimizer my_xpbd = {.size = sizeof my_xpbd,
                                            .name = "my_xpbd",
                                            .summary = "extended position-based dynamics, a plug-in",
                                            .traits = SB_PLUGIN_SEES_NET | SB_PLUGIN_OTHER_LIMIT,
                                            .create = create,
                                            .destroy = destroy,
                                            .begin = begin,
                                            .iterate = iterate,
                                            .flops = flops};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_minimizer(registry->context, &my_xpbd);
}
