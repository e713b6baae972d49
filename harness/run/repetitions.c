/* When a median is good enough; see repetitions.h. */
#include "harness/run/repetitions.h"

static const double half_width_limit = 0.02;

static bool has(const sb_timing_so_far *t, int64_t asked)
{
  return t->quiet >= asked || t->attempts >= asked + SB_NOISY_REPEATS;
}

bool sb_wants_repetition(int asked, const sb_timing_so_far *t)
{
  const sb_timing_so_far all = {.attempts = t->attempts, .quiet = t->attempts};
  if (asked != SB_REPETITIONS_AUTO) return !has(t->known ? t : &all, asked);
  if (!t->known || t->attempts >= SB_AUTO_MOST) return false;
  return !has(t, SB_AUTO_LEAST) || !(t->half_width <= half_width_limit);
}
