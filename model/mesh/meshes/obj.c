/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wavefront OBJ, as text: `v x y z`, `f a b c …` and `l a b …`; numbers from 1, or negative ones counted from the last
 * vertex before the line. Texture, normal, group and material statements are ignored; other geometry (points, curves,
 * surfaces) is refused. Source: Appendix B1 of the Advanced Visualizer manual. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/mesh_format.h"

typedef struct {
  sb_mesh_text text;
  sb_mesh     *mesh;
  int32_t     *corner; /* of the statement being read */
  size_t       corners, capacity;
  int64_t      largest; /* a face may come before its vertices */
  sb_mesh_text largest_at;
} reader;

/* The colour or weight that may follow a position does not matter, but must be numbers. */
static bool read_vertex(reader *r)
{
  double       position[3] = {0}, extra = 0.0;
  sb_mesh_text ahead;
  size_t       length = 0;
  for (size_t c = 0; c < 3; ++c)
    if (!sb_text_real(&r->text, "x, y and z", &position[c])) return false;
  if (!sb_mesh_add_vertex(&r->text, r->mesh, position)) return false;
  for (int i = 0; i < 4; ++i) {
    ahead = r->text;
    if (!sb_text_word(&ahead, &length)) return true;
    if (!sb_text_real(&r->text, "", &extra)) return false;
  }
  return sb_text_end_of_line(&r->text);
}

/* After the vertex: nothing, or "/" and a texture, and "/" and a normal. These are not read, and some exporters leave
 * out the numbers: 2/, 2//, 2/2/, 2//3, 2/2/3. */
static bool is_rest_of_corner(const char *rest, size_t length)
{
  for (int part = 0; part < 2 && length > 0 && *rest == '/'; ++part) {
    size_t n = 1;
    if (n < length && rest[n] == '-') ++n;
    const size_t sign = n;
    while (n < length && rest[n] >= '0' && rest[n] <= '9') ++n;
    if (n == sign && sign > 1) return false;
    rest += n;
    length -= n;
  }
  return length == 0;
}

/* The vertex of "3", "3/1", "3//2" or "3/1/2". */
static bool read_corner(reader *r, size_t length, int32_t *vertex)
{
  const char  *word = r->text.word, *slash = memchr(word, '/', length);
  const size_t digits = slash ? (size_t)(slash - word) : length;
  int64_t      number = 0;
  if (!is_rest_of_corner(word + digits, length - digits))
    return sb_text_error(&r->text, "E202", "'%.*s' is not of the form 1, 1/2, 1//3 or 1/2/3", sb_text_shown(length),
                         word);
  if (!sb_text_digits(&r->text, word, digits, &number)) return false;
  if (number < 0 && -number <= (int64_t)r->mesh->vertices) number += (int64_t)r->mesh->vertices + 1;
  if (number <= 0 || number > INT32_MAX)
    return sb_text_error(&r->text, "E202", "there is no vertex %" PRId64 "; %zu are defined before this line", number,
                         r->mesh->vertices);
  if (number > r->largest) {
    r->largest = number;
    r->largest_at = r->text;
  }
  *vertex = (int32_t)(number - 1);
  return true;
}

static bool read_corners(reader *r)
{
  size_t length = 0;
  r->corners = 0;
  while (sb_text_word(&r->text, &length)) {
    if (r->corners == r->capacity) {
      const size_t capacity = 2 * r->capacity + 8;
      int32_t     *larger = realloc(r->corner, capacity * sizeof *larger);
      if (!larger) return sb_text_error(&r->text, "E215", "the statement does not fit into memory");
      r->corner = larger;
      r->capacity = capacity;
    }
    if (!read_corner(r, length, &r->corner[r->corners])) return false;
    r->corners++;
  }
  return true;
}

static bool read_line(reader *r)
{
  if (!read_corners(r)) return false;
  if (r->corners < 2) return sb_text_error(&r->text, "E200", "the line ends before two vertices");
  for (size_t i = 0; i + 1 < r->corners; ++i)
    if (!sb_mesh_add_line(&r->text, r->mesh, r->corner[i], r->corner[i + 1])) return false;
  return true;
}

static bool read_face(reader *r)
{
  if (!read_corners(r)) return false;
  if (r->corners < 3) return sb_text_error(&r->text, "E200", "the line ends before three vertices");
  return sb_mesh_add_polygon(&r->text, r->mesh, r->corners, r->corner);
}

/* Statements that do not affect positions and edges. */
static bool is_passed_over(const reader *r, size_t length)
{
  static const char *const words[] = {"vn",       "vt",     "g",          "o",        "s",        "usemtl",
                                      "mtllib",   "usemap", "maplib",     "bevel",    "c_interp", "mg",
                                      "d_interp", "lod",    "shadow_obj", "trace_obj"};
  for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
    if (sb_text_is(&r->text, length, words[i])) return true;
  return false;
}

static bool read_statement(reader *r)
{
  size_t length = 0;
  sb_text_word(&r->text, &length);
  if (sb_text_is(&r->text, length, "v")) return read_vertex(r);
  if (sb_text_is(&r->text, length, "f")) return read_face(r);
  if (sb_text_is(&r->text, length, "l")) return read_line(r);
  if (is_passed_over(r, length)) return true;
  return sb_text_error(&r->text, "E216", "statement '%.*s' is not supported; v, f and l are", sb_text_shown(length),
                       r->text.word);
}

static bool read(const sb_mesh_input *input, sb_mesh *mesh)
{
  reader r = {.mesh = mesh};
  sb_text_open(&r.text, input->path, input->bytes, input->size, input->diagnostics);
  r.text.comment = '#';
  r.text.continuation = true;
  bool good = sb_text_check(&r.text);
  while (good && sb_text_line(&r.text)) good = read_statement(&r);
  if (good && r.largest > (int64_t)mesh->vertices)
    good = sb_text_error(&r.largest_at, "E202", "there is no vertex %" PRId64 "; the file has %zu", r.largest,
                         mesh->vertices);
  sb_text_close(&r.text);
  free(r.corner);
  return good;
}

const sb_mesh_format sb_mesh_format_obj = {
    .name = "obj",
    .summary = "Wavefront OBJ: v, f with any number of corners, l",
    .extensions = "obj",
    .read = read,
};
