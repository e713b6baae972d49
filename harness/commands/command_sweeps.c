/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands on sweeps, given as sweep files or results directories: check, plan and run; and on one case. Without other
 * options, `run DIR` and `plan DIR` use the cases requested so far and the settings of the last run: `status` prints
 * just that command. */
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/input_file.h"
#include "base/profile.h"
#include "cases/common/digest.h"
#include "cases/common/durable.h"
#include "cases/common/full_program.h"
#include "cases/common/text.h"
#include "cases/run/run_case.h"
#include "cases/run/serve.h"
#include "cases/store/origin.h"
#include "harness/commands/command.h"
#include "harness/commands/reports.h"
#include "harness/report/report.h"
#include "harness/run/collect.h"
#include "harness/run/engine_lines.h"
#include "harness/run/petsc_probe.h"
#include "harness/run/prediction.h"
#include "harness/run/repetitions.h"
#include "harness/run/runner.h"
#include "harness/run/signals.h"
#include "harness/run/slurm_scripts.h"
#include "harness/run/tour.h"
#include "harness/sweep/request.h"

/* ---- the command line ---- */

enum { SET_MAX = 64, ADDED_MAX = 64 };

typedef enum { PLAN_TEXT, PLAN_JSON, PLAN_COMMANDS } plan_form;

typedef struct {
  sb_session         session; /* the command's, and whether scripts are trusted */
  size_t             input_count;
  const char       **inputs;    /* of the line; names of sweeps and topics are the paths of their files */
  const char        *otherwise; /* --default: stands for inputs if there are none; NULL: they are required */
  const char        *output; /* -o: a results directory; of several sweeps the folder that gets them; NULL: results */
  size_t             set_count, added_count, aside_count;
  const char        *set[SET_MAX], *aside[SET_MAX]; /* texts of -p: of the request, and of options that no key has */
  const char        *added[ADDED_MAX];              /* texts of --method */
  sb_selection       selection;
  sb_run_request     run;            /* its directory is of a job */
  bool               inputs_by_user; /* the environment has the folder of files that cases name */
  bool               executes;       /* no case is forked by a worker */
  plan_form          form;           /* of `plan` */
  sb_collect_request collected;      /* of `collect` */
  sb_slurm_request   slurm;          /* of `plan --slurm`; tasks 0: no scripts */
} arguments;

/* Prints which one a word means that names a topic and a sweep. */
static void add_inputs(arguments *a, const char *word)
{
  size_t       count;
  const char **paths = sb_sweeps_named(word, a->session.arena, &count);
  const char  *namesake = sb_sweeps_namesake(word, paths, count, a->session.arena);
  if (namesake)
    fprintf(stderr, "springbench: %s is a topic of %zu sweeps; %s is the sweep of that name alone\n", word, count,
            namesake);
  for (size_t i = 0; i < count; ++i) *SB_NEW_ITEM(a->session.arena, a->inputs, a->input_count) = paths[i];
}

static void take_output(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  if (*(const char **)place) argp_error(state, "--%s is given twice", option->name);
  if (!*text) argp_error(state, "-%c takes a directory; got ''", option->letter);
  *(const char **)place = text;
}

/* An option that is in no key, such as `save`, makes no other cases. */
static void take_set(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  arguments         *a = place;
  const char        *name = sb_arena_copy_span(a->session.arena, text, strcspn(text, "="));
  const sb_option_id id = sb_option_find(name);
  const bool         aside = id != sb_option_count && sb_option_at(id)->traits & SB_NOT_IN_KEY;
  if (a->set_count == SET_MAX || a->aside_count == SET_MAX)
    argp_error(state, "more than %d -%c options", (int)SET_MAX, option->letter);
  if (aside)
    a->aside[a->aside_count++] = text;
  else
    a->set[a->set_count++] = text;
}

static void take_save(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  arguments *a = place;
  take_set(option, sb_arena_format(a->session.arena, "save=%s", text), place, state);
}

static void take_ranks(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  arguments *a = place;
  int        ranks = 0;
  sb_take_whole(option, text, &ranks, state);
  take_set(option, sb_arena_format(a->session.arena, "ranks=%d", ranks), place, state);
}

static void take_method(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  arguments *a = place;
  if (a->added_count == ADDED_MAX) argp_error(state, "more than %d --%s options", ADDED_MAX, option->name);
  a->added[a->added_count++] = text;
}

static void take_repetitions(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  if (strcmp(text, "auto") == 0)
    *(int *)place = SB_REPETITIONS_AUTO;
  else
    sb_take_whole(option, text, place, state);
}

static void take_shard(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  sb_run_request *run = place;
  int             end = 0;
  if (strspn(text, "0123456789/") < strlen(text) || sscanf(text, "%9d/%9d%n", &run->shard, &run->shards, &end) != 2 ||
      text[end] || run->shard < 1 || run->shard > run->shards)
    argp_error(state, "--%s takes I/N with 1 <= I <= N; got '%s'", option->name, text);
}

static void take_sbatch(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  arguments *a = place;
  if (strchr(text, '\n')) argp_error(state, "--%s takes one option; got a line break", option->name);
  a->slurm.lines = sb_arena_format(a->session.arena, "%s#SBATCH %s\n", a->slurm.lines, text);
}

#define AT(member) .place = offsetof(arguments, member)
#define CHOICES(...)                                                                                                   \
  .choices = (const char *const[]) { __VA_ARGS__, NULL }

static const sb_command_option option_table[] = {
    {"output", 'o', "DIR",
     "results directory (default: results/NAME); for several sweeps the folder that contains theirs", take_output,
     AT(output), .aside = true},
    {"set", 'p', "KEY=V[,V...]",
     "set an option, or replace an axis: another request, with a results directory of its own; KEY+=V adds to an axis",
     take_set, .place = 0},
    {"method", 0, "METHOD", "add a method to the axis 'method': 'NAME: {OPTION: VALUE, ...}'", take_method, .place = 0},
    {"replace", 0, NULL, "make the results directory that of this request; no result is deleted", sb_take_flag,
     AT(run.replaces), .aside = true},
    {"filter", 'f', "EXPR", "only cases for which EXPR holds", sb_take_text, AT(selection.filter)},
    {"exclude", 'x', "EXPR", "exclude cases for which EXPR holds", sb_take_text, AT(selection.exclude)},
    {"repetitions", 'r', "N|auto", "repetitions of a timed sweep; auto: 5 to 30, until the median is known to 2 %",
     take_repetitions, AT(run.repetitions), .low = 1, .high = 1000},
    {"warm-up", 'w', "N", "steps not counted before timing", sb_take_whole, AT(run.warm_up), .low = 0, .high = 1000000},
    {"time-limit", 't', "TIME", "hard limit per case: 90s, 1m30s, 2h", sb_take_parsed, AT(run.time_limit_seconds),
     .parse = sb_parse_duration, .hint = "a time such as 90s, 1m30s, 2h"},
    {"memory-limit", 'm', "BYTES", "limit of resident memory per case: 512M, 4G, 4GiB", sb_take_parsed,
     AT(run.memory_limit_bytes), .parse = sb_parse_bytes, .hint = "bytes such as 512M, 4G, 4GiB, from 1 to 1e18"},
    {"jobs", 'j', "N", "number of cases at once (which affects timings)", sb_take_whole, AT(run.jobs), .low = 1,
     .high = 4096},
    {"ranks", 'n', "N", "MPI ranks per case: -p ranks=N", take_ranks, .place = 0, .low = 1, .high = 4096},
    {"launcher", 0, "HOW",
     "launcher of cases of several ranks: mpiexec (default), srun (within an allocation of Slurm), or none (they are "
     "refused)",
     sb_take_choice, AT(run.launcher), .choices = sb_launchers},
    {"shard", 0, "I/N", "only the I-th of N parts of the plan", take_shard, AT(run), .aside = true},
    {"quick", 0, NULL, "only the quick part of the sweep, with one repetition", sb_take_flag, AT(selection.quick)},
    {"rerun", 0, "WHAT", "also run again: failed, stale, noisy, or all", sb_take_choice, AT(run.rerun), .low = 1,
     CHOICES("failed", "stale", "noisy", "all")}, /* as sb_rerun has them behind missing */
    {"verify", 0, NULL, "check the hashes of finished cases first", sb_take_flag, AT(run.verify_hashes)},
    {"strict", 0, NULL, "refuse an environment that may change results", sb_take_flag, AT(run.strict)},
    {"order-seed", 0, "N", "seed of the order in which cases are timed", sb_take_seed, AT(run.order_seed), .low = 0,
     .high = INT32_MAX},
    {"dry-run", 0, NULL, "show what would be done, change nothing", sb_take_flag, AT(run.dry_run), .aside = true},
    {"format", 0, "FORM",
     "of plan: text, json (every case with its options and predictions), or commands (a line of a shell for each case "
     "to run)",
     sb_take_choice, AT(form), CHOICES("text", "json", "commands"), .aside = true}, /* of plan_form */
    {"slurm", 0, "N",
     "of plan: write scripts for Slurm, an array of N tasks that run a shard each and a job that merges them, to "
     "DIR.slurm",
     sb_take_whole, AT(slurm.tasks), .low = 1, .high = 100000, .aside = true},
    {"sbatch", 0, "OPTION", "an option of sbatch for these scripts, such as --partition=long", take_sbatch,
     .aside = true},
    {"save", 0, "WHAT", "frames stored: none, final, every:K", take_save, .place = 0},
    {"exec", 0, NULL, "start every case as a program of its own, not by forking a worker", sb_take_flag, AT(executes)},
    {"default", 0, "WORD", "the sweep or topic, or core, tour or all, if none is named", sb_take_text, AT(otherwise),
     .aside = true},
    {"trust", 0, NULL, "run scripts of figures in a results directory", sb_take_flag, AT(session.trusts_scripts)},
    {"verbose", 'v', NULL, "a line per case; the same as --progress lines", sb_take_word, AT(run.progress),
     CHOICES("lines"), .aside = true},
    {"progress", 0, "HOW", "auto, bar, lines, failures, none", sb_take_word, AT(run.progress),
     CHOICES("auto", "bar", "lines", "failures", "none"), .aside = true},
    {0},
};
#undef AT
#undef CHOICES

static void take_sweeps(const sb_command_words *words, void *input, struct argp_state *state)
{
  arguments *a = input;
  for (int i = 0; i < words->count; ++i) add_inputs(a, words->names[i]);
  if (words->count == 0 && a->otherwise) add_inputs(a, a->otherwise);
  if (a->input_count == 0) argp_error(state, "a sweep file or a results directory is needed");
}

/* One sweep; the words after it are files. */
static void take_files(const sb_command_words *words, void *input, struct argp_state *state)
{
  arguments *a = input;
  take_sweeps(&(sb_command_words){.count = words->count > 0, .names = words->names}, input, state);
  if (words->count < 2) argp_error(state, "case files, or folders of them, are needed");
  if (a->input_count > 1) argp_error(state, "one sweep is needed");
  a->collected = (sb_collect_request){(size_t)words->count - 1, (const char *const *)words->names + 1};
}

static void read_arguments(int argc, char **argv, const sb_session *session, arguments *a)
{
  *a = (arguments){.session = *session,
                   .inputs_by_user = getenv(SB_INPUTS_VARIABLE) != NULL,
                   .run = {.program = sb_full_program(session->arena),
                           .warm_up = -1,
                           .progress = "auto",
                           .shard = 1,
                           .shards = 1,
                           .order_seed = 1},
                   .slurm = {.lines = "", .ranks = 1, .processors = 1}};
  a->slurm.options = sb_command_read(argc, argv, session, a).options;
  a->run.quick = a->selection.quick;
  a->selection.overrides = a->aside;
  a->selection.override_count = a->aside_count;
}

/* ---- one of the sweeps ---- */

/* All of it lives in the session's arena. */
typedef struct {
  const char    *sweep_path, *folder; /* the sweep file, and its folder */
  bool           is_stored;           /* a results directory was given, and no other directory to write to */
  const char    *inputs;              /* folder of the files that cases name; NULL: the user's */
  sb_sweep      *sweep;
  sb_plan       *plan;
  sb_run_request run; /* its directory is where the results are, or will be */
} job;

/* From here on files that cases name are looked for where those of this job are. */
static void use_inputs(const job *j)
{
  if (j->inputs) setenv(SB_INPUTS_VARIABLE, j->inputs, 1);
}

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

/* The settings of an earlier run, where the line has none. */
static void take_settings(sb_run_request *run, const json_t *last)
{
  const json_t *repetitions = json_object_get(last, "repetitions"), *warm_up = json_object_get(last, "warm_up");
  const char   *launcher = json_string_value(json_object_get(last, "launcher"));
  if (run->time_limit_seconds <= 0) run->time_limit_seconds = json_number_value(json_object_get(last, "time_limit"));
  if (run->memory_limit_bytes <= 0) run->memory_limit_bytes = json_number_value(json_object_get(last, "memory_limit"));
  if (run->warm_up < 0 && warm_up) run->warm_up = (int)json_integer_value(warm_up);
  if (run->launcher == SB_LAUNCH_MPIEXEC && launcher)
    while (sb_launchers[run->launcher + 1] && strcmp(sb_launchers[run->launcher], launcher) != 0) ++run->launcher;
  if (run->jobs == 0) run->jobs = (int)json_integer_value(json_object_get(last, "jobs"));
  if (run->repetitions == 0)
    run->repetitions = json_is_string(repetitions) ? SB_REPETITIONS_AUTO : (int)json_integer_value(repetitions);
  run->quick = json_is_true(json_object_get(last, "quick"));
}

/* Says what to type to have it anew. */
static bool refuse_changed(const job *j, const sb_planned_case *c, const sb_session *session)
{
  const char     *files = "";
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, session->arena);
  for (size_t i = 0; i < SB_INPUT_OPTIONS; ++i)
    if (sb_input_is_named(c->options, sb_input_options[i]))
      files = sb_arena_join(session->arena, files, ", ", "%s", sb_options_text(c->options, sb_input_options[i]));
  sb_text_put_word(stream, j->sweep_path);
  fputs(" -o ", stream);
  sb_text_put_word(stream, j->run.directory);
  return sb_error_at(session->diagnostics, (sb_location){j->sweep_path, 0, 0}, "E114",
                     "case %s has changed, as a file that it names has (%s); springbench run %s leaves the earlier "
                     "cases out",
                     c->key, files, sb_arena_text(&writer));
}

/* Finds the sweep file of an input, and the results directory that it is in: its request is part of the input. Returns
 * the runs of the journal there; NULL: there is none. */
static const json_t *find_job(const arguments *a, const char *input, job *j, sb_journal_state *journal)
{
  sb_arena   *arena = a->session.arena;
  struct stat about;
  *j = (job){.run = a->run, .sweep_path = input};
  j->is_stored = stat(input, &about) == 0 && S_ISDIR(about.st_mode);
  if (j->is_stored) j->sweep_path = sb_arena_format(arena, "%s/sweep.yaml", input);
  const char *slash = strrchr(j->sweep_path, '/');
  j->folder = slash ? sb_arena_copy_span(arena, j->sweep_path, (size_t)(slash - j->sweep_path)) : ".";
  if (slash == j->sweep_path) j->folder = "/";
  const bool    ran = sb_journal_read(sb_arena_format(arena, "%s/journal.jsonl", j->folder), journal);
  const json_t *runs = ran ? journal->runs : NULL, *last = json_array_get(runs, json_array_size(runs) - 1);
  /* The folder where the last run of the directory found the files that cases name, else that of the sweep file. */
  if (!a->inputs_by_user) j->inputs = sb_arena_copy(arena, json_string_value(json_object_get(last, "inputs")));
  if (!a->inputs_by_user && !j->inputs) j->inputs = sb_arena_adopt(arena, realpath(j->folder, NULL));
  return runs;
}

/* Reads the sweep file of a job, with its request and what the line adds. */
static bool read_job(const arguments *a, const char *input, job *j, bool *sets)
{
  const sb_session *session = &a->session;
  const char       *slash = strrchr(j->sweep_path, '/');
  const bool        of_results = strcmp(slash ? slash + 1 : j->sweep_path, "sweep.yaml") == 0;
  j->sweep = sb_sweep_read(j->sweep_path, session);
  bool good = j->sweep != NULL;
  if (good) j->sweep->is_stored = j->sweep_path != input;
  for (size_t i = 0; good && i < a->added_count; ++i) {
    const char *numbered = sb_arena_format(session->arena, "--method %zu", i + 1);
    good = sb_sweep_add_methods(j->sweep, a->added[i], a->added_count == 1 ? "--method" : numbered, session);
  }
  if (good && of_results) good = sb_request_read(j->sweep, j->folder, session);
  const char *before = good ? sb_request_directory(j->sweep, session->arena) : NULL;
  for (size_t i = 0; good && i < a->set_count; ++i) good = sb_request_take(j->sweep, a->set[i], session);
  *sets = good && strcmp(before, sb_request_directory(j->sweep, session->arena)) != 0;
  return good;
}

/* Finds where the results are, or will be, and joins the request with the one there. `sets`: the line makes it another
 * request than that of the input. False after a diagnostic. */
static bool find_directory(const arguments *a, const char *input, job *j, bool sets)
{
  sb_arena   *arena = a->session.arena;
  const char *own = sb_request_directory(j->sweep, arena);
  const bool  in_place = j->is_stored && !a->output && (!sets || a->run.replaces);
  j->run.directory = in_place ? input
                     : a->output && a->input_count == 1
                         ? a->output
                         : sb_arena_format(arena, "%s/%s", a->output ? a->output : "results", own);
  j->is_stored = in_place;
  j->run.known = sb_arena_adopt(arena, sb_read_file(sb_arena_format(arena, "%s/request.json", j->run.directory), NULL));
  const char *advice = sb_arena_format(
      arena, "%s, or add --replace: %s is then the directory of this request, and no result is deleted",
      a->output ? "leave -o out for a directory of its own, choose another" : "choose another directory with -o",
      j->run.directory);
  if (!a->run.replaces && !sb_request_join(j->sweep, j->run.directory, advice, &a->session)) return false;
  if (j->sweep->set.count > 0 && !in_place && !a->output && sb_progress_form_of(a->run.progress) != SB_PROGRESS_NONE)
    fprintf(stderr, "springbench: %s: a request of its own (%s): %s\n", j->sweep->name,
            sb_request_options(j->sweep, arena) + 1, j->run.directory);
  return true;
}

/* True if the line has nothing of its own: the job goes on with what was asked for so far. */
static bool goes_on(const arguments *a, const job *j, const json_t *runs)
{
  const bool chooses = !sb_selection_is_whole(&a->selection) || a->aside_count + a->set_count + a->added_count > 0;
  return j->is_stored && runs && !chooses && a->run.shards <= 1;
}

/* Narrows the plan to the cases asked for so far, and takes the settings of the last run where the line has none. All
 * cases of a sweep file that was edited are asked for. False after E114. */
static bool take_up(job *j, const sb_plan *stored, const json_t *runs, const sb_session *session)
{
  if (!stored || stored->count == 0) return true;
  if (sweep_was_edited(runs, j->sweep)) {
    fprintf(stderr, "springbench: %s was changed: its current cases are used\n", j->sweep_path);
    return true;
  }
  const sb_planned_case *changed = sb_plan_changed(j->run.made, stored);
  if (changed) return refuse_changed(j, changed, session);
  j->plan = sb_plan_known(j->run.made, stored, NULL, session->arena);
  const json_t *last = json_array_get(runs, json_array_size(runs) - 1);
  if (last) take_settings(&j->run, last);
  return true;
}

/* Makes the plans of a job: of the whole request, and of what is asked for. False after diagnostics. */
static bool plan_job(const arguments *a, job *j, const json_t *runs)
{
  const sb_session *session = &a->session;
  sb_session        quiet = *session;
  const bool        all = sb_selection_is_whole(&a->selection) && a->aside_count == 0, on = goes_on(a, j, runs);
  const char       *path = sb_arena_format(session->arena, "%s/plan.json", j->run.directory);
  SB_OWNED char    *text = sb_read_file(path, NULL);
  if (!text && errno != ENOENT && errno != ENOTDIR)
    return sb_error_at(session->diagnostics, (sb_location){path, 0, 0}, "E100", "cannot read: %s", sb_cause(errno));
  SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *damage = sb_diagnostics_create();
  quiet.diagnostics = NULL; /* the run reports damage, and makes the plan anew */
  sb_plan *made = sb_plan_create(j->sweep, NULL, all ? session : &quiet);
  sb_plan *asked = all ? made : sb_plan_create(j->sweep, &a->selection, session);
  if (!asked) return false;
  quiet.diagnostics = damage;
  const bool here = sb_plan_is_here(asked, session->vocabulary);
  sb_plan   *stored = text && (on || !here || a->run.dry_run) ? sb_plan_from_json(text, path, &quiet) : NULL;
  char reason[SB_ERROR_SIZE] = "";
  sb_diagnostics_reason(damage, reason, sizeof reason);
  if (a->run.dry_run && text && !stored)
    fprintf(stderr, "springbench: warning: %s cannot be read (%s); a run makes it again\n", path, reason);
  if (stored && made) sb_plan_stand_in(made, stored, session->vocabulary);
  if (stored && asked != made) sb_plan_stand_in(asked, stored, session->vocabulary);
  j->run.made = made;
  j->plan = asked;
  return !on || take_up(j, stored, runs, session);
}

/* Checks the file's expressions over the cases that the file makes. A request may leave them without a case, or with
 * several: claims are then not tested. */
static void check_expressions(const job *j, const sb_session *session)
{
  const sb_sweep *sweep = j->sweep;
  sb_sweep        plain = *sweep;
  plain.set = plain.more = (sb_settings){0};
  plain.added_count = 0;
  const bool is_plain = sweep->set.count + sweep->more.count + sweep->added_count == 0;
  sb_sweep_check_expressions(is_plain ? sweep : &plain, is_plain ? j->run.made : NULL, session);
}

/* Reads the sweep and makes the plan; without a plan it is one of several sweeps and has no quick part. SB_EXIT_OK, or
 * a status to leave with: SB_EXIT_USAGE after diagnostics, SB_EXIT_NO_MATCH where the filter left no case. */
static int open_job(const arguments *a, const char *input, job *j)
{
  const sb_session *session = &a->session;
  const size_t      before = sb_diagnostics_errors(session->diagnostics);
  sb_journal_state  journal;
  bool              sets = false;
  const json_t     *runs = find_job(a, input, j, &journal);
  use_inputs(j);
  bool       good = read_job(a, input, j, &sets);
  const bool left_out = good && j->sweep->quick.none && a->selection.quick && a->input_count > 1;
  if (good && !left_out)
    good = find_directory(a, input, j, sets) && sb_diagnostics_errors(session->diagnostics) == before &&
           plan_job(a, j, runs);
  sb_journal_clear(&journal);
  if (left_out) return SB_EXIT_OK;
  if (!good) return SB_EXIT_USAGE;
  check_expressions(j, session);
  sb_sweep_check_files(j->sweep, session);
  sb_figures_check(j->sweep, session->diagnostics);
  sb_plan_check_scenes(j->plan, session);
  if (sb_diagnostics_errors(session->diagnostics) > before) return SB_EXIT_USAGE;
  if (j->run.shards > 1) j->run.shard_of = sb_plan_shards(j->plan, j->run.shards, session->arena);
  if (j->plan->count > 0) return SB_EXIT_OK;
  if (!a->selection.filter && !a->selection.exclude) return SB_EXIT_USAGE;
  sb_error_at(session->diagnostics, (sb_location){0}, "E107", "no case of %s matches the filter", j->sweep->name);
  return SB_EXIT_NO_MATCH;
}

/* ---- check ---- */

/* Returns an exit status. */
static int check_sweep(const char *input, bool inputs_by_user, const sb_session *session)
{
  job             j;
  sb_session      own = sb_session_begin(session->vocabulary);
  const arguments a = {.session = own, .input_count = 1, .inputs_by_user = inputs_by_user, .run.dry_run = true};
  int             status = open_job(&a, input, &j) == SB_EXIT_OK ? SB_EXIT_OK : SB_EXIT_USAGE;
  if (status == SB_EXIT_OK) sb_petsc_probe(j.plan, sb_full_program(own.arena), &own);
  if (sb_diagnostics_errors(own.diagnostics) > 0) status = SB_EXIT_USAGE;
  if (status == SB_EXIT_OK)
    printf("%s: %s, %s, %s, %s, %s\n", input, sb_counted(own.arena, j.plan->count, "case"),
           sb_counted(own.arena, j.sweep->table_count, "table"), sb_counted(own.arena, j.sweep->figure_count, "figure"),
           sb_counted(own.arena, j.sweep->animation_count, "animation"),
           sb_counted(own.arena, j.sweep->claim_count, "claim"));
  sb_session_end(&own, stderr);
  return status;
}

static int run_check(int argc, char **argv, const sb_session *session)
{
  const sb_command_words given = sb_command_read(argc, argv, session, NULL);
  const bool             by_user = getenv(SB_INPUTS_VARIABLE) != NULL; /* before the first sweep sets it */
  arguments              a = {.session = *session};
  size_t                 checked = 0;
  int                    worst = SB_EXIT_OK;
  for (int i = 0; i < given.count; ++i)
    for (add_inputs(&a, given.names[i]); checked < a.input_count; ++checked) {
      const int status = check_sweep(a.inputs[checked], by_user, session);
      if (status != SB_EXIT_OK) worst = status;
    }
  return worst;
}

const sb_command sb_command_check = {.run = run_check, .least = 1};

/* ---- plan ---- */

/* The work that a run would do: by case, and in total. */
typedef struct {
  sb_turn *turns; /* [plan->count] SB_TURN_NONE also for cases of other shards */
  size_t   missing, done, skipped;
  double   bytes; /* to store */
  double   memory_limit_bytes;
  double   seconds;    /* expected for the missing ones; NAN: not known */
  bool     is_typical; /* by typical times, else by the mean of those done */
} outlook;

static const char *const turn_words[] = {
    [SB_TURN_NONE] = "done", [SB_TURN_FIRST] = "missing", [SB_TURN_AGAIN] = "again"};

/* A journal that cannot be read is named, and has no cases. */
static outlook look_ahead(const job *j, sb_arena *arena)
{
  const char      *build = sb_build_name(j->run.program, arena), *machine = sb_machine_name(arena);
  const double     asked = j->run.memory_limit_bytes, limit = asked > 0 ? asked : j->sweep->memory_limit_bytes;
  const sb_typical typical = sb_typical_of(j->sweep->name, arena);
  outlook          o = {.turns = sb_arena_take(arena, j->plan->count, sizeof *o.turns), .memory_limit_bytes = limit};
  double           seconds = 0, known = 0;
  sb_journal_state journal;
  const char      *path = sb_arena_format(arena, "%s/journal.jsonl", j->run.directory);
  if (!sb_journal_read(path, &journal)) sb_storage_error("read", path, errno, 0);
  sb_journal_name_damage(&journal, path, "a run computes their cases again");
  for (size_t i = 0; i < j->plan->count; ++i) {
    const sb_planned_case *c = &j->plan->cases[i];
    if (!sb_run_request_takes(&j->run, i)) continue;
    const json_t       *event = json_object_get(journal.cases, c->key);
    const sb_case_state state = sb_case_state_of(&journal, j->run.directory, c->key, build, machine);
    const bool          ran = !c->skipped && state != SB_STATE_PLANNED && state != SB_STATE_PENDING;
    const double        took = ran ? json_number_value(json_object_get(json_object_get(event, "row"), "wall_s")) : 0;
    o.turns[i] = sb_run_turn(&j->run, c, state, event, limit);
    seconds += took;
    known += took > 0;
    o.skipped += c->skipped != NULL;
    o.done += !c->skipped && o.turns[i] == SB_TURN_NONE;
    o.missing += o.turns[i] != SB_TURN_NONE;
    if (o.turns[i] != SB_TURN_NONE) o.bytes += sb_case_predicted_bytes(c);
  }
  sb_journal_clear(&journal);
  o.seconds = sb_typical_seconds(&typical, j->run.quick, o.missing);
  o.is_typical = !isnan(o.seconds);
  if (!o.is_typical && known > 0) o.seconds = seconds / known * (double)o.missing;
  return o;
}

/* Says what run would do, case by case, how much it would store, and how long it would take. */
static void print_plan(const job *j, const sb_session *session)
{
  const sb_plan *plan = j->plan;
  const outlook  o = look_ahead(j, session->arena);
  printf("%s: %zu cases into %s", j->sweep->name, plan->count, j->run.directory);
  if (j->run.shards > 1) printf("; of them shard %d/%d", j->run.shard, j->run.shards);
  putchar('\n');
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_planned_case *c = &plan->cases[i];
    if (!sb_run_request_takes(&j->run, i)) continue;
    printf("  %s  %-8s", c->key, c->skipped ? "skipped" : turn_words[o.turns[i]]);
    for (size_t x = 0; x < plan->axis_count; ++x) {
      const sb_option_id id = sb_option_find(plan->axes[x]);
      const char *value = id == sb_option_count ? sb_case_text(c, plan->axes[x]) : sb_options_text(c->options, id);
      printf("  %s=%s", plan->axes[x], *value ? value : "-");
    }
    printf("%s%s\n", c->skipped ? "  because: " : "", c->skipped ? c->skipped : "");
  }
  printf("%zu to run, %zu done, %zu skipped; about %.1f MB to store", o.missing, o.done, o.skipped, o.bytes / 1e6);
  const char *takes = sb_duration_words(o.seconds, session->arena);
  if (o.missing > 0 && *takes)
    printf(o.is_typical ? ", typically %s on two quiet cores" : ", about %s by the mean of those done", takes);
  else if (o.missing > 0)
    printf("; the time is unknown, as none has run");
  putchar('\n');
}

/* The cases of a job for other engines, behind those that are there. */
static void add_engine_cases(const job *j, sb_arena *arena, sb_engine_case **all, size_t *count)
{
  const outlook o = look_ahead(j, arena);
  const double *seconds = sb_plan_predicted_seconds(j->sweep, j->plan, j->run.quick, arena);
  for (size_t i = 0; i < j->plan->count; ++i) {
    const sb_planned_case *c = &j->plan->cases[i];
    if (!sb_run_request_takes(&j->run, i)) continue;
    *SB_NEW_ITEM(arena, *all, *count) =
        (sb_engine_case){.sweep = j->sweep->name,
                         .planned = c,
                         .state = c->skipped ? "skipped" : turn_words[o.turns[i]],
                         .seconds = seconds[i],
                         .line = c->skipped ? NULL : sb_engine_line(c, &j->run, o.memory_limit_bytes, arena)};
  }
}

/* Adds what this job wants of an allocation. */
static void add_slurm_sweep(arguments *a, const job *j, double *load)
{
  sb_slurm_request *r = &a->slurm;
  sb_arena         *arena = a->session.arena;
  sb_slurm_sweep   *sweeps = sb_arena_grow(arena, (sb_slurm_sweep *)r->sweeps, r->count, sizeof *sweeps);
  const double     *seconds = sb_plan_predicted_seconds(j->sweep, j->plan, j->run.quick, arena);
  const int        *shard_of = sb_plan_shards(j->plan, r->tasks, arena);
  SB_OWNED char    *path = realpath(j->sweep_path, NULL);
  sweeps[r->count++] = (sb_slurm_sweep){sb_arena_copy(arena, path ? path : j->sweep_path), j->sweep->name,
                                        j->run.directory, sb_request_directory(j->sweep, arena)};
  r->sweeps = sweeps;
  r->timed = r->timed || j->sweep->timed;
  for (size_t i = 0; i < j->plan->count; ++i) {
    const sb_planned_case *c = &j->plan->cases[i];
    const int              jobs = j->run.jobs > 0 ? j->run.jobs : 1;
    load[shard_of[i] - 1] += seconds[i] / jobs;
    if (c->skipped) continue;
    r->ranks = (int)fmax(r->ranks, (double)SB_INTEGER(c->options, ranks));
    r->processors = (int)fmax(r->processors, (double)SB_INTEGER(c->options, threads) * jobs);
  }
}

static bool write_slurm(arguments *a, const double *load)
{
  sb_slurm_request *r = &a->slurm;
  sb_arena         *arena = a->session.arena;
  r->one_node = r->ranks > 1 && a->run.launcher == SB_LAUNCH_MPIEXEC;
  r->output = r->count == 1 ? r->sweeps[0].output : a->output ? a->output : sb_arena_copy(arena, "results");
  r->seconds[0] = r->seconds[1] = load[0];
  for (int s = 1; s < r->tasks; ++s) {
    r->seconds[0] = fmin(r->seconds[0], load[s]);
    r->seconds[1] = fmax(r->seconds[1], load[s]);
  }
  return sb_slurm_write(r, arena);
}

static int run_plan(int argc, char **argv, const sb_session *session)
{
  arguments       a;
  size_t          count = 0;
  sb_engine_case *cases = sb_arena_take(session->arena, 0, sizeof *cases);
  read_arguments(argc, argv, session, &a);
  a.run.dry_run = true;
  double *load = sb_arena_take(session->arena, (size_t)a.slurm.tasks, sizeof *load);
  for (size_t i = 0; i < a.input_count; ++i) {
    job       j;
    const int status = open_job(&a, a.inputs[i], &j);
    sb_diagnostics_flush(session->diagnostics, stderr);
    if (status != SB_EXIT_OK) return status;
    if (!j.plan) continue;
    if (a.slurm.tasks > 0) {
      add_slurm_sweep(&a, &j, load);
    } else if (a.form == PLAN_TEXT) {
      print_plan(&j, session);
    } else {
      use_inputs(&j);
      add_engine_cases(&j, session->arena, &cases, &count);
    }
  }
  if (a.slurm.tasks > 0) return a.slurm.count > 0 && write_slurm(&a, load) ? SB_EXIT_OK : SB_EXIT_STORAGE;
  if (a.form == PLAN_JSON) sb_engine_put_json(count, cases, stdout);
  const bool good = a.form != PLAN_COMMANDS || sb_engine_put_lines(count, cases, stdout, session->diagnostics);
  sb_diagnostics_flush(session->diagnostics, stderr);
  return good ? SB_EXIT_OK : SB_EXIT_USAGE;
}

const sb_command sb_command_plan = {.run = run_plan, .options = option_table, .take_names = take_sweeps};

/* ---- run ---- */

/* NULL for a single sweep, and where nobody wants to read of progress. */
static sb_tour *begin_tour(const arguments *a, size_t count, const job *jobs)
{
  sb_arena      *arena = a->session.arena;
  sb_tour_sweep *each = sb_arena_take(arena, count, sizeof *each);
  if (count < 2 || a->run.dry_run || sb_progress_form_of(a->run.progress) == SB_PROGRESS_NONE) return NULL;
  for (size_t i = 0; i < count; ++i) {
    const outlook o = look_ahead(&jobs[i], arena);
    each[i] = (sb_tour_sweep){jobs[i].sweep->name, o.missing + o.done, o.missing, o.seconds};
  }
  return sb_tour_begin(dirname(sb_arena_copy(arena, jobs[0].run.directory)), count, each, a->run.quick, arena);
}

enum { PAGES_SHARE = 20 };

/* The pages of the folders, as sweeps end: so seldom that they take no more than a part of the time. Not before
 * *next_seconds. */
static int renew_pages(const sb_session *session, const char *home, size_t ended, sb_results *const *all,
                       double *next_seconds)
{
  const double before = sb_clock_seconds();
  if (before < *next_seconds) return SB_EXIT_OK;
  const int    status = sb_report_pages_write(session, home, ended, all, false);
  const double after = sb_clock_seconds();
  *next_seconds = after + PAGES_SHARE * (after - before);
  return status;
}

/* False after E104 if a case to run needs more processors than there are here; finished cases may. */
static bool can_start(const job *j, const sb_session *session)
{
  outlook o = {0};
  for (size_t i = 0; i < j->plan->count; ++i) {
    const sb_planned_case *c = &j->plan->cases[i];
    if (c->skipped || sb_case_check_start(c->options, j->run.launcher, NULL)) continue;
    if (!o.turns) o = look_ahead(j, session->arena);
    if (o.turns[i] != SB_TURN_NONE) return sb_case_check_start(c->options, j->run.launcher, session->diagnostics);
  }
  return true;
}

/* E114 if an earlier sweep of the command is another file and has the same directory: they would take turns in it. */
static bool has_own_directory(const job *j, const job *earlier, const sb_session *session)
{
  struct stat mine, other;
  for (; earlier < j; ++earlier)
    if (strcmp(earlier->run.directory, j->run.directory) == 0 && stat(j->sweep_path, &mine) == 0 &&
        stat(earlier->sweep_path, &other) == 0 && (mine.st_ino != other.st_ino || mine.st_dev != other.st_dev))
      return sb_error_at(session->diagnostics, (sb_location){j->run.directory, 0, 0}, "E114",
                         "%s and %s have the same name '%s', and so the same directory: give one of them another name",
                         earlier->sweep_path, j->sweep_path, j->sweep->name);
  return true;
}

/* Reads all sweeps before the first case runs, so a mistake in the last is reported now, not after hours. *count: those
 * with something to run. `check` alone gives warnings about a sweep that comes with springbench, as its author knows
 * them. */
static int open_jobs(const arguments *a, job *jobs, size_t *count)
{
  int worst = SB_EXIT_OK;
  *count = 0;
  for (size_t i = 0; i < a->input_count; ++i) {
    job *j = &jobs[*count];
    int  status = open_job(a, a->inputs[i], j);
    if (status == SB_EXIT_OK && j->plan && !a->run.dry_run && !can_start(j, &a->session)) status = SB_EXIT_USAGE;
    if (status == SB_EXIT_OK && j->plan && !has_own_directory(j, jobs, &a->session)) status = SB_EXIT_USAGE;
    const bool known = status == SB_EXIT_OK && a->set_count + a->aside_count == 0 && sb_sweep_is_shipped(j->sweep);
    sb_diagnostics_flush(a->session.diagnostics, known ? NULL : stderr);
    if (worst == SB_EXIT_OK) worst = status;
    *count += j->plan != NULL;
  }
  return worst;
}

/* Runs the missing cases of sweeps, then makes their tables, figures and pages; meanwhile and at the end the pages of
 * the folders that they are in. */
static int run_run(int argc, char **argv, const sb_session *session)
{
  arguments a;
  size_t    ended = 0, count;
  double    next_pages = 0;
  sb_signals_leave_on_stop();
  read_arguments(argc, argv, session, &a);
  sb_workers *workers = a.executes || a.run.dry_run ? NULL : sb_workers_create();
  a.run.workers = workers;
  job         *jobs = sb_arena_take(session->arena, a.input_count, sizeof *jobs);
  sb_results **all = sb_arena_take(session->arena, a.input_count, sizeof *all);
  int          worst = open_jobs(&a, jobs, &count);
  const char  *fault = a.run.dry_run ? NULL : sb_full_program_fault(a.run.program);
  if (worst == SB_EXIT_OK && fault) worst = sb_full_program_refused(fault, session->arena);
  if (worst != SB_EXIT_OK) count = 0;
  if (!a.run.dry_run) sb_signals_outlive_readers(); /* the output is the only purpose of a dry run */
  sb_tour    *tour = begin_tour(&a, count, jobs);
  const bool  tells = sb_progress_form_of(a.run.progress) != SB_PROGRESS_NONE;
  const char *home = a.input_count > 1 ? a.output : NULL;
  for (size_t i = 0; i < count && worst <= SB_EXIT_CASES_FAILED; ++i) {
    sb_results *results = NULL;
    use_inputs(&jobs[i]);
    if (tour) sb_tour_next(tour, i);
    const int status = sb_run(jobs[i].sweep, jobs[i].plan, &jobs[i].run, &a.session, &results);
    int       reports = results ? sb_reports_write(results, tells, tour) : SB_EXIT_OK;
    if (results) all[ended++] = results;
    if (results && tour && reports == SB_EXIT_OK) reports = renew_pages(session, home, ended, all, &next_pages);
    if (status != SB_EXIT_OK) worst = status;
    if (reports != SB_EXIT_OK) worst = reports;
  }
  sb_workers_destroy(&workers);
  if (tour) sb_tour_end(tour);
  const int written =
      worst <= SB_EXIT_CASES_FAILED ? sb_report_pages_write(session, home, ended, all, true) : SB_EXIT_OK;
  return written != SB_EXIT_OK ? written : worst;
}

const sb_command sb_command_run = {.run = run_run, .options = option_table, .take_names = take_sweeps};

/* ---- collect ---- */

static int run_collect(int argc, char **argv, const sb_session *session)
{
  arguments   a;
  job         j;
  sb_results *results = NULL;
  read_arguments(argc, argv, session, &a);
  int status = open_job(&a, a.inputs[0], &j);
  sb_diagnostics_flush(session->diagnostics, stderr);
  if (status != SB_EXIT_OK) return status;
  use_inputs(&j);
  sb_signals_outlive_readers();
  status = sb_collect(&a.collected, j.sweep, j.plan, &j.run, &a.session, &results);
  return sb_reports_end(session, status, results);
}

const sb_command sb_command_collect = {.run = run_collect, .options = option_table, .take_names = take_files};

/* ---- case ---- */

/* One case, or, as a worker of a run, the cases that the run requests. */
static int run_case(int argc, char **argv, const sb_session *session)
{
  const bool serves = argc == 2 && strcmp(argv[1], SB_SERVE_FLAG) == 0;
  return serves ? sb_case_serve(session) : sb_case_main(argc, argv, session);
}

const sb_command sb_command_case = {.run = run_case, .full = true};
