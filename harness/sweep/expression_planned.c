/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks all expressions of a sweep before anything has run, by evaluating them over its planned rows. Options are
 * known there, and results are unknown of a kind. It finds clauses that take no case, selections of no case or of
 * several, published cells that are not there, words for values that no case has. */
#include <string.h>

#include "cases/common/durable.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/plan.h"

/* The check of a whole sweep: its planned rows, and memory as long as it takes. */
typedef struct {
  sb_check        check;
  sb_scope        scope;
  const sb_plan  *plan;
  sb_diagnostics *diagnostics;
} work;

/* A name's column in the planned rows, where it is an option or `method`. */
static void know(void *context, const char *name)
{
  const work *w = context;
  const bool  known = sb_rows_column_find(w->check.rows, name) != (size_t)-1;
  if (known || (strcmp(name, "method") != 0 && sb_option_find(name) == SB_OPT_COUNT)) return;
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

/* Those of `among` that a clause takes, or perhaps takes. NULL after a message: of the sweep's cases it takes none; and
 * for NULL. */
static const sb_perhaps *rows_taken(const work *w, const sb_perhaps *among, const sb_expression *where)
{
  if (!among || !where) return among;
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

/* A cell may have no answer in some rows; one that has none in any is a mistake. */
static void check_cell(const work *w, const sb_perhaps *rows, const sb_expression *cell)
{
  if (!rows || !cell) return;
  sb_diagnostics *absent = sb_diagnostics_create();
  sb_evaluation   e = begin(w, cell, false, NULL);
  size_t          missing = 0, count = 0;
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
  sb_diagnostics_destroy(&absent);
}

static void check_claim(const work *w, const sb_perhaps *rows, const sb_expression *test)
{
  if (!rows || !test) return;
  work about = *w;
  about.scope.taken = rows;
  sb_evaluation e = begin(&about, test, true, w->diagnostics);
  for (size_t i = 0; i < e.count && !e.failed; ++i) sb_evaluate_truth(&e, test->root, e.rows[i]);
}

/* The cell of a line of several cases: its functions of all values are those of a claim. */
static void check_line(const work *w, const sb_perhaps *rows, const sb_expression *cell)
{
  if (!rows || !cell) return;
  work about = *w;
  about.scope.taken = rows;
  sb_evaluation e = begin(&about, cell, true, w->diagnostics);
  for (size_t i = 0; i < e.count && !e.failed; ++i) sb_evaluate(&e, cell->root, e.rows[i]);
}

/* A number of a text: as the cell of a line, and it may not differ between the cases that it is of. */
static void check_number(const work *w, const sb_perhaps *rows, const sb_text_piece *piece)
{
  if (!rows || !piece->value) return;
  work about = *w;
  about.scope.taken = rows;
  const sb_evaluation e = begin(&about, piece->value, true, w->diagnostics);
  check_line(w, rows, piece->value);
  if (e.count > 1 && e.parts[piece->value->root->index].spread)
    sb_error_at(w->diagnostics, piece->value->where, "E106",
                "'%.80s' has a value in each of %zu cases; select one by 'where', or take their min, max or median",
                piece->value->text, e.count);
}

/* Points of curves and rows of published tables are not known here. Panels share what they do not say themselves: a
 * message about it comes once. */
static void check_panel(const work *w, const sb_perhaps *of_figure, const sb_figure_panel *panel)
{
  work own = *w;
  own.diagnostics = sb_diagnostics_create();
  const sb_perhaps *of_panel = rows_taken(&own, of_figure, panel->where);
  rows_taken(&own, of_panel, panel->above.where);
  rows_taken(&own, of_panel, panel->below.where);
  for (size_t i = 0; i < panel->layer_count; ++i) {
    const sb_figure_layer     *layer = &panel->layers[i];
    const sb_expression *const cells[] = {layer->x, layer->y, layer->lower, layer->upper, layer->value, layer->cost};
    const sb_perhaps          *rows = layer->published ? NULL : rows_taken(&own, of_panel, layer->where);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) check_cell(&own, rows, cells[k]);
  }
  for (size_t i = 0; i < panel->line_count; ++i) rows_taken(&own, of_panel, panel->lines[i].where);
  sb_diagnostics_join(w->diagnostics, own.diagnostics);
  sb_diagnostics_destroy(&own.diagnostics);
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
    for (size_t i = 0; i < sweep->table_count; ++i) {
      const sb_table_spec *table = &sweep->tables[i];
      const sb_perhaps    *of_table = rows_taken(&w, all, table->where);
      check_cell(&w, of_table, table->cell.value);
      for (size_t k = 0; k < table->column_count; ++k)
        (table->over_axis ? check_line : check_cell)(&w, of_table, table->columns[k].value);
    }
    for (size_t i = 0; i < sweep->wording_count; ++i) check_words(&w, &sweep->wordings[i]);
    for (size_t i = 0; i < sweep->figure_count; ++i) {
      const sb_figure_spec *figure = &sweep->figures[i];
      const sb_perhaps     *of_figure = rows_taken(&w, all, figure->where);
      if (!figure->kind || strcmp(figure->data, "rows") != 0) continue;
      check_cell(&w, of_figure, figure->failed);
      if (figure->panel_count == 0) check_panel(&w, of_figure, &figure->all);
      for (size_t k = 0; k < figure->panel_count; ++k) check_panel(&w, of_figure, &figure->panels[k]);
    }
    for (size_t i = 0; i < sweep->claim_count; ++i)
      check_claim(&w, rows_taken(&w, all, sweep->claims[i].where), sweep->claims[i].test);
    for (size_t i = 0; i < sweep->template_count; ++i)
      for (size_t k = 0; k < sweep->templates[i].count; ++k)
        check_number(&w, rows_taken(&w, all, sweep->templates[i].pieces[k].where), &sweep->templates[i].pieces[k]);
  }
  sb_session_end(&own, NULL);
  return sb_diagnostics_errors(session->diagnostics) == before;
}
