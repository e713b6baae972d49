/* What is written for LaTeX: text, units, numbers, and a table with booktabs; see latex.h. */
#include "harness/report/latex.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pairs of a text and what stands for it: what LaTeX would take for a command, and what its standard fonts lack. */
static const char *const commands[] = {"\\", "\\textbackslash{}",
                                       "{",  "\\{",
                                       "}",  "\\}",
                                       "$",  "\\$",
                                       "&",  "\\&",
                                       "#",  "\\#",
                                       "_",  "\\_",
                                       "%",  "\\%",
                                       "~",  "\\textasciitilde{}",
                                       "^",  "\\textasciicircum{}",
                                       "<",  "\\textless{}",
                                       ">",  "\\textgreater{}",
                                       "|",  "\\textbar{}",
                                       "\"", "''",
                                       "`",  "\\textasciigrave{}",
                                       "–",  "--",
                                       "—",  "---",
                                       "‘",  "`",
                                       "’",  "'",
                                       "“",  "``",
                                       "”",  "''",
                                       "…",  "\\dots{}",
                                       NULL};
/* Signs of mathematics and what they are between dollars. */
static const char *const signs[] = {
    "−", "-",        "×", "\\times",  "·", "\\cdot",   "≤", "\\le",      "≥", "\\ge",         "±", "\\pm",
    "≈", "\\approx", "²", "^2",       "³", "^3",       "°", "^\\circ",   "¹", "^1",           "⁻", "^-",
    "½", "\\frac12", "√", "\\surd",   "∇", "\\nabla",  "∂", "\\partial", "∈", "\\in",         "→", "\\to",
    "≠", "\\ne",     "∝", "\\propto", "‖", "\\Vert",   "∞", "\\infty",   "µ", "\\mu",         "μ", "\\mu",
    "α", "\\alpha",  "β", "\\beta",   "γ", "\\gamma",  "δ", "\\delta",   "ε", "\\varepsilon", "ζ", "\\zeta",
    "η", "\\eta",    "κ", "\\kappa",  "λ", "\\lambda", "π", "\\pi",      "ρ", "\\rho",        "σ", "\\sigma",
    "τ", "\\tau",    "φ", "\\varphi", "χ", "\\chi",    "ψ", "\\psi",     "ω", "\\omega",      "Γ", "\\Gamma",
    "Δ", "\\Delta",  "Θ", "\\Theta",  "Λ", "\\Lambda", "Ξ", "\\Xi",      "Π", "\\Pi",         "Σ", "\\Sigma",
    "Φ", "\\Phi",    "Ψ", "\\Psi",    "Ω", "\\Omega",  NULL};

/* The pair whose text begins `text`, NULL: there is none. */
static const char *const *pair_of(const char *const *pairs, const char *text)
{
  for (; *pairs; pairs += 2)
    if (strncmp(text, pairs[0], strlen(pairs[0])) == 0) return pairs;
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

void sb_text_put_latex(FILE *stream, const char *text)
{
  while (*text) {
    const char *const  *command = pair_of(commands, text), *const *sign = pair_of(signs, text);
    const unsigned char c = (unsigned char)*text;
    /* Of accented letters the default font encoding has most of U+00C0 to U+00FF. */
    const bool letter =
        c == 0xc3 && ((unsigned char)text[1] & 0xc0) == 0x80 && !strchr("\x90\x9e\xb0\xb7\xbe", text[1]);
    const size_t length = command ? strlen(*command) : sign ? strlen(*sign) : character_length(text);
    if (command)
      fputs(command[1], stream);
    else if (sign)
      fprintf(stream, "$%s$", sign[1]);
    else if (letter)
      fwrite(text, 1, length, stream);
    else
      fputc(c < 0x20 || c == 0x7f ? ' ' : c < 0x80 ? c : '?', stream);
    text += length;
  }
}

/* m/s^2 -> m/s$^{2}$ */
static void put_prose(FILE *stream, const sb_table *t, const char *text)
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
static void put_cell(FILE *stream, const sb_cell *cell, unsigned marks)
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
static void put_sentence(FILE *stream, const sb_table *t, const char *lead, const char *text)
{
  fprintf(stream, "%s%s", lead, *lead ? " " : "");
  put_prose(stream, t, text);
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

static void put_caption(const sb_table *t, FILE *stream)
{
  static const char *const leads[SB_MARK_KINDS] = {"Bold:", "$\\dagger$:", "$\\ddagger$:"};
  const unsigned           used = sb_table_marks(t);
  sb_arena_writer          writer;
  FILE                    *sentences = sb_arena_write(&writer, t->arena);
  for (size_t i = 0; i < t->note_count; ++i)
    if (t->notes[i].place <= SB_NOTE_ABOVE)
      put_sentence(sentences, t, t->notes[i].lead, capitalised(t, t->notes[i].text));
  for (size_t i = 0; i < t->note_count; ++i)
    if (t->notes[i].place == SB_NOTE_BELOW) put_sentence(sentences, t, t->notes[i].lead, t->notes[i].text);
  for (unsigned i = 0; i < SB_MARK_KINDS; ++i)
    if (used & 1U << i && t->means[i]) put_sentence(sentences, t, leads[i], t->means[i]);
  char  *text = sb_arena_text(&writer);
  size_t length = strlen(text);
  while (length > 0 && text[length - 1] == ' ') --length;
  fprintf(stream, "\\caption{%.*s}\n", (int)length, text);
  if (t->id) fprintf(stream, "\\label{tab:%s}\n", t->id);
}

static void put_head(const sb_table *t, FILE *stream)
{
  if (t->quantity && t->column_count > t->stub_count) {
    for (size_t i = 0; i < t->stub_count; ++i) fputs("& ", stream);
    fprintf(stream, "\\multicolumn{%zu}{c}{", t->column_count - t->stub_count);
    put_prose(stream, t, t->quantity);
    fputs(" by ", stream);
    put_prose(stream, t, t->axis);
    fprintf(stream, "} \\\\\n\\cmidrule(l){%zu-%zu}\n", t->stub_count + 1, t->column_count);
  }
  for (size_t c = 0; c < t->column_count; ++c) {
    const sb_heading *h = &t->headings[c];
    fputs(c > 0 ? " & " : "", stream);
    sb_text_put_latex(stream, h->name);
    if (!*h->unit) continue;
    fputs(" (", stream);
    put_prose(stream, t, h->unit);
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

static void put_rows(const sb_table *t, FILE *stream)
{
  bool grouped = false;
  for (size_t r = 1; r < t->row_count; ++r) grouped = grouped || repeats(t, r, 0);
  for (size_t r = 0; r < t->row_count; ++r) {
    const sb_table_line *row = &t->rows[r];
    if (r > 0 && grouped && !repeats(t, r, 0)) fputs("\\addlinespace\n", stream);
    for (size_t c = 0; c < t->column_count; ++c) {
      fputs(c > 0 ? " & " : "", stream);
      if (!repeats(t, r, c)) put_cell(stream, &row->cells[c], c < t->stub_count ? 0 : row->cells[c].marks);
    }
    fprintf(stream, " \\\\%s%s\n", row->comment ? " % " : "", row->comment ? row->comment : "");
  }
}

void sb_table_print_latex(const sb_table *t, FILE *stream)
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
  put_caption(t, stream);
  fputs("\\medskip\n\\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n\\begin{tabular}{@{}",
        stream);
  for (size_t c = 0; c < columns; ++c) fputc(t->column_count > 0 && t->headings[c].numeric ? 'r' : 'l', stream);
  fputs("@{}}\n\\toprule\n", stream);
  if (t->column_count > 0) put_head(t, stream);
  put_rows(t, stream);
  if (t->row_count == 0) fprintf(stream, "\\multicolumn{%zu}{@{}l}{%s} \\\\\n", columns, t->empty ? t->empty : "none");
  fputs("\\bottomrule\n\\end{tabular}}\n\\end{table}\n", stream);
}
