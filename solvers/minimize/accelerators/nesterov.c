/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nesterov's acceleration (Nesterov 1983; with a metric, Beck and Teboulle 2009) of q = z - P^-1 G:
 *
 *     z+ = q + b (q - q'),    b = (t - 1)/t+,    t+ = (1 + sqrt(1 + 4 t^2))/2,    t = 1 at first,
 *
 * q' the one before. If P majorises H and g is convex, g falls as 1/k^2; with plain steps it falls as 1/k. If the way
 * leads uphill, G.(q - q') > 0, t starts again (O'Donoghue, Candes 2015); otherwise z would swing about the minimum. It
 * needs no bound of the spectrum, and only one product. */
#include <math.h>

#include "solvers/minimize/descent.h"

typedef struct {
  Vec    before, way; /* P^-1 G of the iteration before; q - q' */
  double t;
} nesterov;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  nesterov *n = state;

  PetscFunctionBeginUser;
  (void)options;
  PetscCall(sb_system_create_unknowns(descent->system, &n->before));
  PetscCall(sb_system_create_unknowns(descent->system, &n->way));
  PetscFunctionReturn(0);
}

/* b of this iteration; the way is q - q'. */
static PetscErrorCode weigh(nesterov *n, const sb_descent *d, double *weight)
{
  PetscReal uphill;

  PetscFunctionBeginUser;
  PetscCall(VecDot(d->gradient, n->way, &uphill));
  const double t = uphill > 0 ? 1 : n->t;
  n->t = (1 + sqrt(1 + 4 * t * t)) / 2;
  *weight = (t - 1) / n->t;
  PetscFunctionReturn(0);
}

static PetscErrorCode direct(void *state, sb_descent *d)
{
  nesterov *n = state;
  double    weight = 0;

  PetscFunctionBeginUser;
  if (d->count > 0) PetscCall(VecWAXPY(n->way, -d->length, d->direction, n->before));
  PetscCall(sb_descent_precondition(d, d->gradient, d->plain));
  if (!sb_outcome_accepted(d->iteration->linear.outcome)) PetscFunctionReturn(0);
  if (d->count == 0) {
    n->t = (1 + sqrt(5)) / 2;
  } else {
    PetscCall(VecAXPY(n->way, -1, d->plain));
    PetscCall(weigh(n, d, &weight));
  }
  PetscCall(VecCopy(d->plain, n->before));
  PetscCall(VecCopy(d->plain, d->direction));
  if (weight > 0) PetscCall(VecAXPY(d->direction, -weight, n->way));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  nesterov *n = state;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&n->before));
  PetscCall(VecDestroy(&n->way));
  PetscFunctionReturn(0);
}

const sb_accelerator sb_accelerator_nesterov = {
    .name = "nesterov",
    .summary = "Nesterov's acceleration over whole steps, restarted if it leads uphill",
    .steps = "unit fixed guard",
    .metrics = "identity block_jacobi laplacian",
    .reason = "its weights are those of equal steps of one fixed-point iteration",
    .state_bytes = sizeof(nesterov),
    .prepare = prepare,
    .direct = direct,
    .destroy = destroy};
