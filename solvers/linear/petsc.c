/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Backend petsc: any Krylov method and preconditioner of PETSc by the text of option `petsc`. Without it, conjugate
 * gradients preconditioned by the diagonal.
 *
 * The text goes into PETSc's options database under this solver's prefix (sb_linear_ if the caller has none), and is
 * removed with it. -mat_type chooses the form in which the solver gets the matrix. Convergence is by the
 * unpreconditioned residual if the method has it. Methods are not checked against matrices; the recomputed residual
 * shows whether a solve succeeded. An error inside PETSc is an outcome, with PETSc's own words as its reason; the KSP
 * that raised it is destroyed and replaced by another. */
#include <petscksp.h>
#include <stdlib.h>
#include <string.h>

#include "solvers/linear/ksp_outcome.h"
#include "solvers/linear/linear_backend.h"
#include "solvers/linear/petsc_database.h"
#include "solvers/linear/petsc_flops.h"
#include "solvers/linear/petsc_text.h"

enum { REASON_MAX_LENGTH = 240 };

typedef struct {
  MPI_Comm comm;
  char    *text, *prefix;
  KSP      ksp;
  Mat      A;                         /* borrowed: of the last factor */
  Mat      converted;                 /* A converted to -mat_type; NULL: no conversion */
  void    *test;                      /* PETSc's own convergence test */
  bool     own_norm;                  /* the method has only its own residual, and the text sets no norm */
  bool     names_checked;             /* every option of the text has been read by something */
  char     reason[REASON_MAX_LENGTH]; /* of the last error inside PETSc */
} petsc_state;

/* The outcome of the error that was just caught, with PETSc's message as its reason. Lack of memory is not a fault of
 * the method: it stays an error. */
static PetscErrorCode outcome_of_error(petsc_state *s, PetscErrorCode code, sb_outcome *outcome, const char **reason)
{
  const char *general = NULL;

  PetscFunctionBeginUser;
  *outcome = sb_petsc_error_outcome(code, &general);
  PetscCheck(code != PETSC_ERR_MEM, PETSC_COMM_SELF, PETSC_ERR_MEM, "petsc='%s' ran out of memory", s->text);
  snprintf(s->reason, sizeof s->reason, "%s (%.*s)", general, (int)strcspn(sb_petsc_caught_message(code), "\n"),
           sb_petsc_caught_message(code));
  *reason = s->reason;
  PetscFunctionReturn(0);
}

/* Methods that have only their own norm keep it: the unpreconditioned one would be an error. So do methods that would
 * precondition from the right for it and do that wrongly: PETSc 3.18 preconditions their guess, too. */
static PetscErrorCode choose_norm(petsc_state *s)
{
  KSPNormType norm;
  PetscBool   wrong;

  PetscFunctionBeginUser;
  s->own_norm = false;
  if (sb_petsc_text_find(s->text, "-ksp_norm_type", NULL)) PetscFunctionReturn(0);
  PetscCall(PetscObjectTypeCompareAny((PetscObject)s->ksp, &wrong, KSPCGS, KSPTFQMR, KSPTCQMR, KSPIBCGS, KSPBCGSL,
                                      KSPCR, KSPQMRCGS, ""));
  PetscCall(KSPSetNormType(s->ksp, wrong ? KSP_NORM_DEFAULT : KSP_NORM_UNPRECONDITIONED));
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = KSPGetNormType(s->ksp, &norm);
  PetscCall(PetscPopErrorHandler());
  if (failed) PetscCall(KSPSetNormType(s->ksp, KSP_NORM_DEFAULT));
  s->own_norm = failed || wrong;
  PetscFunctionReturn(0);
}

/* A method with its own norm is tested by the residual itself when it claims convergence, and continues if that is not
 * within tolerance. Otherwise a comparison of methods would be one of norms. */
static PetscErrorCode test_residual(KSP ksp, PetscInt iteration, PetscReal norm, KSPConvergedReason *reason,
                                    void *state)
{
  petsc_state *s = state;
  PetscReal    tolerance, left, whole;
  Vec          b, r;

  PetscFunctionBeginUser;
  PetscCall(KSPConvergedDefault(ksp, iteration, norm, reason, s->test));
  if (*reason != KSP_CONVERGED_RTOL) PetscFunctionReturn(0);
  PetscCall(KSPGetTolerances(ksp, &tolerance, NULL, NULL, NULL));
  PetscCall(KSPGetRhs(ksp, &b));
  PetscCall(KSPBuildResidual(ksp, NULL, NULL, &r));
  PetscCall(VecNorm(r, NORM_2, &left));
  PetscCall(VecNorm(b, NORM_2, &whole));
  PetscCall(VecDestroy(&r));
  if (left > tolerance * whole) *reason = KSP_CONVERGED_ITERATING;
  PetscFunctionReturn(0);
}

/* Defaults that PETSc leaves to its user. Multigrid keeps its interpolation from the first matrix of a pattern, and the
 * ends of the spectrum for its Chebyshev smoothers. These are wrong for later values, and the preconditioner becomes
 * indefinite, so the smoothers estimate them for every matrix. Restricted additive Schwarz is not symmetric, so methods
 * for symmetric systems do not converge with it on several ranks. */
static PetscErrorCode choose_defaults(petsc_state *s, PC pc)
{
  PetscBool symmetric;

  PetscFunctionBeginUser;
  if (!sb_petsc_text_find(s->text, "-pc_gamg_use_sa_esteig", NULL)) PetscCall(PCGAMGSetUseSAEstEig(pc, PETSC_FALSE));
  PetscCall(PetscObjectTypeCompareAny((PetscObject)s->ksp, &symmetric, KSPCG, KSPFCG, KSPGROPPCG, KSPPIPECG,
                                      KSPPIPECGRR, KSPPIPECG2, KSPPIPELCG, KSPPIPEPRCG, KSPPIPEFCG, KSPCR, KSPPIPECR,
                                      KSPMINRES, KSPSYMMLQ, KSPNASH, KSPSTCG, KSPGLTR, KSPQCG, ""));
  if (symmetric && !sb_petsc_text_find(s->text, "-pc_asm_type", NULL)) PetscCall(PCASMSetType(pc, PC_ASM_BASIC));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_from_options(void *ksp) { return KSPSetFromOptions(ksp); }

static PetscErrorCode build(petsc_state *s)
{
  PC pc;

  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  PetscCall(KSPCreate(s->comm, &s->ksp));
  PetscCall(KSPSetOptionsPrefix(s->ksp, s->prefix));
  PetscCall(KSPSetType(s->ksp, KSPCG));
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCSetType(pc, PCJACOBI));
  PetscCall(sb_petsc_obey(s->comm, set_from_options, s->ksp, "petsc", s->text));
  PetscCall(choose_norm(s));
  PetscCall(choose_defaults(s, pc));
  if (s->test) PetscCall(KSPConvergedDefaultDestroy(s->test)); /* it holds vectors of the old size */
  PetscCall(KSPConvergedDefaultCreate(&s->test));
  if (s->own_norm) PetscCall(KSPSetConvergenceTest(s->ksp, test_residual, s, NULL));
  PetscFunctionReturn(0);
}

static PetscErrorCode check_text(const petsc_state *s, const sb_options *options)
{
  PetscMPIInt       ranks;
  const sb_location where = sb_options_location(options, SB_ID(petsc));
  sb_diagnostics   *diagnostics = sb_diagnostics_create();

  PetscFunctionBeginUser;
  PetscCheck(diagnostics, s->comm, PETSC_ERR_MEM, "no memory for messages");
  PetscCallMPI(MPI_Comm_size(s->comm, &ranks));
  const bool good = sb_petsc_text_check(SB_TEXT(options, petsc), SB_PETSC_LINEAR, ranks, where, diagnostics);
  char       first[512] = "";
  if (!good) PetscCall(PetscStrncpy(first, sb_diagnostics_message(diagnostics, 0), sizeof first));
  sb_diagnostics_destroy(&diagnostics);
  PetscCheck(good, s->comm, PETSC_ERR_USER, "%s", first);
  PetscCheck(!sb_petsc_text_find(s->text, "-ksp_rtol", NULL) ||
                 sb_options_origin(options, SB_ID(linear_tolerance)) != SB_FROM_USER,
             s->comm, PETSC_ERR_USER, "a tolerance is given twice: linear_tolerance and -ksp_rtol in petsc");
  PetscCheck(!sb_petsc_text_find(s->text, "-ksp_max_it", NULL) ||
                 sb_options_origin(options, SB_ID(linear_max_iterations)) != SB_FROM_USER,
             s->comm, PETSC_ERR_USER, "a limit is given twice: linear_max_iterations and -ksp_max_it in petsc");
  PetscFunctionReturn(0);
}

static PetscErrorCode configure(void *state, MPI_Comm comm, const sb_options *options, const char *prefix, int columns)
{
  petsc_state *s = state;

  PetscFunctionBeginUser;
  (void)columns;
  s->comm = comm;
  s->text = sb_petsc_text_expand(SB_TEXT(options, petsc));
  s->prefix = sb_petsc_prefix_take(prefix && *prefix ? prefix : "sb_linear_");
  PetscCheck(s->text, comm, PETSC_ERR_MEM, "no memory for options");
  PetscCall(check_text(s, options));
  PetscCall(sb_petsc_database_insert(s->text, s->prefix));
  PetscCall(build(s));
  PetscFunctionReturn(0);
}

static void adjust_goal(const void *state, sb_goal *goal)
{
  const petsc_state *s = state;
  double             value;
  if (sb_petsc_text_real(s->text, "-ksp_rtol", &value)) goal->relative_tolerance = value;
  if (sb_petsc_text_real(s->text, "-ksp_max_it", &value)) goal->iterations_max = (PetscInt)value;
}

static PetscErrorCode analyze(void *state, Mat A, bool definite)
{
  petsc_state *s = state;

  PetscFunctionBeginUser;
  (void)A;
  (void)definite;
  if (s->A) PetscCall(build(s)); /* another pattern: the old preconditioner is of no use */
  s->A = NULL;
  PetscCall(MatDestroy(&s->converted));
  PetscFunctionReturn(0);
}

/* After the first set-up everything that reads options has read them. */
static PetscErrorCode check_names(petsc_state *s)
{
  PetscFunctionBeginUser;
  if (!s->names_checked) PetscCall(sb_petsc_database_check_read(s->text, s->prefix, "petsc"));
  s->names_checked = true;
  PetscFunctionReturn(0);
}

/* The matrix in the form of -mat_type. */
static PetscErrorCode convert(petsc_state *s)
{
  char      type[64];
  PetscBool asked;

  PetscFunctionBeginUser;
  PetscCall(PetscOptionsGetString(NULL, s->prefix, "-mat_type", type, sizeof type, &asked));
  if (asked) PetscCall(MatConvert(s->A, type, s->converted ? MAT_REUSE_MATRIX : MAT_INITIAL_MATRIX, &s->converted));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up(petsc_state *s)
{
  PetscFunctionBeginUser;
  PetscCall(convert(s));
  Mat A = s->converted ? s->converted : s->A;
  PetscCall(KSPSetOperators(s->ksp, A, A));
  PetscCall(KSPSetUp(s->ksp));
  PetscCall(KSPSetUpOnBlocks(s->ksp));
  PetscFunctionReturn(0);
}

static PetscErrorCode pc_failure(const petsc_state *s, sb_outcome *outcome, const char **text)
{
  PC             pc;
  PCFailedReason failed;

  PetscFunctionBeginUser;
  PetscCall(KSPGetPC(s->ksp, &pc));
  PetscCall(PCGetFailedReason(pc, &failed));
  PetscCheck(failed != PC_FACTOR_OUTMEMORY, s->comm, PETSC_ERR_MEM, "petsc='%s' ran out of memory while it factored",
             s->text);
  *outcome = failed == PC_NOERROR ? SB_SOLVED : sb_pc_outcome(failed, text);
  PetscFunctionReturn(0);
}

static PetscErrorCode factor(void *state, Mat A, sb_outcome *outcome, sb_factor_facts *facts)
{
  petsc_state *s = state;

  PetscFunctionBeginUser;
  s->A = A;
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = set_up(s);
  PetscCall(PetscPopErrorHandler());
  if (failed) {
    PetscCall(outcome_of_error(s, failed, outcome, &facts->reason));
    PetscCall(build(s));
    PetscFunctionReturn(0);
  }
  PetscCall(check_names(s));
  PetscCall(pc_failure(s, outcome, &facts->reason));
  PetscCall(sb_petsc_flops_facts(s->ksp, facts));
  PetscFunctionReturn(0);
}

/* A Chebyshev iteration that meets NaN leaves a work vector in the solution's place (PETSc 3.18), without a reference:
 * destroying the KSP would free it twice, and x never. */
static PetscErrorCode settle_references(const petsc_state *s, Vec x)
{
  Vec held;

  PetscFunctionBeginUser;
  PetscCall(KSPGetSolution(s->ksp, &held));
  if (held == x) PetscFunctionReturn(0);
  PetscCall(PetscObjectReference((PetscObject)held));
  PetscCall(PetscObjectDereference((PetscObject)x));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_ksp(petsc_state *s, Vec b, Vec x, const sb_goal *goal)
{
  const bool fixed = goal->relative_tolerance == 0.0;
  PetscBool  once;

  PetscFunctionBeginUser;
  PetscCall(PetscObjectTypeCompare((PetscObject)s->ksp, KSPPREONLY, &once)); /* it refuses a guess */
  PetscCall(KSPSetInitialGuessNonzero(s->ksp, goal->guess && !once ? PETSC_TRUE : PETSC_FALSE));
  PetscCall(KSPSetTolerances(s->ksp, fixed ? PETSC_DEFAULT : goal->relative_tolerance, PETSC_DEFAULT, PETSC_DEFAULT,
                             goal->iterations_max));
  if (fixed) PetscCall(KSPSetConvergenceTest(s->ksp, KSPConvergedSkip, NULL, NULL));
  PetscCall(KSPSolve(s->ksp, b, x));
  PetscCall(settle_references(s, x));
  PetscFunctionReturn(0);
}

static PetscErrorCode read_verdict(petsc_state *s, const sb_goal *goal, sb_solve_report *report)
{
  KSPConvergedReason reason;
  PetscBool          minres;

  PetscFunctionBeginUser;
  PetscCall(KSPGetIterationNumber(s->ksp, &report->iterations));
  PetscCall(KSPGetConvergedReason(s->ksp, &reason));
  /* MINRES accepts any symmetric matrix; it reports as indefinite r . P r, of the preconditioner. */
  PetscCall(PetscObjectTypeCompare((PetscObject)s->ksp, KSPMINRES, &minres));
  if (minres && reason == KSP_DIVERGED_INDEFINITE_MAT) reason = KSP_DIVERGED_INDEFINITE_PC;
  report->outcome = sb_ksp_outcome(reason, goal->relative_tolerance == 0.0, &report->reason);
  if (reason == KSP_DIVERGED_PC_FAILED) {
    sb_outcome detail;
    PetscCall(pc_failure(s, &detail, &report->reason));
    if (detail != SB_SOLVED) report->outcome = detail;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  petsc_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(PetscPushErrorHandler(sb_petsc_return_error, NULL));
  const PetscErrorCode failed = run_ksp(s, b, x, goal);
  PetscCall(PetscPopErrorHandler());
  if (failed) {
    PetscCall(outcome_of_error(s, failed, &report->outcome, &report->reason));
    PetscCall(build(s));
    PetscCall(KSPSetOperators(s->ksp, s->converted ? s->converted : s->A, s->converted ? s->converted : s->A));
  } else {
    PetscCall(read_verdict(s, goal, report));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(void *state)
{
  petsc_state *s = state;

  PetscFunctionBeginUser;
  PetscCall(KSPDestroy(&s->ksp));
  if (s->test) PetscCall(KSPConvergedDefaultDestroy(s->test));
  s->test = NULL;
  PetscCall(MatDestroy(&s->converted));
  if (s->text && s->prefix) PetscCall(sb_petsc_database_remove(s->text, s->prefix));
  free(s->text);
  sb_petsc_prefix_give_back(s->prefix);
  s->text = s->prefix = NULL;
  PetscFunctionReturn(0);
}

const sb_linear_backend sb_linear_petsc = {
    .name = "petsc",
    .summary = "any Krylov method and preconditioner of PETSc, by option petsc",
    .aliases = (const sb_alias[]){{"cg", "petsc='-ksp_type cg'"},
                                  {"pcg", "petsc='-ksp_type cg -pc_type icc'"},
                                  {"gmres", "petsc='-ksp_type gmres'"},
                                  {NULL, NULL}},
    .uses = "petsc linear_tolerance linear_max_iterations",
    .traits = SB_UNSYMMETRIC | SB_COUNTED, /* except for the flops that petsc_flops.c finds */
    .state_bytes = sizeof(petsc_state),
    .configure = configure,
    .adjust_goal = adjust_goal,
    .analyze = analyze,
    .factor = factor,
    .solve = solve,
    .destroy = destroy,
};
