/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The claims in the minimisers' tables, measured for every minimiser with every backend. */
#include "tests/minimize/world.h"

#include <math.h>
#include <string.h>

/* Mild enough for point Jacobi to converge on Newton's matrix too. */
#define MILD "scene=cloth;grid=4;stiffness=100;h=0.01;perturbation=0.05;initial_velocity=[0.5,0,-2]"

enum { ITERATIONS = 12, HISTORY = 40 };

typedef struct {
  const world *w;
  double       value[HISTORY], gradient[HISTORY];
  PetscInt     count;
} history;

static PetscErrorCode record(void *context, PetscInt k, Vec z, bool *stop)
{
  history *h = context;
  (void)stop;
  assert_int_equal(k, h->count);
  OK(sb_potential_value(h->w->potential, z, &h->value[k]));
  h->gradient[k] = world_gradient_norm(h->w, z);
  h->count++;
  return 0;
}

static void minimize_recorded(world *w, history *h)
{
  sb_minimize_report report;
  *h = (history){.w = w};
  OK(sb_minimizer_set_monitor(w->minimizer, record, h));
  world_minimize(w, &report);
  assert_true(sb_outcome_accepted(report.linear_outcome));
}

/* Does it descend with backtracking, if not without? */
static bool takes_armijo(const sb_minimizer_method *method)
{
  return method->metric && strcmp(method->accelerator, "none") == 0;
}

/* Never up, also in a second step; and, lest a method that stands still pass, down to `progress` of the first gradient.
 */
static void check_descent(const sb_minimizer_method *method, const sb_linear_backend *backend, const char *scene,
                          double progress)
{
  world   w;
  history h;
  char    pair[160];
  world_open(&w, PETSC_COMM_WORLD, "%s;%s;start=previous;max_iterations=%d%s", scene,
             world_pair_options(method, backend, pair), ITERATIONS, takes_armijo(method) ? ";step=armijo" : "");
  for (int step = 0; step < 2; ++step) {
    minimize_recorded(&w, &h);
    assert_int_equal(h.count, ITERATIONS + 1);
    for (PetscInt k = 1; k < h.count; ++k) assert_at_most(h.value[k], h.value[k - 1] * (1 + 1e-14));
    assert_at_most(h.value[ITERATIONS], 0.9 * h.value[0]);
    assert_at_most(h.gradient[ITERATIONS], progress * h.gradient[0]);
    /* A second step that starts high: twice the velocity. */
    OK(VecWAXPY(w.v, -1, w.x, w.z));
    OK(VecScale(w.v, 2 / w.h));
    OK(VecCopy(w.z, w.x));
  }
  world_close(&w);
}

static void measure_descent(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  if (!(sb_minimizer_method_traits(method) & SB_DESCENDS) && !takes_armijo(method)) return;
  const bool slow = sb_minimizer_method_columns(method) == 0; /* without linear systems */
  check_descent(method, backend, MILD, slow ? 0.2 : 1e-2);
  /* Full steps of Newton's would rise here, and local-global iterations are slow. */
  const char *stiff = "scene=cloth;grid=4;stiffness=5000;h=0.05;perturbation=0.15;initial_velocity=[3,0,-8]";
  const bool late = sb_minimizer_method_traits(method) & SB_STEP_MATRIX; /* of a compressed start: g falls, |G| later */
  if (backend->traits & SB_DIRECT) check_descent(method, backend, stiff, late ? INFINITY : slow ? 0.9 : 0.7);
}

static void test_descends(void) { world_for_each_pair(measure_descent); }

/* Observed order of the last three gradients above rounding (V41). */
static double observed_order(const history *h)
{
  PetscInt last = 0;
  while (last + 1 < h->count && h->gradient[last + 1] > 1e-12 * h->gradient[0]) ++last;
  assert_true(last >= 2);
  return log(h->gradient[last] / h->gradient[last - 1]) / log(h->gradient[last - 1] / h->gradient[last - 2]);
}

static void measure_order(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  if (!(sb_minimizer_method_traits(method) & SB_QUADRATIC && backend->traits & SB_DIRECT)) return;
  world   w;
  history h;
  char    pair[160];
  world_open(&w, PETSC_COMM_WORLD,
             "%s;scene=curtain;grid=4;stiffness=60;h=0.02;perturbation=0.03;initial_velocity=[0,0,-6];"
             "hessian=exact;start=inertial;max_iterations=9",
             world_pair_options(method, backend, pair));
  minimize_recorded(&w, &h);
  assert_at_most(1.8, observed_order(&h));
  world_close(&w);
}

static void test_quadratic(void) { world_for_each_pair(measure_order); }

/* V43: one factorisation for many steps, or one per step. Methods that claim neither factor once an iteration; direct
 * backends, if they do not keep their matrix, once more in prepare, to make room. */
static void measure_factorizations(const sb_minimizer_method *method, const sb_linear_backend *backend)
{
  world              w;
  sb_minimize_report report;
  char               pair[160];
  if (strcmp(method->name, "auto") == 0) return; /* by a rule of its own: auto.c */
  world_open(&w, PETSC_COMM_WORLD, MILD ";%s;max_iterations=3", world_pair_options(method, backend, pair));
  for (int step = 0; step < 4; ++step) world_step(&w, &report);
  const sb_linear_totals *totals = sb_linear_solver_totals(sb_minimizer_linear(w.minimizer));
  const bool              once = sb_minimizer_method_traits(method) & SB_STEP_MATRIX;
  const int               each = (once ? 4 : 12) + (backend->traits & SB_DIRECT ? 1 : 0);
  const bool              solves = sb_minimizer_method_columns(method) > 0;
  const bool              constant = sb_minimizer_method_traits(method) & SB_CONSTANT_MATRIX;
  assert_int_equal(totals->factorizations, !solves ? 0 : constant ? 1 : each);
  assert_int_equal(totals->solves, solves ? 12 : 0);
  world_close(&w);
}

static void test_constant_matrix(void) { world_for_each_pair(measure_factorizations); }

/* V43, second half: factored for every step anew, the same bits; on several ranks MUMPS itself, which adds in the order
 * in which messages come, does not repeat its last bits. */
static void test_refactoring_changes_nothing(void)
{
  world              kept, renewed;
  sb_minimize_report report;
  const double       limit = world_ranks() == 1 ? 0 : 1e-14;
  world_open(&kept, PETSC_COMM_WORLD, MILD ";minimizer=local_global;max_iterations=3");
  world_open(&renewed, PETSC_COMM_WORLD, MILD ";minimizer=local_global;max_iterations=3");
  for (int step = 0; step < 5; ++step) {
    OK(sb_minimizer_destroy(&renewed.minimizer));
    OK(sb_minimizer_create(renewed.system, renewed.options, renewed.h, "", &renewed.minimizer));
    world_step(&kept, &report);
    world_step(&renewed, &report);
    assert_at_most(world_distance(&kept, kept.x, &renewed, renewed.x), limit);
  }
  world_close(&kept);
  world_close(&renewed);
}

static void test_lists(void)
{
  assert_true(sb_minimizer_method_count() >= 2);
  for (size_t i = 0; i < sb_minimizer_method_count(); ++i) {
    const sb_minimizer_method *method = sb_minimizer_method_at(i);
    assert_ptr_equal(sb_minimizer_method_find(method->name), method);
    const int columns = sb_minimizer_method_columns(method);
    assert_true(columns == 0 || columns == 1 || columns == 3);
    assert_true(method->summary && method->prepare && !method->iterate != !method->run && method->destroy);
  }
  assert_null(sb_minimizer_method_at(sb_minimizer_method_count()));
  assert_null(sb_minimizer_method_find("newton_raphson"));
}

PETSC_TEST_MAIN(test_lists, test_descends, test_quadratic, test_constant_matrix, test_refactoring_changes_nothing)
