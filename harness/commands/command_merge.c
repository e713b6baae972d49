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

const sb_command sb_command_merge = {
    .name = "merge",
    .arguments = "OUT DIR...",
    .options = "[--prefer first|last]",
    .summary = "join results of one sweep from several directories",
    .more =
        "join results of one sweep: parts of it (run --shard I/N), or runs on several machines"
        "\v"
        "OUT may have results already; they come first. Every file is held against the checksum in its journal, then "
        "linked "
        "or copied and published as a finished case is: a merge that is killed goes on with the same command, and one "
        "with "
        "nothing to do changes nothing. A case that several directories have with the same digest is kept once; one "
        "whose "
        "results differ is refused unless --prefer says which. A failure stands only while no directory has a "
        "result.\n\n"
        "Exit status: 0 every case has a result; 1 some failed or are missing; 2 other sweeps or formats, or results "
        "that "
        "contradict each other, and nothing was changed; 5 a damaged file (the others are joined), or storage; 6 a "
        "directory "
        "is in use.\n\n"
        "For a sweep on three machines: springbench run S.yaml --shard 1/3 -o part1 on the first, 2/3 and 3/3 on the "
        "others, "
        "then springbench merge results/S part1 part2 part3.",
    .run = run_merge};
