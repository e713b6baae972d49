/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The check of one expression before anything runs: its evaluation over one row of which only the kinds are known. */
#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/store/case_row.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/sweep.h"

sb_check sb_check_of(const sb_session *session, const sb_sweep *sweep, const char *driver_name, sb_rows *rows)
{
  static const unsigned kinds[] = {
      [SB_COLUMN_NUMBER] = SB_MAY_BE_NUMBER, [SB_COLUMN_WORD] = SB_MAY_BE_WORD, [SB_COLUMN_TRUTH] = SB_MAY_BE_TRUTH};
  const sb_driver *driver = driver_name ? sb_driver_find(session->vocabulary, driver_name) : NULL;
  for (size_t i = 0; i < SB_COMMON_COUNT; ++i)
    sb_rows_add_unknown(rows, sb_common_columns[i].name, sb_common_columns[i].may_be);
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    sb_rows_add_unknown(rows, driver->columns[i].name, kinds[driver->columns[i].kind]);
  return (sb_check){.vocabulary = session->vocabulary, .sweep = sweep, .open = !driver, .rows = rows};
}

sb_check *sb_check_create(const sb_session *session, const sb_sweep *sweep, const char *driver, bool planned,
                          sb_arena *arena)
{
  static const unsigned kinds[] = {[SB_KIND_INTEGER] = SB_MAY_BE_NUMBER,
                                   [SB_KIND_REAL] = SB_MAY_BE_NUMBER,
                                   [SB_KIND_BOOL] = SB_MAY_BE_TRUTH,
                                   [SB_KIND_SELECTION] = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD,
                                   [SB_KIND_COMPOSITE] = SB_MAY_BE_WORD};
  sb_rows              *rows = sb_rows_create(arena), *later = planned ? sb_rows_create(arena) : rows;
  sb_check             *c = sb_arena_take(arena, 1, sizeof *c);
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const sb_option *option = sb_option_at(id);
    const unsigned   word = sb_option_takes_word(id) || !kinds[option->kind] ? SB_MAY_BE_WORD : 0;
    sb_rows_add_unknown(rows, option->name, kinds[option->kind] | word);
  }
  sb_rows_add_unknown(rows, "method", SB_MAY_BE_WORD);
  sb_rows_add_row(rows);
  *c = sb_check_of(session, sweep, driver, later);
  c->open = c->open && !planned;
  c->rows = rows;
  c->later = planned ? later : NULL;
  return c;
}

void sb_expression_check(const sb_expression *expression, const sb_check *check, bool clause,
                         sb_diagnostics *diagnostics)
{
  const sb_scope scope = {.rows = check->rows};
  sb_evaluation  e = {.expression = expression, .scope = &scope, .diagnostics = diagnostics, .check = check};
  const sb_node *root = expression->root;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  sb_evaluation_begin(&e, true, arena);
  if (clause)
    sb_evaluate_truth(&e, root, 0);
  else if (root->kind == SB_NODE_NAME && !check->open && sb_evaluation_is_plain(&e, root))
    sb_evaluation_no_column(&e, root, check->rows, root->word);
  else
    sb_evaluate(&e, root, 0);
}
