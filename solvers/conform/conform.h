/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance: does a method do what every entry of its list must do, and what it claims? The tests run these checks
 * over the lists; `springbench conform` runs them over a user's plug-in. A check that fails raises PETSC_ERR_PLIB,
 * whose message says what is wrong. Collective on PETSC_COMM_WORLD. */
#pragma once

#include <petscsys.h>

#include "base/options.h"

/* `options` choose the method; others may be set too, such as plugin_options. */
typedef struct {
  const char *name; /* a sentence without its full stop */
  PetscErrorCode (*check)(const sb_options *options);
} sb_conform_check;

/* NULL after the last. */
const sb_conform_check *sb_conform_linear_at(size_t i);
const sb_conform_check *sb_conform_minimizer_at(size_t i);
const sb_conform_check *sb_conform_integrator_at(size_t i);
