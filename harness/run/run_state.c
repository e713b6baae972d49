/* The results directory of a run: whose it is, its lock, its journal, and the plan that is stored in it; see
 * run_state.h. Storing is docs/robustness.md, "Storing results". */
#include "harness/run/run_state.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/results/made.h"
#include "harness/run/pace.h"
#include "harness/store/lock.h"
#include "harness/sweep/sweep_files.h"

bool sb_run_request_takes(const sb_run_request *request, size_t i)
{
  return request->shards <= 1 || i % (size_t)request->shards == (size_t)(request->shard - 1);
}

double sb_case_predicted_bytes(const sb_planned_case *planned)
{
  /* Position and velocity are 48 bytes a vertex and frame; the net itself and its views some 400 a vertex; a file of
   * the library some 64 kB, and every frame 200 bytes of energies and digests. */
  const double vertices = sb_planned_vertices(planned->options), all = (double)planned->time.frames + 1;
  const char  *save = SB_TEXT(planned->options, save);
  double       frames = 1;
  if (strncmp(save, "every:", 6) == 0) frames = all / (double)atol(save + 6) + 2;
  if (strcmp(save, "none") == 0) frames = 0;
  return 65536 + vertices * (400 + 48 * frames) + 200 * all;
}

static char *path_in(const sb_run_state *run, const char *name)
{
  return sb_arena_format(run->session->arena, "%s/%s", run->request->directory, name);
}

/* ---- whose directory it is ---- */

/* A directory without a sweep may hold only what a run leaves when it is killed early. */
static bool directory_is_free(const sb_run_state *run)
{
  static const char *const ours[] = {
      ".",           "..",        "lock",       "tmp",         "cases",  "logs",    "journal.jsonl",
      "sweep.yaml",  "plan.json", "results.h5", "results.csv", "tables", "figures", "animations",
      "report.html", "index.md",  "made.json"};
  DIR *entries = opendir(run->request->directory);
  bool empty = true;
  for (const struct dirent *entry; entries && empty && (entry = readdir(entries));) {
    empty = false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i) empty = empty || strcmp(entry->d_name, ours[i]) == 0;
    if (!empty)
      sb_error_at(run->session->diagnostics, (sb_location){run->request->directory, 0, 0}, "E114",
                  "the directory holds '%s', which is no part of a results directory; choose another", entry->d_name);
  }
  if (entries) closedir(entries);
  return empty;
}

/* E114 unless the directory is new or belongs to a sweep of this name. */
static bool directory_is_this_sweeps(const sb_run_state *run)
{
  size_t      length = 0;
  const char *path = path_in(run, "sweep.yaml");
  char       *text = sb_read_file(path, &length);
  bool        good = true;
  if (!text) {
    good = directory_is_free(run);
  } else if (strcmp(text, run->sweep->text) != 0) {
    const sb_sweep *stored = sb_sweep_parse(text, length, path, run->session);
    good = stored && strcmp(stored->name, run->sweep->name) == 0;
    if (stored && !good)
      sb_error_at(run->session->diagnostics, (sb_location){run->request->directory, 0, 0}, "E114",
                  "the directory belongs to the sweep '%s'; got '%s'", stored->name, run->sweep->name);
  }
  free(text);
  return good;
}

/* E114 when plan.json is of another format; one that is damaged is made anew. The number stands near the end of the
 * file, whose members are in the order of their names: to parse ten thousand cases for it would take longer than all
 * that follows. */
static bool format_is_ours(const sb_run_state *run)
{
  static const char name[] = "\"springbench\":";
  enum { TAIL = 200 };
  size_t      length = 0;
  const char *path = path_in(run, "plan.json"), *last = NULL;
  char       *text = sb_read_file(path, &length);
  for (const char *found = text ? text + (length > TAIL ? length - TAIL : 0) : NULL; found; found = strstr(found, name))
    if (strncmp(found, name, strlen(name)) == 0) last = found++;
  const int format = last ? atoi(last + strlen(name)) : SB_FORMAT_VERSION;
  free(text);
  if (format == SB_FORMAT_VERSION) return true;
  return sb_error_at(run->session->diagnostics, (sb_location){path, 0, 0}, "E114",
                     "the results are of format %d; this springbench writes format %d; choose another directory",
                     format, (int)SB_FORMAT_VERSION);
}

/* ---- its journal ---- */

sb_publisher sb_run_publisher(sb_run_state *run)
{
  return (sb_publisher){run->request->directory, &run->journal, &run->state};
}

bool sb_run_read_journal(sb_run_state *run)
{
  const char *path = path_in(run, "journal.jsonl");
  if (!sb_journal_read(path, &run->state)) return sb_storage_error("read", path, errno, 0);
  if (run->state.bad_lines > 0)
    fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; their cases are run again\n", path,
            run->state.bad_lines);
  return true;
}

/* So that damage is not told again at every run. */
static bool settle_damage(sb_run_state *run)
{
  if (run->state.bad_lines == 0) return true;
  json_t *event = json_pack("{s:s, s:I}", "event", "damage", "lines", (json_int_t)run->state.bad_lines);
  return sb_journal_append(&run->journal, &run->state, event);
}

static int take_directory(sb_run_state *run)
{
  static const char *const parts[] = {"cases", "logs", "tmp"};
  const char              *directory = run->request->directory;
  struct stat              about;
  if (!sb_make_directory(directory)) return SB_EXIT_STORAGE;
  const sb_lock_outcome lock = sb_lock_take(directory, &run->lock);
  if (lock != SB_LOCK_HELD) return lock == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  if (stat(directory, &about) != 0) {
    sb_storage_error("open", directory, errno, 0);
    return SB_EXIT_STORAGE;
  }
  run->device = about.st_dev;
  run->inode = about.st_ino;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    if (!sb_make_directory(path_in(run, parts[i]))) return SB_EXIT_STORAGE;
  const sb_publisher publisher = sb_run_publisher(run);
  const bool         taken = sb_run_read_journal(run) &&
                     sb_journal_open(&run->journal, path_in(run, "journal.jsonl"), &run->state) && settle_damage(run) &&
                     sb_publish_recover(&publisher);
  return taken ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

int sb_run_take(sb_run_state *run)
{
  if (!directory_is_this_sweeps(run) || !format_is_ours(run)) return SB_EXIT_USAGE;
  return run->request->dry_run ? SB_EXIT_OK : take_directory(run);
}

void sb_run_leave(sb_run_state *run)
{
  sb_journal_close(&run->journal);
  sb_journal_clear(&run->state);
  sb_lock_release(&run->lock);
}

/* ---- the stored plan ---- */

/* Replaces <name> unless it holds this text already: a run with nothing to do changes nothing. */
static bool store_text(const sb_run_state *run, const char *name, const char *text)
{
  char      *stored = sb_read_file(path_in(run, name), NULL);
  const bool same = stored && strcmp(stored, text) == 0;
  free(stored);
  return same || sb_replace_file(run->request->directory, name, text, strlen(text));
}

/* The sweep file was edited: stored cases that it does not make any more would stand in its tables as strangers, and
 * those that it still makes may have other names and another order. */
static sb_plan *without_strangers(const sb_run_state *run, sb_plan *stored)
{
  sb_session quiet = *run->session;
  quiet.diagnostics = NULL;
  const sb_plan *full = sb_plan_create(run->sweep, NULL, &quiet), *plans[] = {full, run->plan};
  json_t        *keys = json_object();
  bool          *kept = sb_allocate(stored->count, sizeof *kept);
  for (size_t p = 0; p < 2; ++p)
    for (size_t i = 0; plans[p] && i < plans[p]->count; ++i)
      json_object_set_new(keys, plans[p]->cases[i].key, json_true());
  for (size_t i = 0; i < stored->count; ++i) kept[i] = json_object_get(keys, stored->cases[i].key) != NULL;
  sb_plan *rest = sb_plan_part(stored, kept, run->session->arena);
  if (rest->count < stored->count)
    fprintf(stderr, "springbench: the sweep file was changed: %zu earlier cases are left out (their files stay)\n",
            stored->count - rest->count);
  if (full) sb_plan_follow(rest, full);
  free(kept);
  json_decref(keys);
  return rest;
}

/* A file that cases name was edited: those of its earlier content would stand beside the new ones, by equal names. */
static sb_plan *without_changed(const sb_run_state *run, sb_plan *stored)
{
  bool           *kept = sb_allocate(stored->count, sizeof *kept);
  sb_input_cache *known = sb_input_cache_create(run->session->arena);
  for (size_t i = 0; i < stored->count; ++i) {
    char key[SB_KEY_LENGTH + 1];
    kept[i] = true; /* a file that is not here may be as it was */
    if (!sb_input_is_known(stored->cases[i].options, known)) continue;
    sb_case_key(stored->cases[i].options, known, key);
    kept[i] = strcmp(key, stored->cases[i].key) == 0;
  }
  sb_plan *rest = sb_plan_part(stored, kept, run->session->arena);
  if (rest->count < stored->count)
    fprintf(stderr,
            "springbench: a file that they name was changed: %zu earlier cases are left out (their files stay)\n",
            stored->count - rest->count);
  free(kept);
  return rest;
}

/* The plan that is stored, as far as the sweep still makes it; NULL: there is none. */
static sb_plan *read_stored(const sb_run_state *run, const char *text)
{
  const char *path = path_in(run, "plan.json");
  sb_session  quiet = *run->session;
  quiet.diagnostics = NULL;
  sb_plan *stored = text ? sb_plan_from_json(text, path, &quiet) : NULL;
  if (!stored) {
    if (text) fprintf(stderr, "springbench: warning: %s cannot be read and is made anew\n", path);
    return NULL;
  }
  char      *yaml = sb_read_file(path_in(run, "sweep.yaml"), NULL);
  const bool edited = yaml && strcmp(yaml, run->sweep->text) != 0;
  free(yaml);
  return edited ? without_strangers(run, stored) : without_changed(run, stored);
}

bool sb_run_store_plan(sb_run_state *run)
{
  sb_arena *arena = run->session->arena;
  char     *before = sb_read_file(path_in(run, "plan.json"), NULL);
  char     *text = run->request->shards <= 1 ? sb_plan_json(run->sweep, run->plan) : NULL;
  run->stored = run->plan;
  /* Nothing is to be joined where all was asked for and that is what is stored, or nothing is: reading ten thousand
   * cases back takes longer than finding out that they are done. */
  if (!text || (before && strcmp(before, text) != 0)) {
    bool *mine = sb_allocate(run->plan->count, sizeof *mine);
    for (size_t i = 0; i < run->plan->count; ++i) mine[i] = sb_run_request_takes(run->request, i);
    run->stored = sb_plan_join(read_stored(run, before), sb_plan_part(run->plan, mine, arena), arena);
    free(mine);
    free(text);
    text = sb_plan_json(run->sweep, run->stored);
  }
  const bool good = text && store_text(run, "plan.json", text) && store_text(run, "sweep.yaml", run->sweep->text);
  free(text);
  free(before);
  return good && sb_sweep_keep_scripts(run->sweep, run->request->directory);
}

/* results.csv and results.h5 are made anew where anything has changed. */
static bool write_index(const sb_results *results)
{
  static const char *const files[] = {"results.csv", "results.h5", NULL};
  const char              *digest = sb_made_digest(results);
  sb_made                 *made = sb_made_open(results->directory, results->session.arena);
  if (sb_made_is_current(made, "index", digest, files)) return true;
  if (!sb_results_write_index(results)) return false;
  sb_made_note(made, "index", digest);
  return sb_made_close(made);
}

sb_results *sb_run_results(sb_run_state *run, off_t before)
{
  if (run->journal.length != before) { /* of appended events the state keeps outlines alone */
    sb_journal_clear(&run->state);
    if (!sb_run_read_journal(run)) return NULL;
  }
  const sb_results_parts parts = {run->sweep, run->stored, &run->state};
  sb_results            *results = sb_results_of(run->request->directory, &parts, run->session);
  return results && write_index(results) ? results : NULL;
}
