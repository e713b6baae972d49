/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Closest points of vertex and triangle, edge and edge, and the fraction of a motion that is free: against searches
 * over all points, differences, and dense sampling in time, on random and on degenerate parts. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "model/maths/proximity.h"
#include "model/maths/vector3.h"
#include "tests/model/support.h"
#include "tests/sample.h"

static const sb_pair_kind kinds[] = {SB_VERTEX_TRIANGLE, SB_EDGE_EDGE};

static uint64_t drawn; /* how many numbers of the sequence were used */
static double   unit(void) { return sb_random_unit(17, drawn++); }
static double   between(double low, double high) { return low + (high - low) * unit(); }
static int      below(int count) { return (int)(unit() * count); }

static double square_at(sb_pair_kind kind, double x[4][3], double u, double v)
{
  double d[3];
  for (int c = 0; c < 3; ++c)
    d[c] = kind == SB_VERTEX_TRIANGLE ? x[0][c] - x[1][c] - u * (x[2][c] - x[1][c]) - v * (x[3][c] - x[1][c])
                                      : x[0][c] + u * (x[1][c] - x[0][c]) - x[2][c] - v * (x[3][c] - x[2][c]);
  return sb_dot(d, d);
}

/* The least over v of a convex function of one variable, by thirds; then over u of that. */
static double least_over_v(sb_pair_kind kind, double x[4][3], double u)
{
  double low = 0, high = kind == SB_VERTEX_TRIANGLE ? 1 - u : 1;
  for (int pass = 0; pass < 100; ++pass) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (square_at(kind, x, u, a) < square_at(kind, x, u, b))
      high = b;
    else
      low = a;
  }
  return square_at(kind, x, u, 0.5 * (low + high));
}

static double searched_distance(sb_pair_kind kind, double x[4][3])
{
  double low = 0, high = 1;
  for (int pass = 0; pass < 100; ++pass) {
    const double a = low + (high - low) / 3, b = high - (high - low) / 3;
    if (least_over_v(kind, x, a) < least_over_v(kind, x, b))
      high = b;
    else
      low = a;
  }
  return sqrt(least_over_v(kind, x, 0.5 * (low + high)));
}

/* Places on a coarse lattice are often parallel, coplanar, on one line, on one another; some are all but that. */
static void draw_place(int style, double x[3])
{
  static const double hair[] = {0, 1e-16, 1e-12, 1e-8, 1e-4};
  for (int c = 0; c < 3; ++c) switch (style) {
    case 0:
      x[c] = between(-1, 1);
      break;
    case 1:
      x[c] = below(3);
      break;
    case 2:
      x[c] = below(3) + hair[below(5)] * between(-1, 1);
      break;
    case 3:
      x[c] = c == 0 ? between(-1, 1) : hair[below(5)] * between(-1, 1);
      break;
    default:
      x[c] = c < 2 ? between(-1, 1) : hair[below(5)] * between(-1, 1);
      break;
    }
}

enum { STYLES = 5, SAMPLED = 4 };

static void draw(int style, double x[4][3])
{
  for (int i = 0; i < 4; ++i) draw_place(style, x[i]);
}

static void check_weights(sb_pair_kind kind, double x[4][3], const double w[4], double distance)
{
  double delta[3] = {0, 0, 0};
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) delta[c] += w[i] * x[i][c];
  assert_within(sqrt(sb_dot(delta, delta)), distance, 1e-14);
  assert_within(w[0] + w[1] + w[2] + w[3], 0, 1e-15);
  for (int i = 0; i < 4; ++i) {
    const bool first = kind == SB_VERTEX_TRIANGLE ? i == 0 : i < 2;
    assert_true(first ? w[i] >= 0 && w[i] <= 1 : w[i] <= 0 && w[i] >= -1);
  }
}

static void distances_are_the_least(void)
{
  for (int trial = 0; trial < 4000; ++trial)
    for (int k = 0; k < 2; ++k) {
      double x[4][3], w[4];
      draw(trial % STYLES, x);
      if (!sb_makes_trial((size_t)trial / STYLES, SAMPLED)) continue;
      const double distance = sqrt(sb_pair_distance2(kinds[k], x, w));
      check_weights(kinds[k], x, w, distance);
      assert_within(distance, searched_distance(kinds[k], x), 2e-8); /* thirds resolve squares to 1e-16 */
      if (distance > 1e-3) assert_within(distance, searched_distance(kinds[k], x), 1e-12);
    }
}

/* The weights as the gradient of the squared distance, where it has one; between parts that are not in line. */
static void weights_are_the_gradient(void)
{
  const double h = 1e-6;
  for (int trial = 0; trial < 500; ++trial)
    for (int k = 0; k < 2; ++k) {
      double x[4][3], w[4], spare[4], delta[3] = {0, 0, 0};
      draw(0, x);
      sb_pair_distance2(kinds[k], x, w);
      for (int i = 0; i < 4; ++i)
        for (int c = 0; c < 3; ++c) delta[c] += w[i] * x[i][c];
      for (int i = 0; i < 4; ++i)
        for (int c = 0; c < 3; ++c) {
          const double at = x[i][c];
          x[i][c] = at + h;
          const double more = sb_pair_distance2(kinds[k], x, spare);
          x[i][c] = at - h;
          const double less = sb_pair_distance2(kinds[k], x, spare);
          x[i][c] = at;
          assert_within((more - less) / (2 * h), 2 * w[i] * delta[c], 1e-4);
        }
    }
}

static void known_distances(void)
{
  double w[4];
  assert_within(
      sb_pair_distance2(SB_VERTEX_TRIANGLE, (double[4][3]){{0.25, 0.25, 2}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, w), 4, 0);
  assert_within(w[1], -0.5, 1e-15);
  assert_within(sb_pair_distance2(SB_VERTEX_TRIANGLE, (double[4][3]){{2, 2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, w),
                4.5, 1e-15);
  assert_within(sb_pair_distance2(SB_EDGE_EDGE, (double[4][3]){{-1, 0, 0}, {1, 0, 0}, {0, -1, 3}, {0, 1, 3}}, w), 9, 0);
  assert_within(w[1], 0.5, 0);
  assert_within(sb_pair_distance2(SB_EDGE_EDGE, (double[4][3]){{0, 0, 0}, {1, 0, 0}, {3, 0, 0}, {2, 0, 0}}, w), 1, 0);
  assert_within(sb_pair_distance2(SB_EDGE_EDGE, (double[4][3]){{1, 2, 3}, {1, 2, 3}, {1, 2, 4}, {1, 2, 4}}, w), 1, 0);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 2; ++k) {
      double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {2, 1, 1}};
      x[i][1] = NAN;
      assert_true(isnan(sb_pair_distance2(kinds[k], x, w)));
    }
}

static double distance_at(sb_pair_kind kind, double x[4][3], double p[4][3], double t)
{
  double at[4][3], w[4];
  for (int i = 0; i < 4; ++i) sb_along(x[i], t, p[i], at[i]);
  return sqrt(sb_pair_distance2(kind, at, w));
}

/* The first of many times at which the parts are as near as `limit`; 1 when they never are. */
static double sampled_meeting(sb_pair_kind kind, double x[4][3], double p[4][3], double limit)
{
  enum { SAMPLES = 2000 };
  for (int sample = 0; sample <= SAMPLES; ++sample) {
    const double t = (double)sample / SAMPLES;
    if (!(distance_at(kind, x, p, t) > limit)) return t;
  }
  return 1;
}

static void draw_motion(int style, int place_style, double x[4][3], double p[4][3])
{
  static const double size[] = {1e-9, 1e-3, 1, 30, 1e6};
  double              one[3];
  draw(place_style, p);
  for (int c = 0; c < 3; ++c) one[c] = between(-1, 1);
  const double scale = size[below(5)];
  for (int i = 0; i < 4; ++i)
    for (int c = 0; c < 3; ++c) {
      if (style == 0) p[i][c] *= scale;                                   /* any */
      if (style == 1) p[i][c] = i == 0 ? scale * p[i][c] : 0;             /* one vertex */
      if (style == 2) p[i][c] = 1e-3 * p[i][c] + 1e3 * one[c];            /* nearly a common one */
      if (style == 3) p[i][c] = x[(i + 1) % 4][c] - x[i][c];              /* each to the place of another */
      if (style == 4) p[i][c] = i < 2 ? (c < 2 ? scale * one[c] : 0) : 0; /* in the plane */
    }
}

enum { MOTIONS = 5 };

/* Up to the fraction the parts stay apart; if it stops short, they are as near as it reports. For parts that turn about
 * each other a hair apart, one motion in a hundred is given up earlier. */
static void motions_stop_before_they_meet(void)
{
  int stopped = 0, whole = 0, given_up = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const sb_pair_kind kind = kinds[trial % 2];
    double             x[4][3], p[4][3], w[4];
    draw(trial / 2 % STYLES, x);
    draw_motion(trial / 10 % MOTIONS, trial / 50 % STYLES, x, p);
    if (!sb_makes_trial((size_t)trial / 250, SAMPLED)) continue;
    const double before = sqrt(sb_pair_distance2(kind, x, w)), least = trial % 3 == 0 ? 0.3 * before : 0;
    const double t = sb_pair_advance(kind, x, p, least, 0.1);
    double       size = 1;
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < 3; ++c) size = fmax(size, fabs(p[i][c]));
    assert_true(t >= 0 && t <= 1);
    if (before < 1e-10 * size) continue; /* rounding decides, which comes below */
    double cut[4][3];
    for (int i = 0; i < 4; ++i)
      for (int c = 0; c < 3; ++c) cut[i][c] = t * p[i][c];
    assert_within(sampled_meeting(kind, x, cut, least), 1, 0);
    const double left = (distance_at(kind, x, p, t) - least) / (before - least);
    const bool   near_enough = t == 1 || (left > 0.049 && left < 0.101);
    if (!near_enough) assert_true(t > 0 && before < 1e-3 * size && ++given_up < 200);
    ++*(t < 1 ? &stopped : &whole);
  }
  const int enough = 2000 / (SB_SAMPLES ? SAMPLED : 1);
  assert_true(stopped > enough && whole > enough);
}

static void what_never_meets_is_free(void)
{
  for (int k = 0; k < 2; ++k) {
    double x[4][3] = {{0, 0, 1e-9}, {-1, -1, 0}, {1, -1, 0}, {0, 2, 0}}, p[4][3] = {{0}};
    if (k == 1) x[1][0] = x[1][1] = 1, x[1][2] = 1e-9;
    for (int i = 0; i < 4; ++i) assert_within(sb_pair_advance(kinds[k], x, p, 0, 0.1), 1, 0); /* at rest */
    p[0][0] = p[0][1] = 1e3;                                                                  /* slides, a hair above */
    if (k == 1) p[1][0] = p[1][1] = 1e3;
    assert_within(sb_pair_advance(kinds[k], x, p, 0, 0.1), 1, 0);
    p[0][2] = 1; /* parts */
    if (k == 1) p[1][2] = 1;
    assert_within(sb_pair_advance(kinds[k], x, p, 0, 0.1), 1, 0);
  }
}

static void rounding_and_no_numbers_are_not_free(void)
{
  double flat[4][3] = {{0.2, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  double x[4][3], p[4][3] = {{0, 0, -1}};
  assert_within(sb_pair_advance(SB_VERTEX_TRIANGLE, flat, p, 0, 0.1), 0, 0); /* they touch */
  p[0][2] = 1;
  assert_within(sb_pair_advance(SB_VERTEX_TRIANGLE, flat, p, 0, 0.1), 0, 0);
  memcpy(x, flat, sizeof x);
  x[0][2] = 1e-17; /* a distance below rounding: away is free, towards not */
  assert_within(sb_pair_advance(SB_VERTEX_TRIANGLE, x, p, 0, 0.1), 1, 0);
  p[0][2] = -1e-17;
  assert_within(sb_pair_advance(SB_VERTEX_TRIANGLE, x, p, 0, 0.1), 0, 0);
  x[0][2] = 1;
  for (int i = 0; i < 4; ++i) {
    double q[4][3] = {{0}};
    q[i][1] = i % 2 ? INFINITY : NAN;
    assert_within(sb_pair_advance(SB_VERTEX_TRIANGLE, x, q, 0, 0.1), 0, 0);
    assert_within(sb_pair_advance(SB_EDGE_EDGE, x, q, 0, 0.1), 0, 0);
    q[i][1] = 0;
    double y[4][3];
    memcpy(y, x, sizeof y);
    y[i][2] = NAN;
    assert_within(sb_pair_advance(SB_VERTEX_TRIANGLE, y, q, 0, 0.1), 0, 0);
  }
}

/* A vertex on a plane crossed by its fall, far from the origin: the place reached, rounded, is still on its side. */
static void sides_are_kept_far_from_the_origin(void)
{
  for (int trial = 0; trial < 2000; ++trial) {
    const double far = 1e4 * between(0.5, 1);
    double       x[4][3] = {{far, far, far}, {far - 1, far - 1, far}, {far + 2, far - 1, far}, {far - 1, far + 2, far}};
    double       p[4][3] = {{0}};
    x[0][2] += pow(10, between(-13, 0));
    p[0][2] = -pow(10, between(-12, 3));
    const double t = sb_pair_advance(SB_VERTEX_TRIANGLE, x, p, 0, 0.1);
    assert_true(x[0][2] <= far || t == 0 || x[0][2] + t * p[0][2] > far);
  }
}

TEST_MAIN(distances_are_the_least, weights_are_the_gradient, known_distances, motions_stop_before_they_meet,
          what_never_meets_is_free, rounding_and_no_numbers_are_not_free, sides_are_kept_far_from_the_origin)
