/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes: positions, masses, pins, orders and counts of springs, defaults, as docs/model.md sections 1, 5, 7, 8 say. */
#include "tests/model/support.h"

#include <math.h>
#include <string.h>

#include "base/random.h"

static void expect_springs(const char *pairs, size_t count, const int32_t ends[][2])
{
  sb_pose     pose;
  sb_options *options = sb_test_scene(pairs, &pose);
  assert_int_equal(pose.springs, count);
  for (size_t s = 0; s < count; ++s) {
    assert_int_equal(pose.ends[2 * s], ends[s][0]);
    assert_int_equal(pose.ends[2 * s + 1], ends[s][1]);
  }
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void springs_come_in_the_stated_order(void)
{
  static const int32_t structural[][2] = {{0, 1}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4},
                                          {3, 6}, {4, 5}, {4, 7}, {5, 8}, {6, 7}, {7, 8}};
  static const int32_t triangulated[][2] = {{0, 1}, {0, 3}, {1, 3}, {1, 2}, {1, 4}, {2, 4}, {2, 5}, {3, 4},
                                            {3, 6}, {4, 6}, {4, 5}, {4, 7}, {5, 7}, {5, 8}, {6, 7}, {7, 8}};
  static const int32_t alternating[][2] = {{0, 1}, {0, 3}, {1, 3}, {1, 2}, {1, 4}, {1, 5}, {2, 5}, {3, 4},
                                           {3, 6}, {3, 7}, {4, 5}, {4, 7}, {5, 7}, {5, 8}, {6, 7}, {7, 8}};
  static const int32_t all[][2] = {{0, 1}, {0, 3}, {0, 4}, {1, 3}, {0, 2}, {0, 6}, {1, 2}, {1, 4}, {1, 5},
                                   {2, 4}, {1, 7}, {2, 5}, {2, 8}, {3, 4}, {3, 6}, {3, 7}, {4, 6}, {3, 5},
                                   {4, 5}, {4, 7}, {4, 8}, {5, 7}, {5, 8}, {6, 7}, {6, 8}, {7, 8}};
  static const int32_t chain[][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 4}};
  expect_springs("scene=cloth grid=2 springs=structural", 12, structural);
  expect_springs("scene=cloth grid=2", 16, triangulated);
  expect_springs("scene=cloth grid=2 springs=alternating", 16, alternating);
  expect_springs("scene=cloth grid=2 springs=crossed+bending", 26, all);
  expect_springs("scene=rope nodes=5", 4, chain);
  expect_springs("scene=chain nodes=3", 4, chain);
}

static size_t count_springs(const char *scene, const char *pattern, int grid)
{
  char    pairs[128];
  sb_pose pose;
  snprintf(pairs, sizeof pairs, "scene=%s grid=%d springs=%s", scene, grid, pattern);
  sb_options  *options = sb_test_scene(pairs, &pose);
  const size_t count = pose.springs;
  assert_int_equal(pose.vertices, (grid + 1) * (grid + 1));
  assert_int_equal(pose.triangles, 2 * grid * grid);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  return count;
}

static void patterns_have_the_stated_numbers(void)
{
  for (int grid = 1; grid <= 5; ++grid) {
    const int n = grid + 1, edges = 2 * n * (n - 1), cells = (n - 1) * (n - 1), bending = 2 * n * (n - 2);
    assert_int_equal(count_springs("cloth", "structural", grid), edges);
    assert_int_equal(count_springs("cloth", "triangulated", grid), edges + cells);
    assert_int_equal(count_springs("cloth", "alternating", grid), edges + cells);
    assert_int_equal(count_springs("cloth", "crossed", grid), edges + 2 * cells);
    assert_int_equal(count_springs("cloth", "structural+bending", grid), edges + bending);
    assert_int_equal(count_springs("cloth", "triangulated+bending", grid), edges + cells + bending);
    assert_int_equal(count_springs("cloth", "crossed+bending", grid), edges + 2 * cells + bending);
  }
  assert_int_equal(count_springs("curtain", "alternating+bending", 80), 32158);
}

/* Springs no longer than a cell's diagonal are the edges that the triangles show. */
static void triangles_are_cut_along_the_springs(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=curtain grid=3 springs=alternating", &pose);
  size_t      edges = 0;
  for (size_t t = 0; t < pose.triangles; ++t) {
    const int32_t *v = pose.triangle + 3 * t;
    const double  *a = pose.position + 3 * v[0], *b = pose.position + 3 * v[1], *c = pose.position + 3 * v[2];
    assert_within((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), 1.0 / 9.0, 1e-15);
    for (int side = 0; side < 3; ++side)
      for (size_t s = 0; s < pose.springs; ++s) {
        const int32_t p = v[side], q = v[(side + 1) % 3];
        edges += (pose.ends[2 * s] == p && pose.ends[2 * s + 1] == q) ||
                 (pose.ends[2 * s] == q && pose.ends[2 * s + 1] == p);
      }
  }
  assert_int_equal(edges, 3 * pose.triangles);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void rope_hangs_from_the_first(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=rope", &pose);
  assert_int_equal(pose.vertices, 16);
  assert_int_equal(pose.springs, 15);
  assert_true(pose.planar);
  for (size_t i = 0; i < 16; ++i) {
    assert_within(pose.position[3 * i], -400.0 / 15.0 * (double)i, 1e-12);
    assert_true(pose.position[3 * i + 1] == 200.0 && pose.position[3 * i + 2] == 0.0);
    assert_true(pose.mass[i] == 1.0 && pose.pinned[i] == (i == 0));
  }
  for (size_t s = 0; s < 15; ++s) {
    assert_true(pose.stiffness[s] == 100.0);
    assert_within(pose.rest_length[s], 400.0 / 15.0, 1e-12);
  }
  assert_int_equal(SB_INTEGER(options, substeps), 64);
  assert_int_equal(SB_INTEGER(options, frames), 100);
  assert_true(SB_REAL(options, frame_seconds) == 1.0 && !SB_HAS(options, h) && !SB_HAS(options, total_mass));
  assert_true(SB_VECTOR(options, gravity)[1] == -1.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

/* Also off the plane, where noise has three directions. */
static void a_rope_lies_between_its_ends(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=rope nodes=5 rope_from=[1,2,3] rope_to=[9,-2,3]", &pose);
  assert_true(pose.planar);
  for (size_t i = 0; i < 5; ++i) {
    assert_within(pose.position[3 * i], 1 + 2 * (double)i, 1e-14);
    assert_within(pose.position[3 * i + 1], 2 - (double)i, 1e-14);
    assert_true(pose.position[3 * i + 2] == 3);
  }
  for (size_t s = 0; s < 4; ++s) assert_within(pose.rest_length[s], sqrt(5), 1e-14);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  options = sb_test_scene("scene=rope nodes=5 rope_to=[0,200,-7] perturbation=0.1", &pose);
  assert_true(!pose.planar && pose.position[14] != -7 && fabs(pose.position[14] + 7) < 0.1);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void cloth_lies_on_its_square(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=cloth grid=4", &pose);
  double      total = 0.0;
  for (int j = 0; j <= 4; ++j)
    for (int i = 0; i <= 4; ++i) {
      const int id = 5 * j + i;
      assert_true(pose.position[3 * id] == -1.0 + 0.5 * i && pose.position[3 * id + 1] == -1.0 + 0.5 * j);
      assert_true(pose.position[3 * id + 2] == 0.0);
      assert_true(pose.pinned[id] == (id == 0 || id == 4));
      total += pose.mass[id];
    }
  assert_within(total, 1.0, 1e-15);
  assert_true(!pose.planar && pose.stiffness[0] == 1000.0);
  assert_true(SB_REAL(options, h) == 0.001 && SB_REAL(options, duration) == 1.0);
  assert_true(SB_VECTOR(options, gravity)[2] == -9.8);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void curtain_derives_its_stiffness(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=curtain", &pose);
  assert_int_equal(pose.vertices, 441);
  assert_true(pose.position[3 * 440] == 1.0 && pose.position[3 * 440 + 1] == 1.0);
  assert_true(SB_REAL(options, stiffness) == 300.0 && pose.stiffness[7] == 300.0);
  assert_int_equal(sb_options_origin(options, SB_ID(stiffness)), SB_FROM_SCENE);
  assert_true(SB_REAL(options, h) == 1.0 / 30.0);
  sb_pose_clear(&pose);
  /* Resolved again after a change, the derived value follows. */
  sb_options_set(options, SB_ID(grid), "80", SB_FROM_USER, (sb_location){0}, NULL);
  assert_true(sb_scene_apply_defaults(options, NULL));
  assert_string_equal(SB_TEXT(options, stiffness), "1200");
  sb_options_set(options, SB_ID(young), "9", SB_FROM_USER, (sb_location){0}, NULL);
  assert_true(sb_scene_apply_defaults(options, NULL));
  assert_false(SB_HAS(options, stiffness));
  sb_options_destroy(&options);
  options = sb_test_scene("scene=curtain stiffness=7", &pose);
  assert_true(pose.stiffness[0] == 7.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void families_have_their_stiffness(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene(
      "scene=cloth grid=3 springs=crossed+bending stiffness=5 stiffness_shear=6 stiffness_bending=7", &pose);
  for (size_t s = 0; s < pose.springs; ++s) {
    assert_true(pose.stiffness[s] == 5.0 + pose.kind[s]);
    const double lengths[] = {2.0 / 3.0, 2.0 * sqrt(2.0) / 3.0, 4.0 / 3.0};
    assert_within(pose.rest_length[s], lengths[pose.kind[s]], 1e-15);
  }
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  options = sb_test_scene("scene=cloth grid=3 springs=crossed+bending stiffness_shear=6", &pose);
  for (size_t s = 0; s < pose.springs; ++s) assert_true(pose.stiffness[s] == (pose.kind[s] == SB_SHEAR ? 6.0 : 1000.0));
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void given_options_replace_those_they_exclude(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=cloth grid=3 springs=crossed+bending young=12 vertex_mass=3", &pose);
  assert_false(SB_HAS(options, stiffness) || SB_HAS(options, total_mass));
  for (size_t s = 0; s < pose.springs; ++s) assert_within(pose.stiffness[s] * pose.rest_length[s], 12.0, 1e-14);
  assert_true(pose.mass[5] == 3.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  options = sb_test_scene("scene=rope nodes=4 total_mass=2", &pose);
  assert_true(!SB_HAS(options, vertex_mass) && pose.mass[0] == 0.5 && pose.mass[3] == 0.5);
  sb_pose_clear(&pose);
  /* Given after the scene's values were set, they replace these too. */
  assert_true(SB_HAS(options, stiffness));
  sb_options_set(options, SB_ID(young), "2", SB_FROM_USER, (sb_location){0}, NULL);
  assert_true(sb_scene_apply_defaults(options, NULL));
  assert_false(SB_HAS(options, stiffness));
  sb_options_destroy(&options);
}

static void oscillator_starts_displaced(void)
{
  sb_pose     pose;
  sb_options *options = sb_test_scene("scene=oscillator amplitude=0.25 initial_velocity=[1,2,3]", &pose);
  assert_true(pose.position[0] == 0.0 && pose.position[3] == 1.25 && pose.rest_length[0] == 1.0);
  assert_true(pose.stiffness[0] == 4.0 && pose.mass[1] == 1.0 && pose.pinned[0] && !pose.pinned[1]);
  assert_true(pose.velocity[0] == 0.0 && pose.velocity[3] == 1.0 && pose.velocity[5] == 3.0);
  assert_true(SB_VECTOR(options, gravity)[0] == 0.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

/* A chain started in mode j feels the force -omega_j^2 m u: the springs lie on a line, so they are linear. */
static void chains_start_in_their_modes(void)
{
  enum { N = 7 };
  const char *ends[] = {"fixed_fixed", "fixed_free", "free_free"};
  for (int e = 0; e < 3; ++e) {
    for (int mode = 1; mode <= (e == 2 ? N - 1 : N); ++mode) {
      char    pairs[128];
      sb_pose pose;
      snprintf(pairs, sizeof pairs, "scene=chain nodes=%d stiffness=3 ends=%s initial_mode=%d", N, ends[e], mode);
      sb_options  *options = sb_test_scene(pairs, &pose);
      const double pi = acos(-1.0),
                   angles[] = {mode * pi / (2 * (N + 1)), (2 * mode - 1) * pi / (2 * (2 * N + 1)), mode * pi / (2 * N)};
      const double square = 4.0 * 3.0 * sin(angles[e]) * sin(angles[e]);
      double       largest = 0.0;
      for (size_t i = 0; i < pose.vertices; ++i) {
        const double *x = pose.position, u = x[3 * i] - (double)i;
        double        force = 0.0;
        if (i > 0) force -= 3.0 * (x[3 * i] - x[3 * i - 3] - 1.0);
        if (i + 1 < pose.vertices) force += 3.0 * (x[3 * i + 3] - x[3 * i] - 1.0);
        if (!pose.pinned[i])
          assert_within(force, -square * u, 1e-13);
        else
          assert_true(u == 0.0);
        largest = fmax(largest, fabs(u));
      }
      assert_true(largest > 0.0086 && largest < 0.01 + 1e-14); /* sampled at sixths of a wave: sin(pi/3) */
      sb_pose_clear(&pose);
      sb_options_destroy(&options);
    }
  }
}

/* Two masses in turn: the force is -omega^2 m u with the same omega at every mass, and omega is that of the branch. */
static void chains_of_two_masses_start_in_their_modes(void)
{
  for (int n = 6; n <= 7; ++n) {
    for (int mode = 1; mode <= n; ++mode) {
      char    pairs[128];
      sb_pose pose;
      snprintf(pairs, sizeof pairs, "scene=chain nodes=%d stiffness=3 vertex_mass=2 second_mass=5 initial_mode=%d", n,
               mode);
      sb_options  *options = sb_test_scene(pairs, &pose);
      const double q = acos(-1.0) * mode / (n + 1), sum = 0.5 + 0.2;
      const double root = sqrt(sum * sum - 4 * sin(q) * sin(q) / 10);
      const double square = 2 * mode == n + 1 ? 3 * 2 / 2.0 : 3 * (2 * mode <= n ? sum - root : sum + root);
      double       largest = 0;
      for (size_t i = 1; i + 1 < pose.vertices; ++i) {
        const double *x = pose.position, u = x[3 * i] - (double)i;
        assert_true(pose.mass[i] == (i % 2 ? 2 : 5));
        assert_within(3 * (x[3 * i + 3] - 2 * x[3 * i] + x[3 * i - 3]), -square * pose.mass[i] * u, 1e-13);
        largest = fmax(largest, fabs(u));
      }
      assert_true(largest > 0.003);
      sb_pose_clear(&pose);
      sb_options_destroy(&options);
    }
  }
}

static void perturbation_is_the_counted_noise(void)
{
  sb_pose     still, noisy;
  sb_options *options = sb_test_scene("scene=cloth grid=3 seed=5", &still);
  sb_options_destroy(&options);
  options = sb_test_scene("scene=cloth grid=3 seed=5 perturbation=0.01", &noisy);
  for (size_t i = 0; i < still.vertices; ++i)
    for (size_t c = 0; c < 3; ++c) {
      const double noise = still.pinned[i] ? 0.0 : 0.01 * (2.0 * sb_random_unit(5, 3 * i + c) - 1.0);
      assert_true(noisy.position[3 * i + c] == still.position[3 * i + c] + noise);
    }
  assert_memory_equal(still.rest_length, noisy.rest_length, still.springs * sizeof *still.rest_length);
  sb_pose_clear(&noisy);
  sb_options_destroy(&options);
  /* The same in shortest springs: 0.01 and a tenth of the least of the rest lengths. */
  options = sb_test_scene("scene=cloth grid=3 seed=5 perturbation=0.01 relative_perturbation=0.1", &noisy);
  double shortest = noisy.rest_length[0];
  for (size_t s = 0; s < noisy.springs; ++s) shortest = fmin(shortest, noisy.rest_length[s]);
  for (size_t i = 0; i < noisy.vertices; ++i)
    for (size_t c = 0; c < 3; ++c) {
      const double noise = (0.01 + 0.1 * shortest) * (2.0 * sb_random_unit(5, 3 * i + c) - 1.0);
      if (!noisy.pinned[i]) assert_true(fabs(noisy.position[3 * i + c] - still.position[3 * i + c] - noise) < 1e-15);
    }
  sb_pose_clear(&noisy);
  sb_pose_clear(&still);
  sb_options_destroy(&options);
  options = sb_test_scene("scene=rope perturbation=1", &noisy); /* planar: z stays */
  for (size_t i = 1; i < noisy.vertices; ++i)
    assert_true(noisy.position[3 * i + 1] != 200.0 && noisy.position[3 * i + 2] == 0.0);
  sb_pose_clear(&noisy);
  sb_options_destroy(&options);
}

/* A scene knows the number of its vertices, or free particles, without being built. */
static void assert_counted(const sb_scene *scene, const sb_options *options, const sb_pose *pose)
{
  size_t count = 0;
  for (size_t v = 0; v < pose->vertices; ++v) count += !scene->particles || !pose->pinned[v];
  assert_non_null(scene->vertices);
  assert_true(sb_scene_vertices(options) == (double)count);
}

/* Every entry of the list builds from its own defaults, which are then in the resolved set. */
static void every_scene_builds_from_its_defaults(void)
{
  assert_true(sb_scene_count() >= 9);
  for (size_t i = 0; i < sb_scene_count(); ++i) {
    const sb_scene *scene = sb_scene_at(i);
    char            pairs[64];
    sb_pose         pose;
    assert_ptr_equal(sb_scene_find(scene->name), scene);
    assert_true(strlen(scene->summary) > 0 && strlen(scene->origin) > 0);
    if (strcmp(scene->name, "mesh") == 0 || scene->from_arrays) continue; /* need a file, or arrays */
    snprintf(pairs, sizeof pairs, "scene=%s", scene->name);
    sb_options *options = sb_test_scene(pairs, &pose);
    assert_true(pose.vertices > 0 && (pose.springs > 0) == !scene->particles);
    assert_true(SB_HAS(options, gravity) && SB_HAS(options, pins));
    assert_true(scene->particles || SB_HAS(options, stiffness) || SB_HAS(options, young));
    assert_counted(scene, options, &pose);
    for (size_t v = 0; v < pose.vertices; ++v) assert_true(pose.mass[v] > 0.0);
    for (size_t s = 0; s < pose.springs; ++s) assert_true(pose.rest_length[s] > 0.0 && pose.stiffness[s] > 0.0);
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
  assert_null(sb_scene_find("tapestry"));
}

static void scenes_count_their_vertices(void)
{
  static const char *const cases[] = {"scene=bar grid=3",           "scene=sphere subdivisions=2",
                                      "scene=rope nodes=7",         "scene=cloth grid=5",
                                      "scene=chain ends=free_free", "scene=chain ends=fixed_free nodes=4",
                                      "scene=column spacing=1/16",  "scene=column dimensions=3 breadth=0.4"};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_pose     pose;
    sb_options *options = sb_test_scene(cases[i], &pose);
    assert_counted(sb_scene_find(SB_TEXT(options, scene)), options, &pose);
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

TEST_MAIN(springs_come_in_the_stated_order, patterns_have_the_stated_numbers, triangles_are_cut_along_the_springs,
          rope_hangs_from_the_first, a_rope_lies_between_its_ends, cloth_lies_on_its_square,
          curtain_derives_its_stiffness, families_have_their_stiffness, given_options_replace_those_they_exclude,
          oscillator_starts_displaced, chains_start_in_their_modes, chains_of_two_masses_start_in_their_modes,
          perturbation_is_the_counted_noise, every_scene_builds_from_its_defaults, scenes_count_their_vertices)
