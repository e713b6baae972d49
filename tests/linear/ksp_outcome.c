/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every verdict of PETSc has its outcome: one row here for one row there, and none forgotten. */
#include <string.h>

#include "solvers/linear/ksp_outcome.h"
#include "tests/linear/systems.h"

typedef struct {
  int         verdict;
  const char *outcome, *word; /* a word of the text */
} expectation;

static const expectation ksp[] = {
    {KSP_CONVERGED_RTOL_NORMAL, "solved", "RTOL_NORMAL"},
    {KSP_CONVERGED_ATOL_NORMAL, "solved", "ATOL_NORMAL"},
    {KSP_CONVERGED_RTOL, "solved", "RTOL"},
    {KSP_CONVERGED_ATOL, "solved", "ATOL"},
    {KSP_CONVERGED_ITS, "solved", "ITS"},
#if PETSC_VERSION_LT(3, 19, 0)
    {KSP_CONVERGED_CG_NEG_CURVE, "not_spd", "curvature"},
    {KSP_CONVERGED_CG_CONSTRAINED, "stalled", "trust"},
#else
    {KSP_CONVERGED_NEG_CURVE, "not_spd", "curvature"},
#endif
    {KSP_CONVERGED_STEP_LENGTH, "stalled", "step length"},
    {KSP_CONVERGED_HAPPY_BREAKDOWN, "solved", "HAPPY"},
    {KSP_CONVERGED_ITERATING, "failed", "verdict"},
    {KSP_DIVERGED_NULL, "failed", "verdict"},
    {KSP_DIVERGED_ITS, "stalled", "out of iterations"},
    {KSP_DIVERGED_DTOL, "diverged", "grew"},
    {KSP_DIVERGED_BREAKDOWN, "stalled", "BREAKDOWN"},
    {KSP_DIVERGED_BREAKDOWN_BICG, "stalled", "BICG"},
    {KSP_DIVERGED_NONSYMMETRIC, "stalled", "symmetric"},
    {KSP_DIVERGED_INDEFINITE_PC, "stalled", "preconditioner"},
    {KSP_DIVERGED_NANORINF, "not_finite", "finite"},
    {KSP_DIVERGED_INDEFINITE_MAT, "not_spd", "matrix"},
    {KSP_DIVERGED_PC_FAILED, "failed", "preconditioner"},
};

static const expectation pc[] = {
    {PC_SETUP_ERROR, "failed", "built"},
    {PC_NOERROR, "failed", "built or applied"},
    {PC_FACTOR_STRUCT_ZEROPIVOT, "singular", "pattern"},
    {PC_FACTOR_NUMERIC_ZEROPIVOT, "singular", "zero"},
    {PC_FACTOR_OUTMEMORY, "failed", "memory"},
    {PC_FACTOR_OTHER, "failed", "factorisation"},
    {PC_INCONSISTENT_RHS, "singular", "range"},
    {PC_SUBPC_ERROR, "failed", "block"},
};

static const expectation errors[] = {
    {PETSC_ERR_MEM, "failed", "memory"},           {PETSC_ERR_SUP, "failed", "support"},
    {PETSC_ERR_LIB, "failed", "library"},          {PETSC_ERR_FP, "not_finite", "finite"},
    {PETSC_ERR_MAT_LU_ZRPVT, "singular", "LU"},    {PETSC_ERR_MAT_CH_ZRPVT, "singular", "Cholesky"},
    {PETSC_ERR_ARG_WRONGSTATE, "failed", "state"}, {PETSC_ERR_ARG_SIZ, "failed", "Nonconforming"},
};

static void compare(const expectation *expected, sb_outcome outcome, const char *text)
{
  assert_string_equal(sb_outcome_name(outcome), expected->outcome);
  assert_non_null(text);
  if (!strstr(text, expected->word)) fail_msg("'%s' does not say '%s'", text, expected->word);
}

static void test_reasons(void)
{
  const char *text = NULL;
  for (size_t i = 0; i < sizeof ksp / sizeof ksp[0]; ++i) {
    const sb_outcome outcome = sb_ksp_outcome((KSPConvergedReason)ksp[i].verdict, false, &text);
    compare(&ksp[i], outcome, text);
  }
}

static void test_no_reason_forgotten(void)
{
  const char *text;
  for (int reason = KSP_DIVERGED_PC_FAILED; reason <= KSP_CONVERGED_ATOL_NORMAL; ++reason) {
    if (reason == -1 || (PETSC_VERSION_GE(3, 19, 0) && reason == 8)) continue; /* PETSc has no such reason */
    sb_ksp_outcome((KSPConvergedReason)reason, false, &text);
    assert_null(strstr(text, "unknown"));
  }
  assert_int_equal(sb_ksp_outcome((KSPConvergedReason)99, false, &text), SB_FAILED);
  assert_non_null(strstr(text, "unknown"));
}

/* With a fixed number of iterations only claims change their name. */
static void test_truncated(void)
{
  const char *text;
  assert_int_equal(sb_ksp_outcome(KSP_CONVERGED_ITS, true, &text), SB_TRUNCATED);
  assert_int_equal(sb_ksp_outcome(KSP_DIVERGED_ITS, true, &text), SB_STALLED);
  assert_int_equal(sb_ksp_outcome(KSP_DIVERGED_NANORINF, true, &text), SB_NOT_FINITE);
}

static void test_pc_failures(void)
{
  const char *text = NULL;
  for (size_t i = 0; i < sizeof pc / sizeof pc[0]; ++i) {
    const sb_outcome outcome = sb_pc_outcome((PCFailedReason)pc[i].verdict, &text);
    compare(&pc[i], outcome, text);
  }
}

static void test_errors(void)
{
  const char *text = NULL;
  for (size_t i = 0; i < sizeof errors / sizeof errors[0]; ++i) {
    const sb_outcome outcome = sb_petsc_error_outcome((PetscErrorCode)errors[i].verdict, &text);
    compare(&errors[i], outcome, text);
  }
}

PETSC_TEST_MAIN(test_reasons, test_no_reason_forgotten, test_truncated, test_pc_failures, test_errors)
