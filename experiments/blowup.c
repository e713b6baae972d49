/* Driver `blowup`: how long until the run leaves its bounds, and what does linear theory say?
 *
 * Measured: the end of the first step after which a coordinate is not finite or a vertex is farther from the centre of
 * mass than blowup_ratio diagonals of the initial bounding box. Predicted, with z = h omega_max and c = damping/m:
 * an amplitude grows per step by
 *     explicit_euler                       |lambda|^2 = 1 - h c + z^2
 *     symplectic_euler, velocity Verlet    lambda = b + sqrt(b^2 - 1), b = z^2/2 - 1, for z > 2
 * and rounding, eps diagonals, needs ln(blowup_ratio/eps)/ln|lambda| steps to reach the bound: a run whose fastest mode
 * is excited from the start is gone earlier, so this is the latest time. Blank where theory says it is stable. */
#include <float.h>
#include <math.h>

#include "experiments/frequency.h"
#include "experiments/setup.h"
#include "model/external.h"
#include "solvers/integrate/integrator_method.h"

enum { CHUNKS_MAX = 1000 };

static const sb_column columns[] = {
    {"blowup_time", "s", "simulated time at which the run left its bounds", false},
    {"blowup_predicted", "s", "latest time by linear theory, starting from rounding noise", false},
    {"omega_max", "rad/s", "largest natural frequency at the initial pose", false},
    {"limit_h", "s", "2/omega_max: limit of symplectic Euler and velocity Verlet", false},
    {"limit_h_any_stretch", "s", "2/sqrt(lambda_max(M^-1 L)): the limit that holds at any stretch", false},
    {"h_seconds", "s", "time step", false},
    {"duration_seconds", "s", "simulated time asked for", false},
    {"steps_done", "", "steps finished, those before a restart included", false},
    {"penetration_max", "m", "largest depth of a vertex in a collider; blank without contact", false},
};

typedef struct {
  const sb_case *c;
  sb_recorder   *recorder;
  sb_setup       setup;
  sb_integrator *integrator;
  int64_t        first_step;
  Vec            x_start, v_start; /* of the current chunk of steps */
} run;

static double growth_per_step(const sb_options *options, double h, double omega, double mass)
{
  const sb_integrator_method *method = sb_integrator_method_find(SB_TEXT(options, integrator));
  const double                z = h * omega, rate = SB_REAL(options, damping_rate) + SB_REAL(options, drag) / mass;
  if (method->growth) return method->growth(z);
  if (method->stability_limit == 0) return sqrt(fmax(0, 1 - h * rate + z * z));
  if (z <= method->stability_limit || !isfinite(method->stability_limit)) return 1;
  const double b = z * z / 2 - 1;
  return b + sqrt(b * b - 1);
}

static PetscErrorCode predict(run *r)
{
  const sb_options *options = r->c->options;
  const double      h = r->c->time.h_seconds;
  double            omega = 0, bound = 0;
  const double      of_method = sb_integrator_method_find(SB_TEXT(options, integrator))->stability_limit;
  const double      limit = of_method > 0 && isfinite(of_method) ? of_method : 2;

  PetscFunctionBeginUser;
  PetscCall(sb_frequency_max(r->setup.system, r->setup.x, &omega));
  PetscCall(sb_frequency_any_stretch(r->setup.system, &bound));
  const double mass = r->setup.system->mass_total / (double)r->setup.system->vertices;
  const double growth = growth_per_step(options, h, omega, mass);
  PetscCall(sb_recorder_real(r->recorder, "omega_max", omega));
  PetscCall(sb_recorder_real(r->recorder, "limit_h", limit / omega));
  PetscCall(sb_recorder_real(r->recorder, "limit_h_any_stretch", limit / bound));
  if (growth > 1)
    PetscCall(sb_recorder_real(r->recorder, "blowup_predicted",
                               h * log(SB_REAL(options, blowup_ratio) / DBL_EPSILON) / log(growth)));
  PetscFunctionReturn(0);
}

/* The chunk that left the bounds is run again, one step fewer, to store the last state within them. A method that keeps
 * more than (x, v) starts afresh; should that leave the bounds too, the chunk's start is stored. */
static PetscErrorCode return_to_last_good(run *r, int64_t first_step, int64_t *steps)
{
  sb_advance_report report;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(r->x_start, r->setup.x));
  PetscCall(VecCopy(r->v_start, r->setup.v));
  PetscCall(sb_integrator_destroy(&r->integrator));
  PetscCall(sb_integrator_create(r->setup.system, r->c->options, r->c->time.h_seconds, &r->integrator));
  if (*steps == 0) PetscFunctionReturn(0);
  PetscCall(sb_integrator_advance(r->integrator, first_step, *steps, r->setup.x, r->setup.v, &report));
  if (report.status == SB_OK) PetscFunctionReturn(0);
  PetscCall(VecCopy(r->x_start, r->setup.x));
  PetscCall(VecCopy(r->v_start, r->setup.v));
  *steps = 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode finish(run *r, int64_t step, const sb_advance_report *report)
{
  const double h = r->c->time.h_seconds;

  PetscFunctionBeginUser;
  if (report->status != SB_OK) PetscCall(sb_recorder_status(r->recorder, report->status, "%s", report->reason));
  PetscCall(sb_recorder_real(r->recorder, "steps_done", (double)(step + report->steps_done)));
  if (report->status == SB_CASE_DIVERGED) {
    int64_t good = report->steps_done - 1;
    PetscCall(sb_recorder_real(r->recorder, "blowup_time", (double)(step + report->steps_done) * h));
    PetscCall(return_to_last_good(r, step, &good));
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
    if (report.status != SB_OK) break;
    step += report.steps_done;
    report.steps_done = 0;
  }
  PetscCall(finish(r, step, &report));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_blowup(const sb_case *c, sb_recorder *recorder)
{
  run                 r = {.c = c, .recorder = recorder};
  sb_contact_measures measures;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, recorder, &r.setup));
  PetscCall(VecDuplicate(r.setup.x, &r.x_start));
  PetscCall(VecDuplicate(r.setup.v, &r.v_start));
  PetscCall(sb_recorder_real(recorder, "h_seconds", c->time.h_seconds));
  PetscCall(sb_recorder_real(recorder, "duration_seconds", (double)c->time.steps * c->time.h_seconds));
  PetscCall(predict(&r));
  PetscCall(sb_integrator_create(r.setup.system, c->options, c->time.h_seconds, &r.integrator));
  PetscCall(sb_setup_restart(c, &r.setup, r.integrator, &r.first_step));
  if (r.setup.system->contact) sb_contact_reset(r.setup.system->contact);
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
    .columns = columns,
    .column_count = sizeof columns / sizeof *columns,
    .restarts = true,
    .run = run_blowup,
};
