/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The net against itself: pairs against all n^2, momentum, walls, order, and places that are no numbers. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "model/contact/contact.h"
#include "tests/model/support.h"

enum { CLOUD = 400 };
typedef struct {
  size_t count, springs;
  double thickness;
  bool   pinned[CLOUD];
  double mass[CLOUD], position[3 * CLOUD], velocity[3 * CLOUD];
  int    first[CLOUD], second[CLOUD];
} cloud;

static sb_contact *contact_of(double thickness)
{
  char        pairs[80];
  sb_contact *contact;
  snprintf(pairs, sizeof pairs, "self_contact=vertices thickness=%.17g", thickness);
  sb_options *options = sb_test_options(pairs);
  assert_true(sb_contact_create(options, &contact));
  assert_non_null(contact);
  sb_options_destroy(&options);
  return contact;
}

static bool joined(const cloud *c, size_t i, size_t j)
{
  for (size_t s = 0; s < c->springs; ++s) {
    const size_t a = (size_t)c->first[s], b = (size_t)c->second[s];
    if ((a == i && b == j) || (a == j && b == i)) return true;
  }
  return false;
}

/* All pairs, in order, without cells. */
static int64_t filter_all(cloud *c)
{
  int64_t pairs = 0;
  for (size_t i = 0; i < c->count; ++i)
    for (size_t j = i + 1; j < c->count; ++j) {
      const double *p = c->position + 3 * i, *q = c->position + 3 * j;
      double       *v = c->velocity + 3 * i, *w = c->velocity + 3 * j;
      const double  d[3] = {p[0] - q[0], p[1] - q[1], p[2] - q[2]}, square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
      const double  along = (v[0] - w[0]) * d[0] + (v[1] - w[1]) * d[1] + (v[2] - w[2]) * d[2];
      if (!(square < c->thickness * c->thickness) || joined(c, i, j)) continue;
      ++pairs;
      if (along >= 0.0 || square == 0.0) continue;
      const double a = c->pinned[i] ? 0.0 : c->pinned[j] ? 1.0 : c->mass[j] / (c->mass[i] + c->mass[j]);
      const double b = c->pinned[j] ? 0.0 : c->pinned[i] ? 1.0 : c->mass[i] / (c->mass[i] + c->mass[j]);
      for (int k = 0; k < 3; ++k) {
        const double change = along / square * d[k];
        v[k] -= a * change;
        w[k] += b * change;
      }
    }
  return pairs;
}

static int64_t filter_by_cells(cloud *c)
{
  sb_contact *contact = contact_of(c->thickness);
  assert_true(sb_contact_filters(contact) && !sb_contact_pushes(contact));
  assert_true(sb_contact_set_springs(contact, c->count, c->springs, c->first, c->second));
  sb_contact_filter(contact, 0.0, 0.01, NULL, &(sb_contact_points){c->count, c->pinned, c->mass, c->position},
                    c->velocity);
  const int64_t pairs = sb_contact_measured(contact).self_pairs;
  sb_contact_destroy(&contact);
  return pairs;
}

/* Random vertices in a box around `centre`, every ninth pinned, springs between random ones. */
static void fill_some(cloud *c, size_t count, uint64_t seed, double thickness, const double edge[3], double centre)
{
  *c = (cloud){.count = count, .springs = count, .thickness = thickness};
  for (size_t i = 0; i < count; ++i) {
    c->pinned[i] = i % 9 == 4;
    c->mass[i] = 0.5 + sb_random_unit(seed, i);
    c->first[i] = (int)((double)count * sb_random_unit(seed + 1, i));
    c->second[i] = (int)((double)count * sb_random_unit(seed + 2, i));
    for (size_t k = 0; k < 3; ++k) {
      c->position[3 * i + k] = centre + edge[k] * (sb_random_unit(seed + 3, 3 * i + k) - 0.5);
      c->velocity[3 * i + k] = sb_random_unit(seed + 4, 3 * i + k) - 0.5;
    }
  }
}

static void fill(cloud *c, uint64_t seed, double thickness, const double edge[3], double centre)
{
  fill_some(c, CLOUD, seed, thickness, edge, centre);
}

/* Equal to the last bit: the same pairs in the same order. */
static void compare(const cloud *c, int64_t least_pairs)
{
  cloud        *a = malloc(sizeof *a), *b = malloc(sizeof *b);
  const int64_t pairs = (*a = *c, filter_all(a));
  *b = *c;
  assert_true(pairs >= least_pairs);
  assert_int_equal(filter_by_cells(b), pairs);
  assert_memory_equal(a->velocity, b->velocity, sizeof a->velocity);
  free(a);
  free(b);
}

static void cells_find_all_pairs(void)
{
  static const struct {
    double thickness, edge[3], centre;
    int    least;
  } worlds[] = {{0.1, {1, 1, 1}, 0, 100},     {0.03, {1, 1, 0.01}, -3, 50},   {0.5, {1, 1, 1}, 0, 10000},
                {5.0, {1, 1, 1}, 0.3, 70000}, {0.01, {1, 0, 0}, -0.5, 500},   {1e-4, {1e-3, 1e-3, 1e-3}, 100, 50},
                {0.1, {1, 1, 1}, 1e6, 100},   {1e5, {1e6, 1e6, 1e6}, 0, 100}, {0.01, {1, 1, 1}, 0, 0}};
  cloud *c = malloc(sizeof *c);
  for (size_t w = 0; w < sizeof worlds / sizeof *worlds; ++w) {
    fill(c, 100 + w, worlds[w].thickness, worlds[w].edge, worlds[w].centre);
    compare(c, worlds[w].least);
  }
  free(c);
}

/* Few vertices have few buckets, which different cells share: no pair counts twice for it. */
static void shared_buckets_find_pairs_once(void)
{
  cloud *c = malloc(sizeof *c);
  for (uint64_t seed = 0; seed < 200; ++seed) {
    fill_some(c, 30, 1000 + 10 * seed, 0.2, (double[3]){1, 1, 1}, 0);
    compare(c, 1);
  }
  free(c);
}

/* A lattice of exactly the thickness: which pairs are closer is a matter of rounding, alike in both. */
static void lattices_on_cell_faces(void)
{
  cloud *c = malloc(sizeof *c);
  fill(c, 5, 0.1000001, (double[3]){1, 1, 1}, 0);
  for (int i = 0; i < CLOUD; ++i) {
    c->position[3 * i] = 0.1 * (i % 8 - 4);
    c->position[3 * i + 1] = 0.1 * (i / 8 % 8 - 4);
    c->position[3 * i + 2] = 0.1 * (i / 64 - 3);
  }
  compare(c, 800);
  free(c);
}

/* Vertices that are nowhere take no part; the others do as if these were not there. */
static void no_numbers_do_no_harm(void)
{
  static const double odd[] = {NAN, INFINITY, -INFINITY, 1e300, -1e300, 1e19, -1e19, 3e17, 1.7e308};
  cloud              *c = malloc(sizeof *c);
  fill(c, 7, 0.2, (double[3]){1, 1, 1}, 0);
  for (size_t i = 0; i < 90; ++i) c->position[3 * (4 * i) + i % 3] = odd[i % 9] * (1.0 + 0.01 * (double)i);
  compare(c, 300);
  for (size_t i = 0; i < 3 * CLOUD; ++i) c->position[i] = NAN;
  assert_int_equal(filter_by_cells(c), 0);
  fill(c, 7, 0.2, (double[3]){1, 1, 1}, 0);
  for (size_t i = 0; i < CLOUD; ++i) c->velocity[3 * i] = odd[i % 9];
  assert_true(filter_by_cells(c) > 300);
  free(c);
}

static void pairs_share_by_mass(void)
{
  cloud *c = calloc(1, sizeof *c);
  c->count = 2;
  c->thickness = 0.01;
  c->mass[0] = c->mass[1] = 2.0;
  c->position[3] = 0.008;
  c->velocity[0] = 1.0;
  c->velocity[3] = -0.5;
  c->velocity[4] = 3.0;
  assert_int_equal(filter_by_cells(c), 1);
  assert_within(c->velocity[0], 0.25, 1e-15); /* half the relative velocity each, tangential parts kept */
  assert_within(c->velocity[3], 0.25, 1e-15);
  assert_within(c->velocity[4], 3.0, 0.0);
  c->velocity[0] = 1.0;
  c->mass[0] = 6.0;
  assert_int_equal(filter_by_cells(c), 1);
  assert_within(c->velocity[0], (6.0 * 1.0 + 2.0 * 0.25) / 8.0, 1e-15);
  assert_within(c->velocity[3], (6.0 * 1.0 + 2.0 * 0.25) / 8.0, 1e-15);
  free(c);
}

static void pinned_ones_are_walls(void)
{
  cloud *c = calloc(1, sizeof *c);
  c->count = 3;
  c->thickness = 0.01;
  c->mass[0] = c->mass[1] = c->mass[2] = 1.0;
  c->pinned[1] = c->pinned[2] = true;
  c->position[3] = 0.008;
  c->position[6] = 0.016;
  c->velocity[0] = 1.0;
  c->velocity[3] = 0.25; /* on a path */
  c->velocity[6] = -1.0;
  assert_int_equal(filter_by_cells(c), 2);
  assert_within(c->velocity[0], 0.25, 1e-15);
  assert_within(c->velocity[3], 0.25, 0.0);
  assert_within(c->velocity[6], -1.0, 0.0);
  free(c);
}

static void what_parts_is_left_alone(void)
{
  cloud *c = calloc(1, sizeof *c);
  c->count = 4;
  c->thickness = 0.01;
  for (int i = 0; i < 4; ++i) c->mass[i] = 1.0;
  c->position[3] = 0.008; /* 0 and 1 part */
  c->velocity[0] = -1.0;
  c->position[6] = 5.0; /* 2 and 3 all but coincide: the square of their distance is 0 */
  c->position[9] = 5.0;
  c->position[10] = 1e-200;
  c->velocity[7] = 1.0;
  assert_int_equal(filter_by_cells(c), 2);
  assert_within(c->velocity[0], -1.0, 0.0);
  assert_within(c->velocity[3], 0.0, 0.0);
  assert_within(c->velocity[7], 1.0, 0.0);
  c->velocity[0] = 1.0; /* approach, but joined, the larger number first */
  c->springs = 1;
  c->first[0] = 1;
  c->second[0] = 0;
  assert_int_equal(filter_by_cells(c), 1);
  assert_within(c->velocity[0], 1.0, 0.0);
  free(c);
}

static void momentum_stays(void)
{
  cloud *c = malloc(sizeof *c);
  double before[3] = {0}, after[3] = {0}, energy[2] = {0};
  fill(c, 11, 0.2, (double[3]){1, 1, 1}, 0);
  memset(c->pinned, 0, sizeof c->pinned);
  for (size_t i = 0; i < 3 * CLOUD; ++i) {
    before[i % 3] += c->mass[i / 3] * c->velocity[i];
    energy[0] += 0.5 * c->mass[i / 3] * c->velocity[i] * c->velocity[i];
  }
  assert_true(filter_by_cells(c) > 500);
  for (size_t i = 0; i < 3 * CLOUD; ++i) {
    after[i % 3] += c->mass[i / 3] * c->velocity[i];
    energy[1] += 0.5 * c->mass[i / 3] * c->velocity[i] * c->velocity[i];
  }
  for (int k = 0; k < 3; ++k) assert_within(after[k], before[k], 1e-13 * CLOUD);
  assert_true(energy[1] < 0.9 * energy[0]);
  free(c);
}

TEST_MAIN(cells_find_all_pairs, shared_buckets_find_pairs_once, lattices_on_cell_faces, no_numbers_do_no_harm,
          pairs_share_by_mass, pinned_ones_are_walls, what_parts_is_left_alone, momentum_stays)
