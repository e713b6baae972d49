/* The command line: finds the command, prints the help. See harness.h and command.h. */
#include "harness/commands/harness.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/finite.h"
#include "harness/commands/command.h"
#include "harness/common/exit_status.h"

static const sb_command *const commands[] = {
#define SB_ENTRY(name) &sb_command_##name,
#include "harness/commands/commands.def"
#undef SB_ENTRY
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static void print_help(FILE *stream)
{
  fputs("springbench: benchmarks of mass-spring solvers that can be run again\n\n", stream);
  for (int i = 0; i < COMMANDS; ++i)
    fprintf(stream, "  %-7s %-46s %s\n", commands[i]->name, commands[i]->arguments, commands[i]->summary);
  fputs("\n  springbench COMMAND --help says more. `springbench list options` lists every option of a case.\n"
        "  exit status: 0 done, 1 some case failed, 2 usage or input, 3 a claim does not hold,\n"
        "  4 unfit machine or build, 5 storage, 6 directory busy, 7 no case matched,\n"
        "  75 interrupted (the same command continues)\n",
        stream);
}

static const sb_command *find_command(const char *name)
{
  for (int i = 0; i < COMMANDS; ++i)
    if (strcmp(commands[i]->name, name) == 0) return commands[i];
  return NULL;
}

static int refuse_command(const char *name)
{
  const char *names[COMMANDS];
  for (int i = 0; i < COMMANDS; ++i) names[i] = commands[i]->name;
  const char *near = sb_nearest_name(name, names, COMMANDS);
  fprintf(stderr, "springbench: error: unknown command '%s'", name);
  if (near) fprintf(stderr, "; did you mean '%s'?", near);
  fputs(" [E101]\n`springbench --help` lists the commands.\n", stderr);
  return SB_EXIT_USAGE;
}

/* `help COMMAND`, and `COMMAND -h`, which argp does not know: as `COMMAND --help`. */
static void spell_help(int argc, char **argv)
{
  static char spelled[] = "--help";
  if (argc != 3) return;
  if (strcmp(argv[1], "help") == 0) {
    argv[1] = argv[2];
    argv[2] = spelled;
  } else if (strcmp(argv[2], "-h") == 0) {
    argv[2] = spelled;
  }
}

static int run_command(int argc, char **argv, const sb_session *session)
{
  if (argc < 2) {
    print_help(stderr);
    return SB_EXIT_USAGE;
  }
  spell_help(argc, argv);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return SB_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("springbench " SB_VERSION);
    return SB_EXIT_OK;
  }
  const sb_command *command = find_command(argv[1]);
  if (!command) return refuse_command(argv[1]);
  if (!sb_tells_finite() && command != &sb_command_doctor) {
    fputs("springbench: error: this build takes NaN for finite (-ffast-math?); it cannot be used\n", stderr);
    return SB_EXIT_UNFIT;
  }
  return sb_command_help(command, argc - 1, argv + 1) ? SB_EXIT_OK : command->run(argc - 1, argv + 1, session);
}

int sb_harness_main(int argc, char **argv, const sb_driver_list *drivers)
{
  sb_streams_reserve();
  /* A file over the limit (ulimit -f) fails to grow, which is told as a full disk is, instead of killing the process.
   */
  signal(SIGXFSZ, SIG_IGN);
  sb_session session = sb_session_begin(sb_vocabulary_of(drivers), drivers);
  const int  status = run_command(argc, argv, &session);
  sb_session_end(&session, stderr);
  return sb_streams_end(status);
}

int sb_command_messages(const sb_session *session)
{
  sb_diagnostics_flush(session->diagnostics, stderr);
  return sb_diagnostics_errors(session->diagnostics) > 0 ? SB_EXIT_USAGE : SB_EXIT_OK;
}

int sb_command_no_flag(const sb_command *command, const char *argument)
{
  if (argument[0] != '-') return SB_EXIT_OK;
  fprintf(stderr, "springbench %s: error: unknown option '%s' [E101]\n", command->name, argument);
  return sb_command_usage(command);
}

int sb_command_usage(const sb_command *command)
{
  fprintf(stderr, "usage: springbench %s %s\n", command->name, command->arguments);
  return SB_EXIT_USAGE;
}

sb_results *sb_command_results(const char *directory, const sb_session *session)
{
  sb_results *results = sb_results_open(directory, session);
  sb_command_messages(session);
  return results;
}

bool sb_command_split_key(const char *path, char **directory, char **key)
{
  const char  *slash = strrchr(path, '/');
  const size_t digits = slash ? strspn(slash + 1, "0123456789abcdef") : 0;
  if (digits < 4 || slash[1 + digits] != '\0') return false;
  *directory = sb_copy_span(path, (size_t)(slash - path));
  *key = sb_copy_text(slash + 1);
  return true;
}
