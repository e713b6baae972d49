/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The syntax tree of expressions, which expression.c makes, and its evaluation by expression_evaluate.c, inside the
 * harness. */
#pragma once

#include "base/options.h"
#include "harness/sweep/expression.h"

enum { SB_EXPRESSION_LENGTH_MAX = 4096, SB_EXPRESSION_DEPTH_MAX = 64 };

typedef enum {
  SB_NODE_NUMBER,
  SB_NODE_STRING, /* quoted, or a bare word that can only be a word */
  SB_NODE_NAME,   /* a bare word: the row's value if there is a column of that name, else itself */
  SB_NODE_LIST,   /* right of `in` */
  SB_NODE_NEGATE,
  SB_NODE_NOT,
  SB_NODE_ARITHMETIC, /* two parts */
  SB_NODE_COMPARE,    /* n parts, n - 1 comparisons */
  SB_NODE_AND,
  SB_NODE_OR,
  SB_NODE_CALL,
  SB_NODE_SELECT,   /* word[keys = parts] */
  SB_NODE_PUBLISHED /* published(file, word, keys = parts) */
} sb_node_kind;

/* Comparisons; and functions by their arguments: a value, all values of a claim's rows, the curves of two cases. */
enum { SB_EQUAL, SB_UNEQUAL, SB_LESS, SB_LESS_EQUAL, SB_GREATER, SB_GREATER_EQUAL, SB_MATCHES, SB_IN, SB_NOT_IN };
enum {
  SB_OF_EACH,
  SB_OR_ELSE,        /* the first of two values, or the second if it is blank */
  SB_LEAST_OF_CASES, /* of the cells that a list in brackets selects: column[axis in [a, b]] */
  SB_LEAST,
  SB_GREATEST,
  SB_MEDIAN,
  SB_LOWER_QUARTILE,
  SB_UPPER_QUARTILE,
  SB_MEAN,
  SB_COUNT,
  SB_SLOPE,
  SB_RANK_CORRELATION,
  SB_CROSSING,
  SB_CROSSING_Y
};

typedef struct {
  const char *name;
  size_t      arguments_min, arguments_max;
  int         kind;
  double (*of_each)(double);
} sb_function;

typedef struct sb_node sb_node;
struct sb_node {
  sb_node_kind       kind;
  size_t             index;      /* among the nodes of its expression */
  size_t             begin, end; /* its range in the text */
  double             number;
  const char        *word, *file;
  char               arithmetic; /* + - * / ^ */
  const sb_function *function;   /* for a call */
  size_t             count;
  sb_node          **parts;
  const char       **keys;        /* [count] for selections and published cells */
  int               *comparisons; /* [count - 1] for a chain */
  sb_rows          **table;       /* the published table, once it is read */
};

struct sb_expression {
  const char    *text;
  const sb_node *root;
  size_t         nodes;
  sb_location    where;
  bool           whole; /* locations within it are unknown */
  sb_arena      *arena;
};

/* The location of the byte `at` of its text: columns count characters. */
sb_location sb_expression_place(const sb_expression *expression, size_t at);
/* 0: a part of the text matches; -1: the pattern is not an extended regular expression, or could use excessive time or
 * memory. */
int sb_pattern_match(const char *pattern, const char *text);
/* The value of a function of the known numbers, which it may sort (a function of pairs, the first of all before the
 * second, gets NaN if one of a pair is missing); NaN: there is none. */
double sb_function_of_numbers(const sb_function *f, double *numbers, size_t count);
/* The last x, or `height` the y, at which the first curve, below the second before or not yet begun, is no longer below
 * it; NaN: there is none. */
double sb_curves_crossing(const sb_curve_columns curves[2], bool height);

/* A row has no known value, or a call no answer; and what else makes a value unknown. */
struct sb_reason {
  sb_reason     *also[2];
  size_t         row;  /* (size_t)-1: none */
  unsigned       what; /* of the row: SB_LEAVES_OPEN, SB_IS_UNCOUNTED */
  const sb_node *call; /* NULL: none */
  bool           noted;
};

/* The state of a node during an evaluation. */
typedef struct {
  bool     spread;  /* in a claim: its value differs from row to row; */
  bool     known;   /* else it has been evaluated, */
  sb_value value;   /* to this */
  bool     told;    /* its fault has been reported */
  bool     bounded; /* in a claim: unknown, but a number from least to most */
  double   least, most;
} sb_node_state;

/* One evaluation: of a cell in one row, or of a claim over its rows. */
typedef struct {
  const sb_expression *expression;
  const sb_scope      *scope;
  sb_diagnostics      *diagnostics;
  bool                 failed; /* an error has occurred and been reported */
  bool                 absent; /* and it was a missing row */
  bool                 claim;
  size_t               count; /* for a claim: */
  size_t              *rows;  /* [count] its rows */
  bool                *used;  /* [rows of the scope] rows whose values were used; NULL: not recorded */
  sb_node_state       *parts; /* [nodes] for a claim, and before the run */
  const sb_check      *check; /* before the run */
  sb_arena            *arena; /* for reasons; NULL: that of the scope */
} sb_evaluation;

/* The data of an evaluation before the run. */
struct sb_check {
  const sb_vocabulary   *vocabulary;
  const struct sb_sweep *sweep;
  bool                   open; /* any name may be a column */
  sb_rows               *rows;
  sb_rows               *later; /* the other names, if only options and `method`, known before a run, are allowed */
};

/* Begins a claim, or with a check any evaluation; its memory in the arena lives as long as the evaluation. */
void sb_evaluation_begin(sb_evaluation *e, bool claim, sb_arena *arena);
/* The value of a part in a row. */
sb_value sb_evaluate(sb_evaluation *e, const sb_node *node, size_t row);
/* The same as true, false or unknown. */
sb_value sb_evaluate_truth(sb_evaluation *e, const sb_node *node, size_t row);
/* True where all are (any is), false where one is not (none is), else unknown. */
sb_value sb_evaluation_join(const sb_evaluation *e, sb_value so_far, sb_value next, bool any);
/* Tells if a claim is about a row: true or unknown. */
sb_value sb_evaluation_is_about(const sb_evaluation *e, size_t row);
/* Reports the rows among these reasons to the scope, and calls as diagnostics; each reason once. */
void sb_evaluation_explain(sb_evaluation *e, sb_reason *why);
/* Reports the fault of a part, once. Returns the value of a part that cannot be evaluated: unknown. */
sb_value sb_evaluation_fails(sb_evaluation *e, const sb_node *node, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports, as E101, a name that is not a column of `rows`: those of the scope, or of the published table of `node`. */
sb_value sb_evaluation_no_column(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const char *name);
/* True if a bare word is not a column: its value is then itself. */
bool sb_evaluation_is_plain(const sb_evaluation *e, const sb_node *node);

/* Before the run: the first reports, as E106, a word that a column cannot have. The second does so for both sides of a
 * comparison: a word next to a column is its value, and without a column the word is reported as an unknown one. */
void sb_check_word(sb_evaluation *e, const char *column, const sb_node *node);
void sb_check_compared(sb_evaluation *e, const sb_node *nodes[2], int comparison);

/* Writes the different values of a column for a message: "4, 16, 64". */
void sb_rows_put_values(const sb_rows *rows, size_t column, FILE *stream);

/* The check of expressions over `rows`. It adds to them, as unknown columns, the common columns of every index and
 * those of the driver; if no such driver is known, any name may be a column. */
sb_check sb_check_of(const sb_session *session, const struct sb_sweep *sweep, const char *driver, sb_rows *rows);
