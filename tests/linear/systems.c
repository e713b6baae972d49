/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems and helpers for the tests of linear solvers; see systems.h. */
#include "tests/linear/systems.h"

#include <math.h>
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

void assert_within(double error, double bound, const char *what, const char *file, int line)
{
  if (error <= bound) return;
  print_error("%s is %.3e, above %.3e\n", what, error, bound);
  _fail(file, line);
}

static sb_options *read_pairs(char *pairs)
{
  const sb_location nowhere = {NULL, 0, 0};
  sb_options       *options = sb_options_create(NULL);
  sb_diagnostics   *diagnostics = sb_diagnostics_create();
  bool              good = true;
  assert_non_null(options);
  for (char *rest = pairs, *pair = strtok_r(pairs, ";", &rest); pair; pair = strtok_r(NULL, ";", &rest))
    good = sb_options_set_pair(options, pair, SB_FROM_USER, nowhere, diagnostics) && good;
  sb_diagnostics_print(diagnostics, stderr);
  sb_diagnostics_destroy(&diagnostics);
  assert_true(good);
  return options;
}

static sb_options *format_options(const char *format, va_list arguments)
{
  char pairs[400];
  assert_in_range(vsnprintf(pairs, sizeof pairs, format, arguments), 0, sizeof pairs - 1);
  return read_pairs(pairs);
}

sb_options *options_of(const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  sb_options *options = format_options(format, arguments);
  va_end(arguments);
  return options;
}

static sb_linear_solver *solver_with(int columns, const char *format, va_list arguments)
{
  sb_linear_solver *solver;
  sb_options       *options = format_options(format, arguments);
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, "test_", columns, NULL, &solver));
  sb_options_destroy(&options);
  return solver;
}

sb_linear_solver *solver_of(int columns, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  sb_linear_solver *solver = solver_with(columns, format, arguments);
  va_end(arguments);
  return solver;
}

bool assert_refused(Mat A, const char *words, const char *pairs)
{
  sb_options       *options = options_of("%s", pairs);
  sb_linear_solver *solver = (sb_linear_solver *)options; /* creating one changes it, if to NULL */
  sb_outcome        outcome;
  char             *message = NULL, *list = strdup(words), *rest = NULL;
  OK(PetscPushErrorHandler(PetscReturnErrorHandler, NULL));
  PetscErrorCode code = sb_linear_solver_create(PETSC_COMM_WORLD, options, "test_", 1, NULL, &solver);
  const bool     none = !solver;
  if (!code && A) code = sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, true, &outcome);
  OK(PetscPopErrorHandler());
  assert_int_equal(code, PETSC_ERR_USER);
  OK(PetscErrorMessage(code, NULL, &message));
  for (char *word = strtok_r(list, ";", &rest); word; word = strtok_r(NULL, ";", &rest))
    if (!message || !strstr(message, word + (*word == ' ')))
      fail_msg("%s: '%s' does not say '%s'", pairs, message ? message : "", word);
  free(list);
  OK(sb_linear_solver_destroy(&solver));
  sb_options_destroy(&options);
  return none;
}

Mat matrix_of(PetscInt n, PetscInt bandwidth, PetscInt block, entry_function entry, const void *context)
{
  Mat A;
  OK(sb_banded_matrix(n, bandwidth, block, entry, context, &A));
  return A;
}

Mat sheet_block(const sheet *s)
{
  Mat A;
  OK(sb_sheet_matrix(s, 3, &A));
  return A;
}

Mat sheet_scalar(const sheet *s)
{
  Mat A;
  OK(sb_sheet_matrix(s, 1, &A));
  return A;
}

void fill(Vec v, double (*value)(PetscInt index)) { OK(sb_fill(v, value)); }

double distance(Vec x, Vec y)
{
  double found;
  OK(sb_distance(x, y, &found));
  return found;
}

problem problem_of(Mat A, int columns)
{
  problem p;
  OK(sb_linear_problem_create(A, columns, &p));
  return p;
}

void problem_free(problem *p) { OK(sb_linear_problem_free(p)); }

sb_solve_report solve_by(sb_linear_solver *solver, problem *p, sb_matrix_change change, const char *factored)
{
  sb_outcome      outcome;
  sb_solve_report report;
  OK(sb_linear_solver_set_matrix(solver, p->A, change, p->definite, &outcome));
  if (factored) assert_string_equal(sb_outcome_name(outcome), factored);
  OK(sb_linear_solver_solve(solver, p->b, p->x, p->guess, &report));
  assert_non_null(report.reason);
  return report;
}

sb_solve_report solve(problem *p, const char *factored, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  sb_linear_solver *solver = solver_with(p->columns, format, arguments);
  va_end(arguments);
  const sb_solve_report report = solve_by(solver, p, SB_NEW_PATTERN, factored);
  OK(sb_linear_solver_destroy(&solver));
  return report;
}

double chain(const void *context, PetscInt i, PetscInt j)
{
  const double ratio = *(const double *)context;
  return i == j ? 1.0 + 2.0 * ratio : -ratio;
}

double saddle(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? 1.0 : 0.9;
}

double hollow(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == j ? (i == 3 ? 0.0 : 2.0) : 0.5;
}

double chain_mode(int nodes, int mode, PetscInt index) { return sin(M_PI * mode * (double)(index + 1) / (nodes + 1)); }

void each_backend(unsigned traits, void (*check)(const sb_linear_backend *backend))
{
  int found = 0;
  for (size_t i = 0; i < sb_linear_backend_count(); ++i) {
    const sb_linear_backend *backend = sb_linear_backend_at(i);
    if (backend->missing || (rank_count() > 1 && (backend->traits & SB_SERIAL_ONLY))) continue;
    if ((backend->traits & traits) != traits) continue;
    check(backend);
    found++;
  }
  assert_true(found > 0);
}

int rank_count(void)
{
  PetscMPIInt ranks;
  OK(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  return ranks;
}
