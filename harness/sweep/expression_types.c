/* What an expression can be, told before anything runs: a clause that is a number is never true, and a claim about it
 * would only say so after the sweep. Only what is certain is refused; a column of a driver may hold numbers or words.
 * See expression_check.h. */
#include <string.h>

#include "harness/sweep/expression_checks.h"

enum { NUMBER = 1, WORD = 2, TRUTH = 4, ANY = NUMBER | WORD | TRUTH };

static unsigned option_types(sb_option_id id)
{
  switch (sb_option_at(id)->kind) {
  case SB_KIND_INTEGER:
  case SB_KIND_REAL:
    return NUMBER;
  case SB_KIND_BOOL:
    return TRUTH;
  case SB_KIND_SELECTION:
    return NUMBER | WORD;
  default:
    return WORD;
  }
}

static unsigned column_types(const sb_expression_checks *c, const char *name)
{
  static const char *const words[] = {"method", "key", "status", "reason", "digest", "command"};
  for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
    if (strcmp(name, words[i]) == 0) return WORD;
  if (strcmp(name, "wall_s") == 0 || strcmp(name, "max_rss_bytes") == 0) return NUMBER;
  const sb_option_id id = sb_option_find(name);
  if (id != SB_OPT_COUNT) return option_types(id);
  if (strcmp(name, "accuracy_ok") == 0 || !c->known.columns) return ANY;
  return sb_expression_is_column(c, name) ? NUMBER | WORD : WORD;
}

static unsigned types_of(const sb_expression_checks *c, const sb_node *node)
{
  switch (node->kind) {
  case SB_NODE_NUMBER:
  case SB_NODE_NEGATE:
  case SB_NODE_ARITHMETIC:
  case SB_NODE_CALL:
    return NUMBER;
  case SB_NODE_STRING:
    return WORD;
  case SB_NODE_NAME:
  case SB_NODE_SELECT:
    return column_types(c, node->word);
  case SB_NODE_PUBLISHED:
    return NUMBER | WORD;
  default: /* a list stands right of `in` alone, which asks for the types of its parts */
    return TRUTH;
  }
}

static const char *type_name(unsigned types)
{
  if (types == NUMBER) return "a number";
  if (types == WORD) return "a word";
  return types == TRUTH ? "true or false" : "a number or a word";
}

static void refuse(const sb_expression_checks *c, const sb_node *node, const char *why)
{
  const int length = (int)(node->end - node->begin);
  sb_error_at(c->diagnostics, sb_expression_place(c, node->begin), "E102", "'%.*s' is %s%s", length < 80 ? length : 80,
              c->text + node->begin, type_name(types_of(c, node)), why);
}

static void require_truth(const sb_expression_checks *c, const sb_node *node)
{
  if (!(types_of(c, node) & TRUTH)) refuse(c, node, ", neither true nor false; write a comparison");
}

static void require_number(const sb_expression_checks *c, const sb_node *node, const char *why)
{
  if (!(types_of(c, node) & NUMBER)) refuse(c, node, why);
}

/* Truth values are the words true and false. */
static bool comparable(unsigned a, unsigned b)
{
  const unsigned words = WORD | TRUTH;
  return (a & b & NUMBER) || ((a & words) && (b & words));
}

static void require_same(const sb_expression_checks *c, unsigned wanted, const sb_node *node)
{
  if (comparable(wanted, types_of(c, node))) return;
  refuse(c, node, wanted == NUMBER ? "; it is compared with a number" : "; it is compared with a word");
}

static void check_link(const sb_expression_checks *c, sb_comparison comparison, const sb_node *left,
                       const sb_node *right)
{
  static const char no_order[] = ", which has no order";
  switch (comparison) {
  case SB_EQUAL:
  case SB_UNEQUAL:
    require_same(c, types_of(c, left), right);
    break;
  case SB_MATCHES:
    if (types_of(c, left) == NUMBER) refuse(c, left, "; '~' compares words");
    break;
  case SB_IN:
  case SB_NOT_IN:
    for (size_t i = 0; i < right->count; ++i) require_same(c, types_of(c, left), right->parts[i]);
    break;
  default:
    require_number(c, left, no_order);
    require_number(c, right, no_order);
  }
}

/* count() takes whatever is there. */
static bool takes_numbers(const sb_node *node)
{
  if (node->kind == SB_NODE_CALL) return strcmp(sb_function_name(node->function), "count") != 0;
  return node->kind == SB_NODE_ARITHMETIC || node->kind == SB_NODE_NEGATE;
}

static void check_node(const sb_expression_checks *c, const sb_node *node)
{
  const bool logic = node->kind == SB_NODE_AND || node->kind == SB_NODE_OR || node->kind == SB_NODE_NOT;
  for (size_t i = 0; i < node->count; ++i) {
    if (logic) require_truth(c, node->parts[i]);
    if (takes_numbers(node)) require_number(c, node->parts[i], "; numbers are calculated with");
    if (node->kind == SB_NODE_SELECT) require_same(c, column_types(c, node->keys[i]), node->parts[i]);
    if (node->kind == SB_NODE_COMPARE && i > 0)
      check_link(c, node->comparisons[i - 1], node->parts[i - 1], node->parts[i]);
    check_node(c, node->parts[i]);
  }
}

void sb_expression_check_types(const sb_expression_checks *c, const sb_node *root)
{
  check_node(c, root);
  if (c->known.truth) require_truth(c, root);
}
