/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Systems for the tests of linear solvers, made by formulas of their own: the same matrix on any number of ranks. */
#pragma once

#include "solvers/conform/systems.h"
#include "solvers/linear/linear_backend.h"
#include "tests/petsc_tests.h"

/* A call that must not fail. */
#define OK(call) assert_int_equal((call), 0)

/* !(error <= bound), so that NaN fails; prints both. */
#define ASSERT_WITHIN(error, bound) assert_within((error), (bound), #error, __FILE__, __LINE__)
void assert_within(double error, double bound, const char *what, const char *file, int line);

/* The table's defaults, changed by pairs "name=value;name=value;…". */
sb_options *options_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* A solver with these options. */
sb_linear_solver *solver_of(int columns, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Fails unless a solver with these options, or giving it a matrix with blocks of 3 rows (if there is one), is refused
 * as PETSC_ERR_USER with a message that has all these words, separated by "; ". True if no solver was made at all. */
bool assert_refused(Mat A, const char *words, const char *pairs);

/* Systems of solvers/conform/systems.h, by calls that must not fail. */
typedef sb_entry_function entry_function;
typedef sb_sheet_system   sheet;
typedef sb_linear_problem problem;
#define sheet_free sb_sheet_free
#define waves      sb_waves
Mat     matrix_of(PetscInt n, PetscInt bandwidth, PetscInt block, entry_function entry, const void *context);
Mat     sheet_block(const sheet *s);
Mat     sheet_scalar(const sheet *s);
void    fill(Vec v, double (*value)(PetscInt index));
double  distance(Vec x, Vec y);
problem problem_of(Mat A, int columns);
void    problem_free(problem *p);
/* Gives the solver A, which must be `factored` (an outcome; NULL: any), then solves. */
sb_solve_report solve_by(sb_linear_solver *solver, problem *p, sb_matrix_change change, const char *factored);
/* The same by a solver of its own with these options. */
sb_solve_report solve(problem *p, const char *factored, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Fails unless the outcome has this name. */
#define ASSERT_OUTCOME(expected, report) assert_string_equal(sb_outcome_name((report).outcome), expected)

/* Matrices that several backends meet. M + h^2 L of a chain with both ends fixed, m = 1; context: double h^2 k/m. */
double chain(const void *context, PetscInt i, PetscInt j);
double saddle(const void *context, PetscInt i, PetscInt j); /* indefinite, its diagonal positive */
double hollow(const void *context, PetscInt i, PetscInt j); /* a zero on the diagonal, in row 3 */
/* Mode of a chain of `nodes`: 1 the slowest. */
double chain_mode(int nodes, int mode, PetscInt index);

/* Calls `check` for every backend with all these traits that runs on this many ranks; there must be one. */
void each_backend(unsigned traits, void (*check)(const sb_linear_backend *backend));
int  rank_count(void); /* of PETSC_COMM_WORLD */
