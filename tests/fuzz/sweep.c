/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweep files, read and expanded: what is refused says where; what is accepted expands to distinct keys that say the
 * same when read back from the plan's own file, whose text is then the same. Sweeps of more than a hundred cases are
 * parsed only: expansion has a target of its own. */
#include <stdlib.h>
#include <string.h>

#include "cases/describe/names.h"
#include "drivers/drivers.h"
#include "harness/sweep/plan.h"
#include "tests/fuzz/fuzz.h"

enum { CASES_MAX = 100 };

static int compare_keys(const void *a, const void *b)
{
  return strcmp((*(const sb_planned_case *const *)a)->key, (*(const sb_planned_case *const *)b)->key);
}

static void check_distinct(const sb_plan *plan)
{
  const sb_planned_case **sorted = malloc((plan->count + 1) * sizeof *sorted);
  if (!sorted) abort();
  for (size_t i = 0; i < plan->count; ++i) sorted[i] = &plan->cases[i];
  qsort(sorted, plan->count, sizeof *sorted, compare_keys);
  for (size_t i = 1; i < plan->count; ++i)
    fuzz_require(strcmp(sorted[i - 1]->key, sorted[i]->key) != 0, "keys are distinct");
  free(sorted);
}

static void check_plan(const sb_sweep *sweep, const sb_plan *plan, const sb_session *session)
{
  char    *json = sb_plan_json(sweep, plan, NULL);
  sb_plan *again = sb_plan_from_json(json, "plan.json", session);
  char    *second = again ? sb_plan_json(sweep, again, NULL) : NULL;
  fuzz_require(second && strcmp(json, second) == 0, "a plan is read back whole");
  check_distinct(plan);
  free(json);
  free(second);
}

/* Cases before anything is filtered, at most `most`. */
static size_t count_cases(const sb_sweep *sweep, size_t most)
{
  size_t total = sweep->block_count ? 0 : 1;
  for (size_t b = 0; b < sweep->block_count; ++b) {
    const sb_block *block = &sweep->blocks[b];
    size_t          product = 1, longest = 1;
    for (size_t a = 0; a < block->count && product <= most; ++a) {
      product *= block->axes[a].count;
      if (block->axes[a].count > longest) longest = block->axes[a].count;
    }
    total += block->zip ? longest : product;
    if (total > most) return most;
  }
  return total;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  sb_session      session = sb_session_begin(sb_full_vocabulary());
  sb_diagnostics *silent = session.diagnostics;
  sb_sweep       *sweep = sb_sweep_parse((const char *)data, size, "fuzz.yaml", &session);
  fuzz_require((sweep != NULL) == (sb_diagnostics_errors(silent) == 0), "a refusal has a message");
  if (sweep && count_cases(sweep, CASES_MAX) < CASES_MAX) {
    sb_plan *plan = sb_plan_create(sweep, NULL, &session);
    fuzz_require((plan != NULL) == (sb_diagnostics_errors(silent) == 0), "a refused plan has a message");
    if (plan) check_plan(sweep, plan, &session);
  }
  fuzz_require_located(silent, "fuzz.yaml", data, size);
  sb_session_end(&session, NULL);
  return 0;
}
