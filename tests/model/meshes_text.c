/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh files of lines of text - OBJ, .tet, .node with .ele - and files that cannot be read at all. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/model/mesh_files.h"

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

static void forms_of_obj(void)
{
  sb_accepts("m.obj", SQUARE "f 1 2 3 4\n", 4, 4, 2);
  sb_accepts("m.obj", SQUARE "f -4 -3 -2\nl 1 3 4 2", 4, 6, 1);
  sb_accepts("m.obj", "\xEF\xBB\xBF# mark\r\nv 0 0 0\r\nv 1 0 0\r\nv 1 1 0\r\nf 1/1 2//2 3/-1/-1\r\n", 3, 3, 1);
  sb_accepts("m.obj", SQUARE "f 1 2 \\\n 3 \\\r\n4\n", 4, 4, 2);
  sb_accepts("m.obj", "# path C:\\\nv 0 0 0 1\n\n  v 1e0 -.5 +2. 0.1 0.2 0.3 # right\nl 1 2\n", 2, 1, 0);
  sb_accepts("m.obj", "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 1 1 0\n", 3, 3, 1);
  sb_accepts("m.obj", "mtllib a b\no thing\ng\nvn 0 0 1\nvt 0 0\ns off\nusemtl x\n" SQUARE "f 1 2 3", 4, 3, 1);
  sb_accepts("m.obj", SQUARE "v 2 2 0\nf 1 2 3 4 5 2", 5, 6, 4); /* a hole's bridge: a corner that returns */
  sb_accepts("M.OBJ", SQUARE "l 1 2", 4, 1, 0);
}

/* A skipped statement continues after a backslash at the end of a line; a comment does not, even one after a statement
 * that is not read to its end. */
static void joined_lines_of_obj(void)
{
  sb_accepts("m.obj", SQUARE "g a\\\nl 1 3\nl 1 2\n", 4, 1, 0);
  sb_accepts("m.obj", SQUARE "# a\\\nl 1 3\nl 1 2\n", 4, 2, 0);
  sb_accepts("m.obj", SQUARE "usemtl red # in C:\\maps\\\nl 1 3\nl 1 2\n", 4, 2, 0);
  sb_accepts("m.obj", SQUARE "g a\\\n b # c\\\nl 1 3\nl 1 2\n", 4, 2, 0);
  sb_accepts("m.obj", SQUARE "v 9 9 9 # see C:\\\nv 8 8 8\nl 1 3\n", 6, 1, 0);
  sb_accepts("m.obj", SQUARE "vn 0 0 1#\\\nl 1 3\nl 1 2\n", 4, 1, 0); /* a word with a sign in it, no comment */
}

static void bad_obj(void)
{
  sb_refuses("m.obj", "", "m.obj:1: error: the file is empty [E200]");
  sb_refuses("m.obj", "# only this\n\n", "m.obj: error: the file has no vertices [E200]");
  sb_refuses("m.obj", SQUARE, "m.obj: error: the file has 4 vertices, but no edges or cells [E200]");
  sb_refuses("m.obj", "v 0 0 0\nv 1 0", "m.obj:2:6: error: the line ends before x, y and z [E200]");
  sb_refuses("m.obj", SQUARE "f 1 2\n", "m.obj:5:6: error: the line ends before three vertices [E200]");
  sb_refuses("m.obj", SQUARE "l 1\n", "m.obj:5:4: error: the line ends before two vertices [E200]");
  sb_refuses("m.obj", SQUARE "f 1 2 0\n",
             "m.obj:5:7: error: there is no vertex 0; 4 are defined before this line [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 -5\n",
             "m.obj:5:7: error: there is no vertex -5; 4 are defined before this line [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 5\nf 1 2 6\nf 1 2 6",
             "m.obj:6:7: error: there is no vertex 6; the file has 4 [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 99999999999999999999\n",
             "m.obj:5:7: error: there is no vertex 9223372036854775807; 4 are defined before this line [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 3.0\n", "m.obj:5:7: error: '3.0' is not an integer [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 /3\n", "m.obj:5:7: error: '' is not an integer [E202]");
  sb_accepts("m.obj", SQUARE "f 1// 2/2/ 3/\nf 1//7 3/-1/ 4/1/2\n", 4, 6, 2);
  sb_refuses("m.obj", SQUARE "f 1 2 3///\n",
             "m.obj:5:7: error: '3///' is not of the form 1, 1/2, 1//3 or 1/2/3 [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 3/-/\n",
             "m.obj:5:7: error: '3/-/' is not of the form 1, 1/2, 1//3 or 1/2/3 [E202]");
  sb_refuses("m.obj", SQUARE "f 1 2 3/x\n", "m.obj:5:7: error: '3/x' is not of the form 1, 1/2, 1//3 or 1/2/3 [E202]");
  sb_refuses("m.obj", SQUARE "f 1 1 2\n",
             "m.obj:5:8: error: an edge from a vertex to itself (number 0, counted from 0); give skip_degenerate=true "
             "to leave such faces and cells out [E202]");
  sb_refuses("m.obj", "v 0 0 nan\n", "m.obj:1:7: error: nan is not a finite number [E203]");
  sb_refuses("m.obj", "v 0 -Inf 0\n", "m.obj:1:5: error: -Inf is not a finite number [E203]");
  sb_refuses("m.obj", "v 0 0 1e999\n", "m.obj:1:7: error: 1e999 overflows [E203]");
  sb_refuses("m.obj", "v 0 -1.1e12 0\n", "m.obj:1:13: error: coordinate y = -1.1e+12 is beyond 1e12 [E203]");
  sb_refuses("m.obj", "v 0 1,5 0\n", "m.obj:1:5: error: '1,5' is not a number [E102]");
  sb_refuses("m.obj", "v 0 0x10 0\n", "m.obj:1:5: error: '0x10' is not a number [E102]");
  sb_refuses("m.obj", "v 0 1-2 0\n", "m.obj:1:5: error: '1-2' is not a number [E102]");
  sb_refuses("m.obj", "v 0 0 0 1 0 0 1 7\n", "m.obj:1:17: error: '7' is unexpected at the end of this line [E216]");
  sb_refuses("m.obj", SQUARE "p 1\n", "m.obj:5:1: error: statement 'p' is not supported; v, f and l are [E216]");
  sb_refuses("m.obj", SQUARE "curv\x1b[31m 0 1\n",
             "m.obj:5:1: error: statement 'curv?[31m' is not supported; v, f and l are [E216]");
  sb_refuses("m.xyz", SQUARE,
             "case:3:1: error: 'm.xyz' does not have an extension of mesh files: .obj, .ply, .stl, .msh, "
             ".node, .tet [E106]");
}

static void bad_bytes(void)
{
  sb_mesh mesh;
  char   *message, *line = malloc(70000);
  sb_write_bytes("m.obj", "v 0 0 0\nv 1\0 0 0\n", 17);
  assert_false(sb_try_mesh("m.obj", 0, &mesh, &message));
  assert_string_equal(message, "m.obj:2: error: a NUL byte: this is not a text file [E110]");
  free(message);
  sb_refuses("m.obj", "\x1f\x8b\x08", "m.obj:1: error: the file is compressed by gzip; unpack it [E216]");
  sb_refuses("m.msh", "PK\x03\x04", "m.msh:1: error: the file is compressed by zip; unpack it [E216]");
  memset(line, '#', 69999);
  line[69999] = '\0';
  memcpy(line, "v 0 0 0\n", 8);
  sb_refuses("m.obj", line, "m.obj:2: error: a line of 69991 bytes; at most 65536 are allowed [E110]");
  free(line);
}

static void files_that_cannot_be_read(void)
{
  static const char *const names[][2] = {
      {"none.obj", "case:3:1: error: cannot read 'none.obj': No such file or directory [E100]"},
      {"folder.obj", "case:3:1: error: cannot read 'folder.obj': Is a directory [E100]"},
      {"pipe.obj", "case:3:1: error: cannot read 'pipe.obj': not a regular file [E100]"},
      {"null.obj", "case:3:1: error: cannot read 'null.obj': it is a device [E109]"},
      {"large.obj", "case:3:1: error: cannot read 'large.obj': it is larger than allowed [E100]"},
      {"lonely.node", "case:3:1: error: cannot read 'lonely.ele': No such file or directory [E100]"}};
  assert_int_equal(mkdir("folder.obj", 0700), 0);
  assert_int_equal(mkfifo("pipe.obj", 0600), 0);
  assert_int_equal(symlink("/dev/null", "null.obj"), 0);
  sb_write_text("lonely.node", "1 3 0 0\n1 0 0 0\n");
  sb_write_text("large.obj", "");
  assert_int_equal(truncate("large.obj", ((off_t)4 << 30) + 1), 0); /* a hole: takes no room */
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    sb_mesh mesh;
    char   *message;
    assert_false(sb_try_mesh(names[i][0], 0, &mesh, &message));
    assert_string_equal(message, names[i][1]);
    free(message);
    sb_mesh_clear(&mesh);
  }
}

static void bad_tet(void)
{
  sb_accepts("m.tet", "# a\ntet 4 1\n0 0 0\n1 0 0 # b\n\n0 1 0\n0 0 1\n3 2 1 0", 4, 0, 0);
  sb_refuses("m.tet", "tet 4 1", "m.tet:1:5: error: 4 vertices, but the rest of the file holds 2 bytes [E201]");
  sb_refuses("m.tet", "tet 2147483648 1\n",
             "m.tet:1:5: error: 2147483648 vertices; at most 2147483647 are allowed [E201]");
  sb_refuses("m.tet", "tet 9223372036854775808 1\n",
             "m.tet:1:5: error: 9223372036854775807 vertices; at most 2147483647 are allowed [E201]");
  sb_refuses("m.tet", "tet -1 1\n", "m.tet:1:5: error: the number of vertices is negative: -1 [E201]");
  sb_refuses("m.tet", "net 4 1\n", "m.tet:1:1: error: the file does not start with the header 'tet n m' [E216]");
  sb_refuses("m.tet", "tet 1\n0 0 0\n", "m.tet:1:6: error: the line ends before the number of tetrahedra [E200]");
  sb_refuses("m.tet", "tet 2 0\n0.000 0.000 0.000\n",
             "m.tet:3:1: error: the file ends before the last vertex that the header declares [E200]");
  sb_refuses("m.tet", "tet 1 0\n0 0 0\n0 0 0\n",
             "m.tet:3:1: error: the header declares 1 vertices and 0 tetrahedra; this line is one too many [E200]");
  sb_refuses("m.tet", "tet 4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 4\n",
             "m.tet:6:7: error: there is no vertex 4; the file has 0 to 3 [E202]");
  sb_refuses("m.tet", "tet 4 1\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n0 1 2 0\n",
             "m.tet:6:8: error: a tetrahedron with a vertex twice (number 0, counted from 0); give "
             "skip_degenerate=true to leave such faces and cells out [E202]");
}

static void pairs_of_tetgen(void)
{
  sb_mesh mesh;
  char   *message;
  sb_write_text("m.ele", "# cells\n1\n0 0 1 2 3 # a\n");
  sb_accepts("m.node", "4\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n", 4, 0, 0);
  sb_refuses("m.node", "3 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n",
             "m.ele:3:9: error: there is no vertex 3; the file has 0 to 2 [E202]");
  sb_write_text("m.ele", "1 3 1\n1 1 2 3 -7.5\n");
  sb_accepts("m.node", "3 2 1 1\n1 0 0 9 1\n2 1 0 9 1\n3 0 1 9 0\n", 3, 3, 1); /* Triangle's, in the plane */
  sb_refuses("m.node", "1 4\n1 0 0 0 0\n", "m.node:1:4: error: vertices in 4 dimensions; 2 and 3 are supported [E216]");
  sb_refuses("m.node", "2 3\n2 0 0 0\n3 0 0 1",
             "m.node:2:1: error: the first vertex has neither number 0 nor 1 [E202]");
  sb_refuses("m.node", "2 3\n1 0 0 0\n3 0 0 1", "m.node:3:1: error: number 3 where 2 is expected [E202]");
  sb_refuses("m.node", "2 3 1\n1 0 0 0 1\n2 0 0 1", "m.node:3:8: error: the line ends before its attributes [E200]");
  sb_write_text("m.ele", "1 3\n1 1 2 3\n1 1 2 3\n");
  sb_refuses("m.node", "3 2\n1 0 0\n2 1 0\n3 0 1\n",
             "m.ele:3:1: error: the header declares 1 cells; this line is one too many [E200]");
  sb_write_text("m.ele", "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n");
  sb_refuses("m.node", "1\n1 0 0 0\n", "m.ele:1:7: error: cells of 10 corners; 3 and 4 are supported [E216]");
  sb_write_text("m.ele", "1 3\n1 1 2 3\n");
  sb_write_text("m.node", "3 3 2\n1 0 0 0 5 1\n2 1 0 0 5 2\n3 0 1 0 5 4\n");
  assert_true(sb_try_mesh("m.node", 2, &mesh, &message));
  assert_true(mesh.mass[0] == 1.0 && mesh.mass[1] == 2.0 && mesh.mass[2] == 4.0);
  sb_mesh_clear(&mesh);
  assert_false(sb_try_mesh("m.node", 3, &mesh, &message));
  assert_string_equal(message, "m.node:1:6: error: mesh_mass is attribute 3, but vertices have 2 [E106]");
  free(message);
  sb_mesh_clear(&mesh);
  sb_write_text("m.node", "1 3 1\n1 0 0 0 0\n");
  assert_false(sb_try_mesh("m.node", 1, &mesh, &message));
  assert_string_equal(message, "m.node:2:9: error: vertex mass 0 is out of range (0,1e12] [E211]");
  free(message);
  sb_mesh_clear(&mesh);
  assert_false(sb_try_mesh("m.obj", 1, &mesh, &message));
  assert_string_equal(message, "case:3:1: error: 'm.obj' cannot have masses: mesh_mass is for .node files [E106]");
  free(message);
}

int main(void)
{
  return RUN_TESTS_WITHIN(sb_enter_directory, sb_remove_directory, forms_of_obj, joined_lines_of_obj, bad_obj,
                          bad_bytes, files_that_cannot_be_read, bad_tet, pairs_of_tetgen);
}
