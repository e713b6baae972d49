/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of springs against independent formulas: V31-V36 of the verification plan, without MPI.
 *
 * The net is a sheet with every kind of spring, random stiffness, and positions perturbed so that some springs are
 * compressed and some stretched. */
#include "tests/model/support.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <petscsys.h>

#include <petscblaslapack.h>

#include "base/random.h"
#include "model/system/assembly.h"

enum { SIDE = 5, VERTICES = SIDE * SIDE, N = 3 * VERTICES };

typedef struct {
  sb_options *options;
  sb_pose     pose;
  sb_springs  springs;
  double     *x;
} net;

static int make_net(void **state)
{
  net *made = calloc(1, sizeof *made);
  *state = made;
  made->options = sb_test_scene("scene=cloth grid=4 springs=crossed+bending perturbation=0.15 pins=none", &made->pose);
  sb_test_vary(&made->pose, 11);
  const sb_pose *pose = &made->pose;
  sb_springs    *springs = &made->springs;
  springs->count = (int)pose->springs;
  springs->first = malloc(pose->springs * sizeof(int));
  springs->second = malloc(pose->springs * sizeof(int));
  springs->counted = malloc(pose->springs);
  springs->stiffness = pose->stiffness;
  springs->rest_length = pose->rest_length;
  for (size_t s = 0; s < pose->springs; ++s) {
    springs->first[s] = pose->ends[2 * s];
    springs->second[s] = pose->ends[2 * s + 1];
    springs->counted[s] = 1;
  }
  made->x = pose->position;
  return 0;
}

static int free_net(void **state)
{
  net *old = *state;
  free(old->springs.first);
  free(old->springs.second);
  free(old->springs.counted);
  sb_pose_clear(&old->pose);
  sb_options_destroy(&old->options);
  free(old);
  return 0;
}

static void gradient(const net *m, const double *x, double *g)
{
  memset(g, 0, N * sizeof *g);
  sb_kernel_add_elastic_forces(&m->springs, x, g);
  for (int i = 0; i < N; ++i) g[i] = -g[i];
}

static const sb_assembly *const assemblies[] = SB_TABLES(sb_assembly);

/* block[s] = H_s [3][3], by an instruction set. */
static void hessian_blocks_by(sb_instruction_set set, const sb_springs *springs, double negative, const double *x,
                              double *block)
{
  static const int place[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};
  sb_blocks        run;
  for (int s = 0; s < springs->count; ++s) {
    if (s % SB_RUN == 0) assemblies[set]->blocks(springs, s, negative, x, run);
    for (int e = 0; e < 9; ++e) block[9 * s + e] = -run[place[e]][s % SB_RUN];
  }
}

static void hessian_blocks(const sb_springs *springs, double negative, const double *x, double *block)
{
  hessian_blocks_by(sb_instruction_set_best(), springs, negative, x, block);
}

/* The dense Hessian [N][N] from the blocks of the kernel. */
static double *hessian(const net *m, double negative, const double *x)
{
  double *block = malloc(9 * (size_t)m->springs.count * sizeof *block), *dense = calloc(N * N, sizeof *dense);
  hessian_blocks(&m->springs, negative, x, block);
  for (int s = 0; s < m->springs.count; ++s)
    for (int e = 0; e < 9; ++e) {
      const int i = 3 * m->springs.first[s], j = 3 * m->springs.second[s], a = e / 3, b = e % 3;
      dense[(i + a) * N + i + b] += block[9 * s + e];
      dense[(j + a) * N + j + b] += block[9 * s + e];
      dense[(i + a) * N + j + b] -= block[9 * s + e];
      dense[(j + a) * N + i + b] -= block[9 * s + e];
    }
  free(block);
  return dense;
}

static double norm(const double *v, size_t n)
{
  double square = 0.0;
  for (size_t i = 0; i < n; ++i) square += v[i] * v[i];
  return sqrt(square);
}

static void some_springs_are_compressed(void **state)
{
  const net *m = *state;
  int        compressed = 0;
  for (int s = 0; s < m->springs.count; ++s) {
    const double *a = m->x + 3 * m->springs.first[s], *b = m->x + 3 * m->springs.second[s];
    compressed += hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) < m->springs.rest_length[s];
  }
  assert_true(compressed > m->springs.count / 5 && compressed < 4 * m->springs.count / 5);
}

static double complex complex_energy(const net *m, const double complex *x)
{
  double complex energy = 0.0;
  for (int s = 0; s < m->springs.count; ++s) {
    double complex square = 0.0;
    for (int c = 0; c < 3; ++c) {
      const double complex d = x[3 * m->springs.first[s] + c] - x[3 * m->springs.second[s] + c];
      square += d * d;
    }
    const double complex stretch = csqrt(square) - m->springs.rest_length[s];
    energy += 0.5 * m->springs.stiffness[s] * stretch * stretch;
  }
  return energy;
}

static void gradient_is_that_of_a_complex_step(void **state)
{
  const net     *m = *state;
  double         g[N], error[N];
  double complex z[N];
  gradient(m, m->x, g);
  for (int i = 0; i < N; ++i) z[i] = m->x[i];
  assert_within(sb_kernel_elastic_energy(&m->springs, m->x), creal(complex_energy(m, z)), 1e-11);
  for (int i = 0; i < N; ++i) {
    z[i] += 1e-30 * I;
    error[i] = cimag(complex_energy(m, z)) / 1e-30 - g[i];
    z[i] = m->x[i];
  }
  assert_within(norm(error, N) / norm(g, N), 0.0, 1e-13);
}

static void gradient_is_that_of_a_difference(void **state)
{
  const net   *m = *state;
  const double step = 6e-6;
  double       g[N], error[N], x[N];
  gradient(m, m->x, g);
  memcpy(x, m->x, sizeof x);
  for (int i = 0; i < N; ++i) {
    x[i] = m->x[i] + step;
    const double above = sb_kernel_elastic_energy(&m->springs, x);
    x[i] = m->x[i] - step;
    error[i] = (above - sb_kernel_elastic_energy(&m->springs, x)) / (2.0 * step) - g[i];
    x[i] = m->x[i];
  }
  assert_within(norm(error, N) / norm(g, N), 0.0, 1e-8);
}

/* |H - central difference of the gradient| over |H|, Frobenius. */
static double hessian_error(const net *m, double negative, const double *at)
{
  const double step = 6e-6;
  double      *h = hessian(m, negative, at), x[N], above[N], below[N];
  const double size = norm(h, N * N);
  memcpy(x, at, sizeof x);
  for (int j = 0; j < N; ++j) {
    x[j] = at[j] + step;
    gradient(m, x, above);
    x[j] = at[j] - step;
    gradient(m, x, below);
    x[j] = at[j];
    for (int i = 0; i < N; ++i) h[i * N + j] -= (above[i] - below[i]) / (2.0 * step);
  }
  const double error = norm(h, N * N) / size;
  free(h);
  return error;
}

static void hessian_is_that_of_a_difference(void **state)
{
  const net *m = *state;
  assert_within(hessian_error(m, SB_HESSIAN_EXACT, m->x), 0.0, 1e-7);
  /* The projected one is another matrix where springs are compressed, and must say so. */
  assert_true(hessian_error(m, SB_HESSIAN_PROJECTED, m->x) > 0.01);
}

/* Remainders of E(x + e p) after the gradient, and after the Hessian, in e = start/2^i: slopes 2 and 3. */
static void energy_has_its_taylor_series(void **state)
{
  const net *m = *state;
  double     g[N], p[N], slope = 0.0, curvature = 0.0, last[2] = {0.0, 0.0}, slopes[2] = {0.0, 0.0};
  double    *h = hessian(m, SB_HESSIAN_EXACT, m->x);
  gradient(m, m->x, g);
  for (uint64_t i = 0; i < N; ++i) p[i] = 2.0 * sb_random_unit(7, i) - 1.0;
  for (int i = 0; i < N; ++i) {
    slope += g[i] * p[i];
    for (int j = 0; j < N; ++j) curvature += p[i] * h[i * N + j] * p[j];
  }
  const double energy = sb_kernel_elastic_energy(&m->springs, m->x);
  for (double e = 1e-3; e > 2e-4; e *= 0.5) {
    double x[N];
    for (int i = 0; i < N; ++i) x[i] = m->x[i] + e * p[i];
    const double first = sb_kernel_elastic_energy(&m->springs, x) - energy - e * slope;
    const double remainders[2] = {fabs(first), fabs(first - 0.5 * e * e * curvature)};
    for (int i = 0; i < 2; ++i) {
      slopes[i] = log2(last[i] / remainders[i]);
      last[i] = remainders[i];
    }
  }
  assert_within(slopes[0], 2.0, 0.05);
  assert_within(slopes[1], 3.0, 0.08);
  free(h);
}

/* ‖H - H^T‖ = 0, H t = 0, H (w × x) = w × g, sum f = 0, sum x × f = 0. */
static void hessian_and_forces_know_rigid_motions(void **state)
{
  const net *m = *state;
  double     g[N], *h = hessian(m, SB_HESSIAN_EXACT, m->x), sums[6] = {0};
  gradient(m, m->x, g);
  const double size = norm(h, N * N), w[3] = {0.3, -0.7, 0.5};
  for (int i = 0; i < N; ++i) {
    const int    v = i / 3, c = i % 3, d = (c + 1) % 3, e = (c + 2) % 3;
    const double wg = w[d] * g[3 * v + e] - w[e] * g[3 * v + d];
    double       shift[3] = {0}, turn = 0.0;
    for (int j = 0; j < N; ++j) {
      const int q = j / 3, a = (j % 3 + 1) % 3, b = (j % 3 + 2) % 3;
      assert_true(h[i * N + j] == h[j * N + i]);
      shift[j % 3] += h[i * N + j];
      turn += h[i * N + j] * (w[a] * m->x[3 * q + b] - w[b] * m->x[3 * q + a]);
    }
    for (int k = 0; k < 3; ++k) assert_within(shift[k], 0.0, 1e-13 * size);
    assert_within(turn, wg, 1e-13 * size);
    sums[c] += g[i];
    sums[3 + c] += m->x[3 * v + d] * g[3 * v + e] - m->x[3 * v + e] * g[3 * v + d];
  }
  for (int k = 0; k < 6; ++k) assert_within(sums[k], 0.0, 1e-13 * size);
  free(h);
}

/* Ascending eigenvalues of a dense symmetric matrix, which is overwritten. */
static void eigenvalues(double *dense, double *values)
{
  PetscBLASInt n = N, length = 8 * N, info = 0;
  double       work[8 * N];
  LAPACKsyev_("N", "U", &n, dense, &n, values, work, &length, &info);
  assert_int_equal(info, 0);
}

static void projected_hessian_is_positive_semidefinite(void **state)
{
  const net *m = *state;
  double     values[N], *h = hessian(m, SB_HESSIAN_PROJECTED, m->x);
  eigenvalues(h, values);
  assert_true(values[0] >= -1e-12 * values[N - 1]);
  free(h);
  h = hessian(m, SB_HESSIAN_EXACT, m->x);
  eigenvalues(h, values);
  assert_true(values[0] < -1e-3 * values[N - 1]);
  free(h);
}

/* (1 - b) exact + b projected, spring by spring. */
static void blended_hessian_is_between(void **state)
{
  const net   *m = *state;
  const size_t numbers = 9 * (size_t)m->springs.count;
  double      *exact = malloc(numbers * sizeof *exact), *projected = malloc(numbers * sizeof *projected),
         *blended = malloc(numbers * sizeof *blended);
  hessian_blocks(&m->springs, SB_HESSIAN_EXACT, m->x, exact);
  hessian_blocks(&m->springs, SB_HESSIAN_PROJECTED, m->x, projected);
  hessian_blocks(&m->springs, 0.3, m->x, blended);
  const double size = norm(exact, numbers);
  for (size_t i = 0; i < numbers; ++i) assert_within(blended[i], 0.3 * exact[i] + 0.7 * projected[i], 1e-14 * size);
  free(exact);
  free(projected);
  free(blended);
}

/* Runs of every length, with springs of no length, of no rest length, and a vertex that is no number among them. */
static void every_instruction_set_gives_the_same_blocks(void **state)
{
  const net *m = *state;
  double     x[N], wanted[9 * SB_RUN], got[9 * SB_RUN];
  sb_springs few = m->springs;
  memcpy(x, m->x, sizeof x);
  memcpy(x + 3 * few.first[2], x + 3 * few.second[2], 3 * sizeof *x);
  x[3 * few.first[40]] = NAN;
  double *rest = malloc((size_t)few.count * sizeof *rest);
  memcpy(rest, few.rest_length, (size_t)few.count * sizeof *rest);
  rest[5] = 0.0;
  few.rest_length = rest;
  for (few.count = 1; few.count <= SB_RUN; ++few.count)
    for (double negative = SB_HESSIAN_PROJECTED; negative <= SB_HESSIAN_EXACT; negative += 0.5) {
      const size_t bytes = 9 * (size_t)few.count * sizeof *got;
      hessian_blocks_by(SB_PORTABLE, &few, negative, x, wanted);
      for (int set = SB_PORTABLE + 1; set <= (int)sb_instruction_set_best(); ++set) {
        hessian_blocks_by((sb_instruction_set)set, &few, negative, x, got);
        for (size_t i = 0; i < bytes / sizeof *got; ++i)
          assert_true(memcmp(&got[i], &wanted[i], sizeof *got) == 0 || (isnan(got[i]) && isnan(wanted[i])));
      }
    }
  free(rest);
}

static void projected_hessian_of_stretched_springs_is_exact(void **state)
{
  const net   *m = *state;
  const size_t numbers = 9 * (size_t)m->springs.count;
  double       x[N], *exact = malloc(numbers * sizeof *exact), *projected = malloc(numbers * sizeof *projected);
  for (int i = 0; i < N; ++i) x[i] = 10.0 * m->x[i];
  hessian_blocks(&m->springs, SB_HESSIAN_EXACT, x, exact);
  hessian_blocks(&m->springs, SB_HESSIAN_PROJECTED, x, projected);
  assert_memory_equal(exact, projected, numbers * sizeof *exact);
  hessian_blocks(&m->springs, SB_HESSIAN_EXACT, m->x, exact);
  hessian_blocks(&m->springs, SB_HESSIAN_PROJECTED, m->x, projected);
  assert_true(memcmp(exact, projected, numbers * sizeof *exact) != 0);
  free(exact);
  free(projected);
}

/* J d - L x = f: the local step is what makes projective dynamics a splitting of the same force. */
static void local_step_completes_the_force(void **state)
{
  const net *m = *state;
  double     rhs[N] = {0}, force[N] = {0};
  sb_kernel_add_local_step(&m->springs, m->x, rhs);
  sb_kernel_add_elastic_forces(&m->springs, m->x, force);
  for (int s = 0; s < m->springs.count; ++s)
    for (int c = 0; c < 3; ++c) {
      const int    i = 3 * m->springs.first[s] + c, j = 3 * m->springs.second[s] + c;
      const double pull = m->springs.stiffness[s] * (m->x[i] - m->x[j]);
      rhs[i] -= pull;
      rhs[j] += pull;
    }
  for (int i = 0; i < N; ++i) assert_within(rhs[i], force[i], 1e-11);
}

/* One spring along x, at lengths that say everything by hand. */
static sb_springs one_spring(double *stiffness, double *rest_length)
{
  static int     first[] = {0}, second[] = {1};
  static uint8_t counted[] = {1};
  *stiffness = 6.0;
  *rest_length = 2.0;
  return (sb_springs){1, first, second, stiffness, rest_length, counted, {NULL}};
}

static void a_spring_of_no_length_has_no_direction(void **state)
{
  (void)state;
  double           k, l, block[9], force[6] = {0}, rhs[6] = {0};
  const double     x[6] = {1, 2, 3, 1, 2, 3};
  const sb_springs spring = one_spring(&k, &l);
  sb_kernel_add_elastic_forces(&spring, x, force);
  sb_kernel_add_local_step(&spring, x, rhs);
  for (int i = 0; i < 6; ++i) assert_true(force[i] == 0.0 && rhs[i] == 0.0);
  for (double negative = SB_HESSIAN_PROJECTED; negative <= SB_HESSIAN_EXACT; negative += 0.5) {
    hessian_blocks(&spring, negative, x, block);
    for (int e = 0; e < 9; ++e) assert_true(block[e] == (e % 4 == 0 ? 2.0 : 0.0));
  }
}

/* E = 1/2 k r^2: force -k d, Hessian k I, no rest length to project on or to measure by. */
static void a_spring_of_no_rest_length_is_linear(void **state)
{
  (void)state;
  double     k, l, block[9];
  sb_springs spring = one_spring(&k, &l);
  l = 0.0;
  const double places[3][6] = {{1, -2, 3, 0, 0, 0}, {1e-170, 0, 0, 0, 0, 0}, {1, 1, 1, 1, 1, 1}};
  for (int p = 0; p < 3; ++p) {
    const double *x = places[p];
    double        force[6] = {0}, rhs[6] = {0};
    sb_kernel_add_elastic_forces(&spring, x, force);
    sb_kernel_add_local_step(&spring, x, rhs);
    for (int c = 0; c < 3; ++c) assert_within(force[c], -k * (x[c] - x[3 + c]), 1e-14);
    for (int i = 0; i < 6; ++i) assert_true(rhs[i] == 0.0);
    for (double negative = SB_HESSIAN_PROJECTED; negative <= SB_HESSIAN_EXACT; negative += 0.5) {
      hessian_blocks(&spring, negative, x, block);
      for (int e = 0; e < 9; ++e) assert_true(block[e] == (e % 4 == 0 ? k : 0.0));
    }
    assert_true(sb_kernel_strain_max(&spring, x) == 0.0);
  }
  assert_within(sb_kernel_elastic_energy(&spring, places[0]), 0.5 * k * 14.0, 1e-13);
}

static void one_spring_by_hand(void **state)
{
  (void)state;
  double           k, l, block[9], force[6] = {0};
  const double     x[6] = {1, 0, 0, 0, 0, 0};
  const sb_springs spring = one_spring(&k, &l);
  sb_kernel_add_elastic_forces(&spring, x, force);
  assert_true(force[0] == 6.0 && force[3] == -6.0 && force[1] == 0.0); /* compressed: pushed apart by k (l - r) */
  assert_true(sb_kernel_elastic_energy(&spring, x) == 3.0);
  hessian_blocks(&spring, SB_HESSIAN_EXACT, x, block);
  assert_true(block[0] == 6.0 && block[4] == -6.0 && block[8] == -6.0 && block[1] == 0.0);
  hessian_blocks(&spring, SB_HESSIAN_PROJECTED, x, block);
  assert_true(block[0] == 6.0 && block[4] == 0.0 && block[8] == 0.0);
  assert_true(sb_kernel_strain_max(&spring, x) == 0.5);
  const sb_springs none = {0};
  assert_true(sb_kernel_strain_max(&none, x) == 0.0);
  spring.counted[0] = 0;
  assert_true(sb_kernel_elastic_energy(&spring, x) == 0.0);
  spring.counted[0] = 1;
}

static void a_vertex_that_is_no_number_shows(void **state)
{
  (void)state;
  double           k, l, block[9], force[6] = {0}, rhs[6] = {0};
  const double     x[6] = {NAN, 0, 0, 0, 0, 0};
  const sb_springs spring = one_spring(&k, &l);
  sb_kernel_add_elastic_forces(&spring, x, force);
  sb_kernel_add_local_step(&spring, x, rhs);
  hessian_blocks(&spring, SB_HESSIAN_PROJECTED, x, block);
  assert_true(isnan(force[0]) && isnan(force[3]) && isnan(rhs[0]) && isnan(block[0]) && isnan(block[4]));
  assert_true(isnan(sb_kernel_elastic_energy(&spring, x)) && isnan(sb_kernel_strain_max(&spring, x)));
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(some_springs_are_compressed),
                                     cmocka_unit_test(gradient_is_that_of_a_complex_step),
                                     cmocka_unit_test(gradient_is_that_of_a_difference),
                                     cmocka_unit_test(hessian_is_that_of_a_difference),
                                     cmocka_unit_test(energy_has_its_taylor_series),
                                     cmocka_unit_test(hessian_and_forces_know_rigid_motions),
                                     cmocka_unit_test(projected_hessian_is_positive_semidefinite),
                                     cmocka_unit_test(blended_hessian_is_between),
                                     cmocka_unit_test(every_instruction_set_gives_the_same_blocks),
                                     cmocka_unit_test(projected_hessian_of_stretched_springs_is_exact),
                                     cmocka_unit_test(local_step_completes_the_force),
                                     cmocka_unit_test(a_spring_of_no_length_has_no_direction),
                                     cmocka_unit_test(a_spring_of_no_rest_length_is_linear),
                                     cmocka_unit_test(one_spring_by_hand),
                                     cmocka_unit_test(a_vertex_that_is_no_number_shows)};
  return cmocka_run_group_tests(tests, make_net, free_net);
}
