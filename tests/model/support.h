/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers of the tests of the model: option sets from text, poses, comparison that a NaN fails. */
#pragma once

#include "model/scene/scene.h"
#include "tests/cmocka_all.h"

/* Fails unless |a - b| <= tolerance; NaN fails. */
#define assert_within(a, b, tolerance) assert_true(sb_test_within((a), (b), (tolerance), #a, __FILE__, __LINE__))
bool sb_test_within(double a, double b, double tolerance, const char *what, const char *file, int line);

/* A set with the pairs "name=value name=value" from the user at file "case" line 3; scene defaults not applied. */
sb_options *sb_test_options(const char *pairs);
/* The same, resolved, and the scene built. Both must succeed. The caller clears and destroys. */
sb_options *sb_test_scene(const char *pairs, sb_pose *pose);
/* Random masses in [1/2, 3/2) and stiffnesses in k [1/2, 3/2). */
void sb_test_vary(sb_pose *pose, uint64_t seed);
/* Threads that this process has. */
int sb_test_threads(void);
/* Building the scene of these pairs ends with this first message, or well where it is NULL. */
void sb_test_built(const char *pairs, const char *message);
/* A cloth's option is refused when the user gives this pair; the message is returned (malloc'ed). */
char *sb_test_refusal(const char *pair);
