/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every claim of every sweep, judged on parts of made-up results: whatever a part decides, the whole decides alike.
 *
 * The results of a sweep's whole plan are made up, in ways that let claims hold and fail: constants, powers of an axis,
 * numbers of all sizes, blanks, and cases that diverge or do not converge. Parts of them lack cases, as a filter, a
 * shard or a merge of one of two leaves them, or have cases that have not run, died, were skipped, or were timed
 * seldom. So what a part does not know is filled in at random, and its verdict must stand. */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cases/common/durable.h"
#include "harness/results/claims.h"
#include "tests/cmocka_all.h"
#include "tests/report/made_up.h"
#include "tests/report/world.h"
#include "tests/sample.h"

/* Only WHOLES_MIN sweeps of more than ROWS_FULL cases are tried: their claims are of the same kinds as those of small
 * ones. */
enum { WHOLES = SB_SAMPLES ? 12 : 24, WHOLES_MIN = SB_SAMPLES ? 2 : 3, ROWS_FULL = 30, PARTS = SB_SAMPLES ? 4 : 8 };

typedef struct {
  made_up     made;
  sb_results *whole;
} subject;

typedef struct {
  size_t tried, of[SB_VERDICT_KINDS];
} count;

static void compare(const subject *s, const sb_results *part, count *parts)
{
  const sb_verdict *whole = sb_results_verdicts(s->whole), *verdicts = sb_results_verdicts(part);
  for (size_t i = 0; i < s->made.sweep->claim_count; ++i) {
    parts->tried++;
    parts->of[verdicts[i].kind]++;
    if (verdicts[i].kind == SB_NOT_TESTED || verdicts[i].kind == whole[i].kind) continue;
    fail_msg("%s: %s: a part says %s (%s), the whole %s (%s)", s->made.sweep->name, s->made.sweep->claims[i].claim,
             sb_verdict_word(verdicts[i].kind), verdicts[i].told, sb_verdict_word(whole[i].kind), whole[i].told);
  }
}

static void try_sweep(const char *path, count *wholes, count *parts)
{
  subject s;
  made_up_begin(&s.made, path, SIZE_MAX);
  const size_t many = WHOLES * ROWS_FULL / (s.made.plan->count + 1), fewest = many < WHOLES_MIN ? WHOLES_MIN : many;
  for (size_t w = 0; w < (fewest < WHOLES ? fewest : WHOLES); ++w) {
    sb_arena *arena = sb_arena_create();
    s.whole = made_up_whole(&s.made, arena);
    for (size_t i = 0; i < s.made.sweep->claim_count; ++i) wholes->of[sb_results_verdicts(s.whole)[i].kind]++;
    for (int p = 0; p < PARTS; ++p) compare(&s, made_up_part(&s.made, s.whole, arena), parts);
    sb_arena_destroy(&arena);
  }
  assert_true(sb_session_end(&s.made.session, stderr));
}

static void a_part_decides_what_the_whole_decides(void)
{
  char  *folder = sb_data_directory("experiments");
  count  wholes = {0}, parts = {0};
  glob_t found;
  assert_int_equal(chdir(folder), 0); /* whatever signs stand in the way to it */
  assert_int_equal(glob("*/*.yaml", 0, NULL, &found), 0);
  for (size_t i = 0; i < found.gl_pathc; ++i) try_sweep(found.gl_pathv[i], &wholes, &parts);
  for (int kind = 0; kind < SB_VERDICT_KINDS; ++kind)
    print_message("%-24s %6zu wholes, %6zu parts\n", sb_verdict_word((sb_verdict_kind)kind), wholes.of[kind],
                  parts.of[kind]);
  assert_true(wholes.of[SB_REPRODUCED] > 100 && parts.of[SB_REPRODUCED] > 100 && parts.of[SB_NOT_REPRODUCED] > 100);
  globfree(&found);
  free(folder);
}

TEST_MAIN(a_part_decides_what_the_whole_decides)
