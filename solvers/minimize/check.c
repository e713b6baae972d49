/* Combinations that a minimiser cannot work with; see minimizer.h. */
#include "solvers/minimize/minimizer.h"

bool sb_minimizer_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  (void)options, (void)diagnostics;
  return true;
}
