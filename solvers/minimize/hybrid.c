/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Iterations without a factored Hessian first, and with one once it pays; without a parameter.
 *
 * Newton-CG (newton_cg.c) begins. On stiff nets it is slow to rough accuracy, since its solves need about as many
 * products as the root of h^2 k/m; there nonlinear conjugate gradients with the constant matrix begin. L-BFGS over one
 * factored Hessian (frozen_newton.c) continues. It begins if a factorisation costs no more than a few products, as on
 * chains.
 *
 * The accuracy that a user wants may be unknown. The rules therefore compare the work done so far with that of a
 * factorisation. The Hessian is factored when Newton-CG has done half of its work, or nonlinear CG as much, unless the
 * rest needs less at the present rate. The rest is the decades of |G| to gradient_tolerance, or two if that is 0. The
 * Hessian is factored again when the present rate is below the mean since the last time, the factorisation included.
 *
 * Work is in floating-point operations, so that the iterations of the switches are the same on every machine. The work
 * of a linear backend that reports none counts as 0. */
#include <math.h>

#include "model/system/flops.h"
#include "solvers/minimize/descent.h"

#define STIFF     8000 /* h^2 (sum of k over the springs of a vertex)/m, in the mean, from which nonlinear CG begins */
#define AT_ONCE   15   /* products that a factorisation may cost to come at once */
#define NEWTON_CG 0.5  /* work before the factor, in factorisations, and of a solve; nonlinear CG: 1 */
#define AGE       0.5  /* least work with a factor before another, likewise */
#define WINDOW    0.25 /* least work over which a rate is measured, likewise */
#define DECADES   2    /* to go, if unknown */
/* Flops per vertex of vectors: of a product and the operations of CG on it; of an iteration, mostly of L-BFGS. */
enum { PRODUCT_VERTEX = 50, ITERATION_VERTEX = 100 };

typedef struct {
  double work, norm; /* flops since the step began; |G|, N */
} mark;

typedef struct {
  sb_system        *system;
  sb_linear_solver *constant; /* of W, for nonlinear CG */
  sb_descent        first, frozen;
  bool              begins, factored;              /* `first` begins a step; frozen has taken over */
  double            factor, solve, product, other; /* flops; other: of an iteration, without products and solves */
  double            patience;                      /* flops before the factor */
  double            tolerance;                     /* N: gradient_tolerance */
  mark              now, recent, past, made;       /* recent, past: one and two windows before; made: of this factor */
} hybrid;

static double passes(const sb_system *system, double spring, double vertex)
{
  return spring * system->springs_global + vertex * system->vertices;
}

static void find_work(hybrid *h, const sb_linear_solver *linear)
{
  const sb_factor_facts *facts = sb_linear_solver_facts(linear);
  h->product = passes(h->system, SB_FLOPS_PRODUCT.spring, PRODUCT_VERTEX);
  h->other = passes(h->system, SB_FLOPS_GRADIENT.spring + SB_FLOPS_ENERGY.spring, ITERATION_VERTEX);
  h->factor = passes(h->system, SB_FLOPS_ASSEMBLY.spring, 0) + facts->flops_factor;
  h->solve = 4 * facts->nonzeros_factor;
}

/* Flops of an iteration. The product that is not counted represents Newton-CG's blocks or the curvature of `along`. */
static double work_of(const hybrid *h, const sb_iteration *iteration)
{
  if (h->factored) return h->other + h->solve;
  return h->other + (1 + (double)iteration->linear.iterations) * h->product +
         12 * sb_linear_solver_facts(h->constant)->nonzeros_factor;
}

/* h^2 (sum of k over the springs of a vertex)/m, in the mean. */
static PetscErrorCode find_stiffness(const sb_minimizer_setup *setup, double *stiffness)
{
  const sb_system  *system = setup->system;
  const sb_springs *springs = &system->springs;
  double            sums[2] = {0, 0};

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < springs->count; ++s)
    sums[0] += springs->stiffness[s] * ((springs->first[s] < system->owned) + (springs->second[s] < system->owned));
  for (PetscInt i = 0; i < system->owned; ++i) sums[1] += system->mass[i];
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, system->comm));
  *stiffness = setup->h_seconds * setup->h_seconds * sums[0] / sums[1];
  PetscFunctionReturn(0);
}

/* A solve of Newton-CG may not exceed the work before the factor by far. */
static PetscErrorCode prepare_first(hybrid *h, const sb_minimizer_setup *setup, bool is_stiff, sb_outcome *outcome)
{
  char              most[40];
  const char *const newton_cg[] = {
      "minimizer=newton_cg", "metric=truncated_cg", "accelerator=none", "step=armijo", "cg_hessian=exact", most, NULL};
  const char *const gradients[] = {"minimizer=nonlinear_cg", "metric=laplacian", "accelerator=ncg", "step=along", NULL};
  const double      products =
      fmin(NEWTON_CG * h->factor / h->product, (double)SB_INTEGER(setup->options, cg_max_iterations));

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(most, sizeof most, "cg_max_iterations=%d", (int)products));
  sb_options        *options = sb_options_with(setup->options, is_stiff ? gradients : newton_cg);
  sb_minimizer_setup own = {h->system, options, setup->h_seconds, NULL};
  if (is_stiff) {
    PetscCall(sb_linear_solver_create(h->system->comm, options, "hybrid_", 3, h->system->profile, &h->constant));
    own.linear = h->constant;
  }
  PetscCall(sb_descent_prepare(&h->first, &own, outcome));
  sb_options_destroy(&options);
  h->patience = (is_stiff ? 1 : NEWTON_CG) * h->factor;
  h->begins = true;
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  static const char *const of_frozen[] = {"minimizer=frozen_newton", "metric=frozen", "accelerator=lbfgs",
                                          "step=armijo", NULL};
  hybrid                  *h = state;
  sb_minimizer_setup       own = *setup;
  sb_options              *options = sb_options_with(setup->options, of_frozen);
  double                   stiffness;

  PetscFunctionBeginUser;
  h->system = setup->system;
  h->tolerance = SB_REAL(setup->options, gradient_tolerance);
  own.options = options;
  PetscCall(sb_descent_prepare(&h->frozen, &own, outcome));
  sb_options_destroy(&options);
  find_work(h, setup->linear);
  if (!sb_outcome_accepted(*outcome) || h->factor <= AT_ONCE * h->product) PetscFunctionReturn(0);
  PetscCall(find_stiffness(setup, &stiffness));
  PetscCall(prepare_first(h, setup, stiffness > STIFF, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode make_factor(hybrid *h, const sb_potential *potential, Vec z)
{
  PetscFunctionBeginUser;
  h->factored = true;
  h->made = h->recent = h->past = h->now;
  PetscCall(sb_descent_begin(&h->frozen, potential, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  hybrid *h = state;

  PetscFunctionBeginUser;
  h->factored = false;
  h->now = (mark){0, NAN};
  if (h->begins) PetscCall(sb_descent_begin(&h->first, potential, z));
  PetscFunctionReturn(0);
}

/* Decades of |G| since then, per factorisation's work. */
static double rate(const hybrid *h, mark then, double more)
{
  return log10(then.norm / h->now.norm) * h->factor / (h->now.work - then.work + more);
}

/* True if this iterate's Hessian should be factored. */
static bool is_time(const hybrid *h)
{
  const double left = h->tolerance > 0 ? log10(h->now.norm / h->tolerance) : DECADES;
  if (h->factored &&
      (h->now.work - h->made.work < AGE * h->factor || rate(h, h->past, 0) >= rate(h, h->made, h->factor)))
    return false;
  return (h->factored || h->now.work >= h->patience) && rate(h, h->past, 0) < left;
}

static PetscErrorCode measure(hybrid *h, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  const bool starts = isnan(h->now.norm);

  PetscFunctionBeginUser;
  if (!iteration->gradient) {
    iteration->gradient = h->frozen.own_gradient;
    PetscCall(sb_potential_gradient(potential, z, iteration->gradient));
  }
  PetscCall(VecNorm(iteration->gradient, NORM_2, &h->now.norm));
  if (starts) h->recent = h->past = h->now;
  if (h->now.work - h->recent.work >= WINDOW * h->factor) {
    h->past = h->recent;
    h->recent = h->now;
  }
  if (starts ? !h->begins : is_time(h)) PetscCall(make_factor(h, potential, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  hybrid *h = state;

  PetscFunctionBeginUser;
  PetscCall(measure(h, potential, z, iteration));
  PetscCall(sb_descent_iterate(h->factored ? &h->frozen : &h->first, potential, z, iteration));
  h->now.work += work_of(h, iteration);
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  hybrid *h = state;

  PetscFunctionBeginUser;
  PetscCall(sb_descent_destroy(&h->frozen));
  PetscCall(sb_descent_destroy(&h->first));
  PetscCall(sb_linear_solver_destroy(&h->constant));
  PetscFunctionReturn(0);
}

const sb_minimizer_method sb_minimizer_hybrid = {
    .name = "hybrid",
    .summary = "Newton-CG or, on stiff nets, nonlinear CG, then L-BFGS over a factored Hessian once that pays",
    .uses = "linear contact_implicit",
    .reads = "window preconditioner cg_max_iterations ncg_formula curvature",
    .traits = SB_DESCENDS | SB_IMPLICIT_CONTACT | SB_REDUCED_PINS,
    .columns = 1,
    .state_bytes = sizeof(hybrid),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
