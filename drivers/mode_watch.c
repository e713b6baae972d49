/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The amplitude of a mode, seen in the lengths of springs; see mode_watch.h.
 *
 * A net moves far from its initial pose, and its modes turn with it. Its effect on the lengths of springs does not
 * turn: e_s = d_s.(u_i - u_j), d_s the spring's direction and u the mode at the initial pose. Modes of springs without
 * stress are orthogonal in these, sum k e e' = 0, so that of the lengths r and their rates
 *
 *     a = sum k e (r - l)/sum k e^2,   a' = sum k e r'/sum k e^2,   A = sqrt(a^2 + (a'/omega)^2)
 *
 * is the mode's amplitude at any phase, and A max |e_s|/l_s the strain that it causes by itself. */
#include "drivers/mode_watch.h"

#include <math.h>

static double difference(const double *values, const double direction[3], int i, int j)
{
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += direction[c] * (values[3 * i + c] - values[3 * j + c]);
  return sum;
}

/* Its length. A spring of length 0 has no direction and is not counted. */
static double direction_of(const double *position, int i, int j, double direction[3])
{
  for (int c = 0; c < 3; ++c) direction[c] = position[3 * i + c] - position[3 * j + c];
  const double length = hypot(hypot(direction[0], direction[1]), direction[2]);
  for (int c = 0; c < 3; ++c) direction[c] = length > 0 ? direction[c] / length : 0;
  return length;
}

PetscErrorCode sb_mode_watch_create(const sb_system *system, Vec x, Vec shape, double omega, sb_mode_watch *watch)
{
  const sb_springs *springs = &system->springs;
  const double     *position, *mode;
  double            direction[3];

  PetscFunctionBeginUser;
  *watch = (sb_mode_watch){.system = system, .omega = omega};
  PetscCall(PetscMalloc1((size_t)springs->count + 1, &watch->length));
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(sb_system_begin_read(system, shape, &mode));
  for (int s = 0; s < springs->count; ++s) {
    direction_of(position, springs->first[s], springs->second[s], direction);
    const double length = difference(mode, direction, springs->first[s], springs->second[s]);
    watch->length[s] = springs->counted[s] ? length : 0;
    watch->square += springs->stiffness[s] * watch->length[s] * watch->length[s];
    if (springs->rest_length[s] > 0) watch->strain = fmax(watch->strain, fabs(length) / springs->rest_length[s]);
  }
  PetscCall(sb_system_end_read(system, shape, &mode));
  PetscCall(sb_system_end_read(system, x, &position));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &watch->square, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &watch->strain, 1, MPI_DOUBLE, MPI_MAX, system->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_mode_watch_strain(const sb_mode_watch *watch, Vec x, Vec v, double *strain)
{
  const sb_springs *springs = &watch->system->springs;
  const double     *position, *velocity;
  double            direction[3], sums[2] = {0, 0};

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(watch->system, x, &position));
  PetscCall(sb_system_begin_read(watch->system, v, &velocity));
  for (int s = 0; s < springs->count; ++s) {
    const double weight = springs->stiffness[s] * watch->length[s];
    const double length = direction_of(position, springs->first[s], springs->second[s], direction);
    sums[0] += weight * (length - springs->rest_length[s]);
    sums[1] += weight * difference(velocity, direction, springs->first[s], springs->second[s]);
  }
  PetscCall(sb_system_end_read(watch->system, v, &velocity));
  PetscCall(sb_system_end_read(watch->system, x, &position));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_DOUBLE, MPI_SUM, watch->system->comm));
  *strain = watch->square > 0 ? hypot(sums[0], sums[1] / watch->omega) / watch->square * watch->strain : 0;
  PetscFunctionReturn(0);
}

void sb_mode_watch_clear(sb_mode_watch *watch)
{
  PetscFree(watch->length);
  *watch = (sb_mode_watch){0};
}
