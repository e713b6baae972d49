/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmocka with what it needs before it, and lists of tests: a test is a function `void name(void)`. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Numbers that differ by no more; NaN differs. */
#define ASSERT_NEAR(a, b, tolerance)                                                                                   \
  do {                                                                                                                 \
    const double difference = (a) - (b);                                                                               \
    if (!(difference <= (tolerance) && -difference <= (tolerance)))                                                    \
      fail_msg(#a " = %.17g is not " #b " = %.17g", (double)(a), (double)(b));                                         \
  } while (0)

/* main of a file of tests: runs them in this order. */
#define TEST_MAIN(...)                                                                                                 \
  int main(void) { return RUN_TESTS(__VA_ARGS__); }
/* How many of these tests failed; with functions that run before the first and after the last one. */
#define RUN_TESTS(...) RUN_TESTS_WITHIN(NULL, NULL, __VA_ARGS__)
#define RUN_TESTS_WITHIN(begin, end, ...)                                                                              \
  run_test_list((char[]){#__VA_ARGS__}, (const test_function[]){__VA_ARGS__},                                          \
                sizeof((test_function[]){__VA_ARGS__}) / sizeof(test_function), begin, end)

typedef void (*test_function)(void);

static inline void call_test(void **state) { (*(const test_function *)*state)(); }

/* `names`: separated by commas, as in the source. */
static inline int run_test_list(char *names, const test_function *functions, size_t count, CMFixtureFunction begin,
                                CMFixtureFunction end)
{
  enum { TESTS_MAX = 64 };
  struct CMUnitTest tests[TESTS_MAX] = {{0}};
  if (count > TESTS_MAX) return -1;
  for (size_t i = 0; i < count; ++i)
    tests[i] = (struct CMUnitTest){.name = strtok_r(i == 0 ? names : NULL, ", ", &names),
                                   .test_func = call_test,
                                   .initial_state = (void *)&functions[i]};
  return _cmocka_run_group_tests("tests", tests, count, begin, end);
}
