/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Prescribed motions of pinned vertices (option `pin_path`) and of colliders (`collider_path`). Local.
 *
 * A path maps a point at rest to its place at time t; at t = 0 it is the identity (other formulas are refused). A path
 * is one file model/forces/paths/<name>.c with one const table `sb_path_<name>`, and one line in paths.def. */
#pragma once

#include "base/composite.h"
#include "base/options.h"

typedef struct sb_path sb_path;

/* Allowed distance from rest at t = 0, over 1 + |coordinate| (m): rounding of the user's formulas. */
#define SB_PATH_START_TOLERANCE 1e-12

/* For authors of paths. */
typedef struct {
  sb_form form; /* first: a value names its kind */
  size_t  state_bytes;
  bool (*prepare)(void *state, const sb_composite *value); /* optional, as in sb_field_kind */
  /* place[3 i + c] of rest[3 i + c], every element written; [count][3] m. place and rest may not overlap. */
  void (*place)(void *state, const sb_composite *value, double t_seconds, size_t count, const double *rest,
                double *place);
  void (*destroy)(void *state); /* optional */
} sb_path_kind;

SB_DECLARE_LIST(sb_path_kind, sb_paths)

/* The path of one composite value (copied). NULL if memory is out. */
sb_path *sb_path_create(const sb_composite *value);
void     sb_path_destroy(sb_path **path);
void     sb_path_place(sb_path *path, double t_seconds, size_t count, const double *rest, double *place);
/* True if the path never moves anything. */
bool sb_path_is_still(const sb_path *path);

/* True if the place at t = 0 is the place at rest; false for NaN. `place` is the place at t = 0. */
bool sb_path_starts_at(sb_path *path, const double rest[3], double place[3]);
/* E214 at `pin_path` if the path of the set does not start at rest at a pinned position [count][3]. */
bool sb_path_check_pins(const sb_options *options, size_t count, const double *position, const bool *pinned,
                        sb_diagnostics *diagnostics);
