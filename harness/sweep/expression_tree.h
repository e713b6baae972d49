/* The syntax tree of expressions, inside the harness: expression_lex.c, expression_parse.c, expression_eval.c and
 * their neighbours. See expression.h for the language. Local. */
#pragma once

#include "base/options.h"
#include "harness/common/published_table.h"
#include "harness/sweep/expression.h"

enum { SB_EXPRESSION_LENGTH_MAX = 4096, SB_EXPRESSION_DEPTH_MAX = 64 };

typedef enum {
  SB_NODE_NUMBER,
  SB_NODE_STRING, /* quoted, or a bare word that can only be a word */
  SB_NODE_NAME,   /* a bare word: a column's values where there is one of that name, else itself */
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
  sb_node_kind        kind;
  size_t              begin, end; /* where it stands in the text */
  double              number;
  char               *word, *file;
  char                arithmetic; /* + - * / ^ */
  size_t              function;   /* of a call, in the table of functions */
  size_t              count;
  sb_node           **parts;
  char              **keys;        /* [count] of selections and published cells */
  sb_comparison      *comparisons; /* [count - 1] of a chain */
  sb_published_table *table;       /* read when it is first needed */
};

struct sb_expression {
  char       *text;
  sb_node    *root;
  sb_location where;
  bool        whole; /* places within it cannot be told */
  sb_arena   *arena; /* that it was parsed into */
};

/* Tokens. */
typedef enum {
  SB_TOKEN_END,
  SB_TOKEN_NUMBER,
  SB_TOKEN_STRING,
  SB_TOKEN_NAME,
  SB_TOKEN_SYMBOL,
  SB_TOKEN_BAD
} sb_token_kind;
typedef struct {
  sb_token_kind kind;
  size_t        begin, end;
  const char   *problem; /* of a bad token */
} sb_token;
sb_token sb_expression_token(const char *text, size_t from);

/* Where the byte `at` of a text stands that begins at `where`: columns count characters. */
sb_location sb_expression_shift(sb_location where, const char *text, size_t at);

/* Functions by their place in one table. */
size_t      sb_function_count(void);
const char *sb_function_name(size_t function);
size_t      sb_function_arguments_min(size_t function);
size_t      sb_function_arguments_max(size_t function);

/* The values of a node: one, or one a row. Words are borrowed from rows, tree or published tables. */
typedef struct {
  bool      spread; /* one a row: comparisons hold when they hold for every element */
  size_t    count;
  sb_value *items;
} sb_values;
sb_values sb_values_create(size_t count, bool spread);
void      sb_values_clear(sb_values *values);

/* Collects what a claim compares: `text` is the whole expression's. Nothing for `shown` NULL. */
typedef struct sb_shown sb_shown;
sb_shown               *sb_shown_create(void);
void                    sb_shown_destroy(sb_shown **shown);
void                    sb_shown_add(sb_shown *shown, const char *text, const sb_node *node, const sb_values *values);
void                    sb_shown_write(const sb_shown *shown, char *to, size_t size);
/* One timing column and otherwise constants; constants alone (numbers, published cells). */
bool sb_node_is_timing(const sb_node *node, const sb_rows *rows);
bool sb_node_is_constant(const sb_node *node);

sb_value sb_number_or_blank(double number); /* what is not finite is blank */

/* Always false, with the message in error[256]. */
bool sb_expression_fail(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* One function of evaluated arguments. */
bool sb_function_apply(size_t function, const sb_values *arguments, size_t count, sb_values *result, char *error);
/* `left` comparison `right`; blanks compare false. */
bool sb_values_compare(sb_comparison comparison, sb_value left, sb_value right, bool *truth, char *error);
/* Whether `pattern` is an extended regular expression of at most 128 characters and 10 "+", without counted repetitions
 * and references to groups, which may take all time or memory. */
bool sb_pattern_valid(const char *pattern);

/* The cell of a published table in `folder`, read into node->table; the key of part i has the value values[i]. */
bool sb_published_cell(sb_arena *arena, sb_node *node, const char *folder, const sb_value *values, sb_value *cell,
                       char *error);

/* E100 and E101 for published tables in `folder`, and columns of them, that are not there. NULL is no expression. */
void sb_expression_check_published(const sb_expression *expression, const char *folder, sb_diagnostics *diagnostics);

/* Whether a bare word beside `name` (an option that takes names, `method`, `status`, `key`) is a word whatever it says:
 * backend `petsc` beside `linear`, though there is an option `petsc` too. */
bool sb_expression_takes_words(const char *name);
