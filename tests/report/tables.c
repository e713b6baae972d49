/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables in their forms against what they should be to the byte: those of a sweep, grids that know nothing of one, and
 * what must not pass. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/report/report_text.h"
#include "harness/results/timing_notes.h"
#include "tests/cmocka_all.h"
#include "tests/report/world.h"

/* Results from text: names of columns, separated by semicolons, each with its unit behind a bar and * where it is a
 * timing; then a line a case, in which \a is a line break. */
static world *world_of(const char *yaml, const char *rows)
{
  world      *w = world_create(yaml);
  sb_rows    *into = w->results.rows;
  const char *line = strchr(rows, '\n') + 1;
  for (const char *at = rows; at < line; at += strcspn(at, ";\n") + 1) {
    char *name = strndup(at, strcspn(at, ";*\n")), *bar = strchr(name, '|');
    if (bar) *bar = '\0';
    sb_rows_add_column(into, name, bar ? bar + 1 : "", false, at[strcspn(at, ";*\n")] == '*');
    free(name);
  }
  for (size_t column = 0; *line; line += strcspn(line, ";\n") + 1) {
    char *text = strndup(line, strcspn(line, ";\n")), *end = strchr(text, '\a');
    if (end) *end = '\n';
    const double value = strtod(text, &end);
    if (column == 0) world_row(w, NULL);
    sb_rows_set(into, sb_rows_count(into) - 1, column, !*text ? blank() : *end ? word(text) : number(value));
    column = line[strcspn(line, ";\n")] == ';' ? column + 1 : 0;
    free(text);
  }
  return w;
}

static const char pivot_yaml[] =
    "question: How long?\n"
    "source: rope exercise\n"
    "defaults: {scene: rope, nodes: 16, stiffness: 100}\n"
    "tables: [{id: blowup, title: Blow-up of a rope, rows: substeps, columns: drag, cell: blowup_time, unit: s,\n"
    "          where: integrator == explicit_euler, note: ok means it survived.}]\n";
/* Out of order, with a failure, an ok without a number, a hole, and a row that where: leaves out. */
static const char pivot_rows[] = "integrator;substeps;drag|kg/s;status;blowup_time|s\n"
                                 "explicit_euler;64;0;diverged;10.61\n"
                                 "explicit_euler;64;0.01;diverged;10.75\n"
                                 "explicit_euler;64;0.001;diverged;12.25\n"
                                 "explicit_euler;4;0.001;timeout;\n"
                                 "explicit_euler;4;0;diverged;0.5\n"
                                 "symplectic_euler;4;0;diverged;3\n"
                                 "explicit_euler;256;0;not_converged;\n"
                                 "explicit_euler;256;0.001;diverged;181.25\n"
                                 "explicit_euler;256;0.01;ok;\n";
static const char hostile_yaml[] =
    "question: \"$(touch HACKED) | `touch HACKED` \\\\input{/etc/passwd} <b> *x* 50% #1 & ~ ^ {} _y --z\"\n"
    "tables: [{id: t, title: \"a|b\\tc $x$ 'q' \\\"w\\\"\", rows: method,\n"
    "          columns: [{label: \"x | y_z\", value: cost}]}]\n";
static const char hostile_rows[] = "method;status;cost\na|b_c\\d,\"e\"\a$5;ok;100% {of} it | ω ≤ 中 é\n";

#define FORMULA "tables: [{id: t, rows: method, columns: grid, cell: \"1000 * cost / cost[grid=10]\", unit: '%'}]\n"
#define SCALED  "tables: [{id: t, rows: substeps, columns: drag, cell: 1000 * step_median_s, unit: ms}]\n"
/* A case that ended ok and has no value shows what the table wants there; how another ended is seen all the same. */
#define BLANK(as) "tables: [{id: t, rows: substeps, columns: drag, cell: blowup_time, blank: \"" as "\"}]\n"
#define EMPTY     "tables: [{id: t, rows: substeps, columns: drag, cell: blowup_time}]\n"

static const struct {
  const char *yaml, *rows;
  const char *whole[SB_TABLE_LATEX + 1], *parts[SB_TABLE_LATEX + 1][5]; /* by form */
  const char *absent;                                                   /* from the text */
} tables[] = {
    {"defaults: {gradient_tolerance: auto, gravity: \"[0,0,-9.8]\"}\n"
     "tables: [{id: t, rows: method, columns: [{label: steps, value: steps_done}]}]\n",
     "method;status;gradient_tolerance|N;gravity|m/s^2;steps_done\na;ok;auto;[0,0,-9.8];7\n",
     .parts = {{"Constant: gradient tolerance = auto, gravity = [0,0,-9.8] m/s^2\n"}}},
    {"tables: [{id: t, rows: method, columns: [{label: steps, value: steps_done}]}]\n",
     "method;status;linear;linear_used;steps_done\na;ok;panel;MUMPS;7\nb;ok;panel;;7\nc;ok;lu;MUMPS;7\n"
     "d;ok;petsc;hypre;7\n",
     .parts = {{"Solved by: MUMPS in 2 of 4 cases, instead of panel, lu\n"}}},
    {"tables: [{id: t, rows: method, columns: [{label: steps, value: steps_done}]}]\n",
     "method;status;linear;linear_used;steps_done\nb;ok;panel;;7\n", .absent = "Solved by"},
    /* A line of all seeds, one of which has no value; no number of a drag gets into the line of another. */
    {"tables: [{id: t, rows: drag, over: seed, columns: [{label: runs, value: count(cost)},\n"
     "          {label: least, value: min(cost)}, {label: q1, value: lower_quartile(cost)},\n"
     "          {label: middle, value: median(cost)}, {label: twice, value: 2 * max(cost)}]}]\n",
     "drag;seed;status;cost\n1;1;ok;3\n0;2;ok;10\n0;1;ok;4\n1;2;ok;5\n0;3;ok;6\n0;4;ok;\n",
     .parts = {{"drag  runs  least    q1  middle  twice\n", "   0     3      4  5.00       6     20\n",
                "   1     2      3  3.50       4     10\n"}}},
    /* An exponent: that of the line through the points of all drags. */
    {"tables: [{id: t, rows: substeps, over: drag,\n"
     "          columns: [{label: p, value: \"slope(log(blowup_time), log(drag))\", format: \"%.2f\"}]}]\n",
     "substeps;drag;status;blowup_time\n4;1;ok;3\n4;2;ok;12\n4;4;ok;48\n8;1;ok;5\n8;4;ok;20\n",
     .parts = {{"       4  2.00\n", "       8  1.00\n"}}},
    /* Equal values have no ranks. */
    {"tables: [{id: t, rows: substeps, over: drag,\n"
     "          columns: [{label: r, value: \"rank_correlation(blowup_time, drag)\", format: \"%.2f\"}]}]\n",
     "substeps;drag;status;blowup_time\n4;1;ok;0\n4;2;ok;0\n8;1;ok;5\n8;4;ok;20\n",
     .parts = {{"       4  undefined\n", "       8       1.00\n"}}},
    {BLANK("-"), "substeps;drag;status;blowup_time\n4;0;ok;\n4;1;ok;3\n8;0;contact_unresolved;\n8;1;ok;5\n",
     .parts = {{"       4           -  3\n", "       8  unresolved  5\n"}, {"| 4 | – | 3 |\n"}}, .absent = "ok"},
    {BLANK("never"), "substeps;drag;status;blowup_time\n4;0;ok;\n4;1;ok;3\n", .parts = {{"       4  never  3\n"}},
     .absent = "ok"},
    {pivot_yaml, pivot_rows,
     .whole = {"Blow-up of a rope\n"
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
               "! for a case that did not end ok: diverged\n"
               "Constant: scene = rope, nodes = 16, stiffness = 100 N/m, integrator = explicit Euler\n"
               "Source: rope exercise\n"
               "ok means it survived.\n",
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
               "†: for a case that did not end ok: diverged.\n"
               "\n"
               "Constant: scene = rope, nodes = 16, stiffness = 100 N/m, integrator = explicit Euler\n"
               "\n"
               "Source: rope exercise\n"
               "\n"
               "ok means it survived.\n"
               "\n",
               "substeps,blowup_time (s) at drag = 0,blowup_time (s) at drag = 0.001,blowup_time (s) at drag = 0.01\n"
               "4,0.5,timeout,\n"
               "64,10.61,12.25,10.75\n"
               "256,not conv.,181.25,ok\n",
               "% needs \\usepackage{array,booktabs}\n"
               "% How long?\n"
               "\\begin{table}\n"
               "\\centering\n"
               "\\caption{Blow-up of a rope}\n"
               "\\label{tab:made_by_hand:blowup}\n"
               "\\medskip\n"
               "\\begin{tabular}{@{}rr@{}lr@{}lr@{}l@{}}\n"
               "\\toprule\n"
               "& \\multicolumn{6}{c}{blow-up time (s) by drag (kg/s)} \\\\\n"
               "\\cmidrule(l){2-7}\n"
               "substeps & \\multicolumn{2}{c}{0} & \\multicolumn{2}{c}{0.001} & \\multicolumn{2}{c}{0.01} \\\\\n"
               "\\midrule\n"
               "4 & 0 & .500$^\\dagger$ & \\multicolumn{2}{c}{timeout} & \\multicolumn{2}{c}{--} \\\\ "
               "% 0000000000000005 0000000000000004\n"
               "64 & 10 & .6$^\\dagger$ & 12 & .2$^\\dagger$ & 10 & .8$^\\dagger$ \\\\ "
               "% 0000000000000001 0000000000000003 0000000000000002\n"
               "256 & \\multicolumn{2}{c}{not conv.} & 181 & $^\\dagger$ & \\multicolumn{2}{c}{ok} \\\\ "
               "% 0000000000000007 0000000000000008 0000000000000009\n"
               "\\bottomrule\n"
               "\\end{tabular}\n"
               "\\par\\smallskip\n"
               "\\begin{minipage}{\\linewidth}\\footnotesize\n"
               "Constant: scene = rope, nodes = 16, stiffness = 100 N/m, integrator = explicit Euler. Source: rope "
               "exercise. ok means it survived. $\\dagger$: for a case that did not end ok: diverged.\n"
               "\\end{minipage}\n"
               "\\end{table}\n"}},
    /* Names become words wherever people read them, and stay names in CSV. */
    {"words: {substeps: time step, substeps=4: 0.25, drag=0: none}\n"
     "tables: [{id: t, rows: [integrator, substeps], columns: drag, cell: cost, label: price, unit: EUR}]\n",
     "integrator;substeps;drag;status;cost\nstoermer_verlet;4;0;ok;7\nrk4;8;1;ok;9\n",
     .whole = {[SB_TABLE_TEXT] = "                           price (EUR) by drag\n"
                                 "                           -------\n"
                                 "integrator      time step  none  1\n"
                                 "----------------------------------\n"
                                 "Störmer-Verlet       0.25     7  -\n"
                                 "Runge-Kutta 4           8     -  9\n"
                                 "----------------------------------\n",
               [SB_TABLE_CSV] = "integrator,substeps,price (EUR) at drag = 0,price (EUR) at drag = 1\n"
                                "stoermer_verlet,4,7,\n"
                                "rk4,8,,9\n"}},
    /* A number of a run that failed may mean nothing: a table can ask for how it ended instead. */
    {"tables: [{id: t, rows: method, columns: [{label: e, value: cost}], failed_as_words: true}]\n",
     "method;status;cost\na;diverged;1\nb;ok;7\n",
     .parts = {[SB_TABLE_TEXT] = {"\na       diverged\nb              7\n"}}},
    {"tables: [{id: t, rows: method, columns: [{label: e, value: cost}]}]\n",
     "method;status;cost\na;diverged;1\nb;ok;7\n", .parts = {[SB_TABLE_TEXT] = {"\na       1!\nb       7\n"}}},
    /* A ratio of two that failed says how both did. */
    {"methods: {a: {drag: 1}, b: {drag: 2}}\n"
     "tables: [{id: t, rows: method, columns: [{label: e, value: \"cost / cost[method=b]\"}], where: method == a}]\n",
     "method;status;cost\na;diverged;1\nb;timeout;2\n",
     .parts = {[SB_TABLE_TEXT] = {"\na       0.500!\n", "\n! for a case that did not end ok: diverged, timeout\n"}}},
    /* Medians have their interval, to its farther end, and the digits it supports; of too few samples there is none. */
    {"tables: [{id: flat, rows: method, columns: [{label: step, unit: ms, value: 1000 * step_median_s},\n"
     "  {value: nnz_factor}, {value: residual, format: \"%.1e\"}, {label: end, value: status}]}]\n",
     "method;status;step_median_s;step_low_s;step_high_s;nnz_factor;residual\n"
     "newton;ok;0.0012345;0.0011419125;0.001419675;123456;1.26e-11\n"
     "descent;ok;0.0012345;0.001234191375;0.00123511725;;1.26e-11\n"
     "exact;ok;0.0012345;0.0012345;0.0012345;7;1.26e-11\n"
     "brief;ok;0.0012345;;;7;1.26e-11\n"
     "lost;oom;;;;;\n",
     .whole = {[SB_TABLE_TEXT] = "method         step (ms)  nnz factor  residual  end\n"
                                 "---------------------------------------------------\n"
                                 "Newton   1.2 (1.1 … 1.4)      123456   1.3e-11  ok\n"
                                 "descent   1.234 ± 0.05 %           -   1.3e-11  ok\n"
                                 "exact               1.23           7   1.3e-11  ok\n"
                                 "brief                1.2           7   1.3e-11  ok\n"
                                 "lost              memory      memory    memory  oom\n"
                                 "---------------------------------------------------\n"
                                 "±: 95 % interval of the median, in brackets if it is wide\n"},
     .parts = {[SB_TABLE_LATEX] =
                   {"{@{}lr@{}l@{ }lrr@{}ll@{}}\n", "\nmethod & \\multicolumn{2}{c}{step} & 95 \\% & factor & ",
                    "\n & \\multicolumn{2}{c}{(ms)} & &  & ",
                    "\nNewton & 1 & .2 & (1.1 \\dots{} 1.4) & 123456 & 1 & .3${}\\times10^{-11}$ & ok \\\\",
                    "\nexact & 1 & .23 &  & 7 & 1 & "},
               [SB_TABLE_CSV] = {"\nnewton,1.2345,123456,"}}},
    {"tables: [{id: t, rows: method, columns: [{label: step, unit: ms, value: 1000 * step_median_s}]}]\n",
     "method;status;step_median_s;step_low_s;step_high_s\na;ok;0.0012345;0.001197465;0.001271535\n",
     .parts = {{"a       1.2 ± 3 %\n"}}},
    /* A failed case is marked, whatever of it a number reads; a single number is not the best of several. */
    {"tables: [{id: t, rows: method, columns: [{label: two, value: 1 + 1, best: smallest}]}]\n",
     "method;status\na;diverged\nb;ok\n", .parts = {{"a         2!\n"}}, .absent = "*"},
    /* A value that differs in the last case is no constant; columns of a pivot ascend, in any order of the cases. */
    {"defaults: {nodes: 16}\ntables: [{id: t, rows: method, columns: [{label: e, value: cost}]}]\n",
     "method;status;nodes;cost\na;ok;16;1\nb;ok;16;1\nc;ok;32;1\n", .absent = "nodes"},
    {EMPTY, "substeps;drag;status;blowup_time\n4;1;ok;3\n8;0;ok;5\n",
     .parts = {{"substeps  0  1\n", "       4  -  3\n", "       8  5  -\n"}}},
    {hostile_yaml, hostile_rows,
     .whole = {[SB_TABLE_CSV] = "method,x | y_z\n\"a|b_c\\d,\"\"e\"\"\n$5\",100% {of} it | ω ≤ 中 é\n"},
     .parts =
         {[SB_TABLE_LATEX] = {"\\$(touch HACKED) \\textbar{} \\textasciigrave{}touch HACKED\\textasciigrave{} "
                              "\\textbackslash{}input\\{/etc/passwd\\} \\textless{}b\\textgreater{} *x* 50\\% \\#1 \\& "
                              "\\textasciitilde{} \\textasciicircum{} \\{\\} \\_y -{}-z",
                              "100\\% \\{of\\} it \\textbar{} $\\omega$ $\\le$ ? é",
                              "a\\textbar{}b\\_c\\textbackslash{}d,''e'' \\$5"},
          [SB_TABLE_MARKDOWN] = {"| a\\|b_c\\\\d,\"e\" \\$5 | 100% {of} it \\| ω ≤ 中 é |\n"}}},
    /* In a flat table every column has its own best, among the lines that differ in the last row axis alone; LaTeX says
     * the outer axis once. */
    {"tables: [{id: t, rows: [grid, method],\n"
     "          columns: [{label: mean time of a step, unit: ms, value: cost, best: smallest},\n"
     "                    {label: steps, value: substeps, best: largest}, {label: error, value: drag}]}]\n",
     "grid;method;status;cost;substeps;drag\n"
     "10;a;ok;1.5;7;1e-9\n10;b;ok;2.5;8;1e-9\n20;a;ok;9.5;8;1e-9\n20;b;ok;8.5;8;1e-9\n",
     .parts = {[SB_TABLE_MARKDOWN] = {"| 10 | a | **1.50** | 7 | 1.00e-9 |\n| 10 | b | 2.50 | **8** | 1.00e-9 |\n"
                                      "| 20 | a | 9.50 | **8** | 1.00e-9 |\n| 20 | b | **8.50** | **8** | 1.00e-9 |\n",
                                      "Bold: smallest (mean time of a step) or largest (steps) of its column and "
                                      "group, or indistinguishable from it.\n"},
               [SB_TABLE_LATEX] =
                   {" &  & \\multicolumn{2}{c}{mean time} &  & \\multicolumn{2}{c}{} \\\\\n"
                    "grid & method & \\multicolumn{2}{c}{of a step} & steps & \\multicolumn{2}{c}{error} \\\\\n"
                    " &  & \\multicolumn{2}{c}{(ms)} &  & \\multicolumn{2}{c}{} \\\\\n",
                    "\n & b & 2 & .50 & \\textbf{\\boldmath 8} & 1 & .00${}\\times10^{-9}$ \\\\ % ",
                    "\n\\addlinespace\n20 & a & 9 & .50 & "}}},
    /* Numbers of failed cases are marked; a formula's heading is its unit; what has no answer says why, once. */
    {FORMULA, "method;grid;status;cost\na;10;ok;2\na;20;ok;4\na;40;not_converged;1\n",
     .whole = {[SB_TABLE_TEXT] = "        % by grid\n"
                                 "        ------------------\n"
                                 "method    10     20    40\n"
                                 "--------------------------\n"
                                 "a       1000   2000   500!\n"
                                 "--------------------------\n"
                                 "! for a case that did not end ok: not converged\n"}},
    {FORMULA, "method;grid;status;cost\na;10;ok;2\na;20;ok;4\na;40;not_converged;1\nb;10;ok;3\n",
     .parts = {[SB_TABLE_MARKDOWN] = {"| a | n/a | n/a | n/a |\n| b | n/a | – | – |\n", "\nn/a: "}}},
    /* Columns may show other cases than the rows': what differs there is no constant. */
    {"tables: [{id: t, rows: grid, where: drag == 0.1, columns: [\n"
     "  {label: b, value: \"max(cost[drag=0, grid=grid, substeps=4], 0)\"}]}]\n",
     "drag;grid;substeps;status;cost\n0;8;4;ok;0\n0.1;8;4;ok;1\n", .parts = {[SB_TABLE_TEXT] = {"substeps = 4"}},
     .absent = "drag = 0.1"},
    /* For pasting into a paper: a caption begins with a capital, and the cells of a pivot of scaled times have a name.
       A symbol in front stays as it is. */
    {"question: how long?\n" SCALED, "step_median_s|s*;substeps;drag;status\n0.002;4;0;ok\n",
     .parts = {[SB_TABLE_LATEX] = {"\\caption{How long?}", "step median (ms) by drag}"}}},
    {"question: h against k?\n" SCALED, "step_median_s|s*;substeps;drag;status\n0.002;4;0;ok\n",
     .parts = {[SB_TABLE_LATEX] = {"\\caption{h against"}}},
    {"tables: [{id: t, columns: drag, cell: blowup_time}]\n", "drag\n",
     .parts =
         {[SB_TABLE_LATEX] = {"{@{}l@{}}\n\\toprule\n\\multicolumn{1}{@{}l}{No case matches.} \\\\\n\\bottomrule\n"}}},
    {EMPTY, "substeps\n", .whole = {[SB_TABLE_TEXT] = "No case matches.\n", [SB_TABLE_CSV] = "substeps\n"}},
};

static void tables_of_sweeps(void)
{
  for (size_t i = 0; i < sizeof tables / sizeof *tables; ++i) {
    world *w = world_of(tables[i].yaml, tables[i].rows);
    for (sb_table_form form = SB_TABLE_TEXT; form <= SB_TABLE_LATEX; ++form) {
      char *text = world_table(w, form);
      if (tables[i].whole[form]) assert_string_equal(text, tables[i].whole[form]);
      if (form == SB_TABLE_TEXT && tables[i].absent) assert_null(strstr(text, tables[i].absent));
      assert_has_all(text, tables[i].parts[form]);
    }
    world_destroy(&w);
  }
}

static void an_empty_table_of_a_quick_run_says_so(void)
{
  world *w = world_of(EMPTY, "substeps\n");
  w->results.quick = true;
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "A quick run has no case of this table; the whole sweep has.\n");
  world_destroy(&w);
}

static void two_cases_in_a_cell_are_refused(void)
{
  sb_arena       *arena = sb_arena_create();
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  world          *w = world_of(EMPTY, "status;substeps;drag;blowup_time\nok;8;0.5;0\nok;8;0.5;1\n");
  assert_null(sb_sweep_table(&w->results, &w->results.sweep->tables[0], arena, diagnostics));
  ASSERT_HAS(sb_diagnostics_first_error(diagnostics), "table 't': several cases share a cell", "drag = 0.5");
  sb_diagnostics_destroy(&diagnostics);
  sb_arena_destroy(&arena);
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

/* Tables become files, and a minimal article with two of them goes through pdflatex, where there is one. */
static void files_are_written_and_latex_compiles(void)
{
  char   text[1024];
  world *w = world_of(hostile_yaml, hostile_rows), *other = world_of(pivot_yaml, pivot_rows);
  world_row(w, "method", word(every_character(text)), "status", word("ok"), "cost", number(-1.5e-9), NULL);
  other->results.directory = w->directory;
  assert_true(sb_sweep_tables_write(&w->results, NULL) && sb_sweep_tables_write(&other->results, NULL));
  static const char *const files[] = {"tables/blowup.txt", "tables/blowup.md", "tables/blowup.csv", "tables/t.tex"};
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i) assert_true(world_size(w, files[i]) > 0);
  assert_int_equal(sb_page_write_sweep(&other->results), SB_PAGE_WRITTEN);
  ASSERT_HAS(world_read(w, "tables.tex"), SB_PAGE_TEX_MARK, "\\input{tables/blowup}\n\\end{document}\n");
  if (system("command -v pdflatex > /dev/null 2>&1 && kpsewhich booktabs.sty > /dev/null 2>&1") == 0) {
    sprintf(text, "cd '%s' && sed -i 's#^.input{tables/blowup}#\\\\input{tables/t}&#' tables.tex", w->directory);
    assert_int_equal(system(text), 0);
    sprintf(text, "cd '%s' && pdflatex -halt-on-error -interaction=batchmode tables.tex > /dev/null 2>&1",
            w->directory);
    assert_int_equal(system(text), 0);
    assert_true(world_size(w, "tables.pdf") > 1000);
  } else
    print_message("not tested: no pdflatex with booktabs\n");
  world_destroy(&other);
  world_destroy(&w);
}

/* Columns of times with intervals behind long names: no line of the article is wider than its page, and no table
 * longer.
 */
static void expect_pages(int columns, int rows, const char *const *has)
{
  static const char yaml[] = "tables: [{id: t, rows: [method, seed], columns: substeps, cell: 1000 * step_median_s}]\n";
  const size_t      room = 200 + 160 * (size_t)(columns * rows);
  char             *text = sb_allocate(room, 1), line[512];
  size_t length = (size_t)sprintf(text, "status;method;seed;substeps;step_median_s|s*;step_low_s;step_high_s\n");
  for (int i = 0; i < columns * rows; ++i)
    length += (size_t)sprintf(text + length, "ok;%s;%d;%d;0.0%d23456;0.0%d23446;0.0%d23466\n",
                              i / columns % 2 ? "10 local-global iterations, 20 passes of Jacobi each"
                                              : "10 local-global iterations, CG with ICC(0)",
                              i / columns / 2, 1000 * (i % columns), i + 1, i + 1, i + 1);
  world *w = world_of(yaml, text);
  assert_true(sb_sweep_tables_write(&w->results, NULL));
  assert_int_equal(sb_page_write_sweep(&w->results), SB_PAGE_WRITTEN);
  for (; *has; ++has) ASSERT_HAS(world_read(w, "tables/t.tex"), *has);
  if (system("command -v pdflatex > /dev/null 2>&1 && kpsewhich booktabs.sty > /dev/null 2>&1") == 0) {
    sprintf(
        line,
        "cd '%s' && pdflatex -interaction=batchmode tables.tex > /dev/null && ! grep 'Overfull\\|too large' tables.log",
        w->directory);
    assert_int_equal(system(line), 0);
  }
  world_destroy(&w);
  free(text);
}

static void wide_tables_fit_a_page_of_latex(void)
{
  expect_pages(5, 2, (const char *const[]){"\\begin{tabular}{@{}>{\\raggedright\\arraybackslash}p{", NULL});
  expect_pages(14, 4, (const char *const[]){"\\end{tabular}\n\n\\medskip\n\\begin{tabular}", NULL});
  expect_pages(3, 160, (const char *const[]){"\\end{table}\n\\begin{table}", " (continued)}", NULL});
}

/* Ties are of times only: two cases 9 % apart, in a time and in another number. Noisy ones are marked in every form. */
static void the_noise_floor_decides_ties_of_times(void)
{
  static const char yaml[] =
      "tables: [{id: t, rows: substeps, columns: [\n"
      "  {value: 1000 * step_median_s, label: step, best: smallest}, {value: cost, best: smallest}]}]\n";
  static const char rows[] = "status;substeps;step_median_s|s*;step_low_s;step_high_s;cost;noisy|*\n"
                             "ok;0;0.001;0.001;0.001;1;\n"
                             "ok;1;0.00109;0.00109;0.00109;1.09;waited 9 % for its core\n";
  char              words[] = "noise floor 10 %: of a test";
  world            *w = world_of(yaml, rows), *other = world_of(yaml, rows);
  w->results.floor = (sb_noise_floor){.timings = 7, .spread = 0.1, .words = words};
  other->results.floor = (sb_noise_floor){.timings = 7, .spread = NAN};
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| 0 | **1.00** | **1.00** |\n| 1 | **1.09** ‡ | 1.09 |",
             "\nTimes: noise floor 10 %: of a test\n",
             "\n‡: 1 of 2 cases was timed while the machine was noisy (noise floor 10 %).\n");
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "1.09*~", "\nTimes: noise floor 10 %: of a test\n");
  ASSERT_HAS(world_table(w, SB_TABLE_LATEX), "\\textbf{\\boldmath 1} & \\textbf{\\boldmath .09}$^\\ddagger$",
             "booktabs}\n% Again: --rerun noisy times it again\n% Times: noise floor 10 %: of a "
             "test\n\\begin{table}");
  ASSERT_HAS(world_table(other, SB_TABLE_MARKDOWN), "| 0 | **1.00** | **1.00** |\n| 1 | 1.09 ‡ | 1.09 |",
             "\nTimes: no noise floor: no case was");
  world_destroy(&other);
  world_destroy(&w);
}

/* Three groups of times (1: all noisy; 2 and 3: some), and a column of other numbers. */
static void without_a_noise_floor_a_noisy_time_is_not_the_best(void)
{
  static const char yaml[] =
      "tables: [{id: t, rows: [substeps, method], columns: [\n"
      "  {value: 1000 * step_median_s, label: step, best: smallest}, {value: cost, best: smallest}]}]\n";
  static const char rows[] =
      "status;substeps;method;step_median_s|s*;step_low_s;step_high_s;cost;noisy|*\n"
      "ok;1;a;0.001;0.001;0.001;7;busy\nok;1;b;0.002;0.002;0.002;8;busy\nok;1;c;0.003;0.003;0.003;9;busy\n"
      "ok;2;a;0.004;0.004;0.004;7;busy\nok;2;b;0.005;0.005;0.005;8;\nok;2;c;0.006;0.006;0.006;9;\n"
      "ok;3;a;0.009;0.009;0.009;7;busy\nok;3;b;0.007;0.007;0.007;8;\nok;3;c;0.0071;0.0071;0.0071;9;busy\n";
  char   words[] = "noise floor 10 %: of a test";
  world *w = world_of(yaml, rows);
  ASSERT_HAS(world_table(w, SB_TABLE_CSV), "1,a,1,7");
  w->results.floor = (sb_noise_floor){.timings = 0, .spread = NAN};
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "Without a noise floor, no time is marked as the best where that");
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| 1 | a | 1.00 ‡ | **7** |\n| 1 | b | 2.00 ‡ | 8 |",
             "| 2 | a | 4.00 ‡ | **7** |\n| 2 | b | 5.00 | 8 |\n| 2 | c | 6.00 | 9 |",
             "| 3 | a | 9.00 ‡ | **7** |\n| 3 | b | **7.00** | 8 |\n| 3 | c | **7.10** ‡ | 9 |");
  w->results.floor = (sb_noise_floor){.timings = 3, .noisy = 3, .spread = NAN, .words = words};
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| 1 | a | 1.00 ‡ | **7** |");
  w->results.floor = (sb_noise_floor){.timings = 7, .spread = 0.1, .words = words};
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| 1 | a | **1.00** ‡ | **7** |", "| 2 | a | **4.00** ‡ | **7** |");
  assert_null(strstr(world_table(w, SB_TABLE_TEXT), "Without a noise floor"));
  world_destroy(&w);
}

/* As for an option that a case does not read. */
static void a_blank_stands_before_numbers(void)
{
  world *w = world_of("tables: [{id: t, rows: substeps, columns: [{value: error}]}]\n",
                      "status;substeps;error\nok;3;7\nok;;8\nok;-1;9\n");
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| – | 8 |\n| -1 | 9 |\n| 3 | 7 |\n");
  world_destroy(&w);
}

/* Below a table that shows them, or other values of their cases. */
static void devices_are_named(void)
{
  static const char yaml[] = "tables: [{id: t, rows: substeps, columns: [{value: error}]}]\n";
  static const char rows[] = "status;substeps;error;device_used;device_gpu\n"
                             "ok;1;2;a card, driver 5;1\nok;2;3;pthread, driver 3.1, 2 threads;0\nok;3;4;;\n";
  world            *w = world_of(yaml, rows), *gpu = world_of(yaml, "status;substeps;error;device_used;device_gpu\n"
                                                                               "ok;1;2;a card, driver 5;1\n");
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN),
             "Device: a card, driver 5 in 1 of 3 cases; pthread, driver 3.1, 2 threads (not a GPU) in 1 of 3 cases; "
             "times of a device that is not a GPU decide no claim");
  ASSERT_HAS(world_table(gpu, SB_TABLE_LATEX), "Device: a card, driver 5 in 1 of 1 case");
  assert_null(strstr(world_table(gpu, SB_TABLE_MARKDOWN), "not a GPU"));
  world *half = world_of("tables: [{id: t, rows: substeps, columns: [{value: error}], where: substeps > 1}]\n", rows);
  ASSERT_HAS(world_table(half, SB_TABLE_MARKDOWN),
             "Device: pthread, driver 3.1, 2 threads (not a GPU) in 1 of 2 cases; times of");
  world_destroy(&half);
  world_destroy(&gpu);
  world_destroy(&w);
}

static const char ratio_yaml[] =
    "methods: {a: {drag: 1}, b: {drag: 2}, c: {drag: 3}}\n"
    "tables: [{id: t, rows: method, columns: [{label: step, value: step_median_s, best: smallest},\n"
    "          {label: ratio, value: \"step_median_s / step_median_s[method=b]\", best: largest},\n"
    "          {label: steps, value: steps_done}]}]\n";

/* A ratio is made of two cases, and has the marks of both. A case that missed its tolerance is not the best. */
static void a_number_has_the_marks_of_all_cases_it_is_made_of(void)
{
  world *w = world_of(ratio_yaml, "method;status;step_median_s|s*;steps_done;noisy|*\n"
                                  "a;ok;2.5;7;\nb;not_converged;1.5;5;waited\nc;ok;3.5;9;\n");
  w->results.floor = (sb_noise_floor){.timings = 7, .spread = 2.1, .words = (char[]){"noise floor 210 %"}};
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN),
             "| a | **2.5** | 1.7 † ‡ | 7 |\n| b | 1.5 † ‡ | 1.0 † ‡ | 5 † |\n| c | **3.5** | 2.3 † ‡ | 9 |\n",
             "†: for a case that did not end ok: not converged.\n",
             "‡: 1 of 3 cases was timed while the machine was noisy (noise floor 210 %).\n",
             "Again: \\--rerun noisy times it again\n",
             "Bold: smallest of its column, or indistinguishable from it; cases that did not end ok do not compete.");
  world_destroy(&w);
}

/* Times of another build than most are marked, and are no best; numbers that are no times are what they are. */
static void times_of_another_build_are_marked(void)
{
  sb_case_origin origins[] = {{"one", "here", NULL}, {"two", "here", NULL}, {"one", "here", NULL}};
  world         *w = world_of(ratio_yaml, "method;status;step_median_s|s*;steps_done;noisy|*\n"
                                                  "a;ok;2.5;7;\nb;ok;1.5;5;\nc;ok;3.5;9;\n");
  w->results.origins = origins;
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| a | **2.5** | 1.7 § | 7 |\n| b | 1.5 § | 1.0 § | 5 |\n",
             "\n§: 1 of 3 cases was run by another build than the rest (1 by two; the rest by one).\n",
             "Again: \\--rerun stale runs ", "times of another build or machine do not compete.");
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "1.5 §");
  ASSERT_HAS(world_table(w, SB_TABLE_LATEX), " & 1 & .5$^\\S$", "\\S: 1 of 3 cases", "% Again: --rerun stale");
  assert_null(strstr(strstr(world_table(w, SB_TABLE_LATEX), "\\begin{table}"), "--rerun")); /* only in a comment */
  origins[1] = (sb_case_origin){"one", "elsewhere", NULL};
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "§ 1 of 3 cases was run on another machine than the rest (1 on elsewhere;",
             "\nAgain: --rerun stale runs cases of other builds and machines again\n");
  origins[1] = origins[0];
  assert_null(strstr(world_table(w, SB_TABLE_TEXT), "§"));
  /* Nodes of a cluster are alike, so that their hosts count; an unknown host may be any. */
  for (size_t i = 0; i < 3; ++i) origins[i].host = i == 1 ? "n2" : "n1";
  ASSERT_HAS(world_table(w, SB_TABLE_MARKDOWN), "| b | 1.5 § |",
             "§: 1 of 3 cases was run on another host than the rest (1 on host n2; the rest on host n1).",
             "Again: \\--rerun all runs all of them on one host");
  origins[1].build = "two";
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "by another build and on another host than the rest (1 by two on host n2;");
  origins[1] = (sb_case_origin){"one", "elsewhere", "n3"};
  origins[2].host = "n2";
  ASSERT_HAS(world_table(w, SB_TABLE_TEXT), "(1 on here, host n1, 1 on elsewhere, host n3, 1 on here, host\n");
  origins[1] = (sb_case_origin){"one", "here", NULL};
  origins[2].host = "n1";
  assert_null(strstr(world_table(w, SB_TABLE_TEXT), "§"));
  world_destroy(&w);
}

/* If no build has most of the cases, none of them is marked as another build, and none is the best. */
static void of_two_builds_with_as_many_cases_neither_is_the_other(void)
{
  sb_case_origin origins[] = {{"one", "here", NULL},
                              {"two", "here", NULL},
                              {"two", "here", NULL},
                              {"one", "here", NULL},
                              {"six", "there", NULL}};
  world         *w = world_of(ratio_yaml, "method;status;step_median_s|s*;steps_done;noisy|*\n"
                                                  "a;ok;2.5;7;\nb;ok;1.5;5;\nc;ok;3.5;9;\nd;ok;4.5;8;\ne;ok;5;8;\n");
  bool           taken[5] = {true, true, true, true, false};
  w->results.origins = origins;
  assert_string_equal(sb_timing_notes_of(&w->results, taken, false, w->results.session.arena).origins,
                      "4 cases were run by several builds (2 by one, 2 by two)");
  taken[4] = true;
  const char *text = world_table(w, SB_TABLE_MARKDOWN);
  ASSERT_HAS(text,
             "\n5 cases were run by several builds and on several machines (2 by one on here, 2 by two on here, 1 "
             "by six on there).\n",
             "| b | 1.5 |");
  assert_null(strstr(text, "§"));
  assert_null(strstr(text, "**"));
  taken[3] = taken[4] = false;
  assert_string_equal(sb_timing_notes_of(&w->results, taken, true, w->results.session.arena).origins,
                      "1 of 3 cases run by another build than the rest");
  world_destroy(&w);
}

static void expect_grid(const sb_table *table, sb_table_form form, const char *expected)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  sb_table_print(table, form, stream);
  fclose(stream);
  assert_string_equal(text, expected);
  free(text);
}

static void cells_stand_under_their_headings(void)
{
  sb_arena *arena = sb_arena_create();
  sb_table *t = sb_table_create(arena);
  sb_table_add_column(t, "method", "", false);
  sb_table_add_column(t, "time", "µs", true);
  sb_table_add_column(t, "what else", "", false);
  t->stub_count = 1;
  t->means[0] = "smallest of its column";
  t->means[2] = "taken while the machine was noisy";
  sb_table_add_row(t);
  sb_table_put(t, "Störmer_Verlet");
  *sb_table_put(t, NULL) =
      (sb_cell){.text = "0.33", .marks = SB_MARK_BEST | SB_MARK_NOISY, .is_number = true, .number = 1.0 / 3};
  sb_table_put(t, "a|b")->markdown = "[a](b.md)";
  sb_table_add_row(t);
  sb_table_put(t, sb_arena_format(t->arena, "%s %d", "rk", 4));
  sb_table_put(t, NULL);
  sb_table_put(t, "");
  sb_table_add_note(t, SB_NOTE_TITLE, "", "Two methods");
  sb_table_add_note(t, SB_NOTE_BELOW, "Source:", "a *test*");
  sb_table_add_note(t, SB_NOTE_BELOW, "Nothing:", "");
  expect_grid(t, SB_TABLE_TEXT,
              "Two methods\n"
              "\n"
              "method          time (µs)    what else\n"
              "--------------------------------------\n"
              "Störmer_Verlet       0.33*~  a|b\n"
              "rk 4                    -\n"
              "--------------------------------------\n"
              "* smallest of its column\n"
              "~ taken while the machine was noisy\n"
              "Source: a *test*\n");
  expect_grid(t, SB_TABLE_MARKDOWN,
              "**Two methods**\n"
              "\n"
              "| method | time (µs) | what else |\n"
              "|:---|---:|:---|\n"
              "| Störmer_Verlet | **0.33** ‡ | [a](b.md) |\n"
              "| rk 4 | – |  |\n"
              "\n"
              "Bold: smallest of its column.\n"
              "\n"
              "‡: taken while the machine was noisy.\n"
              "\n"
              "Source: a \\*test\\*\n"
              "\n");
  expect_grid(t, SB_TABLE_CSV,
              "method,time (µs),what else\n"
              "Störmer_Verlet,0.3333333333333333,a|b\n"
              "rk 4,,\n");
  sb_arena_destroy(&arena);
}

/* As lists of names and sentences are shown. */
static void without_headings_there_are_no_rules(void)
{
  sb_arena *arena = sb_arena_create();
  sb_table *t = sb_table_create(arena);
  sb_table_add_column(t, "", "", false);
  sb_table_add_column(t, "", "", false);
  t->indent = 2;
  t->wrap = true;
  expect_grid(t, SB_TABLE_TEXT, "  none\n");
  sb_table_add_row(t);
  sb_table_put(t, "cloth");
  sb_table_put(t, "a square sheet of vertices that hangs by two of its corners and that falls, and swings, "
                  "until nothing moves");
  sb_table_add_row(t);
  sb_table_put(t, "a rope");
  expect_grid(t, SB_TABLE_TEXT,
              "  cloth   a square sheet of vertices that hangs by two of its corners and that falls, and swings,\n"
              "          until nothing moves\n"
              "  a rope  -\n");
  sb_arena_destroy(&arena);
}

TEST_MAIN(tables_of_sweeps, an_empty_table_of_a_quick_run_says_so, two_cases_in_a_cell_are_refused,
          files_are_written_and_latex_compiles, wide_tables_fit_a_page_of_latex, the_noise_floor_decides_ties_of_times,
          without_a_noise_floor_a_noisy_time_is_not_the_best, a_blank_stands_before_numbers, a_number_has_the_marks_of_all_cases_it_is_made_of,
          times_of_another_build_are_marked, devices_are_named, of_two_builds_with_as_many_cases_neither_is_the_other,
          cells_stand_under_their_headings, without_headings_there_are_no_rules)
