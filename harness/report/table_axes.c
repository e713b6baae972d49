/* The row axes of a table whose own do not tell its cases apart, because a command line gave several values
 * (-p stiffness=50,200) to what the sweep file gives one. */
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

static bool has_setting(const sb_settings *settings, const char *name)
{
  for (size_t i = 0; i < settings->count; ++i)
    if (strcmp(sb_option_at(settings->ids[i])->name, name) == 0) return true;
  return false;
}

static bool block_varies(const sb_block *block, const char *name)
{
  for (size_t i = 0; i < block->count; ++i)
    if (block->axes[i].id != SB_OPT_COUNT && strcmp(sb_option_at(block->axes[i].id)->name, name) == 0) return true;
  return has_setting(&block->defaults, name);
}

/* Whether the sweep file itself has cases that differ in it: then its tables are as they were meant. */
static bool sweep_varies(const sb_sweep *sweep, const char *name)
{
  bool found = strcmp(name, "method") == 0;
  for (size_t i = 0; i < sweep->block_count && !found; ++i) found = block_varies(&sweep->blocks[i], name);
  for (size_t i = 0; i < sweep->method_count && !found; ++i) found = has_setting(&sweep->methods[i], name);
  return found;
}

static bool results_vary(const sb_results *results, const char *name)
{
  const size_t rows = sb_rows_count(results->rows);
  for (size_t i = 1; i < rows; ++i)
    if (!sb_report_same(sb_report_value(results, 0, name), sb_report_value(results, i, name))) return true;
  return false;
}

static bool table_names(const sb_table_spec *spec, const char *name)
{
  for (size_t i = 0; i < spec->row_axes; ++i)
    if (strcmp(spec->rows[i], name) == 0) return true;
  return spec->column_axis && strcmp(spec->column_axis, name) == 0;
}

char **sb_table_axes(const sb_results *results, const sb_table_spec *spec, size_t *count)
{
  const size_t most = results->plan ? results->plan->axis_count : 0;
  char       **axes = sb_allocate(most + spec->row_axes + 1, sizeof *axes);
  *count = 0;
  for (size_t i = 0; i < most; ++i) {
    char *name = results->plan->axes[i];
    if (sb_option_find(name) == SB_OPT_COUNT || sweep_varies(results->sweep, name) || table_names(spec, name)) continue;
    if (results_vary(results, name)) axes[(*count)++] = name;
  }
  for (size_t i = 0; i < spec->row_axes; ++i) axes[(*count)++] = spec->rows[i];
  return axes;
}
