/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a step without springs: y and the first iterates of potential.h.
 *
 *     a = f_ext(x, v, t)/m,   x + h v,   y = x + h v + h^2 a
 *
 * f_ext includes a penalty force, and contact's filter removes the inward part of this sum. The condition of the filter
 * uses the v at the start of the step, before the filter acts on it (docs/model.md section 6). Friction is part of y,
 * too, and therefore the same for every minimiser. It comes from the impulses of the filter and from the penalty force
 * at x, and acts against the velocity that all forces at x would lead to. */
#include "model/system/external.h"
#include "solvers/minimize/on_device.h"

/* Fraction of the distance of two parts that a shortened motion keeps. An iteration of Newton about doubles a distance
 * that is much too small: pins that left a tenth would be faster. */
#define KEPT         0.1
#define KEPT_BY_PINS 0.8

/* Only gravity: numbers two vertices at a time, as if all moved, then pinned vertices. */
static void fall(const sb_system *system, double h, const double *restrict x, const double *restrict v,
                 double *restrict coast, double *restrict y)
{
  enum { NUMBERS = 6 };
  const PetscInt count = 3 * system->owned, whole = count - count % NUMBERS;
  double         way[NUMBERS];
  for (int l = 0; l < NUMBERS; ++l) way[l] = h * h * system->gravity[l % 3];
  for (PetscInt k = 0; k < count; ++k) coast[k] = x[k] + h * v[k];
  for (PetscInt k = 0; k < whole; k += NUMBERS)
    for (PetscInt l = 0; l < NUMBERS; ++l) y[k + l] = coast[k + l] + way[l];
  for (PetscInt k = whole; k < count; ++k) y[k] = coast[k] + way[k - whole];
  for (PetscInt p = 0; p < system->pinned_owned; ++p)
    for (PetscInt k = 3 * system->pin_vertex[p], end = k + 3; k < end; ++k) coast[k] = y[k] = x[k];
}

/* Only gravity and drag. */
static void predict(const sb_system *system, double h, const double *restrict x, const double *restrict v,
                    double *restrict coast, double *restrict y)
{
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool   moves = !system->pinned[i];
    const double drag = system->drag / system->mass[i];
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) {
      const double a = system->gravity[c - 3 * i] - drag * v[c];
      coast[c] = moves ? x[c] + h * v[c] : x[c];
      y[c] = moves ? coast[c] + h * h * a : x[c];
    }
  }
}

/* The same of the acceleration that y holds. */
static void predict_from(const sb_system *system, double h, const double *restrict x, const double *restrict v,
                         double *restrict coast, double *restrict y)
{
  for (PetscInt i = 0; i < system->owned; ++i) {
    const bool moves = !system->pinned[i];
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) {
      coast[c] = moves ? x[c] + h * v[c] : x[c];
      y[c] = moves ? coast[c] + h * h * y[c] : x[c];
    }
  }
}

/* a = g + (force - drag v)/m, in place of force */
static void accelerate(const sb_system *system, const double *restrict v, double *restrict force)
{
  for (PetscInt i = 0; i < system->owned; ++i) {
    const double inverse = 1 / system->mass[i];
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c)
      force[c] = system->gravity[c - 3 * i] + inverse * (force[c] - system->drag * v[c]);
  }
}

/* True if there is more than gravity and drag. */
static bool has_more(const sb_potential *potential)
{
  return potential->filtered || sb_system_is_damped(potential->system) || sb_system_has_external(potential->system);
}

/* y = a. Dampers reach ghosts, whose places in y are never read. */
static PetscErrorCode sum_accelerations(sb_potential *potential, double t_seconds, const double *position, Vec v)
{
  const sb_system *system = potential->system;
  Vec              local = potential->y;
  const double    *velocity;
  double          *sum;

  PetscFunctionBeginUser;
  PetscCall(sb_system_begin_read(system, v, &velocity));
  if (system->ranks > 1) PetscCall(VecGhostGetLocalForm(potential->y, &local));
  PetscCall(VecGetArrayWrite(local, &sum));
  PetscCall(PetscArrayzero(sum, 3 * (system->owned + system->ghosts)));
  if (sb_system_has_external(system)) PetscCall(sb_system_add_external(system, t_seconds, position, sum));
  if (sb_system_is_damped(system)) PetscCall(sb_system_add_damping(system, 0, position, velocity, sum));
  accelerate(system, velocity, sum);
  PetscCall(VecRestoreArrayWrite(local, &sum));
  if (system->ranks > 1) PetscCall(VecGhostRestoreLocalForm(potential->y, &local));
  PetscCall(sb_system_end_read(system, v, &velocity));
  PetscFunctionReturn(0);
}

/* Computes filtered = v after the filter, and in y the acceleration a after it, with friction. `work` has the forces of
 * g at x for this. */
static PetscErrorCode filter(sb_potential *potential, double t_seconds, const double *position, Vec v)
{
  const sb_system *system = potential->system;
  const double     h = potential->h_seconds, started = sb_profile_start(system->profile);
  sb_contact_start start = {.points = {(size_t)system->owned, system->pinned, system->mass, position}};
  double          *filtered, *acceleration;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(v, potential->filtered));
  PetscCall(VecGetArrayRead(v, &start.before));
  PetscCall(VecGetArrayRead(potential->work, &start.force));
  PetscCall(VecGetArray(potential->filtered, &filtered));
  PetscCall(VecGetArray(potential->y, &acceleration));
  sb_contact_filter(system->contact, t_seconds, h, NULL, &start.points, filtered);
  start.velocity = filtered;
  sb_contact_filter_accelerations(system->contact, t_seconds, h, &start, acceleration);
  PetscCall(VecRestoreArray(potential->y, &acceleration));
  PetscCall(VecRestoreArray(potential->filtered, &filtered));
  PetscCall(VecRestoreArrayRead(potential->work, &start.force));
  PetscCall(VecRestoreArrayRead(v, &start.before));
  sb_profile_stop(system->profile, SB_PHASE_CONTACT, started);
  PetscFunctionReturn(0);
}

/* y = f_ext/m of all there is, filtered. */
static PetscErrorCode gather(sb_potential *potential, double t_seconds, Vec x, Vec v)
{
  const sb_system *system = potential->system;
  const double     started = sb_profile_start(system->profile);
  const double    *position;

  PetscFunctionBeginUser;
  if (system->contact && sb_contact_rubs(system->contact))
    PetscCall(sb_potential_forces(potential, x, potential->work));
  PetscCall(sb_system_begin_read(system, x, &position));
  PetscCall(sum_accelerations(potential, t_seconds, position, v));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  if (potential->filtered) PetscCall(filter(potential, t_seconds, position, v));
  PetscCall(sb_system_end_read(system, x, &position));
  PetscFunctionReturn(0);
}

typedef void target_rule(const sb_system *system, double h, const double *restrict x, const double *restrict v,
                         double *restrict coast, double *restrict y);

/* coast and y by the rule from (x, v), pinned vertices at their place at the end. */
static PetscErrorCode apply(sb_potential *potential, target_rule *rule, Vec x, Vec v)
{
  const sb_system *system = potential->system;
  const double     started = sb_profile_start(system->profile);
  const double    *position, *velocity;
  double          *coast, *y;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArrayRead(v, &velocity));
  PetscCall(VecGetArrayWrite(potential->coast, &coast));
  PetscCall(VecGetArray(potential->y, &y));
  rule(system, potential->h_seconds, position, velocity, coast, y);
  PetscCall(sb_system_place_held(system, potential->end_seconds, coast));
  PetscCall(sb_system_place_held(system, potential->end_seconds, y));
  PetscCall(VecRestoreArray(potential->y, &y));
  PetscCall(VecRestoreArrayWrite(potential->coast, &coast));
  PetscCall(VecRestoreArrayRead(v, &velocity));
  PetscCall(VecRestoreArrayRead(x, &position));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_set_state(sb_potential *potential, double t_seconds, Vec x, Vec v)
{
  const sb_system *system = potential->system;
  const bool       more = has_more(potential), falls = !more && system->drag == 0;

  PetscFunctionBeginUser;
  potential->x = x;
  potential->end_seconds = t_seconds + potential->h_seconds;
  if (sb_vec_device(x)) {
    PetscCall(sb_on_device_set_state(potential, x, v));
    PetscFunctionReturn(0);
  }
  PetscCall(sb_system_begin_step(system, potential->beta / potential->h_seconds, x));
  if (more) PetscCall(gather(potential, t_seconds, x, v));
  PetscCall(apply(potential,
                  more    ? predict_from
                  : falls ? fall
                          : predict,
                  x, potential->filtered ? potential->filtered : v));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_set_stage(sb_potential *potential, double t_seconds, Vec x, Vec v, Vec acceleration)
{
  PetscFunctionBeginUser;
  potential->x = x;
  potential->end_seconds = t_seconds + potential->h_seconds;
  PetscCall(sb_system_begin_step(potential->system, potential->beta / potential->h_seconds, x));
  PetscCall(VecCopy(acceleration, potential->y));
  PetscCall(apply(potential, predict_from, x, v));
  PetscFunctionReturn(0);
}

static PetscErrorCode find_part(const sb_potential *potential, Vec z, Vec to, double kept, double *part)
{
  const sb_system *system = potential->system;
  const double    *from, *end;

  PetscFunctionBeginUser;
  *part = 1;
  if (!system->barrier) PetscFunctionReturn(0);
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(z, &from));
  PetscCall(VecGetArrayRead(to, &end));
  PetscCheck(sb_barrier_advance(system->barrier, from, end, kept, part), PETSC_COMM_SELF, PETSC_ERR_MEM,
             "out of memory");
  PetscCall(VecRestoreArrayRead(to, &end));
  PetscCall(VecRestoreArrayRead(z, &from));
  sb_profile_stop(system->profile, SB_PHASE_CONTACT, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_free_part(const sb_potential *potential, Vec z, Vec to, double *part)
{
  PetscFunctionBeginUser;
  PetscCall(find_part(potential, z, to, KEPT, part));
  PetscFunctionReturn(0);
}

/* z += part (to - z), `to` itself where that is all of it. */
static PetscErrorCode go(double part, Vec to, Vec z)
{
  PetscFunctionBeginUser;
  if (part < 1)
    PetscCall(VecAXPBY(z, part, 1 - part, to));
  else
    PetscCall(VecCopy(to, z));
  PetscFunctionReturn(0);
}

/* to = z with pinned vertices, unless they are unknowns, at their place in y; *placed: it is z. */
static PetscErrorCode find_place(const sb_potential *potential, Vec z, Vec to, bool *placed)
{
  const sb_system *system = potential->system;
  const double    *y;
  double          *place;

  PetscFunctionBeginUser;
  *placed = true;
  PetscCall(VecCopy(z, to));
  PetscCall(VecGetArrayRead(potential->y, &y));
  PetscCall(VecGetArray(to, &place));
  for (PetscInt p = 0; p < system->pinned_owned; ++p) {
    const PetscInt first = 3 * system->pin_vertex[p];
    for (PetscInt k = first; k < first + 3; ++k) {
      *placed = *placed && place[k] == y[k];
      place[k] = y[k];
    }
  }
  PetscCall(VecRestoreArray(to, &place));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_place_pins(const sb_potential *potential, Vec z, bool *placed)
{
  const sb_system *system = potential->system;
  double           part;

  PetscFunctionBeginUser;
  *placed = true;
  if (!system->barrier || system->pin_method == SB_PINS_PENALTY) PetscFunctionReturn(0);
  PetscCall(find_place(potential, z, potential->work, placed));
  if (*placed) PetscFunctionReturn(0);
  PetscCall(find_part(potential, z, potential->work, KEPT_BY_PINS, &part));
  if (part < 1) part /= 2; /* the whole may leave 0.4 of a distance, which an iteration that doubles it does not mend */
  PetscCall(go(part, potential->work, z));
  *placed = part == 1;
  PetscFunctionReturn(0);
}

/* z = the point on the way from x to z up to which no parts meet. */
static PetscErrorCode hold_back(const sb_potential *potential, Vec z)
{
  double part;

  PetscFunctionBeginUser;
  if (!potential->system->barrier) PetscFunctionReturn(0);
  PetscCall(sb_potential_free_part(potential, potential->x, z, &part));
  if (part == 1) PetscFunctionReturn(0);
  PetscCall(VecCopy(z, potential->work));
  PetscCall(VecCopy(potential->x, z));
  PetscCall(go(part, potential->work, z));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_start(const sb_potential *potential, sb_start start, Vec z)
{
  Vec     first = start == SB_START_INERTIAL ? potential->y : start == SB_START_COAST ? potential->coast : potential->x;
  double *position;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(first, z));
  if (start == SB_START_PREVIOUS && !sb_vec_device(z)) { /* pins of a device do not move */
    PetscCall(VecGetArray(z, &position));
    PetscCall(sb_system_place_held(potential->system, potential->end_seconds, position));
    PetscCall(VecRestoreArray(z, &position));
  }
  PetscCall(hold_back(potential, z));
  PetscFunctionReturn(0);
}
