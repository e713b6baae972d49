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
    sb_figure_clause(d, bars, sb_arena_format(arena, "($2/2):1:($2/2):(%.3f)", sb_figure_bar_width(d) / 2),
                     "with boxxyerror %s fs %s", look, failed ? "empty" : filling(s));
  }
  if (bar) look = sb_arena_format(arena, "lt %zu dt 1 lc rgb black", sb_figure_look(s));
  sb_figure_clause(d, block, using, "with xerrorbars %s %s", look, bar ? "ps 0" : "ps 0.8");
}

const sb_figure_kind sb_figure_bars = {
    .name = "bars",
    .traits = SB_FIGURE_NAMED_X | SB_FIGURE_ONE_CASE,
    .draw = draw,
};
