/* A results directory read: stored sweep and plan, and rows from what the journal says of each case; see results.h.
 * A case counts as published when its file is there too. */
#include "harness/results/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/data_directory.h"
#include "harness/common/durable.h"
#include "harness/store/case_state.h"
#include "harness/store/publish.h"

static sb_value word(const char *text)
{
  return text && *text ? (sb_value){.kind = SB_WORD, .word = text} : (sb_value){.kind = SB_BLANK};
}

static sb_value value_of_json(const json_t *json)
{
  if (json_is_string(json)) return word(json_string_value(json));
  if (json_is_number(json)) return (sb_value){.kind = SB_NUMBER, .number = json_number_value(json)};
  if (json_is_boolean(json)) return (sb_value){.kind = SB_TRUTH, .truth = json_is_true(json)};
  return (sb_value){.kind = SB_BLANK};
}

static sb_value value_of_axis(const sb_planned_case *planned, const char *axis)
{
  const sb_option_id id = sb_option_find(axis);
  if (id == SB_OPT_COUNT) return word(planned->method);
  if (!sb_options_has(planned->options, id)) return (sb_value){.kind = SB_BLANK};
  switch (sb_option_at(id)->kind) {
  case SB_KIND_INTEGER:
    return (sb_value){.kind = SB_NUMBER, .number = (double)sb_options_integer(planned->options, id)};
  case SB_KIND_REAL:
    return (sb_value){.kind = SB_NUMBER, .number = sb_options_real(planned->options, id)};
  default:
    return word(sb_options_text(planned->options, id));
  }
}

/* The columns of the index, in its order. */
static void add_columns(sb_results *results, const sb_driver *driver)
{
  static const char *const first[] = {"key", "status", "reason", "accuracy_ok"};
  for (size_t i = 0; i < sizeof first / sizeof *first; ++i)
    sb_rows_add_column(results->rows, first[i], "", false, false);
  for (size_t a = 0; a < results->plan->axis_count; ++a) {
    const char        *axis = results->plan->axes[a];
    const sb_option_id id = sb_option_find(axis);
    sb_rows_add_column(results->rows, axis, id == SB_OPT_COUNT ? "" : sb_option_at(id)->unit, true, false);
  }
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    sb_rows_add_column(results->rows, driver->columns[i].name, driver->columns[i].unit, false,
                       driver->columns[i].timing);
  sb_rows_add_column(results->rows, "wall_s", "s", false, true);
  sb_rows_add_column(results->rows, "max_rss_bytes", "B", false, true);
  sb_rows_add_column(results->rows, "digest", "", false, false);
  sb_rows_add_column(results->rows, "command", "", false, false);
}

static void set(sb_results *results, size_t row, const char *column, sb_value value)
{
  const size_t number = sb_rows_column_find(results->rows, column);
  if (number != (size_t)-1) sb_rows_set(results->rows, row, number, value);
}

static void fill_from_json(sb_results *results, size_t row, const json_t *said)
{
  static const char *const own[] = {"status", "reason", "accuracy_ok", "wall_s", "max_rss_bytes", "digest"};
  const char              *name;
  json_t                  *value;
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    set(results, row, own[i], value_of_json(json_object_get(said, own[i])));
  json_t *columns = json_object_get(said, "columns");
  json_object_foreach(columns, name, value) set(results, row, name, value_of_json(value));
}

/* What holds for a case: a publication whose file is there, else the latest failure or interruption, else nothing. */
static const json_t *event_that_holds(const sb_results *results, const sb_journal_state *state, const char *key)
{
  const bool gone = sb_case_state_of(state, results->directory, key, NULL, NULL) == SB_STATE_PENDING &&
                    sb_journal_published(state, key);
  return gone ? NULL : json_object_get(state->cases, key);
}

static void add_row(sb_results *results, const sb_journal_state *state, size_t i)
{
  const sb_planned_case *planned = &results->plan->cases[i];
  const size_t           row = sb_rows_add_row(results->rows);
  const json_t          *event = event_that_holds(results, state, planned->key);
  const char            *checksum = json_string_value(json_object_get(event, "sha256"));
  set(results, row, "key", word(planned->key));
  for (size_t a = 0; a < results->plan->axis_count; ++a)
    set(results, row, results->plan->axes[a], value_of_axis(planned, results->plan->axes[a]));
  set(results, row, "command", word(planned->command));
  if (planned->skipped) {
    set(results, row, "status", word(sb_status_name(SB_CASE_SKIPPED)));
    set(results, row, "reason", word(planned->skipped));
    return;
  }
  fill_from_json(results, row, json_object_get(event, "row"));
  if (checksum) results->checksums[i] = sb_arena_copy(results->session.arena, checksum);
}

/* Quick as long as nothing but quick runs was asked for. */
static bool all_runs_were_quick(const sb_journal_state *state)
{
  size_t  i;
  json_t *run;
  json_array_foreach(state->runs, i, run) if (!json_is_true(json_object_get(run, "quick"))) return false;
  return json_array_size(state->runs) > 0;
}

static bool read_rows(sb_results *results)
{
  const sb_session *session = &results->session;
  sb_journal_state  state;
  char             *path = sb_format("%s/journal.jsonl", results->directory);
  const bool        read = sb_journal_read(path, &state);
  if (read && state.bad_lines > 0)
    fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; springbench run %s repairs\n", path,
            state.bad_lines, results->directory);
  if (read) {
    results->quick = all_runs_were_quick(&state);
    sb_noise_floor_read(state.floors, results->plan, session->arena, &results->floor);
    results->checksums = sb_arena_take(session->arena, results->plan->count, sizeof *results->checksums);
    add_columns(results, session->drivers ? sb_driver_find(session->drivers, results->sweep->driver) : NULL);
    for (size_t i = 0; i < results->plan->count; ++i) add_row(results, &state, i);
  } else {
    sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", strerror(errno));
  }
  sb_journal_clear(&state);
  free(path);
  return read;
}

sb_sweep *sb_results_read_sweep(const char *directory, const sb_session *session)
{
  size_t    length = 0;
  sb_sweep *sweep = NULL;
  char     *path = sb_format("%s/sweep.yaml", directory);
  char     *text = *directory ? sb_read_file(path, &length) : NULL; /* which would be that of the root */
  if (!*directory)
    sb_error_at(session->diagnostics, (sb_location){"''", 0, 0}, "E100", "cannot read: a results directory has a name");
  else if (text)
    sweep = sb_sweep_parse(text, length, path, session);
  else
    sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s; is %s a results directory?",
                strerror(errno), directory);
  free(text);
  free(path);
  return sweep;
}

static bool read_plan(sb_results *results)
{
  char *path = sb_arena_format(results->session.arena, "%s/plan.json", results->directory);
  char *text = sb_read_file(path, NULL);
  if (text)
    results->plan = sb_plan_from_json(text, path, &results->session);
  else
    sb_error_at(results->session.diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", strerror(errno));
  free(text);
  return results->plan != NULL;
}

sb_results *sb_results_open(const char *directory, const sb_session *session)
{
  sb_results *results = sb_arena_take(session->arena, 1, sizeof *results);
  results->session = *session;
  results->directory = sb_arena_copy(session->arena, directory);
  results->rows = sb_rows_create(session->arena);
  results->floor.spread = NAN;
  results->published_dir = sb_arena_adopt(session->arena, sb_data_directory("results/published"));
  results->sweep = sb_results_read_sweep(directory, session);
  return results->sweep && read_plan(results) && read_rows(results) ? results : NULL;
}

char *sb_results_case_path(const sb_results *results, const char *key)
{
  return sb_format("%s/cases/%s.h5", results->directory, key);
}

/* `promised`: the checksum, NULL where nothing is published. */
static bool is_whole(const sb_results *results, const char *key, const char *promised, char error[256])
{
  char      *path = sb_results_case_path(results, key);
  char       hex[SB_SHA256_HEX + 1];
  const bool read = sb_sha256_file(path, hex);
  if (!promised)
    snprintf(error, 256, "%.180s is not published", path);
  else if (!read)
    snprintf(error, 256, "cannot read %.180s: %s", path, strerror(errno));
  else if (strcmp(hex, promised) != 0)
    snprintf(error, 256, "%.180s is damaged: its checksum disagrees", path);
  free(path);
  return promised && read && strcmp(hex, promised) == 0;
}

bool sb_results_row_is_whole(const sb_results *results, size_t row, char error[256])
{
  return is_whole(results, results->plan->cases[row].key, results->checksums[row], error);
}

bool sb_results_case_is_whole(const sb_results *results, const char *key, char error[256])
{
  for (size_t i = 0; results->checksums && i < results->plan->count; ++i)
    if (strcmp(results->plan->cases[i].key, key) == 0) return sb_results_row_is_whole(results, i, error);
  return is_whole(results, key, NULL, error);
}

bool sb_results_are_whole(const sb_results *results, size_t *all)
{
  const sb_plan        *stored = results->plan;
  const sb_plan_request request = {.quick = results->quick};
  *all = stored ? stored->count : 0;
  if (*all == 0) return true;
  sb_session own = sb_session_begin(results->session.vocabulary, results->session.drivers);
  sb_plan   *full = sb_plan_create(results->sweep, &request, &own);
  bool       whole = full && full->count == stored->count;
  for (size_t i = 0; whole && i < full->count; ++i) whole = strcmp(full->cases[i].key, stored->cases[i].key) == 0;
  if (full) *all = full->count;
  sb_session_end(&own, NULL);
  return whole;
}

size_t sb_results_find(const sb_results *results, const char *beginning)
{
  size_t found = (size_t)-1, matches = 0;
  for (size_t i = 0; i < results->plan->count; ++i) {
    if (strncmp(results->plan->cases[i].key, beginning, strlen(beginning)) != 0) continue;
    found = i;
    ++matches;
  }
  if (matches == 1) return found;
  sb_error_at(results->session.diagnostics, (sb_location){results->directory, 0, 0}, "E106", "%s begins with '%s'",
              matches ? "more than one case" : "no case", beginning);
  return (size_t)-1;
}
