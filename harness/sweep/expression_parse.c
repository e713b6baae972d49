/* From text to tree, by recursive descent:
 *
 *     either   = both ("or" both)*
 *     both     = negation ("and" negation)*
 *     negation = "not" negation | compare
 *     compare  = sum (("==" | "!=" | "<" | "<=" | ">" | ">=" | "~" | ["not"] "in" list) sum)*
 *     sum      = product (("+" | "-") product)*
 *     product  = unary (("*" | "/") unary)*
 *     unary    = ("-" | "+") unary | primary ["^" unary]
 *     primary  = number | string | name | name "(" … ")" | name "[" key "=" sum, … "]" | "(" either ")"
 */
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"

enum { OPERATORS_MAX = 500 }; /* a long chain is a deep tree */

typedef struct {
  const char     *text;
  sb_token        token; /* the next one */
  int             depth, operators;
  bool            whole; /* only where the text begins is told */
  sb_location     where;
  sb_arena       *arena;
  sb_diagnostics *diagnostics;
} parser;

static sb_node *parse_either(parser *p);
static sb_node *parse_sum(parser *p);
static sb_node *parse_unary(parser *p);

sb_location sb_expression_shift(sb_location where, const char *text, size_t at)
{
  for (size_t i = 0; where.column > 0 && i < at; ++i) where.column += ((unsigned char)text[i] & 0xC0) != 0x80;
  return where;
}

static sb_node *refuse(const parser *p, size_t at, const char *what, const char *detail)
{
  const sb_location where = p->whole ? p->where : sb_expression_shift(p->where, p->text, at);
  if (detail)
    sb_error_at(p->diagnostics, where, "E102", "in the expression '%s': %s '%s'", p->text, what, detail);
  else
    sb_error_at(p->diagnostics, where, "E102", "in the expression '%s': %s", p->text, what);
  return NULL;
}

/* The token as a message shows it. */
static sb_node *refuse_token(const parser *p, const char *expected)
{
  const sb_token t = p->token;
  if (t.kind == SB_TOKEN_END) return refuse(p, t.begin, expected, "the end");
  const char *shown = sb_arena_copy_span(p->arena, p->text + t.begin, t.end - t.begin);
  return refuse(p, t.begin, t.kind == SB_TOKEN_BAD ? t.problem : expected, shown);
}

static void advance(parser *p) { p->token = sb_expression_token(p->text, p->token.end); }

static bool is_token(const parser *p, sb_token_kind kind, const char *text)
{
  const size_t length = strlen(text);
  return p->token.kind == kind && p->token.end - p->token.begin == length &&
         strncmp(p->text + p->token.begin, text, length) == 0;
}

static bool is_symbol(const parser *p, const char *text) { return is_token(p, SB_TOKEN_SYMBOL, text); }

static bool is_keyword(const parser *p, const char *text) { return is_token(p, SB_TOKEN_NAME, text); }

static bool is_reserved(const parser *p)
{
  return is_keyword(p, "and") || is_keyword(p, "or") || is_keyword(p, "not") || is_keyword(p, "in");
}

static bool take_symbol(parser *p, const char *text)
{
  if (!is_symbol(p, text)) return false;
  advance(p);
  return true;
}

static bool take_keyword(parser *p, const char *text)
{
  if (!is_keyword(p, text)) return false;
  advance(p);
  return true;
}

static sb_node *new_node(const parser *p, sb_node_kind kind)
{
  sb_node *node = sb_arena_take(p->arena, 1, sizeof *node);
  node->kind = kind;
  node->begin = p->token.begin;
  node->end = p->token.end;
  return node;
}

/* Adds a part; NULL where one of them is (already reported). */
static sb_node *with_part(const parser *p, sb_node *node, sb_node *part)
{
  if (!node || !part) return NULL;
  node->parts = sb_arena_grow(p->arena, node->parts, node->count, sizeof(sb_node *));
  node->parts[node->count++] = part;
  const bool infix = node->kind == SB_NODE_ARITHMETIC || node->kind == SB_NODE_COMPARE || node->kind == SB_NODE_AND ||
                     node->kind == SB_NODE_OR;
  if (infix && node->count == 1) node->begin = part->begin;
  node->end = part->end;
  return node;
}

static char *token_text(const parser *p)
{
  const size_t quotes = p->token.kind == SB_TOKEN_STRING;
  return sb_arena_copy_span(p->arena, p->text + p->token.begin + quotes, p->token.end - p->token.begin - 2 * quotes);
}

/* A name or a string, or NULL after a message. */
static char *take_word(parser *p, const char *expected)
{
  const bool good = (p->token.kind == SB_TOKEN_NAME && !is_reserved(p)) || p->token.kind == SB_TOKEN_STRING;
  if (!good) {
    refuse_token(p, expected);
    return NULL;
  }
  char *word = token_text(p);
  advance(p);
  return word;
}

static sb_node *close_with(parser *p, sb_node *node, const char *closing, const char *expected)
{
  if (!node) return NULL;
  node->end = p->token.end;
  if (take_symbol(p, closing)) return node;
  return refuse_token(p, expected);
}

static sb_node *parse_number(parser *p)
{
  char    *digits = token_text(p);
  sb_node *node = new_node(p, SB_NODE_NUMBER);
  if (!sb_parse_real(digits, &node->number)) return refuse(p, p->token.begin, "not a finite number:", digits);
  advance(p);
  return node;
}

/* A bare word beside an option that takes names is a word, whatever else has that name. */
static void make_word(sb_node *name, const sb_node *other)
{
  const bool column = other->kind == SB_NODE_NAME || other->kind == SB_NODE_SELECT;
  if (column && name->kind == SB_NODE_NAME && sb_expression_takes_words(other->word)) name->kind = SB_NODE_STRING;
}

/* key = sum, key = sum, … up to the closing symbol. */
static sb_node *parse_keys(parser *p, sb_node *node, const char *closing)
{
  do {
    char *key = take_word(p, "expected the name of an axis, not");
    if (key && !take_symbol(p, "=")) {
      refuse_token(p, "expected '=' after an axis, not");
      key = NULL;
    }
    sb_node *value = key ? parse_sum(p) : NULL;
    if (value && value->kind == SB_NODE_NAME && strcmp(value->word, key) != 0 && sb_expression_takes_words(key))
      value->kind = SB_NODE_STRING;
    if (value) {
      node->keys = sb_arena_grow(p->arena, node->keys, node->count, sizeof *node->keys);
      node->keys[node->count] = key;
    }
    node = with_part(p, node, value);
  } while (node && take_symbol(p, ","));
  return close_with(p, node, closing, "expected ',' or the closing bracket, not");
}

static bool plain_file_name(const char *name)
{
  return *name != '\0' && *name != '.' && *name != '-' && strlen(name) <= 64 &&
         name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")] == '\0';
}

static sb_node *parse_published(parser *p, sb_node *node)
{
  node->kind = SB_NODE_PUBLISHED;
  const size_t at = p->token.begin;
  node->file = take_word(p, "expected the name of a published table, not");
  bool good = node->file != NULL;
  if (good && !plain_file_name(node->file)) {
    refuse(p, at, "not the plain name of a published table:", node->file);
    good = false;
  }
  if (good && !take_symbol(p, ",")) good = refuse_token(p, "expected ',' and a column, not") != NULL;
  node->word = good ? take_word(p, "expected a column, not") : NULL;
  if (good && node->word && take_symbol(p, ",")) return parse_keys(p, node, ")");
  return good && node->word ? close_with(p, node, ")", "expected ',' or ')', not") : NULL;
}

static sb_node *refuse_function(const parser *p, const sb_node *node)
{
  const char *names[32];
  size_t      count = 0;
  for (; count < sb_function_count() && count < 32; ++count) names[count] = sb_function_name(count);
  const char *near = sb_nearest_name(node->word, names, count);
  const char *what = sb_arena_format(p->arena, "unknown function '%s'%s", node->word, near ? "; did you mean" : "");
  return refuse(p, node->begin, what, near);
}

static sb_node *check_arguments(const parser *p, sb_node *node)
{
  if (!node || (node->count >= sb_function_arguments_min(node->function) &&
                node->count <= sb_function_arguments_max(node->function)))
    return node;
  return refuse(p, node->begin, "wrong number of arguments of", sb_function_name(node->function));
}

static sb_node *parse_call(parser *p, sb_node *node)
{
  if (strcmp(node->word, "published") == 0) return parse_published(p, node);
  node->kind = SB_NODE_CALL;
  while (node->function < sb_function_count() && strcmp(sb_function_name(node->function), node->word) != 0)
    node->function++;
  if (node->function == sb_function_count()) return refuse_function(p, node);
  do node = with_part(p, node, parse_either(p));
  while (node && take_symbol(p, ","));
  return check_arguments(p, close_with(p, node, ")", "expected ',' or ')', not"));
}

static sb_node *parse_name(parser *p)
{
  if (is_reserved(p)) return refuse_token(p, "expected a value, not");
  sb_node *node = new_node(p, SB_NODE_NAME);
  node->word = token_text(p);
  advance(p);
  if (take_symbol(p, "(")) return parse_call(p, node);
  if (!take_symbol(p, "[")) return node;
  node->kind = SB_NODE_SELECT;
  return parse_keys(p, node, "]");
}

static sb_node *parse_primary(parser *p)
{
  if (p->token.kind == SB_TOKEN_NUMBER) return parse_number(p);
  if (p->token.kind == SB_TOKEN_NAME) return parse_name(p);
  if (p->token.kind == SB_TOKEN_STRING) {
    sb_node *node = new_node(p, SB_NODE_STRING);
    node->word = token_text(p);
    advance(p);
    return node;
  }
  const size_t begin = p->token.begin;
  if (!take_symbol(p, "(")) return refuse_token(p, "expected a value, not");
  sb_node *node = close_with(p, parse_either(p), ")", "expected ')', not");
  if (node) node->begin = begin;
  return node;
}

static sb_node *too_deep(const parser *p) { return refuse(p, p->token.begin, "nested too deeply", NULL); }

static sb_node *join(parser *p, char arithmetic, sb_node *left, sb_node *right)
{
  sb_node *node = new_node(p, SB_NODE_ARITHMETIC);
  node->arithmetic = arithmetic;
  node = with_part(p, node, left);
  if (++p->operators <= OPERATORS_MAX) return with_part(p, node, right);
  return refuse(p, p->token.begin, "too many operators", NULL);
}

static sb_node *parse_signed(parser *p)
{
  if (take_symbol(p, "+")) return parse_unary(p);
  if (is_symbol(p, "-")) {
    sb_node *node = new_node(p, SB_NODE_NEGATE);
    advance(p);
    return with_part(p, node, parse_unary(p));
  }
  sb_node *base = parse_primary(p);
  return base && take_symbol(p, "^") ? join(p, '^', base, parse_unary(p)) : base;
}

static sb_node *parse_unary(parser *p)
{
  if (++p->depth > SB_EXPRESSION_DEPTH_MAX) return too_deep(p);
  sb_node *node = parse_signed(p);
  p->depth--;
  return node;
}

static sb_node *parse_product(parser *p)
{
  sb_node *node = parse_unary(p);
  while (node && (is_symbol(p, "*") || is_symbol(p, "/"))) {
    const char arithmetic = p->text[p->token.begin];
    advance(p);
    node = join(p, arithmetic, node, parse_unary(p));
  }
  return node;
}

static sb_node *parse_sum(parser *p)
{
  sb_node *node = parse_product(p);
  while (node && (is_symbol(p, "+") || is_symbol(p, "-"))) {
    const char arithmetic = p->text[p->token.begin];
    advance(p);
    node = join(p, arithmetic, node, parse_product(p));
  }
  return node;
}

static sb_node *parse_list(parser *p)
{
  sb_node *node = new_node(p, SB_NODE_LIST);
  if (!take_symbol(p, "[")) return refuse_token(p, "expected a list [a, b] after 'in', not");
  do node = with_part(p, node, parse_sum(p));
  while (node && take_symbol(p, ","));
  return close_with(p, node, "]", "expected ',' or ']', not");
}

static bool take_comparison(parser *p, sb_comparison *comparison)
{
  static const struct {
    const char   *symbol;
    sb_comparison comparison;
  } symbols[] = {{"==", SB_EQUAL},  {"!=", SB_UNEQUAL},       {"<", SB_LESS},   {"<=", SB_LESS_EQUAL},
                 {">", SB_GREATER}, {">=", SB_GREATER_EQUAL}, {"~", SB_MATCHES}};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
    if (take_symbol(p, symbols[i].symbol)) {
      *comparison = symbols[i].comparison;
      return true;
    }
  *comparison = is_keyword(p, "not") ? SB_NOT_IN : SB_IN;
  take_keyword(p, "not");
  return take_keyword(p, "in");
}

static bool bad_pattern(const parser *p, sb_comparison comparison, const sb_node *right)
{
  if (comparison != SB_MATCHES || (right->kind != SB_NODE_STRING && right->kind != SB_NODE_NAME)) return false;
  if (sb_pattern_valid(right->word)) return false;
  refuse(p, right->begin, "not a regular expression (at most 128 characters and 10 +, no {}, no \\1):", right->word);
  return true;
}

static sb_node *add_comparison(const parser *p, sb_node *chain, sb_comparison comparison, sb_node *right)
{
  sb_node *left = chain->parts[chain->count - 1];
  if (!right || bad_pattern(p, comparison, right)) return NULL;
  for (size_t i = 0; right->kind == SB_NODE_LIST && i < right->count; ++i) make_word(right->parts[i], left);
  make_word(right, left);
  make_word(left, right);
  chain->comparisons = sb_arena_grow(p->arena, chain->comparisons, chain->count - 1, sizeof *chain->comparisons);
  chain->comparisons[chain->count - 1] = comparison;
  return with_part(p, chain, right);
}

static sb_node *parse_compare(parser *p)
{
  sb_node      *node = parse_sum(p);
  sb_comparison comparison;
  bool          chain = false;
  while (node && take_comparison(p, &comparison)) {
    if (!chain) node = with_part(p, new_node(p, SB_NODE_COMPARE), node);
    chain = true;
    const bool list = comparison == SB_IN || comparison == SB_NOT_IN;
    node = add_comparison(p, node, comparison, list ? parse_list(p) : parse_sum(p));
  }
  return node;
}

static sb_node *parse_negation(parser *p)
{
  if (!is_keyword(p, "not")) return parse_compare(p);
  if (++p->depth > SB_EXPRESSION_DEPTH_MAX) return too_deep(p);
  sb_node *node = new_node(p, SB_NODE_NOT);
  advance(p);
  node = with_part(p, node, parse_negation(p));
  p->depth--;
  return node;
}

static sb_node *parse_joined(parser *p, const char *keyword, sb_node_kind kind, sb_node *(*part)(parser *))
{
  sb_node *node = part(p);
  bool     joined = false;
  while (node && take_keyword(p, keyword)) {
    if (!joined) node = with_part(p, new_node(p, kind), node);
    joined = true;
    node = with_part(p, node, part(p));
  }
  return node;
}

static sb_node *parse_both(parser *p) { return parse_joined(p, "and", SB_NODE_AND, parse_negation); }

static sb_node *parse_either(parser *p)
{
  if (++p->depth > SB_EXPRESSION_DEPTH_MAX) return too_deep(p);
  sb_node *node = parse_joined(p, "or", SB_NODE_OR, parse_both);
  p->depth--;
  return node;
}

static sb_expression *parse(const char *text, sb_location where, bool whole, sb_arena *arena,
                            sb_diagnostics *diagnostics)
{
  parser p = {.text = text, .where = where, .whole = whole, .arena = arena, .diagnostics = diagnostics};
  if (strlen(text) > SB_EXPRESSION_LENGTH_MAX) {
    sb_error_at(diagnostics, where, "E102", "an expression of %zu characters; at most %d are read", strlen(text),
                (int)SB_EXPRESSION_LENGTH_MAX);
    return NULL;
  }
  advance(&p);
  sb_node *root = parse_either(&p);
  if (root && p.token.kind != SB_TOKEN_END) root = refuse_token(&p, "expected an operator or the end, not");
  if (!root) return NULL;
  sb_expression *expression = sb_arena_take(arena, 1, sizeof *expression);
  *expression = (sb_expression){sb_arena_copy(arena, text), root, where, whole, arena};
  return expression;
}

sb_expression *sb_expression_parse(const char *text, sb_location where, sb_arena *arena, sb_diagnostics *diagnostics)
{
  return parse(text, where, false, arena, diagnostics);
}

sb_expression *sb_expression_parse_whole(const char *text, sb_location where, sb_arena *arena,
                                         sb_diagnostics *diagnostics)
{
  return parse(text, where, true, arena, diagnostics);
}
