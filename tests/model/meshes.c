/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh files: every format gives the same net, and the scene of a file answers for it. */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "tests/model/mesh_files.h"

/* The scene of a fixture; the caller clears the pose. */
static void build_fixture(const char *name, sb_pose *pose)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "scene=mesh mesh=fixtures/%s", name);
  sb_options *options = sb_test_scene(pairs, pose);
  sb_options_destroy(&options);
}

/* The same springs; places within `tolerance`. */
static void assert_same_net(const sb_pose *a, const sb_pose *b, double tolerance)
{
  assert_int_equal(a->vertices, b->vertices);
  assert_int_equal(a->springs, b->springs);
  for (size_t i = 0; i < 3 * a->vertices; ++i) assert_within(a->position[i], b->position[i], tolerance);
  assert_memory_equal(a->ends, b->ends, 2 * a->springs * sizeof *a->ends);
}

/* Two tetrahedra with a common face: nine edges, and six faces outside, in volumes and in surfaces. */
static void every_format_gives_the_same_net(void)
{
  static const char *const names[] = {"two.obj",           "two.node",          "two.tet",        "two.stl",
                                      "two_binary.stl",    "two.ply",           "two_little.ply", "two_big.ply",
                                      "two_22.msh",        "two_22_little.msh", "two_22_big.msh", "two_41.msh",
                                      "two_41_little.msh", "two_41_big.msh"};
  static const double      places[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0.75, 0.75, 0.875};
  static const int32_t     ends[18] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 1, 4, 2, 3, 2, 4, 3, 4};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    sb_pose pose;
    build_fixture(names[i], &pose);
    assert_int_equal(pose.vertices, 5);
    assert_int_equal(pose.springs, 9);
    assert_int_equal(pose.triangles, 6);
    assert_memory_equal(pose.position, places, sizeof places);
    assert_memory_equal(pose.ends, ends, sizeof ends);
    assert_within(pose.rest_length[3], sqrt(2.0), 1e-15);
    assert_within(pose.mass[0], 0.2, 1e-16);
    assert_true(pose.pinned[0] && pose.pinned[2] && pose.pinned[3] && !pose.pinned[1] && !pose.pinned[4]);
    sb_pose_clear(&pose);
  }
}

/* Made by Gmsh from one geometry. It writes 16 digits in text, and STL in single precision. */
static void files_written_by_gmsh(void)
{
  static const char *const names[] = {"gmsh_41.msh", "gmsh_22_binary.msh", "gmsh_41_binary.msh"};
  static const double      tolerances[] = {0.0, 2e-16, 2e-16};
  sb_pose                  first, pose, binary;
  build_fixture("gmsh_22.msh", &first);
  assert_int_equal(first.vertices, 11);
  assert_int_equal(first.triangles, 18);
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    build_fixture(names[i], &pose);
    assert_same_net(&first, &pose, tolerances[i]);
    sb_pose_clear(&pose);
  }
  sb_pose_clear(&first);
  build_fixture("gmsh.stl", &pose);
  build_fixture("gmsh_binary.stl", &binary);
  assert_int_equal(pose.vertices, 11);
  assert_int_equal(pose.springs, 27); /* Euler: v - e + f = 2 */
  assert_same_net(&pose, &binary, 1e-7);
  sb_pose_clear(&pose);
  sb_pose_clear(&binary);
}

/* The answers of the scene, beyond those of the reader. */
static void expect(const char *pairs, bool good, const char *message)
{
  sb_options     *options = sb_test_options(pairs);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_pose         pose = {0};
  const bool      built = sb_scene_apply_defaults(options, diagnostics) && sb_scene_build(options, &pose, diagnostics);
  assert_non_null(sb_diagnostics_message(diagnostics, 0));
  assert_string_equal(sb_diagnostics_message(diagnostics, 0), message);
  assert_int_equal(built, good);
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

static void answers_of_the_scene(void)
{
  sb_pose pose;
  sb_write_text("coincident.obj", "v 0 0 0\nv 1 0 0\nv 1 0 0\nf 1 2 3\n");
  sb_write_text("isolated.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 5 5 5\nf 1 2 3 4\n");
  sb_write_text("mass.node", "3 3 1\n1 0 0 0 1\n2 1 0 0 2\n3 0 1 0 4\n");
  sb_write_text("mass.ele", "1 3\n1 1 2 3\n");
  expect("scene=mesh", false, "case:3:1: error: scene 'mesh' needs a file; give mesh=FILE [E106]");
  expect("scene=mesh mesh=mass.node mesh_mass=1 vertex_mass=2", false,
         "case:3:1: error: options 'mesh_mass' and 'vertex_mass' exclude each other; give one of them [E106]");
  expect("scene=mesh mesh=isolated.obj", true, "case:3:1: warning: 1 of 5 vertices have no spring [W207]");
  sb_options *options = sb_test_scene("scene=mesh mesh=mass.node mesh_mass=1 young=3", &pose);
  assert_true(pose.mass[0] == 1.0 && pose.mass[1] == 2.0 && pose.mass[2] == 4.0);
  assert_within(pose.stiffness[2] * pose.rest_length[2], 3.0, 1e-15);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  options = sb_test_options("scene=mesh mesh=coincident.obj");
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  assert_true(sb_scene_apply_defaults(options, diagnostics));
  assert_false(sb_scene_build(options, &pose, diagnostics));
  assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), "[E204]"));
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

/* Faces that share places but not vertices fall apart; parts that have a pin each do not. */
static void parts_without_a_pin(void)
{
#define PARTS                                                                                                          \
  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nf 1 2 3\nf 6 5 4\nf 9 8 7\n"
  static const char told[] =
      "case:3:1: warning: springs join the net to 3 separate parts, and %d of them have no pinned vertex, first that "
      "of "
      "vertex %d; nothing holds them. If this is not intended, give faces common vertices, or pins [W221]";
  static const struct {
    const char *pins;
    int         loose, first;
  } rows[] = {{"first", 2, 3}, {"none", 3, 0}, {"[3,8]", 1, 0}, {"[4,7]", 1, 0}, {"[0,8]", 1, 3}, {"[0,5,6]", 0, 0}};
  sb_write_text("parts.obj", PARTS);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    char message[300], pairs[80];
    snprintf(message, sizeof message, told, rows[i].loose, rows[i].first);
    snprintf(pairs, sizeof pairs, "scene=mesh mesh=parts.obj pins=%s", rows[i].pins);
    sb_options     *options = sb_test_options(pairs);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    sb_pose         pose = {0};
    assert_true(sb_scene_apply_defaults(options, diagnostics) && sb_scene_build(options, &pose, diagnostics));
    const char *given = sb_diagnostics_message(diagnostics, 0);
    if (rows[i].loose == 0) assert_null(given);
    if (rows[i].loose > 0) assert_string_equal(given ? given : "nothing", message);
    sb_pose_clear(&pose);
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

typedef struct {
  const char *name, *text, *message;
  size_t      triangles, springs;
} warned_file;

/* Each file is read with one warning. */
static void expect_warned(const warned_file *files, size_t count, const char *more)
{
  for (size_t i = 0; i < count; ++i) {
    char    pairs[96];
    sb_pose pose;
    sb_write_text(files[i].name, files[i].text);
    snprintf(pairs, sizeof pairs, "scene=mesh mesh=%s%s", files[i].name, more);
    expect(pairs, true, files[i].message);
    sb_options *options = sb_test_scene(pairs, &pose);
    assert_int_equal(pose.triangles, files[i].triangles);
    assert_int_equal(pose.springs, files[i].springs);
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

/* On request triangles and cells with a vertex twice are left out, and larger faces lose that corner. */
static void degenerate_faces_are_left_out(void)
{
  static const warned_file files[] = {
      {"cut.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 1 2 2\nf 3 1 3\nf 4 4 4\nf 2 4 4 3\nf 3 1 1 3\n",
       "cut.obj: warning: faces and cells with a vertex twice were left out or cut: 5 [W219]", 2, 5},
      {"cut.stl",
       "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
       "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid\n",
       "cut.stl: warning: faces and cells with a vertex twice were left out or cut: 1 [W219]", 1, 3},
      {"cut.tet", "tet 4 2\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 3\n0 1 2 2\n",
       "cut.tet: warning: faces and cells with a vertex twice were left out or cut: 1 [W219]", 4, 6},
  };
  expect_warned(files, sizeof files / sizeof *files, " pins=first skip_degenerate=true");
}

/* A face that a file repeats counts once, for any first corner and either orientation; so does a cell. */
static void repeated_faces_count_once(void)
{
  static const warned_file files[] = {
      {"quad.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 4 3\nf 3 4 2 1\nf 4 3 1 2\n",
       "quad.obj: warning: 4 of 6 triangles repeat the corners of an earlier one and were dropped "
       "[W219]",
       2, 4},
      {"two.ply",
       "ply\nformat ascii 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty double z\n"
       "element face 2\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n3 0 2 1\n",
       "two.ply: warning: 1 of 2 triangles repeat the corners of an earlier one and were dropped "
       "[W219]",
       1, 3},
      {"two.stl",
       "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
       "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 1 0\nvertex 1 0 0\nendloop\nendfacet\nendsolid\n",
       "two.stl: warning: 1 of 2 triangles repeat the corners of an earlier one and were dropped "
       "[W219]",
       1, 3},
      {"groups.msh",
       "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n$EndNodes\n"
       "$Elements\n2\n1 3 2 1 1 1 2 3 4\n2 3 2 2 1 2 3 4 1\n$EndElements\n",
       "groups.msh: warning: 2 of 4 triangles repeat the corners of an earlier one and were dropped "
       "[W219]",
       2, 4},
      {"two.tet", "tet 4 2\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 3\n3 1 2 0\n",
       "two.tet: warning: 1 of 2 tetrahedra repeat the corners of an earlier one and were dropped "
       "[W219]",
       4, 6},
  };
  expect_warned(files, sizeof files / sizeof *files, "");
}

/* A decimal comma in the locale changes nothing. */
static void numbers_in_any_locale(void)
{
  sb_pose pose;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE")) skip();
  build_fixture("two.obj", &pose);
  assert_within(pose.position[14], 0.875, 0.0);
  sb_pose_clear(&pose);
  setlocale(LC_NUMERIC, "C");
}

/* The tests are started in the folder of the fixtures. */
static int enter_directory(void **state)
{
  SB_OWNED char *here = getcwd(NULL, 0);
  return sb_enter_directory(state) == 0 && symlink(here, "fixtures") == 0 ? 0 : -1;
}

int main(void)
{
  return RUN_TESTS_WITHIN(enter_directory, sb_remove_directory, every_format_gives_the_same_net, files_written_by_gmsh,
                          answers_of_the_scene, repeated_faces_count_once, degenerate_faces_are_left_out,
                          parts_without_a_pin, numbers_in_any_locale);
}
