/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comma-separated values by RFC 4180: writes fields, and reads whole tables with a header line. Local; no PETSc. */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"

/* Writes a field, in quotes if it has a comma, a quote or a line break; nothing for NULL. */
void sb_csv_put(FILE *stream, const char *text);

/* A table of results/published/, in an arena. Lines that start with '#' are comments. Cells may be quoted; a doubled
 * quote inside means one quote. */
typedef struct {
  char  *path, *text, *end; /* the cells are in text, missing ones at its end */
  size_t columns, rows;     /* the header is row 0 */
  char **cells;             /* [rows][columns] */
} sb_published_table;

/* Reads <folder>/<name>.csv. NULL with a message in error[256]. */
sb_published_table *sb_published_read(sb_arena *arena, const char *folder, const char *name, char *error);

/* (size_t)-1 if no column has this name. */
size_t sb_published_column(const sb_published_table *table, const char *name);
/* The cell of `row` (from 1) in the column of this name, "" if there is no such column. */
const char *sb_published_text(const sb_published_table *table, size_t row, const char *column);
