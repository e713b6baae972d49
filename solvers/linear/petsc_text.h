/* The texts of options `petsc`, such as "-ksp_type cg -pc_type icc", `petsc_nonlinear`, such as "-snes_type ngmres",
 * and `petsc_ts`, such as "-ts_type bdf": what of them is allowed, and their normal form.
 *
 * Needs neither PETSc nor MPI, so that a planner can refuse a case before it runs. Everything is Local. */
#pragma once

#include <stddef.h>

#include "base/diagnostics.h"
#include "base/entry.h"

/* Whose options a text has: a linear solver's; those of SNES or TAO, which have linear solvers inside; or those of TS,
 * which has a SNES inside. */
typedef enum { SB_PETSC_LINEAR, SB_PETSC_NONLINEAR, SB_PETSC_TIME } sb_petsc_kind;

/* A named text, which a text may begin with: "cg_gamg -ksp_rtol 1e-6". */
typedef struct {
  SB_ENTRY_HEAD;
  const char *text;
} sb_petsc_preset;

SB_DECLARE_LIST(sb_petsc_preset, sb_petsc_presets)
/* The text with the options of the preset it begins with in front, less those it gives itself; without one, the same
 * text. malloc'ed. */
char *sb_petsc_text_expand(const char *text);

/* One option of a text: spans into it. A name of length 0 means a value that stands after no option. */
typedef struct {
  const char *name, *value; /* the name with its '-'; value_length 0: a flag */
  size_t      name_length, value_length;
} sb_petsc_entry;

/* Takes the next entry; false at the end. `*cursor` starts as the text. */
bool sb_petsc_text_next(const char **cursor, sb_petsc_entry *entry);
/* Whether the text gives `option` ("-ksp_rtol"); the last one counts. `entry` may be NULL. */
bool sb_petsc_text_find(const char *text, const char *option, sb_petsc_entry *entry);
/* Whether it gives it as a finite number. */
bool sb_petsc_text_real(const char *text, const char *option, double *value);

/* Whether it is one of those that print, into the log of the case and nowhere else. */
bool sb_petsc_text_reports(const sb_petsc_entry *entry);

/* Errors E106 for a first word that is no preset, E111 for what is not a solver's option, opens files, draws, prints,
 * runs code or decides when a solve ends, and for anything given twice; E104 for tolerances and limits out of range;
 * E106 for a preconditioner that cannot run on `ranks` ranks, naming a substitute. True when there were none. */
bool sb_petsc_text_check(const char *text, sb_petsc_kind kind, int ranks, sb_location where,
                         sb_diagnostics *diagnostics);

/* The same options, presets expanded, sorted by name, with single spaces: equal texts mean the same. malloc'ed. */
char *sb_petsc_text_normalize(const char *text);
