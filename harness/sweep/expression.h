/* The expression language of sweep files, filters, tables and claims (docs/results.md). Local; no PETSc.
 *
 *     == != < <= > >= ~  in  and or not  + - * / ^  ( )  chained comparisons
 *     sqrt sin log exp abs or_else(x, y) min max median lower_quartile upper_quartile mean count slope(y, x)
 *     crossing(x, y[axis=value, …], y[axis=value, …])     where the curve of one case falls behind that of another: x
 * of crossing_y(x, …)                                    the last point that is above it after one below; its y
 *     column[axis=value, …]                 the one row that has these values (exactly one, or an error): in a claim
 *                                           among the rows it is about, but among all rows in row context and where a
 *                                           value differs from row to row (its partner: time[method=newton, grid=grid])
 *     published(file, column, key=value, …) a cell of results/published/<file>.csv (exactly one row, or an error)
 *     names of options and columns; other bare words are strings; in takes [a, b, c]; ~ matches an extended regex;
 *     beside an option that takes names, `method`, `status` or `key` a bare word is always a string: linear == petsc
 *
 * An expression is evaluated row by row, and all of its parts are: a name is the row's value. A claim is true where it
 * is true for every row that it is about; functions of all values (min max median … slope) take those of these rows, or
 * those of a table's line. If each row is evaluated alone, as in `where` and -f, a function of one column is refused,
 * and a function of several arguments uses the values of the row. Blank operands make arithmetic blank and comparisons
 * false; functions of all values skip them. A claim about no rows is an error.
 *
 * Infinite values are compared and calculated with as usual; max and min may be infinite, and count includes infinite
 * values. All other functions of all values are unknown if one value is infinite. A value that is not a number (0/0)
 * counts as unknown. Tables and figures leave values that are not finite blank.
 *
 * Cells may be unknown of a kind (rows.h): those of results before a run, when the same evaluation goes over the
 * planned rows, and in a claim those of cases that are not here. What is unknown makes unknown what depends on it:
 * `false and unknown` is false, `1 + unknown` an unknown number, a selection by an unknown value an unknown cell. In a
 * claim the largest of all values is at least the largest of those that are known, the smallest at most the smallest,
 * and a count between two bounds, by which comparisons are decided where they can be. */
#pragma once

#include "cases/store/session.h"
#include "harness/sweep/rows.h"

typedef struct sb_expression sb_expression;

/* Parses `text` that stands at `where` (columns in messages are within the text, shifted by where.column; of a text
 * that does not stand there as it is, with escapes or folded line breaks, messages give the place of the `whole`
 * alone). NULL and a diagnostic E102 when it is not an expression. It lives as long as the arena. */
sb_expression *sb_expression_parse(const char *text, sb_location where, bool whole, sb_arena *arena,
                                   sb_diagnostics *diagnostics);
sb_location    sb_expression_where(const sb_expression *expression); /* where it begins */
const char    *sb_expression_text(const sb_expression *expression);
/* Calls visit(context, name) for every bare name, so that callers can ask for options and columns. */
void sb_expression_names(const sb_expression *expression, void (*visit)(void *context, const char *name),
                         void                *context);

/* Two columns of the curve of a case. */
typedef struct {
  size_t        count;
  const double *x, *y;
  bool          timed;   /* one of them are seconds that were measured */
  bool          unknown; /* it is there, but does not count */
} sb_curve_columns;

/* What a clause, or a claim, is of a row or of a sweep. */
typedef enum { SB_NO, SB_YES, SB_PERHAPS } sb_perhaps;

/* Of a result that is taken from a row: it is a time; it, or whether the row counts, is not known. */
enum { SB_READ_TIME = 1, SB_READ_UNKNOWN = 2 };

/* Evaluation works on this. `taken` [sb_rows_count] says which rows a claim is about; NULL: all. published_dir: the
 * folder of the published csv files. arena: of what sb_expression_select gives, and of curves. curve(of, row, …) reads
 * the curve of the case in a row, none (count 0) where the case has none, and gives false after a diagnostic; NULL:
 * there are no curves. reads(reader, row, what) is told of each row that a result is taken from, and what it is, so
 * that who shows a value knows which cases it is made of; NULL: nobody asks. */
typedef struct {
  const sb_rows    *rows;
  const sb_perhaps *taken;
  const bool       *times_unknown; /* [rows] whose measured seconds count as unknown; NULL: none */
  const char       *published_dir;
  sb_arena         *arena;
  const void       *of;
  bool (*curve)(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve, sb_arena *arena,
                sb_diagnostics *diagnostics);
  void (*reads)(void *reader, size_t row, unsigned what);
  void *reader;
} sb_scope;

/* The value in a row. False and a diagnostic when it cannot be evaluated (no such row, ambiguous, of a wrong kind). */
bool sb_expression_value(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                         sb_diagnostics *diagnostics);
/* The value of the rows that the scope takes, `row` one of them, in a table whose lines are of several: functions of
 * all values take those of all of them. */
bool sb_expression_of_all(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                          sb_diagnostics *diagnostics);
/* The same of a clause: blank is false, and what is neither true nor false an error. */
bool sb_expression_holds(const sb_expression *expression, const sb_scope *scope, size_t row, bool *truth,
                         sb_diagnostics *diagnostics);
/* The rows that a clause takes, [sb_rows_count] from the scope's arena; all of them where it is NULL. NULL and a
 * diagnostic when it cannot be evaluated. */
bool *sb_expression_select(const sb_expression *expression, const sb_scope *scope, sb_diagnostics *diagnostics);
/* The same where not all is known of the rows: what a clause may take or not, of the rows that the scope takes. */
sb_perhaps *sb_expression_taken(const sb_expression *expression, const sb_scope *scope, sb_diagnostics *diagnostics);

/* The evidence for the value of a claim. shown: the values that decide, "error_10 by grid: 0.039 (10), 0.0436 (20)".
 * margin: the smallest factor between a timing and the constant that it must be below; 0: no such constant. used: the
 * rows whose values were used. refuted: the rows and clauses that make the claim false, if it has several: "does not
 * hold in 1 of 3 cases (grid=10): error < 1". */
typedef struct {
  char        shown[900];
  double      margin;
  const bool *used;    /* [rows], in the scope's arena */
  const char *refuted; /* in the scope's arena; "": it is true, or one clause about one row */
} sb_grounds;

/* Judges whether a claim is true of every row that it is about, and its grounds; SB_PERHAPS: what is not known decides.
 * False and a diagnostic when that has no answer. */
bool sb_expression_claim(const sb_expression *expression, const sb_scope *scope, sb_perhaps *truth, sb_grounds *grounds,
                         sb_diagnostics *diagnostics);

/* The check of expressions before anything runs: what they may name. The driver says which columns there are; where
 * it is NULL, or the session knows none of that name, anything may be a column. `planned`: before a run, options and
 * `method` alone. `sweep` may be NULL. It lives in the arena. */
typedef struct sb_check sb_check;
struct sb_sweep;
sb_check *sb_check_create(const sb_session *session, const struct sb_sweep *sweep, const char *driver, bool planned,
                          sb_arena *arena);
/* Evaluates over one row of which nothing is known but the kinds. E101 with a suggestion for every name that must be a
 * column and is none; E102 for what is of the wrong kind, or, of a clause, is neither true nor false; E106 for a word
 * that an option, a status or `method` cannot be. */
void sb_expression_check(const sb_expression *expression, const sb_check *check, bool clause,
                         sb_diagnostics *diagnostics);
