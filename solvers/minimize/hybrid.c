/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conjugate gradients first, then Newton, when that is less work; without a parameter.
 *
 * Nonlinear conjugate gradients with the constant matrix of projective dynamics make cheap iterations, which reduce the
 * gradient less the stiffer the springs are. Newton's method makes a few expensive ones. From the fifth iteration on,
 * the decades by which the last five reduced |G| give an estimate of the remaining work. If it is more than four Newton
 * iterations, which Newton needs near a minimum (docs/findings/minimizers.md), Newton continues. The remaining decades
 * are those to gradient_tolerance, or, if that is 0, to 1e-12 of the first gradient. Work is in floating-point
 * operations, so that the iteration of the switch is the same on every machine; the number of factorisations shows it.
 * For a linear backend that reports no flops it is the fifth. */
#include <math.h>

#include "model/system/flops.h"
#include "solvers/minimize/descent.h"

enum { WINDOW = 5, NEWTON_STEPS = 4 };
#define GRADIENT_RATIO 1e-12

typedef struct {
  sb_system        *system;
  sb_options       *options; /* of Newton */
  sb_linear_solver *linear;  /* of 3x3 blocks */
  sb_descent        gradients, newton;
  double            work[2];             /* flops of an iteration of each */
  double            tolerance;           /* N: gradient_tolerance */
  double            first, past[WINDOW]; /* |G| at the start, and of the last iterations, in turn */
  long              count;               /* iterations since begin */
  bool              switched;
} hybrid;

static double solve_flops(const sb_factor_facts *facts, int columns) { return 4 * columns * facts->nonzeros_factor; }

/* Passes over springs, and solves; of Newton's a factorisation. */
static void find_work(hybrid *h, const sb_linear_solver *scalar)
{
  const sb_factor_facts *constant = sb_linear_solver_facts(scalar), *blocks = sb_linear_solver_facts(h->linear);
  const double           springs = h->system->springs_global;
  h->work[0] = (SB_FLOPS_GRADIENT.spring + SB_FLOPS_CURVATURE.spring) * springs + solve_flops(constant, 3);
  h->work[1] = (SB_FLOPS_GRADIENT.spring + SB_FLOPS_ASSEMBLY.spring + SB_FLOPS_ENERGY.spring) * springs +
               blocks->flops_factor + solve_flops(blocks, 1);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  static const char *const of_gradients[] = {"minimizer=nonlinear_cg", "metric=laplacian", "accelerator=ncg",
                                             "step=along", NULL};
  static const char *const of_newton[] = {"minimizer=newton", "metric=hessian", "accelerator=none", "step=armijo",
                                          NULL};
  hybrid                  *h = state;
  sb_minimizer_setup       own = *setup;
  sb_options              *options = sb_options_with(setup->options, of_gradients);

  PetscFunctionBeginUser;
  h->system = setup->system;
  h->tolerance = SB_REAL(setup->options, gradient_tolerance);
  own.options = options;
  PetscCall(sb_descent_prepare(&h->gradients, &own, outcome));
  sb_options_destroy(&options);
  if (!sb_outcome_accepted(*outcome)) PetscFunctionReturn(0);
  h->options = sb_options_with(setup->options, of_newton);
  PetscCall(sb_linear_solver_create(h->system->comm, h->options, "hybrid_", 1, h->system->profile, &h->linear));
  own.options = h->options;
  own.linear = h->linear;
  PetscCall(sb_descent_prepare(&h->newton, &own, outcome));
  find_work(h, setup->linear);
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  hybrid *h = state;

  PetscFunctionBeginUser;
  h->count = 0;
  h->switched = false;
  PetscCall(sb_descent_begin(&h->gradients, potential, z));
  PetscFunctionReturn(0);
}

/* Would what is left be more work for conjugate gradients than four Newton steps? */
static bool is_time(const hybrid *h, double norm)
{
  const double before = h->past[h->count % WINDOW], goal = fmax(h->tolerance, GRADIENT_RATIO * h->first);
  if (h->count < WINDOW || norm <= goal) return false;
  const double taken = log10(before / norm) / WINDOW, left = log10(norm / goal);
  return taken <= 0 || left / taken * h->work[0] > NEWTON_STEPS * h->work[1];
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  hybrid   *h = state;
  PetscReal norm;

  PetscFunctionBeginUser;
  if (!h->switched) {
    if (!iteration->gradient) {
      iteration->gradient = h->gradients.own_gradient;
      PetscCall(sb_potential_gradient(potential, z, iteration->gradient));
    }
    PetscCall(VecNorm(iteration->gradient, NORM_2, &norm));
    if (h->count == 0) h->first = norm;
    h->switched = is_time(h, norm);
    h->past[h->count++ % WINDOW] = norm;
    if (h->switched) PetscCall(sb_descent_begin(&h->newton, potential, z));
  }
  PetscCall(sb_descent_iterate(h->switched ? &h->newton : &h->gradients, potential, z, iteration));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  hybrid *h = state;

  PetscFunctionBeginUser;
  PetscCall(sb_descent_destroy(&h->gradients));
  if (h->options) PetscCall(sb_descent_destroy(&h->newton));
  PetscCall(sb_linear_solver_destroy(&h->linear));
  sb_options_destroy(&h->options);
  PetscFunctionReturn(0);
}

const sb_minimizer_method sb_minimizer_hybrid = {
    .name = "hybrid",
    .summary = "nonlinear conjugate gradients, then Newton once that is less work",
    .uses = "linear hessian ncg_formula contact_implicit",
    .traits = SB_DESCENDS | SB_IMPLICIT_CONTACT | SB_REDUCED_PINS,
    .columns = 3,
    .state_bytes = sizeof(hybrid),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
