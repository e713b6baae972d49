/* The expression language, parsed and evaluated over a few rows: a number that comes out is finite. */
#include <math.h>
#include <stdlib.h>

#include "harness/expression.h"
#include "tests/fuzz/fuzz.h"

static sb_rows *make_rows(void)
{
  sb_rows     *rows = sb_rows_create();
  const size_t h = sb_rows_add_column(rows, "h", "s", true, false);
  const size_t t = sb_rows_add_column(rows, "blowup_time", "s", false, false);
  const size_t status = sb_rows_add_column(rows, "status", "", false, false);
  for (size_t i = 0; i < 4; ++i) {
    const size_t row = sb_rows_add_row(rows);
    sb_rows_set(rows, row, h, (sb_value){.kind = SB_NUMBER, .number = 0.5 * (double)i});
    if (i > 0) sb_rows_set(rows, row, t, (sb_value){.kind = SB_NUMBER, .number = 10.0 / (double)i});
    sb_rows_set(rows, row, status, (sb_value){.kind = SB_WORD, .word = i > 1 ? "ok" : "diverged"});
  }
  return rows;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char           *text = fuzz_text(data, size), error[256] = "";
  sb_diagnostics *silent = sb_diagnostics_create();
  sb_expression  *expression = sb_expression_parse(text, (sb_location){"fuzz", 1, 1}, silent);
  if (expression) {
    sb_rows       *rows = make_rows();
    const sb_scope scope = {.rows = rows, .published_dir = "."};
    sb_grounds     grounds;
    bool           truth = false;
    for (size_t row = 0; row < sb_rows_count(rows); ++row) {
      sb_value value;
      if (sb_expression_in_row(expression, &scope, row, &value, error))
        fuzz_require(value.kind != SB_NUMBER || isfinite(value.number), "numbers are finite");
    }
    (void)sb_expression_claim(expression, &scope, &truth, &grounds, error);
    sb_rows_destroy(&rows);
  }
  sb_expression_destroy(&expression);
  sb_diagnostics_destroy(&silent);
  free(text);
  return 0;
}
