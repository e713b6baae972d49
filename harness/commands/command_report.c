/* `springbench report DIR`: what came out, as Markdown and as HTML that opens without network. */
#include <sys/stat.h>

#include "harness/commands/command.h"
#include "harness/report/page.h"

static int report_one(const char *directory, const sb_session *session)
{
  sb_results *results = sb_command_results(directory, session);
  if (!results) return SB_EXIT_USAGE;
  const sb_page_outcome outcome = sb_page_write_sweep(results);
  return outcome == SB_PAGE_WRITTEN ? SB_EXIT_OK : SB_EXIT_STORAGE; /* a page left alone is not the one asked for */
}

static int report_all(const char *directory, const sb_session *session)
{
  struct stat about = {0};
  if (stat(directory, &about) != 0 || !S_ISDIR(about.st_mode)) {
    fprintf(stderr, "springbench: error: %s is no directory; give one made by `run`, or the folder of several [E100]\n",
            directory);
    return SB_EXIT_USAGE;
  }
  const sb_results_folders *folders = sb_results_folders_open(session, directory, NULL, 0);
  const sb_page_outcome     outcome = sb_pages_write(folders, sb_findings_judge(session, folders, NULL));
  return outcome == SB_PAGE_WRITTEN ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

static int run_report(int argc, char **argv, const sb_session *session)
{
  if (argc != 2 || argv[1][0] == '-') return sb_command_usage(&sb_command_report);
  const bool one = sb_is_results_folder(argv[1]);
  const int  status = one ? report_one(argv[1], session) : report_all(argv[1], session);
  if (status == SB_EXIT_OK) printf("%s/report.html\n", argv[1]);
  return status;
}

const sb_command sb_command_report = {
    "report",
    "DIR",
    "pages of a sweep, or of all sweeps below a folder, as Markdown and HTML",
    run_report,
};
