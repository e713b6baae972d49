/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See world.h. */
#include "tests/particles/world.h"

#include <string.h>

#include "tests/cmocka_all.h"

#include "model/scene/scene.h"
#include "solvers/bounded/bounded_method.h"
#include "solvers/linear/linear_backend.h"
#include "tests/lists.h"

#define OK(call) assert_int_equal((call), 0)

static const sb_vocabulary vocabulary =
    TEST_VOCABULARY(&sb_linear_backends, &sb_bounded_methods, &sb_scenes, &sb_smoothings);

sb_options *make_options(const char *pairs)
{
  sb_diagnostics *d = sb_diagnostics_create();
  char            text[512], *rest = NULL;
  sb_options     *options = sb_options_create(&vocabulary);
  snprintf(text, sizeof text, "%s", pairs);
  for (char *pair = strtok_r(text, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
    if (!sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){0}, d))
      fail_msg("%s: %s", pair, sb_diagnostics_first_error(d));
  sb_diagnostics_destroy(&d);
  return options;
}

void open_world(world *w, const char *scene)
{
  sb_pose         pose = {0};
  sb_diagnostics *d = sb_diagnostics_create();
  size_t          inner = 0;
  double         *b, *v;
  w->options = make_options(scene);
  /* of the scene's defaults those of drivers and integrators are no matter here, and unknown */
  sb_options_set_pair(w->options, "driver=flow", SB_FROM_USER, (sb_location){0}, d);
  sb_options_set_pair(w->options, "integrator=isph", SB_FROM_USER, (sb_location){0}, d);
  assert_true(sb_scene_apply_defaults(w->options, d));
  if (!sb_scene_build(w->options, &pose, d)) fail_msg("%s", sb_diagnostics_first_error(d));
  for (size_t i = 0; i < pose.vertices; ++i) inner += !pose.pinned[i];
  assert_true(sb_fluid_create(w->options, sb_scene_periodic(w->options), inner, pose.vertices, pose.mass, &w->fluid));
  assert_true(sb_fluid_update(w->fluid, pose.position));
  w->system = (sb_pressure_system){&w->fluid->particles, &w->fluid->pairs, SB_TWO_RING, 0.01, 0};
  OK(sb_pressure_matrix(&w->system, &w->A));
  OK(MatCreateVecs(w->A, &w->q, &w->b));
  OK(PetscCalloc1(3 * pose.vertices, &v));
  for (size_t i = 0; i < inner; ++i) v[3 * i + 1] = -0.01;
  OK(VecGetArray(w->b, &b));
  sb_pressure_rate(&w->fluid->particles, &w->fluid->pairs, v, b);
  for (size_t i = 0; i < inner; ++i) b[i] = 0.01 * b[i] + w->fluid->density[i] - 1000;
  OK(VecRestoreArray(w->b, &b));
  OK(PetscFree(v));
  sb_pose_clear(&pose);
  sb_diagnostics_destroy(&d);
}

void close_world(world *w)
{
  sb_fluid_destroy(&w->fluid);
  OK(MatDestroy(&w->A));
  OK(VecDestroy(&w->b));
  OK(VecDestroy(&w->q));
  sb_options_destroy(&w->options);
}
