/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop of iterations on the residual; see stationary.h. */
#include "solvers/linear/stationary.h"

#include <math.h>
#include <string.h>

#include "solvers/linear/residual.h"

#define GROWTH_MAX 1e4

enum { COLUMNS_MAX = 3 };

PetscErrorCode sb_stationary_create(Mat A, sb_stationary *loop)
{
  PetscFunctionBeginUser;
  PetscCall(sb_stationary_destroy(loop));
  PetscCall(sb_product_create(A, loop->columns, &loop->product));
  PetscCall(MatCreateVecs(loop->product, NULL, &loop->residual));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_stationary_create_spectrum(Mat A, bool symmetric, sb_stationary *loop)
{
  PetscFunctionBeginUser;
  loop->spectrum = (sb_spectrum){.apply = sb_block_diagonal_precondition, .context = &loop->diagonal};
  PetscCall(sb_spectrum_create(A, symmetric, &loop->spectrum));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_stationary_destroy(void *state)
{
  sb_stationary *loop = state;

  PetscFunctionBeginUser;
  PetscCall(MatDestroy(&loop->product));
  PetscCall(VecDestroy(&loop->residual));
  PetscCall(sb_spectrum_destroy(&loop->spectrum));
  PetscCall(sb_block_diagonal_destroy(&loop->diagonal));
  PetscFunctionReturn(0);
}

void sb_judge_diagonal(bool singular, sb_outcome *outcome, sb_factor_facts *facts)
{
  *outcome = singular ? SB_SINGULAR : SB_SOLVED;
  if (singular) facts->reason = "a diagonal block is singular";
}

void sb_judge_spectrum(bool definite, const char *indefinite, bool usable, const char *useless, sb_outcome *outcome,
                       sb_factor_facts *facts)
{
  if (definite && usable) return;
  *outcome = definite ? SB_FAILED : SB_NOT_SPD;
  facts->reason = definite ? useless : indefinite;
}

static PetscErrorCode column_norms(const sb_stationary *s, Vec b, double *norm)
{
  PetscFunctionBeginUser;
  if (s->columns > 1)
    PetscCall(VecStrideNormAll(b, NORM_2, norm));
  else
    PetscCall(VecNorm(b, NORM_2, norm));
  PetscFunctionReturn(0);
}

static PetscErrorCode update_residual(sb_stationary *s, Vec b, Vec x, double *norm)
{
  PetscFunctionBeginUser;
  PetscCall(MatMult(s->product, x, s->residual));
  PetscCall(VecAYPX(s->residual, -1.0, b)); /* r = b - A x */
  PetscCall(column_norms(s, s->residual, norm));
  PetscFunctionReturn(0);
}

/* A column whose right-hand side is zero has the solution zero, which no relative tolerance would find. */
static PetscErrorCode answer_zero_columns(const sb_stationary *s, const double *rhs_norm, Vec x)
{
  PetscFunctionBeginUser;
  for (int column = 0; column < s->columns; ++column)
    if (s->columns > 1 && rhs_norm[column] == 0) PetscCall(VecStrideSet(x, column, 0));
  PetscFunctionReturn(0);
}

static bool is_within(const sb_stationary *s, const double *norm, const double *rhs_norm, double tolerance)
{
  for (int column = 0; column < s->columns; ++column)
    if (!(norm[column] <= tolerance * rhs_norm[column])) return false;
  return true;
}

static bool has_grown(const sb_stationary *s, const double *norm, const double *first, const double *rhs_norm)
{
  for (int column = 0; column < s->columns; ++column)
    if (!(norm[column] <= GROWTH_MAX * fmax(first[column], rhs_norm[column]))) return true;
  return false;
}

PetscErrorCode sb_stationary_solve(void *state, Vec b, Vec x, const sb_goal *goal, sb_solve_report *report)
{
  sb_stationary *s = state;
  double         rhs_norm[COLUMNS_MAX] = {0}, first[COLUMNS_MAX] = {0}, norm[COLUMNS_MAX] = {0};

  PetscFunctionBeginUser;
  PetscCall(column_norms(s, b, rhs_norm));
  PetscCall(answer_zero_columns(s, rhs_norm, x));
  PetscCall(update_residual(s, b, x, first));
  memcpy(norm, first, sizeof norm);
  *report = (sb_solve_report){.outcome = SB_STALLED, .reason = "ran out of iterations"};
  for (PetscInt k = 0;; ++k) {
    report->iterations = k;
    if (has_grown(s, norm, first, rhs_norm)) {
      report->outcome = SB_DIVERGED;
      report->reason = s->diverging;
      break;
    }
    if (goal->relative_tolerance > 0.0 && is_within(s, norm, rhs_norm, goal->relative_tolerance)) {
      report->outcome = SB_SOLVED;
      report->reason = "the residual is within tolerance";
      break;
    }
    if (k == goal->iterations_max) break;
    PetscCall(s->advance(state, b, s->residual, x, k));
    PetscCall(update_residual(s, b, x, norm));
  }
  if (goal->relative_tolerance == 0.0 && report->outcome == SB_STALLED) {
    report->outcome = SB_TRUNCATED;
    report->reason = "ran exactly the requested iterations";
  }
  PetscFunctionReturn(0);
}
