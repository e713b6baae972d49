/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernels of implicit steps: vectors, the incremental potential, passes by colours; see kernel_common.h, which
 * comes before it. Vectors are [vertices][3], or over unknown vertices, whose numbers `index` has. `mass` is 0 where
 * pinned. */
#ifndef __OPENCL_C_VERSION__
#pragma once
#endif
#define SB_ARGUMENTS                                                                                                   \
  global const real *restrict p, global int *left, global const int *restrict start, global const int *restrict other, \
      global const real *restrict link, global const real *restrict mass, global const int *restrict index,            \
      global const real *restrict a, global const real *restrict b, global const real *restrict c,                     \
      global real *restrict y, global real *restrict w, const int items, const int count, const int visits,            \
      const int kind, const int first, const int vertices, const real alpha, const real beta, const real gamma

#define SB_EACH_SPRING(n, i) for (int n = start[(i) / 32] + (i) % 32; n < start[(i) / 32 + 1] && other[n] >= 0; n += 32)

/* ---- vectors ---- */

/* y = alpha, or alpha y */
SB_KERNEL(fill, items)
{
  SB_BEGIN;
  y[i] = kind == FILL_SCALED ? alpha * y[i] : alpha;
}

/* y = alpha a + beta y, without y where beta is 0 */
SB_KERNEL(combine, items)
{
  SB_BEGIN;
  const real part = alpha * a[i];
  y[i] = beta == 0 ? part : part + beta * y[i];
}

/* y = b + alpha a */
SB_KERNEL(follow, items)
{
  SB_BEGIN;
  y[i] = b[i] + alpha * a[i];
}

static inline real larger(const real m, const real v) { return m != m || v <= m ? m : v; }

/* y[i] = the sum of every items-th number from the i-th on. The tree does not depend on the device. */
SB_KERNEL(sum, items)
{
  SB_BEGIN;
  real total = 0;
  for (int n = i; n < count; n += items)
    total = kind == SUM_PRODUCTS ? total + a[n] * b[n]
            : kind == SUM_SIZES  ? total + absolute(a[n])
                                 : larger(total, absolute(a[n]));
  y[i] = total;
}

/* y[i] = the sum of 64 numbers that follow each other */
SB_KERNEL(sum_again, items)
{
  SB_BEGIN;
  real total = 0;
  for (int n = 64 * i; n < 64 * i + 64; ++n) total = kind == SUM_LARGEST ? larger(total, a[n]) : total + a[n];
  y[i] = total;
}

/* y (unknowns) = a (full) */
SB_KERNEL(take_unknowns, items)
{
  SB_BEGIN;
  store(y, 0, i, load(a, 0, index[i]));
}

/* y (full) = a (unknowns), or y += alpha a */
SB_KERNEL(give_unknowns, items)
{
  SB_BEGIN;
  const int at = index[i];
  for (int e = 0; e < 3; ++e)
    y[SB_AT(at, e)] = kind == GIVE_ADDED ? y[SB_AT(at, e)] + alpha * a[SB_AT(i, e)] : a[SB_AT(i, e)];
}

/* ---- the incremental potential ---- */

static inline triple none(void)
{
  triple t;
  t.c[0] = t.c[1] = t.c[2] = 0;
  return t;
}

/* y = 0 where pinned */
SB_KERNEL(rest_pins, items)
{
  SB_BEGIN;
  if (mass[i] == 0) store(y, 0, i, none());
}

/* w = a + h b, the place without forces; y = w + h^2 times the acceleration of gravity, drag and dampers; at pinned
 * vertices both are a. */
SB_KERNEL(predict, items)
{
  SB_BEGIN;
  const triple here = load(a, 0, i), speed = load(b, 0, i);
  const real   m = mass[i];
  triple       coast = here, at = here, force = none();
  if (kind == PREDICT_DAMPED) force = damp(p[P_DAMPING], i, here, force, start, other, a, b, 0);
  for (int e = 0; e < 3 && m > 0; ++e) {
    const real g = p[P_GRAVITY + e], v = speed.c[e];
    coast.c[e] = here.c[e] + p[P_H] * v;
    at.c[e] = coast.c[e] + p[P_HH] * (kind == PREDICT_FALLING   ? g
                                      : kind == PREDICT_DRAGGED ? g - p[P_DRAG] / m * v
                                                                : g + 1 / m * (force.c[e] - p[P_DRAG] * v));
  }
  store(w, 0, i, coast);
  store(y, 0, i, at);
}

/* y (unknowns) = the gradient at a; b is the inertial target. */
SB_KERNEL(gradient, items)
{
  SB_BEGIN;
  const int    at = index[i];
  const triple here = load(a, 0, at), target = load(b, 0, at);
  const triple f = pull(at, here, start, other, link, visits, a, 0);
  const real   weight = p[P_INERTIA] * mass[at];
  for (int e = 0; e < 3; ++e) y[SB_AT(i, e)] = weight * (here.c[e] - target.c[e]) - f.c[e];
}

static inline triple minus(const triple s, const triple t)
{
  triple d;
  for (int e = 0; e < 3; ++e) d.c[e] = s.c[e] - t.c[e];
  return d;
}

static inline real dot(const triple s, const triple t) { return s.c[0] * t.c[0] + s.c[1] * t.c[1] + s.c[2] * t.c[2]; }

/* y[i] = a part of the potential at a, of every items-th vertex and half its springs; b is the inertial target. */
SB_KERNEL(value, items)
{
  SB_BEGIN;
  real twice = 0;
  for (int n = i; n < vertices; n += items) {
    const triple here = load(a, 0, n), off = minus(here, load(b, 0, n));
    real         springs = 0;
    SB_EACH_SPRING(s, n)
    {
      const triple d = minus(here, load(a, 0, other[s]));
      const real   stretch = root(dot(d, d)) - link[visits + s];
      springs += link[s] * stretch * stretch;
    }
    twice += p[P_INERTIA] * mass[n] * dot(off, off) + springs / 2;
  }
  y[i] = twice / 2;
}

/* H_s = x I + y d d^T of a spring, its negative part times `negative`; as spring_hessian of model/forces/kernels.c. */
static inline void stiffen(const real negative, const real k, const real l, const real square, real *x, real *y)
{
  const real part = 1 - l / root(square), across = part < 0 ? negative * part : part;
  *x = square == 0 ? (l == 0 ? k : k / 3) : k * across;
  *y = square == 0 ? 0 : k * (1 - across) / square;
}

/* y[i] = a part of b^T K b at a, as above. */
SB_KERNEL(curvature, items)
{
  SB_BEGIN;
  real total = 0;
  for (int n = i; n < vertices; n += items) {
    const triple here = load(a, 0, n), way = load(b, 0, n);
    real         springs = 0;
    SB_EACH_SPRING(s, n)
    {
      const triple d = minus(here, load(a, 0, other[s])), q = minus(way, load(b, 0, other[s]));
      const real   along = dot(d, q);
      real         across, more;
      stiffen(0, link[s], link[visits + s], dot(d, d), &across, &more);
      springs += kind == CURVATURE_MAJORANT ? link[s] * dot(q, q) : across * dot(q, q) + more * along * along;
    }
    total += p[P_INERTIA] * mass[n] * dot(way, way) + springs / 2;
  }
  y[i] = total;
}

/* y = B^-1 b over unknowns, B the diagonal blocks of the Hessian at a without negative parts */
SB_KERNEL(solve_blocks, items)
{
  SB_BEGIN;
  const int    at = index[i];
  const triple here = load(a, 0, at), in = load(b, 0, i);
  real         xx = p[P_INERTIA] * mass[at], yy = xx, zz = xx, xy = 0, xz = 0, yz = 0;
  SB_EACH_SPRING(s, at)
  {
    const triple d = minus(here, load(a, 0, other[s]));
    real         across, more;
    stiffen(0, link[s], link[visits + s], dot(d, d), &across, &more);
    xx += across + more * d.c[0] * d.c[0];
    yy += across + more * d.c[1] * d.c[1];
    zz += across + more * d.c[2] * d.c[2];
    xy += more * d.c[0] * d.c[1];
    xz += more * d.c[0] * d.c[2];
    yz += more * d.c[1] * d.c[2];
  }
  const real A = yy * zz - yz * yz, B = xz * yz - xy * zz, C = xy * yz - xz * yy;
  const real scale = 1 / (xx * A + xy * B + xz * C);
  y[SB_AT(i, 0)] = scale * (A * in.c[0] + B * in.c[1] + C * in.c[2]);
  y[SB_AT(i, 1)] = scale * (B * in.c[0] + (xx * zz - xz * xz) * in.c[1] + (xy * xz - xx * yz) * in.c[2]);
  y[SB_AT(i, 2)] = scale * (C * in.c[0] + (xy * xz - xx * yz) * in.c[1] + (xx * yy - xy * xy) * in.c[2]);
}

/* A turn of conjugate gradients: y += alpha w, then w = a + beta w */
SB_KERNEL(turn, items)
{
  SB_BEGIN;
  y[i] += alpha * w[i];
  w[i] = a[i] + beta * w[i];
}

/* y = (M/h^2 + H) b at unknown vertices, H at a, its negative parts times alpha; b is 0 where pinned */
SB_KERNEL(product, items)
{
  SB_BEGIN;
  const int    at = index[i];
  const triple here = load(a, 0, at), way = load(b, 0, at);
  triple       sum = none();
  SB_EACH_SPRING(s, at)
  {
    const triple d = minus(here, load(a, 0, other[s])), q = minus(way, load(b, 0, other[s]));
    real         across, more;
    stiffen(alpha, link[s], link[visits + s], dot(d, d), &across, &more);
    const real along = more * dot(d, q);
    for (int e = 0; e < 3; ++e) sum.c[e] += across * q.c[e] + along * d.c[e];
  }
  for (int e = 0; e < 3; ++e) sum.c[e] += p[P_INERTIA] * mass[at] * way.c[e];
  store(y, 0, at, sum);
}

/* y = D^-1 (b - W a) over unknowns, W = M/h^2 + sum k A A^T and D its diagonal; c: `a` on all vertices, 0 where
 * pinned. */
SB_KERNEL(relax, items)
{
  SB_BEGIN;
  const int at = index[i];
  triple    rest = load(b, 0, i);
  real      diagonal = p[P_INERTIA] * mass[at];
  SB_EACH_SPRING(s, at)
  {
    const triple there = load(c, 0, other[s]);
    diagonal += link[s];
    for (int e = 0; e < 3; ++e) rest.c[e] += link[s] * there.c[e];
  }
  for (int e = 0; e < 3; ++e) y[SB_AT(i, e)] = rest.c[e] / diagonal - a[SB_AT(i, e)];
}

/* The end of a step: w = (a - y)/h, times alpha where free; y = a. */
SB_KERNEL(move, items)
{
  SB_BEGIN;
  const triple to = load(a, 0, i), from = load(y, 0, i);
  const real   factor = mass[i] > 0 ? alpha : 1;
  for (int e = 0; e < 3; ++e) w[SB_AT(i, e)] = factor * ((to.c[e] - from.c[e]) / p[P_H]);
  store(y, 0, i, to);
  look(p, left, 0, to);
}

/* ---- passes by colours ---- */

/* Vertex block descent: one vertex of a colour, in place in y. a: its place by inertia only; alpha: the part of the
 * step; beta: blocks below it, in units of their terms, are singular. */
SB_KERNEL(visit_vertex, items)
{
  SB_BEGIN;
  const int    at = index[first + i];
  const triple here = load(y, 0, at), place = load(a, 0, at);
  const real   weight = mass[at] / p[P_HH];
  real         block[6] = {weight, 0, 0, weight, 0, weight}, f[3];
  for (int e = 0; e < 3; ++e) f[e] = -weight * (here.c[e] - place.c[e]);
  SB_EACH_SPRING(s, at)
  {
    const real   k = link[s], l = link[visits + s];
    const triple d = minus(here, load(y, 0, other[s]));
    const real   square = dot(d, d), part = square == 0 ? 0 : 1 - l / root(square);
    const real   shape = kind == BLOCKS_LAPLACIAN ? 1 : kind == BLOCKS_PROJECTED && part < 0 ? 0 : part;
    const real   across = square == 0 ? (l == 0 || kind == BLOCKS_LAPLACIAN ? k : k / 3) : k * shape;
    const real   along = square == 0 ? 0 : k * (1 - shape) / square;
    for (int e = 0, n = 0; e < 3; ++e) {
      f[e] -= k * part * d.c[e];
      for (int q = e; q < 3; ++q, ++n) block[n] += along * d.c[e] * d.c[q] + (e == q ? across : 0);
    }
  }
  for (int e = 0; e < 3; ++e) f[e] *= alpha;
  const real A = block[3] * block[5] - block[4] * block[4], B = block[2] * block[4] - block[1] * block[5];
  const real C = block[1] * block[4] - block[2] * block[3], determinant = block[0] * A + block[1] * B + block[2] * C;
  const real D = block[0] * block[5] - block[2] * block[2], E = block[1] * block[2] - block[0] * block[4];
  const real F = block[0] * block[3] - block[1] * block[1];
  const real size = absolute(block[0] * A) + absolute(block[1] * B) + absolute(block[2] * C);
  if (!(absolute(determinant) > beta * size)) return;
  y[SB_AT(at, 0)] += (A * f[0] + B * f[1] + C * f[2]) / determinant;
  y[SB_AT(at, 1)] += (B * f[0] + D * f[1] + E * f[2]) / determinant;
  y[SB_AT(at, 2)] += (C * f[0] + E * f[1] + F * f[2]) / determinant;
}

/* Extended position-based dynamics: one constraint of a colour, in place in y and in its multiplier w. index: its two
 * vertices; c: their inverse masses, compliance, rest length. A pinned vertex, which others of the colour may share, is
 * not written. */
SB_KERNEL(visit_spring, items)
{
  SB_BEGIN;
  const int    n = first + i, one = index[2 * n], two = index[2 * n + 1];
  const real   wi = c[4 * n], wj = c[4 * n + 1], compliance = c[4 * n + 2];
  const triple d = minus(load(y, 0, one), load(y, 0, two));
  const real   r = root(dot(d, d));
  if (r == 0) return;
  const real change = -(r - c[4 * n + 3] + compliance * w[n]) / (wi + wj + compliance);
  w[n] += change;
  for (int e = 0; e < 3; ++e) {
    const real push = change / r * d.c[e];
    if (wi > 0) y[SB_AT(one, e)] += wi * push;
    if (wj > 0) y[SB_AT(two, e)] -= wj * push;
  }
}
