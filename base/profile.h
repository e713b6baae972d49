/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The time of a step by phases: one accumulator per phase. The entry functions of each family of methods, and the parts
 * that methods share, fill it; methods never do.
 *
 * An entry function brackets its calls: `const double t = sb_profile_start(p); …; sb_profile_stop(p, SB_PHASE_SOLVE,
 * t);`. With a NULL or paused profile neither reads the clock. A profile is paused while steps are timed as a whole;
 * phases are measured in separate steps. It is paused and resumed between steps, never between a start and its stop.
 *
 * SB_PHASE_CHECK has the time that the harness adds (recomputed residuals, monitors). It is subtracted from step times,
 * so that published times are only the method's. A pause does not stop its bracket: every step is corrected by the time
 * of its own checks only.
 *
 * Work is counted even if the profile is paused: operations on the whole net, and linear systems solved. Counts are the
 * same on every machine. Local. */
#pragma once

#include <stdbool.h>

typedef enum {
  SB_PHASE_FORCES,
  SB_PHASE_LOCAL,
  SB_PHASE_RIGHT_HAND_SIDE,
  SB_PHASE_ASSEMBLY,
  SB_PHASE_ANALYZE,
  SB_PHASE_FACTOR,
  SB_PHASE_SOLVE,
  SB_PHASE_CONTACT,
  SB_PHASE_CHECK,
  SB_PHASE_COUNT
} sb_phase;

typedef enum {
  SB_OPERATION_ENERGY,
  SB_OPERATION_GRADIENT,
  SB_OPERATION_CURVATURE,     /* p^T H p */
  SB_OPERATION_PRODUCT,       /* H p */
  SB_OPERATION_ASSEMBLY,      /* a matrix, or its diagonal blocks */
  SB_OPERATION_FACTORIZATION, /* or the setup of a preconditioner */
  SB_OPERATION_SOLVE,         /* for one right-hand side */
  SB_OPERATION_PASS,          /* a pass over all springs or vertices: local steps, Gauss-Seidel */
  SB_OPERATION_COUNT
} sb_operation;

/* Communication of a rank: messages that it sent, their bytes, and reductions and other collective operations. */
typedef struct {
  double messages, bytes, reductions;
} sb_traffic;

static inline sb_traffic sb_traffic_plus(sb_traffic sum, double factor, sb_traffic other)
{
  return (sb_traffic){sum.messages + factor * other.messages, sum.bytes + factor * other.bytes,
                      sum.reductions + factor * other.reductions};
}

typedef struct {
  double      seconds[SB_PHASE_COUNT];
  long        calls[SB_PHASE_COUNT];
  long        operations[SB_OPERATION_COUNT];
  double      check_flops; /* floating-point operations that PETSc counted in checks */
  const char *uncounted;   /* the first method or library whose operations are not counted; NULL: none so far */
  sb_traffic  check_traffic;
  bool        paused;
} sb_profile;

const char *sb_operation_name(sb_operation operation); /* "energies", "gradients", … */

/* Monotonic seconds from an arbitrary origin (CLOCK_MONOTONIC). */
double sb_clock_seconds(void);

void sb_profile_add(sb_profile *profile, sb_phase phase, double started_seconds);

static inline void sb_profile_count(sb_profile *profile, sb_operation operation, long times)
{
  if (profile) profile->operations[operation] += times;
}

/* Operations of this method or library are not counted; the name must outlive the profile. */
static inline void sb_profile_leave_uncounted(sb_profile *profile, const char *name)
{
  if (profile && !profile->uncounted) profile->uncounted = name;
}

/* Between these two readings a check ran. */
static inline void sb_profile_add_check_traffic(sb_profile *profile, sb_traffic before, sb_traffic after)
{
  profile->check_traffic = sb_traffic_plus(profile->check_traffic, 1, sb_traffic_plus(after, -1, before));
}

static inline bool   sb_profile_runs(const sb_profile *profile) { return profile && !profile->paused; }
static inline double sb_profile_start(const sb_profile *profile)
{
  return sb_profile_runs(profile) ? sb_clock_seconds() : 0;
}
static inline void sb_profile_stop(sb_profile *profile, sb_phase phase, double started_seconds)
{
  if (sb_profile_runs(profile)) sb_profile_add(profile, phase, started_seconds);
}
static inline double sb_profile_start_check(const sb_profile *profile) { return profile ? sb_clock_seconds() : 0; }
static inline void   sb_profile_stop_check(sb_profile *profile, double started_seconds)
{
  if (profile) sb_profile_add(profile, SB_PHASE_CHECK, started_seconds);
}
