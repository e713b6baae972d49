/* Every complaint of the model: its text, its code, its place. */
#include "tests/model/support.h"

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

static void scenes_that_are_not_there(void **state)
{
  (void)state;
  expect("scene=tapestry", false,
         "case:3:1: error: there is no scene 'tapestry'; there are rope, cloth, curtain, oscillator, chain [E106]");
  expect(
      "grid=3", false,
      "springbench: error: no scene is given; give scene=NAME, one of rope, cloth, curtain, oscillator, chain [E106]");
}

static void options_of_other_scenes(void **state)
{
  (void)state;
  expect("scene=rope grid=3", false,
         "case:3:1: error: scene 'rope' has no option 'grid'; it has nodes, stiffness, young, total_mass, vertex_mass "
         "[E106]");
  expect("scene=cloth nodes=3", false,
         "case:3:1: error: scene 'cloth' has no option 'nodes'; it has grid, springs, stiffness, stiffness_shear, "
         "stiffness_bending, young, total_mass, vertex_mass [E106]");
  expect("scene=oscillator ends=free_free", false,
         "case:3:1: error: scene 'oscillator' has no option 'ends'; it has amplitude, stiffness, young, total_mass, "
         "vertex_mass [E106]");
  expect("scene=rope drag=0.01 perturbation=0.1 seed=3 initial_velocity=[0,0,1] max_iterations=3", true, NULL);
}

static void options_that_exclude_each_other(void **state)
{
  (void)state;
  expect("scene=rope total_mass=1 vertex_mass=1", false,
         "case:3:1: error: options 'total_mass' and 'vertex_mass' exclude each other; give one of them [E106]");
  expect("scene=rope young=1 stiffness=1", false,
         "case:3:1: error: options 'young' and 'stiffness' exclude each other; give one of them [E106]");
  expect("scene=cloth young=1 stiffness_shear=1", false,
         "case:3:1: error: options 'young' and 'stiffness_shear' exclude each other; give one of them [E106]");
  expect("scene=cloth young=1 stiffness_bending=1", false,
         "case:3:1: error: options 'young' and 'stiffness_bending' exclude each other; give one of them [E106]");
}

static void pins_that_do_not_fit(void **state)
{
  (void)state;
  expect("scene=rope pins=corners2", false,
         "case:3:1: error: scene 'rope' has no pins 'corners2'; it has none, first, or a list of vertices such as "
         "[0,3,10:12] [E106]");
  expect("scene=chain pins=corners4", false,
         "case:3:1: error: scene 'chain' has no pins 'corners4'; it has none, first, or a list of vertices such as "
         "[0,3,10:12] [E106]");
  expect("scene=rope pins=[16]", false,
         "case:3:1: error: pins names vertex 16, but the scene has the vertices 0 to 15 [E210]");
  expect("scene=rope pins=[3,2:4]", false, "case:3:1: error: pins names vertex 3 twice [E210]");
  expect("scene=rope pins=[0:15]", false,
         "case:3:1: error: all 16 vertices are pinned: nothing is left to solve [E209]");
  expect("scene=cloth grid=1 pins=corners4", false,
         "case:3:1: error: all 4 vertices are pinned: nothing is left to solve [E209]");
}

static void poses_that_have_no_direction(void **state)
{
  (void)state;
  expect("scene=oscillator amplitude=-1", false,
         "case:3:1: error: spring 0 between vertices 0 and 1 has no length, so no direction [E204]");
}

static void modes_that_a_chain_has_not(void **state)
{
  (void)state;
  expect("scene=chain nodes=10 initial_mode=11", false,
         "case:3:1: error: initial_mode is 11, but a fixed_fixed chain of 10 masses has the modes 1 to 10 [E104]");
  expect("scene=chain nodes=10 ends=free_free initial_mode=10", false,
         "case:3:1: error: initial_mode is 10, but a free_free chain of 10 masses has the modes 1 to 9 [E104]");
  expect("scene=chain nodes=10 ends=fixed_free initial_mode=10", true, NULL);
}

static void springs_that_do_nothing(void **state)
{
  (void)state;
  expect("scene=rope stiffness=0", true, "case:3:1: warning: 15 of 15 springs have stiffness 0 and do nothing [W217]");
  expect("scene=cloth grid=1 stiffness_shear=0", true,
         "case:3:1: warning: 1 of 5 springs have stiffness 0 and do nothing [W217]");
}

static void vertices_without_springs(void **state)
{
  (void)state;
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

static void scenes_too_large(void **state)
{
  (void)state;
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

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(scenes_that_are_not_there),
                                     cmocka_unit_test(options_of_other_scenes),
                                     cmocka_unit_test(options_that_exclude_each_other),
                                     cmocka_unit_test(pins_that_do_not_fit),
                                     cmocka_unit_test(poses_that_have_no_direction),
                                     cmocka_unit_test(modes_that_a_chain_has_not),
                                     cmocka_unit_test(springs_that_do_nothing),
                                     cmocka_unit_test(vertices_without_springs),
                                     cmocka_unit_test(scenes_too_large)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
