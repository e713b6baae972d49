/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnostics, outcomes, random numbers, the clock. */
#include <stdlib.h>
#include <string.h>

#include "base/diagnostics.h"
#include "base/outcome.h"
#include "base/profile.h"
#include "base/random.h"
#include "tests/cmocka_all.h"

static void messages_are_limited_but_counted(void)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  for (int i = 0; i < 30; ++i) assert_false(sb_error_at(diagnostics, (sb_location){"f", 1, i}, "E101", "no %d", i));
  sb_warning_at(diagnostics, (sb_location){0}, "W112", "hm");
  assert_int_equal(sb_diagnostics_errors(diagnostics), 30);
  assert_int_equal(sb_diagnostics_warnings(diagnostics), 1);
  assert_string_equal(sb_diagnostics_message(diagnostics, 19), "f:1:19: error: no 19 [E101]");
  assert_null(sb_diagnostics_message(diagnostics, 20));
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = open_memstream(&text, &length);
  sb_diagnostics_print(diagnostics, stream);
  fclose(stream);
  assert_non_null(strstr(text, "11 more messages not shown"));
  free(text);
  sb_diagnostics_destroy(&diagnostics);
  assert_null(diagnostics);
}

static void every_status_reads_back(void)
{
  for (int i = 0; i < SB_STATUS_COUNT; ++i) {
    sb_status status = SB_STATUS_COUNT;
    assert_true(sb_status_from_name(sb_status_name((sb_status)i), &status));
    assert_int_equal(status, i);
  }
  sb_status status;
  assert_false(sb_status_from_name("fine", &status));
  assert_true(sb_status_is_result(SB_CASE_DIVERGED));
  assert_false(sb_status_is_result(SB_CASE_TIMEOUT));
  assert_true(sb_status_is_timed(SB_OK) && sb_status_is_timed(SB_CASE_NOT_CONVERGED));
  assert_false(sb_status_is_timed(SB_CASE_DIVERGED) || sb_status_is_timed(SB_CASE_OOM));
}

static void only_solved_and_truncated_are_answers(void)
{
  for (int i = 0; i < SB_OUTCOME_COUNT; ++i) {
    const bool answer = i == SB_SOLVED || i == SB_TRUNCATED;
    assert_int_equal(sb_outcome_accepted((sb_outcome)i), answer);
    assert_int_equal(sb_status_of_outcome((sb_outcome)i) == SB_OK, answer);
    assert_string_not_equal(sb_outcome_name((sb_outcome)i), "unknown");
  }
  assert_int_equal(sb_status_of_outcome(SB_NOT_SPD), SB_CASE_NOT_SPD);
}

/* The reference implementation of SplitMix64 started at 1234567 gives these three first. */
static void random_bits_are_splitmix64(void)
{
  assert_true(sb_random_bits(1234567, 0) == UINT64_C(6457827717110365317));
  assert_true(sb_random_bits(1234567, 1) == UINT64_C(3203168211198807973));
  assert_true(sb_random_bits(1234567, 2) == UINT64_C(9817491932198370423));
  for (uint64_t i = 0; i < 1000; ++i) {
    const double u = sb_random_unit(7, i);
    assert_true(u >= 0 && u < 1);
  }
}

static void profile_adds_up(void)
{
  sb_profile   profile = {0};
  const double started = sb_profile_start(&profile);
  sb_profile_stop(&profile, SB_PHASE_SOLVE, started);
  sb_profile_stop(&profile, SB_PHASE_SOLVE, started);
  assert_int_equal(profile.calls[SB_PHASE_SOLVE], 2);
  assert_true(profile.seconds[SB_PHASE_SOLVE] >= 0);
  sb_profile_stop(NULL, SB_PHASE_SOLVE, sb_profile_start(NULL));
  profile.paused = true;
  assert_true(sb_profile_start(&profile) == 0); /* the clock is not read */
  sb_profile_stop(&profile, SB_PHASE_SOLVE, 0);
  assert_int_equal(profile.calls[SB_PHASE_SOLVE], 2);
  sb_profile_stop_check(&profile, sb_profile_start_check(&profile)); /* a pause is not for checks */
  sb_profile_stop_check(NULL, sb_profile_start_check(NULL));
  assert_int_equal(profile.calls[SB_PHASE_CHECK], 1);
}

TEST_MAIN(messages_are_limited_but_counted, every_status_reads_back, only_solved_and_truncated_are_answers,
          random_bits_are_splitmix64, profile_adds_up)
