/* `springbench check SWEEP.yaml`: parse, type-check, expand; errors as file:line:column. */
#include "harness/commands/command.h"
#include "harness/commands/command_sweep.h"
#include "harness/report/report.h"
#include "harness/sweep/plan_scenes.h"
#include "harness/sweep/sweep_files.h"

/* "rope.yaml: 1 case, 2 tables, 0 figures, …" */
static void print_counts(const char *path, const sb_plan *plan, const sb_sweep *sweep)
{
  const struct {
    size_t      count;
    const char *what;
  } parts[] = {{plan->count, "case"},
               {sweep->table_count, "table"},
               {sweep->figure_count, "figure"},
               {sweep->animation_count, "animation"},
               {sweep->claim_count, "claim"}};
  printf("%s:", path);
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    printf("%s %zu %s%s", i > 0 ? "," : "", parts[i].count, parts[i].what, parts[i].count == 1 ? "" : "s");
  putchar('\n');
}

static bool check(const char *path, const sb_session *session)
{
  json_t *runs = sb_stored_runs(path);
  sb_use_inputs_of(path, runs);
  json_decref(runs);
  const sb_sweep *sweep = sb_sweep_read(path, session);
  const sb_plan  *plan = sweep ? sb_plan_create(sweep, NULL, session) : NULL;
  const bool      named = sweep && sb_sweep_check_files(sweep, session);
  const bool      given = sweep && sb_figures_check(sweep, session->diagnostics);
  const bool      good = plan && named && given && sb_plan_check_scenes(plan, session);
  if (good) print_counts(path, plan, sweep);
  return good;
}

static int run_check(int argc, char **argv, const sb_session *session)
{
  if (argc < 2) return sb_command_usage(&sb_command_check);
  int status = SB_EXIT_OK;
  for (int i = 1; i < argc; ++i) {
    if (sb_command_no_flag(&sb_command_check, argv[i]) != SB_EXIT_OK) return SB_EXIT_USAGE;
    sb_session own = sb_session_begin(session->vocabulary, session->drivers);
    if (!check(argv[i], &own)) status = SB_EXIT_USAGE;
    sb_session_end(&own, stderr);
  }
  return status;
}

const sb_command sb_command_check = {"check", "SWEEP.yaml ...", "parse and type-check sweep files", run_check};
