/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the numbers of a figure to gnuplot: a script that places panels and legend in centimetres, and one block of data
 * for every curve, so that gnuplot draws and does not search. The kind of the figure determines the look of a curve
 * (figures/). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "harness/report/figure_kind.h"
#include "harness/report/figure_layout.h"
#include "harness/report/figure_names.h"
#include "harness/report/gnuplot.h"
#include "harness/report/report_text.h"

const char *sb_figure_quoted(const sb_figure *f, const char *text)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, f->arena);
  sb_gnuplot_put_text(stream, text);
  fputs(strstr(text, "_{") || strchr(text, '^') ? " enhanced" : " noenhanced", stream);
  return sb_arena_text(&writer);
}

bool sb_figure_is_named(const sb_figure_series *s, const char *name)
{
  return s->layer && (strcmp(name, s->name) == 0 || strcmp(name, s->label) == 0 || strcmp(name, s->identity) == 0);
}

const char *sb_figure_paint(const sb_figure *f, const sb_figure_series *s)
{
  const sb_figure_spec *spec = f->spec;
  if (s->faint) return " lc rgb '#b8b8b8'";
  for (size_t i = 0; i < spec->colour_count; ++i) {
    const sb_figure_colour *c = &spec->colours[i];
    if (!sb_figure_is_named(s, c->name)) continue;
    return sb_arena_format(f->arena, *c->colour == '#' ? " lc rgb '%s'" : " lc rgb %s", c->colour);
  }
  return "";
}

void sb_figure_clause(sb_figure_drawing *d, size_t block, const char *using, const char *look, ...)
{
  va_list arguments;
  va_start(arguments, look);
  look = sb_arena_format_list(d->figure->arena, look, arguments);
  va_end(arguments);
  fputs(d->begun ? ", \\\n     " : "plot ", d->script);
  d->begun = true;
  if (d->legend)
    fprintf(d->script, "keyentry %s title %s", look, sb_figure_quoted(d->figure, d->legend));
  else
    fprintf(d->script, "data index %zu using %s %s notitle", block, using, look);
}

size_t sb_figure_block(sb_figure_drawing *d, const char *title, const sb_figure_point *points, size_t count)
{
  d->intervals = false;
  if (d->legend) return 0;
  for (size_t i = 0; i < count; ++i) d->intervals = d->intervals || points[i].lower < points[i].upper;
  fprintf(d->data, "%s# index %zu: ", d->blocks > 0 ? "\n\n" : "", d->blocks);
  sb_text_put_plain(d->data, *d->view->title ? d->view->title : d->figure->spec->id);
  fputs(": ", d->data);
  sb_text_put_plain(d->data, title);
  fputs(d->intervals ? "; x, y, lower, upper\n" : "; x, y\n", d->data);
  for (size_t i = 0; i < count; ++i) {
    const sb_figure_point *p = &points[i];
    const double cells[] = {p->x, p->y, isfinite(p->lower) ? p->lower : p->y, isfinite(p->upper) ? p->upper : p->y};
    for (size_t k = 0; isfinite(p->x) && k < (d->intervals ? 4 : 2); ++k) {
      char number[32];
      fprintf(d->data, "%s%s", k > 0 ? "\t" : "", isfinite(cells[k]) ? sb_format_real(cells[k], number) : "?");
    }
    fputc('\n', d->data);
  }
  return d->blocks++;
}

static double transformed(const sb_figure_axis *axis, double y) { return axis->logarithmic ? log10(y) : y; }

/* The value beyond the upper end of the axis (edge 1) or its lower end (-1), by this part of its length. */
static double value_beyond(const sb_figure_axis *axis, int edge, double part)
{
  const double low = transformed(axis, axis->low), high = transformed(axis, axis->high);
  const double at = edge > 0 ? high + part * (high - low) : low - part * (high - low);
  return axis->logarithmic ? pow(10, at) : at;
}

/* How far the strip below or above the axes reaches, as a part of the axis. It has a row for every series, as high as a
 * mark while there is room for that, and room for its name. */
static double strip_height(const sb_figure_drawing *d, bool above)
{
  const size_t rows = d->view->strips[above].rows;
  const double height = fmin(fmax(0.58, 0.12 + 0.22 * (double)rows), 0.35 * d->panel_height); /* cm of the panel */
  return rows > 0 ? height / (d->panel_height - height) : 0;
}

/* Names are on the left side, and y runs to the right. */
static const char *columns_of(const sb_figure *f) { return sb_figure_has_names(f) ? "2:1" : "1:2"; }

sb_figure_point *sb_figure_placed(const sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_figure_point *placed = sb_arena_take(d->figure->arena, s->count, sizeof *placed);
  for (size_t i = 0; i < s->count; ++i) {
    sb_figure_point *p = &placed[i];
    const bool       above = s->points[i].edge > 0;
    *p = s->points[i];
    if (d->figure->kind->place && (p->edge == 0 || sb_figure_has_names(d->figure)))
      d->figure->kind->place(d, s, p);
    else if (p->edge != 0)
      p->y =
          value_beyond(d->view->y, p->edge,
                       strip_height(d, above) * ((double)s->rows[above] - 0.5) / (double)d->view->strips[above].rows);
  }
  return placed;
}

#define FAILED_LOOK "with points pt 2 ps 0.75 lw 1.4 lc rgb black"

/* Marks on points: crosses on failed cases, signs on times from a noisy machine, or from another build or machine than
 * most. On a curve the last visible point has them. */
static const struct {
  const char *title, *sign, *place; /* sign NULL: a cross */
} marks[] = {{"did not end ok", NULL, ""},
             {"timed while the machine was noisy", "‡", "0.9, 0.5"},
             {"of another build or machine than most", "§", "0.9, -0.6"}};

static void put_marks(sb_figure_drawing *d)
{
  const sb_figure *f = d->figure;
  const char      *xy = columns_of(f);
  for (size_t m = !sb_figure_has_crosses(f); m < sizeof marks / sizeof *marks; ++m) {
    sb_figure_point *points = NULL;
    size_t           count = 0;
    for (const sb_figure_series *s = d->view->series; s < d->view->series + d->view->series_count; ++s) {
      const sb_figure_point *placed = sb_figure_placed(d, s);
      for (size_t k = 0; k < s->count; ++k) {
        const sb_figure_point *p = &s->points[k];
        const bool             is[] = {p->failed != 0, p->noisy, p->other};
        if (!is[m] || !sb_figure_sees(d->view, p)) continue;
        if (!f->of_rows && k + 1 < s->count && sb_figure_sees(d->view, p + 1)) continue;
        *SB_NEW_ITEM(f->arena, points, count) = placed[k];
      }
    }
    if (count == 0) continue;
    const size_t block = sb_figure_block(d, marks[m].title, points, count);
    if (marks[m].sign)
      sb_figure_clause(d, block, sb_arena_format(f->arena, "%s:('%s')", xy, marks[m].sign),
                       "with labels offset %s tc rgb '#404040' font ',7'", marks[m].place);
    else
      sb_figure_clause(d, block, xy, FAILED_LOOK);
  }
}

/* Lines to compare with are black or grey, and thinner than measured curves. */
static void put_line(sb_figure_drawing *d, const sb_figure_series *s)
{
  static const char *const looks[] = {"dt 1 lc rgb black", "dt (6, 4) lc rgb black", "dt (2, 3) lc rgb grey",
                                      "dt (8, 3, 2, 3) lc rgb '#404040'"};
  static const int         rings[] = {6, 8, 4, 12};
  enum { DASHES = 12 }; /* in plots/style.gp */
  const size_t given = sizeof looks / sizeof *looks;
  const char  *xy = columns_of(d->figure), *look = "dt 1 lc rgb grey";
  const bool   slope = isfinite(s->line->slope);
  const size_t block = sb_figure_block(d, *s->label ? s->label : "to compare with", s->points, s->count);
  if (!slope)
    look = s->style < given ? looks[s->style]
                            : sb_arena_format(d->figure->arena, "dt %zu lc rgb '#404040'", s->style % DASHES + 1);
  if (s->line->x && s->line->y)
    sb_figure_clause(d, block, xy, "with points pt %d ps 1.1 lw 1.6 lc rgb black", rings[s->style % 4]);
  else
    sb_figure_clause(d, block, xy, "with lines lw %s %s", slope && !d->legend ? "0.7" : "1", look);
  if (!slope || *s->label) return;
  const double low = value_beyond(d->view->y, -1, -0.1), high = d->view->y->high;
  size_t       at = 0; /* near the left end of its visible part, but not on the frame */
  while (at + 1 < s->count && !(s->points[at].y >= low && s->points[at].y <= high)) ++at;
  if (at + s->count / 16 < s->count) at += s->count / 16;
  const size_t place = sb_figure_block(d, "place of the slope's label", &s->points[at], 1);
  sb_figure_clause(d, place, sb_arena_format(d->figure->arena, "%s:('slope %g')", xy, s->line->slope),
                   "with labels left offset 0.4, -0.6 font ',7'");
}

/* The points of a series that have a value, or those on a strip; SIZE_MAX: there are none. */
static size_t put_points(sb_figure_drawing *d, const sb_figure_series *s, int edge)
{
  const char      *title = edge != 0 ? d->view->strips[edge > 0].label : *s->name ? s->name : s->label;
  sb_figure_point *points = sb_figure_placed(d, s);
  size_t           count = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (points[i].edge == edge) points[count++] = points[i];
  return count > 0 ? sb_figure_block(d, title, points, count) : SIZE_MAX;
}

/* True if no line passes a point: a break, or, where each point is a case, one that failed or is on a strip. */
static bool is_break(const sb_figure *f, const sb_figure_point *p)
{
  return !isfinite(p->x) || (f->of_rows && (p->failed || p->edge != 0));
}

/* The points in `block` that a line joins: no line passes a case that failed, or one on a strip. SIZE_MAX: there are no
 * more. */
static size_t put_joined(sb_figure_drawing *d, const sb_figure_series *s, size_t block)
{
  sb_figure_point *points = sb_arena_take(d->figure->arena, s->count, sizeof *points);
  size_t           count = 0, breaks = 0;
  for (size_t i = 0; i < s->count; ++i) {
    const bool is_break = s->points[i].failed || s->points[i].edge != 0;
    breaks += is_break;
    if (is_break && (count == 0 || isnan(points[count - 1].x))) continue;
    points[count] = s->points[i];
    if (is_break) points[count].x = NAN; /* one: two would end the block */
    count++;
  }
  if (breaks == 0 || !d->figure->of_rows) return block;
  if (count > 0 && isnan(points[count - 1].x)) count--;
  return count > 0 ? sb_figure_block(d, "joined", points, count) : SIZE_MAX;
}

/* A point that no line reaches has a mark, so that its series does not vanish. */
static void put_single(sb_figure_drawing *d, const sb_figure_series *s, const char *look)
{
  sb_figure_point *points = sb_arena_take(d->figure->arena, s->count, sizeof *points);
  size_t           count = 0;
  for (size_t i = 0; i < s->count && !d->legend; ++i) {
    bool single = isfinite(s->points[i].x) && s->points[i].edge == 0;
    for (size_t k = i > 0 ? i - 1 : 1; k <= i + 1; k += 2)
      single = single && (k >= s->count || is_break(d->figure, &s->points[k]) || is_break(d->figure, &s->points[i]));
    if (single) points[count++] = s->points[i];
  }
  if (count > 0) sb_figure_clause(d, sb_figure_block(d, "single", points, count), "1:2", "with points %s", look);
}

/* The looks of a curve: its colour, its line, the form of its marks, and these in its colour. */
typedef struct {
  const char *colour, *line, *mark, *points;
} curve_look;

static curve_look look_of(const sb_figure *f, const sb_figure_series *s)
{
  static const int grey_marks[] = {6, 8, 4, 10, 12, 14};
  const double     rank = s->rank > 0 ? (double)s->rank - 1 : 9; /* references are thin */
  const double     wide = f->of_rows ? 1.2 : fmax(1.6 - 0.1 * rank, 1.1);
  const double     size = f->of_rows ? fmax(0.9 - 0.08 * rank, 0.65) : 0.65;
  const char      *grey = s->grey ? " lc rgb '#404040'" : "", *mark = "pt 3 ps 0.8";
  const char      *colour = sb_arena_format(f->arena, "lt %zu%s%s", sb_figure_look(s),
                                       s->layer->reference ? " lc rgb black" : grey, sb_figure_paint(f, s));
  if (s->grey)
    mark = sb_arena_format(f->arena, "pt %d ps 0.8", grey_marks[(s->style - 1) % 6]);
  else if (!s->layer->published)
    mark = sb_arena_format(f->arena, "ps %g", size);
  return (curve_look){.colour = colour,
                      .line = sb_arena_format(f->arena,
                                              s->faint              ? "%s dt 1 lw 0.8"
                                              : s->layer->published ? "%s dt (6, 3) lw 1"
                                                                    : "%s lw %g",
                                              colour, wide),
                      .mark = mark,
                      .points = sb_arena_format(f->arena, "%s dt 1 lw 1 %s", colour, mark)};
}

/* The entry of a curve in the legend. Marks of published points may represent several colours. */
static void put_curve_entry(sb_figure_drawing *d, const sb_figure_series *s, bool lines, bool points)
{
  const curve_look look = look_of(d->figure, s);
  const char      *colour = s->many ? "lt 1 lc rgb grey" : look.colour;
  if (lines)
    sb_figure_clause(d, 0, "", points ? "with linespoints %s %s" : "with lines %s", look.line, look.mark);
  else if (points)
    sb_figure_clause(d, 0, "", "with points %s dt 1 lw 1 %s", colour, look.mark);
}

void sb_figure_put_curve(sb_figure_drawing *d, const sb_figure_series *s, bool lines, bool points)
{
  if (d->legend) {
    put_curve_entry(d, s, lines, points);
    return;
  }
  const curve_look look = look_of(d->figure, s);
  for (int edge = -1; edge <= 1; edge += 2) {
    const size_t block = put_points(d, s, edge);
    if (block != SIZE_MAX) sb_figure_clause(d, block, "1:2", "with points %s", look.points);
  }
  const size_t block = put_points(d, s, 0);
  const bool   band = d->intervals && s->layer->band, bars = d->intervals && !s->layer->band;
  if (block == SIZE_MAX) return;
  if (band) sb_figure_clause(d, block, "1:3:4", "with filledcurves %s fs transparent solid 0.2", look.colour);
  const size_t joined = lines ? put_joined(d, s, block) : SIZE_MAX;
  if (joined != SIZE_MAX) sb_figure_clause(d, joined, "1:2", "with lines %s", look.line);
  if (lines && !points) put_single(d, s, look.points);
  if (points)
    sb_figure_clause(d, block, bars ? "1:2:3:4" : "1:2", bars ? "with yerrorbars %s" : "with points %s", look.points);
}

/* "words of the name (unit)" for a name, else the expression unchanged. */
static const char *axis_label(const sb_figure *f, const char *given, const sb_expression *expression)
{
  const char *text = expression ? sb_expression_text(expression) : "";
  if (given) return given;
  if (text[strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_")] != '\0') return text;
  const char  *words = sb_spelled_axis(f->arena, f->results->sweep, text);
  const size_t column = sb_rows_column_find(f->rows, text);
  const char  *unit = column == (size_t)-1 ? "" : sb_rows_column_at(f->rows, column)->unit;
  return *unit ? sb_arena_format(f->arena, "%s (%s)", words, unit) : words;
}

/* The label of an axis, with its offset. */
static const char *with_offset(const sb_figure *f, const sb_figure_axis *axis, const char *label)
{
  const double offset = sb_figure_offset(axis);
  char         text[SB_NUMBER_TEXT];
  if (offset == 0 || !*label) return label;
  return sb_arena_format(f->arena, "%s %s %s", label, offset > 0 ? "−" : "+", sb_text_exact(fabs(offset), text));
}

/* Equal distances, counted from the offset, for an axis on which gnuplot's own ticks have one number or none. */
static bool put_even_tics(const sb_figure_drawing *d, char name, const sb_figure_axis *axis)
{
  const double span = axis->high - axis->low, offset = sb_figure_offset(axis), slack = 1e-6;
  const double step = sb_figure_step(name == 'x' ? 2 * span : span); /* numbers side by side need more room */
  const char  *before = "";
  if (offset == 0 && (!axis->logarithmic || sb_figure_has_decades(axis))) return false;
  fprintf(d->script, "set %ctics (", name);
  for (double i = ceil((axis->low - offset) / step - slack); i <= (axis->high - offset) / step + slack; ++i) {
    char number[SB_NUMBER_TEXT];
    sb_text_short(strtod(sb_arena_format(d->figure->arena, "%.6g", i * step), NULL), 6, number);
    fprintf(d->script, "%s'%s' %.17g", before, number, offset + i * step);
    before = ", ";
  }
  fprintf(d->script, ")\nunset m%ctics\n", name);
  return true;
}

enum { FEW = 8 };

/* The values of x (or of y) that cases have, ascending. Returns their number; 0: there are none, or too many. */
static size_t few_values(const sb_figure_view *view, bool upwards, double values[FEW])
{
  const sb_figure_axis *axis = upwards ? view->y : view->x;
  size_t                count = 0;
  for (const sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
    SB_EACH_POINT (s, p) {
      const double x = upwards ? p->y : p->x;
      size_t       at = 0;
      if (s->line || !(x >= axis->low && x <= axis->high)) continue; /* a point in a strip has no y */
      while (at < count && values[at] < x - 1e-9 * fabs(x)) ++at;
      if (at < count && values[at] <= x + 1e-9 * fabs(x)) continue;
      if (count == FEW) return 0;
      memmove(&values[at + 1], &values[at], (count++ - at) * sizeof *values);
      values[at] = x;
    }
  return count;
}

/* If cases have few values of x (or, in tiles, of y), the ticks are those, unless they have more than four digits. A
 * tile is wide enough for a tick of a rounded number. */
static bool put_value_tics(const sb_figure_drawing *d, bool upwards)
{
  const sb_figure_axis *axis = upwards ? d->view->y : d->view->x;
  const double          length = transformed(axis, axis->high) - transformed(axis, axis->low);
  double                values[FEW];
  const size_t          count = few_values(d->view, upwards, values);
  const double          slack = upwards ? 1e-4 : 1e-9;
  if (sb_figure_offset(axis) != 0 || count == 0) return false;
  for (size_t at = 0; at < count; ++at) {
    const double rounded = strtod(sb_arena_format(d->figure->arena, "%.4g", values[at]), NULL);
    const double before = at > 0 ? transformed(axis, values[at - 1]) : -INFINITY;
    if (transformed(axis, values[at]) - before < 0.07 * length) return false;
    if (fabs(rounded - values[at]) > slack * fabs(values[at])) return false;
    values[at] = rounded;
  }
  const char name = upwards ? 'y' : 'x';
  fprintf(d->script, "set %ctics (", name);
  for (size_t at = 0; at < count; ++at) {
    const double between = at > 0 && axis->logarithmic ? sb_figure_round_between(values[at - 1], values[at]) : 0;
    if (between > 0) fprintf(d->script, ", '%g' %.17g", between, between);
    fprintf(d->script, "%s'%.10g' %.17g", at ? ", " : "", values[at], values[at]);
  }
  fprintf(d->script, ") nomirror\nunset m%ctics\n", name);
  return true;
}

/* The y axis ends in strips, each of its own, shaded, with its name where the axis has its numbers. */
static void put_y_axis(const sb_figure_drawing *d)
{
  const sb_figure_view *view = d->view;
  const sb_figure_axis *y = view->y;
  const double          heights[] = {strip_height(d, false), strip_height(d, true)};
  const bool            strips = heights[0] > 0 || heights[1] > 0;
  fprintf(d->script, "set yrange [%.17g : %.17g]\nset ytics autofreq\n", value_beyond(y, -1, heights[0]),
          value_beyond(y, 1, heights[1]));
  if (view->tile[1] > 0 && put_value_tics(d, true)) return;
  const bool even = put_even_tics(d, 'y', y);
  if (!even && y->logarithmic)
    fprintf(d->script, "eval decades('y', %.17g, %.17g, %d)\n", (heights[0] > 0 ? 1.01 : 1) * y->low,
            (heights[1] > 0 ? 0.99 : 1) * y->high, strips); /* no number at the edge of a strip */
  else if (!even && strips) {
    const double step = sb_figure_step(y->high - y->low);
    fprintf(d->script, "set ytics %.17g, %.17g, %.17g\n", step * ceil(y->low / step - 1e-9), step,
            y->high + 1e-9 * (y->high - y->low));
  }
  if (strips) fputs("unset mytics\n", d->script);
  for (int k = 0; k < 2; ++k) {
    if (heights[k] == 0) continue;
    fprintf(
        d->script,
        "set object %d rectangle from graph 0, first %.17g to graph 1, graph %d fc rgb '#eeeeee' fs solid border rgb "
        "'#404040' behind\nset label %d %s at graph 0, first %.17g right offset character -0.8, 0\n",
        1 + 2 * k, k ? y->high : y->low, k, 6 + k, sb_figure_quoted(d->figure, view->strips[k].label),
        value_beyond(y, k ? 1 : -1, heights[k] / 2));
  }
}

/* The label of the y axis is at a fixed distance from the numbers; gnuplot's own would move with them. */
static void put_axes(sb_figure_drawing *d, bool first_column, double y_label_at)
{
  const sb_figure_view  *view = d->view;
  const sb_figure_panel *panel = view->spec;
  const sb_figure       *f = d->figure;
  const bool             named = sb_figure_has_names(f);
  const sb_figure_axis  *right = named ? view->y : view->x;
  const char            *x = axis_label(f, panel->x_label, panel->layers[0].x);
  const char            *y = axis_label(f, panel->y_label ? panel->y_label : f->kind->y_label, panel->layers[0].y);
  x = with_offset(f, view->x, x);
  y = with_offset(f, view->y, y);
  fputs("unset logscale\nset format '%g'\n", d->script);
  if (right->logarithmic || (view->y->logarithmic && !named))
    fprintf(d->script, "set logscale %s%s\n", right->logarithmic ? "x" : "", view->y->logarithmic && !named ? "y" : "");
  fprintf(d->script, "set xrange [%.17g : %.17g]\nset xtics autofreq\n", right->low, right->high);
  if (!right->logarithmic && f->view_count > 2) /* in a narrow panel gnuplot's own numbers touch each other */
    fprintf(d->script, "set xtics %.17g\n", sb_figure_step(right->high - right->low));
  const bool own = (!named && f->of_rows && put_value_tics(d, false)) || put_even_tics(d, 'x', right);
  if (!own && right->logarithmic) fprintf(d->script, "eval decades('x', %.17g, %.17g, 0)\n", right->low, right->high);
  (f->kind->put_left_axis ? f->kind->put_left_axis : put_y_axis)(d);
  fprintf(d->script, "set xlabel %s offset 0, 0.4\n", sb_figure_quoted(f, named ? y : x));
  if (!named)
    fprintf(d->script, "set label 2 %s at screen (%.3f) / width, graph 0.5 center rotate by 90\n",
            sb_figure_quoted(f, first_column || !sb_figure_shares_y_label(f) ? y : ""), y_label_at);
}

static int by_end(const void *a, const void *b)
{
  const sb_figure_series *const *p = a, *const *q = b;
  if ((*p)->end < (*q)->end || (*p)->end > (*q)->end) return (*p)->end > (*q)->end ? -1 : 1;
  return ((*p)->area < (*q)->area) - ((*p)->area > (*q)->area);
}

/* Names of curves at their ends, the highest first, apart by a line at least. A grey curve has its name there if it is
 * not longer than those of the leaders. */
static void put_end_labels(sb_figure_drawing *d, const sb_figure_layout *l)
{
  const sb_figure_view    *view = d->view;
  const sb_figure         *f = d->figure;
  const double             apart = 0.29 / l->panel_height;
  const sb_figure_series **named = sb_arena_take(f->arena, view->series_count, sizeof *named);
  double                  *at = sb_arena_take(f->arena, view->series_count, sizeof *at);
  size_t                   count = 0, longest = 0;
  for (size_t i = 0; i < view->series_count; ++i)
    if (view->series[i].layer && !view->series[i].faint && sb_text_width(view->series[i].label) > longest)
      longest = sb_text_width(view->series[i].label);
  for (size_t i = 0; i < view->series_count; ++i)
    if (view->series[i].layer && view->series[i].count > 0 && sb_text_width(view->series[i].label) <= longest)
      named[count++] = &view->series[i];
  qsort(named, count, sizeof *named, by_end);
  for (size_t i = 0; i < count; ++i) {
    at[i] = named[i]->end;
    if (i > 0) at[i] = fmin(at[i], at[i - 1] - apart);
  }
  for (size_t i = count; i-- > 0;) at[i] = fmax(at[i], apart * (double)(count - 1 - i));
  for (size_t i = 0; i < count; ++i) {
    const char *colour = sb_figure_paint(f, named[i]);
    fprintf(d->script, "set label %s at graph 1, graph %.4f left offset 0.5, 0 font ',7' tc",
            sb_figure_quoted(f, named[i]->label), at[i]);
    if (named[i]->faint)
      fputs(" rgb '#808080'\n", d->script);
    else if (*colour)
      fprintf(d->script, "%s\n", colour + strlen(" lc"));
    else
      fprintf(d->script, " lt %zu\n", sb_figure_look(named[i]));
  }
}

/* The first view has the legend of all. */
static void put_view(sb_figure_drawing *d, const sb_figure_layout *l, size_t v)
{
  const sb_figure_view *view = d->view = &d->figure->views[v];
  const size_t          column = v % l->columns;
  const double left = l->left + l->step_x * (double)column, top = l->top - l->step_y * (double)(v / l->columns);
  d->begun = false;
  fprintf(d->script, "\n# panel %zu\neval place(%.3f, %.3f, %.3f, %.3f)\n", v + 1, left, left + l->panel_width,
          top - l->panel_height, top);
  put_axes(d, column == 0, left - l->left + 0.28);
  fprintf(d->script, "set title %s offset 0, -0.7\n", sb_figure_quoted(d->figure, view->title));
  if (d->figure->spec->leaders > 0) put_end_labels(d, l);
  /* Lines and grey curves lie below measured curves, rings above them. */
  for (int layer = 0; layer < 3; ++layer)
    for (size_t i = 0; i < view->series_count; ++i) {
      const sb_figure_line *line = view->series[i].line;
      if (!line && layer == !view->series[i].faint) d->figure->kind->draw(d, &view->series[i]);
      if (line && layer == (line->x && line->y ? 2 : 0)) put_line(d, &view->series[i]);
    }
  put_marks(d);
  if (!d->begun) fputs("plot NaN notitle", d->script); /* gnuplot fails if there is only a legend */
  d->begun = true;
  for (size_t i = 0; v == 0 && i < l->count; ++i) {
    d->legend = l->entries[i]->label;
    if (l->entries[i]->line)
      put_line(d, l->entries[i]);
    else
      d->figure->kind->draw(d, l->entries[i]);
  }
  d->legend = d->figure->failed;
  if (v == 0 && d->figure->spec->legend != SB_LEGEND_NONE && sb_figure_has_crosses(d->figure))
    sb_figure_clause(d, 0, "", FAILED_LOOK);
  d->legend = NULL;
  fputs("\nunset key\nunset label\nunset object\n", d->script);
}

void sb_figure_put(const sb_figure *f, FILE *script, FILE *data)
{
  static const char *const corners[] = {[SB_LEGEND_TOP_LEFT] = "top left",
                                        [SB_LEGEND_TOP_RIGHT] = "top right",
                                        [SB_LEGEND_BOTTOM_LEFT] = "bottom left",
                                        [SB_LEGEND_BOTTOM_RIGHT] = "bottom right"};
  const sb_figure_layout   l = sb_figure_lay_out(f);
  sb_figure_drawing        d = {.figure = f, .script = script, .data = data, .panel_height = l.panel_height};
  const bool               corner = f->spec->legend > SB_LEGEND_NONE;
  const size_t             rows = corner ? l.count + 1 : l.key_rows;
  const char              *place =
      sb_arena_format(f->arena, "at screen 0.5, screen %.2f / height bottom center", 0.1 + l.feet_height);
  if (corner) place = sb_arena_format(f->arena, "inside %s opaque", corners[f->spec->legend]);
  fprintf(script,
          "unset datafile columnheaders\nwidth = %.2f\nheight = %.2f + (heading eq '' ? 0 : 0.6)\n"
          "eval page(width, height)\n%s"
          "set label 1 heading at screen 0.5, screen 1 - 0.35 / height center noenhanced\n"
          "set key %s vertical Left reverse maxrows %zu width 1 - excess * %zu\n",
          l.width, l.height, f->view_count > 1 ? "set multiplot\n" : "", place, rows, l.key_width);
  for (size_t i = 0; i < l.foot_count; ++i)
    fprintf(script, "set label %zu %s at screen 0.5, screen %.2f / height center font ',7'\n", 10 + i,
            sb_figure_quoted(f, l.feet[i]), 0.1 + SB_FIGURE_FOOT * ((double)(l.foot_count - i) - 0.5));
  if (l.bar_height > 0) f->kind->put_bar(f, script, l.width / 2, 0.1 + l.feet_height + l.key_height + l.bar_height / 2);
  for (size_t v = 0; v < f->view_count; ++v) put_view(&d, &l, v);
  if (f->view_count > 1) fputs("unset multiplot\n", script);
}
