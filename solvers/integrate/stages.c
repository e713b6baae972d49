/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that are made of stages of implicit Euler; see stages.h. */
#include "solvers/integrate/stages.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/system/external.h"
#include "solvers/integrate/growth.h"

static PetscErrorCode allocate(sb_stages *s, sb_system *system)
{
  const PetscInt count = s->explicit.count;

  PetscFunctionBeginUser;
  PetscCall(PetscMalloc5(count, &s->brakes, count, &s->start[0], count, &s->start[1], count, &s->wanted[0], count,
                         &s->wanted[1]));
  for (int i = 0; i < s->memories; ++i) PetscCall(PetscCalloc1(count, &s->memory[i]));
  for (int i = 0; i < 2; ++i) PetscCall(sb_system_create_full(system, &s->from[i]));
  PetscCall(sb_system_create_full(system, &s->acceleration));
  PetscCall(sb_system_create_full(system, &s->to));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_stages_prepare(sb_stages *s, const sb_integrator_setup *setup, double part, int memories)
{
  PetscFunctionBeginUser;
  PetscCall(sb_explicit_prepare(&s->explicit, setup, memories > 0));
  s->part_seconds = part * setup->h_seconds;
  s->memories = memories;
  s->fresh = true;
  PetscCall(allocate(s, setup->system));
  if (part == 0) PetscFunctionReturn(0);
  PetscCall(sb_minimizer_create(setup->system, setup->options, s->part_seconds, "", &s->minimizer));
  PetscCall(sb_potential_create(setup->system, s->part_seconds, &s->potential));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_stages_destroy(void *state)
{
  sb_stages *s = state;

  PetscFunctionBeginUser;
  PetscCall(PetscFree5(s->brakes, s->start[0], s->start[1], s->wanted[0], s->wanted[1]));
  for (int i = 0; i < s->memories; ++i) PetscCall(PetscFree(s->memory[i]));
  for (int i = 0; i < 2; ++i) PetscCall(VecDestroy(&s->from[i]));
  PetscCall(VecDestroy(&s->acceleration));
  PetscCall(VecDestroy(&s->to));
  PetscCall(sb_potential_destroy(&s->potential));
  if (s->minimizer) PetscCall(sb_minimizer_destroy(&s->minimizer));
  PetscCall(sb_explicit_destroy(&s->explicit));
  PetscFunctionReturn(0);
}

sb_minimizer *sb_stages_minimizer(void *state) { return ((sb_stages *)state)->minimizer; }

double *sb_stages_memory(void *state, size_t i) { return ((sb_stages *)state)->memory[i]; }

PetscErrorCode sb_stages_resume(void *state, int64_t step, Vec x, Vec v)
{
  sb_stages *s = state;

  PetscFunctionBeginUser;
  s->fresh = s->memory[0][0] == DBL_MAX;
  PetscCall(sb_explicit_resume(&s->explicit, step, x, v));
  PetscFunctionReturn(0);
}

const char *sb_stages_refuse_friction(const sb_options *options)
{
  (void)options;
  return "its stages do not know the impulse of the penalty force; choose contact=cancel_velocity, or "
         "integrator=implicit_euler";
}

/* ---- a stage ---- */

static PetscErrorCode set_vector(Vec to, PetscInt count, const double *from)
{
  double *array;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(to, &array));
  memcpy(array, from, (size_t)count * sizeof *array);
  PetscCall(VecRestoreArrayWrite(to, &array));
  PetscFunctionReturn(0);
}

/* acceleration = brakes + field(y + s w, t + s) */
static PetscErrorCode accelerate(sb_stages *s, double t, const double *y, const double *w)
{
  sb_explicit *e = &s->explicit;
  double      *a;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayWrite(s->acceleration, &a));
  if (e->external) {
    for (PetscInt k = 0; k < e->count; ++k) a[k] = y[k] + s->part_seconds * w[k];
    memset(e->force, 0, (size_t)e->count * sizeof *e->force);
    PetscCall(sb_system_add_external(e->system, t + s->part_seconds, a, e->force));
    for (PetscInt k = 0; k < e->count; ++k) a[k] = s->brakes[k] + e->inverse_mass[k] * e->force[k];
  } else {
    memcpy(a, s->brakes, (size_t)e->count * sizeof *a);
  }
  PetscCall(VecRestoreArrayWrite(s->acceleration, &a));
  PetscFunctionReturn(0);
}

static void account(sb_stages *s, const sb_minimize_report *solve)
{
  sb_report_add_solve(s->report, solve);
  s->report->linear_outcome = solve->linear_outcome;
  s->unconverged = s->unconverged || !solve->converged;
  s->inaccurate = s->inaccurate || !solve->accurate;
  s->refused = !sb_outcome_accepted(solve->linear_outcome);
  if (s->refused) sb_report_refused_solve(s->report, s->step + 1, s->explicit.h_seconds, solve);
}

PetscErrorCode sb_stages_solve(sb_stages *s, double t_seconds, const double *y, const double *w, double *z)
{
  const PetscInt     count = s->explicit.count;
  const size_t       bytes = (size_t)count * sizeof *z;
  const double      *found;
  sb_minimize_report solve;

  PetscFunctionBeginUser;
  if (s->refused) PetscFunctionReturn(0);
  PetscCall(set_vector(s->from[0], count, y));
  PetscCall(set_vector(s->from[1], count, w));
  PetscCall(accelerate(s, t_seconds, y, w));
  s->potential->step = s->step;
  PetscCall(sb_potential_set_stage(s->potential, t_seconds, s->from[0], s->from[1], s->acceleration));
  PetscCall(sb_minimizer_run(s->minimizer, s->potential, s->to, &solve));
  account(s, &solve);
  PetscCall(VecGetArrayRead(s->to, &found));
  memcpy(z, found, bytes);
  PetscCall(VecRestoreArrayRead(s->to, &found));
  PetscFunctionReturn(0);
}

/* ---- a step ---- */

/* brakes = g + (dampers + air - drag v)/m at the start of the step. */
static PetscErrorCode brake(sb_stages *s)
{
  sb_explicit *e = &s->explicit;

  PetscFunctionBeginUser;
  memcpy(s->brakes, e->gravity, (size_t)e->count * sizeof *s->brakes);
  if (e->drag == 0 && !e->damped) PetscFunctionReturn(0);
  memset(e->force, 0, (size_t)e->count * sizeof *e->force);
  PetscCall(sb_explicit_damp(e));
  for (PetscInt k = 0; k < e->count; ++k) s->brakes[k] += e->inverse_mass[k] * (e->total[k] - e->drag * e->velocity[k]);
  PetscFunctionReturn(0);
}

static PetscErrorCode start_step(sb_stages *s, int64_t step)
{
  const sb_explicit *e = &s->explicit;
  const size_t       bytes = (size_t)e->count * sizeof(double);

  PetscFunctionBeginUser;
  s->step = step;
  s->refused = s->unconverged = s->inaccurate = false;
  sb_explicit_begin_step(&s->explicit, step);
  memcpy(s->start[0], e->position, bytes);
  memcpy(s->start[1], e->velocity, bytes);
  PetscCall(brake(s));
  PetscFunctionReturn(0);
}

/* Pinned vertices are at their places at the end of a step, for any pin_method and rule. */
static void settle_pins(sb_stages *s)
{
  sb_explicit     *e = &s->explicit;
  const sb_system *system = e->system;
  sb_explicit_place_pins(e);
  sb_explicit_hold_pins(e);
  for (PetscInt p = 0; p < system->pinned_owned && !e->moves_pins; ++p)
    for (PetscInt k = 3 * system->pin_vertex[p], end = k + 3; k < end; ++k) {
      e->position[k] = s->start[0][k];
      e->velocity[k] = 0;
    }
}

/* Contact's filter on the mean velocity of the step where it began; where that changes, x+ follows. */
static void filter_way(sb_stages *s, double t)
{
  sb_explicit *e = &s->explicit;
  double      *mean = s->explicit.total;
  const double h = e->h_seconds;
  if (!e->filters) return;
  for (PetscInt k = 0; k < e->count; ++k) mean[k] = (e->position[k] - s->start[0][k]) / h;
  sb_explicit_filter(e, t, NULL, s->start[0], mean);
  for (PetscInt k = 0; k < e->count; ++k)
    if (mean[k] != (e->position[k] - s->start[0][k]) / h) e->position[k] = s->start[0][k] + h * mean[k];
}

/* Contact at both ends of the step. Methods with memories begin again after a step that it has changed. */
static PetscErrorCode touch(sb_stages *s, sb_advance_report *report)
{
  sb_explicit *e = &s->explicit;
  const size_t bytes = (size_t)e->count * sizeof(double);
  const double h = e->h_seconds;

  PetscFunctionBeginUser;
  memcpy(s->wanted[0], e->position, bytes);
  memcpy(s->wanted[1], e->velocity, bytes);
  filter_way(s, (double)s->step * h);
  PetscCall(sb_explicit_resolve(e, s->step, report));
  if (report->status == SB_OK) sb_explicit_filter(e, (double)(s->step + 1) * h, NULL, e->position, e->velocity);
  s->fresh = memcmp(s->wanted[0], e->position, bytes) != 0 || memcmp(s->wanted[1], e->velocity, bytes) != 0;
  PetscFunctionReturn(0);
}

static PetscErrorCode finish_step(sb_stages *s, sb_advance_report *report)
{
  sb_explicit *e = &s->explicit;
  const size_t bytes = (size_t)e->count * sizeof(double);

  PetscFunctionBeginUser;
  s->fresh = s->refused;
  if (s->unconverged) report->unconverged++;
  if (s->inaccurate) report->inaccurate++;
  if (s->refused) {
    memcpy(e->position, s->start[0], bytes);
    memcpy(e->velocity, s->start[1], bytes);
  } else {
    for (PetscInt k = 0; k < e->count && e->factor != 1; ++k) e->velocity[k] *= e->factor;
    settle_pins(s);
    if (e->filters || e->resolves) PetscCall(touch(s, report));
  }
  if (s->memories > 0 && s->fresh) s->memory[0][0] = DBL_MAX;
  PetscFunctionReturn(0);
}

PetscErrorCode sb_stages_advance(sb_stages *s, sb_stages_rule rule, int64_t first_step, int64_t steps, Vec x, Vec v,
                                 sb_advance_report *report)
{
  sb_explicit *e = &s->explicit;
  int64_t      step = first_step;

  PetscFunctionBeginUser;
  s->report = report;
  PetscCall(sb_explicit_begin(e, step, x, v));
  s->fresh = s->fresh || !e->resumed;
  while (step < first_step + steps && report->status == SB_OK) {
    PetscCall(start_step(s, step));
    PetscCall(rule(s, (double)step * e->h_seconds, e->position, e->velocity));
    PetscCall(finish_step(s, report));
    if (report->status != SB_OK) break;
    PetscCall(sb_bounds_finish_step(&e->bounds, ++step, e->position, report));
  }
  PetscCall(sb_explicit_end(e, step));
  PetscFunctionReturn(0);
}

/* ---- diagonally implicit Runge-Kutta methods ---- */

PetscErrorCode sb_stages_take(sb_stages *s, const sb_diagonal_rule *rule, double t_seconds, double *x, double *v)
{
  const double   h = s->explicit.h_seconds, part = s->part_seconds, *w = s->start[1];
  const PetscInt count = s->explicit.count;
  const bool     ends = rule->stages == 2 && rule->weight[0] == rule->second && rule->weight[1] == rule->part;
  double        *y = s->wanted[0], *from = s->wanted[1], *z = s->explicit.total;

  PetscFunctionBeginUser;
  memcpy(y, s->start[0], (size_t)count * sizeof *y);
  memcpy(from, w, (size_t)count * sizeof *from);
  for (int i = 0; i < rule->stages; ++i) {
    const double add = h * rule->weight[i], on = h * rule->second;
    PetscCall(sb_stages_solve(s, t_seconds + (i == 0 ? 0 : on), y, from, z));
    for (PetscInt k = 0; k < count; ++k) {
      const double slope = (z[k] - y[k]) / part, a = (slope - from[k]) / part;
      x[k] = ends ? z[k] : x[k] + add * slope;
      v[k] = ends ? slope : v[k] + add * a;
      y[k] = s->start[0][k] + on * slope;
      from[k] = w[k] + on * a;
    }
  }
  PetscFunctionReturn(0);
}

static PetscErrorCode take_diagonal(sb_stages *s, double t_seconds, double *x, double *v)
{
  return sb_stages_take(s, s->diagonal, t_seconds, x, v);
}

PetscErrorCode sb_diagonal_prepare(sb_stages *s, const sb_integrator_setup *setup, const sb_diagonal_rule *rule)
{
  s->diagonal = rule;
  return sb_stages_prepare(s, setup, rule->part, 0);
}

PetscErrorCode sb_diagonal_advance(void *state, int64_t first_step, int64_t steps, Vec x, Vec v,
                                   sb_advance_report *report)
{
  return sb_stages_advance(state, take_diagonal, first_step, steps, x, v, report);
}

/* The same stages in (x, h v), from each of the two unit states: a = -z^2 X - d v with the v of the start. */
double sb_diagonal_rule_growth(const sb_diagonal_rule *rule, double z, double d, double f)
{
  const double part = rule->part;
  double       step[4];
  for (int column = 0; column < 2; ++column) {
    const double x0 = column == 0 ? 1 : 0, v0 = 1 - x0;
    double       y = x0, w = v0, x = x0, v = v0;
    for (int i = 0; i < rule->stages; ++i) {
      const double end = (y + part * w - part * part * d * v0) / (1 + part * part * z * z);
      const double slope = (end - y) / part, a = (slope - w) / part;
      x += rule->weight[i] * slope;
      v += rule->weight[i] * a;
      y = x0 + rule->second * slope;
      w = v0 + rule->second * a;
    }
    step[column] = x;
    step[2 + column] = f * v;
  }
  return sb_spectral_radius(2, step);
}
