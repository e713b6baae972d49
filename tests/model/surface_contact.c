/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The filter of contact of surfaces on single steps: impulses and zones keep momentum and angular momentum and never
 * raise the energy of the ways, and what they lead to has met nothing; pinned vertices lead a zone as one body. */
#include "model/contact/surface_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/maths/rigid_motion.h"
#include "model/maths/vector3.h"
#include "tests/model/intersections.h"
#include "tests/model/support.h"
#include "tests/sample.h"

enum {
  LAYERS = 5,
  SIDE = 6,
  LAYER = SIDE * SIDE,
  VERTICES = LAYERS * LAYER,
  TRIANGLES = LAYERS * 2 * (SIDE - 1) * (SIDE - 1)
};
static const double spacing = 0.2, thickness = 0.04;

/* Sheets upon each other. */
typedef struct {
  int32_t triangle[3 * TRIANGLES];
  double  initial[3 * VERTICES], place[3 * VERTICES], way[3 * VERTICES], mass[VERTICES];
  bool    pinned[VERTICES];
} stack;

static uint64_t drawn;
static double   between(double low, double high) { return low + (high - low) * sb_random_unit(31, drawn++); }

static void add_layer(stack *s, int layer, double apart)
{
  static const int cell[6] = {0, 1, SIDE + 1, 0, SIDE + 1, SIDE};
  for (int v = 0; v < LAYER; ++v) {
    const int    k = layer * LAYER + v;
    const double at[3] = {spacing * (v % SIDE) + 0.03 * layer, spacing * (v / SIDE) + 0.07 * layer, layer};
    for (int c = 0; c < 3; ++c) s->initial[3 * k + c] = at[c];
    for (int c = 0; c < 3; ++c) s->place[3 * k + c] = at[c] * (c < 2 ? 1 : apart);
    s->place[3 * k + 2] += between(-0.1, 0.1) * apart;
    s->mass[k] = between(0.2, 3);
  }
  for (int v = 0, t = 6 * layer * (SIDE - 1) * (SIDE - 1); v < LAYER - SIDE; ++v)
    for (int c = 0; v % SIDE < SIDE - 1 && c < 6; ++c) s->triangle[t++] = layer * LAYER + v + cell[c];
}

/* Layers that turn about the middle, fall together and have noise, each as large as `size`. */
static stack *make_stack(double apart, double size)
{
  stack *s = calloc(1, sizeof *s);
  assert_non_null(s);
  for (int layer = 0; layer < LAYERS; ++layer) add_layer(s, layer, apart);
  for (int i = 0; i < VERTICES; ++i) {
    const double *p = s->place + 3 * i, up = p[2] - 1.5 * apart;
    const double  turn[3] = {-0.2 * (p[1] - 0.5), 0.2 * (p[0] - 0.5), 0.1};
    for (int c = 0; c < 3; ++c) s->way[3 * i + c] = size * (turn[c] + between(-0.3, 0.3));
    s->way[3 * i + 2] -= size * 10 * up;
  }
  return s;
}

typedef struct {
  double energy, momentum[3], angular[3];
} motion;

static motion motion_of(const stack *s)
{
  motion m = {0};
  for (int i = 0; i < VERTICES; ++i) {
    double across[3];
    sb_cross(s->place + 3 * i, s->way + 3 * i, across);
    m.energy += 0.5 * s->mass[i] * sb_dot(s->way + 3 * i, s->way + 3 * i);
    sb_along(m.momentum, s->mass[i], s->way + 3 * i, m.momentum);
    sb_along(m.angular, s->mass[i], across, m.angular);
  }
  return m;
}

/* One step from where they are; the ways are then those that it led. */
static sb_surface_tally filter(stack *s, double friction)
{
  const sb_contact_points start = {VERTICES, s->pinned, s->mass, s->place};
  const sb_surface_step   step = {&start, 1, NULL, NULL};
  sb_surface_contact     *contact =
      sb_surface_contact_create((sb_surface_law){thickness, 0, friction}, VERTICES, TRIANGLES, s->triangle, s->initial);
  sb_surface_tally tally;
  double           end[3 * VERTICES];
  char             why[200] = "";
  assert_non_null(contact);
  for (int k = 0; k < 3 * VERTICES; ++k) end[k] = s->place[k] + s->way[k];
  if (sb_surface_contact_filter(contact, &step, end, &tally, why, sizeof why) != SB_STEP_FREE) fail_msg("%s", why);
  for (int k = 0; k < 3 * VERTICES; ++k) s->way[k] = end[k] - s->place[k];
  assert_int_equal(sb_test_pierced(TRIANGLES, s->triangle, end), 0);
  sb_surface_contact_destroy(&contact);
  return tally;
}

/* From steps on which layers only push each other, or only just meet, to those that press them into one body. */
static void test_impulses_and_zones_keep_momentum_and_lose_energy(void)
{
  int64_t pushed = 0, struck = 0, zones = 0;
  for (int trial = 0; trial < (SB_SAMPLES ? 24 : 40); ++trial) {
    const double           apart = (trial % 2 ? 0.75 : 1.5) * thickness, friction = trial % 3 * 0.4;
    stack                 *s = make_stack(apart, 0.05 * pow(2, trial % 8));
    const motion           before = motion_of(s);
    const sb_surface_tally tally = filter(s, friction);
    const motion           after = motion_of(s);
    const double           scale = sqrt(before.energy * VERTICES);
    for (int c = 0; c < 3; ++c) {
      assert_within(after.momentum[c], before.momentum[c], 1e-11 * scale);
      assert_within(after.angular[c], before.angular[c], 1e-9 * scale);
    }
    assert_true(after.energy < before.energy * (1 + 1e-12));
    pushed += tally.touching > 0 && tally.met == 0;
    struck += tally.touching == 0 && tally.met > 0 && tally.zones == 0;
    zones += tally.zones > 0;
    free(s);
  }
  print_message("steps of pushes alone %d, of impulses alone %d, with zones %d\n", (int)pushed, (int)struck,
                (int)zones);
  assert_true(pushed > 2 && struck > 5 && zones > 5);
}

/* Points follow others that are led as a body; points that are not led lead no others. */
static void test_pins_lead_a_body(void)
{
  enum { COUNT = 6 };
  static const int member[COUNT] = {0, 1, 2, 3, 4, 5};
  const double     angle = 0.8, shift[3] = {3, -1, 0.5};
  double           place[3 * COUNT], way[3 * COUNT], led[3];
  sb_body_turn     body;
  for (int i = 0; i < COUNT; ++i) {
    double *p = place + 3 * i, *u = way + 3 * i;
    for (int c = 0; c < 3; ++c) p[c] = between(-1, 1);
    u[0] = cos(angle) * p[0] - sin(angle) * p[1] - p[0] + shift[0];
    u[1] = sin(angle) * p[0] + cos(angle) * p[1] - p[1] + shift[1];
    u[2] = shift[2];
  }
  assert_true(sb_body_turn_of(COUNT - 1, member, place, way, 1e-12, &body));
  sb_body_turn_at(&body, place + 3 * (COUNT - 1), led);
  for (int c = 0; c < 3; ++c) assert_within(led[c], way[3 * (COUNT - 1) + c], 1e-12);
  way[1] += 1e-6;
  assert_false(sb_body_turn_of(COUNT - 1, member, place, way, 1e-7, &body));
  assert_true(sb_body_turn_of(COUNT - 1, member, place, way, 1e-6, &body));
}

TEST_MAIN(test_impulses_and_zones_keep_momentum_and_lose_energy, test_pins_lead_a_body)
