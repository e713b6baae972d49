/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A choice by the price of a factorisation (price.h), without a parameter and without a target.
 *
 * If a factorisation costs at most CHEAP products with the Hessian, as on ropes, strands and narrow strips, the method
 * is Newton's with whole steps. Otherwise it rents before it buys. Newton-CG over blocks begins a step. Newton-CG with
 * the coarse space continues when the work has reached its price. When the work of the coarse space has reached the
 * price of a factorisation, and the rest would take more at the present rate, L-BFGS over a factored Hessian continues
 * until |G| does not fall by half. With contact in g, each change of the active set changes the Hessian, and nothing is
 * bought.
 *
 * Work is in floating-point operations, so that the iterations of the changes are the same on every machine. Nothing is
 * carried from one step to the next. The constants were chosen on nets of other sizes, seeds and shapes than those of
 * experiments/minimizers. */
#include <math.h>

#include "model/system/flops.h"
#include "solvers/minimize/descent.h"
#include "solvers/minimize/price.h"

#define CHEAP 30   /* products that a factorisation may cost to come at every iterate */
#define TO_GO 2.5  /* decades of |G| that are expected to be left */
#define SLOW  0.5  /* |G| over that before, of an iteration with an old factor that does not pay */
#define FIRST "10" /* most products of the solve over blocks */
enum { ITERATION_VERTEX = 100 }; /* flops per vertex of an iteration, mostly of its vectors */

enum { WHOLE, BLOCKS, COARSE, FACTORED, PARTS };

typedef struct {
  sb_system        *system;
  sb_linear_solver *coarse; /* of the coarse space; the front's has the Hessian */
  sb_descent        part[PARTS];
  int               first, now;
  bool              buys;            /* a factored Hessian may come */
  sb_price          price;           /* of a factorisation of the Hessian */
  double            coarse_price;    /* flops of the coarse matrix and its factor */
  double            other, solve[2]; /* flops of an iteration without products; of a solve, coarse and not */
  double            work, begun;     /* flops since the step began, and until the present part began */
  double            norm, most;      /* |G|, N: at the last iterate, and the largest of the present part */
} choice;

static PetscErrorCode prepare_part(choice *c, int part, const sb_minimizer_setup *setup, sb_linear_solver *linear,
                                   sb_outcome *outcome)
{
  static const char *const options_of[PARTS][8] = {
      [WHOLE] = {"minimizer=newton", "metric=hessian", "accelerator=none", "step=watchdog", "hessian=blended"},
      [BLOCKS] = {"minimizer=newton_cg", "metric=truncated_cg", "accelerator=none", "step=armijo", "cg_hessian=exact",
                  "preconditioner=block_jacobi", "cg_max_iterations=" FIRST},
      [COARSE] = {"minimizer=newton_cg", "metric=truncated_cg", "accelerator=none", "step=armijo", "cg_hessian=exact",
                  "preconditioner=aggregates", "cg_max_iterations=500"},
      [FACTORED] = {"minimizer=frozen_newton", "metric=frozen", "accelerator=lbfgs", "step=armijo", "window=5"}};
  sb_options              *options = sb_options_with(setup->options, options_of[part]);
  const sb_minimizer_setup own = {setup->system, options, setup->h_seconds, linear};

  PetscFunctionBeginUser;
  PetscCall(sb_descent_prepare(&c->part[part], &own, outcome));
  sb_options_destroy(&options);
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare_rest(choice *c, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  const sb_system *system = setup->system;

  PetscFunctionBeginUser;
  PetscCall(sb_linear_solver_create(system->comm, setup->options, "coarse_", 1, system->profile, &c->coarse));
  PetscCall(prepare_part(c, BLOCKS, setup, NULL, outcome));
  PetscCall(prepare_part(c, COARSE, setup, c->coarse, outcome));
  const sb_factor_facts *facts = sb_linear_solver_facts(c->coarse);
  c->coarse_price = c->price.product + facts->flops_factor;
  c->solve[0] = 4 * facts->nonzeros_factor;
  c->solve[1] = 4 * sb_linear_solver_facts(setup->linear)->nonzeros_factor;
  c->other = (SB_FLOPS_GRADIENT.spring + SB_FLOPS_ENERGY.spring) * (double)system->springs_global +
             ITERATION_VERTEX * (double)system->vertices;
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  choice *c = state;

  PetscFunctionBeginUser;
  c->system = setup->system;
  c->buys = !c->system->contact || !sb_contact_is_implicit(c->system->contact);
  PetscCall(prepare_part(c, FACTORED, setup, setup->linear, outcome));
  if (!sb_outcome_accepted(*outcome)) PetscFunctionReturn(0);
  c->price = sb_factor_price(c->system, setup->linear);
  c->first = c->price.factor <= CHEAP * c->price.product ? WHOLE : BLOCKS;
  if (c->first == WHOLE || !c->buys) { /* no more than its price was needed */
    PetscCall(sb_descent_destroy(&c->part[FACTORED]));
    c->part[FACTORED] = (sb_descent){0};
  }
  if (c->first == WHOLE)
    PetscCall(prepare_part(c, WHOLE, setup, setup->linear, outcome));
  else
    PetscCall(prepare_rest(c, setup, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode change(choice *c, int part, const sb_potential *potential, Vec z)
{
  PetscFunctionBeginUser;
  c->now = part;
  c->begun = c->work;
  c->most = c->norm;
  if (part == FACTORED) c->work += c->price.factor;
  PetscCall(sb_descent_begin(&c->part[part], potential, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  choice *c = state;

  PetscFunctionBeginUser;
  c->work = 0;
  c->norm = NAN;
  PetscCall(change(c, c->first, potential, z));
  PetscFunctionReturn(0);
}

/* True if a factor costs no more than the coarse space has cost and, at its rate, will cost. */
static bool factor_pays(const choice *c)
{
  const double spent = c->work - c->begun, decades = log10(c->most / c->norm);
  return c->buys && spent >= c->price.factor && spent * TO_GO >= c->price.factor * decades;
}

static PetscErrorCode choose(choice *c, const sb_potential *potential, Vec z, Vec gradient)
{
  const double before = c->norm;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(gradient, NORM_2, &c->norm));
  c->most = fmax(c->most, c->norm);
  if (c->now == BLOCKS && c->work >= c->coarse_price) PetscCall(change(c, COARSE, potential, z));
  if (c->now == COARSE && factor_pays(c)) PetscCall(change(c, FACTORED, potential, z));
  if (c->now == FACTORED && c->norm > SLOW * before && c->part[FACTORED].count > 0)
    PetscCall(change(c, COARSE, potential, z));
  PetscFunctionReturn(0);
}

/* Flops of an iteration, with the coarse matrix, without the Hessian's. The product that is not among the iterations
 * represents the blocks. */
static double work_of(const choice *c, const sb_iteration *iteration)
{
  const double products = 1 + (double)iteration->linear.iterations;
  if (c->now == FACTORED) return c->other + c->solve[1];
  if (c->now == COARSE) return c->other + c->coarse_price + products * (c->price.product + c->solve[0]);
  return c->other + products * c->price.product;
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  choice *c = state;

  PetscFunctionBeginUser;
  if (c->first == BLOCKS) {
    if (!iteration->gradient) {
      iteration->gradient = c->part[BLOCKS].own_gradient;
      PetscCall(sb_potential_gradient(potential, z, iteration->gradient));
    }
    PetscCall(choose(c, potential, z, iteration->gradient));
  }
  PetscCall(sb_descent_iterate(&c->part[c->now], potential, z, iteration));
  c->work += work_of(c, iteration);
  if (c->now != FACTORED || !iteration->stuck) PetscFunctionReturn(0);
  iteration->stuck = false; /* z has not moved, and another metric may find a descent */
  PetscCall(change(c, COARSE, potential, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  choice *c = state;

  PetscFunctionBeginUser;
  for (int part = 0; part < PARTS; ++part)
    if (c->part[part].of.metric) PetscCall(sb_descent_destroy(&c->part[part]));
  PetscCall(sb_linear_solver_destroy(&c->coarse));
  PetscFunctionReturn(0);
}

const sb_minimizer_method sb_minimizer_auto = {
    .name = "auto",
    .summary = "Newton's method where a factorisation costs little, else Newton-CG with what its work has paid for",
    .aliases = (const sb_alias[]){{"hybrid", NULL}, {NULL, NULL}},
    .uses = "linear contact_implicit",
    .traits = SB_TESTS_GRADIENT | SB_IMPLICIT_CONTACT | SB_REDUCED_PINS,
    .columns = 1,
    .state_bytes = sizeof(choice),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
