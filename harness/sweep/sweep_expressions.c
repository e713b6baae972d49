/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The one list of a sweep's expressions: the purpose of each, and its rows. The plan gets from it the columns that
 * results need, and the check before a run evaluates it (expression_planned.c). */
#include <string.h>

#include "harness/sweep/sweep.h"

typedef struct {
  sb_arena            *arena;
  sb_sweep_expression *all;
  size_t               count;
} listing;

static size_t add_entry(listing *l, sb_sweep_expression entry)
{
  *SB_NEW_ITEM(l->arena, l->all, l->count) = entry;
  return l->count - 1;
}

/* Gives the entry of the rows that a clause selects: its own; without a clause `among`. */
static size_t add(listing *l, sb_expression_role role, const sb_expression *expression, size_t among, bool named)
{
  return expression ? add_entry(l, (sb_sweep_expression){role, NULL, expression, among, named}) : among;
}

static void add_name(listing *l, const char *name)
{
  if (name) add_entry(l, (sb_sweep_expression){SB_ROLE_NAME, name, NULL, SB_ALL_ROWS, true});
}

/* An expression, followed by the clause for its rows; returns the clause's entry. */
static size_t add_with_clause(listing *l, sb_expression_role role, const sb_expression *expression,
                              const sb_expression *where)
{
  const size_t rows = where ? l->count + (expression != NULL) : SB_ALL_ROWS;
  add(l, role, expression, rows, true);
  return add(l, SB_ROLE_CLAUSE, where, SB_ALL_ROWS, true);
}

static void add_table(listing *l, const sb_table_spec *table)
{
  for (size_t k = 0; k < table->row_axes; ++k) add_name(l, table->rows[k]);
  add_name(l, table->column_axis);
  add_name(l, table->over_axis);
  const size_t rows = add_with_clause(l, SB_ROLE_CELL, table->cell.value, table->where);
  for (size_t k = 0; k < table->column_count; ++k)
    add(l, table->over_axis ? SB_ROLE_LINE : SB_ROLE_CELL, table->columns[k].value, rows, true);
}

/* Rows of published tables are not known before a run. */
static void add_panel(listing *l, const sb_figure_panel *panel, size_t of_figure)
{
  const size_t rows = add(l, SB_ROLE_CLAUSE, panel->where, of_figure, false);
  add(l, SB_ROLE_CLAUSE, panel->above.where, rows, false);
  add(l, SB_ROLE_CLAUSE, panel->below.where, rows, false);
  for (size_t i = 0; i < panel->layer_count; ++i) {
    const sb_figure_layer     *layer = &panel->layers[i];
    const sb_expression *const cells[] = {layer->x, layer->y, layer->lower, layer->upper, layer->value, layer->cost};
    if (layer->published) continue;
    const size_t own = add(l, SB_ROLE_CLAUSE, layer->where, rows, false);
    for (size_t k = 0; k < sizeof cells / sizeof *cells; ++k) add(l, SB_ROLE_CELL, cells[k], own, false);
  }
  for (size_t i = 0; i < panel->line_count; ++i) add(l, SB_ROLE_CLAUSE, panel->lines[i].where, rows, false);
}

/* Points of curves and frames are not known before a run. */
static void add_figure(listing *l, const sb_figure_spec *figure)
{
  const size_t rows = add(l, SB_ROLE_CLAUSE, figure->where, SB_ALL_ROWS, true);
  if (!figure->kind || strcmp(figure->data, "rows") != 0) return;
  add(l, SB_ROLE_CELL, figure->failed, rows, false);
  if (figure->panel_count == 0) add_panel(l, &figure->all, rows);
  for (size_t k = 0; k < figure->panel_count; ++k) add_panel(l, &figure->panels[k], rows);
}

const sb_sweep_expression *sb_sweep_expressions(const sb_sweep *sweep, sb_arena *arena, size_t *count)
{
  listing l = {.arena = arena, .all = sb_arena_take(arena, 0, sizeof *l.all)};
  for (size_t i = 0; i < sweep->exclusion_count; ++i)
    add(&l, SB_ROLE_PLANNING, sweep->exclusions[i].when, SB_ALL_ROWS, true);
  for (size_t i = 0; i < sweep->table_count; ++i) add_table(&l, &sweep->tables[i]);
  for (size_t i = 0; i < sweep->figure_count; ++i) add_figure(&l, &sweep->figures[i]);
  for (size_t i = 0; i < sweep->animation_count; ++i)
    add(&l, SB_ROLE_PLANNING, sweep->animations[i].where, SB_ALL_ROWS, true);
  for (size_t i = 0; i < sweep->claim_count; ++i)
    add_with_clause(&l, SB_ROLE_CLAIM, sweep->claims[i].test, sweep->claims[i].where);
  for (size_t i = 0; i < sweep->template_count; ++i)
    for (size_t k = 0; k < sweep->templates[i].count; ++k)
      add_with_clause(&l, SB_ROLE_NUMBER, sweep->templates[i].pieces[k].value, sweep->templates[i].pieces[k].where);
  *count = l.count;
  return l.all;
}
