/* `springbench plan`: what run would do, case by case, and how much it would store. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/commands/command_sweep.h"
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

/* What the directory's journal has, for --rerun. */
typedef struct {
  sb_rerun         rerun;
  sb_journal_state journal;
  char            *build, *machine;
} repeat;

static void open_repeat(repeat *r, const sb_run_request *run)
{
  *r = (repeat){0};
  if (run->rerun == SB_RERUN_MISSING) return;
  char *path = sb_format("%s/journal.jsonl", run->directory);
  *r = (repeat){.rerun = run->rerun, .build = sb_build_name(run->program), .machine = sb_machine_name()};
  sb_journal_read(path, &r->journal); /* what cannot be read has no cases */
  free(path);
}

static void close_repeat(repeat *r)
{
  sb_journal_clear(&r->journal);
  free(r->build);
  free(r->machine);
}

static bool is_repeated(const repeat *r, const char *directory, const char *key)
{
  const json_t       *event = json_object_get(r->journal.cases, key);
  const sb_case_state state = sb_case_state_of(&r->journal, directory, key, r->build, r->machine);
  return event && sb_rerun_takes(r->rerun, state, event);
}

/* What the results directory knows of a case, and the seconds it took (0: not known). */
static const char *state_of(const sb_results *results, const sb_planned_case *c, double *seconds)
{
  *seconds = 0;
  if (c->skipped) return "skipped";
  for (size_t row = 0; results && row < sb_rows_count(results->rows); ++row) {
    const sb_value key = sb_rows_get_named(results->rows, row, "key");
    if (key.kind != SB_WORD || strcmp(key.word, c->key) != 0) continue;
    const sb_value status = sb_rows_get_named(results->rows, row, "status");
    const sb_value wall = sb_rows_get_named(results->rows, row, "wall_s");
    if (wall.kind == SB_NUMBER) *seconds = wall.number;
    return status.kind == SB_WORD && *status.word ? "done" : "missing";
  }
  return "missing";
}

static void print_plan(const sb_sweep *sweep, const sb_plan *plan, const sb_results *results, const sb_run_request *run)
{
  repeat again;
  open_repeat(&again, run);
  size_t missing = 0, done = 0, skipped = 0;
  double bytes = 0, seconds = 0, known = 0;
  printf("%s: %zu cases into %s", sweep->name, plan->count, run->directory);
  if (run->shards > 1) printf("; of them shard %d/%d", run->shard, run->shards);
  putchar('\n');
  for (size_t i = 0; i < plan->count; ++i) {
    double took = 0;
    if (!sb_run_request_takes(run, i)) continue;
    const char *state = state_of(results, &plan->cases[i], &took);
    if (strcmp(state, "done") == 0 && is_repeated(&again, run->directory, plan->cases[i].key)) state = "again";
    print_case(plan, &plan->cases[i], state);
    if (took > 0) {
      seconds += took;
      known += 1;
    }
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
  close_repeat(&again);
}

static int run_plan(int argc, char **argv, const sb_session *session)
{
  sb_sweep_command arguments;
  sb_sweep        *sweep = NULL;
  sb_plan         *plan = NULL;
  int              status = sb_sweep_command_read(&sb_command_plan, argc, argv, &arguments);
  if (status == SB_EXIT_OK) status = sb_sweep_command_plan(&arguments, session, &sweep, &plan);
  if (status == SB_EXIT_OK) {
    sb_session silent = *session; /* there may be no directory yet */
    silent.diagnostics = NULL;
    print_plan(sweep, plan, sb_results_open(arguments.directory, &silent), &arguments.run);
  }
  sb_sweep_command_clear(&arguments);
  return status;
}

const sb_command sb_command_plan = {
    "plan",
    "SWEEP.yaml|DIR [options of run]",
    "what run would do: cases, keys, what is skipped and why",
    run_plan,
};
