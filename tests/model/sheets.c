/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of all sheets, and pins: extent, named sets of vertices, and the defaults of `square`. */
#include "tests/model/support.h"

#include <math.h>
#include <string.h>

static void expect_pins(const char *pairs, size_t count, const size_t *numbers)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene(pairs, &pose);
  size_t      pinned = 0;
  for (size_t i = 0; i < pose.vertices; ++i) pinned += pose.pinned[i];
  assert_int_equal(pinned, count);
  for (size_t i = 0; i < count; ++i) assert_true(pose.pinned[numbers[i]]);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void pins_are_where_they_are_named(void)
{
  expect_pins("scene=cloth grid=3 pins=none", 0, NULL);
  expect_pins("scene=cloth grid=3 pins=first", 1, (size_t[]){0});
  expect_pins("scene=cloth grid=3", 2, (size_t[]){0, 3});
  expect_pins("scene=cloth grid=3 pins=corner1", 1, (size_t[]){0});
  expect_pins("scene=cloth grid=3 pins=diagonal2", 2, (size_t[]){0, 15});
  expect_pins("scene=cloth grid=3 pins=corners4", 4, (size_t[]){0, 3, 12, 15});
  expect_pins("scene=cloth grid=3 pins=edge_midpoint", 1, (size_t[]){1});
  expect_pins("scene=cloth grid=4 pins=edge_midpoint", 1, (size_t[]){2});
  expect_pins("scene=cloth grid=3 pins=first_edge", 4, (size_t[]){0, 1, 2, 3});
  expect_pins("scene=cloth grid=3 pins=[15,2,4:6]", 5, (size_t[]){15, 2, 4, 5, 6});
  expect_pins("scene=cloth_on_sphere grid=3 pins=diagonal2", 2, (size_t[]){0, 15});
  expect_pins("scene=chain nodes=4", 2, (size_t[]){0, 5});
  expect_pins("scene=chain nodes=4 ends=fixed_free", 1, (size_t[]){0});
  expect_pins("scene=chain nodes=4 ends=free_free", 0, NULL);
  expect_pins("scene=chain nodes=4 ends=free_free pins=first", 1, (size_t[]){0});
  expect_pins("scene=chain nodes=4 pins=[0,2]", 3, (size_t[]){0, 2, 5});
}

static void least_x_is_pinned_in_every_net(void)
{
  expect_pins("scene=cloth grid=3 pins=min_x", 4, (size_t[]){0, 4, 8, 12});
  expect_pins("scene=square grid=2 pins=min_x", 3, (size_t[]){0, 3, 6});
  expect_pins("scene=curtain grid=2 pins=min_x perturbation=0.1", 3, (size_t[]){0, 3, 6});
  expect_pins("scene=rope nodes=4 pins=min_x", 1, (size_t[]){3});
  expect_pins("scene=bar grid=1", 4, (size_t[]){0, 6, 12, 18});
  expect_pins("scene=sphere subdivisions=0 pins=min_x", 2, (size_t[]){8, 10});
  sb_arena *arena = sb_arena_create();
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    const char *sets = sb_scene_pin_sets(sb_scene_at(i), arena);
    const bool  net = !sb_scene_at(i)->particles; /* walls of particles stand by themselves */
    assert_true((strstr(sets, "none first") != NULL) == net);
    assert_true((strstr(sets, "min_x") != NULL) == net);
  }
  sb_arena_destroy(&arena);
}

/* The sheet of square has vertex i + 3 j at (i/2, j/2); its bar is in three dimensions. */
static void pins_by_place(void)
{
  expect_pins("scene=square grid=2 pins=max_x", 3, (size_t[]){2, 5, 8});
  expect_pins("scene=square grid=2 pins=min_y", 3, (size_t[]){0, 1, 2});
  expect_pins("scene=square grid=2 pins=max_y", 3, (size_t[]){6, 7, 8});
  expect_pins("scene=bar grid=1 pins=max_z", 12, (size_t[]){12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23});
  expect_pins("scene=square grid=2 pins=near pin_near=[0.9,0.6,5]", 1, (size_t[]){5});
  expect_pins("scene=square grid=2 pins=near pin_near=[0.25,0,0]", 1, (size_t[]){0});
  expect_pins("scene=square grid=2 pins=box pin_from=[0.5,-1,0] pin_to=[1,0.5,0]", 4, (size_t[]){1, 2, 4, 5});
}

/* Corners at lowest + extent {0, 1}; springs as long as the extent makes them. */
static void expect_sheet(const char *scene, double extent, double lowest)
{
  char    pairs[96];
  sb_pose pose;
  snprintf(pairs, sizeof pairs, "scene=%s grid=4 extent=%g", scene, extent);
  sb_options *options = sb_test_scene(pairs, &pose);
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 4; ++i) {
      const double *p = pose.position + 3 * (5 * j + i);
      assert_within(p[0], lowest + extent * i / 4.0, 1e-15 * extent);
      assert_within(p[1], lowest + extent * j / 4.0, 1e-15 * extent);
      assert_true(p[2] == 0.0);
    }
  assert_within(pose.rest_length[0], extent / 4.0, 1e-15 * extent);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void extents_scale_sheets(void)
{
  expect_sheet("cloth", 3.0, -1.5);
  expect_sheet("cloth", 2.0, -1.0);
  expect_sheet("curtain", 0.3, 0.0);
  expect_sheet("square", 1.0, 0.0);
  expect_sheet("square", 1e6, 0.0);
}

static void square_has_the_stated_defaults(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=square", &pose);
  assert_int_equal(pose.vertices, 441);
  assert_int_equal(pose.springs, 2 * 21 * 20 + 400);
  assert_true(pose.mass[7] == 1.0 && pose.stiffness[9] == 1e5 && pose.pinned[0] && pose.pinned[20]);
  assert_true(pose.position[3 * 440] == 1.0 && pose.position[3 * 440 + 1] == 1.0);
  assert_true(SB_REAL(options, h) == 0.01 && SB_REAL(options, duration) == 1.0);
  assert_true(SB_VECTOR(options, gravity)[2] == -9.8 && SB_IS(options, springs, "triangulated"));
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

/* Stiffnesses in the order of springs.def's crossed+bending: along x and y, both diagonals, two apart along x and y. */
static void expect_directions(const char *given, const double expected[6])
{
  char    pairs[160];
  sb_pose pose;
  snprintf(pairs, sizeof pairs, "scene=cloth grid=2 springs=crossed+bending stiffness=1 %s", given);
  sb_options *options = sb_test_scene(pairs, &pose);
  for (size_t s = 0; s < 6; ++s) assert_true(pose.stiffness[s] == expected[s]);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void springs_have_the_stiffness_of_their_direction(void)
{
  expect_directions("stiffness_warp=2", (double[]){2, 1, 1, 1, 2, 1});
  expect_directions("stiffness_weft=3", (double[]){1, 3, 1, 1, 1, 3});
  expect_directions("stiffness_bias=4", (double[]){1, 1, 4, 4, 1, 1});
  expect_directions("stiffness_warp=2 stiffness_weft=3 stiffness_shear=5 stiffness_bending=6",
                    (double[]){2, 3, 5, 5, 6, 6});
}

/* Sheets about the origin have their centre of mass there, and their mirror images to the bit. */
static void sheets_are_symmetric(void)
{
  for (int grid = 1; grid <= 12; ++grid) {
    char    pairs[64];
    sb_pose pose;
    snprintf(pairs, sizeof pairs, "scene=cloth grid=%d springs=crossed+bending pins=none", grid);
    sb_options *options = sb_test_scene(pairs, &pose);
    double      moment[2] = {0.0, 0.0};
    for (int i = 0; i < (int)pose.vertices; ++i) {
      const int side = grid + 1, mirror = i / side * side + grid - i % side;
      assert_true(pose.position[3 * i] == -pose.position[3 * mirror]);
      moment[0] += pose.mass[i] * pose.position[3 * i];
      moment[1] += pose.mass[i] * pose.position[3 * i + 1];
    }
    assert_within(moment[0], 0.0, 1e-15);
    assert_within(moment[1], 0.0, 1e-15);
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

static void alone(void *context, int count, double *values)
{
  (void)context;
  (void)count;
  (void)values;
}

typedef struct {
  size_t vertices, springs, triangles; /* of the slabs before */
} seen;

/* The next slab: what it owns follows what those before own, and all that it has is as in the whole net. */
static void expect_slab(const sb_pose *whole, const sb_pose *pose, seen *before)
{
  const sb_slab *slab = &pose->slab;
  const size_t   v = slab->first_vertex, s = slab->first_spring, t = slab->first_triangle;
  assert_true(slab->vertices == whole->vertices && slab->springs == whole->springs);
  assert_true(slab->triangles == whole->triangles && t == before->triangles);
  assert_true(slab->own_vertices.count == 0 || v + slab->own_vertices.first == before->vertices);
  assert_true(slab->own_springs.count == 0 || s + slab->own_springs.first == before->springs);
  assert_memory_equal(pose->position, whole->position + 3 * v, 3 * pose->vertices * sizeof *pose->position);
  assert_memory_equal(pose->velocity, whole->velocity + 3 * v, 3 * pose->vertices * sizeof *pose->velocity);
  assert_memory_equal(pose->mass, whole->mass + v, pose->vertices * sizeof *pose->mass);
  assert_memory_equal(pose->pinned, whole->pinned + v, pose->vertices * sizeof *pose->pinned);
  for (size_t i = 0; i < pose->springs; ++i) {
    assert_true(pose->stiffness[i] == whole->stiffness[s + i] && pose->kind[i] == whole->kind[s + i]);
    assert_true(pose->rest_length[i] == whole->rest_length[s + i]);
    for (size_t e = 2 * i; e < 2 * i + 2; ++e) {
      assert_in_range(pose->ends[e], 0, pose->vertices - 1);
      assert_true((size_t)pose->ends[e] + v == (size_t)whole->ends[2 * s + e]);
    }
  }
  for (size_t c = 0; c < 3 * pose->triangles; ++c)
    assert_true((size_t)pose->triangle[c] + v == (size_t)whole->triangle[3 * t + c]);
  before->vertices += slab->own_vertices.count;
  before->springs += slab->own_springs.count;
  before->triangles += slab->own_triangles.count;
}

/* Every spring that touches a vertex of the slab is there. */
static void expect_all_springs(const sb_pose *whole, const sb_pose *pose)
{
  const size_t first = pose->slab.first_vertex + pose->slab.own_vertices.first, count = pose->slab.own_vertices.count;
  size_t       wanted = 0, found = 0;
  for (size_t s = 0; s < whole->springs; ++s)
    wanted += (size_t)whole->ends[2 * s] - first < count || (size_t)whole->ends[2 * s + 1] - first < count;
  for (size_t s = 0; s < pose->springs; ++s)
    found += (size_t)pose->ends[2 * s] - pose->slab.own_vertices.first < count ||
             (size_t)pose->ends[2 * s + 1] - pose->slab.own_vertices.first < count;
  assert_int_equal(found, wanted);
}

/* Also more slabs than vertices. */
static void slabs_are_parts_of_the_sheet(void)
{
  static const char *const pairs[] = {"scene=cloth grid=6 springs=crossed+bending perturbation=0.1 pins=[0,8,20:30]",
                                      "scene=square grid=5 pins=corners4",
                                      "scene=curtain grid=7 perturbation=0.01 pins=first_edge",
                                      "scene=cloth grid=4 springs=structural pins=diagonal2",
                                      "scene=cloth_on_sphere grid=6",
                                      "scene=square grid=1 springs=structural+bending"};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
    sb_pose         whole;
    sb_options     *options = sb_test_scene(pairs[k], &whole);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    for (size_t ranks = 2; ranks <= 9; ++ranks) {
      seen before = {0, 0, 0};
      for (size_t rank = 0; rank < ranks; ++rank) {
        const sb_team team = {rank, ranks, NULL, alone, alone};
        sb_pose       pose;
        assert_true(sb_scene_build_slab(options, &team, &pose, diagnostics));
        assert_ptr_equal(pose.slab.team, &team);
        expect_slab(&whole, &pose, &before);
        expect_all_springs(&whole, &pose);
        sb_pose_clear(&pose);
      }
      assert_true(before.vertices == whole.vertices && before.springs == whole.springs);
      assert_int_equal(before.triangles, whole.triangles);
    }
    sb_diagnostics_destroy(&diagnostics);
    sb_pose_clear(&whole);
    sb_options_destroy(&options);
  }
}

static void what_needs_the_whole_net_gets_it(void)
{
  static const char *const pairs[] = {"scene=cloth grid=4 wind=uniform:acceleration=[1,0,0]",
                                      "scene=cloth grid=4 merge_duplicates=true", "scene=rope nodes=9",
                                      "scene=cloth grid=4 pin_path=linear:velocity=[0,0,0.1]"};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
    sb_pose         whole, pose;
    sb_options     *options = sb_test_scene(pairs[k], &whole);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    const sb_team   team = {1, 2, NULL, alone, alone};
    assert_true(sb_scene_build_slab(options, &team, &pose, diagnostics));
    assert_null(pose.slab.team);
    assert_int_equal(pose.vertices, whole.vertices);
    assert_int_equal(pose.springs, whole.springs);
    sb_diagnostics_destroy(&diagnostics);
    sb_pose_clear(&pose);
    sb_pose_clear(&whole);
    sb_options_destroy(&options);
  }
}

TEST_MAIN(pins_are_where_they_are_named, least_x_is_pinned_in_every_net, pins_by_place, extents_scale_sheets,
          square_has_the_stated_defaults, springs_have_the_stiffness_of_their_direction, sheets_are_symmetric,
          slabs_are_parts_of_the_sheet, what_needs_the_whole_net_gets_it)
