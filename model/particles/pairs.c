/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pairs of particles and the kernel's gradients between them; see particles.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/maths/neighbours.h"
#include "model/particles/particles.h"

enum { IMAGES_MAX = 27 };

void sb_particle_pairs_clear(sb_particle_pairs *pairs)
{
  free(pairs->start);
  free(pairs->other);
  free(pairs->distance);
  free(pairs->value);
  free(pairs->gradient);
  *pairs = (sb_particle_pairs){0};
}

static bool make_room(sb_particle_pairs *pairs)
{
  const size_t room = pairs->room ? 2 * pairs->room : 4096;
  int         *other = realloc(pairs->other, room * sizeof *other);
  if (other) pairs->other = other;
  double *distance = realloc(pairs->distance, room * sizeof *distance);
  if (distance) pairs->distance = distance;
  double *value = realloc(pairs->value, room * sizeof *value);
  if (value) pairs->value = value;
  double(*gradient)[3] = realloc(pairs->gradient, room * sizeof *gradient);
  if (gradient) pairs->gradient = gradient;
  if (!other || !distance || !value || !gradient) return false;
  pairs->room = room;
  return true;
}

/* The images of a place across near periodic sides, itself first. Returns their number. */
static int find_images(const sb_particles *particles, const double *p, double images[IMAGES_MAX][3])
{
  int count = 1;
  memcpy(images[0], p, 3 * sizeof *p);
  for (int c = 0; c < particles->dimensions; ++c) {
    const double period = particles->period[c];
    if (!(period > 0)) continue;
    const double shift = p[c] < particles->support ? period : p[c] >= period - particles->support ? -period : 0;
    for (int k = 0, there = count; shift != 0 && k < there; ++k) {
      memcpy(images[count], images[k], sizeof images[k]);
      images[count++][c] += shift;
    }
  }
  return count;
}

/* One pair, seen from an image of particle i. */
static void add(sb_particle_pairs *pairs, const sb_particles *particles, const double *image, int other)
{
  const double *q = particles->position + 3 * (size_t)other;
  const double  d[3] = {image[0] - q[0], image[1] - q[1], image[2] - q[2]};
  const double  r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
  const double  slope = sb_smoothing_slope(particles->kernel, particles->dimensions, particles->support, r);
  pairs->other[pairs->count] = other;
  pairs->distance[pairs->count] = r;
  pairs->value[pairs->count] = sb_smoothing_value(particles->kernel, particles->dimensions, particles->support, r);
  for (int c = 0; c < 3; ++c) pairs->gradient[pairs->count][c] = slope * d[c];
  pairs->count++;
}

/* The pairs of particle i, by images, each ascending: insertion sort, as few are out of order. */
static void sort(sb_particle_pairs *pairs, size_t from)
{
  for (size_t k = from + 1; k < pairs->count; ++k) {
    const int    other = pairs->other[k];
    const double distance = pairs->distance[k], value = pairs->value[k];
    double       gradient[3];
    size_t       at = k;
    memcpy(gradient, pairs->gradient[k], sizeof gradient);
    for (; at > from && pairs->other[at - 1] > other; --at) {
      pairs->other[at] = pairs->other[at - 1];
      pairs->distance[at] = pairs->distance[at - 1];
      pairs->value[at] = pairs->value[at - 1];
      memcpy(pairs->gradient[at], pairs->gradient[at - 1], sizeof gradient);
    }
    pairs->other[at] = other;
    pairs->distance[at] = distance;
    pairs->value[at] = value;
    memcpy(pairs->gradient[at], gradient, sizeof gradient);
  }
}

static bool find_of(sb_particle_pairs *pairs, const sb_particles *particles, sb_neighbours *neighbours, size_t i)
{
  double       images[IMAGES_MAX][3];
  const int    seen = find_images(particles, particles->position + 3 * i, images);
  const size_t from = pairs->count;
  for (int s = 0; s < seen; ++s) {
    const int   *near;
    const size_t found = sb_neighbours_find(neighbours, images[s], -1, &near);
    for (size_t k = 0; k < found; ++k) {
      if (near[k] == (int)i) continue;
      if (pairs->count == pairs->room && !make_room(pairs)) return false;
      add(pairs, particles, images[s], near[k]);
    }
  }
  if (seen > 1) sort(pairs, from);
  return true;
}

bool sb_particle_pairs_find(sb_particle_pairs *pairs, const sb_particles *particles)
{
  sb_neighbours *neighbours = sb_neighbours_create(particles->support, particles->count);
  size_t        *start = realloc(pairs->start, (particles->free + 1) * sizeof *start);
  bool           good = neighbours && start;
  if (start) pairs->start = start;
  pairs->count = 0;
  if (good) sb_neighbours_sort(neighbours, particles->count, particles->position);
  for (size_t i = 0; good && i < particles->free; ++i) {
    pairs->start[i] = pairs->count;
    good = find_of(pairs, particles, neighbours, i);
  }
  if (good) pairs->start[particles->free] = pairs->count;
  sb_neighbours_destroy(&neighbours);
  return good;
}
