/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact's place in the step: what rests does not creep, what flies does not enter, what bounces keeps its energy,
 * what is inside is counted, and momentum is kept inside the net. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/system/external.h"
#include "solvers/minimize/minimizer_method.h"
#include "tests/model_vocabulary.h"

/* One free vertex at number[0..2] with velocity number[3..5], far from a pinned one that no spring reaches it from. */
static void make_point(sb_pose *pose, const double *number)
{
  assert_true(sb_pose_allocate(pose, 3));
  for (int c = 0; c < 3; ++c) {
    pose->position[c] = number[c];
    pose->velocity[c] = number[3 + c];
    pose->position[3 + c] = 100 + c;
    pose->position[6 + c] = 100 - c;
  }
  pose->pinned[1] = pose->pinned[2] = true;
  assert_true(sb_pose_add_spring(pose, 1, 2, 1, SB_STRUCTURAL));
}

static void open_point(sb_trial *trial, double h, const sb_variant *variant, const char *more, const double number[6])
{
  char pairs[640];
  snprintf(pairs, sizeof pairs, "%s %s", variant->pairs, more);
  sb_trial_open(trial, PETSC_COMM_WORLD, h, pairs, make_point, number);
}

static sb_contact_measures measures_of(const sb_trial *trial)
{
  sb_contact_measures measures;
  sb_must(sb_system_contact_measures(trial->system, &measures));
  return measures;
}

static bool filters_before_the_force(const sb_variant *variant)
{
  return sb_variant_is(variant, "explicit_euler") || variant->method->traits & SB_ENDS_AT_MINIMUM;
}

static bool is_recurrence(const sb_variant *variant) { return variant->method->traits & SB_PROJECTS_LENGTHS; }

#define PLANE "gravity=[0,0,-9.8] contact=cancel_velocity collider=plane:point=[0,0,0] "

/* Lying on the plane for 10^4 steps: it does not move at all where the filter stands between force and position. */
static void resting_vertex(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const int64_t    steps = 10000;
    sb_trial         trial;
    if (filters_before_the_force(&variant)) continue;
    open_point(&trial, 0.01, &variant, PLANE, (double[]){0.5, 0, 0, 0, 0, 0});
    sb_trial_advance(&trial, steps);
    sb_near(variant.label, "z at rest", trial.position[2], 0, 1e-12);
    assert_true(trial.position[0] == 0.5);
    sb_near(variant.label, "v at rest", trial.velocity[2], 0, 1e-12); /* v+ is filtered, too */
    sb_near(variant.label, "penetration", measures_of(&trial).penetration_max, 0, 1e-12);
    sb_trial_close(&trial);
  }
}

/* Thrown at the plane, it stops above it, whatever the step: never inside. */
static void flying_vertex(void)
{
  static const double steps_of[] = {0.001, 0.01, 0.1};
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    for (size_t n = 0; n < 3; ++n) {
      sb_trial trial;
      if (filters_before_the_force(&variant)) continue;
      open_point(&trial, steps_of[n], &variant, PLANE, (double[]){0, 0, 1, 0.5, 0, -3});
      for (int k = 0; k < 100; ++k) {
        sb_trial_advance(&trial, 10);
        sb_holds(variant.label, "it stays outside", trial.position[2] >= -1e-12);
      }
      sb_holds(variant.label, "it came down", (double)trial.step * steps_of[n] < 0.5 || trial.position[2] < 0.5);
      sb_near(variant.label, "penetration", measures_of(&trial).penetration_max, 0, 1e-12);
      assert_true(trial.position[0] > 0.4 * (double)trial.step * steps_of[n]); /* without friction it slides on */
      sb_trial_close(&trial);
    }
  }
}

/* Without gravity: the speed after is e times the speed before. */
static void bounce(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,0,0] contact=cancel_velocity collider=plane:point=[0,0,0]");
    sb_trial         trial;
    open_point(&trial, 0.01, &variant, "restitution=0.5", (double[]){0, 0, 0.105, 1, 0, -1});
    sb_trial_advance(&trial, 40);
    sb_near(variant.label, "v_z after the bounce", trial.velocity[2], 0.5, 1e-12);
    sb_near(variant.label, "v_x after the bounce", trial.velocity[0], 1, 1e-12);
    sb_near(variant.label, "x", trial.position[0], 0.4, 1e-12);
    sb_holds(variant.label, "it stays outside", measures_of(&trial).penetration_max == 0);
    sb_trial_close(&trial);
  }
}

/* A spring of the plane: z'' = -k_c z/m while z < 0, so that it leaves after half a period, at the speed it came with.
 */
static void penalty_is_a_spring(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "gravity=[0,0,0] contact=penalty collider=plane:point=[0,0,0] contact_stiffness=100");
    const double h = 0.0001, depth = 0.1;
    sb_trial     trial;
    if (variant.method->traits & SB_PROJECTS_LENGTHS) continue;
    const bool stages = sb_variant_has_stages(&variant);
    if (stages && !strstr(variant.pairs, "newton")) continue; /* it has no penalty in its potential */
    open_point(&trial, h, &variant, stages ? "contact_implicit=true" : "", (double[]){0, 0, 0.01, 0, 0, -1});
    sb_trial_advance(&trial, 3242); /* 0.01 s of flight and pi/10 s inside */
    sb_near(variant.label, "penetration", measures_of(&trial).penetration_max, depth, 2e-3);
    sb_near(variant.label, "z at the end", trial.position[2], 0, 2e-3);
    assert_int_equal(measures_of(&trial).vertices_inside, trial.position[2] < 0);
    sb_trial_advance(&trial, 200);
    sb_near(variant.label, "v_z after", trial.velocity[2], 1, 2e-2);
    assert_int_equal(measures_of(&trial).vertices_inside, 0);
    sb_trial_close(&trial);
  }
}

/* Measures look at every step: the deepest is between the frames. */
static void measures_are_of_every_step(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,0,0] contact=cancel_velocity collider=plane:point=[0,0,0]");
    sb_trial         trial;
    open_point(&trial, 0.01, &variant, "", (double[]){0, 0, -0.5, 0, 0, 1});
    sb_trial_advance(&trial, 100);
    sb_near(variant.label, "penetration", measures_of(&trial).penetration_max, 0.49, 1e-12);
    assert_int_equal(measures_of(&trial).vertices_inside, 0);
    sb_trial_close(&trial);
  }
}

/* A plane that moves up carries what lies on it. */
static void moving_collider(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, PLANE "collider_path=linear:velocity=[0,0,0.5]");
    sb_trial         trial;
    if (filters_before_the_force(&variant)) continue;
    open_point(&trial, 0.01, &variant, "", (double[]){0, 0, 0, 0, 0, 0});
    sb_trial_advance(&trial, 200);
    sb_near(variant.label, "z", trial.position[2], 1, 1e-9);
    sb_near(variant.label, "penetration", measures_of(&trial).penetration_max, 0, 1e-9);
    sb_trial_close(&trial);
  }
}

/* Forms of contact that have friction with this variant, the i-th; NULL after the last. */
static const char *rubbing_contact(const sb_variant *variant, size_t i)
{
  static const char *const contacts[] = {"contact=cancel_velocity", "contact=combined contact_stiffness=10000",
                                         "contact=penalty contact_stiffness=1000",
                                         "contact=penalty contact_stiffness=1000 contact_implicit=true",
                                         "contact=combined contact_stiffness=1000 contact_implicit=true"};
  sb_options              *options = sb_options_create(model_vocabulary());
  char                     name[64] = "newton";
  assert_non_null(options);
  const char *minimizer = strstr(variant->pairs, "minimizer=");
  if (minimizer) sscanf(minimizer, "minimizer=%63s", name);
  sb_options_set(options, SB_ID(minimizer), name, SB_FROM_USER, (sb_location){0}, NULL);
  const bool   inside = sb_minimizer_traits(options) & SB_IMPLICIT_CONTACT;
  const size_t count = is_recurrence(variant) || sb_variant_has_stages(variant) ? 1
                       : !(variant->method->traits & SB_MINIMIZES)              ? 2
                       : inside                                                 ? 5
                                                                                : 3;
  sb_options_destroy(&options);
  return i < count ? contacts[i] : NULL;
}

/* The depth at which the penalty balances a weight; contact without one gets a depth, too. */
static double balanced_depth(const char *contact, double weight)
{
  return weight / (strstr(contact, "stiffness") && !strstr(contact, "10000") ? 1000 : 10000);
}

/* The distance that a vertex at a depth in a plane moves in one second. */
static double way_on_a_plane(const sb_variant *variant, const char *contact, double depth, const char *more)
{
  const double h = 0.01;
  char         pairs[320];
  sb_trial     trial;
  snprintf(pairs, sizeof pairs, "%s collider=plane:point=[0,0,0] %s", contact, more);
  open_point(&trial, h, variant, pairs, (double[]){0, 0, -depth, 0, 0, 0});
  sb_trial_advance(&trial, 100);
  assert_int_equal(trial.report.status, SB_OK);
  const double way = trial.position[0];
  sb_trial_close(&trial);
  return way;
}

/* Coulomb's law for a vertex that starts at a depth. On a slope of tan = 0.4 it stays at rest if mu is larger, and
 * slides with g (sin - mu cos) if it is smaller. A moving floor drags a vertex, which slides until it has the floor's
 * speed: v t - v^2/(2 mu g). */
static void expect_coulombs_law(const sb_variant *variant, const char *contact, double depth)
{
  const char *stick = "gravity=[3.64,0,-9.1] friction=0.5", *slide = "gravity=[3.64,0,-9.1] friction=0.3";
  const char *belt = "gravity=[0,0,-9.1] friction=0.8 collider_path=linear:velocity=[0.5,0,0]";
  sb_near(variant->label, contact, way_on_a_plane(variant, contact, depth, stick), 0, 1e-3);
  sb_near(variant->label, contact, way_on_a_plane(variant, contact, depth, slide), 0.5 * (3.64 - 0.3 * 9.1), 0.03);
  sb_near(variant->label, contact, way_on_a_plane(variant, contact, depth, belt), 0.5 - 0.25 / (2 * 0.8 * 9.1), 0.01);
}

/* With a penalty the vertex starts where that balances its weight. With a filter, too, it also starts at depth 0. */
static void coulombs_law(void)
{
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; ranks == 1 && i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const char      *contact;
    for (size_t k = 0; (contact = rubbing_contact(&variant, k)) != NULL; ++k) {
      if (!strstr(contact, "penalty") && !strstr(contact, "implicit")) expect_coulombs_law(&variant, contact, 0);
      if (strstr(contact, "stiffness")) expect_coulombs_law(&variant, contact, balanced_depth(contact, 9.1));
    }
  }
}

/* A vertex that friction holds on a slope has no velocity. A penalty of the potential bears the weight, m g/k_c deep.
 */
static void held_vertex(void)
{
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; ranks == 1 && i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[3.64,0,-9.1] friction=0.5 collider=plane:point=[0,0,0]");
    const bool       implicit = variant.method->traits & SB_ENDS_AT_MINIMUM;
    const char      *contact = rubbing_contact(&variant, implicit ? 4 : 0);
    sb_trial         trial;
    if (!contact || sb_variant_is(&variant, "explicit_euler")) continue;
    open_point(&trial, 0.01, &variant, contact, (double[]){0, 0, 0, 0, 0, 0});
    sb_trial_advance(&trial, 300);
    for (int c = 0; c < 3; ++c) sb_near(variant.label, "v of a held vertex", trial.velocity[c], 0, 1e-12);
    sb_near(variant.label, "depth", trial.position[2], implicit ? -balanced_depth(contact, 9.1) : 0, 1e-10);
    sb_trial_close(&trial);
  }
}

/* Two masses of 1 on a plane at the depth number[1]; a spring of rest length number[0] pulls them together. */
static void make_pair(sb_pose *pose, const double *number)
{
  assert_true(sb_pose_allocate(pose, 2));
  pose->position[3] = 1;
  pose->position[2] = pose->position[5] = -number[1];
  assert_true(sb_pose_add_spring(pose, 0, 1, 300, SB_STRUCTURAL));
  pose->rest_length[0] = number[0];
}

/* A spring that pulls by less than mu m g does not move masses on the plane; one that pulls by more does. If friction
 * saw spring forces only through the velocities of earlier steps, the masses would creep by h f/m. */
static void springs_against_friction(void)
{
  int ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; ranks == 1 && i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "gravity=[0,0,-9.8] friction=0.5 collider=plane:point=[0,0,0]");
    const char      *contact;
    if (!(variant.method->traits & SB_ENDS_AT_MINIMUM)) continue;
    for (size_t k = 0; (contact = rubbing_contact(&variant, k)) != NULL; ++k)
      for (int slips = 0; slips < 2; ++slips) {
        const double number[2] = {slips ? 1 - 6.0 / 300 : 1 - 4.5 / 300, balanced_depth(contact, 9.8)};
        char         pairs[640];
        sb_trial     trial;
        snprintf(pairs, sizeof pairs, "%s %s", variant.pairs, contact);
        sb_trial_open(&trial, PETSC_COMM_WORLD, 0.01, pairs, make_pair, number);
        sb_trial_advance(&trial, 100);
        if (slips)
          sb_holds(variant.label, "the stronger spring moves them", trial.position[0] > 1e-3);
        else
          sb_near(variant.label, contact, trial.position[0], 0, 1e-6);
        sb_trial_close(&trial);
      }
  }
}

/* A trench of 10 degrees holds a vertex at its bottom: the depth is the fall of one step and does not grow with the
 * number of steps. */
static void acute_corner(void)
{
  static const char *const contacts[] = {"contact=cancel_velocity", "contact=combined contact_stiffness=100"};
  const char *walls = "gravity=[0,0,-9.8] collider=plane:normal=[0.99619469809174555,0,0.087155742747658174];"
                      "plane:normal=[-0.99619469809174555,0,0.087155742747658174]";
  int         ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; ranks == 1 && i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    if (sb_variant_is(&variant, "explicit_euler")) continue;
    for (size_t k = 0; k < 2 && (k == 0 || !is_recurrence(&variant)); ++k) {
      const double h = 0.005, fall = variant.method->traits & SB_ENDS_AT_MINIMUM ? 9.8 * h * h : 0;
      char         pairs[320];
      sb_trial     trial;
      snprintf(pairs, sizeof pairs, "%s %s", contacts[k], walls);
      open_point(&trial, h, &variant, pairs, (double[]){0, 0, 0, 0, 0, 0});
      sb_trial_advance(&trial, 400);
      sb_near(variant.label, "depth in the corner", trial.position[2], 0, fall + 1e-9);
      sb_trial_close(&trial);
    }
  }
}

/* Two masses of a net that fold onto each other: self-contact is internal. */
static void self_contact_keeps_momentum(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=5 pins=none gravity=[0,0,0] stiffness=1");
    const bool       implicit = variant.method->traits & SB_MINIMIZES;
    sb_trial         trial;
    sb_energies      before, after;
    char             pairs[640];
    snprintf(pairs, sizeof pairs,
             "%s self_contact=vertices thickness=0.3 perturbation=0.05 initial_velocity=[0.1,0.2,0.3]", variant.pairs);
    sb_trial_open(&trial, PETSC_COMM_WORLD, 0.002, pairs, NULL, NULL);
    for (size_t k = 0; k < trial.vertices; ++k) trial.velocity[3 * k] -= 3 * trial.position[3 * k];
    sb_trial_write(&trial);
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &before));
    sb_trial_advance(&trial, implicit ? 5 : 150);
    sb_must(sb_system_energies(trial.system, trial.x, trial.v, &after));
    for (int c = 0; c < 3; ++c) sb_near(variant.label, "momentum", after.momentum[c], before.momentum[c], 1e-12);
    if (!implicit && !(variant.method->traits & SB_PROJECTS_LENGTHS))
      sb_holds(variant.label, "vertices touched", measures_of(&trial).self_pairs > 0);
    sb_trial_close(&trial);
  }
}

PETSC_TEST_MAIN(resting_vertex, flying_vertex, bounce, penalty_is_a_spring, measures_are_of_every_step, moving_collider,
                coulombs_law, held_vertex, springs_against_friction, acute_corner, self_contact_keeps_momentum)
