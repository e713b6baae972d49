/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drivers that test a case first: on several ranks the net is built in slabs, unless the test needs all of it. */
#include "drivers/setup.h"

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
  assert_int_equal(sb_setup_create_if(&c, note, NULL, &setup), 0);
  assert_true(ranks == 1 ? seen == ALL : seen < ALL);
  assert_int_equal(sb_setup_destroy(&setup), 0);
  assert_int_equal(sb_setup_create_whole_if(&c, note, NULL, &setup), 0);
  assert_int_equal(seen, ALL);
  assert_int_equal(sb_setup_destroy(&setup), 0);
  sb_options_destroy(&options);
}

PETSC_TEST_MAIN(a_judge_sees_a_slab_or_the_whole_net)
