/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `convergence`: how fast does a minimiser get there?
 *
 * The simulation is advanced by one search of the reference minimiser (reference.h), so every method starts from the
 * same states, independently of its own convergence. At each frame of measure_frames the reference looks for the
 * deepest minimum, and the case's method starts from that state twice. The first run is recorded (g, its excess over
 * the minimum g*, |grad g|, distance to that minimum, work) and ends by option budget. The second, left out if the case
 * is not timed, is timed, with only a reading of the clock between iterations. Both runs make the same iterates. Work
 * is in iterations of local-global by flops, the same on every machine (model/system/flops.h). Means over frames are
 * arithmetic; medians and ranges are given too, as frames differ. A linear solve that is not accepted ends that frame's
 * curve and becomes the status of the case. */
#include <math.h>

#include "base/allocate.h"
#include "drivers/curve.h"
#include "drivers/reference_motion.h"
#include "drivers/setup.h"

/* The numbers of iterations after which there are columns of the error, of its spread over frames, and of the time; the
 * columns of the first error and of the first time describe the others. */
#define ERRORS_AFTER(X)  X(2), X(3), X(4), X(5), X(6), X(7), X(10), X(20), X(50), X(100), X(1000)
#define SPREADS_AFTER(X) X(1), X(2), X(5), X(10), X(100), X(1000)
#define SECONDS_AFTER(X) X(10), X(100), X(1000)

/* Part of |f_ext|_2. With a smaller |grad g|_2 a minimum is nearer than the last target in place. */
#define GRADIENT_LEFT 1e-10

#define NUMBER(k) k
#define ERROR(k)                                                                                                       \
  {                                                                                                                    \
    "error_" #k, "", "after " #k " iterations", .timing = false                                                        \
  }
/* Other statistics of a milestone over the measured frames than its mean. */
#define SPREAD(k)                                                                                                      \
  {"error_" #k "_median", "", "after " #k ", the median over frames", .timing = false},                                \
      {"error_" #k "_least", "", "after " #k ", the least of a frame", .timing = false},                               \
  {                                                                                                                    \
    "error_" #k "_largest", "", "after " #k ", the largest of a frame", .timing = false                                \
  }
#define SECONDS(k)                                                                                                     \
  {                                                                                                                    \
    "seconds_" #k, "s", "time of " #k " iterations", .timing = true                                                    \
  }

/* A cost until a measure is at most a power of ten. */
#define TARGET(cost, unit, of, what, power, ...)                                                                       \
  {                                                                                                                    \
#cost "_to_" of "1e" #power, unit, #cost " until " what " is at most 1e-" #power, __VA_ARGS__                      \
  }
#define TARGETS(cost, unit, of, what, ...)                                                                             \
  TARGET(cost, unit, of, what, 1, __VA_ARGS__), TARGET(cost, unit, of, what, 2, __VA_ARGS__),                          \
      TARGET(cost, unit, of, what, 3, __VA_ARGS__), TARGET(cost, unit, of, what, 4, __VA_ARGS__),                      \
      TARGET(cost, unit, of, what, 5, __VA_ARGS__), TARGET(cost, unit, of, what, 6, __VA_ARGS__)
#define ERROR_TARGETS(cost, unit, ...)                                                                                 \
  TARGETS(cost, unit, "", "the error", __VA_ARGS__), TARGET(cost, unit, "", "the error", 7, __VA_ARGS__),              \
      TARGET(cost, unit, "", "the error", 8, __VA_ARGS__)
#define OTHER_TARGETS(cost, unit, ...)                                                                                 \
  TARGETS(cost, unit, "place_", "the place |z - z*|_inf over the motion of the step", __VA_ARGS__),                    \
      TARGETS(cost, unit, "residual_", "|grad g|_inf over that at the start", __VA_ARGS__),                            \
      TARGETS(cost, unit, "force_", "|grad g|_2 over |f_ext|_2, if no frame ended indefinite,", __VA_ARGS__)

static const sb_column columns[] = {
    {"error_1", "", "relative error (g - g*)/(g0 - g*) after 1 iteration, mean over frames", .timing = false},
    ERRORS_AFTER(ERROR),
    SPREADS_AFTER(SPREAD),
    {"error_final", "", "after the last iteration", .timing = false},
    {"deviation_final", "m", "largest coordinate of z - z* after the last iteration, over all frames measured",
     .timing = false},
    {"iterations_final", "", "iterations of the longest frame", .timing = false},
    ERROR_TARGETS(iterations, "", .timing = false),
    {"seconds_1", "s", "time of 1 iteration", .timing = true},
    SECONDS_AFTER(SECONDS),
    {"seconds_final", "s", "time to the last iteration", .timing = true},
    ERROR_TARGETS(seconds, "s", .timing = true),
    OTHER_TARGETS(iterations, "", .timing = false),
    OTHER_TARGETS(seconds, "s", .timing = true),
    ERROR_TARGETS(work, "", .operations = true),
    OTHER_TARGETS(work, "", .operations = true),
    {"work_final", "", "work to the last iteration, in iterations of local-global by flops", .operations = true},
    {"setup_work", "", "work to create the minimiser, likewise", .operations = true},
    {"factor_price", "",
     "flops of assembling and factoring the Hessian by linear=panel, in iterations of CG with products H p; the same "
     "for every method",
     .timing = false},
    {"h2k_over_m", "", "h^2 times the mean stiffness of springs, over the mean mass of vertices", .timing = false},
    {"energies", "", "evaluations of g, over all frames measured", .timing = false},
    {"gradients", "", "of its gradient", .timing = false},
    {"curvatures", "", "of p.H p", .timing = false},
    {"products", "", "of H p", .timing = false},
    {"assemblies", "", "matrices or diagonal blocks assembled", .timing = false},
    {"factorizations", "", "matrices factored, or preconditioners built", .timing = false},
    {"solves", "", "right-hand sides solved", .timing = false},
    {"passes", "", "passes of local steps or of Gauss-Seidel", .timing = false},
    {"other_minimum", "",
     "frames that ended with almost no gradient (1e-6 of the external forces) and a positive definite Hessian, but "
     "1e-3 of the motion or more from the reference: in another minimum",
     .timing = false},
    {"ended_lower", "", "of these, with a lower g than the reference, beyond rounding", .timing = false},
    {"indefinite_final", "",
     "frames whose last iterate has an exact Hessian that is not positive definite: not at a minimum", .timing = false},
    {"objective_final", "J", "g of the last iterate of the last frame measured", .timing = false},
    {"force_final", "", "|grad g|_2 over the external forces after the last iteration", .timing = false},
    {"place_error_final", "", "|z - z*|_inf over the motion of the step after the last iteration", .timing = false},
    {"residual_final", "", "|grad g|_inf over that at the start after the last iteration", .timing = false},
    {"reaction_error_final", "",
     "error of the force of pinned vertices on the others, from the momentum, after the last iteration",
     .timing = false},
    {"linear_iterations_mean", "", "linear iterations per iteration of the minimiser", .timing = false},
    SB_ENDED_COLUMN,
    SB_LINEAR_USED_COLUMN,
    SB_NOT_COUNTED_COLUMN,
    {"projected_mean", "", "share of iterations whose Hessian was indefinite and projected; blank: not adaptive",
     .timing = false},
    {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"setup_s", "s", "time to create the minimiser, including its only factorisation", .timing = true},
    {"nnz_factor", "", "entries of the last Cholesky factor", .timing = false},
    {"reference_gradient", "N", "largest |grad g| of the reference minimum", .timing = false},
    {"reference_objective", "J", "g at the reference minimum of the last frame measured", .timing = false},
    {"reference_saddles", "", "saddles of g left by the searches of the reference, in all frames", .timing = false},
    {"below_reference", "J",
     "largest amount by which g of an iterate was below the reference minimum, beyond rounding; 0: never; errors in g "
     "are too small by this amount",
     .timing = false},
    {"motion", "m", "denominator of errors of place in that frame: max(|z* - x|_inf, h^2 |gravity|)", .timing = false},
    {"frames_measured", "", "frames in the means", .timing = false},
    {"frames_at_minimum", "", "frames not in the means: their start was already the minimum, to rounding",
     .timing = false},
    SB_DEVICE_COLUMNS,
    {"transfer_s", "s", "copies to and from the device for one step, which are not in the curves", .timing = true},
};

typedef struct {
  const sb_case       *c;
  sb_recorder         *recorder;
  sb_setup             setup;
  sb_potential        *potential;
  sb_reference        *reference;
  sb_reference_motion *shared;
  sb_minimizer        *minimizer;
  int64_t              minimisations, timed;
  double               transfer_s;    /* of the timed ones, without those between two readings of the clock */
  double               transferred_s; /* at the last reading */
  Vec                  z, minimum, difference, gradient;
  Vec                  end; /* of the step in the motion of the reference */
  sb_curve             curve;
  sb_mean_curve        mean;
  double               started_seconds, started_check, setup_seconds, reference_gradient;
  long                 reference_saddles;
  double   unit, budget, started_flops, setup_flops; /* flops of an iteration of local-global; in those; flops */
  double   external, rounding;                       /* N: |f_ext|_2; |grad g|_2 of rounding errors at the minimum */
  long     operations[SB_OPERATION_COUNT];
  long     other_minimum, ended_lower, indefinite; /* frames */
  double   motion, objective_minimum;              /* m, J: of the current step */
  double   objective_final;                        /* J */
  double   deviation, deviation_final;             /* |z - z*|_inf of the current iterate; largest last one */
  long     iterations, linear_iterations, projected;
  size_t   frame_count;
  int64_t *frames;  /* frames to measure; NULL: the last */
  bool     refused; /* the reference could not be found */
} run;

static bool is_measured(const run *r, int64_t frame)
{
  if (r->frame_count == 0) return frame == r->c->time.frames;
  for (size_t i = 0; i < r->frame_count; ++i)
    if (r->frames[i] == frame) return true;
  return false;
}

/* Seconds of copies so far. */
static double transfers(const sb_minimizer *minimizer)
{
  const sb_device          *device = sb_minimizer_device(minimizer);
  const sb_device_measures *measures = device ? sb_device_measured(device) : NULL;
  return measures ? measures->to_device_s + measures->from_device_s : 0;
}

/* Timed pass, as long as the recorded one was: time since the start, less the harness's own time for checks. */
static PetscErrorCode watch_clock(void *context, PetscInt k, Vec z, bool *stop)
{
  run         *r = context;
  const double now = sb_clock_seconds(), check = r->setup.profile.seconds[SB_PHASE_CHECK];

  PetscFunctionBeginUser;
  (void)z;
  *stop = (size_t)k + 1 == r->curve.count;
  if (k == 0) {
    r->started_seconds = now;
    r->started_check = check;
    r->transferred_s = transfers(r->minimizer);
  }
  r->transfer_s -= transfers(r->minimizer) - r->transferred_s;
  r->transferred_s = transfers(r->minimizer);
  r->curve.seconds[k] = now - r->started_seconds - (check - r->started_check);
  PetscFunctionReturn(0);
}

/* R = sum m (z - y)/h^2 over unknown vertices: by momentum, the force of pinned vertices on them. */
static PetscErrorCode find_reaction(const run *r, Vec z, double reaction[3])
{
  const sb_system *system = r->setup.system;
  const double     square = r->c->time.h_seconds * r->c->time.h_seconds;
  const double    *place, *y;

  PetscFunctionBeginUser;
  reaction[0] = reaction[1] = reaction[2] = 0;
  PetscCall(VecGetArrayRead(z, &place));
  PetscCall(VecGetArrayRead(r->potential->y, &y));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    for (PetscInt c = 0; c < 3; ++c) reaction[c] += system->mass[i] / square * (place[3 * i + c] - y[3 * i + c]);
  }
  PetscCall(VecRestoreArrayRead(r->potential->y, &y));
  PetscCall(VecRestoreArrayRead(z, &place));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, reaction, 3, MPI_DOUBLE, MPI_SUM, system->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode compare_reactions(const run *r, Vec z, double *error)
{
  double here[3], there[3];

  PetscFunctionBeginUser;
  PetscCall(find_reaction(r, z, here));
  PetscCall(find_reaction(r, r->minimum, there));
  const double size = hypot(hypot(there[0], there[1]), there[2]);
  *error = hypot(hypot(here[0] - there[0], here[1] - there[1]), here[2] - there[2]) / size;
  PetscFunctionReturn(0);
}

static PetscErrorCode find_strain(const run *r, Vec z, double *strain)
{
  const double *place;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(r->setup.system, z, &place));
  *strain = sb_kernel_strain_max(&r->setup.system->springs, place);
  PetscCall(sb_system_end_read(r->setup.system, z, &place));
  if (r->setup.system->ranks > 1)
    PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, strain, 1, MPI_DOUBLE, MPI_MAX, r->setup.system->comm));
  PetscFunctionReturn(0);
}

/* The motion of the vertices in a step, at least that by gravity. */
static PetscErrorCode find_motion(run *r)
{
  const double *g = r->setup.system->gravity, h = r->c->time.h_seconds;

  PetscFunctionBeginUser;
  PetscCall(VecWAXPY(r->difference, -1, r->setup.x, r->minimum));
  PetscCall(VecNorm(r->difference, NORM_INFINITY, &r->motion));
  r->motion = fmax(r->motion, h * h * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]));
  PetscFunctionReturn(0);
}

/* True if there is a budget and it is spent, or the last target of every metric is met, or so little gradient is left
 * that no target will be met that is not. */
static bool is_enough(const run *r, size_t k)
{
  const sb_curve *c = &r->curve;
  const double    gradient = c->gradient_norm[k];
  if (r->budget == 0) return false;
  return c->work[k] >= r->budget || gradient <= fmax(r->rounding, GRADIENT_LEFT * r->external) ||
         (c->objective[k] - r->objective_minimum <= 1e-8 * (c->objective[0] - r->objective_minimum) &&
          c->place_error[k] <= 1e-6 && c->gradient_largest[k] <= 1e-6 * c->gradient_largest[0] &&
          (r->external == 0 || gradient <= 1e-6 * r->external));
}

static PetscErrorCode watch_error(void *context, PetscInt k, Vec z, bool *stop)
{
  run   *r = context;
  double flops;

  PetscFunctionBeginUser;
  PetscCall(sb_setup_flops(&r->setup, &flops));
  if (k == 0) r->started_flops = flops;
  r->curve.count = (size_t)k;
  sb_curve_extend(&r->curve);
  PetscCall(sb_potential_value(r->potential, z, &r->curve.objective[k]));
  PetscCall(sb_potential_gradient(r->potential, z, r->gradient));
  PetscCall(VecNorm(r->gradient, NORM_2, &r->curve.gradient_norm[k]));
  PetscCall(VecNorm(r->gradient, NORM_INFINITY, &r->curve.gradient_largest[k]));
  PetscCall(VecWAXPY(r->difference, -1, r->minimum, z));
  PetscCall(VecNorm(r->difference, NORM_2, &r->curve.distance[k]));
  PetscCall(VecNorm(r->difference, NORM_INFINITY, &r->deviation));
  r->curve.place_error[k] = r->deviation / r->motion;
  PetscCall(compare_reactions(r, z, &r->curve.reaction_error[k]));
  PetscCall(find_strain(r, z, &r->curve.strain[k]));
  r->curve.work[k] = (flops - r->started_flops) / r->unit;
  *stop = is_enough(r, (size_t)k);
  PetscFunctionReturn(0);
}

typedef struct {
  const char   *name, *unit;
  const double *values;
  bool          timing;
} column;

/* Long curves are stored with every iterate to 1000, and after that with one per hundredth more: enough for a figure,
 * in a file that does not grow with a budget. The last is always stored. */
static size_t thin(size_t length, size_t *kept)
{
  size_t count = 0;
  for (size_t k = 0; k < length; k += 1 + (length > 2000 ? k / 1000 * k / 100 : 0)) kept[count++] = k;
  if (length > 0 && kept[count - 1] != length - 1) kept[count++] = length - 1;
  return count;
}

/* `length` values of each, after the numbers of their iterations. */
static PetscErrorCode record_columns(run *r, const char *curve, size_t length, const column *parts, size_t count)
{
  size_t *kept;
  double *values;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc2(length, &kept, length, &values));
  const size_t points = thin(length, kept);
  for (size_t k = 0; k < points; ++k) values[k] = (double)kept[k];
  PetscCall(sb_recorder_curve(r->recorder, &(sb_curve_name){curve, "iteration", "", false}, points, values));
  for (size_t i = 0; i < count; ++i) {
    if (r->setup.profile.uncounted && strcmp(parts[i].name, "work") == 0) continue;
    if (r->c->untimed && parts[i].timing) continue;
    const sb_curve_name name = {curve, parts[i].name, parts[i].unit, parts[i].timing};
    for (size_t k = 0; k < points; ++k) values[k] = parts[i].values[kept[k]];
    PetscCall(sb_recorder_curve(r->recorder, &name, points, values));
  }
  PetscCall(PetscFree2(kept, values));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_frame_curve(run *r, int64_t frame)
{
  const sb_curve *curve = &r->curve;
  char            name[32];
  double         *excess = NULL;

  PetscFunctionBeginUser;
  PetscCall(PetscSNPrintf(name, sizeof name, "frame_%" PetscInt_FMT, (PetscInt)frame));
  PetscCall(PetscMalloc1(curve->count, &excess));
  for (size_t k = 0; k < curve->count; ++k) excess[k] = curve->objective[k] - r->objective_minimum;
  const column parts[] = {{"objective", "J", curve->objective, false},
                          {"excess", "J", excess, false},
                          {"gradient_norm", "N", curve->gradient_norm, false},
                          {"gradient_largest", "N", curve->gradient_largest, false},
                          {"distance", "m", curve->distance, false},
                          {"place_error", "", curve->place_error, false},
                          {"reaction_error", "", curve->reaction_error, false},
                          {"strain", "", curve->strain, false},
                          {"work", "", curve->work, false},
                          {"seconds", "s", curve->seconds, true}};
  PetscCall(record_columns(r, name, curve->count, parts, sizeof parts / sizeof *parts));
  PetscCall(PetscFree(excess));
  PetscFunctionReturn(0);
}

/* Hardly any gradient is left at the last iterate. */
static bool is_nearly_still(const run *r)
{
  const sb_curve *c = &r->curve;
  return c->gradient_norm[c->count - 1] <= 1e-6 * (r->external > 0 ? r->external : c->gradient_norm[0]);
}

/* Curves go on without a tolerance. The reference has made more factorisations than the answer needs. */
static PetscErrorCode judge_end(run *r, const sb_minimize_report *report)
{
  const bool met = report->accurate && sb_minimizer_tests_gradient(r->c->options);
  sb_point   kind = SB_POINT_UNKNOWN;

  PetscFunctionBeginUser;
  if (r->curve.count > 0 && (met || is_nearly_still(r)))
    PetscCall(sb_point_of_potential(r->potential, r->c->options, r->z, r->curve.gradient_norm[r->curve.count - 1],
                                    INFINITY, &kind));
  PetscCall(sb_setup_record_end(r->recorder, kind, met));
  PetscFunctionReturn(0);
}

static PetscErrorCode judge(run *r, int64_t frame, const sb_minimize_report *report)
{
  PetscFunctionBeginUser;
  r->iterations += report->iterations;
  r->linear_iterations += report->linear_iterations;
  r->projected += report->projected;
  PetscCall(sb_setup_accuracy(r->c, r->recorder, sb_outcome_accepted(report->linear_outcome) && report->accurate));
  PetscCall(judge_end(r, report));
  if (!sb_outcome_accepted(report->linear_outcome)) { /* the curve breaks off there */
    PetscCall(sb_recorder_broke_off(r->recorder));
    PetscCall(sb_recorder_status(r->recorder, sb_status_of_outcome(report->linear_outcome),
                                 "frame %lld, iteration %d: %s %s (%s)", (long long)frame, (int)report->iterations + 1,
                                 report->of_method ? "the minimizer" : "linear solve",
                                 sb_outcome_name(report->linear_outcome), report->reason));
  } else if (!report->converged)
    PetscCall(
        sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED, "frame %lld: %s", (long long)frame, report->reason));
  PetscFunctionReturn(0);
}

/* g may have several minima, and saddles. An end with hardly any gradient and a positive definite Hessian, away from
 * the reference, is another minimum. */
static PetscErrorCode note_end(run *r, double noise)
{
  const sb_curve *c = &r->curve;
  bool            definite;

  PetscFunctionBeginUser;
  if (c->count == 0) PetscFunctionReturn(0);
  const size_t last = c->count - 1;
  PetscCall(sb_reference_is_definite(r->reference, r->potential, r->z, &definite));
  r->indefinite += !definite;
  r->objective_final = c->objective[last];
  if (definite && is_nearly_still(r) && c->place_error[last] > 1e-3) {
    r->other_minimum++;
    r->ended_lower += c->objective[last] < r->objective_minimum - noise;
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode measure(run *r, int64_t frame, double noise)
{
  const sb_profile  *profile = &r->setup.profile;
  sb_minimize_report report, timed;

  PetscFunctionBeginUser;
  PetscCall(find_motion(r));
  PetscCall(sb_potential_value(r->potential, r->minimum, &r->objective_minimum));
  PetscCall(sb_potential_external_norm(r->potential, &r->external));
  PetscCall(sb_potential_rounding(r->potential, r->minimum, &r->rounding, NULL));
  for (int o = 0; o < SB_OPERATION_COUNT; ++o) r->operations[o] -= profile->operations[o];
  PetscCall(sb_minimizer_set_monitor(r->minimizer, watch_error, r));
  PetscCall(sb_minimizer_run(r->minimizer, r->potential, r->z, &report));
  r->minimisations++;
  for (int o = 0; o < SB_OPERATION_COUNT; ++o) r->operations[o] += profile->operations[o];
  PetscCall(note_end(r, noise));
  if (!r->c->untimed) {
    PetscCall(sb_minimizer_set_monitor(r->minimizer, watch_clock, r));
    r->transfer_s -= transfers(r->minimizer);
    PetscCall(sb_minimizer_run(r->minimizer, r->potential, r->z, &timed));
    r->transfer_s += transfers(r->minimizer);
    r->minimisations++;
    r->timed++;
    PetscCall(sb_recorder_watch(r->recorder, frame));
  }
  r->deviation_final = fmax(r->deviation_final, r->deviation);
  PetscCall(judge(r, frame, &report));
  PetscCall(record_frame_curve(r, frame));
  sb_mean_curve_add(&r->mean, &r->curve, r->objective_minimum, noise, r->external);
  PetscFunctionReturn(0);
}

/* Without a minimum to measure from there is nothing to go on with. */
static PetscErrorCode judge_reference(run *r, int64_t frame, const sb_reference_report *report)
{
  PetscFunctionBeginUser;
  r->reference_gradient = fmax(r->reference_gradient, report->gradient_norm);
  r->reference_saddles += report->saddles;
  if (!sb_outcome_accepted(report->outcome)) {
    r->refused = true;
    PetscCall(sb_recorder_status(r->recorder, sb_status_of_outcome(report->outcome),
                                 "frame %lld: the reference minimiser failed", (long long)frame));
  } else if (!(report->gradient_norm <= report->allowed)) {
    r->refused = true;
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED,
                                 "frame %lld: the reference minimum is only known to %.2g N, above %.2g N: errors "
                                 "relative to it would be unreliable",
                                 (long long)frame, report->gradient_norm, report->allowed));
  } else if (report->at_saddle) {
    r->refused = true;
    PetscCall(sb_recorder_status(r->recorder, SB_CASE_NOT_CONVERGED,
                                 "frame %lld: the reference minimiser left %d saddles of g and stopped at one more: "
                                 "errors relative to it would be unreliable",
                                 (long long)frame, (int)report->saddles));
  }
  if (r->refused) PetscCall(sb_recorder_broke_off(r->recorder));
  PetscFunctionReturn(0);
}

/* A measured step: the reference looks for the deepest minimum, and the method starts. */
static PetscErrorCode compare(run *r, int64_t frame, sb_reference_report *report)
{
  PetscFunctionBeginUser;
  PetscCall(VecCopy(r->end, r->minimum));
  if (!sb_reference_motion_is_known(r->shared))
    PetscCall(sb_reference_deepen(r->reference, r->potential, r->minimum, report));
  PetscCall(sb_reference_motion_pass(r->shared, r->minimum, report));
  PetscCall(judge_reference(r, frame, report));
  if (!r->refused) PetscCall(measure(r, frame, report->objective_noise));
  PetscFunctionReturn(0);
}

/* x+ = argmin g, v+ = (x+ - x)/h, by the search of the reference that advances motions. */
static PetscErrorCode advance(run *r, int64_t frame)
{
  sb_reference_report report;

  PetscFunctionBeginUser;
  PetscCall(sb_potential_set_state(r->potential, (double)(frame - 1) * r->c->time.h_seconds, r->setup.x, r->setup.v));
  if (!sb_reference_motion_is_known(r->shared))
    PetscCall(sb_reference_minimize(r->reference, r->potential, r->end, &report));
  PetscCall(sb_reference_motion_pass(r->shared, r->end, &report));
  if (is_measured(r, frame))
    PetscCall(compare(r, frame, &report));
  else
    PetscCall(judge_reference(r, frame, &report));
  if (r->refused) PetscFunctionReturn(0);
  PetscCall(VecWAXPY(r->setup.v, -1, r->setup.x, r->end));
  PetscCall(VecScale(r->setup.v, 1 / r->c->time.h_seconds));
  PetscCall(VecCopy(r->end, r->setup.x));
  PetscFunctionReturn(0);
}

/* The value of a mean curve at iteration k: that of the last one when every frame had converged before; NaN when the
 * iterations ran out or the solves failed before. */
static double value_at(const run *r, const double *values, size_t k)
{
  if (k < r->mean.count) return values[k];
  const bool finished = r->mean.count > 0 && r->mean.spread[SB_CURVE_ERROR].mean[r->mean.count - 1] < 1e-9;
  return finished ? values[r->mean.count - 1] : NAN;
}

/* Column `prefix`1, `prefix`10, ..., followed by `suffix`: the values of a mean curve after so many iterations. */
static PetscErrorCode record_at(run *r, const char *prefix, const char *suffix, const double *values, size_t count,
                                const size_t *at)
{
  char name[32];

  PetscFunctionBeginUser;
  for (size_t i = 0; i < count; ++i) {
    PetscCall(PetscSNPrintf(name, sizeof name, "%s%d%s", prefix, (int)at[i], suffix));
    PetscCall(sb_recorder_real(r->recorder, name, value_at(r, values, at[i])));
  }
  PetscFunctionReturn(0);
}

/* Columns `iterations_to_`, `work_to_` and `seconds_to_` of a metric: the first point at which its mean curve is at
 * most 1e-1, 1e-2, ...; blank if there is none. */
static PetscErrorCode record_crossings(run *r, const char *of, sb_curve_metric metric, int powers)
{
  char   name[48];
  size_t k = 0;

  PetscFunctionBeginUser;
  for (int power = 1; power <= powers; ++power) {
    while (k < r->mean.count && !(r->mean.spread[metric].mean[k] <= pow(10, -power))) ++k;
    if (k == r->mean.count) break;
    PetscCall(PetscSNPrintf(name, sizeof name, "iterations_to_%s1e%d", of, power));
    PetscCall(sb_recorder_real(r->recorder, name, (double)k));
    PetscCall(PetscSNPrintf(name, sizeof name, "work_to_%s1e%d", of, power));
    if (!r->setup.profile.uncounted) PetscCall(sb_recorder_real(r->recorder, name, r->mean.work[k]));
    PetscCall(PetscSNPrintf(name, sizeof name, "seconds_to_%s1e%d", of, power));
    if (!r->c->untimed) PetscCall(sb_recorder_real(r->recorder, name, r->mean.seconds[k]));
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode record_milestones(run *r)
{
  static const size_t of_error[] = {1, ERRORS_AFTER(NUMBER)};
  static const size_t of_spread[] = {SPREADS_AFTER(NUMBER)};
  static const size_t of_time[] = {1, SECONDS_AFTER(NUMBER)};

  PetscFunctionBeginUser;
  const sb_spread *error = &r->mean.spread[SB_CURVE_ERROR];
  const struct {
    const char   *suffix;
    const double *values;
  } spread[] = {{"_median", error->median}, {"_least", error->least}, {"_largest", error->largest}};
  PetscCall(record_at(r, "error_", "", error->mean, sizeof of_error / sizeof *of_error, of_error));
  for (size_t i = 0; i < sizeof spread / sizeof *spread; ++i)
    PetscCall(
        record_at(r, "error_", spread[i].suffix, spread[i].values, sizeof of_spread / sizeof *of_spread, of_spread));
  if (!r->c->untimed)
    PetscCall(record_at(r, "seconds_", "", r->mean.seconds, sizeof of_time / sizeof *of_time, of_time));
  PetscCall(record_crossings(r, "", SB_CURVE_ERROR, 8));
  PetscCall(record_crossings(r, "place_", SB_CURVE_PLACE, 6));
  PetscCall(record_crossings(r, "residual_", SB_CURVE_RESIDUAL, 6));
  if (r->indefinite == 0) PetscCall(record_crossings(r, "force_", SB_CURVE_FORCE, 6));
  PetscFunctionReturn(0);
}

/* The times of this repetition become samples, and those of the mean curve medians over the repetitions that count. */
static PetscErrorCode join_times(run *r)
{
  sb_mean_curve *mean = &r->mean;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_sample(r->recorder, "setup", 0, r->setup_seconds));
  if (r->c->untimed) PetscFunctionReturn(0);
  for (size_t k = 1; k < mean->count; ++k)
    PetscCall(sb_recorder_sample(r->recorder, "iterations", (int64_t)k, mean->seconds[k]));
  if (mean->count > 1) PetscCall(sb_recorder_sample(r->recorder, "all", 0, mean->seconds[mean->count - 1]));
  PetscCall(sb_recorder_watch_end(r->recorder, "all"));
  if (mean->count == 0) PetscFunctionReturn(0);
  PetscCall(sb_recorder_medians(r->recorder, "iterations", mean->count, mean->seconds));
  mean->seconds[0] = 0;
  PetscFunctionReturn(0);
}

/* h^2 k/m of the mean spring and the mean vertex. */
static PetscErrorCode find_stiffness(const run *r, double *ratio)
{
  const sb_system *system = r->setup.system;
  const double     h = r->c->time.h_seconds;
  double           sum = 0;

  PetscFunctionBeginUser;
  for (PetscInt s = 0; s < system->springs.count; ++s)
    sum += system->springs.stiffness[s] / 2 *
           ((system->springs.first[s] < system->owned) + (system->springs.second[s] < system->owned));
  if (system->ranks > 1) PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  *ratio = h * h * sum / system->springs_global * (double)system->vertices / system->mass_total;
  PetscFunctionReturn(0);
}

static PetscErrorCode record_work(run *r)
{
  double stiffness = NAN;

  PetscFunctionBeginUser;
  PetscCall(find_stiffness(r, &stiffness));
  const char *uncounted = r->setup.profile.uncounted;
  if (!uncounted) PetscCall(sb_recorder_real(r->recorder, "work_final", r->mean.work[r->mean.count - 1]));
  if (!uncounted) PetscCall(sb_recorder_real(r->recorder, "setup_work", r->setup_flops / r->unit));
  PetscCall(SB_RECORD(r->recorder, {"factor_price", sb_reference_price(r->reference, r->setup.system)},
                      {"h2k_over_m", stiffness}));
  PetscCall(sb_recorder_word(r->recorder, "not_counted", uncounted));
  PetscCall(SB_RECORD(r->recorder, {"other_minimum", (double)r->other_minimum}, {"ended_lower", (double)r->ended_lower},
                      {"indefinite_final", (double)r->indefinite}));
  for (int o = 0; o < SB_OPERATION_COUNT; ++o)
    PetscCall(sb_recorder_real(r->recorder, sb_operation_name((sb_operation)o), (double)r->operations[o]));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_mean(run *r)
{
  sb_mean_curve *mean = &r->mean;
  sb_median      setup;

  PetscFunctionBeginUser;
  sb_mean_curve_finish(mean);
  PetscCall(join_times(r));
  PetscCall(sb_recorder_interval(r->recorder, "setup", &setup));
  PetscCall(SB_RECORD(r->recorder, {"frames_measured", (double)mean->frames},
                      {"frames_at_minimum", (double)mean->at_minimum}, {"reference_gradient", r->reference_gradient},
                      {"reference_saddles", (double)r->reference_saddles}, {"setup_s", setup.value}));
  if (mean->frames == 0) PetscFunctionReturn(0);
  PetscCall(SB_RECORD(r->recorder, {"reference_objective", r->objective_minimum}, {"below_reference", mean->below},
                      {"motion", r->motion}));
  const sb_spread *error = &mean->spread[SB_CURVE_ERROR], *gradient = &mean->spread[SB_CURVE_GRADIENT];
  const sb_spread *place = &mean->spread[SB_CURVE_PLACE];
  const column     parts[] = {{"relative_error", "", error->mean, false},
                              {"relative_error_median", "", error->median, false},
                              {"relative_error_least", "", error->least, false},
                              {"relative_error_largest", "", error->largest, false},
                              {"gradient_ratio", "", gradient->mean, false},
                              {"gradient_ratio_median", "", gradient->median, false},
                              {"gradient_ratio_least", "", gradient->least, false},
                              {"gradient_ratio_largest", "", gradient->largest, false},
                              {"place_error", "", place->mean, false},
                              {"place_error_median", "", place->median, false},
                              {"place_error_least", "", place->least, false},
                              {"place_error_largest", "", place->largest, false},
                              {"residual", "", mean->spread[SB_CURVE_RESIDUAL].mean, false},
                              {"force", "", mean->spread[SB_CURVE_FORCE].mean, false},
                              {"reaction_error", "", mean->spread[SB_CURVE_REACTION].mean, false},
                              {"work", "", mean->work, false},
                              {"seconds", "s", mean->seconds, true}};
  PetscCall(record_columns(r, "mean", mean->count, parts, sizeof parts / sizeof *parts));
  PetscCall(SB_RECORD(r->recorder, {"error_final", error->mean[mean->count - 1]},
                      {"place_error_final", place->mean[mean->count - 1]},
                      {"residual_final", mean->spread[SB_CURVE_RESIDUAL].mean[mean->count - 1]},
                      {"reaction_error_final", mean->spread[SB_CURVE_REACTION].mean[mean->count - 1]},
                      {"deviation_final", r->deviation_final}, {"objective_final", r->objective_final},
                      {"force_final", mean->spread[SB_CURVE_FORCE].mean[mean->count - 1]}));
  if (!r->c->untimed) PetscCall(sb_recorder_real(r->recorder, "seconds_final", mean->seconds[mean->count - 1]));
  PetscCall(sb_recorder_real(r->recorder, "iterations_final", (double)(mean->count - 1)));
  if (r->iterations > 0) {
    const double iterations = (double)r->iterations;
    PetscCall(sb_recorder_real(r->recorder, "linear_iterations_mean", (double)r->linear_iterations / iterations));
    PetscCall(sb_setup_projected(r->c, r->recorder, (double)r->projected / iterations));
  }
  const sb_factor_facts *facts = sb_linear_solver_facts(sb_minimizer_linear(r->minimizer));
  PetscCall(sb_recorder_real(r->recorder, "nnz_factor", facts->nonzeros_factor));
  PetscCall(sb_recorder_word(r->recorder, "linear_used", facts->package));
  PetscCall(record_work(r));
  PetscCall(record_milestones(r));
  PetscFunctionReturn(0);
}

static bool check_methods(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (SB_FLAG(options, leave_saddles))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(leave_saddles)), "E106",
                       "driver 'convergence' compares minimisers, and saddles are left between two minimisations; "
                       "leave leave_saddles=true out");
  if (!SB_IS(options, integrator, "implicit_euler"))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(integrator)), "E106",
                       "driver 'convergence' minimises the potential of implicit_euler's steps; got integrator=%s",
                       SB_TEXT(options, integrator));
  if (SB_IS(options, self_contact, "barrier"))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(self_contact)), "E106",
                       "driver 'convergence' starts its reference with local_global, which does not keep layers apart; "
                       "leave self_contact=barrier out");
  if (!SB_IS(options, pin_method, "reduce") && !SB_IS(options, pin_method, "penalty"))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(pin_method)), "E106",
                       "driver 'convergence' finds its reference by factorisations that need symmetric matrices, which "
                       "pin_method '%s' does not make; choices: reduce, penalty",
                       SB_TEXT(options, pin_method));
  return true;
}

/* Only the reference minimiser advances states: other effects of a step on velocities cannot be included. */
static bool check_convergence(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  bool good = check_methods(c->options, diagnostics);
  (void)pose;
  if (c->time.steps_per_frame != 1)
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(substeps)), "E106",
                       "driver 'convergence' makes one step per frame; got substeps=%lld",
                       (long long)c->time.steps_per_frame);
  for (sb_option_id id = 0; id < sb_option_count; ++id) {
    if (!(sb_option_at(id)->traits & SB_STATES_DAMPING) || !sb_options_differ(c->options, id)) continue;
    good = sb_error_at(diagnostics, sb_options_blame(c->options, id), "E106",
                       "%s=%s with driver 'convergence': its states come from a reference motion, which is not damped "
                       "from step to step; leave it out",
                       sb_option_at(id)->name, sb_options_text(c->options, id));
  }
  return good;
}

static PetscErrorCode create(run *r)
{
  const double   h = r->c->time.h_seconds;
  SB_OWNED char *meaning = sb_reference_meaning(r->c->options);

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(r->c, check_convergence, 0, r->recorder, &r->setup));
  r->curve.arena = r->mean.arena = sb_arena_create();
  PetscCall(sb_system_create_full(r->setup.system, &r->z));
  PetscCall(sb_system_create_full(r->setup.system, &r->minimum));
  PetscCall(sb_system_create_full(r->setup.system, &r->end));
  PetscCall(sb_system_create_full(r->setup.system, &r->difference));
  PetscCall(sb_system_create_unknowns(r->setup.system, &r->gradient));
  PetscCall(sb_potential_create(r->setup.system, h, &r->potential));
  PetscCall(sb_reference_create(r->setup.system, r->c->options, h, &r->reference));
  PetscCall(sb_reference_motion_create(r->c, meaning, r->recorder, &r->shared));
  r->unit = sb_reference_unit(r->reference, r->setup.system);
  r->budget = SB_REAL(r->c->options, budget);
  if (SB_HAS(r->c->options, budget_factorizations) && r->budget > 0)
    r->budget = fmax(r->budget,
                     SB_REAL(r->c->options, budget_factorizations) * sb_reference_factor_flops(r->reference) / r->unit);
  PetscCall(sb_setup_flops(&r->setup, &r->started_flops));
  const double started = sb_clock_seconds();
  PetscCall(sb_minimizer_create(r->setup.system, r->c->options, h, "method_", &r->minimizer));
  r->setup_seconds = sb_clock_seconds() - started;
  PetscCall(sb_setup_flops(&r->setup, &r->setup_flops));
  r->setup_flops -= r->started_flops;
  sb_options_numbers(r->c->options, SB_ID(measure_frames), &r->frame_count, &r->frames);
  PetscFunctionReturn(0);
}

static PetscErrorCode destroy(run *r)
{
  PetscFunctionBeginUser;
  free(r->frames);
  sb_arena_destroy(&r->mean.arena);
  PetscCall(sb_minimizer_destroy(&r->minimizer));
  PetscCall(sb_reference_motion_destroy(&r->shared, true));
  PetscCall(sb_reference_destroy(&r->reference));
  PetscCall(sb_potential_destroy(&r->potential));
  PetscCall(VecDestroy(&r->z));
  PetscCall(VecDestroy(&r->minimum));
  PetscCall(VecDestroy(&r->end));
  PetscCall(VecDestroy(&r->difference));
  PetscCall(VecDestroy(&r->gradient));
  PetscCall(sb_setup_destroy(&r->setup));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_convergence(const sb_case *c, sb_recorder *recorder)
{
  run           r = {.c = c, .recorder = recorder};
  const int64_t frames = c->time.frames;

  PetscFunctionBeginUser;
  PetscCall(create(&r));
  if (!c->untimed) PetscCall(sb_recorder_watch_begin(recorder));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, false}));
  sb_recorder_progress_begin(recorder, "frame", 0, frames);
  for (int64_t frame = 1; frame <= frames && !r.refused; ++frame) {
    PetscCall(advance(&r, frame));
    PetscCall(sb_setup_record_frame(
        &r.setup, recorder,
        (sb_frame_stamp){frame, frame, (double)frame * c->time.h_seconds, r.refused || frame == frames}));
    sb_recorder_progress(recorder, frame);
  }
  PetscCall(record_mean(&r));
  PetscCall(sb_setup_device(sb_minimizer_device(r.minimizer), r.minimisations, recorder));
  if (sb_minimizer_device(r.minimizer) && r.timed > 0)
    PetscCall(sb_recorder_real(recorder, "transfer_s", r.transfer_s / (double)r.timed));
  PetscCall(destroy(&r));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_convergence = {
    .name = "convergence",
    .summary = "error of a minimiser against iteration and time, from the states of one reference motion",
    .uses = "integrator measure_frames reference_searches budget budget_factorizations",
    .defaults = "integrator=implicit_euler gradient_tolerance=0", /* curves go on to the end */
    SB_COLUMNS(columns),
    .check = check_convergence,
    .run = run_convergence,
};
