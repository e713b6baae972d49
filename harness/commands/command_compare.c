/* `springbench compare A B`: two results of a sweep, case by case. */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/commands/command.h"
#include "harness/report/compare.h"

enum { KEY_THRESHOLD = 256, KEY_FORMAT, KEY_CHANGED, KEY_BITWISE, KEY_SEED, COLUMNS_MAX = 32 };

typedef struct {
  sb_compare_request request;
  const char        *columns[COLUMNS_MAX];
  int                path_count;
} compare_command;

static const struct argp_option option_table[] = {
    {"threshold", KEY_THRESHOLD, "5%", 0, "slower by more, by all of its interval, is a regression (default: 5%)", 0},
    {"bitwise", KEY_BITWISE, NULL, 0, "other bits are a regression whatever the builds", 0},
    {"changed", KEY_CHANGED, NULL, 0, "leave out cases in which nothing changed", 0},
    {"format", KEY_FORMAT, "FORM", 0, "text, md, csv or json", 0},
    {"seed", KEY_SEED, "N", 0, "of the resampling (default: 1)", 0},
    {0},
};

static const char about[] =
    "two results of a sweep, case by case: times, bits, status, accuracy"
    "\v"
    "A and B are results directories. Cases are paired by their keys, the rest by the options that vary. B/A is the "
    "ratio of the medians of the timed steps with its 95 % interval, by a seeded bootstrap over runs and steps; 'same "
    "within noise' where that contains 1, or is within the noise floor. 'bitwise equal until step N' compares the "
    "digests of every recorded frame. COLUMN: columns to show and compare beside, such as error_final; without any, "
    "the column that differs most is named.\n\n"
    "Exit status: 0 nothing got worse; 3 something did: a time slower by more than the threshold (all of its interval, "
    "in a case or in the mean of all), a worse status, a tolerance no longer met, other bits of the same build on the "
    "same machine; 2 usage, results that cannot be read, no case in common.\n\n"
    "For two builds: springbench run S.yaml -r 5 -o old, with the other build -o new, springbench compare old new.";

/* "5%", "5 %", "0.05"; negative when it is none. */
static double read_part(const char *text)
{
  const char *percent = strchr(text, '%');
  size_t      length = percent ? (size_t)(percent - text) : strlen(text);
  double      value = -1;
  while (length > 0 && text[length - 1] == ' ') --length;
  char      *copy = sb_copy_span(text, length);
  const bool good = (!percent || percent[1] == '\0') && sb_parse_real(copy, &value);
  free(copy);
  return !good ? -1 : percent ? value / 100 : value;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
  static const char *const forms[] = {"text", "md", "csv", "json"};
  compare_command         *a = state->input;
  int64_t                  number = 0;
  switch (key) {
  case KEY_THRESHOLD:
    a->request.threshold = read_part(text);
    if (!(a->request.threshold >= 0 && a->request.threshold <= 10))
      argp_error(state, "--threshold takes a part such as 5%% or 0.05, at most 1000%%; got '%s'", text);
    return 0;
  case KEY_BITWISE:
    a->request.bitwise = true;
    return 0;
  case KEY_CHANGED:
    a->request.changed = true;
    return 0;
  case KEY_FORMAT:
    a->request.form = SB_COMPARE_TEXT;
    while (a->request.form <= SB_COMPARE_JSON && strcmp(text, forms[a->request.form]) != 0) ++a->request.form;
    if (a->request.form > SB_COMPARE_JSON) argp_error(state, "--format takes text, md, csv or json; got '%s'", text);
    return 0;
  case KEY_SEED:
    if (!sb_parse_integer(text, &number) || number < 0)
      argp_error(state, "--seed takes a whole number; got '%s'", text);
    a->request.seed = (uint64_t)number;
    return 0;
  case ARGP_KEY_ARG:
    if (a->request.column_count == COLUMNS_MAX) argp_error(state, "more than %d columns", (int)COLUMNS_MAX);
    if (a->path_count < 2)
      a->request.paths[a->path_count++] = text;
    else
      a->columns[a->request.column_count++] = text;
    return 0;
  case ARGP_KEY_END:
    if (a->path_count < 2) argp_error(state, "two results are needed");
    return 0;
  default:
    return ARGP_ERR_UNKNOWN;
  }
}

static int run_compare(int argc, char **argv, const sb_session *session)
{
  static const struct argp parser = {option_table, parse_option, "A B [COLUMN ...]", about, NULL, NULL, NULL};
  compare_command          a = {.request = {.threshold = 0.05, .seed = 1}};
  char                     name[] = "springbench compare";
  argv[0] = name;
  argp_err_exit_status = SB_EXIT_USAGE;
  if (argp_parse(&parser, argc, argv, 0, NULL, &a) != 0) return SB_EXIT_USAGE;
  a.request.columns = a.columns;
  return sb_compare(session, &a.request, stdout);
}

const sb_command sb_command_compare = {
    "compare",
    "A B [COLUMN ...] [--threshold 5%] [...]",
    "two results of a sweep, case by case: times, bits, status",
    run_compare,
};
