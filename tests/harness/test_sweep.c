/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweep files: what is read, in which places; what is refused is in tests/input/sweep.rows. */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/harness/plan_of.h"
#include "tests/lists.h"

static const sb_vocabulary vocabulary =
    TEST_VOCABULARY(TEST_LIST("scenes", TEST_ENTRY("rope"), TEST_ENTRY("cloth"), TEST_ENTRY("curtain")));

static sb_sweep *parse(const char *text, sb_diagnostics *d)
{
  return sb_sweep_parse(text, strlen(text), "f", session_with(&vocabulary, d));
}

static const char whole[] =
    "springbench: 1\n"
    "name: rope_blowup\n"
    "question: >\n"
    "  How long until\n"
    "  it blows up?\n"
    "source: rope exercise\n"
    "driver: blowup\n"
    "timed: false\n"
    "repetitions: 3\n"
    "limits: {time: 2m, memory: 4G}\n"
    "sweep:\n"
    "  - grid: {method: [a, b], substeps: [16, 64], drag: 0.001}\n"
    "    defaults: {nodes: 8}\n"
    "  - zip: {gravity: [[0, 0, -9.8], [0, -1, 0]], pins: [first, [0, 3, 10:12]]}\n"
    "defaults: {scene: rope, gravity: [0, 0, -9.8], petsc: '-ksp_type cg -pc_type icc'}\n"
    "methods: {a: {linear: cholesky}, b: {linear: jacobi, jacobi_block: 3}}\n"
    "words: {a: the first, drag: air, substeps=16: few}\n"
    "exclude:\n"
    "  - {when: method == b and drag > 0, because: not wanted}\n"
    "tables:\n"
    "  - {id: pivot, title: A table, rows: [method, substeps], columns: drag, cell: blowup_time, unit: s,\n"
    "     format: '%.3g', where: substeps > 16, note: a note}\n"
    "  - id: flat\n"
    "    rows: substeps\n"
    "    columns:\n"
    "      - {label: time, unit: s, value: blowup_time / 2, format: '%8.3f', best: largest}\n"
    "      - value: max(blowup_time, 3)\n"
    "  - {id: short, rows: substeps, cell: blowup_time}\n"
    "figures:\n"
    "  - {id: blowup, title: A figure, script: rope.gp, data: curves, where: drag == 0, published: "
    "[liu2013_fig2.csv]}\n"
    "  - {id: other, script: rope.gp}\n"
    "expect:\n"
    "  - {claim: it holds, finding: rope-1, kind: shape, test: 'blowup_time > 3', where: drag == 0, contradicted: "
    "why,\n"
    "     full: true}\n" /* of earlier versions */
    "  - {claim: it holds too, test: 'status[substeps=9] == ok'}\n";

static void test_whole(void)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = parse(whole, d);
  if (!s) fail_msg("%s", sb_diagnostics_message(d, 0));
  assert_string_equal(s->text, whole);
  assert_string_equal(s->name, "rope_blowup");
  assert_string_equal(s->question, "How long until it blows up?");
  assert_string_equal(s->driver, "blowup");
  assert_false(s->timed);
  assert_int_equal(s->repetitions, 3);
  assert_true(s->time_limit_seconds == 120 && s->memory_limit_bytes == 0x1p32);
  assert_int_equal(s->defaults.count, 3);
  assert_string_equal(s->defaults.axes[1].values[0], "[0,0,-9.8]");
  assert_int_equal(s->defaults.axes[1].where->line, 15);
  assert_int_equal(s->defaults.axes[1].where->column, 34);
  assert_int_equal(s->method_count, 2);
  assert_string_equal(s->methods[1].name, "b");
  assert_int_equal(s->methods[1].axes[1].id, SB_ID(jacobi_block));
  assert_int_equal(s->wording_count, 3);
  assert_string_equal(s->wordings[2].name, "substeps=16");
  assert_string_equal(s->wordings[2].words, "few");
  assert_int_equal(s->exclusion_count, 1);
  assert_string_equal(s->exclusions[0].because, "not wanted");
  sb_diagnostics_destroy(&d);
}

static void test_blocks(void)
{
  sb_sweep *s = parse(whole, NULL);
  assert_non_null(s);
  assert_int_equal(s->block_count, 2);
  const sb_block *grid = &s->blocks[0], *zip = &s->blocks[1];
  assert_false(grid->zip);
  assert_int_equal(grid->count, 3);
  assert_string_equal(grid->axes[0].name, "method");
  assert_int_equal(grid->axes[0].id, sb_option_count);
  assert_int_equal(grid->axes[1].count, 2);
  assert_string_equal(grid->axes[1].values[1], "64");
  assert_int_equal(grid->axes[1].where[1].line, 12);
  assert_int_equal(grid->axes[1].where[1].column, 43);
  assert_int_equal(grid->axes[2].count, 1);
  assert_int_equal(grid->defaults.count, 1);
  assert_int_equal(grid->defaults.axes[0].id, SB_ID(nodes));
  assert_true(zip->zip);
  assert_string_equal(zip->axes[0].values[1], "[0,-1,0]");
  assert_string_equal(zip->axes[1].values[0], "first");
  assert_string_equal(zip->axes[1].values[1], "[0,3,10:12]");
}

static void test_reports(void)
{
  sb_sweep *s = parse(whole, NULL);
  assert_non_null(s);
  assert_int_equal(s->table_count, 3);
  const sb_table_spec *pivot = &s->tables[0], *flat = &s->tables[1], *brief = &s->tables[2];
  assert_int_equal(pivot->row_axes, 2);
  assert_string_equal(pivot->column_axis, "drag");
  assert_string_equal(sb_expression_text(pivot->cell.value), "blowup_time");
  assert_string_equal(pivot->cell.unit, "s");
  assert_string_equal(pivot->cell.format, "%.3g");
  assert_null(flat->column_axis);
  assert_int_equal(flat->column_count, 2);
  assert_string_equal(flat->columns[0].label, "time");
  assert_int_equal(flat->columns[0].best, SB_BEST_LARGEST);
  assert_string_equal(flat->columns[1].label, "max(blowup_time, 3)");
  assert_int_equal(brief->column_count, 1);
  assert_string_equal(brief->columns[0].label, "blowup_time");
  assert_null(brief->cell.value);
  assert_int_equal(s->figure_count, 2);
  assert_string_equal(s->figures[0].published[0], "liu2013_fig2.csv");
  assert_string_equal(s->figures[0].data, "curves");
  assert_string_equal(s->figures[1].data, "rows");
  assert_int_equal(s->claim_count, 2);
  assert_int_equal(s->claims[0].kind, SB_CLAIM_SHAPE);
  assert_string_equal(s->claims[0].contradicted, "why");
  assert_int_equal(s->claims[1].kind, SB_CLAIM_EXACT);
  assert_int_equal(s->claims[1].location.line, 35);
  assert_null(s->claims[1].finding);
}

static void check_refusal(const char *text, const char *message)
{
  sb_diagnostics *d = sb_diagnostics_create();
  assert_null(parse(text, d));
  assert_string_equal(sb_diagnostics_message(d, 0), message);
  sb_diagnostics_destroy(&d);
}

/* A byte-order mark and carriage returns are accepted, and do not shift locations. */
static void test_windows_text(void)
{
  sb_sweep *s = parse("\xEF\xBB\xBFspringbench: 1\r\nname: n\r\ndefaults: {h: 0.1}\r\n", NULL);
  assert_non_null(s);
  assert_string_equal(s->name, "n");
  check_refusal("\xEF\xBB\xBFspringbench: 1\r\nname: n\r\ndefaults: {h: 0.1x}\r\n",
                "f:3:15: error: option 'h' takes a number in s; got '0.1x' [E102]");
  check_refusal("\xEF\xBB\xBFnme: n", "f:1:1: error: unknown key 'nme' in a sweep file; did you mean 'name'? [E101]");
}

/* A file is read as its text is, and it is told what of it says nothing; a folder is none. */
static void test_files(void)
{
  char folder[] = "/tmp/sb_sweep_XXXXXX", path[64], expected[128];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/x", folder);
  snprintf(expected, sizeof expected, "%s: error: cannot read: Is a directory [E100]", folder);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(whole, file);
  assert_int_equal(fclose(file), 0);
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = sb_sweep_read(path, session_with(&vocabulary, d));
  assert_non_null(s);
  assert_string_equal(s->path, path);
  assert_null(sb_sweep_read(folder, session_with(&vocabulary, d)));
  assert_non_null(strstr(sb_diagnostics_message(d, 0), "warning: 'full' has no effect"));
  assert_string_equal(sb_diagnostics_message(d, 1), expected);
  sb_diagnostics_destroy(&d);
  unlink(path);
  rmdir(folder);
}

/* Any beginning and any single changed byte of a good file ends in a sweep or in messages, not in a crash or a leak. */
static void test_mutations(void)
{
  char copy[sizeof whole];
  for (size_t n = 0; n < sizeof whole; n += 37) sb_sweep_parse(whole, n, "f", session_with(&vocabulary, NULL));
  for (size_t n = 0; n + 1 < sizeof whole; n += 11) {
    memcpy(copy, whole, sizeof whole);
    copy[n] = "[{:'&!\n-#"[n % 9];
    sb_sweep_parse(copy, sizeof whole - 1, "f", session_with(&vocabulary, NULL));
  }
}

static void test_locale(void)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  test_whole();
  setlocale(LC_ALL, "C");
}

int main(void)
{
  return RUN_TESTS_WITHIN(NULL, end_sessions, test_whole, test_blocks, test_reports, test_windows_text, test_files,
                          test_mutations, test_locale);
}
