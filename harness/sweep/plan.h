/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the cases of a sweep: expansion, overrides, filters, keys. Local; no PETSc. */
#pragma once

#include "base/time_grid.h"
#include "cases/describe/case_options.h"
#include "harness/sweep/sweep.h"

typedef struct {
  char         key[SB_KEY_LENGTH + 1];
  sb_options  *options; /* resolved: with the scene's defaults and time */
  sb_time_grid time;
  const char  *method;                   /* value of the axis `method`; NULL: the sweep has none */
  const char  *command;                  /* "springbench case key=value …": repeats the case; shell-quoted */
  const char  *skipped;                  /* why it is not run (exclude:), NULL: it runs */
  const char  *inputs[SB_INPUT_OPTIONS]; /* digests of the files of sb_input_options; NULL: none, or unknown */
  bool         stands; /* a stored case, whose plug-in or simulator is not here: its result counts, it is not run */
} sb_planned_case;

/* In an arena; several plans of the arena may share data of cases. */
typedef struct {
  sb_arena        *arena;
  size_t           count;
  sb_planned_case *cases;
  size_t           axis_count;
  char **axes; /* columns, options and `method`: the axes of the request in its order, what methods set and expressions
                  name, and all others that vary */
} sb_plan;

/* A part of the cases of a request, and how they run: -f, -x, --quick, and -p or --save for options that no key has. */
typedef struct {
  const char        *filter, *exclude; /* expressions, NULL: none */
  bool               quick;            /* as in the section `quick`; without it two values of numeric axes */
  size_t             override_count;
  const char *const *overrides; /* KEY=V */
} sb_selection;

/* The cases of a sweep and its request (request.h). NULL after E104 … E108 if it does not expand to valid, distinct
 * cases. `selection` NULL: all of them. A plan has no cases if filter and exclude left none. Cases that a request made
 * equal are one, the first. */
sb_plan *sb_plan_create(const sb_sweep *sweep, const sb_selection *selection, const sb_session *session);

/* True if it selects all cases of the request. True for NULL. */
bool sb_selection_is_whole(const sb_selection *selection);
/* Checks the sweep's expressions over all of its planned cases. False after E106: a `where` that selects none of them,
 * or a column[key=value] that selects none or several; or E100, E101: missing published tables, columns and cells.
 * `plan` is of the whole sweep; if it is NULL, one is made here, and if that fails, nothing is reported. */
bool sb_sweep_check_expressions(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session);
/* Adds a column to the results of a plan: an option, or `method`. It does nothing for a column that exists, for other
 * names, and for options that are SB_STORED_ONLY. */
void sb_plan_add_column(sb_plan *plan, const char *name);
/* Builds the nets of the cases that are to run, each once, and checks every case on its net, as the case itself does
 * before it runs. False after E1xx, E2xx with the location in the faulty file. Every mesh and data file is read at
 * least once; beyond some millions of vertices scenes are left to their cases, to limit the time. */
bool sb_plan_check_scenes(const sb_plan *plan, const sb_session *session);

/* The value of an option, or of `method`, for rows, expressions and tables; a word is borrowed from the case. It is
 * blank if the case does not read the option or has no value of it, or if there is no option of that name. */
sb_value sb_case_value(const sb_planned_case *c, const char *name);
/* The same as a text; "" if it is blank. */
const char *sb_case_text(const sb_planned_case *c, const char *name);
/* varying: the axes that differ between cases, [axis_count] in the arena. put: writes a case's values of these,
 * "substeps=9 drag=0.001"; false, with nothing written, if it has none. */
bool *sb_plan_varying(const sb_plan *plan, sb_arena *arena);
bool  sb_plan_put_case(const sb_plan *plan, const bool *varying, const sb_planned_case *c, FILE *stream);
/* plan.json: every case with all options, canonical (malloc'ed text). `file`: where the sweep file is, from the results
 * directory; NULL: unknown. */
char *sb_plan_json(const sb_sweep *sweep, const sb_plan *plan, const char *file);
/* That file, in the text of a plan.json (NULL: none); NULL: unknown. */
char *sb_plan_sweep_file(const char *text, sb_arena *arena);
/* The session's vocabulary with the methods of plug-ins that the plan in `text` names (NULL: none). A sweep and a plan
 * that are read with it show results of plug-ins that are not loaded. */
const sb_vocabulary *sb_plan_vocabulary(const char *text, const sb_session *session);
/* Reads the plan in `text`, with that vocabulary, from the file `name`; NULL after E110 or E113. All options have the
 * origin SB_FROM_USER. */
sb_plan *sb_plan_from_json(const char *text, const char *name, const sb_session *session);
/* The cases of `made`, the plan of a request, that are in `asked` (NULL: none) or in `stored` (NULL: none), in the
 * order of `made`, whose columns it has. They have options that no key has, such as `save`, from the two. `made` NULL,
 * as the request cannot be planned: the cases of the two, by key. */
sb_plan *sb_plan_known(const sb_plan *made, const sb_plan *stored, const sb_plan *asked, sb_arena *arena);
/* The cases of a plan for which `kept` [plan->count] is true. */
sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena);
/* True if the vocabulary has the plug-ins and simulators of all cases. */
bool sb_plan_is_here(const sb_plan *plan, const sb_vocabulary *vocabulary);
/* Puts stored cases in the place of those of `made` whose plug-in or simulator is not in the vocabulary: of the same
 * key, or else of the same command, as the key has the content of the plug-in. */
void sb_plan_stand_in(sb_plan *made, const sb_plan *stored, const sb_vocabulary *vocabulary);
/* The first case of `stored` that `made` has under another key, because a file that it names has changed; NULL: none.
 */
const sb_planned_case *sb_plan_changed(const sb_plan *made, const sb_plan *stored);
