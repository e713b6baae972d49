/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Predicts the times of cases, by their options and by the typical times that come with springbench, never by results:
 * every shard and every machine predicts the same. Local; no PETSc. */
#pragma once

#include "harness/sweep/plan.h"

/* Vertices or particles; 100 if only building the scene gives their number. */
double sb_case_predicted_vertices(const sb_options *options);
/* Bytes of the files that are stored of a case. */
double sb_case_predicted_bytes(const sb_planned_case *planned);
/* Seconds of each case of a plan, with all repetitions of a run: [plan->count] in the arena, 0 for skipped ones. The
 * sum is the typical time of the sweep if that is known; `quick`: of its quick part. */
const double *sb_plan_predicted_seconds(const sb_sweep *sweep, const sb_plan *plan, bool quick, sb_arena *arena);
/* The shard of each case, 1 to `shards`: [plan->count] in the arena. Cases go, the longest first, to the shard with the
 * least work so far, by these predictions; ties are decided by the order of the plan. The same on every machine. */
const int *sb_plan_shards(const sb_plan *plan, int shards, sb_arena *arena);
