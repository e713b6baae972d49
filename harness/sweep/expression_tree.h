/* The syntax tree of expressions and its evaluation, inside the harness: expression.c makes the tree, and
 * expression_evaluate.c, expression_grounds.c and expression_check.c walk it. See expression.h for the language. */
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

typedef enum {
  SB_EQUAL,
  SB_UNEQUAL,
  SB_LESS,
  SB_LESS_EQUAL,
  SB_GREATER,
  SB_GREATER_EQUAL,
  SB_MATCHES,
  SB_IN,
  SB_NOT_IN
} sb_comparison;

typedef struct sb_node sb_node;
struct sb_node {
  sb_node_kind   kind;
  size_t         index;      /* among the nodes of its expression */
  size_t         begin, end; /* where it stands in the text */
  double         number;
  const char    *word, *file;
  char           arithmetic; /* + - * / ^ */
  size_t         function;   /* of a call, in the table of functions */
  size_t         count;
  sb_node      **parts;
  const char   **keys;        /* [count] of selections and published cells */
  sb_comparison *comparisons; /* [count - 1] of a chain */
  sb_rows      **table;       /* where a published table stands once it is read */
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
/* Whether a bare word beside `name` (an option that takes names, `method`, `status`, `key`) is a word whatever it says:
 * backend `petsc` beside `linear`, though there is an option `petsc` too. */
bool sb_expression_takes_words(const char *name);

/* Functions by their place in one table. */
size_t      sb_function_count(void);
const char *sb_function_name(size_t function);
bool        sb_function_takes(size_t function, size_t arguments);
/* Whether `pattern` is an extended regular expression of at most 128 characters and 10 "+", without counted repetitions
 * and references to groups, which may take all time or memory. */
bool sb_pattern_valid(const char *pattern);

/* One evaluation: of a cell in one row, or of a claim over the rows that it is about. */
typedef struct sb_evaluation sb_evaluation;
struct sb_evaluation {
  const sb_expression *expression;
  const sb_scope      *scope;
  sb_diagnostics      *diagnostics;
  bool                 failed; /* something could not be evaluated, and has been reported */
  bool                 absent; /* and that was a row that is not there */
  bool                 claim;
  size_t               count;  /* of a claim: */
  size_t              *rows;   /* [count] those it is about */
  bool                *spread; /* [nodes] parts whose value differs from row to row */
  bool                *known;  /* [nodes] the other parts, once they are evaluated, … */
  sb_value            *values; /* [nodes] … and their values */
  const sb_check      *check;  /* before the run: */
  const bool          *unsure; /* [rows of the scope] rows that it may or may not be about; NULL: none */
  bool                *told;   /* [nodes] what has been reported of */
};

/* What an evaluation before the run knows and asks. */
struct sb_check {
  const sb_vocabulary   *vocabulary;
  const struct sb_sweep *sweep;
  bool                   open;    /* any name may be a column */
  bool                   planned; /* of what is known before a run: options and `method` alone */
  sb_rows               *rows;
  sb_rows               *later; /* the columns of results, which an expression that is planned cannot have */
  /* E106 for a word that a column cannot have; the same of what is compared, and E101 where none of it is a column. */
  void (*word)(sb_evaluation *e, const char *column, const sb_node *node);
  void (*comparison)(sb_evaluation *e, const sb_node *left, sb_comparison comparison, const sb_node *right);
};

void sb_evaluation_begin_claim(sb_evaluation *e);
void sb_evaluation_end(sb_evaluation *e);
/* The value of a part in a row. */
sb_value sb_evaluate(sb_evaluation *e, const sb_node *node, size_t row);
/* The same as true, false or unknown. */
sb_value sb_evaluate_truth(sb_evaluation *e, const sb_node *node, size_t row);
/* Reports what is wrong with a part, once. Gives the value of a part that cannot be evaluated: nothing is known of it.
 */
sb_value sb_evaluation_fails(sb_evaluation *e, const sb_node *node, const char *code, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* The same, E101, of a name that is no column of `rows` (those of the scope, or of the published table that `node`
 * asks), with what may have been meant. */
sb_value sb_evaluation_no_column(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const char *name);
/* Whether a bare word is no column: it stands for itself. */
bool     sb_evaluation_is_plain(const sb_evaluation *e, const sb_node *node);
sb_value sb_number_or_blank(double number); /* what is not finite is blank */
bool     sb_may_hold(sb_value truth);       /* true, or unknown */

/* The different values that rows have of a column, as a message lists them: "4, 16, 64". */
void sb_rows_put_values(const sb_rows *rows, size_t column, FILE *stream);

/* The check of expressions over `rows`; what every index has besides options and what the driver adds to it, as unknown
 * columns; the driver of that name, NULL where it is not known. */
sb_check sb_check_of(const sb_session *session, const struct sb_sweep *sweep, const sb_driver *driver, bool planned,
                     sb_rows *rows);
void     sb_check_add_results(sb_rows *rows, const sb_driver *driver);
const sb_driver *sb_check_driver(const sb_session *session, const char *name);
