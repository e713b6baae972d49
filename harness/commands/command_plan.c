/* `springbench plan`: what run would do, case by case, and how much it would store. */
#include <stdlib.h>
#include <string.h>

#include "harness/commands/sweep_job.h"
#include "harness/store/journal.h"
#include "model/scene.h"

enum { CASE_FILE_BYTES = 65536 }; /* of a file without frames: groups, attributes, views */

/* Bytes of a case's file: two vectors a vertex for every stored frame, and the springs. 0 when the scene has errors. */
static double predicted_bytes(const sb_planned_case *c)
{
  sb_pose pose = {0};
  double  bytes = 0;
  if (sb_scene_build(c->options, &pose, NULL)) {
    const char *save = SB_TEXT(c->options, save);
    double      frames = 1;
    if (strcmp(save, "none") == 0) frames = 0;
    if (strncmp(save, "every:", 6) == 0) frames = (double)c->time.frames / strtod(save + 6, NULL) + 1;
    bytes = CASE_FILE_BYTES + 48 * frames * (double)pose.vertices + 25 * (double)pose.springs;
  }
  sb_pose_clear(&pose);
  return bytes;
}

static void print_case(const sb_plan *plan, const sb_planned_case *c, const char *state)
{
  printf("  %s  %-8s", c->key, state);
  for (size_t i = 0; i < plan->axis_count; ++i) {
    const sb_option_id id = sb_option_find(plan->axes[i]);
    const char        *value = id == SB_OPT_COUNT ? c->method : sb_options_text(c->options, id);
    printf("  %s=%s", plan->axes[i], value && *value ? value : "-");
  }
  printf("%s%s\n", c->skipped ? "  because: " : "", c->skipped ? c->skipped : "");
}

/* The directory as its journal has it, and this build and machine, for --rerun. */
typedef struct {
  const sb_run_request *request;
  sb_journal_state      journal;
  const char           *build, *machine;
} past;

static const char *state_of(const past *p, const sb_planned_case *c, double *seconds)
{
  const json_t       *event = json_object_get(p->journal.cases, c->key);
  const sb_case_state state = sb_case_state_of(&p->journal, p->request->directory, c->key, p->build, p->machine);
  *seconds = 0;
  if (c->skipped) return "skipped";
  if (state == SB_STATE_PLANNED || state == SB_STATE_PENDING) return "missing";
  *seconds = json_number_value(json_object_get(json_object_get(event, "row"), "wall_s"));
  return sb_rerun_takes(p->request->rerun, state, event) ? "again" : "done";
}

static void print_plan(const sb_sweep *sweep, const sb_plan *plan, const past *p)
{
  size_t missing = 0, done = 0, skipped = 0;
  double bytes = 0, seconds = 0, known = 0;
  printf("%s: %zu cases into %s", sweep->name, plan->count, p->request->directory);
  if (p->request->shards > 1) printf("; of them shard %d/%d", p->request->shard, p->request->shards);
  putchar('\n');
  for (size_t i = 0; i < plan->count; ++i) {
    double took = 0;
    if (!sb_run_request_takes(p->request, i)) continue;
    const char *state = state_of(p, &plan->cases[i], &took);
    print_case(plan, &plan->cases[i], state);
    seconds += took;
    known += took > 0;
    done += strcmp(state, "done") == 0;
    skipped += strcmp(state, "skipped") == 0;
    if (strcmp(state, "missing") != 0 && strcmp(state, "again") != 0) continue;
    missing++;
    bytes += predicted_bytes(&plan->cases[i]);
  }
  printf("%zu to run, %zu done, %zu skipped; about %.1f MB to store", missing, done, skipped, bytes / 1e6);
  if (missing > 0 && known > 0)
    printf(", about %.0f s by the mean of those done", seconds / known * (double)missing);
  else if (missing > 0)
    printf("; no time to go by, since none has run");
  putchar('\n');
}

static int run_plan(int argc, char **argv, const sb_session *session)
{
  sb_sweep_arguments arguments;
  int                status = sb_sweep_arguments_read(&sb_command_plan, argc, argv, session, &arguments);
  for (size_t i = 0; status == SB_EXIT_OK && i < arguments.input_count; ++i) {
    sb_sweep_job job;
    status = sb_sweep_job_open(&arguments, arguments.inputs[i], session, &job);
    sb_command_messages(session);
    if (status != SB_EXIT_OK) break;
    past p = {.request = &job.run,
              .build = sb_build_name(job.run.program, session->arena),
              .machine = sb_machine_name(session->arena)};
    sb_journal_read(sb_arena_format(session->arena, "%s/journal.jsonl", job.directory), &p.journal);
    print_plan(job.sweep, job.plan, &p); /* a journal that cannot be read has no cases */
    sb_journal_clear(&p.journal);
  }
  return status;
}

const sb_command sb_command_plan = {
    "plan",
    "SWEEP.yaml|DIR... [options of run]",
    "what run would do: cases, keys, what is skipped and why",
    run_plan,
};
