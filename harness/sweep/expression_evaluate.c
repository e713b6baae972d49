/* From tree to value, row by row: a part has one value in a row, and nothing is short-circuited. In a claim, parts that
 * are the same in every row (constants, functions of all values, chosen rows) are evaluated once. */
#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/csv.h"
#include "harness/sweep/expression_tree.h"

enum { WORDS = SB_MAY_BE_WORD | SB_MAY_BE_TRUTH, ANYTHING = SB_MAY_BE_NUMBER | WORDS };
enum { PATTERN_LENGTH_MAX = 128, PLUSES_MAX = 10 };

static const sb_value blank = {.kind = SB_BLANK}, unknown_number = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER},
                      unknown_truth = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_TRUTH};

static sb_value truth_of(bool truth) { return (sb_value){.kind = SB_TRUTH, .truth = truth}; }

static sb_value word_of(const char *word) { return (sb_value){.kind = SB_WORD, .word = word}; }

sb_value sb_number_or_blank(double number)
{
  return isfinite(number) ? (sb_value){.kind = SB_NUMBER, .number = number} : blank;
}

static unsigned kinds_of(sb_value value) { return value.kind == SB_UNKNOWN ? value.may_be : 1u << value.kind; }

sb_location sb_expression_place(const sb_expression *expression, size_t at)
{
  sb_location where = expression->where;
  for (size_t i = 0; !expression->whole && where.column > 0 && i < at; ++i)
    where.column += ((unsigned char)expression->text[i] & 0xC0) != 0x80;
  return where;
}

sb_value sb_evaluation_fails(sb_evaluation *e, const sb_node *node, const char *code, const char *format, ...)
{
  const sb_value nothing_known = {.kind = SB_UNKNOWN, .may_be = ANYTHING};
  if (e->told ? e->told[node->index] : e->failed) return nothing_known;
  if (e->told) e->told[node->index] = true;
  va_list arguments;
  va_start(arguments, format);
  char *message = sb_arena_format_list(e->expression->arena, format, arguments);
  va_end(arguments);
  sb_error_at(e->diagnostics, sb_expression_place(e->expression, node->begin), code, "%s", message);
  e->failed = true;
  return nothing_known;
}

static int shown_length(const sb_node *node)
{
  const size_t length = node->end - node->begin;
  return length < 80 ? (int)length : 80;
}

bool sb_evaluation_is_plain(const sb_evaluation *e, const sb_node *node)
{
  return node->kind == SB_NODE_NAME && sb_rows_column_find(e->scope->rows, node->word) == (size_t)-1;
}

sb_value sb_evaluation_no_column(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const char *name)
{
  const bool published = rows != e->scope->rows;
  if (!published && e->check && e->check->open) return (sb_value){.kind = SB_UNKNOWN, .may_be = ANYTHING};
  const size_t count = sb_rows_column_count(rows);
  const char **names = sb_allocate(count, sizeof *names);
  for (size_t j = 0; j < count; ++j) names[j] = sb_rows_column_at(rows, j)->name;
  const char *near = sb_diagnostics_full(e->diagnostics) ? NULL : sb_nearest_name(name, names, count);
  free(names);
  if (e->check && e->check->planned && sb_rows_column_find(e->check->later, name) != (size_t)-1)
    return sb_evaluation_fails(e, node, "E101", "'%s' is not known before the run; options and 'method' are", name);
  const char *what = published  ? sb_arena_format(e->expression->arena, "%s.csv has no column", node->file)
                     : e->check ? (e->check->planned ? "unknown option" : "unknown column")
                                : "these results have no column";
  return sb_evaluation_fails(e, node, "E101", near ? "%s '%s'; did you mean '%s'?" : "%s '%s'", what, name, near);
}

/* "'scene' is a word; numbers are calculated with" */
static sb_value refuse(sb_evaluation *e, const sb_node *node, sb_value value, const char *why)
{
  const unsigned kinds = kinds_of(value);
  const char    *kind = kinds == SB_MAY_BE_NUMBER  ? "a number"
                        : kinds == SB_MAY_BE_WORD  ? "a word"
                        : kinds == SB_MAY_BE_TRUTH ? "true or false"
                                                   : "a number or a word";
  if (sb_evaluation_is_plain(e, node)) return sb_evaluation_no_column(e, node, e->scope->rows, node->word);
  return sb_evaluation_fails(e, node, "E102", "'%.*s' is %s%s", shown_length(node), e->expression->text + node->begin,
                             kind, why);
}

static bool require_number(sb_evaluation *e, const sb_node *node, sb_value value)
{
  if (value.kind == SB_BLANK || (kinds_of(value) & SB_MAY_BE_NUMBER)) return true;
  refuse(e, node, value, "; numbers are calculated with");
  return false;
}

/* What takes all memory or time in glibc: nested counts such as (a{1,999}){1,999}; a + doubles what it repeats, and
 * nested ones do so again; references to groups such as (.*)(.*)\1\2 are searched for in every division of the text. */
static bool is_cheap(const char *pattern)
{
  size_t pluses = 0;
  for (const char *c = pattern; *c; ++c) {
    pluses += *c == '+';
    if (*c == '{' || (c[0] == '\\' && isdigit((unsigned char)c[1]))) return false;
  }
  return pluses <= PLUSES_MAX && strlen(pattern) <= PATTERN_LENGTH_MAX;
}

/* regexec's answer; -1 where the pattern is none. */
static int match(const char *pattern, const char *text)
{
  regex_t compiled;
  if (!is_cheap(pattern) || regcomp(&compiled, pattern, REG_EXTENDED | REG_NOSUB) != 0) return -1;
  const int result = regexec(&compiled, text, 0, NULL, 0);
  regfree(&compiled);
  return result;
}

bool sb_pattern_valid(const char *pattern) { return match(pattern, "") >= 0; }

/* Truth values are the words true and false: line_search == true. */
static const char *as_word(sb_value value)
{
  return value.kind == SB_WORD ? value.word : value.truth ? "true" : "false";
}

static bool holds(sb_comparison comparison, int order)
{
  switch (comparison) {
  case SB_UNEQUAL:
    return order != 0;
  case SB_LESS:
    return order < 0;
  case SB_LESS_EQUAL:
    return order <= 0;
  case SB_GREATER:
    return order > 0;
  case SB_GREATER_EQUAL:
    return order >= 0;
  default:
    return order == 0;
  }
}

/* Whether the kinds of two values can be compared: numbers have an order, words are alike or match. */
static bool comparable(sb_evaluation *e, const sb_node *nodes[2], sb_comparison comparison, sb_value left,
                       sb_value right)
{
  const unsigned a = kinds_of(left), b = kinds_of(right);
  const bool     ordered = comparison > SB_UNEQUAL && comparison < SB_MATCHES;
  if (ordered || comparison == SB_MATCHES) {
    const unsigned wanted = ordered ? SB_MAY_BE_NUMBER : WORDS;
    const char    *why = ordered ? ", which has no order" : "; '~' compares words";
    if (!(a & wanted)) refuse(e, nodes[0], left, why);
    if (!(b & wanted)) refuse(e, nodes[1], right, why);
    return (a & wanted) && (b & wanted);
  }
  if ((a & b & SB_MAY_BE_NUMBER) || ((a & WORDS) && (b & WORDS))) return true;
  if (sb_evaluation_is_plain(e, nodes[0]))
    refuse(e, nodes[0], left, "");
  else
    refuse(e, nodes[1], right,
           a & SB_MAY_BE_NUMBER ? "; it is compared with a number" : "; it is compared with a word");
  return false;
}

static sb_value compare(sb_evaluation *e, const sb_node *nodes[2], sb_comparison comparison, sb_value left,
                        sb_value right)
{
  if (left.kind == SB_BLANK || right.kind == SB_BLANK) return truth_of(false);
  if (!comparable(e, nodes, comparison, left, right) || left.kind == SB_UNKNOWN || right.kind == SB_UNKNOWN)
    return unknown_truth;
  if (left.kind == SB_NUMBER)
    return truth_of(holds(comparison, (left.number > right.number) - (left.number < right.number)));
  if (comparison != SB_MATCHES) return truth_of(holds(comparison, strcmp(as_word(left), as_word(right))));
  const int answer = match(as_word(right), as_word(left));
  if (answer >= 0) return truth_of(answer == 0);
  return sb_evaluation_fails(e, nodes[1], "E102", "'%.64s' is not a regular expression", as_word(right));
}

bool sb_may_hold(sb_value truth) { return truth.kind == SB_UNKNOWN || truth.truth; }

/* True where all are (any is), false where one is not (none is), else unknown. */
static sb_value join(sb_value so_far, sb_value next, bool any)
{
  if (so_far.kind == SB_TRUTH && so_far.truth == any) return so_far;
  if (next.kind == SB_TRUTH && next.truth == any) return next;
  return so_far.kind == SB_UNKNOWN ? so_far : next;
}

/* A blank is in no list and not "not in" one either. */
static sb_value find_in_list(sb_evaluation *e, const sb_node *left, const sb_node *list, bool wanted, size_t row)
{
  const sb_value value = sb_evaluate(e, left, row);
  sb_value       found = truth_of(false);
  for (size_t i = 0; i < list->count; ++i) {
    const sb_node *nodes[2] = {left, list->parts[i]};
    found = join(found, compare(e, nodes, SB_EQUAL, value, sb_evaluate(e, list->parts[i], row)), true);
  }
  if (value.kind == SB_BLANK) return truth_of(false);
  return found.kind == SB_TRUTH ? truth_of(found.truth == wanted) : found;
}

static sb_value evaluate_comparison(sb_evaluation *e, const sb_node *node, size_t row)
{
  sb_value truth = truth_of(true);
  for (size_t i = 0; i + 1 < node->count; ++i) {
    const sb_node      *nodes[2] = {node->parts[i], node->parts[i + 1]};
    const sb_comparison comparison = node->comparisons[i];
    if (e->check) e->check->comparison(e, nodes[0], comparison, nodes[1]);
    const sb_value link = nodes[1]->kind == SB_NODE_LIST ? find_in_list(e, nodes[0], nodes[1], comparison == SB_IN, row)
                                                         : compare(e, nodes, comparison, sb_evaluate(e, nodes[0], row),
                                                                   sb_evaluate(e, nodes[1], row));
    truth = join(truth, link, false);
  }
  return truth;
}

sb_value sb_evaluate_truth(sb_evaluation *e, const sb_node *node, size_t row)
{
  const sb_value value = sb_evaluate(e, node, row);
  const bool     yes = value.kind == SB_WORD && strcmp(value.word, "true") == 0;
  const bool     no = value.kind == SB_BLANK || (value.kind == SB_WORD && strcmp(value.word, "false") == 0);
  if (yes || no) return truth_of(yes);
  if (kinds_of(value) & SB_MAY_BE_TRUTH) return value.kind == SB_TRUTH ? value : unknown_truth;
  return refuse(e, node, value, ", neither true nor false; write a comparison");
}

static sb_value evaluate_logic(sb_evaluation *e, const sb_node *node, size_t row)
{
  const bool any = node->kind == SB_NODE_OR;
  sb_value   truth = truth_of(!any);
  for (size_t i = 0; i < node->count; ++i) truth = join(truth, sb_evaluate_truth(e, node->parts[i], row), any);
  if (node->kind == SB_NODE_NOT) truth.truth = !truth.truth;
  return truth;
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

static sb_value evaluate_arithmetic(sb_evaluation *e, const sb_node *node, size_t row)
{
  const sb_node *last = node->parts[node->count - 1];
  const sb_value a = sb_evaluate(e, node->parts[0], row), b = sb_evaluate(e, last, row);
  const bool     good = require_number(e, node->parts[0], a) && require_number(e, last, b);
  if (!good) return unknown_number;
  if (a.kind == SB_BLANK || b.kind == SB_BLANK) return blank;
  if (a.kind == SB_UNKNOWN || b.kind == SB_UNKNOWN) return unknown_number;
  return sb_number_or_blank(node->kind == SB_NODE_NEGATE ? -a.number : compute(node->arithmetic, a.number, b.number));
}

static sb_value evaluate_name(sb_evaluation *e, const sb_node *node, size_t row)
{
  const size_t column = sb_rows_column_find(e->scope->rows, node->word);
  if (column != (size_t)-1) return sb_rows_get(e->scope->rows, row, column);
  const bool option = sb_option_find(node->word) != SB_OPT_COUNT, open = e->check && e->check->open;
  return option || open ? sb_evaluation_no_column(e, node, e->scope->rows, node->word) : word_of(node->word);
}

/* A published table as rows, in the arena of the expression. NULL after a message. */
static const sb_rows *published_rows(sb_evaluation *e, const sb_node *node)
{
  char error[256] = "there are no published tables here";
  if (*node->table) return *node->table;
  sb_published_table *table = e->scope->published_dir
                                  ? sb_published_read(e->expression->arena, e->scope->published_dir, node->file, error)
                                  : NULL;
  if (!table) {
    sb_evaluation_fails(e, node, "E100", "there is no published table '%s': %s", node->file, error);
    return NULL;
  }
  return *node->table = sb_rows_of_table(table, e->expression->arena);
}

/* One row that is looked for: in results, or in a published table. */
typedef struct {
  const sb_rows *rows;
  const sb_node *node;
  size_t        *columns; /* [node->count] of the keys */
  sb_value      *wanted;  /* [node->count] */
} search;

/* Whether a row has what is wanted of the k-th key. A published column may hold numbers and words. */
static sb_value has_key(sb_evaluation *e, const search *s, size_t k, size_t row)
{
  const sb_node *nodes[2] = {s->node->parts[k], s->node->parts[k]};
  const sb_value cell = sb_rows_get(s->rows, row, s->columns[k]);
  const bool     alike = cell.kind == s->wanted[k].kind || s->wanted[k].kind == SB_UNKNOWN;
  if (s->node->kind == SB_NODE_PUBLISHED && !alike) return truth_of(false);
  return compare(e, nodes, SB_EQUAL, cell, s->wanted[k]);
}

static void put_exactly(FILE *stream, sb_value value)
{
  char number[32];
  fputs(value.kind == SB_NUMBER  ? sb_format_real(value.number, number)
        : value.kind == SB_BLANK ? "(blank)"
                                 : as_word(value),
        stream);
}

void sb_rows_put_values(const sb_rows *rows, size_t column, FILE *stream)
{
  enum { SHOWN_MAX = 8 };
  size_t shown = 0;
  for (size_t i = 0; i < sb_rows_count(rows) && shown <= SHOWN_MAX; ++i) {
    const sb_value value = sb_rows_get(rows, i, column);
    bool           again = value.kind == SB_BLANK || value.kind == SB_UNKNOWN;
    for (size_t j = 0; j < i && !again; ++j) again = sb_value_same(value, sb_rows_get(rows, j, column));
    if (again) continue;
    if (shown > 0) fputs(", ", stream);
    if (shown++ < SHOWN_MAX)
      put_exactly(stream, value);
    else
      fputs("…", stream);
  }
}

/* "no row has substeps=9, method=c"; before the run, of a value that no row has at all, those that there are. */
static sb_value report_search(sb_evaluation *e, const search *s, bool several)
{
  const sb_node  *node = s->node;
  sb_arena_writer writer;
  e->absent = !several;
  FILE *stream = sb_arena_write(&writer, e->expression->arena);
  fprintf(stream, "in '%.*s': %s", shown_length(node), e->expression->text + node->begin,
          several ? "several rows" : "no row");
  if (node->kind == SB_NODE_PUBLISHED) fprintf(stream, " of %s.csv", node->file);
  fputs(several ? " have" : " has", stream);
  for (size_t k = 0; k < node->count; ++k) {
    bool found = several || !e->check;
    for (size_t i = 0; i < sb_rows_count(s->rows) && !found; ++i) found = sb_may_hold(has_key(e, s, k, i));
    fprintf(stream, "%s %s=", k > 0 ? "," : "", node->keys[k]);
    put_exactly(stream, s->wanted[k]);
    if (found) continue;
    fputs(" (there are ", stream);
    sb_rows_put_values(s->rows, s->columns[k], stream);
    fputc(')', stream);
  }
  return sb_evaluation_fails(e, node, e->check ? "E106" : "E102", "%s", sb_arena_text(&writer));
}

/* The one row that has all keys: of a claim among the rows it is about, unless the keys differ from row to row; else
 * among all. False where there is none, or where options do not decide which it is: *any is then the value of its
 * cells. */
static bool find_row(sb_evaluation *e, const search *s, size_t *row, sb_value *any)
{
  const bool   all = !e->claim || e->spread[s->node->index] || s->rows != e->scope->rows;
  const size_t count = all ? sb_rows_count(s->rows) : e->count;
  size_t       sure = 0, possible = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t candidate = all ? i : e->rows[i];
    sb_value     has = !all && e->unsure && e->unsure[candidate] ? unknown_truth : truth_of(true);
    for (size_t k = 0; k < s->node->count; ++k) has = join(has, has_key(e, s, k, candidate), false);
    if (!sb_may_hold(has)) continue;
    ++possible;
    sure += has.kind == SB_TRUTH;
    *row = candidate;
  }
  *any = (sb_value){.kind = SB_UNKNOWN, .may_be = ANYTHING};
  if (sure > 1 || possible == 0) report_search(e, s, sure > 1);
  return sure == 1 && possible == 1;
}

/* Finds the row that a node's keys choose. */
static bool search_row(sb_evaluation *e, const sb_node *node, size_t row, search *s, size_t *found, sb_value *any)
{
  bool good = true;
  s->columns = sb_allocate(node->count, sizeof *s->columns);
  s->wanted = sb_allocate(node->count, sizeof *s->wanted);
  for (size_t k = 0; k < node->count; ++k) {
    s->wanted[k] = sb_evaluate(e, node->parts[k], row);
    s->columns[k] = sb_rows_column_find(s->rows, node->keys[k]);
    if (e->check && node->kind == SB_NODE_SELECT) e->check->word(e, node->keys[k], node->parts[k]);
    if (s->columns[k] != (size_t)-1) continue;
    *any = sb_evaluation_no_column(e, s->rows == e->scope->rows ? node->parts[k] : node, s->rows, node->keys[k]);
    good = false;
  }
  good = good && find_row(e, s, found, any);
  free(s->columns);
  free(s->wanted);
  return good;
}

/* column[key=value, …] and published(file, column, key=value, …). */
static sb_value evaluate_search(sb_evaluation *e, const sb_node *node, size_t row)
{
  const bool published = node->kind == SB_NODE_PUBLISHED;
  search     s = {.node = node, .rows = e->scope->rows};
  sb_value   any = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD};
  if (published) s.rows = e->check && !e->scope->published_dir ? NULL : published_rows(e, node);
  if (!s.rows) return any;
  size_t       found = 0;
  const size_t column = sb_rows_column_find(s.rows, node->word);
  if (column == (size_t)-1) any = sb_evaluation_no_column(e, node, s.rows, node->word);
  const bool good = search_row(e, node, row, &s, &found, &any);
  if (column == (size_t)-1) return any;
  if (good) return sb_rows_get(s.rows, found, column);
  const unsigned may_be = sb_rows_column_at(s.rows, column)->absent.may_be;
  if (may_be) any.may_be = may_be;
  return any;
}

/* Functions take the numbers of all their arguments in one array, in which a blank is NaN, and give NaN for blank. */
static double least(double *numbers, size_t count)
{
  double result = NAN;
  for (size_t i = 0; i < count; ++i) result = fmin(result, numbers[i]);
  return result;
}

static double greatest(double *numbers, size_t count)
{
  double result = NAN;
  for (size_t i = 0; i < count; ++i) result = fmax(result, numbers[i]);
  return result;
}

/* Moves what is there to the front. */
static size_t drop_blanks(double *numbers, size_t count)
{
  size_t kept = 0;
  for (size_t i = 0; i < count; ++i)
    if (!isnan(numbers[i])) numbers[kept++] = numbers[i];
  return kept;
}

static double count_values(double *numbers, size_t count) { return (double)drop_blanks(numbers, count); }

static double mean(double *numbers, size_t count)
{
  double       sum = 0;
  const size_t kept = drop_blanks(numbers, count);
  for (size_t i = 0; i < kept; ++i) sum += numbers[i];
  return sum / (double)kept;
}

static int compare_numbers(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *numbers, size_t count)
{
  const size_t kept = drop_blanks(numbers, count);
  if (kept == 0) return NAN;
  qsort(numbers, kept, sizeof *numbers, compare_numbers);
  return 0.5 * (numbers[(kept - 1) / 2] + numbers[kept / 2]);
}

/* slope(y, x) of the least-squares line, sum (x - x̄)(y - ȳ) / sum (x - x̄)², over the rows that have both. */
static double slope(double *numbers, size_t count)
{
  const size_t  rows = count / 2;
  const double *y = numbers, *x = numbers + rows;
  double        n = 0, x_mean = 0, y_mean = 0, xx = 0, xy = 0;
  for (size_t i = 0; i < rows; ++i) {
    if (isnan(x[i] + y[i])) continue;
    n += 1;
    x_mean += x[i];
    y_mean += y[i];
  }
  x_mean /= n;
  y_mean /= n;
  for (size_t i = 0; i < rows; ++i) {
    if (isnan(x[i] + y[i])) continue;
    xx += (x[i] - x_mean) * (x[i] - x_mean);
    xy += (x[i] - x_mean) * (y[i] - y_mean);
  }
  return xx > 0 ? xy / xx : NAN;
}

/* What is below this part of a curve's first value is rounding. */
static const double rounding = 1e-12;

static bool is_drawn(const sb_curve *c, size_t i) { return c->x[i] > 0 && c->y[i] > rounding * c->y[0]; }

/* log y of a polyline in (log x, log y) at x; false outside of it. */
static bool height_at(const sb_curve *c, double x, double *height)
{
  size_t last = (size_t)-1;
  for (size_t i = 0; i < c->count; ++i) {
    if (!is_drawn(c, i)) continue;
    if (last != (size_t)-1 && c->x[last] <= x && x <= c->x[i]) {
      const double width = log(c->x[i] / c->x[last]), part = width > 0 ? log(x / c->x[last]) / width : 0;
      *height = log(c->y[last]) + part * log(c->y[i] / c->y[last]);
      return true;
    }
    last = i;
  }
  return false;
}

/* The last point at which curve a, below b before or where b had not begun, is not below it any more; NAN: none. */
static double last_crossing(const sb_curve *a, const sb_curve *b, bool of_y)
{
  double found = NAN;
  bool   below = false;
  for (size_t i = 0; i < a->count; ++i) {
    double height = 0;
    if (!is_drawn(a, i)) continue;
    const bool here = !height_at(b, a->x[i], &height) || log(a->y[i]) < height;
    if (below && !here) found = of_y ? a->y[i] : a->x[i];
    below = here;
  }
  return found;
}

static double x_of_crossing(const sb_curve *a, const sb_curve *b) { return last_crossing(a, b, false); }

static double y_of_crossing(const sb_curve *a, const sb_curve *b) { return last_crossing(a, b, true); }

typedef struct {
  const char *name;
  size_t      arguments_min, arguments_max;
  double (*of_each)(double);
  double (*of_all)(double *numbers, size_t count);
  double (*of_curves)(const sb_curve *a, const sb_curve *b);
} function;

static const function functions[] = {
    {"sqrt", 1, 1, .of_each = sqrt},
    {"log", 1, 1, .of_each = log},
    {"exp", 1, 1, .of_each = exp},
    {"abs", 1, 1, .of_each = fabs},
    {"min", 1, 16, .of_all = least},
    {"max", 1, 16, .of_all = greatest},
    {"median", 1, 16, .of_all = median},
    {"mean", 1, 16, .of_all = mean},
    {"count", 1, 16, .of_all = count_values},
    {"slope", 2, 2, .of_all = slope},
    {"crossing", 3, 3, .of_curves = x_of_crossing},
    {"crossing_y", 3, 3, .of_curves = y_of_crossing},
};

size_t sb_function_count(void) { return sizeof functions / sizeof *functions; }

const char *sb_function_name(size_t number) { return functions[number].name; }

bool sb_function_takes(size_t number, size_t arguments)
{
  return arguments >= functions[number].arguments_min && arguments <= functions[number].arguments_max;
}

/* Of all values of the arguments: one a row of the claim, where they differ from row to row. */
static sb_value apply_to_all(sb_evaluation *e, const sb_node *call, size_t row)
{
  const function *f = &functions[call->function];
  const bool      takes_words = f->of_all == count_values, takes_columns = f->of_all == slope;
  double         *numbers = NULL;
  size_t          count = 0;
  bool            sure = true;
  for (size_t a = 0; a < call->count; ++a) {
    const bool spread = e->claim && e->spread[call->parts[a]->index];
    if (takes_columns && !spread) {
      free(numbers);
      return sb_evaluation_fails(e, call, "E102", "in '%.*s': %s(y, x) takes two columns", shown_length(call),
                                 e->expression->text + call->begin, f->name);
    }
    for (size_t i = 0; i < (spread ? e->count : 1); ++i) {
      const size_t   at = spread ? e->rows[i] : row;
      const sb_value value = sb_evaluate(e, call->parts[a], at);
      const bool     good = takes_words || require_number(e, call->parts[a], value);
      sure = sure && good && value.kind != SB_UNKNOWN && !(spread && e->unsure && e->unsure[at]);
      numbers = sb_grow(numbers, count, sizeof *numbers);
      numbers[count++] = value.kind == SB_BLANK ? NAN : value.number;
    }
  }
  const double result = f->of_all(numbers, count);
  free(numbers);
  if (!sure) return unknown_number;
  if (takes_columns && isnan(result))
    return sb_evaluation_fails(e, call, "E102", "in '%.*s': %s() needs two rows with different values",
                               shown_length(call), e->expression->text + call->begin, f->name);
  return sb_number_or_blank(result);
}

/* crossing(x, y[…], y[…]) */
static sb_value apply_to_curves(sb_evaluation *e, const sb_node *call, size_t row)
{
  sb_curve curves[2] = {0};
  bool     good = call->parts[0]->kind == SB_NODE_NAME;
  for (size_t i = 1; i <= 2; ++i) good = good && call->parts[i]->kind == SB_NODE_SELECT;
  if (!good)
    return sb_evaluation_fails(e, call, "E102",
                               "in '%.*s': %s(x, y[axis=value, …], y[axis=value, …]) takes columns of curves",
                               shown_length(call), e->expression->text + call->begin, functions[call->function].name);
  for (size_t i = 0; i < 2; ++i) {
    const sb_node *node = call->parts[i + 1];
    search         s = {.node = node, .rows = e->scope->rows};
    size_t         found = 0;
    sb_value       any;
    if (!search_row(e, node, row, &s, &found, &any) || e->check) {
      good = false;
      continue;
    }
    if (!e->scope->curve)
      return sb_evaluation_fails(e, call, "E102", "in '%.*s': there are no curves here", shown_length(call),
                                 e->expression->text + call->begin);
    if (!e->scope->curve(e->scope->of, found, call->parts[0]->word, node->word, &curves[i], e->scope->arena,
                         e->diagnostics)) {
      e->failed = true;
      good = false;
    }
  }
  return good ? sb_number_or_blank(functions[call->function].of_curves(&curves[0], &curves[1])) : unknown_number;
}

static sb_value evaluate_call(sb_evaluation *e, const sb_node *call, size_t row)
{
  const function *f = &functions[call->function];
  if (f->of_curves) return apply_to_curves(e, call, row);
  if (f->of_all) return apply_to_all(e, call, row);
  const sb_value value = sb_evaluate(e, call->parts[0], row);
  if (!require_number(e, call->parts[0], value)) return unknown_number;
  return value.kind == SB_NUMBER ? sb_number_or_blank(f->of_each(value.number)) : value;
}

static sb_value evaluate_here(sb_evaluation *e, const sb_node *node, size_t row)
{
  switch (node->kind) {
  case SB_NODE_NUMBER:
    return (sb_value){.kind = SB_NUMBER, .number = node->number};
  case SB_NODE_STRING:
    return word_of(node->word);
  case SB_NODE_NAME:
    return evaluate_name(e, node, row);
  case SB_NODE_NOT:
  case SB_NODE_AND:
  case SB_NODE_OR:
    return evaluate_logic(e, node, row);
  case SB_NODE_COMPARE:
    return evaluate_comparison(e, node, row);
  case SB_NODE_CALL:
    return evaluate_call(e, node, row);
  case SB_NODE_SELECT:
  case SB_NODE_PUBLISHED:
    return evaluate_search(e, node, row);
  case SB_NODE_NEGATE:
  case SB_NODE_ARITHMETIC:
    return evaluate_arithmetic(e, node, row);
  default: /* a list is looked at beside its left side alone */
    return blank;
  }
}

sb_value sb_evaluate(sb_evaluation *e, const sb_node *node, size_t row)
{
  const size_t i = node->index;
  if (!e->claim || e->spread[i]) return evaluate_here(e, node, row);
  if (!e->known[i]) e->values[i] = evaluate_here(e, node, row);
  e->known[i] = true;
  return e->values[i];
}

/* Notes which parts differ from row to row. Functions of all values do not, whatever they take. */
static bool find_spread(sb_evaluation *e, const sb_node *node)
{
  bool spread = node->kind == SB_NODE_NAME && !sb_evaluation_is_plain(e, node);
  for (size_t i = 0; i < node->count; ++i) spread = find_spread(e, node->parts[i]) || spread;
  if (node->kind == SB_NODE_CALL) spread = spread && !functions[node->function].of_all;
  return e->spread[node->index] = spread;
}

void sb_evaluation_begin_claim(sb_evaluation *e)
{
  const size_t rows = sb_rows_count(e->scope->rows), nodes = e->expression->nodes;
  e->claim = true;
  e->rows = sb_allocate(rows, sizeof *e->rows);
  for (size_t i = 0; i < rows; ++i)
    if (!e->scope->selected || e->scope->selected[i]) e->rows[e->count++] = i;
  e->spread = sb_allocate(nodes, sizeof *e->spread);
  e->known = sb_allocate(nodes, sizeof *e->known);
  e->values = sb_allocate(nodes, sizeof *e->values);
  find_spread(e, e->expression->root);
}

void sb_evaluation_end(sb_evaluation *e)
{
  free(e->rows);
  free(e->spread);
  free(e->known);
  free(e->values);
}

bool sb_expression_value(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                         sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  *value = sb_evaluate(&e, expression->root, row);
  return !e.failed;
}

bool sb_expression_holds(const sb_expression *expression, const sb_scope *scope, size_t row, bool *truth,
                         sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  *truth = sb_evaluate_truth(&e, expression->root, row).truth;
  return !e.failed;
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
