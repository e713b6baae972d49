/* Sweep files, read and expanded: what is accepted expands to distinct keys that say the same when read back from the
 * plan's own file. Sweeps of more than a thousand cases are parsed only. */
#include <stdlib.h>
#include <string.h>

#include "experiments/drivers.h"
#include "harness/harness.h"
#include "harness/plan.h"
#include "tests/fuzz/fuzz.h"

static void check_plan(const sb_sweep *sweep, const sb_plan *plan, const sb_vocabulary *vocabulary)
{
  sb_diagnostics *silent = sb_diagnostics_create();
  char           *json = sb_plan_json(sweep, plan);
  sb_plan        *again = sb_plan_from_json(json, "plan.json", vocabulary, silent);
  fuzz_require(again != NULL && again->count == plan->count, "a plan is read back whole");
  for (size_t i = 0; i < plan->count; ++i) {
    fuzz_require(strcmp(plan->cases[i].key, again->cases[i].key) == 0, "keys are read back");
    fuzz_require(i == 0 || strcmp(plan->cases[i].key, plan->cases[i - 1].key) != 0, "keys are distinct");
  }
  sb_plan_destroy(&again);
  free(json);
  sb_diagnostics_destroy(&silent);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  const sb_vocabulary *vocabulary = sb_vocabulary_of(sb_experiment_drivers());
  sb_diagnostics      *silent = sb_diagnostics_create();
  sb_sweep            *sweep = sb_sweep_parse((const char *)data, size, "fuzz.yaml", vocabulary, silent);
  fuzz_require(sweep != NULL || sb_diagnostics_errors(silent) > 0, "a refusal has a message");
  if (sweep && size < 4096) {
    sb_plan *plan = sb_plan_create(sweep, NULL, vocabulary, silent);
    if (plan && plan->count <= 1000) check_plan(sweep, plan, vocabulary);
    sb_plan_destroy(&plan);
  }
  sb_sweep_destroy(&sweep);
  sb_diagnostics_destroy(&silent);
  return 0;
}
