/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vectors with as many doubles as a register of the instruction set, for files that are compiled once per set
 * (instruction_set.h). + - * / and the root of `sb_lanes` are those of IEEE 754, lane by lane. A file has the same bits
 * on every set if it uses only these and its order of summation does not depend on SB_LANES. */
#pragma once

#include <math.h>

#if defined __AVX512F__ && defined __AVX512DQ__ && defined __AVX512VL__
#include <immintrin.h>
#define SB_LANES 8
typedef double   sb_lanes __attribute__((vector_size(64)));
typedef __mmask8 sb_lane_mask;
#elif defined    __AVX2__
#include <immintrin.h>
#define SB_LANES 4
typedef double           sb_lanes __attribute__((vector_size(32)));
typedef double           sb_lane_mask __attribute__((vector_size(32)));
#else
#define SB_LANES 2
typedef double               sb_lanes __attribute__((vector_size(16)));
#if defined __SSE2__
#include <emmintrin.h>
typedef sb_lanes             sb_lane_mask;
#else
typedef long long        sb_lane_mask __attribute__((vector_size(16)));
#endif
#endif

#define SB_LANES_INLINE static inline __attribute__((always_inline))

typedef sb_lanes sb_lanes_anywhere __attribute__((aligned(8)));

SB_LANES_INLINE sb_lanes sb_lanes_load(const double *at) { return *(const sb_lanes_anywhere *)at; }
SB_LANES_INLINE void     sb_lanes_store(double *at, sb_lanes a) { *(sb_lanes_anywhere *)at = a; }

#if SB_LANES == 8
/* |a|; the larger of a and b: a if a > b, else b. */
SB_LANES_INLINE sb_lanes sb_lanes_size(sb_lanes a) { return _mm512_abs_pd(a); }
SB_LANES_INLINE sb_lanes sb_lanes_larger(sb_lanes a, sb_lanes b) { return _mm512_max_pd(a, b); }

/* numbers: the lanes that are not NaN. nonzero: the lanes of the mask that are not 0. sb_lanes_where: `a` in the lanes
 * of the mask, +0 elsewhere. */
SB_LANES_INLINE sb_lane_mask sb_lanes_numbers(sb_lanes a) { return _mm512_cmp_pd_mask(a, a, _CMP_ORD_Q); }
SB_LANES_INLINE sb_lane_mask sb_lanes_nonzero(sb_lane_mask mask, sb_lanes a)
{
  return _mm512_mask_cmp_pd_mask(mask, a, _mm512_setzero_pd(), _CMP_NEQ_UQ);
}
SB_LANES_INLINE sb_lanes sb_lanes_where(sb_lane_mask mask, sb_lanes a) { return _mm512_maskz_mov_pd(mask, a); }
/* within: the lanes of the mask with |a| <= limit (false for NaN). every, any: true if all lanes, or one, are in it. */
SB_LANES_INLINE sb_lane_mask sb_lanes_within(sb_lane_mask mask, sb_lanes a, double limit)
{
  return _mm512_mask_cmp_pd_mask(mask, sb_lanes_size(a), _mm512_set1_pd(limit), _CMP_LE_OQ);
}
SB_LANES_INLINE int sb_lanes_every(sb_lane_mask mask) { return mask == 0xff; }
SB_LANES_INLINE int sb_lanes_any(sb_lane_mask mask) { return mask != 0; }

/* The square root as IEEE 754 rounds it, without its instruction, which costs as much as 24 products; products can
 * overlap with others. With y = rsqrt14(a), |y sqrt(a) - 1| <= 2^-14, two steps of Goldschmidt give g near sqrt(a) and
 * h near 1/(2 sqrt(a)),
 *
 *     r = 1/2 - g h,   g += g r,   h += h r,
 *
 * whose errors are 1.5 e^2 of those before, 2^-54.2 after two, and roundings: relative to these values, |e_g| and |e_h|
 * <= 3 2^-53. Then g + (a - g^2) h, before its one rounding, is off sqrt(a) by at most sqrt(a) (|e_g| (|e_h| + 2^-53) +
 * e_g^2/2) <= 17 2^-106 sqrt(a) (2^-53: the remainder's own rounding). That cannot move it over the middle m between
 * two doubles, where the rounding changes, unless |sqrt(a) - m| is as small. Scaled by a power of 4 to 1 <= a < 4, m is
 * an odd multiple M of 2^-53 and a one of 2^-52, so that a - m^2 = k 2^-106 with a whole k != 0. Such an m needs |k| <=
 * 2 17 a <= 136. M^2 = -k mod 2^54 has few solutions for each k: the test `roots_are_those_of_the_instruction` finds
 * all with |k| < 512, and tries them. The instruction is used outside of [2^-500, 2^500], where steps might vanish or
 * overflow, and for 0 and NaN. */
SB_LANES_INLINE sb_lanes sb_lanes_root(sb_lanes a)
{
  const sb_lanes half = _mm512_set1_pd(0.5);
  const __mmask8 safe = _mm512_mask_cmp_pd_mask(_mm512_cmp_pd_mask(a, _mm512_set1_pd(0x1p-500), _CMP_GE_OQ), a,
                                                _mm512_set1_pd(0x1p500), _CMP_LE_OQ);
  if (__builtin_expect(safe != 0xff, 0)) return _mm512_sqrt_pd(a);
  const sb_lanes y = _mm512_rsqrt14_pd(a);
  sb_lanes       g = a * y, h = half * y;
  for (int step = 0; step < 2; ++step) {
    const sb_lanes r = _mm512_fnmadd_pd(g, h, half);
    g = _mm512_fmadd_pd(g, r, g);
    h = _mm512_fmadd_pd(h, r, h);
  }
  return _mm512_fmadd_pd(_mm512_fnmadd_pd(g, g, a), h, g);
}

/* Splits a[0 .. 3 SB_LANES) = x y z x y z … into three vectors, and joins them again. */
SB_LANES_INLINE void sb_lanes_from_triples(const double *at, sb_lanes part[3])
{
  const sb_lanes a = sb_lanes_load(at), b = sb_lanes_load(at + 8), c = sb_lanes_load(at + 16);
  const sb_lanes x = __builtin_shufflevector(a, b, 0, 3, 6, 9, 12, 15, -1, -1);
  const sb_lanes y = __builtin_shufflevector(a, b, 1, 4, 7, 10, 13, -1, -1, -1);
  const sb_lanes z = __builtin_shufflevector(a, b, 2, 5, 8, 11, 14, -1, -1, -1);
  part[0] = __builtin_shufflevector(x, c, 0, 1, 2, 3, 4, 5, 10, 13);
  part[1] = __builtin_shufflevector(y, c, 0, 1, 2, 3, 4, 8, 11, 14);
  part[2] = __builtin_shufflevector(z, c, 0, 1, 2, 3, 4, 9, 12, 15);
}
SB_LANES_INLINE void sb_lanes_to_triples(const sb_lanes part[3], double *at)
{
  const sb_lanes a = __builtin_shufflevector(part[0], part[1], 0, 8, -1, 1, 9, -1, 2, 10);
  const sb_lanes b = __builtin_shufflevector(part[0], part[1], -1, 3, 11, -1, 4, 12, -1, 5);
  const sb_lanes c = __builtin_shufflevector(part[0], part[1], 13, -1, 6, 14, -1, 7, 15, -1);
  sb_lanes_store(at, __builtin_shufflevector(a, part[2], 0, 1, 8, 3, 4, 9, 6, 7));
  sb_lanes_store(at + 8, __builtin_shufflevector(b, part[2], 10, 1, 2, 11, 4, 5, 12, 7));
  sb_lanes_store(at + 16, __builtin_shufflevector(c, part[2], 0, 13, 2, 3, 14, 5, 6, 15));
}
#elif SB_LANES == 4
SB_LANES_INLINE sb_lanes sb_lanes_size(sb_lanes a) { return _mm256_andnot_pd(_mm256_set1_pd(-0.0), a); }
SB_LANES_INLINE sb_lanes sb_lanes_larger(sb_lanes a, sb_lanes b) { return _mm256_max_pd(a, b); }

SB_LANES_INLINE sb_lane_mask sb_lanes_numbers(sb_lanes a) { return _mm256_cmp_pd(a, a, _CMP_ORD_Q); }
SB_LANES_INLINE sb_lane_mask sb_lanes_nonzero(sb_lane_mask mask, sb_lanes a)
{
  return _mm256_and_pd(mask, _mm256_cmp_pd(a, _mm256_setzero_pd(), _CMP_NEQ_UQ));
}
SB_LANES_INLINE sb_lanes     sb_lanes_where(sb_lane_mask mask, sb_lanes a) { return _mm256_and_pd(mask, a); }
SB_LANES_INLINE sb_lane_mask sb_lanes_within(sb_lane_mask mask, sb_lanes a, double limit)
{
  return _mm256_and_pd(mask, _mm256_cmp_pd(sb_lanes_size(a), _mm256_set1_pd(limit), _CMP_LE_OQ));
}
SB_LANES_INLINE int      sb_lanes_every(sb_lane_mask mask) { return _mm256_movemask_pd(mask) == 0xf; }
SB_LANES_INLINE int      sb_lanes_any(sb_lane_mask mask) { return _mm256_movemask_pd(mask) != 0; }
SB_LANES_INLINE sb_lanes sb_lanes_root(sb_lanes a) { return _mm256_sqrt_pd(a); }
SB_LANES_INLINE void     sb_lanes_from_triples(const double *at, sb_lanes part[3])
{
  const sb_lanes a = sb_lanes_load(at), b = sb_lanes_load(at + 4), c = sb_lanes_load(at + 8);
  const sb_lanes ends = _mm256_permute2f128_pd(a, b, 0x30), middle = _mm256_permute2f128_pd(a, c, 0x21);
  const sb_lanes last = _mm256_permute2f128_pd(b, c, 0x30);
  part[0] = _mm256_shuffle_pd(ends, middle, 0xa);
  part[1] = _mm256_shuffle_pd(ends, last, 0x5);
  part[2] = _mm256_shuffle_pd(middle, last, 0xa);
}
SB_LANES_INLINE void sb_lanes_to_triples(const sb_lanes part[3], double *at)
{
  const sb_lanes xy = _mm256_shuffle_pd(part[0], part[1], 0x0), yz = _mm256_shuffle_pd(part[1], part[2], 0xf);
  const sb_lanes zx = _mm256_shuffle_pd(part[2], part[0], 0xa);
  sb_lanes_store(at, _mm256_permute2f128_pd(xy, zx, 0x20));
  sb_lanes_store(at + 4, _mm256_permute2f128_pd(yz, xy, 0x30));
  sb_lanes_store(at + 8, _mm256_permute2f128_pd(zx, yz, 0x31));
}
#else
#if defined __SSE2__
SB_LANES_INLINE sb_lanes     sb_lanes_size(sb_lanes a) { return _mm_andnot_pd(_mm_set1_pd(-0.0), a); }
SB_LANES_INLINE sb_lanes     sb_lanes_larger(sb_lanes a, sb_lanes b) { return _mm_max_pd(a, b); }
SB_LANES_INLINE sb_lane_mask sb_lanes_numbers(sb_lanes a) { return _mm_cmpord_pd(a, a); }
SB_LANES_INLINE sb_lane_mask sb_lanes_nonzero(sb_lane_mask mask, sb_lanes a)
{
  return _mm_and_pd(mask, _mm_cmpneq_pd(a, _mm_setzero_pd()));
}
SB_LANES_INLINE sb_lanes     sb_lanes_where(sb_lane_mask mask, sb_lanes a) { return _mm_and_pd(mask, a); }
SB_LANES_INLINE sb_lane_mask sb_lanes_within(sb_lane_mask mask, sb_lanes a, double limit)
{
  return _mm_and_pd(mask, _mm_cmple_pd(sb_lanes_size(a), _mm_set1_pd(limit)));
}
SB_LANES_INLINE int      sb_lanes_every(sb_lane_mask mask) { return _mm_movemask_pd(mask) == 3; }
SB_LANES_INLINE int      sb_lanes_any(sb_lane_mask mask) { return _mm_movemask_pd(mask) != 0; }
SB_LANES_INLINE sb_lanes sb_lanes_root(sb_lanes a) { return _mm_sqrt_pd(a); }
#else
SB_LANES_INLINE sb_lanes sb_lanes_size(sb_lanes a) { return (sb_lanes){fabs(a[0]), fabs(a[1])}; }
SB_LANES_INLINE sb_lanes sb_lanes_larger(sb_lanes a, sb_lanes b)
{
  return (sb_lanes){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}
SB_LANES_INLINE sb_lane_mask sb_lanes_numbers(sb_lanes a) { return (sb_lane_mask)(a == a); }
SB_LANES_INLINE sb_lane_mask sb_lanes_nonzero(sb_lane_mask mask, sb_lanes a)
{
  return mask & (sb_lane_mask)(a != (sb_lanes){0});
}
SB_LANES_INLINE sb_lanes sb_lanes_where(sb_lane_mask mask, sb_lanes a) { return (sb_lanes)((sb_lane_mask)a & mask); }
SB_LANES_INLINE sb_lane_mask sb_lanes_within(sb_lane_mask mask, sb_lanes a, double limit)
{
  return mask & (sb_lane_mask)(a <= limit) & (sb_lane_mask)(-a <= limit);
}
SB_LANES_INLINE int      sb_lanes_every(sb_lane_mask mask) { return (mask[0] & mask[1]) != 0; }
SB_LANES_INLINE int      sb_lanes_any(sb_lane_mask mask) { return (mask[0] | mask[1]) != 0; }
SB_LANES_INLINE sb_lanes sb_lanes_root(sb_lanes a) { return (sb_lanes){sqrt(a[0]), sqrt(a[1])}; }
#endif
SB_LANES_INLINE void     sb_lanes_from_triples(const double *at, sb_lanes part[3])
{
  for (int c = 0; c < 3; ++c) part[c] = (sb_lanes){at[c], at[c + 3]};
}
SB_LANES_INLINE void sb_lanes_to_triples(const sb_lanes part[3], double *at)
{
  for (int c = 0; c < 3; ++c) at[c] = part[c][0], at[c + 3] = part[c][1];
}
#endif

/* The sum of row [count][8], in one order on every set. */
SB_LANES_INLINE double sb_lanes_total(long count, const double *row)
{
  double sum[8] = {0};
  for (long i = 0; i < count; ++i)
    for (int l = 0; l < 8; ++l) sum[l] += row[8 * i + l];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}
