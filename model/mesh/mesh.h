/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Meshes from files: positions and cells, before springs are made of them. Local; needs no PETSc.
 *
 * A format is one file model/mesh/meshes/<name>.c and one line in mesh_formats.def; model/mesh/mesh_format.h is for
 * authors of formats. Vertices keep the order of the file: vertex 0 is the first one; its number in the file does not
 * matter.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnostics.h"

/* All numbers are vertex numbers from 0, in range and distinct within a line or tetrahedron. The springs are the
 * distinct edges: of the lines (among them the sides of every polygon) and of the tetrahedra. Owned by the mesh. */
typedef struct {
  size_t   vertices, lines, triangles, tetrahedra;
  double  *position;    /* [vertices][3] m, finite, |x| <= 1e12 */
  double  *mass;        /* [vertices] kg, > 0; NULL if the file has none or none were requested */
  int32_t *line;        /* [lines][2], repeated where polygons share sides */
  int32_t *triangle;    /* [triangles][3] of polygons, which are cut into fans if they have more corners; each once */
  int32_t *tetrahedron; /* [tetrahedra][4]; each once */
  bool     skips_degenerate; /* see sb_mesh_read */
  size_t   degenerate;       /* faces and cells that were left out for that, or lost a corner */
  size_t   vertices_capacity, lines_capacity, triangles_capacity, tetrahedra_capacity;
} sb_mesh;

/* Reads a file by the format of its extension. `mass_attribute` is the number, from 1, of the attribute with the
 * masses; 0: none. Returns false with one located message: E100, E109 (no file to read), E106 (unknown extension, or a
 * format without masses), E102, E110, E200 to E203, E211, E215, E216. The location is file and line, or the byte in
 * binary files; `where` if the error is not in the file. W219: faces or cells that the file repeats, or, with
 * `skip_degenerate`, that have a vertex twice: they are left out, and a face with further corners loses that one. Clear
 * the mesh with sb_mesh_clear in either case. */
bool sb_mesh_read(const char *path, int64_t mass_attribute, bool skip_degenerate, sb_location where, sb_mesh *mesh,
                  sb_diagnostics *diagnostics);
void sb_mesh_clear(sb_mesh *mesh);

/* The file that is read together with this one, such as FILE.ele with FILE.node; malloc'ed. NULL if there is none. */
char *sb_mesh_second_file(const char *path);
