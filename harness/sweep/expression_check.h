/* Names in expressions that can only be columns, checked before anything runs: a misspelt one would otherwise be a
 * plain word, and a claim about a word is never true. Local. */
#pragma once

#include "base/options.h"
#include "harness/sweep/expression.h"

/* The columns of a driver: the vocabulary's family "columns:<driver>"; NULL when it has none, and then any name may be
 * a column. */
const sb_family *sb_driver_columns(const sb_vocabulary *vocabulary, const char *driver);

/* What a name may stand for. */
typedef struct {
  const sb_family       *columns; /* of the driver, or NULL */
  bool                   planned; /* before the run: only options and `method` have values */
  bool                   truth;   /* it must be true or false */
  bool                   whole; /* places within it are not told, only where it begins: it has line breaks or escapes */
  const sb_vocabulary   *vocabulary; /* NULL: names of lists are not checked */
  const struct sb_sweep *sweep;      /* its methods and axes; NULL: they are not checked */
} sb_known_names;

/* E101 with a suggestion for every name that must be a column and is none: in arithmetic, in functions, beside numbers,
 * before '['; and where two words are compared of which neither is a column. Where all names are known, E102 for what
 * has certainly the wrong type, and E106 for values that an option, a status or an axis of the sweep cannot have.
 * `where` as in sb_expression_parse. */
void sb_expression_check(const sb_expression *expression, sb_known_names known, sb_location where,
                         sb_diagnostics *diagnostics);
