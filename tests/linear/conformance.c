/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every linear backend of the list passes the checks of solvers/conform; and what the front does by itself. */
#include <string.h>

#include "solvers/conform/conform.h"
#include "tests/linear/systems.h"

static const sb_conform_check *present;

static void conform(const sb_linear_backend *backend)
{
  sb_options          *options = options_of("linear=%s", backend->name);
  char                *message = NULL;
  const PetscErrorCode code = present->check(options);
  if (code) (void)PetscErrorMessage(code, NULL, &message);
  if (code) fail_msg("%s: %s: %s", backend->name, present->name, message ? message : "an error");
  sb_options_destroy(&options);
}

static void test_every_backend(void)
{
  for (size_t i = 0; (present = sb_conform_linear_at(i)); ++i) each_backend(0, conform);
}

static void test_events(void)
{
  static const char *const names[] = {"SBLinAnalyze", "SBLinFactor", "SBLinSolve"};
  sb_linear_solver        *one = solver_of(1, "linear=jacobi"), *two = solver_of(1, "linear=jacobi");
  PetscLogEvent            event, later;
  for (int i = 0; i < 3; ++i) {
    OK(PetscLogEventGetId(names[i], &event));
    assert_true(event >= 0);
  }
  sb_linear_solver *three = solver_of(1, "linear=jacobi");
  OK(PetscLogEventGetId(names[2], &later));
  assert_int_equal(event, later);
  OK(sb_linear_solver_destroy(&one));
  OK(sb_linear_solver_destroy(&two));
  OK(sb_linear_solver_destroy(&three));
}

static void test_unknown_backend(void)
{
  char names[400] = "no_such_backend";
  for (size_t i = 0; i < sb_linear_backend_count(); ++i)
    snprintf(names + strlen(names), sizeof names - strlen(names), "; %s", sb_linear_backend_at(i)->name);
  assert_true(assert_refused(NULL, names, "linear=no_such_backend"));
}

PETSC_TEST_MAIN(test_every_backend, test_events, test_unknown_backend)
