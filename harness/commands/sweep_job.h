/* The sweeps that `plan`, `run` and `check` are about: sweep files or results directories as a user names them, and the
 * options that shape what becomes of them. */
#pragma once

#include "harness/commands/command.h"
#include "harness/run/runner.h"

enum { SB_OVERRIDES_MAX = 64 };

/* The command line, read by argp. */
typedef struct {
  size_t          input_count;
  const char    **inputs;
  const char     *output; /* -o: a results directory; of several sweeps the folder that gets them; NULL: results */
  const char     *overrides[SB_OVERRIDES_MAX];
  sb_plan_request request;
  sb_run_request  run;            /* its directory is of a job */
  bool            narrowed;       /* a filter was given */
  bool            inputs_by_user; /* the environment says where files are that cases name */
  sb_arena       *arena;
} sb_sweep_arguments;

/* SB_EXIT_OK, or a status to leave with. --help and errors of usage end the process. */
int sb_sweep_arguments_read(const sb_command *command, int argc, char **argv, const sb_session *session,
                            sb_sweep_arguments *arguments);

/* One of the sweeps. All of it lives in the session's arena. */
typedef struct {
  const char    *sweep_path, *directory;
  bool           is_stored; /* a results directory was given, and no other directory to write to */
  const char    *inputs;    /* where files that cases name are looked for; NULL: where the user says */
  sb_sweep      *sweep;
  sb_plan       *plan;
  sb_run_request run;
} sb_sweep_job;

/* Reads the sweep and makes the plan, or takes the one that is stored where nothing is asked that shapes another.
 * SB_EXIT_OK, or a status to leave with: SB_EXIT_USAGE after diagnostics, SB_EXIT_NO_MATCH where the filter left no
 * case. */
int sb_sweep_job_open(const sb_sweep_arguments *arguments, const char *input, const sb_session *session,
                      sb_sweep_job *job);
/* From here on files that cases name are looked for where those of this job are. */
void sb_sweep_job_use_inputs(const sb_sweep_job *job);
