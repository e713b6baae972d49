/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers that test a case first: on several ranks the net is built in slabs, unless the test needs all of it. */
#include "drivers/setup.h"

#include <math.h>

#include "drivers/drivers.h"
#include "model/scene/scene.h"
#include "tests/petsc_tests.h"

static size_t seen; /* vertices that the last judge saw; a judge has no context */

static bool note(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  (void)c;
  (void)diagnostics;
  seen = pose->vertices;
  return true;
}

static void a_judge_sees_a_slab_or_the_whole_net(void)
{
  enum { GRID = 20, ALL = (GRID + 1) * (GRID + 1) };
  sb_options *options = sb_options_create(sb_full_vocabulary());
  sb_case     c = {.comm = PETSC_COMM_WORLD, .options = options};
  sb_setup    setup;
  int         ranks;
  assert_int_equal(MPI_Comm_size(PETSC_COMM_WORLD, &ranks), 0);
  assert_true(sb_options_set_pair(options, "scene=square", SB_FROM_USER, (sb_location){0}, NULL));
  assert_true(sb_options_set_pair(options, "grid=20", SB_FROM_USER, (sb_location){0}, NULL));
  assert_true(sb_scene_apply_defaults(options, NULL));
  assert_int_equal(sb_setup_create(&c, note, 0, NULL, &setup), 0);
  assert_true(ranks == 1 ? seen == ALL : seen < ALL);
  assert_int_equal(sb_setup_destroy(&setup), 0);
  assert_int_equal(sb_setup_create(&c, note, SB_SETUP_WHOLE, NULL, &setup), 0);
  assert_int_equal(seen, ALL);
  assert_int_equal(sb_setup_destroy(&setup), 0);
  sb_options_destroy(&options);
}

/* The state at t = 0 has pinned vertices at the mean velocity of the first step on their path. */
static void pins_start_with_their_path(void)
{
  static const char *const pairs[] = {"scene=cloth", "grid=3", "pins=corners4",
                                      "pin_path=expression:x=t*t,z=t<0.05?2*t:0.1"};
  sb_options              *options = sb_options_create(sb_full_vocabulary());
  sb_case                  c = {.comm = PETSC_COMM_WORLD, .options = options, .time.h_seconds = 0.1};
  const double             want[3] = {0.1, 0, 1};
  const double            *v;
  sb_setup                 setup;
  PetscInt                 moving = 0;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    assert_true(sb_options_set_pair(options, pairs[i], SB_FROM_USER, (sb_location){0}, NULL));
  assert_true(sb_scene_apply_defaults(options, NULL));
  assert_int_equal(sb_setup_create(&c, NULL, 0, NULL, &setup), 0);
  assert_int_equal(VecGetArrayRead(setup.v, &v), 0);
  for (PetscInt k = 0; k < 3 * setup.system->owned; ++k) {
    const double expected = setup.system->pinned[k / 3] ? want[k % 3] : 0;
    moving += v[k] != 0;
    if (!(fabs(v[k] - expected) <= 1e-15)) fail_msg("v[%d] = %.17g, not %g", (int)k, v[k], expected);
  }
  assert_int_equal(moving, 2 * setup.system->pinned_owned);
  assert_int_equal(VecRestoreArrayRead(setup.v, &v), 0);
  assert_int_equal(sb_setup_destroy(&setup), 0);
  sb_options_destroy(&options);
}

PETSC_TEST_MAIN(a_judge_sees_a_slab_or_the_whole_net, pins_start_with_their_path)
