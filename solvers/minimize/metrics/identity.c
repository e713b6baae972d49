/* SPDX-License-Identifier: GPL-3.0-or-later */
/* P = c I with the least c that a bound by rows (Gershgorin) of M/h^2 + L gives, c = max_i m_i/h^2 + 2 sum_j k_ij, and
 * contact's k_c: no eigenvalue of any H is above it, so that whole steps descend. */
#include "solvers/minimize/descent.h"

typedef struct {
  double inverse;
} identity;

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  double most;

  PetscFunctionBeginUser;
  PetscCall(sb_system_bound_hessian(setup->system, 1 / (setup->h_seconds * setup->h_seconds), &most));
  if (setup->system->contact && sb_contact_is_implicit(setup->system->contact))
    most += sb_contact_bound(setup->system->contact);
  ((identity *)state)->inverse = 1 / most;
  *outcome = SB_SOLVED;
  PetscFunctionReturn(0);
}

static PetscErrorCode apply(void *state, const sb_potential *potential, Vec z, Vec in, Vec out, sb_iteration *iteration)
{
  PetscFunctionBeginUser;
  (void)potential;
  (void)z;
  (void)iteration;
  PetscCall(VecAXPBY(out, ((identity *)state)->inverse, 0, in));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  (void)state;
  return 0;
}

const sb_metric sb_metric_identity = {
    .name = "identity",
    .summary = "a multiple of the identity, an upper bound of the eigenvalues of every Hessian",
    .uses = "contact_implicit",
    .traits = SB_MAJORISES | SB_UNSCALED | SB_IMPLICIT_CONTACT | SB_ON_DEVICE,
    .state_bytes = sizeof(identity),
    .prepare = prepare,
    .apply = apply,
    .destroy = destroy};
