/* Driver `blowup`: how long until the run leaves its bounds, and what does linear theory say?
 *
 * Measured: the end of the first step after which a coordinate is not finite or a vertex is farther from the centre of
 * mass than blowup_ratio diagonals of the initial bounding box. Predicted: a step of the method multiplies the
 * amplitude of the fastest mode at the initial pose, omega_max, braked by drag, dampers and the velocity factor, by
 * |lambda|
 * (`growth` in the method's table; explicit Euler undamped: |lambda|^2 = 1 + z^2, z = h omega_max; symplectic Euler and
 * the leapfrogs: lambda = b + sqrt(b^2 - 1), b = z^2/2 - 1, for z > 2). Rounding, eps diagonals, needs
 * ln(blowup_ratio/eps)/ln|lambda| steps to reach the bound: a run whose fastest mode is excited from the start is gone
 * earlier, so this is the latest time. Blank where theory says it is stable. The limits of h are those without damping,
 * which under symplectic Euler h^2 omega^2 + 2 h c < 4 narrows and a velocity factor widens. */
#include <float.h>
#include <math.h>

#include "experiments/frequency.h"
#include "experiments/setup.h"
#include "model/external.h"
#include "solvers/integrate/integrator_method.h"

enum { CHUNKS_MAX = 1000 };
#define NEUTRAL (1 + 1e-12) /* growth a step that rounding may show where theory has 1 */

static const sb_column columns[] = {
    {"blowup_time", "s", "simulated time at which the run left its bounds", .timing = false},
    {"blowup_predicted", "s", "time by linear theory: the fastest mode grows from rounding noise to the bounds",
     .timing = false},
    {"growth_predicted", "",
     "growth of the fastest mode a step by linear theory, damping included: above 1 the step is too long, also where "
     "springs that turn or compress keep the run in its bounds",
     .timing = false},
    {"omega_max", "rad/s", "largest natural frequency at the initial pose", .timing = false},
    {"limit_h", "s",
     "2/omega_max: limit of symplectic Euler and the leapfrogs without damping; the method's own where it has another",
     .timing = false},
    {"limit_h_any_stretch", "s", "2/sqrt(lambda_max(M^-1 L)): the limit, without damping, that holds at any stretch",
     .timing = false},
    {"h_seconds", "s", "time step", .timing = false},
    {"duration_seconds", "s", "simulated time asked for", .timing = false},
    {"steps_done", "", "steps finished, those before a restart included", .timing = false},
    {"penetration_max", "m", "largest depth of a vertex in a collider; blank without contact", .timing = false},
};

typedef struct {
  const sb_case *c;
  sb_recorder   *recorder;
  sb_setup       setup;
  sb_integrator *integrator;
  int64_t        first_step, unconverged;
  Vec            x_start, v_start; /* of the current chunk of steps */
} run;

static PetscErrorCode predict(run *r)
{
  const sb_options           *options = r->c->options;
  const sb_integrator_method *method = sb_integrator_method_find(SB_TEXT(options, integrator));
  const double                h = r->c->time.h_seconds, factor = sb_integrator_velocity_factor(r->integrator);
  const double limit = method->stability_limit > 0 && isfinite(method->stability_limit) ? method->stability_limit : 2;
  double       bound = 0;
  sb_fastest_mode fastest;

  PetscFunctionBeginUser;
  PetscCall(sb_frequency_max(r->setup.system, r->setup.x, &fastest));
  PetscCall(sb_frequency_any_stretch(r->setup.system, &bound));
  PetscCall(sb_recorder_real(r->recorder, "omega_max", fastest.omega));
  PetscCall(sb_recorder_real(r->recorder, "limit_h", limit / fastest.omega));
  PetscCall(sb_recorder_real(r->recorder, "limit_h_any_stretch", limit / bound));
  const double growth = method->growth ? method->growth(h * fastest.omega, h * fastest.damping, factor) : 1;
  if (method->growth) PetscCall(sb_recorder_real(r->recorder, "growth_predicted", growth));
  if (growth > NEUTRAL)
    PetscCall(sb_recorder_real(r->recorder, "blowup_predicted",
                               h * log(SB_REAL(options, blowup_ratio) / DBL_EPSILON) / log(growth)));
  PetscFunctionReturn(0);
}

static PetscErrorCode finish(run *r, int64_t step, const sb_advance_report *report)
{
  const double h = r->c->time.h_seconds;

  PetscFunctionBeginUser;
  if (report->status != SB_OK) PetscCall(sb_recorder_status(r->recorder, report->status, "%s", report->reason));
  PetscCall(sb_recorder_real(r->recorder, "steps_done", (double)(step + report->steps_done)));
  if (report->status == SB_CASE_DIVERGED) {
    const sb_start_state chunk = {r->x_start, r->v_start, step};
    int64_t              good = report->steps_done - 1;
    PetscCall(sb_recorder_real(r->recorder, "blowup_time", (double)(step + report->steps_done) * h));
    PetscCall(sb_setup_replay(r->c, &r->setup, &chunk, &good, &r->integrator));
    step += good;
  } else {
    step += report->steps_done;
  }
  PetscCall(sb_recorder_frame(r->recorder, r->setup.system, &(sb_frame_stamp){1, step, (double)step * h, true},
                              r->setup.x, r->setup.v));
  if (report->status == SB_OK) PetscCall(sb_setup_keep(&r->setup, r->integrator, r->recorder));
  PetscFunctionReturn(0);
}

static PetscErrorCode march(run *r)
{
  const int64_t     steps = r->c->time.steps, chunk = (steps + CHUNKS_MAX - 1) / CHUNKS_MAX;
  sb_advance_report report = {0};
  int64_t           step = r->first_step;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_frame(r->recorder, r->setup.system,
                              &(sb_frame_stamp){0, step, (double)step * r->c->time.h_seconds, false}, r->setup.x,
                              r->setup.v));
  while (step < steps) {
    PetscCall(VecCopy(r->setup.x, r->x_start));
    PetscCall(VecCopy(r->setup.v, r->v_start));
    PetscCall(
        sb_integrator_advance(r->integrator, step, PetscMin(chunk, steps - step), r->setup.x, r->setup.v, &report));
    r->unconverged += report.unconverged;
    if (sb_integrator_minimizer(r->integrator))
      PetscCall(sb_setup_accuracy(r->c, r->recorder, report.status == SB_OK && report.inaccurate == 0));
    if (report.status != SB_OK) break;
    step += report.steps_done;
    report.steps_done = 0;
  }
  PetscCall(finish(r, step, &report));
  if (report.status == SB_OK) PetscCall(sb_setup_unconverged(r->recorder, r->unconverged, steps - r->first_step));
  PetscFunctionReturn(0);
}

static bool check_blowup(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  (void)pose;
  if (SB_IS(c->options, pin_method, "reduce")) return true;
  return sb_error_at(diagnostics, sb_scene_blame(c->options, SB_OPT_pin_method), "E106",
                     "driver 'blowup' predicts limits from the stiffness of free vertices, in which pin_method '%s' "
                     "keeps the pinned ones; choices: reduce",
                     SB_TEXT(c->options, pin_method));
}

static PetscErrorCode run_blowup(const sb_case *c, sb_recorder *recorder)
{
  run                 r = {.c = c, .recorder = recorder};
  sb_contact_measures measures;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create_if(c, check_blowup, recorder, &r.setup));
  PetscCall(VecDuplicate(r.setup.x, &r.x_start));
  PetscCall(VecDuplicate(r.setup.v, &r.v_start));
  PetscCall(sb_recorder_real(recorder, "h_seconds", c->time.h_seconds));
  PetscCall(sb_recorder_real(recorder, "duration_seconds", (double)c->time.steps * c->time.h_seconds));
  PetscCall(sb_integrator_create(r.setup.system, c->options, c->time.h_seconds, &r.integrator));
  PetscCall(predict(&r));
  PetscCall(sb_setup_restart(c, &r.setup, r.integrator, &r.first_step));
  if (r.setup.system->contact) sb_contact_reset(r.setup.system->contact);
  sb_setup_watch(recorder, r.integrator, "step", r.first_step, c->time.steps);
  PetscCall(march(&r));
  if (r.setup.system->contact) {
    PetscCall(sb_system_contact_measures(r.setup.system, &measures));
    PetscCall(sb_recorder_real(recorder, "penetration_max", measures.penetration_max));
  }
  PetscCall(sb_integrator_destroy(&r.integrator));
  PetscCall(VecDestroy(&r.x_start));
  PetscCall(VecDestroy(&r.v_start));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_blowup = {
    .name = "blowup",
    .summary = "time until the run leaves its bounds, beside the prediction of linear theory",
    .uses = "integrator",
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .restarts = true,
    .check = check_blowup,
    .run = run_blowup,
};
