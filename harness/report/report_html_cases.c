/* The cases of a sweep in HTML: how many ended how, which failed and why, and each with the command that repeats it. */
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

enum { FAILURES_SHOWN = 50 };

static const char *word_of(const sb_html_sweep *s, size_t row, const char *column)
{
  const sb_value value = sb_rows_get_named(s->results->rows, row, column);
  return value.kind == SB_WORD ? value.word : "";
}

/* False: it has not run. */
static bool status_of(const sb_html_sweep *s, size_t row, sb_status *status)
{
  return sb_status_from_name(word_of(s, row, "status"), status);
}

static bool has_failed(const sb_html_sweep *s, size_t row)
{
  sb_status status = SB_OK;
  return status_of(s, row, &status) && !sb_status_is_result(status);
}

static const char *status_class(const sb_html_sweep *s, size_t row)
{
  sb_status status = SB_OK;
  if (!status_of(s, row, &status)) return "pending";
  return status == SB_OK ? "ok" : sb_status_is_result(status) ? "result" : "failure";
}

void sb_html_status_line(const sb_html_sweep *s)
{
  size_t       counts[SB_STATUS_COUNT] = {0}, pending = 0;
  const char  *separator = "";
  const size_t rows = sb_rows_count(s->results->rows);
  for (size_t i = 0; i < rows; ++i) {
    sb_status status = SB_OK;
    if (status_of(s, i, &status))
      counts[status]++;
    else
      pending++;
  }
  fprintf(s->stream, "%zu case%s: ", rows, rows == 1 ? "" : "s");
  for (size_t i = 0; i < SB_STATUS_COUNT; ++i) {
    if (counts[i] == 0) continue;
    const bool failure = !sb_status_is_result((sb_status)i);
    fprintf(s->stream, "%s%s%zu ", separator, failure ? "<strong class=\"failure\">" : "", counts[i]);
    sb_html_put(s->stream, sb_status_name((sb_status)i));
    if (failure) fputs("</strong>", s->stream);
    separator = ", ";
  }
  if (pending > 0) fprintf(s->stream, "%s<strong class=\"failure\">%zu not run</strong>", separator, pending);
}

/* The options that vary, as this case has them. */
void sb_html_case_words(const sb_html_sweep *s, size_t row)
{
  const char *separator = "";
  for (size_t c = 0; c < sb_rows_column_count(s->results->rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(s->results->rows, c);
    const sb_value        value = sb_rows_get(s->results->rows, row, c);
    if (!column->is_option || value.kind == SB_BLANK) continue;
    char *text = sb_report_value_text(value);
    fputs(separator, s->stream);
    sb_html_put(s->stream, column->name);
    fputs(" = ", s->stream);
    sb_html_put(s->stream, text);
    if (*column->unit) fputc(' ', s->stream);
    sb_html_put(s->stream, column->unit);
    separator = ", ";
    free(text);
  }
}

void sb_html_failures(const sb_html_sweep *s)
{
  size_t failures = 0, shown = 0;
  for (size_t row = 0; row < sb_rows_count(s->results->rows); ++row) failures += has_failed(s, row);
  if (failures == 0) return;
  fprintf(s->stream, "<div class=\"notice failure\" role=\"note\">\n<p><strong>%zu case%s failed</strong></p>\n<ul>\n",
          failures, failures == 1 ? "" : "s");
  for (size_t row = 0; row < sb_rows_count(s->results->rows) && shown < FAILURES_SHOWN; ++row) {
    if (!has_failed(s, row)) continue;
    fputs("<li><a href=\"#", s->stream);
    sb_html_sweep_id(s, "case", word_of(s, row, "key"));
    fputs("\"><code>", s->stream);
    sb_html_put(s->stream, word_of(s, row, "key"));
    fputs("</code></a> ", s->stream);
    sb_html_put(s->stream, word_of(s, row, "status"));
    fputs(" — ", s->stream);
    sb_html_case_words(s, row);
    fputs(": ", s->stream);
    sb_html_put(s->stream, word_of(s, row, "reason"));
    fputs("</li>\n", s->stream);
    shown++;
  }
  if (failures > shown) fprintf(s->stream, "<li>and %zu more, in the list of cases</li>\n", failures - shown);
  fputs("</ul>\n</div>\n", s->stream);
}

static void put_number(FILE *stream, sb_value value, int digits)
{
  char        exact[32], rounded[SB_NUMBER_TEXT];
  const char *text = value.kind == SB_NUMBER ? sb_text_rounded(value.number, digits, rounded) : NULL;
  if (text)
    fprintf(stream, "<td class=\"number\" data-v=\"%s\">", sb_format_real(value.number, exact));
  else
    fputs("<td class=\"number\"><span class=\"none\">–</span>", stream);
  sb_html_put(stream, text);
  fputs("</td>", stream);
}

static void put_option(const sb_html_sweep *s, size_t row, size_t column)
{
  const sb_value value = sb_rows_get(s->results->rows, row, column);
  char           exact[32], *text = sb_report_value_text(value);
  fprintf(s->stream, "<td%s", value.kind == SB_NUMBER ? " class=\"number\"" : "");
  if (value.kind == SB_NUMBER) fprintf(s->stream, " data-v=\"%s\"", sb_format_real(value.number, exact));
  fputs(*text ? ">" : "><span class=\"none\">–</span>", s->stream);
  sb_html_put(s->stream, text);
  fputs("</td>", s->stream);
  free(text);
}

static void put_command(const sb_html_sweep *s, size_t row)
{
  const char *command = word_of(s, row, "command");
  fputs("<td class=\"command\">", s->stream);
  if (*command) fputs("<code>", s->stream);
  sb_html_put(s->stream, command);
  fputs(*command ? "</code></td>" : "</td>", s->stream);
}

static void put_case(const sb_html_sweep *s, size_t row)
{
  const sb_rows *rows = s->results->rows;
  fputs("<tr id=\"", s->stream);
  sb_html_sweep_id(s, "case", word_of(s, row, "key"));
  fprintf(s->stream, "\"><td class=\"status %s\">", status_class(s, row));
  sb_html_put(s->stream, *word_of(s, row, "status") ? word_of(s, row, "status") : "not run");
  fputs("</td>", s->stream);
  put_command(s, row);
  for (size_t c = 0; c < sb_rows_column_count(rows); ++c)
    if (sb_rows_column_at(rows, c)->is_option) put_option(s, row, c);
  put_number(s->stream, sb_rows_get_named(rows, row, "wall_s"), 3);
  fputs("<td><code>", s->stream);
  sb_html_put(s->stream, word_of(s, row, "key"));
  fputs("</code></td><td class=\"reason\">", s->stream);
  sb_html_put(s->stream, word_of(s, row, "reason"));
  fputs("</td></tr>\n", s->stream);
}

static void put_head(const sb_html_sweep *s)
{
  fputs("<thead><tr class=\"sorts\"><th scope=\"col\">status</th>"
        "<th scope=\"col\">repeat it</th>",
        s->stream);
  for (size_t c = 0; c < sb_rows_column_count(s->results->rows); ++c) {
    const sb_rows_column *column = sb_rows_column_at(s->results->rows, c);
    if (!column->is_option) continue;
    fputs("<th scope=\"col\">", s->stream);
    sb_html_put(s->stream, column->name);
    if (*column->unit) fputs(" <span class=\"unit\">(", s->stream);
    sb_html_put(s->stream, column->unit);
    fputs(*column->unit ? ")</span></th>" : "</th>", s->stream);
  }
  fputs("<th scope=\"col\" class=\"number\">took <span class=\"unit\">(s)</span></th><th scope=\"col\">key</th>"
        "<th scope=\"col\">said</th></tr></thead>\n",
        s->stream);
}

void sb_html_cases(const sb_html_sweep *s)
{
  sb_html_heading(s, "cases", "Cases, and the command that repeats each");
  fputs("<p>", s->stream);
  sb_html_status_line(s);
  fputs(". All their numbers, one row a case: ", s->stream);
  sb_html_file_link(s, "results.csv", "results.csv");
  sb_html_file_link(s, "results.h5", "results.h5");
  fputs("</p>\n<details class=\"cases\">\n<summary>Every case</summary>\n"
        "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"every case\">\n<table class=\"sortable\">\n",
        s->stream);
  put_head(s);
  fputs("<tbody>\n", s->stream);
  for (size_t row = 0; row < sb_rows_count(s->results->rows); ++row) put_case(s, row);
  fputs("</tbody>\n</table>\n</div>\n</details>\n", s->stream);
}
