/* YAML with locations, inside the harness: one document as libyaml's nodes, checked to be a tree of plain scalars,
 * lists and mappings without repeated keys, nested at most 32 deep. Local. */
#pragma once

#include <yaml.h>

#include "base/diagnostics.h"

enum { SB_YAML_BYTES_MAX = 1 << 20, SB_YAML_LINE_MAX = 1 << 16, SB_YAML_DEPTH_MAX = 32 };

typedef struct {
  yaml_document_t document;
  const char     *file; /* borrowed */
  sb_diagnostics *diagnostics;
  sb_location     end; /* of the text */
} sb_yaml;

/* False after E110 or E101 (repeated keys); clear it in either case. `yaml` is zeroed but for file and diagnostics. */
bool sb_yaml_load(sb_yaml *yaml, const char *text, size_t length);
void sb_yaml_clear(sb_yaml *yaml);

const yaml_node_t *sb_yaml_root(const sb_yaml *yaml);
/* Of the documents' own numbers, as in items and pairs. */
const yaml_node_t *sb_yaml_node(const sb_yaml *yaml, int number);
sb_location        sb_yaml_location(const sb_yaml *yaml, const yaml_node_t *node);
const char        *sb_yaml_scalar(const yaml_node_t *node); /* the text of a scalar */
size_t             sb_yaml_count(const yaml_node_t *node);  /* items of a list, pairs of a mapping */
const yaml_node_t *sb_yaml_item(const sb_yaml *yaml, const yaml_node_t *list, size_t i);
const yaml_node_t *sb_yaml_key(const sb_yaml *yaml, const yaml_node_t *mapping, size_t i);
const yaml_node_t *sb_yaml_value(const sb_yaml *yaml, const yaml_node_t *mapping, size_t i);
/* The value of a key, NULL when it is not there. */
const yaml_node_t *sb_yaml_find(const sb_yaml *yaml, const yaml_node_t *mapping, const char *key);
