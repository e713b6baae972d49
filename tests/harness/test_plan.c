/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plans: what a sweep expands to, in which order, with which keys; what is refused; commands and stored plans. */
#include <jansson.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "base/option_ids.h"
#include "cases/describe/names.h"
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
static sb_plan *plan_with_names(const char *text, const sb_plan_request *request)
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
  check_cases(plan_with_names(sweep, &(sb_plan_request){.override_count = 1, .overrides = asked}), names,
              "newton coast projected armijo; linearly_implicit previous projected unit; "
              "linearly_implicit previous projected unit; linearly_implicit coast projected unit");
  check_cases(plan_with_names(HEAD "defaults: {scene: rope, integrator: implicit_euler, minimizer: linearly_implicit, "
                                   "start: coast}\n",
                              NULL),
              names, "linearly_implicit coast exact unit");
}

/* The names of all cases, as "method|minimizer; …". A changed method has no value of the axis. */
static void check_names(const sb_plan *p, const char *expected)
{
  char text[1024] = "";
  for (size_t i = 0; i < p->count; ++i) {
    const sb_planned_case *c = &p->cases[i];
    const sb_value         method = sb_case_value(c, "method");
    sprintf(text + strlen(text), "%s%s|%s", i ? "; " : "", sb_case_label(c, "method"), sb_case_label(c, "minimizer"));
    assert_int_equal(method.kind, c->changed[SB_NAMED_METHOD] ? SB_BLANK : SB_WORD);
  }
  assert_string_equal(text, expected);
}

/* A name that stands for options is another one if -p gives an option another value. */
static void test_changed_names(void)
{
  static const char sweep[] = HEAD
      "defaults: {scene: rope, integrator: implicit_euler}\n"
      "methods: {a: {minimizer: newton}, b: {minimizer: newton, max_iterations: 3, linear: petsc, petsc: \"-ksp_type "
      "cg -pc_type icc\"}, c: {minimizer: linearly_implicit}}\n"
      "sweep: [{grid: {method: [a, b, c]}}, {grid: {method: a, max_iterations: [5, 6]}}]\n";
  static const struct {
    const char *overrides[2], *names;
  } cases[] = {
      {{"drag=1"}, "a|newton; b|newton; c|linearly_implicit; a|newton; a|newton"},
      {{"max_iterations=3"}, "a|newton; b|newton; c|linearly_implicit"},
      {{"max_iterations=4"}, "a|newton; b with max_iterations=4|newton; c|linearly_implicit"},
      {{"petsc=-pc_type icc -ksp_type cg"}, "a|newton; b|newton; c|linearly_implicit; a|newton; a|newton"},
      {{"linear=jacobi", "max_iterations=4"},
       "a|newton; b with linear=jacobi max_iterations=4|newton; c|linearly_implicit"},
      {{"max_iterations=4", "linear=jacobi"},
       "a|newton; b with linear=jacobi max_iterations=4|newton; c|linearly_implicit"},
      {{"step=armijo"},
       "a|newton; b|newton; c with step=armijo|linearly_implicit with step=armijo; a|newton; a|newton"},
      {{"minimizer=newton"}, "a|newton; b|newton; a|newton; a|newton"}, /* c has the options of a */
      {{"minimizer=linearly_implicit"},
       "c|linearly_implicit; b with minimizer=linearly_implicit|linearly_implicit; c|linearly_implicit; "
       "c|linearly_implicit"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const sb_plan_request r = {.override_count = cases[i].overrides[1] ? 2 : 1, .overrides = cases[i].overrides};
    check_names(plan_with_names(sweep, &r), cases[i].names);
  }
  /* Filters know the method by the name in the file; expressions on results do not. */
  static const char *const more[] = {"max_iterations=4"};
  sb_plan_request          r = {.override_count = 1, .overrides = more, .filter = "method == b"};
  sb_sweep                *s = sweep_of(sweep);
  sb_plan                 *p = plan_of(sweep, &r);
  check_names(p, "b with max_iterations=4|newton");
  char    *text = sb_plan_json(s, p, NULL);
  sb_plan *q = sb_plan_from_json(text, "plan.json", session_with(NULL, NULL));
  sb_plan_rename_methods(q,
                         sweep_of(HEAD "defaults: {scene: rope}\nmethods: {b2: {minimizer: newton, max_iterations: 3, "
                                       "linear: petsc, petsc: \"-ksp_type cg -pc_type icc\"}}\n"
                                       "sweep: [{grid: {method: b2}}]\n"));
  check_names(q, "b2 with max_iterations=4|newton");
  free(text);
}

/* A name of an edited sweep is that of its options: a method that the stored plan has by that name is another one. A
 * case that two plans have takes the name that no command line changed. */
static void test_names_of_edited_sweeps(void)
{
  static const char        sweep[] = HEAD "defaults: {scene: rope, integrator: implicit_euler}\n"
                                          "methods: {a: {linear: jacobi, max_iterations: 3}}\n"
                                          "sweep: [{grid: {method: a}}]\n";
  static const char        edited[] = HEAD "defaults: {scene: rope, integrator: implicit_euler}\n"
                                           "methods: {a: {linear: lu}, a4: {linear: jacobi, max_iterations: 4}}\n"
                                           "sweep: [{grid: {method: [a, a4]}}]\n";
  static const char *const overrides[] = {"max_iterations=4"};
  sb_sweep                *s = sweep_of(sweep), *now = sweep_of(edited);
  char                    *text = sb_plan_json(s, plan_of(sweep, NULL), NULL);
  sb_plan                 *stored = sb_plan_from_json(text, "plan.json", session_with(NULL, NULL));
  sb_plan_rename_methods(stored, now);
  assert_null(stored->cases[0].method);
  free(text);
  sb_plan *changed = plan_of(sweep, &(sb_plan_request){.override_count = 1, .overrides = overrides});
  sb_plan *own = plan_of(edited, &(sb_plan_request){.filter = "method == a4"});
  check_names(changed, "a with max_iterations=4|newton");
  assert_string_equal(changed->cases[0].key, own->cases[0].key);
  assert_int_equal(sb_plan_join(plan_of(sweep, NULL), own, test_arena())->count, 2); /* they share none */
  check_names(sb_plan_join(changed, own, test_arena()), "a4|newton");
  check_names(sb_plan_join(own, changed, test_arena()), "a4|newton");
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
  static const sb_plan_request parts[] = {
      {.filter = "drag == 0"}, {.exclude = "drag == 0"}, {.quick = true}, {.added = true}, {.override_count = 1}};
  assert_true(sb_request_is_whole(NULL) && sb_request_is_whole(&(sb_plan_request){.ranks = 0}));
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) assert_false(sb_request_is_whole(&parts[i]));
}

/* A stored plan is taken as it was stored, and its cases by the keys of their commands. */
static void test_forged_stored_plan(void)
{
  static const char sweep[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [0, 1]}}]\n";
  sb_diagnostics   *d = sb_diagnostics_create();
  char             *text = sb_plan_json(sweep_of(sweep), plan_of(sweep, NULL), NULL);
  sb_plan          *p = sb_plan_from_json(text, "plan.json", session_with(NULL, d));
  assert_non_null(p);
  p->cases[1].key[0] = p->cases[1].key[0] == '0' ? '1' : '0';
  assert_false(sb_plan_restore(p, "plan.json", session_with(NULL, d)));
  assert_non_null(strstr(sb_diagnostics_message(d, 0), "has changed"));
  sb_diagnostics_destroy(&d);
  d = sb_diagnostics_create();
  char *changed = strstr(text, "drag=1") + 5;
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

/* Methods of the command line take the place of those of the axis. */
static void test_added_methods(void)
{
  static const char        sweep[] = HEAD "defaults: {scene: rope, integrator: implicit_euler}\n"
                                          "methods: {a: {linear: jacobi}}\n"
                                          "sweep: [{grid: {method: a, drag: [0, 1]}}, {grid: {drag: [2, 3]}}]\n";
  static const char *const both[] = {"method=a,mine"}, *const changed[] = {"linear=panel"};
  sb_sweep         *s = sweep_of(sweep);
  const sb_session *session = session_with(NULL, NULL);
  assert_true(sb_sweep_add_methods(s, "mine: {linear: petsc}", "--method", session));
  assert_true(sb_sweep_add_methods(s, "{other: {linear: lu}}", "--method 2", session));
  sb_plan *p = sb_plan_create(s, &(sb_plan_request){.added = true}, session);
  check_names(p, "mine|newton; mine|newton; other|newton; other|newton");
  assert_true(sb_case_method_is_foreign(p, &p->cases[0]));
  check_names(sb_plan_create(s, &(sb_plan_request){.added = true, .filter = "method == other and drag == 1"}, session),
              "other|newton");
  check_names(sb_plan_create(s, &(sb_plan_request){.added = true, .override_count = 1, .overrides = changed}, session),
              "mine with linear=panel|newton; mine with linear=panel|newton");
  assert_int_equal(
      sb_plan_create(s, &(sb_plan_request){.added = true, .override_count = 1, .overrides = both}, session)->count, 8);
  check_names(sb_plan_create(s, &(sb_plan_request){.filter = "drag < 2"}, session), "a|newton; a|newton");
  char        *text = sb_plan_json(s, p, NULL);
  json_auto_t *added = sb_plan_added(text);
  sb_plan     *q = sb_plan_from_json(text, "plan.json", session);
  sb_plan_rename_methods(q, sweep_of(sweep));
  check_names(q, "mine|newton; mine|newton; other|newton; other|newton");
  assert_true(sb_plan_check_added(p, added, (sb_location){0}, NULL));
  sb_sweep *edited = sweep_of(sweep);
  assert_true(sb_sweep_add_methods(edited, "mine: {linear: lu}", "--method", session));
  q = sb_plan_create(edited, &(sb_plan_request){.added = true}, session);
  assert_false(sb_plan_check_added(q, added, (sb_location){0}, NULL));
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
  assert_null(sb_plan_create(s, &(sb_plan_request){.added = true}, session_with(NULL, d)));
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
}

static const sb_driver      trajectory = {.name = "trajectory", .uses = "integrator"};
static const sb_list *const drivers = TEST_LIST("drivers", &trajectory.entry);

/* As plan_of, with the names of all lists, which decide the options that a case reads. */
static sb_plan *plan_with_lists(const char *text, sb_plan_request request)
{
  sb_diagnostics  *d = sb_diagnostics_create();
  const sb_session s = {test_arena(), vocabulary_with(drivers), d, false};
  const sb_sweep  *sweep = sb_sweep_parse(text, strlen(text), "f", &s);
  sb_plan         *p = sweep ? sb_plan_create(sweep, &request, &s) : NULL;
  if (!p) fail_msg("%s", sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return p;
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
  sb_plan                 *p = plan_with_lists(text, (sb_plan_request){0});
  check_cases(p, names, "rk4 - -; implicit_euler newton adaptive; rk4 - - skipped; implicit_euler xpbd -");
  assert_int_equal(p->axis_count, 2);
  bool *varying = sb_plan_varying(p, test_arena());
  char  told[64] = "";
  FILE *stream = fmemopen(told, sizeof told, "w");
  sb_plan_put_case(p, varying, &p->cases[0], stream);
  fclose(stream);
  assert_string_equal(told, "integrator=rk4");
  p = plan_with_lists(text, (sb_plan_request){.filter = "minimizer == newton"});
  check_cases(p, names, "implicit_euler newton adaptive");
  p = plan_with_lists(text, (sb_plan_request){.filter = "max_iterations == 7"});
  assert_int_equal(p->count, 2);
  p = plan_with_lists(text, (sb_plan_request){.exclude = "or_else(minimizer, none) == none"});
  assert_int_equal(p->count, 2);
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
  static const char *const     names[] = {"integrator", "substeps", "drag", NULL};
  static const char *const     drag[] = {"drag=0.1,0.2"};
  static const sb_plan_request quick = {.quick = true};
  char                         text[1024];
  snprintf(text, sizeof text, "%squick: {substeps: [64, 9, 256]}\n", both);
  check_cases(plan_of(text, &quick), names,
              "explicit_euler 64 0; explicit_euler 256 0; velocity_verlet 64 0; velocity_verlet 256 0 skipped; "
              "implicit_euler 9 0");
  snprintf(text, sizeof text, "%squick: {substeps: [64], integrator: [explicit_euler, implicit_euler]}\n", both);
  check_cases(plan_of(text, &quick), names, "explicit_euler 64 0");
  const sb_plan_request overridden = {.quick = true, .override_count = 1, .overrides = drag};
  check_cases(plan_of(text, &overridden), names, "explicit_euler 64 0.1; explicit_euler 64 0.2");
  snprintf(text, sizeof text, "%squick: all\n", both);
  assert_int_equal(plan_of(text, &quick)->count, plan_of(text, NULL)->count);
}

static void test_narrowing(void)
{
  static const char *const names[] = {"integrator", "substeps", "drag", NULL};
  static const char *const drag[] = {"drag=0.1,0.2"}, *const steps[] = {"substeps=5,6"}, *const one[] = {"nodes=5"},
                           *const many[] = {"substeps=5,6,7"};
  sb_plan                        *p = plan_of(both, NULL);
  check_cases(p, names,
              "explicit_euler 16 0; explicit_euler 64 0; explicit_euler 256 0; velocity_verlet 16 0; "
              "velocity_verlet 64 0; velocity_verlet 256 0 skipped; symplectic_euler 8 0; "
              "implicit_euler 9 0; velocity_verlet 10 0");
  p = plan_of(both, &(sb_plan_request){.quick = true});
  check_cases(p, names,
              "explicit_euler 16 0; explicit_euler 64 0; velocity_verlet 16 0; velocity_verlet 64 0; "
              "symplectic_euler 8 0; implicit_euler 9 0");
  p = plan_of(both, &(sb_plan_request){.filter = "integrator ~ '^v'", .exclude = "substeps == 64"});
  check_cases(p, names, "velocity_verlet 16 0; velocity_verlet 256 0 skipped; velocity_verlet 10 0");
  p = plan_of(both, &(sb_plan_request){.filter = "nodes == 3"});
  assert_int_equal(p->count, 0);
  p = plan_of(both,
              &(sb_plan_request){.override_count = 1, .overrides = drag, .quick = true, .filter = "substeps <= 16"});
  check_cases(p, names,
              "explicit_euler 16 0.1; explicit_euler 16 0.2; velocity_verlet 16 0.1; velocity_verlet 16 0.2; "
              "symplectic_euler 8 0.1; symplectic_euler 8 0.2; implicit_euler 9 0.1; implicit_euler 9 0.2");
  /* an override is taken at its word, also when the rest is shortened */
  p = plan_of(both,
              &(sb_plan_request){
                  .override_count = 1, .overrides = many, .quick = true, .filter = "integrator == explicit_euler"});
  check_cases(p, names, "explicit_euler 5 0; explicit_euler 6 0; explicit_euler 7 0");
  /* in the zip the axis is taken out and added; equal cases of two blocks are then one */
  p = plan_of(both, &(sb_plan_request){.override_count = 1, .overrides = steps});
  check_cases(p, names,
              "explicit_euler 5 0; explicit_euler 6 0; velocity_verlet 5 0; velocity_verlet 6 0; "
              "symplectic_euler 5 0; symplectic_euler 6 0; implicit_euler 5 0; implicit_euler 6 0");
  p = plan_of(both, &(sb_plan_request){.override_count = 1, .overrides = one, .ranks = 2, .save = "every:3"});
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
  sb_plan *p = plan_of(HEAD "defaults: {scene: rope}", &(sb_plan_request){.override_count = 2, .overrides = given});
  check_cases(p, names, "[0,-1,0] [0,2]; [0,-1,0] first; [0,-2,0] [0,2]; [0,-2,0] first");
}

/* What tests/input/sweep.rows does not have: nothing is planned, and each fault is said once. */
static void test_refusals(void)
{
#define ROPE HEAD "defaults: {scene: rope}\n"
  static const char *const bare[] = {"substeps"}, *const driver[] = {"driver=blowup"}, *const method[] = {"method=b"},
                           *const one_wrong[] = {"substeps=3,x"};
  static const struct {
    const char     *text;
    sb_plan_request request;
    const char     *message; /* the start of the first one */
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
       "command line: error: expected KEY=VALUE[,VALUE…]; got 'substeps'"},
      {ROPE, {.override_count = 1, .overrides = driver}, "command line: error: the driver of a sweep cannot be"},
      {ROPE "methods: {a: {}}",
       {.override_count = 1, .overrides = method},
       "command line: error: unknown method 'b'; did you mean 'a'? [E106]"},
      {ROPE, {.save = "all"}, "command line: error: unknown save 'all'"},
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

/* What a POSIX shell makes of a command line: the same options, hence the same key. */
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

static void test_union(void)
{
  static const char *const names[] = {"drag", NULL};
  static const char        sweep[] = HEAD "defaults: {scene: rope}\nsweep: [{grid: {drag: [1, 2, 3, 4]}}]";
  sb_plan                 *stored = NULL, *asked = plan_of(sweep, &(sb_plan_request){.filter = "drag in [2, 4]"});
  stored = sb_plan_join(stored, asked, test_arena());
  check_cases(stored, names, "2; 4");
  asked = plan_of(sweep, &(sb_plan_request){.filter = "drag <= 2"});
  stored = sb_plan_join(stored, asked, test_arena());
  check_cases(stored, names, "1; 2; 4");
  asked = plan_of(sweep, NULL);
  stored = sb_plan_join(stored, asked, test_arena());
  check_cases(stored, names, "1; 2; 3; 4");
  asked = plan_of(sweep, &(sb_plan_request){.filter = "drag in [2, 4]"});
  stored = sb_plan_join(stored, asked, test_arena());
  check_cases(stored, names, "1; 2; 3; 4");
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
                          test_changed_names, test_names_of_edited_sweeps, test_animated, test_forged_stored_plan,
                          test_added_methods, test_bad_methods, test_columns, test_unread, test_quick, test_narrowing,
                          test_overrides_with_commas, test_refusals, test_commands, test_stored_plan,
                          test_long_stored_plan, test_bad_stored_plans, test_union, test_locale,
                          test_every_case_is_checked);
}
