/* Combinations that an integrator cannot work with; see integrator.h. */
#include "solvers/integrate/integrator.h"

bool sb_integrator_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  (void)options, (void)diagnostics;
  return true;
}
