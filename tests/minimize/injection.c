/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The injection suite one floor up: states, loads and fields that no minimiser can make a step of, matrices that no
 * backend should, for every minimiser with every backend. The rule is the same: nothing is called done that is not,
 * and what is left behind is finite. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/minimize/descent.h"
#include "solvers/minimize/equilibrium.h"

#define SHEET "scene=cloth;grid=3;stiffness=50;h=0.01;max_iterations=20;gradient_tolerance=1e-8;step_tolerance=1e-12"

static void set_one(const world *w, Vec full, PetscInt vertex, double value)
{
  double        *array;
  const PetscInt local = vertex - w->system->first_vertex;
  OK(VecGetArray(full, &array));
  if (local >= 0 && local < w->system->owned) array[3 * local + 1] = value;
  OK(VecRestoreArray(full, &array));
}

static bool is_finite(Vec v)
{
  PetscInt      count;
  const double *array;
  int           good = 1;
  OK(VecGetLocalSize(v, &count));
  OK(VecGetArrayRead(v, &array));
  for (PetscInt i = 0; i < count; ++i) good = good && isfinite(array[i]);
  OK(VecRestoreArrayRead(v, &array));
  OK(MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_MIN, PETSC_COMM_WORLD));
  return good != 0;
}

/* `where`: the bad number is in the velocity, in the place, or in a load. */
static void check_number(const sb_minimizer_method *method, const sb_linear_backend *backend, int where, double bad)
{
  static const char *const names[] = {"velocity", "place", "load"};
  char                     pair[160];
  world                    w;
  sb_minimize_report       report;
  Vec                      load;
  world_open(&w, PETSC_COMM_WORLD, SHEET ";%s", world_pair_options(method, backend, pair));
  OK(sb_system_create_full(w.system, &load));
  set_one(&w, where == 0 ? w.v : where == 1 ? w.x : load, 9, bad);
  if (where == 2) w.potential->load = load;
  world_minimize(&w, &report);
  if (report.converged || sb_outcome_accepted(report.linear_outcome))
    fail_msg("%g in the %s, %s with %s: %s, %s", bad, names[where], method->name, backend->name,
             sb_outcome_name(report.linear_outcome), report.reason);
  if (where == 2) assert_true(is_finite(w.z));
  w.potential->load = NULL;
  OK(VecDestroy(&load));
  world_close(&w);
}

static void check_numbers(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  static const double bad[] = {NAN, INFINITY, -INFINITY};
  for (int where = 0; where < 3; ++where)
    for (int i = 0; i < 3; ++i) check_number(method, backend, where, bad[i]);
}

static void test_numbers_that_are_none(void) { world_for_each_pair(check_numbers); }

static bool solves_with_hessian(const sb_minimizer_method *method)
{
  sb_triple triple;
  return sb_method_triple(method, &triple) && sb_metric_reads(triple.metric, SB_ID(hessian));
}

/* One spring at half its length, pushed across: M/h^2 + H is singular to the bit at h = 1/2, the push not in its range;
 * indefinite at h = 1. If a step counts as converged, its gradient must be small. Matrices of other methods are
 * neither. */
static void check_compressed(const sb_minimizer_method *method, const sb_linear_backend *backend, double h)
{
  char               pair[160];
  world              w;
  sb_minimize_report report;
  if (world_ranks() > 1) return;
  world_open(&w, PETSC_COMM_WORLD,
             "scene=oscillator;amplitude=-0.5;initial_velocity=[0,1,0];h=%g;start=previous;hessian=exact;"
             "max_iterations=200;gradient_tolerance=1e-8;%s",
             h, world_pair_options(method, backend, pair));
  world_minimize(&w, &report);
  const bool first_refused = !sb_outcome_accepted(report.linear_outcome) && report.iterations == 0;
  if (solves_with_hessian(method) && (h == 0.5 || backend->traits & SB_DETECTS_INDEFINITE) && !first_refused)
    fail_msg("h = %g, %s with %s: %s, %s", h, method->name, backend->name, sb_outcome_name(report.linear_outcome),
             report.reason);
  assert_true(is_finite(w.z));
  if (report.converged) assert_at_most(world_gradient_norm(&w, w.z), 1e-8);
  world_close(&w);
}

static void check_matrices(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  check_compressed(method, backend, 0.5);
  check_compressed(method, backend, 1);
}

static void test_singular_and_indefinite(void) { world_for_each_pair(check_matrices); }

static void rotate(double angle, int axis, double p[3])
{
  const int    a = (axis + 1) % 3, b = (axis + 2) % 3;
  const double turned = cos(angle) * p[a] - sin(angle) * p[b];
  p[b] = sin(angle) * p[a] + cos(angle) * p[b];
  p[a] = turned;
}

/* V45: every spring stretched by a fifth, h^2 k/m = 10, turned by `angle` about three axes. */
static void stretch_and_turn(const world *w, double angle)
{
  double *x;
  OK(VecGetArray(w->x, &x));
  for (PetscInt i = 0; i < w->system->owned; ++i) {
    for (int c = 0; c < 3; ++c) x[3 * i + c] *= 1.2;
    for (int axis = 0; axis < 3; ++axis) rotate(angle, axis, &x[3 * i]);
  }
  OK(VecRestoreArray(w->x, &x));
}

static void check_turned(double angle, bool works)
{
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD,
             "scene=cloth;grid=8;total_mass=81;stiffness=100;h=0.31622776601683794;start=previous;hessian=exact;"
             "max_iterations=1;linear=jacobi;jacobi_omega=1");
  stretch_and_turn(&w, angle);
  world_minimize(&w, &report);
  assert_int_equal(report.linear_outcome, works ? SB_SOLVED : SB_DIVERGED);
  assert_int_equal(report.converged, works);
  assert_int_equal(report.iterations, works ? 1 : 0);
  assert_true(is_finite(w.z));
  if (!works) {
    assert_at_most(world_distance(&w, w.z, &w, w.x), 0);
    assert_non_null(strstr(report.reason, "spectral radius"));
  }
  world_close(&w);
}

static void test_turned_sheet_by_jacobi(void)
{
  check_turned(0, true);
  check_turned(0.6, false);
}

/* A load so large that every trial's energy is Inf - Inf: no trial is a descent, and z stays. */
static void test_trials_without_an_energy(void)
{
  world              w;
  sb_minimize_report report;
  Vec                load;
  world_open(&w, PETSC_COMM_WORLD, SHEET ";start=previous;step=armijo");
  OK(sb_system_create_full(w.system, &load));
  OK(VecSet(load, 1e200));
  w.potential->load = load;
  world_minimize(&w, &report);
  assert_false(report.converged);
  assert_int_equal(report.iterations, 0);
  assert_non_null(strstr(report.reason, "no descent"));
  assert_at_most(world_distance(&w, w.z, &w, w.x), 0);
  w.potential->load = NULL;
  OK(VecDestroy(&load));
  world_close(&w);
}

/* The blended matrix is (1 - b) exact + b projected, b = 0.03 where that is enough: across one compressed spring a step
 * is (m v/h)/(m/h^2 + (1 - b) k (1 - l/r)). */
static void test_blended_step(void)
{
  const double       k = 4, across = k * (1 - 1 / 0.6), h = sqrt(1.001 / -across), m = 1;
  world              w;
  sb_minimize_report report;
  if (world_ranks() > 1) skip();
  world_open(&w, PETSC_COMM_SELF,
             "scene=oscillator;amplitude=-0.4;initial_velocity=[0,1,0];h=%.17g;start=previous;max_iterations=1;"
             "hessian=blended",
             h);
  world_minimize(&w, &report);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  assert_int_equal(report.projected, 1);
  const double *z, want = m / h / (m / (h * h) + 0.97 * across);
  OK(VecGetArrayRead(w.z, &z));
  assert_at_most(fabs(z[4] / want - 1), 1e-11);
  OK(VecRestoreArrayRead(w.z, &z));
  world_close(&w);
}

/* Searches for an equilibrium that is not there, or that lies where the field has no value, for every minimiser, by the
 * direct solver, for they take long to give up: never converged, always finite. */
static void check_search(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  static const char *const hopeless[] = {
      "pins=none",                          /* a net that falls */
      "wind=expression:z=-0.1*sqrt(0.2+z)", /* it hangs lower than where the field ends */
  };
  if (strcmp(backend->name, "cholesky") != 0) return;
  for (size_t i = 0; i < sizeof hopeless / sizeof hopeless[0]; ++i) {
    char                  pair[160];
    world                 w;
    sb_equilibrium_report report;
    world_open_bare(&w, PETSC_COMM_WORLD,
                    "scene=cloth;grid=2;stiffness=50;h=0.01;max_iterations=30;step=armijo;perturbation=0.01;%s;%s",
                    hopeless[i], world_pair_options(method, backend, pair));
    OK(sb_equilibrium_find(w.system, w.options, NULL, w.x, &report));
    if (report.converged || !(strlen(report.reason) > 0) || !is_finite(w.x))
      fail_msg("%s, %s with %s: %s, %g N left", hopeless[i], method->name, backend->name, report.reason,
               report.gradient_norm);
    world_close(&w);
  }
}

static void test_equilibria_that_are_not_there(void)
{
  if (world_ranks() > 1) skip();
  world_for_each_pair(check_search);
}

PETSC_TEST_MAIN(test_numbers_that_are_none, test_singular_and_indefinite, test_turned_sheet_by_jacobi,
                test_trials_without_an_energy, test_blended_step, test_equilibria_that_are_not_there)
