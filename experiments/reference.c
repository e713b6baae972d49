/* Local-global, then Newton; see reference.h. */
#include "experiments/reference.h"

#include <math.h>

#include "solvers/minimize/flops.h"

#define GRADIENT_TOLERANCE 1e-9 /* N; as told to Newton below */

struct sb_reference {
  sb_minimizer *local_global, *newton;
};

/* What is not named here is the case's. Local-global is a rough stage, in which contact has no part. */
static const char *const robust[] = {
    "minimizer=local_global", "contact_implicit=false", "linear=cholesky",        "max_iterations=200",
    "step_tolerance=0",       "gradient_tolerance=0",   "linear_tolerance=1e-10", NULL};
static const char *const accurate[] = {"minimizer=newton",
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

sb_options *sb_reference_options(const sb_options *options) { return sb_options_with(options, accurate); }

static PetscErrorCode create_stage(sb_system *system, sb_options *stage, double h_seconds, sb_minimizer **minimizer)
{
  PetscFunctionBeginUser;
  PetscCall(sb_minimizer_create(system, stage, h_seconds, "reference_", minimizer));
  sb_options_destroy(&stage);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_reference_create(sb_system *system, const sb_options *options, double h_seconds,
                                   sb_reference **reference)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(reference));
  PetscCall(create_stage(system, sb_options_with(options, robust), h_seconds, &(*reference)->local_global));
  PetscCall(create_stage(system, sb_options_with(options, accurate), h_seconds, &(*reference)->newton));
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
