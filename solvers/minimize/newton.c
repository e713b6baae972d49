/* Newton's method on the incremental potential:
 *
 *     (M/h^2 + sum H_s(z)) s = grad g(z),   z <- z - a s
 *
 * Hessian exact, projected spring by spring to be positive semi-definite, or chosen by whether the backend finds the
 * matrix positive definite: adaptive takes the projected one where the exact one is not, blended the mean
 * (1 - b) exact + b projected, spring by spring, with about the least b that makes it so, since the projected one alone
 * overrates the curvature of buckled springs and creeps (measured: docs/decisions.md). Step length a = 1, or
 * backtracking: halved until g(z - a s) <= g(z) - 1e-4 a grad g . s (Armijo 1966; Nocedal, Wright 2006, section 3.1).
 * With a barrier always so, from the part of s that brings nothing together; its own Hessian, added to the matrix
 * whatever that is of springs, is positive semi-definite (model/barrier_pair.h). */
#include "solvers/minimize/minimizer_method.h"

#include <math.h>
#include <string.h>

#include "model/barrier_matrix.h"
#include "solvers/linear/linear_backend.h"

#define ARMIJO 1e-4
/* Differences of g below this part of g are rounding of a sum over all springs: Armijo's test cannot see them. */
#define ROUNDING 1e-13
enum { HALVINGS_MAX = 50 };
/* Smallest part of the projected Hessian that is tried; below it, none. */
#define BLEND_MIN 0.03

typedef struct {
  sb_system         *system;
  sb_linear_solver  *linear;
  Mat                matrix;
  sb_barrier_matrix *barrier;                                   /* NULL: none */
  Vec                gradient, step;                            /* unknowns */
  Vec                trial;                                     /* full */
  bool               projected, adaptive, blended, line_search; /* blended is adaptive in its own way */
  double             blend;                                     /* b of the last iteration */
  double             value;                                     /* g(z), kept from one line search to the next */
  bool               value_known;
} newton;

/* Adaptive relies on being told. */
static PetscErrorCode check_backend(const sb_minimizer_setup *setup)
{
  const char              *name = SB_TEXT(setup->options, linear);
  const sb_linear_backend *backend = sb_linear_backend_find(name);

  PetscFunctionBeginUser;
  PetscCheck(backend && backend->traits & SB_DETECTS_INDEFINITE, setup->system->comm, PETSC_ERR_USER,
             "hessian=%s needs a linear backend that detects indefinite matrices, and linear=%s does not; "
             "use linear=cholesky, or hessian=projected",
             SB_TEXT(setup->options, hessian), name);
  PetscFunctionReturn(0);
}

/* Without a barrier the pattern is analysed, and room for factors made, before the first step: with every vertex in one
 * place each spring counts k I/3, which is a positive definite matrix of the final pattern. */
static PetscErrorCode analyze(newton *n, double h_seconds, sb_outcome *outcome)
{
  const bool   definite = n->projected && sb_system_is_symmetric(n->system);
  const double weight = 1 / (h_seconds * h_seconds);

  PetscFunctionBeginUser;
  PetscCall(VecZeroEntries(n->trial));
  PetscCall(sb_system_create_block_matrix(n->system, &n->matrix));
  if (n->barrier) PetscFunctionReturn(0);
  PetscCall(sb_system_assemble_hessian(n->system, SB_HESSIAN_PROJECTED, weight, n->trial, n->matrix));
  PetscCall(sb_linear_solver_set_matrix(n->linear, n->matrix, SB_PATTERN_ALONE, definite, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  newton *n = state;

  PetscFunctionBeginUser;
  n->system = setup->system;
  n->linear = setup->linear;
  n->blended = SB_IS(setup->options, hessian, "blended");
  n->adaptive = n->blended || SB_IS(setup->options, hessian, "adaptive");
  n->projected = SB_IS(setup->options, hessian, "projected");
  n->line_search = SB_FLAG(setup->options, line_search) || n->system->barrier;
  if (n->adaptive) PetscCall(check_backend(setup));
  PetscCall(sb_system_create_unknowns(n->system, &n->gradient));
  PetscCall(sb_system_create_unknowns(n->system, &n->step));
  PetscCall(sb_system_create_full(n->system, &n->trial));
  if (n->system->barrier) PetscCall(sb_barrier_matrix_create(n->system, &n->barrier));
  PetscCall(analyze(n, setup->h_seconds, outcome));
  PetscFunctionReturn(0);
}

static PetscErrorCode begin(void *state, const sb_potential *potential, Vec z)
{
  newton *n = state;

  PetscFunctionBeginUser;
  (void)potential;
  (void)z;
  n->value_known = false;
  n->blend = 0;
  if (n->barrier) PetscCall(sb_barrier_matrix_begin_step(n->barrier));
  PetscFunctionReturn(0);
}

/* step = (M/h^2 + sum H_s)^-1 gradient. Where adaptive will try again, a matrix that is not positive definite is no
 * solve that failed. */
static PetscErrorCode solve(newton *n, const sb_potential *potential, double blend, Vec z, Vec gradient,
                            sb_report *report)
{
  const bool definite = blend == 1 && sb_system_is_symmetric(n->system);
  bool       is_new = false;
  Mat        matrix = n->matrix;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_hessian(potential, 1 - blend, z, n->matrix));
  if (n->barrier) PetscCall(sb_barrier_matrix_add(n->barrier, z, n->matrix, &matrix, &is_new));
  PetscCall(sb_linear_solver_set_matrix(n->linear, matrix, is_new ? SB_NEW_PATTERN : SB_NEW_VALUES, definite,
                                        &report->outcome));
  if (n->adaptive && blend < 1 && report->outcome == SB_NOT_SPD) PetscFunctionReturn(0);
  PetscCall(sb_linear_solver_solve(n->linear, gradient, n->step, false, report));
  PetscFunctionReturn(0);
}

/* Armijo's rule, and what stands for it where the decrease is too small to be seen in g. */
static bool is_descent(double value, double trial, double a, double slope, double rounding)
{
  if (fabs(slope) <= rounding) return trial <= value + rounding;
  return slope < 0 && trial <= value + ARMIJO * a * slope;
}

/* The largest step length that is tried. */
static PetscErrorCode first_length(newton *n, const sb_potential *potential, Vec z, double *length)
{
  PetscFunctionBeginUser;
  *length = 1;
  if (!n->barrier) PetscFunctionReturn(0);
  PetscCall(VecCopy(z, n->trial));
  PetscCall(sb_system_add_unknowns(n->system, -1, n->step, n->trial));
  PetscCall(sb_potential_free_part(potential, z, n->trial, length));
  PetscFunctionReturn(0);
}

/* The value is kept from one search to the next, but with a barrier: pinned vertices may go on in between. */
static PetscErrorCode line_search(newton *n, const sb_potential *potential, Vec gradient, Vec z,
                                  sb_iteration *iteration)
{
  double slope, trial, noise, a, taken = 0;
  bool   found = false;

  PetscFunctionBeginUser;
  PetscCall(first_length(n, potential, z, &a));
  if (!n->value_known || n->barrier) PetscCall(sb_potential_value(potential, z, &n->value));
  n->value_known = true;
  PetscCall(sb_potential_rounding(potential, z, NULL, &noise));
  /* g is a sum of squares 1/2 k e^2, the e off by d: by Cauchy's inequality it is off by no more than
   * sqrt(2 g d^2 sum k) + d^2 sum k, however small g is beside the terms that e is the difference of. */
  const double rounding = fmax(ROUNDING * fabs(n->value), sqrt(2 * fabs(n->value) * noise) + noise);
  PetscCall(VecDot(gradient, n->step, &slope));
  slope = -slope;
  for (int halvings = 0; halvings <= HALVINGS_MAX && !found; ++halvings, a /= 2) {
    PetscCall(VecCopy(z, n->trial));
    PetscCall(sb_system_add_unknowns(n->system, -a, n->step, n->trial));
    PetscCall(sb_potential_value(potential, n->trial, &trial));
    found = a > 0 && is_descent(n->value, trial, a, slope, rounding); /* 0: not even the first part is free */
    taken = a;
  }
  iteration->stuck = !found;
  if (taken < 1) PetscCall(VecNorm(n->step, NORM_INFINITY, &iteration->step));
  if (!found) PetscFunctionReturn(0);
  n->value = trial;
  PetscCall(VecCopy(n->trial, z));
  PetscFunctionReturn(0);
}

/* Blended starts from half of what it needed before. */
static double first_blend(const newton *n)
{
  if (n->blended) return n->blend / 2 < BLEND_MIN ? 0 : n->blend / 2;
  return n->projected ? 1 : 0;
}

static PetscErrorCode iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  newton *n = state;
  Vec     gradient = iteration->gradient ? iteration->gradient : n->gradient;

  PetscFunctionBeginUser;
  if (!iteration->gradient) PetscCall(sb_potential_gradient(potential, z, gradient));
  n->blend = first_blend(n);
  PetscCall(solve(n, potential, n->blend, z, gradient, &iteration->linear));
  while (n->adaptive && n->blend < 1 && iteration->linear.outcome == SB_NOT_SPD) {
    n->blend = n->blended ? PetscMin(1, PetscMax(2 * n->blend, BLEND_MIN)) : 1;
    PetscCall(solve(n, potential, n->blend, z, gradient, &iteration->linear));
  }
  iteration->projected = n->adaptive && n->blend > 0;
  if (!sb_outcome_accepted(iteration->linear.outcome)) PetscFunctionReturn(0);
  if (n->line_search)
    PetscCall(line_search(n, potential, gradient, z, iteration));
  else
    PetscCall(sb_system_add_unknowns(n->system, -1, n->step, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  newton *n = state;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&n->matrix));
  PetscCall(sb_barrier_matrix_destroy(&n->barrier));
  PetscCall(VecDestroy(&n->gradient));
  PetscCall(VecDestroy(&n->step));
  PetscCall(VecDestroy(&n->trial));
  PetscFunctionReturn(0);
}

const sb_minimizer_method sb_minimizer_newton = {
    .name = "newton",
    .summary = "Newton's method: exact, projected or adaptive Hessian, full step or backtracking line search",
    .uses = "linear hessian line_search contact_implicit",
    .traits = SB_DESCENDS | SB_QUADRATIC | SB_IMPLICIT_CONTACT | SB_BARRIER,
    .columns = 1,
    .state_bytes = sizeof(newton),
    .prepare = prepare,
    .begin = begin,
    .iterate = iterate,
    .destroy = destroy,
};
