/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Composite values: what is read, its canonical text, and every refusal with its message. */
#include "base/composite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "tests/cmocka_all.h"
#include "tests/lists.h"

static const sb_location HERE = {"a.yaml", 3, 7};

static bool refuse_bad(const sb_composite *value, char *why, size_t size)
{
  if (strcmp(value->formula[1], "bad") != 0) return true;
  snprintf(why, size, "the formula is bad");
  return false;
}

static const sb_form still = {.name = "still", .summary = "no motion"};
static const sb_form sphere = {.name = "sphere",
                               .summary = "a ball",
                               .parts = 2,
                               .part = {{"centre", SB_PART_VECTOR, "m", "[0,0,0]", "[-1e6,1e6]", "its centre"},
                                        {"radius", SB_PART_REAL, "m", NULL, "(0,1e6]", "its radius"}}};
static const sb_form gust = {
    .name = "gust",
    .summary = "wind by a formula",
    .parts = 2,
    .part = {{"rate", SB_PART_REAL, "", "1", "", "how often"}, {"x", SB_PART_FORMULA, "m/s^2", "0", "", "along x"}},
    .check = refuse_bad};
static const sb_list *const forms = TEST_LIST("fields", &still.entry, &sphere.entry, &gust.entry);

typedef struct {
  const char *text, *expected, *code;
} row;

static const row accepted[] = {
    {"still", "still", NULL},
    {"still:", "still", NULL},
    {" still ", "still", NULL},
    {"gust", "gust:rate=1,x=0", NULL},
    {"sphere:radius=0.30", "sphere:centre=[0,0,0],radius=0.3", NULL},
    {"sphere:radius=30cm,centre=[0,0,-5 mm]", "sphere:centre=[0,0,-0.005],radius=0.3", NULL},
    {" sphere : radius = 1/4 , centre = [ 1, -0,+2.50 ] ", "sphere:centre=[1,0,2.5],radius=0.25", NULL},
    {"sphere:radius=1;still ; sphere:radius=2", "sphere:centre=[0,0,0],radius=1;still;sphere:centre=[0,0,0],radius=2",
     NULL},
    {"gust:x=min(x, max(y,1)) , rate=-2", "gust:rate=-2,x=min(x, max(y,1))", NULL},
    {"gust:x= x==1 ? 2 : 3 ", "gust:rate=1,x=x==1 ? 2 : 3", NULL},
};

static const row refused[] = {
    {"sphere:radius=1;;still", "option 'collider': an item is empty; an item is KIND:PART=VALUE", "[E106]"},
    {"still;", "an item is empty", "[E106]"},
    {":radius=1", "an item is empty", "[E106]"},
    {"sphre:radius=1", "unknown collider 'sphre'; did you mean 'sphere'? (choices: none, still, sphere, gust)",
     "[E106]"},
    {"cylinder", "unknown collider 'cylinder' (choices: none, still, sphere, gust)", "[E106]"},
    {"sphere:radius=1;none", "option 'collider': none cannot be in a list", "[E106]"},
    {"sphere,radius=1", "a kind and its parts are written KIND:PART=VALUE,…; got 'sphere,radius=1'", "[E106]"},
    {"sphere:radus=1",
     "sphere has no part 'radus'; did you mean 'radius'?; sphere has centre ([x,y,z] m, default "
     "[0,0,0]), radius (m)",
     "[E101]"},
    {"still:radius=1", "still has no part 'radius'; still has no parts", "[E101]"},
    {"sphere:1", "option 'collider': expected PART=VALUE; got '1'; sphere has centre", "[E101]"},
    {"sphere:radius=1,", "expected PART=VALUE after the last comma", "[E101]"},
    {"sphere:radius=1,,centre=[0,0,0]", "expected PART=VALUE; got ''", "[E101]"},
    {"sphere", "sphere needs radius, its radius; sphere has centre ([x,y,z] m, default [0,0,0]), radius (m)", "[E106]"},
    {"sphere:radius=1,radius=1", "radius of sphere is given twice", "[E106]"},
    {"sphere:radius=1s", "option 'collider': radius of sphere takes a number in m; got '1s'", "[E102]"},
    {"sphere:radius=", "radius of sphere takes a value; got ''", "[E102]"},
    {"sphere:radius=[1,2,3]", "radius of sphere takes a number; got '[1,2,3]'", "[E102]"},
    {"sphere:radius=nan", "radius of sphere takes finite numbers; got 'nan'", "[E103]"},
    {"sphere:radius=1e999", "takes finite numbers", "[E103]"},
    {"sphere:radius=1,centre=[0,0,1/0]", "centre of sphere takes finite numbers; got '1/0'", "[E103]"},
    {"sphere:radius=0", "radius of sphere is out of range (allowed: (0,1e6] m); got '0'", "[E104]"},
    {"sphere:radius=1,centre=[0,2e6,0]", "centre of sphere is out of range (allowed: [-1e6,1e6] m); got '2e6'",
     "[E104]"},
    {"sphere:radius=1,centre=0", "centre of sphere takes three numbers as [x,y,z]; got '0'", "[E102]"},
    {"sphere:radius=1,centre=[0,0]", "takes three numbers as [x,y,z]; got '[0,0]'", "[E102]"},
    {"sphere:radius=1,centre=[0,0,0,0]", "takes three numbers as [x,y,z]; got '[0,0,0,0]'", "[E102]"},
    {"sphere:radius=1,centre=[0,,0]", "takes three numbers", "[E102]"},
    {"sphere:radius=1,centre=[0,0,0", "brackets do not match", "[E102]"},
    {"gust:x=sin(x;still", "brackets do not match", "[E102]"},
    {"gust:x=)x(", "brackets do not match", "[E102]"},
    {"gust:x=1\n2", "takes printable text", "[E102]"},
    {"gust:x=bad", "option 'collider': gust: the formula is bad", "[E106]"},
    {"gust:rate=2,x=", "x of gust takes a value", "[E102]"},
};

static char *canonical(const char *text, sb_diagnostics *diagnostics)
{
  size_t        count = 0;
  sb_composite *items = sb_composites_read("collider", forms, text, HERE, diagnostics, &count);
  if (!items) {
    assert_int_equal(count, 0);
    return NULL;
  }
  char *written = sb_composites_text(items, count);
  sb_composites_free(&items, &count);
  return written;
}

static void texts_become_canonical_and_stay_so(void)
{
  for (size_t i = 0; i < sizeof accepted / sizeof *accepted; ++i) {
    char *once = canonical(accepted[i].text, NULL);
    if (!once) print_error("refused: %s\n", accepted[i].text);
    assert_non_null(once);
    assert_string_equal(once, accepted[i].expected);
    char *twice = canonical(once, NULL);
    assert_non_null(twice);
    assert_string_equal(twice, once);
    free(once);
    free(twice);
  }
}

static void refusals_say_where_and_what(void)
{
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    char           *text = canonical(refused[i].text, diagnostics);
    if (text) print_error("accepted: %s\n", refused[i].text);
    assert_null(text);
    assert_int_equal(sb_diagnostics_errors(diagnostics), 1);
    const char *message = sb_diagnostics_message(diagnostics, 0);
    if (!strstr(message, refused[i].expected) || !strstr(message, refused[i].code)) print_error("%s\n", message);
    assert_ptr_equal(strstr(message, "a.yaml:3:7: error: "), message);
    assert_non_null(strstr(message, refused[i].expected));
    assert_non_null(strstr(message, refused[i].code));
    sb_diagnostics_destroy(&diagnostics);
  }
}

static void values_arrive(void)
{
  const char   *text = "sphere:centre=[1,2,3],radius=1/8;gust:x=y";
  size_t        count = 0, copied = 2;
  sb_composite *items = sb_composites_read("collider", forms, text, HERE, NULL, &count), *copy = NULL;
  assert_non_null(items);
  assert_int_equal(count, 2);
  assert_ptr_equal(items[0].form, &sphere);
  assert_ptr_equal(items[1].form, &gust);
  copy = sb_composites_copy(items, count);
  assert_non_null(copy);
  sb_composites_free(&items, &count);
  const double centre[] = {1, 2, 3};
  assert_memory_equal(copy[0].number[0], centre, sizeof centre);
  assert_true(copy[0].number[1][0] == 0.125);
  assert_null(copy[0].formula[0]);
  assert_true(copy[1].number[0][0] == 1.0);
  assert_string_equal(copy[1].formula[1], "y");
  sb_composites_free(&copy, &copied);
  assert_null(copy);
}

static void options_hold_and_copy_them(void)
{
  const sb_vocabulary vocabulary = TEST_VOCABULARY(forms);
  sb_options         *options = sb_options_create(&vocabulary);
  size_t              count = 9;
  assert_null(SB_COMPOSITES(options, wind, &count));
  assert_int_equal(count, 0);
  assert_string_equal(SB_TEXT(options, wind), "none");
  assert_true(sb_options_set_pair(options, "wind=gust:x=2 * x", SB_FROM_USER, HERE, NULL));
  sb_options *copy = sb_options_copy(options);
  assert_true(sb_options_set_pair(options, "wind=none", SB_FROM_USER, HERE, NULL));
  sb_options_destroy(&options);
  assert_string_equal(SB_TEXT(copy, wind), "gust:rate=1,x=2 * x");
  assert_string_equal(SB_COMPOSITES(copy, wind, &count)->formula[1], "2 * x");
  assert_int_equal(count, 1);
  /* If no family of forms is known, the only value is "none". */
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  assert_false(sb_options_set_pair(copy, "collider=sphere:radius=1", SB_FROM_USER, HERE, diagnostics));
  assert_non_null(strstr(sb_diagnostics_message(diagnostics, 0), "option 'collider' takes none"));
  sb_diagnostics_destroy(&diagnostics);
  sb_options_destroy(&copy);
}

TEST_MAIN(texts_become_canonical_and_stay_so, refusals_say_where_and_what, values_arrive, options_hold_and_copy_them)
