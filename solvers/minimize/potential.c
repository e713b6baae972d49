/* The incremental potential of implicit Euler on distributed vectors; equations in potential.h, from docs/model.md
 * section 3. Springs are the model's business; here stands what inertia adds to them. Pinned vertices have y = x and no
 * part in sums. */
#include "solvers/minimize/potential.h"

PetscErrorCode sb_potential_create(sb_system *system, double h_seconds, sb_potential **potential)
{
  PetscFunctionBeginUser;
  PetscCheck(h_seconds > 0, system->comm, PETSC_ERR_ARG_OUTOFRANGE, "the time step must be positive; got %g",
             h_seconds);
  PetscCall(PetscNew(potential));
  (*potential)->system = system;
  (*potential)->h_seconds = h_seconds;
  PetscCall(sb_system_create_full(system, &(*potential)->y));
  PetscCall(sb_system_create_full(system, &(*potential)->coast));
  PetscCall(sb_system_create_full(system, &(*potential)->work));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_destroy(sb_potential **potential)
{
  PetscFunctionBeginUser;
  if (!*potential) PetscFunctionReturn(0);
  PetscCall(VecDestroy(&(*potential)->y));
  PetscCall(VecDestroy(&(*potential)->coast));
  PetscCall(VecDestroy(&(*potential)->work));
  PetscCall(PetscFree(*potential));
  PetscFunctionReturn(0);
}

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

PetscErrorCode sb_potential_set_state(sb_potential *potential, double t_seconds, Vec x, Vec v)
{
  (void)t_seconds;
  const sb_system *system = potential->system;
  const double     started = sb_profile_start(system->profile);
  const double    *position, *velocity;
  double          *coast, *y;

  PetscFunctionBeginUser;
  potential->x = x;
  PetscCall(VecGetArrayRead(x, &position));
  PetscCall(VecGetArrayRead(v, &velocity));
  PetscCall(VecGetArrayWrite(potential->coast, &coast));
  PetscCall(VecGetArrayWrite(potential->y, &y));
  predict(system, potential->h_seconds, position, velocity, coast, y);
  PetscCall(VecRestoreArrayWrite(potential->y, &y));
  PetscCall(VecRestoreArrayWrite(potential->coast, &coast));
  PetscCall(VecRestoreArrayRead(v, &velocity));
  PetscCall(VecRestoreArrayRead(x, &position));
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_start(const sb_potential *potential, sb_start start, Vec z)
{
  Vec first = start == SB_START_INERTIAL ? potential->y : start == SB_START_COAST ? potential->coast : potential->x;

  PetscFunctionBeginUser;
  PetscCall(VecCopy(first, z));
  PetscFunctionReturn(0);
}

/* (z - y)^T M (z - y) over this rank's free vertices */
static double inertia(const sb_system *system, const double *restrict z, const double *restrict y)
{
  double sum = 0;
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const double   dx = z[3 * i] - y[3 * i], dy = z[3 * i + 1] - y[3 * i + 1], dz = z[3 * i + 2] - y[3 * i + 2];
    sum += system->mass[i] * (dx * dx + dy * dy + dz * dz);
  }
  return sum;
}

/* p.z over this rank's free vertices */
static PetscErrorCode work_of_load(const sb_potential *potential, Vec z, double *work)
{
  const sb_system *system = potential->system;
  const double    *position, *force;

  PetscFunctionBeginUser;
  *work = 0;
  PetscCall(VecGetArrayRead(z, &position));
  PetscCall(VecGetArrayRead(potential->load, &force));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    for (PetscInt c = 3 * i; c < 3 * i + 3; ++c) *work += force[c] * position[c];
  }
  PetscCall(VecRestoreArrayRead(potential->load, &force));
  PetscCall(VecRestoreArrayRead(z, &position));
  PetscFunctionReturn(0);
}

/* free += alpha p */
static PetscErrorCode add_load(const sb_potential *potential, double alpha, Vec free_vector)
{
  const sb_system *system = potential->system;
  const double    *force;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(potential->load, &force));
  PetscCall(VecGetArray(free_vector, &out));
  for (PetscInt f = 0; f < system->owned_unknown; ++f)
    for (PetscInt c = 0; c < 3; ++c) out[3 * f + c] += alpha * force[3 * system->unknown_vertex[f] + c];
  PetscCall(VecRestoreArray(free_vector, &out));
  PetscCall(VecRestoreArrayRead(potential->load, &force));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_value(const sb_potential *potential, Vec z, double *value)
{
  const sb_system *system = potential->system;
  const double    *position, *y;
  double           sum, elastic, work = 0;

  PetscFunctionBeginUser;
  PetscCall(sb_system_elastic_energy(system, z, &elastic));
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(z, &position));
  PetscCall(VecGetArrayRead(potential->y, &y));
  sum = inertia(system, position, y);
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  PetscCall(VecRestoreArrayRead(z, &position));
  if (potential->load) PetscCall(work_of_load(potential, z, &work));
  sum = sum / (2 * potential->h_seconds * potential->h_seconds) - work;
  if (system->ranks > 1) PetscCall(MPIU_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, system->comm));
  *value = sum + elastic;
  sb_profile_stop(system->profile, SB_PHASE_FORCES, started);
  PetscFunctionReturn(0);
}

/* gradient = M (z - y)/h^2 - force on this rank's free vertices */
static void combine_gradient(const sb_system *system, double h, const double *restrict z, const double *restrict y,
                             const double *restrict force, double *restrict gradient)
{
  const double scale = 1 / (h * h);
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    const double   w = scale * system->mass[i];
    for (PetscInt c = 0; c < 3; ++c) gradient[3 * f + c] = w * (z[3 * i + c] - y[3 * i + c]) - force[3 * i + c];
  }
}

PetscErrorCode sb_potential_gradient(const sb_potential *potential, Vec z, Vec gradient)
{
  const sb_system *system = potential->system;
  const double    *position, *y, *force;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(sb_system_elastic_forces(system, z, potential->work));
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(z, &position));
  PetscCall(VecGetArrayRead(potential->y, &y));
  PetscCall(VecGetArrayRead(potential->work, &force));
  PetscCall(VecGetArrayWrite(gradient, &out));
  combine_gradient(system, potential->h_seconds, position, y, force, out);
  PetscCall(VecRestoreArrayWrite(gradient, &out));
  PetscCall(VecRestoreArrayRead(potential->work, &force));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  PetscCall(VecRestoreArrayRead(z, &position));
  if (potential->load) PetscCall(add_load(potential, -1, gradient));
  sb_profile_stop(system->profile, SB_PHASE_RIGHT_HAND_SIDE, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_hessian(const sb_potential *potential, sb_hessian_kind kind, Vec z, Mat matrix)
{
  const double h = potential->h_seconds;

  PetscFunctionBeginUser;
  PetscCall(sb_system_assemble_hessian(potential->system, kind, 1 / (h * h), z, matrix));
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_constant_right_hand_side(const sb_potential *potential, Vec z, Vec constant)
{
  const sb_system *system = potential->system;
  const double     started = sb_profile_start(system->profile);
  const double    *y;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(VecGetArrayRead(potential->y, &y));
  PetscCall(VecGetArrayWrite(constant, &out));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    for (PetscInt c = 0; c < 3; ++c) out[3 * f + c] = system->mass[i] * y[3 * i + c];
  }
  PetscCall(VecRestoreArrayWrite(constant, &out));
  PetscCall(VecRestoreArrayRead(potential->y, &y));
  if (potential->load) PetscCall(add_load(potential, potential->h_seconds * potential->h_seconds, constant));
  PetscCall(sb_system_add_pinned_coupling(system, potential->h_seconds, z, constant));
  sb_profile_stop(system->profile, SB_PHASE_RIGHT_HAND_SIDE, started);
  PetscFunctionReturn(0);
}

PetscErrorCode sb_potential_local_right_hand_side(const sb_potential *potential, Vec constant, Vec z, Vec rhs)
{
  const sb_system *system = potential->system;
  const double     h2 = potential->h_seconds * potential->h_seconds;
  const double    *pull, *base;
  double          *out;

  PetscFunctionBeginUser;
  PetscCall(sb_system_local_step(system, z, potential->work));
  const double started = sb_profile_start(system->profile);
  PetscCall(VecGetArrayRead(potential->work, &pull));
  PetscCall(VecGetArrayRead(constant, &base));
  PetscCall(VecGetArrayWrite(rhs, &out));
  for (PetscInt f = 0; f < system->owned_unknown; ++f) {
    const PetscInt i = system->unknown_vertex[f];
    for (PetscInt c = 0; c < 3; ++c) out[3 * f + c] = base[3 * f + c] + h2 * pull[3 * i + c];
  }
  PetscCall(VecRestoreArrayWrite(rhs, &out));
  PetscCall(VecRestoreArrayRead(constant, &base));
  PetscCall(VecRestoreArrayRead(potential->work, &pull));
  sb_profile_stop(system->profile, SB_PHASE_RIGHT_HAND_SIDE, started);
  PetscFunctionReturn(0);
}
