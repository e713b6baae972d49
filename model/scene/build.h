/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of sb_scene_build, not for its callers; each changes a pose that a scene has filled. Local. */
#pragma once

#include "model/scene/scene.h"

/* Pins the vertices of option `pins`; the scene may have pinned others before. E210 for a list that does not fit. */
bool sb_pose_pin(const sb_scene *scene, const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);

/* If `merge_duplicates` is set, merges springs between the same vertices into the first of them. The force does not
 * change,
 *
 *     sum_s k_s (r - l_s) = k (r - l) with k = sum k_s, l = sum k_s l_s/k (the plain mean if k is 0),
 *
 * and the energy changes by a constant. W206 has the number of springs removed. */
bool sb_pose_merge_duplicates(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);

/* Applies the masses of option `vertex_data`, or the stiffnesses and rest lengths of `spring_data`. A rest length
 * without a stiffness keeps `young`, so that k l is unchanged. E100, E101, E102, E110, E203 as in number_table.h; E202
 * vertices or springs that do not exist or occur twice; E211 masses, E104 stiffnesses, E205 rest lengths out of range;
 * E206 two springs for one row. */
bool sb_pose_apply_vertex_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
bool sb_pose_apply_spring_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);

/* order [springs], malloc'ed: spring numbers sorted by (smaller end, larger end, number). Linear in springs and
 * vertices. False if memory is out. */
bool sb_pose_order_springs(const sb_pose *pose, int32_t **order);
/* Compares the ends of two springs in that order: -1, 0, 1. */
int sb_pose_compare_ends(const int32_t a[2], const int32_t b[2]);
