/* How the values and sections of a sweep file are read, whichever section they stand in; see sweep_reader.h. */
#include "harness/sweep/sweep_reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/text.h"

enum { MUST_BE_TRUTH = 1, BEFORE_THE_RUN = 2 }; /* traits of an expression */

/* ---- values ---- */

bool sb_require_list(sb_sweep_reader *r, const yaml_node_t *node, const char *what)
{
  return node->type == YAML_SEQUENCE_NODE || SB_REFUSE(r, node, "E102", "%s is a list: [ … ] or - …", what);
}

bool sb_require_mapping(sb_sweep_reader *r, const yaml_node_t *node, const char *what)
{
  return node->type == YAML_MAPPING_NODE || SB_REFUSE(r, node, "E102", "%s is a mapping of 'key: value'", what);
}

const char *sb_require_scalar(sb_sweep_reader *r, const yaml_node_t *node, const char *what)
{
  if (node->type != YAML_SCALAR_NODE)
    SB_REFUSE(r, node, "E102", "'%s' takes one value, not a collection", what);
  else if (*sb_yaml_scalar(node) == '\0')
    SB_REFUSE(r, node, "E102", "'%s' has no value", what);
  else
    return sb_yaml_scalar(node);
  return NULL;
}

bool sb_require_printable(sb_sweep_reader *r, const yaml_node_t *node, const char *what, const char *text)
{
  return sb_is_printable(text) ||
         SB_REFUSE(r, node, "E110",
                   "'%s' has a character that commands terminals, or turns the direction of writing; got '%s'", what,
                   text);
}

/* False after a message; what was read is there all the same. */
static bool read_text(sb_sweep_reader *r, const yaml_node_t *node, const char *what, char **text)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (!scalar) return false;
  *text = sb_arena_copy(r->arena, scalar);
  size_t length = strlen(*text);
  while (length > 0 && (*text)[length - 1] == '\n') (*text)[--length] = '\0';
  for (char *c = *text; *c; ++c)
    if (*c == '\n' || *c == '\t' || *c == '\r') *c = ' ';
  return sb_require_printable(r, node, what, *text);
}

void sb_read_text(sb_sweep_reader *r, const yaml_node_t *node, char **text) { read_text(r, node, "text", text); }

static void read_name(sb_sweep_reader *r, const yaml_node_t *node, const char *what, char **name)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (!scalar) return;
  const size_t good = strspn(scalar, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-");
  if (scalar[good] != '\0' || good > 64 || *scalar == '.' || *scalar == '-')
    SB_REFUSE(r, node, "E109",
              "'%s' reaches file names: at most 64 of A-Z a-z 0-9 . _ + -, no '.' or '-' first; got '%s'", what,
              scalar);
  else
    *name = sb_arena_copy(r->arena, scalar);
}

void sb_read_name(sb_sweep_reader *r, const yaml_node_t *node, char **name) { read_name(r, node, "name", name); }

static void read_flag(sb_sweep_reader *r, const yaml_node_t *node, const char *what, bool *flag)
{
  const char *scalar = sb_require_scalar(r, node, what);
  *flag = scalar && strcmp(scalar, "true") == 0;
  if (scalar && !*flag && strcmp(scalar, "false") != 0)
    SB_REFUSE(r, node, "E102", "'%s' is true or false; got '%s'", what, scalar);
}

bool sb_read_count(sb_sweep_reader *r, const yaml_node_t *node, const char *what, int64_t most, int64_t *count)
{
  const char *scalar = sb_require_scalar(r, node, what);
  int64_t     number = 0;
  if (!scalar) return false;
  if (!sb_parse_integer(scalar, &number) || number < 1 || number > most)
    return SB_REFUSE(r, node, "E104", "'%s' is a whole number (allowed: [1,%lld]); got '%s'", what, (long long)most,
                     scalar);
  *count = number;
  return true;
}

/* "a, b, c" */
static char *join_names(const char *const *names, size_t count, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  for (size_t i = 0; i < count; ++i) fprintf(stream, "%s%s", i > 0 ? ", " : "", names[i]);
  return sb_arena_text(&writer);
}

size_t sb_read_choice(sb_sweep_reader *r, const yaml_node_t *node, const char *what, const char *const *choices,
                      size_t count)
{
  const char *scalar = sb_require_scalar(r, node, what);
  for (size_t i = 0; scalar && i < count; ++i)
    if (strcmp(scalar, choices[i]) == 0) return i;
  if (scalar)
    SB_REFUSE(r, node, "E106", "'%s' is one of: %s; got '%s'", what, join_names(choices, count, r->arena), scalar);
  return count;
}

/* Whether the text stands in the file character for character: then places within it can be told. */
static bool stands_as_written(const yaml_node_t *node, size_t quotes)
{
  size_t characters = 0;
  for (const char *c = sb_yaml_scalar(node); *c; ++c) characters += ((unsigned char)*c & 0xC0) != 0x80;
  return node->start_mark.line == node->end_mark.line &&
         node->end_mark.index - node->start_mark.index == characters + quotes;
}

/* What an expression here may name. Of points of curves and of published tables the columns are not known now. */
static const sb_check *check_of(sb_sweep_reader *r, bool planned)
{
  const char *driver = r->sweep->driver ? r->sweep->driver : SB_TEXT(r->scratch, driver);
  sb_check  **check = &r->checks[r->of_published ? 3 : r->of_points ? 2 : planned ? 1 : 0];
  sb_session  known = *r->session;
  if (r->of_published) known.vocabulary = NULL;
  if (!*check)
    *check = sb_check_create(&known, r->of_published ? NULL : r->sweep, r->of_published || r->of_points ? NULL : driver,
                             planned, r->arena);
  return *check;
}

static void read_expression(sb_sweep_reader *r, const yaml_node_t *node, const char *what, unsigned traits,
                            sb_expression **expression)
{
  char *text = NULL;
  if (!read_text(r, node, what, &text)) return;
  sb_location where = sb_yaml_location(&r->yaml, node);
  const bool  quoted = node->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                      node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  const size_t quotes = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 2;
  where.column += quoted;
  *expression = stands_as_written(node, quotes) ? sb_expression_parse(text, where, r->arena, r->diagnostics)
                                                : sb_expression_parse_whole(text, where, r->arena, r->diagnostics);
  if (*expression)
    sb_expression_check(*expression, check_of(r, traits & BEFORE_THE_RUN), traits & MUST_BE_TRUTH, r->diagnostics);
}

/* ---- sections ---- */

static bool is_field(const sb_sweep_field *fields, size_t count, const char *name)
{
  for (size_t i = 0; i < count; ++i)
    if (strcmp(fields[i].name, name) == 0) return true;
  return false;
}

static void refuse_key(sb_sweep_reader *r, const yaml_node_t *key, const char *section, const sb_sweep_field *fields,
                       size_t count)
{
  const char *name = sb_yaml_scalar(key), **names = sb_arena_take(r->arena, count, sizeof *names);
  for (size_t i = 0; i < count; ++i) names[i] = fields[i].name;
  const char *near = sb_nearest_name(name, names, count);
  if (sb_option_find(name) != SB_OPT_COUNT)
    SB_REFUSE(r, key, "E101", "the option '%s' is no key of %s; options stand under defaults, methods or an axis", name,
              section);
  else if (near)
    SB_REFUSE(r, key, "E101", "unknown key '%s' in %s; did you mean '%s'?", name, section, near);
  else
    SB_REFUSE(r, key, "E101", "unknown key '%s' in %s (keys: %s)", name, section, join_names(names, count, r->arena));
}

static void read_field(sb_sweep_reader *r, const sb_sweep_field *field, const yaml_node_t *node, void *member)
{
  switch (field->kind) {
  case SB_FIELD_TEXT:
    read_text(r, node, field->name, member);
    break;
  case SB_FIELD_NAME:
    read_name(r, node, field->name, member);
    break;
  case SB_FIELD_FLAG:
    read_flag(r, node, field->name, member);
    break;
  case SB_FIELD_EXPRESSION:
    read_expression(r, node, field->name, 0, member);
    break;
  case SB_FIELD_CLAUSE:
    read_expression(r, node, field->name, MUST_BE_TRUTH, member);
    break;
  case SB_FIELD_CONDITION:
    read_expression(r, node, field->name, MUST_BE_TRUTH | BEFORE_THE_RUN, member);
    break;
  case SB_FIELD_OTHER:
    field->read(r, node, member);
    break;
  }
}

void sb_read_fields(sb_sweep_reader *r, const yaml_node_t *node, const char *section, const sb_sweep_field *fields,
                    size_t count, void *target)
{
  if (!sb_require_mapping(r, node, section)) return;
  for (size_t i = 0; i < sb_yaml_count(node); ++i) {
    const yaml_node_t *key = sb_yaml_key(&r->yaml, node, i);
    if (!is_field(fields, count, sb_yaml_scalar(key))) refuse_key(r, key, section, fields, count);
  }
  for (size_t i = 0; i < count; ++i) {
    const yaml_node_t *value = sb_yaml_find(&r->yaml, node, fields[i].name);
    if (value)
      read_field(r, &fields[i], value, (char *)target + fields[i].offset);
    else if (fields[i].required)
      SB_REFUSE(r, node, "E101", "%s needs the key '%s'", section, fields[i].name);
  }
}

typedef struct {
  const char *id;
  size_t      number;
} numbered;

static int compare_ids(const void *a, const void *b)
{
  const numbered *x = a, *y = b;
  const int       order = strcmp(x->id, y->id);
  return order ? order : (x->number > y->number) - (x->number < y->number);
}

void sb_check_ids(sb_sweep_reader *r, const yaml_node_t *list, const char *const *ids)
{
  const size_t all = sb_yaml_count(list);
  numbered    *sorted = sb_arena_take(r->arena, all, sizeof *sorted);
  bool        *again = sb_arena_take(r->arena, all, sizeof *again);
  size_t       count = 0;
  for (size_t i = 0; i < all; ++i)
    if (ids[i]) sorted[count++] = (numbered){ids[i], i};
  qsort(sorted, count, sizeof *sorted, compare_ids);
  for (size_t i = 1; i < count; ++i) again[sorted[i].number] = strcmp(sorted[i - 1].id, sorted[i].id) == 0;
  for (size_t i = 0; i < all; ++i)
    if (again[i])
      SB_REFUSE(r, sb_yaml_find(&r->yaml, sb_yaml_item(&r->yaml, list, i), "id"), "E101", "the id '%s' is given twice",
                ids[i]);
}
