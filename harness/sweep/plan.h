/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes the cases of a sweep: expansion, overrides, filters, keys. Local; no PETSc. */
#pragma once

#include "base/time_grid.h"
#include "cases/describe/case_options.h"
#include "harness/sweep/sweep.h"

/* The axes whose values are names that stand for several options: `method`, then those of sb_case_names. */
enum { SB_NAMED_METHOD, SB_NAMINGS = 1 + SB_CASE_NAMES };
const char *sb_naming_axis(int naming);

typedef struct {
  char         key[SB_KEY_LENGTH + 1];
  sb_options  *options; /* resolved: with the scene's defaults and time */
  sb_time_grid time;
  const char  *method;              /* value of the axis `method`; NULL: the sweep has none, or -p changed it */
  const char  *changed[SB_NAMINGS]; /* "NAME with OPTION=VALUE …": -p changed what it stands for; NULL: it did not */
  const char  *command;             /* "springbench case key=value …": repeats the case; shell-quoted */
  const char  *skipped;             /* why it is not run (exclude:), NULL: it runs */
  const char  *inputs[SB_INPUT_OPTIONS]; /* digests of the files of sb_input_options; NULL: none, or unknown */
} sb_planned_case;

/* In an arena; several plans of the arena may share data of cases. */
typedef struct {
  sb_arena        *arena;
  size_t           count;
  sb_planned_case *cases;
  json_t          *methods; /* of a stored plan: options that the methods of its sweep set; NULL: unknown */
  json_t          *added;   /* the same of methods that a command line added; NULL: none */
  size_t           axis_count;
  char **axes; /* columns, options and `method`: the file's axes in its order, what methods set and expressions name,
                  and all others that vary */
  size_t varied_count;
  char **varied; /* names of the columns to which -p gave several values at once */
} sb_plan;

/* -p KEY=V[,V…], -f, -x, --quick, --ranks, --save, --method. */
typedef struct {
  size_t             override_count;
  const char *const *overrides;
  const char        *filter, *exclude; /* expressions, NULL: none */
  bool               quick;            /* as in the section `quick`; without it two values of numeric axes */
  int                ranks;            /* 0: the sweep's */
  const char        *save;             /* NULL: the sweep's */
  bool               added;            /* the methods that the command line adds, unless -p names others */
} sb_plan_request;

/* NULL after E104 … E108 if the sweep does not expand to valid, distinct cases. `request` may be NULL. A plan has no
 * cases if filter and exclude left none. Cases that overrides made equal are one. */
sb_plan *sb_plan_create(const sb_sweep *sweep, const sb_plan_request *request, const sb_session *session);

/* True if a plan made on this request has all cases of the sweep file. True for NULL. */
bool sb_request_is_whole(const sb_plan_request *request);
/* Checks the sweep's expressions over all of its planned cases. False after E106: a `where` that selects none of them,
 * or a column[key=value] that selects none or several; or E100, E101: missing published tables, columns and cells.
 * `plan` is of the whole sweep; if it is NULL, one is made here, and if that fails, nothing is reported. */
bool sb_sweep_check_expressions(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session);
/* Add a column to the results of a plan: an option, or `method`. They do nothing for a column that exists, for other
 * names, and for options that are SB_STORED_ONLY. The second records that -p gave it several values. */
void sb_plan_add_column(sb_plan *plan, const char *name);
void sb_plan_add_varied(sb_plan *plan, const char *name);
/* Builds the nets of the cases that are to run, each once, and checks every case on its net, as the case itself does
 * before it runs. False after E1xx, E2xx with the location in the faulty file. Every mesh and data file is read at
 * least once; beyond some millions of vertices scenes are left to their cases, to limit the time. */
bool sb_plan_check_scenes(const sb_plan *plan, const sb_session *session);

/* The value of an option, or of `method`, for rows, expressions and tables; a word is borrowed from the case. It is
 * blank if the case does not read the option or has no value of it, or if there is no option of that name. */
sb_value sb_case_value(const sb_planned_case *c, const char *name);
/* The text that tells the case from others on an axis: the value, or `changed` of a name; "" if it has none there. */
const char *sb_case_label(const sb_planned_case *c, const char *axis);
/* `changed` of the name on this axis; NULL also for other axes. */
const char *sb_case_changed(const sb_planned_case *c, const char *axis);
/* True if the sweep does not have the case's method: the command line added it, or -p changed it. */
bool sb_case_method_is_foreign(const sb_plan *plan, const sb_planned_case *c);
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
/* Makes a plan that was read from the file `name` ready to run: its options get the origins that the command lines give
 * them. False after E114: a file that a case names has changed; or E106: a plug-in is not loaded. */
bool sb_plan_restore(sb_plan *plan, const char *name, const sb_session *session);
/* The added methods in the text of a stored plan: a new object; NULL if there are none. */
json_t *sb_plan_added(const char *text);
/* E106 if a method of `plan` that a command line added has the name of one of `others` with other options. */
bool sb_plan_check_added(const sb_plan *plan, const json_t *others, sb_location where, sb_diagnostics *diagnostics);
/* Renames the methods of a stored plan's cases by the options that they set, as the sweep file may have been edited
 * since. If the sweep has no such method any more, the case has none. */
void sb_plan_rename_methods(sb_plan *plan, const sb_sweep *sweep);
/* The cases of a plan for which `kept` [plan->count] is true. */
sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena);
/* The same without the columns that only the other cases needed: it keeps those of `made`, the plan of the sweep
 * itself, and those that vary. `made` NULL: all columns. */
sb_plan *sb_plan_narrow(const sb_plan *plan, const bool *kept, const sb_plan *made, sb_arena *arena);
/* The union by keys. In the order of `stored` (NULL: empty) if that has all of `asked`, else with `asked` first. */
sb_plan *sb_plan_join(const sb_plan *stored, const sb_plan *asked, sb_arena *arena);
/* Gives the cases of `plan` their order, names of methods and exclusion from `full`, the plan of the current sweep.
 * Cases that it does not have come last. */
void sb_plan_follow(sb_plan *plan, const sb_plan *full);
/* The same, in an order that depends only on what the plan has, not on how it was put together. Columns of `full`
 * (NULL: none) come first, then options as in base/options.def. The last cases are ordered by the values in all
 * columns. */
sb_plan *sb_plan_arrange(const sb_plan *plan, const sb_plan *full);
