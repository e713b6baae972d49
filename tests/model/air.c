/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The resistance of air on faces: worked out by hand, blind to which side is the front, and what is refused. */
#include "model/forces/air.h"

#include <math.h>
#include <string.h>

#include "tests/model/support.h"

enum { CORNERS = 3 };

/* A triangle of 3 m^2 in the plane z = 0, its corners at 1, 0 and 2 m/s upwards, in air that moves at (5, 0, 4). */
static const double place[3 * CORNERS] = {0, 0, 0, 2, 0, 0, 0, 3, 0};
static const double speed[3 * CORNERS] = {0.5, 0, 1, 0, 7, 0, 0, 0, 2};

static void forces_of(const char *pairs, const int32_t corner[3], const double *position, double force[3 * CORNERS])
{
  sb_options *options = sb_test_options(pairs);
  sb_air     *air = NULL;
  assert_true(sb_air_create(options, 1, corner, &air));
  sb_options_destroy(&options);
  assert_non_null(air);
  memset(force, 0, 3 * CORNERS * sizeof *force);
  sb_air_add_forces(air, position, speed, force);
  sb_air_destroy(&air);
  assert_null(air);
}

/* w_n = 4 - 1 = 3: 1/2 2 3 3^2 = 27 N, 9 on each corner, whatever blows along the face. */
static void a_face_is_pushed_along_its_normal(void)
{
  static const int32_t fronts[2][3] = {{0, 1, 2}, {2, 1, 0}};
  double               force[3 * CORNERS];
  for (int side = 0; side < 2; ++side) {
    forces_of("air_resistance=2 air_velocity=[5,0,4]", fronts[side], place, force);
    for (int k = 0; k < 3 * CORNERS; ++k) assert_within(force[k], k % 3 == 2 ? 9.0 : 0.0, 1e-14);
    forces_of("air_resistance=2 air_velocity=[5,0,-2]", fronts[side], place, force);
    for (int k = 0; k < CORNERS; ++k) assert_within(force[3 * k + 2], -9.0, 1e-14);
  }
}

/* Turned by 30 degrees about x, cos 30 of the wind along z meets the face: cos^2 of the force, along its normal. */
static void it_counts_how_a_face_stands(void)
{
  const double c = cos(M_PI / 6), s = sin(M_PI / 6);
  const double turned[3 * CORNERS] = {0, 0, 0, 2, 0, 0, 0, 3 * c, 3 * s};
  double       force[3 * CORNERS];
  const double along = 10 * c + (-7.0 / 3) * -s - 1 * c; /* (u - v).n, n = (0, -s, c), v = (1/6, 7/3, 1) */
  const double want = 0.5 * 2 * 3 * along * along / 3;
  forces_of("air_resistance=2 air_velocity=[0,0,10]", (const int32_t[]){0, 1, 2}, turned, force);
  for (int k = 0; k < CORNERS; ++k) {
    assert_within(force[3 * k], 0.0, 1e-13);
    assert_within(force[3 * k + 1], -s * want, 1e-12);
    assert_within(force[3 * k + 2], c * want, 1e-12);
  }
}

static void a_face_without_area_feels_nothing(void)
{
  const double flat[3 * CORNERS] = {0, 0, 0, 1, 1, 1, 2, 2, 2};
  double       force[3 * CORNERS];
  forces_of("air_resistance=2 air_velocity=[5,0,4]", (const int32_t[]){0, 1, 2}, flat, force);
  for (int k = 0; k < 3 * CORNERS; ++k) assert_within(force[k], 0.0, 0.0);
}

static void without_resistance_there_is_no_air(void)
{
  sb_options *options = sb_test_options("drag=1");
  sb_air     *air = NULL;
  assert_true(sb_air_create(options, 1, (const int32_t[]){0, 1, 2}, &air));
  assert_null(air);
  sb_options_destroy(&options);
}

static void scenes_without_faces_are_refused(void)
{
  sb_test_built("scene=rope air_resistance=1",
                "case:3:1: error: air_resistance acts on faces, and scene 'rope' has none; use drag [E106]");
  sb_test_built("scene=cloth grid=2 air_resistance=1", NULL);
}

TEST_MAIN(a_face_is_pushed_along_its_normal, it_counts_how_a_face_stands, a_face_without_area_feels_nothing,
          without_resistance_there_is_no_air, scenes_without_faces_are_refused)
