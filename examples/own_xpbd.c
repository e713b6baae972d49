/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: extended position-based dynamics (Macklin et al. 2016) over the springs of the net, with the
 * bits of minimizer=xpbd. docs/plugins.md has it line by line.
 * cc -O3 -shared -fPIC own_xpbd.c $(pkg-config --cflags springbench) -lm -o own_xpbd.so */
#include <math.h>
#include <springbench_plugin.h>
#include <stdlib.h>
#include <string.h>

/* A spring as a constraint r = l of compliance 1/(k h^2), with w = 1/m of its ends, 0 of pinned ones. */
typedef struct {
  int32_t i, j;
  double  wi, wj, compliance, rest_length, multiplier;
} constraint;

typedef struct {
  constraint *constraints;
  int32_t     count, begun;
  double      flops;
} xpbd;

static void *create(const char *options, int32_t unknowns, char *error, size_t size)
{
  (void)unknowns;
  if (*options) strncpy(error, "my_xpbd has no options", size - 1);
  return *options ? NULL : calloc(1, sizeof(xpbd));
}

static void destroy(void *minimizer)
{
  free(((xpbd *)minimizer)->constraints);
  free(minimizer);
}

static double flops(const void *minimizer) { return ((const xpbd *)minimizer)->flops; }

static sb_plugin_outcome begin(void *minimizer, const sb_plugin_problem *p, const double *z)
{
  xpbd                *s = minimizer;
  const sb_plugin_net *net = p->net;
  (void)z;
  if (!s->constraints) s->constraints = calloc((size_t)net->spring_visits + 1, sizeof *s->constraints);
  if (!s->constraints) return SB_PLUGIN_FAILED;
  s->count = s->begun = 0;
  for (int32_t n = 0; n < net->spring_visits; ++n) {
    const int32_t t = net->visit_spring[n], i = net->first[t], j = net->second[t];
    if (net->stiffness[t] == 0) continue;
    s->constraints[s->count++] = (constraint){.i = i,
                                              .j = j,
                                              .wi = net->pinned[i] ? 0 : 1 / net->mass[i],
                                              .wj = net->pinned[j] ? 0 : 1 / net->mass[j],
                                              .compliance = 1 / (p->h * p->h) / net->stiffness[t],
                                              .rest_length = net->rest_length[t]};
  }
  return SB_PLUGIN_SOLVED;
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  xpbd *s = minimizer;
  if (!s->begun) memcpy(z, p->place, 3 * (size_t)p->net->vertices * sizeof *z); /* another start has another limit */
  s->begun = 1;
  for (constraint *c = s->constraints; c < s->constraints + s->count; ++c) {
    double      *a = z + 3 * c->i, *b = z + 3 * c->j;
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (r == 0) continue; /* no direction */
    const double change = -(r - c->rest_length + c->compliance * c->multiplier) / (c->wi + c->wj + c->compliance);
    c->multiplier += change;
    for (int e = 0; e < 3; ++e) {
      const double push = change / r * d[e];
      a[e] += c->wi * push;
      b[e] -= c->wj * push;
    }
  }
  s->flops += 32.0 * s->count;
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
