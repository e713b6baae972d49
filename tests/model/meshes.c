/* Mesh files: every format gives the same net, and every bad file its answer, with the line or the byte. */
#include "model/mesh.h"

#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/mesh_format.h"
#include "tests/model/support.h"

/* The scene of a fixture; the caller clears the pose. */
static void build_fixture(const char *name, sb_pose *pose)
{
  char pairs[512];
  snprintf(pairs, sizeof pairs, "scene=mesh mesh=%s/%s", SB_MESH_FIXTURES, name);
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
static void every_format_gives_the_same_net(void **state)
{
  (void)state;
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
static void files_written_by_gmsh(void **state)
{
  (void)state;
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

static void write_file(const char *name, const char *bytes, size_t size)
{
  FILE *file = fopen(name, "w");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  assert_int_equal(fclose(file), 0);
}

static void write_text(const char *name, const char *text) { write_file(name, text, strlen(text)); }

/* Reads a file of the working directory; true when it was read, else *message is the complaint (caller frees). */
static bool try_read(const char *name, int64_t mass, sb_mesh *mesh, char **message)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const bool      good = sb_mesh_read(name, mass, (sb_location){"case", 3, 1}, mesh, diagnostics);
  assert_int_equal(sb_diagnostics_errors(diagnostics), good ? 0 : 1);
  *message = good ? NULL : strdup(sb_diagnostics_message(diagnostics, 0));
  sb_diagnostics_destroy(&diagnostics);
  return good;
}

static void accepts(const char *name, const char *text, size_t vertices, size_t lines, size_t triangles)
{
  sb_mesh mesh;
  char   *message;
  write_text(name, text);
  if (!try_read(name, 0, &mesh, &message)) fail_msg("%s", message);
  assert_int_equal(mesh.vertices, vertices);
  assert_int_equal(mesh.lines, lines);
  assert_int_equal(mesh.triangles, triangles);
  sb_mesh_clear(&mesh);
}

static void refuses(const char *name, const char *text, const char *expected)
{
  sb_mesh mesh;
  char   *message;
  write_text(name, text);
  assert_false(try_read(name, 0, &mesh, &message));
  assert_string_equal(message, expected);
  free(message);
  sb_mesh_clear(&mesh);
}

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void forms_of_obj(void **state)
{
  (void)state;
  accepts("m.obj", SQUARE "f 1 2 3 4\n", 4, 4, 2);
  accepts("m.obj", SQUARE "f -4 -3 -2\nl 1 3 4 2", 4, 6, 1);
  accepts("m.obj", "\xEF\xBB\xBF# mark\r\nv 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nf 1/1 2//2 3/-1/-1\r\n", 3, 3, 1);
  accepts("m.obj", SQUARE "f 1 2 \\\n 3 \\\r\n4\n", 4, 4, 2);
  accepts("m.obj", "# path C:\\\nv 0 0 0 1\n\n  v 1e0 -.5 +2. 0.1 0.2 0.3 # right\nl 1 2\n", 2, 1, 0);
  accepts("m.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 1 1 0\n", 3, 3, 1);
  accepts("m.obj", "mtllib a b\no thing\ng\nvn 0 0 1\nvt 0 0\ns off\nusemtl x\n" SQUARE "f 1 2 3", 4, 3, 1);
  accepts("m.obj", SQUARE "v 2 2 0\nf 1 2 3 4 5 2", 5, 6, 4); /* a hole's bridge: a corner that returns */
  accepts("M.OBJ", SQUARE "l 1 2", 4, 1, 0);
}

/* What is passed over goes on behind a joint too; a comment does not. */
static void joined_lines_of_obj(void **state)
{
  (void)state;
  accepts("m.obj", SQUARE "g a\\\nl 1 3\nl 1 2\n", 4, 1, 0);
  accepts("m.obj", SQUARE "# a\\\nl 1 3\nl 1 2\n", 4, 2, 0);
}

static void bad_obj(void **state)
{
  (void)state;
  refuses("m.obj", "", "m.obj:1: error: the file is empty [E200]");
  refuses("m.obj", "# only this\n\n", "m.obj: error: the file has no vertices [E200]");
  refuses("m.obj", SQUARE, "m.obj: error: the file has 4 vertices, but nothing that joins them [E200]");
  refuses("m.obj", "v 0 0 0\nv 1 0", "m.obj:2:6: error: the line ends before x, y and z [E200]");
  refuses("m.obj", SQUARE "f 1 2\n", "m.obj:5:6: error: the line ends before three vertices [E200]");
  refuses("m.obj", SQUARE "l 1\n", "m.obj:5:4: error: the line ends before two vertices [E200]");
  refuses("m.obj", SQUARE "f 1 2 0\n", "m.obj:5:7: error: there is no vertex 0; 4 stand before this line [E202]");
  refuses("m.obj", SQUARE "f 1 2 -5\n", "m.obj:5:7: error: there is no vertex -5; 4 stand before this line [E202]");
  refuses("m.obj", SQUARE "f 1 2 5\nf 1 2 6\nf 1 2 6", "m.obj:6:7: error: there is no vertex 6; the file has 4 [E202]");
  refuses("m.obj", SQUARE "f 1 2 99999999999999999999\n",
          "m.obj:5:7: error: there is no vertex 9223372036854775807; 4 stand before this line [E202]");
  refuses("m.obj", SQUARE "f 1 2 3.0\n", "m.obj:5:7: error: '3.0' is not an integer [E202]");
  refuses("m.obj", SQUARE "f 1 2 /3\n", "m.obj:5:7: error: '' is not an integer [E202]");
  refuses("m.obj", SQUARE "f 1 2 3/x\n", "m.obj:5:7: error: '3/x' is not of the form 1, 1/2, 1//3 or 1/2/3 [E202]");
  refuses("m.obj", SQUARE "f 1 1 2\n",
          "m.obj:5:8: error: an edge from a vertex to itself (number 0, counted from 0) [E202]");
  refuses("m.obj", "v 0 0 nan\n", "m.obj:1:7: error: nan is not a finite number [E203]");
  refuses("m.obj", "v 0 -Inf 0\n", "m.obj:1:5: error: -Inf is not a finite number [E203]");
  refuses("m.obj", "v 0 0 1e999\n", "m.obj:1:7: error: 1e999 overflows [E203]");
  refuses("m.obj", "v 0 -1.1e12 0\n", "m.obj:1:13: error: coordinate y = -1.1e+12 is beyond 1e12 [E203]");
  refuses("m.obj", "v 0 1,5 0\n", "m.obj:1:5: error: '1,5' is not a number [E102]");
  refuses("m.obj", "v 0 0x10 0\n", "m.obj:1:5: error: '0x10' is not a number [E102]");
  refuses("m.obj", "v 0 1-2 0\n", "m.obj:1:5: error: '1-2' is not a number [E102]");
  refuses("m.obj", "v 0 0 0 1 0 0 1 7\n", "m.obj:1:17: error: '7' is more than this line should have [E216]");
  refuses("m.obj", SQUARE "p 1\n", "m.obj:5:1: error: statement 'p' is not supported; v, f and l are [E216]");
  refuses("m.obj", SQUARE "curv\x1b[31m 0 1\n",
          "m.obj:5:1: error: statement 'curv?[31m' is not supported; v, f and l are [E216]");
  refuses("m.xyz", SQUARE,
          "case:3:1: error: 'm.xyz' has none of the extensions of mesh files: .obj, .ply, .stl, .msh, "
          ".node, .tet [E106]");
}

static void bad_bytes(void **state)
{
  (void)state;
  sb_mesh mesh;
  char   *message, *line = malloc(70000);
  write_file("m.obj", "v 0 0 0\nv 1\0 0 0\n", 17);
  assert_false(try_read("m.obj", 0, &mesh, &message));
  assert_string_equal(message, "m.obj:2: error: a NUL byte: this is not a text file [E110]");
  free(message);
  refuses("m.obj", "\x1f\x8b\x08", "m.obj:1: error: the file is compressed by gzip; unpack it [E216]");
  refuses("m.msh", "PK\x03\x04", "m.msh:1: error: the file is compressed by zip; unpack it [E216]");
  memset(line, '#', 69999);
  line[69999] = '\0';
  memcpy(line, "v 0 0 0\n", 8);
  refuses("m.obj", line, "m.obj:2: error: a line of 69991 bytes; at most 65536 are allowed [E110]");
  free(line);
}

static void files_that_cannot_be_read(void **state)
{
  (void)state;
  static const char *const names[][2] = {
      {"none.obj", "case:3:1: error: cannot read 'none.obj': No such file or directory [E100]"},
      {"folder.obj", "case:3:1: error: cannot read 'folder.obj': Is a directory [E100]"},
      {"pipe.obj", "case:3:1: error: cannot read 'pipe.obj': not a regular file [E100]"},
      {"null.obj", "case:3:1: error: cannot read 'null.obj': it is a device [E109]"},
      {"large.obj", "case:3:1: error: cannot read 'large.obj': it is larger than such a file may be [E100]"},
      {"lonely.node", "case:3:1: error: cannot read 'lonely.ele': No such file or directory [E100]"}};
  assert_int_equal(mkdir("folder.obj", 0700), 0);
  assert_int_equal(mkfifo("pipe.obj", 0600), 0);
  assert_int_equal(symlink("/dev/null", "null.obj"), 0);
  write_text("lonely.node", "1 3 0 0\n1 0 0 0\n");
  write_text("large.obj", "");
  assert_int_equal(truncate("large.obj", ((off_t)4 << 30) + 1), 0); /* a hole: takes no room */
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    sb_mesh mesh;
    char   *message;
    assert_false(try_read(names[i][0], 0, &mesh, &message));
    assert_string_equal(message, names[i][1]);
    free(message);
    sb_mesh_clear(&mesh);
  }
}

static void bad_tet(void **state)
{
  (void)state;
  accepts("m.tet", "# a\ntet 4 1\n0 0 0\n1 0 0 # b\n\n0 1 0\n0 0 1\n3 2 1 0", 4, 0, 0);
  refuses("m.tet", "tet 4 1", "m.tet:1:5: error: 4 vertices, but the rest of the file holds 2 bytes [E201]");
  refuses("m.tet", "tet 2147483648 1\n",
          "m.tet:1:5: error: 2147483648 vertices; at most 2147483647 are allowed [E201]");
  refuses("m.tet", "tet 9223372036854775808 1\n",
          "m.tet:1:5: error: 9223372036854775807 vertices; at most 2147483647 are allowed [E201]");
  refuses("m.tet", "tet -1 1\n", "m.tet:1:5: error: a negative number of vertices: -1 [E201]");
  refuses("m.tet", "net 4 1\n", "m.tet:1:1: error: the file does not start with the header 'tet n m' [E216]");
  refuses("m.tet", "tet 1\n0 0 0\n", "m.tet:1:6: error: the line ends before the number of tetrahedra [E200]");
  refuses("m.tet", "tet 2 0\n0.000 0.000 0.000\n",
          "m.tet:3:1: error: the file ends before the last vertex that the header promises [E200]");
  refuses("m.tet", "tet 1 0\n0 0 0\n0 0 0\n",
          "m.tet:3:1: error: the header promises 1 vertices and 0 tetrahedra, and this is one line more [E200]");
  refuses("m.tet", "tet 4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 4\n",
          "m.tet:6:7: error: there is no vertex 4; the file has 0 to 3 [E202]");
  refuses("m.tet", "tet 4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 0\n",
          "m.tet:6:8: error: a tetrahedron with a vertex twice (number 0, counted from 0) [E202]");
}

static void pairs_of_tetgen(void **state)
{
  (void)state;
  sb_mesh mesh;
  char   *message;
  write_text("m.ele", "# cells\n1\n0 0 1 2 3 # a\n");
  accepts("m.node", "4\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", 4, 0, 0);
  refuses("m.node", "3 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n",
          "m.ele:3:9: error: there is no vertex 3; the file has 0 to 2 [E202]");
  write_text("m.ele", "1 3 1\n1 1 2 3 -7.5\n");
  accepts("m.node", "3 2 1 1\n1 0 0 9 1\n2 1 0 9 1\n3 0 1 9 0\n", 3, 3, 1); /* Triangle's, in the plane */
  refuses("m.node", "1 4\n1 0 0 0 0\n", "m.node:1:4: error: vertices in 4 dimensions; 2 and 3 are supported [E216]");
  refuses("m.node", "2 3\n2 0 0 0\n3 0 0 1", "m.node:2:1: error: the first vertex has neither number 0 nor 1 [E202]");
  refuses("m.node", "2 3\n1 0 0 0\n3 0 0 1", "m.node:3:1: error: number 3 stands where 2 is due [E202]");
  refuses("m.node", "2 3 1\n1 0 0 0 1\n2 0 0 1", "m.node:3:8: error: the line ends before its attributes [E200]");
  write_text("m.ele", "1 3\n1 1 2 3\n1 1 2 3\n");
  refuses("m.node", "3 2\n1 0 0\n2 1 0\n3 0 1\n",
          "m.ele:3:1: error: the header promises 1 cells, and this is one line more [E200]");
  write_text("m.ele", "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n");
  refuses("m.node", "1\n1 0 0 0\n", "m.ele:1:7: error: cells of 10 corners; 3 and 4 are supported [E216]");
  write_text("m.ele", "1 3\n1 1 2 3\n");
  write_text("m.node", "3 3 2\n1 0 0 0 5 1\n2 1 0 0 5 2\n3 0 1 0 5 4\n");
  assert_true(try_read("m.node", 2, &mesh, &message));
  assert_true(mesh.mass[0] == 1.0 && mesh.mass[1] == 2.0 && mesh.mass[2] == 4.0);
  sb_mesh_clear(&mesh);
  assert_false(try_read("m.node", 3, &mesh, &message));
  assert_string_equal(message, "m.node:1:6: error: mesh_mass asks for attribute 3, but vertices have 2 [E106]");
  free(message);
  sb_mesh_clear(&mesh);
  write_text("m.node", "1 3 1\n1 0 0 0 0\n");
  assert_false(try_read("m.node", 1, &mesh, &message));
  assert_string_equal(message, "m.node:2:9: error: vertex mass 0 is out of range (0,1e12] [E211]");
  free(message);
  sb_mesh_clear(&mesh);
  assert_false(try_read("m.obj", 1, &mesh, &message));
  assert_string_equal(message, "case:3:1: error: 'm.obj' can hold no masses: mesh_mass is for .node files [E106]");
  free(message);
}

#define GMSH2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n7 0 1 0\n$EndNodes\n"

static void bad_gmsh(void **state)
{
  (void)state;
  accepts("m.msh", GMSH2 NODES2 "$Elements\n2\n1 2 0 1 2 7\n2 1 1 4 1 7\n$EndElements\n", 3, 4, 1);
  refuses("m.msh", "$Nodes\n", "m.msh:1:1: error: the file does not start with $MeshFormat [E216]");
  refuses("m.msh", "$MeshFormat\n1 0 8\n", "m.msh:2:1: error: version 1 is not supported; 2.2 and 4.1 are [E216]");
  refuses("m.msh", "$MeshFormat\n4 0 8\n", "m.msh:2:1: error: version 4 is not supported; 2.2 and 4.1 are [E216]");
  refuses("m.msh", "$MeshFormat\n4.1 0 4\n", "m.msh:2:7: error: numbers of 4 bytes; 8 are supported [E216]");
  refuses("m.msh", "$MeshFormat\n4.1 1 8\nabcd\n", "m.msh: error: at byte 20: a byte order that is neither [E216]");
  refuses("m.msh", GMSH2 "$Other\n1\n", "m.msh:6:1: error: the file ends before $EndOther [E200]");
  refuses("m.msh", GMSH2 "$Elements\n", "m.msh:4:1: error: $Elements before $Nodes [E216]");
  refuses("m.msh", GMSH2 NODES2 NODES2, "m.msh:10:1: error: a second section $Nodes [E216]");
  refuses("m.msh", GMSH2 "$Nodes\n100\n1 0 0 0\n",
          "m.msh:5:4: error: 100 nodes, but the rest of the file holds 9 bytes [E201]");
  refuses("m.msh", GMSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
          "m.msh:7:1: error: $EndNodes does not stand where its section says that it ends [E200]");
  refuses("m.msh", GMSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n",
          "m.msh:7:8: error: two nodes have the tag 1 [E202]");
  refuses("m.msh", GMSH2 "$Nodes\n1\n0 0 0 0\n$EndNodes\n",
          "m.msh:6:1: error: 0 is no tag of a node; they start at 1 [E202]");
  refuses("m.msh", GMSH2 NODES2 "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n",
          "m.msh:12:11: error: no node has the tag 3 [E202]");
  refuses("m.msh", GMSH2 NODES2 "$Elements\n1\n1 9 0 1 2 7 1 2 7\n$EndElements\n",
          "m.msh:12:3: error: element type 9 is not supported; straight lines, triangles, quadrangles, tetrahedra, "
          "hexahedra, prisms and pyramids are [E216]");
  refuses("m.msh", GMSH2 NODES2 "$Elements\n1\n1 2 -3 1 2 7\n$EndElements\n",
          "m.msh:12:5: error: a negative number of tags: -3 [E201]");
}

static void bad_gmsh_4(void **state)
{
  (void)state;
#define GMSH4  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
  accepts("m.msh", GMSH4 NODES4 "$Elements\n1 1 1 1\n2 1 2 1\n1 3 2 1\n$EndElements\n", 3, 3, 1);
  refuses("m.msh", GMSH4 "$Nodes\n1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
          "m.msh:10:6: error: the blocks have 1 nodes less than their section promises [E200]");
  refuses("m.msh", GMSH4 "$Nodes\n1 1 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
          "m.msh:6:7: error: a block of 2 nodes where 1 are left [E200]");
  refuses("m.msh", GMSH4 "$Nodes\n1 1 1 1\n9 1 1 1\n1\n0 0 0\n$EndNodes\n",
          "m.msh:6:8: error: an entity of dimension 9 [E202]");
  refuses("m.msh", GMSH4 NODES4 "$Elements\n1 4000000000 1 1\n",
          "m.msh:15:3: error: 4000000000 elements; at most 2147483647 are allowed [E201]");
}

/* Edges of the cells that have no tetrahedra: a cube, a prism and a pyramid have 12, 9 and 8. */
static void cells_of_gmsh(void **state)
{
  (void)state;
#define EIGHT                                                                                                          \
  "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n1\n"
  sb_pose pose;
  accepts("m.msh", GMSH2 EIGHT "1 5 0 1 2 3 4 5 6 7 8\n$EndElements\n", 8, 12, 0);
  sb_options *options = sb_test_scene("scene=mesh mesh=m.msh", &pose);
  for (size_t s = 0; s < pose.springs; ++s) assert_within(pose.rest_length[s], 1.0, 0.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  accepts("m.msh", GMSH2 EIGHT "1 6 0 1 2 4 5 6 8\n$EndElements\n", 8, 9, 0);
  accepts("m.msh", GMSH2 EIGHT "1 7 0 1 2 3 4 5\n$EndElements\n", 8, 8, 0);
  accepts("m.msh", GMSH2 EIGHT "1 3 0 1 2 3 4\n$EndElements\n", 8, 4, 2);
}

#define VERTEX3  "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES(n) "element face " #n "\nproperty list uchar int vertex_indices\n"
#define PLACES   "0 0 0\n1 0 0\n0 1 0\n"

static void bad_ply(void **state)
{
  (void)state;
#define PLY "ply\nformat ascii 1.0\n"
  accepts("m.ply", PLY VERTEX3 "property float quality\n" FACES(1) "end_header\n0 0 0 nan\n1 0 0 x\n0 1 0 1\n3 0 1 2",
          3, 3, 1);
  accepts("m.ply",
          PLY FACES(1) VERTEX3 "element thing 2\nproperty list uchar float p\nend_header\n3 0 1 2\n" PLACES
                               "0\n2 1 2\n",
          3, 3, 1);
  refuses("m.ply", "plx\n", "m.ply:1:1: error: the file does not start with 'ply' [E216]");
  refuses("m.ply", "ply\nformat binary 1.0\n",
          "m.ply:2:8: error: format 'binary' is not supported; ascii, binary_little_endian and binary_big_endian are "
          "[E216]");
  refuses("m.ply", PLY VERTEX3, "m.ply:7:1: error: the file ends before end_header [E200]");
  refuses("m.ply", PLY "property int x\n", "m.ply:3:1: error: 'property' does not belong here [E216]");
  refuses("m.ply", PLY "element vertex 3\nproperty real x\n", "m.ply:4:10: error: 'real' is no type of PLY [E216]");
  refuses("m.ply", PLY "element vertex 3\nproperty int x\nproperty int y\nend_header\n0 0\n1 0\n0 1\n",
          "m.ply:6:1: error: vertices lack one of the properties x, y and z [E216]");
  refuses("m.ply", PLY "element thing 2\nend_header\n0 0\n", "m.ply:4:1: error: 2 elements without a property [E216]");
  refuses("m.ply", PLY VERTEX3 FACES(1000) "end_header\n" PLACES "3 0 1 2\n",
          "m.ply:7:14: error: 1000 elements, but the rest of the file holds 77 bytes [E201]");
  refuses("m.ply", PLY VERTEX3 FACES(20) "end_header\n" PLACES "3 0 1 2\n",
          "m.ply:9:1: error: 20 elements, but the rest of the file holds 27 bytes [E201]");
  refuses("m.ply", PLY VERTEX3 FACES(2) "end_header\n" PLACES "3 0 1 2\n",
          "m.ply:14:1: error: the file ends before the last element that its header promises [E200]");
  refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "3 0 1 2\n3 0 2 1\n",
          "m.ply:14:1: error: the file goes on after all the elements that its header promises [E200]");
  refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "3 0 1 3\n",
          "m.ply:13:7: error: there is no vertex 3; the file has 0 to 2 [E202]");
  refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "2 0 1\n",
          "m.ply:13:5: error: a face of 2 corners; it needs 3 [E202]");
  refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "300000000 0 1\n",
          "m.ply:13:1: error: 300000000 items of a list, but the rest of the file holds 5 bytes [E201]");
  refuses("m.ply", PLY "element tristrips 1\n",
          "m.ply:3:9: error: element 'tristrips' is not supported; vertex, face and edge are [E216]");
}

/* Coordinates and numbers of every integer kind, in binary. */
static void integers_of_binary_ply(void **state)
{
  (void)state;
  static const char head[] = "ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty char x\n"
                             "property uint8 y\nproperty short z\nelement face 1\n"
                             "property list ushort uint vertex_indices\nend_header\n";
  static const char data[] = "\xFF\xFF\xFE\xFF" /* -1, 255, -2 */
                             "\x01\x00\x00\x01" /* 1, 0, 256 */
                             "\x00\x01\x00\x00"
                             "\x03\x00\x00\x00\x00\x00\x01\x00\x00\x00\x02\x00\x00\x00";
  static const double places[9] = {-1, 255, -2, 1, 0, 256, 0, 1, 0};
  char                bytes[sizeof head + sizeof data];
  sb_mesh             mesh;
  char               *message = NULL;
  memcpy(bytes, head, sizeof head - 1);
  memcpy(bytes + sizeof head - 1, data, sizeof data - 1);
  write_file("m.ply", bytes, sizeof head + sizeof data - 2);
  if (!try_read("m.ply", 0, &mesh, &message)) fail_msg("%s", message);
  assert_int_equal(mesh.vertices, 3);
  assert_memory_equal(mesh.position, places, sizeof places);
  assert_int_equal(mesh.triangles, 1);
  assert_int_equal(mesh.triangle[2], 2);
  sb_mesh_clear(&mesh);
}

/* A header with more of `line` than a reader holds. */
static void refuses_many(const char *before, const char *line, int count, const char *expected)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  fprintf(stream, "ply\nformat ascii 1.0\n%s", before);
  for (int i = 0; i < count; ++i) fprintf(stream, line, i);
  fclose(stream);
  refuses("m.ply", text, expected);
  free(text);
}

static void ply_of_many_parts(void **state)
{
  (void)state;
  refuses_many("element vertex 1\n", "property float p%d\n", 65,
               "m.ply:68:1: error: more than 64 properties of an element [E216]");
  refuses_many("", "element thing%d 0\n", 17, "m.ply:19:1: error: more than 16 kinds of elements [E216]");
}

static void bad_stl(void **state)
{
  (void)state;
#define LOOP "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
  accepts("m.stl", "solid a b\n" LOOP "vertex 0 -0.0 1\nendloop\nendfacet\nendsolid\nsolid\nendsolid\n", 3, 3, 1);
  refuses("m.stl", "solid a\n" LOOP "endloop\n", "m.stl:6:1: error: 'vertex' should stand here [E216]");
  refuses("m.stl", "solid a\n" LOOP "vertex 1 1 1\n", "m.stl:7:1: error: the file ends before 'endloop' [E200]");
  refuses("m.stl", "solid a\n" LOOP "vertex 1 1 1\nendloop\nendfacet\n",
          "m.stl:9:1: error: the file ends before 'endsolid' [E200]");
  refuses("m.stl", "solid a\n" LOOP "vertex 1 0 0\nendloop\n",
          "m.stl:6:13: error: an edge from a vertex to itself (number 1, counted from 0) [E202]");
  refuses("m.stl", "mesh\n", "m.stl:1:1: error: 'solid' should stand here [E216]");
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

static void answers_of_the_scene(void **state)
{
  (void)state;
  sb_pose pose;
  write_text("coincident.obj", "v 0 0 0\nv 1 0 0\nv 1 0 0\nf 1 2 3\n");
  write_text("isolated.obj", SQUARE "v 5 5 5\nf 1 2 3 4\n");
  write_text("mass.node", "3 3 1\n1 0 0 0 1\n2 1 0 0 2\n3 0 1 0 4\n");
  write_text("mass.ele", "1 3\n1 1 2 3\n");
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

/* A decimal comma in the locale changes nothing. */
static void numbers_in_any_locale(void **state)
{
  (void)state;
  sb_pose pose;
  if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "de_DE")) skip();
  build_fixture("two.obj", &pose);
  assert_within(pose.position[14], 0.875, 0.0);
  sb_pose_clear(&pose);
  setlocale(LC_NUMERIC, "C");
}

static char directory[] = "/tmp/springbench_meshes_XXXXXX";

static int enter_directory(void **state)
{
  (void)state;
  return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int remove_directory(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -r '%s'", directory);
  return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_format_gives_the_same_net),
      cmocka_unit_test(files_written_by_gmsh),
      cmocka_unit_test(forms_of_obj),
      cmocka_unit_test(joined_lines_of_obj),
      cmocka_unit_test(bad_obj),
      cmocka_unit_test(bad_bytes),
      cmocka_unit_test(files_that_cannot_be_read),
      cmocka_unit_test(bad_tet),
      cmocka_unit_test(pairs_of_tetgen),
      cmocka_unit_test(bad_gmsh),
      cmocka_unit_test(bad_gmsh_4),
      cmocka_unit_test(cells_of_gmsh),
      cmocka_unit_test(bad_ply),
      cmocka_unit_test(integers_of_binary_ply),
      cmocka_unit_test(ply_of_many_parts),
      cmocka_unit_test(bad_stl),
      cmocka_unit_test(answers_of_the_scene),
      cmocka_unit_test(numbers_in_any_locale),
  };
  return cmocka_run_group_tests(tests, enter_directory, remove_directory);
}
