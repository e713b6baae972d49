/* `springbench run`: what is missing of a sweep, then its tables, figures and the index page. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/command_sweep.h"
#include "harness/report/animation.h"
#include "harness/report/report.h"
#include "harness/run/signals.h"
#include "harness/store/lock.h"

/* Of all sweeps beside this one, in a folder that is for such pages. */
static bool write_pages(const char *parent, sb_results *results, const sb_session *session)
{
  if (!sb_pages_are_wanted(parent)) return true;
  const sb_results_folders *folders = sb_results_folders_open(session, parent, &results, 1);
  const sb_findings        *findings = sb_findings_judge(session, folders, NULL);
  return sb_pages_write(folders, findings) != SB_PAGE_FAILED && findings;
}

/* "tables in D/tables, figures in D/figures, all of it in D/report.html": of what there is. */
static void tell_where(const sb_results *results, bool films, bool page)
{
  const char     *directory = results->directory;
  const sb_sweep *sweep = results->sweep;
  fputs("springbench:", stderr);
  if (sweep->table_count > 0) fprintf(stderr, " tables in %s/tables,", directory);
  if (sweep->figure_count > 0) fprintf(stderr, " figures in %s/figures,", directory);
  if (films) fprintf(stderr, " animations in %s/animations,", directory);
  fprintf(stderr, " all of it in %s%s\n", directory, page ? "/report.html" : "");
}

/* Tables and figures of what is there; the pages of all sweeps beside this one. */
static bool make_reports(const char *directory, const sb_session *session)
{
  sb_results *results = sb_command_results(directory, session);
  if (!results) return false;
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const bool      tables = sb_sweep_tables_write(results, diagnostics), figures = sb_figures_write_all(results);
  sb_diagnostics_print(diagnostics, stderr);
  sb_diagnostics_destroy(&diagnostics);
  /* Films take longer than what --quick runs; `animate` makes them of it too. */
  const bool            films = results->quick || sb_animations_write(results, NULL, false, NULL);
  const sb_page_outcome html = sb_page_write_sweep(results);
  char                 *copy = realpath(directory, NULL);
  const bool            page = copy && write_pages(dirname(copy), results, session);
  const bool            made = tables && figures && films && html != SB_PAGE_FAILED && page;
  if (results->sweep->claim_count > 0) {
    fputs("springbench: ", stderr);
    sb_claims_summarize(results, stderr);
    fprintf(stderr, " (springbench verify %s)\n", directory);
  }
  if (made) tell_where(results, !results->quick && results->sweep->animation_count > 0, html == SB_PAGE_WRITTEN);
  free(copy);
  return made;
}

/* One at a time in a directory, as cases are run. */
int sb_command_write_reports(const char *directory, const sb_session *session)
{
  int                   lock = -1;
  const sb_lock_outcome outcome = sb_lock_take(directory, &lock);
  if (outcome != SB_LOCK_HELD) return outcome == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  const bool made = make_reports(directory, session);
  sb_lock_release(&lock);
  if (!made)
    fprintf(stderr, "springbench: error: %s: not all tables, figures and pages could be made; the results are stored\n",
            directory);
  return made ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

static int run_run(int argc, char **argv, const sb_session *session)
{
  sb_sweep_command arguments;
  sb_sweep        *sweep = NULL;
  sb_plan         *plan = NULL;
  sb_signals_leave_on_stop();
  int status = sb_sweep_command_read(&sb_command_run, argc, argv, &arguments);
  if (status == SB_EXIT_OK) status = sb_sweep_command_plan(&arguments, session, &sweep, &plan);
  if (!arguments.run.dry_run) sb_signals_outlive_readers(); /* what a dry run prints is all it is for */
  if (status == SB_EXIT_OK) {
    status = sb_run(sweep, plan, &arguments.run, session);
    const bool finished = status == SB_EXIT_OK || status == SB_EXIT_CASES_FAILED;
    const int  reports =
        finished && !arguments.run.dry_run ? sb_command_write_reports(arguments.directory, session) : SB_EXIT_OK;
    if (reports != SB_EXIT_OK) status = reports;
  }
  sb_sweep_command_clear(&arguments);
  return status;
}

const sb_command sb_command_run = {
    "run",
    "SWEEP.yaml|DIR [options]",
    "run what is missing, then make tables and figures",
    run_run,
};
