/* A map: every case is a mark at its x and y, which tells how the case ended (or another value, by words). Layers that
 * are drawn as lines are limits, such as a predicted one, in black. */
#include <string.h>

#include "harness/report/figure.h"

static const char *look_of(const sb_figure_series *s)
{
  static const struct {
    const char *name, *look;
  } states[] = {{"ok", "pt 5 ps 0.8 lc rgb sky"}, {"diverged", "pt 13 ps 0.9 lc rgb vermillion"}};
  static const char *const others[] = {"pt 2 ps 0.7 lc rgb grey", "pt 1 ps 0.7 lc rgb black",
                                       "pt 7 ps 0.8 lc rgb green", "pt 9 ps 0.9 lc rgb purple"};
  for (size_t i = 0; i < sizeof states / sizeof *states; ++i)
    if (strcmp(s->name, states[i].name) == 0) return states[i].look;
  return others[s->style % 4];
}

static bool is_limit(const sb_figure_series *s) { return s->layer->draw == SB_DRAW_LINES; }

/* Limits are told apart by their dashes, the first is whole. */
static const char *limit_look(const sb_figure_drawing *d, const sb_figure_series *s)
{
  static const char *const dashes[] = {"dt 1", "dt (6, 4)", "dt (2, 3)", "dt (8, 3, 2, 3)"};
  size_t                   before = 0;
  for (size_t i = 0; i < d->view->series_count && d->view->series[i].layer < s->layer; ++i)
    before += d->view->series[i].layer && is_limit(&d->view->series[i]);
  return dashes[before % 4];
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  const size_t block = sb_figure_block(d, s->name, s->points, s->count);
  if (!is_limit(s))
    sb_figure_clause(d, "data index %zu using 1:2 with points %s notitle", block, look_of(s));
  else /* one value is no line: it has a mark */
    sb_figure_clause(d, "data index %zu using 1:2 with %s lw 1.2 %s lc rgb black notitle", block,
                     s->count == 1 ? "points pt 1" : "lines", limit_look(d, s));
}

static void explain(sb_figure_drawing *d, const sb_figure_series *s)
{
  if (is_limit(s))
    sb_figure_entry(d, s->label, "with %s lw 1.2 %s lc rgb black", s->count == 1 ? "points pt 1" : "lines",
                    limit_look(d, s));
  else
    sb_figure_entry(d, s->label, "with points %s", look_of(s));
}

const sb_figure_kind sb_figure_map = {
    .name = "map",
    .summary = "what became of each case, at its x and y",
    .traits = SB_FIGURE_BY_VALUE,
    .draw = draw,
    .explain = explain,
};
