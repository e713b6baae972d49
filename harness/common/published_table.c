/* Published tables; see published_table.h. */
#include "harness/common/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

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
  snprintf(error, 256, "cannot read %.160s: %s", path, file ? "it is empty" : strerror(errno));
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

sb_published_table *sb_published_read(const char *folder, const char *name, char *error)
{
  char *path = sb_format("%s/%s.csv", folder, name);
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

size_t sb_published_column(const sb_published_table *table, const char *name)
{
  for (size_t column = 0; table->rows > 0 && column < table->columns; ++column)
    if (strcmp(table->cells[column], name) == 0) return column;
  return (size_t)-1;
}

const char *sb_published_text(const sb_published_table *table, size_t row, const char *column)
{
  const size_t number = sb_published_column(table, column);
  return number == (size_t)-1 || row >= table->rows ? "" : table->cells[row * table->columns + number];
}
