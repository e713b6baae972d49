/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of explicit steps; see kernel_common.h, which comes before it. A kernel gathers the springs of its
 * vertex.
 *
 * `left` has two flags in turn: a launch of turn n reads that of turn n - 1 and sets its own. Its value is the turn
 * whose positions were not near the centre, -1: none. After such a turn no vertex moves. */
#ifndef __OPENCL_C_VERSION__
#pragma once
#endif
#define SB_ARGUMENTS                                                                                                   \
  global const real *restrict p, global int *left, global const int *restrict start, global const int *restrict other, \
      global const real *restrict link, global const real *restrict inverse_mass, global const real *restrict x,       \
      global const real *restrict v, global real *restrict y, global real *restrict w, global real *restrict previous, \
      global real *restrict acceleration, const int items, const int stride, const int visits, const int turn,         \
      const int first, const int vertices, const real alpha, const real beta, const real gamma

/* The force on vertex i, of dampers too if there are any. */
#define SB_FORCE(here)                                                                                                 \
  p[P_DAMPING] > 0                                                                                                     \
      ? damp(p[P_DAMPING], i, here, pull(i, here, start, other, link, visits, x, stride), start, other, x, v, stride)  \
      : pull(i, here, start, other, link, visits, x, stride)

/* Ends a kernel of a turn after one that left the bounds. The last kernel of a turn hands the flag on. */
static inline bool is_over(global int *left, const int turn, const int i, const bool last)
{
  const int before = left[(turn + 1) & 1];
  if (before >= 0 && last && i == 0) left[turn & 1] = before;
  return before >= 0;
}

/* Pinned vertices have the inverse mass 0. */
static inline real weight(global const real *p, const real m, const int c) { return m > 0 ? p[P_GRAVITY + c] : 0; }

static inline real kicked(global const real *p, const real dt, const real factor, const real m, const real g,
                          const real force, const real v)
{
  return factor * (v + dt * (m * (force - p[P_DRAG] * v) + g));
}

SB_KERNEL(explicit_euler, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple here = load(x, stride, i), f = SB_FORCE(here);
  const real   m = inverse_mass[i];
  triple       speed = load(v, stride, i), at = here;
  for (int c = 0; c < 3; ++c) {
    at.c[c] = here.c[c] + p[P_H] * speed.c[c];
    speed.c[c] = kicked(p, p[P_H], p[P_FACTOR], m, weight(p, m, c), f.c[c], speed.c[c]);
  }
  store(w, stride, i, speed);
  store(y, stride, i, at);
  look(p, left, turn, at);
}

SB_KERNEL(symplectic_euler, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple here = load(x, stride, i), f = SB_FORCE(here);
  const real   m = inverse_mass[i];
  triple       speed = load(v, stride, i), at = here;
  for (int c = 0; c < 3; ++c) {
    speed.c[c] = kicked(p, p[P_H], p[P_FACTOR], m, weight(p, m, c), f.c[c], speed.c[c]);
    at.c[c] = here.c[c] + p[P_H] * speed.c[c];
  }
  store(w, stride, i, speed);
  store(y, stride, i, at);
  look(p, left, turn, at);
}

/* Half a kick; `first`: the one that begins a step, which has the velocity factor. */
SB_KERNEL(kick, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, false)) return;
  const triple here = load(x, stride, i), f = SB_FORCE(here);
  const real   m = inverse_mass[i], factor = first ? p[P_FACTOR] : 1;
  triple       speed = load(v, stride, i);
  for (int c = 0; c < 3; ++c) speed.c[c] = kicked(p, p[P_HALF], factor, m, weight(p, m, c), f.c[c], speed.c[c]);
  store(w, stride, i, speed);
}

SB_KERNEL(drift, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple speed = load(v, stride, i);
  triple       at = load(x, stride, i);
  for (int c = 0; c < 3; ++c) at.c[c] = at.c[c] + p[P_H] * speed.c[c];
  store(y, stride, i, at);
  look(p, left, turn, at);
}

/* Without dampers, from half step to half step: the kick that ends a step, kick, drift. */
SB_KERNEL(velocity_verlet, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple here = load(x, stride, i), f = pull(i, here, start, other, link, visits, x, stride);
  const real   m = inverse_mass[i];
  triple       speed = load(v, stride, i), at = here;
  for (int c = 0; c < 3; ++c) {
    const real g = weight(p, m, c), end = kicked(p, p[P_HALF], 1, m, g, f.c[c], speed.c[c]);
    speed.c[c] = kicked(p, p[P_HALF], p[P_FACTOR], m, g, f.c[c], end);
    at.c[c] = here.c[c] + p[P_H] * speed.c[c];
  }
  store(w, stride, i, speed);
  store(y, stride, i, at);
  look(p, left, turn, at);
}

static inline real of_force(global const real *p, const real m, const real g, const real force, const real v)
{
  return m * (p[P_DRAG] > 0 ? force - p[P_DRAG] * v : force) + g;
}

/* The acceleration, and the previous position that follows from it and the velocity. */
SB_KERNEL(stoermer_start, items)
{
  SB_BEGIN;
  const triple here = load(x, stride, i), f = SB_FORCE(here), speed = load(v, stride, i);
  const real   m = inverse_mass[i];
  triple       a, before;
  for (int c = 0; c < 3; ++c) {
    a.c[c] = of_force(p, m, weight(p, m, c), f.c[c], speed.c[c]);
    before.c[c] = here.c[c] - (speed.c[c] - p[P_P] * a.c[c]) / p[P_Q];
  }
  store(acceleration, stride, i, a);
  store(previous, stride, i, before);
}

static inline triple moved(global const real *p, const triple here, const triple before, const triple a)
{
  triple at;
  for (int c = 0; c < 3; ++c) at.c[c] = here.c[c] + p[P_FACTOR] * (here.c[c] - before.c[c] + p[P_HH] * a.c[c]);
  return at;
}

SB_KERNEL(stoermer_move, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple here = load(x, stride, i);
  const triple at = moved(p, here, load(previous, stride, i), load(acceleration, stride, i));
  store(previous, stride, i, here);
  store(y, stride, i, at);
  look(p, left, turn, at);
}

/* Without dampers: the acceleration that ends a step, and the next position. */
SB_KERNEL(stoermer_verlet, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple here = load(x, stride, i), before = load(previous, stride, i);
  const triple f = pull(i, here, start, other, link, visits, x, stride);
  const real   m = inverse_mass[i];
  triple       a = load(acceleration, stride, i);
  for (int c = 0; c < 3; ++c) {
    const real predicted = p[P_Q] * (here.c[c] - before.c[c]) + p[P_P] * a.c[c];
    a.c[c] = of_force(p, m, weight(p, m, c), f.c[c], predicted);
  }
  const triple at = moved(p, here, before, a);
  store(acceleration, stride, i, a);
  store(previous, stride, i, here);
  store(y, stride, i, at);
  look(p, left, turn, at);
}

/* w = q (x - previous) + p a */
SB_KERNEL(predict, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, false)) return;
  const triple here = load(x, stride, i), before = load(previous, stride, i), a = load(acceleration, stride, i);
  triple       speed;
  for (int c = 0; c < 3; ++c) speed.c[c] = p[P_Q] * (here.c[c] - before.c[c]) + p[P_P] * a.c[c];
  store(w, stride, i, speed);
}

SB_KERNEL(accelerate, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, false)) return;
  const triple here = load(x, stride, i), f = SB_FORCE(here), speed = load(v, stride, i);
  const real   m = inverse_mass[i];
  triple       a;
  for (int c = 0; c < 3; ++c) a.c[c] = of_force(p, m, weight(p, m, c), f.c[c], speed.c[c]);
  store(acceleration, stride, i, a);
}

SB_KERNEL(position_start, items)
{
  SB_BEGIN;
  const triple here = load(x, stride, i), speed = load(v, stride, i);
  triple       before;
  for (int c = 0; c < 3; ++c) before.c[c] = here.c[c] - p[P_H] * speed.c[c];
  store(previous, stride, i, before);
}

/* Moves springs to their rest lengths, in place in y. One item handles `visits` springs one after the other, from
 * `first` on; other items handle theirs in parallel. `start` has first and second vertices, `other` is not used. */
SB_KERNEL(project, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, false)) return;
  for (int n = first + i * visits; n < first + (i + 1) * visits; ++n) {
    const int  a = start[2 * n], b = start[2 * n + 1];
    const real dx = y[a] - y[b], dy = y[stride + a] - y[stride + b], dz = y[2 * stride + a] - y[2 * stride + b];
    const real r = root(dx * dx + dy * dy + dz * dz), share = (real)1 / (real)2;
    const bool free_a = inverse_mass[a] > 0, free_b = inverse_mass[b] > 0;
    const real share_a = !free_a ? 0 : !free_b ? 1 : share, share_b = !free_b ? 0 : !free_a ? 1 : share;
    if (r == 0) continue;
    const real excess = (r - link[n]) / r;
    y[a] -= share_a * excess * dx;
    y[stride + a] -= share_a * excess * dy;
    y[2 * stride + a] -= share_a * excess * dz;
    y[b] += share_b * excess * dx;
    y[stride + b] += share_b * excess * dy;
    y[2 * stride + b] += share_b * excess * dz;
  }
}

SB_KERNEL(position_move, items)
{
  SB_BEGIN;
  if (is_over(left, turn, i, true)) return;
  const triple here = load(x, stride, i), before = load(previous, stride, i);
  const bool   is_free = inverse_mass[i] > 0;
  triple       speed, at;
  for (int c = 0; c < 3; ++c) {
    const real a = p[P_GRAVITY + c] + 0; /* a field of 0, which makes a 0 of a -0 */
    speed.c[c] = is_free ? p[P_KEPT] * (here.c[c] - before.c[c]) / p[P_H] + p[P_H] * a : 0;
    at.c[c] = here.c[c] + p[P_H] * speed.c[c];
  }
  store(previous, stride, i, here);
  store(w, stride, i, speed);
  store(y, stride, i, at);
  look(p, left, turn, at);
}

/* For the bandwidth: reads 6 numbers, writes 6. */
SB_KERNEL(copy, items)
{
  SB_BEGIN;
  store(y, stride, i, load(x, stride, i));
  store(w, stride, i, load(v, stride, i));
}
