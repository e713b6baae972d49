/* All expressions of a sweep before anything has run, by evaluating them over its planned rows, in which options are
 * known and results are unknown of a kind: clauses that take no case, selections of no case or of several, published
 * cells that are not there, words for values that no case has. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/plan.h"

typedef enum { NOT_TAKEN, TAKEN, PERHAPS } taken;

/* The check of a whole sweep: its planned rows, and memory as long as it takes. */
typedef struct {
  sb_check        check;
  sb_scope        scope;
  size_t          count; /* of rows */
  sb_diagnostics *diagnostics;
} work;

static sb_evaluation begin(const work *w, const sb_expression *expression, sb_diagnostics *diagnostics)
{
  return (sb_evaluation){.expression = expression,
                         .scope = &w->scope,
                         .diagnostics = diagnostics,
                         .check = &w->check,
                         .told = sb_arena_take(w->scope.arena, expression->nodes, sizeof(bool))};
}

/* The rows that a clause takes, or perhaps takes; all of them where it is NULL. NULL after a message: it takes none. */
static const taken *rows_taken(const work *w, const sb_expression *where)
{
  taken *rows = sb_arena_take(w->scope.arena, w->count, sizeof *rows);
  size_t count = 0;
  for (size_t i = 0; i < w->count; ++i) {
    rows[i] = TAKEN;
    if (where) {
      sb_evaluation  e = begin(w, where, w->diagnostics);
      const sb_value truth = sb_evaluate_truth(&e, where->root, i);
      if (e.failed) return NULL;
      rows[i] = truth.kind == SB_UNKNOWN ? PERHAPS : truth.truth ? TAKEN : NOT_TAKEN;
    }
    count += rows[i] != NOT_TAKEN;
  }
  if (count > 0 || w->count == 0) return rows;
  sb_error_at(w->diagnostics, where->where, "E106", "'%.80s' takes none of the sweep's %zu cases", where->text,
              w->count);
  return NULL;
}

/* A cell may have no answer in some rows; one that has none in any is a mistake. */
static void check_cell(const work *w, const taken *rows, const sb_expression *cell)
{
  sb_diagnostics *absent = sb_diagnostics_create();
  size_t          missing = 0, count = 0;
  for (size_t i = 0; cell && rows && i < w->count; ++i) {
    if (rows[i] == NOT_TAKEN) continue;
    sb_diagnostics *own = sb_diagnostics_create();
    sb_evaluation   e = begin(w, cell, own);
    sb_evaluate(&e, cell->root, i);
    ++count;
    missing += e.failed && e.absent;
    if (e.failed) sb_diagnostics_join(e.absent ? absent : w->diagnostics, own);
    sb_diagnostics_destroy(&own);
    if (e.failed && !e.absent) break;
  }
  if (missing > 0 && missing == count) sb_diagnostics_join(w->diagnostics, absent);
  sb_diagnostics_destroy(&absent);
}

static void check_claim(const work *w, const taken *rows, const sb_expression *test)
{
  if (!rows || !test) return;
  bool    *selected = sb_arena_take(w->scope.arena, w->count, sizeof *selected);
  bool    *unsure = sb_arena_take(w->scope.arena, w->count, sizeof *unsure);
  sb_scope scope = w->scope;
  scope.selected = selected;
  for (size_t i = 0; i < w->count; ++i) {
    selected[i] = rows[i] != NOT_TAKEN;
    unsure[i] = rows[i] == PERHAPS;
  }
  sb_evaluation e = begin(w, test, w->diagnostics);
  e.scope = &scope;
  e.unsure = unsure;
  sb_evaluation_begin_claim(&e);
  for (size_t i = 0; i < e.count && !e.failed; ++i) sb_evaluate_truth(&e, test->root, e.rows[i]);
  sb_evaluation_end(&e);
}

static const char *axis_of(const sb_wording *wording, sb_arena *arena)
{
  return sb_arena_copy_span(arena, wording->name, strcspn(wording->name, "="));
}

/* The section `words:` may name AXIS=VALUE; a value that no case has is a mistake. */
static void check_words(const work *w, const sb_wording *wording)
{
  const char  *equals = strchr(wording->name, '=');
  const size_t column = equals ? sb_rows_column_find(w->scope.rows, axis_of(wording, w->scope.arena)) : (size_t)-1;
  bool         found = column == (size_t)-1;
  for (size_t i = 0; i < w->count && !found; ++i) {
    const sb_value value = sb_rows_get(w->scope.rows, i, column);
    double         number = 0;
    if (value.kind == SB_NUMBER)
      found = sb_read_real(equals + 1, &number) == SB_NUMBER_READ && !(number < value.number || number > value.number);
    else
      found = value.kind != SB_WORD || strcmp(value.word, equals + 1) == 0; /* true and false have words in any case */
  }
  if (found || w->count == 0) return;
  sb_arena_writer writer;
  sb_rows_put_values(w->scope.rows, column, sb_arena_write(&writer, w->scope.arena));
  sb_error_at(w->diagnostics, wording->where, "E106", "%s has no value '%s' in this sweep (it has %s)",
              axis_of(wording, w->scope.arena), equals + 1, sb_arena_text(&writer));
}

/* The rows of a plan: what is known of them now. */
static sb_rows *planned_rows(const sb_sweep *sweep, const sb_plan *plan, const sb_driver *driver, sb_arena *arena)
{
  sb_rows *rows = sb_rows_create(arena);
  sb_rows_add_column(rows, "method", "", true, false);
  for (size_t i = 0; i < sweep->wording_count; ++i)
    if (strchr(sweep->wordings[i].name, '='))
      sb_rows_add_column(rows, axis_of(&sweep->wordings[i], arena), "", true, false);
  for (size_t a = 0; a < plan->axis_count; ++a) sb_rows_add_column(rows, plan->axes[a], "", true, false);
  for (size_t i = 0; i < plan->count; ++i) {
    sb_rows_add_row(rows);
    for (size_t a = 0; a < sb_rows_column_count(rows); ++a)
      sb_rows_set(rows, i, a, sb_case_value(&plan->cases[i], sb_rows_column_at(rows, a)->name));
  }
  sb_check_add_results(rows, driver);
  return rows;
}

static bool check_all(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session)
{
  const size_t     before = sb_diagnostics_errors(session->diagnostics);
  sb_arena        *arena = sb_arena_create();
  char            *published = sb_data_directory("results/published");
  const sb_driver *driver = sb_check_driver(session, sweep->driver);
  sb_rows         *rows = planned_rows(sweep, plan, driver, arena);
  const work       w = {.check = sb_check_of(session, sweep, driver, false, rows),
                        .scope = {.rows = rows, .published_dir = published, .arena = arena},
                        .count = plan->count,
                        .diagnostics = session->diagnostics};
  for (size_t i = 0; i < sweep->table_count; ++i) {
    const sb_table_spec *table = &sweep->tables[i];
    const taken         *of_table = rows_taken(&w, table->where);
    check_cell(&w, of_table, table->cell.value);
    for (size_t k = 0; k < table->column_count; ++k) check_cell(&w, of_table, table->columns[k].value);
  }
  for (size_t i = 0; i < sweep->wording_count; ++i) check_words(&w, &sweep->wordings[i]);
  for (size_t i = 0; i < sweep->figure_count; ++i) rows_taken(&w, sweep->figures[i].where);
  for (size_t i = 0; i < sweep->claim_count; ++i)
    check_claim(&w, rows_taken(&w, sweep->claims[i].where), sweep->claims[i].test);
  free(published);
  sb_arena_destroy(&arena);
  return sb_diagnostics_errors(session->diagnostics) == before;
}

bool sb_sweep_check_expressions(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session)
{
  if (plan) return check_all(sweep, plan, session);
  sb_session own = sb_session_begin(session->vocabulary, session->drivers);
  plan = sb_plan_create(sweep, NULL, &own);
  const bool good = !plan || check_all(sweep, plan, session);
  sb_session_end(&own, NULL);
  return good;
}
