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

static const char *text_in(const json_t *object, const char *name)
{
  const char *text = json_string_value(json_object_get(object, name));
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

bool sb_rerun_takes(sb_rerun rerun, sb_case_state state, const json_t *event)
{
  if (rerun == SB_RERUN_ALL) return true;
  if (rerun == SB_RERUN_NOISY) return state != SB_STATE_FAILED && sb_row_is_noisy(json_object_get(event, "row"));
  return (rerun == SB_RERUN_FAILED && state == SB_STATE_FAILED) || (rerun == SB_RERUN_STALE && state == SB_STATE_STALE);
}

static bool must_run(sb_run_state *run, const sb_planned_case *planned)
{
  const sb_run_request *request = run->request;
  const json_t         *event = json_object_get(run->state.cases, planned->key);
  const sb_case_state state = sb_case_state_of(&run->state, request->directory, planned->key, run->build, run->machine);
  if (state == SB_STATE_PLANNED || state == SB_STATE_PENDING) return true;
  if (sb_rerun_takes(request->rerun, state, event)) return true;
  if (state == SB_STATE_FAILED) {
    run->kept_failures++;
    return false;
  }
  if (request->verify_hashes) {
    SB_OWNED char *path = sb_format("%s/cases/%s.h5", request->directory, planned->key);
    char           hex[SB_SHA256_HEX + 1] = "";
    const bool     good = sb_sha256_file(path, hex) && strcmp(hex, text_in(event, "sha256")) == 0;
    if (!good) fprintf(stderr, "springbench: warning: %s does not match its checksum; it is run again\n", path);
    if (!good) return true;
  }
  /* Skipped for want of memory under a limit that is lifted now, or higher. */
  const double before = json_number_value(json_object_get(event, "memory_limit")), limit = run->memory_limit_bytes;
  const bool   skipped = strcmp(text_in(json_object_get(event, "row"), "status"), "skipped") == 0;
  if (skipped && (limit == 0 || limit > before)) return true;
  if (!saves_enough(text_in(event, "save"), SB_TEXT(planned->options, save))) return true;
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
  return sb_error_at(
      run->session->diagnostics, (sb_location){run->request->directory, 0, 0}, "E107",
      "there is not room enough for %zu cases; needed about %s, free %s; --save final or none needs less", run->count,
      sb_format_bytes(needed, need), sb_format_bytes(available, have));
}

/* Neither PETSC_OPTIONS nor a .petscrc reaches a case: the environment of cases is made anew, and PETSc is told to skip
 * such files. Who set them should know. */
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
  if (request->dry_run && !sb_run_read_journal(run)) return SB_EXIT_STORAGE;
  find_pending(run);
  return request->dry_run || (has_room(run) && sb_run_store_plan(run)) ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

/* ---- all of it ---- */

static void say_before(const sb_run_state *run)
{
  const sb_progress_form form = sb_progress_form_of(run->request->progress);
  const char            *name = run->sweep->name;
  if (form == SB_PROGRESS_NONE) return;
  if (form == SB_PROGRESS_LINES) {
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
    fprintf(stderr,
            "springbench: %s: %zu results are of another build or machine and are kept; --rerun stale runs them "
            "again\n",
            name, run->stale);
}

static bool journal_run(sb_run_state *run)
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
  return sb_journal_append(&run->journal, &run->state, event);
}

static int work_off(sb_run_state *run, sb_results **results)
{
  const off_t before = run->journal.length;
  malloc_trim(0); /* reading took much more than running takes, and every fork would copy its tables */
  const int status = run->count == 0 ? SB_EXIT_OK : journal_run(run) ? sb_run_pending(run) : SB_EXIT_STORAGE;
  /* Who asked to stop does not wait for an index, which opens every case file; the next run makes it. */
  if (status == SB_EXIT_STORAGE || status == SB_EXIT_INTERRUPTED) return status;
  if (!(*results = sb_run_results(run, before))) return SB_EXIT_STORAGE;
  return status == SB_EXIT_OK && run->kept_failures > 0 ? SB_EXIT_CASES_FAILED : status;
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
                      .time_limit_seconds = time_limit > 0 ? time_limit : sweep->time_limit_seconds,
                      .memory_limit_bytes = memory_limit > 0 ? memory_limit : sweep->memory_limit_bytes,
                      .lock = -1,
                      .journal.descriptor = -1};
  /* A driver that watches the machine while it takes times says so in a column of its own. */
  const sb_driver *driver = sweep->timed && session->drivers ? sb_driver_find(session->drivers, sweep->driver) : NULL;
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
