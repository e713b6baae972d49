/* `springbench compare A B`: two results of a sweep, case by case. */
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
  static const char *const forms[] = {"text", "md", "csv", "json", NULL}; /* of sb_compare_form */
  compare_command         *a = state->input;
  sb_compare_request      *r = &a->request;
  int64_t                  number = 0;
  if (key == KEY_THRESHOLD) {
    r->threshold = read_part(text);
    if (!(r->threshold >= 0 && r->threshold <= 10))
      argp_error(state, "--threshold takes a part such as 5%% or 0.05, at most 1000%%; got '%s'", text);
  }
  if (key == KEY_BITWISE) r->bitwise = true;
  if (key == KEY_CHANGED) r->changed = true;
  if (key == KEY_FORMAT) r->form = (sb_compare_form)sb_command_choice(state, "--format", text, forms);
  if (key == KEY_SEED && (!sb_parse_integer(text, &number) || number < 0))
    argp_error(state, "--seed takes a whole number; got '%s'", text);
  if (key == KEY_SEED) r->seed = (uint64_t)number;
  if (key == ARGP_KEY_ARG && a->path_count < 2)
    r->paths[a->path_count++] = text;
  else if (key == ARGP_KEY_ARG && r->column_count == COLUMNS_MAX)
    argp_error(state, "more than %d columns", (int)COLUMNS_MAX);
  else if (key == ARGP_KEY_ARG)
    a->columns[r->column_count++] = text;
  if (key == ARGP_KEY_END && a->path_count < 2) argp_error(state, "two results are needed");
  return 0;
}

static int run_compare(int argc, char **argv, const sb_session *session)
{
  compare_command a = {.request = {.threshold = 0.05, .seed = 1, .columns = a.columns}};
  sb_command_parse(&sb_command_compare, option_table, parse_option, argc, argv, &a);
  return sb_compare(session, &a.request, stdout);
}

const sb_command sb_command_compare = {.run = run_compare};
