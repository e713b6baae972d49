/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vertices with numbers (tags) from the file, in any order and with gaps. Local. */
#pragma once

#include "model/mesh/mesh_text.h"

typedef struct {
  int64_t tag;
  int32_t vertex;
} sb_mesh_tag;

typedef struct {
  sb_mesh_tag *tag; /* [count], in the order added; sorted once closed */
  size_t       count, capacity;
  bool         consecutive; /* tag[i] = tag[0] + i: no search */
} sb_mesh_tags;

/* Adds the tag of the next vertex. False with E202 (less than 1) or E215. */
bool sb_mesh_tags_add(sb_mesh_text *text, sb_mesh_tags *tags, int64_t tag);
/* Ends the list. False with E202 if two tags are equal. */
bool sb_mesh_tags_close(sb_mesh_text *text, sb_mesh_tags *tags);
/* Finds the vertex of a tag in a closed set. False with E202 if there is none. */
bool sb_mesh_tags_find(sb_mesh_text *text, const sb_mesh_tags *tags, int64_t tag, int32_t *vertex);
void sb_mesh_tags_clear(sb_mesh_tags *tags);
