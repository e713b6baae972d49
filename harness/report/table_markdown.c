/* A table in GitHub's Markdown. */
#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

static void put_paragraph(FILE *stream, const char *mark, const char *prefix, const char *text)
{
  if (!text || !*text) return;
  fputs(mark, stream);
  fputs(prefix, stream);
  sb_text_put_markdown(stream, text);
  fprintf(stream, "%s\n\n", mark);
}

static void put_heading(const sb_table_layout *layout, FILE *stream, size_t column)
{
  const sb_table_heading *h = &layout->headings[column];
  if (layout->axis_name && column >= layout->stub_count) {
    sb_text_put_markdown(stream, layout->axis_name);
    fputs(" = ", stream);
  }
  sb_text_put_markdown(stream, h->name);
  if (!*h->unit) return;
  fputs(" (", stream);
  sb_text_put_markdown(stream, h->unit);
  fputc(')', stream);
}

static void put_cell(const sb_table_layout *layout, FILE *stream, size_t row, size_t column)
{
  const sb_table_cell *cell = sb_table_cell_at(layout, row, column);
  const char          *mark = cell->bold ? "**" : "";
  fputs(mark, stream);
  if (cell->kind == SB_CELL_NO_CASE)
    fputs("–", stream);
  else
    sb_text_put_markdown(stream, cell->text);
  fputs(mark, stream);
  if (cell->marked) fputs(" †", stream);
  if (cell->noisy) fputs(" ‡", stream);
}

static void put_rows(const sb_table_layout *layout, FILE *stream)
{
  for (size_t c = 0; c < layout->column_count; ++c) {
    fputs(c > 0 ? " | " : "| ", stream);
    put_heading(layout, stream, c);
  }
  fputs(" |\n", stream);
  for (size_t c = 0; c < layout->column_count; ++c) fputs(layout->headings[c].numeric ? "|---:" : "|:---", stream);
  fputs("|\n", stream);
  for (size_t r = 0; r < layout->row_count; ++r) {
    for (size_t c = 0; c < layout->column_count; ++c) {
      fputs(c > 0 ? " | " : "| ", stream);
      put_cell(layout, stream, r, c);
    }
    fputs(" |\n", stream);
  }
  fputc('\n', stream);
}

void sb_table_write_markdown(const sb_table_layout *layout, FILE *stream)
{
  put_paragraph(stream, "**", "", layout->title);
  put_paragraph(stream, "", "", layout->question);
  put_paragraph(stream, "", "Cells: ", layout->quantity);
  if (layout->row_count > 0)
    put_rows(layout, stream);
  else
    fprintf(stream, "%s\n\n", layout->empty);
  if (layout->bold) fprintf(stream, "Bold: %s.\n\n", layout->bold_means);
  if (layout->marked) put_paragraph(stream, "", "", "†: of a case that did not end ok.");
  if (layout->noisy)
    put_paragraph(stream, "", "", "‡: timed while the machine was noisy: see the column noisy of the index.");
  put_paragraph(stream, "", "n/a: ", layout->trouble);
  put_paragraph(stream, "", "", layout->intervals);
  put_paragraph(stream, "", "Times: ", layout->floor);
  put_paragraph(stream, "", "Constant: ", layout->constants);
  put_paragraph(stream, "", "Source: ", layout->source);
  put_paragraph(stream, "", "", layout->note);
}
