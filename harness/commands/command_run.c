/* `springbench run`: what is missing of a sweep, then its tables, figures and the index page. */
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "harness/commands/command_sweep.h"
#include "harness/report/report.h"
#include "harness/report/report_html.h"
#include "harness/report/reproduced.h"
#include "harness/report/sweep_animations_write.h"
#include "harness/run/signals.h"
#include "harness/store/lock.h"
#include "harness/sweep/sweep_files.h"

/* Of all sweeps beside this one. */
static bool write_pages(const char *parent, const sb_driver_list *drivers)
{
  const sb_vocabulary *vocabulary = sb_vocabulary_of(drivers);
  sb_reproduction     *reproduction = sb_reproduction_create(parent, vocabulary, drivers, true);
  const bool           written = reproduction && sb_reproduction_write(reproduction);
  sb_reproduction_destroy(&reproduction);
  return sb_index_page_write(parent, vocabulary, drivers) && written;
}

/* Tables and figures of what is there; the pages of all sweeps beside this one. */
static bool make_reports(const char *directory, const sb_driver_list *drivers)
{
  sb_results *results = sb_command_results(directory, drivers);
  if (!results) return false;
  const bool tables = sb_tables_write_all(results), figures = sb_figures_write_all(results);
  /* Films take longer than what --quick runs; `animate` makes them of it too. */
  const bool films = results->quick || sb_animations_write(results, sb_vocabulary_of(drivers), NULL, false, NULL);
  const bool html = sb_report_html_write(results, drivers);
  sb_results_destroy(&results);
  char      *copy = realpath(directory, NULL);
  const bool page = copy && write_pages(dirname(copy), drivers);
  free(copy);
  return tables && figures && films && html && page;
}

/* One at a time in a directory, as cases are run. */
int sb_command_write_reports(const char *directory, const sb_driver_list *drivers)
{
  int                   lock = -1;
  const sb_lock_outcome outcome = sb_lock_take(directory, &lock);
  if (outcome != SB_LOCK_HELD) return outcome == SB_LOCK_BUSY ? SB_EXIT_BUSY : SB_EXIT_STORAGE;
  const bool made = make_reports(directory, drivers);
  sb_lock_release(&lock);
  if (made)
    fprintf(stderr, "springbench: tables and figures in %s/tables and %s/figures, all of it in %s/report.html\n",
            directory, directory, directory);
  else
    fprintf(stderr, "springbench: error: %s: not all tables and figures could be made; the results are stored\n",
            directory);
  return made ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

static int run_run(int argc, char **argv, const sb_driver_list *drivers)
{
  const sb_vocabulary *vocabulary = sb_vocabulary_of(drivers);
  sb_sweep_command     arguments;
  sb_sweep            *sweep = NULL;
  sb_plan             *plan = NULL;
  sb_signals_leave_on_stop();
  int status = sb_sweep_command_read(&sb_command_run, argc, argv, &arguments);
  if (status == SB_EXIT_OK) status = sb_sweep_command_plan(&arguments, drivers, &sweep, &plan);
  if (!arguments.run.dry_run) sb_signals_outlive_readers(); /* what a dry run prints is all it is for */
  if (status == SB_EXIT_OK) {
    status = sb_run(sweep, plan, &arguments.run, vocabulary, drivers);
    const bool begun = status == SB_EXIT_OK || status == SB_EXIT_CASES_FAILED || status == SB_EXIT_INTERRUPTED;
    if (begun && !arguments.run.dry_run && !sb_sweep_keep_scripts(sweep, arguments.directory)) status = SB_EXIT_STORAGE;
    const bool finished = status == SB_EXIT_OK || status == SB_EXIT_CASES_FAILED;
    const int  reports =
        finished && !arguments.run.dry_run ? sb_command_write_reports(arguments.directory, drivers) : SB_EXIT_OK;
    if (reports != SB_EXIT_OK) status = reports;
  }
  sb_plan_destroy(&plan);
  sb_sweep_destroy(&sweep);
  sb_sweep_command_clear(&arguments);
  return status;
}

const sb_command sb_command_run = {
    "run",
    "SWEEP.yaml|DIR [options]",
    "run what is missing, then make tables and figures",
    run_run,
};
