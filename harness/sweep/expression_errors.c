/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages about an expression: parts that cannot be evaluated, names that are not columns, and, before the run, words
 * that no column can have. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/nearest_name.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/sweep.h"

static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH};

sb_location sb_expression_place(const sb_expression *expression, size_t at)
{
  sb_location where = expression->where;
  for (size_t i = 0; !expression->whole && where.column > 0 && i < at; ++i)
    where.column += ((unsigned char)expression->text[i] & 0xC0) != 0x80;
  return where;
}

sb_value sb_evaluation_fails(sb_evaluation *e, const sb_node *node, const char *code, const char *format, ...)
{
  if (e->check ? e->parts[node->index].told : e->failed) return unknown;
  if (e->check) e->parts[node->index].told = true;
  va_list arguments;
  va_start(arguments, format);
  char *message = sb_arena_format_list(e->expression->arena, format, arguments);
  va_end(arguments);
  sb_error_at(e->diagnostics, sb_expression_place(e->expression, node->begin), code, "%s", message);
  e->failed = true;
  return unknown;
}

bool sb_evaluation_is_plain(const sb_evaluation *e, const sb_node *node)
{
  return node->kind == SB_NODE_NAME && sb_rows_column_find(e->scope->rows, node->word) == SIZE_MAX;
}

sb_value sb_evaluation_no_column(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const char *name)
{
  const bool published = rows != e->scope->rows;
  if (!published && e->check && e->check->open) return unknown;
  const size_t          count = sb_rows_column_count(rows);
  SB_OWNED const char **names = sb_allocate(count, sizeof *names);
  for (size_t j = 0; j < count; ++j) names[j] = sb_rows_column_at(rows, j)->name;
  const char *near = sb_diagnostics_full(e->diagnostics) ? NULL : sb_nearest_name(name, names, count);
  const char *with = NULL, *option = sb_list_alias(&sb_option_entries, name, &with);
  if (option && sb_rows_column_find(rows, option) != SIZE_MAX) near = option;
  if (e->check && e->check->later && sb_rows_column_find(e->check->later, name) != SIZE_MAX)
    return sb_evaluation_fails(e, node, "E101", "'%s' is not known before the run; options and 'method' are", name);
  const char *what = published  ? sb_arena_format(e->expression->arena, "%s.csv has no column", node->file)
                     : e->check ? (e->check->later ? "unknown option" : "unknown column")
                                : "these results have no column";
  return sb_evaluation_fails(e, node, "E101", near ? "%s '%s'; did you mean '%s'?" : "%s '%s'", what, name, near);
}

/* The word that a part represents by itself, NULL if it represents something else. */
static const char *literal(const sb_evaluation *e, const sb_node *node)
{
  const bool plain = !e->check->open && sb_evaluation_is_plain(e, node);
  return node->kind == SB_NODE_STRING || plain ? node->word : NULL;
}

void sb_check_word(sb_evaluation *e, const char *column, const sb_node *node)
{
  const char        *word = literal(e, node), *near = NULL;
  const bool         is_status = strcmp(column, "status") == 0;
  const sb_sweep    *methods = strcmp(column, "method") == 0 ? e->check->sweep : NULL;
  const sb_option_id id = sb_option_find(column);
  SB_OWNED char     *spelled = NULL;
  bool               found = true;
  if (!word) return;
  if (is_status || methods) {
    const size_t          count = is_status ? SB_STATUS_COUNT : methods->method_count;
    SB_OWNED const char **names = sb_allocate(count, sizeof *names);
    found = false;
    for (size_t i = 0; i < count; ++i) {
      names[i] = is_status ? sb_status_name((sb_status)i) : methods->methods_by_name[i]->name;
      found = found || strcmp(names[i], word) == 0;
    }
    for (size_t i = 0; methods && i < methods->added_count; ++i)
      found = found || strcmp(methods->added[i].name, word) == 0;
    if (!found) near = sb_nearest_name(word, names, count);
  } else if (id != sb_option_count && sb_option_at(id)->kind == SB_KIND_BOOL) {
    found = strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
  } else if (id != sb_option_count) {
    found = sb_option_may_be(id, e->check->vocabulary, word, &spelled);
    near = spelled;
  }
  if (!found)
    sb_evaluation_fails(e, node, "E106", near ? "%s has no value '%s'; did you mean '%s'?" : "%s has no value '%s'",
                        column, word, near);
}

void sb_check_compared(sb_evaluation *e, const sb_node *nodes[2], int comparison)
{
  const bool equality = comparison == SB_EQUAL || comparison == SB_UNEQUAL;
  for (int side = 0; equality && side < 2; ++side) {
    const sb_node *node = nodes[side];
    if (node->kind != SB_NODE_SELECT && (node->kind != SB_NODE_NAME || literal(e, node))) continue;
    sb_check_word(e, node->word, nodes[1 - side]);
    return;
  }
  const sb_node *name = nodes[0]->kind == SB_NODE_NAME ? nodes[0] : nodes[1];
  if (literal(e, nodes[0]) && (literal(e, nodes[1]) || !equality) && name->kind == SB_NODE_NAME)
    sb_evaluation_no_column(e, name, e->scope->rows, name->word);
}
