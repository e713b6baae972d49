/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comma-separated values; see csv.h. */
#include "cases/common/csv.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "cases/common/durable.h"

void sb_csv_put(FILE *stream, const char *text)
{
  if (!text) return;
  const bool quoted = strpbrk(text, "\",\r\n") != NULL;
  if (quoted) fputc('"', stream);
  for (; *text; ++text) {
    if (*text == '"') fputc('"', stream);
    fputc(*text, stream);
  }
  if (quoted) fputc('"', stream);
}

/* Cuts one cell off *rest, unquoting it in place. *ends: it was the last of its line. */
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

sb_published_table *sb_published_read(sb_arena *arena, const char *folder, const char *name, char *error)
{
  size_t              size = 0;
  sb_published_table *table = sb_arena_take(arena, 1, sizeof *table);
  table->path = sb_arena_format(arena, "%s/%s.csv", folder, name);
  table->text = sb_arena_adopt(arena, sb_read_file(table->path, &size));
  if (size == 0) {
    snprintf(error, 256, "cannot read %.160s: %s", table->path, table->text ? "it is empty" : sb_cause(errno));
    return NULL;
  }
  table->end = table->text + strlen(table->text);
  size_t total = 0;
  for (char *rest = table->text; *rest;) {
    bool ends = false;
    if (strchr("#\n\r", *rest)) {
      rest += strcspn(rest, "\n");
      rest += *rest == '\n';
      continue;
    }
    /* Rows are as long as the header: missing cells point to the end of the text, extra ones are left out. */
    for (size_t count = 0; !ends || (table->rows > 0 && count < table->columns); ++count) {
      char *cell = ends ? table->end : take_cell(&rest, &ends);
      if (table->rows > 0 && count >= table->columns) continue;
      *SB_NEW_ITEM(arena, table->cells, total) = cell;
      if (table->rows == 0) table->columns++;
    }
    table->rows++;
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
