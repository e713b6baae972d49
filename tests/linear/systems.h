/* Systems for the tests of linear solvers, made by formulas of their own: the same matrix on any number of ranks. */
#pragma once

#include "solvers/linear/linear_backend.h"
#include "tests/cmocka_all.h"

/* A call that must not fail. */
#define OK(call) assert_int_equal((call), 0)

/* !(error <= bound), so that NaN fails; prints both. */
#define ASSERT_WITHIN(error, bound) assert_within((error), (bound), #error, __FILE__, __LINE__)
void assert_within(double error, double bound, const char *what, const char *file, int line);

/* Initialises PETSc, runs a group, finalises; the process's status. */
int run_group(int argc, char **argv, const char *name, const struct CMUnitTest *tests, size_t count);

/* The table's defaults, changed by pairs "name=value" up to NULL. */
sb_options *options_of(const char *first, ...);
/* A solver of backend `linear` with one more pair, or none (NULL). */
sb_linear_solver *solver_of(const char *linear, const char *pair, int columns);

/* n rows; `entry` gives a_ij for |i - j| <= bandwidth; zeros off the diagonal are left out of the pattern. Rows are
 * split in blocks of `block`. */
typedef double (*entry_function)(const void *context, PetscInt i, PetscInt j);
Mat matrix_of(PetscInt n, PetscInt bandwidth, PetscInt block, entry_function entry, const void *context);

/* A sheet of cells x cells squares with structural springs and one diagonal, pinned at vertices 0 and `cells`, every
 * spring stretched by the factor `stretch` (> 1), rotated by `angle` about three axes in turn. Scaled by m/h^2 = 1,
 * with ratio = h^2 k/m: block I + ratio sum of H_s/k, scalar I + ratio L/k. */
typedef struct {
  int    cells;
  double ratio, stretch, angle;
} sheet;
PetscInt sheet_free(const sheet *s); /* free vertices */
Mat      sheet_block(const sheet *s);
Mat      sheet_scalar(const sheet *s);

/* Fills by global index, the same on any number of ranks. */
void   fill(Vec v, double (*value)(PetscInt index));
double waves(PetscInt index); /* smooth, of size 1, no symmetry */
/* |x - y|_2 / |y|_2. */
double distance(Vec x, Vec y);
