/* From the numbers of a figure to gnuplot: a script that places panels and legend in centimetres, and one block of data
 * for every curve, so that gnuplot draws and does not search. How a curve looks is its kind's to say (figures/). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "harness/common/gnuplot.h"
#include "harness/report/figure.h"
#include "harness/report/report_text.h"
#include "harness/report/spelling.h"

/* Where things stand on the page, in cm. */
typedef struct {
  double width, height, left, top, panel_width, panel_height, step_x, step_y;
  size_t columns, rows, key_rows, key_width; /* key_width: characters of its longest label */
} layout;

static bool is_joined_by_rows(const sb_figure *f) { return strcmp(f->spec->data, "rows") == 0; }

/* Characters of a label, without its markup. */
static size_t width_of(const char *label)
{
  size_t width = sb_text_width(label);
  for (; *label; ++label) width -= strchr("_^{}", *label) != NULL;
  return width;
}

static bool has_markup(const char *text) { return strstr(text, "_{") || strchr(text, '^'); }

static void put_text(FILE *script, const char *text)
{
  sb_gnuplot_put_text(script, text);
  fputs(has_markup(text) ? " enhanced" : " noenhanced", script);
}

void sb_figure_clause(sb_figure_drawing *d, const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  fputs(d->begun ? ", \\\n     " : "plot ", d->script);
  vfprintf(d->script, format, arguments);
  va_end(arguments);
  d->begun = true;
}

void sb_figure_entry(sb_figure_drawing *d, const char *label, const char *look, ...)
{
  va_list arguments;
  sb_figure_clause(d, "keyentry ");
  va_start(arguments, look);
  vfprintf(d->script, look, arguments);
  va_end(arguments);
  fputs(" title ", d->script);
  put_text(d->script, label);
}

static void put_number(FILE *stream, double number)
{
  char buffer[32];
  fputs(isfinite(number) ? sb_format_real(number, buffer) : "?", stream);
}

bool sb_figure_has_intervals(const sb_figure_point *points, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (isfinite(points[i].lower) && points[i].lower < points[i].upper) return true;
  return false;
}

size_t sb_figure_block(sb_figure_drawing *d, const char *title, const sb_figure_point *points, size_t count)
{
  const bool intervals = sb_figure_has_intervals(points, count);
  if (d->blocks > 0) fputs("\n\n", d->data);
  fprintf(d->data, "# index %zu: ", d->blocks);
  sb_text_put_plain(d->data, *d->view->title ? d->view->title : d->figure->spec->id);
  fputs(": ", d->data);
  sb_text_put_plain(d->data, title);
  fputs(intervals ? "; x, y, lower, upper\n" : "; x, y\n", d->data);
  for (size_t i = 0; i < count; ++i) {
    const sb_figure_point *p = &points[i];
    if (isfinite(p->x)) {
      const double cells[] = {p->x, p->y, isfinite(p->lower) ? p->lower : p->y, isfinite(p->upper) ? p->upper : p->y};
      for (size_t k = 0; k < (intervals ? 4 : 2); ++k) {
        if (k > 0) fputc('\t', d->data);
        put_number(d->data, cells[k]);
      }
    }
    fputc('\n', d->data);
  }
  return d->blocks++;
}

static bool is_within(const sb_figure_view *view, const sb_figure_point *p)
{
  return p->x >= view->x[0] && p->x <= view->x[1] && p->y >= view->y[0] && p->y <= view->y[1];
}

/* Points of a view that `takes`, of curves the last that is seen, as a block of their own; SIZE_MAX where there are
 * none. */
static size_t marked_block(sb_figure_drawing *d, const char *title, bool (*takes)(const sb_figure_point *p))
{
  sb_figure_point *points = NULL;
  size_t           count = 0;
  for (size_t i = 0; i < d->view->series_count; ++i) {
    const sb_figure_series *s = &d->view->series[i];
    for (size_t k = 0; k < s->count; ++k) {
      const bool last = is_joined_by_rows(d->figure) || k + 1 == s->count || !is_within(d->view, &s->points[k + 1]);
      if (!last || !is_within(d->view, &s->points[k]) || s->points[k].edge != 0 || !takes(&s->points[k])) continue;
      points = sb_arena_grow(d->figure->arena, points, count, sizeof *points);
      points[count++] = s->points[k];
    }
  }
  return count > 0 ? sb_figure_block(d, title, points, count) : SIZE_MAX;
}

static bool is_failed(const sb_figure_point *p) { return p->failed; }
static bool is_noisy(const sb_figure_point *p) { return p->noisy; }

#define FAILED_LOOK "with points pt 2 ps 0.75 lw 1.4 lc rgb black"
#define NOISY_LOOK  "with labels offset 0.9, 0.5 tc rgb black"

static void put_marks(sb_figure_drawing *d)
{
  const bool   by_value = d->figure->kind->traits & SB_FIGURE_BY_VALUE;
  const size_t failed = by_value ? SIZE_MAX : marked_block(d, "did not end ok", is_failed);
  const size_t noisy = marked_block(d, "timed while the machine was noisy", is_noisy);
  const char  *xy = d->figure->kind->traits & SB_FIGURE_NAMED_X ? "2:1" : "1:2";
  if (failed != SIZE_MAX) sb_figure_clause(d, "data index %zu using %s " FAILED_LOOK " notitle", failed, xy);
  if (noisy != SIZE_MAX) sb_figure_clause(d, "data index %zu using %s:('‡') " NOISY_LOOK " notitle", noisy, xy);
}

/* Lines to compare with are black or grey, and thinner than what was measured. */
static void put_line(sb_figure_drawing *d, const sb_figure_series *s, bool entry)
{
  static const char *const looks[] = {"dt 1 lc rgb black", "dt (6, 4) lc rgb black", "dt (2, 3) lc rgb grey",
                                      "dt (8, 3, 2, 3) lc rgb '#404040'"};
  const bool               slope = isfinite(s->line->slope), ring = s->line->x && s->line->y;
  const char              *look = slope ? "dt 1 lc rgb grey" : looks[s->style % 4];
  if (entry && ring)
    sb_figure_entry(d, s->label, "with points pt 6 ps 1.1 lw 1.6 lc rgb black");
  else if (entry)
    sb_figure_entry(d, s->label, "with lines lw 1 %s", look);
  if (entry) return;
  const size_t block = sb_figure_block(d, *s->label ? s->label : "to compare with", s->points, s->count);
  if (ring)
    sb_figure_clause(d, "data index %zu using 1:2 with points pt 6 ps 1.1 lw 1.6 lc rgb black notitle", block);
  else
    sb_figure_clause(d, "data index %zu using 1:2 with lines lw %s %s notitle", block, slope ? "0.7" : "1", look);
  if (!slope || *s->label) return;
  size_t at = 0; /* near the left end of what is seen of it */
  while (at + 1 < s->count && !is_within(d->view, &s->points[at])) ++at;
  const sb_figure_point *p = &s->points[at + s->count / 16 < s->count ? at + s->count / 16 : at];
  const size_t           place = sb_figure_block(d, "where the slope is written", p, 1);
  sb_figure_clause(d, "data index %zu using 1:2:('slope %g') with labels left offset 0.4, -0.6 font ',6.5' notitle",
                   place, s->line->slope);
}

/* Looks of measured and published curves. */
typedef struct {
  char colour[40], lines[80], marks[40];
} looks;

static looks looks_of(const sb_figure_drawing *d, const sb_figure_series *s)
{
  const bool   rows = is_joined_by_rows(d->figure), published = s->layer->published != NULL;
  const double rank = (double)(s->style - 1), size = fmax(1.15 - 0.18 * rank, 0.6), wide = fmax(2 - 0.2 * rank, 0.9);
  looks        l;
  if (s->layer->reference)
    snprintf(l.colour, sizeof l.colour, "lt 7 dt 1 lc rgb black");
  else
    snprintf(l.colour, sizeof l.colour, s->grey ? "lt %zu lc rgb grey" : "lt %zu", s->style);
  snprintf(l.lines, sizeof l.lines, published ? "%s dt (6, 3) lw 1" : "%s lw %g", l.colour, rows ? 1.2 : wide);
  if (s->grey)
    snprintf(l.marks, sizeof l.marks, "pt %d ps 0.55", (const int[]){6, 8, 4, 10, 12, 14}[(s->style - 1) % 6]);
  else
    snprintf(l.marks, sizeof l.marks, published ? "pt 3 ps 0.7" : "ps %g", rows ? size : 0.6);
  return l;
}

static double transformed(double y, bool logarithmic) { return logarithmic ? log10(y) : y; }
static double back(double t, bool logarithmic) { return logarithmic ? pow(10, t) : t; }

/* How many series of a view stand on its edge `side`; of `s`, its place among them in *at. */
static size_t edge_rows(const sb_figure_view *view, int side, const sb_figure_series *s, size_t *at)
{
  size_t rows = 0;
  for (size_t i = 0; i < view->series_count; ++i) {
    bool some = false;
    for (size_t k = 0; k < view->series[i].count; ++k) some = some || view->series[i].points[k].edge == side;
    if (&view->series[i] == s) *at = rows;
    rows += some;
  }
  return rows;
}

/* Heights of the strips below [0] and above [1] the axes, as parts of their length. */
static void strip_heights(const sb_figure_view *view, double heights[2])
{
  size_t ignored = 0;
  for (int k = 0; k < 2; ++k) {
    const size_t rows = edge_rows(view, k ? 1 : -1, NULL, &ignored);
    heights[k] = rows > 0 ? 0.07 + 0.035 * (double)rows : 0;
  }
}

/* Points on an edge, a row for every series. */
static void put_edges(sb_figure_drawing *d, const sb_figure_series *s, const looks *l)
{
  const sb_figure_view *view = d->view;
  const bool            logarithmic = view->spec->y_logarithmic;
  const double          low = transformed(view->y[0], logarithmic), high = transformed(view->y[1], logarithmic);
  double                heights[2];
  strip_heights(view, heights);
  for (int side = -1; side <= 1; side += 2) {
    size_t           at = 0, count = 0;
    const size_t     rows = edge_rows(view, side, s, &at);
    const double     part = heights[side > 0] * ((double)at + 0.5) / (double)(rows > 0 ? rows : 1);
    const double     y = side > 0 ? high + part * (high - low) : low - part * (high - low);
    sb_figure_point *points = sb_arena_take(d->figure->arena, s->count, sizeof *points);
    for (size_t i = 0; i < s->count; ++i)
      if (s->points[i].edge == side)
        points[count++] = (sb_figure_point){.x = s->points[i].x, .y = back(y, logarithmic), .lower = NAN, .upper = NAN};
    if (count == 0) continue;
    const size_t block = sb_figure_block(d, side > 0 ? view->above : view->below, points, count);
    sb_figure_clause(d, "data index %zu using 1:2 with points %s dt 1 lw 1 %s notitle", block, l->colour, l->marks);
  }
}

/* The points of a series that have a value; SIZE_MAX: none has. */
static size_t own_block(sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_figure_point *points = sb_arena_take(d->figure->arena, s->count, sizeof *points);
  size_t           count = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (s->points[i].edge == 0) points[count++] = s->points[i];
  return count > 0 ? sb_figure_block(d, *s->name ? s->name : s->label, points, count) : SIZE_MAX;
}

void sb_figure_put_curve(sb_figure_drawing *d, const sb_figure_series *s, bool lines, bool points)
{
  const looks l = looks_of(d, s);
  const bool  intervals = sb_figure_has_intervals(s->points, s->count);
  put_edges(d, s, &l);
  const size_t block = own_block(d, s);
  if (block == SIZE_MAX) return;
  if (intervals && s->layer->band)
    sb_figure_clause(d, "data index %zu using 1:3:4 with filledcurves %s fs transparent solid 0.2 notitle", block,
                     l.colour);
  if (lines) sb_figure_clause(d, "data index %zu using 1:2 with lines %s notitle", block, l.lines);
  if (points && intervals && !s->layer->band)
    sb_figure_clause(d, "data index %zu using 1:2:3:4 with yerrorbars %s dt 1 lw 1 %s notitle", block, l.colour,
                     l.marks);
  else if (points)
    sb_figure_clause(d, "data index %zu using 1:2 with points %s dt 1 lw 1 %s notitle", block, l.colour, l.marks);
}

void sb_figure_explain_curve(sb_figure_drawing *d, const sb_figure_series *s, bool lines, bool points)
{
  looks l = looks_of(d, s);
  if (s->layer->published && !s->grey) /* it stands for several colours */
    snprintf(l.colour, sizeof l.colour, "lt 1 lc rgb grey");
  if (lines && points)
    sb_figure_entry(d, s->label, "with linespoints %s %s", l.lines, l.marks);
  else if (lines)
    sb_figure_entry(d, s->label, "with lines %s", l.lines);
  else
    sb_figure_entry(d, s->label, "with points %s dt 1 lw 1 %s", l.colour, l.marks);
}

/* Entries of the legend: each label once, in the order of the panels. */
static size_t collect_entries(const sb_figure *f, const sb_figure_series ***entries)
{
  size_t count = 0;
  *entries = NULL;
  for (int lines = 0; lines < 2; ++lines)
    for (size_t v = 0; v < f->view_count; ++v)
      for (size_t i = 0; i < f->views[v].series_count; ++i) {
        const sb_figure_series *s = &f->views[v].series[i];
        bool                    known = !*s->label || (s->line != NULL) != lines;
        for (size_t k = 0; k < count && !known; ++k) known = strcmp((*entries)[k]->label, s->label) == 0;
        if (known) continue;
        *entries = sb_arena_grow(f->arena, *entries, count, sizeof **entries);
        (*entries)[count++] = s;
      }
  return count;
}

static const char noisy_words[] = "‡ timed while the machine was noisy";

static void lay_out_key(const sb_figure *f, const sb_figure_series *const *entries, size_t count, layout *l)
{
  const size_t marks = (f->failed && !(f->kind->traits & SB_FIGURE_BY_VALUE)) + (f->noisy ? 1U : 0U);
  l->key_width = f->noisy ? sizeof noisy_words - 1 : 0;
  for (size_t i = 0; i < count; ++i)
    if (width_of(entries[i]->label) > l->key_width) l->key_width = width_of(entries[i]->label);
  const double each = 0.12 * (double)l->key_width + 1.05;
  const size_t columns = (size_t)fmax(floor((l->width - 0.3) / each), 1);
  l->key_rows = (count + marks + columns - 1) / columns;
}

static void put_key(sb_figure_drawing *d, const sb_figure_series *const *entries, size_t count)
{
  const sb_figure *f = d->figure;
  for (size_t i = 0; i < count; ++i)
    if (entries[i]->line)
      put_line(d, entries[i], true);
    else
      f->kind->explain(d, entries[i]);
  if (f->failed && !(f->kind->traits & SB_FIGURE_BY_VALUE)) sb_figure_entry(d, f->failed, FAILED_LOOK);
  if (f->noisy) sb_figure_entry(d, noisy_words, "with points pt 0 lc rgb '#ffffff'");
}

/* "words of the name (unit)" of a name, else the expression as it is. */
static const char *axis_label(const sb_figure *f, const char *given, const sb_expression *expression)
{
  const char *text = expression ? sb_expression_text(expression) : "";
  if (given) return given;
  if (text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0') return text;
  const char  *words = sb_spelled_axis(f->arena, f->results->sweep, text);
  const size_t column = sb_rows_column_find(f->rows, text);
  const char  *known = column == (size_t)-1 ? "" : sb_rows_column_at(f->rows, column)->unit;
  const char  *unit = *known ? known : sb_report_unit(f->results, text);
  return *unit ? sb_arena_format(f->arena, "%s (%s)", words, unit) : words;
}

/* Ticks at 1, 2 and 5 where a logarithmic axis is short; at powers of ten where it is long. */
static void put_logarithmic_tics(FILE *script, char axis, const double range[2], bool listed)
{
  const double decades = log10(range[1] / range[0]);
  const bool   powers = decades > 3 || range[0] < 1e-3 || range[1] > 1e5;
  const char  *separator = "";
  fprintf(script, "set format %c '%s'\n", axis, powers ? "10^{%T}" : "%g");
  if (decades >= 1.6 && !listed) return;
  const int step = decades > 8 ? (int)ceil(decades / 6) : 1;
  fprintf(script, "set %ctics (", axis);
  for (int power = (int)floor(log10(range[0])); power <= (int)ceil(log10(range[1])); power += step)
    for (int k = 0; k < (decades < 1.6 ? 3 : 1); ++k) {
      const double at = (const double[]){1, 2, 5}[k] * pow(10, power);
      if (at < range[0] * 0.999 || at > range[1] * 1.001) continue;
      if (powers && k == 0)
        fprintf(script, "%s'10^{%d}' 1e%d", separator, power, power);
      else
        fprintf(script, "%s%g", separator, at);
      separator = ", ";
    }
  fputs(")\n", script);
}

static void put_linear_tics(FILE *script, char axis, const double range[2])
{
  const double span = range[1] - range[0], step = sb_figure_step(span);
  fprintf(script, "set %ctics %.10g, %.10g, %.10g\n", axis, step * ceil(range[0] / step - 1e-9), step,
          range[1] + 1e-9 * span);
}

static int compare_numbers(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Where cases stand at few values of x, the ticks are those. */
static bool put_value_tics(sb_figure_drawing *d)
{
  enum { FEW = 8 };
  const sb_figure_view *view = d->view;
  const bool            logarithmic = view->spec->x_logarithmic;
  const double          length = transformed(view->x[1], logarithmic) - transformed(view->x[0], logarithmic);
  double                values[FEW];
  size_t                count = 0;
  for (size_t i = 0; i < view->series_count; ++i)
    for (size_t k = 0; k < view->series[i].count && !view->series[i].line; ++k) {
      const double x = view->series[i].points[k].x;
      bool         known = x < view->x[0] || x > view->x[1];
      for (size_t j = 0; j < count && !known; ++j) known = fabs(values[j] - x) <= 1e-9 * fabs(x);
      if (known) continue;
      if (count == FEW) return false;
      values[count++] = x;
    }
  qsort(values, count, sizeof *values, compare_numbers);
  for (size_t i = 1; i < count; ++i)
    if (transformed(values[i], logarithmic) - transformed(values[i - 1], logarithmic) < 0.07 * length) return false;
  for (size_t i = 0; i < count; ++i) { /* numbers that take more digits say little */
    char short_form[32];
    snprintf(short_form, sizeof short_form, "%.4g", values[i]);
    if (fabs(strtod(short_form, NULL) - values[i]) > 1e-9 * fabs(values[i])) return false;
  }
  if (count == 0) return false;
  fputs("set xtics (", d->script);
  for (size_t i = 0; i < count; ++i) fprintf(d->script, "%s'%.10g' %.17g", i ? ", " : "", values[i], values[i]);
  fputs(") nomirror\nunset mxtics\n", d->script);
  return true;
}

/* A strip of its own, shaded, with its name where the axis has its numbers. */
static void put_strip(FILE *script, int side, const char *label, double edge, double middle)
{
  fprintf(script, "set object %d rectangle from graph 0, first %.10g to graph 1, graph %d fc rgb '#eeeeee' fs solid ",
          side + 2, edge, side > 0);
  fprintf(script, "border rgb '#404040' behind\nset ytics add (");
  sb_gnuplot_put_text(script, label);
  fprintf(script, " %.10g)\n", middle);
}

static void put_y_axis(sb_figure_drawing *d)
{
  const sb_figure_view *view = d->view;
  const bool            logarithmic = view->spec->y_logarithmic;
  const double          low = transformed(view->y[0], logarithmic), high = transformed(view->y[1], logarithmic);
  double                heights[2];
  strip_heights(view, heights);
  const double bottom = low - heights[0] * (high - low), top = high + heights[1] * (high - low);
  const bool   strips = heights[0] > 0 || heights[1] > 0;
  fprintf(d->script, "set yrange [%.10g : %.10g]\nset ytics autofreq\n", back(bottom, logarithmic),
          back(top, logarithmic));
  if (logarithmic)
    put_logarithmic_tics(d->script, 'y', view->y, strips);
  else if (strips)
    put_linear_tics(d->script, 'y', view->y);
  if (strips) fputs("unset mytics\n", d->script);
  if (heights[0] > 0) put_strip(d->script, -1, view->below, view->y[0], back((low + bottom) / 2, logarithmic));
  if (heights[1] > 0) put_strip(d->script, 1, view->above, view->y[1], back((high + top) / 2, logarithmic));
}

/* x are names, down the left side; what is measured runs to the right. */
static void put_named_axes(sb_figure_drawing *d)
{
  const sb_figure      *f = d->figure;
  const sb_figure_view *view = d->view;
  fprintf(d->script, "set xrange [%.10g : %.10g]\nset yrange [%g : %g]\nset ytics (", view->y[0], view->y[1],
          view->x[1], view->x[0]);
  for (size_t i = 0; i < f->place_count; ++i) {
    if (i > 0) fputs(", ", d->script);
    sb_gnuplot_put_text(d->script, f->places[i]);
    fprintf(d->script, " %zu", i + 1);
  }
  fputs(") noenhanced scale 0\nset grid noytics\nset xlabel ", d->script);
  put_text(d->script, axis_label(f, view->spec->y_label, view->spec->layers[0].y));
  fputs(" offset 0, 0.4\n", d->script);
  if (!view->spec->y_logarithmic) return;
  fputs("set logscale x\n", d->script);
  put_logarithmic_tics(d->script, 'x', view->y, false);
}

/* The label of the y axis stands apart from the numbers, however long they are: gnuplot's own would move with them. */
static void put_axes(sb_figure_drawing *d, bool first_column, double y_label_at)
{
  const sb_figure_panel *panel = d->view->spec;
  const sb_figure       *f = d->figure;
  const char            *y = axis_label(f, panel->y_label, d->view->spec->layers[0].y);
  fprintf(d->script, "unset logscale\nunset object\nset format '%%g'\n");
  if (f->kind->traits & SB_FIGURE_NAMED_X) {
    put_named_axes(d);
    return;
  }
  if (panel->x_logarithmic || panel->y_logarithmic)
    fprintf(d->script, "set logscale %s%s\n", panel->x_logarithmic ? "x" : "", panel->y_logarithmic ? "y" : "");
  fprintf(d->script, "set xrange [%.10g : %.10g]\nset xtics autofreq\n", d->view->x[0], d->view->x[1]);
  const bool listed = is_joined_by_rows(f) && put_value_tics(d);
  if (panel->x_logarithmic && !listed) put_logarithmic_tics(d->script, 'x', d->view->x, false);
  put_y_axis(d);
  fputs("set xlabel ", d->script);
  put_text(d->script, axis_label(f, panel->x_label, d->view->spec->layers[0].x));
  fputs(" offset 0, 0.4\nset label 2 ", d->script);
  put_text(d->script, first_column || f->spec->panel_count > 0 ? y : "");
  fprintf(d->script, " at screen (%.3f) / width, graph 0.5 center rotate by 90\n", y_label_at);
}

static layout lay_out(const sb_figure *f, const sb_figure_series *const *entries, size_t count)
{
  layout l = {.left = 1.5, .panel_height = f->view_count > 2 ? 4.4 : 5.1, .columns = f->view_count};
  bool   titled = false;
  if (l.columns > 3) l.columns = 2;
  l.rows = (f->view_count + l.columns - 1) / l.columns;
  l.width = f->view_count > 1 ? 18 : count > 6 ? 13 : 8.8;
  if (l.width == 13) l.panel_height = 6.5;
  for (size_t v = 0; v < f->view_count; ++v) {
    const sb_figure_view *view = &f->views[v];
    titled = titled || *view->title || view->absent;
    for (size_t k = 0; k < 2; ++k) {
      const char *edge = k ? view->above : view->below;
      if (edge) l.left = fmax(l.left, 0.75 + 0.13 * (double)sb_text_width(edge));
    }
  }
  for (size_t i = 0; i < f->place_count; ++i) l.left = fmax(l.left, 0.3 + 0.13 * (double)sb_text_width(f->places[i]));
  if (f->place_count > 0) {
    l.width = fmax(l.width, l.left + 7);
    l.panel_height = fmax(0.55 * (double)f->place_count + 0.4, 2.5);
  }
  lay_out_key(f, entries, count, &l);
  const double gap = f->spec->panel_count > 0 ? l.left + 0.1 : 1.1, title = titled ? 0.45 : 0;
  l.panel_width = (l.width - l.left - 0.35 - gap * (double)(l.columns - 1)) / (double)l.columns;
  l.step_x = l.panel_width + gap;
  l.step_y = l.panel_height + 1.05 + title;
  l.height = 1.1 + 0.36 * (double)l.key_rows + 0.15 + l.step_y * (double)l.rows - 1.05 + 0.15;
  l.top = l.height - 0.15 - title;
  return l;
}

static void put_view(sb_figure_drawing *d, const layout *l, size_t v)
{
  const size_t column = v % l->columns, row = v / l->columns;
  const double left = l->left + l->step_x * (double)column, top = l->top - l->step_y * (double)row;
  fprintf(d->script, "\n# panel %zu\neval place(%.3f, %.3f, %.3f, %.3f)\n", v + 1, left, left + l->panel_width,
          top - l->panel_height, top);
  put_axes(d, column == 0, left - l->left + 0.28);
  const char *absent = d->view->absent;
  const char *title = absent ? sb_arena_format(d->figure->arena, "%s%sno curve: %s", d->view->title,
                                               *d->view->title ? "; " : "", absent)
                             : d->view->title;
  fputs("set title ", d->script);
  put_text(d->script, title);
  fprintf(d->script, " offset 0, -0.7%s\n", absent ? " font ',6.5'" : "");
}

void sb_figure_put(const sb_figure *f, FILE *script, FILE *data)
{
  const sb_figure_series **entries = NULL;
  const size_t             count = collect_entries(f, &entries);
  const layout             l = lay_out(f, entries, count);
  sb_figure_drawing        d = {.figure = f, .script = script, .data = data};
  fprintf(script, "unset datafile columnheaders\nwidth = %.2f\nheight = %.2f + (heading eq '' ? 0 : 0.6)\n", l.width,
          l.height);
  fputs("eval page(width, height)\nset label 1 heading at screen 0.5, screen 1 - 0.35 / height center noenhanced\n",
        script);
  if (f->view_count > 1) fputs("set multiplot\n", script);
  if (l.key_rows > 0)
    fprintf(script,
            "set key at screen 0.5, screen 0.1 / height bottom center vertical Left reverse maxrows %zu width %.1f\n",
            l.key_rows, -0.15 * (double)l.key_width); /* gnuplot thinks letters wider than they are */
  else
    fputs("unset key\n", script);
  for (size_t v = 0; v < f->view_count; ++v) {
    d.view = &f->views[v];
    d.begun = false;
    put_view(&d, &l, v);
    for (int above = 0; above < 2; ++above) { /* lines lie below what was measured, rings above it */
      for (size_t i = 0; i < d.view->series_count; ++i) {
        const sb_figure_line *line = d.view->series[i].line;
        if (line && (line->x && line->y) == above) put_line(&d, &d.view->series[i], false);
      }
      for (size_t i = 0; i < d.view->series_count && !above; ++i)
        if (!d.view->series[i].line) f->kind->draw(&d, &d.view->series[i]);
    }
    put_marks(&d);
    if (v == 0) put_key(&d, entries, count);
    if (!d.begun) sb_figure_clause(&d, "NaN notitle");
    fputs("\nunset key\nunset label 1\n", script);
  }
  if (f->view_count > 1) fputs("unset multiplot\n", script);
}
