/* Arguments of `plan` and `run`, and one sweep of theirs; see sweep_job.h. `run DIR` and `plan DIR` are about the cases
 * that were asked for so far, by the settings of the last run, where nothing else is asked for: `status` says to type
 * that and no more. */
#include "harness/commands/sweep_job.h"

#include <argp.h>
#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/input_file.h"
#include "harness/common/digest.h"
#include "harness/common/durable.h"
#include "harness/common/text.h"
#include "harness/report/report.h"
#include "harness/run/pace.h"
#include "harness/store/journal.h"
#include "harness/sweep/sweep_files.h"

/* ---- the command line ---- */

enum {
  KEY_QUICK = 256,
  KEY_RERUN,
  KEY_VERIFY,
  KEY_STRICT,
  KEY_ORDER_SEED,
  KEY_DRY_RUN,
  KEY_SAVE,
  KEY_PROGRESS,
  KEY_SHARD
};

static const struct argp_option option_table[] = {
    {"output", 'o', "DIR", 0, "results directory (default: results/NAME); of several sweeps the folder of theirs", 0},
    {"set", 'p', "KEY=V[,V...]", 0, "override an option or replace an axis", 0},
    {"filter", 'f', "EXPR", 0, "only cases for which EXPR holds", 0},
    {"exclude", 'x', "EXPR", 0, "no case for which EXPR holds", 0},
    {"repetitions", 'r', "N|auto", 0, "repetitions of a timed sweep; auto: 5 to 30, until the median is known to 2 %",
     0},
    {"warm-up", 'w', "N", 0, "steps not counted before timing", 0},
    {"time-limit", 't', "TIME", 0, "hard limit per case: 90s, 10m, 2h", 0},
    {"memory-limit", 'm', "BYTES", 0, "limit of resident memory per case: 512M, 4G", 0},
    {"jobs", 'j', "N", 0, "cases at once (timings are then taken in company)", 0},
    {"ranks", 'n', "N", 0, "MPI ranks per case", 0},
    {"shard", KEY_SHARD, "I/N", 0, "only the I-th of N parts of the plan", 0},
    {"quick", KEY_QUICK, NULL, 0, "the part that the sweep calls quick, one repetition; writes NAME-quick", 0},
    {"rerun", KEY_RERUN, "WHAT", 0, "also run again: failed, stale, noisy, or all", 0},
    {"verify", KEY_VERIFY, NULL, 0, "check the hashes of finished cases first", 0},
    {"strict", KEY_STRICT, NULL, 0, "refuse an environment that may change results", 0},
    {"order-seed", KEY_ORDER_SEED, "N", 0, "seed of the order in which cases are timed", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "say what would be done, change nothing", 0},
    {"save", KEY_SAVE, "WHAT", 0, "frames stored: none, final, every:K", 0},
    {"verbose", 'v', NULL, 0, "a line a case; the same as --progress lines", 0},
    {"progress", KEY_PROGRESS, "HOW", 0, "auto, bar, lines, failures, none", 0},
    {0},
};

static void read_whole(struct argp_state *state, const char *what, const char *text, long low, long high, long *value)
{
  int64_t number = 0;
  if (!sb_parse_integer(text, &number) || number < low || number > high)
    argp_error(state, "%s takes a whole number from %ld to %ld; got '%s'", what, low, high, text);
  *value = (long)number;
}

static sb_rerun read_rerun(struct argp_state *state, const char *text)
{
  if (strcmp(text, "failed") == 0) return SB_RERUN_FAILED;
  if (strcmp(text, "stale") == 0) return SB_RERUN_STALE;
  if (strcmp(text, "noisy") == 0) return SB_RERUN_NOISY;
  if (strcmp(text, "all") != 0) argp_error(state, "--rerun takes failed, stale, noisy or all; got '%s'", text);
  return SB_RERUN_ALL;
}

static void read_progress(struct argp_state *state, const char *text, sb_run_request *run)
{
  static const char *const known[] = {"auto", "bar", "lines", "failures", "none"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i], text) == 0) {
      run->progress = known[i];
      return;
    }
  argp_error(state, "--progress takes auto, bar, lines, failures or none; got '%s'", text);
}

static void read_shard(struct argp_state *state, const char *text, sb_run_request *run)
{
  const char *slash = strchr(text, '/');
  char       *first = slash ? sb_copy_span(text, (size_t)(slash - text)) : NULL;
  int64_t     shard = 0, shards = 0;
  const bool  digits = slash && isdigit((unsigned char)text[0]) && isdigit((unsigned char)slash[1]);
  const bool  read = digits && sb_parse_integer(first, &shard) && sb_parse_integer(slash + 1, &shards);
  free(first);
  if (!read || shards > INT_MAX || shard < 1 || shard > shards)
    argp_error(state, "--shard takes I/N with 1 <= I <= N; got '%s'", text);
  run->shard = (int)shard;
  run->shards = (int)shards;
}

/* Options that shape the plan. */
static error_t parse_plan_option(int key, char *text, struct argp_state *state)
{
  sb_sweep_arguments *a = state->input;
  long                number = 0;
  switch (key) {
  case 'p':
    if (a->request.override_count == SB_OVERRIDES_MAX) argp_error(state, "more than %d -p options", SB_OVERRIDES_MAX);
    a->overrides[a->request.override_count++] = text;
    return 0;
  case 'f':
    a->request.filter = text;
    break;
  case 'x':
    a->request.exclude = text;
    break;
  case 'n':
    read_whole(state, "--ranks", text, 1, 4096, &number);
    a->request.ranks = (int)number;
    return 0;
  case KEY_SAVE:
    a->request.save = text;
    return 0;
  case KEY_QUICK:
    a->request.quick = a->run.quick = true;
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  a->narrowed = true;
  return 0;
}

/* Options that shape the run. */
static error_t parse_run_option(int key, char *text, struct argp_state *state)
{
  sb_sweep_arguments *a = state->input;
  long                number = 0;
  switch (key) {
  case 'r':
    number = SB_REPETITIONS_AUTO;
    if (strcmp(text, "auto") != 0) read_whole(state, "--repetitions", text, 1, 1000, &number);
    a->run.repetitions = (int)number;
    break;
  case 'w':
    read_whole(state, "--warm-up", text, 0, 1000000, &number);
    a->run.warm_up = (int)number;
    break;
  case 'j':
    read_whole(state, "--jobs", text, 1, 4096, &number);
    a->run.jobs = (int)number;
    break;
  case 't':
    if (!sb_parse_duration(text, &a->run.time_limit_seconds))
      argp_error(state, "--time-limit takes a time such as 90s, 10m, 2h; got '%s'", text);
    break;
  case 'm':
    if (!sb_parse_bytes(text, &a->run.memory_limit_bytes))
      argp_error(state, "--memory-limit takes bytes such as 512M, 4G; got '%s'", text);
    break;
  case KEY_ORDER_SEED:
    read_whole(state, "--order-seed", text, 0, INT32_MAX, &number);
    a->run.order_seed = (uint64_t)number;
    break;
  case KEY_RERUN:
    a->run.rerun = read_rerun(state, text);
    break;
  case KEY_SHARD:
    read_shard(state, text, &a->run);
    break;
  case KEY_VERIFY:
    a->run.verify_hashes = true;
    break;
  case KEY_STRICT:
    a->run.strict = true;
    break;
  case KEY_DRY_RUN:
    a->run.dry_run = true;
    break;
  case 'v':
    a->run.progress = "lines";
    break;
  case KEY_PROGRESS:
    read_progress(state, text, &a->run);
    break;
  default:
    return ARGP_ERR_UNKNOWN;
  }
  return 0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
  sb_sweep_arguments *a = state->input;
  switch (key) {
  case ARGP_KEY_ARG:
    a->inputs = sb_arena_grow(a->arena, a->inputs, a->input_count, sizeof *a->inputs);
    a->inputs[a->input_count++] = text;
    return 0;
  case ARGP_KEY_END:
    if (a->input_count == 0) argp_error(state, "a sweep file or a results directory is needed");
    return 0;
  case 'o':
    if (a->output) argp_error(state, "--output is given twice");
    if (!*text) argp_error(state, "-o takes a directory; got ''");
    a->output = text;
    return 0;
  default:
    return parse_plan_option(key, text, state) == 0 ? 0 : parse_run_option(key, text, state);
  }
}

int sb_sweep_arguments_read(const sb_command *command, int argc, char **argv, const sb_session *session,
                            sb_sweep_arguments *arguments)
{
  *arguments =
      (sb_sweep_arguments){.arena = session->arena,
                           .inputs_by_user = getenv(SB_INPUTS_VARIABLE) != NULL,
                           .run = {.warm_up = -1, .progress = "auto", .shard = 1, .shards = 1, .order_seed = 1}};
  const struct argp parser = {option_table, parse_option, "SWEEP.yaml|DIR...", command->summary, NULL, NULL, NULL};
  argv[0] = sb_arena_format(session->arena, "springbench %s", command->name);
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failure = argp_parse(&parser, argc, argv, 0, NULL, arguments);
  arguments->request.overrides = arguments->overrides;
  return failure ? SB_EXIT_USAGE : SB_EXIT_OK;
}

/* ---- a directory that has run before ---- */

/* The sweep file in the directory is not the one of any run that noted which it was. */
static bool sweep_was_edited(const json_t *runs, const sb_sweep *sweep)
{
  char          digest[SB_DIGEST_LENGTH + 1];
  size_t        i;
  const json_t *run;
  bool          noted = false;
  sb_digest_of_text(sweep->text, digest);
  json_array_foreach(runs, i, run)
  {
    const char *of = json_string_value(json_object_get(run, "sweep"));
    if (of && strcmp(of, digest) == 0) return false;
    noted = noted || of;
  }
  return noted;
}

static void settle(double *setting, const json_t *run, const char *name)
{
  if (*setting <= 0) *setting = json_number_value(json_object_get(run, name));
}

/* What the line leaves open is as it was. */
static void take_settings(sb_run_request *request, const json_t *run)
{
  const json_t *repetitions = json_object_get(run, "repetitions"), *warm_up = json_object_get(run, "warm_up");
  settle(&request->time_limit_seconds, run, "time_limit");
  settle(&request->memory_limit_bytes, run, "memory_limit");
  if (request->warm_up < 0 && warm_up) request->warm_up = (int)json_integer_value(warm_up);
  if (request->jobs == 0) request->jobs = (int)json_integer_value(json_object_get(run, "jobs"));
  if (request->repetitions == 0 && json_is_integer(repetitions))
    request->repetitions = (int)json_integer_value(repetitions);
  if (request->repetitions == 0 && json_is_string(repetitions)) request->repetitions = SB_REPETITIONS_AUTO;
  request->quick = json_is_true(json_object_get(run, "quick"));
}

/* The stored plan, where nothing is asked for that would make another. NULL where the sweep is to be planned: nothing
 * is stored, or the sweep file there was edited; or after an error (E114). */
static sb_plan *stored_plan(const sb_sweep_arguments *a, sb_sweep_job *job, const json_t *runs,
                            const sb_session *session)
{
  const sb_plan_request *r = &a->request;
  const size_t           count = json_array_size(runs);
  sb_session             quiet = *session;
  if (!job->is_stored || r->override_count > 0 || r->filter || r->exclude || r->quick || r->ranks > 0 || r->save ||
      a->run.shards > 1 || !runs)
    return NULL;
  if (sweep_was_edited(runs, job->sweep)) {
    fprintf(stderr, "springbench: %s was changed: the cases are those it has now\n", job->sweep_path);
    return NULL;
  }
  quiet.diagnostics = NULL; /* damage is told by the run, which makes the plan anew */
  const char *path = sb_arena_format(session->arena, "%s/plan.json", job->directory);
  char       *text = sb_read_file(path, NULL);
  sb_plan    *plan = text ? sb_plan_from_json(text, path, &quiet) : NULL;
  free(text);
  if (plan && (plan->count == 0 || !sb_plan_restore(plan, path, session))) plan = NULL;
  if (plan && count > 0) take_settings(&job->run, json_array_get(runs, count - 1));
  return plan;
}

/* ---- one sweep ---- */

/* Where its files were found by the last run of its directory, else beside the sweep file; NULL where the user says. */
static const char *folder_of_inputs(const char *sweep_path, const json_t *runs, sb_arena *arena)
{
  const size_t count = json_array_size(runs);
  const char  *noted = json_string_value(json_object_get(json_array_get(runs, count - 1), "inputs"));
  const char  *slash = strrchr(sweep_path, '/');
  if (count > 0 && noted) return sb_arena_copy(arena, noted);
  const char *beside = slash ? sb_arena_copy_span(arena, sweep_path, (size_t)(slash - sweep_path) + 1) : ".";
  return sb_arena_adopt(arena, realpath(beside, NULL));
}

void sb_sweep_job_use_inputs(const sb_sweep_job *job)
{
  if (job->inputs) setenv(SB_INPUTS_VARIABLE, job->inputs, 1);
}

static void name_directories(const sb_sweep_arguments *a, const char *input, sb_sweep_job *job)
{
  struct stat about;
  job->sweep_path = input;
  if (stat(input, &about) != 0 || !S_ISDIR(about.st_mode)) return;
  job->sweep_path = sb_arena_format(a->arena, "%s/sweep.yaml", input);
  job->is_stored = !a->output;
  if (job->is_stored) job->directory = input;
}

/* A new results directory: that of -o, or NAME in its folder, which is results where none is given. */
static const char *new_directory(const sb_sweep_arguments *a, const sb_sweep *sweep)
{
  if (a->output && a->input_count == 1) return a->output;
  return sb_arena_format(a->arena, "%s/%s%s", a->output ? a->output : "results", sweep->name,
                         a->run.quick ? "-quick" : "");
}

int sb_sweep_job_open(const sb_sweep_arguments *a, const char *input, const sb_session *session, sb_sweep_job *job)
{
  sb_journal_state journal;
  const size_t     before = sb_diagnostics_errors(session->diagnostics);
  *job = (sb_sweep_job){.run = a->run};
  name_directories(a, input, job);
  const char *slash = strrchr(job->sweep_path, '/');
  const int   folder = slash ? (int)(slash + 1 - job->sweep_path) : 0;
  const bool  ran =
      sb_journal_read(sb_arena_format(session->arena, "%.*sjournal.jsonl", folder, job->sweep_path), &journal);
  if (!a->inputs_by_user) job->inputs = folder_of_inputs(job->sweep_path, ran ? journal.runs : NULL, session->arena);
  sb_sweep_job_use_inputs(job);
  job->sweep = sb_sweep_read(job->sweep_path, session);
  if (job->sweep) job->plan = stored_plan(a, job, ran ? journal.runs : NULL, session);
  sb_journal_clear(&journal);
  if (!job->sweep) return SB_EXIT_USAGE;
  const bool is_new = !job->plan;
  if (is_new && sb_diagnostics_errors(session->diagnostics) == before)
    job->plan = sb_plan_create(job->sweep, &a->request, session);
  if (job->plan && is_new)
    sb_sweep_check_expressions(job->sweep, sb_request_is_whole(&a->request) ? job->plan : NULL, session);
  sb_sweep_check_files(job->sweep, session);
  sb_figures_check(job->sweep, session->diagnostics);
  if (job->plan) sb_plan_check_scenes(job->plan, session);
  if (!job->plan || sb_diagnostics_errors(session->diagnostics) > before) return SB_EXIT_USAGE;
  if (!job->directory) job->directory = new_directory(a, job->sweep);
  job->run.directory = job->directory;
  if (job->plan->count > 0) return SB_EXIT_OK;
  if (a->narrowed)
    sb_error_at(session->diagnostics, (sb_location){0}, "E107", "no case of %s matches the filter", job->sweep->name);
  return a->narrowed ? SB_EXIT_NO_MATCH : SB_EXIT_USAGE;
}
