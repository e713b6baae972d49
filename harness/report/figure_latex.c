/* The texts of a figure for LaTeX. gnuplot's terminal cairolatex copies every text as it stands, but titles, keys and
 * axes are written for its other terminals: x_{max}, 10^{-3}, ω, and plain names such as explicit_euler. What stands
 * after \strut{} in its output is made LaTeX here; what is between dollars already is. The size of type is the one
 * that plots/style.gp has it leave room for, 8 points, whatever the document's is. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/figure.h"
#include "harness/report/report_text.h"

/* Bytes of a piece that is mathematics: $…$, or what is raised or lowered after ^ or _, {…} or one character after ^
 * (names have bare underscores). 0: it is none. */
static size_t formula_length(const char *text)
{
  const char *end = *text == '$' ? strchr(text + 1, '$') : text[1] == '{' ? strchr(text, '}') : NULL;
  if (end) return (size_t)(end - text) + 1;
  return *text == '^' && text[1] && text[1] != '{' ? 2 : 0;
}

static void put_text(FILE *stream, char *text)
{
  while (*text) {
    size_t       length = strcspn(text, "^_$");
    const size_t formula = length == 0 ? formula_length(text) : 0;
    if (formula > 0 && *text == '$')
      fprintf(stream, "%.*s", (int)formula, text);
    else if (formula > 0)
      fprintf(stream, "\\ensuremath{%c{\\mathrm{%.*s}}}", *text, (int)(text[1] == '{' ? formula - 3 : 1),
              text + (text[1] == '{' ? 2 : 1));
    else {
      if (length == 0) length = 1;
      const char kept = text[length];
      text[length] = '\0';
      sb_text_put_latex(stream, text);
      text[length] = kept;
    }
    text += formula > 0 ? formula : length;
  }
}

void sb_figure_put_latex(FILE *stream, const char *drawn)
{
  static const char mark[] = "\\strut{}", begin[] = "\\begingroup\n";
  while (*drawn) {
    const size_t length = strcspn(drawn, "\n") + (strchr(drawn, '\n') != NULL);
    char        *line = sb_copy_span(drawn, length), *text = strstr(line, "\\put(") ? strstr(line, mark) : NULL;
    drawn += length;
    if (text) {
      char *end = text += sizeof mark - 1;
      for (int depth = 0; *end && (*end != '}' || depth > 0); ++end) depth += (*end == '{') - (*end == '}');
      char *inner = sb_copy_span(text, (size_t)(end - text));
      fprintf(stream, "%.*s", (int)(text - line), line);
      put_text(stream, inner);
      fputs(end, stream);
      free(inner);
    } else
      fprintf(stream, "%s%s", line, strcmp(line, begin) == 0 ? "  \\fontsize{8}{9.6}\\selectfont\n" : "");
    free(line);
  }
}
