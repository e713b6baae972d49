/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `smoothing`: how accurate are sums over particles for a smooth function?
 *
 * It uses the places of the start, in a box that is periodic on all sides. V = spacing^d is a cell of the lattice. The
 * sums
 *
 *     kernel_sum = sum_j V W_ij    and    gradient_sum = -sum_j V y_ij d/dy W_ij
 *
 * are 1 if exact. On a lattice they are those over its vectors, which are computed here without pairs, images or
 * places.
 *
 * With SPH's own volumes m/rho, f = sin(2 pi x/width) cos(2 pi y/depth) is interpolated, and its gradient is taken in
 * the form of differences and in the symmetric form, which conserves momentum (Monaghan: Rep. Prog. Phys. 68, 2005):
 *
 *     sum_j m_j/rho_j (f_j - f_i) grad W_ij    and    rho_i sum_j m_j (f_i/rho_i^2 + f_j/rho_j^2) grad W_ij
 *
 * The first is 0 for a constant f at any places, the second is not: constant_error is its value for f = 1, times the
 * support. Gradients that are corrected by a matrix are not measured.
 *
 * With option `probe` there are averages of f at one place, which need not be a particle's: the mean of the f_j within
 * the support, all with the same weight, and sum_j W_j f_j / sum_j W_j (Shepard 1968). The first jumps where a particle
 * enters the support or leaves it; the size of the jumps is measured along a line in steps of a thousandth of a
 * spacing. */
#include <math.h>

#include "drivers/fluid.h"

static const sb_column columns[] = {
    {"neighbours", "", "mean number of neighbours within the support", .timing = false},
    {"kernel_sum", "", "mean over particles of the sum of V W, itself included; V: a cell of the lattice",
     .timing = false},
    {"kernel_sum_spread", "", "its standard deviation", .timing = false},
    {"gradient_sum", "", "mean over particles of minus the sum of V y dW/dy", .timing = false},
    {"gradient_sum_spread", "", "its standard deviation", .timing = false},
    {"kernel_sum_error", "",
     "largest distance of a particle's sum of V W from that over vectors of the lattice; blank: disorder",
     .timing = false},
    {"gradient_sum_error", "", "the same for minus the sum of V y dW/dy", .timing = false},
    {"value_error", "", "root mean square error of the interpolated f over the root mean square of f", .timing = false},
    {"difference_error", "", "the same of its gradient in the form of differences", .timing = false},
    {"symmetric_error", "", "the same of its gradient in the symmetric form", .timing = false},
    {"constant_error", "", "root mean square of the symmetric form's gradient of f = 1, times the support",
     .timing = false},
    {"probe_value", "", "f at the probe", .timing = false},
    {"probe_kernel", "", "average of f there, weighted by the kernel", .timing = false},
    {"probe_equal", "", "mean of f over the particles within the support there", .timing = false},
    {"jump_kernel", "",
     "largest change of the average weighted by the kernel over a thousandth of a spacing, along the probe's line",
     .timing = false},
    {"jump_equal", "", "the same of the mean over the particles within the support", .timing = false},
};

/* Mean, and the sum of squared distances from it (Welford). */
typedef struct {
  double count, mean, squares;
} moments;

typedef struct {
  double value, gradient[3];
} field;

/* For one particle. */
typedef struct {
  double kernel, gradient;
  double value, difference[3], symmetric[3], one[3];
} sums;

/* For all particles. */
typedef struct {
  moments neighbours, kernel, gradient;
  double  lattice_kernel, lattice_gradient;  /* the same sums over a lattice */
  double  kernel_off, gradient_off;          /* the largest distances from these */
  double  value, difference, symmetric, one; /* sum of squared errors */
  double  exact_value, exact_gradient;       /* sum of squared exact values */
} totals;

static void add(moments *m, double x)
{
  const double off = x - m->mean;
  m->count++;
  m->mean += off / m->count;
  m->squares += off * (x - m->mean);
}

/* |a - b|^2 */
static double distance2(const double a[3], const double b[3])
{
  double sum = 0;
  for (int c = 0; c < 3; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

static field field_at(const sb_particles *p, const double *x)
{
  const double k[2] = {2 * acos(-1) / p->period[0], 2 * acos(-1) / p->period[1]};
  const double a = k[0] * x[0], b = k[1] * x[1];
  return (field){sin(a) * cos(b), {k[0] * cos(a) * cos(b), -k[1] * sin(a) * sin(b), 0}};
}

/* kernel_sum and gradient_sum over the vectors of the lattice. */
static void sum_over_lattice(const sb_particles *p, double *kernel, double *gradient)
{
  const double a = p->spacing, volume = pow(a, p->dimensions);
  const int    reach = (int)(p->support / a) + 1, deep = p->dimensions == 3 ? reach : 0;
  *kernel = *gradient = 0;
  for (int i = -reach; i <= reach; ++i)
    for (int j = -reach; j <= reach; ++j)
      for (int k = -deep; k <= deep; ++k) {
        const double y = a * j, r = a * sqrt((double)(i * i + j * j + k * k));
        *kernel += volume * sb_smoothing_value(p->kernel, p->dimensions, p->support, r);
        *gradient -= volume * y * y * sb_smoothing_slope(p->kernel, p->dimensions, p->support, r);
      }
}

static sums sums_at(const sb_fluid *fluid, const field *f, size_t i)
{
  const sb_particles      *p = &fluid->particles;
  const sb_particle_pairs *pairs = &fluid->pairs;
  const double             cell = pow(p->spacing, p->dimensions), density = fluid->density[i];
  const double             own = sb_smoothing_value(p->kernel, p->dimensions, p->support, 0);
  sums                     s = {.kernel = cell * own, .value = p->mass[i] / density * f[i].value * own};
  for (size_t k = pairs->start[i]; k < pairs->start[i + 1]; ++k) {
    const size_t j = (size_t)pairs->other[k];
    const double m = p->mass[j], volume = m / fluid->density[j], *slope = pairs->gradient[k];
    const double apart = p->position[3 * i + 1] - p->position[3 * j + 1];
    const double y = apart - p->period[1] * round(apart / p->period[1]); /* of the nearest image */
    const double self = 1 / (density * density), other = 1 / (fluid->density[j] * fluid->density[j]);
    s.kernel += cell * pairs->value[k];
    s.gradient -= cell * y * slope[1];
    s.value += volume * f[j].value * pairs->value[k];
    for (int c = 0; c < 3; ++c) {
      s.difference[c] += volume * (f[j].value - f[i].value) * slope[c];
      s.symmetric[c] += density * m * (f[i].value * self + f[j].value * other) * slope[c];
      s.one[c] += density * m * (self + other) * slope[c];
    }
  }
  return s;
}

static void add_particle(totals *t, const sb_fluid *fluid, const field *f, size_t i)
{
  const sums   s = sums_at(fluid, f, i);
  const double none[3] = {0, 0, 0};
  add(&t->neighbours, (double)(fluid->pairs.start[i + 1] - fluid->pairs.start[i]));
  add(&t->kernel, s.kernel);
  add(&t->gradient, s.gradient);
  t->kernel_off = fmax(t->kernel_off, fabs(s.kernel - t->lattice_kernel));
  t->gradient_off = fmax(t->gradient_off, fabs(s.gradient - t->lattice_gradient));
  t->value += (s.value - f[i].value) * (s.value - f[i].value);
  t->difference += distance2(s.difference, f[i].gradient);
  t->symmetric += distance2(s.symmetric, f[i].gradient);
  t->one += distance2(s.one, none);
  t->exact_value += f[i].value * f[i].value;
  t->exact_gradient += distance2(f[i].gradient, none);
}

typedef struct {
  double kernel, equal;
} averages;

/* On the line through the middle of the box along x, an eighth of a spacing off the rows of the lattice. */
static averages averages_at(const sb_particles *p, const field *f, double x)
{
  const double point[3] = {x, p->period[1] / 2 + p->spacing / 8, p->dimensions == 3 ? p->period[2] / 2 : 0};
  double       weight = 0, weighted = 0, count = 0, sum = 0;
  for (size_t j = 0; j < p->free; ++j) {
    double square = 0;
    for (int c = 0; c < p->dimensions; ++c) {
      const double apart = point[c] - p->position[3 * j + (size_t)c];
      const double nearest = apart - p->period[c] * round(apart / p->period[c]);
      square += nearest * nearest;
    }
    if (square >= p->support * p->support) continue;
    const double w = sb_smoothing_value(p->kernel, p->dimensions, p->support, sqrt(square));
    weight += w;
    weighted += w * f[j].value;
    count++;
    sum += f[j].value;
  }
  return (averages){weighted / weight, sum / count};
}

/* Along eight spacings around the probe, where some hundred particles enter or leave the support. */
static averages largest_jumps(const sb_particles *p, const field *f, double x)
{
  enum { SPACINGS = 8, PARTS = 1000 };
  averages jump = {0, 0}, last = averages_at(p, f, x - SPACINGS / 2 * p->spacing);
  for (int k = 1; k <= SPACINGS * PARTS; ++k) {
    const averages here = averages_at(p, f, x + (k / (double)PARTS - SPACINGS / 2) * p->spacing);
    jump.kernel = fmax(jump.kernel, fabs(here.kernel - last.kernel));
    jump.equal = fmax(jump.equal, fabs(here.equal - last.equal));
    last = here;
  }
  return jump;
}

static PetscErrorCode measure_probe(const sb_case *c, sb_recorder *recorder, const sb_particles *p, const field *f)
{
  PetscFunctionBeginUser;
  if (!SB_HAS(c->options, probe)) PetscFunctionReturn(0);
  const double   x = SB_REAL(c->options, probe), y = p->period[1] / 2 + p->spacing / 8;
  const averages here = averages_at(p, f, x), jump = largest_jumps(p, f, x);
  PetscCall(SB_RECORD(recorder, {"probe_value", field_at(p, (double[]){x, y, 0}).value}, {"probe_kernel", here.kernel},
                      {"probe_equal", here.equal}, {"jump_kernel", jump.kernel}, {"jump_equal", jump.equal}));
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(const sb_case *c, sb_recorder *recorder, const sb_setup *setup, totals *t)
{
  sb_fluid           *fluid = setup->system->fluid;
  const sb_particles *p = &fluid->particles;
  const double       *x;
  field              *f;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(setup->system, setup->x, &x));
  PetscCheck(sb_fluid_update(fluid, x), PETSC_COMM_SELF, PETSC_ERR_MEM, "out of memory");
  PetscCall(sb_system_end_read(setup->system, setup->x, &x));
  PetscCall(PetscMalloc1(p->free, &f));
  for (size_t i = 0; i < p->free; ++i) f[i] = field_at(p, p->position + 3 * i);
  sum_over_lattice(p, &t->lattice_kernel, &t->lattice_gradient);
  for (size_t i = 0; i < p->free; ++i) add_particle(t, fluid, f, i);
  PetscCall(measure_probe(c, recorder, p, f));
  PetscCall(PetscFree(f));
  PetscFunctionReturn(0);
}

static PetscErrorCode record(const sb_case *c, sb_recorder *recorder, const sb_particles *p, const totals *t)
{
  const double count = t->kernel.count;

  PetscFunctionBeginUser;
  PetscCall(SB_RECORD(recorder, {"neighbours", t->neighbours.mean}, {"kernel_sum", t->kernel.mean},
                      {"kernel_sum_spread", sqrt(t->kernel.squares / count)}, {"gradient_sum", t->gradient.mean},
                      {"gradient_sum_spread", sqrt(t->gradient.squares / count)},
                      {"value_error", sqrt(t->value / t->exact_value)},
                      {"difference_error", sqrt(t->difference / t->exact_gradient)},
                      {"symmetric_error", sqrt(t->symmetric / t->exact_gradient)},
                      {"constant_error", p->support * sqrt(t->one / count)}));
  if (SB_REAL(c->options, disorder) > 0) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(recorder, {"kernel_sum_error", t->kernel_off}, {"gradient_sum_error", t->gradient_off}));
  PetscFunctionReturn(0);
}

/* A smooth function that walls do not cut off; all neighbours have a density. */
static bool check_smoothing(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  sb_particles p;
  bool         periodic = true;
  (void)pose;
  sb_fluid_describe(c->options, sb_scene_periodic(c->options), &p);
  for (int axis = 0; axis < p.dimensions; ++axis) periodic = periodic && p.period[axis] > 0;
  if (periodic) return true;
  return sb_error_at(diagnostics, sb_options_location(c->options, SB_ID(scene)), "E106",
                     "driver 'smoothing' needs a box that is periodic on all sides, such as scene=taylor_green; got "
                     "scene=%s",
                     SB_TEXT(c->options, scene));
}

static PetscErrorCode run_smoothing(const sb_case *c, sb_recorder *recorder)
{
  sb_setup setup;
  totals   t = {0};

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, check_smoothing, 0, recorder, &setup));
  PetscCall(measure(c, recorder, &setup, &t));
  PetscCall(record(c, recorder, &setup.system->fluid->particles, &t));
  PetscCall(sb_setup_record_frame(&setup, recorder, (sb_frame_stamp){0, 0, 0, true}));
  PetscCall(sb_setup_destroy(&setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_smoothing = {
    .name = "smoothing",
    .summary = "errors of sums over the particles of a periodic box for a smooth function and its gradient",
    .uses = "probe",
    SB_COLUMNS(columns),
    .still = true,
    .particles = true,
    .check = check_smoothing,
    .run = run_smoothing,
};
