/* From a table's specification and the rows of the results to a grid.
 *
 * The row axes (and the column axis of a pivot) give every selected case a tuple of ranks: a number ranks by its value,
 * a word by where it first stands in the plan. Sorted by these tuples, cases with equal row ranks share a line of a
 * pivot; a flat table has a line a case. Two cases in one cell of a pivot are an error that names the missing axis.
 * A cell whose expression finds no answer (a case or a published row that is not there) is "n/a", and the first reason
 * stands below the table.
 *
 * Digits: the format given; else whole numbers exactly where the whole column is whole; else three significant digits.
 * A median gets the digits its 95 % interval supports: those down to the first that the interval blurs, two at
 * least (one would make 2 of 1.63); two where the samples are too few for an interval. A column of medians shows the
 * interval too, which is that of the columns _low_s and _high_s.
 * Best is the smallest or largest number of a column among the lines that differ in the last row axis alone, and what
 * cannot be told from it: times within the noise floor, else 2 %; numbers of cases that failed do not compete. */
#include "harness/report/sweep_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "harness/report/spelling.h"
#include "harness/results/tally.h"

/* The names in a formula, as far as a table asks for them. */
typedef struct {
  const sb_rows *rows;
  const char    *only;   /* the only name; NULL for none, "" for several */
  const char    *median; /* a time that has an interval beside it, NULL for none */
  bool           times;  /* some seconds that the driver measured */
} names;

typedef struct {
  const sb_results    *results;
  const sb_table_spec *spec;
  sb_arena            *arena;
  sb_scope             scope;
  sb_diagnostics      *reasons; /* why cells cannot be had */
  const char         **axes;    /* row axes, then the column axis of a pivot */
  size_t               stubs, axis_count;
  size_t               count, *order;          /* selected rows, sorted */
  double              *ranks;                  /* [rows of the results][axis_count] */
  size_t               value_count, *examples; /* pivot: a row for each value of the column axis, ascending */
  names               *named;                  /* [columns] */
  bool                 intervals;              /* some number has its interval beside it */
  sb_table            *grid;
} work;

static sb_value value_at(const work *w, size_t row, const char *name) { return sb_report_value(w->results, row, name); }

static bool has_setting(const sb_settings *settings, const char *name)
{
  for (size_t i = 0; i < settings->count; ++i)
    if (strcmp(sb_option_at(settings->ids[i])->name, name) == 0) return true;
  return false;
}

/* Tells whether the sweep file itself has cases that differ in an option: then its tables are as they were meant. */
static bool sweep_varies(const sb_sweep *sweep, const char *name)
{
  for (size_t b = 0; b < sweep->block_count; ++b) {
    const sb_block *block = &sweep->blocks[b];
    if (has_setting(&block->defaults, name)) return true;
    for (size_t i = 0; i < block->count; ++i)
      if (strcmp(block->axes[i].name, name) == 0) return true;
  }
  for (size_t i = 0; i < sweep->method_count; ++i)
    if (has_setting(&sweep->methods[i], name)) return true;
  return false;
}

static bool results_vary(const work *w, const char *name)
{
  for (size_t i = 1; i < sb_rows_count(w->results->rows); ++i)
    if (!sb_value_same(value_at(w, 0, name), value_at(w, i, name))) return true;
  return false;
}

static bool is_axis(const sb_table_spec *spec, const char *name)
{
  for (size_t i = 0; i < spec->row_axes; ++i)
    if (strcmp(spec->rows[i], name) == 0) return true;
  return spec->column_axis && strcmp(spec->column_axis, name) == 0;
}

/* Finds the row axes. `widened`: those of the sweep file do not tell all cases apart, because a command line gave
 * several values (-p stiffness=50,200) to what the sweep file gives one; such options stand before them. */
static void find_axes(work *w, bool widened)
{
  const sb_plan       *plan = w->results->plan;
  const sb_table_spec *spec = w->spec;
  const size_t         most = widened && plan ? plan->axis_count : 0;
  w->axes = sb_arena_take(w->arena, most + spec->row_axes + 1, sizeof *w->axes);
  w->stubs = 0;
  for (size_t i = 0; i < most; ++i) {
    const char *name = plan->axes[i];
    if (sb_option_find(name) == SB_OPT_COUNT || sweep_varies(w->results->sweep, name) || is_axis(spec, name)) continue;
    if (results_vary(w, name)) w->axes[w->stubs++] = name;
  }
  for (size_t i = 0; i < spec->row_axes; ++i) w->axes[w->stubs++] = spec->rows[i];
  w->axes[w->stubs] = spec->column_axis;
  w->axis_count = w->stubs + (spec->column_axis != NULL);
}

static double rank(const work *w, size_t row, const char *axis)
{
  const sb_value value = value_at(w, row, axis);
  if (value.kind == SB_NUMBER) return value.number;
  if (value.kind == SB_TRUTH) return value.truth;
  if (value.kind == SB_BLANK) return -INFINITY;
  size_t first = 0;
  while (first < row && !sb_value_same(value_at(w, first, axis), value)) first++;
  return (double)first;
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

/* Tells whether the axes do not tell the row sorted as number i from the one before it. */
static bool is_double(const work *w, size_t i)
{
  return i > 0 && compare_ranks(w, w->order[i - 1], w->order[i], w->axis_count) == 0;
}

/* Sorts the selected rows by the axes; true where these tell all of them apart. */
static bool sort_rows(work *w, const bool *selected)
{
  const size_t rows = sb_rows_count(w->results->rows);
  bool         distinct = true;
  w->ranks = sb_arena_take(w->arena, rows * w->axis_count, sizeof *w->ranks);
  w->order = sb_arena_take(w->arena, rows, sizeof *w->order);
  w->count = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (selected[i]) w->order[w->count++] = i;
    for (size_t a = 0; a < w->axis_count; ++a) w->ranks[i * w->axis_count + a] = rank(w, i, w->axes[a]);
  }
  qsort_r(w->order, w->count, sizeof *w->order, compare_rows, w);
  for (size_t i = 0; i < w->count; ++i) distinct = distinct && !is_double(w, i);
  return distinct;
}

/* The number of the pivot's column in which a row stands. A value not seen before gets one: examples stay sorted. */
static size_t pivot_column(work *w, size_t row)
{
  const double *ranks = w->ranks + w->stubs;
  const size_t  n = w->axis_count;
  size_t        at = 0;
  while (at < w->value_count && ranks[w->examples[at] * n] < ranks[row * n]) at++;
  if (at < w->value_count && ranks[w->examples[at] * n] == ranks[row * n]) return at;
  memmove(w->examples + at + 1, w->examples + at, (w->value_count++ - at) * sizeof *w->examples);
  w->examples[at] = row;
  return at;
}

static const sb_table_column *column_of(const work *w, size_t column)
{
  return w->spec->column_axis ? &w->spec->cell : &w->spec->columns[column - w->stubs];
}

/* The part of a name before its suffix, NULL: it ends otherwise. */
static const char *stem_of(const work *w, const char *name, const char *suffix)
{
  const size_t length = strlen(name), tail = strlen(suffix);
  if (length <= tail || strcmp(name + length - tail, suffix) != 0) return NULL;
  return sb_arena_copy_span(w->arena, name, length - tail);
}

static void note_name(void *context, const char *name)
{
  names       *n = context;
  const size_t number = sb_rows_column_find(n->rows, name), length = strlen(name);
  n->only = n->only && strcmp(n->only, name) != 0 ? "" : name;
  if (length > 9 && strcmp(name + length - 9, "_median_s") == 0) n->median = name;
  if (number == (size_t)-1) return;
  const sb_rows_column *column = sb_rows_column_at(n->rows, number);
  n->times = n->times || (column->is_timing && strcmp(column->unit, "s") == 0);
}

static const char *with_unit(const work *w, const char *name, const char *unit)
{
  return *unit ? sb_arena_format(w->arena, "%s (%s)", name, unit) : name;
}

static const char *unit_of(const work *w, const sb_table_column *column)
{
  return column->unit ? column->unit : sb_report_unit(w->results, sb_expression_text(column->value));
}

/* The name of what the cells of a pivot are, without its unit. A formula is no heading: the column it scales stands
 * for it ("step_median" of 1000 * step_median_s in ms); NULL where there is none but the unit says something. */
static const char *quantity_name(const work *w, const sb_table_column *cell)
{
  const char *text = sb_expression_text(cell->value), *label = cell->label ? cell->label : text;
  names       named = {.rows = w->results->rows};
  sb_expression_names(cell->value, note_name, &named);
  if (strcmp(label, text) != 0 || !strpbrk(label, "+-*/<>=[(") || !*unit_of(w, cell)) return label;
  if (!named.only || !*named.only) return NULL;
  const char *stem = stem_of(w, named.only, sb_arena_format(w->arena, "_%s", sb_report_unit(w->results, named.only)));
  return stem ? stem : named.only;
}

static void add_columns(work *w)
{
  const sb_sweep *sweep = w->results->sweep;
  const char     *axis = w->spec->column_axis;
  sb_table       *grid = w->grid;
  for (size_t i = 0; i < w->stubs; ++i) {
    const char *unit = sb_report_unit(w->results, w->axes[i]);
    sb_table_add_column(grid, sb_spelled_axis(w->arena, sweep, w->axes[i]), unit, false);
    grid->headings[i].csv = with_unit(w, w->axes[i], unit);
  }
  for (size_t i = 0; !axis && i < w->spec->column_count; ++i) {
    const sb_table_column *column = &w->spec->columns[i];
    const char            *label = column->label ? column->label : sb_expression_text(column->value);
    sb_table_add_column(grid, sb_spelled_axis(w->arena, sweep, label), unit_of(w, column), false);
    grid->headings[w->stubs + i].csv = with_unit(w, label, unit_of(w, column));
  }
  if (axis) {
    const char *name = quantity_name(w, &w->spec->cell), *unit = unit_of(w, &w->spec->cell);
    const char *quantity = name ? with_unit(w, name, unit) : unit;
    grid->quantity = name ? with_unit(w, sb_spelled_axis(w->arena, sweep, name), unit) : unit;
    grid->axis_name = sb_spelled_axis(w->arena, sweep, axis);
    grid->axis = with_unit(w, grid->axis_name, sb_report_unit(w->results, axis));
    for (size_t i = 0; i < w->value_count; ++i) {
      const char *value = sb_value_text(w->arena, value_at(w, w->examples[i], axis));
      sb_table_add_column(grid, sb_spelled_value(w->arena, sweep, axis, value), "", true);
      grid->headings[w->stubs + i].csv = sb_arena_format(w->arena, "%s at %s = %s", quantity, axis, value);
    }
  }
  w->named = sb_arena_take(w->arena, grid->column_count, sizeof *w->named);
  for (size_t c = w->stubs; c < grid->column_count; ++c) {
    w->named[c].rows = w->results->rows;
    sb_expression_names(column_of(w, c)->value, note_name, &w->named[c]);
  }
}

/* The ends of the 95 % interval of a median, over the median; false where none is known. */
static bool find_interval(const work *w, const char *median, size_t row, double ends[2])
{
  const sb_rows *rows = w->results->rows;
  const char    *stem = stem_of(w, median, "_median_s");
  const sb_value middle = sb_rows_get_named(rows, row, median);
  const sb_value low = sb_rows_get_named(rows, row, sb_arena_format(w->arena, "%s_low_s", stem));
  const sb_value high = sb_rows_get_named(rows, row, sb_arena_format(w->arena, "%s_high_s", stem));
  ends[0] = low.number / middle.number;
  ends[1] = high.number / middle.number;
  return middle.kind == SB_NUMBER && low.kind == SB_NUMBER && high.kind == SB_NUMBER && middle.number > 0;
}

/* "± 3 %", or where that would say little and the ends are not alike far away, "(1.1 … 2.1)". */
static const char *interval_text(const work *w, double number, const double ends[2], double half_width)
{
  char low[SB_NUMBER_TEXT], high[SB_NUMBER_TEXT];
  if (half_width < 0.1) return sb_arena_format(w->arena, " ± %s %%", sb_text_rounded(100 * half_width, 1, low));
  return sb_arena_format(w->arena, " (%s … %s)", sb_text_rounded(number * ends[0], 2, low),
                         sb_text_rounded(number * ends[1], 2, high));
}

__attribute__((format_arg(1))) static const char *checked(const char *format)
{
  return sb_text_is_number_format(format) ? format : "%.3g";
}

static void show_number(work *w, sb_cell *cell, size_t column, size_t row)
{
  const sb_table_column *spec = column_of(w, column);
  const names           *named = &w->named[column];
  double                 ends[2] = {1, 1};
  const bool             known = !named->median || find_interval(w, named->median, row, ends);
  const double           half_width = known ? fmax(1 - ends[0], ends[1] - 1) : NAN;
  const double           digits = !known ? 2 : half_width > 0 ? 1 + floor(-log10(half_width)) : SB_DIGITS;
  char                   text[SB_NUMBER_TEXT];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (spec->format) cell->text = sb_arena_format(w->arena, checked(spec->format), cell->number);
#pragma GCC diagnostic pop
  if (!spec->format)
    cell->text = sb_arena_copy(w->arena, sb_text_rounded(cell->number, (int)fmin(fmax(digits, 2), 4), text));
  if (half_width > 0 && named->only == named->median && !strpbrk(sb_expression_text(spec->value), "[(")) {
    cell->text = sb_arena_format(w->arena, "%s%s", cell->text, interval_text(w, cell->number, ends, half_width));
    w->intervals = true;
  }
  if (named->times && sb_rows_get_named(w->results->rows, row, "noisy").kind == SB_WORD) cell->marks |= SB_MARK_NOISY;
}

/* Below the table stands how the cases of such numbers ended. */
static void mark_failed(work *w, sb_cell *cell, const char *how)
{
  const char **means = &w->grid->means[1];
  cell->marks |= SB_MARK_FAILED;
  if (!*means)
    *means = sb_arena_format(w->arena, "of a case that did not end ok: %s", how);
  else if (!strstr(*means, how))
    *means = sb_arena_format(w->arena, "%s, %s", *means, how);
}

/* A value cell. A blank of a case that ended otherwise than ok says how it ended. In a pivot "ok" tells a case that has
 * no such value (it never blew up) from a case that is not there. */
static void fill_cell(work *w, sb_cell *cell, size_t column, size_t row)
{
  const sb_value status = sb_rows_get_named(w->results->rows, row, "status");
  const sb_value key = sb_rows_get_named(w->results->rows, row, "key");
  const bool     ok = status.kind == SB_WORD && strcmp(status.word, "ok") == 0;
  sb_value       value = {.kind = SB_BLANK};
  if (!sb_expression_value(column_of(w, column)->value, &w->scope, row, &value, w->reasons))
    value = (sb_value){.kind = SB_WORD, .word = "n/a"};
  cell->source = key.kind == SB_WORD ? key.word : NULL;
  cell->is_number = value.kind == SB_NUMBER && (ok || !w->spec->failed_as_words);
  cell->number = value.number;
  if (cell->is_number) {
    show_number(w, cell, column, row);
    if (!ok) mark_failed(w, cell, sb_status_short(status));
  } else if (value.kind == SB_WORD || value.kind == SB_TRUTH)
    cell->text = sb_value_text(w->arena, value);
  else if (!ok || w->spec->column_axis)
    cell->text = sb_status_short(status);
}

/* Tells whether the case that is sorted as number i begins a line. */
static bool begins_line(const work *w, size_t i)
{
  return i == 0 || !w->spec->column_axis || compare_ranks(w, w->order[i - 1], w->order[i], w->stubs) != 0;
}

static void begin_line(work *w, size_t row)
{
  sb_table_add_row(w->grid);
  for (size_t s = 0; s < w->stubs; ++s) {
    const sb_value value = value_at(w, row, w->axes[s]);
    const char    *name = sb_value_text(w->arena, value);
    sb_cell       *cell = sb_table_put(w->grid, sb_spelled_value(w->arena, w->results->sweep, w->axes[s], name));
    cell->csv = name;
    cell->is_number = value.kind == SB_NUMBER;
    cell->number = value.number;
    if (!*cell->text) cell->text = NULL;
  }
}

/* The error of two cases in a cell, which names the first of what sets cases that they do not share. */
static bool refuse(const work *w, size_t i, size_t column, sb_diagnostics *diagnostics)
{
  size_t       count = 0;
  const char **settings = sb_report_settings(w->results->sweep, &count), *found = "none that this sweep sets";
  for (size_t k = count; k-- > 0;)
    if (!sb_value_same(value_at(w, w->order[i - 1], settings[k]), value_at(w, w->order[i], settings[k])))
      found = settings[k];
  return sb_error_at(diagnostics, sb_expression_where(w->spec->cell.value), "E106",
                     "table '%s': several cases share a cell (row %zu, %s = %s); name the axis that tells them apart "
                     "(%s) under rows:, or choose among them by where:",
                     w->spec->id, w->grid->row_count, w->spec->column_axis, w->grid->headings[column].name, found);
}

static bool fill_lines(work *w, sb_diagnostics *diagnostics)
{
  for (size_t i = 0; i < w->count; ++i) {
    const size_t   row = w->order[i];
    const sb_value key = sb_rows_get_named(w->results->rows, row, "key");
    if (begins_line(w, i)) begin_line(w, row);
    sb_table_line *line = &w->grid->rows[w->grid->row_count - 1];
    line->comment = sb_arena_format(w->arena, "%s%s%s", line->comment ? line->comment : "", line->comment ? " " : "",
                                    key.kind == SB_WORD ? key.word : "");
    for (size_t c = w->stubs; !w->spec->column_axis && c < w->grid->column_count; ++c)
      fill_cell(w, &line->cells[c], c, row);
    if (!w->spec->column_axis) continue;
    const size_t c = w->stubs + pivot_column(w, row);
    if (is_double(w, i)) return refuse(w, i, c, diagnostics);
    fill_cell(w, &line->cells[c], c, row);
  }
  return true;
}

/* The numbers of the columns that are shown alike (all of a pivot, one of a flat table) are shown exactly where all of
 * them are whole. Columns of numbers are flush right; of a pivot all columns are. */
static void show_whole_numbers(const work *w)
{
  char text[SB_NUMBER_TEXT];
  bool whole = true;
  for (size_t c = w->stubs, first = c; c < w->grid->column_count; ++c) {
    const bool last = !w->spec->column_axis || c + 1 == w->grid->column_count;
    for (size_t r = 0; r < w->grid->row_count; ++r) {
      const sb_cell *cell = sb_table_cell(w->grid, r, c);
      whole = whole && (!cell->is_number || (fabs(cell->number) < 1e15 && cell->number == floor(cell->number)));
    }
    for (; last && first <= c; ++first)
      for (size_t r = 0; whole && !column_of(w, c)->format && r < w->grid->row_count; ++r) {
        sb_cell *cell = sb_table_cell(w->grid, r, first);
        if (cell->is_number) cell->text = sb_arena_copy(w->arena, sb_text_exact(cell->number, text));
      }
    whole = whole || last;
  }
}

static void align_columns(const work *w)
{
  for (size_t c = 0; c < w->grid->column_count; ++c) {
    size_t numbers = 0, words = 0;
    for (size_t r = 0; r < w->grid->row_count; ++r) {
      const sb_cell *cell = sb_table_cell(w->grid, r, c);
      numbers += cell->is_number;
      words += !cell->is_number && cell->text;
    }
    w->grid->headings[c].numeric |= numbers > 0 && (c >= w->stubs || words == 0);
  }
}

/* The last line that has the stubs of `line`, the last stub aside. */
static size_t group_end(const sb_table *grid, size_t line)
{
  size_t end = line;
  for (; end + 1 < grid->row_count; ++end)
    for (size_t s = 0; s + 1 < grid->stub_count; ++s)
      if (strcmp(sb_table_cell(grid, end + 1, s)->csv, sb_table_cell(grid, line, s)->csv) != 0) return end;
  return end;
}

/* Marks the best number of lines [first, end] and those nearer to it than `tie`, where there are two at least. */
static void mark_best(const work *w, size_t column, size_t first, size_t end, double tie)
{
  const bool   largest = column_of(w, column)->best == SB_BEST_LARGEST;
  const double sign = largest ? -1 : 1;
  double       best = INFINITY;
  size_t       numbers = 0;
  for (size_t r = first; r <= end; ++r) {
    const sb_cell *cell = sb_table_cell(w->grid, r, column);
    if (!cell->is_number || cell->marks & SB_MARK_FAILED) continue;
    best = fmin(best, sign * cell->number);
    numbers++;
  }
  for (size_t r = first; r <= end && numbers > 1; ++r) {
    sb_cell *cell = sb_table_cell(w->grid, r, column);
    if (!cell->is_number || cell->marks & SB_MARK_FAILED || sign * cell->number > best + fabs(best) * tie) continue;
    cell->marks |= SB_MARK_BEST;
    w->grid->means[0] = sb_arena_format(w->arena, "%s of its column%s, or not to be told from it",
                                        largest ? "largest" : "smallest", w->stubs > 1 ? " and group" : "");
  }
}

/* Marks the best of columns, and says how far times differ by chance where the driver watched the machine. */
static void judge_columns(const work *w)
{
  static const double   usual_tie = 0.02;
  const sb_noise_floor *floor = &w->results->floor;
  const bool            known = floor->timings > 0 && isfinite(floor->spread);
  bool                  times = false;
  for (size_t c = w->stubs; c < w->grid->column_count; ++c) {
    const double tie = known && w->named[c].times ? floor->spread : usual_tie;
    for (size_t r = 0, end = 0; column_of(w, c)->best && r < w->grid->row_count; r = end + 1)
      mark_best(w, c, r, end = group_end(w->grid, r), tie);
    times = times || w->named[c].times;
  }
  if (times && sb_rows_column_find(w->results->rows, "noisy") != (size_t)-1)
    sb_table_add_note(w->grid, SB_NOTE_ASIDE, "Times:",
                      floor->words        ? floor->words
                      : w->results->quick ? "no noise floor: a quick run times each case once"
                                          : "no noise floor: no case was timed again through the sweep");
}

/* Tells whether a text chooses other cases by `name`, as step_median_s[method=newton] does where the rows' method is
 * another. method=method chooses none. */
static bool chooses_others(const char *text, const char *name, const char *shared)
{
  const size_t length = strlen(name);
  for (const char *at = strstr(text, name); at; at = strstr(at + length, name)) {
    const char *value = at + length + 1;
    if (at == text || !strchr("[, ", at[-1]) || at[length] != '=' || *value == '=') continue;
    const size_t end = strcspn(value, ",])");
    if (strncmp(value, shared, end) == 0 && shared[end] == '\0') continue;
    if (strncmp(value, name, end) != 0 || name[end] != '\0') return true;
  }
  return false;
}

/* Tells whether all cases have one value of `name`, those included that a column shows beside those of the rows. */
static bool is_constant(const work *w, const char *name, sb_value *value)
{
  if (w->count == 0 || is_axis(w->spec, name) || strcmp(name, "driver") == 0) return false;
  *value = value_at(w, w->order[0], name);
  for (size_t i = 1; i < w->count; ++i)
    if (!sb_value_same(*value, value_at(w, w->order[i], name))) return false;
  const char *shared = sb_value_text(w->arena, *value);
  for (size_t i = 0; i < w->spec->column_count; ++i)
    if (chooses_others(sb_expression_text(w->spec->columns[i].value), name, shared)) return false;
  return *shared != '\0';
}

/* "explicit Euler", as in the rows. Six digits are enough to read: 1/30 is 0.0333333. */
static void put_constant(const work *w, FILE *stream, const char *name, sb_value value)
{
  const bool  fraction = value.kind == SB_NUMBER && value.number != floor(value.number);
  const char *shown = fraction ? sb_arena_format(w->arena, "%.6g", value.number) : sb_value_text(w->arena, value);
  const char *unit = sb_report_unit(w->results, name);
  fprintf(stream, "%s%s = %s%s%s", ftell(stream) > 0 ? ", " : "", sb_spelled_axis(w->arena, w->results->sweep, name),
          sb_spelled_value(w->arena, w->results->sweep, name, shown), *unit ? " " : "", unit);
}

/* Tells whether the cases read an option. Of steps and forces a driver that moves nothing would say nothing. */
static bool is_read(const work *w, sb_option_id id)
{
  const bool of_motion = id == SB_OPT_h || id == SB_OPT_drag;
  if (of_motion && !sb_report_reads(w->results, w->order[0], SB_OPT_integrator)) return false;
  return sb_report_reads(w->results, w->order[0], id);
}

/* The settings that all cases of the table share and that no axis and no column overrules, so that the caption can say
 * them once: "scene = rope, nodes = 16". What the sweep sets comes first, then what decides the numbers though nobody
 * gave it: a default, those of the motion last. */
static const char *constants(const work *w)
{
  static const sb_option_id defaults[] = {SB_OPT_stiffness, SB_OPT_young, SB_OPT_total_mass, SB_OPT_vertex_mass,
                                          SB_OPT_gravity,   SB_OPT_h,     SB_OPT_drag,       SB_OPT_integrator,
                                          SB_OPT_minimizer, SB_OPT_linear};
  sb_arena_writer           writer;
  size_t                    given = 0;
  const char              **settings = sb_report_settings(w->results->sweep, &given);
  FILE                     *stream = sb_arena_write(&writer, w->arena);
  sb_value                  value = {.kind = SB_BLANK};
  for (size_t i = 0; i < given; ++i)
    if (is_constant(w, settings[i], &value)) put_constant(w, stream, settings[i], value);
  for (size_t i = 0; w->count > 0 && i < sizeof defaults / sizeof *defaults; ++i) {
    const char *name = sb_option_at(defaults[i])->name;
    bool        told = !is_read(w, defaults[i]);
    for (size_t j = 0; j < given && !told; ++j) told = strcmp(settings[j], name) == 0;
    if (!told && is_constant(w, name, &value)) put_constant(w, stream, name, value);
  }
  return sb_arena_text(&writer);
}

static bool build(work *w, sb_diagnostics *diagnostics)
{
  const sb_sweep *sweep = w->results->sweep;
  sb_table       *grid = w->grid;
  size_t          noisy = 0;
  char            reason[SB_ERROR_SIZE];
  grid->id = w->spec->id;
  grid->stub_count = w->stubs;
  grid->empty = w->results->quick ? "A quick run has no case of this table; the whole sweep has." : "No case matches.";
  for (size_t i = 0; i < w->count; ++i) noisy += sb_row_noisy(w->results->rows, w->order[i]);
  grid->means[2] = sb_noise_note(w->arena, noisy, w->count);
  w->examples = sb_arena_take(w->arena, w->count, sizeof *w->examples);
  for (size_t i = 0; w->spec->column_axis && i < w->count; ++i) pivot_column(w, w->order[i]);
  add_columns(w);
  if (!fill_lines(w, diagnostics)) return false;
  sb_table_add_note(grid, SB_NOTE_TITLE, "", w->spec->title);
  sb_table_add_note(grid, SB_NOTE_ABOVE, "", sweep->question);
  sb_diagnostics_reason(w->reasons, reason, sizeof reason);
  sb_table_add_note(grid, SB_NOTE_BELOW, "n/a:", reason);
  show_whole_numbers(w);
  align_columns(w);
  if (w->intervals)
    sb_table_add_note(grid, SB_NOTE_BELOW, "±:", "95 % interval of the median, in brackets where it is wide");
  judge_columns(w);
  sb_table_add_note(grid, SB_NOTE_BELOW, "Constant:", constants(w));
  sb_table_add_note(grid, SB_NOTE_BELOW, "Source:", sweep->source);
  sb_table_add_note(grid, SB_NOTE_BELOW, "", w->spec->note);
  return true;
}

sb_table *sb_sweep_table(const sb_results *results, const sb_table_spec *spec, sb_arena *arena,
                         sb_diagnostics *diagnostics)
{
  work w = {.results = results, .spec = spec, .arena = arena, .grid = sb_table_create(arena)};
  w.scope = sb_results_scope(results, results->session.arena);
  w.scope.arena = arena;
  const bool *selected = sb_expression_select(spec->where, &w.scope, diagnostics);
  bool        built = selected != NULL;
  for (bool widened = false; built; widened = true) {
    find_axes(&w, widened);
    if (sort_rows(&w, selected) || widened) break;
  }
  w.reasons = sb_diagnostics_create();
  built = built && build(&w, diagnostics);
  sb_diagnostics_destroy(&w.reasons);
  return built ? w.grid : NULL;
}

static bool write_form(const sb_results *results, const sb_table *table, sb_table_form form)
{
  static const char *const suffixes[] = {".txt", ".md", ".csv", ".tex"};
  char                    *path = sb_report_path(results->directory, "tables", table->id, suffixes[form]);
  sb_arena_writer          text;
  sb_table_print(table, form, sb_arena_write(&text, table->arena));
  const char *said = sb_arena_text(&text);
  const bool  written = path && sb_report_write(path, said);
  free(path);
  return written;
}

bool sb_sweep_tables_write(const sb_results *results, sb_diagnostics *diagnostics)
{
  bool all = true;
  for (size_t t = 0; t < results->sweep->table_count; ++t) {
    sb_arena       *arena = sb_arena_create();
    const sb_table *table = sb_sweep_table(results, &results->sweep->tables[t], arena, diagnostics);
    bool            done = table != NULL;
    for (sb_table_form form = SB_TABLE_TEXT; done && form <= SB_TABLE_LATEX; ++form)
      done = write_form(results, table, form);
    all = all && done;
    sb_arena_destroy(&arena);
  }
  return all;
}
