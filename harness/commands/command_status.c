/* `springbench status DIR`: how far a sweep is. */
#include "harness/commands/command.h"
#include "harness/report/status.h"

static int run_status(int argc, char **argv, const sb_session *session)
{
  if (argc < 2) return sb_command_usage(&sb_command_status);
  for (int i = 1; i < argc; ++i) {
    if (sb_command_no_flag(&sb_command_status, argv[i]) != SB_EXIT_OK) return SB_EXIT_USAGE;
    sb_results *results = sb_command_results(argv[i], session);
    if (!results) return SB_EXIT_USAGE;
    sb_status_print(results, stdout);
  }
  return SB_EXIT_OK;
}

const sb_command sb_command_status = {"status", "DIR ...", "how far a sweep is, what failed and why", run_status};
