/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Gmsh's .msh 2 and 4.1, as text and binary in either byte order: sections $Nodes and $Elements; the others are passed
 * over. Vertices keep the file's order, their tags are only used to find them. Lines, triangles, quadrangles,
 * tetrahedra, and the edges of hexahedra, prisms and pyramids become edges; points do not; elements of higher order are
 * refused. Source: "MSH file format", Gmsh's reference manual. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "model/mesh/mesh_format.h"
#include "model/mesh/mesh_tags.h"

enum { CORNERS_MAX = 8 };

typedef struct {
  sb_mesh_text text;
  sb_mesh     *mesh;
  bool         version4, has_nodes;
  sb_mesh_tags tags;
} reader;

/* Corners of element types 1 to 7; 15 is a point. */
static bool corners_of(reader *r, int64_t type, int *corners)
{
  static const int known[] = {0, 2, 3, 4, 4, 8, 6, 5};
  *corners = type > 0 && type < 8 ? known[type] : type == 15 ? 1 : 0;
  return *corners > 0 ||
         sb_text_error(&r->text, "E216",
                       "element type %" PRId64 " is not supported; straight lines, triangles, quadrangles, tetrahedra, "
                       "hexahedra, prisms and pyramids are",
                       type);
}

static bool add_edges(reader *r, size_t edges, const int edge[][2], const int32_t *corner)
{
  for (size_t e = 0; e < edges; ++e)
    if (!sb_mesh_add_line(&r->text, r->mesh, corner[edge[e][0]], corner[edge[e][1]])) return false;
  return true;
}

static bool add_element(reader *r, int64_t type, const int32_t *corner)
{
  static const int hexahedron[12][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {4, 5}, {5, 6},
                                        {6, 7}, {7, 4}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  static const int prism[9][2] = {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}};
  static const int pyramid[8][2] = {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}};
  switch (type) {
  case 1:
    return sb_mesh_add_line(&r->text, r->mesh, corner[0], corner[1]);
  case 2:
    return sb_mesh_add_polygon(&r->text, r->mesh, 3, corner);
  case 3:
    return sb_mesh_add_polygon(&r->text, r->mesh, 4, corner);
  case 4:
    return sb_mesh_add_tetrahedron(&r->text, r->mesh, corner);
  case 5:
    return add_edges(r, 12, hexahedron, corner);
  case 6:
    return add_edges(r, 9, prism, corner);
  case 7:
    return add_edges(r, 8, pyramid, corner);
  default:
    return true;
  }
}

static sb_binary_kind tag_kind(const reader *r) { return r->version4 ? SB_INT64 : SB_INT32; }

static bool pass_integer(reader *r, const char *what) { return sb_record_skip(&r->text, SB_INT32, what); }

/* The coordinates of a vertex, and `parameters` numbers more, which end a record. */
static bool read_position(reader *r, int64_t parameters)
{
  double position[3] = {0};
  for (size_t c = 0; c < 3; ++c)
    if (!sb_record_real(&r->text, SB_FLOAT64, "x, y and z", &position[c])) return false;
  for (int64_t i = 0; i < parameters; ++i)
    if (!sb_record_skip(&r->text, SB_FLOAT64, "its parameters")) return false;
  return sb_record_end(&r->text) && sb_mesh_add_vertex(&r->text, r->mesh, position);
}

static bool read_tag(reader *r)
{
  int64_t tag = 0;
  return sb_record_integer(&r->text, tag_kind(r), "the tag of a node", &tag) &&
         sb_mesh_tags_add(&r->text, &r->tags, tag);
}

/* Corners by their tags. */
static bool read_corners(reader *r, int64_t type, int corners)
{
  int32_t corner[CORNERS_MAX] = {0};
  for (int i = 0; i < corners; ++i) {
    int64_t tag = 0;
    if (!sb_record_integer(&r->text, tag_kind(r), "its nodes", &tag)) return false;
    if (!sb_mesh_tags_find(&r->text, &r->tags, tag, &corner[i])) return false;
  }
  return sb_record_end(&r->text) && add_element(r, type, corner);
}

/* A count on its own line, which is text in binary files, too; binary numbers start after its line end. */
static bool read_count_line(reader *r, const char *what, size_t least_text, size_t least_binary, int64_t *count)
{
  if (!sb_text_line(&r->text)) return sb_text_error(&r->text, "E200", "the file ends before the number of %s", what);
  if (!sb_text_integer(&r->text, what, count) || !sb_text_end_of_line(&r->text)) return false;
  if (r->text.binary && r->text.at < r->text.end) r->text.at++;
  return sb_mesh_count(&r->text, what, *count, r->text.binary ? least_binary : least_text);
}

static bool read_nodes_2(reader *r)
{
  int64_t count = 0;
  if (!read_count_line(r, "nodes", sizeof "1 0 0 0", 28, &count)) return false;
  for (int64_t i = 0; i < count; ++i)
    if (!sb_record_begin(&r->text, "the last node that its section declares") || !read_tag(r) || !read_position(r, 0))
      return false;
  return true;
}

/* Text: number, type, number of tags, tags, nodes. */
static bool read_element_2(reader *r)
{
  int64_t type = 0, tags = 0;
  int     corners = 0;
  if (!sb_record_begin(&r->text, "the last element that its section declares") || !pass_integer(r, "its number") ||
      !sb_text_integer(&r->text, "its type", &type) || !corners_of(r, type, &corners) ||
      !sb_text_integer(&r->text, "the number of its tags", &tags) || !sb_mesh_count(&r->text, "tags", tags, 2))
    return false;
  for (int64_t i = 0; i < tags; ++i)
    if (!pass_integer(r, "its tags")) return false;
  return read_corners(r, type, corners);
}

/* Binary: type, number of elements, number of tags; then number, tags and nodes of each. */
static bool read_block_2(reader *r, int64_t *left)
{
  int64_t type = 0, count = 0, tags = 0;
  int     corners = 0;
  if (!sb_record_integer(&r->text, SB_INT32, "the type of elements", &type) || !corners_of(r, type, &corners) ||
      !sb_record_integer(&r->text, SB_INT32, "their number", &count) ||
      !sb_mesh_count(&r->text, "elements", count, 4) ||
      !sb_record_integer(&r->text, SB_INT32, "the number of their tags", &tags) ||
      !sb_mesh_count(&r->text, "tags", tags, 4))
    return false;
  if (count < 1 || count > *left)
    return sb_text_error(&r->text, "E200", "a block of %" PRId64 " elements where %" PRId64 " are left", count, *left);
  *left -= count;
  for (; count > 0; --count) {
    for (int64_t i = 0; i < 1 + tags; ++i)
      if (!pass_integer(r, "the number and the tags of an element")) return false;
    if (!read_corners(r, type, corners)) return false;
  }
  return true;
}

static bool read_elements_2(reader *r)
{
  int64_t count = 0;
  if (!read_count_line(r, "elements", sizeof "1 15 0 1", 8, &count)) return false;
  while (count > 0)
    if (r->text.binary) {
      if (!read_block_2(r, &count)) return false;
    } else {
      if (!read_element_2(r)) return false;
      count--;
    }
  return true;
}

/* The line that opens a section of version 4: blocks, items, least and largest tag. */
static bool read_section_4(reader *r, const char *what, size_t least, int64_t *blocks, int64_t *items)
{
  int64_t tag = 0;
  if (!sb_record_begin(&r->text, "the counts of a section")) return false;
  return sb_record_integer(&r->text, SB_INT64, "the number of blocks", blocks) &&
         sb_mesh_count(&r->text, "blocks", *blocks, 8) &&
         sb_record_integer(&r->text, SB_INT64, "their number", items) && sb_mesh_count(&r->text, what, *items, least) &&
         sb_record_integer(&r->text, SB_INT64, "the least tag", &tag) &&
         sb_record_integer(&r->text, SB_INT64, "the largest tag", &tag) && sb_record_end(&r->text);
}

typedef struct {
  int64_t dimension, third; /* of the entity; parametric or not, or the element's type */
  int64_t count;
} block;

static bool read_block_4(reader *r, const char *what, size_t least, int64_t left, block *b)
{
  if (!sb_record_begin(&r->text, "the last block that its section declares") ||
      !sb_record_integer(&r->text, SB_INT32, "the dimension of an entity", &b->dimension) ||
      !pass_integer(r, "the tag of an entity") || !sb_record_integer(&r->text, SB_INT32, "its type", &b->third) ||
      !sb_record_integer(&r->text, SB_INT64, "the size of a block", &b->count) ||
      !sb_mesh_count(&r->text, what, b->count, least))
    return false;
  if (b->count > left)
    return sb_text_error(&r->text, "E200", "a block of %" PRId64 " %s where %" PRId64 " are left", b->count, what,
                         left);
  return sb_record_end(&r->text);
}

static bool read_node_block_4(reader *r, const block *b)
{
  const int64_t parameters = b->third != 0 ? b->dimension : 0;
  if (parameters < 0 || parameters > 3)
    return sb_text_error(&r->text, "E202", "an entity of dimension %" PRId64, b->dimension);
  for (int64_t i = 0; i < b->count; ++i)
    if (!sb_record_begin(&r->text, "the last tag of a block") || !read_tag(r) || !sb_record_end(&r->text)) return false;
  for (int64_t i = 0; i < b->count; ++i)
    if (!sb_record_begin(&r->text, "the last node of a block") || !read_position(r, parameters)) return false;
  return true;
}

static bool read_nodes_4(reader *r)
{
  const size_t least = r->text.binary ? 32 : sizeof "1 0 0 0";
  int64_t      blocks = 0, left = 0;
  block        b;
  if (!read_section_4(r, "nodes", least, &blocks, &left)) return false;
  for (; blocks > 0; --blocks) {
    if (!read_block_4(r, "nodes", least, left, &b) || !read_node_block_4(r, &b)) return false;
    left -= b.count;
  }
  return left == 0 ||
         sb_text_error(&r->text, "E200", "the blocks have %" PRId64 " nodes fewer than their section declares", left);
}

static bool read_elements_4(reader *r)
{
  const size_t least = r->text.binary ? 16 : sizeof "1 1";
  int64_t      blocks = 0, left = 0;
  int          corners = 0;
  block        b;
  if (!read_section_4(r, "elements", least, &blocks, &left)) return false;
  for (; blocks > 0; --blocks) {
    if (!read_block_4(r, "elements", least, left, &b) || !corners_of(r, b.third, &corners)) return false;
    for (int64_t i = 0; i < b.count; ++i) {
      int64_t tag = 0;
      if (!sb_record_begin(&r->text, "the last element of a block") ||
          !sb_record_integer(&r->text, SB_INT64, "its tag", &tag) || !read_corners(r, b.third, corners))
        return false;
    }
    left -= b.count;
  }
  return left == 0 || sb_text_error(&r->text, "E200",
                                    "the blocks have %" PRId64 " elements fewer than their section declares", left);
}

/* Past "$EndName" of a section whose contents do not matter. */
static bool skip_section(reader *r, const char *end_name)
{
  sb_mesh_text *t = &r->text;
  size_t        length = 0;
  if (t->binary) {
    const char *end = memmem(t->at, (size_t)(t->end - t->at), end_name, strlen(end_name));
    if (!end) return sb_text_error(t, "E200", "the file ends before %s", end_name);
    t->at = end + strlen(end_name);
    return true;
  }
  while (sb_text_line(t))
    if (sb_text_word(t, &length) && sb_text_is(t, length, end_name)) return true;
  return sb_text_error(t, "E200", "the file ends before %s", end_name);
}

/* "$EndName" must come next. */
static bool read_end(reader *r, const char *end_name)
{
  size_t length = 0;
  while (r->text.binary && r->text.at < r->text.end && strchr(" \r\n", *r->text.at)) r->text.at++;
  if (!r->text.binary && !sb_text_line(&r->text))
    return sb_text_error(&r->text, "E200", "the file ends before %s", end_name);
  return (sb_text_word(&r->text, &length) && sb_text_is(&r->text, length, end_name)) ||
         sb_text_error(&r->text, "E200", "%s is missing at the end of the data of its section", end_name);
}

/* Binary numbers begin after the line end of the section's name. */
static void pass_line_end(reader *r)
{
  const char *newline = memchr(r->text.at, '\n', (size_t)(r->text.end - r->text.at));
  r->text.at = newline ? newline + 1 : r->text.end;
}

static bool read_nodes(reader *r)
{
  if (r->has_nodes) return sb_text_error(&r->text, "E216", "a second section $Nodes");
  r->has_nodes = true;
  if (r->version4 && r->text.binary) pass_line_end(r);
  return (r->version4 ? read_nodes_4(r) : read_nodes_2(r)) && sb_mesh_tags_close(&r->text, &r->tags) &&
         read_end(r, "$EndNodes");
}

static bool read_elements(reader *r)
{
  if (!r->has_nodes) return sb_text_error(&r->text, "E216", "$Elements before $Nodes");
  if (r->version4 && r->text.binary) pass_line_end(r);
  return (r->version4 ? read_elements_4(r) : read_elements_2(r)) && read_end(r, "$EndElements");
}

static bool read_section(reader *r)
{
  char   end_name[64] = "$End";
  size_t length = 0;
  sb_text_word(&r->text, &length);
  if (*r->text.word != '$' || length >= sizeof end_name - strlen("$End"))
    return sb_text_error(&r->text, "E216", "expected the name of a section, such as $Nodes");
  if (sb_text_is(&r->text, length, "$Nodes")) return read_nodes(r);
  if (sb_text_is(&r->text, length, "$Elements")) return read_elements(r);
  memcpy(end_name + strlen("$End"), r->text.word + 1, length - 1);
  return skip_section(r, end_name);
}

/* The number 1, which shows the byte order. */
static bool read_byte_order(reader *r)
{
  int64_t one = 0;
  pass_line_end(r);
  r->text.binary = true;
  if (!sb_record_integer(&r->text, SB_INT32, "the number that shows the byte order", &one)) return false;
  r->text.swapped = one == 0x01000000;
  return one == 1 || r->text.swapped ||
         sb_text_error(&r->text, "E216", "the byte order is neither little nor big endian");
}

/* "2.2 0 8": version, binary or not, bytes of a number. */
/* 2.0 to 2.2 differ in nothing that is read here. */
static bool is_version_2(const char *word, size_t length)
{
  return length == 3 && memcmp(word, "2.", 2) == 0 && word[2] >= '0' && word[2] <= '2';
}

static bool read_format(reader *r)
{
  size_t  length = 0;
  int64_t binary = 0, bytes = 0;
  if (!sb_text_line(&r->text) || !sb_text_word(&r->text, &length) || !sb_text_is(&r->text, length, "$MeshFormat"))
    return sb_text_error(&r->text, "E216", "the file does not start with $MeshFormat");
  if (!sb_text_line(&r->text) || !sb_text_word(&r->text, &length))
    return sb_text_error(&r->text, "E200", "the file ends before its version");
  r->version4 = sb_text_is(&r->text, length, "4.1");
  if (!r->version4 && !sb_text_is(&r->text, length, "2") && !is_version_2(r->text.word, length))
    return sb_text_error(&r->text, "E216", "version %.*s is not supported; 2.2 and 4.1 are", sb_text_shown(length),
                         r->text.word);
  if (!sb_text_integer(&r->text, "0 for text or 1 for binary", &binary)) return false;
  if (binary != 0 && binary != 1) return sb_text_error(&r->text, "E216", "neither 0 for text nor 1 for binary");
  if (!sb_text_integer(&r->text, "the size of numbers", &bytes)) return false;
  if (bytes != 8) return sb_text_error(&r->text, "E216", "numbers of %" PRId64 " bytes; 8 are supported", bytes);
  if (!sb_text_end_of_line(&r->text)) return false;
  return (binary == 1 ? read_byte_order(r) : sb_text_check(&r->text)) && read_end(r, "$EndMeshFormat");
}

static bool read(const sb_mesh_input *input, sb_mesh *mesh)
{
  reader r = {.mesh = mesh};
  sb_text_open(&r.text, input->path, input->bytes, input->size, input->diagnostics);
  bool good = read_format(&r);
  while (good && sb_text_line(&r.text)) {
    const bool padding = r.text.binary && *r.text.word == '\0';
    good = padding ? sb_record_last(&r.text, "its last section") : read_section(&r);
    if (padding) break;
  }
  sb_text_close(&r.text);
  sb_mesh_tags_clear(&r.tags);
  return good;
}

const sb_mesh_format sb_mesh_format_gmsh = {
    .name = "gmsh",
    .summary = "Gmsh 2.2 and 4.1, text and binary: lines, polygons and cells of first order",
    .extensions = "msh",
    .read = read,
};
