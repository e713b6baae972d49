/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Are the operations of PETSc's solvers counted as petsc_flops.h says, and those of factors on any number of ranks?
 *
 * Independent counts: a product with A has 2 nnz(A) flops. A Cholesky factorisation has sum c_k^2 and a solve 4 nnz(L),
 * by CHOLMOD's own figures, whose ordering is another than PETSc's and MUMPS's: a factor of 2 is allowed. */
#include <string.h>

#include "solvers/linear/petsc_text.h"
#include "tests/linear/systems.h"

enum { ITERATIONS = 4 };

static const sheet net = {.cells = 16, .ratio = 1.0, .stretch = 1.2, .angle = 0.3};

/* Flops of a set-up and of a solve, over all ranks, without those of checks. */
typedef struct {
  double          set_up, solve;
  const char     *uncounted;
  sb_factor_facts facts;
} counts;

static double flops_so_far(const sb_profile *profile)
{
  PetscLogDouble flops;
  OK(PetscGetFlops(&flops));
  flops -= profile->check_flops;
  assert_int_equal(MPI_Allreduce(MPI_IN_PLACE, &flops, 1, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD), 0);
  return flops;
}

static counts count(const char *settings)
{
  sb_profile        profile = {0};
  sb_options       *options = options_of("%s", settings);
  sb_linear_solver *solver;
  sb_outcome        outcome;
  sb_solve_report   report;
  problem           p = problem_of(sheet_block(&net), 1);
  counts            c;
  OK(sb_linear_solver_create(PETSC_COMM_WORLD, options, "flops_", 1, &profile, &solver));
  double before = flops_so_far(&profile);
  OK(sb_linear_solver_set_matrix(solver, p.A, SB_NEW_PATTERN, true, &outcome));
  if (outcome != SB_SOLVED) fail_msg("%s ended as %s", settings, sb_outcome_name(outcome));
  c.set_up = flops_so_far(&profile) - before;
  before = flops_so_far(&profile);
  OK(sb_linear_solver_solve(solver, p.b, p.x, false, &report));
  c.solve = flops_so_far(&profile) - before;
  c.uncounted = profile.uncounted;
  c.facts = *sb_linear_solver_facts(solver);
  OK(sb_linear_solver_destroy(&solver));
  problem_free(&p);
  sb_options_destroy(&options);
  return c;
}

static counts count_petsc(const char *pc)
{
  char settings[256];
  snprintf(settings, sizeof settings,
           "linear=petsc;petsc=-ksp_type cg -pc_type %s;linear_tolerance=0;linear_max_iterations=%d", pc, ITERATIONS);
  return count(settings);
}

static double entries(void)
{
  MatInfo info;
  Mat     A = sheet_block(&net);
  OK(MatGetInfo(A, MAT_GLOBAL_SUM, &info));
  OK(MatDestroy(&A));
  return info.nz_used;
}

static void assert_between(double low, double value, double high, const char *what)
{
  if (!(low <= value && value <= high)) fail_msg("%s: %g is not between %g and %g", what, value, low, high);
}

/* Preconditioners with bounds on their operations in entries of A: of a set-up, and of an application. */
static const struct {
  const char *pc;
  double      set_up[2], apply[2];
  bool        serial, factor; /* for one rank only; in units of CHOLMOD's */
} preconditioners[] = {
    {"none", {0, 0}, {0, 0.01}, false, false},
    {"jacobi", {0, 0}, {0.01, 0.2}, false, false},
    {"pbjacobi", {0.5, 2}, {0.1, 1}, false, false},
    {"bjacobi -sub_pc_type icc", {2, 12}, {1.5, 2.1}, false, false},
    {"bjacobi -sub_pc_type ilu", {4, 24}, {1.5, 2.1}, false, false},
    {"bjacobi -sub_pc_type jacobi", {0, 0.2}, {0.01, 0.2}, false, false},
    {"asm -sub_pc_type icc", {2, 24}, {1.5, 4}, false, false},
    {"gamg", {20, 1000}, {4, 100}, false, false},
    {"gamg -mg_levels_pc_type sor", {20, 1000}, {4, 100}, false, false},
    {"redundant", {1, 6}, {0.5, 6}, true, true},
    {"icc", {2, 12}, {1.5, 2.1}, true, false},
    {"icc -pc_factor_levels 1", {4, 24}, {1.5, 4}, true, false},
    {"ilu", {4, 24}, {1.5, 2.1}, true, false},
    {"sor", {0, 0.2}, {1.9, 4.1}, true, false},
    {"cholesky", {0.5, 2}, {0.5, 2}, true, true},
    {"cholesky -pc_factor_mat_solver_type cholmod", {0.99, 1.01}, {0.99, 1.01}, true, true},
    {"lu", {1, 4}, {0.5, 2}, true, true},
    {"ksp -ksp_ksp_type cg -ksp_pc_type jacobi -ksp_ksp_max_it 3", {0, 1}, {4, 40}, true, false},
};

/* The application is what a solve has more than the same without a preconditioner, per iteration. */
static void check(const char *pc, const double set_up[2], const double apply[2], double unit, double solve)
{
  const counts c = count_petsc(pc), plain = count_petsc("none");
  if (c.uncounted) fail_msg("%s: the operations of %s are not counted", pc, c.uncounted);
  assert_between(set_up[0] * unit, c.set_up, set_up[1] * unit, pc);
  assert_between(apply[0] * solve, (c.solve - plain.solve) / ITERATIONS, apply[1] * solve, pc);
}

static void test_preconditioners(void)
{
  const double nnz = entries();
  const counts whole = count("linear=cholesky");
  for (size_t i = 0; i < sizeof preconditioners / sizeof *preconditioners; ++i) {
    const bool factor = preconditioners[i].factor;
    if (preconditioners[i].serial && rank_count() > 1) continue;
    check(preconditioners[i].pc, preconditioners[i].set_up, preconditioners[i].apply, factor ? whole.set_up : nnz,
          factor ? whole.solve : nnz);
  }
}

/* A preconditioner that claims not to be counted logs less than a product with A per application. */
static void test_libraries(void)
{
  static const struct {
    const char *pc, *name;
    bool        serial;
  } rows[] = {
      {"hypre -pc_hypre_type boomeramg", "hypre", false},
      {"gamg -mg_levels_pc_type bjacobi -mg_levels_sub_pc_type lu -mg_levels_sub_pc_factor_mat_solver_type umfpack",
       "a library that factors behind PETSc", false},
      {"lu -pc_factor_mat_solver_type umfpack", "a library that factors behind PETSc", true},
      {"lu -pc_factor_mat_solver_type superlu", "a library that factors behind PETSc", true},
      {"ilu -mat_type baij", "PETSc's factors of block matrices", true},
      {"kaczmarz", "a preconditioner of PETSc that does not log its operations", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    if (rows[i].serial && rank_count() > 1) continue;
    const counts c = count_petsc(rows[i].pc);
    if (!c.uncounted || strcmp(c.uncounted, rows[i].name) != 0)
      fail_msg("%s: not counted is %s, not %s", rows[i].pc, c.uncounted ? c.uncounted : "nothing", rows[i].name);
  }
  const double more = count_petsc("hypre").solve - count_petsc("none").solve;
  assert_between(-1, more, 2 * entries(), "hypre's solve is counted now");
}

/* A preset's summary says it if its operations are not counted. */
static void test_presets(void)
{
  for (size_t i = 0; i < sb_petsc_preset_count(); ++i) {
    const sb_petsc_preset *preset = sb_petsc_preset_at(i);
    char                   settings[64];
    snprintf(settings, sizeof settings, "linear=petsc;petsc=%s", preset->name);
    const bool said = strstr(preset->summary, "not counted");
    if (!count(settings).uncounted == said) fail_msg("the summary of %s is wrong on its operations", preset->name);
  }
}

/* MUMPS solves for cholesky and lu on several ranks, and behind PETSc. A factorisation is of all ranks; a solve has
 * fewer operations, though PETSc logs two factorisations for it. */
static void test_mumps(void)
{
  static const char *const names[] = {"cholesky", "lu"};
  for (int lu = 0; lu < 2; ++lu) {
    char own[64], behind[160];
    snprintf(own, sizeof own, "linear=%s", names[lu]);
    snprintf(behind, sizeof behind, "linear=petsc;petsc=-ksp_type preonly -pc_type %s -pc_factor_mat_solver_type mumps",
             names[lu]);
    const counts a = count(own), b = count(behind);
    assert_null(a.uncounted);
    assert_null(b.uncounted);
    assert_between(a.set_up / 3, b.set_up, a.set_up * 3, behind);
    assert_between(a.solve / 2, b.solve, a.solve * 2, behind);
    assert_between(a.facts.flops_factor, a.set_up, a.facts.flops_factor, own);
    assert_between((lu ? 2 : 4) * a.facts.nonzeros_factor, a.solve, (lu ? 2 : 4) * a.facts.nonzeros_factor, own);
    assert_true(b.solve < b.set_up && a.solve < a.set_up);
  }
  assert_string_equal(count_petsc("cholesky -pc_factor_mat_solver_type mumps").uncounted, "MUMPS");
}

PETSC_TEST_MAIN(test_preconditioners, test_libraries, test_presets, test_mumps)
