/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans: what a sweep expands to, in which order, with which keys; what is refused; commands and stored plans. */
#include <jansson.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/describe/names.h"
#include "harness/sweep/request.h"
#include "tests/all_lists.h"
#include "tests/harness/plan_of.h"

/* The values of some options of every case, as "a=1 b=2; a=1 b=3". */
static void check_cases(const sb_plan *p, const char *const *names, const char *expected)
{
  char text[4096] = "", number[32];
  for (size_t i = 0; i < p->count; ++i) {
    if (i) strcat(text, "; ");
    for (size_t k = 0; names[k]; ++k) {
      const sb_value v = sb_case_value(&p->cases[i], names[k]);
      if (k) strcat(text, " ");
      strcat(text, v.kind == SB_WORD ? v.word : v.kind == SB_NUMBER ? sb_format_real(v.number, number) : "-");
    }
    if (p->cases[i].skipped) strcat(text, " skipped");
  }
  assert_string_equal(text, expected);
}

static void test_grid_and_zip(void)
{
  static const char *const names[] = {"substeps", "drag", NULL}, *const three[] = {"grid", "stiffness", "scene", NULL};
  sb_plan *p = plan_of(HEAD "defaults: {scene: rope}\nsweep:\n"
                            "  - grid: {substeps: [16, 64, 256], drag: [0, 0.001]}\n"
                            "  - grid: {drag: 0.5, substeps: [4, 8]}\n",
                       NULL);
  check_cases(p, names, "16 0; 16 0.001; 64 0; 64 0.001; 256 0; 256 0.001; 4 0.5; 8 0.5");
  assert_int_equal(p->axis_count, 2);
  assert_string_equal(p->axes[0], "substeps");
  assert_string_equal(p->axes[1], "drag");
  assert_int_equal(p->cases[0].time.steps_per_frame, 16);
  p = plan_of(HEAD "defaults: {h: 0.1, duration: 1}\n"
                   "sweep: [{zip: {grid: [10, 20], stiffness: [150, 300], scene: cloth}}]",
              NULL);
  check_cases(p, three, "10 150 cloth; 20 300 cloth");
  p = plan_of(HEAD "defaults: {scene: rope}\n", NULL);
  assert_int_equal(p->count, 1);
}

/* defaults < defaults of the block < method < axis. */
static void test_precedence(void)
{
  static const char *const names[] = {"method", "max_iterations", "linear", "nodes", NULL};
  sb_plan *p = plan_of(HEAD "defaults: {scene: rope, max_iterations: 1, nodes: 3, integrator: implicit_euler}\n"
                            "methods: {a: {max_iterations: 3, linear: jacobi}, b: {linear: petsc}}\n"
                            "sweep:\n"
                            "  - {grid: {method: [a, b]}, defaults: {max_iterations: 2, nodes: 4}}\n"
                            "  - {grid: {nodes: 5, max_iterations: [4, 5], method: a}}\n"
                            "  - {grid: {nodes: 6}}\n",
                       NULL);
  check_cases(p, names, "a 3 jacobi 4; b 2 petsc 4; a 4 jacobi 5; a 5 jacobi 5; - 1 cholesky 6");
  /* Newton's Hessian is projected where the backend cannot tell what an adaptive one asks: that is shown. */
  static const char *const axes[] = {"method", "nodes", "max_iterations", "linear", "hessian"};
  assert_int_equal(p->axis_count, 5);
  for (size_t i = 0; i < 5; ++i) assert_string_equal(p->axes[i], axes[i]);
}

static const sb_vocabulary minimizers =
    TEST_VOCABULARY(TEST_LIST("minimizers", TEST_ENTRY("newton"),
                              TEST_ENTRY("linearly_implicit", .defaults = "step=unit start=previous hessian=exact")));

/* As plan_of, with minimisers whose names imply options. */
static sb_plan *plan_with_names(const char *text, const sb_selection *request)
{
  sb_plan *p = sb_plan_create(sweep_of(text), request, session_with(&minimizers, NULL));
  assert_non_null(p);
  return p;
}

/* A minimiser that an axis or a method names keeps the options that its name implies; options at the same level as the
 * name, or above it, override these. */
static void test_names_go_before_defaults(void)
{
  static const char *const names[] = {"minimizer", "start", "hessian", "step", NULL};
  static const char *const asked[] = {"hessian=projected"};
  static const char        sweep[] =
      HEAD "defaults: {scene: rope, integrator: implicit_euler, start: coast, hessian: adaptive, step: armijo}\n"
           "methods: {own: {minimizer: linearly_implicit}, other: {minimizer: linearly_implicit, start: coast}}\n"
           "sweep: [{grid: {minimizer: [newton, linearly_implicit]}}, {grid: {method: [own, other], nodes: 5}}]\n";
  check_cases(plan_with_names(sweep, NULL), names,
              "newton coast adaptive armijo; linearly_implicit previous exact unit; "
              "linearly_implicit previous exact unit; linearly_implicit coast exact unit");
  check_cases(plan_with_names(sweep, &(sb_selection){.override_count = 1, .overrides = asked}), names,
              "newton coast projected armijo; linearly_implicit previous projected unit; "
              "linearly_implicit previous projected unit; linearly_implicit coast projected unit");
  check_cases(plan_with_names(HEAD "defaults: {scene: rope, integrator: implicit_euler, minimizer: linearly_implicit, "
                                   "start: coast}\n",
                              NULL),
              names, "linearly_implicit coast exact unit");
}

/* The names of all cases, as "method|minimizer; …". */
static void check_names(const sb_plan *p, const char *expected)
{
  char text[1024] = "";
  for (size_t i = 0; i < p->count; ++i) {
    const sb_planned_case *c = &p->cases[i];
    sprintf(text + strlen(text), "%s%s|%s", i ? "; " : "", sb_case_text(c, "method"), sb_case_text(c, "minimizer"));
  }
  assert_string_equal(text, expected);
}

/* The plan of a sweep with a request: words of -p, or of --method where they have a blank. */
static sb_plan *asked_for(const char *text, const char *const *words, const sb_selection *selection)
{
  sb_diagnostics   *d = sb_diagnostics_create();
  const sb_session *session = session_with(&minimizers, d);
  sb_sweep         *s = sb_sweep_parse(text, strlen(text), "f", session);
  bool              good = s;
  for (; good && *words; ++words)
    good = strchr(*words, ':') ? sb_sweep_add_methods(s, *words, "--method", session)
                               : sb_request_take(s, *words, session);
  sb_plan *p = good ? sb_plan_create(s, selection, session) : NULL;
  if (!p) fail_msg("%s", sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return p;
}

#define ASKED(...)                                                                                                     \
  (const char *const[]) { __VA_ARGS__, NULL }

/* A method keeps its name if -p gives an option of it another value. Methods that become equal run once, under the
 * first name. */
static void test_names_under_a_request(void)
{
  static const char sweep[] = HEAD
      "defaults: {scene: rope, integrator: implicit_euler}\n"
      "methods: {a: {minimizer: newton}, b: {minimizer: newton, max_iterations: 3, linear: petsc, petsc: \"-ksp_type "
      "cg -pc_type icc\"}, c: {minimizer: linearly_implicit}}\n"
      "sweep: [{grid: {method: [a, b, c]}}, {grid: {method: a, max_iterations: [5, 6]}}]\n";
  static const struct {
    const char *words[4], *names;
  } cases[] = {
      {{"drag=1"}, "a|newton; b|newton; c|linearly_implicit; a|newton; a|newton"},
      {{"max_iterations=3"}, "a|newton; b|newton; c|linearly_implicit"},
      {{"linear=jacobi", "max_iterations=4"}, "a|newton; b|newton; c|linearly_implicit"},
      {{"minimizer=newton"}, "a|newton; b|newton; a|newton; a|newton"}, /* c has the options of a */
      {{"minimizer=linearly_implicit", "max_iterations=7", "method=b,c"}, "b|linearly_implicit; c|linearly_implicit"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    check_names(asked_for(sweep, cases[i].words, NULL), cases[i].names);
  check_names(asked_for(sweep, ASKED("max_iterations=4"), &(sb_selection){.filter = "method == b"}), "b|newton");
}

/* Further values are added in each block that has the axis, behind its own cases; to a zip as a factor. None that is
 * there is added twice. */
static void test_further_values(void)
{
  static const char *const names[] = {"integrator", "substeps", "drag", NULL};
  static const char        sweep[] = HEAD "defaults: {scene: rope}\n"
                                          "sweep:\n"
                                          "  - grid: {integrator: [explicit_euler, velocity_verlet], substeps: [16, 64]}\n"
                                          "  - zip: {integrator: [symplectic_euler, implicit_euler], substeps: [8, 9]}\n"
                                          "  - grid: {drag: [1, 2]}\n"
                                          "quick: {substeps: [16, 8]}\n";
  check_cases(asked_for(sweep, ASKED("substeps+=64,5"), NULL), names,
              "explicit_euler 16 0; explicit_euler 64 0; velocity_verlet 16 0; velocity_verlet 64 0; "
              "symplectic_euler 8 0; implicit_euler 9 0; symplectic_euler 64 1; symplectic_euler 64 2; "
              "explicit_euler 5 0; velocity_verlet 5 0; symplectic_euler 5 0; symplectic_euler 64 0; "
              "implicit_euler 5 0; implicit_euler 64 0");
  check_cases(asked_for(sweep, ASKED("substeps+=5"), &(sb_selection){.quick = true}), names,
              "explicit_euler 16 0; velocity_verlet 16 0; symplectic_euler 8 0; symplectic_euler 64 1; "
              "symplectic_euler 64 2; explicit_euler 5 0; velocity_verlet 5 0; symplectic_euler 5 0; "
              "implicit_euler 5 0");
  check_cases(asked_for(sweep, ASKED("drag+=3", "drag=1"), &(sb_selection){.filter = "substeps == 8"}), names,
              "symplectic_euler 8 1; symplectic_euler 8 3");
  check_cases(asked_for(sweep, ASKED("substeps+=64"), &(sb_selection){.quick = true, .filter = "drag == 0"}), names,
              "explicit_euler 16 0; velocity_verlet 16 0; symplectic_euler 8 0; symplectic_euler 64 0; "
              "implicit_euler 64 0");
  check_cases(
      asked_for(sweep, ASKED("substeps+=5,5", "integrator+=rk4"), &(sb_selection){.filter = "integrator == rk4"}),
      names, "rk4 16 0; rk4 64 0; rk4 5 0; rk4 8 0; rk4 9 0");
}

/* An axis that a request sets gets further values, too. An animation then may show several cases. */
static void test_further_values_of_a_request(void)
{
  static const char *const names[] = {"nodes", NULL};
  static const char        sweep[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [0, 1]}}]\n"
                                          "animations: [{id: m, title: M, frames: 2, where: drag == 0}]\n";
  check_cases(asked_for(sweep, ASKED("nodes=5", "nodes+=6"), &(sb_selection){.filter = "drag == 1"}), names, "5; 6");
  static const char shown[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [0, 1], nodes: 5}}]\n"
                                   "animations: [{id: m, title: M, frames: 2, where: drag == 0}]\n";
  check_cases(asked_for(shown, ASKED("nodes+=6"), NULL), names, "5; 5; 6; 6");
}

/* As many axes as are widened at once: every combination of old and new values is a case. */
static void test_most_further_values(void)
{
  static const char sweep[] =
      HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: 0, nodes: 5, seed: 1, substeps: 8, "
           "stiffness: 100, velocity_factor: 1, total_mass: 1, frames: 9, frame_seconds: 1}}]\n";
  const char *const words[] = {
      "drag+=1",       "nodes+=6",  "seed+=2",          "substeps+=9",          "stiffness+=50",
      "total_mass+=2", "frames+=8", "frame_seconds+=2", "velocity_factor+=0.5", NULL};
  const char *eight[9] = {0};
  memcpy(eight, words, 8 * sizeof *eight);
  assert_int_equal(asked_for(sweep, eight, NULL)->count, 256);
  sb_diagnostics   *d = sb_diagnostics_create();
  const sb_session *session = session_with(NULL, d);
  sb_sweep         *s = sb_sweep_parse(sweep, strlen(sweep), "f", session);
  for (size_t i = 0; words[i]; ++i) assert_true(sb_request_take(s, words[i], session));
  assert_null(sb_plan_create(s, NULL, session));
  assert_non_null(strstr(sb_diagnostics_message(d, 0), "further values of 9 axes (at most 8) [E107]"));
  sb_diagnostics_destroy(&d);
}

/* Names of methods are those of the sweep as it is; an added method is a further value. */
static void test_added_methods(void)
{
  static const char        sweep[] = HEAD "defaults: {scene: rope, integrator: implicit_euler}\n"
                                          "methods: {a: {linear: jacobi}}\n"
                                          "sweep: [{grid: {method: a, drag: [0, 1]}}, {grid: {drag: [2, 3]}}]\n";
  static const char *const added[] = {"mine: {linear: petsc}", "{other: {linear: lu}}", NULL};
  const sb_selection       other = {.filter = "method == other and drag == 1"};
  check_names(asked_for(sweep, added, NULL), "a|newton; a|newton; |newton; |newton; mine|newton; mine|newton; "
                                             "other|newton; other|newton");
  check_names(asked_for(sweep, added, &other), "other|newton");
  check_names(asked_for(sweep, ASKED("mine: {linear: petsc}", "method=mine,a"), &(sb_selection){.filter = "drag == 3"}),
              "mine|newton; a|newton");
  check_names(asked_for(sweep, ASKED("mine: {linear: petsc}", "method=a"), &(sb_selection){.filter = "drag == 3"}),
              "a|newton");
  /* one with the options of another is that one */
  check_names(asked_for(sweep, ASKED("mine: {linear: jacobi}"), &(sb_selection){.filter = "drag <= 1"}),
              "a|newton; a|newton");
}

/* A directory has the name of what a request sets, in any order; one that needs other characters has a digest. */
static void test_directories(void)
{
  static const struct {
    const char *words[3], *name, *options;
  } rows[] = {
      {{"drag+=3"}, "n", " -p 'drag+=3'"},
      {{"m: {drag: 5.0}"}, "n", " --method 'm: {\"drag\": \"5\"}'"},
      {{"nodes=5", "drag=1e0,2"}, "n.drag-1+2.nodes-5", " -p 'drag=1,2' -p 'nodes=5'"},
      {{"drag=1,2", "nodes=5"}, "n.drag-1+2.nodes-5", " -p 'drag=1,2' -p 'nodes=5'"},
      {{"drag=2,1"}, "n.drag-2+1", " -p 'drag=2,1'"},
      {{"nodes+=5", "drag+=3,1", "drag+=3"}, "n", " -p 'drag+=1,3' -p 'nodes+=5'"},
      {{"jacobi_omega+=auto,1,0.5"}, "n", " -p 'jacobi_omega+=0.5,1,auto'"},
      {{"gravity=[0,-1,0]"}, "n.", " -p 'gravity=[0,-1,0]'"},
      {{"seed=10000000,20000000,30000000,40000000,50000000,6000000"},
       "n.seed-10000000+20000000+30000000+40000000+50000000+6000000", /* 59 bytes */
       ""},
      {{"seed=10000000,20000000,30000000,40000000,50000000,60000000"}, "n.", ""},
      {{"rope_to=[0,1.23456789012345678,0]", "rope_from=[0,1,2]"}, "n.", ""},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    sb_sweep *s = sweep_of(HEAD "defaults: {scene: rope}\nmethods: {a: {}}\nsweep: [{grid: {drag: 0, method: a}}]\n");
    const sb_session *session = session_with(NULL, NULL);
    for (const char *const *word = rows[i].words; word < rows[i].words + 3 && *word; ++word)
      assert_true(strchr(*word, ':') ? sb_sweep_add_methods(s, *word, "--method", session)
                                     : sb_request_take(s, *word, session));
    const char  *name = sb_request_directory(s, test_arena());
    const size_t length = strlen(rows[i].name);
    assert_memory_equal(name, rows[i].name, length);
    if (strcmp(rows[i].name, "n.") != 0)
      assert_string_equal(name, rows[i].name);
    else
      assert_int_equal(strspn(name + 2, "0123456789abcdef"), 16);
    if (*rows[i].options) assert_string_equal(sb_request_options(s, test_arena()), rows[i].options);
    char *text = sb_request_text(s);
    assert_non_null(text);
    free(text);
  }
  sb_sweep *plain = sweep_of(HEAD "defaults: {scene: rope}\n");
  assert_string_equal(sb_request_directory(plain, test_arena()), "n");
  assert_string_equal(sb_request_options(plain, test_arena()), "");
  assert_null(sb_request_text(plain));
}

/* States are stored so rarely that an animation has no more frames than it is to have. Whatever narrows a plan makes
 * it a part. */
static void test_animated(void)
{
  static const struct {
    int         frames;
    const char *save;
  } trials[] = {{11, "every:1"}, {4, "every:4"}, {6, "every:2"}, {1, "every:10"}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    const sb_plan *p = plan_of(sb_arena_format(test_arena(),
                                               HEAD "defaults: {scene: rope, frames: 10, frame_seconds: 0.1}\n"
                                                    "animations: [{id: m, title: M, frames: %d}]\n",
                                               trials[i].frames),
                               NULL);
    assert_string_equal(SB_TEXT(p->cases[0].options, save), trials[i].save);
  }
  static const sb_selection parts[] = {{.filter = "drag == 0"}, {.exclude = "drag == 0"}, {.quick = true}};
  assert_true(sb_selection_is_whole(NULL) && sb_selection_is_whole(&(sb_selection){.override_count = 1}));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) assert_false(sb_selection_is_whole(&parts[i]));
}

/* A stored plan is taken as it was stored. */
static void test_forged_stored_plan(void)
{
  static const char sweep[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [0, 1]}}]\n";
  sb_diagnostics   *d = sb_diagnostics_create();
  char             *text = sb_plan_json(sweep_of(sweep), plan_of(sweep, NULL), NULL);
  char             *changed = strstr(text, "drag=1") + 5;
  *changed = '2';
  assert_null(sb_plan_from_json(text, "plan.json", session_with(NULL, d)));
  assert_non_null(strstr(sb_diagnostics_message(d, 0), "does not fit its own checksum"));
  sb_diagnostics_destroy(&d);
  d = sb_diagnostics_create();
  *changed = '1';
  json_error_t error;
  json_auto_t *stored = json_loads(text, 0, &error), *cases = json_incref(json_object_get(stored, "cases"));
  json_object_del(stored, "check");
  json_array_append(cases, json_array_get(cases, 0));
  SB_OWNED char *twice = json_dumps(stored, JSON_COMPACT);
  assert_null(sb_plan_from_json(twice, "plan.json", session_with(NULL, d)));
  assert_non_null(strstr(sb_diagnostics_message(d, 0), "it has a case twice"));
  sb_diagnostics_destroy(&d);
  free(text);
}

static void test_bad_methods(void)
{
  static const char sweep[] = HEAD "defaults: {scene: rope}\nmethods: {a: {linear: jacobi}}\nsweep: [{grid: {method: "
                                   "a}}]\n";
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"a: {linear: cg}", "--method:1:1: error: there is a method 'a' already; choose another name, or -p method=a"},
      {"mine", "--method:1:1: error: --method takes 'NAME: {OPTION: VALUE, …}'; got 'mine' [E102]"},
      {"{}", "--method:1:1: error: --method takes"},
      {"", "--method:1:1: error: there is nothing in it [E110]"},
      {"mine: cg",
       "--method:1:7: error: 'mine' is a mapping of options, as in --method 'mine: {linear: jacobi}' [E102]"},
      {"mine: {linar: cg}", "--method:1:8: error: unknown option 'linar'; did you mean 'linear'? [E101]"},
      {"mine: {drag: x}", "--method:1:14: error: "},
      {"mine: {driver: blowup}", "--method:1:8: error: 'driver' is a key of the whole sweep, not of a case [E101]"},
      {"mine: {linear: cg", "--method:1:18: error: "},
      {"../x: {linear: cg}", "--method:1:1: error: 'name' is used in file names: at most 64"},
      {"x: {drag: 1}\nx: {drag: 2}", "--method:2:1: error: "},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    assert_false(sb_sweep_add_methods(sweep_of(sweep), cases[i].text, "--method", session_with(NULL, d)));
    if (strncmp(sb_diagnostics_message(d, 0), cases[i].message, strlen(cases[i].message)) != 0)
      fail_msg("%s: %s", cases[i].text, sb_diagnostics_message(d, 0));
    sb_diagnostics_destroy(&d);
  }
  sb_diagnostics *d = sb_diagnostics_create();
  sb_sweep       *s = sweep_of(HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [0, 1]}}]\n");
  assert_true(sb_sweep_add_methods(s, "mine: {linear: cg}", "--method", session_with(NULL, NULL)));
  assert_null(sb_plan_create(s, NULL, session_with(NULL, d)));
  assert_string_equal(sb_diagnostics_message(d, 0),
                      "--method: error: sweep 'n' has no axis 'method' to which a method could be added; give options "
                      "with -p [E106]");
  sb_diagnostics_destroy(&d);
}

/* Options that the sweep's expressions name are columns, and so is what a scene changes; backends are words. */
static void test_columns(void)
{
  sb_plan *p = plan_of(HEAD "sweep: [{grid: {scene: rope}}, {grid: {scene: oscillator}}]\n"
                            "expect: [{claim: x, test: drag == 0, where: linear == petsc}]\n",
                       NULL);
  bool     drag = false, nodes = false, petsc = false, save = false;
  assert_string_equal(p->axes[0], "scene");
  for (size_t i = 0; i < p->axis_count; ++i) {
    drag = drag || strcmp(p->axes[i], "drag") == 0;
    nodes = nodes || strcmp(p->axes[i], "nodes") == 0;
    petsc = petsc || strcmp(p->axes[i], "petsc") == 0;
    save = save || strcmp(p->axes[i], "save") == 0;
  }
  assert_true(drag && nodes && !petsc && !save);
  p = plan_of(HEAD "sweep: [{grid: {scene: rope}}]\n"
                   "tables: [{id: t, rows: scene, over: drag, columns: [{value: count(status)}]}]\n",
              NULL);
  assert_int_equal(p->axis_count, 2);
  assert_string_equal(p->axes[1], "drag"); /* which nothing else names */
}

static const sb_driver      trajectory = {.name = "trajectory", .uses = "integrator"};
static const sb_list *const drivers = TEST_LIST("drivers", &trajectory.entry);

/* As plan_of, with the names of all lists, which decide the options that a case reads. */
static sb_plan *plan_with_lists(const char *text, sb_selection request)
{
  sb_diagnostics  *d = sb_diagnostics_create();
  const sb_session s = {test_arena(), vocabulary_with(drivers), d, false};
  const sb_sweep  *sweep = sb_sweep_parse(text, strlen(text), "f", &s);
  sb_plan         *p = sweep ? sb_plan_create(sweep, &request, &s) : NULL;
  if (!p) fail_msg("%s", sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return p;
}

/* A request that gives all options for which the names of minimisers stand makes two of them one: the first stays. */
static void test_minimizers_that_become_equal(void)
{
  static const char *const request[] = {"metric=laplacian", "accelerator=none", "step=armijo"};
  static const char        sweep[] = "springbench: 1\nname: n\ndriver: trajectory\n"
                                     "defaults: {scene: rope, h: 0.01, integrator: implicit_euler}\n"
                                     "sweep: [{grid: {minimizer: [gradient_descent, newton]}}]\n";
  check_names(plan_with_lists(sweep, (sb_selection){.override_count = 1, .overrides = request}),
              "|gradient_descent; |newton");
  check_names(plan_with_lists(sweep, (sb_selection){.override_count = 3, .overrides = request}), "|gradient_descent");
}

/* An option that a case does not read is blank, in its row and for filters, even if the sweep gives it. It is not a
 * column if all cases that read it have the same value. Exclusions use the values that the sweep gives. */
static void test_unread(void)
{
  static const char *const names[] = {"integrator", "minimizer", "hessian", NULL};
  static const char        text[] = "springbench: 1\nname: n\ndriver: trajectory\n"
                                    "defaults: {scene: rope, h: 0.01, max_iterations: 7}\n"
                                    "sweep:\n"
                                    "  - grid: {integrator: [rk4, implicit_euler]}\n"
                                    "  - grid: {integrator: [rk4, implicit_euler], minimizer: xpbd}\n"
                                    "exclude: [{when: integrator == rk4 and minimizer == xpbd, because: the same}]\n";
  sb_plan                 *p = plan_with_lists(text, (sb_selection){0});
  check_cases(p, names, "rk4 - -; implicit_euler newton adaptive; rk4 - - skipped; implicit_euler xpbd -");
  assert_int_equal(p->axis_count, 2);
  bool *varying = sb_plan_varying(p, test_arena());
  char  told[64] = "";
  FILE *stream = fmemopen(told, sizeof told, "w");
  sb_plan_put_case(p, varying, &p->cases[0], stream);
  fclose(stream);
  assert_string_equal(told, "integrator=rk4");
  p = plan_with_lists(text, (sb_selection){.filter = "minimizer == newton"});
  check_cases(p, names, "implicit_euler newton adaptive");
  p = plan_with_lists(text, (sb_selection){.filter = "max_iterations == 7"});
  assert_int_equal(p->count, 2);
  p = plan_with_lists(text, (sb_selection){.exclude = "or_else(minimizer, none) == none"});
  assert_int_equal(p->count, 2);
  /* a request may leave what the file gives without a case that reads it, but not what it gives itself */
  static const char *const request[] = {"integrator=rk4", "minimizer=newton"};
  static const char        file[] = "springbench: 1\nname: n\ndriver: trajectory\n"
                                    "defaults: {scene: rope, h: 0.01, max_iterations: 7, integrator: implicit_euler}\n";
  p = plan_with_lists(file, (sb_selection){.override_count = 1, .overrides = request});
  check_cases(p, names, "rk4 - -");
  sb_diagnostics  *d = sb_diagnostics_create();
  const sb_session s = {test_arena(), vocabulary_with(drivers), d, false};
  const sb_sweep  *sweep = sb_sweep_parse(file, strlen(file), "f", &s);
  assert_null(sb_plan_create(sweep, &(sb_selection){.override_count = 2, .overrides = request}, &s));
  assert_non_null(strstr(sb_diagnostics_message(d, 0), "no case with minimizer=newton reads it"));
  sb_diagnostics_destroy(&d);
}

static const char both[] =
    HEAD "defaults: {scene: rope}\n"
         "sweep:\n"
         "  - grid: {integrator: [explicit_euler, velocity_verlet], substeps: [16, 64, 256]}\n"
         "  - zip: {integrator: [symplectic_euler, implicit_euler, velocity_verlet], substeps: [8, 9, 10]}\n"
         "exclude:\n"
         "  - {when: integrator == velocity_verlet and substeps > 100, because: too long}\n";

/* A sweep says what a quick run keeps: of the axes it names these values, wherever a block has them. */
static void test_quick(void)
{
  static const char *const  names[] = {"integrator", "substeps", "drag", NULL};
  static const char *const  drag[] = {"drag=0.1,0.2"};
  static const sb_selection quick = {.quick = true};
  char                      text[1024];
  snprintf(text, sizeof text, "%squick: {substeps: [64, 9, 256]}\n", both);
  check_cases(plan_of(text, &quick), names,
              "explicit_euler 64 0; explicit_euler 256 0; velocity_verlet 64 0; velocity_verlet 256 0 skipped; "
              "implicit_euler 9 0");
  snprintf(text, sizeof text, "%squick: {substeps: [64], integrator: [explicit_euler, implicit_euler]}\n", both);
  check_cases(plan_of(text, &quick), names, "explicit_euler 64 0");
  const sb_selection overridden = {.quick = true, .override_count = 1, .overrides = drag};
  check_cases(plan_of(text, &overridden), names, "explicit_euler 64 0.1; explicit_euler 64 0.2");
  snprintf(text, sizeof text, "%squick: all\n", both);
  assert_int_equal(plan_of(text, &quick)->count, plan_of(text, NULL)->count);
}

static void test_narrowing(void)
{
  static const char *const names[] = {"integrator", "substeps", "drag", NULL};
  static const char *const drag[] = {"drag=0.1,0.2"}, *const steps[] = {"substeps=5,6"},
                           *const three[] = {"nodes=5", "ranks=2", "save=every:3"}, *const many[] = {"substeps=5,6,7"};
  sb_plan *p = plan_of(both, NULL);
  check_cases(p, names,
              "explicit_euler 16 0; explicit_euler 64 0; explicit_euler 256 0; velocity_verlet 16 0; "
              "velocity_verlet 64 0; velocity_verlet 256 0 skipped; symplectic_euler 8 0; "
              "implicit_euler 9 0; velocity_verlet 10 0");
  p = plan_of(both, &(sb_selection){.quick = true});
  check_cases(p, names,
              "explicit_euler 16 0; explicit_euler 64 0; velocity_verlet 16 0; velocity_verlet 64 0; "
              "symplectic_euler 8 0; implicit_euler 9 0");
  p = plan_of(both, &(sb_selection){.filter = "integrator ~ '^v'", .exclude = "substeps == 64"});
  check_cases(p, names, "velocity_verlet 16 0; velocity_verlet 256 0 skipped; velocity_verlet 10 0");
  p = plan_of(both, &(sb_selection){.filter = "nodes == 3"});
  assert_int_equal(p->count, 0);
  p = plan_of(both, &(sb_selection){.override_count = 1, .overrides = drag, .quick = true, .filter = "substeps <= 16"});
  check_cases(p, names,
              "explicit_euler 16 0.1; explicit_euler 16 0.2; velocity_verlet 16 0.1; velocity_verlet 16 0.2; "
              "symplectic_euler 8 0.1; symplectic_euler 8 0.2; implicit_euler 9 0.1; implicit_euler 9 0.2");
  /* an override is taken at its word, also when the rest is shortened */
  p = plan_of(
      both,
      &(sb_selection){.override_count = 1, .overrides = many, .quick = true, .filter = "integrator == explicit_euler"});
  check_cases(p, names, "explicit_euler 5 0; explicit_euler 6 0; explicit_euler 7 0");
  /* in the zip the axis is taken out and added; equal cases of two blocks are then one */
  p = plan_of(both, &(sb_selection){.override_count = 1, .overrides = steps});
  check_cases(p, names,
              "explicit_euler 5 0; explicit_euler 6 0; velocity_verlet 5 0; velocity_verlet 6 0; "
              "symplectic_euler 5 0; symplectic_euler 6 0; implicit_euler 5 0; implicit_euler 6 0");
  p = plan_of(both, &(sb_selection){.override_count = 3, .overrides = three});
  assert_int_equal(p->count, 9);
  assert_int_equal(SB_INTEGER(p->cases[8].options, ranks), 2);
  assert_int_equal(SB_INTEGER(p->cases[8].options, nodes), 5);
  assert_string_equal(SB_TEXT(p->cases[8].options, save), "every:3");
}

/* Lists and texts contain commas. */
static void test_overrides_with_commas(void)
{
  static const char *const given[] = {"gravity=[0,-1,0],[0,-2,0]", "pins=[0,2],first", "petsc=-mg_levels 1,2"};
  static const char *const names[] = {"gravity", "pins", NULL};
  sb_plan *p = plan_of(HEAD "defaults: {scene: rope}", &(sb_selection){.override_count = 2, .overrides = given});
  check_cases(p, names, "[0,-1,0] [0,2]; [0,-1,0] first; [0,-2,0] [0,2]; [0,-2,0] first");
}

/* Refusals that tests/input/sweep.rows cannot have: nothing is planned, and each fault has one message. */
static void test_refusals(void)
{
#define ROPE HEAD "defaults: {scene: rope}\n"
  static const char *const bare[] = {"substeps"}, *const driver[] = {"driver=blowup"}, *const method[] = {"method=b"},
                           *const one_wrong[] = {"substeps=3,x"}, *const save[] = {"save=all"};
  static const struct {
    const char  *text;
    sb_selection request;
    const char  *message; /* the start of the first one */
  } refusals[] = {
      {ROPE "sweep: [{grid: {save: [none, final]}}]",
       {0},
       "f:5:9: error: two cases are the same: 'save=none' of block 1 and 'save=final' of block 1 [E108]"},
      {HEAD "defaults: {scene: rope, velocity_factor: 0.9, damping_rate: 1}\nsweep: [{grid: {drag: [0, 1]}}]",
       {0},
       "f:4:61: error: velocity_factor and damping_rate state the same damping twice"},
      {HEAD "defaults: {scene: rope, linear: petsc, linear_tolerance: 1e-5, petsc: -ksp_rtol 1e-9,\n"
            "  integrator: implicit_euler}",
       {0},
       "f:4:71: error: a tolerance is given twice: linear_tolerance and -ksp_rtol in petsc [E106]"},
      {ROPE,
       {.override_count = 1, .overrides = one_wrong},
       "command line: error: option 'substeps' takes a whole number; got 'x' [E102]"},
      {ROPE,
       {.override_count = 1, .overrides = bare},
       "command line: error: expected KEY=VALUE[,VALUE…] or KEY+=VALUE[,VALUE…]; got 'substeps'"},
      {ROPE, {.override_count = 1, .overrides = driver}, "command line: error: the driver of a sweep cannot be"},
      {ROPE "methods: {a: {}}",
       {.override_count = 1, .overrides = method},
       "command line: error: unknown method 'b'; did you mean 'a'? [E106]"},
      {ROPE, {.override_count = 1, .overrides = save}, "command line: error: unknown save 'all'"},
      {ROPE,
       {.filter = "stifness == 1"},
       "command line: error: unknown option 'stifness'; did you mean 'stiffness'? [E101]"},
  };
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    sb_sweep       *s = sweep_of(refusals[i].text);
    assert_null(sb_plan_create(s, &refusals[i].request, session_with(NULL, d)));
    assert_int_equal(sb_diagnostics_errors(d), 1);
    if (strncmp(sb_diagnostics_message(d, 0), refusals[i].message, strlen(refusals[i].message)) != 0)
      fail_msg("%s\n  expected %s\n  got      %s", refusals[i].text, refusals[i].message, sb_diagnostics_message(d, 0));
    assert_null(sb_plan_create(s, &refusals[i].request, &(sb_session){.arena = test_arena()})); /* in silence */
    sb_diagnostics_destroy(&d);
  }
}

/* A POSIX shell reads the same options from a command line, hence the key is the same. */
static void check_round_trip(const sb_planned_case *c)
{
  char            script[2048], pair[512], key[SB_KEY_LENGTH + 1];
  sb_time_grid    time;
  sb_options     *options = sb_options_create(NULL);
  sb_diagnostics *d = sb_diagnostics_create();
  assert_int_equal(strncmp(c->command, "springbench case ", 17), 0);
  snprintf(script, sizeof script, "printf '%%s\\n' %s", c->command + 17);
  FILE *shell = popen(script, "r");
  while (fgets(pair, sizeof pair, shell)) {
    pair[strcspn(pair, "\n")] = '\0';
    if (!sb_options_set_pair(options, pair, SB_FROM_USER, (sb_location){0}, d))
      fail_msg("%s: %s", pair, sb_diagnostics_message(d, 0));
  }
  assert_int_equal(pclose(shell), 0);
  assert_true(sb_case_resolve(options, &time, d));
  sb_case_key(options, NULL, key);
  assert_string_equal(key, c->key);
  assert_int_equal(time.steps, c->time.steps);
  for (int i = 0; i < SB_OPT_COUNT; ++i)
    assert_string_equal(sb_options_text(options, (sb_option_id)i), sb_options_text(c->options, (sb_option_id)i));
  sb_options_destroy(&options);
  sb_diagnostics_destroy(&d);
}

static void test_commands(void)
{
  static const char *const texts[] = {
      HEAD "defaults: {scene: rope, frames: 400, drag: 0.001, substeps: 9}",
      HEAD "defaults: {scene: cloth, linear: petsc, petsc: '-ksp_type cg -pc_type icc', gravity: [0, 0, -1], "
           "integrator: implicit_euler}",
      HEAD "defaults: {scene: curtain, grid: 10, pins: [0, 3, 5:7], h: 1/30, duration: 1, save: 'every:3', "
           "integrator: implicit_euler, step: armijo}",
      HEAD "defaults: {scene: chain}\n"
           "sweep: [{grid: {ends: [fixed_free, free_free], initial_mode: [1, 2], duration: 10}}]",
      HEAD "defaults: {scene: oscillator, amplitude: -0.25, h: 0.1, duration: 1}",
      HEAD "defaults: {scene: cloth, young: 100}",
  };
  for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
    sb_plan *p = plan_of(texts[t], NULL);
    for (size_t i = 0; i < p->count; ++i) check_round_trip(&p->cases[i]);
    if (t == 0)
      assert_string_equal(p->cases[0].command,
                          "springbench case driver=blowup scene=rope substeps=9 frames=400 drag=0.001");
    if (t == 1)
      assert_string_equal(p->cases[0].command, "springbench case driver=blowup scene=cloth "
                                               "integrator=implicit_euler linear=petsc "
                                               "gravity='[0,0,-1]' petsc='-ksp_type cg -pc_type icc'");
  }
}

static void check_equal(const sb_plan *a, const sb_plan *b)
{
  assert_int_equal(a->count, b->count);
  assert_int_equal(a->axis_count, b->axis_count);
  for (size_t i = 0; i < a->axis_count; ++i) assert_string_equal(a->axes[i], b->axes[i]);
  for (size_t i = 0; i < a->count; ++i) {
    const sb_planned_case *x = &a->cases[i], *y = &b->cases[i];
    char                   key[SB_KEY_LENGTH + 1];
    assert_string_equal(x->key, y->key);
    assert_string_equal(x->command, y->command);
    assert_string_equal(x->skipped ? x->skipped : "", y->skipped ? y->skipped : "");
    assert_string_equal(x->method ? x->method : "", y->method ? y->method : "");
    assert_int_equal(x->time.steps, y->time.steps);
    sb_case_key(y->options, NULL, key);
    assert_string_equal(key, y->key);
  }
}

static void test_stored_plan(void)
{
  sb_sweep *s = sweep_of(HEAD "defaults: {scene: rope, integrator: implicit_euler}\nmethods: {a: {linear: jacobi}}\n"
                              "sweep: [{grid: {method: a, drag: [0, 1]}}, {grid: {drag: [2, 3]}}, "
                              "{grid: {scene: [cloth, rope], seed: [1]}}]\n"
                              "exclude: [{when: drag == 3, because: 'a \"reason\"'}]\n");
  sb_plan  *p = sb_plan_create(s, NULL, session_with(NULL, NULL));
  char     *text = sb_plan_json(s, p, NULL);
  sb_plan  *q = sb_plan_from_json(text, "plan.json", session_with(NULL, NULL));
  check_equal(p, q);
  char *again = sb_plan_json(s, q, NULL);
  assert_string_equal(text, again);
  free(text);
  free(again);
}

/* The longest text that was parsed as JSON at once; CMake wraps the function. */
static size_t longest;
json_t       *__real_json_loads(const char *text, size_t flags, json_error_t *error);
json_t       *__wrap_json_loads(const char *text, size_t flags, json_error_t *error);
json_t       *__wrap_json_loads(const char *text, size_t flags, json_error_t *error)
{
  json_t *value = __real_json_loads(text, flags, error);
  if ((size_t)error->position > longest) longest = (size_t)error->position;
  return value;
}

/* A plan of many cases is parsed case by case, as all of it as JSON would take six times its room. */
static void test_long_stored_plan(void)
{
  char text[4096] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {seed: [1";
  for (int i = 2; i <= 300; ++i) sprintf(text + strlen(text), ", %d", i);
  strcat(text, "]}}]\n");
  const sb_plan *plan = plan_of(text, NULL);
  char          *json = sb_plan_json(sweep_of(text), plan, NULL);
  longest = 0;
  const sb_plan *read = sb_plan_from_json(json, "p", session_with(NULL, NULL));
  assert_non_null(read);
  assert_int_equal(read->count, 300);
  for (size_t i = 0; i < 300; ++i) assert_string_equal(read->cases[i].key, plan->cases[i].key);
  assert_in_range(longest, 1, strlen(json) / 100);
  free(json);
}

static void test_bad_stored_plans(void)
{
  static const struct {
    const char *text, *message;
  } cases[] = {
      {"{\"a\": 1,", "p:1:"},
      {"[]", "p: error: not a stored plan"},
      {"{\"springbench\": 2, \"axes\": [], \"cases\": []}",
       "p: error: a plan of format 2; this springbench reads format 1 [E113]"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [{}]}", "p: error: not a stored plan"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [{\"key\": \"../../etc/passwd\", \"command\": \"\", "
       "\"options\": {}}]}",
       "p: error: not a stored plan"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [{\"key\": \"0123456789abcdef\", \"command\": \"\", "
       "\"options\": {\"stifness\": \"1\"}}]}",
       "p: error: not a stored plan"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [{\"key\": \"0123456789abcdef\", \"command\": \"\", "
       "\"options\": {\"stiffness\": 1}}]}",
       "p: error: not a stored plan: an unknown option [E110]"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [{\"key\": \"0123456789abcdef\", \"command\": \"\", "
       "\"options\": {\"stiffness\": \"x\"}}]}",
       "p: error: option 'stiffness' takes a number; got 'x' [E102]"},
      /* cases are parsed one by one, in a text that is whole */
      {"{\"springbench\": 1, \"axes\": [],\n\"cases\": [\n{\"key\" 1}]}", "p:3:8: error: not JSON: "},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [{}", "p:1:"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [1]}", "p: error: not a stored plan"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": [,]}", "p:1:1: error: not JSON: "},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": {}}", "p: error: not a stored plan"},
      {"{\"springbench\": 1, \"axes\": [], \"cases\": []} x", "p:1:"},
      {"{\"springbench\": 1, \"cases\": [], \"axes\": [], \"cases\": [{}]}", "p:1:"},
      {"{\"springbench\": 1, \"axes\": []}", "p: error: not a stored plan"},
      {"", "p:"},
      {"{\"springbench\": 1, \"axes\": \"cases\", \"\\\"cases\": [], \"\\\\\": \"]\"}", "p: error: not a stored plan"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    assert_null(sb_plan_from_json(cases[i].text, "p", session_with(NULL, d)));
    assert_int_equal(sb_diagnostics_errors(d), 1);
    if (strncmp(sb_diagnostics_message(d, 0), cases[i].message, strlen(cases[i].message)) != 0)
      fail_msg("%s: %s", cases[i].text, sb_diagnostics_message(d, 0));
    sb_diagnostics_destroy(&d);
  }
}

/* Known cases are in the order of the whole plan; without one, in that of the keys. Options that no key has are those
 * that were asked for. */
static void test_known_cases(void)
{
  static const char *const names[] = {"drag", "save", NULL}, *const save[] = {"save=every:2"};
  static const char sweep[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [1, 2, 3, 4]}}]";
  const sb_plan    *made = plan_of(sweep, NULL), *stored = plan_of(sweep, &(sb_selection){.filter = "drag in [2, 4]"});
  check_cases(sb_plan_known(made, stored, NULL, test_arena()), names, "2 final; 4 final");
  const sb_plan *asked = plan_of(sweep, &(sb_selection){.filter = "drag <= 2", .override_count = 1, .overrides = save});
  stored = sb_plan_known(made, stored, asked, test_arena());
  check_cases(stored, names, "1 every:2; 2 every:2; 4 final");
  char *text = sb_plan_json(sweep_of(sweep), stored, NULL);
  stored = sb_plan_from_json(text, "plan.json", session_with(NULL, NULL));
  free(text);
  stored = sb_plan_known(made, stored, NULL, test_arena());
  check_cases(stored, names, "1 every:2; 2 every:2; 4 final");
  assert_non_null(strstr(stored->cases[0].command, "save=every:2"));
  const sb_plan *others = plan_of(HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [4, 5]}}]", NULL);
  check_cases(sb_plan_known(made, others, NULL, test_arena()), names, "4 final");
  const sb_plan *both_ways[] = {sb_plan_known(NULL, made, others, test_arena()),
                                sb_plan_known(NULL, others, made, test_arena())};
  for (size_t i = 0; i < 5; ++i) assert_string_equal(both_ways[0]->cases[i].key, both_ways[1]->cases[i].key);
  assert_int_equal(both_ways[0]->count, 5);
}

/* A stored case stands for one whose simulator is not here: by its key, or by its command, as the key has the digest.
 */
static void test_what_is_not_here(void)
{
  static const sb_entry        here = {.name = "here"};
  static const sb_entry *const entries[] = {&here};
  static const sb_list         simulators = {.family = "simulators", .entries = entries, .count = 1, .open = true};
  const sb_vocabulary          none = TEST_VOCABULARY(&simulators);
  static const char sweep[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {simulator: [here, gone], drag: [1, 2]}}]";
  const char *const names[] = {"simulator", "drag", NULL};
  sb_plan          *made = plan_of(sweep, NULL), *stored = plan_of(sweep, &(sb_selection){.filter = "drag == 1"});
  for (size_t i = 0; i < stored->count; ++i) stored->cases[i].key[0] = 'x';
  stored->cases[0].method = stored->cases[1].method = "before";
  sb_plan_stand_in(made, stored, &none);
  check_cases(made, names, "here 1; here 2; gone 1; gone 2");
  for (size_t i = 0; i < made->count; ++i) {
    assert_int_equal(made->cases[i].stands, i == 2);
    assert_int_equal(made->cases[i].key[0] == 'x', i == 2);
    assert_null(made->cases[i].method);
  }
  const char *const  save[] = {"save=every:2"}; /* in the command, but in no key */
  const sb_selection second = {.filter = "drag == 2", .override_count = 1, .overrides = save};
  const sb_plan     *kept = plan_of(sweep, &second);
  sb_plan_stand_in(made, kept, &none);
  assert_true(made->cases[3].stands);
  assert_string_equal(SB_TEXT(made->cases[3].options, save), "every:2");
  assert_false(sb_plan_is_here(made, &none));
  assert_ptr_equal(sb_plan_changed(made, stored), &stored->cases[0]);
  assert_null(sb_plan_changed(made, made));
}

/* Commands do not depend on the locale. */
static void test_locale(void)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  test_commands();
  setlocale(LC_ALL, "C");
}

/* Cases that share a net are checked one by one, whatever the order of their values. */
static void test_every_case_is_checked(void)
{
  static const struct {
    const char *defaults, *axis, *message;
  } cases[] = {
      {"scene: rope", "air_resistance: [0, 1]", "air_resistance acts on faces"},
      {"scene: rope", "air_resistance: [1, 0]", "air_resistance acts on faces"},
      {"scene: rope", "self_contact: [none, surfaces]", "needs faces"},
      {"scene: cloth, grid: 5, self_contact: surfaces", "thickness: [0.01, 0.9]", "half the shortest edge"},
      {"scene: cloth, grid: 5, self_contact: surfaces", "thickness: [0.9, 0.01]", "half the shortest edge"},
      {"scene: cloth, grid: 5, integrator: implicit_euler, self_contact: barrier, contact_stiffness: 1",
       "thickness: [0.01, 0.9]", "half the shortest edge"},
      {"scene: cloth, grid: 5, thickness: 0.01", "self_contact: [none, vertices]",
       "thickness 0.01 m does not cover triangles"},
      {"scene: cloth, grid: 5, integrator: implicit_euler", "h: [0.001, 1e8]", "h^2 k/m is"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    const sb_plan  *p =
        plan_of(sb_arena_format(test_arena(), HEAD "defaults: {%s, h: 0.001, steps: 2}\nsweep: [{grid: {%s}}]",
                                cases[i].defaults, cases[i].axis),
                NULL);
    sb_plan_check_scenes(p, session_with(NULL, d));
    if (!sb_diagnostics_message(d, 0) || !strstr(sb_diagnostics_message(d, 0), cases[i].message))
      fail_msg("%s: %s", cases[i].axis, sb_diagnostics_message(d, 0));
    sb_diagnostics_destroy(&d);
  }
}

int main(void)
{
  return RUN_TESTS_WITHIN(NULL, end_sessions, test_grid_and_zip, test_precedence, test_names_go_before_defaults,
                          test_names_under_a_request, test_further_values, test_further_values_of_a_request,
                          test_most_further_values, test_added_methods, test_minimizers_that_become_equal,
                          test_directories, test_animated, test_forged_stored_plan, test_bad_methods, test_columns,
                          test_unread, test_quick, test_narrowing, test_overrides_with_commas, test_refusals,
                          test_commands, test_stored_plan, test_long_stored_plan, test_bad_stored_plans,
                          test_known_cases, test_what_is_not_here, test_locale, test_every_case_is_checked);
}
