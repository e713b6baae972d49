/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Factorisation and solves of backend `panel` on several threads, part by part; see panel_plan.h. A part is one
 * iteration of a parallel loop: with fewer threads than parts the bits are the same. */
#include "base/threads.h"
#include "solvers/linear/panel_kernels.h"

bool sb_panel_factorize(const sb_panel_kernels *kernels, const sb_panel_plan *plan, const double *a,
                        sb_panel_factor_arrays *numbers)
{
  const int parts = plan->parts;
  bool      positive = true;
  if (parts == 1) return kernels->factorize(plan, a, 0, numbers);
  SB_OMP(parallel for num_threads(parts) schedule(static, 1) reduction(&& : positive))
  for (int part = 0; part < parts; ++part) positive = kernels->factorize(plan, a, part, numbers) && positive;
  return positive && kernels->factorize(plan, a, parts, numbers);
}

void sb_panel_solve_by(sb_panel_solve solve, const sb_panel_plan *plan, const sb_panel_factor_arrays *numbers,
                       const double *b, double *x)
{
  const int parts = plan->parts;
  if (parts == 1) {
    solve.descend(plan, numbers, 0, b);
    solve.ascend(plan, numbers, 0, x);
    return;
  }
  SB_OMP(parallel num_threads(parts))
  {
    SB_OMP(for schedule(static, 1))
    for (int part = 0; part < parts; ++part) solve.descend(plan, numbers, part, b);
    SB_OMP(single)
    {
      solve.descend(plan, numbers, parts, b);
      solve.ascend(plan, numbers, parts, x);
    }
    SB_OMP(for schedule(static, 1))
    for (int part = 0; part < parts; ++part) solve.ascend(plan, numbers, part, x);
  }
}
