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

static Mat empty_matrix(PetscInt n, PetscInt row_length, PetscInt block)
{
  Mat      A;
  PetscInt local = PETSC_DECIDE, blocks = n / block;
  OK(PetscSplitOwnership(PETSC_COMM_WORLD, &local, &blocks));
  OK(MatCreateAIJ(PETSC_COMM_WORLD, local * block, local * block, n, n, row_length, NULL, row_length, NULL, &A));
  OK(MatSetBlockSize(A, block));
  OK(MatSetOption(A, MAT_NEW_NONZERO_ALLOCATION_ERR, PETSC_FALSE));
  OK(MatSetOption(A, MAT_IGNORE_OFF_PROC_ENTRIES, PETSC_TRUE));
  return A;
}

static void finish(Mat A)
{
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
}

Mat matrix_of(PetscInt n, PetscInt bandwidth, PetscInt block, entry_function entry, const void *context)
{
  Mat      A = empty_matrix(n, 2 * bandwidth + 1, block);
  PetscInt first, end;
  OK(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt i = first; i < end; ++i) {
    for (PetscInt j = PetscMax(0, i - bandwidth); j <= PetscMin(n - 1, i + bandwidth); ++j) {
      const double value = entry(context, i, j);
      if (i == j || value != 0.0) OK(MatSetValue(A, i, j, value, INSERT_VALUES));
    }
  }
  finish(A);
  return A;
}

PetscInt sheet_free(const sheet *s) { return (s->cells + 1) * (s->cells + 1) - 2; }

/* Number among the free vertices, -1 when pinned: vertices 0 and `cells`. */
static PetscInt free_id(const sheet *s, int vertex)
{
  if (vertex == 0 || vertex == s->cells) return -1;
  return vertex - (vertex < s->cells ? 1 : 2);
}

static void rotate(double angle, int axis, double p[3])
{
  const int    a = (axis + 1) % 3, b = (axis + 2) % 3;
  const double turned = cos(angle) * p[a] - sin(angle) * p[b];
  p[b] = sin(angle) * p[a] + cos(angle) * p[b];
  p[a] = turned;
}

/* H_s/k = u u^T + (1 - 1/stretch)(I - u u^T) of a spring in direction (di, dj, 0), then rotated. */
static void spring_block(const sheet *s, int di, int dj, double H[9])
{
  const double length = hypot(di, dj), slack = 1.0 - 1.0 / s->stretch;
  double       u[3] = {di / length, dj / length, 0.0};
  for (int axis = 0; axis < 3; ++axis) rotate(s->angle, axis, u);
  for (int i = 0; i < 9; ++i) H[i] = (1.0 - slack) * u[i / 3] * u[i % 3] + (i / 3 == i % 3 ? slack : 0.0);
}

static void add(Mat A, PetscInt block, PetscInt row, PetscInt column, double factor, const double *values)
{
  if (row < 0 || column < 0) return;
  for (PetscInt i = 0; i < block; ++i) {
    for (PetscInt j = 0; j < block; ++j) {
      OK(MatSetValue(A, block * row + i, block * column + j, factor * values[block * i + j], ADD_VALUES));
    }
  }
}

static void add_spring(Mat A, const sheet *s, PetscInt block, int i, int j, int di, int dj)
{
  static const double one[1] = {1.0};
  double              H[9];
  if (i + di < 0 || i + di > s->cells || j + dj > s->cells) return;
  spring_block(s, di, dj, H);
  const double  *values = block == 1 ? one : H;
  const PetscInt p = free_id(s, j * (s->cells + 1) + i), q = free_id(s, (j + dj) * (s->cells + 1) + i + di);
  add(A, block, p, p, s->ratio, values);
  add(A, block, q, q, s->ratio, values);
  add(A, block, p, q, -s->ratio, values);
  add(A, block, q, p, -s->ratio, values);
}

static Mat sheet_matrix(const sheet *s, PetscInt block)
{
  const PetscInt n = block * sheet_free(s);
  Mat            A = empty_matrix(n, 7 * block, block);
  PetscInt       first, end;
  OK(MatGetOwnershipRange(A, &first, &end));
  for (PetscInt row = first; row < end; ++row) OK(MatSetValue(A, row, row, 1.0, ADD_VALUES));
  for (int j = 0; j <= s->cells; ++j) {
    for (int i = 0; i <= s->cells; ++i) {
      add_spring(A, s, block, i, j, 1, 0);
      add_spring(A, s, block, i, j, 0, 1);
      add_spring(A, s, block, i, j, -1, 1);
    }
  }
  finish(A);
  return A;
}

Mat sheet_block(const sheet *s) { return sheet_matrix(s, 3); }

Mat sheet_scalar(const sheet *s) { return sheet_matrix(s, 1); }

void fill(Vec v, double (*value)(PetscInt index))
{
  PetscInt first, end;
  OK(VecGetOwnershipRange(v, &first, &end));
  for (PetscInt i = first; i < end; ++i) OK(VecSetValue(v, i, value(i), INSERT_VALUES));
  OK(VecAssemblyBegin(v));
  OK(VecAssemblyEnd(v));
}

double waves(PetscInt index) { return sin(1.0 + 0.7 * (double)index) + 0.3 * cos(0.11 * (double)(index * index)); }

double distance(Vec x, Vec y)
{
  Vec       difference;
  PetscReal error, size;
  OK(VecDuplicate(x, &difference));
  OK(VecWAXPY(difference, -1.0, y, x));
  OK(VecNorm(difference, NORM_2, &error));
  OK(VecNorm(y, NORM_2, &size));
  OK(VecDestroy(&difference));
  return error / size;
}

problem problem_of(Mat A, int columns)
{
  problem p = {.A = A, .columns = columns, .definite = true};
  Mat     product = A;
  if (columns > 1) OK(MatCreateMAIJ(A, columns, &product));
  OK(MatCreateVecs(product, &p.x, &p.b));
  OK(VecDuplicate(p.x, &p.exact));
  fill(p.exact, waves);
  OK(MatMult(product, p.exact, p.b));
  if (columns > 1) OK(MatDestroy(&product));
  return p;
}

void problem_free(problem *p)
{
  OK(VecDestroy(&p->b));
  OK(VecDestroy(&p->x));
  OK(VecDestroy(&p->exact));
  OK(MatDestroy(&p->A));
}

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
