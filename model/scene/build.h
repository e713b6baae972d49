/* The steps of sb_scene_build, for build.c alone; each works on a pose that a scene has filled. Local. */
#pragma once

#include "model/scene/scene.h"

/* Pins the vertices of option `pins`; a scene may have pinned some before. E210 for a list that does not fit. */
bool sb_pose_pin(const sb_scene *scene, const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);

/* Makes one spring of several between the same vertices when `merge_duplicates` is set: the force is the same,
 *   sum_s k_s (r - l_s) = k (r - l) with k = sum k_s, l = sum k_s l_s/k (the plain mean when k is 0),
 * and the energy differs by a constant. The first of them stays where it is. W206 says how many went. */
bool sb_pose_merge_duplicates(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);

/* Masses of option `vertex_data`; stiffnesses and rest lengths of `spring_data`. A rest length alone leaves `young`
 * in force: k l stays. E100, E101, E102, E110, E203 as of number_table.h; E202 vertices or springs that are not there
 * or stand twice; E211 masses, E104 stiffnesses, E205 rest lengths out of range; E206 two springs for one row. */
bool sb_pose_apply_vertex_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);
bool sb_pose_apply_spring_data(const sb_options *options, sb_pose *pose, sb_diagnostics *diagnostics);

/* *order [springs], malloc'ed: spring numbers sorted by (smaller end, larger end, number). Linear in springs and
 * vertices. False when memory is out. */
bool sb_pose_order_springs(const sb_pose *pose, int32_t **order);
/* -1, 0, 1: how a spring's ends compare with those of another in that order. */
int sb_pose_compare_ends(const int32_t a[2], const int32_t b[2]);
