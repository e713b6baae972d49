/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The expression language, parsed and evaluated over a few rows: a number that comes out is finite, what cannot be
 * evaluated has a message, and a claim is the same when asked again. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/describe/names.h"
#include "drivers/drivers.h"
#include "harness/sweep/expression.h"
#include "tests/fuzz/fuzz.h"

static sb_rows *make_rows(void)
{
  sb_rows     *rows = sb_rows_create(sb_arena_create());
  const size_t h = sb_rows_add_column(rows, "h", "s", true, false);
  const size_t t = sb_rows_add_column(rows, "blowup_time", "s", false, false);
  const size_t status = sb_rows_add_column(rows, "status", "", false, false);
  const size_t method = sb_rows_add_column(rows, "method", "", true, false);
  const size_t wall = sb_rows_add_column(rows, "wall_s", "s", false, true);
  for (size_t i = 0; i < 4; ++i) {
    const size_t row = sb_rows_add_row(rows);
    sb_rows_set(rows, row, h, (sb_value){.kind = SB_NUMBER, .number = 0.5 * (double)i});
    if (i > 0) sb_rows_set(rows, row, t, (sb_value){.kind = SB_NUMBER, .number = 10.0 / (double)i});
    sb_rows_set(rows, row, status, (sb_value){.kind = SB_WORD, .word = i > 1 ? "ok" : "diverged"});
    sb_rows_set(rows, row, method, (sb_value){.kind = SB_WORD, .word = i % 2 ? "newton" : "pd"});
    sb_rows_set(rows, row, wall, (sb_value){.kind = SB_NUMBER, .number = 1e-3 * (double)(i + 1)});
  }
  fuzz_write("known.csv", "h,blowup_time\n0.5,9.5\n1,5\n# a comment\n\"1.5\",x\n");
  return rows;
}

static void check_claim(const sb_expression *expression, const sb_scope *scope)
{
  sb_grounds      grounds = {0}, again = {0};
  sb_perhaps      truth = SB_NO, second = SB_NO;
  sb_diagnostics *why = sb_diagnostics_create();
  const bool      good = sb_expression_claim(expression, scope, &truth, &grounds, why);
  fuzz_require(good || sb_diagnostics_errors(why) > 0, "a claim that cannot be evaluated has a reason");
  fuzz_require(good == sb_expression_claim(expression, scope, &second, &again, why), "a claim can be repeated");
  sb_diagnostics_destroy(&why);
  fuzz_require(!good || (truth == second && strcmp(grounds.shown, again.shown) == 0), "and gives the same");
}

static void evaluate(const sb_expression *expression, const sb_rows *rows)
{
  static const sb_perhaps taken[] = {SB_YES, SB_NO, SB_PERHAPS, SB_YES};
  sb_scope                scope = {.rows = rows, .published_dir = fuzz_folder(), .arena = sb_arena_create()};
  for (size_t row = 0; row < sb_rows_count(rows); ++row) {
    sb_diagnostics *why = sb_diagnostics_create();
    sb_value        value = {.kind = SB_BLANK};
    if (sb_expression_value(expression, &scope, row, &value, why))
      fuzz_require(value.kind != SB_NUMBER || isfinite(value.number), "numbers are finite");
    else
      fuzz_require(sb_diagnostics_errors(why) > 0, "what cannot be evaluated has a reason");
    sb_diagnostics_destroy(&why);
  }
  check_claim(expression, &scope);
  scope.taken = taken;
  check_claim(expression, &scope);
  sb_arena_destroy(&scope.arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static sb_rows *rows;
  if (!rows) rows = make_rows();
  char           *text = fuzz_text(data, size);
  sb_arena       *arena = sb_arena_create();
  sb_diagnostics *silent = sb_diagnostics_create();
  sb_expression  *expression = sb_expression_parse(text, (sb_location){"fuzz", 1, 1}, false, arena, silent);
  fuzz_require((expression != NULL) == (sb_diagnostics_errors(silent) == 0), "a refusal has a message");
  fuzz_require_located(silent, "fuzz", data, size);
  if (expression) {
    fuzz_require(strcmp(sb_expression_text(expression), text) == 0, "its text is what was parsed");
    const sb_session session = {arena, sb_full_vocabulary(), silent, false};
    for (unsigned kind = 0; kind < 4; ++kind)
      sb_expression_check(expression, sb_check_create(&session, NULL, "convergence", kind & 1, arena), kind & 2,
                          silent);
    fuzz_require_located(silent, "fuzz", data, size);
    evaluate(expression, rows);
  }
  sb_arena_destroy(&arena);
  sb_diagnostics_destroy(&silent);
  free(text);
  return 0;
}
