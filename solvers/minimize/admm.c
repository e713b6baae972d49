/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ADMM (Narain, Overby, Brown 2016; Overby, Brown, Li, Narain 2017) on g = inertia + sum E_s(v_s) under v_s = d_s, the
 * springs' vectors, with weights rho k_s (the papers' w^2) and scaled multipliers u_s, which start from 0 in every
 * step:
 *
 *     local    a = d + u,  v = ((l + rho |a|)/(1 + rho)) a/|a|,  u = a - v       for every spring
 *     global   (M + h^2 rho L) z = M y + h^2 rho sum k A (v - u)
 *
 * If z no longer changes, rho k u is each spring's force, and z is a minimum of g. It does not descend on its way. With
 * rho = 1 its matrix is that of local-global, and its rate as well. rho = 1/4, w = sqrt(k)/2 of the papers, needs a
 * fourth of the iterations where h^2 k/m allows it. With too small a rho it does not converge. A spring with a = 0 has
 * no direction: v = 0.
 *
 * If contact is part of g, every free vertex has a term, from a = z + u, and the matrix h^2 rho k_c on its diagonal,
 * touching or not. v is the proximal point of all colliders together,
 *
 *     v = argmin P,   P(v) = 1/2 sum_c depth_c(v)^2 + rho/2 |v - a|^2.
 *
 * With one collider it is a + depth(a)/(1 + rho) n. With several it has no closed form, since colliders that do not
 * touch a may touch v, and normals of curved ones turn. It is found by steps s to the minimum of P for planes,
 *
 *     (rho I + sum n n^T) s = sum depth n - rho (v - a)      over the colliders that v is in,
 *
 * halved until P does not rise. If all are planes, the last step is exact. */
#include <math.h>
#include <string.h>

#include "model/maths/vector3.h"
#include "model/system/flops.h"
#include "solvers/minimize/minimizer_method.h"

/* Steps to a proximal point, which end with one that is smaller than |v - a| by this factor. */
enum { PROXIMAL_STEPS_MAX = 50, HALVINGS_MAX = 30 };
static const double last_step = 1e-10;

typedef struct {
  sb_system        *system;
  sb_linear_solver *linear;
  Mat               matrix;
  double            rho;
  double           *multiplier;        /* [springs][3]: u, m */
  double           *contact;           /* [owned][3]: u of contact, m; NULL: contact is not part of g */
  double            contact_stiffness; /* N/m */
  size_t            colliders;
  double           *sum; /* [owned + ghosts][3] scratch */
  Vec               constant, coupling, rhs, unknown;
} admm;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  admm      *a = state;
  sb_system *system = setup->system;

  PetscFunctionBeginUser;
  a->system = system;
  a->linear = setup->linear;
  a->rho = SB_REAL(setup->options, admm_weight);
  PetscCall(PetscMalloc2(3 * (size_t)system->springs.count, &a->multiplier,
                         3 * (size_t)(system->owned + system->ghosts), &a->sum));
  PetscCall(sb_system_create_unknowns(system, &a->constant));
  PetscCall(sb_system_create_unknowns(system, &a->coupling));
  PetscCall(sb_system_create_unknowns(system, &a->rhs));
  PetscCall(sb_system_create_unknowns(system, &a->unknown));
  PetscCall(sb_system_create_scalar_matrix(system, setup->h_seconds * sqrt(a->rho), &a->matrix));
  if (system->contact && sb_contact_is_implicit(system->contact)) {
    a->contact_stiffness = SB_REAL(setup->options, contact_stiffness);
    sb_contact_colliders(system->contact, &a->colliders);
    PetscCall(PetscCalloc1(3 * (size_t)system->owned, &a->contact));
    PetscCall(MatShift(a->matrix, a->rho * setup->h_seconds * setup->h_seconds * a->contact_stiffness));
  }
  PetscCall(sb_linear_solver_set_matrix(a->linear, a->matrix, SB_NEW_PATTERN, true, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  admm *a = state;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(a->multiplier, 3 * (size_t)a->system->springs.count));
  if (a->contact) PetscCall(PetscArrayzero(a->contact, 3 * (size_t)a->system->owned));
  PetscCall(sb_potential_constant_right_hand_side(potential, z, a->constant));
  PetscCall(VecZeroEntries(a->coupling)); /* contribution of pinned ends, with a weight of 1 */
  PetscCall(sb_system_add_pinned_coupling(a->system, potential->h_seconds, z, a->coupling));
  PetscCall(VecAXPY(a->constant, a->rho - 1, a->coupling));
  PetscCall(sb_system_restrict(a->system, z, a->unknown));
  PetscFunctionReturn(0);
}

/* |v| of the proximal point of a law's E, the root of E'(r) + rho w (r - target), which rises: Newton's method in a
 * bracket, which is halved where a step leaves it. w is the bound of E''. E' is not negative at `high`. */
static double find_length(const admm *a, int spring, double target)
{
  sb_law      *law = a->system->law;
  const double weight = a->rho * law->bound[spring];
  double       low = 0, high = fmax(target, fmax(law->given->rest_length[spring], law->start[spring])), r = target;
  for (int n = 0; n < PROXIMAL_STEPS_MAX && low < high; ++n) {
    double first, second;
    sb_law_slopes(law, spring, r, &first, &second);
    const double value = first + weight * (r - target), step = value / (second + weight);
    *(value < 0 ? &low : &high) = r;
    const double next = r - step >= low && r - step <= high ? r - step : 0.5 * (low + high);
    if (fabs(next - r) <= 1e-15 * next) return next;
    r = next;
  }
  return r;
}

/* sum = sum k A (v - u), of this rank's springs; updates u. k is the bound of E'' of other laws than Hooke's. */
static void project_springs(const admm *a, const double *restrict position)
{
  const sb_springs *springs = &a->system->springs;
  const double     *weight = sb_system_bounds_of_springs(a->system);
  for (int s = 0; s < springs->count; ++s) {
    const long i = 3 * (long)springs->first[s], j = 3 * (long)springs->second[s];
    double *restrict u = a->multiplier + 3 * (long)s;
    double target[3];
    for (int c = 0; c < 3; ++c) target[c] = position[i + c] - position[j + c] + u[c];
    const double r = sqrt(target[0] * target[0] + target[1] * target[1] + target[2] * target[2]);
    const double stay = r == 0           ? 0
                        : a->system->law ? find_length(a, s, r) / r
                                         : (springs->rest_length[s] / r + a->rho) / (1 + a->rho); /* v = stay a */
    for (int c = 0; c < 3; ++c) {
      u[c] = target[c] - stay * target[c];
      const double pull = weight[s] * (stay * target[c] - u[c]);
      a->sum[i + c] += pull;
      a->sum[j + c] -= pull;
    }
  }
}

/* k_c P(v) of the target a, J. */
static double proximal_value(const admm *a, double t_seconds, const double target[3], const double v[3])
{
  const bool              pinned = false;
  const sb_contact_points here = {1, &pinned, NULL, v};
  double                  d[3];
  sb_subtract(v, target, d);
  return sb_contact_energy(a->system->contact, t_seconds, &here) + 0.5 * a->rho * a->contact_stiffness * sb_dot(d, d);
}

/* step = (rho I + sum n n^T)^-1 (sum depth n - rho (v - a)) over the colliders that v is in. */
static void proximal_step(const admm *a, double t_seconds, const double target[3], const double v[3], double step[3])
{
  const double            weight = a->rho * a->contact_stiffness;
  const bool              pinned = false;
  const sb_contact_points here = {1, &pinned, NULL, v};
  double                  pull[3], block[6] = {weight, 0, 0, weight, 0, weight};
  for (int c = 0; c < 3; ++c) pull[c] = weight * (target[c] - v[c]);
  sb_contact_add_forces(a->system->contact, t_seconds, &here, pull);
  sb_contact_add_hessian(a->system->contact, t_seconds, SB_HESSIAN_PROJECTED, &here, block);
  memset(step, 0, 3 * sizeof *step);
  sb_add_solution(block, pull, step);
}

/* v becomes the proximal point of all colliders, to rounding. */
static void find_proximal(const admm *a, double t_seconds, const double target[3], double v[3])
{
  double value = proximal_value(a, t_seconds, target, v), step[3], next[3], way[3];
  for (int n = 0; n < PROXIMAL_STEPS_MAX; ++n) {
    double part = 1, after = INFINITY;
    proximal_step(a, t_seconds, target, v, step);
    for (int halvings = 0; halvings < HALVINGS_MAX && !(after <= value * (1 + 1e-12)); ++halvings, part /= 2) {
      sb_along(v, part, step, next);
      after = proximal_value(a, t_seconds, target, next);
    }
    if (!(after <= value * (1 + 1e-12))) return;
    memcpy(v, next, sizeof next);
    value = after;
    sb_subtract(v, target, way);
    if (!(sb_dot(step, step) > last_step * last_step * sb_dot(way, way))) return;
  }
}

/* sum += k_c (v - u), of this rank's free vertices; updates u. */
static void project_contact(const admm *a, double t_seconds, const double *restrict position)
{
  for (PetscInt i = 0; i < a->system->owned; ++i) {
    double                 *u = a->contact + 3 * i, target[3], force[3] = {0, 0, 0};
    const sb_contact_points here = {1, a->system->pinned + i, NULL, target};
    if (a->system->pinned[i]) continue;
    for (int c = 0; c < 3; ++c) target[c] = position[3 * i + c] + u[c];
    sb_contact_add_forces(a->system->contact, t_seconds, &here, force);
    for (int c = 0; c < 3; ++c) u[c] = -force[c] / (a->contact_stiffness * (1 + a->rho));
    if (a->colliders > 1 && (u[0] != 0 || u[1] != 0 || u[2] != 0)) {
      double v[3];
      sb_subtract(target, u, v);
      find_proximal(a, t_seconds, target, v);
      sb_subtract(target, v, u);
    }
    for (int c = 0; c < 3; ++c) a->sum[3 * i + c] += a->contact_stiffness * (target[c] - 2 * u[c]);
  }
}

static PetscErrorCode local_step(admm *a, const sb_potential *potential, Vec z)
{
  const sb_system *system = a->system;
  const double     scale = a->rho * potential->h_seconds * potential->h_seconds;
  const double    *position, *constant;
  double          *rhs;

  PetscFunctionBeginUser;
  PetscCall(PetscArrayzero(a->sum, 3 * (size_t)(system->owned + system->ghosts)));
  PetscCall(sb_system_begin_read(system, z, &position));
  project_springs(a, position);
  if (a->contact) project_contact(a, potential->end_seconds, position);
  PetscCall(sb_system_end_read(system, z, &position));
  PetscCall(VecGetArrayRead(a->constant, &constant));
  PetscCall(VecGetArrayWrite(a->rhs, &rhs));
  for (PetscInt f = 0; f < system->owned_unknown; ++f)
    for (PetscInt c = 0; c < 3; ++c)
      rhs[3 * f + c] = constant[3 * f + c] + scale * a->sum[3 * system->unknown_vertex[f] + c];
  PetscCall(VecRestoreArrayWrite(a->rhs, &rhs));
  PetscCall(VecRestoreArrayRead(a->constant, &constant));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  admm *a = state;

  PetscFunctionBeginUser;
  PetscCall(local_step(a, potential, z));
  PetscCall(sb_log_pass(a->system, SB_OPERATION_PASS, SB_FLOPS_PROJECTION));
  PetscCall(sb_linear_solver_solve(a->linear, a->rhs, a->unknown, true, &iteration->linear));
  if (sb_outcome_accepted(iteration->linear.outcome)) PetscCall(sb_system_set_unknowns(a->system, a->unknown, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  admm *a = state;

  PetscFunctionBeginUser;
  PetscCall(PetscFree2(a->multiplier, a->sum));
  PetscCall(PetscFree(a->contact));
  PetscCall(MatDestroy(&a->matrix));
  PetscCall(VecDestroy(&a->constant));
  PetscCall(VecDestroy(&a->coupling));
  PetscCall(VecDestroy(&a->rhs));
  PetscCall(VecDestroy(&a->unknown));
  PetscFunctionReturn(0);
}

static const char *refuses_law(const sb_options *options)
{
  return sb_law_bounds_of(options).least >= 0
             ? NULL
             : "its local steps need a law whose E'' is not negative; choose newton, newton_cg or lbfgs";
}

const sb_minimizer_method sb_minimizer_admm = {
    .name = "admm",
    .summary = "alternating directions with multipliers: a constant scalar matrix of weighted springs",
    .uses = "linear admm_weight",
    .reads = "contact_implicit",
    .traits = SB_CONSTANT_MATRIX | SB_REDUCED_PINS | SB_IMPLICIT_CONTACT,
    .columns = 3,
    .refuses_law = refuses_law,
    .state_bytes = sizeof(admm),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
