/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Conformance of integrators; see conform.h. Claims are measured on the oscillator x'' = -4 x, whose spring is linear,
 * and on a sheet of 16 vertices. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solvers/conform/conform.h"
#include "solvers/conform/systems.h"
#include "solvers/integrate/integrator_method.h"
#include "solvers/minimize/minimizer_method.h"

#define CHECK(holds, ...) PetscCheck(holds, PETSC_COMM_WORLD, PETSC_ERR_PLIB, __VA_ARGS__)

#define OMEGA      2.0 /* 1/s, of the oscillator */
#define OSCILLATOR "scene=oscillator", "start=previous", "linear_tolerance=1e-12"
#define SHEET                                                                                                          \
  "scene=cloth", "grid=3", "springs=triangulated", "stiffness=50", "perturbation=0.005", "pins=corners2",              \
      "initial_velocity=[0.3,0,-0.5]", "linear_tolerance=1e-12"

typedef struct {
  sb_options       *options;
  sb_pose           pose;
  sb_system        *system;
  sb_integrator    *integrator;
  Vec               x, v;
  double           *guarded[2]; /* their entries */
  sb_advance_report report;
} world;

/* As a user's values, since a scene's defaults replace all others. */
static PetscErrorCode set_pairs(sb_options *options, const char *const *pairs)
{
  PetscFunctionBeginUser;
  for (; *pairs; ++pairs)
    CHECK(sb_options_set_pair(options, *pairs, SB_FROM_USER, (sb_location){0}, NULL), "%s is refused", *pairs);
  PetscFunctionReturn(0);
}

static PetscErrorCode open_world(const sb_options *options, const char *const *pairs, double h, world *w)
{
  sb_diagnostics *diagnostics = sb_diagnostics_create();

  PetscFunctionBeginUser;
  *w = (world){.options = sb_options_copy(options)};
  PetscCall(set_pairs(w->options, pairs));
  const bool built =
      sb_scene_apply_defaults(w->options, diagnostics) && sb_scene_build(w->options, &w->pose, diagnostics);
  sb_diagnostics_destroy(&diagnostics);
  CHECK(built, "the net cannot be built");
  sb_minimizer_resolve(w->options);
  PetscCall(sb_system_create(PETSC_COMM_WORLD, &w->pose, w->options, &w->system));
  PetscCall(sb_system_create_full(w->system, &w->x));
  PetscCall(sb_system_create_full(w->system, &w->v));
  PetscCall(sb_guard_vector(w->x, &w->guarded[0]));
  PetscCall(sb_guard_vector(w->v, &w->guarded[1]));
  PetscCall(sb_system_set_state(w->system, &w->pose, w->x, w->v));
  PetscCall(sb_integrator_create(w->system, w->options, h, &w->integrator));
  PetscFunctionReturn(0);
}

static PetscErrorCode close_world(world *w)
{
  PetscFunctionBeginUser;
  PetscCall(sb_integrator_destroy(&w->integrator));
  PetscCall(sb_guard_destroy(&w->x, w->guarded[0]));
  PetscCall(sb_guard_destroy(&w->v, w->guarded[1]));
  PetscCall(sb_system_destroy(&w->system));
  sb_pose_clear(&w->pose);
  sb_options_destroy(&w->options);
  PetscFunctionReturn(0);
}

/* `steps` steps from step `first`, which must end well. */
static PetscErrorCode advance(world *w, int64_t first, int64_t steps)
{
  PetscFunctionBeginUser;
  PetscCall(sb_integrator_advance(w->integrator, first, steps, w->x, w->v, &w->report));
  CHECK(w->report.status == SB_OK, "%s", w->report.reason);
  CHECK(w->report.unconverged == 0, "%d of %d steps missed a tolerance of the minimiser", (int)w->report.unconverged,
        (int)steps);
  PetscFunctionReturn(0);
}

static const sb_integrator_method *method_of(const sb_options *options) { return sb_integrator_method_of(options); }

/* Solves are as accurate as the errors that are measured. */
static bool solves(const sb_options *options) { return method_of(options)->traits & SB_MINIMIZES; }

/* ---- one mode ---- */

/* Displacement and velocity of the mass after each of `steps` steps, from (u, v); *ended: steps within bounds. */
static PetscErrorCode run_mode(const sb_options *options, double h, const double start[2], int steps,
                               double (*state)[2], int *ended)
{
  world   w;
  double *x, *v;

  PetscFunctionBeginUser;
  const char *tolerance = solves(options) ? "gradient_tolerance=1e-13" : "start=previous";
  PetscCall(open_world(options, (const char *const[]){OSCILLATOR, tolerance, NULL}, h, &w));
  for (*ended = 0; *ended <= steps; ++*ended) {
    if (*ended > 0) PetscCall(sb_integrator_advance(w.integrator, *ended - 1, 1, w.x, w.v, &w.report));
    if (w.report.status != SB_OK) break;
    PetscCall(VecGetArray(w.x, &x));
    PetscCall(VecGetArray(w.v, &v));
    if (*ended == 0) {
      x[3] = 1 + start[0];
      v[3] = start[1];
    }
    state[*ended][0] = x[3] - 1;
    state[*ended][1] = v[3];
    PetscCall(VecRestoreArray(w.v, &v));
    PetscCall(VecRestoreArray(w.x, &x));
  }
  PetscCall(close_world(&w));
  PetscFunctionReturn(0);
}

static PetscErrorCode is_symplectic(const sb_options *options)
{
  double a[2][2], b[2][2];
  int    ended;

  PetscFunctionBeginUser;
  if (!(method_of(options)->traits & SB_SYMPLECTIC)) PetscFunctionReturn(0);
  PetscCall(run_mode(options, 0.25, (double[]){0.125, 0}, 1, a, &ended));
  PetscCall(run_mode(options, 0.25, (double[]){0, 0.125}, 1, b, &ended));
  const double determinant = 64 * (a[1][0] * b[1][1] - a[1][1] * b[1][0]);
  CHECK(fabs(determinant - 1) <= 1e-9, "the determinant of a step on a linear spring is %.9g", determinant);
  PetscFunctionReturn(0);
}

/* Largest |u| in a run from 0.01 of rest length; infinite if it left the bounds. */
static PetscErrorCode find_largest(const sb_options *options, double z, double *largest)
{
  enum { STEPS = 1000 };
  double state[STEPS + 1][2];
  int    ended;

  PetscFunctionBeginUser;
  PetscCall(run_mode(options, z / OMEGA, (double[]){0.01, 0}, STEPS, state, &ended));
  *largest = ended <= STEPS ? INFINITY : 0;
  for (int n = 0; n < ended; ++n) *largest = fmax(*largest, fabs(state[n][0]));
  PetscFunctionReturn(0);
}

static PetscErrorCode is_stable(const sb_options *options)
{
  const double limit = method_of(options)->stability_limit;
  double       below, above;

  PetscFunctionBeginUser;
  if (isnan(limit) || method_of(options)->traits & SB_PROJECTS_LENGTHS) PetscFunctionReturn(0);
  PetscCall(find_largest(options, isinf(limit) ? 100 : limit > 0 ? 0.99 * limit : 0.5, &below));
  CHECK(limit == 0 || below < 0.2, "a mode grows at h omega = %g, below the claimed limit",
        isinf(limit) ? 100 : 0.99 * limit);
  CHECK(limit > 0 || below > 0.015, "a mode does not grow at h omega = 0.5, but no limit is claimed");
  if (isinf(limit) || limit == 0) PetscFunctionReturn(0);
  PetscCall(find_largest(options, 1.2 * limit, &above));
  CHECK(above > 0.2, "a mode does not grow at h omega = %g, above the claimed limit", 1.2 * limit);
  PetscFunctionReturn(0);
}

/* From a run, once a pair of eigenvalues is left: (u1 u1 - u0 u2) grows by the square per step. */
static PetscErrorCode grows_as_claimed(const sb_options *options)
{
  enum { FIRST = 36 };
  const sb_integrator_method *method = method_of(options);
  double                      state[FIRST + 4][2];
  int                         ended;

  PetscFunctionBeginUser;
  for (double z = 0.2; z < 1.2 && (method->growth || method->growth_undamped); z += 0.3) {
    const double claimed = method->growth ? method->growth(z, 0, 1) : method->growth_undamped(z);
    if (pow(claimed, FIRST) > 1000) continue; /* the spring would pass length 0 */
    PetscCall(run_mode(options, z / OMEGA, (double[]){1e-4, 0}, FIRST + 3, state, &ended));
    CHECK(ended == FIRST + 4, "a mode left the bounds at h omega = %g", z);
    const double *u[4] = {state[FIRST], state[FIRST + 1], state[FIRST + 2], state[FIRST + 3]};
    const double  growth = sqrt((u[2][0] * u[2][0] - u[1][0] * u[3][0]) / (u[1][0] * u[1][0] - u[0][0] * u[2][0]));
    CHECK(fabs(growth - claimed) <= 1e-5, "a mode with h omega = %g grows by %.7g per step; the claim is %.7g", z,
          growth, claimed);
  }
  PetscFunctionReturn(0);
}

/* ---- a sheet ---- */

/* Places after 0.2 s. */
static PetscErrorCode end_of_sheet(const sb_options *options, const char *more, int steps, Vec *end)
{
  world w;

  PetscFunctionBeginUser;
  const char *tolerance = solves(options) ? "gradient_tolerance=1e-8" : more;
  PetscCall(
      open_world(options, (const char *const[]){SHEET, "max_iterations=1000", tolerance, more, NULL}, 0.2 / steps, &w));
  PetscCall(advance(&w, 0, steps));
  PetscCall(VecDuplicate(w.x, end));
  PetscCall(VecCopy(w.x, *end));
  PetscCall(close_world(&w));
  PetscFunctionReturn(0);
}

/* The order of the differences to rk4 with small steps. */
static PetscErrorCode find_order(const sb_options *options, const char *more, int steps, double *order)
{
  sb_options *exact = sb_options_copy(options);
  Vec         reference, end;
  PetscReal   error[2];

  PetscFunctionBeginUser;
  PetscCall(set_pairs(exact, (const char *const[]){"integrator=rk4", NULL}));
  PetscCall(end_of_sheet(exact, more, 2000, &reference));
  sb_options_destroy(&exact);
  for (int fine = 0; fine < 2; ++fine) {
    PetscCall(end_of_sheet(options, more, steps << fine, &end));
    PetscCall(VecAXPY(end, -1, reference));
    PetscCall(VecNorm(end, NORM_2, &error[fine]));
    PetscCall(VecDestroy(&end));
  }
  PetscCall(VecDestroy(&reference));
  CHECK(error[0] != error[1], "x is the same with steps of half the length: it changes nothing");
  *order = log2(error[0] / error[1]);
  PetscFunctionReturn(0);
}

/* Errors of order 4 would be rounding with the steps that the others need to show their order. */
static int enough_steps(int order) { return order > 2 ? 40 : order == 2 ? 100 : 400; }

/* `where` and `why` are parts of a sentence. */
static PetscErrorCode check_order(const sb_options *options, const char *more, int claimed, const char *where,
                                  const char *why)
{
  double order;

  PetscFunctionBeginUser;
  if (claimed == 0) PetscFunctionReturn(0);
  PetscCall(find_order(options, more, enough_steps(claimed), &order));
  CHECK(fabs(order - claimed) <= 0.25, "%sits order is %.2f; the claim is %d%s", where, order, claimed, why);
  PetscFunctionReturn(0);
}

static PetscErrorCode has_its_order(const sb_options *options)
{
  return check_order(options, "drag=0", method_of(options)->order_position, "", "");
}

static PetscErrorCode has_its_order_with_drag(const sb_options *options)
{
  const sb_integrator_method *method = method_of(options);
  return check_order(options, "drag=0.3", method->order_braked > 0 ? method->order_braked : method->order_position,
                     "with drag ", "");
}

/* Pins that move need the same times as this field. */
static PetscErrorCode has_its_order_in_time(const sb_options *options)
{
  return check_order(options, "wind=expression:x=40*cos(25*t),z=30*sin(15*t)", method_of(options)->order_position,
                     "in a field that depends on time ", ": it passes a wrong time");
}

/* Hands the state and the memories over to another integrator of the same case. */
static PetscErrorCode hand_over(const world *from, world *to, int64_t step)
{
  const size_t count = sb_integrator_memories(from->integrator);
  Vec          memory[SB_MEMORIES_MAX];

  PetscFunctionBeginUser;
  PetscCall(VecCopy(from->x, to->x));
  PetscCall(VecCopy(from->v, to->v));
  for (size_t i = 0; i < count; ++i) {
    PetscCall(VecDuplicate(from->x, &memory[i]));
    PetscCall(sb_integrator_save(from->integrator, i, memory[i]));
  }
  PetscCall(sb_integrator_recall(to->integrator, step, to->x, to->v, memory));
  for (size_t i = 0; i < count; ++i) PetscCall(VecDestroy(&memory[i]));
  PetscFunctionReturn(0);
}

/* A run in one call, in single steps, and one that a second integrator finishes. */
static PetscErrorCode continues(const sb_options *options)
{
  enum { STEPS = 12 };
  const char *const braked[] = {SHEET, "velocity_factor=0.99", "drag=0.01", NULL}, *const free[] = {SHEET, NULL};
  const char *const *pairs = method_of(options)->traits & SB_PROJECTS_LENGTHS ? free : braked;
  const double       h = 0.002;
  world              whole, parts, rest;
  PetscBool          same[4];

  PetscFunctionBeginUser;
  PetscCall(open_world(options, pairs, h, &whole));
  PetscCall(open_world(options, pairs, h, &parts));
  PetscCall(open_world(options, pairs, h, &rest));
  PetscCall(advance(&whole, 0, STEPS));
  for (int n = 0; n < STEPS / 2; ++n) PetscCall(advance(&parts, n, 1));
  PetscCall(hand_over(&parts, &rest, STEPS / 2));
  PetscCall(advance(&parts, STEPS / 2, STEPS / 2));
  PetscCall(advance(&rest, STEPS / 2, STEPS / 2));
  PetscCall(VecEqual(whole.x, parts.x, &same[0]));
  PetscCall(VecEqual(whole.v, parts.v, &same[1]));
  PetscCall(VecEqual(whole.x, rest.x, &same[2]));
  PetscCall(VecEqual(whole.v, rest.v, &same[3]));
  CHECK(same[0] && same[1], "a run in several calls has other bits than one in a single call");
  CHECK(same[2] && same[3],
        "a run that another object continues from (x, v) and its memories has other bits: it has data of former steps "
        "that are not in memories");
  PetscCall(close_world(&whole));
  PetscCall(close_world(&parts));
  PetscCall(close_world(&rest));
  PetscFunctionReturn(0);
}

static const sb_conform_check checks[] = {
    {"has the order that it claims", has_its_order},
    {"has the order with drag that it claims", has_its_order_with_drag},
    {"has that order in a field that depends on time", has_its_order_in_time},
    {"is symplectic if it claims to be", is_symplectic},
    {"is stable up to the limit that it claims, and not above", is_stable},
    {"lets a mode grow as it claims", grows_as_claimed},
    {"gives the same bits in several calls, and when another object continues", continues},
};

const sb_conform_check *sb_conform_integrator_at(size_t i)
{
  return i < sizeof checks / sizeof *checks ? checks + i : NULL;
}
