/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plug-in: projective dynamics (Bouaziz, Martin, Liu, Kavan, Pauly 2014) with the case's own linear solver. The
 * matrix M/h^2 + sum k A A^T over free vertices is factored once; d = l u is the spring's projection. cc -O3 -shared
 * -fPIC own_projective.c $(pkg-config --cflags springbench) -lm -o own_projective.so */
#include <math.h>
#include <springbench_plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  int      factored;
  int32_t *start, *column;
  double  *value, *b, *x, flops;
} projective;

static void *create(const char *options, int32_t unknowns, char *error, size_t size)
{
  projective *s = *options ? NULL : calloc(1, sizeof *s);
  if (*options) strncpy(error, "my_projective has no options", size - 1);
  if (s) s->b = calloc(2 * (size_t)unknowns + 1, sizeof *s->b), s->x = s->b + unknowns;
  return s;
}

static void destroy(void *minimizer)
{
  projective *s = minimizer;
  free(s->start), free(s->column), free(s->value), free(s->b), free(s);
}

static double flops(const void *minimizer) { return ((const projective *)minimizer)->flops; }

/* Row of free vertex i, over free vertices: m/h^2 + sum of k, and -k for each neighbour. */
static sb_plugin_outcome factor(projective *s, const sb_plugin_problem *p)
{
  const sb_plugin_net *net = p->net;
  const size_t         entries = (size_t)(net->vertices + net->start[net->vertices]);
  sb_plugin_matrix     A = {.size = sizeof A, .rows = p->unknowns / 3, .block = 1, .symmetric = 1, .definite = 1};
  A.start = s->start = calloc((size_t)A.rows + 1, sizeof *s->start);
  A.column = s->column = calloc(entries, sizeof *s->column);
  A.value = s->value = calloc(entries, sizeof *s->value);
  if (!s->start || !s->column || !s->value) return SB_PLUGIN_FAILED;
  for (int32_t i = 0, row = 0, at = 0; i < net->vertices; ++i) {
    if (net->pinned[i]) continue;
    const int32_t diagonal = at++;
    s->column[diagonal] = row;
    s->value[diagonal] = net->mass[i] / (p->h * p->h);
    for (int32_t e = net->start[i]; e < net->start[i + 1]; ++e) {
      const double k = net->stiffness[net->spring[e]];
      s->value[diagonal] += k;
      if (net->pinned[net->other[e]]) continue;
      s->column[at] = net->unknown[net->other[e]];
      s->value[at++] = -k;
    }
    s->start[++row] = at;
  }
  s->factored = 1;
  return p->factor(p->context, &A);
}

static sb_plugin_outcome iterate(void *minimizer, const sb_plugin_problem *p, double *z)
{
  projective          *s = minimizer;
  const sb_plugin_net *net = p->net;
  sb_plugin_outcome    outcome = s->factored ? SB_PLUGIN_SOLVED : factor(s, p);
  for (int32_t i = 0; i < net->vertices && outcome == SB_PLUGIN_SOLVED; ++i) {
    if (net->pinned[i]) continue;
    double *b = s->b + 3 * net->unknown[i];
    for (int c = 0; c < 3; ++c) b[c] = net->mass[i] / (p->h * p->h) * p->place[3 * i + c];
    for (int e = net->start[i]; e < net->start[i + 1]; ++e) {
      const double *from = z + 3 * i, *to = z + 3 * net->other[e], k = net->stiffness[net->spring[e]];
      const double  d[3] = {from[0] - to[0], from[1] - to[1], from[2] - to[2]};
      const double  r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
      for (int c = 0; c < 3; ++c)
        b[c] +=
            k * ((r > 0 ? net->rest_length[net->spring[e]] / r * d[c] : 0) + (net->pinned[net->other[e]] ? to[c] : 0));
    }
    memcpy(s->x + 3 * net->unknown[i], z + 3 * i, 3 * sizeof *z); /* the guess of an iterative solver */
  }
  if (outcome == SB_PLUGIN_SOLVED) outcome = p->solve(p->context, s->b, s->x);
  for (int32_t i = 0; i < net->vertices && outcome == SB_PLUGIN_SOLVED; ++i)
    if (!net->pinned[i]) memcpy(z + 3 * i, s->x + 3 * net->unknown[i], 3 * sizeof *z);
  s->flops += 20.0 * net->start[net->vertices];
  return outcome;
}

static const sb_plugin_minimizer my_projective = {.size = sizeof my_projective,
                                                  .name = "my_projective",
                                                  .summary = "projective dynamics, a plug-in",
                                                  .traits = SB_PLUGIN_SEES_NET | SB_PLUGIN_SOLVES_COLUMNS |
                                                            SB_PLUGIN_DESCENDS,
                                                  .create = create,
                                                  .destroy = destroy,
                                                  .iterate = iterate,
                                                  .flops = flops};

int springbench_plugin(const sb_plugin_registry *registry)
{
  return registry->add_minimizer(registry->context, &my_projective);
}
