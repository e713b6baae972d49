/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Refuses combinations of the model's options that cannot work, before anything is built. Local. */
#pragma once

#include <petscsys.h>

#include "base/options.h"

/* E106 at the option to blame: contact without a collider or a collider without contact, as many paths as colliders,
 * pin paths without pins, several ranks with self-contact, and the like. */
bool sb_model_check(const sb_options *options, sb_diagnostics *diagnostics);

/* Checks the options of a create function by the check of its layer, with the ranks of `comm` in place of option
 * `ranks`. So a caller who skipped the check is refused as a command line would be: PETSC_ERR_USER with the first
 * error. Collective. */
typedef bool (*sb_options_check)(const sb_options *options, sb_diagnostics *diagnostics);
PetscErrorCode sb_check_creation(MPI_Comm comm, const sb_options *options, sb_options_check check);
