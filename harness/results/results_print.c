/* A results directory told to a person: `status` and `show`; see results.h. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/common/text.h"
#include "harness/results/results.h"
#include "harness/store/lock.h"

enum { LOG_LINES = 20, FAILURES_SHOWN = 20 };

static const char *word_of(const sb_results *results, size_t row, const char *column)
{
  const sb_value value = sb_rows_get_named(results->rows, row, column);
  return value.kind == SB_WORD ? value.word : "";
}

static bool failed(const sb_results *results, size_t row)
{
  sb_status status;
  return sb_status_from_name(word_of(results, row, "status"), &status) && !sb_status_is_result(status);
}

static void print_counts(const sb_results *results, FILE *stream, size_t *failures, size_t *missing)
{
  size_t counts[SB_STATUS_COUNT] = {0}, noisy = 0;
  for (size_t row = 0; row < sb_rows_count(results->rows); ++row) {
    sb_status status;
    if (!sb_status_from_name(word_of(results, row, "status"), &status))
      ++*missing;
    else
      counts[status]++;
    if (failed(results, row)) ++*failures;
    noisy += *word_of(results, row, "noisy") != '\0';
  }
  for (int status = 0; status < SB_STATUS_COUNT; ++status)
    if (counts[status] > 0) fprintf(stream, "%8zu %s\n", counts[status], sb_status_name((sb_status)status));
  if (*missing > 0) fprintf(stream, "%8zu not run yet\n", *missing);
  if (noisy > 0 && results->sweep->timed)
    fprintf(stream, "%8zu of them noisy; --rerun noisy times them again\n", noisy);
  if (results->floor.words) fprintf(stream, "%s\n", results->floor.words);
}

static void print_failures(const sb_results *results, FILE *stream, size_t failures)
{
  size_t shown = 0;
  fprintf(stream, "\nfailures:\n");
  for (size_t row = 0; row < sb_rows_count(results->rows) && shown < FAILURES_SHOWN; ++row) {
    if (!failed(results, row)) continue;
    fprintf(stream, "  %s %s: %s\n", word_of(results, row, "key"), word_of(results, row, "status"),
            word_of(results, row, "reason"));
    ++shown;
  }
  if (failures > shown) fprintf(stream, "  and %zu more; see %s/results.csv\n", failures - shown, results->directory);
}

static void print_command(FILE *stream, const char *purpose, const char *directory, const char *options)
{
  fprintf(stream, "\n%s: springbench run ", purpose);
  sb_text_put_word(stream, directory);
  fprintf(stream, "%s\n", options);
}

/* To run the directory is to go on with what was asked for; this asks for all of it. */
static void print_whole(FILE *stream, const char *directory)
{
  char *sweep = sb_format("%s/sweep.yaml", directory);
  fputs("\nthe whole sweep: springbench run ", stream);
  sb_text_put_word(stream, sweep);
  fputs(" -o ", stream);
  sb_text_put_word(stream, directory);
  fputc('\n', stream);
  free(sweep);
}

void sb_results_print_status(const sb_results *results, FILE *stream)
{
  char         holder[160];
  size_t       failures = 0, missing = 0;
  const size_t cases = sb_rows_count(results->rows);
  size_t       all = 0;
  sb_results_are_whole(results, &all);
  if (results->sweep->question)
    fprintf(stream, "%s: %s\n", results->sweep->name, results->sweep->question);
  else
    fprintf(stream, "%s\n", results->sweep->name);
  fprintf(stream, "%s, %zu case%s%s", results->directory, cases, cases == 1 ? "" : "s",
          results->quick ? ", quick" : "");
  if (all != cases) fprintf(stream, " (the whole sweep has %zu)", all);
  fputc('\n', stream);
  print_counts(results, stream, &failures, &missing);
  if (failures > 0) print_failures(results, stream, failures);
  if (sb_lock_is_held(results->directory, holder))
    fprintf(stream, "\nrunning: %s\n", holder);
  else if (missing > 0)
    print_command(stream, "continue", results->directory, "");
  else if (failures > 0)
    print_command(stream, "repeat failures", results->directory, " --rerun failed");
  else if (all != cases && !results->quick)
    print_whole(stream, results->directory);
}

static void print_value(FILE *stream, sb_value value)
{
  char number[32];
  switch (value.kind) {
  case SB_NUMBER:
    fputs(sb_format_real(value.number, number), stream);
    break;
  case SB_WORD:
    fputs(value.word, stream);
    break;
  case SB_TRUTH:
    fputs(value.truth ? "true" : "false", stream);
    break;
  case SB_BLANK:
    fputc('-', stream);
    break;
  }
}

static void print_row(const sb_results *results, size_t row, FILE *stream)
{
  for (size_t c = 0; c < sb_rows_column_count(results->rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(results->rows, c);
    if (column->is_option || strcmp(column->name, "command") == 0) continue;
    fprintf(stream, "  %-28s ", column->name);
    const sb_value value = sb_rows_get(results->rows, row, c);
    const bool     shown = *column->unit && value.kind != SB_BLANK;
    print_value(stream, value);
    fprintf(stream, "%s%s\n", shown ? " " : "", shown ? column->unit : "");
  }
}

static void print_options(const sb_planned_case *planned, FILE *stream)
{
  fprintf(stream, "\noptions\n");
  if (planned->method) fprintf(stream, "  %-28s %s\n", "method", planned->method);
  for (int id = 0; id < SB_OPT_COUNT; ++id) {
    const sb_option *option = sb_option_at((sb_option_id)id);
    if (!sb_options_has(planned->options, (sb_option_id)id)) continue;
    fprintf(stream, "  %-28s %s%s%s\n", option->name, sb_options_text(planned->options, (sb_option_id)id),
            *option->unit ? " " : "", option->unit);
  }
}

static void print_log(const sb_results *results, const char *key, FILE *stream)
{
  char *path = sb_format("%s/logs/%s.txt", results->directory, key), *text = sb_read_file(path, NULL);
  if (text && *text) {
    const char *start = text + strlen(text);
    for (int lines = 0; start > text; --start)
      if (start[-1] == '\n' && *start && ++lines == LOG_LINES) break;
    fprintf(stream, "\nthe end of %s\n%s%s", path, start, text[strlen(text) - 1] == '\n' ? "" : "\n");
  }
  free(text);
  free(path);
}

/* The number of the case whose key begins so; -1 after a message when there is none, or more than one. */
static long find_case(const sb_results *results, const char *key)
{
  long   found = -1;
  size_t matches = 0;
  for (size_t i = 0; i < results->plan->count; ++i) {
    if (strncmp(results->plan->cases[i].key, key, strlen(key)) != 0) continue;
    found = (long)i;
    ++matches;
  }
  if (matches == 1) return found;
  fprintf(stderr, "springbench: error: %s of %s begins with '%s'\n", matches ? "more than one case" : "no case",
          results->directory, key);
  return -1;
}

const char *sb_results_key(const sb_results *results, const char *beginning)
{
  const long found = find_case(results, beginning);
  return found < 0 ? NULL : results->plan->cases[found].key;
}

int sb_show(const sb_results *results, const char *key, FILE *stream)
{
  const long found = find_case(results, key);
  if (found < 0) return SB_EXIT_USAGE;
  const sb_planned_case *planned = &results->plan->cases[found];
  print_row(results, (size_t)found, stream);
  print_options(planned, stream);
  fprintf(stream, "\n%s\n", planned->command);
  print_log(results, planned->key, stream);
  return SB_EXIT_OK;
}
