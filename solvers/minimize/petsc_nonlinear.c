/* SPDX-License-Identifier: GPL-3.0-or-later */
/* petsc_nonlinear: any nonlinear solver of PETSc by its options, on the same g. SNES solves grad g = 0 and searches by
 * g itself if its line search needs a merit function; TAO, if option `petsc_nonlinear` has options that begin with
 * -tao_, minimises g. Both get the assembled Hessian, exact or projected (option cg_hessian), and build it only if the
 * method needs it.
 *
 * These methods contain absolute numbers, and without a Hessian their first step is the gradient. PETSc therefore gets
 * a dimensionless problem, so that iterations do not depend on units. Let m be the mean mass of a vertex and l a
 * length, both rounded to powers of two, and s the first iterate. PETSc lowers g(s + l u) h^2/(m l^2) over u, from u =
 * 0.
 *
 * They own their loops: the front's stopping rules are their convergence test, and theirs are switched off. Linear
 * solvers inside are PETSc's, by the same text; by default a Cholesky factorisation, on several ranks by MUMPS. */
#include <math.h>
#include <petscsnes.h>
#include <petsctao.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/linear/ksp_outcome.h"
#include "solvers/linear/petsc_database.h"
#include "solvers/linear/petsc_text.h"
#include "solvers/minimize/minimizer_method.h"

/* l over the diagonal of the initial bounding box. Trust regions of SNES begin at a radius of 0.2. Quasi-Newton methods
 * of TAO cut off products of steps and gradients below 1e-8, so that in them u must not become small. */
#define SNES_LENGTH 1
#define TAO_LENGTH  1e-6

typedef struct {
  sb_system          *system;
  char               *text, *prefix;
  double              negative; /* factor on negative eigenvalues of springs */
  Mat                 matrix;
  SNES                snes; /* or */
  Tao                 tao;
  Vec                 unknown, gradient; /* u */
  Vec                 start, place;      /* unknowns of s, and of z = s + l u */
  Vec                 z;                 /* full: the current iterate, in which a trial is evaluated, too */
  bool                names_checked, stopped;
  const sb_potential *potential; /* of the current step */
  double              length;    /* l, m */
  double              unit;      /* m/h^2, N/m */
  const sb_loop      *loop;
  PetscInt            iterations_max;
} petsc_nonlinear;

/* The power of two next to a scale: divisions by it round nothing, so that values of g near a minimum keep their order,
 * on which line searches rest. */
static double power_of_two(double scale) { return exp2(round(log2(scale))); }

/* ---- the dimensionless g and its derivatives at u, over unknowns ---- */

static PetscErrorCode place(petsc_nonlinear *p, Vec u)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(p->place, p->length, u, p->start));
  PetscCall(sb_system_set_unknowns(p->system, p->place, p->z));
  PetscFunctionReturn(0);
}

static PetscErrorCode evaluate(petsc_nonlinear *p, Vec u, double *value)
{
  PetscFunctionBeginUser;
  PetscCall(place(p, u));
  PetscCall(sb_potential_value(p->potential, p->z, value));
  *value /= p->unit * p->length * p->length;
  PetscFunctionReturn(0);
}

static PetscErrorCode assemble(petsc_nonlinear *p, Vec u)
{
  PetscFunctionBeginUser;
  PetscCall(place(p, u));
  PetscCall(sb_potential_hessian(p->potential, p->negative, p->z, p->matrix));
  PetscCall(MatScale(p->matrix, 1 / p->unit));
  PetscFunctionReturn(0);
}

static PetscErrorCode differentiate(petsc_nonlinear *p, Vec u, Vec gradient)
{
  PetscFunctionBeginUser;
  PetscCall(place(p, u));
  PetscCall(sb_potential_gradient(p->potential, p->z, gradient));
  PetscCall(VecScale(gradient, 1 / (p->unit * p->length)));
  PetscFunctionReturn(0);
}

/* Asks the front; `done` stays true once it is. */
static PetscErrorCode judge(petsc_nonlinear *p, PetscInt k, Vec u, bool *done)
{
  PetscFunctionBeginUser;
  PetscCall(place(p, u));
  if (!p->stopped) PetscCall(p->loop->judge(p->loop->front, k, p->z, &p->stopped));
  *done = p->stopped;
  PetscFunctionReturn(0);
}

/* ---- SNES ---- */

static PetscErrorCode snes_gradient(SNES snes, Vec u, Vec gradient, void *state)
{
  PetscFunctionBeginUser;
  (void)snes;
  PetscCall(differentiate(state, u, gradient));
  PetscFunctionReturn(0);
}

static PetscErrorCode snes_value(SNES snes, Vec u, PetscReal *value, void *state)
{
  PetscFunctionBeginUser;
  (void)snes;
  PetscCall(evaluate(state, u, value));
  PetscFunctionReturn(0);
}

static PetscErrorCode snes_hessian(SNES snes, Vec u, Mat A, Mat P, void *state)
{
  PetscFunctionBeginUser;
  (void)snes;
  (void)A;
  (void)P;
  PetscCall(assemble(state, u));
  PetscFunctionReturn(0);
}

static PetscErrorCode snes_converged(SNES snes, PetscInt k, PetscReal u_norm, PetscReal step, PetscReal norm,
                                     SNESConvergedReason *reason, void *state)
{
  bool done = false;
  Vec  u;

  PetscFunctionBeginUser;
  (void)u_norm;
  (void)step;
  *reason = PetscIsInfOrNanReal(norm) ? SNES_DIVERGED_FNORM_NAN : SNES_CONVERGED_ITERATING;
  if (*reason != SNES_CONVERGED_ITERATING) PetscFunctionReturn(0);
  PetscCall(SNESGetSolution(snes, &u));
  PetscCall(judge(state, k, u, &done));
  if (done) *reason = SNES_CONVERGED_ITS;
  PetscFunctionReturn(0);
}

static PetscErrorCode create_snes(petsc_nonlinear *p)
{
  SNESLineSearch search;

  PetscFunctionBeginUser;
  PetscCall(SNESCreate(p->system->comm, &p->snes));
  PetscCall(SNESSetOptionsPrefix(p->snes, p->prefix));
  PetscCall(SNESSetType(p->snes, SNESNEWTONLS));
  PetscCall(SNESSetFunction(p->snes, p->gradient, snes_gradient, p));
  PetscCall(SNESSetJacobian(p->snes, p->matrix, p->matrix, snes_hessian, p));
  /* Its absolute tolerance, 1e-15, would end a search whose slope is small in these units. */
  PetscCall(SNESGetLineSearch(p->snes, &search));
  PetscCall(SNESLineSearchSetTolerances(search, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 0, PETSC_DEFAULT,
                                        PETSC_DEFAULT));
  PetscFunctionReturn(0);
}

/* PETSc 3.18 judges a trust region by gradients. Later versions judge it by values of g if they have them. Near a
 * minimum the differences of these are rounding. */
static PetscErrorCode offer_values(petsc_nonlinear *p)
{
  PetscBool trusts;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)p->snes, SNESNEWTONTR, &trusts));
  if (!trusts) PetscCall(SNESSetObjective(p->snes, snes_value, p));
  PetscFunctionReturn(0);
}

/* ---- TAO ---- */

static PetscErrorCode tao_value_and_gradient(Tao tao, Vec u, PetscReal *value, Vec gradient, void *state)
{
  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(evaluate(state, u, value));
  PetscCall(differentiate(state, u, gradient));
  PetscFunctionReturn(0);
}

static PetscErrorCode tao_hessian(Tao tao, Vec u, Mat A, Mat P, void *state)
{
  PetscFunctionBeginUser;
  (void)tao;
  (void)A;
  (void)P;
  PetscCall(assemble(state, u));
  PetscFunctionReturn(0);
}

static PetscErrorCode tao_converged(Tao tao, void *state)
{
  PetscInt k;
  bool     done = false;
  Vec      u;

  PetscFunctionBeginUser;
  PetscCall(TaoGetIterationNumber(tao, &k));
  PetscCall(TaoGetSolution(tao, &u));
  PetscCall(judge(state, k, u, &done));
  PetscCall(TaoSetConvergedReason(tao, done ? TAO_CONVERGED_USER : TAO_CONTINUE_ITERATING));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_tao(petsc_nonlinear *p)
{
  PetscFunctionBeginUser;
  PetscCall(TaoCreate(p->system->comm, &p->tao));
  PetscCall(TaoSetOptionsPrefix(p->tao, p->prefix));
  PetscCall(TaoSetType(p->tao, TAOLMVM));
  PetscCall(TaoSetSolution(p->tao, p->unknown));
  PetscCall(TaoSetObjectiveAndGradient(p->tao, p->gradient, tao_value_and_gradient, p));
  PetscCall(TaoSetHessian(p->tao, p->matrix, p->matrix, tao_hessian, p));
  PetscFunctionReturn(0);
}

/* ---- the method ---- */

/* Defaults of the text. The line search finds a point where the gradient along the step is 0, in three secants, without
 * values of g, whose differences near a minimum are rounding. And a direct factorisation. */
static PetscErrorCode choose_defaults(petsc_nonlinear *p)
{
  SNESLineSearch search;
  KSP            ksp;
  PC             pc;

  PetscFunctionBeginUser;
  PetscCall(SNESGetLineSearch(p->snes, &search));
  PetscCall(SNESLineSearchSetType(search, SNESLINESEARCHCP));
  PetscCall(SNESLineSearchSetTolerances(search, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT,
                                        PETSC_DEFAULT, 3));
  PetscCall(SNESGetKSP(p->snes, &ksp));
  PetscCall(KSPSetType(ksp, KSPPREONLY));
  PetscCall(KSPGetPC(ksp, &pc));
  PetscCall(PCSetType(pc, PCCHOLESKY));
  if (p->system->ranks > 1) PetscCall(PCFactorSetMatSolverType(pc, MATSOLVERMUMPS));
  PetscFunctionReturn(0);
}

static PetscErrorCode build(void *state)
{
  petsc_nonlinear *p = state;

  PetscFunctionBeginUser;
  PetscCall(SNESDestroy(&p->snes));
  PetscCall(TaoDestroy(&p->tao));
  if (strstr(p->text, "-tao_")) {
    PetscCall(create_tao(p));
    PetscCall(TaoSetFromOptions(p->tao));
    PetscCall(TaoSetConvergenceTest(p->tao, tao_converged, p));
    PetscCall(TaoSetMaximumIterations(p->tao, PETSC_MAX_INT));
    PetscCall(TaoSetMaximumFunctionEvaluations(p->tao, PETSC_MAX_INT));
  } else {
    PetscCall(create_snes(p));
    PetscCall(choose_defaults(p));
    PetscCall(SNESSetFromOptions(p->snes));
    PetscCall(offer_values(p));
    PetscCall(SNESSetConvergenceTest(p->snes, snes_converged, p, NULL));
    PetscCall(SNESSetTolerances(p->snes, 0, 0, 0, (int)p->iterations_max, PETSC_MAX_INT));
    PetscCall(SNESSetDivergenceTolerance(p->snes, -1));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode build_for_user(petsc_nonlinear *p)
{
  return sb_petsc_obey(p->system->comm, build, p, "petsc_nonlinear", p->text);
}

static PetscErrorCode prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  petsc_nonlinear *p = state;

  PetscFunctionBeginUser;
  p->system = setup->system;
  p->negative = SB_IS(setup->options, cg_hessian, "exact") ? SB_HESSIAN_EXACT : SB_HESSIAN_PROJECTED;
  p->iterations_max = (PetscInt)SB_INTEGER(setup->options, max_iterations);
  p->text = sb_petsc_text_expand(SB_TEXT(setup->options, petsc_nonlinear));
  p->length = p->system->diagonal > 0 ? p->system->diagonal : 1;
  p->length = power_of_two(p->length * (strstr(p->text, "-tao_") ? TAO_LENGTH : SNES_LENGTH));
  PetscCall(sb_system_create_block_matrix(p->system, &p->matrix));
  PetscCall(sb_system_create_unknowns(p->system, &p->unknown));
  PetscCall(sb_system_create_unknowns(p->system, &p->gradient));
  PetscCall(sb_system_create_unknowns(p->system, &p->start));
  PetscCall(sb_system_create_unknowns(p->system, &p->place));
  PetscCall(sb_system_create_full(p->system, &p->z));
  p->prefix = sb_petsc_prefix_take("sb_minimizer_");
  PetscCall(sb_petsc_database_insert(p->text, p->prefix));
  PetscCall(build_for_user(p));
  *outcome = SB_SOLVED;
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(petsc_nonlinear *p)
{
  PetscFunctionBeginUser;
  if (p->tao)
    PetscCall(TaoSolve(p->tao));
  else
    PetscCall(SNESSolve(p->snes, NULL, p->unknown));
  PetscFunctionReturn(0);
}

/* If only rounding is left, no line search finds a descent, and none is needed. */
static PetscErrorCode is_rounding(petsc_nonlinear *p, bool *rounding)
{
  PetscReal norm, least;

  PetscFunctionBeginUser;
  PetscCall(differentiate(p, p->unknown, p->gradient));
  PetscCall(VecNorm(p->gradient, NORM_2, &norm));
  PetscCall(sb_potential_rounding(p->potential, p->z, &least, NULL));
  *rounding = p->unit * p->length * norm <= least;
  PetscFunctionReturn(0);
}

/* The verdict of SNES or TAO if the front did not end them. */
static PetscErrorCode read_verdict(petsc_nonlinear *p, sb_iteration *iteration)
{
  SNESConvergedReason reason = SNES_CONVERGED_ITERATING;
  TaoConvergedReason  of_tao = TAO_CONTINUE_ITERATING;

  PetscFunctionBeginUser;
  iteration->linear = (sb_solve_report){.outcome = SB_SOLVED, .reason = ""};
  if (p->stopped) PetscFunctionReturn(0);
  if (p->snes) PetscCall(SNESGetConvergedReason(p->snes, &reason));
  if (p->tao) PetscCall(TaoGetConvergedReason(p->tao, &of_tao));
  if (reason == SNES_DIVERGED_LINEAR_SOLVE)
    iteration->linear = (sb_solve_report){.outcome = SB_STALLED, .reason = "SNES: its linear solver failed"};
  else if (reason == SNES_DIVERGED_FNORM_NAN || of_tao == TAO_DIVERGED_NAN)
    iteration->linear = (sb_solve_report){.outcome = SB_NOT_FINITE, .reason = "PETSc found a value that is not finite"};
  else if (reason != SNES_DIVERGED_MAX_IT) {
    PetscCall(is_rounding(p, &iteration->settled));
    iteration->stuck = !iteration->settled;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode run(void *state, const sb_potential *potential, Vec z, const sb_loop *loop,
                          sb_iteration *iteration)
{
  petsc_nonlinear *p = state;

  PetscFunctionBeginUser;
  p->potential = potential;
  p->unit = power_of_two(p->system->mass_total / (p->system->vertices * potential->h_seconds * potential->h_seconds));
  p->loop = loop;
  p->stopped = false;
  PetscCall(VecCopy(z, p->z));
  PetscCall(sb_system_restrict(p->system, z, p->start));
  PetscCall(VecSet(p->unknown, 0));
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = solve(p);
  PetscCall(PetscPopErrorHandler());
  PetscCheck(failed != PETSC_ERR_MEM, PETSC_COMM_SELF, PETSC_ERR_MEM, "petsc_nonlinear ran out of memory");
  if (failed) {
    iteration->linear.outcome = sb_petsc_error_outcome(failed, &iteration->linear.reason);
    PetscCall(build_for_user(p));
    PetscFunctionReturn(0);
  }
  if (!p->names_checked) PetscCall(sb_petsc_database_check_read(p->text, p->prefix, "petsc_nonlinear"));
  p->names_checked = true;
  PetscCall(read_verdict(p, iteration));
  PetscCall(place(p, p->unknown));
  PetscCall(sb_system_set_unknowns(p->system, p->place, z));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  petsc_nonlinear *p = state;

  PetscFunctionBeginUser;
  PetscCall(SNESDestroy(&p->snes));
  PetscCall(TaoDestroy(&p->tao));
  PetscCall(MatDestroy(&p->matrix));
  PetscCall(VecDestroy(&p->unknown));
  PetscCall(VecDestroy(&p->gradient));
  PetscCall(VecDestroy(&p->start));
  PetscCall(VecDestroy(&p->place));
  PetscCall(VecDestroy(&p->z));
  if (p->prefix) PetscCall(sb_petsc_database_remove(p->text, p->prefix));
  sb_petsc_prefix_give_back(p->prefix);
  free(p->text);
  PetscFunctionReturn(0);
}

const sb_minimizer_method sb_minimizer_petsc_nonlinear = {
    .name = "petsc_nonlinear",
    .summary = "any SNES or TAO of PETSc, by option petsc_nonlinear; by default Newton's method with a line search",
    .uses = "petsc_nonlinear cg_hessian",
    .reads = "contact_implicit",
    .traits = SB_IMPLICIT_CONTACT | SB_REDUCED_PINS | SB_UNCOUNTED, /* nor its factors */
    .state_bytes = sizeof(petsc_nonlinear),
    .prepare = prepare,
    .run = run,
    .destroy = destroy,
};
