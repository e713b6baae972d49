/* How the numbers of a table are shown, and which are in bold.
 *
 * Digits: the format given; else whole numbers exactly where the whole column is whole; else three significant digits.
 * A median gets the digits its 95 % interval supports: those down to the first that the interval blurs, two at
 * least (one would make 2 of 1.63): where it blurs the second, the table says how wide intervals are. The interval
 * is that of the columns beside it, else ± 1.57 (q3 − q1)/sqrt(n) of n samples with quartiles q1, q3 (McGill, Tukey and
 * Larsen 1978).
 * Bold: the best number of a row, or of a column's lines that differ in the last row axis alone, and those that cannot
 * be told from it: times within the noise floor, else 2 %; numbers of cases that failed do not compete. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

const sb_table_column *sb_table_column_of(const sb_table_layout *layout, const sb_table_spec *spec, size_t column)
{
  return spec->column_axis ? &spec->cell : &spec->columns[column - layout->stub_count];
}

typedef struct {
  const sb_rows *rows;
  size_t         row;
  double         half_width; /* relative, the largest of the medians named; 0: none is known */
} interval;

static double sibling(const interval *i, const char *stem, int length, const char *suffix)
{
  char          *name = sb_format("%.*s%s", length, stem, suffix);
  const sb_value value = sb_rows_get_named(i->rows, i->row, name);
  free(name);
  return value.kind == SB_NUMBER ? value.number : NAN;
}

static void widen(void *context, const char *name)
{
  static const char suffix[] = "_median_s";
  interval         *i = context;
  const size_t      length = strlen(name);
  if (length < sizeof suffix || strcmp(name + length - (sizeof suffix - 1), suffix) != 0) return;
  const int      stem = (int)(length - (sizeof suffix - 1));
  const sb_value samples = sb_rows_get_named(i->rows, i->row, "samples");
  const double   median = sibling(i, name, stem, suffix);
  const double   spread = sibling(i, name, stem, "_q3_s") - sibling(i, name, stem, "_q1_s");
  const double   low = sibling(i, name, stem, "_low_s"), high = sibling(i, name, stem, "_high_s");
  double         half_width = fmax(median - low, high - median) / median;
  if (!isfinite(low) || !isfinite(high)) {
    if (samples.kind != SB_NUMBER || !(spread >= 0) || samples.number < 1) return;
    half_width = 1.57 * spread / (sqrt(samples.number) * median);
  }
  if (median > 0 && half_width > i->half_width) i->half_width = half_width;
}

/* The 95 % interval of the median of a row, relative, to one side; 0 where none is known. */
static double half_width_of(const sb_results *results, const sb_expression *value, size_t row)
{
  interval i = {.rows = results->rows, .row = row};
  sb_expression_names(value, widen, &i);
  return i.half_width;
}

static int digits_of(const sb_results *results, const sb_expression *value, size_t row)
{
  const double half_width = half_width_of(results, value, row);
  if (!(half_width > 0)) return SB_DIGITS;
  const double digits = 1 + floor(-log10(half_width));
  return digits < 2 ? 2 : digits > 4 ? 4 : (int)digits;
}

__attribute__((format_arg(1))) static const char *checked(const char *format)
{
  return sb_text_is_number_format(format) ? format : "%.3g";
}

static char *formatted(const char *format, double number)
{
  char text[400];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  snprintf(text, sizeof text, checked(format), number);
#pragma GCC diagnostic pop
  return sb_format("%s", text);
}

static bool is_whole(const sb_table_cell *cell)
{
  return cell->kind != SB_CELL_NUMBER || (fabs(cell->number) < 1e15 && cell->number == floor(cell->number));
}

/* The value columns that are formatted alike: all of a pivot, one of a flat table. */
static bool all_whole(const sb_table_layout *layout, size_t first, size_t last)
{
  for (size_t r = 0; r < layout->row_count; ++r)
    for (size_t c = first; c <= last; ++c)
      if (!is_whole(sb_table_cell_at(layout, r, c))) return false;
  return true;
}

static void show_column(sb_table_layout *layout, const sb_results *results, const sb_table_spec *spec, size_t c,
                        double *widest)
{
  char                   text[SB_NUMBER_TEXT];
  const sb_table_column *column = sb_table_column_of(layout, spec, c);
  const bool             pivot = spec->column_axis != NULL;
  const bool whole = all_whole(layout, pivot ? layout->stub_count : c, pivot ? layout->column_count - 1 : c);
  for (size_t r = 0; r < layout->row_count; ++r) {
    sb_table_cell *cell = sb_table_cell_at(layout, r, c);
    if (cell->kind == SB_CELL_NO_CASE && !cell->text) cell->text = sb_format("%s", "");
    if (cell->kind == SB_CELL_NUMBER && column->format)
      cell->text = formatted(column->format, cell->number);
    else if (cell->kind == SB_CELL_NUMBER && whole)
      cell->text = sb_copy_text(sb_text_exact(cell->number, text));
    else if (cell->kind == SB_CELL_NUMBER) {
      cell->text = sb_copy_text(sb_text_rounded(cell->number, digits_of(results, column->value, cell->row), text));
      *widest = fmax(*widest, half_width_of(results, column->value, cell->row));
    }
  }
}

/* Cells that compete: of a row, or of a column the lines whose stubs but the last are the same. */
typedef struct {
  sb_table_layout *layout;
  bool             largest;
  double           tie; /* relative: what is nearer to the best is as good */
  size_t           first_row, last_row, first_column, last_column;
} contest;

static bool competes(const sb_table_cell *cell) { return cell->kind == SB_CELL_NUMBER && !cell->marked; }

static bool is_ahead(const contest *c, double a, double b) { return c->largest ? a > b : a < b; }

static const sb_table_cell *best_of(const contest *c, size_t *numbers)
{
  const sb_table_cell *best = NULL;
  for (size_t row = c->first_row; row <= c->last_row; ++row)
    for (size_t column = c->first_column; column <= c->last_column; ++column) {
      const sb_table_cell *cell = sb_table_cell_at(c->layout, row, column);
      if (!competes(cell)) continue;
      ++*numbers;
      if (!best || is_ahead(c, cell->number, best->number)) best = cell;
    }
  return best;
}

static void mark_best(const contest *c, const char *means)
{
  size_t               numbers = 0;
  const sb_table_cell *best = best_of(c, &numbers);
  if (numbers < 2) return;
  const double room = fabs(best->number) * c->tie;
  const double limit = best->number + (c->largest ? -room : room);
  for (size_t row = c->first_row; row <= c->last_row; ++row)
    for (size_t column = c->first_column; column <= c->last_column; ++column) {
      sb_table_cell *cell = sb_table_cell_at(c->layout, row, column);
      cell->bold = competes(cell) && !is_ahead(c, limit, cell->number);
    }
  c->layout->bold = true;
  c->layout->bold_means = means;
}

/* The last line that has the stubs of `row`, the last stub aside. */
static size_t group_end(const sb_table_layout *layout, size_t row)
{
  size_t end = row;
  for (; end + 1 < layout->row_count; ++end)
    for (size_t s = 0; s + 1 < layout->stub_count; ++s)
      if (strcmp(sb_table_cell_at(layout, end + 1, s)->text, sb_table_cell_at(layout, row, s)->text) != 0) return end;
  return end;
}

static void mark_column(sb_table_layout *layout, double tie, sb_best best, size_t column)
{
  const bool        grouped = layout->stub_count > 1, largest = best == SB_BEST_LARGEST_OF_COLUMN;
  const char *const means[2][2] = {{"smallest of its column, or not to be told from it",
                                    "smallest of its column and group, or not to be told from it"},
                                   {"largest of its column, or not to be told from it",
                                    "largest of its column and group, or not to be told from it"}};
  for (size_t row = 0, end = 0; row < layout->row_count; row = end + 1) {
    end = group_end(layout, row);
    const contest c = {layout, largest, tie, row, end, column, column};
    mark_best(&c, means[largest][grouped]);
  }
}

static void mark_row(sb_table_layout *layout, double tie, sb_best best, size_t row)
{
  const bool    largest = best == SB_BEST_LARGEST_OF_ROW;
  const contest c = {layout, largest, tie, row, row, layout->stub_count, layout->column_count - 1};
  mark_best(&c, c.largest ? "largest of its row, or not to be told from it"
                          : "smallest of its row, or not to be told from it");
}

static void mark_all(sb_table_layout *layout, const sb_results *results, const sb_table_spec *spec)
{
  const bool   of_rows = spec->bold == SB_BEST_SMALLEST_OF_ROW || spec->bold == SB_BEST_LARGEST_OF_ROW;
  const double of_row = sb_table_tie(results, sb_table_column_of(layout, spec, layout->stub_count)->value);
  for (size_t r = 0; of_rows && r < layout->row_count; ++r) mark_row(layout, of_row, spec->bold, r);
  for (size_t c = layout->stub_count; c < layout->column_count; ++c) {
    const sb_table_column *column = sb_table_column_of(layout, spec, c);
    const sb_best          own = column->best, best = own ? own : of_rows ? SB_BEST_NONE : spec->bold;
    if (best) mark_column(layout, sb_table_tie(results, column->value), best, c);
  }
}

static bool is_numeric(const sb_table_layout *layout, size_t column)
{
  bool some = false;
  for (size_t r = 0; r < layout->row_count; ++r) {
    const sb_cell_kind kind = sb_table_cell_at(layout, r, column)->kind;
    if (column < layout->stub_count && kind == SB_CELL_WORD) return false;
    some = some || kind == SB_CELL_NUMBER;
  }
  return some;
}

void sb_table_show_numbers(sb_table_layout *layout, const sb_results *results, const sb_table_spec *spec)
{
  static const double wide = 0.1; /* one digit is all that such an interval leaves */
  double              widest = 0;
  for (size_t c = layout->stub_count; c < layout->column_count; ++c) show_column(layout, results, spec, c, &widest);
  if (widest > wide)
    layout->intervals = sb_format("95 %% intervals reach up to %.0f %% from the medians shown", 100 * widest);
  for (size_t c = 0; c < layout->column_count; ++c)
    layout->headings[c].numeric = is_numeric(layout, c) || (spec->column_axis && c >= layout->stub_count);
  if (layout->column_count > layout->stub_count) mark_all(layout, results, spec);
  sb_table_mark_times(layout, results, spec);
}
