/* Local-global, then Newton; see reference.h. */
#include "experiments/reference.h"

#include <math.h>

#include "solvers/minimize/flops.h"

#define GRADIENT_TOLERANCE 1e-9 /* N; as told to Newton below */

struct sb_reference {
  sb_minimizer *local_global, *newton;
};

/* The case's options with these on top; everything about solvers not named here is the table's default. */
static PetscErrorCode override(const sb_options *options, const char *const *pairs, sb_options **stage)
{
  PetscFunctionBeginUser;
  *stage = sb_options_copy(options);
  PetscCheck(*stage, PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  for (; *pairs; ++pairs)
    PetscCheck(sb_options_set_pair(*stage, *pairs, SB_FROM_SCENE, (sb_location){0}, NULL), PETSC_COMM_SELF,
               PETSC_ERR_PLIB, "bad reference option %s", *pairs);
  PetscFunctionReturn(0);
}

static PetscErrorCode start_robustly(const sb_options *options, sb_options **stage)
{
  static const char *const pairs[] = {"minimizer=local_global",
                                      "linear=cholesky",
                                      "max_iterations=200",
                                      "step_tolerance=0",
                                      "gradient_tolerance=0",
                                      "linear_tolerance=1e-10",
                                      NULL};

  PetscFunctionBeginUser;
  PetscCall(override(options, pairs, stage));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_options(const sb_options *options, sb_options **exact)
{
  static const char *const pairs[] = {"minimizer=newton",
                                      "metric=hessian",
                                      "accelerator=none",
                                      "step=armijo",
                                      "hessian=blended",
                                      "linear=cholesky",
                                      "max_iterations=1000",
                                      "gradient_tolerance=1e-9",
                                      "step_tolerance=0",
                                      "linear_tolerance=1e-10",
                                      NULL};

  PetscFunctionBeginUser;
  PetscCall(override(options, pairs, exact));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_create(sb_system *system, const sb_options *options, double h_seconds,
                                   sb_reference **reference)
{
  sb_options *stage = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscNew(reference));
  PetscCall(start_robustly(options, &stage));
  PetscCall(sb_minimizer_create(system, stage, h_seconds, "reference_", &(*reference)->local_global));
  sb_options_destroy(&stage);
  PetscCall(sb_reference_options(options, &stage));
  PetscCall(sb_minimizer_create(system, stage, h_seconds, "reference_", &(*reference)->newton));
  sb_options_destroy(&stage);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_destroy(sb_reference **reference)
{
  PetscFunctionBeginUser;
  if (!*reference) PetscFunctionReturn(0);
  PetscCall(sb_minimizer_destroy(&(*reference)->local_global));
  PetscCall(sb_minimizer_destroy(&(*reference)->newton));
  PetscCall(PetscFree(*reference));
  PetscFunctionReturn(0);
}

double sb_reference_unit(const sb_reference *reference, const sb_system *system)
{
  const double nonzeros = sb_linear_solver_facts(sb_minimizer_linear(reference->local_global))->nonzeros_factor;
  return SB_FLOPS_LOCAL.spring * system->springs_global + 4 * 3 * nonzeros;
}

PetscErrorCode sb_reference_minimize(sb_reference *reference, const sb_potential *potential, Vec z,
                                     sb_reference_report *report)
{
  sb_minimize_report stage;
  Vec                gradient = NULL;

  PetscFunctionBeginUser;
  PetscCall(sb_minimizer_run(reference->local_global, potential, z, &stage));
  report->outcome = stage.linear_outcome;
  if (sb_outcome_accepted(report->outcome)) {
    PetscCall(sb_minimizer_continue(reference->newton, potential, z, &stage));
    report->outcome = stage.linear_outcome;
  }
  PetscCall(sb_system_create_unknowns(potential->system, &gradient));
  PetscCall(sb_potential_gradient(potential, z, gradient));
  PetscCall(VecNorm(gradient, NORM_2, &report->gradient_norm));
  PetscCall(VecDestroy(&gradient));
  PetscCall(sb_potential_rounding(potential, z, &report->allowed, &report->objective_noise));
  report->allowed = fmax(GRADIENT_TOLERANCE, report->allowed);
  PetscFunctionReturn(0);
}
