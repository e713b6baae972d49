/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding bands in a list of springs, and planning their sums; see bands.h. */
#include "model/forces/bands.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"

enum {
  BANDS_MAX = 32, /* two roles each fill a word */
  TILE_BLOCKS = 16,
  WASTE_MAX = 2, /* lanes per spring: pairs cost as much as two to three */
  LANES_FREE = 512
};

typedef struct {
  int  offset, low, high; /* lower ends are low … high */
  int *spring;            /* [high - low + 1] or -1 */
  int  ring, ring_start;  /* vertices in its ring, when it starts */
} band;

typedef struct {
  const sb_springs *springs;
  band              band[BANDS_MAX];
  int               bands, blocks; /* blocks: of vertices summed */
  int               order[2 * BANDS_MAX], roles;
  sb_bands         *plan;
} planning;

static int lower_end(const sb_springs *springs, int s)
{
  return springs->first[s] < springs->second[s] ? springs->first[s] : springs->second[s];
}

/* The band of spring s, or -1. */
static int band_of(const planning *p, int s)
{
  const int offset = abs(p->springs->second[s] - p->springs->first[s]);
  for (int b = 0; b < p->bands; ++b)
    if (p->band[b].offset == offset) return b;
  return -1;
}

static bool find_offsets(planning *p)
{
  for (int s = 0; s < p->springs->count; ++s) {
    const int low = lower_end(p->springs, s);
    int       b = band_of(p, s);
    if (b < 0) {
      b = p->bands++;
      if (b == BANDS_MAX) return false;
      p->band[b] = (band){.offset = abs(p->springs->second[s] - p->springs->first[s]), .low = low, .high = low};
    }
    if (low < p->band[b].low) p->band[b].low = low;
    if (low > p->band[b].high) p->band[b].high = low;
  }
  return true;
}

/* The spring of a band whose lower end is v, or -1. */
static int spring_at(const band *b, int v) { return v < b->low || v > b->high ? -1 : b->spring[v - b->low]; }

/* True if one of the springs with lower ends v … v + 7 exists. */
static bool has_any(const band *b, int v)
{
  for (int lane = 0; lane < SB_BAND_BLOCK; ++lane)
    if (spring_at(b, v + lane) >= 0) return true;
  return false;
}

/* *fits: no two springs have one place, and there are not too many empty lanes. */
static bool place_springs(planning *p, bool *fits)
{
  long lanes = 0;
  for (band *b = p->band; b < p->band + p->bands; ++b) {
    const size_t bytes = (size_t)(b->high - b->low + 1) * sizeof(int);
    b->spring = malloc(bytes);
    if (!b->spring) return false;
    memset(b->spring, -1, bytes);
  }
  *fits = true;
  for (int s = 0; s < p->springs->count; ++s) {
    const band *b = p->band + band_of(p, s);
    int        *place = b->spring + lower_end(p->springs, s) - b->low;
    *fits = *fits && *place < 0;
    *place = s;
  }
  for (const band *b = p->band; b < p->band + p->bands; ++b)
    for (int v = b->low - b->low % SB_BAND_BLOCK; v <= b->high; v += SB_BAND_BLOCK)
      lanes += has_any(b, v) ? SB_BAND_BLOCK : 0;
  *fits = *fits && lanes <= LANES_FREE + (long)WASTE_MAX * p->springs->count;
  return true;
}

/* Orders roles, 2 b of lower ends and 2 b + 1 of upper ones, such that every vertex meets its own in the order of
 * springs: after[r] has the roles that come next behind r somewhere. */
static bool sort_roles(planning *p, uint64_t after[2 * BANDS_MAX])
{
  uint64_t waiting = p->bands == BANDS_MAX ? UINT64_MAX : ((uint64_t)1 << 2 * p->bands) - 1;
  while (waiting) {
    uint64_t held = 0;
    for (int r = 0; r < 2 * p->bands; ++r)
      if (waiting >> r & 1) held |= after[r];
    const uint64_t ready = waiting & ~held;
    if (!ready) return false; /* a circle */
    const int next = __builtin_ctzll(ready);
    p->order[p->roles++] = next;
    waiting &= ~((uint64_t)1 << next);
  }
  return true;
}

static bool find_order(planning *p, int vertices, bool *fits)
{
  const sb_springs *springs = p->springs;
  uint64_t          after[2 * BANDS_MAX] = {0};
  signed char      *last = malloc((size_t)vertices + 1);
  if (!last) return false;
  memset(last, -1, (size_t)vertices + 1);
  for (int s = 0; s < springs->count; ++s) {
    const int b = band_of(p, s), low = lower_end(springs, s);
    for (int upper = 0; upper < 2; ++upper) {
      const int v = upper ? low + p->band[b].offset : low, role = 2 * b + upper;
      if (last[v] >= 0) after[(int)last[v]] |= (uint64_t)1 << role;
      last[v] = (signed char)role;
    }
  }
  free(last);
  *fits = sort_roles(p, after);
  return true;
}

/* A load from an address a multiple of 4 KiB after a store waits for the store, so three arrays must not have such
 * distances. */
static int apart(int stride) { return stride % 512 < 64 ? stride + 64 : stride; }

static int round_up(int count) { return (count + SB_BAND_BLOCK - 1) / SB_BAND_BLOCK * SB_BAND_BLOCK; }

/* A ring holds the products of a tile and those of earlier tiles that it needs. If that is all of them, there is no
 * ring. The first eight places are repeated after each end, so that eight places from anywhere are consecutive. */
static void lay_out_rings(planning *p)
{
  const int all = (p->blocks + 1) * SB_BAND_BLOCK;
  int       start = 0;
  for (band *b = p->band; b < p->band + p->bands; ++b) {
    const int needed = TILE_BLOCKS * SB_BAND_BLOCK + round_up(b->offset) + 2 * SB_BAND_BLOCK;
    b->ring = needed < all ? needed : all;
    b->ring_start = start;
    start += b->ring + SB_BAND_BLOCK;
  }
  p->plan->product_stride = apart(start);
}

/* The position of the product of lower end v. Block -1, zeros that are read with block 0, is the ring's first. */
static int place_of(const band *b, int v) { return b->ring_start + (v + SB_BAND_BLOCK) % b->ring; }

/* Block v/8 of a band, if there is one: springs, or zeros in lanes without a spring. */
static bool plan_block(const planning *p, const band *b, int v, int *count)
{
  sb_bands  *plan = p->plan;
  const bool any = has_any(b, v);
  if (!any && !has_any(b, v - SB_BAND_BLOCK) && !has_any(b, v + SB_BAND_BLOCK)) return false;
  if (plan->block) {
    const int at = place_of(b, v);
    plan->block[*count] = (sb_band_block){.first = v,
                                          .second = any ? v + b->offset : -1,
                                          .at = at,
                                          .mirror = at == b->ring_start ? b->ring_start + b->ring : -1};
    for (int lane = 0; lane < SB_BAND_BLOCK; ++lane) {
      const int s = spring_at(b, v + lane), to = *count * SB_BAND_BLOCK + lane;
      plan->stiffness[to] = s < 0 ? NAN : p->springs->stiffness[s];
      plan->rest_length[to] = s < 0 ? 0 : p->springs->rest_length[s];
      plan->counted[to] = plan->stiffness[to];
      if (s >= 0 && !p->springs->counted[s]) plan->counted[to] = 0;
    }
  }
  ++*count;
  return true;
}

/* Tile by tile, band by band; called twice, first without arrays, to count. */
static int plan_blocks(planning *p)
{
  int count = 0;
  for (int t = 0; t < p->plan->tiles; ++t) {
    const int end = (t + 1) * TILE_BLOCKS < p->blocks ? (t + 1) * TILE_BLOCKS : p->blocks;
    if (p->plan->tile_start) p->plan->tile_start[t] = count;
    for (const band *b = p->band; b < p->band + p->bands; ++b)
      for (int j = t == 0 ? -1 : t * TILE_BLOCKS; j < end; ++j) plan_block(p, b, j * SB_BAND_BLOCK, &count);
  }
  if (p->plan->tile_start) p->plan->tile_start[p->plan->tiles] = count;
  return count;
}

static int plan_terms(planning *p)
{
  sb_bands *plan = p->plan;
  int       count = 0;
  for (int j = 0; j < p->blocks; ++j) {
    if (plan->term_start) plan->term_start[j] = count;
    for (int r = 0; r < p->roles; ++r) {
      const band *b = p->band + p->order[r] / 2;
      const bool  upper = p->order[r] % 2;
      const int   v = j * SB_BAND_BLOCK - (upper ? b->offset : 0);
      if (!has_any(b, v)) continue;
      if (plan->term) plan->term[count] = upper ? ~place_of(b, v) : place_of(b, v);
      ++count;
    }
  }
  if (plan->term_start) plan->term_start[p->blocks] = count;
  return count;
}

/* The band whose ring a place is in. */
static const band *band_at(const planning *p, int place)
{
  const band *b = p->band;
  while (place >= b->ring_start + b->ring) ++b;
  return b;
}

/* The blocks before a part that reach into it: a vertex of the part may be the upper end of one of their springs.
 * Called twice, first without `ahead`, to count. */
static int plan_ahead(const planning *p, int part, int *ahead)
{
  const sb_bands *plan = p->plan;
  const int       tile = plan->part[part].tile, start = tile * plan->tile_blocks * SB_BAND_BLOCK;
  int             count = 0;
  for (int n = 0; n < plan->tile_start[tile]; ++n) {
    if (plan->block[n].first + SB_BAND_BLOCK <= start - band_at(p, plan->block[n].at)->offset) continue;
    if (plan->block[n].second >= plan->summed) continue; /* ghosts have no sums */
    if (ahead) ahead[count] = n;
    ++count;
  }
  return count;
}

/* True if the tile has a spring to a ghost. */
static bool reaches_ghosts(const planning *p, int tile)
{
  const int start = tile * TILE_BLOCKS * SB_BAND_BLOCK, end = start + TILE_BLOCKS * SB_BAND_BLOCK;
  for (const band *b = p->band; b < p->band + p->bands; ++b)
    for (int v = start > p->plan->summed - b->offset ? start : p->plan->summed - b->offset; v < end; ++v)
      if (v >= start && spring_at(b, v) >= 0) return true;
  return false;
}

/* The longest run of tiles without a spring to a ghost: *first up to *end, both 0 if there are few. */
static void find_inner_tiles(const planning *p, int *first, int *end)
{
  const sb_bands *plan = p->plan;
  *first = *end = 0;
  for (int t = 0, start = 0; t < plan->tiles; ++t) {
    if (plan->vertices > plan->summed && reaches_ghosts(p, t))
      start = t + 1;
    else if (t + 1 - start > *end - *first)
      *first = start, *end = t + 1;
  }
  if (2 * (*end - *first) < plan->tiles) *first = *end = 0;
}

/* The first tile of part i: inner tiles are cut for threads, and those before and behind them are a part each. If there
 * are no inner tiles, all are cut for threads. */
static int tile_of_part(const sb_bands *plan, int i, int first, int end)
{
  const int cuts = plan->inner_end - plan->inner_first;
  if (cuts == 0) return (int)((long)i * plan->tiles / plan->parts);
  return i < plan->inner_first ? 0 : first + (int)((long)(i - plan->inner_first) * (end - first) / cuts);
}

static bool plan_parts(planning *p, int first, int end)
{
  sb_bands *plan = p->plan;
  int       count = 0;
  for (int i = 0; i < plan->parts; ++i) {
    plan->part[i].tile = tile_of_part(plan, i, first, end);
    plan->part[i].ahead = count;
    count += plan_ahead(p, i, NULL);
  }
  plan->part[plan->parts] = (sb_band_part){plan->tiles, count};
  plan->ahead = malloc(((size_t)count + 1) * sizeof *plan->ahead);
  for (int i = 0; plan->ahead && i < plan->parts; ++i) plan_ahead(p, i, plan->ahead + plan->part[i].ahead);
  return plan->ahead != NULL;
}

static bool counts_all(const sb_springs *springs)
{
  for (int s = 0; s < springs->count; ++s)
    if (!springs->counted[s]) return false;
  return true;
}

static bool allocate(planning *p)
{
  sb_bands    *plan = p->plan;
  const size_t blocks = (size_t)plan_blocks(p), lanes = SB_BAND_BLOCK * blocks, terms = (size_t)plan_terms(p);
  plan->stride = apart(round_up(plan->vertices) + SB_BAND_BLOCK);
  plan->tile_start = malloc(((size_t)plan->tiles + 1) * sizeof *plan->tile_start);
  plan->block = malloc((blocks + 1) * sizeof *plan->block);
  plan->stiffness = sb_allocate_lines((lanes + 8) * sizeof(double));
  plan->rest_length = sb_allocate_lines((lanes + 8) * sizeof(double));
  plan->counted = counts_all(p->springs) ? plan->stiffness : sb_allocate_lines((lanes + 8) * sizeof(double));
  plan->term_start = malloc(((size_t)p->blocks + 1) * sizeof *plan->term_start);
  plan->term = malloc((terms + 1) * sizeof *plan->term);
  plan->row = malloc((size_t)(p->blocks + 1) * SB_BAND_BLOCK * sizeof *plan->row);
  plan->block_row = malloc(((size_t)p->blocks + 1) * sizeof *plan->block_row);
  plan->position = sb_allocate_lines(3 * (size_t)plan->stride * sizeof(double));
  plan->product = sb_allocate_lines(3 * (size_t)plan->parts * (size_t)plan->product_stride * sizeof(double));
  plan->part = malloc(((size_t)plan->parts + 1) * sizeof *plan->part);
  return plan->tile_start && plan->block && plan->stiffness && plan->rest_length && plan->counted && plan->term_start &&
         plan->term && plan->row && plan->block_row && plan->position && plan->product && plan->part;
}

static void plan_rows(const planning *p, const int *row)
{
  sb_bands *plan = p->plan;
  for (int j = 0; j < p->blocks; ++j) {
    int *own = plan->row + j * SB_BAND_BLOCK, follow = 1;
    for (int lane = 0; lane < SB_BAND_BLOCK; ++lane) {
      const int v = j * SB_BAND_BLOCK + lane;
      own[lane] = v < plan->summed ? row[v] : -1;
      follow = follow && own[lane] == own[0] + lane;
    }
    plan->block_row[j] = follow && own[0] >= 0 ? own[0] : -1;
  }
}

/* Absent vertices are apart from each other: no length is 0, which would need a slower branch. */
static void place_strangers(const sb_bands *plan)
{
  for (int c = 0; c < 3; ++c)
    for (int v = plan->vertices; v < plan->stride; ++v) plan->position[c * plan->stride + v] = v;
}

static int smaller(int a, int b) { return a < b ? a : b; }

static bool make_plan(planning *p, int vertices, int summed, const int *row, int threads)
{
  int first, end;
  p->plan = calloc(1, sizeof *p->plan);
  if (!p->plan) return false;
  p->plan->vertices = vertices;
  p->plan->summed = summed;
  p->plan->tile_blocks = TILE_BLOCKS;
  p->plan->tiles = (p->blocks + TILE_BLOCKS - 1) / TILE_BLOCKS;
  find_inner_tiles(p, &first, &end);
  p->plan->threads = smaller(threads, p->plan->tiles);
  p->plan->inner_first = first > 0;
  p->plan->inner_end = p->plan->inner_first + smaller(threads, end - first);
  p->plan->parts = end > first ? p->plan->inner_end + (end < p->plan->tiles) : p->plan->threads;
  lay_out_rings(p);
  if (!allocate(p)) return false;
  plan_blocks(p);
  plan_terms(p);
  plan_rows(p, row);
  place_strangers(p->plan);
  return plan_parts(p, first, end);
}

bool sb_bands_create(const sb_springs *springs, int vertices, int summed, const int *row, int threads, sb_bands **bands)
{
  planning p = {.springs = springs, .blocks = (summed + SB_BAND_BLOCK - 1) / SB_BAND_BLOCK};
  bool     fits = springs->count > 0 && find_offsets(&p), room = true;
  room = !fits || place_springs(&p, &fits);
  if (room && fits) room = find_order(&p, vertices, &fits);
  if (room && fits) room = make_plan(&p, vertices, summed, row, threads);
  for (int b = 0; b < p.bands && b < BANDS_MAX; ++b) free(p.band[b].spring);
  *bands = p.plan;
  if (!room) sb_bands_destroy(bands);
  return room;
}

bool sb_bands_take_pulls(sb_bands *bands)
{
  const size_t lanes = SB_BAND_BLOCK * (size_t)bands->tile_start[bands->tiles];
  if (bands->pull) return true;
  bands->pull = sb_allocate_lines((lanes + 8) * sizeof(double));
  for (size_t n = 0; bands->pull && n < lanes; ++n) bands->pull[n] = bands->stiffness[n] * bands->rest_length[n];
  return bands->pull != NULL;
}

bool sb_bands_take_directions(sb_bands *bands)
{
  const size_t bytes = 3 * (size_t)bands->stride * sizeof(double);
  if (bands->other_product) return true;
  if (!bands->direction) bands->direction = sb_allocate_lines(bytes);
  if (!bands->tile_sum) bands->tile_sum = sb_allocate_lines((size_t)bands->tiles * SB_BAND_BLOCK * sizeof(double));
  if (!bands->direction || !bands->tile_sum) return false;
  memset(bands->direction, 0, bytes); /* those of vertices that are not there stay 0 */
  bands->other_product = sb_allocate_lines(3 * (size_t)bands->parts * (size_t)bands->product_stride * sizeof(double));
  return bands->other_product != NULL;
}

void sb_bands_destroy(sb_bands **bands)
{
  sb_bands *old = *bands;
  if (!old) return;
  free(old->tile_start);
  free(old->block);
  free(old->pull);
  free(old->stiffness);
  free(old->rest_length);
  if (old->counted != old->stiffness) free(old->counted);
  free(old->term_start);
  free(old->term);
  free(old->row);
  free(old->block_row);
  free(old->position);
  free(old->direction);
  free(old->tile_sum);
  free(old->other_product);
  free(old->product);
  free(old->part);
  free(old->ahead);
  free(old);
  *bands = NULL;
}

static const sb_band_kernels *const tables[] = SB_TABLES(sb_band);

const sb_band_kernels *sb_band_kernels_best(void) { return tables[sb_instruction_set_best()]; }
