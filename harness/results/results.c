/* A results directory read: stored sweep and plan, and rows from what the journal says of each case; see results.h.
 * A case counts as published when its file is there too. */
#include "harness/results/results.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/durable.h"
#include "harness/store/case_file.h"
#include "harness/store/journal.h"

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
static const json_t *event_that_holds(const sb_results *results, const char *key)
{
  const bool gone = sb_case_state_of(&results->journal, results->directory, key, NULL, NULL) == SB_STATE_PENDING &&
                    sb_journal_published(&results->journal, key);
  return gone ? NULL : json_object_get(results->journal.cases, key);
}

static void add_row(sb_results *results, size_t i)
{
  const sb_planned_case *planned = &results->plan->cases[i];
  const size_t           row = sb_rows_add_row(results->rows);
  const json_t          *event = event_that_holds(results, planned->key);
  set(results, row, "key", word(planned->key));
  for (size_t a = 0; a < results->plan->axis_count; ++a)
    set(results, row, results->plan->axes[a], sb_case_value(planned, results->plan->axes[a]));
  set(results, row, "command", word(planned->command));
  if (planned->skipped) {
    set(results, row, "status", word(sb_status_name(SB_CASE_SKIPPED)));
    set(results, row, "reason", word(planned->skipped));
    return;
  }
  fill_from_json(results, row, json_object_get(event, "row"));
  results->repetitions[i] = (int)json_integer_value(json_object_get(event, "repetitions"));
  results->checksums[i] = sb_arena_copy(results->session.arena, json_string_value(json_object_get(event, "sha256")));
}

/* Quick as long as nothing but quick runs was asked for. */
static bool all_runs_were_quick(const sb_journal_state *state)
{
  size_t  i;
  json_t *run;
  json_array_foreach(state->runs, i, run) if (!json_is_true(json_object_get(run, "quick"))) return false;
  return json_array_size(state->runs) > 0;
}

static void make_rows(sb_results *results)
{
  const sb_session *session = &results->session;
  results->rows = sb_rows_create(session->arena);
  results->quick = all_runs_were_quick(&results->journal);
  sb_noise_floor_read(results->journal.floors, results->plan, session->arena, &results->floor);
  results->checksums = sb_arena_take(session->arena, results->plan->count, sizeof *results->checksums);
  results->repetitions = sb_arena_take(session->arena, results->plan->count, sizeof *results->repetitions);
  add_columns(results, session->drivers ? sb_driver_find(session->drivers, results->sweep->driver) : NULL);
  for (size_t i = 0; i < results->plan->count; ++i) add_row(results, i);
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

static sb_plan *read_plan(const char *directory, const sb_session *session)
{
  char    *path = sb_arena_format(session->arena, "%s/plan.json", directory), *text = sb_read_file(path, NULL);
  sb_plan *plan = text ? sb_plan_from_json(text, path, session) : NULL;
  if (!text) sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", strerror(errno));
  free(text);
  return plan;
}

static void end_journal(void *state) { sb_journal_clear(state); }

static bool read_journal(sb_results *results)
{
  char *path = sb_arena_format(results->session.arena, "%s/journal.jsonl", results->directory);
  if (!sb_journal_read(path, &results->journal))
    return sb_error_at(results->session.diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s",
                       strerror(errno));
  if (results->journal.bad_lines > 0)
    fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; springbench run %s repairs\n", path,
            results->journal.bad_lines, results->directory);
  sb_arena_defer(results->session.arena, end_journal, &results->journal);
  return true;
}

sb_results *sb_results_of(const char *directory, const sb_results_parts *parts, const sb_session *session)
{
  sb_results *results = sb_arena_take(session->arena, 1, sizeof *results);
  results->session = *session;
  results->directory = sb_arena_copy(session->arena, directory);
  results->published_dir = sb_arena_adopt(session->arena, sb_data_directory("results/published"));
  results->kept = sb_arena_take(session->arena, 1, sizeof *results->kept);
  results->sweep = parts->sweep ? parts->sweep : sb_results_read_sweep(directory, session);
  if (results->sweep) results->plan = parts->plan ? parts->plan : read_plan(directory, session);
  if (parts->journal) results->journal = *parts->journal;
  if (!results->plan || (!parts->journal && !read_journal(results))) return NULL;
  make_rows(results);
  return results;
}

sb_results *sb_results_open(const char *directory, const sb_session *session)
{
  return sb_results_of(directory, &(sb_results_parts){0}, session);
}

const sb_plan *sb_results_made_plan(const sb_results *results)
{
  sb_results_kept *kept = results->kept;
  sb_session       silent = results->session; /* what is wrong with an edited sweep is not asked here */
  silent.diagnostics = NULL;
  if (!kept->planned) kept->plan = sb_plan_create(results->sweep, NULL, &silent);
  kept->planned = true;
  return kept->plan;
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

typedef struct {
  const char *x, *y;
  sb_curve   *curve;
  sb_arena   *arena;
} wanted_curve;

/* Copies the two columns of the run "mean", or of the only run that has them. */
static bool copy_curve(void *context, const char *run, const sb_columns *from)
{
  const wanted_curve *w = context;
  const double       *columns[2] = {NULL, NULL};
  if (w->curve->count > 0 && strcmp(run, "mean") != 0) return true;
  for (size_t i = 0; i < from->columns; ++i) {
    if (strcmp(from->names[i], w->x) == 0) columns[0] = from->values[i];
    if (strcmp(from->names[i], w->y) == 0) columns[1] = from->values[i];
  }
  if (!columns[0] || !columns[1]) return true;
  double *values = sb_arena_take(w->arena, 2 * from->count, sizeof *values);
  memcpy(values, columns[0], from->count * sizeof *values);
  memcpy(values + from->count, columns[1], from->count * sizeof *values);
  *w->curve = (sb_curve){from->count, values, values + from->count};
  return true;
}

static bool read_curve(const void *of, size_t row, const char *x, const char *y, sb_curve *curve, sb_arena *arena,
                       sb_diagnostics *diagnostics)
{
  const sb_results *results = of;
  const sb_value    key = sb_rows_get_named(results->rows, row, "key");
  char              error[256] = "";
  char             *path = key.kind == SB_WORD ? sb_results_case_path(results, key.word) : NULL;
  wanted_curve      wanted = {x, y, curve, arena};
  bool              good = true;
  if (path && access(path, F_OK) == 0) {
    good = sb_results_case_is_whole(results, key.word, error) && sb_case_file_curves(path, copy_curve, &wanted, error);
    if (!good) sb_error_at(diagnostics, (sb_location){path, 0, 0}, "E110", "%s", error);
  }
  free(path);
  return good;
}

sb_scope sb_results_scope(const sb_results *results, sb_arena *arena)
{
  return (sb_scope){.rows = results->rows,
                    .published_dir = results->published_dir,
                    .arena = arena,
                    .of = results,
                    .curve = read_curve};
}

bool sb_results_are_whole(const sb_results *results, size_t *all)
{
  const sb_plan *stored = results->plan, *full = NULL;
  *all = stored ? stored->count : 0;
  if (*all == 0) return true;
  full = sb_results_made_plan(results);
  bool whole = full && full->count == stored->count;
  for (size_t i = 0; whole && i < full->count; ++i) whole = strcmp(full->cases[i].key, stored->cases[i].key) == 0;
  if (full) *all = full->count;
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
