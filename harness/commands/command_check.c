/* `springbench check SWEEP.yaml`: parse, type-check, expand; errors as file:line:column. */
#include "harness/commands/command.h"
#include "harness/sweep/plan_scenes.h"
#include "harness/sweep/sweep_files.h"

static int run_check(int argc, char **argv, const sb_driver_list *drivers)
{
  if (argc < 2) return sb_command_usage(&sb_command_check);
  const sb_vocabulary *vocabulary = sb_vocabulary_of(drivers);
  int                  status = SB_EXIT_OK;
  for (int i = 1; i < argc; ++i) {
    if (sb_command_no_flag(&sb_command_check, argv[i]) != SB_EXIT_OK) return SB_EXIT_USAGE;
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    sb_sweep       *sweep = sb_sweep_read(argv[i], vocabulary, diagnostics);
    sb_plan        *plan = sweep ? sb_plan_create(sweep, NULL, vocabulary, diagnostics) : NULL;
    const bool      named = sweep && sb_sweep_check_files(sweep, diagnostics);
    if (plan && named && sb_plan_check_scenes(plan, drivers, diagnostics))
      printf("%s: %zu cases, %zu tables, %zu figures, %zu animations, %zu claims\n", argv[i], plan->count,
             sweep->table_count, sweep->figure_count, sweep->animation_count, sweep->claim_count);
    sb_plan_destroy(&plan);
    sb_sweep_destroy(&sweep);
    if (sb_command_messages(&diagnostics) != SB_EXIT_OK) status = SB_EXIT_USAGE;
  }
  return status;
}

const sb_command sb_command_check = {"check", "SWEEP.yaml ...", "parse and type-check sweep files", run_check};
