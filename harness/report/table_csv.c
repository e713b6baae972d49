/* A table as CSV (RFC 4180, with a plain line feed): numbers to all their digits, failures as words, nothing where
 * there is no case. One header line; of a pivot's columns it says quantity, axis and value. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/csv.h"
#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

static char *heading(const sb_table_layout *layout, size_t column)
{
  const sb_table_heading *h = &layout->headings[column];
  if (layout->axis_name && column >= layout->stub_count)
    return sb_format("%s at %s = %s", layout->quantity, layout->axis_name, h->name);
  return *h->unit ? sb_format("%s (%s)", h->name, h->unit) : sb_format("%s", h->name);
}

void sb_table_write_csv(const sb_table_layout *layout, FILE *stream)
{
  for (size_t c = 0; c < layout->column_count; ++c) {
    char *text = heading(layout, c);
    if (c > 0) fputc(',', stream);
    sb_csv_put(stream, text);
    free(text);
  }
  fputc('\n', stream);
  for (size_t r = 0; r < layout->row_count; ++r) {
    for (size_t c = 0; c < layout->column_count; ++c) {
      const sb_table_cell *cell = sb_table_cell_at(layout, r, c);
      char                 exact[SB_NUMBER_TEXT];
      if (c > 0) fputc(',', stream);
      sb_csv_put(stream, cell->kind == SB_CELL_NUMBER ? sb_text_exact(cell->number, exact) : cell->text);
    }
    fputc('\n', stream);
  }
}
