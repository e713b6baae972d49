/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map: every case is a mark at its x and y, which shows how the case ended (or another value, by words). Layers that
 * are drawn as lines are limits, such as a predicted one, in black. */
#include <string.h>

#include "harness/report/figure.h"

static const char *look_of(const sb_figure_series *s)
{
  static const char *const others[] = {"pt 2 ps 0.7 lc rgb grey", "pt 1 ps 0.7 lc rgb black",
                                       "pt 7 ps 0.8 lc rgb green", "pt 9 ps 0.9 lc rgb purple"};
  if (strcmp(s->name, "ok") == 0) return "pt 5 ps 0.8 lc rgb sky";
  if (strcmp(s->name, "diverged") == 0) return "pt 13 ps 0.9 lc rgb vermillion";
  return others[s->style % 4];
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  static const char *const dashes[] = {"dt 1", "dt (6, 4)", "dt (2, 3)", "dt (8, 3, 2, 3)"};
  const size_t             block = sb_figure_block(d, s->name, sb_figure_placed(d, s), s->count);
  size_t                   before = 0; /* dashes distinguish limits; the first is a solid line */
  for (size_t i = 0; i < d->view->series_count && d->view->series[i].layer < s->layer; ++i)
    before += d->view->series[i].layer && d->view->series[i].layer->draw == SB_DRAW_LINES;
  if (s->layer->draw != SB_DRAW_LINES)
    sb_figure_clause(d, block, "1:2", "with points %s", look_of(s));
  else /* one value is not a line, so it has a mark */
    sb_figure_clause(d, block, "1:2", "with %s lw 1.2 %s lc rgb black", s->count == 1 ? "points pt 1" : "lines",
                     dashes[before % 4]);
}

const sb_figure_kind sb_figure_map = {
    .name = "map",
    .traits = SB_FIGURE_BY_VALUE,
    .draw = draw,
};
