/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of values in figures, and the numbers of their looks.
 *
 * Series, panels and bars are distinguished by their values. Names are for readers: a number has as many digits as
 * distinguish it from the other values of its column, and a value whose words are those of another is added to them.
 * The number of a look is the place of the value in the sweep file, so that it does not depend on the cases that a
 * results directory has, nor on the cases that a figure shows. */
#include <stdlib.h>
#include <string.h>

#include "base/order_statistics.h"
#include "harness/report/figure_kind.h"
#include "harness/report/figure_names.h"
#include "harness/report/report_text.h"

enum { LEAST_DIGITS = 4, MOST_DIGITS = 17 };

/* The values of a column in some rows, by their texts, and their names. */
struct sb_figure_naming {
  const sb_rows *rows;
  const char    *column;
  int            digits;
  sb_names       texts;
  const char   **names; /* [texts.count] */
};

/* ---- names of values ---- */

static const char *spelled(const sb_figure *f, const char *column, sb_value value, int digits)
{
  return sb_spelled_short(f->arena, f->results->sweep, column, value, digits);
}

/* The least digits with which no two of the numbers among the values have one name. */
static int digits_apart(const sb_figure *f, const char *column, size_t count, const sb_value *values)
{
  double *numbers = sb_arena_take(f->arena, count, sizeof *numbers);
  size_t  found = 0;
  int     digits = LEAST_DIGITS;
  for (size_t i = 0; i < count; ++i)
    if (values[i].kind == SB_NUMBER) numbers[found++] = values[i].number;
  sb_sort(numbers, found);
  for (size_t i = 1; i < found; ++i) {
    const sb_value a = {.kind = SB_NUMBER, .number = numbers[i - 1]}, b = {.kind = SB_NUMBER, .number = numbers[i]};
    while (digits < MOST_DIGITS && strcmp(spelled(f, column, a, digits), spelled(f, column, b, digits)) == 0) ++digits;
  }
  return digits;
}

static int by_name(const void *a, const void *b) { return strcmp(**(const char ***)a, **(const char ***)b); }

/* Names the values; values of equal words are distinguished by themselves. */
static void name_values(const sb_figure *f, struct sb_figure_naming *n, const sb_value *values)
{
  const size_t  count = n->texts.count;
  const char ***order = sb_arena_take(f->arena, count, sizeof *order);
  n->digits = digits_apart(f, n->column, count, values);
  n->names = sb_arena_take(f->arena, count, sizeof *n->names);
  for (size_t i = 0; i < count; ++i) {
    n->names[i] = spelled(f, n->column, values[i], n->digits);
    order[i] = &n->names[i];
  }
  qsort(order, count, sizeof *order, by_name);
  for (size_t i = 0, end; i < count; i = end) {
    const char *shared = *order[i];
    for (end = i + 1; end < count && strcmp(*order[end], shared) == 0;) ++end;
    for (size_t k = i; k < end && end - i > 1; ++k)
      *order[k] = sb_arena_format(f->arena, "%s (%s)", shared, n->texts.names[order[k] - n->names]);
  }
}

const char **sb_figure_labels(const sb_figure *f, const char *column, const sb_names *texts)
{
  struct sb_figure_naming n = {.column = column, .texts = *texts};
  sb_value               *values = sb_arena_take(f->arena, texts->count, sizeof *values);
  for (size_t i = 0; i < texts->count; ++i) {
    values[i] = (sb_value){.kind = SB_WORD, .word = texts->names[i]};
    if (sb_parse_real(texts->names[i], &values[i].number)) values[i].kind = SB_NUMBER;
  }
  name_values(f, &n, values);
  return n.names;
}

/* Computed at the first request for a column. */
static const struct sb_figure_naming *naming_of(sb_figure *f, const sb_rows *rows, const char *column)
{
  for (size_t i = 0; i < f->naming_count; ++i)
    if (f->namings[i].rows == rows && strcmp(f->namings[i].column, column) == 0) return &f->namings[i];
  struct sb_figure_naming *n = SB_NEW_ITEM(f->arena, f->namings, f->naming_count);
  sb_value                *values = sb_arena_take(f->arena, sb_rows_count(rows), sizeof *values);
  *n = (struct sb_figure_naming){.rows = rows, .column = column};
  for (size_t row = 0; row < sb_rows_count(rows); ++row) {
    const sb_value value = sb_rows_get_named(rows, row, column);
    if (value.kind != SB_BLANK) values[sb_names_add(f->arena, &n->texts, sb_value_text(f->arena, value))] = value;
  }
  name_values(f, n, values);
  return n;
}

/* The name of the value that a column has in a row. Two values of the column never have one name. */
static const char *words_of(sb_figure *f, const sb_rows *rows, size_t row, const char *column)
{
  const sb_value                 value = sb_rows_get_named(rows, row, column);
  const struct sb_figure_naming *n = naming_of(f, rows, column);
  const size_t                   place = sb_names_find(&n->texts, sb_value_text(f->arena, value));
  /* numbers of points come later */
  return place != (size_t)-1 ? n->names[place] : spelled(f, column, value, n->digits);
}

const char *sb_figure_named_value(sb_figure *f, const sb_rows *rows, size_t row, const char *column)
{
  const sb_sweep *sweep = f->results->sweep;
  const sb_value  value = sb_rows_get_named(rows, row, column);
  const char     *words = words_of(f, rows, row, column), *unit = sb_report_unit(f->results, column);
  double          number = 0;
  if (value.kind == SB_BLANK) return sb_arena_format(f->arena, "no %s", sb_spelled_axis(f->arena, sweep, column));
  if (value.kind != SB_NUMBER || !sb_parse_real(words, &number)) return words;
  const char *text = sb_value_text(f->arena, value);
  if (strcmp(sb_spelled_value(f->arena, sweep, column, text), text) != 0) unit = "";
  return sb_arena_format(f->arena, "%s = %s%s%s", sb_spelled_axis(f->arena, sweep, column), words, *unit ? " " : "",
                         unit);
}

const char *sb_figure_expand(sb_figure *f, const sb_rows *rows, size_t row, const char *text)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, f->arena);
  for (; *text; ++text) {
    const size_t length = *text == '{' ? strcspn(text + 1, "}") : 0;
    const char  *name = length ? sb_arena_copy_span(f->arena, text + 1, length) : "";
    if (*name && sb_rows_column_find(rows, name) != (size_t)-1) {
      fputs(words_of(f, rows, row, name), stream);
      text += length + 1;
    } else
      fputc(*text, stream);
  }
  return sb_arena_text(&writer);
}

const char *sb_figure_series_name(sb_figure *f, const sb_rows *rows, size_t row, const sb_figure_layer *layer)
{
  const char *name = "";
  for (size_t i = 0; i < layer->series_count; ++i)
    name = sb_arena_join(f->arena, name, ", ", "%s", words_of(f, rows, row, layer->series[i]));
  return name;
}

/* ---- identities and looks ---- */

static const char *joined(sb_arena *arena, const char *before, size_t i, sb_value value)
{
  const char *text = sb_value_text(arena, value);
  return i > 0 ? sb_arena_format(arena, "%s\n%s", before, text) : text;
}

const char *sb_figure_identity(const sb_figure *f, const sb_rows *rows, size_t row, char *const *names, size_t count)
{
  const char *identity = "";
  for (size_t i = 0; i < count; ++i) identity = joined(f->arena, identity, i, sb_rows_get_named(rows, row, names[i]));
  return identity;
}

/* A case that does not read the only axis has no value of it, and so no place. */
static void add_look(sb_figure *f, const char *identity, size_t axes)
{
  if (axes != 1 || *identity) sb_names_add(f->arena, &f->looks, identity);
}

/* The values of these names in the cases of a plan; none if a name is neither an option nor `method`. */
static void add_planned(sb_figure *f, const sb_plan *plan, char *const *names, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (strcmp(names[i], "method") != 0 && sb_option_find(names[i]) == sb_option_count) return;
  for (size_t k = 0; plan && k < plan->count; ++k) {
    const char *identity = "";
    for (size_t i = 0; i < count; ++i)
      identity = joined(f->arena, identity, i, sb_case_value(&plan->cases[k], names[i]));
    add_look(f, identity, count);
  }
}

/* Adds the looks of a layer, of the sweep's own cases or of those here. Its series are distinguished by their axes,
 * marks on a map by the value that they show. */
static void add_layer(sb_figure *f, const sb_figure_layer *layer, bool own, bool by_value)
{
  const sb_plan *made = sb_results_made_plan(f->results);
  char *const    shown = by_value ? sb_arena_copy(f->arena, sb_expression_text(layer->value)) : NULL;
  char *const   *names = by_value ? &shown : layer->series;
  const size_t   count = by_value ? 1 : layer->series_count;
  if (count == 0) sb_names_add(f->arena, &f->looks, layer->label ? layer->label : "");
  if (own && count > 0) add_planned(f, made ? made : f->results->plan, names, count);
  for (size_t row = 0; row < sb_rows_count(f->rows) && !own && count > 0; ++row)
    add_look(f, sb_figure_identity(f, f->rows, row, names, count), count);
}

size_t sb_figure_look(const sb_figure_series *series)
{
  return series->style > 0 ? (series->style - 1) % SB_LOOKS + 1 : 0;
}

void sb_figure_part_looks(sb_figure *f)
{
  const char **takers = sb_arena_take(f->arena, SB_LOOKS, sizeof *takers);
  SB_EACH_SERIES (f, view, s) {
    if (s->rank == 0) continue;
    const char *identity = f->drawn.names[s->rank - 1];
    size_t      look = sb_figure_look(s) - 1, tried = 0;
    for (; takers[look] && strcmp(takers[look], identity) != 0 && tried < SB_LOOKS; ++tried)
      look = (look + 1) % SB_LOOKS;
    takers[look] = identity;
    s->style = look + 1;
  }
}

void sb_figure_settle_looks(sb_figure *f)
{
  const sb_figure_panel *panels = f->spec->panel_count > 0 ? f->spec->panels : &f->spec->all;
  for (int pass = 0; pass < 2; ++pass) /* those of the sweep, then those that only these results have */
    for (size_t k = 0; k == 0 || k < f->spec->panel_count; ++k)
      for (size_t i = 0; i < panels[k].layer_count; ++i) {
        const sb_figure_layer *layer = &panels[k].layers[i];
        const bool             by_value = sb_figure_shows_value(f, layer);
        if (layer->published || layer->reference) continue;
        for (int n = 0; by_value && !layer->value && n <= SB_STATUS_COUNT; ++n) /* an ending looks alike in all maps */
          sb_names_add(f->arena, &f->looks, sb_spelled_endings(f->arena, 1U << n));
        if (!by_value || layer->value) add_layer(f, layer, pass == 0, by_value);
      }
}
