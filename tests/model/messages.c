/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every complaint of the model: its text, its code, its place. */
#include "tests/model/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Resolves and builds; the first message must be `message`, and the outcome `good`. */
static void expect(const char *pairs, bool good, const char *message)
{
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  const bool      built = sb_scene_apply_defaults(options, diagnostics) && sb_scene_build(options, &pose, diagnostics);
  const char     *first = sb_diagnostics_message(diagnostics, 0);
  if (message) assert_non_null(first);
  if (message)
    assert_string_equal(first, message);
  else
    assert_null(first);
  assert_int_equal(built, good);
  assert_int_equal(sb_diagnostics_errors(diagnostics) == 0, good);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

/* "rope, cloth, …", as the list has them. */
static const char *scene_list(void)
{
  static char list[512];
  list[0] = '\0';
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    if (i > 0) strcat(list, ", ");
    strcat(list, sb_scene_at(i)->name);
  }
  return list;
}

static void scenes_that_are_not_there(void)
{
  char message[640];
  snprintf(message, sizeof message, "springbench: error: no scene is given; give scene=NAME, one of %s [E106]",
           scene_list());
  expect("grid=3", false, message);
  /* A set that knows the list refuses the name itself; one that does not leaves it to the model. */
  sb_options     *options = sb_options_create(NULL);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  assert_true(sb_options_set_pair(options, "scene=tapestry", SB_FROM_USER, (sb_location){"case", 3, 1}, diagnostics));
  assert_false(sb_scene_apply_defaults(options, diagnostics));
  snprintf(message, sizeof message, "case:3:1: error: there is no scene 'tapestry'; there are %s [E106]", scene_list());
  assert_string_equal(sb_diagnostics_message(diagnostics, 0), message);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

static void options_of_other_scenes(void)
{
  expect("scene=rope grid=3", false,
         "case:3:1: error: scene 'rope' has no option 'grid'; it has nodes, rope_from, rope_to, stiffness, young, "
         "total_mass, "
         "vertex_mass [E106]");
  expect("scene=cloth nodes=3", false,
         "case:3:1: error: scene 'cloth' has no option 'nodes'; it has extent, grid, springs, stiffness, "
         "stiffness_warp, stiffness_weft, stiffness_bias, stiffness_shear, stiffness_bending, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=oscillator ends=free_free", false,
         "case:3:1: error: scene 'oscillator' has no option 'ends'; it has amplitude, stiffness, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=cloth_on_sphere extent=2", false,
         "case:3:1: error: scene 'cloth_on_sphere' has no option 'extent'; it has grid, springs, stiffness, "
         "stiffness_warp, stiffness_weft, stiffness_bias, stiffness_shear, stiffness_bending, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=bar springs=crossed", false,
         "case:3:1: error: scene 'bar' has no option 'springs'; it has extent, grid, stiffness, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=cloth subdivisions=2", false,
         "case:3:1: error: scene 'cloth' has no option 'subdivisions'; it has extent, grid, springs, stiffness, "
         "stiffness_warp, stiffness_weft, stiffness_bias, stiffness_shear, stiffness_bending, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=sphere extent=2", false,
         "case:3:1: error: scene 'sphere' has no option 'extent'; it has subdivisions, stiffness, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=rope drag=0.01 perturbation=0.1 seed=3 initial_velocity=[0,0,1] max_iterations=3", true, NULL);
}

static void options_that_exclude_each_other(void)
{
  expect("scene=rope total_mass=1 vertex_mass=1", false,
         "case:3:1: error: options 'total_mass' and 'vertex_mass' exclude each other; give one of them [E106]");
  expect("scene=rope young=1 stiffness=1", false,
         "case:3:1: error: options 'young' and 'stiffness' exclude each other; give one of them [E106]");
  expect("scene=cloth young=1 stiffness_shear=1", false,
         "case:3:1: error: options 'young' and 'stiffness_shear' exclude each other; give one of them [E106]");
  expect("scene=cloth young=1 stiffness_bending=1", false,
         "case:3:1: error: options 'young' and 'stiffness_bending' exclude each other; give one of them [E106]");
}

static void pins_that_do_not_fit(void)
{
  expect("scene=rope pins=corners2", false,
         "case:3:1: error: scene 'rope' has no pins 'corners2'; it has none, first, min_x, max_x, min_y, max_y, min_z, "
         "max_z, "
         "near, box, or a list of vertices such as [0,3,10:12] [E106]");
  expect("scene=chain pins=corners4", false,
         "case:3:1: error: scene 'chain' has no pins 'corners4'; it has none, first, min_x, max_x, min_y, max_y, "
         "min_z, max_z, "
         "near, box, or a list of vertices such as [0,3,10:12] [E106]");
  expect("scene=square pins=box pin_from=[0,0,0]", false, "case:3:1: error: pins=box needs pin_to=[x,y,z] [E104]");
  expect("scene=square pins=near", false, "case:3:1: error: pins=near needs pin_near=[x,y,z] [E104]");
  expect("scene=square pins=box pin_from=[2,0,0] pin_to=[3,1,0]", false,
         "case:3:1: error: no vertex is in the box of pins from pin_from=[2,0,0] to pin_to=[3,1,0] [E210]");
  expect("scene=rope pins=[16]", false,
         "case:3:1: error: pins names vertex 16, but the scene has the vertices 0 to 15 [E210]");
  expect("scene=rope pins=[3,2:4]", false, "case:3:1: error: pins names vertex 3 twice [E210]");
  expect("scene=rope pins=[0:15]", false,
         "case:3:1: error: all 16 vertices are pinned, so nothing can move; leave some free [E209]");
  expect("scene=cloth grid=1 pins=corners4", false,
         "case:3:1: error: all 4 vertices are pinned, so nothing can move; leave some free [E209]");
}

static void poses_that_have_no_direction(void)
{
  expect(
      "scene=oscillator amplitude=-1", false,
      "case:3:1: error: spring 0 between vertices 0 and 1 has no length and therefore no direction; move them apart, "
      "or give allow_zero_length=true [E204]");
  expect("scene=oscillator amplitude=-1 allow_zero_length=true", true,
         "case:3:1: warning: 1 of 1 springs have no length at the start: they have no force until their ends separate "
         "[W204]");
}

static void ropes_without_a_length(void)
{
  expect("scene=rope rope_from=[1,2,3] rope_to=[1,2,3]", false,
         "case:3:1: error: the rope starts and ends at [1,2,3]: rope_from and rope_to must differ [E104]");
  expect("scene=rope rope_to=[0,200,0]", false,
         "case:3:1: error: the rope starts and ends at [0,200,0]: rope_from and rope_to must differ [E104]");
}

static void modes_that_a_chain_has_not(void)
{
  expect("scene=chain nodes=10 initial_mode=11", false,
         "case:3:1: error: initial_mode is 11, but a fixed_fixed chain of 10 masses has the modes 1 to 10 [E104]");
  expect("scene=chain nodes=10 ends=free_free initial_mode=10", false,
         "case:3:1: error: initial_mode is 10, but a free_free chain of 10 masses has the modes 1 to 9 [E104]");
  expect("scene=chain nodes=10 ends=fixed_free initial_mode=10", true, NULL);
  expect("scene=chain second_mass=2 ends=fixed_free", false,
         "case:3:1: error: a chain with a second_mass can start in a mode only between fixed ends; got ends=fixed_free "
         "[E106]");
  expect("scene=chain second_mass=2 total_mass=3", false,
         "case:3:1: error: options 'total_mass' and 'second_mass' exclude each other; give one of them [E106]");
}

static void springs_that_do_nothing(void)
{
  expect("scene=rope stiffness=0", true, "case:3:1: warning: 15 of 15 springs have stiffness 0 and no effect [W217]");
  expect("scene=cloth grid=1 stiffness_shear=0", true,
         "case:3:1: warning: 1 of 5 springs have stiffness 0 and no effect [W217]");
}

/* A filter holds a vertex at 8 colliders at once; a penalty without friction is the sum of all. */
static void many_colliders(void)
{
#define FOUR "plane:;plane:;plane:;plane:;"
  expect("scene=rope contact=cancel_velocity collider=" FOUR FOUR "plane:", true,
         "case:3:1: warning: of 9 colliders at most 8 hold one vertex at once, the first in this order; where more "
         "overlap, vertices may pass through the others [W223]");
  expect("scene=rope contact=cancel_velocity collider=" FOUR "plane:;plane:;plane:;plane:", true, NULL);
  expect("scene=rope contact=penalty collider=" FOUR FOUR "plane:", true, NULL);
#undef FOUR
}

static void vertices_without_springs(void)
{
  sb_options     *options = sb_test_options("scene=rope");
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  assert_true(sb_pose_allocate(&pose, 4));
  pose.position[3] = 1.0;
  assert_true(sb_pose_add_spring(&pose, 0, 1, 1.0, SB_STRUCTURAL));
  assert_true(sb_pose_check(&pose, options, diagnostics));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0),
                      "case:3:1: warning: 2 of 4 vertices have no spring [W207]");
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

/* A line of four vertices and three springs, spoilt; the check's first message. */
static void expect_spoilt(void (*spoil)(sb_pose *), const char *pairs, const char *message)
{
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  assert_true(sb_pose_allocate(&pose, 4));
  for (int i = 0; i < 4; ++i) pose.position[3 * i] = i;
  for (int32_t i = 0; i < 3; ++i) assert_true(sb_pose_add_spring(&pose, i, i + 1, 1.0, SB_STRUCTURAL));
  spoil(&pose);
  const bool good = sb_pose_check(&pose, options, diagnostics);
  assert_non_null(sb_diagnostics_message(diagnostics, 0));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0), message);
  assert_int_equal(good, sb_diagnostics_errors(diagnostics) == 0);
  assert_int_equal(sb_diagnostics_errors(diagnostics) + sb_diagnostics_warnings(diagnostics), 1);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

static void meet(sb_pose *pose)
{
  pose->position[3] = 0.0;
  pose->rest_length[0] = 0.0;
}
static void forget_rest(sb_pose *pose) { pose->rest_length[1] = 0.0; }
static void turn_rest(sb_pose *pose) { pose->rest_length[1] = -1.0; }
static void lose_rest(sb_pose *pose) { pose->rest_length[1] = NAN; }
static void close_loop(sb_pose *pose) { pose->ends[3] = 1; }
static void lose_place(sb_pose *pose) { pose->position[7] = NAN; }
static void send_away(sb_pose *pose) { pose->position[7] = 2e12; }
static void lose_mass(sb_pose *pose) { pose->mass[2] = 0.0; }
static void push_spring(sb_pose *pose) { pose->stiffness[1] = -1.0; }

static void nets_that_cannot_be(void)
{
  expect_spoilt(
      meet, "scene=rope",
      "case:3:1: error: spring 0 between vertices 0 and 1 has no length and therefore no direction; move them apart, "
      "or give allow_zero_length=true and allow_zero_rest=true, or another rest length [E204]");
  expect_spoilt(meet, "scene=rope allow_zero_length=true",
                "case:3:1: error: spring 0 between vertices 0 and 1 of length 0 m has the rest length 0 m; a rest "
                "length is more than 0 and 1e-9 lengths, or give allow_zero_rest=true [E205]");
  expect_spoilt(forget_rest, "scene=rope",
                "case:3:1: error: spring 1 between vertices 1 and 2 of length 1 m has the rest length 0 m; a rest "
                "length is more than 0 and 1e-9 lengths, or give allow_zero_rest=true [E205]");
  expect_spoilt(forget_rest, "scene=rope allow_zero_rest=true",
                "case:3:1: warning: 1 of 3 springs have rest length 0: they are linear and always pull [W205]");
  expect_spoilt(turn_rest, "scene=rope allow_zero_rest=true",
                "case:3:1: error: spring 1 between vertices 1 and 2 of length 1 m has the rest length -1 m; a rest "
                "length is more than 0 and 1e-9 lengths [E205]");
  expect_spoilt(lose_rest, "scene=rope allow_zero_rest=true",
                "case:3:1: error: spring 1 between vertices 1 and 2 of length 1 m has the rest length nan m; a rest "
                "length is more than 0 and 1e-9 lengths [E205]");
  expect_spoilt(close_loop, "scene=rope", "case:3:1: error: spring 1 joins vertex 1 with itself [E202]");
  expect_spoilt(lose_place, "scene=rope",
                "case:3:1: error: y of vertex 2 is not a number up to 1e12 m in size; got nan [E203]");
  expect_spoilt(send_away, "scene=rope",
                "case:3:1: error: y of vertex 2 is not a number up to 1e12 m in size; got 2e+12 [E203]");
  expect_spoilt(lose_mass, "scene=rope", "case:3:1: error: vertex 2 has the mass 0 kg; a mass is more than 0 [E211]");
  expect_spoilt(push_spring, "scene=rope",
                "case:3:1: error: spring 1 of rest length 1 m has the stiffness -1 N/m [E205]");
}

static void scenes_too_large(void)
{
  sb_options     *options = sb_test_options("scene=rope");
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  assert_false(sb_pose_allocate(&pose, (size_t)INT32_MAX + 1));
  assert_int_equal(pose.vertices, 0); /* refused before any memory was asked for */
  assert_false(sb_scene_too_large(options, diagnostics));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0),
                      "case:3:1: error: the scene does not fit into memory, or has more than 2^31 - 1 vertices or "
                      "springs [E215]");
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

TEST_MAIN(scenes_that_are_not_there, options_of_other_scenes, options_that_exclude_each_other, pins_that_do_not_fit,
          poses_that_have_no_direction, ropes_without_a_length, modes_that_a_chain_has_not, springs_that_do_nothing,
          many_colliders, vertices_without_springs, nets_that_cannot_be, scenes_too_large)
