/* Combinations that an integrator cannot treat are refused with the reason, at the option to blame; the others pass. */
#include "tests/integrate/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  const char *pairs;
  const char *blamed; /* the option named first, NULL: it passes */
  const char *reason; /* part of the message */
} row;

/* A driver that moves a scene, and one that does not. */
static const char *const drivers[] = {"trajectory", "statics"}, *const uses[] = {"integrator", "pin_method"};
static const sb_family     family = {.family = "drivers", .names = drivers, .count = 2, .uses = uses};
static const sb_vocabulary vocabulary = {&family, 1, NULL};

/* With the scene's defaults, as a user would give it; scene_pairs as a scene would. */
static void check_row(const row *r, const char *scene_pair)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_options     *options = sb_options_create(&vocabulary);
  char           *text = strdup(r->pairs), *rest = NULL;
  assert_true(diagnostics && options && text);
  if (scene_pair) sb_options_set_pair(options, scene_pair, SB_FROM_SCENE, (sb_location){0}, diagnostics);
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){.file = "user"}, diagnostics);
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

static void given_by_the_user(void **unused)
{
  (void)unused;
  static const row rows[] = {
      {"integrator=symplectic_euler drag=0.1 spring_damping=0.1 velocity_factor=0.9", NULL, ""},
      {"integrator=position_verlet sweeps=4 verlet_damping=0.1", NULL, ""},
      {"integrator=rk4 sweeps=1", "sweeps", "only position_verlet reads it"},
      {"integrator=implicit_euler verlet_damping=0", "verlet_damping", "only position_verlet reads it"},
      {"integrator=position_verlet drag=0.1", "drag", "no drag force"},
      {"integrator=position_verlet drag=0 velocity_factor=1", NULL, ""},
      {"integrator=position_verlet spring_damping=0.1", "spring_damping", "have no force"},
      {"integrator=position_verlet velocity_factor=0.9", "velocity_factor", "verlet_damping"},
      {"integrator=position_verlet damping_rate=1", "damping_rate", "verlet_damping"},
      {"integrator=position_verlet contact=penalty", "contact", "a penalty is a force"},
      {"integrator=position_verlet contact=combined", "contact", "contact=cancel_velocity works"},
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
      {"integrator=implicit_euler self_contact=vertices", NULL, ""},
      {"integrator=implicit_euler self_contact=surfaces", "self_contact", "choose self_contact=barrier"},
      {"integrator=implicit_euler self_contact=barrier", NULL, ""},
      {"integrator=rk4 self_contact=surfaces", NULL, ""},
      {"integrator=position_verlet self_contact=surfaces", NULL, ""},
      {"integrator=rk4 self_contact=barrier", "self_contact", "choose self_contact=surfaces"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) check_row(&rows[i], NULL);
}

/* What the scene sets is not left out in silence, and the user can set it off. */
static void given_by_the_scene(void **unused)
{
  (void)unused;
  check_row(&(row){"integrator=position_verlet", "damping_rate", " of the scene with"}, "damping_rate=1");
  check_row(&(row){"integrator=position_verlet damping_rate=0", NULL, ""}, "damping_rate=1");
  check_row(&(row){"integrator=symplectic_euler", NULL, ""}, "damping_rate=1");
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(given_by_the_user), cmocka_unit_test(given_by_the_scene)};
  return sb_trial_main(argc, argv, tests, sizeof tests / sizeof tests[0]);
}
