/* Verdicts in HTML: the answer in a sentence, then a card a claim with our values beside what was published. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_html_parts.h"

static const char *const classes[SB_VERDICT_KINDS] = {
    [SB_REPRODUCED] = "reproduced",
    [SB_REPRODUCED_IN_PART] = "reproduced",
    [SB_NOT_REPRODUCED] = "not-reproduced",
    [SB_CONTRADICTED] = "contradicted",
    [SB_CONTRADICTED_IN_PART] = "contradicted",
    [SB_CONTRADICTION_GONE] = "not-reproduced",
    [SB_NOT_COMPARABLE] = "not-tested",
    [SB_NOT_TESTED] = "not-tested",
};

const char *sb_html_verdict_class(sb_verdict_kind kind) { return classes[kind]; }

void sb_html_badge(FILE *stream, sb_verdict_kind kind, size_t count)
{
  fprintf(stream, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> ", classes[kind],
          sb_verdict_sign(kind));
  if (count > 0) fprintf(stream, "%zu ", count);
  fprintf(stream, "%s</span>", sb_verdict_word(kind));
}

sb_html_tally sb_html_tally_of(sb_results *results)
{
  sb_html_tally tally = {{0}};
  sb_verdicts_count(results, tally.of);
  return tally;
}

/* "Reproduced: one claim; another." of all claims of one kind; their text only where they were tested. */
static void put_sentence(const sb_html_sweep *s, sb_verdict_kind kind, size_t count)
{
  const char *separator = ": ", *word = sb_verdict_word(kind);
  if (count == 0) return;
  fprintf(s->stream, "<span class=\"said %s\"><strong>%c%s</strong>", classes[kind], toupper((unsigned char)word[0]),
          word + 1);
  if (kind == SB_NOT_TESTED) fprintf(s->stream, ": %zu claim%s", count, count == 1 ? "" : "s");
  for (size_t i = 0; kind != SB_NOT_TESTED && i < s->results->sweep->claim_count; ++i) {
    if (s->verdicts[i].kind != kind) continue;
    fputs(separator, s->stream);
    sb_html_put(s->stream, s->results->sweep->claims[i].claim);
    separator = "; ";
  }
  fputs(".</span>\n", s->stream);
}

void sb_html_answer(const sb_html_sweep *s)
{
  const sb_html_tally tally = sb_html_tally_of(s->results);
  fputs("<p class=\"answer\">", s->stream);
  for (size_t kind = 0; kind < SB_VERDICT_KINDS; ++kind) put_sentence(s, (sb_verdict_kind)kind, tally.of[kind]);
  if (s->results->sweep->claim_count == 0)
    fputs("This sweep makes no claim; its tables and figures answer.\n", s->stream);
  fputs("</p>\n", s->stream);
}

static bool answered_before(const sb_html_sweep *s, size_t claim)
{
  const sb_claim *claims = s->results->sweep->claims;
  for (size_t i = 0; i < claim; ++i)
    if (claims[i].finding && strcmp(claims[i].finding, claims[claim].finding) == 0) return true;
  return false;
}

/* What was published, in its own words, with the first claim that answers it. */
static void put_finding(const sb_html_sweep *s, size_t claim)
{
  const sb_published_table *findings = s->findings;
  const char               *id = s->results->sweep->claims[claim].finding;
  if (!id || answered_before(s, claim)) return;
  for (size_t row = 1; findings && row < findings->rows; ++row) {
    if (strcmp(sb_published_text(findings, row, "id"), id) != 0) continue;
    fputs("<p class=\"published\"><span class=\"label\">Published</span> ", s->stream);
    sb_html_put(s->stream, sb_published_text(findings, row, "finding"));
    fputs(" <cite>(", s->stream);
    sb_html_put(s->stream, sb_published_text(findings, row, "source"));
    fputs(")</cite></p>\n", s->stream);
  }
}

static void put_code(FILE *stream, const char *before, const char *code)
{
  if (!code) return;
  fprintf(stream, "%s<code>", before);
  sb_html_put(stream, code);
  fputs("</code>", stream);
}

/* How it was decided: kind, finding, and the test itself. */
static void put_terms(const sb_html_sweep *s, const sb_claim *claim)
{
  static const char *const exactness[] = {[SB_CLAIM_EXACT] = "exact: it must hold",
                                          [SB_CLAIM_SHAPE] = "shape: the trend must hold",
                                          [SB_CLAIM_TIME] = "time: on this machine"};
  fprintf(s->stream, "<details class=\"terms\"><summary>%s", exactness[claim->kind]);
  put_code(s->stream, " · finding ", claim->finding);
  fputs("</summary><p>", s->stream);
  put_code(s->stream, "Tested: ", claim->test ? sb_expression_text(claim->test) : NULL);
  put_code(s->stream, " of cases with ", claim->where ? sb_expression_text(claim->where) : NULL);
  fputs("</p></details>\n", s->stream);
}

static void put_claim(const sb_html_sweep *s, size_t i)
{
  const sb_claim   *claim = &s->results->sweep->claims[i];
  const sb_verdict *verdict = &s->verdicts[i];
  fprintf(s->stream, "<li class=\"claim %s\">\n<p class=\"said\">", classes[verdict->kind]);
  sb_html_badge(s->stream, verdict->kind, 0);
  fputc(' ', s->stream);
  sb_html_put(s->stream, claim->claim);
  fputs("</p>\n", s->stream);
  if (*verdict->told) {
    fprintf(s->stream, "<p class=\"ours\"><span class=\"label\">%s</span> ",
            verdict->kind == SB_NOT_TESTED ? "Why" : "Here");
    sb_html_put(s->stream, verdict->told);
    fputs("</p>\n", s->stream);
  }
  put_finding(s, i);
  put_terms(s, claim);
  fputs("</li>\n", s->stream);
}

void sb_html_claims(const sb_html_sweep *s)
{
  if (s->results->sweep->claim_count == 0) return;
  sb_html_heading(s, "claims", "Claims");
  fputs("<ol class=\"claims\">\n", s->stream);
  for (size_t i = 0; i < s->results->sweep->claim_count; ++i) put_claim(s, i);
  fputs("</ol>\n", s->stream);
}
