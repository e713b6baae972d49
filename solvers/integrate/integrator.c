/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front of the time integrators: finds the method, resolves common options, times and logs a call.
 *
 * The velocity factor of a step is `velocity_factor`, or exp(-damping_rate h) (docs/model.md section 1): the one of
 * them that the later of table, scene and user gave. The bound on positions is blowup_ratio times the diagonal of the
 * initial bounding box (section 9). A net whose vertices all start in one place has no such length: its positions need
 * only be finite. */
#include "solvers/integrate/bounds.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <petsclog.h>

#include "base/traffic.h"
#include "model/system/check.h"
#include "solvers/integrate/on_device.h"

struct sb_integrator {
  const sb_integrator_method *method;
  const sb_integrator_method *functions; /* the method's own, or those of a device */
  sb_integrator_setup         setup;
  PetscLogEvent               event;
  double                      flops;
  void                       *state;
};

static PetscErrorCode resolve_factor(const sb_system *system, const sb_options *options, double h_seconds,
                                     double *factor)
{
  const sb_origin of_factor = sb_options_origin(options, SB_ID(velocity_factor));
  const sb_origin of_rate = sb_options_origin(options, SB_ID(damping_rate));

  PetscFunctionBeginUser;
  PetscCheck(of_factor != SB_FROM_USER || of_rate != SB_FROM_USER, system->comm, PETSC_ERR_USER,
             "velocity_factor and damping_rate were both given; give one of them");
  if (of_rate > of_factor)
    *factor = exp(-SB_REAL(options, damping_rate) * h_seconds);
  else
    *factor = SB_REAL(options, velocity_factor);
  PetscFunctionReturn(0);
}

/* Registered once per process, and found by name, so that no global is needed. */
static PetscErrorCode find_event(PetscLogEvent *event)
{
  PetscClassId class_id;

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId("SBAdvance", event));
  if (*event >= 0) PetscFunctionReturn(0);
  PetscCall(PetscClassIdRegister("SB integrator", &class_id));
  PetscCall(PetscLogEventRegister("SBAdvance", class_id, event));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_integrator_create(sb_system *system, const sb_options *options, double h_seconds,
                                    sb_integrator **integrator)
{
  const sb_integrator_method *method = sb_integrator_method_of(options);
  const bool     steps = method && method->device != SB_DEVICE_NOTHING && method->device != SB_DEVICE_MINIMIZES;
  sb_integrator *made;

  PetscFunctionBeginUser;
  *integrator = NULL;
  PetscCheck(method, system->comm, PETSC_ERR_USER, "no integrator is called '%s'", SB_TEXT(options, integrator));
  PetscCheck(h_seconds > 0 && isfinite(h_seconds), system->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "a time step is a positive number of seconds; got %g", h_seconds);
  PetscCall(sb_check_creation(system->comm, options, sb_integrator_check_chosen));
  PetscCall(PetscNew(&made));
  if (method->traits & SB_UNCOUNTED_STEPS) sb_profile_leave_uncounted(system->profile, method->name);
  *integrator = made; /* so that the caller can destroy the rest after a failed prepare */
  made->method = method;
  made->functions = steps && sb_integrator_has_device(options) ? &sb_integrator_on_device : method;
  made->setup = (sb_integrator_setup){.system = system,
                                      .options = options,
                                      .h_seconds = h_seconds,
                                      .radius = system->diagonal > 0 ? SB_REAL(options, blowup_ratio) * system->diagonal
                                                                     : DBL_MAX};
  made->setup.beta = method->traits & SB_MINIMIZES ? 0 : system->damping_in_step;
  PetscCall(resolve_factor(system, options, h_seconds, &made->setup.velocity_factor));
  PetscCall(find_event(&made->event));
  PetscCall(PetscCalloc(made->functions->state_bytes, &made->state));
  PetscCall(made->functions->prepare(made->state, &made->setup));
  PetscFunctionReturn(0);
}

void sb_integrator_set_watch(sb_integrator *integrator, sb_step_watch watch) { integrator->setup.watch = watch; }

PetscErrorCode sb_integrator_destroy(sb_integrator **integrator)
{
  PetscFunctionBeginUser;
  if (!*integrator) PetscFunctionReturn(0);
  if ((*integrator)->state) PetscCall((*integrator)->functions->destroy((*integrator)->state));
  PetscCall(PetscFree((*integrator)->state));
  PetscCall(PetscFree(*integrator));
  PetscFunctionReturn(0);
}

/* PETSc's count of this rank, without checks. */
static PetscErrorCode count_flops(const sb_integrator *integrator, double *flops)
{
  const sb_profile *profile = integrator->setup.system->profile;

  PetscFunctionBeginUser;
  PetscCall(PetscGetFlops(flops));
  if (profile) *flops -= profile->check_flops;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_integrator_advance(sb_integrator *integrator, int64_t first_step, int64_t steps, Vec x, Vec v,
                                     sb_advance_report *report)
{
  double flops;

  PetscFunctionBeginUser;
  PetscCheck(first_step >= 0 && steps >= 0, integrator->setup.system->comm, PETSC_ERR_ARG_OUTOFRANGE,
             "steps are counted from 0; got %lld steps from %lld", (long long)steps, (long long)first_step);
  *report = (sb_advance_report){.status = SB_OK, .linear_outcome = SB_SOLVED};
  const sb_traffic before = sb_traffic_without_checks(integrator->setup.system->profile);
  PetscCall(count_flops(integrator, &flops));
  integrator->flops -= flops;
  sb_system_end_step(integrator->setup.system); /* of another integrator */
  PetscCall(PetscLogEventBegin(integrator->event, x, v, NULL, NULL));
  PetscCall(integrator->functions->advance(integrator->state, first_step, steps, x, v, report));
  PetscCall(PetscLogEventEnd(integrator->event, x, v, NULL, NULL));
  PetscCall(count_flops(integrator, &flops));
  integrator->flops += flops;
  report->traffic = sb_traffic_plus(sb_traffic_without_checks(integrator->setup.system->profile), -1, before);
  if (report->status == SB_CASE_INTERRUPTED && report->steps_done == steps) report->status = SB_OK;
  if (report->status == SB_OK && steps > 0)
    PetscCall(sb_bounds_check_velocity(&integrator->setup, first_step + steps, v, report));
  if (report->status == SB_CASE_DIVERGED) PetscCall(sb_bounds_name_spring(integrator->setup.system, x, report));
  PetscFunctionReturn(0);
}

void sb_report_add_solve(sb_advance_report *report, const sb_minimize_report *solve)
{
  report->minimizer_iterations += solve->iterations;
  report->linear_iterations += solve->linear_iterations;
  report->residual = sb_worse_residual(report->residual, solve->residual);
  report->projected += solve->projected;
}

void sb_report_refused_solve(sb_advance_report *report, int64_t step, double h_seconds, const sb_minimize_report *solve)
{
  report->status = sb_status_of_outcome(solve->linear_outcome);
  snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): %s %s: %s", (long long)step,
           (double)step * h_seconds, solve->of_method ? "the minimizer" : "linear solve",
           sb_outcome_name(solve->linear_outcome), solve->reason);
}

double sb_integrator_velocity_factor(const sb_integrator *integrator) { return integrator->setup.velocity_factor; }

const sb_device *sb_integrator_device(const sb_integrator *integrator)
{
  if (integrator->functions == &sb_integrator_on_device) return sb_integrator_on_device_opened(integrator->state);
  const sb_integrator_method *method = integrator->method;
  return method->minimizer ? sb_minimizer_device(method->minimizer(integrator->state)) : NULL;
}

PetscErrorCode sb_integrator_device_copy(const sb_integrator *integrator, int copies, double *copied, double *of_step)
{
  PetscFunctionBeginUser;
  *copied = *of_step = 0;
  if (integrator->functions == &sb_integrator_on_device)
    PetscCall(sb_integrator_on_device_copy(integrator->state, copies, copied, of_step));
  PetscFunctionReturn(0);
}

sb_minimizer *sb_integrator_minimizer(sb_integrator *integrator)
{
  const sb_integrator_method *method = integrator->method;
  return method->minimizer ? method->minimizer(integrator->state) : NULL;
}

double *sb_integrator_flops(sb_integrator *integrator) { return &integrator->flops; }

PetscErrorCode sb_integrator_find_end(sb_integrator *integrator, const sb_options *options, sb_point *kind)
{
  double flops = integrator->flops;

  PetscFunctionBeginUser;
  *kind = SB_POINT_UNKNOWN;
  if (!integrator->method->find_end) PetscFunctionReturn(0);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &flops, 1, MPI_DOUBLE, MPI_SUM, integrator->setup.system->comm));
  PetscCall(integrator->method->find_end(integrator->state, options, flops, kind));
  PetscFunctionReturn(0);
}

const char *sb_integrator_package(sb_integrator *integrator)
{
  sb_minimizer *minimizer = sb_integrator_minimizer(integrator);
  return minimizer ? sb_linear_solver_facts(sb_minimizer_linear(minimizer))->package : NULL;
}

size_t sb_integrator_memories(const sb_integrator *integrator)
{
  size_t count = 0;
  while (count < SB_MEMORIES_MAX && integrator->method->memory_name[count]) ++count;
  return count;
}

const char *sb_integrator_memory_name(const sb_integrator *integrator, size_t i)
{
  return integrator->method->memory_name[i];
}

PetscErrorCode sb_integrator_save(const sb_integrator *integrator, size_t i, Vec memory)
{
  const size_t bytes = 3 * (size_t)integrator->setup.system->owned * sizeof(double);
  double      *array;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(memory, &array));
  memcpy(array, integrator->functions->memory(integrator->state, i), bytes);
  PetscCall(VecRestoreArrayWrite(memory, &array));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_integrator_recall(sb_integrator *integrator, int64_t step, Vec x, Vec v, const Vec *memory)
{
  const sb_integrator_method *method = integrator->functions;
  const size_t                bytes = 3 * (size_t)integrator->setup.system->owned * sizeof(double);

  PetscFunctionBeginUser;
  for (size_t i = 0; i < sb_integrator_memories(integrator); ++i) {
    const double *array;
    PetscCall(VecGetArrayRead(memory[i], &array));
    memcpy(method->memory(integrator->state, i), array, bytes);
    PetscCall(VecRestoreArrayRead(memory[i], &array));
  }
  if (method->resume) PetscCall(method->resume(integrator->state, step, x, v));
  PetscFunctionReturn(0);
}
