/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars: the values of x are names on the left side, and y runs to the right from 0. A logarithmic axis has no 0, so
 * only the end of the bar is marked there. Whiskers are lower and upper. The bar of a failed case is empty. */
#include <math.h>

#include "harness/report/figure_kind.h"
#include "harness/report/gnuplot.h"

/* The width of a bar, as a part of the room for a name; 0 on a logarithmic axis, which has no zero to start from. */
static double bar_width(const sb_figure_drawing *d)
{
  return d->view->y->logarithmic ? 0 : 0.7 / fmax((double)d->figure->drawn.count, 1);
}

/* Bars of one name are side by side, the first on top; a bar without a value is at the low end. */
static void place(const sb_figure_drawing *d, const sb_figure_series *s, sb_figure_point *p)
{
  if (s->rank > 0) p->x += bar_width(d) * ((double)s->rank - 0.5 * (double)(d->figure->drawn.count + 1));
  if (p->edge != 0) p->y = d->view->y->low;
}

/* Bars stand on 0. */
static void finish(const sb_figure *f, sb_figure_view *view)
{
  (void)f;
  if (!view->y->logarithmic) view->y->low = view->y->high = 0;
}

/* The points that have a value, of cases that failed, of others, or of both; SIZE_MAX: there are none. */
static size_t put_points(sb_figure_drawing *d, const sb_figure_series *s, bool failed, bool others)
{
  sb_figure_point *points = sb_figure_placed(d, s);
  size_t           count = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (points[i].edge == 0 && (points[i].failed ? failed : others)) points[count++] = points[i];
  if (count == 0 && !d->legend) return SIZE_MAX;
  return sb_figure_block(d, !others ? "failed" : *s->name ? s->name : s->label, points, count);
}

/* The filling of a bar: from the 13th look on, colours come again with other patterns. */
static const char *filling(const sb_figure_series *s)
{
  enum { ROUND = 12 }; /* colours in plots/style.gp */
  static const char *const fillings[] = {"solid 0.6 noborder",  "pattern 4",           "pattern 5",
                                         "pattern 1",           "pattern 2",           "pattern 6",
                                         "pattern 7",           "solid 0.25",          "solid 1 border -1",
                                         "pattern 4 border -1", "pattern 5 border -1", "pattern 1 border -1"};
  return fillings[s->style > 0 ? (sb_figure_look(s) - 1) / ROUND : 0];
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_arena    *arena = d->figure->arena;
  const size_t block = put_points(d, s, true, true);
  const bool   bar = !d->view->y->logarithmic;
  const char *using = d->intervals ? "2:1:3:4" : "2:1:2:2"; /* of this block */
  const char *look = sb_arena_format(arena, "lt %zu%s dt 1", sb_figure_look(s), sb_figure_paint(d->figure, s));
  if (block == SIZE_MAX) return;
  if (s->layer->published) {
    sb_figure_clause(d, block, "2:1", "with points pt 8 ps 0.9 lw 1.4 lc rgb vermillion");
    return;
  }
  if (d->legend) {
    sb_figure_clause(d, block, "", bar ? "with boxes %s fs %s" : "with points %s ps 0.8", look, filling(s));
    return;
  }
  for (int failed = 0; failed < 2 && bar; ++failed) {
    const size_t bars = put_points(d, s, failed, !failed);
    if (bars == SIZE_MAX) continue;
    sb_figure_clause(d, bars, sb_arena_format(arena, "($2/2):1:($2/2):(%.3f)", bar_width(d) / 2),
                     "with boxxyerror %s fs %s", look, failed ? "empty" : filling(s));
  }
  if (bar) look = sb_arena_format(arena, "lt %zu dt 1 lc rgb black", sb_figure_look(s));
  sb_figure_clause(d, block, using, "with xerrorbars %s %s", look, bar ? "ps 0" : "ps 0.8");
}

/* gnuplot reads the label of a tic as a number format, so every % is doubled. */
static const char *as_tic(const sb_figure *f, const char *text)
{
  sb_arena_writer writer;
  FILE           *stream = sb_arena_write(&writer, f->arena);
  for (; *text; ++text) fputs(*text == '%' ? "%%" : (char[2]){*text}, stream);
  return sb_arena_text(&writer);
}

/* If x are names, they are on the left side, and the measured value runs to the right. The name of an absent bar is in
 * its place. */
static void put_names(const sb_figure_drawing *d)
{
  const sb_figure *f = d->figure;
  fprintf(d->script, "set yrange [%g : %g]\n", d->view->x->high, d->view->x->low);
  for (size_t i = 0; i < f->places.count; ++i) {
    fputs(i > 0 ? ", " : "set ytics (", d->script);
    sb_gnuplot_put_text(d->script, as_tic(f, f->labels[i]));
    fprintf(d->script, " %zu", i + 1);
  }
  fputs(f->places.count > 0 ? ") noenhanced scale 0\nset grid noytics\n" : "unset ytics\n", d->script);
  for (size_t i = 0; i < d->view->series_count; ++i) {
    const sb_figure_point *placed = sb_figure_placed(d, &d->view->series[i]);
    for (size_t k = 0; k < d->view->series[i].count; ++k)
      if (placed[k].edge != 0)
        fprintf(d->script, "set label %s at first %.17g, first %.17g left offset character 1, 0 font ',7'\n",
                sb_figure_quoted(f, d->view->strips[placed[k].edge > 0].label), placed[k].y, placed[k].x);
  }
}

const sb_figure_kind sb_figure_bars = {
    .name = "bars",
    .traits = SB_FIGURE_NAMED_X | SB_FIGURE_ONE_PER_X,
    .finish = finish,
    .draw = draw,
    .place = place,
    .put_left_axis = put_names,
};
