/* From tree to values. A claim and a cell differ only in the rows that a column's name stands for: those selected, or
 * the one row. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"

typedef struct {
  const sb_expression *expression;
  const sb_scope      *scope;
  bool                 claim;
  size_t               count;
  const size_t        *rows; /* [count] that names stand for */
  char                *error;
  sb_shown            *shown;  /* NULL in row context */
  double               margin; /* smallest constant over the timing compared with it; INFINITY: there was none */
} evaluation;

static bool evaluate(evaluation *e, sb_node *node, sb_values *values);

sb_values sb_values_create(size_t count, bool spread)
{
  return (sb_values){spread, count, sb_allocate(count, sizeof(sb_value))};
}

void sb_values_clear(sb_values *values)
{
  free(values->items);
  *values = (sb_values){0};
}

static bool give_one(sb_values *values, sb_value value)
{
  *values = sb_values_create(1, false);
  values->items[0] = value;
  return true;
}

static sb_value item_of(const sb_values *values, size_t i) { return values->items[values->spread ? i : 0]; }

/* "in 'piece': message" */
static bool fail_in(const evaluation *e, const sb_node *node, const char *message)
{
  const int length = (int)(node->end - node->begin);
  return sb_expression_fail(e->error, "in '%.*s': %s", length < 80 ? length : 80, e->expression->text + node->begin,
                            message);
}

/* The same for a message that is already in e->error; what names its piece stays. */
static bool fail_there(const evaluation *e, const sb_node *node)
{
  char message[256];
  if (strncmp(e->error, "in '", 4) == 0) return false;
  snprintf(message, sizeof message, "%s", e->error);
  return fail_in(e, node, message);
}

static bool unknown_column(const evaluation *e, const char *name)
{
  const size_t count = sb_rows_column_count(e->scope->rows);
  const char **names = sb_allocate(count, sizeof *names);
  for (size_t j = 0; j < count; ++j) names[j] = sb_rows_column_at(e->scope->rows, j)->name;
  const char *near = sb_nearest_name(name, names, count);
  free(names);
  if (near) return sb_expression_fail(e->error, "these results have no column '%.64s'; did you mean '%s'?", name, near);
  return sb_expression_fail(e->error, "these results have no column '%.64s'", name);
}

static bool evaluate_name(evaluation *e, const sb_node *node, sb_values *values)
{
  const size_t column = sb_rows_column_find(e->scope->rows, node->word);
  if (column == (size_t)-1 && sb_option_find(node->word) != SB_OPT_COUNT) return unknown_column(e, node->word);
  if (column == (size_t)-1) return give_one(values, (sb_value){.kind = SB_WORD, .word = node->word});
  *values = sb_values_create(e->count, e->claim);
  for (size_t i = 0; i < e->count; ++i) values->items[i] = sb_rows_get(e->scope->rows, e->rows[i], column);
  return true;
}

/* The parts' values in `parts` [node->count]; destroyed on failure. `spread`: whether any of them is. */
static bool evaluate_parts(evaluation *e, const sb_node *node, sb_values **parts, bool *spread)
{
  *parts = sb_allocate(node->count, sizeof **parts);
  *spread = false;
  for (size_t i = 0; i < node->count; ++i) {
    if (!evaluate(e, node->parts[i], &(*parts)[i])) {
      for (size_t j = 0; j < i; ++j) sb_values_clear(&(*parts)[j]);
      free(*parts);
      return false;
    }
    *spread = *spread || (*parts)[i].spread;
  }
  return true;
}

static void clear_parts(sb_values *parts, size_t count)
{
  for (size_t i = 0; i < count; ++i) sb_values_clear(&parts[i]);
  free(parts);
}

static bool row_has(const evaluation *e, const size_t *columns, const sb_value *wanted, size_t count, size_t row,
                    bool *truth)
{
  *truth = true;
  for (size_t i = 0; i < count && *truth; ++i)
    if (!sb_values_compare(SB_EQUAL, sb_rows_get(e->scope->rows, row, columns[i]), wanted[i], truth, e->error))
      return false;
  return true;
}

static bool report_selection(const evaluation *e, const sb_node *node, const sb_value *wanted, size_t found)
{
  char   message[200] = "";
  size_t length = (size_t)snprintf(message, sizeof message, "%s", found ? "several rows have" : "no row has");
  for (size_t i = 0; i < node->count && length < sizeof message; ++i) {
    char        number[32];
    const char *shown = wanted[i].kind == SB_NUMBER ? sb_format_real(wanted[i].number, number)
                        : wanted[i].kind == SB_WORD ? wanted[i].word
                                                    : "(blank)";
    length +=
        (size_t)snprintf(message + length, sizeof message - length, "%s %s=%s", i ? "," : "", node->keys[i], shown);
  }
  return fail_in(e, node, message);
}

/* The one row with the wanted values: among all rows for cells, and where the values differ from row to row; else among
 * the rows that the claim is about. */
static bool find_row(const evaluation *e, const sb_node *node, const size_t *columns, const sb_value *wanted, bool all,
                     size_t *row)
{
  const size_t count = all ? sb_rows_count(e->scope->rows) : e->count;
  size_t       found = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t candidate = all ? i : e->rows[i];
    bool         truth = false;
    if (!row_has(e, columns, wanted, node->count, candidate, &truth)) return false;
    if (!truth) continue;
    if (found++ > 0) return report_selection(e, node, wanted, found);
    *row = candidate;
  }
  return found == 1 || report_selection(e, node, wanted, 0);
}

static bool select_rows(const evaluation *e, const sb_node *node, const sb_values *parts, bool spread,
                        sb_values *values)
{
  const sb_rows *rows = e->scope->rows;
  const size_t   column = sb_rows_column_find(rows, node->word);
  if (column == (size_t)-1) return unknown_column(e, node->word);
  size_t   *columns = sb_allocate(node->count, sizeof *columns);
  sb_value *wanted = sb_allocate(node->count, sizeof *wanted);
  bool      good = true;
  for (size_t k = 0; good && k < node->count; ++k) {
    columns[k] = sb_rows_column_find(rows, node->keys[k]);
    if (columns[k] == (size_t)-1) good = unknown_column(e, node->keys[k]);
  }
  if (good) *values = sb_values_create(spread ? e->count : 1, spread);
  for (size_t i = 0; good && i < values->count; ++i) {
    size_t row = 0;
    for (size_t k = 0; k < node->count; ++k) wanted[k] = item_of(&parts[k], i);
    good = find_row(e, node, columns, wanted, spread || !e->claim, &row);
    if (good)
      values->items[i] = sb_rows_get(rows, row, column);
    else
      sb_values_clear(values);
  }
  free(columns);
  free(wanted);
  return good;
}

static bool read_published(const evaluation *e, sb_node *node, const sb_values *parts, bool spread, sb_values *values)
{
  sb_value *wanted = sb_allocate(node->count, sizeof *wanted);
  bool      good = true;
  *values = sb_values_create(spread ? e->count : 1, spread);
  for (size_t i = 0; good && i < values->count; ++i) {
    for (size_t k = 0; k < node->count; ++k) wanted[k] = item_of(&parts[k], i);
    good = sb_published_cell(e->expression->arena, node, e->scope->published_dir, wanted, &values->items[i], e->error);
  }
  if (!good) sb_values_clear(values);
  free(wanted);
  return good;
}

static double compute(char operation, double a, double b)
{
  switch (operation) {
  case '+':
    return a + b;
  case '-':
    return a - b;
  case '*':
    return a * b;
  case '/':
    return a / b;
  default:
    return pow(a, b);
  }
}

static bool require_number(const evaluation *e, const sb_node *node, sb_value value)
{
  char message[160];
  if (value.kind == SB_NUMBER || value.kind == SB_BLANK) return true;
  if (value.kind == SB_TRUTH) return fail_in(e, node, "a truth value where a number is needed");
  snprintf(message, sizeof message, "the word '%.64s' is neither a number nor a column of these results", value.word);
  return fail_in(e, node, message);
}

static bool calculate(const evaluation *e, const sb_node *node, const sb_values *parts, bool spread, sb_values *values)
{
  const bool negation = node->kind == SB_NODE_NEGATE;
  *values = sb_values_create(spread ? e->count : 1, spread);
  for (size_t i = 0; i < values->count; ++i) {
    const sb_value a = item_of(&parts[0], i);
    const sb_value b = negation ? a : item_of(&parts[1], i);
    if (!require_number(e, node, a) || !require_number(e, node, b)) {
      sb_values_clear(values);
      return false;
    }
    if (a.kind == SB_BLANK || b.kind == SB_BLANK) continue;
    values->items[i] = sb_number_or_blank(negation ? -a.number : compute(node->arithmetic, a.number, b.number));
  }
  return true;
}

/* "timing < constant", or "constant / timing > number": how many times the constant is the timing. */
static sb_value margin_of(const evaluation *e, const sb_node *node, size_t link, sb_value left, sb_value right)
{
  const sb_comparison comparison = node->comparisons[link];
  const sb_node      *a = node->parts[link], *b = node->parts[link + 1];
  const sb_value      none = {.kind = SB_BLANK};
  if (left.kind != SB_NUMBER || right.kind != SB_NUMBER || !sb_node_is_constant(b)) return none;
  if (comparison == SB_LESS || comparison == SB_LESS_EQUAL)
    return sb_node_is_timing(a, e->scope->rows) ? sb_number_or_blank(right.number / left.number) : none;
  const bool quotient = a->kind == SB_NODE_ARITHMETIC && a->arithmetic == '/' && sb_node_is_constant(a->parts[0]) &&
                        sb_node_is_timing(a->parts[1], e->scope->rows);
  return quotient && (comparison == SB_GREATER || comparison == SB_GREATER_EQUAL) ? left : none;
}

static void note_margin(evaluation *e, const sb_node *node, size_t link, const sb_values *left, const sb_values *right)
{
  const size_t count = left->spread || right->spread ? e->count : 1;
  for (size_t i = 0; i < count && e->shown; ++i) {
    const sb_value margin = margin_of(e, node, link, item_of(left, i), item_of(right, i));
    if (margin.kind == SB_NUMBER && margin.number > 0) e->margin = fmin(e->margin, margin.number);
  }
}

/* One element against a list. A blank is in no list and not "not in" one either. */
static bool compare_list(evaluation *e, const sb_node *list, size_t i, sb_comparison comparison, sb_value left,
                         bool *truth)
{
  bool found = false;
  for (size_t k = 0; k < list->count && !found; ++k) {
    sb_values member = {0};
    if (!evaluate(e, list->parts[k], &member)) return false;
    const bool good = sb_values_compare(SB_EQUAL, left, item_of(&member, i), &found, e->error);
    sb_values_clear(&member);
    if (!good) return false;
  }
  *truth = left.kind != SB_BLANK && found == (comparison == SB_IN);
  return true;
}

static bool compare_link(evaluation *e, const sb_node *node, size_t link, const sb_values *left, const sb_values *right,
                         bool *truth)
{
  const sb_comparison comparison = node->comparisons[link];
  const sb_node      *list = node->parts[link + 1];
  const bool          each = list->kind == SB_NODE_LIST ? e->claim : left->spread || right->spread;
  const size_t        count = each ? e->count : 1;
  for (size_t i = 0; i < count && *truth; ++i) {
    const bool good = list->kind == SB_NODE_LIST
                          ? compare_list(e, list, i, comparison, item_of(left, i), truth)
                          : sb_values_compare(comparison, item_of(left, i), item_of(right, i), truth, e->error);
    if (!good) return fail_there(e, node);
  }
  return true;
}

static bool evaluate_comparison(evaluation *e, const sb_node *node, sb_values *values)
{
  sb_values *parts = NULL;
  bool       spread = false, truth = true, good = true;
  if (!evaluate_parts(e, node, &parts, &spread)) return false;
  for (size_t i = 0; i < node->count; ++i) sb_shown_add(e->shown, e->expression->text, node->parts[i], &parts[i]);
  for (size_t i = 0; good && truth && i + 1 < node->count; ++i)
    good = compare_link(e, node, i, &parts[i], &parts[i + 1], &truth);
  for (size_t i = 0; good && i + 1 < node->count; ++i) note_margin(e, node, i, &parts[i], &parts[i + 1]);
  clear_parts(parts, node->count);
  return good && give_one(values, (sb_value){.kind = SB_TRUTH, .truth = truth});
}

/* Every element true; blanks are not. */
static bool all_true(const evaluation *e, const sb_node *node, const sb_values *values, bool *truth)
{
  *truth = true;
  for (size_t i = 0; i < values->count; ++i) {
    const sb_value v = values->items[i];
    const bool     yes = v.kind == SB_TRUTH ? v.truth : v.kind == SB_WORD && strcmp(v.word, "true") == 0;
    const bool     no = v.kind == SB_WORD && strcmp(v.word, "false") == 0;
    if (v.kind == SB_NUMBER || (v.kind == SB_WORD && !yes && !no))
      return fail_in(e, node, "neither true nor false; write a comparison");
    *truth = *truth && yes;
  }
  return true;
}

static bool evaluate_truth(evaluation *e, sb_node *node, bool *truth)
{
  sb_values values = {0};
  if (!evaluate(e, node, &values)) return false;
  const bool good = all_true(e, node, &values, truth);
  if (node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT)
    sb_shown_add(e->shown, e->expression->text, node, &values);
  sb_values_clear(&values);
  return good;
}

static bool evaluate_logic(evaluation *e, const sb_node *node, sb_values *values)
{
  bool truth = false;
  for (size_t i = 0; i < node->count; ++i) {
    if (!evaluate_truth(e, node->parts[i], &truth)) return false;
    if (truth == (node->kind == SB_NODE_OR)) break; /* decided: what follows is not looked at */
  }
  return give_one(values, (sb_value){.kind = SB_TRUTH, .truth = node->kind == SB_NODE_NOT ? !truth : truth});
}

/* Nodes whose parts are all needed first. */
static bool evaluate_with_parts(evaluation *e, sb_node *node, sb_values *values)
{
  sb_values *parts = NULL;
  bool       spread = false, good = false;
  if (!evaluate_parts(e, node, &parts, &spread)) return false;
  if (node->kind == SB_NODE_SELECT)
    good = select_rows(e, node, parts, spread, values);
  else if (node->kind == SB_NODE_PUBLISHED)
    good = read_published(e, node, parts, spread, values);
  else if (node->kind == SB_NODE_CALL)
    good = sb_function_apply(node->function, parts, node->count, values, e->error);
  else
    good = calculate(e, node, parts, spread, values);
  clear_parts(parts, node->count);
  return good || fail_there(e, node);
}

static bool evaluate(evaluation *e, sb_node *node, sb_values *values)
{
  switch (node->kind) {
  case SB_NODE_NUMBER:
    return give_one(values, (sb_value){.kind = SB_NUMBER, .number = node->number});
  case SB_NODE_STRING:
    return give_one(values, (sb_value){.kind = SB_WORD, .word = node->word});
  case SB_NODE_NAME:
    return evaluate_name(e, node, values);
  case SB_NODE_LIST:
    return give_one(values, (sb_value){.kind = SB_BLANK}); /* looked at by compare_list */
  case SB_NODE_NOT:
  case SB_NODE_AND:
  case SB_NODE_OR:
    return evaluate_logic(e, node, values);
  case SB_NODE_COMPARE:
    return evaluate_comparison(e, node, values);
  default:
    return evaluate_with_parts(e, node, values);
  }
}

static evaluation of_row(const sb_expression *expression, const sb_scope *scope, const size_t *row, char *error)
{
  return (evaluation){.expression = expression, .scope = scope, .count = 1, .rows = row, .error = error};
}

static bool report(const sb_expression *expression, const char *error, sb_diagnostics *diagnostics)
{
  return sb_error_at(diagnostics, expression->where, "E102", "%s", error);
}

bool sb_expression_value(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                         sb_diagnostics *diagnostics)
{
  char       error[256] = "";
  evaluation e = of_row(expression, scope, &row, error);
  sb_values  values = {0};
  if (!evaluate(&e, expression->root, &values)) return report(expression, error, diagnostics);
  *value = values.items[0];
  sb_values_clear(&values);
  return true;
}

bool sb_expression_holds(const sb_expression *expression, const sb_scope *scope, size_t row, bool *truth,
                         sb_diagnostics *diagnostics)
{
  char       error[256] = "";
  evaluation e = of_row(expression, scope, &row, error);
  return evaluate_truth(&e, expression->root, truth) || report(expression, error, diagnostics);
}

bool *sb_expression_select(const sb_expression *expression, const sb_scope *scope, sb_diagnostics *diagnostics)
{
  const size_t count = sb_rows_count(scope->rows);
  bool        *selected = sb_arena_take(scope->arena, count, sizeof *selected);
  for (size_t i = 0; i < count; ++i) {
    selected[i] = true;
    if (expression && !sb_expression_holds(expression, scope, i, &selected[i], diagnostics)) return NULL;
  }
  return selected;
}

static size_t *selected_rows(const sb_scope *scope, size_t *count)
{
  const size_t all = sb_rows_count(scope->rows);
  size_t      *rows = sb_allocate(all, sizeof *rows);
  *count = 0;
  for (size_t i = 0; i < all; ++i)
    if (!scope->selected || scope->selected[i]) rows[(*count)++] = i;
  return rows;
}

bool sb_expression_claim(const sb_expression *expression, const sb_scope *scope, bool *truth, sb_grounds *grounds,
                         sb_diagnostics *diagnostics)
{
  char       error[256] = "";
  size_t     count = 0;
  size_t    *rows = selected_rows(scope, &count);
  evaluation e = {expression, scope, true, count, rows, error, sb_shown_create(), INFINITY};
  locale_t   c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
  bool       good = count > 0 || sb_expression_fail(error, "no rows are selected");
  good = good && evaluate_truth(&e, expression->root, truth);
  *grounds = (sb_grounds){.margin = good && isfinite(e.margin) ? e.margin : 0};
  if (good) sb_shown_write(e.shown, grounds->shown, sizeof grounds->shown);
  uselocale(before);
  freelocale(c);
  sb_shown_destroy(&e.shown);
  free(rows);
  return good || report(expression, error, diagnostics);
}
