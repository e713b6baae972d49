/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The Hessian without a matrix - along a direction, times a vector, its blocks, its bound - against the assembled one,
 * which `potential` checks by differences; every kind of negative part, contact, pins, any number of ranks. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/minimize/block_kernels.h"
#include "solvers/minimize/descent.h"
#include "tests/minimize/world.h"

#define GENERIC "scene=cloth;grid=5;stiffness=40;h=0.05;perturbation=0.15;seed=3;initial_velocity=[0.3,-0.2,1.5]"

static const char *const variants[] = {
    GENERIC,
    GENERIC
    ";contact=penalty;contact_implicit=true;contact_stiffness=300;collider=sphere:centre=[0.1,0,-0.3],radius=0.6",
    GENERIC ";pin_method=penalty;pin_weight=500;pin_path=linear:velocity=[0,0,3]",
    GENERIC ";pin_method=row_replace",
    "scene=sphere;subdivisions=1;h=0.02;perturbation=0.2",
    "scene=rope;nodes=9;h=0.1;perturbation=20",
    GENERIC ";law=tension",
    GENERIC ";law=cubic;law_cubic=-9",
    GENERIC ";law=piecewise;law_knee=0.01;law_ratio=0.2;damping_in_step=0.01;pin_method=penalty;pin_weight=500",
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static const double kinds[] = {SB_HESSIAN_EXACT, SB_HESSIAN_PROJECTED, SB_HESSIAN_ABSOLUTE};

/* A state with springs of both signs, its assembled Hessian, and a direction that leaves replaced rows alone. */
typedef struct {
  world w;
  Mat   hessian;
  Vec   p, product, full;
} scene;

static void open_scene(scene *s, const char *variant)
{
  double *array;
  world_open_bare(&s->w, PETSC_COMM_WORLD, "%s", variant);
  const sb_system *system = s->w.system;
  OK(sb_potential_set_state(s->w.potential, 0, s->w.x, s->w.v));
  OK(sb_potential_start(s->w.potential, SB_START_COAST, s->w.z));
  OK(sb_system_create_block_matrix(s->w.system, &s->hessian));
  OK(sb_system_create_unknowns(system, &s->p));
  OK(sb_system_create_unknowns(system, &s->product));
  OK(sb_system_create_full(system, &s->full));
  OK(VecGetArray(s->p, &array));
  for (PetscInt f = 0; f < 3 * system->owned_unknown; ++f)
    array[f] = sin(7.0 * (double)(f + 3 * system->first_unknown) + 1);
  for (PetscInt n = 0; !sb_system_is_symmetric(system) && n < system->pinned_owned; ++n)
    for (int c = 0; c < 3; ++c) array[3 * (system->unknown_id[system->pin_vertex[n]] - system->first_unknown) + c] = 0;
  OK(VecRestoreArray(s->p, &array));
  OK(sb_system_set_unknowns(system, s->p, s->full));
}

static void close_scene(scene *s)
{
  OK(MatDestroy(&s->hessian));
  OK(VecDestroy(&s->p));
  OK(VecDestroy(&s->product));
  OK(VecDestroy(&s->full));
  world_close(&s->w);
}

/* p^T A p and A p; rows of pinned vertices that were replaced are no part of g. */
static double apply_matrix(scene *s, double negative)
{
  double           value, *array;
  const sb_system *system = s->w.system;
  OK(sb_potential_hessian(s->w.potential, negative, s->w.z, s->hessian));
  OK(MatMult(s->hessian, s->p, s->product));
  OK(VecDot(s->p, s->product, &value));
  OK(VecGetArray(s->product, &array));
  for (PetscInt n = 0; !sb_system_is_symmetric(system) && n < system->pinned_owned; ++n)
    for (int c = 0; c < 3; ++c) array[3 * (system->unknown_id[system->pin_vertex[n]] - system->first_unknown) + c] = 0;
  OK(VecRestoreArray(s->product, &array));
  return value;
}

/* The vectors of conjugate gradients whose next direction is p. */
static void open_vectors(const scene *s, sb_cg_vectors *cg)
{
  Vec *const all[] = {&cg->out, &cg->residual, &cg->scaled, &cg->direction, &cg->product};
  for (size_t v = 0; v < sizeof all / sizeof *all; ++v) OK(sb_system_create_full(s->w.system, all[v]));
  OK(VecCopy(s->full, cg->scaled));
}

static void close_vectors(sb_cg_vectors *cg)
{
  Vec *const all[] = {&cg->out, &cg->residual, &cg->scaled, &cg->direction, &cg->product};
  for (size_t v = 0; v < sizeof all / sizeof *all; ++v) OK(VecDestroy(all[v]));
}

/* |got (full) - want (unknowns)| <= tolerance |want| */
static void compare_unknowns(const scene *s, Vec got, Vec want, double tolerance)
{
  Vec    difference;
  double error, scale;
  OK(VecDuplicate(want, &difference));
  OK(sb_system_restrict(s->w.system, got, difference));
  OK(VecAXPY(difference, -1, want));
  OK(VecNorm(difference, NORM_2, &error));
  OK(VecNorm(want, NORM_2, &scale));
  assert_at_most(error, tolerance * scale);
  OK(VecDestroy(&difference));
}

/* From now on spring by spring, as nets without bands are. */
static void drop_bands(sb_system *system)
{
  if (system->law) sb_bands_destroy(&system->law->bands);
  if (!system->bands) return;
  sb_bands_destroy(&system->bands);
  if (!system->sum) OK(PetscMalloc1(3 * (size_t)(system->owned + system->ghosts), &system->sum));
}

/* Two turns, p and 3 p - p/2, times the assembled matrix, by bands and by pairs. */
static void test_products(void)
{
  for (int v = 0; v < VARIANTS; ++v)
    for (int k = 0; k < 4; ++k) {
      scene            s;
      sb_kept_hessian *kept;
      sb_cg_vectors    cg;
      double          *contact = NULL, curvature;
      open_scene(&s, variants[v]);
      open_vectors(&s, &cg);
      const double want = apply_matrix(&s, kinds[k % 2]), parts = s.w.system->springs_global + 1;
      if (k > 1) drop_bands(s.w.system);
      OK(sb_kept_hessian_create(s.w.system, &kept));
      OK(sb_potential_keep_hessian(s.w.potential, kinds[k % 2], s.w.z, kept, &contact));
      assert_true((contact != NULL) == (s.w.system->contact != NULL));
      OK(sb_potential_advance(s.w.potential, kept, contact, (sb_cg_turn){0}, &cg, &curvature));
      compare_unknowns(&s, cg.product, s.product, 1e-14);
      assert_at_most(fabs(curvature - want), 1e-14 * parts * fabs(want));
      OK(VecScale(cg.scaled, 3));
      OK(sb_potential_advance(s.w.potential, kept, contact, (sb_cg_turn){.alpha = 2, .beta = -0.5}, &cg, &curvature));
      assert_at_most(fabs(curvature - 6.25 * want), 1e-14 * parts * fabs(want));
      OK(VecScale(s.p, 2));
      compare_unknowns(&s, cg.out, s.p, 1e-15);
      OK(VecScale(s.product, 2.5));
      compare_unknowns(&s, cg.product, s.product, 1e-14);
      OK(PetscFree(contact));
      OK(sb_kept_hessian_destroy(&kept));
      close_vectors(&cg);
      close_scene(&s);
    }
}

/* p^T H p without negative parts, and what no H exceeds: p^T W p, with W by springs of length 0, which count k I/3. */
static void test_curvatures(void)
{
  for (int v = 0; v < VARIANTS; ++v) {
    scene  s;
    double projected, majorant;
    open_scene(&s, variants[v]);
    const double exact = apply_matrix(&s, SB_HESSIAN_EXACT), want = apply_matrix(&s, SB_HESSIAN_PROJECTED);
    OK(sb_potential_curvature(s.w.potential, SB_CURVATURE_PROJECTED, s.w.z, s.full, &projected));
    assert_at_most(fabs(projected - want), 1e-13 * want);
    const bool pushed = !strstr(variants[v], "tension"); /* some spring is compressed, and pushes */
    assert_at_most(exact, want * (pushed ? 1 - 1e-6 : 1));
    if (s.w.system->contact || s.w.system->pin_method == SB_PINS_PENALTY) {
      close_scene(&s);
      continue;
    }
    OK(VecZeroEntries(s.w.x));
    OK(sb_system_assemble_hessian(s.w.system, 0, 1 / (3 * s.w.h * s.w.h), s.w.x, s.hessian));
    OK(MatMult(s.hessian, s.p, s.product));
    OK(VecTDot(s.p, s.product, &majorant));
    OK(sb_potential_curvature(s.w.potential, SB_CURVATURE_MAJORANT, s.w.z, s.full, &projected));
    assert_at_most(fabs(projected - 3 * majorant), 1e-13 * projected);
    assert_at_most(want, projected);
    close_scene(&s);
  }
}

static PetscInt stride_of(const sb_system *system) { return (system->owned + 7) / 8 * 8; }

static void check_block(const scene *s, PetscInt unknown, const double *block)
{
  static const int upper[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
  const PetscInt   row = 3 * (s->w.system->first_unknown + unknown), stride = stride_of(s->w.system);
  for (PetscInt a = 0; a < 3; ++a)
    for (PetscInt b = 0; b < 3; ++b) {
      PetscScalar entry;
      OK(MatGetValue(s->hessian, row + a, row + b, &entry));
      const double is = block[upper[a][b] * stride], scale = block[upper[a][a] * stride] + block[upper[b][b] * stride];
      assert_at_most(fabs(entry - is), 1e-13 * fabs(scale));
    }
}

static void test_blocks(void)
{
  for (int v = 0; v < VARIANTS; ++v)
    for (int k = 0; k < 3; ++k) {
      scene s;
      open_scene(&s, variants[v]);
      const sb_system *system = s.w.system;
      double          *block = malloc(6 * (size_t)stride_of(system) * sizeof *block);
      assert_non_null(block);
      OK(sb_potential_hessian(s.w.potential, kinds[k], s.w.z, s.hessian));
      OK(sb_potential_hessian_blocks(s.w.potential, kinds[k], s.w.z, stride_of(system), block));
      for (PetscInt f = 0; f < system->owned_unknown; ++f) {
        const PetscInt i = system->unknown_vertex[f];
        if (!system->pinned[i] || sb_system_is_symmetric(system)) check_block(&s, f, block + i);
      }
      free(block);
      close_scene(&s);
    }
}

/* P x = v for a vector v of unknowns and the x (full) that block_jacobi made of it; 0 where there is no unknown. */
static void check_solution(const scene *s, Vec solution, Vec of)
{
  const sb_system *system = s->w.system;
  const double    *in, *out;
  double          *block = malloc(6 * (size_t)stride_of(system) * sizeof *block);
  assert_non_null(block);
  OK(sb_potential_hessian_blocks(s->w.potential, SB_HESSIAN_PROJECTED, s->w.z, stride_of(system), block));
  OK(VecGetArrayRead(of, &in));
  OK(VecGetArrayRead(solution, &out));
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double *x = out + 3 * i;
    double        b[6];
    for (int e = 0; e < 6; ++e) b[e] = block[e * stride_of(system) + i];
    const double b_x[3] = {b[0] * x[0] + b[1] * x[1] + b[2] * x[2], b[1] * x[0] + b[3] * x[1] + b[4] * x[2],
                           b[2] * x[0] + b[4] * x[1] + b[5] * x[2]};
    for (int c = 0; c < 3; ++c)
      if (system->unknown_id[i] < 0)
        assert_true(x[c] == 0);
      else
        assert_at_most(fabs(b_x[c] - in[3 * (system->unknown_id[i] - system->first_unknown) + c]), 1e-12);
  }
  OK(VecRestoreArrayRead(solution, &out));
  OK(VecRestoreArrayRead(of, &in));
  free(block);
}

/* P (P^-1 v) = v, by `apply`, and by `correct` for the residual v = p - 2 product. */
static void test_blocks_are_inverted(void)
{
  for (int v = 0; v < VARIANTS; ++v) {
    scene            s;
    sb_cg_vectors    cg;
    const sb_metric *metric = sb_metric_find("block_jacobi");
    void            *blocks = calloc(1, metric->state_bytes);
    sb_iteration     iteration = {0};
    sb_outcome       outcome;
    double           square, want;
    Vec              applied;
    open_scene(&s, variants[v]);
    open_vectors(&s, &cg);
    const sb_minimizer_setup setup = {.system = s.w.system, .options = s.w.options, .h_seconds = s.w.h};
    OK(VecDuplicate(s.p, &applied));
    OK(metric->prepare(blocks, &setup, &outcome));
    OK(metric->refresh(blocks, s.w.potential, s.w.z));
    OK(metric->apply(blocks, s.w.potential, s.w.z, s.p, applied, &iteration));
    OK(sb_system_set_unknowns(s.w.system, applied, cg.scaled));
    check_solution(&s, cg.scaled, s.p);
    OK(VecAXPBY(cg.residual, 3, 0, s.full));
    OK(VecCopy(s.full, cg.product));
    OK(VecSet(cg.scaled, 77));
    OK(metric->correct(blocks, 2, &cg, &iteration, &square));
    check_solution(&s, cg.scaled, s.p);
    OK(VecDot(cg.scaled, s.full, &want));
    assert_at_most(fabs(square - want), 1e-13 * want);
    OK(metric->destroy(blocks));
    OK(VecDestroy(&applied));
    free(blocks);
    close_vectors(&cg);
    close_scene(&s);
  }
}

/* to = (P^-1 - D^-1) from, the part of the coarse space; solved by `linear`. */
static void apply_coarse(const scene *s, sb_linear_solver *linear, Vec from, Vec to)
{
  const sb_minimizer_setup setup = {s->w.system, s->w.options, s->w.h, linear};
  static const char *const names[] = {"block_jacobi", "aggregates"};
  Vec                      part;
  OK(VecDuplicate(from, &part));
  for (int m = 0; m < 2; ++m) {
    const sb_metric *metric = sb_metric_find(names[m]);
    void            *state = calloc(1, metric->state_bytes);
    sb_iteration     iteration = {.linear.outcome = SB_SOLVED};
    sb_outcome       outcome = SB_SOLVED;
    assert_non_null(state);
    OK(metric->prepare(state, &setup, &outcome));
    OK(metric->refresh(state, s->w.potential, s->w.z));
    OK(metric->apply(state, s->w.potential, s->w.z, from, m == 0 ? part : to, &iteration));
    assert_true(sb_outcome_accepted(outcome) && sb_outcome_accepted(iteration.linear.outcome));
    OK(metric->destroy(state));
    free(state);
  }
  OK(VecAXPY(to, -1, part));
  OK(VecDestroy(&part));
}

static int order(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Aggregates have one value each: between six and twice sixteen vertices of the x coordinate have it, and some on a
 * rank with few. */
static void check_sizes(const scene *s, Vec coarse)
{
  const sb_system *system = s->w.system;
  const double    *array;
  double          *x = malloc(((size_t)system->owned_unknown + 1) * sizeof *x), scale;
  PetscInt         same = 1;
  assert_non_null(x);
  OK(VecNorm(coarse, NORM_INFINITY, &scale));
  OK(VecGetArrayRead(coarse, &array));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) x[f] = array[3 * f];
  OK(VecRestoreArrayRead(coarse, &array));
  qsort(x, (size_t)system->owned_unknown, sizeof *x, order);
  for (PetscInt f = 1; f <= system->owned_unknown; ++f) {
    if (f < system->owned_unknown && x[f] - x[f - 1] <= 1e-9 * scale) {
      ++same;
      continue;
    }
    if (sb_system_is_symmetric(system) && system->ranks == 1) assert_in_range(same, 6, 32);
    same = 1;
  }
  free(x);
}

/* C = P^-1 - D^-1 = R^T (R H+ R^T)^-1 R has C H+ C = C, whatever the aggregates are, on any number of ranks. With a law
 * that softens it has a bound of H+. */
static void test_coarse_space(void)
{
  for (int v = 0; v < VARIANTS; ++v) {
    scene             s;
    sb_linear_solver *linear;
    Vec               once, product, again;
    double            error, scale;
    open_scene(&s, variants[v]);
    const bool softens = s.w.system->law && s.w.system->law->bounds.softens;
    OK(sb_linear_solver_create(PETSC_COMM_WORLD, s.w.options, "", 1, NULL, &linear));
    OK(VecDuplicate(s.p, &once));
    OK(VecDuplicate(s.p, &product));
    OK(VecDuplicate(s.p, &again));
    OK(sb_potential_hessian(s.w.potential, SB_HESSIAN_PROJECTED, s.w.z, s.hessian));
    apply_coarse(&s, linear, s.p, once);
    check_sizes(&s, once);
    OK(MatMult(s.hessian, once, product));
    apply_coarse(&s, linear, product, again);
    OK(VecNorm(once, NORM_2, &scale));
    assert_true(scale > 0);
    OK(VecAXPY(again, -1, once));
    OK(VecNorm(again, NORM_2, &error));
    assert_at_most(error, softens ? scale : 1e-9 * scale);
    OK(VecDestroy(&once));
    OK(VecDestroy(&product));
    OK(VecDestroy(&again));
    OK(sb_linear_solver_destroy(&linear));
    close_scene(&s);
  }
}

extern const sb_list sb_preconditioners;

/* A metric of its own with its linear solver. */
typedef struct {
  const sb_metric  *metric;
  void             *state;
  sb_linear_solver *linear;
} opened;

static opened open_metric(const scene *s, const char *name, int columns)
{
  opened     o = {.metric = sb_metric_find(name)};
  sb_outcome outcome = SB_SOLVED;
  o.state = calloc(1, o.metric->state_bytes);
  assert_non_null(o.state);
  if (columns > 0) OK(sb_linear_solver_create(PETSC_COMM_WORLD, s->w.options, "", columns, NULL, &o.linear));
  const sb_minimizer_setup setup = {s->w.system, s->w.options, s->w.h, o.linear};
  OK(o.metric->prepare(o.state, &setup, &outcome));
  assert_true(sb_outcome_accepted(outcome));
  if (o.metric->begin) OK(o.metric->begin(o.state, s->w.potential, s->w.z));
  if (o.metric->refresh) OK(o.metric->refresh(o.state, s->w.potential, s->w.z));
  return o;
}

static PetscInt apply_opened(const scene *s, const opened *o, Vec in, Vec out)
{
  sb_iteration iteration = {.linear.outcome = SB_SOLVED};
  OK(o->metric->apply(o->state, s->w.potential, s->w.z, in, out, &iteration));
  assert_true(sb_outcome_accepted(iteration.linear.outcome));
  return iteration.linear.iterations;
}

static void close_metric(opened *o)
{
  OK(o->metric->destroy(o->state));
  free(o->state);
  OK(sb_linear_solver_destroy(&o->linear));
}

/* x = truncated conjugate gradients on A x = p from the textbook, with eta = 1/2. Returns the iterations. */
static PetscInt truncate(const scene *s, const opened *q, Vec x)
{
  Vec        r, z, p, product;
  double     square, next, most, curvature;
  PetscInt   count = 0;
  Vec *const all[] = {&r, &z, &p, &product};
  for (int v = 0; v < 4; ++v) OK(VecDuplicate(x, all[v]));
  OK(VecZeroEntries(x));
  OK(VecCopy(s->p, r));
  apply_opened(s, q, r, z);
  OK(VecCopy(z, p));
  OK(VecDot(r, z, &square));
  for (most = square / 4; square > most; ++count) {
    OK(MatMult(s->hessian, p, product));
    OK(VecDot(p, product, &curvature));
    if (curvature <= 0) break;
    OK(VecAXPY(x, square / curvature, p));
    OK(VecAXPY(r, -square / curvature, product));
    apply_opened(s, q, r, z);
    OK(VecDot(r, z, &next));
    OK(VecAYPX(p, next / square, z));
    square = next;
  }
  if (count == 0) OK(VecCopy(p, x));
  for (int v = 0; v < 4; ++v) OK(VecDestroy(all[v]));
  return count;
}

/* The first solve against the textbook with the assembled matrix, exact or projected; then one that goes on until the
 * residual is 1e-12, as |G| has become small. Adds its iterations to those seen. The net is scaled to `size`: a small
 * one has negative curvature nearly everywhere. */
static void solve_by_cg(const char *variant, const char *preconditioner, bool exact, double size, bool seen[3])
{
  scene  s;
  char   options[400];
  Vec    x, want;
  double error, scale;
  snprintf(options, sizeof options, "%s;preconditioner=%s;cg_hessian=%s", variant, preconditioner,
           exact ? "exact" : "projected");
  open_scene(&s, options);
  OK(VecScale(s.w.z, size));
  const int columns = sb_metric_find(preconditioner)->columns;
  opened    cg = open_metric(&s, "truncated_cg", columns), inner = open_metric(&s, preconditioner, columns);
  OK(VecDuplicate(s.p, &x));
  OK(VecDuplicate(s.p, &want));
  OK(sb_potential_hessian(s.w.potential, exact ? SB_HESSIAN_EXACT : SB_HESSIAN_PROJECTED, s.w.z, s.hessian));
  const PetscInt count = truncate(&s, &inner, want);
  assert_int_equal(apply_opened(&s, &cg, s.p, x), count);
  seen[PetscMin(count, 2)] = true;
  OK(VecNorm(want, NORM_2, &scale));
  OK(VecAXPY(x, -1, want));
  OK(VecNorm(x, NORM_2, &error));
  assert_at_most(error, 1e-9 * scale);
  OK(VecScale(s.p, 1e-24));
  apply_opened(&s, &cg, s.p, x);
  OK(VecNorm(s.p, NORM_2, &scale));
  OK(MatMult(s.hessian, x, want));
  OK(VecAXPY(want, -1, s.p));
  OK(VecNorm(want, NORM_2, &error));
  if (!exact) assert_at_most(error, 1e-9 * scale);
  close_metric(&cg);
  close_metric(&inner);
  OK(VecDestroy(&x));
  OK(VecDestroy(&want));
  close_scene(&s);
}

static void test_conjugate_gradients(void)
{
  bool seen[3] = {false};
  for (int v = 0; v < VARIANTS; ++v)
    for (size_t n = 0; n < sb_preconditioners.count; ++n)
      for (int kind = 0; kind < 3 && !strstr(variants[v], "row_replace"); ++kind)
        solve_by_cg(variants[v], sb_preconditioners.entries[n]->name, kind > 0, kind == 2 ? 0.2 : 1, seen);
  assert_true(seen[0] && seen[1] && seen[2]); /* iterations: none, one, more */
}

static const sb_block_kernels *const tables[] = SB_TABLES(sb_block);
enum { MOST = 300 };

/* correct() of `vertices` vertices, from numbers by their place; returns the sum. */
static double correct_vertices(int set, int vertices, int threads, double *residual, double *scaled)
{
  static double   entry[6 * MOST], sums[8 * (MOST / SB_BLOCK_CHUNK + 1)], product[3 * MOST];
  const sb_blocks blocks = {vertices, threads, MOST, entry, sums};
  for (int i = 0; i < 6 * MOST; ++i) entry[i] = sin(3.0 * i);
  for (int i = 0; i < 3 * MOST; ++i) {
    product[i] = sin(5.0 * i);
    residual[i] = sin(7.0 * i);
    scaled[i] = 77;
  }
  return tables[set]->correct(&blocks, 0.3, product, residual, scaled);
}

/* Any number of vertices, on every instruction set, by any number of threads. */
static void test_corrections_have_the_same_bits(void)
{
  static const int counts[] = {1, 3, 7, 8, 9, 127, 128, 129, 135, 136, 257, 291};
  for (size_t n = 0; n < sizeof counts / sizeof *counts; ++n) {
    double       residual[3 * MOST], scaled[3 * MOST], r[3 * MOST], s[3 * MOST], dot = 0;
    const double sum = correct_vertices(SB_PORTABLE, counts[n], 1, residual, scaled);
    for (int i = 0; i < 3 * counts[n]; ++i) dot += residual[i] * scaled[i];
    assert_at_most(fabs(sum - dot), 1e-14 * 3 * counts[n]);
    for (int set = SB_PORTABLE; set <= (int)sb_instruction_set_best(); ++set)
      for (int threads = 1; threads <= 3; ++threads) {
        const double again = correct_vertices(set, counts[n], threads, r, s);
        assert_memory_equal(&again, &sum, sizeof sum);
        assert_memory_equal(r, residual, sizeof r);
        assert_memory_equal(s, scaled, sizeof s); /* and 77 behind the last one */
      }
  }
}

/* A bound, and no idle one: Gershgorin's rows of these nets are at most twice the largest eigenvalue of W. */
static void test_bound(void)
{
  for (int v = 0; v < VARIANTS; ++v) {
    scene  s;
    double most, largest = 0, norm = 1;
    open_scene(&s, variants[v]);
    OK(sb_system_bound_hessian(s.w.system, 1 / (s.w.h * s.w.h), &most));
    if (s.w.system->contact) most += sb_contact_bound(s.w.system->contact);
    for (int k = 0; k < 200; ++k) { /* power iteration */
      OK(VecScale(s.p, 1 / norm));
      apply_matrix(&s, SB_HESSIAN_PROJECTED);
      OK(VecDot(s.p, s.product, &largest));
      OK(VecNorm(s.product, NORM_2, &norm));
      OK(VecCopy(s.product, s.p));
    }
    assert_at_most(largest, most);
    assert_at_most(most, 4 * largest);
    close_scene(&s);
  }
}

PETSC_TEST_MAIN(test_products, test_curvatures, test_blocks, test_blocks_are_inverted, test_coarse_space,
                test_conjugate_gradients, test_corrections_have_the_same_bits, test_bound)
