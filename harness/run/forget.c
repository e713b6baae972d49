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
#include "cases/store/case_file.h"
#include "cases/store/hdf5_tools.h"
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

/* The settings of a case that is in no plan, from its file; "": they cannot be read. */
static const char *command_of(const char *directory, const char *key, sb_arena *arena)
{
  char           error[SB_ERROR_SIZE] = "";
  SB_OWNED char *path = sb_published_path(directory, key);
  const hid_t    file = sb_published_file_is_whole(path, error) ? sb_case_file_open(path, error) : -1;
  json_auto_t   *parameters = file >= 0 ? sb_h5_attributes(file, "parameters") : NULL;
  if (file >= 0) (void)sb_case_file_close(file, parameters, error);
  return sb_arena_copy(arena, sb_journal_text(parameters, "command"));
}

/* A line for each case: those of the plan that are not `kept` (NULL: all are), or others of the journal. */
static void show(const sb_results *results, const bool *kept, const char *const *keys, size_t count)
{
  const sb_plan *plan = results->plan;
  const bool    *varying = sb_plan_varying(plan, results->session.arena);
  for (size_t i = 0; kept && i < plan->count; ++i) {
    const sb_value status = sb_rows_get_named(results->rows, i, "status");
    if (kept[i]) continue;
    printf("%s  %-13s  ", plan->cases[i].key, status.kind == SB_WORD ? status.word : "not run");
    sb_plan_put_case(plan, varying, &plan->cases[i], stdout);
    putchar('\n');
  }
  for (size_t i = 0; !kept && i < count; ++i)
    printf("%s  %-13s  %s\n", keys[i],
           sb_journal_text(json_object_get(json_object_get(results->journal.cases, keys[i]), "row"), "status"),
           command_of(results->directory, keys[i], results->session.arena));
}

/* In the order given at the top of this file. */
static bool drop(sb_run_state *run, const sb_results *seen, const bool *kept, const char *const *keys, size_t count)
{
  sb_arena   *arena = run->session->arena;
  const char *directory = run->request->directory;
  if (!sb_publish_forget(&run->publisher, count, keys)) return false;
  for (size_t i = 0; i < count; ++i) unlink(sb_arena_format(arena, "%s/logs/%s.txt", directory, keys[i]));
  run->plan = run->stored = kept ? sb_plan_part(seen->plan, kept, arena) : seen->plan;
  SB_OWNED char *text = sb_run_plan_text(run);
  return text && sb_replace_file(directory, "plan.json", text, strlen(text));
}

static int forget(sb_run_state *run, sb_run_request *as_run, const sb_forget_request *request, sb_results **results)
{
  const sb_results *seen = sb_results_open(request->directory, run->session);
  sb_arena         *arena = run->session->arena;
  bool             *kept = seen && request->filter ? select_by_filter(seen, request->filter) : NULL;
  const char      **keys = NULL;
  size_t            count = 0, known = 0;
  if (!seen || (request->filter && !kept)) return SB_EXIT_USAGE;
  if (!kept) keys = sb_results_keys_aside(seen, &count, arena);
  for (size_t i = 0; kept && i < seen->plan->count; ++i) {
    if (kept[i]) *SB_NEW_ITEM(arena, keys, count) = seen->plan->cases[i].key;
    kept[i] = !kept[i];
  }
  if (count == 0) {
    sb_error_at(run->session->diagnostics, (sb_location){request->directory, 0, 0}, "E107", "%s",
                request->filter ? "no case matches" : "all of its results are of its request");
    return SB_EXIT_NO_MATCH;
  }
  known = seen->plan->count + (kept ? 0 : count);
  show(seen, kept, keys, count);
  fprintf(stderr, "springbench: %s: %zu of %zu cases %s\n", request->directory, count, known,
          request->for_good ? "are forgotten" : "would be dropped; nothing was changed; --yes drops them");
  if (!request->for_good) return SB_EXIT_OK;
  fflush(stdout);
  as_run->made = sb_results_made_plan(seen);
  if (!drop(run, seen, kept, keys, count)) return SB_EXIT_STORAGE;
  *results = sb_run_results(run);
  return *results ? SB_EXIT_OK : SB_EXIT_STORAGE;
}

int sb_forget(const sb_forget_request *request, const sb_session *session, sb_results **results)
{
  sb_run_request as_run = {.directory = request->directory, .shard = 1, .shards = 1};
  sb_run_state   run = {.session = session, .request = &as_run, .lock = -1, .journal.descriptor = -1};
  *results = NULL;
  run.sweep = sb_results_read_sweep(request->directory, session);
  int status = run.sweep ? SB_EXIT_OK : SB_EXIT_USAGE;
  if (status == SB_EXIT_OK && request->for_good) status = sb_run_take(&run);
  if (status == SB_EXIT_OK) status = forget(&run, &as_run, request, results);
  sb_run_leave(&run);
  return status;
}
