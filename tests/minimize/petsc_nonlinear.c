/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PETSc's nonlinear solvers on our g: many of them, each with its own way, reach the minimum that Newton's method has;
 * the front's rules end their loops; what is no option of theirs is refused. */
#include "tests/minimize/world.h"

#include <math.h>
#include <string.h>

#define MILD "scene=cloth;grid=4;stiffness=100;h=0.01;perturbation=0.02;initial_velocity=[0.5,0,-2]"
#define MINE MILD ";minimizer=petsc_nonlinear"

static const struct {
  const char *text;
  bool        serial;
} solvers[] = {
    {"", false},
    {"-snes_type newtonls -snes_linesearch_type l2", false},
    {"-snes_type newtonls -ksp_type cg -pc_type jacobi -ksp_rtol 1e-8", false},
    {"-snes_type newtontr", false},
    {"-snes_type qn", false},
    {"-snes_type ngmres -npc_snes_type newtonls -npc_snes_max_it 1 -npc_snes_linesearch_type basic -npc_ksp_type cg "
     "-npc_pc_type jacobi",
     false},
    {"-snes_type anderson -npc_snes_type newtonls -npc_snes_max_it 1 -npc_snes_linesearch_type basic -npc_ksp_type cg "
     "-npc_pc_type jacobi",
     false},
    {"-tao_type nls", true},
    {"-tao_type ntr", true},
    {"-tao_type lmvm", false},
    {"-tao_type bncg", false},
    {"-tao_type bqnls", false}, /* the last: gradient_reached */
};

/* bqnls looks for a step by values of g alone, whose rounding hides what is left from |G| = sqrt(eps g m/h^2) on: with
 * some processors' order of sums it stands still at 3e-9 N. */
static double gradient_reached(size_t i) { return i + 1 == sizeof solvers / sizeof *solvers ? 1e-8 : 1e-9; }

/* To 1e-8 of the motion of a step, which is some 2e-2 m. */
static void test_all_reach_newtons_minimum(void)
{
  world              reference;
  sb_minimize_report report;
  world_open(&reference, PETSC_COMM_SELF, MILD ";linear=cholesky;max_iterations=12");
  world_minimize(&reference, &report);
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; ++i) {
    world w;
    if (solvers[i].serial && world_ranks() > 1) continue;
    world_open(&w, PETSC_COMM_WORLD, MINE ";petsc_nonlinear=%s;gradient_tolerance=%g;max_iterations=2000",
               solvers[i].text, gradient_reached(i));
    world_minimize(&w, &report);
    if (!report.converged)
      fail_msg("'%s': %s, |G| = %g after %d", solvers[i].text, report.reason, report.gradient_norm,
               (int)report.iterations);
    assert_at_most(report.gradient_norm, gradient_reached(i));
    assert_at_most(world_distance(&w, w.z, &reference, reference.z), 2e-10);
    world_close(&w);
  }
  world_close(&reference);
}

/* One step after another, each with another start. */
static void test_steps_follow_steps(void)
{
  world              mine, newton;
  sb_minimize_report report;
  world_open(&newton, PETSC_COMM_WORLD, MILD ";minimizer=newton;gradient_tolerance=1e-10");
  world_open(&mine, PETSC_COMM_WORLD, MINE ";gradient_tolerance=1e-10");
  for (int step = 0; step < 5; ++step) {
    world_step(&newton, &report);
    world_step(&mine, &report);
    if (!report.converged) fail_msg("step %d: %s, |G| = %g", step, report.reason, report.gradient_norm);
    assert_at_most(world_distance(&mine, mine.x, &newton, newton.x), 1e-10);
  }
  world_close(&mine);
  world_close(&newton);
}

typedef struct {
  const world *w;
  PetscInt     next, stop_at;
  double       value;
} witness;

static PetscErrorCode watch(void *context, PetscInt k, Vec z, bool *stop)
{
  witness *s = context;
  assert_int_equal(k, s->next++);
  OK(sb_potential_value(s->w->potential, z, &s->value));
  *stop = k == s->stop_at;
  return 0;
}

/* Every iterate is seen once; a limit and a monitor end the loop where they say; z is the iterate that was seen last.
 */
static void test_the_front_ends_the_loop(void)
{
  static const char *const texts[] = {"", "-tao_type lmvm", "-snes_type qn", "-snes_type newtontr", "-tao_type bncg"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    for (int limited = 0; limited < 2; ++limited) {
      world              w;
      witness            s = {&w, 0, limited ? -1 : 3, 0};
      sb_minimize_report report;
      double             value;
      world_open(&w, PETSC_COMM_WORLD, MINE ";petsc_nonlinear=%s;gradient_tolerance=0;max_iterations=%d", texts[i],
                 limited ? 4 : 100);
      OK(sb_minimizer_set_monitor(w.minimizer, watch, &s));
      world_minimize(&w, &report);
      assert_int_equal(report.iterations, limited ? 4 : 3);
      assert_int_equal(s.next, report.iterations + 1);
      OK(sb_potential_value(w.potential, w.z, &value));
      assert_at_most(fabs(value - s.value), 1e-13 * fabs(value));
      world_close(&w);
    }
}

static int open_with(const char *text, char message[400])
{
  world          w;
  PetscErrorCode failed;
  world_open_bare(&w, PETSC_COMM_WORLD, MINE ";max_iterations=3;gradient_tolerance=0");
  sb_options_set(w.options, SB_ID(petsc_nonlinear), text, SB_FROM_USER, (sb_location){0}, NULL);
  OK(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
  failed = sb_minimizer_create(w.system, w.options, w.h, "", &w.minimizer);
  if (!failed) {
    sb_minimize_report report;
    OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
    failed = sb_minimizer_run(w.minimizer, w.potential, w.z, &report);
  }
  const char *general;
  char       *specific;
  if (failed) PetscErrorMessage(failed, &general, &specific);
  snprintf(message, 400, "%s", failed ? specific : "");
  OK(PetscPopErrorHandler());
  world_close(&w);
  return (int)failed;
}

static void test_what_nobody_reads_is_refused(void)
{
  char message[400];
  assert_int_equal(open_with("-snes_type nosuch", message), PETSC_ERR_USER);
  assert_non_null(strstr(message, "nosuch"));
  assert_int_equal(open_with("-tao_type nosuch", message), PETSC_ERR_USER);
  assert_int_equal(open_with("-snes_type newtonls -snes_ngmres_m 4", message), PETSC_ERR_USER);
  assert_non_null(strstr(message, "no object read -snes_ngmres_m"));
  assert_int_equal(open_with("-snes_type newtonls -snes_linesearch_order 2", message), 0);
}

/* Lengths by 2^3, times by 2^-2, masses by 2^5, all exact. Iterates are then equal to the bit, but for numbers in
 * PETSc's solvers that have a unit. */
static void test_units_do_not_matter(void)
{
  static const char *const units[] = {
      "extent=1;total_mass=1;stiffness=100;h=0.01;perturbation=0.02;initial_velocity=[0.5,0,-2];gravity=[0,0,-10]",
      "extent=8;total_mass=32;stiffness=51200;h=0.0025;perturbation=0.16;initial_velocity=[16,0,-64];"
      "gravity=[0,0,-1280]"};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; ++i) {
    world              w[2];
    sb_minimize_report report[2];
    if (solvers[i].serial && world_ranks() > 1) continue;
    for (int k = 0; k < 2; ++k) {
      world_open(&w[k], PETSC_COMM_WORLD,
                 "scene=cloth;grid=4;%s;minimizer=petsc_nonlinear;petsc_nonlinear=%s;"
                 "gradient_tolerance=%s;max_iterations=2000",
                 units[k], solvers[i].text, k ? "4.096e-3" : "1e-6");
      world_minimize(&w[k], &report[k]);
    }
    if (report[0].iterations != report[1].iterations)
      fail_msg("'%s': %d and %d iterations", solvers[i].text, (int)report[0].iterations, (int)report[1].iterations);
    OK(VecScale(w[1].z, 0.125));
    const double apart = world_distance(&w[0], w[0].z, &w[1], w[1].z);
    if (!(apart <= 1e-14)) fail_msg("'%s': %g m apart", solvers[i].text, apart);
    world_close(&w[0]);
    world_close(&w[1]);
  }
}

/* A large, slow rope, whose first iterates are near the minimum: the slope is tiny over the rope's length and
 * stiffness. */
static void test_near_the_minimum_of_a_large_net(void)
{
  world              w;
  sb_minimize_report report;
  world_open(&w, PETSC_COMM_SELF,
             "scene=rope;nodes=16;h=0.0333;minimizer=petsc_nonlinear;max_iterations=60;gradient_tolerance=1e-7");
  for (int step = 0; step < 8; ++step) {
    world_step(&w, &report);
    if (!report.converged) fail_msg("step %d: %s", step, report.reason);
  }
  world_close(&w);
}

PETSC_TEST_MAIN(test_near_the_minimum_of_a_large_net, test_all_reach_newtons_minimum, test_steps_follow_steps,
                test_the_front_ends_the_loop, test_units_do_not_matter, test_what_nobody_reads_is_refused)
