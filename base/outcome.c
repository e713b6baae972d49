/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names and classes of outcomes and statuses; see outcome.h. */
#include "base/outcome.h"

#include <string.h>

static const char *const outcome_names[SB_OUTCOME_COUNT] = {
    [SB_SOLVED] = "solved",         [SB_TRUNCATED] = "truncated", [SB_STALLED] = "stalled",
    [SB_NOT_SPD] = "not_spd",       [SB_SINGULAR] = "singular",   [SB_DIVERGED] = "diverged",
    [SB_NOT_FINITE] = "not_finite", [SB_FAILED] = "failed",       [SB_SKIPPED] = "skipped",
};

static const char *const status_names[SB_STATUS_COUNT] = {
    [SB_OK] = "ok",
    [SB_CASE_DIVERGED] = "diverged",
    [SB_CASE_NOT_CONVERGED] = "not_converged",
    [SB_CASE_NOT_SPD] = "not_spd",
    [SB_CASE_CONTACT_UNRESOLVED] = "contact_unresolved",
    [SB_CASE_SKIPPED] = "skipped",
    [SB_CASE_TIMEOUT] = "timeout",
    [SB_CASE_OOM] = "oom",
    [SB_CASE_CRASHED] = "crashed",
    [SB_CASE_ERROR] = "error",
    [SB_CASE_INTERRUPTED] = "interrupted",
};

const char *sb_outcome_name(sb_outcome outcome)
{
  return (unsigned)outcome < SB_OUTCOME_COUNT ? outcome_names[outcome] : "unknown";
}

bool sb_outcome_accepted(sb_outcome outcome) { return outcome == SB_SOLVED || outcome == SB_TRUNCATED; }

const char *sb_status_name(sb_status status)
{
  return (unsigned)status < SB_STATUS_COUNT ? status_names[status] : "unknown";
}

bool sb_status_from_name(const char *name, sb_status *status)
{
  for (int i = 0; i < SB_STATUS_COUNT; ++i) {
    if (strcmp(name, status_names[i]) == 0) {
      *status = (sb_status)i;
      return true;
    }
  }
  return false;
}

bool sb_status_is_result(sb_status status) { return status <= SB_CASE_SKIPPED; }

bool sb_status_goes_on(sb_status status)
{
  return status != SB_CASE_DIVERGED && status != SB_CASE_NOT_SPD && status != SB_CASE_CONTACT_UNRESOLVED;
}

bool sb_status_is_timed(sb_status status) { return status == SB_OK || status == SB_CASE_NOT_CONVERGED; }

sb_status sb_status_of_outcome(sb_outcome outcome)
{
  if (sb_outcome_accepted(outcome)) return SB_OK;
  return outcome == SB_NOT_SPD ? SB_CASE_NOT_SPD : SB_CASE_NOT_CONVERGED;
}
