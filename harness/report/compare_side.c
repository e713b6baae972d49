/* One side of a comparison, read; see compare_side.h. An index file is taken back to rows: its columns carry neither
 * units nor what they are, which the lists of options and of drivers' columns know. */
#include "harness/report/compare_side.h"

#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/common/published_table.h"
#include "harness/report/report_text.h"
#include "harness/results/results_folders.h"

/* ---- an index file ---- */

static const sb_column *driver_column(const sb_driver_list *drivers, const char *name)
{
  for (size_t d = 0; drivers && d < drivers->count; ++d)
    for (size_t c = 0; c < drivers->drivers[d]->column_count; ++c)
      if (strcmp(drivers->drivers[d]->columns[c].name, name) == 0) return &drivers->drivers[d]->columns[c];
  return NULL;
}

/* Options stand before the columns of the driver, which may share a name with one ("vertices"). */
static void add_column(sb_rows *rows, const sb_driver_list *drivers, const char *name, bool *among_options)
{
  const sb_option_id id = sb_option_find(name);
  const sb_column   *column = driver_column(drivers, name);
  const bool cost = strcmp(name, "wall_s") == 0 || strcmp(name, "max_rss_bytes") == 0 || strcmp(name, "noisy") == 0 ||
                    strcmp(name, "noise_floor") == 0;
  const bool is_option = *among_options && (id != SB_OPT_COUNT || strcmp(name, "method") == 0);
  if (column && !is_option) *among_options = false;
  const char *unit = is_option && id != SB_OPT_COUNT ? sb_option_at(id)->unit : column ? column->unit : "";
  sb_rows_add_column(rows, name, unit, is_option, cost || (column && column->timing));
}

static sb_value value_of(const char *text)
{
  double number = 0;
  if (!*text) return (sb_value){.kind = SB_BLANK};
  if (sb_parse_real(text, &number)) return (sb_value){.kind = SB_NUMBER, .number = number};
  if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0)
    return (sb_value){.kind = SB_TRUTH, .truth = text[0] == 't'};
  return (sb_value){.kind = SB_WORD, .word = text};
}

static sb_value cell_value(const char *column, const char *text)
{
  const bool word = strcmp(column, "key") == 0 || strcmp(column, "digest") == 0; /* 16 digits may look like a number */
  if (word && *text) return (sb_value){.kind = SB_WORD, .word = text};
  return value_of(text);
}

static bool read_index(const char *path, const sb_driver_list *drivers, sb_compare_side *side)
{
  char                error[256] = "", *folder = sb_copy_text(path), *file = sb_copy_text(path);
  char               *stem = sb_format("%.*s", (int)(strlen(basename(file)) - strlen(".csv")), basename(file));
  sb_published_table *table = sb_published_read(dirname(folder), stem, error);
  free(stem);
  free(file);
  free(folder);
  if (table && (sb_published_column(table, "key") == (size_t)-1 || sb_published_column(table, "status") == (size_t)-1))
    snprintf(error, sizeof error, "%.180s has no columns key and status: it is no index of results", path);
  if (*error) {
    fprintf(stderr, "springbench: error: %s [E100]\n", error);
    sb_published_destroy(&table);
    return false;
  }
  bool among_options = true;
  side->rows = side->own = sb_rows_create();
  for (size_t c = 0; c < table->columns; ++c) add_column(side->own, drivers, table->cells[c], &among_options);
  for (size_t r = 1; r < table->rows; ++r) {
    const size_t row = sb_rows_add_row(side->own);
    for (size_t c = 0; c < table->columns; ++c)
      sb_rows_set(side->own, row, sb_rows_column_find(side->own, table->cells[c]),
                  cell_value(table->cells[c], table->cells[r * table->columns + c]));
  }
  side->name = sb_copy_text("");
  side->builds = sb_copy_text("");
  side->machines = sb_copy_text("");
  side->hosts = sb_copy_text("");
  sb_published_destroy(&table);
  return true;
}

/* ---- a results directory ---- */

/* The different words that `name` takes, "; " between them. */
static char *gather(const json_t *const *events, size_t count, const char *name)
{
  char   *text = NULL;
  size_t  length = 0;
  json_t *seen = json_object();
  FILE   *stream = sb_text_stream(&text, &length);
  for (size_t i = 0; i < count; ++i) {
    const char *word = json_string_value(json_object_get(events[i], name));
    if (!word || json_object_get(seen, word)) continue;
    fprintf(stream, "%s%s", json_object_size(seen) > 0 ? "; " : "", word);
    json_object_set_new(seen, word, json_true());
  }
  fclose(stream);
  json_decref(seen);
  return text;
}

static void name_origins(sb_compare_side *side)
{
  const size_t   cases = sb_rows_count(side->rows), runs = json_array_size(side->journal.runs);
  const json_t **events = sb_allocate(cases + runs + 1, sizeof *events);
  size_t         count = 0;
  for (size_t row = 0; row < cases; ++row) {
    const json_t *event = json_object_get(side->journal.cases, sb_compare_word(side, row, "key"));
    if (event) events[count++] = event;
  }
  side->builds = gather(events, count, "build");
  side->machines = gather(events, count, "machine");
  for (size_t i = 0; i < runs; ++i) events[i] = json_array_get(side->journal.runs, i);
  side->hosts = gather(events, runs, "host");
  free(events);
}

static bool read_directory(const char *path, const sb_vocabulary *vocabulary, const sb_driver_list *drivers,
                           sb_compare_side *side)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  side->results = sb_results_open(path, vocabulary, drivers, diagnostics);
  sb_diagnostics_print(diagnostics, stderr);
  sb_diagnostics_destroy(&diagnostics);
  if (!side->results) return false;
  char *journal = sb_format("%s/journal.jsonl", path);
  if (!sb_journal_read(journal, &side->journal)) sb_storage_error("read", journal, errno, 0);
  free(journal);
  side->rows = side->results->rows;
  side->name = sb_copy_text(side->results->sweep->name);
  name_origins(side);
  return true;
}

static bool ends_with(const char *text, const char *end)
{
  const size_t length = strlen(text), size = strlen(end);
  return length > size && strcmp(text + length - size, end) == 0;
}

bool sb_compare_side_open(const char *path, const sb_vocabulary *vocabulary, const sb_driver_list *drivers,
                          sb_compare_side *side)
{
  struct stat about;
  *side = (sb_compare_side){0};
  const bool  directory = stat(path, &about) != 0 || S_ISDIR(about.st_mode);
  char       *copy = sb_copy_text(path), *file = sb_copy_text(path), *folder = dirname(copy);
  const char *name = basename(file);
  const bool  index = strcmp(name, "results.csv") == 0 || strcmp(name, "results.h5") == 0;
  bool        good = false;
  if (directory || (index && sb_is_results_folder(folder))) {
    side->path = sb_copy_text(directory ? path : folder);
    good = read_directory(side->path, vocabulary, drivers, side);
  } else if (ends_with(path, ".csv")) {
    side->path = sb_copy_text(path);
    good = read_index(path, drivers, side);
  } else {
    fprintf(stderr, "springbench: error: %s: neither a results directory nor an index of one (results.csv) [E100]\n",
            path);
  }
  free(file);
  free(copy);
  return good;
}

void sb_compare_side_clear(sb_compare_side *side)
{
  sb_results_destroy(&side->results);
  sb_rows_destroy(&side->own);
  sb_journal_clear(&side->journal);
  free(side->path);
  free(side->name);
  free(side->builds);
  free(side->machines);
  free(side->hosts);
  *side = (sb_compare_side){0};
}

sb_value sb_compare_value(const sb_compare_side *side, size_t row, const char *name)
{
  return side->results ? sb_report_value(side->results, row, name) : sb_rows_get_named(side->rows, row, name);
}

const char *sb_compare_word(const sb_compare_side *side, size_t row, const char *name)
{
  const sb_value value = sb_rows_get_named(side->rows, row, name);
  return value.kind == SB_WORD ? value.word : "";
}

const char *sb_compare_said(const sb_compare_side *side, size_t row, const char *name)
{
  const json_t *event = json_object_get(side->journal.cases, sb_compare_word(side, row, "key"));
  const char   *said = json_string_value(json_object_get(event, name));
  return said ? said : "";
}
