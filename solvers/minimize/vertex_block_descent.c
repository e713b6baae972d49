/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Vertex block descent (Chen, Liu, Yang, Yuksel 2024): Gauss-Seidel over vertices, each by one step of Newton's method
 * on g as a function of only its place,
 *
 *     B_i dz_i = -grad_i g,   B_i = m_i/h^2 I + sum_s k_s (u u^T + c (I - u u^T)),   c = 1 - l/r, with c unchanged
 * (exact), 0 where it is negative (projected), or 1 (laplacian). With 1 B_i majorises, and g never rises. If contact is
 * part of g, B_i has k_c n n^T of each collider that the vertex is in. An iteration is a pass. Successive
 * over-relaxation takes vbd_omega of every step. With a vbd_rho above 0 Chebyshev's weights accelerate passes (Wang
 * 2015): z <- w (q - z') + z', q what the pass made, z' the iterate before the last. */
#include <math.h>

#include "model/maths/vector3.h"
#include "model/system/flops.h"
#include "solvers/minimize/incidence.h"
#include "solvers/minimize/on_device.h"

typedef struct {
  sb_system     *system;
  sb_on_device  *device; /* NULL: none */
  sb_device_pass there;
  sb_incidence   incidence;
  sb_visits      visits;
  int            kind;       /* BLOCKS_... */
  double         rho, omega; /* Chebyshev's */
  double         part;       /* vbd_omega */
  PetscInt       passes;
  Vec            place;         /* full: y with the effect of a load */
  Vec            last, present; /* full: the iterates before; only where rho > 0 */
} vertex_block_descent;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  vertex_block_descent *v = state;
  const sb_options     *options = setup->options;

  PetscFunctionBeginUser;
  v->system = setup->system;
  v->kind = SB_IS(options, vbd_block, "exact")       ? BLOCKS_EXACT
            : SB_IS(options, vbd_block, "laplacian") ? BLOCKS_LAPLACIAN
                                                     : BLOCKS_PROJECTED;
  v->rho = SB_REAL(options, vbd_rho);
  v->part = SB_HAS(options, vbd_omega) ? SB_REAL(options, vbd_omega) : 1;
  PetscCall(sb_incidence_create(v->system, &v->incidence));
  PetscCall(sb_visits_of_vertices(v->system, &v->incidence, SB_IS(options, visits, "colours"), &v->visits));
  PetscCall(sb_system_create_full(v->system, &v->place));
  v->device = sb_vec_device(v->place);
  if (v->device) {
    v->there = (sb_device_pass){.colours = v->visits.colours, .start = v->visits.start};
    PetscCall(sb_device_pass_create(v->device, v->visits.count, v->visits.at, v->visits.count, NULL, &v->there));
  }
  if (v->rho > 0) PetscCall(sb_system_create_full(v->system, &v->last));
  if (v->rho > 0) PetscCall(sb_system_create_full(v->system, &v->present));
  *outcome = SB_SOLVED;
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  PetscFunctionBeginUser;
  (void)potential;
  (void)z;
  ((vertex_block_descent *)state)->passes = 0;
  PetscFunctionReturn(0);
}

/* The same as add_springs for another law, block E'' u u^T + (E'/r)(I - u u^T), each part projected by itself. */
static void add_tangents(const vertex_block_descent *v, const double *z, PetscInt i, double force[3], double block[6])
{
  const sb_incidence *n = &v->incidence;
  const double       *bound = sb_system_bounds_of_springs(v->system);
  for (PetscInt e = n->start[i]; e < n->start[i + 1]; ++e) {
    const double *a = z + 3 * i, *b = z + 3 * n->other[e], d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double  r = sqrt(sb_dot(d, d)), least = v->kind == BLOCKS_EXACT ? -INFINITY : 0;
    double        first, along, across;
    sb_law_slopes(v->system->law, (int)n->spring[e], r, &first, &along);
    across = fmax(first / r, least);
    along = fmax(along, least);
    if (r == 0 || v->kind == BLOCKS_LAPLACIAN) along = across = bound[n->spring[e]];
    for (int p = 0, at = 0; p < 3; ++p) {
      force[p] -= r == 0 ? 0 : first / r * d[p];
      for (int q = p; q < 3; ++q, ++at)
        block[at] += (r == 0 ? 0 : (along - across) / (r * r) * d[p] * d[q]) + (p == q ? across : 0);
    }
  }
}

/* -grad_i E and the block of springs, added to (xx xy xz yy yz zz) in `block`. */
static void add_springs(const vertex_block_descent *v, const double *z, PetscInt i, double force[3], double block[6])
{
  const sb_incidence *n = &v->incidence;
  for (PetscInt e = n->start[i]; e < n->start[i + 1]; ++e) {
    const double *a = z + 3 * i, *b = z + 3 * n->other[e], k = n->stiffness[e], l = n->rest_length[e];
    const double  d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double  square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2], part = square == 0 ? 0 : 1 - l / sqrt(square);
    const double  c = v->kind == BLOCKS_LAPLACIAN ? 1 : v->kind == BLOCKS_PROJECTED && part < 0 ? 0 : part;
    const bool    point = square == 0; /* no direction: as in model/system/assembly.h */
    const double  across = point ? (l == 0 || v->kind == BLOCKS_LAPLACIAN ? k : k / 3) : k * c;
    const double  along = point ? 0 : k * (1 - c) / square;
    for (int p = 0, at = 0; p < 3; ++p) {
      force[p] -= k * part * d[p];
      for (int q = p; q < 3; ++q, ++at) block[at] += along * d[p] * d[q] + (p == q ? across : 0);
    }
  }
}

/* The colliders' push on vertex i, and their part of the block. */
static void add_contact(const vertex_block_descent *v, double t_seconds, const double *z, PetscInt i, double force[3],
                        double block[6])
{
  const sb_contact_points here = {1, v->system->pinned + i, NULL, z + 3 * i};
  const double            negative = v->kind == BLOCKS_EXACT ? SB_HESSIAN_EXACT : SB_HESSIAN_PROJECTED;
  sb_contact_add_forces(v->system->contact, t_seconds, &here, force);
  sb_contact_add_hessian(v->system->contact, t_seconds, negative, &here, block);
}

static void pass_over(const vertex_block_descent *v, const sb_potential *potential, const double *place, double *z)
{
  const double square = potential->h_seconds * potential->h_seconds;
  const bool   touches = v->system->contact && sb_contact_is_implicit(v->system->contact);
  for (PetscInt n = 0; n < v->visits.count; ++n) {
    const PetscInt i = v->visits.at[n];
    const double   weight = v->system->mass[i] / square;
    double         force[3], block[6] = {weight, 0, 0, weight, 0, weight};
    for (int c = 0; c < 3; ++c) force[c] = -weight * (z[3 * i + c] - place[3 * i + c]);
    if (v->system->law)
      add_tangents(v, z, i, force, block);
    else
      add_springs(v, z, i, force, block);
    if (touches) add_contact(v, potential->end_seconds, z, i, force, block);
    for (int c = 0; c < 3; ++c) force[c] *= v->part; /* 1 changes no bit */
    sb_add_solution(block, force, z + 3 * i);
  }
}

static PetscErrorCode pass(const vertex_block_descent *v, const sb_potential *potential, Vec z)
{
  const double *place;
  double       *array;

  PetscFunctionBeginUser;
  if (v->device) {
    PetscCall(sb_on_device_visit_vertices(&v->there, v->kind, v->part, v->place, z));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArrayRead(v->place, &place));
  PetscCall(VecGetArray(z, &array));
  pass_over(v, potential, place, array);
  PetscCall(VecRestoreArray(z, &array));
  PetscCall(VecRestoreArrayRead(v->place, &place));
  PetscFunctionReturn(0);
}

/* Moves z, the result of a pass over `present`, further along the way from the iterate before that. */
static PetscErrorCode accelerate(vertex_block_descent *v, Vec z)
{
  PetscFunctionBeginUser;
  const double square = v->rho * v->rho;
  v->omega = v->passes == 0 ? 1 : v->passes == 1 ? 2 / (2 - square) : 4 / (4 - square * v->omega);
  if (v->passes > 0) PetscCall(VecAXPBY(z, 1 - v->omega, v->omega, v->last));
  PetscCall(VecCopy(v->present, v->last));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  vertex_block_descent *v = state;
  bool                  finite = true;

  PetscFunctionBeginUser;
  iteration->linear = (sb_solve_report){.outcome = SB_SOLVED, .reason = ""};
  if (v->passes == 0) PetscCall(sb_potential_free_flight(potential, z, v->place, &finite));
  if (!finite) {
    iteration->linear = (sb_solve_report){.outcome = SB_NOT_FINITE, .reason = "the start is not finite"};
    PetscFunctionReturn(0);
  }
  if (v->rho > 0) PetscCall(VecCopy(z, v->present));
  PetscCall(pass(v, potential, z));
  PetscCall(sb_log_pass(v->system, SB_OPERATION_PASS, SB_FLOPS_VERTICES));
  if (v->rho > 0) PetscCall(accelerate(v, z));
  v->passes++;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  vertex_block_descent *v = state;

  PetscFunctionBeginUser;
  PetscCall(sb_incidence_destroy(&v->incidence));
  if (v->device) PetscCall(sb_device_pass_destroy(v->device, &v->there));
  PetscCall(sb_visits_destroy(&v->visits));
  PetscCall(VecDestroy(&v->place));
  PetscCall(VecDestroy(&v->last));
  PetscCall(VecDestroy(&v->present));
  PetscFunctionReturn(0);
}

static const char *refuses_law(const sb_options *options)
{
  return isfinite(sb_law_bounds_of(options).most) || !SB_IS(options, vbd_block, "laplacian")
             ? NULL
             : "vbd_block=laplacian needs an upper bound of E'', which the law does not have; give vbd_block=projected";
}

const sb_minimizer_method sb_minimizer_vertex_block_descent = {
    .name = "vertex_block_descent",
    .summary = "Gauss-Seidel over vertices, each by a Newton step in its own place",
    .uses = "visits vbd_block vbd_omega vbd_rho",
    .reads = "contact_implicit",
    .traits = SB_ONE_RANK | SB_REDUCED_PINS | SB_IMPLICIT_CONTACT | SB_ON_DEVICE,
    .refuses_law = refuses_law,
    .state_bytes = sizeof(vertex_block_descent),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
