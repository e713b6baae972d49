/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P^-1 G by truncated conjugate gradients on H s = G (Dembo, Steihaug 1983; Nocedal, Wright 2006, algorithm 7.1),
 * without a matrix: products H p go over the springs. They end when the residual is below eta |G| in the norm of the
 * preconditioner, sqrt(r^T Q^-1 r). The forcing term is eta = min(1/2, sqrt(|G|/|G_0|)), with which the outer iteration
 * converges superlinearly. They also end before a direction of negative curvature: the step so far descends, and is the
 * preconditioned gradient if there is none. */
#include <math.h>

#include "solvers/minimize/descent.h"
#include "solvers/minimize/on_device.h"

typedef struct {
  const sb_metric *inner; /* Q */
  void            *state;
  double           negative;
  PetscInt         most;  /* iterations */
  double           first; /* |G_0| of this minimisation; 0: not yet known */
  sb_kept_hessian *kept;  /* of the iterate; NULL on a device, whose products compute it again */
  double          *contact;
  sb_cg_vectors    cg;
  Vec              residual, scaled; /* unknowns: input and output of Q; NULL: it corrects */
  sb_system       *system;
} truncated_cg;

/* True if Q corrects residuals on vectors of all vertices. */
static bool corrects(const truncated_cg *t) { return t->inner->correct && !sb_vec_device(t->cg.residual); }

static PetscErrorCode create_vectors(truncated_cg *t)
{
  Vec *const full[] = {&t->cg.out, &t->cg.residual, &t->cg.scaled, &t->cg.direction, &t->cg.product};

  PetscFunctionBeginUser;
  for (size_t v = 0; v < sizeof full / sizeof *full; ++v) PetscCall(sb_system_create_full(t->system, full[v]));
  if (corrects(t)) PetscFunctionReturn(0);
  PetscCall(sb_system_create_unknowns(t->system, &t->residual));
  PetscCall(sb_system_create_unknowns(t->system, &t->scaled));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  t->system = setup->system;
  t->inner = sb_metric_find(SB_TEXT(setup->options, preconditioner));
  t->negative = SB_IS(setup->options, cg_hessian, "exact") ? SB_HESSIAN_EXACT : SB_HESSIAN_PROJECTED;
  t->most = (PetscInt)SB_INTEGER(setup->options, cg_max_iterations);
  PetscCall(PetscCalloc(t->inner->state_bytes, &t->state));
  PetscCall(t->inner->prepare(t->state, setup, outcome));
  PetscCall(create_vectors(t));
  if (!sb_vec_device(t->cg.out)) PetscCall(sb_kept_hessian_create(t->system, &t->kept));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  t->first = 0;
  if (t->inner->begin) PetscCall(t->inner->begin(t->state, potential, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode refresh(void *state, const sb_potential *potential, Vec z)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  if (t->inner->refresh) PetscCall(t->inner->refresh(t->state, potential, z));
  PetscFunctionReturn(0);
}

/* residual -= alpha product, scaled = Q^-1 residual, *square = residual.scaled */
static PetscErrorCode correct(truncated_cg *t, const sb_potential *potential, Vec z, double alpha,
                              sb_iteration *iteration, double *square)
{
  PetscFunctionBeginUser;
  if (corrects(t)) {
    PetscCall(t->inner->correct(t->state, alpha, &t->cg, iteration, square));
    PetscFunctionReturn(0);
  }
  PetscCall(VecAXPY(t->cg.residual, -alpha, t->cg.product));
  PetscCall(sb_system_restrict(t->system, t->cg.residual, t->residual));
  PetscCall(t->inner->apply(t->state, potential, z, t->residual, t->scaled, iteration));
  PetscCall(VecDot(t->residual, t->scaled, square));
  PetscCall(sb_system_set_unknowns(t->system, t->scaled, t->cg.scaled));
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(truncated_cg *t, const sb_potential *potential, Vec z, sb_cg_turn turn, double *curvature)
{
  PetscFunctionBeginUser;
  if (sb_vec_device(z))
    PetscCall(sb_on_device_advance(potential, t->negative, z, turn, &t->cg, curvature));
  else
    PetscCall(sb_potential_advance(potential, t->kept, t->contact, turn, &t->cg, curvature));
  PetscFunctionReturn(0);
}

/* Iterations until r^T Q^-1 r, which is *square, is at most forcing^2 of the first one. */
static PetscErrorCode iterate(truncated_cg *t, const sb_potential *potential, Vec z, double forcing,
                              sb_iteration *iteration)
{
  double     square, before, curvature, most;
  PetscInt   count = 0;
  sb_cg_turn turn = {0};

  PetscFunctionBeginUser;
  PetscCall(correct(t, potential, z, 0, iteration, &square));
  most = forcing * forcing * square;
  while (square > most && count < t->most && sb_outcome_accepted(iteration->linear.outcome)) {
    PetscCall(advance(t, potential, z, turn, &curvature));
    turn.alpha = curvature > 0 ? square / curvature : 0;
    if (!(curvature > 0)) break;
    before = square;
    PetscCall(correct(t, potential, z, turn.alpha, iteration, &square));
    turn.beta = square / before;
    ++count;
  }
  if (count == 0) PetscCall(VecCopy(t->cg.scaled, t->cg.out));
  if (count > 0) PetscCall(VecAXPY(t->cg.out, turn.alpha, t->cg.direction));
  iteration->linear.iterations = count;
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  truncated_cg *t = state;
  double        norm;

  PetscFunctionBeginUser;
  if (!sb_vec_device(z)) PetscCall(sb_potential_keep_hessian(potential, t->negative, z, t->kept, &t->contact));
  PetscCall(VecZeroEntries(t->cg.out));
  PetscCall(VecZeroEntries(t->cg.direction));
  PetscCall(VecZeroEntries(t->cg.product));
  PetscCall(sb_system_set_unknowns(t->system, in, t->cg.residual));
  PetscCall(VecNorm(in, NORM_2, &norm));
  if (t->first == 0) t->first = norm;
  PetscCall(iterate(t, potential, z, fmin(0.5, sqrt(norm / t->first)), iteration));
  PetscCall(sb_system_restrict(t->system, t->cg.out, out));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  truncated_cg *t = state;

  PetscFunctionBeginUser;
  if (t->state) PetscCall(t->inner->destroy(t->state));
  PetscCall(PetscFree(t->state));
  PetscCall(sb_kept_hessian_destroy(&t->kept));
  PetscCall(PetscFree(t->contact));
  PetscCall(VecDestroy(&t->cg.out));
  PetscCall(VecDestroy(&t->cg.residual));
  PetscCall(VecDestroy(&t->cg.scaled));
  PetscCall(VecDestroy(&t->cg.direction));
  PetscCall(VecDestroy(&t->cg.product));
  PetscCall(VecDestroy(&t->residual));
  PetscCall(VecDestroy(&t->scaled));
  PetscFunctionReturn(0);
}

const sb_metric sb_metric_truncated_cg = {.name = "truncated_cg",
                                          .summary = "the Hessian without a matrix, by truncated conjugate gradients",
                                          .uses = "preconditioner cg_hessian cg_max_iterations contact_implicit",
                                          .traits = SB_IMPLICIT_CONTACT | SB_ON_DEVICE,
                                          .state_bytes = sizeof(truncated_cg),
                                          .prepare = prepare,
                                          .begin = begin,
                                          .refresh = refresh,
                                          .apply = apply,
                                          .destroy = destroy};
