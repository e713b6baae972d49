/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operations of PETSc's solvers that its log has, and those that it lacks.
 *
 * Krylov methods and multigrid consist of PETSc's vectors and matrices, which log their flops. Preconditioners that log
 * theirs, by measurement, are SB_PETSC_COUNTED; libraries behind PETSc log nothing, or something else. */
#pragma once

#include <petscksp.h>

#include "solvers/linear/linear_solver.h"

/* Types of PC, separated by blanks; those that have solvers inside are counted if these are. */
#define SB_PETSC_COUNTED "none jacobi pbjacobi sor mat ilu icc lu cholesky bjacobi asm redundant ksp mg gamg"

/* For a solver that has just been set up: logs the operations of the set-up that PETSc does not log, and fills package,
 * uncounted, and only for MUMPS (-ksp_type preonly) the facts of its factor. Collective. */
PetscErrorCode sb_petsc_flops_facts(KSP ksp, sb_factor_facts *facts);
/* The first part of a solver that has been set up whose operations are not counted; NULL: all are counted. `missing`:
 * flops of its set-up that PETSc did not log, on this rank. */
PetscErrorCode sb_petsc_flops_look(KSP ksp, const char **uncounted, double *missing);
