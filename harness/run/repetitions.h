/* Whether a timed case is to run once more. Pure; Local. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
  SB_REPETITIONS_AUTO = -1,
  SB_AUTO_LEAST = 5,
  SB_AUTO_MOST = 30,
  SB_NOISY_REPEATS = 2 /* more attempts at a case because some were noisy */
};

/* What its attempts have come to so far. */
typedef struct {
  bool    known;           /* the case takes times and watches the machine; else attempts are all that counts */
  int64_t attempts, quiet; /* quiet: without a flag */
  double  half_width;      /* of the median's 95 % interval, relative; NAN: none yet */
} sb_timing_so_far;

/* `asked`: a number, or SB_REPETITIONS_AUTO: at least 5, until the interval is within 2 %, at most 30. Noisy attempts
 * do not count, but are made up for twice at most. */
bool sb_wants_repetition(int asked, const sb_timing_so_far *so_far);
