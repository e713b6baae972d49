/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression language: values in rows and over them, selections, published cells, what is said of a claim, what is
 * refused with its place, and what the check before a run finds, by itself and over planned rows. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "tests/harness/plan_of.h"

static void put(sb_rows *rows, size_t row, const char *column, sb_value value)
{
  sb_rows_set(rows, row, sb_rows_add_column(rows, column, "", true, false), value);
}

static sb_value number(double number) { return (sb_value){.kind = SB_NUMBER, .number = number}; }

static sb_value word(const char *word) { return (sb_value){.kind = SB_WORD, .word = word}; }

static sb_value truth(bool truth) { return (sb_value){.kind = SB_TRUTH, .truth = truth}; }

/* Two methods at substeps 8 9 10 11; blow-up times 2 and 4 times the substeps, none at 11. */
static int make_rows(void **state)
{
  sb_rows *rows = sb_rows_create(test_arena());
  for (size_t i = 0; i < 8; ++i) {
    const double substeps = 8 + (double)(i % 4);
    sb_rows_add_row(rows);
    put(rows, i, "method", word(i < 4 ? "newton" : "descent"));
    put(rows, i, "substeps", number(substeps));
    put(rows, i, "linear", word(i < 4 ? "petsc" : "jacobi"));
    put(rows, i, "petsc", word("-ksp_type cg"));
    put(rows, i, "status", word(i % 4 < 3 ? "diverged" : "ok"));
    if (i % 4 < 3) put(rows, i, "blowup_time", number(substeps * (i < 4 ? 2 : 4)));
    put(rows, i, "accuracy_ok", truth(i < 6));
  }
  *state = rows;
  return 0;
}

/* The first four rows: method newton. */
static const sb_perhaps newton[8] = {SB_YES, SB_YES, SB_YES, SB_YES};

enum { MISTAKE = -1 };

typedef struct {
  const char *text;
  int         truth; /* sb_perhaps, or MISTAKE: an error that contains `said` */
  const char *said;  /* NULL, or what `shown` (or the error) contains */
} claim;

/* The curves of substeps 8 and 9; 10 has none, 11 cannot be read. */
static bool give_curve(const void *of, size_t row, const char *x, const char *y, sb_curve_columns *curve,
                       sb_arena *arena, sb_diagnostics *diagnostics)
{
  static const double x_8[] = {0, 1, 2, 3, 4, 5}, y_8[] = {2, 1, 0.1, 0.09, 0.08, 0};
  static const double x_9[] = {2, 3, 3.5, 5}, y_9[] = {0.5, 0.2, 0.01, 0.001};
  static const double x_deep[] = {1, 2, 3, 4, 5}, y_deep[] = {1, 1e-9, 3e-9, 1e-14, 3e-14};
  static const double x_step[] = {1, 2, 3.5, 3.6, 5}, y_step[] = {2e-9, 2e-9, 2e-9, 2e-14, 2e-14};
  static const double x_twice[] = {1, 2, 3, 4, 5}, y_twice[] = {1, 3, 1, 3, 3}, x_level[] = {1, 5}, y_level[] = {2, 2};
  (void)of, (void)arena;
  assert_string_equal(x, "seconds");
  if (strcmp(y, "twice") == 0) {
    *curve = row == 0 ? (sb_curve_columns){5, x_twice, y_twice, true, false, false}
                      : (sb_curve_columns){2, x_level, y_level, true, false, false};
    return true;
  }
  if (strcmp(y, "deep") == 0) {
    *curve = row == 0 ? (sb_curve_columns){5, x_deep, y_deep, true, false, false}
                      : (sb_curve_columns){5, x_step, y_step, true, false, false};
    return true;
  }
  assert_string_equal(y, "error");
  if (row == 3) return sb_error_at(diagnostics, (sb_location){"c.h5", 0, 0}, "E110", "damaged");
  if (row < 2)
    *curve = row == 0 ? (sb_curve_columns){6, x_8, y_8, true, false, false}
                      : (sb_curve_columns){4, x_9, y_9, true, false, false};
  return true;
}

static sb_expression *parsed(const char *text)
{
  sb_diagnostics *d = sb_diagnostics_create();
  sb_expression  *e = sb_expression_parse(text, (sb_location){"t", 1, 1}, false, test_arena(), d);
  if (!e) fail_msg("%s: %s", text, sb_diagnostics_message(d, 0));
  sb_diagnostics_destroy(&d);
  return e;
}

static void check_claim(const sb_scope *scope, const claim *c)
{
  sb_grounds      grounds = {0};
  sb_perhaps      truth = SB_NO;
  sb_diagnostics *d = sb_diagnostics_create();
  const bool      good = sb_expression_claim(parsed(c->text), scope, &truth, &grounds, d);
  const char     *said = good ? grounds.shown : sb_diagnostics_message(d, 0);
  if ((good ? (int)truth : MISTAKE) != c->truth) fail_msg("%s: %d, %s", c->text, good ? (int)truth : MISTAKE, said);
  if (c->said && !strstr(said, c->said)) fail_msg("%s: said '%s'", c->text, said);
  sb_diagnostics_destroy(&d);
}

static void check_claims(const sb_rows *rows, const claim *claims, size_t count, const char *published)
{
  const sb_scope scope = {
      .rows = rows, .taken = newton, .published_dir = published, .arena = test_arena(), .curve = give_curve};
  for (size_t i = 0; i < count; ++i) check_claim(&scope, &claims[i]);
}

static const claim language[] = {
    /* arithmetic and precedence */
    {"1 + 2 * 3^2 == 19", 1, NULL},
    {"sqrt(-1)^0 == 1 or 1^sqrt(-1) == 1", SB_PERHAPS, NULL}, /* of what is not a number */
    {"-2^2 == -4 and 2^3^2 == 512 and 2^-1 == 0.5", 1, NULL},
    {"10 - 4 - 3 == 3 and 16 / 4 / 2 == 2", 1, NULL},
    {"(1 + 2) * 3 == 9 and 1e-1 == .1 and 1/30 == 1/30", 1, NULL},
    {"sin(0) == 0 and abs(sin(2) - 0.909297426825682) < 1e-15", 1, NULL},
    {"sqrt(16) == 4 and abs(-2) == 2 and log(exp(1)) == 1", 1, NULL},
    {"min(3, 1, 2) == 1 and max(3, 1, 2) == 3 and mean(1, 2) == 1.5", 1, NULL},
    {"median(9, 1, 5) == 5 and median(1, 2) == 1.5", 1, NULL},
    {"lower_quartile(9, 1, 5) == 3 and upper_quartile(5, 1, 2, 4) == 4.25 and upper_quartile(7) == 7", 1, NULL},
    /* logic: not binds tighter than and, and tighter than or */
    {"1 == 1 or 1 == 2 and 1 == 2", 1, NULL},
    {"not 1 == 2 and 1 == 1", 1, NULL},
    {"1 == 1 or sqrt(word) == 1", MISTAKE, "'word'"}, /* all of it is looked at */
    {"1 < 2 < 3 and not 1 < 3 < 2", 1, NULL},
    /* and holds per row: what is true of each row is true of all, whichever part makes it so */
    {"not substeps > 9", 0, NULL},
    {"not substeps > 8 or not substeps < 9", 1, NULL},
    {"substeps < 10 or substeps >= 10", 1, "substeps = 8, 9, 10, 11"},
    {"substeps < 10 or blowup_time > 0", 0, NULL},
    {"substeps < 11 or not blowup_time > 0", 1, NULL},
    {"not (substeps > 8 and blowup_time > 0)", 0, NULL},
    /* values of all selected rows */
    {"substeps >= 8 and substeps <= 11", 1, "substeps = 8, 9, 10, 11"},
    {"substeps > 8", 0, NULL},
    {"count(blowup_time) == 3 and count(status) == 4 and max(blowup_time) == 20", 1, "max(blowup_time) = 20"},
    {"blowup_time > 0", 0, "16, 18, 20, (blank)"},
    {"blowup_time / substeps == 2", 0, NULL},
    {"0.99 <= slope(log(blowup_time), log(substeps)) <= 1.01", 1, "slope(log(blowup_time), log(substeps)) = 1"},
    {"mean(or_else(blowup_time, 100)) == 38.5 and or_else(1, 2) == 1", 1, NULL},
    {"or_else(blowup_time, 100) > 0 and or_else(method, 1) == newton", 1, NULL},
    {"slope(blowup_time, substeps) == 2", 1, NULL},
    {"slope(substeps, blowup_time) == 0.5 and rank_correlation(substeps, blowup_time) == 1", 1, NULL}, /* a blank x */
    {"slope(blowup_time, substeps + 0 * sqrt(10.5 - substeps)) == 2", 1, NULL}, /* no number where the other is blank */
    {"slope(blowup_time, 3) == 2", MISTAKE, "two columns"},
    {"slope(blowup_time, 0.1 * substeps / substeps) > 1", SB_PERHAPS, NULL}, /* the mean of 0.1 is not 0.1 */
    {"rank_correlation(blowup_time, substeps) == 1", 1, "rank_correlation(blowup_time, substeps) = 1"},
    {"rank_correlation(1 / blowup_time, substeps ^ 3) == -1", 1, NULL},
    /* ranks 1 2 3 4 and, of ties the mean, 2.5 1 2.5 4: 3/sqrt(5 * 4.5) */
    {"abs(rank_correlation(substeps, abs(substeps - 9)) - 3 / sqrt(22.5)) < 1e-12", 1, NULL},
    {"rank_correlation(substeps, 4)", MISTAKE, "two columns"},
    {"method == newton", 1, "newton"},
    {"method != descent and method ~ '^new' and not method ~ 'x$'", 1, NULL},
    {"method ~ '^new' and not method ~ '^newest' and not method ~ '^newtons'", 1, NULL},
    {"blowup_time not in [1, 2]", 0, NULL}, /* one has none */
    {"substeps in [8, 9, 10, 11] and substeps not in [7]", 1, NULL},
    {"status in [ok, diverged]", 1, NULL},
    {"accuracy_ok", 1, "accuracy_ok = true"},
    {"accuracy_ok == true", 1, NULL},
    {"true and not false and or_else(true, false)", 1, NULL}, /* words, as what stands for a blank */
    /* one row */
    {"status[substeps=9] == diverged and status[substeps=11] == ok", 1, "status by substeps: diverged (9), ok (11)"},
    {"10 * blowup_time[substeps=9] / 2 == 90 and 10 * blowup_time[substeps=8] / 2 == 80", 1,
     "10 * blowup_time / 2 by substeps: 90 (9), 80 (8)"},
    {"blowup_time[substeps=9] / blowup_time[substeps=8] > 1", 1,
     "blowup_time[substeps=9] / blowup_time[substeps=8] = 1.125"},
    {"blowup_time[substeps=9, method=newton] == 18", 1, NULL},
    {"blowup_time[substeps=9, method=descent] == 36", MISTAKE, "no row has substeps=9, method=descent"},
    {"blowup_time[substeps=12] == 1", MISTAKE, "in 'blowup_time[substeps=12]': no row has substeps=12"},
    {"blowup_time[method=newton] == 1", MISTAKE, "several rows have method=newton"},
    {"blowup_time[substep=9] == 1", MISTAKE, "did you mean 'substeps'"},
    {"blowup_tim[substeps=9] == 1", MISTAKE, "did you mean 'blowup_time'"},
    /* partners of every row, also outside the selection */
    {"min(blowup_time[method=descent, substeps=substeps] / blowup_time) == 2", 1, NULL},
    /* the least of the rows of a list, in which a blank does not count */
    {"blowup_time[substeps in [9, 8, 11], method=newton] == 16 and count(blowup_time[substeps in [11]]) == 0", 1, NULL},
    {"min(blowup_time[method in [descent, newton], substeps=substeps] / blowup_time) == 1", 1, NULL},
    {"max(blowup_time[method in [descent, newton], substeps=substeps] / blowup_time) == 1", 1, NULL},
    {"min(blowup_time[linear in [jacobi], substeps=substeps] / blowup_time[linear in [petsc], substeps=substeps]) == 2",
     1, NULL},
    {"max(sqrt(9.5 - substeps[substeps in [8, 10], method=method])) > 1", 1, NULL},
    {"sqrt(9.5 - substeps[substeps in [10, 11], method=method]) > 0 or substeps > 7", 1, NULL},
    {"blowup_time[substeps in [9, 12], method=newton] > 0", MISTAKE, "no row has substeps=12, method=newton"},
    {"blowup_time[method in [newton]] == 16", MISTAKE, "several rows have method=newton"},
    {"status[substeps in [8, 9]] == diverged", MISTAKE, "is a word; only numbers can be calculated with"},
    /* a word beside an option that takes names is a word, though another option has that name */
    {"linear == petsc and petsc == linear and linear in [petsc] and substeps[linear=petsc, substeps=8] == 8", 1, NULL},
    /* blanks: arithmetic is blank, comparisons are false both ways */
    {"blowup_time[substeps=11] + 1 > 0", 0, "(blank)"},
    {"blowup_time[substeps=11] == blowup_time[substeps=11]", 0, NULL},
    {"blowup_time[substeps=11] != 3", 0, NULL},
    {"count(sqrt(blowup_time)) == 3 and count(1 / blowup_time) == 3", 1, NULL},
    /* infinite values are compared as usual; the largest and smallest may be infinite, other functions are undecided */
    {"1 / 0 > 1e300 and log(0) < -1e300 and 1 / (1 / 0) == 0 and not 1 / 0 < 1", 1, NULL},
    {"max(1 / (substeps - 9)) < 1e6", 0, "max(1 / (substeps - 9)) = inf"},
    {"min(log(substeps - 8)) > -20", 0, "min(log(substeps - 8)) = -inf"},
    {"not 1 / (substeps - 9) > 1e6", 0, "1 / (substeps - 9) = -1, inf, 1, 0.5"},
    {"min(1 / (substeps - 9)) == -1 and count(1 / (substeps - 9)) == 4", 1, NULL},
    {"mean(1 / (substeps - 9)) > 0 or median(1 / (substeps - 9)) > 0", SB_PERHAPS, "mean(1 / (substeps - 9)) = ?"},
    {"upper_quartile(1 / (substeps - 9)) > 0 or slope(1 / (substeps - 9), substeps) < 1", SB_PERHAPS, NULL},
    {"rank_correlation(1 / (substeps - 9), substeps) < 2", SB_PERHAPS, NULL},
    /* NaN decides nothing, in either sense */
    {"0 / 0 < 1 or not 0 / 0 < 1 or 0 / 0 in [1] or 0 / 0 not in [1]", SB_PERHAPS, "0 / 0 = nan"},
    {"max((substeps - 9) / (substeps - 9)) < 2", SB_PERHAPS, NULL},
    {"max((substeps - 9) / (substeps - 9)) > 0", SB_YES, "= 1 or more"}, /* as for any unknown value */
    {"count(log(-substeps)) > 1", SB_PERHAPS, "= 0 … 4"},
    {"substeps > 7 or sqrt(8 - substeps) > 1", 1, "sqrt(8 - substeps) = 0, nan, nan, nan"},
    {"mean(blowup_time) == 18", 1, NULL},
    /* mistakes */
    {"blowup_tme == 1", MISTAKE, "these results have no column 'blowup_tme'; did you mean 'blowup_time'"},
    {"log(blowup_tme) == 1", MISTAKE, "no column 'blowup_tme'"},
    {"blowup_tme + 1 == 1", MISTAKE, "no column 'blowup_tme'"},
    {"grid == 1", MISTAKE, "no column 'grid'"},
    {"substeps", MISTAKE, "neither true nor false"},
    {"method < newton", MISTAKE, "no order"},
    {"status == 9", MISTAKE, "'9' is a number; it is compared with a word"},
    {"published(x, y, z=1) == 1", MISTAKE, "no published tables"},
    /* a truth value would be counted in every case, where it is false, too */
    {"count(substeps > 9) == 2", MISTAKE, "'substeps > 9' is true or false; count() counts the cases that have"},
    {"count(blowup_time > 0) == 3", MISTAKE, "'blowup_time > 0' is true or false"},
    {"count(or_else(accuracy_ok, 1)) == 4", MISTAKE, "'or_else(accuracy_ok, 1)' is true or false"},
    {"count(blowup_time, substeps > 9) == 5", MISTAKE, "'substeps > 9' is true or false"},
    {"count(1) == 1", MISTAKE, "'1' is a number; count() counts the cases that have a number or a word in a column"},
    {"count(blowup_time, 2 * 3) == 4", MISTAKE, "'2 * 3' is a number"},
    {"count('x') == 1", MISTAKE, "is a word; count()"},
    {"count(blowup_tme) == 1", MISTAKE, "no column 'blowup_tme'; did you mean 'blowup_time'"},
    {"count(blowup_time, substeps) == 7 and count(max(substeps)) == 1", 1, "count(blowup_time, substeps) = 7"},
    {"count(or_else(blowup_time, 0)) == 4 and count(blowup_time[substeps=9]) == 1", 1, NULL},
};

static void test_claims(void **state) { check_claims(*state, language, sizeof language / sizeof *language, NULL); }

static void test_no_rows(void **state)
{
  static const sb_perhaps nothing[8] = {SB_NO};
  static const claim      c = {"1 == 1", MISTAKE, "t:1:1: error: no rows are selected [E102]"};
  check_claim(&(sb_scope){.rows = *state, .taken = nothing, .arena = test_arena()}, &c);
}

static void test_published(void **state)
{
  static const claim claims[] = {
      {"published(times, ms, method=newton, n=10) == 50.6", 1, "= 50.6"},
      {"published(times, ms, method=method, n=substeps[substeps=10]) == 50.6", 1, NULL},
      {"published(times, note, n=20) == 'a, \"b\"'", 1, "a, \"b\""},
      {"count(published(times, ms, n=20)) == 0", 1, NULL},
      {"published(times, ms, method=newton) == 1", MISTAKE, "several rows"},
      {"published(times, ms, n=11) == 1", MISTAKE, "no row of"},
      {"published(times, mss, n=10) == 1", MISTAKE, "did you mean 'ms'"},
      {"published(tims, ms, n=10) == 1", MISTAKE, "cannot read"},
      {"published(times, ms, n='10') == 1", MISTAKE, "no row of times.csv has n=10"},
  };
  char folder[] = "/tmp/sb_published_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/times.csv", folder);
  FILE *file = fopen(path, "w");
  fputs("# a comment, with \"quotes\nmethod,n,ms,note\r\nnewton,10,50.6,x\r\n\n", file);
  fputs("newton,20,,\"a, \"\"b\"\"\"\n# end\nother,30", file);
  fclose(file);
  check_claims(*state, claims, sizeof claims / sizeof *claims, folder);
  unlink(path);
  rmdir(folder);
}

static void test_crossings(void **state)
{
  static const claim claims[] = {
      {"crossing(seconds, error[substeps=8], error[substeps=9]) == 4", 1, "crossing(seconds, error[substeps=8]"},
      {"crossing_y(seconds, error[substeps=8], error[substeps=9]) == 0.08", 1, NULL},
      {"crossing(seconds, twice[substeps=8], twice[substeps=9]) == 4", 1, NULL},                  /* the last */
      {"crossing(seconds, deep[substeps=8], deep[substeps=9]) == 3", 1, NULL},                    /* 1e-14: rounding */
      {"crossing(seconds, deep[substeps=9], deep[substeps=8]) == 2", 1, NULL},                    /* 1e-9: not */
      {"count(crossing(seconds, error[substeps=9], error[substeps=8])) == 0", 1, NULL},           /* never below */
      {"count(crossing(seconds, error[substeps=8], error[substeps=10])) == 0", SB_PERHAPS, NULL}, /* it diverged */
      {"crossing(seconds, error[substeps=8], error[substeps=11]) > 0", MISTAKE, "c.h5: error: damaged"},
      {"crossing(seconds, error[substeps=8], error[substeps=12]) > 0", MISTAKE, "no row has substeps=12"},
      {"crossing(seconds, error, error[substeps=8]) > 0", MISTAKE, "needs columns of curves"},
      {"crossing(seconds, error[substeps=8], error[substeps=9]) > error", MISTAKE, "no column 'error'"},
  };
  check_claims(*state, claims, sizeof claims / sizeof *claims, NULL);
}

typedef struct {
  const char *text, *message;
} refusal;

static void test_refusals(void **state)
{
  static const refusal refusals[] = {
      {"", "f:3:10: error: in the expression '': expected a value, not 'the end' [E102]"},
      {"1 +", "f:3:13: error"},
      {"a $ b", "f:3:12: error: in the expression 'a $ b': a character without meaning here (put words with it in "
                "quotes): '$' [E102]"},
      {"a ä b", "f:3:12: error: in the expression 'a ä b': a character without meaning here (put words with it in "
                "quotes): 'ä' [E102]"},
      {"1,5", "f:3:11: error: in the expression '1,5': expected an operator or the end, not ',' [E102]"},
      {"h == 5m", "f:3:15: error: in the expression 'h == 5m': a number followed by other characters: '5m' [E102]"},
      {"h == 1e999", "f:3:15: error: in the expression 'h == 1e999': not a finite number: '1e999' [E102]"},
      {"h = 5", "f:3:12: error: in the expression 'h = 5': expected an operator or the end, not '=' [E102]"},
      {"(1", "f:3:12: error: in the expression '(1': expected ')', not 'the end' [E102]"},
      {"'abc", "f:3:10: error: in the expression ''abc': a string without its closing quote: ''abc' [E102]"},
      {"slop(a, b)", "f:3:10: error: in the expression 'slop(a, b)': unknown function 'slop'; did you mean 'slope'"},
      {"slope(a)", "f:3:10: error: in the expression 'slope(a)': wrong number of arguments of 'slope' [E102]"},
      {"a[b]", "f:3:13: error: in the expression 'a[b]': expected '=' after an axis, not ']' [E102]"},
      {"a[b in c]", "f:3:17: error: in the expression 'a[b in c]': expected a list [a, b] after 'in', not 'c' [E102]"},
      {"a[b in [c], d in [e]]", "f:3:24: error: in the expression 'a[b in [c], d in [e]]': only one list, in the "
                                "outermost brackets [E102]"},
      {"a[b=c[d in [e]]]", "f:3:18: error: in the expression 'a[b=c[d in [e]]]': only one list"},
      {"published(a, b, c in [d])", "f:3:28: error: in the expression 'published(a, b, c in [d])': expected '='"},
      {"a in b", "f:3:15: error: in the expression 'a in b': expected a list [a, b] after 'in', not 'b' [E102]"},
      {"a and", "f:3:15: error: in the expression 'a and': expected a value, not 'the end' [E102]"},
      {"a not b", "f:3:16: error: in the expression 'a not b': expected an operator or the end, not 'b' [E102]"},
      {"m ~ '('", "f:3:14: error"},
      {"m ~ 'a{9}'", "f:3:14: error: in the expression 'm ~ 'a{9}'': not a regular expression"},
      {"m ~ '(a*)\\1'", "f:3:14: error"},
      {"m ~ '(((((((((((a+)+)+)+)+)+)+)+)+)+)+'", "f:3:14: error"},
      {"published('../x', a, b=1)", "f:3:20: error"},
  };
  (void)state;
  for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    assert_null(sb_expression_parse(refusals[i].text, (sb_location){"f", 3, 10}, false, test_arena(), d));
    assert_int_equal(sb_diagnostics_errors(d), 1);
    if (strncmp(sb_diagnostics_message(d, 0), refusals[i].message, strlen(refusals[i].message)) != 0)
      fail_msg("%s: %s", refusals[i].text, sb_diagnostics_message(d, 0));
    sb_diagnostics_destroy(&d);
  }
}

/* Nothing that is too deep or too long reaches the stack. */
static void test_depth(void **state)
{
  (void)state;
  static const char *const pieces[] = {"(", "-", "not ", "sqrt(", "1+", "1^", "a[b=", "a[b in ["};
  char                     text[6000];
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
    const size_t length = strlen(pieces[i]);
    size_t       n = 0;
    for (; n + length < 4000; n += length) memcpy(text + n, pieces[i], length);
    memcpy(text + n, "1", 2);
    assert_null(sb_expression_parse(text, (sb_location){0}, false, test_arena(), NULL));
  }
  memset(text, ' ', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  assert_null(sb_expression_parse(text, (sb_location){0}, false, test_arena(), NULL));
  parsed("((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))");
}

static void count_name(void *context, const char *name)
{
  strcat(context, name);
  strcat(context, " ");
}

static void test_names(void **state)
{
  (void)state;
  char           names[256] = "";
  sb_expression *e = sb_expression_parse("status[substeps=9] == ok and linear == petsc and log(a) > b",
                                         (sb_location){0}, false, test_arena(), NULL);
  sb_expression_names(e, count_name, names);
  assert_string_equal(names, "status substeps linear a b ");
}

typedef enum { A_CELL, A_CLAUSE, A_CONDITION } use;

typedef struct {
  use         use;
  const char *text, *message; /* NULL: nothing wrong */
} by_itself;

static void test_check(void **state)
{
  (void)state;
  static const by_itself cases[] = {
      {A_CLAUSE, "blowup_time > 3 and status[substeps=9] == ok and grid in [1, 2]", NULL},
      {A_CLAUSE, "slope(log(blowup_time), log(substeps)) < 1", NULL},
      {A_CLAUSE, "reason[substeps=9] == slow and command == x and why ~ slow", NULL},
      {A_CLAUSE, "accuracy_ok and not allow_zero_length or published(nosuch, x, y=nothing) > 1", NULL},
      {A_CELL, "blowup_tme > 3", "f:1:1: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {A_CELL, "3 == blowup_tme", "f:1:6: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {A_CELL, "1 < log(blowup_tme)", "f:1:9: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {A_CELL, "1 == 2 and blowup_tme > 3",
       "f:1:12: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {A_CELL, "blowup_tme", "f:1:1: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {A_CELL, "statu[substeps=9] == ok", "f:1:1: error: unknown column 'statu'; did you mean 'status'? [E101]"},
      {A_CELL, "status[substep=9] == ok", "f:1:16: error: unknown column 'substep'; did you mean 'substeps'? [E101]"},
      {A_CELL, "integrater == implicit_euler",
       "f:1:1: error: unknown column 'integrater'; did you mean 'integrator'? [E101]"},
      {A_CLAUSE, "blowup_time",
       "f:1:1: error: 'blowup_time' is a number, neither true nor false; write a comparison [E102]"},
      {A_CELL, "why + 1", "f:1:1: error: 'why' is a word; only numbers can be calculated with [E102]"},
      {A_CLAUSE, "count(grid > 3) == 6",
       "f:1:7: error: 'grid > 3' is true or false; count() counts the cases that have a number or a word in a column "
       "[E102]"},
      {A_CELL, "count(accuracy_ok)",
       "f:1:7: error: 'accuracy_ok' is true or false; count() counts the cases that have a number or a word in a "
       "column "
       "[E102]"},
      {A_CELL, "count(1)",
       "f:1:7: error: '1' is a number; count() counts the cases that have a number or a word in a column [E102]"},
      {A_CELL, "count(blowup_tme)", "f:1:7: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {A_CELL, "or_else(blowup_time, 'none')",
       "f:1:22: error: ''none'' is a word; or_else() takes two values of one kind [E102]"},
      {A_CELL, "or_else(blowup_time, none)", "f:1:22: error: unknown column 'none'; did you mean 'nodes'? [E101]"},
      {A_CLAUSE, "or_else(why, 3) == slow",
       "f:1:14: error: '3' is a number; or_else() takes two values of one kind [E102]"},
      {A_CLAUSE,
       "or_else(minimizer, none) == none and or_else(accuracy_ok, true) and or_else(jacobi_omega, auto) == 0.5", NULL},
      {A_CELL, "or_else(blowup_time, or_else(substeps, 1))", NULL},
      {A_CLAUSE, "count(status) > 1 and count(why) > 1 and count(published(t, c, grid=grid)) > 1", NULL},
      {A_CELL, "accuracy_ok > 1", "f:1:1: error: 'accuracy_ok' is true or false, which has no order [E102]"},
      {A_CELL, "status == divergd", "f:1:11: error: status has no value 'divergd'; did you mean 'diverged'? [E106]"},
      {A_CELL, "allow_zero_length[status=divergd]",
       "f:1:26: error: status has no value 'divergd'; did you mean 'diverged'? [E106]"},
      {A_CELL, "allow_zero_length in [true, ture]", "f:1:29: error: allow_zero_length has no value 'ture' [E106]"},
      {A_CELL, "jacobi_omega in [auto, 0.5] and gradient_tolerance < 1", NULL},
      {A_CELL, "jacobi_omega == aut", "f:1:17: error: jacobi_omega has no value 'aut' [E106]"},
      {A_CELL, "stiffness == auto", "f:1:14: error: unknown column 'auto' [E101]"},
      {A_CONDITION, "jacobi_omega == auto and jacobi_omega != 0.5", NULL},
      {A_CONDITION, "method == newton and scene == rope", NULL},
      {A_CONDITION, "status == ok",
       "f:1:1: error: 'status' is not known before the run; options and 'method' are [E101]"},
      {A_CONDITION, "why == x", "f:1:1: error: 'why' is not known before the run; options and 'method' are [E101]"},
      {A_CONDITION, "stifness == 100", "f:1:1: error: unknown option 'stifness'; did you mean 'stiffness'? [E101]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_diagnostics   *d = sb_diagnostics_create();
    const sb_session *session = session_with(NULL, d);
    sb_expression    *e = sb_expression_parse(cases[i].text, (sb_location){"f", 1, 1}, false, session->arena, d);
    sb_expression_check(e, sb_check_create(session, NULL, "blowup", cases[i].use == A_CONDITION, session->arena),
                        cases[i].use != A_CELL, d);
    const char *message = sb_diagnostics_message(d, 0);
    if (!message != !cases[i].message || (message && strcmp(message, cases[i].message) != 0))
      fail_msg("%s: %s", cases[i].text, message ? message : "nothing");
    assert_null(sb_diagnostics_message(d, 1)); /* one mistake is told once */
    sb_diagnostics_destroy(&d);
  }
}

typedef struct {
  size_t        row;
  const char   *text;
  sb_value_kind kind;
  double        value; /* a number, or whether it is true; of what is unknown, the kinds it may be of */
} cell;

static void check_cells(const sb_rows *rows, const cell *cells, size_t count)
{
  const sb_scope scope = {.rows = rows};
  for (size_t i = 0; i < count; ++i) {
    sb_value v = {.kind = SB_BLANK};
    if (!sb_expression_value(parsed(cells[i].text), &scope, cells[i].row, &v, NULL)) fail_msg("%s", cells[i].text);
    const double value = v.kind == SB_NUMBER ? v.number : v.kind == SB_TRUTH ? v.truth : v.may_be;
    if (v.kind != cells[i].kind || !(value == cells[i].value))
      fail_msg("%s: kind %d, %g", cells[i].text, (int)v.kind, value);
  }
}

static void test_rows_one_by_one(void **state)
{
  static const cell cells[] = {
      {1, "blowup_time[method=descent, substeps=substeps] / blowup_time", SB_NUMBER, 2},
      {3, "blowup_time[method=descent, substeps=substeps] / blowup_time", SB_BLANK, 0},
      {5, "method", SB_WORD, 0},
      {5, "method == descent", SB_TRUTH, true},
      {3, "status == ok and method == newton", SB_TRUTH, true},
      {7, "status == ok and method == newton", SB_TRUTH, false},
      {1, "max(substeps, 10) - min(blowup_time, 3, 4)", SB_NUMBER, 7}, /* of the values of the row */
      {0, "1 / (substeps - 8)", SB_BLANK, 0},
  };
  static const char *const refused[] = {"substeps == max(substeps)", "blowup_time / median(blowup_time)",
                                        "count(blowup_time[method=descent, substeps=substeps]) > 0"};
  const sb_scope           scope = {.rows = *state, .arena = test_arena()};
  check_cells(*state, cells, sizeof cells / sizeof *cells);
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    sb_value        v;
    sb_reason     **open;
    assert_false(sb_expression_value(parsed(refused[i]), &scope, 0, &v, d));
    assert_non_null(strstr(sb_diagnostics_message(d, 0), "() of one column needs the values of several cases"));
    assert_null(sb_expression_select(parsed(refused[i]), &scope, d));
    assert_null(sb_expression_taken(parsed(refused[i]), &scope, &open, d));
    sb_diagnostics_destroy(&d);
  }
}

/* Two rows, n = 1 and 2; t, a number, and what, a word, are not known. */
static void test_unknown(void **state)
{
  (void)state;
  static const cell cells[] = {
      {0, "t", SB_UNKNOWN, SB_MAY_BE_NUMBER},
      {0, "n + t", SB_UNKNOWN, SB_MAY_BE_NUMBER},
      {0, "-sqrt(t)", SB_UNKNOWN, SB_MAY_BE_NUMBER},
      {0, "1 / 0 + t", SB_UNKNOWN, 2},
      {0, "max(n, t)", SB_UNKNOWN, SB_MAY_BE_NUMBER},
      {0, "count(n, t)", SB_UNKNOWN, SB_MAY_BE_NUMBER},
      {0, "t > 1", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "not what == x", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "n == 1 and t > 1", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "t > 1 and n == 1", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "n == 2 and t > 1", SB_TRUTH, false},
      {0, "t > 1 and n == 2", SB_TRUTH, false},
      {0, "n == 1 or t > 1", SB_TRUTH, true},
      {0, "n == 2 or t > 1", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "t in [1, n]", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "n in [1, t]", SB_TRUTH, true},
      {0, "n not in [2, t]", SB_UNKNOWN, SB_MAY_BE_TRUTH},
      {0, "2 < n < t", SB_TRUTH, false},
      {0, "n[n=2]", SB_NUMBER, 2},
      {0, "n[t=2]", SB_UNKNOWN, SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH},
      {0, "n[n=2, t=2]", SB_UNKNOWN, SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH},
      {0, "what[n=2]", SB_UNKNOWN, SB_MAY_BE_WORD},
  };
  sb_rows *rows = sb_rows_create(test_arena());
  sb_rows_add_unknown(rows, "t", SB_MAY_BE_NUMBER);
  sb_rows_add_unknown(rows, "what", SB_MAY_BE_WORD);
  put(rows, sb_rows_add_row(rows), "n", number(1));
  put(rows, sb_rows_add_row(rows), "n", number(2));
  check_cells(rows, cells, sizeof cells / sizeof *cells);
}

/* Six rows, n = 1 to 6; t is 10, 20, not known, none, 30 and 100, what a, b, not known, a, c and a. A claim is about
 * the first four, perhaps about the fifth, and not about the last. `values`: those of the third row, NULL: not known.
 */
static sb_rows *rows_in_part(const sb_value *values)
{
  static const double numbers[] = {10, 20, 0, 0, 30, 100};
  static const char  *words[] = {"a", "b", "", "a", "c", "a"};
  const sb_value      nothing = {.kind = SB_UNKNOWN, .may_be = SB_MAY_BE_NUMBER | SB_MAY_BE_WORD | SB_MAY_BE_TRUTH};
  sb_rows            *rows = sb_rows_create(test_arena());
  for (size_t i = 0; i < 6; ++i) {
    put(rows, sb_rows_add_row(rows), "n", number(1 + (double)i));
    put(rows, i, "t",
        i == 2   ? (values ? values[0] : nothing)
        : i == 3 ? (sb_value){.kind = SB_BLANK}
                 : number(numbers[i]));
    put(rows, i, "what", i == 2 ? (values ? values[1] : nothing) : word(words[i]));
  }
  return rows;
}

static const sb_perhaps in_part[] = {SB_YES, SB_YES, SB_YES, SB_YES, SB_PERHAPS, SB_NO};

static const claim undecided[] = {
    /* comparisons and logic, row by row: one row that fails decides, and one that is not known leaves open */
    {"t > 0", SB_NO, "10, 20, ?, (blank), 30"},
    {"t > 0 or n == 4", SB_PERHAPS, NULL},
    {"n > 0", SB_YES, NULL},
    {"n != 5", SB_PERHAPS, NULL}, /* whether it is about the fifth row is not known */
    {"n < 5 or what == c", SB_YES, NULL},
    {"not t > 25 or n == 5", SB_PERHAPS, NULL},
    {"what == a or what == b", SB_PERHAPS, NULL},
    {"what in [a, b, c]", SB_PERHAPS, NULL},
    {"what ~ '[abc]'", SB_PERHAPS, NULL},
    {"n == 3 or what not in [x, y]", SB_YES, NULL},
    {"what not in [a]", SB_NO, NULL},
    {"t[n=1] < t[n=2] and t[n=3] > 0", SB_PERHAPS, NULL},
    {"t[n=1] > t[n=2] and t[n=3] > 0", SB_NO, NULL},
    {"t[n=1] < t[n=2] or t[n=3] > 0", SB_YES, "t by n: 10 (1), 20 (2), ? (3)"},
    {"t[n=3] == t[n=3]", SB_PERHAPS, NULL},       /* it may be blank */
    {"t[n=3] > t[n=4]", SB_NO, NULL},             /* nothing is above what is blank */
    {"t[n=5] == 30", SB_PERHAPS, NULL},           /* there may be no such row */
    {"n[what=b] == 2", SB_PERHAPS, NULL},         /* there may be two */
    {"t[n=3] not in [t[n=4]]", SB_PERHAPS, NULL}, /* not if it is blank */
    {"0 * t[n=3] == 0 and sqrt(t[n=3]) >= 0", SB_PERHAPS, NULL},
    /* the largest is at least the largest known, the smallest at most the smallest, a count between two bounds */
    {"max(t) > 15", SB_YES, "max(t) = 20 or more"},
    {"max(t) < 15 ", SB_NO, NULL},
    {"max(t) > 25", SB_PERHAPS, NULL},
    {"max(t) >= 20 and not max(t) < 20 and 20 <= max(t)", SB_YES, NULL},
    {"max(t) == 20", SB_PERHAPS, NULL},
    {"max(t) != 19 and max(t) not in [10, 11]", SB_YES, NULL},
    {"max(t) in [1, 2]", SB_NO, NULL},
    {"min(t) < 11", SB_YES, "min(t) = 10 or less"},
    {"min(t) > 10", SB_NO, NULL},
    {"min(t) > 5", SB_PERHAPS, NULL},
    {"min(t) < max(n)", SB_PERHAPS, NULL},
    {"min(t) <= max(t)", SB_YES, NULL},
    {"count(t) >= 2 and count(t) <= 4 and 1 < count(t) < 5", SB_YES, NULL},
    {"count(t) == 4", SB_PERHAPS, NULL},
    {"count(t) == 5 or count(t) == 1", SB_NO, "count(t) = 2 … 4"},
    {"count(n) > 2 and max(n) >= 4 and min(n) == 1", SB_PERHAPS, NULL},
    {"max(t, 5) > 4", SB_YES, NULL},
    {"max(t[n=3], 5) > 4 and min(t[n=3], 5) < 6", SB_YES, NULL},
    {"max(t[n=3]) > 4", SB_PERHAPS, NULL},
    {"max(t[n=4], 5) == 5", SB_YES, NULL},
    {"mean(t) > 0", SB_PERHAPS, NULL},
    {"median(t) > 0", SB_PERHAPS, NULL},
    {"slope(t, n) > 0", SB_PERHAPS, NULL},
    {"slope(n, n) > 0", SB_PERHAPS, NULL},
    {"mean(t[n=1], t[n=2]) == 15 and median(t[n=1], 3) == 6.5", SB_YES, NULL},
    {"max(abs(t - 15)) < 4 or slope(t, n) > 3", SB_PERHAPS, NULL},
    {"max(t[n=n]) > 15", SB_YES, NULL}, /* partners, also of rows that it is not about */
    {"t[n=6] == 100", MISTAKE, "no row has n=6"},
    {"t[n=3+n-n] == 1 or n[n=7-n] > 0", SB_YES, NULL},
    {"published(x, y, z=1) == 1", MISTAKE, "no published tables"},
};

static void what_is_not_known_leaves_open(void **state)
{
  (void)state;
  const sb_scope scope = {.rows = rows_in_part(NULL), .taken = in_part, .arena = test_arena()};
  for (size_t i = 0; i < sizeof undecided / sizeof *undecided; ++i) check_claim(&scope, &undecided[i]);
}

/* A claim that is decided is so whatever stands in the place of what is not known: the definition, by trying. */
static void a_decision_stands_whatever_comes(void **state)
{
  (void)state;
  const sb_value blank = {.kind = SB_BLANK};
  const sb_value values[][2] = {{blank, blank},          {number(-1e9), word("a")}, {number(4), word("b")},
                                {number(10), word("d")}, {number(15), word("x")},   {number(20), word("a")},
                                {number(1e9), word("c")}};
  for (size_t i = 0; i < sizeof undecided / sizeof *undecided; ++i) {
    bool seen[3] = {false};
    for (size_t k = 0; k < sizeof values / sizeof *values; ++k)
      for (int fifth = SB_NO; fifth <= SB_YES; ++fifth) {
        const sb_perhaps taken[] = {SB_YES, SB_YES, SB_YES, SB_YES, (sb_perhaps)fifth, SB_NO};
        const sb_scope   scope = {.rows = rows_in_part(values[k]), .taken = taken, .arena = test_arena()};
        sb_perhaps       truth = SB_NO;
        sb_grounds       grounds = {0};
        sb_diagnostics  *d = sb_diagnostics_create();
        if (sb_expression_claim(parsed(undecided[i].text), &scope, &truth, &grounds, d)) seen[truth] = true;
        sb_diagnostics_destroy(&d);
      }
    if (undecided[i].truth == SB_YES && (seen[SB_NO] || !seen[SB_YES])) fail_msg("not always: %s", undecided[i].text);
    if (undecided[i].truth == SB_NO && (seen[SB_YES] || !seen[SB_NO])) fail_msg("sometimes: %s", undecided[i].text);
  }
}

static void note_unknown(void *asked, size_t row, unsigned what)
{
  if (what & SB_LEAVES_OPEN) ((bool *)asked)[row] = true;
}

/* The caller gets the rows that leave a claim open, and no others. */
static void rows_that_leave_open_are_told(void **state)
{
  (void)state;
  bool       asked[6] = {false};
  sb_scope   scope = {.rows = rows_in_part(NULL), .taken = in_part, .arena = test_arena()};
  sb_grounds grounds = {0};
  sb_perhaps truth = SB_NO;
  scope.reads = note_unknown;
  scope.reader = asked;
  assert_true(sb_expression_claim(parsed("t[n=3] > 4 and t[n=1] == 10"), &scope, &truth, &grounds, NULL));
  assert_int_equal(truth, SB_PERHAPS);
  assert_true(asked[2] && !asked[0] && !asked[1] && !asked[3]);
}

/* The whole sweep, two methods at substeps 4 and 16, with a published table. `found`: what stands in the messages. */
static void expect_planned(const char *section, const char *found)
{
  static const char sweep[] = HEAD "defaults: {scene: rope, frames: 1, frame_seconds: 0.1}\n"
                                   "methods: {a: {integrator: rk4}, b: {}}\n"
                                   "sweep: [{grid: {substeps: [4, 16], method: [a, b]}}]\n";
  char              text[2048], said[4096] = "";
  sb_diagnostics   *d = sb_diagnostics_create();
  snprintf(text, sizeof text, "%s%s", sweep, section);
  const bool good = sb_sweep_check_expressions(sweep_of(text), plan_of(text, NULL), session_with(NULL, d));
  for (size_t i = 0; sb_diagnostics_message(d, i); ++i) strcat(strcat(said, sb_diagnostics_message(d, i)), "\n");
  if (good != !*found || strcmp(said, found) != 0) fail_msg("%s: %s", section, said);
  sb_diagnostics_destroy(&d);
}

static void test_planned(void **state)
{
  (void)state;
  /* clauses that take no case, also where a result could not make them true */
  expect_planned("tables: [{id: t, cell: substeps, where: substeps > 16}]",
                 "f:7:41: error: 'substeps > 16' selects none of the sweep's 4 cases [E106]\n");
  expect_planned("figures: [{id: f, script: x.gp, where: status == ok and substeps == 5}]",
                 "f:7:40: error: 'status == ok and substeps == 5' selects none of the sweep's 4 cases [E106]\n");
  expect_planned("expect: [{claim: c, test: substeps > 1, where: 'not method in [a, b] or substeps == 9'}]",
                 "f:7:49: error: 'not method in [a, b] or substeps == 9' selects none of the sweep's 4 cases [E106]\n");
  expect_planned("tables: [{id: t, cell: substeps, where: status == ok and substeps > 4 or blowup_time > 3}]", "");
  /* selections of a claim: among its rows */
  expect_planned("expect: [{claim: c, test: 'blowup_time[substeps=4] > 1'}]",
                 "f:7:28: error: in 'blowup_time[substeps=4]': several rows have substeps=4 [E106]\n");
  expect_planned("expect: [{claim: c, test: 'blowup_time[substeps=4] > 1', where: method == a}]", "");
  expect_planned("expect: [{claim: c, test: 'blowup_time[substeps=4] > 1', where: method == a and substeps == 16}]",
                 "f:7:28: error: in 'blowup_time[substeps=4]': no row has substeps=4 [E106]\n");
  expect_planned("expect: [{claim: c, test: 'blowup_time[substeps=4] > 1', where: status == ok}]", "");
  expect_planned(
      "expect: [{claim: c, test: '1 == 2 and substeps[substeps=9, method=b] > 1'}]",
      "f:7:39: error: in 'substeps[substeps=9, method=b]': no row has substeps=9 (there are 4, 16), method=b "
      "[E106]\n");
  expect_planned(
      "expect: [{claim: c, test: 'blowup_time[method=b, substeps=substeps] > blowup_time', where: method == a}]", "");
  expect_planned("expect: [{claim: c, test: 'slope(blowup_time, substeps) > 1', where: substeps == 4}]", "");
  expect_planned(
      "expect: [{claim: c, test: 'slope(substeps, substeps) > 1', where: substeps == 4}]",
      "f:7:28: error: in 'slope(substeps, substeps)': slope() needs two rows with different values [E102]\n");
  /* of lines: over the rows of each */
  expect_planned("tables: [{id: t, rows: method, over: substeps, columns: [{value: max(blowup_time)}]}]", "");
  expect_planned(
      "tables: [{id: t, rows: method, columns: [{value: max(blowup_time)}]}]",
      "f:7:50: error: in 'max(blowup_time)': max() of one column needs the values of several cases, but this "
      "is evaluated for each case by itself; use it in a claim's test or in a table with 'over' [E102]\n");
  /* of cells: some may have no answer, but not all */
  expect_planned("tables: [{id: t, cell: 'blowup_time[method=a, substeps=4 * substeps]'}]", "");
  expect_planned("tables: [{id: t, where: substeps == 16, cell: 'blowup_time[method=a, substeps=4 * substeps]'}]",
                 "f:7:48: error: in 'blowup_time[method=a, substeps=4 * substeps]': no row has method=a, substeps=64 "
                 "(there are 4, 16) [E106]\n");
  expect_planned("tables: [{id: t, cell: 'blowup_time[method=a]'}]",
                 "f:7:25: error: in 'blowup_time[method=a]': several rows have method=a [E106]\n");
  expect_planned("tables: [{id: t, cell: 'blowup_time[method in [a, b], substeps=substeps]'}]", "");
  expect_planned("tables: [{id: t, cell: 'blowup_time[substeps in [4, 5], method=method]', where: method == a}]",
                 "f:7:25: error: in 'blowup_time[substeps in [4, 5], method=method]': no row has substeps=5 (there are "
                 "4, 16), method=a [E106]\n");
  expect_planned("tables: [{id: t, cell: 'slope(blowup_time, substeps)'}]",
                 "f:7:25: error: in 'slope(blowup_time, substeps)': slope(y, x) needs two columns [E102]\n");
  /* curves: of which cases */
  expect_planned("expect: [{claim: c, where: method == a, test: 'crossing(t, e[substeps=4], e[substeps=16]) > 1'}]",
                 "");
  expect_planned("expect: [{claim: c, test: 'crossing(t, e[substeps=4], e[substeps=16, method=a]) > 1'}]",
                 "f:7:40: error: in 'e[substeps=4]': several rows have substeps=4 [E106]\n");
}

/* Figures show the cases that are left in panels and layers: a message comes once where panels share it. */
static void test_planned_figures(void **state)
{
  (void)state;
  expect_planned(
      "figures: [{id: f, kind: curves, x: substeps, y: 'blowup_time[method=b, substeps=substeps]', where: method"
      " == a, panels: [{where: substeps == 4}, {title: t}]}]",
      "");
  expect_planned(
      "figures: [{id: f, kind: curves, x: substeps, y: 'blowup_time[substeps=9]', panels: [{title: s}, {title: t}]}]",
      "f:7:50: error: in 'blowup_time[substeps=9]': no row has substeps=9 (there are 4, 16) [E106]\n");
  expect_planned("figures: [{id: f, kind: curves, x: substeps, where: substeps == 16, layers: [{where: method == a, y: "
                 "'blowup_time[method=a, substeps=4 * substeps]'}]}]",
                 "f:7:103: error: in 'blowup_time[method=a, substeps=4 * substeps]': no row has method=a, substeps=64 "
                 "(there are 4, 16) [E106]\n");
  expect_planned("figures: [{id: f, kind: curves, x: substeps, y: blowup_time, layers: [{where: nodes == 3}]}]",
                 "f:7:79: error: 'nodes == 3' selects none of the sweep's 4 cases [E106]\n");
  expect_planned("figures: [{id: f, kind: curves, data: curves, x: seconds, y: 'e[substeps=9]'}]", "");
  /* published tables: columns and rows */
  expect_planned("tables: [{id: t, cell: 'published(liu2013_table1, iteration, object=curtain)'}]",
                 "f:7:25: error: liu2013_table1.csv has no column 'iteration'; did you mean 'iterations'? [E101]\n");
  expect_planned(
      "tables: [{id: t, cell: 'published(liu2013_table1, iterations, object=carpet)'}]",
      "f:7:25: error: in 'published(liu2013_table1, iterations, object=carpet)': no row of liu2013_table1.csv "
      "has object=carpet (there are curtain, hippo, frog, dog, dress, brush) [E106]\n");
  expect_planned("expect: [{claim: c, test: 'published(liu2013_table1, iterations, object=curtain) > 1'}]", "");
}

enum { MANY = 12 };

/* n 1 to 12; t = 10 n, blank in the last two; a status of three kinds; an answer that is true, false and blank. */
static int make_many_rows(void **state)
{
  sb_rows *rows = sb_rows_create(test_arena());
  for (size_t i = 0; i < MANY; ++i) {
    sb_rows_add_row(rows);
    put(rows, i, "n", number(1 + (double)i));
    if (i < MANY - 2) put(rows, i, "t", number(10 + 10 * (double)i));
    put(rows, i, "status", word(i < 7 ? "ok" : i < 11 ? "diverged" : "timeout"));
    if (i < 9) put(rows, i, "met", truth(i % 3 == 0));
    put(rows, i, "none", (sb_value){.kind = SB_BLANK});
  }
  *state = rows;
  return 0;
}

static void grounds_are_short(void **state)
{
  static const char *const said[][2] = {
      /* many numbers are a span, many words are counted */
      {"n > 0", "n = 1 … 12 (12 values)"},
      {"t > 0", "t = 10 … 100 (10 values), (blank) (2)"},
      {"t / n == 10", "t / n = 10 … 10 (10 values), (blank) (2)"},
      {"status in [ok, diverged]", "status = ok (7), diverged (4), timeout (1)"},
      {"met == true", "met = true (3), false (6), (blank) (3)"},
      {"none == 1", "none = (blank) (12)"},
      /* few values are all said, nothing twice */
      {"t[n=3] < t[n=5] and t[n=12] == 3", "t by n: 30 (3), 50 (5), (blank) (12)"},
      {"status[n=3,\n    met=false] == ok", "status by n, met: ok (3, false)"},
      {"met[n=1] == true and met[n=2] == true", "met by n: true (1), false (2)"},
      {"max(n) == 12 and max(n) == 12 and min(n) == 1", "max(n) = 12; min(n) = 1"},
      {"1 == 1 and -2 < 3", ""},
  };
  const sb_scope scope = {.rows = *state, .arena = test_arena()};
  for (size_t i = 0; i < sizeof said / sizeof *said; ++i) {
    sb_grounds grounds = {0};
    sb_perhaps truth = SB_NO;
    assert_true(sb_expression_claim(parsed(said[i][0]), &scope, &truth, &grounds, NULL));
    assert_string_equal(grounds.shown, said[i][1]);
  }
}

/* A text that does not fit is cut between characters, with a mark. */
static void a_long_text_is_cut(void **state)
{
  const sb_scope scope = {.rows = *state, .arena = test_arena()};
  for (int pad = 0; pad < 4; ++pad) { /* the cut falls on each byte of a sign of three */
    sb_grounds  grounds = {0};
    sb_perhaps  truth = SB_NO;
    const char *text = sb_arena_format(test_arena(), "n + %.*s > 0", pad + 1, "1111");
    for (int i = 10; i < 42; ++i) text = sb_arena_format(test_arena(), "%s and n + %d > 0", text, i);
    assert_true(sb_expression_claim(parsed(text), &scope, &truth, &grounds, NULL));
    const size_t shown = strlen(grounds.shown);
    assert_in_range(shown, SB_SHOWN_MAX - 3, SB_SHOWN_MAX);
    assert_string_equal(grounds.shown + shown - 4, " …");
    assert_true(sb_is_printable(grounds.shown));
    assert_memory_equal(grounds.shown, "n + 1", 5);
  }
}

/* Number of cells read since it was set to 0; CMake wraps the function. */
static size_t asked;
sb_value      __real_sb_rows_get(const sb_rows *rows, size_t row, size_t column);
sb_value      __wrap_sb_rows_get(const sb_rows *rows, size_t row, size_t column);
sb_value      __wrap_sb_rows_get(const sb_rows *rows, size_t row, size_t column)
{
  ++asked;
  return __real_sb_rows_get(rows, row, column);
}

/* A selection in each of many rows reads a few cells, not all rows: seeds twice, once for each value of `fine`. The
 * known keys still select if others are unknown in some rows. */
static void selections_do_not_search_all_rows(void **state)
{
  enum { ROWS = 2000, CELLS_A_ROW = 30 };
  (void)state;
  static const char *const texts[] = {
      "x >= 0.99 * x[seed=seed, fine=fine]", "x == x[fine=fine, seed=seed]", "x == x[seed=seed, fine=fine, odd=odd]",
      "x[seed=seed, fine=true] == x[seed=seed, fine=false] + 1", "or_else(x[seed=seed, fine=false, none=0], 1) == 0"};
  sb_rows *rows = sb_rows_create(test_arena());
  sb_rows_add_unknown(rows, "odd", SB_MAY_BE_WORD);
  for (size_t i = 0; i < ROWS; ++i) {
    sb_rows_add_row(rows);
    put(rows, i, "seed", number((double)(i / 2)));
    put(rows, i, "fine", truth(i % 2 == 1));
    put(rows, i, "x", number((double)(2 + i % 2)));
    put(rows, i, "none", i % 2 == 1 ? number(0) : (sb_value){.kind = SB_BLANK});
    if (i % 5 != 0) put(rows, i, "odd", word(i % 2 ? "yes" : "no"));
  }
  const sb_scope scope = {.rows = rows, .arena = test_arena()};
  for (size_t t = 0; t < sizeof texts / sizeof *texts; ++t) {
    const sb_expression *e = parsed(texts[t]);
    sb_grounds           grounds = {0};
    sb_perhaps           judged = SB_NO;
    asked = 0;
    const bool good = sb_expression_claim(e, &scope, &judged, &grounds, NULL);
    if (good != (t < 4) || (good && judged != (t == 2 ? SB_PERHAPS : SB_YES))) fail_msg("%s: %d", texts[t], judged);
    if (asked > CELLS_A_ROW * ROWS) fail_msg("%s asks for %zu cells of %d rows", texts[t], asked, ROWS);
    asked = 0;
    for (size_t i = 0; i < ROWS; ++i) {
      sb_value value;
      (void)sb_expression_value(e, &scope, i, &value, NULL);
    }
    if (asked > CELLS_A_ROW * ROWS) fail_msg("%s asks for %zu cells of %d rows", texts[t], asked, ROWS);
  }
  put(rows, 7, "seed", number(-1)); /* the sorted index follows a change of the rows */
  sb_value value;
  assert_true(sb_expression_value(parsed("x[seed=-1]"), &scope, 0, &value, NULL) && value.number == 3);
}

/* A locale with a decimal comma changes neither what is read nor what is shown. */
static void test_locale(void **state)
{
  static const claim c = {"substeps * 0.25 >= 2.0", 1, "substeps * 0.25 = 2, 2.25, 2.5, 2.75"};
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  check_claims(*state, &c, 1, NULL);
  setlocale(LC_ALL, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_claims, make_rows),
      cmocka_unit_test_setup(test_rows_one_by_one, make_rows),
      cmocka_unit_test_setup(test_no_rows, make_rows),
      cmocka_unit_test_setup(test_published, make_rows),
      cmocka_unit_test_setup(test_crossings, make_rows),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_check),
      cmocka_unit_test(test_unknown),
      cmocka_unit_test(what_is_not_known_leaves_open),
      cmocka_unit_test(a_decision_stands_whatever_comes),
      cmocka_unit_test(rows_that_leave_open_are_told),
      cmocka_unit_test(test_planned),
      cmocka_unit_test(test_planned_figures),
      cmocka_unit_test_setup(grounds_are_short, make_many_rows),
      cmocka_unit_test_setup(a_long_text_is_cut, make_many_rows),
      cmocka_unit_test(selections_do_not_search_all_rows),
      cmocka_unit_test_setup(test_locale, make_rows),
  };
  return cmocka_run_group_tests(tests, NULL, end_sessions);
}
