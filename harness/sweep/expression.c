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
 *
 * Numbers are decimal and the same in every locale; strings stand in '…' or "…" and have no escapes; bytes above 127
 * stand in strings only. After the first mistake the text counts as ended: every rule comes back with some node, and
 * none of them has to ask. */
#include "harness/sweep/expression.h"

#include <string.h>

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
  int             depth, operators;
  bool            failed;
  sb_arena       *arena;
  sb_diagnostics *diagnostics;
} parser;

static const char digits[] = "0123456789";
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char name_characters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

static sb_node *parse_either(parser *p);
static sb_node *parse_sum(parser *p);
static sb_node *parse_unary(parser *p);

static bool is_one_of(const char *set, char c) { return c != '\0' && strchr(set, c) != NULL; }

static size_t number_length(const char *text)
{
  size_t n = strspn(text, digits);
  if (text[n] == '.') n += 1 + strspn(text + n + 1, digits);
  if (text[n] == 'e' || text[n] == 'E') {
    const size_t sign = is_one_of("+-", text[n + 1]);
    const size_t exponent = strspn(text + n + 1 + sign, digits);
    if (exponent > 0) n += 1 + sign + exponent;
  }
  return n;
}

static token token_at(const char *text, size_t from)
{
  const size_t at = from + strspn(text + from, " \t\r\n");
  const char  *t = text + at;
  if (*t == '\0') return (token){END, at, at, NULL};
  if (is_one_of(digits, *t) || (*t == '.' && is_one_of(digits, t[1]))) {
    const size_t end = at + number_length(t), junk = strspn(text + end, name_characters);
    return junk > 0 ? (token){BAD, at, end + junk, "a number with junk behind it:"} : (token){NUMBER, at, end, NULL};
  }
  if (is_one_of(letters, *t)) return (token){NAME, at, at + strspn(t, name_characters), NULL};
  if (*t == '\'' || *t == '"') {
    const char *closing = strchr(t + 1, *t);
    if (!closing) return (token){BAD, at, strlen(text), "a string without its closing quote:"};
    return (token){STRING, at, (size_t)(closing - text) + 1, NULL};
  }
  if (is_one_of("=!<>", *t) && t[1] == '=') return (token){SYMBOL, at, at + 2, NULL};
  if (is_one_of("<>~+-*/^()[],=", *t)) return (token){SYMBOL, at, at + 1, NULL};
  size_t end = at + 1;
  while (((unsigned char)text[end] & 0xC0) == 0x80) ++end; /* the rest of a UTF-8 character */
  return (token){BAD, at, end, "a character that means nothing here (words with such stand in quotes):"};
}

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

static void advance(parser *p) { p->next = token_at(p->text, p->next.end); }

static bool is_next(const parser *p, token_kind kind, const char *text)
{
  const size_t length = strlen(text);
  return p->next.kind == kind && p->next.end - p->next.begin == length &&
         strncmp(p->text + p->next.begin, text, length) == 0;
}

static bool take(parser *p, token_kind kind, const char *text)
{
  if (!is_next(p, kind, text)) return false;
  advance(p);
  return true;
}

static void close_with(parser *p, sb_node *node, const char *closing, const char *expected)
{
  node->end = p->next.end;
  if (!take(p, SYMBOL, closing)) refuse_token(p, expected);
}

static void add_part(const parser *p, sb_node *node, sb_node *part)
{
  node->parts = sb_arena_grow(p->arena, node->parts, node->count, sizeof(sb_node *));
  node->parts[node->count++] = part;
  node->end = part->end;
}

static sb_node *new_infix(const parser *p, sb_node_kind kind, sb_node *first)
{
  sb_node *node = new_node(p, kind);
  node->begin = first->begin;
  add_part(p, node, first);
  return node;
}

static const char *take_text(parser *p)
{
  const size_t quotes = p->next.kind == STRING;
  const char  *text =
      sb_arena_copy_span(p->arena, p->text + p->next.begin + quotes, p->next.end - p->next.begin - 2 * quotes);
  advance(p);
  return text;
}

static bool is_reserved(const parser *p)
{
  return is_next(p, NAME, "and") || is_next(p, NAME, "or") || is_next(p, NAME, "not") || is_next(p, NAME, "in");
}

static const char *take_word(parser *p, const char *expected)
{
  if ((p->next.kind == NAME && !is_reserved(p)) || p->next.kind == STRING) return take_text(p);
  refuse_token(p, expected);
  return "";
}

bool sb_expression_takes_words(const char *name)
{
  if (strcmp(name, "method") == 0 || strcmp(name, "status") == 0 || strcmp(name, "key") == 0) return true;
  const sb_option_id id = sb_option_find(name);
  return id != SB_OPT_COUNT && sb_option_at(id)->kind == SB_KIND_NAME;
}

/* A bare word beside an option that takes names is a word, whatever else has that name. */
static void make_word(sb_node *name, const sb_node *other)
{
  const bool column = other->kind == SB_NODE_NAME || other->kind == SB_NODE_SELECT;
  if (column && name->kind == SB_NODE_NAME && sb_expression_takes_words(other->word)) name->kind = SB_NODE_STRING;
}

/* key = sum, key = sum, … up to the closing symbol. */
static void parse_keys(parser *p, sb_node *node, const char *closing)
{
  do {
    const char *key = take_word(p, "expected the name of an axis, not");
    if (!take(p, SYMBOL, "=")) refuse_token(p, "expected '=' after an axis, not");
    sb_node *value = parse_sum(p);
    if (value->kind == SB_NODE_NAME && strcmp(value->word, key) != 0 && sb_expression_takes_words(key))
      value->kind = SB_NODE_STRING;
    node->keys = sb_arena_grow(p->arena, node->keys, node->count, sizeof *node->keys);
    node->keys[node->count] = key;
    add_part(p, node, value);
  } while (take(p, SYMBOL, ","));
  close_with(p, node, closing, "expected ',' or the closing bracket, not");
}

static bool is_plain_file_name(const char *name)
{
  return *name != '\0' && *name != '.' && *name != '-' && strlen(name) <= 64 &&
         name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")] == '\0';
}

static void parse_published(parser *p, sb_node *node)
{
  const size_t at = p->next.begin;
  node->kind = SB_NODE_PUBLISHED;
  node->table = sb_arena_take(p->arena, 1, sizeof(sb_rows *));
  node->file = take_word(p, "expected the name of a published table, not");
  if (!is_plain_file_name(node->file)) refuse(p, at, "not the plain name of a published table:", node->file);
  if (!take(p, SYMBOL, ",")) refuse_token(p, "expected ',' and a column, not");
  node->word = take_word(p, "expected a column, not");
  if (take(p, SYMBOL, ","))
    parse_keys(p, node, ")");
  else
    close_with(p, node, ")", "expected ',' or ')', not");
}

static void find_function(parser *p, sb_node *node)
{
  const char *names[32];
  size_t      count = 0;
  for (; count < sb_function_count() && count < 32; ++count) names[count] = sb_function_name(count);
  while (node->function < count && strcmp(names[node->function], node->word) != 0) node->function++;
  if (node->function < count) return;
  const char *near = sb_nearest_name(node->word, names, count);
  refuse(p, node->begin, sb_arena_format(p->arena, "unknown function '%s'%s", node->word, near ? "; did you mean" : ""),
         near);
}

static void parse_call(parser *p, sb_node *node)
{
  node->kind = SB_NODE_CALL;
  find_function(p, node);
  do add_part(p, node, parse_either(p));
  while (take(p, SYMBOL, ","));
  close_with(p, node, ")", "expected ',' or ')', not");
  if (!p->failed && !sb_function_takes(node->function, node->count))
    refuse(p, node->begin, "wrong number of arguments of", sb_function_name(node->function));
}

static sb_node *parse_name(parser *p)
{
  if (is_reserved(p)) return refuse_token(p, "expected a value, not");
  sb_node *node = new_node(p, SB_NODE_NAME);
  node->word = take_text(p);
  if (take(p, SYMBOL, "(")) {
    if (strcmp(node->word, "published") == 0)
      parse_published(p, node);
    else
      parse_call(p, node);
  } else if (take(p, SYMBOL, "[")) {
    node->kind = SB_NODE_SELECT;
    parse_keys(p, node, "]");
  }
  return node;
}

static sb_node *parse_primary(parser *p)
{
  const size_t begin = p->next.begin;
  sb_node     *node = NULL;
  if (p->next.kind == NAME) return parse_name(p);
  if (p->next.kind == NUMBER || p->next.kind == STRING) {
    node = new_node(p, p->next.kind == NUMBER ? SB_NODE_NUMBER : SB_NODE_STRING);
    node->word = take_text(p);
    if (node->kind == SB_NODE_NUMBER && !sb_parse_real(node->word, &node->number))
      refuse(p, begin, "not a finite number:", node->word);
    return node;
  }
  if (!take(p, SYMBOL, "(")) return refuse_token(p, "expected a value, not");
  node = parse_either(p);
  close_with(p, node, ")", "expected ')', not");
  node->begin = begin;
  return node;
}

/* Every level of nesting comes through here, and every step of a chain: both are bounded, as is the stack. */
static void go_deeper(parser *p)
{
  if (++p->depth > SB_EXPRESSION_DEPTH_MAX) refuse(p, p->next.begin, "nested too deeply", NULL);
}

static sb_node *join(parser *p, sb_node *left, sb_node *(*parse_right)(parser *))
{
  sb_node *node = new_infix(p, SB_NODE_ARITHMETIC, left);
  node->arithmetic = p->text[p->next.begin];
  advance(p);
  add_part(p, node, parse_right(p));
  if (++p->operators > OPERATORS_MAX) refuse(p, p->next.begin, "too many operators", NULL);
  return node;
}

static sb_node *parse_unary(parser *p)
{
  sb_node *node = NULL;
  go_deeper(p);
  if (take(p, SYMBOL, "+")) {
    node = parse_unary(p);
  } else if (is_next(p, SYMBOL, "-")) {
    node = new_node(p, SB_NODE_NEGATE);
    advance(p);
    add_part(p, node, parse_unary(p));
  } else {
    node = parse_primary(p);
    if (is_next(p, SYMBOL, "^")) node = join(p, node, parse_unary);
  }
  p->depth--;
  return node;
}

static sb_node *parse_product(parser *p)
{
  sb_node *node = parse_unary(p);
  while (is_next(p, SYMBOL, "*") || is_next(p, SYMBOL, "/")) node = join(p, node, parse_unary);
  return node;
}

static sb_node *parse_sum(parser *p)
{
  sb_node *node = parse_product(p);
  while (is_next(p, SYMBOL, "+") || is_next(p, SYMBOL, "-")) node = join(p, node, parse_product);
  return node;
}

static sb_node *parse_list(parser *p)
{
  sb_node *node = new_node(p, SB_NODE_LIST);
  if (!take(p, SYMBOL, "[")) return refuse_token(p, "expected a list [a, b] after 'in', not");
  do add_part(p, node, parse_sum(p));
  while (take(p, SYMBOL, ","));
  close_with(p, node, "]", "expected ',' or ']', not");
  return node;
}

static bool take_comparison(parser *p, sb_comparison *comparison)
{
  static const char *const symbols[] = {"==", "!=", "<", "<=", ">", ">=", "~"}; /* as sb_comparison has them */
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i) {
    *comparison = (sb_comparison)i;
    if (take(p, SYMBOL, symbols[i])) return true;
  }
  *comparison = take(p, NAME, "not") ? SB_NOT_IN : SB_IN;
  return take(p, NAME, "in");
}

static void add_comparison(parser *p, sb_node *chain, sb_comparison comparison)
{
  const bool list = comparison == SB_IN || comparison == SB_NOT_IN;
  sb_node   *left = chain->parts[chain->count - 1], *right = list ? parse_list(p) : parse_sum(p);
  const bool pattern = right->kind == SB_NODE_STRING || right->kind == SB_NODE_NAME;
  if (comparison == SB_MATCHES && pattern && !sb_pattern_valid(right->word))
    refuse(p, right->begin, "not a regular expression (at most 128 characters and 10 +, no {}, no \\1):", right->word);
  for (size_t i = 0; right->kind == SB_NODE_LIST && i < right->count; ++i) make_word(right->parts[i], left);
  make_word(right, left);
  make_word(left, right);
  chain->comparisons = sb_arena_grow(p->arena, chain->comparisons, chain->count - 1, sizeof *chain->comparisons);
  chain->comparisons[chain->count - 1] = comparison;
  add_part(p, chain, right);
}

static sb_node *parse_compare(parser *p)
{
  sb_node      *node = parse_sum(p), *chain = NULL;
  sb_comparison comparison;
  while (take_comparison(p, &comparison)) {
    if (!chain) chain = new_infix(p, SB_NODE_COMPARE, node);
    add_comparison(p, chain, comparison);
  }
  return chain ? chain : node;
}

static sb_node *parse_negation(parser *p)
{
  if (!is_next(p, NAME, "not")) return parse_compare(p);
  sb_node *node = new_node(p, SB_NODE_NOT);
  go_deeper(p);
  advance(p);
  add_part(p, node, parse_negation(p));
  p->depth--;
  return node;
}

static sb_node *parse_joined(parser *p, const char *keyword, sb_node_kind kind, sb_node *(*part)(parser *))
{
  sb_node *node = part(p), *joined = NULL;
  while (take(p, NAME, keyword)) {
    if (!joined) joined = new_infix(p, kind, node);
    add_part(p, joined, part(p));
  }
  return joined ? joined : node;
}

static sb_node *parse_both(parser *p) { return parse_joined(p, "and", SB_NODE_AND, parse_negation); }

static sb_node *parse_either(parser *p)
{
  go_deeper(p);
  sb_node *node = parse_joined(p, "or", SB_NODE_OR, parse_both);
  p->depth--;
  return node;
}

static sb_expression *parse(const char *text, sb_location where, bool whole, sb_arena *arena,
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
  made->root = parse_either(&p);
  if (p.next.kind != END) refuse_token(&p, "expected an operator or the end, not");
  return p.failed ? NULL : made;
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

const char *sb_expression_text(const sb_expression *expression) { return expression->text; }

sb_location sb_expression_where(const sb_expression *expression) { return expression->where; }

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
