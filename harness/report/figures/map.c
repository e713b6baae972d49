/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A map: every case is a mark at its x and y, which shows how the case ended (or another value, by words). Layers that
 * are drawn as lines are limits, such as a predicted one, in black. */
#include <string.h>

#include "harness/report/figure_kind.h"

/* Endings have the marks of the second round of linetypes, so that they differ from the two that all maps have. */
static const char *look_of(const sb_figure_drawing *d, const sb_figure_series *s)
{
  enum { ROUND = 12 }; /* colours in plots/style.gp */
  const size_t look = sb_figure_look(s);
  if (s->layer->value) return sb_arena_format(d->figure->arena, "lt %zu%s", look, sb_figure_paint(d->figure, s));
  if (strcmp(s->name, "ok") == 0) return "pt 5 ps 0.8 lc rgb sky";
  if (strcmp(s->name, "diverged") == 0) return "pt 13 ps 0.9 lc rgb vermillion";
  return sb_arena_format(d->figure->arena, "lt %zu", ROUND + look);
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  enum { DASHES = 12 }; /* in plots/style.gp */
  const size_t block = sb_figure_block(d, s->name, sb_figure_placed(d, s), s->count);
  size_t       before = 0; /* dashes distinguish limits; the first is a solid line */
  for (const sb_figure_layer *layer = d->view->spec->layers; layer < s->layer; ++layer)
    before += layer->draw == SB_DRAW_LINES;
  if (s->layer->draw != SB_DRAW_LINES)
    sb_figure_clause(d, block, "1:2", "with points %s", look_of(d, s));
  else /* one value is not a line, so it has a mark */
    sb_figure_clause(d, block, "1:2", "with %s lw 1.2 dt %zu lc rgb black", s->count == 1 ? "points pt 1" : "lines",
                     before % DASHES + 1);
}

const sb_figure_kind sb_figure_map = {
    .name = "map",
    .traits = SB_FIGURE_BY_VALUE,
    .draw = draw,
};
