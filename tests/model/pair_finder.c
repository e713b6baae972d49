/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of parts that may touch against all n^2 of them, and triangles that cut each other against an independent test:
 * on flat, folded, crumpled and moving sheets, on loose triangles, and with places that are no numbers. */
#include "model/contact/pair_finder.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/model/intersections.h"
#include "tests/model/support.h"

enum { SIDE = 12, SHEET = SIDE * SIDE, SHAPES = 6 };
static const double spacing = 1.0 / (SIDE - 1);

typedef struct {
  sb_surface     *surface;
  sb_pair_finder *finder;
  double          from[3 * SHEET], to[3 * SHEET];
} world;

static uint64_t drawn;
static double   between(double low, double high) { return low + (high - low) * sb_random_unit(29, drawn++); }

static void open_world(world *w, size_t vertices, size_t triangles, const int32_t *triangle)
{
  w->surface = sb_surface_create(vertices, triangles, triangle);
  assert_non_null(w->surface);
  w->finder = sb_pair_finder_create(w->surface);
  assert_non_null(w->finder);
}

static void close_world(world *w)
{
  sb_pair_finder_destroy(&w->finder);
  sb_surface_destroy(&w->surface);
}

static void open_sheet(world *w)
{
  int32_t triangle[6 * SHEET];
  size_t  count = 0;
  for (int j = 0; j + 1 < SIDE; ++j)
    for (int i = 0; i + 1 < SIDE; ++i) {
      const int a = j * SIDE + i, corner[6] = {a, a + 1, a + SIDE + 1, a, a + SIDE + 1, a + SIDE};
      for (int c = 0; c < 6; ++c) triangle[count++] = corner[c];
    }
  open_world(w, SHEET, count / 3, triangle);
}

static void place(int shape, double u, double v, double p[3])
{
  const double angle = 9 * v;
  const double places[SHAPES][3] = {
      {u, v, 0},                                                               /* flat */
      {0.6 * u - 0.56 * v, 0.8 * u + 0.42 * v, 0.714 * v},                     /* flat, aslant */
      {u, v < 0.5 ? v : 1 - v, v < 0.5 ? 0 : 0.4 * spacing * (1 + 0.1 * u)},   /* folded */
      {0.1 * cos(angle) * (1 + 0.1 * v), 0.1 * sin(angle) * (1 + 0.1 * v), u}, /* rolled */
      {0.3 * sin(7 * u), 0.3 * sin(11 * v), 0.3 * sin(5 * u * v)},             /* crumpled */
      {1e5 + u, -1e5 + v, 1e5 + u * v}};                                       /* far away */
  memcpy(p, places[shape], sizeof places[shape]);
}

static void shape_sheet(world *w, int shape, double noise, double motion)
{
  for (int i = 0; i < SHEET; ++i) {
    place(shape, spacing * (i % SIDE), spacing * (i / SIDE), w->from + 3 * i);
    for (int c = 0; c < 3; ++c) {
      w->from[3 * i + c] += between(-noise, noise);
      w->to[3 * i + c] = w->from[3 * i + c] + between(-motion, motion);
    }
  }
}

/* A pair as one number: each kind's vertices ascending where their order has no meaning. */
static uint64_t key_of(const sb_pair *pair)
{
  int v[4];
  memcpy(v, pair->vertex, sizeof v);
  const bool edges = pair->kind == SB_EDGE_EDGE;
  for (int pass = 0; pass < 3; ++pass)
    for (int i = edges ? 0 : 1; i < 3; ++i)
      if (v[i] > v[i + 1] && !(edges && i == 1)) {
        const int swap = v[i];
        v[i] = v[i + 1];
        v[i + 1] = swap;
      }
  const bool turned = edges && v[0] > v[2];
  uint64_t   key = edges;
  for (int i = 0; i < 4; ++i) key = key * 1000 + (uint64_t)v[turned ? (i + 2) % 4 : i];
  return key;
}

static int compare_keys(const void *a, const void *b)
{
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
  return (p > q) - (p < q);
}

typedef struct {
  size_t    count;
  uint64_t *key; /* ascending */
} key_list;

static key_list found_pairs(world *w, double radius)
{
  key_list       keys = {0};
  const sb_pair *pair;
  assert_true(sb_pair_finder_find(w->finder, w->from, w->to, radius, &keys.count, &pair));
  keys.key = malloc((keys.count + 1) * sizeof *keys.key);
  for (size_t i = 0; i < keys.count; ++i) keys.key[i] = key_of(&pair[i]);
  qsort(keys.key, keys.count, sizeof *keys.key, compare_keys);
  for (size_t i = 1; i < keys.count; ++i) assert_true(keys.key[i] != keys.key[i - 1]);
  return keys;
}

/* The distance along the axes between the boxes of the ways of two lists of vertices; NAN: one is nowhere. */
static double boxes_apart(const world *w, int first, const int *a, int second, const int *b)
{
  double apart = -INFINITY;
  for (int c = 0; c < 3; ++c) {
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (int i = 0; i < first + second; ++i) {
      const int    v = i < first ? a[i] : b[i - first], which = i >= first;
      const double p = w->from[3 * v + c], q = w->to[3 * v + c];
      if (!isfinite(p) || !isfinite(q)) return NAN;
      low[which] = fmin(low[which], fmin(p, q));
      high[which] = fmax(high[which], fmax(p, q));
    }
    apart = fmax(apart, fmax(low[0] - high[1], low[1] - high[0]));
  }
  return apart;
}

/* A pair within the radius must be found, and one beyond it must not; within a hair of the radius both are right. */
static size_t check_pair(const world *w, const key_list *keys, double radius, sb_pair pair)
{
  const int      first = pair.kind == SB_EDGE_EDGE ? 2 : 1;
  const double   apart = boxes_apart(w, first, pair.vertex, 4 - first, pair.vertex + first);
  const uint64_t key = key_of(&pair);
  const bool     found = bsearch(&key, keys->key, keys->count, sizeof key, compare_keys) != NULL;
  if (apart < radius) assert_true(found);
  if (!(apart < radius + 1e-9)) assert_false(found);
  return found;
}

static size_t check_all(world *w, double radius)
{
  const sb_surface *s = w->surface;
  const key_list    keys = found_pairs(w, radius);
  size_t            seen = 0;
  for (int v = 0; v < (int)s->vertices; ++v)
    for (size_t t = 0; t < s->triangles; ++t) {
      const int *c = s->triangle + 3 * t;
      if (v != c[0] && v != c[1] && v != c[2])
        seen += check_pair(w, &keys, radius, (sb_pair){SB_VERTEX_TRIANGLE, {v, c[0], c[1], c[2]}});
    }
  for (size_t e = 0; e < s->edges; ++e)
    for (size_t f = e + 1; f < s->edges; ++f) {
      const int *p = s->edge + 2 * e, *q = s->edge + 2 * f;
      if (p[0] != q[0] && p[0] != q[1] && p[1] != q[0] && p[1] != q[1])
        seen += check_pair(w, &keys, radius, (sb_pair){SB_EDGE_EDGE, {p[0], p[1], q[0], q[1]}});
    }
  assert_int_equal(seen, keys.count);
  free(keys.key);
  return seen;
}

static void sheets_give_all_pairs(void)
{
  world  w;
  size_t pairs = 0;
  open_sheet(&w);
  for (int shape = 0; shape < SHAPES; ++shape)
    for (int trial = 0; trial < 4; ++trial) {
      shape_sheet(&w, shape, trial % 2 ? 0.3 * spacing : 0, trial > 1 ? spacing : 0);
      pairs += check_all(&w, (double[]){0, 0.25, 0.5, 3}[trial] * spacing);
    }
  assert_true(pairs > 200000);
  close_world(&w);
}

static void vertices_nowhere_take_no_part(void)
{
  static const double odd[] = {NAN, INFINITY, -INFINITY};
  world               w;
  open_sheet(&w);
  shape_sheet(&w, 4, 0.1 * spacing, spacing);
  for (int i = 0; i < SHEET; i += 7) (i % 2 ? w.from : w.to)[3 * i + i % 3] = odd[i % 3];
  assert_true(check_all(&w, 0.5 * spacing) > 1000);
  w.from[5] = 1e300; /* a vertex far away is near nothing, but its triangles are long */
  assert_true(check_all(&w, 0.5 * spacing) > 1000);
  for (int i = 0; i < 3 * SHEET; ++i) w.to[i] = NAN;
  assert_int_equal(check_all(&w, 0.5 * spacing), 0);
  assert_int_equal(sb_pair_finder_intersections(w.finder, w.to), 0);
  close_world(&w);
}

/* Steps, drifts and leaps: what is kept from one call for the next loses no pair, and neither do other radii. */
static void pairs_of_a_moving_sheet(void)
{
  static const double step[] = {0.002, 0.002, 0.05, 0.002, 3};
  world               w;
  open_sheet(&w);
  for (int shape = 1; shape < SHAPES; shape += 2) {
    shape_sheet(&w, shape, 0.1 * spacing, 0);
    for (int call = 0; call < 24; ++call) {
      const double drift = call % 10 == 9 ? 100 : 0.01, size = step[call % 5] * spacing;
      for (int i = 0; i < 3 * SHEET; ++i) w.from[i] = w.to[i] + (i % 3 == 0 ? drift : 0);
      for (int i = 0; i < 3 * SHEET; ++i) w.to[i] = w.from[i] + between(-size, size);
      if (call == 10) w.to[33] = NAN;
      if (call == 15) w.to[33] = 0.5;
      check_all(&w, (call % 3 == 0 ? 0.6 : 0.3) * spacing);
      if (call % 7 == 0) sb_pair_finder_intersections(w.finder, w.from);
    }
  }
  close_world(&w);
}

/* A layer that comes down on another is met the moment it is near enough. */
static void layers_that_approach(void)
{
  world w;
  open_sheet(&w);
  shape_sheet(&w, 2, 0, 0);
  for (double start = 0.038; start > 0.034; start -= 0.0005)
    for (double gap = start; gap > 0; gap -= 0.002) {
      for (int i = SHEET / 2; i < SHEET; ++i) w.from[3 * i + 2] = w.to[3 * i + 2] = gap;
      check_all(&w, 0.01);
    }
  close_world(&w);
}

/* Triangles that share nothing, or all their vertices, or are few; vertices without any. */
static void surfaces_of_any_kind(void)
{
  world   w;
  int32_t triangle[3 * 60];
  for (int trial = 0; trial < 60; ++trial) {
    const int count = trial % 4 == 0 ? trial % 20 : trial, vertices = trial % 3 == 0 ? 5 : SHEET;
    for (int t = 0; t < count; ++t) {
      const int a = (int)between(0, vertices), b = 1 + (int)between(0, vertices - 2);
      triangle[3 * t] = a;
      triangle[3 * t + 1] = (a + b) % vertices;
      triangle[3 * t + 2] = (a + b + 1 == a + vertices ? a + b - 1 : a + b + 1) % vertices;
    }
    open_world(&w, (size_t)vertices, (size_t)count, triangle);
    for (int i = 0; i < 3 * SHEET; ++i) w.to[i] = (w.from[i] = between(0, 1)) + between(0, 0.1);
    size_t         found;
    const sb_pair *pair;
    assert_true(sb_pair_finder_find(w.finder, w.from, w.to, 0.1, &found, &pair));
    assert_int_equal(sb_pair_finder_intersections(w.finder, w.from),
                     sb_test_intersections(w.surface->triangles, w.surface->triangle, w.from));
    close_world(&w);
  }
}

/* The list is the same whatever was asked before. */
static void order_is_of_positions_only(void)
{
  world          w, fresh;
  size_t         count, again;
  const sb_pair *pair, *other;
  open_sheet(&w);
  for (int shape = 0; shape < SHAPES; ++shape) {
    shape_sheet(&w, shape, 0.2 * spacing, 0.2 * spacing);
    assert_true(sb_pair_finder_find(w.finder, w.from, w.to, 0.3 * spacing, &count, &pair));
    for (int i = 0; i < 3 * SHEET; ++i) w.from[i] += between(-0.05, 0.05) * spacing;
    assert_true(sb_pair_finder_find(w.finder, w.from, w.to, 0.2 * spacing, &count, &pair));
    open_sheet(&fresh);
    assert_true(sb_pair_finder_find(fresh.finder, w.from, w.to, 0.2 * spacing, &again, &other));
    assert_int_equal(count, again);
    assert_memory_equal(pair, other, count * sizeof *pair);
    close_world(&fresh);
  }
  close_world(&w);
}

/* Places in general position, where both tests see the same. */
static void cuts_are_those_of_the_independent_test(void)
{
  world   w;
  int64_t most = 0;
  open_sheet(&w);
  for (int trial = 0; trial < 120; ++trial) {
    shape_sheet(&w, trial % (SHAPES - 1), (trial % 7 + 1) * 0.1 * spacing, 0);
    const int64_t cuts = sb_pair_finder_intersections(w.finder, w.from);
    assert_int_equal(cuts, sb_test_intersections(w.surface->triangles, w.surface->triangle, w.from));
    most = cuts > most ? cuts : most;
  }
  assert_true(most > 300);
  shape_sheet(&w, 0, 0, 0);
  assert_int_equal(sb_pair_finder_intersections(w.finder, w.from), 0); /* flat, all in a plane */
  shape_sheet(&w, 1, 0, 0);
  assert_int_equal(sb_pair_finder_intersections(w.finder, w.from), 0);
  close_world(&w);
}

/* Every vertex against every triangle beyond two rings, which are found anew. */
static sb_gap all_gaps(const world *w)
{
  const sb_surface *s = w->surface;
  sb_gap            gap = {0, INFINITY, 0, 0};
  for (int v = 0; v < (int)s->vertices; ++v) {
    bool   near[SHEET] = {false}, nearer[SHEET];
    double least = INFINITY;
    near[v] = true;
    for (int ring = 0; ring < 2; ++ring) {
      memcpy(nearer, near, sizeof near);
      for (size_t e = 0; e < 2 * s->edges; ++e)
        if (nearer[s->edge[e]]) near[s->edge[e ^ 1]] = true;
    }
    for (size_t t = 0; t < s->triangles; ++t) {
      const int *c = s->triangle + 3 * t;
      double     x[4][3], weight[4];
      for (int i = 0; i < 12; ++i) x[i / 3][i % 3] = w->from[3 * (i < 3 ? v : c[i / 3 - 1]) + i % 3];
      if (!near[c[0]] && !near[c[1]] && !near[c[2]])
        least = fmin(least, sqrt(sb_pair_distance2(SB_VERTEX_TRIANGLE, x, weight)));
    }
    if (!(least < INFINITY)) continue;
    gap.vertices++;
    gap.least = fmin(gap.least, least);
    gap.mean += least;
  }
  gap.mean /= (double)gap.vertices;
  return gap;
}

static void gaps_are_the_least(void)
{
  world  w;
  sb_gap gap, all;
  open_sheet(&w);
  for (int shape = 0; shape < SHAPES; ++shape) {
    shape_sheet(&w, shape, shape % 2 ? 0.1 * spacing : 0, 0);
    assert_true(sb_pair_finder_gap(w.finder, w.from, &gap));
    all = all_gaps(&w);
    assert_int_equal(gap.vertices, all.vertices);
    assert_within(gap.least, all.least, 1e-9);
    assert_within(gap.mean, all.mean, 1e-9);
  }
  close_world(&w);
  open_world(&w, 4, 2, (int32_t[]){0, 1, 2, 1, 2, 3}); /* nothing beyond two rings */
  memset(w.from, 0, sizeof w.from);
  assert_true(sb_pair_finder_gap(w.finder, w.from, &gap));
  assert_int_equal(gap.vertices, 0);
  assert_within(gap.mean, 0, 0);
  close_world(&w);
}

static bool meet(double height, double turn, double scale)
{
  double a[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  double b[3][3] = {{0.2, 0.2, height}, {0.8, 0.9, height + turn}, {0.2, 0.9, height}};
  for (int i = 0; i < 9; ++i) {
    a[i / 3][i % 3] = 7 + scale * a[i / 3][i % 3];
    b[i / 3][i % 3] = 7 + scale * b[i / 3][i % 3];
  }
  return sb_triangles_meet(a, b) && sb_triangles_meet(b, a);
}

/* A needle or a point beside, on and in a triangle or another needle. */
static bool needle_meets(double x, double y, double z, double length, bool other_is_needle)
{
  double a[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
         b[3][3] = {{x, y, z}, {x, y, z + length}, {x, y, z + 0.3 * length}};
  if (other_is_needle) a[2][0] = 0.5, a[2][1] = 0;
  return sb_triangles_meet(a, b) && sb_triangles_meet(b, a);
}

static void triangles_that_touch_meet(void)
{
  for (double scale = 1e-6; scale < 1e7; scale *= 10) {
    const double least = 1e-12 * (1 + 7 / scale);
    assert_true(meet(0, 0, scale)); /* overlap in the plane */
    assert_false(meet(least, 0, scale));
    assert_false(meet(-least, 0, scale));
    assert_true(meet(0, 1, scale)); /* a corner on it */
    assert_true(meet(-1e-3, 1, scale));
    assert_false(meet(least, 1, scale));
  }
  assert_true(needle_meets(0.2, 0.2, -0.1, 1, false));
  assert_true(needle_meets(0.2, 0.2, 0, 0, false)); /* a point on it */
  assert_false(needle_meets(0.2, 0.2, 1e-9, 1, false));
  assert_false(needle_meets(0.2, 0.2, 1e-9, 0, false));
  assert_false(needle_meets(0.2, -1e-9, 0, 0, false));
  assert_true(needle_meets(0.2, 0, -0.1, 1, true));
  assert_false(needle_meets(0.2, 1e-9, -0.1, 1, true));
  assert_true(needle_meets(0.2, 0, 0, 0, true));
  assert_false(needle_meets(0.2, 0, 1e-9, 0, true));
  assert_false(needle_meets(1.5, 0, 0, 0, true));
}

/* Balls that cover triangles: acute, right-angled, obtuse, needles and points. */
static void balls_that_cover_triangles(void)
{
  const int    triangle[] = {0, 1, 2};
  const double places[][9] = {{0, 0, 0, 1, 0, 0, 0.5, 0.86602540378443865, 0},
                              {0, 0, 0, 3, 0, 0, 0, 4, 0},
                              {0, 0, 0, 4, 0, 0, 2, 0, 1e-9},
                              {1, 1, 1, 1, 1, 1, 1, 1, 1},
                              {0, 0, 0, 1, 0, 0, 1, 1e-9, 0},
                              {0, 0, 0, 4, 0, 0, 2, 1, 0}};
  const double covers[] = {0.57735026918962576, 2.5, 1, 0, 0.5, 1.25};
  for (size_t i = 0; i < sizeof covers / sizeof *covers; ++i)
    assert_within(sb_triangles_cover(1, triangle, places[i]), covers[i], 1e-8);
  assert_within(sb_triangles_cover(0, triangle, places[0]), 0, 0);
}

TEST_MAIN(sheets_give_all_pairs, vertices_nowhere_take_no_part, pairs_of_a_moving_sheet, layers_that_approach,
          surfaces_of_any_kind, order_is_of_positions_only, triangles_that_touch_meet, gaps_are_the_least,
          balls_that_cover_triangles, cuts_are_those_of_the_independent_test)
