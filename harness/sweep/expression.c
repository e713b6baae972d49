/* The life of an expression and its two uses, in a row and as a claim; see expression.h. */
#include "harness/sweep/expression.h"

#include <stdarg.h>
#include <string.h>

#include "harness/sweep/expression_tree.h"

const char *sb_expression_text(const sb_expression *expression) { return expression->text; }

sb_location sb_expression_where(const sb_expression *expression) { return expression->where; }

static void visit_names(const sb_node *node, void (*visit)(void *context, const char *name), void *context)
{
  if (node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT) visit(context, node->word);
  for (size_t i = 0; i < node->count; ++i) {
    if (node->kind == SB_NODE_SELECT) visit(context, node->keys[i]);
    visit_names(node->parts[i], visit, context);
  }
}

void sb_expression_names(const sb_expression *expression, void (*visit)(void *context, const char *name), void *context)
{
  visit_names(expression->root, visit, context);
}

bool sb_expression_takes_words(const char *name)
{
  if (strcmp(name, "method") == 0 || strcmp(name, "status") == 0 || strcmp(name, "key") == 0) return true;
  const sb_option_id id = sb_option_find(name);
  return id != SB_OPT_COUNT && sb_option_at(id)->kind == SB_KIND_NAME;
}

bool sb_expression_fail(char *error, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error, 256, format, arguments);
  va_end(arguments);
  return false;
}
