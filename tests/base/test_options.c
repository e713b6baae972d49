/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The option table and its parser: every default is a value of its own option, every error says where and what. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/option_ids.h"
#include "base/words.h"
#include "tests/cmocka_all.h"
#include "tests/lists.h"

static const sb_location HERE = {"a.yaml", 3, 7};

/* Sets `pair` and checks what came of it: the canonical text, or the start and a part of the message. */
typedef struct {
  const char *pair, *text, *message, *code;
} row;

static const row accepted[] = {
    {"stiffness=1e3", "1000", NULL, NULL},
    {"stiffness=0.1", "0.1", NULL, NULL},
    {"h=1/30", "0.03333333333333333", NULL, NULL},
    {"stiffness=-0", "0", NULL, NULL},
    {"h=1ms", "0.001", NULL, NULL},
    {"h=16.7 ms", "0.0167", NULL, NULL},
    {"h=2.5e2us", "0.00025", NULL, NULL},
    {"h=1/30s", "0.03333333333333333", NULL, NULL},
    {"duration=2min", "120", NULL, NULL},
    {"duration=0.5h", "1800", NULL, NULL},
    {"stiffness=10N/m", "10", NULL, NULL},
    {"stiffness=1.5 kN/m", "1500", NULL, NULL},
    {"stiffness=0.1 N/mm", "100", NULL, NULL},
    {"stiffness=7kg/s^2", "7", NULL, NULL},
    {"total_mass=100g", "0.1", NULL, NULL},
    {"total_mass=2t", "2000", NULL, NULL},
    {"damping_rate=5/s", "5", NULL, NULL},
    {"damping_rate=5 Hz", "5", NULL, NULL},
    {"damping_rate=5 1/s", "5", NULL, NULL},
    {"damping_rate=5 1 / ms", "5000", NULL, NULL},
    {"spring_damping=3 N s/m", "3", NULL, NULL},
    {"viscosity=1 mm^2/s", "1e-06", NULL, NULL},
    {"viscosity=1mm2/s", "1e-06", NULL, NULL},
    {"density=1000 kg/m^3", "1000", NULL, NULL},
    {"density=1000kg/m^2", "1000", NULL, NULL},
    {"gradient_tolerance=2mN", "0.002", NULL, NULL},
    {"memory_limit=2GiB", "2147483648", NULL, NULL},
    {"gravity=[0, 0, -9.8m/s^2]", "[0,0,-9.8]", NULL, NULL},
    {"gravity=[0,0,-980] cm/s^2", "[0,0,-9.8]", NULL, NULL},
    {"nodes=16", "16", NULL, NULL},
    {"nodes=+16", "16", NULL, NULL},
    {"allow_zero_length=yes", "true", NULL, NULL},
    {"gravity=[0, 0,-9.80]", "[0,0,-9.8]", NULL, NULL},
    {"pins=corners2", "corners2", NULL, NULL},
    {"pins=[0, 3,10:12]", "[0,3,10:12]", NULL, NULL},
    {"pins=[1,2,3,7]", "[1:3,7]", NULL, NULL},
    {"pins=4", "[4]", NULL, NULL},
    {"measure_frames=1:50", "[1:50]", NULL, NULL},
    {"save=every:10", "every:10", NULL, NULL},
    {"petsc=-ksp_type cg", "-ksp_type cg", NULL, NULL},
    {"petsc=", "", NULL, NULL},
    {"jacobi_omega=auto", "auto", NULL, NULL},
    {"jacobi_omega=0.60", "0.6", NULL, NULL},
    {"gradient_tolerance=auto", "auto", NULL, NULL},
};

static const row refused[] = {
    {"stifness=3", NULL, "unknown option 'stifness'; did you mean 'stiffness'?", "[E101]"},
    {"stiffness", NULL, "expected OPTION=VALUE", "[E101]"},
    {"stiffness=0.01s", NULL, "takes a number in N/m; got '0.01s'", "[E102]"},
    {"h=5m", NULL, "takes a number in s; got '5m'", "[E102]"},
    {"h=5 furlongs", NULL, "takes a number in s; got '5 furlongs'", "[E102]"},
    {"h=1/30mm", NULL, "takes a number in s", "[E102]"},
    {"h=1e999999999999ms", NULL, "takes a finite number", "[E103]"},
    {"h=1e400ms", NULL, "takes a finite number", "[E103]"},
    {"h=1e13ms", NULL, "out of range (allowed: (0,1e9] s); got '1e13ms'", "[E104]"},
    {"h=ms", NULL, "takes a number; got 'ms'", "[E102]"},
    {"h=1.2.3ms", NULL, "takes a number; got", "[E102]"},
    {"h=1s s", NULL, "takes a number in s", "[E102]"},
    {"friction=5%", NULL, "takes a number without a unit; got '5%'", "[E102]"},
    {"gravity=[0,0,-9.8m]", NULL, "takes three numbers in m/s^2", "[E102]"},
    {"gradient_tolerance=1kg", NULL, "takes a number in N or auto; got '1kg'", "[E102]"},
    {"grid=10m", NULL, "takes a whole number; got '10m'", "[E102]"},
    {"stiffness=10N/m/s", NULL, "takes a number in N/m", "[E102]"},
    {"stiffness=10Nm^-12", NULL, "takes a number in N/m", "[E102]"},
    {"stiffness=10m/kg", NULL, "takes a number in N/m", "[E102]"},
    {"stiffness=1,5", NULL, "takes a number; got '1,5'", "[E102]"},
    {"stiffness=0x10", NULL, "takes a number", "[E102]"},
    {"stiffness=", NULL, "takes a value", "[E102]"},
    {"stiffness= 3", NULL, "takes a number", "[E102]"},
    {"stiffness=nan", NULL, "takes a finite number", "[E103]"},
    {"stiffness=.inf", NULL, "takes a finite number", "[E103]"},
    {"stiffness=1e999", NULL, "takes a finite number", "[E103]"},
    {"stiffness=1e-400", NULL, "takes a finite number", "[E103]"},
    {"h=1/0", NULL, "takes a finite number", "[E103]"},
    {"h=0", NULL, "out of range (allowed: (0,1e9] s); got '0'", "[E104]"},
    {"stiffness=-1", NULL, "out of range", "[E104]"},
    {"step_tolerance=1", NULL, "out of range", "[E104]"},
    {"nodes=9999999999999999999", NULL, "overflows", "[E105]"},
    {"nodes=-3", NULL, "out of range", "[E104]"},
    {"nodes=1.5", NULL, "takes a whole number", "[E102]"},
    {"start=coasting", NULL, "unknown start 'coasting'; did you mean 'coast'? (choices: inertial, coast, previous)",
     "[E106]"},
    {"save=every:0", NULL, "out of range (allowed: none|final|every:#", "[E104]"},
    {"gravity=[0,0]", NULL, "takes three numbers", "[E102]"},
    {"gravity=[0,0,x]", NULL, "takes three numbers", "[E102]"},
    {"pins=[3,x]", NULL, "takes a list of numbers", "[E102]"},
    {"pins=[5:3]", NULL, "takes rising", "[E104]"},
    {"pins=corner", NULL, "unknown pins 'corner'; did you mean 'corner1'? (choices: none, first, corner1, corners2,",
     "[E106]"},
    {"petsc=a\nb", NULL, "takes printable text", "[E102]"},
    {"jacobi_omega=aut", NULL, "takes a number or auto; got 'aut'", "[E102]"},
    {"jacobi_omega=autos", NULL, "takes a number or auto; got 'autos'", "[E102]"},
    {"jacobi_omega=2", NULL, "out of range (allowed: auto|(0,2)); got '2'", "[E104]"},
    {"jacobi_omega=nan", NULL, "takes a finite number", "[E103]"},
    {"stiffness=auto", NULL, "takes a number; got 'auto'", "[E102]"},
};

static void accepts_values(void)
{
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; ++i) {
    sb_options     *options = sb_options_create(NULL);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    const bool      good = sb_options_set_pair(options, accepted[i].pair, SB_FROM_USER, HERE, diagnostics);
    if (!good) print_error("%s: %s\n", accepted[i].pair, sb_diagnostics_message(diagnostics, 0));
    assert_true(good);
    char              *name = strndup(accepted[i].pair, strcspn(accepted[i].pair, "="));
    const sb_option_id id = sb_option_find(name);
    assert_string_equal(sb_options_text(options, id), accepted[i].text);
    assert_int_equal(sb_options_origin(options, id), SB_FROM_USER);
    free(name);
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

static const sb_vocabulary pins =
    TEST_VOCABULARY(TEST_LIST("pins", TEST_ENTRY("none"), TEST_ENTRY("first"), TEST_ENTRY("corner1"),
                              TEST_ENTRY("corners2"), TEST_ENTRY("min_x")));

static void refuses_and_says_where(void)
{
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    sb_options     *options = sb_options_create(&pins);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    assert_false(sb_options_set_pair(options, refused[i].pair, SB_FROM_USER, HERE, diagnostics));
    assert_int_equal(sb_diagnostics_errors(diagnostics), 1);
    const char *message = sb_diagnostics_message(diagnostics, 0);
    if (!strstr(message, refused[i].message) || !strstr(message, refused[i].code)) print_error("%s\n", message);
    assert_ptr_equal(strstr(message, "a.yaml:3:7: error: "), message);
    assert_non_null(strstr(message, refused[i].message));
    assert_non_null(strstr(message, refused[i].code));
    sb_diagnostics_destroy(&diagnostics);
    sb_options_destroy(&options);
  }
}

static void a_refused_value_leaves_the_old_one(void)
{
  sb_options *options = sb_options_create(NULL);
  assert_true(sb_options_set_pair(options, "stiffness=7", SB_FROM_USER, HERE, NULL));
  assert_false(sb_options_set_pair(options, "stiffness=x", SB_FROM_USER, HERE, NULL));
  assert_true(SB_REAL(options, stiffness) == 7);
  sb_options_destroy(&options);
}

static void every_default_is_in_range_and_described(void)
{
  sb_options *options = sb_options_create(NULL);
  assert_non_null(options);
  for (int i = 0; i < SB_OPT_COUNT; ++i) {
    const sb_option *option = sb_option_at((sb_option_id)i);
    assert_int_equal(sb_option_find(option->name), i);
    assert_true(strlen(option->summary) > 10);
    assert_int_equal(sb_options_has(options, (sb_option_id)i), option->preset != NULL);
    if (!option->preset) continue;
    assert_int_equal(sb_options_origin(options, (sb_option_id)i), SB_FROM_TABLE);
    assert_string_equal(sb_options_text(options, (sb_option_id)i), option->preset); /* as it is written everywhere */
  }
  sb_options_destroy(&options);
}

static void lists_are_expanded_in_order(void)
{
  sb_options *options = sb_options_create(NULL);
  size_t      count = 0;
  int64_t    *numbers = NULL;
  assert_true(sb_options_set_pair(options, "pins=[9,2:4]", SB_FROM_USER, HERE, NULL));
  assert_true(sb_options_numbers(options, SB_OPT_pins, &count, &numbers));
  assert_int_equal(count, 4);
  const int64_t expected[] = {9, 2, 3, 4};
  assert_memory_equal(numbers, expected, sizeof expected);
  free(numbers);
  assert_true(sb_options_set_pair(options, "pins=none", SB_FROM_USER, HERE, NULL));
  assert_false(sb_options_numbers(options, SB_OPT_pins, &count, &numbers));
  sb_options_destroy(&options);
}

static void copies_are_independent(void)
{
  sb_options *options = sb_options_create(NULL);
  assert_true(sb_options_set_pair(options, "pins=[1,5]", SB_FROM_USER, HERE, NULL));
  sb_options *copy = sb_options_copy(options);
  assert_true(sb_options_set_pair(options, "pins=[2]", SB_FROM_USER, HERE, NULL));
  assert_string_equal(SB_TEXT(copy, pins), "[1,5]");
  sb_options_destroy(&options);
  assert_string_equal(SB_TEXT(copy, pins), "[1,5]");
  sb_options_destroy(&copy);
}

/* A value that a copy is given as another copy was is the same one, unless it comes from elsewhere. */
static void what_is_read_again_is_what_it_says(void)
{
  sb_options       *options = sb_options_create(NULL), *copy = sb_options_copy(options);
  const sb_location elsewhere = {"other.yaml", 9, 1};
  assert_true(sb_options_set(options, SB_OPT_stiffness, "1e2", SB_FROM_USER, HERE, NULL));
  assert_true(sb_options_set(copy, SB_OPT_stiffness, "1e2", SB_FROM_USER, elsewhere, NULL));
  assert_int_equal(sb_options_location(copy, SB_OPT_stiffness).line, 9);
  assert_int_equal(sb_options_location(options, SB_OPT_stiffness).line, HERE.line);
  assert_true(sb_options_set(copy, SB_OPT_stiffness, "1e2", SB_FROM_SCENE, elsewhere, NULL));
  assert_int_equal(sb_options_origin(copy, SB_OPT_stiffness), SB_FROM_SCENE);
  assert_true(sb_options_set(options, SB_OPT_stiffness, "1e3", SB_FROM_SCENE, elsewhere, NULL));
  assert_true(sb_options_set(options, SB_OPT_stiffness, "1e3", SB_FROM_SCENE, elsewhere, NULL));
  assert_true(SB_REAL(copy, stiffness) == 100 && SB_REAL(options, stiffness) == 1000);
  assert_false(sb_options_set(options, SB_OPT_stiffness, "soft", SB_FROM_SCENE, elsewhere, NULL));
  assert_true(SB_REAL(options, stiffness) == 1000);
  sb_options_unset(options, SB_OPT_stiffness);
  assert_false(SB_HAS(options, stiffness));
  assert_true(sb_options_set(options, SB_OPT_stiffness, "1e3", SB_FROM_SCENE, elsewhere, NULL));
  sb_options_destroy(&copy);
  assert_true(SB_REAL(options, stiffness) == 1000);
  sb_options_destroy(&options);
}

static void names_come_from_the_vocabulary(void)
{
  const sb_vocabulary vocabulary = TEST_VOCABULARY(
      TEST_LIST("scenes", TEST_ENTRY("rope"), TEST_ENTRY("cloth")),
      TEST_LIST("linear", TEST_ENTRY("cholesky"),
                TEST_ENTRY("petsc", .aliases = (const sb_alias[]){{"ldl", NULL}, {"cg", "petsc='cg'"}, {NULL, NULL}})));
  sb_options     *options = sb_options_create(&vocabulary);
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  assert_true(sb_options_set_pair(options, "scene=rope", SB_FROM_USER, HERE, diagnostics));
  assert_false(sb_options_set_pair(options, "scene=clot", SB_FROM_USER, HERE, diagnostics));
  assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), "did you mean 'cloth'? (choices: rope, cloth)"));
  /* An alias is no value, but what it stands for is suggested. */
  assert_false(sb_options_set_pair(options, "linear=cg", SB_FROM_USER, HERE, diagnostics));
  assert_false(sb_options_set_pair(options, "linear=ldl", SB_FROM_USER, HERE, diagnostics));
  assert_non_null(strstr(sb_diagnostics_message(diagnostics, 1), "did you mean 'petsc' with petsc='cg'? (choices: "));
  assert_non_null(strstr(sb_diagnostics_message(diagnostics, 2), "did you mean 'petsc'? (choices: cholesky, petsc)"));
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&options);
}

/* Lists with options of their own, but for the scenes, which refuse options themselves. */
static const sb_list       scenes = {.family = "scenes",
                                     .entries = (const sb_entry *const[]){TEST_ENTRY("rope", .uses = "stiffness")},
                                     .count = 1,
                                     .checks_uses = true};
static const sb_vocabulary methods = TEST_VOCABULARY(
    TEST_LIST("drivers", TEST_ENTRY("trajectory", .uses = "integrator"),
              TEST_ENTRY("statics", .uses = "minimizer edge_load", .defaults = "minimizer=newton")),
    TEST_LIST("integrators", TEST_ENTRY("symplectic_euler"), TEST_ENTRY("implicit_euler", .uses = "minimizer start")),
    TEST_LIST("minimizers", TEST_ENTRY("newton", .uses = "linear hessian"), TEST_ENTRY("descent")), &scenes);

static void options_are_read_along_the_choices(void)
{
  static const struct {
    const char *choices[3], *option, *readers; /* NULL: it is read */
  } rows[] = {
      {{"integrator=symplectic_euler"}, "stiffness", NULL}, /* nobody's own */
      {{"integrator=symplectic_euler"}, "integrator", NULL},
      {{"integrator=symplectic_euler"}, "start", "integrator=implicit_euler"},
      {{"integrator=symplectic_euler"}, "edge_load", "driver=statics"},
      {{"integrator=symplectic_euler"}, "minimizer", "integrator=implicit_euler, or driver=statics"},
      {{"integrator=symplectic_euler"}, "hessian", "integrator=implicit_euler, or driver=statics"},
      {{"integrator=symplectic_euler", "minimizer=descent"},
       "linear",
       "minimizer=newton with integrator=implicit_euler, or driver=statics"},
      {{"integrator=implicit_euler"}, "start", NULL},
      {{"integrator=implicit_euler"}, "hessian", NULL},
      {{"integrator=implicit_euler", "minimizer=descent"}, "hessian", "minimizer=newton"},
      {{"integrator=implicit_euler", "minimizer=descent"}, "minimizer", NULL},
      {{"integrator=implicit_euler", "driver=statics"}, "integrator", "driver=trajectory"},
      {{"integrator=implicit_euler", "driver=statics"}, "start", "driver=trajectory"},
      {{"integrator=symplectic_euler", "driver=statics"}, "hessian", NULL},
  };
  sb_selectors  known[SB_OPT_COUNT];
  sb_vocabulary vocabularies[2] = {methods, methods}; /* the second knows all selectors beforehand */
  for (int id = 0; id < SB_OPT_COUNT; ++id) known[id] = sb_option_selectors((sb_option_id)id, &methods);
  vocabularies[1].selectors = known;
  assert_int_equal(known[SB_OPT_stiffness].count, 0);
  assert_int_equal(known[SB_OPT_minimizer].count, 2);
  for (size_t n = 0; n < 2 * (sizeof rows / sizeof *rows); ++n) {
    const size_t         i = n / 2;
    const sb_vocabulary *vocabulary = &vocabularies[n % 2];
    sb_options          *options = sb_options_create(vocabulary);
    assert_true(sb_options_set_pair(options, "minimizer=newton", SB_FROM_USER, HERE, NULL));
    for (int k = 0; k < 3 && rows[i].choices[k]; ++k)
      assert_true(sb_options_set_pair(options, rows[i].choices[k], SB_FROM_USER, HERE, NULL));
    const sb_option_id id = sb_option_find(rows[i].option);
    assert_int_equal(sb_option_is_owned(id, vocabulary), id != SB_OPT_stiffness);
    if (sb_options_read(options, id) != !rows[i].readers) fail_msg("row %zu: %s", i, rows[i].option);
    if (rows[i].readers) {
      char *readers = sb_options_readers(options, id);
      assert_string_equal(readers, rows[i].readers);
      free(readers);
    }
    const bool rests = strcmp(SB_TEXT(options, driver), "statics") == 0;
    assert_string_equal(sb_options_defaults(options, SB_OPT_driver), rests ? "minimizer=newton" : "");
    assert_string_equal(sb_options_defaults(options, SB_OPT_scene), "");
    sb_options_destroy(&options);
  }
}

/* `reads` adds to what a name reads and `unread` takes from it; neither changes what keys have. */
static void names_read_more_or_less_than_keys_have(void)
{
  const sb_vocabulary vocabulary =
      TEST_VOCABULARY(TEST_LIST("integrators", TEST_ENTRY("symplectic_euler"),
                                TEST_ENTRY("implicit_euler", .uses = "minimizer start pin_method pin_weight")),
                      TEST_LIST("minimizers", TEST_ENTRY("newton", .uses = "contact_implicit"), TEST_ENTRY("plain"),
                                TEST_ENTRY("xpbd", .reads = "contact_implicit", .unread = "start")));
  static const struct {
    const char *choice, *option, *readers; /* NULL: it is read */
    bool        keyed;
  } rows[] = {
      {"minimizer=newton", "contact_implicit", NULL, true},
      {"minimizer=xpbd", "contact_implicit", NULL, false},
      {"minimizer=plain", "contact_implicit", "minimizer=newton or xpbd", false},
      {"minimizer=newton", "start", NULL, true},
      {"minimizer=xpbd", "start", "another minimizer than xpbd", true},
      {"pin_method=penalty", "pin_weight", NULL, true},
      {"pin_method=reduce", "pin_weight", "pin_method=penalty", true},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    sb_options        *options = sb_options_create(&vocabulary);
    const sb_option_id id = sb_option_find(rows[i].option);
    assert_true(sb_options_set_pair(options, "integrator=implicit_euler", SB_FROM_USER, HERE, NULL));
    assert_true(sb_options_set_pair(options, rows[i].choice, SB_FROM_USER, HERE, NULL));
    if (sb_options_read(options, id) != !rows[i].readers || sb_options_keyed(options, id) != rows[i].keyed)
      fail_msg("row %zu: %s", i, rows[i].option);
    char *readers = rows[i].readers ? sb_options_readers(options, id) : NULL;
    if (readers) assert_string_equal(readers, rows[i].readers);
    free(readers);
    sb_options_destroy(&options);
  }
}

/* Also reads of a copy; not those that ask whether an option is read. */
static void reads_are_recorded(void)
{
  bool        asked[SB_OPT_COUNT] = {false};
  sb_options *options = sb_options_create(&methods), *copy = sb_options_copy(options);
  assert_null(sb_options_record(options, asked));
  assert_false(sb_options_read(options, SB_OPT_hessian));
  for (int id = 0; id < SB_OPT_COUNT; ++id) assert_false(asked[id]);
  assert_true(SB_REAL(copy, drag) == 0 && SB_HAS(options, seed) && !SB_HAS(options, h) && *SB_TEXT(options, save));
  assert_ptr_equal(sb_options_record(copy, NULL), asked);
  assert_true(SB_REAL(options, friction) == 0);
  for (int id = 0; id < SB_OPT_COUNT; ++id)
    assert_int_equal(asked[id], id == SB_OPT_drag || id == SB_OPT_seed || id == SB_OPT_h || id == SB_OPT_save);
  sb_options_destroy(&copy);
  sb_options_destroy(&options);
}

static void options_that_state_the_same_exclude_each_other(void)
{
  assert_true(sb_option_excludes(SB_OPT_young, SB_OPT_stiffness_bending));
  assert_true(sb_option_excludes(SB_OPT_vertex_mass, SB_OPT_total_mass));
  assert_true(sb_option_excludes(SB_OPT_frame_seconds, SB_OPT_h));
  assert_true(sb_option_excludes(SB_OPT_velocity_factor, SB_OPT_damping_rate));
  assert_false(sb_option_excludes(SB_OPT_stiffness, SB_OPT_stiffness_shear));
  assert_false(sb_option_excludes(SB_OPT_young, SB_OPT_vertex_mass));
  assert_false(sb_option_excludes(SB_OPT_young, SB_OPT_total_mass));
  assert_false(sb_option_excludes(SB_OPT_young, SB_OPT_young));
}

static void an_option_differs_from_its_default(void)
{
  sb_options *options = sb_options_create(NULL);
  assert_false(sb_options_differ(options, SB_OPT_drag));
  assert_false(sb_options_differ(options, SB_OPT_gravity)); /* unset */
  assert_true(sb_options_set_pair(options, "drag=0", SB_FROM_USER, HERE, NULL));
  assert_true(sb_options_set_pair(options, "gravity=[0,-0,0]", SB_FROM_USER, HERE, NULL));
  assert_true(sb_options_set_pair(options, "velocity_factor=0.5", SB_FROM_USER, HERE, NULL));
  assert_false(sb_options_differ(options, SB_OPT_drag));
  assert_false(sb_options_differ(options, SB_OPT_gravity));
  assert_true(sb_options_differ(options, SB_OPT_velocity_factor));
  assert_true(sb_options_set_pair(options, "gravity=[0,1,0]", SB_FROM_SCENE, HERE, NULL));
  assert_true(sb_options_differ(options, SB_OPT_gravity));
  sb_options_destroy(&options);
}

/* Without a default nobody could give such an option a value that is without effect. */
static void options_that_act_have_a_default_or_are_vectors(void)
{
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const sb_option *option = sb_option_at(id);
    if (option->traits & (SB_ACTS | SB_ACTS_ON_SURFACES | SB_NOT_ON_DEVICE) && !option->preset &&
        option->kind != SB_KIND_VECTOR)
      fail_msg("%s has no default", option->name);
  }
}

static void a_word_is_whole(void)
{
  assert_true(sb_has_word("drag", "drag"));
  assert_true(sb_has_word("sweeps drag h", "drag"));
  assert_true(sb_has_word("sweeps h drag", "drag"));
  assert_false(sb_has_word("dragged undrag", "drag"));
  assert_false(sb_has_word("", "drag"));
  assert_false(sb_has_word(NULL, "drag"));
}

static void reals_read_back_to_the_bit(void)
{
  const double values[] = {0.1, 1.0 / 3, 1e-300, DBL_MAX, DBL_MIN, 123456789.125, -2.5e-7, 0};
  for (size_t i = 0; i < sizeof values / sizeof *values; ++i) {
    char   buffer[32];
    double back = 1;
    assert_true(sb_parse_real(sb_format_real(values[i], buffer), &back));
    assert_true(back == values[i]);
  }
  char buffer[32];
  assert_string_equal(sb_format_real(0.1, buffer), "0.1");
}

TEST_MAIN(accepts_values, refuses_and_says_where, a_refused_value_leaves_the_old_one,
          every_default_is_in_range_and_described, lists_are_expanded_in_order, copies_are_independent,
          what_is_read_again_is_what_it_says, names_come_from_the_vocabulary, options_are_read_along_the_choices,
          names_read_more_or_less_than_keys_have, reads_are_recorded, options_that_state_the_same_exclude_each_other,
          an_option_differs_from_its_default, options_that_act_have_a_default_or_are_vectors, a_word_is_whole,
          reals_read_back_to_the_bit)
