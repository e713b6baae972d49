/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact of surfaces as a filter on steps: which pairs may touch, and the sequence of a step; see surface_contact.h.
 *
 * The pairs of the finder are kept between steps. Let s be the skin and b_i the box of vertex i over the motion for
 * which pairs were found, with places relative to the mean motion of the net. While every |x_i - b_i| <= s, a pair that
 * is not listed is farther apart than the thickness d, since boxes were widened by d/2 + s. A listed pair at distance r
 * needs no test before the net has moved by (r - d)/2, the sum of max |u_i - mean| over steps.
 *
 * Pairs are taken in the order of their vertices, and only their distance decides whether they act. So the result of a
 * step does not depend on the list. */
#include "model/contact/surface_state.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRIKES_MAX = 10, ROUNDS_MAX = 20, LOOK_MAX = 16 };
/* Fraction of the thickness: how near fast layers may come before they separate again. */
static const double least_part = 1e-3;
/* Fraction of the thickness: how far the net may move before pairs are searched again. */
static const double skin_part = 0.25;
/* Bound of rounding in sums of motions. */
static const double bound_slack = 1e-9;
/* The least distance must be at least this many roundings of a coordinate. */
static const double roundings_min = 1e4;

sb_surface_contact *sb_surface_contact_create(sb_surface_law law, size_t vertices, size_t triangles,
                                              const int32_t *triangle, const double *initial)
{
  sb_surface_contact *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->law = law;
  self->vertices = vertices;
  self->least = least_part * law.thickness;
  self->skin = skin_part * law.thickness;
  self->surface = sb_surface_create(vertices, triangles, triangle);
  self->finder = self->surface ? sb_pair_finder_create(self->surface) : NULL;
  double **const places[] = {&self->initial, &self->low, &self->high, &self->known, &self->wish, &self->way};
  int **const    numbers[] = {&self->changed, &self->zone, &self->next, &self->member};
  bool           good = self->finder != NULL;
  for (size_t k = 0; k < sizeof places / sizeof *places; ++k)
    good = (*places[k] = calloc(3 * vertices + 1, sizeof **places[k])) != NULL && good;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; ++k)
    good = (*numbers[k] = calloc(vertices + 1, sizeof **numbers[k])) != NULL && good;
  good = (self->dirty = calloc(2 * vertices + 1, sizeof *self->dirty)) != NULL && good;
  self->held = self->dirty + vertices;
  if (good)
    memcpy(self->initial, initial, 3 * vertices * sizeof *initial);
  else
    sb_surface_contact_destroy(&self);
  return self;
}

void sb_surface_contact_destroy(sb_surface_contact **self)
{
  sb_surface_contact *old = *self;
  if (!old) return;
  sb_pair_finder_destroy(&old->finder);
  sb_surface_destroy(&old->surface);
  double *const places[] = {old->initial, old->low, old->high, old->known, old->wish, old->way};
  for (size_t k = 0; k < sizeof places / sizeof *places; ++k) free(places[k]);
  free(old->changed);
  free(old->zone);
  free(old->next);
  free(old->member);
  free(old->dirty);
  free(old->list);
  free(old->active);
  free(old);
  *self = NULL;
}

/* Ways from start to end, and the largest coordinate; false if one is not a number, which the test of the bounds
 * reports. */
static bool set_ways(sb_surface_contact *self, const double *end, double *largest)
{
  const double *start = self->step->start->position;
  double        sum = 0;
  *largest = 0;
  for (size_t k = 0; k < 3 * self->vertices; ++k) {
    self->wish[k] = self->way[k] = end[k] - start[k];
    sum += self->way[k] * 0;
    *largest = fmax(*largest, fabs(start[k]));
  }
  memset(self->changed, 0, self->vertices * sizeof *self->changed);
  return sum == 0;
}

/* The mean of the ways and the greatest difference from it. */
static double measure_ways(const sb_surface_contact *self, double mean[3])
{
  double square = 0;
  memset(mean, 0, 3 * sizeof *mean);
  for (size_t i = 0; i < self->vertices; ++i) sb_along(mean, 1.0 / (double)self->vertices, self->way + 3 * i, mean);
  for (size_t i = 0; i < self->vertices; ++i) {
    double off[3];
    sb_subtract(self->way + 3 * i, mean, off);
    square = fmax(square, sb_dot(off, off));
  }
  return sqrt(square);
}

/* True if the ends of all ways are within the skin of their boxes. */
static bool list_holds(const sb_surface_contact *self)
{
  const double *start = self->step->start->position;
  double        off[3];
  bool          holds = true;
  for (int c = 0; c < 3; ++c) off[c] = self->offset[c] + self->mean[c];
  for (size_t i = 0; i < self->vertices; ++i)
    for (size_t c = 0; c < 3; ++c) {
      const double x = start[3 * i + c] + self->way[3 * i + c] - off[c];
      holds &= x >= self->low[3 * i + c] - self->skin && x <= self->high[3 * i + c] + self->skin;
    }
  return holds;
}

static bool make_room(void **array, size_t *room, size_t needed, size_t size)
{
  if (needed <= *room) return true;
  const size_t more = needed + needed / 2;
  void        *larger = realloc(*array, more * size);
  if (!larger) return false;
  *array = larger;
  *room = more;
  return true;
}

static int compare_pairs(const void *a, const void *b)
{
  const sb_pair *p = &((const sb_listed_pair *)a)->pair, *q = &((const sb_listed_pair *)b)->pair;
  if (p->kind != q->kind) return p->kind < q->kind ? -1 : 1;
  for (int k = 0; k < 4; ++k)
    if (p->vertex[k] != q->vertex[k]) return p->vertex[k] < q->vertex[k] ? -1 : 1;
  return 0;
}

static double distance_at(const double *of, const sb_pair *pair)
{
  double x[4][3], weight[4];
  sb_surface_places(of, pair, x);
  return sqrt(sb_pair_distance2(pair->kind, x, weight));
}

/* The same of a pair of edges whichever of them was found first. */
static sb_pair in_order(sb_pair pair)
{
  const int *v = pair.vertex;
  if (pair.kind == SB_VERTEX_TRIANGLE || v[0] < v[2] || (v[0] == v[2] && v[1] < v[3])) return pair;
  return (sb_pair){SB_EDGE_EDGE, {v[2], v[3], v[0], v[1]}};
}

/* Keeps of the finder's pairs those that come nearer than the thickness before a vertex is `reach` from its start. */
static bool keep_pairs(sb_surface_contact *self, size_t count, const sb_pair *found, double reach)
{
  const double *start = self->step->start->position, thickness = self->law.thickness;
  self->listed = 0;
  for (size_t k = 0; k < count; ++k) {
    const sb_pair pair = in_order(found[k]);
    const double  apart = distance_at(start, &pair) - thickness;
    if (apart > 2 * reach) continue;
    if (!make_room((void **)&self->list, &self->listed_room, self->listed + 1, sizeof *self->list)) return false;
    self->list[self->listed++] = (sb_listed_pair){pair, 0.5 * apart * (1 - bound_slack)};
  }
  if (self->listed > 0) qsort(self->list, self->listed, sizeof *self->list, compare_pairs);
  return true;
}

/* The list for this step and, where ways are short, for some of the next if they go on as this one. */
static bool search(sb_surface_contact *self)
{
  const double  *start = self->step->start->position, thickness = self->law.thickness;
  const double   longest = measure_ways(self, self->mean);
  const double   look = fmax(1, fmin(LOOK_MAX, floor(thickness / (longest + DBL_MIN))));
  size_t         count;
  const sb_pair *found;
  for (size_t i = 0; i < self->vertices; ++i)
    for (size_t c = 0; c < 3; ++c)
      self->high[3 * i + c] = start[3 * i + c] + look * (self->way[3 * i + c] - self->mean[c]);
  const double radius = (thickness + 2 * self->skin) * (1 + 1e-6);
  if (!sb_pair_finder_find(self->finder, start, self->high, radius, &count, &found)) return false;
  for (size_t k = 0; k < 3 * self->vertices; ++k) {
    const double end = self->high[k];
    self->low[k] = fmin(start[k], end);
    self->high[k] = fmax(start[k], end);
  }
  memset(self->offset, 0, sizeof self->offset);
  self->moved = 0;
  return keep_pairs(self, count, found, (look * longest + sqrt(3) * self->skin) * (1 + 1e-6));
}

/* Active pairs: those that may come as near as the thickness while no way differs from the mean by more than `bound`.
 */
static bool gather(sb_surface_contact *self)
{
  const double thickness = self->law.thickness, by = self->moved + self->bound;
  self->active_count = 0;
  for (size_t k = 0; k < self->listed; ++k) {
    sb_listed_pair *listed = &self->list[k];
    if (listed->wake > by) continue;
    const double distance = distance_at(self->step->start->position, &listed->pair);
    listed->wake = self->moved + 0.5 * (distance - thickness) * (1 - bound_slack);
    if (listed->wake > by) continue;
    if (!make_room((void **)&self->active, &self->active_room, self->active_count + 1, sizeof *self->active))
      return false;
    self->active[self->active_count++] =
        (sb_active_pair){.pair = listed->pair, .distance = distance, .least = fmin(self->least, 0.5 * distance)};
  }
  return true;
}

/* Everything that may touch on the present ways is active. */
static bool prepare_pairs(sb_surface_contact *self, int round)
{
  const double longest = measure_ways(self, self->mean) * (1 + 1e-2);
  self->bound = round == 0 ? longest : fmax(longest, 2 * self->bound);
  if (!(self->knows && list_holds(self))) {
    if (!search(self)) return false;
    self->knows = true;
  }
  return gather(self);
}

/* Impulses while they help, then zones. */
static bool settle(sb_surface_contact *self)
{
  for (int strike = 0; strike < STRIKES_MAX; ++strike) {
    ++self->pass;
    if (!sb_surface_strike(self)) return true;
  }
  return sb_surface_freeze(self);
}

static void forget_changes(sb_surface_contact *self)
{
  self->pass = 0;
  for (size_t i = 0; i < self->vertices; ++i)
    if (self->changed[i] > 0) self->changed[i] = 1;
}

static sb_contact_verdict find_free_ways(sb_surface_contact *self)
{
  for (int round = 0; round < ROUNDS_MAX; ++round) {
    if (!prepare_pairs(self, round)) return SB_STEP_WITHOUT_MEMORY;
    self->pass = 1;
    if (round == 0) sb_surface_repel(self);
    forget_changes(self);
    if (!settle(self)) return SB_STEP_REFUSED;
    if (measure_ways(self, self->mean) <= self->bound && list_holds(self)) return SB_STEP_FREE;
  }
  snprintf(self->why, self->why_size, "impulses between layers move other layers without end");
  return SB_STEP_REFUSED;
}

/* Tests whether steps from a state can be kept free. Intersections are tested only for states that are not the end of a
 * filtered step. */
static sb_contact_verdict check_start(sb_surface_contact *self, double largest)
{
  const double *start = self->step->start->position;
  if (!(self->least > roundings_min * DBL_EPSILON * largest)) {
    snprintf(self->why, self->why_size, "a thickness of %g m is below the rounding of coordinates of %g m",
             self->law.thickness, largest);
    return SB_STEP_REFUSED;
  }
  if (self->knows && memcmp(self->known, start, 3 * self->vertices * sizeof *start) == 0) return SB_STEP_FREE;
  self->knows = false;
  const int64_t cut = sb_pair_finder_intersections(self->finder, start);
  if (cut < 0) return SB_STEP_WITHOUT_MEMORY;
  if (cut == 0) return SB_STEP_FREE;
  snprintf(self->why, self->why_size, "%lld pairs of triangles intersect at the start", (long long)cut);
  return SB_STEP_REFUSED;
}

/* The ends of changed ways; other vertices keep their bits. */
static void accept(sb_surface_contact *self, double *end)
{
  const sb_contact_points *start = self->step->start;
  self->moved += self->bound;
  for (int c = 0; c < 3; ++c) self->offset[c] += self->mean[c];
  for (size_t i = 0; i < self->vertices; ++i)
    if (self->changed[i] > 0 && !start->pinned[i]) sb_along(start->position + 3 * i, 1, self->way + 3 * i, end + 3 * i);
  memcpy(self->known, end, 3 * self->vertices * sizeof *end);
}

sb_contact_verdict sb_surface_contact_filter(sb_surface_contact *self, const sb_surface_step *step, double *end,
                                             sb_surface_tally *tally, char *why, size_t why_size)
{
  self->step = step;
  self->tally = tally;
  self->why = why;
  self->why_size = why_size;
  *tally = (sb_surface_tally){0};
  double largest;
  if (!set_ways(self, end, &largest)) return SB_STEP_FREE;
  sb_contact_verdict verdict = check_start(self, largest);
  if (verdict == SB_STEP_FREE) verdict = find_free_ways(self);
  if (verdict == SB_STEP_FREE) accept(self, end);
  return verdict;
}
