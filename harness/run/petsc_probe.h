/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests before a sweep runs whether PETSc reads the options of its texts: a misspelt one otherwise ends each of its
 * cases. Local; PETSc runs in a separate process. */
#pragma once

#include "cases/store/session.h"
#include "harness/sweep/plan.h"

/* Runs one step of a small sheet for each different text of options petsc, petsc_nonlinear and petsc_ts that a case
 * reads. E111 at the place of the text, for an option that no object of PETSc reads; W122 for a text with which the
 * step takes too long; other failures are left to the cases. `program`: the executable that runs cases. */
void sb_petsc_probe(const sb_plan *plan, const char *program, const sb_session *session);
