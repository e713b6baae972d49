/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `flow`: how does a fluid move? Energies, fronts, waves and pressures of scenes of particles, with the work.
 *
 * The measures are those that the scenes are made to show, from every step; a column is blank if a scene has none of
 * it.
 * - kinetic_ratio: kinetic energy K over that at the start; in taylor_green exp(-2 nu (kx^2 + ky^2) t) is exact. In a
 * box that is periodic along all axes, K and speeds are relative to the mean velocity.
 * - kinetic_weight: K over m g H of free particles, the mean of the last tenth of the run: 0 for a fluid at rest.
 * - pressure_slope: slope of the pressures averaged over time (the second half) and rows, over that of the weight, -rho
 * g. It uses heights between 0.2 and 0.8 of the depth, a support away from side walls.
 * - frequency: pi over the mean time between zeros of the displacement of the wave cos kx, 2 sum y cos kx/(rows n).
 * - lost, energy_gained: particles outside of the tank and an unexplained rise of energy; such a run ends as
 * not_converged.
 * - front_slope: slope of the front z/a over T = t sqrt(2 g/a), T from 1.4 to 3.3, by least squares, as in reports of
 * experiments. Ritter's wave on a dry bed has 2 sqrt(depth/2a), which is 2 for a column twice as high as wide. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "drivers/fluid.h"
#include "drivers/march.h"
#include "solvers/integrate/integrator_method.h"

/* Energy that a run may gain, relative to the sum of m g H and the kinetic energy at the start. Relaxed disorder is
 * evened out in the first steps, which lifts a column of 10 particles per depth by 0.02. */
#define TOLERATED 0.05

static const sb_column columns[] = {
    {"steps_done", "", "steps finished, including one that left the bounds", .valid_if_diverged = true},
    {"end_time", "s", "simulated time reached", .valid_if_diverged = true},
    {"kinetic_ratio", "", "kinetic energy at the end over that at the start; blank: it starts at rest",
     .timing = false},
    {"kinetic_exact", "", "the same of the exact solution; blank: none is known", .timing = false},
    {"kinetic_weight", "", "kinetic energy over m g H, mean of the last tenth of the run; blank: no gravity",
     .timing = false},
    {"pressure_slope", "",
     "slope of the mean pressure with height, over that of the weight; blank: no gravity or walls", .timing = false},
    {"floor_pressure", "", "mean pressure of the lowest row over rho g times the water above it; blank likewise",
     .timing = false},
    {"frequency", "rad/s", "frequency of the wave; blank: no wave, or fewer than two zeros", .timing = false},
    {"frequency_exact", "rad/s", "sqrt(g k tanh kH); blank: no wave", .valid_if_diverged = true},
    {"front_slope", "", "slope of z/a over t sqrt(2 g/a) from 1.4 to 3.3; blank: the front was not visible that long",
     .timing = false},
    {"front_end", "", "largest x of a particle at the end over the width at the start; blank: x is periodic",
     .timing = false},
    {"density_mean", "", "mean density over the rest density less 1, in the last step", .timing = false},
    {"density_max", "", "largest density over the rest density less 1, of a step", .timing = false},
    {"lost", "",
     "largest number of free particles outside of the tank after a step: below its floor or beyond a side wall by more "
     "than half a spacing; blank: no walls",
     .timing = false},
    {"energy_gained", "",
     "largest rise of kinetic and gravitational energy since an earlier step, relative to the sum of m g H and the "
     "kinetic energy at the start; blank: the sum is 0",
     .timing = false},
    {"courant_max", "", "largest speed times h over spacing, of a step", .timing = false},
    {"momentum_change", "", "|change of momentum| over the mass times the largest speed at the start; blank: walls",
     .timing = false},
    {"iterations_mean", "", "iterations of the pressure solver per step; blank: there is no pressure solve",
     .timing = false},
    {"iterations_max", "", "largest number in a step", .timing = false},
    {"linear_iterations", "", "linear iterations of all steps", .timing = false},
    {"unconverged_steps", "", "steps in which the pressure solve missed its tolerance", .timing = false},
    {"residual_worst", "",
     "largest residual of a pressure solve, without solves that ended by density_tolerance or at rounding; blank: "
     "there were no others",
     .timing = false},
    {"step_s", "s", "time of the run over its steps", .timing = true},
};

enum { TIME, KINETIC, DENSITY, FRONT, WAVE, ITERATIONS, SERIES };
static const sb_curve_name series_names[SERIES] = {
    {"motion", "time", "s", false},  {"motion", "kinetic", "J", false}, {"motion", "density_max", "", false},
    {"motion", "front", "m", false}, {"motion", "wave", "m", false},    {"motion", "iterations", "", false},
};

/* Sums over the steps so far, including those before a stop. */
typedef struct {
  int64_t done;
  double  momentum[3], speed_start;
  double  energy_scale;                /* J: m g H and the kinetic energy at the start */
  double  energy_least, energy_gained; /* J: lowest energy so far, and largest rise above it */
  size_t  lost;                        /* most particles after a step */
  int64_t first_lost, first_gained;    /* steps; 0: none */
  double  courant, density_mean, density_max;
  long    iterations, linear_iterations;
  int64_t unconverged, most_iterations;
  double  residual;
} measures;

typedef struct {
  const sb_case  *c;
  sb_recorder    *recorder;
  sb_setup        setup;
  sb_fluid       *fluid;
  sb_integrator  *integrator;
  sb_fluid_scales scales;
  bool            solves; /* for pressures, in every step */
  int64_t         first_step;
  sb_march        march;
  double         *series[SERIES]; /* [steps + 1] */
  int             layers;
  double         *layer_sum, *layer_count, *layer_height; /* [layers] */
  measures        seen;
  double          seconds; /* of the steps */
} run;

static bool has(const run *r, const char *scene) { return SB_IS(r->c->options, scene, scene); }

static PetscErrorCode create(run *r)
{
  const sb_options *options = r->c->options;
  const int64_t     steps = r->c->time.steps;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(r->c, NULL, 0, r->recorder, &r->setup));
  r->fluid = r->setup.system->fluid;
  r->scales = sb_fluid_scales_of(options);
  PetscCall(sb_integrator_create(r->setup.system, options, r->c->time.h_seconds, &r->integrator));
  PetscCall(sb_setup_restart(r->c, &r->setup, r->integrator, &r->first_step));
  r->solves = SB_IS(options, integrator, "isph");
  for (int s = 0; s < SERIES; ++s) PetscCall(PetscCalloc1((size_t)(steps - r->first_step + 1), &r->series[s]));
  r->layers = (int)ceil(1.5 * r->scales.depth / r->fluid->particles.spacing);
  PetscCall(PetscCalloc3(r->layers, &r->layer_sum, r->layers, &r->layer_count, r->layers, &r->layer_height));
  r->seen.density_max = -INFINITY;
  r->seen.energy_least = INFINITY;
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(run *r)
{
  PetscFunctionBeginUser;
  for (int s = 0; s < SERIES; ++s) PetscCall(PetscFree(r->series[s]));
  PetscCall(PetscFree3(r->layer_sum, r->layer_count, r->layer_height));
  PetscCall(sb_integrator_destroy(&r->integrator));
  PetscCall(sb_setup_destroy(&r->setup));
  PetscFunctionReturn(0);
}

/* Far enough from walls at the sides that the kernel sees none. */
static bool is_inside(const run *r, const double *x)
{
  const sb_particles *p = &r->fluid->particles;
  const double        breadth = p->dimensions == 3 ? SB_REAL(r->c->options, breadth) : 0;
  const double        size[3] = {r->scales.width, 0, breadth};
  for (int c = 0; c < p->dimensions; c += 2)
    if (!(p->period[c] > 0) && (x[c] < p->support || x[c] > size[c] - p->support)) return false;
  return true;
}

static void add_to_layers(run *r, const double *x)
{
  const sb_particles *p = &r->fluid->particles;
  for (size_t i = 0; i < p->free; ++i) {
    const int layer = (int)floor(x[3 * i + 1] / p->spacing);
    if (layer < 0 || layer >= r->layers || !is_inside(r, x + 3 * i)) continue;
    r->layer_sum[layer] += r->fluid->last[i][1];
    r->layer_height[layer] += x[3 * i + 1];
    r->layer_count[layer]++;
  }
}

/* Counts particles outside of the tank, and notes the rise of the energy. */
static void watch(run *r, int64_t at, double energy, const double *x)
{
  const sb_particles *p = &r->fluid->particles;
  double              mass = 0;
  for (size_t i = 0; at == 0 && i < p->free; ++i) mass += p->mass[i];
  if (at == 0) r->seen.energy_scale = r->series[KINETIC][0] + mass * r->scales.gravity * r->scales.depth;
  r->seen.energy_least = fmin(r->seen.energy_least, energy);
  r->seen.energy_gained = fmax(r->seen.energy_gained, energy - r->seen.energy_least);
  if (p->count > p->free) r->seen.lost = PetscMax(r->seen.lost, sb_fluid_lost(r->fluid, x));
  if (r->seen.lost > 0 && r->seen.first_lost == 0) r->seen.first_lost = r->first_step + at;
  if (r->seen.energy_gained > TOLERATED * r->seen.energy_scale && r->seen.first_gained == 0)
    r->seen.first_gained = r->first_step + at;
}

/* Sums over free particles after a step. */
static void measure(run *r, int64_t at, const double *x, const double *v)
{
  const sb_particles *p = &r->fluid->particles;
  const double        k = 2 * acos(-1) / r->scales.width, h = r->c->time.h_seconds;
  double              kinetic = 0, front = -INFINITY, wave = 0, speed2 = 0, momentum[3] = {0, 0, 0};
  double              mean[3] = {0, 0, 0}, gravity = 0;
  const bool          walls = p->count > p->free;
  if (!walls) sb_particles_mean_velocity(p, v, mean);
  for (size_t i = 0; i < p->free; ++i) {
    const double u[3] = {v[3 * i] - mean[0], v[3 * i + 1] - mean[1], v[3 * i + 2] - mean[2]};
    const double square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2];
    kinetic += 0.5 * p->mass[i] * square;
    speed2 = fmax(speed2, square);
    front = fmax(front, x[3 * i]);
    wave += 2 * x[3 * i + 1] * cos(k * x[3 * i]) / (double)p->free;
    for (size_t c = 0; c < 3; ++c) {
      momentum[c] += p->mass[i] * v[3 * i + c];
      if (walls) gravity -= p->mass[i] * r->setup.system->gravity[c] * x[3 * i + c];
    }
  }
  r->series[TIME][at] = (double)(r->first_step + at) * h;
  r->series[KINETIC][at] = kinetic;
  r->series[FRONT][at] = front;
  r->series[WAVE][at] = wave;
  r->seen.courant = fmax(r->seen.courant, sqrt(speed2) * h / p->spacing);
  if (at == 0) memcpy(r->seen.momentum, momentum, sizeof momentum);
  if (at == 0) r->seen.speed_start = sqrt(speed2);
  watch(r, at, kinetic + gravity, x);
}

/* The state after step number `at`, counted from the first. */
static PetscErrorCode look(run *r, int64_t at)
{
  const double *x, *v;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(r->setup.system, r->setup.x, &x));
  PetscCall(sb_system_begin_read(r->setup.system, r->setup.v, &v));
  measure(r, at, x, v);
  if (at > 0) {
    const sb_density_error error = sb_fluid_density_error(r->fluid);
    r->seen.density_mean = error.mean;
    r->seen.density_max = fmax(r->seen.density_max, error.most);
    r->series[DENSITY][at] = error.most;
  }
  if (2 * at > r->c->time.steps - r->first_step) add_to_layers(r, x);
  PetscCall(sb_system_end_read(r->setup.system, r->setup.v, &v));
  PetscCall(sb_system_end_read(r->setup.system, r->setup.x, &x));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_frame(run *r, int64_t step, bool last)
{
  const int64_t per_frame = r->c->time.steps_per_frame;

  PetscFunctionBeginUser;
  if (step % per_frame != 0 && !last) PetscFunctionReturn(0);
  PetscCall(sb_setup_record_frame(
      &r->setup, r->recorder,
      (sb_frame_stamp){(step + per_frame - 1) / per_frame, step, (double)step * r->c->time.h_seconds, last}));
  PetscFunctionReturn(0);
}

static PetscErrorCode take_step(run *r, int64_t step, sb_advance_report *report)
{
  const double started = sb_clock_seconds();

  PetscFunctionBeginUser;
  PetscCall(sb_march_advance(&r->march, step, 1, report));
  r->seconds += sb_clock_seconds() - started;
  r->seen.done += report->steps_done;
  r->seen.iterations += report->minimizer_iterations;
  r->seen.linear_iterations += report->linear_iterations;
  r->seen.unconverged += report->unconverged;
  r->seen.most_iterations = PetscMax(r->seen.most_iterations, report->minimizer_iterations);
  r->seen.residual = fmax(r->seen.residual, report->residual);
  PetscFunctionReturn(0);
}

/* A run that lost particles or gained energy did not converge, even if every pressure solve did. */
static PetscErrorCode judge(const run *r)
{
  const double h = r->c->time.h_seconds, limit = sb_fluid_viscous_limit(r->c->options);
  char         cause[96] = "h is too long, pressures are negative, or they push disordered particles apart";

  PetscFunctionBeginUser;
  if (h > limit)
    snprintf(cause, sizeof cause, "h is above the limit of explicit viscosity, %.3g s on a lattice", limit);
  if (r->seen.lost > 0)
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED,
                                 "step %lld (t = %.6g s): particles left the tank, up to %zu of %zu after a step; %s",
                                 (long long)r->seen.first_lost, (double)r->seen.first_lost * h, r->seen.lost,
                                 r->fluid->particles.free, cause));
  if (r->solves && r->seen.energy_scale > 0 && r->seen.first_gained > 0 && sb_balance_is_closed(r->c, r->setup.system))
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED,
                                 "step %lld (t = %.6g s): the energy rose by up to %.3g of m g H and the kinetic "
                                 "energy at the start, which no force explains; %s",
                                 (long long)r->seen.first_gained, (double)r->seen.first_gained * h,
                                 r->seen.energy_gained / r->seen.energy_scale, cause));
  PetscFunctionReturn(0);
}

/* Passes the run through a checkpoint. */
static PetscErrorCode keep(void *state, sb_checkpoint *c)
{
  run         *r = state;
  const size_t bytes = (size_t)r->layers * sizeof(double);

  PetscFunctionBeginUser;
  for (int s = 0; s < SERIES; ++s)
    sb_checkpoint_bytes(c, series_names[s].name, (size_t)(r->c->time.steps - r->first_step + 1) * sizeof(double),
                        r->series[s]);
  sb_checkpoint_bytes(c, "layer sums", bytes, r->layer_sum);
  sb_checkpoint_bytes(c, "layer counts", bytes, r->layer_count);
  sb_checkpoint_bytes(c, "layer heights", bytes, r->layer_height);
  SB_CHECKPOINT(c, r->seen);
  PetscFunctionReturn(0);
}

/* From the start of the run, or from the step at which it was stopped; *step is the last finished one. */
static PetscErrorCode begin(run *r, int64_t *step)
{
  bool continued;

  PetscFunctionBeginUser;
  r->march = (sb_march){.keep = keep, .driver = r, .step = r->first_step};
  PetscCall(sb_march_begin(&r->march, &r->setup, r->integrator, r->recorder, &continued));
  *step = r->march.step;
  if (continued) PetscFunctionReturn(0);
  PetscCall(look(r, 0));
  PetscCall(record_frame(r, *step, false));
  PetscFunctionReturn(0);
}

/* A state that left its bounds is not kept: the one before it is. */
static PetscErrorCode march(run *r)
{
  const int64_t     steps = r->c->time.steps;
  sb_advance_report report = {.status = SB_OK};
  int64_t           step = r->first_step;
  sb_start_state    before = {0};

  PetscFunctionBeginUser;
  PetscCall(begin(r, &step));
  sb_recorder_progress_begin(r->recorder, "step", step, steps);
  while (step < steps && report.status == SB_OK) {
    PetscCall(sb_setup_keep_state(&r->setup, &before));
    PetscCall(take_step(r, step, &report));
    if (report.status != SB_OK) break;
    ++step;
    PetscCall(look(r, step - r->first_step));
    r->series[ITERATIONS][step - r->first_step] = (double)report.minimizer_iterations;
    if (step < steps) PetscCall(record_frame(r, step, false));
    sb_recorder_progress(r->recorder, step);
  }
  if (report.status != SB_OK) {
    PetscCall(sb_setup_put_back(&r->setup, &before));
    PetscCall(sb_setup_broke_off(r->recorder, &report));
  }
  PetscCall(record_frame(r, step, true));
  if (report.status == SB_OK) PetscCall(sb_setup_record_restart(&r->setup, r->integrator, r->recorder));
  PetscCall(judge(r));
  PetscCall(sb_setup_unconverged(r->recorder, r->seen.unconverged, step - r->first_step));
  r->seen.done = step - r->first_step;
  PetscCall(sb_start_state_destroy(&before));
  PetscFunctionReturn(0);
}

/* Slope of the straight line nearest to y(x) where x is within [low, high]; NAN: fewer than three, or it ends before.
 */
static double fit_slope(size_t count, const double *x, const double *y, double low, double high)
{
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0, most = -INFINITY;
  for (size_t k = 0; k < count; ++k) {
    most = fmax(most, x[k]);
    if (!(x[k] >= low && x[k] <= high)) continue;
    n += 1;
    sx += x[k];
    sy += y[k];
    sxx += x[k] * x[k];
    sxy += x[k] * y[k];
  }
  return n >= 3 && most >= high * (1 - 1e-6) ? (n * sxy - sx * sy) / (n * sxx - sx * sx) : NAN;
}

static PetscErrorCode record_layers(run *r)
{
  const double rest = r->fluid->particles.density * r->scales.gravity;
  double      *pressure;
  size_t       count = 0;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(r->layers, &pressure));
  for (int k = 0; k < r->layers; ++k) {
    if (!(r->layer_count[k] > 0)) continue;
    pressure[count] = r->layer_sum[k] / r->layer_count[k];
    r->layer_height[count++] = r->layer_height[k] / r->layer_count[k];
  }
  const bool stands = r->scales.gravity > 0 && has(r, "column") && count > 0;
  if (stands) {
    const double depth = r->scales.depth;
    PetscCall(sb_recorder_curve(r->recorder, &(sb_curve_name){"layers", "height", "m", false}, count, r->layer_height));
    PetscCall(
        sb_recorder_curve(r->recorder, &(sb_curve_name){"layers", "pressure", "N/m^(d-1)", false}, count, pressure));
    PetscCall(sb_recorder_real(r->recorder, "pressure_slope",
                               -fit_slope(count, r->layer_height, pressure, 0.2 * depth, 0.8 * depth) / rest));
    PetscCall(sb_recorder_real(r->recorder, "floor_pressure", pressure[0] / (rest * (depth - r->layer_height[0]))));
  }
  PetscCall(PetscFree(pressure));
  PetscFunctionReturn(0);
}

/* pi over the mean time between zeros, by straight lines between steps. */
static double find_frequency(const run *r)
{
  const double *t = r->series[TIME], *w = r->series[WAVE];
  double        first = 0, last = 0;
  int           zeros = 0;
  for (int64_t k = 1; k < r->seen.done; ++k) {
    if (!(w[k] * w[k + 1] < 0)) continue;
    last = t[k] - w[k] * (t[k + 1] - t[k]) / (w[k + 1] - w[k]);
    if (zeros++ == 0) first = last;
  }
  return zeros >= 2 ? acos(-1) * (zeros - 1) / (last - first) : NAN;
}

static PetscErrorCode record_wave(const run *r)
{
  const double k = 2 * acos(-1) / r->scales.width;

  PetscFunctionBeginUser;
  if (!has(r, "standing_wave")) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(r->recorder, "frequency", find_frequency(r)));
  PetscCall(sb_recorder_real(r->recorder, "frequency_exact", sqrt(r->scales.gravity * k * tanh(k * r->scales.depth))));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_front(const run *r)
{
  const double a = r->scales.width, unit = sqrt(a / (2 * r->scales.gravity));
  double      *x, *y;

  PetscFunctionBeginUser;
  if (!(r->fluid->particles.period[0] > 0))
    PetscCall(sb_recorder_real(r->recorder, "front_end", r->series[FRONT][r->seen.done] / a));
  if (!has(r, "dam_break") || !(r->scales.gravity > 0)) PetscFunctionReturn(0);
  PetscCall(PetscMalloc2(r->seen.done + 1, &x, r->seen.done + 1, &y));
  for (int64_t k = 0; k <= r->seen.done; ++k) {
    x[k] = r->series[TIME][k] / unit;
    y[k] = r->series[FRONT][k] / a;
  }
  PetscCall(sb_recorder_real(r->recorder, "front_slope", fit_slope((size_t)r->seen.done + 1, x, y, 1.4, 3.3)));
  PetscCall(PetscFree2(x, y));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_energy(const run *r)
{
  const sb_particles *p = &r->fluid->particles;
  const double       *kinetic = r->series[KINETIC], end = r->series[TIME][r->seen.done];
  const int64_t       from = r->seen.done - r->seen.done / 10;
  double              mass = 0, mean = 0;

  PetscFunctionBeginUser;
  for (size_t i = 0; i < p->free; ++i) mass += p->mass[i];
  for (int64_t k = from; k <= r->seen.done; ++k) mean += kinetic[k] / (double)(r->seen.done - from + 1);
  PetscCall(sb_recorder_real(r->recorder, "energy_gained", r->seen.energy_gained / r->seen.energy_scale));
  if (p->count > p->free) PetscCall(sb_recorder_real(r->recorder, "lost", (double)r->seen.lost));
  if (kinetic[0] > 0) PetscCall(sb_recorder_real(r->recorder, "kinetic_ratio", kinetic[r->seen.done] / kinetic[0]));
  if (r->scales.gravity > 0)
    PetscCall(sb_recorder_real(r->recorder, "kinetic_weight", mean / (mass * r->scales.gravity * r->scales.depth)));
  if (has(r, "taylor_green")) {
    const double kx = 2 * acos(-1) / r->scales.width, ky = 2 * acos(-1) / r->scales.depth;
    PetscCall(
        sb_recorder_real(r->recorder, "kinetic_exact", exp(-2 * r->fluid->viscosity * (kx * kx + ky * ky) * end)));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode record_momentum(const run *r)
{
  const sb_particles *p = &r->fluid->particles;
  const double       *v;
  double              change[3] = {-r->seen.momentum[0], -r->seen.momentum[1], -r->seen.momentum[2]}, mass = 0;

  PetscFunctionBeginUser;
  if (p->count > p->free || !(r->seen.speed_start > 0)) PetscFunctionReturn(0);
  PetscCall(sb_system_begin_read(r->setup.system, r->setup.v, &v));
  for (size_t i = 0; i < p->free; ++i) {
    mass += p->mass[i];
    for (size_t c = 0; c < 3; ++c) change[c] += p->mass[i] * v[3 * i + c];
  }
  PetscCall(sb_system_end_read(r->setup.system, r->setup.v, &v));
  const double size = sqrt(change[0] * change[0] + change[1] * change[1] + change[2] * change[2]);
  PetscCall(sb_recorder_real(r->recorder, "momentum_change", size / (mass * r->seen.speed_start)));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_work(const run *r)
{
  PetscFunctionBeginUser;
  PetscCall(SB_RECORD(r->recorder, {"steps_done", (double)r->seen.done},
                      {"end_time", (double)(r->first_step + r->seen.done) * r->c->time.h_seconds},
                      {"courant_max", r->seen.courant}));
  if (r->seen.done == 0) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(r->recorder, {"density_mean", r->seen.density_mean}, {"density_max", r->seen.density_max},
                      {"step_s", r->seconds / (double)r->seen.done}));
  if (!r->solves) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(r->recorder, {"iterations_mean", (double)r->seen.iterations / (double)r->seen.done},
                      {"iterations_max", (double)r->seen.most_iterations},
                      {"linear_iterations", (double)r->seen.linear_iterations},
                      {"unconverged_steps", (double)r->seen.unconverged}));
  if (r->seen.residual > 0) PetscCall(sb_recorder_real(r->recorder, "residual_worst", r->seen.residual));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_flow(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder};

  PetscFunctionBeginUser;
  PetscCall(create(&r));
  PetscCall(march(&r));
  PetscCall(record_work(&r));
  PetscCall(record_energy(&r));
  PetscCall(record_momentum(&r));
  PetscCall(record_wave(&r));
  PetscCall(record_front(&r));
  PetscCall(record_layers(&r));
  for (int s = 0; s < SERIES; ++s)
    PetscCall(sb_recorder_curve(recorder, &series_names[s], (size_t)r.seen.done + 1, r.series[s]));
  PetscCall(destroy(&r));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_flow = {
    .name = "flow",
    .summary = "motion of a fluid: energies, fronts, waves and pressures of scenes of particles",
    .uses = "integrator",
    SB_COLUMNS(columns),
    .restarts = true,
    .particles = true,
    .run = run_flow,
};
