/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `motion`: how far is a whole motion from the true one, and from the one with exact steps?
 *
 * Up to five copies of the net move side by side, frame by frame, from the same state:
 * - the case itself;
 * - `exact`: the same integrator and steps, each minimised as far as double precision allows (implicit ones only);
 * - `shaken`: the same (or the case, if it is explicit) from positions that are off by at most 1e-10 m. Its difference
 * is noise, and so are errors below it;
 * - `truth`: rk4 with at least 16 steps per frame, and h omega <= 1/8 for a bound omega on the largest frequency; -
 * `coarse`: the same with twice the step. (truth - coarse)/15 is the error of truth, whose order is 4. So the error of
 * a method has two parts: that of too long steps (exact - truth), and that of too few iterations (case - exact). Errors
 * are in the largest component of a vertex, over the motion: the largest |x - x(0)| of a component of truth in the
 * whole run. Work is in iterations of local-global by flops (model/system/flops.h), of the case only. So are times. The
 * other copies do not depend on the method: the first case that ends stores their motion for the others of a run
 * (reference_motion.h). */
#include <math.h>

#include "base/random.h"
#include "base/allocate.h"
#include "base/profile.h"
#include "cases/describe/case_options.h"
#include "drivers/minimizer_counts.h"
#include "drivers/reference_motion.h"
#include "drivers/rk4_reference.h"
#include "solvers/integrate/integrator_method.h"

#define SHAKE 1e-10 /* m */

static const sb_column columns[] = {
    {"error", "",
     "largest |x - truth| of all frames over the motion: the visible error; this and the next columns up to "
     "energy_lost are blank if the run did not reach its end",
     .timing = false},
    {"error_solver", "", "largest |x - exact|: the error of too few iterations; blank: the integrator is explicit",
     .timing = false},
    {"error_steps", "", "largest |exact - truth|: the error of too long steps; blank: the integrator is explicit",
     .timing = false},
    {"error_final", "", "|x - truth| in the last frame", .timing = false},
    {"floor", "", "largest difference of two such motions that start 1e-10 m apart: errors below it are noise",
     .timing = false},
    {"truth_error", "", "error of truth, estimated with twice its step", .timing = false},
    {"motion", "m", "largest |x - x(0)| of a component of truth", .timing = false},
    {"strain_max", "", "largest |length/rest length - 1| of a frame", .timing = false},
    {"strain_true", "", "the same of truth", .timing = false},
    {"energy_lost", "J", "total energy of truth less that of the case, in the last frame", .timing = false},
    {"work_per_frame", "", "work per frame, in iterations of local-global by flops", .operations = true},
    {"frame_s", "s", "median time of a frame of the case, all its steps", .timing = true},
    {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"truth_steps", "", "steps of truth per frame", .valid_if_diverged = true},
    {"steps_done", "", "steps finished, including one that left the bounds", .valid_if_diverged = true},
    {"unconverged_steps", "", "steps that missed a tolerance that was set", .timing = false},
    SB_MINIMIZER_COUNT_COLUMNS,
    SB_NOT_COUNTED_COLUMN,
};

/* A copy of the net on its way. */
typedef struct {
  sb_integrator    *integrator;
  sb_start_state    at;
  int64_t           per_frame;
  sb_advance_report report; /* of the last frame */
} track;

enum { CASE, EXACT, SHAKEN, TRUTH, COARSE, TRACKS };

/* By frame; made relative when the motion is known. */
enum { ERROR, SOLVER, STEPS, FLOOR, TRUE_ERROR, DISTANCES };
static const char *const distance_names[DISTANCES] = {"error", "error_solver", "error_steps", "floor", "truth_error"};

static const char *const track_names[TRACKS] = {"case", "exact", "shaken", "truth", "coarse"};

typedef struct {
  const sb_case       *c;
  sb_recorder         *recorder;
  sb_setup             setup;
  track                tracks[TRACKS];
  sb_reference_motion *shared; /* of all copies but the case */
  Vec                  x_start;
  int64_t              done;                  /* frames */
  double              *distance[DISTANCES];   /* [frames + 1] m */
  double              *work;                  /* [frames + 1] flops since the start */
  double               motion, unit;          /* m; flops of an iteration of local-global */
  double               strains[2], totals[2]; /* of the case and of truth: the largest; J, the last */
  sb_advance_report    counts;
} run;

static bool is_implicit(const run *r) { return sb_integrator_minimizer(r->tracks[CASE].integrator) != NULL; }

static PetscErrorCode begin(run *r, int which, int64_t per_frame, sb_integrator *integrator)
{
  track *t = &r->tracks[which];

  PetscFunctionBeginUser;
  *t = (track){.integrator = integrator, .per_frame = per_frame};
  PetscCall(sb_setup_keep_state(&r->setup, &t->at));
  PetscFunctionReturn(0);
}

/* Vertices that are held get their place back in the first step. */
static PetscErrorCode shake(const sb_system *system, Vec x)
{
  double *array;

  PetscFunctionBeginUser;
  PetscCall(VecGetArray(x, &array));
  for (PetscInt i = 0; i < 3 * system->owned; ++i)
    array[i] += SHAKE * (2 * sb_random_unit(1, (uint64_t)(3 * system->first_vertex + i)) - 1);
  PetscCall(VecRestoreArray(x, &array));
  PetscFunctionReturn(0);
}

static PetscErrorCode create_tracks(run *r)
{
  const double   h = r->c->time.h_seconds, frame = h * (double)r->c->time.steps_per_frame;
  const int64_t  per_frame = r->c->time.steps_per_frame;
  sb_integrator *integrator = NULL;
  sb_options    *exact = sb_reference_options(r->c->options);
  int64_t        steps = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_integrator_create(r->setup.system, r->c->options, h, &integrator));
  PetscCall(begin(r, CASE, per_frame, integrator));
  for (int which = is_implicit(r) ? EXACT : SHAKEN; which <= SHAKEN; ++which) {
    PetscCall(sb_integrator_create(r->setup.system, is_implicit(r) ? exact : r->c->options, h, &integrator));
    PetscCall(begin(r, which, per_frame, integrator));
  }
  PetscCall(shake(r->setup.system, r->tracks[SHAKEN].at.x));
  sb_options_destroy(&exact);
  PetscCall(sb_rk4_reference_steps(&r->setup, frame, &steps));
  PetscCall(sb_recorder_real(r->recorder, "truth_steps", (double)steps));
  PetscCall(sb_rk4_reference_create(&r->setup, r->c, frame / (double)steps, &integrator));
  PetscCall(begin(r, TRUTH, steps, integrator));
  PetscCall(sb_rk4_reference_create(&r->setup, r->c, frame / (double)(steps / 2), &integrator));
  PetscCall(begin(r, COARSE, steps / 2, integrator));
  PetscFunctionReturn(0);
}

/* Flops are of local-global at the case's step: the unit is the same at every step, as its factor has the same shape.
 */
static PetscErrorCode find_unit(run *r)
{
  sb_reference *reference = NULL;

  PetscFunctionBeginUser;
  PetscCall(sb_reference_create(r->setup.system, r->c->options, r->c->time.h_seconds, &reference));
  r->unit = sb_reference_unit(reference, r->setup.system);
  PetscCall(sb_reference_destroy(&reference));
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(run *r, int which, double *strain, double *total)
{
  sb_energies energies;

  PetscFunctionBeginUser;
  PetscCall(sb_system_energies(r->setup.system, r->tracks[which].at.x, r->tracks[which].at.v, &energies));
  *strain = fmax(*strain, energies.strain_max);
  *total = energies.total;
  PetscFunctionReturn(0);
}

static PetscErrorCode compare(run *r, int64_t frame)
{
  track *t = r->tracks;
  double moved;

  PetscFunctionBeginUser;
  PetscCall(sb_rk4_reference_distance(t[TRUTH].at.x, r->x_start, &moved));
  r->motion = fmax(r->motion, moved);
  PetscCall(sb_rk4_reference_distance(t[CASE].at.x, t[TRUTH].at.x, &r->distance[ERROR][frame]));
  PetscCall(
      sb_rk4_reference_distance(t[SHAKEN].at.x, t[is_implicit(r) ? EXACT : CASE].at.x, &r->distance[FLOOR][frame]));
  PetscCall(sb_rk4_reference_distance(t[COARSE].at.x, t[TRUTH].at.x, &r->distance[TRUE_ERROR][frame]));
  r->distance[TRUE_ERROR][frame] = sb_rk4_reference_error(&r->setup, r->distance[TRUE_ERROR][frame]);
  r->distance[SOLVER][frame] = r->distance[STEPS][frame] = NAN;
  if (is_implicit(r)) {
    PetscCall(sb_rk4_reference_distance(t[CASE].at.x, t[EXACT].at.x, &r->distance[SOLVER][frame]));
    PetscCall(sb_rk4_reference_distance(t[EXACT].at.x, t[TRUTH].at.x, &r->distance[STEPS][frame]));
  }
  PetscCall(measure(r, CASE, &r->strains[0], &r->totals[0]));
  PetscCall(measure(r, TRUTH, &r->strains[1], &r->totals[1]));
  r->done = frame;
  PetscFunctionReturn(0);
}

/* The reason that ends the case: its own end, or a missing reference. */
static PetscErrorCode judge(run *r, int which, const track *t, bool *good)
{
  const sb_advance_report *report = &t->report;
  const bool               reference = which != CASE && (which != SHAKEN || is_implicit(r));

  PetscFunctionBeginUser;
  if (which == CASE) sb_minimizer_counts_add(&r->counts, report);
  *good = report->status == SB_OK && (!reference || report->unconverged == 0);
  if (*good) PetscFunctionReturn(0);
  const char *reason = report->status == SB_OK ? "a step was not solved to the end" : report->reason;
  const char *name = which == TRUTH || which == COARSE ? "rk4" : "exact steps";
  if (reference)
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED, "no reference: %s, %s", name, reason));
  else
    PetscCall(sb_recorder_status(r->recorder, report->status, "%s", reason));
  PetscCall(sb_recorder_broke_off(r->recorder));
  PetscFunctionReturn(0);
}

/* The time of a frame of the case is without the harness's own time for checks. */
static PetscErrorCode advance_case(run *r, int64_t frame)
{
  track       *t = &r->tracks[CASE];
  const double check = r->setup.profile.seconds[SB_PHASE_CHECK];
  double       before, after, started;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_flops(&r->setup, &before));
  started = sb_clock_seconds();
  PetscCall(
      sb_integrator_advance(t->integrator, (frame - 1) * t->per_frame, t->per_frame, t->at.x, t->at.v, &t->report));
  const double seconds = sb_clock_seconds() - started - (r->setup.profile.seconds[SB_PHASE_CHECK] - check);
  PetscCall(sb_setup_flops(&r->setup, &after));
  r->work[frame] = r->work[frame - 1] + (after - before) / r->unit;
  if (r->c->untimed) PetscFunctionReturn(0);
  PetscCall(sb_recorder_sample(r->recorder, "frame", frame, seconds));
  PetscCall(sb_recorder_watch(r->recorder, frame));
  PetscFunctionReturn(0);
}

/* Another copy: its frame is read if an earlier case stored it. */
static PetscErrorCode advance_other(run *r, int which, int64_t frame)
{
  track      *t = &r->tracks[which];
  const char *uncounted = r->setup.profile.uncounted; /* recorded only for the case */

  PetscFunctionBeginUser;
  t->report = (sb_advance_report){.status = SB_OK};
  if (!sb_reference_motion_is_known(r->shared))
    PetscCall(
        sb_integrator_advance(t->integrator, (frame - 1) * t->per_frame, t->per_frame, t->at.x, t->at.v, &t->report));
  r->setup.profile.uncounted = uncounted;
  PetscCall(sb_reference_motion_pass_vector(r->shared, track_names[which], t->at.x));
  if (which == TRUTH) PetscCall(sb_reference_motion_pass_vector(r->shared, "velocity", t->at.v)); /* its energy */
  PetscFunctionReturn(0);
}

static PetscErrorCode advance(run *r, int64_t frame, bool *good)
{
  PetscFunctionBeginUser;
  for (int which = 0; which < TRACKS && *good; ++which) {
    const track *t = &r->tracks[which];
    if (!t->integrator) continue;
    PetscCall(which == CASE ? advance_case(r, frame) : advance_other(r, which, frame));
    PetscCall(judge(r, which, t, good));
  }
  PetscFunctionReturn(0);
}

static double largest(const double *values, int64_t last)
{
  double most = values[last]; /* NAN if there are none */
  for (int64_t i = 0; i < last; ++i) most = fmax(most, values[i]);
  return most;
}

static PetscErrorCode record_curves(run *r)
{
  const size_t count = (size_t)r->done + 1;
  double      *times = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc1(count, &times));
  for (size_t k = 0; k < count; ++k) times[k] = (double)k * (double)r->c->time.steps_per_frame * r->c->time.h_seconds;
  const sb_curve_name time = {"motion", "time", "s", false}, work = {"motion", "work", "", false};
  PetscCall(sb_recorder_curve(r->recorder, &time, count, times));
  if (!r->setup.profile.uncounted) PetscCall(sb_recorder_curve(r->recorder, &work, count, r->work));
  for (int d = 0; d < DISTANCES; ++d) {
    const sb_curve_name name = {"motion", distance_names[d], "", false};
    PetscCall(sb_recorder_curve(r->recorder, &name, count, r->distance[d]));
  }
  PetscCall(PetscFree(times));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_times(run *r)
{
  sb_median frame;

  PetscFunctionBeginUser;
  if (r->c->untimed || r->done == 0) PetscFunctionReturn(0);
  PetscCall(sb_recorder_watch_end(r->recorder, "frame"));
  PetscCall(sb_recorder_interval(r->recorder, "frame", &frame));
  PetscCall(sb_recorder_real(r->recorder, "frame_s", frame.value));
  PetscFunctionReturn(0);
}

static PetscErrorCode record(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(record_times(r));
  PetscCall(sb_recorder_real(r->recorder, "steps_done", (double)r->counts.steps_done));
  if (is_implicit(r)) {
    PetscCall(sb_recorder_real(r->recorder, "unconverged_steps", (double)r->counts.unconverged));
    PetscCall(sb_setup_accuracy(r->c, r->recorder, r->counts.inaccurate == 0));
  }
  PetscCall(sb_minimizer_counts_record(&r->counts, r->c, r->tracks[CASE].integrator, r->recorder));
  if (r->done == 0 || r->motion == 0) PetscFunctionReturn(0);
  for (int d = 0; d < DISTANCES; ++d)
    for (int64_t k = 0; k <= r->done; ++k) r->distance[d][k] /= r->motion;
  PetscCall(record_curves(r));
  PetscCall(sb_recorder_word(r->recorder, "not_counted", r->setup.profile.uncounted));
  if (!r->setup.profile.uncounted)
    PetscCall(sb_recorder_real(r->recorder, "work_per_frame", r->work[r->done] / (double)r->done));
  if (r->done < r->c->time.frames) PetscFunctionReturn(0); /* the part before a failure is not the whole motion */
  for (int d = 0; d < DISTANCES; ++d)
    PetscCall(sb_recorder_real(r->recorder, distance_names[d], largest(r->distance[d], r->done)));
  PetscCall(SB_RECORD(r->recorder, {"error_final", r->distance[ERROR][r->done]}, {"motion", r->motion},
                      {"strain_max", r->strains[0]}, {"strain_true", r->strains[1]},
                      {"energy_lost", r->totals[1] - r->totals[0]}));
  PetscFunctionReturn(0);
}

static bool check_motion(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  const sb_integrator_method *method = sb_integrator_method_of(c->options);
  if (method && method->traits & SB_PROJECTS_LENGTHS)
    return sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(integrator)), "E106",
                       "driver 'motion' compares with the motion of the springs, but integrator '%s' makes them rigid",
                       method->name);
  return sb_rk4_reference_check(c, pose, diagnostics);
}

static PetscErrorCode share(run *r)
{
  sb_options    *exact = sb_reference_options(r->c->options);
  SB_OWNED char *meaning = sb_case_json(exact, true, NULL);

  PetscFunctionBeginUser;
  sb_options_destroy(&exact);
  PetscCall(sb_reference_motion_create(r->c, meaning, r->recorder, &r->shared));
  PetscFunctionReturn(0);
}

static PetscErrorCode create(run *r)
{
  const int64_t frames = r->c->time.frames;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(r->c, check_motion, 0, r->recorder, &r->setup));
  PetscCall(VecDuplicate(r->setup.x, &r->x_start));
  PetscCall(VecCopy(r->setup.x, r->x_start));
  for (int d = 0; d < DISTANCES; ++d) PetscCall(PetscCalloc1(frames + 1, &r->distance[d]));
  PetscCall(PetscCalloc1(frames + 1, &r->work));
  PetscCall(create_tracks(r));
  PetscCall(share(r));
  PetscCall(find_unit(r));
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(run *r)
{
  PetscFunctionBeginUser;
  PetscCall(sb_reference_motion_destroy(&r->shared, r->done == r->c->time.frames));
  for (int which = 0; which < TRACKS; ++which) {
    PetscCall(sb_integrator_destroy(&r->tracks[which].integrator));
    PetscCall(sb_start_state_destroy(&r->tracks[which].at));
  }
  for (int d = 0; d < DISTANCES; ++d) PetscCall(PetscFree(r->distance[d]));
  PetscCall(PetscFree(r->work));
  PetscCall(VecDestroy(&r->x_start));
  PetscCall(sb_setup_destroy(&r->setup));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_motion(const sb_case *c, sb_recorder *recorder)
{
  run           r = {.c = c, .recorder = recorder};
  const int64_t frames = c->time.frames;
  const track  *own = &r.tracks[CASE];
  bool          good = true;

  PetscFunctionBeginUser;
  PetscCall(create(&r));
  PetscCall(sb_setup_open_balance(c, &r.setup, 0));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, false}));
  PetscCall(compare(&r, 0));
  sb_recorder_progress_begin(recorder, "frame", 0, frames);
  if (!c->untimed) PetscCall(sb_recorder_watch_begin(recorder));
  for (int64_t frame = 1; frame <= frames && good; ++frame) {
    PetscCall(advance(&r, frame, &good));
    if (!good) break;
    PetscCall(compare(&r, frame));
    const double seconds = (double)(frame * own->per_frame) * c->time.h_seconds;
    PetscCall(sb_recorder_frame(recorder, r.setup.system,
                                &(sb_frame_stamp){frame, frame * own->per_frame, seconds, frame == frames}, own->at.x,
                                own->at.v));
    PetscCall(sb_balance_look(&r.setup.balance, r.setup.system, seconds, own->at.x, own->at.v,
                              sb_recorder_energies(recorder)));
    sb_recorder_progress(recorder, frame);
  }
  PetscCall(record(&r));
  if (good) PetscCall(sb_setup_judge_burst(&r.setup, recorder));
  PetscCall(sb_setup_judge_end(c, own->integrator, recorder));
  PetscCall(destroy(&r));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_motion = {
    .name = "motion",
    .summary = "error of a whole motion relative to the true one and to exact steps, with its work",
    .uses = "integrator",
    SB_COLUMNS(columns),
    .check = check_motion,
    .run = run_motion,
};
