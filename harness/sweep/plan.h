/* From a sweep to its cases: expansion, overrides, filters, keys. Local; no PETSc. */
#pragma once

#include "base/time_grid.h"
#include "cases/describe/case_options.h"
#include "harness/sweep/sweep.h"

typedef struct {
  char         key[SB_KEY_LENGTH + 1];
  sb_options  *options; /* resolved: scene's defaults and time */
  sb_time_grid time;
  const char  *method;                   /* value of the axis `method`, NULL when the sweep has none */
  const char  *command;                  /* "springbench case key=value …": repeats the case; shell-quoted */
  const char  *skipped;                  /* why it is not run (exclude:), NULL: it runs */
  const char  *inputs[SB_INPUT_OPTIONS]; /* digests of the files that sb_input_options name; NULL: none, or unknown */
} sb_planned_case;

/* Lives in an arena; what cases point to may belong to several plans of it. */
typedef struct {
  sb_arena        *arena;
  size_t           count;
  sb_planned_case *cases;
  json_t          *methods; /* of a stored plan: options that the methods of its sweep set; NULL: unknown */
  size_t           axis_count;
  char           **axes; /* names of the options (and `method`) that are columns: the sweep file's axes in its order,
                            what methods set, what its expressions name, and whatever else varies */
  size_t varied_count;
  char **varied; /* names of the columns to which -p gave several values at once */
} sb_plan;

/* -p KEY=V[,V…], -f, -x, --quick, --ranks, --save. */
typedef struct {
  size_t             override_count;
  const char *const *overrides;
  const char        *filter, *exclude; /* expressions, NULL: none */
  bool               quick;            /* as the section `quick` says; without it two values of numeric axes */
  int                ranks;            /* 0: as the sweep says */
  const char        *save;             /* NULL: as the sweep says */
} sb_plan_request;

/* NULL and diagnostics (E104 … E108) when the sweep does not expand to valid, distinct cases. `request` may be NULL.
 * A plan without cases means that filter and exclude left none. Equal cases from different blocks are an error, but are
 * one case where overrides made them equal. */
sb_plan *sb_plan_create(const sb_sweep *sweep, const sb_plan_request *request, const sb_session *session);

/* Tells whether a plan made on this request has all cases of the sweep as its file has them. NULL: it has. */
bool sb_request_is_whole(const sb_plan_request *request);
/* The check of the sweep's expressions over all of its planned cases: E106 for a `where` that takes none of them and
 * for a column[key=value] that selects none or several, E100 and E101 for published tables, columns and cells that are
 * not there. `plan` is of the whole sweep; NULL: one is made here, and where that cannot be, nothing is said. False
 * when there was an error. */
bool sb_sweep_check_expressions(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session);
/* Adds a column to the results of a plan: an option, or `method`. Not what is there, no option, or only stored. */
void sb_plan_add_column(sb_plan *plan, const char *name);
/* Adds such a column, and notes that -p gave it several values. */
void sb_plan_add_varied(sb_plan *plan, const char *name);
/* Builds the scenes of the cases that are to run, each once, and asks their drivers: what a case would be refused for
 * is told here (E1xx, E2xx, in the file that is wrong), and nothing starts; and what it will be warned of. Every mesh
 * and data file is read at least once; beyond some millions of vertices scenes are left to their cases, so that the
 * answer comes soon. */
bool sb_plan_check_scenes(const sb_plan *plan, const sb_session *session);

/* Counts the vertices that a scene without a file will have; 0 where only its building tells. */
double sb_planned_vertices(const sb_options *options);

/* The value of an option (or of `method`, by name) as rows, expressions and tables see it: a number, a truth value, or
 * a word borrowed from the case. It is blank if the case does not read the option or has no value of it, or if there is
 * no option of that name. */
sb_value sb_case_value(const sb_planned_case *c, const char *name);
/* Which axes differ between cases, [axis_count] in the arena; and what a case has of these, "substeps=9 drag=0.001".
 * False where it has none of them: then nothing is written. */
bool *sb_plan_varying(const sb_plan *plan, sb_arena *arena);
bool  sb_plan_put_case(const sb_plan *plan, const bool *varying, const sb_planned_case *c, FILE *stream);
/* plan.json: every case with all options, canonical (malloc'ed text). */
char *sb_plan_json(const sb_sweep *sweep, const sb_plan *plan);
/* The plan that was written to `text`, which stands in the file `name`; NULL and a diagnostic (E110, E113) when it is
 * none. Its options have the origin SB_FROM_USER. */
sb_plan *sb_plan_from_json(const char *text, const char *name, const sb_session *session);
/* Makes a plan that was read (from the file `name`) fit to run: its options get the origins that the command lines give
 * them. False and a diagnostic (E114) when a case is not the same any more, because a file it names has changed. */
bool sb_plan_restore(sb_plan *plan, const char *name, const sb_session *session);
/* Renames the methods of a stored plan's cases by the options that they set: a sweep file that was edited since may
 * have these options under another name. If the sweep has no such method any more, the case has none. */
void sb_plan_rename_methods(sb_plan *plan, const sb_sweep *sweep);
/* The cases of a plan for which `kept` [plan->count] is true. */
sb_plan *sb_plan_part(const sb_plan *plan, const bool *kept, sb_arena *arena);
/* The same without the columns that only the other cases needed: what is left are those of `made`, the plan that the
 * sweep makes by itself, and what varies. `made` NULL: all columns. */
sb_plan *sb_plan_narrow(const sb_plan *plan, const bool *kept, const sb_plan *made, sb_arena *arena);
/* The union by keys. In the order of `stored` (NULL: nothing) when that has everything and more, else what was asked
 * for first. */
sb_plan *sb_plan_join(const sb_plan *stored, const sb_plan *asked, sb_arena *arena);
/* Gives the cases of `plan` what they are in `full`, the plan of the sweep as it is now: its order, its names of
 * methods, what it excludes. Cases that it does not have come last. */
void sb_plan_follow(sb_plan *plan, const sb_plan *full);
