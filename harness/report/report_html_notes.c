/* How to read a report: what was asked and from where, what varied, what is measured, and how failures are shown. */
#include <stdlib.h>
#include <string.h>

#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

enum { VALUES_SHOWN = 16 };

static bool seen_before(const sb_rows *rows, size_t row, size_t column)
{
  const sb_value value = sb_rows_get(rows, row, column);
  for (size_t i = 0; i < row; ++i)
    if (sb_report_same(sb_rows_get(rows, i, column), value)) return true;
  return value.kind == SB_BLANK;
}

/* Distinct values in the order of the plan. */
static void put_values(const sb_html_sweep *s, size_t column)
{
  size_t shown = 0, more = 0;
  for (size_t row = 0; row < sb_rows_count(s->results->rows); ++row) {
    if (seen_before(s->results->rows, row, column)) continue;
    if (shown == VALUES_SHOWN) {
      more++;
      continue;
    }
    char *text = sb_report_value_text(sb_rows_get(s->results->rows, row, column));
    fputs(shown++ > 0 ? ", " : "", s->stream);
    sb_html_put(s->stream, text);
    free(text);
  }
  if (more > 0) fprintf(s->stream, " and %zu more", more);
}

static void put_axis(const sb_html_sweep *s, size_t column)
{
  const sb_rows_column *c = sb_rows_column_at(s->results->rows, column);
  const sb_option_id    id = sb_option_find(c->name);
  fputs("<dt><code>", s->stream);
  sb_html_put(s->stream, c->name);
  fputs("</code></dt><dd>", s->stream);
  if (id != SB_OPT_COUNT) {
    sb_html_put(s->stream, sb_option_at(id)->sentence);
    fputs(": ", s->stream);
  }
  put_values(s, column);
  if (*c->unit) fputc(' ', s->stream);
  sb_html_put(s->stream, c->unit);
  fputs("</dd>\n", s->stream);
}

static void put_axes(const sb_html_sweep *s)
{
  bool some = false;
  for (size_t c = 0; c < sb_rows_column_count(s->results->rows); ++c) {
    if (!sb_rows_column_at(s->results->rows, c)->is_option) continue;
    if (!some) fputs("<p>What varies between the cases:</p>\n<dl class=\"columns\">\n", s->stream);
    some = true;
    put_axis(s, c);
  }
  if (some) fputs("</dl>\n", s->stream);
}

static void put_column(const sb_html_sweep *s, const sb_column *column)
{
  fputs("<dt><code>", s->stream);
  sb_html_put(s->stream, column->name);
  fputs("</code></dt><dd>", s->stream);
  sb_html_put(s->stream, column->sentence);
  if (*column->unit) fputs(" (", s->stream);
  sb_html_put(s->stream, column->unit);
  fputs(*column->unit ? ")</dd>\n" : "</dd>\n", s->stream);
}

static void put_measured(const sb_html_sweep *s)
{
  if (!s->driver) return;
  fputs("<p>What is measured: driver <code>", s->stream);
  sb_html_put(s->stream, s->driver->name);
  fputs("</code>, ", s->stream);
  sb_html_put(s->stream, s->driver->summary);
  fputs(".</p>\n<details>\n<summary>What each measured column means</summary>\n<dl class=\"columns\">\n", s->stream);
  for (size_t i = 0; i < s->driver->column_count; ++i) put_column(s, &s->driver->columns[i]);
  fputs("</dl>\n</details>\n", s->stream);
}

/* Why cases were left out on purpose. */
static void put_exclusions(const sb_html_sweep *s)
{
  const sb_sweep *sweep = s->results->sweep;
  if (sweep->exclusion_count == 0) return;
  fputs("<p>Left out on purpose, and shown as <em>skipped</em>:</p>\n<ul>\n", s->stream);
  for (size_t i = 0; i < sweep->exclusion_count; ++i) {
    fputs("<li><code>", s->stream);
    sb_html_put(s->stream, sweep->exclusions[i].when ? sb_expression_text(sweep->exclusions[i].when) : "");
    fputs("</code>: ", s->stream);
    sb_html_put(s->stream, sweep->exclusions[i].because);
    fputs("</li>\n", s->stream);
  }
  fputs("</ul>\n", s->stream);
}

void sb_html_notes(const sb_html_sweep *s)
{
  sb_html_heading(s, "notes", "How to read this");
  if (s->results->sweep->source) {
    fputs("<p>Source: ", s->stream);
    sb_html_put(s->stream, s->results->sweep->source);
    fputs(".</p>\n", s->stream);
  }
  put_axes(s);
  put_measured(s);
  put_exclusions(s);
  fputs(
      "<p>A case that did not come to a number keeps its place: <em>diverged</em> left its bounds, <em>not conv.</em> "
      "did not reach its tolerance, <em>not SPD</em> met a matrix that is not positive definite; <em>timeout</em>, "
      "<em>memory</em>, <em>crashed</em> and <em>error</em> are failures of the run. In a table over two axes "
      "<em>ok</em> says that the case ended well and has no such value (it never blew up); – that there is no such "
      "case. Numbers show the digits that their repetitions support. A number leads to its case in the list of "
      "cases.</p>\n",
      s->stream);
  if (!s->results->quick) return;
  fputs(
      "<p>This was a quick run: the first two values of each numeric axis, one repetition. Claims that need the whole "
      "sweep or trustworthy times are not tested.</p>\n",
      s->stream);
}
