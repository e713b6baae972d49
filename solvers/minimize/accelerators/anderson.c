/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Anderson acceleration of q = z - P^-1 G (Anderson 1965; Walker, Ni 2011; Peng, Deng, Zhang, Geng, Qin, Liu 2018) over
 * the last `window` differences dz and dd of z and of d = P^-1 G = z - q:
 *
 *     theta = argmin |d - dD theta|_2,    p = d + (dZ - dD) theta,
 *
 * which is z - p = q - dQ theta. The differences are scaled to |dd| = 1, and dD^T dD is factored from the newest to the
 * oldest: one that the newer ones span, except for rounding, adds nothing and is left out. */
#include <math.h>
#include <string.h>

#include "solvers/minimize/descent.h"
#include "solvers/minimize/history.h"

/* Least square that a unit vector must keep when its parts along others are removed. */
#define PIVOT_LEAST 1e-12

typedef struct {
  sb_history pairs;                                 /* (dz - dd, dd), both over |dd| */
  double     product[SB_WINDOW_MAX][SB_WINDOW_MAX]; /* dD^T dD, by places in the history */
  Vec        before;                                /* d of the iteration before */
} anderson;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  anderson *a = state;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(descent->direction, &a->before));
  PetscCall(sb_history_create(&a->pairs, descent->direction, (PetscInt)SB_INTEGER(options, window)));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_descent *descent)
{
  (void)descent;
  ((anderson *)state)->pairs.count = 0;
  return 0;
}

/* Takes the differences of the iteration before, and their products with all others. */
static PetscErrorCode remember(anderson *a, const sb_descent *d)
{
  Vec         both, change;
  PetscReal   norm;
  PetscScalar product[SB_WINDOW_MAX];

  PetscFunctionBeginUser;
  sb_history_push(&a->pairs, &both, &change);
  if (!both) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(change, -1, a->before, d->plain));
  PetscCall(VecNorm(change, NORM_2, &norm));
  if (!(norm > 0)) {
    a->pairs.count = 0;
    PetscFunctionReturn(0);
  }
  PetscCall(VecScale(change, 1 / norm));
  PetscCall(VecCopy(change, both));
  PetscCall(VecAXPBY(both, -d->length / norm, -1, d->direction));
  PetscCall(VecMDot(change, a->pairs.count, a->pairs.second, product));
  for (PetscInt i = 0; i < a->pairs.count; ++i)
    a->product[i][a->pairs.newest] = a->product[a->pairs.newest][i] = PetscRealPart(product[i]);
  PetscFunctionReturn(0);
}

/* dD^T dD theta = b by Cholesky's method, newest first. */
static void least_squares(const anderson *a, const PetscScalar *b, PetscScalar *theta)
{
  double   factor[SB_WINDOW_MAX][SB_WINDOW_MAX], y[SB_WINDOW_MAX];
  PetscInt kept[SB_WINDOW_MAX], rank = 0;

  memset(theta, 0, (size_t)a->pairs.count * sizeof *theta);
  for (PetscInt age = 0; age < a->pairs.count; ++age) {
    const PetscInt own = sb_history_at(&a->pairs, age);
    double         pivot = 1, right = b[own];
    for (PetscInt i = 0; i < rank; ++i) {
      double entry = a->product[own][kept[i]];
      for (PetscInt j = 0; j < i; ++j) entry -= factor[rank][j] * factor[i][j];
      factor[rank][i] = entry / factor[i][i];
      pivot -= factor[rank][i] * factor[rank][i];
      right -= factor[rank][i] * y[i];
    }
    if (!(pivot > PIVOT_LEAST)) continue;
    factor[rank][rank] = sqrt(pivot);
    y[rank] = right / factor[rank][rank];
    kept[rank++] = own;
  }
  for (PetscInt i = rank; i-- > 0;) {
    double right = y[i];
    for (PetscInt j = i + 1; j < rank; ++j) right -= factor[j][i] * theta[kept[j]];
    theta[kept[i]] = right / factor[i][i];
  }
}

static PetscErrorCode direct(void *state, sb_descent *d)
{
  anderson   *a = state;
  PetscScalar b[SB_WINDOW_MAX], theta[SB_WINDOW_MAX];

  PetscFunctionBeginUser;
  PetscCall(sb_descent_precondition(d, d->gradient, d->plain));
  if (!sb_outcome_accepted(d->iteration->linear.outcome)) PetscFunctionReturn(0);
  if (d->count > 0) PetscCall(remember(a, d));
  PetscCall(VecCopy(d->plain, a->before));
  PetscCall(VecCopy(d->plain, d->direction));
  if (a->pairs.count == 0) PetscFunctionReturn(0);
  PetscCall(VecMDot(d->plain, a->pairs.count, a->pairs.second, b));
  least_squares(a, b, theta);
  PetscCall(VecMAXPY(d->direction, a->pairs.count, theta, a->pairs.first));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  anderson *a = state;

  PetscFunctionBeginUser;
  PetscCall(sb_history_destroy(&a->pairs));
  PetscCall(VecDestroy(&a->before));
  PetscFunctionReturn(0);
}

const sb_accelerator sb_accelerator_anderson = {
    .name = "anderson",
    .summary = "Anderson acceleration: the combination of the last few steps with the smallest residual",
    .uses = "window",
    .steps = "guard unit fixed",
    .reason = "it combines whole steps of one fixed-point iteration",
    .state_bytes = sizeof(anderson),
    .prepare = prepare,
    .begin = begin,
    .direct = direct,
    .destroy = destroy};
