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
 * least (one would make 2 of 1.63): where it blurs the second, the table says how wide intervals are. The interval
 * is that of the columns beside it, else ± 1.57 (q3 − q1)/sqrt(n) of n samples with quartiles q1, q3 (McGill, Tukey and
 * Larsen 1978).
 * Bold: the best number of a column among the lines that differ in the last row axis alone, and those that cannot be
 * told from it: times within the noise floor, else 2 %; numbers of cases that failed do not compete. */
#include "harness/report/sweep_table.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_text.h"
#include "harness/report/spelling.h"
#include "harness/report/table_settings.h"

/* Where the number of a cell comes from. */
typedef struct {
  bool   is_filled, is_number, competes;
  double number;
  size_t row; /* of the results */
} source;

typedef struct {
  const sb_results    *results;
  const sb_table_spec *spec;
  sb_arena            *arena;
  const char         **axes; /* row axes, then the column axis of a pivot */
  size_t               stubs, axis_count;
  size_t               count, *order;          /* selected rows, sorted */
  double              *ranks;                  /* [rows of the results][axis_count] */
  size_t               value_count, *examples; /* pivot: a row for each value of the column axis, ascending */
  sb_table            *grid;
  source              *sources; /* [lines][columns of the grid] */
  sb_scope             scope;
  sb_diagnostics      *reasons; /* why cells cannot be had */
} work;

static sb_value value_at(const work *w, size_t row, const char *name) { return sb_report_value(w->results, row, name); }

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
  for (size_t i = 1; i < w->count; ++i)
    distinct = distinct && compare_ranks(w, w->order[i - 1], w->order[i], w->axis_count) != 0;
  return distinct;
}

static double column_rank(const work *w, size_t row) { return w->ranks[row * w->axis_count + w->stubs]; }

/* The number of the pivot's column in which a row stands. A value not seen before gets one: examples stay sorted. */
static size_t pivot_column(work *w, size_t row)
{
  size_t at = 0;
  while (at < w->value_count && column_rank(w, w->examples[at]) < column_rank(w, row)) at++;
  if (at < w->value_count && column_rank(w, w->examples[at]) == column_rank(w, row)) return at;
  memmove(w->examples + at + 1, w->examples + at, (w->value_count++ - at) * sizeof *w->examples);
  w->examples[at] = row;
  return at;
}

static const sb_table_column *column_of(const work *w, size_t column)
{
  return w->spec->column_axis ? &w->spec->cell : &w->spec->columns[column - w->stubs];
}

static const char *with_unit(const work *w, const char *name, const char *unit)
{
  return unit && *unit ? sb_arena_format(w->arena, "%s (%s)", name, unit) : name;
}

static const char *unit_of(const work *w, const sb_table_column *column)
{
  return column->unit ? column->unit : sb_report_unit(w->results, sb_expression_text(column->value));
}

static const char *label_of(const sb_table_column *column)
{
  return column->label ? column->label : sb_expression_text(column->value);
}

typedef struct {
  const char *name; /* that a formula names; "" where it names several */
} only_name;

static void note_name(void *context, const char *name)
{
  only_name *only = context;
  only->name = only->name && strcmp(only->name, name) != 0 ? "" : name;
}

/* What the cells of a pivot are, as a name and without its unit. A formula is no heading: the column it scales stands
 * for it ("step_median" of 1000 * step_median_s in ms); NULL where there is none but the unit says something. */
static const char *quantity_name(const work *w, const sb_table_column *cell)
{
  const char *label = label_of(cell);
  only_name   only = {NULL};
  if (strcmp(label, sb_expression_text(cell->value)) != 0 || !strpbrk(label, "+-*/<>=[(") || !*unit_of(w, cell))
    return label;
  sb_expression_names(cell->value, note_name, &only);
  if (!only.name || !*only.name) return NULL;
  const char  *suffix = sb_arena_format(w->arena, "_%s", sb_report_unit(w->results, only.name));
  const size_t length = strlen(only.name), tail = strlen(suffix);
  const bool   ends = tail > 1 && length > tail && strcmp(only.name + length - tail, suffix) == 0;
  return sb_arena_copy_span(w->arena, only.name, ends ? length - tail : length);
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
    sb_table_add_column(grid, sb_spelled_axis(w->arena, sweep, label_of(column)), unit_of(w, column), false);
    grid->headings[w->stubs + i].csv = with_unit(w, label_of(column), unit_of(w, column));
  }
  if (!axis) return;
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

static source *source_of(const work *w, size_t line, size_t column)
{
  return &w->sources[line * w->grid->column_count + column];
}

static bool is_status(sb_value status, const char *word)
{
  return status.kind == SB_WORD && strcmp(status.word, word) == 0;
}

/* A value cell, but for the text of a number. A blank of a case that ended otherwise than ok says how it ended. In a
 * pivot "ok" tells a case that has no such value (it never blew up) from a case that is not there. */
static void fill_cell(work *w, size_t line, size_t column, size_t row)
{
  const sb_value status = sb_rows_get_named(w->results->rows, row, "status");
  const bool     ok = is_status(status, "ok");
  const sb_value key = sb_rows_get_named(w->results->rows, row, "key");
  sb_cell       *cell = sb_table_cell(w->grid, line, column);
  sb_value       value = {.kind = SB_BLANK};
  cell->source = key.kind == SB_WORD ? key.word : NULL;
  if (!sb_expression_value(column_of(w, column)->value, &w->scope, row, &value, w->reasons))
    value = (sb_value){.kind = SB_WORD, .word = "n/a"};
  if (value.kind == SB_NUMBER && w->spec->failed_as_words && !ok) value.kind = SB_BLANK;
  source *of = source_of(w, line, column);
  *of = (source){.is_filled = true, .row = row, .is_number = value.kind == SB_NUMBER, .number = value.number};
  if (of->is_number) {
    /* Diverging is what a blow-up time measures; any other end makes a number doubtful. */
    of->competes = ok || is_status(status, "diverged");
    if (!of->competes) cell->marks |= SB_MARK_FAILED;
    cell->csv = sb_value_text(w->arena, value);
  } else if (value.kind != SB_BLANK)
    cell->text = sb_value_text(w->arena, value);
  else if (!ok || w->spec->column_axis)
    cell->text = sb_status_short(status);
}

/* The first of what sets cases that two of them do not share. */
static const char *difference(const work *w, size_t a, size_t b)
{
  size_t       count = 0;
  const char **names = sb_report_settings(w->results->sweep, &count), *found = "none that this sweep sets";
  for (size_t i = count; i-- > 0;)
    if (!sb_value_same(value_at(w, a, names[i]), value_at(w, b, names[i]))) found = names[i];
  free(names);
  return found;
}

static void begin_line(work *w, size_t row)
{
  sb_table *grid = w->grid;
  sb_table_add_row(grid);
  for (size_t s = 0; s < w->stubs; ++s) {
    const sb_value value = value_at(w, row, w->axes[s]);
    const char    *name = sb_value_text(w->arena, value);
    sb_cell       *cell = sb_table_put(grid, sb_spelled_value(w->arena, w->results->sweep, w->axes[s], name));
    cell->csv = name;
    if (!*cell->text) cell->text = NULL;
    *source_of(w, grid->row_count - 1, s) = (source){.row = row, .is_number = value.kind == SB_NUMBER};
  }
}

/* Whether the case that is sorted as number i begins a line. */
static bool begins_line(const work *w, size_t i)
{
  return i == 0 || !w->spec->column_axis || compare_ranks(w, w->order[i - 1], w->order[i], w->stubs) != 0;
}

static bool fill_lines(work *w, sb_diagnostics *diagnostics)
{
  sb_table *grid = w->grid;
  for (size_t i = 0; i < w->count; ++i) {
    const size_t   row = w->order[i];
    const sb_value key = sb_rows_get_named(w->results->rows, row, "key");
    if (begins_line(w, i)) begin_line(w, row);
    const size_t   line = grid->row_count - 1;
    sb_table_line *l = &grid->rows[line];
    l->comment = sb_arena_format(w->arena, "%s%s%s", l->comment ? l->comment : "", l->comment ? " " : "",
                                 key.kind == SB_WORD ? key.word : "");
    for (size_t c = w->stubs; !w->spec->column_axis && c < grid->column_count; ++c) fill_cell(w, line, c, row);
    if (!w->spec->column_axis) continue;
    const size_t  c = w->stubs + pivot_column(w, row);
    const source *there = source_of(w, line, c);
    if (there->is_filled)
      return sb_error_at(diagnostics, (sb_location){w->results->sweep->path, 0, 0}, "E106",
                         "table '%s': several cases share a cell (row %zu, %s = %s); name the axis that tells them "
                         "apart (%s) under rows:, or choose among them by where:",
                         w->spec->id, line + 1, w->spec->column_axis, grid->headings[c].name,
                         difference(w, there->row, row));
    fill_cell(w, line, c, row);
  }
  return true;
}

typedef struct {
  const sb_rows *rows;
  size_t         row;
  double         half_width; /* relative, the largest of the medians named; 0: none is known */
} interval;

static double sibling(const interval *i, const char *stem, int length, const char *suffix)
{
  char name[128];
  snprintf(name, sizeof name, "%.*s%s", length, stem, suffix);
  const sb_value value = sb_rows_get_named(i->rows, i->row, name);
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
static double half_width_of(const work *w, const sb_expression *value, size_t row)
{
  interval i = {.rows = w->results->rows, .row = row};
  sb_expression_names(value, widen, &i);
  return i.half_width;
}

static int digits_for(double half_width)
{
  if (!(half_width > 0)) return SB_DIGITS;
  const double digits = 1 + floor(-log10(half_width));
  return digits < 2 ? 2 : digits > 4 ? 4 : (int)digits;
}

__attribute__((format_arg(1))) static const char *checked(const char *format)
{
  return sb_text_is_number_format(format) ? format : "%.3g";
}

static const char *formatted(const work *w, const char *format, double number)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  return sb_arena_format(w->arena, checked(format), number);
#pragma GCC diagnostic pop
}

/* Whether the numbers of the columns that are shown alike (all of a pivot, one of a flat table) are whole. */
static bool are_whole(const work *w, size_t first, size_t last)
{
  for (size_t r = 0; r < w->grid->row_count; ++r)
    for (size_t c = first; c <= last; ++c) {
      const source *of = source_of(w, r, c);
      if (of->is_number && !(fabs(of->number) < 1e15 && of->number == floor(of->number))) return false;
    }
  return true;
}

static void show_numbers(const work *w)
{
  static const double wide = 0.1; /* one digit is all that such an interval leaves */
  double              widest = 0;
  char                text[SB_NUMBER_TEXT];
  const bool          pivot = w->spec->column_axis != NULL;
  const size_t        columns = w->grid->column_count;
  for (size_t c = w->stubs; c < columns; ++c) {
    const sb_table_column *column = column_of(w, c);
    const bool             whole = are_whole(w, pivot ? w->stubs : c, pivot ? columns - 1 : c);
    for (size_t r = 0; r < w->grid->row_count; ++r) {
      const source *of = source_of(w, r, c);
      sb_cell      *cell = sb_table_cell(w->grid, r, c);
      if (!of->is_number) continue;
      if (column->format)
        cell->text = formatted(w, column->format, of->number);
      else if (whole)
        cell->text = cell->csv;
      else {
        const double half_width = half_width_of(w, column->value, of->row);
        cell->text = sb_arena_copy(w->arena, sb_text_rounded(of->number, digits_for(half_width), text));
        widest = fmax(widest, half_width);
      }
    }
  }
  if (sb_diagnostics_errors(w->reasons) > 0) {
    char reason[SB_ERROR_SIZE];
    sb_diagnostics_reason(w->reasons, reason, sizeof reason);
    sb_table_add_note(w->grid, SB_NOTE_BELOW, "n/a:", reason);
  }
  if (widest > wide)
    sb_table_add_note(
        w->grid, SB_NOTE_BELOW, "",
        sb_arena_format(w->arena, "95 %% intervals reach up to %.0f %% from the medians shown", 100 * widest));
}

typedef struct {
  const sb_rows *rows;
  bool           found;
} search;

static void look_for_time(void *context, const char *name)
{
  search      *s = context;
  const size_t number = sb_rows_column_find(s->rows, name);
  if (number == (size_t)-1) return;
  const sb_rows_column *column = sb_rows_column_at(s->rows, number);
  s->found = s->found || (column->is_timing && strcmp(column->unit, "s") == 0);
}

static bool is_time(const work *w, const sb_expression *value)
{
  search s = {.rows = w->results->rows};
  sb_expression_names(value, look_for_time, &s);
  return s.found;
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
    const source *of = source_of(w, r, column);
    if (!of->competes) continue;
    best = fmin(best, sign * of->number);
    numbers++;
  }
  for (size_t r = first; r <= end && numbers > 1; ++r) {
    const source *of = source_of(w, r, column);
    if (!of->competes || sign * of->number > best + fabs(best) * tie) continue;
    sb_table_cell(w->grid, r, column)->marks |= SB_MARK_BEST;
    w->grid->means[0] = sb_arena_format(w->arena, "%s of its column%s, or not to be told from it",
                                        largest ? "largest" : "smallest", w->stubs > 1 ? " and group" : "");
  }
}

/* Marks the best, and times of cases during which the machine was not quiet; says how far times differ by chance. */
static void mark_columns(const work *w)
{
  static const double   usual_tie = 0.02;
  const sb_noise_floor *floor = &w->results->floor;
  const bool            known = floor->timings > 0 && isfinite(floor->spread);
  const bool            watched = sb_rows_column_find(w->results->rows, "noisy") != (size_t)-1;
  bool                  any_time = false;
  for (size_t c = w->stubs; c < w->grid->column_count; ++c) {
    const bool   time = is_time(w, column_of(w, c)->value);
    const double tie = known && time ? floor->spread : usual_tie;
    for (size_t r = 0, end = 0; column_of(w, c)->best && r < w->grid->row_count; r = end + 1)
      mark_best(w, c, r, end = group_end(w->grid, r), tie);
    for (size_t r = 0; time && watched && r < w->grid->row_count; ++r) {
      const source *of = source_of(w, r, c);
      if (of->is_number && sb_rows_get_named(w->results->rows, of->row, "noisy").kind == SB_WORD)
        sb_table_cell(w->grid, r, c)->marks |= SB_MARK_NOISY;
    }
    any_time = any_time || (time && watched);
  }
  w->grid->means[1] = "of a case that did not end ok";
  w->grid->means[2] = "timed while the machine was noisy: see the column noisy of the index";
  if (any_time)
    sb_table_add_note(w->grid, SB_NOTE_ASIDE, "Times:",
                      floor->words        ? floor->words
                      : w->results->quick ? "no noise floor: a quick run times each case once"
                                          : "no noise floor: no case was timed again through the sweep");
}

/* Columns of numbers are flush right; of a pivot all columns are. */
static void align_columns(const work *w)
{
  for (size_t c = 0; c < w->grid->column_count; ++c) {
    size_t numbers = 0, words = 0;
    for (size_t r = 0; r < w->grid->row_count; ++r) {
      const bool number = source_of(w, r, c)->is_number;
      numbers += number;
      words += !number && sb_table_cell(w->grid, r, c)->text;
    }
    w->grid->headings[c].numeric |= numbers > 0 && (c >= w->stubs || words == 0);
  }
}

static bool build(work *w, sb_diagnostics *diagnostics)
{
  const sb_table_spec *spec = w->spec;
  const sb_sweep      *sweep = w->results->sweep;
  size_t               lines = 0;
  w->examples = sb_arena_take(w->arena, w->count, sizeof *w->examples);
  for (size_t i = 0; i < w->count; ++i) {
    lines += begins_line(w, i);
    if (spec->column_axis) pivot_column(w, w->order[i]);
  }
  w->grid->id = spec->id;
  w->grid->stub_count = w->stubs;
  w->grid->empty =
      w->results->quick ? "A quick run has no case of this table; the whole sweep has." : "No case matches.";
  add_columns(w);
  w->sources = sb_arena_take(w->arena, lines * w->grid->column_count, sizeof *w->sources);
  if (!fill_lines(w, diagnostics)) return false;
  sb_table_add_note(w->grid, SB_NOTE_TITLE, "", spec->title);
  sb_table_add_note(w->grid, SB_NOTE_ABOVE, "", sweep->question);
  show_numbers(w);
  align_columns(w);
  mark_columns(w);
  sb_table_add_note(w->grid, SB_NOTE_BELOW,
                    "Constant:", sb_table_constants(w->arena, w->results, spec, w->order, w->count));
  sb_table_add_note(w->grid, SB_NOTE_BELOW, "Source:", sweep->source);
  sb_table_add_note(w->grid, SB_NOTE_BELOW, "", spec->note);
  return true;
}

sb_table *sb_sweep_table(const sb_results *results, const sb_table_spec *spec, sb_arena *arena,
                         sb_diagnostics *diagnostics)
{
  work w = {.results = results, .spec = spec, .arena = arena, .grid = sb_table_create(arena)};
  w.scope = sb_report_scope(results);
  w.scope.arena = arena;
  const bool *selected = sb_expression_select(spec->where, &w.scope, diagnostics);
  bool        built = selected != NULL;
  for (bool widened = false; built; widened = true) {
    w.axes = sb_table_axes(arena, results, spec, widened, &w.stubs);
    w.axis_count = w.stubs + (spec->column_axis != NULL);
    if (sort_rows(&w, selected) || widened) break;
  }
  w.reasons = sb_diagnostics_create();
  built = built && build(&w, diagnostics);
  sb_diagnostics_destroy(&w.reasons);
  return built ? w.grid : NULL;
}

static bool write_form(const sb_results *results, const sb_table *table, sb_table_form form,
                       sb_diagnostics *diagnostics)
{
  static const char *const suffixes[] = {".txt", ".md", ".csv", ".tex"};
  char                    *path = sb_report_path(results->directory, "tables", table->id, suffixes[form]);
  FILE                    *stream = path ? sb_report_open(path) : NULL;
  if (path && !stream) sb_error_at(diagnostics, (sb_location){path, 0, 0}, "E100", "cannot write: %s", strerror(errno));
  if (stream) sb_table_print(table, form, stream);
  const bool written = stream && sb_report_close(stream, path);
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
      done = write_form(results, table, form, diagnostics);
    all = all && done;
    sb_arena_destroy(&arena);
  }
  return all;
}
