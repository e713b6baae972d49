/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The incremental potential: its target by formula, its value by hand, its gradient and Hessian by differences, and the
 * identity that ties projective dynamics to it, A z - rhs(z) = h^2 grad g(z). */
#include "tests/minimize/world.h"

#include <math.h>
#include <stdlib.h>

/* Springs both stretched and compressed, everything moving, drag, pins. */
#define GENERIC                                                                                                        \
  "scene=cloth;grid=3;stiffness=40;h=0.05;perturbation=0.1;seed=3;initial_velocity=[0.3,-0.2,1.5];drag=0.02"

/* With each part of g that derivatives must know. */
static const char *const variants[] = {
    GENERIC,
    GENERIC
    ";contact=penalty;contact_implicit=true;contact_stiffness=300;collider=sphere:centre=[0.1,0,-0.3],radius=0.6",
    GENERIC ";contact=combined;contact_implicit=true;contact_stiffness=300;collider_path=linear:velocity=[0,1,2];"
            "collider=capsule:start=[-1,0,-0.4],end=[1,0.2,-0.4],radius=0.4",
    GENERIC ";pin_method=penalty;pin_weight=500;pin_path=linear:velocity=[0,0,3]",
    GENERIC ";pin_method=row_replace;pin_path=linear:velocity=[0,0,3]",
    GENERIC ";pin_method=constraint_force;pin_path=linear:velocity=[0,0,3]",
    GENERIC ";law=tension;damping_in_step=0.07",
    GENERIC ";law=cubic;law_cubic=-9;pin_path=linear:velocity=[0,0,3]",
    GENERIC ";law=piecewise;law_knee=0.01;law_ratio=0",
    GENERIC ";law=exponential;contact=penalty;contact_implicit=true;collider=sphere:centre=[0.1,0,-0.3],radius=0.6",
    GENERIC ";law=formula;law_energy=k*(r-l)^2*(0.5-r/9);law_force=k*(r-l)*(1-2*r/9-(r-l)/9);"
            "law_stiffness=k*(1-2*r/9-4*(r-l)/9);damping_in_step=0.07",
};
enum { VARIANTS = sizeof variants / sizeof variants[0] };

static void test_target_and_starts(void)
{
  world w;
  world_open_bare(&w, PETSC_COMM_WORLD, GENERIC);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  double *x = world_gather(&w, w.x), *v = world_gather(&w, w.v), *start[3];
  for (int s = 0; s < 3; ++s) {
    OK(sb_potential_start(w.potential, (sb_start)s, w.z));
    start[s] = world_gather(&w, w.z);
  }
  const double gravity[3] = {0, 0, -9.8}, h = w.h;
  for (size_t c = 0; c < 3 * w.pose.vertices; ++c) {
    const bool   pinned = w.pose.pinned[c / 3];
    const double coast = pinned ? x[c] : x[c] + h * v[c];
    const double y = pinned ? x[c] : coast + h * h * (gravity[c % 3] - 0.02 * v[c] / w.pose.mass[c / 3]);
    assert_at_most(fabs(start[SB_START_INERTIAL][c] - y), 1e-15);
    assert_at_most(fabs(start[SB_START_COAST][c] - coast), 1e-15);
    assert_at_most(fabs(start[SB_START_PREVIOUS][c] - x[c]), 0);
  }
  for (int s = 0; s < 3; ++s) free(start[s]);
  free(x);
  free(v);
  world_close(&w);
}

static void test_value_of_one_spring(void)
{
  world w;
  /* z = (1.5, 0, 0), y = (1.5, 0.2, 0), k = 4, l = 1, m = 1: g = 0.2^2/(2 0.1^2) + 1/2 4 0.5^2 */
  world_open_bare(&w, PETSC_COMM_WORLD, "scene=oscillator;amplitude=0.5;initial_velocity=[0,2,0];h=0.1");
  double value;
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(sb_potential_start(w.potential, SB_START_PREVIOUS, w.z));
  OK(sb_potential_value(w.potential, w.z, &value));
  assert_at_most(fabs(value - 2.5), 1e-14);
  world_close(&w);
}

/* A random direction over unknown vertices, the same on any number of ranks but for its distribution. */
static Vec direction(const world *w)
{
  Vec     p;
  double *array;
  OK(sb_system_create_unknowns(w->system, &p));
  OK(VecGetArray(p, &array));
  for (PetscInt f = 0; f < 3 * w->system->owned_unknown; ++f)
    array[f] = sin(7.0 * (double)(f + 3 * w->system->first_unknown) + 1);
  /* replaced rows are no derivatives: their vertices do not move */
  for (PetscInt n = 0; !sb_system_is_symmetric(w->system) && n < w->system->pinned_owned; ++n) {
    const PetscInt own = w->system->unknown_id[w->system->pin_vertex[n]] - w->system->first_unknown;
    array[3 * own] = array[3 * own + 1] = array[3 * own + 2] = 0;
  }
  OK(VecRestoreArray(p, &array));
  return p;
}

static void check_gradient(const char *variant)
{
  world w;
  world_open_bare(&w, PETSC_COMM_WORLD, "%s", variant);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(sb_potential_start(w.potential, SB_START_COAST, w.z));
  const double epsilon = 6e-6;
  Vec          p = direction(&w), gradient;
  double       slope, up, down, scale, length;
  OK(sb_system_create_unknowns(w.system, &gradient));
  OK(sb_potential_gradient(w.potential, w.z, gradient));
  OK(VecDot(gradient, p, &slope));
  OK(VecNorm(gradient, NORM_2, &scale));
  OK(VecNorm(p, NORM_2, &length));
  OK(sb_system_add_unknowns(w.system, epsilon, p, w.z));
  OK(sb_potential_value(w.potential, w.z, &up));
  OK(sb_system_add_unknowns(w.system, -2 * epsilon, p, w.z));
  OK(sb_potential_value(w.potential, w.z, &down));
  assert_at_most(fabs((up - down) / (2 * epsilon) - slope), 1e-8 * scale * length);
  OK(VecDestroy(&gradient));
  OK(VecDestroy(&p));
  world_close(&w);
}

static void test_gradient_by_differences(void)
{
  for (int i = 0; i < VARIANTS; ++i) check_gradient(variants[i]);
}

static void check_hessian(const char *variant)
{
  world w;
  world_open_bare(&w, PETSC_COMM_WORLD, "%s", variant);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(sb_potential_start(w.potential, SB_START_COAST, w.z));
  const double epsilon = 6e-6;
  Vec          p = direction(&w), product, up, down;
  Mat          hessian;
  double       scale, error;
  OK(VecDuplicate(p, &product));
  OK(VecDuplicate(p, &up));
  OK(VecDuplicate(p, &down));
  OK(sb_system_create_block_matrix(w.system, &hessian));
  OK(sb_potential_hessian(w.potential, SB_HESSIAN_EXACT, w.z, hessian));
  OK(MatMult(hessian, p, product));
  OK(VecNorm(product, NORM_2, &scale));
  OK(sb_system_add_unknowns(w.system, epsilon, p, w.z));
  OK(sb_potential_gradient(w.potential, w.z, up));
  OK(sb_system_add_unknowns(w.system, -2 * epsilon, p, w.z));
  OK(sb_potential_gradient(w.potential, w.z, down));
  /* product - (up - down)/(2 epsilon) */
  OK(VecAXPY(up, -1, down));
  OK(VecAXPY(product, -1 / (2 * epsilon), up));
  OK(VecNorm(product, NORM_2, &error));
  assert_at_most(error, 1e-7 * scale);
  OK(MatDestroy(&hessian));
  OK(VecDestroy(&product));
  OK(VecDestroy(&up));
  OK(VecDestroy(&down));
  OK(VecDestroy(&p));
  world_close(&w);
}

static void test_hessian_by_differences(void)
{
  for (int i = 0; i < VARIANTS; ++i) check_hessian(variants[i]);
}

/* product (unknowns) = A z, the scalar matrix applied to each of three interleaved columns */
static void multiply_columns(Mat A, Vec z, Vec product)
{
  Vec in, out;
  OK(MatCreateVecs(A, &in, &out));
  for (PetscInt c = 0; c < 3; ++c) {
    OK(VecStrideGather(z, c, in, INSERT_VALUES));
    OK(MatMult(A, in, out));
    OK(VecStrideScatter(out, c, product, INSERT_VALUES));
  }
  OK(VecDestroy(&in));
  OK(VecDestroy(&out));
}

static void check_right_hand_side(const char *variant)
{
  world w;
  world_open_bare(&w, PETSC_COMM_WORLD, "%s", variant);
  OK(sb_potential_set_state(w.potential, 0, w.x, w.v));
  OK(sb_potential_start(w.potential, SB_START_COAST, w.z));
  Vec    constant, rhs, unknown, product;
  Mat    A;
  double error, scale;
  OK(sb_system_create_unknowns(w.system, &constant));
  OK(sb_system_create_unknowns(w.system, &rhs));
  OK(sb_system_create_unknowns(w.system, &unknown));
  OK(sb_system_create_unknowns(w.system, &product));
  OK(sb_system_create_scalar_matrix(w.system, w.h, &A));
  OK(sb_potential_constant_right_hand_side(w.potential, w.z, constant));
  OK(sb_potential_local_right_hand_side(w.potential, constant, w.z, rhs));
  OK(sb_system_restrict(w.system, w.z, unknown));
  multiply_columns(A, unknown, product);
  OK(VecNorm(product, NORM_2, &scale));
  OK(VecAXPY(product, -1, rhs));
  OK(sb_potential_gradient(w.potential, w.z, rhs));
  OK(VecAXPY(product, -w.h * w.h, rhs));
  OK(VecNorm(product, NORM_2, &error));
  assert_at_most(error, 1e-14 * scale);
  OK(MatDestroy(&A));
  OK(VecDestroy(&constant));
  OK(VecDestroy(&rhs));
  OK(VecDestroy(&unknown));
  OK(VecDestroy(&product));
  world_close(&w);
}

static void test_projective_right_hand_side(void)
{
  const int local[] = {0, 3, 4}; /* contact in g is Newton's alone */
  for (int i = 0; i < 3; ++i) check_right_hand_side(variants[local[i]]);
}

PETSC_TEST_MAIN(test_target_and_starts, test_value_of_one_spring, test_gradient_by_differences,
                test_hessian_by_differences, test_projective_right_hand_side)
