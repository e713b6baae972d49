/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The texts of options `petsc` ("-ksp_type cg -pc_type icc"), `petsc_nonlinear` ("-snes_type ngmres") and `petsc_ts`
 * ("-ts_type bdf"): which of PETSc's options are allowed in them, and their normal form.
 *
 * Needs neither PETSc nor MPI, so that a planner can refuse a case before it runs. Everything is Local. */
#pragma once

#include <stddef.h>

#include "base/entry.h"
#include "base/options.h"

/* The reader of a text: a linear solver; a SNES or TAO, which have linear solvers inside; or a TS, which has a SNES
 * inside. */
typedef enum { SB_PETSC_LINEAR, SB_PETSC_NONLINEAR, SB_PETSC_TIME } sb_petsc_kind;

/* A named text, with which another may begin: "cg_gamg -ksp_rtol 1e-6". */
typedef struct {
  SB_ENTRY_HEAD;
  const char *text;
} sb_petsc_preset;

SB_DECLARE_LIST(sb_petsc_preset, sb_petsc_presets)
/* Returns the text with its preset replaced by the preset's options, except those that the text gives itself, and names
 * of options in lower case: PETSc ignores their case. malloc'ed. */
char *sb_petsc_text_expand(const char *text);

/* One option of a text, as spans of it. A name of length 0 means a value without an option. */
typedef struct {
  const char *name, *value; /* the name with its '-'; value_length 0: a flag */
  size_t      name_length, value_length;
} sb_petsc_entry;

/* Takes the next entry; false at the end. `*cursor` starts as the text. */
bool sb_petsc_text_next(const char **cursor, sb_petsc_entry *entry);
/* True if the text has `option` ("-ksp_rtol") in any case; the last one counts. `entry` may be NULL. */
bool sb_petsc_text_find(const char *text, const char *option, sb_petsc_entry *entry);
/* True if it gives it a finite number. */
bool sb_petsc_text_real(const char *text, const char *option, double *value);

/* True if a solver of this text may keep data of one solve for the next, other than of the matrix if that is always the
 * same (`one_matrix`). Only options and methods of a list, which tests cover, are known not to. Local. */
bool sb_petsc_text_remembers(const char *text, bool one_matrix);

/* True if it is an option, in lower case, that only prints, into the log of the case. */
bool sb_petsc_text_reports(const sb_petsc_entry *entry);

/* True if there are no errors. E104: tolerances and limits out of range. E106: a first word that is not a preset; a
 * preconditioner that cannot run on `ranks` ranks, with a substitute. E111: an option that is not on the list of
 * petsc_passed.h, is given twice, opens files, draws, prints, runs code or decides when a solve ends. */
bool sb_petsc_text_check(const char *text, sb_petsc_kind kind, int ranks, sb_location where,
                         sb_diagnostics *diagnostics);
/* The same for the text of one of the options petsc, petsc_nonlinear and petsc_ts, on the ranks of the case. A
 * preconditioner of one rank is allowed if no backend reads it. */
bool sb_petsc_option_check(const sb_options *options, sb_option_id id, sb_diagnostics *diagnostics);
/* True if an option is such a text. */
bool sb_option_is_petsc_text(sb_option_id id);
/* "option=value …": the smallest case, one step of a sheet of 441 vertices, that reads such a text as a case of these
 * options does. The sheet is large enough for several levels of a multigrid. */
const char *sb_petsc_probe_settings(const sb_options *options, sb_option_id id);

/* Returns the same options, presets expanded, names in lower case, sorted by name, with single spaces: texts with the
 * same meaning are equal. malloc'ed. */
char *sb_petsc_text_normalize(const char *text);
