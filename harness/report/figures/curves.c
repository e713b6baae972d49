/* Curves: the points of a series are joined, and where each is a case of its own they have marks. */
#include "harness/report/figure.h"

/* Published points stand alone unless told otherwise. */
static bool has_lines(const sb_figure_series *s)
{
  return s->layer->draw == SB_DRAW_USUAL ? !s->layer->published : s->layer->draw != SB_DRAW_POINTS;
}

static bool has_points(const sb_figure_drawing *d, const sb_figure_series *s)
{
  const bool alone = s->layer->published || d->figure->spec->data[0] == 'r'; /* rows */
  return s->layer->draw == SB_DRAW_USUAL ? alone : s->layer->draw != SB_DRAW_LINES;
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_figure_put_curve(d, s, has_lines(s), has_points(d, s));
}

static void explain(sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_figure_explain_curve(d, s, has_lines(s), has_points(d, s));
}

const sb_figure_kind sb_figure_curves = {
    .name = "curves",
    .summary = "y against x, the points of a series joined",
    .traits = SB_FIGURE_ONE_CASE,
    .draw = draw,
    .explain = explain,
};
