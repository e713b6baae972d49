/* SPDX-License-Identifier: GPL-3.0-or-later */
/* PETSc's bound-constrained minimisers (TAO): BLMVM, a limited-memory quasi-Newton method with projections; GPCG,
 * gradient projection and conjugate gradients among free variables (More, Toraldo 1991); BQPIP, an interior point
 * method.
 *
 * These methods contain absolute numbers: the first step of BLMVM is 2 g/|g|^2, and BQPIP starts at least 1 away from
 * the bounds. So that their iterations do not depend on units, they solve a dimensionless problem. With D the diagonal
 * of A and n rows it is
 *
 *     min 1/2 y.B y - c.y, y >= 0,   B = D^-1/2 A D^-1/2,   c = D^-1/2 b/s,   s = |max(D^-1/2 b, 0)|_2/sqrt(n)
 *
 * The diagonal of B is 1, and positive entries of c are near 1 for any number of rows. q = s D^-1/2 y. */
#include <petsctao.h>

#include "solvers/bounded/bounded_method.h"

typedef struct {
  const sb_bounded_problem *problem;
  Vec                       root; /* D^-1/2; 0 where D is 0 */
  Vec                       c, y, low, high;
  double                    size; /* s */
  Mat                       B;    /* NULL for BLMVM, which needs only products */
} program;

static PetscErrorCode evaluate(Tao tao, Vec y, PetscReal *f, Vec gradient, void *context)
{
  const program *p = context;
  double         cy, yby;

  PetscFunctionBeginUser;
  (void)tao;
  PetscCall(VecPointwiseMult(p->problem->r, p->root, y));
  PetscCall(MatMult(p->problem->A, p->problem->r, gradient));
  PetscCall(VecPointwiseMult(gradient, p->root, gradient)); /* B y */
  PetscCall(VecDot(y, gradient, &yby));
  PetscCall(VecDot(p->c, y, &cy));
  PetscCall(VecAXPY(gradient, -1, p->c));
  *f = 0.5 * yby - cy;
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

/* q = s D^-1/2 y. */
static PetscErrorCode set_pressures(const program *p, Vec y)
{
  PetscFunctionBeginUser;
  PetscCall(VecPointwiseMult(p->problem->q, p->root, y));
  PetscCall(VecScale(p->problem->q, p->size));
  PetscFunctionReturn(0);
}

/* Ends by the front's residual, not by TAO's. */
static PetscErrorCode test(Tao tao, void *context)
{
  const program            *p = context;
  const sb_bounded_problem *problem = p->problem;
  PetscInt                  iteration;
  Vec                       y;
  bool                      done;

  PetscFunctionBeginUser;
  PetscCall(TaoGetIterationNumber(tao, &iteration));
  PetscCall(TaoGetSolution(tao, &y));
  PetscCall(set_pressures(p, y));
  PetscCall(sb_bounded_look(problem, iteration, &done));
  if (done)
    PetscCall(TaoSetConvergedReason(tao, TAO_CONVERGED_USER));
  else if (iteration >= problem->iterations_max)
    PetscCall(TaoSetConvergedReason(tao, TAO_DIVERGED_MAXITS));
  PetscFunctionReturn(0);
}

/* Computes root, c, s, and the initial y. */
static PetscErrorCode scale_vectors(program *p)
{
  const sb_bounded_problem *problem = p->problem;
  const double             *d, *b, *q;
  double                   *root, *c, *y, square = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(problem->diagonal, &d));
  PetscCall(VecGetArrayRead(problem->b, &b));
  PetscCall(VecGetArrayRead(problem->q, &q));
  PetscCall(VecGetArrayWrite(p->root, &root));
  PetscCall(VecGetArrayWrite(p->c, &c));
  PetscCall(VecGetArrayWrite(p->y, &y));
  for (PetscInt i = 0; i < problem->rows; ++i) {
    root[i] = d[i] > 0 ? 1 / PetscSqrtReal(d[i]) : 0;
    c[i] = root[i] * b[i];
    y[i] = d[i] > 0 ? q[i] / root[i] : 0;
    square += c[i] > 0 ? c[i] * c[i] : 0;
  }
  p->size = PetscSqrtReal(square / problem->rows);
  PetscCall(VecRestoreArrayWrite(p->y, &y));
  PetscCall(VecRestoreArrayWrite(p->c, &c));
  PetscCall(VecRestoreArrayWrite(p->root, &root));
  PetscCall(VecRestoreArrayRead(problem->q, &q));
  PetscCall(VecRestoreArrayRead(problem->b, &b));
  PetscCall(VecRestoreArrayRead(problem->diagonal, &d));
  if (p->size > 0) PetscCall(VecScale(p->c, 1 / p->size));
  if (p->size > 0) PetscCall(VecScale(p->y, 1 / p->size));
  PetscFunctionReturn(0);
}

/* D^-1/2 A D^-1/2 as a matrix. A row without entries gets a 1 on the diagonal, as BQPIP does not converge otherwise;
 * its y is 0 in any case. */
static PetscErrorCode scale_matrix(program *p)
{
  const double *d;
  double       *added;

  PetscFunctionBeginUser;
  PetscCall(MatDuplicate(p->problem->A, MAT_COPY_VALUES, &p->B));
  PetscCall(MatDiagonalScale(p->B, p->root, p->root));
  PetscCall(MatSetOption(p->B, MAT_SYMMETRIC, PETSC_TRUE)); /* or GPCG preconditions by ILU, not ICC */
  PetscCall(VecGetArrayRead(p->problem->diagonal, &d));
  PetscCall(VecGetArrayWrite(p->problem->r, &added));
  for (PetscInt i = 0; i < p->problem->rows; ++i) added[i] = d[i] > 0 ? 0 : 1;
  PetscCall(VecRestoreArrayWrite(p->problem->r, &added));
  PetscCall(VecRestoreArrayRead(p->problem->diagonal, &d));
  PetscCall(MatDiagonalSet(p->B, p->problem->r, ADD_VALUES));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(const sb_bounded_problem *problem, program *p)
{
  PetscFunctionBeginUser;
  *p = (program){.problem = problem};
  PetscCall(VecDuplicate(problem->q, &p->root));
  PetscCall(VecDuplicate(problem->q, &p->c));
  PetscCall(VecDuplicate(problem->q, &p->y));
  PetscCall(VecDuplicate(problem->q, &p->low));
  PetscCall(VecDuplicate(problem->q, &p->high));
  PetscCall(VecSet(p->low, 0));
  PetscCall(VecSet(p->high, PETSC_INFINITY));
  PetscCall(scale_vectors(p));
  if (!SB_IS(problem->options, pressure_tao, "blmvm")) PetscCall(scale_matrix(p));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(program *p)
{
  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&p->B));
  PetscCall(VecDestroy(&p->root));
  PetscCall(VecDestroy(&p->c));
  PetscCall(VecDestroy(&p->y));
  PetscCall(VecDestroy(&p->low));
  PetscCall(VecDestroy(&p->high));
  PetscFunctionReturn(0);
}

static PetscErrorCode prepare(Tao tao, program *p)
{
  const sb_bounded_problem *problem = p->problem;

  PetscFunctionBeginUser;
  PetscCall(TaoSetType(tao, SB_TEXT(problem->options, pressure_tao)));
  PetscCall(TaoSetSolution(tao, p->y));
  PetscCall(TaoSetVariableBounds(tao, p->low, p->high));
  PetscCall(TaoSetObjectiveAndGradient(tao, NULL, evaluate, p));
  if (p->B) PetscCall(TaoSetHessian(tao, p->B, p->B, keep_hessian, p));
  PetscCall(TaoSetConvergenceTest(tao, test, p));
  PetscCall(TaoSetMaximumIterations(tao, problem->iterations_max));
  PetscCall(TaoSetMaximumFunctionEvaluations(tao, PETSC_MAX_INT));
  PetscFunctionReturn(0);
}

static PetscErrorCode minimize(program *p, sb_bounded_report *report)
{
  Tao                tao;
  TaoConvergedReason reason;
  KSP                ksp;
  PetscInt           inner = 0;

  PetscFunctionBeginUser;
  PetscCall(TaoCreate(PETSC_COMM_SELF, &tao));
  PetscCall(prepare(tao, p));
  PetscCall(TaoSolve(tao));
  PetscCall(TaoGetConvergedReason(tao, &reason));
  PetscCall(TaoGetIterationNumber(tao, &report->iterations));
  PetscCall(TaoGetKSP(tao, &ksp));
  if (ksp) PetscCall(KSPGetTotalIterations(ksp, &inner));
  report->linear_iterations = inner;
  PetscCall(set_pressures(p, p->y));
  if (reason < 0 && reason != TAO_DIVERGED_MAXITS) report->outcome = SB_STALLED;
  if (reason < 0) report->reason = TaoConvergedReasons[reason];
  PetscCall(TaoDestroy(&tao));
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(const sb_bounded_problem *problem, sb_bounded_report *report)
{
  program p;

  PetscFunctionBeginUser;
  PetscCall(create(problem, &p));
  if (p.size > 0)
    PetscCall(minimize(&p, report));
  else
    PetscCall(VecSet(problem->q, 0)); /* no density is too high where pressures act */
  PetscCall(destroy(&p));
  PetscFunctionReturn(0);
}

const sb_bounded_method sb_bounded_tao = {
    .name = "tao",
    .summary = "a bound-constrained minimiser of PETSc: BLMVM, GPCG or BQPIP",
    .uses = "pressure_tao",
    .solve = solve,
};
