/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TetGen's pair of files: FILE.node with `n dimension attributes markers` and lines `number x y z attributes marker`,
 * and FILE.ele with `m corners attributes` and lines `number corners attributes`. Numbers start at 0 or 1, as the first
 * vertex shows. Triangle's two-dimensional pairs are the same with x, y and three corners; then z = 0. Attributes are
 * read as masses if the user requests it. Source: section 5 of TetGen's manual. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/input_file.h"
#include "model/mesh/mesh_format.h"

typedef struct {
  sb_mesh *mesh;
  int64_t  mass_attribute;
  int64_t  base;             /* number of the first vertex */
  int64_t  count, dimension; /* of the file being read; of an .ele, corners */
  int64_t  attributes, markers;
} reader;

/* One number of a header that may be left out. */
static bool read_optional(sb_mesh_text *text, int64_t most, int64_t *value)
{
  sb_mesh_text ahead = *text;
  size_t       length = 0;
  if (!sb_text_word(&ahead, &length)) return true;
  if (!sb_text_integer(text, "", value)) return false;
  return (*value >= 0 && *value <= most) ||
         sb_text_error(text, "E201", "%" PRId64 " is out of range [0,%" PRId64 "]", *value, most);
}

static bool read_header(sb_mesh_text *text, const char *what, reader *r)
{
  if (!sb_text_line(text)) return sb_text_error(text, "E200", "the file ends before the number of %s", what);
  r->attributes = r->markers = 0;
  return sb_text_integer(text, "the counts", &r->count) && sb_mesh_count(text, what, r->count, sizeof "0 0 0") &&
         read_optional(text, 100, &r->dimension) && read_optional(text, 1000, &r->attributes) &&
         read_optional(text, 1, &r->markers) && sb_text_end_of_line(text);
}

/* The number that opens a line: one more than that of the line before. */
static bool read_number(sb_mesh_text *text, int64_t expected)
{
  int64_t number = 0;
  if (!sb_text_integer(text, "its number", &number)) return false;
  return number == expected ||
         sb_text_error(text, "E202", "number %" PRId64 " where %" PRId64 " is expected", number, expected);
}

static bool read_attributes(sb_mesh_text *text, const reader *r, bool masses)
{
  double value = 0.0;
  for (int64_t i = 1; i <= r->attributes; ++i) {
    if (!sb_text_real(text, "its attributes", &value)) return false;
    if (masses && i == r->mass_attribute && !sb_mesh_add_mass(text, r->mesh, value)) return false;
  }
  return r->markers == 0 || sb_text_real(text, "its marker", &value);
}

static bool read_vertex(sb_mesh_text *text, reader *r)
{
  const size_t done = r->mesh->vertices;
  double       position[3] = {0};
  if (!sb_record_begin(text, "the last vertex that the header declares")) return false;
  if (done == 0) {
    if (!sb_text_integer(text, "its number", &r->base)) return false;
    if (r->base != 0 && r->base != 1) return sb_text_error(text, "E202", "the first vertex has neither number 0 nor 1");
  } else if (!read_number(text, r->base + (int64_t)done)) {
    return false;
  }
  for (int64_t c = 0; c < r->dimension; ++c)
    if (!sb_text_real(text, "its coordinates", &position[c])) return false;
  return sb_mesh_add_vertex(text, r->mesh, position) && read_attributes(text, r, true) && sb_text_end_of_line(text);
}

static bool read_nodes(sb_mesh_text *text, reader *r)
{
  r->dimension = 3;
  if (!sb_text_check(text) || !read_header(text, "vertices", r)) return false;
  if (r->dimension != 2 && r->dimension != 3)
    return sb_text_error(text, "E216", "vertices in %" PRId64 " dimensions; 2 and 3 are supported", r->dimension);
  if (r->mass_attribute > r->attributes)
    return sb_text_error(text, "E106", "mesh_mass is attribute %" PRId64 ", but vertices have %" PRId64,
                         r->mass_attribute, r->attributes);
  for (int64_t i = 0; i < r->count; ++i)
    if (!read_vertex(text, r)) return false;
  return !sb_text_line(text) ||
         sb_text_error(text, "E200", "the header declares %" PRId64 " vertices; this line is one too many", r->count);
}

static bool read_cell(sb_mesh_text *text, const reader *r, int64_t expected)
{
  int64_t number = 0;
  int32_t corner[4] = {0};
  if (!sb_record_begin(text, "the last cell that the header declares") || !read_number(text, expected)) return false;
  for (int64_t i = 0; i < r->dimension; ++i)
    if (!sb_text_integer(text, "its vertex numbers", &number) ||
        !sb_mesh_vertex(text, number, r->base, r->mesh->vertices, &corner[i]))
      return false;
  const bool added = r->dimension == 4 ? sb_mesh_add_tetrahedron(text, r->mesh, corner)
                                       : sb_mesh_add_polygon(text, r->mesh, 3, corner);
  return added && read_attributes(text, r, false) && sb_text_end_of_line(text);
}

static bool read_cells(sb_mesh_text *text, reader *r)
{
  r->dimension = 4;
  if (!sb_text_check(text) || !read_header(text, "cells", r)) return false;
  if (r->dimension != 3 && r->dimension != 4)
    return sb_text_error(text, "E216", "cells of %" PRId64 " corners; 3 and 4 are supported", r->dimension);
  for (int64_t i = 0; i < r->count; ++i)
    if (!read_cell(text, r, r->base + i)) return false;
  return !sb_text_line(text) ||
         sb_text_error(text, "E200", "the header declares %" PRId64 " cells; this line is one too many", r->count);
}

static bool read_file(const sb_mesh_input *input, const char *path, bool (*read_it)(sb_mesh_text *, reader *),
                      reader *r)
{
  sb_mesh_text text;
  sb_text_open(&text, path, input->bytes, input->size, input->diagnostics);
  text.comment = '#';
  const bool good = read_it(&text, r);
  sb_text_close(&text);
  return good;
}

static bool read(const sb_mesh_input *input, sb_mesh *mesh)
{
  reader r = {.mesh = mesh, .mass_attribute = input->mass_attribute};
  if (!read_file(input, input->path, read_nodes, &r)) return false;
  char *path = sb_mesh_second_file(input->path);
  if (!path) return sb_error_at(input->diagnostics, input->where, "E215", "out of memory");
  sb_mesh_input cells = *input;
  cells.bytes = sb_read_input(path, SB_MESH_BYTES_MAX, input->where, &cells.size, input->diagnostics);
  const bool good = cells.bytes && read_file(&cells, path, read_cells, &r);
  free(cells.bytes);
  free(path);
  return good;
}

const sb_mesh_format sb_mesh_format_tetgen = {
    .name = "tetgen",
    .summary = "TetGen's FILE.node with FILE.ele beside it; attributes may be masses",
    .extensions = "node",
    .second_extension = "ele",
    .has_masses = true,
    .read = read,
};
