/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: the share of cases that have reached a goal by x, for each series; cases that never do count. Over an
 * absolute cost it is a data profile (More, Wild 2009, doi:10.1137/080724083). With several targets as layers it is the
 * distribution of costs in COCO (Hansen et al. 2021, doi:10.1080/10556788.2020.1808977). With `per` it is a performance
 * profile (Dolan, More 2002, doi:10.1007/s101070100263), which depends on the set of series (Gould, Scott 2016,
 * doi:10.1145/2950048).
 *
 * The band of a series covers 95 of 100 draws of as many clusters of cases, with replacement, at each x. */
#include <math.h>
#include <stdlib.h>

#include "base/order_statistics.h"
#include "base/random.h"
#include "harness/report/figure_kind.h"
#include "harness/report/figure_names.h"
#include "harness/report/report_text.h"

enum { DRAWS = 1000 };

static int by_x(const void *a, const void *b)
{
  const sb_figure_point *p = a, *q = b;
  if (p->x < q->x || p->x > q->x) return p->x < q->x ? -1 : 1;
  return (p->row > q->row) - (p->row < q->row);
}

/* x becomes a ratio to the least of its group; targets (layers) of one case are grouped together. */
static void relate(const sb_figure *f, sb_figure_view *view)
{
  sb_names groups = {0};
  double  *least = sb_arena_take(f->arena, sb_rows_count(f->rows), sizeof *least);
  for (int pass = 0; pass < 2; ++pass)
    for (const sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
      SB_EACH_POINT (s, p) {
        const size_t known = groups.count;
        const size_t g =
            sb_names_add(f->arena, &groups, sb_figure_identity(f, f->rows, p->row, f->spec->per, f->spec->per_count));
        if (g == known) least[g] = p->x;
        if (pass == 0)
          least[g] = fmin(least[g], p->x);
        else
          p->x /= least[g];
      }
}

static void find_band(const sb_figure *f, sb_figure_series *s)
{
  const size_t all = s->count + s->missed_count;
  size_t      *cluster = sb_arena_take(f->arena, all, sizeof *cluster); /* of each case, those with points first */
  sb_names     names = {0};
  for (size_t i = 0; i < all; ++i) {
    const size_t row = i < s->count ? s->points[i].row : s->missed[i - s->count];
    cluster[i] =
        sb_names_add(f->arena, &names, sb_figure_identity(f, f->rows, row, f->spec->clusters, f->spec->cluster_count));
  }
  const size_t clusters = names.count;
  double      *weight = sb_arena_take(f->arena, DRAWS * clusters, sizeof *weight); /* [draw][cluster] */
  double      *size = sb_arena_take(f->arena, DRAWS, sizeof *size), *sum = sb_arena_take(f->arena, DRAWS, sizeof *sum);
  double      *share = sb_arena_take(f->arena, DRAWS, sizeof *share);
  for (size_t d = 0; d < DRAWS; ++d) {
    for (size_t c = 0; c < clusters; ++c)
      weight[d * clusters + (size_t)(sb_random_unit(1, d * clusters + c) * (double)clusters)] += 1;
    for (size_t i = 0; i < all; ++i) size[d] += weight[d * clusters + cluster[i]];
  }
  for (size_t k = 0; k < s->count; ++k) {
    for (size_t d = 0; d < DRAWS; ++d) share[d] = (sum[d] += weight[d * clusters + cluster[k]]) / size[d];
    sb_sort(share, DRAWS);
    s->points[k].lower = share[DRAWS / 40];
    s->points[k].upper = share[DRAWS - 1 - DRAWS / 40];
  }
}

/* Puts points with cost 0 at the left end of a logarithmic axis: at the given end, else at the smallest cost. */
static void place_free(sb_figure_view *view)
{
  double least = view->spec->x_range[0];
  if (!view->x->logarithmic) return;
  for (int pass = isnan(least) ? 0 : 1; pass < 2; ++pass)
    for (const sb_figure_series *s = view->series; s < view->series + view->series_count; ++s)
      SB_EACH_POINT (s, p) {
        if (pass == 0 && p->x > 0) least = fmin(least, p->x);
        if (pass == 1 && !(p->x > 0)) p->x = least;
      }
}

static void finish(const sb_figure *f, sb_figure_view *view)
{
  place_free(view);
  if (f->spec->per_count > 0) relate(f, view);
  for (size_t i = 0; i < view->series_count; ++i) {
    sb_figure_series *s = &view->series[i];
    const double      all = (double)(s->count + s->missed_count);
    if (s->count == 0) continue;
    qsort(s->points, s->count, sizeof *s->points, by_x);
    if (s->layer->band) find_band(f, s);
    for (size_t k = 0; k < s->count; ++k) s->points[k].y = (double)(k + 1) / all;
  }
}

/* Makes all series grey but the leaders, which have the largest share of cases on the whole: the mean over
 * its axis, where a factor counts if it is logarithmic, and over all panels. */
static void choose_leaders(const sb_figure *f)
{
  double *area = sb_arena_take(f->arena, f->drawn.count + 1, sizeof *area);
  SB_EACH_SERIES (f, view, s) {
    const sb_figure_axis *x = view->x;
    s->area = s->end = 0;
    SB_EACH_POINT (s, p) {
      if (p->x > x->high) continue;
      const double at = fmax(p->x, x->low), all = (double)(s->count + s->missed_count);
      s->area +=
          (x->logarithmic ? log(x->high / at) / log(x->high / x->low) : (x->high - at) / (x->high - x->low)) / all;
      s->end = p->y;
    }
    area[s->rank] += s->area;
  }
  SB_EACH_SERIES (f, view, s) {
    int better = 0;
    for (size_t k = 1; k <= f->drawn.count; ++k)
      better += area[k] > area[s->rank] || (k < s->rank && !(area[k] < area[s->rank]));
    s->faint = s->rank > 0 && better >= f->spec->leaders;
  }
}

static const char *describe_interval(const sb_figure *f)
{
  const char *of = "cases";
  for (size_t i = 0; i < f->spec->cluster_count; ++i)
    of = sb_arena_format(f->arena, "%s%s%s", i ? of : "groups of cases equal in ", i ? ", " : "",
                         sb_spelled_axis(f->arena, f->results->sweep, f->spec->clusters[i]));
  return sb_arena_format(f->arena, "95 of 100 draws of %s", of);
}

/* A staircase: up at each point, level to the next, and to the end of the axis. */
static void draw(sb_figure_drawing *d, const sb_figure_series *s)
{
  sb_figure_series stairs = *s;
  stairs.count = 0;
  stairs.points = sb_arena_take(d->figure->arena, 2 * s->count + 2, sizeof *stairs.points);
  for (size_t k = 0; k <= s->count && s->count > 0; ++k) {
    sb_figure_point level = s->points[k > 0 ? k - 1 : 0];
    level.x = k < s->count ? s->points[k].x : d->view->x->high;
    if (k == 0) level.y = 0;
    if (k == 0 && !isnan(level.lower)) level.lower = level.upper = 0;
    stairs.points[stairs.count++] = level;
    if (k < s->count) stairs.points[stairs.count++] = s->points[k];
  }
  sb_figure_put_curve(d, &stairs, true, false);
}

const sb_figure_kind sb_figure_profile = {
    .name = "profile",
    .traits = SB_FIGURE_X_ALONE,
    .least_cases = 8,
    .y_label = "share of cases",
    .finish = finish,
    .choose_leaders = choose_leaders,
    .draw = draw,
    .describe_interval = describe_interval,
};
