/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The longest and the shortest spring relative to rest length, which messages about diverged runs name. Lengths are
 * computed by hypot, because squares may overflow. If several are equal, the spring with the smallest number. */
#include "model/system/system.h"

#include <math.h>

typedef struct {
  double badness; /* the larger the worse */
  int    spring;  /* global number */
} candidate;

static double length_of(const sb_springs *springs, const double *position, int s)
{
  const double *a = position + 3 * (long)springs->first[s], *b = position + 3 * (long)springs->second[s];
  return hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
}

/* Length over rest length. Without a rest length there is no ratio, but a length that is not a number is one. */
static double ratio_of(const sb_springs *springs, const double *position, int s)
{
  const double length = length_of(springs, position, s), rest = springs->rest_length[s];
  if (!isfinite(length)) return INFINITY;
  return rest > 0.0 ? length / rest : 1.0;
}

static int global_vertex(const sb_system *system, int local)
{
  return (int)(local < system->owned ? system->first_vertex + local : system->ghost_ids[local - system->owned]);
}

/* `sign` 1: of the longest, -1: of the shortest. Springs are in ascending order: of equal ones the first is kept. */
static candidate worst_here(const sb_system *system, const double *position, double sign, int ends[2])
{
  const sb_springs *springs = &system->springs;
  candidate         worst = {-INFINITY, (int)system->springs_global};
  for (int s = 0; s < springs->count; ++s) {
    const double badness = sign * ratio_of(springs, position, s);
    if (!(badness > worst.badness)) continue;
    worst = (candidate){badness, (int)sb_system_spring_id(system, s)};
    ends[0] = global_vertex(system, springs->first[s]);
    ends[1] = global_vertex(system, springs->second[s]);
  }
  return worst;
}

static PetscErrorCode find(const sb_system *system, Vec x, double sign, sb_extreme *extreme)
{
  const double *position;
  int           ends[2] = {-1, -1};
  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, x, &position));
  candidate worst = worst_here(system, position, sign, ends);
  PetscCall(sb_system_end_read(system, x, &position));
  const int own = worst.spring;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &worst, 1, MPI_DOUBLE_INT, MPI_MAXLOC, system->comm));
  if (own != worst.spring) ends[0] = ends[1] = -1;
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_INT, MPI_MAX, system->comm));
  extreme->ratio = sign * worst.badness;
  extreme->spring = ends[0] < 0 ? -1 : worst.spring;
  for (int e = 0; e < 2; ++e) extreme->ends[e] = ends[e];
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_longest_spring(const sb_system *system, Vec x, sb_extreme *extreme)
{
  PetscFunctionBeginUser;
  PetscCall(find(system, x, 1.0, extreme));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_system_shortest_spring(const sb_system *system, Vec x, sb_extreme *extreme)
{
  PetscFunctionBeginUser;
  PetscCall(find(system, x, -1.0, extreme));
  PetscFunctionReturn(0);
}
