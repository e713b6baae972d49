/* CSV files of single vertices and springs: numbers that come out are finite and have a line. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/number_table.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const sb_number_column columns[] = {
      {"first", true, true}, {"second", true, true}, {"stiffness", false, false}, {"rest_length", false, false}};
  enum { COLUMNS = sizeof columns / sizeof *columns };
  char            path[64];
  sb_number_table table = {0};
  sb_diagnostics *silent = sb_diagnostics_create();
  snprintf(path, sizeof path, "/tmp/fuzz-table-%ld.csv", (long)getpid());
  FILE *file = fopen(path, "wb");
  if (!file) abort();
  if (size > 0 && fwrite(data, 1, size, file) != size) abort();
  if (fclose(file) != 0) abort();
  if (sb_number_table_read(path, columns, COLUMNS, (sb_location){0}, silent, &table)) {
    for (size_t i = 0; i < table.rows * table.columns; ++i)
      fuzz_require(isfinite(table.value[i]), "numbers are finite");
    for (size_t i = 0; i < table.rows; ++i) fuzz_require(table.line[i] > 0, "rows have lines");
  } else {
    fuzz_require(sb_diagnostics_errors(silent) > 0, "a refusal has a message");
  }
  sb_number_table_clear(&table);
  sb_diagnostics_destroy(&silent);
  unlink(path);
  return 0;
}
