/* Sweep files: what is read, and every refusal with its place, code and suggestion (robustness: E100 to E113). */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/harness/plan_of.h"

static const char *const scenes[] = {"rope", "cloth", "curtain"};
static const char *const drivers[] = {"trajectory", "blowup"};
static const sb_family   families[] = {
  {.family = "scenes", .names = scenes, .count = 3},
  {.family = "drivers", .names = drivers, .count = 2}};
static const sb_vocabulary vocabulary = {families, 2};

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
  "  - {id: blowup, title: A figure, script: rope.gp, data: curves, where: drag == 0, published: [liu2013_fig2.csv]}\n"
  "  - {id: other, script: rope.gp}\n"
  "expect:\n"
  "  - {claim: it holds, finding: rope-1, kind: shape, test: 'blowup_time > 3', where: drag == 0, contradicted: why,\n"
  "     full: true}\n"
  "  - {claim: it holds too, test: 'status[substeps=9] == ok'}\n";

static void test_whole(void **state)
{
  (void)state;
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
  assert_int_equal(s->methods[1].axes[1].id, SB_OPT_jacobi_block);
  assert_int_equal(s->wording_count, 3);
  assert_string_equal(s->wordings[2].name, "substeps=16");
  assert_string_equal(s->wordings[2].words, "few");
  assert_int_equal(s->exclusion_count, 1);
  assert_string_equal(s->exclusions[0].because, "not wanted");
  sb_diagnostics_destroy(&d);
}

static void test_blocks(void **state)
{
  (void)state;
  sb_sweep *s = parse(whole, NULL);
  assert_non_null(s);
  assert_int_equal(s->block_count, 2);
  const sb_block *grid = &s->blocks[0], *zip = &s->blocks[1];
  assert_false(grid->zip);
  assert_int_equal(grid->count, 3);
  assert_string_equal(grid->axes[0].name, "method");
  assert_int_equal(grid->axes[0].id, SB_OPT_COUNT);
  assert_int_equal(grid->axes[1].count, 2);
  assert_string_equal(grid->axes[1].values[1], "64");
  assert_int_equal(grid->axes[1].where[1].line, 12);
  assert_int_equal(grid->axes[1].where[1].column, 43);
  assert_int_equal(grid->axes[2].count, 1);
  assert_int_equal(grid->defaults.count, 1);
  assert_int_equal(grid->defaults.axes[0].id, SB_OPT_nodes);
  assert_true(zip->zip);
  assert_string_equal(zip->axes[0].values[1], "[0,-1,0]");
  assert_string_equal(zip->axes[1].values[0], "first");
  assert_string_equal(zip->axes[1].values[1], "[0,3,10:12]");
}

static void test_reports(void **state)
{
  (void)state;
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
  assert_true(s->claims[0].full_only);
  assert_string_equal(s->claims[0].contradicted, "why");
  assert_int_equal(s->claims[1].kind, SB_CLAIM_EXACT);
  assert_int_equal(s->claims[1].location.line, 35);
  assert_null(s->claims[1].finding);
}

typedef struct {
  const char *text;    /* behind "springbench: 1\nname: n\n", so that it starts in line 3 */
  const char *message; /* what the first message starts with */
} refusal;

/* The first message, and nothing but messages: no sweep, no crash, no leak. */
static void check_refusal(const char *text, size_t length, const char *message)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = sb_sweep_parse(text, length, "f", session_with(&vocabulary, d));
  const char     *first = sb_diagnostics_message(d, 0);
  if (s || !first || strncmp(first, message, strlen(message)) != 0)
    fail_msg("%s\n  expected %s\n  got      %s", text, message, first ? first : "no message");
  assert_null(sb_sweep_parse(text, length, "f", session_with(&vocabulary, NULL)));
  sb_diagnostics_destroy(&d);
}

static void check_refusals(const refusal *refusals, size_t count)
{
  for (size_t i = 0; i < count; ++i) {
    char text[1024];
    snprintf(text, sizeof text, "springbench: 1\nname: n\n%s", refusals[i].text);
    check_refusal(text, strlen(text), refusals[i].message);
  }
}

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void test_unknown_keys(void **state) /* E101 */
{
  static const refusal refusals[] = {
    {"defaults: {stifness: 100}", "f:3:12: error: unknown option 'stifness'; did you mean 'stiffness'? [E101]"},
    {"sweep:\n  - grid: {sub_steps: 3}", "f:4:12: error: unknown option 'sub_steps'; did you mean 'substeps'? [E101]"},
    {"methods:\n  a: {linaer: petsc}", "f:4:7: error: unknown option 'linaer'; did you mean 'linear'? [E101]"},
    {"defaults: {xyzzy: 100}", "f:3:12: error: unknown option 'xyzzy' [E101]"},
    {"defaults: {drag: 0, drag: 1}", "f:3:21: error: 'drag' is given twice, first in line 3 [E101]"},
    {"defaults: {h: 1, drag: 0, h: 2}", "f:3:27: error: 'h' is given twice, first in line 3 [E101]"},
    {"name: again", "f:3:1: error: 'name' is given twice, first in line 2 [E101]"},
    {"defalts: {}", "f:3:1: error: unknown key 'defalts' in a sweep file; did you mean 'defaults'? [E101]"},
    {"stiffness: 3", "f:3:1: error: the option 'stiffness' is no key of a sweep file; options stand under defaults"},
    {"defaults: {driver: blowup}", "f:3:12: error: 'driver' is a key of the whole sweep, not of a case [E101]"},
    {"tables: [{id: a, cel: h}]", "f:3:18: error: unknown key 'cel' in a table; did you mean 'cell'? [E101]"},
    {"tables: [{cell: h}]", "f:3:10: error: a table needs the key 'id' [E101]"},
    {"tables: [{id: a, cell: h, columns: [{value: h}]}]", "f:3:10: error: a table has 'cell' or a list of columns, not both [E101]"},
    {"tables: [{id: a}]", "f:3:10: error: a table needs the key 'columns' or 'cell' [E101]"},
    {"tables: [{id: a, rows: drag, columns: h}]", "f:3:10: error: a table with an axis across needs the key 'cell'"},
    {"tables: [{id: a, rows: drg, cell: h}]", "f:3:24: error: unknown axis 'drg'; did you mean 'drag'? [E101]"},
    {"tables: [{id: a, cell: h}, {id: a, cell: h}]", "f:3:33: error: the id 'a' is given twice [E101]"},
    {"sweep:\n  - {grid: {}, zip: {}}", "f:4:21: error: a block has 'grid' or 'zip', not both [E101]"},
    {"sweep:\n  - gird: {}", "f:4:5: error: unknown key 'gird' in a block of 'sweep'; did you mean 'grid'? [E101]"},
    {"defaults: {scene: rope}\nanimations: [{id: a, view: [1, 2, 3]}]",
     "f:4:28: error: 'view' is [tilt, turn] in degrees: 0 from above to 90 level, and about the vertical [E102]"},
    {"question: \"a\\u202eb\"", "f:3:11: error: 'question' has a character that commands terminals"},
    {"words: {drg: air}", "f:3:9: error: 'drg' under 'words' is no axis, no method and no AXIS=VALUE [E101]"},
    {"expect: [{claim: x}]", "f:3:10: error: a claim needs the key 'test' [E101]"},
    {"driver: blowup\nexpect: [{claim: x, test: blowup_tme > 3}]",
     "f:4:27: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
    {"exclude: [{when: stifness == 100, because: x}]",
     "f:3:18: error: unknown option 'stifness'; did you mean 'stiffness'? [E101]"},
    {"exclude: [{when: status == ok, because: x}]", "f:3:18: error: 'status' is not known before the run"},
  };
  (void)state;
  check_refusals(refusals, COUNT(refusals));
  check_refusal("name: n", 7, "f:1:1: error: a sweep file needs the key 'springbench' [E101]");
  check_refusal("springbench: 1", 14, "f:1:1: error: a sweep file needs the key 'name' [E101]");
}

static void test_values(void **state) /* E102 to E106 */
{
  static const refusal refusals[] = {
    {"defaults: {h: 0.01s}", "f:3:15: error: option 'h' takes a number; got '0.01s' [E102]"},
    {"defaults: {h: 1e-3x}", "f:3:15: error: option 'h' takes a number; got '1e-3x' [E102]"},
    {"defaults: {h: '1,5'}", "f:3:15: error: option 'h' takes a number; got '1,5' [E102]"},
    {"defaults:\n  h:\n  drag: 0", "f:4:5: error: 'h' has no value [E102]"},
    {"defaults: {h: {a: 1}}", "f:3:15: error: 'h' takes one value, not a collection [E102]"},
    {"defaults: {gravity: [0, [1], 2]}", "f:3:25: error: 'gravity' takes one value, not a collection [E102]"},
    {"defaults: {gravity: [0, 1]}",
     "f:3:21: error: option 'gravity' takes three numbers as [x,y,z]; got '[0,1]' [E102]"},
    {"defaults: [1]", "f:3:11: error: a set of options is a mapping of 'key: value' [E102]"},
    {"timed: maybe", "f:3:8: error: 'timed' is true or false; got 'maybe' [E102]"},
    {"limits: {time: 2y}", "f:3:16: error: 'time' is a duration such as 90s, 2m, 1h; got '2y' [E102]"},
    {"limits: {memory: lots}", "f:3:18: error: 'memory' is a size such as 512M, 4G; got 'lots' [E102]"},
    {"tables: 3", "f:3:9: error: 'tables' is a list"},
    {"tables: [{id: a, cell: 'h +'}]",
     "f:3:28: error: in the expression 'h +': expected a value, not 'the end' [E102]"},
    {"tables: [{id: a, cell: h, format: '%s'}]", "f:3:35: error: 'format' is printf's for one number"},
    {"tables: [{id: a, cell: h, format: plain}]", "f:3:35: error: 'format' is printf's for one number"},
    {"tables: [{id: a, cell: h, format: '%d'}]", "f:3:35: error: 'format' is printf's for one number"},
    {"tables: [{id: a, cell: h, format: '%g %n'}]", "f:3:35: error: 'format' is printf's for one number"},
    {"tables: [{id: a, cell: h, format: '%*g'}]", "f:3:35: error: 'format' is printf's for one number"},
    {"[a]: 3", "f:3:1: error: a key is a name, not a list [E102]"},
    {"defaults: {h: nan}", "f:3:15: error: option 'h' takes a finite number; got 'nan' [E103]"},
    {"defaults: {h: .inf}", "f:3:15: error: option 'h' takes a finite number; got '.inf' [E103]"},
    {"defaults: {h: 1e999}", "f:3:15: error: option 'h' takes a finite number; got '1e999' [E103]"},
    {"defaults: {h: 1e-400}", "f:3:15: error: option 'h' takes a finite number; got '1e-400' [E103]"},
    {"defaults: {h: 0x1p-3}", "f:3:15: error: option 'h' takes a number; got '0x1p-3' [E102]"},
    {"defaults: {h: 0}", "f:3:15: error: option 'h' is out of range (allowed: (0,1e9] s); got '0' [E104]"},
    {"defaults: {duration: -1}", "f:3:22: error: option 'duration' is out of range"},
    {"defaults: {total_mass: 0}", "f:3:24: error: option 'total_mass' is out of range"},
    {"defaults: {stiffness: -1}",
     "f:3:23: error: option 'stiffness' is out of range (allowed: [0,1e15] N/m); got '-1'"},
    {"defaults: {drag: -0.1}", "f:3:18: error: option 'drag' is out of range"},
    {"defaults: {linear_tolerance: 1}", "f:3:30: error: option 'linear_tolerance' is out of range"},
    {"defaults: {max_iterations: 0}", "f:3:28: error: option 'max_iterations' is out of range"},
    {"defaults: {save: 'every:0'}", "f:3:18: error: option 'save' is out of range (allowed: none|final|every:#, # a number from 1); got 'every:0' [E104]"},
    {"repetitions: 0", "f:3:14: error: 'repetitions' is a whole number (allowed: [1,1000]); got '0' [E104]"},
    {"defaults: {seed: 9999999999999999999}", "f:3:18: error: option 'seed' overflows"},
    {"defaults: {nodes: -5}", "f:3:19: error: option 'nodes' is out of range"},
    {"defaults: {scene: rop}",
     "f:3:19: error: unknown scene 'rop'; did you mean 'rope'? (choices: rope, cloth, curtain) [E106]"},
    {"driver: blow_up",
     "f:3:9: error: unknown driver 'blow_up'; did you mean 'blowup'? (choices: trajectory, blowup) [E106]"},
    {"methods: {newton: {}}\nsweep: [{grid: {method: [nweton]}}]",
     "f:4:26: error: unknown method 'nweton'; did you mean 'newton'? [E106]"},
    {"figures: [{id: a, script: a.gp, data: row}]", "f:3:39: error: 'data' is one of: rows, curves, frames; got 'row' [E106]"},
    {"expect: [{claim: x, test: h > 1, kind: fuzzy}]",
     "f:3:40: error: 'kind' is one of: exact, shape, time; got 'fuzzy'"},
  };
  (void)state;
  check_refusals(refusals, COUNT(refusals));
}

static void test_counts_and_names(void **state) /* E107, E109, E113 */
{
  static const refusal refusals[] = {
    {"sweep: []", "f:3:8: error: 'sweep' has no blocks: there are 0 cases [E107]"},
    {"sweep: [{grid: {drag: []}}]", "f:3:23: error: the axis 'drag' has no values: there are 0 cases [E107]"},
    {"figures: [{id: '../x', script: a.gp}]", "f:3:16: error: 'id' reaches file names"},
    {"figures: [{id: a, script: ../a.gp}]", "f:3:27: error: 'script' reaches file names"},
    {"figures: [{id: a, script: /tmp/a.gp}]", "f:3:27: error: 'script' reaches file names"},
    {"figures: [{id: a, script: '< a.gp'}]", "f:3:27: error: 'script' reaches file names"},
    {"figures: [{id: a, script: '`id`'}]", "f:3:27: error: 'script' reaches file names"},
    {"figures: [{id: a, script: \"a'b\"}]", "f:3:27: error: 'script' reaches file names"},
    {"figures: [{id: a, script: -a.gp}]", "f:3:27: error: 'script' reaches file names"},
    {"figures: [{id: a, script: a.gp, published: [../x.csv]}]", "f:3:45: error: 'name' reaches file names"},
    {"tables: [{id: .., cell: h}]", "f:3:15: error: 'id' reaches file names"},
    {"methods: {'a b': {}}", "f:3:11: error: 'name' reaches file names"},
  };
  (void)state;
  check_refusals(refusals, COUNT(refusals));
  check_refusal("springbench: 2\nname: n\nnew: 1", 29,
                "f:1:14: error: a sweep file of format '2'; this springbench reads format 1 [E113]");
  char text[128] = "springbench: 1\nname: ";
  memset(text + strlen(text), 'a', 65);
  check_refusal(text, strlen(text), "f:2:7: error: 'name' reaches file names");
  text[strlen(text) - 1] = '\0';
  sb_sweep *s = parse(text, NULL);
  assert_non_null(s);
}

static void test_bytes(void **state) /* E110 */
{
  static const refusal refusals[] = {
    {"question: \xff", "f:3:11: error: not text in UTF-8"},
    {"question: \xc3\xa4 \xe4", "f:3:13: error: not text in UTF-8"},
    {"question: \x01", "f:3:11: error: not text in UTF-8: control characters are not allowed [E110]"},
    {"question: &a [*a]", "f:3:11: error: an anchor for aliases, which are not read [E110]"},
    {"defaults: &a {h: 1}\nmethods: {b: *a}", "f:3:11: error: an anchor for aliases"},
    {"question: !!int 3", "f:3:11: error: the tag 'tag:yaml.org,2002:int'"},
    {"question: !!python/object 3", "f:3:11: error: the tag"},
    {"---\nname: b", "f:3:1: error: a second document; one is read [E110]"},
    {"question: [a", "f:"},
    {"question: a: b", "f:3:12: error: not YAML: mapping values are not allowed in this context [E110]"},
    {"question: *nothing", "f:"},
    {"\tname: b", "f:3:1: error: not YAML"},
    {"question: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[3]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
     "f:3:42: error: nested more than 32 deep [E110]"},
  };
  (void)state;
  check_refusals(refusals, COUNT(refusals));
  check_refusal("name: a\0b", 9, "f:1:8: error: not text in UTF-8: control characters are not allowed [E110]");
  check_refusal("# nothing\n", 10, "f:1:1: error: there is nothing in it [E110]");
  check_refusal("- 3", 3, "f:1:1: error: a sweep file is a mapping");
  char *line = malloc(70000);
  memset(line, 'a', 69999);
  line[0] = '\n';
  line[1] = '#';
  line[69999] = '\0';
  check_refusal(line, 69999, "f:2: error: a line of 69998 bytes (at most 65536) [E110]");
  free(line);
}

/* A byte-order mark and carriage returns are accepted, and do not shift locations. */
static void test_windows_text(void **state)
{
  (void)state;
  static const char good[] = "\xEF\xBB\xBFspringbench: 1\r\nname: n\r\ndefaults: {h: 0.1}\r\n";
  static const char bad[] = "\xEF\xBB\xBFspringbench: 1\r\nname: n\r\ndefaults: {h: 0.1x}\r\n";
  sb_sweep         *s = parse(good, NULL);
  assert_non_null(s);
  assert_string_equal(s->name, "n");
  check_refusal(bad, strlen(bad), "f:3:15: error: option 'h' takes a number; got '0.1x' [E102]");
  check_refusal("\xEF\xBB\xBFnme: n", 9, "f:1:1: error: unknown key 'nme' in a sweep file; did you mean 'name'?");
}

/* All mistakes are named at once, twenty at most. */
static void test_all_mistakes(void **state)
{
  (void)state;
  static const char three[] =
    "springbench: 1\nname: n\ndefaults: {h: -1, stifness: 3}\nsweep: [{grid: {drag: [0, x]}}]\n";
  char            text[4096] = "springbench: 1\nname: n\ndefaults:\n";
  sb_diagnostics *d = sb_diagnostics_create();
  assert_null(parse(three, d));
  assert_int_equal(sb_diagnostics_errors(d), 3);
  assert_string_equal(sb_diagnostics_message(d, 1),
                      "f:3:19: error: unknown option 'stifness'; did you mean 'stiffness'? [E101]");
  assert_string_equal(sb_diagnostics_message(d, 2), "f:4:27: error: option 'drag' takes a number; got 'x' [E102]");
  sb_diagnostics_destroy(&d);
  d = sb_diagnostics_create();
  for (int i = 0; i < 30; ++i) snprintf(text + strlen(text), 64, "  wrong_%d: 1\n", i);
  assert_null(parse(text, d));
  assert_int_equal(sb_diagnostics_errors(d), 30);
  assert_non_null(sb_diagnostics_message(d, 19));
  assert_null(sb_diagnostics_message(d, 20));
  sb_diagnostics_destroy(&d);
}

static void check_file(const char *path, const char *why)
{
  char            expected[256];
  sb_diagnostics *d = sb_diagnostics_create();
  assert_null(sb_sweep_read(path, session_with(&vocabulary, d)));
  snprintf(expected, sizeof expected, "%s: error: cannot read: %s [E100]", path, why);
  assert_string_equal(sb_diagnostics_message(d, 0), expected);
  sb_diagnostics_destroy(&d);
}

static void write_file(const char *path, const char *text, off_t size)
{
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
  assert_int_equal(truncate(path, size), 0);
}

static void test_files(void **state) /* E100 */
{
  (void)state;
  char folder[] = "/tmp/sb_sweep_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  check_file(folder, "Is a directory");
  snprintf(path, sizeof path, "%s/x", folder);
  check_file(path, "No such file or directory");
  assert_int_equal(mkfifo(path, 0600), 0);
  check_file(path, "not a regular file");
  unlink(path);
  write_file(path, "", 0);
  check_file(path, "the file is empty");
  write_file(path, "", (1 << 20) + 1);
  check_file(path, "larger than a sweep file may be (1 MiB)");
  write_file(path, whole, (off_t)strlen(whole));
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = sb_sweep_read(path, session_with(&vocabulary, d));
  assert_non_null(s);
  assert_string_equal(s->path, path);
  sb_diagnostics_destroy(&d);
  if (getuid() != 0) {
    chmod(path, 0);
    check_file(path, "Permission denied");
  }
  unlink(path);
  rmdir(folder);
}

/* Any beginning and any single changed byte of a good file ends in a sweep or in messages, not in a crash or a leak. */
static void test_mutations(void **state)
{
  (void)state;
  char copy[sizeof whole];
  for (size_t n = 0; n < sizeof whole; n += 37) {
    sb_sweep_parse(whole, n, "f", session_with(&vocabulary, NULL));
  }
  for (size_t n = 0; n + 1 < sizeof whole; n += 11) {
    memcpy(copy, whole, sizeof whole);
    copy[n] = "[{:'&!\n-#"[n % 9];
    sb_sweep_parse(copy, sizeof whole - 1, "f", session_with(&vocabulary, NULL));
  }
}

static void test_locale(void **state)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  test_whole(state);
  setlocale(LC_ALL, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_whole),
    cmocka_unit_test(test_blocks),
    cmocka_unit_test(test_reports),
    cmocka_unit_test(test_unknown_keys),
    cmocka_unit_test(test_values),
    cmocka_unit_test(test_counts_and_names),
    cmocka_unit_test(test_bytes),
    cmocka_unit_test(test_windows_text),
    cmocka_unit_test(test_all_mistakes),
    cmocka_unit_test(test_files),
    cmocka_unit_test(test_mutations),
    cmocka_unit_test(test_locale),
  };
  return cmocka_run_group_tests(tests, NULL, end_sessions);
}
