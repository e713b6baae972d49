/* Tables in HTML, from the grid of cells that the other forms are written from. A cell carries its number at full
 * precision for sorting, and leads to the case it comes from. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"
#include "harness/report/sweep_table.h"

static void put_with_unit(FILE *stream, const char *name, const char *unit)
{
  sb_html_put(stream, name);
  if (!*unit) return;
  fputs(" <span class=\"unit\">(", stream);
  sb_html_put(stream, unit);
  fputs(")</span>", stream);
}

static void put_heading(const sb_table *table, FILE *stream, size_t column)
{
  const sb_heading *h = &table->headings[column];
  const bool        pivot = table->axis_name && column >= table->stub_count;
  fprintf(stream, "<th scope=\"col\"%s>", h->numeric ? " class=\"number\"" : "");
  if (pivot) fputs("<span class=\"far\">", stream);
  if (pivot) sb_html_put(stream, table->axis_name);
  if (pivot) fputs(" = </span>", stream);
  put_with_unit(stream, h->name, h->unit);
  fputs("</th>", stream);
}

static void put_head(const sb_table *table, FILE *stream)
{
  fputs("<thead>\n", stream);
  if (table->quantity) {
    fputs("<tr class=\"span\">", stream);
    if (table->stub_count > 0) fprintf(stream, "<td colspan=\"%zu\"></td>", table->stub_count);
    fprintf(stream, "<th scope=\"colgroup\" colspan=\"%zu\">", table->column_count - table->stub_count);
    sb_html_put(stream, table->quantity);
    fputs(" by ", stream);
    sb_html_put(stream, table->axis);
    fputs("</th></tr>\n", stream);
  }
  fputs("<tr class=\"sorts\">", stream);
  for (size_t c = 0; c < table->column_count; ++c) put_heading(table, stream, c);
  fputs("</tr>\n</thead>\n", stream);
}

/* Cells lead to their cases. They are many: they stay out of the order of tabs, and the list of cases is in it. */
static void put_value(const sb_html_sweep *s, const sb_cell *cell)
{
  if (cell->source) {
    fputs("<a tabindex=\"-1\" href=\"#", s->stream);
    sb_html_sweep_id(s, "case", cell->source);
    fputs("\">", s->stream);
  }
  if (cell->marks & SB_MARK_BEST) fputs("<strong>", s->stream);
  sb_html_put(s->stream, cell->text);
  if (cell->marks & SB_MARK_BEST) fputs("</strong>", s->stream);
  if (cell->source) fputs("</a>", s->stream);
  if (cell->marks & SB_MARK_FAILED) fputs(" †", s->stream);
  if (cell->marks & SB_MARK_NOISY) fputs(" ‡", s->stream);
}

static void put_cell(const sb_html_sweep *s, const sb_table *table, size_t row, size_t column)
{
  const sb_cell *cell = sb_table_cell(table, row, column);
  const bool     stub = column < table->stub_count;
  char           exact[SB_NUMBER_TEXT];
  fputs(stub ? "<th scope=\"row\" class=\"stub" : "<td class=\"value", s->stream);
  if (!stub && cell->text && !cell->is_number) fputs(" word", s->stream);
  fputs(table->headings[column].numeric ? " number\"" : "\"", s->stream);
  if (cell->is_number) fprintf(s->stream, " data-v=\"%s\"", sb_text_exact(cell->number, exact));
  fputc('>', s->stream);
  if (!cell->text)
    fputs("<span class=\"none\">–</span>", s->stream);
  else if (stub)
    sb_html_put(s->stream, cell->text);
  else
    put_value(s, cell);
  fputs(stub ? "</th>" : "</td>", s->stream);
}

static void put_grid(const sb_html_sweep *s, const sb_table *table, const char *title)
{
  fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", s->stream);
  sb_html_put(s->stream, title);
  fputs("\">\n<table class=\"sortable\">\n", s->stream);
  put_head(table, s->stream);
  fputs("<tbody>\n", s->stream);
  for (size_t r = 0; r < table->row_count; ++r) {
    fputs("<tr>", s->stream);
    for (size_t c = 0; c < table->column_count; ++c) put_cell(s, table, r, c);
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

static void put_remarks(const sb_html_sweep *s, const sb_table *table)
{
  static const char *const leads[SB_MARK_KINDS] = {"Bold: ", "†: ", "‡: "};
  const unsigned           used = sb_table_marks(table);
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i)
    if (used & 1U << i) put_remark(s->stream, leads[i], table->means[i]);
  for (size_t i = 0; i < table->note_count; ++i) {
    const sb_table_note *note = &table->notes[i];
    if (note->place <= SB_NOTE_ABOVE || strcmp(note->lead, "Source:") == 0) continue;
    put_remark(s->stream, note->lead, *note->lead ? sb_arena_format(table->arena, " %s", note->text) : note->text);
  }
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
  const char     *title = spec->title ? spec->title : spec->id;
  sb_arena       *arena = sb_arena_create();
  sb_diagnostics *diagnostics = sb_diagnostics_create();
  const sb_table *table = sb_sweep_table(s->results, spec, arena, diagnostics);
  fputs("<section class=\"table\" id=\"", s->stream);
  sb_html_sweep_id(s, "table", spec->id);
  fprintf(s->stream, "\">\n<h%d>", s->level + 1);
  sb_html_put(s->stream, title);
  fprintf(s->stream, "</h%d>\n", s->level + 1);
  if (!table)
    put_remark(s->stream, "This table cannot be made: ", sb_diagnostics_first_error(diagnostics));
  else if (table->row_count == 0)
    put_remark(s->stream, "", table->empty);
  else
    put_grid(s, table, title);
  if (table) put_remarks(s, table);
  put_files(s, spec->id);
  fputs("</section>\n", s->stream);
  sb_diagnostics_destroy(&diagnostics);
  sb_arena_destroy(&arena);
}

void sb_html_tables(const sb_html_sweep *s)
{
  if (s->results->sweep->table_count == 0) return;
  sb_html_heading(s, "tables", "Tables");
  for (size_t i = 0; i < s->results->sweep->table_count; ++i) put_table(s, &s->results->sweep->tables[i]);
}
