/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs every kernel of explicit steps once or more on a small net, for a tool that watches them
 * (races.sh beside it): each method with dampers and without, and steps that leave their bounds. With the argument
 * `passes` instead: passes over vertices and springs by colours; `one_colour`: without them, which is a race. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/device/steps.h"

enum { SIDE = 9, VERTICES = SIDE * SIDE, SPRINGS = 2 * SIDE * (SIDE - 1) }; /* two groups of 64 items */

static int    first[SPRINGS], second[SPRINGS];
static double stiffness[SPRINGS], rest_length[SPRINGS], inverse_mass[VERTICES], x[3 * VERTICES], v[3 * VERTICES];

static void make_sheet(void)
{
  int springs = 0;
  for (int i = 0; i < VERTICES; ++i) {
    inverse_mass[i] = i == 0 ? 0 : 1000;
    x[3 * i] = 0.01 * (i % SIDE);
    x[3 * i + 1] = 0.01 * (i / SIDE);
    x[3 * i + 2] = 1e-4 * sin(i);
    for (int way = 0; way < 2; ++way) {
      if ((way == 0 && i % SIDE == SIDE - 1) || (way == 1 && i / SIDE == SIDE - 1)) continue;
      first[springs] = i;
      second[springs] = way == 0 ? i + 1 : i + SIDE;
      stiffness[springs] = 1000;
      rest_length[springs++] = 0.01;
    }
  }
}

/* False after an error. */
static bool run(sb_device *device, sb_device_method method, double damping)
{
  static const double centre[3] = {0, 0, 0};
  const sb_device_net net = {.vertices = VERTICES,
                             .springs = SPRINGS,
                             .first = first,
                             .second = second,
                             .stiffness = stiffness,
                             .rest_length = rest_length,
                             .inverse_mass = inverse_mass,
                             .gravity = {0, 0, -9.81},
                             .h_seconds = 1e-4,
                             .factor = 0.999,
                             .drag = 1e-3,
                             .damping = damping,
                             .kept = 0.99,
                             .passes = 2};
  bool                near = true;
  sb_device_steps    *s = sb_device_steps_create(device, method, &net);
  if (!s) return false;
  sb_device_steps_put(s, x, v);
  sb_device_steps_start(s, false);
  sb_device_steps_batch(s, 3, centre, 1e300, &near);
  sb_device_steps_batch(s, 3, centre, 1e-3, &near);
  sb_device_steps_end(s);
  sb_device_steps_get(s, x, v);
  sb_device_steps_copy(s);
  sb_device_finish(device);
  sb_device_steps_destroy(&s);
  return !near && !sb_device_error(device);
}

/* The number of a vertex or spring among those of its colour, which `colour` says: two of vertices, four of springs. */
static int colour_of(bool springs, int item)
{
  const int i = springs ? first[item] : item, row = i / SIDE, column = i % SIDE;
  if (!springs) return (row + column) % 2;
  return second[item] == i + 1 ? column % 2 : 2 + row % 2;
}

/* A pass over vertices or springs, one launch for each colour, or one for all. */
static bool pass(sb_device *device, const sb_device_arrays *arrays, bool springs, bool one_colour)
{
  const int         count = springs ? SPRINGS : VERTICES, colours = springs ? 4 : 2;
  int               index[2 * SPRINGS], at = 0, start[5] = {0};
  double            number[4 * SPRINGS], mass[VERTICES];
  sb_device_buffer *b[6];
  for (int c = 0; c < colours; start[++c] = at)
    for (int n = 0; n < count; ++n) {
      if (colour_of(springs, n) != c) continue;
      const double own[4] = {1000, 1000, 0.1, 0.01};
      memcpy(number + 4 * at, own, sizeof own);
      index[springs ? 2 * at : at] = springs ? first[n] : n;
      if (springs) index[2 * at + 1] = second[n];
      at++;
    }
  for (int i = 0; i < VERTICES; ++i) mass[i] = 1e-3;
  b[0] = sb_device_integers(device, index, 2 * SPRINGS);
  b[1] = sb_device_reals(device, number, 4 * SPRINGS);
  b[2] = sb_device_reals(device, mass, VERTICES);
  b[3] = sb_device_reals(device, x, 3 * VERTICES);
  b[4] = sb_device_reals(device, x, 3 * VERTICES);
  b[5] = sb_device_reals(device, number, SPRINGS);
  for (int c = 0; c < (one_colour ? 1 : colours); ++c) {
    const int                 items = one_colour ? count : start[c + 1] - start[c];
    const sb_kernel_arguments a = {{arrays->parameters, arrays->left, arrays->start, arrays->other, arrays->link, b[2],
                                    b[0], b[3], b[3], b[1], b[4], b[5]},
                                   {items, 0, arrays->visits, BLOCKS_PROJECTED, start[c], VERTICES},
                                   {1, 1e-14, 0}};
    sb_device_launch(device, springs ? SB_NET_visit_spring : SB_NET_visit_vertex, items, &a);
  }
  sb_device_finish(device);
  for (int i = 0; i < 6; ++i) sb_device_release(device, &b[i]);
  return !sb_device_error(device);
}

static bool passes(bool one_colour, char why[SB_DEVICE_WHY])
{
  const sb_device_net net = {.vertices = VERTICES,
                             .springs = SPRINGS,
                             .first = first,
                             .second = second,
                             .stiffness = stiffness,
                             .rest_length = rest_length,
                             .h_seconds = 1e-3};
  sb_device_arrays    arrays;
  sb_device          *device = sb_device_open_for_nets("opencl", false, why);
  if (!device) return false;
  make_sheet();
  sb_device_arrays_create(device, &net, &arrays);
  const bool good = pass(device, &arrays, false, one_colour) && pass(device, &arrays, true, one_colour);
  sb_device_arrays_destroy(device, &arrays);
  sb_device_close(&device);
  return good;
}

static bool all_methods(char why[SB_DEVICE_WHY])
{
  sb_device *device = sb_device_open_for_steps("opencl", false, why);
  bool       good = device != NULL;
  if (device) printf("device: %s\n", sb_device_about(device)->name);
  for (int method = SB_DEVICE_EXPLICIT_EULER; good && method <= SB_DEVICE_POSITION_VERLET; ++method)
    for (int damped = 0; good && damped <= (method != SB_DEVICE_POSITION_VERLET); ++damped) {
      make_sheet();
      memset(v, 0, sizeof v);
      good = run(device, (sb_device_method)method, damped ? 1e-3 : 0);
    }
  if (device && sb_device_error(device)) snprintf(why, SB_DEVICE_WHY, "%s", sb_device_error(device));
  sb_device_close(&device);
  return good;
}

int main(int count, char **word)
{
  char        why[SB_DEVICE_WHY] = "";
  const char *what = count > 1 ? word[1] : "steps";
  const bool  good = strcmp(what, "steps") == 0 ? all_methods(why) : passes(strcmp(what, "one_colour") == 0, why);
  if (!good) fprintf(stderr, "races: %s\n", why);
  return !good;
}
