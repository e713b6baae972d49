/* Commands, for implementers: one file command_<name>.c with one const table `sb_command_<name>`, one line in
 * commands.def. Data goes to stdout, messages and progress to stderr. Local, but for `case`. */
#pragma once

#include "harness/common/exit_status.h"
#include "harness/results/results.h"
#include "harness/sweep/vocabulary.h"

typedef struct {
  const char *name, *arguments, *summary;
  /* argv[0] is the command's name. Returns an exit status of exit_status.h. */
  int (*run)(int argc, char **argv, const sb_session *session);
} sb_command;

#define SB_ENTRY(name) extern const sb_command sb_command_##name;
#include "harness/commands/commands.def"
#undef SB_ENTRY

/* Prints what was collected so far, which the command's end does too; SB_EXIT_USAGE when there was an error, else
 * SB_EXIT_OK. */
int sb_command_messages(const sb_session *session);
/* "usage: springbench <name> <arguments>" on stderr; SB_EXIT_USAGE. */
int sb_command_usage(const sb_command *command);
/* The same after E101 where the argument is a flag, of a command that has none but those it took; else SB_EXIT_OK. */
int sb_command_no_flag(const sb_command *command, const char *argument);
/* Prints the help of a command that does not read --help itself, where that is all it was given; else false. */
bool sb_command_help(const sb_command *command, int argc, char **argv);
/* Opens a results directory, messages printed; NULL when it is not one. */
sb_results *sb_command_results(const char *directory, const sb_session *session);
/* "DIR/KEY" cut in two (both malloc'ed); false when there is no key of 16 hex digits. A key may be shortened to a
 * prefix, which the caller resolves. */
bool sb_command_split_key(const char *path, char **directory, char **key);
