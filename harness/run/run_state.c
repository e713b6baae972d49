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
  if (strncmp(save, "every:", 6) == 0) frames = (double)(planned->time.frames / atol(save + 6) + 1);
  if (strcmp(save, "none") == 0) frames = 0;
  return 65536 + vertices * (400 + 48 * frames) + 200 * all;
}

static char *path_in(const sb_run_state *run, const char *name)
{
  return sb_arena_format(run->session->arena, "%s/%s", run->request->directory, name);
}

/* ---- whose directory it is ---- */

/* E114 unless the directory is new or belongs to a sweep of this name. One without a sweep may hold only what a run
 * leaves when it is killed early. */
static bool directory_is_ours(const sb_run_state *run)
{
  static const char *const ours[] = {
      ".",           "..",        "lock",       "tmp",         "cases",  "logs",    "journal.jsonl",
      "sweep.yaml",  "plan.json", "results.h5", "results.csv", "tables", "figures", "animations",
      "report.html", "index.md",  "made.json"};
  const sb_location where = {run->request->directory, 0, 0};
  size_t            length = 0;
  const char       *path = path_in(run, "sweep.yaml");
  SB_OWNED char    *text = sb_read_file(path, &length);
  DIR              *entries = text ? NULL : opendir(run->request->directory);
  bool              good = true;
  if (text && strcmp(text, run->sweep->text) != 0) {
    const sb_sweep *stored = sb_sweep_parse(text, length, path, run->session);
    good = stored && strcmp(stored->name, run->sweep->name) == 0;
    if (stored && !good)
      sb_error_at(run->session->diagnostics, where, "E114", "the directory belongs to the sweep '%s'; got '%s'",
                  stored->name, run->sweep->name);
  }
  for (const struct dirent *entry; entries && good && (entry = readdir(entries));) {
    good = false;
    for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i) good = good || strcmp(entry->d_name, ours[i]) == 0;
    if (!good)
      sb_error_at(run->session->diagnostics, where, "E114",
                  "the directory holds '%s', which is no part of a results directory; choose another", entry->d_name);
  }
  if (entries) closedir(entries);
  return good;
}

/* Looked for in the text: to parse ten thousand cases for it would take longer than all that follows. */
int sb_run_plan_format(const char *text)
{
  static const char name[] = "\"springbench\":";
  const char       *found = text ? strstr(text, name) : NULL;
  return found ? atoi(found + strlen(name)) : SB_FORMAT_VERSION;
}

/* E114 when plan.json is of another format; one that is damaged is made anew. */
static bool format_is_ours(const sb_run_state *run)
{
  const char    *path = path_in(run, "plan.json");
  SB_OWNED char *text = sb_read_file(path, NULL);
  const int      format = sb_run_plan_format(text);
  return format == SB_FORMAT_VERSION ||
         sb_error_at(run->session->diagnostics, (sb_location){path, 0, 0}, "E114",
                     "the results are of format %d; this springbench writes format %d; choose another directory",
                     format, (int)SB_FORMAT_VERSION);
}

/* ---- its journal ---- */

bool sb_run_read_journal(sb_run_state *run)
{
  const char *path = path_in(run, "journal.jsonl");
  if (!sb_journal_read(path, &run->state)) return sb_storage_error("read", path, errno, 0);
  if (run->state.bad_lines > 0)
    fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; their cases are run again\n", path,
            run->state.bad_lines);
  return true;
}

int sb_run_take(sb_run_state *run)
{
  static const char *const parts[] = {"cases", "logs", "tmp"};
  const char              *directory = run->request->directory;
  struct stat              about = {0};
  if (!directory_is_ours(run) || !format_is_ours(run)) return SB_EXIT_USAGE;
  if (run->request->dry_run) return SB_EXIT_OK;
  if (!sb_make_directory(directory)) return SB_EXIT_STORAGE;
  const sb_lock_outcome lock = sb_lock_take(directory, &run->lock);
  if (lock != SB_LOCK_HELD) return lock == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  bool good = stat(directory, &about) == 0 || sb_storage_error("open", directory, errno, 0);
  run->device = about.st_dev;
  run->inode = about.st_ino;
  run->publisher = (sb_publisher){directory, &run->journal, &run->state};
  for (size_t i = 0; good && i < sizeof parts / sizeof *parts; ++i) good = sb_make_directory(path_in(run, parts[i]));
  good = good && sb_run_read_journal(run) && sb_journal_open(&run->journal, path_in(run, "journal.jsonl"), &run->state);
  if (good && run->state.bad_lines > 0) /* so that damage is not told again at every run */
    good = sb_journal_append(&run->journal, &run->state,
                             json_pack("{s:s, s:I}", "event", "damage", "lines", (json_int_t)run->state.bad_lines));
  return good && sb_publish_recover(&run->publisher) ? SB_EXIT_OK : SB_EXIT_STORAGE;
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
  SB_OWNED char *stored = sb_read_file(path_in(run, name), NULL);
  return (stored && strcmp(stored, text) == 0) || sb_replace_file(run->request->directory, name, text, strlen(text));
}

/* The plan that is stored, as far as the sweep still makes it; NULL: there is none. Cases that an edited sweep file
 * does not make any more would stand in its tables as strangers, and those that it still makes may have other names and
 * another order. Where a file that cases name was edited, those of its earlier content would stand beside the new ones,
 * by equal names. */
static sb_plan *read_stored(const sb_run_state *run, const char *text)
{
  sb_arena   *arena = run->session->arena;
  const char *path = path_in(run, "plan.json");
  sb_session  quiet = *run->session;
  quiet.diagnostics = NULL;
  sb_plan *stored = text ? sb_plan_from_json(text, path, &quiet) : NULL;
  if (text && !stored) fprintf(stderr, "springbench: warning: %s cannot be read and is made anew\n", path);
  if (!stored) return NULL;
  SB_OWNED char  *yaml = sb_read_file(path_in(run, "sweep.yaml"), NULL);
  const bool      edited = yaml && strcmp(yaml, run->sweep->text) != 0;
  const sb_plan  *full = edited ? sb_plan_create(run->sweep, NULL, &quiet) : NULL, *made[] = {full, run->plan};
  json_t         *keys = json_object();
  sb_input_cache *known = sb_input_cache_create(arena);
  bool           *kept = sb_arena_take(arena, stored->count, sizeof *kept);
  for (size_t p = 0; edited && p < 2; ++p)
    for (size_t i = 0; made[p] && i < made[p]->count; ++i)
      json_object_set_new(keys, made[p]->cases[i].key, json_true());
  for (size_t i = 0; i < stored->count; ++i) {
    const sb_planned_case *c = &stored->cases[i];
    char                   key[SB_KEY_LENGTH + 1];
    const bool             computed = !edited && sb_input_is_known(c->options, known);
    if (computed) sb_case_key(c->options, known, key);
    /* A file that is not here may be as it was. */
    kept[i] = edited ? json_object_get(keys, c->key) != NULL : !computed || strcmp(key, c->key) == 0;
  }
  sb_plan *rest = sb_plan_part(stored, kept, arena);
  if (rest->count < stored->count)
    fprintf(stderr, "springbench: %s was changed: %zu earlier cases are left out (their files stay)\n",
            edited ? "the sweep file" : "a file that they name", stored->count - rest->count);
  if (full) sb_plan_follow(rest, full);
  json_decref(keys);
  return rest;
}

bool sb_run_store_plan(sb_run_state *run)
{
  sb_arena      *arena = run->session->arena;
  SB_OWNED char *before = sb_read_file(path_in(run, "plan.json"), NULL);
  SB_OWNED char *text = run->request->shards <= 1 ? sb_plan_json(run->sweep, run->plan) : NULL;
  run->stored = run->plan;
  /* Nothing is to be joined where all was asked for and that is what is stored, or nothing is: reading ten thousand
   * cases back takes longer than finding out that they are done. */
  if (!text || (before && strcmp(before, text) != 0)) {
    bool *mine = sb_arena_take(arena, run->plan->count, sizeof *mine);
    for (size_t i = 0; i < run->plan->count; ++i) mine[i] = sb_run_request_takes(run->request, i);
    run->stored = sb_plan_join(read_stored(run, before), sb_plan_part(run->plan, mine, arena), arena);
    free(text);
    text = sb_plan_json(run->sweep, run->stored);
  }
  return text && store_text(run, "plan.json", text) && store_text(run, "sweep.yaml", run->sweep->text) &&
         sb_sweep_keep_scripts(run->sweep, run->request->directory);
}

static void end_journal(void *state) { sb_journal_clear(state); }

sb_results *sb_run_results(sb_run_state *run, off_t before)
{
  static const char *const files[] = {"results.csv", "results.h5", NULL};
  const sb_results_parts   parts = {run->sweep, run->stored, &run->state};
  if (run->journal.length != before) { /* of appended events the state keeps outlines alone */
    sb_journal_clear(&run->state);
    if (!sb_run_read_journal(run)) return NULL;
  }
  sb_results *results = sb_results_of(run->request->directory, &parts, run->session);
  if (!results) return NULL;
  /* Tables and pages look into it when the run is gone. */
  sb_arena_defer(run->session->arena, end_journal, &results->journal);
  run->state = (sb_journal_state){0};
  const char *digest = sb_made_digest(results);
  sb_made    *made = sb_made_open(results->directory, results->session.arena);
  if (sb_made_is_current(made, "index", digest, files)) return results;
  if (!sb_results_write_index(results)) return NULL;
  sb_made_note(made, "index", digest);
  return sb_made_close(made) ? results : NULL;
}
