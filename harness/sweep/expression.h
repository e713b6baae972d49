/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression language of sweep files, filters, tables and claims; docs/expressions.md has its syntax
 * and the rules for rows, blanks and infinite values. Local; no PETSc.
 *
 * An expression and all its parts are evaluated row by row: a name is the row's value. A claim is true if it is true
 * for each of its rows; functions of all values (min max median … slope) use those of these rows, or of a table's line.
 * A claim without rows is an error. If each row is evaluated by itself, as in `where` and -f, a function of one column
 * is refused, and a function of several arguments uses the values of the row.
 *
 * Cells may be unknown, with a kind (rows.h): results before a run, when the planned rows are evaluated, and in a claim
 * those of absent cases. A result is unknown if it depends on an unknown value: `false and unknown` is false, `1 +
 * unknown` an unknown number, a selection by an unknown value an unknown cell. In a claim the maximum is at least that
 * of the known values, the minimum at most theirs, and a count is between two bounds; comparisons use these bounds if
 * they suffice. */
#pragma once

#include "cases/store/session.h"
#include "harness/sweep/rows.h"

typedef struct sb_expression sb_expression;

/* Parses `text`, which is at `where`: columns in messages are within the text, shifted by where.column. If the file has
 * different characters there (escapes, folded line breaks), `whole` makes messages give only the place of the text.
 * NULL and a diagnostic E102 if it is not an expression. It lives as long as the arena. */
sb_expression *sb_expression_parse(const char *text, sb_location where, bool whole, sb_arena *arena,
                                   sb_diagnostics *diagnostics);
sb_location    sb_expression_where(const sb_expression *expression); /* its beginning */
const char    *sb_expression_text(const sb_expression *expression);
/* True if it is a count, which is 0 without rows. */
bool sb_expression_counts(const sb_expression *expression);
/* Calls visit(context, name) for every bare name, so that callers can find options and columns. */
void sb_expression_names(const sb_expression *expression, void (*visit)(void *context, const char *name),
                         void                *context);

/* Two columns of the curve of a case. */
typedef struct {
  size_t        count;
  const double *x, *y;
  bool          timed;     /* one of them is measured seconds */
  bool          unknown;   /* it exists, but does not count */
  bool          uncounted; /* one of them is work, and operations are not counted: likewise */
} sb_curve_columns;

/* The value of a clause, or a claim, for a row or a sweep. */
typedef enum { SB_NO, SB_YES, SB_PERHAPS } sb_perhaps;

/* How an evaluation used a row: it read a time, which is known; it read a result by brackets, `column[…]`; the value is
 * unknown because a result of the row is, which is of operations that nobody counted. */
enum { SB_READ_TIME = 1, SB_READ_KNOWN_TIME = 2, SB_READ_BESIDE = 4, SB_LEAVES_OPEN = 8, SB_IS_UNCOUNTED = 16 };

/* The context of an evaluation. */
typedef struct {
  const sb_rows    *rows;
  const sb_perhaps *taken;         /* [rows] those of a claim, or of a line of a table; NULL: all */
  sb_reason *const *open;          /* [rows] why they are perhaps taken; NULL: nobody asks */
  const bool       *times_unknown; /* [rows] whose measured seconds count as unknown; NULL: none */
  const char       *published_dir; /* the folder of the published csv files */
  sb_arena         *arena;         /* for results of sb_expression_select and for curves */
  const void       *of;
  /* Reads the curve of the case in a row (count 0: it has none); false after a diagnostic. NULL: there are no curves.
   */
  bool (*curve)(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve, sb_arena *arena,
                sb_diagnostics *diagnostics);
  /* Is called for each row from which a result is read, and for each that leaves the value unknown: the cases behind a
   * displayed value; may be NULL. */
  void (*reads)(void *reader, size_t row, unsigned what);
  void *reader;
} sb_scope;

/* The value in a row. If the scope selects rows, `row` is one of them, in a table whose lines cover several rows:
 * functions of all values use all of them. False and a diagnostic if it cannot be evaluated (no such row, ambiguous,
 * wrong kind). */
bool sb_expression_value(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                         sb_diagnostics *diagnostics);
/* The one value for all rows that the scope selects; unknown values stay unknown. False and a diagnostic also if it
 * differs between them. */
bool sb_expression_of_one(const sb_expression *expression, const sb_scope *scope, sb_value *value,
                          sb_diagnostics *diagnostics);
/* The same for a clause: blank is false, and a value that is neither true nor false is an error. */
bool sb_expression_holds(const sb_expression *expression, const sb_scope *scope, size_t row, bool *truth,
                         sb_diagnostics *diagnostics);
/* The rows that a clause selects, [sb_rows_count] from the scope's arena; all rows for a NULL clause. NULL and a
 * diagnostic if it cannot be evaluated. */
bool *sb_expression_select(const sb_expression *expression, const sb_scope *scope, sb_diagnostics *diagnostics);
/* The same if rows have unknown values: whether a clause selects each of the rows that the scope takes, and in *open
 * why it is not known. */
sb_perhaps *sb_expression_taken(const sb_expression *expression, const sb_scope *scope, sb_reason ***open,
                                sb_diagnostics *diagnostics);

/* The evidence for the value of a claim, in the scope's arena. */
enum { SB_SHOWN_MAX = 899 };
typedef struct {
  const char *shown;  /* the decisive values, "error_10 by grid: 0.039 (10), 0.0436 (20)", in at most this many bytes */
  double      margin; /* the smallest factor between a timing and the constant that it must be below; 0: none */
  const bool *used;   /* [rows] whose values were used */
  const char *refuted; /* "does not hold in 1 of 3 cases (grid=10): error < 1"; "": true, or one clause, one row */
} sb_grounds;

/* Evaluates whether a claim is true for each of its rows, and its grounds; SB_PERHAPS: it depends on unknown values.
 * False and a diagnostic if it cannot be evaluated. */
bool sb_expression_claim(const sb_expression *expression, const sb_scope *scope, sb_perhaps *truth, sb_grounds *grounds,
                         sb_diagnostics *diagnostics);

/* The check of expressions before anything runs: the names that they may use. The driver defines the columns; if it is
 * NULL or unknown to the session, any name may be a column. `planned`: only what is known before a run, options and
 * `method`. `sweep` may be NULL. It is in the arena. */
typedef struct sb_check sb_check;
struct sb_sweep;
sb_check *sb_check_create(const sb_session *session, const struct sb_sweep *sweep, const char *driver, bool planned,
                          sb_arena *arena);
/* Evaluates over one row in which only the kinds are known. E101, with a suggestion: a name that should be a column and
 * is not. E102: a value of the wrong kind, or a clause that is neither true nor false. E106: a word that an option, a
 * status or `method` cannot have. */
void sb_expression_check(const sb_expression *expression, const sb_check *check, bool clause,
                         sb_diagnostics *diagnostics);
