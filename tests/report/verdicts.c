/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every kind of verdict, what counts as a failure, and the lines printed. */
#include <stdlib.h>
#include <string.h>

#include "cases/common/durable.h"
#include "cases/store/hdf5_tools.h"
#include "harness/report/report.h"
#include "harness/results/conclusion.h"
#include "harness/sweep/request.h"
#include "tests/cmocka_all.h"
#include "tests/lists.h"
#include "tests/report/world.h"

static const char claims_yaml[] =
    "expect:\n"
    "  - {claim: nine are too few, finding: rope-symplectic-threshold, test: \"status[substeps=9] == diverged\"}\n"
    "  - {claim: it never blows up, kind: shape, test: \"count(blowup_time) == 0\"}\n"
    "  - {claim: it is slow, test: \"max(blowup_time) > 100\", contradicted: today's machines are faster}\n"
    "  - {claim: it is fast, test: \"max(blowup_time) < 100\", contradicted: it was slow}\n"
    "  - {claim: absent, test: \"count(blowup_time) > 0\", where: substeps > 1000}\n"
    "  - {claim: once, test: \"count(blowup_time) == 1\"}\n"
    "  - {claim: quick, kind: time, test: \"max(blowup_time) < 1\"}\n"
    "  - {claim: no such row, test: \"status[substeps=77] == ok\"}\n"
    "  - {claim: waits, test: \"count(blowup_time) > 0\", where: drag == 0.5}\n";

/* The driver of these results. */
static const sb_column columns[] = {
    {"blowup_time", "s", "", .timing = false, .valid_if_diverged = true},
    {"error", "m", "", .timing = false},
    {"settle_time", "s", "", .timing = false},
    {"max_rss_bytes", "B", "", .timing = false},
};
static const sb_driver     driver = {.name = "blowup", .columns = columns, .column_count = 4};
static const sb_vocabulary drivers = TEST_VOCABULARY(TEST_LIST("drivers", &driver.entry));

static world *claims_world(void)
{
  world *w = world_create(claims_yaml);
  w->results.session.vocabulary = &drivers;
  world_column(w, "substeps", "", true, false);
  world_column(w, "drag", "", true, false);
  world_row(w, "substeps", number(9), "drag", number(0), "status", word("diverged"), "blowup_time", number(4), NULL);
  world_row(w, "substeps", number(10), "drag", number(0), "status", word("ok"), "blowup_time", blank(), NULL);
  return w;
}

/* Anew: what the world holds may have changed. */
static sb_verdict judge(world *w, size_t claim)
{
  sb_session silent = w->results.session;
  silent.diagnostics = NULL;
  *w->results.kept = (sb_results_kept){0};
  if (w->results.plan) w->results.kept->plan = sb_plan_create(w->results.sweep, NULL, &silent);
  return sb_results_verdicts(&w->results)[claim];
}

static void each_kind(void)
{
  world                       *w = claims_world();
  static const sb_verdict_kind kinds[] = {SB_REPRODUCED,         SB_NOT_REPRODUCED, SB_CONTRADICTED,
                                          SB_CONTRADICTION_GONE, SB_NOT_TESTED,     SB_REPRODUCED,
                                          SB_NOT_REPRODUCED,     SB_NOT_TESTED,     SB_NOT_TESTED};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (judge(w, i).kind != kinds[i]) fail_msg("%s: %s", w->results.sweep->claims[i].claim, judge(w, i).told);
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
    "  - {claim: of all, test: \"min(blowup_time) == 1\", where: drag == 0}\n"
    "  - {claim: of these, test: \"min(blowup_time) == 1\", where: drag == 0 and substeps < 10}\n"
    "  - {claim: of results, test: \"min(substeps) == 4 and max(blowup_time) < 2\", where: drag == 0 and blowup_time > "
    "0}\n"
    "  - {claim: of two, test: \"blowup_time[substeps=4] == 1 and status[substeps=9] == ok\", where: drag == 0}\n"
    "  - {claim: false of one, test: \"blowup_time > 2\", where: drag == 0}\n"
    "  - {claim: fast, kind: time, test: \"max(wall_s) < 10\", where: drag == 0 and substeps < 10}\n"
    "  - {claim: a finding, finding: rope-explicit-64, test: \"max(blowup_time) < 2\", where: substeps < 10}\n"
    "  - {claim: partners, test: \"blowup_time <= blowup_time[substeps=77, drag=drag]\", where: drag == 0 and substeps "
    "< 10}\n"
    "  - {claim: a shape, kind: shape, test: \"max(wall_s) < 10\", where: drag == 0 and substeps < 10}\n"
    "  - {claim: a partner, test: \"blowup_time < wall_s[substeps=8] + 9\", where: drag == 0 and substeps < 10}\n"
    "  - {claim: chosen by a time, test: count(blowup_time) == 3, where: drag == 0 and substeps < 10 and wall_s < 9}\n"
    "  - {claim: of all times, kind: time, test: max(wall_s) < 1.5, where: drag == 0}\n";

/* The cases that are present, and how often they were timed, decide what is tested, not the manner of the run: three of
 * ten, as a filter, a shard or --quick leaves them. A claim that these three decide is decided. */
static void what_is_not_here_is_not_tested(void)
{
  int            repetitions[] = {3, 1, 3};
  world         *w = world_create(part_yaml);
  sb_selection   request = {.filter = "drag == 0 and substeps < 10"};
  const sb_plan *plan = sb_plan_create(w->results.sweep, &request, &w->results.session);
  assert_non_null(plan);
  assert_int_equal(plan->count, 3);
  world_column(w, "substeps", "", true, false);
  world_column(w, "drag", "", true, false);
  world_column(w, "wall_s", "s", false, true);
  for (size_t i = 0; i < 3; ++i)
    world_row(w, "substeps", sb_case_value(&plan->cases[i], "substeps"), "drag", number(0), "status", word("ok"),
              "blowup_time", number(1), "wall_s", number(1), NULL);
  w->results.plan = plan;
  w->results.repetitions = repetitions;
  w->results.quick = true;
  assert_string_equal(judge(w, 0).told, "holds so far, in 3 of its 5 cases; 2 are not here");
  assert_string_equal(judge(w, 1).told, "min(blowup_time) = 1; rests on 3 of 3 cases (quick)");
  assert_string_equal(judge(w, 2).told, "holds so far, in 3 of its 5 cases; 2 are not here");
  assert_string_equal(judge(w, 3).told, "blowup_time by substeps: 1 (4); status by substeps: ok (9); rests on 2 of 5 "
                                        "cases (quick)");
  assert_int_equal(judge(w, 4).kind, SB_NOT_REPRODUCED);
  assert_string_equal(judge(w, 4).told,
                      "blowup_time = 1, 1, 1, ?, ?; does not hold in 3 of 5 cases (substeps=4, substeps=8, "
                      "substeps=9); judged on 3 of 5 cases (quick)");
  assert_string_equal(judge(w, 11).told, "holds so far, in 3 of its 5 cases; 1 was timed fewer than the 3 times that "
                                         "the sweep requests, 2 are not here");
  /* A claim of any kind that reads a time needs the repetitions. */
  for (size_t i = 5; i < 11; i += i == 5 ? 3 : 1)
    assert_string_equal(judge(w, i).told, "holds so far, in 3 of its 3 cases; 1 was timed fewer than the 3 times that "
                                          "the sweep requests");
  assert_string_equal(judge(w, 6).told, "holds so far, in 3 of its 6 cases; 3 are not here");
  assert_string_equal(judge(w, 7).told, "undecided: 1 case that it compares with has no result here");
  repetitions[1] = 3;
  for (size_t i = 5; i < 11; i += i == 5 ? 3 : 1) assert_int_equal(judge(w, i).kind, SB_REPRODUCED);
  world_destroy(&w);
}

/* The cases of a selection, all with the same values. `words` (NULL: none) of -p make the request. */
static void take_cases(world *w, const char *const *words, const sb_selection *selection)
{
  const sb_session *session = &w->results.session;
  for (; words && *words; ++words) assert_true(sb_request_take((sb_sweep *)w->results.sweep, *words, session));
  const sb_plan *plan = sb_plan_create(w->results.sweep, selection, session);
  sb_diagnostics_flush(session->diagnostics, stderr);
  assert_non_null(plan);
  for (size_t a = 0; a < plan->axis_count; ++a) world_column(w, plan->axes[a], "", true, false);
  world_column(w, "wall_s", "s", false, true);
  for (size_t i = 0; i < plan->count; ++i) {
    world_row(w, "status", word("ok"), "blowup_time", number(1), "wall_s", number(1), NULL);
    for (size_t a = 0; a < plan->axis_count; ++a)
      sb_rows_set(w->results.rows, i, sb_rows_column_find(w->results.rows, plan->axes[a]),
                  sb_case_value(&plan->cases[i], plan->axes[a]));
  }
  w->results.plan = plan;
}

/* Claims are judged on the cases that the request makes, and a part of them is no more than a part. */
static void claims_are_about_the_request(void)
{
  static const char *const words[] = {"stiffness=200", "substeps+=7", NULL};
  static const struct {
    const char *filter, *told;
  } trials[] = {{"drag == 0 and substeps < 10", "min(blowup_time) = 1; rests on 4 of 4 cases"},
                {"drag == 0 and substeps in [4, 9]", "holds so far, in 2 of its 4 cases; 2 are not here"}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    world *w = world_create(part_yaml);
    take_cases(w, words, &(sb_selection){.filter = trials[i].filter});
    assert_string_equal(judge(w, 1).told, trials[i].told);
    world_destroy(&w);
  }
}

static void put(world *w, size_t row, const char *column, sb_value value)
{
  sb_rows_set(w->results.rows, row, sb_rows_add_column(w->results.rows, column, "", false, false), value);
}

/* A claim holds so far if nothing but cases that have not run, or were timed too seldom, leaves it open. */
static void what_holds_so_far_is_open(void)
{
  static const struct {
    const char *status, *noisy;
    size_t      claim;
    bool        so_far;
    const char *told;
  } trials[] = {{"ok", NULL, 5, true,
                 "holds so far, in 3 of its 3 cases; 1 was timed fewer than the 3 times that the sweep requests"},
                {"ok", "waited", 5, false,
                 "undecided: of its 3 cases 1 was timed fewer than the 3 times that the sweep requests"},
                {NULL, NULL, 0, true, "holds so far, in 2 of its 5 cases; 2 are not here, 1 has not run"},
                {"skipped", NULL, 0, false, "undecided: of its 5 cases 2 are not here, 1 was skipped"}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    int    repetitions[] = {3, 2, 3};
    world *w = world_create(part_yaml);
    take_cases(w, NULL, &(sb_selection){.filter = "drag == 0 and substeps < 10"});
    w->results.repetitions = repetitions;
    put(w, 2, "status", trials[i].status ? word(trials[i].status) : blank());
    put(w, 2, "noisy", trials[i].noisy ? word(trials[i].noisy) : blank());
    assert_string_equal(judge(w, trials[i].claim).told, trials[i].told);
    assert_true(judge(w, trials[i].claim).so_far == trials[i].so_far);
    put(w, 2, "device_gpu", number(0)); /* times of a device that is not a GPU hold nothing so far */
    if (trials[i].claim == 5) assert_false(judge(w, 5).so_far);
    put(w, 2, "device_gpu", blank());
    assert_true(judge(w, trials[i].claim).so_far == trials[i].so_far);
    sb_case_origin origins[] = {{"one", "here", NULL}, {"one", "here", NULL}, {"two", "here", NULL}};
    w->results.origins = origins; /* times of two builds hold nothing so far, either */
    if (trials[i].claim == 5) assert_false(judge(w, 5).so_far);
    world_destroy(&w);
  }
}

static const char rows_yaml[] =
    "timed: true\n"
    "defaults: {scene: rope}\n"
    "expect:\n"
    "  - {claim: noisy alone, kind: time, test: wall_s < 2, where: \"drag == 0 and substeps in [8, 9]\"}\n"
    "  - {claim: a partner, test: \"blowup_time <= blowup_time[substeps=77, drag=drag]\", where: drag == 0 and "
    "substeps == 9}\n"
    "  - {claim: all, test: \"max(blowup_time) == 1\", where: drag == 0}\n"
    "  - {claim: a finding, finding: rope-explicit-64, test: \"max(blowup_time) < 2\", where: drag == 0}\n";

/* The rows of the sweep are others than those of the results, and cases that a claim is not about do not count. */
static void rows_of_a_claim_are_those_of_the_sweep(void)
{
  world *w = world_create(rows_yaml);
  take_cases(w, NULL, &(sb_selection){.filter = "drag == 0 and substeps in [8, 9, 77]"});
  put(w, 1, "wall_s", number(3));
  put(w, 1, "noisy", word("waited"));
  assert_string_equal(judge(w, 0).told, "undecided without the times of noisy cases (substeps=9): 1 of 2 cases was "
                                        "timed while the machine was noisy; --rerun noisy times it again");
  assert_string_equal(judge(w, 1).told, "blowup_time = 1; blowup_time by substeps, drag: 1 (77, drag); rests on 1 of 1 "
                                        "case");
  world_destroy(&w);
  w = world_create(rows_yaml);
  take_cases(w, NULL, &(sb_selection){.filter = "drag == 0 and substeps != 8"});
  put(w, 0, "status", word("skipped"));
  assert_string_equal(judge(w, 3).told, "undecided: of its 5 cases 1 is not here, 1 was skipped");
  world_destroy(&w);
}

static const char methods_sweep[] = "springbench: 1\n"
                                    "name: of_methods\n"
                                    "driver: blowup\n"
                                    "defaults: {scene: rope}\n"
                                    "methods: {light: {total_mass: 1}, heavy: {total_mass: 2}}\n"
                                    "sweep: [{grid: {method: [light, heavy], substeps: [4, 8]}}]\n"
                                    "exclude: [{when: method == heavy and substeps == 8, because: it takes days}]\n"
                                    "expect: [{claim: all, test: \"max(blowup_time) == 1\"}]\n";

/* Methods that a request makes equal are one case. An excluded case is in no claim. */
static void excluded_cases_are_in_no_claim(void)
{
  static const struct {
    const char *words[2], *told;
  } trials[] = {{{NULL}, "max(blowup_time) = 1; rests on 3 of 3 cases"},
                {{"total_mass=3"}, "max(blowup_time) = 1; rests on 2 of 2 cases"},
                {{"stiffness=200"}, "max(blowup_time) = 1; rests on 3 of 3 cases"}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    world *w = world_create("");
    w->results.sweep = sb_sweep_parse(methods_sweep, strlen(methods_sweep), "of_methods.yaml", &w->results.session);
    take_cases(w, trials[i].words, NULL);
    for (size_t row = 0; row < w->results.plan->count; ++row)
      if (w->results.plan->cases[row].skipped) put(w, row, "status", word("skipped"));
    assert_string_equal(judge(w, 0).told, trials[i].told);
    world_destroy(&w);
  }
}

/* Nothing is known of a case that died or has not run, not even how it would have ended. A verdict says how many cases
 * it rests on. */
static void cases_that_died_or_have_not_run_leave_a_claim_untested(void)
{
  world *w = claims_world();
  world_row(w, "substeps", number(11), "drag", number(0.5), "status", word("timeout"), "blowup_time", blank(), NULL);
  assert_string_equal(judge(w, 1).told,
                      "count(blowup_time) = 1 … 2; judged on 2 of 3 cases (1 diverged)"); /* there is one already */
  assert_int_equal(judge(w, 1).kind, SB_NOT_REPRODUCED);
  assert_string_equal(judge(w, 5).told,
                      "undecided: of its 3 cases 1 ended without a result (timeout, oom, crashed or error)");
  assert_int_equal(judge(w, 0).kind, SB_REPRODUCED);
  world_row(w, "substeps", number(12), "drag", number(0), "status", word("ok"), "noisy", word("waited"), NULL);
  assert_string_equal(judge(w, 6).told, "max(blowup_time) = 4 or more; judged on 1 of 4 cases (1 diverged)");
  assert_string_equal(judge(w, 8).told,
                      "undecided: of its 1 case 1 ended without a result (timeout, oom, crashed or error)");
  world_row(w, "substeps", number(12), "drag", number(0.5), "status", word("interrupted"), NULL);
  assert_string_equal(judge(w, 5).told, "undecided: of its 5 cases 1 has not run, 1 ended without a result (timeout, "
                                        "oom, crashed or error)");
  world_row(w, "substeps", number(13), "drag", number(0.5), "status", blank(), NULL);
  world_row(w, "substeps", number(14), "drag", number(0.5), "status", word("skipped"), NULL);
  assert_int_equal(judge(w, 8).kind, SB_NOT_TESTED);
  assert_string_equal(judge(w, 8).told, "undecided: of its 4 cases 2 have not run, 1 ended without a result (timeout, "
                                        "oom, crashed or error), 1 was skipped");
  world_row(w, "substeps", number(15), "status", word("oom"), NULL);
  assert_int_equal(sb_case_counts_of(w->results.rows, NULL).failed, 2);
  assert_int_equal(sb_case_counts_of(w->results.rows, NULL).pending, 2);
  world_destroy(&w);
}

static const char failing_yaml[] =
    "expect:\n"
    "  - {claim: the largest, test: \"max(error) < 1\"}\n"
    "  - {claim: the mean, test: \"mean(error) < 1\"}\n"
    "  - {claim: the trend, test: \"slope(max_rss_bytes, substeps) < 1\"}\n"
    "  - {claim: each, test: \"error < 1\"}\n"
    "  - {claim: none, test: \"not error > 1\"}\n"
    "  - {claim: all of them, test: \"count(error) == 2\"}\n"
    "  - {claim: of those that end well, test: \"max(error) < 1 and mean(error) < 1\", where: status == ok}\n"
    "  - {claim: how it ends, test: \"status[substeps=9] == diverged and blowup_time[substeps=9] > 1\"}\n"
    "  - {claim: as expected, test: \"max(error) > 1\", contradicted: it is not}\n"
    "  - {claim: large in any case, test: \"max(error) > 0.4\"}\n"
    "  - {claim: one or the other, test: \"status == diverged or error < 1\"}\n"
    "  - {claim: its time, kind: time, test: \"wall_s[substeps=9] < wall_s[substeps=8]\"}\n"
    "  - {claim: never in an ok case, test: \"count(settle_time) == 0\", where: status == ok}\n"
    "  - {claim: of one that may not be meant, test: \"substeps < 99\", where: \"substeps == 9 and error > 0\"}\n"
    "  - {claim: refuted by one, test: \"substeps < 9\", where: \"substeps > 8 and error > 0\"}\n";

/* Only a condition on status leaves out a failed method, which has no value; with all cases present such a claim does
 * not hold. Its time does not count either: in it the method did not do what was asked. A blank of a case that ended ok
 * is an answer. */
static void a_failed_method_drops_out_of_nothing(void)
{
  static const char open[] =
      "undecided: 1 case did not end with status ok; write a condition on status to include it; judged on 2 of 3 cases";
  static const sb_verdict_kind kinds[] = {SB_NOT_REPRODUCED, SB_NOT_REPRODUCED, SB_NOT_REPRODUCED, SB_NOT_REPRODUCED,
                                          SB_NOT_REPRODUCED, SB_NOT_REPRODUCED, SB_REPRODUCED,     SB_REPRODUCED,
                                          SB_NOT_TESTED,     SB_REPRODUCED,     SB_REPRODUCED,     SB_NOT_REPRODUCED,
                                          SB_REPRODUCED,     SB_NOT_REPRODUCED, SB_NOT_REPRODUCED};
  world                       *w = world_create(failing_yaml);
  w->results.session.vocabulary = &drivers;
  world_column(w, "substeps", "", true, false);
  world_column(w, "wall_s", "s", false, true);
  world_row(w, "substeps", number(8), "status", word("ok"), "error", number(0.5), "max_rss_bytes", number(3), "wall_s",
            number(2), NULL);
  world_row(w, "substeps", number(9), "status", word("diverged"), "blowup_time", number(2), "wall_s", number(1), NULL);
  world_row(w, "substeps", number(10), "status", word("ok"), "error", number(0.4), "max_rss_bytes", number(3), "wall_s",
            number(2), "settle_time", blank(), NULL);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    if (judge(w, i).kind != kinds[i]) fail_msg("%s: %s", w->results.sweep->claims[i].claim, judge(w, i).told);
  assert_string_equal(judge(w, 0).told, open);
  assert_string_equal(judge(w, 4).told, open);
  assert_string_equal(judge(w, 11).told, "undecided: 1 case did not end with status ok; write a condition on status to "
                                         "include it; judged on 1 of 3 cases");
  assert_string_equal(judge(w, 9).told, "max(error) = 0.5 or more; rests on 2 of 3 cases");
  assert_string_equal(judge(w, 13).told, "undecided: 1 case did not end with status ok; write a condition on status to "
                                         "include it; judged on 1 of 1 case (1 diverged)");
  assert_string_equal(judge(w, 14).refuted, "does not hold in 1 of 2 cases (substeps=10)");
  world_destroy(&w);
}

static const char broken_off_yaml[] =
    "expect:\n"
    "  - {claim: below a bound, test: \"max(error) < 1\"}\n"
    "  - {claim: above a bound, test: \"error > 0.1\"}\n"
    "  - {claim: its status is named, test: \"max(error) < 1\", where: status != skipped}\n"
    "  - {claim: when it diverges, test: \"max(blowup_time) < 5\"}\n"
    "  - {claim: one that is here refutes it, test: \"max(error) < 0.1\"}\n"
    "  - {claim: chosen by what is not known, test: \"blowup_time > 3\", where: error > 0.3}\n"
    "  - {claim: what it missed, test: \"not accuracy_ok\", where: substeps == 9}\n"
    "  - {claim: its bits, test: \"digest == d\", where: substeps == 9}\n"
    "  - {claim: left out by its mark, test: \"max(error) < 1\", where: not broke_off}\n";

/* The values of a run that broke off meet no bound, unless the claim names its status or is about the time of the
 * divergence. A run that missed a tolerance and did not break off has its values; so has one of an earlier version,
 * which does not say whether it did. */
static void a_run_that_broke_off_meets_no_bound(void)
{
  static const struct {
    const char *status;
    sb_value    broke_off;
    bool        whole;
  } ends[] = {{"diverged", {.kind = SB_BLANK}, false},
              {"not_spd", {.kind = SB_BLANK}, false},
              {"contact_unresolved", {.kind = SB_BLANK}, false},
              {"not_converged", {.kind = SB_TRUTH, .truth = true}, false},
              {"not_converged", {.kind = SB_TRUTH, .truth = false}, true},
              {"not_converged", {.kind = SB_BLANK}, true}};
  static const sb_verdict_kind kinds[][2] = {
      {SB_NOT_REPRODUCED, SB_REPRODUCED}, {SB_NOT_REPRODUCED, SB_REPRODUCED},     {SB_REPRODUCED, SB_REPRODUCED},
      {SB_REPRODUCED, SB_REPRODUCED},     {SB_NOT_REPRODUCED, SB_NOT_REPRODUCED}, {SB_NOT_REPRODUCED, SB_REPRODUCED},
      {SB_REPRODUCED, SB_REPRODUCED},     {SB_NOT_REPRODUCED, SB_REPRODUCED}};
  const sb_value no = {.kind = SB_TRUTH, .truth = false};
  for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
    world *w = world_create(broken_off_yaml);
    w->results.session.vocabulary = &drivers;
    world_column(w, "substeps", "", true, false);
    world_row(w, "substeps", number(8), "status", word("ok"), "error", number(0.5), "blowup_time", number(4), NULL);
    world_row(w, "substeps", number(9), "status", word(ends[i].status), "broke_off", ends[i].broke_off, "error",
              number(0.2), "blowup_time", number(2), "accuracy_ok", no, "digest", word("d"), NULL);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
      if (judge(w, k).kind != kinds[k][ends[i].whole])
        fail_msg("%s, %s: %s", ends[i].status, w->results.sweep->claims[k].claim, judge(w, k).told);
    if (ends[i].broke_off.kind == SB_TRUTH && ends[i].broke_off.truth)
      assert_string_equal(judge(w, 8).told, "max(error) = 0.5; rests on 1 of 1 case");
    world_destroy(&w);
  }
}

static const char refuted_yaml[] =
    "expect:\n"
    "  - {claim: one clause, test: \"error < 0.9\"}\n"
    "  - {claim: some of several, test: \"error < 0.9 and substeps > 7 and error + drag < 1 and substeps < 12\"}\n"
    "  - {claim: of all, test: \"max(error) < 0.9\"}\n"
    "  - {claim: of each and of all, test: \"max(error) < 0.9 and min(error) < 0.9\"}\n"
    "  - {claim: of one, test: \"error < 0.9\", where: substeps == 12}\n"
    "  - {claim: everywhere, test: \"error < -1\", contradicted: it is not}\n"
    "  - {claim: holds, test: \"error < 2 and substeps > 1\"}\n";

/* The verdict on a claim that fails names the clauses and the cases that decide it, if there are several. */
static void what_refutes_a_claim_is_named(void)
{
  static const char *const refuted[] = {
      "does not hold in 4 of 5 cases (substeps=9 drag=0.1, substeps=10 drag=0.2, substeps=11 drag=0.3, …)",
      "does not hold in 4 of 5 cases (substeps=9 drag=0.1, substeps=10 drag=0.2, substeps=11 drag=0.3, …): error < "
      "0.9, "
      "error + drag < 1, substeps < 12",
      "",
      "does not hold: max(error) < 0.9",
      "",
      "does not hold in 5 of 5 cases",
      ""};
  world *w = world_create(refuted_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "drag", "", true, false);
  for (int i = 0; i < 5; ++i)
    world_row(w, "substeps", number(8 + i), "drag", number(i / 10.0), "status", word("ok"), "error",
              number(i == 0 ? 0.5 : 1), NULL);
  for (size_t i = 0; i < sizeof refuted / sizeof *refuted; ++i) {
    const sb_verdict verdict = judge(w, i);
    assert_string_equal(verdict.refuted, refuted[i]);
    assert_non_null(strstr(verdict.told, refuted[i]));
    assert_int_equal(verdict.kind, i == 5 ? SB_CONTRADICTED : i == 6 ? SB_REPRODUCED : SB_NOT_REPRODUCED);
  }
  world_destroy(&w);
}

/* A case that does not read an option of others has no value of it. */
static void a_case_is_named_by_what_it_reads(void)
{
  static const char *const refuted[] = {"does not hold in 2 of 4 cases (integrator=rk4, integrator=implicit_euler "
                                        "minimizer=newton linear=jacobi)",
                                        "does not hold in 1 of 2 cases (without linear)"};
  world                   *w = world_create("expect:\n"
                                                              "  - {claim: small, test: \"error < 0.9\"}\n"
                                                              "  - {claim: one of two, test: \"error > 0.75\", where: error < 1}\n");
  world_column(w, "integrator", "", true, false);
  world_column(w, "minimizer", "", true, false);
  world_column(w, "linear", "", true, false);
  world_row(w, "integrator", word("rk4"), "minimizer", blank(), "linear", blank(), "status", word("ok"), "error",
            number(1), NULL);
  world_row(w, "integrator", word("implicit_euler"), "minimizer", word("newton"), "linear", word("jacobi"), "status",
            word("ok"), "error", number(1), NULL);
  world_row(w, "integrator", word("implicit_euler"), "minimizer", word("newton"), "linear", word("cholesky"), "status",
            word("ok"), "error", number(0.8), NULL);
  world_row(w, "integrator", word("implicit_euler"), "minimizer", word("newton"), "linear", blank(), "status",
            word("ok"), "error", number(0.7), NULL);
  for (size_t i = 0; i < sizeof refuted / sizeof *refuted; ++i) assert_string_equal(judge(w, i).refuted, refuted[i]);
  world_destroy(&w);
}

static const char not_finite_yaml[] =
    "expect:\n"
    "  - {claim: the largest, test: \"max(1 / error) < 1e6\"}\n"
    "  - {claim: the mean, test: \"mean(1 / error) < 1e6\"}\n"
    "  - {claim: the mean as expected, test: \"mean(1 / error) < 1e6\", contradicted: it is not}\n"
    "  - {claim: not a number, test: \"error / error < 2\"}\n"
    "  - {claim: those that have one, test: \"max(settle_time) < 2\"}\n"
    "  - {claim: two of them, test: \"error[substeps=8] < error[substeps=9]\"}\n"
    "  - {claim: pairs, test: \"slope(fall_time, substeps) == 1\"}\n"
    "  - {claim: how many, test: \"count(settle_time) == 1\"}\n";

/* An infinite value counts as such, or leaves a claim undecided for good. A verdict counts the cases whose values it
 * used. */
static void values_that_are_not_finite_do_not_drop_out(void)
{
  static const struct {
    sb_verdict_kind kind;
    const char     *told;
  } expected[] = {{SB_NOT_REPRODUCED, "max(1 / error) = inf; judged on 3 of 3 cases"},
                  {SB_NOT_REPRODUCED, "mean(1 / error) = ?; undecided: a decisive value is not finite (a quotient "
                                      "by 0, or the logarithm of 0); judged on 3 of 3 cases"},
                  {SB_NOT_TESTED, "mean(1 / error) = ?; undecided: a decisive value is not finite (a quotient by "
                                  "0, or the logarithm of 0)"},
                  {SB_NOT_REPRODUCED, "error / error = nan, 1, 1; undecided: a decisive value is not finite (a "
                                      "quotient by 0, or the logarithm of 0); judged on 2 of 3 cases"},
                  {SB_REPRODUCED, "max(settle_time) = 1; rests on 1 of 3 cases"},
                  {SB_REPRODUCED, "error by substeps: 0 (8), 0.5 (9); rests on 2 of 3 cases"},
                  {SB_REPRODUCED, "slope(fall_time, substeps) = 1; rests on 2 of 3 cases"},
                  {SB_REPRODUCED, "count(settle_time) = 1; rests on 3 of 3 cases"}};
  world *w = world_create(not_finite_yaml);
  world_column(w, "substeps", "", true, false);
  for (int i = 0; i < 3; ++i)
    world_row(w, "substeps", number(8 + i), "status", word("ok"), "error", number(0.5 * i), "settle_time",
              i == 1 ? number(1) : blank(), "fall_time", i == 1 ? blank() : number(i), NULL);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    assert_string_equal(judge(w, i).told, expected[i].told);
    assert_int_equal(judge(w, i).kind, expected[i].kind);
  }
  world_destroy(&w);
}

static const char timings_yaml[] =
    "expect:\n"
    "  - {claim: below a number, kind: time, test: \"1000 * step_median_s[substeps=9] < 20 and step_median_s > 0\"}\n"
    "  - {claim: below another row, kind: time, test: \"step_median_s[substeps=9] < step_median_s[substeps=10]\"}\n"
    "  - {claim: a factor, kind: time, test: \"20 / (1000 * step_median_s) > 2\"}\n"
    "  - {claim: no timing, test: \"substeps[substeps=9] < 90\"}\n";

/* Only a timing below a constant has a factor to tell, the smallest of them. */
static void timings_tell_by_how_much(void)
{
  world *w = world_create(timings_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  world_row(w, "substeps", number(9), "status", word("ok"), "step_median_s", number(0.004), NULL);
  world_row(w, "substeps", number(10), "status", word("ok"), "step_median_s", number(0.008), NULL);
  world_row(w, "substeps", number(11), "status", word("ok"), "step_median_s", number(0.005), NULL);
  ASSERT_NEAR(judge(w, 0).margin, 5, 1e-12);
  ASSERT_NEAR(judge(w, 1).margin, 0, 0);
  ASSERT_NEAR(judge(w, 2).margin, 2.5, 1e-12);
  ASSERT_NEAR(judge(w, 3).margin, 0, 0);
  assert_int_equal(judge(w, 3).kind, SB_REPRODUCED);
  world_destroy(&w);
}

static const char asking_yaml[] =
    "expect:\n"
    "  - {claim: asks one that failed, test: \"error < 1\", where: substeps < 10 and error != 3}\n"
    "  - {claim: has no slope, test: \"slope(max_rss_bytes, drag) < 1\", where: \"substeps in [8, 11] and error > "
    "0\"}\n"
    "  - {claim: one that failed chooses, test: error > 1, where: \"substeps in [8, 11] and error > "
    "error[substeps=9]\"}\n"
    "  - {claim: one that has not run chooses, test: error > 1, where: \"substeps in [8, 11] and error > "
    "error[substeps=10]\"}\n"
    "  - {claim: of one that may be ok, test: \"error < error[status=ok, substeps=drag]\", where: substeps == 8}\n"
    "  - {claim: has read one that has not run, test: \"(error < error[substeps=10, drag=drag] or drag > 0) and error "
    "< 1\", "
    "where: substeps == 9}\n";

/* Why a claim is open is said of the cases that leave it open, and of no others: of those that its `where` leaves out
 * whatever they would have been it asks nothing, but they may be what others are chosen by, or compared with. */
static void what_leaves_a_claim_open_is_told(void)
{
  static const struct {
    sb_verdict_kind kind;
    const char     *told;
  } expected[] = {{SB_NOT_REPRODUCED, "undecided: 1 case did not end with status ok"},
                  {SB_NOT_TESTED, "slope() needs two rows with different values"},
                  {SB_NOT_REPRODUCED, "undecided: 1 case did not end with status ok"},
                  {SB_NOT_TESTED, "undecided: 1 case that it compares with has no result here"},
                  {SB_NOT_TESTED, "undecided: 1 case that it compares with has no result here"},
                  {SB_NOT_TESTED, "undecided: 1 case that it compares with has no result here"}};
  world *w = world_create(asking_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "drag", "", true, false);
  for (int i = 0; i < 4; ++i)
    world_row(w, "substeps", number(8 + i), "drag", number(10), "status",
              i == 1   ? word("diverged")
              : i == 2 ? blank()
                       : word("ok"),
              "error", i == 1 || i == 2 ? blank() : number(0.5), "max_rss_bytes", number(i), NULL);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    const sb_verdict verdict = judge(w, i);
    if (verdict.kind != expected[i].kind || !strstr(verdict.told, expected[i].told))
      fail_msg("%s: %s: %s", w->results.sweep->claims[i].claim, sb_verdict_word(verdict.kind), verdict.told);
  }
  world_destroy(&w);
}

static const char reasons_yaml[] =
    "expect:\n"
    "  - {claim: undefined, test: \"slope(blowup_time, drag) < 1\"}\n"
    "  - {claim: the failed case decides nothing, test: \"slope(blowup_time, drag) < 1 and (error < 1 or "
    "drag > 0)\"}\n"
    "  - {claim: no pair has both, test: \"slope(settle_time, seed) < 1\"}\n"
    "  - {claim: nor ranks, test: \"rank_correlation(settle_time, seed) < 1\"}\n"
    "  - {claim: compared with nothing finite, test: \"1 / (drag - drag) > slope(blowup_time, drag) and (error < 1 "
    "or drag > 0)\"}\n"
    "  - {claim: undefined and failed, test: \"slope(blowup_time, drag) < 1 and error < 1\"}\n"
    "  - {claim: undefined and immaterial, test: \"(slope(blowup_time, drag) < 1 or drag > 0) and error < 1\"}\n"
    "  - {claim: the first decides nothing, test: \"(slope(blowup_time, drag) < 1 or drag > 0) and "
    "rank_correlation(blowup_time, drag) < 1\"}\n"
    "  - {claim: two failed cases, test: \"error[substeps=9] < 1 and error[substeps=10] < 1\"}\n"
    "  - {claim: undefined and not finite, test: \"slope(blowup_time, drag) < 1 and (drag - drag) / (drag - drag) > "
    "0\"}\n"
    "  - {claim: may be about a case, test: drag > 10, where: error > 1 or substeps == 8}\n"
    "  - {claim: may be about a case that fits, test: max(drag) < 9 or drag > 0, where: error > 1 and substeps == 9}\n"
    "  - {claim: chosen by two, test: \"error < error[error=error]\", where: substeps == 8}\n"
    "  - {claim: all that a mean lacks, test: mean(error) < 1}\n"
    "  - {claim: both sides of a sum, test: \"error[substeps=9] + error[substeps=10] < 1\"}\n"
    "  - {claim: counts those that it may be about, test: count(drag) == 1 or substeps > 8, where: error > 1 or "
    "substeps "
    "== 8}\n";

/* An unknown value has reasons, and so has what it leaves unknown, all of them; what something else decides has none. A
 * function without an answer is blamed if it alone leaves the claim open, whatever failed cases it has read besides. */
static void reasons_are_those_that_decide(void)
{
  static const struct {
    sb_verdict_kind kind;
    const char     *told, *absent;
  } expected[] = {{SB_NOT_TESTED, "slope() needs two rows with different values", "status ok"},
                  {SB_NOT_TESTED, "slope() needs two rows with different values", "status ok"},
                  {SB_NOT_TESTED, "slope() needs two rows with different values", "status ok"},
                  {SB_NOT_TESTED, "rank_correlation() needs two rows with different values", "status ok"},
                  {SB_NOT_TESTED, "slope() needs two rows with different values", "status ok"},
                  {SB_NOT_REPRODUCED,
                   "undecided: 2 cases did not end with status ok; write a condition on status to include them; in "
                   "'slope(blowup_time, drag)': slope() needs two rows with different values",
                   "1 case "},
                  {SB_NOT_REPRODUCED, "undecided: 2 cases did not end with status ok", "slope() needs"},
                  {SB_NOT_TESTED, "rank_correlation() needs two rows with different values", "slope() needs"},
                  {SB_NOT_REPRODUCED, "undecided: 2 cases did not end with status ok", "slope"},
                  {SB_NOT_TESTED, "slope() needs two rows with different values", "not finite"},
                  {SB_NOT_REPRODUCED, "does not hold in 1 of 3 cases", "undecided"},
                  {SB_NOT_REPRODUCED, "undecided: 1 case did not end with status ok", "2 cases"},
                  {SB_NOT_REPRODUCED, "undecided: 2 cases did not end with status ok", "slope"},
                  {SB_NOT_REPRODUCED, "undecided: 2 cases did not end with status ok", "slope"},
                  {SB_NOT_REPRODUCED, "undecided: 2 cases did not end with status ok", "slope"},
                  {SB_NOT_REPRODUCED, "undecided: 2 cases did not end with status ok", "slope"}};
  world *w = world_create(reasons_yaml);
  w->results.session.vocabulary = &drivers;
  world_column(w, "substeps", "", true, false);
  world_column(w, "seed", "", true, false);
  world_column(w, "drag", "", true, false);
  for (int i = 0; i < 3; ++i)
    world_row(w, "substeps", number(8 + i), "drag", number(10), "status", word(i > 0 ? "diverged" : "ok"), "error",
              i > 0 ? blank() : number(0.5), "blowup_time", number(3), "settle_time", blank(), "seed",
              i > 0 ? blank() : number(1), NULL);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    const sb_verdict verdict = judge(w, i);
    if (verdict.kind != expected[i].kind || !strstr(verdict.told, expected[i].told) ||
        strstr(verdict.told, expected[i].absent))
      fail_msg("%s: %s: %s", w->results.sweep->claims[i].claim, sb_verdict_word(verdict.kind), verdict.told);
  }
  world_destroy(&w);
}

static const char fair_yaml[] =
    "timed: true\n"
    "repetitions: 3\n"
    "expect:\n"
    "  - {claim: nine is quicker, kind: time, test: \"step_median_s[substeps=9] < step_median_s[substeps=10]\"}\n"
    "  - {claim: quicker though it fails, kind: time, test: \"step_median_s[substeps=9] < "
    "step_median_s[substeps=10] and status[substeps=9] == not_converged\"}\n"
    "  - {claim: all fall, test: \"max(drag) < 1\"}\n"
    "  - {claim: some are slow, kind: time, test: \"max(step_median_s) > 1.5\"}\n"
    "  - {claim: slow or ok, kind: time, test: \"max(step_median_s) > 1.5 or drag[substeps=9] < 1\"}\n"
    "  - {claim: undecided by a logarithm, kind: time, test: \"log(-step_median_s[substeps=10]) < "
    "step_median_s[substeps=9] and status[substeps=9] == not_converged\"}\n"
    "  - {claim: one is no matrix of a step, kind: time, test: step_median_s < 5 and status != oom}\n";

/* A case that missed its tolerance does not win, and is timed no less often. Times of two builds are not compared, but
 * unknown times decide nothing. */
static void times_are_compared_where_that_is_fair(void)
{
  int            repetitions[] = {1, 3, 3};
  sb_case_origin origins[] = {{"one", "here", NULL}, {"two", "here", NULL}, {"two", "here", NULL}};
  world         *w = world_create(fair_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  for (int i = 0; i < 3; ++i)
    world_row(w, "substeps", number(9 + i), "drag", number(0), "status", word(i == 1 ? "ok" : "not_converged"),
              "step_median_s", number(1 + i), "noisy", i ? word("waited") : blank(), NULL);
  assert_non_null(
      strstr(judge(w, 0).told, "1 case did not end with status ok; write a condition on status to include it"));
  assert_int_equal(judge(w, 0).kind, SB_NOT_REPRODUCED);
  assert_int_equal(judge(w, 1).kind, SB_REPRODUCED);
  assert_non_null(strstr(judge(w, 1).told, "1 of 2 cases was timed while the machine was noisy"));
  assert_int_equal(judge(w, 5).kind, SB_NOT_REPRODUCED);
  w->results.origins = origins;
  assert_int_equal(judge(w, 5).kind, SB_NOT_TESTED);
  assert_int_equal(judge(w, 1).kind, SB_NOT_TESTED);
  assert_string_equal(judge(w, 1).told,
                      "its times are from several builds or machines: 2 cases were run by several builds "
                      "(1 by one, 1 by two)");
  assert_int_equal(judge(w, 2).kind, SB_REPRODUCED);
  assert_string_equal(judge(w, 3).told, "its times do not count: 1 of 1 case was timed while the machine was noisy");
  assert_int_equal(judge(w, 3).kind, SB_NOT_TESTED);
  assert_int_equal(judge(w, 4).kind, SB_REPRODUCED); /* for any times */
  sb_rows_set(w->results.rows, 1, sb_rows_column_find(w->results.rows, "noisy"), blank());
  assert_string_equal(judge(w, 3).told, "max(step_median_s) = 2 or more; rests on 1 of 3 cases");
  assert_int_equal(judge(w, 3).kind, SB_REPRODUCED);
  w->results.origins = NULL;
  w->results.repetitions = repetitions;
  sb_rows_set(w->results.rows, 0, sb_rows_column_find(w->results.rows, "status"), word("not_spd"));
  assert_int_equal(judge(w, 6).kind, SB_REPRODUCED); /* nobody times it again */
  assert_int_equal(judge(w, 0).kind, SB_NOT_REPRODUCED);
  sb_rows_set(w->results.rows, 0, sb_rows_column_find(w->results.rows, "status"), word("not_converged"));
  assert_int_equal(judge(w, 0).kind, SB_NOT_REPRODUCED); /* oftener it would still not count */
  assert_string_equal(judge(w, 1).told,
                      "holds so far, in 3 of its 3 cases; 1 was timed fewer than the 3 times that the sweep requests");
  world_destroy(&w);
}

static const char noisy_yaml[] =
    "timed: true\n"
    "expect:\n"
    "  - {claim: a noisy case is slow, kind: time, test: \"step_median_s < 2.5\"}\n"
    "  - {claim: expected to be slow, kind: time, test: \"step_median_s < 2.5\", contradicted: it is slow}\n"
    "  - {claim: two noisy ones differ, kind: time, test: \"step_median_s[substeps=12] < "
    "step_median_s[substeps=10]\"}\n"
    "  - {claim: a quiet case is slow, kind: time, test: \"step_median_s < 0.5\"}\n"
    "  - {claim: expected of a quiet case, kind: time, test: \"step_median_s < 0.5\", contradicted: it is slow}\n"
    "  - {claim: another value refutes it, kind: time, test: \"step_median_s < 2.5 and error < 0\"}\n"
    "  - {claim: all are quick, kind: time, test: \"step_median_s < 5\"}\n";

/* Noise makes times longer. A claim on times that only noisy cases refute is open, and the line names them; a quiet
 * case, or a value that is no time, refutes it. */
static void noise_refutes_nothing(void)
{
  static const struct {
    sb_verdict_kind kind;
    const char     *told;
  } expected[] = {
      {SB_NOT_TESTED, "undecided without the times of noisy cases (substeps=11, substeps=12): 2 of 4 cases were timed "
                      "while the machine was noisy; --rerun noisy times them again"},
      {SB_NOT_TESTED, "undecided without the times of noisy cases (substeps=11, substeps=12): "},
      {SB_NOT_TESTED, "undecided without the times of noisy cases (substeps=12): 1 of 2 cases was timed while the "
                      "machine was noisy; --rerun noisy times it again"},
      {SB_NOT_REPRODUCED, "step_median_s = 1, 2, 2.2, 4; does not hold in 2 of 4 cases (substeps=9, substeps=10); 2 of "
                          "4 cases were timed while the machine was noisy; judged on 2 of 4 cases"},
      {SB_CONTRADICTED, "does not hold in 2 of 4 cases (substeps=9, substeps=10)"},
      {SB_NOT_REPRODUCED, "does not hold in 4 of 4 cases: error < 0"},
      {SB_REPRODUCED, "step_median_s = 1, 2, 2.2, 4; 2 of 4 cases were timed while the machine was noisy; rests on 4"}};
  static const double seconds[] = {1, 2, 2.2, 4};
  world              *w = world_create(noisy_yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  for (int i = 0; i < 4; ++i)
    world_row(w, "substeps", number(9 + i), "status", word("ok"), "step_median_s", number(seconds[i]), "error",
              number(1), "noisy", i < 2 ? blank() : word("waited"), NULL);
  for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
    const sb_verdict verdict = judge(w, i);
    if (verdict.kind != expected[i].kind || !strstr(verdict.told, expected[i].told))
      fail_msg("%s: %s: %s", w->results.sweep->claims[i].claim, sb_verdict_word(verdict.kind), verdict.told);
  }
  world_destroy(&w);
}

/* Times of PoCL are those of a processor, and decide no claim; other values of such cases do. */
static void only_times_of_a_gpu_decide(void)
{
  static const char yaml[] = "timed: true\nanswer: \"It takes {max(step_median_s)} s.\"\nexpect:\n"
                             "  - {claim: all are quick, kind: time, test: step_median_s < 5}\n"
                             "  - {claim: a GPU is slow, kind: time, test: step_median_s > 5, where: device_gpu == 1}\n"
                             "  - {claim: no error, test: error < 0}\n";
  world            *w = world_create(yaml);
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  for (int i = 0; i < 3; ++i)
    world_row(w, "substeps", number(9 + i), "status", word("ok"), "step_median_s", number(1 + i), "error", number(1),
              "device_gpu", i == 0 ? blank() : number(i - 1), NULL);
  assert_int_equal(judge(w, 0).kind, SB_NOT_TESTED);
  assert_string_equal(judge(w, 0).told, "its times do not count: 1 of 3 cases ran on a device that is not a GPU");
  assert_int_equal(judge(w, 1).kind, SB_NOT_REPRODUCED);
  assert_int_equal(judge(w, 2).kind, SB_NOT_REPRODUCED);
  ASSERT_HAS(sb_results_conclusion(&w->results)->times, "1 of 3 cases ran on a device that is not a GPU");
  world_destroy(&w);
}

static void lines_and_count(void)
{
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

/* The world of three cases, the last of which may not have run, and its answer. */
static world *answer_world(const char *yaml, double blowup_time, const char *status)
{
  world *w = world_create(yaml);
  w->results.session.vocabulary = &drivers;
  world_column(w, "substeps", "", true, false);
  world_row(w, "substeps", number(4), "status", word("diverged"), "blowup_time", number(blowup_time), "error",
            number(7), NULL);
  world_row(w, "substeps", number(8), "status", word("ok"), "blowup_time", blank(), "error", number(0.25), NULL);
  world_row(w, "substeps", number(9), "status", status ? word(status) : blank(), NULL);
  return w;
}

static void assert_concludes(world *w, sb_conclusion_kind kind, const char *lead, const char *sentence,
                             const char *blanks)
{
  const sb_conclusion *c = sb_results_conclusion(&w->results);
  assert_string_equal(c->sentence, sentence);
  assert_string_equal(c->lead, lead);
  assert_string_equal(c->blanks, blanks);
  assert_int_equal(c->kind, kind);
  world_destroy(&w);
}

/* An answer has the numbers of the results, is an answer only as long as its claims hold, and invents nothing. */
/* The answer rests on one claim of two. */
static const char one[] =
    "expect:\n"
    "  - {claim: early, answers: true, test: \"blowup_time < 100\", where: substeps == 4}\n"
    "  - {claim: never, test: \"error < 0\", where: substeps == 8}\n"
    "answer: \"It takes {blowup_time where substeps == 4: .1f} s, {max(blowup_time) where substeps == 4}.\"\n";

static void answers(void)
{
  static const char all[] = "expect: [{claim: early, test: \"blowup_time < 100\", where: substeps == 4},\n"
                            "         {claim: late, test: \"status == ok\", where: substeps == 9}]\n"
                            "answer: \"It takes {min(blowup_time): .2g} s; {status where substeps == 9}.\"\n";
  static const char blanks[] = "expect: [{claim: early, test: \"blowup_time < 100\", where: substeps == 4}]\n"
                               "answer: \"{max(error)} in all. It is {error where substeps == 8}. It blows up"
                               " at {blowup_time where substeps == 8}. At {error where status == diverged}."
                               " Not so, et al. 7, by {max(error)}.\"\n";
  assert_concludes(answer_world("", 4, "ok"), SB_CONCLUSION_NONE, "", "", "");
  /* The answer does not rest on the claim that fails. */
  assert_concludes(answer_world(one, 4.26, "ok"), SB_CONCLUSION_HOLDS, "Answer", "It takes 4.3 s, 4.26.", "");
  assert_concludes(answer_world(one, 400, "ok"), SB_CONCLUSION_REFUTED, "Refuted here: 1 of 1 claim does not hold",
                   "It takes 400.0 s, 400.", "");
  assert_concludes(answer_world(all, 4.26, "ok"), SB_CONCLUSION_HOLDS, "Answer", "It takes 4.3 s; ok.", "");
  assert_concludes(answer_world(all, 4.26, "diverged"), SB_CONCLUSION_REFUTED,
                   "Refuted here: 1 of 2 claims does not hold", "",
                   "it needs a value of a case that did not end with status ok");
  assert_concludes(answer_world(all, 4.26, NULL), SB_CONCLUSION_EXPECTED, "No answer yet, from 2 of 3 cases", "",
                   "not all of its cases are here");
  /* A sentence about what nobody has tested here is not an answer. */
  assert_concludes(answer_world("expect: [{claim: late, test: \"error > 1\", where: substeps == 9}]\n"
                                "answer: \"It takes {min(blowup_time): .2g} s.\"\n",
                                4.26, NULL),
                   SB_CONCLUSION_EXPECTED, "Expected, untested with 2 of 3 cases", "It takes 4.3 s.", "");
  /* A case that broke off has results up to there. They count for a number that names `status`, as for claims. */
  assert_concludes(answer_world(blanks, 4, "ok"), SB_CONCLUSION_SO_FAR, "So far: a number is unknown",
                   "It is 0.250. At 7.",
                   "it needs a value of a case that did not end with status ok; no case has such a value");
}

/* A sweep whose cases need what is not installed has one line. */
static void a_sweep_whose_cases_were_skipped_has_not_run(void)
{
  world *w = world_create("answer: \"It takes {error} s.\"\nexpect: [{claim: early, test: \"error < 1\"}]\n");
  world_column(w, "substeps", "", true, false);
  world_column(w, "error", "", false, false);
  for (int k = 1; k <= 2; ++k)
    world_row(w, "substeps", number(4 * k), "status", word("skipped"), "reason", word("install it"), NULL);
  assert_concludes(w, SB_CONCLUSION_NOT_RUN, "Not run", "install it", "");
}

static void what_an_answer_lacks_makes_it_provisional(void)
{
  /* A number that lacks a case is provisional, though it has a value; half of the cases are not few. */
  assert_concludes(answer_world("expect: [{claim: early, test: \"blowup_time < 100\", where: substeps == 4}]\n"
                                "answer: \"It takes {min(blowup_time): .2g} s.\"\n",
                                4.26, NULL),
                   SB_CONCLUSION_SO_FAR, "So far, from 2 of 3 cases", "It takes 4.3 s.", "");
  world *half = answer_world(one, 4.26, NULL);
  world_row(half, "substeps", number(10), "status", blank(), NULL);
  assert_concludes(half, SB_CONCLUSION_HOLDS, "Answer", "It takes 4.3 s, 4.26.", "");
  half = answer_world(one, 4.26, NULL);
  world_row(half, "substeps", number(10), "status", blank(), NULL);
  world_row(half, "substeps", number(11), "status", word("skipped"), NULL);
  assert_concludes(half, SB_CONCLUSION_HOLDS, "Answer", "It takes 4.3 s, 4.26.", "");
  /* Claims that hold so far are not unknown. */
  assert_concludes(answer_world("expect: [{claim: all, test: \"substeps < 10 and status in [ok, diverged]\"}]\n"
                                "answer: \"It takes {max(blowup_time) where substeps == 4} s.\"\n",
                                4, NULL),
                   SB_CONCLUSION_SO_FAR, "So far, from 2 of 3 cases", "It takes 4 s.", "");
  /* That one number names `status` does not count for the next. */
  assert_concludes(answer_world("expect: [{claim: early, test: \"blowup_time < 100\", where: substeps == 4}]\n"
                                "answer: \"{status where substeps == 4}, {error where substeps == 4}\"\n",
                                4, "ok"),
                   SB_CONCLUSION_EXPECTED, "No answer yet, from 3 of 3 cases", "",
                   "it needs a value of a case that did not end with status ok");
  /* Nor has it a value if its cases have several. */
  assert_concludes(answer_world("expect: [{claim: early, test: \"blowup_time < 100\", where: substeps == 4}]\n"
                                "answer: \"{substeps where substeps < 9} steps\"\n",
                                4, "ok"),
                   SB_CONCLUSION_EXPECTED, "No answer yet, from 3 of 3 cases", "",
                   "'substeps' differs between cases");
}

static void times_count_for_an_answer(void)
{
  /* A claim of kind time refutes an answer, too. */
  world *slow =
      answer_world("expect: [{claim: quick, kind: time, test: \"step_median_s < 1\", where: substeps == 10}]\n"
                   "answer: \"It takes {blowup_time where substeps == 4} s.\"\n",
                   4, "ok");
  world_column(slow, "step_median_s", "s", false, true);
  world_row(slow, "substeps", number(10), "status", word("ok"), "step_median_s", number(2), NULL);
  assert_concludes(slow, SB_CONCLUSION_REFUTED, "Refuted here: 1 of 1 claim does not hold", "It takes 4 s.", "");
  /* All cases are here, and one was timed beside other programs. */
  world *busy =
      answer_world("expect: [{claim: early, test: \"blowup_time < 100\", where: substeps == 4},\n"
                   "         {claim: quick, kind: time, test: \"step_median_s < 1\", where: substeps == 10}]\n"
                   "answer: \"It takes {blowup_time where substeps == 4} s.\"\n",
                   4, "ok");
  world_column(busy, "step_median_s", "s", false, true);
  world_row(busy, "substeps", number(10), "status", word("ok"), "step_median_s", number(2), "noisy", word("waited"),
            NULL);
  assert_concludes(busy, SB_CONCLUSION_SO_FAR, "So far: 1 of 2 claims is not tested", "It takes 4 s.", "");
}

static void few_cases_are_no_answer(void)
{
  /* Fewer than half of the cases are no answer, whatever they say of the claims, unless they refute one. */
  world *few = answer_world(one, 4.26, "ok");
  for (int i = 0; i < 4; ++i) world_row(few, "substeps", number(10 + i), "status", blank(), NULL);
  assert_concludes(few, SB_CONCLUSION_EXPECTED, "Expected, from 3 of 7 cases", "It takes 4.3 s, 4.26.", "");
  few = answer_world(one, 400, "ok");
  for (int i = 0; i < 4; ++i) world_row(few, "substeps", number(10 + i), "status", blank(), NULL);
  assert_concludes(few, SB_CONCLUSION_REFUTED, "Refuted here, by 3 of 7 cases: 1 of 1 claim does not hold",
                   "It takes 400.0 s, 400.", "");
}

/* The case file of a row of the results, with the curves of the runs "a", "mean", whose errors are given, and "z". */
static void store_curves(world *w, size_t row, const double errors[4], char **checksums)
{
  static const double along[] = {1, 2, 3, 4}, others[] = {9, 9, 9, 9};
  char                hex[SB_SHA256_HEX + 1];
  const char         *path = world_path(w, sb_arena_format(w->results.session.arena, "cases/%016zx.h5", row + 1));
  assert_true(sb_make_directory(world_path(w, "cases")));
  sb_h5_watch(NULL);
  const hid_t file = sb_h5_file(path, H5F_ACC_TRUNC);
  for (int r = 0; r < 3; ++r) {
    const bool        mean = r == 1;
    SB_H5_ID          run = sb_h5_group(file, mean ? "convergence/mean" : r == 0 ? "convergence/a" : "convergence/z");
    const char *const names[] = {"seconds", "work", "error"}, *const units[] = {"s", "", "m"};
    const double *const values[] = {along, along, mean ? errors : others};
    for (int i = 0; i < 3; ++i) {
      sb_h5_write(run, names[i], &(sb_h5_layout){H5T_NATIVE_DOUBLE, {4}, NULL, 0}, values[i]);
      SB_H5_ID dataset = H5Dopen2(run, names[i], H5P_DEFAULT);
      sb_h5_put_text(dataset, "unit", units[i]);
    }
  }
  assert_true(sb_h5_close(file) && sb_h5_good() && sb_sha256_file(path, hex));
  checksums[row] = sb_arena_copy(w->results.session.arena, hex);
}

static const char curves_yaml[] =
    "timed: true\n"
    "expect:\n"
    "  - {claim: over time, test: \"crossing(seconds, error[substeps=8], error[substeps=9]) == 3\"}\n"
    "  - {claim: over work, test: \"crossing(work, error[substeps=8], error[substeps=9]) == 3\"}\n";

/* A curve is that of the mean of its runs. Over time it is a time, over work it counts operations, and of a case that
 * broke off it is unknown. */
static void curves_are_known_as_values_are(void)
{
  static const struct {
    const char     *status, *noisy, *not_counted;
    sb_verdict_kind kinds[2];
    const char     *told[2];
  } trials[] = {
      {"ok", NULL, NULL, {SB_REPRODUCED, SB_REPRODUCED}, {"= 3; rests on 2 of 2 cases", "= 3; rests on 2 of 2 cases"}},
      {"ok",
       "waited",
       NULL,
       {SB_NOT_TESTED, SB_REPRODUCED},
       {"its times do not count: 2 of 2 cases were timed while the machine was noisy", "= 3; rests on 2 of 2 cases"}},
      {"ok",
       NULL,
       "a library",
       {SB_REPRODUCED, SB_NOT_TESTED},
       {"= 3; rests on 2 of 2 cases", "the operations of a library are not counted: the work of 2 cases is unknown"}},
      {"diverged",
       NULL,
       NULL,
       {SB_NOT_REPRODUCED, SB_NOT_REPRODUCED},
       {"2 cases did not end with status ok", "2 cases did not end with status ok"}}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    char  *checksums[2];
    world *w = world_create(curves_yaml);
    world_column(w, "substeps", "", true, false);
    for (size_t row = 0; row < 2; ++row)
      world_row(w, "substeps", number(8 + (double)row), "status", word(trials[i].status), "noisy",
                trials[i].noisy ? word(trials[i].noisy) : blank(), "not_counted",
                trials[i].not_counted ? word(trials[i].not_counted) : blank(), NULL);
    store_curves(w, 0, (const double[]){1, 1, 4, 4}, checksums);
    store_curves(w, 1, (const double[]){2, 2, 2, 2}, checksums);
    w->results.checksums = checksums;
    for (size_t k = 0; k < 2; ++k) {
      const sb_verdict verdict = judge(w, k);
      if (verdict.kind != trials[i].kinds[k] || !strstr(verdict.told, trials[i].told[k]))
        fail_msg("%zu, %zu: %s", i, k, verdict.told);
    }
    world_destroy(&w);
  }
}

/* Numbers are evaluated as claims are: times that leave a claim untested leave an answer open, and are in no title. */
static void numbers_rest_on_times_that_count(void)
{
  static const char yaml[] = "timed: true\n"
                             "repetitions: 3\n"
                             "expect: [{claim: all end, test: status == ok}]\n"
                             "answer: \"{max(step_median_s)} s, {step_median_s where substeps == 9} s.\"\n"
                             "tables: [{id: t, title: \"{max(step_median_s)} s in 10^{3} of {count(substeps)}, "
                             "{count(error) where substeps == 77}\", rows: [substeps], columns: [{value: error}]}]\n";
  static const struct {
    int         repetitions;
    const char *noisy, *build, *times, *lead;
  } trials[] = {{3, NULL, "one", "", "Answer"},
                {1, NULL, "one", "1 of 2 cases timed fewer than the 3 times that the sweep requests",
                 "So far: its times are to be repeated"},
                {3, "waited", "one", "1 of 1 case timed while the machine was noisy", "So far: its times are noisy"},
                {3, NULL, "two", "2 cases run by several builds", "So far: its times are of several builds or machines"}};
  for (size_t i = 0; i < sizeof trials / sizeof *trials; ++i) {
    int            repetitions[] = {trials[i].repetitions, 3};
    sb_case_origin origins[] = {{trials[i].build, "here", NULL}, {"one", "here", NULL}};
    world         *w = world_create(yaml);
    world_column(w, "substeps", "", true, false);
    world_column(w, "step_median_s", "s", false, true);
    for (int k = 0; k < 2; ++k)
      world_row(w, "substeps", number(9 + k), "status", word("ok"), "step_median_s", number(1 + k), "noisy",
                k == 0 && trials[i].noisy ? word(trials[i].noisy) : blank(), NULL);
    w->results.repetitions = repetitions;
    w->results.origins = origins;
    const sb_conclusion *c = sb_results_conclusion(&w->results);
    assert_string_equal(c->times, trials[i].times);
    assert_string_equal(c->sentence, "2 s, 1 s.");
    assert_string_equal(c->lead, trials[i].lead);
    const bool shown = !*trials[i].times || trials[i].noisy; /* one quiet case is enough for the largest */
    assert_string_equal(sb_results_text(&w->results, w->results.sweep->tables[0].title),
                        shown ? "2 s in 10^{3} of 2, 0" : "[?] s in 10^{3} of 2, 0");
    world_destroy(&w);
  }
}

/* A case that has not run may belong to the clause. The number of cases lacks it. */
static void a_case_that_may_count_is_lacking(void)
{
  world *w = world_create("expect: [{claim: nine ends, test: status == ok, where: substeps == 9}]\n"
                          "answer: \"{max(substeps) where error < 5}.\"\n");
  world_column(w, "substeps", "", true, false);
  world_row(w, "substeps", number(9), "status", word("ok"), "error", number(1), NULL);
  world_row(w, "substeps", number(10), "status", blank(), "error", blank(), NULL);
  assert_string_equal(sb_results_conclusion(&w->results)->sentence, "9.");
  assert_string_equal(sb_results_conclusion(&w->results)->lead, "So far, from 1 of 2 cases");
  world_destroy(&w);
}

/* A third case, which the number does not read, was timed once, while the machine was noisy, by another build. */
static void a_number_is_told_of_its_own_times_alone(void)
{
  world         *w = world_create("timed: true\nrepetitions: 3\nexpect: [{claim: all end, test: status == ok}]\n"
                                          "answer: \"{max(step_median_s) where substeps < 11} s.\"\n");
  int            repetitions[] = {1, 3, 1};
  sb_case_origin origins[] = {{"one", "here", NULL}, {"one", "here", NULL}, {"two", "here", NULL}};
  world_column(w, "substeps", "", true, false);
  world_column(w, "step_median_s", "s", false, true);
  for (int k = 0; k < 3; ++k)
    world_row(w, "substeps", number(9 + k), "status", word("ok"), "step_median_s", number(1 + k), "noisy",
              k == 2 ? word("waited") : blank(), NULL);
  w->results.repetitions = repetitions;
  w->results.origins = origins;
  assert_string_equal(sb_results_conclusion(&w->results)->times,
                      "1 of 2 cases timed fewer than the 3 times that the sweep requests");
  assert_string_equal(sb_results_conclusion(&w->results)->sentence, "2 s.");
  world_destroy(&w);
}

TEST_MAIN(each_kind, only_times_of_a_gpu_decide, what_is_not_here_is_not_tested, claims_are_about_the_request,
          what_holds_so_far_is_open, rows_of_a_claim_are_those_of_the_sweep, excluded_cases_are_in_no_claim,
          a_failed_method_drops_out_of_nothing, cases_that_died_or_have_not_run_leave_a_claim_untested,
          a_run_that_broke_off_meets_no_bound, values_that_are_not_finite_do_not_drop_out,
          what_refutes_a_claim_is_named, a_case_is_named_by_what_it_reads, timings_tell_by_how_much,
          what_leaves_a_claim_open_is_told, reasons_are_those_that_decide, times_are_compared_where_that_is_fair,
          noise_refutes_nothing, lines_and_count, answers, a_sweep_whose_cases_were_skipped_has_not_run,
          what_an_answer_lacks_makes_it_provisional, times_count_for_an_answer, few_cases_are_no_answer,
          numbers_rest_on_times_that_count, a_case_that_may_count_is_lacking, a_number_is_told_of_its_own_times_alone,
          curves_are_known_as_values_are)
