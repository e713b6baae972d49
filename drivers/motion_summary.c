/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures over the frames of a run; see motion_summary.h. The drift is the least-squares slope of the total energy,
 *
 *     sum (t - <t>)(E - <E>) / sum (t - <t>)^2,
 *
 * which neither the oscillation of symplectic methods within a period nor the last frame's phase decides. */
#include "drivers/motion_summary.h"

#include <math.h>

/* Fraction of the largest kinetic energy: 1 % of the speed. */
#define SETTLED 1e-4
/* Fraction of the range of the gravitational energy: smaller rises and falls are bounces. */
#define FALLEN 0.01
/* Fraction of the run: a net that was near its end for less may only be passing, or still be on its way. */
#define STAYED 0.5

/* Adds a frame, zeroed. */
static void extend(sb_motion_summary *t)
{
  double **const arrays[] = {&t->seconds, &t->total, &t->kinetic, &t->gravity};
  for (size_t i = 0; i < 4; ++i) *arrays[i] = sb_arena_grow(t->arena, *arrays[i], t->count, sizeof **arrays[i]);
  ++t->count;
}

/* Spring 0 of the net, on the rank that counts it. */
static PetscErrorCode measure_first_spring(sb_motion_summary *tally, const sb_system *system, Vec x)
{
  const double *position;
  double        strain = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, x, &position));
  for (PetscInt s = 0; s < system->springs.count; ++s) {
    if (sb_system_spring_id(system, s) != 0 || !system->springs.counted[s]) continue;
    const double *a = &position[3 * (size_t)system->springs.first[s]],
                 *b = &position[3 * (size_t)system->springs.second[s]];
    const double l = system->springs.rest_length[s], r = hypot(hypot(a[0] - b[0], a[1] - b[1]), a[2] - b[2]);
    strain = l > 0 ? r / l - 1 : 0;
  }
  PetscCall(sb_system_end_read(system, x, &position));
  PetscCallMPI(MPI_Allreduce(&strain, &tally->strain_first, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_motion_summary_frame(sb_motion_summary *tally, double seconds, const sb_energies *energies, Vec x)
{
  PetscReal largest;

  PetscFunctionBeginUser;
  if (tally->count > 0 && seconds == tally->seconds[tally->count - 1]) PetscFunctionReturn(0);
  extend(tally);
  tally->seconds[tally->count - 1] = seconds;
  tally->total[tally->count - 1] = energies->total;
  tally->kinetic[tally->count - 1] = energies->kinetic;
  tally->gravity[tally->count - 1] = energies->gravity;
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  tally->coordinate_max = fmax(tally->coordinate_max, largest);
  tally->strain_max = fmax(tally->strain_max, energies->strain_max);
  tally->strain_final = energies->strain_max;
  tally->momentum_final = hypot(hypot(energies->momentum[0], energies->momentum[1]), energies->momentum[2]);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_motion_summary_keep(sb_motion_summary *tally, sb_checkpoint *c)
{
  size_t count = tally->count;

  PetscFunctionBeginUser;
  SB_CHECKPOINT(c, count);
  while (tally->count < count) extend(tally);
  const size_t bytes = count * sizeof(double);
  sb_checkpoint_bytes(c, "seconds", bytes, tally->seconds);
  sb_checkpoint_bytes(c, "total", bytes, tally->total);
  sb_checkpoint_bytes(c, "kinetic", bytes, tally->kinetic);
  sb_checkpoint_bytes(c, "gravity", bytes, tally->gravity);
  SB_CHECKPOINT(c, tally->strain_max);
  SB_CHECKPOINT(c, tally->coordinate_max);
  SB_CHECKPOINT(c, tally->strain_final);
  SB_CHECKPOINT(c, tally->momentum_final);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_motion_summary_end(sb_motion_summary *tally, const sb_system *system, Vec x)
{
  PetscFunctionBeginUser;
  PetscCall(sb_system_center(system, x, tally->center));
  PetscCall(measure_first_spring(tally, system, x));
  PetscFunctionReturn(0);
}

static double mean(const double *values, size_t count)
{
  double sum = 0;
  for (size_t i = 0; i < count; ++i) sum += values[i];
  return sum / (double)count;
}

static double largest_of(const double *values, size_t count)
{
  double largest = values[0];
  for (size_t i = 1; i < count; ++i) largest = fmax(largest, values[i]);
  return largest;
}

static double drift(const sb_motion_summary *tally)
{
  const double t_mean = mean(tally->seconds, tally->count), e_mean = mean(tally->total, tally->count);
  double       above = 0, below = 0;
  for (size_t i = 0; i < tally->count; ++i) {
    const double t = tally->seconds[i] - t_mean;
    above += t * (tally->total[i] - e_mean);
    below += t * t;
  }
  return below > 0 ? above / below : 0;
}

/* The frame from which on it is at rest; `count` when the last is not, or it never moved. */
static size_t first_at_rest(const sb_motion_summary *tally)
{
  const double limit = SETTLED * largest_of(tally->kinetic, tally->count);
  size_t       first = tally->count;
  if (!(limit > 0)) return tally->count;
  while (first > 0 && tally->kinetic[first - 1] <= limit) --first;
  return first;
}

/* The time at which it came to its final place. Unlike the kinetic energy this ignores the velocity that a method
 * reports at rest (position_verlet: h g). */
static PetscErrorCode record_hanging(const sb_motion_summary *tally, sb_recorder *recorder)
{
  const size_t  last = tally->count - 1;
  const double *g = tally->gravity, *t = tally->seconds, high = largest_of(g, tally->count);
  double        least = g[0];
  size_t        first = last;

  PetscFunctionBeginUser;
  for (size_t i = 1; i <= last; ++i) least = fmin(least, g[i]);
  while (first > 0 && fabs(g[first - 1] - g[last]) <= FALLEN * (high - least)) --first;
  if (first == 0 || t[last] - t[first] < STAYED * (t[last] - t[0])) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(recorder, "hang_time", t[first]));
  PetscFunctionReturn(0);
}

/* Counts falls, distinguished from bounces by hysteresis, and notes the end of the first. */
static PetscErrorCode record_falls(const sb_motion_summary *tally, sb_recorder *recorder)
{
  const double *g = tally->gravity;
  double        high = g[0], low = g[0], least = g[0];
  size_t        falls = 0, end = 0;
  bool          falling = false;

  PetscFunctionBeginUser;
  for (size_t i = 1; i < tally->count; ++i) least = fmin(least, g[i]);
  const double bounce = FALLEN * (largest_of(g, tally->count) - least);
  if (!(bounce > 0)) PetscFunctionReturn(0);
  for (size_t i = 1; i < tally->count; ++i) {
    if (!falling && g[i] < high - bounce) {
      falling = true;
      low = g[i];
      ++falls;
    } else if (falling && g[i] > low + bounce) {
      falling = false;
      high = g[i];
    }
    high = fmax(high, g[i]);
    low = fmin(low, g[i]);
    if (falls <= 1) least = low;
  }
  while (g[end] > least + bounce) ++end;
  PetscCall(sb_recorder_real(recorder, "falls", (double)falls));
  if (falls > 0) PetscCall(sb_recorder_real(recorder, "fall_time", tally->seconds[end]));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_motion_summary_record(const sb_motion_summary *tally, bool conserved, sb_recorder *recorder)
{
  const size_t last = tally->count - 1, rest = first_at_rest(tally);
  double       error = conserved ? 0 : NAN;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < tally->count && conserved; ++i) error = fmax(error, fabs(tally->total[i] - tally->total[0]));
  PetscCall(SB_RECORD(recorder, {"energy_start", tally->total[0]}, {"energy_final", tally->total[last]},
                      {"energy_max", largest_of(tally->total, tally->count)}, {"energy_error_max", error},
                      {"energy_drift", drift(tally)}, {"kinetic_max", largest_of(tally->kinetic, tally->count)},
                      {"kinetic_final", tally->kinetic[last]}));
  if (rest < tally->count) PetscCall(sb_recorder_real(recorder, "settle_time", tally->seconds[rest]));
  PetscCall(record_hanging(tally, recorder));
  PetscCall(record_falls(tally, recorder));
  PetscCall(SB_RECORD(recorder, {"strain_max", tally->strain_max}, {"strain_final", tally->strain_final},
                      {"strain_first", tally->strain_first}, {"coordinate_max", tally->coordinate_max},
                      {"momentum_final", tally->momentum_final}, {"center_x", tally->center[0]},
                      {"center_y", tally->center[1]}, {"center_z", tally->center[2]}));
  PetscFunctionReturn(0);
}
