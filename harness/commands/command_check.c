/* `springbench check SWEEP.yaml`: parse, type-check, expand; errors as file:line:column. */
#include "harness/commands/sweep_job.h"

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

static int run_check(int argc, char **argv, const sb_session *session)
{
  if (argc < 2) return sb_command_usage(&sb_command_check);
  int status = SB_EXIT_OK;
  for (int i = 1; i < argc; ++i) {
    if (sb_command_no_flag(&sb_command_check, argv[i]) != SB_EXIT_OK) return SB_EXIT_USAGE;
    sb_sweep_job             job;
    sb_session               own = sb_session_begin(session->vocabulary, session->drivers);
    const sb_sweep_arguments arguments = {.arena = own.arena, .input_count = 1};
    if (sb_sweep_job_open(&arguments, argv[i], &own, &job) == SB_EXIT_OK)
      print_counts(argv[i], job.plan, job.sweep);
    else
      status = SB_EXIT_USAGE;
    sb_session_end(&own, stderr);
  }
  return status;
}

const sb_command sb_command_check = {"check", "SWEEP.yaml ...", "parse and type-check sweep files", run_check};
