/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Results of a sweep's whole plan, made up so that claims hold and fail: constants, powers of an axis, numbers of all
 * sizes, blanks, and cases that diverge or do not converge. The same seed gives the same results. */
#pragma once

#include "harness/results/results.h"

typedef struct {
  sb_session session;
  sb_sweep  *sweep;
  sb_plan   *plan;
} made_up;

/* A shipped sweep and its whole plan, or of more than `most` cases the quick one, if there is one; the caller ends the
 * session. The test fails if there is none. */
void made_up_begin(made_up *s, const char *path, size_t most);
/* Results of all cases, in the arena. */
sb_results *made_up_whole(const made_up *s, sb_arena *arena);
/* Gives them builds, machines and hosts: times of several are not compared, so a part may decide what the whole does
 * not. */
void made_up_origins(const made_up *s, sb_results *results, sb_arena *arena);
/* A part of them, which lacks cases, or has cases that have not run, died, were skipped or were timed seldom. */
sb_results *made_up_part(const made_up *s, const sb_results *whole, sb_arena *arena);

/* From here on chance is the same every time. */
void made_up_seed(uint64_t value);
