/* What a report sees of a results directory: the rows a clause takes, and the value of any option in any row, whether
 * it varies (a column) or not (the plan knows). See report_text.h. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_text.h"

sb_scope sb_report_scope(const sb_results *results)
{
  return (sb_scope){.rows = results->rows, .published_dir = results->published_dir, .arena = results->sweep->arena};
}

static sb_value default_value(const sb_sweep *sweep, sb_option_id id)
{
  for (size_t i = 0; i < sweep->defaults.count; ++i) {
    if (sweep->defaults.ids[i] != id) continue;
    const char *text = sweep->defaults.values[i];
    double      number = 0;
    if (sb_parse_real(text, &number)) return (sb_value){.kind = SB_NUMBER, .number = number};
    return (sb_value){.kind = SB_WORD, .word = text};
  }
  return (sb_value){.kind = SB_BLANK};
}

/* The planned case behind a row, which are in the same order; NULL where there is no plan. */
static const sb_planned_case *case_of_row(const sb_results *results, size_t row)
{
  return results->plan && row < results->plan->count ? &results->plan->cases[row] : NULL;
}

bool sb_report_reads(const sb_results *results, size_t row, sb_option_id id)
{
  const sb_planned_case *c = case_of_row(results, row);
  return !c || sb_options_read(c->options, id);
}

sb_value sb_report_value(const sb_results *results, size_t row, const char *name)
{
  const size_t           column = sb_rows_column_find(results->rows, name);
  const sb_planned_case *c = case_of_row(results, row);
  const sb_option_id     id = sb_option_find(name);
  if (column != (size_t)-1) return sb_rows_get(results->rows, row, column);
  if (c) return sb_case_value(c, name);
  return id == SB_OPT_COUNT ? (sb_value){.kind = SB_BLANK} : default_value(results->sweep, id);
}

const char *sb_report_unit(const sb_results *results, const char *name)
{
  const size_t column = sb_rows_column_find(results->rows, name);
  if (column != (size_t)-1) return sb_rows_column_at(results->rows, column)->unit;
  const sb_option_id id = sb_option_find(name);
  return id == SB_OPT_COUNT ? "" : sb_option_at(id)->unit;
}

bool sb_report_same(sb_value a, sb_value b) { return sb_value_same(a, b); }

char *sb_report_value_text(sb_value value)
{
  char number[SB_NUMBER_TEXT];
  switch (value.kind) {
  case SB_NUMBER:
    return sb_copy_text(sb_text_exact(value.number, number));
  case SB_WORD:
    return sb_format("%s", value.word);
  case SB_TRUTH:
    return sb_format("%s", value.truth ? "true" : "false");
  default:
    return sb_format("%s", "");
  }
}

static void add_name(const char **names, size_t *count, const char *name)
{
  for (size_t i = 0; i < *count; ++i)
    if (strcmp(names[i], name) == 0) return;
  names[(*count)++] = name;
}

static void add_settings(const char **names, size_t *count, const sb_settings *settings)
{
  for (size_t i = 0; i < settings->count; ++i) add_name(names, count, sb_option_at(settings->ids[i])->name);
}

static void add_axes(const char **names, size_t *count, const sb_block *block)
{
  for (size_t i = 0; i < block->count; ++i) {
    const sb_option_id id = block->axes[i].id;
    add_name(names, count, id == SB_OPT_COUNT ? "method" : sb_option_at(id)->name);
  }
}

const char **sb_report_settings(const sb_sweep *sweep, size_t *count)
{
  const char **names = sb_allocate(SB_OPT_COUNT + 1, sizeof *names);
  *count = 0;
  add_name(names, count, "scene");
  add_settings(names, count, &sweep->defaults);
  for (size_t i = 0; i < sweep->block_count; ++i) {
    add_settings(names, count, &sweep->blocks[i].defaults);
    add_axes(names, count, &sweep->blocks[i]);
  }
  for (size_t i = 0; i < sweep->method_count; ++i) add_settings(names, count, &sweep->methods[i]);
  return names;
}
