/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Newton's Hessians: when they are the same, when the exact one stops being positive definite (V36, V37), what
 * adaptive does then and what it refuses. */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One spring, one end pinned, length 0.6 of rest length 1, m = 1, k = 4: M/h^2 + H is positive definite if and only if
 * h^2 k/m (l/r - 1) < 1 (V37); `margin` is that left-hand side. */
static void open_compressed(world *w, double margin, const char *options)
{
  world_open(w, PETSC_COMM_SELF, "scene=oscillator;amplitude=-0.4;h=%.17g;start=previous;max_iterations=1;%s",
             sqrt(margin / (4 * (1 / 0.6 - 1))), options);
}

static void check_sharpness(const sb_linear_backend *backend)
{
  char               options[80];
  world              w;
  sb_minimize_report report;
  snprintf(options, sizeof options, "hessian=exact;linear=%s", backend->name);
  open_compressed(&w, 0.999, options);
  world_minimize(&w, &report);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  assert_int_equal(report.iterations, 1);
  world_close(&w);
  open_compressed(&w, 1.001, options);
  world_minimize(&w, &report);
  assert_int_equal(report.linear_outcome, SB_NOT_SPD);
  assert_int_equal(report.iterations, 0);
  assert_false(report.converged);
  /* The iterate is the last good one: here the first. */
  assert_at_most(world_distance(&w, w.z, &w, w.x), 0);
  world_close(&w);
}

static void check_adaptive(const sb_linear_backend *backend)
{
  char               options[80];
  world              w;
  sb_minimize_report report;
  snprintf(options, sizeof options, "hessian=adaptive;linear=%s", backend->name);
  open_compressed(&w, 0.999, options);
  world_minimize(&w, &report);
  assert_int_equal(report.projected, 0);
  world_close(&w);
  open_compressed(&w, 1.001, options);
  world_minimize(&w, &report);
  assert_int_equal(report.projected, 1);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  assert_int_equal(report.iterations, 1);
  world_close(&w);
}

static void test_sharp_indefiniteness(void)
{
  int detecting = 0;
  for (size_t b = 0; b < sb_linear_backend_count(); ++b) {
    const sb_linear_backend *backend = sb_linear_backend_at(b);
    if (backend->missing || !(backend->traits & SB_DETECTS_INDEFINITE)) continue;
    check_sharpness(backend);
    check_adaptive(backend);
    detecting++;
  }
  assert_true(detecting > 0);
}

/* linearly_implicit has the exact Hessian with every backend and every way to hold pins: across a compressed spring a
 * step is y = h v/(1 + h^2 k/m (1 - l/r)), with the projected one h v. */
static void test_own_hessian(void)
{
  static const char *const holds[] = {"reduce", "row_replace", "constraint_force"};
  const double             h = 0.2, want = h / (1 + h * h * 4 * (1 - 1 / 0.5));
  for (size_t b = 0; b < sb_linear_backend_count(); ++b)
    for (int k = 0; k < 3; ++k) {
      const sb_linear_backend *backend = sb_linear_backend_at(b);
      world                    w;
      sb_minimize_report       report;
      const double            *z;
      if (backend->missing || (k > 0 && !(backend->traits & SB_UNSYMMETRIC))) continue;
      world_open_bare(
          &w, PETSC_COMM_SELF,
          "scene=oscillator;amplitude=-0.5;stiffness=4;initial_velocity=[0,1,0];h=%g;minimizer=linearly_implicit;"
          "start=previous;max_iterations=1;"
          "linear_tolerance=1e-13;linear_max_iterations=10000;linear=%s;pin_method=%s",
          h, backend->name, holds[k]);
      /* as sb_minimizer_resolve does with the method's defaults, which this vocabulary lacks */
      sb_options_set(w.options, SB_ID(hessian), "exact", SB_FROM_SCENE, (sb_location){0}, NULL);
      assert_string_equal(sb_hessian_of(w.options), "exact");
      OK(sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer));
      world_minimize(&w, &report);
      if (!sb_outcome_accepted(report.linear_outcome))
        fail_msg("%s, %s: %s", backend->name, holds[k], sb_outcome_name(report.linear_outcome));
      OK(VecGetArrayRead(w.z, &z));
      if (!(fabs(z[4] - want) <= 1e-9)) fail_msg("%s, %s: y = %.17g, not %.17g", backend->name, holds[k], z[4], want);
      OK(VecRestoreArrayRead(w.z, &z));
      world_close(&w);
    }
}

/* V36: equal where every spring is stretched, different where one is compressed. */
static double distance_of_kinds(const char *first, const char *second, const char *scene)
{
  world              a, b;
  sb_minimize_report report;
  world_open(&a, PETSC_COMM_WORLD, "%s;hessian=%s;start=previous;max_iterations=1", scene, first);
  world_open(&b, PETSC_COMM_WORLD, "%s;hessian=%s;start=previous;max_iterations=1", scene, second);
  world_minimize(&a, &report);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  world_minimize(&b, &report);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  const double distance = world_distance(&a, a.z, &b, b.z);
  world_close(&a);
  world_close(&b);
  return distance;
}

static void test_projection_acts_on_compressed_springs_only(void)
{
  /* Every spring of a sheet at rest has 1 - l/r = 0 up to rounding; a chain in its first mode has both signs. */
  const char *stretched = "scene=oscillator;amplitude=0.4;initial_velocity=[0,1,0];h=0.2";
  const char *compressed = "scene=oscillator;amplitude=-0.4;initial_velocity=[0,1,0];h=0.2";
  if (world_ranks() > 1) skip();
  assert_at_most(distance_of_kinds("exact", "projected", stretched), 0);
  assert_at_most(distance_of_kinds("exact", "adaptive", stretched), 0);
  assert_at_most(1e-2, distance_of_kinds("exact", "projected", compressed));
  assert_at_most(distance_of_kinds("exact", "adaptive", compressed), 0);
}

/* On several ranks: a sheet whose exact Hessian is indefinite on the way, with the same count everywhere. */
static void test_adaptive_on_a_sheet(void)
{
  const char        *scene = "scene=cloth;grid=4;stiffness=2000;h=0.05;perturbation=0.1;start=previous;step=armijo;"
                             "max_iterations=40;gradient_tolerance=1e-8";
  world              w, serial;
  sb_minimize_report report, alone;
  world_open(&w, PETSC_COMM_WORLD, "%s;hessian=adaptive", scene);
  world_minimize(&w, &report);
  assert_true(report.converged);
  assert_in_range(report.projected, 1, (unsigned long)report.iterations);
  world_open(&serial, PETSC_COMM_SELF, "%s;hessian=adaptive", scene);
  world_minimize(&serial, &alone);
  assert_int_equal(alone.projected, report.projected);
  assert_at_most(world_distance(&w, w.z, &serial, serial.z), 1e-9);
  world_close(&w);
  world_close(&serial);
}

/* The exact Hessian with every spring projected is the projected one; with none, it is itself; with some, in between.
 */
static void test_projection_spring_by_spring(void)
{
  world     w;
  Mat       exact, some, projected;
  PetscReal scale, all, apart[3];
  world_open_bare(&w, PETSC_COMM_WORLD, "scene=cloth;grid=5;stiffness=200;perturbation=0.1;h=0.05");
  const sb_system *system = w.system;
  bool            *chosen = calloc((size_t)system->springs.count + 1, sizeof *chosen);
  assert_non_null(chosen);
  OK(sb_system_create_block_matrix(w.system, &exact));
  OK(sb_system_create_block_matrix(w.system, &projected));
  OK(sb_system_assemble_hessian(w.system, SB_HESSIAN_EXACT, 400, w.x, exact));
  OK(sb_system_assemble_hessian(w.system, SB_HESSIAN_PROJECTED, 400, w.x, projected));
  OK(MatNorm(projected, NORM_FROBENIUS, &scale));
  for (int part = 0; part < 3; ++part) {
    for (PetscInt s = 0; s < system->springs.count; ++s)
      chosen[s] = part == 2 || (part == 1 && sb_system_spring_id(system, s) % 3 == 0);
    OK(MatDuplicate(exact, MAT_COPY_VALUES, &some));
    OK(sb_system_project_springs(system, chosen, w.x, some));
    OK(MatAXPY(some, -1, part == 2 ? projected : exact, SAME_NONZERO_PATTERN));
    OK(MatNorm(some, NORM_FROBENIUS, &apart[part]));
    OK(MatDestroy(&some));
  }
  OK(MatAXPY(projected, -1, exact, SAME_NONZERO_PATTERN));
  OK(MatNorm(projected, NORM_FROBENIUS, &all));
  assert_at_most(apart[0], 0);
  assert_at_most(0.2 * all, apart[1]);
  assert_at_most(apart[1], 0.9 * all);
  assert_at_most(apart[2], 1e-14 * scale);
  OK(MatDestroy(&exact));
  OK(MatDestroy(&projected));
  free(chosen);
  world_close(&w);
}

/* Projects the springs that pull most first: the same on any number of ranks, and faster than projecting all. */
static void test_progressive_on_a_sheet(void)
{
  const char        *scene = "scene=cloth;grid=4;stiffness=2000;h=0.05;perturbation=0.1;start=previous;step=armijo;"
                             "gradient_tolerance=1e-8";
  world              w, serial, always;
  sb_minimize_report report, alone, slow;
  world_open(&w, PETSC_COMM_WORLD, "%s;hessian=progressive;max_iterations=60", scene);
  world_minimize(&w, &report);
  assert_true(report.converged);
  assert_in_range(report.projected, 1, (unsigned long)report.iterations);
  world_open(&serial, PETSC_COMM_SELF, "%s;hessian=progressive;max_iterations=60", scene);
  world_minimize(&serial, &alone);
  assert_int_equal(alone.projected, report.projected);
  assert_at_most(world_distance(&w, w.z, &serial, serial.z), 1e-9);
  world_open(&always, PETSC_COMM_SELF, "%s;hessian=projected;max_iterations=60", scene);
  world_minimize(&always, &slow);
  assert_in_range(alone.iterations, 1, (unsigned long)slow.iterations - 1);
  world_close(&w);
  world_close(&serial);
  world_close(&always);
}

/* Its first step, from where the exact Hessian is indefinite, has some springs as they are. */
static void test_progressive_spares_some(void)
{
  const char *scene = "scene=cloth;grid=8;stiffness=1000;h=0.05;perturbation=0.1;start=previous;max_iterations=1";
  world       w, always;
  sb_minimize_report report, slow;
  world_open(&w, PETSC_COMM_SELF, "%s;hessian=progressive", scene);
  world_open(&always, PETSC_COMM_SELF, "%s;hessian=projected", scene);
  world_minimize(&w, &report);
  world_minimize(&always, &slow);
  assert_int_equal(report.projected, 1);
  assert_at_most(1e-4, world_distance(&w, w.z, &always, always.z));
  world_close(&w);
  world_close(&always);
}

/* Keeps the first message of an error, which is the one that says what is wrong. */
static PetscErrorCode keep_message(MPI_Comm comm, int line, const char *function, const char *file, PetscErrorCode code,
                                   PetscErrorType type, const char *message, void *context)
{
  (void)comm, (void)line, (void)function, (void)file;
  if (type == PETSC_ERROR_INITIAL && message) snprintf(context, 400, "%s", message);
  return code;
}

static void test_adaptive_is_refused_where_nobody_would_tell(void)
{
  for (size_t b = 0; b < sb_linear_backend_count(); ++b) {
    const sb_linear_backend *backend = sb_linear_backend_at(b);
    if (backend->missing || backend->traits & SB_DETECTS_INDEFINITE) continue;
    if (world_ranks() > 1 && backend->traits & SB_SERIAL_ONLY) continue;
    world w;
    char  message[400] = "";
    world_open_bare(&w, PETSC_COMM_WORLD, "scene=cloth;grid=2;h=0.01;hessian=adaptive;linear=%s", backend->name);
    OK(PetscPushErrorHandler(keep_message, message));
    const PetscErrorCode code = sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer);
    OK(PetscPopErrorHandler());
    assert_int_equal(code, PETSC_ERR_USER);
    assert_null(w.minimizer);
    assert_non_null(strstr(message, "hessian 'adaptive'"));
    assert_non_null(strstr(message, backend->name));
    assert_non_null(strstr(message, "choices: cholesky"));
    world_close(&w);
  }
}

/* An indefinite matrix that nobody reports gives a step uphill: the line search says so and z stays. */
static void test_line_search_finds_no_descent(void)
{
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_SELF,
             "scene=oscillator;amplitude=-0.4;initial_velocity=[0,3,0];h=1;start=previous;"
             "hessian=exact;step=armijo;linear=petsc;petsc=-ksp_type preonly -pc_type lu");
  world_minimize(&w, &report);
  assert_int_equal(report.linear_outcome, SB_SOLVED);
  assert_false(report.converged);
  assert_int_equal(report.iterations, 0);
  assert_non_null(strstr(report.reason, "no descent"));
  assert_at_most(world_distance(&w, w.z, &w, w.x), 0);
  world_close(&w);
}

PETSC_TEST_MAIN(test_sharp_indefiniteness, test_own_hessian, test_projection_acts_on_compressed_springs_only,
                test_adaptive_on_a_sheet, test_projection_spring_by_spring, test_progressive_on_a_sheet,
                test_progressive_spares_some, test_adaptive_is_refused_where_nobody_would_tell,
                test_line_search_finds_no_descent)
