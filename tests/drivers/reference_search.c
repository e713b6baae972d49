/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A search of the reference minimiser ends at the rounding of a stiff net's gradient, which is above its tolerance, or
 * on its way to a known end. */
#include "drivers/reference.h"

#include "drivers/drivers.h"
#include "drivers/setup.h"
#include "model/scene/scene.h"
#include "tests/petsc_tests.h"

typedef struct {
  sb_options   *options;
  sb_setup      setup;
  sb_reference *reference;
  sb_potential *potential;
  Vec           z;
} step;

/* The first step of a net. */
static void open_step(const char *const *pairs, double h, step *s)
{
  *s = (step){.options = sb_options_create(sb_full_vocabulary())};
  sb_case c = {.comm = PETSC_COMM_WORLD, .options = s->options, .time.h_seconds = h};
  for (; *pairs; ++pairs)
    assert_true(sb_options_set_pair(s->options, *pairs, SB_FROM_USER, (sb_location){0}, NULL));
  assert_true(sb_scene_apply_defaults(s->options, NULL));
  assert_int_equal(sb_setup_create(&c, NULL, 0, NULL, &s->setup), 0);
  assert_int_equal(sb_reference_create(s->setup.system, s->options, h, &s->reference), 0);
  assert_int_equal(sb_potential_create(s->setup.system, h, &s->potential), 0);
  assert_int_equal(sb_potential_set_state(s->potential, 0, s->setup.x, s->setup.v), 0);
  assert_int_equal(VecDuplicate(s->setup.x, &s->z), 0);
}

static void close_step(step *s)
{
  assert_int_equal(VecDestroy(&s->z), 0);
  assert_int_equal(sb_potential_destroy(&s->potential), 0);
  assert_int_equal(sb_reference_destroy(&s->reference), 0);
  assert_int_equal(sb_setup_destroy(&s->setup), 0);
  sb_options_destroy(&s->options);
}

static void a_search_ends_at_rounding(void)
{
  step                s;
  sb_reference_report report;
  PetscLogDouble      before, flops;
  open_step((const char *const[]){"scene=bar", "grid=6", "stiffness=3e5", NULL}, 0.01, &s);
  assert_int_equal(PetscGetFlops(&before), 0);
  assert_int_equal(sb_reference_minimize(s.reference, s.potential, s.z, &report), 0);
  assert_int_equal(PetscGetFlops(&flops), 0);
  assert_true(report.gradient_norm > 1e-9 && report.gradient_norm <= report.allowed);
  assert_true(flops - before < 200 * sb_reference_factor_flops(s.reference)); /* of 1000 iterations */
  close_step(&s);
}

/* Newton from y ends where the first search has ended, and is stopped on its way. */
static void a_search_stops_at_a_known_end(void)
{
  step                s;
  sb_reference_report report, first;
  PetscLogDouble      between, after;
  Vec                 end;
  PetscBool           same;
  open_step((const char *const[]){"scene=curtain", "grid=20", NULL}, 1.0 / 30, &s);
  assert_int_equal(sb_reference_minimize(s.reference, s.potential, s.z, &report), 0);
  assert_int_equal(PetscGetFlops(&between), 0);
  assert_int_equal(VecDuplicate(s.z, &end), 0);
  assert_int_equal(VecCopy(s.z, end), 0);
  first = report;
  assert_int_equal(sb_reference_deepen(s.reference, s.potential, s.z, &report), 0);
  assert_int_equal(PetscGetFlops(&after), 0);
  assert_int_equal(VecEqual(s.z, end, &same), 0);
  assert_true(same && report.objective == first.objective);
  /* 32; 44 if every search goes on to its end */
  assert_true(after - between < 38 * sb_reference_factor_flops(s.reference));
  assert_int_equal(VecDestroy(&end), 0);
  close_step(&s);
}

PETSC_TEST_MAIN(a_search_ends_at_rounding, a_search_stops_at_a_known_end)
