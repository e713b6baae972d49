/* Commands, for authors: a const table `sb_command_<name>` and one entry in commands.def. Data goes to stdout, messages
 * and progress to stderr. Local, except `case`. */
#pragma once

#include <argp.h>

#include "cases/common/exit_status.h"
#include "cases/describe/vocabulary.h"
#include "harness/results/results.h"

enum { SB_COMMAND_FLAGS_MAX = 2 };

/* The words after the name of a command that has no parser of its own. */
typedef struct {
  int    count;
  char **names;                       /* [count] words that are not options */
  int    choice;                      /* the command's option: index of its choice; -1: not given */
  bool   flags[SB_COMMAND_FLAGS_MAX]; /* the command's flags: given */
} sb_arguments;

/* argv[0] of `run` is the command's name. Both return an exit status of exit_status.h. */
typedef struct {
  const char *name, *arguments, *options, *summary;             /* options: NULL for none */
  int (*run)(int argc, char **argv, const sb_session *session); /* parses its own arguments; NULL: run_plain is used */
  int (*run_plain)(const sb_arguments *arguments, const sb_session *session);
  int least, most;                                                 /* number of names that run_plain takes; most 0: any
                                                                    * number */
  const char        *flags[SB_COMMAND_FLAGS_MAX], *option, *means; /* "--no-time"; "--term", "terminal" */
  const char *const *choices;                                      /* of the option, NULL-ended */
  bool               prose; /* its output is only for users, never data for a program */
} sb_command;

#define SB_ENTRY(name, arguments, options, summary, more) extern const sb_command sb_command_##name;
#include "harness/commands/commands.def"
#undef SB_ENTRY

/* Prints "usage: springbench <name> <arguments>" on stderr; SB_EXIT_USAGE. */
int sb_command_usage(const sb_command *command);
/* Parses the words of a command by argp. --help and usage errors end the process. */
void sb_command_parse(const sb_command *command, const struct argp_option *options, argp_parser_t parser, int argc,
                      char **argv, void *input);
/* For such parsers: a whole number within bounds, and the index of a word among choices (NULL-ended). */
int64_t sb_command_whole(struct argp_state *state, const char *option, const char *text, int64_t low, int64_t high);
int     sb_command_choice(struct argp_state *state, const char *option, const char *text, const char *const *choices);

/* Prints the messages collected so far, as the end of the command does too. */
void sb_command_messages(const sb_session *session);
/* Opens a results directory and prints messages; NULL if it is not one. */
sb_results *sb_command_results(const char *directory, const sb_session *session);
/* The key of "DIR/KEY", which may be shortened to 4 digits, and its directory; NULL if there is none. */
const char *sb_command_key(const char *path, sb_arena *arena, const char **directory);
/* The case file that FILE.h5 or DIR/KEY names, if it fits its checksum; NULL after a diagnostic. *directory: that of
 * DIR/KEY; unchanged for a file. */
const char *sb_command_case_file(const char *what, const sb_session *session, const char **directory);
