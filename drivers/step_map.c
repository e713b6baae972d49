/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The map of one mode from frame to frame; see step_map.h. With D = q(n) - q(n - 1), the fit is that of
 *
 *   q(n + 1) - 2 q(n) + q(n - 1) = -pull q(n) - loss D + constant,
 *
 * whose columns are nearly orthogonal if a frame is short: trace = 2 - pull - loss, determinant = 1 - loss. That of the
 * converged motion is q'' = -square q - rate q' + constant: unlike a map it has no period.
 *
 * Standard errors are those of misfits that are correlated over a few frames (Newey and West 1987), as the misfits of
 * noisy positions are. Noise in q(n) and D also shifts the fit: by as much as white noise of the misfit's size would.
 *
 * A method of more levels has further roots, which decay. The fit begins where its errors are least, after them. */
#include "drivers/step_map.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/allocate.h"

enum { FRAMES_MIN = 8, FRAMES_LATE = 32, LAGS_MAX = 128, WIDTH_MAX = 64 };
#define FIT_MAX     1e-3 /* over the range of the motion: beyond it there is more than one mode, or no linear method */
#define ERRORS      6.0  /* standard errors that a value is known to */
#define RADIANS_MIN 2.0  /* shorter motions look like one mode */
#define KNOWN_TO    0.1  /* relative, of the amplitude and of a mode's frequency squared */

/* ---- least squares of y = A a + B b + constant ---- */

typedef struct {
  double a, b, y;
} row;

typedef struct {
  double A, B, A_error, B_error, rms;
  double aa, ab, bb; /* sums of squares about the means */
} fit;

static row minus(row one, row other) { return (row){one.a - other.a, one.b - other.b, one.y - other.y}; }

static row mean_of(const row *rows, size_t count)
{
  row sum = {0};
  for (size_t n = 0; n < count; ++n) sum = (row){sum.a + rows[n].a, sum.b + rows[n].b, sum.y + rows[n].y};
  return (row){sum.a / (double)count, sum.b / (double)count, sum.y / (double)count};
}

static double left(const fit *f, row each) { return each.y - f->A * each.a - f->B * each.b; }

/* Standard errors, of misfits that are at least `rounding`. From sums of products of the scores (a, b) misfit that are
 * up to LAGS_MAX rows apart. */
static void estimate_errors(const row *rows, size_t count, row mean, double rounding, fit *f)
{
  const double size = f->aa * f->bb - f->ab * f->ab;
  const size_t lags = count / 4 < LAGS_MAX ? count / 4 : LAGS_MAX;
  double       A = 0, B = 0;
  for (size_t lag = 0; lag <= lags; ++lag) {
    const double weight = (lag ? 2 : 1) * (1 - (double)lag / ((double)lags + 1));
    for (size_t n = lag; n < count; ++n) {
      const row    one = minus(rows[n], mean), other = minus(rows[n - lag], mean);
      const double product = weight * left(f, one) * left(f, other);
      A += product * (f->bb * one.a - f->ab * one.b) * (f->bb * other.a - f->ab * other.b);
      B += product * (f->aa * one.b - f->ab * one.a) * (f->aa * other.b - f->ab * other.a);
    }
  }
  const double few = sqrt((double)count / ((double)count - 3)) / size;
  f->A_error = few * sqrt(fmax(0, A) + rounding * rounding * size * f->bb);
  f->B_error = few * sqrt(fmax(0, B) + rounding * rounding * size * f->aa);
}

/* False if there is nothing to fit. */
static bool fit_rows(const row *rows, size_t count, double rounding, fit *f)
{
  double    ay = 0, by = 0, squares = 0;
  const row mean = mean_of(rows, count);
  *f = (fit){0};
  for (size_t n = 0; n < count; ++n) {
    const row each = minus(rows[n], mean);
    f->aa += each.a * each.a, f->ab += each.a * each.b, f->bb += each.b * each.b;
    ay += each.a * each.y, by += each.b * each.y;
  }
  const double size = f->aa * f->bb - f->ab * f->ab;
  if (!(size > 1e-14 * f->aa * f->bb)) return false; /* also if nothing moves */
  f->A = (ay * f->bb - by * f->ab) / size;
  f->B = (by * f->aa - ay * f->ab) / size;
  for (size_t n = 0; n < count; ++n) squares += pow(left(f, minus(rows[n], mean)), 2);
  f->rms = sqrt(squares / (double)count);
  estimate_errors(rows, count, mean, rounding, f);
  return isfinite(f->rms) && isfinite(f->A_error) && isfinite(f->B_error);
}

/* ---- the two fits ---- */

typedef struct {
  row    *rows;
  double *q; /* both [count] */
} work;

/* Largest minus least of a value of the samples, at `offset` bytes. */
static double range_of(const sb_step_map *map, size_t offset)
{
  double low = INFINITY, high = -INFINITY;
  for (size_t n = map->still; n < map->count; ++n) {
    const double value = *(const double *)((const char *)&map->samples[n] + offset);
    low = fmin(low, value), high = fmax(high, value);
  }
  return high - low;
}
#define RANGE(map, member) range_of((map), offsetof(sb_step_sample, member))

/* The mode of the converged motion, with its tolerance. False: it has none, or is too short to show it. */
static bool fit_mode(const sb_step_map *map, double seconds, row *rows, sb_mode *mode, sb_mode *tolerance)
{
  fit f;
  for (size_t n = map->still; n < map->count; ++n) {
    const sb_step_sample *s = &map->samples[n];
    rows[n - map->still] = (row){s->truth, s->truth_velocity, s->truth_acceleration};
  }
  if (!map->has_truth || map->truth_stray > FIT_MAX * RANGE(map, truth) ||
      !fit_rows(rows, map->count - map->still, 0, &f))
    return false;
  *mode = (sb_mode){-f.A, -f.B};
  *tolerance = (sb_mode){ERRORS * f.A_error, ERRORS * f.B_error};
  if (fabs(mode->rate) <= tolerance->rate) mode->rate = 0;
  return f.rms <= FIT_MAX * RANGE(map, truth_acceleration) && tolerance->square < KNOWN_TO * mode->square &&
         sqrt(mode->square) * seconds >= RADIANS_MIN;
}

/* Replaces values by the means of `width` of them; returns how many are left. */
static size_t smooth(double *values, size_t count, size_t width)
{
  for (size_t n = 0; n + width <= count; ++n) {
    double sum = 0;
    for (size_t i = 0; i < width; ++i) sum += values[n + i];
    values[n] = sum / (double)width;
  }
  return count - width + 1;
}

/* Correlation of white noise, smoothed twice, with itself `apart` frames later. */
static double smoothed_noise(size_t width, size_t apart)
{
  const double w = (double)width;
  double       sum = 0;
  for (size_t i = apart + 1; i < 2 * width; ++i)
    sum += fmin((double)i, 2 * w - (double)i) * fmin((double)(i - apart), 2 * w - (double)(i - apart));
  return sum / (w * w * w * w);
}

/* How far white noise in the frames, of which the whole misfit comes, shifts the fit: by its correlations with q and D,
 * times the inverse of the sums of squares. */
static sb_mode_map noise_shift(const fit *f, size_t count, size_t width)
{
  const double trace = 2 + f->A + f->B, determinant = 1 + f->B, size = f->aa * f->bb - f->ab * f->ab;
  const double r0 = smoothed_noise(width, 0), r1 = smoothed_noise(width, 1), r2 = smoothed_noise(width, 2);
  const double misfit =
      (1 + trace * trace + determinant * determinant) * r0 - 2 * trace * (1 + determinant) * r1 + 2 * determinant * r2;
  const double with_q = (1 + determinant) * r1 - trace * r0, with_before = r2 - trace * r1 + determinant * r0;
  const double noise = (double)count * f->rms * f->rms / misfit / size, with_step = with_q - with_before;
  return (sb_mode_map){noise * fabs(with_q * f->bb - with_step * f->ab),
                       noise * fabs(with_step * f->aa - with_q * f->ab)};
}

static size_t fill_rows(const double *q, size_t count, row *rows)
{
  for (size_t n = 1; n + 1 < count; ++n) {
    const double step = q[n] - q[n - 1];
    rows[n - 1] = (row){q[n], step, (q[n + 1] - q[n]) - step};
  }
  return count - 2;
}

/* The map of the frames q, from the frame on after which its errors are least, and its misfit. They are averaged twice
 * over `width` of them: means follow the same map, and are less noisy. False: the frames have no map. */
static bool fit_frames(const sb_step_map *map, size_t width, work *w, sb_mode_sight *sight, double *misfit)
{
  double least = INFINITY;
  for (size_t n = 0; n < map->count; ++n) w->q[n] = map->samples[n].own;
  const size_t count = fill_rows(w->q, smooth(w->q, smooth(w->q, map->count, width), width), w->rows);
  for (size_t first = 0; first == 0 || first + FRAMES_LATE <= count; first = first ? 2 * first : FRAMES_MIN) {
    fit f;
    if (!fit_rows(&w->rows[first], count - first, map->rounding, &f)) continue;
    const sb_mode_map shift = noise_shift(&f, count - first, width);
    const sb_mode_map tolerance = {ERRORS * f.A_error + shift.pull, ERRORS * f.B_error + shift.loss};
    if (!(tolerance.pull + tolerance.loss < least)) continue;
    least = tolerance.pull + tolerance.loss;
    sight->map = (sb_mode_map){-f.A, -f.B};
    sight->map_tolerance = tolerance;
    *misfit = f.rms;
  }
  return isfinite(least);
}

/* ---- frames ---- */

/* Displacements are differences first: coordinates may be much larger. */
static PetscErrorCode look(const sb_step_map *map, Vec x, double *along, double *stray)
{
  double all;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(map->moved, -1, map->start, x));
  PetscCall(VecDot(map->moved, map->direction, along));
  PetscCall(VecDot(map->moved, map->moved, &all));
  *along /= map->square;
  *stray = fmax(*stray, sqrt(fmax(0, all / map->square - *along * *along)));
  PetscFunctionReturn(0);
}

/* Notes the rounding of coordinates, over the direction's length. */
static PetscErrorCode note_rounding(sb_step_map *map, Vec x)
{
  double largest;

  PetscFunctionBeginUser;
  PetscCall(VecNorm(x, NORM_INFINITY, &largest));
  map->rounding = fmax(map->rounding, DBL_EPSILON * largest / sqrt(map->square));
  PetscFunctionReturn(0);
}

static PetscErrorCode project(const sb_step_map *map, Vec change, double *along)
{
  PetscFunctionBeginUser;
  PetscCall(VecDot(change, map->direction, along));
  *along /= map->square;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_step_map_frame(sb_step_map *map, const sb_step_state *own, const sb_step_state *truth)
{
  PetscFunctionBeginUser;
  if (!map->start) {
    PetscCall(VecDuplicate(own->x, &map->start));
    PetscCall(VecDuplicate(own->x, &map->direction));
    PetscCall(VecDuplicate(own->x, &map->moved));
    PetscCall(VecCopy(truth ? truth->x : own->x, map->start));
  }
  if (map->count == map->capacity) {
    map->capacity = map->capacity ? 2 * map->capacity : 64;
    map->samples = sb_insist(realloc(map->samples, map->capacity * sizeof *map->samples));
  }
  map->has_truth = truth;
  sb_step_sample *s = &map->samples[map->count++];
  *s = (sb_step_sample){0};
  if (map->square == 0) {
    PetscCall(VecWAXPY(map->direction, -1, map->start, truth ? truth->x : own->x));
    PetscCall(VecDot(map->direction, map->direction, &map->square));
  }
  if (map->square == 0) ++map->still;
  if (map->square == 0) PetscFunctionReturn(0);
  PetscCall(look(map, own->x, &s->own, &map->own_stray));
  PetscCall(note_rounding(map, own->x));
  PetscCall(project(map, own->v, &s->own_velocity));
  if (!truth) PetscFunctionReturn(0);
  PetscCall(look(map, truth->x, &s->truth, &map->truth_stray));
  PetscCall(project(map, truth->v, &s->truth_velocity));
  PetscCall(project(map, truth->a, &s->truth_acceleration));
  PetscFunctionReturn(0);
}

/* ---- columns ---- */

/* The exact motion with the fitted map, and by how much velocities are late in it. */
static void judge_exact_motion(const sb_step_map *map, const sb_mode_sight *sight, const sb_step_facts *facts,
                               row *rows, sb_step_finding *found)
{
  sb_mode mode;
  fit     f;
  if (!sb_mode_of_map(sight->map, sight->frame_seconds, sight->mode, &mode)) return;
  found->stiffness = facts->stiffness * mode.square / sight->mode.square;
  found->damping = 0.5 * mode.rate;
  if (!facts->has_velocities) return;
  for (size_t n = map->still; n < map->count; ++n) {
    const sb_step_sample *s = &map->samples[n];
    rows[n - map->still] = (row){s[0].own, s[0].own - s[-1].own, s->own_velocity};
  }
  if (fit_rows(rows, map->count - map->still, 0, &f) && f.rms <= FIT_MAX * RANGE(map, own_velocity))
    found->velocity_delay = sb_mode_delay(mode, sight->frame_seconds, f.A, f.B);
}

static void judge(const sb_step_map *map, const sb_step_facts *facts, work *w, sb_step_finding *found)
{
  sb_mode_sight sight = {.frame_seconds = facts->frame_seconds, .steps_per_frame = facts->steps_per_frame};
  const double  half_frames = 0.5 * (double)(map->count - 1), range = RANGE(map, own);
  double        misfit = NAN;
  if (!fit_frames(map, 1, w, &sight, &misfit)) return;
  found->fit_error = misfit / range;
  if (found->fit_error > FIT_MAX || map->own_stray > FIT_MAX * range) return;
  if (!fit_mode(map, 2 * half_frames * facts->frame_seconds, w->rows, &sight.mode, &sight.mode_tolerance)) return;
  const double radian_frames = 1 / (sqrt(sight.mode.square) * sight.frame_seconds);
  const size_t width = (size_t)fmax(1, fmin(fmin(WIDTH_MAX, (double)map->count / 16), radian_frames));
  if (!fit_frames(map, width, w, &sight, &misfit)) return;
  found->trace = 2 - sight.map.pull - sight.map.loss;
  found->determinant = 1 - sight.map.loss;
  if (half_frames * sight.map_tolerance.loss <= KNOWN_TO * found->determinant)
    found->amplitude_kept = pow(found->determinant, half_frames);
  found->nearest = sb_known_method_find(&sight);
  judge_exact_motion(map, &sight, facts, w->rows, found);
}

void sb_step_map_judge(const sb_step_map *map, const sb_step_facts *facts, sb_step_finding *found)
{
  *found =
      (sb_step_finding){NAN, NAN, NAN, NAN, NAN, NAN, NAN, {.distance = NAN, .tolerance = NAN, .next_distance = NAN}};
  if (map->count < map->still + FRAMES_MIN) return;
  work w = {sb_insist(malloc(map->count * sizeof *w.rows)), sb_insist(malloc(map->count * sizeof *w.q))};
  judge(map, facts, &w, found);
  free(w.rows);
  free(w.q);
}

PetscErrorCode sb_step_map_record(const sb_step_map *map, const sb_step_facts *facts, sb_recorder *recorder)
{
  sb_step_finding f;

  PetscFunctionBeginUser;
  sb_step_map_judge(map, facts, &f);
  PetscCall(SB_RECORD(recorder, {"step_trace", f.trace}, {"step_determinant", f.determinant},
                      {"fit_error", f.fit_error}, {"amplitude_kept", f.amplitude_kept},
                      {"found_distance", f.nearest.distance}, {"found_tolerance", f.nearest.tolerance},
                      {"next_distance", f.nearest.next_distance}, {"found_stiffness", f.stiffness},
                      {"found_damping", f.damping}, {"velocity_delay", f.velocity_delay}));
  if (!f.nearest.is_sure) PetscFunctionReturn(0);
  PetscCall(sb_recorder_word(recorder, "found_method", f.nearest.name));
  PetscCall(SB_RECORD(recorder, {"found_parameter", f.nearest.parameter}, {"found_substeps", f.nearest.substeps}));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_step_map_clear(sb_step_map *map)
{
  PetscFunctionBeginUser;
  free(map->samples);
  PetscCall(VecDestroy(&map->start));
  PetscCall(VecDestroy(&map->direction));
  PetscCall(VecDestroy(&map->moved));
  *map = (sb_step_map){0};
  PetscFunctionReturn(0);
}
