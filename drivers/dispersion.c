/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `dispersion`: at which frequency does a mode of a chain swing under an integrator?
 *
 * Scene chain starts in mode j, of wave number q (model/scene/chain_modes.h). Its displacement u(t), projected on the
 * mode's shape s, is q_n = (s.M u)/(s.M s) at every stride-th step: other modes, which rounding and growth may bring,
 * are orthogonal to it with the masses M. Forces are linear as long as no spring turns round, so an integrator's step
 * multiplies the mode by a pair of eigenvalues rho exp(+-i theta), and
 *
 *     q_{n+1} = a q_n - b q_{n-1},   a = 2 rho^stride cos(stride theta),  b = rho^(2 stride)
 *
 * holds exactly; a and b are fitted to all samples by least squares (Prony's method). theta/h is the frequency, rho the
 * growth of the amplitude a step. The stride makes stride theta about 1, where the angle is well determined; sampling
 * ends when the displacement reaches a tenth of the spacing. Further columns: the frequency of the mode, and the values
 * of the integrator's table for an undamped oscillator of that frequency. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "drivers/setup.h"
#include "model/scene/chain_modes.h"
#include "solvers/integrate/integrator_method.h"

/* Fraction of the spacing. */
#define LINEAR_UP_TO 0.1

static const sb_column columns[] = {
    {"h_seconds", "s", "time step", .valid_if_diverged = true},
    {"wave_number", "rad/m", "wave number q of the mode", .valid_if_diverged = true},
    {"frequency_measured", "rad/s", "frequency of the mode in the run", .timing = false},
    {"frequency_exact", "rad/s", "frequency of the mode; for equal masses 2 sqrt(k/m) sin(q/2)",
     .valid_if_diverged = true},
    {"frequency_numerical", "rad/s", "frequency by the theory of the integrator at this h; blank: none",
     .valid_if_diverged = true},
    {"growth_measured", "", "growth of the mode's amplitude per step in the run", .timing = false},
    {"growth_numerical", "", "growth by the theory of the integrator at this h; blank: none",
     .valid_if_diverged = true},
    {"mode_leak", "", "largest displacement off the mode over the largest in it, among the samples", .timing = false},
    {"fit_residual", "", "root mean square misfit of the recurrence over that of the samples", .timing = false},
    {"samples_used", "", "samples in the fit", .timing = false},
    {"steps_done", "", "steps finished", .valid_if_diverged = true},
    SB_ENDED_COLUMN,
};

typedef struct {
  const sb_case *c;
  sb_recorder   *recorder;
  sb_setup       setup;
  Vec            rest, shape, off; /* full: positions without displacement, displacement at the start, scratch */
  Vec            weight;           /* full: masses times the displacement at the start */
  double         shape_square, shape_max;
  int64_t        stride, count; /* steps between samples, number of samples */
  double        *sample;        /* [steps/stride + 1] in units of the start */
  double         off_max, in_max;
} run;

/* The mode of the chain: all its springs are equal, and so are the masses of all vertices of odd numbers, and of even
 * ones. */
static PetscErrorCode chain_mode(const sb_system *system, const sb_options *options, sb_chain_mode *mode)
{
  double largest[3] = {0, 0, 0};

  PetscFunctionBeginUser;
  if (system->springs.count > 0) largest[0] = system->springs.stiffness[0];
  for (PetscInt i = 0; i < system->owned; ++i) largest[(system->first_vertex + i) % 2 ? 1 : 2] = system->mass[i];
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, largest, 3, MPI_DOUBLE, MPI_MAX, system->comm));
  *mode = sb_chain_mode_of(options, largest[0], largest[1], largest[2]);
  PetscFunctionReturn(0);
}

/* Steps between samples: about a radian of the mode. */
static double stride_of(double omega, double h_seconds) { return fmax(1, floor(1 / (omega * h_seconds))); }

static PetscErrorCode prepare(run *r)
{
  const sb_system *system = r->setup.system;
  double          *array = NULL;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(r->setup.x, &r->rest));
  PetscCall(VecDuplicate(r->setup.x, &r->shape));
  PetscCall(VecDuplicate(r->setup.x, &r->weight));
  PetscCall(VecDuplicate(r->setup.x, &r->off));
  PetscCall(VecSet(r->rest, 0));
  PetscCall(VecGetArray(r->rest, &array));
  for (PetscInt i = 0; i < system->owned; ++i) array[3 * i] = (double)(system->first_vertex + i);
  PetscCall(VecRestoreArray(r->rest, &array));
  PetscCall(VecWAXPY(r->shape, -1, r->rest, r->setup.x));
  PetscCall(VecCopy(r->shape, r->weight));
  PetscCall(VecGetArray(r->weight, &array));
  for (PetscInt k = 0; k < 3 * system->owned; ++k) array[k] *= system->mass[k / 3];
  PetscCall(VecRestoreArray(r->weight, &array));
  PetscCall(VecDot(r->shape, r->weight, &r->shape_square));
  PetscCall(VecNorm(r->shape, NORM_INFINITY, &r->shape_max));
  PetscFunctionReturn(0);
}

/* *linear is false, and nothing is kept, where springs may have turned round since the last sample. */
static PetscErrorCode take_sample(run *r, bool *linear)
{
  double dot = 0, off = 0;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(r->off, -1, r->rest, r->setup.x));
  PetscCall(VecDot(r->off, r->weight, &dot));
  const double value = dot / r->shape_square;
  PetscCall(VecAXPY(r->off, -value, r->shape));
  PetscCall(VecNorm(r->off, NORM_INFINITY, &off));
  *linear = off + fabs(value) * r->shape_max < LINEAR_UP_TO;
  if (!*linear) PetscFunctionReturn(0);
  r->off_max = fmax(r->off_max, off);
  r->in_max = fmax(r->in_max, fabs(value) * r->shape_max);
  r->sample[r->count++] = value;
  PetscFunctionReturn(0);
}

static PetscErrorCode march(run *r, sb_integrator *integrator, int64_t *step)
{
  const sb_case    *c = r->c;
  sb_advance_report report = {0};
  bool              linear = false;
  int64_t           unconverged = 0;
  sb_start_state    noted;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_note_start(&r->setup, r->recorder, &noted));
  PetscCall(sb_setup_record_frame(&r->setup, r->recorder, (sb_frame_stamp){0, 0, 0, false}));
  PetscCall(take_sample(r, &linear));
  while (*step + r->stride <= c->time.steps && linear) {
    PetscCall(sb_integrator_advance(integrator, *step, r->stride, r->setup.x, r->setup.v, &report));
    if (sb_integrator_minimizer(integrator))
      PetscCall(sb_setup_accuracy(c, r->recorder, report.status == SB_OK && report.inaccurate == 0));
    if (report.status != SB_OK) break;
    unconverged += report.unconverged;
    *step += r->stride;
    PetscCall(take_sample(r, &linear));
  }
  PetscCall(sb_setup_store_frames(c, &r->setup, r->recorder, &noted, *step));
  PetscCall(sb_setup_broke_off(r->recorder, &report));
  if (report.status != SB_OK) PetscFunctionReturn(0);
  PetscCall(sb_setup_unconverged(r->recorder, unconverged, *step));
  PetscCall(sb_setup_record_last(c, &r->setup, r->recorder, 0, *step));
  PetscFunctionReturn(0);
}

/* Least squares for q_{n+1} = a q_n - b q_{n-1}; returns the misfit, NaN where the samples do not determine a and b. */
static double fit(const double *q, int64_t count, double *a, double *b)
{
  double pp = 0, pq = 0, qq = 0, pr = 0, qr = 0, rr = 0, misfit = 0;
  for (int64_t n = 1; n + 1 < count; ++n) {
    pp += q[n] * q[n];
    pq += q[n] * q[n - 1];
    qq += q[n - 1] * q[n - 1];
    pr += q[n] * q[n + 1];
    qr += q[n - 1] * q[n + 1];
    rr += q[n + 1] * q[n + 1];
  }
  const double determinant = pp * qq - pq * pq;
  if (!(determinant > DBL_EPSILON * pp * qq)) return NAN;
  *a = (pr * qq - qr * pq) / determinant;
  *b = (pr * pq - qr * pp) / determinant;
  for (int64_t n = 1; n + 1 < count; ++n) misfit += pow(q[n + 1] - *a * q[n] + *b * q[n - 1], 2);
  return rr > 0 ? sqrt(misfit / rr) : NAN;
}

static PetscErrorCode record_measured(run *r, int64_t steps)
{
  const double h = r->c->time.h_seconds, stride = (double)r->stride;
  double       a = 0, b = 0;

  PetscFunctionBeginUser;
  const double misfit = fit(r->sample, r->count, &a, &b), square = b - a * a / 4;
  const bool   swings = misfit >= 0 && square > 0;
  PetscCall(SB_RECORD(r->recorder, {"samples_used", (double)r->count}, {"steps_done", (double)steps},
                      {"fit_residual", misfit}, {"mode_leak", r->off_max / r->in_max}));
  if (!swings) PetscFunctionReturn(0);
  PetscCall(sb_recorder_real(r->recorder, "frequency_measured", atan2(sqrt(square), a / 2) / (stride * h)));
  PetscCall(sb_recorder_real(r->recorder, "growth_measured", pow(b, 0.5 / stride)));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_theory(run *r, const sb_chain_mode *mode)
{
  const sb_integrator_method *method = sb_integrator_known(r->c->options);
  const double                h = r->c->time.h_seconds, z = h * mode->omega;

  PetscFunctionBeginUser;
  PetscCall(
      SB_RECORD(r->recorder, {"h_seconds", h}, {"wave_number", mode->wave_number}, {"frequency_exact", mode->omega}));
  if (!method || method->traits & SB_PROJECTS_LENGTHS) PetscFunctionReturn(0);
  const double theta = method->phase ? method->phase(z) : 2 * asin(z / 2);
  PetscCall(sb_recorder_real(r->recorder, "frequency_numerical", theta / h));
  if (isfinite(theta)) PetscCall(sb_recorder_real(r->recorder, "growth_numerical", method->growth(z, 0, 1)));
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(run *r, double omega)
{
  sb_integrator *integrator = NULL;
  int64_t        step = 0;

  PetscFunctionBeginUser;
  r->stride = (int64_t)stride_of(omega, r->c->time.h_seconds);
  PetscCall(PetscMalloc1((size_t)(r->c->time.steps / r->stride) + 1, &r->sample));
  PetscCall(sb_integrator_create(r->setup.system, r->c->options, r->c->time.h_seconds, &integrator));
  sb_setup_show_progress(r->recorder, integrator, "step", 0, r->c->time.steps);
  PetscCall(march(r, integrator, &step));
  PetscCall(record_measured(r, step));
  PetscCall(sb_setup_judge_end(r->c, integrator, r->recorder));
  PetscCall(sb_integrator_destroy(&integrator));
  PetscCall(PetscFree(r->sample));
  PetscFunctionReturn(0);
}

/* Forces that couple modes. Damping does not: its growth is measured. */
static bool check_bare(const sb_options *options, sb_diagnostics *diagnostics)
{
  bool good = true;
  if (sb_options_differ(options, SB_ID(gravity)))
    good = sb_error_at(diagnostics, sb_options_blame(options, SB_ID(gravity)), "E106",
                       "driver 'dispersion' measures modes about the rest lengths: it does not support gravity; got %s",
                       SB_TEXT(options, gravity));
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    const bool acts = (sb_option_at(id)->traits & (SB_ACTS | SB_DAMPS)) == SB_ACTS && id != SB_ID(gravity);
    if (acts && sb_options_differ(options, id))
      good = sb_error_at(diagnostics, sb_options_blame(options, id), "E106",
                         "driver 'dispersion' measures the modes of a chain by itself: it does not support %s; got %s",
                         sb_option_at(id)->name, sb_options_text(options, id));
  }
  return good;
}

/* Sines are the modes of equal springs and masses, or of two alternating masses, while they are apart. */
static bool check_uniform(const sb_options *options, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  bool masses = SB_HAS(options, second_mass) || pose->mass[0] == pose->mass[1], springs = true;
  for (size_t i = 2; i < pose->vertices; ++i) masses = masses && pose->mass[i] == pose->mass[i % 2];
  for (size_t i = 0; i < pose->springs; ++i)
    springs = springs && pose->stiffness[i] == pose->stiffness[0] && pose->rest_length[i] == 1;
  if (masses && springs) return true;
  return sb_error_at(diagnostics, sb_options_blame(options, masses ? SB_ID(spring_data) : SB_ID(vertex_data)), "E106",
                     "driver 'dispersion' supports only chains of equal springs of rest length 1 and equal masses, or "
                     "two in turn (second_mass); here %s differ",
                     masses ? "springs" : "masses");
}

/* A mode that swings, long enough for the three samples that the fit needs. */
static bool check_span(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  enum { SAMPLES = 3 };
  const double stiffness = pose->springs > 0 ? pose->stiffness[0] : 0;
  const double omega = sb_chain_mode_of(c->options, stiffness, pose->mass[1], pose->mass[0]).omega;
  if (!(omega > 0))
    return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(stiffness)), "E104",
                       "driver 'dispersion' needs springs that pull; got stiffness=%g", stiffness);
  const double steps = (SAMPLES - 1) * stride_of(omega, c->time.h_seconds);
  if ((double)c->time.steps >= steps) return true;
  return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(duration)), "E104",
                     "driver 'dispersion' needs %d samples of the mode, a radian apart: %.0f steps; got %lld", SAMPLES,
                     steps, (long long)c->time.steps);
}

static bool check_dispersion(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  double largest = 0;
  if (!SB_IS(c->options, scene, "chain"))
    return sb_error_at(diagnostics, sb_options_location(c->options, SB_ID(scene)), "E106",
                       "driver 'dispersion' measures the modes of scene 'chain'; got scene=%s",
                       SB_TEXT(c->options, scene));
  for (size_t i = 0; i < pose->vertices; ++i) largest = fmax(largest, fabs(pose->position[3 * i] - (double)i));
  if (!check_bare(c->options, diagnostics) || !check_uniform(c->options, pose, diagnostics) ||
      !check_span(c, pose, diagnostics))
    return false;
  if (largest > 0 && largest < LINEAR_UP_TO) return true;
  return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(amplitude)), "E104",
                     "driver 'dispersion' needs an amplitude above 0 and below %g m; got amplitude=%s", LINEAR_UP_TO,
                     SB_TEXT(c->options, amplitude));
}

static PetscErrorCode run_dispersion(const sb_case *c, sb_recorder *recorder)
{
  run           r = {.c = c, .recorder = recorder};
  sb_chain_mode mode;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, check_dispersion, 0, recorder, &r.setup));
  PetscCall(chain_mode(r.setup.system, c->options, &mode));
  PetscCall(record_theory(&r, &mode));
  PetscCall(prepare(&r));
  PetscCall(measure(&r, mode.omega));
  PetscCall(VecDestroy(&r.rest));
  PetscCall(VecDestroy(&r.shape));
  PetscCall(VecDestroy(&r.weight));
  PetscCall(VecDestroy(&r.off));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_dispersion = {
    .name = "dispersion",
    .summary =
        "frequency of a chain's mode under an integrator, compared with the exact one and the integrator's theory",
    .uses = "integrator",
    SB_COLUMNS(columns),
    .check = check_dispersion,
    .run = run_dispersion,
};
