/* What a claim turned on, as one short piece of text.
 *
 * Compared values that differ only in the row they are chosen from stand together under what they share:
 * "error_10 by grid: 0.039 (10), 0.0436 (20); slope(log(t), log(n)) = 0.99". Of many values of a column only the span
 * is shown, words with how often they occur. Nothing is said twice. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/sweep/expression_tree.h"

enum { VALUES_MAX = 8 };

typedef struct {
  char *head, *label, *value; /* label "": the head says all */
} entry;

struct sb_shown {
  size_t count;
  entry *entries;
};

sb_shown *sb_shown_create(void) { return sb_allocate(1, sizeof(sb_shown)); }

void sb_shown_destroy(sb_shown **shown)
{
  for (size_t i = 0; *shown && i < (*shown)->count; ++i) {
    free((*shown)->entries[i].head);
    free((*shown)->entries[i].label);
    free((*shown)->entries[i].value);
  }
  if (*shown) free((*shown)->entries);
  free(*shown);
  *shown = NULL;
}

/* The only node below `node` that chooses a row, NULL when there is none or a second; *count of them. */
static const sb_node *only_selection(const sb_node *node, size_t *count)
{
  const sb_node *found = NULL;
  if (node->kind == SB_NODE_SELECT) {
    ++*count;
    return node;
  }
  if (node->kind == SB_NODE_PUBLISHED) return NULL;
  for (size_t i = 0; i < node->count; ++i) {
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
static char *head_of(const char *text, const sb_node *node, const sb_node *selection)
{
  char  *head = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&head, &length);
  put_text(stream, text, node->begin, selection ? selection->begin + strlen(selection->word) : node->end);
  if (selection) put_text(stream, text, selection->end, node->end);
  for (size_t i = 0; selection && i < selection->count; ++i)
    fprintf(stream, "%s%s", i ? ", " : " by ", selection->keys[i]);
  fclose(stream);
  return head;
}

static char *label_of(const char *text, const sb_node *selection)
{
  char  *label = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&label, &length);
  for (size_t i = 0; selection && i < selection->count; ++i) {
    fputs(i ? ", " : "", stream);
    put_text(stream, text, selection->parts[i]->begin, selection->parts[i]->end);
  }
  fclose(stream);
  return label;
}

static void put_value(FILE *stream, const sb_value *v)
{
  if (v->kind == SB_NUMBER)
    fprintf(stream, "%.4g", v->number);
  else if (v->kind == SB_BLANK)
    fputs("(blank)", stream);
  else
    fputs(v->kind == SB_WORD ? v->word : v->truth ? "true" : "false", stream);
}

static bool is_same(const sb_value *a, const sb_value *b)
{
  if (a->kind != b->kind) return false;
  return a->kind == SB_WORD ? strcmp(a->word, b->word) == 0 : a->kind == SB_TRUTH ? a->truth == b->truth : true;
}

/* "ok (12), diverged (3)": values that are no numbers, each with how often it occurs. */
static void put_counts(FILE *stream, const sb_values *values)
{
  const char *separator = "";
  for (size_t i = 0; i < values->count; ++i) {
    size_t before = 0, times = 0;
    for (size_t j = 0; j < values->count; ++j)
      if (is_same(&values->items[i], &values->items[j])) j < i ? ++before : ++times;
    if (before > 0) continue;
    fputs(separator, stream);
    put_value(stream, &values->items[i]);
    fprintf(stream, " (%zu)", times);
    separator = ", ";
  }
}

static void put_span(FILE *stream, const sb_values *values)
{
  size_t numbers = 0;
  double least = INFINITY, most = -INFINITY;
  for (size_t i = 0; i < values->count; ++i) {
    if (values->items[i].kind != SB_NUMBER) continue;
    least = fmin(least, values->items[i].number);
    most = fmax(most, values->items[i].number);
    ++numbers;
  }
  if (numbers == 0)
    put_counts(stream, values);
  else
    fprintf(stream, "%.4g … %.4g (%zu values)", least, most, numbers);
  if (numbers > 0 && numbers < values->count) fprintf(stream, ", (blank) (%zu)", values->count - numbers);
}

static char *value_of(const sb_values *values)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; values->count <= VALUES_MAX && i < values->count; ++i) {
    fputs(i ? ", " : "", stream);
    put_value(stream, &values->items[i]);
  }
  if (values->count > VALUES_MAX) put_span(stream, values);
  fclose(stream);
  return text;
}

static bool is_literal(const sb_node *node, const sb_values *values)
{
  return node->kind == SB_NODE_NUMBER || node->kind == SB_NODE_STRING || node->kind == SB_NODE_LIST ||
         (node->kind == SB_NODE_NAME && !values->spread) ||
         (node->kind == SB_NODE_NEGATE && node->parts[0]->kind == SB_NODE_NUMBER);
}

void sb_shown_add(sb_shown *shown, const char *text, const sb_node *node, const sb_values *values)
{
  size_t count = 0;
  if (!shown || is_literal(node, values)) return;
  const sb_node *selection = only_selection(node, &count);
  entry          e = {head_of(text, node, selection), label_of(text, selection), value_of(values)};
  for (size_t i = 0; i < shown->count; ++i) {
    const entry *other = &shown->entries[i];
    if (strcmp(other->head, e.head) != 0 || strcmp(other->label, e.label) != 0) continue;
    free(e.head);
    free(e.label);
    free(e.value);
    return;
  }
  shown->entries = sb_grow(shown->entries, shown->count, sizeof *shown->entries);
  shown->entries[shown->count++] = e;
}

static bool is_first(const sb_shown *shown, size_t i)
{
  for (size_t j = 0; j < i; ++j)
    if (strcmp(shown->entries[j].head, shown->entries[i].head) == 0) return false;
  return true;
}

static void put_group(const sb_shown *shown, size_t first, FILE *stream)
{
  const char *separator = shown->entries[first].label[0] ? ": " : " = ";
  fputs(shown->entries[first].head, stream);
  for (size_t i = first; i < shown->count; ++i) {
    const entry *e = &shown->entries[i];
    if (strcmp(e->head, shown->entries[first].head) != 0) continue;
    fprintf(stream, "%s%s", separator, e->value);
    if (e->label[0]) fprintf(stream, " (%s)", e->label);
    separator = ", ";
  }
}

/* The beginning that fits, cut between characters, and a sign that something is missing. */
static void copy_start(char *to, size_t size, const char *from)
{
  static const char sign[] = " …";
  if (strlen(from) < size) {
    memcpy(to, from, strlen(from) + 1);
    return;
  }
  size_t length = size - sizeof sign;
  while (length > 0 && ((unsigned char)from[length] & 0xc0) == 0x80) --length;
  memcpy(to, from, length);
  memcpy(to + length, sign, sizeof sign);
}

void sb_shown_write(const sb_shown *shown, char *to, size_t size)
{
  char       *text = NULL;
  size_t      length = 0;
  FILE       *stream = sb_text_stream(&text, &length);
  const char *separator = "";
  *to = '\0';
  for (size_t i = 0; i < shown->count; ++i) {
    if (!is_first(shown, i)) continue;
    fputs(separator, stream);
    put_group(shown, i, stream);
    separator = "; ";
  }
  if (fclose(stream) == 0) copy_start(to, size, text);
  free(text);
}

static void count_columns(const sb_node *node, const sb_rows *rows, size_t *columns, size_t *timings)
{
  if (node->kind == SB_NODE_PUBLISHED) return;
  if (node->kind == SB_NODE_NAME || node->kind == SB_NODE_SELECT) {
    const size_t column = rows ? sb_rows_column_find(rows, node->word) : (size_t)-1;
    ++*columns;
    if (column != (size_t)-1 && sb_rows_column_at(rows, column)->is_timing) ++*timings;
    return;
  }
  for (size_t i = 0; i < node->count; ++i) count_columns(node->parts[i], rows, columns, timings);
}

bool sb_node_is_timing(const sb_node *node, const sb_rows *rows)
{
  size_t columns = 0, timings = 0;
  count_columns(node, rows, &columns, &timings);
  return columns == 1 && timings == 1;
}

bool sb_node_is_constant(const sb_node *node)
{
  size_t columns = 0, timings = 0;
  count_columns(node, NULL, &columns, &timings);
  return columns == 0 && node->kind != SB_NODE_STRING && node->kind != SB_NODE_LIST;
}
