/* Bars: x are names, which stand down the left side, and y runs to the right from nought. A logarithmic axis has no
 * nought for a bar to stand on: there the end of the bar alone is marked. Whiskers are lower and upper. The bar of a
 * case that failed is empty. */
#include "harness/report/figure.h"

/* The bars of the cases that failed, or of the others, `off` the middle of their names. */
static void put_bars(sb_figure_drawing *d, const sb_figure_series *s, bool failed, double off, double width)
{
  sb_figure_point *points = sb_arena_take(d->figure->arena, s->count, sizeof *points);
  size_t           count = 0;
  for (size_t i = 0; i < s->count; ++i)
    if (s->points[i].failed == failed) points[count++] = s->points[i];
  if (count == 0) return;
  const size_t block = sb_figure_block(d, failed ? "failed" : *s->name ? s->name : s->label, points, count);
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "($2/2):($1%+.3f):($2/2):(%.3f)", off, width / 2),
                   "with boxxyerror lt %zu dt 1 fs %s", s->style, failed ? "empty" : "solid 0.6 noborder");
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  const size_t block = sb_figure_block(d, *s->name ? s->name : s->label, s->points, s->count);
  const bool   bar = !d->view->y->logarithmic;
  /* Series of one name stand beside each other, the first above. */
  const double width = bar && d->figure->names.count > 0 ? 0.7 / (double)d->figure->names.count : 0;
  const double off = bar ? width * ((double)s->style - 0.5) - 0.35 : 0;
  if (s->layer->published)
    sb_figure_clause(d, block, "2:1", "with points pt 8 ps 0.9 lw 1.4 lc rgb vermillion");
  else if (d->legend && bar)
    sb_figure_clause(d, block, "", "with boxes lt %zu fs solid 0.6 noborder", s->style);
  else if (d->legend)
    sb_figure_clause(d, block, "", "with points lt %zu dt 1 lc rgb blue ps 0.8", s->style);
  if (s->layer->published || d->legend) return;
  const char *ends = d->intervals ? "3:4" : "2:2"; /* of all of them, in this block */
  for (int failed = 0; failed < 2 && bar; ++failed) put_bars(d, s, failed, off, width);
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "2:($1%+.3f):%s", off, ends),
                   "with xerrorbars lt %zu dt 1 lc rgb %s ps %s", s->style, bar ? "black" : "blue", bar ? "0" : "0.8");
}

const sb_figure_kind sb_figure_bars = {
    .name = "bars",
    .traits = SB_FIGURE_NAMED_X | SB_FIGURE_ONE_CASE,
    .draw = draw,
};
