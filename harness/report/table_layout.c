/* From a table's specification and the rows to a grid of cells.
 *
 * The row axes (and the column axis of a pivot) give every selected case a tuple of ranks: a number ranks by its value,
 * a word by where it first stands in the plan. Sorted by these tuples, cases with equal row ranks share a line of a
 * pivot; a flat table has a line a case. Two cases in one cell of a pivot are an error that names the missing axis.
 * A cell whose expression finds no answer (a case or a published row that is not there) is "n/a", and the first reason
 * stands below the table. */
#include "harness/report/table_layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_text.h"
#include "harness/report/words.h"

typedef struct {
  const sb_results    *results;
  const sb_table_spec *spec;
  sb_table_wording     wording;
  char                *error;
  size_t               axis_count; /* row axes, then the column axis of a pivot */
  size_t               count;      /* selected rows */
  size_t              *order;      /* [count] selected rows, sorted */
  double              *ranks;      /* [rows][axis_count] */
  size_t              *lines;      /* [count] table line of order[i] */
  size_t               values;     /* pivot: distinct values of the column axis */
  size_t              *examples;   /* [values] a row that has the value, ascending */
} work;

static const char *axis_at(const work *w, size_t axis)
{
  return axis < w->spec->row_axes ? w->spec->rows[axis] : w->spec->column_axis;
}

static double rank(const work *w, size_t row, const char *axis)
{
  const sb_value value = sb_report_value(w->results, row, axis);
  if (value.kind == SB_NUMBER) return value.number;
  if (value.kind == SB_TRUTH) return value.truth;
  if (value.kind == SB_BLANK) return -INFINITY;
  for (size_t i = 0; i < row; ++i)
    if (sb_report_same(sb_report_value(w->results, i, axis), value)) return (double)i;
  return (double)row;
}

static int compare_ranks(const work *w, size_t a, size_t b, size_t axes)
{
  for (size_t i = 0; i < axes; ++i) {
    const double x = w->ranks[a * w->axis_count + i], y = w->ranks[b * w->axis_count + i];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
  const size_t a = *(const size_t *)left, b = *(const size_t *)right;
  const work  *w = context;
  const int    order = compare_ranks(w, a, b, w->axis_count);
  return order != 0 ? order : (a > b) - (a < b);
}

/* Whether two rows have the same value of the column axis. */
static double column_rank(const work *w, size_t row) { return w->ranks[row * w->axis_count + w->spec->row_axes]; }

static bool sort_rows(work *w)
{
  const size_t rows = sb_rows_count(w->results->rows);
  bool        *selected = sb_report_select(w->results, w->spec->where, w->error);
  if (!selected) return false;
  w->axis_count = w->spec->row_axes + (w->spec->column_axis ? 1 : 0);
  w->order = sb_allocate(rows, sizeof *w->order);
  w->lines = sb_allocate(rows, sizeof *w->lines);
  w->examples = sb_allocate(rows, sizeof *w->examples);
  w->ranks = sb_allocate(rows * w->axis_count, sizeof *w->ranks);
  for (size_t i = 0; i < rows; ++i) {
    if (selected[i]) w->order[w->count++] = i;
    for (size_t a = 0; a < w->axis_count; ++a) w->ranks[i * w->axis_count + a] = rank(w, i, axis_at(w, a));
  }
  qsort_r(w->order, w->count, sizeof *w->order, compare_rows, w);
  return true;
}

/* Whether the axes do not tell some cases apart. */
static bool is_ambiguous(const work *w)
{
  for (size_t i = 1; i < w->count; ++i)
    if (compare_ranks(w, w->order[i - 1], w->order[i], w->axis_count) == 0) return true;
  return false;
}

static void clear(work *w)
{
  free(w->order);
  free(w->lines);
  free(w->examples);
  free(w->ranks);
  *w = (work){.results = w->results, .spec = w->spec, .wording = w->wording, .error = w->error};
}

/* Distinct values of the column axis, ascending: insertion keeps examples[] sorted. */
static void find_columns(work *w)
{
  for (size_t i = 0; i < w->count; ++i) {
    const size_t row = w->order[i];
    size_t       at = 0;
    while (at < w->values && column_rank(w, w->examples[at]) < column_rank(w, row)) at++;
    if (at < w->values && column_rank(w, w->examples[at]) == column_rank(w, row)) continue;
    memmove(w->examples + at + 1, w->examples + at, (w->values - at) * sizeof *w->examples);
    w->examples[at] = row;
    w->values++;
  }
}

static size_t number_lines(work *w)
{
  size_t lines = 0;
  for (size_t i = 0; i < w->count; ++i) {
    const bool same =
        i > 0 && w->spec->column_axis && compare_ranks(w, w->order[i - 1], w->order[i], w->spec->row_axes) == 0;
    if (!same) lines++;
    w->lines[i] = lines - 1;
  }
  return lines;
}

static char *with_unit(const char *name, const char *unit)
{
  return unit && *unit ? sb_format("%s (%s)", name, unit) : sb_format("%s", name);
}

static const char *unit_of(const work *w, const sb_table_column *column)
{
  return column->unit ? column->unit : sb_report_unit(w->results, sb_expression_text(column->value));
}

static const char *label_of(const sb_table_column *column)
{
  return column->label ? column->label : sb_expression_text(column->value);
}

static char *axis_words(const work *w, const char *axis)
{
  return w->wording == SB_TABLE_WORDS ? sb_words_of_axis(w->results->sweep, axis) : sb_format("%s", axis);
}

/* What stands on the edge of a table for the value that a row has of an axis. */
static char *value_words(const work *w, const char *axis, size_t row)
{
  char *text = sb_report_value_text(sb_report_value(w->results, row, axis));
  if (w->wording == SB_TABLE_NAMES) return text;
  char *words = sb_words_of_value(w->results->sweep, axis, text);
  free(text);
  return words;
}

typedef struct {
  const char *name; /* that a formula names; "" where it names several */
} only_name;

static void note_name(void *context, const char *name)
{
  only_name *only = context;
  only->name = only->name && strcmp(only->name, name) != 0 ? "" : name;
}

/* "step median" of 1000 * step_median_s in ms: the column a formula scales, without its own unit. NULL: not one alone.
 */
static char *scaled_name(const work *w, const sb_table_column *cell)
{
  only_name only = {NULL};
  sb_expression_names(cell->value, note_name, &only);
  if (!only.name || !*only.name) return NULL;
  char        *suffix = sb_format("_%s", sb_report_unit(w->results, only.name)), *stem = sb_copy_text(only.name);
  const size_t length = strlen(stem), tail = strlen(suffix);
  if (tail > 1 && length > tail && strcmp(stem + length - tail, suffix) == 0) stem[length - tail] = '\0';
  char *words = axis_words(w, stem);
  free(stem);
  free(suffix);
  return words;
}

/* A formula is no heading: what it scales stands for it, or its unit alone, and the title says what it is. */
static char *quantity_of(const work *w, const sb_table_column *cell)
{
  const char *label = label_of(cell), *unit = unit_of(w, cell);
  const bool  formula = strcmp(label, sb_expression_text(cell->value)) == 0 && strpbrk(label, "+-*/<>=[(");
  char       *scaled = formula && *unit ? scaled_name(w, cell) : NULL;
  if (formula && *unit && !scaled) return sb_format("%s", unit);
  char *words = scaled ? scaled : axis_words(w, label), *quantity = with_unit(words, unit);
  free(words);
  return quantity;
}

static void head_stubs(const work *w, sb_table_layout *layout)
{
  for (size_t i = 0; i < layout->stub_count; ++i) {
    layout->headings[i].name = axis_words(w, w->spec->rows[i]);
    layout->headings[i].unit = sb_format("%s", sb_report_unit(w->results, w->spec->rows[i]));
  }
}

static void head_columns(const work *w, sb_table_layout *layout)
{
  const sb_table_spec *spec = w->spec;
  sb_table_heading    *headings = layout->headings + layout->stub_count;
  head_stubs(w, layout);
  for (size_t i = 0; !spec->column_axis && i < spec->column_count; ++i) {
    headings[i].name = axis_words(w, label_of(&spec->columns[i]));
    headings[i].unit = sb_format("%s", unit_of(w, &spec->columns[i]));
  }
  if (!spec->column_axis) return;
  for (size_t i = 0; i < w->values; ++i) {
    headings[i].name = value_words(w, spec->column_axis, w->examples[i]);
    headings[i].unit = sb_format("%s", "");
  }
  layout->quantity = quantity_of(w, &spec->cell);
  layout->axis_name = axis_words(w, spec->column_axis);
  layout->axis = with_unit(layout->axis_name, sb_report_unit(w->results, spec->column_axis));
}

sb_table_cell *sb_table_cell_at(const sb_table_layout *layout, size_t row, size_t column)
{
  return &layout->cells[row * layout->column_count + column];
}

static bool is_ok(sb_value status) { return status.kind == SB_WORD && strcmp(status.word, "ok") == 0; }

/* A blank of a case that ended otherwise than ok says how it ended. In a pivot "ok" tells a case that has no such value
 * (it never blew up) from a case that is not there. */
static char *word_for(const work *w, size_t row, sb_value value)
{
  if (value.kind != SB_BLANK) return sb_report_value_text(value);
  const sb_value status = sb_rows_get_named(w->results->rows, row, "status");
  if (!is_ok(status) || w->spec->column_axis) return sb_format("%s", sb_status_short(status));
  return sb_format("%s", "");
}

/* Diverging is what a blow-up time measures; any other end makes a number doubtful. */
static bool is_doubtful(sb_value status)
{
  return !is_ok(status) && !(status.kind == SB_WORD && strcmp(status.word, "diverged") == 0);
}

static void fill(const work *w, sb_table_layout *layout, sb_table_cell *cell, const sb_table_column *column, size_t row)
{
  const sb_scope scope = sb_report_scope(w->results);
  sb_value       value = {.kind = SB_BLANK};
  cell->row = row;
  sb_diagnostics *why = sb_diagnostics_create();
  if (!sb_expression_value(column->value, &scope, row, &value, why)) {
    char reason[SB_ERROR_SIZE] = "";
    sb_diagnostics_reason(why, reason, sizeof reason);
    if (!layout->trouble) layout->trouble = sb_copy_text(reason);
    value = (sb_value){.kind = SB_WORD, .word = "n/a"};
  }
  sb_diagnostics_destroy(&why);
  const sb_value status = sb_rows_get_named(w->results->rows, row, "status");
  if (value.kind == SB_NUMBER && w->spec->failed_as_words && !is_ok(status)) value.kind = SB_BLANK;
  if (value.kind == SB_NUMBER) {
    cell->kind = SB_CELL_NUMBER;
    cell->number = value.number;
    cell->marked = is_doubtful(status);
    layout->marked = layout->marked || cell->marked;
    return;
  }
  cell->text = word_for(w, row, value);
  cell->kind = cell->text[0] ? SB_CELL_WORD : SB_CELL_NO_CASE;
}

/* The first of what sets cases that two of them do not share. */
static const char *difference(const work *w, size_t a, size_t b)
{
  size_t       count = 0;
  const char **names = sb_report_settings(w->results->sweep, &count), *found = "none that this sweep sets";
  for (size_t i = count; i-- > 0;)
    if (!sb_report_same(sb_report_value(w->results, a, names[i]), sb_report_value(w->results, b, names[i])))
      found = names[i];
  free(names);
  return found;
}

static bool fill_pivot_cell(const work *w, sb_table_layout *layout, size_t i)
{
  size_t column = 0;
  while (column_rank(w, w->examples[column]) != column_rank(w, w->order[i])) column++;
  sb_table_cell *cell = sb_table_cell_at(layout, w->lines[i], layout->stub_count + column);
  if (cell->kind != SB_CELL_NO_CASE)
    return sb_report_error(w->error,
                           "several cases share a cell (row %zu, %s = %s); name the axis that tells them "
                           "apart (%s) under rows:, or choose among them by where:",
                           w->lines[i] + 1, w->spec->column_axis, layout->headings[layout->stub_count + column].name,
                           difference(w, cell->row, w->order[i]));
  fill(w, layout, cell, &w->spec->cell, w->order[i]);
  return true;
}

static void fill_flat_line(const work *w, sb_table_layout *layout, size_t i)
{
  for (size_t c = 0; c < w->spec->column_count; ++c) {
    sb_table_cell *cell = sb_table_cell_at(layout, w->lines[i], layout->stub_count + c);
    fill(w, layout, cell, &w->spec->columns[c], w->order[i]);
  }
}

static void fill_stubs(const work *w, sb_table_layout *layout, size_t i)
{
  for (size_t s = 0; s < layout->stub_count; ++s) {
    const sb_value value = sb_report_value(w->results, w->order[i], w->spec->rows[s]);
    sb_table_cell *cell = sb_table_cell_at(layout, w->lines[i], s);
    if (cell->text) continue;
    *cell = (sb_table_cell){
        .text = value_words(w, w->spec->rows[s], w->order[i]), .row = w->order[i], .number = value.number};
    if (cell->text[0]) cell->kind = value.kind == SB_NUMBER ? SB_CELL_NUMBER : SB_CELL_WORD;
  }
}

static void add_key(const work *w, sb_table_layout *layout, size_t i)
{
  const sb_value key = sb_rows_get_named(w->results->rows, w->order[i], "key");
  char         **keys = &layout->keys[w->lines[i]];
  char *joined = sb_format("%s%s%s", *keys ? *keys : "", *keys ? " " : "", key.kind == SB_WORD ? key.word : "");
  free(*keys);
  *keys = joined;
}

static bool fill_all(const work *w, sb_table_layout *layout)
{
  for (size_t i = 0; i < w->count; ++i) {
    add_key(w, layout, i);
    fill_stubs(w, layout, i);
    if (!w->spec->column_axis)
      fill_flat_line(w, layout, i);
    else if (!fill_pivot_cell(w, layout, i))
      return false;
  }
  return true;
}

static sb_table_layout *build(work *w)
{
  const sb_table_spec *spec = w->spec;
  if (spec->column_axis) find_columns(w);
  sb_table_layout *layout = sb_allocate(1, sizeof *layout);
  layout->row_count = number_lines(w);
  layout->stub_count = spec->row_axes;
  layout->column_count = spec->row_axes + (spec->column_axis ? w->values : spec->column_count);
  layout->headings = sb_allocate(layout->column_count, sizeof *layout->headings);
  layout->cells = sb_allocate(layout->row_count * layout->column_count, sizeof *layout->cells);
  layout->keys = sb_allocate(layout->row_count, sizeof *layout->keys);
  layout->constants = sb_table_constants(w->results, spec, w->order, w->count);
  layout->empty =
      w->results->quick ? "A quick run has no case of this table; the whole sweep has." : "No case matches.";
  layout->title = spec->title;
  layout->note = spec->note;
  layout->question = w->results->sweep->question;
  layout->source = w->results->sweep->source;
  head_columns(w, layout);
  if (fill_all(w, layout))
    sb_table_show_numbers(layout, w->results, spec);
  else
    sb_table_layout_destroy(&layout);
  return layout;
}

sb_table_layout *sb_table_layout_create(const sb_results *results, const sb_table_spec *spec, sb_table_wording wording,
                                        char error[256])
{
  sb_table_spec widened = *spec;
  work          w = {.results = results, .spec = spec, .wording = wording, .error = error};
  bool          sorted = sort_rows(&w);
  char        **axes = NULL;
  if (sorted && is_ambiguous(&w)) {
    clear(&w);
    axes = widened.rows = sb_table_axes(results, spec, &widened.row_axes);
    w.spec = &widened;
    sorted = sort_rows(&w);
  }
  sb_table_layout *layout = sorted ? build(&w) : NULL;
  clear(&w);
  free(axes);
  return layout;
}

void sb_table_layout_destroy(sb_table_layout **layout)
{
  sb_table_layout *l = *layout;
  if (!l) return;
  for (size_t i = 0; i < l->column_count; ++i) {
    free(l->headings[i].name);
    free(l->headings[i].unit);
  }
  for (size_t i = 0; i < l->row_count * l->column_count; ++i) free(l->cells[i].text);
  for (size_t i = 0; i < l->row_count; ++i) free(l->keys[i]);
  free(l->headings);
  free(l->cells);
  free(l->keys);
  free(l->quantity);
  free(l->axis);
  free(l->axis_name);
  free(l->constants);
  free(l->intervals);
  free(l->trouble);
  free(l);
  *layout = NULL;
}
