/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes a grid from a table's specification and the rows of the results.
 *
 * The row axes (and the column axis of a pivot) give every selected case a tuple of ranks: a number ranks by its value,
 * a word by its first place in the plan. The cases are sorted by these tuples. Cases with equal row ranks share a line
 * of a pivot. A flat table has a line per case or, with `over` an axis, a line for the cases that differ in it alone.
 * Two cases in one cell of a pivot are an error that names the missing axis. A cell whose expression finds no answer (a
 * case or a published row is missing) is "n/a", and the first reason is below the table.
 *
 * Digits: the given format; else whole numbers exactly if the whole column is whole; else three significant digits. A
 * median gets the digits that its 95 % interval supports: those down to the first that the interval blurs, at least two
 * (one would make 2 of 1.63), and two if there are too few samples for an interval. A column of medians also shows the
 * interval, from the columns _low_s and _high_s. Best is the smallest or largest number of a column among the lines
 * that differ in the last row axis alone. So are numbers that are equal to it within the noise floor (times) or 2 %.
 * Marks are those of all cases that a number is made of; the expression collects them while it reads. Numbers of failed
 * cases do not compete, nor do times of another build or machine than most. If there is no noise floor, a noisy time is
 * not the best, and no other is instead of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number_table.h"
#include "base/option_ids.h"
#include "base/words.h"
#include "cases/describe/plugin_methods.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/conclusion.h"
#include "harness/results/evidence.h"
#include "harness/results/timing_notes.h"
#include "harness/sweep/request.h"
#include "model/forces/law.h"

/* Says how cells are shown: those of a column of a flat table, or all of a pivot. */
typedef struct {
  const sb_table_column *spec;
  const char            *text, *label, *unit; /* of the expression */
  sb_report_names        names;
  bool                   times; /* some case's time was read for it */
} column;

/* A cell shows times of the cases in these rows. */
typedef struct {
  sb_cell *cell;
  size_t   count, *rows;
} timed_cell;

typedef struct {
  const sb_results    *results;
  const sb_table_spec *spec;
  sb_arena            *arena;
  sb_scope             scope;
  sb_diagnostics      *reasons; /* why cells cannot be had */
  bool                 pivot;
  const char         **axes; /* row axes, then the column axis of a pivot */
  size_t               stubs, axis_count;
  size_t               count, *order;          /* selected rows, sorted */
  double              *ranks;                  /* [rows of the results][axis_count] */
  size_t               value_count, *examples; /* pivot: a row for each value of the column axis, ascending */
  column              *columns;
  bool                 intervals; /* some number has its interval beside it */
  sb_names             uncounted; /* parts of cases whose operations a cell needs and nobody counted */
  sb_names             in_python; /* methods whose times it shows */
  bool                 torn;      /* its times are of several builds or machines, and none has most of them */
  sb_evidence          evidence;  /* of the cell that is being filled */
  unsigned             failed;    /* how cases behind marked cells failed, as a set */
  size_t               timed_count;
  timed_cell          *timed;
  sb_table            *grid;
} table_builder;

static sb_value value_at(const table_builder *b, size_t row, const char *name)
{
  return sb_report_value(b->results, row, name);
}

static bool is_axis(const sb_table_spec *spec, const char *name)
{
  const sb_names rows = {spec->row_axes, (const char **)spec->rows};
  return sb_names_find(&rows, name) != (size_t)-1 || (spec->column_axis && strcmp(spec->column_axis, name) == 0);
}

/* ---- lines ---- */

/* Finds the row axes. `widened`: those of the sweep file do not distinguish all cases, because a command line gave
 * several values (-p stiffness=50,200) to an option with one value in the sweep file, or added a method. Such options,
 * and `method`, come before them. Options that the sweep file itself sets in a way of `intended` do not: its tables
 * are then as intended. */
static void find_axes(table_builder *b, bool widened, unsigned intended)
{
  const sb_plan       *plan = b->results->plan;
  const sb_table_spec *spec = b->spec;
  const size_t         most = widened && plan ? plan->axis_count : 0;
  const sb_sweep      *sweep = b->results->sweep;
  b->axes = sb_arena_take(b->arena, most + spec->row_axes + 2, sizeof *b->axes);
  b->stubs = 0;
  if (widened && sweep->set.count + sweep->added_count > 0 && !is_axis(spec, "method") &&
      sb_report_varies(b->results, "method"))
    b->axes[b->stubs++] = "method";
  for (size_t i = 0; i < most; ++i) {
    const char *name = plan->axes[i];
    if (sb_option_find(name) != SB_OPT_COUNT && !sb_report_is_set(b->results->sweep, intended, name) &&
        !is_axis(spec, name) && sb_report_varies(b->results, name))
      b->axes[b->stubs++] = name;
  }
  for (size_t i = 0; i < spec->row_axes; ++i) b->axes[b->stubs++] = spec->rows[i];
  b->axes[b->stubs] = spec->column_axis;
  b->axis_count = b->stubs + b->pivot;
}

/* True for a word that the file's axis of that name does not have. */
static bool is_off_axis(const sb_sweep *sweep, const char *axis, sb_value value)
{
  bool given = false, found = value.kind != SB_WORD;
  for (size_t b = 0; b < sweep->block_count && !found; ++b) {
    const sb_axis *one = sb_find_axis(sweep->blocks[b].axes, sweep->blocks[b].count, axis);
    given = given || one;
    for (size_t k = 0; one && k < one->count && !found; ++k) found = strcmp(one->values[k], value.word) == 0;
  }
  return given && !found;
}

static double rank(const table_builder *b, size_t row, const char *axis)
{
  const sb_value value = value_at(b, row, axis);
  size_t         first = 0;
  if (value.kind == SB_NUMBER) return value.number;
  if (value.kind == SB_TRUTH) return value.truth;
  if (value.kind == SB_BLANK) return -INFINITY;
  while (first < row && !sb_value_same(value_at(b, first, axis), value)) first++;
  if (is_off_axis(b->results->sweep, axis, value)) first += sb_rows_count(b->results->rows); /* after the file's */
  return (double)first;
}

static int compare_ranks(const table_builder *b, size_t left, size_t right, size_t axes)
{
  for (size_t i = 0; i < axes; ++i) {
    const double x = b->ranks[left * b->axis_count + i], y = b->ranks[right * b->axis_count + i];
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

static int compare_rows(const void *left, const void *right, void *context)
{
  const size_t a = *(const size_t *)left, b = *(const size_t *)right;
  const int    order = compare_ranks(context, a, b, ((const table_builder *)context)->axis_count);
  return order != 0 ? order : (a > b) - (a < b);
}

/* True if row i of the sorted rows equals the one before it in the first axes. */
static bool is_double(const table_builder *b, size_t i, size_t axes)
{
  return i > 0 && compare_ranks(b, b->order[i - 1], b->order[i], axes) == 0;
}

/* Sorts the selected rows by the axes; true if no two rows are equal in them. */
static bool sort_rows(table_builder *b, const bool *selected)
{
  const size_t rows = sb_rows_count(b->results->rows);
  bool         distinct = true;
  b->ranks = sb_arena_take(b->arena, rows * b->axis_count, sizeof *b->ranks);
  b->order = sb_arena_take(b->arena, rows, sizeof *b->order);
  b->count = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (selected[i]) b->order[b->count++] = i;
    for (size_t a = 0; a < b->axis_count; ++a) b->ranks[i * b->axis_count + a] = rank(b, i, b->axes[a]);
  }
  qsort_r(b->order, b->count, sizeof *b->order, compare_rows, b);
  for (size_t i = 0; i < b->count; ++i) distinct = distinct && !is_double(b, i, b->axis_count);
  return distinct;
}

/* ---- columns ---- */

static column *column_of(const table_builder *b, size_t c) { return &b->columns[b->pivot ? 0 : c - b->stubs]; }

/* The number of the pivot's column that has a row. A new value gets a new number: examples stay sorted. */
static size_t pivot_column(table_builder *b, size_t row)
{
  const double *ranks = b->ranks + b->stubs;
  const size_t  n = b->axis_count;
  size_t        at = 0;
  while (at < b->value_count && ranks[b->examples[at] * n] < ranks[row * n]) at++;
  if (at < b->value_count && ranks[b->examples[at] * n] == ranks[row * n]) return at;
  memmove(b->examples + at + 1, b->examples + at, (b->value_count++ - at) * sizeof *b->examples);
  b->examples[at] = row;
  return at;
}

static const char *with_unit(const table_builder *b, const char *name, const char *unit)
{
  return *unit ? sb_arena_format(b->arena, "%s (%s)", name, unit) : name;
}

/* For a pivot. A formula is not a name for its cells: the column it scales is used ("step_median" for 1000 *
 * step_median_s in ms), or, if there is none, the unit. */
static void add_pivot_columns(table_builder *b)
{
  const sb_sweep *sweep = b->results->sweep;
  const column   *cell = b->columns;
  const char     *axis = b->spec->column_axis, *name = cell->label, *spelled = NULL;
  if (strcmp(name, cell->text) == 0 && strpbrk(name, "+-*/<>=[(") && *cell->unit) {
    name = cell->names.only && *cell->names.only ? cell->names.only : NULL;
    const char *end = name ? strrchr(name, '_') : NULL;
    if (end && strcmp(end + 1, sb_report_unit(b->results, name)) == 0)
      name = sb_arena_copy_span(b->arena, name, (size_t)(end - name));
  }
  if (name) spelled = sb_spelled_axis(b->arena, sweep, name);
  b->grid->quantity = name ? with_unit(b, spelled, cell->unit) : cell->unit;
  b->grid->axis_name = sb_spelled_axis(b->arena, sweep, axis);
  b->grid->axis = with_unit(b, b->grid->axis_name, sb_report_unit(b->results, axis));
  for (size_t i = 0; i < b->value_count; ++i) {
    const char *value = sb_value_text(b->arena, value_at(b, b->examples[i], axis));
    sb_table_add_column(b->grid, sb_spelled_value(b->arena, sweep, axis, value), "", true);
    b->grid->headings[b->stubs + i].csv =
        sb_arena_format(b->arena, "%s at %s = %s", name ? with_unit(b, name, cell->unit) : cell->unit, axis, value);
  }
}

static void add_columns(table_builder *b)
{
  const sb_sweep *sweep = b->results->sweep;
  const size_t    count = b->pivot ? 1 : b->spec->column_count;
  b->columns = sb_arena_take(b->arena, count, sizeof *b->columns);
  for (size_t i = 0; i < b->stubs; ++i) {
    sb_table_add_column(b->grid, sb_spelled_axis(b->arena, sweep, b->axes[i]), sb_report_unit(b->results, b->axes[i]),
                        false);
    b->grid->headings[i].csv = b->axes[i];
  }
  for (size_t i = 0; i < count; ++i) {
    column *c = &b->columns[i];
    c->spec = b->pivot ? &b->spec->cell : &b->spec->columns[i];
    c->text = sb_expression_text(c->spec->value);
    c->label = c->spec->label ? c->spec->label : c->text;
    c->unit = c->spec->unit ? c->spec->unit : sb_report_unit(b->results, c->text);
    sb_expression_names(c->spec->value, sb_report_note_name, &c->names);
    if (b->pivot) break;
    sb_table_add_column(b->grid, sb_spelled_axis(b->arena, sweep, c->label), c->unit, false);
    b->grid->headings[b->stubs + i].csv = c->label;
  }
  b->examples = sb_arena_take(b->arena, b->count, sizeof *b->examples);
  for (size_t i = 0; b->pivot && i < b->count; ++i) pivot_column(b, b->order[i]);
  if (b->pivot) add_pivot_columns(b);
}

/* ---- cells ---- */

/* "1.23 ± 3 %"; or "1.2 (1.1 … 2.1)" if the interval is wide and its ends are not equally far away. */
static void show_number(table_builder *b, sb_cell *cell, const column *c, size_t row)
{
  char        text[SB_NUMBER_TEXT], low[SB_NUMBER_TEXT], high[SB_NUMBER_TEXT];
  double      ends[2] = {1, 1}; /* of the 95 % interval of a median, over the median */
  const char *median = c->names.median;
  bool        known = true;
  for (int i = 0; i < 2 && median; ++i) {
    const int      stem = (int)(strlen(median) - strlen("_median_s"));
    const sb_value middle = value_at(b, row, median);
    const sb_value end = value_at(b, row, sb_arena_format(b->arena, "%.*s_%s_s", stem, median, i ? "high" : "low"));
    known = known && middle.kind == SB_NUMBER && middle.number > 0 && end.kind == SB_NUMBER;
    ends[i] = end.number / middle.number;
  }
  const double half_width = known ? fmax(1 - ends[0], ends[1] - 1) : NAN;
  const double digits = !known ? 2 : half_width > 0 ? 1 + floor(-log10(half_width)) : SB_DIGITS;
  if (c->spec->format) /* of one number, as the reader of sweep files has seen */
    cell->text = sb_arena_format(b->arena, c->spec->format, cell->number);
  else
    cell->text = sb_arena_copy(b->arena, sb_text_rounded(cell->number, (int)fmin(fmax(digits, 2), 4), text));
  if (!(half_width > 0) || c->names.only != median || strpbrk(c->text, "[(")) return;
  b->intervals = true;
  if (half_width < 0.1)
    cell->interval = sb_arena_format(b->arena, "± %s %%", sb_text_rounded(100 * half_width, 1, low));
  else
    cell->interval = sb_arena_format(b->arena, "(%s … %s)", sb_text_rounded(cell->number * ends[0], 2, low),
                                     sb_text_rounded(cell->number * ends[1], 2, high));
}

/* Notes what the cell rests on, beside its own row; returns how the cases behind it failed, as a set. */
static unsigned note_cases(table_builder *b, sb_cell *cell, column *c, size_t row)
{
  const sb_evidence *e = &b->evidence;
  unsigned           failures = sb_report_failure(b->results, row);
  timed_cell         timed = {.cell = cell};
  for (size_t i = 0; i < e->count; ++i) {
    failures |= sb_report_failure(b->results, e->rows[i]);
    if (e->what[e->rows[i]] & SB_IS_UNCOUNTED)
      sb_names_add(b->arena, &b->uncounted, sb_row_uncounted(b->results->rows, e->rows[i]));
  }
  timed.rows = sb_evidence_rows(e, SB_READ_TIME, b->arena, &timed.count);
  for (size_t i = 0; b->results->plan && i < timed.count; ++i) {
    const char *name = sb_plugin_methods_in_python(b->results->plan->cases[timed.rows[i]].options);
    if (name) sb_names_add(b->arena, &b->in_python, name);
  }
  if (timed.count == 0) return failures;
  c->times = true;
  *SB_NEW_ITEM(b->arena, b->timed, b->timed_count) = timed;
  return failures;
}

/* A value cell. A blank of a case that did not end ok shows how it ended. In a pivot "ok", or the table's own word,
 * distinguishes a case without a value (it never blew up) from a missing case. */
static void fill_cell(table_builder *b, sb_cell *cell, column *c, size_t row)
{
  const char *key = sb_report_word(b->results, row, "key");
  const bool  ok = sb_report_ending(b->results, row) == SB_ENDED_OK;
  const bool  as_words = b->spec->failed_as_words && sb_report_failure(b->results, row) != 0;
  sb_value    value = {.kind = SB_BLANK};
  sb_evidence_clear(&b->evidence);
  const bool     found = sb_expression_value(c->spec->value, &b->scope, row, &value, b->reasons);
  const unsigned failures = note_cases(b, cell, c, row);
  if (!found) value = (sb_value){.kind = SB_WORD, .word = "n/a"};
  cell->source = *key && !b->scope.taken ? key : NULL;
  cell->is_number = value.kind == SB_NUMBER && !as_words;
  cell->number = value.number;
  if (cell->is_number)
    show_number(b, cell, c, row);
  else if (value.kind == SB_WORD || value.kind == SB_TRUTH)
    cell->text = sb_value_text(b->arena, value);
  else if (value.kind == SB_UNKNOWN && !as_words)
    cell->text = sb_evidence_has(&b->evidence, SB_IS_UNCOUNTED) ? "not counted" : "undefined";
  else if (ok && b->spec->blank)
    cell->text = strcmp(b->spec->blank, "-") == 0 ? NULL : b->spec->blank;
  else if (!ok || b->pivot)
    cell->text = sb_status_short(sb_rows_get_named(b->results->rows, row, "status"));
  if (!failures || !cell->is_number) return;
  cell->marks |= SB_MARK_FAILED;
  b->failed |= failures;
}

/* Lets expressions see the cases of the line that begins with the row sorted as number i, and no others. */
static void take_line(table_builder *b, size_t i)
{
  sb_perhaps *taken = sb_arena_take(b->arena, sb_rows_count(b->results->rows), sizeof *taken);
  taken[b->order[i]] = SB_YES;
  while (++i < b->count && is_double(b, i, b->axis_count)) taken[b->order[i]] = SB_YES;
  b->scope.taken = taken;
}

static void put_stub(const table_builder *b, size_t row, const char *axis)
{
  const sb_value value = value_at(b, row, axis);
  const char    *name = sb_value_text(b->arena, value);
  sb_cell       *cell = sb_table_put(b->grid, sb_spelled_value(b->arena, b->results->sweep, axis, name));
  cell->csv = name;
  cell->is_number = value.kind == SB_NUMBER;
  cell->number = value.number;
  if (!*cell->text) cell->text = NULL;
}

/* Case i of the sorted ones is in the cell of the one before it. Names the first setting that they do not share. */
static bool refuse_shared_cell(const table_builder *b, size_t i, size_t at, sb_diagnostics *diagnostics)
{
  const sb_names names = sb_report_settings(b->results->sweep, SB_SET_BY_ANY);
  const char    *found = "none that this sweep sets";
  for (size_t k = names.count; k-- > 0;)
    if (!sb_value_same(value_at(b, b->order[i - 1], names.names[k]), value_at(b, b->order[i], names.names[k])))
      found = names.names[k];
  return sb_error_at(diagnostics, sb_expression_where(b->spec->cell.value), "E106",
                     "table '%s': several cases share a cell (row %zu, %s = %s); name the axis that distinguishes "
                     "them (%s) under rows:, or select one of them by where:",
                     b->spec->id, b->grid->row_count, b->spec->column_axis, b->grid->headings[at].name, found);
}

static bool fill_lines(table_builder *b, sb_diagnostics *diagnostics)
{
  const bool over = b->spec->over_axis;
  for (size_t i = 0; i < b->count; ++i) {
    const size_t row = b->order[i];
    const bool   begins = !(b->pivot || over) || !is_double(b, i, b->stubs);
    if (over && begins) take_line(b, i);
    if (begins) sb_table_add_row(b->grid);
    for (size_t s = 0; s < b->stubs && begins; ++s) put_stub(b, row, b->axes[s]);
    sb_table_line *line = &b->grid->rows[b->grid->row_count - 1];
    line->comment = sb_arena_format(b->arena, "%s%s%s", begins ? "" : line->comment, begins ? "" : " ",
                                    sb_report_word(b->results, row, "key"));
    const size_t at = b->pivot ? b->stubs + pivot_column(b, row) : 0;
    if (b->pivot && is_double(b, i, b->axis_count)) return refuse_shared_cell(b, i, at, diagnostics);
    for (size_t c = b->stubs; c < b->grid->column_count && (begins || !over); ++c)
      if (!b->pivot || c == at) fill_cell(b, &line->cells[c], column_of(b, c), row);
  }
  return true;
}

/* The numbers of the columns that are shown alike (all of a pivot, one of a flat table) are shown exactly where all of
 * them are whole. Columns of numbers are flush right; of a pivot all columns are. */
static void finish_columns(const table_builder *b)
{
  const sb_table *grid = b->grid;
  bool            whole = true;
  for (size_t c = 0, first = b->stubs; c < grid->column_count; ++c) {
    size_t numbers = 0, words = 0;
    for (size_t r = 0; r < grid->row_count; ++r) {
      const sb_cell *cell = sb_table_cell(grid, r, c);
      numbers += cell->is_number;
      words += !cell->is_number && cell->text;
      if (c >= b->stubs && cell->is_number)
        whole = whole && fabs(cell->number) < 1e15 && cell->number == floor(cell->number);
    }
    grid->headings[c].numeric |= numbers > 0 && (c >= b->stubs || words == 0);
    if (c < b->stubs || (b->pivot && c + 1 < grid->column_count)) continue;
    for (; first <= c; ++first)
      for (size_t r = 0; whole && !column_of(b, c)->spec->format && r < grid->row_count; ++r) {
        char     text[SB_NUMBER_TEXT];
        sb_cell *cell = sb_table_cell(grid, r, first);
        if (cell->is_number) cell->text = sb_arena_copy(b->arena, sb_text_exact(cell->number, text));
      }
    whole = true;
  }
}

static bool same_group(const sb_table *grid, size_t a, size_t b)
{
  for (size_t s = 0; s + 1 < grid->stub_count; ++s)
    if (strcmp(sb_table_cell(grid, a, s)->csv, sb_table_cell(grid, b, s)->csv) != 0) return false;
  return true;
}

/* Marks times by the state of their cases, and counts them. If no build and machine has most of them, there is nothing
 * to mark, and the note has no sign. */
static void mark_times(table_builder *b)
{
  const sb_results *results = b->results;
  bool             *taken = sb_arena_take(b->arena, sb_rows_count(results->rows), sizeof *taken);
  for (size_t i = 0; i < b->timed_count; ++i)
    for (size_t k = 0; b->timed[i].cell->is_number && k < b->timed[i].count; ++k) taken[b->timed[i].rows[k]] = true;
  const sb_times times = sb_times_of(results, taken);
  for (size_t i = 0; i < b->timed_count; ++i) {
    const timed_cell *t = &b->timed[i];
    const unsigned    marks = t->cell->is_number ? sb_times_marks(&times, results, t->count, t->rows) : 0;
    if (marks & SB_TIME_NOISY) t->cell->marks |= SB_MARK_NOISY;
    if (marks & SB_TIME_OTHER) t->cell->marks |= SB_MARK_OTHER;
  }
  const sb_timing_notes told = sb_timing_notes_of(results, taken, false, b->arena);
  b->grid->means[2] = told.noise;
  b->grid->means[3] = told.origins;
  sb_table_add_note(b->grid, SB_NOTE_ASIDE, "Again:", told.again);
  b->torn = told.origins && !times.origin;
  if (b->torn) sb_table_add_note(b->grid, SB_NOTE_BELOW, "", sb_arena_format(b->arena, "%s.", told.origins));
}

static bool competes(const sb_cell *cell)
{
  return cell->is_number && !(cell->marks & (SB_MARK_FAILED | SB_MARK_OTHER));
}

/* How near to the best a number must be to be marked, too. Times without a noise floor: a noisy one is then nearer to
 * or farther from the others than anybody knows. */
typedef struct {
  double share;
  bool   by_quiet;  /* only a quiet number can be the best */
  bool  *undecided; /* whether some group has none for this reason */
} tie_rule;

/* Marks the best number of each group of lines, which have the same stubs but the last, and those nearer to it than
 * `tie`, where there are two at least. False where there is none. */
static bool mark_best(const table_builder *b, size_t c, tie_rule tie)
{
  const double sign = column_of(b, c)->spec->best == SB_BEST_LARGEST ? -1 : 1;
  bool         marked = false;
  for (size_t first = 0, end = 0; first < b->grid->row_count; first = end) {
    const sb_cell *best = NULL;
    size_t         numbers = 0;
    while (end < b->grid->row_count && same_group(b->grid, first, end)) {
      const sb_cell *cell = sb_table_cell(b->grid, end++, c);
      if (!competes(cell)) continue;
      if (!best || sign * cell->number < sign * best->number) best = cell;
      numbers++;
    }
    const bool undecided = numbers > 1 && tie.by_quiet && best->marks & SB_MARK_NOISY;
    *tie.undecided = *tie.undecided || undecided;
    const double limit = best ? sign * best->number + fabs(best->number) * tie.share : 0;
    for (size_t r = first; r < end && numbers > 1 && !undecided; ++r) {
      sb_cell *cell = sb_table_cell(b->grid, r, c);
      if (!competes(cell) || sign * cell->number > limit) continue;
      cell->marks |= SB_MARK_BEST;
      marked = true;
    }
  }
  return marked;
}

/* The meaning of bold: if it is the smallest in some columns and the largest in others, with their names. `under`: the
 * names of either, "" if there are none. */
static const char *meaning_of_best(const table_builder *b, const char *const under[2])
{
  const char *meaning = *under[0] ? "smallest" : "largest";
  if (!*under[0] && !*under[1]) return NULL;
  if (*under[0] && *under[1]) meaning = sb_arena_format(b->arena, "smallest (%s) or largest (%s)", under[0], under[1]);
  const unsigned marks = sb_table_marks(b->grid);
  const char    *apart = marks & SB_MARK_FAILED ? "cases that did not end ok" : "";
  if (marks & SB_MARK_OTHER) apart = sb_arena_join(b->arena, apart, " and ", "times of another build or machine");
  return sb_markdown_format(b->arena, "%-s of its column%-s, or indistinguishable from it{; %-s do not compete}",
                            meaning, b->stubs > 1 ? " and group" : "", apart);
}

/* Marks the best of columns. If the driver watched the machine, also writes how far times differ by chance. */
static void judge_columns(const table_builder *b)
{
  static const double   usual_tie = 0.02;
  const sb_noise_floor *floor = &b->results->floor;
  const bool            known = floor->timings > 0 && isfinite(floor->spread);
  const char           *under[2] = {"", ""};
  bool                  times = false, undecided = false;
  for (size_t c = b->stubs; c < b->grid->column_count; ++c) {
    const column *of = column_of(b, c);
    const char  **names = &under[of->spec->best == SB_BEST_LARGEST];
    times = times || of->times;
    if (!of->spec->best || (of->times && b->torn)) continue;
    const tie_rule tie = {known && of->times ? floor->spread : usual_tie, !known, &undecided};
    if (!mark_best(b, c, tie)) continue;
    *names = sb_arena_join(b->arena, *names, ", ", "%s", b->grid->headings[c].name);
  }
  b->grid->means[0] = meaning_of_best(b, under);
  const char *none = b->results->quick ? "no noise floor: a quick run times each case once"
                                       : "no noise floor: no case was timed repeatedly during the sweep";
  if (times && sb_rows_column_find(b->results->rows, "noisy") != (size_t)-1)
    sb_table_add_note(b->grid, SB_NOTE_ASIDE, "Times:", floor->words ? floor->words : none);
  if (undecided)
    sb_table_add_note(b->grid, SB_NOTE_BELOW, "",
                      "Without a noise floor, no time is marked as the best where that time is noisy.");
}

/* ---- notes ---- */

/* Tells whether an expression chooses cases by another value of `name` than `shared`, as step_median_s[method=newton]
 * does where the rows' method is another. method=method chooses none. */
static bool chooses_another(const char *text, const char *name, const char *shared)
{
  const size_t length = strlen(name);
  for (const char *at = text; (at = strstr(at, name)); at += length) {
    const char  *chosen = at + length + 1;
    const size_t end = at[length] == '=' ? strcspn(chosen, ",])") : 0;
    if (at == text || !strchr("[, ", at[-1]) || at[length] != '=' || *chosen == '=') continue;
    if (strncmp(chosen, shared, end) == 0 && shared[end] == '\0') continue;
    if (strncmp(chosen, name, end) != 0 || name[end] != '\0') return true;
  }
  return false;
}

/* Tells whether all cases have one value of `name`, those included that a column shows beside those of the rows. */
static bool is_constant(const table_builder *b, const char *name)
{
  const sb_value value = value_at(b, b->order[0], name);
  const char    *shared = sb_value_text(b->arena, value);
  if (is_axis(b->spec, name) || strcmp(name, "driver") == 0) return false;
  for (size_t i = 1; i < b->count; ++i)
    if (!sb_value_same(value, value_at(b, b->order[i], name))) return false;
  for (size_t i = 0; i < (b->pivot ? 1 : b->spec->column_count); ++i)
    if (chooses_another(b->columns[i].text, name, shared)) return false;
  return *shared != '\0';
}

/* True if the file of single springs has the column `stiffness`, or cannot be read here. */
static bool has_stiffnesses(const table_builder *b, const sb_options *options)
{
  sb_number_column                                 known[SB_COLUMNS_MAX];
  const size_t                                     columns = sb_law_columns(options, known);
  sb_number_table                                  table = {0};
  SB_ENDED_BY(sb_results_leave_inputs) const char *before = sb_results_enter_inputs(b->results);
  const bool read = sb_number_table_read(SB_TEXT(options, spring_data), known, columns, (sb_location){0}, NULL, &table);
  const bool has = !read || table.has[SB_SPRING_STIFFNESS];
  sb_number_table_clear(&table);
  return has;
}

/* True if a file gives some vertex or spring of a case another mass or stiffness than the option does. */
static bool is_overruled(const table_builder *b, const char *name)
{
  const sb_plan     *plan = b->results->plan;
  const sb_option_id id = sb_option_find(name);
  const unsigned     traits = id == SB_OPT_COUNT ? 0 : sb_option_at(id)->traits;
  const bool         is_mass = traits & SB_STATES_MASSES;
  const char        *before = "";
  if (!plan || !(traits & (SB_STATES_MASSES | SB_STATES_STIFFNESSES))) return false;
  for (size_t i = 0; i < b->count; ++i) {
    const sb_options *options = plan->cases[b->order[i]].options;
    const char       *springs = SB_TEXT(options, spring_data);
    if (is_mass && (*SB_TEXT(options, vertex_data) || SB_INTEGER(options, mesh_mass) > 0)) return true;
    if (!is_mass && *springs && strcmp(springs, before) != 0 && has_stiffnesses(b, options)) return true;
    before = springs;
  }
  return false;
}

/* A word in the place of a number, such as auto, has none. */
static const char *unit_of(const table_builder *b, const char *name, sb_value value)
{
  const sb_option_id id = sb_option_find(name);
  const bool         word = value.kind == SB_WORD && id != SB_OPT_COUNT && sb_option_takes_word(id);
  return word ? "" : sb_report_unit(b->results, name);
}

/* The settings that all cases of the table share and that no axis, column or file overrules, so that the caption can
 * give them once: "scene = rope, nodes = 16", in the words of the rows. Settings of the sweep come first, then defaults
 * that the cases read and that affect the numbers: quantities, then names of methods. */
static const char *constants(const table_builder *b)
{
  enum { DIGITS = 6 }; /* enough to read: 1/30 is 0.0333333 */
  sb_names    names = sb_report_settings(b->results->sweep, SB_SET_BY_ANY);
  const char *text = "";
  for (int is_name = 0; is_name < 2 && b->count > 0; ++is_name)
    for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id)
      if (sb_option_at(id)->traits & SB_IN_CAPTIONS && is_name == (sb_option_at(id)->kind == SB_KIND_NAME) &&
          sb_report_depends_on(b->results, b->order[0], id))
        sb_names_add(b->results->sweep->arena, &names, sb_option_at(id)->name);
  for (size_t i = 0; b->count > 0 && i < names.count; ++i) {
    const char *name = names.names[i];
    if (!is_constant(b, name) || is_overruled(b, name)) continue;
    const sb_value value = value_at(b, b->order[0], name);
    const char    *unit = unit_of(b, name, value);
    text = sb_arena_join(b->arena, text, ", ", "%s = %s%s%s", sb_spelled_axis(b->arena, b->results->sweep, name),
                         sb_spelled_short(b->arena, b->results->sweep, name, value, DIGITS), *unit ? " " : "", unit);
  }
  return text;
}

/* "MUMPS in 2 of 6 cases, instead of panel": cases that another library solved than the code that they name. */
static const char *solved_by(const table_builder *b)
{
  const char *named = "", *used = NULL;
  size_t      cases = 0;
  for (size_t i = 0; i < b->count; ++i) {
    const sb_value library = value_at(b, b->order[i], "linear_used");
    const char    *linear = sb_report_word(b->results, b->order[i], "linear");
    if (library.kind != SB_WORD || strcmp(linear, "petsc") == 0) continue;
    used = library.word;
    cases++;
    if (!strstr(named, linear)) named = sb_arena_join(b->arena, named, ", ", "%s", linear);
  }
  return used ? sb_arena_format(b->arena, "%s in %zu of %zu cases, instead of %s", used, cases, b->count, named) : NULL;
}

sb_table *sb_sweep_table(const sb_results *results, const sb_table_spec *spec, sb_arena *arena,
                         sb_diagnostics *diagnostics)
{
  sb_table     *grid = sb_table_create(arena);
  table_builder b = {.results = results, .spec = spec, .arena = arena, .pivot = spec->column_axis, .grid = grid};
  char          reason[SB_ERROR_SIZE];
  b.scope = sb_results_scope(results, results->session.arena);
  b.scope.arena = arena;
  const bool *selected = sb_expression_select(spec->where, &b.scope, diagnostics);
  if (!selected) return NULL;
  find_axes(&b, false, 0);
  if (!sort_rows(&b, selected) && !spec->over_axis) {
    find_axes(&b, true, SB_SET_BY_BLOCK | SB_SET_BY_AXIS | SB_SET_BY_METHOD);
    if (!sort_rows(&b, selected) && *sb_request_options(results->sweep, arena)) {
      find_axes(&b, true, SB_SET_BY_METHOD); /* the request has made cases of different blocks alike in the axes */
      sort_rows(&b, selected);
    }
  }
  grid->id = sb_arena_format(arena, "%s:%s", results->sweep->name, spec->id); /* unique among tables of many sweeps */
  grid->stub_count = b.stubs;
  grid->empty = results->quick ? "A quick run has no case of this table; the whole sweep has." : "No case matches.";
  add_columns(&b);
  b.evidence = sb_evidence_begin(sb_rows_count(results->rows), arena);
  sb_evidence_follow(&b.evidence, &b.scope);
  b.reasons = sb_diagnostics_create();
  const bool filled = fill_lines(&b, diagnostics);
  sb_diagnostics_reason(b.reasons, reason, sizeof reason);
  sb_diagnostics_destroy(&b.reasons);
  if (!filled) return NULL;
  finish_columns(&b);
  if (b.failed)
    grid->means[1] = sb_arena_format(arena, "for a case that did not end ok: %s", sb_spelled_endings(arena, b.failed));
  mark_times(&b);
  sb_table_add_note(grid, SB_NOTE_TITLE, "", sb_results_text(results, spec->title));
  sb_table_add_note(grid, SB_NOTE_ABOVE, "", results->sweep->question);
  sb_table_add_note(grid, SB_NOTE_BELOW, "n/a:", reason);
  if (b.intervals)
    sb_table_add_note(grid, SB_NOTE_BELOW, "±:", "95 % interval of the median, in brackets if it is wide");
  const char *uncounted = sb_names_join(arena, &b.uncounted, ", ", b.uncounted.count);
  sb_table_add_note(grid, SB_NOTE_BELOW, "Not counted:", sb_markdown_format(arena, "{operations of %-s}", uncounted));
  const char *in_python = sb_names_join(arena, &b.in_python, ", ", b.in_python.count);
  sb_table_add_note(grid, SB_NOTE_BELOW, "In Python:", sb_markdown_format(arena, "{times of %-s}", in_python));
  judge_columns(&b);
  sb_table_add_note(grid, SB_NOTE_BELOW, "Constant:", constants(&b));
  sb_table_add_note(grid, SB_NOTE_BELOW, "Solved by:", solved_by(&b));
  sb_table_add_note(grid, SB_NOTE_BELOW, "Device:", sb_devices_note(results, selected, arena));
  sb_table_add_note(grid, SB_NOTE_BELOW, "Changed since:", sb_results_changed_inputs(results));
  sb_table_add_note(grid, SB_NOTE_BELOW, "Source:", results->sweep->source);
  sb_table_add_note(grid, SB_NOTE_BELOW, "", sb_results_text(results, spec->note));
  return grid;
}

bool sb_sweep_tables_write(const sb_results *results, sb_diagnostics *diagnostics)
{
  static const char *const suffixes[] = {".txt", ".md", ".csv", ".tex"};
  bool                     all = true;
  for (size_t t = 0; t < results->sweep->table_count; ++t) {
    SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
    const sb_table *table = sb_sweep_table(results, &results->sweep->tables[t], arena, diagnostics);
    bool            done = table != NULL;
    for (sb_table_form form = SB_TABLE_TEXT; done && form <= SB_TABLE_LATEX; ++form) {
      SB_OWNED char  *path = sb_report_path(results->directory, "tables", results->sweep->tables[t].id, suffixes[form]);
      sb_arena_writer text;
      sb_table_print(table, form, sb_arena_write(&text, arena));
      const char *said = sb_arena_text(&text);
      done = path && sb_report_write(path, said);
    }
    all = all && done;
  }
  return all;
}
