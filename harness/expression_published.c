/* published(file, column, key = value, …): a cell of a csv file with a header line. Lines that start with '#' are
 * comments; cells may be quoted, a doubled quote inside stands for one. Numbers are compared as numbers. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/allocate.h"
#include "harness/expression_tree.h"

/* The file's name: messages go into tables, where a path has no place. */
static const char *name_of(const char *path) { return strrchr(path, '/') ? strrchr(path, '/') + 1 : path; }

struct sb_published_table {
  char  *path, *text, *end; /* the cells stand in text, missing ones at its end */
  size_t columns, rows;     /* the header is row 0 */
  char **cells;
};

void sb_published_destroy(sb_published_table **table)
{
  if (!*table) return;
  free((*table)->path);
  free((*table)->text);
  free((*table)->cells);
  free(*table);
  *table = NULL;
}

static char *read_text(const char *path, char *error)
{
  FILE   *file = fopen(path, "re");
  char   *text = NULL;
  size_t  capacity = 0;
  ssize_t length = 0;
  if (file) {
    length = getdelim(&text, &capacity, '\0', file);
    fclose(file);
  }
  if (length > 0) return text;
  free(text);
  sb_expression_fail(error, "cannot read %.160s: %s", path, file ? "it is empty" : strerror(errno));
  return NULL;
}

/* Cuts one cell off *rest, unquoting it in place. *ends says whether it was the last of its line. */
static char *take_cell(char **rest, bool *ends)
{
  char      *from = *rest, *to = *rest, *cell = *rest;
  const bool quoted = *from == '"';
  if (quoted) ++from;
  while (*from && (quoted || !strchr(",\r\n", *from))) {
    if (quoted && *from == '"' && *++from != '"') break;
    *to++ = *from++;
  }
  from += strcspn(from, ",\n");
  *ends = *from != ',';
  *rest = *from ? from + 1 : from;
  *to = '\0';
  return cell;
}

static void take_line(sb_published_table *table, char **rest)
{
  bool   ends = false;
  size_t count = 0, total = table->columns * table->rows;
  while (!ends) {
    char *cell = take_cell(rest, &ends);
    if (table->rows > 0 && count == table->columns) continue; /* more cells than the header has */
    table->cells = sb_grow(table->cells, total, sizeof *table->cells);
    table->cells[total++] = cell;
    ++count;
  }
  if (table->rows == 0) table->columns = count;
  for (; count < table->columns; ++count) {
    table->cells = sb_grow(table->cells, total, sizeof *table->cells);
    table->cells[total++] = table->end;
  }
  table->rows++;
}

static sb_published_table *read_table(const char *folder, const char *name, char *error)
{
  char *path = NULL;
  if (asprintf(&path, "%s/%s.csv", folder, name) < 0) return NULL;
  char *text = read_text(path, error);
  if (!text) {
    free(path);
    return NULL;
  }
  sb_published_table *table = sb_allocate(1, sizeof *table);
  table->path = path;
  table->text = text;
  table->end = text + strlen(text);
  for (char *rest = text; *rest;) {
    const bool ignored = *rest == '#' || *rest == '\n' || *rest == '\r';
    if (ignored)
      rest += strcspn(rest, "\n") + (rest[strcspn(rest, "\n")] == '\n');
    else
      take_line(table, &rest);
  }
  return table;
}

static bool find_column(const sb_published_table *table, const char *name, size_t *column, char *error)
{
  for (*column = 0; table->rows > 0 && *column < table->columns; ++*column)
    if (strcmp(table->cells[*column], name) == 0) return true;
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

bool sb_published_cell(sb_node *node, const char *folder, const sb_value *values, sb_value *cell, char *error)
{
  if (!folder) return sb_expression_fail(error, "there are no published tables here");
  if (!node->table) node->table = read_table(folder, node->file, error);
  if (!node->table) return false;
  size_t *columns = sb_allocate(node->count, sizeof *columns);
  bool    good = true;
  for (size_t k = 0; good && k < node->count; ++k) good = find_column(node->table, node->keys[k], &columns[k], error);
  good = good && find_cell(node, columns, values, cell, error);
  free(columns);
  return good;
}
