/* The state of a case from the event that holds for it; see case_state.h. */
#include "harness/store/case_state.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"

static bool is_text(const json_t *event, const char *name, const char *text)
{
  const char *has = json_string_value(json_object_get(event, name));
  return strcmp(has ? has : "", text) == 0;
}

sb_case_state sb_case_state_of(const sb_journal_state *journal, const char *directory, const char *key,
                               const char *build, const char *machine)
{
  const json_t *event = json_object_get(journal->cases, key);
  if (!event) return SB_STATE_PLANNED;
  if (is_text(event, "event", "fail")) return SB_STATE_FAILED;
  if (!is_text(event, "event", "publish")) return SB_STATE_PENDING;
  char      *path = sb_format("%s/cases/%s.h5", directory, key);
  const bool there = access(path, F_OK) == 0;
  free(path);
  if (!there) return SB_STATE_PENDING;
  const bool own = !build || (is_text(event, "build", build) && is_text(event, "machine", machine));
  return own ? SB_STATE_DONE : SB_STATE_STALE;
}
