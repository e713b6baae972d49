/* What `run DIR` and `plan DIR` are about when nothing else is asked for: the cases that were asked for so far, by the
 * settings of the last run; see command_sweep.h. What `status` says to type is that and no more. */
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "harness/commands/command_sweep.h"
#include "harness/common/digest.h"
#include "harness/common/durable.h"
#include "harness/run/repetitions.h"
#include "harness/store/journal.h"

/* True when the user says which cases, or where to. */
static bool asks_anew(const sb_sweep_command *a)
{
  const sb_plan_request *r = &a->request;
  return !a->is_stored || r->override_count > 0 || r->filter || r->exclude || r->quick || r->ranks > 0 || r->save ||
         a->run.shards > 1;
}

/* The sweep file in the directory is not the one of any run that noted which it was. */
static bool sweep_was_edited(const json_t *runs, const sb_sweep *sweep)
{
  char          digest[SB_DIGEST_LENGTH + 1];
  size_t        i;
  const json_t *run;
  bool          noted = false;
  sb_digest_of_text(sweep->text, digest);
  json_array_foreach(runs, i, run)
  {
    const char *of = json_string_value(json_object_get(run, "sweep"));
    if (of && strcmp(of, digest) == 0) return false;
    noted = noted || of;
  }
  return noted;
}

static void settle(double *setting, const json_t *run, const char *name)
{
  if (*setting <= 0) *setting = json_number_value(json_object_get(run, name));
}

/* What the line leaves open is as it was. */
static void take_settings(sb_run_request *request, const json_t *run)
{
  const json_t *repetitions = json_object_get(run, "repetitions"), *warm_up = json_object_get(run, "warm_up");
  settle(&request->time_limit_seconds, run, "time_limit");
  settle(&request->memory_limit_bytes, run, "memory_limit");
  if (request->warm_up < 0 && warm_up) request->warm_up = (int)json_integer_value(warm_up);
  if (request->jobs == 0) request->jobs = (int)json_integer_value(json_object_get(run, "jobs"));
  if (request->repetitions == 0 && json_is_integer(repetitions))
    request->repetitions = (int)json_integer_value(repetitions);
  if (request->repetitions == 0 && json_is_string(repetitions)) request->repetitions = SB_REPETITIONS_AUTO;
  request->quick = json_is_true(json_object_get(run, "quick"));
}

static sb_plan *read_plan(const char *path, const sb_session *session)
{
  sb_session silent = *session; /* damage is told by the run, which makes the plan anew */
  silent.diagnostics = NULL;
  char    *text = sb_read_file(path, NULL);
  sb_plan *plan = text ? sb_plan_from_json(text, path, &silent) : NULL;
  free(text);
  return plan && plan->count > 0 && sb_plan_restore(plan, path, session) ? plan : NULL;
}

json_t *sb_stored_runs(const char *sweep_path)
{
  sb_journal_state journal;
  const char      *slash = strrchr(sweep_path, '/');
  const int        folder = slash ? (int)(slash + 1 - sweep_path) : 0;
  char            *path = sb_format("%.*sjournal.jsonl", folder, sweep_path);
  const bool       read = sb_journal_read(path, &journal);
  json_t          *runs = read ? json_incref(journal.runs) : NULL;
  sb_journal_clear(&journal);
  free(path);
  return runs;
}

/* NULL where there is none. */
static const json_t *last_run(const json_t *runs)
{
  const size_t count = json_array_size(runs);
  return count > 0 ? json_array_get(runs, count - 1) : NULL;
}

sb_plan *sb_sweep_command_stored_plan(sb_sweep_command *arguments, const sb_sweep *sweep, const json_t *runs,
                                      const sb_session *session)
{
  if (asks_anew(arguments) || !runs) return NULL;
  if (sweep_was_edited(runs, sweep)) {
    fprintf(stderr, "springbench: %s/sweep.yaml was changed: the cases are those it has now\n", arguments->directory);
    return NULL;
  }
  char    *path = sb_arena_format(session->arena, "%s/plan.json", arguments->directory);
  sb_plan *plan = read_plan(path, session);
  if (plan && last_run(runs)) take_settings(&arguments->run, last_run(runs));
  return plan;
}

void sb_use_inputs_of(const char *sweep_path, const json_t *runs)
{
  static bool chosen_by_user, asked;
  if (!asked) chosen_by_user = getenv(SB_INPUTS_VARIABLE) != NULL;
  asked = true;
  if (chosen_by_user) return;
  const char *slash = strrchr(sweep_path, '/'), *noted = json_string_value(json_object_get(last_run(runs), "inputs"));
  char       *beside = slash ? sb_copy_span(sweep_path, (size_t)(slash - sweep_path) + 1) : sb_copy_text(".");
  char       *folder = noted ? sb_copy_text(noted) : realpath(beside, NULL);
  if (folder) setenv(SB_INPUTS_VARIABLE, folder, 1);
  free(folder);
  free(beside);
}
