/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures drawn by the real gnuplot from rows made by hand: what each kind writes as data and shows in its picture,
 * what a script of one's own is given, and strings of a sweep that never run as commands. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/report/figure_text.h"
#include "harness/report/report.h"
#include "tests/cmocka_all.h"
#include "tests/lists.h"
#include "tests/report/world.h"

static const char *const forms[] = {"svg", "png", "pdf", NULL}, *const svg[] = {"svg", NULL};

static bool draw(world *w, const char *const *asked)
{
  return sb_figure_write(&w->results, w->results.sweep->figures, asked) == SB_FIGURE_DRAWN;
}

static const char *said(const world *w)
{
  const char *message = sb_diagnostics_message(w->results.session.diagnostics, 0);
  return message ? message : "";
}

/* The file `name` has all of the texts. */
#define EXPECT(w, name, ...) ASSERT_HAS(world_read(w, name), __VA_ARGS__)

static void expect_drawn(const world *w, const char *id)
{
  for (size_t i = 0; forms[i]; ++i) {
    char *name = sb_format("figures/%s.%s", id, forms[i]);
    if (world_size(w, name) < 2000) fail_msg("%s has %zu bytes; %s", name, world_size(w, name), said(w));
    free(name);
  }
}

static void rope_row(world *w, const char *integrator, double substeps, const char *status, double blowup)
{
  world_row(w, "integrator", word(integrator), "substeps", number(substeps), "status", word(status), "blowup_time",
            blowup > 0 ? number(blowup) : blank(), NULL);
}

static const char rope[] =
    "figures: [{id: f, title: A rope, kind: curves, x: substeps, y: blowup_time, logarithmic: "
    "xy, series: integrator, failed: status == timeout, above: {where: status == ok, label: "
    "survived}, lines: [{y: x / 4, label: a quarter}, {slope: 2}, {x: 9.9, label: \"at {x}\"}]}]\n";

/* A block a series, in the order of x; what survived is on a strip above the axis and at no invented time. */
static void curves(void)
{
  world *w = world_create(rope);
  rope_row(w, "explicit_euler", 64, "diverged", 16);
  rope_row(w, "explicit_euler", 4, "timeout", 1);
  rope_row(w, "rk4", 4, "diverged", 2);
  rope_row(w, "rk4", 64, "ok", 0);
  assert_true(draw(w, forms));
  expect_drawn(w, "f");
  EXPECT(w, "figures/f.dat", ": explicit Euler; x, y\n4\t1\n64\t16\n\n\n", ": Runge-Kutta 4; x, y\n4\t2\n\n\n",
         ": survived; x, y\n64\t", ": did not end ok; x, y\n4\t1\n");
  EXPECT(w, "figures/f.svg", "<title>A rope</title>",
         "\"Nimbus Sans, Liberation Sans, Helvetica, Arial, DejaVu Narrow, sans-serif\"", "survived", "Runge-Kutta 4",
         "a quarter", "slope 2", "at 9.9", "timeout", "substeps");
  char  *script = world_read(w, "figures/f.gp");
  double top = 0;
  assert_int_equal(sscanf(strstr(script, "rectangle from graph 0, first "), "rectangle from graph 0, first %lf", &top),
                   1);
  assert_true(top >= 16 && top < 100); /* the axis ends above what was measured, and the strip begins there */
  world_destroy(&w);
}

/* Panels by a name, labels from values; and panels of a list, the first of them empty, on an axis far from one: ticks
 * say which multiple of a power they are. */
static void panels(void)
{
  static const char yaml[] =
      "figures: [{id: f, kind: scatter, x: substeps, y: blowup_time, panels: drag, panel_title: "
      "\"c = {drag}\", label: \"of {integrator}\", series: integrator},\n{id: g, kind: curves, x: "
      "substeps, y: (blowup_time + 1) / 1e6, logarithmic: y, series: drag, panels: [{where: "
      "drag == 7}, {where: drag == 0}, {where: substeps > 4}]}]\n";
  world *w = world_create(yaml);
  for (int i = 0; i < 4; ++i)
    world_row(w, "integrator", word("rk4"), "substeps", number(4 << i), "drag", number(i % 2 ? 0.5 : 0), "status",
              word("ok"), "blowup_time", number(i), NULL);
  assert_true(sb_figures_write_all(&w->results));
  EXPECT(w, "figures/f.dat", "c = 0: Runge-Kutta 4; x, y\n4\t0\n16\t2\n",
         "c = 0.5: Runge-Kutta 4; x, y\n8\t1\n32\t3\n");
  EXPECT(w, "figures/f.svg", "c = 0.5", "of Runge-Kutta 4", "blow-up time");
  EXPECT(w, "figures/g.svg", "drag = 0.5", ">5·10<", ">2·10<");
  world_destroy(&w);
}

/* A number in a title has its name; a band says what it is; a line to compare with does not look like a layer in black.
 */
static void looks_say_what_they_are(void)
{
  static const char yaml[] =
      "words: {\"drag=0.1\": some}\n"
      "figures: [{id: f, kind: curves, x: substeps, y: blowup_time, panels: drag, lower: time_of_least, upper: "
      "time_of_largest, band: true, layers: [{}, {y: 3, draw: lines, reference: true, label: three}], "
      "lines: [{y: x, label: the same}]}]\n";
  world *w = world_create(yaml);
  world_column(w, "drag", "kg/s", true, false);
  for (int i = 0; i < 4; ++i)
    world_row(w, "substeps", number(4 << i / 2), "drag", number(i % 2 ? 0.1 : 0.5), "status", word("ok"), "blowup_time",
              number(4 + i), "time_of_least", number(i), "time_of_largest", number(9), NULL);
  assert_true(sb_figures_write_all(&w->results));
  EXPECT(w, "figures/f.svg", ">drag = 0.5 kg/s<", ">some<", ">shaded: time of, least to largest<");
  EXPECT(w, "figures/f.gp", "with lines lw 1 dt (6, 4) lc rgb black", "with lines lt 1 lc rgb black lw 1.2");
  assert_null(strstr(world_read(w, "figures/f.gp"), "lw 1 dt 1 lc rgb black"));
  world_destroy(&w);
}

static void maps(void)
{
  static const char yaml[] = "figures: [{id: f, kind: map, x: grid, y: h, logarithmic: xy, layers: [{}, {y: limit_h, "
                             "draw: lines, label: \"2/ω_{max}\"}]}]\n";
  world            *w = world_create(yaml);
  for (int i = 0; i < 6; ++i)
    world_row(w, "grid", number(1 << i / 2), "h", number(i % 2 ? 0.1 : 0.001), "status",
              word(i == 5  ? "timeout"
                   : i % 2 ? "diverged"
                           : "ok"),
              "limit_h", number(0.02 / (1 << i / 2)), NULL);
  assert_true(draw(w, forms));
  expect_drawn(w, "f");
  EXPECT(w, "figures/f.dat", ": ok; x, y\n1\t0.001\n2\t0.001\n4\t0.001\n", ": diverged; x, y\n1\t0.1\n2\t0.1\n",
         ": timeout; x, y\n4\t0.1\n", ": 2/ω_{max}; x, y\n1\t0.02\n2\t0.01\n4\t0.005\n");
  EXPECT(w, "figures/f.svg", "diverged", "timeout", ">max<");
  world_destroy(&w);
}

/* Times carry their quartiles and the mark of a noisy machine; published points are told from ours. */
static void bars(void)
{
  static const char yaml[] = "methods: {local_global_10: {drag: 1}, newton_1_cholesky: {drag: 2}}\n"
                             "figures: [{id: f, kind: bars, x: method, y: 1000 * step_median_s, y_label: time (ms), "
                             "where: \"grid == 10\", layers: [{label: ours}, {published: cloth_frame_cost, where: "
                             "stiffness == 1000, y: milliseconds_per_frame, label: theirs}]}]\n";
  world            *w = world_create(yaml);
  for (size_t i = 0; i < 3; ++i)
    world_column(w, (const char *const[]){"step_median_s", "step_q1_s", "step_q3_s"}[i], "s", false, true);
  for (int i = 0; i < 3; ++i)
    world_row(w, "method", word(i == 1 ? "newton_1_cholesky" : "local_global_10"), "grid", number(i == 2 ? 20 : 10),
              "status", word("ok"), "noisy", i ? blank() : word("swapped"), "step_median_s", number(0.25), "step_q1_s",
              number(0.125), "step_q3_s", number(0.5), NULL);
  assert_true(draw(w, forms));
  expect_drawn(w, "f");
  EXPECT(w, "figures/f.dat", ": ours; x, y, lower, upper\n1\t250\t125\t500\n2\t250\t125\t500\n\n\n",
         ": theirs; x, y\n1\t2\n2\t1.2\n\n\n",
         ": timed while the machine was noisy; x, y, lower, upper\n1\t250\t125\t500\n");
  EXPECT(w, "figures/f.svg", "local-global 10", "ours", "theirs", "timed while the machine was noisy", ">‡<",
         ">whiskers: quartiles<");
  world_destroy(&w);
}

/* Whiskers of a rate: the lower quartile of the time is the upper end. */
static void whiskers_of_a_rate_change_ends(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: grid, y: 1 / step_median_s}]\n");
  for (size_t i = 0; i < 3; ++i)
    world_column(w, (const char *const[]){"step_median_s", "step_q1_s", "step_q3_s"}[i], "s", false, true);
  for (int i = 1; i < 3; ++i)
    world_row(w, "grid", number(i), "status", word("ok"), "step_median_s", number(0.25), "step_q1_s", number(0.125),
              "step_q3_s", number(0.5), NULL);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", "x, y, lower, upper\n1\t4\t2\t8\n2\t4\t2\t8\n");
  world_destroy(&w);
}

/* A case that has no value at all is on a strip of its own, and one row alone is drawn. */
static void what_has_no_value(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: substeps, y: blowup_time, series: integrator}]\n");
  rope_row(w, "rk4", 16, "ok", 3);
  rope_row(w, "explicit_euler", 16, "crashed", 0);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": Runge-Kutta 4; x, y\n16\t3\n", ": no value; x, y\n16\t");
  EXPECT(w, "figures/f.svg", "no value");
  EXPECT(w, "figures/f.dat", ": did not end ok; x, y\n16\t"); /* and has the cross of what failed */
  world_destroy(&w);
}

/* A failure is in the strip that the figure leaves free, also if a clause marks other cases. A case that has no place
 * in x either, or whose curve has no name, is counted. */
static void no_failure_is_dropped(void)
{
  world *w = world_create(rope);
  rope_row(w, "rk4", 4, "diverged", 2);
  rope_row(w, "rk4", 8, "crashed", 0);
  rope_row(w, "rk4", 16, "ok", 0);
  world_row(w, "integrator", word("rk4"), "substeps", blank(), "status", word("oom"), "blowup_time", blank(), NULL);
  world_row(w, "integrator", word("rk4"), "substeps", blank(), "status", blank(), "blowup_time", number(2), NULL);
  world_row(w, "integrator", word("rk4"), "substeps", blank(), "status", word("ok"), "blowup_time", number(2), NULL);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": no value; x, y\n8\t", ": survived; x, y\n16\t", ": did not end ok; x, y\n8\t");
  EXPECT(w, "figures/f.svg", "no value", "survived", ">crashed<", ">3 cases have no value to draw; 2 did not end ok<");
  world_destroy(&w);
}

/* On a map it tells by its shape how it ended, as elsewhere. */
static void maps_have_strips(void)
{
  world *w = world_create("figures: [{id: f, kind: map, x: substeps, y: blowup_time}]\n");
  rope_row(w, "rk4", 8, "ok", 3);
  rope_row(w, "rk4", 16, "crashed", 0);
  rope_row(w, "rk4", 32, "timeout", 0);
  world_row(w, "substeps", number(4), "blowup_time", number(1), NULL);
  assert_true(draw(w, svg));
  const char *data = world_read(w, "figures/f.dat");
  double      rows[2] = {0};
  assert_int_equal(sscanf(strstr(data, ": crashed; x, y\n"), ": crashed; x, y\n16\t%lf", &rows[0]), 1);
  assert_int_equal(sscanf(strstr(data, ": timeout; x, y\n"), ": timeout; x, y\n32\t%lf", &rows[1]), 1);
  assert_true(rows[0] > 3 && rows[1] > rows[0]); /* above the axis, each in a row of its own */
  EXPECT(w, "figures/f.svg", "no value", ">crashed<", ">timeout<", ">not run<");
  world_destroy(&w);
}

static const char timed_yaml[] =
    "figures: [{id: f, width: 8.8, kind: curves, x: grid, y: step_median_s, series: method, lines: [{x: "
    "\"step_median_s[method=b, "
    "grid=2]\", y: \"step_median_s[method=b, grid=2]\", where: method == b, label: ring}], above: {where: grid == 9, "
    "label: over_the top}}]\n"
    "methods: {a: {drag: 1}, b: {drag: 2}}\n";

static world *timed_world(const char *yaml)
{
  world *w = world_create(yaml);
  world_column(w, "step_median_s", "s", false, true);
  return w;
}

static void timed_row(world *w, const char *method, double grid, const char *status, double seconds, bool noisy)
{
  world_row(w, "method", word(method), "grid", number(grid), "status", word(status), "step_median_s", number(seconds),
            "noisy", noisy ? word("waited") : blank(), NULL);
}

static void untimed_row(world *w, const char *method, double grid, const char *status)
{
  world_row(w, "method", word(method), "grid", number(grid), "status", word(status), NULL);
}

/* A case that missed what was asked for has its cross, and no line leads to it or through it. */
static void no_line_leads_through_what_failed(void)
{
  world *w = timed_world(timed_yaml);
  for (int i = 1; i < 9; ++i)
    timed_row(w, "a", i, i == 1 || i == 4 || i == 5 || i == 8 ? "not_converged" : "ok", i, false);
  timed_row(w, "b", 2, "not_converged", 3, false);
  timed_row(w, "b", 9, "ok", 3, false);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": a; x, y\n1\t1\n2\t2\n3\t3\n4\t4\n5\t5\n6\t6\n7\t7\n8\t8\n",
         ": joined; x, y\n2\t2\n3\t3\n\n6\t6\n7\t7\n\n\n#", ": did not end ok; x, y\n1\t1\n4\t4\n5\t5\n8\t8\n2\t3\n");
  EXPECT(w, "figures/f.svg", "not converged", ">over_the top<");
  const char *joined = strstr(world_read(w, "figures/f.dat"), ": joined");
  assert_null(strstr(joined + 1, ": joined")); /* of b nothing is left to be joined */
  world_destroy(&w);
}

/* Nor past what has no value: it may have failed, or stand on a strip of the figure's own. */
static void no_line_leads_past_what_has_no_value(void)
{
  world *w = timed_world("figures: [{id: f, kind: curves, x: grid, y: step_median_s, above: {where: grid == 6, label: "
                         "away}}]\n");
  for (int i = 1; i <= 8; ++i)
    if (i == 3 || i == 4 || i == 8)
      untimed_row(w, "a", i, "crashed");
    else
      timed_row(w, "a", i, "ok", i, false);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": joined; x, y\n1\t1\n2\t2\n\n5\t5\n\n7\t7\n\n\n#");
  world_destroy(&w);
}

/* A line below the legend, and the caption, name the devices of the cases that are drawn. */
static void devices_are_named(void)
{
  world *w = timed_world(timed_yaml);
  for (int i = 2; i < 5; ++i)
    world_row(w, "method", word(i == 4 ? "b" : "a"), "grid", number(i), "status", word("ok"), "step_median_s",
              number(i), "device_used",
              i == 4   ? word("a card")
              : i == 3 ? word("pthread, driver 3.1")
                       : blank(),
              "device_gpu", i == 2 ? blank() : number(i - 3), NULL);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.svg", ">device: pthread, driver 3.1");
  EXPECT(w, "figures/f.note",
         "Device: pthread, driver 3.1 (not a GPU) in 1 of 3 cases; a card in 1 of 3 cases; times of");
  world_destroy(&w);
  w = timed_world("figures: [{id: f, kind: curves, x: grid, y: step_median_s, where: grid != 3}]\n");
  for (int i = 2; i < 5; ++i)
    world_row(w, "grid", number(i), "status", word("ok"), "step_median_s", number(i), "device_used",
              word(i == 3 ? "a card" : "another card"), NULL);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.note", "Device: another card in 2 of 2 cases");
  world_destroy(&w);
}

/* Points, and a ring made of the times of another case, are marked; the figure and its caption say how many cases there
 * are of them. */
static void doubtful_times_are_marked(void)
{
  sb_case_origin origins[] = {{"one", "here", NULL}, {"one", "here", NULL}, {"two", "here", NULL}};
  world         *w = timed_world(timed_yaml);
  timed_row(w, "a", 2, "ok", 4, false);
  timed_row(w, "a", 3, "ok", 5, false);
  timed_row(w, "b", 2, "ok", 2.5, true);
  w->results.origins = origins;
  w->results.floor = (sb_noise_floor){.timings = 7, .spread = 1.8};
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": timed while the machine was noisy; x, y\n2\t2.5\n2.5\t2.5\n",
         ": of another build or machine than most; x, y\n2\t2.5\n2.5\t2.5\n");
  EXPECT(w, "figures/f.svg", ">‡<", ">§<", "‡ 1 of 3 cases timed while the machine was noisy (noise floor 180 %)",
         "§ 1 of 3 cases run by another build than the rest<");
  EXPECT(w, "figures/f.note", "1 of 3 cases was timed while the machine was noisy (noise floor 180 %). ",
         "1 of 3 cases was run by another build than the rest (1 by two; the rest by one).");
  assert_null(strstr(world_read(w, "figures/f.note"), "--rerun")); /* a printed document has no command line */
  origins[1] = (sb_case_origin){0};                                /* the other two are not a majority */
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.svg", ">2 cases run by several builds<");
  assert_null(strstr(world_read(w, "figures/f.svg"), "§"));
  world_destroy(&w);
}

/* Which build is that of most is judged among the cases whose times are drawn, as in the caption. */
static void builds_are_judged_among_what_is_drawn(void)
{
  sb_case_origin origins[] = {{"one", "here", NULL}, {"two", "here", NULL}, {"one", "here", NULL},
                              {"two", "here", NULL}, {"two", "here", NULL}, {"two", "here", NULL}};
  world         *w =
      timed_world("figures: [{id: f, kind: curves, x: grid, y: step_median_s, x_range: [0, 4], logarithmic: y}]\n");
  for (int i = 0; i < 3; ++i) timed_row(w, "a", i + 1, "ok", 2, false);
  timed_row(w, "a", 9, "ok", 2, true); /* beyond the range given: it is not seen, and nothing is said of it */
  timed_row(w, "a", 3, "ok", 0, true);
  timed_row(w, "a", 3, "ok", 0, true);
  w->results.origins = origins;
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": of another build or machine than most; x, y\n2\t2\n");
  EXPECT(w, "figures/f.svg", "§ 1 of 3 cases run by another build than the rest<");
  EXPECT(w, "figures/f.note", "1 of 3 cases was run by another build than the rest (1 by two; the rest by one)");
  assert_null(strstr(world_read(w, "figures/f.svg"), "‡"));
  world_destroy(&w);
}

/* One of three noisy cases has its sign. Two of three would hide the curve: the line below counts them. */
static void signs_of_most_cases_are_left_out(void)
{
  for (int noisy = 1; noisy < 3; ++noisy) {
    world *w = timed_world("figures: [{id: f, kind: curves, x: grid, y: step_median_s}]\n");
    for (int i = 0; i < 3; ++i) timed_row(w, "a", i + 1, "ok", 2 + i, i < noisy);
    assert_true(draw(w, svg));
    assert_true(!strstr(world_read(w, "figures/f.dat"), ": timed while the machine was noisy") == (noisy == 2));
    EXPECT(w, "figures/f.svg", noisy == 1 ? "‡ 1 of 3 cases timed while" : "2 of 3 cases timed while");
    world_destroy(&w);
  }
}

/* A mark comes from every case that a point is made of: from one that says the same, from those of its whiskers, and
 * from all that failed; of a line the last that is seen of it has the mark, and of a ring that failed a cross too. */
static void marks_come_from_every_case(void)
{
  world *w = timed_world("methods: {a: {drag: 1}, b: {drag: 2}, c: {drag: 3}, d: {drag: 4}}\n"
                         "figures: [{id: f, kind: scatter, x: grid, y: step_median_s, where: method == a, logarithmic: "
                         "y, layers: [{where: grid != 2}, {where: grid == 2, lower: \"step_median_s[method=b] - 1\", "
                         "upper: \"step_median_s[method=c] + 4\", label: more}], lines: [{y: "
                         "\"step_median_s[method=d, grid=1] * (1.5 - x)\"}, {x: \"step_median_s[method=c]\", y: "
                         "\"step_median_s[method=c]\", label: ring}, {y: \"step_median_s[method=b]\"}]}]\n");
  timed_row(w, "a", 1, "ok", 2, false);
  timed_row(w, "a", 1, "ok", 2, true);
  timed_row(w, "a", 2, "ok", 3, false);
  timed_row(w, "a", 4, "ok", 2, false);
  timed_row(w, "b", 1, "diverged", 1.5, false);
  timed_row(w, "c", 1, "timeout", 2.5, false);
  timed_row(w, "d", 1, "ok", 3, true);
  assert_true(draw(w, svg));
  const char *noisy = strstr(world_read(w, "figures/f.dat"), ": timed while the machine was noisy");
  double      x = 0, y = 0;
  EXPECT(w, "figures/f.dat", ": did not end ok; x, y, lower, upper\n2\t3\t0.5\t6.5\n2.5\t2.5\t2.5\t2.5\n\n\n#");
  assert_non_null(noisy);
  assert_int_equal(sscanf(noisy, ": timed while the machine was noisy; x, y\n1\t2\n%lf\t%lf\n\n\n", &x, &y), 2);
  assert_true(x > 1.4 && x < 1.5 && y > 0.01 && y < 0.3);
  EXPECT(w, "figures/f.svg", ">diverged, timeout<", "‡ 2 of ");
  world_destroy(&w);
}

/* A point that stands for two has the whiskers of both, and they are on the axis; one is noisy if any of its times is.
 */
static void points_are_made_of_all_their_cases(void)
{
  world              *w = timed_world("methods: {a: {drag: 1}, b: {drag: 2}}\n"
                                                   "figures: [{id: f, kind: curves, x: grid, y: \"step_median_s + 0 * step_median_s[method=b]\", "
                                                   "where: method == a, lower: low, upper: high}, {id: g, kind: curves, x: grid, y: residual, "
                                                   "where: method == a, logarithmic: y, lines: [{slope: 1, label: order}]}]\n");
  static const double rows[][4] = {{2, 1, 50, -1}, {2, 1.5, 3, 0}, {3, 2, 3, 1}, {1, 1, 3, 5}};
  for (int i = 0; i < 4; ++i)
    world_row(w, "method", word("a"), "grid", number(rows[i][0]), "status", word("ok"), "step_median_s", number(2),
              "low", number(rows[i][1]), "high", number(rows[i][2]), "residual", number(rows[i][3]), "noisy",
              i == 2 ? word("waited") : blank(), NULL);
  timed_row(w, "b", 1, "ok", 4, false);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", "x, y, lower, upper\n1\t2\t1\t3\n2\t2\t1\t50\n3\t2\t2\t3\n",
         ": timed while the machine was noisy; x, y, lower, upper\n3\t2\t2\t3\n");
  EXPECT(w, "figures/f.gp", "set yrange [0 : 60]");
  assert_int_equal(sb_figure_write(&w->results, &w->results.sweep->figures[1], svg), SB_FIGURE_DRAWN);
  EXPECT(w, "figures/g.svg", ">≤ 0<");
  /* A line of a slope is below the last point. */
  double x = 0, y = 0;
  assert_int_equal(sscanf(strstr(world_read(w, "figures/g.dat"), ": order; x, y\n"), ": order; x, y\n%lf\t%lf", &x, &y),
                   2);
  ASSERT_NEAR(y / x, 0.45 * 1 / 3, 1e-12);
  world_destroy(&w);
}

/* Cases that differ in what a figure does not show are not one curve. */
static void cases_that_are_not_told_apart_are_refused(void)
{
  for (int several = 0; several < 2; ++several) {
    world         *w = world_create("defaults: {scene: rope}\n"
                                            "figures: [{id: f, kind: curves, x: substeps, y: blowup_time}]\n");
    sb_selection   request = {.filter = several ? "substeps < 9" : "drag == 0"};
    const sb_plan *plan = sb_plan_create(w->results.sweep, &request, &w->results.session);
    assert_non_null(plan);
    for (size_t i = 0; i < plan->count; ++i)
      world_row(w, "substeps", sb_case_value(&plan->cases[i], "substeps"), "drag",
                sb_case_value(&plan->cases[i], "drag"), "status", word("ok"), "blowup_time", number(1 + (double)i),
                NULL);
    w->results.plan = plan;
    draw(w, svg);
    const char *why = world_read(w, "figures/f.why");
    if (several)
      ASSERT_HAS(why, "the cases also differ in drag, which the figure does not distinguish");
    else
      assert_null(why);
    world_destroy(&w);
  }
}

/* Lines of one label are parts of one curve: they look alike. */
static void lines_of_one_label_look_alike(void)
{
  world *w =
      timed_world("methods: {a: {drag: 1}}\n"
                  "figures: [{id: f, kind: scatter, x: grid, y: step_median_s, lines: [{y: x, label: one}, {y: 2 "
                  "* x, label: two}, {y: 3 * x, label: one}]}]\n");
  timed_row(w, "a", 1, "ok", 2, false);
  timed_row(w, "a", 2, "ok", 6, false);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.gp", "lw 1 dt 1 lc rgb black", "lw 1 dt (6, 4) lc rgb black");
  assert_null(strstr(world_read(w, "figures/f.gp"), "lw 1 dt (2, 3) lc rgb grey"));
  world_destroy(&w);
}

/* The bar of a case that failed is empty. */
static void failed_bars_are_empty(void)
{
  world *w = timed_world("methods: {a: {drag: 1}, b: {drag: 2}}\n"
                         "figures: [{id: f, kind: bars, x: method, y: step_median_s}]\n");
  timed_row(w, "a", 2, "ok", 4, false);
  timed_row(w, "b", 2, "not_converged", 2, false);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": failed; x, y\n2\t2\n");
  EXPECT(w, "figures/f.gp", "fs empty");
  assert_int_equal(world_size(w, "figures/f.note"), 0);
  world_destroy(&w);
}

/* A text stands in place of a bar that is absent, with the cross, beside the bar of the same name. */
static void absent_bars_are_told(void)
{
  world *w = timed_world("methods: {a: {drag: 1}, b: {drag: 2}}\n"
                         "figures: [{id: f, kind: bars, x: method, y: step_median_s, series: grid, above: {where: "
                         "status == ok and grid == 3, label: \"it's not measured\"}, lines: [{y: 3}]}]\n");
  timed_row(w, "a", 2, "ok", 4, false);
  timed_row(w, "b", 2, "not_converged", 2, false);
  untimed_row(w, "a", 3, "crashed");
  untimed_row(w, "b", 3, "ok");
  assert_true(draw(w, forms));
  expect_drawn(w, "f");
  EXPECT(w, "figures/f.dat", ": 2; x, y\n0.825\t4\n1.825\t2\n\n\n", ": failed; x, y\n1.825\t2\n",
         ": did not end ok; x, y\n1.825\t2\n1.175\t0\n");
  EXPECT(w, "figures/f.gp", "set label 'no value' noenhanced at first 0, first 1.175 left",
         "set label 'it''s not measured' noenhanced at first 0, first 2.1749999999999998 left",
         "using 2:1 with lines lw 1 dt 1");
  EXPECT(w, "figures/f.svg", ">no value<", "not measured", "not converged, crashed");
  world_destroy(&w);
}

/* A legend of long names stays on the page, in an svg too, for which gnuplot knows no font. The thirteenth series has
 * the colour of the first and another dash. */
static void legends_stay_on_the_page(void)
{
  world *w = timed_world("figures: [{id: f, kind: curves, x: grid, y: step_median_s, series: reason}]\n");
  for (int i = 0; i < 13; ++i)
    for (int k = 1; k < 3; ++k)
      world_row(w, "reason",
                word(sb_arena_format(w->results.session.arena, "%d of the many long names of series here", i)), "grid",
                number(k), "status", word("ok"), "step_median_s", number(i + k), NULL);
  assert_true(draw(w, svg));
  const char *drawn = world_read(w, "figures/f.svg");
  ASSERT_HAS(drawn, "12 of the many long names of series here");
  ASSERT_HAS(drawn, "stroke-dasharray");
  ASSERT_HAS(world_read(w, "figures/f.gp"), "lt 13 ");
  drawn = strstr(drawn, "</defs>"); /* marks, around nought */
  assert_null(strstr(drawn, "d='M-"));
  assert_null(strstr(drawn, "translate(-"));
  world_destroy(&w);
}

/* If the letters of fontconfig are wider than the room left for them, they are made smaller. */
static void wide_letters_are_made_smaller(void)
{
  static const char *const fonts[][2] = {{"DejaVu Sans", "0.87"}, {"Nimbus Sans,Nimbus Sans L", "1.0"}, {"", "1.0"}};
  world                   *w = world_create("");
  SB_OWNED char           *plots = sb_data_directory("plots");
  setenv("SB_PLOTS", plots, 1); /* whatever signs stand in the way to it */
  for (size_t i = 0; i < sizeof fonts / sizeof *fonts; ++i)
    assert_int_equal(
        system(sb_arena_format(w->results.session.arena,
                               "cd '%s' && printf '#!/bin/sh\\necho \"%s\"\\n' > fc-match && chmod +x fc-match && "
                               "PATH=.:$PATH gnuplot -d -e \"term='pdf'; figure_title=''; load system('printenv "
                               "SB_PLOTS').'/style.gp'; print "
                               "wide\" 2>&1 | grep -qx '%s'",
                               w->directory, fonts[i][0], fonts[i][1])),
        0);
  world_destroy(&w);
}

static void expect_left_out(world *w, const char *why)
{
  assert_true(sb_figures_write_all(&w->results));
  assert_int_equal(world_size(w, "figures/f.svg"), 0);
  char *text = world_read(w, "figures/f.why");
  assert_non_null(text);
  assert_string_equal(text, why);
  if (!strstr(said(w), "warning: figure 'f' is left out: ") || !strstr(said(w), " [W119]"))
    fail_msg("said: %s", said(w));
}

/* A figure lists what it lacks. The list is kept in a file for the page, and removed when the figure has been drawn. */
static void what_cannot_be_drawn(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: substeps, y: blowup_time, where: substeps > 4}]\n");
  rope_row(w, "rk4", 8, "ok", 0);
  expect_left_out(w, "none of 1 case was drawn");
  rope_row(w, "rk4", 16, "diverged", 2);
  assert_true(sb_figures_write_all(&w->results));
  expect_drawn(w, "f");
  assert_null(world_read(w, "figures/f.why"));
  world_destroy(&w);
  w = world_create(
      "figures: [{id: f, kind: curves, x: substeps, y: blowup_time, panels: drag, where: substeps > 4}]\n");
  rope_row(w, "rk4", 4, "diverged", 2); /* not even a panel */
  expect_left_out(w, "there is no case of this figure");
  world_destroy(&w);
}

/* A value of 0 on a logarithmic axis is drawn on a strip; without a strip it is counted. Its series keeps its name in
 * the legend either way. */
static void zeros_are_shown_on_logarithmic_axes(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: h, y: depth, series: method, logarithmic: xy}, {id: g, "
                          "width: 8.8, kind: scatter, x: depth, y: h, series: method, logarithmic: x}]\n");
  for (int i = 0; i < 4; ++i)
    world_row(w, "method", word(i < 2 ? "filter" : "penalty"), "h", number(1 + i % 2), "status",
              word(i == 1 ? "diverged" : "ok"), "depth", number(i < 2 ? 0 : i), NULL);
  assert_true(sb_figures_write_all(&w->results));
  EXPECT(w, "figures/f.dat", ": penalty; x, y\n1\t2\n2\t3\n", ": 0; x, y\n1\t", ": did not end ok; x, y\n2\t");
  EXPECT(w, "figures/f.svg", ">filter<", ">penalty<", ">0<");
  assert_null(strstr(world_read(w, "figures/f.svg"), "cannot show"));
  EXPECT(w, "figures/g.svg", ">filter<", "2 cases at 0 or less, which a logarithmic axis cannot show<");
  world_row(w, "method", word("filter"), "h", number(4), "status", word("ok"), "depth", number(-1), NULL);
  assert_true(sb_figures_write_all(&w->results));
  EXPECT(w, "figures/f.dat", ": ≤ 0; x, y\n1\t");
  world_destroy(&w);
}

/* gnuplot reads the labels of tics as number formats. */
static void names_have_percent_signs(void)
{
  world *w =
      world_create("methods: {slow: {drag: 1}, fast: {drag: 2}}\nwords: {method=slow: 25%full, method=fast: 100 %}\n"
                   "figures: [{id: f, kind: bars, x: method, y: cost}]\n");
  world_row(w, "method", word("slow"), "status", word("ok"), "cost", number(3), NULL);
  world_row(w, "method", word("fast"), "status", word("ok"), "cost", number(4), NULL);
  assert_true(draw(w, forms));
  expect_drawn(w, "f");
  EXPECT(w, "figures/f.svg", ">25%full<", ">100 %<");
  world_destroy(&w);
}

/* A panel without a point of ours is left out and named. */
static void empty_panels_are_left_out(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: substeps, y: blowup_time, panels: [{where: drag == 7, "
                          "title: seven}, {where: drag == 0, title: none}, {where: drag == 8, title: eight}]}]\n");
  world_row(w, "substeps", number(4), "drag", number(0), "status", word("ok"), "blowup_time", number(1), NULL);
  assert_true(draw(w, svg));
  assert_non_null(strstr(world_read(w, "figures/f.gp"), "# panel 1\n"));
  assert_null(strstr(world_read(w, "figures/f.gp"), "# panel 2\n"));
  EXPECT(w, "figures/f.svg", ">none<", ">no case here has a value for: seven; eight<");
  world_destroy(&w);
}

/* Under a driver that measures when a run diverges, a run that does has its result: it gets no cross, and its line is
 * not broken. */
static void divergence_may_be_the_answer(void)
{
  static const sb_driver blowup = {.name = "blowup", .answers_by_divergence = true};
  const sb_vocabulary    drivers = TEST_VOCABULARY(TEST_LIST("drivers", &blowup.entry));
  world                 *w = world_create("figures: [{id: f, kind: curves, x: substeps, y: blowup_time}]\n"
                                                          "tables: [{id: t, rows: substeps, columns: [{label: t, value: blowup_time}]}]\n");
  rope_row(w, "rk4", 4, "diverged", 2);
  rope_row(w, "rk4", 8, "diverged", 3);
  rope_row(w, "rk4", 16, "timeout", 4);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": did not end ok; x, y\n4\t2\n8\t3\n16\t4\n");
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| 2 † |", "| 3 † |", "| 4 † |");
  w->results.session.vocabulary = &drivers;
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.dat", ": did not end ok; x, y\n16\t4\n", ": joined; x, y\n4\t2\n8\t3\n");
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| 2 |", "| 3 |", "| 4 † |",
             "†: for a case that did not end ok: timeout");
  world_destroy(&w);
}

static void kinds_are_checked(void)
{
  world *w = world_create("figures: [{id: f, kind: curve, x: h, y: h}, {id: g, kind: map, x: h, y: h}]\n");
  assert_false(sb_figures_check(w->results.sweep, w->results.session.diagnostics));
  assert_non_null(strstr(said(w), "unknown kind of figure 'curve'; did you mean 'curves'? [E106]"));
  assert_int_equal(sb_diagnostics_errors(w->results.session.diagnostics), 1);
  assert_false(draw(w, svg));
  world_destroy(&w);
  w = world_create("figures: [{id: f, kind: nonsense, x: h, y: h}]\n");
  assert_false(sb_figures_check(w->results.sweep, w->results.session.diagnostics));
#define SB_ENTRY(name) assert_non_null(strstr(said(w), #name));
#include "harness/report/figures.def"
#undef SB_ENTRY
  world_destroy(&w);
}

/* A folder of plots with the script own.gp; what it draws begins behind style.gp. */
static void own_script(const world *w, const char *text)
{
  char *plots = sb_data_directory("plots");
  char *command = sb_format("cd '%s' && mkdir -p plots figures && cp \"$SB_PLOTS/style.gp\" plots/", w->directory);
  char *path = sb_format("%s/plots/own.gp", w->directory);
  setenv("SB_PLOTS", plots, 1);
  assert_int_equal(system(command), 0);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
  setenv("SPRINGBENCH_DATA", w->directory, 1);
  free(path);
  free(command);
  free(plots);
}

static void end_own(world *w)
{
  unsetenv("SPRINGBENCH_DATA");
  world_destroy(&w);
}

static void rows_as_data(void)
{
  world *w = world_create("defaults: {scene: rope, nodes: 16}\n"
                          "figures: [{id: f, script: own.gp, where: substeps < 100, published: [cloth_implicit_h]}]\n");
  own_script(w, "# Data: rows; columns x, springs.\neval page(8, 5)\nplot data using 'x':'x'\n");
  world_row(w, "status", word("ok"), "substeps", number(8), "reason", word("a\tb\n\"c\""), "x", blank(), NULL);
  world_row(w, "status", word("ok"), "substeps", number(128), "reason", word(""), "x", number(0.1), NULL);
  world_row(w, "status", word("ok"), "substeps", number(16), "reason", word(""), "x", number(0.1), NULL);
  assert_true(draw(w, svg));
  char *data = world_read(w, "figures/f.dat");
  assert_string_equal(data, "key\tstatus\tsubsteps\treason\tx\tscene\tnodes\tdrag\tsprings\n"
                            "0000000000000001\tok\t8\ta b 'c'\t?\trope\t16\t?\t?\n"
                            "0000000000000003\tok\t16\t?\t0.1\trope\t16\t?\t?\n");
  EXPECT(w, "figures/published_cloth_implicit_h.dat", "stiffness\th\tmilliseconds_per_frame\n25\t0.001\t1.1\n");
  EXPECT(w, "figures/f.gp", "published_cloth_implicit_h = 'published_cloth_implicit_h.dat'\n");
  assert_true(world_size(w, "figures/f.svg") > 2000);
  end_own(w);
}

static void what_a_script_lacks(void)
{
  world *w = world_create("figures: [{id: f, script: own.gp}]\n");
  own_script(w, "# Data: rows; columns x, nosuch (which\n# nobody has).\nplot x\n");
  world_row(w, "status", word("ok"), "x", number(0.1), NULL);
  expect_left_out(w, "the script own.gp needs the column 'nosuch', which these results do not have");
  end_own(w);
}

#define TRAP                                                                                                           \
  "`touch SPRUNG` $(touch SPRUNG) '.system('touch SPRUNG').' \\\"; system('touch SPRUNG') #\\n!touch SPRUNG "          \
  "#\\nsystem('touch SPRUNG') #"

/* A trap in every string a sweep may give, and in what its cases say: were one expanded, SPRUNG would be there. */
static void hostile_strings_do_not_run(void)
{
  static const char yaml[] =
      "question: \"" TRAP "\"\nsource: \"" TRAP "\"\nfigures: [{id: trap, title: \"" TRAP
      "\", kind: curves, x: grid, y: "
      "stiffness, x_label: \"" TRAP "\", y_label: \"" TRAP
      "\", series: [method, reason], panels: status, panel_title: \"" TRAP "{reason}\", label: \"" TRAP
      "{method}\", lines: [{y: x, label: \"" TRAP "\"}], above: {where: grid == 20, "
      "label: \"" TRAP "\"}}]\n";
  static const char spring[] = "`touch SPRUNG`\n!touch SPRUNG\n'.system('touch SPRUNG').'\"`touch SPRUNG`\"";
  world            *w = world_create(yaml);
  for (int i = 0; i < 4; ++i)
    world_row(w, "method", word(spring), "grid", number(i < 2 ? 10 : 20), "stiffness", number(i), "status",
              word(i % 2 ? "ok" : spring), "reason", word(spring), NULL);
  assert_true(sb_figures_write_all(&w->results));
  expect_drawn(w, "trap");
  char *sprung = sb_format("%s/figures/SPRUNG", w->directory);
  assert_int_not_equal(access(sprung, F_OK), 0);
  assert_int_not_equal(access("SPRUNG", F_OK), 0);
  EXPECT(w, "figures/trap.gp", "figure_title = '`touch SPRUNG` $(touch SPRUNG) ''.system(''touch SPRUNG'').''");
  free(sprung);
  world_destroy(&w);
}

/* A script that is not there, and one that gnuplot refuses: they leave no picture, not even that of an earlier run. */
static void what_fails_is_said(void)
{
  world *w = world_create("figures: [{id: f, script: own.gp}]\n");
  world_row(w, "status", word("ok"), NULL);
  assert_false(draw(w, svg));
  assert_non_null(strstr(said(w), "there is no script 'own.gp'"));
  own_script(w, "plot nonsense(\n");
  char *command = sb_format("echo old > '%s/figures/f.svg'", w->directory);
  assert_int_equal(system(command), 0);
  assert_false(draw(w, svg));
  assert_non_null(strstr(sb_diagnostics_message(w->results.session.diagnostics, 1), "gnuplot failed"));
  assert_int_equal(world_size(w, "figures/f.svg"), 0);
  free(command);
  end_own(w);
}

/* A series, a panel and a bar for each value, though their numbers are alike in four digits or their words are equal;
 * and a name for each. */
static void values_are_told_apart(void)
{
  static const char *const figures[] = {"kind: curves, x: substeps, y: blowup_time, series: seed",
                                        "kind: curves, x: substeps, y: blowup_time, panels: seed, panel_title: one",
                                        "kind: curves, x: substeps, y: blowup_time, series: seed, label: \"s {seed}\"",
                                        "kind: curves, x: substeps, y: blowup_time, series: seed, label: ours",
                                        "kind: bars, x: seed, y: blowup_time, where: substeps == 4"};
  static const char *const texts[][3] = {{">seed = 0.99995<", ">seed = 0.9999<", ">seed = 16000<"},
                                         {">one<", ">one, seed = 0.9999<", ">one, seed = 16000<"},
                                         {">s 0.99995<", ">s 0.9999<", ">s 16000<"},
                                         {">ours, 0.99995<", ">ours, 0.9999<", ">ours, 16000<"},
                                         {">0.99995<", ">0.9999<", ">16000<"}};
  for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
    char  *yaml = sb_format("figures: [{id: f, %s}]\n", figures[i]);
    world *w = world_create(yaml);
    for (int k = 0; k < 6; ++k)
      world_row(w, "seed",
                number(k / 2 == 0   ? 0.99995
                       : k / 2 == 1 ? 0.9999
                                    : 16000),
                "substeps", number(k % 2 ? 4 : 8), "status", word("ok"), "blowup_time", number(k + 1), NULL);
    assert_true(draw(w, svg));
    EXPECT(w, "figures/f.svg", texts[i][0], texts[i][1], texts[i][2]);
    world_destroy(&w);
    free(yaml);
  }
  world *w = world_create("words: {\"integrator=rk4\": mine, \"integrator=explicit_euler\": mine}\n"
                          "figures: [{id: f, kind: curves, x: substeps, y: blowup_time, series: integrator}]\n");
  rope_row(w, "rk4", 4, "ok", 1);
  rope_row(w, "explicit_euler", 4, "ok", 2);
  assert_true(draw(w, svg));
  EXPECT(w, "figures/f.svg", ">mine (rk4)<", ">mine (explicit_euler)<");
  world_destroy(&w);
}

/* Numbers that differ in their last digits alone are all within the axes, with ticks that differ. */
static void narrow_ranges(void)
{
  static const double widths[] = {1e-2, 1e-6, 1e-9, 4e-10, 1e-12};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; ++i) {
    world *w = world_create("figures: [{id: f, kind: curves, x: blowup_time, y: onset_time, y_label: y}, {id: p, kind: "
                            "profile, x: blowup_time, x_label: x}]\n");
    double low = 0, high = 0;
    for (int k = 0; k < 9; ++k)
      world_row(w, "substeps", number(k), "status", word("ok"), "blowup_time", number(1e3 + widths[i] * k / 8),
                "onset_time", number(1e3 - widths[i] * k / 8), NULL);
    assert_true(sb_figures_write_all(&w->results));
    EXPECT(w, "figures/f.svg", ">y − 1000<");
    EXPECT(w, "figures/p.svg", ">x − 1000<");
    for (int y = 0; y < 2; ++y) {
      const char *range = strstr(world_read(w, "figures/f.gp"), y ? "set yrange" : "set xrange");
      assert_int_equal(sscanf(range + strlen("set yrange"), " [%lf : %lf]", &low, &high), 2);
      assert_true(low <= 1e3 - (y ? widths[i] : 0) && high >= 1e3 + (y ? 0 : widths[i]) && high - low >= 0.99e-9);
    }
    world_destroy(&w);
  }
}

/* Look n of linetypes is that of the n-th value in the sweep file, whatever the figure shows and the results have; a
 * value that -p added comes after them, and a reference takes no number. */
static void looks_are_places_in_the_sweep(void)
{
  static const char yaml[] =
      "defaults: {scene: rope}\n"
      "figures: [{id: f, kind: curves, x: drag, y: blowup_time, series: substeps}, "
      "{id: g, kind: curves, x: drag, y: blowup_time, where: substeps > 8, layers: [{reference: true, where: substeps "
      "== 10, series: substeps}, {where: substeps != 10, series: substeps}]}]\n";
  static const double values[] = {3, 10, 9, 77};
  world              *w = world_create(yaml);
  w->results.kept->plan = sb_plan_create(w->results.sweep, NULL, &w->results.session);
  for (size_t i = 0; i < 4; ++i)
    world_row(w, "drag", number(0.1), "substeps", number(values[i]), "status", word("ok"), "blowup_time", number(1),
              NULL);
  assert_true(sb_figures_write_all(&w->results));
  EXPECT(w, "figures/f.gp", "lt 6 lw 1.2 ps 0.9 title 'substeps = 3'", "lt 4 lw 1.2 ps 0.82 title 'substeps = 10'",
         "lt 3 lw 1.2 ps 0.74 title 'substeps = 9'", "lt 5 lw 1.2 ps 0.66 title 'substeps = 77'");
  EXPECT(w, "figures/g.gp", "lt 1 lc rgb black lw 1.2 ps 0.65 title 'substeps = 10'",
         "lt 3 lw 1.2 ps 0.9 title 'substeps = 9'", "lt 5 lw 1.2 ps 0.82 title 'substeps = 77'");
  world_destroy(&w);
}

/* A line of one point is a mark. A figure whose data are all beyond the given axes has no picture. */
static void no_series_vanishes(void)
{
  world *w = world_create("figures: [{id: f, kind: curves, x: substeps, y: blowup_time, series: integrator, draw: "
                          "lines}, {id: g, kind: curves, x: substeps, y: blowup_time, x_range: [1000, '*']}]\n");
  rope_row(w, "rk4", 4, "ok", 1);
  rope_row(w, "explicit_euler", 4, "ok", 2);
  rope_row(w, "explicit_euler", 8, "ok", 3);
  assert_true(sb_figures_write_all(&w->results));
  EXPECT(w, "figures/f.dat", ": single; x, y\n4\t1\n");
  assert_null(strstr(strstr(world_read(w, "figures/f.dat"), ": single") + 1, ": single"));
  EXPECT(w, "figures/g.why", "none of its points is within x_range and y_range");
  world_destroy(&w);
}

/* Texts of gnuplot's LaTeX terminal: markup becomes mathematics, plain underscores and special characters are escaped,
 * what is mathematics already stays, and other lines stay as they are. */
static void texts_become_latex(void)
{
  char  drawn[] = "\\begingroup\n"
                  "  \\put(1,2){\\makebox(0,0)[r]{\\strut{}2/ω_{max} π/4 5% a_b}}%\n"
                  "  \\put(1,2){\\rotatebox{-270.00}{\\makebox(0,0){\\strut{}10^{-3} m^2}}}%\n"
                  "  \\put(1,2){\\makebox(0,0){\\strut{}$10^{-3}$ {b} $x}}%\n"
                  "  \\def\\a_b{\\strut{}a_b}%\n";
  char *text = written(sb_figure_put_latex, drawn);
  assert_string_equal(text, "\\begingroup\n  \\fontsize{8}{9.6}\\selectfont\n"
                            "  \\put(1,2){\\makebox(0,0)[r]{\\strut{}2/$\\omega$"
                            "\\ensuremath{_{\\mathrm{max}}} $\\pi$/4 5\\% a\\_b}}%\n"
                            "  \\put(1,2){\\rotatebox{-270.00}{\\makebox(0,0){\\strut{}10\\ensuremath{^{\\mathrm{-3}}} "
                            "m\\ensuremath{^{\\mathrm{2}}}}}}%\n"
                            "  \\put(1,2){\\makebox(0,0){\\strut{}$10^{-3}$ \\{b\\} \\$x}}%\n"
                            "  \\def\\a_b{\\strut{}a_b}%\n");
  free(text);
}

TEST_MAIN(curves, panels, looks_say_what_they_are, maps, bars, whiskers_of_a_rate_change_ends, what_has_no_value,
          no_failure_is_dropped, maps_have_strips, no_line_leads_through_what_failed,
          no_line_leads_past_what_has_no_value, devices_are_named, doubtful_times_are_marked,
          builds_are_judged_among_what_is_drawn, signs_of_most_cases_are_left_out, marks_come_from_every_case,
          points_are_made_of_all_their_cases, cases_that_are_not_told_apart_are_refused, lines_of_one_label_look_alike,
          failed_bars_are_empty, absent_bars_are_told, legends_stay_on_the_page, wide_letters_are_made_smaller,
          what_cannot_be_drawn, zeros_are_shown_on_logarithmic_axes, names_have_percent_signs,
          empty_panels_are_left_out, divergence_may_be_the_answer, kinds_are_checked, rows_as_data, what_a_script_lacks,
          hostile_strings_do_not_run, what_fails_is_said, texts_become_latex, values_are_told_apart, narrow_ranges,
          looks_are_places_in_the_sweep, no_series_vanishes)
