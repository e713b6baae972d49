/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vertices by tags; see mesh_tags.h. */
#include "model/mesh/mesh_tags.h"

#include <inttypes.h>
#include <stdlib.h>

bool sb_mesh_tags_add(sb_mesh_text *text, sb_mesh_tags *tags, int64_t tag)
{
  if (tag < 1) return sb_text_error(text, "E202", "%" PRId64 " is not a tag of a node; tags start at 1", tag);
  if (tag == INT64_MAX) /* or beyond, see sb_text_digits */
    return sb_text_error(text, "E202", "the tag of a node is beyond %" PRId64, INT64_MAX - 1);
  if (tags->count == tags->capacity) {
    const size_t capacity = tags->capacity + tags->capacity / 2 + 64;
    sb_mesh_tag *larger = tags->count < INT32_MAX ? realloc(tags->tag, capacity * sizeof *larger) : NULL;
    if (!larger) return sb_text_error(text, "E215", "the tags of nodes do not fit into memory");
    tags->tag = larger;
    tags->capacity = capacity;
  }
  tags->tag[tags->count] = (sb_mesh_tag){tag, (int32_t)tags->count};
  tags->count++;
  return true;
}

static int by_tag(const void *a, const void *b)
{
  const int64_t first = ((const sb_mesh_tag *)a)->tag, second = ((const sb_mesh_tag *)b)->tag;
  return (first > second) - (first < second);
}

/* The place in the text is that of the last node, so the message must name both nodes. */
static bool refuse_twins(sb_mesh_text *text, const sb_mesh_tag *a, const sb_mesh_tag *b)
{
  const int32_t first = a->vertex < b->vertex ? a->vertex : b->vertex;
  return sb_text_error(text, "E202",
                       "two nodes have the tag %" PRId64 ": node %" PRId32 " and node %" PRId32 " of the file", a->tag,
                       first + 1, a->vertex + b->vertex - first + 1);
}

bool sb_mesh_tags_close(sb_mesh_text *text, sb_mesh_tags *tags)
{
  bool consecutive = true, ascending = true;
  for (size_t i = 1; i < tags->count; ++i) {
    consecutive = consecutive && tags->tag[i].tag - tags->tag[0].tag == (int64_t)i; /* both at least 1 */
    ascending = ascending && tags->tag[i].tag > tags->tag[i - 1].tag;
  }
  tags->consecutive = consecutive;
  if (!ascending) qsort(tags->tag, tags->count, sizeof *tags->tag, by_tag);
  for (size_t i = 1; !ascending && i < tags->count; ++i)
    if (tags->tag[i].tag == tags->tag[i - 1].tag) return refuse_twins(text, &tags->tag[i - 1], &tags->tag[i]);
  return true;
}

bool sb_mesh_tags_find(sb_mesh_text *text, const sb_mesh_tags *tags, int64_t tag, int32_t *vertex)
{
  const sb_mesh_tag  key = {tag, 0};
  const sb_mesh_tag *found = NULL;
  if (tags->consecutive && tags->count > 0) {
    const int64_t place = tag >= 1 ? tag - tags->tag[0].tag : -1;
    if (place >= 0 && place < (int64_t)tags->count) found = &tags->tag[place];
  } else if (tags->count > 0) {
    found = bsearch(&key, tags->tag, tags->count, sizeof key, by_tag);
  }
  if (!found) return sb_text_error(text, "E202", "no node has the tag %" PRId64, tag);
  *vertex = found->vertex;
  return true;
}

void sb_mesh_tags_clear(sb_mesh_tags *tags)
{
  free(tags->tag);
  *tags = (sb_mesh_tags){0};
}
