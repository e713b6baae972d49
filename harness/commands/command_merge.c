/* `springbench merge OUT DIR...`: results of one sweep from several directories, joined. */
#include "harness/commands/command.h"
#include "harness/commands/reports.h"
#include "harness/run/merge.h"
#include "harness/run/signals.h"

enum { KEY_PREFER = 256, SOURCES_MAX = 1024 };

static const struct argp_option option_table[] = {
    {"prefer", KEY_PREFER, "WHICH", 0, "where directories contradict each other, take the first or the last", 0},
    {0},
};

typedef struct {
  const char      *sources[SOURCES_MAX];
  sb_merge_request request;
} merge_command;

static error_t parse_option(int key, char *text, struct argp_state *state)
{
  static const char *const sides[] = {"first", "last", NULL}; /* as sb_prefer has them behind none */
  merge_command           *a = state->input;
  if (key == KEY_PREFER) a->request.prefer = (sb_prefer)(1 + sb_command_choice(state, "--prefer", text, sides));
  if (key == ARGP_KEY_ARG && !*text) argp_error(state, "a directory has a name; got ''");
  if (key == ARGP_KEY_ARG && !a->request.directory)
    a->request.directory = text;
  else if (key == ARGP_KEY_ARG && a->request.count == SOURCES_MAX)
    argp_error(state, "more than %d directories", (int)SOURCES_MAX);
  else if (key == ARGP_KEY_ARG)
    a->sources[a->request.count++] = text;
  if (key == ARGP_KEY_END && a->request.count == 0)
    argp_error(state, "where to join, and at least one results directory, are needed");
  return 0;
}

static int run_merge(int argc, char **argv, const sb_session *session)
{
  merge_command a = {.request = {.sources = a.sources}};
  sb_results   *results = NULL;
  sb_command_parse(&sb_command_merge, option_table, parse_option, argc, argv, &a);
  sb_signals_outlive_readers();
  const int status = sb_merge(&a.request, session, &results);
  sb_command_messages(session);
  if (!results) return status;
  const int reports = sb_reports_write(results, false), pages = sb_report_pages_write(session, 1, &results);
  return status != SB_EXIT_OK ? status : reports != SB_EXIT_OK ? reports : pages;
}

const sb_command sb_command_merge = {.run = run_merge};
