/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Self-contact by a barrier: its part of g, its matrix, and nets that fold, crumple and are caught between pins without
 * that two triangles ever cut each other, judged by brute force over all pairs of triangles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/contact/pair_finder.h"
#include "model/system/barrier_matrix.h"
#include "tests/minimize/world.h"
#include "tests/model/intersections.h"
#include "tests/sample.h"

/* A sheet of 2 m of which one edge is carried over to the opposite one in 2 s, above a plane. */
#define FOLD                                                                                                           \
  "scene=cloth;stiffness=100;pins=first_edge;damping_rate=1;self_contact=barrier;gradient_tolerance=auto;"             \
  "integrator=implicit_euler;contact=penalty;contact_implicit=true;collider=plane:point=[0,0,0];"                      \
  "pin_path=expression:y=t<2?1-cos(1.5707963267948966*t):2,z=t<2?sin(1.5707963267948966*t)+0.04*t:0.08"

static int64_t cuts(const world *w, Vec x)
{
  const double *position;
  OK(VecGetArrayRead(x, &position));
  const int64_t count = sb_test_pierced(w->pose.triangles, w->pose.triangle, position);
  OK(VecRestoreArrayRead(x, &position));
  return count;
}

static size_t near_pairs(const world *w, Vec x)
{
  const sb_near_pair *near;
  const double       *position;
  size_t              count;
  OK(VecGetArrayRead(x, &position));
  assert_true(sb_barrier_find(w->system->barrier, position, &count, &near));
  OK(VecRestoreArrayRead(x, &position));
  return count;
}

/* Each iterate of a step: g never rises, nothing cuts. */
typedef struct {
  const world *w;
  double       value;
  int          seen;
} witness;

static PetscErrorCode watch(void *context, PetscInt k, Vec z, bool *stop)
{
  witness *seen = context;
  double   value;
  (void)stop;
  OK(sb_potential_value(seen->w->potential, z, &value));
  if (k > 0) assert_at_most(value, seen->value + 1e-12 * fabs(seen->value));
  assert_int_equal(cuts(seen->w, z), 0);
  seen->value = value;
  seen->seen++;
  return 0;
}

static void test_iterates_descend_and_do_not_cut(void)
{
  world              w;
  sb_minimize_report report;
  witness            seen = {.w = &w};
  if (world_ranks() > 1) skip();
  world_open(&w, PETSC_COMM_WORLD, FOLD ";grid=6;thickness=0.16;h=0.1");
  OK(sb_minimizer_set_monitor(w.minimizer, watch, &seen));
  for (int step = 0; step < 25; ++step) world_step(&w, &report);
  assert_in_range(seen.seen, 50, 2500);
  assert_in_range(near_pairs(&w, w.x), 20, 2000);
  world_close(&w);
}

/* After every step, until the edge has been at rest for half a second. */
static void fold(int grid, double thickness, double h)
{
  world              w;
  sb_minimize_report report;
  const int          steps = (int)lround(2.5 / h), every = steps < 50 ? 1 : 10;
  size_t             pairs = 0;
  world_open(&w, PETSC_COMM_WORLD, FOLD ";grid=%d;thickness=%.17g;h=%.17g", grid, thickness, h);
  sb_pair_finder *finder = sb_pair_finder_create(w.system->surface);
  assert_non_null(finder);
  for (int step = 1; step <= steps; ++step) {
    const double *position;
    world_step(&w, &report);
    if (!sb_outcome_accepted(report.linear_outcome) || report.blocked)
      fail_msg("grid %d, thickness %g, h %g, step %d, %d iterations: %s", grid, thickness, h, step,
               (int)report.iterations, report.reason);
    OK(VecGetArrayRead(w.x, &position));
    assert_int_equal(sb_pair_finder_intersections(finder, position), 0);
    OK(VecRestoreArrayRead(w.x, &position));
    if (step % every == 0) assert_int_equal(cuts(&w, w.x), 0);
    pairs = near_pairs(&w, w.x) > pairs ? near_pairs(&w, w.x) : pairs;
  }
  assert_in_range(pairs, 10, 100000); /* the layers did meet */
  sb_pair_finder_destroy(&finder);
  world_close(&w);
}

static void test_folded_sheets_do_not_cut(void)
{
  static const int grids[] = {6, 9, 13};
  if (world_ranks() > 1) skip();
  for (int g = 0; g < (SB_SAMPLES ? 2 : 3); ++g)
    for (int part = 2; part <= 4; part *= 2) {
      fold(grids[g], 2.0 / grids[g] / part, 0.1);
      fold(grids[g], 2.0 / grids[g] / part, 0.02);
    }
}

/* The four corners are drawn together under a sheet that noise has made uneven. */
static void test_crumpled_sheet_does_not_cut(void)
{
  world              w;
  sb_minimize_report report;
  if (world_ranks() > 1) skip();
  world_open(
      &w, PETSC_COMM_WORLD,
      "scene=cloth;grid=10;stiffness=100;pins=corners4;damping_rate=1;self_contact=barrier;thickness=0.08;h=0.05;"
      "gradient_tolerance=auto;perturbation=0.005;pin_path=expression:x=-0.45*x*t,y=-0.45*y*t,z=0.3*x*y*t");
  for (int step = 1; step <= 40; ++step) {
    world_step(&w, &report);
    assert_true(sb_outcome_accepted(report.linear_outcome) && !report.blocked);
    assert_int_equal(cuts(&w, w.x), 0);
  }
  assert_in_range(near_pairs(&w, w.x), 10, 100000);
  world_close(&w);
}

/* A pinned vertex is carried over to a face whose corners are pinned, and through it: there is no way. */
static void test_pins_without_a_way_are_blocked(void)
{
  world              w;
  sb_minimize_report report = {0};
  int                step = 0;
  if (world_ranks() > 1) skip();
  world_open(&w, PETSC_COMM_WORLD,
             "scene=cloth;grid=6;gravity=[0,0,0];pins=0,1,7,8,41;self_contact=barrier;thickness=0.15;h=0.1;"
             "gradient_tolerance=auto;pin_path=expression:x=x>0?-1.8*(t<1?t:1):0,y=x>0?-1.4*(t<1?t:1):0,"
             "z=x>0?(t<1?0.3*t:0.6-0.3*t):0");
  while (step < 30 && !report.blocked) {
    world_step(&w, &report);
    assert_int_equal(cuts(&w, w.z), 0);
    ++step;
  }
  assert_int_equal(step, 20); /* 2 s: the vertex would be in the face */
  assert_false(report.converged);
  world_close(&w);
}

/* A state in which layers are near each other, between two steps. */
static void open_folded(world *w, const char *more)
{
  sb_minimize_report report;
  world_open(w, PETSC_COMM_WORLD, FOLD ";grid=6;thickness=0.16;h=0.05;%s", more);
  for (int step = 0; step < 40; ++step) world_step(w, &report);
  OK(sb_potential_set_state(w->potential, w->steps * w->h, w->x, w->v));
  assert_in_range(near_pairs(w, w->x), 20, 2000);
}

/* One iteration from x with this tolerance of steps; how far it went. */
static double go_once(world *w, double tolerance, sb_minimize_report *report)
{
  char            pairs[3][60];
  double          moved;
  sb_minimizer   *other;
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  snprintf(pairs[0], sizeof pairs[0], "step_tolerance=%.17g", tolerance);
  snprintf(pairs[1], sizeof pairs[1], "max_iterations=1");
  snprintf(pairs[2], sizeof pairs[2], "start=previous");
  for (int k = 0; k < 3; ++k)
    assert_true(sb_options_set_pair(w->options, pairs[k], SB_FROM_USER, (sb_location){.file = "test"}, diagnostics));
  sb_diagnostics_destroy(&diagnostics);
  OK(sb_minimizer_create(w->system, w->options, w->h, "", &other));
  OK(sb_potential_set_state(w->potential, w->steps * w->h, w->x, w->v));
  OK(sb_minimizer_run(other, w->potential, w->z, report));
  OK(sb_minimizer_destroy(&other));
  OK(VecAXPY(w->z, -1, w->x));
  OK(VecNorm(w->z, NORM_INFINITY, &moved));
  return moved;
}

/* The upper layer is thrown at the lower one: of the step, which would lead through it, a small part is taken, and that
 * it is small is no sign of a minimum. */
static void test_short_parts_of_steps_are_no_end(void)
{
  world              w;
  sb_minimize_report report;
  const double      *position;
  double            *velocity;
  if (world_ranks() > 1) skip();
  open_folded(&w, "");
  OK(VecGetArrayRead(w.x, &position));
  OK(VecGetArray(w.v, &velocity));
  for (PetscInt i = 0; i < w.system->owned; ++i)
    if (position[3 * i + 2] > 0.05 && !w.system->pinned[i]) velocity[3 * i + 2] = -20;
  OK(VecRestoreArray(w.v, &velocity));
  OK(VecRestoreArrayRead(w.x, &position));
  const double moved = go_once(&w, 1e-9, &report);
  assert_at_most(moved, 0.3); /* of 1 m */
  assert_at_most(fabs(go_once(&w, 2 * moved, &report) - moved), 0);
  assert_int_equal(report.iterations, 1);
  assert_false(report.blocked || report.converged);
  world_close(&w);
}

/* z + e times a smooth direction, in `moved`; and the direction over unknowns. */
static void displace(const world *w, double e, Vec direction, Vec moved)
{
  double *value;
  OK(VecGetArrayWrite(direction, &value));
  for (PetscInt k = 0; k < 3 * w->system->owned_unknown; ++k) value[k] = sin(1.7 * k);
  OK(VecRestoreArrayWrite(direction, &value));
  OK(VecCopy(w->x, moved));
  OK(sb_system_add_unknowns(w->system, e, direction, moved));
}

static void test_gradient_and_matrix(void)
{
  world              w;
  Vec                direction, moved, before, product;
  Mat                base, sum;
  sb_barrier_matrix *barrier;
  double             value[2], slope, curvature[2];
  bool               is_new;
  const double       e = 1e-7;
  if (world_ranks() > 1) skip();
  open_folded(&w, "");
  OK(sb_system_create_unknowns(w.system, &direction));
  OK(sb_system_create_unknowns(w.system, &before));
  OK(sb_system_create_unknowns(w.system, &product));
  OK(VecDuplicate(w.x, &moved));
  for (int side = 0; side < 2; ++side) { /* differences of g and of its gradient */
    displace(&w, side ? e : -e, direction, moved);
    OK(sb_potential_value(w.potential, moved, &value[side]));
    OK(sb_potential_gradient(w.potential, moved, side ? product : before));
  }
  OK(VecAXPY(product, -1, before));
  OK(VecDot(direction, product, &curvature[0]));
  curvature[0] /= 2 * e;
  OK(sb_potential_gradient(w.potential, w.x, before));
  OK(VecDot(before, direction, &slope));
  assert_at_most(fabs((value[1] - value[0]) / (2 * e) - slope), 1e-6 * fabs(slope));
  OK(sb_system_create_block_matrix(w.system, &base));
  OK(sb_barrier_matrix_create(w.system, &barrier));
  OK(sb_potential_hessian(w.potential, SB_HESSIAN_EXACT, w.x, base));
  OK(sb_barrier_matrix_add(barrier, w.x, base, &sum, &is_new));
  assert_true(is_new);
  OK(MatMult(sum, direction, product));
  OK(VecDot(direction, product, &curvature[1]));
  assert_at_most(curvature[0], curvature[1] + 1e-5 * fabs(curvature[0])); /* the omitted part is negative */
  PetscBool symmetric;
  OK(MatIsSymmetric(sum, 0, &symmetric));
  assert_true(symmetric);
  OK(sb_barrier_matrix_add(barrier, w.x, base, &sum, &is_new));
  assert_false(is_new); /* the same pairs */
  OK(sb_barrier_matrix_destroy(&barrier));
  OK(MatDestroy(&base));
  OK(VecDestroy(&direction));
  OK(VecDestroy(&before));
  OK(VecDestroy(&product));
  OK(VecDestroy(&moved));
  world_close(&w);
}

/* The matrix of a pin method has the rows that it asks for, and the pins get to their place by g too. */
static void test_pin_methods_meet(void)
{
  static const char *const methods[] = {"pin_method=reduce", "pin_method=row_replace;linear=lu",
                                        "pin_method=penalty;pin_weight=1e9"};
  world                    w[3];
  sb_minimize_report       report;
  if (world_ranks() > 1) skip();
  for (int m = 0; m < 3; ++m) {
    world_open(&w[m], PETSC_COMM_WORLD, FOLD ";grid=6;thickness=0.16;h=0.05;step_tolerance=1e-10;%s", methods[m]);
    for (int step = 0; step < 36; ++step) world_step(&w[m], &report);
    assert_true(report.converged);
  }
  assert_in_range(near_pairs(&w[0], w[0].x), 10, 2000);
  assert_at_most(world_distance(&w[0], w[0].x, &w[1], w[1].x), 1e-6);
  assert_at_most(world_distance(&w[0], w[0].x, &w[2], w[2].x), 1e-4);
  for (int m = 0; m < 3; ++m) world_close(&w[m]);
}

PETSC_TEST_MAIN(test_iterates_descend_and_do_not_cut, test_folded_sheets_do_not_cut, test_crumpled_sheet_does_not_cut,
                test_pins_without_a_way_are_blocked, test_short_parts_of_steps_are_no_end, test_gradient_and_matrix,
                test_pin_methods_meet)
