/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small scenes made from bytes, for the targets that compute: mostly sound, now and then stiff, compressed, planar, of
 * odd scale, or nearly coincident. */
#pragma once

#include "model/system/system.h"
#include "tests/fuzz/fuzz.h"

#define FUZZ_MUST(call) fuzz_require((call) == 0, #call)

typedef struct {
  sb_options *options; /* kept from scene to scene */
  sb_pose     pose;
  sb_system  *system;
  Vec         x, v;
  double      h_seconds;
} fuzz_scene;

/* PETSc, once a process, silent and without a hand on signals. */
void fuzz_start_petsc(void);
/* False when the pose is not one that a scene may have. To be cleared in either case. */
bool fuzz_scene_take(fuzz_bytes *bytes, size_t vertices_max, bool pins, fuzz_scene *scene);
void fuzz_scene_clear(fuzz_scene *scene);
/* Sets an option of the scene from text; must succeed. */
void fuzz_scene_set(fuzz_scene *scene, sb_option_id id, const char *text);

/* In long double, from the definitions alone (docs/model.md section 1): the elastic force on every vertex at these
 * positions [vertices][3], and how large its terms are, which is what rounding counts in. */
void fuzz_elastic_forces(const sb_pose *pose, const double *position, long double *force, long double *scale);
