/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bars: the values of x are names on the left side, and y runs to the right from 0. A logarithmic axis has no 0, so
 * only the end of the bar is marked there. Whiskers are lower and upper. The bar of a failed case is empty. */
#include "harness/report/figure.h"

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

/* The bars of the cases that failed, or of the others. */
static void put_bars(sb_figure_drawing *d, const sb_figure_series *s, bool failed)
{
  const size_t block = put_points(d, s, failed, !failed);
  if (block == SIZE_MAX) return;
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "($2/2):1:($2/2):(%.3f)", sb_figure_bar_width(d) / 2),
                   "with boxxyerror lt %zu%s dt 1 fs %s", sb_figure_look(s), sb_figure_paint(d->figure, s),
                   failed ? "empty" : filling(s));
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  const size_t block = put_points(d, s, true, true);
  const bool   bar = !d->view->y->logarithmic;
  const char  *ends = d->intervals ? "3:4" : "2:2"; /* of this block */
  if (block == SIZE_MAX) return;
  if (s->layer->published)
    sb_figure_clause(d, block, "2:1", "with points pt 8 ps 0.9 lw 1.4 lc rgb vermillion");
  else if (d->legend && bar)
    sb_figure_clause(d, block, "", "with boxes lt %zu%s dt 1 fs %s", sb_figure_look(s), sb_figure_paint(d->figure, s),
                     filling(s));
  else if (d->legend)
    sb_figure_clause(d, block, "", "with points lt %zu%s dt 1 ps 0.8", sb_figure_look(s),
                     sb_figure_paint(d->figure, s));
  if (s->layer->published || d->legend) return;
  for (int failed = 0; failed < 2 && bar; ++failed) put_bars(d, s, failed);
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "2:1:%s", ends), "with xerrorbars lt %zu%s dt 1 %s",
                   sb_figure_look(s), bar ? "" : sb_figure_paint(d->figure, s), bar ? "lc rgb black ps 0" : "ps 0.8");
}

const sb_figure_kind sb_figure_bars = {
    .name = "bars",
    .traits = SB_FIGURE_NAMED_X | SB_FIGURE_ONE_CASE,
    .draw = draw,
};
