/* Claims: whether one holds for all rows that it is about, and what it turned on, as one short piece of text.
 *
 * Compared values that differ only in the row they are chosen from stand together under what they share:
 * "error_10 by grid: 0.039 (10), 0.0436 (20); slope(log(t), log(n)) = 0.99". Of many values of a column only the span
 * is shown, words with how often they occur. Nothing is said twice. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"

enum { VALUES_MAX = 8 };

typedef struct {
  const char *head, *label, *value; /* label "": the head says all */
} entry;

typedef struct {
  sb_evaluation *e;
  sb_arena      *arena;
  size_t         count;
  entry         *entries;
  double         margin; /* smallest constant over the timing compared with it; INFINITY: there was none */
} account;

/* The only node below `node` that chooses a row, NULL when there is none or a second; *count of them. */
static const sb_node *only_selection(const sb_node *node, size_t *count)
{
  const sb_node *found = NULL;
  if (node->kind == SB_NODE_SELECT) {
    ++*count;
    return node;
  }
  for (size_t i = 0; node->kind != SB_NODE_PUBLISHED && i < node->count; ++i) {
    const sb_node *inner = only_selection(node->parts[i], count);
    if (inner) found = inner;
  }
  return *count == 1 ? found : NULL;
}

/* Text [begin, end) on one line; published(…) is shortened to its name. */
static void put_text(FILE *stream, const char *text, size_t begin, size_t end)
{
  static const char published[] = "published(";
  for (size_t i = begin; i < end; ++i) {
    if (strncmp(text + i, published, sizeof published - 1) == 0) {
      fputs("published", stream);
      i += strcspn(text + i, ")");
    } else if (strchr(" \n\t", text[i])) {
      if (i == begin || !strchr(" \n\t", text[i - 1])) fputc(' ', stream);
    } else
      fputc(text[i], stream);
  }
}

/* The node's text; where one part chooses a row, without the brackets, which go to the end: "1000 * t by grid". */
static const char *head_of(const account *g, const sb_node *node, const sb_node *selection)
{
  const char     *text = g->e->expression->text;
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, g->arena);
  put_text(stream, text, node->begin, selection ? selection->begin + strlen(selection->word) : node->end);
  if (selection) put_text(stream, text, selection->end, node->end);
  for (size_t i = 0; selection && i < selection->count; ++i)
    fprintf(stream, "%s%s", i ? ", " : " by ", selection->keys[i]);
  return sb_arena_text(&writer);
}

static const char *label_of(const account *g, const sb_node *selection)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, g->arena);
  for (size_t i = 0; selection && i < selection->count; ++i) {
    fputs(i ? ", " : "", stream);
    put_text(stream, g->e->expression->text, selection->parts[i]->begin, selection->parts[i]->end);
  }
  return sb_arena_text(&writer);
}

static void put_value(FILE *stream, sb_value v)
{
  if (v.kind == SB_NUMBER)
    fprintf(stream, "%.4g", v.number);
  else if (v.kind == SB_BLANK)
    fputs("(blank)", stream);
  else
    fputs(v.kind == SB_WORD ? v.word : v.truth ? "true" : "false", stream);
}

/* "ok (12), diverged (3)": values that are no numbers, each with how often it occurs. */
static void put_counts(FILE *stream, const sb_value *values, size_t count)
{
  const char *separator = "";
  for (size_t i = 0; i < count; ++i) {
    size_t before = 0, times = 0;
    for (size_t j = 0; j < count; ++j)
      if (sb_value_same(values[i], values[j])) j < i ? ++before : ++times;
    if (before > 0) continue;
    fputs(separator, stream);
    put_value(stream, values[i]);
    fprintf(stream, " (%zu)", times);
    separator = ", ";
  }
}

/* "1 … 12 (12 values)" */
static void put_span(FILE *stream, const sb_value *values, size_t count)
{
  size_t numbers = 0;
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < count; ++i) {
    if (values[i].kind != SB_NUMBER) continue;
    least = fmin(least, values[i].number);
    most = fmax(most, values[i].number);
    ++numbers;
  }
  if (numbers == 0)
    put_counts(stream, values, count);
  else
    fprintf(stream, "%.4g … %.4g (%zu values)", least, most, numbers);
  if (numbers > 0 && numbers < count) fprintf(stream, ", (blank) (%zu)", count - numbers);
}

static const char *values_of(const account *g, const sb_node *node)
{
  const size_t    count = g->e->spread[node->index] ? g->e->count : 1;
  sb_value       *values = sb_arena_take(g->arena, count, sizeof *values);
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, g->arena);
  for (size_t i = 0; i < count; ++i) {
    values[i] = sb_evaluate(g->e, node, g->e->rows[i]);
    if (count > VALUES_MAX) continue;
    fputs(i ? ", " : "", stream);
    put_value(stream, values[i]);
  }
  if (count > VALUES_MAX) put_span(stream, values, count);
  return sb_arena_text(&writer);
}

static void add(account *g, const sb_node *node)
{
  const bool literal = node->kind == SB_NODE_NUMBER || node->kind == SB_NODE_STRING || node->kind == SB_NODE_LIST ||
                       sb_evaluation_is_plain(g->e, node) ||
                       (node->kind == SB_NODE_NEGATE && node->parts[0]->kind == SB_NODE_NUMBER);
  if (literal) return;
  size_t         count = 0;
  const sb_node *selection = only_selection(node, &count);
  const entry    found = {head_of(g, node, selection), label_of(g, selection), values_of(g, node)};
  for (size_t i = 0; i < g->count; ++i)
    if (strcmp(g->entries[i].head, found.head) == 0 && strcmp(g->entries[i].label, found.label) == 0) return;
  g->entries = sb_arena_grow(g->arena, g->entries, g->count, sizeof *g->entries);
  g->entries[g->count++] = found;
}

static void count_columns(const account *g, const sb_node *node, size_t *columns, size_t *timings)
{
  if (node->kind == SB_NODE_PUBLISHED) return;
  if (node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT) {
    const sb_rows *rows = g->e->scope->rows;
    const size_t   column = sb_rows_column_find(rows, node->word);
    ++*columns;
    *timings += column != (size_t)-1 && sb_rows_column_at(rows, column)->is_timing;
    return;
  }
  for (size_t i = 0; i < node->count; ++i) count_columns(g, node->parts[i], columns, timings);
}

/* One timing column and otherwise constants. */
static bool is_timing(const account *g, const sb_node *node)
{
  size_t columns = 0, timings = 0;
  count_columns(g, node, &columns, &timings);
  return columns == 1 && timings == 1;
}

/* Numbers and published cells alone. */
static bool is_constant(const account *g, const sb_node *node)
{
  size_t columns = 0, timings = 0;
  count_columns(g, node, &columns, &timings);
  return columns == 0 && node->kind != SB_NODE_STRING && node->kind != SB_NODE_LIST;
}

/* "timing < constant", or "constant / timing > number": how many times the constant is the timing. */
static void note_margin(account *g, const sb_node *node, size_t link)
{
  const sb_comparison comparison = node->comparisons[link];
  const sb_node      *a = node->parts[link], *b = node->parts[link + 1];
  const bool          below = (comparison == SB_LESS || comparison == SB_LESS_EQUAL) && is_timing(g, a);
  const bool quotient = (comparison == SB_GREATER || comparison == SB_GREATER_EQUAL) && a->kind == SB_NODE_ARITHMETIC &&
                        a->arithmetic == '/' && is_constant(g, a->parts[0]) && is_timing(g, a->parts[1]);
  if (!is_constant(g, b) || (!below && !quotient)) return;
  for (size_t i = 0; i < g->e->count; ++i) {
    const sb_value left = sb_evaluate(g->e, a, g->e->rows[i]), right = sb_evaluate(g->e, b, g->e->rows[i]);
    if (left.kind != SB_NUMBER || right.kind != SB_NUMBER) continue;
    const double margin = below ? right.number / left.number : left.number;
    if (isfinite(margin) && margin > 0) g->margin = fmin(g->margin, margin);
  }
}

/* What is compared, and columns that are truth values by themselves. */
static void visit(account *g, const sb_node *node, bool logic)
{
  const bool names = node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT;
  const bool parts_are = node->kind == SB_NODE_AND || node->kind == SB_NODE_OR || node->kind == SB_NODE_NOT;
  for (size_t i = 0; i < node->count; ++i) visit(g, node->parts[i], parts_are);
  if (logic && names) add(g, node);
  if (node->kind != SB_NODE_COMPARE) return;
  for (size_t i = 0; i < node->count; ++i) add(g, node->parts[i]);
  for (size_t i = 0; i + 1 < node->count; ++i) note_margin(g, node, i);
}

/* All that has one head: "t by n: 30 (3), 50 (5)". */
static void put_group(const account *g, size_t first, FILE *stream)
{
  const char *separator = g->entries[first].label[0] ? ": " : " = ";
  for (size_t i = 0; i < first; ++i)
    if (strcmp(g->entries[i].head, g->entries[first].head) == 0) return;
  fprintf(stream, "%s%s", first > 0 ? "; " : "", g->entries[first].head);
  for (size_t i = first; i < g->count; ++i) {
    const entry *e = &g->entries[i];
    if (strcmp(e->head, g->entries[first].head) != 0) continue;
    fprintf(stream, "%s%s", separator, e->value);
    if (e->label[0]) fprintf(stream, " (%s)", e->label);
    separator = ", ";
  }
}

/* The beginning that fits, cut between characters, and a sign that something is missing. */
static void copy_start(char *to, size_t size, const char *from)
{
  static const char sign[] = " …";
  size_t            length = strlen(from);
  if (length >= size)
    for (length = size - sizeof sign; length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80;) --length;
  memcpy(to, from, length);
  strcpy(to + length, from[length] ? sign : "");
}

static void write_grounds(sb_evaluation *e, sb_grounds *found)
{
  account         g = {.e = e, .arena = sb_arena_create(), .margin = INFINITY};
  const locale_t  c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
  sb_arena_writer writer;
  visit(&g, e->expression->root, true);
  FILE *stream = sb_arena_write(&writer, g.arena);
  for (size_t i = 0; i < g.count; ++i) put_group(&g, i, stream);
  copy_start(found->shown, sizeof found->shown, sb_arena_text(&writer));
  found->margin = isfinite(g.margin) ? g.margin : 0;
  uselocale(before);
  freelocale(c);
  sb_arena_destroy(&g.arena);
}

bool sb_expression_claim(const sb_expression *expression, const sb_scope *scope, bool *truth, sb_grounds *grounds,
                         sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  sb_evaluation_begin_claim(&e);
  *truth = true;
  *grounds = (sb_grounds){0};
  if (e.count == 0) sb_evaluation_fails(&e, expression->root, "E102", "no rows are selected");
  for (size_t i = 0; i < e.count; ++i) *truth = sb_evaluate_truth(&e, expression->root, e.rows[i]).truth && *truth;
  if (!e.failed) write_grounds(&e, grounds);
  sb_evaluation_end(&e);
  return !e.failed;
}
