/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mesh files that come as text and in binary: Gmsh, PLY and STL. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/mesh_files.h"

#define GMSH2  "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define NODES2 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n7 0 1 0\n$EndNodes\n"

static void bad_gmsh(void)
{
  sb_accepts("m.msh", GMSH2 NODES2 "$Elements\n2\n1 2 0 1 2 7\n2 1 1 4 1 7\n$EndElements\n", 3, 4, 1);
  sb_refuses("m.msh", "$Nodes\n", "m.msh:1:1: error: the file does not start with $MeshFormat [E216]");
  sb_refuses("m.msh", "$MeshFormat\n1 0 8\n", "m.msh:2:1: error: version 1 is not supported; 2.2 and 4.1 are [E216]");
  sb_refuses("m.msh", "$MeshFormat\n4 0 8\n", "m.msh:2:1: error: version 4 is not supported; 2.2 and 4.1 are [E216]");
  sb_refuses("m.msh", "$MeshFormat\n4.1 0 4\n", "m.msh:2:7: error: numbers of 4 bytes; 8 are supported [E216]");
  sb_refuses("m.msh", "$MeshFormat\n4.1 1 8\nabcd\n",
             "m.msh: error: at byte 20: the byte order is neither little nor big endian [E216]");
  sb_refuses("m.msh", GMSH2 "$Other\n1\n", "m.msh:6:1: error: the file ends before $EndOther [E200]");
  sb_refuses("m.msh", GMSH2 "$Elements\n", "m.msh:4:1: error: $Elements before $Nodes [E216]");
  sb_refuses("m.msh", GMSH2 NODES2 NODES2, "m.msh:10:1: error: a second section $Nodes [E216]");
  sb_refuses("m.msh", GMSH2 "$Nodes\n100\n1 0 0 0\n",
             "m.msh:5:4: error: 100 nodes, but the rest of the file holds 9 bytes [E201]");
  sb_refuses("m.msh", GMSH2 "$Nodes\n1\n1 0 0 0\n2 0 0 0\n$EndNodes\n",
             "m.msh:7:1: error: $EndNodes is missing at the end of the data of its section [E200]");
  sb_refuses("m.msh", GMSH2 "$Nodes\n2\n1 0 0 0\n1 0 0 0\n$EndNodes\n",
             "m.msh:7:8: error: two nodes have the tag 1: node 1 and node 2 of the file [E202]");
  sb_refuses("m.msh", GMSH2 "$Nodes\n1\n0 0 0 0\n$EndNodes\n",
             "m.msh:6:1: error: 0 is not a tag of a node; tags start at 1 [E202]");
  sb_refuses("m.msh", GMSH2 NODES2 "$Elements\n1\n1 2 0 1 2 3\n$EndElements\n",
             "m.msh:12:11: error: no node has the tag 3 [E202]");
  sb_refuses("m.msh", GMSH2 NODES2 "$Elements\n1\n1 9 0 1 2 7 1 2 7\n$EndElements\n",
             "m.msh:12:3: error: element type 9 is not supported; straight lines, triangles, quadrangles, tetrahedra, "
             "hexahedra, prisms and pyramids are [E216]");
  sb_refuses("m.msh", GMSH2 NODES2 "$Elements\n1\n1 2 -3 1 2 7\n$EndElements\n",
             "m.msh:12:5: error: the number of tags is negative: -3 [E201]");
}

/* Beyond 64 bits all numbers are one; as a tag that would be one node for another. */
static void gmsh_tags_have_64_bits(void)
{
  static const char *const beyond[] = {"9223372036854775807", "9223372036854775808", "1066666666666666666666666"};
  char                     text[256];
  for (size_t i = 0; i < sizeof beyond / sizeof *beyond; ++i) {
    snprintf(text, sizeof text, GMSH2 "$Nodes\n2\n%s 0 0 0\n12 1 0 0\n$EndNodes\n", beyond[i]);
    sb_refuses("m.msh", text, "m.msh:6:1: error: the tag of a node is beyond 9223372036854775806 [E202]");
  }
  sb_accepts("m.msh",
             GMSH2 "$Nodes\n2\n9223372036854775806 0 0 0\n12 1 0 0\n$EndNodes\n"
                   "$Elements\n1\n1 1 0 12 9223372036854775806\n$EndElements\n",
             2, 1, 0);
}

static void bad_gmsh_4(void)
{
#define GMSH4  "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES4 "$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n$EndNodes\n"
  sb_accepts("m.msh", GMSH4 NODES4 "$Elements\n1 1 1 1\n2 1 2 1\n1 3 2 1\n$EndElements\n", 3, 3, 1);
  sb_refuses("m.msh", GMSH4 "$Nodes\n1 3 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
             "m.msh:10:6: error: the blocks have 1 nodes fewer than their section declares [E200]");
  sb_refuses("m.msh", GMSH4 "$Nodes\n1 1 1 3\n2 1 0 2\n1\n2\n0 0 0\n1 0 0\n$EndNodes\n",
             "m.msh:6:7: error: a block of 2 nodes where 1 are left [E200]");
  sb_refuses("m.msh", GMSH4 "$Nodes\n1 1 1 1\n9 1 1 1\n1\n0 0 0\n$EndNodes\n",
             "m.msh:6:8: error: an entity of dimension 9 [E202]");
  sb_refuses("m.msh", GMSH4 NODES4 "$Elements\n1 4000000000 1 1\n",
             "m.msh:15:3: error: 4000000000 elements; at most 2147483647 are allowed [E201]");
}

/* Edges of the cells that have no tetrahedra: a cube, a prism and a pyramid have 12, 9 and 8. */
static void cells_of_gmsh(void)
{
#define EIGHT                                                                                                          \
  "$Nodes\n8\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n7 1 1 1\n8 0 1 1\n$EndNodes\n$Elements\n1\n"
  sb_pose pose;
  sb_accepts("m.msh", GMSH2 EIGHT "1 5 0 1 2 3 4 5 6 7 8\n$EndElements\n", 8, 12, 0);
  sb_options *options = sb_test_scene("scene=mesh mesh=m.msh", &pose);
  for (size_t s = 0; s < pose.springs; ++s) assert_within(pose.rest_length[s], 1.0, 0.0);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
  sb_accepts("m.msh", GMSH2 EIGHT "1 6 0 1 2 4 5 6 8\n$EndElements\n", 8, 9, 0);
  sb_accepts("m.msh", GMSH2 EIGHT "1 7 0 1 2 3 4 5\n$EndElements\n", 8, 8, 0);
  sb_accepts("m.msh", GMSH2 EIGHT "1 3 0 1 2 3 4\n$EndElements\n", 8, 4, 2);
}

#define VERTEX3  "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n"
#define FACES(n) "element face " #n "\nproperty list uchar int vertex_indices\n"
#define PLACES   "0 0 0\n1 0 0\n0 1 0\n"

static void bad_ply(void)
{
#define PLY "ply\nformat ascii 1.0\n"
  sb_accepts("m.ply",
             PLY VERTEX3 "property float quality\n" FACES(1) "end_header\n0 0 0 nan\n1 0 0 x\n0 1 0 1\n3 0 1 2", 3, 3,
             1);
  sb_accepts("m.ply",
             PLY FACES(1) VERTEX3 "element thing 2\nproperty list uchar float p\nend_header\n3 0 1 2\n" PLACES
                                  "0\n2 1 2\n",
             3, 3, 1);
  sb_refuses("m.ply", "plx\n", "m.ply:1:1: error: the file does not start with 'ply' [E216]");
  sb_refuses(
      "m.ply", "ply\nformat binary 1.0\n",
      "m.ply:2:8: error: format 'binary' is not supported; ascii, binary_little_endian and binary_big_endian are "
      "[E216]");
  sb_refuses("m.ply", PLY VERTEX3, "m.ply:7:1: error: the file ends before end_header [E200]");
  sb_refuses("m.ply", PLY "property int x\n", "m.ply:3:1: error: 'property' is unexpected here [E216]");
  sb_refuses("m.ply", PLY "element vertex 3\nproperty real x\n",
             "m.ply:4:10: error: 'real' is not a type of PLY [E216]");
  sb_refuses("m.ply", PLY "element vertex 3\nproperty int x\nproperty int y\nend_header\n0 0\n1 0\n0 1\n",
             "m.ply:6:1: error: vertices lack one of the properties x, y and z [E216]");
  sb_refuses("m.ply", PLY "element thing 2\nend_header\n0 0\n",
             "m.ply:4:1: error: 2 elements without a property [E216]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(1000) "end_header\n" PLACES "3 0 1 2\n",
             "m.ply:7:14: error: 1000 elements, but the rest of the file holds 77 bytes [E201]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(20) "end_header\n" PLACES "3 0 1 2\n",
             "m.ply:9:1: error: 20 elements, but the rest of the file holds 27 bytes [E201]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(2) "end_header\n" PLACES "3 0 1 2\n",
             "m.ply:14:1: error: the file ends before the last element that its header declares [E200]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "3 0 1 2\n3 0 2 1\n",
             "m.ply:14:1: error: the file continues after all elements that its header declares [E200]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "3 0 1 3\n",
             "m.ply:13:7: error: there is no vertex 3; the file has 0 to 2 [E202]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "2 0 1\n",
             "m.ply:13:5: error: a face of 2 corners; it needs 3 [E202]");
  sb_refuses("m.ply", PLY VERTEX3 FACES(1) "end_header\n" PLACES "300000000 0 1\n",
             "m.ply:13:1: error: 300000000 items of a list, but the rest of the file holds 5 bytes [E201]");
  sb_refuses("m.ply", PLY "element tristrips 1\n",
             "m.ply:3:9: error: element 'tristrips' is not supported; vertex, face and edge are [E216]");
}

/* Coordinates and numbers of every integer kind, in binary. */
static void integers_of_binary_ply(void)
{
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
  sb_write_bytes("m.ply", bytes, sizeof head + sizeof data - 2);
  if (!sb_try_mesh("m.ply", 0, &mesh, &message)) fail_msg("%s", message);
  assert_int_equal(mesh.vertices, 3);
  assert_memory_equal(mesh.position, places, sizeof places);
  assert_int_equal(mesh.triangles, 1);
  assert_int_equal(mesh.triangle[2], 2);
  sb_mesh_clear(&mesh);
}

/* A triangle, what follows it, and the message: padding passes with a warning, as other programs write it. */
static void padding_of_binary_files(void)
{
  static const char head[] = "ply\nformat binary_little_endian 1.0\n" VERTEX3 FACES(1) "end_header\n";
  static const float                                                          corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
  static const struct {
    const char *bytes;
    size_t      count;
    const char *message; /* a part of the only one; NULL: none */
    bool        passes;
  } ends[] = {{"", 0, NULL, true},
              {"\n", 1, "1 byte [W222]", true},
              {"\0", 1, "1 byte [W222]", true},
              {" \r\n\0", 4, "4 bytes [W222]", true},
              {"\0x", 2, "the file continues after", false}};
  unsigned char stl[84 + 50 + 4] = {[80] = 1}, ply[sizeof head + sizeof corners + 13 + 4];
  memcpy(stl + 84 + 12, corners, sizeof corners);
  memcpy(ply, head, sizeof head - 1);
  memcpy(ply + sizeof head - 1, corners, sizeof corners);
  memcpy(ply + sizeof head - 1 + sizeof corners, "\3\0\0\0\0\1\0\0\0\2\0\0\0", 13);
  for (size_t i = 0; i < 2 * sizeof ends / sizeof *ends; ++i) {
    const bool     is_stl = i % 2 == 0;
    const size_t   length = is_stl ? 84 + 50 : sizeof head - 1 + sizeof corners + 13, e = i / 2;
    unsigned char *bytes = is_stl ? stl : ply;
    const char    *name = is_stl ? "m.stl" : "m.ply";
    sb_mesh        mesh;
    memcpy(bytes + length, ends[e].bytes, ends[e].count);
    sb_write_bytes(name, (const char *)bytes, length + ends[e].count);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    const bool      good = sb_mesh_read(name, 0, false, (sb_location){"case", 3, 1}, &mesh, diagnostics);
    assert_int_equal(good, ends[e].passes);
    assert_int_equal(sb_diagnostics_errors(diagnostics) + sb_diagnostics_warnings(diagnostics),
                     ends[e].message != NULL);
    if (ends[e].message) assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), ends[e].message));
    sb_mesh_clear(&mesh);
    sb_diagnostics_destroy(&diagnostics);
  }
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
  sb_refuses("m.ply", text, expected);
  free(text);
}

static void ply_of_many_parts(void)
{
  refuses_many("element vertex 1\n", "property float p%d\n", 65,
               "m.ply:68:1: error: an element has more than 64 properties [E216]");
  refuses_many("", "element thing%d 0\n", 17, "m.ply:19:1: error: the file has more than 16 kinds of elements [E216]");
}

static void bad_stl(void)
{
#define LOOP "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
  sb_accepts("m.stl", "solid a b\n" LOOP "vertex 0 -0.0 1\nendloop\nendfacet\nendsolid\nsolid\nendsolid\n", 3, 3, 1);
  sb_refuses("m.stl", "solid a\n" LOOP "endloop\n", "m.stl:6:1: error: expected 'vertex' [E216]");
  sb_refuses("m.stl", "solid a\n" LOOP "vertex 1 1 1\n", "m.stl:7:1: error: the file ends before 'endloop' [E200]");
  sb_refuses("m.stl", "solid a\n" LOOP "vertex 1 1 1\nendloop\nendfacet\n",
             "m.stl:9:1: error: the file ends before 'endsolid' [E200]");
  sb_refuses("m.stl", "solid a\n" LOOP "vertex 1 0 0\nendloop\n",
             "m.stl:6:13: error: an edge from a vertex to itself (number 1, counted from 0); give skip_degenerate=true "
             "to leave such faces and cells out [E202]");
  sb_refuses("m.stl", "mesh\n", "m.stl:1:1: error: expected 'solid' [E216]");
}

int main(void)
{
  return RUN_TESTS_WITHIN(sb_enter_directory, sb_remove_directory, bad_gmsh, gmsh_tags_have_64_bits, bad_gmsh_4,
                          cells_of_gmsh, bad_ply, integers_of_binary_ply, padding_of_binary_files, ply_of_many_parts,
                          bad_stl);
}
