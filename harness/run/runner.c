/* Running a plan; see runner.h. This file finds what is to be done, whether there is room for it, and what is said of
 * it. A result counts for its key, build and machine: one of another build is kept and reported, never repeated
 * unasked. */
#include "harness/run/runner.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/input_file.h"
#include "harness/common/digest.h"
#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/run/child.h"
#include "harness/run/pace.h"
#include "harness/run/progress.h"
#include "harness/run/run_state.h"
#include "harness/store/build_facts.h"

static void tell(const sb_run_state *run) { sb_diagnostics_flush(run->session->diagnostics, stderr); }

/* ---- names of this build and machine ---- */

const char *sb_build_name(const char *program, sb_arena *arena)
{
  char hex[SB_SHA256_HEX + 1] = "?";
  if (!sb_sha256_file(program ? program : "/proc/self/exe", hex)) snprintf(hex, sizeof hex, "unknown");
  return sb_arena_format(arena, "%s/%.12s", SB_BUILD_GIT, hex);
}

const char *sb_machine_name(sb_arena *arena)
{
  struct utsname system;
  char           line[256], model[128] = "unknown processor";
  FILE          *file = fopen("/proc/cpuinfo", "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "model name : %127[^\n]", model) == 1) break;
  if (file) fclose(file);
  if (uname(&system) != 0) snprintf(system.machine, sizeof system.machine, "unknown");
  return sb_arena_format(arena, "%s, %s, %ld processors", system.machine, model, sysconf(_SC_NPROCESSORS_ONLN));
}

/* ---- what is to be done ---- */

static const char *event_text(const json_t *event, const char *name)
{
  const char *text = json_string_value(json_object_get(event, name));
  return text ? text : "";
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

/* The published file is whole as far as it was asked to look. */
static bool file_is_good(const sb_run_state *run, const sb_planned_case *planned, const json_t *event)
{
  if (!run->request->verify_hashes) return true;
  char      *path = sb_format("%s/cases/%s.h5", run->request->directory, planned->key);
  char       hex[SB_SHA256_HEX + 1] = "";
  const bool good = sb_sha256_file(path, hex) && strcmp(hex, event_text(event, "sha256")) == 0;
  if (!good) fprintf(stderr, "springbench: warning: %s does not match its checksum; it is run again\n", path);
  free(path);
  return good;
}

/* Skipped for want of memory under a limit that is lifted now, or higher. */
static bool is_allowed_more(const sb_run_state *run, const json_t *event)
{
  const char  *status = json_string_value(json_object_get(json_object_get(event, "row"), "status"));
  const double before = json_number_value(json_object_get(event, "memory_limit"));
  if (!status || strcmp(status, "skipped") != 0) return false;
  return run->memory_limit_bytes == 0 || run->memory_limit_bytes > before;
}

bool sb_rerun_takes(sb_rerun rerun, sb_case_state state, const json_t *event)
{
  if (rerun == SB_RERUN_ALL) return true;
  if (rerun == SB_RERUN_NOISY) return state != SB_STATE_FAILED && sb_row_is_noisy(json_object_get(event, "row"));
  return (rerun == SB_RERUN_FAILED && state == SB_STATE_FAILED) || (rerun == SB_RERUN_STALE && state == SB_STATE_STALE);
}

static bool must_run(sb_run_state *run, const sb_planned_case *planned)
{
  const json_t       *event = json_object_get(run->state.cases, planned->key);
  const sb_case_state state =
      sb_case_state_of(&run->state, run->request->directory, planned->key, run->build, run->machine);
  if (state == SB_STATE_PLANNED || state == SB_STATE_PENDING) return true;
  if (sb_rerun_takes(run->request->rerun, state, event)) return true;
  if (state == SB_STATE_FAILED) {
    run->kept_failures++;
    return false;
  }
  if (!file_is_good(run, planned, event) || is_allowed_more(run, event)) return true;
  if (!saves_enough(event_text(event, "save"), SB_TEXT(planned->options, save))) return true;
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
    if (planned->skipped) {
      run->skipped++;
      continue;
    }
    run->asked++;
    if (must_run(run, planned)) run->pending[run->count++].planned = planned;
  }
}

static bool has_room(const sb_run_state *run)
{
  double       needed = 0;
  char         need[32], have[32];
  const double available = sb_free_bytes(run->request->directory);
  for (size_t i = 0; i < run->count; ++i) needed += sb_case_predicted_bytes(run->pending[i].planned);
  if (available < 0 || needed <= available) return true;
  return sb_error_at(
      run->session->diagnostics, (sb_location){run->request->directory, 0, 0}, "E107",
      "there is not room enough for %zu cases; needed about %s, free %s; --save final or none needs less", run->count,
      sb_format_bytes(needed, need), sb_format_bytes(available, have));
}

/* ---- all of it ---- */

static int prepare(sb_run_state *run)
{
  if (!run->request->dry_run && access(run->request->directory, F_OK) != 0) {
    find_pending(run); /* a directory that is not there yet is not made for what would not fit */
    if (!has_room(run)) return SB_EXIT_STORAGE;
  }
  const int status = sb_run_take(run);
  if (status != SB_EXIT_OK) return status;
  if (run->request->dry_run && !sb_run_read_journal(run)) return SB_EXIT_STORAGE;
  find_pending(run);
  if (run->request->dry_run) return SB_EXIT_OK;
  return has_room(run) && sb_run_store_plan(run) ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

static void say_before(const sb_run_state *run)
{
  const sb_progress_form form = sb_progress_form_of(run->request->progress);
  if (form == SB_PROGRESS_NONE) return;
  if (form == SB_PROGRESS_LINES) {
    fprintf(stderr, "springbench: %s: %zu cases", run->sweep->name, run->asked + run->skipped);
    if (run->request->shards > 1)
      fprintf(stderr, " (shard %d/%d of %zu)", run->request->shard, run->request->shards, run->plan->count);
    fprintf(stderr, ": %zu done, %zu skipped, %zu to run", run->asked - run->count, run->skipped, run->count);
    if (run->repetitions > 1 && run->count > 0) fprintf(stderr, " in %d rounds", run->repetitions);
    if (run->repetitions == SB_REPETITIONS_AUTO && run->count > 0)
      fprintf(stderr, " in %d to %d rounds", SB_AUTO_LEAST, SB_AUTO_MOST);
    fprintf(stderr, "; %s\n", run->request->directory);
  }
  if (run->kept_failures > 0)
    fprintf(stderr, "springbench: %s: %zu cases failed earlier and are kept; --rerun failed runs them again\n",
            run->sweep->name, run->kept_failures);
  if (run->stale > 0)
    fprintf(
        stderr,
        "springbench: %s: %zu results are of another build or machine and are kept; --rerun stale runs them again\n",
        run->sweep->name, run->stale);
}

static bool journal_run(sb_run_state *run)
{
  char    at[32], host[64], digest[SB_DIGEST_LENGTH + 1];
  json_t *event = json_pack(
      "{s:s, s:s, s:s, s:I, s:s, s:s, s:I, s:I, s:b, s:o, s:I}", "event", "run", "at", sb_now(at), "host",
      sb_host_name(host), "pid", (json_int_t)getpid(), "build", run->build, "machine", run->machine, "cases",
      (json_int_t)run->asked, "pending", (json_int_t)run->count, "quick", (int)run->request->quick, "repetitions",
      run->repetitions == SB_REPETITIONS_AUTO ? json_string("auto") : json_integer(run->repetitions), "order_seed",
      (json_int_t)run->request->order_seed);
  sb_digest_of_text(run->sweep->text, digest);
  json_object_set_new(event, "sweep", json_string(digest));
  json_object_set_new(event, "warm_up", json_integer(run->request->warm_up));
  json_object_set_new(event, "time_limit", json_real(run->time_limit_seconds));
  json_object_set_new(event, "memory_limit", json_real(run->memory_limit_bytes));
  json_object_set_new(event, "jobs", json_integer(run->request->jobs));
  if (getenv(SB_INPUTS_VARIABLE)) json_object_set_new(event, "inputs", json_string(getenv(SB_INPUTS_VARIABLE)));
  return sb_journal_append(&run->journal, &run->state, event);
}

/* True when every case that was asked for has a result. */
static bool all_there(const sb_run_state *run)
{
  for (size_t i = 0; i < run->plan->count; ++i) {
    sb_status     status;
    const json_t *event = json_object_get(run->state.cases, run->plan->cases[i].key);
    const char   *name = json_string_value(json_object_get(json_object_get(event, "row"), "status"));
    if (run->plan->cases[i].skipped || !sb_run_request_takes(run->request, i)) continue;
    if (!name || !sb_status_from_name(name, &status) || !sb_status_is_result(status)) return false;
  }
  return true;
}

/* Neither PETSC_OPTIONS nor a .petscrc reaches a case: the environment of cases is made anew, and PETSc is told to skip
 * such files. Who set them should know. */
static bool environment_is_clean(const sb_run_state *run)
{
  static const char variable[] = "PETSC_OPTIONS is set; cases do not see it; use petsc=... or petsc:";
  static const char file[] = "there is a .petscrc; cases do not read it; use petsc=... or petsc:";
  const char       *home = getenv("HOME");
  const bool        in_home = home && access(sb_arena_format(run->session->arena, "%s/.petscrc", home), F_OK) == 0;
  const bool        found[] = {getenv("PETSC_OPTIONS") != NULL, in_home || access(".petscrc", F_OK) == 0};
  for (int i = 0; i < 2; ++i) {
    if (!found[i]) continue;
    if (run->request->strict)
      sb_error_at(run->session->diagnostics, (sb_location){0}, "W112", "%s", i == 0 ? variable : file);
    else
      sb_warning_at(run->session->diagnostics, (sb_location){0}, "W112", "%s", i == 0 ? variable : file);
  }
  return !run->request->strict || !(found[0] || found[1]);
}

static int work_off(sb_run_state *run, sb_results **results)
{
  const off_t before = run->journal.length;
  malloc_trim(0); /* reading took much more than running takes, and every fork would copy its tables */
  const int status = run->count == 0 ? SB_EXIT_OK : journal_run(run) ? sb_run_pending(run) : SB_EXIT_STORAGE;
  /* Who asked to stop does not wait for an index, which opens every case file; the next run makes it. */
  if (status == SB_EXIT_STORAGE || status == SB_EXIT_INTERRUPTED) return status;
  const bool complete = all_there(run);
  if (!(*results = sb_run_results(run, before))) return SB_EXIT_STORAGE;
  return status != SB_EXIT_OK ? status : complete ? SB_EXIT_OK : SB_EXIT_CASES_FAILED;
}

/* A driver that watches the machine while it takes times says so in a column of its own. */
static bool driver_watches(const sb_driver_list *drivers, const char *name)
{
  const sb_driver *driver = drivers ? sb_driver_find(drivers, name) : NULL;
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    if (strcmp(driver->columns[i].name, "noisy") == 0) return true;
  return false;
}

int sb_run(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request, const sb_session *session,
           sb_results **results)
{
  const double time_limit = request->time_limit_seconds, memory_limit = request->memory_limit_bytes;
  const int    repetitions = request->repetitions != 0 ? request->repetitions : request->quick ? 1 : sweep->repetitions;
  sb_run_state run = {.session = session,
                      .sweep = sweep,
                      .plan = plan,
                      .request = request,
                      .build = sb_build_name(request->program, session->arena),
                      .machine = sb_machine_name(session->arena),
                      .repetitions = sweep->timed && repetitions != 0 ? repetitions : 1,
                      .watched = sweep->timed && driver_watches(session->drivers, sweep->driver),
                      .time_limit_seconds = time_limit > 0 ? time_limit : sweep->time_limit_seconds,
                      .memory_limit_bytes = memory_limit > 0 ? memory_limit : sweep->memory_limit_bytes,
                      .lock = -1,
                      .journal.descriptor = -1};
  *results = NULL;
  if (plan->count == 0)
    sb_error_at(session->diagnostics, (sb_location){0}, "E107", "no case of %s matches", sweep->name);
  int status = plan->count == 0 ? SB_EXIT_NO_MATCH : environment_is_clean(&run) ? prepare(&run) : SB_EXIT_USAGE;
  tell(&run);
  if (status == SB_EXIT_OK) say_before(&run);
  if (status == SB_EXIT_OK && request->dry_run)
    for (size_t i = 0; i < run.count; ++i) puts(run.pending[i].planned->command);
  else if (status == SB_EXIT_OK)
    status = work_off(&run, results);
  tell(&run);
  sb_run_leave(&run);
  return status;
}
