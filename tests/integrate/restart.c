/* SPDX-License-Identifier: GPL-3.0-or-later */
/* V48: a run that is saved and continued in new hands repeats the whole, to the bit, with every force and contact: what
 * an integrator keeps besides x and v is in its memories, what forces know besides is a function of time. */
#include "tests/integrate/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double h_seconds = 0.0005;

#define SCENE "scene=cloth grid=4 total_mass=1 stiffness=20 perturbation=0.02 velocity_factor=0.9995 "

static const struct {
  const char *name, *pairs;
} worlds[] = {
    {"plain", ""},
    {"drag, field and dampers", "drag=0.01 spring_damping=0.002 wind=expression:x=3*cos(5*t),y=-4*x,z=2*sin(7*t)*y "
                                "pin_path=expression:z=0.3*sin(20*t)"},
    {"contact", "contact=combined collider=sphere:centre=[0,0,-0.3],radius=0.3;plane:point=[0,0,-0.05] margin=1.1 "
                "friction=0.3 contact_stiffness=500 collider_path=linear:velocity=[0,0,0.1]"},
};

static void open_world(sb_trial *trial, const sb_variant *variant, size_t world)
{
  char pairs[1024];
  snprintf(pairs, sizeof pairs, "%s %s%s", variant->pairs, SCENE, worlds[world].pairs);
  sb_trial_open(trial, PETSC_COMM_WORLD, h_seconds, pairs, NULL, NULL);
}

/* Hands the state of `from`, and its integrator's memories, to `to`; memory `spoilt` with a change, unless -1. */
static void hand_over(const sb_trial *from, sb_trial *to, int spoilt)
{
  const size_t count = sb_integrator_memories(from->integrator);
  const size_t bytes = 3 * from->vertices * sizeof(double);
  Vec          memory[SB_MEMORIES_MAX];
  memcpy(to->position, from->position, bytes);
  memcpy(to->velocity, from->velocity, bytes);
  sb_trial_write(to);
  to->step = from->step;
  for (size_t i = 0; i < count; ++i) {
    assert_true(strlen(sb_integrator_memory_name(from->integrator, i)) > 0);
    sb_must(sb_system_create_full(from->system, &memory[i]));
    sb_must(sb_integrator_save(from->integrator, i, memory[i]));
    if ((int)i == spoilt) sb_must(VecShift(memory[i], 0.01));
  }
  sb_must(sb_integrator_recall(to->integrator, to->step, to->x, to->v, memory));
  for (size_t i = 0; i < count; ++i) sb_must(VecDestroy(&memory[i]));
}

/* Solvers that sum in the order of messages repeat themselves to rounding only; see progress.c. */
static void compare(const sb_variant *variant, const char *world, const sb_trial *whole, const sb_trial *halves)
{
  const size_t count = 3 * whole->vertices;
  if (sb_variant_solves(variant) && whole->system->ranks > 1) {
    for (size_t k = 0; k < count; ++k) sb_near(variant->label, world, halves->position[k], whole->position[k], 1e-14);
  } else {
    sb_holds(variant->label, world, memcmp(halves->position, whole->position, count * sizeof(double)) == 0);
    sb_holds(variant->label, world, memcmp(halves->velocity, whole->velocity, count * sizeof(double)) == 0);
  }
}

/* The world does something to the run: else the comparison says nothing about it. */
static void differs_from_plain(const sb_variant *variant, size_t world, const sb_trial *trial)
{
  sb_trial plain;
  double   off = 0;
  open_world(&plain, variant, 0);
  sb_trial_advance(&plain, trial->step);
  for (size_t k = 0; k < 3 * plain.vertices; ++k) off = fmax(off, fabs(plain.position[k] - trial->position[k]));
  if (!(off > 1e-7)) fail_msg("%s: %s changes nothing", variant->label, worlds[world].name);
  sb_trial_close(&plain);
}

static void half_saved_half(void)
{
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    const bool       implicit = variant.method->traits & SB_MINIMIZES;
    const int64_t    steps = 2 * ((sb_variant_steps(&variant, implicit ? 6 : 1000) + 1) / 2);
    for (size_t world = 0; world < sizeof worlds / sizeof *worlds; ++world) {
      sb_trial whole, first, second;
      open_world(&whole, &variant, world);
      open_world(&first, &variant, world);
      open_world(&second, &variant, world);
      sb_trial_advance(&whole, steps);
      assert_int_equal(whole.step, steps);
      sb_trial_advance(&first, steps / 2);
      hand_over(&first, &second, -1);
      sb_trial_close(&first);
      sb_trial_advance(&second, steps / 2);
      assert_int_equal(second.step, steps);
      compare(&variant, worlds[world].name, &whole, &second);
      if (world > 0) differs_from_plain(&variant, world, &whole);
      sb_trial_close(&whole);
      sb_trial_close(&second);
    }
  }
}

/* The next step starts from the memories that were recalled. */
static void memories_are_used(void)
{
  size_t found = 0;
  for (size_t i = 0; i < sb_variant_count(); ++i) {
    const sb_variant variant = sb_variant_at(i, "");
    for (size_t m = 0; m < SB_MEMORIES_MAX && variant.method->memory_name[m]; ++m) {
      sb_trial whole, other;
      open_world(&whole, &variant, 0);
      open_world(&other, &variant, 0);
      sb_trial_advance(&whole, 10);
      hand_over(&whole, &other, (int)m);
      sb_trial_advance(&whole, 2);
      sb_trial_advance(&other, 2);
      sb_holds(variant.label, variant.method->memory_name[m],
               memcmp(other.position, whole.position, 3 * whole.vertices * sizeof(double)) != 0);
      sb_trial_close(&whole);
      sb_trial_close(&other);
      ++found;
    }
  }
  assert_true(found >= 2);
}

PETSC_TEST_MAIN(half_saved_half, memories_are_used)
