/* A table as LaTeX for \input, with booktabs: \usepackage{booktabs} is all it needs (inputenc's UTF-8 is the default
 * since 2018). After every line stands a comment with the keys of its cases. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_text.h"
#include "harness/report/table_layout.h"

typedef struct {
  const char *from, *to;
} replacement;

/* What LaTeX would take for a command, and what its standard fonts lack. */
static const replacement replacements[] = {{"\\", "\\textbackslash{}"},
                                           {"{", "\\{"},
                                           {"}", "\\}"},
                                           {"$", "\\$"},
                                           {"&", "\\&"},
                                           {"#", "\\#"},
                                           {"_", "\\_"},
                                           {"%", "\\%"},
                                           {"~", "\\textasciitilde{}"},
                                           {"^", "\\textasciicircum{}"},
                                           {"<", "\\textless{}"},
                                           {">", "\\textgreater{}"},
                                           {"|", "\\textbar{}"},
                                           {"\"", "''"},
                                           {"`", "\\textasciigrave{}"},
                                           {"–", "--"},
                                           {"—", "---"},
                                           {"−", "$-$"},
                                           {"×", "$\\times$"},
                                           {"·", "$\\cdot$"},
                                           {"≤", "$\\le$"},
                                           {"≥", "$\\ge$"},
                                           {"±", "$\\pm$"},
                                           {"≈", "$\\approx$"},
                                           {"²", "$^2$"},
                                           {"³", "$^3$"},
                                           {"°", "$^\\circ$"},
                                           {"µ", "$\\mu$"},
                                           {"μ", "$\\mu$"},
                                           {"ω", "$\\omega$"},
                                           {"λ", "$\\lambda$"},
                                           {"π", "$\\pi$"},
                                           {"φ", "$\\varphi$"},
                                           {"κ", "$\\kappa$"},
                                           {"η", "$\\eta$"},
                                           {"∞", "$\\infty$"},
                                           {"α", "$\\alpha$"},
                                           {"β", "$\\beta$"},
                                           {"γ", "$\\gamma$"},
                                           {"δ", "$\\delta$"},
                                           {"ε", "$\\varepsilon$"},
                                           {"ζ", "$\\zeta$"},
                                           {"θ", "$\\theta$"},
                                           {"ν", "$\\nu$"},
                                           {"ξ", "$\\xi$"},
                                           {"ρ", "$\\rho$"},
                                           {"σ", "$\\sigma$"},
                                           {"τ", "$\\tau$"},
                                           {"χ", "$\\chi$"},
                                           {"ψ", "$\\psi$"},
                                           {"Γ", "$\\Gamma$"},
                                           {"Θ", "$\\Theta$"},
                                           {"Λ", "$\\Lambda$"},
                                           {"Ξ", "$\\Xi$"},
                                           {"Π", "$\\Pi$"},
                                           {"Σ", "$\\Sigma$"},
                                           {"Φ", "$\\Phi$"},
                                           {"Ψ", "$\\Psi$"},
                                           {"Ω", "$\\Omega$"},
                                           {"∂", "$\\partial$"},
                                           {"∈", "$\\in$"},
                                           {"→", "$\\to$"},
                                           {"≠", "$\\ne$"},
                                           {"∝", "$\\propto$"},
                                           {"‖", "$\\Vert$"},
                                           {"¹", "$^1$"},
                                           {"⁻", "$^-$"},
                                           {"½", "$\\frac12$"},
                                           {"√", "$\\surd$"},
                                           {"∇", "$\\nabla$"},
                                           {"Δ", "$\\Delta$"},
                                           {"‘", "`"},
                                           {"’", "'"},
                                           {"“", "``"},
                                           {"”", "''"},
                                           {"…", "\\dots{}"}};

static const replacement *replacement_of(const char *text)
{
  for (size_t i = 0; i < sizeof replacements / sizeof *replacements; ++i)
    if (strncmp(text, replacements[i].from, strlen(replacements[i].from)) == 0) return &replacements[i];
  return NULL;
}

/* Bytes of one UTF-8 character; 1 where the text is not UTF-8. */
static size_t character_length(const char *text)
{
  const unsigned char c = (unsigned char)*text;
  const size_t        expected = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;
  for (size_t i = 1; i < expected; ++i)
    if (((unsigned char)text[i] & 0xc0) != 0x80) return 1;
  return expected;
}

/* The accented letters that LaTeX's default font encoding has (of U+00C0 to U+00FF). */
static bool is_letter(const unsigned char *c) { return c[0] == 0xc3 && !strchr("\x90\x9e\xb0\xb7\xbe", c[1]); }

/* Characters that no rule knows become a question mark. */
static void put_character(FILE *stream, const char *text, size_t length)
{
  const unsigned char c = (unsigned char)*text;
  if (length == 2 && is_letter((const unsigned char *)text))
    fwrite(text, 1, 2, stream);
  else if (c < 0x20 || c == 0x7f)
    fputc(' ', stream);
  else
    fputc(c < 0x80 ? c : '?', stream);
}

void sb_text_put_latex(FILE *stream, const char *text)
{
  while (*text) {
    const replacement *r = replacement_of(text);
    const size_t       length = r ? strlen(r->from) : character_length(text);
    if (r)
      fputs(r->to, stream);
    else
      put_character(stream, text, length);
    text += length;
  }
}

/* m/s^2 -> m/s$^{2}$ */
static void put_unit(FILE *stream, const char *unit)
{
  const char  *power = strchr(unit, '^');
  const size_t digits = power ? strspn(power + 1, "-0123456789") : 0;
  char        *head = power && digits > 0 ? sb_format("%.*s", (int)(power - unit), unit) : NULL;
  if (!head) {
    sb_text_put_latex(stream, unit);
    return;
  }
  sb_text_put_latex(stream, head);
  fprintf(stream, "$^{%.*s}$", (int)digits, power + 1);
  put_unit(stream, power + 1 + digits);
  free(head);
}

/* -1.2e-7 -> $-1.2\times10^{-7}$ */
static void put_number(FILE *stream, const char *text)
{
  char        *end = NULL;
  const char  *e = strchr(text, 'e');
  const double number = strtod(text, &end);
  (void)number;
  const bool is_number = *end == '\0' && !isspace((unsigned char)*text);
  if (!is_number || (!e && *text != '-'))
    sb_text_put_latex(stream, text);
  else if (e && atoi(e + 1) == 0)
    fprintf(stream, "$%.*s$", (int)(e - text), text);
  else if (e)
    fprintf(stream, "$%.*s\\times10^{%d}$", (int)(e - text), text, atoi(e + 1));
  else
    fprintf(stream, "$%s$", text);
}

static void put_cell(FILE *stream, const sb_table_cell *cell)
{
  if (cell->bold) fputs("\\textbf{\\boldmath ", stream);
  if (cell->kind == SB_CELL_NO_CASE)
    fputs("--", stream);
  else if (cell->kind == SB_CELL_NUMBER)
    put_number(stream, cell->text);
  else
    sb_text_put_latex(stream, cell->text);
  if (cell->bold) fputc('}', stream);
  if (cell->marked) fputs("$^\\dagger$", stream);
  if (cell->noisy) fputs("$^\\ddagger$", stream);
}

static void put_sentence(FILE *stream, const char *prefix, const char *text)
{
  if (!text || !*text) return;
  fputs(prefix, stream);
  sb_text_put_latex(stream, text);
  fputs(strchr(".?!", text[strlen(text) - 1]) ? " " : ". ", stream);
}

static void put_comment(FILE *stream, const char *prefix, const char *text)
{
  fprintf(stream, "%% %s", prefix);
  for (; *text; ++text) fputc((unsigned char)*text < 0x20 ? ' ' : *text, stream);
  fputc('\n', stream);
}

/* A sentence begins with a capital; a symbol such as h = … stays one. */
static void put_first_sentence(FILE *stream, const char *text)
{
  if (!text || !*text) return;
  char *copy = sb_copy_text(text);
  if (islower((unsigned char)copy[0]) && islower((unsigned char)copy[1]))
    copy[0] = (char)toupper((unsigned char)copy[0]);
  put_sentence(stream, "", copy);
  free(copy);
}

static void put_sentences(const sb_table_layout *layout, FILE *stream)
{
  put_first_sentence(stream, layout->title);
  put_first_sentence(stream, layout->question);
  if (layout->constants && *layout->constants) {
    fputs("Constant: ", stream);
    put_unit(stream, layout->constants); /* whose units have powers */
    fputs(". ", stream);
  }
  put_sentence(stream, "Source: ", layout->source);
  put_sentence(stream, "", layout->note);
  if (layout->bold) put_sentence(stream, "Bold: ", layout->bold_means);
  if (layout->marked) fputs("$\\dagger$: of a case that did not end ok. ", stream);
  if (layout->noisy) fputs("$\\ddagger$: timed while the machine was noisy. ", stream);
  put_sentence(stream, "n/a: ", layout->trouble);
  put_sentence(stream, "", layout->intervals);
}

static void put_caption(const sb_table_layout *layout, const char *id, FILE *stream)
{
  char  *text = NULL;
  size_t length = 0;
  FILE  *sentences = sb_text_stream(&text, &length);
  put_sentences(layout, sentences);
  fclose(sentences);
  while (length > 0 && text[length - 1] == ' ') --length;
  fprintf(stream, "\\caption{%.*s}\n\\label{tab:%s}\n", (int)length, text, id);
  free(text);
}

/* Characters, not bytes. */
static size_t width(const char *text)
{
  size_t count = 0;
  for (; *text; ++text) count += ((unsigned char)*text & 0xc0) != 0x80;
  return count;
}

static size_t word_length(const char *text) { return strcspn(text, " "); }

/* The length of the widest line when `text` is broken at blanks into lines of at most `room` where words allow it; the
 * lines go to `stream` unless it is NULL. */
static size_t broken(const char *text, size_t room, FILE *stream)
{
  size_t widest = 0, line = 0;
  while (*text) {
    const size_t length = word_length(text);
    char        *word = sb_format("%.*s", (int)length, text);
    const size_t used = width(word);
    const bool   joins = line > 0 && line + 1 + used <= room;
    if (stream && line > 0) fputs(joins ? " " : "\\\\", stream);
    line = joins ? line + 1 + used : used;
    if (line > widest) widest = line;
    if (stream) sb_text_put_latex(stream, word);
    free(word);
    text += length;
    text += strspn(text, " ");
  }
  return widest;
}

enum { HEADING_LEAST = 9 };

static size_t cells_width(const sb_table_layout *layout, size_t column)
{
  size_t widest = 0;
  for (size_t r = 0; r < layout->row_count; ++r) {
    const sb_table_cell *cell = sb_table_cell_at(layout, r, column);
    const size_t         power = cell->kind == SB_CELL_NUMBER && strchr(cell->text, 'e') ? 3 : 0;
    const size_t         used = width(cell->text) + power + cell->marked + cell->noisy;
    if (used > widest) widest = used;
  }
  return widest;
}

/* How wide lines of a heading may be: as the cells below it, and never too narrow to read. */
static size_t heading_room(const sb_table_layout *layout, size_t column)
{
  const size_t cells = cells_width(layout, column);
  return cells < HEADING_LEAST ? HEADING_LEAST : cells;
}

static size_t column_width(const sb_table_layout *layout, size_t column)
{
  const size_t cells = cells_width(layout, column), unit = width(layout->headings[column].unit) + 2;
  const size_t name = broken(layout->headings[column].name, heading_room(layout, column), NULL);
  const size_t head = *layout->headings[column].unit && unit > name ? unit : name;
  return head > cells ? head : cells;
}

/* A size of type in which the table fits the 345 points of an article's line, at about half the size a character. One
 * that fits none is to stand out on both sides alike: true. */
static bool put_size(const sb_table_layout *layout, FILE *stream)
{
  static const struct {
    double      points, separation;
    const char *command;
  } sizes[] = {{10, 6, ""},
               {9, 6, "\\small\n"},
               {8, 6, "\\footnotesize\n"},
               {7, 3, "\\scriptsize\n\\setlength{\\tabcolsep}{3pt}\n"}};
  static const double line = 345;
  enum { SIZES = sizeof sizes / sizeof *sizes };
  size_t characters = 0, size = 0;
  for (size_t c = 0; c < layout->column_count; ++c) characters += column_width(layout, c);
  const double gaps = layout->column_count > 0 ? (double)layout->column_count - 1 : 0;
  double       wide = line + 1;
  for (; size < SIZES && wide > line; ++size)
    wide = 0.5 * sizes[size].points * (double)characters + 2 * sizes[size].separation * gaps;
  fputs(sizes[size - 1].command, stream);
  return wide > line;
}

/* One line, or a stack of lines set flush as the column is. */
static void put_heading(const sb_table_layout *layout, size_t column, FILE *stream)
{
  const sb_table_heading *h = &layout->headings[column];
  const size_t            room = heading_room(layout, column), whole = width(h->name) + width(h->unit) + 3;
  const bool              stacked = (*h->unit ? whole : width(h->name)) > room;
  if (stacked) fprintf(stream, "\\shortstack[%c]{", h->numeric ? 'r' : 'l');
  broken(h->name, stacked ? room : width(h->name), stream);
  if (*h->unit) {
    fputs(stacked ? "\\\\(" : " (", stream);
    put_unit(stream, h->unit);
    fputc(')', stream);
  }
  if (stacked) fputc('}', stream);
}

/* What the columns of a pivot share. Wider than they are, it stands out on both sides: it would widen the last one. */
static void put_span(const sb_table_layout *layout, FILE *stream)
{
  size_t room = 0;
  for (size_t c = layout->stub_count; c < layout->column_count; ++c) room += column_width(layout, c) + 2;
  const bool wide = width(layout->quantity) + 4 + width(layout->axis) + 2 > room;
  for (size_t i = 0; i < layout->stub_count; ++i) fputs("& ", stream);
  fprintf(stream, "\\multicolumn{%zu}{c}{%s", layout->column_count - layout->stub_count, wide ? "\\makebox[0pt]{" : "");
  put_unit(stream, layout->quantity);
  fputs(" by ", stream);
  put_unit(stream, layout->axis);
  fprintf(stream, "%s} \\\\\n\\cmidrule(l){%zu-%zu}\n", wide ? "}" : "", layout->stub_count + 1, layout->column_count);
}

static void put_head(const sb_table_layout *layout, FILE *stream)
{
  if (layout->quantity && layout->column_count > layout->stub_count) put_span(layout, stream);
  for (size_t c = 0; c < layout->column_count; ++c) {
    if (c > 0) fputs(" & ", stream);
    put_heading(layout, c, stream);
  }
  fputs(" \\\\\n\\midrule\n", stream);
}

/* Whether the stubs of `row` up to and with `stub` are those of the line above: said once is enough. */
static bool repeats(const sb_table_layout *layout, size_t row, size_t stub)
{
  if (row == 0 || stub + 1 >= layout->stub_count) return false;
  for (size_t s = 0; s <= stub; ++s)
    if (strcmp(sb_table_cell_at(layout, row, s)->text, sb_table_cell_at(layout, row - 1, s)->text) != 0) return false;
  return true;
}

static bool has_groups(const sb_table_layout *layout)
{
  for (size_t r = 1; r < layout->row_count; ++r)
    if (repeats(layout, r, 0)) return true;
  return false;
}

static void put_line(const sb_table_layout *layout, size_t row, FILE *stream)
{
  if (row > 0 && has_groups(layout) && !repeats(layout, row, 0)) fputs("\\addlinespace\n", stream);
  for (size_t c = 0; c < layout->column_count; ++c) {
    if (c > 0) fputs(" & ", stream);
    if (!repeats(layout, row, c)) put_cell(stream, sb_table_cell_at(layout, row, c));
  }
  fprintf(stream, " \\\\ %% %s\n", layout->keys[row]);
}

void sb_table_write_latex(const sb_table_layout *layout, const char *id, FILE *stream)
{
  fputs("% needs \\usepackage{booktabs}\n", stream);
  if (layout->floor) put_comment(stream, "Times: ", layout->floor); /* of the machine, and no part of a caption */
  fputs("\\begin{table}\n\\centering\n", stream);
  put_caption(layout, id, stream);
  fputs("\\medskip\n", stream);
  const bool wide = put_size(layout, stream);
  if (wide) fputs("\\makebox[\\linewidth][c]{%\n", stream);
  fputs("\\begin{tabular}{@{}", stream);
  for (size_t c = 0; c < layout->column_count; ++c) fputc(layout->headings[c].numeric ? 'r' : 'l', stream);
  fputs(layout->column_count == 0 ? "l@{}}\n\\toprule\n" : "@{}}\n\\toprule\n", stream);
  if (layout->column_count > 0) put_head(layout, stream);
  for (size_t r = 0; r < layout->row_count; ++r) put_line(layout, r, stream);
  if (layout->row_count == 0)
    fprintf(stream, "\\multicolumn{%zu}{@{}l}{%s} \\\\\n", layout->column_count > 0 ? layout->column_count : 1,
            layout->empty);
  fprintf(stream, "\\bottomrule\n\\end{tabular}%s\n\\end{table}\n", wide ? "}" : "");
}
