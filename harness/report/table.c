/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The grid, and its forms for terminals, for GitHub's Markdown, for programs (CSV by RFC 4180 with plain line feeds)
 * and for LaTeX with booktabs; see table.h. */
#include "harness/report/table.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "cases/common/csv.h"

sb_table *sb_table_create(sb_arena *arena)
{
  sb_table *table = sb_arena_take(arena, 1, sizeof *table);
  table->arena = arena;
  return table;
}

sb_table *sb_table_of_words(sb_arena *arena, const char *names)
{
  sb_table *table = sb_table_create(arena);
  for (char *name, *rest = sb_arena_copy(arena, names); (name = strsep(&rest, "|"));)
    sb_table_add_column(table, name, "", false);
  return table;
}

void sb_table_add_column(sb_table *t, const char *name, const char *unit, bool numeric)
{
  *SB_NEW_ITEM(t->arena, t->headings, t->column_count) = (sb_heading){
      .name = sb_arena_copy(t->arena, name), .unit = sb_arena_copy(t->arena, unit ? unit : ""), .numeric = numeric};
}

void sb_table_add_row(sb_table *t)
{
  *SB_NEW_ITEM(t->arena, t->rows, t->row_count) =
      (sb_table_line){.cells = sb_arena_take(t->arena, t->column_count, sizeof(sb_cell))};
  t->filled = 0;
}

sb_cell *sb_table_cell(const sb_table *t, size_t row, size_t column) { return &t->rows[row].cells[column]; }

sb_cell *sb_table_put(sb_table *t, const char *text)
{
  sb_cell *cell = sb_table_cell(t, t->row_count - 1, t->filled++);
  cell->text = sb_arena_copy(t->arena, text);
  return cell;
}

void sb_table_add_note(sb_table *t, sb_note_place place, const char *lead, const char *text)
{
  if (!text || !*text) return;
  *SB_NEW_ITEM(t->arena, t->notes, t->note_count) =
      (sb_table_note){place, sb_arena_copy(t->arena, lead), sb_arena_copy(t->arena, text)};
}

static bool has_same_headings(const sb_table *a, const sb_table *b)
{
  bool same = a->column_count == b->column_count;
  for (size_t c = 0; c < a->column_count && same; ++c)
    same =
        strcmp(a->headings[c].name, b->headings[c].name) == 0 && strcmp(a->headings[c].unit, b->headings[c].unit) == 0;
  return same;
}

/* A note that all tables have stands once, in their order. */
static void join_notes(sb_table *joined, const sb_table *one, const char *name)
{
  for (size_t n = 0; n < one->note_count; ++n) {
    const sb_table_note *note = &one->notes[n];
    bool                 known = false;
    for (size_t k = 0; k < joined->note_count && !known; ++k)
      known = strcmp(joined->notes[k].lead, note->lead) == 0 && strcmp(joined->notes[k].text, note->text) == 0;
    if (known || (note->place == SB_NOTE_TITLE && joined->note_count > 0)) continue;
    const bool named = note->place != SB_NOTE_TITLE;
    sb_table_add_note(joined, note->place, note->lead,
                      named ? sb_arena_format(joined->arena, "%s: %s", name, note->text) : note->text);
  }
}

sb_table *sb_table_joined(size_t count, const sb_table *const *tables, const char *const *names, sb_arena *arena)
{
  sb_table *joined = sb_table_create(arena);
  for (size_t t = 1; t < count; ++t)
    if (!has_same_headings(tables[0], tables[t])) return NULL;
  sb_table_add_column(joined, "results", "", false);
  for (size_t c = 0; c < tables[0]->column_count; ++c) {
    sb_table_add_column(joined, "", "", false);
    joined->headings[c + 1] = tables[0]->headings[c];
  }
  joined->id = tables[0]->id;
  joined->stub_count = tables[0]->stub_count + 1;
  joined->quantity = tables[0]->quantity;
  joined->axis = tables[0]->axis;
  joined->axis_name = tables[0]->axis_name;
  for (size_t t = 0; t < count; ++t) {
    for (size_t m = 0; m < SB_MARK_KINDS; ++m)
      if (!joined->means[m]) joined->means[m] = tables[t]->means[m];
    for (size_t r = 0; r < tables[t]->row_count; ++r) {
      sb_table_add_row(joined);
      sb_table_put(joined, names[t]);
      memcpy(joined->rows[joined->row_count - 1].cells + 1, tables[t]->rows[r].cells,
             tables[t]->column_count * sizeof(sb_cell));
      joined->rows[joined->row_count - 1].comment = tables[t]->rows[r].comment;
    }
    join_notes(joined, tables[t], names[t]);
  }
  return joined;
}

unsigned sb_table_marks(const sb_table *t)
{
  unsigned used = 0;
  for (size_t r = 0; r < t->row_count; ++r)
    for (size_t c = t->stub_count; c < t->column_count; ++c) used |= sb_table_cell(t, r, c)->marks;
  return used;
}

/* ---- parts of all forms ---- */

/* m/s^2 -> m/s$^{2}$ */
static void put_latex(FILE *stream, const char *text)
{
  for (const char *power; (power = strchr(text, '^')) && strspn(power + 1, "-0123456789") > 0;) {
    const int      digits = (int)strspn(power + 1, "-0123456789");
    SB_OWNED char *before = sb_copy_span(text, (size_t)(power - text));
    sb_text_put_latex(stream, before);
    fprintf(stream, "$^{%.*s}$", digits, power + 1);
    text = power + 1 + digits;
  }
  sb_text_put_latex(stream, text);
}

static const struct {
  void (*put)(FILE *stream, const char *text);
  const char *before, *between, *after;       /* the cells of a line */
  const char *blank;                          /* if there is nothing */
  const char *bold[2], *signs[SB_MARK_KINDS]; /* around the best value, after marked ones */
  const char *leads[SB_MARK_KINDS];           /* before the meaning of marks */
} forms[] = {
    [SB_TABLE_TEXT] = {sb_text_put_plain, "", "", "", "-", {"", ""}, {"*", "!", "~", "§"}, {"*", "!", "~", "§"}},
    [SB_TABLE_MARKDOWN] = {sb_text_put_markdown, "| ", " | ", " |\n", "–", .bold = {"**", "**"},
                           .signs = {"", " †", " ‡", " §"}, .leads = {"Bold:", "†:", "‡:", "§:"}},
    [SB_TABLE_CSV] = {sb_csv_put, "", ",", "\n", "", {"", ""}, {"", "", "", ""}, {"", "", "", ""}},
    [SB_TABLE_LATEX] = {put_latex, "", " & ", " \\\\", "–", .bold = {"\\textbf{\\boldmath ", "}"},
                        .signs = {"", "$^\\dagger$", "$^\\ddagger$", "$^\\S$"},
                        .leads = {"Bold:", "$\\dagger$:", "$\\ddagger$:", "\\S:"}},
};

const char *sb_table_lead(sb_table_form form, unsigned mark) { return forms[form].leads[mark]; }

typedef struct {
  const sb_table *table;
  sb_table_form   form;
  unsigned        used; /* marks */
  FILE           *stream;
} writer;

static void put(const writer *w, const char *text) { forms[w->form].put(w->stream, text); }

/* Writes the signs of marks. In text each mark in use has its place after the numbers of every row. */
static void put_signs(const writer *w, unsigned marks)
{
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i) {
    if (marks & 1U << i)
      fputs(forms[w->form].signs[i], w->stream);
    else if (w->form == SB_TABLE_TEXT && w->used & 1U << i)
      fputc(' ', w->stream);
  }
}

static void put_heading(const writer *w, size_t column)
{
  const bool        marked = column >= w->table->stub_count;
  const sb_heading *h = &w->table->headings[column];
  const char       *name = w->form == SB_TABLE_CSV && h->csv ? h->csv : h->name;
  if (*h->unit) name = sb_arena_format(w->table->arena, "%s (%s)", name, h->unit);
  if (w->form == SB_TABLE_MARKDOWN && w->table->axis_name && marked)
    name = sb_arena_format(w->table->arena, "%s = %s", w->table->axis_name, name);
  put(w, name);
  if (h->numeric && marked) put_signs(w, 0);
}

static void put_cell(const writer *w, size_t row, size_t column)
{
  const bool     marked = column >= w->table->stub_count;
  const sb_cell *cell = sb_table_cell(w->table, row, column);
  const bool     best = marked && cell->marks & SB_MARK_BEST;
  const char    *text = cell->text ? cell->text : forms[w->form].blank;
  char           exact[SB_NUMBER_TEXT];
  if (w->form == SB_TABLE_CSV && cell->is_number) text = sb_text_exact(cell->number, exact);
  if (w->form == SB_TABLE_CSV && cell->csv) text = cell->csv;
  if (best) fputs(forms[w->form].bold[0], w->stream);
  if (w->form == SB_TABLE_MARKDOWN && cell->markdown)
    fputs(cell->markdown, w->stream);
  else
    put(w, text);
  if (cell->interval && w->form != SB_TABLE_CSV) {
    fputc(' ', w->stream);
    put(w, cell->interval);
  }
  if (best) fputs(forms[w->form].bold[1], w->stream);
  if (marked) put_signs(w, cell->marks);
}

/* ---- notes ---- */

static void put_note(const writer *w, const sb_table_note *note)
{
  const char *blank = *note->lead ? " " : "", *bold = note->place == SB_NOTE_TITLE ? "**" : "";
  const char *text = note->text;
  if (w->form == SB_TABLE_TEXT) {
    sb_text_put_wrapped(w->stream, sb_arena_format(w->table->arena, "%s%s%s", note->lead, blank, text), 2, 0);
    fputc('\n', w->stream);
  } else if (w->form == SB_TABLE_MARKDOWN) {
    fprintf(w->stream, "%s%s%s", bold, note->lead, blank);
    put(w, text);
    fprintf(w->stream, "%s\n\n", bold);
  } else if (note->place == SB_NOTE_ASIDE || note->place == SB_NOTE_ABOVE) {
    fprintf(w->stream, "%% %s%s", note->lead, blank);
    (note->place == SB_NOTE_ASIDE ? sb_text_put_plain : put_latex)(w->stream, text);
    fputc('\n', w->stream);
  } else { /* a sentence ends with a stop */
    fprintf(w->stream, "%s%s", note->lead, blank);
    put(w, text);
    fputs(strchr(".?!", text[strlen(text) - 1]) ? " " : ". ", w->stream);
  }
}

static void put_notes(const writer *w, sb_note_place first, sb_note_place last)
{
  for (size_t i = 0; i < w->table->note_count; ++i)
    if (w->table->notes[i].place >= first && w->table->notes[i].place <= last) put_note(w, &w->table->notes[i]);
}

static void put_meanings(const writer *w)
{
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i) {
    const char *means = w->table->means[i];
    if (!(w->used & 1U << i) || !means) continue;
    const bool stop = w->form == SB_TABLE_MARKDOWN && means[strlen(means) - 1] != '.';
    put_note(w, &(sb_table_note){SB_NOTE_BELOW, forms[w->form].leads[i],
                                 sb_arena_format(w->table->arena, "%s%s", means, stop ? "." : "")});
  }
}

/* ---- text: columns aligned, rules below the headings and the last row; no line ends in blanks ---- */

static void put_rule(FILE *stream, size_t indent, size_t width)
{
  fprintf(stream, "%*s", (int)indent, "");
  while (width-- > 0) fputc('-', stream);
  fputc('\n', stream);
}

static void put_text_line(const sb_table *t, char **cells, const size_t *widths, FILE *stream)
{
  const size_t    last = t->column_count - 1;
  const bool      wraps = t->wrap && *cells[last];
  int             column = t->indent;
  sb_arena_writer line;
  FILE           *out = sb_arena_write(&line, t->arena);
  fprintf(out, "%*s", t->indent, "");
  for (size_t c = 0; c < t->column_count - wraps; ++c) {
    const int blanks = (int)(widths[c] - sb_text_width(cells[c])), before = t->headings[c].numeric ? blanks : 0;
    fprintf(out, "%*s%s%*s", before, "", cells[c], blanks - before + 2, "");
    column += (int)widths[c] + 2;
  }
  char  *text = sb_arena_text(&line);
  size_t length = strlen(text);
  while (!wraps && length > 0 && text[length - 1] == ' ') text[--length] = '\0';
  fputs(text, stream);
  if (wraps) sb_text_put_wrapped(stream, cells[last], column, column);
  fputc('\n', stream);
}

static void put_text_grid(writer *w)
{
  const sb_table *t = w->table;
  FILE *const     stream = w->stream;
  const size_t    columns = t->column_count, indent = (size_t)t->indent;
  char          **cells = sb_arena_take(t->arena, (t->row_count + 1) * columns, sizeof *cells);
  size_t         *widths = sb_arena_take(t->arena, columns, sizeof *widths), stubs = 0, width = 0;
  bool            headed = false;
  for (size_t c = 0; c < columns; ++c) {
    for (size_t r = 0; r <= t->row_count; ++r) {
      sb_arena_writer cell;
      w->stream = sb_arena_write(&cell, t->arena);
      if (r == 0) put_heading(w, c);
      if (r > 0) put_cell(w, r - 1, c);
      cells[r * columns + c] = sb_arena_text(&cell);
      const size_t wide = sb_text_width(cells[r * columns + c]);
      if (wide > widths[c]) widths[c] = wide;
    }
    width += widths[c] + (c > 0 ? 2 : 0);
    if (c + 1 == t->stub_count) stubs = width + 2;
    headed = headed || *t->headings[c].name;
  }
  w->stream = stream;
  if (t->quantity) {
    fprintf(stream, "%*s%s by %s\n", (int)(indent + stubs), "", t->quantity, t->axis);
    put_rule(stream, indent + stubs, width - stubs);
  }
  if (t->wrap && width > SB_LINE_WIDTH) width = SB_LINE_WIDTH - indent;
  if (headed) put_text_line(t, cells, widths, stream);
  if (headed) put_rule(stream, indent, width);
  for (size_t r = 1; r <= t->row_count; ++r) put_text_line(t, cells + r * columns, widths, stream);
  if (headed) put_rule(stream, indent, width);
}

/* ---- Markdown and CSV: cells with something between them ---- */

static void put_lines(const writer *w)
{
  const sb_table *t = w->table;
  for (size_t line = 0; line <= t->row_count; ++line) {
    fputs(forms[w->form].before, w->stream);
    for (size_t c = 0; c < t->column_count; ++c) {
      fputs(c > 0 ? forms[w->form].between : "", w->stream);
      if (line == 0) put_heading(w, c);
      if (line > 0) put_cell(w, line - 1, c);
    }
    fputs(forms[w->form].after, w->stream);
    if (line > 0 || w->form == SB_TABLE_CSV) continue;
    for (size_t c = 0; c < t->column_count; ++c) fputs(t->headings[c].numeric ? "|---:" : "|:---", w->stream);
    fputs("|\n", w->stream);
  }
}

/* ---- LaTeX: numbers are aligned at the decimal point, in two columns, and intervals have a column ---- */

/* True if the stubs of `row`, up to and including `stub`, are those of the line above. LaTeX prints them once. */
static bool repeats(const sb_table *t, size_t row, size_t stub)
{
  if (row == 0 || stub + 1 >= t->stub_count) return false;
  for (size_t s = 0; s <= stub; ++s) {
    const char *here = sb_table_cell(t, row, s)->text, *above = sb_table_cell(t, row - 1, s)->text;
    if (strcmp(here ? here : "", above ? above : "") != 0) return false;
  }
  return true;
}

/* The number of LaTeX columns for one of our columns. */
typedef struct {
  bool        split, interval;
  double      width_pt; /* approximate, at 10 pt, without the gaps between columns */
  double      lines_pt; /* width of lines of words; 0: each cell is one line */
  const char *name[2];  /* its heading, in one line or two: the first is then not empty */
} latex_column;

/* Approximate width of Computer Modern at 10 pt, rather too large than too small. 1.2e-7 gets a power of ten. */
static double width_pt(const char *text, bool number)
{
  double width = 0;
  for (const char *c = text; *c; ++c)
    if (((unsigned char)*c & 0xc0) != 0x80)
      width += strchr(" .,:;'il", *c) ? 3.4 : *c < 0 || isupper(*c) || strchr("mw=+%", *c) ? 7.8 : 5.3;
  return number && strchr(text, 'e') ? width + 18 : width;
}

/* Breaks a heading that is wider than its column at the blank nearest to its middle. */
static void break_heading(sb_arena *arena, const char *name, latex_column *column)
{
  const double least = 44;
  const char  *middle = name + strlen(name) / 2, *best = NULL;
  column->name[0] = "";
  column->name[1] = name;
  for (const char *at = name; (at = strchr(at, ' ')); ++at)
    if (!best || labs(at - middle) < labs(best - middle)) best = at;
  if (!best || width_pt(name, false) <= fmax(column->width_pt, least)) return;
  column->name[0] = sb_arena_copy_span(arena, name, (size_t)(best - name));
  column->name[1] = best + 1;
}

static double cell_pt(const sb_cell *cell)
{
  const double mark = cell->marks & ~(unsigned)SB_MARK_BEST ? 6 : 0, bold = cell->marks & SB_MARK_BEST ? 1.15 : 1;
  return cell->text ? bold * width_pt(cell->text, cell->is_number) + mark : 5;
}

static latex_column *latex_columns(const sb_table *t)
{
  latex_column *columns = sb_arena_take(t->arena, t->column_count, sizeof *columns);
  for (size_t c = 0; c < t->column_count; ++c) {
    latex_column *column = &columns[c];
    double        whole = 0, part = 0, interval = 0; /* digits before and after the point */
    for (size_t r = 0; r < t->row_count; ++r) {
      const sb_cell *cell = sb_table_cell(t, r, c);
      const double   all = cell_pt(cell);
      column->split = column->split || (t->headings[c].numeric && cell->is_number && strpbrk(cell->text, ".e"));
      column->interval = column->interval || cell->interval;
      column->width_pt = fmax(column->width_pt, all);
      interval = fmax(interval, cell->interval ? width_pt(cell->interval, false) : 0);
      if (!cell->is_number || !cell->text) continue;
      const char *before = sb_arena_copy_span(t->arena, cell->text, strcspn(cell->text, ".e"));
      whole = fmax(whole, width_pt(before, false));
      part = fmax(part, all - width_pt(before, false));
    }
    if (column->split) column->width_pt = fmax(column->width_pt, whole + part);
    break_heading(t->arena, t->headings[c].name, column);
    for (int k = 0; k < 2; ++k) column->width_pt = fmax(column->width_pt, width_pt(column->name[k], false));
    const char *unit = t->headings[c].unit;
    if (*unit) column->width_pt = fmax(column->width_pt, width_pt(unit, false) + 8);
    if (column->interval) column->width_pt += fmax(interval, 24) + 7;
  }
  return columns;
}

static size_t span_of(const latex_column *column) { return 1U + column->split + column->interval; }

/* -1.2e-7 -> $-1$ & $.2\times10^{-7}$; 12 -> 12 &; in one column without `split`. */
static void put_latex_number(const writer *w, const sb_cell *cell, bool split)
{
  const char *const *bold = cell->marks & SB_MARK_BEST ? forms[w->form].bold : (const char *const[]){"", ""};
  const char        *text = cell->text, *e = strchr(text, 'e');
  const int          whole = (int)strcspn(text, split ? ".e" : "e"), digits = (int)strcspn(text, "e");
  const char        *dollar = *text == '-' ? "$" : "";
  fprintf(w->stream, "%s%s%.*s%s%s", bold[0], dollar, whole, text, dollar, bold[1]);
  if (split) fputs(" & ", w->stream);
  if (!text[whole]) return;
  fprintf(w->stream, "%s%.*s", bold[0], digits - whole, text + whole);
  if (e && atoi(e + 1) != 0) fprintf(w->stream, "${}\\times10^{%d}$", atoi(e + 1));
  fputs(bold[1], w->stream);
}

/* `first` in its tabular: then there is nothing above it. */
static void put_latex_cell(const writer *w, size_t row, size_t c, const latex_column *column, bool first)
{
  const sb_cell *cell = sb_table_cell(w->table, row, c);
  const bool     stub = c < w->table->stub_count, number = cell->is_number && cell->text;
  if (!first && repeats(w->table, row, c)) {
    fputs(column->split ? "& " : "", w->stream);
  } else if (number) {
    put_latex_number(w, cell, column->split);
  } else {
    if (column->split) fputs("\\multicolumn{2}{c}{", w->stream);
    put_cell(w, row, c);
    if (column->split) fputs("}", w->stream);
  }
  if (number && !stub) put_signs(w, cell->marks);
  if (column->interval) fputs(" & ", w->stream);
  if (cell->interval) put(w, cell->interval);
}

/* Columns of one tabular: the stubs, and those from `first` to before `end`. */
typedef struct {
  size_t first, end;
} latex_part;

static bool is_in(const sb_table *t, const latex_part *part, size_t column)
{
  return column < t->stub_count || (column >= part->first && column < part->end);
}

/* The headings, in up to three lines: their names in two, where one is too long, and the units. */
static void put_latex_headings(const writer *w, const latex_column *columns, const latex_part *part)
{
  const sb_table *t = w->table;
  for (int line = 0; line < 3; ++line) {
    sb_arena_writer text;
    FILE           *out = sb_arena_write(&text, t->arena);
    bool            some = line == 1;
    for (size_t c = 0; c < t->column_count; ++c) {
      if (!is_in(t, part, c)) continue;
      const char *unit = t->headings[c].unit;
      const char *said = line < 2 ? columns[c].name[line] : *unit ? sb_arena_format(t->arena, "(%s)", unit) : "";
      some = some || *said;
      fputs(c > 0 ? " & " : "", out);
      if (columns[c].split) fputs("\\multicolumn{2}{c}{", out);
      put_latex(out, said);
      if (columns[c].split) fputs("}", out);
      if (columns[c].interval) fputs(line == 1 ? " & 95 \\%" : " &", out);
    }
    const char *whole = sb_arena_text(&text);
    if (some) fprintf(w->stream, "%s \\\\\n", whole);
  }
}

/* Sizes of letters: against 10 pt, twice \\tabcolsep, the distance of lines. */
typedef struct {
  double      scale, gap_pt, line_pt;
  const char *name;
} latex_size;

static const latex_size latex_sizes[] = {
    {1, 12, 12, ""}, {0.9, 6, 11, "\\small"}, {0.8, 6, 9.5, "\\footnotesize"}, {0.7, 6, 8, "\\scriptsize"}};
enum { LATEX_SIZES = sizeof latex_sizes / sizeof *latex_sizes };
static const double latex_line_pt = 435, latex_page_pt = 660; /* A4 with margins of 25 mm, less some reserve */

static double column_pt(const latex_column *column, const latex_size *size)
{
  return (column->lines_pt > 0 ? column->lines_pt : size->scale * column->width_pt) + size->gap_pt;
}

static double part_pt(const sb_table *t, const latex_column *columns, const latex_part *part, const latex_size *size)
{
  double width = -size->gap_pt;
  for (size_t c = 0; c < t->column_count; ++c) width += is_in(t, part, c) ? column_pt(&columns[c], size) : 0;
  return width;
}

/* Narrows the widest column of words among the first `count`, so that they fit into `room`: its cells have several
 * lines. */
static void narrow_words(const sb_table *t, latex_column *columns, size_t count, double room, const latex_size *size)
{
  const double  least = 55;
  latex_column *widest = NULL;
  double        rest = -size->gap_pt;
  for (size_t c = 0; c < count; ++c) {
    rest += column_pt(&columns[c], size);
    if (!t->headings[c].numeric && (!widest || columns[c].width_pt > widest->width_pt)) widest = &columns[c];
  }
  if (rest <= room || !widest || size->scale * widest->width_pt <= least) return;
  widest->lines_pt = fmax(least, room - (rest - size->scale * widest->width_pt));
}

/* The size of letters in which the table is as wide as a page's lines; if words of several lines do not help even in
 * the smallest, it gets several parts below each other. Returns their number. */
static size_t fit_page(const sb_table *t, latex_column *columns, latex_part *parts, const latex_size **size)
{
  parts[0] = (latex_part){t->stub_count, t->column_count};
  for (int i = 0; i < LATEX_SIZES; ++i) {
    *size = &latex_sizes[i];
    if (part_pt(t, columns, parts, *size) <= latex_line_pt) return 1;
  }
  narrow_words(t, columns, t->column_count, latex_line_pt, *size);
  if (part_pt(t, columns, parts, *size) <= latex_line_pt) return 1;
  *size = &latex_sizes[LATEX_SIZES - 2];
  for (size_t c = 0; c < t->column_count; ++c) columns[c].lines_pt = 0;
  narrow_words(t, columns, t->stub_count, 0.5 * latex_line_pt, *size);
  for (size_t c = t->stub_count; c < t->column_count; ++c)
    if ((*size)->scale * columns[c].width_pt > 0.5 * latex_line_pt) columns[c].lines_pt = 0.45 * latex_line_pt;
  size_t count = 0;
  for (size_t c = t->stub_count; c < t->column_count; ++c) {
    parts[count].end = c + 1;
    if (c > parts[count].first && part_pt(t, columns, &parts[count], *size) > latex_line_pt) {
      parts[count++].end = c;
      parts[count] = (latex_part){c, c + 1};
    }
  }
  return count + 1;
}

/* The notes below a table, in small print; "" without. */
static const char *latex_notes(writer *w)
{
  FILE *const     stream = w->stream;
  sb_arena_writer notes;
  w->stream = sb_arena_write(&notes, w->table->arena);
  put_notes(w, SB_NOTE_BELOW, SB_NOTE_BELOW);
  put_meanings(w);
  w->stream = stream;
  const char *said = sb_arena_text(&notes);
  if (!*said) return "";
  return sb_arena_format(w->table->arena,
                         "\\par\\smallskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n%.*s\n\\end{minipage}\n",
                         (int)strlen(said) - 1, said);
}

/* The lines of a row: as many as its longest cell of words needs. */
static double row_pt(const sb_table *t, const latex_column *columns, size_t row, const latex_size *size)
{
  double lines = 1;
  for (size_t c = 0; c < t->column_count; ++c) {
    const char *text = columns[c].lines_pt > 0 ? sb_table_cell(t, row, c)->text : NULL;
    if (text) lines = fmax(lines, ceil(1.1 * size->scale * width_pt(text, false) / columns[c].lines_pt));
  }
  return lines * size->line_pt + 1;
}

/* Rows from `first` on that fit into `room`, at least one; returns the row after the last of them. */
static size_t rows_that_fit(const sb_table *t, const latex_column *columns, size_t first, double room,
                            const latex_size *size)
{
  size_t end = first;
  for (double used = 0; end < t->row_count; ++end) {
    used += row_pt(t, columns, end, size) + (end > first && t->stub_count > 1 ? 3 : 0);
    if (used > room && end > first) break;
  }
  return end;
}

static void put_latex_lines(const writer *w, const latex_column *columns, const latex_part *part, size_t first,
                            size_t end)
{
  const sb_table *t = w->table;
  bool            grouped = false;
  for (size_t r = 1; r < t->row_count; ++r) grouped = grouped || repeats(t, r, 0);
  for (size_t r = first; r < end; ++r) {
    const char *comment = t->rows[r].comment;
    if (r > first && grouped && !repeats(t, r, 0)) fputs("\\addlinespace\n", w->stream);
    for (size_t c = 0; c < t->column_count; ++c) {
      if (!is_in(t, part, c)) continue;
      fputs(c > 0 ? " & " : "", w->stream);
      put_latex_cell(w, r, c, &columns[c], r == first);
    }
    fprintf(w->stream, " \\\\%s%s\n", comment ? " % " : "", comment ? comment : "");
  }
}

/* The title, or else the text above a table. A sentence begins with a capital; a symbol such as h = … is unchanged. */
static const char *latex_caption(const sb_table *t)
{
  const sb_table_note *found = NULL;
  for (int place = SB_NOTE_TITLE; place <= SB_NOTE_ABOVE; ++place)
    for (size_t i = 0; i < t->note_count && !found; ++i)
      if ((int)t->notes[i].place == place) found = &t->notes[i];
  char *text = sb_arena_copy(t->arena, found ? found->text : "");
  if (islower((unsigned char)text[0]) && islower((unsigned char)text[1]))
    text[0] = (char)toupper((unsigned char)text[0]);
  return text;
}

/* The kinds of the columns in LaTeX. */
static void put_latex_kinds(const sb_table *t, const latex_column *columns, const latex_part *part, FILE *stream)
{
  for (size_t c = 0; c < t->column_count; ++c) {
    if (!is_in(t, part, c)) continue;
    if (columns[c].lines_pt > 0)
      fprintf(stream, ">{\\raggedright\\arraybackslash}p{%.0fpt}", columns[c].lines_pt);
    else
      fputs(columns[c].split ? "r@{}l" : t->headings[c].numeric ? "r" : "l", stream);
    if (columns[c].interval) fputs("@{ }l", stream);
  }
  fprintf(stream, "%s@{}}\n\\toprule\n", t->column_count > 0 ? "" : "l"); /* a pivot without cases may have none */
}

static void put_latex_part(const writer *w, const latex_column *columns, const latex_part *part, size_t first,
                           size_t end)
{
  const sb_table *t = w->table;
  size_t          stubs = 0, count = 0;
  for (size_t c = 0; c < t->column_count; ++c) count += is_in(t, part, c) ? span_of(&columns[c]) : 0;
  for (size_t c = 0; c < t->stub_count; ++c) stubs += span_of(&columns[c]);
  fputs("\\begin{tabular}{@{}", w->stream);
  put_latex_kinds(t, columns, part, w->stream);
  if (t->quantity && t->column_count > t->stub_count) {
    for (size_t i = 0; i < stubs; ++i) fputs("& ", w->stream);
    fprintf(w->stream, "\\multicolumn{%zu}{c}{", count - stubs);
    put(w, t->quantity);
    fputs(" by ", w->stream);
    put(w, t->axis);
    fprintf(w->stream, "} \\\\\n\\cmidrule(l){%zu-%zu}\n", stubs + 1, count);
  }
  if (t->column_count > 0) {
    put_latex_headings(w, columns, part);
    fputs("\\midrule\n", w->stream);
  }
  put_latex_lines(w, columns, part, first, end);
  if (t->row_count == 0)
    fprintf(w->stream, "\\multicolumn{%zu}{@{}l}{%s} \\\\\n", count > 0 ? count : 1, t->empty ? t->empty : "none");
  fputs("\\bottomrule\n\\end{tabular}\n", w->stream);
}

static void begin_latex_float(const writer *w, const latex_size *size, bool goes_on)
{
  fputs("\\begin{table}\n\\centering\n\\caption{", w->stream);
  put(w, latex_caption(w->table));
  fputs(goes_on ? " (continued)}\n" : "}\n", w->stream);
  if (w->table->id && !goes_on) fprintf(w->stream, "\\label{tab:%s}\n", w->table->id);
  fprintf(w->stream, "\\medskip\n%s%s", size->name, *size->name ? "\\setlength{\\tabcolsep}{3pt}\n" : "");
}

/* A table for \\input. The title is its caption; notes are below in small print, and each line is followed by its
 * comment. It needs array and booktabs (UTF-8 has been the default of inputenc since 2018). */
static void print_latex(writer *w)
{
  const sb_table     *t = w->table;
  latex_column *const columns = latex_columns(t);
  latex_part         *parts = sb_arena_take(t->arena, t->column_count + 1, sizeof *parts);
  const latex_size   *size;
  const size_t        count = fit_page(t, columns, parts, &size);
  const char         *notes = latex_notes(w);
  const double heading = 6 * size->line_pt, below = 60 + 9.5 * ceil(0.8 * width_pt(notes, false) / latex_line_pt);
  double       room = latex_page_pt - below;
  fputs("% needs \\usepackage{array,booktabs}\n", w->stream);
  put_notes(w, SB_NOTE_ABOVE, SB_NOTE_ABOVE);
  put_notes(w, SB_NOTE_ASIDE, SB_NOTE_ASIDE);
  begin_latex_float(w, size, false);
  for (size_t k = 0; k < count; ++k) {
    size_t first = 0;
    do {
      size_t end = rows_that_fit(t, columns, first, room - heading, size);
      if (end < t->row_count && first + k > 0) { /* it continues on another page */
        fputs("\\end{table}\n", w->stream);
        begin_latex_float(w, size, true);
        room = latex_page_pt - below;
        end = rows_that_fit(t, columns, first, room - heading, size);
      } else if (k + first > 0) {
        fputs("\n\\medskip\n", w->stream);
      }
      put_latex_part(w, columns, &parts[k], first, end);
      for (size_t r = first; r < end; ++r) room -= row_pt(t, columns, r, size);
      room -= heading;
      first = end;
    } while (first < t->row_count);
  }
  fputs(notes, w->stream);
  fputs("\\end{table}\n", w->stream);
}

void sb_table_print(const sb_table *t, sb_table_form form, FILE *stream)
{
  const bool markdown = form == SB_TABLE_MARKDOWN;
  writer     w = {t, form, sb_table_marks(t), stream};
  if (form == SB_TABLE_CSV) {
    put_lines(&w);
    return;
  }
  if (form == SB_TABLE_LATEX) {
    print_latex(&w);
    return;
  }
  put_notes(&w, SB_NOTE_TITLE, SB_NOTE_ABOVE);
  if (!markdown && t->note_count > 0 && t->notes[0].place <= SB_NOTE_ABOVE) fputc('\n', stream);
  if (markdown && t->quantity) put_note(&w, &(sb_table_note){SB_NOTE_ABOVE, "Cells:", t->quantity});
  if (t->row_count == 0)
    fprintf(stream, "%*s%s\n", markdown ? 0 : t->indent, "", t->empty ? t->empty : "none");
  else if (markdown)
    put_lines(&w);
  else
    put_text_grid(&w);
  if (markdown) fputc('\n', stream);
  put_meanings(&w);
  put_notes(&w, SB_NOTE_BELOW, SB_NOTE_ASIDE);
}
