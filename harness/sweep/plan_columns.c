/* The columns of a plan; see plan_columns.h. */
#include "harness/sweep/plan_columns.h"

#include <string.h>

void sb_plan_add_column(sb_plan *plan, const char *name)
{
  const sb_option_id id = sb_option_find(name);
  if (id == SB_OPT_COUNT ? strcmp(name, "method") != 0 : sb_option_at(id)->traits & SB_NOT_IN_KEY) return;
  for (size_t i = 0; i < plan->axis_count; ++i)
    if (strcmp(plan->axes[i], name) == 0) return;
  plan->axes = sb_arena_grow(plan->arena, plan->axes, plan->axis_count, sizeof *plan->axes);
  plan->axes[plan->axis_count++] = sb_arena_copy(plan->arena, name);
}

static void add_name(void *context, const char *name)
{
  if (strcmp(name, "method") != 0) sb_plan_add_column(context, name);
}

static void add_names_of(sb_plan *plan, const sb_expression *expression)
{
  if (expression) sb_expression_names(expression, add_name, plan);
}

static void add_table(sb_plan *plan, const sb_table_spec *table)
{
  for (size_t i = 0; i < table->row_axes; ++i) add_name(plan, table->rows[i]);
  if (table->column_axis) add_name(plan, table->column_axis);
  add_names_of(plan, table->cell.value);
  add_names_of(plan, table->where);
  for (size_t i = 0; i < table->column_count; ++i) add_names_of(plan, table->columns[i].value);
}

static void add_axes(const sb_sweep *sweep, const sb_overrides *overrides, sb_plan *plan)
{
  for (size_t b = 0; b < sweep->block_count; ++b)
    for (size_t i = 0; i < sweep->blocks[b].count; ++i) sb_plan_add_column(plan, sweep->blocks[b].axes[i].name);
  for (size_t i = 0; i < overrides->count; ++i) sb_plan_add_column(plan, overrides->axes[i].name);
  for (size_t m = 0; m < sweep->method_count; ++m)
    for (size_t i = 0; i < sweep->methods[m].count; ++i)
      sb_plan_add_column(plan, sb_option_at(sweep->methods[m].ids[i])->name);
}

static void add_expressions(const sb_sweep *sweep, sb_plan *plan)
{
  for (size_t i = 0; i < sweep->exclusion_count; ++i) add_names_of(plan, sweep->exclusions[i].when);
  for (size_t i = 0; i < sweep->table_count; ++i) add_table(plan, &sweep->tables[i]);
  for (size_t i = 0; i < sweep->figure_count; ++i) add_names_of(plan, sweep->figures[i].where);
  for (size_t i = 0; i < sweep->animation_count; ++i) add_names_of(plan, sweep->animations[i].where);
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    add_names_of(plan, sweep->claims[i].test);
    add_names_of(plan, sweep->claims[i].where);
  }
}

static bool varies(const sb_plan *plan, sb_option_id id)
{
  for (size_t i = 1; i < plan->count; ++i)
    if (strcmp(sb_options_text(plan->cases[i].options, id), sb_options_text(plan->cases[0].options, id)) != 0)
      return true;
  return false;
}

void sb_plan_name_columns(const sb_sweep *sweep, const sb_overrides *overrides, sb_plan *plan)
{
  add_axes(sweep, overrides, plan);
  add_expressions(sweep, plan);
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    if (varies(plan, (sb_option_id)i)) sb_plan_add_column(plan, sb_option_at((sb_option_id)i)->name);
}
