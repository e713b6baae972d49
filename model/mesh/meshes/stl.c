/* SPDX-License-Identifier: GPL-3.0-or-later */
/* STL, as text (`facet normal …`, `outer loop`, three `vertex x y z`, `endloop`, `endfacet`) and binary (80 bytes, a
 * count, 50 bytes a triangle). It repeats a vertex in every triangle: corners whose coordinates are equal are one
 * vertex, numbered where it comes first. Normals are passed over. Source: 3D Systems, "Stereolithography Interface
 * Specification". */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "model/mesh/mesh_format.h"

enum { HEADER = 80, RECORD = 50 };

/* Vertices by their coordinates: open addressing, at most half full. */
typedef struct {
  sb_mesh_text text;
  sb_mesh     *mesh;
  int32_t     *slot; /* vertex + 1; 0 is free */
  size_t       slots;
} reader;

/* FNV-1a over the coordinates, mixed so that its low bits depend on all of them. */
static size_t hash(const double position[3])
{
  uint64_t words[3], sum = 14695981039346656037U;
  memcpy(words, position, sizeof words);
  for (size_t i = 0; i < 3; ++i) {
    sum = (sum ^ words[i]) * 1099511628211U;
    sum ^= sum >> 29;
  }
  return (size_t)(sum * 0x9E3779B97F4A7C15U >> 16);
}

static bool same_bits(const double a[3], const double b[3])
{
  uint64_t first[3], second[3];
  memcpy(first, a, sizeof first);
  memcpy(second, b, sizeof second);
  return memcmp(first, second, sizeof first) == 0;
}

/* The slot of a vertex with these coordinates, or the free one for it. */
static size_t find_slot(const reader *r, const double position[3])
{
  size_t at = hash(position) & (r->slots - 1);
  while (r->slot[at] > 0 && !same_bits(r->mesh->position + 3 * (size_t)(r->slot[at] - 1), position))
    at = (at + 1) & (r->slots - 1);
  return at;
}

static bool widen(reader *r)
{
  if (2 * r->mesh->vertices < r->slots) return true;
  free(r->slot);
  r->slots = r->slots > 0 ? 2 * r->slots : 1024;
  r->slot = calloc(r->slots, sizeof *r->slot);
  if (!r->slot) return sb_text_error(&r->text, "E215", "the vertices do not fit into memory");
  for (size_t v = 0; v < r->mesh->vertices; ++v) r->slot[find_slot(r, r->mesh->position + 3 * v)] = (int32_t)v + 1;
  return true;
}

static bool vertex_at(reader *r, double position[3], int32_t *vertex)
{
  for (size_t c = 0; c < 3; ++c) position[c] += 0.0; /* -0 becomes 0 */
  if (!widen(r)) return false;
  const size_t at = find_slot(r, position);
  if (r->slot[at] == 0) {
    if (!sb_mesh_add_vertex(&r->text, r->mesh, position)) return false;
    r->slot[at] = (int32_t)r->mesh->vertices;
  }
  *vertex = r->slot[at] - 1;
  return true;
}

static bool read_corner(reader *r, int32_t *corner)
{
  double position[3] = {0};
  for (size_t c = 0; c < 3; ++c)
    if (!sb_record_real(&r->text, SB_FLOAT32, "x, y and z", &position[c])) return false;
  return vertex_at(r, position, corner);
}

static bool read_binary(reader *r)
{
  int64_t count = 0;
  int32_t corner[3] = {0};
  r->text.at = r->text.begin + HEADER;
  if (!sb_record_integer(&r->text, SB_UINT32, "the number of triangles", &count) ||
      !sb_mesh_count(&r->text, "triangles", count, RECORD))
    return false;
  for (int64_t i = 0; i < count; ++i) {
    const char *begin = r->text.at;
    r->text.at += 3 * sizeof(float);
    for (size_t c = 0; c < 3; ++c)
      if (!read_corner(r, &corner[c])) return false;
    r->text.at = begin + RECORD;
    if (!sb_mesh_add_polygon(&r->text, r->mesh, 3, corner)) return false;
  }
  return sb_record_last(&r->text, "the triangles that it declares");
}

/* The next line has these words; anything may follow the last one. */
static bool expect(reader *r, const char *first, const char *second)
{
  const char *const words[] = {first, second};
  size_t            length = 0;
  if (!sb_text_line(&r->text)) return sb_text_error(&r->text, "E200", "the file ends before '%s'", first);
  for (size_t i = 0; i < 2 && words[i]; ++i)
    if (!sb_text_word(&r->text, &length) || !sb_text_is(&r->text, length, words[i]))
      return sb_text_error(&r->text, "E216", "expected '%s'", words[i]);
  return true;
}

/* Reads the part after "facet normal". */
static bool read_facet(reader *r)
{
  int32_t corner[3] = {0};
  if (!expect(r, "outer", "loop")) return false;
  for (size_t c = 0; c < 3; ++c)
    if (!expect(r, "vertex", NULL) || !read_corner(r, &corner[c]) || !sb_text_end_of_line(&r->text)) return false;
  return sb_mesh_add_polygon(&r->text, r->mesh, 3, corner) && expect(r, "endloop", NULL) && expect(r, "endfacet", NULL);
}

/* One of several solids; a line `endsolid` ends each. */
static bool read_solid(reader *r)
{
  size_t length = 0;
  for (;;) {
    if (!sb_text_line(&r->text)) return sb_text_error(&r->text, "E200", "the file ends before 'endsolid'");
    sb_text_word(&r->text, &length);
    if (sb_text_is(&r->text, length, "endsolid")) return true;
    if (!sb_text_is(&r->text, length, "facet"))
      return sb_text_error(&r->text, "E216", "expected 'facet' or 'endsolid'");
    if (!read_facet(r)) return false;
  }
}

static bool read_text(reader *r)
{
  size_t length = 0;
  if (!sb_text_check(&r->text)) return false;
  while (sb_text_line(&r->text)) {
    if (!sb_text_word(&r->text, &length) || !sb_text_is(&r->text, length, "solid"))
      return sb_text_error(&r->text, "E216", "expected 'solid'");
    if (!read_solid(r)) return false;
  }
  return true;
}

/* Text starts with "solid", perhaps after blanks or a byte order mark or in capitals; so do some binary files, but text
 * has no NUL. */
static bool is_binary(const sb_mesh_input *input)
{
  if (input->size < HEADER + 4 || memchr(input->bytes, '\0', HEADER + 4)) return input->size >= HEADER + 4;
  size_t at = memcmp(input->bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
  while (at < HEADER && strchr(" \t\r\n", input->bytes[at])) ++at;
  return strncasecmp(input->bytes + at, "solid", 5) != 0;
}

static bool is_big_endian(void)
{
  const uint16_t one = 1;
  return *(const unsigned char *)&one == 0;
}

static bool read(const sb_mesh_input *input, sb_mesh *mesh)
{
  reader r = {.mesh = mesh};
  sb_text_open(&r.text, input->path, input->bytes, input->size, input->diagnostics);
  r.text.binary = is_binary(input);
  r.text.swapped = is_big_endian();
  const bool good = r.text.binary ? read_binary(&r) : read_text(&r);
  sb_text_close(&r.text);
  free(r.slot);
  return good;
}

const sb_mesh_format sb_mesh_format_stl = {
    .name = "stl",
    .summary = "STL, text and binary; corners with equal coordinates are one vertex",
    .extensions = "stl",
    .read = read,
};
