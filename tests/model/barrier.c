/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The barrier of a pair of parts: energy, gradient and Hessian against differences, for every kind of closest points,
 * for edges that are nearly parallel, and where one kind gives way to another. */
#include <math.h>
#include <string.h>

#include <petscsys.h>

#include <petscblaslapack.h>

#include "model/contact/barrier_pair.h"
#include "tests/model/support.h"

enum { N = 12 };

static const sb_barrier_law law = {.thickness = 0.1, .stiffness = 1000};

typedef struct {
  const char  *what;
  sb_pair_kind kind;
  double       x[4][3];
  int          active; /* weights that are not 0 */
} placing;

/* Nearest inside of a face, on its edge, at its corner; two edges inside of both, of one, of none; nearly parallel. */
static const placing placings[] = {
    {"a face", SB_VERTEX_TRIANGLE, {{0.3, 0.2, 0.05}, {0, 0, 0}, {1, 0.1, 0.02}, {0.1, 0.9, -0.03}}, 4},
    {"an edge of a face", SB_VERTEX_TRIANGLE, {{0.4, -0.03, 0.05}, {0, 0, 0}, {1, 0.1, 0.02}, {0.1, 0.9, -0.03}}, 3},
    {"a corner of a face", SB_VERTEX_TRIANGLE, {{-0.02, -0.03, 0.05}, {0, 0, 0}, {1, 0.1, 0}, {0.1, 0.9, 0}}, 2},
    {"edges", SB_EDGE_EDGE, {{0, 0, 0}, {1, 0.1, 0}, {0.4, -0.5, 0.06}, {0.5, 0.6, 0.04}}, 4},
    {"an end and an edge", SB_EDGE_EDGE, {{0, 0, 0}, {1, 0.1, 0}, {0.4, 0.07, 0.03}, {0.5, 0.9, 0.1}}, 3},
    {"two ends", SB_EDGE_EDGE, {{0, 0, 0}, {1, 0.1, 0}, {-0.03, -0.02, 0.03}, {-0.5, -0.9, 0.1}}, 2},
    {"edges nearly parallel", SB_EDGE_EDGE, {{0, 0, 0}, {1, 0, 0}, {0.1, -0.01, 0.06}, {1.2, 0.012, 0.058}}, 4},
    {"edges almost parallel", SB_EDGE_EDGE, {{0, 0, 0}, {1, 0, 0}, {0.1, -1e-3, 0.06}, {1.2, 1e-3, 0.06}}, 4},
    {"an end nearly parallel", SB_EDGE_EDGE, {{0, 0, 0}, {1, 0, 0}, {0.6, 0.03, 0.05}, {1.7, 0.04, 0.04}}, 3},
};
enum { PLACINGS = sizeof placings / sizeof *placings };

static sb_nearness look(sb_pair_kind kind, double x[4][3])
{
  sb_nearness near = {.kind = kind};
  near.square = sb_pair_distance2(kind, x, near.weight);
  if (kind == SB_EDGE_EDGE) near.parallel = sb_barrier_parallel(1.0, 1.1);
  return near;
}

static double energy_at(sb_pair_kind kind, double x[4][3])
{
  const sb_nearness near = look(kind, x);
  return sb_barrier_pair_energy(&law, &near, x);
}

static void gradient_at(sb_pair_kind kind, double x[4][3], double gradient[4][3])
{
  const sb_nearness near = look(kind, x);
  sb_barrier_pair_gradient(&law, &near, x, gradient);
}

/* hessian = sum of dyads */
static int hessian_at(sb_pair_kind kind, double x[4][3], double hessian[N][N])
{
  const sb_nearness near = look(kind, x);
  double            dyad[SB_BARRIER_DYADS][4][3];
  const int         count = sb_barrier_pair_dyads(&law, &near, x, dyad);
  memset(hessian, 0, N * N * sizeof(double));
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) hessian[i][j] += dyad[k][i / 3][i % 3] * dyad[k][j / 3][j % 3];
  return count;
}

static double largest(const double *value, int count)
{
  double most = 0;
  for (int i = 0; i < count; ++i) most = fmax(most, fabs(value[i]));
  return most;
}

/* The gradient by differences of order 4, from `from` on. */
static void check_gradient(const placing *at, double x[4][3])
{
  double gradient[4][3];
  gradient_at(at->kind, x, gradient);
  const double scale = largest(&gradient[0][0], N), e = 2e-6;
  for (int i = 0; i < N; ++i) {
    double       sum = 0, *moved = &x[i / 3][i % 3];
    const double before = *moved;
    for (int side = -1; side <= 1; side += 2) {
      *moved = before + side * e;
      sum += 8 * side * energy_at(at->kind, x);
      *moved = before + 2 * side * e;
      sum -= side * energy_at(at->kind, x);
    }
    *moved = before;
    if (!(fabs(sum / (12 * e) - gradient[i / 3][i % 3]) < 1e-6 * scale))
      fail_msg("%s: component %d is %.12g, by differences %.12g", at->what, i, gradient[i / 3][i % 3], sum / (12 * e));
  }
}

static void test_gradients(void)
{
  for (int k = 0; k < PLACINGS; ++k) {
    double x[4][3];
    memcpy(x, placings[k].x, sizeof x);
    const sb_nearness near = look(placings[k].kind, x);
    int               active = 0;
    for (int i = 0; i < 4; ++i) active += near.weight[i] != 0;
    assert_int_equal(active, placings[k].active);
    check_gradient(&placings[k], x);
  }
}

static void exact_hessian(const placing *at, double x[4][3], double hessian[N][N])
{
  const double e = 2e-6;
  for (int i = 0; i < N; ++i) {
    double       side[2][4][3], *moved = &x[i / 3][i % 3];
    const double before = *moved;
    for (int s = 0; s < 2; ++s) {
      *moved = before + (2 * s - 1) * e;
      gradient_at(at->kind, x, side[s]);
    }
    *moved = before;
    for (int j = 0; j < N; ++j) hessian[i][j] = (side[1][j / 3][j % 3] - side[0][j / 3][j % 3]) / (2 * e);
  }
}

/* Eigenvalues ascend; columns of `vector` are rows here. */
static void eigen(double matrix[N][N], double value[N], double vector[N][N])
{
  double       work[8 * N];
  PetscBLASInt n = N, size = 8 * N, info;
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) vector[i][j] = 0.5 * (matrix[i][j] + matrix[j][i]);
  LAPACKsyev_("V", "U", &n, vector[0], &n, value, work, &size, &info);
  assert_int_equal(info, 0);
}

/* The largest entry of kept - (positive part of matrix). */
static double off_positive_part(double matrix[N][N], double kept[N][N])
{
  double value[N], vector[N][N], most = 0;
  eigen(matrix, value, vector);
  for (int i = 0; i < N; ++i)
    for (int j = 0; j < N; ++j) {
      double positive = 0;
      for (int e = 0; e < N; ++e) positive += fmax(value[e], 0) * vector[e][i] * vector[e][j];
      most = fmax(most, fabs(positive - kept[i][j]));
    }
  return most;
}

/* The omitted part is negative semi-definite, except for the curvature of u × v where edges are nearly parallel. The
 * kept part is little more than the positive part of the exact Hessian. */
static void test_hessians(void)
{
  for (int k = 0; k < PLACINGS; ++k) {
    double x[4][3], exact[N][N], kept[N][N], more[N][N], value[N], vector[N][N];
    memcpy(x, placings[k].x, sizeof x);
    exact_hessian(&placings[k], x, exact);
    hessian_at(placings[k].kind, x, kept);
    for (int i = 0; i < N; ++i)
      for (int j = 0; j < N; ++j) more[i][j] = kept[i][j] - exact[i][j];
    eigen(more, value, vector);
    const double scale = largest(&exact[0][0], N * N), off = off_positive_part(exact, kept);
    const bool   parallel = strstr(placings[k].what, "parallel");
    if (!(value[0] > -(parallel ? 0.02 : 1e-6) * scale && off < (parallel ? 0.35 : 0.003) * scale))
      fail_msg("%s: of %g, kept - exact is %g at least, and %g off the positive part", placings[k].what, scale,
               value[0], off);
  }
}

/* Parts that come together, part, pass from one kind of closest points to another, and edges that turn from crossing to
 * parallel: energy and gradient have no jump on the way. */
static void test_ways_are_smooth(void)
{
  static const struct {
    sb_pair_kind kind;
    double       from[4][3], to[4][3];
  } ways[] = {
      {SB_VERTEX_TRIANGLE,
       {{0.3, 0.2, 0.12}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
       {{0.3, 0.2, 0.02}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
      {SB_VERTEX_TRIANGLE,
       {{0.5, 0.5, 0.05}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
       {{-0.2, -0.15, 0.05}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}},
      {SB_EDGE_EDGE,
       {{0, 0, 0}, {1, 0, 0}, {-0.2, -0.3, 0.05}, {0.3, 0.6, 0.06}},
       {{0, 0, 0}, {1, 0, 0}, {0.9, -0.5, 0.05}, {1.3, 0.4, 0.06}}},
      {SB_EDGE_EDGE,
       {{0, 0, 0}, {1, 0, 0}, {0.1, -0.05, 0.05}, {0.9, 0.05, 0.05}},
       {{0, 0, 0}, {1, 0, 0}, {0.1, 0.04, 0.05}, {0.9, -0.05, 0.05}}},
  };
  enum { STEPS = 20000 };
  for (size_t w = 0; w < sizeof ways / sizeof *ways; ++w) {
    double before[4][3], energy_before = 0, jump = 0, turn = 0, most = 0;
    for (int s = 0; s <= STEPS; ++s) {
      double x[4][3], gradient[4][3], slope = 0;
      for (int i = 0; i < N; ++i)
        x[i / 3][i % 3] =
            ways[w].from[i / 3][i % 3] + (double)s / STEPS * (ways[w].to[i / 3][i % 3] - ways[w].from[i / 3][i % 3]);
      const double energy = energy_at(ways[w].kind, x);
      gradient_at(ways[w].kind, x, gradient);
      for (int i = 0; s > 0 && i < N; ++i) {
        turn = fmax(turn, fabs(gradient[i / 3][i % 3] - before[i / 3][i % 3]));
        slope += 0.5 * (gradient[i / 3][i % 3] + before[i / 3][i % 3]) *
                 (ways[w].to[i / 3][i % 3] - ways[w].from[i / 3][i % 3]) / STEPS;
      }
      if (s > 0) jump = fmax(jump, fabs(energy - energy_before - slope));
      most = fmax(most, largest(&gradient[0][0], N));
      memcpy(before, gradient, sizeof before);
      energy_before = energy;
    }
    if (!(turn < 5e-3 * most && jump < 1e-6))
      fail_msg("way %zu: the gradient, up to %g N, changes by %g N in a step, the energy by %g J more", w, most, turn,
               jump);
  }
}

TEST_MAIN(test_gradients, test_hessians, test_ways_are_smooth)
