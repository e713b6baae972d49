/* The expression language of sweep files, filters, tables and claims (docs/results.md). Local; no PETSc.
 *
 *     == != < <= > >= ~  in  and or not  + - * / ^  ( )  chained comparisons
 *     sqrt log exp abs min max median mean count slope(y, x)
 *     column[axis=value, …]                 the one row that has these values (exactly one, or an error): in a claim
 *                                           among the rows it is about, but among all rows in row context and where a
 *                                           value differs from row to row (its partner: time[method=newton, grid=grid])
 *     published(file, column, key=value, …) a cell of results/published/<file>.csv (exactly one row, or an error)
 *     names of options and columns; other bare words are strings; in takes [a, b, c]; ~ matches an extended regex;
 *     beside an option that takes names, `method`, `status` or `key` a bare word is always a string: linear == petsc
 *
 * Evaluated over rows. In row context (filters, table cells) a name is that row's value. In claim context a name is the
 * vector of its values over the rows selected by `where`; aggregate functions take vectors, comparisons of vectors hold
 * when they hold for every element. Blank operands make arithmetic blank and comparisons false; aggregates skip them;
 * results that are not finite are blank. A claim about no rows is an error. */
#pragma once

#include "base/arena.h"
#include "base/diagnostics.h"
#include "harness/sweep/rows.h"

typedef struct sb_expression sb_expression;

/* Parses `text` that stands at `where` (columns in messages are within the text, shifted by where.column). NULL and a
 * diagnostic E102 when it is not an expression. It lives as long as the arena. */
sb_expression *sb_expression_parse(const char *text, sb_location where, sb_arena *arena, sb_diagnostics *diagnostics);
/* The same of a text that does not stand as it is at `where` (it has escapes, or line breaks that were folded):
 * messages give that place alone. */
sb_expression *sb_expression_parse_whole(const char *text, sb_location where, sb_arena *arena,
                                         sb_diagnostics *diagnostics);
sb_location    sb_expression_where(const sb_expression *expression); /* where it begins */
const char    *sb_expression_text(const sb_expression *expression);
/* Calls visit(context, name) for every bare name, so that callers can check them against options and columns. */
void sb_expression_names(const sb_expression *expression, void (*visit)(void *context, const char *name),
                         void                *context);

/* What evaluation works on. `selected` [sb_rows_count] says which rows take part in claim context; NULL: all.
 * published_dir: the folder of the published csv files. arena: of what sb_expression_select gives. */
typedef struct {
  const sb_rows *rows;
  const bool    *selected;
  const char    *published_dir;
  sb_arena      *arena;
} sb_scope;

/* Row context. False and a diagnostic when it cannot be evaluated (no such row, ambiguous, bad types). */
bool sb_expression_value(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                         sb_diagnostics *diagnostics);
/* The same of a clause: blank is false, and what is neither true nor false an error. */
bool sb_expression_holds(const sb_expression *expression, const sb_scope *scope, size_t row, bool *truth,
                         sb_diagnostics *diagnostics);
/* The rows that a clause takes, [sb_rows_count] from the scope's arena; all of them where it is NULL. NULL and a
 * diagnostic when it cannot be evaluated. */
bool *sb_expression_select(const sb_expression *expression, const sb_scope *scope, sb_diagnostics *diagnostics);
/* What a claim turned on: "error_10 by grid: 0.039 (10), 0.0436 (20)"; and by what factor it beats the constants that
 * it wants a timing below (the smallest of them; 0 where it wants none). */
typedef struct {
  char   shown[900];
  double margin;
} sb_grounds;

/* Claim context: *truth and its grounds. */
bool sb_expression_claim(const sb_expression *expression, const sb_scope *scope, bool *truth, sb_grounds *grounds,
                         sb_diagnostics *diagnostics);
