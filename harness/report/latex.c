/* Text for LaTeX; see latex.h. */
#include "harness/report/latex.h"

#include <stdbool.h>
#include <string.h>

/* Pairs of a text and what stands for it: what LaTeX would take for a command, and what its standard fonts lack. */
static const char *const commands[] = {"--", "-{}-",
                                       "\\", "\\textbackslash{}",
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

/* What stands for the beginning of a text, whose length it gives; NULL: itself. */
static const char *instead_of(const char *const *pairs, const char *text, size_t *length)
{
  for (; *pairs; pairs += 2) {
    *length = strlen(pairs[0]);
    if (strncmp(text, pairs[0], *length) == 0) return pairs[1];
  }
  return NULL;
}

void sb_text_put_latex(FILE *stream, const char *text)
{
  for (size_t length; *text; text += length) {
    const unsigned char c = (unsigned char)*text;
    const char         *instead = instead_of(commands, text, &length);
    if (instead) {
      fputs(instead, stream);
    } else if ((instead = instead_of(signs, text, &length))) {
      fprintf(stream, "$%s$", instead);
    } else if (c < 0x80) {
      fputc(c < 0x20 || c == 0x7f ? ' ' : c, stream);
      length = 1;
    } else {
      /* Of accented letters the default font encoding has most of U+00C0 to U+00FF. */
      const bool letter =
          c == 0xc3 && ((unsigned char)text[1] & 0xc0) == 0x80 && !strchr("\x90\x9e\xb0\xb7\xbe", text[1]);
      for (length = 1; ((unsigned char)text[length] & 0xc0) == 0x80;) ++length; /* the character's other bytes */
      fprintf(stream, "%.*s", letter ? 2 : 1, letter ? text : "?");
    }
  }
}
