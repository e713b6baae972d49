/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From tree to value, row by row: a part has one value in a row, and nothing is short-circuited. In a claim, parts that
 * are the same in every row (constants, functions of all values, chosen rows) are evaluated once. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"
#include "harness/sweep/sweep.h"

enum { WORDS = SB_MAY_BE_WORD | SB_MAY_BE_TRUTH, ANYTHING = SB_MAY_BE_NUMBER | WORDS };
enum { SHOWN_LENGTH = 80 };

static const size_t   none = (size_t)-1; /* no column, no row */
static const sb_value blank = {.kind = SB_BLANK}, unknown = {.kind = SB_UNKNOWN, .may_be = ANYTHING},
                      unknown_number = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER};

static sb_value truth_of(bool truth) { return (sb_value){.kind = SB_TRUTH, .truth = truth}; }

static sb_value word_of(const char *word) { return (sb_value){.kind = SB_WORD, .word = word}; }

static sb_value number_of(double number) { return (sb_value){.kind = SB_NUMBER, .number = number}; }

static bool is_nan(sb_value value) { return value.kind == SB_NUMBER && isnan(value.number); }

/* The value for tables and figures: a number that is not finite becomes blank. */
static sb_value finite_or_blank(sb_value value)
{
  return value.kind != SB_NUMBER || isfinite(value.number) ? value : blank;
}

static unsigned kinds_of(sb_value value) { return value.kind == SB_UNKNOWN ? value.may_be : 1u << value.kind; }

/* ---- why a value is unknown ---- */

static sb_reason *because(const sb_evaluation *e, sb_reason reason)
{
  if (!e->scope->reads) return NULL; /* nobody asks */
  sb_reason *why = sb_arena_take(e->arena ? e->arena : e->scope->arena, 1, sizeof *why);
  *why = reason;
  return why;
}

static sb_reason *both(const sb_evaluation *e, sb_reason *a, sb_reason *b)
{
  return !a || a == b ? b : !b ? a : because(e, (sb_reason){.also = {a, b}, .row = none});
}

static sb_value unknown_for(unsigned may_be, sb_reason *why)
{
  return (sb_value){.kind = SB_UNKNOWN, .may_be = may_be, .why = why};
}

static bool may_hold(sb_value truth) { return truth.kind == SB_UNKNOWN || truth.truth; }

/* ---- faults of a part ---- */

/* Its text as a message quotes it. */
static const char *shown(const sb_evaluation *e, const sb_node *node)
{
  const size_t length = node->end - node->begin;
  return sb_arena_copy_span(e->expression->arena, e->expression->text + node->begin,
                            length < SHOWN_LENGTH ? length : SHOWN_LENGTH);
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
  return sb_evaluation_fails(e, node, "E102", "'%s' is %s%s", shown(e, node), kind, why);
}

static bool require_number(sb_evaluation *e, const sb_node *node, sb_value value)
{
  const bool good = value.kind == SB_BLANK || (kinds_of(value) & SB_MAY_BE_NUMBER);
  if (!good) refuse(e, node, value, "; only numbers can be calculated with");
  return good;
}

/* True if a part is a cell of these results or of a published table, or is made of one. */
static bool is_of_cells(const sb_evaluation *e, const sb_node *node)
{
  const bool any = e->check && e->check->open; /* a name may be a column */
  bool       found = node->kind == SB_NODE_SELECT || node->kind == SB_NODE_PUBLISHED ||
               (node->kind == SB_NODE_NAME && (any || !sb_evaluation_is_plain(e, node)));
  for (size_t i = 0; i < node->count && !found; ++i) found = is_of_cells(e, node->parts[i]);
  return found;
}

/* A count is of values that are not blank: false would count as true does, and a constant is never blank. */
static bool require_countable(sb_evaluation *e, const sb_node *node, sb_value value)
{
  const bool good = kinds_of(value) != SB_MAY_BE_TRUTH && is_of_cells(e, node);
  if (!good) refuse(e, node, value, "; count() counts the cases that have a number or a word in a column");
  return good;
}

/* ---- cells of the results ---- */

static void note_used(const sb_evaluation *e, size_t row, sb_value value)
{
  if (e->used && value.kind != SB_UNKNOWN) e->used[row] = true;
}

static void note_read(const sb_evaluation *e, size_t row, unsigned what)
{
  if (e->scope->reads) e->scope->reads(e->scope->reader, row, what);
}

/* The same value; if it is unknown, because the row has no known one. */
static sb_value known_by_row(const sb_evaluation *e, size_t row, sb_value value)
{
  if (value.kind == SB_UNKNOWN)
    value.why = because(
        e, (sb_reason){.row = row, .what = value.uncounted ? SB_LEAVES_OPEN | SB_IS_UNCOUNTED : SB_LEAVES_OPEN});
  return value;
}

/* `from`: SB_READ_BESIDE for a row that brackets select. */
static sb_value cell_of(const sb_evaluation *e, size_t row, size_t column, unsigned from)
{
  const sb_rows_column *head = sb_rows_column_at(e->scope->rows, column);
  const unsigned        time = sb_rows_column_is_time(head) ? SB_READ_TIME : 0;
  const bool            hidden = time && e->scope->times_unknown && e->scope->times_unknown[row];
  const sb_value        value = hidden ? unknown_number : sb_rows_get(e->scope->rows, row, column);
  const unsigned        known = time && value.kind != SB_UNKNOWN ? SB_READ_KNOWN_TIME : 0;
  if (!head->is_option) note_read(e, row, from | time | known);
  return known_by_row(e, row, value);
}

/* ---- comparisons and logic ---- */

/* The number and the word of such an option are not equal, as in jacobi_omega == 0.6, but may be compared. */
static bool takes_word(const sb_node *node)
{
  const sb_option_id id = node->kind == SB_NODE_NAME ? sb_option_find(node->word) : sb_option_count;
  return id != sb_option_count && sb_option_takes_word(id);
}

/* True if the kinds of two values can be compared: numbers have an order, words are alike or match. */
static bool comparable(sb_evaluation *e, const sb_node *nodes[2], int comparison, sb_value left, sb_value right)
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

/* The orders of two values, and those for which each comparison holds. */
enum { LESS = 1, ALIKE = 2, MORE = 4 };
static const int holds[] = {
    [SB_EQUAL] = ALIKE,  [SB_UNEQUAL] = LESS | MORE,       [SB_LESS] = LESS, [SB_LESS_EQUAL] = LESS | ALIKE,
    [SB_GREATER] = MORE, [SB_GREATER_EQUAL] = MORE | ALIKE};

static sb_value compare(sb_evaluation *e, const sb_node *nodes[2], int comparison, sb_value left, sb_value right)
{
  if (left.kind == SB_BLANK || right.kind == SB_BLANK) return truth_of(false);
  const bool equality = comparison == SB_EQUAL || comparison == SB_UNEQUAL;
  if (equality && !(kinds_of(left) & kinds_of(right)) && (takes_word(nodes[0]) || takes_word(nodes[1])))
    return truth_of(comparison == SB_UNEQUAL);
  const bool known = left.kind != SB_UNKNOWN && right.kind != SB_UNKNOWN && !is_nan(left) && !is_nan(right);
  if (!comparable(e, nodes, comparison, left, right) || !known)
    return unknown_for(SB_MAY_BE_TRUTH, both(e, left.why, right.why));
  if (comparison == SB_MATCHES) {
    const int answer = sb_pattern_match(sb_value_word(right), sb_value_word(left));
    return answer >= 0
               ? truth_of(answer == 0)
               : sb_evaluation_fails(e, nodes[1], "E102", "'%.64s' is not a regular expression", sb_value_word(right));
  }
  const int order = left.kind == SB_NUMBER ? (left.number > right.number) - (left.number < right.number)
                                           : strcmp(sb_value_word(left), sb_value_word(right));
  return truth_of(holds[comparison] & (order < 0 ? LESS : order > 0 ? MORE : ALIKE));
}

/* The numbers that a part may be: an unknown one may be known to lie between two others. False: any, or blank. */
static bool find_range(const sb_evaluation *e, const sb_node *node, sb_value value, double range[2])
{
  const bool known = value.kind == SB_NUMBER && !is_nan(value),
             bounded = value.kind == SB_UNKNOWN && e->claim && e->parts[node->index].bounded;
  range[0] = known ? value.number : bounded ? e->parts[node->index].least : 0;
  range[1] = known ? value.number : bounded ? e->parts[node->index].most : 0;
  return known || bounded;
}

static sb_value compare_parts(sb_evaluation *e, const sb_node *left, int comparison, const sb_node *right, size_t row)
{
  const sb_node *nodes[2] = {left, right};
  double         a[2], b[2];
  if (e->check) sb_check_compared(e, nodes, comparison);
  const sb_value value = sb_evaluate(e, left, row), other = sb_evaluate(e, right, row);
  const sb_value truth = compare(e, nodes, comparison, value, other);
  if (truth.kind != SB_UNKNOWN || comparison >= SB_MATCHES) return truth;
  if (!find_range(e, left, value, a) || !find_range(e, right, other, b)) return truth;
  const int may_be = (a[0] < b[1] ? LESS : 0) | (a[0] <= b[1] && b[0] <= a[1] ? ALIKE : 0) | (a[1] > b[0] ? MORE : 0);
  if ((may_be & holds[comparison]) == 0) return truth_of(false);
  return (may_be & ~holds[comparison]) == 0 ? truth_of(true) : truth;
}

sb_value sb_evaluation_join(const sb_evaluation *e, sb_value so_far, sb_value next, bool any)
{
  if (so_far.kind == SB_TRUTH) return so_far.truth == any ? so_far : next;
  if (next.kind == SB_TRUTH) return next.truth == any ? next : so_far;
  return unknown_for(SB_MAY_BE_TRUTH, both(e, so_far.why, next.why));
}

static sb_value evaluate_comparison(sb_evaluation *e, const sb_node *node, size_t row)
{
  sb_value truth = truth_of(true);
  for (size_t i = 0; i + 1 < node->count; ++i) {
    const sb_node *left = node->parts[i], *right = node->parts[i + 1];
    const int      comparison = node->comparisons[i];
    const bool     list = comparison == SB_IN || comparison == SB_NOT_IN;
    sb_value       link = list ? truth_of(false) : compare_parts(e, left, comparison, right, row);
    for (size_t k = 0; list && k < right->count; ++k)
      link = sb_evaluation_join(e, link, compare_parts(e, left, SB_EQUAL, right->parts[k], row), true);
    if (comparison == SB_NOT_IN && link.kind == SB_TRUTH) { /* which a blank is as little as "in" */
      const sb_value value = sb_evaluate(e, left, row);
      const bool     open = value.kind == SB_UNKNOWN && !(e->claim && e->parts[left->index].bounded);
      link = open && !link.truth ? unknown_for(SB_MAY_BE_TRUTH, value.why)
                                 : truth_of(!link.truth && value.kind != SB_BLANK);
    }
    truth = sb_evaluation_join(e, truth, link, false);
  }
  return truth;
}

sb_value sb_evaluate_truth(sb_evaluation *e, const sb_node *node, size_t row)
{
  const sb_value value = sb_evaluate(e, node, row);
  const bool     yes = value.kind == SB_WORD && strcmp(value.word, "true") == 0;
  const bool     no = value.kind == SB_BLANK || (value.kind == SB_WORD && strcmp(value.word, "false") == 0);
  if (yes || no) return truth_of(yes);
  if (kinds_of(value) & SB_MAY_BE_TRUTH)
    return value.kind == SB_TRUTH ? value : unknown_for(SB_MAY_BE_TRUTH, value.why);
  return refuse(e, node, value, ", neither true nor false; write a comparison");
}

static sb_value evaluate_arithmetic(sb_evaluation *e, const sb_node *node, size_t row)
{
  const sb_node *last = node->parts[node->count - 1];
  const sb_value a = sb_evaluate(e, node->parts[0], row), b = sb_evaluate(e, last, row);
  if (!require_number(e, node->parts[0], a) || !require_number(e, last, b)) return unknown_number;
  if (a.kind == SB_BLANK || b.kind == SB_BLANK) return blank;
  if (a.kind == SB_UNKNOWN || b.kind == SB_UNKNOWN) return unknown_for(SB_MAY_BE_NUMBER, both(e, a.why, b.why));
  if (is_nan(a) || is_nan(b)) return number_of(NAN); /* pow(NAN, 0) is 1 */
  const double x = a.number, y = b.number;
  return number_of(node->arithmetic == '+'   ? x + y
                   : node->arithmetic == '-' ? x - y
                   : node->arithmetic == '*' ? x * y
                   : node->arithmetic == '/' ? x / y
                   : node->arithmetic == '^' ? pow(x, y)
                                             : -x);
}

/* ---- chosen rows ---- */

sb_value sb_evaluation_is_about(const sb_evaluation *e, size_t row)
{
  const sb_scope *scope = e->scope;
  if (!e->claim || !scope->taken || scope->taken[row] != SB_PERHAPS) return truth_of(true);
  return unknown_for(SB_MAY_BE_TRUTH, scope->open ? scope->open[row] : NULL);
}

/* A key of the row that is looked for, in results or in a published table. */
typedef struct {
  size_t   column;
  sb_value wanted;
} key;

/* Tests whether a row has the required value of the k-th key. A published column may hold numbers and words. */
static sb_value has_key(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const key *keys, size_t k,
                        size_t row)
{
  const sb_node *nodes[2] = {node->parts[k], node->parts[k]};
  const sb_value cell = known_by_row(e, row, sb_rows_get(rows, row, keys[k].column)), wanted = keys[k].wanted;
  if (node->kind == SB_NODE_PUBLISHED && cell.kind != wanted.kind && wanted.kind != SB_UNKNOWN) return truth_of(false);
  return compare(e, nodes, SB_EQUAL, cell, wanted);
}

void sb_rows_put_values(const sb_rows *rows, size_t column, FILE *stream)
{
  enum { SHOWN_MAX = 8 };
  size_t count = 0;
  for (size_t i = 0; i < sb_rows_count(rows) && count <= SHOWN_MAX; ++i) {
    const sb_value value = sb_rows_get(rows, i, column);
    bool           again = value.kind == SB_BLANK || value.kind == SB_UNKNOWN;
    for (size_t j = 0; j < i && !again; ++j) again = sb_value_same(value, sb_rows_get(rows, j, column));
    if (again) continue;
    fputs(count > 0 ? ", " : "", stream);
    if (count++ < SHOWN_MAX)
      sb_value_put(stream, value, true);
    else
      fputs("…", stream);
  }
}

/* "no row has substeps=9, method=c"; before the run, for a value that no row has, the existing values. */
static void report_search(sb_evaluation *e, const sb_node *node, const sb_rows *rows, const key *keys, bool several)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, e->expression->arena);
  e->absent = !several;
  fprintf(stream, "in '%s': %s", shown(e, node), several ? "several rows" : "no row");
  if (node->kind == SB_NODE_PUBLISHED) fprintf(stream, " of %s.csv", node->file);
  fputs(several ? " have" : " has", stream);
  for (size_t k = 0; k < node->count; ++k) {
    bool found = several || !e->check;
    for (size_t i = 0; i < sb_rows_count(rows) && !found; ++i) found = may_hold(has_key(e, node, rows, keys, k, i));
    fprintf(stream, "%s %s=", k > 0 ? "," : "", node->keys[k]);
    sb_value_put(stream, keys[k].wanted, true);
    if (found) continue;
    fputs(" (there are ", stream);
    sb_rows_put_values(rows, keys[k].column, stream);
    fputc(')', stream);
  }
  sb_evaluation_fails(e, node, e->check ? "E106" : "E102", "%s", sb_arena_text(&writer));
}

/* Rows that include all rows with these keys, *count of them. NULL stands for all rows: if the comparison of some cell
 * with its key would be refused, which only comparing finds, or if no key with known cells distinguishes rows. */
static const size_t *find_candidates(const sb_node *node, const sb_rows *rows, const key *keys, size_t *count)
{
  size_t             used = 0;
  SB_OWNED size_t   *columns = sb_allocate(node->count, sizeof *columns);
  SB_OWNED sb_value *wanted = sb_allocate(node->count, sizeof *wanted);
  bool               fits = true, none_has = false;
  for (size_t k = 0; k < node->count; ++k) {
    const unsigned kinds = sb_rows_kinds(rows, keys[k].column) & ~(1u << SB_BLANK), own = kinds_of(keys[k].wanted);
    const bool     open = keys[k].wanted.kind == SB_UNKNOWN || kinds & 1u << SB_UNKNOWN;
    none_has = none_has || keys[k].wanted.kind == SB_BLANK; /* a blank equals nothing */
    if (keys[k].wanted.kind != SB_BLANK && !open && node->kind != SB_NODE_PUBLISHED)
      fits = fits && !(own & WORDS ? kinds & ~(unsigned)WORDS : kinds & ~own);
    if (open) continue;
    columns[used] = keys[k].column;
    wanted[used++] = keys[k].wanted;
  }
  *count = sb_rows_count(rows);
  const size_t *found = fits && used > 0 ? sb_rows_having(rows, columns, wanted, used, count) : NULL;
  if (found && none_has) *count = 0;
  return found;
}

/* Reads the keys of a node; false after a message if there is no such column. */
static bool find_keys(sb_evaluation *e, const sb_node *node, const sb_rows *rows, size_t row, key *keys)
{
  const bool own = rows == e->scope->rows;
  bool       good = true;
  for (size_t k = 0; k < node->count; ++k) {
    keys[k] = (key){sb_rows_column_find(rows, node->keys[k]), sb_evaluate(e, node->parts[k], row)};
    if (e->check && own) sb_check_word(e, node->keys[k], node->parts[k]);
    if (keys[k].column == none) sb_evaluation_no_column(e, own ? node->parts[k] : node, rows, node->keys[k]);
    good = good && keys[k].column != none;
  }
  return good;
}

/* The one row that has all keys of a node: of a claim among the rows it is about, unless the keys differ from row to
 * row; else among all. None after a message, or where it is not known which it is, with the reasons in *why. */
static size_t find_row(sb_evaluation *e, const sb_node *node, const sb_rows *rows, size_t row, sb_reason **why)
{
  const bool    own = rows == e->scope->rows, all = !e->claim || e->parts[node->index].spread || !own;
  size_t        count = e->count, sure = 0, possible = 0, found = none;
  SB_OWNED key *keys = sb_allocate(node->count, sizeof *keys);
  const bool    good = find_keys(e, node, rows, row, keys);
  const size_t *candidates = !all ? e->rows : good ? find_candidates(node, rows, keys, &count) : NULL;
  for (size_t i = 0; good && i < count; ++i) {
    const size_t candidate = candidates ? candidates[i] : i;
    sb_value     has = all ? truth_of(true) : sb_evaluation_is_about(e, candidate);
    for (size_t k = 0; k < node->count; ++k)
      has = sb_evaluation_join(e, has, has_key(e, node, rows, keys, k, candidate), false);
    if (!may_hold(has)) continue;
    *why = both(e, *why, has.why);
    possible++;
    sure += has.kind == SB_TRUTH;
    found = candidate;
  }
  if (good && (sure > 1 || possible == 0)) report_search(e, node, rows, keys, sure > 1);
  return sure == 1 && possible == 1 ? found : none;
}

/* column[key=value, …] and published(file, column, key=value, …), whose table stays in the arena of the expression. */
static sb_value evaluate_search(sb_evaluation *e, const sb_node *node, size_t row)
{
  const sb_rows *rows = node->kind == SB_NODE_SELECT ? e->scope->rows : *node->table;
  if (!rows && e->check && !e->scope->published_dir) /* it is not evaluated yet */
    return (sb_value){.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD};
  if (!rows) {
    char                error[256] = "there are no published tables here";
    const char         *folder = e->scope->published_dir;
    sb_published_table *table = folder ? sb_published_read(e->expression->arena, folder, node->file, error) : NULL;
    if (!table) return sb_evaluation_fails(e, node, "E100", "there is no published table '%s': %s", node->file, error);
    rows = *node->table = sb_rows_of_table(table, e->expression->arena);
  }
  const size_t column = sb_rows_column_find(rows, node->word);
  if (column == none) sb_evaluation_no_column(e, node, rows, node->word);
  sb_reason   *why = NULL;
  const size_t found = find_row(e, node, rows, row, &why);
  if (column == none) return unknown;
  if (found != none && rows == e->scope->rows) note_used(e, found, sb_rows_get(rows, found, column));
  if (found != none)
    return rows == e->scope->rows ? cell_of(e, found, column, SB_READ_BESIDE) : sb_rows_get(rows, found, column);
  const unsigned may_be = sb_rows_column_at(rows, column)->absent.may_be;
  return unknown_for(may_be ? may_be : ANYTHING, why);
}

/* ---- functions ---- */

/* The bounds of a function: `count` values give `number`, and `unsure` more are unknown. */
static void note_range(sb_node_state *part, const sb_function *f, double number, size_t count, size_t unsure)
{
  const bool counts = f->kind == SB_COUNT;
  part->bounded = counts || (count > 0 && (f->kind == SB_LEAST || f->kind == SB_GREATEST));
  part->least = f->kind == SB_LEAST ? -INFINITY : number;
  part->most = f->kind == SB_GREATEST ? INFINITY : number + (counts ? (double)unsure : 0);
}

/* A slope, or a correlation, without two different x has no answer. */
static sb_value report_no_slope(sb_evaluation *e, const sb_node *call)
{
  return sb_evaluation_fails(e, call, "E102", "in '%s': %s() needs two rows with different values", shown(e, call),
                             call->function->name);
}

/* True if a function must treat one of its values as unknown: NaN, or an infinite value, except for max, min and count.
 */
static bool is_undecided_by(const sb_function *f, sb_value value)
{
  const bool takes_infinity = f->kind == SB_LEAST || f->kind == SB_GREATEST || f->kind == SB_COUNT;
  return value.kind == SB_NUMBER && (isnan(value.number) || (isinf(value.number) && !takes_infinity));
}

static bool is_of_pairs(const sb_function *f) { return f->kind == SB_SLOPE || f->kind == SB_RANK_CORRELATION; }

/* Refuses a function of all values if each row is evaluated by itself. */
static bool can_apply_to_all(sb_evaluation *e, const sb_node *call)
{
  const sb_function *f = call->function;
  const bool         pairs = is_of_pairs(f);
  const bool         columns =
      e->claim && e->parts[call->parts[0]->index].spread && e->parts[call->parts[call->count - 1]->index].spread;
  if (pairs && !columns)
    sb_evaluation_fails(e, call, "E102", "in '%s': %s(y, x) needs two columns", shown(e, call), f->name);
  else if (!e->claim && call->count == 1)
    sb_evaluation_fails(e, call, "E102",
                        "in '%s': %s() of one column needs the values of several cases, but this is evaluated for each "
                        "case by itself; use it in a claim's test or in a table with 'over'",
                        shown(e, call), f->name);
  return pairs ? columns : e->claim || call->count > 1;
}

/* The known numbers of the arguments of a function, how many more are unknown, and why. */
typedef struct {
  double    *numbers;
  size_t     count, unsure;
  sb_reason *why;
} argument_values;

/* Takes the value of argument `a` in a row. A row that only may count makes no difference if it has no value, nor does
 * one half of a pair whose other half is blank. */
static void take_value(sb_evaluation *e, const sb_node *call, size_t a, size_t row, argument_values *all)
{
  const sb_function *f = call->function;
  const sb_node     *argument = call->parts[a];
  const bool         pairs = is_of_pairs(f), spread = e->claim && e->parts[argument->index].spread;
  const sb_value     value = sb_evaluate(e, argument, row);
  const bool         good = (f->kind == SB_COUNT ? require_countable : require_number)(e, argument, value);
  const sb_value     taken = spread && value.kind != SB_BLANK ? sb_evaluation_is_about(e, row) : truth_of(true);
  const bool         open = !good || value.kind == SB_UNKNOWN || taken.kind == SB_UNKNOWN || is_undecided_by(f, value);
  const bool         alone = open && pairs && sb_evaluate(e, call->parts[1 - a], row).kind == SB_BLANK;
  if (open && !alone) {
    all->unsure++;
    all->why = both(e, all->why, both(e, taken.why, value.why));
  } else if (value.kind != SB_BLANK || pairs) {
    all->numbers[all->count++] = open || value.kind == SB_BLANK ? NAN : value.number;
  }
  const bool has_value = pairs ? a == 0 && value.kind != SB_BLANK : value.kind != SB_BLANK || f->kind == SB_COUNT;
  if (spread && has_value) note_used(e, row, value);
}

/* Applies a function to all values of its arguments: one per row of the claim, if they differ from row to row. */
static sb_value apply_to_all(sb_evaluation *e, const sb_node *call, size_t row)
{
  const sb_function *f = call->function;
  const bool         pairs = is_of_pairs(f);
  if (pairs && e->check && e->check->open) return unknown_number; /* without a known driver no column is known */
  if (!can_apply_to_all(e, call)) return unknown;
  SB_OWNED double *numbers = sb_allocate(call->count * (e->count + 1), sizeof *numbers);
  argument_values  all = {.numbers = numbers};
  for (size_t a = 0; a < call->count; ++a) {
    const bool spread = e->claim && e->parts[call->parts[a]->index].spread;
    for (size_t i = 0; i < (spread ? e->count : 1); ++i) take_value(e, call, a, spread ? e->rows[i] : row, &all);
  }
  const double result = pairs && all.unsure > 0 ? NAN : sb_function_of_numbers(f, numbers, all.count);
  if (all.unsure > 0 && e->claim && !e->check) note_range(&e->parts[call->index], f, result, all.count, all.unsure);
  if (all.unsure > 0) return unknown_for(SB_MAY_BE_NUMBER, all.why);
  if (!pairs || !isnan(result)) return isnan(result) ? blank : number_of(result);
  if (e->check) return report_no_slope(e, call);
  return unknown_for(SB_MAY_BE_NUMBER, because(e, (sb_reason){.row = none, .call = call}));
}

/* Reads the curve of the case in a row. False where it cannot be read; and, with the reason in *why, where it is not
 * known, because the case is not here, or ended otherwise than ok and has none. */
static bool read_curve(sb_evaluation *e, size_t row, const char *x, const char *y, sb_curve_columns *curve,
                       sb_reason **why)
{
  const sb_value status = sb_rows_get_named(e->scope->rows, row, "status");
  const bool     here = status.kind != SB_UNKNOWN;
  const bool     failed = e->claim && status.kind == SB_WORD && strcmp(status.word, sb_status_name(SB_OK)) != 0;
  if (here && !e->scope->curve(e->scope->of, row, x, y, curve, e->scope->arena, e->diagnostics)) {
    e->failed = true;
    return false;
  }
  const bool known = here && !curve->unknown && !curve->uncounted && (curve->count > 0 || !failed);
  note_read(e, row, SB_READ_BESIDE | (!curve->timed ? 0 : known ? SB_READ_TIME | SB_READ_KNOWN_TIME : SB_READ_TIME));
  const sb_value value = {.kind = known ? SB_BLANK : SB_UNKNOWN, .uncounted = here && curve->uncounted};
  *why = both(e, *why, known_by_row(e, row, value).why);
  return known;
}

/* crossing(x, y[…], y[…]): the last point at which the first curve, below the second before or not yet begun, is no
 * longer below it; blank: there is none. */
static sb_value apply_to_curves(sb_evaluation *e, const sb_node *call, size_t row)
{
  sb_curve_columns     curves[2] = {{0}, {0}};
  sb_reason           *why = NULL;
  const sb_node *const x = call->parts[0], *const *y = (const sb_node *const *)call->parts + 1;
  bool                 good = x->kind == SB_NODE_NAME && y[0]->kind == SB_NODE_SELECT && y[1]->kind == SB_NODE_SELECT;
  if (!good)
    return sb_evaluation_fails(e, call, "E102",
                               "in '%s': %s(x, y[axis=value, …], y[axis=value, …]) needs columns of curves",
                               shown(e, call), call->function->name);
  for (size_t i = 0; i < 2; ++i) {
    const size_t found = find_row(e, y[i], e->scope->rows, row, &why);
    good = good && found != none && !e->check;
    if (found == none || e->check) continue;
    note_used(e, found, sb_rows_get_named(e->scope->rows, found, "status"));
    if (!e->scope->curve)
      return sb_evaluation_fails(e, call, "E102", "in '%s': there are no curves here", shown(e, call));
    good = read_curve(e, found, x->word, y[i]->word, &curves[i], &why) && good;
  }
  if (!good) return unknown_for(SB_MAY_BE_NUMBER, why);
  const double crossing = sb_curves_crossing(curves, call->function->kind == SB_CROSSING_Y);
  return isnan(crossing) ? blank : number_of(crossing);
}

/* or_else(x, y), of a value of x. Before the run also tests that both are of one kind: results may be either. */
static sb_value instead_of_blank(sb_evaluation *e, const sb_node *call, sb_value value, size_t row)
{
  const sb_node *y = call->parts[1];
  if (value.kind != SB_BLANK && !e->check) return value;
  const sb_value other = sb_evaluate(e, y, row);
  const unsigned a = kinds_of(value), b = kinds_of(other);
  if (value.kind == SB_BLANK) return other;
  if (other.kind != SB_BLANK && !(a & b & SB_MAY_BE_NUMBER) && !((a & WORDS) && (b & WORDS)))
    refuse(e, y, other, "; or_else() takes two values of one kind");
  return value;
}

/* The least of the cells that a list selects; a blank one does not count, an unknown one may be the least. */
static sb_value least_of_cases(sb_evaluation *e, const sb_node *call, size_t row)
{
  sb_value   least = blank;
  sb_reason *why = NULL;
  bool       open = false;
  for (size_t i = 0; i < call->count; ++i) {
    const sb_value value = sb_evaluate(e, call->parts[i], row);
    if (!require_number(e, call->parts[i], value)) return unknown_number;
    open = open || value.kind == SB_UNKNOWN || is_nan(value);
    why = both(e, why, value.why);
    if (value.kind == SB_NUMBER && (least.kind == SB_BLANK || value.number < least.number)) least = value;
  }
  return open ? unknown_for(SB_MAY_BE_NUMBER, why) : least;
}

/* ---- an evaluation ---- */

static sb_value evaluate_here(sb_evaluation *e, const sb_node *node, size_t row)
{
  const sb_function *f = node->function;
  sb_value           value = blank;
  switch (node->kind) {
  case SB_NODE_NUMBER:
    return (sb_value){.kind = SB_NUMBER, .number = node->number};
  case SB_NODE_STRING:
    return word_of(node->word);
  case SB_NODE_NAME: {
    const size_t column = sb_rows_column_find(e->scope->rows, node->word);
    if (column != none) return cell_of(e, row, column, 0);
    const bool named = sb_option_find(node->word) != sb_option_count || (e->check && e->check->open);
    return named ? sb_evaluation_no_column(e, node, e->scope->rows, node->word) : word_of(node->word);
  }
  case SB_NODE_NOT:
    value = sb_evaluate_truth(e, node->parts[0], row);
    value.truth = !value.truth;
    return value;
  case SB_NODE_AND:
  case SB_NODE_OR:
    value = truth_of(node->kind == SB_NODE_AND);
    for (size_t i = 0; i < node->count; ++i)
      value = sb_evaluation_join(e, value, sb_evaluate_truth(e, node->parts[i], row), node->kind == SB_NODE_OR);
    return value;
  case SB_NODE_COMPARE:
    return evaluate_comparison(e, node, row);
  case SB_NODE_CALL:
    if (f->kind == SB_CROSSING || f->kind == SB_CROSSING_Y) return apply_to_curves(e, node, row);
    if (f->kind == SB_LEAST_OF_CASES) return least_of_cases(e, node, row);
    if (f->kind != SB_OF_EACH && f->kind != SB_OR_ELSE) return apply_to_all(e, node, row);
    value = sb_evaluate(e, node->parts[0], row);
    if (f->kind == SB_OR_ELSE) return instead_of_blank(e, node, value, row);
    if (!require_number(e, node->parts[0], value)) return unknown_number;
    return value.kind == SB_NUMBER ? number_of(f->of_each(value.number)) : value;
  case SB_NODE_SELECT:
  case SB_NODE_PUBLISHED:
    return evaluate_search(e, node, row);
  case SB_NODE_NEGATE:
  case SB_NODE_ARITHMETIC:
    return evaluate_arithmetic(e, node, row);
  default: /* a list is compared only with its left side */
    return blank;
  }
}

sb_value sb_evaluate(sb_evaluation *e, const sb_node *node, size_t row)
{
  if (!e->claim || e->parts[node->index].spread) return evaluate_here(e, node, row);
  sb_node_state *part = &e->parts[node->index];
  if (!part->known) part->value = evaluate_here(e, node, row);
  part->known = true;
  return part->value;
}

/* Notes which parts differ from row to row. Functions of all values never do. */
static bool find_spread(sb_evaluation *e, const sb_node *node)
{
  bool spread = node->kind == SB_NODE_NAME && !sb_evaluation_is_plain(e, node);
  for (size_t i = 0; i < node->count; ++i) spread = find_spread(e, node->parts[i]) || spread;
  if (node->kind == SB_NODE_CALL && node->function->kind >= SB_LEAST && node->function->kind <= SB_RANK_CORRELATION)
    spread = false;
  return e->parts[node->index].spread = spread;
}

void sb_evaluation_begin(sb_evaluation *e, bool claim, sb_arena *arena)
{
  const size_t rows = sb_rows_count(e->scope->rows);
  e->parts = sb_arena_take(arena, e->expression->nodes, sizeof *e->parts);
  e->arena = arena;
  e->claim = claim;
  if (!claim) return;
  e->rows = sb_arena_take(arena, rows, sizeof *e->rows);
  for (size_t i = 0; i < rows; ++i)
    if (!e->scope->taken || e->scope->taken[i] != SB_NO) e->rows[e->count++] = i;
  find_spread(e, e->expression->root);
}

void sb_evaluation_explain(sb_evaluation *e, sb_reason *why)
{
  const bool failed = e->failed;
  for (; why && !why->noted; why = why->also[0]) {
    why->noted = true;
    if (why->row != none) note_read(e, why->row, why->what);
    if (why->call) report_no_slope(e, why->call);
    sb_evaluation_explain(e, why->also[1]);
  }
  e->failed = failed;
}

bool sb_expression_value(const sb_expression *expression, const sb_scope *scope, size_t row, sb_value *value,
                         sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  if (scope->taken) sb_evaluation_begin(&e, true, scope->arena);
  *value = finite_or_blank(sb_evaluate(&e, expression->root, row));
  sb_evaluation_explain(&e, value->why);
  return !e.failed;
}

bool sb_expression_of_one(const sb_expression *expression, const sb_scope *scope, sb_value *value,
                          sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  sb_evaluation_begin(&e, true, scope->arena);
  *value = blank;
  for (size_t i = 0; i < e.count && !e.failed; ++i) {
    const sb_value one = finite_or_blank(sb_evaluate(&e, expression->root, e.rows[i]));
    if (i > 0 && !e.failed && !sb_value_same(*value, one))
      sb_evaluation_fails(&e, expression->root, "E106", "'%s' differs between cases", shown(&e, expression->root));
    sb_evaluation_explain(&e, one.why);
    *value = one;
  }
  return !e.failed;
}

bool sb_expression_holds(const sb_expression *expression, const sb_scope *scope, size_t row, bool *truth,
                         sb_diagnostics *diagnostics)
{
  sb_evaluation  e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  const sb_value value = sb_evaluate_truth(&e, expression->root, row);
  *truth = value.kind == SB_TRUTH && value.truth;
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

sb_perhaps *sb_expression_taken(const sb_expression *expression, const sb_scope *scope, sb_reason ***open,
                                sb_diagnostics *diagnostics)
{
  const size_t  count = sb_rows_count(scope->rows);
  sb_perhaps   *taken = sb_arena_take(scope->arena, count, sizeof *taken);
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  *open = sb_arena_take(scope->arena, count, sizeof **open);
  for (size_t i = 0; i < count && !e.failed; ++i) {
    if (scope->taken && scope->taken[i] == SB_NO) continue;
    const sb_value truth = expression ? sb_evaluate_truth(&e, expression->root, i) : truth_of(true);
    taken[i] = truth.kind == SB_UNKNOWN ? SB_PERHAPS : truth.truth ? SB_YES : SB_NO;
    (*open)[i] = truth.why;
  }
  return e.failed ? NULL : taken;
}
