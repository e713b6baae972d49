/* SPDX-License-Identifier: GPL-3.0-or-later */
/* See edge_load.h. */
#include "drivers/edge_load.h"

#include <math.h>
#include <string.h>

#include "model/maths/vector3.h"

#define EXTENT_PART 1e-12

/* The largest -coordinate and coordinate along an axis. */
static void find_ends(const double axis[3], size_t count, const double *position, double ends[2])
{
  ends[0] = ends[1] = -PETSC_MAX_REAL;
  for (size_t i = 0; i < count; ++i) {
    const double coordinate = sb_dot(axis, &position[3 * i]);
    ends[0] = fmax(ends[0], -coordinate);
    ends[1] = fmax(ends[1], coordinate);
  }
}

/* Coordinate along the load from which on a vertex belongs to the row. */
static double threshold_of(const double ends[2]) { return ends[1] - EXTENT_PART * (ends[1] + ends[0]); }

/* Vertices of the last row of a sheet, 0 for other nets. */
static PetscInt sheet_row(size_t vertices, const sb_options *options)
{
  if (!SB_HAS(options, grid)) return 0;
  const PetscInt side = (PetscInt)SB_INTEGER(options, grid) + 1;
  return (size_t)(side * side) == vertices ? side : 0;
}

bool sb_edge_load_check(const sb_options *options, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  const double *axis = SB_VECTOR(options, load_direction);
  const size_t  last = (size_t)sheet_row(pose->vertices, options);
  size_t        i = last ? pose->vertices - last : 0;
  double        ends[2];
  if (SB_REAL(options, edge_load) == 0 || pose->slab.team) return true;
  find_ends(axis, pose->vertices, pose->position, ends);
  while (i < pose->vertices &&
         (pose->pinned[i] || !(last || sb_dot(axis, &pose->position[3 * i]) >= threshold_of(ends))))
    ++i;
  return i < pose->vertices || sb_error_at(diagnostics, sb_options_blame(options, SB_ID(edge_load)), "E106",
                                           "edge_load has no effect: every vertex of the last row is pinned");
}

static PetscErrorCode find_row(const sb_system *system, const sb_options *options, Vec x, sb_edge_load *load)
{
  const PetscInt last = sheet_row((size_t)system->vertices, options);
  const double  *position;
  double         ends[2], threshold = 0;

  PetscFunctionBeginUser;
  if (!last && load->newtons == 0) PetscFunctionReturn(0);
  PetscCall(PetscMalloc1(system->owned + 1, &load->vertex));
  PetscCall(VecGetArrayRead(x, &position));
  find_ends(load->direction, (size_t)system->owned, position, ends);
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_DOUBLE, MPI_MAX, system->comm));
  if (!last) threshold = threshold_of(ends);
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool in_row = last ? system->first_vertex + i >= system->vertices - last
                             : sb_dot(load->direction, &position[3 * i]) >= threshold;
    if (in_row && !system->pinned[i]) load->vertex[load->owned_row++] = i;
  }
  PetscCall(VecRestoreArrayRead(x, &position));
  PetscCallMPI(MPI_Allreduce(&load->owned_row, &load->row, 1, MPIU_INT, MPI_SUM, system->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_edge_load_create(const sb_system *system, const sb_options *options, Vec x, sb_edge_load *load)
{
  const double *direction = SB_VECTOR(options, load_direction);
  const double  length = sqrt(sb_dot(direction, direction));
  double       *force;

  PetscFunctionBeginUser;
  *load = (sb_edge_load){.newtons = SB_REAL(options, edge_load)};
  for (int c = 0; c < 3; ++c) load->direction[c] = length > 0 ? direction[c] / length : 0;
  PetscCall(find_row(system, options, x, load));
  if (load->newtons == 0) PetscFunctionReturn(0);
  PetscCheck(load->row > 0, PETSC_COMM_SELF, PETSC_ERR_USER,
             "edge_load has no effect: every vertex of the last row is pinned");
  PetscCall(sb_system_create_full(system, &load->force));
  PetscCall(VecGetArray(load->force, &force));
  for (PetscInt i = 0; i < load->owned_row; ++i)
    for (int c = 0; c < 3; ++c) force[3 * load->vertex[i] + c] = load->newtons / (double)load->row * load->direction[c];
  PetscCall(VecRestoreArray(load->force, &force));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_edge_load_clear(sb_edge_load *load)
{
  PetscFunctionBeginUser;
  PetscCall(PetscFree(load->vertex));
  PetscCall(VecDestroy(&load->force));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_edge_load_displacement(const sb_system *system, const sb_edge_load *load, const double axis[3],
                                         Vec x_start, Vec x, double *metres)
{
  const double *from, *to;
  double        sum = 0;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x_start, &from));
  PetscCall(VecGetArrayRead(x, &to));
  for (PetscInt i = 0; i < load->owned_row; ++i)
    for (int c = 0; c < 3; ++c) sum += axis[c] * (to[3 * load->vertex[i] + c] - from[3 * load->vertex[i] + c]);
  PetscCall(VecRestoreArrayRead(x, &to));
  PetscCall(VecRestoreArrayRead(x_start, &from));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  *metres = load->row > 0 ? sum / (double)load->row : NAN;
  PetscFunctionReturn(0);
}
