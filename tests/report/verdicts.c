/* Every kind of verdict, what counts as a failure, and the lines printed. */
#include <stdlib.h>
#include <string.h>

#include "tests/cmocka_all.h"
#include "tests/report/world.h"

static const char claims_yaml[] =
    "expect:\n"
    "  - {claim: nine are too few, finding: rope-symplectic-threshold, test: \"status[substeps=9] == diverged\"}\n"
    "  - {claim: it never blows up, kind: shape, test: \"count(blowup_time) == 0\"}\n"
    "  - {claim: it is slow, test: \"max(blowup_time) > 100\", contradicted: today's machines are faster}\n"
    "  - {claim: it is fast, test: \"max(blowup_time) < 100\", contradicted: it was slow}\n"
    "  - {claim: absent, test: \"count(blowup_time) > 0\", where: substeps > 1000}\n"
    "  - {claim: whole, full: true, test: \"count(blowup_time) == 1\"}\n"
    "  - {claim: quick, kind: time, test: \"max(blowup_time) < 1\"}\n"
    "  - {claim: no such row, test: \"status[substeps=77] == ok\"}\n"
    "  - {claim: waits, test: \"count(blowup_time) > 0\", where: drag == 0.5}\n";

static world *claims_world(void)
{
  world *w = world_create(claims_yaml);
  world_column(w, "substeps", "", true, false);
  world_row(w, "substeps", number(9), "drag", number(0), "status", word("diverged"), "blowup_time", number(4), NULL);
  world_row(w, "substeps", number(10), "drag", number(0), "status", word("ok"), "blowup_time", blank(), NULL);
  return w;
}

static sb_verdict judge(const world *w, size_t claim)
{
  sb_verdict      *verdicts = sb_claims_judge(&w->results);
  const sb_verdict verdict = verdicts[claim];
  free(verdicts);
  return verdict;
}

static void each_kind(void **state)
{
  (void)state;
  world                       *w = claims_world();
  static const sb_verdict_kind kinds[] = {SB_REPRODUCED,         SB_NOT_REPRODUCED, SB_CONTRADICTED,
                                          SB_CONTRADICTION_GONE, SB_NOT_TESTED,     SB_REPRODUCED,
                                          SB_NOT_REPRODUCED,     SB_NOT_TESTED,     SB_NOT_TESTED};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) assert_int_equal(judge(w, i).kind, kinds[i]);
  assert_non_null(strstr(judge(w, 2).detail, "4"));
  assert_non_null(strstr(judge(w, 2).detail, "today's machines are faster"));
  assert_non_null(strstr(judge(w, 4).detail, "no case with substeps > 1000"));
  assert_non_null(strstr(judge(w, 7).detail, "77"));
  world_destroy(&w);
}

static void quick_leaves_out_what_it_cannot_tell(void **state)
{
  (void)state;
  world *w = claims_world();
  w->results.quick = true;
  assert_int_equal(judge(w, 0).kind, SB_REPRODUCED);
  assert_int_equal(judge(w, 5).kind, SB_NOT_TESTED);
  assert_non_null(strstr(judge(w, 5).detail, "whole sweep"));
  assert_int_equal(judge(w, 6).kind, SB_NOT_TESTED);
  assert_non_null(strstr(judge(w, 6).detail, "times"));
  world_destroy(&w);
}

/* A case that died has blanks where a result might say otherwise; a claim about how cases end takes it as it is. */
static void cases_that_died_leave_a_claim_untested(void **state)
{
  (void)state;
  world *w = claims_world();
  world_row(w, "substeps", number(11), "drag", number(0.5), "status", word("timeout"), "blowup_time", blank(), NULL);
  assert_int_equal(judge(w, 1).kind, SB_NOT_TESTED);
  assert_non_null(strstr(judge(w, 1).detail, "1 of its 3 cases ended without a result"));
  assert_int_equal(judge(w, 0).kind, SB_REPRODUCED);
  world_row(w, "substeps", number(12), "drag", number(0.5), "status", word("interrupted"), NULL);
  assert_string_equal(judge(w, 1).detail, "1 of its 4 cases have not run");
  world_destroy(&w);
}

static void cases_that_have_not_run_leave_a_claim_untested(void **state)
{
  (void)state;
  world *w = claims_world();
  world_row(w, "substeps", number(11), "drag", number(0.5), "status", blank(), NULL);
  world_row(w, "substeps", number(12), "drag", number(0.5), "status", word("interrupted"), NULL);
  world_row(w, "substeps", number(13), "drag", number(0.5), "status", word("diverged"), "blowup_time", number(1), NULL);
  assert_int_equal(judge(w, 8).kind, SB_NOT_TESTED);
  assert_string_equal(judge(w, 8).detail, "2 of its 3 cases have not run");
  world_destroy(&w);
}

static const char timings_yaml[] =
    "expect:\n"
    "  - {claim: below a number, kind: time, test: \"1000 * step_median_s[substeps=9] < 20 and step_median_s > 0\"}\n"
    "  - {claim: below another row, kind: time, test: \"step_median_s[substeps=9] < step_median_s[substeps=10]\"}\n"
    "  - {claim: a factor, kind: time, test: \"20 / (1000 * step_median_s) > 2\"}\n"
    "  - {claim: no timing, test: \"substeps[substeps=9] < 90\"}\n";

/* Only a timing below a constant has a factor to tell, the smallest of them. */
static void timings_tell_by_how_much(void **state)
{
  (void)state;
  world *w = world_create(timings_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  world_row(w, "substeps", number(9), "status", word("ok"), "step_median_s", number(0.004), NULL);
  world_row(w, "substeps", number(10), "status", word("ok"), "step_median_s", number(0.008), NULL);
  assert_float_equal(judge(w, 0).grounds.margin, 5, 1e-12);
  assert_float_equal(judge(w, 1).grounds.margin, 0, 0);
  assert_float_equal(judge(w, 2).grounds.margin, 2.5, 1e-12);
  assert_float_equal(judge(w, 3).grounds.margin, 0, 0);
  assert_int_equal(judge(w, 3).kind, SB_REPRODUCED);
  world_destroy(&w);
}

typedef struct {
  const world *w;
  bool         count_time;
  size_t       failed;
} verify_request;

static void write_verdicts(FILE *stream, void *context)
{
  verify_request *r = context;
  r->failed = sb_verify(&r->w->results, stream, r->count_time);
}

static void lines_and_count(void **state)
{
  (void)state;
  world         *w = claims_world();
  verify_request with = {w, true, 0}, without = {w, false, 0};
  char          *text = written(write_verdicts, &with), *again = written(write_verdicts, &without);
  assert_int_equal(with.failed, 3);
  assert_int_equal(without.failed, 2);
  assert_string_equal(text, again);
  assert_non_null(strstr(text, "reproduced              nine are too few [rope-symplectic-threshold, exact]: "));
  assert_non_null(strstr(text, "\nNOT REPRODUCED          it never blows up [shape]: "));
  assert_non_null(strstr(text, "\nNO LONGER CONTRADICTED  it is fast [exact]: "));
  assert_non_null(strstr(text, "\nmade_by_hand: 9 claims: 2 reproduced, 2 NOT REPRODUCED, 1 contradicted, "
                               "1 NO LONGER CONTRADICTED, 3 not tested\n"));
  free(text);
  free(again);
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind),
      cmocka_unit_test(quick_leaves_out_what_it_cannot_tell),
      cmocka_unit_test(cases_that_died_leave_a_claim_untested),
      cmocka_unit_test(cases_that_have_not_run_leave_a_claim_untested),
      cmocka_unit_test(timings_tell_by_how_much),
      cmocka_unit_test(lines_and_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
