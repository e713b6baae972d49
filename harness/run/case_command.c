/* The command `case`: arguments, launch, PETSc, driver, file, summary; see case_command.h. */
#include "harness/run/case_command.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "harness/common/exit_status.h"
#include "harness/common/standard_streams.h"
#include "harness/run/case_arguments.h"
#include "harness/run/case_hints.h"
#include "harness/run/case_launch.h"
#include "harness/store/case_writer.h"
#include "solvers/linear/linear_solver.h"

/* Where an error of PETSc's kind was raised, and its message. */
typedef struct {
  char        message[1024];
  const char *file, *function;
  int         line;
} complaint;

/* NOLINTNEXTLINE(readability-function-size): an error handler of PETSc's has these parameters. */
static PetscErrorCode remember(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                               PetscErrorType type, const char *message, void *context)
{
  complaint *c = context;
  (void)comm;
  if (type != PETSC_ERROR_INITIAL) return code;
  snprintf(c->message, sizeof c->message, "%s", message ? message : "");
  c->file = file;
  c->function = function;
  c->line = line;
  return code;
}

static void print_complaint(const complaint *c, PetscErrorCode code, int exit_status)
{
  const char *text = c->message;
  const char *kind = NULL;
  if (!*text && PetscErrorMessage(code, &kind, NULL) == 0 && kind) text = kind;
  const char *start = strstr(text, ": error: ") ? "" : "springbench: error: ";
  char       *place = NULL;
  if (exit_status == SB_EXIT_CASES_FAILED && c->file)
    place = sb_format(" (error %d in %s, %s:%d)", (int)code, c->function, c->file, c->line);
  /* On a full disk a runner's log takes nothing, but its pipe does. */
  if (fprintf(stderr, "%s%s%s\n", start, text, place ? place : "") < 0)
    printf("%s%s%s\n", start, text, place ? place : "");
  free(place);
}

/* A user's mistake and a full disk are everybody's; other errors are told by every rank that has one. */
_Noreturn static void give_up(const complaint *c, PetscErrorCode code, sb_recorder **recorder)
{
  int       rank = 0;
  const int exit_status = code == PETSC_ERR_USER         ? SB_EXIT_USAGE
                          : code == PETSC_ERR_FILE_WRITE ? SB_EXIT_STORAGE
                                                         : SB_EXIT_CASES_FAILED;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0 || exit_status == SB_EXIT_CASES_FAILED) print_complaint(c, code, exit_status);
  if (rank == 0) (void)sb_recorder_destroy(recorder);
  fflush(NULL);
  _exit(exit_status);
}

static void print_value(const json_t *value)
{
  char text[32];
  if (json_is_real(value))
    fputs(sb_format_real(json_real_value(value), text), stdout);
  else if (json_is_string(value))
    fputs(json_string_value(value), stdout);
  else if (json_is_boolean(value))
    fputs(json_is_true(value) ? "yes" : "no", stdout);
  else
    putchar('-');
}

static void print_item(const char *name, const json_t *value, const char *unit)
{
  printf("%-26s ", name);
  print_value(value);
  const bool shown = *unit && !json_is_null(value);
  printf("%s%s\n", shown ? " " : "", shown ? unit : "");
}

static void print_summary(const json_t *row, const sb_recorder *recorder, const sb_case *c, const sb_driver *driver,
                          const sb_case_target *target)
{
  const json_t *columns = json_object_get(row, "columns");
  const char   *reason = json_string_value(json_object_get(row, "reason"));
  print_item("status", json_object_get(row, "status"), "");
  if (reason && *reason) printf("%-26s %s\n", "reason", reason);
  sb_case_hints(c->options, sb_recorder_status_now(recorder), stdout);
  print_item("accuracy_ok", json_object_get(row, "accuracy_ok"), "");
  for (size_t i = 0; i < driver->column_count; ++i)
    print_item(driver->columns[i].name, json_object_get(columns, driver->columns[i].name), driver->columns[i].unit);
  print_item("wall_s", json_object_get(row, "wall_s"), "s");
  print_item("max_rss_bytes", json_object_get(row, "max_rss_bytes"), "");
  print_item("key", json_object_get(row, "key"), "");
  print_item("digest", json_object_get(row, "digest"), "");
  if (target->path) printf("%-26s %s\n", "file", target->path);
  printf("%-26s %s\n", "command", target->command);
}

static void print_row(const sb_recorder *recorder, const sb_case *c, const sb_driver *driver,
                      const sb_case_target *target, bool json)
{
  char *text = sb_recorder_row_json(recorder);
  if (!text) return;
  json_t *row = json ? NULL : json_loads(text, 0, NULL);
  if (row)
    print_summary(row, recorder, c, driver, target);
  else
    puts(text);
  json_decref(row);
  free(text);
  fflush(stdout);
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

static bool can_start(const sb_options *options, const sb_driver *driver)
{
  if (driver->restarts || !*SB_TEXT(options, restart)) return true;
  if (sb_launch_rank() == 0)
    fprintf(stderr, "springbench: error: driver '%s' does not go on from a file (restart=%s) [E106]\n", driver->name,
            SB_TEXT(options, restart));
  return false;
}

static bool start_petsc(void)
{
  /* A .petscrc in the working directory shall not change a case; a crash shall be the signal that it is. */
  char  name[] = "springbench", no_file[] = "-skip_petscrc", no_handler[] = "-no_signal_handler";
  char *words[] = {name, no_file, no_handler, NULL}, **arguments = words;
  int   count = 3;
  return PetscInitialize(&count, &arguments, NULL, NULL) == 0;
}

static void warn_of_environment(void)
{
  if (getenv("PETSC_OPTIONS") && sb_launch_rank() == 0)
    fputs("springbench: warning: the variable PETSC_OPTIONS is set: it may change the result, but is not part of the "
          "case [W112]\n",
          stderr);
}

/* What would not fit into memory was not begun: that is a result. Everything that was under way is left as it stands.
 */
_Noreturn static void skip_case(const complaint *said, const sb_case *c, const sb_driver *driver,
                                const sb_case_target *target, bool json, sb_recorder *recorder)
{
  PetscErrorCode code = PetscPopErrorHandler();
  if (!code) code = sb_recorder_status(recorder, SB_CASE_SKIPPED, "%s", said->message);
  if (!code) code = sb_recorder_finish(recorder);
  if (code) give_up(said, code, &recorder);
  print_row(recorder, c, driver, target, json);
  code = sb_recorder_destroy(&recorder);
  if (MPI_Finalize() != MPI_SUCCESS || code) _exit(sb_streams_end(SB_EXIT_CASES_FAILED));
  _exit(sb_streams_end(SB_EXIT_OK));
}

static int run(const sb_case_arguments *arguments, const sb_driver *driver)
{
  char          key[SB_KEY_LENGTH + 1];
  complaint     said = {0};
  sb_recorder  *recorder = NULL;
  char         *command = sb_case_command(arguments->options);
  const sb_case c = {.comm = PETSC_COMM_WORLD,
                     .options = arguments->options,
                     .time = arguments->time,
                     .warm_up = arguments->warm_up,
                     .repetition = arguments->repetition,
                     .calibration_seconds = arguments->calibration_seconds};
  sb_case_key(arguments->options, key);
  const sb_case_target target = {arguments->output, arguments->samples_from, command, key};
  PetscErrorCode       code = PetscPushErrorHandler(remember, &said);
  if (!code) code = run_case(&c, driver, &target, &recorder);
  if (code == SB_ERR_OVER_MEMORY_LIMIT && recorder) skip_case(&said, &c, driver, &target, arguments->json, recorder);
  if (code) give_up(&said, code, &recorder);
  print_row(recorder, &c, driver, &target, arguments->json);
  const bool result = sb_status_is_result(sb_recorder_status_now(recorder));
  code = sb_recorder_destroy(&recorder);
  if (!code) code = PetscPopErrorHandler();
  free(command);
  return result && !code ? SB_EXIT_OK : SB_EXIT_CASES_FAILED;
}

int sb_case_command_main(int argc, char **argv, const sb_session *session)
{
  sb_case_arguments arguments;
  int               exit_status = SB_EXIT_USAGE;
  if (sb_case_arguments_read(argc, argv, session->vocabulary, &arguments)) {
    const sb_driver *driver = sb_driver_find(session->drivers, SB_TEXT(arguments.options, driver));
    const bool       possible = driver && can_start(arguments.options, driver);
    const bool       placed =
        possible && sb_launch(argc, argv, SB_INTEGER(arguments.options, ranks), SB_INTEGER(arguments.options, threads));
    if (possible) exit_status = placed ? SB_EXIT_CASES_FAILED : SB_EXIT_UNFIT; /* no fault of this case */
    if (placed && start_petsc()) {
      warn_of_environment();
      exit_status = run(&arguments, driver);
      if (PetscFinalize() != 0) exit_status = SB_EXIT_CASES_FAILED;
    }
  }
  sb_case_arguments_clear(&arguments);
  return exit_status;
}
