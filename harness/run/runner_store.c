/* Before anything runs: whose directory it is, its lock, its journal; see runner_state.h. */
#include <dirent.h>
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/run/runner_state.h"
#include "harness/store/lock.h"

/* A name that a run gives to an entry of its directory. */
static bool is_ours(const char *name)
{
  static const char *const ours[] = {
      ".",         "..",         "lock",        "tmp",    "cases",   "logs",       "journal.jsonl", "sweep.yaml",
      "plan.json", "results.h5", "results.csv", "tables", "figures", "animations", "report.html",   "index.md"};
  for (size_t i = 0; i < sizeof ours / sizeof *ours; ++i)
    if (strcmp(name, ours[i]) == 0) return true;
  return false;
}

/* A directory without a sweep may hold only what a run leaves when it is killed early. */
static bool directory_is_free(const char *directory)
{
  DIR *entries = opendir(directory);
  bool empty = true;
  for (const struct dirent *entry; entries && empty && (entry = readdir(entries));) {
    empty = is_ours(entry->d_name);
    if (!empty)
      fprintf(stderr,
              "springbench: error: %s holds '%s', which is no part of a results directory; choose another [E114]\n",
              directory, entry->d_name);
  }
  if (entries) closedir(entries);
  return empty;
}

/* E114 unless the directory is new or belongs to a sweep of this name. */
static bool directory_is_this_sweeps(const sb_run_state *run)
{
  char      *path = sb_format("%s/sweep.yaml", run->request->directory);
  size_t     length = 0;
  char      *text = sb_read_file(path, &length);
  sb_session own = sb_session_begin(run->session->vocabulary, run->session->drivers);
  bool       good = true;
  if (!text) {
    good = directory_is_free(run->request->directory);
  } else if (strcmp(text, run->sweep->text) != 0) {
    sb_sweep *stored = sb_sweep_parse(text, length, path, &own);
    good = stored && strcmp(stored->name, run->sweep->name) == 0;
    if (!good && stored)
      fprintf(stderr, "springbench: error: %s belongs to the sweep '%s'; got '%s' [E114]\n", run->request->directory,
              stored->name, run->sweep->name);
  }
  sb_session_end(&own, stderr);
  free(text);
  free(path);
  return good;
}

/* What `"springbench":` says near the end of the stored plan, whose members are in the order of their names: to parse
 * ten thousand cases for one number would take longer than all that follows. */
static int format_of_plan(const char *text, size_t length)
{
  static const char name[] = "\"springbench\":";
  enum { TAIL = 200 };
  const char *found = text + (length > TAIL ? length - TAIL : 0), *last = NULL;
  while ((found = strstr(found, name))) last = found++;
  return last ? atoi(last + strlen(name)) : SB_FORMAT_VERSION;
}

/* E114 when plan.json is of another format. One that is damaged is made anew. */
static bool format_is_ours(const char *directory)
{
  size_t    length = 0;
  char     *path = sb_format("%s/plan.json", directory), *text = sb_read_file(path, &length);
  const int format = text ? format_of_plan(text, length) : SB_FORMAT_VERSION;
  if (format != SB_FORMAT_VERSION)
    fprintf(
        stderr,
        "springbench: error: %s has format %d; this springbench writes format %d; choose another directory [E114]\n",
        path, format, (int)SB_FORMAT_VERSION);
  free(text);
  free(path);
  return format == SB_FORMAT_VERSION;
}

static bool make_directories(const char *directory)
{
  static const char *const parts[] = {"cases", "logs", "tmp"};
  bool                     made = true;
  for (size_t i = 0; made && i < sizeof parts / sizeof *parts; ++i) {
    char *path = sb_format("%s/%s", directory, parts[i]);
    made = sb_make_directory(path);
    free(path);
  }
  return made;
}

sb_publisher sb_run_publisher(sb_run_state *run)
{
  return (sb_publisher){run->request->directory, &run->journal, &run->state};
}

static bool read_journal(sb_run_state *run, char *path)
{
  if (!sb_journal_read(path, &run->state)) return sb_storage_error("read", path, errno, 0);
  if (run->state.bad_lines > 0)
    fprintf(stderr, "springbench: warning: %s: %zu damaged lines ignored; their cases are run again\n", path,
            run->state.bad_lines);
  return true;
}

/* So that it is not told again at every run. */
static bool settle_damage(sb_run_state *run)
{
  if (run->state.bad_lines == 0) return true;
  json_t *event = json_pack("{s:s, s:I}", "event", "damage", "lines", (json_int_t)run->state.bad_lines);
  return sb_journal_append(&run->journal, &run->state, event);
}

static int take_directory(sb_run_state *run)
{
  const char *directory = run->request->directory;
  struct stat about;
  if (!sb_make_directory(directory)) return SB_EXIT_STORAGE;
  const sb_lock_outcome lock = sb_lock_take(directory, &run->lock);
  if (lock != SB_LOCK_HELD) return lock == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  if (stat(directory, &about) != 0) {
    sb_storage_error("open", directory, errno, 0);
    return SB_EXIT_STORAGE;
  }
  run->device = about.st_dev;
  run->inode = about.st_ino;
  char              *path = sb_format("%s/journal.jsonl", directory);
  const sb_publisher publisher = sb_run_publisher(run);
  const bool         taken = make_directories(directory) && read_journal(run, path) &&
                     sb_journal_open(&run->journal, path, &run->state) && settle_damage(run) &&
                     sb_publish_recover(&publisher);
  free(path);
  return taken ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

static int look_without_touching(sb_run_state *run)
{
  char      *path = sb_format("%s/journal.jsonl", run->request->directory);
  const bool read = read_journal(run, path);
  free(path);
  return read && sb_run_find_pending(run) ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

int sb_run_take(sb_run_state *run)
{
  if (!directory_is_this_sweeps(run) || !format_is_ours(run->request->directory)) return SB_EXIT_USAGE;
  return run->request->dry_run ? SB_EXIT_OK : take_directory(run);
}

/* A directory that is not there yet is not made for what would not fit. */
static bool has_room_at_all(sb_run_state *run)
{
  if (access(run->request->directory, F_OK) == 0) return true; /* what is done already tells then */
  const bool room = sb_run_find_pending(run) && sb_run_has_room(run);
  free(run->pending);
  run->pending = NULL;
  run->count = run->asked = run->skipped = 0;
  return room;
}

int sb_run_prepare(sb_run_state *run)
{
  if (!run->request->dry_run && !has_room_at_all(run)) return SB_EXIT_STORAGE;
  const int status = sb_run_take(run);
  if (status != SB_EXIT_OK) return status;
  if (run->request->dry_run) return look_without_touching(run);
  const bool ready = sb_run_find_pending(run) && sb_run_has_room(run) && sb_run_store_plan(run);
  malloc_trim(0); /* what reading took is much more than what running takes, and every fork would copy its tables */
  return ready ? SB_EXIT_OK : SB_EXIT_STORAGE;
}
