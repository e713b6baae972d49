/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference minimiser ends at the rounding of a stiff net's gradient, which is above its tolerance. */
#include "drivers/reference.h"

#include "drivers/drivers.h"
#include "drivers/setup.h"
#include "model/scene/scene.h"
#include "tests/petsc_tests.h"

static void a_search_ends_at_rounding(void)
{
  static const char *const pairs[] = {"scene=bar", "grid=6", "stiffness=3e5"};
  sb_options              *options = sb_options_create(sb_full_vocabulary());
  sb_case                  c = {.comm = PETSC_COMM_WORLD, .options = options, .time.h_seconds = 0.01};
  sb_setup                 setup;
  sb_reference            *reference;
  sb_potential            *potential;
  sb_reference_report      report;
  PetscLogDouble           before, flops;
  Vec                      z;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    assert_true(sb_options_set_pair(options, pairs[i], SB_FROM_USER, (sb_location){0}, NULL));
  assert_true(sb_scene_apply_defaults(options, NULL));
  assert_int_equal(sb_setup_create(&c, NULL, 0, NULL, &setup), 0);
  assert_int_equal(sb_reference_create(setup.system, options, c.time.h_seconds, &reference), 0);
  assert_int_equal(sb_potential_create(setup.system, c.time.h_seconds, &potential), 0);
  assert_int_equal(sb_potential_set_state(potential, 0, setup.x, setup.v), 0);
  assert_int_equal(VecDuplicate(setup.x, &z), 0);
  assert_int_equal(PetscGetFlops(&before), 0);
  assert_int_equal(sb_reference_minimize(reference, potential, z, &report), 0);
  assert_int_equal(PetscGetFlops(&flops), 0);
  assert_true(report.gradient_norm > 1e-9 && report.gradient_norm <= report.allowed);
  assert_true(flops - before < 200 * sb_reference_factor_flops(reference)); /* of 1000 iterations */
  assert_int_equal(VecDestroy(&z), 0);
  assert_int_equal(sb_potential_destroy(&potential), 0);
  assert_int_equal(sb_reference_destroy(&reference), 0);
  assert_int_equal(sb_setup_destroy(&setup), 0);
  sb_options_destroy(&options);
}

PETSC_TEST_MAIN(a_search_ends_at_rounding)
