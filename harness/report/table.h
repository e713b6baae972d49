/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table: one grid for everything that is printed in columns, and a writer for each form. It does not depend on sweeps
 * or results. A caller fills it,
 *
 *     sb_table *t = sb_table_create(arena);
 *     sb_table_add_column(t, "method", "", false);
 *     sb_table_add_column(t, "time of a step", "ms", true);
 *     sb_table_add_row(t);
 *     sb_table_put(t, "Newton");
 *     sb_table_put(t, "1.23")->marks |= SB_MARK_NOISY;
 *     sb_table_print(t, SB_TABLE_TEXT, stdout);
 *
 * and may set any public member directly. Columns come before rows. All texts are copied into the arena, unless they
 * are assigned to members. Local; no PETSc. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/arena.h"
#include "cases/common/text.h"

typedef enum { SB_TABLE_TEXT, SB_TABLE_MARKDOWN, SB_TABLE_CSV, SB_TABLE_LATEX } sb_table_form;

/* Marks of a cell. Best: bold, "*" in text. Failed: "!" in text, a dagger elsewhere. Noisy: "~", a double dagger.
 * Other, of a different origin from most: a section sign. Their meanings are below the table. CSV has none. */
typedef enum { SB_MARK_BEST = 1, SB_MARK_FAILED = 2, SB_MARK_NOISY = 4, SB_MARK_OTHER = 8 } sb_mark;
enum { SB_MARK_KINDS = 4 };

typedef struct {
  const char *text;     /* for users; "": blank; NULL: absent, shown as a dash */
  const char *interval; /* after a number: "± 3 %"; LaTeX has a column for it; NULL: absent */
  const char *markdown; /* the same with links and other markup, not escaped; NULL: the text */
  const char *csv;      /* for programs; NULL: the number with all its digits, else the text */
  const char *source;   /* for the caller: the source of the cell, such as a case's key; NULL */
  unsigned    marks;    /* of sb_mark */
  bool        is_number;
  double      number;
} sb_cell;

typedef struct {
  const char *name, *unit; /* unit: "" for none */
  const char *csv;         /* the name for programs; NULL: the name */
  bool        numeric;     /* flush right */
} sb_heading;

typedef struct {
  sb_cell    *cells;   /* [column_count] */
  const char *comment; /* at the end of the line in LaTeX, such as the keys of its cases; NULL for none */
} sb_table_line;

/* The place of a line of prose. A title is bold if the form has bold, and the caption in LaTeX; texts above the table
 * and asides are comments in LaTeX's source. */
typedef enum { SB_NOTE_TITLE, SB_NOTE_ABOVE, SB_NOTE_BELOW, SB_NOTE_ASIDE } sb_note_place;

typedef struct {
  sb_note_place place;
  const char   *lead, *text; /* lead: "Source:", "" for none */
} sb_table_note;

typedef struct {
  sb_arena      *arena;
  const char    *id; /* the LaTeX label is tab:<id>; NULL: no label */
  size_t         column_count, row_count, note_count;
  sb_heading    *headings;
  sb_table_line *rows;
  sb_table_note *notes;
  const char    *empty;                /* printed instead of no rows; NULL: "none" */
  const char    *means[SB_MARK_KINDS]; /* meanings of best, failed, noisy and other; a sentence without its full stop */
  size_t         stub_count;   /* the first columns identify a line: they have no marks, and LaTeX omits repeated ones
                                */
  const char *quantity, *axis; /* the quantity of all columns after the stubs, and the axis that distinguishes them
                                * (units included), as a heading over them; NULL: nothing is shared */
  const char *axis_name;       /* the axis without its unit, NULL without an axis */
  int         indent;          /* text: blanks before every line */
  bool        wrap;            /* text: the last column is broken into lines */
  size_t      filled;          /* cells of the last row that have been put */
} sb_table;

sb_table *sb_table_create(sb_arena *arena);
/* The same with columns of words, whose names are separated by |. */
sb_table *sb_table_of_words(sb_arena *arena, const char *names);
/* Adds a column. If no column has a name, the table has no line of headings. */
void sb_table_add_column(sb_table *table, const char *name, const char *unit, bool numeric);
/* Begins a row. The functions below fill its cells from the left; the others are NULL. */
void sb_table_add_row(sb_table *table);
/* Fills the next cell of the last row: `text` NULL shows a dash. The cell does not move in memory: marks can be set
 * later. */
sb_cell *sb_table_put(sb_table *table, const char *text);
sb_cell *sb_table_cell(const sb_table *table, size_t row, size_t column);
/* The marks that occur in cells after the stubs. */
unsigned sb_table_marks(const sb_table *table);
/* The text before the meaning of a mark, by its number: "†:" in Markdown. */
const char *sb_table_lead(sb_table_form form, unsigned mark);
/* Several tables with the same headings as one, whose first column has their names, [count] each. Notes that differ
 * begin with the name. NULL: their headings differ. */
sb_table *sb_table_joined(size_t count, const sb_table *const *tables, const char *const *names, sb_arena *arena);
/* Adds a line of prose; a text that is NULL or empty adds nothing. */
void sb_table_add_note(sb_table *table, sb_note_place place, const char *lead, const char *text);

/* Writes the table with its notes. The caller checks for errors of the stream. */
void sb_table_print(const sb_table *table, sb_table_form form, FILE *stream);
