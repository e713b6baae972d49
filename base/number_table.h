/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers from a CSV file with a header line, with line numbers for error messages. Local; needs neither PETSc nor MPI.
 *
 * Fields are separated by commas and may be in double quotes; columns may have any order. A byte order mark, CRLF and
 * blank lines are accepted. Numbers are finite and always in the notation of the C locale. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"

typedef struct {
  const char *name;
  bool        whole;    /* a whole number, at most 2^53 */
  bool        required; /* else the file may lack it */
} sb_number_column;

enum { SB_COLUMNS_MAX = 16 };

typedef struct {
  size_t  rows, columns;
  bool    has[SB_COLUMNS_MAX]; /* the file has that column */
  double *value;               /* [rows][columns], in the order of `column`; 0 in columns that the file lacks */
  int    *line;                /* [rows] line numbers, for errors about a row */
} sb_number_table;

/* Reads all of `path` (relative to the working directory). Returns false, with diagnostics, on an error. E100, E109 at
 * `where`: the file is unreadable. E200: it is empty. E110: it is not plain text. E101: a column is unknown, given
 * twice or missing. E102: a row does not have as many fields as the header, or a field is not a number. E203: a field
 * is not finite. Free with sb_number_table_clear in either case. */
bool sb_number_table_read(const char *path, const sb_number_column *column, size_t columns, sb_location where,
                          sb_diagnostics *diagnostics, sb_number_table *table);
void sb_number_table_clear(sb_number_table *table);
