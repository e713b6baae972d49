/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that need PETSc. */
#pragma once

#include <petscsys.h>

#include "tests/cmocka_all.h"

/* TEST_MAIN and RUN_TESTS between PetscInitialize and PetscFinalize. */
#define PETSC_TEST_MAIN(...)                                                                                           \
  int main(int argc, char **argv) { return RUN_PETSC_TESTS(argc, argv, __VA_ARGS__); }
#define RUN_PETSC_TESTS(argc, argv, ...)                                                                               \
  (PetscInitialize(&(argc), &(argv), NULL, NULL) ? 1 : finalize_petsc(RUN_TESTS(__VA_ARGS__)))

static inline int finalize_petsc(int failed) { return PetscFinalize() ? 1 : failed; }
