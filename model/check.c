/* Combinations of options of the model that cannot work; see check.h. */
#include "model/check.h"

bool sb_model_check(const sb_options *options, sb_diagnostics *diagnostics)
{
  (void)options, (void)diagnostics;
  return true;
}
