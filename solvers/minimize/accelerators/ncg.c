/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Preconditioned nonlinear conjugate gradients: p = P^-1 G + b p', p' the direction before, with y = G - G' and
 *
 *     polak_ribiere     b = max(0, y^T P^-1 G/(G'^T P'^-1 G'))                    (Polak, Ribiere 1969; PR+ of
 *                                                                                  Gilbert, Nocedal 1992)
 *     fletcher_reeves   b = G^T P^-1 G/(G'^T P'^-1 G')                            (Fletcher, Reeves 1964)
 *     dai_kou           b = (y^T P^-1 G - (y^T P^-1 y) (G^T p')/(y^T p'))/(-y^T p')    (Dai, Kou 2013)
 *
 * in directions that ascend, so that y^T p' is negative where g is convex. A metric that changes from one iterate to
 * the next is taken as it was for P'^-1 G'. The past is forgotten if G^T p is not positive. */
#include <string.h>

#include "solvers/minimize/descent.h"

typedef enum { POLAK_RIBIERE, FLETCHER_REEVES, DAI_KOU } formula;

typedef struct {
  formula formula;
  Vec     change;  /* y; between iterations G' */
  Vec     before;  /* P'^-1 G' */
  double  product; /* G'^T P'^-1 G' */
} ncg;

static PetscErrorCode prepare(void *state, const sb_descent *descent, const sb_options *options)
{
  ncg        *c = state;
  const char *name = SB_TEXT(options, ncg_formula);

  PetscFunctionBeginUser;
  c->formula = strcmp(name, "dai_kou") == 0           ? DAI_KOU
               : strcmp(name, "fletcher_reeves") == 0 ? FLETCHER_REEVES
                                                      : POLAK_RIBIERE;
  PetscCall(VecDuplicate(descent->direction, &c->change));
  PetscCall(VecDuplicate(descent->direction, &c->before));
  PetscFunctionReturn(0);
}

/* b of Dai and Kou; y^T P^-1 y with P^-1 G' as it was. */
static PetscErrorCode dai_kou(const ncg *c, const sb_descent *d, double y_plain, double *b)
{
  PetscScalar y_before, y_last, g_last;

  PetscFunctionBeginUser;
  PetscCall(VecDot(c->change, c->before, &y_before));
  PetscCall(VecDot(c->change, d->direction, &y_last));
  PetscCall(VecDot(d->gradient, d->direction, &g_last));
  *b = y_last == 0 ? 0 : -(y_plain - (y_plain - y_before) * g_last / y_last) / y_last;
  PetscFunctionReturn(0);
}

static PetscErrorCode weight(ncg *c, const sb_descent *d, double product, double *b)
{
  PetscScalar y_plain;

  PetscFunctionBeginUser;
  *b = 0;
  if (d->count == 0) PetscFunctionReturn(0);
  if (c->formula == FLETCHER_REEVES) {
    *b = product / c->product;
    PetscFunctionReturn(0);
  }
  PetscCall(VecAYPX(c->change, -1, d->gradient)); /* y = G - G' */
  PetscCall(VecDot(c->change, d->plain, &y_plain));
  if (c->formula == DAI_KOU)
    PetscCall(dai_kou(c, d, y_plain, b));
  else
    *b = PetscMax(0, y_plain / c->product);
  PetscFunctionReturn(0);
}

static PetscErrorCode direct(void *state, sb_descent *d)
{
  ncg        *c = state;
  double      b;
  PetscScalar product, slope;

  PetscFunctionBeginUser;
  PetscCall(sb_descent_precondition(d, d->gradient, d->plain));
  if (!sb_outcome_accepted(d->iteration->linear.outcome)) PetscFunctionReturn(0);
  PetscCall(VecDot(d->gradient, d->plain, &product));
  PetscCall(weight(c, d, product, &b));
  if (!PetscIsNormalReal(b)) b = 0; /* 0/0 at the minimum too */
  PetscCall(VecAYPX(d->direction, b, d->plain));
  PetscCall(VecDot(d->gradient, d->direction, &slope));
  if (!(slope > 0)) PetscCall(VecCopy(d->plain, d->direction));
  c->product = product;
  PetscCall(VecCopy(d->gradient, c->change));
  if (c->formula == DAI_KOU) PetscCall(VecCopy(d->plain, c->before));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  ncg *c = state;

  PetscFunctionBeginUser;
  PetscCall(VecDestroy(&c->change));
  PetscCall(VecDestroy(&c->before));
  PetscFunctionReturn(0);
}

const sb_accelerator sb_accelerator_ncg = {
    .name = "ncg",
    .summary = "nonlinear conjugate gradients",
    .uses = "ncg_formula",
    .steps = "along armijo",
    .reason = "directions are conjugate only if each step ends at the minimum along its direction",
    .state_bytes = sizeof(ncg),
    .prepare = prepare,
    .direct = direct,
    .destroy = destroy};
