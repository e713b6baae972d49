/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points that are not joined; a layer may still set lines. */
#include "harness/report/figure_kind.h"

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_figure_put_curve(d, s, s->layer->draw & SB_DRAW_LINES, s->layer->draw != SB_DRAW_LINES);
}

const sb_figure_kind sb_figure_scatter = {
    .name = "scatter",
    .least_points = 4,
    .draw = draw,
};
