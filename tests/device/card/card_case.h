/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A net, its state, and the state after some steps with device=none, in a file that travels to a machine with a card.
 * Numbers are those of this machine's memory: both machines are little-endian. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/device/steps.h"

typedef struct {
  char    magic[8];
  int32_t method, steps, vertices, springs, passes, unused;
  double  gravity[3], h_seconds, factor, drag, damping, kept;
} card_head;

typedef struct {
  card_head head;
  int      *first, *second;
  double   *stiffness, *rest_length, *inverse_mass, *x, *v, *end_x, *end_v;
} card_case;

/* Reads or writes everything behind the head. */
static inline bool card_pass(card_case *c, FILE *file, bool reads)
{
  const size_t n = (size_t)c->head.vertices, s = (size_t)c->head.springs, r = sizeof(double);
  struct {
    void **array;
    size_t bytes;
  } all[] = {
      {(void **)&c->first, s * sizeof(int)}, {(void **)&c->second, s * sizeof(int)}, {(void **)&c->stiffness, s * r},
      {(void **)&c->rest_length, s * r},     {(void **)&c->inverse_mass, n * r},     {(void **)&c->x, 3 * n * r},
      {(void **)&c->v, 3 * n * r},           {(void **)&c->end_x, 3 * n * r},        {(void **)&c->end_v, 3 * n * r}};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
    if (reads) *all[i].array = malloc(all[i].bytes + 1);
    if (!*all[i].array) return false;
    if ((reads ? fread(*all[i].array, 1, all[i].bytes, file) : fwrite(*all[i].array, 1, all[i].bytes, file)) !=
        all[i].bytes)
      return false;
  }
  return true;
}

static inline sb_device_net card_net(const card_case *c)
{
  sb_device_net net = {.vertices = c->head.vertices,
                       .springs = c->head.springs,
                       .first = c->first,
                       .second = c->second,
                       .stiffness = c->stiffness,
                       .rest_length = c->rest_length,
                       .inverse_mass = c->inverse_mass,
                       .h_seconds = c->head.h_seconds,
                       .factor = c->head.factor,
                       .drag = c->head.drag,
                       .damping = c->head.damping,
                       .kept = c->head.kept,
                       .passes = c->head.passes};
  memcpy(net.gravity, c->head.gravity, sizeof net.gravity);
  return net;
}
