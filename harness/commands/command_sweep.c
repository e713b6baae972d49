/* Arguments of `plan` and `run`; see command_sweep.h. */
#include "harness/commands/command_sweep.h"

#include <argp.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "harness/common/quantity.h"
#include "harness/report/report.h"
#include "harness/run/repetitions.h"
#include "harness/sweep/plan_scenes.h"
#include "harness/sweep/sweep_files.h"

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
    {"output", 'o', "DIR", 0, "results directory (default: results/NAME)", 0},
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
    {"quick", KEY_QUICK, NULL, 0, "first two values of each numeric axis, one repetition; writes NAME-quick", 0},
    {"rerun", KEY_RERUN, "WHAT", 0, "also run again: failed, stale, noisy, or all", 0},
    {"verify", KEY_VERIFY, NULL, 0, "check the hashes of finished cases first", 0},
    {"strict", KEY_STRICT, NULL, 0, "refuse an environment that may change results", 0},
    {"order-seed", KEY_ORDER_SEED, "N", 0, "seed of the order in which cases are timed", 0},
    {"dry-run", KEY_DRY_RUN, NULL, 0, "say what would be done, change nothing", 0},
    {"save", KEY_SAVE, "WHAT", 0, "frames stored: none, final, every:K", 0},
    {"progress", KEY_PROGRESS, "HOW", 0, "auto, bar, lines, none", 0},
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
  static const char *const known[] = {"auto", "bar", "lines", "none"};
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i)
    if (strcmp(known[i], text) == 0) {
      run->progress = known[i];
      return;
    }
  argp_error(state, "--progress takes auto, bar, lines or none; got '%s'", text);
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

static void add_override(struct argp_state *state, const char *text, sb_sweep_command *a)
{
  if (a->request.override_count == SB_OVERRIDES_MAX) argp_error(state, "more than %d -p options", SB_OVERRIDES_MAX);
  a->overrides[a->request.override_count++] = text;
}

/* Options that shape the plan. */
static error_t parse_plan_option(int key, char *text, struct argp_state *state)
{
  sb_sweep_command *a = state->input;
  long              number = 0;
  switch (key) {
  case 'p':
    add_override(state, text, a);
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
  sb_sweep_command *a = state->input;
  long              number = 0;
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
  sb_sweep_command *a = state->input;
  if (key == ARGP_KEY_ARG) {
    if (a->input) argp_error(state, "one sweep file or results directory at a time; got '%s' and '%s'", a->input, text);
    a->input = text;
    return 0;
  }
  if (key == ARGP_KEY_END) {
    if (!a->input) argp_error(state, "a sweep file or a results directory is needed");
    return 0;
  }
  if (key == 'o') {
    if (a->directory) argp_error(state, "--output is given twice");
    if (!*text) argp_error(state, "-o takes a directory; got ''");
    free(a->directory);
    a->directory = sb_copy_text(text);
    return 0;
  }
  return parse_plan_option(key, text, state) == 0 ? 0 : parse_run_option(key, text, state);
}

int sb_sweep_command_read(const sb_command *command, int argc, char **argv, sb_sweep_command *arguments)
{
  *arguments = (sb_sweep_command){.run = {.warm_up = -1, .progress = "auto", .shard = 1, .shards = 1, .order_seed = 1}};
  const struct argp parser = {option_table, parse_option, "SWEEP.yaml|DIR", command->summary, NULL, NULL, NULL};
  char              name[64];
  snprintf(name, sizeof name, "springbench %s", command->name);
  argv[0] = name;
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failure = argp_parse(&parser, argc, argv, 0, NULL, arguments);
  argv[0] = NULL;
  arguments->request.overrides = arguments->overrides;
  struct stat about;
  if (failure == 0 && stat(arguments->input, &about) == 0 && S_ISDIR(about.st_mode)) {
    arguments->sweep_path = sb_format("%s/sweep.yaml", arguments->input);
    arguments->is_stored = !arguments->directory;
    if (arguments->is_stored) arguments->directory = sb_copy_text(arguments->input);
  } else {
    arguments->sweep_path = sb_copy_text(arguments->input);
  }
  return failure ? SB_EXIT_USAGE : SB_EXIT_OK;
}

int sb_sweep_command_plan(sb_sweep_command *arguments, const sb_session *session, sb_sweep **sweep, sb_plan **plan)
{
  *plan = NULL;
  json_t *runs = sb_stored_runs(arguments->sweep_path);
  sb_use_inputs_of(arguments->sweep_path, runs);
  *sweep = sb_sweep_read(arguments->sweep_path, session);
  if (*sweep) *plan = sb_sweep_command_stored_plan(arguments, *sweep, runs, session);
  json_decref(runs);
  if (*sweep && !*plan && sb_diagnostics_errors(session->diagnostics) == 0)
    *plan = sb_plan_create(*sweep, &arguments->request, session);
  const bool named = *sweep && sb_sweep_check_files(*sweep, session);
  const bool given = *sweep && sb_figures_check(*sweep, session->diagnostics);
  if (!named || !given || !*plan || !sb_plan_check_scenes(*plan, session)) *plan = NULL;
  const bool empty = *plan && (*plan)->count == 0;
  if (*plan && !arguments->directory)
    arguments->directory = sb_format("results/%s%s", (*sweep)->name, arguments->run.quick ? "-quick" : "");
  arguments->run.directory = arguments->directory;
  const int status = sb_command_messages(session);
  if (*plan && !empty) return SB_EXIT_OK;
  if (empty && arguments->narrowed) fputs("springbench: no case matches the filter\n", stderr);
  if (status != SB_EXIT_OK) return status;
  return empty && arguments->narrowed ? SB_EXIT_NO_MATCH : SB_EXIT_USAGE;
}

void sb_sweep_command_clear(sb_sweep_command *arguments)
{
  free(arguments->sweep_path);
  free(arguments->directory);
  arguments->sweep_path = arguments->directory = NULL;
}
