/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Combinations of the model's options that are refused, each with the option it blames; and their neighbours that are
 * not. */
#include <stdlib.h>
#include <string.h>

#include "model/system/check.h"
#include "tests/model/support.h"

typedef struct {
  const char *scene, *user; /* pairs given by each, in this order */
  const char *messages[3];  /* parts of the messages, in order; none: accepted */
} combination;

#define SPHERE "collider=sphere:centre=[0,0,0],radius=0.3"
#define TWO    "collider=sphere:radius=0.3;plane:"
static const combination combinations[] = {
    {"", "", {0}},
    {"", "contact=penalty " SPHERE, {0}},
    {"", "contact=penalty", {"contact 'penalty' has nothing to touch; add a collider"}},
    {"", "contact=combined collider=none", {"contact 'combined' has nothing to touch"}},
    {"contact=cancel_velocity " SPHERE,
     "collider=none",
     {"the scene's contact 'cancel_velocity' has nothing to touch without a collider; add contact=none"}},
    {"contact=cancel_velocity " SPHERE " collider_path=still friction=0.1 margin=1.1", "contact=none", {0}},
    {"", SPHERE, {"collider has an effect only with contact; add contact=cancel_velocity, penalty or combined"}},
    {"", "contact=none " SPHERE " margin=1.1", {0}}, /* a sweep over contact compares with none */
    {SPHERE, "", {0}},
    {"",
     "margin=1.1 friction=0.1",
     {"margin has an effect only with contact", "friction has an effect only with contact"}},
    {"",
     "contact_stiffness=10 restitution=0.5",
     {"contact_stiffness has an effect only with contact", "restitution has an effect only with contact"}},
    {"", "collider_path=linear:velocity=[1,0,0]", {"collider_path has an effect only with contact"}},
    {"", "contact=penalty " TWO " collider_path=still", {0}},
    {"", "contact=penalty " TWO " collider_path=still;linear:velocity=[1,0,0]", {0}},
    {"",
     "contact=penalty " TWO " collider_path=still;still;still",
     {"collider_path has 3 items for 2 colliders; give one for all, or one each"}},
    {"",
     "contact=penalty " SPHERE " collider_path=still;still",
     {"collider_path has 2 items for 1 collider; give one"}},
    {"contact=penalty " TWO " collider_path=still;still",
     SPHERE,
     {"collider has 1 items, the scene's collider_path 2; give collider_path too"}},
    {"", "contact=penalty " SPHERE " restitution=0.1", {"restitution belongs to the filter on velocities"}},
    {"", "contact=penalty " SPHERE " restitution=0 friction=0", {0}},
    {"contact=combined friction=0.1 " SPHERE, "contact=penalty", {0}},
    {"", "contact=combined " SPHERE " friction=0.1 restitution=0.5", {0}},
    {"", "contact=combined " SPHERE " contact_implicit=true", {0}},
    {"",
     "contact=cancel_velocity " SPHERE " contact_implicit=true",
     {"contact_implicit puts the penalty into the potential of newton, but contact 'cancel_velocity' has no penalty"}},
    {"", "contact_implicit=true", {"but contact 'none' has no penalty; choose contact=penalty or combined"}},
    {"contact=penalty contact_implicit=true " SPHERE,
     "contact=cancel_velocity",
     {"the scene makes the penalty implicit, but contact 'cancel_velocity' has none; add contact_implicit=false"}},
    {"contact=penalty contact_implicit=true " SPHERE, "contact=none", {0}},
    {"", "self_contact=vertices thickness=0.02", {0}},
    {"", "self_contact=none thickness=0.02", {0}},
    {"", "self_contact=barrier contact_stiffness=500", {0}},
    {"", "self_contact=vertices contact_stiffness=500", {"contact_stiffness has an effect only with contact"}},
    {"", "self_contact=surfaces thickness=0.02 friction=0.1 contact_stiffness=10", {0}},
    {"", "self_contact=vertices friction=0.1", {"friction has an effect only with contact"}},
    {"", "self_contact=surfaces restitution=0.1", {"restitution has an effect only with contact"}},
    {"", "self_contact=surfaces contact=penalty friction=0.1 " SPHERE, {0}},
    {"", "self_contact=surfaces ranks=2", {"self_contact runs on one rank only; got ranks 2"}},
    {"",
     "thickness=0.02",
     {"thickness has an effect only with self-contact; add self_contact=vertices, surfaces or barrier"}},
    {"", "self_contact=vertices ranks=2", {"self_contact runs on one rank only; got ranks 2"}},
    {"self_contact=vertices", "ranks=2", {"the scene's self_contact runs on one rank only; got ranks 2"}},
    {"", "contact=penalty ranks=2 " SPHERE, {0}},
    {"", "air_resistance=1 ranks=2", {"air_resistance runs on one rank only; got ranks 2"}},
    {"", "scene=column ranks=2", {"scenes of particles run on one rank only; got ranks 2"}},
    {"", "pins=first pin_path=still", {0}},
    {"", "pins=[0,1] pin_path=still", {0}},
    {"", "pins=first pin_path=still;still", {"pin_path must be one item, for all pinned vertices; got 2"}},
    {"", "pins=none pin_path=still", {"pin_path moves pinned vertices, but pins is none"}},
    {"pins=none", "pin_path=still", {"pin_path moves pinned vertices, but pins is none"}},
    {"",
     "contact=penalty self_contact=vertices ranks=4",
     {"contact 'penalty' has nothing", "self_contact runs on one"}},
};

static void set_pairs(sb_options *options, const char *pairs, sb_origin origin)
{
  char *text = strdup(pairs), *rest = NULL;
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    assert_true(sb_options_set_pair(options, pair, origin, (sb_location){"case", 3, 1}, NULL));
  free(text);
}

static void combinations_are_judged(void)
{
  for (size_t i = 0; i < sizeof combinations / sizeof *combinations; ++i) {
    const combination *c = &combinations[i];
    sb_diagnostics    *diagnostics = sb_diagnostics_create();
    sb_options        *options = sb_test_options("");
    size_t             expected = 0;
    set_pairs(options, c->scene, SB_FROM_SCENE);
    set_pairs(options, c->user, SB_FROM_USER);
    const bool good = sb_model_check(options, diagnostics);
    for (; expected < 3 && c->messages[expected]; ++expected) {
      const char *message = sb_diagnostics_message(diagnostics, expected);
      const bool  said = message && strncmp(message, "case:3:1: error: ", 17) == 0 && strstr(message, "[E106]") &&
                        strstr(message, c->messages[expected]);
      if (!said) print_error("'%s' + '%s': '%s'\n", c->scene, c->user, message ? message : "(no message)");
      assert_true(said);
    }
    if (sb_diagnostics_errors(diagnostics) != expected) {
      print_error("'%s' + '%s'\n", c->scene, c->user);
      sb_diagnostics_print(diagnostics, stderr);
    }
    assert_int_equal(sb_diagnostics_errors(diagnostics), expected);
    assert_int_equal(good, expected == 0);
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

TEST_MAIN(combinations_are_judged)
