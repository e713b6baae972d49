/* Values and sections of a sweep file: text, names, truth values, expressions, options, and mappings of them. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/sweep_reader.h"

enum { MUST_BE_TRUTH = 1, BEFORE_THE_RUN = 2 }; /* traits of an expression */

bool sb_require_list(sb_sweep_reader *r, const yaml_node_t *node, const char *what)
{
  if (node->type == YAML_SEQUENCE_NODE) return true;
  return sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102", "%s is a list: [ … ] or - …", what);
}

bool sb_require_mapping(sb_sweep_reader *r, const yaml_node_t *node, const char *what)
{
  if (node->type == YAML_MAPPING_NODE) return true;
  return sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102", "%s is a mapping of 'key: value'", what);
}

/* A plain scalar without text is what `key:` leaves. */
static bool is_absent(const yaml_node_t *node)
{
  return *sb_yaml_scalar(node) == '\0' && node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
}

const char *sb_require_scalar(sb_sweep_reader *r, const yaml_node_t *node, const char *what)
{
  const sb_location where = sb_yaml_location(&r->yaml, node);
  if (node->type != YAML_SCALAR_NODE) {
    sb_error_at(r->diagnostics, where, "E102", "'%s' takes one value, not a collection", what);
    return NULL;
  }
  if (*sb_yaml_scalar(node) != '\0') return sb_yaml_scalar(node);
  sb_error_at(r->diagnostics, where, "E102", "'%s' has no value", what);
  return NULL;
}

bool sb_require_printable(sb_sweep_reader *r, const yaml_node_t *node, const char *what, const char *text)
{
  if (sb_is_printable(text)) return true;
  return sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E110",
                     "'%s' has a character that commands terminals, or turns the direction of writing; got '%s'", what,
                     text);
}

/* False after a message; what was read is there all the same. */
static bool read_text(sb_sweep_reader *r, const yaml_node_t *node, const char *what, char **text)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (!scalar) return false;
  *text = sb_copy_text(scalar);
  size_t length = strlen(*text);
  while (length > 0 && (*text)[length - 1] == '\n') (*text)[--length] = '\0';
  for (char *c = *text; *c; ++c)
    if (*c == '\n' || *c == '\t' || *c == '\r') *c = ' ';
  return sb_require_printable(r, node, what, *text);
}

static void read_name(sb_sweep_reader *r, const yaml_node_t *node, const char *what, char **name)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (!scalar) return;
  const size_t good = strspn(scalar, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+-");
  if (scalar[good] != '\0' || good > 64 || *scalar == '.' || *scalar == '-') {
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E109",
                "'%s' reaches file names: at most 64 of A-Z a-z 0-9 . _ + -, no '.' or '-' first; got '%s'", what,
                scalar);
    return;
  }
  *name = sb_copy_text(scalar);
}

void sb_read_text(sb_sweep_reader *r, const yaml_node_t *node, char **text) { read_text(r, node, "text", text); }

void sb_read_name(sb_sweep_reader *r, const yaml_node_t *node, char **name) { read_name(r, node, "name", name); }

static void read_flag(sb_sweep_reader *r, const yaml_node_t *node, const char *what, bool *flag)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (!scalar) return;
  *flag = strcmp(scalar, "true") == 0;
  if (!*flag && strcmp(scalar, "false") != 0)
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E102", "'%s' is true or false; got '%s'", what,
                scalar);
}

/* Where the text of a scalar begins: behind its quote. */
static sb_location text_location(const sb_sweep_reader *r, const yaml_node_t *node)
{
  sb_location where = sb_yaml_location(&r->yaml, node);
  where.column += node->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                  node->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
  return where;
}

/* Whether the text stands in the file character for character: without escapes and folded lines. */
static bool stands_as_written(const yaml_node_t *node)
{
  const char  *text = sb_yaml_scalar(node);
  const size_t quotes = node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE ? 0 : 2;
  size_t       characters = 0;
  for (const char *c = text; *c; ++c) characters += ((unsigned char)*c & 0xC0) != 0x80;
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
                             planned, r->sweep->arena);
  return *check;
}

static void read_expression(sb_sweep_reader *r, const yaml_node_t *node, const char *what, unsigned traits,
                            sb_expression **expression)
{
  char *text = NULL;
  if (!read_text(r, node, what, &text)) {
    free(text);
    return;
  }
  const sb_location where = text_location(r, node);
  *expression = stands_as_written(node) ? sb_expression_parse(text, where, r->sweep->arena, r->diagnostics)
                                        : sb_expression_parse_whole(text, where, r->sweep->arena, r->diagnostics);
  if (*expression)
    sb_expression_check(*expression, check_of(r, traits & BEFORE_THE_RUN), traits & MUST_BE_TRUTH, r->diagnostics);
  free(text);
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
  numbered    *sorted = sb_allocate(all, sizeof *sorted);
  bool        *again = sb_allocate(all, sizeof *again);
  size_t       count = 0;
  for (size_t i = 0; i < all; ++i)
    if (ids[i]) sorted[count++] = (numbered){ids[i], i};
  qsort(sorted, count, sizeof *sorted, compare_ids);
  for (size_t i = 1; i < count; ++i) again[sorted[i].number] = strcmp(sorted[i - 1].id, sorted[i].id) == 0;
  for (size_t i = 0; i < all; ++i) {
    if (!again[i]) continue;
    const yaml_node_t *id = sb_yaml_find(&r->yaml, sb_yaml_item(&r->yaml, list, i), "id");
    sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, id), "E101", "the id '%s' is given twice", ids[i]);
  }
  free(sorted);
  free(again);
}

size_t sb_read_choice(sb_sweep_reader *r, const yaml_node_t *node, const char *what, const char *const *choices,
                      size_t count)
{
  const char *scalar = sb_require_scalar(r, node, what);
  if (!scalar) return count;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(scalar, choices[i]) == 0) return i;
  char list[256] = "";
  for (size_t i = 0, n = 0; i < count && n < sizeof list; ++i)
    n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", i ? ", " : "", choices[i]);
  sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E106", "'%s' is one of: %s; got '%s'", what, list,
              scalar);
  return count;
}

static bool is_field(const sb_sweep_field *fields, size_t count, const char *name)
{
  for (size_t i = 0; i < count; ++i)
    if (strcmp(fields[i].name, name) == 0) return true;
  return false;
}

/* "name, driver, …", malloc'ed. */
static char *join_names(const char *const *names, size_t count)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < count; ++i) fprintf(stream, "%s%s", i > 0 ? ", " : "", names[i]);
  fclose(stream);
  return text;
}

static void refuse_key(sb_sweep_reader *r, const yaml_node_t *key, const char *section, const sb_sweep_field *fields,
                       size_t count)
{
  const char       *name = sb_yaml_scalar(key), *names[32];
  const sb_location where = sb_yaml_location(&r->yaml, key);
  for (size_t i = 0; i < count; ++i) names[i] = fields[i].name;
  const char *near = sb_nearest_name(name, names, count);
  char       *keys = join_names(names, count);
  if (sb_option_find(name) != SB_OPT_COUNT)
    sb_error_at(r->diagnostics, where, "E101",
                "the option '%s' is no key of %s; options stand under defaults, methods "
                "or an axis",
                name, section);
  else if (near)
    sb_error_at(r->diagnostics, where, "E101", "unknown key '%s' in %s; did you mean '%s'?", name, section, near);
  else
    sb_error_at(r->diagnostics, where, "E101", "unknown key '%s' in %s (keys: %s)", name, section, keys);
  free(keys);
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
      sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, node), "E101", "%s needs the key '%s'", section,
                  fields[i].name);
  }
}

sb_option_id sb_read_option_name(sb_sweep_reader *r, const yaml_node_t *key)
{
  const char        *name = sb_yaml_scalar(key);
  const sb_location  where = sb_yaml_location(&r->yaml, key);
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_driver) {
    sb_error_at(r->diagnostics, where, "E101", "'driver' is a key of the whole sweep, not of a case");
    return SB_OPT_COUNT;
  }
  if (id != SB_OPT_COUNT) return id;
  const char *near = sb_diagnostics_full(r->diagnostics) ? NULL : sb_option_nearest(name);
  if (near)
    sb_error_at(r->diagnostics, where, "E101", "unknown option '%s'; did you mean '%s'?", name, near);
  else
    sb_error_at(r->diagnostics, where, "E101", "unknown option '%s'", name);
  return SB_OPT_COUNT;
}

/* [0, 0, -9.8] as "[0,0,-9.8]"; a list of composite values as the items of one, separated by ';'. */
static char *list_text(sb_sweep_reader *r, const yaml_node_t *node, const sb_option *option)
{
  const bool composite = option->kind == SB_KIND_COMPOSITE;
  char      *text = NULL;
  size_t     length = 0;
  FILE      *stream = sb_text_stream(&text, &length);
  bool       good = true;
  if (!composite) fputc('[', stream);
  for (size_t i = 0; good && i < sb_yaml_count(node); ++i) {
    const yaml_node_t *place = sb_yaml_item(&r->yaml, node, i);
    const char        *item = sb_require_scalar(r, place, option->name);
    good = item != NULL;
    if (good && strchr(item, composite ? ';' : ',')) /* it would be two */
      good = sb_error_at(r->diagnostics, sb_yaml_location(&r->yaml, place), "E102",
                         "an item of '%s' holds a separator; got '%s'", option->name, item);
    if (good) fprintf(stream, "%s%s", i == 0 ? "" : composite ? ";" : ",", item);
  }
  if (good && !composite) fputc(']', stream);
  fclose(stream);
  if (good) return text;
  free(text);
  return NULL;
}

char *sb_read_option_value(sb_sweep_reader *r, const yaml_node_t *node, sb_option_id id)
{
  const char *name = sb_option_at(id)->name;
  char       *text = NULL;
  if (node->type == YAML_SEQUENCE_NODE)
    text = list_text(r, node, sb_option_at(id));
  else if (node->type == YAML_SCALAR_NODE && !is_absent(node))
    text = sb_copy_text(sb_yaml_scalar(node));
  else
    sb_require_scalar(r, node, name);
  if (text && sb_options_set(r->scratch, id, text, SB_FROM_USER, sb_yaml_location(&r->yaml, node), r->diagnostics))
    return text;
  free(text);
  return NULL;
}

void sb_read_settings(sb_sweep_reader *r, const yaml_node_t *node, sb_settings *settings)
{
  if (!sb_require_mapping(r, node, "a set of options")) return;
  const size_t count = sb_yaml_count(node);
  settings->ids = sb_allocate(count, sizeof *settings->ids);
  settings->values = sb_allocate(count, sizeof *settings->values);
  settings->where = sb_allocate(count, sizeof *settings->where);
  for (size_t i = 0; i < count; ++i) {
    const yaml_node_t *value = sb_yaml_value(&r->yaml, node, i);
    const sb_option_id id = sb_read_option_name(r, sb_yaml_key(&r->yaml, node, i));
    char              *text = id == SB_OPT_COUNT ? NULL : sb_read_option_value(r, value, id);
    if (!text) continue;
    settings->ids[settings->count] = id;
    settings->where[settings->count] = sb_yaml_location(&r->yaml, value);
    settings->values[settings->count++] = text;
  }
}
