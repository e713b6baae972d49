/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The loop of descent methods; see descent.h. */
#include "solvers/minimize/descent.h"

#include "solvers/minimize/on_device.h"

enum { METRIC, ACCELERATOR, STEP };

static PetscErrorCode allocate_states(sb_descent *d)
{
  PetscFunctionBeginUser;
  PetscCall(PetscCalloc(d->of.metric->state_bytes, &d->states[METRIC]));
  PetscCall(PetscCalloc(d->of.accelerator->state_bytes, &d->states[ACCELERATOR]));
  PetscCall(PetscCalloc(d->of.step->state_bytes, &d->states[STEP]));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_descent_prepare(void *state, const sb_minimizer_setup *setup, sb_outcome *outcome)
{
  sb_descent *d = state;

  PetscFunctionBeginUser;
  PetscCheck(sb_triple_of(setup->options, &d->of), setup->system->comm, PETSC_ERR_USER,
             "there is no such metric, accelerator or step: '%s', '%s', '%s'", SB_TEXT(setup->options, metric),
             SB_TEXT(setup->options, accelerator), SB_TEXT(setup->options, step));
  d->system = setup->system;
  d->h_seconds = setup->h_seconds;
  d->solves = setup->linear != NULL;
  PetscCall(sb_system_create_unknowns(d->system, &d->own_gradient));
  PetscCall(sb_system_create_unknowns(d->system, &d->direction));
  if (d->of.accelerator->direct)
    PetscCall(sb_system_create_unknowns(d->system, &d->plain));
  else
    d->plain = d->direction;
  PetscCall(allocate_states(d));
  PetscCall(d->of.metric->prepare(d->states[METRIC], setup, outcome));
  if (d->of.accelerator->prepare) PetscCall(d->of.accelerator->prepare(d->states[ACCELERATOR], d, setup->options));
  if (d->of.step->prepare) PetscCall(d->of.step->prepare(d->states[STEP], d, setup->options));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_descent_begin(void *state, const sb_potential *potential, Vec z)
{
  sb_descent *d = state;

  PetscFunctionBeginUser;
  d->count = 0;
  if (d->of.metric->begin) PetscCall(d->of.metric->begin(d->states[METRIC], potential, z));
  if (d->of.accelerator->begin) PetscCall(d->of.accelerator->begin(d->states[ACCELERATOR], d));
  if (d->of.step->begin) PetscCall(d->of.step->begin(d->states[STEP], d));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_descent_precondition(sb_descent *descent, Vec in, Vec out)
{
  const sb_metric *metric = descent->of.metric;

  PetscFunctionBeginUser;
  if (metric->refresh) PetscCall(metric->refresh(descent->states[METRIC], descent->potential, descent->z));
  PetscCall(metric->apply(descent->states[METRIC], descent->potential, descent->z, in, out, descent->iteration));
  PetscFunctionReturn(0);
}

/* Fronts of linear solvers test their input. Without one, or on a device, nothing else would. */
static PetscErrorCode check_numbers(sb_descent *d)
{
  PetscReal norm;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(d->gradient, NORM_1, &norm)); /* a sum: a maximum over ranks may lose a NaN */
  if (!PetscIsInfOrNanReal(norm)) PetscFunctionReturn(0);
  d->iteration->linear = (sb_solve_report){.outcome = SB_NOT_FINITE, .reason = "the gradient is not finite"};
  PetscFunctionReturn(0);
}

PetscErrorCode sb_descent_iterate(void *state, const sb_potential *potential, Vec z, sb_iteration *iteration)
{
  sb_descent *d = state;

  PetscFunctionBeginUser;
  d->potential = potential;
  d->z = z;
  d->iteration = iteration;
  d->gradient = iteration->gradient ? iteration->gradient : d->own_gradient;
  iteration->linear =
      (sb_solve_report){.outcome = SB_SOLVED, .reason = ""}; /* unless a linear solver reports otherwise */
  if (!iteration->gradient) PetscCall(sb_potential_gradient(potential, z, d->gradient));
  if (!d->solves || sb_vec_device(z)) PetscCall(check_numbers(d));
  if (!sb_outcome_accepted(iteration->linear.outcome)) PetscFunctionReturn(0);
  if (d->of.accelerator->direct)
    PetscCall(d->of.accelerator->direct(d->states[ACCELERATOR], d));
  else
    PetscCall(sb_descent_precondition(d, d->gradient, d->plain));
  if (!sb_outcome_accepted(iteration->linear.outcome)) PetscFunctionReturn(0);
  PetscCall(d->of.step->take(d->states[STEP], d));
  d->count++;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_descent_destroy(void *state)
{
  sb_descent *d = state;

  PetscFunctionBeginUser;
  if (d->states[METRIC]) PetscCall(d->of.metric->destroy(d->states[METRIC]));
  if (d->states[ACCELERATOR] && d->of.accelerator->destroy)
    PetscCall(d->of.accelerator->destroy(d->states[ACCELERATOR]));
  if (d->states[STEP] && d->of.step->destroy) PetscCall(d->of.step->destroy(d->states[STEP]));
  for (int part = 0; part < 3; ++part) PetscCall(PetscFree(d->states[part]));
  if (d->plain != d->direction) PetscCall(VecDestroy(&d->plain));
  PetscCall(VecDestroy(&d->direction));
  PetscCall(VecDestroy(&d->own_gradient));
  PetscFunctionReturn(0);
}
