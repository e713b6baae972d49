/* `springbench run`: the cases that are missing of sweeps, then their tables, figures and pages, and once the pages of
 * the folders that they are in. */
#include <stdlib.h>
#include <string.h>

#include "harness/commands/reports.h"
#include "harness/commands/sweep_job.h"
#include "harness/run/progress.h"
#include "harness/run/signals.h"

static int run_job(const sb_sweep_job *job, const sb_session *session, sb_report_pages *pages)
{
  sb_results *results = NULL;
  sb_sweep_job_use_inputs(job);
  int status = sb_run(job->sweep, job->plan, &job->run, session, &results);
  if (!results) return status;
  const int reports = sb_reports_write(results, sb_progress_form_of(job->run.progress) != SB_PROGRESS_NONE);
  sb_report_pages_add(pages, results);
  return reports != SB_EXIT_OK ? reports : status;
}

static int run_run(int argc, char **argv, const sb_session *session)
{
  sb_sweep_arguments arguments;
  sb_report_pages    pages = {.session = session};
  int                worst = SB_EXIT_OK;
  sb_signals_leave_on_stop();
  int status = sb_sweep_arguments_read(&sb_command_run, argc, argv, session, &arguments);
  if (status != SB_EXIT_OK) return status;
  /* All of them are read before the first case runs: a mistake in the last is told now, not after hours. */
  sb_sweep_job *jobs = sb_arena_take(session->arena, arguments.input_count, sizeof *jobs);
  for (size_t i = 0; i < arguments.input_count; ++i) {
    status = sb_sweep_job_open(&arguments, arguments.inputs[i], session, &jobs[i]);
    if (worst == SB_EXIT_OK) worst = status;
  }
  sb_command_messages(session);
  if (worst != SB_EXIT_OK) return worst;
  if (!arguments.run.dry_run) sb_signals_outlive_readers(); /* what a dry run prints is all it is for */
  for (size_t i = 0; i < arguments.input_count && worst <= SB_EXIT_CASES_FAILED; ++i) {
    status = run_job(&jobs[i], session, &pages);
    if (status != SB_EXIT_OK) worst = status;
  }
  const int written = worst <= SB_EXIT_CASES_FAILED ? sb_report_pages_write(&pages) : SB_EXIT_OK;
  return written != SB_EXIT_OK ? written : worst;
}

const sb_command sb_command_run = {
    "run",
    "SWEEP.yaml|DIR... [options]",
    "run what is missing, then make tables, figures and pages",
    run_run,
};
