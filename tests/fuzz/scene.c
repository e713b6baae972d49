/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Scenes made from bytes; see scene.h. */
#include "tests/fuzz/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model_vocabulary.h"

/* Leaks of the libraries at their start are not looked for. */
extern void __lsan_disable(void) __attribute__((weak));
extern void __lsan_enable(void) __attribute__((weak));

void fuzz_start_petsc(void)
{
  if (__lsan_disable) __lsan_disable();
  FUZZ_MUST(PetscInitializeNoArguments());
  if (__lsan_enable) __lsan_enable();
  FUZZ_MUST(PetscPopSignalHandler());
  FUZZ_MUST(PetscPushErrorHandler(PetscIgnoreErrorHandler, NULL));
}

void fuzz_scene_set(fuzz_scene *scene, sb_option_id id, const char *text)
{
  fuzz_require(sb_options_set(scene->options, id, text, SB_FROM_USER, (sb_location){0}, NULL), "an option is set");
}

/* 10^-range … 10^range, mostly about 1. */
static double take_power(fuzz_bytes *bytes, double range)
{
  const unsigned byte = fuzz_byte(bytes);
  return byte < 128 ? 0.5 + (double)byte / 128 : pow(10, range * ((double)byte - 191.5) / 63.5);
}

/* A lattice with noise, which lets springs be of all lengths but rarely of none. */
static void take_positions(fuzz_bytes *bytes, sb_pose *pose)
{
  const unsigned shape = fuzz_byte(bytes);
  const double   size = shape >= 240 ? 1e6 : shape >= 224 ? 1e-6 : 1;
  for (size_t i = 0; i < pose->vertices; ++i) {
    const double cell[3] = {(double)(i % 4), (double)(i / 4 % 4), (double)(i / 16)};
    for (size_t c = 0; c < 3; ++c) {
      const double noise = 1.5 * ((double)fuzz_byte(bytes) / 255 - 0.5);
      pose->position[3 * i + c] = shape % 4 == 0 && c == 2 ? 0 : size * (cell[c] + noise);
    }
  }
}

static bool joined(const sb_pose *pose, int32_t a, int32_t b)
{
  for (size_t s = 0; s < pose->springs; ++s) {
    const int32_t *end = &pose->ends[2 * s];
    if ((end[0] == a && end[1] == b) || (end[0] == b && end[1] == a)) return true;
  }
  return false;
}

static void add_spring(fuzz_bytes *bytes, sb_pose *pose, int32_t a, int32_t b)
{
  if (a == b || joined(pose, a, b)) return;
  fuzz_require(sb_pose_add_spring(pose, a, b, 100 * take_power(bytes, 4), SB_STRUCTURAL), "a spring is added");
  const unsigned byte = fuzz_byte(bytes);
  if (byte >= 128) pose->rest_length[pose->springs - 1] *= 0.2 + (double)(byte - 128) / 64;
}

static void take_springs(fuzz_bytes *bytes, sb_pose *pose)
{
  const int32_t n = (int32_t)pose->vertices;
  const size_t  more = fuzz_pick(bytes, 2 * pose->vertices);
  for (int32_t i = 1; i < n; ++i) add_spring(bytes, pose, i - 1, i);
  for (size_t k = 0; k < more; ++k) {
    const int32_t a = (int32_t)fuzz_pick(bytes, (size_t)n);
    add_spring(bytes, pose, a, (int32_t)fuzz_pick(bytes, (size_t)n));
  }
}

static void take_pose(fuzz_bytes *bytes, size_t vertices_max, bool pins, sb_pose *pose)
{
  *pose = (sb_pose){0};
  fuzz_require(sb_pose_allocate(pose, 2 + fuzz_pick(bytes, vertices_max - 1)), "a pose is made");
  take_positions(bytes, pose);
  take_springs(bytes, pose);
  const unsigned even = fuzz_byte(bytes);
  for (size_t i = 0; i < pose->vertices; ++i) {
    pose->mass[i] = even < 128 ? 1 : take_power(bytes, 4);
    pose->pinned[i] = pins && fuzz_byte(bytes) >= 224;
    for (size_t c = 0; c < 3 && !pose->pinned[i]; ++c) pose->velocity[3 * i + c] = 2 * fuzz_unit(bytes) - 1;
  }
}

static sb_options *make_options(void)
{
  sb_options     *options = sb_options_create(model_vocabulary());
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  sb_options_set(options, SB_ID(scene), "rope", SB_FROM_USER, (sb_location){0}, diagnostics);
  sb_options_set(options, SB_ID(integrator), "implicit_euler", SB_FROM_USER, (sb_location){0}, diagnostics);
  fuzz_require(sb_scene_apply_defaults(options, diagnostics), "a scene has defaults");
  sb_diagnostics_destroy(&diagnostics);
  return options;
}

bool fuzz_scene_take(fuzz_bytes *bytes, size_t vertices_max, bool pins, fuzz_scene *scene)
{
  static const char *const gravities[] = {"[0,0,0]", "[0,-9.81,0]", "[1,2,3]", "[0,0,-1000]"};
  if (!scene->options) scene->options = make_options();
  fuzz_scene_set(scene, SB_ID(gravity), gravities[fuzz_pick(bytes, 4)]);
  scene->h_seconds = 0.01 * take_power(bytes, 3);
  take_pose(bytes, vertices_max, pins, &scene->pose);
  fuzz_scene_set(scene, SB_ID(pin_method), pins && fuzz_byte(bytes) % 4 == 0 ? "row_replace" : "reduce");
  sb_diagnostics *silent = sb_diagnostics_create();
  const bool      good = sb_pose_check(&scene->pose, scene->options, silent);
  sb_diagnostics_destroy(&silent);
  if (!good) return false;
  FUZZ_MUST(sb_system_create(PETSC_COMM_SELF, &scene->pose, scene->options, &scene->system));
  FUZZ_MUST(sb_system_create_full(scene->system, &scene->x));
  FUZZ_MUST(sb_system_create_full(scene->system, &scene->v));
  FUZZ_MUST(sb_system_set_state(scene->system, &scene->pose, scene->x, scene->v));
  return true;
}

void fuzz_scene_clear(fuzz_scene *scene)
{
  FUZZ_MUST(VecDestroy(&scene->x));
  FUZZ_MUST(VecDestroy(&scene->v));
  FUZZ_MUST(sb_system_destroy(&scene->system));
  sb_pose_clear(&scene->pose);
}

void fuzz_elastic_forces(const sb_pose *pose, const double *position, long double *force, long double *scale)
{
  memset(force, 0, 3 * pose->vertices * sizeof *force);
  memset(scale, 0, pose->vertices * sizeof *scale);
  for (size_t s = 0; s < pose->springs; ++s) {
    const size_t      a = 3 * (size_t)pose->ends[2 * s], b = 3 * (size_t)pose->ends[2 * s + 1];
    const long double k = pose->stiffness[s], l = pose->rest_length[s];
    long double       d[3], r = 0;
    for (size_t c = 0; c < 3; ++c) {
      d[c] = (long double)position[a + c] - (long double)position[b + c];
      r += d[c] * d[c];
    }
    r = sqrtl(r);
    for (size_t c = 0; r > 0 && c < 3; ++c) {
      force[a + c] -= k * (r - l) * d[c] / r;
      force[b + c] += k * (r - l) * d[c] / r;
    }
    scale[a / 3] += k * (r + l);
    scale[b / 3] += k * (r + l);
  }
}
