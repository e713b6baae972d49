/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counter-based random numbers: the same value for (seed, counter) on any number of ranks and in any order. Local. */
#pragma once

#include <stdint.h>

/* SplitMix64 (Steele, Lea, Flood 2014) of the counter-th element of the stream that starts at `seed`. */
uint64_t sb_random_bits(uint64_t seed, uint64_t counter);
/* Uniform in [0, 1), 53 bits. */
double sb_random_unit(uint64_t seed, uint64_t counter);
