/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A results directory described in words and columns; see report.h. */
#include <string.h>

#include "base/number.h"
#include "base/option_ids.h"
#include "cases/common/durable.h"
#include "cases/store/case_file.h"
#include "cases/store/driver.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "harness/results/claims.h"
#include "harness/results/lock.h"
#include "harness/results/timing_notes.h"
#include "harness/sweep/request.h"

enum { LOG_LINES = 20, FAILURES_SHOWN = 20 };

/* A table of two columns without headings, to be filled line by line. */
static sb_table *lines_of(sb_arena *arena)
{
  sb_table *table = sb_table_of_words(arena, "|");
  table->indent = 2;
  return table;
}

static void print_failures(const sb_results *results, size_t failed, FILE *stream)
{
  static const char *const shown[] = {"key", "status", "reason"};
  sb_table                *table = sb_table_of_words(results->session.arena, "||");
  table->indent = 2;
  table->wrap = true;
  for (size_t row = 0; row < sb_rows_count(results->rows) && table->row_count < FAILURES_SHOWN; ++row) {
    if (sb_row_state(results->rows, row) != SB_STATE_FAILED) continue;
    sb_table_add_row(table);
    for (size_t i = 0; i < 3; ++i) sb_table_put(table, sb_report_word(results, row, shown[i]));
  }
  fprintf(stream, "\nfailures:\n");
  sb_table_print(table, SB_TABLE_TEXT, stream);
  if (failed > table->row_count)
    fprintf(stream, "  and %zu more; see %s/results.csv\n", failed - table->row_count, results->directory);
}

static void print_counts(const sb_case_counts *tally, sb_arena *arena, FILE *stream)
{
  sb_table *counts = sb_table_of_words(arena, "|");
  counts->indent = 6;
  counts->headings[0].numeric = true;
  for (int status = 0; status <= SB_STATUS_COUNT; ++status) {
    const bool   missing = status == SB_STATUS_COUNT;
    const size_t count = missing ? tally->missing : tally->of[status];
    if (count == 0) continue;
    sb_table_add_row(counts);
    sb_table_put(counts, sb_arena_format(counts->arena, "%zu", count));
    sb_table_put(counts, missing ? "not run yet" : sb_status_name((sb_status)status));
  }
  sb_table_print(counts, SB_TABLE_TEXT, stream);
}

/* The command that continues: to run the directory continues its request. */
static void print_next(const sb_results *results, const sb_case_counts *tally, size_t all, FILE *stream)
{
  const char *directory = results->directory;
  const bool  pending = tally->pending > 0, failed = !pending && tally->failed > 0, as_it_is = pending || failed;
  const char *path = sb_arena_format(results->session.arena, "%s%s", directory, as_it_is ? "" : "/sweep.yaml");
  if (!as_it_is && (all == tally->cases || results->quick)) return;
  sb_markdown_print(stream, "\n%-s: springbench run " SB_AS_SHELL_WORD "%-s{ -o " SB_AS_SHELL_WORD "}\n",
                    pending  ? "continue"
                    : failed ? "repeat failures"
                             : "the whole sweep",
                    path, failed ? " --rerun failed" : "", as_it_is ? "" : directory);
}

void sb_status_print(const sb_results *results, FILE *stream)
{
  char                 holder[160];
  const sb_case_counts tally = sb_case_counts_of(results->rows, NULL);
  const char          *directory = results->directory;
  size_t               all = 0;
  sb_results_are_whole(results, &all);
  sb_markdown_print(stream, "%-s{: %-s}\n%-s, %-s%-s", results->sweep->name, results->sweep->question, directory,
                    sb_counted(results->session.arena, tally.cases, "case"), results->quick ? ", quick" : "");
  if (all != tally.cases) fprintf(stream, " (the whole sweep has %zu)", all);
  sb_markdown_print(stream, "\n{asked with%-s\n}", sb_request_options(results->sweep, results->session.arena));
  print_counts(&tally, results->session.arena, stream);
  const sb_timing_notes times = sb_timing_notes_of(results, NULL, false, results->session.arena);
  sb_markdown_print(stream, "{%-s\n}{%-s\n}{%-s\n}", times.noise, times.origins, times.again);
  if (sb_results_changed_inputs(results))
    sb_markdown_print(
        stream, "%-s; springbench run " SB_AS_SHELL_WORD "/sweep.yaml -o " SB_AS_SHELL_WORD " computes them again\n",
        sb_results_changed_inputs(results), directory, directory);
  if (sb_results_set_aside(results))
    sb_markdown_print(stream, "%-s; springbench forget " SB_AS_SHELL_WORD " lists them\n",
                      sb_results_set_aside(results), directory);
  if (results->floor.words) fprintf(stream, "%s\n", results->floor.words);
  if (tally.failed > 0) print_failures(results, tally.failed, stream);
  if (sb_lock_is_held(directory, holder))
    fprintf(stream, "\nrunning: %s\n", holder);
  else
    print_next(results, &tally, all, stream);
}

static void put_line(sb_table *table, const char *name, const char *text, const char *unit)
{
  sb_table_add_row(table);
  sb_table_put(table, name);
  sb_table_put(table, sb_arena_format(table->arena, "%s%s%s", text, *unit ? " " : "", unit));
}

/* The last lines of a log, if there is one. */
static void print_end(const char *path, sb_arena *arena, FILE *stream)
{
  const char *text = sb_arena_adopt(arena, sb_read_file(path, NULL));
  if (!text || !*text) return;
  const char *start = text + strlen(text);
  for (int lines = 0; start > text; --start)
    if (start[-1] == '\n' && *start && ++lines == LOG_LINES) break;
  fprintf(stream, "\nthe end of %s\n%s%s", path, start, text[strlen(text) - 1] == '\n' ? "" : "\n");
}

void sb_case_print(const sb_results *results, size_t row, FILE *stream)
{
  const sb_planned_case *planned = &results->plan->cases[row];
  sb_arena              *arena = results->session.arena;
  sb_table              *values = lines_of(arena), *options = lines_of(arena);
  for (size_t c = 0; c < sb_rows_column_count(results->rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(results->rows, c);
    const sb_value        value = sb_rows_get(results->rows, row, c);
    const bool            blank = value.kind == SB_BLANK;
    if (column->is_option || strcmp(column->name, "command") == 0) continue;
    put_line(values, column->name, blank ? "-" : sb_value_text(arena, value), blank ? "" : column->unit);
  }
  if (*sb_case_text(planned, "method")) put_line(options, "method", sb_case_text(planned, "method"), "");
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    const sb_option *option = sb_option_at(id);
    if (sb_options_has(planned->options, id))
      put_line(options, option->name, sb_options_text(planned->options, id), option->unit);
  }
  sb_table_print(values, SB_TABLE_TEXT, stream);
  fputs("\noptions\n", stream);
  sb_table_print(options, SB_TABLE_TEXT, stream);
  fprintf(stream, "\n%s\n", planned->command);
  print_end(sb_arena_format(arena, "%s/logs/%s.txt", results->directory, planned->key), arena, stream);
}

/* ---- one case file ---- */

/* A value of an attribute as text: "0.5", "yes", "[0,0,-9.8]", "-" for one that is absent. */
static const char *attribute_text(const json_t *value, sb_arena *arena)
{
  char        number[32];
  const char *items = "";
  size_t      i;
  json_t     *item;
  if (json_is_string(value)) return *json_string_value(value) ? json_string_value(value) : "-";
  if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
  if (json_is_number(value)) return sb_arena_copy(arena, sb_format_real(json_number_value(value), number));
  if (!json_is_array(value)) return "-";
  json_array_foreach(value, i, item) items = sb_arena_join(arena, items, ",", "%s", attribute_text(item, arena));
  return sb_arena_format(arena, "[%s]", items);
}

/* The attributes of a group that have a value, in a table; of an option with its unit. */
static void print_group(hid_t file, const char *group, const char *heading, sb_arena *arena, FILE *stream)
{
  json_auto_t *attributes = sb_h5_exists(file, group) ? sb_h5_attributes(file, group) : NULL;
  sb_table    *table = lines_of(arena);
  const char  *name;
  json_t      *value;
  json_object_foreach(attributes, name, value)
  {
    const sb_option_id id = sb_option_find(name);
    const char        *text = attribute_text(value, arena);
    const bool         blank = strcmp(text, "-") == 0;
    if (!blank && strcmp(name, "command") != 0)
      put_line(table, name, text, id == SB_OPT_COUNT || strcmp(group, "parameters") != 0 ? "" : sb_option_at(id)->unit);
  }
  if (table->row_count == 0) return;
  fprintf(stream, "\n%s\n", heading);
  sb_table_print(table, SB_TABLE_TEXT, stream);
}

/* The row in the order of its driver's columns, as `springbench case` prints it; columns of an unknown driver have no
 * unit. */
static void print_file_row(const json_t *row, const sb_driver *driver, sb_arena *arena, FILE *stream)
{
  sb_table     *table = lines_of(arena);
  const json_t *results = json_object_get(row, "columns");
  const char   *name;
  json_t       *value;
  json_object_foreach((json_t *)row, name, value) if (!json_is_object(value))
      put_line(table, name, attribute_text(value, arena), strcmp(name, "wall_s") == 0 ? "s" : "");
  json_object_foreach((json_t *)results, name, value)
  {
    size_t i = 0;
    while (driver && i < driver->column_count && strcmp(driver->columns[i].name, name) != 0) ++i;
    const bool known = driver && i < driver->column_count && !json_is_null(value);
    put_line(table, name, attribute_text(value, arena), known ? driver->columns[i].unit : "");
  }
  sb_table_print(table, SB_TABLE_TEXT, stream);
}

static void print_datasets(const json_t *datasets, sb_arena *arena, FILE *stream)
{
  sb_table *table = lines_of(arena);
  size_t    i, e;
  json_t   *dataset, *extent;
  json_array_foreach(datasets, i, dataset)
  {
    const char *shape = "";
    json_array_foreach(json_object_get(dataset, "extents"), e, extent) shape =
        sb_arena_join(arena, shape, " x ", "%lld", (long long)json_integer_value(extent));
    put_line(table, json_string_value(json_object_get(dataset, "path")), shape, "");
  }
  fputs("\nstored (springbench export prints the observables; results/README.md describes all)\n", stream);
  sb_table_print(table, SB_TABLE_TEXT, stream);
}

bool sb_case_file_print(const char *path, const sb_session *session, FILE *stream, char error[256])
{
  sb_arena    *arena = session->arena;
  const hid_t  file = sb_case_file_open(path, error);
  json_auto_t *row = file >= 0 ? sb_case_file_row(file) : NULL;
  json_auto_t *parameters = row ? sb_h5_attributes(file, "parameters") : NULL;
  json_auto_t *datasets = parameters ? sb_case_file_datasets(file) : NULL;
  if (datasets) {
    const char *name = json_string_value(json_object_get(parameters, "driver"));
    print_file_row(row, name ? sb_driver_find(session->vocabulary, name) : NULL, arena, stream);
    print_group(file, "parameters", "options", arena, stream);
    print_group(file, "inputs", "files that were read", arena, stream);
    print_group(file, "provenance", "provenance", arena, stream);
    print_datasets(datasets, arena, stream);
    fprintf(stream, "\n%s\n", attribute_text(json_object_get(parameters, "command"), arena));
  }
  return sb_case_file_close(file, datasets != NULL, error);
}

void sb_claims_print(const sb_results *results, FILE *stream)
{
  const sb_sweep   *sweep = results->sweep;
  const sb_verdict *verdicts = sb_results_verdicts(results);
  int               width = 0;
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    const int length = (int)strlen(sb_verdict_word(verdicts[i].kind));
    if (length > width) width = length;
  }
  for (size_t i = 0; i < sweep->claim_count; ++i) {
    fprintf(stream, "%-*s  ", width, sb_verdict_word(verdicts[i].kind));
    sb_claim_write(&sweep->claims[i], sb_request_replaces_nothing(sweep) ? sweep->claims[i].finding : NULL,
                   &verdicts[i], stream);
    fputc('\n', stream);
  }
  const char *size = sb_results_size(results);
  const bool  part = strstr(size, " of ") != NULL;
  fprintf(stream, "%s: %s%s", sweep->name, part ? size : "", part ? "; " : "");
  sb_claims_summarize(results, stream);
  fputc('\n', stream);
}
