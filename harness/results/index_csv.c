/* results.csv: quoted as in RFC 4180, but lines end in LF, so that a command line cut out of it pastes into a shell;
 * numbers read back to the same bits. See results.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/csv.h"
#include "harness/common/durable.h"
#include "harness/results/index.h"

static void write_value(FILE *stream, sb_value value)
{
  char number[32];
  switch (value.kind) {
  case SB_NUMBER:
    fputs(isfinite(value.number) ? sb_format_real(value.number, number) : "", stream);
    break;
  case SB_WORD:
    sb_csv_put(stream, value.word);
    break;
  case SB_TRUTH:
    fputs(value.truth ? "true" : "false", stream);
    break;
  default:
    break;
  }
}

void sb_index_print_csv(const sb_rows *rows, FILE *stream)
{
  const size_t columns = sb_rows_column_count(rows);
  for (size_t c = 0; c < columns; ++c) {
    if (c > 0) fputc(',', stream);
    sb_csv_put(stream, sb_rows_column_at(rows, c)->name);
  }
  fputc('\n', stream);
  for (size_t r = 0; r < sb_rows_count(rows); ++r) {
    for (size_t c = 0; c < columns; ++c) {
      if (c > 0) fputc(',', stream);
      write_value(stream, sb_rows_get(rows, r, c));
    }
    fputc('\n', stream);
  }
}

static bool write_csv(const sb_results *results)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *stream = sb_text_stream(&text, &length);
  sb_index_print_csv(results->rows, stream);
  const bool complete = fclose(stream) == 0;
  const bool written = complete && sb_replace_file(results->directory, "results.csv", text, length);
  free(text);
  return written;
}

bool sb_results_write_index(const sb_results *results) { return write_csv(results) && sb_index_write_hdf5(results); }
