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
