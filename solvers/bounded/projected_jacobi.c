/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Projected damped Jacobi, q+ = max(0, q - omega r/diag(A)), r = A q - b: IISPH's iteration (Ihmsen, Cornelis,
 * Solenthaler, Horvath, Teschner: IEEE TVCG 20, 2014) in a symmetric variable, with their omega of 1/2. Without bounds
 * it converges for omega < 2/lambda, lambda the largest eigenvalue of diag(A)^-1 A. */
#include <math.h>

#include "solvers/bounded/bounded_method.h"

static double update(double q, double r, double diagonal, double omega) { return fmax(0, q - omega * r / diagonal); }

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  return sb_bounded_iterate(problem, update, isnan(problem->omega) ? 0.5 : problem->omega, report);
}

const sb_bounded_method sb_bounded_projected_jacobi = {
    .name = "projected_jacobi",
    .summary = "projected damped Jacobi: the iteration of IISPH",
    .uses = "pressure_omega",
    .solve = solve,
};
