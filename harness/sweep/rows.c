/* Results in memory, stored column by column; see rows.h. */
#include "harness/sweep/rows.h"

#include <string.h>

#include "base/number.h"

const sb_common_column sb_common_columns[SB_COMMON_COUNT] = {
    {"key", "", SB_MAY_BE_WORD},          {"status", "", SB_MAY_BE_WORD},    {"reason", "", SB_MAY_BE_WORD},
    {"accuracy_ok", "", SB_MAY_BE_TRUTH}, {"wall_s", "s", SB_MAY_BE_NUMBER}, {"max_rss_bytes", "B", SB_MAY_BE_NUMBER},
    {"digest", "", SB_MAY_BE_WORD},       {"command", "", SB_MAY_BE_WORD},
};

bool sb_rows_column_is_time(const sb_rows_column *column)
{
  return column->is_timing && strcmp(column->unit, "s") == 0;
}

typedef struct {
  sb_rows_column head;
  size_t         count; /* cells written or passed over; those of the rows behind them are absent */
  sb_value      *cells;
} column;

struct sb_rows {
  sb_arena *arena;
  size_t    count, column_count;
  column   *columns;
};

sb_rows *sb_rows_create(sb_arena *arena)
{
  sb_rows *rows = sb_arena_take(arena, 1, sizeof *rows);
  rows->arena = arena;
  return rows;
}

size_t sb_rows_add_column(sb_rows *rows, const char *name, const char *unit, bool is_option, bool is_timing)
{
  const size_t found = sb_rows_column_find(rows, name);
  if (found != (size_t)-1) return found;
  rows->columns = sb_arena_grow(rows->arena, rows->columns, rows->column_count, sizeof *rows->columns);
  rows->columns[rows->column_count].head = (sb_rows_column){.name = sb_arena_copy(rows->arena, name),
                                                            .unit = sb_arena_copy(rows->arena, unit),
                                                            .is_option = is_option,
                                                            .is_timing = is_timing};
  return rows->column_count++;
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

size_t sb_rows_add_row(sb_rows *rows) { return rows->count++; }

void sb_rows_set(sb_rows *rows, size_t row, size_t column_number, sb_value value)
{
  column *c = &rows->columns[column_number];
  while (c->count <= row) {
    c->cells = sb_arena_grow(rows->arena, c->cells, c->count, sizeof *c->cells);
    c->cells[c->count++] = c->head.absent;
  }
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

size_t sb_rows_column_find(const sb_rows *rows, const char *name)
{
  for (size_t j = 0; j < rows->column_count; ++j)
    if (strcmp(rows->columns[j].head.name, name) == 0) return j;
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
