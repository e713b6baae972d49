/* One table as a grid of cells, before it has a form: what the text, Markdown, CSV and LaTeX writers read.
 * Inside the harness only. Local; no PETSc. */
#pragma once

#include "harness/report/report.h"

typedef enum { SB_CELL_NO_CASE, SB_CELL_NUMBER, SB_CELL_WORD } sb_cell_kind;

typedef struct {
  sb_cell_kind kind;
  double       number;
  char        *text;   /* as shown, plain; "" where there is no case */
  bool         bold;   /* the best of those it competes with, or tied with it */
  bool         marked; /* a number of a case that ended otherwise than ok or diverged */
  bool         noisy;  /* a time of a case during which the machine was not quiet */
  size_t       row;    /* the row of the results it comes from */
} sb_table_cell;

typedef struct {
  char *name, *unit; /* in words; of a pivot's columns: the value of the axis, "" */
  bool  numeric;     /* flush right */
} sb_table_heading;

/* Stub columns (values of the row axes) come first, then the value columns. */
typedef struct {
  size_t            row_count, column_count, stub_count;
  sb_table_heading *headings;        /* [column_count] */
  sb_table_cell    *cells;           /* [row_count][column_count] */
  char            **keys;            /* [row_count] keys of the cases in the row, separated by blanks */
  char             *quantity, *axis; /* pivot: what the cells are (the unit alone where they are computed) and what the
                                        columns are, units included; else NULL */
  char       *axis_name;             /* pivot: the axis without its unit */
  char       *constants;             /* "scene = rope, nodes = 16, stiffness = 100 N/m" */
  const char *title, *question, *source, *note; /* borrowed, NULL when not given */
  const char *empty;                            /* what stands there instead of no rows */
  bool        bold, marked, noisy;              /* some cell is */
  char       *intervals;                        /* how far medians of few digits are known; NULL: no interval is wide */
  const char *floor;                            /* how far times differ by chance; borrowed, NULL: it has no times */
  const char *bold_means;                       /* "smallest of its row, or not to be told from it"; NULL: none is */
  char       *trouble;                          /* why the first cell that cannot be had cannot, NULL: there is none */
} sb_table_layout;

/* How the names of axes and of their values stand in a layout. */
typedef enum { SB_TABLE_WORDS, SB_TABLE_NAMES } sb_table_wording;

/* NULL with a message in error[256]: the clause cannot be evaluated, or two cases share a cell. */
sb_table_layout *sb_table_layout_create(const sb_results *results, const sb_table_spec *spec, sb_table_wording wording,
                                        char error[256]);
void             sb_table_layout_destroy(sb_table_layout **layout);
/* The cell in `row` and `column`. */
sb_table_cell *sb_table_cell_at(const sb_table_layout *layout, size_t row, size_t column);

/* Names of the row axes where those of the sweep file do not tell all cases apart, outermost first: before them every
 * option that varies though the sweep file does not vary it. Borrowed names in a malloc'ed array (table_axes.c). */
char **sb_table_axes(const sb_results *results, const sb_table_spec *spec, size_t *count);

/* The settings that all of `rows` [count] share and no column overrules, "scene = rope, nodes = 16"; malloc'ed
 * (table_constants.c). */
char *sb_table_constants(const sb_results *results, const sb_table_spec *spec, const size_t *rows, size_t count);

/* The column of the sweep file that a value column is of. */
const sb_table_column *sb_table_column_of(const sb_table_layout *layout, const sb_table_spec *spec, size_t column);
/* Marks noisy times and says how far times differ by chance; what numbers must differ by to be told apart, relative
 * (table_times.c). */
void   sb_table_mark_times(sb_table_layout *layout, const sb_results *results, const sb_table_spec *spec);
double sb_table_tie(const sb_results *results, const sb_expression *value);
bool   sb_table_is_time(const sb_results *results, const sb_expression *value);

/* Formats and marks the value cells of a layout whose numbers stand (table_numbers.c). */
void sb_table_show_numbers(sb_table_layout *layout, const sb_results *results, const sb_table_spec *spec);

/* The forms. Write to `stream`; errors of the stream are the caller's to ask for. */
void sb_table_write_text(const sb_table_layout *layout, FILE *stream);
void sb_table_write_markdown(const sb_table_layout *layout, FILE *stream);
void sb_table_write_csv(const sb_table_layout *layout, FILE *stream);
void sb_table_write_latex(const sb_table_layout *layout, const char *id, FILE *stream);
