/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles: each is coloured by its number and bears it; those are framed than which none is better for less. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char *const svg[] = {"svg", NULL};

#define TILES   "figures: [{id: f, kind: tiles, x: grid, y: seed, value: blowup_time, logarithmic: x"
#define METHODS "methods: {a: {drag: 1}, b: {drag: 2}}\n"

static void tile(world *w, double x, double y, double value)
{
  world_row(w, "method", word("a"), "grid", number(x), "seed", number(y), "status", word(value > 0 ? "ok" : "diverged"),
            "blowup_time", value > 0 ? number(value) : blank(), NULL);
}

/* The lines of a block of the data, up to the next; how many. */
static int lines_of(world *w, const char *title, double lines[][4])
{
  const char *at = strstr(world_read(w, "figures/f.dat"), title);
  int         count = 0;
  if (!at) return 0;
  for (at = strchr(at, '\n') + 1; *at && *at != '\n' && *at != '#'; at = strchr(at, '\n') + 1, ++count) {
    char *end;
    for (int k = 0; k < 4; ++k) {
      lines[count][k] = strtod(k == 0 ? at : end, &end);
      if (*end == '\n') break;
    }
  }
  return count;
}

static void numbers_and_colours(void)
{
  double lines[16][4];
  world *w = world_create(TILES "}]\n" METHODS);
  tile(w, 1, 1, 10);
  tile(w, 2, 1, 100);
  tile(w, 8, 1, 1000);
  tile(w, 1, 2, 0);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  assert_int_equal(lines_of(w, "tiles; x", lines), 3); /* that without a number has a cross alone */
  assert_true(lines[0][2] == 10 && lines[0][3] == 0x8cc5e8);
  assert_true(lines[1][2] == 100 && lines[1][3] == 0xffffff); /* halfway on a logarithmic scale */
  assert_true(lines[2][2] == 1000 && lines[2][3] == 0xf2a55e);
  assert_int_equal(lines_of(w, "did not end ok; x", lines), 1);
  assert_true(lines[0][0] == 1 && lines[0][1] == 2);
  assert_int_equal(lines_of(w, "framed", lines), 0);
  /* Halfway to the nearest neighbour: a factor across, a length upwards. The axes end with the outermost tiles. */
  const char *script = world_read(w, "figures/f.gp");
  ASSERT_HAS(script, "($1/1.4142135623730949):($1*1.4142135623730949):($2-0.5):($2+0.5)",
             "set xrange [0.70710678118654757 : 11.313708498984759]", "set yrange [0.5 : 2.5]");
  world_destroy(&w);
}

static void the_best_for_less(void)
{
  static const double best[][2] = {{1, 1}, {2, 1}, {2, 2}};
  double              lines[16][4];
  world              *w = world_create(TILES ", cost: grid * seed}]\n" METHODS);
  tile(w, 1, 1, 9);
  tile(w, 2, 1, 5);
  tile(w, 1, 2, 6); /* as dear as the one before, and worse */
  tile(w, 4, 1, 4); /* as good as the next, which is as dear: both */
  tile(w, 2, 2, 4);
  tile(w, 8, 1, 4); /* as good as those, and dearer */
  world_row(w, "method", word("a"), "grid", number(0.5), "seed", number(1), "status", word("not_converged"),
            "blowup_time", number(1), NULL); /* it failed */
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  assert_int_equal(lines_of(w, "framed; x", lines), 4);
  for (int i = 0, k = 0; i < 4; ++i) {
    if (lines[i][0] == 4) continue;
    assert_true(lines[i][0] == best[k][0] && lines[i][1] == best[k][1]);
    ++k;
  }
  ASSERT_HAS(world_read(w, "figures/f.gp"), "nothing in the panel is better for less");
  world_destroy(&w);
}

/* Two digits, and all before the point. */
static void numbers_have_two_digits(void)
{
  world *w = world_create(TILES "}]\n" METHODS);
  tile(w, 1, 1, 0.99995);
  tile(w, 4, 1, 16000.2);
  tile(w, 5, 1, 4.9206887);
  tile(w, 8, 1, 0.0123);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  ASSERT_HAS(world_read(w, "figures/f.svg"), ">1<", ">16000<", ">0.012<", ">4.9<");
  world_destroy(&w);
}

/* The cross of a case without y is in the strip above, and no number of the axis. */
static void a_cross_without_y(void)
{
  world *w = world_create("figures: [{id: f, kind: tiles, x: grid, y: blowup_time, value: seed}]\n" METHODS);
  tile(w, 1, 1, 10);
  tile(w, 2, 1, 0);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  const char *script = world_read(w, "figures/f.gp");
  ASSERT_HAS(script, "set ytics ('10' 10)");
  assert_null(strstr(script, "nan"));
  world_destroy(&w);
}

/* One outlier does not take an end of the colours; the bar says that a number is beyond it. */
static void an_outlier_has_no_colour_of_its_own(void)
{
  double lines[16][4];
  world *w = world_create(TILES "}]\n" METHODS);
  for (int i = 0; i < 7; ++i) tile(w, 1 << i, 1, 10 * (i + 1));
  tile(w, 128, 1, 1.2e-9);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  assert_int_equal(lines_of(w, "tiles; x", lines), 8);
  assert_true(lines[0][3] == 0x8cc5e8 && lines[6][3] == 0xf2a55e && lines[7][3] == 0x8cc5e8);
  ASSERT_HAS(world_read(w, "figures/f.svg"), ">≤ 10<", ">70<", ">1.2e-9<");
  world_destroy(&w);
}

/* A case of a tile: its number, or a lower or an upper bound of it; 0: it has none. */
static void part(world *w, double x, double value, double least, double most)
{
  static double seed = 0;
  world_row(w, "method", word("a"), "grid", number(x), "drag", number(1), "seed", number(++seed), "status",
            word(value == 99 ? "not_converged" : "ok"), "blowup_time", value > 0 ? number(value) : blank(),
            "energy_start", least > 0 ? number(least) : blank(), "omega_max", most > 0 ? number(most) : blank(), NULL);
}

#define MEDIANS                                                                                                        \
  "figures: [{id: f, kind: tiles, x: grid, y: drag, over: seed, value: blowup_time, lower: energy_start, upper: "      \
  "omega_max, level: {factor: 1.5, below: left wins, above: right wins, neither: both lose}}]\n"

/* With `over` a tile is the median of its cases; bounds count as far as they decide it. If most cases have neither
 * number nor bound, it is hatched. */
static void medians_and_bounds(void)
{
  double lines[16][4];
  world *w = world_create(MEDIANS METHODS);
  for (int i = 0; i < 3; ++i) part(w, 1, (const double[]){9, 2, 4}[i], 0, 0);
  for (int i = 0; i < 3; ++i) part(w, 2, (const double[]){0, 2, 4}[i], 7, 0); /* 2, 4, 7 or more */
  for (int i = 0; i < 3; ++i) part(w, 3, (const double[]){0, 8, 4}[i], 3, 0); /* 4, 8, 3 or more */
  for (int i = 0; i < 3; ++i) part(w, 4, (const double[]){0, 0.5, 0}[i], 0, i ? 0.25 : 0.125);
  for (int i = 0; i < 4; ++i) part(w, 5, i < 2 ? 1.25 : 0, 0, 0); /* half of them */
  for (int i = 0; i < 5; ++i) part(w, 6, i < 2 ? 1.25 : 0, 0, 0);
  for (int i = 0; i < 2; ++i) part(w, 7, i, 0, i ? 0 : 0.5);                       /* between 0.25 or less and 1 */
  for (int i = 0; i < 4; ++i) part(w, 8, (const double[]){99, 99, 3, 0}[i], 0, 0); /* the failed do not count */
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  assert_int_equal(lines_of(w, "did not end ok; x", lines), 1);
  assert_true(lines[0][0] == 8.375 && lines[0][1] == 1.375); /* in the corner */
  assert_int_equal(lines_of(w, "tiles; x", lines), 7);
  static const double medians[] = {4, 4, 4, 0.25, 1.25, 0.75, 3};
  for (int i = 0; i < 7; ++i) assert_true(lines[i][2] == medians[i]);
  assert_true(lines[4][3] == 0xffffff && lines[3][3] != lines[0][3]); /* level is white */
  assert_int_equal(lines_of(w, "no number; x", lines), 1);
  assert_true(lines[0][0] == 6);
  ASSERT_HAS(world_read(w, "figures/f.gp"), "word('4 4 >4 <0.25 1.2 <0.75 3', int($0) + 1)", "level: 1/1.5 to 1.5",
             "'left wins'", "'right wins'", "'both lose'");
  world_destroy(&w);
}

/* The numbers of the axis are those of the tiles, to four digits. */
static void ticks_at_tiles(void)
{
  world *w =
      world_create("figures: [{id: f, kind: tiles, x: grid, y: drag, value: blowup_time, logarithmic: y}]\n" METHODS);
  for (int i = 0; i < 4; ++i)
    world_row(w, "method", word("a"), "grid", number(1 + i / 2), "drag",
              number((const double[]){100.0008, 1000.008}[i % 2]), "seed", number(1), "status", word("ok"),
              "blowup_time", number(1 + i), NULL);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  ASSERT_HAS(world_read(w, "figures/f.gp"), "set ytics ('100' 100, '1000' 1000)");
  world_destroy(&w);
}

/* A case of a panel: its number; 0: none; less: it has not run. */
static void of_panel(world *w, double panel, double x, double value)
{
  world_row(w, "method", word("a"), "grid", number(panel), "drag", number(x), "seed", number(1), "status",
            value < 0 ? blank() : word("ok"), "blowup_time", value > 0 ? number(value) : blank(), NULL);
}

/* Hatching means that a case has no number. Whether one that has not run has a number is not known: it has no tile. */
static void no_tile_without_a_run(void)
{
  double lines[16][4];
  world *w = world_create("figures: [{id: f, kind: tiles, x: drag, y: seed, value: blowup_time, panels: grid, failed: "
                          "blowup_time > 90, failed_label: odd}]\n" METHODS);
  for (int i = 0; i < 4; ++i) of_panel(w, 1, i, (const double[]){5, 0, -1, 6}[i]);
  for (int i = 0; i < 4; ++i) of_panel(w, 2, i, -1);
  assert_int_equal(sb_figure_write(&w->results, w->results.sweep->figures, svg), SB_FIGURE_DRAWN);
  assert_int_equal(lines_of(w, "tiles; x", lines), 2);
  assert_int_equal(lines_of(w, "no number; x", lines), 1);
  assert_true(lines[0][0] == 1);
  const char *drawn = world_read(w, "figures/f.svg");
  ASSERT_HAS(drawn, "no case here has a value for: grid = 2");
  world_destroy(&w);
}

TEST_MAIN(no_tile_without_a_run, ticks_at_tiles, medians_and_bounds, an_outlier_has_no_colour_of_its_own,
          numbers_have_two_digits, numbers_and_colours, the_best_for_less, a_cross_without_y)
