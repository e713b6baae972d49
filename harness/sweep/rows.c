/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results in memory, stored column by column; see rows.h. */
#include "harness/sweep/rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

bool sb_rows_column_is_time(const sb_rows_column *column)
{
  const char *unit = column->unit;
  return column->is_timing && (strcmp(unit, "s") == 0 || strcmp(unit, "1/s") == 0 || strcmp(unit, "B/s") == 0);
}

typedef struct {
  sb_rows_column head;
  size_t         count; /* cells written or passed over; those of later rows are absent */
  size_t         room;
  sb_value      *cells;
  unsigned       kinds; /* 1 << kind of each cell that was ever written or skipped */
} column;

/* Rows sorted by their values in some columns; rows with equal values stay in their order. */
typedef struct row_index {
  struct row_index *next;
  const sb_rows    *table;
  size_t            version; /* version of the table that it was made from */
  size_t            column_count, count;
  size_t           *columns, *rows;
} row_index;

struct sb_rows {
  sb_arena   *arena;
  size_t      count, column_count;
  size_t      expected; /* expected number of rows; 0: unknown */
  column     *columns;
  size_t      version;     /* changes with every cell and row */
  row_index **first_index; /* made on demand */
};

sb_rows *sb_rows_create(sb_arena *arena)
{
  sb_rows *rows = sb_arena_take(arena, 1, sizeof *rows);
  rows->arena = arena;
  rows->first_index = sb_arena_take(arena, 1, sizeof(row_index *));
  return rows;
}

size_t sb_rows_add_column(sb_rows *rows, const char *name, const char *unit, bool is_option, bool is_timing)
{
  const size_t found = sb_rows_column_find(rows, name);
  if (found != (size_t)-1) return found;
  SB_NEW_ITEM(rows->arena, rows->columns, rows->column_count)->head =
      (sb_rows_column){.name = sb_arena_copy(rows->arena, name),
                       .unit = sb_arena_copy(rows->arena, unit),
                       .is_option = is_option,
                       .is_timing = is_timing};
  return rows->column_count - 1;
}

void sb_rows_add_unknown(sb_rows *rows, const char *name, unsigned may_be)
{
  const size_t number = sb_rows_add_column(rows, name, "", false, false);
  rows->columns[number].head.absent = (sb_value){.kind = SB_UNKNOWN, .may_be = may_be};
}

sb_rows *sb_rows_of_table(const sb_published_table *table, sb_arena *arena)
{
  sb_rows *rows = sb_rows_create(arena);
  for (size_t i = 1; i < table->rows; ++i) sb_rows_add_row(rows);
  for (size_t j = 0; j < table->columns; ++j) {
    const size_t number = sb_rows_add_column(rows, table->cells[j], "", false, false);
    for (size_t i = 1; i < table->rows && sb_published_column(table, table->cells[j]) == j; ++i) {
      sb_value cell = {.kind = SB_WORD, .word = table->cells[i * table->columns + j]};
      if (sb_parse_real(cell.word, &cell.number)) cell.kind = SB_NUMBER;
      if (*cell.word) sb_rows_set(rows, i - 1, number, cell);
    }
  }
  return rows;
}

size_t sb_rows_add_row(sb_rows *rows)
{
  rows->version++;
  return rows->count++;
}

void sb_rows_expect(sb_rows *rows, size_t count) { rows->expected = count; }

/* The arena does not free the old array when an array grows, so the memory that will be needed is taken at once. */
static void add_room(const sb_rows *rows, column *c)
{
  const size_t wanted = c->room > 0 ? 2 * c->room : 1;
  sb_value    *before = c->cells;
  c->room = wanted < rows->expected ? rows->expected : wanted;
  c->cells = sb_arena_take(rows->arena, c->room, sizeof *c->cells);
  if (c->count > 0) memcpy(c->cells, before, c->count * sizeof *before);
}

void sb_rows_set(sb_rows *rows, size_t row, size_t column_number, sb_value value)
{
  column *c = &rows->columns[column_number];
  while (c->count <= row) {
    if (c->count == c->room) add_room(rows, c);
    c->cells[c->count++] = c->head.absent;
    if (c->count <= row) c->kinds |= 1u << c->head.absent.kind;
  }
  rows->version++;
  c->kinds |= 1u << value.kind;
  sb_value *cell = &c->cells[row];
  if (value.kind == SB_WORD) {
    if (cell->kind == SB_WORD && strcmp(cell->word, value.word) == 0) return; /* a row that is filled again and again */
    value.word = sb_arena_copy(rows->arena, value.word);
  }
  *cell = value;
}

size_t sb_rows_count(const sb_rows *rows) { return rows->count; }

size_t sb_rows_column_count(const sb_rows *rows) { return rows->column_count; }

const sb_rows_column *sb_rows_column_at(const sb_rows *rows, size_t column_number)
{
  return &rows->columns[column_number].head;
}

/* Most names differ in the first letter, which needs no call. */
size_t sb_rows_column_find(const sb_rows *rows, const char *name)
{
  for (size_t j = 0; j < rows->column_count; ++j) {
    const char *other = rows->columns[j].head.name;
    if (*other == *name && strcmp(other, name) == 0) return j;
  }
  return (size_t)-1;
}

sb_value sb_rows_get(const sb_rows *rows, size_t row, size_t column_number)
{
  const column *c = &rows->columns[column_number];
  return row < c->count ? c->cells[row] : c->head.absent;
}

sb_value sb_rows_get_named(const sb_rows *rows, size_t row, const char *name)
{
  const size_t found = sb_rows_column_find(rows, name);
  return found == (size_t)-1 ? (sb_value){.kind = SB_BLANK} : sb_rows_get(rows, row, found);
}

unsigned sb_rows_kinds(const sb_rows *rows, size_t column_number)
{
  const column *c = &rows->columns[column_number];
  return c->kinds | (c->count < rows->count ? 1u << c->head.absent.kind : 0);
}

/* ---- rows by their values ---- */

const char *sb_value_word(sb_value value)
{
  return value.kind == SB_WORD ? value.word : value.kind == SB_TRUTH ? (value.truth ? "true" : "false") : NULL;
}

void sb_value_put(FILE *stream, sb_value value, bool exactly)
{
  char number[32];
  if (value.kind == SB_NUMBER && !exactly && !isnan(value.number))
    fprintf(stream, "%.4g", value.number);
  else
    fputs(value.kind == SB_NUMBER    ? sb_format_real(value.number, number)
          : value.kind == SB_BLANK   ? "(blank)"
          : value.kind == SB_UNKNOWN ? "?"
                                     : sb_value_word(value),
          stream);
}

int sb_value_order(sb_value a, sb_value b)
{
  const char *left = sb_value_word(a), *right = sb_value_word(b);
  if (left && right) return strcmp(left, right);
  if (left || right) return left ? 1 : -1;
  if (a.kind != b.kind) return a.kind > b.kind ? 1 : -1;
  return a.kind == SB_NUMBER ? (a.number > b.number) - (a.number < b.number) : 0;
}

/* Compares the values of a row in the columns of an index with given values, or with those of another row. */
static int compare_row(const row_index *by, size_t row, const sb_value *wanted, size_t other)
{
  int order = 0;
  for (size_t i = 0; i < by->column_count && order == 0; ++i)
    order = sb_value_order(sb_rows_get(by->table, row, by->columns[i]),
                           wanted ? wanted[i] : sb_rows_get(by->table, other, by->columns[i]));
  return order;
}

static int compare_rows(const void *a, const void *b, void *by)
{
  const size_t left = *(const size_t *)a, right = *(const size_t *)b;
  const int    order = compare_row(by, left, NULL, right);
  return order ? order : (left > right) - (left < right);
}

static const row_index *find_index(const sb_rows *rows, const size_t *columns, size_t count)
{
  const size_t bytes = count * sizeof *columns;
  row_index   *found = *rows->first_index;
  while (found && !(found->column_count == count && memcmp(found->columns, columns, bytes) == 0)) found = found->next;
  if (found && found->version == rows->version) return found;
  if (!found) {
    found = sb_arena_take(rows->arena, 1, sizeof *found);
    *found = (row_index){.next = *rows->first_index, .table = rows, .column_count = count};
    found->columns = sb_arena_take(rows->arena, count, sizeof *columns);
    memcpy(found->columns, columns, bytes);
    *rows->first_index = found;
  }
  if (found->count != rows->count || !found->rows)
    found->rows = sb_arena_take(rows->arena, rows->count, sizeof *found->rows);
  found->version = rows->version;
  found->count = rows->count;
  for (size_t i = 0; i < found->count; ++i) found->rows[i] = i;
  qsort_r(found->rows, found->count, sizeof *found->rows, compare_rows, found);
  return found;
}

const size_t *sb_rows_having(const sb_rows *rows, const size_t *columns, const sb_value *wanted, size_t count,
                             size_t *found)
{
  const row_index *by = find_index(rows, columns, count);
  size_t           ends[2]; /* the first row that is not below the wanted values, and the first above them */
  for (int above = 0; above < 2; ++above) {
    size_t low = above ? ends[0] : 0, high = by->count;
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (compare_row(by, by->rows[middle], wanted, 0) < above)
        low = middle + 1;
      else
        high = middle;
    }
    ends[above] = low;
  }
  *found = ends[1] - ends[0];
  return by->rows + ends[0];
}

const char *sb_rows_name(const sb_rows *rows, size_t row, const size_t *among, size_t count, sb_arena *arena)
{
  const char *name = "", *without = "";
  for (size_t k = 0; k < rows->column_count; ++k) {
    const sb_value value = sb_rows_get(rows, row, k);
    bool           differs = false;
    for (size_t i = 0; rows->columns[k].head.is_option && i < count && !differs; ++i)
      differs = !sb_value_same(value, sb_rows_get(rows, among[i], k));
    if (!differs) continue;
    if (value.kind == SB_BLANK)
      without = sb_arena_join(arena, without, " ", "without %s", rows->columns[k].head.name);
    else
      name = sb_arena_join(arena, name, " ", "%s=%s", rows->columns[k].head.name, sb_value_text(arena, value));
  }
  return *name ? name : without;
}
