/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The common part of all kernels: OpenCL C, and C by host_kernels.c. The operations and their order are those of the
 * processor's code, so that the bits are equal. No function but a square root and an absolute value is called, and
 * products and sums are never contracted.
 *
 * Springs lie in slices of 32 vertices: the n-th springs of these are side by side, so that neighbouring work items
 * read neighbouring entries. A neighbour -1 ends the springs of a vertex, which are in the order of the net.
 * Coordinates are apart: x of all vertices, then y and z, `stride` numbers from each other; with SB_BY_VERTEX they are
 * [vertices][3]. */
#ifndef __OPENCL_C_VERSION__
#pragma once
#endif
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#ifdef SB_SINGLE
#define real float
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define real double
#endif
#pragma OPENCL FP_CONTRACT OFF
#define root                   sqrt
#define absolute               fabs
#define SB_KERNEL(name, items) kernel void name(SB_ARGUMENTS)
#define SB_BEGIN                                                                                                       \
  const int i = (int)get_global_id(0);                                                                                 \
  if (i >= items) return
#define SB_SET(flag, value) atomic_xchg(flag, value)
#endif

#ifdef SB_BY_VERTEX
#define SB_AT(i, c) (3 * (i) + (c))
#else
#define SB_AT(i, c) ((c)*stride + (i))
#endif

typedef struct {
  real c[3];
} triple;

static inline triple load(global const real *from, const int stride, const int i)
{
  triple t;
  t.c[0] = from[SB_AT(i, 0)];
  t.c[1] = from[SB_AT(i, 1)];
  t.c[2] = from[SB_AT(i, 2)];
  return t;
}

static inline void store(global real *to, const int stride, const int i, const triple t)
{
  to[SB_AT(i, 0)] = t.c[0];
  to[SB_AT(i, 1)] = t.c[1];
  to[SB_AT(i, 2)] = t.c[2];
}

/* The elastic force of the vertex at `here`. A spring of length 0 has none. */
static inline triple pull(const int i, const triple here, global const int *start, global const int *other,
                          global const real *link, const int visits, global const real *x, const int stride)
{
  triple    f;
  const int end = start[i / 32 + 1];
  f.c[0] = f.c[1] = f.c[2] = 0;
  for (int a = start[i / 32] + i % 32; a < end; a += 32) {
    const int j = other[a];
    if (j < 0) break;
    const real k = link[a], l = link[visits + a];
    const real dx = here.c[0] - x[SB_AT(j, 0)], dy = here.c[1] - x[SB_AT(j, 1)], dz = here.c[2] - x[SB_AT(j, 2)];
    const real r = root(dx * dx + dy * dy + dz * dz);
    const real factor = r == 0 ? 0 : k * (l - r) / r;
    f.c[0] += factor * dx;
    f.c[1] += factor * dy;
    f.c[2] += factor * dz;
  }
  return f;
}

/* f plus the dampers. */
static inline triple damp(const real damping, const int i, const triple here, triple f, global const int *start,
                          global const int *other, global const real *x, global const real *v, const int stride)
{
  const triple own = load(v, stride, i);
  const int    end = start[i / 32 + 1];
  for (int a = start[i / 32] + i % 32; a < end; a += 32) {
    const int j = other[a];
    if (j < 0) break;
    const real dx = here.c[0] - x[SB_AT(j, 0)], dy = here.c[1] - x[SB_AT(j, 1)], dz = here.c[2] - x[SB_AT(j, 2)];
    const real square = dx * dx + dy * dy + dz * dz;
    const real approach =
        (own.c[0] - v[SB_AT(j, 0)]) * dx + (own.c[1] - v[SB_AT(j, 1)]) * dy + (own.c[2] - v[SB_AT(j, 2)]) * dz;
    const real factor = square == 0 ? 0 : -damping * approach / square;
    f.c[0] += factor * dx;
    f.c[1] += factor * dy;
    f.c[2] += factor * dz;
  }
  return f;
}

static inline void look(global const real *p, global int *left, const int turn, const triple at)
{
  bool near = true;
  for (int c = 0; c < 3; ++c) {
    const real d = at.c[c] - p[P_CENTER + c];
    near = near && d <= p[P_LIMIT] && -d <= p[P_LIMIT];
  }
  if (!near) SB_SET(&left[turn & 1], turn);
}
