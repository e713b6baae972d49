/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of backend `panel`, of every instruction set that this processor runs, on plain arrays: each against a
 * dense factorisation, on patterns that give panels of every width, and what must not come out as a solution. */
#include "solvers/linear/panel_kernels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/threads.h"
#include "tests/linear/systems.h"

enum { COLUMNS = 3, THREADS = 5 };

static const sb_panel_kernels *const tables[] = SB_TABLES(sb_panel);

/* A symmetric matrix, dense and by its entries that are not zero; every diagonal entry is one of these. */
typedef struct {
  int      rows;
  double  *dense;
  PetscInt start_of[1024], *column;
  double  *value;
} symmetric;

/* a_ij for i >= j; 0: no entry. */
typedef double (*lower_half)(int i, int j);

static symmetric *symmetric_of(int rows, lower_half entry)
{
  symmetric   *A = calloc(1, sizeof *A);
  const size_t count = (size_t)rows * (size_t)rows;
  assert_true(A && rows < 1024);
  A->rows = rows;
  A->dense = calloc(count, sizeof *A->dense);
  A->column = calloc(count, sizeof *A->column);
  A->value = calloc(count, sizeof *A->value);
  for (int i = 0, at = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      const double a = A->dense[i * rows + j] = entry(PetscMax(i, j), PetscMin(i, j));
      if (a == 0 && i != j) continue;
      A->column[at] = j;
      A->value[at++] = a;
    }
    A->start_of[i + 1] = at;
  }
  return A;
}

static void symmetric_free(symmetric *A)
{
  free(A->dense);
  free(A->column);
  free(A->value);
  free(A);
}

/* A number in [-1, 1] that an index decides. */
static double scatter(int i) { return sin(12.9898 * (i + 1) + 0.3 * i * i); }

static double coupling(int i, int j) { return 0.4 * scatter(97 * i + 31 * j) - 0.5; }

/* Patterns. Diagonals are larger than their rows. */
static double one(int i, int j) { return i + j == 0 ? 4.0 : 0; }
static double diagonal(int i, int j) { return i == j ? 2 + scatter(i) : 0; }
static double full(int i, int j) { return i == j ? 60 + scatter(i) : coupling(i, j); }
static double first_row_dense(int i, int j) { return i == j ? 50 + scatter(i) : j == 0 ? coupling(i, j) : 0; }
static double last_row_dense(int i, int j) { return i == j ? 50 + scatter(i) : i == 46 ? coupling(i, j) : 0; }
static double band(int i, int j) { return i == j ? 12 + scatter(i) : i - j < 6 ? coupling(i, j) : 0; }

/* Squares of 17 x 13 with both diagonals: nested dissection, panels of many heights. */
static double grid(int i, int j)
{
  const int dx = abs(i % 17 - j % 17), dy = abs(i / 17 - j / 17);
  return i == j ? 12 + scatter(i) : dx < 2 && dy < 2 ? coupling(i, j) : 0;
}

static double large_grid(int i, int j)
{
  const int dx = abs(i % 31 - j % 31), dy = abs(i / 31 - j / 31);
  return i == j ? 12 + scatter(i) : dx < 2 && dy < 2 ? coupling(i, j) : 0;
}

/* The same with blocks of 3x3, as Newton's matrix has them, 8 x 7. */
static double grid_of_blocks(int i, int j)
{
  const int p = i / 3, q = j / 3, dx = abs(p % 8 - q % 8), dy = abs(p / 8 - q / 8);
  return i == j ? 30 + scatter(i) : dx < 2 && dy < 2 ? coupling(i, j) : 0;
}

/* Cliques of 1 to 17 rows, each with a clique of its own of 1 to 5 rows behind all, to which it is joined: panels of
 * every width with rows below them, of even and odd number. */
static double cliques(int i, int j)
{
  int first = 0;
  if (i == j) return 60 + scatter(i);
  for (int size = 1; size <= 17; ++size) {
    const int  hub = 153 + 5 * (size - 1), hub_size = 1 + size % 5, end = first + size;
    const bool in_i = (i >= first && i < end) || (i >= hub && i < hub + hub_size);
    const bool in_j = (j >= first && j < end) || (j >= hub && j < hub + hub_size);
    if (in_i && in_j) return coupling(i, j);
    first = end;
  }
  return 0;
}

/* Three grids of one matrix that know nothing of each other, and rows that nothing is joined to. */
static double apart(int i, int j)
{
  if (i == j) return 12 + scatter(i);
  return i / 50 == j / 50 && i / 50 < 3 && abs(i % 5 - j % 5) < 2 && abs(i % 50 / 5 - j % 50 / 5) < 2 ? coupling(i, j)
                                                                                                      : 0;
}

static const struct {
  const char *name;
  int         rows;
  lower_half  entry;
} patterns[] = {
    {"1x1", 1, one},           {"diagonal", 20, diagonal},
    {"full", 41, full},        {"first row dense", 47, first_row_dense},
    {"band", 90, band},        {"last row dense", 47, last_row_dense},
    {"grid", 221, grid},       {"grid of blocks", 168, grid_of_blocks},
    {"cliques", 238, cliques}, {"apart", 160, apart},
};

enum { PATTERNS = sizeof patterns / sizeof patterns[0] };

typedef struct {
  int                    columns;
  sb_panel_plan          plan;
  sb_panel_factor_arrays numbers;
} factored;

static sb_csr csr_of(const symmetric *A) { return (sb_csr){A->rows, A->start_of, A->column, A->value}; }

static factored planned_for(const symmetric *A, int columns, int threads)
{
  factored     f = {.columns = columns};
  const sb_csr csr = csr_of(A);
  OK(sb_panel_plan_create(&csr, columns, threads, 0, &f.plan));
  OK(sb_panel_numbers_create(&f.plan, &f.numbers));
  /* earlier contents of scratch must not matter */
  const int lines = f.plan.parts * f.plan.tallest, above = f.plan.parts > 1 ? f.plan.parts * f.plan.above_lines : 0;
  for (int i = 0; i < 4 * (A->rows + (f.plan.parts - 1) * f.plan.above); ++i) f.numbers.work[i] = NAN;
  for (int i = 0; i < SB_PANEL_WIDTH * lines; ++i) f.numbers.gathered[i] = NAN;
  for (int i = 0; i < SB_PANEL_WIDTH * above; ++i) f.numbers.above[i] = NAN;
  return f;
}

static factored planned(const symmetric *A, int columns) { return planned_for(A, columns, 1); }

static bool factorize(const sb_panel_kernels *kernels, const symmetric *A, factored *f)
{
  return sb_panel_factorize(kernels, &f->plan, A->value, &f->numbers);
}

static void release(factored *f)
{
  OK(sb_panel_numbers_destroy(&f->numbers));
  OK(sb_panel_plan_destroy(&f->plan));
}

/* A^-1 b by dense elimination in extended precision, b [rows][COLUMNS]. */
static void solve_densely(const symmetric *A, const double *b, double *x)
{
  const int    n = A->rows;
  long double *a = malloc((size_t)(n * (n + COLUMNS)) * sizeof *a), *r = a + n * n;
  for (int i = 0; i < n * n; ++i) a[i] = A->dense[i];
  for (int i = 0; i < n * COLUMNS; ++i) r[i] = b[i];
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) {
      const long double l = a[i * n + j] / a[j * n + j];
      if (l == 0) continue;
      for (int k = j; k < n; ++k) a[i * n + k] -= l * a[j * n + k];
      for (int c = 0; c < COLUMNS; ++c) r[i * COLUMNS + c] -= l * r[j * COLUMNS + c];
    }
  for (int j = n - 1; j >= 0; --j)
    for (int c = 0; c < COLUMNS; ++c) {
      for (int k = j + 1; k < n; ++k) r[j * COLUMNS + c] -= a[j * n + k] * r[k * COLUMNS + c];
      r[j * COLUMNS + c] /= a[j * n + j];
      x[j * COLUMNS + c] = (double)r[j * COLUMNS + c];
    }
  free(a);
}

static double largest_difference(int count, const double *x, int x_stride, const double *y, int y_stride)
{
  double worst = 0;
  for (int i = 0; i < count; ++i) {
    const double error = fabs(x[i * x_stride] - y[i * y_stride]);
    if (!(error <= worst)) worst = error;
  }
  return worst;
}

/* Solutions are of size 0.1 and less, and these matrices well conditioned: 1e-14 is a hundred roundings. */
static void check_three(const sb_panel_kernels *kernels, const factored *f, int rows, double *b, const double *exact)
{
  double *x = malloc((size_t)(rows * COLUMNS) * sizeof *x);
  sb_panel_solve_by(kernels->three, &f->plan, &f->numbers, b, x);
  ASSERT_WITHIN(largest_difference(rows * COLUMNS, x, 1, exact, 1), 1e-14);
  sb_panel_solve_by(kernels->three, &f->plan, &f->numbers, b, b); /* in place */
  assert_memory_equal(b, x, (size_t)(rows * COLUMNS) * sizeof *b);
  free(x);
}

static void check_each(const sb_panel_kernels *kernels, const factored *f, int rows, const double *b,
                       const double *exact)
{
  double *x = malloc((size_t)rows * sizeof *x);
  for (int c = 0; c < COLUMNS; ++c) {
    for (int i = 0; i < rows; ++i) x[i] = b[i * COLUMNS + c];
    sb_panel_solve_by(kernels->one, &f->plan, &f->numbers, x, x);
    ASSERT_WITHIN(largest_difference(rows, x, 1, exact + c, COLUMNS), 1e-14);
  }
  free(x);
}

static void check_solutions(const sb_panel_kernels *kernels, const symmetric *A, const factored *f)
{
  const size_t size = (size_t)(A->rows * COLUMNS) * sizeof(double);
  double      *b = malloc(size), *exact = malloc(size);
  for (int i = 0; i < A->rows * COLUMNS; ++i) b[i] = scatter(3 * i);
  solve_densely(A, b, exact);
  if (f->columns == 1) check_each(kernels, f, A->rows, b, exact);
  if (f->columns == COLUMNS) check_three(kernels, f, A->rows, b, exact);
  free(b);
  free(exact);
}

/* Calls `check` with every table that this processor runs. */
static void each_set(void (*check)(const sb_panel_kernels *kernels))
{
  for (int set = 0; set <= (int)sb_instruction_set_best(); ++set) {
    print_message("  %s\n", sb_instruction_set_name((sb_instruction_set)set));
    check(tables[set]);
  }
}

static void check_patterns(const sb_panel_kernels *kernels)
{
  for (size_t i = 0; i < PATTERNS; ++i) {
    print_message("    %s, in parts:", patterns[i].name);
    symmetric *A = symmetric_of(patterns[i].rows, patterns[i].entry);
    for (int columns = 1; columns <= COLUMNS; columns += COLUMNS - 1)
      for (int threads = 1; threads <= THREADS; ++threads) {
        factored f = planned_for(A, columns, threads);
        print_message(" %d", f.plan.parts);
        assert_true(f.plan.parts == threads || f.plan.parts == 1);
        assert_true(factorize(kernels, A, &f));
        check_solutions(kernels, A, &f);
        release(&f);
      }
    print_message("\n");
    symmetric_free(A);
  }
}

static void test_against_dense(void) { each_set(check_patterns); }

/* The patterns above have panels of every width with rows below. */
static void test_every_width(void)
{
  bool seen[2][SB_PANEL_WIDTH + 1] = {{false}};
  for (size_t i = 0; i < PATTERNS; ++i) {
    symmetric *A = symmetric_of(patterns[i].rows, patterns[i].entry);
    factored   f = planned(A, 1);
    for (int p = 0; p < f.plan.panels; ++p)
      seen[f.plan.shape[p].below > 0][f.plan.first[p + 1] - f.plan.first[p]] = true;
    release(&f);
    symmetric_free(A);
  }
  for (int width = 1; width <= SB_PANEL_WIDTH; ++width) {
    print_message("  width %d: alone %d, with rows below %d\n", width, seen[0][width], seen[1][width]);
    assert_true(seen[1][width]);
  }
}

/* The same bits again: after other values, after values that could not be factored, and in other memory. */
static void check_bits(const sb_panel_kernels *kernels)
{
  symmetric   *A = symmetric_of(238, cliques), *other = symmetric_of(238, cliques);
  factored     f = planned(A, COLUMNS), again = planned(A, COLUMNS);
  const size_t size = (size_t)f.plan.value_start[f.plan.panels] * sizeof(double);
  for (int k = 0; k < A->start_of[A->rows]; ++k) other->value[k] *= 1.5;
  assert_true(factorize(kernels, A, &f));
  assert_true(factorize(kernels, other, &again));
  for (int k = other->start_of[100]; k < other->start_of[101]; ++k) other->value[k] = NAN;
  assert_false(factorize(kernels, other, &again));
  assert_true(factorize(kernels, A, &again));
  assert_memory_equal(f.numbers.value, again.numbers.value, size);
  assert_memory_equal(f.numbers.pivot, again.numbers.pivot, (size_t)A->rows * sizeof(double));
  check_solutions(kernels, A, &again);
  release(&f);
  release(&again);
  symmetric_free(A);
  symmetric_free(other);
}

static void test_bits(void) { each_set(check_bits); }

/* How many threads there are when so many are asked for. */
static int threads_of(int wanted)
{
  int seen = 0;
  (void)wanted; /* without OpenMP */
  SB_OMP(parallel num_threads(wanted) reduction(+ : seen))
  ++seen;
  return seen;
}

/* Parts have the bits that one thread gives them, in whatever order: nothing is shared. */
static void check_parts(const sb_panel_kernels *kernels)
{
  symmetric   *A = symmetric_of(221, grid);
  const size_t size = (size_t)(A->rows * COLUMNS) * sizeof(double);
  double      *b = malloc(size), *x = malloc(size), *alone = malloc(size);
  for (int i = 0; i < A->rows * COLUMNS; ++i) b[i] = scatter(5 * i);
  for (int threads = 2; threads <= THREADS; ++threads) {
    factored  f = planned_for(A, COLUMNS, threads), in_turn = planned_for(A, COLUMNS, threads);
    const int parts = f.plan.parts;
    assert_int_equal(parts, threads);
#ifdef _OPENMP
    assert_int_equal(threads_of(threads), threads);
#else
    assert_int_equal(threads_of(threads), 1);
#endif
    assert_true(factorize(kernels, A, &f));
    sb_panel_solve_by(kernels->three, &f.plan, &f.numbers, b, x);
    for (int part = parts; part > 0; --part)
      assert_true(kernels->factorize(&in_turn.plan, A->value, part - 1, &in_turn.numbers));
    assert_true(kernels->factorize(&in_turn.plan, A->value, parts, &in_turn.numbers));
    for (int part = parts; part > 0; --part) kernels->three.descend(&in_turn.plan, &in_turn.numbers, part - 1, b);
    kernels->three.descend(&in_turn.plan, &in_turn.numbers, parts, b);
    for (int part = parts; part >= 0; --part) kernels->three.ascend(&in_turn.plan, &in_turn.numbers, part, alone);
    assert_memory_equal(x, alone, size);
    release(&f);
    release(&in_turn);
  }
  free(b);
  free(x);
  free(alone);
  symmetric_free(A);
}

static void test_parts(void) { each_set(check_parts); }

/* Every panel is in one range, parts have about the same work, and little is above them. */
static void test_dealing(void)
{
  symmetric *A = symmetric_of(961, large_grid);
  for (int threads = 2; threads <= 4; ++threads) {
    factored f = planned_for(A, 1, threads);
    int     *times = calloc((size_t)f.plan.panels, sizeof *times);
    double   all = 0, heaviest = 0, above = 0;
    assert_int_equal(f.plan.parts, threads);
    for (int part = 0; part <= f.plan.parts; ++part) {
      double work = 0;
      for (int r = f.plan.range_start[part]; r < f.plan.range_start[part + 1]; ++r)
        for (int p = f.plan.range[r].first; p < f.plan.range[r].end; ++p) {
          const double column = f.plan.shape[p].width / 2.0 + f.plan.shape[p].below;
          ++times[p];
          work += f.plan.shape[p].width * column * column;
        }
      all += work;
      if (part < f.plan.parts) heaviest = PetscMax(heaviest, work);
      if (part == f.plan.parts) above = work;
    }
    for (int p = 0; p < f.plan.panels; ++p) assert_int_equal(times[p], 1);
    print_message("  %d threads: %.0f %% of one's work, of which %.0f %% above all parts\n", threads,
                  100 * (heaviest + above) / all, 100 * above / all);
    assert_true(heaviest + above < (threads == 2 ? 0.75 : 0.65) * all);
    free(times);
    release(&f);
  }
  symmetric_free(A);
}

/* A NaN anywhere leaves fewer positive pivots than rows: it is never taken for a factor. */
static void check_nan(const sb_panel_kernels *kernels)
{
  symmetric *A = symmetric_of(168, grid_of_blocks);
  factored   f = planned_for(A, 1, 3);
  for (int i = 0; i < A->rows; i += 5) {
    for (int k = A->start_of[i]; k < A->start_of[i + 1]; k += 7) {
      const double good = A->value[k];
      const int    j = A->column[k];
      A->value[k] = NAN;
      for (int mirror = A->start_of[j]; mirror < A->start_of[j + 1]; ++mirror)
        if (A->column[mirror] == i) A->value[mirror] = NAN;
      assert_false(factorize(kernels, A, &f));
      A->value[k] = good;
      for (int mirror = A->start_of[j]; mirror < A->start_of[j + 1]; ++mirror)
        if (A->column[mirror] == i) A->value[mirror] = good;
    }
  }
  assert_true(factorize(kernels, A, &f));
  release(&f);
  symmetric_free(A);
}

static void test_nan(void) { each_set(check_nan); }

/* One negative eigenvalue, wherever the row with it is eliminated: that is never missed. */
static void check_indefinite(const sb_panel_kernels *kernels)
{
  for (size_t i = 0; i < PATTERNS; ++i) {
    symmetric *A = symmetric_of(patterns[i].rows, patterns[i].entry);
    factored   f = planned_for(A, 1, 1 + (int)i % 2);
    for (int row = 0; row < A->rows; row += 3) {
      for (int k = A->start_of[row]; k < A->start_of[row + 1]; ++k) {
        if (A->column[k] != row) continue;
        const double good = A->value[k];
        A->value[k] = -1e-3;
        assert_false(factorize(kernels, A, &f));
        A->value[k] = good;
      }
    }
    release(&f);
    symmetric_free(A);
  }
}

static void test_indefinite(void) { each_set(check_indefinite); }

/* A graph's Laplacian: constants are in its kernel. The pivots before the last are good, and it is lost. */
static double laplacian(int i, int j)
{
  double sum = 0;
  if (i != j) return abs(i % 15 - j % 15) + abs(i / 15 - j / 15) == 1 ? -(1.5 + scatter(i + 31 * j)) : 0;
  for (int other = 0; other < 225; ++other)
    if (other != i) sum -= laplacian(PetscMax(i, other), PetscMin(i, other));
  return sum;
}

static void check_rank_deficient(const sb_panel_kernels *kernels)
{
  symmetric *A = symmetric_of(225, laplacian);
  factored   f = planned(A, 1);
  const int  last = A->rows - 1;
  factorize(kernels, A, &f); /* its last pivot may be positive, or not */
  const int row = f.plan.order[last];
  assert_true(f.numbers.pivot[last] < SB_PIVOT_RATIO_MIN * A->dense[row * A->rows + row]);
  for (int i = 0; i < last; ++i) assert_true(f.numbers.pivot[i] > 1e-3);
  release(&f);
  symmetric_free(A);
}

static void test_rank_deficient(void) { each_set(check_rank_deficient); }

/* A pivot of 4 eps, exactly, whichever row is eliminated first: positive, and nothing but rounding. */
static double nearly_singular(const void *context, PetscInt i, PetscInt j)
{
  (void)context;
  return i == 1 && j == 1 ? 1 + 4 * DBL_EPSILON : 1;
}

static void test_lost_pivot(void)
{
  sb_linear_solver *solver = solver_of(1, "linear=panel");
  Mat               A = matrix_of(2, 1, 1, nearly_singular, NULL);
  sb_outcome        outcome;
  OK(sb_linear_solver_set_matrix(solver, A, SB_NEW_PATTERN, false, &outcome));
  assert_string_equal(sb_outcome_name(outcome), "singular");
  OK(MatDestroy(&A));
  OK(sb_linear_solver_destroy(&solver));
}

PETSC_TEST_MAIN(test_against_dense, test_every_width, test_bits, test_nan, test_indefinite, test_rank_deficient,
                test_lost_pivot, test_parts, test_dealing)
