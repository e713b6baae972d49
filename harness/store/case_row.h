/* The row a case adds to the index: what its JSON line and /result of its file are made from. Local. */
#pragma once

#include "base/outcome.h"
#include "harness/common/digest.h"
#include "harness/common/value.h"
#include "harness/store/driver.h"

/* What the runner decides on: is this attempt to be repeated, are there enough? */
typedef struct {
  bool        known; /* the driver takes times and watches the machine */
  int64_t     attempts, quiet;
  double      seconds;             /* of this attempt; NAN: none */
  double      half_width;          /* of the median's 95 % interval over the attempts that count, relative; NAN: none */
  double      calibration_seconds; /* first decile of the calibrations of these attempts; NAN: none */
  const char *noisy;               /* why this attempt is; "" when it was quiet; borrowed */
} sb_case_timing;

typedef struct {
  const char      *key; /* borrowed */
  sb_status        status;
  const char      *reason;   /* borrowed; "" when there is none */
  sb_value         accuracy; /* SB_TRUTH or SB_BLANK */
  char             digest[SB_DIGEST_LENGTH + 1];
  double           wall_seconds, max_rss_bytes; /* of all ranks together */
  size_t           column_count;
  const sb_column *columns; /* borrowed, the driver's */
  sb_value        *values;  /* [column_count] borrowed */
  sb_case_timing   timing;
} sb_case_row;

/* {"key", "status", "reason", "accuracy_ok", "digest", "wall_s", "max_rss_bytes", "columns": {name: value|null}} on one
 * line (malloc'ed), with "timing": {"attempts", "quiet", "seconds", "half_width", "calibration_s", "noisy"} where times
 * were taken; NULL when memory is out. */
char *sb_case_row_json(const sb_case_row *row);
