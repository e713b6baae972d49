/* Every figure's script drawn by the real gnuplot from rows made by hand; strings of a sweep never run as commands. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/common/data_directory.h"
#include "harness/report/figure_data.h"
#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char *const forms[] = {"svg", "png", "pdf", NULL};

static void expect_drawn(const world *w, const char *id)
{
  for (size_t i = 0; forms[i]; ++i) {
    char *name = sb_format("figures/%s.%s", id, forms[i]);
    if (world_size(w, name) < 2000) fail_msg("%s has %zu bytes", name, world_size(w, name));
    free(name);
  }
}

static void rope_row(world *w, const char *integrator, double substeps, double drag, const char *status, double blowup)
{
  const bool explicit_euler = strcmp(integrator, "explicit_euler") == 0;
  world_row(w, "integrator", word(integrator), "substeps", number(substeps), "drag", number(drag), "status",
            word(status), "blowup_time", blowup > 0 ? number(blowup) : blank(), "blowup_predicted",
            explicit_euler ? number(substeps / 6) : blank(), "limit_h", number(0.1005), "h_seconds",
            number(1 / substeps), "duration_seconds", number(400), NULL);
}

static void rope(void **state)
{
  (void)state;
  world *w = world_create("figures: [{id: rope, title: A rope, script: rope_blowup.gp}]\n");
  for (double substeps = 4; substeps <= 4096; substeps *= 4) {
    for (int d = 0; d < 3; ++d)
      rope_row(w, "explicit_euler", substeps, (double[]){0, 0.001, 0.01}[d], "diverged", substeps / 5);
    rope_row(w, "symplectic_euler", substeps, 0.001, substeps < 10 ? "diverged" : "ok", substeps < 10 ? 2 : 0);
    rope_row(w, "velocity_verlet", substeps, 0.001, substeps < 10 ? "diverged" : "ok", substeps < 10 ? 3 : 0);
  }
  assert_true(sb_figure_write(&w->results, w->results.sweep->figures, forms));
  expect_drawn(w, "rope");
  char *svg = world_read(w, "figures/rope.svg");
  assert_non_null(strstr(svg, "explicit Euler, c = 0.01 kg/s, 64 substeps: 12.8 s"));
  assert_null(strstr(svg, "onmousemove"));
  free(svg);
  world_destroy(&w);
}

/* Runs that all survive, or one row alone: what --quick or an override can leave. */
static void rope_of_few_rows(void **state)
{
  static const char *const svg[] = {"svg", NULL};
  (void)state;
  world *w = world_create("figures: [{id: rope, script: rope_blowup.gp}]\n");
  rope_row(w, "symplectic_euler", 16, 0.001, "ok", 0);
  assert_true(sb_figure_write(&w->results, w->results.sweep->figures, svg));
  assert_true(world_size(w, "figures/rope.svg") > 2000);
  world_destroy(&w);
}

static void maps(void **state)
{
  (void)state;
  world *w = world_create("figures: [{id: by_grid, title: A cloth, script: cloth_blowup_grid.gp},\n"
                          "          {id: by_stiffness, title: A cloth, script: cloth_blowup_stiffness.gp}]\n");
  for (int i = 0; i < 20; ++i) {
    const double h = 1e-4 * (double)(1 << (i % 5) * 2), grid = 1 << i / 5, limit = 0.02 / grid;
    world_row(w, "grid", number(grid), "stiffness", number(100 * grid), "h", number(h), "status",
              word(i == 7      ? "timeout"
                   : h < limit ? "ok"
                               : "diverged"),
              "limit_h", number(limit), "limit_h_any_stretch", number(limit * 0.7), NULL);
  }
  assert_true(sb_figures_write_all(&w->results));
  expect_drawn(w, "by_grid");
  expect_drawn(w, "by_stiffness");
  world_destroy(&w);
}

static void cost(void **state)
{
  (void)state;
  world *w =
      world_create("figures: [{id: cost, title: A frame, script: frame_cost.gp, published: [cloth_frame_cost]}]\n");
  for (int i = 0; i < 6; ++i) {
    const double grid = 10 << i / 2, seconds = 1e-5 * grid * grid;
    const bool   lost = i == 5;
    world_row(w, "method", word(i % 2 ? "newton_1_cholesky" : "local_global_10"), "grid", number(grid), "stiffness",
              number(1000), "status", word(lost ? "timeout" : "ok"), "step_median_s", lost ? blank() : number(seconds),
              "step_q1_s", lost ? blank() : number(seconds * 0.9), "step_q3_s", lost ? blank() : number(seconds * 1.2),
              NULL);
  }
  assert_true(sb_figures_write_all(&w->results));
  expect_drawn(w, "cost");
  char *data = world_read(w, "figures/published_cloth_frame_cost.dat");
  assert_non_null(data);
  assert_ptr_equal(strstr(data, "method\tgrid\tstiffness\tmilliseconds_per_frame\nnewton_1_cholesky\t10\t10\t1.0\n"),
                   data);
  free(data);
  world_destroy(&w);
}

static void rows_as_data(void **state)
{
  (void)state;
  static const char *const none[] = {NULL};
  static const char        yaml[] = "defaults: {scene: rope, nodes: 16}\n"
                                    "figures: [{id: f, script: rope_blowup.gp, where: substeps < 100}]\n";
  world                   *w = world_create(yaml);
  world_row(w, "status", word("ok"), "substeps", number(8), "reason", word("a\tb\n\"c\""), "x", blank(), NULL);
  world_row(w, "status", word("ok"), "substeps", number(128), "reason", word(""), "x", number(0.1), NULL);
  world_row(w, "status", word("ok"), "substeps", number(16), "reason", word(""), "x", number(0.1), NULL);
  assert_true(sb_figure_write(&w->results, w->results.sweep->figures, none));
  char *data = world_read(w, "figures/f.dat");
  assert_string_equal(data, "key\tstatus\tsubsteps\treason\tx\tscene\tnodes\tdrag\tintegrator\n"
                            "0000000000000001\tok\t8\ta b 'c'\t?\trope\t16\t?\t?\n"
                            "0000000000000003\tok\t16\t?\t0.1\trope\t16\t?\t?\n");
  free(data);
  world_destroy(&w);
}

/* The text of a case file's stand-in: data of the curves' scripts as sb_figure_data_curves writes it. */
static void write_curves(const world *w, const char *axis, const double *values, const char *const *methods)
{
  char *path = sb_format("%s/figures/c.dat", w->directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "key\tstatus\t%s\tmethod\trun\titeration\trelative_error\tseconds\tlast\n", axis);
  for (size_t v = 0; v < 2; ++v)
    for (size_t m = 0; m < 2; ++m)
      for (int i = 0; i <= 30; ++i)
        fprintf(file, "k\tok\t%g\t%s\tmean\t%d\t%g\t%g\t%d\n%s", values[v], methods[m], i, 1.0 / (1 + i * i), i * 1e-3,
                i == 30, i == 30 ? "\n\n" : "");
  fprintf(file, "k\ttimeout\t%g\t%s\t?\t?\t?\t?\t1\n", values[0], "newton_jacobi");
  assert_int_equal(fclose(file), 0);
  free(path);
}

/* The script that was written is run by hand, in its folder, as a reader would: other data, other terminal. */
static void draw_by_hand(const world *w)
{
  char *command = sb_format("cd '%s/figures' && rm -f c.svg c.png && gnuplot -d c.gp 2> said && "
                            "gnuplot -d -e \"term='png'\" c.gp 2>> said || { cat said; false; }",
                            w->directory);
  assert_int_equal(system(command), 0);
  assert_true(world_size(w, "figures/c.svg") > 2000 && world_size(w, "figures/c.png") > 2000);
  free(command);
}

static void curves(void **state)
{
  static const char *const scripts[] = {"newton_vs_pd.gp", "newton_vs_pd_time.gp", "liu_resolution.gp",
                                        "liu_stiffness.gp"};
  static const char *const methods[] = {"local_global", "newton_cholesky"};
  static const char *const none[] = {NULL};
  static const double      grids[] = {20, 80}, stiffnesses[] = {300, 600};
  (void)state;
  for (size_t i = 0; i < 4; ++i) {
    char  *yaml = sb_format("figures: [{id: c, title: \"It's\", script: %s, data: curves, "
                             "published: [liu2013_curves]}]\n",
                            scripts[i]);
    world *w = world_create(yaml);
    assert_true(sb_figure_write(&w->results, w->results.sweep->figures, none));
    write_curves(w, i == 3 ? "stiffness" : "grid", i == 3 ? stiffnesses : grids, methods);
    draw_by_hand(w);
    world_destroy(&w);
    free(yaml);
  }
}

static void write_words(FILE *stream, void *context) { sb_figure_put_words(context, stream); }

/* A figure calls things what the sweep's tables call them; quotes do not end gnuplot's strings. */
static void names_are_spelled(void **state)
{
  (void)state;
  static const char yaml[] = "springbench: 1\nname: n\nmethods: {m: {drag: 0}}\nwords: {m: \"it's `x`\"}\n"
                             "sweep: [{grid: {method: [m], integrator: [rk4, midpoint], grid: [8]}},\n"
                             "        {grid: {integrator: [rk4, implicit_euler]}}]\n";
  sb_session        session = sb_session_begin(NULL, NULL);
  sb_sweep         *sweep = sb_sweep_parse(yaml, strlen(yaml), "words.yaml", &session);
  assert_non_null(sweep);
  char *text = written(write_words, sweep);
  assert_string_equal(text, "spelled(name) = name eq 'm' ? 'it''s `x`' : \\\n"
                            "  name eq 'rk4' ? 'Runge-Kutta 4' : \\\n"
                            "  name eq 'midpoint' ? 'midpoint rule' : \\\n"
                            "  name eq 'implicit_euler' ? 'implicit Euler' : \\\n"
                            "  ''\n");
  free(text);
  sb_session_end(&session, NULL);
}

/* A trap in every string a sweep may give: were one expanded, SPRUNG would be there. */
static void hostile_strings_do_not_run(void **state)
{
  (void)state;
  static const char trap[] = "`touch SPRUNG` $(touch SPRUNG) "
                             "'.system('touch SPRUNG').' \\\"; system('touch SPRUNG') #\\n"
                             "!touch SPRUNG #\\nsystem('touch SPRUNG') #";
  char *yaml = sb_format("question: \"%s\"\nsource: \"%s\"\nfigures: [{id: trap, title: \"%s\", script: frame_cost.gp, "
                         "published: [cloth_frame_cost]}]\n",
                         trap, trap, trap);
  world *w = world_create(yaml);
  world_row(w, "method", word("`touch SPRUNG`\n!touch SPRUNG"), "grid", number(10), "stiffness", number(1000), "status",
            word("ok"), "step_median_s", number(1), "step_q1_s", number(1), "step_q3_s", number(1), "reason",
            word("\"`touch SPRUNG`\"\n!touch SPRUNG\n"), NULL);
  world_row(w, "method", word("plain"), "grid", number(20), "stiffness", number(1000), "status", word("ok"),
            "step_median_s", number(1), "step_q1_s", number(1), "step_q3_s", number(1), NULL); /* is drawn */
  free(w->results.sweep->source); /* the parser takes line breaks out of what it reads */
  w->results.sweep->source = strdup("one\n!touch SPRUNG #\nsystem('touch SPRUNG') #\n");
  assert_true(sb_figures_write_all(&w->results));
  expect_drawn(w, "trap");
  char *sprung = sb_format("%s/figures/SPRUNG", w->directory);
  assert_int_not_equal(access(sprung, F_OK), 0);
  assert_int_not_equal(access("SPRUNG", F_OK), 0);
  char *script = world_read(w, "figures/trap.gp");
  assert_non_null(strstr(script, "figure_title = '`touch SPRUNG` $(touch SPRUNG) ''.system(''touch SPRUNG'').''"));
  free(script);
  free(sprung);
  free(yaml);
  world_destroy(&w);
}

/* What a figure lacks is said, kept beside it for the page, and gone when the figure has been drawn. */
static void expect_left_out(const char *figure, bool fault, const char *why)
{
  char  *yaml = sb_format("defaults: {scene: rope, stiffness: 100}\nfigures: [{id: f, %s}]\n", figure);
  world *w = world_create(yaml);
  rope_row(w, "symplectic_euler", 4, 0.001, "error", 0);
  assert_int_equal(sb_figures_write_all(&w->results), !fault);
  assert_int_equal(world_size(w, "figures/f.svg"), 0);
  char *said = world_read(w, "figures/f.why");
  assert_non_null(said);
  assert_string_equal(said, why);
  rope_row(w, "symplectic_euler", 4, 0.001, "diverged", 2);
  if (!fault && strstr(figure, "rope_blowup")) {
    assert_true(sb_figures_write_all(&w->results));
    expect_drawn(w, "f");
    assert_null(world_read(w, "figures/f.why"));
  }
  free(said);
  world_destroy(&w);
  free(yaml);
}

static void what_a_script_lacks(void **state)
{
  (void)state;
  expect_left_out("script: rope_blowup.gp", false, "none of 1 row was drawn\n");
  expect_left_out("script: frame_cost.gp", true,
                  "the script frame_cost.gp needs published: [cloth_frame_cost.csv] in the figure's entry\n");
  expect_left_out("script: cloth_blowup_grid.gp", false,
                  "the script cloth_blowup_grid.gp needs the column 'limit_h_any_stretch', of which these results have "
                  "none\n");
}

/* An option that the script needs and the sweep does not vary is a column all the same. */
static void constants_are_drawn(void **state)
{
  static const char *const svg[] = {"svg", NULL};
  (void)state;
  world *w = world_create("defaults: {scene: rope, integrator: explicit_euler}\n"
                          "figures: [{id: f, script: rope_blowup.gp}]\n");
  world_row(w, "substeps", number(64), "drag", number(0.05), "status", word("diverged"), "blowup_time", number(3),
            "blowup_predicted", number(4), "limit_h", number(0.1), "h_seconds", number(1.0 / 64), "duration_seconds",
            number(400), NULL);
  assert_true(sb_figure_write(&w->results, w->results.sweep->figures, svg));
  char *drawn = world_read(w, "figures/f.svg");
  assert_non_null(strstr(drawn, "explicit Euler, c = 0.05 kg/s, 64 substeps: 3 s"));
  free(drawn);
  world_destroy(&w);
}

/* stderr would fill with messages that are meant to be there. */
static bool figure_fails(world *w, const char *form)
{
  const char *const asked[] = {form, NULL};
  char             *path = sb_format("%s/said", w->directory);
  fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  assert_non_null(freopen(path, "w", stderr));
  const bool done = sb_figure_write(&w->results, w->results.sweep->figures, asked);
  fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  free(path);
  return !done;
}

/* Scripts of data over time and over steps, run by hand on a few made-up lines. */
static void draw_lines(const char *script, const char *head, const char *const *lines)
{
  static const char *const none[] = {NULL};
  char                    *yaml = sb_format("figures: [{id: c, title: \"It's\", script: %s}]\n", script);
  world                   *w = world_create(yaml);
  assert_true(sb_figure_write(&w->results, w->results.sweep->figures, none));
  char *path = sb_format("%s/figures/c.dat", w->directory);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "%s\n", head);
  for (; *lines; ++lines) fprintf(file, "%s\n", *lines);
  assert_int_equal(fclose(file), 0);
  draw_by_hand(w);
  free(path);
  free(yaml);
  world_destroy(&w);
}

static void motions_and_orders(void **state)
{
  (void)state;
  draw_lines("rope_damping.gp", "status\tdrag\ttime\tenergy_gravity",
             (const char *[]){"ok\t0.1\t0\t3200", "ok\t0.1\t1\t3000", "", "", "crashed\t0\t?\t?", NULL});
  draw_lines("rope_integrators.gp", "integrator\tsubsteps\ttime\tenergy_total",
             (const char *[]){"rk4\t16\t0\t3200", "rk4\t16\t200\t2600", "", "", "midpoint\t64\t0\t3200",
                              "midpoint\t64\t200\t9e9", NULL});
  draw_lines("rope_verlet_substeps.gp", "status\tsubsteps\tstrain_first\tstrain_max",
             (const char *[]){"ok\t1\t0.5\t1.4", "ok\t16\t0.002\t0.01", NULL});
  draw_lines("integrator_energy.gp", "integrator\ttime\tenergy_total",
             (const char *[]){"rk4\t0\t0", "rk4\t1\t-0.01", "rk4\t2\t-0.02", "", "", "explicit_euler\t0\t0",
                              "explicit_euler\t1\t1e9", NULL});
  draw_lines("integrator_order.gp", "integrator\tstatus\th_seconds\terror_position",
             (const char *[]){"rk4\tok\t0.1\t1e-4", "rk4\tok\t0.01\t1e-8", "midpoint\tok\t0.1\t0.01",
                              "midpoint\tdiverged\t0.01\t?", NULL});
  draw_lines("chain_dispersion.gp", "integrator\tstatus\th_seconds\twave_number\tfrequency_measured",
             (const char *[]){"rk4\tok\t0.9\t1\t0.9", "implicit_euler\tok\t0.9\t2\t1.1", NULL});
}

static void what_fails_is_said(void **state)
{
  (void)state;
  world *w = world_create("figures: [{id: f, script: no_such.gp}]\n");
  world_row(w, "status", word("ok"), NULL);
  assert_true(figure_fails(w, "svg"));
  assert_true(world_size(w, "said") > 0);
  free(w->results.sweep->figures->script);
  w->results.sweep->figures->script = strdup("rope_blowup.gp");
  assert_true(figure_fails(w, "exe"));
  free(w->results.sweep->figures->script);
  w->results.sweep->figures->script = strdup("../plots/rope_blowup.gp");
  assert_true(figure_fails(w, "svg"));
  world_destroy(&w);
}

/* A script that gnuplot refuses leaves no picture, not even that of an earlier run. */
static void a_broken_script_leaves_no_picture(void **state)
{
  (void)state;
  world *w = world_create("figures: [{id: f, script: broken.gp}]\n");
  world_row(w, "status", word("ok"), NULL);
  char *command = sb_format("cd '%s' && mkdir -p plots figures && touch plots/style.gp && echo old > figures/f.svg && "
                            "echo 'plot nonsense(' > plots/broken.gp",
                            w->directory);
  assert_int_equal(system(command), 0);
  setenv("SPRINGBENCH_DATA", w->directory, 1);
  assert_true(figure_fails(w, "svg"));
  unsetenv("SPRINGBENCH_DATA");
  char *said = world_read(w, "said");
  assert_non_null(strstr(said, "gnuplot failed"));
  assert_int_equal(world_size(w, "figures/f.svg"), 0);
  free(said);
  free(command);
  world_destroy(&w);
}

/* Texts of gnuplot's LaTeX terminal: markup becomes mathematics, plain underscores and special characters are escaped,
 * what is mathematics already stays, and other lines stay as they are. */
static void texts_become_latex(void **state)
{
  (void)state;
  world *w = world_create("");
  char  *path = sb_format("%s/a.tex", w->directory);
  FILE  *file = fopen(path, "w");
  assert_non_null(file);
  fputs("\\begingroup\n"
        "  \\put(1,2){\\makebox(0,0)[r]{\\strut{}2/ω_{max} π/4 5% a_b}}%\n"
        "  \\put(1,2){\\rotatebox{-270.00}{\\makebox(0,0){\\strut{}10^{-3} m^2}}}%\n"
        "  \\put(1,2){\\makebox(0,0){\\strut{}$10^{-3}$ {b} $x}}%\n"
        "  \\def\\a_b{\\strut{}a_b}%\n",
        file);
  fclose(file);
  assert_true(sb_figure_latex(path));
  char *text = world_read(w, "a.tex");
  assert_string_equal(text, "\\begingroup\n  \\fontsize{8}{9.6}\\selectfont\n"
                            "  \\put(1,2){\\makebox(0,0)[r]{\\strut{}2/$\\omega$"
                            "\\ensuremath{_{\\mathrm{max}}} $\\pi$/4 5\\% a\\_b}}%\n"
                            "  \\put(1,2){\\rotatebox{-270.00}{\\makebox(0,0){\\strut{}10\\ensuremath{^{\\mathrm{-3}}} "
                            "m\\ensuremath{^{\\mathrm{2}}}}}}%\n"
                            "  \\put(1,2){\\makebox(0,0){\\strut{}$10^{-3}$ \\{b\\} \\$x}}%\n"
                            "  \\def\\a_b{\\strut{}a_b}%\n");
  free(text);
  free(path);
  assert_false(sb_figure_latex("/no/such/file.tex"));
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rope),
      cmocka_unit_test(rope_of_few_rows),
      cmocka_unit_test(maps),
      cmocka_unit_test(cost),
      cmocka_unit_test(rows_as_data),
      cmocka_unit_test(curves),
      cmocka_unit_test(motions_and_orders),
      cmocka_unit_test(texts_become_latex),
      cmocka_unit_test(what_fails_is_said),
      cmocka_unit_test(hostile_strings_do_not_run),
      cmocka_unit_test(what_a_script_lacks),
      cmocka_unit_test(constants_are_drawn),
      cmocka_unit_test(names_are_spelled),
      cmocka_unit_test(a_broken_script_leaves_no_picture),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
