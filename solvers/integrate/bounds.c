/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a step: counted, tested against the bounds of docs/model.md section 9, and explained if it left them.
 *
 * A run has diverged if a coordinate is not finite or a vertex is farther from the centre of mass than the radius. The
 * test itself is in the model; here it is called, and, once per run, the vertex to name is found. */
#include "solvers/integrate/bounds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void sb_bounds_prepare(sb_bounds *bounds, const sb_integrator_setup *setup)
{
  *bounds = (sb_bounds){.system = setup->system,
                        .contact = setup->system->contact,
                        .watch = &setup->watch,
                        .h_seconds = setup->h_seconds,
                        .radius = setup->radius};
}

/* Global number of this rank's first vertex with a coordinate that is not finite, `vertices` if there is none. */
static int first_not_finite(const sb_system *system, const double *position)
{
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double *p = &position[3 * i];
    if (!isfinite(p[0]) || !isfinite(p[1]) || !isfinite(p[2])) return (int)(system->first_vertex + i);
  }
  return (int)system->vertices;
}

typedef struct {
  double metres;
  int    vertex;
} distance;

/* This rank's vertex farthest from the centre; hypot, because squares of diverged coordinates may overflow. */
static distance farthest(const sb_system *system, const double *position, const double center[3])
{
  distance far = {-1, 0};
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double *p = &position[3 * i];
    const double  metres = hypot(hypot(p[0] - center[0], p[1] - center[1]), p[2] - center[2]);
    if (metres > far.metres) far = (distance){metres, (int)(system->first_vertex + i)};
  }
  return far;
}

static PetscErrorCode explain(const sb_bounds *bounds, int64_t step, const double *position, sb_advance_report *report)
{
  const sb_system *system = bounds->system;
  int              lost = first_not_finite(system, position);
  char             vertex[112];

  PetscFunctionBeginUser;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MIN, system->comm));
  if (lost < system->vertices) {
    snprintf(vertex, sizeof vertex, "vertex %d is not finite", lost);
  } else {
    distance far = farthest(system, position, bounds->center);
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &far, 1, MPI_DOUBLE_INT, MPI_MAXLOC, system->comm));
    snprintf(vertex, sizeof vertex,
             "vertex %d is %.4g m from the centre of mass, more than %.4g initial diagonals (%.4g m)", far.vertex,
             far.metres, bounds->radius / system->diagonal, bounds->radius);
  }
  snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): %s", (long long)step,
           (double)step * bounds->h_seconds, vertex);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_bounds_finish_step(sb_bounds *bounds, int64_t step, const double *position, sb_advance_report *report)
{
  bool bounded = true;

  PetscFunctionBeginUser;
  report->steps_done++;
  const bool stop = bounds->watch->call && bounds->watch->call(bounds->watch->context, step);
  PetscCall(sb_system_array_is_bounded(bounds->system, position, bounds->radius, bounds->center, &bounded));
  if (bounded && bounds->contact) {
    const double t_seconds = (double)step * bounds->h_seconds;
    sb_contact_observe(bounds->contact, t_seconds, (size_t)bounds->system->owned, position);
  }
  if (bounded && stop) report->status = SB_CASE_INTERRUPTED;
  if (bounded) PetscFunctionReturn(0);
  report->status = SB_CASE_DIVERGED;
  PetscCall(explain(bounds, step, position, report));
  PetscFunctionReturn(0);
}

void sb_bounds_finish_near_step(sb_bounds *bounds, int64_t step, sb_advance_report *report)
{
  report->steps_done++;
  if (bounds->watch->call && bounds->watch->call(bounds->watch->context, step)) report->status = SB_CASE_INTERRUPTED;
}

/* This rank's first vertex whose kinetic energy is not a number, `vertices` if there is none. */
static int first_too_fast(const sb_system *system, const double *velocity)
{
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double *v = &velocity[3 * i];
    if (!isfinite(system->mass[i] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]))) return (int)(system->first_vertex + i);
  }
  return (int)system->vertices;
}

PetscErrorCode sb_bounds_check_velocity(const sb_integrator_setup *setup, int64_t step, Vec v,
                                        sb_advance_report *report)
{
  const sb_system *system = setup->system;
  const double    *velocity;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(v, &velocity));
  int lost = first_too_fast(system, velocity);
  PetscCall(VecRestoreArrayRead(v, &velocity));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &lost, 1, MPI_INT, MPI_MIN, system->comm));
  if (lost == system->vertices) PetscFunctionReturn(0);
  report->status = SB_CASE_DIVERGED;
  snprintf(report->reason, sizeof report->reason, "step %lld (t = %.6g s): the velocity of vertex %d is not finite",
           (long long)step, (double)step * setup->h_seconds, lost);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_bounds_name_spring(const sb_system *system, Vec x, sb_advance_report *report)
{
  const size_t used = strlen(report->reason);
  char        *rest = report->reason + used;
  const size_t room = sizeof report->reason - used;
  sb_extreme   longest;

  PetscFunctionBeginUser;
  PetscCall(sb_system_longest_spring(system, x, &longest));
  if (longest.spring < 0) PetscFunctionReturn(0);
  const int spring = (int)longest.spring, first = (int)longest.ends[0], second = (int)longest.ends[1];
  if (isfinite(longest.ratio))
    snprintf(rest, room, "; spring %d (%d-%d) is %.4g times as long as at rest", spring, first, second, longest.ratio);
  else
    snprintf(rest, room, "; the length of spring %d (%d-%d) is not finite", spring, first, second);
  PetscFunctionReturn(0);
}
