/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prescribed motions: places by hand, the identity at the start, pins of a system that follow, and what is refused. */
#include "model/forces/path.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/system/external.h"
#include "tests/model/support.h"
#include "tests/petsc_tests.h"

enum { MANY = 9500 };

static sb_path *path_of(const char *text)
{
  char   pairs[256];
  size_t count = 0;
  snprintf(pairs, sizeof pairs, "pin_path=%s", text);
  sb_options         *options = sb_test_options(pairs);
  const sb_composite *value = SB_COMPOSITES(options, pin_path, &count);
  assert_int_equal(count, 1);
  sb_path *path = sb_path_create(value);
  assert_non_null(path);
  sb_options_destroy(&options); /* the path keeps what it needs */
  return path;
}

/* The place of the point (1, 2, 3) at t = 0.75, worked out by hand. */
typedef struct {
  const char *path;
  double      expected[3];
} sample;

static const sample samples[] = {
    {"still", {1, 2, 3}},
    {"linear:velocity=[4,0,-8]", {4, 2, -3}},
    {"linear:velocity=[4,0,-8],until=0.5", {3, 2, -1}},
    {"linear:velocity=[4,0,-8],until=0", {1, 2, 3}},
    {"oscillation:amplitude=[1,0,-2],frequency=1", {0, 2, 5}},
    {"oscillation:amplitude=[0,3,0],frequency=1/3", {1, 5, 3}},
    /* a quarter turn about z through (1, 0, 0): (0, 2) becomes (-2, 0) */
    {"rotation:rate=2.0943951023931953,centre=[1,0,7]", {-1, 0, 3}},
    /* a third of a turn about (1, 1, 1): x to y to z */
    {"rotation:rate=2.792526803190927,axis=[1,1,1]", {3, 1, 2}},
    {"rotation:rate=-2.792526803190927,axis=[-1e-200,-1e-200,-1e-200]", {3, 1, 2}},
    {"expression:x=y*t,z=-x*t^2", {2.5, 2, 2.4375}},
};
enum { SAMPLES = sizeof samples / sizeof *samples };

static void places_are_those_worked_out(void)
{
  const double rest[3] = {1, 2, 3};
  for (size_t i = 0; i < SAMPLES; ++i) {
    sb_path *path = path_of(samples[i].path);
    double   place[3] = {-77, -77, -77};
    sb_path_place(path, 0.75, 1, rest, place);
    for (int c = 0; c < 3; ++c) assert_within(place[c], samples[i].expected[c], 4e-15);
    assert_int_equal(sb_path_is_still(path), strcmp(samples[i].path, "still") == 0);
    sb_path_destroy(&path);
    assert_null(path);
  }
}

static void every_kind_has_a_sample_and_a_description(void)
{
  assert_true(sb_path_kind_count() >= 5);
  for (size_t k = 0; k < sb_path_kind_count(); ++k) {
    const sb_form *form = &sb_path_kind_at(k)->form;
    bool           found = false;
    for (size_t i = 0; i < SAMPLES; ++i)
      found = found || (strcspn(samples[i].path, ":") == strlen(form->name) &&
                        strncmp(samples[i].path, form->name, strlen(form->name)) == 0);
    if (!found) print_error("no sample of %s\n", form->name);
    assert_true(found);
    assert_true(strlen(form->summary) > 8);
    for (size_t p = 0; p < form->parts; ++p) assert_true(strlen(form->part[p].sentence) > 3);
  }
}

/* At t = 0 every point is where it rests, to the bit; and many are moved as single ones are. */
static void the_start_is_rest_and_blocks_have_no_seam(void)
{
  double *rest = malloc(3 * MANY * sizeof *rest), *place = malloc(3 * MANY * sizeof *place);
  assert_true(rest && place);
  for (size_t k = 0; k < 3 * MANY; ++k) rest[k] = 10.0 * sb_random_unit(7, k) - 5.0;
  for (size_t i = 0; i < SAMPLES; ++i) {
    sb_path *path = path_of(samples[i].path);
    sb_path_place(path, 0.0, MANY, rest, place);
    assert_memory_equal(place, rest, 3 * MANY * sizeof *rest);
    sb_path_place(path, 1.3, MANY, rest, place);
    for (size_t p = 0; p < MANY; p += 41) {
      double one[3];
      sb_path_place(path, 1.3, 1, rest + 3 * p, one);
      assert_memory_equal(one, place + 3 * p, sizeof one);
    }
    sb_path_destroy(&path);
  }
  free(rest);
  free(place);
}

static double distance(const double *a, const double *b) { return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]); }

/* Rigid, about an axis that stays, and two turns are one of the sum of their times. */
static void rotations_are_rotations(void)
{
  sb_path     *path = path_of("rotation:rate=1.7,centre=[1,-2,0.5],axis=[0.3,-1,2]");
  const double rest[9] = {4, 1, -2, 0.1, 0.2, 0.3, 1 + 3 * 0.3, -2 - 3 * 1.0, 0.5 + 3 * 2.0};
  double       once[9], twice[9], sum[9];
  sb_path_place(path, 0.4, 3, rest, once);
  sb_path_place(path, 1.1, 3, once, twice);
  sb_path_place(path, 1.5, 3, rest, sum);
  for (int k = 0; k < 9; ++k) assert_within(twice[k], sum[k], 2e-14);
  for (int k = 0; k < 3; ++k) {
    assert_within(distance(once + 3 * k, once + 3 * ((k + 1) % 3)), distance(rest + 3 * k, rest + 3 * ((k + 1) % 3)),
                  1e-14);
    assert_within(once[6 + k], rest[6 + k], 4e-15); /* a point of the axis */
  }
  assert_true(distance(once, rest) > 0.5);
  sb_path_destroy(&path);
}

static void pinned_vertices_follow(void)
{
  sb_pose     pose = {0};
  sb_options *options = sb_test_scene("scene=cloth grid=6 pins=corners2 pin_path=linear:velocity=[0,1,-2]", &pose);
  sb_system  *system = NULL;
  assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &pose, options, &system), 0);
  sb_options_destroy(&options);
  const double *rest = pose.position + 3 * (size_t)system->first_vertex;
  const size_t  n = 3 * (size_t)system->owned;
  double       *x = malloc((n + 1) * sizeof *x);
  assert_non_null(x);
  assert_true(sb_system_moves_pins(system));
  memcpy(x, rest, n * sizeof *x);
  sb_system_place_pins(system, 0.0, x);
  assert_memory_equal(x, rest, n * sizeof *x);
  sb_system_place_pins(system, 0.5, x);
  sb_system_place_pins(system, 0.25, x); /* from rest, not from where it was */
  for (size_t k = 0; k < n; ++k) {
    const double velocity[3] = {0, 1, -2};
    assert_within(x[k], rest[k] + (system->pinned[k / 3] ? 0.25 * velocity[k % 3] : 0.0), 1e-15);
  }
  free(x);
  assert_int_equal(sb_system_destroy(&system), 0);
  sb_pose_clear(&pose);
}

static void refused_value(const char *pair, const char *expected)
{
  char *message = sb_test_refusal(pair);
  if (strcmp(message, expected) != 0) print_error("%s\n", message);
  assert_string_equal(message, expected);
  free(message);
}

static void values_that_are_no_paths(void)
{
  refused_value("pin_path=stil", "case:3:1: error: unknown pin_path 'stil'; did you mean 'still'? (choices: none, "
                                 "still, linear, oscillation, rotation, expression) [E106]");
  refused_value("pin_path=linear:until=1",
                "case:3:1: error: option 'pin_path': linear needs velocity, velocity; linear has velocity ([x,y,z] "
                "m/s), until (s, default 1e12) [E106]");
  refused_value("collider_path=oscillation:amplitude=[1,0,0],frequency=0",
                "case:3:1: error: option 'collider_path': frequency of oscillation is out of range (allowed: (0,1e9] "
                "Hz); got '0' [E104]");
  refused_value("pin_path=rotation:rate=1,axis=[0,0,-0]",
                "case:3:1: error: option 'pin_path': rotation: the axis is the zero vector [E106]");
  refused_value("pin_path=expression:y=cos(t)", "case:3:1: error: option 'pin_path': expression: y: 'cos(t)' is 1 at "
                                                "the origin at t = 0, but a path must start at rest [E106]");
  refused_value("pin_path=expression:z=t+",
                "case:3:1: error: option 'pin_path': expression: z: 't+' ends too early [E106]");
}

/* The pinned vertices show a start that the origin does not: corners2 of cloth are (-1, -1, 0) and (1, -1, 0). */
static void paths_that_do_not_start_at_rest(void)
{
  sb_test_built("scene=cloth grid=2 pin_path=expression:z=(x+1)*x",
                "case:3:1: error: pin_path puts vertex 2 at (1, -1, 2) at t = 0, but it starts at (1, -1, 0) [E214]");
  sb_test_built(
      "scene=cloth grid=2 pin_path=expression:z=t*sqrt(x)",
      "case:3:1: error: pin_path puts vertex 0 at (-1, -1, nan) at t = 0, but it starts at (-1, -1, 0) [E214]");
  sb_test_built(
      "scene=cloth grid=2 pin_path=expression:z=t/(y+1)",
      "case:3:1: error: pin_path puts vertex 0 at (-1, -1, nan) at t = 0, but it starts at (-1, -1, 0) [E214]");
  sb_test_built("scene=cloth grid=2 pin_path=expression:x=t/y,z=0.1*cos(2*_pi*t+_pi/2)", NULL); /* 6e-18 is rounding */
  sb_test_built("scene=cloth grid=2 pins=none pin_path=expression:z=t*sqrt(x)", NULL);
}

PETSC_TEST_MAIN(places_are_those_worked_out, every_kind_has_a_sample_and_a_description,
                the_start_is_rest_and_blocks_have_no_seam, rotations_are_rotations, pinned_vertices_follow,
                values_that_are_no_paths, paths_that_do_not_start_at_rest)
