/* The values that a figure's points show under the pointer.
 *
 * gnuplot writes a label of hypertext as a group whose attributes call a script of its own:
 *   <g onmousemove="gnuplot_svg.showHypertext(evt,'TEXT')" onmouseout="…"><title> </title>
 *   <use xlink:href='#gpPt6' transform='translate(X,Y) scale(S)' …/></g>
 * Here it becomes <circle cx="X" cy="Y"><title>TEXT</title></circle>, which browsers show without any script: nothing
 * to be seen, but a place for the pointer. All stand in one group at the end, above what is drawn. Of a plot with more
 * than VALUES_MAX of them, those are kept that are at least `apart` from the one kept before; of equal ones,
 * the first. What lies upon another shares its place, a line each.
 * gnuplot's own titles, which a browser would show as well, go; groups that are left empty, too. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness/common/durable.h"
#include "harness/common/html.h"
#include "harness/report/figure_data.h"
#include "harness/report/report_text.h"

enum { VALUES_MAX = 100 };
static const double apart = 4, upon = 0.7; /* in the figure's units, printer's points */

typedef struct {
  char  *text; /* as it stands in the file: escaped */
  double x, y;
  size_t plot;
} value;

typedef struct {
  FILE       *from, *to;
  const char *title;
  char       *line, *pending; /* pending: a group opened, with nothing in it yet */
  size_t      room;
  value      *values;
  size_t      count, plot;
} svg_work;

static bool begins(const char *line, const char *with) { return strncmp(line, with, strlen(with)) == 0; }

static void put_pending(svg_work *w)
{
  if (w->pending) fputs(w->pending, w->to);
  free(w->pending);
  w->pending = NULL;
}

/* The text of a label of hypertext, malloc'ed; NULL where the line is none. */
static char *hypertext(const char *line)
{
  static const char call[] = "\t<g onmousemove=\"gnuplot_svg.showHypertext(evt,'";
  const char       *end = begins(line, call) ? strstr(line, "')\" onmouseout=") : NULL;
  return end ? sb_copy_span(line + sizeof call - 1, (size_t)(end - line) - (sizeof call - 1)) : NULL;
}

/* Takes the line of the mark that belongs to it. */
static void take_value(svg_work *w, char *text)
{
  value       v = {.text = text, .plot = w->plot};
  const char *place = getline(&w->line, &w->room, w->from) > 0 ? strstr(w->line, "translate(") : NULL;
  if (!place || sscanf(place, "translate(%lf,%lf)", &v.x, &v.y) != 2) {
    free(text);
    return;
  }
  w->values = sb_grow(w->values, w->count, sizeof *w->values);
  w->values[w->count++] = v;
}

/* A line that is drawn, less gnuplot's name for it. */
static void put_line(svg_work *w)
{
  char *name = strstr(w->line, "<title>gnuplot_plot_");
  put_pending(w);
  if (name)
    fprintf(w->to, "%.*s\n", (int)(name - w->line), w->line);
  else if (strcmp(w->line, "<title>Gnuplot</title>\n") == 0)
    sb_html_element(w->to, "title", w->title);
  else
    fputs(w->line, w->to);
}

static double distance(const value *a, const value *b) { return hypot(a->x - b->x, a->y - b->y); }

/* Values kept so far of the plot that `next` is of stand in kept[first] to kept[count - 1]. */
static bool keeps(value *const *kept, size_t first, size_t count, const value *next, bool all)
{
  if (!all && count > first && distance(kept[count - 1], next) < apart) return false;
  for (size_t i = first; i < count; ++i)
    if (distance(kept[i], next) < 0.01 && strcmp(kept[i]->text, next->text) == 0) return false;
  return true;
}

/* How many values the plot has that begins at `first`. */
static size_t count_of(const svg_work *w, size_t first)
{
  size_t count = 0;
  while (first + count < w->count && w->values[first + count].plot == w->values[first].plot) ++count;
  return count;
}

/* The values of every plot, thinned, in kept[]: how many. */
static size_t thin(svg_work *w, value **kept)
{
  size_t count = 0;
  for (size_t i = 0; i < w->count;) {
    const size_t here = count_of(w, i), first = count;
    for (size_t end = i + here; i < end; ++i)
      if (keeps(kept, first, count, &w->values[i], here <= VALUES_MAX)) kept[count++] = &w->values[i];
  }
  return count;
}

/* What `next` says goes to one that it would lie upon; false where there is none. */
static bool joins(value *const *kept, size_t count, const value *next)
{
  for (size_t i = 0; i < count; ++i) {
    if (distance(kept[i], next) >= upon) continue;
    char *text = sb_format("%s\n%s", kept[i]->text, next->text);
    free(kept[i]->text);
    kept[i]->text = text;
    return true;
  }
  return false;
}

static void put_values(svg_work *w)
{
  if (w->count == 0) return;
  value      **kept = sb_allocate(w->count, sizeof *kept);
  const size_t count = thin(w, kept);
  size_t       left = 0;
  for (size_t i = 0; i < count; ++i)
    if (!joins(kept, left, kept[i])) kept[left++] = kept[i];
  fputs("<g class=\"values\" fill=\"none\" stroke=\"none\" pointer-events=\"all\">\n", w->to);
  for (size_t i = 0; i < left; ++i)
    fprintf(w->to, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"2.6\"><title>%s</title></circle>\n", kept[i]->x, kept[i]->y,
            kept[i]->text);
  fputs("</g>\n", w->to);
  free(kept);
}

static void take_line(svg_work *w)
{
  char *text = hypertext(w->line);
  if (begins(w->line, "\t<g id=\"gnuplot_plot_")) ++w->plot;
  if (text)
    take_value(w, text);
  else if (begins(w->line, "<g fill=")) {
    put_pending(w);
    w->pending = sb_copy_text(w->line);
  } else if (w->pending && strcmp(w->line, "</g>\n") == 0) {
    free(w->pending);
    w->pending = NULL;
  } else {
    if (begins(w->line, "</svg>")) put_values(w);
    put_line(w);
  }
}

static void clear(svg_work *w)
{
  put_pending(w);
  for (size_t i = 0; i < w->count; ++i) free(w->values[i].text);
  free(w->values);
  free(w->line);
}

static void rewrite(FILE *from, FILE *to, const void *title)
{
  svg_work w = {.from = from, .to = to, .title = title};
  while (getline(&w.line, &w.room, from) > 0) take_line(&w);
  clear(&w);
}

bool sb_figure_svg_has_values(const char *path)
{
  char      *text = sb_read_file(path, NULL);
  const bool found = text && strstr(text, "\n<g class=\"values\"");
  free(text);
  return found;
}

bool sb_figure_svg(const char *path, const char *title) { return sb_figure_rewrite(path, rewrite, title); }
