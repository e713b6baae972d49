/* Which case of A is which of B; see compare.h. Cases without a counterpart of the same key are told apart by the
 * options that vary in either side; where `method` names sets of options, the name stands for the options it sets. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/compare.h"
#include "harness/report/report_text.h"

static bool set_by_method(const sb_compare_side *side, const char *name)
{
  const sb_sweep *sweep = side->results ? side->results->sweep : NULL;
  for (size_t m = 0; sweep && m < sweep->method_count; ++m)
    for (size_t i = 0; i < sweep->methods[m].count; ++i)
      if (strcmp(sb_option_at(sweep->methods[m].ids[i])->name, name) == 0) return true;
  return false;
}

static bool is_axis_of_sweep(const sb_compare_side *side, const char *name)
{
  const sb_sweep *sweep = side->results ? side->results->sweep : NULL;
  for (size_t b = 0; sweep && b < sweep->block_count; ++b)
    for (size_t i = 0; i < sweep->blocks[b].count; ++i) {
      const sb_option_id id = sweep->blocks[b].axes[i].id;
      if (strcmp(id == SB_OPT_COUNT ? "method" : sb_option_at(id)->name, name) == 0) return true;
    }
  return false;
}

static bool varies(const sb_compare_side *side, const char *name)
{
  for (size_t row = 1; row < sb_rows_count(side->rows); ++row)
    if (!sb_report_same(sb_compare_value(side, 0, name), sb_compare_value(side, row, name))) return true;
  return false;
}

/* Whether both sides can say what the option is. */
static bool both_know(const sb_comparison *c, const char *name)
{
  for (int s = 0; s < 2; ++s)
    if (!c->side[s].results && sb_rows_column_find(c->side[s].rows, name) == (size_t)-1) return false;
  return true;
}

static void add_identity(sb_comparison *c, const char *name)
{
  for (size_t i = 0; i < c->identity_count; ++i)
    if (strcmp(c->identities[i], name) == 0) return;
  c->identities = sb_grow((void *)c->identities, c->identity_count, sizeof *c->identities);
  c->identities[c->identity_count++] = name;
}

static void find_identities(sb_comparison *c)
{
  bool methods = true;
  for (int s = 0; s < 2; ++s) methods = methods && sb_rows_column_find(c->side[s].rows, "method") != (size_t)-1;
  for (int s = 0; s < 2; ++s) {
    for (size_t i = 0; i < sb_rows_column_count(c->side[s].rows); ++i) {
      const sb_rows_column *column = sb_rows_column_at(c->side[s].rows, i);
      const char           *name = column->name;
      if (!column->is_option || !both_know(c, name) || (!varies(&c->side[0], name) && !varies(&c->side[1], name)))
        continue;
      const bool named = methods && (set_by_method(&c->side[0], name) || set_by_method(&c->side[1], name));
      if (!named || is_axis_of_sweep(&c->side[0], name) || is_axis_of_sweep(&c->side[1], name)) add_identity(c, name);
    }
  }
}

/* "" where nothing varies. */
static char *identity_of(const sb_comparison *c, int side, size_t row)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  bool   any = false;
  for (size_t i = 0; i < c->identity_count; ++i) {
    const sb_value value = sb_compare_value(&c->side[side], row, c->identities[i]);
    char          *shown = sb_report_value_text(value);
    if (value.kind != SB_BLANK) fprintf(stream, "%s%s=%s", any ? ", " : "", c->identities[i], shown);
    any = any || value.kind != SB_BLANK;
    free(shown);
  }
  fclose(stream);
  return text;
}

char *sb_compare_case_text(const sb_comparison *c, int side, size_t row)
{
  char *text = identity_of(c, side, row);
  if (text && *text) return text;
  free(text);
  return sb_copy_text(sb_compare_word(&c->side[side], row, "key"));
}

/* name -> row of those that `taken` has not; rows that share a name are none of them told apart: -1. */
static json_t *index_rows(const sb_comparison *c, int side, const bool *taken, bool by_key)
{
  json_t *index = json_object();
  for (size_t row = 0; row < sb_rows_count(c->side[side].rows); ++row) {
    if (taken[row]) continue;
    char         *name = by_key ? sb_copy_text(sb_compare_word(&c->side[side], row, "key")) : identity_of(c, side, row);
    const json_t *there = json_object_get(index, name);
    json_object_set_new(index, name, json_integer(there ? -1 : (json_int_t)row));
    free(name);
  }
  return index;
}

static void add_pair(sb_comparison *c, size_t a, size_t b, bool by_key)
{
  c->pairs = sb_grow(c->pairs, c->count, sizeof *c->pairs);
  c->pairs[c->count++] = (sb_case_pair){.row = {a, b}, .by_key = by_key, .equal_until = -1, .differs_at = -1};
  c->by_key += by_key;
}

static void pair_up(sb_comparison *c, bool *taken[2], bool by_key)
{
  json_t     *of_a = index_rows(c, 0, taken[0], by_key), *of_b = index_rows(c, 1, taken[1], by_key), *row = NULL;
  const char *name = NULL;
  json_object_foreach(of_a, name, row)
  {
    const json_t    *found = json_object_get(of_b, name);
    const json_int_t a = json_integer_value(row), b = found ? json_integer_value(found) : -1;
    if (a < 0 || b < 0) continue;
    taken[0][a] = taken[1][b] = true;
    add_pair(c, (size_t)a, (size_t)b, by_key);
  }
  json_decref(of_a);
  json_decref(of_b);
}

/* Options of which the two cases of a pair have different values, by the first pair that shows it. */
static void note_settings(sb_comparison *c, const sb_case_pair *pair)
{
  const sb_compare_side *a = &c->side[0], *b = &c->side[1];
  for (int id = 0; id < SB_OPT_COUNT && a->results && b->results; ++id) {
    const sb_option  *option = sb_option_at((sb_option_id)id);
    const sb_options *of_a = a->results->plan->cases[pair->row[0]].options;
    const sb_options *of_b = b->results->plan->cases[pair->row[1]].options;
    const char *text_a = sb_options_text(of_a, (sb_option_id)id), *text_b = sb_options_text(of_b, (sb_option_id)id);
    if (strcmp(text_a, text_b) == 0 || json_object_get(c->settings, option->name)) continue;
    json_object_set_new(c->settings, option->name, json_pack("[s, s]", text_a, text_b));
  }
}

void sb_compare_match(sb_comparison *c)
{
  bool *taken[2];
  for (int s = 0; s < 2; ++s) taken[s] = sb_allocate(sb_rows_count(c->side[s].rows) + 1, sizeof *taken[s]);
  find_identities(c);
  pair_up(c, taken, true);
  pair_up(c, taken, false);
  c->settings = json_object();
  for (size_t i = 0; i < c->count; ++i) note_settings(c, &c->pairs[i]);
  for (int s = 0; s < 2; ++s) {
    const size_t rows = sb_rows_count(c->side[s].rows);
    c->only[s] = sb_allocate(rows + 1, sizeof *c->only[s]);
    for (size_t row = 0; row < rows; ++row)
      if (!taken[s][row]) c->only[s][c->only_count[s]++] = row;
    free(taken[s]);
  }
}
