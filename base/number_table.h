/* Numbers from a CSV file with a header line, located for complaints. Local; needs neither PETSc nor MPI.
 *
 * Comma separated, columns in any order, fields optionally in double quotes; a byte order mark, CRLF and blank lines
 * are accepted. Numbers are in the C locale's notation whatever the locale is, and finite. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnostics.h"

typedef struct {
  const char *name;
  bool        whole;    /* a whole number, at most 2^53 */
  bool        required; /* else the file may lack it */
} sb_number_column;

enum { SB_COLUMNS_MAX = 8 };

typedef struct {
  size_t  rows, columns;
  bool    has[SB_COLUMNS_MAX]; /* the file has that column */
  double *value;               /* [rows][columns], in the order asked for; 0 in columns that the file lacks */
  int    *line;                /* [rows] for complaints about a row */
} sb_number_table;

/* Reads all of `path` (relative to the working directory). False, with diagnostics, when it cannot be read (E100, E109
 * at `where`) or is empty (E200); a column is unknown, given twice or missing (E101); a row has other than the header's
 * number of fields, or a field is no number (E102) or not finite (E203); the text is not plain text (E110). Free with
 * sb_number_table_clear in either case. */
bool sb_number_table_read(const char *path, const sb_number_column *column, size_t columns, sb_location where,
                          sb_diagnostics *diagnostics, sb_number_table *table);
void sb_number_table_clear(sb_number_table *table);
