/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Extended position-based dynamics (Macklin, Müller, Chentanez 2016): Gauss-Seidel over springs as constraints C = r -
 * l of compliance 1/k, each with a multiplier L that starts from 0 in every step,
 *
 *     dL = -(C + a L)/(w_i + w_j + a),   a = xpbd_compliance/(k h^2),   L += dL,   z_i += w_i dL u,   z_j -= w_j dL u,
 *
 * w = 1/m, 0 of pinned vertices, from z = y, independently of option start: another start would give another limit. An
 * iteration is a pass. C + a L goes to 0, and then L u/h^2 is the spring's force. But z = y + sum w u dL has the
 * directions u that the spring had when it was corrected, so that sum L u of the present ones is not M (z - y). The
 * limit does not minimise g unless directions are constant, as on a line. xpbd_momentum=restored puts z back to y + sum
 * w u L with the present u after every pass. Every limit of such passes is a minimum, but they may diverge. With
 * compliance 0 springs tend to rods (position-based dynamics, Müller et al. 2007).
 *
 * With law tension L is never above 0.
 *
 * If contact is part of g, the penalty of each collider is a constraint of the vertex, after the springs of a pass. Its
 * compliance is 1/(k_c h^2), and its multiplier is never below 0. Outside a collider the push is undone. With several
 * colliders it is undone by the distance, as the push of one carries a vertex out of another. With one collider it is
 * undone as if the vertex were on the surface, along the normal that it had. */
#include <math.h>

#include "model/maths/vector3.h"
#include "model/system/flops.h"
#include "solvers/minimize/incidence.h"
#include "solvers/minimize/on_device.h"

typedef struct {
  PetscInt i, j;
  double   wi, wj; /* 1/kg */
  double   compliance, rest_length;
  PetscInt spring;
} constraint;

typedef struct {
  sb_system     *system;
  const sb_law  *law;
  bool           pulls;  /* law tension: no multiplier is above 0 */
  sb_on_device  *device; /* NULL: none */
  sb_device_pass there;
  PetscInt       count, *start;     /* start: [colours + 1] the first constraint of each colour */
  constraint    *constraints;       /* in the order of visits */
  double        *multiplier;        /* [count] */
  size_t         colliders;         /* that are part of g */
  double        *contact;           /* [owned][colliders][4]: the normal, and the multiplier; NULL without colliders */
  double         contact_stiffness; /* N/m */
  Vec            place;             /* full: y with the effect of a load */
  bool           restored, begun;
} xpbd;

static PetscErrorCode order_constraints(xpbd *p, const sb_options *options, double h_seconds)
{
  const double      scale = SB_REAL(options, xpbd_compliance) / (h_seconds * h_seconds);
  const sb_system  *system = p->system;
  const sb_springs *springs = &system->springs;
  sb_incidence      incidence = {0};
  sb_visits         visits = {0};

  PetscFunctionBeginUser;
  PetscCall(sb_incidence_create(system, &incidence));
  PetscCall(sb_visits_of_springs(system, &incidence, SB_IS(options, visits, "colours"), &visits));
  PetscCall(PetscMalloc1(visits.count, &p->constraints));
  PetscCall(PetscMalloc1(visits.count, &p->multiplier));
  PetscCall(PetscCalloc1(visits.colours + 1, &p->start));
  for (PetscInt v = 0, c = 0; v < visits.count; ++v) {
    while (visits.start && v == visits.start[c]) p->start[c++] = p->count;
    const PetscInt s = visits.at[v], i = springs->first[s], j = springs->second[s];
    const double   stiffness = sb_system_bounds_of_springs(system)[s];
    if (stiffness == 0) continue; /* no constraint */
    p->constraints[p->count++] = (constraint){.i = i,
                                              .j = j,
                                              .wi = system->pinned[i] ? 0 : 1 / system->mass[i],
                                              .wj = system->pinned[j] ? 0 : 1 / system->mass[j],
                                              .compliance = scale / stiffness,
                                              .rest_length = springs->rest_length[s],
                                              .spring = s};
  }
  p->start[visits.colours] = p->count;
  p->there = (sb_device_pass){.colours = visits.colours, .start = p->start};
  PetscCall(sb_visits_destroy(&visits));
  PetscCall(sb_incidence_destroy(&incidence));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_there(xpbd *p)
{
  PetscInt *ends;
  double   *number;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(2 * (size_t)p->count + 1, &ends, 4 * (size_t)p->count + 1, &number));
  for (PetscInt n = 0; n < p->count; ++n) {
    const constraint *c = &p->constraints[n];
    const double      own[4] = {c->wi, c->wj, c->compliance, c->rest_length};
    ends[2 * n] = c->i;
    ends[2 * n + 1] = c->j;
    PetscCall(PetscArraycpy(number + 4 * n, own, 4));
  }
  PetscCall(sb_device_pass_create(p->device, 2 * p->count, ends, p->count, number, &p->there));
  PetscCall(PetscFree2(ends, number));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  xpbd *p = state;

  PetscFunctionBeginUser;
  p->system = setup->system;
  p->law = p->system->law;
  p->pulls = SB_IS(setup->options, law, "tension");
  p->restored = SB_IS(setup->options, xpbd_momentum, "restored");
  PetscCall(order_constraints(p, setup->options, setup->h_seconds));
  PetscCall(sb_system_create_full(p->system, &p->place));
  p->device = sb_vec_device(p->place);
  if (p->device) PetscCall(take_there(p));
  if (p->system->contact && sb_contact_is_implicit(p->system->contact)) {
    sb_contact_colliders(p->system->contact, &p->colliders);
    PetscCall(PetscCalloc1(4 * p->colliders * (size_t)p->system->owned, &p->contact));
  }
  p->contact_stiffness = SB_REAL(setup->options, contact_stiffness);
  *outcome = SB_SOLVED;
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  xpbd *p = state;

  PetscFunctionBeginUser;
  (void)potential;
  (void)z;
  p->begun = false;
  if (p->device) PetscCall(sb_device_pass_forget(p->device, p->count, &p->there));
  for (PetscInt n = 0; p->law && n < p->count; ++n) { /* parallel to its damper of the step */
    const PetscInt s = p->constraints[n].spring;
    const double   beta = p->law->damping;
    p->constraints[n].rest_length = (p->law->given->rest_length[s] + beta * p->law->start[s]) / (1 + beta);
  }
  PetscCall(PetscArrayzero(p->multiplier, p->count));
  if (p->contact) PetscCall(PetscArrayzero(p->contact, 4 * p->colliders * (size_t)p->system->owned));
  PetscFunctionReturn(0);
}

static void pass(const xpbd *p, double *restrict z)
{
  for (PetscInt n = 0; n < p->count; ++n) {
    const constraint *c = &p->constraints[n];
    double *restrict a = z + 3 * c->i, *restrict b = z + 3 * c->j;
    const double d[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    const double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (r == 0) continue; /* no direction */
    double change = -(r - c->rest_length + c->compliance * p->multiplier[n]) / (c->wi + c->wj + c->compliance);
    if (p->pulls) change = fmin(change, -p->multiplier[n]);
    p->multiplier[n] += change;
    for (int e = 0; e < 3; ++e) {
      const double push = change / r * d[e];
      a[e] += c->wi * push;
      b[e] -= c->wj * push;
    }
  }
}

/* The constraint of one collider on a vertex at z with w = 1/m. */
static void push_out_of(const xpbd *p, const sb_potential *potential, size_t collider, double w, double contact[4],
                        double z[3])
{
  const double compliance = 1 / (p->contact_stiffness * potential->h_seconds * potential->h_seconds);
  double      *n = contact, *multiplier = contact + 3, normal[3], force[3], push = 0;
  const double phi = sb_contact_distance(p->system->contact, potential->end_seconds, collider, z, normal);
  if (phi >= 0 && *multiplier == 0) return;
  for (int e = 0; e < 3; ++e) force[e] = -p->contact_stiffness * phi * normal[e];
  if (phi < 0 || p->colliders > 1) push = copysign(sqrt(sb_dot(force, force)), -phi);
  for (int e = 0; e < 3 && push != 0; ++e) n[e] = force[e] / push;
  const double change = fmax((push / p->contact_stiffness - compliance * *multiplier) / (w + compliance), -*multiplier);
  *multiplier += change;
  for (int e = 0; e < 3; ++e) z[e] += w * change * n[e];
}

static void push_out(const xpbd *p, const sb_potential *potential, double *restrict z)
{
  double *contact = p->contact;
  for (PetscInt i = 0; i < p->system->owned; ++i)
    for (size_t k = 0; k < p->colliders; ++k, contact += 4)
      if (!p->system->pinned[i]) push_out_of(p, potential, k, 1 / p->system->mass[i], contact, z + 3 * i);
}

/* z = y + M^-1 J^T L with the directions at z. */
static PetscErrorCode restore_momentum(const xpbd *p, double *restrict z)
{
  const double *place;
  double       *moved;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(p->place, &place));
  PetscCall(PetscMalloc1(3 * (size_t)p->system->owned, &moved));
  PetscCall(PetscArraycpy(moved, place, 3 * (size_t)p->system->owned));
  for (PetscInt n = 0; n < p->count; ++n) {
    const constraint *c = &p->constraints[n];
    const double     *a = z + 3 * c->i, *b = z + 3 * c->j;
    const double      r = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
    for (int e = 0; e < 3 && r > 0; ++e) {
      const double push = p->multiplier[n] * (a[e] - b[e]) / r;
      moved[3 * c->i + e] += c->wi * push;
      moved[3 * c->j + e] -= c->wj * push;
    }
  }
  const double *contact = p->contact;
  for (PetscInt i = 0; i < p->system->owned; ++i)
    for (size_t k = 0; k < p->colliders; ++k, contact += 4)
      for (int e = 0; e < 3; ++e) moved[3 * i + e] += contact[3] / p->system->mass[i] * contact[e];
  PetscCall(PetscArraycpy(z, moved, 3 * (size_t)p->system->owned));
  PetscCall(PetscFree(moved));
  PetscCall(VecRestoreArrayRead(p->place, &place));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  xpbd   *p = state;
  double *array;
  bool    finite = true;

  PetscFunctionBeginUser;
  iteration->linear = (sb_solve_report){.outcome = SB_SOLVED, .reason = ""};
  if (!p->begun) {
    PetscCall(sb_potential_free_flight(potential, z, p->place, &finite));
    if (!finite) {
      iteration->linear = (sb_solve_report){.outcome = SB_NOT_FINITE, .reason = "the start is not finite"};
      PetscFunctionReturn(0);
    }
    PetscCall(VecCopy(p->place, z));
    p->begun = true;
  }
  PetscCall(sb_log_pass(p->system, SB_OPERATION_PASS, SB_FLOPS_CONSTRAINTS));
  if (p->device) {
    PetscCall(sb_on_device_visit_springs(&p->there, z));
    PetscFunctionReturn(0);
  }
  PetscCall(VecGetArray(z, &array));
  pass(p, array);
  if (p->contact) push_out(p, potential, array);
  if (p->restored) PetscCall(restore_momentum(p, array));
  PetscCall(VecRestoreArray(z, &array));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  xpbd *p = state;

  PetscFunctionBeginUser;
  if (p->device) PetscCall(sb_device_pass_destroy(p->device, &p->there));
  PetscCall(PetscFree(p->start));
  PetscCall(PetscFree(p->constraints));
  PetscCall(PetscFree(p->multiplier));
  PetscCall(PetscFree(p->contact));
  PetscCall(VecDestroy(&p->place));
  PetscFunctionReturn(0);
}

static const char *refuses_law(const sb_options *options)
{
  const bool damped = SB_REAL(options, damping_in_step) > 0;
  if (SB_IS(options, law, "hooke") || (SB_IS(options, law, "tension") && !damped)) return NULL;
  return damped && SB_IS(options, law, "tension")
             ? "a slack spring has no constraint, but a damper; leave damping_in_step out, or choose another minimizer"
             : "its constraints are Hooke's springs, or give way in compression; choose hooke or tension";
}

const sb_minimizer_method sb_minimizer_xpbd = {
    .name = "xpbd",
    .summary = "extended position-based dynamics: Gauss-Seidel over springs as compliant constraints",
    .uses = "visits xpbd_compliance xpbd_momentum",
    .reads = "contact_implicit",
    .unread = "start",
    .traits = SB_OTHER_LIMIT | SB_ONE_RANK | SB_REDUCED_PINS | SB_IMPLICIT_CONTACT | SB_ON_DEVICE,
    .refuses_law = refuses_law,
    .state_bytes = sizeof(xpbd),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
