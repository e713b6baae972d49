/* YAML with locations, inside the harness: one document as a tree of texts, lists and mappings. Refused is what sweep
 * files do not need: aliases (they can make a small file huge), tags, several documents, nesting more than 32 deep,
 * keys that are no names or stand twice. Local. */
#pragma once

#include "base/arena.h"
#include "base/diagnostics.h"

enum { SB_YAML_BYTES_MAX = 1 << 20, SB_YAML_LINE_MAX = 1 << 16, SB_YAML_DEPTH_MAX = 32 };

typedef enum { SB_YAML_TEXT, SB_YAML_LIST, SB_YAML_MAPPING } sb_yaml_kind;

typedef struct sb_yaml_node {
  sb_yaml_kind         kind;
  const char          *key; /* of a value in a mapping, else NULL */
  sb_location          where, key_where;
  char                *text;       /* of a text, which is */
  bool                 plain;      /* without quotes */
  int                  quotes;     /* 1: they stand before it */
  bool                 as_written; /* in the file character for character: then places within it can be told */
  size_t               count;      /* of a list, of a mapping */
  struct sb_yaml_node *items;      /* of a list, or the values of a mapping */
} sb_yaml_node;

/* `text` [length] ends in a NUL behind it; `file` is borrowed. The tree lives in the arena. False after E110, E101 or
 * E102. */
bool sb_yaml_read(const char *text, size_t length, const char *file, sb_arena *arena, sb_diagnostics *diagnostics,
                  sb_yaml_node *root);
/* The value of a key, NULL when it is not there. */
const sb_yaml_node *sb_yaml_find(const sb_yaml_node *mapping, const char *key);
