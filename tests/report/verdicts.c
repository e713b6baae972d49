/* Every kind of verdict, what counts as a failure, and the lines printed. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report.h"
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

/* Anew: what the world holds may have changed. */
static sb_verdict judge(world *w, size_t claim)
{
  w->results.kept->verdicts = NULL;
  return sb_results_verdicts(&w->results)[claim];
}

static void each_kind(void **state)
{
  (void)state;
  world                       *w = claims_world();
  static const sb_verdict_kind kinds[] = {SB_REPRODUCED,         SB_NOT_REPRODUCED, SB_CONTRADICTED,
                                          SB_CONTRADICTION_GONE, SB_NOT_TESTED,     SB_REPRODUCED,
                                          SB_NOT_REPRODUCED,     SB_NOT_TESTED,     SB_NOT_TESTED};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i) assert_int_equal(judge(w, i).kind, kinds[i]);
  ASSERT_HAS(judge(w, 2).told, "4", "today's machines are faster");
  assert_non_null(strstr(judge(w, 4).told, "no case with substeps > 1000"));
  assert_non_null(strstr(judge(w, 7).told, "77"));
  world_destroy(&w);
}

static const char part_yaml[] =
    "timed: true\n"
    "repetitions: 3\n"
    "defaults: {scene: rope}\n"
    "expect:\n"
    "  - {claim: of all, full: true, test: \"min(substeps) == 4\", where: drag == 0}\n"
    "  - {claim: of these, full: true, test: \"min(substeps) == 4\", where: drag == 0 and substeps < 10}\n"
    "  - {claim: of results, full: true, test: \"min(substeps) == 4\", where: drag == 0 and blowup_time > 0}\n"
    "  - {claim: of some, test: \"min(substeps) == 4\", where: drag == 0}\n"
    "  - {claim: fast, kind: time, test: \"max(substeps) < 10\", where: drag == 0}\n";

/* Not how the run was called decides what is tested, but the cases that are there, and how often they were timed: three
 * of ten, as a filter or --quick leaves them. */
static void what_is_not_here_is_not_tested(void **state)
{
  (void)state;
  int             repetitions[] = {3, 1, 3};
  world          *w = world_create(part_yaml);
  sb_plan_request request = {.filter = "drag == 0 and substeps < 10"};
  const sb_plan  *plan = sb_plan_create(w->results.sweep, &request, &w->results.session);
  assert_non_null(plan);
  assert_int_equal(plan->count, 3);
  world_column(w, "substeps", "", true, false);
  for (size_t i = 0; i < 3; ++i)
    world_row(w, "substeps", sb_case_value(&plan->cases[i], "substeps"), "drag", number(0), "status", word("ok"),
              "blowup_time", number(1), NULL);
  w->results.plan = plan;
  w->results.repetitions = repetitions;
  w->results.quick = true;
  assert_string_equal(judge(w, 0).told, "needs all of its 5 cases, of which 2 are not here");
  assert_int_equal(judge(w, 1).kind, SB_REPRODUCED);
  assert_string_equal(judge(w, 2).told, "needs all of its 5 cases, of which 2 are not here");
  assert_int_equal(judge(w, 3).kind, SB_REPRODUCED);
  assert_int_equal(judge(w, 3).absent, 2);
  assert_string_equal(judge(w, 4).told, "1 of its 3 cases were timed fewer than the 3 times that the sweep asks for");
  repetitions[1] = 3;
  assert_int_equal(judge(w, 4).kind, SB_REPRODUCED);
  world_destroy(&w);
}

/* A case that died has blanks where a result might say otherwise; a claim about how cases end takes it as it is. A
 * verdict says how many cases it rests on, and how many of them were timed on a busy machine. */
static void cases_that_died_or_have_not_run_leave_a_claim_untested(void **state)
{
  (void)state;
  world *w = claims_world();
  world_row(w, "substeps", number(11), "drag", number(0.5), "status", word("timeout"), "blowup_time", blank(), NULL);
  assert_int_equal(judge(w, 1).kind, SB_NOT_TESTED);
  assert_non_null(strstr(judge(w, 1).told, "1 of its 3 cases ended without a result"));
  assert_int_equal(judge(w, 0).kind, SB_REPRODUCED);
  world_row(w, "substeps", number(12), "drag", number(0), "status", word("ok"), "noisy", word("waited"), NULL);
  const sb_verdict all = judge(w, 6), some = judge(w, 8);
  assert_true(all.cases == 4 && all.finished == 3 && all.noisy == 1);
  assert_true(some.cases == 1 && some.finished == 0 && some.noisy == 0);
  world_row(w, "substeps", number(12), "drag", number(0.5), "status", word("interrupted"), NULL);
  assert_string_equal(judge(w, 1).told, "1 of its 5 cases have not run");
  world_row(w, "substeps", number(13), "drag", number(0.5), "status", blank(), NULL);
  assert_int_equal(judge(w, 8).kind, SB_NOT_TESTED);
  assert_string_equal(judge(w, 8).told, "2 of its 3 cases have not run");
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
  assert_float_equal(judge(w, 0).margin, 5, 1e-12);
  assert_float_equal(judge(w, 1).margin, 0, 0);
  assert_float_equal(judge(w, 2).margin, 2.5, 1e-12);
  assert_float_equal(judge(w, 3).margin, 0, 0);
  assert_int_equal(judge(w, 3).kind, SB_REPRODUCED);
  world_destroy(&w);
}

static const char fair_yaml[] =
    "expect:\n"
    "  - {claim: nine is quicker, kind: time, test: \"step_median_s[substeps=9] < step_median_s[substeps=10]\"}\n"
    "  - {claim: quicker though it fails, kind: time, test: \"step_median_s[substeps=9] < "
    "step_median_s[substeps=10] and status[substeps=9] == not_converged\"}\n"
    "  - {claim: all fall, test: \"max(drag) < 1\"}\n";

/* Who missed what was asked for does not win, and times of two builds say nothing of each other. */
static void times_are_compared_where_that_is_fair(void **state)
{
  (void)state;
  sb_case_origin origins[] = {{"one", "here"}, {"two", "here"}, {"two", "here"}};
  world         *w = world_create(fair_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  for (int i = 0; i < 3; ++i)
    world_row(w, "substeps", number(9 + i), "drag", number(0), "status", word(i == 1 ? "ok" : "not_converged"),
              "step_median_s", number(1 + i), "noisy", i ? word("waited") : blank(), NULL);
  assert_string_equal(judge(w, 0).told, "1 of the 2 cases whose times it compares did not end ok");
  assert_int_equal(judge(w, 0).kind, SB_NOT_TESTED);
  assert_int_equal(judge(w, 1).kind, SB_REPRODUCED);
  assert_non_null(strstr(judge(w, 1).told, "1 of 2 cases was timed while the machine was noisy; --rerun"));
  w->results.origins = origins;
  assert_int_equal(judge(w, 1).kind, SB_NOT_TESTED);
  assert_string_equal(judge(w, 1).told, "its times are not of one build and machine: 1 of 2 cases were run by another "
                                        "build than the rest (two; the rest: one); --rerun stale runs them again");
  assert_int_equal(judge(w, 2).kind, SB_REPRODUCED);
  world_destroy(&w);
}

static void lines_and_count(void **state)
{
  (void)state;
  world          *w = claims_world();
  sb_arena_writer text;
  sb_claims_print(&w->results, sb_arena_write(&text, w->results.session.arena));
  assert_int_equal(sb_claims_failing(&w->results, true), 3);
  assert_int_equal(sb_claims_failing(&w->results, false), 2);
  ASSERT_HAS(
      sb_arena_text(&text), "reproduced              nine are too few [rope-symplectic-threshold, exact]: ",
      "\nNOT REPRODUCED          it never blows up [shape]: ", "\nNO LONGER CONTRADICTED  it is fast [exact]: ",
      "\nmade_by_hand: 9 claims: 2 reproduced, 2 NOT REPRODUCED, 1 contradicted, 1 NO LONGER CONTRADICTED, 3 not "
      "tested\n");
  world_destroy(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind),
      cmocka_unit_test(what_is_not_here_is_not_tested),
      cmocka_unit_test(cases_that_died_or_have_not_run_leave_a_claim_untested),
      cmocka_unit_test(timings_tell_by_how_much),
      cmocka_unit_test(times_are_compared_where_that_is_fair),
      cmocka_unit_test(lines_and_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
