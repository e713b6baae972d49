/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the values and sections of a sweep file; see sweep_reader.h. */
#include "harness/sweep/sweep_reader.h"

#include <assert.h>
#include <string.h>

#include "base/words.h"
#include "cases/common/text.h"
#include "cases/describe/names.h"

enum { KEYS_MAX = 64 };

/* ---- values ---- */

bool sb_require_list(sb_sweep_reader *r, const sb_yaml_node *node)
{
  return node->kind == SB_YAML_LIST || SB_REFUSE(r, node, "E102", "'%s' is a list: [ … ] or - …", node->key);
}

bool sb_require_mapping(sb_sweep_reader *r, const sb_yaml_node *node, const char *what)
{
  return node->kind == SB_YAML_MAPPING || SB_REFUSE(r, node, "E102", "%s is a mapping of 'key: value'", what);
}

char *sb_require_scalar(sb_sweep_reader *r, const sb_yaml_node *node, const char *what)
{
  if (node->kind == SB_YAML_TEXT && *node->text) return node->text;
  SB_REFUSE(r, node, "E102",
            node->kind == SB_YAML_TEXT ? "'%s' has no value" : "'%s' takes one value, not a collection", what);
  return NULL;
}

const sb_yaml_node *sb_one_or_list(const sb_yaml_node *node, size_t *count)
{
  *count = node->kind == SB_YAML_LIST ? node->count : 1;
  return node->kind == SB_YAML_LIST ? node->items : node;
}

bool sb_read_text(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, char **text)
{
  if (!(*text = sb_require_scalar(r, node, what))) return false;
  size_t length = strlen(*text);
  while (length > 0 && (*text)[length - 1] == '\n') (*text)[--length] = '\0';
  for (char *c = *text; *c; ++c)
    if (*c == '\n' || *c == '\t' || *c == '\r') *c = ' ';
  return sb_is_printable(*text) ||
         SB_REFUSE(r, node, "E110",
                   "'%s' has a character that controls terminals, or changes the direction of writing; got '%s'", what,
                   *text);
}

void sb_read_name(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, char **name)
{
  char *scalar = sb_require_scalar(r, node, what);
  if (scalar && sb_text_is_safe_name(scalar))
    *name = scalar;
  else if (scalar)
    SB_REFUSE(r, node, "E109",
              "'%s' is used in file names: at most 64 of A-Z a-z 0-9 . _ + -, no '.' or '-' first; got '%s'", what,
              scalar);
}

int sb_read_choice(sb_sweep_reader *r, const sb_yaml_node *node, const char *choices)
{
  const char *scalar = sb_require_scalar(r, node, node->key), *word = choices;
  for (int number = 0; scalar && *word; ++number) {
    const size_t length = strcspn(word, ",");
    if (length == strlen(scalar) && memcmp(word, scalar, length) == 0) return number;
    word += length + strspn(word + length, ", ");
  }
  if (scalar) SB_REFUSE(r, node, "E106", "'%s' is one of: %s; got '%s'", node->key, choices, scalar);
  return -1;
}

void sb_read_number(sb_sweep_reader *r, const sb_yaml_node *node, const char *what, double least, double most,
                    double *number)
{
  const bool  bounded = least < most;
  const char *scalar = sb_require_scalar(r, node, what);
  double      value = 0;
  if (!scalar) return;
  if (sb_parse_real(scalar, &value) && (!bounded || (value >= least && value <= most)))
    *number = value;
  else if (bounded)
    SB_REFUSE(r, node, "E104", "'%s' is a number (allowed: [%g,%g]); got '%s'", what, least, most, scalar);
  else
    SB_REFUSE(r, node, "E102", "'%s' takes numbers; got '%s'", what, scalar);
}

/* ---- members ---- */

void sb_member_text(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  sb_read_text(r, node, node->key, member);
}

void sb_member_name(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  sb_read_name(r, node, node->key, member);
}

void sb_member_names(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const sb_sweep_field *field = r->field;
  size_t               *good = (size_t *)(void *)((char *)member - field->offset + field->count), count = 0;
  const sb_yaml_node   *items = sb_one_or_list(node, &count);
  if (field->list && !sb_require_list(r, node)) return;
  if (count == 0 && field->wanted) SB_REFUSE(r, node, "E102", "'%s' names no %s", node->key, field->wanted);
  char **names = sb_arena_take(r->arena, count, sizeof *names);
  *good = 0;
  for (size_t i = 0; i < count; ++i) {
    field->each(r, &items[i], &names[*good]);
    *good += names[*good] != NULL;
  }
  *(char ***)member = names;
}

void sb_member_flag(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const char *scalar = sb_require_scalar(r, node, node->key);
  const bool  yes = scalar && strcmp(scalar, "true") == 0;
  *(bool *)member = yes;
  if (scalar && !yes && strcmp(scalar, "false") != 0)
    SB_REFUSE(r, node, "E102", "'%s' is true or false; got '%s'", node->key, scalar);
}

void sb_member_choice(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const int chosen = sb_read_choice(r, node, r->field->wanted);
  if (chosen >= 0) *(unsigned *)member = r->field->first + (unsigned)chosen;
}

void sb_member_count(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const char *scalar = sb_require_scalar(r, node, node->key);
  int64_t     number = 0;
  if (scalar && sb_parse_integer(scalar, &number) && number >= 1 && (double)number <= r->field->most)
    *(int *)member = (int)number;
  else if (scalar)
    SB_REFUSE(r, node, "E104", "'%s' is a whole number (allowed: [1,%g]); got '%s'", node->key, r->field->most, scalar);
}

void sb_member_number(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  sb_read_number(r, node, node->key, r->field->least, r->field->most, member);
}

void sb_member_quantity(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const char *scalar = sb_require_scalar(r, node, node->key);
  if (scalar && !r->field->parse(scalar, member))
    SB_REFUSE(r, node, "E102", "'%s' is %s; got '%s'", node->key, r->field->wanted, scalar);
}

/* The columns of points of curves and of published tables are not known yet. */
void sb_member_expression(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const bool     planned = r->field->planned;
  const char    *driver = r->of_points || r->of_published ? NULL : r->sweep->driver;
  sb_check     **check = &r->checks[r->of_published ? 3 : r->of_points ? 2 : planned ? 1 : 0];
  sb_expression *expression = NULL;
  sb_session     known = *r->session;
  sb_location    where = node->where;
  char          *text = NULL;
  if (!sb_read_text(r, node, node->key, &text)) return;
  if (r->of_published) known.vocabulary = NULL;
  if (!*check) *check = sb_check_create(&known, r->of_published ? NULL : r->sweep, driver, planned, r->arena);
  where.column += node->quotes;
  expression = sb_expression_parse(text, where, !node->as_written, r->arena, r->diagnostics);
  if (expression) sb_expression_check(expression, *check, r->field->clause, r->diagnostics);
  *(sb_expression **)member = expression;
}

void sb_member_section(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  sb_read_fields(r, node, r->field->section, member);
}

void sb_member_list(sb_sweep_reader *r, const sb_yaml_node *node, void *member)
{
  const sb_sweep_field *field = r->field;
  char                 *around = (char *)member - field->offset;
  void *items = sb_read_list(r, node, field->section, around, (size_t *)(void *)(around + field->count));
  memcpy(member, &items, sizeof items);
}

/* ---- sections ---- */

static void read_keys(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, char *structure)
{
  for (size_t i = 0; i < section->field_count; ++i) {
    const sb_sweep_field *field = &section->fields[i];
    const sb_yaml_node   *value = field->name ? sb_yaml_find(node, field->name) : NULL;
    if (!field->name) read_keys(r, node, field->section, structure + field->offset);
    if (value && field->place) *(sb_location *)(void *)(structure + field->place) = value->where;
    r->field = field;
    if (value && field->read) field->read(r, value, structure + field->offset);
    if (!value && field->required) SB_REFUSE(r, node, "E101", "%s needs the key '%s'", section->name, field->name);
  }
}

/* Adds the keys of a section after `count` others; returns their new number. */
static size_t list_keys(const sb_sweep_section *section, const char *keys[KEYS_MAX], size_t count)
{
  for (size_t i = 0; i < section->field_count; ++i) {
    assert(count < KEYS_MAX);
    if (!section->fields[i].name)
      count = list_keys(section->fields[i].section, keys, count);
    else
      keys[count++] = section->fields[i].name;
  }
  return count;
}

void sb_read_fields(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, void *target)
{
  const char    *keys[KEYS_MAX], *near = NULL, *with = NULL;
  const sb_names known = {list_keys(section, keys, 0), keys};
  if (!sb_require_mapping(r, node, section->name)) return;
  for (size_t i = 0; i < node->count; ++i) {
    const char       *key = node->items[i].key;
    const sb_location where = node->items[i].key_where;
    if (sb_names_find(&known, key) != (size_t)-1) continue;
    if (sb_option_find(key) != sb_option_count)
      sb_error_at(r->diagnostics, where, "E101",
                  "the option '%s' is not a key of %s; options belong under defaults, methods or an axis", key,
                  section->name);
    else if ((near = sb_nearest_name(key, keys, known.count)))
      sb_error_at(r->diagnostics, where, "E101", "unknown key '%s' in %s; did you mean '%s'?", key, section->name,
                  near);
    else
      sb_error_at(r->diagnostics, where, "E101", "unknown key '%s' in %s%s (keys: %s)", key, section->name,
                  sb_list_alias(&sb_option_entries, key, &with) ? sb_list_suggestion(&sb_option_entries, key, r->arena)
                                                                : "",
                  sb_names_join(r->arena, &known, ", ", known.count));
  }
  read_keys(r, node, section, target);
  if (section->complete) section->complete(r, node, target);
}

void *sb_read_list(sb_sweep_reader *r, const sb_yaml_node *node, const sb_sweep_section *section, const void *around,
                   size_t *count)
{
  const bool of_points = r->of_points, of_published = r->of_published;
  *count = sb_require_list(r, node) ? node->count : 0;
  char        *items = sb_arena_take(r->arena, *count, section->size);
  const char **ids = sb_arena_take(r->arena, *count, sizeof *ids);
  for (size_t i = 0; i < *count; ++i) {
    char       *item = items + i * section->size;
    const void *initial = section->like ? (const char *)around + section->like : section->initial;
    if (initial) memcpy(item, initial, section->size);
    if (section->place) *(sb_location *)(void *)(item + section->place) = node->items[i].where;
    r->of_points = of_points || section->of_points;
    sb_read_fields(r, &node->items[i], section, item);
    r->of_points = of_points;
    r->of_published = of_published;
    if (section->has_ids) ids[i] = *(const char **)(void *)item;
  }
  const size_t *earlier = sb_find_repeated(ids, *count, r->arena);
  for (size_t i = 0; i < *count; ++i)
    if (earlier[i] < i) SB_REFUSE(r, sb_yaml_find(&node->items[i], "id"), "E101", "the id '%s' is given twice", ids[i]);
  return items;
}
