/* `springbench verify DIR ...`: the claims of sweeps against their results. */
#include <string.h>

#include "harness/command.h"
#include "harness/report.h"

static int run_verify(int argc, char **argv, const sb_driver_list *drivers)
{
  bool count_time = true;
  int  status = SB_EXIT_OK, directories = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--no-time") == 0) {
      count_time = false;
      continue;
    }
    directories++;
    sb_results *results = sb_command_results(argv[i], drivers);
    if (!results) return SB_EXIT_USAGE;
    if (sb_verify(results, stdout, count_time) > 0) status = SB_EXIT_CONTRADICTION;
    sb_results_destroy(&results);
  }
  return directories ? status : sb_command_usage(&sb_command_verify);
}

const sb_command sb_command_verify = {
    "verify",
    "DIR ... [--no-time]",
    "the sweep's claims against its results (--no-time: timings decide nothing)",
    run_verify,
};
