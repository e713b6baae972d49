/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results in memory: one row per case in plan order, named columns. The only source of results.csv, results.h5, tables,
 * figures and claims. In an arena. Local; no PETSc, no HDF5. */
#pragma once

#include <stddef.h>

#include "base/arena.h"
#include "cases/common/csv.h"
#include "cases/common/value.h"

typedef struct {
  char    *name;      /* option or column name */
  char    *unit;      /* "" if it has none */
  bool     is_option; /* an option that varies, else a column of the driver or of the runner */
  bool     is_timing; /* differs between equal runs */
  sb_value absent;    /* the value of cells that were never set: blank, or unknown of a kind */
} sb_rows_column;

/* True for measured seconds and rates. */
bool sb_rows_column_is_time(const sb_rows_column *column);

typedef struct sb_rows sb_rows;

sb_rows *sb_rows_create(sb_arena *arena);
/* A published table as rows: the first of several columns with one name counts, and empty cells are blank. */
sb_rows *sb_rows_of_table(const sb_published_table *table, sb_arena *arena);

/* Adds a column (or finds the one of that name) and returns its number. */
size_t sb_rows_add_column(sb_rows *rows, const char *name, const char *unit, bool is_option, bool is_timing);
/* Adds a column of which only the possible kinds are known before the run. */
void   sb_rows_add_unknown(sb_rows *rows, const char *name, unsigned may_be);
size_t sb_rows_add_row(sb_rows *rows);
/* Announces the number of rows before cells are set: allocates memory for them at once. */
void sb_rows_expect(sb_rows *rows, size_t count);
/* Copies the value, words included. */
void sb_rows_set(sb_rows *rows, size_t row, size_t column, sb_value value);

size_t                sb_rows_count(const sb_rows *rows);
size_t                sb_rows_column_count(const sb_rows *rows);
const sb_rows_column *sb_rows_column_at(const sb_rows *rows, size_t column);
/* (size_t)-1 if there is none of that name. */
size_t   sb_rows_column_find(const sb_rows *rows, const char *name);
sb_value sb_rows_get(const sb_rows *rows, size_t row, size_t column);
/* 1 << kind of every value that a column has or had before it was overwritten, joined by `|`. */
unsigned sb_rows_kinds(const sb_rows *rows, size_t column);
/* The rows with these values in these columns, ascending; *found is their number; valid until the rows change. Truth
 * values are the words true and false. The first call for a set of columns sorts the rows by them. */
const size_t *sb_rows_having(const sb_rows *rows, const size_t *columns, const sb_value *wanted, size_t count,
                             size_t *found);
/* "grid=10 stiffness=300": the options that the row's case reads and in which it differs from one of the rows `among`
 * [count]; "without linear" if it only lacks options of others. In the arena. */
const char *sb_rows_name(const sb_rows *rows, size_t row, const size_t *among, size_t count, sb_arena *arena);
/* The value as a word: truth values are the words true and false, as in expressions. NULL: it is not a word. */
const char *sb_value_word(sb_value value);
/* The order of two values: blanks, then numbers, then words. */
int sb_value_order(sb_value a, sb_value b);
/* Writes a value for a message: a number `exactly`, or to four digits; "(blank)", or "?" for an unknown value. */
void sb_value_put(FILE *stream, sb_value value, bool exactly);
/* By name; blank if there is no such column. */
sb_value sb_rows_get_named(const sb_rows *rows, size_t row, const char *column);
