/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kernels over bands, on every instruction set that this processor runs and by one thread and several, against the
 * kernels of pairs: to the bit. */
#include "model/forces/bands.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "tests/model/support.h"
#include "tests/sample.h"

static const sb_band_kernels *const tables[] = SB_TABLES(sb_band);

typedef struct {
  sb_springs springs;
  int        vertices, summed, rows;
  int       *row;
  double    *x, *constant;
} net;

static net make_net(int vertices, int springs)
{
  const size_t room = (size_t)springs + SB_BAND_BLOCK, numbers = 3 * (size_t)vertices;
  net          made = {.vertices = vertices, .summed = vertices};
  made.springs.first = malloc(room * sizeof(int));
  made.springs.second = malloc(room * sizeof(int));
  made.springs.stiffness = malloc(room * sizeof(double));
  made.springs.rest_length = malloc(room * sizeof(double));
  made.springs.counted = malloc(room);
  made.row = malloc((size_t)vertices * sizeof(int));
  made.x = malloc(numbers * sizeof(double));
  made.constant = malloc(numbers * sizeof(double));
  for (size_t i = 0; i < numbers; ++i) {
    made.x[i] = sb_random_unit(5, i);
    made.constant[i] = sb_random_unit(6, i) - 0.5;
  }
  for (int i = 0; i < vertices; ++i) made.row[i] = made.rows++;
  return made;
}

static void free_net(net *old)
{
  free(old->springs.first);
  free(old->springs.second);
  free(old->springs.stiffness);
  free(old->springs.rest_length);
  free(old->springs.counted);
  free(old->row);
  free(old->x);
  free(old->constant);
}

static void add_spring(net *m, int first, int second)
{
  const int s = m->springs.count++;
  m->springs.first[s] = first;
  m->springs.second[s] = second;
  m->springs.stiffness[s] = 1000.0 * sb_random_unit(7, (uint64_t)s);
  m->springs.rest_length[s] = sb_random_unit(8, (uint64_t)s);
  m->springs.counted[s] = s % 5 != 3;
}

/* Grid of columns x rows in the order of scenes: along, across, both diagonals, two apart; the second diagonal from
 * the right, as scenes have it. */
static net make_grid(int columns, int rows)
{
  net m = make_net(columns * rows, 6 * columns * rows);
  for (int v = 0; v < m.vertices; ++v) {
    const int  i = v % columns;
    const bool right = i + 1 < columns, up = v + columns < m.vertices;
    if (right) add_spring(&m, v, v + 1);
    if (up) add_spring(&m, v, v + columns);
    if (right && up) add_spring(&m, v, v + columns + 1);
    if (right && up) add_spring(&m, v + 1, v + columns);
    if (i + 2 < columns) add_spring(&m, v, v + 2);
    if (v + 2 * columns < m.vertices) add_spring(&m, v, v + 2 * columns);
  }
  return m;
}

/* Vertices that have no row: others move up. */
static void pin(net *m, int step, int first)
{
  m->rows = 0;
  for (int i = 0; i < m->vertices; ++i) m->row[i] = i % step == first || i >= m->summed ? -1 : m->rows++;
}

static bool same_bits(const double *a, const double *b, size_t count)
{
  for (size_t i = 0; i < count; ++i)
    if (!(isnan(a[i]) && isnan(b[i])) && memcmp(a + i, b + i, sizeof *a) != 0) return false;
  return true;
}

static void compare_energies(const net *m, double got, double portable)
{
  const double want = sb_kernel_elastic_energy(&m->springs, m->x);
  assert_true(same_bits(&got, &portable, 1));
  if (isfinite(want)) assert_within(got, want, 1e-13 * want);
  assert_true(isnan(want) == isnan(got) && isinf(want) == isinf(got));
}

/* p^T H p along p, to rounding of its parts, which may cancel. */
static void compare_curvatures(const net *m, const sb_bands *bands, int set, const double *direction,
                               double portable[3])
{
  static const double negative[] = {SB_HESSIAN_EXACT, SB_HESSIAN_PROJECTED, SB_HESSIAN_ABSOLUTE};
  for (int k = 0; k < 3; ++k) {
    const double is = tables[set]->curvature(bands, negative[k], m->x, direction);
    const double was = sb_kernel_curvature(&m->springs, negative[k], m->x, direction);
    const double parts = sb_kernel_curvature(&m->springs, SB_HESSIAN_ABSOLUTE, m->x, direction);
    if (set == SB_PORTABLE) portable[k] = is;
    assert_true(same_bits(&is, &portable[k], 1));
    if (isfinite(was)) assert_within(is, was, 1e-13 * parts);
    assert_true(isnan(is) == isnan(was) && isinf(is) == isinf(was));
  }
}

/* Blocks on the diagonal to the bit. */
static void compare_blocks(const net *m, const sb_bands *bands, int set, double negative)
{
  const size_t stride = ((size_t)m->summed + 7) / 8 * 8 + 8;
  double      *want = calloc(6 * (size_t)m->vertices, sizeof *want), *got = malloc(6 * stride * sizeof *got);
  for (size_t i = 0; i < 6 * stride; ++i) got[i] = 77.0;
  sb_kernel_add_hessian_blocks(&m->springs, negative, m->x, want);
  tables[set]->hessian_blocks(bands, negative, m->x, (long)stride, got);
  for (size_t i = 0; i < 6 * (size_t)m->summed; ++i) assert_true(same_bits(got + i % 6 * stride + i / 6, want + i, 1));
  for (size_t i = 0; i < 48; ++i) assert_true(got[i / 8 * stride + stride - 8 + i % 8] == 77.0);
  free(want);
  free(got);
}

/* The springs' numbers to the bit but for the sign of 0, in any order of springs. */
static void compare_pairs(const net *m, int set, double negative)
{
  const size_t count = (size_t)m->springs.count, stride = (count + 7) / 8 * 8;
  double      *want = malloc((4 * count + 1) * sizeof *want), *got = malloc((4 * stride + 1) * sizeof *got);
  sb_kernel_hessian_coefficients(&m->springs, negative, m->x, want, NULL);
  tables[set]->pair_coefficients(&m->springs, negative, m->x, got);
  for (size_t s = 0; s < count; ++s)
    for (size_t c = 0; c < 4; ++c) {
      const double is = got[c * stride + s], was = want[4 * s + c];
      assert_true(is == was || same_bits(&is, &was, 1));
    }
  free(want);
  free(got);
}

enum { OUT, SCALED, DIRECTION, PRODUCT, DIAGONAL, VECTORS };

/* A turn and the product of it by pairs. Returns p.product over the vertices summed, and the sum of its parts' sizes.
 */
static double multiply_pairs(const net *m, double negative, double *const v[VECTORS], double *parts)
{
  const long count = 3 * (long)m->summed;
  double    *coefficient = malloc((4 * (size_t)m->springs.count + 1) * sizeof *coefficient), sum = 0;
  sb_kernel_turn(count, &(sb_cg_turn){0.7, -0.3, v[SCALED], v[OUT], v[DIRECTION]});
  memset(v[PRODUCT], 0, 3 * (size_t)m->vertices * sizeof(double));
  sb_kernel_hessian_coefficients(&m->springs, negative, m->x, coefficient, NULL);
  sb_kernel_add_hessian_product(&m->springs, coefficient, NULL, v[DIRECTION], v[PRODUCT]);
  *parts = 0;
  for (long i = 0; i < count; ++i) {
    v[PRODUCT][i] += v[DIAGONAL][i / 3] * v[DIRECTION][i];
    sum += v[DIRECTION][i] * v[PRODUCT][i];
    *parts += fabs(v[DIRECTION][i] * v[PRODUCT][i]);
  }
  free(coefficient);
  return sum;
}

static void set_vectors(const net *m, double *v[VECTORS])
{
  for (int which = 0; which < VECTORS; ++which) {
    v[which] = malloc(3 * (size_t)m->vertices * sizeof(double));
    for (size_t i = 0; i < 3 * (size_t)m->vertices; ++i)
      v[which][i] = which == PRODUCT ? 77.0 : sb_random_unit(9, i + 1000000 * (size_t)which) - 0.5;
  }
}

/* Turns and products to the bit, p.product to rounding of its parts, with the bits of `first` for any number of
 * threads. */
static void compare_products(const net *m, const sb_bands *bands, int set, double negative, double *first)
{
  double *got[VECTORS], *want[VECTORS], parts;
  double *coefficient = malloc(32 * ((size_t)bands->tile_start[bands->tiles] + 1) * sizeof *coefficient);
  set_vectors(m, got);
  set_vectors(m, want);
  const double was = multiply_pairs(m, negative, want, &parts);
  tables[set]->hessian_coefficients(bands, negative, m->x, coefficient);
  tables[set]->turn(bands, &(sb_cg_turn){0.7, -0.3, got[SCALED], got[OUT], got[DIRECTION]});
  const double is = tables[set]->hessian_product(bands, coefficient, got[DIAGONAL], got[DIRECTION], got[PRODUCT]);
  for (int which = OUT; which <= PRODUCT; ++which)
    assert_true(same_bits(got[which], want[which], 3 * (size_t)m->summed));
  for (size_t i = 3 * (size_t)m->summed; i < 3 * (size_t)m->vertices; ++i) assert_true(got[PRODUCT][i] == 77.0);
  if (*first == 0) *first = is;
  assert_true(same_bits(&is, first, 1));
  if (isfinite(was)) assert_within(is, was, 1e-13 * parts);
  assert_true(isfinite(is) == isfinite(was));
  for (int which = 0; which < VECTORS; ++which) {
    free(got[which]);
    free(want[which]);
  }
  free(coefficient);
}

/* Hessians without a matrix; `portable` and `first` have the sums that earlier sets, or numbers of threads, gave. */
static void compare_hessians(const net *m, const sb_bands *bands, int set, double portable[3], double first[2])
{
  static const double negative[] = {SB_HESSIAN_EXACT, SB_HESSIAN_PROJECTED};
  double             *direction = malloc(3 * (size_t)m->vertices * sizeof *direction);
  for (size_t i = 0; i < 3 * (size_t)m->vertices; ++i) direction[i] = sb_random_unit(9, i) - 0.5;
  compare_curvatures(m, bands, set, direction, portable);
  for (int k = 0; k < 2; ++k) {
    compare_blocks(m, bands, set, negative[k]);
    compare_pairs(m, set, negative[k]);
    compare_products(m, bands, set, negative[k], first + k);
  }
  free(direction);
}

/* Positions whose ghosts come late. */
typedef struct {
  const net *m;
  double    *x;
} late;

static void deliver(void *context)
{
  const late *l = context;
  for (int i = 3 * l->m->summed; i < 3 * l->m->vertices; ++i) l->x[i] = l->m->x[i];
}

/* Inner parts are not to need what has not arrived. */
static void compare_late(const net *m, sb_bands *bands, int set, const double *force, const double *want)
{
  const size_t numbers = 3 * (size_t)m->vertices;
  double      *got = malloc(numbers * sizeof *got);
  late         l = {m, malloc(numbers * sizeof *l.x)};
  bands->arrive = deliver;
  bands->context = &l;
  for (size_t i = 0; i < numbers; ++i) l.x[i] = i < 3 * (size_t)m->summed ? m->x[i] : NAN;
  tables[set]->forces(bands, l.x, got);
  assert_true(same_bits(got, force, 3 * (size_t)m->summed));
  for (size_t i = 0; i < numbers; ++i) l.x[i] = i < 3 * (size_t)m->summed ? m->x[i] : NAN;
  for (size_t i = 0; i < numbers; ++i) got[i] = 77.0;
  tables[set]->local_step(bands, l.x, 1e-3, m->constant, got);
  assert_true(same_bits(got, want, numbers));
  bands->arrive = NULL;
  free(l.x);
  free(got);
}

/* By at most so many threads. */
static void compare_shared(const net *m, int threads, double first[2])
{
  const size_t numbers = 3 * (size_t)m->vertices, bytes = numbers * sizeof(double);
  double      *pull = calloc(1, bytes), *force = calloc(1, bytes), *got = malloc(bytes), *want = malloc(bytes);
  sb_bands    *bands = NULL;
  double       portable = 0, curvatures[3];
  sb_kernel_add_elastic_forces(&m->springs, m->x, force);
  sb_kernel_add_local_step(&m->springs, m->x, pull);
  for (size_t i = 0; i < numbers; ++i) want[i] = 77.0; /* vertices without a row keep their values */
  for (size_t i = 0; i < numbers; ++i) {
    const size_t to = 3 * (size_t)m->row[i / 3] + i % 3;
    if (m->row[i / 3] >= 0) want[to] = m->constant[to] + 1e-3 * pull[i];
  }
  assert_true(sb_bands_create(&m->springs, m->vertices, m->summed, m->row, threads, &bands));
  assert_non_null(bands);
  assert_in_range(bands->threads, 1, threads);
  assert_in_range(bands->parts, 1, threads + (m->summed < m->vertices ? 2 : 0));
  assert_true(sb_bands_take_directions(bands) && sb_bands_take_directions(bands));
  assert_true(sb_bands_take_pulls(bands) && sb_bands_take_pulls(bands));
  for (int set = SB_PORTABLE; set <= (int)sb_instruction_set_best(); ++set) {
    for (size_t i = 0; i < numbers; ++i) got[i] = 77.0;
    tables[set]->forces(bands, m->x, got);
    assert_true(same_bits(got, force, 3 * (size_t)m->summed));
    for (size_t i = 3 * (size_t)m->summed; i < numbers; ++i) assert_true(got[i] == 77.0);
    for (size_t i = 0; i < numbers; ++i) got[i] = 77.0;
    tables[set]->local_step(bands, m->x, 1e-3, m->constant, got);
    assert_true(same_bits(got, want, numbers));
    compare_late(m, bands, set, force, want);
    const double energy = tables[set]->energy(bands, m->x);
    if (set == SB_PORTABLE) portable = energy;
    compare_energies(m, energy, portable);
    compare_hessians(m, bands, set, curvatures, first);
  }
  sb_bands_destroy(&bands);
  free(pull);
  free(force);
  free(got);
  free(want);
}

static void compare(const net *m)
{
  static const int threads[] = {1, 2, 3, 5};
  double           first[2] = {0, 0};
  for (size_t t = 0; t < sizeof threads / sizeof *threads; ++t) compare_shared(m, threads[t], first);
}

/* Every length modulo the width of vectors; ropes, ribbons, and grids of more than one tile and more than one turn of
 * a ring. */
static void sums_are_those_of_pairs(void)
{
  const int sides[][2] = {{2, 1},   {3, 1},   {300, 1}, {4, 40}, {40, 2}, {4, 4},
                          {10, 10}, {21, 21}, {64, 8},  {9, 65}, {31, 33}};
  for (size_t t = 0; t < sizeof sides / sizeof *sides; ++t)
    for (int cut = 0; cut < 8; ++cut) {
      if (!sb_makes_trial(t + (size_t)cut, 4)) continue;
      net m = make_grid(sides[t][0] + cut, sides[t][1]);
      pin(&m, 17 + cut, cut);
      compare(&m);
      free_net(&m);
    }
}

static void no_vertex_or_all_may_have_a_row(void)
{
  for (int step = 1; step < 4; ++step) {
    net m = make_grid(13, 7);
    compare(&m);
    pin(&m, step, 0);
    compare(&m);
    free_net(&m);
  }
}

/* Vertices behind the summed ones are ghosts: they pull, and get nothing. */
static void compare_with_ghosts(int columns, int rows, int least)
{
  for (int summed = least; summed < least + 17; ++summed) {
    net m = make_grid(columns, rows), own = make_net(m.vertices, m.springs.count);
    own.summed = summed;
    pin(&own, 19, 3);
    for (int s = 0; s < m.springs.count; ++s)
      if (m.springs.first[s] < summed || m.springs.second[s] < summed)
        add_spring(&own, m.springs.first[s], m.springs.second[s]);
    compare(&own);
    free_net(&m);
    free_net(&own);
  }
}

static void ghosts_pull(void)
{
  compare_with_ghosts(11, 8, 60);
  compare_with_ghosts(23, 41, 630); /* a tile more on the way, and inner ones */
}

/* Lengths that are 0, that vanish when squared, that overflow; positions that are no numbers. */
static const double odd[] = {0.0, 1e-170, 1e-155, 1e-80, 1e80, 1e155, 1e300, INFINITY, -INFINITY, NAN, -0.0};
enum { ODD = sizeof odd / sizeof *odd };

/* The o-th of them at vertex v; no stiffness, no rest length. */
static void make_odd(net *m, size_t o, int v)
{
  for (int c = 0; c < 3; ++c) m->x[3 * v + c] = o == 0 ? m->x[3 * (v + 1) + c] : odd[o];
  if (o == 1)
    for (int c = 0; c < 3; ++c) m->x[3 * (v + 1) + c] = c == 1 ? 1e-162 : 0.0;
  m->springs.stiffness[v] = 0.0;
  m->springs.rest_length[2 * v] = 0.0;
}

/* Each at every lane, and what is not joined to them stays a number. */
static void lengths_of_all_kinds_are_treated_as_by_pairs(void)
{
  for (size_t o = 0; o < ODD; ++o)
    for (int v = 0; v < 30; ++v) {
      net m = make_grid(9, 7);
      make_odd(&m, o, v);
      compare(&m);
      free_net(&m);
    }
}

/* The same where parts meet, and where springs into the next part begin. */
static void parts_meet_in_springs_of_all_kinds(void)
{
  for (size_t o = 0; o < ODD; ++o)
    for (int cut = 0; cut < 8; ++cut) {
      if (!sb_makes_trial(o + (size_t)cut, 4)) continue;
      const int columns = 37 + cut, before[] = {2 * columns, columns, 2, 1, 0, -1};
      net       m = make_grid(columns, 30);
      for (int meeting = 128; meeting < m.vertices - 128; meeting += 128)
        make_odd(&m, o, meeting - before[(meeting / 128 + cut) % 6]);
      compare(&m);
      free_net(&m);
    }
}

typedef void (*pass)(const sb_bands *bands, const net *m, double *out);

static void pass_forces(const sb_bands *bands, const net *m, double *out)
{
  sb_band_kernels_best()->forces(bands, m->x, out);
}

static void pass_local_step(const sb_bands *bands, const net *m, double *out)
{
  sb_band_kernels_best()->local_step(bands, m->x, 1e-3, m->constant, out);
}

static void run_pass(const net *m, int parts, pass run)
{
  sb_bands *bands = NULL;
  double   *out = malloc(3 * (size_t)m->vertices * sizeof *out);
  assert_true(sb_bands_create(&m->springs, m->vertices, m->summed, m->row, parts, &bands));
  assert_true(sb_bands_take_pulls(bands));
  assert_int_equal(bands->parts, parts);
  run(bands, m, out);
  sb_bands_destroy(&bands);
  free(out);
}

/* One part starts no thread, three have two more, four three. The environment sets a limit above that. */
static void threads_are_as_many_as_parts(void)
{
  net       m = make_grid(31, 33);
  const int before = sb_test_threads();
  run_pass(&m, 1, pass_forces);
  run_pass(&m, 1, pass_local_step);
  assert_int_equal(sb_test_threads(), before);
#ifdef _OPENMP
  run_pass(&m, 3, pass_forces);
  assert_int_equal(sb_test_threads(), before + 2);
  run_pass(&m, 4, pass_local_step);
  assert_int_equal(sb_test_threads(), before + 3);
#endif
  free_net(&m);
}

/* A tube: its rows are closed, by springs that are few, and far from the others' offsets. */
static void rows_may_be_closed(void)
{
  net m = make_net(12 * 9, 3 * 12 * 9);
  for (int v = 0; v < m.vertices; ++v) {
    add_spring(&m, v, v % 12 == 11 ? v - 11 : v + 1);
    if (v + 12 < m.vertices) add_spring(&m, v + 12, v);
  }
  compare(&m);
  free_net(&m);
}

static bool has_bands(const net *m)
{
  sb_bands *bands = NULL;
  assert_true(sb_bands_create(&m->springs, m->vertices, m->summed, m->row, 1, &bands));
  const bool found = bands != NULL;
  sb_bands_destroy(&bands);
  return found;
}

static void springs_in_no_order_have_no_bands(void)
{
  net m = make_net(500, 1500), few = make_net(5, 2), turned = make_net(600, 600), twice = make_net(40, 60);
  for (int s = 0; s < 1500; ++s) {
    const int a = (int)(499.0 * sb_random_unit(1, (uint64_t)s));
    add_spring(&m, a, a + 1 + (int)((499 - a) * sb_random_unit(2, (uint64_t)s)));
  }
  assert_false(has_bands(&m)); /* too many offsets */
  for (int v = 0; v < 300; ++v) add_spring(&turned, v, v + 1);
  for (int v = 598; v >= 300; --v) add_spring(&turned, v, v + 1);
  assert_false(has_bands(&turned)); /* some vertices meet their lower neighbour first, some their upper one */
  for (int v = 0; v < 39; ++v) add_spring(&twice, v, v + 1);
  assert_true(has_bands(&twice));
  add_spring(&twice, 6, 5);
  assert_false(has_bands(&twice)); /* two springs in one place */
  assert_false(has_bands(&few));   /* none at all */
  free_net(&m);
  free_net(&few);
  free_net(&turned);
  free_net(&twice);
}

enum { AT_ONCE = 4096 };
__extension__ typedef unsigned __int128 wide;

static void compare_roots(const double *square)
{
  double root[AT_ONCE];
  for (int set = SB_PORTABLE; set <= (int)sb_instruction_set_best(); ++set) {
    tables[set]->roots(AT_ONCE, square, root);
    for (int i = 0; i < AT_ONCE; ++i) {
      const double want = sqrt(square[i]);
      if (!(isnan(want) && isnan(root[i])) && memcmp(&want, root + i, sizeof want) != 0)
        fail_msg("%s: the root of %a is %a, not %a", sb_instruction_set_name((sb_instruction_set)set), square[i], want,
                 root[i]);
    }
  }
}

/* Adds a number to the list, scaled by a power of 4 that differs from call to call, and tries a full list. */
static void try_root(double *list, int *count, double a)
{
  static int scale = 0;
  list[(*count)++] = ldexp(a, 2 * (scale++ % 251 - 125));
  if (*count < AT_ONCE) return;
  compare_roots(list);
  *count = 0;
}

/* All odd M with 2^53 <= M < 2^54 and M^2 = c modulo 2^bits, for an odd c = 1 modulo 8, give roots near the middle
 * M 2^-53 of two doubles; a = (M^2 - c) 2^-106 is one. From M^2 = c modulo 2^b, M or M + 2^(b - 1) is a root modulo
 * 2^(b + 1); signs and 2^(bits - 1) give the other three. */
static void try_middles(int64_t c, int bits, double *list, int *count)
{
  uint64_t m = 1;
  for (int b = 3; b < bits; ++b)
    if ((m * m - (uint64_t)c) >> b & 1) m += (uint64_t)1 << (b - 1);
  const uint64_t modulus = (uint64_t)1 << bits;
  for (int which = 0; which < 4; ++which) {
    const uint64_t root = ((which & 1 ? -m : m) + (which & 2 ? modulus / 2 : 0)) & (modulus - 1);
    for (uint64_t middle = root; middle < (uint64_t)1 << 54; middle += modulus) {
      if (middle < (uint64_t)1 << 53) continue;
      const wide square = (wide)middle * middle;
      const wide a = c < 0 ? square + (uint64_t)-c : square - (uint64_t)c;
      assert_true((uint64_t)(a & (modulus - 1)) == 0);
      const double value = ldexp((double)(uint64_t)(a >> bits), bits - 106);
      try_root(list, count, value);
      try_root(list, count, 4.0 * value);
    }
  }
}

/* See sb_lanes_root: the numbers whose roots lie so near to a middle that steps of Newton might miss them, all of
 * them; beside them numbers at random, squares and their neighbours, and what is no number to take a root of. */
static void roots_are_those_of_the_instruction(void)
{
  double       list[AT_ONCE];
  const double limits[] = {0.0,
                           -0.0,
                           INFINITY,
                           -INFINITY,
                           NAN,
                           -1.0,
                           5e-324,
                           1e-310,
                           0x1p-500,
                           0x1p500,
                           0x1.fffffffffffffp-501,
                           0x1.0000000000001p500,
                           1.7e308,
                           1e-308,
                           1.0,
                           4.0};
  int          count = 0;
  for (int64_t k = 1; k < 512; k += 2)
    for (int sign = -1; sign <= 1; sign += 2)
      for (int bits = 54; bits <= 55; ++bits) /* a from 1 to 2 is a multiple of 2^-52, from 2 to 4 of 2^-51 */
        if (((sign * k) % 8 + 8) % 8 == 1) try_middles(sign * k, bits, list, &count);
  for (uint64_t i = 0; i < 2000000; ++i) {
    const double r = 1.0 + sb_random_unit(9, i), square = r * r;
    try_root(list, &count, 1.0 + 3.0 * sb_random_unit(10, i));
    try_root(list, &count, square);
    try_root(list, &count, nextafter(square, 5.0));
    try_root(list, &count, 4.0 - (double)(i % 5000 + 1) * 0x1p-51);
    try_root(list, &count, 1.0 + (double)(i % 5000) * 0x1p-52);
  }
  for (size_t i = 0; count > 0 || i < AT_ONCE; ++i)
    try_root(list, &count, limits[i % (sizeof limits / sizeof *limits)]);
}

/* The first one counts threads before any other has started some. */
TEST_MAIN(threads_are_as_many_as_parts, sums_are_those_of_pairs, no_vertex_or_all_may_have_a_row, ghosts_pull,
          lengths_of_all_kinds_are_treated_as_by_pairs, parts_meet_in_springs_of_all_kinds, rows_may_be_closed,
          springs_in_no_order_have_no_bands, roots_are_those_of_the_instruction)
