/* A table: one grid for everything that is printed in columns, and a writer for each form. It knows nothing of sweeps
 * or results: who has something to show fills it,
 *
 *     sb_table *t = sb_table_create(arena);
 *     sb_table_add_column(t, "method", "", false);
 *     sb_table_add_column(t, "time of a step", "ms", true);
 *     sb_table_add_row(t);
 *     sb_table_put(t, "Newton");
 *     sb_table_put_number(t, 1.2345, SB_DIGITS)->marks |= SB_MARK_NOISY;
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

/* How a cell is set off. Best: bold, "*" in text. Failed: "!" in text, a dagger elsewhere. Noisy: "~", a double
 * dagger. Other, of another origin than most: a section sign. What the marks in use mean stands below the table. CSV
 * has none. */
typedef enum { SB_MARK_BEST = 1, SB_MARK_FAILED = 2, SB_MARK_NOISY = 4, SB_MARK_OTHER = 8 } sb_mark;
enum { SB_MARK_KINDS = 4 };

typedef struct {
  const char *text;     /* as people read it; "": blank; NULL: there is nothing, shown as a dash */
  const char *markdown; /* the same with links and other markup, which is not escaped; NULL: as the text */
  const char *csv;      /* the same as programs read it; NULL: the number with all its digits, else as the text */
  const char *source;   /* for who made the table: what the cell comes from, such as a case's key; NULL */
  unsigned    marks;    /* of sb_mark */
  bool        is_number;
  double      number;
} sb_cell;

typedef struct {
  const char *name, *unit; /* unit: "" for none */
  const char *csv;         /* the name as programs read it; NULL: the name */
  bool        numeric;     /* flush right */
} sb_heading;

typedef struct {
  sb_cell    *cells;   /* [column_count] */
  const char *comment; /* behind the line in LaTeX, such as the keys of its cases; NULL for none */
} sb_table_line;

/* Where a line of prose stands. A title is bold where there is bold; an aside stands below the table, in LaTeX it is a
 * comment in the source. */
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
  const char    *empty;             /* what stands there instead of no rows; NULL: "none" */
  const char *means[SB_MARK_KINDS]; /* what best, failed, noisy and other mean; as a sentence without its full stop */
  size_t      stub_count;      /* the first columns say what a line is about: they have no marks, and LaTeX leaves out
                                * those that the line above has said */
  const char *quantity, *axis; /* what all columns behind the stubs show, and what tells them apart (units included), as
                                * a heading over theirs; NULL: nothing is shared */
  const char *axis_name;       /* the axis without its unit, NULL with no axis */
  int         indent;          /* text: blanks before every line */
  bool        wrap;            /* text: the last column is broken into lines */
  size_t      filled;          /* cells of the last row that have been put */
} sb_table;

sb_table *sb_table_create(sb_arena *arena);
/* Adds a column. A table none of whose columns has a name is printed without a line of headings. */
void sb_table_add_column(sb_table *table, const char *name, const char *unit, bool numeric);
/* Begins a row, whose cells are filled from the left by the functions below; those that are not filled stay NULL. */
void sb_table_add_row(sb_table *table);
/* The next cell of the last row: `text` NULL shows a dash. The cell stays where it is: marks can be set later. */
sb_cell *sb_table_put(sb_table *table, const char *text);
sb_cell *sb_table_put_format(sb_table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A number shown to `digits` significant digits (not a number: a dash); CSV has all of them. */
sb_cell *sb_table_put_number(sb_table *table, double number, int digits);
sb_cell *sb_table_cell(const sb_table *table, size_t row, size_t column);
/* The marks that some cell behind the stubs has. */
unsigned sb_table_marks(const sb_table *table);
/* What stands before the meaning of a mark, by its number: "†:" in Markdown. */
const char *sb_table_lead(sb_table_form form, unsigned mark);
/* Adds a line of prose; a text that is NULL or empty adds nothing. */
void sb_table_add_note(sb_table *table, sb_note_place place, const char *lead, const char *text);

/* Writes the table with its notes. Errors of the stream are the caller's to ask for. */
void sb_table_print(const sb_table *table, sb_table_form form, FILE *stream);
