/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles: a number over two axes, such as the error of a motion over substeps and iterations. A tile shows its number,
 * and is coloured by it, on a logarithmic scale if that is positive. With `cost`, tiles of a panel are framed if no
 * other has an equal or smaller number at an equal or smaller cost: the best use of a budget (a Pareto front). */
#include <math.h>
#include <string.h>

#include "base/order_statistics.h"
#include "harness/report/figure_kind.h"

static bool is_front(const sb_figure_series *s, const sb_figure_point *p)
{
  if (!isfinite(p->value) || !isfinite(p->cost) || p->failed) return false;
  SB_EACH_POINT (s, q) {
    const bool as_good = !q->failed && q->value <= p->value && q->cost <= p->cost;
    if (as_good && (q->value < p->value || q->cost < p->cost)) return false;
  }
  return true;
}

/* Half the way between neighbours: a factor on a logarithmic axis. */
static double half_of(const sb_figure_view *view, bool across)
{
  const bool logarithmic = across ? view->x->logarithmic : view->y->logarithmic;
  double     least = INFINITY;
  for (const sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
    SB_EACH_POINT (s, p)
      for (const sb_figure_point *q = s->points; q < p; ++q) {
        const double a = across ? p->x : p->y, b = across ? q->x : q->y;
        const double apart = logarithmic ? fabs(log(a / b)) : fabs(a - b);
        if (apart > 1e-13 * (logarithmic ? 1 : fabs(a))) least = fmin(least, apart);
      }
  if (!isfinite(least)) least = logarithmic ? log(2) : 1;
  return logarithmic ? exp(least / 2) : least / 2;
}

static void finish(const sb_figure *f, sb_figure_view *view)
{
  (void)f;
  view->tile[0] = half_of(view, true);
  view->tile[1] = half_of(view, false);
  for (size_t i = 0; i < view->series_count; ++i)
    view->series[i].label = view->series[i].layer->cost ? "framed: nothing in the panel is better for less" : "";
}

/* From blue at the smallest number over white to orange. The colours are light, because numbers are drawn on them, and
 * readers who do not see red or green can distinguish them. Part in [0, 1]. */
static double colour_at(double part)
{
  static const double ends[3][3] = {{0x8c, 0xc5, 0xe8}, {0xff, 0xff, 0xff}, {0xf2, 0xa5, 0x5e}};
  const int           half = part >= 0.5;
  const double        along = 2 * part - half;
  double              colour = 0;
  for (int c = 0; c < 3; ++c) colour = 256 * colour + round(ends[half][c] * (1 - along) + ends[half + 1][c] * along);
  return colour;
}

/* The range of colours over all panels, so that a colour is one number in the whole figure. An outlier, farther from
 * the middle half of the numbers than one and a half times their spread, has the colour of the next number towards the
 * others: else it would have an end of the range for itself. */
typedef struct {
  double low, high;                 /* of the range of colours */
  bool   below, above, logarithmic; /* numbers are beyond its ends */
} colour_range;

static double scaled(const colour_range *r, double value) { return r->logarithmic ? log(value) : value; }

static colour_range find_range(const sb_figure *f)
{
  double      *values = sb_arena_take(f->arena, 0, sizeof *values);
  size_t       count = 0;
  colour_range r = {.logarithmic = true};
  SB_EACH_SERIES (f, view, s)
    SB_EACH_POINT (s, p)
      if (isfinite(p->value)) *SB_NEW_ITEM(f->arena, values, count) = p->value;
  if (count == 0) return r;
  sb_sort(values, count);
  r.logarithmic = values[0] > 0;
  const double q1 = scaled(&r, values[count / 4]), q3 = scaled(&r, values[count - 1 - count / 4]);
  size_t       first = 0, last = count - 1;
  while (first < last && q3 > q1 && scaled(&r, values[first]) < q1 - 1.5 * (q3 - q1)) ++first;
  while (last > first && q3 > q1 && scaled(&r, values[last]) > q3 + 1.5 * (q3 - q1)) --last;
  r.low = values[first];
  r.high = values[last];
  r.below = first > 0;
  r.above = last + 1 < count;
  return r;
}

/* The colours, with the numbers of the ends next to them. */
static void put_bar(const sb_figure *f, FILE *script, double x, double y)
{
  enum { PARTS = 24 };
  const colour_range r = find_range(f);
  const double       width = 4, height = 0.22;
  if (!(r.high > r.low)) return;
  for (int i = 0; i < PARTS; ++i)
    fprintf(
        script,
        "set object %d rectangle from screen %.4f / width, screen %.4f / height to screen %.4f / width, screen %.4f "
        "/ height fc rgb '#%06x' fs solid noborder\n",
        100 + i, x + width * ((double)i / PARTS - 0.5), y - height / 2, x + width * ((i + 1.0) / PARTS - 0.5),
        y + height / 2, (unsigned)colour_at((i + 0.5) / PARTS));
  fprintf(script,
          "set label 100 '%s%.3g' at screen %.4f / width, screen %.4f / height right font ',6.5'\n"
          "set label 101 '%s%.3g' at screen %.4f / width, screen %.4f / height left font ',6.5'\n",
          r.below ? "≤ " : "", r.low, x - width / 2 - 0.15, y, r.above ? "≥ " : "", r.high, x + width / 2 + 0.15, y);
}

/* Columns of boxxyerror: x, y, and where the tile ends. */
static const char *box_of(const sb_figure_drawing *d)
{
  const sb_figure_view *view = d->view;
  const char           *ends[2];
  for (int k = 0; k < 2; ++k) {
    const bool logarithmic = k ? view->y->logarithmic : view->x->logarithmic;
    ends[k] = sb_arena_format(d->figure->arena, "($%d%c%.17g):($%d%c%.17g)", k + 1, logarithmic ? '/' : '-',
                              view->tile[k], k + 1, logarithmic ? '*' : '+', view->tile[k]);
  }
  return sb_arena_format(d->figure->arena, "1:2:%s:%s", ends[0], ends[1]);
}

/* All digits before the point, unless these are many, and `digits` at least; small numbers as 1.2e-9. */
static const char *rounded(sb_arena *arena, double value, int digits)
{
  enum { MANY = 7 };
  const double before = value != 0 ? floor(log10(fabs(value))) + 1 : 1;
  if (before > -3)
    return sb_arena_format(arena, "%.*g", before <= MANY && before > digits ? (int)before : digits, value);
  char *text = sb_arena_format(arena, "%.*e", digits - 1, value);
  char *zero = strstr(text, "e-0");
  if (zero) memmove(zero + 2, zero + 3, strlen(zero + 3) + 1);
  return text;
}

/* The number of a tile: two digits, or as many as distinguish it from every other tile of the figure, if five do. */
static const char *number_of(const sb_figure *f, double value)
{
  enum { LEAST_DIGITS = 2, MOST_DIGITS = 5 };
  int digits = LEAST_DIGITS;
  SB_EACH_SERIES (f, view, s)
    SB_EACH_POINT (s, p) {
      if (!isfinite(p->value) || p->value == value) continue;
      while (digits <= MOST_DIGITS &&
             strcmp(rounded(f->arena, value, digits), rounded(f->arena, p->value, digits)) == 0)
        ++digits;
    }
  return rounded(f->arena, value, digits <= MOST_DIGITS ? digits : LEAST_DIGITS);
}

static void put_numbers(sb_figure_drawing *d, size_t block, const sb_figure_point *tiles, size_t count)
{
  const char *words = "", *font = "6.5";
  for (size_t i = 0; i < count; ++i) {
    const char  *number = number_of(d->figure, tiles[i].lower);
    const size_t length = strlen(number);
    words = sb_arena_format(d->figure->arena, "%s%s%s", words, i > 0 ? " " : "", number);
    if (length > 6) font = length > 9 || strcmp(font, "4") == 0 ? "4" : "5";
  }
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "1:2:(word('%s', int($0) + 1))", words),
                   "with labels center font ',%s' tc rgb black", font);
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  static const char *const frame = "with boxxyerror lc rgb black dt 1 lw 1.4 fs empty border";
  sb_figure_point         *tiles = sb_arena_take(d->figure->arena, s->count, sizeof *tiles);
  sb_figure_point         *front = sb_arena_take(d->figure->arena, s->count, sizeof *front);
  size_t                   count = 0, framed = 0;
  if (d->legend) {
    sb_figure_clause(d, 0, "", "with boxes lc rgb black dt 1 lw 1.4 fs empty border");
    return;
  }
  const colour_range range = find_range(d->figure);
  const double       low = scaled(&range, range.low), width = scaled(&range, range.high) - low;
  SB_EACH_POINT (s, p) {
    if (!isfinite(p->value)) continue; /* a cross is drawn there */
    if (s->layer->cost && is_front(s, p)) front[framed++] = *p;
    tiles[count] = *p;
    tiles[count].lower = p->value;
    tiles[count++].upper = colour_at(width > 0 ? fmin(fmax((scaled(&range, p->value) - low) / width, 0), 1) : 0);
  }
  if (count == 0) return;
  const char  *box = box_of(d);
  const size_t block = sb_figure_block(d, *s->name ? s->name : "tiles", tiles, count);
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "%s:4", box),
                   "with boxxyerror fs solid noborder lc rgb variable");
  if (framed > 0) sb_figure_clause(d, sb_figure_block(d, "framed", front, framed), box, "%s", frame);
  put_numbers(d, block, tiles, count);
}

const sb_figure_kind sb_figure_tiles = {
    .name = "tiles",
    .traits = SB_FIGURE_ONE_PER_PLACE | SB_FIGURE_NUMBERS,
    .least_cases = 8,
    .finish = finish,
    .draw = draw,
    .put_bar = put_bar,
};
