/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The front of the minimisers: the loop, the stopping rules, the monitor, PETSc's log; see minimizer.h. */
#include "solvers/minimize/minimizer_method.h"
#include "solvers/minimize/on_device.h"

#include <math.h>

#include "base/traffic.h"
#include "model/system/check.h"

/* For the automatic rule. At the end of their default runs curtain, square and bar are within 7e-7 m of their places
 * with 1e-8 N. sphere buckles when it lands, and no two tolerances agree (1e-7 and 1e-9 N: 0.2 m apart). */
#define TOLERANCE 1e-6

struct sb_minimizer {
  const sb_minimizer_method *method;
  void                      *state;
  sb_system                 *system;
  sb_linear_solver          *linear;
  sb_outcome                 prepared; /* not accepted: there is nothing to iterate with */
  double                     h_seconds, step_tolerance, gradient_tolerance;
  bool                       automatic; /* gradient_tolerance is computed for every step */
  PetscInt                   iterations_max;
  sb_start                   start;
  double                     whole;    /* |s|_inf of the last iteration, if a part of s was taken */
  Vec                        previous; /* full: z of the iteration before; only with a step tolerance */
  Vec                        gradient; /* unknowns: at z; only with a gradient tolerance */
  sb_monitor                 monitor;
  void                      *context;
  PetscLogEvent              event;
  sb_on_device              *device; /* of its Vecs; NULL: none */
  sb_potential              *there;  /* for a potential and a z that are not on it */
  Vec                        z;
};

/* For the automatic rule with a barrier, 1/s: the error of velocities by a step, in diagonals per second. The paper on
 * incremental potential contact has 1e-2, which at h = 0.01 s is a tenth of the weight of a net 1 m wide. */
#define SPEED_TOLERANCE 1e-4

bool sb_minimizer_tests_gradient(const sb_options *options)
{
  if (!SB_IS(options, gradient_tolerance, "auto")) return SB_REAL(options, gradient_tolerance) > 0;
  return SB_REAL(options, step_tolerance) == 0 && sb_minimizer_traits(options) & (SB_QUADRATIC | SB_TESTS_GRADIENT) &&
         !SB_IS(options, self_contact, "barrier");
}

/* True if the tolerance of steps is the automatic one. */
static bool tests_speed(const sb_options *options)
{
  return SB_IS(options, self_contact, "barrier") && SB_IS(options, gradient_tolerance, "auto") &&
         sb_options_origin(options, SB_ID(step_tolerance)) == SB_FROM_TABLE;
}

bool sb_minimizer_tests_step(const sb_options *options)
{
  return SB_REAL(options, step_tolerance) > 0 || tests_speed(options);
}

static void read_options(sb_minimizer *minimizer, const sb_options *options)
{
  const double speed = SPEED_TOLERANCE * minimizer->system->diagonal;
  minimizer->iterations_max = (PetscInt)SB_INTEGER(options, max_iterations);
  minimizer->step_tolerance = tests_speed(options) ? speed * minimizer->h_seconds : SB_REAL(options, step_tolerance);
  minimizer->automatic = SB_IS(options, gradient_tolerance, "auto") && sb_minimizer_tests_gradient(options);
  minimizer->gradient_tolerance = SB_IS(options, gradient_tolerance, "auto") ? 0 : SB_REAL(options, gradient_tolerance);
  minimizer->start = SB_IS(options, start, "coast")      ? SB_START_COAST
                     : SB_IS(options, start, "previous") ? SB_START_PREVIOUS
                                                         : SB_START_INERTIAL;
}

/* Registered once a name: PETSc itself would list a name twice. */
static PetscErrorCode find_event(PetscLogEvent *event)
{
  PetscFunctionBeginUser;
  PetscCall(PetscLogEventGetId("SBMinIterate", event));
  if (*event < 0) PetscCall(PetscLogEventRegister("SBMinIterate", PETSC_OBJECT_CLASSID, event));
  PetscFunctionReturn(0);
}

static PetscErrorCode set_up(sb_minimizer *minimizer, const sb_options *options, const char *prefix)
{
  sb_system *system = minimizer->system;
  const int  columns = sb_minimizer_columns(options);

  PetscFunctionBeginUser;
  if (sb_minimizer_traits(options) & SB_UNCOUNTED) sb_profile_leave_uncounted(system->profile, minimizer->method->name);
  read_options(minimizer, options);
  PetscCall(find_event(&minimizer->event));
  if (minimizer->step_tolerance > 0) PetscCall(sb_system_create_full(system, &minimizer->previous));
  if (sb_minimizer_tests_gradient(options)) PetscCall(sb_system_create_unknowns(system, &minimizer->gradient));
  if (columns > 0)
    PetscCall(sb_linear_solver_create(system->comm, options, prefix, columns, system->profile, &minimizer->linear));
  PetscCall(PetscCalloc(minimizer->method->state_bytes, &minimizer->state));
  const sb_minimizer_setup setup = {
      .system = system, .options = options, .h_seconds = minimizer->h_seconds, .linear = minimizer->linear};
  PetscCall(minimizer->method->prepare(minimizer->state, &setup, &minimizer->prepared));
  PetscFunctionReturn(0);
}

static PetscErrorCode check_and_set_up(sb_minimizer *minimizer, const sb_options *options, const char *prefix)
{
  sb_system *system = minimizer->system;

  PetscFunctionBeginUser;
  minimizer->method = sb_minimizer_method_of(options);
  PetscCheck(minimizer->method, system->comm, PETSC_ERR_USER, "there is no minimizer '%s'",
             SB_TEXT(options, minimizer));
  PetscCall(sb_check_creation(system->comm, options, sb_minimizer_check_chosen));
  if (sb_minimizer_has_device(options))
    PetscCall(sb_on_device_open(system, options, minimizer->h_seconds, &minimizer->device));
  PetscCall(sb_on_device_enter(minimizer->device, system));
  const PetscErrorCode failed = set_up(minimizer, options, prefix);
  PetscCall(sb_on_device_leave(minimizer->device, system));
  PetscCall(failed);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_minimizer_create(sb_system *system, const sb_options *options, double h_seconds, const char *prefix,
                                   sb_minimizer **minimizer)
{
  PetscFunctionBeginUser;
  PetscCall(PetscNew(minimizer));
  (*minimizer)->system = system;
  (*minimizer)->h_seconds = h_seconds;
  if (system->law) sb_law_set_damping(system->law, SB_REAL(options, damping_in_step) / h_seconds); /* of matrices */
  const PetscErrorCode failed = check_and_set_up(*minimizer, options, prefix);
  if (failed) PetscCall(sb_minimizer_destroy(minimizer));
  PetscCall(failed);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_minimizer_destroy(sb_minimizer **minimizer)
{
  PetscFunctionBeginUser;
  if (!*minimizer) PetscFunctionReturn(0);
  if ((*minimizer)->state) PetscCall((*minimizer)->method->destroy((*minimizer)->state));
  PetscCall(PetscFree((*minimizer)->state));
  if ((*minimizer)->linear) PetscCall(sb_linear_solver_destroy(&(*minimizer)->linear));
  PetscCall(VecDestroy(&(*minimizer)->previous));
  PetscCall(VecDestroy(&(*minimizer)->gradient));
  PetscCall(VecDestroy(&(*minimizer)->z));
  PetscCall(sb_potential_destroy(&(*minimizer)->there));
  PetscCall(sb_on_device_close(&(*minimizer)->device));
  PetscCall(PetscFree(*minimizer));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_minimizer_set_monitor(sb_minimizer *minimizer, sb_monitor monitor, void *context)
{
  minimizer->monitor = monitor;
  minimizer->context = context;
  return 0;
}

sb_linear_solver *sb_minimizer_linear(sb_minimizer *minimizer) { return minimizer->linear; }

sb_on_device *sb_minimizer_vectors(const sb_minimizer *minimizer) { return minimizer->device; }

const sb_device *sb_minimizer_device(const sb_minimizer *minimizer)
{
  return minimizer->device ? sb_on_device_opened(minimizer->device) : NULL;
}

/* A monitor may well evaluate potentials, and their phases and work would be charged to the method: the profile is put
 * back as it was, and all the time, and all flops, go to the check. */
static PetscErrorCode observe(sb_minimizer *minimizer, PetscInt k, Vec z, bool *stop)
{
  sb_profile    *profile = minimizer->system->profile;
  PetscLogDouble flops, flops_after;

  PetscFunctionBeginUser;
  if (!minimizer->monitor) PetscFunctionReturn(0);
  if (minimizer->device) sb_device_finish(sb_on_device_opened(minimizer->device));
  const sb_profile before = profile ? *profile : (sb_profile){0};
  const double     started = sb_profile_start_check(profile);
  const sb_traffic sent = sb_traffic_so_far();
  PetscCall(PetscGetFlops(&flops));
  PetscCall(minimizer->monitor(minimizer->context, k, z, stop));
  PetscCall(PetscGetFlops(&flops_after));
  if (profile) *profile = before;
  if (profile) profile->check_flops += flops_after - flops;
  if (profile) sb_profile_add_check_traffic(profile, sent, sb_traffic_so_far());
  sb_profile_stop_check(profile, started);
  PetscFunctionReturn(0);
}

static void end_loop(sb_minimize_report *report, bool converged, const char *reason, bool *done)
{
  report->converged = converged;
  report->reason = reason;
  *done = true;
}

static bool has_tolerance(const sb_minimizer *minimizer) { return minimizer->previous || minimizer->gradient; }

static PetscErrorCode test_step(sb_minimizer *minimizer, Vec z, sb_minimize_report *report, bool *done)
{
  double moved;

  PetscFunctionBeginUser;
  PetscCall(VecAXPY(minimizer->previous, -1, z));
  PetscCall(VecNorm(minimizer->previous, NORM_INFINITY, &moved));
  if (fmax(moved, minimizer->whole) < minimizer->step_tolerance) end_loop(report, true, "step_tolerance met", done);
  PetscFunctionReturn(0);
}

/* The tolerance of a step whose first gradient has the norm `first`. That norm does not suffice: it is zero at rest and
 * in free fall, where f_ext gives the scale; and no gradient is smaller than its rounding. */
static PetscErrorCode choose_tolerance(sb_minimizer *minimizer, const sb_potential *potential, Vec z, double first)
{
  sb_profile      *profile = minimizer->system->profile;
  const double     started = sb_profile_start_check(profile);
  const sb_traffic sent = sb_traffic_so_far();
  double           external, rounding;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_external_norm(potential, &external));
  PetscCall(sb_potential_rounding(potential, z, &rounding, NULL));
  minimizer->gradient_tolerance = fmax(TOLERANCE * fmax(first, external), rounding);
  if (profile) sb_profile_add_check_traffic(profile, sent, sb_traffic_so_far());
  sb_profile_stop_check(profile, started);
  PetscFunctionReturn(0);
}

static PetscErrorCode test_gradient(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                    sb_minimize_report *report, bool *done)
{
  const bool first = isnan(report->gradient_norm);

  PetscFunctionBeginUser;
  PetscCall(sb_potential_gradient(potential, z, minimizer->gradient));
  PetscCall(VecNorm(minimizer->gradient, NORM_2, &report->gradient_norm));
  if (minimizer->automatic && first) PetscCall(choose_tolerance(minimizer, potential, z, report->gradient_norm));
  if (report->gradient_norm < minimizer->gradient_tolerance) end_loop(report, true, "gradient_tolerance met", done);
  PetscFunctionReturn(0);
}

/* The stopping rules at iterate k; a tolerance met counts more than a monitor that has seen enough, and where pinned
 * vertices are not at their place it counts nothing. */
static PetscErrorCode judge(sb_minimizer *minimizer, const sb_potential *potential, PetscInt k, Vec z,
                            sb_minimize_report *report, bool *done)
{
  bool stop = false, placed;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_place_pins(potential, z, &placed));
  report->blocked = !placed;
  PetscCall(observe(minimizer, k, z, &stop));
  if (stop) end_loop(report, !has_tolerance(minimizer), "stopped by the monitor", done);
  if (minimizer->gradient) PetscCall(test_gradient(minimizer, potential, z, report, done));
  if (minimizer->previous && k > 0) PetscCall(test_step(minimizer, z, report, done));
  *done = *done && (stop || !report->blocked);
  PetscFunctionReturn(0);
}

/* Adds the report of one iteration, or of a loop owned by the method, to the report of the minimisation. */
static void note_iteration(sb_minimizer *minimizer, const sb_iteration *iteration, sb_minimize_report *report,
                           bool *done)
{
  minimizer->whole = iteration->step;
  report->linear_outcome = iteration->linear.outcome;
  report->of_method = iteration->of_method;
  report->linear_iterations += iteration->linear.iterations;
  report->projected += iteration->projected;
  if (!sb_outcome_accepted(iteration->linear.outcome))
    end_loop(report, false, iteration->linear.reason, done);
  else
    report->residual = sb_worse_residual(report->residual, iteration->linear.relative);
  if (iteration->stuck) end_loop(report, false, "the line search found no descent", done);
  if (iteration->settled) end_loop(report, true, "only rounding is left of the gradient", done);
}

static PetscErrorCode iterate(sb_minimizer *minimizer, const sb_potential *potential, Vec z, sb_minimize_report *report,
                              bool *done)
{
  sb_iteration iteration = {.gradient = minimizer->gradient};

  PetscFunctionBeginUser;
  if (minimizer->previous) PetscCall(VecCopy(z, minimizer->previous));
  PetscCall(PetscLogEventBegin(minimizer->event, 0, 0, 0, 0));
  PetscCall(minimizer->method->iterate(minimizer->state, potential, z, &iteration));
  PetscCall(PetscLogEventEnd(minimizer->event, 0, 0, 0, 0));
  note_iteration(minimizer, &iteration, report, done);
  PetscFunctionReturn(0);
}

/* The view of the front for a method's loop. */
typedef struct {
  sb_minimizer       *minimizer;
  const sb_potential *potential;
  sb_minimize_report *report;
  PetscInt            judged; /* the number of the last iterate, -1: none */
  bool                done;
} loop_front;

/* Some methods request one iterate twice. */
static PetscErrorCode judge_loop(void *front, PetscInt k, Vec z, bool *done)
{
  loop_front *f = front;

  PetscFunctionBeginUser;
  if (k > f->judged) {
    f->report->iterations = k;
    PetscCall(judge(f->minimizer, f->potential, k, z, f->report, &f->done));
    if (f->minimizer->previous) PetscCall(VecCopy(z, f->minimizer->previous));
    f->judged = k;
  }
  *done = f->done || k >= f->minimizer->iterations_max;
  PetscFunctionReturn(0);
}

static PetscErrorCode run_loop(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                               sb_minimize_report *report)
{
  loop_front    front = {minimizer, potential, report, -1, false};
  const sb_loop loop = {judge_loop, &front};
  sb_iteration  last = {0};

  PetscFunctionBeginUser;
  PetscCall(PetscLogEventBegin(minimizer->event, 0, 0, 0, 0));
  PetscCall(minimizer->method->run(minimizer->state, potential, z, &loop, &last));
  PetscCall(PetscLogEventEnd(minimizer->event, 0, 0, 0, 0));
  if (!front.done) note_iteration(minimizer, &last, report, &front.done);
  PetscFunctionReturn(0);
}

static PetscErrorCode minimize(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                               sb_minimize_report *report)
{
  bool done = false;

  PetscFunctionBeginUser;
  *report = (sb_minimize_report){.converged = !has_tolerance(minimizer),
                                 .linear_outcome = minimizer->prepared,
                                 .gradient_norm = NAN,
                                 .reason = "max_iterations reached"};
  if (!sb_outcome_accepted(minimizer->prepared)) {
    end_loop(report, false, "the first matrix could not be factored", &done);
    PetscFunctionReturn(0);
  }
  if (minimizer->method->begin) PetscCall(minimizer->method->begin(minimizer->state, potential, z));
  if (minimizer->method->run) {
    PetscCall(run_loop(minimizer, potential, z, report));
    done = true;
  } else
    PetscCall(judge(minimizer, potential, 0, z, report, &done));
  while (!done && report->iterations < minimizer->iterations_max) {
    PetscCall(iterate(minimizer, potential, z, report, &done));
    if (!done) PetscCall(judge(minimizer, potential, ++report->iterations, z, report, &done));
  }
  if (report->blocked) end_loop(report, false, "the barrier kept pinned vertices from their place", &done);
  report->accurate =
      report->converged && (!minimizer->gradient || report->gradient_norm < minimizer->gradient_tolerance);
  PetscFunctionReturn(0);
}

/* A copy of a potential for vectors on the device; made with the first. */
static PetscErrorCode take_there(sb_minimizer *minimizer, const sb_potential *potential)
{
  PetscFunctionBeginUser;
  PetscCheck(!potential->load, PETSC_COMM_SELF, PETSC_ERR_SUP, "a potential on a device has no load");
  if (!minimizer->z) {
    PetscCall(sb_on_device_enter(minimizer->device, minimizer->system));
    PetscErrorCode failed = sb_potential_create(minimizer->system, minimizer->h_seconds, &minimizer->there);
    if (!failed) failed = sb_system_create_full(minimizer->system, &minimizer->z);
    PetscCall(sb_on_device_leave(minimizer->device, minimizer->system));
    PetscCall(failed);
  }
  minimizer->there->end_seconds = potential->end_seconds;
  minimizer->there->x = potential->x;
  PetscCall(sb_vec_send(potential->y, minimizer->there->y));
  PetscCall(sb_vec_send(potential->coast, minimizer->there->coast));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_minimizer_continue(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                     sb_minimize_report *report)
{
  PetscFunctionBeginUser;
  if (!minimizer->device || sb_vec_device(z) == minimizer->device) {
    PetscCall(minimize(minimizer, potential, z, report));
    PetscFunctionReturn(0);
  }
  PetscCall(take_there(minimizer, potential));
  PetscCall(sb_vec_send(z, minimizer->z));
  PetscCall(minimize(minimizer, minimizer->there, minimizer->z, report));
  PetscCall(VecCopy(minimizer->z, z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_minimizer_run(sb_minimizer *minimizer, const sb_potential *potential, Vec z,
                                sb_minimize_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(sb_potential_start(potential, minimizer->start, z));
  PetscCall(sb_minimizer_continue(minimizer, potential, z, report));
  PetscFunctionReturn(0);
}
