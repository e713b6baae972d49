/* What `plan` and `run` share: the sweep file or results directory a user names, and the options that shape it. */
#pragma once

#include <jansson.h>

#include "harness/commands/command.h"
#include "harness/run/runner.h"

enum { SB_OVERRIDES_MAX = 64 };

typedef struct {
  const char     *input;      /* as the user gave it */
  char           *sweep_path; /* owned */
  char           *directory;  /* owned: -o, or the directory given, or results/NAME (NAME-quick) */
  const char     *overrides[SB_OVERRIDES_MAX];
  sb_plan_request request;
  sb_run_request  run;
  bool            narrowed;  /* a filter was given */
  bool            is_stored; /* a results directory was given, and no other directory to write to */
} sb_sweep_command;

/* Reads the arguments of `plan` or `run` (argp; --help works). SB_EXIT_OK, or a status to leave with. */
int sb_sweep_command_read(const sb_command *command, int argc, char **argv, sb_sweep_command *arguments);
/* Reads the sweep and makes the plan, messages printed; NULL pair and a status to leave with when it cannot. */
int sb_sweep_command_plan(sb_sweep_command *arguments, const sb_session *session, sb_sweep **sweep, sb_plan **plan);
/* The run events of the results directory that has this sweep file; empty where it is in none. NULL: there is a journal
 * that cannot be read. The caller gives the reference back. */
json_t *sb_stored_runs(const char *sweep_path);
/* Input files are looked for beside this sweep file from now on, or where the last of its directory's runs found them;
 * unless the user's environment says where. */
void sb_use_inputs_of(const char *sweep_path, const json_t *runs);
/* The plan stored in the directory, where one was given and nothing that shapes a plan; what the line leaves open of
 * the run's settings is set as in the last run. NULL where the sweep is to be planned: nothing is stored, or the sweep
 * file there was edited; or after an error (E114). */
sb_plan *sb_sweep_command_stored_plan(sb_sweep_command *arguments, const sb_sweep *sweep, const json_t *runs,
                                      const sb_session *session);
void     sb_sweep_command_clear(sb_sweep_command *arguments);
/* Tables, figures and the report of what is there; the pages of all sweeps beside this one. An exit status. */
int sb_command_write_reports(const char *directory, const sb_session *session);
