/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Driver `statics`: where does it come to rest, and how far does it give?
 *
 * Newton on E - sum m g.x - load.x from the initial pose, by the proximal-point iteration of
 * solvers/minimize/equilibrium.h with the case's minimiser inside. The residual that decides, and the column
 * gradient_norm, are sums of forces computed without the minimiser's potential. Afterwards the exact Hessian of the
 * springs shows the effect of small disturbances (solvers/minimize/stationary.h). A sheet pulled in its plane may rest
 * in it only because no force pushed it out. One that hangs from a single vertex may turn about it: that mode has no
 * stiffness, and the rest is neutral.
 *
 * Displacements are measured along one axis: the load's direction when there is a load, else gravity's. */
#include <math.h>
#include <string.h>

#include "drivers/components.h"
#include "drivers/edge_load.h"
#include "drivers/setup.h"
#include "solvers/minimize/equilibrium.h"
#include "solvers/minimize/stationary.h"

static const sb_column columns[] = {
    {"gradient_norm", "N", "2-norm of the sum of forces on free vertices, recomputed", .timing = false},
    {"gradient_tolerance", "N", "tolerance on this norm", .valid_if_diverged = true},
    {"proximal_steps", "", "steps of the proximal-point iteration", .timing = false},
    {"minimizer_iterations", "", "minimiser iterations of all steps", .timing = false},
    {"linear_iterations", "", "linear iterations of all steps", .timing = false},
    {"residual_worst", "", "largest relative residual of a linear solve", .timing = false},
    SB_LINEAR_USED_COLUMN,
    {"solve_s", "s", "median time to the equilibrium", .timing = true},
    {"noisy", "", "why the machine was too noisy: rule and value; blank: it was quiet", .timing = true,
     .kind = SB_COLUMN_WORD},
    {"energy_elastic", "J", "energy in the springs", .timing = false},
    {"energy_gravity", "J", "-sum m g.x", .timing = false},
    {"energy_load", "J", "-load.(x - x at the start)", .timing = false},
    {"sag", "m", "largest displacement of a vertex along gravity, or along the load without gravity", .timing = false},
    {"displacement", "m", "mean displacement of the loaded row along the load, or along gravity without load",
     .timing = false},
    {"load_stiffness", "N/m", "edge_load over displacement", .timing = false},
    {"pin_force", "N", "force of the springs on all pinned vertices along the load, or along gravity without load",
     .timing = false},
    {"strain_max", "", "largest |length/rest length - 1|", .timing = false},
    {"stability", "",
     "stability of the springs there: stable, neutral (a mode without stiffness) or unstable if the least eigenvalue "
     "of the exact Hessian is above, within or below stability_tolerance of 0; blank: rows of the Hessian are replaced",
     .kind = SB_COLUMN_WORD},
    {"stability_tolerance", "N/m",
     "1e-12 of the largest stiffness + (gradient_norm + rounding of forces) over the least rest length",
     .timing = false},
    {"row_vertices", "", "free vertices of the last row, which share the load", .valid_if_diverged = true},
};

typedef struct {
  const sb_case        *c;
  sb_recorder          *recorder;
  sb_setup              setup;
  sb_edge_load          load;
  Vec                   start; /* full: the initial pose */
  double                gravity_axis[3], axis[3];
  bool                  flat; /* the net starts in a plane and nothing pushes it out */
  sb_equilibrium_report report;
} run;

/* Contact by a filter on velocities is not a force, and has no effect at rest. */
static bool check_contact(const sb_options *options, sb_diagnostics *diagnostics)
{
  if (!SB_IS(options, contact, "none") && !SB_IS(options, contact, "penalty"))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(contact)), "E106",
                       "driver 'statics' does not support contact=%s, which acts on velocities, and these are 0 at "
                       "rest; set contact=penalty",
                       SB_TEXT(options, contact));
  if (!SB_IS(options, contact, "none") && SB_REAL(options, friction) > 0)
    return sb_error_at(
        diagnostics, sb_options_blame(options, SB_ID(friction)), "E106",
        "driver 'statics' has no friction, as the equilibrium would depend on the path to it; leave it out");
  if (!SB_IS(options, self_contact, "none"))
    return sb_error_at(diagnostics, sb_options_blame(options, SB_ID(self_contact)), "E106",
                       "driver 'statics' does not support self_contact: its equilibrium has springs, loads and "
                       "contact=penalty; leave it out");
  return true;
}

static bool check_statics(const sb_case *c, const sb_pose *pose, sb_diagnostics *diagnostics)
{
  const double *direction = SB_VECTOR(c->options, load_direction);
  bool          good = check_contact(c->options, diagnostics);
  if (SB_REAL(c->options, edge_load) != 0 && direction[0] == 0 && direction[1] == 0 && direction[2] == 0)
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(load_direction)), "E104",
                       "edge_load needs a load_direction, and %s has none", SB_TEXT(c->options, load_direction));
  const double *wind = SB_VECTOR(c->options, air_velocity);
  if (SB_REAL(c->options, air_resistance) != 0 && (wind[0] != 0 || wind[1] != 0 || wind[2] != 0))
    good = sb_error_at(diagnostics, sb_options_blame(c->options, SB_ID(air_velocity)), "E106",
                       "driver 'statics' has no force of moving air; choose field=wind, or leave air_velocity out");
  good = sb_edge_load_check(c->options, pose, diagnostics) && good;
  return sb_components_check(c->options, pose, diagnostics) && good;
}

static void choose_axes(run *r)
{
  const double *g = r->setup.system->gravity, size = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
  for (int c = 0; c < 3; ++c) {
    r->gravity_axis[c] = size > 0 ? g[c] / size : r->load.direction[c];
    r->axis[c] = r->load.newtons != 0 ? r->load.direction[c] : r->gravity_axis[c];
  }
}

/* Everything in one plane z, and no force out of it. */
static PetscErrorCode find_flatness(run *r)
{
  Vec       forces = NULL;
  PetscReal reach[2]; /* of z, of f_z */

  PetscFunctionBeginUser;
  PetscCall(sb_system_create_full(r->setup.system, &forces));
  PetscCall(sb_equilibrium_forces(r->setup.system, r->load.force, r->start, forces));
  PetscCall(VecStrideNorm(forces, 2, NORM_INFINITY, &reach[1]));
  PetscCall(VecStrideMax(r->start, 2, NULL, &reach[0]));
  PetscReal least;
  PetscCall(VecStrideMin(r->start, 2, NULL, &least));
  r->flat = reach[0] == least && reach[1] == 0;
  PetscCall(VecDestroy(&forces));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_step(void *context, const sb_equilibrium_report *report)
{
  run *r = context;

  PetscFunctionBeginUser;
  const double started = sb_profile_start_check(&r->setup.profile);
  PetscCall(sb_recorder_step(r->recorder, report->steps, report->iterations, report->linear_iterations,
                             report->residual, sb_outcome_name(report->linear_outcome)));
  sb_recorder_progress(r->recorder, report->steps);
  sb_profile_stop_check(&r->setup.profile, started);
  PetscFunctionReturn(0);
}

static PetscErrorCode find(run *r)
{
  const sb_equilibrium_report *report = &r->report;
  const sb_equilibrium_request request = {.load = r->load.force, .monitor = record_step, .context = r};
  sb_median                    median;

  PetscFunctionBeginUser;
  PetscCall(sb_recorder_watch_begin(r->recorder));
  sb_recorder_progress_begin(r->recorder, "step", 0, 0);
  const double *check = &r->setup.profile.seconds[SB_PHASE_CHECK], started = sb_clock_seconds() - *check;
  PetscCall(sb_equilibrium_find(r->setup.system, r->c->options, &request, r->setup.x, &r->report));
  PetscCall(sb_recorder_word(r->recorder, "linear_used", report->package));
  PetscCall(sb_recorder_sample(r->recorder, "solve", 0, sb_clock_seconds() - *check - started));
  PetscCall(sb_recorder_watch_end(r->recorder, "solve"));
  PetscCall(sb_recorder_interval(r->recorder, "solve", &median));
  PetscCall(sb_recorder_real(r->recorder, "solve_s", median.value));
  PetscCall(sb_recorder_accuracy(r->recorder, report->converged));
  if (report->converged) PetscFunctionReturn(0);
  PetscCall(sb_recorder_status(
      r->recorder, SB_CASE_NOT_CONVERGED, "%s: forces of %.3g N remain after %ld steps, above the allowed %.3g N%s",
      report->reason, report->gradient_norm, report->steps, report->tolerance,
      r->flat ? " (E213: the net is flat and nothing acts across its plane, where it has no stiffness of its own; "
                "a perturbation, or a force across it, may help)"
              : ""));
  PetscFunctionReturn(0);
}

/* Largest (x - start) along the axis. */
static PetscErrorCode largest_displacement(const run *r, const double axis[3], double *metres)
{
  const double *from, *to;

  PetscFunctionBeginUser;
  *metres = -PETSC_MAX_REAL;
  PetscCall(VecGetArrayRead(r->start, &from));
  PetscCall(VecGetArrayRead(r->setup.x, &to));
  for (PetscInt i = 0; i < r->setup.system->owned; ++i) {
    double moved = 0;
    for (int c = 0; c < 3; ++c) moved += axis[c] * (to[3 * i + c] - from[3 * i + c]);
    *metres = fmax(*metres, moved);
  }
  PetscCall(VecRestoreArrayRead(r->setup.x, &to));
  PetscCall(VecRestoreArrayRead(r->start, &from));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, metres, 1, MPI_DOUBLE, MPI_MAX, r->c->comm));
  PetscFunctionReturn(0);
}

static PetscErrorCode force_on_pins(const run *r, double *newtons)
{
  const sb_system *system = r->setup.system;
  Vec              forces = NULL;
  const double    *force;

  PetscFunctionBeginUser;
  *newtons = 0;
  PetscCall(sb_system_create_full(system, &forces));
  PetscCall(sb_system_elastic_forces(system, r->setup.x, forces));
  PetscCall(VecGetArrayRead(forces, &force));
  for (PetscInt i = 0; i < system->owned; ++i)
    for (int c = 0; system->pinned[i] && c < 3; ++c) *newtons += r->axis[c] * force[3 * i + c];
  PetscCall(VecRestoreArrayRead(forces, &force));
  PetscCallMPI(MPI_Allreduce(MPI_IN_PLACE, newtons, 1, MPI_DOUBLE, MPI_SUM, r->c->comm));
  PetscCall(VecDestroy(&forces));
  PetscFunctionReturn(0);
}

static PetscErrorCode assemble(const void *context, double shift, Mat matrix)
{
  const run *r = context;
  return sb_system_assemble_hessian(r->setup.system, SB_HESSIAN_EXACT, shift, r->setup.x, matrix);
}

/* A matrix with replaced rows is not symmetric, so it does not decide stability. */
static PetscErrorCode record_stability(run *r)
{
  static const char *const words[] = {NULL, "stable", "neutral", "unstable"}; /* of an sb_point */
  sb_system *const         system = r->setup.system;
  double                   tolerance = 0;
  sb_point                 kind;

  PetscFunctionBeginUser;
  if (!sb_system_is_symmetric(system)) PetscFunctionReturn(0);
  PetscCall(sb_point_tolerance(system, r->setup.x, r->report.gradient_norm, &tolerance));
  PetscCall(sb_point_find(system, r->c->options, (sb_hessian_of_point){assemble, r}, tolerance, 0, &kind));
  PetscCall(sb_recorder_word(r->recorder, "stability", words[kind]));
  PetscCall(sb_recorder_real(r->recorder, "stability_tolerance", tolerance));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_energies(run *r)
{
  sb_energies energies;
  double      work = 0, before = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_system_energies(r->setup.system, r->setup.x, r->setup.v, &energies));
  if (r->load.force) {
    PetscCall(VecDot(r->load.force, r->setup.x, &work));
    PetscCall(VecDot(r->load.force, r->start, &before));
  }
  PetscCall(SB_RECORD(r->recorder, {"energy_elastic", energies.elastic}, {"energy_gravity", energies.gravity},
                      {"energy_load", before - work}, {"strain_max", energies.strain_max}));
  PetscFunctionReturn(0);
}

static PetscErrorCode record_answers(run *r)
{
  const sb_equilibrium_report *report = &r->report;
  double                       sag = 0, displacement = 0, force = 0;

  PetscFunctionBeginUser;
  PetscCall(SB_RECORD(r->recorder, {"gradient_norm", report->gradient_norm}, {"gradient_tolerance", report->tolerance},
                      {"proximal_steps", (double)report->steps}, {"minimizer_iterations", (double)report->iterations},
                      {"linear_iterations", (double)report->linear_iterations}, {"residual_worst", report->residual}));
  PetscCall(record_energies(r));
  PetscCall(largest_displacement(r, r->gravity_axis, &sag));
  PetscCall(sb_edge_load_displacement(r->setup.system, &r->load, r->axis, r->start, r->setup.x, &displacement));
  PetscCall(force_on_pins(r, &force));
  PetscCall(SB_RECORD(r->recorder, {"sag", sag}, {"displacement", displacement}));
  if (r->load.newtons != 0) PetscCall(sb_recorder_real(r->recorder, "load_stiffness", r->load.newtons / displacement));
  PetscCall(sb_recorder_real(r->recorder, "pin_force", force));
  PetscCall(record_stability(r));
  PetscCall(sb_recorder_real(r->recorder, "row_vertices", (double)r->load.row));
  PetscFunctionReturn(0);
}

static PetscErrorCode run_statics(const sb_case *c, sb_recorder *recorder)
{
  run r = {.c = c, .recorder = recorder};

  PetscFunctionBeginUser;
  PetscCall(sb_setup_create(c, check_statics, SB_SETUP_WHOLE, recorder, &r.setup));
  PetscCall(VecDuplicate(r.setup.x, &r.start));
  PetscCall(VecCopy(r.setup.x, r.start));
  PetscCall(VecZeroEntries(r.setup.v));
  PetscCall(sb_edge_load_create(r.setup.system, c->options, r.start, &r.load));
  choose_axes(&r);
  PetscCall(find_flatness(&r));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){0, 0, 0, false}));
  PetscCall(find(&r));
  PetscCall(sb_setup_record_frame(&r.setup, recorder, (sb_frame_stamp){1, r.report.steps, 0, true}));
  PetscCall(record_answers(&r));
  PetscCall(sb_edge_load_clear(&r.load));
  PetscCall(VecDestroy(&r.start));
  PetscCall(sb_setup_destroy(&r.setup));
  PetscFunctionReturn(0);
}

const sb_driver sb_driver_statics = {
    .name = "statics",
    .summary = "the equilibrium under gravity and an edge load, with sag, stiffness and stability",
    .uses = "minimizer max_iterations step_tolerance gradient_tolerance start pin_method pin_weight edge_load "
            "load_direction",
    /* A hanging net has buckled springs and starts far from rest, where the table's projected Hessian converges slowly.
     */
    .defaults = "hessian=blended step=armijo",
    SB_COLUMNS(columns),
    .check = check_statics,
    .run = run_statics,
};
