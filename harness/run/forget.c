/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forgetting cases; see forget.h. First the journal retires them, by one write and one sync; then their files and logs
 * are removed, and last their places in the plan. A kill in between leaves cases in the plan that have no results. The
 * same command then forgets the rest; no other case is touched. */
#include "harness/run/forget.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "cases/common/exit_status.h"
#include "harness/results/full_rows.h"
#include "harness/run/run_state.h"

/* Which cases the filter selects, [plan->count]; NULL after a diagnostic. */
static bool *select_by_filter(const sb_results *results, const char *filter)
{
  const sb_session *session = &results->session;
  sb_arena         *arena = session->arena;
  const sb_scope    scope = sb_results_scope(results, arena);
  const size_t      before = sb_diagnostics_errors(session->diagnostics);
  const sb_check   *check = sb_check_create(session, results->sweep, results->sweep->driver, false, arena);
  sb_expression    *expression =
      sb_expression_parse(filter, (sb_location){"command line", 0, 0}, false, arena, session->diagnostics);
  if (!expression) return NULL;
  sb_expression_check(expression, check, true, session->diagnostics);
  if (sb_diagnostics_errors(session->diagnostics) > before) return NULL;
  return sb_expression_select(expression, &scope, session->diagnostics);
}

static void show(const sb_results *results, const bool *selected)
{
  const sb_plan *plan = results->plan;
  const bool    *varying = sb_plan_varying(plan, results->session.arena);
  for (size_t i = 0; i < plan->count; ++i) {
    const sb_value status = sb_rows_get_named(results->rows, i, "status");
    if (!selected[i]) continue;
    printf("%s  %-13s  ", plan->cases[i].key, status.kind == SB_WORD ? status.word : "not run");
    sb_plan_put_case(plan, varying, &plan->cases[i], stdout);
    putchar('\n');
  }
}

/* In the order given at the top of this file. */
static bool drop(sb_run_state *run, const sb_results *seen, const bool *selected, size_t count)
{
  sb_arena      *arena = run->session->arena;
  const sb_plan *plan = seen->plan;
  const char    *directory = run->request->directory;
  bool          *kept = sb_arena_take(arena, plan->count, sizeof *kept);
  const char   **keys = sb_arena_take(arena, count, sizeof *keys);
  size_t         n = 0;
  for (size_t i = 0; i < plan->count; ++i) {
    kept[i] = !selected[i];
    if (selected[i]) keys[n++] = plan->cases[i].key;
  }
  if (!sb_publish_forget(&run->publisher, count, keys)) return false;
  for (size_t i = 0; i < count; ++i) unlink(sb_arena_format(arena, "%s/logs/%s.txt", directory, keys[i]));
  run->plan = run->stored = sb_plan_narrow(plan, kept, sb_results_made_plan(seen), arena);
  SB_OWNED char *text = sb_run_plan_text(run);
  return text && sb_replace_file(directory, "plan.json", text, strlen(text));
}

static int forget(sb_run_state *run, const sb_forget_request *request, sb_results **results)
{
  const sb_results *seen = sb_results_open(request->directory, run->session);
  const bool       *selected = !seen             ? NULL
                               : request->filter ? select_by_filter(seen, request->filter)
                                                 : sb_full_rows_foreign(seen);
  size_t            count = 0;
  if (seen && !selected && !request->filter)
    sb_error_at(run->session->diagnostics, (sb_location){request->directory, 0, 0}, "E106",
                "the cases that the sweep makes cannot be determined; select the cases to drop with --filter");
  if (!selected) return SB_EXIT_USAGE;
  for (size_t i = 0; i < seen->plan->count; ++i) count += selected[i];
  if (count == 0) {
    sb_error_at(run->session->diagnostics, (sb_location){request->directory, 0, 0}, "E107", "%s",
                request->filter ? "no case matches" : "it has only cases that the sweep makes");
    return SB_EXIT_NO_MATCH;
  }
  show(seen, selected);
  fprintf(stderr, "springbench: %s: %zu of %zu cases %s\n", request->directory, count, seen->plan->count,
          request->for_good ? "are forgotten" : "would be dropped; nothing was changed; --yes drops them");
  if (!request->for_good) return SB_EXIT_OK;
  fflush(stdout);
  if (!drop(run, seen, selected, count)) return SB_EXIT_STORAGE;
  *results = sb_run_results(run);
  return *results ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

int sb_forget(const sb_forget_request *request, const sb_session *session, sb_results **results)
{
  const sb_run_request as_run = {.directory = request->directory, .shard = 1, .shards = 1};
  sb_run_state         run = {.session = session, .request = &as_run, .lock = -1, .journal.descriptor = -1};
  *results = NULL;
  run.sweep = sb_results_read_sweep(request->directory, session);
  int status = run.sweep ? SB_EXIT_OK : SB_EXIT_USAGE;
  if (status == SB_EXIT_OK && request->for_good) status = sb_run_take(&run);
  if (status == SB_EXIT_OK) status = forget(&run, request, results);
  sb_run_leave(&run);
  return status;
}
