/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line: finds the command, reads its line by argp, prints the help. See harness.h and command.h. */
#include "harness/commands/harness.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/finite.h"
#include "cases/common/address_space.h"
#include "cases/common/full_program.h"
#include "cases/common/terminal.h"
#include "cases/common/text.h"
#include "cases/run/plugins.h"
#include "cases/run/run_case.h"
#include "cases/store/build_facts.h"
#include "harness/commands/command.h"

typedef struct {
  SB_ENTRY_HEAD;
  const sb_command *command;
  const char       *arguments, *options, *help; /* help: summary and more, as argp has it */
} entry;

static const sb_entry *const entries[] = {
#define SB_ENTRY(title, words, flags, about, more)                                                                     \
  &(const entry){.name = #title,                                                                                       \
                 .summary = (about),                                                                                   \
                 .command = &sb_command_##title,                                                                       \
                 .arguments = (words),                                                                                 \
                 .options = (flags),                                                                                   \
                 .help = sizeof(more) > 1 ? about "\v" more : about}                                                   \
       .entry,
#include "harness/commands/commands.def"
#undef SB_ENTRY
};
static const sb_list commands = {.family = "commands", SB_LIST_ENTRIES(entries)};

static const entry *find_command(const char *name) { return (const void *)sb_list_find(&commands, name); }

static void print_help(FILE *stream)
{
  fputs("springbench: reproducible benchmarks of mass-spring solvers\n\n", stream);
  for (size_t i = 0; i < commands.count; ++i) {
    const entry *e = (const void *)entries[i];
    char         line[128]; /* "DIR [ID] [--format text|md|csv|tex]" */
    snprintf(line, sizeof line, "%s%s%s", e->arguments, *e->arguments && *e->options ? " " : "", e->options);
    fprintf(stream, "  %-7s %-46s %s\n", e->name, line, e->summary);
  }
  fputs("\n  --plugin FILE.so|FILE.py adds linear solvers, minimisers and integrators of your own to a command "
        "(docs/plugins.md)."
        "\n  --simulator FILE.json adds a program of somebody else, for driver external (docs/library.md)."
        "\n  springbench COMMAND --help shows more. `springbench list options` lists every option of a case.\n"
        "\n  exit status 0: done. 1: some case failed. 2: usage or input. 3: a claim does not hold.\n"
        "  4: unfit machine or build. 5: storage. 6: directory busy. 7: no case matched. 8: out of memory.\n"
        "  9: a results directory of a folder cannot be read. 75: interrupted (the same command continues).\n",
        stream);
}

/* A case executes its program again if its environment is not for its number of threads. Most have one, and need not do
 * so if these variables are set before the libraries are loaded. */
static int become_full(char **argv, const sb_session *session)
{
  for (int i = 0; i < SB_THREAD_VARIABLES; ++i)
    setenv(sb_thread_variables[i].name, sb_thread_variables[i].value ? sb_thread_variables[i].value : "1", 0);
  const char *program = sb_full_program_name(session->arena), *fault = sb_full_program_fault(program);
  if (!fault) execve(program, argv, environ);
  return sb_full_program_refused(fault ? fault : strerror(errno), session->arena);
}

static int run_line(int argc, char **argv, const sb_session *session)
{
  static char spelled[] = "--help";
  if (argc < 2) {
    print_help(stderr);
    return SB_EXIT_USAGE;
  }
  if (argc == 3 && strcmp(argv[1], "help") == 0) { /* COMMAND --help */
    argv[1] = argv[2];
    argv[2] = spelled;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return SB_EXIT_OK;
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("springbench " SB_BUILD_VERSION);
    return SB_EXIT_OK;
  }
  const entry *e = find_command(argv[1]);
  if (!e) {
    fprintf(stderr, "springbench: error: unknown command '%s'%s [E101]\n`springbench --help` lists the commands.\n",
            argv[1], sb_list_suggestion(&commands, argv[1], session->arena));
    return SB_EXIT_USAGE;
  }
  if (e->command->full && sb_program_is_light()) return become_full(argv, session);
  if (!sb_tells_finite() && e->command != &sb_command_doctor) {
    fputs("springbench: error: this build does not detect NaN (-ffast-math?); it cannot be used\n", stderr);
    return SB_EXIT_UNFIT;
  }
  if (argc > 2 && strcmp(argv[argc - 1], "-h") == 0) argv[argc - 1] = spelled; /* which argp does not know */
  return e->command->run(argc - 1, argv + 1, session);
}

int sb_harness_main(int argc, char **argv, const sb_vocabulary *vocabulary)
{
  FILE *const  plain[] = {stdout, stderr};
  sb_terminal  out, err;
  const entry *named = argc > 1 ? find_command(argv[1]) : NULL;
  sb_blas_begin_alone(argv);
  sb_streams_reserve();
  /* A file over the limit (ulimit -f) fails to grow. This is reported like a full disk, and does not kill the process.
   */
  signal(SIGXFSZ, SIG_IGN);
  signal(SIGCHLD, SIG_DFL); /* an ignored signal, which a parent may pass on to us, would hide how a child ended */
  sb_session session = sb_session_begin(vocabulary);
  stderr = sb_terminal_guard(&err, stderr);
  /* Nothing in prose may control a terminal, not even through a pipe. */
  if (isatty(STDOUT_FILENO) || (named && named->command->prose)) stdout = sb_terminal_guard(&out, stdout);
  int status = sb_plugins_load(&argc, argv, &session) ? run_line(argc, argv, &session) : SB_EXIT_USAGE;
  sb_session_end(&session, stderr);
  status = sb_streams_end(status);
  if (stdout != plain[0]) fclose(stdout);
  if (stderr != plain[1]) fclose(stderr);
  stdout = plain[0];
  stderr = plain[1];
  return status;
}

/* ---- for commands ---- */

enum { KEY_USAGE = 0x7ffffffe };

/* The options of help as argp has them, whose own end the process before lost output is noticed. */
static const struct argp_option help_options[] = {{"help", '?', NULL, 0, "Give this help list", -1},
                                                  {"usage", KEY_USAGE, NULL, 0, "Give a short usage message", 0},
                                                  {0}};

static error_t read_help(int key, char *text, struct argp_state *state)
{
  (void)text;
  if (key != '?' && key != KEY_USAGE) return ARGP_ERR_UNKNOWN;
  argp_state_help(state, stdout, key == '?' ? ARGP_HELP_LONG | ARGP_HELP_DOC | ARGP_HELP_SHORT_USAGE : ARGP_HELP_USAGE);
  return ECANCELED;
}

enum { KEYS_FROM = 256, OPTIONS_MAX = 40 }; /* keys of options without a letter */

typedef struct {
  const sb_command *command;
  sb_command_words  words;
  void             *input;
  FILE             *given; /* gets the options among the words */
} line;

static int key_of(const sb_command *command, const sb_command_option *option)
{
  return option->letter ? option->letter : KEYS_FROM + (int)(option - command->options);
}

static void take_names(const line *l, struct argp_state *state)
{
  const sb_command *command = l->command;
  const int         count = l->words.count;
  const bool        fewer = count < command->least;
  const bool        more = command->most > 0 && count > command->most;
  if (fewer && command->missing) argp_error(state, "%s", command->missing);
  if (more && command->surplus) argp_error(state, "%s; got '%s' too", command->surplus, l->words.names[command->most]);
  if (fewer || more) argp_usage(state);
  if (command->take_names) command->take_names(&l->words, l->input, state);
}

static error_t read_line(int key, char *text, struct argp_state *state)
{
  line                    *l = state->input;
  const sb_command_option *option = l->command->options;
  while (option && option->name && key_of(l->command, option) != key) ++option;
  if (option && option->name) {
    option->read(option, text, (char *)l->input + option->place, state);
    if (option->aside) return 0;
    fprintf(l->given, text ? " --%s=" : " --%s", option->name);
    if (text) sb_text_put_word(l->given, text);
  } else if (key == ARGP_KEY_ARGS && l->command->most >= 0) {
    l->words.names = state->argv + state->next;
    l->words.count = state->argc - state->next;
  } else if (key == ARGP_KEY_END) {
    take_names(l, state);
  } else {
    return ARGP_ERR_UNKNOWN; /* for a name: argp then gives all of them at once, those behind "--" too */
  }
  return 0;
}

sb_command_words sb_command_read(int argc, char **argv, const sb_session *session, void *input)
{
  const entry            *e = find_command(argv[0]);
  const struct argp       help = {help_options, read_help, NULL, NULL, NULL, NULL, NULL};
  const struct argp_child children[] = {{&help, 0, NULL, 0}, {0}};
  struct argp_option      options[OPTIONS_MAX + 1] = {{0}};
  struct argp             argp = {NULL, read_line, e->arguments, e->help, children, NULL, NULL};
  sb_arena_writer         given;
  line                    l = {.command = e->command, .input = input, .given = sb_arena_write(&given, session->arena)};
  if (e->command->options) argp.options = options; /* an empty table leaks a byte in the help */
  const sb_command_option *all = e->command->options;
  for (size_t i = 0; all && i < OPTIONS_MAX && all[i].name; ++i)
    options[i] = (struct argp_option){all[i].name, key_of(e->command, &all[i]), all[i].value, 0, all[i].help, 0};
  argv[0] = sb_arena_format(session->arena, "springbench %s", e->name);
  argp_err_exit_status = SB_EXIT_USAGE;
  const error_t error = argp_parse(&argp, argc, argv, ARGP_NO_HELP, NULL, &l);
  if (error != 0) exit(error == ECANCELED ? sb_streams_end(SB_EXIT_OK) : SB_EXIT_USAGE);
  l.words.options = sb_arena_text(&given);
  return l.words;
}

void sb_take_flag(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  (void)option, (void)text, (void)state;
  *(bool *)place = true;
}

void sb_take_text(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  (void)option, (void)state;
  *(const char **)place = text;
}

static int64_t whole(const sb_command_option *option, const char *text, struct argp_state *state)
{
  int64_t number = 0;
  if (!sb_parse_integer(text, &number) || number < option->low || number > option->high)
    argp_error(state, "--%s takes a whole number from %lld to %lld; got '%s'", option->name, (long long)option->low,
               (long long)option->high, text);
  return number;
}

void sb_take_whole(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  *(int *)place = (int)whole(option, text, state);
}

void sb_take_seed(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  *(uint64_t *)place = (uint64_t)whole(option, text, state);
}

void sb_take_parsed(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  if (!option->parse(text, place)) argp_error(state, "--%s takes %s; got '%s'", option->name, option->hint, text);
}

/* The place of a word among the choices. */
static int choose(const sb_command_option *option, const char *text, struct argp_state *state)
{
  const char *const *choices = option->choices;
  int                i = 0;
  char               all[128] = "";
  for (size_t end = 0; choices[i] && strcmp(choices[i], text) != 0; ++i)
    end += (size_t)snprintf(all + end, sizeof all - end, "%s%s",
                            i == 0           ? ""
                            : choices[i + 1] ? ", "
                                             : " or ",
                            choices[i]);
  if (!choices[i]) argp_error(state, "--%s takes %s; got '%s'", option->name, all, text);
  return i;
}

void sb_take_choice(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  *(int *)place = (int)option->low + choose(option, text, state);
}

void sb_take_word(const sb_command_option *option, char *text, void *place, struct argp_state *state)
{
  *(const char **)place = option->choices[text ? choose(option, text, state) : 0];
}

const char *sb_command_key(const char *path, sb_arena *arena, const char **directory)
{
  const char  *slash = strrchr(path, '/');
  const size_t digits = slash ? strspn(slash + 1, "0123456789abcdef") : 0;
  if (digits < 4 || slash[1 + digits] != '\0') return NULL;
  *directory = sb_arena_copy_span(arena, path, (size_t)(slash - path));
  return slash + 1;
}

const char *sb_command_case_file(const char *what, const sb_session *session, const char **directory)
{
  char        error[SB_ERROR_SIZE] = "";
  const char *path = what, *key = NULL;
  if (access(what, F_OK) != 0) {
    key = sb_command_key(what, session->arena, directory);
    if (!key) {
      sb_error_at(session->diagnostics, (sb_location){what, 0, 0}, "E100",
                  "it is neither a case file nor DIR/KEY nor a results directory");
      return NULL;
    }
    const sb_results *results = sb_results_open(*directory, session);
    const size_t      row = results ? sb_results_find(results, key) : (size_t)-1;
    if (row == (size_t)-1) return NULL;
    if (sb_results_case_file(results, row, session->arena, &path, error)) return path;
  } else if (sb_published_file_is_whole(path, error))
    return path;
  sb_error_at(session->diagnostics, (sb_location){0}, "E100", "%s", error);
  return NULL;
}
