/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells whether two planned cases compute the same numbers, even if their options are written differently. Local.
 *
 * - Options are compared by their meaning: PETSc's options regardless of their order, a descent by its parts, a file by
 *   its content. An option that is not set differs from one that is set.
 * - Options that the cases do not read do not count, nor do options that are not in the key.
 * - Time, masses and stiffnesses can be stated in several ways: h and duration or substeps, frames and frame_seconds;
 *   total_mass or vertex_mass; young or stiffness. They are compared by the resulting grid of steps and frames, and by
 *   the masses and stiffnesses of the scenes, to rounding (1e-14).
 * - Ranks count: preconditioners, orders of elimination and numbers of iterations depend on them.
 * - Threads count for times, and if the case solves systems: the last bits of sums and factors of numerical libraries
 *   depend on them. Explicit steps have the same bits on any number of threads. */
#pragma once

#include "cases/common/digest.h"
#include "harness/sweep/plan.h"

/* Quantities that can be stated in several ways. */
typedef enum { SB_STATED_TIME, SB_STATED_MASSES, SB_STATED_STIFFNESSES, SB_STATED_KINDS } sb_stated;

typedef struct {
  const sb_planned_case *planned;
  bool                   timed;                       /* its times count too */
  char                   plain[SB_DIGEST_LENGTH + 1]; /* digest of all options that are stated in one way only */
  const char            *stated[SB_STATED_KINDS];     /* the others that are set, as text: "h=0.1 duration=2 " */
  unsigned               given[SB_STATED_KINDS];      /* a bit for each set option that states it */
} sb_case_identity;

/* Creates an identity in the arena; it borrows the case. */
sb_case_identity sb_case_identity_of(const sb_planned_case *c, bool timed, sb_arena *arena);
/* Compares two identities made with the same `timed`. May build both scenes; files are found as options name them. */
bool sb_case_identity_equal(const sb_case_identity *a, const sb_case_identity *b);
/* "vertex_mass=0.01 in place of total_mass=1, ranks=2 in place of 1": the options in which a case differs from all
 * `others` [count]; "" if each of its values is that of one of them. In the arena. */
const char *sb_case_identity_difference(const sb_case_identity *given, const sb_case_identity *others, size_t count,
                                        sb_arena *arena);
