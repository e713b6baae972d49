/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Claims: whether one holds for all its rows, and the decisive values, as one short text.
 *
 * Compared values that differ only in the row they are chosen from are joined under the part they share: "error_10 by
 * grid: 0.039 (10), 0.0436 (20); slope(log(t), log(n)) = 0.99". For many values of a column only the range is shown,
 * for words their counts. Nothing is repeated. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "harness/sweep/expression_tree.h"

enum { VALUES_MAX = 8, REFUTING_MAX = 3 };

typedef struct {
  const char *head, *label, *value; /* label "": the head has everything */
} entry;

typedef struct {
  sb_evaluation *e;
  sb_arena      *arena;
  size_t         count;
  entry         *entries;
  double         margin; /* smallest constant over the timing compared with it; INFINITY: there was none */
} account;

/* Text [begin, end) on one line; published(…) is shortened to its name. */
static void put_text(const account *g, FILE *stream, size_t begin, size_t end)
{
  static const char published[] = "published(";
  const char       *text = g->e->expression->text;
  for (size_t i = begin; i < end; ++i) {
    const bool space = strchr(" \n\t", text[i]) != NULL;
    if (strncmp(text + i, published, sizeof published - 1) == 0) {
      fputs("published", stream);
      i += strcspn(text + i, ")");
    } else if (!space || i == begin || !strchr(" \n\t", text[i - 1]))
      fputc(space ? ' ' : text[i], stream);
  }
}

static bool is_nan(sb_value v) { return v.kind == SB_NUMBER && isnan(v.number); }

/* The value of a part, "5 or more" or "2 … 4" where only bounds of it are known. */
static void put_part(const account *g, FILE *stream, const sb_node *node, sb_value v)
{
  const sb_node_state *part = &g->e->parts[node->index];
  if (v.kind != SB_UNKNOWN || !part->bounded)
    sb_value_put(stream, v, false);
  else if (isinf(part->most))
    fprintf(stream, "%.4g or more", part->least);
  else if (isinf(part->least))
    fprintf(stream, "%.4g or less", part->most);
  else
    fprintf(stream, "%.4g … %.4g", part->least, part->most);
}

/* Many values: "1 … 12 (12 values), (blank) (3), ? (2)"; of values that are not numbers "ok (12), diverged (3)". */
static void sum_up(FILE *stream, const sb_value *values, size_t count)
{
  const char *separator = "";
  size_t      numbers = 0, undefined = 0;
  double      least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < count; ++i) {
    undefined += is_nan(values[i]);
    if (values[i].kind != SB_NUMBER || is_nan(values[i])) continue;
    least = fmin(least, values[i].number);
    most = fmax(most, values[i].number);
    numbers++;
  }
  if (numbers > 0) fprintf(stream, "%.4g … %.4g (%zu values)", least, most, numbers);
  if (numbers > 0) separator = ", ";
  if (undefined > 0) fprintf(stream, "%snan (%zu)", separator, undefined);
  if (undefined > 0) separator = ", ";
  for (size_t i = 0; i < count; ++i) {
    size_t before = 0, times = 0;
    for (size_t j = 0; j < count; ++j)
      if (sb_value_same(values[i], values[j])) j < i ? ++before : ++times;
    if (before > 0 || values[i].kind == SB_NUMBER) continue;
    fputs(separator, stream);
    sb_value_put(stream, values[i], false);
    fprintf(stream, " (%zu)", times);
    separator = ", ";
  }
}

/* Counts the parts that choose a row; *found is one of them. */
static size_t count_selections(const sb_node *node, const sb_node **found)
{
  size_t count = node->kind == SB_NODE_SELECT;
  if (count > 0) *found = node;
  for (size_t i = 0; i < node->count && node->kind != SB_NODE_SELECT && node->kind != SB_NODE_PUBLISHED; ++i)
    count += count_selections(node->parts[i], found);
  return count;
}

static void put_values(const account *g, FILE *stream, const sb_node *node, const sb_value *values, size_t count)
{
  if (count > VALUES_MAX) sum_up(stream, values, count);
  for (size_t i = 0; count <= VALUES_MAX && i < count; ++i) {
    fputs(i ? ", " : "", stream);
    put_part(g, stream, node, values[i]);
  }
}

static bool is_literal(const sb_evaluation *e, const sb_node *node)
{
  return node->kind == SB_NODE_NUMBER || node->kind == SB_NODE_STRING || node->kind == SB_NODE_LIST ||
         sb_evaluation_is_plain(e, node) || (node->kind == SB_NODE_NEGATE && node->parts[0]->kind == SB_NODE_NUMBER);
}

/* The text of a part and its values. If a part of it chooses a row, its brackets are moved to the end: "1000 * t by
 * grid", and their contents are the label. */
static void add(account *g, const sb_node *node)
{
  if (is_literal(g->e, node)) return;
  const sb_node  *one = NULL, *chosen = count_selections(node, &one) == 1 ? one : NULL;
  const size_t    keys = chosen ? chosen->count : 0, count = g->e->parts[node->index].spread ? g->e->count : 1;
  sb_value       *values = sb_arena_take(g->arena, count, sizeof *values);
  sb_arena_writer head, label, value;
  FILE           *stream = sb_arena_write(&head, g->arena), *labels = sb_arena_write(&label, g->arena);
  put_text(g, stream, node->begin, chosen ? chosen->begin + strlen(chosen->word) : node->end);
  if (chosen) put_text(g, stream, chosen->end, node->end);
  for (size_t i = 0; i < keys; ++i) {
    fprintf(stream, "%s%s", i ? ", " : " by ", chosen->keys[i]);
    fputs(i ? ", " : "", labels);
    put_text(g, labels, chosen->parts[i]->begin, chosen->parts[i]->end);
  }
  stream = sb_arena_write(&value, g->arena);
  for (size_t i = 0; i < count; ++i) values[i] = sb_evaluate(g->e, node, g->e->rows[i]);
  put_values(g, stream, node, values, count);
  const entry found = {sb_arena_text(&head), sb_arena_text(&label), sb_arena_text(&value)};
  for (size_t i = 0; i < g->count; ++i)
    if (strcmp(g->entries[i].head, found.head) == 0 && strcmp(g->entries[i].label, found.label) == 0) return;
  *SB_NEW_ITEM(g->arena, g->entries, g->count) = found;
}

static void count_columns(const account *g, const sb_node *node, size_t *columns, size_t *timings)
{
  if (node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT) {
    const sb_rows *rows = g->e->scope->rows;
    const size_t   column = sb_rows_column_find(rows, node->word);
    ++*columns;
    *timings += column != (size_t)-1 && sb_rows_column_at(rows, column)->is_timing;
  }
  for (size_t i = 0; i < node->count && node->kind != SB_NODE_SELECT && node->kind != SB_NODE_PUBLISHED; ++i)
    count_columns(g, node->parts[i], columns, timings);
}

/* One timing column and otherwise constants; or (`timing` false) only numbers and published cells. */
static bool is_all(const account *g, const sb_node *node, bool timing)
{
  size_t columns = 0, timings = 0;
  count_columns(g, node, &columns, &timings);
  return columns == timing && timings == timing && node->kind != SB_NODE_STRING && node->kind != SB_NODE_LIST;
}

/* "timing < constant", or "constant / timing > number": how many times the constant is the timing. */
static void note_margin(account *g, const sb_node *node, size_t link)
{
  const int      comparison = node->comparisons[link];
  const sb_node *a = node->parts[link], *b = node->parts[link + 1];
  const bool     below = (comparison == SB_LESS || comparison == SB_LESS_EQUAL) && is_all(g, a, true);
  const bool quotient = (comparison == SB_GREATER || comparison == SB_GREATER_EQUAL) && a->kind == SB_NODE_ARITHMETIC &&
                        a->arithmetic == '/' && is_all(g, a->parts[0], false) && is_all(g, a->parts[1], true);
  if (!is_all(g, b, false) || (!below && !quotient)) return;
  for (size_t i = 0; i < g->e->count; ++i) {
    const sb_value left = sb_evaluate(g->e, a, g->e->rows[i]), right = sb_evaluate(g->e, b, g->e->rows[i]);
    if (left.kind != SB_NUMBER || right.kind != SB_NUMBER) continue;
    const double margin = below ? right.number / left.number : left.number;
    if (isfinite(margin) && margin > 0) g->margin = fmin(g->margin, margin);
  }
}

/* Shows the compared values, and columns that are truth values by themselves. */
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

/* Writes all entries of one head: "t by n: 30 (3), 50 (5)". A text that does not fit is cut between characters, with a
 * mark. */
static const char *write_entries(const account *g, sb_arena *arena)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  for (size_t first = 0; first < g->count; ++first) {
    const entry *of = &g->entries[first];
    const char  *separator = of->label[0] ? ": " : " = ";
    bool         said = false;
    for (size_t i = 0; i < first; ++i) said = said || strcmp(g->entries[i].head, of->head) == 0;
    if (said) continue;
    fprintf(stream, "%s%s", first > 0 ? "; " : "", of->head);
    for (const entry *other = of; other < g->entries + g->count; ++other) {
      if (strcmp(other->head, of->head) != 0) continue;
      fprintf(stream, other->label[0] ? "%s%s (%s)" : "%s%s", separator, other->value, other->label);
      separator = ", ";
    }
  }
  const char *text = sb_arena_text(&writer);
  size_t      length = SB_SHOWN_MAX - strlen(" …");
  if (strlen(text) <= SB_SHOWN_MAX) return text;
  while (length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80) --length;
  return sb_arena_format(arena, "%.*s …", (int)length, text);
}

static bool is_refuted(sb_evaluation *e, const sb_node *clause, size_t row)
{
  const sb_value truth = sb_evaluate_truth(e, clause, row);
  return truth.kind == SB_TRUTH && !truth.truth && sb_evaluation_is_about(e, row).kind == SB_TRUTH;
}

/* " in 2 of 5 cases (grid=10, grid=20)", or without names if it is all of them. */
static void write_refuting(const account *g, FILE *stream)
{
  sb_evaluation *e = g->e;
  size_t         refuting = 0;
  const char    *names = "";
  for (size_t i = 0; i < e->count; ++i) {
    if (!is_refuted(e, e->expression->root, e->rows[i])) continue;
    if (refuting++ <= REFUTING_MAX)
      names = sb_arena_join(
          g->arena, names, ", ", "%s",
          refuting > REFUTING_MAX ? "…" : sb_rows_name(e->scope->rows, e->rows[i], e->rows, e->count, g->arena));
  }
  fprintf(stream, " in %zu of %zu cases", refuting, e->count);
  if (refuting < e->count) fprintf(stream, " (%s)", names);
}

/* Lists the false clauses of several that "and" joins, and the rows in which they are false. */
static void write_refuted(const account *g, FILE *stream)
{
  sb_evaluation        *e = g->e;
  const sb_node        *root = e->expression->root;
  const bool            joined = root->kind == SB_NODE_AND, spread = e->parts[root->index].spread && e->count > 1;
  const sb_node *const *clauses = joined ? (const sb_node *const *)root->parts : &root;
  const char           *separator = ": ";
  if (!joined && !spread) return;
  fputs("does not hold", stream);
  if (spread) write_refuting(g, stream);
  for (size_t k = 0; joined && k < root->count; ++k) {
    bool refuted = false;
    for (size_t i = 0; i < e->count && !refuted; ++i) refuted = is_refuted(e, clauses[k], e->rows[i]);
    if (!refuted) continue;
    fputs(separator, stream);
    put_text(g, stream, clauses[k]->begin, clauses[k]->end);
    separator = ", ";
  }
}

/* True of every row that the claim is about, of which there is one; or false of one. */
static sb_perhaps truth_of_claim(sb_evaluation *e)
{
  const sb_value no = {.kind = SB_TRUTH};
  sb_value       sure = no, claim = {.kind = SB_TRUTH, .truth = true};
  for (size_t i = 0; i < e->count; ++i) {
    const sb_value truth = sb_evaluate_truth(e, e->expression->root, e->rows[i]);
    const sb_value about = sb_evaluation_is_about(e, e->rows[i]);
    const bool     perhaps = about.kind == SB_UNKNOWN;
    if (truth.kind == SB_TRUTH && e->parts[e->expression->root->index].spread) e->used[e->rows[i]] = true;
    sure = sb_evaluation_join(e, sure, about, true);
    claim = sb_evaluation_join(e, claim, sb_evaluation_join(e, perhaps ? about : no, truth, true), false);
  }
  claim = sb_evaluation_join(e, claim, sure, false);
  sb_evaluation_explain(e, claim.why);
  return claim.kind == SB_UNKNOWN ? SB_PERHAPS : claim.truth ? SB_YES : SB_NO;
}

bool sb_expression_claim(const sb_expression *expression, const sb_scope *scope, sb_perhaps *truth, sb_grounds *grounds,
                         sb_diagnostics *diagnostics)
{
  sb_evaluation e = {.expression = expression, .scope = scope, .diagnostics = diagnostics};
  account       g = {.e = &e, .arena = sb_arena_create(), .margin = INFINITY};
  sb_evaluation_begin(&e, true, g.arena);
  e.used = sb_arena_take(scope->arena, sb_rows_count(scope->rows), sizeof *e.used);
  *grounds = (sb_grounds){.shown = "", .used = e.used, .refuted = ""};
  if (e.count == 0) sb_evaluation_fails(&e, expression->root, "E102", "no rows are selected");
  *truth = truth_of_claim(&e);
  if (!e.failed) {
    const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = uselocale(c);
    visit(&g, expression->root, true);
    grounds->shown = write_entries(&g, scope->arena);
    grounds->margin = isfinite(g.margin) ? g.margin : 0;
    sb_arena_writer refuted;
    FILE           *stream = sb_arena_write(&refuted, scope->arena);
    if (*truth == SB_NO) write_refuted(&g, stream);
    grounds->refuted = sb_arena_text(&refuted);
    uselocale(before);
    freelocale(c);
  }
  sb_arena_destroy(&g.arena);
  return !e.failed;
}
