/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of any kind in every form the program writes: read back they are what was written, and nothing in them is left
 * for a reader to take for syntax: no bar or tag in Markdown, no markup in HTML, no command in LaTeX, no cell or string
 * end in gnuplot's files, no second word in a shell. The first byte chooses the form. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wordexp.h>

#include "cases/common/csv.h"
#include "cases/common/text.h"
#include "cases/describe/names.h"
#include "drivers/drivers.h"
#include "harness/report/figure_text.h"
#include "harness/report/gnuplot.h"
#include "harness/sweep/plan.h"
#include "tests/fuzz/fuzz.h"

typedef struct {
  char  *text;
  size_t length;
} output;

static output written(void (*put)(FILE *, const char *), const char *text)
{
  output o = {0};
  FILE  *stream = open_memstream(&o.text, &o.length);
  if (!stream) abort();
  put(stream, text);
  fclose(stream);
  fuzz_require(strlen(o.text) == o.length, "no NUL is written");
  return o;
}

/* Control characters become blanks where a form has no place for them. */
static bool same_but_controls(const char *a, const char *b, size_t length)
{
  for (size_t i = 0; i < length; ++i) {
    const unsigned char c = (unsigned char)b[i];
    const bool may_be_blank = c < 0x20 || c >= 0x7f; /* beyond ASCII: of a character that commands a terminal */
    if (a[i] != b[i] && !(may_be_blank && a[i] == ' ')) return false;
  }
  return true;
}

static void check_csv(const char *text)
{
  output     o = written(sb_csv_put, text);
  const bool quoted = o.text[0] == '"';
  size_t     read = 0, at = quoted;
  for (; at < o.length && !(quoted && at + 1 == o.length); ++at, ++read) {
    if (quoted && o.text[at] == '"') fuzz_require(o.text[++at] == '"', "quotes are doubled");
    fuzz_require(quoted || !strchr("\",\r\n", o.text[at]), "what needs quotes has them");
    fuzz_require(o.text[at] == text[read], "CSV is read back");
  }
  fuzz_require(text[read] == '\0' && (!quoted || o.text[o.length - 1] == '"'), "CSV is read back whole");
  free(o.text);
}

static void check_markdown(const char *text)
{
  output o = written(sb_text_put_markdown, text);
  size_t read = strspn(text, " \t\r\n");
  for (size_t at = strncmp(o.text, SB_JOINER, strlen(SB_JOINER)) == 0 ? strlen(SB_JOINER) : 0; at < o.length;
       ++at, ++read) {
    const bool escaped = o.text[at] == '\\';
    at += escaped;
    fuzz_require(escaped || !strchr("|`<>\\*[]&~#$", o.text[at]), "what would be markup is escaped");
    fuzz_require((unsigned char)o.text[at] >= 0x20, "a cell stays on its line");
    fuzz_require(same_but_controls(&o.text[at], &text[read], 1), "Markdown is read back");
  }
  fuzz_require(text[read] == '\0', "Markdown is read back whole");
  free(o.text);
}

/* One entity, or one character, of HTML. */
static size_t read_entity(const char *at, char *meant)
{
  static const struct {
    const char *entity;
    char        meant;
  } entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
  for (size_t i = 0; i < sizeof entities / sizeof *entities; ++i) {
    const size_t length = strlen(entities[i].entity);
    *meant = entities[i].meant;
    if (strncmp(at, entities[i].entity, length) == 0) return length;
  }
  fuzz_require(!strchr("&<>\"'", *at), "what would be markup is escaped");
  *meant = *at;
  return 1;
}

static void check_html(const char *text)
{
  output o = written(sb_text_put_html, text);
  size_t read = 0;
  for (size_t at = 0; at < o.length; ++read) {
    char meant;
    at += read_entity(o.text + at, &meant);
    fuzz_require(same_but_controls(&meant, &text[read], 1), "HTML is read back");
  }
  fuzz_require(text[read] == '\0', "HTML is read back whole");
  free(o.text);
}

/* .XX or %XX for what is not plain. */
static void check_coded(void (*put)(FILE *, const char *), char mark, const char *plain, const char *text)
{
  output o = written(put, text);
  size_t read = 0;
  for (size_t at = 0; at < o.length; ++at, ++read) {
    char meant = o.text[at];
    if (meant == mark) {
      const char digits[3] = {o.text[at + 1], o.text[at + 2], '\0'};
      meant = (char)(unsigned char)strtoul(digits, NULL, 16);
      at += 2;
    } else {
      fuzz_require(isalnum((unsigned char)meant) || strchr(plain, meant), "an address has plain characters");
    }
    fuzz_require(meant == text[read], "an address is read back");
  }
  fuzz_require(text[read] == '\0', "an address is read back whole");
  free(o.text);
}

static void check_id(const char *text) { check_coded(sb_text_put_id, '.', "_-", text); }

static void check_address(const char *text) { check_coded(sb_text_put_address, '%', "_-/.+", text); }

/* A command, or one escaped character. */
static size_t latex_command(const char *at)
{
  static const char *const commands[] = {"textbackslash{}",
                                         "textasciitilde{}",
                                         "textasciicircum{}",
                                         "textless{}",
                                         "textgreater{}",
                                         "textbar{}",
                                         "textasciigrave{}",
                                         "times",
                                         "cdot",
                                         "le",
                                         "ge",
                                         "pm",
                                         "approx",
                                         "circ",
                                         "mu",
                                         "omega",
                                         "lambda",
                                         "kappa",
                                         "eta",
                                         "infty",
                                         "surd",
                                         "nabla",
                                         "Delta",
                                         "dots{}"};
  if (strchr("{}$&#_%", at[1])) return 2;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i)
    if (strncmp(at + 1, commands[i], strlen(commands[i])) == 0) return 1 + strlen(commands[i]);
  return 0;
}

static void check_latex(const char *text)
{
  output o = written(sb_text_put_latex, text);
  bool   formula = false;
  for (size_t at = 0; at < o.length;) {
    const size_t command = o.text[at] == '\\' ? latex_command(o.text + at) : 1;
    fuzz_require(command > 0, "only commands that are meant stand in LaTeX");
    if (o.text[at] == '$') formula = !formula;
    fuzz_require(command > 1 || !strchr("{}&#_%~", o.text[at]), "what LaTeX would take for a command is escaped");
    fuzz_require(formula || o.text[at] != '^', "a power stands in a formula");
    fuzz_require((unsigned char)o.text[at] >= 0x20, "no control characters in LaTeX");
    at += command;
  }
  fuzz_require(!formula, "formulas end");
  free(o.text);
}

static void check_cell(const char *text)
{
  output o = written(sb_figure_put_word, text);
  for (size_t i = 0; i < o.length; ++i)
    fuzz_require((unsigned char)o.text[i] >= 0x20 && o.text[i] != '"', "a cell of a data file stays one");
  fuzz_require(o.length == strlen(text) || (*text == '\0' && strcmp(o.text, "?") == 0),
               "a cell is as long as its text");
  free(o.text);
}

/* As gnuplot 5.4 reads it: leading quotes apart, then a string in single quotes that begins with none. */
static void check_gnuplot(const char *text)
{
  static const char quote[] = "\"'\".";
  output            o = written(sb_gnuplot_put_text, text);
  size_t            read = 0, at = 0;
  for (; strncmp(o.text + at, quote, sizeof quote - 1) == 0; at += sizeof quote - 1, ++read)
    fuzz_require(text[read] == '\'', "a quote is read back");
  fuzz_require(at + 2 <= o.length && o.text[at] == '\'' && o.text[o.length - 1] == '\'', "a string is quoted");
  fuzz_require(text[read] != '\'', "no string begins with a quote");
  for (++at; at + 1 < o.length; ++at, ++read) {
    if (o.text[at] == '\'') fuzz_require(o.text[++at] == '\'' && at + 1 < o.length, "quotes are doubled");
    fuzz_require((unsigned char)o.text[at] >= 0x20, "a string stays on its line");
    fuzz_require(same_but_controls(&o.text[at], &text[read], 1), "gnuplot's text is read back");
  }
  fuzz_require(text[read] == '\0', "gnuplot's text is read back whole");
  free(o.text);
}

/* A shell reads the line that repeats a case as it was meant. */
static void check_shell(const char *text)
{
  static sb_options *options;
  wordexp_t          words = {0};
  char               pair[4096];
  bool               found = false;
  if (!options) options = sb_options_create(sb_full_vocabulary());
  if (strlen(text) > 4000 || !sb_options_set(options, SB_ID(mesh), text, SB_FROM_USER, (sb_location){0}, NULL)) return;
  char *command = sb_case_command(options), *json = sb_case_json(options, false, NULL);
  snprintf(pair, sizeof pair, "mesh=%s", text);
  fuzz_require(wordexp(command, &words, WRDE_NOCMD | WRDE_UNDEF) == 0, "a command line is words of a shell");
  for (size_t i = 0; i < words.we_wordc; ++i) found = found || strcmp(words.we_wordv[i], pair) == 0;
  fuzz_require(found, "a shell reads back what a command line says");
  wordfree(&words);
  free(command);
  free(json);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static void (*const checks[])(const char *) = {check_csv,   check_markdown, check_html,  check_id,     check_address,
                                                 check_latex, check_cell,     check_shell, check_gnuplot};
  if (size < 1) return 0;
  char *text = fuzz_text(data + 1, size - 1);
  checks[data[0] % (sizeof checks / sizeof *checks)](text);
  free(text);
  return 0;
}
