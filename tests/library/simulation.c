/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library through its header alone: arrays, steps, states, measures, several simulations, hostile arguments,
 * memory. */
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "library/springbench.h"
#include "tests/cmocka_all.h"

enum { SIDE = 6, VERTICES = SIDE * SIDE };

static sb_sim *made(sb_sim *sim)
{
  assert_non_null(sim);
  if (sb_sim_error(sim)) fail_msg("%s", sb_sim_error(sim));
  return sim;
}

static void expect_error(sb_sim *sim, const char *part)
{
  const char *error = sb_sim_error(sim);
  if (!error || !strstr(error, part)) fail_msg("'%s' lacks '%s'", error ? error : "(no error)", part);
  assert_int_equal(sb_sim_advance(sim, 1, NULL), SB_SIM_FAILED);
  assert_non_null(sb_sim_error(sim));
  assert_null(sb_sim_net(sim));
  sb_sim_free(sim);
}

static void get(sb_sim *sim, double *x, double *v) { assert_int_equal(sb_sim_get(sim, x, v), SB_SIM_OK); }

/* A net made of the arrays of a scene is that scene: every step has the same bits. */
static void a_net_of_a_scenes_arrays_is_the_scene(void)
{
  static const char *const methods[] = {"integrator=symplectic_euler h=0.002",
                                        "integrator=implicit_euler minimizer=newton h=0.01",
                                        "integrator=implicit_euler minimizer=local_global h=0.01"};
  for (size_t i = 0; i < sizeof methods / sizeof *methods; ++i) {
    char line[256];
    snprintf(line, sizeof line, "scene=cloth grid=5 contact=none %s", methods[i]);
    sb_sim *scene = made(sb_sim_from_scene(line));
    sb_net  arrays = *sb_sim_net(scene);
    double  of_scene[2][3 * VERTICES], of_net[2][3 * VERTICES];
    assert_int_equal(arrays.vertices, VERTICES);
    sb_sim *net = made(sb_sim_from_net(&arrays, methods[i]));
    assert_int_equal(sb_sim_advance(scene, 20, NULL), SB_SIM_OK);
    assert_int_equal(sb_sim_advance(net, 7, NULL), SB_SIM_OK);
    assert_int_equal(sb_sim_advance(net, 13, NULL), SB_SIM_OK);
    get(scene, of_scene[0], of_scene[1]);
    get(net, of_net[0], of_net[1]);
    assert_memory_equal(of_scene, of_net, sizeof of_net);
    assert_true(of_net[1][3 * 14 + 2] < -0.1); /* it fell */
    sb_sim_free(scene);
    sb_sim_free(net);
  }
}

/* Simulations that take turns are those that are alone. */
static void simulations_do_not_touch_each_other(void)
{
  static const char *const lines[] = {
      "scene=cloth grid=5 integrator=implicit_euler minimizer=lbfgs h=0.01",
      "scene=rope integrator=rk4 h=0.0005",
      "scene=cloth grid=5 integrator=implicit_euler minimizer=local_global linear=petsc h=0.01 "
      "petsc='-ksp_type cg -pc_type jacobi'",
      "scene=cloth grid=5 integrator=implicit_euler minimizer=newton linear=petsc petsc='-ksp_type cg -pc_type icc' "
      "h=0.01",
      "scene=cloth grid=5 integrator=implicit_euler minimizer=petsc_nonlinear h=0.01 "
      "petsc_nonlinear='-snes_type newtontr'",
      "scene=cloth grid=5 integrator=implicit_euler minimizer=petsc_nonlinear h=0.01",
      "scene=cloth grid=5 integrator=implicit_euler minimizer=petsc_nonlinear h=0.01 petsc_nonlinear='-tao_type lmvm'",
      "scene=cloth grid=5 integrator=petsc_ts petsc_ts='-ts_type rk -ts_rk_type 3bs' h=0.0005",
      "scene=cloth grid=5 integrator=petsc_ts petsc_ts='-ts_type rk -ts_rk_type 4' h=0.0005"};
  enum { COUNT = sizeof lines / sizeof *lines };
  sb_sim       *turns[COUNT];
  static double alone[COUNT][3 * VERTICES], together[3 * VERTICES];
  for (size_t i = 0; i < COUNT; ++i) {
    sb_sim *sim = made(sb_sim_from_scene(lines[i]));
    assert_true(sb_sim_net(sim)->vertices <= VERTICES);
    assert_int_equal(sb_sim_advance(sim, 10, NULL), SB_SIM_OK);
    get(sim, alone[i], NULL);
    sb_sim_free(sim);
  }
  for (size_t i = 0; i < COUNT; ++i) turns[i] = made(sb_sim_from_scene(lines[i]));
  for (int step = 0; step < 10; ++step)
    for (size_t i = 0; i < COUNT; ++i)
      if (sb_sim_advance(turns[i], 1, NULL) != SB_SIM_OK) fail_msg("%s: %s", lines[i], sb_sim_error(turns[i]));
  for (size_t i = 0; i < COUNT; ++i) {
    get(turns[i], together, NULL);
    if (memcmp(alone[i], together, 3 * sb_sim_net(turns[i])->vertices * sizeof(double)) != 0) fail_msg("%s", lines[i]);
    sb_sim_free(turns[i]);
  }
}

/* A mass on a spring, from arrays: after one period of sqrt(m/k) it is where it began; energy and momentum are known.
 */
static void an_oscillator_is_the_formulas(void)
{
  const double  pi = acos(-1), position[] = {0, 0, 0, 1.1, 0, 0}, mass[] = {1, 4}, stiffness[] = {100}, rest[] = {1};
  const int32_t ends[] = {0, 1};
  const uint8_t pinned[] = {1, 0};
  const sb_net  net = {.vertices = 2,
                       .springs = 1,
                       .position = position,
                       .mass = mass,
                       .ends = ends,
                       .stiffness = stiffness,
                       .rest_length = rest,
                       .pinned = pinned};
  char          line[128];
  double        x[6], v[6], value;
  const double  period = 2 * pi * sqrt(mass[1] / stiffness[0]);
  snprintf(line, sizeof line, "integrator=rk4 gravity=[0,0,0] h=%.17g", period / 1000);
  sb_sim *sim = made(sb_sim_from_net(&net, line));
  assert_int_equal(sb_sim_measure(sim, "energy_elastic", &value), SB_SIM_OK);
  assert_true(fabs(value - (0.5)) <= 1e-15);
  assert_int_equal(sb_sim_advance(sim, 250, NULL), SB_SIM_OK); /* a quarter: through the rest length, at full speed */
  get(sim, x, v);
  assert_true(fabs(x[3] - (1)) <= 1e-9);
  assert_true(fabs(v[3] - (-0.1 * sqrt(stiffness[0] / mass[1]))) <= 1e-9);
  assert_int_equal(sb_sim_measure(sim, "momentum_x", &value), SB_SIM_OK);
  assert_true(fabs(value - (-4 * 0.5)) <= 1e-8);
  assert_int_equal(sb_sim_advance(sim, 750, NULL), SB_SIM_OK);
  get(sim, x, NULL);
  assert_true(fabs(x[3] - (1.1)) <= 1e-9);
  assert_int_equal(sb_sim_measure(sim, "time", &value), SB_SIM_OK);
  assert_true(fabs(value - (period)) <= 1e-12);
  /* Set: the pinned vertex stays, the other starts anew. */
  assert_int_equal(sb_sim_set(sim, (const double[]){9, 9, 9, 1, 0, 0}, (const double[]){7, 7, 7, 0, 0, 2}), SB_SIM_OK);
  get(sim, x, v);
  assert_true(fabs(x[0] - (0)) <= 0);
  assert_true(fabs(v[0] - (0)) <= 0);
  assert_true(fabs(x[3] - (1)) <= 0);
  assert_int_equal(sb_sim_measure(sim, "energy_total", &value), SB_SIM_OK);
  assert_true(fabs(value - (8)) <= 1e-12);
  sb_sim_free(sim);
}

/* Steps that end early say why, and go on from a new state. */
static void a_step_that_is_too_long_diverges(void)
{
  sb_sim_report report;
  sb_sim       *sim = made(sb_sim_from_scene("scene=rope stiffness=1e9 h=0.01"));
  const size_t  bytes = 3 * sb_sim_net(sim)->vertices * sizeof(double);
  double       *x = malloc(bytes), *v = calloc(1, bytes);
  get(sim, x, NULL);
  assert_int_equal(sb_sim_advance(sim, 1000, &report), SB_SIM_DIVERGED);
  assert_in_range(report.steps_done, 1, 100);
  assert_non_null(strstr(sb_sim_error(sim), "from the centre of mass"));
  assert_int_equal(sb_sim_advance(sim, 1, NULL), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_save(sim, "never.h5"), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_record(sim), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_configure(sim, "h=0.001"), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_pin(sim, 1, &(int32_t){3}), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_move(sim, 1, &(int32_t){0}, x), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_set_forces(sim, v), SB_SIM_REFUSED);
  assert_non_null(strstr(sb_sim_error(sim), "call sb_sim_set before this"));
  assert_int_equal(sb_sim_set(sim, x, v), SB_SIM_OK);
  assert_null(sb_sim_error(sim));
  assert_int_equal(sb_sim_advance(sim, 1, &report), SB_SIM_OK);
  assert_int_equal(report.steps_done, 1);
  free(x);
  free(v);
  sb_sim_free(sim);
}

/* Every argument that cannot be is text, never an end of the process. */
static void hostile_arguments_are_text(void)
{
  static const struct {
    const char *options, *error;
  } scenes[] = {{NULL, "no scene is given"},
                {"scene=tapestry", "options:1: error: "},
                {"scene=cloth stifness=1", "did you mean 'stiffness'"},
                {"scene=cloth h=nan", "finite number"},
                {"scene=cloth grid=4000000000", "options:2: error: "},
                {"scene=cloth grid=5 grid=6", "'grid' is given twice"},
                {"scene=cloth 'grid=5", "a quote is not closed"},
                {"scene=cloth duration=1", "sb_sim_advance"},
                {"scene=cloth ranks=2", "belongs to the command line"},
                {"scene=cloth integrator=rk4 minimizer=newton", "is not read"},
                {"scene=cloth integrator=isph", "options:2: error: "},
                {"scene=net", "arrays"},
                {"scene=mesh mesh=/nonexistent.obj", "nonexistent.obj"},
                {"scene=cloth integrator=implicit_euler linear=petsc petsc='-ksp_type nonsense'", "nonsense"},
                {"= ==", "options:1: error: "}};
  const double  x[] = {0, 0, 0, 1, 0, 0}, bad[] = {0, 0, NAN, 1, 0, 0}, zero[] = {0, 1};
  const int32_t ends[] = {0, 1}, far[] = {0, 2}, same[] = {1, 1}, below[] = {-1, 0};
  const struct {
    sb_net      net;
    const char *options, *error;
  } nets[] = {
      {{.vertices = 0}, "", "counts go from 1"},
      {{.vertices = (size_t)-1, .position = x}, "", "counts go from 1"},
      {{.vertices = 2}, "vertex_mass=1", "position is NULL"},
      {{.vertices = 2, .springs = 1, .position = x}, "vertex_mass=1 stiffness=1", "ends is NULL"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = far}, "vertex_mass=1 stiffness=1", "joins vertex 2"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = below}, "vertex_mass=1 stiffness=1", "vertex -1"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = same}, "vertex_mass=1 stiffness=1", "with itself"},
      {{.vertices = 2, .springs = 1, .position = bad, .ends = ends}, "vertex_mass=1 stiffness=1", "net: error: z"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = ends, .velocity = bad},
       "vertex_mass=1 stiffness=1",
       "velocity of vertex 0"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = ends}, "stiffness=1", "mass is NULL"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = ends}, "vertex_mass=1", "stiffness is NULL"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = ends, .mass = zero}, "stiffness=1", "the mass 0"},
      {{.vertices = 2, .springs = 1, .position = x, .ends = ends, .mass = x + 3},
       "stiffness=1 total_mass=1",
       "leave out the option 'total_mass'"},
      {{.vertices = 2, .triangles = 1, .position = x}, "vertex_mass=1", "triangle is NULL"}};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i)
    expect_error(sb_sim_from_scene(scenes[i].options), scenes[i].error);
  for (size_t i = 0; i < sizeof nets / sizeof *nets; ++i)
    expect_error(sb_sim_from_net(&nets[i].net, nets[i].options), nets[i].error);
  expect_error(sb_sim_from_net(NULL, ""), "counts go from 1");
  expect_error(sb_sim_load(NULL), "sb_sim_load");
  assert_int_equal(sb_sim_configure(NULL, ""), SB_SIM_FAILED);
  assert_int_equal(sb_sim_pin(NULL, 0, NULL), SB_SIM_FAILED);
  assert_int_equal(sb_sim_move(NULL, 0, NULL, NULL), SB_SIM_FAILED);
  assert_int_equal(sb_sim_set_forces(NULL, NULL), SB_SIM_FAILED);
  assert_int_equal(sb_sim_record(NULL), SB_SIM_FAILED);
  assert_int_equal(sb_sim_advance(NULL, 1, NULL), SB_SIM_FAILED);
  assert_int_equal(sb_sim_set(NULL, NULL, NULL), SB_SIM_FAILED);
  assert_int_equal(sb_sim_get(NULL, NULL, NULL), SB_SIM_FAILED);
  assert_non_null(sb_sim_error(NULL));
  sb_sim_free(NULL);
}

/* The same of calls; the simulation goes on. */
static void hostile_calls_change_nothing(void)
{
  double  value, copy[3 * VERTICES];
  sb_sim *sim = made(sb_sim_from_scene("scene=cloth grid=5"));
  assert_int_equal(sb_sim_advance(sim, -1, NULL), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_advance(sim, INT64_MAX, NULL), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_measure(sim, "speed", &value), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_measure(sim, NULL, &value), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_measure(sim, "time", NULL), SB_SIM_REFUSED);
  get(sim, copy, NULL);
  copy[5] = INFINITY;
  assert_int_equal(sb_sim_set(sim, copy, NULL), SB_SIM_REFUSED);
  assert_non_null(strstr(sb_sim_error(sim), "position of vertex 1"));
  assert_int_equal(sb_sim_save(sim, NULL), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_configure(sim, "'h"), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_pin(sim, 1, NULL), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_unpin(sim, 1, &(int32_t){-1}), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_move(sim, 1, &(int32_t){VERTICES}, copy), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_move(sim, 1, &(int32_t){0}, NULL), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_set_forces(sim, copy), SB_SIM_REFUSED);
  assert_non_null(strstr(sb_sim_error(sim), "force on vertex 1"));
  assert_int_equal(sb_sim_save(sim, "/dev/null"), SB_SIM_REFUSED);
  assert_int_equal(sb_sim_advance(sim, 1, NULL), SB_SIM_OK);
  assert_null(sb_sim_error(sim));
  sb_sim_free(sim);
}

static void lists_and_measures_end_with_null(void)
{
  size_t scenes = 0, measures = 0;
  while (sb_sim_list_name("scenes", scenes)) {
    assert_true(strlen(sb_sim_list_summary("scenes", scenes)) > 0);
    ++scenes;
  }
  assert_true(scenes > 10 && !sb_sim_list_summary("scenes", scenes));
  assert_null(sb_sim_list_name("nothing", 0));
  assert_null(sb_sim_list_name(NULL, 0));
  while (sb_sim_measure_name(measures)) assert_non_null(sb_sim_measure_unit(measures++));
  assert_true(measures > 10 && !sb_sim_measure_unit(measures));
}

static size_t bytes_in_use(void)
{
  const struct mallinfo2 now = mallinfo2();
  return now.uordblks + now.hblkhd;
}

static void live_once(int i)
{
  static const char *const lines[] = {
      "scene=rope nodes=8", "scene=cloth grid=3 integrator=implicit_euler",
      ("scene=cloth grid=3 integrator=implicit_euler minimizer=local_global linear=petsc "
       "petsc='-ksp_type cg -pc_type icc'"),
      "scene=cloth stifness=1"};
  sb_sim *sim = sb_sim_from_scene(lines[i % 4]);
  assert_int_equal(sb_sim_advance(sim, 2, NULL), i % 4 == 3 ? SB_SIM_FAILED : SB_SIM_OK);
  if (i % 40 < 2) { /* calls that replace parts of a simulation */
    double force[3 * VERTICES] = {1};
    assert_int_equal(sb_sim_record(sim), SB_SIM_OK);
    assert_int_equal(sb_sim_set_forces(sim, force), SB_SIM_OK);
    assert_int_equal(sb_sim_pin(sim, 1, &(int32_t){3}), SB_SIM_OK);
    assert_int_equal(sb_sim_configure(sim, "gravity=[0,0,-1]"), SB_SIM_OK);
    assert_int_equal(sb_sim_configure(sim, "gravity=1"), SB_SIM_REFUSED);
    assert_int_equal(sb_sim_record(sim), SB_SIM_OK);
    assert_int_equal(sb_sim_advance(sim, 1, NULL), SB_SIM_OK);
  }
  sb_sim_free(sim);
}

/* Neither memory nor anything that only the end of the process frees grows. A table that grows once does not grow in
 * each of three rounds. SB_LIVES: more lives, by hand. */
static void a_thousand_lives_leave_nothing(void)
{
  const char *number = getenv("SB_LIVES");
  const int   lives = number ? atoi(number) : 1000;
  size_t      grown = SIZE_MAX;
  for (int i = 0; i < 400; ++i) live_once(i); /* tables of PETSc */
  for (int round = 0; round < 3 && grown > 4096; ++round) {
    const size_t before = bytes_in_use();
    for (int i = 0; i < lives; ++i) live_once(i);
    const size_t after = bytes_in_use();
    grown = after > before ? after - before : 0;
  }
  if (grown > 4096) fail_msg("%zu bytes more after %d lives", grown, lives);
}

TEST_MAIN(a_net_of_a_scenes_arrays_is_the_scene, simulations_do_not_touch_each_other, an_oscillator_is_the_formulas,
          a_step_that_is_too_long_diverges, hostile_arguments_are_text, hostile_calls_change_nothing,
          lists_and_measures_end_with_null, a_thousand_lives_leave_nothing)
