/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The motion of the reference minimiser, which the cases of a run have in common if they differ only in options that
 * the reference does not read. The first of them that ends stores its minima in the folder `shared` of the case; later
 * ones read them, bit by bit, in place of searching again. On one rank; collective otherwise, without effect. */
#pragma once

#include "cases/store/driver.h"
#include "cases/store/recorder.h"
#include "drivers/reference.h"

typedef struct sb_reference_motion sb_reference_motion;

/* Reads the motion if it is there. Damaged files, and files of another program, library or processor, are ignored.
 * `meaning`: all that it depends on. */
PetscErrorCode sb_reference_motion_create(const sb_case *c, const char *meaning, const sb_recorder *recorder,
                                          sb_reference_motion **motion);
/* True if the minima are read, so that no search is needed. */
bool sb_reference_motion_is_known(const sb_reference_motion *motion);
/* The minimum of the next frame and the report on its search: read into both, or noted to be stored. */
PetscErrorCode sb_reference_motion_pass(sb_reference_motion *motion, Vec minimum, sb_reference_report *report);
/* Any vector of it, likewise. */
PetscErrorCode sb_reference_motion_pass_vector(sb_reference_motion *motion, const char *name, Vec vector);
/* Stores what was recorded, if it is `whole` and there is room. */
PetscErrorCode sb_reference_motion_destroy(sb_reference_motion **motion, bool whole);
