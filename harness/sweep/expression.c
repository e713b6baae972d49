/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From text to tree, by precedence:
 *
 *     level    = operand (operator level)*     of the operators that bind as tightly or tighter, loosest first:
 *                or; and; not (before); == != < <= > >= ~ in "not in"; + -; * /; - + (before); ^ (to the right)
 *     operand  = ("not" | "-" | "+") level | number | string | name | name "(" … ")" | name "[" key, … "]"
 *              | "(" level ")"
 *     key      = name "=" sum | name "in" "[" sum, … "]"
 *
 * Numbers are decimal and the same in every locale; strings are in '…' or "…" and have no escapes; bytes above 127 are
 * only in strings. After the first mistake the text counts as ended: every rule returns some node, and need not test.
 */
#include "harness/sweep/expression.h"

#include <math.h>
#include <string.h>

#include "base/words.h"
#include "cases/common/text.h"
#include "harness/sweep/expression_tree.h"

enum { OPERATORS_MAX = 500 }; /* a long chain is a deep tree */

typedef enum { END, NUMBER, STRING, NAME, SYMBOL, BAD } token_kind;

typedef struct {
  token_kind  kind;
  size_t      begin, end;
  const char *problem; /* of a bad token */
} token;

typedef struct {
  sb_expression  *made;
  const char     *text;
  token           next;
  int             depth, operators, brackets;
  bool            failed;
  sb_arena       *arena;
  sb_diagnostics *diagnostics;
} parser;

typedef enum { OR, AND, NOT, COMPARE, SUM, PRODUCT, POWER } level;

typedef struct {
  const char  *text;
  level        level;
  sb_node_kind kind;
  int          means; /* a comparison, or the sign of arithmetic */
} infix;

static const infix operators[] = {{"or", OR, SB_NODE_OR, 0},
                                  {"and", AND, SB_NODE_AND, 0},
                                  {"==", COMPARE, SB_NODE_COMPARE, SB_EQUAL},
                                  {"!=", COMPARE, SB_NODE_COMPARE, SB_UNEQUAL},
                                  {"<", COMPARE, SB_NODE_COMPARE, SB_LESS},
                                  {"<=", COMPARE, SB_NODE_COMPARE, SB_LESS_EQUAL},
                                  {">", COMPARE, SB_NODE_COMPARE, SB_GREATER},
                                  {">=", COMPARE, SB_NODE_COMPARE, SB_GREATER_EQUAL},
                                  {"~", COMPARE, SB_NODE_COMPARE, SB_MATCHES},
                                  {"in", COMPARE, SB_NODE_COMPARE, SB_IN},
                                  {"not", COMPARE, SB_NODE_COMPARE, SB_NOT_IN},
                                  {"+", SUM, SB_NODE_ARITHMETIC, '+'},
                                  {"-", SUM, SB_NODE_ARITHMETIC, '-'},
                                  {"*", PRODUCT, SB_NODE_ARITHMETIC, '*'},
                                  {"/", PRODUCT, SB_NODE_ARITHMETIC, '/'},
                                  {"^", POWER, SB_NODE_ARITHMETIC, '^'}};

static const sb_function functions[] = {{"sqrt", 1, 1, SB_OF_EACH, sqrt},
                                        {"sin", 1, 1, SB_OF_EACH, sin},
                                        {"log", 1, 1, SB_OF_EACH, log},
                                        {"exp", 1, 1, SB_OF_EACH, exp},
                                        {"abs", 1, 1, SB_OF_EACH, fabs},
                                        {"or_else", 2, 2, SB_OR_ELSE, NULL},
                                        {"min", 1, 16, SB_LEAST, NULL},
                                        {"max", 1, 16, SB_GREATEST, NULL},
                                        {"median", 1, 16, SB_MEDIAN, NULL},
                                        {"mean", 1, 16, SB_MEAN, NULL},
                                        {"lower_quartile", 1, 16, SB_LOWER_QUARTILE, NULL},
                                        {"upper_quartile", 1, 16, SB_UPPER_QUARTILE, NULL},
                                        {"count", 1, 16, SB_COUNT, NULL},
                                        {"slope", 2, 2, SB_SLOPE, NULL},
                                        {"rank_correlation", 2, 2, SB_RANK_CORRELATION, NULL},
                                        {"crossing", 3, 3, SB_CROSSING, NULL},
                                        {"crossing_y", 3, 3, SB_CROSSING_Y, NULL}};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static sb_node *parse_level(parser *p, level lowest);

/* ---- tokens ---- */

static bool is_one_of(const char *set, char c) { return c != '\0' && strchr(set, c) != NULL; }

static token token_at(const char *text, size_t from)
{
  static const char digits[] = "0123456789";
  static const char name_characters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  const size_t      at = from + strspn(text + from, " \t\r\n");
  const char       *t = text + at;
  if (*t == '\0') return (token){END, at, at, NULL};
  if (is_one_of(digits, *t) || (*t == '.' && is_one_of(digits, t[1]))) {
    size_t n = strspn(t, digits);
    if (t[n] == '.') n += 1 + strspn(t + n + 1, digits);
    if (t[n] == 'e' || t[n] == 'E') {
      const size_t sign = is_one_of("+-", t[n + 1]), exponent = strspn(t + n + 1 + sign, digits);
      if (exponent > 0) n += 1 + sign + exponent;
    }
    const size_t junk = strspn(t + n, name_characters);
    return (token){junk ? BAD : NUMBER, at, at + n + junk, "a number followed by other characters:"};
  }
  if (is_one_of(name_characters, *t)) return (token){NAME, at, at + strspn(t, name_characters), NULL};
  if (*t == '\'' || *t == '"') {
    const char *closing = strchr(t + 1, *t);
    if (!closing) return (token){BAD, at, strlen(text), "a string without its closing quote:"};
    return (token){STRING, at, (size_t)(closing - text) + 1, NULL};
  }
  if (is_one_of("=!<>", *t) && t[1] == '=') return (token){SYMBOL, at, at + 2, NULL};
  if (is_one_of("<>~+-*/^()[],=", *t)) return (token){SYMBOL, at, at + 1, NULL};
  size_t end = at + 1;
  while (((unsigned char)text[end] & 0xC0) == 0x80) ++end; /* the rest of a UTF-8 character */
  return (token){BAD, at, end, "a character without meaning here (put words with it in quotes):"};
}

static void advance(parser *p) { p->next = token_at(p->text, p->next.end); }

/* A string is never next: it has its quotes. */
static bool is_next(const parser *p, const char *text)
{
  const size_t length = strlen(text);
  return p->next.end - p->next.begin == length && strncmp(p->text + p->next.begin, text, length) == 0;
}

static bool take(parser *p, const char *text)
{
  const bool next = is_next(p, text);
  if (next) advance(p);
  return next;
}

/* ---- nodes ---- */

static sb_node *new_node(const parser *p, sb_node_kind kind)
{
  sb_node *node = sb_arena_take(p->arena, 1, sizeof *node);
  *node = (sb_node){.kind = kind, .index = p->made->nodes++, .begin = p->next.begin, .end = p->next.end, .word = ""};
  return node;
}

/* Reports the first mistake, and ends the text. */
static sb_node *refuse(parser *p, size_t at, const char *what, const char *detail)
{
  if (!p->failed)
    sb_error_at(p->diagnostics, sb_expression_place(p->made, at), "E102",
                detail ? "in the expression '%s': %s '%s'" : "in the expression '%s': %s", p->text, what, detail);
  p->failed = true;
  p->next = (token){.begin = strlen(p->text), .end = strlen(p->text)};
  return new_node(p, SB_NODE_NUMBER);
}

static sb_node *refuse_token(parser *p, const char *expected)
{
  const token t = p->next;
  if (t.kind == END) return refuse(p, t.begin, expected, "the end");
  return refuse(p, t.begin, t.kind == BAD ? t.problem : expected,
                sb_arena_copy_span(p->arena, p->text + t.begin, t.end - t.begin));
}

static void add_part(const parser *p, sb_node *node, sb_node *part)
{
  *SB_NEW_ITEM(p->arena, node->parts, node->count) = part;
  node->end = part->end;
}

static void close_with(parser *p, sb_node *node, const char *closing, const char *expected)
{
  node->end = p->next.end;
  if (!take(p, closing)) refuse_token(p, expected);
}

static const char *take_text(parser *p)
{
  const size_t quotes = p->next.kind == STRING;
  const char  *text =
      sb_arena_copy_span(p->arena, p->text + p->next.begin + quotes, p->next.end - p->next.begin - 2 * quotes);
  advance(p);
  return text;
}

static bool is_name(const parser *p)
{
  return p->next.kind == NAME && !is_next(p, "and") && !is_next(p, "or") && !is_next(p, "not") && !is_next(p, "in");
}

static const char *take_word(parser *p, const char *expected)
{
  if (is_name(p) || p->next.kind == STRING) return take_text(p);
  refuse_token(p, expected);
  return "";
}

/* A bare word next to a name that has words (an option that takes names, `method`, `status`, `key`) is always a word:
 * backend `petsc` next to `linear`, although there is an option `petsc`. */
static void make_word(sb_node *node, const char *beside)
{
  const sb_option_id id = sb_option_find(beside);
  const bool         words =
      id == sb_option_count ? sb_has_word("method status key", beside) : sb_option_at(id)->kind == SB_KIND_NAME;
  if (words && node->kind == SB_NODE_NAME) node->kind = SB_NODE_STRING;
}

/* ---- operands ---- */

/* A list [sum, sum, …], after `in`; words beside `axis` are its values. */
static sb_node *parse_list(parser *p, const char *axis)
{
  sb_node *list = new_node(p, SB_NODE_LIST);
  if (!take(p, "[")) refuse_token(p, "expected a list [a, b] after 'in', not");
  do add_part(p, list, parse_level(p, SUM));
  while (take(p, ","));
  close_with(p, list, "]", "expected ',' or ']', not");
  for (size_t i = 0; axis && i < list->count; ++i) make_word(list->parts[i], axis);
  return list;
}

/* The list among the keys of a node, NULL for none. There is one, in the outermost brackets: lists within lists could
 * take any time. */
static const sb_node *find_list(const sb_node *node)
{
  for (size_t i = 0; i < node->count; ++i)
    if (node->parts[i]->kind == SB_NODE_LIST) return node->parts[i];
  return NULL;
}

/* key = sum, or in brackets of a column key in [sum, …], and more of them up to the closing symbol. */
static void parse_keys(parser *p, sb_node *node, const char *closing)
{
  p->brackets++;
  do {
    const char  *key = take_word(p, "expected the name of an axis, not");
    const size_t at = p->next.begin;
    const bool   list = node->kind == SB_NODE_SELECT && take(p, "in");
    if (list && (p->brackets > 1 || find_list(node))) refuse(p, at, "only one list, in the outermost brackets", NULL);
    if (!list && !take(p, "=")) refuse_token(p, "expected '=' after an axis, not");
    sb_node *value = list ? parse_list(p, key) : parse_level(p, SUM);
    if (!list && strcmp(value->word, key) != 0) make_word(value, key);
    node->keys = sb_arena_grow(p->arena, node->keys, node->count, sizeof *node->keys);
    node->keys[node->count] = key;
    add_part(p, node, value);
  } while (take(p, ","));
  p->brackets--;
  close_with(p, node, closing, "expected ',' or the closing bracket, not");
}

static void parse_call(parser *p, sb_node *node)
{
  const char *names[FUNCTIONS];
  node->kind = SB_NODE_CALL;
  for (size_t i = 0; i < FUNCTIONS; ++i) {
    names[i] = functions[i].name;
    if (strcmp(names[i], node->word) == 0) node->function = &functions[i];
  }
  if (!node->function) {
    const char *near = sb_nearest_name(node->word, names, FUNCTIONS);
    refuse(p, node->begin,
           sb_arena_format(p->arena, "unknown function '%s'%s", node->word, near ? "; did you mean" : ""), near);
    return;
  }
  do add_part(p, node, parse_level(p, OR));
  while (take(p, ","));
  close_with(p, node, ")", "expected ',' or ')', not");
  if (node->count < node->function->arguments_min || node->count > node->function->arguments_max)
    refuse(p, node->begin, "wrong number of arguments of", node->word);
}

/* A selection by a list is the least of the selections by its values: it becomes a call of these. */
static sb_node *spread_list(const parser *p, sb_node *node)
{
  static const sb_function least = {"the least of cases", 1, 1, SB_LEAST_OF_CASES, NULL};
  const sb_node           *list = find_list(node);
  if (!list) return node;
  sb_node *call = new_node(p, SB_NODE_CALL);
  call->begin = node->begin;
  call->function = &least;
  for (size_t i = 0; i < list->count; ++i) {
    sb_node     *one = new_node(p, SB_NODE_SELECT);
    const size_t index = one->index;
    *one = *node;
    one->index = index;
    one->parts = sb_arena_take(p->arena, node->count, sizeof *one->parts);
    for (size_t k = 0; k < node->count; ++k) one->parts[k] = node->parts[k] == list ? list->parts[i] : node->parts[k];
    add_part(p, call, one);
  }
  return call;
}

static sb_node *parse_name(parser *p)
{
  sb_node *node = new_node(p, SB_NODE_NAME);
  node->word = take_text(p);
  if (take(p, "[")) {
    node->kind = SB_NODE_SELECT;
    parse_keys(p, node, "]");
    return spread_list(p, node);
  }
  if (!take(p, "(")) return node;
  if (strcmp(node->word, "published") != 0) {
    parse_call(p, node);
  } else {
    const size_t at = p->next.begin;
    node->kind = SB_NODE_PUBLISHED;
    node->table = sb_arena_take(p->arena, 1, sizeof(sb_rows *));
    node->file = take_word(p, "expected the name of a published table, not");
    if (!sb_text_is_safe_name(node->file)) refuse(p, at, "not the plain name of a published table:", node->file);
    if (!take(p, ",")) refuse_token(p, "expected ',' and a column, not");
    node->word = take_word(p, "expected a column, not");
    if (take(p, ","))
      parse_keys(p, node, ")");
    else
      close_with(p, node, ")", "expected ',' or ')', not");
  }
  return node;
}

/* Reads the operators and what is between them. */
static sb_node *parse_operand(parser *p, level lowest)
{
  const size_t begin = p->next.begin;
  const bool   minus = is_next(p, "-"), number = p->next.kind == NUMBER;
  sb_node     *node = NULL;
  if (take(p, "+")) {
    node = parse_level(p, POWER);
  } else if (minus || (lowest <= NOT && is_next(p, "not"))) {
    node = new_node(p, minus ? SB_NODE_NEGATE : SB_NODE_NOT);
    advance(p);
    add_part(p, node, parse_level(p, minus ? POWER : NOT));
  } else if (take(p, "(")) {
    node = parse_level(p, OR);
    close_with(p, node, ")", "expected ')', not");
    node->begin = begin;
  } else if (number || p->next.kind == STRING) {
    node = new_node(p, number ? SB_NODE_NUMBER : SB_NODE_STRING);
    node->word = take_text(p);
    if (number && !sb_parse_real(node->word, &node->number)) refuse(p, begin, "not a finite number:", node->word);
  } else
    node = is_name(p) ? parse_name(p) : refuse_token(p, "expected a value, not");
  return node;
}

/* ---- operators ---- */

/* One more link of a chain, after its sign. */
static void parse_comparison(parser *p, sb_node *chain, int comparison)
{
  if (comparison == SB_NOT_IN && !take(p, "in")) refuse_token(p, "expected an operator or the end, not");
  const bool list = comparison == SB_IN || comparison == SB_NOT_IN;
  sb_node   *left = chain->parts[chain->count - 1];
  const bool beside = left->kind == SB_NODE_NAME || left->kind == SB_NODE_SELECT;
  sb_node   *right = list ? parse_list(p, beside ? left->word : NULL) : parse_level(p, SUM);
  const bool pattern = right->kind == SB_NODE_STRING || right->kind == SB_NODE_NAME;
  if (comparison == SB_MATCHES && pattern && sb_pattern_match(right->word, "") < 0)
    refuse(p, right->begin, "not a regular expression (at most 128 characters and 10 +, no {}, no \\1):", right->word);
  if (beside) make_word(right, left->word);
  if (right->kind == SB_NODE_NAME || right->kind == SB_NODE_SELECT) make_word(left, right->word);
  chain->comparisons = sb_arena_grow(p->arena, chain->comparisons, chain->count - 1, sizeof *chain->comparisons);
  chain->comparisons[chain->count - 1] = comparison;
  add_part(p, chain, right);
}

static const infix *next_operator(const parser *p)
{
  for (size_t i = 0; i < sizeof operators / sizeof *operators; ++i)
    if (is_next(p, operators[i].text)) return &operators[i];
  return NULL;
}

/* Operands and the operators between them that bind at least as tightly as `lowest`. Comparisons, `and` and `or` are
 * nodes of as many parts as there are in a row. All nesting comes through here: it is bounded, as is the stack. */
static sb_node *parse_level(parser *p, level lowest)
{
  if (++p->depth > SB_EXPRESSION_DEPTH_MAX) refuse(p, p->next.begin, "nested too deeply", NULL);
  sb_node *left = parse_operand(p, lowest), *chain = NULL;
  for (const infix *o; (o = next_operator(p)) && o->level >= lowest;) {
    if (left != chain || left->kind != o->kind || o->kind == SB_NODE_ARITHMETIC) {
      chain = new_node(p, o->kind);
      chain->begin = left->begin;
      add_part(p, chain, left);
      left = chain;
    }
    advance(p);
    if (o->kind == SB_NODE_COMPARE)
      parse_comparison(p, chain, o->means);
    else
      add_part(p, chain, parse_level(p, o->level == POWER ? POWER : o->level + 1));
    if (o->kind != SB_NODE_ARITHMETIC) continue;
    chain->arithmetic = (char)o->means;
    if (++p->operators > OPERATORS_MAX) refuse(p, p->next.begin, "too many operators", NULL);
  }
  p->depth--;
  return left;
}

sb_expression *sb_expression_parse(const char *text, sb_location where, bool whole, sb_arena *arena,
                                   sb_diagnostics *diagnostics)
{
  if (strlen(text) > SB_EXPRESSION_LENGTH_MAX) {
    sb_error_at(diagnostics, where, "E102", "an expression of %zu characters; at most %d are read", strlen(text),
                (int)SB_EXPRESSION_LENGTH_MAX);
    return NULL;
  }
  sb_expression *made = sb_arena_take(arena, 1, sizeof *made);
  *made = (sb_expression){.text = sb_arena_copy(arena, text), .where = where, .whole = whole, .arena = arena};
  parser p = {.made = made, .text = made->text, .arena = arena, .diagnostics = diagnostics};
  advance(&p);
  made->root = parse_level(&p, OR);
  if (p.next.kind != END) refuse_token(&p, "expected an operator or the end, not");
  return p.failed ? NULL : made;
}

const char *sb_expression_text(const sb_expression *expression) { return expression->text; }

sb_location sb_expression_where(const sb_expression *expression) { return expression->where; }

bool sb_expression_counts(const sb_expression *expression)
{
  return expression->root->kind == SB_NODE_CALL && expression->root->function->kind == SB_COUNT;
}

static void visit_names(const sb_node *node, void (*visit)(void *context, const char *name), void *context)
{
  if (node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT) visit(context, node->word);
  for (size_t i = 0; i < node->count; ++i) {
    if (node->kind == SB_NODE_SELECT) visit(context, node->keys[i]);
    visit_names(node->parts[i], visit, context);
  }
}

void sb_expression_names(const sb_expression *expression, void (*visit)(void *context, const char *name), void *context)
{
  visit_names(expression->root, visit, context);
}
