/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The instruction sets of this processor; see instruction_set.h. */
#include "base/instruction_set.h"

#include <stdbool.h>

sb_instruction_set sb_instruction_set_best(void)
{
#if defined __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512cd");
  return avx2 && avx512 ? SB_AVX512 : avx2 ? SB_AVX2 : SB_PORTABLE;
#else
  return SB_PORTABLE;
#endif
}

const char *sb_instruction_set_name(sb_instruction_set set)
{
  static const char *const names[] = {"portable", "avx2", "avx512"};
  return names[set];
}
