/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks all expressions of a sweep before anything has run, by evaluating them over its planned rows. Options are
 * known there, and results are unknown of a kind. It finds clauses that select no case, selections of no case or of
 * several, missing published cells, words for values that no case has. */
#include <string.h>

#include "cases/common/durable.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/plan.h"

/* The check of a whole sweep: its planned rows, and the memory of the check. */
typedef struct {
  sb_check        check;
  sb_scope        scope;
  const sb_plan  *plan;
  sb_diagnostics *diagnostics;

  const sb_sweep_expression *list;        /* of the sweep */
  const sb_perhaps          *all, **rows; /* of every clause of the list, once `known` */
  bool                      *known;
} work;

/* A name's column in the planned rows, if it is an option or `method`. */
static void know(void *context, const char *name)
{
  const work *w = context;
  const bool  known = sb_rows_column_find(w->check.rows, name) != (size_t)-1;
  if (known || (strcmp(name, "method") != 0 && sb_option_find(name) == sb_option_count)) return;
  const size_t column = sb_rows_add_column(w->check.rows, name, "", true, false);
  for (size_t i = 0; i < w->plan->count; ++i)
    sb_rows_set(w->check.rows, i, column, sb_case_value(&w->plan->cases[i], name));
}

static sb_evaluation begin(const work *w, const sb_expression *expression, bool claim, sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = &w->scope, .diagnostics = diagnostics, .check = &w->check};
  sb_expression_names(expression, know, (void *)w);
  sb_evaluation_begin(&e, claim, w->scope.arena);
  return e;
}

/* The rows of `among` that a clause selects, or perhaps selects. NULL: it selects none of the sweep's cases; also for
 * NULL. */
static const sb_perhaps *rows_taken(const work *w, const sb_perhaps *among, const sb_expression *where)
{
  if (!among) return NULL;
  sb_perhaps   *rows = sb_arena_take(w->scope.arena, w->plan->count, sizeof *rows);
  sb_evaluation e = begin(w, where, false, w->diagnostics);
  size_t        count = 0;
  for (size_t i = 0; i < w->plan->count; ++i) {
    const sb_value truth = sb_evaluate_truth(&e, where->root, i);
    const bool     perhaps = truth.kind == SB_UNKNOWN, may_be = perhaps || truth.truth;
    if (e.failed) return NULL;
    count += may_be;
    rows[i] = !may_be || among[i] == SB_NO ? SB_NO : perhaps ? SB_PERHAPS : among[i];
  }
  if (count > 0 || w->plan->count == 0) return rows;
  sb_error_at(w->diagnostics, where->where, "E106", "'%.80s' selects none of the sweep's %zu cases", where->text,
              w->plan->count);
  return NULL;
}

/* A cell may have no answer in some rows; one that has none in any row is a mistake. */
static void check_cell(const work *w, const sb_perhaps *rows, const sb_expression *cell)
{
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *absent = sb_diagnostics_create();
  sb_evaluation                                       e = begin(w, cell, false, NULL);
  size_t                                              missing = 0, count = 0;
  for (size_t i = 0; i < w->plan->count && (!e.failed || e.absent); ++i) {
    if (rows[i] == SB_NO) continue;
    e.diagnostics = sb_diagnostics_create();
    e.failed = e.absent = false;
    memset(e.parts, 0, cell->nodes * sizeof *e.parts);
    sb_evaluate(&e, cell->root, i);
    count++;
    missing += e.failed && e.absent;
    if (e.failed) sb_diagnostics_join(e.absent ? absent : w->diagnostics, e.diagnostics);
    sb_diagnostics_destroy(&e.diagnostics);
  }
  if (missing > 0 && missing == count) sb_diagnostics_join(w->diagnostics, absent);
}

/* The cell of a line of several cases, whose functions of all values are those of a claim; a claim's test; or a number
 * of a text, which may not differ between the cases that it is of. */
static void check_line(const work *w, const sb_perhaps *rows, const sb_expression *line, sb_expression_role role)
{
  work about = *w;
  about.scope.taken = rows;
  sb_evaluation e = begin(&about, line, true, w->diagnostics);
  for (size_t i = 0; i < e.count && !e.failed; ++i)
    (role == SB_ROLE_CLAIM ? sb_evaluate_truth : sb_evaluate)(&e, line->root, e.rows[i]);
  if (role == SB_ROLE_NUMBER && e.count > 1 && e.parts[line->root->index].spread)
    sb_error_at(w->diagnostics, line->where, "E106",
                "'%.80s' has a value in each of %zu cases; select one by 'where', or take their min, max or median",
                line->text, e.count);
}

/* The rows that entry `i` selects, found at its first use; NULL if it, or a clause around it, selects none. */
static const sb_perhaps *rows_of(const work *w, size_t i)
{
  if (i == SB_ALL_ROWS) return w->all;
  if (!w->known[i]) w->rows[i] = rows_taken(w, rows_of(w, w->list[i].among), w->list[i].expression);
  w->known[i] = true;
  return w->rows[i];
}

static void check_entry(const work *w, size_t i)
{
  const sb_sweep_expression *entry = &w->list[i];
  if (entry->role == SB_ROLE_CLAUSE) rows_of(w, i);
  if (entry->role <= SB_ROLE_CLAUSE) return;
  const sb_perhaps *rows = rows_of(w, entry->among);
  if (rows && entry->role == SB_ROLE_CELL)
    check_cell(w, rows, entry->expression);
  else if (rows)
    check_line(w, rows, entry->expression, entry->role);
}

/* The section `words:` may name AXIS=VALUE; a value that no case has is a mistake. */
static void check_words(const work *w, const sb_wording *wording)
{
  const char *equals = strchr(wording->name, '=');
  if (!equals || w->plan->count == 0) return;
  const char *axis = sb_arena_copy_span(w->scope.arena, wording->name, (size_t)(equals - wording->name));
  know((void *)w, axis);
  const size_t column = sb_rows_column_find(w->scope.rows, axis);
  bool         found = column == (size_t)-1;
  for (size_t i = 0; i < w->plan->count && !found; ++i) {
    const sb_value value = sb_rows_get(w->scope.rows, i, column);
    double         number = 0;
    if (value.kind == SB_NUMBER)
      found = sb_read_real(equals + 1, &number) == SB_NUMBER_READ && !(number < value.number || number > value.number);
    else
      found = value.kind != SB_WORD || strcmp(value.word, equals + 1) == 0; /* true and false have words in any case */
  }
  if (found) return;
  sb_arena_writer writer;
  sb_rows_put_values(w->scope.rows, column, sb_arena_write(&writer, w->scope.arena));
  sb_error_at(w->diagnostics, wording->where, "E106", "%s has no value '%s' in this sweep (it has %s)", axis,
              equals + 1, sb_arena_text(&writer));
}

bool sb_sweep_check_expressions(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session)
{
  const size_t before = sb_diagnostics_errors(session->diagnostics);
  sb_session   own = sb_session_begin(session->vocabulary);
  if (!plan) plan = sb_plan_create(sweep, NULL, &own);
  if (plan) {
    sb_rows    *rows = sb_rows_create(own.arena);
    sb_perhaps *all = sb_arena_take(own.arena, plan->count, sizeof *all);
    work        w = {.plan = plan, .diagnostics = session->diagnostics};
    for (size_t i = 0; i < plan->count; ++i) all[sb_rows_add_row(rows)] = SB_YES;
    w.check = sb_check_of(session, sweep, sweep->driver, rows);
    w.scope = (sb_scope){.rows = rows, .arena = own.arena};
    w.scope.published_dir = sb_arena_adopt(own.arena, sb_data_directory("results/published"));
    size_t count;
    w.all = all;
    w.list = sb_sweep_expressions(sweep, own.arena, &count);
    w.rows = sb_arena_take(own.arena, count, sizeof *w.rows);
    w.known = sb_arena_take(own.arena, count, sizeof *w.known);
    for (size_t i = 0; i < count; ++i) {
      /* Panels share expressions, which the list has once per panel: a message about one is printed once. */
      w.diagnostics = sb_diagnostics_create();
      check_entry(&w, i);
      sb_diagnostics_join(session->diagnostics, w.diagnostics);
      sb_diagnostics_destroy(&w.diagnostics);
    }
    w.diagnostics = session->diagnostics;
    for (size_t i = 0; i < sweep->wording_count; ++i) check_words(&w, &sweep->wordings[i]);
  }
  sb_session_end(&own, NULL);
  return sb_diagnostics_errors(session->diagnostics) == before;
}
