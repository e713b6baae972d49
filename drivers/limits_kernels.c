/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops with only loads, only products or only quotients; see limits_kernels.h. This file is compiled once for each
 * instruction set. Loaded values go to an empty statement of assembly. Otherwise a compiler would drop the load, and
 * arithmetic on it might need the time. Starting numbers come from one, too. Otherwise a compiler would see that all
 * chains are equal, and compute one. */
#include "drivers/limits_kernels.h"

#include "base/lanes.h"

enum { LINE = 64, PRODUCTS = 12, QUOTIENTS = 8 }; /* enough to hide the latency, and few enough for the registers */

#if defined __AVX512F__
#define USE(vector)  __asm__ volatile("" : : "v"(vector))
#define HIDE(vector) __asm__ volatile("" : "+v"(vector))
#elif defined __x86_64__
#define USE(vector)  __asm__ volatile("" : : "x"(vector))
#define HIDE(vector) __asm__ volatile("" : "+x"(vector))
#else
#define USE(vector)  __asm__ volatile("" : : "w"(vector))
#define HIDE(vector) __asm__ volatile("" : "+w"(vector))
#endif

static void read_all(const double *array, long count, long times)
{
  for (long t = 0; t < times; ++t)
    for (long i = 0; i < count; i += LINE)
      for (int k = 0; k < LINE; k += SB_LANES) USE(sb_lanes_load(array + i + k));
}

SB_LANES_INLINE void begin(sb_lanes *a, int count, double value)
{
  for (int i = 0; i < count; ++i) {
    a[i] = (sb_lanes){0} + value;
    HIDE(a[i]);
  }
}

SB_LANES_INLINE double sum(const sb_lanes *a, int count)
{
  double total = 0;
  for (int i = 0; i < count; ++i)
    for (int lane = 0; lane < SB_LANES; ++lane) total += a[i][lane];
  return total;
}

static double products(long rounds)
{
  sb_lanes       a[PRODUCTS];
  const sb_lanes factor = (sb_lanes){0} + 0.5, addend = (sb_lanes){0} + 1.0;
  begin(a, PRODUCTS, 1.0);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < PRODUCTS; ++i) a[i] = a[i] * factor + addend;
  return sum(a, PRODUCTS);
}

static double quotients(long rounds)
{
  sb_lanes       a[QUOTIENTS];
  const sb_lanes dividend = (sb_lanes){0} + 1.7;
  begin(a, QUOTIENTS, 1.3);
  for (long r = 0; r < rounds; ++r)
    for (int i = 0; i < QUOTIENTS; ++i) a[i] = dividend / a[i];
  return sum(a, QUOTIENTS);
}

const sb_limits_kernels SB_OF_SET(sb_limits) = {.read = read_all,
                                                .products = products,
                                                .quotients = quotients,
                                                .products_of_round = PRODUCTS * SB_LANES,
                                                .quotients_of_round = QUOTIENTS * SB_LANES};
