/* What became of one attempt at a case: the child's end and words turned into a row. For the runner; Local. */
#pragma once

#include <jansson.h>

#include "harness/run/runner_child.h"

typedef enum {
  SB_ATTEMPT_RESULT,      /* a file to publish, with its row */
  SB_ATTEMPT_FAILURE,     /* a failure to write down */
  SB_ATTEMPT_INTERRUPTED, /* cut short from outside: to be run again */
  SB_ATTEMPT_STORAGE,     /* nothing can be stored: the sweep ends */
  SB_ATTEMPT_UNFIT        /* the build or the machine is unfit: the sweep ends */
} sb_attempt_kind;

typedef struct {
  sb_attempt_kind kind;
  sb_status       status;
  json_t         *row; /* {"key", "status", "reason", "accuracy_ok", "digest", "wall_s", "max_rss_bytes", "columns"} */
  const char     *reason; /* of the row; borrowed from it */
} sb_attempt;

/* Whether a row says that no repetition of its case was quiet. */
bool sb_row_is_noisy(const json_t *row);
/* Judges a reaped child. */
void sb_attempt_judge(const sb_child *child, const sb_planned_case *planned, sb_attempt *attempt);
void sb_attempt_clear(sb_attempt *attempt);
