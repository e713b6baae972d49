/* `springbench show DIR/KEY`: one case, whole. */
#include <stdlib.h>

#include "harness/commands/command.h"
#include "harness/report/status.h"

static int run_show(int argc, char **argv, const sb_session *session)
{
  char *directory = NULL, *key = NULL;
  if (argc != 2 || !sb_command_split_key(argv[1], &directory, &key)) return sb_command_usage(&sb_command_show);
  sb_results  *results = sb_command_results(directory, session);
  const size_t row = results ? sb_results_find(results, key) : (size_t)-1;
  if (row != (size_t)-1) sb_case_print(results, row, stdout);
  free(directory);
  free(key);
  return row != (size_t)-1 ? SB_EXIT_OK : SB_EXIT_USAGE;
}

const sb_command sb_command_show = {"show", "DIR/KEY", "one case: its row, options, command line, log", run_show};
