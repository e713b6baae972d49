/* The expression language: values, vectors, selections, published cells, and what is refused, with its place. */
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/options.h"
#include "harness/sweep/expression_check.h"
#include "tests/cmocka_all.h"

static sb_arena *arena; /* of all tests */

static void put_number(sb_rows *rows, size_t row, const char *column, double number)
{
  sb_rows_set(rows, row, sb_rows_add_column(rows, column, "", true, false),
              (sb_value){.kind = SB_NUMBER, .number = number});
}

static void put_word(sb_rows *rows, size_t row, const char *column, const char *word)
{
  sb_rows_set(rows, row, sb_rows_add_column(rows, column, "", true, false), (sb_value){.kind = SB_WORD, .word = word});
}

/* Two methods at substeps 8 9 10 11; blow-up times 2 and 4 times the substeps, none at 11. */
static int make_rows(void **state)
{
  sb_rows *rows = sb_rows_create(arena);
  for (size_t i = 0; i < 8; ++i) {
    const double substeps = 8 + (double)(i % 4);
    sb_rows_add_row(rows);
    put_word(rows, i, "method", i < 4 ? "newton" : "descent");
    put_number(rows, i, "substeps", substeps);
    put_word(rows, i, "linear", i < 4 ? "petsc" : "jacobi");
    put_word(rows, i, "petsc", "-ksp_type cg");
    put_word(rows, i, "status", i % 4 < 3 ? "diverged" : "ok");
    if (i % 4 < 3) put_number(rows, i, "blowup_time", substeps * (i < 4 ? 2 : 4));
    sb_rows_set(rows, i, sb_rows_add_column(rows, "accuracy_ok", "", false, false),
                (sb_value){.kind = SB_TRUTH, .truth = i < 6});
  }
  *state = rows;
  return 0;
}

/* The first four rows: method newton. */
static const bool newton[8] = {true, true, true, true};

typedef struct {
  const char *text;
  int         truth; /* 1, 0, or -1: an error that contains `said` */
  const char *said;  /* NULL, or what `shown` (or the error) contains */
} claim;

static void check_claim(const sb_rows *rows, const claim *c, const char *published)
{
  sb_grounds      grounds = {0};
  const char     *shown = grounds.shown;
  bool            truth = false;
  const sb_scope  scope = {rows, newton, published, arena};
  sb_diagnostics *d = sb_diagnostics_create();
  sb_expression  *e = sb_expression_parse(c->text, (sb_location){"t", 1, 1}, arena, d);
  if (!e) fail_msg("%s: %s", c->text, sb_diagnostics_message(d, 0));
  const bool  good = sb_expression_claim(e, &scope, &truth, &grounds, d);
  const char *error = good ? "" : sb_diagnostics_message(d, 0);
  if ((good ? truth : -1) != c->truth) fail_msg("%s: %d, %s%s", c->text, good ? truth : -1, shown, error);
  if (c->said && !strstr(good ? shown : error, c->said)) fail_msg("%s: said '%s'", c->text, good ? shown : error);
  sb_diagnostics_destroy(&d);
}

static void test_claims(void **state)
{
  static const claim claims[] = {
      /* arithmetic and precedence */
      {"1 + 2 * 3^2 == 19", 1, NULL},
      {"-2^2 == -4 and 2^3^2 == 512 and 2^-1 == 0.5", 1, NULL},
      {"10 - 4 - 3 == 3 and 16 / 4 / 2 == 2", 1, NULL},
      {"(1 + 2) * 3 == 9 and 1e-1 == .1 and 1/30 == 1/30", 1, NULL},
      {"sqrt(16) == 4 and abs(-2) == 2 and log(exp(1)) == 1", 1, NULL},
      {"min(3, 1, 2) == 1 and max(3, 1, 2) == 3 and mean(1, 2) == 1.5", 1, NULL},
      {"median(9, 1, 5) == 5 and median(1, 2) == 1.5", 1, NULL},
      /* logic: not binds tighter than and, and tighter than or; what is decided is not looked at */
      {"1 == 1 or 1 == 2 and 1 == 2", 1, NULL},
      {"not 1 == 2 and 1 == 1", 1, NULL},
      {"1 == 1 or sqrt(word) == 1", 1, NULL},
      {"1 < 2 < 3 and not 1 < 3 < 2", 1, NULL},
      /* vectors over the selected rows */
      {"substeps >= 8 and substeps <= 11", 1, "substeps = 8, 9, 10, 11"},
      {"substeps > 8", 0, NULL},
      {"count(blowup_time) == 3 and count(status) == 4 and max(blowup_time) == 20", 1, "max(blowup_time) = 20"},
      {"blowup_time > 0", 0, "16, 18, 20, (blank)"},
      {"blowup_time / substeps == 2", 0, NULL},
      {"0.99 <= slope(log(blowup_time), log(substeps)) <= 1.01", 1, "slope(log(blowup_time), log(substeps)) = 1"},
      {"slope(blowup_time, substeps) == 2", 1, NULL},
      {"slope(blowup_time, 3) == 2", -1, "two columns"},
      {"method == newton", 1, "newton"},
      {"method != descent and method ~ '^new' and not method ~ 'x$'", 1, NULL},
      {"substeps in [8, 9, 10, 11] and substeps not in [7]", 1, NULL},
      {"status in [ok, diverged]", 1, NULL},
      {"accuracy_ok", 1, "accuracy_ok = true"},
      {"accuracy_ok == true", 1, NULL},
      /* one row */
      {"status[substeps=9] == diverged and status[substeps=11] == ok", 1, "status by substeps: diverged (9), ok (11)"},
      {"10 * blowup_time[substeps=9] / 2 == 90 and 10 * blowup_time[substeps=8] / 2 == 80", 1,
       "10 * blowup_time / 2 by substeps: 90 (9), 80 (8)"},
      {"blowup_time[substeps=9] / blowup_time[substeps=8] > 1", 1,
       "blowup_time[substeps=9] / blowup_time[substeps=8] = 1.125"},
      {"blowup_time[substeps=9, method=newton] == 18", 1, NULL},
      {"blowup_time[substeps=9, method=descent] == 36", -1, "no row has substeps=9, method=descent"},
      {"blowup_time[substeps=12] == 1", -1, "in 'blowup_time[substeps=12]': no row has substeps=12"},
      {"blowup_time[method=newton] == 1", -1, "several rows have method=newton"},
      {"blowup_time[substep=9] == 1", -1, "did you mean 'substeps'"},
      {"blowup_tim[substeps=9] == 1", -1, "did you mean 'blowup_time'"},
      /* partners of every row, also outside the selection */
      {"min(blowup_time[method=descent, substeps=substeps] / blowup_time) == 2", 1, NULL},
      /* a word beside an option that takes names is a word, though another option has that name */
      {"linear == petsc and petsc == linear and linear in [petsc] and substeps[linear=petsc, substeps=8] == 8", 1,
       NULL},
      /* blanks: arithmetic is blank, comparisons are false both ways, what is not finite is blank */
      {"blowup_time[substeps=11] + 1 > 0", 0, "(blank)"},
      {"blowup_time[substeps=11] == blowup_time[substeps=11]", 0, NULL},
      {"blowup_time[substeps=11] != 3", 0, NULL},
      {"count(1 / 0) == 0 and count(log(-1)) == 0 and count(sqrt(blowup_time)) == 3", 1, NULL},
      {"mean(blowup_time) == 18", 1, NULL},
      /* mistakes */
      {"blowup_tme == 1", -1, "the word 'blowup_tme' is compared with the number 1"},
      {"log(blowup_tme) == 1", -1, "in 'log(blowup_tme)'"},
      {"blowup_tme + 1 == 1", -1, "the word 'blowup_tme'"},
      {"grid == 1", -1, "no column 'grid'"},
      {"substeps", -1, "neither true nor false"},
      {"method < newton", -1, "no order"},
      {"status == 9", -1, "the word 'diverged' is compared with the number 9"},
      {"published(x, y, z=1) == 1", -1, "no published tables"},
  };
  for (size_t i = 0; i < sizeof claims / sizeof *claims; ++i) check_claim(*state, &claims[i], NULL);
}

static void test_rows_one_by_one(void **state)
{
  const sb_scope scope = {.rows = *state};
  sb_value       value;
  sb_expression *e = sb_expression_parse("blowup_time[method=descent, substeps=substeps] / blowup_time",
                                         (sb_location){0}, arena, NULL);
  assert_true(sb_expression_value(e, &scope, 1, &value, NULL));
  assert_int_equal(value.kind, SB_NUMBER);
  assert_true(value.number == 2);
  assert_true(sb_expression_value(e, &scope, 3, &value, NULL));
  assert_int_equal(value.kind, SB_BLANK);
  e = sb_expression_parse("method", (sb_location){0}, arena, NULL);
  assert_true(sb_expression_value(e, &scope, 5, &value, NULL));
  assert_string_equal(value.word, "descent");
  e = sb_expression_parse("status == ok and method == newton", (sb_location){0}, arena, NULL);
  assert_true(sb_expression_value(e, &scope, 3, &value, NULL) && value.kind == SB_TRUTH && value.truth);
  assert_true(sb_expression_value(e, &scope, 7, &value, NULL) && value.kind == SB_TRUTH && !value.truth);
}

static void test_no_rows(void **state)
{
  static const bool nothing[8] = {false};
  const sb_scope    scope = {.rows = *state, .selected = nothing};
  bool              truth = false;
  sb_grounds        grounds;
  sb_diagnostics   *d = sb_diagnostics_create();
  sb_expression    *e = sb_expression_parse("1 == 1", (sb_location){0}, arena, NULL);
  assert_false(sb_expression_claim(e, &scope, &truth, &grounds, d));
  assert_string_equal(sb_diagnostics_message(d, 0), "springbench: error: no rows are selected [E102]");
  sb_diagnostics_destroy(&d);
}

static void test_published(void **state)
{
  static const claim claims[] = {
      {"published(times, ms, method=newton, n=10) == 50.6", 1, "= 50.6"},
      {"published(times, ms, method=method, n=substeps[substeps=10]) == 50.6", 1, NULL},
      {"published(times, note, n=20) == 'a, \"b\"'", 1, "a, \"b\""},
      {"count(published(times, ms, n=20)) == 0", 1, NULL},
      {"published(times, ms, method=newton) == 1", -1, "several rows"},
      {"published(times, ms, n=11) == 1", -1, "no row of"},
      {"published(times, mss, n=10) == 1", -1, "did you mean 'ms'"},
      {"published(tims, ms, n=10) == 1", -1, "cannot read"},
  };
  char folder[] = "/tmp/sb_published_XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/times.csv", folder);
  FILE *file = fopen(path, "w");
  fputs("# a comment, with \"quotes\nmethod,n,ms,note\r\nnewton,10,50.6,x\r\n\n", file);
  fputs("newton,20,,\"a, \"\"b\"\"\"\n# end\nother,30", file);
  fclose(file);
  for (size_t i = 0; i < sizeof claims / sizeof *claims; ++i) check_claim(*state, &claims[i], folder);
  unlink(path);
  rmdir(folder);
}

typedef struct {
  const char *text, *message;
} refusal;

static void test_refusals(void **state)
{
  static const refusal refusals[] = {
      {"", "f:3:10: error: in the expression '': expected a value, not 'the end' [E102]"},
      {"1 +", "f:3:13: error"},
      {"a $ b",
       "f:3:12: error: in the expression 'a $ b': a character that means nothing here (words with such stand in "
       "quotes): '$' [E102]"},
      {"a ä b",
       "f:3:12: error: in the expression 'a ä b': a character that means nothing here (words with such stand in "
       "quotes): 'ä' [E102]"},
      {"1,5", "f:3:11: error: in the expression '1,5': expected an operator or the end, not ',' [E102]"},
      {"h == 5m", "f:3:15: error: in the expression 'h == 5m': a number with junk behind it: '5m' [E102]"},
      {"h == 1e999", "f:3:15: error: in the expression 'h == 1e999': not a finite number: '1e999' [E102]"},
      {"h = 5", "f:3:12: error: in the expression 'h = 5': expected an operator or the end, not '=' [E102]"},
      {"(1", "f:3:12: error: in the expression '(1': expected ')', not 'the end' [E102]"},
      {"'abc", "f:3:10: error: in the expression ''abc': a string without its closing quote: ''abc' [E102]"},
      {"slop(a, b)", "f:3:10: error: in the expression 'slop(a, b)': unknown function 'slop'; did you mean 'slope'"},
      {"slope(a)", "f:3:10: error: in the expression 'slope(a)': wrong number of arguments of 'slope' [E102]"},
      {"a[b]", "f:3:13: error: in the expression 'a[b]': expected '=' after an axis, not ']' [E102]"},
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
    assert_null(sb_expression_parse(refusals[i].text, (sb_location){"f", 3, 10}, arena, d));
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
  static const char *const pieces[] = {"(", "-", "not ", "sqrt(", "1+", "1^", "a[b="};
  char                     text[6000];
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; ++i) {
    const size_t length = strlen(pieces[i]);
    size_t       n = 0;
    for (; n + length < 4000; n += length) memcpy(text + n, pieces[i], length);
    memcpy(text + n, "1", 2);
    assert_null(sb_expression_parse(text, (sb_location){0}, arena, NULL));
  }
  memset(text, ' ', sizeof text - 1);
  text[sizeof text - 1] = '\0';
  assert_null(sb_expression_parse(text, (sb_location){0}, arena, NULL));
  memset(text, '(', 30);
  memset(text + 30, '1', 1);
  memset(text + 31, ')', 30);
  text[61] = '\0';
  sb_expression *e = sb_expression_parse(text, (sb_location){0}, arena, NULL);
  assert_non_null(e);
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
  sb_expression *e =
      sb_expression_parse("status[substeps=9] == ok and linear == petsc and log(a) > b", (sb_location){0}, arena, NULL);
  sb_expression_names(e, count_name, names);
  assert_string_equal(names, "status substeps linear a b ");
}

static void test_check(void **state)
{
  (void)state;
  static const char *const names[] = {"blowup_time", "nnz_factor"};
  const sb_family          columns = {.family = "columns:blowup", .names = names, .count = 2};
  static const struct {
    const char *text;
    bool        planned;
    const char *message; /* NULL: nothing wrong */
  } cases[] = {
      {"blowup_time > 3 and status[substeps=9] == ok and grid in [1, 2]", false, NULL},
      {"slope(log(blowup_time), log(substeps)) < 1", false, NULL},
      {"blowup_tme > 3", false, "f:1:1: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {"1 < log(blowup_tme)", false, "f:1:9: error: unknown column 'blowup_tme'; did you mean 'blowup_time'? [E101]"},
      {"statu[substeps=9] == ok", false, "f:1:1: error: unknown column 'statu'; did you mean 'status'? [E101]"},
      {"integrater == implicit_euler", false,
       "f:1:1: error: unknown column 'integrater'; did you mean 'integrator'? [E101]"},
      {"reason[substeps=9] == slow and command == x", false, NULL},
      {"method == newton and scene == rope", true, NULL},
      {"status == ok", true, "f:1:1: error: 'status' is not known before the run; options and 'method' are [E101]"},
      {"stifness == 100", true, "f:1:1: error: unknown option 'stifness'; did you mean 'stiffness'? [E101]"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    sb_diagnostics *d = sb_diagnostics_create();
    sb_expression  *e = sb_expression_parse(cases[i].text, (sb_location){"f", 1, 1}, arena, d);
    sb_expression_check(e, (sb_known_names){.columns = &columns, .planned = cases[i].planned}, (sb_location){"f", 1, 1},
                        d);
    const char *message = sb_diagnostics_message(d, 0);
    if (!message != !cases[i].message || (message && strcmp(message, cases[i].message) != 0))
      fail_msg("%s: %s", cases[i].text, message ? message : "nothing");
    sb_diagnostics_destroy(&d);
  }
}

/* A locale with a decimal comma changes neither what is read nor what is shown. */
static void test_locale(void **state)
{
  static const claim c = {"substeps * 0.25 >= 2.0", 1, "substeps * 0.25 = 2, 2.25, 2.5, 2.75"};
  if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE.utf8")) skip();
  check_claim(*state, &c, NULL);
  setlocale(LC_ALL, "C");
}

int main(void)
{
  arena = sb_arena_create();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(test_claims, make_rows),
      cmocka_unit_test_setup(test_rows_one_by_one, make_rows),
      cmocka_unit_test_setup(test_no_rows, make_rows),
      cmocka_unit_test_setup(test_published, make_rows),
      cmocka_unit_test(test_refusals),
      cmocka_unit_test(test_depth),
      cmocka_unit_test(test_names),
      cmocka_unit_test(test_check),
      cmocka_unit_test_setup(test_locale, make_rows),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  sb_arena_destroy(&arena);
  return failed;
}
