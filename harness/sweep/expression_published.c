/* published(file, column, key = value, …): a cell of a published table. Numbers are compared as numbers. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"

/* The file's name: messages go into tables, where a path has no place. */
static const char *name_of(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

static bool find_column(const sb_published_table *table, const char *name, size_t *column, char *error)
{
  *column = sb_published_column(table, name);
  if (*column != (size_t)-1) return true;
  const char *near = table->rows > 0 ? sb_nearest_name(name, (const char *const *)table->cells, table->columns) : NULL;
  if (!near) return sb_expression_fail(error, "%.120s has no column '%.64s'", name_of(table->path), name);
  return sb_expression_fail(error, "%.120s has no column '%.64s'; did you mean '%.32s'?", name_of(table->path), name,
                            near);
}

static sb_value cell_value(const char *cell)
{
  double number = 0;
  if (*cell == '\0') return (sb_value){.kind = SB_BLANK};
  if (sb_parse_real(cell, &number)) return (sb_value){.kind = SB_NUMBER, .number = number};
  return (sb_value){.kind = SB_WORD, .word = cell};
}

static bool same(sb_value cell, sb_value wanted)
{
  if (cell.kind == SB_NUMBER && wanted.kind == SB_NUMBER)
    return !(cell.number < wanted.number) && !(cell.number > wanted.number);
  return cell.kind == SB_WORD && wanted.kind == SB_WORD && strcmp(cell.word, wanted.word) == 0;
}

static bool row_matches(const sb_published_table *table, size_t row, const size_t *columns, const sb_value *values,
                        size_t count)
{
  for (size_t k = 0; k < count; ++k)
    if (!same(cell_value(table->cells[row * table->columns + columns[k]]), values[k])) return false;
  return true;
}

static bool find_cell(const sb_node *node, const size_t *columns, const sb_value *values, sb_value *cell, char *error)
{
  const sb_published_table *table = node->table;
  size_t                    column = 0, found = 0;
  if (!find_column(table, node->word, &column, error)) return false;
  for (size_t row = 1; row < table->rows; ++row) {
    if (!row_matches(table, row, columns, values, node->count)) continue;
    *cell = cell_value(table->cells[row * table->columns + column]);
    ++found;
  }
  if (found == 1) return true;
  return sb_expression_fail(error, "%s of %.160s %s these values", found ? "several rows" : "no row",
                            name_of(table->path), found ? "have" : "has");
}

static void end_table(void *object)
{
  sb_published_table *table = object;
  sb_published_destroy(&table);
}

static void read_table(sb_arena *arena, sb_node *node, const char *folder, char *error)
{
  if (node->table) return;
  node->table = sb_published_read(folder, node->file, error);
  if (node->table) sb_arena_defer(arena, end_table, node->table);
}

bool sb_published_cell(sb_arena *arena, sb_node *node, const char *folder, const sb_value *values, sb_value *cell,
                       char *error)
{
  if (!folder) return sb_expression_fail(error, "there are no published tables here");
  read_table(arena, node, folder, error);
  if (!node->table) return false;
  size_t *columns = sb_allocate(node->count, sizeof *columns);
  bool    good = true;
  for (size_t k = 0; good && k < node->count; ++k) good = find_column(node->table, node->keys[k], &columns[k], error);
  good = good && find_cell(node, columns, values, cell, error);
  free(columns);
  return good;
}

static void check_node(const sb_expression *e, sb_node *node, const char *folder, sb_diagnostics *diagnostics)
{
  char   error[256] = "";
  size_t column = 0;
  for (size_t i = 0; i < node->count; ++i) check_node(e, node->parts[i], folder, diagnostics);
  if (node->kind != SB_NODE_PUBLISHED) return;
  const sb_location where = e->whole ? e->where : sb_expression_shift(e->where, e->text, node->begin);
  read_table(e->arena, node, folder, error);
  if (!node->table) {
    sb_error_at(diagnostics, where, "E100", "there is no published table '%s': %s", node->file, error);
    return;
  }
  bool good = find_column(node->table, node->word, &column, error);
  for (size_t k = 0; good && k < node->count; ++k) good = find_column(node->table, node->keys[k], &column, error);
  if (!good) sb_error_at(diagnostics, where, "E101", "%s", error);
}

void sb_expression_check_published(const sb_expression *expression, const char *folder, sb_diagnostics *diagnostics)
{
  if (expression) check_node(expression, expression->root, folder, diagnostics);
}
