/* Which cases answer a claim on a published finding: those of the sweep itself, not what -p put in their place.
 * Inside the harness only. Local; no PETSc. */
#pragma once

#include "harness/results/results.h"

enum { SB_DIFFERENCE_SIZE = 256 };

/* The cases that the sweep file makes, to be asked about each claim. NULL where that cannot be told: the results were
 * made by hand, or of files that are not here. */
sb_plan *sb_claim_own_plan(const sb_results *results);
/* Takes out of `selected` [rows] what is no case of `own` (NULL: every case counts). Returns how many are left, and in
 * `difference` how the others are unlike it ("stiffness=200 in place of 100"), "" where there are none. How many ranks
 * and threads a case ran on makes a difference to claims on times alone. */
size_t sb_claim_own_cases(const sb_results *results, const sb_plan *own, const sb_claim *claim, bool *selected,
                          char difference[SB_DIFFERENCE_SIZE]);
