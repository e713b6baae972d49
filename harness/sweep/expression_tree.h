/* The syntax tree of expressions and its evaluation, inside the harness (expression.h has the language). expression.c
 * makes the tree. expression_evaluate.c evaluates it, by expression_functions.c (functions of all values),
 * expression_pattern.c and expression_errors.c. expression_check.c, expression_grounds.c and expression_planned.c walk
 * both. */
#pragma once

#include "base/options.h"
#include "harness/sweep/expression.h"

enum { SB_EXPRESSION_LENGTH_MAX = 4096, SB_EXPRESSION_DEPTH_MAX = 64 };

typedef enum {
  SB_NODE_NUMBER,
  SB_NODE_STRING, /* quoted, or a bare word that can only be a word */
  SB_NODE_NAME,   /* a bare word: the row's value where there is a column of that name, else itself */
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

/* Comparisons, and functions by what they take: a value, all values of a claim's rows, the curves of two cases. */
enum { SB_EQUAL, SB_UNEQUAL, SB_LESS, SB_LESS_EQUAL, SB_GREATER, SB_GREATER_EQUAL, SB_MATCHES, SB_IN, SB_NOT_IN };
enum {
  SB_OF_EACH,
  SB_OR_ELSE, /* the first of two values, or where it is blank the second */
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
  size_t             begin, end; /* where it stands in the text */
  double             number;
  const char        *word, *file;
  char               arithmetic; /* + - * / ^ */
  const sb_function *function;   /* of a call */
  size_t             count;
  sb_node          **parts;
  const char       **keys;        /* [count] of selections and published cells */
  int               *comparisons; /* [count - 1] of a chain */
  sb_rows          **table;       /* where a published table stands once it is read */
};

struct sb_expression {
  const char    *text;
  const sb_node *root;
  size_t         nodes;
  sb_location    where;
  bool           whole; /* places within it cannot be told */
  sb_arena      *arena;
};

/* Where the byte `at` of its text stands: columns count characters. */
sb_location sb_expression_place(const sb_expression *expression, size_t at);
/* Tells whether `pattern` is an extended regular expression, and none that may take all time or memory. */
bool sb_pattern_valid(const char *pattern);
/* 0: a part of the text matches, -1: the pattern is not valid. */
int sb_pattern_match(const char *pattern, const char *text);
/* The value of a function of the known numbers, which it may sort (a function of pairs, the first of all before the
 * second, gets NaN if one of a pair is missing); NaN: none. */
double sb_function_of_numbers(const sb_function *f, double *numbers, size_t count);
/* The last x, or `height` the y, at which the first curve, below the second before or where that had not begun, is not
 * below it any more; NaN: none. */
double sb_curves_crossing(const sb_curve_columns curves[2], bool height);

/* Holds what an evaluation knows of a node. */
typedef struct {
  bool     spread;  /* of a claim: its value differs from row to row; */
  bool     known;   /* else it has been evaluated, */
  sb_value value;   /* to this */
  bool     told;    /* what is wrong with it has been reported */
  bool     bounded; /* of a claim: not known, and a number from least to most */
  double   least, most;
} sb_node_state;

/* One evaluation: of a cell in one row, or of a claim over the rows that it is about. */
typedef struct {
  const sb_expression *expression;
  const sb_scope      *scope;
  sb_diagnostics      *diagnostics;
  bool                 failed; /* something could not be evaluated, and has been reported */
  bool                 absent; /* and that was a row that is not there */
  bool                 claim;
  size_t               count; /* of a claim: */
  size_t              *rows;  /* [count] those it is about */
  bool                *used;  /* [rows of the scope] rows whose values were used; NULL: not recorded */
  sb_node_state       *parts; /* [nodes] of a claim, and before the run */
  const sb_check      *check; /* before the run */
} sb_evaluation;

/* Holds what an evaluation before the run knows. */
struct sb_check {
  const sb_vocabulary   *vocabulary;
  const struct sb_sweep *sweep;
  bool                   open;    /* any name may be a column */
  bool                   planned; /* of what is known before a run: options and `method` alone */
  sb_rows               *rows;
  sb_rows               *later; /* the columns of results, which an expression that is planned cannot have */
};

/* Begins a claim, or with a check any evaluation; what it takes from the arena lasts as long as the evaluation. */
void sb_evaluation_begin(sb_evaluation *e, bool claim, sb_arena *arena);
/* The value of a part in a row. */
sb_value sb_evaluate(sb_evaluation *e, const sb_node *node, size_t row);
/* The same as true, false or unknown. */
sb_value sb_evaluate_truth(sb_evaluation *e, const sb_node *node, size_t row);
/* Tells who asks that a result was taken from a row: SB_READ_TIME, SB_READ_UNKNOWN. */
void sb_evaluation_reads(const sb_evaluation *e, size_t row, unsigned what);
/* Reports what is wrong with a part, once. Gives the value of one that cannot be evaluated: nothing is known of it. */
sb_value sb_evaluation_fails(sb_evaluation *e, const sb_node *node, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Reports, as E101, a name that is not a column of `rows` (those of the scope, or of the published table of `node`),
 * with what may have been meant. */
sb_value sb_evaluation_no_column(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const char *name);
/* Tells whether a bare word is no column: it then stands for itself. */
bool sb_evaluation_is_plain(const sb_evaluation *e, const sb_node *node);

/* Before the run: reports, as E106, a word that a column cannot have; and the same of the two sides of a comparison,
 * where a word beside a column is its value, and one that was meant for a column is reported where there is none. */
void sb_check_word(sb_evaluation *e, const char *column, const sb_node *node);
void sb_check_compared(sb_evaluation *e, const sb_node *nodes[2], int comparison);

/* The different values that rows have of a column, as a message lists them: "4, 16, 64". */
void sb_rows_put_values(const sb_rows *rows, size_t column, FILE *stream);

/* The check of expressions over `rows`, to which it adds, as unknown columns, what every index has besides options and
 * what the driver of that name adds to it; open where no such driver is known. */
sb_check sb_check_of(const sb_session *session, const struct sb_sweep *sweep, const char *driver, sb_rows *rows);
