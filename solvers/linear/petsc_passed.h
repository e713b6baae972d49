/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that a text may have (petsc_text.h), by petsc_passed.def. Options that define a solver pass: types,
 * tolerances, parameters. Options that open a file, viewer or connection, load code, change the process or test a
 * solver do not. Needs neither PETSc nor MPI. Everything is Local. */
#pragma once

#include "base/entry.h"
#include "solvers/linear/petsc_text.h"

/* `names`: without the '-', separated by blanks; one that ends in '*' is a beginning. `inside`: names of solvers inside
 * others that may come before, or NULL. `kinds`: a bit per sb_petsc_kind of the texts that may have them. */
typedef struct {
  SB_ENTRY_HEAD;
  const char *names, *inside;
  unsigned    kinds;
} sb_petsc_options;

SB_DECLARE_LIST(sb_petsc_options, sb_petsc_passed)

/* True if an option, in lower case, is on the list. */
bool sb_petsc_is_passed(const sb_petsc_entry *entry, sb_petsc_kind kind);
/* The common option that another name may mean, both with their '-', or NULL. */
const char *sb_petsc_nearest(const char *name);
