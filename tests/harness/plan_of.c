/* See plan_of.h. */
#include "tests/harness/plan_of.h"

#include <string.h>

sb_sweep *sweep_of(const char *text)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = sb_sweep_parse(text, strlen(text), "f", NULL, d);
  if (!s) fail_msg("%s", sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return s;
}

sb_plan *plan_of(const char *text, const sb_plan_request *request)
{
  sb_sweep       *s = sweep_of(text);
  sb_diagnostics *d = sb_diagnostics_create();
  sb_plan        *p = sb_plan_create(s, request, NULL, d);
  if (!p) fail_msg("%s", sb_diagnostics_message(d, 0));
  assert_int_equal(sb_diagnostics_errors(d), 0);
  sb_diagnostics_destroy(&d);
  sb_sweep_destroy(&s);
  return p;
}
