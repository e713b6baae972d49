/* Published findings in HTML: what became of each, in which sweeps, and what was published. */
#include "harness/report/report_html_parts.h"

static void put_badge(FILE *stream, sb_verdict_kind verdict, size_t count)
{
  sb_html_badge(stream, verdict, count);
  fputc(' ', stream);
}

/* Links to the sweeps whose claims answer it. */
static void put_sweeps(FILE *stream, const sb_finding *finding)
{
  for (size_t i = 0; i < finding->count; ++i) {
    const sb_results_folder *folder = finding->answers[i].folder;
    if (i > 0 && folder == finding->answers[i - 1].folder) continue;
    fprintf(stream, "%s<a href=\"#", i > 0 ? "<br>" : "");
    sb_html_put_id(stream, folder->name);
    fputs("\">", stream);
    sb_html_put(stream, folder->name);
    fputs("</a>", stream);
  }
}

static void put_finding(FILE *stream, const sb_finding *finding)
{
  fputs("<tr><th scope=\"row\"><code>", stream);
  sb_html_put(stream, finding->id);
  fprintf(stream, "</code></th><td class=\"text verdicts\" data-v=\"%d\">", -(int)finding->verdict);
  put_badge(stream, finding->verdict, 0);
  sb_html_element(stream, "div class=\"setting\"", finding->why);
  for (size_t i = 0; i < finding->count; ++i)
    if (finding->answers[i].verdict->kind == SB_CONTRADICTED)
      sb_html_element(stream, "div class=\"setting\"", finding->answers[i].claim->contradicted);
  fputs("</td><td>", stream);
  put_sweeps(stream, finding);
  fputs("</td><td>", stream);
  sb_html_put(stream, sb_claim_kind_word(finding->kind));
  fputs("</td><td class=\"text\">", stream);
  sb_html_put(stream, finding->finding);
  fputs("<div class=\"setting\">", stream);
  sb_html_put(stream, finding->source);
  fputs(": ", stream);
  sb_html_put(stream, finding->setting);
  fputs("</div></td></tr>\n", stream);
}

void sb_html_findings_answer(FILE *stream, const sb_findings *findings)
{
  size_t counts[SB_VERDICT_KINDS] = {0};
  if (!findings) return;
  for (size_t i = 0; i < findings->count; ++i) counts[findings->each[i].verdict]++;
  fprintf(stream, "Of %zu published findings: ", findings->count);
  for (size_t verdict = 0; verdict < SB_VERDICT_KINDS; ++verdict)
    if (counts[verdict] > 0) put_badge(stream, (sb_verdict_kind)verdict, counts[verdict]);
}

void sb_html_findings(FILE *stream, const sb_findings *findings)
{
  fputs("<h2 id=\"findings\">Published findings</h2>\n", stream);
  if (!findings) {
    fputs("<p class=\"remark\">results/published/findings.csv cannot be read.</p>\n", stream);
    return;
  }
  fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"published findings\">\n<table "
        "class=\"sortable "
        "wide\">\n<thead><tr class=\"sorts\"><th scope=\"col\">finding</th><th scope=\"col\">verdict</th>"
        "<th scope=\"col\">sweeps</th><th scope=\"col\">kind</th><th scope=\"col\">as published, and where</th>"
        "</tr></thead>\n<tbody>\n",
        stream);
  for (size_t i = 0; i < findings->count; ++i) put_finding(stream, &findings->each[i]);
  fputs("</tbody>\n</table>\n</div>\n", stream);
}
