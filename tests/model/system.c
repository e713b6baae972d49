/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Distributed systems against the same system on one rank: numbering, vectors, forces (bit for bit), energies, bounds.
 */
#include "tests/model/support.h"
#include "tests/petsc_tests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/system/segments.h"
#include "model/system/system.h"

static const char sheet[] = "scene=cloth grid=6 springs=crossed+bending perturbation=0.1 drag=0.5";

typedef struct {
  sb_options *options;
  sb_pose     pose;
  sb_system  *system, *alone; /* on all ranks, and the whole on this one */
  Vec         x, v, x_alone, v_alone;
} fixture;

static void open_net(fixture *f, const char *pairs)
{
  f->options = sb_test_scene(pairs, &f->pose);
  sb_test_vary(&f->pose, 3);
  for (size_t i = 0; i < 3 * f->pose.vertices; ++i)
    if (!f->pose.pinned[i / 3]) f->pose.velocity[i] = sin((double)i);
  assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &f->pose, f->options, &f->system), 0);
  assert_int_equal(sb_system_create(PETSC_COMM_SELF, &f->pose, f->options, &f->alone), 0);
  sb_system_create_full(f->system, &f->x);
  sb_system_create_full(f->system, &f->v);
  sb_system_create_full(f->alone, &f->x_alone);
  sb_system_create_full(f->alone, &f->v_alone);
  assert_int_equal(sb_system_set_state(f->system, &f->pose, f->x, f->v), 0);
  assert_int_equal(sb_system_set_state(f->alone, &f->pose, f->x_alone, f->v_alone), 0);
}

static void close_net(fixture *f)
{
  VecDestroy(&f->x);
  VecDestroy(&f->v);
  VecDestroy(&f->x_alone);
  VecDestroy(&f->v_alone);
  sb_system_destroy(&f->system);
  sb_system_destroy(&f->alone);
  sb_pose_clear(&f->pose);
  sb_options_destroy(&f->options);
}

/* A system that takes the pose's springs over is the one that copies them, and holds the only array of them. */
static void springs_are_taken_over(void)
{
  sb_pose      pose;
  sb_system   *copied, *taken;
  sb_options  *options = sb_test_scene(sheet, &pose);
  const double stiffness = pose.stiffness[0];
  assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &pose, options, &copied), 0);
  assert_true(pose.ends && pose.rest_length && pose.kind && pose.stiffness[0] == stiffness);
  assert_int_equal(sb_system_take(PETSC_COMM_WORLD, &pose, options, &taken), 0);
  assert_true(!pose.ends && !pose.stiffness && !pose.rest_length && !pose.kind);
  assert_int_equal(taken->springs.count, copied->springs.count);
  for (int s = 0; s < taken->springs.count; ++s) {
    assert_true(taken->springs.first[s] == copied->springs.first[s]);
    assert_true(taken->springs.second[s] == copied->springs.second[s]);
    assert_true(taken->springs.stiffness[s] == copied->springs.stiffness[s]);
    assert_true(taken->springs.rest_length[s] == copied->springs.rest_length[s]);
    assert_true(sb_system_spring_id(taken, s) == sb_system_spring_id(copied, s));
  }
  sb_system_destroy(&copied);
  sb_system_destroy(&taken);
  sb_pose_clear(&pose);
  sb_options_destroy(&options);
}

static void sum_over_ranks(void *context, int count, double *values)
{
  (void)context;
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_SUM, PETSC_COMM_WORLD);
}

static void largest_over_ranks(void *context, int count, double *values)
{
  (void)context;
  MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, PETSC_COMM_WORLD);
}

static void expect_equal_systems(const sb_system *a, const sb_system *b)
{
  assert_true(a->vertices == b->vertices && a->first_vertex == b->first_vertex && a->owned == b->owned);
  assert_true(a->unknown_vertices == b->unknown_vertices && a->first_unknown == b->first_unknown);
  assert_true(a->springs.count == b->springs.count && a->ghosts == b->ghosts && a->pinned_owned == b->pinned_owned);
  assert_true(a->mass_total == b->mass_total && a->diagonal == b->diagonal && a->springs_global == b->springs_global);
  assert_memory_equal(a->pin_rest, b->pin_rest, 3 * (size_t)a->pinned_owned * sizeof *a->pin_rest);
  for (PetscInt g = 0; g < a->ghosts; ++g) assert_true(a->ghost_ids[g] == b->ghost_ids[g]);
  for (PetscInt i = 0; i < a->owned + a->ghosts; ++i) {
    assert_true(a->mass[i] == b->mass[i] && a->pinned[i] == b->pinned[i]);
    assert_true(a->unknown_id[i] == b->unknown_id[i]);
  }
  for (int s = 0; s < a->springs.count; ++s) {
    assert_true(a->springs.first[s] == b->springs.first[s] && a->springs.second[s] == b->springs.second[s]);
    assert_true(a->springs.stiffness[s] == b->springs.stiffness[s]);
    assert_true(a->springs.rest_length[s] == b->springs.rest_length[s]);
    assert_true(a->springs.counted[s] == b->springs.counted[s]);
    assert_true(sb_system_spring_id(a, s) == sb_system_spring_id(b, s));
  }
}

static void expect_equal_states(const sb_pose *whole, const sb_system *system, const sb_pose *slab)
{
  Vec       x[2], v[2];
  PetscBool same = PETSC_FALSE;
  for (int k = 0; k < 2; ++k) {
    sb_system_create_full(system, &x[k]);
    sb_system_create_full(system, &v[k]);
    assert_int_equal(sb_system_set_state(system, k == 0 ? whole : slab, x[k], v[k]), 0);
  }
  VecEqual(x[0], x[1], &same);
  assert_true(same);
  VecEqual(v[0], v[1], &same);
  assert_true(same);
  for (int k = 0; k < 2; ++k) {
    VecDestroy(&x[k]);
    VecDestroy(&v[k]);
  }
}

static void slabs_make_the_system_of_the_whole_net(void)
{
  static const char *const pairs[] = {sheet, "scene=square grid=9 pins=min_x",
                                      "scene=curtain grid=5 pin_method=penalty", "scene=square grid=1"};
  PetscMPIInt              rank, ranks;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const sb_team team = {(size_t)rank, (size_t)ranks, NULL, sum_over_ranks, largest_over_ranks};
  for (size_t k = 0; k < sizeof pairs / sizeof *pairs; ++k) {
    sb_pose         whole, slab;
    sb_system      *from_whole, *from_slab;
    sb_options     *options = sb_test_scene(pairs[k], &whole);
    sb_diagnostics *diagnostics = sb_diagnostics_create();
    assert_true(sb_scene_build_slab(options, &team, &slab, diagnostics));
    assert_true((slab.slab.team == NULL) == (ranks == 1));
    assert_int_equal(sb_system_create(PETSC_COMM_WORLD, &whole, options, &from_whole), 0);
    assert_int_equal(sb_system_take(PETSC_COMM_WORLD, &slab, options, &from_slab), 0);
    expect_equal_systems(from_whole, from_slab);
    expect_equal_states(&whole, from_slab, &slab);
    sb_system_destroy(&from_whole);
    sb_system_destroy(&from_slab);
    sb_diagnostics_destroy(&diagnostics);
    sb_pose_clear(&slab);
    sb_pose_clear(&whole);
    sb_options_destroy(&options);
  }
}

enum { ITEMS = 100000 }; /* of 24 bytes: three pieces */

static void expect_next(void *context, size_t count, const void *items)
{
  double(*const item)[3] = (void *)items;
  double *next = context;
  for (size_t i = 0; i < count; ++i) assert_true(item[i][0] == (*next)++ && item[i][2] == -item[i][0]);
}

/* Rank r has the numbers behind those of rank r - 1; the last rank has none. */
static void segments_pass_in_order(void)
{
  PetscMPIInt rank, ranks;
  double(*item)[3] = malloc(ITEMS * sizeof *item), next = 0;
  MPI_Comm_rank(PETSC_COMM_WORLD, &rank);
  MPI_Comm_size(PETSC_COMM_WORLD, &ranks);
  const size_t count = rank > 0 && rank == ranks - 1 ? 0 : ITEMS;
  for (size_t i = 0; i < count; ++i) {
    item[i][0] = (double)(i + ITEMS * (size_t)rank);
    item[i][2] = -item[i][0];
  }
  assert_int_equal(sb_segments_pass(PETSC_COMM_WORLD, count, sizeof *item, item, expect_next, &next), 0);
  assert_true(next == (rank > 0 ? 0.0 : (double)ITEMS * (ranks > 1 ? ranks - 1 : 1)));
  free(item);
}

static void vertices_are_split_into_blocks(void)
{
  fixture f;
  open_net(&f, "scene=cloth grid=6 springs=crossed+bending pins=corners4 drag=0.5");
  const sb_system *s = f.system;
  PetscInt         sums[3] = {s->owned, s->owned_unknown, 0};
  for (int i = 0; i < s->springs.count; ++i) sums[2] += s->springs.counted[i];
  MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPIU_INT, MPI_SUM, PETSC_COMM_WORLD);
  assert_true(sums[0] == 49 && s->vertices == 49);
  assert_true(sums[1] == 45 && s->unknown_vertices == 45);
  assert_true(sums[2] == (PetscInt)f.pose.springs && s->springs_global == sums[2]);
  for (PetscInt g = 1; g < s->ghosts; ++g) assert_true(s->ghost_ids[g - 1] < s->ghost_ids[g]);
  for (PetscInt i = 0; i < s->owned + s->ghosts; ++i) {
    const PetscInt v = i < s->owned ? s->first_vertex + i : s->ghost_ids[i - s->owned];
    assert_true(s->mass[i] == f.pose.mass[v] && s->pinned[i] == f.pose.pinned[v]);
    assert_true(s->unknown_id[i] == f.alone->unknown_id[v]);
  }
  for (PetscInt n = 0; n < s->owned_unknown; ++n)
    assert_true(s->unknown_id[s->unknown_vertex[n]] == s->first_unknown + n);
  for (int i = 1; i < s->springs.count; ++i) assert_true(sb_system_spring_id(s, i - 1) < sb_system_spring_id(s, i));
  assert_within(s->diagonal, 2.0 * sqrt(2.0), 1e-15);
  assert_true(s->drag == 0.5 && s->gravity[2] == -9.8 && s->gravity[0] == 0.0);
  assert_true(s->mass_total == f.alone->mass_total);
  close_net(&f);
}

static void reading_brings_the_ghosts(void)
{
  fixture       f;
  const double *x;
  open_net(&f, sheet);
  VecScale(f.x, 2.0); /* after set_state: ghosts are stale until the next reading */
  assert_int_equal(sb_system_begin_read(f.system, f.x, &x), 0);
  for (PetscInt i = 0; i < f.system->owned + f.system->ghosts; ++i) {
    const PetscInt v = i < f.system->owned ? f.system->first_vertex + i : f.system->ghost_ids[i - f.system->owned];
    for (int c = 0; c < 3; ++c) assert_true(x[3 * i + c] == 2.0 * f.pose.position[3 * v + c]);
  }
  assert_int_equal(sb_system_end_read(f.system, f.x, &x), 0);
  assert_null(x);
  close_net(&f);
}

/* Owned entries of a Vec of the distributed system equal those of the whole one, from `first` on, to the bit. */
static void assert_same_bits(Vec distributed, PetscInt first, Vec whole)
{
  const PetscScalar *a, *b;
  PetscInt           count;
  VecGetLocalSize(distributed, &count);
  VecGetArrayRead(distributed, &a);
  VecGetArrayRead(whole, &b);
  for (PetscInt i = 0; i < count; ++i) assert_true(a[i] == b[3 * first + i]);
  VecRestoreArrayRead(distributed, &a);
  VecRestoreArrayRead(whole, &b);
}

static void forces_have_the_same_bits_on_all_ranks(void)
{
  const char *const nets[] = {sheet, "scene=rope perturbation=5", "scene=oscillator",
                              "scene=curtain perturbation=0.02"};
  for (size_t t = 0; t < sizeof nets / sizeof nets[0]; ++t) {
    fixture   f;
    Vec       force, whole;
    PetscReal norms[2];
    open_net(&f, nets[t]);
    sb_system_create_full(f.system, &force);
    sb_system_create_full(f.alone, &whole);
    VecSet(force, 7.0); /* earlier values do not matter, and a remembered norm is forgotten */
    VecNorm(force, NORM_2, &norms[0]);
    assert_int_equal(sb_system_elastic_forces(f.system, f.x, force), 0);
    assert_int_equal(sb_system_elastic_forces(f.alone, f.x_alone, whole), 0);
    assert_same_bits(force, f.system->first_vertex, whole);
    VecNorm(force, NORM_2, &norms[0]);
    VecNorm(whole, NORM_2, &norms[1]);
    assert_true(norms[1] > 0.0);
    assert_within(norms[0], norms[1], 1e-13 * norms[1]);
    VecDestroy(&force);
    VecDestroy(&whole);
    close_net(&f);
  }
}

/* rhs = constant + scale J d, on unknown vertices, with pins that are none, and some that are. */
static void local_steps_have_the_same_bits_on_all_ranks(void)
{
  const char *const nets[] = {sheet, "scene=cloth grid=6 perturbation=0.05 pins=diagonal2 springs=crossed+bending",
                              "scene=cloth grid=7 perturbation=0.05 pins=first_edge pin_method=penalty",
                              "scene=rope perturbation=5", "scene=curtain perturbation=0.02"};
  for (size_t t = 0; t < sizeof nets / sizeof nets[0]; ++t) {
    fixture f;
    Vec     rhs, constant, whole, constant_alone;
    open_net(&f, nets[t]);
    sb_system_create_unknowns(f.system, &rhs);
    sb_system_create_unknowns(f.system, &constant);
    sb_system_create_unknowns(f.alone, &whole);
    sb_system_create_unknowns(f.alone, &constant_alone);
    sb_system_restrict(f.system, f.x, constant);
    sb_system_restrict(f.alone, f.x_alone, constant_alone);
    VecSet(rhs, NAN); /* every entry is written */
    assert_int_equal(sb_system_local_step(f.system, 1e-3, f.x, constant, rhs), 0);
    assert_int_equal(sb_system_local_step(f.alone, 1e-3, f.x_alone, constant_alone, whole), 0);
    assert_same_bits(rhs, f.system->first_unknown, whole);
    VecDestroy(&rhs);
    VecDestroy(&constant);
    VecDestroy(&whole);
    VecDestroy(&constant_alone);
    close_net(&f);
  }
}

/* Forces are -grad E of the energy that is summed over all ranks. */
static void forces_lower_the_energy(void)
{
  fixture     f;
  Vec         force, moved;
  double      slope, energy[2];
  PetscScalar product;
  open_net(&f, sheet);
  sb_system_create_full(f.system, &force);
  sb_system_create_full(f.system, &moved);
  sb_system_elastic_forces(f.system, f.x, force);
  VecDot(force, f.v, &product);
  for (int side = 0; side < 2; ++side) {
    VecWAXPY(moved, side == 0 ? -6e-6 : 6e-6, f.v, f.x);
    sb_system_elastic_energy(f.system, moved, &energy[side]);
  }
  slope = (energy[1] - energy[0]) / 1.2e-5;
  assert_within(slope, -product, 1e-7 * fabs(slope));
  VecDestroy(&force);
  VecDestroy(&moved);
  close_net(&f);
}

static void energies_are_the_sums_over_vertices_and_springs(void)
{
  fixture     f;
  sb_energies e;
  double      kinetic = 0.0, gravity = 0.0, elastic = 0.0, strain = 0.0, p[3] = {0}, l[3] = {0}, only;
  open_net(&f, sheet);
  for (size_t i = 0; i < f.pose.vertices; ++i) {
    const double *x = f.pose.position + 3 * i, *v = f.pose.velocity + 3 * i, m = f.pose.mass[i];
    kinetic += 0.5 * m * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    gravity += 9.8 * m * x[2];
    for (int c = 0; c < 3; ++c) p[c] += m * v[c];
    l[0] += m * (x[1] * v[2] - x[2] * v[1]);
    l[1] += m * (x[2] * v[0] - x[0] * v[2]);
    l[2] += m * (x[0] * v[1] - x[1] * v[0]);
  }
  for (size_t s = 0; s < f.pose.springs; ++s) {
    const double *a = f.pose.position + 3 * f.pose.ends[2 * s], *b = f.pose.position + 3 * f.pose.ends[2 * s + 1];
    const double  r = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]), rest = f.pose.rest_length[s];
    elastic += 0.5 * f.pose.stiffness[s] * (r - rest) * (r - rest);
    strain = fmax(strain, fabs(r / rest - 1.0));
  }
  assert_int_equal(sb_system_energies(f.system, f.x, f.v, &e), 0);
  assert_within(e.kinetic, kinetic, 1e-12);
  assert_within(e.gravity, gravity, 1e-12);
  assert_within(e.elastic, elastic, 1e-11);
  assert_within(e.total, kinetic + gravity + elastic, 2e-11);
  assert_within(e.strain_max, strain, 1e-14);
  for (int c = 0; c < 3; ++c) {
    assert_within(e.momentum[c], p[c], 1e-12);
    assert_within(e.angular_momentum[c], l[c], 1e-12);
  }
  assert_int_equal(sb_system_elastic_energy(f.system, f.x, &only), 0);
  assert_true(only == e.elastic && elastic > 1.0 && strain > 0.1);
  close_net(&f);
}

static void pinned_vertices_are_left_alone(void)
{
  fixture f;
  Vec     part, full;
  open_net(&f, sheet);
  sb_system_create_full(f.system, &full);
  sb_system_create_unknowns(f.system, &part);
  VecSet(full, 5.0);
  assert_int_equal(sb_system_restrict(f.system, f.x, part), 0);
  assert_int_equal(sb_system_set_unknowns(f.system, part, full), 0);
  assert_int_equal(sb_system_add_unknowns(f.system, 0.5, part, full), 0);
  const PetscScalar *got;
  PetscInt           size;
  VecGetSize(part, &size);
  assert_int_equal(size, 3 * (49 - 2));
  VecGetArrayRead(full, &got);
  for (PetscInt i = 0; i < 3 * f.system->owned; ++i) {
    const double x = f.pose.position[3 * f.system->first_vertex + i];
    assert_true(got[i] == (f.system->pinned[i / 3] ? 5.0 : x + 0.5 * x));
  }
  VecRestoreArrayRead(full, &got);
  VecDestroy(&part);
  VecDestroy(&full);
  close_net(&f);
}

static void set_coordinate(const fixture *f, PetscInt vertex, double value)
{
  PetscScalar *x;
  VecGetArray(f->x, &x);
  const PetscInt local = vertex - f->system->first_vertex;
  if (local >= 0 && local < f->system->owned) x[3 * local] = value;
  VecRestoreArray(f->x, &x);
}

/* From a remembered centre, and from one that is far off, so that the exact test decides. They must agree. */
static bool is_bounded(const fixture *f, double radius, double center[3])
{
  bool               cheaply, exactly;
  double             far[3] = {1e100, 0, 0};
  const PetscScalar *x;
  VecGetArrayRead(f->x, &x);
  assert_int_equal(sb_system_array_is_bounded(f->system, x, radius, far, &exactly), 0);
  assert_int_equal(sb_system_array_is_bounded(f->system, x, radius, center, &cheaply), 0);
  VecRestoreArrayRead(f->x, &x);
  assert_int_equal(cheaply, exactly);
  return cheaply;
}

static void bounds_are_those_around_the_centre_of_mass(void)
{
  fixture f;
  double  center[3] = {0}, exact[3];
  open_net(&f, sheet);
  assert_true(is_bounded(&f, 100.0, center));
  assert_true(center[0] == 0.0); /* the cheap test sufficed */
  VecShift(f.x, 1e6);            /* far from where it was, but together */
  assert_true(is_bounded(&f, 100.0, center));
  sb_system_center(f.system, f.x, exact);
  for (int c = 0; c < 3; ++c) assert_within(center[c], exact[c], 1e-8);
  assert_within(center[0], 1e6, 1.0);
  close_net(&f);
}

/* The oscillator's second vertex at distance d of the first is d m_1/(m_1 + m_2) away from the centre, the first the
 * rest. */
static void bounds_are_sharp(void)
{
  fixture f;
  double  center[3] = {0};
  open_net(&f, "scene=oscillator");
  const double m0 = f.pose.mass[0], m1 = f.pose.mass[1], share = fmax(m0, m1) / (m0 + m1);
  set_coordinate(&f, 1, 0.999 * 10.0 / share);
  assert_true(is_bounded(&f, 10.0, center));
  set_coordinate(&f, 1, 1.001 * 10.0 / share);
  assert_false(is_bounded(&f, 10.0, center));
  close_net(&f);
}

static void numbers_that_are_none_are_out_of_bounds(void)
{
  const double bad[] = {NAN, INFINITY, -INFINITY, 1e308, -1e200};
  for (size_t b = 0; b < sizeof bad / sizeof bad[0]; ++b)
    for (PetscInt vertex = 0; vertex < 49; vertex += 16) {
      fixture f;
      double  center[3] = {0};
      open_net(&f, sheet);
      assert_true(is_bounded(&f, 100.0, center));
      set_coordinate(&f, vertex, bad[b]);
      assert_false(is_bounded(&f, 100.0, center));
      set_coordinate(&f, vertex, 0.0); /* a centre that was spoilt recovers */
      assert_true(is_bounded(&f, 100.0, center));
      close_net(&f);
    }
}

static void fronts_time_their_phases(void)
{
  fixture    f;
  sb_profile profile = {0};
  Vec        force, constant, rhs;
  Mat        matrix;
  open_net(&f, sheet);
  sb_system_create_full(f.system, &force);
  sb_system_create_unknowns(f.system, &constant);
  sb_system_create_unknowns(f.system, &rhs);
  sb_system_create_block_matrix(f.system, &matrix);
  f.system->profile = &profile;
  sb_system_elastic_forces(f.system, f.x, force);
  sb_system_local_step(f.system, 1.0, f.x, constant, rhs);
  sb_system_assemble_hessian(f.system, SB_HESSIAN_EXACT, 0.0, f.x, matrix);
  for (int phase = 0; phase < SB_PHASE_COUNT; ++phase)
    assert_int_equal(profile.calls[phase],
                     phase == SB_PHASE_FORCES || phase == SB_PHASE_LOCAL || phase == SB_PHASE_ASSEMBLY);
  VecDestroy(&force);
  VecDestroy(&constant);
  VecDestroy(&rhs);
  MatDestroy(&matrix);
  close_net(&f);
}

/* The spring that is longest, and shortest, beside its rest length, and its ends, against a search by hand. */
static void extreme_springs_are_found(void)
{
  fixture    f;
  sb_extreme longest, shortest, alone;
  int        want[2] = {0, 0};
  double     ratio[2] = {0.0, INFINITY};
  open_net(&f, sheet);
  for (size_t s = 0; s < f.pose.springs; ++s) {
    const double *a = f.pose.position + 3 * f.pose.ends[2 * s], *b = f.pose.position + 3 * f.pose.ends[2 * s + 1];
    const double  r = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]) / f.pose.rest_length[s];
    if (r > ratio[0]) want[0] = (int)s;
    if (r < ratio[1]) want[1] = (int)s;
    ratio[0] = fmax(ratio[0], r);
    ratio[1] = fmin(ratio[1], r);
  }
  assert_int_equal(sb_system_longest_spring(f.system, f.x, &longest), 0);
  assert_int_equal(sb_system_shortest_spring(f.system, f.x, &shortest), 0);
  assert_int_equal(longest.spring, want[0]);
  assert_int_equal(shortest.spring, want[1]);
  assert_true(longest.ratio == ratio[0] && shortest.ratio == ratio[1]);
  for (int e = 0; e < 2; ++e) {
    assert_int_equal(longest.ends[e], f.pose.ends[2 * want[0] + e]);
    assert_int_equal(shortest.ends[e], f.pose.ends[2 * want[1] + e]);
  }
  assert_int_equal(VecSet(f.x_alone, 0.0), 0);
  assert_int_equal(sb_system_shortest_spring(f.alone, f.x_alone, &alone), 0);
  assert_true(alone.ratio == 0.0 && alone.spring == 0);
  assert_int_equal(VecSetValue(f.x_alone, 3 * 48, NAN, INSERT_VALUES), 0);
  assert_int_equal(sb_system_longest_spring(f.alone, f.x_alone, &alone), 0);
  assert_true(isinf(alone.ratio) && (alone.ends[0] == 48 || alone.ends[1] == 48));
  close_net(&f);
}

PETSC_TEST_MAIN(springs_are_taken_over, slabs_make_the_system_of_the_whole_net, segments_pass_in_order,
                vertices_are_split_into_blocks, reading_brings_the_ghosts, forces_have_the_same_bits_on_all_ranks,
                local_steps_have_the_same_bits_on_all_ranks, forces_lower_the_energy,
                energies_are_the_sums_over_vertices_and_springs, pinned_vertices_are_left_alone,
                bounds_are_those_around_the_centre_of_mass, bounds_are_sharp, numbers_that_are_none_are_out_of_bounds,
                fronts_time_their_phases, extreme_springs_are_found)
