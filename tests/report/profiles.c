/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: shares of cases by cost, of ratios to the best, of several targets; cases that never get there count; bands
 * drawn over clusters. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char *const svg[] = {"svg", NULL};

static void row(world *w, const char *method, double problem, double cost)
{
  world_row(w, "method", word(method), "grid", number(problem), "seed", number(problem > 4), "status", word("ok"),
            "blowup_time", cost > 0 ? number(cost) : blank(), NULL);
}

/* The points of a series: x and y of each, and the band; how many. */
static size_t read_series(world *w, const char *figure, const char *name, double points[][4])
{
  char *title = NULL, *data = NULL;
  assert_true(asprintf(&data, "figures/%s.dat", figure) > 0 && asprintf(&title, ": %s; x, y", name) > 0);
  const char *at = strstr(world_read(w, data), title);
  size_t      count = 0;
  assert_non_null(at);
  for (at = strchr(at, '\n') + 1; *at && *at != '\n' && *at != '#'; at = strchr(at, '\n') + 1, ++count) {
    char line[200] = "";
    snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
    points[count][2] = points[count][3] = NAN;
    assert_true(sscanf(line, "%lf %lf %lf %lf", &points[count][0], &points[count][1], &points[count][2],
                       &points[count][3]) >= 2);
  }
  free(title);
  free(data);
  return count;
}

/* The share at x, the last that a staircase says there. */
static double share_at(world *w, const char *figure, const char *name, double x)
{
  double points[64][4], share = 0;
  size_t count = read_series(w, figure, name, points);
  for (size_t k = 0; k < count && points[k][0] <= x * (1 + 1e-9); ++k) share = points[k][1];
  return share;
}

static bool draw(world *w)
{
  bool good = true;
  for (size_t i = 0; i < w->results.sweep->figure_count; ++i)
    good = sb_figure_write(&w->results, &w->results.sweep->figures[i], svg) == SB_FIGURE_DRAWN && good;
  return good;
}

#define METHODS "methods: {a: {drag: 1}, b: {drag: 2}, c: {drag: 3}}\n"

static void shares(void)
{
  world *w = world_create("figures: [{id: f, kind: profile, x: blowup_time, series: method, logarithmic: x, x_range: "
                          "[0.5, 100]}]\n" METHODS);
  double points[64][4];
  row(w, "a", 1, 4);
  row(w, "a", 2, 1);
  row(w, "a", 3, 2);
  row(w, "a", 4, 0);
  row(w, "b", 1, 2);
  row(w, "b", 2, 2);
  assert_true(draw(w));
  static const double stairs[][2] = {{1, 0}, {1, 0.25}, {2, 0.25}, {2, 0.5}, {4, 0.5}, {4, 0.75}, {100, 0.75}};
  assert_int_equal(read_series(w, "f", "a", points), 7);
  for (size_t k = 0; k < 7; ++k) {
    assert_true(fabs(points[k][0] - stairs[k][0]) < 1e-9);
    assert_true(fabs(points[k][1] - stairs[k][1]) < 1e-9);
  }
  assert_true(fabs(share_at(w, "f", "b", 2) - 1) < 1e-9); /* two cases of one cost are two */
  assert_true(fabs(share_at(w, "f", "b", 1.9)) < 1e-9);
  world_destroy(&w);
}

/* Shares of ratios to the best are relative to who is there: without c, which is best everywhere, a overtakes b (Gould,
 * Scott 2016). */
static void ratios_depend_on_the_set(void)
{
  world *w =
      world_create("figures: [{id: all, kind: profile, x: blowup_time, per: grid, series: method, x_range: [1, 10]},\n"
                   "  {id: two, kind: profile, x: blowup_time, per: grid, series: method, x_range: [1, 10], where: "
                   "method != c}]\n" METHODS);
  static const double cost[][3] = {{1.5, 1.9, 1}, {2.5, 1.9, 1}, {3, 9, 1}, {1, 0, 0}};
  for (int p = 0; p < 4; ++p)
    for (int m = 0; m < 3; ++m) row(w, (const char *const[]){"a", "b", "c"}[m], p + 1, cost[p][m]);
  assert_true(draw(w));
  assert_true(fabs(share_at(w, "all", "c", 1) - 0.75) < 1e-9);
  assert_true(fabs(share_at(w, "all", "a", 2) - 0.5) < 1e-9);
  assert_true(fabs(share_at(w, "all", "b", 2) - 0.5) < 1e-9);
  assert_true(fabs(share_at(w, "all", "b", 1.95) - 0.5) < 1e-9 && fabs(share_at(w, "all", "a", 1.45) - 0.25) < 1e-9);
  assert_true(fabs(share_at(w, "two", "a", 2) - 1) < 1e-9);
  assert_true(fabs(share_at(w, "two", "b", 2) - 0.5) < 1e-9);
  world_destroy(&w);
}

/* A result that a start already has costs nothing, and the curve has it from its left end on. */
static void what_is_free_counts(void)
{
  world *w = world_create("figures: [{id: f, kind: profile, x: blowup_time, series: method, logarithmic: x},\n"
                          "  {id: g, kind: profile, x: blowup_time, series: method, logarithmic: x, x_range: [0.5, "
                          "9]}]\n" METHODS);
  for (int p = 1; p <= 4; ++p)
    world_row(w, "method", word("a"), "grid", number(p), "status", word("ok"), "blowup_time",
              p < 4 ? number(2 * (p - 1)) : blank(), NULL);
  assert_true(draw(w));
  double points[64][4];
  assert_true(fabs(share_at(w, "f", "a", 2) - 0.5) < 1e-9); /* the free one stands at the cheapest */
  assert_true(read_series(w, "f", "a", points) > 0 && points[0][0] == 2);
  assert_true(fabs(share_at(w, "g", "a", 0.5) - 0.25) < 1e-9);
  assert_true(fabs(share_at(w, "g", "a", 9) - 0.75) < 1e-9);
  world_destroy(&w);
}

/* Layers of one series are further targets of it. */
static void targets_are_joined(void)
{
  world *w = world_create("figures: [{id: f, kind: profile, series: method, x_range: [0, 10], y_label: pairs, layers: "
                          "[{x: blowup_time}, {x: 2 * blowup_time}]}]\n" METHODS);
  row(w, "a", 1, 1);
  row(w, "a", 2, 4);
  row(w, "a", 3, 0);
  assert_true(draw(w));
  assert_true(fabs(share_at(w, "f", "a", 1) - 1 / 6.) < 1e-9);
  assert_true(fabs(share_at(w, "f", "a", 4) - 3 / 6.) < 1e-9);
  assert_true(fabs(share_at(w, "f", "a", 8) - 4 / 6.) < 1e-9);
  world_destroy(&w);
}

/* With one cluster every draw is the same, and there is no band; with several, the band is about the share. Clusters of
 * cases that are alike make it wider. */
static void bands(void)
{
  static const char *const yamls[] = {
      "figures: [{id: f, kind: profile, x: blowup_time, series: method, band: true, clusters: drag, x_range: [0, "
      "10]}]\n" METHODS,
      "figures: [{id: f, kind: profile, x: blowup_time, series: method, band: true, clusters: grid, x_range: [0, "
      "10]}]\n" METHODS,
      "figures: [{id: f, kind: profile, x: blowup_time, series: method, band: true, clusters: seed, x_range: [0, "
      "10]}]\n" METHODS};
  double width[3], points[64][4];
  for (int k = 0; k < 3; ++k) {
    world *w = world_create(yamls[k]);
    for (int p = 1; p <= 8; ++p) row(w, "a", p, p <= 4 ? 1 : 5);
    assert_true(draw(w));
    const size_t count = read_series(w, "f", "a", points);
    size_t       at = 0;
    while (at < count && points[at][0] < 5) ++at; /* the first point at 5 stands on the share of 4 of 8 */
    assert_true(fabs(points[at][1] - 0.5) < 1e-9);
    assert_true(k == 0 ? isnan(points[at][2]) : points[at][2] <= 0.5 && points[at][3] >= 0.5);
    if (k == 1) assert_true(points[at][2] == 0.125 && points[at][3] == 0.875); /* 1 and 7 of 8 */
    width[k] = k == 0 ? 0 : points[at][3] - points[at][2];
    world_destroy(&w);
  }
  assert_true(width[2] > width[1]); /* two clusters */
  /* Those that never get there are drawn, too. */
  world *w = world_create(yamls[1]);
  for (int p = 1; p <= 8; ++p) row(w, "a", p, p <= 4 ? 1 : 0);
  assert_true(draw(w));
  const size_t count = read_series(w, "f", "a", points);
  assert_true(points[count - 1][2] == 0.125 && points[count - 1][3] == 0.875);
  world_destroy(&w);
}

/* A series of which a share is unknown is left out. */
static void what_is_not_counted_is_left_out(void)
{
  static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER, .uncounted = true};
  world *w = world_create("figures: [{id: f, kind: profile, x: work, series: method, x_range: [0, 10]}]\n" METHODS);
  for (int i = 0; i < 4; ++i)
    world_row(w, "method", word(i < 2 ? "a" : "b"), "grid", number(i), "status", word("ok"), "work",
              i == 1 ? unknown : number(1 + i), "not_counted", i == 1 ? word("a library") : blank(), NULL);
  assert_true(draw(w));
  assert_null(strstr(world_read(w, "figures/f.dat"), ": a; x, y"));
  ASSERT_HAS(world_read(w, "figures/f.dat"), ": b; x, y");
  ASSERT_HAS(world_read(w, "figures/f.svg"), "left out, as its work is not counted: a");
  world_destroy(&w);
}

/* A figure whose only series is left out is not drawn. */
static void nothing_is_counted(void)
{
  static const sb_value unknown = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER, .uncounted = true};
  world                *w = world_create("figures: [{id: f, kind: profile, x: work, series: method}]\n" METHODS);
  for (int i = 0; i < 2; ++i)
    world_row(w, "method", word("a"), "grid", number(i), "status", word("ok"), "work", i == 1 ? unknown : number(1),
              "not_counted", i == 1 ? word("a library") : blank(), NULL);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_LEFT_OUT);
  ASSERT_HAS(world_read(w, "figures/f.why"), "none of 2 cases was drawn");
  world_destroy(&w);
}

TEST_MAIN(shares, ratios_depend_on_the_set, what_is_free_counts, targets_are_joined, bands,
          what_is_not_counted_is_left_out, nothing_is_counted)
