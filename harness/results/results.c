/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading a results directory: stored sweep and plan, and rows from the journal; see results.h. A case counts as
 * published only if its file exists. */
#include "harness/results/results.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/input_file.h"
#include "base/words.h"
#include "cases/common/durable.h"
#include "cases/common/text.h"
#include "cases/describe/plugin_methods.h"
#include "cases/store/case_file.h"
#include "cases/store/case_row.h"
#include "harness/sweep/request.h"

enum { DEPTH_MAX = 3 };

static sb_value word(const char *text)
{
  return text && *text ? (sb_value){.kind = SB_WORD, .word = text} : (sb_value){.kind = SB_BLANK};
}

static sb_value value_of_json(const json_t *json)
{
  if (json_is_number(json)) return (sb_value){.kind = SB_NUMBER, .number = json_number_value(json)};
  if (json_is_boolean(json)) return (sb_value){.kind = SB_TRUTH, .truth = json_is_true(json)};
  return word(json_string_value(json));
}

static void add_common_columns(sb_rows *rows, bool last)
{
  for (const sb_common_column *c = sb_common_columns; c < sb_common_columns + SB_COMMON_COUNT; ++c)
    if (c->last == last) sb_rows_add_column(rows, c->name, c->unit, false, c->timing);
}

/* The columns of the index, in its order. */
static void add_columns(sb_results *results)
{
  const sb_driver *driver = sb_driver_find(results->session.vocabulary, results->sweep->driver);
  add_common_columns(results->rows, false);
  for (size_t a = 0; a < results->plan->axis_count; ++a) {
    const sb_option_id id = sb_option_find(results->plan->axes[a]);
    const char        *unit = id == sb_option_count ? "" : sb_option_at(id)->unit;
    sb_rows_add_column(results->rows, results->plan->axes[a], unit, true, false);
  }
  for (size_t i = 0; driver && i < driver->column_count; ++i) {
    const sb_column *column = &driver->columns[i];
    sb_rows_add_column(results->rows, column->name, column->unit, false, column->timing);
  }
  add_common_columns(results->rows, true);
}

static void set(sb_results *results, size_t row, const char *column, sb_value value)
{
  const size_t number = sb_rows_column_find(results->rows, column);
  if (number != (size_t)-1) sb_rows_set(results->rows, row, number, value);
}

static sb_case_origin origin_of(const json_t *event, sb_arena *arena)
{
  return (sb_case_origin){.build = sb_arena_copy(arena, json_string_value(json_object_get(event, "build"))),
                          .machine = sb_arena_copy(arena, json_string_value(json_object_get(event, "machine"))),
                          .host = sb_arena_copy(arena, json_string_value(json_object_get(event, "host")))};
}

/* The part of a case whose operations nobody counts; blank: there is none. Earlier versions did not note it, and stored
 * work all the same. They name the library that solved. */
static sb_value uncounted_part(const sb_results *results, size_t row)
{
  const sb_value noted = sb_rows_get_named(results->rows, row, "not_counted");
  const sb_value library = sb_rows_get_named(results->rows, row, "linear_used");
  const char    *plugin = sb_plugin_methods_uncounted(results->plan->cases[row].options);
  if (noted.kind == SB_WORD || plugin) return plugin ? word(plugin) : noted;
  return library.kind == SB_WORD && !sb_has_word("MUMPS mumps cholmod", library.word) ? library : word(NULL);
}

/* Makes the columns of operations unknown if some of a case's are not counted. */
static void leave_uncounted(sb_results *results, size_t row)
{
  const sb_driver *driver = sb_driver_find(results->session.vocabulary, results->sweep->driver);
  const sb_value   part = uncounted_part(results, row);
  const sb_value   unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER, .uncounted = true};
  if (part.kind != SB_WORD || sb_rows_column_find(results->rows, "not_counted") == (size_t)-1) return;
  set(results, row, "not_counted", part);
  for (size_t k = 0; driver && k < driver->column_count; ++k)
    if (driver->columns[k].operations) set(results, row, driver->columns[k].name, unknown);
}

static void add_row(sb_results *results, size_t i)
{
  const sb_planned_case *planned = &results->plan->cases[i];
  const size_t           row = sb_rows_add_row(results->rows);
  for (size_t a = 0; a < results->plan->axis_count; ++a)
    set(results, row, results->plan->axes[a], sb_case_value(planned, results->plan->axes[a]));
  if (planned->skipped) {
    set(results, row, "status", word(sb_status_name(SB_CASE_SKIPPED)));
    set(results, row, "reason", word(planned->skipped));
  } else {
    /* the valid event: a publication whose file exists, else the latest failure or interruption, else none */
    const bool gone =
        sb_journal_published(&results->journal, planned->key) &&
        sb_case_state_of(&results->journal, results->directory, planned->key, NULL, NULL) == SB_STATE_PENDING;
    const json_t *event = gone ? NULL : json_object_get(results->journal.cases, planned->key);
    const json_t *said = json_object_get(event, "row");
    const char   *name;
    json_t       *value;
    for (size_t k = 0; k < SB_COMMON_COUNT; ++k)
      set(results, row, sb_common_columns[k].name, value_of_json(json_object_get(said, sb_common_columns[k].name)));
    json_auto_t *columns = sb_journal_columns(said);
    json_object_foreach(columns, name, value) set(results, row, name, value_of_json(value));
    if (said) leave_uncounted(results, row);
    results->repetitions[i] = (int)json_integer_value(json_object_get(event, "repetitions"));
    results->origins[i] = origin_of(event, results->session.arena);
    results->checksums[i] = sb_arena_copy(results->session.arena, json_string_value(json_object_get(event, "sha256")));
  }
  set(results, row, "key", word(planned->key));
  set(results, row, "command", word(planned->command));
}

static void make_rows(sb_results *results)
{
  const sb_session *session = &results->session;
  const sb_plan    *plan = results->plan;
  results->rows = sb_rows_create(session->arena);
  results->quick = sb_journal_is_quick(&results->journal);
  sb_noise_floor_read(results->journal.floors, plan, session->arena, &results->floor);
  results->checksums = sb_arena_take(session->arena, plan->count, sizeof *results->checksums);
  results->repetitions = sb_arena_take(session->arena, plan->count, sizeof *results->repetitions);
  results->origins = sb_arena_take(session->arena, plan->count, sizeof *results->origins);
  add_columns(results);
  sb_rows_expect(results->rows, plan->count);
  for (size_t i = 0; i < plan->count; ++i) add_row(results, i);
}

/* ---- opening ---- */

static sb_sweep *read_sweep(const char *directory, const sb_session *session)
{
  size_t         length = 0;
  sb_sweep      *sweep = NULL;
  const char    *path = sb_arena_format(session->arena, "%s/sweep.yaml", directory);
  SB_OWNED char *text = *directory ? sb_read_file(path, &length) : NULL; /* which would be that of the root */
  if (!*directory)
    sb_error_at(session->diagnostics, (sb_location){"''", 0, 0}, "E100",
                "cannot read: the name of a results directory is empty");
  else if (text)
    sweep = sb_sweep_parse(text, length, path, session);
  else if (errno == ENOTDIR)
    sb_error_at(session->diagnostics, (sb_location){directory, 0, 0}, "E100", "it is a file, not a results directory%s",
                sb_case_file_is_one(directory) ? "; `springbench show` has what a case file holds" : "");
  else
    sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s; is %s a results directory?",
                sb_cause(errno), directory);
  if (!sweep || !sb_request_read(sweep, directory, session)) return NULL;
  sweep->is_stored = true;
  return sweep;
}

sb_sweep *sb_results_read_sweep(const char *directory, const sb_session *session)
{
  SB_OWNED char *plan = sb_read_file(sb_arena_format(session->arena, "%s/plan.json", directory), NULL);
  sb_session     own = *session;
  own.vocabulary = sb_plan_vocabulary(plan, session);
  return read_sweep(directory, &own);
}

sb_results *sb_results_of(const char *directory, const sb_sweep *sweep, const sb_plan *made, const sb_plan *asked,
                          const sb_journal_state *journal, const sb_session *session)
{
  sb_results *results = sb_arena_take(session->arena, 1, sizeof *results);
  *results = (sb_results){.session = *session,
                          .directory = sb_arena_copy(session->arena, directory),
                          .sweep = sweep,
                          .plan = made ? sb_plan_known(made, asked, NULL, session->arena) : asked,
                          .published_dir = sb_arena_adopt(session->arena, sb_data_directory("results/published")),
                          .journal = *journal,
                          .kept = sb_arena_take(session->arena, 1, sizeof *results->kept)};
  results->kept->plan = made;
  results->kept->stored = asked;
  make_rows(results);
  return results;
}

/* The folder of the files that cases name: where the last run found them. If that folder is gone, or unknown, they are
 * where the environment says, else beside the sweep, as for `run` on the directory from any folder. */
static const char *inputs_of(const sb_journal_state *journal, const char *directory)
{
  const json_t *runs = journal->runs, *last = json_array_get(runs, json_array_size(runs) - 1);
  const char   *noted = json_string_value(json_object_get(last, "inputs")), *asked = getenv(SB_INPUTS_VARIABLE);
  if (noted && access(noted, X_OK) == 0) return noted;
  return asked ? asked : directory;
}

static const char *enter_inputs(const sb_journal_state *journal, const char *directory, sb_arena *arena)
{
  const char *before = sb_arena_copy(arena, getenv(SB_INPUTS_VARIABLE));
  setenv(SB_INPUTS_VARIABLE, inputs_of(journal, directory), 1);
  return before;
}

const char *sb_results_enter_inputs(const sb_results *results)
{
  return enter_inputs(&results->journal, results->directory, results->session.arena);
}

void sb_results_leave_inputs(const char *const *before)
{
  if (*before)
    setenv(SB_INPUTS_VARIABLE, *before, 1);
  else
    unsetenv(SB_INPUTS_VARIABLE);
}

/* The whole plan of a request, as far as plug-ins and simulators are here; stored cases stand for the others. Faults of
 * an edited sweep are not reported here. */
static sb_plan *make_plan(const char *directory, const sb_sweep *sweep, const sb_plan *stored,
                          const sb_journal_state *journal, const sb_session *session, const sb_vocabulary *vocabulary)
{
  sb_session silent = *session;
  silent.diagnostics = NULL;
  SB_ENDED_BY(sb_results_leave_inputs) const char *before = enter_inputs(journal, directory, session->arena);
  sb_plan                                         *made = sb_plan_create(sweep, NULL, &silent);
  if (made) sb_plan_stand_in(made, stored, vocabulary);
  return made;
}

sb_results *sb_results_open(const char *directory, const sb_session *session)
{
  sb_arena      *arena = session->arena;
  const char    *path = sb_arena_format(arena, "%s/plan.json", directory);
  SB_OWNED char *text = sb_read_file(path, NULL);
  const int      why = errno;
  sb_session     own = *session;
  own.vocabulary = sb_plan_vocabulary(text, session);
  sb_sweep *sweep = read_sweep(directory, &own);
  if (!sweep) return NULL;
  errno = why;
  sb_plan          *plan = text ? sb_plan_from_json(text, path, &own) : NULL;
  sb_journal_state *journal = sb_arena_take(arena, 1, sizeof *journal);
  bool              read = text != NULL;
  if (plan) {
    path = sb_arena_format(arena, "%s/journal.jsonl", directory);
    sb_arena_defer(arena, sb_journal_end, journal);
    read = sb_journal_read(path, journal);
  }
  if (plan && read)
    sb_journal_name_damage(journal, path, sb_arena_format(arena, "springbench run %s repairs", directory));
  if (!read) sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", sb_cause(errno));
  if (!read || !plan) return NULL;
  const sb_plan *made = make_plan(directory, sweep, plan, journal, &own, session->vocabulary);
  return sb_results_of(directory, sweep, made, plan, journal, &own);
}

const sb_results *sb_results_as(const sb_results *results, const sb_sweep *sweep)
{
  const sb_plan *made = make_plan(results->directory, sweep, results->plan, &results->journal, &results->session,
                                  results->session.vocabulary);
  const sb_plan *none = sb_arena_take(results->session.arena, 1, sizeof *none);
  return sb_results_of(results->directory, sweep, made, made ? results->plan : none, &results->journal,
                       &results->session);
}

const sb_plan *sb_results_made_plan(const sb_results *results) { return results->kept->plan; }

const char **sb_results_keys_aside(const sb_results *results, size_t *count, sb_arena *arena)
{
  const sb_plan *plan = results->plan;
  json_auto_t   *planned = json_object();
  const char   **keys = NULL, *key;
  json_t        *event;
  *count = 0;
  for (size_t i = 0; plan && i < plan->count; ++i) json_object_set_new(planned, plan->cases[i].key, json_true());
  json_object_foreach(results->journal.cases, key, event)
  {
    const bool aside = json_object_get(event, "row") && !json_object_get(planned, key);
    if (aside) *SB_NEW_ITEM(arena, keys, *count) = sb_arena_copy(arena, key);
  }
  return keys;
}

const char *sb_results_set_aside(const sb_results *results)
{
  size_t    count = 0;
  sb_arena *arena = results->session.arena;
  if (!results->kept->set_aside) {
    (void)sb_results_keys_aside(results, &count, arena);
    results->kept->set_aside =
        count == 0
            ? ""
            : sb_arena_format(arena, "%s %s not of its request and %s nowhere", sb_counted(arena, count, "result"),
                              sb_by_count(count, "is", "are"), sb_by_count(count, "counts", "count"));
  }
  return *results->kept->set_aside ? results->kept->set_aside : NULL;
}

/* Each file is read once: `now` has the digests by name. */
const char *sb_results_changed_inputs(const sb_results *results)
{
  sb_results_kept *kept = results->kept;
  const sb_plan   *plan = kept->stored;
  sb_arena        *arena = results->session.arena;
  json_auto_t     *now = json_object();
  const char      *name = NULL;
  size_t           count = 0;
  if (kept->inputs_read || !plan) return kept->changed_inputs;
  SB_ENDED_BY(sb_results_leave_inputs) const char *before = sb_results_enter_inputs(results);
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_planned_case *c = &plan->cases[i];
    bool                   changed = false;
    for (size_t k = 0; k < SB_INPUT_OPTIONS; ++k) {
      const sb_option_id id = sb_input_options[k];
      if (!c->inputs[k]) continue;
      const char *file = sb_arena_format(arena, "%s=%s", sb_option_at(id)->name, sb_options_text(c->options, id));
      if (!json_object_get(now, file)) {
        SB_OWNED char *digest = sb_input_digest(c->options, id, NULL);
        json_object_set_new(now, file, json_string(digest ? digest : SB_INPUT_UNREADABLE));
      }
      const char *digest = json_string_value(json_object_get(now, file));
      if (strcmp(digest, c->inputs[k]) == 0 || strcmp(digest, SB_INPUT_UNREADABLE) == 0) continue;
      changed = true;
      name = file;
    }
    count += changed;
  }
  kept->inputs_read = true;
  if (count > 0)
    kept->changed_inputs =
        sb_arena_format(arena, "%zu of %s %s computed with other contents of %s than it has now", count,
                        sb_counted(arena, plan->count, "case"), sb_by_count(count, "was", "were"), name);
  return kept->changed_inputs;
}

bool sb_results_are_whole(const sb_results *results, size_t *all)
{
  const sb_plan *stored = results->plan;
  *all = stored ? stored->count : 0;
  if (*all == 0) return true;
  const sb_plan *full = sb_results_made_plan(results);
  if (full) *all = full->count;
  return full && full->count == stored->count; /* the one is a part of the other */
}

const char *sb_results_size(const sb_results *results)
{
  size_t       all = 0;
  const size_t here = sb_rows_count(results->rows);
  const bool   part = !sb_results_are_whole(results, &all) && all > here;
  sb_arena    *arena = results->session.arena;
  return sb_arena_format(arena, "%s%s", part ? sb_arena_format(arena, "%zu of ", here) : "",
                         sb_counted(arena, part ? all : here, "case"));
}

/* ---- case files ---- */

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

bool sb_results_case_file(const sb_results *results, size_t row, sb_arena *arena, const char **path, char error[256])
{
  const char *key = sb_value_text(arena, sb_rows_get_named(results->rows, row, "key"));
  const char *promised = results->checksums ? results->checksums[row] : NULL;
  char        hex[SB_SHA256_HEX + 1];
  *path = sb_arena_format(arena, "%s/cases/%s.h5", results->directory, key);
  const bool read = promised && sb_sha256_file(*path, hex), whole = read && strcmp(hex, promised) == 0;
  if (!promised)
    snprintf(error, 256, "%.180s is not published", *path);
  else if (!read)
    snprintf(error, 256, "cannot read %.180s: %s", *path, sb_cause(errno));
  else if (!whole)
    snprintf(error, 256, "%.180s is damaged: its checksum disagrees", *path);
  return whole;
}

typedef struct {
  const char       *x, *y;
  sb_curve_columns *curve;
  sb_arena         *arena;
} wanted_curve;

/* Copies the two columns of the run "mean", or of the only run that has them. */
static bool copy_curve(void *context, const char *run, const sb_stored_columns *from)
{
  const wanted_curve *w = context;
  const double       *columns[2] = {NULL, NULL};
  bool                timed = false;
  if (w->curve->count > 0 && strcmp(run, "mean") != 0) return true;
  for (size_t i = 0; i < from->columns; ++i) {
    const bool is_x = strcmp(from->names[i], w->x) == 0, is_y = strcmp(from->names[i], w->y) == 0;
    if (is_x) columns[0] = from->values[i];
    if (is_y) columns[1] = from->values[i];
    timed = timed || ((is_x || is_y) && strcmp(from->units[i], "s") == 0);
  }
  if (!columns[0] || !columns[1]) return true;
  double *values = sb_arena_take(w->arena, 2 * from->count, sizeof *values);
  memcpy(values, columns[0], from->count * sizeof *values);
  memcpy(values + from->count, columns[1], from->count * sizeof *values);
  *w->curve = (sb_curve_columns){.count = from->count, .x = values, .y = values + from->count, .timed = timed};
  return true;
}

static bool read_curve(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve,
                       sb_arena *arena, sb_diagnostics *diagnostics)
{
  const sb_results                       *results = of;
  wanted_curve                            wanted = {x, y, curve, arena};
  const char                             *path = NULL;
  char                                    error[256] = "";
  SB_ENDED_BY(sb_arena_destroy) sb_arena *own = sb_arena_create();
  const bool                              good = !results->checksums || !results->checksums[row] ||
                    (sb_results_case_file(results, row, arena, &path, error) &&
                     sb_case_file_curves(path, own, copy_curve, &wanted, error));
  curve->uncounted = sb_row_uncounted(results->rows, row) && (strcmp(x, "work") == 0 || strcmp(y, "work") == 0);
  return good || sb_error_at(diagnostics, (sb_location){path, 0, 0}, "E110", "%s", error);
}

sb_scope sb_results_scope(const sb_results *results, sb_arena *arena)
{
  return (sb_scope){.rows = results->rows,
                    .published_dir = results->published_dir,
                    .arena = arena,
                    .of = results,
                    .curve = read_curve};
}

/* ---- the results directories of a folder ---- */

bool sb_has_file(const char *folder, const char *name)
{
  SB_OWNED char *path = sb_format("%s/%s", folder, name);
  return access(path, F_OK) == 0;
}

/* An empty name is not a folder: with a slash it would be the root. */
bool sb_is_results_folder(const char *folder)
{
  return *folder && sb_has_file(folder, "sweep.yaml") && sb_has_file(folder, "plan.json");
}

/* One that has lost its sweep file or its plan counts, too: it may answer findings. */
static bool was_results_folder(const char *folder)
{
  return sb_has_file(folder, "plan.json") || sb_has_file(folder, "journal.jsonl") ||
         (sb_has_file(folder, "sweep.yaml") && sb_has_file(folder, "cases"));
}

/* A directory on the path from the parent folder, or a results directory that was found. */
typedef struct place {
  const struct place *above;
  const char         *name;  /* relative to the parent folder */
  bool                holds; /* it is the parent folder, or one above */
  dev_t               device;
  ino_t               inode;
} place;

/* The parent folder and all folders above it, which are not searched. */
static const place *place_of_parent(const char *parent, const char *name, sb_arena *arena)
{
  struct stat about;
  place      *at = sb_arena_take(arena, 1, sizeof *at);
  if (stat(sb_arena_format(arena, "%s/%s", parent, name), &about) != 0) return NULL;
  *at = (place){NULL, name, true, about.st_dev, about.st_ino};
  const char *above = sb_arena_format(arena, "%s/..", name);
  if (stat(sb_arena_format(arena, "%s/%s", parent, above), &about) != 0) return at;
  if (about.st_dev != at->device || about.st_ino != at->inode) at->above = place_of_parent(parent, above, arena);
  return at;
}

/* A search for results directories. */
typedef struct {
  const sb_session   *session;
  sb_results_folders *found;
  const place       **places; /* [found->count] NULL: it could not be looked at */
  sb_results *const  *open;
  size_t              open_count;
} search;

static sb_results_folder *add_folder(search *s, const char *name, const place *at)
{
  sb_results_folders *found = s->found;
  found->each = sb_arena_grow(s->session->arena, found->each, found->count, sizeof *found->each);
  s->places = sb_arena_grow(s->session->arena, s->places, found->count, sizeof *s->places);
  s->places[found->count] = at;
  found->each[found->count] = (sb_results_folder){.name = name};
  return &found->each[found->count++];
}

static void add_problem(search *s, const char *name, int error)
{
  add_folder(s, name, NULL)->problem = sb_arena_copy(s->session->arena, strerror(error));
  s->found->unreadable++;
}

/* Adds a directory, which a command may have opened before; if not, opens it. */
static void add_results(search *s, const char *path, const place *at)
{
  sb_results_folder *folder = add_folder(s, at->name, at);
  for (size_t i = 0; i < s->open_count && !folder->results; ++i) {
    struct stat about;
    if (stat(s->open[i]->directory, &about) == 0 && about.st_dev == at->device && about.st_ino == at->inode)
      folder->results = s->open[i];
  }
  if (folder->results) return;
  sb_session own = *s->session;
  own.diagnostics = sb_diagnostics_create();
  folder->results = sb_results_open(path, &own);
  if (folder->results) {
    folder->results->session.diagnostics = s->session->diagnostics;
  } else {
    folder->problem = sb_arena_copy(own.arena, sb_diagnostics_message(own.diagnostics, 0));
    folder->sweep = sb_results_read_sweep(path, &own);
    s->found->unreadable++;
  }
  sb_diagnostics_destroy(&own.diagnostics);
}

/* The known directory that is the same as `at`: one above it, or one that was found. NULL: `at` is new. */
static const place *seen_before(const search *s, const place *at)
{
  for (const place *p = at->above; p; p = p->above)
    if (p->device == at->device && p->inode == at->inode) return p;
  for (size_t i = 0; i < s->found->count; ++i)
    if (s->places[i] && s->places[i]->device == at->device && s->places[i]->inode == at->inode) return s->places[i];
  return NULL;
}

/* A directory that cannot be examined may be a results directory. */
static void look_into(search *s, const char *folder, int depth, const place *above)
{
  sb_arena       *arena = s->session->arena;
  struct dirent **entries = NULL;
  const char     *path = sb_arena_format(arena, "%s/%s", s->found->parent, folder);
  const int       count = scandir(path, &entries, NULL, alphasort);
  if (count < 0 && *folder) add_problem(s, folder, errno);
  for (int i = 0; i < count; ++i) {
    const char *name = sb_arena_join(arena, folder, "/", "%s", entries[i]->d_name);
    const char *below = sb_arena_format(arena, "%s/%s", s->found->parent, name);
    const bool  hidden = entries[i]->d_name[0] == '.';
    struct stat about;
    free(entries[i]);
    if (hidden || (lstat(below, &about) != 0 && errno == ENOENT)) continue; /* or removed in the meantime */
    if (stat(below, &about) != 0) {
      add_problem(s, name, errno);
      continue;
    }
    if (!S_ISDIR(about.st_mode)) continue;
    place *at = sb_arena_take(arena, 1, sizeof *at);
    *at = (place){above, name, false, about.st_dev, about.st_ino};
    const place *before = seen_before(s, at);
    if (before)
      sb_warning_at(s->session->diagnostics, (sb_location){below, 0, 0}, "W121",
                    before->holds ? "a symbolic link to %s/%s, which holds it, is not followed"
                                  : "the same directory as %s/%s by a symbolic link; it is read once",
                    s->found->parent, before->name);
    else if (was_results_folder(below))
      add_results(s, below, at);
    else if (depth + 1 < DEPTH_MAX)
      look_into(s, name, depth + 1, at);
  }
  free(entries);
}

sb_results_folders *sb_results_folders_open(const sb_session *session, const char *parent, sb_results *const *open,
                                            size_t open_count)
{
  search s = {.session = session, .open = open, .open_count = open_count};
  s.found = sb_arena_take(session->arena, 1, sizeof *s.found);
  s.found->parent = sb_arena_copy(session->arena, parent);
  if (*parent) look_into(&s, "", 0, place_of_parent(parent, ".", session->arena));
  return s.found;
}

void sb_results_folders_tell(const sb_results_folders *folders, const char *lead, FILE *stream)
{
  for (size_t i = 0; i < folders->count; ++i) {
    if (!folders->each[i].problem) continue;
    fputs(lead, stream);
    sb_write_printable(stream, folders->parent);
    fputc('/', stream);
    sb_write_printable(stream, folders->each[i].name);
    fputs(" cannot be read, so its answers are unknown: ", stream);
    sb_write_printable(stream, folders->each[i].problem);
    fputc('\n', stream);
  }
}

/* ---- the state of the cases ---- */

static bool has_status(const sb_rows *rows, size_t row, sb_status *status)
{
  const sb_value value = sb_rows_get_named(rows, row, "status");
  return value.kind == SB_WORD && sb_status_from_name(value.word, status);
}

sb_case_state sb_row_state(const sb_rows *rows, size_t row)
{
  sb_status status = SB_OK;
  if (!has_status(rows, row, &status)) return SB_STATE_PLANNED;
  if (status == SB_CASE_INTERRUPTED) return SB_STATE_PENDING;
  return sb_status_is_result(status) ? SB_STATE_DONE : SB_STATE_FAILED;
}

const char *sb_row_uncounted(const sb_rows *rows, size_t row)
{
  const sb_value part = sb_rows_get_named(rows, row, "not_counted");
  return part.kind == SB_WORD ? part.word : NULL;
}

bool sb_row_noisy(const sb_rows *rows, size_t row) { return sb_rows_get_named(rows, row, "noisy").kind == SB_WORD; }

bool sb_row_lacks_gpu(const sb_rows *rows, size_t row)
{
  const sb_value gpu = sb_rows_get_named(rows, row, "device_gpu");
  return gpu.kind == SB_NUMBER && gpu.number == 0;
}

sb_case_counts sb_case_counts_of(const sb_rows *rows, const bool *selected)
{
  sb_case_counts tally = {0};
  for (size_t row = 0; row < sb_rows_count(rows); ++row) {
    sb_status status = SB_OK;
    if (selected && !selected[row]) continue;
    const sb_case_state state = sb_row_state(rows, row);
    tally.cases++;
    ++*(has_status(rows, row, &status) ? &tally.of[status] : &tally.missing);
    tally.pending += state == SB_STATE_PLANNED || state == SB_STATE_PENDING;
    tally.failed += state == SB_STATE_FAILED;
    tally.noisy += sb_row_noisy(rows, row);
    tally.without_gpu += sb_row_lacks_gpu(rows, row);
  }
  return tally;
}

void sb_case_counts_write(const sb_case_counts *tally, FILE *stream)
{
  const char *separator = "";
  for (int i = 0; i <= SB_STATUS_COUNT; ++i) {
    const size_t count = i < SB_STATUS_COUNT ? tally->of[i] : tally->missing;
    if (count == 0) continue;
    fprintf(stream, "%s%zu %s", separator, count, i < SB_STATUS_COUNT ? sb_status_name((sb_status)i) : "not run");
    separator = ", ";
  }
}
