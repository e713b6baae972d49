/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The four ways to hold pinned vertices: replaced rows, and a constraint force with its derivative, are elimination in
 * other words, a penalty errs by what its springs give way, reaction over stiffness. At rest and on a path, for every
 * minimiser. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCENE                                                                                                          \
  "scene=cloth;grid=4;stiffness=100;h=0.01;perturbation=0.02;seed=5;initial_velocity=[0.5,0,-2];pins=corners2"
#define MOVING SCENE ";pin_path=oscillation:amplitude=[0.1,0,0.2],frequency=2"
enum { NAMES = 200 };

/* Fewer steps on several ranks, which wait for each other. */
static int steps(void) { return world_ranks() > 1 ? 5 : 20; }

static const char *const scenes[] = {SCENE, MOVING};

/* Does it have unknowns for pinned vertices, where it is asked to? */
static bool takes_pins(const sb_minimizer_method *method)
{
  return !(sb_minimizer_method_traits(method) & SB_REDUCED_PINS);
}

/* Newton to the minimum; local-global as far as it comes, which is equally far with the same matrix in other words. On
 * several ranks, where each solve waits for messages, fewer iterations. Matrices with replaced rows cannot tell what an
 * adaptive Hessian asks. */
static const char *name(const sb_minimizer_method *method, const char *pins, char text[NAMES])
{
  snprintf(text, NAMES, "minimizer=%s;hessian=projected;max_iterations=%d;%s", method->name, world_ranks() > 1 ? 3 : 10,
           pins);
  return text;
}

static void check_replaced(const sb_minimizer_method *method, const char *pins, const char *scene, const char *start)
{
  world              reduced, replaced;
  sb_minimize_report report;
  char               options[NAMES];
  world_open(&reduced, PETSC_COMM_WORLD, "%s;start=%s;%s", scene, start, name(method, "pin_method=reduce", options));
  world_open(&replaced, PETSC_COMM_WORLD, "%s;start=%s;%s", scene, start, name(method, pins, options));
  for (int step = 0; step < steps(); ++step) {
    world_step(&reduced, &report);
    world_step(&replaced, &report);
    assert_int_equal(report.linear_outcome, SB_SOLVED);
    assert_at_most(world_distance(&reduced, reduced.x, &replaced, replaced.x), 1e-12);
  }
  world_close(&reduced);
  world_close(&replaced);
}

static void test_replaced_rows_are_elimination(void)
{
  static const char *const starts[] = {"inertial", "coast", "previous"};
  static const char *const pins[] = {"pin_method=row_replace;linear=lu", "pin_method=constraint_force;linear=lu"};
  const bool               alone = world_ranks() == 1;
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m)
    for (size_t s = alone ? 0 : 1; s < sizeof scenes / sizeof scenes[0]; ++s)
      for (size_t k = 0; k < (alone ? 3 : 1); ++k)
        for (size_t p = 0; p < 2 && takes_pins(sb_minimizer_method_at(m)); ++p)
          check_replaced(sb_minimizer_method_at(m), pins[p], scenes[s], starts[k]);
}

/* A size at which pivots chosen for sparsity alone, as for a matrix of any pattern, leave too large a residual. */
static void test_replaced_rows_are_solved_at_any_size(void)
{
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_WORLD,
             "scene=cloth;grid=20;h=0.1;start=previous;minimizer=local_global;max_iterations=2;"
             "pin_method=row_replace;linear=lu");
  world_step(&w, &report);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  world_close(&w);
}

/* Conjugate gradients see only the symmetric part of a matrix with replaced rows, when pinned vertices start in place;
 * GMRES takes any. */
static void test_replaced_rows_by_krylov(void)
{
  world              direct, krylov;
  sb_minimize_report report;
  world_open(&direct, PETSC_COMM_WORLD, MOVING ";max_iterations=12");
  world_open(&krylov, PETSC_COMM_WORLD,
             MOVING ";max_iterations=12;pin_method=row_replace;linear=petsc;linear_tolerance=1e-14;"
                    "petsc=-ksp_type gmres -pc_type jacobi");
  world_step(&direct, &report);
  world_step(&krylov, &report);
  assert_at_most(world_distance(&direct, direct.x, &krylov, krylov.x), 1e-12);
  world_close(&direct);
  world_close(&krylov);
}

static void displace_pins(const world *w, Vec z, double metres)
{
  double *position;
  OK(VecGetArray(z, &position));
  for (PetscInt p = 0; p < w->system->pinned_owned; ++p)
    for (PetscInt c = 0; c < 3; ++c) position[3 * w->system->pin_vertex[p] + c] += metres;
  OK(VecRestoreArray(z, &position));
}

static void check_inertia_alone(const world *w, double metres)
{
  const sb_system *system = w->system;
  const double    *out;
  Vec              gradient;
  OK(sb_system_create_unknowns(system, &gradient));
  OK(sb_potential_gradient(w->potential, w->z, gradient));
  OK(VecGetArrayRead(gradient, &out));
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const PetscInt own = 3 * (system->unknown_id[system->pin_vertex[p]] - system->first_unknown);
    const double   want = system->mass[system->pin_vertex[p]] / (w->h * w->h) * metres;
    for (PetscInt c = 0; c < 3; ++c) assert_at_most(fabs(out[own + c] - want), 1e-12 * want);
  }
  OK(VecRestoreArrayRead(gradient, &out));
  OK(VecDestroy(&gradient));
}

/* Does an iteration of the method take the whole of a step that is the solution of a linear system? */
static bool takes_whole_steps(const sb_minimizer_method *method)
{
  return sb_minimizer_method_columns(method) > 0 && (!method->step || strcmp(method->step, "unit") == 0);
}

/* The gradient of a pinned vertex has only its inertia left, by which one iteration that takes the whole step puts a
 * displaced vertex back. A replaced row has no such term. */
static void test_a_constraint_force_leaves_inertia(void)
{
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    world              w;
    sb_minimize_report report;
    const char        *method = sb_minimizer_method_at(m)->name;
    if (!takes_whole_steps(sb_minimizer_method_at(m)) || !takes_pins(sb_minimizer_method_at(m))) continue;
    world_open(&w, PETSC_COMM_WORLD, MOVING ";minimizer=%s;max_iterations=1;pin_method=constraint_force;linear=lu",
               method);
    OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
    OK(sb_potential_start(w.potential, SB_START_COAST, w.z));
    displace_pins(&w, w.z, 0.25);
    check_inertia_alone(&w, 0.25);
    OK(sb_minimizer_continue(w.minimizer, w.potential, w.z, &report));
    double *z = world_gather(&w, w.z), *place = world_gather(&w, w.potential->y);
    for (size_t i = 0; i < 3 * w.pose.vertices; ++i)
      if (w.pose.pinned[i / 3]) assert_at_most(fabs(z[i] - place[i]), 1e-13);
    free(z);
    free(place);
    world_close(&w);
  }
}

/* Largest |z - place| and largest reaction |f|, and that (w + m/h^2) |z - place| = |f| for each pinned vertex. */
static void measure_held(const world *w, double weight, double *error, double *reaction)
{
  Vec force;
  OK(sb_system_create_full(w->system, &force));
  OK(sb_system_elastic_forces(w->system, w->z, force));
  double *z = world_gather(w, w->z), *place = world_gather(w, w->potential->y), *f = world_gather(w, force);
  *error = *reaction = 0;
  for (size_t i = 0; i < w->pose.vertices; ++i) {
    if (!w->pose.pinned[i]) continue;
    const double moved =
        hypot(hypot(z[3 * i] - place[3 * i], z[3 * i + 1] - place[3 * i + 1]), z[3 * i + 2] - place[3 * i + 2]);
    const double pull = hypot(hypot(f[3 * i], f[3 * i + 1]), f[3 * i + 2]);
    assert_at_most(1e-3, pull);
    assert_at_most(moved, pull / weight);
    assert_at_most(fabs(moved * (weight + w->pose.mass[i] / (w->h * w->h)) - pull), 1e-5 * pull);
    *error = fmax(*error, moved);
    *reaction = fmax(*reaction, pull);
  }
  OK(VecDestroy(&force));
  free(z);
  free(place);
  free(f);
}

/* At most: Newton's need no more, and on several ranks rounding alone may keep a step above the tolerance. */
static int iterations(void) { return world_ranks() > 1 ? 6 : 2000; }

/* Slow to converge, and the same arithmetic on any number of ranks. */
static bool is_for_one_rank(const sb_minimizer_method *method)
{
  return world_ranks() > 1 && !(sb_minimizer_method_traits(method) & SB_QUADRATIC);
}

/* Are its steps those of the stiffest spring, the one that holds a pin? */
static bool crawls(const sb_minimizer_method *method)
{
  return method->metric && strcmp(method->metric, "identity") == 0;
}

static double penalty_error(const sb_minimizer_method *method, const char *scene, double weight, double *distance)
{
  world              reduced, held;
  sb_minimize_report report;
  double             error, reaction;
  world_open(&reduced, PETSC_COMM_WORLD, "%s;minimizer=%s;max_iterations=%d;step_tolerance=1e-15", scene, method->name,
             iterations());
  world_open(&held, PETSC_COMM_WORLD,
             "%s;minimizer=%s;max_iterations=%d;step_tolerance=1e-15;pin_method=penalty;pin_weight=%.17g", scene,
             method->name, iterations(), weight);
  world_minimize(&reduced, &report);
  world_minimize(&held, &report);
  measure_held(&held, weight, &error, &reaction);
  *distance = world_distance(&reduced, reduced.z, &held, held.z);
  world_close(&reduced);
  world_close(&held);
  return error;
}

/* Twice the stiffness, half the error, of the pinned vertices and of all. */
static void test_penalty_errs_by_reaction_over_weight(void)
{
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    for (size_t s = 0; s < sizeof scenes / sizeof scenes[0]; ++s) {
      double far, near;
      if (is_for_one_rank(sb_minimizer_method_at(m)) || !takes_pins(sb_minimizer_method_at(m))) continue;
      const double soft = penalty_error(sb_minimizer_method_at(m), scenes[s], 1e6, &far);
      const double hard = penalty_error(sb_minimizer_method_at(m), scenes[s], 2e6, &near);
      assert_at_most(fabs(soft / hard - 2), 0.01);
      assert_at_most(fabs(far / near - 2), 0.01);
    }
  }
}

/* Over many steps too: with the table's weight, no farther than a few times reaction/weight. */
static void test_penalty_over_many_steps(void)
{
  for (size_t m = 0; m < sb_minimizer_method_count(); ++m) {
    if (is_for_one_rank(sb_minimizer_method_at(m)) || crawls(sb_minimizer_method_at(m))) continue;
    if (!takes_pins(sb_minimizer_method_at(m))) continue;
    world              reduced, held;
    sb_minimize_report report;
    const char        *method = sb_minimizer_method_at(m)->name;
    double             error, reaction, largest = 0;
    world_open(&reduced, PETSC_COMM_WORLD, MOVING ";minimizer=%s;max_iterations=%d;step_tolerance=1e-15", method,
               iterations());
    world_open(&held, PETSC_COMM_WORLD,
               MOVING ";minimizer=%s;max_iterations=%d;step_tolerance=1e-15;pin_method=penalty", method, iterations());
    for (int step = 0; step < steps(); ++step) {
      world_step(&reduced, &report);
      world_step(&held, &report);
      measure_held(&held, 1e8, &error, &reaction);
      largest = fmax(largest, reaction);
    }
    assert_at_most(world_distance(&reduced, reduced.x, &held, held.x), 5 * largest / 1e8);
    world_close(&reduced);
    world_close(&held);
  }
}

PETSC_TEST_MAIN(test_replaced_rows_are_elimination, test_replaced_rows_are_solved_at_any_size,
                test_replaced_rows_by_krylov, test_penalty_errs_by_reaction_over_weight, test_penalty_over_many_steps,
                test_a_constraint_force_leaves_inertia)
