/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The layout of figures: its keys in the sweep file, the legend, leaders of profiles, what a quick run leaves out, the
 * panel for the overview, and scripts that a reader has edited. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "harness/report/figure_axis.h"
#include "harness/report/report.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char *const svg[] = {"svg", NULL};

static sb_figure_outcome draw(world *w) { return sb_figure_write(&w->results, w->results.sweep->figures, svg); }

static const char *said(const world *w)
{
  const char *message = sb_diagnostics_message(w->results.session.diagnostics, 0);
  return message ? message : "";
}

/* The place at which a text begins in the picture; it must be there. */
static size_t place_of(const world *w, const char *text)
{
  const char *picture = world_read(w, "figures/f.svg"), *at = strstr(picture, text);
  if (!at) fail_msg("no '%s'", text);
  return (size_t)(at - picture);
}

static void put(world *w, const char *method, double x, double y)
{
  world_row(w, "method", word(method), "grid", number(x), "status", word("ok"), "blowup_time", number(y), NULL);
}

#define METHODS "methods: {a: {drag: 1}, b: {drag: 2}, c: {drag: 3}}\n"
#define CURVES  "figures: [{id: f, kind: curves, x: grid, y: blowup_time, series: method"

/* Width, height, legend, colours and an empty title are what the sweep file says. */
static void keys_of_a_figure(void)
{
  static const char *const yamls[] = {CURVES ", title: \"\", width: 11, height: 4, legend: top_left, colours: {a: "
                                             "black, b: '#123456', neither: sky}}]\n" METHODS,
                                      CURVES ", legend: none}]\n" METHODS};
  for (int k = 0; k < 2; ++k) {
    world *w = world_create(yamls[k]);
    for (int i = 1; i < 4; ++i) put(w, i < 3 ? "a" : "b", i, i);
    assert_int_equal(draw(w), SB_FIGURE_DRAWN);
    const char *script = world_read(w, "figures/f.gp");
    if (k == 0) {
      ASSERT_HAS(script, "width = 11.00\n", "figure_title = ''", "set key inside top left opaque",
                 "lt 1 lc rgb black lw", "lt 2 lc rgb '#123456' lw");
      ASSERT_HAS(world_read(w, "figures/f.svg"), "<title>f</title>"); /* readers of a page still need a name */
      ASSERT_HAS(said(w), "figure 'f' has no series 'neither' to colour", "[W124]");
    } else
      assert_null(strstr(script, "keyentry"));
    world_destroy(&w);
  }
}

/* Entries that differ by a number are in its order, endings in theirs, also if the cases are in another one. */
static void legends_are_in_order(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: grid, y: blowup_time, series: [method, drag], label: "
                          "\"{method} at {drag}\"}]\nmethods: {a: {seed: 1}, b: {seed: 2}}\n");
  const double drags[] = {10, 0.5, 2};
  for (int i = 0; i < 9; ++i)
    world_row(w, "method", word(i < 6 ? "b" : "a"), "drag", number(drags[i % 3]), "grid", number(i < 3 || i > 5),
              "status", word("ok"), "blowup_time", number(i), NULL);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  const char *const order[] = {"b at 0.5", "b at 2", "b at 10", "a at 0.5", "a at 2", "a at 10"};
  for (size_t i = 1; i < 6; ++i) assert_true(place_of(w, order[i - 1]) < place_of(w, order[i]));
  world_destroy(&w);
  w = world_create("figures: [{id: f, kind: map, x: grid, y: h}]\n");
  for (int i = 0; i < 4; ++i)
    world_row(w, "grid", number(i), "h", number(0.1), "status", word(i < 2 ? "diverged" : "ok"), NULL);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  assert_true(place_of(w, ">ok<") < place_of(w, ">diverged<"));
  world_destroy(&w);
}

/* A label of published points has their colour, or says that it stands for several. */
static void published_points_have_their_colour(void)
{
  for (int several = 0; several < 2; ++several) {
    world *w = world_create("methods: {local_global_10: {drag: 1}, newton_1_cholesky: {drag: 2}}\n"
                            "figures: [{id: f, kind: curves, x: grid, y: blowup_time, series: method, layers: [{}, "
                            "{published: cloth_frame_cost, where: stiffness == 1000, y: milliseconds_per_frame, label: "
                            "theirs}]}]\n");
    for (int i = 0; i < 4; ++i) put(w, i % 2 && several ? "newton_1_cholesky" : "local_global_10", i / 2 * 10, i);
    if (!several) w->results.sweep->figures[0].all.layers[0].draw = SB_DRAW_POINTS; /* two cases at one x */
    assert_int_equal(draw(w), SB_FIGURE_DRAWN);
    if (several)
      ASSERT_HAS(world_read(w, "figures/f.gp"), "title 'theirs (in the colours of ours)'", "lt 1 lc rgb grey");
    else
      ASSERT_HAS(world_read(w, "figures/f.gp"), "keyentry with points lt 1 dt 1 lw 1 pt 3 ps 0.8 title 'theirs'");
    world_destroy(&w);
  }
}

/* Lines to compare with are of the cases of their panel, also beside published points. */
static void lines_follow_their_panel(void)
{
  world *w =
      world_create("methods: {local_global_10: {drag: 1}}\n"
                   "figures: [{id: f, kind: curves, x: grid, y: blowup_time, series: method, panels: [{where: "
                   "grid < 3}, {where: grid > 2}], layers: [{}, {published: cloth_frame_cost, where: stiffness "
                   "== 1000, y: milliseconds_per_frame}], lines: [{y: blowup_time, label: \"from {grid}\"}]}]\n");
  for (int i = 1; i < 5; ++i) put(w, "local_global_10", i, i);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  ASSERT_HAS(world_read(w, "figures/f.gp"), "title 'from 1'", "title 'from 3'");
  world_destroy(&w);
}

/* Names stand at the ends of the curves, apart; all but the leaders are grey, and named below. */
static void leaders_of_profiles(void)
{
  world *w = world_create("figures: [{id: f, kind: profile, x: blowup_time, series: method, x_range: [0, 10], leaders: "
                          "2}]\n" METHODS);
  for (int p = 0; p < 4; ++p) {
    put(w, "a", p, p == 0 ? 3 : 8);
    put(w, "b", p, 1);
    put(w, "c", p, 2);
  }
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  const char *script = world_read(w, "figures/f.gp");
  ASSERT_HAS(script, "set label 'b' noenhanced at graph 1, graph 1.0000",
             "set label 'c' noenhanced at graph 1, graph 0.9", "left offset 0.5, 0 font ',7' tc lt 2", "'grey: a'",
             "tc rgb '#808080'", "lt 1 lc rgb '#b8b8b8' dt 1 lw 0.8");
  assert_null(strstr(script, "keyentry"));
  world_destroy(&w);
}

/* A quick run leaves out what would be an empty frame, and says why; a whole one draws it. */
static void quick_runs_leave_out_few_points(void)
{
  static const struct {
    const char *kind;
    int         least;
  } kinds[] = {{"curves", 3}, {"scatter", 4}, {"map", 1}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    for (int count = kinds[k].least > 1 ? kinds[k].least - 1 : 1; count <= kinds[k].least; ++count) {
      char  *yaml = sb_format("figures: [{id: f, kind: %s, x: grid, y: blowup_time}]\n" METHODS, kinds[k].kind);
      world *w = world_create(yaml);
      free(yaml);
      for (int i = 0; i < count; ++i) put(w, "a", i, i);
      assert_int_equal(draw(w), SB_FIGURE_DRAWN);
      w->results.quick = true;
      assert_int_equal(draw(w), count < kinds[k].least ? SB_FIGURE_LEFT_OUT : SB_FIGURE_DRAWN);
      if (count < kinds[k].least)
        ASSERT_HAS(world_read(w, "figures/f.why"), "a quick run has fewer than", "a run without --quick draws it");
      world_destroy(&w);
    }
}

/* If most times are noisy, a line counts them, and no mark hides the curves. */
static void mostly_noisy_times_have_no_marks(void)
{
  for (int noisy = 2; noisy <= 3; ++noisy) {
    world *w = world_create("figures: [{id: f, kind: curves, x: grid, y: step_median_s}]\n");
    world_column(w, "step_median_s", "s", false, true);
    for (int i = 0; i < 4; ++i)
      world_row(w, "grid", number(i), "status", word("ok"), "step_median_s", number(1 + i), "noisy",
                i < noisy ? word("waited") : blank(), NULL);
    assert_int_equal(draw(w), SB_FIGURE_DRAWN);
    const char *picture = world_read(w, "figures/f.svg");
    ASSERT_HAS(picture, noisy == 2 ? "‡ 2 of 4 cases timed" : ">3 of 4 cases timed");
    assert_true((strstr(picture, ">‡<") != NULL) == (noisy == 2));
    world_destroy(&w);
  }
}

/* The overview has the first panel alone. */
static void one_panel_for_the_overview(void)
{
  world *w = world_create(CURVES ", panels: [{title: first, where: grid < 9}, {title: second}]}]\n" METHODS);
  for (int i = 0; i < 12; ++i) put(w, i % 2 ? "a" : "b", i, i);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  const char *panel = world_read(w, "figures/f.panel.svg");
  ASSERT_HAS(panel, ">first<", ">a<", ">b<");
  assert_null(strstr(panel, ">second<"));
  ASSERT_HAS(world_read(w, "figures/f.svg"), ">first<", ">second<");
  assert_int_equal(world_size(w, "figures/f.panel.gp") + world_size(w, "figures/f.panel.dat"), 0);
  w->results.sweep->figures[0].panels[0].x_range[0] = 100; /* nothing is seen: no picture of before may stay */
  w->results.sweep->figures[0].panels[1].x_range[0] = 100;
  assert_int_equal(draw(w), SB_FIGURE_LEFT_OUT);
  assert_int_equal(world_size(w, "figures/f.panel.svg"), 0);
  world_destroy(&w);
}

/* The name of a slope is within the axes, above the lower end; that of a strip is away from the number at the end. */
static void names_are_clear_of_the_frame(void)
{
  world *w =
      world_create("figures: [{id: f, kind: curves, x: grid, y: blowup_time, logarithmic: xy, lines: [{slope: 4}], "
                   "above: {where: grid == 9, label: away}}]\n" METHODS);
  for (int i = 0; i < 8; ++i) put(w, "a", 1 << i, 1 << i);
  put(w, "a", 9, 1);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  const char *place = strstr(world_read(w, "figures/f.dat"), "place of the slope's label"), *script;
  double      x = 0, y = 0, low = 0, high = 0, end = 0, name = 0;
  assert_int_equal(sscanf(strchr(place, '\n'), "%lf %lf", &x, &y), 2);
  script = strstr(world_read(w, "figures/f.gp"), "set yrange [");
  assert_int_equal(sscanf(script, "set yrange [%lf : %lf]", &low, &end), 2);
  assert_int_equal(sscanf(strstr(script, "decades('y', "), "decades('y', %lf, %lf", &low, &high), 2);
  assert_true(log(y / low) >= 0.1 * log(high / low) && y <= high);
  assert_int_equal(
      sscanf(strstr(script, "'away' noenhanced at graph 0, first "), "'away' noenhanced at graph 0, first %lf", &name),
      1);
  assert_true(log(name / high) >= 0.06 * log(high / low)); /* more than the height of letters */
  world_destroy(&w);
}

/* Between 2 and 10 a short logarithmic axis has 5. */
static void ticks_between_values(void)
{
  assert_true(sb_figure_round_between(2, 10) == 5);
  assert_true(sb_figure_round_between(0.001, 0.005) == 0.002);
  assert_true(sb_figure_round_between(1, 10) == 0 && sb_figure_round_between(1, 2) == 0);
  assert_true(sb_figure_round_between(9, 36) == 0 && sb_figure_round_between(10, 50) == 20);
  world       *w = world_create("figures: [{id: f, kind: curves, x: grid, y: blowup_time, logarithmic: x}]\n" METHODS);
  const double grids[] = {1, 2, 10, 20, 40};
  for (int i = 0; i < 5; ++i) put(w, "a", grids[i], i);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  ASSERT_HAS(world_read(w, "figures/f.gp"), "set xtics ('1' 1, '2' 2, '5' 5, '10' 10, '20' 20, '40' 40)");
  world_destroy(&w);
}

/* A script that a reader has edited is kept under another name, each time, and said; one that is as it was written is
 * replaced. */
static void edited_scripts_are_kept(void)
{
  world *w = world_create(CURVES "}]\n" METHODS);
  for (int i = 0; i < 4; ++i) put(w, "a", i, i);
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  put(w, "b", 1, 3); /* the next script is another one */
  assert_int_equal(draw(w), SB_FIGURE_DRAWN);
  assert_string_equal(said(w), "");
  for (int i = 1; i <= 2; ++i) {
    char *edited = sb_format("# mine, %d\n%s", i, world_read(w, "figures/f.gp"));
    assert_true(sb_report_write(world_path(w, "figures/f.gp"), edited));
    assert_int_equal(draw(w), SB_FIGURE_DRAWN);
    assert_string_equal(world_read(w, i == 1 ? "figures/f.edited.gp" : "figures/f.edited-2.gp"), edited);
    assert_null(strstr(world_read(w, "figures/f.gp"), "# mine"));
    free(edited);
  }
  ASSERT_HAS(said(w), "f.edited.gp", "[W123]");
  world_destroy(&w);
}

/* Scripts of versions without a digest: one that is newer than its data was edited. */
static void scripts_without_a_digest(void)
{
  for (int newer = 0; newer < 2; ++newer) {
    world *w = world_create(CURVES "}]\n" METHODS);
    for (int i = 0; i < 4; ++i) put(w, "a", i, i);
    assert_int_equal(draw(w), SB_FIGURE_DRAWN);
    assert_true(sb_report_write(world_path(w, "figures/f.gp"), "# old\n"));
    const struct timespec times[] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, world_path(w, newer ? "figures/f.dat" : "figures/f.gp"), times, 0), 0);
    assert_int_equal(draw(w), SB_FIGURE_DRAWN);
    assert_int_equal(world_size(w, "figures/f.edited.gp"), newer ? 6 : 0);
    world_destroy(&w);
  }
}

TEST_MAIN(keys_of_a_figure, legends_are_in_order, published_points_have_their_colour, lines_follow_their_panel,
          leaders_of_profiles, quick_runs_leave_out_few_points, mostly_noisy_times_have_no_marks,
          one_panel_for_the_overview, ticks_between_values, names_are_clear_of_the_frame, edited_scripts_are_kept,
          scripts_without_a_digest)
