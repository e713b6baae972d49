/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear solvers of plug-ins (base/springbench_plugin.h) as backends. */
#pragma once

#include "base/springbench_plugin.h"
#include "solvers/linear/linear_backend.h"

/* The backend of a plug-in's method, which stays in memory, as does `digest`, the SHA-256 of the plug-in. In the arena.
 * Local. */
const sb_entry *sb_plugin_backend(const sb_plugin_linear *method, const char *digest, sb_arena *arena);
/* A matrix of PETSc's as a plug-in sees it; close it afterwards. One rank. */
PetscErrorCode    sb_plugin_matrix_open(Mat A, bool definite, sb_plugin_matrix *matrix);
PetscErrorCode    sb_plugin_matrix_close(Mat A, sb_plugin_matrix *matrix);
sb_outcome        sb_plugin_outcome_of(sb_plugin_outcome outcome);
sb_plugin_outcome sb_plugin_outcome_from(sb_outcome outcome);
/* After a call of a method's object, which returned `outcome`: an error with the text of its `failure`, if there is
 * one, or for a number that is not an outcome. Then logs the operations
 * by its `flops`, of which *logged are logged already. Both functions may be NULL. */
PetscErrorCode sb_plugin_called(const void *object, sb_plugin_outcome outcome,
                                const char *(*failure)(const void *object), double (*flops)(const void *object),
                                double *logged);
