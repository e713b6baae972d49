/* Published findings in HTML: what became of each, in which sweeps, and what was published. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"
#include "harness/report/reproduced.h"

static const char *class_of(sb_finding_verdict verdict)
{
  static const char *const classes[SB_FINDING_VERDICTS] = {
      [SB_FINDING_REPRODUCED] = "reproduced",         [SB_FINDING_SOME_REPRODUCED] = "reproduced",
      [SB_FINDING_IN_PART] = "contradicted",          [SB_FINDING_CONTRADICTED] = "contradicted",
      [SB_FINDING_NOT_REPRODUCED] = "not-reproduced", [SB_FINDING_NOT_COMPARABLE] = "not-tested",
      [SB_FINDING_NOT_TESTED] = "not-tested"};
  return classes[verdict];
}

static const char *mark_of(sb_finding_verdict verdict)
{
  static const char *const marks[SB_FINDING_VERDICTS] = {
      [SB_FINDING_REPRODUCED] = "✓",   [SB_FINDING_SOME_REPRODUCED] = "◐", [SB_FINDING_IN_PART] = "≠",
      [SB_FINDING_CONTRADICTED] = "≠", [SB_FINDING_NOT_REPRODUCED] = "✗",  [SB_FINDING_NOT_COMPARABLE] = "–",
      [SB_FINDING_NOT_TESTED] = "–"};
  return marks[verdict];
}

static void put_badge(FILE *stream, sb_finding_verdict verdict, size_t count)
{
  const char *word = verdict == SB_FINDING_NOT_REPRODUCED ? "not reproduced" : sb_finding_word(verdict);
  fprintf(stream, "<span class=\"badge %s\"><span aria-hidden=\"true\">%s</span> ", class_of(verdict),
          mark_of(verdict));
  if (count > 0) fprintf(stream, "%zu ", count);
  fprintf(stream, "%s</span> ", word);
}

static bool is_said_before(const sb_reproduction *r, size_t row, size_t claim)
{
  for (size_t i = 0; i < claim; ++i)
    if (sb_finding_has(r, row, i) && r->claims[i].folder == r->claims[claim].folder) return true;
  return false;
}

/* Links to the sweeps whose claims answer it. */
static void put_sweeps(FILE *stream, const sb_reproduction *r, size_t row)
{
  const char *separator = "";
  for (size_t i = 0; i < r->claim_count; ++i) {
    if (!sb_finding_has(r, row, i) || is_said_before(r, row, i)) continue;
    const char *folder = r->folders[r->claims[i].folder].folder;
    fprintf(stream, "%s<a href=\"#", separator);
    sb_html_put_id(stream, folder);
    fputs("\">", stream);
    sb_html_put(stream, folder);
    fputs("</a>", stream);
    separator = "<br>";
  }
}

/* Why it was contradicted, once for each reason. */
static void put_reasons(FILE *stream, const sb_reproduction *r, size_t row)
{
  for (size_t i = 0; i < r->claim_count; ++i)
    if (sb_finding_has(r, row, i) && r->claims[i].verdict.kind == SB_CONTRADICTED)
      sb_html_element(stream, "div class=\"setting\"", r->claims[i].contradicted);
}

static void put_finding(FILE *stream, const sb_reproduction *r, size_t row)
{
  char                    *why = NULL;
  const sb_finding_verdict verdict = sb_finding_judge(r, row, &why);
  fputs("<tr><th scope=\"row\"><code>", stream);
  sb_html_put(stream, sb_published_text(r->findings, row, "id"));
  fprintf(stream, "</code></th><td class=\"text verdicts\" data-v=\"%d\">", -(int)verdict);
  put_badge(stream, verdict, 0);
  sb_html_element(stream, "div class=\"setting\"", why);
  put_reasons(stream, r, row);
  fputs("</td><td>", stream);
  put_sweeps(stream, r, row);
  fputs("</td><td>", stream);
  sb_html_put(stream, sb_published_text(r->findings, row, "kind"));
  fputs("</td><td class=\"text\">", stream);
  sb_html_put(stream, sb_published_text(r->findings, row, "finding"));
  fputs("<div class=\"setting\">", stream);
  sb_html_put(stream, sb_published_text(r->findings, row, "source"));
  fputs(": ", stream);
  sb_html_put(stream, sb_published_text(r->findings, row, "setting"));
  fputs("</div></td></tr>\n", stream);
  free(why);
}

void sb_html_findings_answer(FILE *stream, const sb_reproduction *r)
{
  size_t counts[3][SB_FINDING_VERDICTS];
  if (!r) return;
  sb_reproduction_count(r, counts);
  fprintf(stream, "Of %zu published findings: ", r->findings->rows > 0 ? r->findings->rows - 1 : 0);
  for (size_t verdict = 0; verdict < SB_FINDING_VERDICTS; ++verdict) {
    const size_t count = counts[0][verdict] + counts[1][verdict] + counts[2][verdict];
    if (count > 0) put_badge(stream, (sb_finding_verdict)verdict, count);
  }
}

void sb_html_findings(FILE *stream, const sb_reproduction *r)
{
  fputs("<h2 id=\"findings\">Published findings</h2>\n", stream);
  if (!r) {
    fputs("<p class=\"remark\">results/published/findings.csv cannot be read.</p>\n", stream);
    return;
  }
  fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"published findings\">\n<table "
        "class=\"sortable "
        "wide\">\n<thead><tr class=\"sorts\"><th scope=\"col\">finding</th><th scope=\"col\">verdict</th>"
        "<th scope=\"col\">sweeps</th><th scope=\"col\">kind</th><th scope=\"col\">as published, and where</th>"
        "</tr></thead>\n<tbody>\n",
        stream);
  for (size_t row = 1; row < r->findings->rows; ++row) put_finding(stream, r, row);
  fputs("</tbody>\n</table>\n</div>\n", stream);
}
