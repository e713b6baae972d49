/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nets that are made on the machine with a card. */
#pragma once

#include <math.h>

#include "tests/device/card/card_case.h"

/* A sheet of m x m vertices with crossed and bending springs, as scene cloth has, and a little noise. */
static inline card_case card_sheet(int m, sb_device_method method)
{
  static const int ways[6][2] = {{0, 1}, {1, 0}, {1, 1}, {1, -1}, {0, 2}, {2, 0}};
  const size_t     n = (size_t)m * (size_t)m;
  card_case        c = {
             .head = {
                 .method = (int)method, .vertices = (int)n, .passes = 1, .gravity = {0, 0, -9.81}, .factor = 1, .kept = 1}};
  c.head.h_seconds = method == SB_DEVICE_EXPLICIT_EULER ? 1e-7 : 1e-4; /* it grows by (h omega)^2 per step */
  c.first = malloc(6 * n * sizeof(int));
  c.second = malloc(6 * n * sizeof(int));
  c.stiffness = malloc(6 * n * sizeof(double));
  c.rest_length = malloc(6 * n * sizeof(double));
  c.inverse_mass = malloc(n * sizeof(double));
  c.x = malloc(3 * n * sizeof(double));
  c.v = calloc(3 * n, sizeof(double));
  if (!c.first || !c.second || !c.stiffness || !c.rest_length || !c.inverse_mass || !c.x || !c.v) exit(1);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j) {
      const size_t k = (size_t)i * (size_t)m + (size_t)j;
      c.inverse_mass[k] = i == 0 && (j == 0 || j == m - 1) ? 0 : 1e3;
      const double at[3] = {i * 1e-2, j * 1e-2, 1e-4 * sin(0.1 * (double)k)};
      memcpy(c.x + 3 * k, at, sizeof at);
      for (int w = 0; w < 6; ++w) {
        const int a = i + ways[w][0], b = j + ways[w][1];
        if (a >= m || b >= m || b < 0) continue;
        c.first[c.head.springs] = (int)k;
        c.second[c.head.springs] = a * m + b;
        c.stiffness[c.head.springs] = 1000;
        c.rest_length[c.head.springs++] = 1e-2 * sqrt(ways[w][0] * ways[w][0] + ways[w][1] * ways[w][1]);
      }
    }
  return c;
}

static inline void card_free(card_case *c)
{
  void *const all[] = {c->first, c->second, c->stiffness, c->rest_length, c->inverse_mass,
                       c->x,     c->v,      c->end_x,     c->end_v};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}
