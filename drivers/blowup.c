/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `blowup`: when does a step that is too long begin to show, and when has the run left its bounds?
 *
 * Linear theory: a step of the method multiplies the amplitude of the fastest mode at the initial pose, omega_max, by
 * |lambda| (`growth` in the method's table). Drag, dampers and the velocity factor brake that mode. Undamped, with z =
 * h omega_max, explicit Euler has |lambda|^2 = 1 + z^2. Symplectic Euler and the leapfrogs have lambda = b + sqrt(b^2 -
 * 1), b = z^2/2 - 1, for z > 2. That holds while strains are small, so what it dates is the onset: the step after which
 * the mode strains a spring by 1 % (mode_watch.h). From the strain s that the mode has at the start, rounding if that
 * is less, it takes ln(0.01/s)/ln|lambda| steps. A motion that excites the mode brings the onset earlier. Blank if it
 * is stable by theory. Blow-up is something else: the end of the first step after which a coordinate is not finite or a
 * vertex is farther from the centre of mass than blowup_ratio diagonals of the initial bounding box. Between the two
 * lies a motion that is not linear: springs that are pressed together turn aside into slow motions, which drag may
 * brake as fast as the step feeds them. There is no theory of when, or whether, that leaves the bounds. A run that
 * stays within them may still have burst (energy_balance.h); this is looked for at a thousand times.
 *
 * The limits of h are those without damping, which under symplectic Euler h^2 omega^2 + 2 h c < 4 narrows and a
 * velocity factor widens. */
#include <float.h>
#include <math.h>

#include "base/allocate.h"
#include "base/number.h"
#include "drivers/frequency.h"
#include "drivers/march.h"
#include "drivers/mode_watch.h"
#include "drivers/setup.h"
#include "model/system/external.h"
#include "solvers/integrate/integrator_method.h"

enum { CHUNKS_MAX = 1000 };
#define NEUTRAL (1 + 1e-12) /* growth a step that rounding may show where theory has 1 */
/* Bounds of the strain caused by the fastest mode. Above the first it exceeds its part in a net that hangs and swings,
 * and its growth is measured. At the second it has set in. */
static const double set_in[2] = {1e-4, 1e-2};

static const sb_column columns[] = {
    {"blowup_time", "s",
     "simulated time at which the run left its bounds; of a run that did not, at which its energy showed a burst",
     .valid_if_diverged = true},
    {"onset_time", "s",
     "time at which the fastest mode by itself strained a spring by 1 %, to a thousandth of the duration, even if the "
     "motion excited it; for a continued run not before its start; blank: not before the end",
     .valid_if_diverged = true},
    {"onset_predicted", "s",
     "latest onset by linear theory: the fastest mode grows to 1 % from its strain at the start, or from rounding",
     .valid_if_diverged = true},
    {"growth_measured", "",
     "growth of the fastest mode per step while its strain rose from 0.01 % to 1 %; blank: it took less than a "
     "thousandth of the duration, or did not happen",
     .valid_if_diverged = true},
    {"growth_predicted", "",
     "growth of the fastest mode per step by linear theory, damping included: above 1 the step is too long, even if "
     "springs that turn or compress keep the run in its bounds",
     .valid_if_diverged = true},
    {"mode_strain", "", "strain of a spring by the fastest mode by itself at the end, the last state within bounds",
     .timing = false},
    {"omega_max", "rad/s", "largest natural frequency at the initial pose", .valid_if_diverged = true},
    {"limit_h", "s",
     "2/omega_max: limit of symplectic Euler and the leapfrogs without damping; the method's own if it differs",
     .valid_if_diverged = true},
    {"limit_h_any_stretch", "s",
     "2/sqrt(lambda_max(M^-1 L)): without damping, steps below it are stable for small vibrations about any stretched "
     "state; a net that moves may burst below it; blank for a law of springs without a bound of E''",
     .valid_if_diverged = true},
    {"h_seconds", "s", "time step", .valid_if_diverged = true},
    {"duration_seconds", "s", "simulated time of all steps", .valid_if_diverged = true},
    {"steps_done", "", "steps finished, including those before a restart", .valid_if_diverged = true},
    SB_ENDED_COLUMN,
    SB_LINEAR_USED_COLUMN,
    {"penetration_max", "m",
     "largest depth of a vertex in a collider, at the start or after a step; blank without contact", .timing = false},
};

typedef struct {
  sb_case        own; /* as given, with h in seconds */
  const sb_case *c;   /* it */
  sb_recorder   *recorder;
  sb_setup       setup;
  sb_integrator *integrator;
  int64_t        first_step, unconverged;
  sb_march       march;
  int64_t        step;  /* before the current chunk */
  sb_start_state chunk; /* the start of the current chunk of steps */
  sb_start_state noted; /* start of the pass that stores frames */
  sb_mode_watch  watch;
  double         strain_start;   /* of the fastest mode */
  int64_t        step_seen[2];   /* when its strain had come to set_in, */
  double         strain_seen[2]; /* and its value; 0: not yet */
} run;

/* Replaces h over its limit by h. E104 if that is not a step: springs without stiffness have no limit. */
static PetscErrorCode take_over_limit(run *r, double limit_h)
{
  const double h = r->own.time.h_seconds * limit_h;

  PetscFunctionBeginUser;
  if (!sb_in_interval(sb_option_at(SB_ID(h))->range, h)) {
    SB_ENDED_BY(sb_diagnostics_destroy) sb_diagnostics *why = sb_diagnostics_create();
    sb_error_at(why, sb_options_location(r->own.options, SB_ID(h_over_limit)), "E104",
                "h_over_limit=%s, but no h is too long: the springs of free vertices have no stiffness, or hardly any "
                "(limit_h is %g s); give h, and duration or steps",
                SB_TEXT(r->own.options, h_over_limit), limit_h);
    SETERRQ(r->own.comm, PETSC_ERR_USER, "%s", sb_diagnostics_first_error(why));
  }
  r->own.time.h_seconds = h;
  PetscFunctionReturn(0);
}

/* The limits of h, and h itself, if it is given over its limit. */
static PetscErrorCode find_limits(run *r, sb_fastest_mode *fastest)
{
  const sb_integrator_method *method = sb_integrator_known(r->c->options);
  const double                claimed = method ? method->stability_limit : 0;
  const double                limit = claimed > 0 && isfinite(claimed) ? claimed : 2;
  double                      bound = NAN;
  Vec                         shape = NULL;

  PetscFunctionBeginUser;
  PetscCall(VecDuplicate(r->setup.x, &shape));
  PetscCall(sb_frequency_max(r->setup.system, r->setup.x, fastest, shape));
  PetscCall(sb_mode_watch_create(r->setup.system, r->setup.x, shape, fastest->omega, &r->watch));
  PetscCall(sb_mode_watch_strain(&r->watch, r->setup.x, r->setup.v, &r->strain_start));
  PetscCall(VecDestroy(&shape));
  if (isfinite(sb_law_bounds_of(r->c->options).most))
    PetscCall(sb_frequency_any_stretch(r->setup.system, SB_FREQUENCY_TOLERANCE, &bound));
  PetscCall(SB_RECORD(r->recorder, {"omega_max", fastest->omega}, {"limit_h", limit / fastest->omega},
                      {"limit_h_any_stretch", limit / bound}));
  if (SB_HAS(r->own.options, h_over_limit)) PetscCall(take_over_limit(r, limit / fastest->omega));
  PetscFunctionReturn(0);
}

static PetscErrorCode predict(const run *r, const sb_fastest_mode *fastest)
{
  const sb_integrator_method *method = sb_integrator_known(r->c->options);
  const double                h = r->c->time.h_seconds, factor = sb_integrator_velocity_factor(r->integrator);
  const bool                  braked = method && method->traits & SB_MINIMIZES && r->setup.system->damping_in_step > 0;
  const bool                  tells = method && method->growth && !braked;
  const double                growth = tells ? method->growth(h * fastest->omega, h * fastest->damping, factor) : 1;

  PetscFunctionBeginUser;
  if (tells) PetscCall(sb_recorder_real(r->recorder, "growth_predicted", growth));
  if (growth > NEUTRAL)
    PetscCall(sb_recorder_real(r->recorder, "onset_predicted",
                               h * fmax(0, log(set_in[1] / fmax(r->strain_start, DBL_EPSILON))) / log(growth)));
  PetscFunctionReturn(0);
}

/* After `step` steps. */
static PetscErrorCode look_for_onset(run *r, int64_t step)
{
  double strain = 0;

  PetscFunctionBeginUser;
  if (r->strain_seen[1] > 0) PetscFunctionReturn(0);
  PetscCall(sb_mode_watch_strain(&r->watch, r->setup.x, r->setup.v, &strain));
  for (int i = 0; i < 2; ++i) {
    if (r->strain_seen[i] > 0 || !(strain >= set_in[i])) continue;
    r->step_seen[i] = step;
    r->strain_seen[i] = strain;
  }
  PetscFunctionReturn(0);
}

/* A run that was gone before anything was seen of its onset had it in its last steps. */
static PetscErrorCode record_onset(run *r, int64_t steps, bool diverged)
{
  const double  h = r->c->time.h_seconds;
  const int64_t between = r->step_seen[1] - r->step_seen[0];

  PetscFunctionBeginUser;
  if (r->strain_seen[1] > 0)
    PetscCall(sb_recorder_real(r->recorder, "onset_time", (double)r->step_seen[1] * h));
  else if (diverged)
    PetscCall(sb_recorder_real(r->recorder, "onset_time", (double)steps * h));
  if (r->strain_seen[1] > 0 && between > 0)
    PetscCall(sb_recorder_real(r->recorder, "growth_measured",
                               pow(r->strain_seen[1] / r->strain_seen[0], 1 / (double)between)));
  PetscFunctionReturn(0);
}

static PetscErrorCode finish(run *r, int64_t step, const sb_advance_report *report)
{
  const double        h = r->c->time.h_seconds;
  double              strain = 0;
  sb_contact_measures contact;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_broke_off(r->recorder, report));
  PetscCall(sb_recorder_real(r->recorder, "steps_done", (double)(step + report->steps_done)));
  PetscCall(record_onset(r, step + report->steps_done, report->status == SB_CASE_DIVERGED));
  if (report->status == SB_CASE_DIVERGED) {
    int64_t good = report->steps_done - 1;
    r->chunk.first_step = step;
    PetscCall(sb_recorder_real(r->recorder, "blowup_time", (double)(step + report->steps_done) * h));
    PetscCall(sb_setup_replay(r->c, &r->setup, &r->chunk, &good, &r->integrator));
    step += good;
  } else {
    step += report->steps_done;
  }
  PetscCall(sb_mode_watch_strain(&r->watch, r->setup.x, r->setup.v, &strain));
  PetscCall(sb_recorder_real(r->recorder, "mode_strain", strain));
  if (r->setup.system->contact) {
    PetscCall(sb_system_contact_measures(r->setup.system, &contact));
    PetscCall(sb_recorder_real(r->recorder, "penetration_max", contact.penetration_max));
  }
  PetscCall(sb_setup_store_frames(r->c, &r->setup, r->recorder, &r->noted, step));
  PetscCall(sb_setup_record_last(r->c, &r->setup, r->recorder, r->first_step, step));
  if (report->status == SB_OK) PetscCall(sb_setup_record_restart(&r->setup, r->integrator, r->recorder));
  PetscFunctionReturn(0);
}

/* Passes the run through a checkpoint. */
static PetscErrorCode keep(void *state, sb_checkpoint *c)
{
  run *r = state;

  PetscFunctionBeginUser;
  SB_CHECKPOINT(c, r->step);
  SB_CHECKPOINT(c, r->unconverged);
  SB_CHECKPOINT(c, r->step_seen);
  SB_CHECKPOINT(c, r->strain_seen);
  PetscCall(sb_march_keep_vector(c, "x of the chunk", r->chunk.x));
  PetscCall(sb_march_keep_vector(c, "v of the chunk", r->chunk.v));
  PetscFunctionReturn(0);
}

/* From the start of the run, or from the step at which it was stopped. */
static PetscErrorCode begin(run *r)
{
  const int64_t step = r->step = r->first_step;
  bool          continued;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_note_start(&r->setup, r->recorder, &r->noted));
  r->march = (sb_march){.keep = keep, .driver = r, .step = step};
  PetscCall(sb_march_begin(&r->march, &r->setup, r->integrator, r->recorder, &continued));
  sb_march_watch(&r->march, r->c->time.steps);
  if (continued) PetscFunctionReturn(0);
  PetscCall(sb_setup_record_frame(
      &r->setup, r->recorder,
      (sb_frame_stamp){step / r->c->time.steps_per_frame, step, (double)step * r->c->time.h_seconds, false}));
  PetscCall(look_for_onset(r, step));
  PetscFunctionReturn(0);
}

static PetscErrorCode march(run *r)
{
  const int64_t     steps = r->c->time.steps, chunk = (steps + CHUNKS_MAX - 1) / CHUNKS_MAX;
  sb_advance_report report = {0};

  PetscFunctionBeginUser;
  PetscCall(begin(r));
  while (r->step < steps) {
    if (!sb_march_is_within(&r->march)) PetscCall(sb_setup_keep_state(&r->setup, &r->chunk));
    PetscCall(sb_march_advance(&r->march, r->step, PetscMin(chunk, steps - r->step), &report));
    r->unconverged += report.unconverged;
    if (sb_integrator_minimizer(r->integrator))
      PetscCall(sb_setup_accuracy(r->c, r->recorder, report.status == SB_OK && report.inaccurate == 0));
    if (report.status != SB_OK) break;
    r->step += report.steps_done;
    report.steps_done = 0;
    PetscCall(look_for_onset(r, r->step));
    PetscCall(sb_setup_look(&r->setup, (double)r->step * r->c->time.h_seconds, NULL));
  }
  PetscCall(finish(r, r->step, &report));
  if (report.status == SB_OK) PetscCall(sb_setup_date_burst(&r->setup, r->recorder));
  if (report.status == SB_OK) PetscCall(sb_setup_unconverged(r->recorder, r->unconverged, steps - r->first_step));
  PetscFunctionReturn(0);
}

static bool check_blowup(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  (void)pose;
  if (SB_IS(c->options, pin_method, "reduce")) return true;
  return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(pin_method)), "E106",
                     "driver 'blowup' predicts limits from the stiffness of free vertices, but pin_method '%s' keeps "
                     "the pinned ones in it; choices: reduce",
                     SB_TEXT(c->options, pin_method));
}

static PetscErrorCode run_blowup(const sb_case *c, sb_recorder *recorder)
{
  run             r = {.own = *c, .c = &r.own, .recorder = recorder};
  sb_fastest_mode fastest;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, check_blowup, 0, recorder, &r.setup));
  PetscCall(sb_setup_keep_state(&r.setup, &r.chunk));
  PetscCall(find_limits(&r, &fastest));
  c = r.c;
  PetscCall(sb_recorder_real(recorder, "h_seconds", c->time.h_seconds));
  PetscCall(sb_recorder_real(recorder, "duration_seconds", (double)c->time.steps * c->time.h_seconds));
  PetscCall(sb_integrator_create(r.setup.system, c->options, c->time.h_seconds, &r.integrator));
  PetscCall(predict(&r, &fastest));
  PetscCall(sb_setup_restart(c, &r.setup, r.integrator, &r.first_step));
  PetscCall(sb_setup_observe_start(&r.setup, (double)r.first_step * c->time.h_seconds));
  PetscCall(sb_setup_open_balance(c, &r.setup, (double)r.first_step * c->time.h_seconds));
  PetscCall(march(&r));
  PetscCall(sb_recorder_word(recorder, "linear_used", sb_integrator_package(r.integrator)));
  PetscCall(sb_setup_judge_end(c, r.integrator, recorder));
  sb_mode_watch_clear(&r.watch);
  PetscCall(sb_integrator_destroy(&r.integrator));
  PetscCall(sb_start_state_destroy(&r.chunk));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_blowup = {
    .name = "blowup",
    .summary = "time until the run leaves its bounds, compared with the prediction of linear theory",
    .uses = "integrator h_over_limit",
    SB_COLUMNS(columns),
    .restarts = true,
    .answers_by_divergence = true,
    .check = check_blowup,
    .run = run_blowup,
};
