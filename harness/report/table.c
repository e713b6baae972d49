/* The grid, and its forms for terminals, for GitHub's Markdown, for programs (CSV by RFC 4180 with plain line feeds)
 * and for LaTeX with booktabs; see table.h. */
#include "harness/report/table.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/common/csv.h"
#include "harness/report/latex.h"

sb_table *sb_table_create(sb_arena *arena)
{
  sb_table *table = sb_arena_take(arena, 1, sizeof *table);
  table->arena = arena;
  return table;
}

void sb_table_add_column(sb_table *t, const char *name, const char *unit, bool numeric)
{
  t->headings = sb_arena_grow(t->arena, t->headings, t->column_count, sizeof *t->headings);
  t->headings[t->column_count++] = (sb_heading){
      .name = sb_arena_copy(t->arena, name), .unit = sb_arena_copy(t->arena, unit ? unit : ""), .numeric = numeric};
}

void sb_table_add_row(sb_table *t)
{
  t->rows = sb_arena_grow(t->arena, t->rows, t->row_count, sizeof *t->rows);
  t->rows[t->row_count++] = (sb_table_line){.cells = sb_arena_take(t->arena, t->column_count, sizeof(sb_cell))};
  t->filled = 0;
}

sb_cell *sb_table_cell(const sb_table *t, size_t row, size_t column) { return &t->rows[row].cells[column]; }

sb_cell *sb_table_put(sb_table *t, const char *text)
{
  sb_cell *cell = sb_table_cell(t, t->row_count - 1, t->filled++);
  cell->text = sb_arena_copy(t->arena, text);
  return cell;
}

sb_cell *sb_table_put_format(sb_table *t, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  sb_cell *cell = sb_table_cell(t, t->row_count - 1, t->filled++);
  cell->text = sb_arena_format_list(t->arena, format, arguments);
  va_end(arguments);
  return cell;
}

sb_cell *sb_table_put_number(sb_table *t, double number, int digits)
{
  char     text[SB_NUMBER_TEXT];
  sb_cell *cell = sb_table_put(t, isnan(number) ? NULL : sb_text_rounded(number, digits, text));
  cell->is_number = cell->text != NULL;
  cell->number = number;
  return cell;
}

void sb_table_add_note(sb_table *t, sb_note_place place, const char *lead, const char *text)
{
  if (!text || !*text) return;
  t->notes = sb_arena_grow(t->arena, t->notes, t->note_count, sizeof *t->notes);
  t->notes[t->note_count++] = (sb_table_note){place, sb_arena_copy(t->arena, lead), sb_arena_copy(t->arena, text)};
}

unsigned sb_table_marks(const sb_table *t)
{
  unsigned used = 0;
  for (size_t r = 0; r < t->row_count; ++r)
    for (size_t c = t->stub_count; c < t->column_count; ++c) used |= sb_table_cell(t, r, c)->marks;
  return used;
}

static bool is_headed(const sb_table *t)
{
  for (size_t c = 0; c < t->column_count; ++c)
    if (*t->headings[c].name) return true;
  return false;
}

static const char *empty_words(const sb_table *t) { return t->empty ? t->empty : "none"; }

/* Text: columns aligned, rules below the headings and the last row. Blanks are owed until something stands behind them,
 * so that no line ends in one. */
typedef struct {
  FILE  *stream;
  size_t owed;
} text_line;

static void put_text(text_line *line, char *text)
{
  size_t length = strlen(text), blanks = 0;
  while (length > 0 && text[length - 1] == ' ') blanks++, text[--length] = '\0';
  if (length > 0) fprintf(line->stream, "%*s", (int)line->owed, "");
  sb_text_put_plain(line->stream, text);
  line->owed = blanks + (length > 0 ? 0 : line->owed);
}

static void put_rule(FILE *stream, size_t indent, size_t width)
{
  fprintf(stream, "%*s", (int)indent, "");
  for (size_t i = 0; i < width; ++i) fputc('-', stream);
  fputc('\n', stream);
}

/* A cell with its marks, each mark in use having its place behind the numbers of every row. */
static char *text_of_cell(const sb_table *t, size_t row, size_t column, unsigned used)
{
  static const char    signs[] = "*!~";
  char                 marks[SB_MARK_KINDS + 1] = "", *end = marks;
  const sb_cell *const cell = sb_table_cell(t, row, column);
  for (unsigned i = 0; i < SB_MARK_KINDS && column >= t->stub_count; ++i)
    if (used & 1U << i) *end++ = cell->marks & 1U << i ? signs[i] : ' ';
  return sb_arena_format(t->arena, "%s%s", cell->text ? cell->text : "-", marks);
}

static char *text_of_heading(const sb_table *t, size_t column, unsigned used)
{
  const sb_heading *h = &t->headings[column];
  int               blanks = 0;
  for (unsigned i = 0; i < SB_MARK_KINDS && h->numeric && column >= t->stub_count; ++i) blanks += (used & 1U << i) != 0;
  return sb_arena_format(t->arena, "%s%s%s%s%*s", h->name, *h->unit ? " (" : "", h->unit, *h->unit ? ")" : "", blanks,
                         "");
}

static void put_text_line(const sb_table *t, char **cells, const size_t *widths, FILE *stream)
{
  text_line line = {stream, (size_t)t->indent};
  int       column = t->indent;
  for (size_t c = 0; c < t->column_count; ++c) {
    const size_t width = sb_text_width(cells[c]), blanks = widths[c] > width ? widths[c] - width : 0;
    const bool   right = t->headings[c].numeric;
    if (t->wrap && c + 1 == t->column_count && *cells[c]) {
      fprintf(stream, "%*s", (int)line.owed, "");
      sb_text_put_wrapped(stream, cells[c], column, column);
      break;
    }
    line.owed += right ? blanks : 0;
    put_text(&line, cells[c]);
    line.owed += (right ? 0 : blanks) + 2;
    column += (int)(width + blanks) + 2;
  }
  fputc('\n', stream);
}

static size_t sum_of(const size_t *widths, size_t from, size_t to)
{
  size_t total = 0;
  for (size_t i = from; i < to; ++i) total += widths[i] + (i > from ? 2 : 0);
  return total;
}

static void print_text_grid(const sb_table *t, unsigned used, FILE *stream)
{
  const size_t columns = t->column_count, indent = (size_t)t->indent;
  const bool   headed = is_headed(t);
  char       **cells = sb_arena_take(t->arena, (t->row_count + 1) * columns, sizeof *cells);
  size_t      *widths = sb_arena_take(t->arena, columns, sizeof *widths);
  for (size_t c = 0; c < columns; ++c) {
    cells[c] = text_of_heading(t, c, used);
    widths[c] = headed ? sb_text_width(cells[c]) : 0;
    for (size_t r = 0; r < t->row_count; ++r) {
      char *cell = cells[(r + 1) * columns + c] = text_of_cell(t, r, c, used);
      if (sb_text_width(cell) > widths[c]) widths[c] = sb_text_width(cell);
    }
  }
  const size_t stubs = sum_of(widths, 0, t->stub_count) + (t->stub_count > 0 ? 2 : 0),
               width = sum_of(widths, 0, columns);
  if (t->quantity) {
    fprintf(stream, "%*s%s by %s\n", (int)(indent + stubs), "", t->quantity, t->axis);
    put_rule(stream, indent + stubs, width - stubs);
  }
  if (headed) put_text_line(t, cells, widths, stream);
  if (headed) put_rule(stream, indent, t->wrap && width > SB_LINE_WIDTH ? SB_LINE_WIDTH - indent : width);
  for (size_t r = 0; r < t->row_count; ++r) put_text_line(t, cells + (r + 1) * columns, widths, stream);
  if (headed) put_rule(stream, indent, t->wrap && width > SB_LINE_WIDTH ? SB_LINE_WIDTH - indent : width);
}

static void print_text_notes(const sb_table *t, bool above, FILE *stream)
{
  for (size_t i = 0; i < t->note_count; ++i) {
    const sb_table_note *note = &t->notes[i];
    if (above != (note->place <= SB_NOTE_ABOVE)) continue;
    sb_text_put_wrapped(stream, sb_arena_format(t->arena, "%s%s%s", note->lead, *note->lead ? " " : "", note->text), 2,
                        0);
    fputc('\n', stream);
  }
}

static void print_text(const sb_table *t, FILE *stream)
{
  static const char signs[] = "*!~";
  const unsigned    used = sb_table_marks(t);
  print_text_notes(t, true, stream);
  if (t->note_count > 0 && t->notes[0].place <= SB_NOTE_ABOVE) fputc('\n', stream);
  if (t->row_count > 0)
    print_text_grid(t, used, stream);
  else
    fprintf(stream, "%*s%s\n", t->indent, "", empty_words(t));
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i)
    if (used & 1U << i && t->means[i]) fprintf(stream, "%c %s\n", signs[i], t->means[i]);
  print_text_notes(t, false, stream);
}

static void put_markdown_heading(const sb_table *t, size_t column, FILE *stream)
{
  const sb_heading *h = &t->headings[column];
  if (t->axis_name && column >= t->stub_count) {
    sb_text_put_markdown(stream, t->axis_name);
    fputs(" = ", stream);
  }
  sb_text_put_markdown(stream, h->name);
  if (!*h->unit) return;
  fputs(" (", stream);
  sb_text_put_markdown(stream, h->unit);
  fputc(')', stream);
}

static void put_markdown_cell(const sb_cell *cell, bool stub, FILE *stream)
{
  const unsigned marks = stub ? 0 : cell->marks;
  const char    *bold = marks & SB_MARK_BEST ? "**" : "";
  fputs(bold, stream);
  if (cell->markdown)
    fputs(cell->markdown, stream);
  else
    sb_text_put_markdown(stream, cell->text ? cell->text : "–");
  fputs(bold, stream);
  if (marks & SB_MARK_FAILED) fputs(" †", stream);
  if (marks & SB_MARK_NOISY) fputs(" ‡", stream);
}

static void print_markdown_grid(const sb_table *t, FILE *stream)
{
  for (size_t c = 0; c < t->column_count; ++c) {
    fputs(c > 0 ? " | " : "| ", stream);
    put_markdown_heading(t, c, stream);
  }
  fputs(" |\n", stream);
  for (size_t c = 0; c < t->column_count; ++c) fputs(t->headings[c].numeric ? "|---:" : "|:---", stream);
  fputs("|\n", stream);
  for (size_t r = 0; r < t->row_count; ++r) {
    for (size_t c = 0; c < t->column_count; ++c) {
      fputs(c > 0 ? " | " : "| ", stream);
      put_markdown_cell(sb_table_cell(t, r, c), c < t->stub_count, stream);
    }
    fputs(" |\n", stream);
  }
  fputc('\n', stream);
}

static void put_markdown_note(const sb_table_note *note, FILE *stream)
{
  const char *mark = note->place == SB_NOTE_TITLE ? "**" : "";
  fprintf(stream, "%s%s%s", mark, note->lead, *note->lead ? " " : "");
  sb_text_put_markdown(stream, note->text);
  fprintf(stream, "%s\n\n", mark);
}

static void print_markdown(const sb_table *t, FILE *stream)
{
  static const char *const signs[SB_MARK_KINDS] = {"Bold", "†", "‡"};
  const unsigned           used = sb_table_marks(t);
  for (size_t i = 0; i < t->note_count; ++i)
    if (t->notes[i].place <= SB_NOTE_ABOVE) put_markdown_note(&t->notes[i], stream);
  if (t->quantity) put_markdown_note(&(sb_table_note){SB_NOTE_ABOVE, "Cells:", t->quantity}, stream);
  if (t->row_count > 0)
    print_markdown_grid(t, stream);
  else
    fprintf(stream, "%s\n\n", empty_words(t));
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i) {
    if (!(used & 1U << i) || !t->means[i]) continue;
    fprintf(stream, "%s: ", signs[i]);
    sb_text_put_markdown(stream, t->means[i]);
    fputs(t->means[i][strlen(t->means[i]) - 1] == '.' ? "\n\n" : ".\n\n", stream);
  }
  for (size_t i = 0; i < t->note_count; ++i)
    if (t->notes[i].place > SB_NOTE_ABOVE) put_markdown_note(&t->notes[i], stream);
}

static void print_csv(const sb_table *t, FILE *stream)
{
  char exact[SB_NUMBER_TEXT];
  for (size_t c = 0; c < t->column_count; ++c) {
    const sb_heading *h = &t->headings[c];
    if (c > 0) fputc(',', stream);
    sb_csv_put(stream, h->csv ? h->csv : *h->unit ? sb_arena_format(t->arena, "%s (%s)", h->name, h->unit) : h->name);
  }
  fputc('\n', stream);
  for (size_t r = 0; r < t->row_count; ++r) {
    for (size_t c = 0; c < t->column_count; ++c) {
      const sb_cell *cell = sb_table_cell(t, r, c);
      if (c > 0) fputc(',', stream);
      sb_csv_put(stream, cell->csv ? cell->csv : cell->is_number ? sb_text_exact(cell->number, exact) : cell->text);
    }
    fputc('\n', stream);
  }
}

/* LaTeX: a table for \input, with its caption; behind every line stands its comment. It needs booktabs and graphicx
 * (inputenc's UTF-8 is the default since 2018); TeX itself makes a table smaller that is wider than a line. */

/* m/s^2 -> m/s$^{2}$ */
static void put_latex_prose(FILE *stream, const sb_table *t, const char *text)
{
  for (const char *power; (power = strchr(text, '^')) && strspn(power + 1, "-0123456789") > 0;) {
    const size_t digits = strspn(power + 1, "-0123456789");
    sb_text_put_latex(stream, sb_arena_copy_span(t->arena, text, (size_t)(power - text)));
    fprintf(stream, "$^{%.*s}$", (int)digits, power + 1);
    text = power + 1 + digits;
  }
  sb_text_put_latex(stream, text);
}

/* -1.2e-7 ± 3 % -> $-1.2\times10^{-7}$ $\pm$ 3 \% */
static void put_latex_cell(FILE *stream, const sb_cell *cell, unsigned marks)
{
  const char *text = cell->text ? cell->text : "–", *e = strchr(text, 'e');
  char       *end = NULL;
  if (marks & SB_MARK_BEST) fputs("\\textbf{\\boldmath ", stream);
  if (cell->is_number && isfinite(strtod(text, &end)) && (e || *text == '-')) {
    fprintf(stream, "$%.*s", (int)((e ? e : end) - text), text);
    if (e && atoi(e + 1) != 0) fprintf(stream, "\\times10^{%d}", atoi(e + 1));
    fputc('$', stream);
    text = end;
  }
  sb_text_put_latex(stream, text);
  if (marks & SB_MARK_BEST) fputc('}', stream);
  if (marks & SB_MARK_FAILED) fputs("$^\\dagger$", stream);
  if (marks & SB_MARK_NOISY) fputs("$^\\ddagger$", stream);
}

/* "Lead text. ", or with the stop that the text has. */
static void put_latex_sentence(FILE *stream, const sb_table *t, const char *lead, const char *text)
{
  fprintf(stream, "%s%s", lead, *lead ? " " : "");
  put_latex_prose(stream, t, text);
  fputs(strchr(".?!", text[strlen(text) - 1]) ? " " : ". ", stream);
}

/* A sentence begins with a capital; a symbol such as h = … stays one. */
static const char *capitalised(const sb_table *t, const char *text)
{
  char *copy = sb_arena_copy(t->arena, text);
  if (islower((unsigned char)copy[0]) && islower((unsigned char)copy[1]))
    copy[0] = (char)toupper((unsigned char)copy[0]);
  return copy;
}

static void put_latex_caption(const sb_table *t, FILE *stream)
{
  static const char *const leads[SB_MARK_KINDS] = {"Bold:", "$\\dagger$:", "$\\ddagger$:"};
  const unsigned           used = sb_table_marks(t);
  sb_arena_writer          writer;
  FILE                    *sentences = sb_arena_write(&writer, t->arena);
  for (size_t i = 0; i < t->note_count; ++i)
    if (t->notes[i].place <= SB_NOTE_ABOVE)
      put_latex_sentence(sentences, t, t->notes[i].lead, capitalised(t, t->notes[i].text));
  for (size_t i = 0; i < t->note_count; ++i)
    if (t->notes[i].place == SB_NOTE_BELOW) put_latex_sentence(sentences, t, t->notes[i].lead, t->notes[i].text);
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i)
    if (used & 1U << i && t->means[i]) put_latex_sentence(sentences, t, leads[i], t->means[i]);
  char  *text = sb_arena_text(&writer);
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') --length;
  fprintf(stream, "\\caption{%.*s}\n", (int)length, text);
  if (t->id) fprintf(stream, "\\label{tab:%s}\n", t->id);
}

static void put_latex_head(const sb_table *t, FILE *stream)
{
  if (t->quantity && t->column_count > t->stub_count) {
    for (size_t i = 0; i < t->stub_count; ++i) fputs("& ", stream);
    fprintf(stream, "\\multicolumn{%zu}{c}{", t->column_count - t->stub_count);
    put_latex_prose(stream, t, t->quantity);
    fputs(" by ", stream);
    put_latex_prose(stream, t, t->axis);
    fprintf(stream, "} \\\\\n\\cmidrule(l){%zu-%zu}\n", t->stub_count + 1, t->column_count);
  }
  for (size_t c = 0; c < t->column_count; ++c) {
    const sb_heading *h = &t->headings[c];
    fputs(c > 0 ? " & " : "", stream);
    sb_text_put_latex(stream, h->name);
    if (!*h->unit) continue;
    fputs(" (", stream);
    put_latex_prose(stream, t, h->unit);
    fputc(')', stream);
  }
  fputs(" \\\\\n\\midrule\n", stream);
}

/* Tells whether the stubs of `row` up to and with `stub` are those of the line above: said once is enough. */
static bool repeats(const sb_table *t, size_t row, size_t stub)
{
  if (row == 0 || stub + 1 >= t->stub_count) return false;
  for (size_t s = 0; s <= stub; ++s) {
    const char *here = sb_table_cell(t, row, s)->text, *above = sb_table_cell(t, row - 1, s)->text;
    if (strcmp(here ? here : "", above ? above : "") != 0) return false;
  }
  return true;
}

static void put_latex_rows(const sb_table *t, FILE *stream)
{
  bool grouped = false;
  for (size_t r = 1; r < t->row_count; ++r) grouped = grouped || repeats(t, r, 0);
  for (size_t r = 0; r < t->row_count; ++r) {
    const sb_table_line *row = &t->rows[r];
    if (r > 0 && grouped && !repeats(t, r, 0)) fputs("\\addlinespace\n", stream);
    for (size_t c = 0; c < t->column_count; ++c) {
      fputs(c > 0 ? " & " : "", stream);
      if (!repeats(t, r, c)) put_latex_cell(stream, &row->cells[c], c < t->stub_count ? 0 : row->cells[c].marks);
    }
    fprintf(stream, " \\\\%s%s\n", row->comment ? " % " : "", row->comment ? row->comment : "");
  }
}

static void print_latex(const sb_table *t, FILE *stream)
{
  const size_t columns = t->column_count > 0 ? t->column_count : 1;
  fputs("% needs \\usepackage{booktabs,graphicx}\n", stream);
  for (size_t i = 0; i < t->note_count; ++i) {
    const sb_table_note *note = &t->notes[i];
    if (note->place != SB_NOTE_ASIDE) continue;
    fprintf(stream, "%% %s%s", note->lead, *note->lead ? " " : "");
    sb_text_put_plain(stream, note->text);
    fputc('\n', stream);
  }
  fputs("\\begin{table}\n\\centering\n", stream);
  put_latex_caption(t, stream);
  fputs("\\medskip\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n\\begin{tabular}{@{}",
        stream);
  for (size_t c = 0; c < columns; ++c) fputc(t->column_count > 0 && t->headings[c].numeric ? 'r' : 'l', stream);
  fputs("@{}}\n\\toprule\n", stream);
  if (t->column_count > 0) put_latex_head(t, stream);
  put_latex_rows(t, stream);
  if (t->row_count == 0) fprintf(stream, "\\multicolumn{%zu}{@{}l}{%s} \\\\\n", columns, t->empty ? t->empty : "none");
  fputs("\\bottomrule\n\\end{tabular}}\n\\end{table}\n", stream);
}

void sb_table_print(const sb_table *t, sb_table_form form, FILE *stream)
{
  switch (form) {
  case SB_TABLE_TEXT:
    print_text(t, stream);
    break;
  case SB_TABLE_MARKDOWN:
    print_markdown(t, stream);
    break;
  case SB_TABLE_CSV:
    print_csv(t, stream);
    break;
  case SB_TABLE_LATEX:
    print_latex(t, stream);
    break;
  }
}
