/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PLY, as text and binary in either byte order: elements vertex (x, y, z), face (a list vertex_indices or vertex_index)
 * and edge (vertex1, vertex2); their other properties and other elements are passed over. Source: Greg Turk, "The PLY
 * Polygon File Format". */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/mesh_format.h"

enum { ELEMENTS_MAX = 16, PROPERTIES_MAX = 64 };

typedef enum { PASSED_OVER, X, Y, Z, CORNERS, FIRST, SECOND, ROLES } role;

typedef struct {
  role           role;
  bool           is_list;
  sb_binary_kind count_kind, kind;
} property;

typedef struct {
  bool     is_vertex;
  int64_t  count;
  size_t   properties;
  unsigned roles; /* bits 1 << role */
  property property[PROPERTIES_MAX];
} element;

typedef struct {
  sb_mesh_text text;
  sb_mesh     *mesh;
  element      element[ELEMENTS_MAX];
  size_t       elements;
  int64_t      vertices; /* according to the header */
  int32_t     *corner;
  size_t       capacity;
} reader;

static bool read_kind(reader *r, sb_binary_kind *kind)
{
  static const struct {
    const char    *old, *sized;
    sb_binary_kind kind;
  } names[] = {{"char", "int8", SB_INT8},        {"uchar", "uint8", SB_UINT8},     {"short", "int16", SB_INT16},
               {"ushort", "uint16", SB_UINT16},  {"int", "int32", SB_INT32},       {"uint", "uint32", SB_UINT32},
               {"float", "float32", SB_FLOAT32}, {"double", "float64", SB_FLOAT64}};
  size_t length = 0;
  if (!sb_text_word(&r->text, &length)) return sb_text_error(&r->text, "E200", "the line ends before a type");
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (sb_text_is(&r->text, length, names[i].old) || sb_text_is(&r->text, length, names[i].sized)) {
      *kind = names[i].kind;
      return true;
    }
  return sb_text_error(&r->text, "E216", "'%.*s' is not a type of PLY", sb_text_shown(length), r->text.word);
}

/* The meaning of a property of this name in an element of this name. */
static role role_of(const char *of, bool is_list, const sb_mesh_text *text, size_t length)
{
  static const struct {
    const char *element, *property;
    bool        is_list;
    role        role;
  } roles[] = {{"vertex", "x", false, X},
               {"vertex", "y", false, Y},
               {"vertex", "z", false, Z},
               {"face", "vertex_indices", true, CORNERS},
               {"face", "vertex_index", true, CORNERS},
               {"edge", "vertex1", false, FIRST},
               {"edge", "vertex2", false, SECOND}};
  for (size_t i = 0; of && i < sizeof roles / sizeof roles[0]; ++i)
    if (strcmp(of, roles[i].element) == 0 && is_list == roles[i].is_list && sb_text_is(text, length, roles[i].property))
      return roles[i].role;
  return PASSED_OVER;
}

static bool read_property(reader *r, const char *of)
{
  element *e = &r->element[r->elements - 1];
  property p = {0};
  size_t   length = 0;
  if (e->properties == PROPERTIES_MAX)
    return sb_text_error(&r->text, "E216", "an element has more than %d properties", (int)PROPERTIES_MAX);
  sb_mesh_text ahead = r->text;
  p.is_list = sb_text_word(&ahead, &length) && sb_text_is(&ahead, length, "list");
  if (p.is_list) {
    r->text = ahead;
    if (!read_kind(r, &p.count_kind)) return false;
  }
  if (!read_kind(r, &p.kind)) return false;
  if (!sb_text_word(&r->text, &length)) return sb_text_error(&r->text, "E200", "the line ends before a name");
  p.role = role_of(of, p.is_list, &r->text, length);
  if (p.role != PASSED_OVER && e->roles & 1U << p.role)
    return sb_text_error(&r->text, "E216", "property '%.*s' is given twice", sb_text_shown(length), r->text.word);
  e->roles |= 1U << p.role;
  e->property[e->properties++] = p;
  return sb_text_end_of_line(&r->text);
}

/* "element vertex 8"; *of becomes the name of the element whose properties follow, NULL if they are ignored. */
static bool read_element(reader *r, const char **of)
{
  static const char *const names[] = {"vertex", "face", "edge"};
  size_t                   length = 0;
  if (r->elements == ELEMENTS_MAX)
    return sb_text_error(&r->text, "E216", "the file has more than %d kinds of elements", (int)ELEMENTS_MAX);
  element *e = &r->element[r->elements++];
  if (!sb_text_word(&r->text, &length)) return sb_text_error(&r->text, "E200", "the line ends before a name");
  if (sb_text_is(&r->text, length, "tristrips"))
    return sb_text_error(&r->text, "E216", "element 'tristrips' is not supported; vertex, face and edge are");
  *of = NULL;
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    if (sb_text_is(&r->text, length, names[i])) *of = names[i];
  e->is_vertex = *of == names[0];
  if (e->is_vertex && r->vertices > 0) return sb_text_error(&r->text, "E216", "element 'vertex' is given twice");
  if (!sb_text_integer(&r->text, "the number of elements", &e->count) ||
      !sb_mesh_count(&r->text, "elements", e->count, 1))
    return false;
  if (e->is_vertex) r->vertices = e->count;
  return sb_text_end_of_line(&r->text);
}

/* "format ascii 1.0"; *swapped: binary numbers are in the other order than this machine's. */
static bool read_format(reader *r, bool *binary, bool *swapped)
{
  const uint16_t one = 1;
  const bool     little = *(const unsigned char *)&one == 1;
  size_t         length = 0;
  if (!sb_text_line(&r->text) || !sb_text_word(&r->text, &length) || !sb_text_is(&r->text, length, "ply"))
    return sb_text_error(&r->text, "E216", "the file does not start with 'ply'");
  if (!sb_text_line(&r->text) || !sb_text_word(&r->text, &length) || !sb_text_is(&r->text, length, "format") ||
      !sb_text_word(&r->text, &length))
    return sb_text_error(&r->text, "E200", "the second line is not 'format ascii 1.0' or the like");
  const bool little_file = sb_text_is(&r->text, length, "binary_little_endian");
  *binary = little_file || sb_text_is(&r->text, length, "binary_big_endian");
  *swapped = little_file != little;
  if (!*binary && !sb_text_is(&r->text, length, "ascii"))
    return sb_text_error(&r->text, "E216",
                         "format '%.*s' is not supported; ascii, binary_little_endian and "
                         "binary_big_endian are",
                         sb_text_shown(length), r->text.word);
  return true;
}

/* A line of the header; *done at its last. */
static bool read_header_line(reader *r, const char **of, bool *done)
{
  size_t length = 0;
  if (!sb_text_line(&r->text)) return sb_text_error(&r->text, "E200", "the file ends before end_header");
  sb_text_word(&r->text, &length);
  if (sb_text_is(&r->text, length, "comment") || sb_text_is(&r->text, length, "obj_info")) return true;
  if (sb_text_is(&r->text, length, "element")) return read_element(r, of);
  if (sb_text_is(&r->text, length, "property") && r->elements > 0) return read_property(r, *of);
  *done = sb_text_is(&r->text, length, "end_header");
  return *done || sb_text_error(&r->text, "E216", "'%.*s' is unexpected here", sb_text_shown(length), r->text.word);
}

/* Bytes of the shortest record. */
static size_t least_record(const reader *r, const element *e)
{
  size_t bytes = 0;
  for (size_t i = 0; i < e->properties; ++i) {
    const property *p = &e->property[i];
    bytes += r->text.binary ? sb_binary_size(p->is_list ? p->count_kind : p->kind) : sizeof "0";
  }
  return bytes;
}

/* Counts that the rest of the file can hold, and the properties that make a mesh. */
static bool check_header(reader *r)
{
  static const unsigned position = 1U << X | 1U << Y | 1U << Z, edge = 1U << FIRST | 1U << SECOND;
  for (size_t i = 0; i < r->elements; ++i) {
    const element *e = &r->element[i];
    if (e->count > 0 && e->properties == 0)
      return sb_text_error(&r->text, "E216", "%" PRId64 " elements without a property", e->count);
    if (e->is_vertex && (e->roles & position) != position)
      return sb_text_error(&r->text, "E216", "vertices lack one of the properties x, y and z");
    if (e->roles & edge && (e->roles & edge) != edge)
      return sb_text_error(&r->text, "E216", "edges lack one of the properties vertex1 and vertex2");
    if (e->count > 0 && !sb_mesh_count(&r->text, "elements", e->count, least_record(r, e))) return false;
  }
  return true;
}

static bool read_header(reader *r)
{
  bool        binary = false, swapped = false, done = false;
  const char *of = NULL;
  if (!read_format(r, &binary, &swapped)) return false;
  while (!done)
    if (!read_header_line(r, &of, &done)) return false;
  const char *newline = memchr(r->text.at, '\n', (size_t)(r->text.end - r->text.at));
  if (!newline) return sb_text_error(&r->text, "E200", "the file ends after its header");
  r->text.swapped = swapped;
  r->text.binary = binary;
  if (binary) r->text.at = newline + 1;
  return (binary || sb_text_check(&r->text)) && check_header(r);
}

static bool read_corner(reader *r, const property *p, int32_t *corner)
{
  int64_t number = 0;
  return sb_record_integer(&r->text, p->kind, "the numbers of vertices", &number) &&
         sb_mesh_vertex(&r->text, number, 0, (size_t)r->vertices, corner);
}

static bool reserve_corners(reader *r, size_t count)
{
  if (count <= r->capacity) return true;
  int32_t *larger = realloc(r->corner, count * sizeof *larger);
  if (!larger) return sb_text_error(&r->text, "E215", "a face does not fit into memory");
  r->corner = larger;
  r->capacity = count;
  return true;
}

static bool read_list(reader *r, const property *p)
{
  const size_t least = r->text.binary ? sb_binary_size(p->kind) : sizeof "0" - 1;
  int64_t      count = 0;
  if (!sb_record_integer(&r->text, p->count_kind, "the length of a list", &count) ||
      !sb_mesh_count(&r->text, "items of a list", count, least))
    return false;
  if (p->role == CORNERS && !reserve_corners(r, (size_t)count)) return false;
  for (int64_t i = 0; i < count; ++i)
    if (p->role == CORNERS ? !read_corner(r, p, &r->corner[i])
                           : !sb_record_skip(&r->text, p->kind, "the items of a list"))
      return false;
  return p->role != CORNERS || sb_mesh_add_polygon(&r->text, r->mesh, (size_t)count, r->corner);
}

static bool read_record(reader *r, const element *e)
{
  double  value[ROLES] = {0};
  int32_t end[2] = {0};
  if (!sb_record_begin(&r->text, "the last element that its header declares")) return false;
  for (size_t i = 0; i < e->properties; ++i) {
    const property *p = &e->property[i];
    bool            good = false;
    if (p->is_list)
      good = read_list(r, p);
    else if (p->role == PASSED_OVER)
      good = sb_record_skip(&r->text, p->kind, "all properties");
    else if (p->role == FIRST || p->role == SECOND)
      good = read_corner(r, p, &end[p->role == SECOND]);
    else
      good = sb_record_real(&r->text, p->kind, "x, y and z", &value[p->role]);
    if (!good) return false;
  }
  if (!sb_record_end(&r->text)) return false;
  if (e->roles & 1U << FIRST) return sb_mesh_add_line(&r->text, r->mesh, end[0], end[1]);
  return !e->is_vertex || sb_mesh_add_vertex(&r->text, r->mesh, value + X);
}

static bool read_end(reader *r)
{
  static const char last[] = "all elements that its header declares";
  if (r->text.binary) return sb_record_last(&r->text, last);
  return !sb_text_line(&r->text) || sb_text_error(&r->text, "E200", "the file continues after %s", last);
}

static bool read_body(reader *r)
{
  if (!read_header(r)) return false;
  for (size_t i = 0; i < r->elements; ++i)
    for (int64_t n = 0; n < r->element[i].count; ++n)
      if (!read_record(r, &r->element[i])) return false;
  return read_end(r);
}

static bool read(const sb_mesh_input *input, sb_mesh *mesh)
{
  reader *r = calloc(1, sizeof *r);
  if (!r) return sb_error_at(input->diagnostics, input->where, "E215", "out of memory");
  r->mesh = mesh;
  sb_text_open(&r->text, input->path, input->bytes, input->size, input->diagnostics);
  const bool good = read_body(r);
  sb_text_close(&r->text);
  free(r->corner);
  free(r);
  return good;
}

const sb_mesh_format sb_mesh_format_ply = {
    .name = "ply",
    .summary = "PLY, text and binary: vertices, faces with any number of corners, edges",
    .extensions = "ply",
    .read = read,
};
