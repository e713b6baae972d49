/* `springbench verify DIR ...`: the claims of sweeps against their results; of a folder of several, the published
 * findings against all of them. */
#include <string.h>

#include "harness/commands/command.h"
#include "harness/report/report.h"
#include "harness/report/status.h"

static int verify_one(const char *directory, bool count_time, const sb_session *session)
{
  sb_results *results = sb_command_results(directory, session);
  if (!results) return SB_EXIT_USAGE;
  sb_claims_print(results, stdout);
  return sb_claims_failing(results, count_time) > 0 ? SB_EXIT_CONTRADICTION : SB_EXIT_OK;
}

static int verify_all(const sb_results_folders *folders, bool count_time, const sb_session *session)
{
  const sb_findings *findings = sb_findings_judge(session, folders, NULL);
  if (!findings) return SB_EXIT_STORAGE;
  sb_findings_print(findings, stdout);
  fflush(stdout); /* before the line on stderr, where both go to one file */
  const sb_page_outcome page = sb_page_write_findings(findings);
  if (page == SB_PAGE_FAILED) return SB_EXIT_STORAGE;
  if (page == SB_PAGE_WRITTEN)
    fprintf(stderr, "springbench: all of it with links in %s/REPRODUCED.md\n", folders->parent);
  return sb_findings_failures(findings, count_time) > 0 ? SB_EXIT_CONTRADICTION : SB_EXIT_OK;
}

/* A results directory, or the folder of several. */
static int verify(const char *directory, bool count_time, const sb_session *session)
{
  if (sb_is_results_folder(directory)) return verify_one(directory, count_time, session);
  const sb_results_folders *folders = sb_results_folders_open(session, directory, NULL, 0);
  return folders->count > 0 ? verify_all(folders, count_time, session) : verify_one(directory, count_time, session);
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
    const int one = verify(argv[i], count_time, session);
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
