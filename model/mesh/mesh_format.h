/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For authors of mesh formats: the table of a format, and the functions with which a reader builds a mesh. Local. */
#pragma once

#include "base/entry.h"
#include "model/mesh/mesh.h"
#include "model/mesh/mesh_text.h"

#define SB_MESH_BYTES_MAX ((size_t)4 << 30) /* a larger file is not read */

typedef struct {
  const char     *path;
  char           *bytes; /* the file, closed by a NUL that `size` does not count */
  size_t          size;
  int64_t         mass_attribute; /* 0: masses are not requested; otherwise the format has them */
  sb_location     where;          /* of the option that names the file */
  sb_diagnostics *diagnostics;
} sb_mesh_input;

typedef struct {
  SB_ENTRY_HEAD;
  const char *extensions;       /* "msh": without dots, in lower case, separated by blanks */
  const char *second_extension; /* of the file that is read together with it; NULL: none */
  bool        has_masses;
  /* Adds to an empty mesh. False after one error. It may change the bytes. */
  bool (*read)(const sb_mesh_input *input, sb_mesh *mesh);
} sb_mesh_format;

SB_DECLARE_LIST(sb_mesh_format, sb_mesh_formats)

/* Each of these returns false after an error at the text's place: E203, E202, E211, E215. Corners are vertex numbers
 * from 0, in range; the functions check those that must differ. */
bool sb_mesh_add_vertex(sb_mesh_text *text, sb_mesh *mesh, const double position[3]);
bool sb_mesh_add_line(sb_mesh_text *text, sb_mesh *mesh, int32_t first, int32_t second);
/* Adds the sides of a polygon as lines, and its triangles as a fan from the corner with the smallest number. So a
 * polygon gives the same triangles for any first corner and either orientation. A corner may occur again, but not twice
 * in a row, unless the mesh skips degenerate faces. */
bool sb_mesh_add_polygon(sb_mesh_text *text, sb_mesh *mesh, size_t corners, const int32_t *corner);
bool sb_mesh_add_tetrahedron(sb_mesh_text *text, sb_mesh *mesh, const int32_t corner[4]);
/* Sets the mass of the last vertex added. Either every vertex has one, or none. */
bool sb_mesh_add_mass(sb_mesh_text *text, sb_mesh *mesh, double mass);

/* *vertex = number - base for a number of the file, refused (E202) unless it is one of the `count` vertices. */
bool sb_mesh_vertex(sb_mesh_text *text, int64_t number, int64_t base, size_t count, int32_t *vertex);

/* Refuses a count that cannot be true (E201) before anything is allocated for it: negative, beyond 2^31 - 1, or more
 * records of at least `least` bytes each than the rest of the file can hold. */
bool sb_mesh_count(sb_mesh_text *text, const char *what, int64_t count, size_t least);

/* Drops triangles and tetrahedra with the same corners as an earlier one, in any order; W219 gives their number.
 * sb_mesh_read calls it after the format's reader. False with E215 if memory is out. */
bool sb_mesh_drop_repeats(const sb_mesh_input *input, sb_mesh *mesh);
