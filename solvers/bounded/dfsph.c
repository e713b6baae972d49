/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The iteration of DFSPH as published (Bender, Koschier: SCA 2015), q+ = q + max(0, -r/diag(A)), r = A q - b. omega is
 * 1, and q never falls. It solves neither the system nor the programme with bounds: started from 0 it ends where no
 * density is too high, above the solution. */
#include <math.h>

#include "solvers/bounded/bounded_method.h"

static double update(double q, double r, double diagonal, double omega) { return q + omega * fmax(0, -r / diagonal); }

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  return sb_bounded_iterate(problem, update, 1, report);
}

const sb_bounded_method sb_bounded_dfsph = {
    .name = "dfsph",
    .summary = "the iteration of DFSPH as published: pressures only rise, so it does not solve the programme",
    .traits = SB_BOUNDED_APPROXIMATE,
    .solve = solve,
};
