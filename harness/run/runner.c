/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See runner.h. The results directory of a run: its owner, its lock, its journal, and the plan that is stored in it
 * (docs/robustness.md, "Storing results"); then the cases to run, their room, and the messages. A result counts for its
 * key, build and machine: one of another build is kept and reported, never repeated without a request. */
#include "harness/run/run_state.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/words.h"
#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/store/origin.h"
#include "harness/results/lock.h"
#include "harness/results/output_cache.h"
#include "harness/run/child.h"
#include "harness/run/prediction.h"
#include "harness/run/repetitions.h"
#include "harness/sweep/request.h"

static char *path_in(const sb_run_state *run, const char *name)
{
  return sb_arena_format(run->session->arena, "%s/%s", run->request->directory, name);
}

static bool refuse_unreadable(const sb_run_state *run, const char *path)
{
  return sb_error_at(run->session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", sb_cause(errno));
}

/* ---- whose directory it is ---- */

/* A file of a journal's name with content but without any event is not a journal: JOURNAL_ABSENT. */
typedef enum { JOURNAL_ABSENT, JOURNAL_EMPTY, JOURNAL_HAS_EVENTS } journal_kind;

static journal_kind kind_of_journal(const char *path)
{
  sb_journal_state state;
  if (access(path, F_OK) != 0 || !sb_journal_read(path, &state)) return JOURNAL_ABSENT;
  const bool events = json_object_size(state.cases) + json_array_size(state.runs) + json_array_size(state.floors) > 0;
  const bool bytes = state.length > 0 || state.bad_lines > 0;
  sb_journal_clear(&state);
  return events ? JOURNAL_HAS_EVENTS : bytes ? JOURNAL_ABSENT : JOURNAL_EMPTY;
}

/* Tells whether a file is a lock: empty, or with the name of its holder. The run would empty it. */
static bool is_lock(const char *path)
{
  static const char beginning[] = "{\"host\": ";
  SB_OWNED char    *text = sb_read_file(path, NULL);
  return text && strncmp(text, beginning, strnlen(text, sizeof beginning - 1)) == 0;
}

/* Tells whether a run may have left this name in a directory that lacks its sweep or its journal. A run first writes
 * the journal, then the plan and the sweep; index, tables and pages follow only after cases. */
static bool may_be_left(const sb_run_state *run, const char *name, journal_kind journal, bool has_sweep)
{
  static const char *const left[] = {[JOURNAL_ABSENT] = ". .. lock cases logs tmp",
                                     [JOURNAL_EMPTY] = "journal.jsonl request.json plan.json",
                                     [JOURNAL_HAS_EVENTS] = ("results.h5 results.csv tables tables.tex figures "
                                                             "animations report.md report.html index.md made.json")};
  bool                     may = false;
  if (strcmp(name, "sweep.yaml") == 0) return has_sweep;
  for (int kind = JOURNAL_ABSENT; kind <= (int)journal && !strchr(name, ' '); ++kind)
    may = may || sb_has_word(left[kind], name);
  return may && (strcmp(name, "lock") != 0 || is_lock(path_in(run, name)));
}

/* E114 unless the directory is new or belongs to a sweep of this name. A directory without a sweep, or without a
 * journal, may hold only files that a run leaves when it is killed early, as a run would overwrite others. */
static bool directory_is_ours(const sb_run_state *run)
{
  const sb_location where = {run->request->directory, 0, 0};
  size_t            length = 0;
  const char       *path = path_in(run, "sweep.yaml");
  SB_OWNED char    *text = sb_read_file(path, &length);
  if (!text && errno != ENOENT && errno != ENOTDIR) return refuse_unreadable(run, path);
  const journal_kind journal = text && access(path_in(run, "journal.jsonl"), F_OK) == 0
                                   ? JOURNAL_HAS_EVENTS
                                   : kind_of_journal(path_in(run, "journal.jsonl"));
  DIR               *entries = text && journal == JOURNAL_HAS_EVENTS ? NULL : opendir(run->request->directory);
  bool               good = true;
  if (text && strcmp(text, run->sweep->text) != 0) {
    const sb_sweep *stored = sb_sweep_parse(text, length, path, run->session);
    good = stored && strcmp(stored->name, run->sweep->name) == 0;
    if (stored && !good)
      sb_error_at(run->session->diagnostics, where, "E114", "the directory belongs to the sweep '%s'; got '%s'",
                  stored->name, run->sweep->name);
  }
  for (const struct dirent *entry; entries && good && (entry = readdir(entries));) {
    good = may_be_left(run, entry->d_name, journal, text != NULL);
    if (!good)
      sb_error_at(run->session->diagnostics, where, "E114",
                  "the directory has '%s', but not the sweep and journal of a run; choose another", entry->d_name);
  }
  if (entries) closedir(entries);
  return good;
}

/* E109 if a folder of the results is a symbolic link: what the run stores there, or removes, would be elsewhere. */
static bool folders_are_ours(const sb_run_state *run)
{
  static const char *const folders[] = {"cases", "logs", "tmp", "tables", "figures", "figures/scripts", "animations"};
  bool                     good = true;
  for (size_t i = 0; i < sizeof folders / sizeof *folders; ++i) {
    struct stat about;
    const char *path = path_in(run, folders[i]);
    if (lstat(path, &about) == 0 && S_ISLNK(about.st_mode))
      good = sb_error_at(run->session->diagnostics, (sb_location){path, 0, 0}, "E109",
                         "a folder of results is a symbolic link; replace it by the folder that it leads to");
  }
  return good;
}

/* Looked for in the text: to parse ten thousand cases for it would take longer than all that follows. */
int sb_run_plan_format(const char *text)
{
  static const char name[] = "\"springbench\":";
  int               format = 0; /* a method may have that name, but is no number */
  for (const char *at = text; format == 0 && at && (at = strstr(at, name));) format = atoi(at += strlen(name));
  return format > 0 ? format : SB_FORMAT_VERSION;
}

/* E114 when plan.json is of another format; a damaged one is written again, but not one that cannot be read. */
static bool format_is_ours(const sb_run_state *run)
{
  const char    *path = path_in(run, "plan.json");
  SB_OWNED char *text = sb_read_file(path, NULL);
  if (!text && errno != ENOENT && errno != ENOTDIR) return refuse_unreadable(run, path);
  const int format = sb_run_plan_format(text);
  return format == SB_FORMAT_VERSION ||
         sb_error_at(run->session->diagnostics, (sb_location){path, 0, 0}, "E114",
                     "the results are of format %d; this springbench writes format %d; choose another directory",
                     format, (int)SB_FORMAT_VERSION);
}

/* ---- which file it is of ----
 *
 * plan.json has the path of the sweep file from the directory, so that both may be moved or copied together. A path
 * that leads nowhere counts as unknown. */

/* The path, from here, of the sweep file that the results in `directory` are of; NULL: unknown. */
static char *known_file(const sb_run_state *run, const char *directory, char **stored)
{
  sb_arena      *arena = run->session->arena;
  SB_OWNED char *text = sb_read_file(sb_arena_format(arena, "%s/plan.json", directory), NULL);
  struct stat    about;
  *stored = sb_plan_sweep_file(text, arena);
  char *path = *stored ? sb_arena_format(arena, "%s/%s", directory, *stored) : NULL;
  return path && stat(path, &about) == 0 && S_ISREG(about.st_mode) ? path : NULL;
}

/* The file that the user edits to change this sweep; NULL: unknown, as in a pipe. */
static const char *own_file(const sb_run_state *run)
{
  struct stat about;
  char       *stored;
  const char *path = run->sweep->path;
  if (run->sweep->is_stored) return known_file(run, dirname(sb_arena_copy(run->session->arena, path)), &stored);
  return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? path : NULL;
}

/* The path of a file, perhaps a link that the user may set anew, from a folder. NULL if one of them is not there. */
static char *path_from(const sb_run_state *run, const char *folder, const char *file)
{
  sb_arena      *arena = run->session->arena;
  const char    *name = strrchr(file, '/');
  SB_OWNED char *here = realpath(folder, NULL), *there = realpath(dirname(sb_arena_copy(arena, file)), NULL);
  if (!here || !there) return NULL;
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, arena);
  const char     *base = strcmp(here, "/") == 0 ? "" : here, *rest = strcmp(there, "/") == 0 ? "" : there;
  size_t          common = 0;
  for (size_t i = 0; i == 0 || base[i - 1] == rest[i - 1]; ++i) {
    if ((base[i] == '/' || !base[i]) && (rest[i] == '/' || !rest[i])) common = i;
    if (!base[i] || !rest[i]) break;
  }
  for (const char *at = base + common; *at; ++at)
    if (*at == '/') fputs("../", stream);
  if (rest[common] == '/') fprintf(stream, "%s/", rest + common + 1);
  fputs(name ? name + 1 : file, stream);
  return sb_arena_text(&writer);
}

/* E114 if another run has stored another request since this one was planned. */
static bool request_is_known(const sb_run_state *run)
{
  SB_OWNED char *now = sb_read_file(path_in(run, "request.json"), NULL);
  const char    *known = run->request->known;
  return (now && known ? strcmp(now, known) == 0 : !now && !known) ||
         sb_error_at(run->session->diagnostics, (sb_location){run->request->directory, 0, 0}, "E114",
                     "another run has changed what is asked of it meanwhile; type the command again");
}

bool sb_run_is_of_file(const sb_run_state *run)
{
  const char    *directory = run->request->directory, *path = run->sweep->path, *own = own_file(run);
  struct stat    theirs, ours;
  char          *stored;
  const char    *known = known_file(run, directory, &stored);
  SB_OWNED char *text = sb_read_file(path_in(run, "sweep.yaml"), NULL);
  if (!request_is_known(run)) return false;
  if (!known || !text || strcmp(text, run->sweep->text) == 0 || stat(known, &theirs) != 0) return true;
  if (own && stat(own, &ours) == 0 && ours.st_ino == theirs.st_ino && ours.st_dev == theirs.st_dev) return true;
  sb_session quiet = *run->session;
  quiet.diagnostics = sb_diagnostics_create();
  const sb_sweep *other = sb_sweep_read(known, &quiet);
  sb_diagnostics_destroy(&quiet.diagnostics);
  if (other && strcmp(other->name, run->sweep->name) != 0) return true; /* the user has renamed it since */
  const char *shown = path_from(run, ".", known);
  return sb_error_at(run->session->diagnostics, (sb_location){directory, 0, 0}, "E114",
                     "the results are of %s; got another sweep of the name '%s', %s: give one of the two another name, "
                     "or choose another directory with -o",
                     shown ? shown : known, run->sweep->name, own ? own : path);
}

char *sb_run_plan_text(const sb_run_state *run)
{
  const char *directory = run->request->directory, *own = own_file(run);
  char       *stored = NULL, *ours = NULL;
  if (!known_file(run, directory, &stored) && own) ours = path_from(run, directory, own);
  return sb_plan_json(run->sweep, run->stored, ours ? ours : stored);
}

/* ---- its journal ---- */

static bool read_journal(sb_run_state *run)
{
  const char *path = path_in(run, "journal.jsonl");
  if (!sb_journal_read(path, &run->state)) return sb_storage_error("read", path, errno, 0);
  sb_journal_name_damage(&run->state, path, "their cases are run again");
  return true;
}

int sb_run_take(sb_run_state *run)
{
  static const char *const parts[] = {"cases", "logs", "tmp"};
  const char              *directory = run->request->directory;
  struct stat              about = {0};
  if (!format_is_ours(run) || !directory_is_ours(run) || !folders_are_ours(run)) return SB_EXIT_USAGE;
  if (run->request->dry_run) return SB_EXIT_OK;
  if (!sb_make_directory(directory)) return SB_EXIT_STORAGE;
  const sb_lock_outcome lock = sb_lock_take(directory, &run->lock);
  if (lock != SB_LOCK_HELD) return lock == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  bool good = stat(directory, &about) == 0 || sb_storage_error("open", directory, errno, 0);
  run->device = about.st_dev;
  run->inode = about.st_ino;
  run->publisher = (sb_publisher){directory, &run->journal, &run->state};
  for (size_t i = 0; good && i < sizeof parts / sizeof *parts; ++i) good = sb_make_directory(path_in(run, parts[i]));
  good = good && read_journal(run) && sb_journal_open(&run->journal, path_in(run, "journal.jsonl"), &run->state);
  if (good && run->state.bad_lines > 0) /* so that damage is not reported again at every run */
    good = sb_journal_append(&run->journal, &run->state,
                             json_pack("{s:s, s:I}", "event", "damage", "lines", (json_int_t)run->state.bad_lines));
  good = good && sb_publish_recover(&run->publisher);
  run->length_before = run->journal.length;
  return good ? SB_EXIT_OK : SB_EXIT_STORAGE;
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

/* Says how many cases of the stored plan are left out, as the request does not make them, and why. */
static void say_left_out(const sb_run_state *run, const sb_plan *stored)
{
  const sb_plan *made = run->request->made;
  SB_OWNED char *yaml = sb_read_file(path_in(run, "sweep.yaml"), NULL);
  const size_t   kept = made ? sb_plan_known(made, stored, NULL, run->session->arena)->count : stored->count;
  if (kept == stored->count) return;
  const size_t left = stored->count - kept;
  fprintf(stderr, "springbench: %s: %s %s left out (their files stay)\n",
          yaml && strcmp(yaml, run->sweep->text) != 0 ? "the sweep file was changed"
          : run->request->replaces                    ? "the request is another one"
          : sb_plan_changed(made, stored)             ? "a file that they name was changed"
                                                      : "the request does not make all of the stored cases",
          sb_counted(run->session->arena, left, "earlier case"), sb_by_count(left, "is", "are"));
}

/* The stored plan; NULL if there is none. */
static const sb_plan *read_stored(const sb_run_state *run, const char *text)
{
  const char *path = path_in(run, "plan.json");
  sb_session  quiet = *run->session;
  quiet.diagnostics = NULL;
  const sb_plan *stored = text ? sb_plan_from_json(text, path, &quiet) : NULL;
  if (text && !stored) fprintf(stderr, "springbench: warning: %s cannot be read and is made again\n", path);
  if (stored) say_left_out(run, stored);
  return stored;
}

/* The plain sweep has no request.json. */
static bool store_request(const sb_run_state *run)
{
  const char    *path = path_in(run, "request.json");
  SB_OWNED char *text = sb_request_text(run->sweep);
  if (text) return store_text(run, "request.json", text);
  return unlink(path) == 0 || errno == ENOENT || sb_storage_error("remove", path, errno, 0);
}

bool sb_run_store_plan(sb_run_state *run)
{
  sb_arena      *arena = run->session->arena;
  SB_OWNED char *before = sb_read_file(path_in(run, "plan.json"), NULL);
  const bool     whole = run->plan == run->request->made && run->request->shards <= 1;
  run->stored = run->plan;
  SB_OWNED char *text = whole ? sb_run_plan_text(run) : NULL;
  /* The stored plan is not read if all cases are requested and it is the same, or missing: reading ten thousand cases
   * takes longer than finding that they are done. */
  if (!text || (before && strcmp(before, text) != 0)) {
    bool *mine = sb_arena_take(arena, run->plan->count, sizeof *mine);
    for (size_t i = 0; i < run->plan->count; ++i) mine[i] = sb_run_request_takes(run->request, i);
    run->stored =
        sb_plan_known(run->request->made, read_stored(run, before), sb_plan_part(run->plan, mine, arena), arena);
    free(text);
    text = sb_run_plan_text(run);
  }
  /* In this order: readers leave out what the request does not make, whenever this is broken off. */
  return text && store_request(run) && store_text(run, "sweep.yaml", run->sweep->text) &&
         store_text(run, "plan.json", text) && sb_sweep_keep_scripts(run->sweep, run->request->directory);
}

sb_results *sb_run_results(sb_run_state *run)
{
  const char *files[] = {"results.csv", "results.h5"};
  if (run->journal.length != run->length_before) { /* of appended events the state keeps outlines alone */
    const char *path = path_in(run, "journal.jsonl");
    sb_journal_clear(&run->state);
    if (!sb_journal_read(path, &run->state)) return sb_storage_error("read", path, errno, 0), NULL;
  }
  sb_results *results =
      sb_results_of(run->request->directory, run->sweep, run->request->made, run->stored, &run->state, run->session);
  /* Tables and pages look into it when the run is gone. */
  sb_arena_defer(run->session->arena, sb_journal_end, &results->journal);
  run->state = (sb_journal_state){0};
  const sb_output index = {.folder = results->directory, .thing = "index", .files = {2, files}};
  const char     *digest = sb_output_digest(results);
  if (sb_output_is_current(&index, digest)) return results;
  return sb_results_write_index(results) && sb_output_note(&index, digest) ? results : NULL;
}

sb_progress_form sb_progress_form_of(const char *how)
{
  static const char *const forms[] = {"none", "failures", "lines", "bar"};
  for (int i = 0; how && i < 4; ++i)
    if (strcmp(how, forms[i]) == 0) return (sb_progress_form)i;
  return isatty(STDERR_FILENO) ? SB_PROGRESS_BAR : SB_PROGRESS_FAILURES;
}

/* ---- what is to be done ---- */

bool sb_run_request_takes(const sb_run_request *request, size_t i)
{
  return request->shards <= 1 || request->shard_of[i] == request->shard;
}

/* Frames kept: none < final < every K; a multiple of the stored K is in what is stored. */
static bool saves_enough(const char *stored, const char *asked)
{
  if (strcmp(stored, asked) == 0 || strcmp(asked, "none") == 0) return true;
  const bool every = strncmp(stored, "every:", 6) == 0;
  if (strcmp(asked, "final") == 0) return every;
  if (!every || strncmp(asked, "every:", 6) != 0) return false;
  const long has = atol(stored + 6), wants = atol(asked + 6);
  return has > 0 && wants % has == 0;
}

sb_turn sb_run_turn(const sb_run_request *request, const sb_planned_case *planned, sb_case_state state,
                    const json_t *event, double memory_limit_bytes)
{
  const sb_rerun rerun = request->rerun;
  const json_t  *row = json_object_get(event, "row");
  const bool     failed = state == SB_STATE_FAILED;
  if (planned->skipped || planned->stands) return SB_TURN_NONE;
  if (state == SB_STATE_PLANNED || state == SB_STATE_PENDING) return SB_TURN_FIRST;
  if (rerun == SB_RERUN_ALL || (rerun == SB_RERUN_FAILED && failed)) return SB_TURN_AGAIN;
  if (failed) return SB_TURN_NONE;
  if (rerun == SB_RERUN_STALE && state == SB_STATE_STALE) return SB_TURN_AGAIN;
  if (json_is_true(json_object_get(event, "timed_once")) && !request->quick) return SB_TURN_AGAIN;
  if (rerun == SB_RERUN_NOISY && sb_row_is_noisy(row)) return SB_TURN_AGAIN;
  /* Skipped for want of memory under a limit that is lifted now, or higher. */
  const double before = json_number_value(json_object_get(event, "memory_limit"));
  const bool   lifted = memory_limit_bytes == 0 || memory_limit_bytes > before;
  if (lifted && strcmp(sb_journal_text(row, "status"), sb_status_name(SB_CASE_SKIPPED)) == 0) return SB_TURN_AGAIN;
  return saves_enough(sb_journal_text(event, "save"), SB_TEXT(planned->options, save)) ? SB_TURN_NONE : SB_TURN_AGAIN;
}

static bool is_whole(const sb_run_state *run, const char *key, const json_t *event)
{
  SB_OWNED char *path = sb_format("%s/cases/%s.h5", run->request->directory, key);
  char           hex[SB_SHA256_HEX + 1] = "";
  const bool     whole = sb_sha256_file(path, hex) && strcmp(hex, sb_journal_text(event, "sha256")) == 0;
  if (!whole) fprintf(stderr, "springbench: warning: %s does not match its checksum; it is run again\n", path);
  return whole;
}

static bool must_run(sb_run_state *run, const sb_planned_case *planned)
{
  const sb_run_request *request = run->request;
  const json_t         *event = json_object_get(run->state.cases, planned->key);
  const sb_case_state state = sb_case_state_of(&run->state, request->directory, planned->key, run->build, run->machine);
  if (sb_run_turn(request, planned, state, event, run->memory_limit_bytes) != SB_TURN_NONE) return true;
  if (state == SB_STATE_FAILED)
    run->kept_failures++;
  else if (request->verify_hashes && !is_whole(run, planned->key, event))
    return true;
  run->stale += state == SB_STATE_STALE;
  return false;
}

static void find_pending(sb_run_state *run)
{
  run->asked = run->skipped = run->kept_failures = run->stale = run->count = 0;
  run->pending = sb_arena_take(run->session->arena, run->plan->count, sizeof *run->pending);
  for (size_t i = 0; i < run->plan->count; ++i) {
    const sb_planned_case *planned = &run->plan->cases[i];
    if (!sb_run_request_takes(run->request, i)) continue;
    run->skipped += planned->skipped != NULL;
    run->asked += !planned->skipped;
    if (!planned->skipped && must_run(run, planned)) run->pending[run->count++].planned = planned;
  }
}

static bool has_room(const sb_run_state *run)
{
  double       needed = 0;
  char         need[32], have[32];
  const double available = sb_free_bytes(run->request->directory);
  for (size_t i = 0; i < run->count; ++i) needed += sb_case_predicted_bytes(run->pending[i].planned);
  if (available < 0 || needed <= available) return true;
  return sb_error_at(run->session->diagnostics, (sb_location){run->request->directory, 0, 0}, "E107",
                     "the disk is too full for %zu cases; needed about %s, free %s; --save final or none needs less",
                     run->count, sb_format_bytes(needed, need), sb_format_bytes(available, have));
}

/* Neither PETSC_OPTIONS nor a .petscrc reaches a case. A user who set them gets a warning, with --strict an error. */
static bool goes_without(const sb_run_state *run, bool found, const char *message)
{
  if (!found) return true;
  if (run->request->strict) return sb_error_at(run->session->diagnostics, (sb_location){0}, "W112", "%s", message);
  sb_warning_at(run->session->diagnostics, (sb_location){0}, "W112", "%s", message);
  return true;
}

static int prepare(sb_run_state *run)
{
  const sb_run_request *request = run->request;
  const char           *home = getenv("HOME");
  if (run->plan->count == 0) {
    sb_error_at(run->session->diagnostics, (sb_location){0}, "E107", "no case of %s matches", run->sweep->name);
    return SB_EXIT_NO_MATCH;
  }
  const bool at_home = home && access(sb_arena_format(run->session->arena, "%s/.petscrc", home), F_OK) == 0;
  const bool no_options = goes_without(run, getenv("PETSC_OPTIONS") != NULL,
                                       "PETSC_OPTIONS is set; cases do not see it; use petsc=... or petsc:");
  const bool no_file = goes_without(run, at_home || access(".petscrc", F_OK) == 0,
                                    "there is a .petscrc; cases do not read it; use petsc=... or petsc:");
  if (!no_options || !no_file) return SB_EXIT_USAGE;
  if (!request->dry_run && access(request->directory, F_OK) != 0) {
    find_pending(run); /* a directory that is not there yet is not made for what would not fit */
    if (!has_room(run)) return SB_EXIT_STORAGE;
  }
  const int status = sb_run_take(run);
  if (status != SB_EXIT_OK) return status;
  if (!sb_run_is_of_file(run)) return SB_EXIT_USAGE;
  if (request->dry_run && !read_journal(run)) return SB_EXIT_STORAGE;
  find_pending(run);
  return request->dry_run || (has_room(run) && sb_run_store_plan(run)) ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

/* ---- all of it ---- */

static void say_before(const sb_run_state *run)
{
  const char *name = run->sweep->name;
  if (run->form == SB_PROGRESS_NONE) return;
  if (run->form == SB_PROGRESS_LINES) {
    fprintf(stderr, "springbench: %s: %zu cases", name, run->asked + run->skipped);
    if (run->request->shards > 1)
      fprintf(stderr, " (shard %d/%d of %zu)", run->request->shard, run->request->shards, run->plan->count);
    fprintf(stderr, ": %zu done, %zu skipped, %zu to run", run->asked - run->count, run->skipped, run->count);
    if (run->repetitions > 1 && run->count > 0) fprintf(stderr, " in %d rounds", run->repetitions);
    if (run->repetitions == SB_REPETITIONS_AUTO && run->count > 0)
      fprintf(stderr, " in %d to %d rounds", SB_AUTO_LEAST, SB_AUTO_MOST);
    fprintf(stderr, "; %s\n", run->request->directory);
  }
  if (run->kept_failures > 0)
    fprintf(stderr, "springbench: %s: %zu cases failed earlier and are kept; --rerun failed runs them again\n", name,
            run->kept_failures);
  if (run->stale > 0)
    fprintf(
        stderr,
        "springbench: %s: %zu results are from another build or machine and are kept; --rerun stale runs them again\n",
        name, run->stale);
}

bool sb_run_note(sb_run_state *run)
{
  const sb_run_request *request = run->request;
  const bool            is_auto = run->repetitions == SB_REPETITIONS_AUTO;
  const char           *inputs = getenv(SB_INPUTS_VARIABLE);
  char                  at[32], host[64], digest[SB_DIGEST_LENGTH + 1];
  sb_digest_of_text(run->sweep->text, digest);
  json_t *event =
      json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:I, s:I, s:b, s:o, s:I, s:s, s:i, s:f, s:f, s:i}", "event", "run",
                "at", sb_now(at), "host", sb_host_name(host), "pid", (json_int_t)getpid(), "build", run->build,
                "machine", run->machine, "cases", (json_int_t)run->asked, "pending", (json_int_t)run->count, "quick",
                (int)request->quick, "repetitions", is_auto ? json_string("auto") : json_integer(run->repetitions),
                "order_seed", (json_int_t)request->order_seed, "sweep", digest, "warm_up", request->warm_up,
                "time_limit", run->time_limit_seconds, "memory_limit", run->memory_limit_bytes, "jobs", request->jobs);
  if (inputs) json_object_set_new(event, "inputs", json_string(inputs));
  if (request->launcher != SB_LAUNCH_MPIEXEC)
    json_object_set_new(event, "launcher", json_string(sb_launchers[request->launcher]));
  sb_journal_put_job(event);
  return sb_journal_append(&run->journal, &run->state, event);
}

/* Motions of the reference, which cases share, go when no case of the plan waits for its result: a part of the cases
 * may be run at a time. Cases do not read those of another program. */
static void remove_motions(const sb_run_state *run)
{
  for (size_t i = 0; i < run->stored->count; ++i) {
    const sb_planned_case *c = &run->stored->cases[i];
    const sb_case_state    state =
        sb_case_state_of(&run->state, run->request->directory, c->key, run->build, run->machine);
    if (!c->skipped && (state == SB_STATE_PLANNED || state == SB_STATE_PENDING)) return;
  }
  sb_remove_aside(run->request->directory, ".motion");
}

static int work_off(sb_run_state *run, sb_results **results)
{
  malloc_trim(0); /* reading took much more than running takes, and every fork would copy its tables */
  /* A run is noted if it has cases, or is the first to request more than the quick part, with nothing left of it. */
  const bool is_news = run->count > 0 || (!run->request->quick && sb_journal_is_quick(&run->state));
  int        status = !is_news || sb_run_note(run) ? SB_EXIT_OK : SB_EXIT_STORAGE;
  if (status == SB_EXIT_OK && run->count > 0) status = sb_run_pending(run);
  /* A stopped run does not write the index, which opens every case file; the next run does. */
  if (status == SB_EXIT_STORAGE || status == SB_EXIT_INTERRUPTED) return status;
  remove_motions(run);
  if (!(*results = sb_run_results(run))) return SB_EXIT_STORAGE;
  return status == SB_EXIT_OK && run->kept_failures > 0 ? SB_EXIT_CASES_FAILED : status;
}

sb_run_state sb_run_begin(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request,
                          const sb_session *session)
{
  const double time_limit = request->time_limit_seconds, memory_limit = request->memory_limit_bytes;
  const int    repetitions = request->repetitions != 0 ? request->repetitions : request->quick ? 1 : sweep->repetitions;
  return (sb_run_state){.session = session,
                        .sweep = sweep,
                        .plan = plan,
                        .request = request,
                        .build = sb_build_name(request->program, session->arena),
                        .machine = sb_machine_name(session->arena),
                        .repetitions = sweep->timed && repetitions != 0 ? repetitions : 1,
                        .time_limit_seconds = time_limit > 0 ? time_limit : sweep->time_limit_seconds,
                        .memory_limit_bytes = memory_limit > 0 ? memory_limit : sweep->memory_limit_bytes,
                        .form = sb_progress_form_of(request->progress),
                        .lock = -1,
                        .journal.descriptor = -1};
}

int sb_run(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request, const sb_session *session,
           sb_results **results)
{
  sb_run_state run = sb_run_begin(sweep, plan, request, session);
  /* A driver that watches the machine while it takes times has a column for it. */
  const sb_driver *driver = sweep->timed ? sb_driver_find(session->vocabulary, sweep->driver) : NULL;
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    run.watched = run.watched || strcmp(driver->columns[i].name, "noisy") == 0;
  *results = NULL;
  int status = prepare(&run);
  sb_diagnostics_flush(session->diagnostics, stderr);
  if (status == SB_EXIT_OK) say_before(&run);
  if (status == SB_EXIT_OK && request->dry_run)
    for (size_t i = 0; i < run.count; ++i) puts(run.pending[i].planned->command);
  else if (status == SB_EXIT_OK)
    status = work_off(&run, results);
  sb_diagnostics_flush(session->diagnostics, stderr);
  sb_run_leave(&run);
  return status;
}
