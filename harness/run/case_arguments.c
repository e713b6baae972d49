/* Reading the command line of `case` by argp; see case_arguments.h. What stands after `--` joins the option petsc. */
#include "harness/run/case_arguments.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocate.h"
#include "harness/common/exit_status.h"
#include "harness/run/case_launch.h"
#include "harness/store/case_file.h"
#include "harness/store/restart.h"

enum {
  KEY_JSON = 256,
  KEY_SAMPLES_FROM,
  KEY_WARM_UP,
  KEY_REPETITION,
  KEY_CALIBRATION,
  KEY_RANKS,
  KEY_CONTINUE,
  DEFAULT_WARM_UP = 2, /* steps */
  COUNT_MAX = 1000000
};

typedef struct {
  sb_case_arguments *arguments;
  sb_diagnostics    *diagnostics;
  const char        *file; /* to go on from, NULL: none */
  int                file_column;
  char              *petsc; /* what stood after --, NULL: nothing */
  int                petsc_column, output_column;
  bool               given[SB_OPT_COUNT]; /* as KEY=VALUE */
} reader;

static sb_location argument_number(int column) { return (sb_location){"command line", 0, column}; }

static void append_petsc(reader *r, const char *word, int column)
{
  if (!r->petsc) r->petsc_column = column;
  char *joined = sb_format("%s%s%s", r->petsc ? r->petsc : "", r->petsc ? " " : "", word);
  free(r->petsc);
  r->petsc = joined;
}

static void read_count(reader *r, const char *flag, const char *text, int column, int *count)
{
  int64_t value;
  if (sb_parse_integer(text, &value) && value >= 0 && value <= COUNT_MAX)
    *count = (int)value;
  else
    sb_error_at(r->diagnostics, argument_number(column), "E102", "%s wants a number from 0 to %d; got '%s'", flag,
                COUNT_MAX, text);
}

static void read_seconds(reader *r, const char *flag, const char *text, int column, double *seconds)
{
  double value;
  if (sb_parse_real(text, &value) && value > 0)
    *seconds = value;
  else
    sb_error_at(r->diagnostics, argument_number(column), "E102", "%s wants seconds above 0; got '%s'", flag, text);
}

/* As in a sweep file: which of two values was meant is not to be guessed. */
static void read_pair(reader *r, const char *pair, int column)
{
  char              *name = sb_copy_span(pair, strcspn(pair, "="));
  const sb_option_id id = sb_option_find(name);
  if (id != SB_OPT_COUNT && r->given[id])
    sb_error_at(r->diagnostics, argument_number(column), "E101", "'%s' is given twice", name);
  else
    sb_options_set_pair(r->arguments->options, pair, SB_FROM_USER, argument_number(column), r->diagnostics);
  if (id != SB_OPT_COUNT) r->given[id] = true;
  free(name);
}

static void read_output(reader *r, char *text, int column)
{
  if (r->arguments->output) sb_error_at(r->diagnostics, argument_number(column), "E101", "--output is given twice");
  r->arguments->output = text;
  r->output_column = column;
}

static error_t read_argument(int key, char *text, struct argp_state *state)
{
  reader            *r = state->input;
  sb_case_arguments *a = r->arguments;
  const int          column = state->next - 1;
  switch (key) {
  case 'o':
    if (!*text) argp_error(state, "-o takes a file; got ''");
    read_output(r, text, column);
    return 0;
  case KEY_JSON:
    a->json = true;
    return 0;
  case KEY_SAMPLES_FROM:
    a->samples_from = text;
    return 0;
  case KEY_WARM_UP:
    read_count(r, "--warm-up", text, column, &a->warm_up);
    return 0;
  case KEY_REPETITION:
    read_count(r, "--repetition", text, column, &a->repetition);
    return 0;
  case KEY_CALIBRATION:
    read_seconds(r, "--calibration", text, column, &a->calibration_seconds);
    return 0;
  case KEY_RANKS:
    sb_options_set(a->options, SB_OPT_ranks, text, SB_FROM_USER, argument_number(column), r->diagnostics);
    return 0;
  case KEY_CONTINUE:
    r->file = text;
    r->file_column = column;
    return 0;
  case ARGP_KEY_ARG:
    if (state->quoted > 0 && column >= state->quoted)
      append_petsc(r, text, column);
    else
      read_pair(r, text, column);
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_option flags[] = {
    {"output", 'o', "FILE", 0, "store the case in FILE (HDF5); without it nothing is stored", 0},
    {"json", KEY_JSON, NULL, 0, "print the row as one line of JSON instead of a summary", 0},
    {"samples-from", KEY_SAMPLES_FROM, "FILE", 0, "join the timing samples of an earlier repetition of the case", 0},
    {"warm-up", KEY_WARM_UP, "N", 0, "steps that timing drivers do not count (default 2)", 0},
    {"repetition", KEY_REPETITION, "N", 0, "number of this repetition, from 0", 0},
    {"calibration", KEY_CALIBRATION, "SECONDS", 0,
     "what the loop that watches for noise takes on this machine when it is quiet, where that is known", 0},
    {"continue", KEY_CONTINUE, "FILE", 0,
     "go on from the last state of FILE, an earlier case's: its options, where they are not given here, and "
     "restart=FILE",
     0},
    {"ranks", KEY_RANKS, "N", 0, "the same as ranks=N: MPI ranks, started by mpiexec", 0},
    {0},
};
static const struct argp parser = {
    .options = flags,
    .parser = read_argument,
    .args_doc = "KEY=VALUE ... [-- PETSC OPTIONS]",
    .doc = "Runs one case in this process. `springbench list options` shows the keys.",
};

static void join_petsc(reader *r)
{
  sb_options *options = r->arguments->options;
  if (!r->petsc) return;
  if (*sb_options_text(options, SB_OPT_petsc)) {
    char *tail = r->petsc;
    r->petsc = sb_copy_text(sb_options_text(options, SB_OPT_petsc));
    append_petsc(r, tail, r->petsc_column);
    free(tail);
  }
  sb_options_set(options, SB_OPT_petsc, r->petsc, SB_FROM_USER, argument_number(r->petsc_column), r->diagnostics);
  free(r->petsc);
}

/* Started by mpiexec, the number of ranks is what it is. */
static void match_world(reader *r)
{
  sb_options   *options = r->arguments->options;
  const int64_t world = sb_launch_world();
  char          text[24];
  if (world == 0) return;
  if (sb_options_origin(options, SB_OPT_ranks) == SB_FROM_USER && SB_INTEGER(options, ranks) != world)
    sb_error_at(r->diagnostics, sb_options_location(options, SB_OPT_ranks), "E104",
                "ranks=%lld, but mpiexec started %lld", (long long)SB_INTEGER(options, ranks), (long long)world);
  snprintf(text, sizeof text, "%lld", (long long)world);
  sb_options_set(options, SB_OPT_ranks, text, SB_FROM_USER, argument_number(0), r->diagnostics);
}

/* The file is renamed over what has its name: only a case file, or an empty one (mktemp), may go that way. A link would
 * go in place of what it leads to. */
static void check_output(reader *r)
{
  struct stat       about;
  const char       *path = r->arguments->output;
  const sb_location where = argument_number(r->output_column);
  if (!path || lstat(path, &about) != 0) return;
  if (!S_ISREG(about.st_mode))
    sb_error_at(r->diagnostics, where, "E109", "-o %s: not a regular file; it is left as it is", path);
  else if (about.st_size > 0 && !sb_case_file_is_one(path))
    sb_error_at(r->diagnostics, where, "E109", "-o %s: no case file; it is left as it is", path);
}

static bool parse(reader *r, int argc, char **argv)
{
  char **words = sb_allocate((size_t)argc + 1, sizeof *words);
  memcpy(words, argv, (size_t)argc * sizeof *words);
  words[0] = sb_copy_text("springbench case"); /* the name in argp's messages */
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t failed = argp_parse(&parser, argc, words, ARGP_IN_ORDER, NULL, r);
  free(words[0]);
  free(words);
  return !failed;
}

bool sb_case_arguments_read(int argc, char **argv, const sb_vocabulary *vocabulary, sb_case_arguments *arguments)
{
  *arguments = (sb_case_arguments){.options = sb_options_create(vocabulary), .warm_up = DEFAULT_WARM_UP};
  reader r = {.arguments = arguments, .diagnostics = sb_diagnostics_create()};
  bool   good = arguments->options && r.diagnostics && parse(&r, argc, argv);
  if (good && r.file)
    good = sb_restart_take_options(r.file, arguments->options, argument_number(r.file_column), r.diagnostics);
  if (good) {
    join_petsc(&r);
    match_world(&r);
    check_output(&r);
    good = sb_diagnostics_errors(r.diagnostics) == 0 &&
           sb_case_resolve(arguments->options, &arguments->time, r.diagnostics) &&
           (sb_launch_world() > 0 || sb_case_check_ranks(arguments->options, r.diagnostics));
  }
  if (sb_launch_rank() == 0) sb_diagnostics_print(r.diagnostics, stderr);
  sb_diagnostics_destroy(&r.diagnostics);
  return good;
}

void sb_case_arguments_clear(sb_case_arguments *arguments) { sb_options_destroy(&arguments->options); }
