/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `springbench conform`: does a linear solver, a minimiser or an integrator do what it must and claims? For authors of
 * plug-ins. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/guard.h"
#include "cases/run/complaint.h"
#include "cases/run/run_case.h"
#include "harness/commands/command.h"
#include "solvers/conform/conform.h"

typedef const sb_conform_check *(*check_at)(size_t i);

static char crash_line[512]; /* of the present check */

static void report_crash(int number)
{
  (void)number;
  if (write(STDOUT_FILENO, crash_line, strlen(crash_line)) < 0) _exit(SB_EXIT_CASES_FAILED);
  _exit(SB_EXIT_CASES_FAILED);
}

/* A plug-in that crashes ends the command: what it did to the memory is not known. */
static void catch_crashes(void)
{
  static const int numbers[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) signal(numbers[i], report_crash);
}

/* Prints a line per check; returns how many failed. */
static int run_checks(const char *what, const char *name, check_at at, const sb_options *options)
{
  int failed = 0;
  for (size_t i = 0; at(i); ++i) {
    sb_complaint said = {0};
    snprintf(crash_line, sizeof crash_line, "FAILED  %s=%s %s: it crashed, as by a write beyond its arrays\n", what,
             name, at(i)->name);
    PetscErrorCode code = PetscPushErrorHandler(sb_complaint_take, &said);
    if (!code) code = at(i)->check(options);
    (void)PetscPopErrorHandler();
    failed += code != 0;
    printf("%-7s %s=%s %s%s%s\n", code ? "FAILED" : "ok", what, name, at(i)->name, code ? ": " : "",
           code ? said.message : "");
    fflush(stdout);
  }
  return failed;
}

static int conform(int argc, char **argv, const sb_session *session)
{
  const sb_command_words words = sb_command_read(argc, argv, session, NULL);
  sb_options            *options = sb_options_keep(sb_options_create(session->vocabulary), session->arena);
  bool                   good = true;
  int                    failed = 0;
  for (int i = 0; i < words.count; ++i)
    good = sb_options_set_pair(options, words.names[i], SB_FROM_USER, (sb_location){"command line", 0, i + 1},
                               session->diagnostics) &&
           good;
  const bool linear = sb_options_origin(options, SB_ID(linear)) == SB_FROM_USER;
  const bool minimizer = sb_options_origin(options, SB_ID(minimizer)) == SB_FROM_USER;
  const bool integrator = sb_options_origin(options, SB_ID(integrator)) == SB_FROM_USER;
  if (good && !linear && !minimizer && !integrator)
    good = sb_error_at(session->diagnostics, (sb_location){0}, "E106",
                       "give linear=NAME, minimizer=NAME or integrator=NAME");
  if (!good) return SB_EXIT_USAGE;
  if (!sb_case_start_libraries()) return SB_EXIT_UNFIT;
  sb_guard_begin("the checks");
  catch_crashes();
  if (integrator) /* a minimiser and a linear solver are its options */
    failed += run_checks("integrator", SB_TEXT(options, integrator), sb_conform_integrator_at, options);
  if (linear && !integrator) failed += run_checks("linear", SB_TEXT(options, linear), sb_conform_linear_at, options);
  if (minimizer && !integrator)
    failed += run_checks("minimizer", SB_TEXT(options, minimizer), sb_conform_minimizer_at, options);
  if (PetscFinalize() != 0) ++failed;
  sb_guard_end();
  return failed > 0 ? SB_EXIT_CASES_FAILED : SB_EXIT_OK;
}

const sb_command sb_command_conform = {.run = conform, .least = 1, .full = true};
