/* The values that an expression names: one that an option, a status or an axis cannot have makes a comparison that is
 * never true, and a clause that takes no case. See expression_check.h. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/outcome.h"
#include "harness/sweep/expression_checks.h"
#include "harness/sweep/sweep.h"

/* The word that a node stands for, NULL when it stands for something else. */
static const char *literal(const sb_expression_checks *c, const sb_node *node)
{
  if (node->kind == SB_NODE_STRING) return node->word;
  return node->kind == SB_NODE_NAME && !sb_expression_is_column(c, node->word) ? node->word : NULL;
}

static bool is_status(const char *word, char **near)
{
  const char *names[SB_STATUS_COUNT];
  sb_status   status;
  if (sb_status_from_name(word, &status)) return true;
  for (int i = 0; i < SB_STATUS_COUNT; ++i) names[i] = sb_status_name((sb_status)i);
  const char *name = sb_nearest_name(word, names, SB_STATUS_COUNT);
  *near = name ? sb_copy_text(name) : NULL;
  return false;
}

static bool is_method(const sb_sweep *sweep, const char *word, char **near)
{
  if (!sweep || sb_sweep_method(sweep, word)) return true;
  const char *name = sb_sweep_method_nearest(sweep, word);
  *near = name ? sb_copy_text(name) : NULL;
  return false;
}

/* Whether the column can have that value; *near (malloc'ed) one that it can have. */
static bool can_be(const sb_expression_checks *c, const char *column, const char *word, char **near)
{
  if (strcmp(column, "status") == 0) return is_status(word, near);
  if (strcmp(column, "method") == 0) return is_method(c->known.sweep, word, near);
  const sb_option_id id = sb_option_find(column);
  if (id == SB_OPT_COUNT) return true;
  if (sb_option_at(id)->kind == SB_KIND_BOOL) return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
  return sb_option_may_be(id, c->known.vocabulary, word, near);
}

static bool check_word(const sb_expression_checks *c, const char *column, const sb_node *node)
{
  const char *word = literal(c, node);
  char       *near = NULL;
  if (!word || can_be(c, column, word, &near)) return true;
  sb_error_at(c->diagnostics, sb_expression_place(c, node->begin), "E106",
              near ? "%s has no value '%s'; did you mean '%s'?" : "%s has no value '%s'", column, word, near);
  free(near);
  return false;
}

/* In `column[key = value]` the value must be one that the axis has: no row is another. */
static void check_key(const sb_expression_checks *c, const char *key, const sb_node *node)
{
  const bool negative = node->kind == SB_NODE_NEGATE && node->parts[0]->kind == SB_NODE_NUMBER;
  sb_value   value = {.kind = SB_BLANK};
  if (!check_word(c, key, node) || !c->known.sweep) return;
  if (literal(c, node)) value = (sb_value){.kind = SB_WORD, .word = literal(c, node)};
  if (node->kind == SB_NODE_NUMBER) value = (sb_value){.kind = SB_NUMBER, .number = node->number};
  if (negative) value = (sb_value){.kind = SB_NUMBER, .number = -node->parts[0]->number};
  if (value.kind == SB_BLANK) return;
  char *values = sb_sweep_lacks(c->known.sweep, key, value);
  if (!values) return;
  sb_error_at(c->diagnostics, sb_expression_place(c, node->begin), "E106",
              "%s has no value '%.*s' in this sweep (it has %s)", key, (int)(node->end - node->begin),
              c->text + node->begin, values);
  free(values);
}

static void check_link(const sb_expression_checks *c, sb_comparison comparison, const sb_node *left,
                       const sb_node *right)
{
  const bool of_left = left->kind == SB_NODE_NAME || left->kind == SB_NODE_SELECT;
  const bool of_right = right->kind == SB_NODE_NAME || right->kind == SB_NODE_SELECT;
  if (comparison == SB_EQUAL || comparison == SB_UNEQUAL) {
    if (of_left) check_word(c, left->word, right);
    if (of_right) check_word(c, right->word, left);
  }
  if (comparison == SB_IN || comparison == SB_NOT_IN)
    for (size_t i = 0; of_left && i < right->count; ++i) check_word(c, left->word, right->parts[i]);
}

void sb_expression_check_values(const sb_expression_checks *c, const sb_node *node)
{
  for (size_t i = 0; i < node->count; ++i) {
    if (node->kind == SB_NODE_SELECT) check_key(c, node->keys[i], node->parts[i]);
    if (node->kind == SB_NODE_COMPARE && i > 0)
      check_link(c, node->comparisons[i - 1], node->parts[i - 1], node->parts[i]);
    sb_expression_check_values(c, node->parts[i]);
  }
}
