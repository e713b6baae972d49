/* Contact's place in the step: what rests does not creep, what flies does not enter, what bounces keeps its energy,
 * what is inside is counted, and momentum is kept inside the net. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/external.h"

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
  return sb_variant_is(variant, "explicit_euler") || variant->method->traits & SB_IMPLICIT;
}

#define PLANE "gravity=[0,0,-9.8] contact=cancel_velocity collider=plane:point=[0,0,0] "

/* Lying on the plane for 10^4 steps: it does not move at all where the filter stands between force and position. */
static void resting_vertex(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const int64_t    steps = 10000;
    sb_trial         trial;
    if (filters_before_the_force(&variant)) continue;
    open_point(&trial, 0.01, &variant, PLANE, (double[]){0.5, 0, 0, 0, 0, 0});
    sb_trial_advance(&trial, steps);
    sb_near(variant.label, "z at rest", trial.position[2], 0, 1e-12);
    assert_true(trial.position[0] == 0.5);
    /* v+ is filtered, too; stoermer_verlet's is a difference of positions and half a kick */
    const double kick = sb_variant_is(&variant, "stoermer_verlet") ? -0.5 * 0.01 * 9.8 : 0;
    sb_near(variant.label, "v at rest", trial.velocity[2], kick, 1e-12);
    sb_near(variant.label, "penetration", measures_of(&trial).penetration_max, 0, 1e-12);
    sb_trial_close(&trial);
  }
}

/* Thrown at the plane, it stops above it, whatever the step: never inside. */
static void flying_vertex(void **unused)
{
  (void)unused;
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
static void bounce(void **unused)
{
  (void)unused;
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
static void penalty_is_a_spring(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant =
        sb_variant_at(i, "gravity=[0,0,0] contact=penalty collider=plane:point=[0,0,0] contact_stiffness=100");
    const double h = 0.0001, depth = 0.1;
    sb_trial     trial;
    if (variant.method->traits & SB_PROJECTS_LENGTHS) continue;
    open_point(&trial, h, &variant, "", (double[]){0, 0, 0.01, 0, 0, -1});
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
static void measures_are_of_every_step(void **unused)
{
  (void)unused;
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
static void moving_collider(void **unused)
{
  (void)unused;
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

/* Two masses of a net that fold onto each other: self-contact is internal. */
static void self_contact_keeps_momentum(void **unused)
{
  (void)unused;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "scene=cloth grid=5 pins=none gravity=[0,0,0] stiffness=1");
    const bool       implicit = variant.method->traits & SB_IMPLICIT;
    sb_trial         trial;
    sb_energies      before, after;
    char             pairs[640];
    snprintf(pairs, sizeof pairs, "%s self_contact=vertices thickness=0.3 perturbation=0.05 initial_velocity=[0.1,0.2,0.3]",
             variant.pairs);
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

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(resting_vertex),
      cmocka_unit_test(flying_vertex),
      cmocka_unit_test(bounce),
      cmocka_unit_test(penalty_is_a_spring),
      cmocka_unit_test(measures_are_of_every_step),
      cmocka_unit_test(moving_collider),
      cmocka_unit_test(self_contact_keeps_momentum),
  };
  return sb_trial_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
