/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case: its arguments, launch, PETSc, driver, file and summary; see case.h. Arguments are read by argp; those after
 * `--` join the option petsc. */
#include "cases/run/run_case.h"

#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/dispositions.h"
#include "base/guard.h"
#include "base/input_file.h"
#include "base/option_ids.h"
#include "cases/common/address_space.h"
#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "cases/common/text.h"
#include "cases/run/complaint.h"
#include "cases/store/case_file.h"
#include "cases/store/origin.h"
#include "cases/store/restart.h"
#include "cases/store/side_car.h"
#include "solvers/device/device.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/linear/linear_solver.h"
#include "solvers/minimize/minimizer.h"

/* ---- how its process is started ---- */

/* OpenBLAS and OpenMP read their variables when they are loaded, so a process whose variables are wrong has to be
 * executed again. The settings of MPI bring the start of a single process from 0.33 s to 0.026 s; under mpiexec some of
 * them make MPI_Init abort. Single processes get no session directory. They would all share one, and a process that
 * ends removes it while another starts (5 of 150 failed, six at a time). A user's own settings are kept. */
enum { ONE_RANK = 1, SEVERAL_RANKS = 2, ONE_HOST = 4, ANYWHERE = 8 };
static const struct {
  unsigned    where;
  const char *name, *value;
} settings[] = {
    {ONE_RANK, "OMPI_MCA_ess_singleton_isolated", "1"},
    {ONE_RANK, "OMPI_MCA_btl", "self"},
    {ONE_RANK, "OMPI_MCA_coll", "^hcoll,tuned,ucc"},
    {ONE_RANK, "OMPI_MCA_orte_create_session_dirs", "0"},
    {ONE_RANK | ONE_HOST, "OMPI_MCA_pml", "ob1"},
    {ONE_RANK | ONE_HOST, "OMPI_MCA_osc", "^ucx"},
    /* Between nodes Open MPI chooses its own transport, as the network wants it. */
    {ONE_HOST, "OMPI_MCA_btl", "self,vader"},
    {ONE_HOST, "OMPI_MCA_coll", "^hcoll,ucc"},
    {SEVERAL_RANKS, "OMPI_ALLOW_RUN_AS_ROOT", "1"},
    {SEVERAL_RANKS, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
    {SEVERAL_RANKS, "OMPI_MCA_orte_execute_quiet", "1"}, /* mpiexec of Open MPI 4 adds nothing to a rank's message */
    {SEVERAL_RANKS, "OMPI_MCA_rmaps_base_oversubscribe", "1"},
    {SEVERAL_RANKS, "OMPI_MCA_hwloc_base_binding_policy", "none"},
    {SEVERAL_RANKS, "OMPI_MCA_mpi_yield_when_idle", "1"},
    /* MPI_Init explores the machine by hwloc, on each host and in the launcher. These parts are left out. gl needs an X
       server, and the case ends with it. x86 moves the process to every processor in turn, also to those that it may
       not use. The others load drivers of accelerators, which take time and memory. PoCL replaces the handlers of TERM,
       INT, HUP, QUIT, USR1, USR2, XCPU and SEGV. */
    {ANYWHERE, "HWLOC_COMPONENTS", "-gl,-x86,-opencl,-cuda,-nvml,-rsmi,-levelzero"},
    {ANYWHERE, "HWLOC_PLUGINS_BLACKLIST",
     "hwloc_gl.so,hwloc_opencl.so,hwloc_cuda.so,hwloc_nvml.so,hwloc_rsmi.so,hwloc_levelzero.so"},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static void make_settings(unsigned where)
{
  for (int i = 0; i < SETTINGS; ++i)
    if (settings[i].where & where) setenv(settings[i].name, settings[i].value, 0);
}

/* The number in an environment variable; 0: not set, or not one. */
static int64_t number_in(const char *name)
{
  int64_t     number = 0;
  const char *text = getenv(name);
  return text && sb_parse_integer(text, &number) && number > 0 ? number : 0;
}

/* Number of ranks that mpiexec or srun started, of which this is one; 0: there was no launcher of MPI. srun sets the
 * tasks of its step; SLURM_NTASKS is of the whole job, and set in batch scripts too. */
static int64_t launch_world(void)
{
  const int64_t mpiexec = number_in("OMPI_COMM_WORLD_SIZE"), step = number_in("SLURM_STEP_NUM_TASKS");
  if (mpiexec > 0 || !getenv("PMIX_RANK")) return mpiexec;
  return step > 0 ? step : 1;
}

/* This process's number among them; 0 when no launcher started it. */
static int64_t launch_rank(void)
{
  return getenv("OMPI_COMM_WORLD_RANK") ? number_in("OMPI_COMM_WORLD_RANK") : number_in("PMIX_RANK");
}

/* Number of tasks of a step of srun without MPI (--mpi=none), each an independent process; 0: this is not one of them.
 */
static int64_t tasks_without_mpi(void) { return launch_world() == 0 ? number_in("SLURM_STEP_NUM_TASKS") : 0; }

/* mpiexec may place ranks on other hosts: by the nodes of a job, or a file of hosts. */
static bool may_leave_host(void)
{
  static const char *const lists[] = {"PBS_NODEFILE", "LSB_DJOB_HOSTFILE", "PE_HOSTFILE",
                                      "OMPI_MCA_orte_default_hostfile"};
  bool                     may = number_in("SLURM_JOB_NUM_NODES") > 1;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) may = may || getenv(lists[i]);
  return may;
}

/* Open MPI mistakes a single process with Slurm's variables for a task of srun, and ends it if srun gives no MPI. Job
 * and node are kept for provenance under our own names. */
static void leave_slurm(void)
{
  static const char                       prefix[] = "SLURM_";
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  const char                             *job = sb_job_name(arena), *node = sb_node_name(arena);
  if (*job) setenv(SB_JOB_VARIABLE, job, 1);
  if (*node) setenv(SB_NODE_VARIABLE, node, 1);
  for (char **entry = environ; *entry;) {
    if (strncmp(*entry, prefix, strlen(prefix)) == 0)
      unsetenv(sb_arena_copy_span(arena, *entry, strcspn(*entry, "=")));
    else
      ++entry;
  }
}

/* The path of this program for a launcher, which would report one that cannot be executed as a crash; NULL after a
 * message. */
static char *find_program(const char *launcher, sb_arena *arena)
{
  static const char gone[] = " (deleted)"; /* suffix of the link to a deleted file */
  char             *program = sb_arena_adopt(arena, sb_program_file(NULL));
  const size_t      length = strlen(program), width = strlen(gone);
  if (access(program, X_OK) == 0) return program;
  if (length > width && strcmp(program + length - width, gone) == 0)
    fprintf(stderr, "springbench: error: the program was replaced while the sweep ran: %s\n", program);
  else
    fprintf(stderr, "springbench: error: %s cannot execute %s: %s\n", launcher, program, strerror(errno));
  return NULL;
}

const sb_thread_variable sb_thread_variables[SB_THREAD_VARIABLES] = {
    {"OPENBLAS_NUM_THREADS", NULL}, {"OMP_NUM_THREADS", NULL}, {"OMP_THREAD_LIMIT", NULL}, {"GOMP_SPINCOUNT", "3000"}};

enum { LAUNCH_WORDS = 8 }; /* before the program */

/* Writes the command that starts ranks, in `words`; returns their number. srun ends all ranks when one fails, as
 * mpiexec does. */
static size_t launch_command(const sb_options *options, sb_launcher launcher, char **words, sb_arena *arena)
{
  const char *ranks = SB_TEXT(options, ranks), *pmix = getenv("SLURM_MPI_TYPE") ? "" : " --mpi=pmix";
  char       *line = sb_arena_format(arena, "mpiexec --oversubscribe --allow-run-as-root -n %s", ranks);
  size_t      count = 0;
  if (launcher == SB_LAUNCH_SRUN)
    line = sb_arena_format(arena, "srun --quiet --kill-on-bad-exit=1 --exact --ntasks=%s --cpus-per-task=%s%s", ranks,
                           SB_TEXT(options, threads), pmix);
  while (line) words[count++] = strsep(&line, " ");
  return count;
}

/* Ensures that this process has the environment in which libraries start quickly and with the right number of threads,
 * and that a launcher runs it if there are several ranks. Otherwise it executes the program again with these arguments
 * (argv[0] the command's name) and does not return. Returns false after a message on stderr if that fails: the launcher
 * is missing, or the program at its path is from another build meanwhile, or not executable for this user. */
static bool launch(int argc, char **argv, const sb_case_arguments *arguments, sb_arena *arena)
{
  static char       self[] = "/proc/self/exe"; /* the very file that runs, wherever its name has gone */
  const sb_launcher launcher = arguments->launcher;
  const sb_options *options = arguments->options;
  const bool        several = launch_world() == 0 && SB_INTEGER(options, ranks) > 1;
  bool              in_place = !several;
  for (int i = 0; i < SB_THREAD_VARIABLES; ++i) {
    const sb_thread_variable *variable = sb_thread_variables + i;
    const char               *found = getenv(variable->name);
    const char               *value = i == 0 && sb_address_space_is_limited() ? "1"
                                      : variable->value                       ? variable->value
                                                                              : SB_TEXT(options, threads);
    if (found && strcmp(found, value) == 0) continue;
    setenv(variable->name, value, 1);
    in_place = false;
  }
  /* Started processes inherit a single process's settings; a launcher must not get them. */
  const bool inherited = several && getenv(settings[0].name);
  for (int i = 0; inherited && i < SETTINGS; ++i)
    if (settings[i].where & ONE_RANK) unsetenv(settings[i].name);
  if (several) make_settings(SEVERAL_RANKS | ANYWHERE);
  if (several && launcher == SB_LAUNCH_MPIEXEC && !may_leave_host()) make_settings(ONE_HOST);
  if (in_place) return true;
  char *const program = several ? find_program(sb_launchers[launcher], arena) : self;
  if (!program) return false;
  char       **all = sb_arena_take(arena, LAUNCH_WORDS + (size_t)argc + 2, sizeof *all);
  const size_t words = several ? launch_command(options, launcher, all, arena) : 0;
  all[words] = program;
  memcpy(all + words + 1, argv, (size_t)argc * sizeof *all);
  execvp(all[0], all);
  fprintf(stderr, "springbench: error: cannot execute %s: %s\n", all[0], strerror(errno));
  return false;
}

/* ---- arguments ---- */

enum {
  KEY_JSON = 256,
  KEY_SAMPLES_FROM,
  KEY_WARM_UP,
  KEY_REPETITION,
  KEY_CALIBRATION,
  KEY_RANKS,
  KEY_CONTINUE,
  KEY_NO_SIDE_CAR,
  KEY_CHECKPOINT,
  KEY_STOP_AFTER,
  KEY_SHARED,
  KEY_UNTIMED,
  KEY_BUILD,
  KEY_LAUNCHER,
  DEFAULT_WARM_UP = 2, /* steps */
  COUNT_MAX = 1000000
};

typedef struct {
  sb_case_arguments *arguments;
  sb_arena          *arena;
  sb_diagnostics    *diagnostics;
  const char        *file; /* to continue, NULL: none */
  int                file_column;
  const char        *petsc; /* the words after --, NULL: none */
  int                petsc_column, output_column;
  bool               given[SB_OPT_COUNT]; /* as KEY=VALUE */
  const char        *last;                /* the pair before, NULL: none */
} reader;

static sb_location argument_number(int column) { return (sb_location){"command line", 0, column}; }

static void read_count(reader *r, const char *flag, const char *text, int column, int *count)
{
  int64_t    value;
  const bool good = sb_parse_integer(text, &value) && value >= 0 && value <= COUNT_MAX;
  if (good) *count = (int)value;
  if (!good)
    sb_error_at(r->diagnostics, argument_number(column), "E102", "%s takes a number from 0 to %d; got '%s'", flag,
                COUNT_MAX, text);
}

/* As in a sweep file: the program does not guess which of two values is right. */
static void read_pair(reader *r, const char *pair, int column)
{
  const char        *name = sb_arena_copy_span(r->arena, pair, strcspn(pair, "="));
  const sb_option_id id = sb_option_find(name);
  if (id != SB_OPT_COUNT && r->given[id])
    sb_error_at(r->diagnostics, argument_number(column), "E101", "'%s' is given twice", name);
  else if (strcmp(name, "output") == 0)
    sb_error_at(
        r->diagnostics, argument_number(column), "E101",
        "there is no option 'output'; -o FILE stores the case, and save=every:10 sets how often its state is stored");
  else if (r->last && !strchr(pair, '='))
    sb_error_at(r->diagnostics, argument_number(column), "E101",
                "expected OPTION=VALUE; got '%s'; a value with a blank needs quotes: '%s %s'", pair, r->last, pair);
  else
    sb_options_set_pair(r->arguments->options, pair, SB_FROM_USER, argument_number(column), r->diagnostics);
  if (id != SB_OPT_COUNT) r->given[id] = true;
  r->last = strchr(pair, '=') ? pair : NULL;
}

static error_t read_argument(int key, char *text, struct argp_state *state)
{
  reader            *r = state->input;
  sb_case_arguments *a = r->arguments;
  const int          column = state->next - 1;
  a->json |= key == KEY_JSON;
  a->target.side_car &= key != KEY_NO_SIDE_CAR;
  a->c.untimed |= key == KEY_UNTIMED;
  switch (key) {
  case 'o':
    if (!*text) argp_error(state, "-o takes a file; got ''");
    if (a->target.path) sb_error_at(r->diagnostics, argument_number(column), "E101", "--output is given twice");
    a->target.path = text;
    r->output_column = column;
    return 0;
  case KEY_JSON:
  case KEY_NO_SIDE_CAR:
  case KEY_UNTIMED:
    return 0;
  case KEY_SAMPLES_FROM:
    a->target.samples_from = text;
    return 0;
  case KEY_WARM_UP:
    read_count(r, "--warm-up", text, column, &a->c.warm_up);
    return 0;
  case KEY_REPETITION:
    read_count(r, "--repetition", text, column, &a->c.repetition);
    return 0;
  case KEY_CALIBRATION:
    if (!sb_parse_real(text, &a->c.calibration_seconds) || !(a->c.calibration_seconds > 0))
      sb_error_at(r->diagnostics, argument_number(column), "E102", "--calibration takes seconds > 0; got '%s'", text);
    return 0;
  case KEY_CHECKPOINT:
    a->target.checkpoint = text;
    a->keeps_checkpoint = true;
    return 0;
  case KEY_SHARED:
    a->c.shared = text;
    return 0;
  case KEY_STOP_AFTER:
    if (!sb_parse_integer(text, &a->target.stop_step) || a->target.stop_step < 1)
      sb_error_at(r->diagnostics, argument_number(column), "E102", "--stop-after takes a step from 1 on; got '%s'",
                  text);
    return 0;
  case KEY_LAUNCHER:
    while (sb_launchers[a->launcher] && strcmp(sb_launchers[a->launcher], text) != 0) ++a->launcher;
    if (!sb_launchers[a->launcher]) argp_error(state, "--launcher takes mpiexec, srun or none; got '%s'", text);
    return 0;
  case KEY_BUILD:
    a->target.build = text;
    return 0;
  case KEY_RANKS:
    sb_options_set(a->options, SB_OPT_ranks, text, SB_FROM_USER, argument_number(column), r->diagnostics);
    return 0;
  case KEY_CONTINUE:
    r->file = text;
    r->file_column = column;
    return 0;
  case ARGP_KEY_ARG:
    if (state->quoted == 0 || column < state->quoted) {
      read_pair(r, text, column);
      return 0;
    }
    if (!r->petsc) r->petsc_column = column;
    r->petsc = sb_arena_join(r->arena, r->petsc ? r->petsc : "", " ", "%s", text);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option flags[] = {
    {"output", 'o', "FILE", 0, "store the case in FILE (HDF5); without it nothing is stored", 0},
    {"no-side-car", KEY_NO_SIDE_CAR, NULL, 0,
     "do not write FILE.xdmf for ParaView beside FILE.h5 (a sweep writes it when it publishes the case)", 0},
    {"json", KEY_JSON, NULL, 0, "print the row as one line of JSON instead of a summary", 0},
    {"samples-from", KEY_SAMPLES_FROM, "FILE", 0, "join the timing samples of an earlier repetition of the case", 0},
    {"warm-up", KEY_WARM_UP, "N", 0, "steps that timing drivers do not count (default 2)", 0},
    {"repetition", KEY_REPETITION, "N", 0, "number of this repetition, from 0", 0},
    {"calibration", KEY_CALIBRATION, "SECONDS", 0,
     "time of the calibration loop (the noise test) on this machine when it is quiet, if known", 0},
    {"build", KEY_BUILD, "NAME", 0, "name of this build in results, if known", 0},
    {"continue", KEY_CONTINUE, "FILE", 0,
     "continue from the last state of FILE, a stored case, with its options unless given here, and restart=FILE", 0},
    {"checkpoint", KEY_CHECKPOINT, "PATH", 0,
     "file for the state of the case if SIGUSR1 stops it (default: FILE.checkpoint, which the case removes at its end)",
     0},
    {"shared", KEY_SHARED, "FOLDER", 0,
     "folder where cases find and leave what they have in common, the motion of their reference (a run's tmp/)", 0},
    {"untimed", KEY_UNTIMED, NULL, 0, "leave out the times of driver convergence (sweeps with timed: false)", 0},
    {"stop-after", KEY_STOP_AFTER, "STEP", 0, "stop the case after this step, as SIGUSR1 does", 0},
    {"ranks", KEY_RANKS, "N", 0, "the same as ranks=N: MPI ranks, started by the launcher", 0},
    {"launcher", KEY_LAUNCHER, "HOW", 0,
     "launcher of several ranks: mpiexec (default), srun (within an allocation of Slurm), or none (an error)", 0},
    {0},
};
static const struct argp parser = {
    .options = flags,
    .parser = read_argument,
    .args_doc = "KEY=VALUE ... [-- PETSC OPTIONS]",
    .doc = "Runs one case in this process. `springbench list options` shows the keys.",
};

/* The file is renamed over any file of its name, so that must be a case file or empty (mktemp). A link would be
 * replaced instead of its target. Its side-car may replace only a side-car. */
void sb_case_check_output(const sb_case_target *target, sb_location where, sb_diagnostics *diagnostics)
{
  struct stat    about;
  const char    *path = target->path;
  SB_OWNED char *side_car = path && target->side_car ? sb_side_car_path(path) : NULL;
  if (side_car && !sb_side_car_may_replace(side_car))
    sb_error_at(diagnostics, where, "E109",
                "-o %s: its side-car would replace %s, which is not a side-car; choose another name", path, side_car);
  const char *slash = path ? strrchr(path, '/') : NULL;
  if (side_car && strchr(slash ? slash : path, ':'))
    sb_error_at(diagnostics, where, "E109",
                "-o %s: readers of the side-car end the file's name at the ':'; choose a name without it, or give "
                "--no-side-car",
                path);
  if (!path || lstat(path, &about) != 0) return;
  if (!S_ISREG(about.st_mode))
    sb_error_at(diagnostics, where, "E109", "-o %s: not a regular file; choose another name", path);
  else if (about.st_size > 0 && !sb_case_file_is_one(path))
    sb_error_at(diagnostics, where, "E109", "-o %s: the file exists and is not a case file; choose another name", path);
}

bool sb_case_arguments_read(int argc, char **argv, const sb_session *session, sb_case_arguments *arguments)
{
  static char     name[] = "springbench case"; /* in argp's messages */
  sb_arena       *arena = session->arena;
  sb_diagnostics *diagnostics = session->diagnostics;
  sb_options     *options = sb_options_create(session->vocabulary);
  const int64_t   world = launch_world();
  reader          r = {.arguments = arguments, .arena = arena, .diagnostics = diagnostics};
  *arguments = (sb_case_arguments){
      .options = options, .target.side_car = true, .c = {.options = options, .warm_up = DEFAULT_WARM_UP}};
  if (!options) return false;
  char **words = sb_arena_take(arena, (size_t)argc + 1, sizeof *words);
  memcpy(words, argv, (size_t)argc * sizeof *words);
  words[0] = name;
  argp_err_exit_status = SB_EXIT_USAGE;
  if (argp_parse(&parser, argc, words, ARGP_IN_ORDER, NULL, &r) != 0) return false;
  if (r.file && !sb_restart_take_options(r.file, options, argument_number(r.file_column), diagnostics)) return false;
  if (r.petsc) {
    const char *all = sb_arena_join(arena, SB_TEXT(options, petsc), " ", "%s", r.petsc);
    sb_options_set(options, SB_OPT_petsc, all, SB_FROM_USER, argument_number(r.petsc_column), diagnostics);
  }
  if (world > 0) { /* a launcher has already set the number of ranks */
    if (sb_options_origin(options, SB_OPT_ranks) == SB_FROM_USER && SB_INTEGER(options, ranks) != world)
      sb_error_at(diagnostics, sb_options_location(options, SB_OPT_ranks), "E104", "ranks=%lld, but %s started %lld",
                  (long long)SB_INTEGER(options, ranks), getenv("OMPI_COMM_WORLD_SIZE") ? "mpiexec" : "srun",
                  (long long)world);
    sb_options_set(options, SB_OPT_ranks, sb_arena_format(arena, "%lld", (long long)world), SB_FROM_USER,
                   argument_number(0), diagnostics);
  }
  if (tasks_without_mpi() > 1 && SB_INTEGER(options, ranks) > 1)
    sb_error_at(diagnostics, sb_options_location(options, SB_OPT_ranks), "E104",
                "ranks=%lld, but srun started %lld tasks without MPI; srun --mpi=pmix makes them ranks of one case",
                (long long)SB_INTEGER(options, ranks), (long long)tasks_without_mpi());
  sb_case_check_output(&arguments->target, argument_number(r.output_column), diagnostics);
  if (arguments->target.path && !arguments->target.checkpoint)
    arguments->target.checkpoint = sb_arena_format(arena, "%s.checkpoint", arguments->target.path);
  sb_case_apply_problem(options);
  return sb_diagnostics_errors(diagnostics) == 0 && sb_case_resolve(options, &arguments->c.time, diagnostics) &&
         (world > 0 || sb_case_check_start(options, arguments->launcher, diagnostics));
}

/* ---- its answers ---- */

/* Standard output of a case with --json; -1: of another one, which any code may write to. */
static int answers = -1;

/* Until the row is ready its standard output is its log, so that the output of a plug-in is not taken for a row. */
static void set_output_aside(void)
{
  answers = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (answers >= 0) dup2(STDERR_FILENO, STDOUT_FILENO);
}

static void take_output_back(void)
{
  if (answers < 0) return;
  fflush(stdout);
  dup2(answers, STDOUT_FILENO);
}

/* Also for a signal handler. A case with methods of plug-ins ends the run only by this word, since they may end the
 * process with any status. */
static int announce_end(int exit_status)
{
  char line[] = "{\"ends\":  0}\n", *digits = strchr(line, '0');
  if (exit_status > 9) digits[-1] = (char)('0' + exit_status / 10);
  *digits = (char)('0' + exit_status % 10);
  return answers < 0 || write(answers, line, strlen(line)) > 0 ? exit_status : SB_EXIT_STORAGE;
}

/* ---- the case ---- */

static int exit_status_of(PetscErrorCode code)
{
  if (code == PETSC_ERR_USER) return SB_EXIT_USAGE;
  if (code == PETSC_ERR_FILE_WRITE) return SB_EXIT_STORAGE;
  return code == PETSC_ERR_MEM ? SB_EXIT_NO_MEMORY : SB_EXIT_CASES_FAILED;
}

/* All ranks have a user's mistake or a full disk, so one reports it; every rank reports its other errors. */
_Noreturn static void give_up(const sb_complaint *c, PetscErrorCode code, sb_recorder **recorder)
{
  int         rank = 0;
  const int   exit_status = exit_status_of(code);
  const bool  memory = exit_status == SB_EXIT_NO_MEMORY, failed = exit_status == SB_EXIT_CASES_FAILED || memory;
  const char *text = c->message, *kind = NULL, *place = failed ? c->place : "";
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (*recorder) sb_recorder_progress_end(*recorder);
  if (!*text && PetscErrorMessage(code, &kind, NULL) == 0 && kind) text = kind;
  const char *start = strstr(text, ": error: ") ? ""
                      : memory                  ? "springbench: error: out of memory: "
                                                : "springbench: error: ";
  take_output_back();
  /* On a full disk a runner's log cannot be written, but its pipe can. */
  if ((rank == 0 || failed) && fprintf(stderr, "%s%s%s\n", start, text, place) < 0)
    printf("%s%s%s\n", start, text, place);
  if (rank == 0) (void)sb_recorder_destroy(recorder);
  fflush(NULL);
  _exit(rank == 0 && exit_status == SB_EXIT_STORAGE ? announce_end(exit_status) : exit_status);
}

/* On a terminal, which a reader looks at, a number has six digits, and what has no value is left out. */
static void print_item(const char *name, const json_t *value, const char *unit)
{
  enum { DIGITS = 6 };
  const bool  terminal = isatty(STDOUT_FILENO), blank = json_is_null(value);
  const bool  real = json_is_real(value);
  char        number[SB_NUMBER_TEXT];
  const char *text = real && terminal        ? sb_text_short(json_real_value(value), DIGITS, number)
                     : real                  ? sb_format_real(json_real_value(value), number)
                     : json_is_string(value) ? json_string_value(value)
                     : json_is_true(value)   ? "yes"
                     : json_is_false(value)  ? "no"
                                             : "-";
  if (!(terminal && blank)) printf("%-26s %s%s%s\n", name, text, *unit && !blank ? " " : "", blank ? "" : unit);
}

static void print_hints(const sb_options *options, const sb_driver *driver, sb_status status)
{
  /* A case of a sweep may have options that only others of it read; a user who types one expects an effect. */
  for (sb_option_id id = 0; id < SB_OPT_COUNT; ++id) {
    if (sb_options_origin(options, id) != SB_FROM_USER || sb_options_read(options, id)) continue;
    SB_OWNED char *readers = sb_options_readers(options, id);
    printf("%-26s %s=%s is not read: it needs %s\n", "hint", sb_option_at(id)->name, sb_options_text(options, id),
           readers);
  }
  /* An explicit step that is too long is the usual cause; where the limit lies is the driver blowup's to measure. */
  const sb_integrator_method *method = status == SB_CASE_DIVERGED ? sb_integrator_known(options) : NULL;
  if (method && isfinite(method->stability_limit))
    printf("%-26s h may be too long for %s%s: use %s%s\n", "hint", method->name,
           driver->particles ? "" : " (driver=blowup measures the limit, limit_h)",
           SB_HAS(options, h) ? "a smaller h" : "more substeps",
           driver->particles ? "" : ", or integrator=implicit_euler");
  /* Without a tolerance every step makes all its iterations, although nobody chose their number. */
  const bool iterates = sb_options_read(options, SB_OPT_integrator) && sb_options_read(options, SB_OPT_max_iterations);
  const bool chosen = sb_options_origin(options, SB_OPT_max_iterations) == SB_FROM_USER;
  if (status == SB_OK && iterates && !chosen && !sb_minimizer_tests_step(options) &&
      !sb_minimizer_tests_gradient(options))
    printf("%-26s %s made all its %s iterations in every step: neither max_iterations nor a tolerance is given\n",
           "hint", SB_TEXT(options, minimizer), SB_TEXT(options, max_iterations));
}

static void print_summary(const json_t *row, const sb_recorder *recorder, const sb_case *c, const sb_driver *driver,
                          const sb_case_target *target)
{
  const json_t *columns = json_object_get(row, "columns");
  const char   *reason = json_string_value(json_object_get(row, "reason"));
  print_item("status", json_object_get(row, "status"), "");
  if (reason && *reason) printf("%-26s %s\n", "reason", reason);
  print_hints(c->options, driver, sb_recorder_status_now(recorder));
  print_item("accuracy_ok", json_object_get(row, "accuracy_ok"), "");
  for (size_t i = 0; i < driver->column_count; ++i)
    print_item(driver->columns[i].name, json_object_get(columns, driver->columns[i].name), driver->columns[i].unit);
  const json_int_t times = json_integer_value(json_object_get(row, "continued"));
  if (times > 0)
    printf("%-26s %lld time%s; its times are unknown\n", "continued", (long long)times, times == 1 ? "" : "s");
  print_item("wall_s", json_object_get(row, "wall_s"), "s");
  print_item("max_rss_bytes", json_object_get(row, "max_rss_bytes"), "");
  print_item("key", json_object_get(row, "key"), "");
  print_item("digest", json_object_get(row, "digest"), "");
  if (target->path) printf("%-26s %s\n", "file", target->path);
  SB_OWNED char *side_car = target->path && target->side_car ? sb_side_car_path(target->path) : NULL;
  if (side_car && access(side_car, F_OK) == 0) printf("%-26s %s\n", "side_car", side_car);
  printf("%-26s %s\n", "command", target->command);
}

/* ---- a stop on the way ---- */

/* Returns the reason for which a stopped case starts again; NULL: it stores its state and continues. */
static const char *why_again(const sb_case_arguments *arguments, const sb_driver *driver)
{
  if (!arguments->target.path) return "it has no file (-o)";
  if (!driver->restarts) return "its driver does not store its state";
  if (SB_INTEGER(arguments->options, ranks) > 1) return "it has several ranks";
  if (arguments->target.samples_from) return "it is a further repetition of a timed case";
  return sb_integrator_forgets(arguments->options);
}

static void leave_at_once(int number, siginfo_t *from, void *context)
{
  static const char words[] = "springbench: stopped by SIGUSR1; this case stores no state and starts again\n";
  (void)context;
  if (from->si_pid == getpid()) { /* a plug-in's own: it crashed */
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (write(STDERR_FILENO, words, sizeof words - 1) < 0) _exit(SB_EXIT_INTERRUPTED);
  _exit(announce_end(SB_EXIT_INTERRUPTED));
}

/* To be called before threads are made. A case that stores its state tests for SIGUSR1 after its steps; any other one
 * ends. */
static void prepare_for_stop(sb_case_arguments *arguments, const sb_driver *driver)
{
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  const struct sigaction action = {.sa_sigaction = leave_at_once, .sa_flags = SA_SIGINFO};
  const char            *again = why_again(arguments, driver);
  if (again && arguments->target.stop_step > 0)
    fprintf(stderr, "springbench: --stop-after has no effect: the case stores no state: %s\n", again);
  if (again) arguments->target.checkpoint = NULL;
  if (again) sigaction(SIGUSR1, &action, NULL);
  sigprocmask(again ? SIG_UNBLOCK : SIG_BLOCK, &signals, NULL);
}

static PetscErrorCode run_case(const sb_case *c, const sb_driver *driver, const sb_case_target *target,
                               sb_recorder **recorder)
{
  PetscMPIInt ranks;
  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Comm_size(c->comm, &ranks));
  PetscCheck(ranks == SB_INTEGER(c->options, ranks), c->comm, PETSC_ERR_USER, "ranks=%s, but MPI started %d",
             SB_TEXT(c->options, ranks), ranks);
  PetscCall(sb_recorder_create(c, driver, target, recorder));
  PetscCall(driver->run(c, *recorder));
  PetscCall(sb_recorder_finish(*recorder));
  PetscFunctionReturn(0);
}

static int run(const sb_case_arguments *arguments, const sb_driver *driver)
{
  char           key[SB_KEY_LENGTH + 1];
  sb_complaint   said = {0};
  sb_recorder   *recorder = NULL;
  SB_OWNED char *command = sb_case_command(arguments->options);
  sb_case        c = arguments->c;
  sb_case_target target = arguments->target;
  c.comm = PETSC_COMM_WORLD;
  c.tell = arguments->json ? SB_TELL_NOTHING : isatty(STDERR_FILENO) ? SB_TELL_BAR : SB_TELL_LINES;
  target.command = command;
  target.key = key;
  SB_ENDED_BY(sb_arena_destroy) sb_arena *arena = sb_arena_create();
  target.plugins = sb_case_plugins(c.options, arena);
  sb_case_key(c.options, NULL, key);
  PetscErrorCode code = PetscPushErrorHandler(sb_complaint_take, &said);
  if (!code) code = run_case(&c, driver, &target, &recorder);
  /* A case that would not fit into memory was not begun: that is a result. Objects under construction are not freed. */
  const bool skipped = code == SB_ERR_OVER_MEMORY_LIMIT && recorder;
  if (skipped) code = PetscPopErrorHandler();
  if (skipped && !code) code = sb_recorder_status(recorder, SB_CASE_SKIPPED, "%s", said.message);
  if (skipped && !code) code = sb_recorder_finish(recorder);
  if (code) give_up(&said, code, &recorder);
  SB_OWNED char *text = sb_recorder_row_json(recorder);
  json_auto_t   *row = text && !arguments->json ? json_loads(text, 0, NULL) : NULL;
  if (target.checkpoint && !arguments->keeps_checkpoint) (void)unlink(target.checkpoint);
  take_output_back();
  if (row)
    print_summary(row, recorder, &c, driver, &target);
  else if (text)
    puts(text);
  fflush(stdout);
  const bool result = sb_status_is_result(sb_recorder_status_now(recorder));
  code = sb_recorder_destroy(&recorder);
  if (skipped) sb_guard_end();
  if (skipped) _exit(sb_streams_end(MPI_Finalize() == MPI_SUCCESS && !code ? SB_EXIT_OK : SB_EXIT_CASES_FAILED));
  if (!code) code = PetscPopErrorHandler();
  return result && !code ? SB_EXIT_OK : SB_EXIT_CASES_FAILED;
}

/* False, after an error, if drivers of OpenCL fail while they list their devices, which would end or stop the case. */
static bool check_device(const sb_options *options, const sb_session *session)
{
  const char        *device = SB_TEXT(options, device);
  sb_device_listing *all = sb_arena_take(session->arena, 1, sizeof *all);
  if (strncmp(device, "opencl", strlen("opencl")) != 0) return true;
  sb_device_list(all);
  return all->count > 0 || sb_error_at(session->diagnostics, sb_options_location(options, SB_OPT_device), "E106",
                                       "device=%s: %s", device, all->why);
}

/* Reads the command line. Returns the driver, NULL after diagnostics. */
static const sb_driver *read_case(int argc, char **argv, const sb_session *session, sb_case_arguments *arguments)
{
  if (!sb_case_arguments_read(argc, argv, session, arguments)) return NULL;
  const sb_options *options = arguments->options;
  if (!check_device(options, session)) return NULL;
  const sb_driver *driver = sb_driver_find(session->vocabulary, SB_TEXT(options, driver));
  const char      *from = driver ? SB_TEXT(options, restart) : "";
  if (!*from) return driver;
  SB_OWNED char *file = sb_input_path(from);
  const char    *otherwise = !sb_saved_net_is_held(file)             ? NULL
                             : SB_INTEGER(options, ranks) > 1        ? "on several ranks"
                             : !SB_IS(options, pin_path, "none")     ? "with option pin_path"
                             : SB_IS(options, pin_method, "penalty") ? "with pin_method=penalty"
                                                                     : NULL;
  if (otherwise) {
    sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                "a program set or moved the pins of '%s', which cannot be continued %s", from, otherwise);
    return NULL;
  }
  if (driver->restarts) return driver;
  sb_error_at(session->diagnostics, (sb_location){0}, "E106", "driver '%s' cannot continue from a file (restart=%s)",
              driver->name, from);
  return NULL;
}

/* Libraries that MPI and PETSc load replace handlers, which are the program's own or, in a library, its host's. */
static bool start_quietly(bool (*start)(void))
{
  sb_dispositions before;
  if (tasks_without_mpi() > 0) leave_slurm();
  make_settings(launch_world() == 0 ? ONE_RANK | ANYWHERE : ANYWHERE);
  sb_dispositions_keep(&before);
  const bool started = start();
  sb_dispositions_restore(&before);
  return started;
}

static bool start_mpi(void)
{
  int level = 0;
  return MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level) == MPI_SUCCESS;
}

bool sb_case_start_mpi(void) { return start_quietly(start_mpi); }

static bool start_petsc(void)
{
  /* A .petscrc in the working directory shall not change a case; a crash shall be the signal that it is. */
  char  name[] = "springbench", no_file[] = "-skip_petscrc", no_handler[] = "-no_signal_handler";
  char *words[] = {name, no_file, no_handler, NULL}, **for_petsc = words;
  int   count = 3;
  if (PetscInitialize(&count, &for_petsc, NULL, NULL) != 0) return false;
  PETSC_STDOUT = stderr; /* views, monitors and -log_view go into the log: standard output is the row's */
  return true;
}

bool sb_case_start_libraries(void) { return start_quietly(start_petsc); }

int sb_case_run_started(int argc, char **argv, const sb_session *session)
{
  sb_case_arguments arguments;
  const sb_driver  *driver = read_case(argc, argv, session, &arguments);
  sb_diagnostics_flush(session->diagnostics, stderr);
  if (driver && arguments.json) set_output_aside();
  if (driver) prepare_for_stop(&arguments, driver);
  sb_guard_begin("the case");
  const int status = driver ? run(&arguments, driver) : SB_EXIT_USAGE;
  sb_guard_end();
  sb_diagnostics_flush(session->diagnostics, stderr);
  sb_options_destroy(&arguments.options);
  return status;
}

/* mpiexec of Open MPI 5 ends all ranks as soon as one fails, and loses what they wrote just before. Rank 0, which
 * writes for all, fails first, and a moment after it has written. */
static void let_launcher_read(void)
{
  const struct timespec moment = {.tv_nsec = launch_rank() == 0 ? 100000000 : 300000000};
  fflush(stdout);
  nanosleep(&moment, NULL);
}

int sb_case_main(int argc, char **argv, const sb_session *session)
{
  sb_case_arguments arguments;
  sb_diagnostics   *diagnostics = session->diagnostics;
  FILE             *stream = launch_rank() == 0 ? stderr : NULL; /* every rank has the same messages */
  int               exit_status = SB_EXIT_USAGE;
  const sb_driver  *driver = read_case(argc, argv, session, &arguments);
  const int64_t     threads = driver ? SB_INTEGER(arguments.options, threads) : 0;
  /* If it executes the program again, that process collects and prints the same messages. */
  const bool placed = driver && launch(argc, argv, &arguments, session->arena);
  if (driver) exit_status = placed ? SB_EXIT_CASES_FAILED : SB_EXIT_UNFIT; /* no fault of this case */
  if (placed && getenv("PETSC_OPTIONS"))
    sb_warning_at(diagnostics, (sb_location){0}, "W112",
                  "the variable PETSC_OPTIONS is set: it may change the result, but is not part of the case");
  sb_diagnostics_flush(diagnostics, stream);
  const bool roomy = placed && sb_blas_take_room(threads);
  if (placed && !roomy) exit_status = SB_EXIT_NO_MEMORY;
  if (roomy && arguments.json) set_output_aside();
  if (roomy) prepare_for_stop(&arguments, driver);
  sb_guard_begin("the case");
  if (roomy && sb_case_start_libraries()) {
    exit_status = run(&arguments, driver);
    if (PetscFinalize() != 0) exit_status = SB_EXIT_CASES_FAILED;
  }
  sb_guard_end();
  sb_diagnostics_flush(diagnostics, stream);
  sb_options_destroy(&arguments.options);
  if (exit_status != SB_EXIT_OK && launch_world() > 0) let_launcher_read();
  return exit_status;
}
