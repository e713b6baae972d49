/* The page over all sweeps of a folder: verdicts by sweep, verdicts by published finding, then each sweep in a section
 * that opens. */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "harness/report/report_html.h"
#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"
#include "harness/report/reproduced.h"
#include "harness/results/results_folders.h"

typedef struct {
  char       *folder, *trouble; /* trouble: why it cannot be read, else NULL */
  sb_results *results;          /* NULL: it cannot be read */
  sb_verdict *verdicts;
} entry;

typedef struct {
  const char       *parent;
  const sb_session *session;
  size_t            count, embedded;
  entry            *entries;
  sb_reproduction  *reproduction; /* NULL: the findings cannot be read */
} collection;

static void collect(void *context, const char *folder)
{
  collection *c = context;
  char       *path = sb_format("%s/%s", c->parent, folder);
  entry       e = {.folder = sb_copy_text(folder)};
  sb_session  own = *c->session; /* what cannot be read is told on the page alone */
  own.diagnostics = sb_diagnostics_create();
  e.results = sb_results_open(path, &own);
  if (e.results) e.results->session.diagnostics = c->session->diagnostics;
  if (e.results)
    e.verdicts = sb_claims_judge(e.results);
  else
    e.trouble = sb_copy_text(sb_diagnostics_message(own.diagnostics, 0));
  c->entries = sb_grow(c->entries, c->count, sizeof *c->entries);
  c->entries[c->count++] = e;
  sb_diagnostics_destroy(&own.diagnostics);
  free(path);
}

static sb_html_sweep sweep_of(collection *c, FILE *stream, const entry *e)
{
  sb_html_sweep s = {.stream = stream, .results = e->results, .verdicts = e->verdicts};
  s.findings = c->reproduction ? c->reproduction->findings : NULL;
  s.folder = e->folder;
  s.level = 3;
  s.embedded = &c->embedded;
  s.driver = c->session->drivers ? sb_driver_find(c->session->drivers, e->results->sweep->driver) : NULL;
  return s;
}

static void put_anchor(FILE *stream, const entry *e)
{
  fputs("<a href=\"#", stream);
  sb_html_put_id(stream, e->folder);
  fputs("\">", stream);
  sb_html_put(stream, e->folder);
  fputs("</a>", stream);
}

/* The worst that was found of a sweep, for a mark beside its name. */
static sb_verdict_kind worst(const sb_html_tally *tally)
{
  static const sb_verdict_kind order[] = {SB_NOT_REPRODUCED, SB_CONTRADICTION_GONE, SB_CONTRADICTED, SB_REPRODUCED};
  for (size_t i = 0; i < sizeof order / sizeof *order; ++i)
    if (tally->of[order[i]] > 0) return order[i];
  return SB_NOT_TESTED;
}

static const char *topic_of(const entry *e) { return e->results ? e->results->sweep->topic : NULL; }

/* By topic, those without one last; else as they come, by name. */
static int compare_entries(const void *left, const void *right)
{
  const entry *a = left, *b = right;
  const char  *x = topic_of(a), *y = topic_of(b);
  const int    order = !x || !y ? !x - !y : strcmp(x, y);
  return order != 0 ? order : strcmp(a->folder, b->folder);
}

/* The topic, before the first entry that has it. */
static void put_topic(const collection *c, FILE *stream, size_t i, const char *begin, const char *end)
{
  const char *topic = topic_of(&c->entries[i]), *before = i > 0 ? topic_of(&c->entries[i - 1]) : NULL;
  if (!topic || (before && strcmp(before, topic) == 0)) return;
  fputs(begin, stream);
  sb_html_put(stream, topic);
  fputs(end, stream);
}

/* A folder of sweeps of one's own has nothing to say of them; findings that cannot be read are told. */
static bool speaks_of_findings(const collection *c)
{
  return !c->reproduction || c->count == 0 || sb_reproduction_says_something(c->reproduction);
}

static void put_navigation(const collection *c, FILE *stream)
{
  fputs("<nav aria-label=\"sweeps\">\n<ul>\n<li><a href=\"#sweeps\">All sweeps</a></li>\n", stream);
  if (speaks_of_findings(c)) fputs("<li><a href=\"#findings\">Published findings</a></li>\n", stream);
  for (size_t i = 0; i < c->count; ++i) {
    const entry *e = &c->entries[i];
    put_topic(c, stream, i, "<li class=\"topic\">", "</li>\n");
    fputs("<li>", stream);
    if (e->results) {
      const sb_html_tally tally = sb_html_tally_of(e->results, e->verdicts);
      fprintf(stream, "<span class=\"dot %s\" title=\"%s\"></span>", sb_html_verdict_class(worst(&tally)),
              sb_html_verdict_word(worst(&tally)));
    }
    put_anchor(stream, e);
    fputs("</li>\n", stream);
  }
  fputs("</ul>\n</nav>\n", stream);
}

/* All verdicts of a tally as badges. */
static void put_badges(FILE *stream, const sb_html_tally *tally)
{
  for (size_t kind = 0; kind <= SB_NOT_TESTED; ++kind) {
    if (tally->of[kind] == 0) continue;
    sb_html_badge(stream, (sb_verdict_kind)kind, tally->of[kind]);
    fputc(' ', stream);
  }
}

/* Sorted by its verdicts a table begins with the sweep that has most against it. */
static void put_index_row(collection *c, FILE *stream, const entry *e)
{
  const sb_html_tally tally = e->results ? sb_html_tally_of(e->results, e->verdicts) : (sb_html_tally){{0}};
  const size_t        failed = tally.of[SB_NOT_REPRODUCED] + tally.of[SB_CONTRADICTION_GONE];
  fputs("<tr><th scope=\"row\" class=\"text\">", stream);
  put_anchor(stream, e);
  sb_html_element(stream, "div class=\"setting\"", e->results ? e->results->sweep->question : e->trouble);
  fprintf(stream, "</th><td class=\"verdicts\" data-v=\"-%zu.%03zu%03zu\">", failed, tally.of[SB_CONTRADICTED] % 1000,
          tally.of[SB_REPRODUCED] % 1000);
  put_badges(stream, &tally);
  fputs("</td><td class=\"text\">", stream);
  if (e->results) {
    const sb_html_sweep s = sweep_of(c, stream, e);
    sb_html_status_line(&s);
  }
  fputs("</td></tr>\n", stream);
}

static void put_index(collection *c, FILE *stream)
{
  fputs("<h2 id=\"sweeps\">All sweeps</h2>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"all sweeps\">\n<table class=\"sortable "
        "wide\">\n<thead><tr class=\"sorts\"><th scope=\"col\">sweep and question</th><th scope=\"col\">verdicts</th>"
        "<th scope=\"col\">cases</th></tr></thead>\n<tbody>\n",
        stream);
  for (size_t i = 0; i < c->count; ++i) put_index_row(c, stream, &c->entries[i]);
  fputs("</tbody>\n</table>\n</div>\n", stream);
}

static void put_section(collection *c, FILE *stream, const entry *e)
{
  fputs("<details class=\"sweep\" id=\"", stream);
  sb_html_put_id(stream, e->folder);
  fputs("\">\n<summary><h2>", stream);
  sb_html_put(stream, e->folder);
  fputs("</h2> ", stream);
  const sb_html_tally tally = e->results ? sb_html_tally_of(e->results, e->verdicts) : (sb_html_tally){{0}};
  put_badges(stream, &tally);
  fputs("</summary>\n", stream);
  if (e->results) {
    const sb_html_sweep s = sweep_of(c, stream, e);
    sb_html_sweep_body(&s);
  } else {
    fputs("<div class=\"notice failure\"><p>This directory cannot be read: ", stream);
    sb_html_put(stream, e->trouble);
    fputs("</p></div>\n", stream);
  }
  fputs("</details>\n", stream);
}

static void put_counts(const collection *c, FILE *stream)
{
  sb_html_tally all = {{0}};
  for (size_t i = 0; i < c->count; ++i) {
    if (!c->entries[i].results) continue;
    const sb_html_tally tally = sb_html_tally_of(c->entries[i].results, c->entries[i].verdicts);
    for (size_t kind = 0; kind <= SB_NOT_TESTED; ++kind) all.of[kind] += tally.of[kind];
  }
  fputs("<p class=\"answer\"><span class=\"said\">", stream);
  if (speaks_of_findings(c)) sb_html_findings_answer(stream, c->reproduction);
  fprintf(stream, "</span>\n<span class=\"said\">Claims of %zu sweep%s: ", c->count, c->count == 1 ? "" : "s");
  put_badges(stream, &all);
  fputs("</span></p>\n", stream);
}

static bool write_page(FILE *stream, void *context)
{
  collection *c = context;
  bool        done = sb_html_page_begin(stream, "Results – springbench");
  put_navigation(c, stream);
  fputs("<main id=\"content\">\n<h1>Results</h1>\n", stream);
  put_counts(c, stream);
  if (c->count == 0) fputs("<p>There are no results here yet.</p>\n", stream);
  put_index(c, stream);
  if (speaks_of_findings(c)) sb_html_findings(stream, c->reproduction);
  fputs("<h2 id=\"each\">Each sweep</h2>\n", stream);
  for (size_t i = 0; i < c->count; ++i) {
    put_topic(c, stream, i, "<p class=\"topic\">", "</p>\n");
    put_section(c, stream, &c->entries[i]);
  }
  fputs("</main>\n", stream);
  return sb_html_page_end(stream) && done;
}

sb_page_outcome sb_report_html_write_all(const char *parent, const sb_session *session)
{
  collection c = {.parent = parent, .session = session};
  c.reproduction = sb_reproduction_create(parent, session, true);
  sb_results_folders(parent, collect, &c);
  if (c.count > 0) qsort(c.entries, c.count, sizeof *c.entries, compare_entries);
  const sb_page_outcome outcome = sb_html_page_write(parent, write_page, &c);
  for (size_t i = 0; i < c.count; ++i) {
    free(c.entries[i].folder);
    free(c.entries[i].trouble);
    free(c.entries[i].verdicts);
  }
  free(c.entries);
  sb_reproduction_destroy(&c.reproduction);
  return outcome;
}
