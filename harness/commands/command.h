/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands, for authors: a const table `sb_command_<name>` and one entry in commands.def. Data goes to stdout, messages
 * and progress to stderr. Local, except `case`. */
#pragma once

#include <argp.h>

#include "cases/common/exit_status.h"
#include "cases/describe/names.h"
#include "harness/results/results.h"

/* An option of a command's line: how it is shown, how its text is read, and where the value goes. {0} ends a table. */
typedef struct sb_command_option sb_command_option;
/* Reads the text of an option into its place; ends the process with an error of usage if it cannot. */
typedef void sb_option_reader(const sb_command_option *option, char *text, void *place, struct argp_state *state);
struct sb_command_option {
  const char        *name;
  int                letter;       /* 'o' for -o; 0: there is none */
  const char        *value, *help; /* value NULL: a flag */
  sb_option_reader  *read;
  size_t             place;     /* in the input of sb_command_read */
  int64_t            low, high; /* of a whole number */
  const char *const *choices;   /* words, NULL-ended */
  bool (*parse)(const char *text, double *value);
  const char *hint;  /* the texts that `parse` takes: "a time such as 2s" */
  bool        aside; /* it is not among `given` */
};
sb_option_reader sb_take_flag; /* a bool */
sb_option_reader sb_take_text; /* a const char *, as sb_take_word, which takes one of the choices; a flag: the first */
sb_option_reader sb_take_word;
sb_option_reader sb_take_whole; /* an int between low and high, as sb_take_seed, a uint64_t */
sb_option_reader sb_take_seed;
sb_option_reader sb_take_parsed; /* a double by `parse` */
sb_option_reader sb_take_choice; /* an int or an enum: the place of the word among the choices, counted from low */

/* The words of a command's line. */
typedef struct {
  int         count;
  char      **names;   /* [count] what is no option */
  const char *options; /* those given that are not aside, as words of a shell, each after a blank */
} sb_command_words;

/* argv[0] of `run` is the command's name; it returns an exit status of exit_status.h. The other fields but `prose` and
 * `full` are for sb_command_read. */
typedef struct {
  int (*run)(int argc, char **argv, const sb_session *session);
  const sb_command_option *options;           /* NULL: none */
  int                      least, most;       /* names that it takes; most 0: any number, -1: none */
  const char              *missing, *surplus; /* the error if there are fewer, or more; NULL: the usage */
  /* Optional: takes or refuses the names, by argp_error. `input`: that of the line. */
  void (*take_names)(const sb_command_words *words, void *input, struct argp_state *state);
  bool prose; /* its output is for people alone, never data for a program */
  bool full;  /* it needs PETSc, MPI or the BLAS (full_program.h) */
} sb_command;

#define SB_ENTRY(name, arguments, options, summary, more) extern const sb_command sb_command_##name;
#include "harness/commands/commands.def"
#undef SB_ENTRY

/* Reads the line of a command, whose name is argv[0], by argp; `input` has the places of its options. --help and errors
 * of usage end the process. */
sb_command_words sb_command_read(int argc, char **argv, const sb_session *session, void *input);

/* The key of "DIR/KEY", which may be shortened to 4 digits, and its directory; NULL if there is none. */
const char *sb_command_key(const char *path, sb_arena *arena, const char **directory);
/* The case file that FILE.h5 or DIR/KEY names, if it fits its checksum; NULL after a diagnostic. *directory: that of
 * DIR/KEY; unchanged for a file. */
const char *sb_command_case_file(const char *what, const sb_session *session, const char **directory);
