/* Where the time of a step goes: one accumulator a phase, fed by the fronts of the families and by what methods
 * share, never by the methods.
 *
 * A front brackets what it calls: `const double t = sb_profile_start(p); …; sb_profile_stop(p, SB_PHASE_SOLVE, t);`.
 * With a NULL profile, or a paused one, neither reads the clock: a step that is timed as a whole pauses its profile,
 * and phases are taken in steps of their own. It is paused and resumed between steps, never between a start and its
 * stop.
 *
 * SB_PHASE_CHECK holds what the harness adds (recomputed residuals, monitors): it is subtracted from step times, so
 * that what is published is the method's own cost. It has a bracket of its own, which a pause does not stop: every step
 * is rid of what its own checks took, and not of what those of others took.
 *
 * Work is counted beside time, whatever is paused: how often an operation on all of a net was done, or a linear system
 * was solved. Counts are the same on every machine. Local. */
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
  SB_OPERATION_FACTORIZATION, /* or the set-up of a preconditioner */
  SB_OPERATION_SOLVE,         /* of one right-hand side */
  SB_OPERATION_SWEEP,         /* over all springs or vertices: local steps, Gauss-Seidel */
  SB_OPERATION_COUNT
} sb_operation;

typedef struct {
  double seconds[SB_PHASE_COUNT];
  long   calls[SB_PHASE_COUNT];
  long   operations[SB_OPERATION_COUNT];
  double check_flops; /* floating-point operations that PETSc counted in checks */
  bool   paused;
} sb_profile;

const char *sb_phase_name(sb_phase phase);             /* "forces", "local", "right_hand_side", … */
const char *sb_operation_name(sb_operation operation); /* "energies", "gradients", … */

/* Monotonic seconds from an arbitrary origin (CLOCK_MONOTONIC). */
double sb_clock_seconds(void);

void sb_profile_add(sb_profile *profile, sb_phase phase, double started_seconds);

static inline void sb_profile_count(sb_profile *profile, sb_operation operation, long times)
{
  if (profile) profile->operations[operation] += times;
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
