/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tiles: a number over two axes, such as the error of a motion over substeps and iterations. A tile shows its number,
 * and is coloured by it, on a logarithmic scale if that is positive. With `cost`, tiles of a panel are framed if no
 * other has an equal or smaller number at an equal or smaller cost: the best use of a budget (a Pareto front). With
 * `level`, numbers are ratios: white is level, and the colours on both sides of it have words. With `over`, a tile is
 * the median of the cases that differ in these axes alone and did not fail. A tile is hatched if it has no number, or
 * most of these cases have none. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/order_statistics.h"
#include "harness/report/figure_kind.h"
#include "harness/report/report_text.h"

#define HATCH_COLOUR "#808080"

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

/* True if the cases of two points differ at most in the axes of `over`. */
static bool is_same_tile(const sb_figure *f, const sb_figure_point *a, const sb_figure_point *b)
{
  const sb_plan *plan = f->results->plan;
  bool           same = a->x == b->x && a->y == b->y;
  for (size_t k = 0; same && plan && k < plan->axis_count; ++k) {
    bool over = false;
    for (size_t i = 0; i < f->spec->over_count; ++i) over = over || strcmp(f->spec->over[i], plan->axes[k]) == 0;
    same = over || sb_value_same(sb_report_value(f->results, a->row, plan->axes[k]),
                                 sb_report_value(f->results, b->row, plan->axes[k]));
  }
  return same;
}

/* The number of a tile of [count] points of cases that did not fail: the median of those that have one. It lies between
 * the medians of their lower and of their upper bounds. */
static void take_median(const sb_figure *f, sb_figure_point *tile, const sb_figure_point *const *points, size_t count)
{
  double *ends[2], median[2];
  size_t  known = 0, good = 0;
  for (int k = 0; k < 2; ++k) ends[k] = sb_arena_take(f->arena, count, sizeof *ends[k]);
  for (size_t i = 0; i < count; ++i) {
    good += !points[i]->failed;
    if (!isfinite(points[i]->value) || points[i]->failed) continue;
    ends[0][known] = points[i]->bound < 0 ? -INFINITY : points[i]->value;
    ends[1][known++] = points[i]->bound > 0 ? INFINITY : points[i]->value;
  }
  tile->value = NAN;
  tile->bound = 0;
  if (2 * known < good || known == 0) return;
  for (int k = 0; k < 2; ++k) {
    sb_sort(ends[k], known);
    median[k] = (ends[k][(known - 1) / 2] + ends[k][known / 2]) / 2;
  }
  tile->value = isfinite(median[0]) ? median[0] : median[1];
  tile->bound = !isfinite(median[0]) ? -1 : median[1] > median[0];
}

/* Makes one tile of the points that differ in the axes of `over` alone; its times are those of all. */
static void join_tiles(const sb_figure *f, sb_figure_series *s)
{
  const sb_figure_point **points = sb_arena_take(f->arena, s->count, sizeof *points);
  sb_figure_point        *tiles = sb_arena_take(f->arena, s->count, sizeof *tiles);
  size_t                  kept = 0;
  SB_EACH_POINT (s, p) {
    size_t at = 0, count = 0;
    while (at < kept && !is_same_tile(f, &tiles[at], p)) ++at;
    if (at < kept) continue;
    for (sb_figure_point *q = p; q < s->points + s->count; ++q)
      if (is_same_tile(f, p, q)) points[count++] = q;
    sb_figure_point *tile = &tiles[kept++];
    *tile = *p;
    take_median(f, tile, points, count);
    tile->timed_count = 0;
    tile->timed = NULL;
    size_t *timed = sb_arena_take(f->arena, 0, sizeof *timed);
    for (size_t i = 0; i < count; ++i) {
      tile->failed |= points[i]->failed;
      for (size_t k = 0; k < points[i]->timed_count; ++k)
        *SB_NEW_ITEM(f->arena, timed, tile->timed_count) = points[i]->timed[k];
    }
    tile->timed = timed;
  }
  s->points = tiles;
  s->count = kept;
}

static void finish(const sb_figure *f, sb_figure_view *view)
{
  for (size_t i = 0; i < view->series_count && f->spec->over_count > 0; ++i) join_tiles(f, &view->series[i]);
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
  double level;                     /* logarithm of the largest ratio that is level; 0: they are no ratios */
  bool   below, above, logarithmic; /* numbers are beyond its ends */
} colour_range;

/* A number on the scale of its colour. Ratios that are level are 0. */
static double scaled(const colour_range *r, double value)
{
  const double at = r->logarithmic ? log(value) : value;
  return r->level > 0 ? copysign(fmax(fabs(at) - r->level, 0), at) : at;
}

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
  if (f->spec->level.factor > 1 && r.logarithmic) { /* both sides have the range of the one that is farther ahead */
    r.level = log(f->spec->level.factor);
    r.high = fmax(fmax(values[count - 1], 1 / values[0]), 2 * f->spec->level.factor);
    r.low = 1 / r.high;
    return r;
  }
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

/* The colour of a number. A bound of a ratio is level if it does not decide which side is ahead. */
static double colour_of(const colour_range *r, const sb_figure_point *p)
{
  const double least = 0.15; /* of ratios that are just ahead */
  const double low = scaled(r, r->low), width = scaled(r, r->high) - low, at = scaled(r, p->value);
  const double part = width > 0 ? fmin(fmax((at - low) / width, 0), 1) : 0;
  if (r->level == 0) return colour_at(part);
  if (at == 0 || at * p->bound < 0) return colour_at(0.5);
  return colour_at(0.5 + copysign(least, at) + (1 - 2 * least) * (part - 0.5));
}

/* The colour of a part of the bar. The middle of the bar of ratios is level, as wide as its words. */
static double part_colour(const colour_range *r, double part)
{
  const double level = 0.46, side = (fabs(part - 0.5) - level / 2) / (0.5 - level / 2);
  if (r->level == 0) return colour_at(part);
  return colour_at(side < 0 ? 0.5 : 0.5 + copysign(0.15 + 0.35 * side, part - 0.5));
}

/* In the middle of the bar, which ratios are level; at `next`, what is hatched. */
static void put_level(const sb_figure *f, FILE *script, double x, double y, double next)
{
  const double factor = f->spec->level.factor, height = 0.26, width = 0.6;
  fprintf(script,
          "set label 102 'level: 1/%g to %g' at screen %.4f / width, screen %.4f / height center front font "
          "',7'\n",
          factor, factor, x, y);
  fprintf(script,
          "set object 99 rectangle from screen %.4f / width, screen %.4f / height to screen %.4f / width, screen %.4f "
          "/ height fc rgb '" HATCH_COLOUR "' fs pattern 4\nset label 103 %s at screen %.4f / width, screen %.4f / "
          "height left font ',7'\n",
          next, y - height / 2, next + width, y + height / 2, sb_figure_quoted(f, f->spec->level.neither),
          next + width + 0.15, y);
}

/* The colours, with the numbers of the ends, or the words for them, next to them. */
static void put_bar(const sb_figure *f, FILE *script, double x, double y)
{
  enum { PARTS = 24 };
  const colour_range r = find_range(f);
  const bool         ratios = r.level > 0;
  const double       width = !ratios ? 4 : f->panel_only ? 1.6 : 5, height = 0.22;
  sb_arena          *arena = f->arena;
  if (!(r.high > r.low)) return;
  for (int i = 0; i < PARTS; ++i)
    fprintf(
        script,
        "set object %d rectangle from screen %.4f / width, screen %.4f / height to screen %.4f / width, screen %.4f "
        "/ height fc rgb '#%06x' fs solid noborder\n",
        100 + i, x + width * ((double)i / PARTS - 0.5), y - height / 2, x + width * ((i + 1.0) / PARTS - 0.5),
        y + height / 2, (unsigned)part_colour(&r, (i + 0.5) / PARTS));
  const char *ends[] = {ratios ? f->spec->level.below : sb_arena_format(arena, "%s%.3g", r.below ? "≤ " : "", r.low),
                        ratios ? f->spec->level.above : sb_arena_format(arena, "%s%.3g", r.above ? "≥ " : "", r.high)};
  for (int k = 0; k < 2; ++k)
    fprintf(script, "set label %d %s at screen %.4f / width, screen %.4f / height %s font ',7'\n", 100 + k,
            sb_figure_quoted(f, ends[k]), x + (k ? 1 : -1) * (width / 2 + 0.15), y, k ? "left" : "right");
  if (ratios && !f->panel_only)
    put_level(f, script, x, y, x + width / 2 + 0.5 + 0.12 * (double)sb_text_width(f->spec->level.above));
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

static bool is_level(const sb_figure *f, double ratio) { return fabs(log(ratio)) < log(f->spec->level.factor); }

/* The number of a tile. A ratio has a third digit if two would put it on the other side of level. */
static const char *number_of(const sb_figure *f, double value)
{
  enum { DIGITS = 2 };
  const char *text = rounded(f->arena, value, DIGITS);
  const bool  same = f->spec->level.factor <= 1 || is_level(f, value) == is_level(f, strtod(text, NULL));
  return same ? text : rounded(f->arena, value, DIGITS + 1);
}

static void put_numbers(sb_figure_drawing *d, size_t block, const sb_figure_point *tiles, size_t count)
{
  const char *words = "";
  for (size_t i = 0; i < count; ++i) {
    const char *bounds[] = {"<", "", ">"};
    const char *number =
        sb_arena_format(d->figure->arena, "%s%s", bounds[tiles[i].bound + 1], number_of(d->figure, tiles[i].lower));
    words = sb_arena_format(d->figure->arena, "%s%s%s", words, i > 0 ? " " : "", number);
  }
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "1:2:(word('%s', int($0) + 1))", words),
                   "with labels center font ',7' tc rgb black");
}

/* A mark on a tile with a number is in its corner. */
static void place(const sb_figure_drawing *d, const sb_figure_series *s, sb_figure_point *p)
{
  const double part = 0.75, half = d->view->tile[1];
  (void)s;
  if (!isfinite(p->value)) return;
  p->x = d->view->x->logarithmic ? p->x * pow(d->view->tile[0], part) : p->x + part * d->view->tile[0];
  p->y = d->view->y->logarithmic ? p->y * pow(half, part) : p->y + part * half;
}

static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  static const char *const frame = "with boxxyerror lc rgb black dt 1 lw 1.4 fs empty border";
  sb_figure_point         *tiles = sb_arena_take(d->figure->arena, s->count, sizeof *tiles);
  sb_figure_point         *front = sb_arena_take(d->figure->arena, s->count, sizeof *front);
  sb_figure_point         *hatched = sb_arena_take(d->figure->arena, s->count, sizeof *hatched);
  size_t                   count = 0, framed = 0, hatched_count = 0;
  if (d->legend) {
    sb_figure_clause(d, 0, "", "with boxes lc rgb black dt 1 lw 1.4 fs empty border");
    return;
  }
  const colour_range range = find_range(d->figure);
  SB_EACH_POINT (s, p) {
    if (!isfinite(p->value)) { /* a cross is drawn there if its case failed */
      if (!p->failed) hatched[hatched_count++] = *p;
      continue;
    }
    if (s->layer->cost && is_front(s, p)) front[framed++] = *p;
    tiles[count] = *p;
    tiles[count].lower = p->value;
    tiles[count++].upper = colour_of(&range, p);
  }
  const char *box = box_of(d);
  if (hatched_count > 0)
    sb_figure_clause(d, sb_figure_block(d, "no number", hatched, hatched_count), box,
                     "with boxxyerror fs pattern 4 noborder lc rgb '" HATCH_COLOUR "'");
  if (count == 0) return;
  const size_t block = sb_figure_block(d, *s->name ? s->name : "tiles", tiles, count);
  sb_figure_clause(d, block, sb_arena_format(d->figure->arena, "%s:4", box),
                   "with boxxyerror fs solid %s lc rgb variable",
                   range.level > 0 ? "border rgb '#c8c8c8' dt 1 lw 0.6" : "noborder");
  if (framed > 0) sb_figure_clause(d, sb_figure_block(d, "framed", front, framed), box, "%s", frame);
  put_numbers(d, block, tiles, count);
}

const sb_figure_kind sb_figure_tiles = {
    .name = "tiles",
    .traits = SB_FIGURE_ONE_PER_PLACE | SB_FIGURE_NUMBERS,
    .least_cases = 8,
    .finish = finish,
    .draw = draw,
    .place = place,
    .put_bar = put_bar,
};
