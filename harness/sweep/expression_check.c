/* An expression before anything has run, by evaluating it over one row of which nothing is known but the kinds: when a
 * sweep file is read, each expression by itself. expression_planned.c checks them over the planned rows. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/outcome.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/sweep.h"

/* What every index has besides options and the driver's columns. */
static const struct {
  const char *name;
  unsigned    may_be;
} common_columns[] = {{"key", SB_MAY_BE_WORD},      {"status", SB_MAY_BE_WORD},
                      {"reason", SB_MAY_BE_WORD},   {"digest", SB_MAY_BE_WORD},
                      {"command", SB_MAY_BE_WORD},  {"accuracy_ok", SB_MAY_BE_TRUTH},
                      {"wall_s", SB_MAY_BE_NUMBER}, {"max_rss_bytes", SB_MAY_BE_NUMBER}};
enum { COMMON_COUNT = sizeof common_columns / sizeof *common_columns };

static unsigned kind_of_option(sb_option_id id)
{
  switch (sb_option_at(id)->kind) {
  case SB_KIND_INTEGER:
  case SB_KIND_REAL:
    return SB_MAY_BE_NUMBER;
  case SB_KIND_BOOL:
    return SB_MAY_BE_TRUTH;
  case SB_KIND_SELECTION:
    return SB_MAY_BE_NUMBER | SB_MAY_BE_WORD;
  default:
    return SB_MAY_BE_WORD;
  }
}

void sb_check_add_results(sb_rows *rows, const sb_driver *driver)
{
  static const unsigned kinds[] = {
      [SB_COLUMN_NUMBER] = SB_MAY_BE_NUMBER, [SB_COLUMN_WORD] = SB_MAY_BE_WORD, [SB_COLUMN_TRUTH] = SB_MAY_BE_TRUTH};
  for (size_t i = 0; i < COMMON_COUNT; ++i) sb_rows_add_unknown(rows, common_columns[i].name, common_columns[i].may_be);
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    sb_rows_add_unknown(rows, driver->columns[i].name, kinds[driver->columns[i].kind]);
}

const sb_driver *sb_check_driver(const sb_session *session, const char *name)
{
  return session->drivers && name ? sb_driver_find(session->drivers, name) : NULL;
}

/* The word that a part stands for by itself, NULL where it stands for something else. */
static const char *literal(const sb_evaluation *e, const sb_node *node)
{
  const bool plain = !e->check->open && sb_evaluation_is_plain(e, node);
  return node->kind == SB_NODE_STRING || plain ? node->word : NULL;
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
  if (!sweep) return true;
  const char **names = sb_allocate(sweep->named_methods, sizeof *names);
  bool         found = false;
  for (size_t i = 0; i < sweep->named_methods; ++i) {
    names[i] = sweep->methods_by_name[i]->name;
    found = found || strcmp(names[i], word) == 0;
  }
  const char *name = found ? NULL : sb_nearest_name(word, names, sweep->named_methods);
  *near = name ? sb_copy_text(name) : NULL;
  free(names);
  return found;
}

/* Tells whether a column can have that value; *near (malloc'ed) is one that it can have. */
static bool can_be(const sb_check *c, const char *column, const char *word, char **near)
{
  if (strcmp(column, "status") == 0) return is_status(word, near);
  if (strcmp(column, "method") == 0) return is_method(c->sweep, word, near);
  const sb_option_id id = sb_option_find(column);
  if (id == SB_OPT_COUNT) return true;
  if (sb_option_at(id)->kind == SB_KIND_BOOL) return strcmp(word, "true") == 0 || strcmp(word, "false") == 0;
  return sb_option_may_be(id, c->vocabulary, word, near);
}

static void check_word(sb_evaluation *e, const char *column, const sb_node *node)
{
  const char *word = literal(e, node);
  char       *near = NULL;
  if (!word || can_be(e->check, column, word, &near)) return;
  sb_evaluation_fails(e, node, "E106", near ? "%s has no value '%s'; did you mean '%s'?" : "%s has no value '%s'",
                      column, word, near);
  free(near);
}

static void refuse_plain(sb_evaluation *e, const sb_node *node)
{
  sb_evaluation_no_column(e, node, e->scope->rows, node->word);
}

static void check_comparison(sb_evaluation *e, const sb_node *left, sb_comparison comparison, const sb_node *right)
{
  const bool of_left = (left->kind == SB_NODE_NAME && !literal(e, left)) || left->kind == SB_NODE_SELECT;
  const bool of_right = (right->kind == SB_NODE_NAME && !literal(e, right)) || right->kind == SB_NODE_SELECT;
  const bool equality = comparison == SB_EQUAL || comparison == SB_UNEQUAL;
  if (right->kind == SB_NODE_LIST) {
    if (literal(e, left) && left->kind == SB_NODE_NAME) refuse_plain(e, left);
    for (size_t i = 0; of_left && i < right->count; ++i) check_word(e, left->word, right->parts[i]);
  } else if (equality && of_left) {
    check_word(e, left->word, right);
  } else if (equality && of_right) {
    check_word(e, right->word, left);
  } else if (literal(e, left) && (literal(e, right) || !equality)) {
    if (left->kind == SB_NODE_NAME || right->kind == SB_NODE_NAME)
      refuse_plain(e, left->kind == SB_NODE_NAME ? left : right);
  }
}

sb_check sb_check_of(const sb_session *session, const sb_sweep *sweep, const sb_driver *driver, bool planned,
                     sb_rows *rows)
{
  return (sb_check){.vocabulary = session->vocabulary,
                    .sweep = sweep,
                    .open = !driver && !planned,
                    .planned = planned,
                    .rows = rows,
                    .word = check_word,
                    .comparison = check_comparison};
}

sb_check *sb_check_create(const sb_session *session, const sb_sweep *sweep, const char *driver_name, bool planned,
                          sb_arena *arena)
{
  const sb_driver *driver = sb_check_driver(session, driver_name);
  sb_check        *c = sb_arena_take(arena, 1, sizeof *c);
  *c = sb_check_of(session, sweep, driver, planned, sb_rows_create(arena));
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    sb_rows_add_unknown(c->rows, sb_option_at((sb_option_id)i)->name, kind_of_option((sb_option_id)i));
  sb_rows_add_unknown(c->rows, "method", SB_MAY_BE_WORD);
  c->later = planned ? sb_rows_create(arena) : c->rows;
  sb_check_add_results(c->later, driver);
  sb_rows_add_row(c->rows);
  return c;
}

void sb_expression_check(const sb_expression *expression, const sb_check *check, bool clause,
                         sb_diagnostics *diagnostics)
{
  const sb_scope scope = {.rows = check->rows};
  sb_evaluation  e = {.expression = expression, .scope = &scope, .diagnostics = diagnostics, .check = check};
  sb_evaluation_begin_claim(&e);
  e.told = sb_arena_take(expression->arena, expression->nodes, sizeof *e.told);
  if (clause)
    sb_evaluate_truth(&e, expression->root, 0);
  else if (expression->root->kind == SB_NODE_NAME && literal(&e, expression->root))
    refuse_plain(&e, expression->root);
  else
    sb_evaluate(&e, expression->root, 0);
  sb_evaluation_end(&e);
}
