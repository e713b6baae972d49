/* Running a plan; see runner.h. This file is the frame: what is said before and after, the run's own journal line, and
 * the exit status. Storing is docs/robustness.md, "Storing results". */
#include "harness/run/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/input_file.h"
#include "harness/common/digest.h"
#include "harness/common/durable.h"
#include "harness/common/exit_status.h"
#include "harness/run/progress.h"
#include "harness/run/repetitions.h"
#include "harness/results/tally.h"
#include "harness/run/runner_attempt.h"
#include "harness/run/runner_child.h"
#include "harness/run/runner_state.h"
#include "harness/store/build_facts.h"
#include "harness/store/lock.h"

char *sb_build_name(const char *program)
{
  char hex[SB_SHA256_HEX + 1] = "?";
  if (!sb_sha256_file(program ? program : "/proc/self/exe", hex)) snprintf(hex, sizeof hex, "unknown");
  return sb_format("%s/%.12s", SB_BUILD_GIT, hex);
}

char *sb_machine_name(void)
{
  struct utsname system;
  char           line[256], model[128] = "unknown processor";
  FILE          *file = fopen("/proc/cpuinfo", "re");
  while (file && fgets(line, sizeof line, file))
    if (sscanf(line, "model name : %127[^\n]", model) == 1) break;
  if (file) fclose(file);
  if (uname(&system) != 0) snprintf(system.machine, sizeof system.machine, "unknown");
  return sb_format("%s, %s, %ld processors", system.machine, model, sysconf(_SC_NPROCESSORS_ONLN));
}

static bool wants_words(const sb_run_state *run)
{
  return sb_progress_form_of(run->request->progress) != SB_PROGRESS_NONE;
}

static void say_before(const sb_run_state *run)
{
  if (!wants_words(run)) return;
  fprintf(stderr, "springbench: %s: %zu cases", run->sweep->name, run->asked + run->skipped);
  if (run->request->shards > 1)
    fprintf(stderr, " (shard %d/%d of %zu)", run->request->shard, run->request->shards, run->plan->count);
  fprintf(stderr, ": %zu done, %zu skipped, %zu to run", run->asked - run->count, run->skipped, run->count);
  if (run->repetitions > 1 && run->count > 0) fprintf(stderr, " in %d rounds", run->repetitions);
  if (run->repetitions == SB_REPETITIONS_AUTO && run->count > 0)
    fprintf(stderr, " in %d to %d rounds", SB_AUTO_LEAST, SB_AUTO_MOST);
  fprintf(stderr, "; %s\n", run->request->directory);
  if (run->kept_failures > 0)
    fprintf(stderr, "springbench: %zu cases failed earlier and are kept; --rerun failed runs them again\n",
            run->kept_failures);
  if (run->stale > 0)
    fprintf(
        stderr,
        "springbench: %zu results are of another build or machine than this (%s; %s) and are kept; --rerun stale runs "
        "them again\n",
        run->stale, run->build, run->machine);
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

static void list_pending(const sb_run_state *run)
{
  for (size_t i = 0; i < run->count; ++i) puts(run->pending[i].planned->command);
}

/* Counts what every case that was asked for has come to; true when all of them have a result. */
static bool say_after(const sb_run_state *run, bool indexed)
{
  size_t counts[SB_STATUS_COUNT] = {0}, cases = 0, missing = 0, noisy = 0;
  for (size_t i = 0; i < run->plan->count; ++i) {
    sb_status     status;
    const json_t *event = json_object_get(run->state.cases, run->plan->cases[i].key);
    const char   *name = json_string_value(json_object_get(json_object_get(event, "row"), "status"));
    if (run->plan->cases[i].skipped || !sb_run_is_mine(run, i)) continue;
    if (name && sb_status_from_name(name, &status))
      counts[status]++;
    else
      missing++;
    cases++;
    noisy += sb_row_is_noisy(json_object_get(event, "row"));
  }
  if (wants_words(run)) {
    fprintf(stderr, "springbench: %s:", run->sweep->name);
    for (int status = 0; status < SB_STATUS_COUNT; ++status)
      if (counts[status] > 0) fprintf(stderr, " %zu %s", counts[status], sb_status_name((sb_status)status));
    if (missing > 0) fprintf(stderr, " %zu missing", missing);
    if (noisy > 0 && run->sweep->timed) fprintf(stderr, "; %s", sb_noise_note(run->session->arena, noisy, cases));
    fprintf(stderr, indexed ? "; %s/results.csv\n" : "; %s\n", run->request->directory);
  }
  for (int status = 0; status < SB_STATUS_COUNT; ++status)
    if (!sb_status_is_result((sb_status)status)) missing += counts[status];
  return missing == 0;
}

static bool write_index(const sb_run_state *run)
{
  sb_session  own = sb_session_begin(run->session->vocabulary, run->session->drivers);
  sb_results *results = sb_results_open(run->request->directory, &own);
  const bool  written = results && sb_results_write_index(results);
  sb_session_end(&own, stderr);
  return written;
}

/* Neither PETSC_OPTIONS nor a .petscrc reaches a case: the environment of cases is made anew, and PETSc is told to skip
 * such files. Who set them should know. */
static bool environment_is_clean(const sb_run_request *request)
{
  const char *severity = request->strict ? "error" : "warning", *home = getenv("HOME");
  char       *in_home = home ? sb_format("%s/.petscrc", home) : NULL;
  const bool  variable = getenv("PETSC_OPTIONS") != NULL;
  const bool  file = access(".petscrc", F_OK) == 0 || (in_home && access(in_home, F_OK) == 0);
  free(in_home);
  if (variable)
    fprintf(stderr, "springbench: %s: PETSC_OPTIONS is set; cases do not see it; use petsc=... or petsc: [W112]\n",
            severity);
  if (file)
    fprintf(stderr, "springbench: %s: there is a .petscrc; cases do not read it; use petsc=... or petsc: [W112]\n",
            severity);
  return !request->strict || !(variable || file);
}

static void close_run(sb_run_state *run)
{
  sb_journal_close(&run->journal);
  sb_journal_clear(&run->state);
  sb_lock_release(&run->lock);
  free(run->pending);
  free(run->build);
  free(run->machine);
}

static int work_off(sb_run_state *run)
{
  int status = run->count == 0 ? SB_EXIT_OK : journal_run(run) ? sb_run_pending(run) : SB_EXIT_STORAGE;
  if (status == SB_EXIT_STORAGE) return status;
  /* Who asked to stop does not wait for an index, which opens every case file; the next run makes it. */
  const bool indexed = status != SB_EXIT_INTERRUPTED, all_there = say_after(run, indexed);
  if (indexed && !write_index(run)) return SB_EXIT_STORAGE;
  return status != SB_EXIT_OK ? status : all_there ? SB_EXIT_OK : SB_EXIT_CASES_FAILED;
}

/* A driver that watches the machine while it takes times says so in a column of its own. */
static bool driver_watches(const sb_driver_list *drivers, const char *name)
{
  const sb_driver *driver = drivers ? sb_driver_find(drivers, name) : NULL;
  for (size_t i = 0; driver && i < driver->column_count; ++i)
    if (strcmp(driver->columns[i].name, "noisy") == 0) return true;
  return false;
}

int sb_run(const sb_sweep *sweep, const sb_plan *plan, const sb_run_request *request, const sb_session *session)
{
  if (plan->count == 0) {
    fprintf(stderr, "springbench: error: no case of %s matches\n", sweep->name);
    return SB_EXIT_NO_MATCH;
  }
  if (!environment_is_clean(request)) return SB_EXIT_USAGE;
  sb_run_state run = {.sweep = sweep, .plan = plan, .request = request, .session = session, .lock = -1};
  const double time_limit = request->time_limit_seconds, memory_limit = request->memory_limit_bytes;
  const int    repetitions = request->repetitions != 0 ? request->repetitions : request->quick ? 1 : sweep->repetitions;
  run.repetitions = sweep->timed && repetitions != 0 ? repetitions : 1;
  run.watched = sweep->timed && driver_watches(session->drivers, sweep->driver);
  run.time_limit_seconds = time_limit > 0 ? time_limit : sweep->time_limit_seconds;
  run.memory_limit_bytes = memory_limit > 0 ? memory_limit : sweep->memory_limit_bytes;
  run.build = sb_build_name(request->program);
  run.machine = sb_machine_name();
  run.journal.descriptor = -1;
  int status = sb_run_prepare(&run);
  if (status == SB_EXIT_OK) say_before(&run);
  if (status == SB_EXIT_OK && request->dry_run)
    list_pending(&run);
  else if (status == SB_EXIT_OK)
    status = work_off(&run);
  close_run(&run);
  return status;
}
