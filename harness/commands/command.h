/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands, for authors: a const table `sb_command_<name>` and one entry in commands.def. Data goes to stdout, messages
 * and progress to stderr. Local, except `case`. */
#pragma once

#include <argp.h>

#include "cases/common/exit_status.h"
#include "cases/describe/names.h"
#include "harness/results/results.h"

/* argv[0] of `run` is the command's name; it returns an exit status of exit_status.h. The other fields but `prose` and
 * `full` are for sb_command_read. */
typedef struct {
  int (*run)(int argc, char **argv, const sb_session *session);
  int                       least, most; /* names that it takes; most 0: any number */
  const struct argp_option *options;     /* of keys below; NULL: none */
  const char *const        *choices;     /* of SB_KEY_CHOICE, NULL-ended */
  bool                      prose;       /* its output is for people alone, never data for a program */
  bool                      full;        /* it needs PETSc, MPI or the BLAS (full_program.h) */
} sb_command;

/* Keys of options: one that takes one of the choices, and two flags. */
enum { SB_KEY_CHOICE = 256, SB_KEY_FLAG, SB_KEY_SECOND_FLAG };

/* The parsed line of a command without its own parser. */
typedef struct {
  const sb_command *command;
  int               count;
  char            **names;    /* [count] what is no option */
  int               choice;   /* its place among the choices; -1: the option was not given */
  bool              flags[2]; /* given */
} sb_arguments;

#define SB_ENTRY(name, arguments, options, summary, more) extern const sb_command sb_command_##name;
#include "harness/commands/commands.def"
#undef SB_ENTRY

/* Read the line of a command by argp. --help and errors of usage end the process. */
sb_arguments sb_command_read(const sb_command *command, int argc, char **argv);
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
