/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Command lines, one argument a line: parsed in this process as the program would. The exit status is a documented one,
 * nothing is written, and what succeeds says nothing of errors. argp leaves the process at the first mistake; here it
 * jumps back instead. Commands that run, draw or measure are read up to the point where they would begin. */
#include <argp.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cases/common/exit_status.h"
#include "cases/run/run_case.h"
#include "drivers/drivers.h"
#include "harness/commands/harness.h"
#include "tests/fuzz/fuzz.h"

/* A sanitizer does not count the memory that a jump leaves behind as leaks, since the process would have ended. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

enum { ARGUMENTS_MAX = 24 };

static jmp_buf leave;

error_t __real_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index, void *input);
error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index, void *input);
void    __wrap_argp_error(const struct argp_state *state, const char *format, ...);
void    __wrap_argp_state_help(const struct argp_state *state, FILE *stream, unsigned flags);

error_t __wrap_argp_parse(const struct argp *argp, int argc, char **argv, unsigned flags, int *index, void *input)
{
  const unsigned stay = ARGP_NO_EXIT | ARGP_NO_ERRS;
  const error_t  failed = __real_argp_parse(argp, argc, argv, flags | stay, index, input);
  if (failed) longjmp(leave, SB_EXIT_USAGE);
  return 0;
}

void __wrap_argp_error(const struct argp_state *state, const char *format, ...)
{
  (void)state;
  (void)format;
  longjmp(leave, SB_EXIT_USAGE);
}

void __wrap_argp_state_help(const struct argp_state *state, FILE *stream, unsigned flags)
{
  (void)state;
  (void)stream;
  (void)flags;
  longjmp(leave, SB_EXIT_USAGE);
}

/* No argument leads out of the folder, whatever a command would do with it. */
static bool stays_inside(int argc, char **argv)
{
  for (int i = 0; i < argc; ++i)
    if (strstr(argv[i], "..") || strstr(argv[i], "=/") || argv[i][0] == '/' || strstr(argv[i], "o/")) return false;
  return true;
}

static bool names_something(int argc, char **argv)
{
  for (int i = 1; i < argc; ++i)
    if (access(argv[i], F_OK) == 0) return true;
  return false;
}

/* Reads the line of `case` without running anything. */
static int read_case(int argc, char **argv)
{
  sb_session        session = sb_session_begin(sb_full_vocabulary());
  sb_case_arguments arguments;
  const bool        good = sb_case_arguments_read(argc, argv, &session, &arguments);
  if (good) fuzz_require(arguments.c.time.steps > 0, "a case has steps");
  sb_options_destroy(&arguments.options);
  sb_session_end(&session, stderr);
  return good ? SB_EXIT_OK : SB_EXIT_USAGE;
}

static int run_command(int argc, char **argv)
{
  static const char *const later[] = {"plot", "animate", "report", "doctor", "export", "verify"};
  static char              plan[] = "plan";
  for (size_t i = 0; i < sizeof later / sizeof *later; ++i)
    if (strcmp(argv[1], later[i]) == 0 && (argc == 2 || names_something(argc, argv))) return SB_EXIT_USAGE;
  if (strcmp(argv[1], "case") == 0) return read_case(argc - 1, argv + 1);
  if (strcmp(argv[1], "run") == 0) argv[1] = plan; /* which reads its line and opens its sweeps as run does */
  return sb_harness_main(argc, argv, sb_full_vocabulary());
}

static bool is_documented(int status)
{
  static const int documented[] = {SB_EXIT_OK,    SB_EXIT_CASES_FAILED, SB_EXIT_USAGE,    SB_EXIT_CONTRADICTION,
                                   SB_EXIT_UNFIT, SB_EXIT_STORAGE,      SB_EXIT_NO_MATCH, SB_EXIT_BUSY};
  for (size_t i = 0; i < sizeof documented / sizeof *documented; ++i)
    if (status == documented[i]) return true;
  return false;
}

/* Changes whenever a name in the folder comes or goes. */
static struct timespec folder_time(void)
{
  struct stat about;
  fuzz_require(stat(".", &about) == 0, "the folder is there");
  return about.st_mtim;
}

static void run(int argc, char **argv)
{
  const struct timespec before = folder_time();
  if (__lsan_disable) __lsan_disable();
  const int jumped = setjmp(leave);
  const int status = jumped ? jumped : run_command(argc, argv);
  if (__lsan_enable) __lsan_enable();
  const struct timespec after = folder_time();
  fuzz_require(is_documented(status), "the exit status is a documented one");
  fuzz_require(before.tv_sec == after.tv_sec && before.tv_nsec == after.tv_nsec, "nothing is written");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
  (void)argc;
  (void)argv;
  fuzz_write("s.yaml", "springbench: 1\nname: s\ndefaults: {scene: rope, nodes: 3, h: 0.5, duration: 1}\n"
                       "sweep: [{grid: {integrator: [rk4, midpoint], drag: [0, 1]}}]\n");
  fuzz_write("m.obj", "v 0 0 0\nv 1 0 0\nl 1 2\n");
  fuzz_write("v.csv", "vertex,mass\n0,1\n");
  fuzz_require(chdir(fuzz_folder()) == 0 && freopen("/dev/null", "w", stdout), "in a folder of its own, silently");
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char  program[] = "springbench", *argv[ARGUMENTS_MAX + 2] = {program};
  int   argc = 1;
  char *text = fuzz_text(data, size), *rest = NULL;
  for (char *word = strtok_r(text, "\n", &rest); word && argc < ARGUMENTS_MAX; word = strtok_r(NULL, "\n", &rest))
    argv[argc++] = word;
  if (argc > 1 && stays_inside(argc, argv)) run(argc, argv);
  free(text);
  return 0;
}
