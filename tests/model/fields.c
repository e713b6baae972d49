/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Acceleration fields: values by hand, potentials, sums, forces on a system, and what is refused at the start. */
#include "model/forces/field.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/system/external.h"
#include "tests/model/support.h"
#include "tests/petsc_tests.h"

enum { QUADRATURE = 400, MANY = 9003, GUARD = 2048 };

static sb_field *field_of(const char *wind)
{
  char pairs[256];
  snprintf(pairs, sizeof pairs, "wind=%s", wind);
  sb_options *options = sb_test_options(pairs);
  sb_field   *field = NULL;
  assert_true(sb_field_create(options, &field));
  sb_options_destroy(&options); /* the field keeps what it needs */
  return field;
}

/* One value of every kind, at (0.5, -1.5, 2) and t = 0.25, worked out by hand. */
typedef struct {
  const char *wind;
  double      expected[3];
} sample;

static const sample samples[] = {
    {"uniform:acceleration=[1,-2,3]", {1, -2, 3}},
    {"centrifugal:rate=10", {5, -15, 0}},
    {"centrifugal:rate=-4,centre=[1,0.5,9]", {2, 8, 0}},
    /* from (0.5, -1.5, 2) to (0.5, -1.5, 0): 8/2^2 down */
    {"attractor:strength=8,centre=[0.5,-1.5,0]", {0, 0, -2}},
    /* 4 m away along x, softened by 3: r/(r^2 + s^2)^(3/2) = 4/125 */
    {"attractor:strength=250,centre=[4.5,-1.5,2],softening=3", {8, 0, 0}},
    {"attractor:strength=-250,centre=[4.5,-1.5,2],softening=3", {-8, 0, 0}},
    {"attractor:strength=1,centre=[0.5,-1.5,2],softening=1", {0, 0, 0}},
    /* 2 m away from a ball of radius 1: 8/2^2; half its radius from the centre of one of radius 4: 8/4^3 * 2 */
    {"ball:strength=8,centre=[0.5,-1.5,0],radius=1", {0, 0, -2}},
    {"ball:strength=8,centre=[0.5,-1.5,0],radius=4", {0, 0, -0.25}},
    {"ball:strength=-8,centre=[2.5,-1.5,2],radius=2", {-2, 0, 0}},
    {"expression:x=x*y,z=8*t+z^2", {-0.75, 0, 6}},
    {"uniform:acceleration=[1,0,0];centrifugal:rate=2;expression:z=t", {2, -3, 0.25}},
};

static void values_are_those_worked_out(void)
{
  const double place[3] = {0.5, -1.5, 2};
  for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i) {
    sb_field *field = field_of(samples[i].wind);
    double    a[3] = {-77, -77, -77};
    sb_field_evaluate(field, 0.25, 1, place, a);
    for (int c = 0; c < 3; ++c) assert_within(a[c], samples[i].expected[c], 1e-14);
    sb_field_destroy(&field);
    assert_null(field);
  }
}

static void every_kind_has_a_sample_and_a_description(void)
{
  assert_true(sb_field_kind_count() >= 4);
  for (size_t k = 0; k < sb_field_kind_count(); ++k) {
    const sb_form *form = &sb_field_kind_at(k)->form;
    const size_t   length = strlen(form->name);
    bool           found = false;
    for (size_t i = 0; i < sizeof samples / sizeof *samples; ++i)
      found = found || (strncmp(samples[i].wind, form->name, length) == 0 && samples[i].wind[length] == ':');
    if (!found) print_error("no sample of %s\n", form->name);
    assert_true(found);
    assert_true(strlen(form->summary) > 10);
    for (size_t p = 0; p < form->parts; ++p) assert_true(strlen(form->part[p].sentence) > 3);
  }
}

static void no_wind_is_no_field(void)
{
  assert_null(field_of("none"));
  sb_options *options = sb_options_create(NULL);
  sb_field   *field = NULL;
  assert_true(sb_field_create(options, &field));
  assert_null(field);
  sb_options_destroy(&options);
}

/* Work round a tilted ellipse that encircles the axis and passes the attractor: the trapezoidal rule converges
 * exponentially on a closed smooth curve. */
static double circulation(const char *wind)
{
  sb_field *field = field_of(wind);
  double    work = 0.0;
  for (int i = 0; i < QUADRATURE; ++i) {
    const double s = 2.0 * M_PI * i / QUADRATURE, ds = 2.0 * M_PI / QUADRATURE;
    const double x[3] = {0.3 + 2.0 * cos(s), -0.2 + sin(s), 0.5 + 0.7 * cos(s) + 0.4 * sin(2.0 * s)};
    const double d[3] = {-2.0 * sin(s), cos(s), -0.7 * sin(s) + 0.8 * cos(2.0 * s)};
    double       a[3];
    sb_field_evaluate(field, 0.0, 1, x, a);
    work += (a[0] * d[0] + a[1] * d[1] + a[2] * d[2]) * ds;
  }
  sb_field_destroy(&field);
  return work;
}

static void potential_fields_do_no_work_round_a_loop(void)
{
  assert_within(circulation("uniform:acceleration=[1,2,3]"), 0.0, 1e-12);
  assert_within(circulation("centrifugal:rate=10,centre=[0.1,0.4,0]"), 0.0, 1e-11);
  assert_within(circulation("attractor:strength=3,centre=[0.2,0.1,0.3]"), 0.0, 1e-11);
  assert_within(circulation("attractor:strength=3,centre=[0,0,0],softening=0.5"), 0.0, 1e-11);
  assert_within(circulation("ball:strength=3,centre=[0.2,0.1,0.3],radius=0.1"), 0.0, 1e-11);
  assert_within(circulation("ball:strength=3,centre=[0.2,0.1,0.3],radius=9"), 0.0, 1e-11);
  /* a whirl does: twice the area of the ellipse seen from above, pi 2 1, checks the check */
  assert_within(circulation("expression:x=-y,y=x"), 4.0 * M_PI, 1e-12);
}

/* strength/r at both ends of a path: the attractor's work is the difference of its potential. */
static void attractors_work_is_their_potential(void)
{
  sb_field *field = field_of("attractor:strength=3,centre=[1,0,0],softening=0.25");
  double    work = 0.0;
  /* Simpson's rule along x = 2 + s, s in [0, 4] */
  for (int i = 0; i <= QUADRATURE; ++i) {
    const double x[3] = {2.0 + 4.0 * i / QUADRATURE, 0, 0};
    double       a[3];
    sb_field_evaluate(field, 0.0, 1, x, a);
    work += a[0] * (i == 0 || i == QUADRATURE ? 1.0 : i % 2 ? 4.0 : 2.0) * 4.0 / (3.0 * QUADRATURE);
  }
  assert_within(work, 3.0 / sqrt(25.0 + 0.0625) - 3.0 / sqrt(1.0 + 0.0625), 1e-8);
  sb_field_destroy(&field);
}

/* Blocks of vertices meet without a seam. */
static void many_vertices_are_as_single_ones(void)
{
  const char *const winds[] = {"expression:x=sin(x)*y,y=z-t,z=x^3", "centrifugal:rate=2;expression:y=x*t"};
  double           *x = calloc(3 * (MANY + GUARD), sizeof *x), *a = calloc(3 * (MANY + GUARD), sizeof *a);
  assert_true(x && a);
  for (size_t k = 0; k < 3 * (MANY + GUARD); ++k) x[k] = sb_random_unit(5, k);
  for (size_t w = 0; w < sizeof winds / sizeof *winds; ++w) {
    sb_field *field = field_of(winds[w]);
    for (size_t k = 0; k < 3 * MANY; ++k) a[k] = NAN;
    sb_field_evaluate(field, 0.7, MANY, x, a);
    for (size_t k = 3 * MANY; k < 3 * (MANY + GUARD); ++k) assert_true(a[k] == 0.0);
    for (size_t i = 0; i < MANY; i += 3) {
      double one[3];
      sb_field_evaluate(field, 0.7, 1, x + 3 * i, one);
      assert_memory_equal(one, a + 3 * i, sizeof one);
    }
    sb_field_destroy(&field);
  }
  free(x);
  free(a);
}

/* Builds a system from pairs and gives its rank's positions at the start. */
static sb_system *system_of(const char *pairs, sb_pose *pose, const double **position)
{
  sb_options *options = sb_test_scene(pairs, pose);
  sb_system  *system = NULL;
  assert_int_equal(sb_system_create(PETSC_COMM_WORLD, pose, options, &system), 0);
  sb_options_destroy(&options);
  *position = pose->position + 3 * (size_t)system->first_vertex;
  return system;
}

/* On a sheet at rest: m rate (x, y, 0) on free vertices, added to what was there; nothing on pinned ones. */
static void centrifugal_forces_at_rest(void)
{
  sb_pose       pose = {0};
  const double *x = NULL;
  sb_system    *system = system_of("scene=cloth grid=5 total_mass=2 wind=centrifugal:rate=10", &pose, &x);
  double       *force = malloc(3 * (size_t)(system->owned + system->ghosts) * sizeof *force);
  assert_non_null(force);
  assert_true(sb_system_has_external(system));
  for (PetscInt k = 0; k < 3 * system->owned; ++k) force[k] = 0.5;
  assert_int_equal(sb_system_add_external(system, 0.0, x, force), 0);
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double pull = system->pinned[i] ? 0.0 : system->mass[i] * 10.0;
    assert_within(force[3 * i], 0.5 + pull * x[3 * i], 1e-15);
    assert_within(force[3 * i + 1], 0.5 + pull * x[3 * i + 1], 1e-15);
    assert_within(force[3 * i + 2], 0.5, 0.0);
  }
  free(force);
  assert_int_equal(sb_system_destroy(&system), 0);
  sb_pose_clear(&pose);
}

/* Steps of Stoermer's rule with nothing but the field: x+ = 2x - x- + h^2 a(x, t), x- from rest. */
static void fly(const sb_system *system, const double *start, int steps, double h, double *x)
{
  const size_t n = 3 * (size_t)system->owned;
  double      *before = malloc((n + 1) * sizeof *before), *force = malloc((n + 1) * sizeof *force);
  assert_true(before && force);
  memcpy(x, start, n * sizeof *x);
  memcpy(before, start, n * sizeof *before);
  for (int s = 0; s < steps; ++s) {
    memset(force, 0, n * sizeof *force);
    assert_int_equal(sb_system_add_external(system, s * h, x, force), 0);
    for (size_t k = 0; k < n; ++k) {
      const double a = force[k] / system->mass[k / 3];
      const double after = s == 0 ? x[k] + 0.5 * h * h * a : 2.0 * x[k] - before[k] + h * h * a;
      before[k] = x[k];
      x[k] = after;
    }
  }
  free(before);
  free(force);
}

/* A free net in a uniform field falls by a t^2/2, which the rule gives to rounding; in one that grows as 6 t by
 * t^3 - h^2 t, the exact solution of the rule's recursion. So position, time and mass enter as they should. */
static void free_nets_follow_the_closed_form(void)
{
  const char *const winds[] = {"uniform:acceleration=[1,-2,0.5]", "expression:x=6*t,y=-12*t,z=3*t"};
  const double      factor[3] = {1, -2, 0.5}, h = 0.01, t = 1.0;
  for (int w = 0; w < 2; ++w) {
    char          pairs[256];
    sb_pose       pose = {0};
    const double *start = NULL;
    snprintf(pairs, sizeof pairs, "scene=cloth grid=4 pins=none gravity=[0,0,0] total_mass=3 wind=%s", winds[w]);
    sb_system *system = system_of(pairs, &pose, &start);
    double    *x = malloc(3 * (size_t)system->owned * sizeof *x);
    assert_non_null(x);
    fly(system, start, 100, h, x);
    for (PetscInt k = 0; k < 3 * system->owned; ++k)
      assert_within(x[k] - start[k], factor[k % 3] * (w ? t * t * t - h * h * t : 0.5 * t * t), 1e-12);
    free(x);
    assert_int_equal(sb_system_destroy(&system), 0);
    sb_pose_clear(&pose);
  }
}

static void fields_without_a_value_at_the_start(void)
{
  sb_test_built("scene=cloth grid=2 wind=attractor:strength=1",
                "case:3:1: error: wind has no finite value at vertex 4 at the start, at (0, 0, 0): it is (nan, nan, "
                "nan) there [E214]");
  sb_test_built("scene=cloth grid=2 wind=expression:y=1/x",
                "case:3:1: error: wind has no finite value at vertex 1 at the start, at (0, -1, 0): it is (0, inf, 0) "
                "there [E214]");
  sb_test_built("scene=cloth grid=2 wind=uniform:acceleration=[0,0,1];expression:z=sqrt(y)",
                "case:3:1: error: wind has no finite value at vertex 0 at the start, at (-1, -1, 0): it is (0, 0, "
                "nan) there [E214]");
  /* near, softened or later is another matter: the run will show */
  sb_test_built("scene=cloth grid=2 wind=attractor:strength=1,centre=[0,0,1e-9]", NULL);
  sb_test_built("scene=cloth grid=2 wind=attractor:strength=1,softening=0.1", NULL);
  sb_test_built("scene=cloth grid=2 wind=expression:z=1/(t-1)", NULL);
}

static void refused_value(const char *pair, const char *expected)
{
  char *message = sb_test_refusal(pair);
  if (!strstr(message, expected)) print_error("%s\n", message);
  assert_non_null(strstr(message, expected));
  free(message);
}

static void values_that_are_no_fields(void)
{
  refused_value("wind=atractor:strength=1", "unknown wind 'atractor'; did you mean 'attractor'?");
  refused_value("wind=uniform", "uniform needs acceleration, acceleration; uniform has acceleration ([x,y,z] m/s^2)");
  refused_value("wind=centrifugal:rate=1,center=[0,0,0]", "centrifugal has no part 'center'; did you mean 'centre'?");
  refused_value("wind=attractor:strength=1,softening=-1",
                "softening of attractor is out of range (allowed: [0,1e9] m)");
  refused_value("wind=expression:y=foo(x)",
                "case:3:1: error: option 'wind': expression: y: 'foo' at character 1 of 'foo(x)' is not a number, "
                "variable (x, y, z, t), function or operator [E106]");
  refused_value("wind=expression:z=x=1", "expression: z: '=' at character 2 of 'x=1' is an assignment; equality is ==");
}

PETSC_TEST_MAIN(values_are_those_worked_out, every_kind_has_a_sample_and_a_description, no_wind_is_no_field,
                potential_fields_do_no_work_round_a_loop, attractors_work_is_their_potential,
                many_vertices_are_as_single_ones, centrifugal_forces_at_rest, free_nets_follow_the_closed_form,
                fields_without_a_value_at_the_start, values_that_are_no_fields)
