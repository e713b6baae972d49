/* What a table says of its times: which of them were taken on a noisy machine, and how far times differ by chance. */
#include <math.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

typedef struct {
  const sb_rows *rows;
  bool           found;
} search;

static void look(void *context, const char *name)
{
  search      *s = context;
  const size_t number = sb_rows_column_find(s->rows, name);
  if (number == (size_t)-1) return;
  const sb_rows_column *column = sb_rows_column_at(s->rows, number);
  s->found = s->found || (column->is_timing && strcmp(column->unit, "s") == 0);
}

bool sb_table_is_time(const sb_results *results, const sb_expression *value)
{
  search s = {.rows = results->rows};
  sb_expression_names(value, look, &s);
  return s.found;
}

/* Whether the driver watches the machine; else there is nothing to say. */
static bool is_watched(const sb_results *results) { return sb_rows_column_find(results->rows, "noisy") != (size_t)-1; }

static void mark_column(sb_table_layout *layout, const sb_results *results, size_t column)
{
  for (size_t row = 0; row < layout->row_count; ++row) {
    sb_table_cell *cell = sb_table_cell_at(layout, row, column);
    if (cell->kind != SB_CELL_NUMBER) continue;
    cell->noisy = sb_rows_get_named(results->rows, cell->row, "noisy").kind == SB_WORD;
    layout->noisy = layout->noisy || cell->noisy;
  }
}

void sb_table_mark_times(sb_table_layout *layout, const sb_results *results, const sb_table_spec *spec)
{
  const sb_noise_floor *floor = &results->floor;
  bool                  some = false;
  if (!is_watched(results)) return;
  for (size_t c = layout->stub_count; c < layout->column_count; ++c) {
    if (!sb_table_is_time(results, sb_table_column_of(layout, spec, c)->value)) continue;
    mark_column(layout, results, c);
    some = true;
  }
  if (!some) return;
  layout->floor = floor->words     ? floor->words
                  : results->quick ? "no noise floor: a quick run times each case once"
                                   : "no noise floor: no case was timed again through the sweep";
}

double sb_table_tie(const sb_results *results, const sb_expression *value)
{
  static const double usual = 0.02;
  const bool          known = results->floor.timings > 0 && isfinite(results->floor.spread);
  return known && sb_table_is_time(results, value) ? results->floor.spread : usual;
}
