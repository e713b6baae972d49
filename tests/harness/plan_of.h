/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sessions for tests, and from the text of a sweep to its plan; what is refused there fails the running test. */
#pragma once

#include "harness/sweep/plan.h"
#include "tests/cmocka_all.h"

#define HEAD "springbench: 1\nname: n\ndriver: blowup\n"

/* A session whose arena is that of all tests of this program; `diagnostics` NULL: nobody reads the messages. Its only
 * driver, blowup, has the columns blowup_time, blowup_predicted, step_s (a timing) and why (a word). */
const sb_session *session_with(const sb_vocabulary *vocabulary, sb_diagnostics *diagnostics);
sb_arena         *test_arena(void);
/* Frees it: the group's teardown. */
int end_sessions(void **state);

sb_sweep *sweep_of(const char *text);
sb_plan  *plan_of(const char *text, const sb_selection *request); /* request may be NULL */
