/* What the parts of a report have in common: headings, ids, links to files. */
#include <stdlib.h>
#include <unistd.h>

#include "harness/report/report_html_parts.h"
#include "harness/report/report_text.h"

void sb_html_sweep_id(const sb_html_sweep *s, const char *part, const char *name)
{
  sb_html_put_id(s->stream, s->folder);
  if (*s->folder) fputc(':', s->stream);
  fputs(part, s->stream);
  if (!name) return;
  fputc(':', s->stream);
  sb_html_put_id(s->stream, name);
}

void sb_html_heading(const sb_html_sweep *s, const char *part, const char *title)
{
  fprintf(s->stream, "<h%d id=\"", s->level);
  sb_html_sweep_id(s, part, NULL);
  fputs("\">", s->stream);
  sb_html_put(s->stream, title);
  fprintf(s->stream, "</h%d>\n", s->level);
}

void sb_html_file_link(const sb_html_sweep *s, const char *name, const char *text)
{
  char *path = sb_format("%s/%s", s->results->directory, name);
  if (access(path, F_OK) == 0) {
    fputs("<a href=\"", s->stream);
    sb_html_put_address(s->stream, s->folder);
    if (*s->folder) fputc('/', s->stream);
    sb_html_put_address(s->stream, name);
    fputs("\">", s->stream);
    sb_html_put(s->stream, text);
    fputs("</a> ", s->stream);
  }
  free(path);
}
