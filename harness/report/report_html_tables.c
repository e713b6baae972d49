/* Tables in HTML, from the grid of cells that the other forms are written from. A cell carries its number at full
 * precision for sorting, and leads to the case it comes from. */
#include <stdlib.h>

#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

static void put_with_unit(FILE *stream, const char *name, const char *unit)
{
  sb_html_put(stream, name);
  if (!*unit) return;
  fputs(" <span class=\"unit\">(", stream);
  sb_html_put(stream, unit);
  fputs(")</span>", stream);
}

static void put_heading(const sb_table_layout *layout, FILE *stream, size_t column)
{
  const sb_table_heading *h = &layout->headings[column];
  const bool              pivot = layout->axis_name && column >= layout->stub_count;
  fprintf(stream, "<th scope=\"col\"%s>", h->numeric ? " class=\"number\"" : "");
  if (pivot) fputs("<span class=\"far\">", stream);
  if (pivot) sb_html_put(stream, layout->axis_name);
  if (pivot) fputs(" = </span>", stream);
  put_with_unit(stream, h->name, h->unit);
  fputs("</th>", stream);
}

static void put_head(const sb_table_layout *layout, FILE *stream)
{
  fputs("<thead>\n", stream);
  if (layout->quantity) {
    fputs("<tr class=\"span\">", stream);
    if (layout->stub_count > 0) fprintf(stream, "<td colspan=\"%zu\"></td>", layout->stub_count);
    fprintf(stream, "<th scope=\"colgroup\" colspan=\"%zu\">", layout->column_count - layout->stub_count);
    sb_html_put(stream, layout->quantity);
    fputs(" by ", stream);
    sb_html_put(stream, layout->axis);
    fputs("</th></tr>\n", stream);
  }
  fputs("<tr class=\"sorts\">", stream);
  for (size_t c = 0; c < layout->column_count; ++c) put_heading(layout, stream, c);
  fputs("</tr>\n</thead>\n", stream);
}

/* Opens the link to the case of a value, where it has one. Cells are many: they stay out of the order of tabs, and the
 * list of cases is in it. */
static bool begin_link(const sb_html_sweep *s, const sb_table_cell *cell)
{
  const sb_value key = sb_rows_get_named(s->results->rows, cell->row, "key");
  if (key.kind != SB_WORD) return false;
  fputs("<a tabindex=\"-1\" href=\"#", s->stream);
  sb_html_sweep_id(s, "case", key.word);
  fputs("\">", s->stream);
  return true;
}

/* Why, where the pointer rests. */
static void put_noise(const sb_html_sweep *s, const sb_table_cell *cell)
{
  const sb_value why = sb_rows_get_named(s->results->rows, cell->row, "noisy");
  fputs(" <abbr title=\"", s->stream);
  sb_html_put(s->stream, why.kind == SB_WORD ? why.word : "");
  fputs("\">‡</abbr>", s->stream);
}

static void put_value(const sb_html_sweep *s, const sb_table_cell *cell)
{
  const bool linked = begin_link(s, cell);
  if (cell->bold) fputs("<strong>", s->stream);
  sb_html_put(s->stream, cell->text);
  if (cell->bold) fputs("</strong>", s->stream);
  if (linked) fputs("</a>", s->stream);
  if (cell->marked) fputs(" <abbr title=\"of a case that did not end ok\">†</abbr>", s->stream);
  if (cell->noisy) put_noise(s, cell);
}

static void put_cell(const sb_html_sweep *s, const sb_table_layout *layout, size_t row, size_t column)
{
  const sb_table_cell *cell = sb_table_cell_at(layout, row, column);
  const bool           stub = column < layout->stub_count;
  char                 buffer[32];
  fputs(stub ? "<th scope=\"row\" class=\"stub" : "<td class=\"value", s->stream);
  if (!stub && cell->kind == SB_CELL_WORD) fputs(" word", s->stream);
  fputs(layout->headings[column].numeric ? " number\"" : "\"", s->stream);
  if (cell->kind == SB_CELL_NUMBER) fprintf(s->stream, " data-v=\"%s\"", sb_format_real(cell->number, buffer));
  fputc('>', s->stream);
  if (cell->kind == SB_CELL_NO_CASE)
    fputs("<span class=\"none\">–</span>", s->stream);
  else if (stub)
    sb_html_put(s->stream, cell->text);
  else
    put_value(s, cell);
  fputs(stub ? "</th>" : "</td>", s->stream);
}

static void put_grid(const sb_html_sweep *s, const sb_table_layout *layout, const char *title)
{
  fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", s->stream);
  sb_html_put(s->stream, title);
  fputs("\">\n<table class=\"sortable\">\n", s->stream);
  put_head(layout, s->stream);
  fputs("<tbody>\n", s->stream);
  for (size_t r = 0; r < layout->row_count; ++r) {
    fputs("<tr>", s->stream);
    for (size_t c = 0; c < layout->column_count; ++c) put_cell(s, layout, r, c);
    fputs("</tr>\n", s->stream);
  }
  fputs("</tbody>\n</table>\n</div>\n", s->stream);
}

static void put_remark(FILE *stream, const char *prefix, const char *text)
{
  if (!text || !*text) return;
  fprintf(stream, "<p class=\"remark\">%s", prefix);
  sb_html_put(stream, text);
  fputs("</p>\n", stream);
}

static void put_remarks(const sb_html_sweep *s, const sb_table_layout *layout)
{
  put_remark(s->stream, "", layout->note);
  if (layout->bold) put_remark(s->stream, "Bold: ", layout->bold_means);
  if (layout->marked) put_remark(s->stream, "", "†: of a case that did not end ok.");
  if (layout->noisy)
    put_remark(s->stream, "", "‡: timed while the machine was noisy; why: the column noisy of the index.");
  put_remark(s->stream, "n/a: ", layout->trouble);
  put_remark(s->stream, "", layout->intervals);
  put_remark(s->stream, "Times: ", layout->floor);
  put_remark(s->stream, "Constant: ", layout->constants);
}

static void put_files(const sb_html_sweep *s, const char *id)
{
  static const char *const forms[] = {"csv", "md", "tex", "txt"};
  fputs("<p class=\"files\">", s->stream);
  for (size_t i = 0; i < sizeof forms / sizeof *forms; ++i) {
    char *name = sb_format("tables/%s.%s", id, forms[i]);
    sb_html_file_link(s, name, forms[i]);
    free(name);
  }
  fputs("</p>\n", s->stream);
}

static void put_table(const sb_html_sweep *s, const sb_table_spec *spec)
{
  char             error[SB_ERROR_SIZE] = "";
  const char      *title = spec->title ? spec->title : spec->id;
  sb_table_layout *layout = sb_table_layout_create(s->results, spec, SB_TABLE_WORDS, error);
  fputs("<section class=\"table\" id=\"", s->stream);
  sb_html_sweep_id(s, "table", spec->id);
  fprintf(s->stream, "\">\n<h%d>", s->level + 1);
  sb_html_put(s->stream, title);
  fprintf(s->stream, "</h%d>\n", s->level + 1);
  if (!layout)
    put_remark(s->stream, "This table cannot be made: ", error);
  else if (layout->row_count == 0)
    put_remark(s->stream, "", layout->empty);
  else
    put_grid(s, layout, title);
  if (layout) put_remarks(s, layout);
  put_files(s, spec->id);
  fputs("</section>\n", s->stream);
  sb_table_layout_destroy(&layout);
}

void sb_html_tables(const sb_html_sweep *s)
{
  if (s->results->sweep->table_count == 0) return;
  sb_html_heading(s, "tables", "Tables");
  for (size_t i = 0; i < s->results->sweep->table_count; ++i) put_table(s, &s->results->sweep->tables[i]);
}
