/* Which names must be columns; see expression_check.h. */
#include "harness/sweep/expression_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_checks.h"

/* What every index has besides options and the driver's columns. */
static const char *const common_columns[] = {"method", "key",           "status", "reason", "accuracy_ok",
                                             "wall_s", "max_rss_bytes", "digest", "command"};
enum { COMMON_COUNT = sizeof common_columns / sizeof *common_columns };

typedef sb_expression_checks check;

const sb_family *sb_driver_columns(const sb_vocabulary *vocabulary, const char *driver)
{
  for (size_t i = 0; vocabulary && i < vocabulary->count; ++i) {
    const char *family = vocabulary->families[i].family;
    if (strncmp(family, "columns:", 8) == 0 && strcmp(family + 8, driver) == 0) return &vocabulary->families[i];
  }
  return NULL;
}

static bool is_common(const char *name)
{
  for (size_t i = 0; i < COMMON_COUNT; ++i)
    if (strcmp(name, common_columns[i]) == 0) return true;
  return false;
}

bool sb_expression_is_column(const check *c, const char *name)
{
  if (strcmp(name, "method") == 0 || sb_option_find(name) != SB_OPT_COUNT) return true;
  if (c->known.planned) return false;
  if (is_common(name)) return true;
  for (size_t i = 0; c->known.columns && i < c->known.columns->count; ++i)
    if (strcmp(name, c->known.columns->names[i]) == 0) return true;
  return !c->known.columns;
}

/* The nearest known name, NULL when none is near. */
static const char *nearest(const check *c, const char *name)
{
  const size_t driver_count = c->known.columns && !c->known.planned ? c->known.columns->count : 0;
  const char **names = sb_allocate(SB_OPT_COUNT + COMMON_COUNT + driver_count, sizeof *names);
  size_t       count = 0;
  for (int i = 0; i < SB_OPT_COUNT; ++i) names[count++] = sb_option_at((sb_option_id)i)->name;
  for (size_t i = 0; i < (c->known.planned ? 1 : COMMON_COUNT); ++i) names[count++] = common_columns[i];
  for (size_t i = 0; i < driver_count; ++i) names[count++] = c->known.columns->names[i];
  const char *near = sb_nearest_name(name, names, count);
  free(names);
  return near;
}

sb_location sb_expression_place(const check *c, size_t at)
{
  return c->known.whole ? c->where : sb_expression_shift(c->where, c->text, at);
}

static void require_column(const check *c, const char *name, size_t at)
{
  if (sb_expression_is_column(c, name)) return;
  const char *near = sb_diagnostics_full(c->diagnostics) ? NULL : nearest(c, name),
             *what = c->known.planned ? "option" : "column";
  const sb_location where = sb_expression_place(c, at);
  if (c->known.planned && is_common(name))
    sb_error_at(c->diagnostics, where, "E101", "'%s' is not known before the run; options and 'method' are", name);
  else if (near)
    sb_error_at(c->diagnostics, where, "E101", "unknown %s '%s'; did you mean '%s'?", what, name, near);
  else
    sb_error_at(c->diagnostics, where, "E101", "unknown %s '%s'", what, name);
}

static void require_node(const check *c, const sb_node *node)
{
  if (node->kind == SB_NODE_NAME) require_column(c, node->word, node->begin);
}

/* What may be a word when it is evaluated. */
static bool may_be_word(const sb_node *node)
{
  return node->kind == SB_NODE_NAME || node->kind == SB_NODE_STRING || node->kind == SB_NODE_SELECT ||
         node->kind == SB_NODE_PUBLISHED;
}

static bool is_column(const check *c, const sb_node *node)
{
  return node->kind == SB_NODE_NAME ? sb_expression_is_column(c, node->word) : node->kind != SB_NODE_STRING;
}

/* Beside anything but a word a name must be a column; of two words one must be. */
static void check_link(const check *c, sb_comparison comparison, const sb_node *left, const sb_node *right)
{
  const bool equality = comparison == SB_EQUAL || comparison == SB_UNEQUAL;
  if (!equality || !may_be_word(left) || !may_be_word(right)) {
    require_node(c, left);
    if (comparison != SB_MATCHES) require_node(c, right);
  } else if (!is_column(c, left) && !is_column(c, right)) {
    require_node(c, left->kind == SB_NODE_NAME ? left : right);
  }
}

static bool needs_columns(sb_node_kind kind)
{
  return kind == SB_NODE_ARITHMETIC || kind == SB_NODE_NEGATE || kind == SB_NODE_CALL || kind == SB_NODE_AND ||
         kind == SB_NODE_OR || kind == SB_NODE_NOT;
}

static void check_node(const check *c, const sb_node *node)
{
  if (node->kind == SB_NODE_SELECT) require_column(c, node->word, node->begin);
  for (size_t i = 0; i < node->count; ++i) {
    if (node->kind == SB_NODE_SELECT) require_column(c, node->keys[i], node->parts[i]->begin);
    if (needs_columns(node->kind)) require_node(c, node->parts[i]);
    if (node->kind == SB_NODE_COMPARE && i > 0)
      check_link(c, node->comparisons[i - 1], node->parts[i - 1], node->parts[i]);
    check_node(c, node->parts[i]);
  }
}

void sb_expression_check(const sb_expression *expression, sb_known_names known, sb_location where,
                         sb_diagnostics *diagnostics)
{
  const check  c = {known, expression->text, where, diagnostics};
  const size_t before = diagnostics ? sb_diagnostics_errors(diagnostics) : 0;
  check_node(&c, expression->root);
  require_node(&c, expression->root);
  if (!diagnostics || sb_diagnostics_errors(diagnostics) > before) return;
  sb_expression_check_types(&c, expression->root);
  if (sb_diagnostics_errors(diagnostics) == before) sb_expression_check_values(&c, expression->root);
}
