/* One sweep of a report: its parts in order, their ids, and the page of one sweep alone. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_html.h"
#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

static void put_link(const sb_html_sweep *s, const char *part, const char *title)
{
  fputs("<li><a href=\"#", s->stream);
  sb_html_sweep_id(s, part, NULL);
  fprintf(s->stream, "\">%s</a></li>\n", title);
}

void sb_html_sweep_links(const sb_html_sweep *s)
{
  const sb_sweep *sweep = s->results->sweep;
  if (sweep->claim_count > 0) put_link(s, "claims", "Claims");
  if (sweep->figure_count > 0) put_link(s, "figures", "Figures");
  if (sb_html_has_animations(s)) put_link(s, "animations", "Animations");
  if (sweep->table_count > 0) put_link(s, "tables", "Tables");
  put_link(s, "notes", "How to read this");
  put_link(s, "cases", "Cases and commands");
  put_link(s, "machine", "Machine and provenance");
}

void sb_html_sweep_body(const sb_html_sweep *s)
{
  sb_html_element(s->stream, "p class=\"question\"", s->results->sweep->question);
  sb_html_answer(s);
  fputs("<p class=\"status-line\">", s->stream);
  if (s->results->quick) fputs("<span class=\"badge quick\">quick run</span> ", s->stream);
  sb_html_status_line(s);
  fputs("</p>\n", s->stream);
  sb_html_failures(s);
  sb_html_claims(s);
  sb_html_figures(s);
  sb_html_animations(s);
  sb_html_tables(s);
  sb_html_notes(s);
  sb_html_cases(s);
  sb_html_machine(s);
}

static bool write_page(FILE *stream, void *context)
{
  const sb_html_sweep *given = context;
  sb_html_sweep        s = *given;
  size_t               embedded = 0;
  s.stream = stream;
  s.embedded = &embedded;
  char *title = sb_format("%s – springbench", s.results->sweep->name);
  bool  done = sb_html_page_begin(stream, title);
  free(title);
  fputs("<nav aria-label=\"parts of this page\">\n<ul>\n", stream);
  sb_html_sweep_links(&s);
  fputs("</ul>\n</nav>\n<main id=\"content\">\n", stream);
  sb_html_element(stream, "h1", s.results->sweep->name);
  sb_html_sweep_body(&s);
  fputs("</main>\n", stream);
  return sb_html_page_end(stream) && done;
}

sb_page_outcome sb_report_html_write(sb_results *results)
{
  const sb_driver_list *drivers = results->session.drivers;
  char                  error[SB_ERROR_SIZE] = "";
  const sb_verdict     *verdicts = sb_results_verdicts(results);
  sb_published_table   *findings = sb_published_read(results->published_dir, "findings", error);
  sb_html_sweep         s = {.results = results, .verdicts = verdicts, .findings = findings, .folder = "", .level = 2};
  s.driver = drivers ? sb_driver_find(drivers, results->sweep->driver) : NULL;
  const sb_page_outcome outcome = sb_html_page_write(results->directory, write_page, &s);
  sb_published_destroy(&findings);
  return outcome;
}
