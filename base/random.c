/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SplitMix64 addressed by counter; see random.h. */
#include "base/random.h"

uint64_t sb_random_bits(uint64_t seed, uint64_t counter)
{
  uint64_t z = seed + (counter + 1) * UINT64_C(0x9E3779B97F4A7C15);
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

double sb_random_unit(uint64_t seed, uint64_t counter)
{
  return (double)(sb_random_bits(seed, counter) >> 11) * 0x1p-53;
}
