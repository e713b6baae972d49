/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers by which the front judges (facts of a matrix, sizes of vectors, and the residual) on values made to
 * mislead. */
#include "solvers/linear/residual.h"

#include <math.h>

#include "tests/linear/systems.h"

enum { ROWS = 8 };

/* The largest row sum stands where ranks meet, mostly in entries of the other rank; row 4 has nothing else. */
static double straddling(const void *context, PetscInt i, PetscInt j)
{
  const double *middle = context;
  if ((i == 3 && j == 4) || (i == 4 && j == 3)) return *middle;
  return i == j && i != 4 ? 2.0 : 0.0;
}

static sb_matrix_facts facts_of(double middle)
{
  Mat             A = matrix_of(ROWS, 1, 1, straddling, &middle);
  sb_matrix_facts facts;
  OK(sb_matrix_inspect(A, &facts));
  OK(MatDestroy(&A));
  return facts;
}

static void test_matrix_facts(void)
{
  sb_matrix_facts facts = facts_of(-7.0);
  assert_true(facts.norm_inf == 9.0 && facts.finite && !facts.empty_row);
  facts = facts_of(0.0);
  assert_true(facts.norm_inf == 2.0 && facts.finite && facts.empty_row);
  facts = facts_of(NAN);
  assert_false(facts.finite);
  facts = facts_of(-INFINITY);
  assert_false(facts.finite);
}

static Vec vector_with(PetscInt index, double value)
{
  Vec      v;
  PetscInt first, end;
  OK(VecCreateMPI(PETSC_COMM_WORLD, PETSC_DECIDE, ROWS, &v));
  OK(VecSet(v, 0.5));
  OK(VecGetOwnershipRange(v, &first, &end));
  if (index >= first && index < end) OK(VecSetValue(v, index, value, INSERT_VALUES));
  OK(VecAssemblyBegin(v));
  OK(VecAssemblyEnd(v));
  return v;
}

/* NaN first, in the middle, or last: it is never lost in a maximum. */
static void test_magnitude(void)
{
  static const double bad[] = {NAN, -NAN, INFINITY, -INFINITY};
  double              largest;
  bool                finite;
  for (PetscInt i = 0; i < ROWS; ++i) {
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
      Vec v = vector_with(i, bad[k]);
      OK(sb_magnitude(v, &largest, &finite));
      assert_false(finite);
      OK(VecDestroy(&v));
    }
    Vec v = vector_with(i, -3.0);
    OK(sb_magnitude(v, &largest, &finite));
    assert_true(finite && largest == 3.0);
    OK(VecDestroy(&v));
  }
}

static sb_residual residual_of(double middle, Vec b, Vec x)
{
  Mat             A = matrix_of(ROWS, 1, 1, straddling, &middle), product;
  Vec             work;
  sb_residual     residual;
  double          magnitude;
  bool            finite;
  sb_matrix_facts facts;
  OK(sb_product_create(A, 1, &product));
  OK(sb_matrix_inspect(A, &facts));
  OK(VecDuplicate(b, &work));
  OK(sb_magnitude(b, &magnitude, &finite));
  OK(sb_residual_measure(product, (sb_residual_scale){facts.norm_inf, magnitude}, b, x, work, &residual));
  OK(VecDestroy(&work));
  OK(MatDestroy(&product));
  OK(MatDestroy(&A));
  return residual;
}

/* b = 1/2 except b_6 = 3, x = 1/2 except x_1 = 5, A = 2 I but for rows 3 and 4, which exchange by -7:
 * r = b - 2 x is -1/2 in rows 0, 2, 5, 7, -9.5 in row 1, 2 in row 6; row 3: 1/2 - 1 + 3.5 = 3; row 4: 1/2 + 3.5 = 4. */
static void test_residual(void)
{
  Vec               b = vector_with(6, 3.0), x = vector_with(1, 5.0);
  const sb_residual r = residual_of(-7.0, b, x);
  assert_true(r.finite);
  ASSERT_WITHIN(fabs(r.scaled - 9.5 / (9.0 * 5.0 + 3.0)), 1e-15);
  ASSERT_WITHIN(fabs(r.relative - sqrt((4.0 * 0.25 + 9.5 * 9.5 + 4.0 + 9.0 + 16.0) / (7.0 * 0.25 + 9.0))), 1e-14);
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
}

/* The same numbers at scales whose squares overflow or vanish. */
static void test_scales(void)
{
  static const double scales[] = {1e200, 1e-200, 1e-310};
  Vec                 b = vector_with(6, 3.0), x = vector_with(1, 5.0);
  const sb_residual   r = residual_of(-7.0, b, x);
  for (size_t k = 0; k < sizeof scales / sizeof scales[0]; ++k) {
    Vec c = vector_with(6, 3.0), y = vector_with(1, 5.0);
    OK(VecScale(c, scales[k]));
    OK(VecScale(y, scales[k]));
    const sb_residual s = residual_of(-7.0, c, y);
    const double      bound = scales[k] < 1e-300 ? 1e-10 : 1e-14; /* subnormal numbers have fewer digits */
    assert_true(s.finite);
    ASSERT_WITHIN(fabs(s.relative / r.relative - 1.0), bound);
    ASSERT_WITHIN(fabs(s.scaled / r.scaled - 1.0), bound);
    OK(VecDestroy(&c));
    OK(VecDestroy(&y));
  }
  OK(VecDestroy(&b));
  OK(VecDestroy(&x));
}

/* A solution that is not finite in a place that no row looks at: A has no entries at all. */
static void test_unseen_nan(void)
{
  static const double bad[] = {NAN, INFINITY, 1.0};
  Mat                 A;
  OK(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, ROWS, ROWS, 0, NULL, 0, NULL, &A));
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  for (size_t k = 0; k < sizeof bad / sizeof bad[0]; ++k) {
    Vec         b = vector_with(6, 3.0), x = vector_with(4, bad[k]), work;
    sb_residual residual;
    OK(VecDuplicate(b, &work));
    OK(sb_residual_measure(A, (sb_residual_scale){0.0, 3.0}, b, x, work, &residual));
    assert_int_equal(residual.finite, isfinite(bad[k]));
    OK(VecDestroy(&work));
    OK(VecDestroy(&b));
    OK(VecDestroy(&x));
  }
  OK(MatDestroy(&A));
}

static Mat diagonal_of(PetscInt rows, bool empty)
{
  Mat A;
  OK(MatCreateSeqAIJ(PETSC_COMM_SELF, rows, rows, 1, NULL, &A));
  for (PetscInt k = 0; k < rows && !empty; ++k) OK(MatSetValue(A, k, k, -1.0, INSERT_VALUES));
  OK(MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY));
  OK(MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY));
  return A;
}

/* Every place counts, whatever remains of vectors of eight: A = -I, b = 1 but for one 3, x = 0 but for one 2 or NaN, so
 * that r = b - A x = b + x. */
static void test_every_length(void)
{
  for (PetscInt rows = 1; rows < 20; ++rows)
    for (PetscInt i = 0; i < rows; ++i) {
      Mat         A = diagonal_of(rows, false), none = diagonal_of(rows, true);
      Vec         b, x, work;
      sb_residual seen, spoilt;
      OK(MatCreateVecs(A, &x, &b));
      OK(VecDuplicate(b, &work));
      OK(VecSet(b, 1.0));
      OK(VecSetValue(b, i, 3.0, INSERT_VALUES));
      OK(VecSetValue(x, i, 2.0, INSERT_VALUES));
      OK(sb_residual_measure(A, (sb_residual_scale){1.0, 3.0}, b, x, work, &seen));
      OK(VecSetValue(x, i, NAN, INSERT_VALUES));
      OK(sb_residual_measure(none, (sb_residual_scale){1.0, 3.0}, b, x, work, &spoilt)); /* no row looks at it */
      assert_true(seen.finite && !spoilt.finite);
      ASSERT_WITHIN(fabs(seen.scaled - 5.0 / (2.0 + 3.0)), 1e-15);
      ASSERT_WITHIN(fabs(seen.relative - sqrt((25.0 + (double)rows - 1.0) / (9.0 + (double)rows - 1.0))), 1e-14);
      OK(VecDestroy(&b));
      OK(VecDestroy(&x));
      OK(VecDestroy(&work));
      OK(MatDestroy(&A));
      OK(MatDestroy(&none));
    }
}

PETSC_TEST_MAIN(test_matrix_facts, test_magnitude, test_residual, test_scales, test_unseen_nan, test_every_length)
