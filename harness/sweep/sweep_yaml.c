/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tree of a document from the events of libyaml, whose own trees take time with the square of the depth. */
#include <string.h>
#include <yaml.h>

#include "cases/describe/names.h"
#include "harness/sweep/sweep_reader.h"

typedef struct {
  yaml_parser_t   parser;
  const char     *file, *text;
  size_t          length;
  sb_location     end; /* of the text */
  sb_arena       *arena;
  sb_diagnostics *diagnostics;
} reader;

const sb_yaml_node *sb_yaml_find(const sb_yaml_node *mapping, const char *key)
{
  for (size_t i = 0; i < mapping->count; ++i)
    if (strcmp(mapping->items[i].key, key) == 0) return &mapping->items[i];
  return NULL;
}

/* libyaml counts one line more if the last one has no line feed: an empty node there is after the text. */
static sb_location place_of_mark(const reader *r, yaml_mark_t mark)
{
  const sb_location where = {r->file, (int)mark.line + 1, (int)mark.column + 1};
  return where.line > r->end.line ? r->end : where;
}

/* Line and column of a byte, as libyaml counts them; for bytes that are not UTF-8 it gives only an offset. */
static sb_location place_of_byte(const reader *r, size_t offset)
{
  static const char *const breaks[] = {"\n", "\r\n", "\r", "\xC2\x85", "\xE2\x80\xA8", "\xE2\x80\xA9"}; /* YAML 1.1 */
  enum { BREAKS = sizeof breaks / sizeof *breaks };
  sb_location where = {r->file, 1, 1};
  for (size_t i = 0, bytes; i < offset && i < r->length; i += bytes) {
    size_t k = 0;
    while (k < BREAKS && strncmp(r->text + i, breaks[k], strlen(breaks[k])) != 0) ++k;
    bytes = k < BREAKS ? strlen(breaks[k]) : 1;
    where.column = k < BREAKS ? 1 : where.column + (((unsigned char)r->text[i] & 0xC0) != 0x80);
    where.line += k < BREAKS;
  }
  return where;
}

static bool refuse_syntax(const reader *r)
{
  const yaml_parser_t *p = &r->parser;
  const char          *problem = p->problem ? p->problem : "not readable";
  if (p->error == YAML_READER_ERROR)
    return sb_error_at(r->diagnostics, place_of_byte(r, p->problem_offset), "E110", "not text in UTF-8: %s", problem);
  return sb_error_at(r->diagnostics, place_of_mark(r, p->problem_mark), "E110", "not YAML: %s%s%s",
                     p->context ? p->context : "", p->context ? ", " : "", problem);
}

/* False after E110 for contents that a document may not have. */
static bool check_event(const reader *r, const yaml_event_t *event, int depth)
{
  const sb_location where = place_of_mark(r, event->start_mark);
  /* The data of nodes of all kinds begin with an anchor and a tag. */
  const char *anchor = (const char *)event->data.scalar.anchor, *tag = (const char *)event->data.scalar.tag;
  if (event->type == YAML_ALIAS_EVENT)
    return sb_error_at(r->diagnostics, where, "E110", "'*%s' is an alias; aliases are not read", anchor);
  if (event->type != YAML_SCALAR_EVENT && depth > SB_YAML_DEPTH_MAX)
    return sb_error_at(r->diagnostics, where, "E110", "nested more than %d deep", (int)SB_YAML_DEPTH_MAX);
  if (event->type == YAML_SCALAR_EVENT && memchr(event->data.scalar.value, 0, event->data.scalar.length))
    return sb_error_at(r->diagnostics, where, "E110", "a text with an escaped NUL character");
  if (anchor) return sb_error_at(r->diagnostics, where, "E110", "an anchor for aliases, which are not read");
  if (!tag || strcmp(tag, "!") == 0) return true;
  return strcmp(tag, YAML_STR_TAG) == 0 || strcmp(tag, YAML_SEQ_TAG) == 0 || strcmp(tag, YAML_MAP_TAG) == 0 ||
         sb_error_at(r->diagnostics, where, "E110", "the tag '%s'; types come from the option table", tag);
}

static void read_scalar(const reader *r, const yaml_event_t *event, sb_yaml_node *node)
{
  const yaml_scalar_style_t style = event->data.scalar.style;
  size_t                    characters = 0;
  node->text = sb_arena_copy(r->arena, (const char *)event->data.scalar.value);
  node->plain = style == YAML_PLAIN_SCALAR_STYLE;
  node->quotes = style == YAML_SINGLE_QUOTED_SCALAR_STYLE || style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  for (const char *c = node->text; *c; ++c) characters += ((unsigned char)*c & 0xC0) != 0x80;
  node->as_written = event->start_mark.line == event->end_mark.line &&
                     event->end_mark.index - event->start_mark.index == characters + (node->plain ? 0 : 2);
}

/* False after E101 if a key is given twice. */
static bool check_keys(const reader *r, const sb_yaml_node *node)
{
  const char **names = sb_arena_take(r->arena, node->count, sizeof *names); /* of a list's items NULL */
  for (size_t i = 0; i < node->count; ++i) names[i] = node->items[i].key;
  const size_t *earlier = sb_find_repeated(names, node->count, r->arena);
  for (size_t i = 0; i < node->count; ++i)
    if (earlier[i] < i)
      return sb_error_at(r->diagnostics, node->items[i].key_where, "E101", "'%s' is given twice, first in line %d",
                         names[i], node->items[earlier[i]].key_where.line);
  return true;
}

/* The node that begins with an event, and its contents: as deep as check_event allows. */
static bool read_node(reader *r, const yaml_event_t *first, int depth, sb_yaml_node *node)
{
  sb_yaml_node key = {0};
  *node = (sb_yaml_node){.where = place_of_mark(r, first->start_mark)};
  if (!check_event(r, first, depth)) return false;
  if (first->type == YAML_SCALAR_EVENT) {
    read_scalar(r, first, node);
    return true;
  }
  node->kind = first->type == YAML_SEQUENCE_START_EVENT ? SB_YAML_LIST : SB_YAML_MAPPING;
  for (;;) {
    yaml_event_t event;
    sb_yaml_node child;
    if (!yaml_parser_parse(&r->parser, &event)) return refuse_syntax(r);
    const bool ends = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    const bool good = ends || read_node(r, &event, depth + 1, &child);
    yaml_event_delete(&event);
    if (ends) break;
    if (!good) return false;
    if (node->kind == SB_YAML_MAPPING && !key.text) {
      if (child.kind != SB_YAML_TEXT)
        return sb_error_at(r->diagnostics, child.where, "E102", "a key is a name, not a list");
      key = child;
      continue;
    }
    child.key = key.text;
    child.key_where = key.where;
    *SB_NEW_ITEM(r->arena, node->items, node->count) = child;
    key = (sb_yaml_node){0};
  }
  return check_keys(r, node);
}

/* False after E110 for a line that is too long. */
static bool check_lines(const reader *r)
{
  sb_location line = {r->file, 1, 0};
  for (size_t from = 0; from < r->length; ++line.line) {
    const char  *newline = memchr(r->text + from, '\n', r->length - from);
    const size_t end = newline ? (size_t)(newline - r->text) : r->length;
    if (end - from > SB_YAML_LINE_MAX)
      return sb_error_at(r->diagnostics, line, "E110", "a line of %zu bytes (at most %d)", end - from,
                         (int)SB_YAML_LINE_MAX);
    from = end + 1;
  }
  return true;
}

bool sb_yaml_read(const char *text, size_t length, const char *file, sb_arena *arena, sb_diagnostics *diagnostics,
                  sb_yaml_node *root)
{
  const size_t mark = length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0; /* of the order of bytes */
  reader r = {.file = file, .text = text + mark, .length = length - mark, .arena = arena, .diagnostics = diagnostics};
  int    documents = 0;
  r.end = place_of_byte(&r, r.length);
  if (!check_lines(&r)) return false;
  if (!yaml_parser_initialize(&r.parser)) return sb_error_at(diagnostics, (sb_location){0}, "E110", "no memory");
  yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.text, r.length);
  bool good = true;
  for (bool more = true; good && more;) {
    yaml_event_t event;
    good = yaml_parser_parse(&r.parser, &event) || refuse_syntax(&r);
    more = event.type != YAML_STREAM_END_EVENT;
    documents += event.type == YAML_DOCUMENT_START_EVENT;
    if (documents > 1) /* at its "---": its contents may be empty */
      good = sb_error_at(diagnostics, place_of_mark(&r, event.start_mark), "E110", "a second document; one is read");
    else if (event.type >= YAML_ALIAS_EVENT) /* it begins a node */
      good = read_node(&r, &event, 1, root);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&r.parser);
  if (good && documents == 0)
    good = sb_error_at(diagnostics, (sb_location){file, 1, 1}, "E110", "there is nothing in it");
  return good;
}
