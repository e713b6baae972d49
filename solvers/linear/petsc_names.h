/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names that PETSc accepts, for checks before anything runs. Local; calls no PETSc. */
#pragma once

#include <stdbool.h>

/* False if `option` ("-sub_pc_type") takes one of PETSc's names and `value` is not one; *near: the nearest, or NULL. */
bool sb_petsc_name_known(const char *option, const char *value, const char **near);
