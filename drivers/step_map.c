/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of one mode from frame to frame; see step_map.h. With D = q(n) - q(n - 1), the fit is that of q(n + 1) - 2
 * q(n) + q(n - 1) = alpha q(n) + beta D + constant, whose columns are nearly orthogonal if a frame is short: trace = 2
 * + alpha + beta, determinant = 1 + beta. The maps of the methods for x'' = -w^2 x are those of their textbooks
 * (Hairer, Lubich and Wanner 2006, I.1 and IX.3); rk4 is its polynomial of degree 4. */
#include "drivers/step_map.h"

#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"

enum { FRAMES_MIN = 8, SUBSTEPS_MAX = 64 };
#define FIT_MAX 1e-3 /* over the range of the motion: beyond it there is more than one mode, or no linear method */
#define CLEARLY 10.0 /* the next one must be this many times farther */

typedef struct {
  double trace, determinant;
} map_of_step;

/* ---- maps of known methods; z = h omega ---- */

static map_of_step exact(double z) { return (map_of_step){2 * cos(z), 1}; }
static map_of_step explicit_euler(double z) { return (map_of_step){2, 1 + z * z}; }
static map_of_step symplectic_euler(double z) { return (map_of_step){2 - z * z, 1}; }
static map_of_step implicit_euler(double z) { return (map_of_step){2 / (1 + z * z), 1 / (1 + z * z)}; }
static map_of_step trapezoidal(double z) { return (map_of_step){(8 - 2 * z * z) / (4 + z * z), 1}; }
static map_of_step rk4(double z)
{
  const double real = 1 - z * z / 2 + z * z * z * z / 24, imaginary = z - z * z * z / 6;
  return (map_of_step){2 * real, real * real + imaginary * imaginary};
}

static const struct {
  const char *name;
  map_of_step (*map)(double z);
  int substeps_max;
} methods[] = {{"exact", exact, 1},
               {"explicit_euler", explicit_euler, SUBSTEPS_MAX},
               {"symplectic_euler", symplectic_euler, SUBSTEPS_MAX},
               {"implicit_euler", implicit_euler, SUBSTEPS_MAX},
               {"trapezoidal", trapezoidal, SUBSTEPS_MAX},
               {"rk4", rk4, SUBSTEPS_MAX}};

/* That of n such steps: trace(n + 1) = trace trace(n) - determinant trace(n - 1). */
static map_of_step repeat(map_of_step one, int64_t n)
{
  double before = 2, trace = one.trace;
  for (int64_t i = 1; i < n; ++i) {
    const double next = one.trace * trace - one.determinant * before;
    before = trace;
    trace = next;
  }
  return (map_of_step){trace, pow(one.determinant, (double)n)};
}

/* ---- the fit ---- */

/* Position, its difference to the frame before, and its second difference. */
typedef struct {
  double at, step, turn;
} row;

static row row_of(const double *q, size_t n) { return (row){q[n], q[n] - q[n - 1], q[n + 1] - 2 * q[n] + q[n - 1]}; }

static row mean_of(const double *q, size_t count)
{
  row sum = {0};
  for (size_t n = 1; n + 1 < count; ++n) {
    const row each = row_of(q, n);
    sum = (row){sum.at + each.at, sum.step + each.step, sum.turn + each.turn};
  }
  const double rows = (double)count - 2;
  return (row){sum.at / rows, sum.step / rows, sum.turn / rows};
}

/* Least squares, from deviations from the means, so that the constant drops out. False if there is nothing to fit;
 * *error over the range of q. */
static bool fit(const double *q, size_t count, map_of_step *found, double *error)
{
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0, rest = 0, low = INFINITY, high = -INFINITY;
  if (count < FRAMES_MIN) return false;
  const row mean = mean_of(q, count);
  for (size_t n = 1; n + 1 < count; ++n) {
    const row    each = row_of(q, n);
    const double a = each.at - mean.at, b = each.step - mean.step, y = each.turn - mean.turn;
    aa += a * a, ab += a * b, bb += b * b, ay += a * y, by += b * y;
    low = fmin(low, each.at), high = fmax(high, each.at);
  }
  const double size = aa * bb - ab * ab;
  if (!(size > 1e-14 * aa * bb)) return false; /* also if nothing moves */
  const double alpha = (ay * bb - by * ab) / size, beta = (by * aa - ay * ab) / size;
  for (size_t n = 1; n + 1 < count; ++n) {
    const row    each = row_of(q, n);
    const double left = each.turn - mean.turn - alpha * (each.at - mean.at) - beta * (each.step - mean.step);
    rest += left * left;
  }
  *error = sqrt(rest / ((double)count - 2)) / (high - low);
  *found = (map_of_step){2 + alpha + beta, 1 + beta};
  return isfinite(*error);
}

/* ---- frames ---- */

/* Differences first: coordinates may be much larger than displacements. */
static PetscErrorCode displacement(const sb_step_map *map, Vec x, double *along)
{
  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(map->moved, -1, map->start, x));
  PetscCall(VecDot(map->moved, map->direction, along));
  *along /= map->square;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_step_map_frame(sb_step_map *map, Vec x, Vec truth)
{
  PetscFunctionBeginUser;
  if (!map->start) {
    PetscCall(VecDuplicate(x, &map->start));
    PetscCall(VecDuplicate(x, &map->direction));
    PetscCall(VecDuplicate(x, &map->moved));
    PetscCall(VecCopy(x, map->start));
  }
  if (map->count == map->capacity) {
    map->capacity = map->capacity ? 2 * map->capacity : 64;
    map->own = sb_insist(realloc(map->own, map->capacity * sizeof *map->own));
    map->truth = sb_insist(realloc(map->truth, map->capacity * sizeof *map->truth));
  }
  double *own = &map->own[map->count], *converged = &map->truth[map->count];
  *own = 0;
  *converged = truth ? 0 : NAN;
  ++map->count;
  if (map->square == 0) {
    PetscCall(VecWAXPY(map->direction, -1, map->start, truth ? truth : x));
    PetscCall(VecDot(map->direction, map->direction, &map->square));
  }
  if (map->square == 0) PetscFunctionReturn(0);
  PetscCall(displacement(map, x, own));
  if (truth) PetscCall(displacement(map, truth, converged));
  PetscFunctionReturn(0);
}

/* ---- the fitted map ---- */

typedef struct {
  const char *name;
  int         substeps;
  double      distance, next;
} finding;

static finding find(map_of_step seen, double frame_angle, int64_t steps_per_frame)
{
  finding f = {NULL, 0, INFINITY, INFINITY};
  for (size_t m = 0; m < sizeof methods / sizeof *methods; ++m)
    for (int s = 1; s <= methods[m].substeps_max; ++s) {
      const int64_t     steps = s * steps_per_frame;
      const map_of_step theirs = repeat(methods[m].map(frame_angle / (double)steps), steps);
      const double      distance = fmax(fabs(seen.trace - theirs.trace), fabs(seen.determinant - theirs.determinant));
      if (distance < f.distance)
        f = (finding){methods[m].name, s, distance, f.distance};
      else
        f.next = fmin(f.next, distance);
    }
  return f;
}

PetscErrorCode sb_step_map_record(const sb_step_map *map, int64_t steps_per_frame, sb_recorder *recorder)
{
  map_of_step seen, true_one;
  double      error, true_error;

  PetscFunctionBeginUser;
  if (!fit(map->own, map->count, &seen, &error)) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(recorder, "fit_error", error));
  if (error > FIT_MAX) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(recorder, {"step_trace", seen.trace}, {"step_determinant", seen.determinant},
                      {"amplitude_kept", pow(fmax(0, seen.determinant), 0.5 * (double)(map->count - 1))}));
  if (!fit(map->truth, map->count, &true_one, &true_error) || true_error > FIT_MAX || !(fabs(true_one.trace) < 2))
    PetscFunctionReturn(0);
  const finding f = find(seen, acos(0.5 * true_one.trace), steps_per_frame);
  const bool    is_clear = f.next > CLEARLY * f.distance;
  PetscCall(SB_RECORD(recorder, {"found_distance", f.distance}, {"next_distance", f.next}));
  if (is_clear) PetscCall(sb_recorder_word(recorder, "found_method", f.name));
  if (is_clear) PetscCall(sb_recorder_real(recorder, "found_substeps", f.substeps));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_step_map_clear(sb_step_map *map)
{
  PetscFunctionBeginUser;
  free(map->own);
  free(map->truth);
  PetscCall(VecDestroy(&map->start));
  PetscCall(VecDestroy(&map->direction));
  PetscCall(VecDestroy(&map->moved));
  *map = (sb_step_map){0};
  PetscFunctionReturn(0);
}
