/* SPDX-License-Identifier: GPL-3.0-or-later */
/* L-BFGS over a metric (Nocedal 1980; Liu, Bouaziz, Kavan 2017). It has the two loops of Nocedal and Wright (2006,
 * algorithm 7.4) over the last `window` pairs s = z_{k+1} - z_k, y = G_{k+1} - G_k, with P^-1 in the place of the first
 * inverse Hessian. P^-1 is not scaled, unless the metric is only a bound: then s^T y/(y^T P^-1 y) of the newest pair
 * scales it. Pairs of s^T y not above 1e-14 y^T y, which would make the matrix indefinite, are left out. Pairs are
 * those of one step in time; without any, p = P^-1 G. */
#include "solvers/minimize/descent.h"
#include "solvers/minimize/history.h"

#define CURVATURE_LEAST 1e-14

typedef struct {
  sb_history pairs;                  /* (s, y) */
  double     product[SB_WINDOW_MAX]; /* s^T y of each */
  Vec        gradient;               /* of the iteration before */
  Vec        rest;                   /* the remainder of G after the first loop */
  bool       scaled;
} lbfgs;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  lbfgs *l = state;

  PetscFunctionBeginUser;
  l->scaled = (descent->of.metric->traits & SB_UNSCALED) != 0;
  PetscCall(VecDuplicate(descent->direction, &l->gradient));
  PetscCall(VecDuplicate(descent->direction, &l->rest));
  PetscCall(sb_history_create(&l->pairs, descent->direction, (PetscInt)SB_INTEGER(options, window)));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_descent *descent)
{
  (void)descent;
  ((lbfgs *)state)->pairs.count = 0;
  return 0;
}

/* Takes the pair of the iteration before. */
static PetscErrorCode remember(lbfgs *l, const sb_descent *d)
{
  Vec         s, y;
  PetscScalar product, square;

  PetscFunctionBeginUser;
  sb_history_push(&l->pairs, &s, &y);
  if (!s) PetscFunctionReturn(0);
  PetscCall(VecAXPBY(s, -d->length, 0, d->direction));
  PetscCall(VecWAXPY(y, -1, l->gradient, d->gradient));
  PetscCall(VecDotBegin(s, y, &product));
  PetscCall(VecDotBegin(y, y, &square));
  PetscCall(VecDotEnd(s, y, &product));
  PetscCall(VecDotEnd(y, y, &square));
  if (product > CURVATURE_LEAST * square)
    l->product[l->pairs.newest] = product;
  else
    sb_history_drop(&l->pairs);
  PetscFunctionReturn(0);
}

/* p *= s^T y/(y^T P^-1 y), P^-1 = b I of a metric that is nothing but a bound: b from P^-1 rest = p. */
static PetscErrorCode scale(const lbfgs *l, sb_descent *d)
{
  const PetscInt newest = l->pairs.newest;
  PetscScalar    square, of_rest, of_both;

  PetscFunctionBeginUser;
  if (!l->scaled || l->pairs.count == 0) PetscFunctionReturn(0);
  PetscCall(VecDot(l->pairs.second[newest], l->pairs.second[newest], &square));
  PetscCall(VecDot(l->rest, l->rest, &of_rest));
  PetscCall(VecDot(l->rest, d->direction, &of_both));
  if (of_both > 0) PetscCall(VecScale(d->direction, l->product[newest] / (square * of_both / of_rest)));
  PetscFunctionReturn(0);
}

static PetscErrorCode direct(void *state, sb_descent *d)
{
  lbfgs      *l = state;
  PetscScalar alpha[SB_WINDOW_MAX], beta;

  PetscFunctionBeginUser;
  if (d->count > 0) PetscCall(remember(l, d));
  PetscCall(VecCopy(d->gradient, l->gradient));
  PetscCall(VecCopy(d->gradient, l->rest));
  for (PetscInt age = 0; age < l->pairs.count; ++age) {
    const PetscInt i = sb_history_at(&l->pairs, age);
    PetscCall(VecDot(l->pairs.first[i], l->rest, &alpha[i]));
    alpha[i] /= l->product[i];
    PetscCall(VecAXPY(l->rest, -alpha[i], l->pairs.second[i]));
  }
  PetscCall(sb_descent_precondition(d, l->rest, d->direction));
  if (!sb_outcome_accepted(d->iteration->linear.outcome)) PetscFunctionReturn(0);
  PetscCall(scale(l, d));
  for (PetscInt age = l->pairs.count; age-- > 0;) {
    const PetscInt i = sb_history_at(&l->pairs, age);
    PetscCall(VecDot(l->pairs.second[i], d->direction, &beta));
    PetscCall(VecAXPY(d->direction, alpha[i] - beta / l->product[i], l->pairs.first[i]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  lbfgs *l = state;

  PetscFunctionBeginUser;
  PetscCall(sb_history_destroy(&l->pairs));
  PetscCall(VecDestroy(&l->gradient));
  PetscCall(VecDestroy(&l->rest));
  PetscFunctionReturn(0);
}

const sb_accelerator sb_accelerator_lbfgs = {
    .name = "lbfgs",
    .summary = "L-BFGS: the inverse Hessian of the last few steps over that of the metric",
    .uses = "window",
    .steps = "unit fixed armijo along",
    .reason = "it has no plain step of the metric as a fallback",
    .state_bytes = sizeof(lbfgs),
    .prepare = prepare,
    .begin = begin,
    .direct = direct,
    .destroy = destroy};
