/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.json as a results directory holds it: what is accepted has keys that may be file names, and is read back the
 * same from its own text. */
#include <stdlib.h>
#include <string.h>

#include "drivers/drivers.h"
#include "harness/sweep/plan.h"
#include "tests/fuzz/fuzz.h"

static void check_plan(const sb_plan *plan, const sb_session *session)
{
  static char    name[] = "fuzz", driver[] = "trajectory";
  const sb_sweep sweep = {.name = name, .driver = driver};
  char          *first = sb_plan_json(&sweep, plan, NULL), *second = NULL;
  sb_plan       *again = sb_plan_from_json(first, "plan.json", session);
  for (size_t i = 0; i < plan->count; ++i)
    fuzz_require(strlen(plan->cases[i].key) == SB_KEY_LENGTH &&
                     strspn(plan->cases[i].key, "0123456789abcdef") == SB_KEY_LENGTH,
                 "keys may be file names");
  if (again) second = sb_plan_json(&sweep, again, NULL);
  fuzz_require(second && strcmp(first, second) == 0, "a plan is read back whole");
  free(first);
  free(second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  sb_session session = sb_session_begin(sb_full_vocabulary());
  char      *text = fuzz_text(data, size);
  sb_plan   *plan = sb_plan_from_json(text, "plan.json", &session);
  fuzz_require((plan != NULL) == (sb_diagnostics_errors(session.diagnostics) == 0), "a refusal has a message");
  if (plan) check_plan(plan, &session);
  sb_session_end(&session, NULL);
  free(text);
  return 0;
}
