/* The page over all sweeps of a folder: verdicts by sweep, verdicts by published finding, then each sweep in a section
 * that opens. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/data_directory.h"
#include "harness/report/report_html.h"
#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

typedef sb_results_folder entry;

typedef struct {
  const sb_driver_list     *drivers;
  size_t                    count, embedded;
  entry                    *entries;
  const sb_findings        *findings; /* NULL: they cannot be read */
  const sb_published_table *published;
} collection;

static sb_html_sweep sweep_of(collection *c, FILE *stream, const entry *e)
{
  sb_html_sweep s = {.stream = stream, .results = e->results, .verdicts = sb_results_verdicts(e->results)};
  s.findings = c->published;
  s.folder = e->name;
  s.level = 3;
  s.embedded = &c->embedded;
  s.driver = c->drivers ? sb_driver_find(c->drivers, e->results->sweep->driver) : NULL;
  return s;
}

static void put_anchor(FILE *stream, const entry *e)
{
  fputs("<a href=\"#", stream);
  sb_html_put_id(stream, e->name);
  fputs("\">", stream);
  sb_html_put(stream, e->name);
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
  return order != 0 ? order : strcmp(a->name, b->name);
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
  return !c->findings || c->count == 0 || c->findings->answered > 0;
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
      const sb_html_tally tally = sb_html_tally_of(e->results);
      fprintf(stream, "<span class=\"dot %s\" title=\"%s\"></span>", sb_html_verdict_class(worst(&tally)),
              sb_verdict_word(worst(&tally)));
    }
    put_anchor(stream, e);
    fputs("</li>\n", stream);
  }
  fputs("</ul>\n</nav>\n", stream);
}

/* All verdicts of a tally as badges. */
static void put_badges(FILE *stream, const sb_html_tally *tally)
{
  for (size_t kind = 0; kind < SB_VERDICT_KINDS; ++kind) {
    if (tally->of[kind] == 0) continue;
    sb_html_badge(stream, (sb_verdict_kind)kind, tally->of[kind]);
    fputc(' ', stream);
  }
}

/* Sorted by its verdicts a table begins with the sweep that has most against it. */
static void put_index_row(collection *c, FILE *stream, const entry *e)
{
  const sb_html_tally tally = e->results ? sb_html_tally_of(e->results) : (sb_html_tally){{0}};
  const size_t        failed = tally.of[SB_NOT_REPRODUCED] + tally.of[SB_CONTRADICTION_GONE];
  fputs("<tr><th scope=\"row\" class=\"text\">", stream);
  put_anchor(stream, e);
  sb_html_element(stream, "div class=\"setting\"", e->results ? e->results->sweep->question : e->problem);
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
  sb_html_put_id(stream, e->name);
  fputs("\">\n<summary><h2>", stream);
  sb_html_put(stream, e->name);
  fputs("</h2> ", stream);
  const sb_html_tally tally = e->results ? sb_html_tally_of(e->results) : (sb_html_tally){{0}};
  put_badges(stream, &tally);
  fputs("</summary>\n", stream);
  if (e->results) {
    const sb_html_sweep s = sweep_of(c, stream, e);
    sb_html_sweep_body(&s);
  } else {
    fputs("<div class=\"notice failure\"><p>This directory cannot be read: ", stream);
    sb_html_put(stream, e->problem);
    fputs("</p></div>\n", stream);
  }
  fputs("</details>\n", stream);
}

static void put_counts(const collection *c, FILE *stream)
{
  sb_html_tally all = {{0}};
  for (size_t i = 0; i < c->count; ++i) {
    if (!c->entries[i].results) continue;
    const sb_html_tally tally = sb_html_tally_of(c->entries[i].results);
    for (size_t kind = 0; kind < SB_VERDICT_KINDS; ++kind) all.of[kind] += tally.of[kind];
  }
  fputs("<p class=\"answer\"><span class=\"said\">", stream);
  if (speaks_of_findings(c)) sb_html_findings_answer(stream, c->findings);
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
  if (speaks_of_findings(c)) sb_html_findings(stream, c->findings);
  fputs("<h2 id=\"each\">Each sweep</h2>\n", stream);
  for (size_t i = 0; i < c->count; ++i) {
    put_topic(c, stream, i, "<p class=\"topic\">", "</p>\n");
    put_section(c, stream, &c->entries[i]);
  }
  fputs("</main>\n", stream);
  return sb_html_page_end(stream) && done;
}

sb_page_outcome sb_report_html_write_all(const sb_results_folders *folders, const sb_session *session)
{
  char                error[SB_ERROR_SIZE] = "", *published = sb_data_directory("results/published");
  sb_published_table *table = sb_published_read(published, "findings", error);
  collection          c = {.drivers = session->drivers, .count = folders->count, .published = table};
  free(published);
  c.entries = sb_arena_take(session->arena, folders->count, sizeof *c.entries);
  if (folders->count > 0) memcpy(c.entries, folders->each, folders->count * sizeof *c.entries);
  if (folders->count > 0) qsort(c.entries, c.count, sizeof *c.entries, compare_entries);
  c.findings = sb_findings_judge(session, folders, NULL);
  const sb_page_outcome outcome = sb_html_page_write(folders->parent, write_page, &c);
  sb_published_destroy(&table);
  return outcome;
}
