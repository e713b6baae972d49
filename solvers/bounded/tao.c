/* PETSc's bound-constrained minimisers (TAO): BLMVM, a limited-memory quasi-Newton method with projections; GPCG,
 * gradient projection and conjugate gradients among free variables (More, Toraldo 1991); BQPIP, an interior point
 * method. */
#include <petsctao.h>

#include "solvers/bounded/bounded_method.h"

typedef struct {
  const sb_bounded_problem *problem;
  PetscErrorCode            failure;
} program;

static PetscErrorCode evaluate(Tao tao, Vec x, PetscReal *f, Vec gradient, void *context)
{
  const sb_bounded_problem *problem = ((program *)context)->problem;
  double                    bx, xax;

  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(MatMult(problem->A, x, gradient));
  PetscCall(VecDot(x, gradient, &xax));
  PetscCall(VecDot(problem->b, x, &bx));
  PetscCall(VecAXPY(gradient, -1, problem->b));
  *f = 0.5 * xax - bx;
  PetscFunctionReturn(0);
}

static PetscErrorCode keep_hessian(Tao tao, Vec x, Mat hessian, Mat preconditioner, void *context)
{
  (void)tao;
  (void)x;
  (void)hessian;
  (void)preconditioner;
  (void)context;
  return 0;
}

/* Ends by the front's residual, not by TAO's. */
static PetscErrorCode test(Tao tao, void *context)
{
  const sb_bounded_problem *problem = ((program *)context)->problem;
  PetscInt                  iteration;
  Vec                       x;
  bool                      done;

  PetscFunctionBeginUser;
  PetscCall(TaoGetIterationNumber(tao, &iteration));
  PetscCall(TaoGetSolution(tao, &x));
  if (x != problem->q) PetscCall(VecCopy(x, problem->q));
  PetscCall(sb_bounded_look(problem, iteration, &done));
  if (done)
    PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_USER));
  else if (iteration >= problem->iterations_max)
    PetscCall(TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(Tao tao, program *p, Vec x, Vec low, Vec high)
{
  const sb_bounded_problem *problem = p->problem;

  PetscFunctionBeginUser;
  PetscCall(VecSet(low, 0));
  PetscCall(VecSet(high, PETSC_INFINITY));
  PetscCall(TaoSetType(tao, SB_TEXT(problem->options, pressure_tao)));
  PetscCall(TaoSetSolution(tao, x));
  PetscCall(TaoSetVariableBounds(tao, low, high));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, evaluate, p));
  PetscCall(TaoSetHessian(tao, problem->A, problem->A, keep_hessian, p));
  PetscCall(TaoSetConvergenceTest(tao, test, p));
  PetscCall(TaoSetMaximumIterations(tao, problem->iterations_max));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, PETSC_MAX_INT));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  program            p = {.problem = problem};
  Tao                tao;
  Vec                low, high, x;
  TaoConvergedReason reason;
  KSP                ksp;
  PetscInt           inner = 0;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(problem->q, &low));
  PetscCall(VecDuplicate(problem->q, &high));
  PetscCall(VecDuplicate(problem->q, &x));
  PetscCall(VecCopy(problem->q, x));
  PetscCall(TaoCreate(PETSC_COMM_SELF, &tao));
  PetscCall(prepare(tao, &p, x, low, high));
  PetscCall(TaoSolve(tao));
  PetscCall(TaoGetConvergedReason(tao, &reason));
  PetscCall(TaoGetIterationNumber(tao, &report->iterations));
  PetscCall(TaoGetKSP(tao, &ksp));
  if (ksp) PetscCall(KSPGetTotalIterations(ksp, &inner));
  report->linear_iterations = inner;
  PetscCall(VecCopy(x, problem->q));
  if (reason < 0 && reason != TAO_DIVERGED_MAXITS) report->outcome = SB_STALLED;
  if (reason < 0) report->reason = TaoConvergedReasons[reason];
  PetscCall(TaoDestroy(&tao));
  PetscCall(VecDestroy(&low));
  PetscCall(VecDestroy(&high));
  PetscCall(VecDestroy(&x));
  PetscFunctionReturn(0);
}

const sb_bounded_method sb_bounded_tao = {
    .name = "tao",
    .summary = "a bound-constrained minimiser of PETSc: BLMVM, GPCG or BQPIP",
    .uses = "pressure_tao",
    .solve = solve,
};
