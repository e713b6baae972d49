/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations that an integrator cannot treat are refused with the reason, at the option to blame; the others pass. */
#include "tests/integrate/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lists.h"
#include "tests/model_vocabulary.h"

typedef struct {
  const char *pairs;
  const char *blamed; /* the option named first, NULL: it passes */
  const char *reason; /* part of the message */
} row;

/* A driver that moves a scene, and one that does not. */
static const sb_vocabulary vocabulary = TEST_VOCABULARY(
    TEST_LIST("drivers", TEST_ENTRY("trajectory", .uses = "integrator"), TEST_ENTRY("statics", .uses = "pin_method")));

/* With the scene's defaults, as a user would give it; scene_pairs as a scene would. */
static void check_row(const row *r, const char *scene_pair)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_options     *options = sb_options_create(&vocabulary);
  char           *text = strdup(r->pairs), *rest = NULL;
  assert_true(diagnostics && options && text);
  if (scene_pair) sb_options_set_pair(options, scene_pair, SB_FROM_SCENE, (sb_location){0}, diagnostics);
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest)) {
    for (char *blank; (blank = strchr(pair, '~'));) *blank = ' '; /* within a value */
    sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){.file = "user"}, diagnostics);
  }
  assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  const bool good = sb_integrator_check(options, diagnostics);
  if (!r->blamed) {
    if (!good) fail_msg("%s: %s", r->pairs, sb_diagnostics_message(diagnostics, 0));
    assert_int_equal(sb_diagnostics_errors(diagnostics), 0);
  } else {
    char begins[64];
    if (good || sb_diagnostics_errors(diagnostics) != 1) fail_msg("%s: not one refusal", r->pairs);
    const char *message = sb_diagnostics_message(diagnostics, 0);
    snprintf(begins, sizeof begins, "error: %s=", r->blamed);
    if (!strstr(message, begins) || !strstr(message, r->reason) || !strstr(message, "[E106]"))
      fail_msg("%s: the message is: %s", r->pairs, message);
    if (!scene_pair) assert_memory_equal(message, "user", 4);
  }
  sb_options_destroy(&options);
  sb_diagnostics_destroy(&diagnostics);
  free(text);
}

static void given_by_the_user(void)
{
  static const row rows[] = {
      {"integrator=symplectic_euler drag=0.1 spring_damping=0.1 velocity_factor=0.9", NULL, ""},
      {"integrator=position_verlet passes=4 verlet_damping=0.1", NULL, ""},
      {"integrator=rk4 passes=1", "passes", "only position_verlet reads it"},
      {"integrator=implicit_euler verlet_damping=0", "verlet_damping", "only position_verlet reads it"},
      {"integrator=position_verlet drag=0.1", "drag", "no drag force"},
      {"integrator=position_verlet drag=0 velocity_factor=1", NULL, ""},
      {"integrator=position_verlet spring_damping=0.1", "spring_damping", "have no force"},
      {"integrator=position_verlet velocity_factor=0.9", "velocity_factor", "verlet_damping"},
      {"integrator=position_verlet damping_rate=1", "damping_rate", "verlet_damping"},
      {"integrator=position_verlet contact=penalty", "contact", "its recurrence has no forces, so no penalty"},
      {"integrator=position_verlet contact=combined", "contact", "use contact=cancel_velocity"},
      {"integrator=position_verlet contact=cancel_velocity", NULL, ""},
      {"integrator=position_verlet ranks=2", "ranks", "on one rank only"},
      {"integrator=rk4 ranks=2", NULL, ""},
      {"integrator=midpoint pin_method=penalty", "pin_method", "linear systems"},
      {"integrator=midpoint pin_method=reduce", NULL, ""},
      {"integrator=implicit_euler pin_method=penalty", NULL, ""},
      {"integrator=midpoint pin_method=penalty driver=statics", NULL, ""},
      {"integrator=velocity_verlet contact=penalty contact_implicit=true", "contact_implicit", "at known positions"},
      {"integrator=implicit_euler contact=penalty contact_implicit=true", NULL, ""},
      {"integrator=rk4 contact=penalty friction=0.1", "friction", "or integrator=implicit_euler"},
      {"integrator=rk4 contact=penalty friction=0", NULL, ""},
      {"integrator=rk4 contact=penalty self_contact=surfaces friction=0.1", NULL, ""},
      {"integrator=implicit_euler contact=penalty friction=0.1", NULL, ""},
      {"integrator=petsc_ts contact=combined friction=0.1", NULL, ""},
      {"integrator=petsc_ts petsc_ts=-ts_type~alpha2 contact=combined", NULL, ""},
      {"integrator=petsc_ts petsc_ts=-ts_type~alpha2 contact=cancel_velocity friction=0.1", NULL, ""},
      {"integrator=petsc_ts petsc_ts=-ts_type~bdf contact=combined friction=0.1", "friction", "beuler, cn, rk"},
      {"integrator=petsc_ts petsc_ts=-ts_type~rk~-ts_adapt_type~basic contact=combined friction=0.1", "friction",
       "leave -ts_adapt_type out"},
      {"integrator=implicit_euler self_contact=vertices", NULL, ""},
      {"integrator=implicit_euler self_contact=surfaces", "self_contact", "choose self_contact=barrier"},
      {"integrator=implicit_euler self_contact=barrier", NULL, ""},
      {"integrator=bdf2 contact=penalty", "contact", "only in their potential"},
      {"integrator=sdirk2 contact=combined", "contact", "give contact_implicit=true"},
      {"integrator=sdirk2 contact=penalty contact_implicit=true", NULL, ""},
      {"integrator=sdirk2 contact=combined contact_implicit=true friction=0.1", "friction", "contact=cancel_velocity"},
      {"integrator=sdirk2 contact=penalty contact_implicit=true friction=0.1", "friction", "contact=cancel_velocity"},
      {"integrator=implicit_midpoint contact=cancel_velocity friction=0.1", NULL, ""},
      {"integrator=implicit_midpoint self_contact=vertices", NULL, ""},
      {"integrator=implicit_midpoint self_contact=barrier", "self_contact", "choose integrator=implicit_euler"},
      {"integrator=bdf2 self_contact=surfaces", "self_contact", "integrator=implicit_euler"},
      {"integrator=bdf2 ranks=2", "ranks", "on one rank only"},
      {"integrator=bdf2 pin_method=penalty", NULL, ""},
      {"integrator=rk4 self_contact=surfaces", NULL, ""},
      {"integrator=position_verlet self_contact=surfaces", NULL, ""},
      {"integrator=rk4 self_contact=barrier", "self_contact", "choose self_contact=surfaces"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) check_row(&rows[i], NULL);
}

/* A refusal names an option that the scene has set, and the user can switch the option off. */
static void given_by_the_scene(void)
{
  check_row(&(row){"integrator=position_verlet", "damping_rate", " of the scene with"}, "damping_rate=1");
  check_row(&(row){"integrator=position_verlet damping_rate=0", NULL, ""}, "damping_rate=1");
  check_row(&(row){"integrator=symplectic_euler", NULL, ""}, "damping_rate=1");
}

static sb_options *resolve(const char *pairs, sb_pose *pose)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_options     *options = sb_options_create(model_vocabulary());
  char           *text = strdup(pairs), *rest = NULL;
  assert_true(diagnostics && options && text);
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){.file = "library"}, diagnostics);
  assert_true(sb_scene_apply_defaults(options, diagnostics) && sb_scene_build(options, pose, diagnostics));
  sb_diagnostics_destroy(&diagnostics);
  free(text);
  return options;
}

/* A create function refuses what the check refuses, also for options that no command line has checked. Each row has the
 * options of the case and the layer that refuses them. */
static void creation_checks(void)
{
  static const struct {
    const char *pairs;
    bool        system; /* refused by sb_system_create, else by sb_integrator_create */
  } rows[] = {
      {"contact=cancel_velocity", true},
      {"contact=penalty collider=plane:point=[0,0,-9] restitution=0.5", true},
      {"contact_implicit=true", true},
      {"integrator=rk4 passes=4", false},
      {"integrator=rk4 contact=penalty collider=plane:point=[0,0,-9] friction=0.5", false},
      {"integrator=position_verlet drag=0.1", false},
      {"integrator=implicit_euler minimizer=local_global contact=penalty contact_implicit=true "
       "collider=plane:point=[0,0,-9]",
       false},
      {"integrator=implicit_euler minimizer=newton self_contact=barrier step=unit thickness=0.1", false},
      {"integrator=implicit_euler minimizer=xpbd pin_method=penalty", false},
      {"integrator=implicit_euler minimizer=newton hessian=adaptive linear=jacobi", false},
      {"integrator=rk4", false}, /* the last passes */
  };
  const size_t count = sizeof rows / sizeof *rows;
  for (size_t i = 0; i < count; ++i) {
    char           pairs[320];
    sb_system     *system = NULL;
    sb_integrator *integrator = NULL;
    sb_pose        pose = {0};
    snprintf(pairs, sizeof pairs, "scene=cloth grid=3 %s", rows[i].pairs);
    sb_options *options = resolve(pairs, &pose);
    PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL);
    const PetscErrorCode of_system = sb_system_create(PETSC_COMM_SELF, &pose, options, &system);
    const PetscErrorCode of_integrator = of_system ? 0 : sb_integrator_create(system, options, 0.01, &integrator);
    PetscPopErrorHandler();
    const bool passes = i + 1 == count;
    if ((of_system != 0) != (rows[i].system && !passes) || (of_integrator != 0) != (!rows[i].system && !passes))
      fail_msg("%s: system %d, integrator %d", rows[i].pairs, (int)of_system, (int)of_integrator);
    sb_must(sb_integrator_destroy(&integrator));
    sb_must(sb_system_destroy(&system));
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

/* A method that runs on one rank only is refused by the ranks of the communicator, not by option `ranks`. */
static void creation_counts_ranks(void)
{
  static const char *const rows[] = {"scene=cloth grid=3 air_resistance=1",
                                     "scene=cloth grid=3 self_contact=vertices thickness=0.1",
                                     "scene=column spacing=0.25"};
  int                      ranks;
  sb_must(MPI_Comm_size(PETSC_COMM_WORLD, &ranks));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    sb_system  *system = NULL;
    sb_pose     pose = {0};
    sb_options *options = resolve(rows[i], &pose);
    PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL);
    const PetscErrorCode code = sb_system_create(PETSC_COMM_WORLD, &pose, options, &system);
    PetscPopErrorHandler();
    if ((code != 0) != (ranks > 1)) fail_msg("%s on %d ranks: %d", rows[i], ranks, (int)code);
    sb_must(sb_system_destroy(&system));
    sb_pose_clear(&pose);
    sb_options_destroy(&options);
  }
}

PETSC_TEST_MAIN(given_by_the_user, given_by_the_scene, creation_checks, creation_counts_ranks)
