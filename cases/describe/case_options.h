/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One case by its options: resolves them, and makes its key and the command line that repeats it. Local; no PETSc is
 * called.
 *
 * The key of a case is the first 16 hex digits of SHA-256 over a canonical JSON of its meaning. That has every option
 * that is not SB_NOT_IN_KEY (including defaults), the normalised PETSc options, the digests of its input files, the
 * digest of the state that it restarts from, and the format version. */
#pragma once

#include "base/time_grid.h"
#include "cases/store/input_files.h"
#include "cases/store/journal.h"

enum { SB_FORMAT_VERSION = 1 };

/* Gives a set of user options the scene's defaults, resolves the time and checks combinations (adaptive Hessian with a
 * backend that cannot detect, two tolerances, refused PETSc options …). For plans and for `case`. */
bool sb_case_resolve(sb_options *options, sb_time_grid *time, sb_diagnostics *diagnostics);
/* Only the time, of options that have the scene's defaults. */
bool sb_case_resolve_time(sb_options *options, sb_time_grid *time, sb_diagnostics *diagnostics);
/* Sets the options that option `problem` stands for, with the origin of the user, except those that the user gave. To
 * be called before the case is resolved, as the scene is among them. */
void sb_case_apply_problem(sb_options *options);
/* Clears options that the name of a minimiser or a problem implies, if they were given at a lower level than the name.
 * level: [sb_option_count], the source of each option in a sweep: defaults below methods, methods below axes. Call it
 * before the two functions above. */
void sb_case_prefer_names(sb_options *options, const unsigned char *level);
/* The program that starts the ranks of a case of several: its host's mpiexec, or srun, which places them in the
 * allocation of this job; none: they are started from outside. It is not part of a case. */
typedef enum { SB_LAUNCH_MPIEXEC, SB_LAUNCH_SRUN, SB_LAUNCH_NONE } sb_launcher;
extern const char *const sb_launchers[]; /* their names, NULL-ended */

/* E104 if this process cannot start a case of several ranks (SB_LAUNCH_NONE), or the case has far more ranks and
 * threads than there are processors that the process may use: it would use all memory. For cases that start here, not
 * for planned ones; srun asks the batch system instead. */
bool sb_case_check_start(const sb_options *options, sb_launcher launcher, sb_diagnostics *diagnostics);
/* E106 if save=every:K is set and the driver computes one state. sb_case_resolve includes it; call it if `save` is set
 * later. */
bool sb_case_check_save(const sb_options *options, sb_diagnostics *diagnostics);
/* The key of a resolved set, the canonical JSON that it is computed from (malloc'ed), and the command line (malloc'ed).
 * Files are read once in the life of `known` (NULL: every time). */
void sb_case_key(const sb_options *options, sb_input_cache *known, char key[SB_KEY_LENGTH + 1]);
/* only_read: without options that the case does not read, given or not. */
char *sb_case_json(const sb_options *options, bool only_read, sb_input_cache *known);
char *sb_case_command(const sb_options *options);
/* The options whose names represent values of others: problem, minimizer. */
enum { SB_CASE_NAMES = 2 };
extern const sb_option_id sb_case_names[SB_CASE_NAMES];
/* True if the case reads the option and, if the option is SB_OF_MOTION, has an integrator or a simulator. */
bool sb_case_depends_on(const sb_options *options, sb_option_id id);
/* The most iterations that a step of the case may make; 0: its steps have no iterations. */
double sb_case_iterations_max(const sb_options *options);
/* The canonical form of an option with several notations: PETSc's options in one order, a descent by its parts, a
 * plug-in's method or a simulator by name and digest (malloc'ed). NULL: the text itself is canonical. Files count by
 * their content (sb_input_digest). */
char *sb_case_option_meaning(const sb_options *options, sb_option_id id);
/* The plug-ins and the simulator that a case uses, "linear=mine SHA-256", for provenance; "" if there are none. */
const char *sb_case_plugins(const sb_options *options, sb_arena *arena);
/* Why a case cannot run, and what to type: a sweep needs a method of a plug-in for it that is not loaded. NULL: it does
 * not. In the arena. */
const char *sb_case_lacks(const sb_options *options, sb_arena *arena);
/* True if the vocabulary has all of these. */
bool sb_case_is_here(const sb_options *options, const sb_vocabulary *vocabulary);
