/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formulas: values against the C library, in bulk and singly, and what is refused with which reason. */
#include "model/maths/formula.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/support.h"

enum { POINTS = 5000, SEVERAL = 7 };

static const char *const XYZT[] = {"x", "y", "z", "t"};

typedef struct {
  const char *text;
  double (*expected)(const double p[4]);
} claim;

static double three(const double p[4]) { return (void)p, 3.25; }
static double sum(const double p[4]) { return p[0] + 2.0 * p[1] - p[2] / p[3]; }
static double wave(const double p[4]) { return sin(2.0 * M_PI * p[3]) * exp(-p[0] * p[0]); }
static double powers(const double p[4]) { return pow(p[0], 2.0) + pow(2.0, -p[1]); }
static double negated_power(const double p[4]) { return -pow(p[0], 2.0); }
static double right_to_left(const double p[4]) { return (void)p, 512.0; }
static double smaller(const double p[4]) { return fmin(p[0], fmax(p[1], 0.5)); }
static double stepped(const double p[4]) { return p[0] <= 0.5 && p[1] != p[0] ? 1.0 : p[3] == 2.0 ? 2.0 : -1.0; }
static double angle(const double p[4]) { return atan2(p[1], p[0]) + hypot(p[2], 0.0) + log(M_E * p[3]); }
static double undefined(const double p[4]) { return sqrt(-1.0 - p[0] * p[0]); }

static const claim claims[] = {
    {"3.25", three},
    {"x + 2*y - z/t", sum},
    {"sin(2*_pi*t)*exp(-x^2)", wave},
    {"x^2 + 2^-y", powers},
    {"-x^2", negated_power},
    {"2^3^2", right_to_left},
    {"min(x,max(y,0.5))", smaller},
    {"x<=0.5 && y!=x ? 1 : (t==2 ? 2 : -1)", stepped},
    {"atan2(y,x) + abs(z) + ln(_e*t)", angle},
    {"sqrt(-1-x*x)", undefined},
};

static sb_formula *formula_of(const char *text)
{
  char        why[256] = "";
  sb_formula *formula = sb_formula_create(text, XYZT, 4, why, sizeof why);
  if (!formula) print_error("%s\n", why);
  assert_non_null(formula);
  return formula;
}

/* Points that differ with the array: [4][count] in one piece. */
static double *points_of(size_t count, double shift)
{
  double *points = malloc(4 * count * sizeof *points);
  assert_non_null(points);
  for (size_t i = 0; i < count; ++i) {
    points[i] = shift + (double)i / (double)count;
    points[count + i] = 2.0 * shift - (double)(i % 7) / 7.0;
    points[2 * count + i] = -shift + (double)(i % 11);
    points[3 * count + i] = 2.0;
  }
  return points;
}

static void check_claim(const claim *c, sb_formula *formula, size_t count, double shift)
{
  double             *points = points_of(count, shift), *result = malloc(count * sizeof *result);
  const double *const argument[] = {points, points + count, points + 2 * count, points + 3 * count};
  assert_non_null(result);
  for (size_t i = 0; i < count; ++i) result[i] = -77.0;
  sb_formula_evaluate(formula, argument, count, result);
  for (size_t i = 0; i < count; ++i) {
    const double p[4] = {argument[0][i], argument[1][i], argument[2][i], argument[3][i]};
    const double expected = c->expected(p);
    if (isnan(expected) && isnan(result[i])) continue;
    assert_within(result[i], expected, 4e-15 * (1.0 + fabs(expected)));
  }
  free(points);
  free(result);
}

/* The arrays of each call are gone before the next, so a stale one would be read after it was freed. */
static void values_are_those_of_the_c_library(void)
{
  for (size_t i = 0; i < sizeof claims / sizeof *claims; ++i) {
    sb_formula *formula = formula_of(claims[i].text);
    check_claim(&claims[i], formula, 1, 0.125);
    check_claim(&claims[i], formula, SEVERAL, 0.25);
    check_claim(&claims[i], formula, POINTS, 0.5);
    check_claim(&claims[i], formula, SEVERAL, 0.75);
    check_claim(&claims[i], formula, 1, 1.0);
    check_claim(&claims[i], formula, 0, 1.0);
    sb_formula_destroy(&formula);
    assert_null(formula);
  }
}

/* The one call for many is not another arithmetic than the call for one. */
static void bulk_and_single_agree_to_the_bit(void)
{
  sb_formula         *formula = formula_of("sin(x)*y^3-z/(t+x)+exp(-y)");
  double             *points = points_of(POINTS, 0.3), *result = malloc(POINTS * sizeof *result);
  const double *const argument[] = {points, points + POINTS, points + 2 * POINTS, points + 3 * POINTS};
  assert_non_null(result);
  sb_formula_evaluate(formula, argument, POINTS, result);
  for (size_t i = 0; i < POINTS; i += 97) {
    const double *const one[] = {argument[0] + i, argument[1] + i, argument[2] + i, argument[3] + i};
    double              single = 0.0;
    sb_formula_evaluate(formula, one, 1, &single);
    assert_memory_equal(&single, &result[i], sizeof single);
  }
  free(points);
  free(result);
  sb_formula_destroy(&formula);
}

static void variables_are_those_given(void)
{
  const char *const   names[] = {"radius", "s_1"};
  char                why[256] = "";
  sb_formula         *formula = sb_formula_create("radius*s_1", names, 2, why, sizeof why);
  const double        radius[] = {2.0, 3.0}, s[] = {5.0, 7.0};
  const double *const argument[] = {radius, s};
  double              result[2];
  assert_non_null(formula);
  sb_formula_evaluate(formula, argument, 2, result);
  assert_true(result[0] == 10.0 && result[1] == 21.0);
  sb_formula_destroy(&formula);
  assert_null(sb_formula_create("x", names, 2, why, sizeof why));
  assert_non_null(strstr(why, "'x' at character 1 of 'x' is not a number, variable (radius, s_1)"));
}

static const char *const refused[][2] = {
    {"", "the formula is empty"},
    {"  ", "the formula is empty"},
    {"x=3", "'=' at character 2 of 'x=3' is an assignment; equality is =="},
    {"x+(t=3)", "'=' at character 5"},
    {"x = = 3", "'=' at character 3"},
    {"=x", "'=' at character 1"},
    {"x===y", "'=' at character 4"},
    {"\"x\"", "character 1 of '\"x\"' is not allowed in a formula"},
    {"x;y", "character 2 of 'x;y' is not allowed"},
    {"x%2", "character 2"},
    {"x+\xc3\xa9", "character 3"},
    {"x\n", "character 2"},
    {"foo(x)", "'foo' at character 1 of 'foo(x)' is not a number, variable (x, y, z, t), function or operator"},
    {"1+w", "'w' at character 3 of '1+w' is not a number"},
    {"X", "'X' at character 1 of 'X' is not a number"},
    {"rnd()", "'rnd' at character 1"},
    {"0x10", "'x10' at character 2 of '0x10'"},
    {"1e999", "'1e999' at character 1"},
    {"x 2", "'2' near character 3 of 'x 2' is not expected there"},
    {"2**x", "'*' near character 3 of '2**x' is not expected there"},
    {"x)", "')' near character 2"},
    {"sin(x", "a parenthesis of 'sin(x' is not closed"},
    {"sin()", "too few arguments of sin in 'sin()'"},
    {"sin(x,y)", "too many arguments of sin in 'sin(x,y)'"},
    {"x+", "'x+' ends too early"},
    {"x?1", "a '?' of 'x?1' lacks its ':'"},
    {"1,2", "'1,2' is 2 formulas; a comma may only separate arguments"},
    {"(1,2)", "'(1,2)' cannot be understood"},
};

static void refusals_give_a_reason(void)
{
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    char        why[256] = "";
    sb_formula *formula = sb_formula_create(refused[i][0], XYZT, 4, why, sizeof why);
    if (formula || !strstr(why, refused[i][1])) print_error("'%s': %s\n", refused[i][0], why);
    assert_null(formula);
    assert_non_null(strstr(why, refused[i][1]));
  }
}

/* Hostile sizes: long texts are refused before they are parsed, reasons are cut to their room. */
static void lengths_are_bounded(void)
{
  char why[32], *text = malloc(100001);
  assert_non_null(text);
  memset(text, '(', 100000);
  text[100000] = '\0';
  char long_why[256] = "";
  assert_null(sb_formula_create(text, XYZT, 4, long_why, sizeof long_why));
  assert_non_null(strstr(long_why, "the formula has 100000 characters (at most 1000)"));
  text[1000] = '\0';
  assert_null(sb_formula_create(text, XYZT, 4, why, sizeof why));
  assert_true(strlen(why) < sizeof why);
  free(text);
}

static void locales_change_nothing(void)
{
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  sb_formula *formula = formula_of("3.25");
  check_claim(&claims[0], formula, SEVERAL, 0.0);
  sb_formula_destroy(&formula);
  setlocale(LC_ALL, "C");
}

TEST_MAIN(values_are_those_of_the_c_library, bulk_and_single_agree_to_the_bit, variables_are_those_given,
          refusals_give_a_reason, lengths_are_bounded, locales_change_nothing)
