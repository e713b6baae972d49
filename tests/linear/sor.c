/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend sor: proper colours, the equation of a sweep, Young's rates on consistently ordered matrices, symmetry of the
 * symmetric sweep, and what it says of matrices that it does not solve. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "solvers/linear/coloured.h"
#include "solvers/linear/colouring.h"
#include "tests/linear/systems.h"

enum { NODES = 12, SIZE = 60 };

static const sheet bent = {.cells = 8, .ratio = 10.0, .stretch = 1.2, .angle = 0.6};

static double radius_of_jacobi(double ratio) { return 2 * ratio / (1 + 2 * ratio) * cos(M_PI / (NODES + 1)); }

/* A graph from its matrix of neighbours, each edge named twice; proper colours, counted. */
static PetscInt colours_of(bool joined[SIZE][SIZE], PetscInt vertices)
{
  PetscInt      *start, *neighbour, *colour, count, most = 0;
  bool           used[SIZE + 1] = {false};
  const PetscInt room = 2 * vertices * vertices;
  start = calloc((size_t)vertices + 1, sizeof *start);
  neighbour = calloc((size_t)room, sizeof *neighbour);
  colour = calloc((size_t)vertices, sizeof *colour);
  assert_true(start && neighbour && colour);
  for (PetscInt v = 0; v < vertices; ++v) {
    start[v + 1] = start[v];
    for (PetscInt w = 0; w < vertices; ++w)
      for (int twice = 0; twice < 2 && joined[v][w]; ++twice) neighbour[start[v + 1]++] = w;
    most = PetscMax(most, (start[v + 1] - start[v]) / 2);
  }
  OK(sb_colour_largest_first(&(sb_graph){vertices, start, neighbour}, colour, &count));
  for (PetscInt v = 0; v < vertices; ++v) {
    assert_in_range(colour[v], 0, count - 1);
    used[colour[v]] = true;
    for (PetscInt w = 0; w < vertices; ++w) assert_false(joined[v][w] && colour[v] == colour[w]);
  }
  for (PetscInt c = 0; c < count; ++c) assert_true(used[c]);
  assert_true(count <= most + 1);
  free(start);
  free(neighbour);
  free(colour);
  return count;
}

static void join(bool joined[SIZE][SIZE], PetscInt v, PetscInt w) { joined[v][w] = joined[w][v] = true; }

/* A complete graph has as many colours as vertices, an even ring 2, an odd one 3, a wheel one more for its hub. Colours
 * of random graphs are proper. */
static void test_colours(void)
{
  for (PetscInt n = 1; n < 8; ++n) {
    bool complete[SIZE][SIZE] = {{false}};
    for (PetscInt v = 0; v < n; ++v)
      for (PetscInt w = 0; w < v; ++w) join(complete, v, w);
    assert_int_equal(colours_of(complete, n), n);
  }
  for (PetscInt n = 4; n < 12; ++n) {
    bool ring[SIZE][SIZE] = {{false}};
    for (PetscInt v = 0; v < n; ++v) join(ring, v, (v + 1) % n);
    assert_int_equal(colours_of(ring, n), 2 + n % 2);
    for (PetscInt v = 0; v < n; ++v) join(ring, v, n);
    assert_int_equal(colours_of(ring, n + 1), 3 + n % 2);
  }
  for (uint64_t seed = 0; seed < 40; ++seed) {
    bool random[SIZE][SIZE] = {{false}};
    for (PetscInt v = 0; v < SIZE; ++v)
      for (PetscInt w = 0; w < v; ++w)
        if (sb_random_unit(seed, (uint64_t)(SIZE * v + w)) < (double)seed / 80) join(random, v, w);
    colours_of(random, SIZE);
  }
}

/* A sheet whose rows and columns are scaled unalike, so that it is not symmetric. */
static void make_unsymmetric(Mat A)
{
  Vec left;
  OK(MatCreateVecs(A, NULL, &left));
  fill(left, waves);
  OK(VecScale(left, 0.2));
  OK(VecShift(left, 1.0));
  OK(MatDiagonalScale(A, left, NULL));
  OK(VecDestroy(&left));
}

static double entry_of(Mat A, PetscInt i, PetscInt j)
{
  PetscScalar value;
  OK(MatGetValue(A, i, j, &value));
  return value;
}

/* The logged operations of passes: a product and a sum per entry of A and column, and three more to relax a row. */
static void check_flops(Mat A, int block, int columns, sb_coloured *c, Vec b, Vec x)
{
  PetscInt       rows, entries = 0;
  PetscLogDouble before, after;
  OK(MatGetSize(A, &rows, NULL));
  for (PetscInt i = 0; i < rows; i += block)
    for (PetscInt j = 0; j < rows; j += block) {
      bool any = false;
      for (int e = 0; e < block * block; ++e) any = any || entry_of(A, i + e / block, j + e % block) != 0;
      entries += any ? block * block : 0;
    }
  OK(PetscGetFlops(&before));
  OK(sb_coloured_sweep(c, &(sb_sweeps){1.3, true, 2}, columns, b, x));
  OK(PetscGetFlops(&after));
  assert_true(after - before == 4.0 * columns * (2.0 * entries + 3.0 * rows));
}

/* After a forward sweep D_v (x+_v - x_v) = omega (b_v - A_v x), with vertices visited before v new in x, others old. */
static void check_sweep(Mat A, int block, int columns)
{
  const double  omega = 1.3;
  sb_coloured   c = {0};
  bool          singular;
  Vec           b, old, x;
  PetscInt      rows, vertices;
  double       *from, *to;
  const double *rhs;
  OK(MatGetSize(A, &rows, NULL));
  vertices = rows / block;
  OK(VecCreateSeq(PETSC_COMM_SELF, rows * columns, &b));
  OK(VecDuplicate(b, &old));
  OK(VecDuplicate(b, &x));
  fill(b, waves);
  OK(VecSet(old, 0.3));
  OK(VecCopy(b, x));
  OK(VecAXPY(old, -0.7, x));
  OK(VecCopy(old, x));
  OK(sb_coloured_create(A, block, &c));
  OK(sb_coloured_factor(&c, A, &singular));
  assert_false(singular);
  check_flops(A, block, columns, &c, b, x);
  OK(VecCopy(old, x));
  OK(sb_coloured_sweep(&c, &(sb_sweeps){omega, false, 1}, columns, b, x));
  OK(VecGetArray(old, &from));
  OK(VecGetArray(x, &to));
  OK(VecGetArrayRead(b, &rhs));
  for (PetscInt n = 0; n < vertices; ++n) {
    const PetscInt first = block * c.order[n];
    for (PetscInt i = first; i < first + block; ++i)
      for (int column = 0; column < columns; ++column) {
        double moved = 0, residual = rhs[columns * i + column];
        for (PetscInt j = 0; j < rows; ++j) residual -= entry_of(A, i, j) * from[columns * j + column];
        for (PetscInt j = first; j < first + block; ++j)
          moved += entry_of(A, i, j) * (to[columns * j + column] - from[columns * j + column]);
        ASSERT_WITHIN(fabs(moved - omega * residual), 1e-12 * entry_of(A, i, i));
      }
    for (PetscInt k = columns * first; k < columns * (first + block); ++k) from[k] = to[k];
  }
  OK(VecRestoreArrayRead(b, &rhs));
  OK(VecRestoreArray(x, &to));
  OK(VecRestoreArray(old, &from));
  OK(sb_coloured_destroy(&c));
  OK(VecDestroy(&b));
  OK(VecDestroy(&old));
  OK(VecDestroy(&x));
}

static void test_equation_of_a_sweep(void)
{
  static const sheet small = {.cells = 4, .ratio = 10.0, .stretch = 1.2, .angle = 0.6};
  for (int unsymmetric = 0; unsymmetric < 2; ++unsymmetric) {
    Mat block = sheet_block(&small), scalar = sheet_scalar(&small);
    if (unsymmetric) make_unsymmetric(block);
    if (unsymmetric) make_unsymmetric(scalar);
    check_sweep(block, 3, 1);
    check_sweep(scalar, 1, 3);
    check_sweep(scalar, 1, 1);
    OK(MatDestroy(&block));
    OK(MatDestroy(&scalar));
  }
}

enum { AUTO = 0 };

/* `count` sweeps for the right-hand side of p; the report. */
static sb_solve_report sweeps(problem *p, double omega, const char *symmetric, int count)
{
  char text[32] = "auto";
  if (omega > AUTO) snprintf(text, sizeof text, "%.17g", omega);
  const sb_solve_report report =
      solve(p, "solved", "linear=sor;linear_tolerance=0;sor_omega=%s;sor_symmetric=%s;linear_max_iterations=%d", text,
            symmetric, count);
  ASSERT_OUTCOME("truncated", report);
  assert_int_equal(report.iterations, count);
  return report;
}

/* The mean factor of the residual from `before` to `after` sweeps. */
static double rate_of(problem *p, double omega, const char *symmetric, int before, int after)
{
  const double first = sweeps(p, omega, symmetric, before).relative;
  return pow(sweeps(p, omega, symmetric, after).relative / first, 1.0 / (after - before));
}

static problem chain_problem(const double *ratio)
{
  problem p = problem_of(matrix_of(NODES, 1, 1, chain, ratio), 1);
  fill(p.b, waves);
  return p;
}

/* The spectral radius of a sweep of a consistently ordered matrix (Young 1954): lambda + omega - 1 = omega mu
 * sqrt(lambda) with mu = rho_J, and omega - 1 from the fastest omega on. */
static double radius_of_sweep(double mu, double omega)
{
  const double discriminant = omega * omega * mu * mu - 4 * (omega - 1);
  if (discriminant <= 0) return omega - 1;
  const double root = (omega * mu + sqrt(discriminant)) / 2;
  return root * root;
}

static double fastest(double mu) { return 2 / (1 + sqrt(1 - mu * mu)); }

static void test_rates(void)
{
  static const double ratios[] = {100.0, 1000.0}, omegas[] = {0.7, 1.0, 1.2, 1.4};
  for (size_t i = 0; i < sizeof ratios / sizeof *ratios; ++i) {
    problem      p = chain_problem(&ratios[i]);
    const double mu = radius_of_jacobi(ratios[i]);
    ASSERT_WITHIN(fabs(radius_of_sweep(mu, 1) - mu * mu), 1e-15);
    for (size_t j = 0; j < sizeof omegas / sizeof *omegas; ++j)
      ASSERT_WITHIN(fabs(rate_of(&p, omegas[j], "false", 90, 100) / radius_of_sweep(mu, omegas[j]) - 1), 2e-4);
    /* From the fastest on eigenvalues are complex, or form a Jordan block: the mean rate, to a factor of k. */
    const double beyond[] = {fastest(mu), 1.7, 1.8};
    for (size_t j = 0; j < 3; ++j) {
      const double last = sweeps(&p, beyond[j], "false", 40).relative;
      ASSERT_WITHIN(fabs(log(last) / 40 - log(beyond[j] - 1)), log(40) / 40);
    }
    problem_free(&p);
  }
}

/* With two colours the symmetric pass with omega = 1 is as fast as the forward one, as its last colour is solved twice;
 * no other omega is faster. */
static void test_fastest_symmetric(void)
{
  const double ratio = 100;
  problem      p = chain_problem(&ratio);
  const double best = rate_of(&p, 1, "true", 80, 90);
  ASSERT_WITHIN(fabs(best / radius_of_sweep(radius_of_jacobi(ratio), 1) - 1), 2e-4);
  for (double omega = 0.6; omega < 1.9; omega += 0.2)
    if (fabs(omega - 1) > 0.1) assert_true(rate_of(&p, omega, "true", 80, 90) > best + 1e-3);
  problem_free(&p);
}

/* auto is Young's omega, where conjugate gradients find the whole spectrum; with symmetric sweeps it is 1. */
static void test_automatic(void)
{
  const double ratio = 100;
  problem      given = chain_problem(&ratio), found = chain_problem(&ratio);
  sweeps(&given, fastest(radius_of_jacobi(ratio)), "false", 5);
  sweeps(&found, AUTO, "false", 5);
  ASSERT_WITHIN(distance(found.x, given.x), 1e-8);
  sweeps(&given, 1, "true", 5);
  sweeps(&found, AUTO, "true", 5);
  assert_true(distance(found.x, given.x) == 0);
  problem_free(&given);
  problem_free(&found);
}

static PetscInt iterations_of(int columns, const char *pairs)
{
  problem               p = problem_of(columns == 1 ? sheet_block(&bent) : sheet_scalar(&bent), columns);
  const sb_solve_report report = solve(&p, NULL, "%s", pairs);
  ASSERT_OUTCOME("solved", report);
  ASSERT_WITHIN(distance(p.x, p.exact), 1e-7);
  problem_free(&p);
  return report.iterations;
}

/* On sheets of three colours: Gauss-Seidel takes about half as many iterations as Jacobi, auto fewer still, and none of
 * twelve values of omega less than two thirds of those of auto. */
static void test_order_of_methods(void)
{
  for (int columns = 1; columns <= 3; columns += 2) {
    const PetscInt jacobi = iterations_of(columns, columns == 1 ? "linear=jacobi;jacobi_block=3" : "linear=jacobi");
    const PetscInt plain = iterations_of(columns, "linear=sor;sor_omega=1");
    const PetscInt automatic = iterations_of(columns, "linear=sor;sor_omega=auto");
    PetscInt       least = automatic;
    assert_in_range(plain, jacobi * 2 / 5, jacobi * 3 / 5);
    assert_true(automatic < plain * 2 / 3);
    for (int i = 0; i < 12; ++i) {
      char pairs[64];
      snprintf(pairs, sizeof pairs, "linear=sor;sor_omega=%g", 1.4 + 0.05 * i);
      least = PetscMin(least, iterations_of(columns, pairs));
    }
    assert_true(3 * least >= 2 * automatic);
  }
}

/* |x.B y - y.B x| / |x.B y| of B b = a sweep from zero for b. */
static double asymmetry(Mat A, int block, const sb_sweeps *sweep)
{
  sb_coloured c = {0};
  bool        singular;
  Vec         x, y, image;
  double      one, other, square;
  OK(MatCreateVecs(A, &x, &y));
  OK(VecDuplicate(x, &image));
  fill(x, waves);
  OK(VecCopy(x, y));
  OK(VecReciprocal(y));
  OK(sb_coloured_create(A, block, &c));
  OK(sb_coloured_factor(&c, A, &singular));
  OK(VecSet(image, 0.0));
  OK(sb_coloured_sweep(&c, sweep, 1, y, image));
  OK(VecDot(x, image, &one));
  OK(VecSet(image, 0.0));
  OK(sb_coloured_sweep(&c, sweep, 1, x, image));
  OK(VecDot(y, image, &other));
  OK(VecDot(x, image, &square));
  assert_true(square > 0);
  OK(sb_coloured_destroy(&c));
  OK(VecDestroy(&x));
  OK(VecDestroy(&y));
  OK(VecDestroy(&image));
  return fabs(one - other) / fabs(one);
}

static void test_symmetry(void)
{
  Mat block = sheet_block(&bent), scalar = sheet_scalar(&bent);
  for (double omega = 0.5; omega < 2; omega += 0.25) {
    ASSERT_WITHIN(asymmetry(block, 3, &(sb_sweeps){omega, true, 1}), 1e-12);
    ASSERT_WITHIN(asymmetry(scalar, 1, &(sb_sweeps){omega, true, 1}), 1e-12);
  }
  assert_true(asymmetry(block, 3, &(sb_sweeps){1, false, 1}) > 1e-4); /* else this shows nothing */
  assert_true(asymmetry(scalar, 1, &(sb_sweeps){1, false, 1}) > 1e-4);
  OK(MatDestroy(&block));
  OK(MatDestroy(&scalar));
}

/* Three sweeps in one call are three calls of one sweep, bit for bit. */
static void test_number_of_sweeps(void)
{
  static const char *const kinds[] = {"false", "true"};
  for (int kind = 0; kind < 2; ++kind) {
    problem at_once = problem_of(sheet_block(&bent), 1), one = problem_of(sheet_block(&bent), 1);
    fill(at_once.b, waves);
    fill(one.b, waves);
    sweeps(&at_once, 1.3, kinds[kind], 3);
    for (int sweep = 0; sweep < 3; ++sweep) {
      one.guess = sweep > 0;
      sweeps(&one, 1.3, kinds[kind], 1);
    }
    assert_true(distance(one.x, at_once.x) == 0);
    problem_free(&at_once);
    problem_free(&one);
  }
}

/* With an indefinite matrix, auto refuses before it begins, and omega = 1 ends as diverged. With a zero on the diagonal
 * both report a singular matrix. */
static void test_refusals(void)
{
  static const struct {
    const char *omega, *factored, *outcome;
  } rows[] = {{"auto", "not_spd", "not_spd"}, {"1", "solved", "diverged"}};
  for (int i = 0; i < 2; ++i) {
    problem           p = problem_of(matrix_of(30, 1, 1, saddle, NULL), 1);
    Mat               singular = matrix_of(9, 1, 1, hollow, NULL);
    sb_linear_solver *solver = solver_of(1, "linear=sor;sor_omega=%s", rows[i].omega);
    sb_outcome        outcome;
    fill(p.b, waves);
    p.definite = false;
    OK(MatSetOption(p.A, MAT_SYMMETRIC, PETSC_TRUE));
    ASSERT_OUTCOME(rows[i].outcome, solve_by(solver, &p, SB_NEW_PATTERN, rows[i].factored));
    OK(sb_linear_solver_set_matrix(solver, singular, SB_NEW_PATTERN, false, &outcome));
    assert_string_equal(sb_outcome_name(outcome), "singular");
    OK(sb_linear_solver_destroy(&solver));
    problem_free(&p);
    OK(MatDestroy(&singular));
  }
}

PETSC_TEST_MAIN(test_colours, test_equation_of_a_sweep, test_rates, test_automatic, test_fastest_symmetric,
                test_order_of_methods, test_symmetry, test_number_of_sweeps, test_refusals)
