/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plain tetrahedra as text: a line `tet n m`, n lines `x y z`, m lines of four vertex numbers from 0. `#` starts a
 * comment. */
#include "model/mesh/mesh_format.h"

/* "tet n m" */
static bool read_header(sb_mesh_text *text, int64_t *vertices, int64_t *cells)
{
  size_t length = 0;
  if (!sb_text_line(text)) return sb_text_error(text, "E200", "the file ends before the header 'tet n m'");
  sb_text_word(text, &length);
  if (!sb_text_is(text, length, "tet"))
    return sb_text_error(text, "E216", "the file does not start with the header 'tet n m'");
  return sb_text_integer(text, "the number of vertices", vertices) &&
         sb_mesh_count(text, "vertices", *vertices, sizeof "0 0 0") &&
         sb_text_integer(text, "the number of tetrahedra", cells) &&
         sb_mesh_count(text, "tetrahedra", *cells, sizeof "0 1 2 3") && sb_text_end_of_line(text);
}

static bool read_vertex(sb_mesh_text *text, sb_mesh *mesh)
{
  double position[3] = {0};
  if (!sb_record_begin(text, "the last vertex that the header declares")) return false;
  for (size_t c = 0; c < 3; ++c)
    if (!sb_text_real(text, "x, y and z", &position[c])) return false;
  return sb_mesh_add_vertex(text, mesh, position) && sb_text_end_of_line(text);
}

static bool read_cell(sb_mesh_text *text, sb_mesh *mesh)
{
  int64_t number = 0;
  int32_t corner[4] = {0};
  if (!sb_record_begin(text, "the last tetrahedron that the header declares")) return false;
  for (size_t i = 0; i < 4; ++i)
    if (!sb_text_integer(text, "four vertex numbers", &number) ||
        !sb_mesh_vertex(text, number, 0, mesh->vertices, &corner[i]))
      return false;
  return sb_text_end_of_line(text) && sb_mesh_add_tetrahedron(text, mesh, corner);
}

static bool read_body(sb_mesh_text *text, sb_mesh *mesh)
{
  int64_t vertices = 0, cells = 0;
  if (!sb_text_check(text) || !read_header(text, &vertices, &cells)) return false;
  for (int64_t i = 0; i < vertices; ++i)
    if (!read_vertex(text, mesh)) return false;
  for (int64_t i = 0; i < cells; ++i)
    if (!read_cell(text, mesh)) return false;
  return !sb_text_line(text) ||
         sb_text_error(text, "E200", "the header declares %lld vertices and %lld tetrahedra; this line is one too many",
                       (long long)vertices, (long long)cells);
}

static bool read(const sb_mesh_input *input, sb_mesh *mesh)
{
  sb_mesh_text text;
  sb_text_open(&text, input->path, input->bytes, input->size, input->diagnostics);
  text.comment = '#';
  const bool good = read_body(&text, mesh);
  sb_text_close(&text);
  return good;
}

const sb_mesh_format sb_mesh_format_tet = {
    .name = "tet",
    .summary = "plain text: tet n m, then n vertices and m tetrahedra, numbered from 0",
    .extensions = "tet",
    .read = read,
};
