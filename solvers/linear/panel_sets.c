/* Which of the instruction sets that backend `panel` is compiled for this processor has. */
#include <stdbool.h>

#include "solvers/linear/panel_kernels.h"

#ifdef SB_X86_SETS
extern const sb_panel_kernels sb_panel_avx512, sb_panel_avx2;
#endif
extern const sb_panel_kernels sb_panel_portable;

const sb_panel_kernels *sb_panel_kernels_at(int i)
{
  const sb_panel_kernels *list[4] = {NULL};
  int                     count = 0;
#ifdef SB_X86_SETS
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq");
  if (avx2 && avx512) list[count++] = &sb_panel_avx512;
  if (avx2) list[count++] = &sb_panel_avx2;
#endif
  list[count] = &sb_panel_portable;
  return i <= count ? list[i] : NULL;
}
