/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs every kernel of explicit steps once or more on a small net, for a tool that watches them
 * (tests/device/races.sh): each method with dampers and without, and steps that leave their bounds. */
#include <math.h>

#include "tests/device/card/card_case.h"

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

int main(void)
{
  char       why[SB_DEVICE_WHY] = "";
  sb_device *device = sb_device_open_for_steps("opencl", false, why);
  bool       good = device != NULL;
  if (device) printf("device: %s\n", sb_device_about(device)->name);
  for (int method = SB_DEVICE_EXPLICIT_EULER; good && method <= SB_DEVICE_POSITION_VERLET; ++method)
    for (int damped = 0; good && damped <= (method != SB_DEVICE_POSITION_VERLET); ++damped) {
      make_sheet();
      memset(v, 0, sizeof v);
      good = run(device, (sb_device_method)method, damped ? 1e-3 : 0);
    }
  if (!good) fprintf(stderr, "races: %s\n", device && sb_device_error(device) ? sb_device_error(device) : why);
  sb_device_close(&device);
  return !good;
}
