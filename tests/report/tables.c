/* The four forms of a sweep's table against what they should be to the byte, and what must not pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/report_text.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char pivot_yaml[] =
    "question: How long?\n"
    "source: rope exercise\n"
    "defaults: {scene: rope, nodes: 16, stiffness: 100}\n"
    "tables: [{id: blowup, title: Blow-up of a rope, rows: substeps, columns: drag, cell: blowup_time, unit: s,\n"
    "          where: integrator == explicit_euler, note: ok means it survived.}]\n";

/* Out of order, with a failure, an ok without a number, a hole, and a row that where: leaves out. */
static world *pivot_world(void)
{
  world *w = world_create(pivot_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "drag", "kg/s", true, false);
  world_column(w, "blowup_time", "s", false, false);
#define ROW(i, s, d, st, t)                                                                                            \
  world_row(w, "integrator", word(i), "substeps", number(s), "drag", number(d), "status", word(st), "blowup_time", t,  \
            NULL)
  ROW("explicit_euler", 64, 0, "diverged", number(10.61));
  ROW("explicit_euler", 64, 0.01, "diverged", number(10.75));
  ROW("explicit_euler", 64, 0.001, "diverged", number(12.25));
  ROW("explicit_euler", 4, 0.001, "timeout", blank());
  ROW("explicit_euler", 4, 0, "diverged", number(0.5));
  ROW("symplectic_euler", 4, 0, "diverged", number(3));
  ROW("explicit_euler", 256, 0, "not_converged", blank());
  ROW("explicit_euler", 256, 0.001, "diverged", number(181.25));
  ROW("explicit_euler", 256, 0.01, "ok", blank());
#undef ROW
  return w;
}

static void expect_form(const world *w, sb_table_form form, const char *expected)
{
  char *text = world_table(w, form);
  assert_string_equal(text, expected);
  free(text);
}

static void expect_part(const world *w, sb_table_form form, const char *part)
{
  char *text = world_table(w, form);
  if (!strstr(text, part)) fail_msg("%s", text);
  free(text);
}

static void refute_part(const world *w, sb_table_form form, const char *part)
{
  char *text = world_table(w, form);
  if (strstr(text, part)) fail_msg("%s", text);
  free(text);
}

static void a_pivot_for_readers(void **state)
{
  (void)state;
  world *w = pivot_world();
  expect_form(w, SB_TABLE_TEXT,
              "Blow-up of a rope\n"
              "How long?\n"
              "\n"
              "          blow-up time (s) by drag (kg/s)\n"
              "          ---------------------------\n"
              "substeps          0     0.001   0.01\n"
              "-------------------------------------\n"
              "       4      0.500!  timeout      -\n"
              "      64       10.6!     12.2!  10.8!\n"
              "     256  not conv.       181!    ok\n"
              "-------------------------------------\n"
              "! of a case that did not end ok: diverged\n"
              "Constant: scene = rope, nodes = 16, stiffness = 100 N/m, integrator = explicit Euler\n"
              "Source: rope exercise\n"
              "ok means it survived.\n");
  expect_form(w, SB_TABLE_MARKDOWN,
              "**Blow-up of a rope**\n"
              "\n"
              "How long?\n"
              "\n"
              "Cells: blow-up time (s)\n"
              "\n"
              "| substeps | drag = 0 | drag = 0.001 | drag = 0.01 |\n"
              "|---:|---:|---:|---:|\n"
              "| 4 | 0.500 † | timeout | – |\n"
              "| 64 | 10.6 † | 12.2 † | 10.8 † |\n"
              "| 256 | not conv. | 181 † | ok |\n"
              "\n"
              "†: of a case that did not end ok: diverged.\n"
              "\n"
              "Constant: scene = rope, nodes = 16, stiffness = 100 N/m, integrator = explicit Euler\n"
              "\n"
              "Source: rope exercise\n"
              "\n"
              "ok means it survived.\n"
              "\n");
  world_destroy(&w);
}

static void a_pivot_for_programs(void **state)
{
  (void)state;
  world *w = pivot_world();
  expect_form(w, SB_TABLE_CSV,
              "substeps,blowup_time (s) at drag = 0,blowup_time (s) at drag = 0.001,blowup_time (s) at drag = 0.01\n"
              "4,0.5,timeout,\n"
              "64,10.61,12.25,10.75\n"
              "256,not conv.,181.25,ok\n");
  expect_form(w, SB_TABLE_LATEX,
              "% needs \\usepackage{booktabs,graphicx}\n"
              "\\begin{table}\n"
              "\\centering\n"
              "\\caption{Blow-up of a rope. How long? Constant: scene = rope, nodes = 16, stiffness = 100 N/m, "
              "integrator = explicit Euler. Source: rope exercise. ok means it survived. $\\dagger$: of a case that "
              "did not end "
              "ok: diverged.}\n"
              "\\label{tab:blowup}\n"
              "\\medskip\n"
              "\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n"
              "\\begin{tabular}{@{}rrrr@{}}\n"
              "\\toprule\n"
              "& \\multicolumn{3}{c}{blow-up time (s) by drag (kg/s)} \\\\\n"
              "\\cmidrule(l){2-4}\n"
              "substeps & 0 & 0.001 & 0.01 \\\\\n"
              "\\midrule\n"
              "4 & 0.500$^\\dagger$ & timeout & -- \\\\ % 0000000000000005 0000000000000004\n"
              "64 & 10.6$^\\dagger$ & 12.2$^\\dagger$ & 10.8$^\\dagger$ \\\\ "
              "% 0000000000000001 0000000000000003 0000000000000002\n"
              "256 & not conv. & 181$^\\dagger$ & ok \\\\ % 0000000000000007 0000000000000008 0000000000000009\n"
              "\\bottomrule\n"
              "\\end{tabular}}\n"
              "\\end{table}\n");
  assert_true(sb_sweep_tables_write(&w->results, NULL));
  assert_true(world_size(w, "tables/blowup.txt") > 0 && world_size(w, "tables/blowup.md") > 0);
  assert_true(world_size(w, "tables/blowup.csv") > 0 && world_size(w, "tables/blowup.tex") > 0);
  world_destroy(&w);
}

/* Names become words wherever people read them, and stay names in CSV. */
static void names_are_written_as_words(void **state)
{
  (void)state;
  world *w = world_create("words: {substeps: time step, substeps=4: 0.25, drag=0: none}\n"
                          "tables: [{id: t, rows: [integrator, substeps], columns: drag, cell: cost,\n"
                          "          label: price, unit: EUR}]\n");
  world_row(w, "integrator", word("stoermer_verlet"), "substeps", number(4), "drag", number(0), "status", word("ok"),
            "cost", number(7), NULL);
  world_row(w, "integrator", word("rk4"), "substeps", number(8), "drag", number(1), "status", word("ok"), "cost",
            number(9), NULL);
  expect_form(w, SB_TABLE_TEXT,
              "                           price (EUR) by drag\n"
              "                           -------\n"
              "integrator      time step  none  1\n"
              "----------------------------------\n"
              "Störmer-Verlet       0.25     7  -\n"
              "Runge-Kutta 4           8     -  9\n"
              "----------------------------------\n");
  expect_form(w, SB_TABLE_CSV,
              "integrator,substeps,price (EUR) at drag = 0,price (EUR) at drag = 1\n"
              "stoermer_verlet,4,7,\n"
              "rk4,8,,9\n");
  world_destroy(&w);
}

/* A number of a run that failed may mean nothing: a table can ask for how it ended instead. */
static void failures_can_stand_as_words(void **state)
{
  (void)state;
  static const char *const yaml[] = {
      "tables: [{id: t, rows: method, columns: [{label: e, value: cost}], failed_as_words: true}]\n",
      "tables: [{id: t, rows: method, columns: [{label: e, value: cost}]}]\n"};
  static const char *const lines[] = {"\na       diverged\nb              7\n", "\na       1!\nb       7\n"};
  for (size_t i = 0; i < 2; ++i) {
    world *w = world_create(yaml[i]);
    world_row(w, "method", word("a"), "status", word("diverged"), "cost", number(1), NULL);
    world_row(w, "method", word("b"), "status", word("ok"), "cost", number(7), NULL);
    expect_part(w, SB_TABLE_TEXT, lines[i]);
    world_destroy(&w);
  }
}

static void two_cases_in_a_cell_are_refused(void **state)
{
  (void)state;
  sb_arena       *arena = sb_arena_create();
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  world          *w = world_create("tables: [{id: t, rows: substeps, columns: drag, cell: blowup_time}]\n");
  for (int i = 0; i < 2; ++i)
    world_row(w, "status", word("ok"), "substeps", number(8), "drag", number(0.5), "blowup_time", number(i), NULL);
  assert_null(sb_sweep_table(&w->results, &w->results.sweep->tables[0], arena, diagnostics));
  assert_non_null(strstr(sb_diagnostics_first_error(diagnostics), "table 't': several cases share a cell"));
  assert_non_null(strstr(sb_diagnostics_first_error(diagnostics), "drag = 0.5"));
  sb_diagnostics_destroy(&diagnostics);
  sb_arena_destroy(&arena);
  world_destroy(&w);
}

static const char flat_yaml[] = "tables: [{id: flat, rows: method, columns: [\n"
                                "  {label: step, unit: ms, value: 1000 * step_median_s}, {value: nnz_factor}, {value: "
                                "residual, format: \"%.1e\"},\n"
                                "  {label: end, value: status}]}]\n";

/* The interval is that of the columns beside the median, to its farther end; NAN: there are too few samples for one. */
static void measure(world *w, const char *method, double median, double half_width, double nnz)
{
  world_row(w, "method", word(method), "status", word("ok"), "step_median_s", number(median), "step_low_s",
            isnan(half_width) ? blank() : number(median * (1 - half_width / 2)), "step_high_s",
            isnan(half_width) ? blank() : number(median * (1 + half_width)), "nnz_factor",
            nnz > 0 ? number(nnz) : blank(), "residual", number(1.26e-11), NULL);
}

static void medians_have_their_interval_and_the_digits_it_supports(void **state)
{
  (void)state;
  world *w = world_create(flat_yaml);
  measure(w, "newton", 0.0012345, 0.15, 123456);
  measure(w, "descent", 0.0012345, 0.0005, 0);
  measure(w, "exact", 0.0012345, 0, 7);
  measure(w, "brief", 0.0012345, NAN, 7);
  world_row(w, "method", word("lost"), "status", word("oom"), NULL);
  expect_form(w, SB_TABLE_TEXT,
              "method         step (ms)  nnz factor  residual  end\n"
              "---------------------------------------------------\n"
              "Newton   1.2 (1.1 … 1.4)      123456   1.3e-11  ok\n"
              "descent   1.234 ± 0.05 %           -   1.3e-11  ok\n"
              "exact               1.23           7   1.3e-11  ok\n"
              "brief                1.2           7   1.3e-11  ok\n"
              "lost              memory      memory    memory  oom\n"
              "---------------------------------------------------\n"
              "±: 95 % interval of the median, in brackets where it is wide\n");
  expect_part(w, SB_TABLE_LATEX, "\nNewton & 1.2 (1.1 \\dots{} 1.4) & 123456 & $1.3\\times10^{-11}$ & ok \\\\");
  expect_part(w, SB_TABLE_CSV, "\nnewton,1.2345,123456,");
  world_destroy(&w);
}

static const char hostile_yaml[] =
    "question: \"$(touch HACKED) | `touch HACKED` \\\\input{/etc/passwd} <b> *x* 50% #1 & ~ ^ {} _y --z\"\n"
    "tables: [{id: t, title: \"a|b\\tc $x$ 'q' \\\"w\\\"\", rows: method,\n"
    "          columns: [{label: \"x | y_z\", value: cost}]}]\n";

static world *hostile_world(void)
{
  world *w = world_create(hostile_yaml);
  world_row(w, "method", word("a|b_c\\d,\"e\"\n$5"), "status", word("ok"), "cost", word("100% {of} it | ω ≤ 中 é"),
            NULL);
  return w;
}

static void hostile_text_is_escaped(void **state)
{
  (void)state;
  world *w = hostile_world();
  expect_part(w, SB_TABLE_LATEX,
              "\\$(touch HACKED) \\textbar{} \\textasciigrave{}touch HACKED\\textasciigrave{} "
              "\\textbackslash{}input\\{/etc/passwd\\} \\textless{}b\\textgreater{} *x* 50\\% \\#1 \\& "
              "\\textasciitilde{} \\textasciicircum{} \\{\\} \\_y -{}-z");
  expect_part(w, SB_TABLE_LATEX, "100\\% \\{of\\} it \\textbar{} $\\omega$ $\\le$ ? é");
  expect_part(w, SB_TABLE_LATEX, "a\\textbar{}b\\_c\\textbackslash{}d,''e'' \\$5");
  expect_part(w, SB_TABLE_MARKDOWN, "| a\\|b_c\\\\d,\"e\" \\$5 | 100% {of} it \\| ω ≤ 中 é |\n");
  expect_form(w, SB_TABLE_CSV, "method,x | y_z\n\"a|b_c\\d,\"\"e\"\"\n$5\",100% {of} it | ω ≤ 中 é\n");
  world_destroy(&w);
}

/* All of ASCII that prints, all letters of U+00C0 to U+017F, half a character, and what else the writer knows. */
static const char *every_character(char text[1024])
{
  size_t used = 0;
  for (int c = ' '; c < 0x7f; ++c) text[used++] = (char)c;
  for (int c = 0xc0; c <= 0x17f; ++c) {
    text[used++] = (char)(0xc0 | c >> 6);
    text[used++] = (char)(0x80 | (c & 0x3f));
  }
  strcpy(text + used, "\xe4\xb8 –—−×·≤≥±≈²³°µμωλκη∞√∇Δ‘’“”…");
  return text;
}

/* A minimal article with both tables goes through pdflatex, where there is one. */
static void latex_compiles(void **state)
{
  (void)state;
  if (system("command -v pdflatex > /dev/null 2>&1 && kpsewhich booktabs.sty > /dev/null 2>&1") != 0) skip();
  char   text[1024];
  world *w = hostile_world(), *other = pivot_world();
  world_row(w, "method", word(every_character(text)), "status", word("ok"), "cost", number(-1.5e-9), NULL);
  other->results.directory = w->directory;
  assert_true(sb_sweep_tables_write(&w->results, NULL) && sb_sweep_tables_write(&other->results, NULL));
  char *path = sb_format("%s/a.tex", w->directory);
  FILE *article = fopen(path, "w");
  assert_non_null(article);
  fputs("\\documentclass{article}\n\\usepackage{booktabs,graphicx}\n\\begin{document}\n"
        "\\input{tables/t}\n\\input{tables/blowup}\n\\end{document}\n",
        article);
  fclose(article);
  char *command =
      sb_format("cd '%s' && pdflatex -halt-on-error -interaction=batchmode a.tex > /dev/null 2>&1", w->directory);
  assert_int_equal(system(command), 0);
  assert_true(world_size(w, "a.pdf") > 1000);
  free(command);
  free(path);
  world_destroy(&other);
  world_destroy(&w);
}

static const char groups_yaml[] =
    "tables: [{id: t, rows: [grid, method],\n"
    "          columns: [{label: mean time of a step, unit: ms, value: cost, best: smallest},\n"
    "                    {label: steps, value: substeps, best: largest}, {label: error, value: drag}]}]\n";

/* In a flat table every column has its own best, among the lines that differ in the last row axis alone; LaTeX says
 * the outer axis once. */
static void the_best_of_a_column_is_that_of_its_group(void **state)
{
  (void)state;
  world *w = world_create(groups_yaml);
#define ROW(g, m, c, s)                                                                                                \
  world_row(w, "grid", number(g), "method", word(m), "status", word("ok"), "cost", number(c), "substeps", number(s),   \
            "drag", number(1e-9), NULL)
  ROW(10, "a", 1.5, 7);
  ROW(10, "b", 2.5, 8);
  ROW(20, "a", 9.5, 8);
  ROW(20, "b", 8.5, 8);
#undef ROW
  expect_part(w, SB_TABLE_MARKDOWN,
              "| 10 | a | **1.50** | 7 | 1.00e-9 |\n| 10 | b | 2.50 | **8** | 1.00e-9 |\n"
              "| 20 | a | 9.50 | **8** | 1.00e-9 |\n| 20 | b | **8.50** | **8** | 1.00e-9 |\n");
  expect_part(w, SB_TABLE_MARKDOWN, "Bold: largest of its column and group, or not to be told from it.\n");
  expect_part(w, SB_TABLE_LATEX, "grid & method & mean time of a step (ms) & steps & error");
  expect_part(w, SB_TABLE_LATEX, "\n & b & 2.50 & \\textbf{\\boldmath 8} & $1.00\\times10^{-9}$ \\\\ % ");
  expect_part(w, SB_TABLE_LATEX, "\n\\addlinespace\n20 & a & 9.50 & ");
  world_destroy(&w);
}

/* Numbers of failed cases are marked and never the best; what has no answer says why, once; a formula's heading is its
 * unit. */
static void doubtful_numbers_and_cells_without_an_answer(void **state)
{
  (void)state;
  world *w = world_create("tables: [{id: t, rows: method, columns: grid, "
                          "cell: \"1000 * cost / cost[grid=10]\", unit: '%'}]\n");
  world_row(w, "method", word("a"), "grid", number(10), "status", word("ok"), "cost", number(2), NULL);
  world_row(w, "method", word("a"), "grid", number(20), "status", word("ok"), "cost", number(4), NULL);
  world_row(w, "method", word("a"), "grid", number(40), "status", word("not_converged"), "cost", number(1), NULL);
  expect_form(w, SB_TABLE_TEXT,
              "        % by grid\n"
              "        ------------------\n"
              "method    10     20    40\n"
              "--------------------------\n"
              "a       1000   2000   500!\n"
              "--------------------------\n"
              "! of a case that did not end ok: not conv.\n");
  world_row(w, "method", word("b"), "grid", number(10), "status", word("ok"), "cost", number(3), NULL);
  expect_part(w, SB_TABLE_MARKDOWN, "| a | n/a | n/a | n/a |\n| b | n/a | – | – |\n");
  expect_part(w, SB_TABLE_MARKDOWN, "\nn/a: ");
  world_destroy(&w);
}

/* Columns may show other cases than the rows': what differs there is no constant. */
static void constants_hold_in_every_column(void **state)
{
  (void)state;
  world *w = world_create("tables: [{id: t, rows: grid, where: drag == 0.1, columns: [\n"
                          "  {label: b, value: \"max(cost[drag=0, grid=grid, substeps=4], 0)\"}]}]\n");
  for (int i = 0; i < 2; ++i)
    world_row(w, "drag", number(i ? 0.1 : 0), "grid", number(8), "substeps", number(4), "status", word("ok"), "cost",
              number(i), NULL);
  expect_part(w, SB_TABLE_TEXT, "substeps = 4");
  refute_part(w, SB_TABLE_TEXT, "drag = 0.1");
  world_destroy(&w);
}

static void an_empty_table_says_so(void **state)
{
  (void)state;
  world *w = world_create("tables: [{id: t, rows: substeps, columns: drag, cell: blowup_time}]\n");
  expect_form(w, SB_TABLE_TEXT, "No case matches.\n");
  expect_form(w, SB_TABLE_CSV, "substeps\n");
  w->results.quick = true;
  expect_form(w, SB_TABLE_TEXT, "A quick run has no case of this table; the whole sweep has.\n");
  world_destroy(&w);
}

/* Who pastes a table into a paper: a caption begins with a capital, and what a pivot of scaled times shows has a name.
 * A symbol in front stays as it is. */
static void captions_are_sentences(void **state)
{
#define TABLE "tables: [{id: t, rows: substeps, columns: drag, cell: 1000 * step_median_s, unit: ms}]\n"
  static const char *const each[][2] = {{"question: how long?\n" TABLE, "\\caption{How long?}"},
                                        {"question: h against k?\n" TABLE, "\\caption{h against"}};
#undef TABLE
  (void)state;
  for (size_t i = 0; i < 2; ++i) {
    world *w = world_create(each[i][0]);
    world_column(w, "step_median_s", "s", false, true);
    world_row(w, "substeps", number(4), "drag", number(0), "status", word("ok"), "step_median_s", number(0.002), NULL);
    expect_part(w, SB_TABLE_LATEX, each[i][1]);
    expect_part(w, SB_TABLE_LATEX, "step median (ms) by drag}");
    world_destroy(&w);
  }
}

static const char timed_yaml[] =
    "tables: [{id: t, rows: substeps, columns: [{value: 1000 * step_median_s, label: step, best: smallest}, "
    "{value: cost, best: smallest}]}]\n";

/* Two cases 9 % apart, in a time and in a number that is none. The second was noisy. */
static world *timed_world(double spread, char *words)
{
  world *w = world_create(timed_yaml);
  world_column(w, "step_median_s", "s", false, true);
  world_column(w, "noisy", "", false, true);
  w->results.floor = (sb_noise_floor){.timings = 7, .spread = spread, .words = words};
  for (int i = 0; i < 2; ++i) {
    const sb_value median = number(i ? 0.00109 : 0.001);
    world_row(w, "status", word("ok"), "substeps", number(i), "step_median_s", median, "step_low_s", median,
              "step_high_s", median, "cost", number(i ? 1.09 : 1.0), "noisy",
              i ? word("waited 9 % for its core") : blank(), NULL);
  }
  return w;
}

/* Of times alone. Noisy ones are marked in every form. */
static void the_noise_floor_decides_ties_of_times(void **state)
{
  (void)state;
  char   words[] = "noise floor 10 %: of a test";
  world *w = timed_world(0.1, words), *other = timed_world(NAN, NULL);
  expect_part(w, SB_TABLE_MARKDOWN, "| 0 | **1.00** | **1.00** |\n| 1 | **1.09** ‡ | 1.09 |");
  expect_part(w, SB_TABLE_MARKDOWN, "\nTimes: noise floor 10 %: of a test\n");
  expect_part(w, SB_TABLE_MARKDOWN, "\n‡: 1 of 2 cases was timed while the machine was noisy; --rerun");
  expect_part(w, SB_TABLE_TEXT, "1.09*~");
  expect_part(w, SB_TABLE_TEXT, "\nTimes: noise floor 10 %: of a test\n");
  expect_part(w, SB_TABLE_LATEX, "\\textbf{\\boldmath 1.09}$^\\ddagger$");
  expect_part(w, SB_TABLE_LATEX, "booktabs,graphicx}\n% Times: noise floor 10 %: of a test\n\\begin{table}");
  expect_part(other, SB_TABLE_MARKDOWN, "| 0 | **1.00** | **1.00** |\n| 1 | 1.09 ‡ | 1.09 |");
  expect_part(other, SB_TABLE_MARKDOWN, "\nTimes: no noise floor: no case was");
  world_destroy(&other);
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_pivot_for_readers),
      cmocka_unit_test(a_pivot_for_programs),
      cmocka_unit_test(names_are_written_as_words),
      cmocka_unit_test(failures_can_stand_as_words),
      cmocka_unit_test(two_cases_in_a_cell_are_refused),
      cmocka_unit_test(medians_have_their_interval_and_the_digits_it_supports),
      cmocka_unit_test(hostile_text_is_escaped),
      cmocka_unit_test(latex_compiles),
      cmocka_unit_test(the_best_of_a_column_is_that_of_its_group),
      cmocka_unit_test(doubtful_numbers_and_cells_without_an_answer),
      cmocka_unit_test(constants_hold_in_every_column),
      cmocka_unit_test(captions_are_sentences),
      cmocka_unit_test(an_empty_table_says_so),
      cmocka_unit_test(the_noise_floor_decides_ties_of_times),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
