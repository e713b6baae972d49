/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact of surfaces: what starts without a cut stays without, under every explicit integrator, by a test of edges
 * against triangles that shares nothing with the filter; what the filter does keeps momentum and loses energy; and
 * where there is no way, the case says so. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/external.h"
#include "tests/model/intersections.h"
#include "tests/sample.h"

static int64_t count_cuts(const sb_trial *trial)
{
  return sb_test_pierced(trial->pose.triangles, trial->pose.triangle, trial->position);
}

/* Folds the sheet of edge 2 in two about the y axis, half a circle of radius number[0] between the layers, and sets the
 * upper one going by number[1 … 3]. */
static void fold(sb_pose *pose, const double *number)
{
  const double radius = number[0], around = 0.5 * acos(-1) * radius;
  for (size_t i = 0; i < pose->vertices; ++i) {
    double      *x = pose->position + 3 * i;
    const double s = x[0];
    if (s > around) {
      x[0] = -(s - around);
      x[2] = 2 * radius;
    } else if (s > -around) {
      x[0] = radius * cos(s / radius);
      x[2] = radius + radius * sin(s / radius);
    } else {
      x[0] = s + around;
      x[2] = 0;
    }
    for (size_t c = 0; c < 3 && s > -around; ++c) pose->velocity[3 * i + c] = number[1 + c];
  }
}

static sb_contact_measures measures_of(const sb_trial *trial)
{
  sb_contact_measures measures;
  sb_must(sb_system_contact_measures(trial->system, &measures));
  return measures;
}

static bool takes_part(const sb_variant *variant) { return !(variant->method->traits & SB_MINIMIZES); }

/* On large grids: a kick and a drift, a recurrence of positions, stages, and projections. */
static bool stands_for_all(const sb_variant *variant)
{
  return sb_variant_is(variant, "symplectic_euler") || sb_variant_is(variant, "stoermer_verlet") ||
         sb_variant_is(variant, "rk4") || sb_variant_is(variant, "position_verlet");
}

typedef struct {
  const char *name, *pairs;
  int         grid;
  double      part; /* the thickness, of the spacing */
  double      h;
  int         steps;
  int         few; /* of these, in a sample: layers meet within them */
  double      fold[4];
} throw;

static int steps_of(const throw *t) { return SB_SAMPLES ? t->few : t->steps; }

static void open_throw(sb_trial *trial, const throw *t, const sb_variant *variant, const char *self_contact)
{
  char pairs[800];
  snprintf(pairs, sizeof pairs, "scene=cloth grid=%d pins=none self_contact=%s thickness=%.17g %s %s", t->grid,
           self_contact, t->part * 2 / t->grid, t->pairs, variant->pairs);
  sb_trial_open(trial, PETSC_COMM_WORLD, t->h, pairs, fold, t->fold);
}

/* The most cuts after any step; the run may leave its bounds, as explicit Euler's does, which ends the promise. */
static int64_t most_cuts(sb_trial *trial, int steps)
{
  int64_t most = 0;
  for (int step = 0; step < steps; ++step) {
    sb_trial_advance(trial, 1);
    if (trial->report.status != SB_OK) break;
    const int64_t cuts = count_cuts(trial);
    if (cuts > most) most = cuts;
  }
  return most;
}

#define CRUMPLED "wind=attractor:strength=2000,centre=[-0.3,0.1,0.2],softening=0.3"
#define CORNERED                                                                                                       \
  "gravity=[0,0,-300] contact=cancel_velocity friction=0.3 "                                                           \
  "collider=plane:point=[0,0,-0.1];plane:point=[-0.9,0,0],normal=[1,0.2,0]"
static const throw throws[] = {
    {"thrown", "gravity=[0,0,0]", 10, 0.5, 5e-4, 30, 12, {0.2, 3, 0, -300}},
    {"thrown", "gravity=[0,0,0]", 20, 0.25, 2.5e-4, 30, 12, {0.1, 3, 0, -300}},
    {"thrown", "gravity=[0,0,0]", 30, 0.25, 2e-4, 8, 8, {0.07, 3, 0, -300}},
    {"crumpled", CRUMPLED " perturbation=0.01", 10, 0.4, 1e-3, 100, 30, {0.2, 0, 0, 0}},
    {"crumpled", CRUMPLED " perturbation=0.005", 20, 0.25, 5e-4, 40, 40, {0.1, 0, 0, 0}},
    {"cornered", CORNERED, 10, 0.5, 1e-3, 60, 60, {0.2, -20, 0, -20}},
    {"cornered", CORNERED, 20, 0.25, 5e-4, 60, 30, {0.1, -20, 0, -20}},
};

/* Layers that meet at several thicknesses a step, that are drawn into a heap, that are driven into a corner; the same
 * cut themselves where nothing keeps them. All of the filter's means are needed for it. */
static void never_cuts(void)
{
  int64_t strikes = 0, zones = 0;
  for (size_t k = 0; k < sizeof throws / sizeof *throws; ++k)
    for (size_t i = 0; i < sb_variant_count(); ++i) {
      const throw *t = &throws[k];
      const sb_variant variant = sb_variant_at(i, "");
      char             label[100];
      sb_trial         trial;
      if (!takes_part(&variant) || (t->grid > 10 && !stands_for_all(&variant))) continue;
      if (!sb_variant_is(&variant, "symplectic_euler") && !sb_makes_trial(i + k, 5)) continue;
      snprintf(label, sizeof label, "%s, grid %d, %s", t->name, t->grid, variant.label);
      open_throw(&trial, t, &variant, "surfaces");
      const int64_t cuts = most_cuts(&trial, steps_of(t));
      if (cuts > 0) print_error("%s: %lld cuts\n", label, (long long)cuts);
      sb_holds(label, "no triangle cuts another", cuts == 0);
      sb_holds(label, "a way", trial.report.status == SB_OK || trial.report.status == SB_CASE_DIVERGED);
      strikes += measures_of(&trial).strikes;
      zones += measures_of(&trial).zones;
      sb_trial_close(&trial);
      if (!sb_variant_is(&variant, "symplectic_euler")) continue;
      open_throw(&trial, t, &variant, "none");
      sb_holds(label, "something to keep apart", most_cuts(&trial, steps_of(t)) > 0);
      sb_trial_close(&trial);
    }
  print_message("%lld strikes, %lld zones\n", (long long)strikes, (long long)zones);
  assert_true(strikes > 1000 && zones > 10);
}

/* Impulses and zones are inside the net: of a free step in which nothing else acts on it (springs do) both momenta
 * stay, in so far as the method keeps them itself; that of friction, too. Angular momentum asks for a step along the
 * velocity that an impulse changes. */
static void momentum_is_kept(void)
{
  for (size_t k = 1; k < 3; ++k)
    for (size_t i = 0; i < sb_variant_count(); ++i) {
      throw t = throws[k];
      const sb_variant variant = sb_variant_at(i, "friction=0.3");
      sb_energies      before, after;
      sb_trial         trial;
      if (!takes_part(&variant) || variant.method->traits & SB_PROJECTS_LENGTHS || !sb_makes_trial(i + k, 2)) continue;
      open_throw(&trial, &t, &variant, "surfaces");
      sb_must(sb_system_energies(trial.system, trial.x, trial.v, &before));
      sb_trial_advance(&trial, steps_of(&t));
      sb_must(sb_system_energies(trial.system, trial.x, trial.v, &after));
      const double scale = sqrt(2 * before.kinetic);
      sb_holds(variant.label, "impulses", measures_of(&trial).strikes > 5);
      for (int c = 0; c < 3; ++c) {
        sb_near(variant.label, "momentum", after.momentum[c], before.momentum[c], 1e-11 * scale);
        if (variant.method->traits & SB_CONSERVES_ANGULAR_MOMENTUM && !sb_variant_is(&variant, "stoermer_verlet") &&
            !sb_variant_is(&variant, "petsc_ts"))
          sb_near(variant.label, "angular momentum", after.angular_momentum[c], before.angular_momentum[c],
                  1e-9 * scale);
      }
      sb_trial_close(&trial);
    }
}

/* Pairs that are kept from step to step do not change the motion: another integrator, or one step per call, repeats a
 * run to the bit. */
static void goes_on_to_the_bit(void)
{
  const throw *t = &throws[3];
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    sb_trial         whole, first, second;
    Vec              memory[SB_MEMORIES_MAX];
    if (!takes_part(&variant) || !sb_makes_trial(i, 4)) continue;
    open_throw(&whole, t, &variant, "surfaces");
    open_throw(&first, t, &variant, "surfaces");
    open_throw(&second, t, &variant, "surfaces");
    const size_t bytes = 3 * whole.vertices * sizeof(double), memories = sb_integrator_memories(whole.integrator);
    sb_trial_advance(&whole, 40);
    for (int step = 0; step < 27; ++step) sb_trial_advance(&first, 1);
    memcpy(second.position, first.position, bytes);
    memcpy(second.velocity, first.velocity, bytes);
    sb_trial_write(&second);
    second.step = first.step;
    for (size_t m = 0; m < memories; ++m) {
      sb_must(sb_system_create_full(first.system, &memory[m]));
      sb_must(sb_integrator_save(first.integrator, m, memory[m]));
    }
    sb_must(sb_integrator_recall(second.integrator, second.step, second.x, second.v, memory));
    for (size_t m = 0; m < memories; ++m) sb_must(VecDestroy(&memory[m]));
    sb_trial_advance(&second, 13);
    sb_holds(variant.label, "contact", measures_of(&whole).self_pairs > 0);
    sb_holds(variant.label, "places to the bit", memcmp(whole.position, second.position, bytes) == 0);
    sb_holds(variant.label, "velocities to the bit", memcmp(whole.velocity, second.velocity, bytes) == 0);
    sb_trial_close(&whole);
    sb_trial_close(&first);
    sb_trial_close(&second);
  }
}

/* The first and the last row are pinned and change places, with the sheet between them: the run ends with a reason, and
 * with a state that does not cut itself. */
static void no_way_is_said(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(
        i, "scene=cloth grid=4 gravity=[0,0,0] self_contact=surfaces thickness=0.1 pins=[0,1,2,3,4,20,21,22,23,24] "
           "pin_path=expression:y=-2*y*t");
    sb_trial trial;
    if (!takes_part(&variant) || !sb_makes_trial(i, 3)) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 1e-3, variant.pairs, NULL, NULL);
    sb_trial_advance(&trial, 600);
    sb_holds(variant.label, "ended unresolved", trial.report.status == SB_CASE_CONTACT_UNRESOLVED);
    sb_holds(variant.label, "when both would be there", trial.step > 300 && trial.step < 501);
    sb_holds(variant.label, "a reason", strstr(trial.report.reason, "cannot be kept from") != NULL);
    sb_holds(variant.label, "a step", strncmp(trial.report.reason, "step ", 5) == 0);
    assert_int_equal(count_cuts(&trial), 0);
    sb_trial_close(&trial);
  }
}

static double kinetic_of(const sb_variant *variant, const char *contact)
{
  char        pairs[600];
  sb_energies energies;
  sb_trial    trial;
  snprintf(pairs, sizeof pairs, "%s scene=cloth grid=6 pins=corners4 pin_path=expression:x=-2*x*t,y=-2*y*t %s",
           variant->pairs, contact);
  sb_trial_open(&trial, PETSC_COMM_WORLD, 1e-3, pairs, NULL, NULL);
  sb_trial_advance(&trial, 490);
  sb_must(sb_system_energies(trial.system, trial.x, trial.v, &energies));
  sb_trial_close(&trial);
  return energies.kinetic;
}

/* If pins draw corners together, layers meet next to the pinned vertices, and the lever of the pins does not throw them
 * off. */
static void closing_pins_throw_nothing(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    if (!takes_part(&variant) || variant.method->traits & SB_PROJECTS_LENGTHS) continue;
    const double with = kinetic_of(&variant, "self_contact=surfaces thickness=0.1"), without = kinetic_of(&variant, "");
    sb_holds(variant.label, "no more motion than without contact, but for chance", with < 2 * without);
  }
}

/* A net that cuts itself where the filter begins is not made free by it, nor is it said to be. */
static void cut_from_the_start(void)
{
  const sb_variant variant = sb_variant_at(1, "scene=cloth grid=6 pins=none self_contact=surfaces thickness=0.05");
  const double     folded[4] = {0.2, 0, 0, 0};
  sb_trial         trial;
  assert_true(takes_part(&variant));
  sb_trial_open(&trial, PETSC_COMM_WORLD, 1e-3, variant.pairs, fold, folded);
  for (size_t i = 0; i < trial.vertices; ++i) trial.position[3 * i + 2] *= trial.position[3 * i + 1] + 0.1;
  sb_trial_write(&trial);
  assert_true(count_cuts(&trial) > 0);
  sb_trial_advance(&trial, 3);
  assert_int_equal(trial.report.status, SB_CASE_CONTACT_UNRESOLVED);
  assert_int_equal(trial.step, 0);
  assert_non_null(strstr(trial.report.reason, "intersect at the start"));
  sb_trial_close(&trial);
}

/* A pinned vertex, faster and faster, and before it a free one. */
static void make_pusher(sb_pose *pose, const double *number)
{
  (void)number;
  assert_true(sb_pose_allocate(pose, 3));
  pose->position[3] = 0.05;
  pose->position[6] = 100;
  pose->pinned[0] = pose->pinned[2] = true;
  assert_true(sb_pose_add_spring(pose, 0, 2, 1, SB_STRUCTURAL));
}

/* A vertex that touches a moving pin moves as the pin moves in this step, not as it moved in the last one. */
static void pins_push_as_they_go(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "self_contact=vertices thickness=0.1 pins=[0] pin_path=expression:x=8*t^2 gravity=[0,0,0]");
    sb_trial trial;
    if (!takes_part(&variant) || sb_variant_is(&variant, "explicit_euler")) continue;
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.01, variant.pairs, make_pusher, NULL);
    sb_trial_advance(&trial, 10);
    sb_near(variant.label, "distance", trial.position[3] - trial.position[0], 0.05, 1e-12);
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(never_cuts, momentum_is_kept, goes_on_to_the_bit, no_way_is_said, cut_from_the_start,
                pins_push_as_they_go, closing_pins_throw_nothing)
