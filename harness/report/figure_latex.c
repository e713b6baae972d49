/* The texts of a figure for LaTeX. gnuplot's terminal cairolatex copies every text as it stands, but titles, keys and
 * axes are written for its other terminals: x_{max}, 10^{-3}, ω, and plain names such as explicit_euler. What stands
 * after \strut{} in its output is made LaTeX here; what is between dollars already is. The size of type is the one
 * that plots/style.gp has it leave room for, 8 points, whatever the document's is. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/figure.h"
#include "harness/report/latex.h"
#include "harness/report/report_text.h"

static const char mark[] = "\\strut{}";

/* Bytes up to the brace that closes what was open before `text`. */
static size_t text_length(const char *text)
{
  size_t length = 0;
  int    depth = 0;
  for (; text[length]; ++length) {
    if (text[length] == '{') ++depth;
    if (text[length] == '}' && depth-- == 0) break;
  }
  return length;
}

/* Bytes of what is raised or lowered after ^ or _: {…}, or one character after ^ (names have bare underscores). */
static size_t script_length(const char *text)
{
  if (text[1] == '{') return strchr(text, '}') ? (size_t)(strchr(text, '}') - text) + 1 : 0;
  return text[0] == '^' && text[1] ? 2 : 0;
}

static void put_script(FILE *stream, const char *text, size_t length)
{
  const bool braces = text[1] == '{';
  char      *inner = sb_format("%.*s", (int)(braces ? length - 3 : 1), text + (braces ? 2 : 1));
  fprintf(stream, "\\ensuremath{%c{\\mathrm{%s}}}", text[0], inner);
  free(inner);
}

static void put_text(FILE *stream, char *text)
{
  while (*text) {
    const size_t plain = strcspn(text, "^_$");
    const char   kept = text[plain];
    text[plain] = '\0';
    sb_text_put_latex(stream, text);
    text[plain] = kept;
    text += plain;
    char        *end = kept == '$' ? strchr(text + 1, '$') : NULL;
    const size_t script = kept == '^' || kept == '_' ? script_length(text) : 0;
    if (end)
      fwrite(text, 1, (size_t)(end - text) + 1, stream);
    else if (script > 0)
      put_script(stream, text, script);
    else if (kept)
      sb_text_put_latex(stream, (char[]){kept, '\0'});
    text = end ? end + 1 : text + (script > 0 ? script : kept != '\0');
  }
}

static void put_line(FILE *stream, const char *line, size_t length)
{
  char       *copy = sb_copy_span(line, length);
  const char *at = strstr(copy, mark);
  if (strcmp(copy, "\\begingroup\n") == 0)
    fputs("\\begingroup\n  \\fontsize{8}{9.6}\\selectfont\n", stream);
  else if (!at || !strstr(copy, "\\put("))
    fputs(copy, stream);
  else {
    at += sizeof mark - 1;
    const size_t inner = text_length(at);
    char        *text = sb_copy_span(at, inner);
    fwrite(copy, 1, (size_t)(at - copy), stream);
    put_text(stream, text);
    fputs(at + inner, stream);
    free(text);
  }
  free(copy);
}

void sb_figure_put_latex(FILE *stream, const char *drawn)
{
  while (*drawn) {
    const size_t length = strcspn(drawn, "\n") + (strchr(drawn, '\n') != NULL);
    put_line(stream, drawn, length);
    drawn += length;
  }
}
