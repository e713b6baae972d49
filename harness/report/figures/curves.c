/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves: the points of a series are joined. If each point is a case, they have marks. Published points are not joined
 * by default. */
#include "harness/report/figure_kind.h"

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  const bool published = s->layer->published != NULL, usual = s->layer->draw == SB_DRAW_USUAL;
  sb_figure_put_curve(d, s, usual ? !published : s->layer->draw != SB_DRAW_POINTS,
                      usual ? published || d->figure->of_rows : s->layer->draw != SB_DRAW_LINES);
}

const sb_figure_kind sb_figure_curves = {
    .name = "curves",
    .traits = SB_FIGURE_ONE_PER_X,
    .least_points = 3,
    .draw = draw,
};
