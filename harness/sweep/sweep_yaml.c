/* Loading a document by libyaml and refusing what sweep files do not need: aliases (they can make a small file huge),
 * tags, several documents, deep nesting, repeated keys. */
#include "harness/sweep/sweep_yaml.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

const yaml_node_t *sb_yaml_node(const sb_yaml *yaml, int number) { return &yaml->document.nodes.start[number - 1]; }

const yaml_node_t *sb_yaml_root(const sb_yaml *yaml) { return sb_yaml_node(yaml, 1); }

/* libyaml counts a line more when the last one has no line feed: what is empty there stands behind the text. */
static sb_location location_of_mark(const sb_yaml *yaml, yaml_mark_t mark)
{
  const sb_location where = {yaml->file, (int)mark.line + 1, (int)mark.column + 1};
  return where.line > yaml->end.line ? yaml->end : where;
}

sb_location sb_yaml_location(const sb_yaml *yaml, const yaml_node_t *node)
{
  return location_of_mark(yaml, node->start_mark);
}

const char *sb_yaml_scalar(const yaml_node_t *node) { return (const char *)node->data.scalar.value; }

size_t sb_yaml_count(const yaml_node_t *node)
{
  if (node->type == YAML_SEQUENCE_NODE)
    return (size_t)(node->data.sequence.items.top - node->data.sequence.items.start);
  return (size_t)(node->data.mapping.pairs.top - node->data.mapping.pairs.start);
}

const yaml_node_t *sb_yaml_item(const sb_yaml *yaml, const yaml_node_t *list, size_t i)
{
  return sb_yaml_node(yaml, list->data.sequence.items.start[i]);
}

const yaml_node_t *sb_yaml_key(const sb_yaml *yaml, const yaml_node_t *mapping, size_t i)
{
  return sb_yaml_node(yaml, mapping->data.mapping.pairs.start[i].key);
}

const yaml_node_t *sb_yaml_value(const sb_yaml *yaml, const yaml_node_t *mapping, size_t i)
{
  return sb_yaml_node(yaml, mapping->data.mapping.pairs.start[i].value);
}

const yaml_node_t *sb_yaml_find(const sb_yaml *yaml, const yaml_node_t *mapping, const char *key)
{
  for (size_t i = 0; i < sb_yaml_count(mapping); ++i)
    if (strcmp(sb_yaml_scalar(sb_yaml_key(yaml, mapping, i)), key) == 0) return sb_yaml_value(yaml, mapping, i);
  return NULL;
}

/* Bytes of the line break at the text's start, 0: none. YAML 1.1, 5.4: LF, CR, CR LF, NEL, LS, PS. */
static size_t line_break(const char *text, size_t length)
{
  switch ((unsigned char)*text) {
  case '\n':
    return 1;
  case '\r':
    return length >= 2 && text[1] == '\n' ? 2 : 1;
  case 0xC2:
    return length >= 2 && memcmp(text, "\xC2\x85", 2) == 0 ? 2 : 0;
  case 0xE2:
    return length >= 3 && (memcmp(text, "\xE2\x80\xA8", 3) == 0 || memcmp(text, "\xE2\x80\xA9", 3) == 0) ? 3 : 0;
  default:
    return 0;
  }
}

/* Line and column of a byte, as libyaml counts them; for what is not UTF-8 it gives only an offset. */
static sb_location location_of_byte(const sb_yaml *yaml, const char *text, size_t length, size_t offset)
{
  sb_location where = {yaml->file, 1, 1};
  for (size_t i = 0; i < offset && i < length;) {
    const size_t bytes = line_break(text + i, length - i);
    if (bytes > 0) {
      where.line++;
      where.column = 1;
    } else
      where.column += ((unsigned char)text[i] & 0xC0) != 0x80;
    i += bytes > 0 ? bytes : 1;
  }
  return where;
}

static bool refuse_syntax(const sb_yaml *yaml, const yaml_parser_t *parser, const char *text, size_t length)
{
  const char *problem = parser->problem ? parser->problem : "not readable";
  if (parser->error == YAML_READER_ERROR)
    return sb_error_at(yaml->diagnostics, location_of_byte(yaml, text, length, parser->problem_offset), "E110",
                       "not text in UTF-8: %s", problem);
  const sb_location where = location_of_mark(yaml, parser->problem_mark);
  if (parser->context)
    return sb_error_at(yaml->diagnostics, where, "E110", "not YAML: %s, %s", parser->context, problem);
  return sb_error_at(yaml->diagnostics, where, "E110", "not YAML: %s", problem);
}

static bool check_lines(const sb_yaml *yaml, const char *text, size_t length)
{
  sb_location where = {yaml->file, 1, 0};
  for (size_t from = 0; from < length; ++where.line) {
    const char  *newline = memchr(text + from, '\n', length - from);
    const size_t end = newline ? (size_t)(newline - text) : length;
    if (end - from > SB_YAML_LINE_MAX)
      return sb_error_at(yaml->diagnostics, where, "E110", "a line of %zu bytes (at most %d)", end - from,
                         (int)SB_YAML_LINE_MAX);
    from = end + 1;
  }
  return true;
}

static void give_text(yaml_parser_t *parser, const char *text, size_t length)
{
  yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(parser, (const unsigned char *)text, length);
}

/* False after E110 for what a document may not have. */
static bool check_event(const sb_yaml *yaml, const yaml_event_t *event, int *depth)
{
  const sb_location where = location_of_mark(yaml, event->start_mark);
  const bool        opens = event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT;
  const bool        closes = event->type == YAML_SEQUENCE_END_EVENT || event->type == YAML_MAPPING_END_EVENT;
  *depth += opens - closes;
  if (*depth > SB_YAML_DEPTH_MAX)
    return sb_error_at(yaml->diagnostics, where, "E110", "nested more than %d deep", (int)SB_YAML_DEPTH_MAX);
  if (event->type == YAML_ALIAS_EVENT)
    return sb_error_at(yaml->diagnostics, where, "E110", "'*%s' is an alias; aliases are not read",
                       event->data.alias.anchor);
  if (event->type == YAML_SCALAR_EVENT && memchr(event->data.scalar.value, 0, event->data.scalar.length))
    return sb_error_at(yaml->diagnostics, where, "E110", "a text with a NUL character, written as an escape");
  const bool named = (event->type == YAML_SCALAR_EVENT && event->data.scalar.anchor) ||
                     (event->type == YAML_SEQUENCE_START_EVENT && event->data.sequence_start.anchor) ||
                     (event->type == YAML_MAPPING_START_EVENT && event->data.mapping_start.anchor);
  return !named || sb_error_at(yaml->diagnostics, where, "E110", "an anchor for aliases, which are not read");
}

/* Before a document is built: libyaml takes time with the square of the depth, and of the number of anchors. */
static bool check_events(const sb_yaml *yaml, const char *text, size_t length)
{
  yaml_parser_t parser;
  yaml_event_t  event;
  int           depth = 0;
  bool          good = true, more = true;
  if (!yaml_parser_initialize(&parser)) return sb_error_at(yaml->diagnostics, (sb_location){0}, "E110", "no memory");
  give_text(&parser, text, length);
  while (good && more) {
    if (!yaml_parser_parse(&parser, &event)) {
      good = refuse_syntax(yaml, &parser, text, length);
      break;
    }
    more = event.type != YAML_STREAM_END_EVENT;
    good = check_event(yaml, &event, &depth);
    yaml_event_delete(&event);
  }
  yaml_parser_delete(&parser);
  return good;
}

static bool load_document(sb_yaml *yaml, yaml_parser_t *parser, const char *text, size_t length)
{
  give_text(parser, text, length);
  if (!yaml_parser_load(parser, &yaml->document)) return refuse_syntax(yaml, parser, text, length);
  if (!yaml_document_get_root_node(&yaml->document))
    return sb_error_at(yaml->diagnostics, (sb_location){yaml->file, 1, 1}, "E110", "there is nothing in it");
  yaml_document_t more;
  if (!yaml_parser_load(parser, &more)) return refuse_syntax(yaml, parser, text, length);
  const bool second = yaml_document_get_root_node(&more) != NULL;
  if (second) /* at its "---": what it holds may be nothing */
    sb_error_at(yaml->diagnostics, location_of_mark(yaml, more.start_mark), "E110", "a second document; one is read");
  yaml_document_delete(&more);
  return !second;
}

static int compare_keys(const void *a, const void *b)
{
  const yaml_node_t *x = *(const yaml_node_t *const *)a, *y = *(const yaml_node_t *const *)b;
  const int          order = strcmp(sb_yaml_scalar(x), sb_yaml_scalar(y));
  return order ? order : (x->start_mark.index > y->start_mark.index) - (x->start_mark.index < y->start_mark.index);
}

static bool check_keys(const sb_yaml *yaml, const yaml_node_t *mapping)
{
  const size_t        count = sb_yaml_count(mapping);
  const yaml_node_t **keys = sb_allocate(count, sizeof *keys);
  bool                good = true;
  for (size_t i = 0; i < count && good; ++i) {
    keys[i] = sb_yaml_key(yaml, mapping, i);
    if (keys[i]->type != YAML_SCALAR_NODE)
      good = sb_error_at(yaml->diagnostics, sb_yaml_location(yaml, keys[i]), "E102", "a key is a name, not a list");
  }
  if (good) qsort(keys, count, sizeof *keys, compare_keys);
  for (size_t i = 1; i < count && good; ++i)
    if (strcmp(sb_yaml_scalar(keys[i - 1]), sb_yaml_scalar(keys[i])) == 0)
      good = sb_error_at(yaml->diagnostics, sb_yaml_location(yaml, keys[i]), "E101",
                         "'%s' is given twice, first in line %d", sb_yaml_scalar(keys[i]),
                         (int)keys[i - 1]->start_mark.line + 1);
  free(keys);
  return good;
}

static bool has_default_tag(const yaml_node_t *node)
{
  static const char *const tags[] = {YAML_STR_TAG, YAML_SEQ_TAG, YAML_MAP_TAG};
  for (size_t i = 0; i < sizeof tags / sizeof *tags; ++i)
    if (strcmp((const char *)node->tag, tags[i]) == 0) return true;
  return false;
}

/* No deeper than check_event allows. */
static bool check_tree(const sb_yaml *yaml, const yaml_node_t *node)
{
  const sb_location where = sb_yaml_location(yaml, node);
  if (!has_default_tag(node))
    return sb_error_at(yaml->diagnostics, where, "E110", "the tag '%s'; types come from the option table", node->tag);
  bool good = node->type != YAML_MAPPING_NODE || check_keys(yaml, node);
  for (size_t i = 0; good && node->type != YAML_SCALAR_NODE && i < sb_yaml_count(node); ++i) {
    if (node->type == YAML_MAPPING_NODE)
      good = check_tree(yaml, sb_yaml_key(yaml, node, i)) && check_tree(yaml, sb_yaml_value(yaml, node, i));
    else
      good = check_tree(yaml, sb_yaml_item(yaml, node, i));
  }
  return good;
}

bool sb_yaml_load(sb_yaml *yaml, const char *text, size_t length)
{
  static const char byte_order_mark[] = "\xEF\xBB\xBF";
  const size_t      skipped = length >= 3 && memcmp(text, byte_order_mark, 3) == 0 ? 3 : 0;
  yaml_parser_t     parser;
  yaml->end = location_of_byte(yaml, text + skipped, length - skipped, length - skipped);
  if (!check_lines(yaml, text, length) || !check_events(yaml, text + skipped, length - skipped)) return false;
  if (!yaml_parser_initialize(&parser)) return sb_error_at(yaml->diagnostics, (sb_location){0}, "E110", "no memory");
  bool good = load_document(yaml, &parser, text + skipped, length - skipped);
  yaml_parser_delete(&parser);
  if (!good) return false;
  return check_tree(yaml, sb_yaml_root(yaml));
}

void sb_yaml_clear(sb_yaml *yaml) { yaml_document_delete(&yaml->document); }
