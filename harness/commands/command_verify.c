/* `springbench verify DIR ...`: the claims of sweeps against their results; of a folder of several, the published
 * findings against all of them. */
#include <stdio.h>
#include <string.h>

#include "harness/commands/command.h"
#include "harness/report/report.h"
#include "harness/report/reproduced.h"
#include "harness/results/results_folders.h"

static int verify_one(const char *directory, bool count_time, const sb_session *session)
{
  sb_results *results = sb_command_results(directory, session);
  if (!results) return SB_EXIT_USAGE;
  const size_t failed = sb_verify(results, stdout, count_time);
  return failed > 0 ? SB_EXIT_CONTRADICTION : SB_EXIT_OK;
}

static int verify_all(const char *parent, bool count_time, const sb_session *session)
{
  sb_reproduction *r = sb_reproduction_create(parent, session, count_time);
  if (!r) return SB_EXIT_STORAGE;
  const size_t failed = sb_reproduction_failures(r);
  sb_reproduction_print(r, stdout);
  fflush(stdout); /* before the line on stderr, where both go to one file */
  const sb_page_outcome page = sb_reproduction_write(r);
  if (page == SB_PAGE_WRITTEN) fprintf(stderr, "springbench: all of it with links in %s/REPRODUCED.md\n", parent);
  sb_reproduction_destroy(&r);
  return page == SB_PAGE_FAILED ? SB_EXIT_STORAGE : failed > 0 ? SB_EXIT_CONTRADICTION : SB_EXIT_OK;
}

static void note_folder(void *context, const char *folder)
{
  (void)folder;
  *(bool *)context = true;
}

static bool is_parent(const char *directory)
{
  bool found = false;
  if (sb_is_results_folder(directory)) return false;
  sb_results_folders(directory, note_folder, &found);
  return found;
}

static int run_verify(int argc, char **argv, const sb_session *session)
{
  bool count_time = true;
  int  status = SB_EXIT_OK, directories = 0;
  for (int i = 1; i < argc; ++i) {
    if (strcmp(argv[i], "--no-time") == 0) {
      count_time = false;
      continue;
    }
    if (sb_command_no_flag(&sb_command_verify, argv[i]) != SB_EXIT_OK) return SB_EXIT_USAGE;
    directories++;
    const int one =
        is_parent(argv[i]) ? verify_all(argv[i], count_time, session) : verify_one(argv[i], count_time, session);
    if (one != SB_EXIT_OK && one != SB_EXIT_CONTRADICTION) return one;
    if (one == SB_EXIT_CONTRADICTION) status = one;
  }
  return directories ? status : sb_command_usage(&sb_command_verify);
}

const sb_command sb_command_verify = {
    "verify",
    "DIR ... [--no-time]",
    "the sweep's claims, or the published findings of a folder of sweeps (--no-time: timings decide nothing)",
    run_verify,
};
