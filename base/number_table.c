/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers from CSV files; see number_table.h. RFC 4180 without line breaks inside fields. */
#include "base/number_table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/number.h"
#include "base/options.h"

enum { FILE_SIZE_MAX = 1 << 30, LINE_LENGTH_MAX = 1 << 16, WHOLE_BITS = 53 };

typedef struct {
  const char             *path;
  const sb_number_column *column;
  size_t                  columns, fields, capacity; /* fields of the header */
  int                     line;
  int                     place[SB_COLUMNS_MAX]; /* field of the file -> column asked for */
  sb_diagnostics         *diagnostics;
  sb_number_table        *table;
} reader;

static sb_location at(const reader *r, int column) { return (sb_location){r->path, r->line, column}; }

/* Returns the text of a field. *next is the text after its comma, NULL after the last field. Returns NULL after a
 * message: text after a closing quote would be lost. */
static char *cut_field(const reader *r, char *text, int column, char **next)
{
  while (*text == ' ' || *text == '\t') ++text;
  char *end = *text == '"' ? strchr(text + 1, '"') : NULL;
  if (end) *end++ = '\0';
  char *comma = strchr(end ? end : text, ',');
  *next = comma ? comma + 1 : NULL;
  if (comma) *comma = '\0';
  if (end && end[strspn(end, " \t")] != '\0') {
    sb_error_at(r->diagnostics, at(r, column), "E102", "text after a closing quote: '%s'", end);
    return NULL;
  }
  if (end) return text + 1;
  for (size_t n = strlen(text); n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t'); --n) text[n - 1] = '\0';
  return text;
}

/* Known column names, for messages; the caller frees it. */
static char *column_list(const reader *r)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t c = 0; c < r->columns; ++c) fprintf(stream, "%s%s", c > 0 ? ", " : "", r->column[c].name);
  return fclose(stream) == 0 ? text : NULL;
}

static bool unknown_column(const reader *r, const char *name, int column)
{
  const char *names[SB_COLUMNS_MAX];
  for (size_t c = 0; c < r->columns; ++c) names[c] = r->column[c].name;
  const char *near = sb_nearest_name(name, names, r->columns);
  char       *list = column_list(r);
  if (near)
    sb_error_at(r->diagnostics, at(r, column), "E101", "unknown column '%s'; did you mean '%s'?", name, near);
  else
    sb_error_at(r->diagnostics, at(r, column), "E101", "unknown column '%s'; the columns are %s, separated by commas",
                name, list ? list : "others");
  free(list);
  return false;
}

static bool read_column_name(reader *r, const char *name, int column)
{
  size_t c = 0;
  while (c < r->columns && strcmp(r->column[c].name, name) != 0) ++c;
  if (c == r->columns) return unknown_column(r, name, column);
  if (r->table->has[c]) return sb_error_at(r->diagnostics, at(r, column), "E101", "column '%s' is given twice", name);
  r->table->has[c] = true;
  r->place[r->fields++] = (int)c;
  return true;
}

static bool read_header(reader *r, char *text)
{
  bool        good = true;
  const char *begin = text;
  for (char *next = NULL; text; text = next) {
    const int   column = 1 + (int)(text - begin);
    const char *name = cut_field(r, text, column, &next);
    good = name && read_column_name(r, name, column) && good;
  }
  for (size_t c = 0; good && c < r->columns; ++c)
    if (r->column[c].required && !r->table->has[c])
      good = sb_error_at(r->diagnostics, at(r, 0), "E101", "column '%s' is missing", r->column[c].name);
  return good;
}

static bool read_number(const reader *r, const char *text, int column, const sb_number_column *asked, double *value)
{
  int64_t   whole = 0;
  sb_number result = asked->whole ? sb_read_integer(text, &whole) : sb_read_real(text, value);
  if (asked->whole) *value = (double)whole;
  if (asked->whole && result == SB_NUMBER_READ && (whole >> WHOLE_BITS) != 0 && (whole >> WHOLE_BITS) != -1)
    result = SB_NUMBER_BEYOND;
  if (result == SB_NUMBER_READ) return true;
  if (result == SB_NUMBER_BEYOND)
    return sb_error_at(r->diagnostics, at(r, column), "E203",
                       "%s is not finite, or beyond the range of numbers; got '%s'", asked->name, text);
  return sb_error_at(r->diagnostics, at(r, column), "E102", "%s is not a %snumber; got '%s'", asked->name,
                     asked->whole ? "whole " : "", text);
}

/* Room for one more row, zeroed. */
static bool add_row(reader *r)
{
  sb_number_table *t = r->table;
  if (t->rows == r->capacity) {
    const size_t capacity = t->rows > 0 ? 2 * t->rows : 64;
    double      *value = realloc(t->value, capacity * t->columns * sizeof *value);
    if (value) t->value = value;
    int *line = value ? realloc(t->line, capacity * sizeof *line) : NULL;
    if (line) t->line = line;
    if (!line) return sb_error_at(r->diagnostics, at(r, 0), "E215", "the table does not fit into memory");
    r->capacity = capacity;
  }
  memset(t->value + t->rows * t->columns, 0, t->columns * sizeof *t->value);
  t->line[t->rows++] = r->line;
  return true;
}

static bool read_row(reader *r, char *text)
{
  size_t fields = 1;
  for (const char *c = text; *c; ++c) fields += *c == ',';
  if (fields != r->fields)
    return sb_error_at(r->diagnostics, at(r, 0), "E102",
                       "the header has %zu columns, this line %zu; numbers have a decimal point", r->fields, fields);
  if (!add_row(r)) return false;
  double     *row = r->table->value + (r->table->rows - 1) * r->columns;
  const char *begin = text;
  bool        good = true;
  for (size_t f = 0; f < fields; ++f) {
    char *next = NULL;
    if (!text) /* quotes that hold a comma: no number has one */
      return sb_error_at(r->diagnostics, at(r, 0), "E102", "a comma in quotes; numbers contain no comma");
    const int   column = 1 + (int)(text - begin), c = r->place[f];
    const char *field = cut_field(r, text, column, &next);
    good = field && read_number(r, field, column, &r->column[c], &row[c]) && good;
    text = next;
  }
  return good;
}

/* One line without its end; header first, blank lines skipped. */
static bool read_line(reader *r, char *text, size_t length)
{
  if (length > 0 && text[length - 1] == '\r') text[--length] = '\0';
  if (memchr(text, '\r', length))
    return sb_error_at(r->diagnostics, at(r, 1 + (int)strcspn(text, "\r")), "E110",
                       "a carriage return within a line; lines end in LF, or in CR and LF");
  if (strlen(text) != length || length > LINE_LENGTH_MAX)
    return sb_error_at(r->diagnostics, at(r, 0), "E110", "a line of the table %s",
                       length > LINE_LENGTH_MAX ? "is over 64 KiB" : "has NUL bytes");
  if (r->line == 1 && strncmp(text, "\xEF\xBB\xBF", 3) == 0) text += 3;
  if (text[strspn(text, " \t")] == '\0') return true;
  return r->fields == 0 ? read_header(r, text) : read_row(r, text);
}

static bool read_lines(reader *r, char *text, const char *end)
{
  bool good = true;
  while (text < end) {
    char *const  stop = memchr(text, '\n', (size_t)(end - text));
    const size_t length = stop ? (size_t)(stop - text) : (size_t)(end - text);
    const bool   header = r->fields == 0;
    text[length] = '\0';
    ++r->line;
    good = read_line(r, text, length) && good;
    if (header && !good) return false; /* every row would be wrong */
    text += length + 1;
  }
  if (r->fields == 0)
    return sb_error_at(r->diagnostics, at(r, 0), "E200",
                       "the file is empty; it needs a line of column names and lines of numbers");
  if (good && r->table->rows == 0)
    return sb_error_at(r->diagnostics, at(r, 0), "E200", "the file has column names, but no line of numbers");
  return good;
}

bool sb_number_table_read(const char *path, const sb_number_column *column, size_t columns, sb_location where,
                          sb_diagnostics *diagnostics, sb_number_table *table)
{
  *table = (sb_number_table){.columns = columns};
  size_t size = 0;
  char  *bytes = sb_read_input(path, FILE_SIZE_MAX, where, &size, diagnostics);
  if (!bytes) return false;
  reader     r = {.path = path, .column = column, .columns = columns, .diagnostics = diagnostics, .table = table};
  const bool good = read_lines(&r, bytes, bytes + size);
  free(bytes);
  return good;
}

void sb_number_table_clear(sb_number_table *table)
{
  free(table->value);
  free(table->line);
  *table = (sb_number_table){0};
}
